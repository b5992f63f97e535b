//! The front end as one call: text in, typed tree out.

use std::path::PathBuf;

use crate::diag::{CompileError, Diagnostic, Severity};
use crate::hir;
use crate::lex::{Tok, Token};
use crate::pp::Preprocessed;

pub use crate::sema::debug::expression_in_scope;

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
    /// Fuse `a*b+c` into one operation as NVRTC does; off by default, so that results equal those of plain IEEE
    /// arithmetic.
    pub contract: bool,
    /// Floating-point literals without a suffix are `float` (`-cl-single-precision-constant`); OpenCL C only.
    pub single_constants: bool,
}

/// Stack of the thread that compiles: recursion follows the nesting of the source, which is bounded.
const STACK: usize = 256 << 20;

/// Compiles a source to the typed tree, and returns it with the warnings.
///
/// # Errors
/// At least one diagnostic of severity error; up to twenty are collected in one go.
pub fn front_end(
    text: &str,
    options: &CompileOptions,
) -> Result<(hir::Module, Vec<Diagnostic>), CompileError> {
    on_big_stack(|| {
        let mut pre = crate::pp::run(text, options);
        if options.language == Language::OpenClC {
            crate::opencl::words::prepare(&mut pre, options.single_constants);
        }
        let parsing = crate::parse::Dialect { language: options.language, own: &pre.own };
        let (decls, mut diags) = crate::parse::parse(pre.tokens, parsing);
        let mut all = pre.diags;
        all.append(&mut diags);
        let broken = all.iter().any(|d| d.severity == Severity::Error);
        let (module, mut more) =
            crate::sema::analyse(&decls, pre.sources, &pre.own, broken, options.language);
        all.append(&mut more);
        if options.language == Language::OpenClC {
            crate::opencl::words::translate(&mut all);
        }
        finish(module, all)
    })
}

fn finish(
    module: hir::Module,
    mut diags: Vec<Diagnostic>,
) -> Result<(hir::Module, Vec<Diagnostic>), CompileError> {
    diags.sort_by_key(|d| d.span);
    diags.dedup_by(|a, b| a.span == b.span && a.message == b.message);
    if diags.iter().any(|d| d.severity == Severity::Error) {
        diags.truncate(crate::parse::MAX_ERRORS);
        return Err(CompileError { diagnostics: diags, sources: module.sources });
    }
    Ok((module, diags))
}

/// Runs `f` on a thread with a stack that suffices for the deepest source that is accepted.
pub(crate) fn on_big_stack<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, f);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(e) => panic!("no thread for the compiler: {e}"),
        }
    })
}

/// The program after macros, conditions and includes, one source line per line.
///
/// # Errors
/// As [`front_end`], from the preprocessor only.
pub fn preprocess(text: &str, options: &CompileOptions) -> Result<String, CompileError> {
    let pre = preprocessed(text, options)?;
    let mut out = String::new();
    for t in pre.tokens.iter().filter(|t| t.kind != Tok::Eof) {
        if t.first {
            if !out.is_empty() {
                out.push('\n');
            }
            let indent = pre.sources.locate(t.span).col.saturating_sub(1);
            out.extend(std::iter::repeat_n(' ', indent as usize));
        } else if t.space {
            out.push(' ');
        }
        out += &t.text();
    }
    out.push('\n');
    Ok(out)
}

/// The tokens of the preprocessed program, one per line: `file:line:column kind text`.
///
/// # Errors
/// As [`preprocess`].
pub fn tokens(text: &str, options: &CompileOptions) -> Result<Vec<String>, CompileError> {
    let pre = preprocessed(text, options)?;
    let line = |t: &Token| {
        let kind = match t.kind {
            Tok::Ident(_) => "word",
            Tok::Number(_) => "number",
            Tok::Str(_) => "string",
            Tok::Char(_) => "character",
            Tok::Punct(_) => "operator",
            Tok::Unroll => "pragma",
            Tok::Bad(_) | Tok::Eof => "end",
        };
        format!("{} {kind} {}", pre.sources.locate(t.span), t.text()).trim_end().to_string()
    };
    Ok(pre.tokens.iter().map(line).collect())
}

fn preprocessed(text: &str, options: &CompileOptions) -> Result<Preprocessed, CompileError> {
    let pre = crate::pp::run(text, options);
    if pre.diags.iter().any(|d| d.severity == Severity::Error) {
        return Err(CompileError { diagnostics: pre.diags, sources: pre.sources });
    }
    Ok(pre)
}
