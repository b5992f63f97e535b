//! Pictures for the report's page.

use figures::{Cell, Lanes};
use simt::pattern::{Pattern, SHOWN, cell};

use crate::Picture;

/// The picture as a PNG file.
///
/// # Errors
/// If the pixels do not fit its width and height.
pub fn png(picture: &Picture) -> Result<Vec<u8>, String> {
    figures::png(picture.width, picture.height, &picture.rgba)
        .map_err(|e| format!("{}: {e}", picture.title))
}

/// A request to memory as SVG: a cell for each element or bank with the number of the lane that wants it, `+` behind
/// it if there are more. Rows beyond what such a request needs are what it costs too much.
pub(crate) fn lanes(pattern: &Pattern) -> String {
    let grid = pattern.grid();
    let left_out = grid.rows.len().saturating_sub(SHOWN);
    let rows = grid.rows.into_iter().take(SHOWN).enumerate().map(|(r, (name, cells))| {
        let cells = cells.iter().map(|lanes| match lanes.is_empty() {
            true => Cell::Empty,
            false if r as u64 >= pattern.best => Cell::Costly(cell(lanes)),
            false => Cell::Wanted(cell(lanes)),
        });
        (name, cells.collect())
    });
    let title = [format!("{} | {}", pattern.at, pattern.line_text.trim()), pattern.sentence()];
    figures::lanes(&Lanes { title, head: grid.head, rows: rows.collect(), left_out }).svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_needs_as_many_pixels_as_it_says() {
        let mut picture = Picture { title: "p".into(), width: 2, height: 1, rgba: vec![255; 8] };
        assert_eq!(&png(&picture).unwrap()[1..4], b"PNG");
        picture.height = 2;
        assert_eq!(png(&picture).unwrap_err(), "p: 2 x 2 pixels need 16 bytes, there are 8");
    }
}
