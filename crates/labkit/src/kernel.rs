//! Kernel files: where they are found, and what is compiled.

use std::path::{Path, PathBuf};

use crate::LabError;

/// A kernel file named by [`kernel_file!`](crate::kernel_file).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelFile {
    name: &'static str,
    /// Folder of the crate that names the file.
    crate_dir: &'static str,
    solutions: bool,
}

/// A kernel file of the lab: `kernel_file!("e1_1_03.cu")`.
///
/// It is looked for when it is loaded, so an edited kernel needs no rebuild: in the folders that
/// `LAB_KERNELS` names (a list as in `PATH`), then in the lab's `kernels` (with cargo feature
/// `solutions` in `solutions/LAB/kernels` before that), then in the same folders below the current
/// directory, for programs that were carried to another machine.
#[macro_export]
macro_rules! kernel_file {
    ($name:expr) => {
        $crate::KernelFile::new($name, env!("CARGO_MANIFEST_DIR"), {
            #[allow(unexpected_cfgs)] // not every crate that loads kernels has solutions
            const SOLUTIONS: bool = cfg!(feature = "solutions");
            SOLUTIONS
        })
    };
}

impl KernelFile {
    /// What [`kernel_file!`](crate::kernel_file) makes: the file's name, the folder of the crate,
    /// and whether its solutions are asked for.
    pub const fn new(name: &'static str, crate_dir: &'static str, solutions: bool) -> KernelFile {
        KernelFile { name, crate_dir, solutions }
    }

    /// The name as it was given.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Folders in which the file is looked for, in this order.
    fn folders(&self) -> Vec<PathBuf> {
        let mut list: Vec<PathBuf> = std::env::var_os("LAB_KERNELS")
            .map(|names| std::env::split_paths(&names).filter(|p| p.as_os_str() != "").collect())
            .unwrap_or_default();
        let crate_dir = Path::new(self.crate_dir);
        let lab = crate_dir.file_name().unwrap_or_default();
        let mut add = |root: &Path| {
            if self.solutions {
                list.push(root.join("solutions").join(lab).join("kernels"));
            }
            list.push(root.join(lab).join("kernels"));
        };
        if let Some(root) = crate_dir.parent() {
            add(root);
        }
        if let Ok(here) = std::env::current_dir() {
            add(&here);
            list.push(here.join("kernels"));
        }
        list
    }

    /// Where the file is now.
    ///
    /// # Errors
    /// It is in none of the folders; the error names them.
    pub fn path(&self) -> Result<PathBuf, LabError> {
        self.find().map(|(path, _)| path)
    }

    fn find(&self) -> Result<(PathBuf, Vec<PathBuf>), LabError> {
        let folders = self.folders();
        let found = folders.iter().map(|folder| folder.join(self.name)).find(|p| p.is_file());
        match found {
            Some(path) => Ok((path, folders)),
            None => {
                let mut looked: Vec<String> =
                    folders.iter().map(|f| f.display().to_string()).collect();
                looked.dedup();
                Err(LabError::File {
                    path: self.name.into(),
                    what: format!("no such kernel file in {}", looked.join(", ")),
                    expected: String::new(),
                    found: String::new(),
                })
            }
        }
    }
}

/// CUDA C or OpenCL C source to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Name in messages.
    pub name: String,
    /// The text.
    pub text: String,
    /// Folders in which `#include "..."` looks.
    pub include_dirs: Vec<PathBuf>,
}

impl Source {
    /// The text and the build options for a program of ocl: `#line` in front, so that every OpenCL
    /// compiler names the file in its messages, and `-I` for the folders of headers.
    ///
    /// ```no_run
    /// # fn f() -> Result<(), labkit::LabError> {
    /// let source: labkit::Source = labkit::kernel_file!("add.cl").try_into()?;
    /// let (text, options) = source.opencl();
    /// // ocl::Program::builder().src(text).cmplr_opt(options).cmplr_opt("-D ELEM=int")
    /// # Ok(()) }
    /// ```
    pub fn opencl(&self) -> (String, String) {
        let options: Vec<String> =
            self.include_dirs.iter().map(|dir| format!("-I {}", dir.display())).collect();
        (format!("#line 1 \"{}\"\n{}", self.name, self.text), options.join(" "))
    }
}

impl TryFrom<KernelFile> for Source {
    type Error = LabError;

