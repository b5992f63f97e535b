//! Expansion of macros: arguments first, then the body, rescanned with the macro's own name
//! switched off.

use std::collections::HashMap;
use std::rc::Rc;

use super::{MAX_DEPTH, MAX_FILE, MAX_PASTED, Macro, Pp};
use crate::lex::{Tok, Token, lex};
use crate::source::Span;

/// What waits to be scanned: tokens, and the marks where a macro's own name is switched on again.
enum Item {
    Tok(Token),
    End(Rc<str>),
}

impl Pp<'_> {
    /// Expands all macros in `tokens`.
    pub(super) fn expand(&mut self, tokens: Vec<Token>, depth: usize) -> Vec<Token> {
        let mut todo: Vec<Item> = tokens.into_iter().rev().map(Item::Tok).collect();
        let mut off: HashMap<Rc<str>, usize> = HashMap::new();
        let mut out = Vec::new();
        while let Some(item) = todo.pop() {
            let mut t = match item {
                Item::Tok(t) => t,
                Item::End(name) => {
                    if let Some(n) = off.get_mut(&name) {
                        *n -= 1;
                    }
                    continue;
                }
            };
            self.budget = self.budget.saturating_sub(1);
            if self.budget == 0 {
                self.too_much(t.span);
                return out;
            }
            let Tok::Ident(name) = t.kind.clone() else {
                out.push(t);
                continue;
            };
            if t.painted {
                out.push(t);
                continue;
            }
            match &*name {
                "__LINE__" => {
                    let line = self.sources.locate(t.span).line;
                    t.kind = Tok::Number(line.to_string().into());
                    out.push(t);
                    continue;
                }
                "__FILE__" => {
                    let file = self.sources.locate(t.span).file;
                    t.kind = Tok::Str(format!("\"{}\"", file.replace('\\', "/")).into());
                    out.push(t);
                    continue;
                }
                _ => {}
            }
            let known = if name.len() <= self.longest { self.macros.get(&name) } else { None };
            let Some(mac) = known.cloned() else {
                out.push(t);
                continue;
            };
            if off.get(&name).copied().unwrap_or(0) > 0 {
                t.painted = true;
                out.push(t);
                continue;
            }
            let mut use_span = t.span;
            let body = match &mac.params {
                None => self.substitute(&mac, &[], use_span, depth),
                Some(params) => {
                    let open = todo.iter().rev().find_map(|i| match i {
                        Item::Tok(t) => Some(t.is("(")),
                        Item::End(_) => None,
                    });
                    if open != Some(true) {
                        out.push(t);
                        continue;
                    }
                    let Some((args, end)) =
                        self.arguments(&mut todo, &mut off, params.len(), mac.variadic)
                    else {
                        self.error(
                            t.span,
                            format!("the arguments of the macro `{name}` have no closing `)`"),
                        );
                        continue;
                    };
                    use_span = use_span.to(end);
                    let given = if args.len() == 1 && args[0].is_empty() && params.is_empty() {
                        0
                    } else {
                        args.len()
                    };
                    let fits = if mac.variadic {
                        given + 1 >= params.len()
                    } else {
                        given == params.len()
                    };
                    if !fits {
                        self.error(
                            use_span,
                            format!(
                                "the macro `{name}` takes {} argument(s), but {given} were given",
                                params.len()
                            ),
                        );
                        continue;
                    }
                    self.substitute(&mac, &args, use_span, depth)
                }
            };
            *off.entry(name.clone()).or_insert(0) += 1;
            todo.push(Item::End(name));
            self.budget = self.budget.saturating_sub(body.len());
            let mut body = body;
            if let Some(head) = body.first_mut() {
                head.space = t.space;
                head.first = t.first;
            }
            todo.extend(body.into_iter().rev().map(Item::Tok));
        }
        out
    }

    /// Takes `( a, b, ... )` off the front; the last argument of a variadic macro swallows commas.
    fn arguments(
        &mut self,
        todo: &mut Vec<Item>,
        off: &mut HashMap<Rc<str>, usize>,
        params: usize,
        variadic: bool,
    ) -> Option<(Vec<Vec<Token>>, Span)> {
        let mut args = vec![Vec::new()];
        let mut level = 0usize;
        while let Some(item) = todo.pop() {
            let t = match item {
                Item::Tok(t) => t,
                Item::End(name) => {
                    if let Some(n) = off.get_mut(&name) {
                        *n -= 1;
                    }
                    continue;
                }
            };
            self.budget = self.budget.saturating_sub(1);
            match t.kind {
                Tok::Punct("(") => {
                    level += 1;
                    if level == 1 {
                        continue;
                    }
                }
                Tok::Punct(")") => {
                    level -= 1;
                    if level == 0 {
                        return Some((args, t.span));
                    }
                }
                Tok::Punct(",") if level == 1 && !(variadic && args.len() >= params) => {
                    args.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(arg) = args.last_mut() {
                arg.push(t);
            }
        }
        None
    }

    /// The body of `mac` with its parameters replaced.
    fn substitute(
        &mut self,
        mac: &Macro,
        args: &[Vec<Token>],
        use_span: Span,
        depth: usize,
    ) -> Vec<Token> {
        let names = mac.params.as_deref().unwrap_or(&[]);
        let index = |t: &Token| match &t.kind {
            Tok::Ident(s) => names.iter().position(|p| {
                p == s || (mac.variadic && **s == *"__VA_ARGS__" && p == &names[names.len() - 1])
            }),
            _ => None,
        };
        let empty = Vec::new();
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; names.len()];
        let mut out: Vec<Token> = Vec::with_capacity(mac.body.len());
        let mut i = 0;
        while i < mac.body.len() {
            let t = &mac.body[i];
            if t.is("#")
                && !names.is_empty()
                && let Some(k) = mac.body.get(i + 1).and_then(index)
            {
                let mut text = stringify(args.get(k).unwrap_or(&empty));
                self.budget = self.budget.saturating_sub(text.len());
                if text.len() > MAX_FILE as usize / 64 {
                    // Quotes within quotes double with every level.
                    self.error(use_span, "`#` makes a string that is far too long");
                    text = "\"\"".into();
                }
                out.push(Token {
                    kind: Tok::Str(text),
                    span: use_span,
                    space: t.space,
                    first: false,
                    painted: false,
                });
                i += 2;
                continue;
            }
            if t.is("##") {
                i += 1;
                let Some(right) = mac.body.get(i) else { break };
                let rights = match index(right) {
                    Some(k) => args.get(k).cloned().unwrap_or_default(),
                    None => vec![Token { span: use_span, ..right.clone() }],
                };
                i += 1;
                let mut rights = rights.into_iter();
                let comma_swallow = mac.variadic
                    && out.last().is_some_and(|t| t.is(","))
                    && index(right) == Some(names.len() - 1);
                if comma_swallow {
                    if rights.len() == 0 {
                        out.pop();
                    }
                    out.extend(rights);
                    continue;
                }
                if let Some(right) = rights.next() {
                    match out.pop() {
                        Some(left) => match paste(&left, &right, use_span) {
                            Some(t) => out.push(t),
                            None => {
                                let (a, b) = (left.text(), right.text());
                                let message = if a.len() + b.len() > MAX_PASTED {
                                    format!("`##` makes a token of more than {MAX_PASTED} bytes")
                                } else {
                                    format!("`{a}` and `{b}` cannot be joined with `##`")
                                };
                                self.error(use_span, message);
                                out.push(left);
                                out.push(right);
                            }
                        },
                        None => out.push(right),
                    }
                }
                out.extend(rights);
                continue;
            }
            if let Some(k) = index(t) {
                let raw = args.get(k).unwrap_or(&empty);
                let pasted = mac.body.get(i + 1).is_some_and(|n| n.is("##"));
                let mut arg = if pasted {
                    raw.clone()
                } else {
                    if expanded[k].is_none() {
                        let done = if depth >= MAX_DEPTH {
                            self.error(
                                use_span,
                                format!("macro arguments are nested more than {MAX_DEPTH} deep"),
                            );
                            raw.clone()
                        } else {
                            self.expand(raw.clone(), depth + 1)
                        };
                        expanded[k] = Some(done);
                    }
                    expanded[k].clone().unwrap_or_default()
                };
                if let Some(head) = arg.first_mut() {
                    head.space = t.space;
                }
                self.budget = self.budget.saturating_sub(arg.len());
                if self.budget == 0 {
                    return out;
                }
                if arg.is_empty() && pasted {
                    // An empty left side: `##` then just yields the right side.
                    i += 1;
                    if let Some(right) = mac.body.get(i + 1) {
                        match index(right) {
                            Some(k) => out.extend(args.get(k).cloned().unwrap_or_default()),
                            None => out.push(Token { span: use_span, ..right.clone() }),
                        }
                        i += 2;
                    }
                    continue;
                }
                out.extend(arg);
                i += 1;
                continue;
            }
            out.push(Token { span: use_span, first: false, ..t.clone() });
            i += 1;
        }
        out
    }
}

fn stringify(arg: &[Token]) -> Rc<str> {
    let mut text = String::from("\"");
    for (i, t) in arg.iter().enumerate() {
        if i > 0 && (t.space || t.first) {
            text.push(' ');
        }
        let spelling = t.text();
        if matches!(t.kind, Tok::Str(_) | Tok::Char(_)) {
            text += &spelling.replace('\\', "\\\\").replace('"', "\\\"");
        } else {
            text += &spelling;
        }
    }
    text.push('"');
    text.into()
}

fn paste(left: &Token, right: &Token, span: Span) -> Option<Token> {
    let text = left.text() + &right.text();
    if text.len() > MAX_PASTED {
        return None;
    }
    let mut diags = Vec::new();
    let mut tokens = lex(&text, span.file, &mut diags);
    if tokens.len() != 2 || !diags.is_empty() {
        return None;
    }
    let kind = tokens.swap_remove(0).kind;
    Some(Token { kind, span, space: left.space, first: left.first, painted: false })
}
