//! Compiler messages: what is wrong, where, and the source line, in the shape that users of `rustc`
//! know.

use std::fmt::Write;

use crate::source::{SourceMap, Span};

/// Errors after which no more are collected.
pub(crate) const MAX_ERRORS: usize = 20;

/// How bad a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The program is refused.
    Error,
    /// The program runs, but is probably not what was meant.
    Warning,
}

/// What a message is about, as far as something is decided by that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum About {
    /// Nothing that is asked for.
    #[default]
    Other,
    /// A name that nobody declared: perhaps of a header that is not read.
    UnknownName,
    /// The same, where a type must stand: perhaps of the host.
    UnknownType,
    /// A type that only the host has.
    HostType,
    /// A member that a class of the host may have, and that is not supported in device code.
    HostOnly,
    /// A class that is declared, but whose members are not.
    Incomplete,
    /// A format of `printf` that is wrong, or does not fit its value.
    Format,
    /// A construct that the compiler knows and does not support.
    Unsupported,
}

/// One message of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Text under the marker; may be empty.
    pub label: String,
    /// Further places with a text each, such as an earlier declaration.
    pub related: Vec<(Span, String)>,
    /// The way out, if one is known.
    pub help: Option<String>,
    /// What it is about.
    pub about: About,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            related: Vec::new(),
            help: None,
            about: About::Other,
        }
    }

    /// An error at `span` about a construct that the compiler knows and does not support.
    pub(crate) fn unsupported(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(span, message).about(About::Unsupported)
    }

    /// A warning at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// Says what the message is about.
    pub(crate) fn about(mut self, about: About) -> Diagnostic {
        self.about = about;
        self
    }

    /// Sets the text under the marker.
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.label = text.into();
        self
    }

    /// Sets the way out.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    /// Adds another place.
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.related.push((span, text.into()));
        self
    }

    /// The message with its source lines, several lines of text without colours, ending in a line
    /// feed.
    ///
    /// ```text
    /// error: `idx` is not declared
    ///  --> add.cu:4:7
    ///   |
    /// 4 |     c[idx] = a[i] + b[i];
    ///   |       ^^^ no such name here
    ///   = help: did you mean `i`?
    /// ```
    pub fn render(&self, sources: &SourceMap) -> String {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let mut out = format!("{word}: {}\n", self.message);
        render_snippet(&mut out, sources, self.span, &self.label, '^', "-->");
        for (span, text) in &self.related {
            render_snippet(&mut out, sources, *span, text, '-', ":::");
        }
        if let Some(help) = &self.help {
            let _ = writeln!(out, "  = help: {help}");
        }
        out
    }
}

/// Appends one `file:line:col` with its source line and a marker under `span`. Also used for
/// run-time faults.
pub fn render_snippet(
    out: &mut String,
    sources: &SourceMap,
    span: Span,
    label: &str,
    mark: char,
    arrow: &str,
) {
    let at = sources.locate(span);
    let _ = writeln!(out, " {arrow} {at}");
    let Some(file) = sources.files().get(span.file.0 as usize) else { return };
    let line = file.line_of(span.lo);
    let text = file.line_text(line).replace('\t', " ");
    let number = at.line.to_string();
    let gutter = " ".repeat(number.len());
    let before = " ".repeat(at.col as usize - 1);
    let one_line = file.line_of(span.hi.max(span.lo + 1) - 1) == line;
    let width = if one_line {
        file.text.get(span.lo as usize..span.hi as usize).map_or(1, |s| s.chars().count()).max(1)
    } else {
        text.chars().count().saturating_sub(at.col as usize - 1).max(1)
    };
    let marks: String = std::iter::repeat_n(mark, width).collect();
    let space = if label.is_empty() { "" } else { " " };
    let _ =
        writeln!(out, "{gutter} |\n{number} | {text}\n{gutter} | {before}{marks}{space}{label}");
}

/// Why a program was refused: at least one error, perhaps warnings, and the files to show them in.
#[derive(Clone, Debug)]
pub struct CompileError {
    /// Messages in source order.
    pub diagnostics: Vec<Diagnostic>,
    /// The files.
    pub sources: SourceMap,
}

impl std::fmt::Display for CompileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for d in &self.diagnostics {
            f.write_str(&d.render(&self.sources))?;
        }
        Ok(())
    }
}

impl std::error::Error for CompileError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shows_the_line_the_marker_and_the_way_out() {
        let mut sources = SourceMap::default();
        let file = sources.add("add.cu", "void f() {\n    c[idx] = 1;\n}\n");
        let d = Diagnostic::error(Span { file, lo: 17, hi: 20 }, "`idx` is not declared")
            .label("no such name here")
            .help("did you mean `i`?");
        let want = "error: `idx` is not declared\n --> add.cu:2:7\n  |\n\
                    2 |     c[idx] = 1;\n  |       ^^^ no such name here\n  = help: did you mean \
                    `i`?\n";
        assert_eq!(d.render(&sources), want);
    }
}
