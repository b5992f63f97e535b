//! Binary input files: little-endian numbers, read with an error that names the file, what is
//! wrong, and the numbers.

use std::path::{Path, PathBuf};

use crate::LabError;

/// A file that is read from its beginning to its end.
#[derive(Debug)]
pub struct Input {
    path: PathBuf,
    bytes: Vec<u8>,
    at: usize,
}

impl Input {
    /// Reads the whole file.
    ///
    /// # Errors
    /// A missing, unreadable or empty file.
    pub fn open(path: impl AsRef<Path>) -> Result<Input, LabError> {
        let path = path.as_ref().to_path_buf();
        let bytes = std::fs::read(&path).map_err(|error| LabError::File {
            path: path.clone(),
            what: error.to_string(),
            expected: "a readable file".into(),
            found: "none".into(),
        })?;
        let input = Input { path, bytes, at: 0 };
        if input.bytes.is_empty() {
            return Err(input.error("empty file", "a header", "0 bytes"));
        }
        Ok(input)
    }

    /// An error about this file.
    pub fn error(&self, what: &str, expected: impl ToString, found: impl ToString) -> LabError {
        LabError::File {
            path: self.path.clone(),
            what: what.into(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    fn take(&mut self, bytes: usize, what: &str) -> Result<&[u8], LabError> {
        let left = self.bytes.len() - self.at;
        if bytes > left {
            let total = self.at.saturating_add(bytes);
            return Err(self.error(
                &format!("file too short for {what}"),
                format!("{total} bytes"),
                format!("{} bytes", self.bytes.len()),
            ));
        }
        self.at += bytes;
        Ok(&self.bytes[self.at - bytes..self.at])
    }

    /// A number of the header that counts something.
    ///
    /// # Errors
    /// A truncated header, or a negative number.
    pub fn count(&mut self, name: &str) -> Result<usize, LabError> {
        let bytes = self.take(4, &format!("the header ({name})"))?;
        let value = i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        usize::try_from(value)
            .map_err(|_| self.error(&format!("negative {name}"), "0 or more", value))
    }

    /// `count` values of type `f32`.
    ///
    /// # Errors
    /// A file that is too short, or a count that overflows.
    pub fn f32s(&mut self, count: usize, name: &str) -> Result<Vec<f32>, LabError> {
        let Some(bytes) = count.checked_mul(4) else {
            return Err(self.error(&format!("size of {name} overflows"), "fewer values", count));
        };
        let bytes = self.take(bytes, name)?;
        let value = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        Ok(bytes.chunks_exact(4).map(value).collect())
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// Bytes that nobody asked for.
    pub fn finish(self) -> Result<(), LabError> {
        if self.at == self.bytes.len() {
            return Ok(());
        }
        let (used, found) = (self.at, self.bytes.len());
        Err(self.error("trailing bytes", format!("{used} bytes"), format!("{found} bytes")))
    }
}

/// `a * b`, with an error that names the file.
///
/// # Errors
/// The product does not fit.
pub fn product(input: &Input, what: &str, a: usize, b: usize) -> Result<usize, LabError> {
    a.checked_mul(b).ok_or_else(|| {
        input.error(
            &format!("size of {what} overflows"),
            "a product that fits",
            format!("{a} x {b}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, bytes: &[u8]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("labkit-input-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn read(path: &Path) -> Result<Vec<f32>, LabError> {
        let mut input = Input::open(path)?;
        let n = input.count("n")?;
        let n = product(&input, "x", n, 1)?;
        let values = input.f32s(n, "x")?;
        input.finish()?;
        Ok(values)
    }

    #[test]
    fn each_kind_of_bad_file_is_told() {
        let number = |n: i32| n.to_le_bytes().to_vec();
        let good = [number(1), 2.5f32.to_le_bytes().to_vec()].concat();
        let cases: [(&str, Vec<u8>, &str); 5] = [
            ("empty", vec![], "empty file (expected a header, found 0 bytes)"),
            (
                "header",
                vec![1, 0],
                "file too short for the header (n) (expected 4 bytes, found 2 bytes)",
            ),
            ("negative", number(-1), "negative n (expected 0 or more, found -1)"),
            ("short", number(3), "file too short for x (expected 16 bytes, found 4 bytes)"),
            (
                "long",
                [good.clone(), vec![0]].concat(),
                "trailing bytes (expected 8 bytes, found 9 bytes)",
            ),
        ];
        for (name, bytes, want) in cases {
            let path = file(name, &bytes);
            let text = read(&path).unwrap_err().to_string();
            std::fs::remove_file(&path).unwrap();
            assert_eq!(text, format!("{}: {want}", path.display()));
        }
        let path = file("good", &good);
        assert_eq!(read(&path).unwrap(), [2.5]);
        std::fs::remove_file(&path).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("expected a readable file"));
    }
}
