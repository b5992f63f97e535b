//! The program that a question is about.

use std::path::PathBuf;

use serde::Deserialize;
use simt::diag::CompileError;
use simt::files::Files;
use simt::{CompileOptions, Language};

/// A program's text and how it is compiled.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Name of the file; `.cl` is OpenCL C, everything else CUDA C.
    pub file: String,
    /// Its text.
    pub text: String,
    /// `NAME` or `NAME=VALUE`, as after `-D`.
    #[serde(default)]
    pub defines: Vec<String>,
    /// Fuse `a*b+c` into one rounding.
    #[serde(default)]
    pub fmad: bool,
    /// Files that it may include: name and text.
    #[serde(default)]
    pub files: Vec<(String, String)>,
}

impl Source {
    fn options(&self) -> CompileOptions {
        let file = |(name, text): &(String, String)| (PathBuf::from(name), text.clone());
        CompileOptions {
            language: Language::of_file(&self.file),
            file: self.file.clone(),
            defines: self.defines.clone(),
            include_dirs: vec![PathBuf::new()],
            files: Files::memory(self.files.iter().map(file)),
            contract: self.fmad,
            ..CompileOptions::default()
        }
    }

    /// Compiles it.
    ///
    /// # Errors
    /// The compiler's messages.
    pub fn compile(&self) -> Result<simt::Program, CompileError> {
        simt::Program::compile(&self.text, &self.options())
    }
}
