//! `printf`: the format is checked against the arguments here, where the mistake can be shown.

use crate::ast::IntKind;
use crate::diag::{About, Diagnostic, Severity};
use crate::hir::{Builtin, ExprKind};
use crate::sema::types::{Type, int_shape};
use crate::sema::{Sema, SemaResult, TypedExpr, fail};
use crate::source::Span;

/// One conversion of a format.
#[derive(Debug, PartialEq)]
struct Directive {
    /// Number of `*` before it.
    stars: usize,
    /// `hh`, `h`, `l`, `ll`, `z`, ...
    length: String,
    kind: char,
    text: String,
}

impl Sema<'_> {
    pub(in crate::sema) fn printf(
        &mut self,
        mut args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        if args.is_empty() {
            return fail(span, "`printf` needs a format");
        }
        let format = self.load_value(args.remove(0))?;
        let at = format.e.span;
        let ExprKind::Str(text) = &format.e.kind else {
            return Err(Box::new(
                Diagnostic::error(at, "the format of `printf` must be a string literal").help(
                    "write `printf(\"%s\\n\", text)` to print a text that is known only at run \
                     time",
                ),
            ));
        };
        let directives = parse(text, at)?;
        let mut list = vec![format.e.clone()];
        let mut values = Vec::new();
        for a in args {
            let v = self.load_value(a)?;
            let t = match &v.q.ty {
                Type::F16 | Type::F32 => Type::F64,
                t if t.is_integral() => self.promoted(t),
                Type::Struct(_) => {
                    let shown = self.show(&v.q);
                    return Err(Box::new(
                        Diagnostic::error(v.e.span, format!("`printf` cannot print a `{shown}`"))
                            .help("print its members one by one"),
                    ));
                }
                t => t.clone(),
            };
            let shown = self.show(&v.q);
            let e = self.cast(v.e, &t);
            values.push((t, shown, e.span));
            list.push(e);
        }
        let want: usize = directives.iter().map(|d| d.stars + 1).sum();
        if want != values.len() {
            let noun = if want == 1 { "value" } else { "values" };
            let d = Diagnostic::error(
                span,
                format!(
                    "the format asks for {want} {noun}, but {} {} given",
                    values.len(),
                    if values.len() == 1 { "is" } else { "are" }
                ),
            );
            let d = match values.get(want) {
                Some(v) => Diagnostic { span: v.2, ..d }.label("nothing in the format prints this"),
                None => Diagnostic { span: at, ..d }.label("this format"),
            };
            return Err(Box::new(d));
        }
        let mut next = values.iter();
        // Where the argument of a directive stands in `list`.
        let mut place = 0;
        for d in &directives {
            place += d.stars + 1;
            for _ in 0..d.stars {
                if let Some((t, shown, s)) = next.next()
                    && !matches!(t, Type::Int(k) if int_shape(*k).0 == 32)
                {
                    return fail(*s, format!("`*` in a format needs an `int`, this is `{shown}`"));
                }
            }
            let Some((t, shown, s)) = next.next() else { continue };
            let (fits, wanted) = fits(d, t);
            if !fits {
                let mut e = Diagnostic::error(
                    *s,
                    format!("`{}` prints {wanted}, but this is `{shown}`", d.text),
                )
                .about(About::Format)
                .label(format!("of type `{shown}`"))
                .related(at, "the format");
                if let Some(better) = better(t) {
                    e = e.help(format!("write `{better}`"));
                }
                // C warns of an integer of another size; its lower bits are printed.
                if self.is_c() && t.is_integral() && "diuxXo".contains(d.kind) {
                    e.severity = Severity::Warning;
                    self.report(e);
                    let long = bits(d) == 64;
                    let like = if long { Type::LONG } else { Type::INT };
                    list[place] = self.cast(list[place].clone(), &like);
                    continue;
                }
                return Err(Box::new(e));
            }
        }
        Ok(self.value(ExprKind::Builtin(Builtin::Printf, list), Type::INT.q(), span))
    }
}

