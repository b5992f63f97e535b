//! What a program loads as a module: an image of the emulated device, or CUDA C as it stands.

use std::path::Path;

use emulation::image::{IMAGE_MARK, ImageHeader, image};
use simt::CompileOptions;

use crate::code;
use crate::failure::{Done, Failure};

/// What messages call a module that came without a name.
const NAMELESS: &str = "module.cu";

/// The bytes of a module's file as an image: of CUDA C that stands alone the file's name is kept,
/// and its folder is where included files are.
pub(super) fn of_file(path: &Path, bytes: Vec<u8>) -> Vec<u8> {
    let bare = !bytes.starts_with(IMAGE_MARK.as_bytes()) && is_cuda(&bytes);
    let Some(source) = std::str::from_utf8(&bytes).ok().filter(|_| bare) else { return bytes };
    let folder = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let header = ImageHeader {
        file: path.display().to_string(),
        include_dirs: vec![folder.to_owned()],
        ..ImageHeader::default()
    };
    image(&header, source).into()
}

/// Takes an image apart.
///
/// # Errors
/// `CUDA_ERROR_INVALID_IMAGE` for anything else, with a line that says what it seems to be.
pub(super) fn parse(image: &[u8]) -> Done<(CompileOptions, &str)> {
    let refuse = |line: String| Failure::new(code::INVALID_IMAGE, line);
    let marked = image.strip_prefix(IMAGE_MARK.as_bytes());
    if marked.is_none() && !is_cuda(image) {
        return Err(refuse(format!(
            "the emulated device runs CUDA C, not {}: load kernels with labkit's `kernel_file!`, \
             compile them with NVRTC, or use a machine with an NVIDIA driver",
            kind_of(image)
        )));
    }
    let text = std::str::from_utf8(marked.unwrap_or(image)).map_err(|e| {
        refuse(format!("the kernel source is not UTF-8 (byte {})", e.valid_up_to()))
    })?;
    if marked.is_none() {
        let options = CompileOptions { file: NAMELESS.into(), ..CompileOptions::default() };
        return Ok((options, text));
    }
    let (header, source) = text.split_once('\n').unwrap_or((text, ""));
    let header: ImageHeader = serde_json::from_str(header).map_err(|e| {
        refuse(format!("first line of the image after `{}`: {e}", IMAGE_MARK.trim_end()))
    })?;
    Ok((header.options(), source))
}

fn has(image: &[u8], word: &[u8]) -> bool {
    image.windows(word.len()).any(|w| w == word)
}

/// True for a text with a kernel in it.
fn is_cuda(image: &[u8]) -> bool {
    !image.contains(&0) && has(image, b"__global__")
}

fn kind_of(image: &[u8]) -> &'static str {
    if image.starts_with(b"\x7fELF") {
        "a cubin"
    } else if image.starts_with(&0xba55_ed50u32.to_le_bytes()) {
        "a fatbin"
    } else if has(image, b".version") && has(image, b".target") {
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
            ..ImageHeader::default()
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

    #[test]
    fn cuda_c_needs_no_header_and_a_file_keeps_its_name() {
        let source = "__global__ void k() {}\n";
        let (options, text) = parse(source.as_bytes()).unwrap();
        assert_eq!((options.file.as_str(), text), ("module.cu", source));
        let named = of_file(Path::new("dir/k.cu"), source.into());
        let (options, text) = parse(&named).unwrap();
        assert_eq!((options.file.as_str(), text), ("dir/k.cu", source));
        assert_eq!(options.include_dirs, [Path::new("dir")]);
        assert_eq!(of_file(Path::new("k.ptx"), b".version 7.0".into()), b".version 7.0");
    }

    #[test]
    fn included_texts_come_along() {
        let headers = [("own/two.h".to_string(), "#define TWO 2".to_string())];
        let header = ImageHeader { headers: headers.into(), ..ImageHeader::default() };
        let source = "#include <own/two.h>\n__global__ void k(int *x) { *x = TWO; }";
        let text = image(&header, source);
        let (options, source) = parse(text.as_bytes()).unwrap();
        simt::Program::compile(source, &options).unwrap();
    }
}
