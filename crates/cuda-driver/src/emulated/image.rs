//! The module image of the emulated device: a line of options, then CUDA C.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use simt::CompileOptions;

use crate::code;
use crate::failure::{Done, Failure};

/// How an image begins; a line of JSON with an [`ImageHeader`] follows, then the source.
pub const IMAGE_MARK: &str = "//!simt ";

/// How the source of an image is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageHeader {
    /// Name of the source file in messages.
    pub file: String,
    /// Macros, `NAME` or `NAME=VALUE`.
    #[serde(default)]
    pub defines: Vec<String>,
    /// Folders in which `#include "..."` looks.
    #[serde(default)]
    pub include_dirs: Vec<PathBuf>,
    /// Fuse `a * b + c`, as NVRTC does unless told otherwise.
    #[serde(default)]
    pub contract: bool,
}

/// An image for `cust::module::Module::from_ptx` on the emulated device.
pub fn image(header: &ImageHeader, source: &str) -> String {
    let header = serde_json::to_string(header).unwrap_or_default();
    format!("{IMAGE_MARK}{header}\n{source}")
}

/// Takes an image apart.
///
/// # Errors
/// `CUDA_ERROR_INVALID_IMAGE` for anything else, with a line that says what it seems to be.
pub(super) fn parse(image: &[u8]) -> Done<(CompileOptions, &str)> {
    let refuse = |line: String| Failure::new(code::INVALID_IMAGE, line);
    let Some(rest) = image.strip_prefix(IMAGE_MARK.as_bytes()) else {
        return Err(refuse(format!(
            "the emulated device runs CUDA C, not {}: load kernels with labkit's `kernel_file!`, or use a machine with an \
             NVIDIA driver",
            kind_of(image)
        )));
    };
    let text = std::str::from_utf8(rest).map_err(|e| {
        refuse(format!("the kernel source is not UTF-8 (byte {})", e.valid_up_to()))
    })?;
    let (header, source) = text.split_once('\n').unwrap_or((text, ""));
    let header: ImageHeader = serde_json::from_str(header).map_err(|e| {
        refuse(format!("first line of the image after `{}`: {e}", IMAGE_MARK.trim_end()))
    })?;
    let ImageHeader { file, defines, include_dirs, contract } = header;
    let options =
        CompileOptions { file, defines, include_dirs, contract, ..CompileOptions::default() };
    Ok((options, source))
}

fn kind_of(image: &[u8]) -> &'static str {
    let has = |word: &[u8]| image.windows(word.len()).take(1 << 16).any(|w| w == word);
    if image.starts_with(b"\x7fELF") {
        "a cubin"
    } else if image.starts_with(&0xba55_ed50u32.to_le_bytes()) {
        "a fatbin"
    } else if has(b".version") && has(b".target") {
        "PTX"
    } else {
        "this image"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_taken_apart_as_it_was_put_together() {
        let header = ImageHeader {
            file: "k.cu".into(),
            defines: vec!["N=3".into()],
            include_dirs: vec!["dir \"x\"".into()],
            contract: true,
        };
        let text = image(&header, "__global__ void k() {}\n");
        let (options, source) = parse(text.as_bytes()).unwrap();
        assert_eq!(source, "__global__ void k() {}\n");
        assert_eq!((options.file, options.defines), (header.file, header.defines));
        assert_eq!((options.include_dirs, options.contract), (header.include_dirs, true));
    }

    #[test]
    fn other_images_are_named() {
        for (image, word) in [
            (&b".version 7.0\n.target sm_80"[..], "not PTX"),
            (b"\x7fELF\x02\x01", "not a cubin"),
            (b"garbage", "not this image"),
        ] {
            let failure = parse(image).unwrap_err();
            assert_eq!(failure.code, code::INVALID_IMAGE);
            assert!(failure.line.contains(word), "{}", failure.line);
        }
        assert!(parse(b"//!simt {\"file\":1}\n").is_err());
    }
}
