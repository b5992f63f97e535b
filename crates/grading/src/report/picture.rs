//! Pictures for the report's page.

use crate::Picture;

/// The picture as a PNG file.
///
/// # Errors
/// If the pixels do not fit its width and height.
pub fn png(picture: &Picture) -> Result<Vec<u8>, String> {
    figures::png(picture.width, picture.height, &picture.rgba)
        .map_err(|e| format!("{}: {e}", picture.title))
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
