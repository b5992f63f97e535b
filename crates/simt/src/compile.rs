//! From text to the typed tree.

use std::path::PathBuf;

use crate::diag::{CompileError, Diagnostic};
use crate::hir;
use crate::source::{SourceMap, Span};

/// How to compile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileOptions {
    /// Name shown in messages.
    pub file: String,
    /// `NAME` or `NAME=VALUE`, as after `-D`.
    pub defines: Vec<String>,
    /// Where `#include "x"` is looked for; nothing outside them is read.
    pub include_dirs: Vec<PathBuf>,
    /// Fuse `a*b+c` as NVRTC does; default false.
    pub contract: bool,
}

/// Compiles text to the typed tree.
///
/// # Errors
/// All errors found in the text.
pub fn front_end(
    text: &str,
    options: &CompileOptions,
) -> Result<(hir::Module, Vec<Diagnostic>), CompileError> {
    let mut sources = SourceMap::default();
    let file = sources.add(&options.file, text);
    let span = Span { file, lo: 0, hi: 1 };
    let diagnostics = vec![Diagnostic::error(span, "the front end is not there yet")];
    Err(CompileError { diagnostics, sources })
}
