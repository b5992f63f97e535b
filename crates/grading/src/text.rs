//! Reading a file of the course, with what is wrong said in plain words.

use std::io::ErrorKind;
use std::path::Path;

use simt::files::Files;

/// The text of a file.
///
/// # Errors
/// Goes on after the name of the file: it cannot be read, or is not UTF-8.
pub(crate) fn text(files: &Files, path: &Path) -> Result<String, String> {
    match files {
        Files::Disk => std::fs::read_to_string(path).map_err(|e| match e.kind() {
            ErrorKind::InvalidData => "is not in UTF-8: save it so (the editor's `save as` or \
                                       `save with encoding`)"
                .into(),
            _ => format!("cannot be read: {e}"),
        }),
        memory => memory.read(path, u64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_another_encoding_is_told_how_to_be_saved() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("k.cu");
        for bytes in [&b"// gr\xfc\xdfe\n"[..], b"\xff\xfe/\0/\0"] {
            std::fs::write(&path, bytes).unwrap();
            assert!(text(&Files::Disk, &path).unwrap_err().contains("save it so"));
        }
        assert!(text(&Files::Disk, dir.path()).unwrap_err().starts_with("cannot be read"));
    }
}
