//! What a source is written in, and how it is compiled.

use std::path::PathBuf;

use crate::files::Files;

/// Language of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// CUDA C++ as kernels use it.
    #[default]
    CudaC,
    /// OpenCL C 1.2.
    OpenClC,
}

impl Language {
    /// By the end of a file's name: `.cl` is OpenCL C, everything else CUDA C.
    pub fn of_file(name: &str) -> Language {
        if name.to_ascii_lowercase().ends_with(".cl") { Language::OpenClC } else { Language::CudaC }
    }
}

/// How a source is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileOptions {
    /// Name shown in messages.
    pub file: String,
    /// What it is written in.
    pub language: Language,
    /// `NAME` or `NAME=VALUE`, as after `-D`.
    pub defines: Vec<String>,
    /// Folders in which `#include "x"` is looked for; nothing outside them is read.
    pub include_dirs: Vec<PathBuf>,
    /// Where those folders are.
    pub files: Files,
    /// Fuse `a*b+c` into one operation as NVRTC does; off by default, so that results equal those
    /// of plain IEEE arithmetic.
    pub contract: bool,
    /// Floating-point literals without a suffix are `float` (`-cl-single-precision-constant`);
    /// OpenCL C only.
    pub single_constants: bool,
}
