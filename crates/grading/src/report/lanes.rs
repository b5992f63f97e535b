//! The drawing of a request to memory.

use figures::{Cell, Lanes};
use simt::pattern::{Pattern, SHOWN, cell};

/// A request to memory as SVG: a cell for each element or bank with the number of the lane that
/// wants it, `+` behind it if there are more. Rows beyond what such a request needs are what it
/// costs too much.
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
