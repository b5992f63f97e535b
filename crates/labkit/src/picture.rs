//! Pictures as PNG files.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use crate::LabError;

/// Writes `rgba` (`4 * width * height` bytes: red, green, blue, alpha; the upper row first) to a
/// PNG file, making its folder if there is none.
///
/// # Errors
/// The number of bytes does not fit, or the file cannot be written.
pub fn write_png(path: &Path, width: u32, height: u32, rgba: &[u8]) -> Result<(), LabError> {
    let expected = 4 * width as usize * height as usize;
    if rgba.len() != expected {
        return Err(LabError::Length { what: "rgba".into(), expected, found: rgba.len() });
    }
    let named = |e: &dyn std::fmt::Display| LabError::msg(format!("{}: {e}", path.display()));
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|e| named(&e))?;
    }
    let file = BufWriter::new(File::create(path).map_err(|e| named(&e))?);
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|e| named(&e))?;
    writer.write_image_data(rgba).map_err(|e| named(&e))?;
    writer.finish().map_err(|e| named(&e))
}

/// The rows of a picture (`row_bytes` bytes each) in opposite order: for pictures whose first row
/// is the lowest.
pub fn flip_rows(rgba: &[u8], row_bytes: usize) -> Vec<u8> {
    rgba.chunks_exact(row_bytes.max(1)).rev().flatten().copied().collect()
}

/// Colour of `share` (0..1) on a scale from dark blue over green to yellow, which is even to the
/// eye and prints well.
pub fn viridis(share: f64) -> [u8; 3] {
    const STOPS: [[f64; 3]; 6] = [
        [68.0, 1.0, 84.0],
        [65.0, 68.0, 135.0],
        [42.0, 120.0, 142.0],
        [34.0, 168.0, 132.0],
        [122.0, 209.0, 81.0],
        [253.0, 231.0, 37.0],
    ];
    // NaN becomes the darkest colour.
    let share = if share > 0.0 { share.min(1.0) } else { 0.0 };
    let place = share * (STOPS.len() - 1) as f64;
    let stop = (place as usize).min(STOPS.len() - 2);
    let part = place - stop as f64;
    [0, 1, 2].map(|c| (STOPS[stop][c] + part * (STOPS[stop + 1][c] - STOPS[stop][c])) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_reads_back_as_written() {
        let dir = std::env::temp_dir().join(format!("labkit-picture-{}", std::process::id()));
        let file = dir.join("p.png");
        let rgba: Vec<u8> = (0..4 * 3 * 2).map(|i| i * 7).collect();
        write_png(&file, 3, 2, &rgba).unwrap();
        let reader = std::io::BufReader::new(File::open(&file).unwrap());
        let mut reader = png::Decoder::new(reader).read_info().unwrap();
        let mut back = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut back).unwrap();
        assert_eq!((info.width, info.height), (3, 2));
        assert_eq!(back, rgba);
        let error = write_png(&file, 3, 3, &rgba).unwrap_err().to_string();
        assert!(error.contains("36") && error.contains("24"), "{error}");
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn colours_run_from_dark_to_bright() {
        assert_eq!(viridis(0.0), [68, 1, 84]);
        assert_eq!(viridis(1.0), [253, 231, 37]);
        assert_eq!(viridis(7.0), viridis(1.0));
        assert_eq!(viridis(f64::NAN), viridis(0.0));
        let green = |share: f64| viridis(share)[1];
        assert!((0..100).all(|k| green(f64::from(k) / 100.0) <= green(f64::from(k + 1) / 100.0)));
    }

    #[test]
    fn rows_change_places() {
        assert_eq!(flip_rows(&[1, 2, 3, 4, 5, 6], 2), [5, 6, 3, 4, 1, 2]);
        assert!(flip_rows(&[], 4).is_empty());
    }
}