/// Bits of the integers that the directive prints.
fn bits(d: &Directive) -> u8 {
    match &*d.length {
        "ll" | "l" | "j" | "z" | "t" => 64,
        _ => 32,
    }
}

/// The directive prints a value of type `t`; and what it does print.
fn fits(d: &Directive, t: &Type) -> (bool, &'static str) {
    match d.kind {
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' => {
            let bits = bits(d);
            let name = match (bits, d.kind) {
                (64, 'd' | 'i') => "a 64-bit integer",
                (64, _) => "an unsigned 64-bit integer",
                (_, 'd' | 'i') => "an `int`",
                _ => "an `unsigned int`",
            };
            (matches!(t, Type::Int(k) if int_shape(*k).0 == bits), name)
        }
        'c' => (matches!(t, Type::Int(k) if int_shape(*k).0 == 32), "a character"),
        'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => {
            (matches!(t, Type::F64), "a floating-point number")
        }
        's' => (
            matches!(t, Type::Ptr(to) if matches!(to.ty, Type::Int(k) if int_shape(k).0 == 8)),
            "a string",
        ),
        _ => (t.is_pointer(), "a pointer"),
    }
}

fn better(t: &Type) -> Option<&'static str> {
    Some(match t {
        Type::F64 => "%f",
        Type::Int(IntKind::Long) => "%ld",
        Type::Int(IntKind::ULong) => "%lu",
        Type::Int(k) => match int_shape(*k) {
            (64, true) => "%lld",
            (64, false) => "%llu",
            (_, true) => "%d",
            _ => "%u",
        },
        t if t.is_pointer() => "%p",
        _ => return None,
    })
}

/// The conversions of the format at `span`.
fn parse(text: &str, span: Span) -> SemaResult<Vec<Directive>> {
    let mut out = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            continue;
        }
        let mut d = Directive { stars: 0, length: String::new(), kind: ' ', text: "%".into() };
        loop {
            let Some(c) = chars.next() else {
                return wrong(span, "the format ends in the middle of a `%`");
            };
            d.text.push(c);
            match c {
                '%' if d.text == "%%" => break,
                '-' | '+' | ' ' | '#' | '0'..='9' | '.' if d.length.is_empty() => {}
                '*' if d.length.is_empty() => d.stars += 1,
                'h' | 'l' | 'z' | 'j' | 't' => d.length.push(c),
                'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'c' | 'f' | 'F' | 'e' | 'E' | 'g' | 'G'
                | 'a' | 'A' | 's' | 'p' => {
                    d.kind = c;
                    break;
                }
                'n' => {
                    let text = "`%n` is not supported on the device";
                    return Err(Box::new(Diagnostic::unsupported(span, text)));
                }
                _ => {
                    let text = &d.text;
                    return wrong(
                        span,
                        format!("`{text}` is not a format; a percent sign is written `%%`"),
                    );
                }
            }
        }
        if d.kind != ' ' {
            if !matches!(&*d.length, "" | "h" | "hh" | "l" | "ll" | "z" | "j" | "t") {
                return wrong(span, format!("`{}` is not a format", d.text));
            }
            out.push(d);
        }
    }
    Ok(out)
}

fn wrong<V>(span: Span, text: impl Into<String>) -> SemaResult<V> {
    Err(Box::new(Diagnostic::error(span, text).about(About::Format)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_taken_apart() {
        let d = parse("%3u %-8.3f %% %lld %*d", Span::default()).unwrap();
        let kinds: Vec<(usize, &str, char)> =
            d.iter().map(|d| (d.stars, &*d.length, d.kind)).collect();
        assert_eq!(kinds, [(0, "", 'u'), (0, "", 'f'), (0, "ll", 'd'), (1, "", 'd')]);
        assert!(parse("100%", Span::default()).is_err());
        assert!(parse("%y", Span::default()).is_err());
    }
}
