//! NVRTC's options, as far as they mean something where no machine code is made.

use emulation::image::ImageHeader;

/// What the options ask for. Those about architecture, code and messages mean nothing here.
///
/// # Errors
/// An option that would change the source and is not offered, or one without its value; a line that
/// says so.
pub(crate) fn header(options: &[&str]) -> Result<ImageHeader, String> {
    // As NVRTC does unless told otherwise.
    let mut header = ImageHeader { contract: true, ..ImageHeader::default() };
    let mut options = options.iter().map(|option| option.trim());
    while let Some(option) = options.next() {
        let (name, inline) = match option.split_once('=') {
            Some((name, value)) if !name.starts_with("-D") && !name.starts_with("-I") => {
                (name, Some(value))
            }
            _ => (option, None),
        };
        let mut value = || {
            let value = inline.or_else(|| options.next()).filter(|v| !v.is_empty());
            value.map(str::to_owned).ok_or_else(|| format!("nvrtc: `{name}` needs a value\n"))
        };
        match name {
            "-D" | "--define-macro" => header.defines.push(value()?),
            "-I" | "--include-path" => header.include_dirs.push(value()?.into()),
            "-fmad" | "--fmad" => header.contract = value()? == "true",
            "-use_fast_math" | "--use_fast_math" => header.contract = true,
            "-arch" | "--gpu-architecture" => drop(value()?),
            "-U" | "--undefine-macro" | "-include" | "--pre-include" => {
                return Err(format!("nvrtc: the emulated device does not offer `{name}`\n"));
            }
            _ if name.starts_with("-D") => header.defines.push(option[2..].trim().into()),
            _ if name.starts_with("-I") => header.include_dirs.push(option[2..].trim().into()),
            _ if name.starts_with("-U") => {
                return Err("nvrtc: the emulated device does not offer `-U`\n".into());
            }
            _ if name.starts_with('-') || name.is_empty() => {}
            _ => return Err(format!("nvrtc: `{option}` is not an option\n")),
        }
    }
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_in_all_their_forms() {
        let list = [
            "-DA",
            "-D B=2",
            "--define-macro=C=x==y",
            "-D",
            "E",
            "-Idir=1",
            "--include-path=other",
            "-arch",
            "sm_90",
            "--std=c++17",
            "-lineinfo",
            "--fmad=false",
            "",
        ];
        let header = header(&list).unwrap();
        assert_eq!(header.defines, ["A", "B=2", "C=x==y", "E"]);
        assert_eq!(header.include_dirs, ["dir=1", "other"].map(std::path::PathBuf::from));
        assert!(!header.contract);
    }

    #[test]
    fn what_would_change_the_source_is_refused() {
        for (list, word) in [
            (&["-Ux"][..], "`-U`"),
            (&["--pre-include=a.h"], "`--pre-include`"),
            (&["file.cu"], "`file.cu`"),
            (&["-I"], "`-I` needs a value"),
        ] {
            let line = header(list).unwrap_err();
            assert!(line.contains(word), "{line}");
        }
    }
}
