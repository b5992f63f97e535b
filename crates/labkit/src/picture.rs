//! Pictures as files.

use std::path::Path;

use crate::LabError;

/// Writes a file, making its folder if there is none.
///
/// # Errors
/// The file cannot be written.
pub fn save(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), LabError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    folder
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(path, bytes))
        .map_err(|e| LabError::msg(format!("{}: {e}", path.display())))
}

/// Writes `rgba` (`4 * width * height` bytes: red, green, blue, alpha; the upper row first) to a
/// PNG file, making its folder if there is none.
///
/// # Errors
/// The number of bytes does not fit, or the file cannot be written.
pub fn write_png(path: &Path, width: u32, height: u32, rgba: &[u8]) -> Result<(), LabError> {
    let file = figures::png(width, height, rgba);
    save(path, file.map_err(|e| LabError::msg(format!("{}: {e}", path.display())))?)
}

/// The rows of a picture (`row_bytes` bytes each) in opposite order: for pictures whose first row
/// is the lowest.
pub fn flip_rows(rgba: &[u8], row_bytes: usize) -> Vec<u8> {
    rgba.chunks_exact(row_bytes.max(1)).rev().flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_make_their_folder_and_refuse_wrong_sizes() {
        let dir = std::env::temp_dir().join(format!("labkit-picture-{}", std::process::id()));
        let file = dir.join("p.png");
        write_png(&file, 3, 2, &[7; 24]).unwrap();
        assert!(std::fs::read(&file).unwrap().starts_with(b"\x89PNG"));
        let error = write_png(&file, 3, 2, &[0; 5]).unwrap_err().to_string();
        assert!(error.contains("p.png: 3 x 2 pixels need 24 bytes, there are 5"), "{error}");
        std::fs::remove_dir_all(dir).unwrap();
        assert_eq!(flip_rows(&[1, 2, 3, 4], 2), [3, 4, 1, 2]);
    }
}
