//! The module image of the emulated device: a line of options, then CUDA C. NVRTC's stand-in
//! writes it, the driver reads it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use simt::CompileOptions;
use simt::files::Files;

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
    /// Texts of included files by name; with these, nothing is read from folders.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Fuse `a * b + c`, as NVRTC does unless told otherwise.
    #[serde(default)]
    pub contract: bool,
}

impl ImageHeader {
    /// What the compiler is told.
    pub fn options(self) -> CompileOptions {
        let ImageHeader { file, defines, mut include_dirs, headers, contract } = self;
        let files = if headers.is_empty() {
            Files::Disk
        } else {
            include_dirs = vec![PathBuf::new()];
            Files::memory(headers.into_iter().map(|(name, text)| (name.into(), text)))
        };
        CompileOptions { file, defines, include_dirs, files, contract, ..Default::default() }
    }
}

/// An image for `cust::module::Module::from_ptx` on the emulated device.
pub fn image(header: &ImageHeader, source: &str) -> String {
    let header = serde_json::to_string(header).unwrap_or_default();
    format!("{IMAGE_MARK}{header}\n{source}")
}
