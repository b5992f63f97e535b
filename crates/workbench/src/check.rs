//! What the compiler says of a program.

use serde_json::{Value, json};
use simt::diag::{Diagnostic, Severity};
use simt::source::{SourceMap, Span};
use simt::stages::signature;
use simt::{KernelInfo, hir};

use crate::source::Source;

/// `{"diagnostics": [..], "kernels": [..]}`; without kernels if the program is refused.
pub fn check(program: &Source) -> Value {
    match program.compile() {
        Ok(done) => json!({
            "diagnostics": diagnostics(done.warnings(), done.sources()),
            "kernels": done.kernels().iter().map(kernel).collect::<Vec<_>>(),
        }),
        Err(refused) => json!({
            "diagnostics": diagnostics(&refused.diagnostics, &refused.sources),
            "text": refused.to_string(),
        }),
    }
}

/// Messages with their places and with their whole text.
pub fn diagnostics(list: &[Diagnostic], sources: &SourceMap) -> Vec<Value> {
    let one = |d: &Diagnostic| {
        json!({
            "severity": if d.severity == Severity::Error { "error" } else { "warning" },
            "message": d.message,
            "label": d.label,
            "help": d.help,
            "at": place(sources, d.span),
            "related": d.related.iter().map(|(span, text)| {
                json!({ "at": place(sources, *span), "text": text })
            }).collect::<Vec<_>>(),
        })
    };
    list.iter().map(one).collect()
}

/// File, line, column (both from 1, in characters) and width on that line.
pub fn place(sources: &SourceMap, span: Span) -> Value {
    let at = sources.locate(span);
    let text = sources
        .files()
        .get(span.file.0 as usize)
        .and_then(|f| f.text.get(span.lo as usize..span.hi as usize));
    let first = text.unwrap_or_default().lines().next().unwrap_or_default();
    json!({
        "file": at.file,
        "line": at.line,
        "col": at.col,
        "width": first.chars().count().max(1),
    })
}

/// A kernel, with what its arguments can be.
fn kernel(kernel: &KernelInfo) -> Value {
    let mut outputs = 0;
    let params = kernel.params.iter().map(|p| {
        let example = match &p.pointee {
            Some((to, _)) if p.space == hir::Space::Shared => format!("local:{to}:256"),
            Some((to, _)) => {
                outputs += 1;
                if outputs == 1 { format!("out:{to}:1024") } else { format!("rand:{to}:1024") }
            }
            None => "1024".into(),
        };
        json!({ "name": p.name, "type": p.type_name, "example": example })
    });
    let params: Vec<Value> = params.collect();
    json!({
        "name": kernel.name,
        "signature": signature(kernel),
        "params": params,
        "registers": kernel.registers,
        "shared": kernel.static_shared,
        "local": kernel.local_bytes,
        "line": kernel.at.line,
    })
}