    /// Reads the file; headers are looked for beside it, then in the folders where it was looked
    /// for.
    fn try_from(file: KernelFile) -> Result<Source, LabError> {
        let (path, folders) = file.find()?;
        let text = read(&path)?;
        let beside = path.parent().map(Path::to_path_buf);
        let mut include_dirs: Vec<PathBuf> = beside.into_iter().collect();
        for folder in folders {
            if folder.is_dir() && !include_dirs.contains(&folder) {
                include_dirs.push(folder);
            }
        }
        Ok(Source { name: format!("kernels/{}", file.name), text, include_dirs })
    }
}

impl TryFrom<&Path> for Source {
    type Error = LabError;

    /// Reads the file; headers are looked for beside it.
    fn try_from(path: &Path) -> Result<Source, LabError> {
        let include_dirs = path.parent().map(Path::to_path_buf).into_iter().collect();
        Ok(Source { name: path.display().to_string(), text: read(path)?, include_dirs })
    }
}

impl TryFrom<&str> for Source {
    type Error = LabError;

    /// The text itself, without headers; or the path of a file, if it is one line that ends in
    /// `.cu` or `.cl`.
    fn try_from(text: &str) -> Result<Source, LabError> {
        if [".cu", ".cl"].iter().any(|end| text.ends_with(end)) && !text.contains('\n') {
            return Path::new(text).try_into();
        }
        Ok(Source { name: "kernel.cu".into(), text: text.into(), include_dirs: Vec::new() })
    }
}

fn read(path: &Path) -> Result<String, LabError> {
    std::fs::read_to_string(path).map_err(|error| LabError::File {
        path: path.into(),
        what: error.to_string(),
        expected: String::new(),
        found: String::new(),
    })
}

/// Options as on the command line of a compiler, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub defines: Vec<String>,
    pub include_dirs: Vec<PathBuf>,
    pub contract: bool,
    /// Those that only NVRTC looks at.
    pub others: Vec<String>,
}

impl Options {
    /// # Errors
    /// An option that neither compiler knows.
    pub fn parse(list: &[&str]) -> Result<Options, LabError> {
        let mut options = Options::default();
        let mut rest = list.iter().copied();
        while let Some(option) = rest.next() {
            if option == "-D" || option == "-I" {
                let Some(next) = rest.next() else {
                    return Err(LabError::msg(format!(
                        "compiler option {option}: a value is missing"
                    )));
                };
                if option == "-D" {
                    options.defines.push(next.into());
                } else {
                    options.include_dirs.push(next.into());
                }
            } else if let Some(define) = option.strip_prefix("-D") {
                options.defines.push(define.into());
            } else if let Some(dir) = option.strip_prefix("-I") {
                options.include_dirs.push(dir.into());
            } else {
                match option.trim_start_matches('-') {
                    "fmad=true" => options.contract = true,
                    "fmad=false" => options.contract = false,
                    "use_fast_math" => {
                        options.contract = true;
                        options.others.push(option.into());
                    }
                    name if ["lineinfo", "generate-line-info", "G", "device-debug"]
                        .contains(&name)
                        || name.starts_with("std=")
                        || name.starts_with("maxrregcount=") =>
                    {
                        options.others.push(option.into());
                    }
                    _ => {
                        return Err(LabError::msg(format!(
                            "compiler option `{option}` is not known: use -DNAME=VALUE, -IDIR, \
                             -fmad=true|false, -lineinfo, -G, -std=..., -maxrregcount=..., \
                             --use_fast_math"
                        )));
                    }
                }
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_taken_apart() {
        let o = Options::parse(&["-DELEM=int", "-D", "N=3", "-Iinc", "-fmad=true", "-lineinfo"])
            .unwrap();
        assert_eq!(o.defines, ["ELEM=int", "N=3"]);
        assert_eq!(o.include_dirs, [PathBuf::from("inc")]);
        assert!(o.contract);
        assert_eq!(o.others, ["-lineinfo"]);
        assert!(!Options::parse(&["--fmad=true", "--fmad=false"]).unwrap().contract);
        for wrong in [&["--frobnicate"][..], &["-D"], &["kernel.cu"]] {
            assert!(Options::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_source_for_opencl_says_its_name() {
        let include_dirs = vec!["a".into(), "b".into()];
        let source = Source { name: "kernels/k.cl".into(), text: "int x;\n".into(), include_dirs };
        let (text, options) = source.opencl();
        assert_eq!(text, "#line 1 \"kernels/k.cl\"\nint x;\n");
        assert_eq!(options, "-I a -I b");
    }

    #[test]
    fn a_missing_kernel_file_names_the_folders() {
        let file = crate::kernel_file!("no_such_kernel.cu");
        let text = file.path().unwrap_err().to_string();
        assert!(text.starts_with("no_such_kernel.cu: no such kernel file in "), "{text}");
        assert!(text.contains("kernels"), "{text}");
    }
}
