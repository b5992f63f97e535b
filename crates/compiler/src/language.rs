//! What a source is written in, and how it is compiled.

use std::path::PathBuf;

use crate::files::Files;

/// Language of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// CUDA C++ as kernels use it.
    #[default]
    CudaC,
    /// OpenCL C.
    OpenClC,
}

/// Version of OpenCL C (`-cl-std=`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OpenClVersion {
    /// 1.2, and what is older.
    #[default]
    V12,
    /// 2.0: pointers without a word may point anywhere.
    V20,
    /// 3.0 with the optional features that [`Self::number`] 200 has.
    V30,
}

impl OpenClVersion {
    /// Of the text after `-cl-std=`; `None` for what is no version of OpenCL C.
    pub fn of_option(text: &str) -> Option<OpenClVersion> {
        Some(match text {
            "CL1.0" | "CL1.1" | "CL1.2" => OpenClVersion::V12,
            "CL2.0" => OpenClVersion::V20,
            "CL3.0" => OpenClVersion::V30,
            _ => return None,
        })
    }

    /// As in `__OPENCL_C_VERSION__`.
    pub fn number(self) -> u32 {
        match self {
            OpenClVersion::V12 => 120,
            OpenClVersion::V20 => 200,
            OpenClVersion::V30 => 300,
        }
    }
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
    /// Version of OpenCL C; OpenCL C only.
    pub opencl: OpenClVersion,
    /// Floating-point literals without a suffix are `float` (`-cl-single-precision-constant`);
    /// OpenCL C only.
    pub single_constants: bool,
}
