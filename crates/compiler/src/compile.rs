//! The front end as one call: text in, typed tree out.

use crate::diag::{About, CompileError, Diagnostic, MAX_ERRORS, Severity};
use crate::hir;
use crate::lex::{Tok, Token};
use crate::order;
use crate::pp::Preprocessed;
use crate::stack::on_big_stack;

pub use crate::language::{CompileOptions, Language, OpenClVersion};
pub use crate::sema::debug::expression_in_scope;

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
            crate::words::prepare(&mut pre, options);
        }
        let parsing = crate::parse::Dialect { language: options.language, own: &pre.own };
        let (decls, mut diags) = crate::parse::parse(pre.tokens, parsing);
        let mut all = pre.diags;
        all.append(&mut diags);
        let broken = all.iter().any(|d| d.severity == Severity::Error);
        let (module, mut more) =
            crate::sema::analyse(&decls, pre.sources, &pre.own, broken, options);
        all.append(&mut more);
        blame_headers(&mut all, &pre.skipped);
        point_to_the_page(&mut all);
        finish(module, all)
    })
}

/// What is refused on purpose is on a page of its own.
fn point_to_the_page(diags: &mut [Diagnostic]) {
    let unsupported = |d: &&mut Diagnostic| matches!(d.about, About::Unsupported | About::HostOnly);
    for d in diags.iter_mut().filter(unsupported) {
        let page = "all that is refused: docs/language/refused.md";
        d.help = Some(match d.help.take() {
            Some(help) => format!("{help}; {page}"),
            None => page.into(),
        });
    }
}

/// A name that nobody declared may come from a header that was not read.
fn blame_headers(diags: &mut [Diagnostic], skipped: &[String]) {
    if skipped.is_empty() {
        return;
    }
    let names: Vec<String> = skipped.iter().map(|h| format!("<{h}>")).collect();
    let unknown = |d: &&mut Diagnostic| matches!(d.about, About::UnknownName | About::UnknownType);
    for d in diags.iter_mut().filter(unknown) {
        let from = format!("perhaps from {}, which is not read", names.join(", "));
        d.help = Some(match d.help.take() {
            Some(help) => format!("{help}; {from}"),
            None => from,
        });
    }
}

fn finish(
    module: hir::Module,
    mut diags: Vec<Diagnostic>,
) -> Result<(hir::Module, Vec<Diagnostic>), CompileError> {
    order::sort_by(&mut diags, |a, b| a.span.cmp(&b.span));
    diags.dedup_by(|a, b| a.span == b.span && a.message == b.message);
    if diags.iter().any(|d| d.severity == Severity::Error) {
        // Warnings, such as those of many unknown headers, take no error's place.
        if diags.len() > MAX_ERRORS {
            diags.retain(|d| d.severity == Severity::Error);
        }
        diags.truncate(MAX_ERRORS);
        return Err(CompileError { diagnostics: diags, sources: module.sources });
    }
    Ok((module, diags))
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
