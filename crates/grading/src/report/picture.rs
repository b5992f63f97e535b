//! Pictures as PNG, and as text for a page that needs no other file.

use crate::Picture;

/// The picture as a PNG file.
///
/// # Errors
/// If the pixels do not fit its width and height.
pub fn png(picture: &Picture) -> Result<Vec<u8>, String> {
    let want = u64::from(picture.width) * u64::from(picture.height) * 4;
    if picture.rgba.len() as u64 != want || want == 0 {
        return Err(format!(
            "{}: {} x {} pixels need {want} bytes, there are {}",
            picture.title,
            picture.width,
            picture.height,
            picture.rgba.len()
        ));
    }
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
    writer.write_image_data(&picture.rgba).map_err(|e| e.to_string())?;
    writer.finish().map_err(|e| e.to_string())?;
    Ok(out)
}

/// Base 64 of RFC 4648.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            if k <= three.len() {
                out.push(char::from(DIGITS[(group >> (18 - 6 * k)) as usize & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_rfc() {
        let pairs =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn a_picture_needs_as_many_pixels_as_it_says() {
        let mut picture = Picture { title: "p".into(), width: 2, height: 1, rgba: vec![255; 8] };
        assert_eq!(&png(&picture).unwrap()[1..4], b"PNG");
        picture.height = 2;
        assert_eq!(png(&picture).unwrap_err(), "p: 2 x 2 pixels need 16 bytes, there are 8");
    }
}
