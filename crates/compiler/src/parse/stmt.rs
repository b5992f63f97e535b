//! Statements.

use std::rc::Rc;

use super::{Kind, ParseResult, Parser};
use crate::ast::{
    Body, Cond, Decl, Expr, ExprKind, Init, IntKind, Name, Param, Specs, Stmt, StmtKind, Ty,
    TyKind, Unroll, Var,
};
use crate::diag::Diagnostic;
use crate::lex::Tok;
use crate::source::Span;

impl Parser<'_> {
    /// `{ ... }` of a function with its parameters in scope.
    pub(super) fn function_body(&mut self, params: &[Param]) -> ParseResult<Body> {
        self.push_scope();
        self.declare_params(params);
        let outer = std::mem::replace(&mut self.no_gt, false);
        // In a body `S(...)` makes an object, it declares no constructor.
        self.classes.push("".into());
        let result = self.block();
        self.classes.pop();
        self.no_gt = outer;
        self.pop_scope();
        result.map(Body::Block)
    }

    /// `_Pragma("unroll 4")`, as macros write a pragma; what it says of loops, if anything.
    pub(super) fn pragma_operator(&mut self) -> ParseResult<Unroll> {
        let span = self.bump().span;
        self.expect("(", "after `_Pragma`")?;
        let text = self.bump().text();
        self.expect(")", "after the text of `_Pragma`")?;
        let mut words = text.trim_matches('"').split_whitespace();
        let count = |n| Box::new(Expr { kind: ExprKind::Int(n, IntKind::Int), span });
        Ok(match words.next() {
            Some("unroll") => Some(words.next().and_then(|n| n.parse().ok()).map(count)),
            Some("nounroll") => Some(Some(count(1))),
            _ => None,
        })
    }

    /// `{ ... }`. Errors inside are reported here, so that one wrong statement hides no other.
    pub(super) fn block(&mut self) -> ParseResult<Vec<Stmt>> {
        let open = self.expect("{", "before a block")?;
        self.nested(|p| {
            p.push_scope();
            let mut out = Vec::new();
            while !p.is("}") && !p.at_end() {
                let before = p.pos;
                let depth = p.scopes.len();
                match p.fresh(Parser::statement) {
                    Ok(s) => out.push(s),
                    Err(d) => {
                        p.scopes.truncate(depth);
                        p.report(*d);
                        if p.pos == before {
                            p.bump();
                        }
                        p.sync();
                    }
                }
            }
            p.pop_scope();
            if p.at_end() {
                return Err(Box::new(
                    Diagnostic::error(open, "this `{` is never closed")
                        .label("opened here")
                        .help("add the missing `}`"),
                ));
            }
            p.bump();
            Ok(out)
        })
    }

    /// What `opencl_unroll_hint` asks for.
    fn unroll_hint(&self, specs: &Specs) -> ParseResult<Unroll> {
        let Some(hint) = specs.attributes.iter().find_map(|a| a.strip_prefix("opencl_unroll_hint"))
        else {
            return Ok(None);
        };
        let count = hint.trim_matches(['(', ')']);
        if count.is_empty() {
            return Ok(Some(None));
        }
        match count.parse::<u64>() {
            Ok(n) => {
                let kind = ExprKind::Int(n, IntKind::Int);
                Ok(Some(Some(Box::new(Expr { kind, span: self.prev_span() }))))
            }
            Err(_) => self.fail("the count of `opencl_unroll_hint` is a number"),
        }
    }

    pub(super) fn statement(&mut self) -> ParseResult<Stmt> {
        self.nested(Parser::statement_inner)
    }

    /// A statement. It is long because it has an arm for each word that one begins with.
    fn statement_inner(&mut self) -> ParseResult<Stmt> {
        let start = self.span();
        let done = |p: &Self, kind| Ok(Stmt { kind, span: start.to(p.prev_span()) });
        match self.peek().kind.clone() {
            Tok::Punct("{") => {
                let b = self.block()?;
                return done(self, StmtKind::Block(b));
            }
            Tok::Punct(";") => {
                self.bump();
                return done(self, StmtKind::Empty);
            }
            // `({ ... });`: nobody takes the value.
            Tok::Punct("(") if self.ahead(1).is("{") && self.after_brackets(";") => {
                self.bump();
                let b = self.block()?;
                self.bump();
                self.bump();
                return done(self, StmtKind::Block(b));
            }
            Tok::Punct("[") if self.ahead(1).is("[") => {
                // An attribute such as `[[maybe_unused]]`.
                self.skip_brackets();
                return self.statement();
            }
            Tok::Unroll => {
                self.bump();
                let mut count = None;
                if self.is("(") {
                    self.bump();
                    count = Some(Box::new(self.expression()?));
                    self.expect(")", "after the count of `#pragma unroll`")?;
                }
                if !self.peek().is_one_of(&["for", "while", "do"]) {
                    self.report(Diagnostic::warning(
                        start,
                        "`#pragma unroll` does not stand before a loop and has no effect",
                    ));
                    return self.statement();
                }
                return self.loop_statement(Some(count));
            }
            Tok::Ident(w) => match &*w {
                "_Pragma" => {
                    let unroll = self.pragma_operator()?;
                    let at_loop = matches!(&self.peek().kind,
                        Tok::Ident(w) if matches!(&**w, "for" | "while" | "do"));
                    if unroll.is_none() || !at_loop {
                        return self.statement();
                    }
                    return self.loop_statement(unroll);
                }
                "if" => return self.if_statement(),
                "for" | "while" | "do" => return self.loop_statement(None),
                "__attribute__" if self.opencl() => {
                    let mut specs = Specs::default();
                    self.attributes(&mut specs)?;
                    let unroll = self.unroll_hint(&specs)?;
                    if unroll.is_none() || !self.peek().is_one_of(&["for", "while", "do"]) {
                        return self.statement();
                    }
                    return self.loop_statement(unroll);
                }
                "switch" => {
                    self.bump();
                    self.push_scope();
                    self.expect("(", "after `switch`")?;
                    let init = self.init_statement()?;
                    let value = self.expression()?;
                    self.expect(")", "after the value of `switch`")?;
                    let body = Box::new(self.statement()?);
                    self.pop_scope();
                    return done(self, StmtKind::Switch { init, value, body });
                }
                "case" => {
                    self.bump();
                    let e = self.conditional()?;
                    let last = if self.eat("...") { Some(self.conditional()?) } else { None };
                    self.expect(":", "after `case`")?;
                    return done(self, StmtKind::Case(e, last));
                }
                "default" => {
                    self.bump();
                    self.expect(":", "after `default`")?;
                    return done(self, StmtKind::Default);
                }
                "break" | "continue" => {
                    self.bump();
                    self.semicolon(&format!("`{w}`"))?;
                    let kind = if *w == *"break" { StmtKind::Break } else { StmtKind::Continue };
                    return Ok(Stmt { kind, span: start });
                }
                "return" => {
                    self.bump();
                    let value = match self.peek().kind {
                        Tok::Punct(";" | "}") => None,
                        Tok::Punct("{") => Some(self.init_list()?),
                        _ => Some(self.expression()?),
                    };
                    let span = start.to(self.prev_span());
                    self.semicolon("`return`")?;
                    return Ok(Stmt { kind: StmtKind::Return(value), span });
                }
                "goto" => {
                    self.bump();
                    let (name, _) = self.ident("a label")?;
                    let span = start.to(self.prev_span());
                    self.semicolon("`goto`")?;
                    return Ok(Stmt { kind: StmtKind::Goto(name), span });
                }
                "asm" | "__asm__" | "__asm" => return self.inline_ptx(),
                "try" | "catch" | "throw" => {
                    return Err(no_exceptions(start));
                }
                "else" => {
                    return Err(Box::new(Diagnostic::error(start, "`else` without `if`").help(
                        "is there a stray `;` after the `if`, or more than one statement without \
                         `{ }`?",
                    )));
                }
                "__syncthreads" if !self.ahead(1).is("(") => {
                    return Err(Box::new(
                        Diagnostic::error(start, "`__syncthreads` is named but not called")
                            .help("write `__syncthreads();`"),
                    ));
                }
                _ => {}
            },
            _ => {}
        }
        if self.ahead(1).is(":")
            && let Tok::Ident(name) = self.peek().kind.clone()
        {
            self.bump();
            self.bump();
            return done(self, StmtKind::Label(name));
        }
        if self.declaration_at() {
            let decls = self.block_declaration()?;
            return done(self, StmtKind::Decl(decls));
        }
        if let (Tok::Ident(a), true, Tok::Ident(b)) =
            (&self.peek().kind, self.ahead(1).is("::"), &self.ahead(2).kind)
        {
            let known = ["min", "max", "abs", "sqrt", "swap", "fabs", "pow"];
            let called = self.ahead(3).is("(");
            if **a == *"std" && !called && !known.contains(&&**b) {
                let text = format!("`std::{b}` is not available in device code");
                let span = self.span().to(self.ahead(2).span);
                let help = match &**b {
                    "cout" | "cerr" | "endl" => "a kernel prints with printf(\"%d\\n\", i)",
                    _ => "kernels work with plain variables, arrays and pointers",
                };
                return Err(Box::new(Diagnostic::error(span, text).help(help)));
            }
        }
        // `foo bar` is a declaration with a type that nobody knows.
        if self.unknown_type_at() {
            return Err(self.unknown_type());
        }
        let e = self.expression()?;
        let span = e.span;
        self.semicolon("the expression")?;
        Ok(Stmt { kind: StmtKind::Expr(e), span })
    }

    /// Whether a name follows here on one that may be a type's: `foo bar`, `a::b<int> bar`.
    fn unknown_type_at(&self) -> bool {
        let named =
            |at: usize| matches!(&self.toks[at].kind, Tok::Ident(b) if !super::is_keyword(b));
        let Some((_, end)) = self.scan_name(self.pos) else { return false };
        match self.toks[end].kind {
            Tok::Punct("<") if self.missing_in_namespace().is_some() => {
                self.scan_angle(end).is_some_and(named)
            }
            _ => named(end),
        }
    }

    fn if_statement(&mut self) -> ParseResult<Stmt> {
        let start = self.bump().span;
        let is_constexpr = self.eat_word("constexpr");
        self.push_scope();
        self.expect("(", "after `if`")?;
        let init = self.init_statement()?;
        let cond = self.condition()?;
        let close = self.expect(")", "after the condition")?;
        if self.is(";") && !self.peek().first {
            let at = self.span();
            self.report(
                Diagnostic::warning(at, "this `;` is the whole body of the `if`")
                    .related(start.to(close), "the condition decides nothing")
                    .help("remove the `;`"),
            );
        }
        let then = Box::new(self.statement()?);
        let mut els = None;
        if self.eat_word("else") {
            els = Some(Box::new(self.statement()?));
        }
        self.pop_scope();
        let span = start.to(self.prev_span());
        Ok(Stmt { kind: StmtKind::If { is_constexpr, init, cond, then, els }, span })
    }

    /// The `init;` of C++17's `if (init; cond)` and `switch`.
    fn init_statement(&mut self) -> ParseResult<Option<Box<Stmt>>> {
        let mut level = 0;
        let mut i = self.pos;
        loop {
            match self.toks[i].kind {
                Tok::Punct("(" | "[" | "{") => level += 1,
                Tok::Punct(")" | "]" | "}") if level == 0 => return Ok(None),
                Tok::Punct(")" | "]" | "}") => level -= 1,
                Tok::Punct(";") if level == 0 => break,
                Tok::Punct(";") | Tok::Eof => return Ok(None),
                _ => {}
            }
            i += 1;
        }
        self.statement().map(|s| Some(Box::new(s)))
    }

    fn condition(&mut self) -> ParseResult<Cond> {
        if self.declaration_at() {
            let (specs, base) = self.specifiers()?;
            let base = base.ok_or_else(|| self.unknown_type())?;
            let d = self.declarator(base)?;
            let Some(name) = d.name else { return self.fail("a name is expected") };
            let init = self.initialiser()?;
            if matches!(init, Init::None) {
                return self.fail("a variable declared in a condition needs a value");
            }
            self.declare(&name.last().id.clone(), Kind::Value);
            let span = name.span;
            return Ok(Cond::Decl(Box::new(Var {
                name,
                ty: d.ty,
                init,
                specs,
                span,
                bits: None,
                mentions_itself: false,
            })));
        }
        Ok(Cond::Expr(self.expression()?))
    }

    fn loop_statement(&mut self, unroll: Unroll) -> ParseResult<Stmt> {
        let start = self.span();
        let word = self.bump().text();
        self.push_scope();
        let kind = match &*word {
            "while" => {
                self.expect("(", "after `while`")?;
                let from = self.pos;
                let cond = self.condition()?;
                // `while (atomicCAS(lock, 0, 1) != 0);` does its work in the condition.
                let tokens = &self.toks[from..self.pos];
                let calls =
                    tokens.windows(2).any(|t| matches!(t[0].kind, Tok::Ident(_)) && t[1].is("("));
                let close = self.expect(")", "after the condition")?;
                if !calls {
                    self.empty_body(start.to(close));
                }
                let body = Box::new(self.statement()?);
                StmtKind::While { cond, body, unroll }
            }
            "do" => {
                let body = Box::new(self.statement()?);
                if !self.eat_word("while") {
                    return self.fail(format!(
                        "expected `while` after the body of `do`, found {}",
                        self.found()
                    ));
                }
                self.expect("(", "after `while`")?;
                let cond = self.expression()?;
                self.expect(")", "after the condition")?;
                self.semicolon("`do ... while (...)`")?;
                StmtKind::DoWhile { body, cond, unroll }
            }
            _ => {
                self.expect("(", "after `for`")?;
                let ranged = match self.range_for(&unroll)? {
                    // `for (init; T x : array)` of C++20: a block of the two.
                    None if self.range_behind_init() => {
                        let init = self.statement()?;
                        let at = self.span();
                        self.range_for(&unroll)?.map(|kind| {
                            let span = at.to(self.prev_span());
                            StmtKind::Block(vec![init, Stmt { kind, span }])
                        })
                    }
                    found => found,
                };
                if let Some(kind) = ranged {
                    kind
                } else {
                    let init = if self.eat(";") {
                        None
                    } else {
                        let s = self.statement()?;
                        if !matches!(s.kind, StmtKind::Expr(_) | StmtKind::Decl(_)) {
                            return Err(Box::new(Diagnostic::error(
                                s.span,
                                "a `for` begins with a declaration or an expression",
                            )));
                        }
                        Some(Box::new(s))
                    };
                    let cond = if self.is(";") { None } else { Some(self.condition()?) };
                    self.expect(";", "after the condition of `for`")?;
                    let step = if self.is(")") { None } else { Some(self.expression()?) };
                    let close = self.expect(")", "after the head of `for`")?;
                    self.empty_body(start.to(close));
                    let body = Box::new(self.statement()?);
                    StmtKind::For { init, cond, step, body, unroll }
                }
            }
        };
        self.pop_scope();
        Ok(Stmt { kind, span: start.to(self.prev_span()) })
    }

    /// Warns of a `;` behind the head of a loop, which stands at `head`.
    fn empty_body(&mut self, head: Span) {
        if self.is(";") && !self.peek().first {
            let at = self.span();
            self.report(
                Diagnostic::warning(at, "this `;` is the whole body of the loop")
                    .related(head, "this loop repeats nothing")
                    .help("remove the `;`, or write `{ }` if an empty body is meant"),
            );
        }
    }

    /// In the head of a `for` that begins here, `:` stands behind the only `;`.
    fn range_behind_init(&self) -> bool {
        let head = &self.toks[self.pos..self.matching(self.pos - 1)];
        let first = head.iter().position(|t| t.is(";"));
        first.is_some_and(|n| {
            let rest = &head[n + 1..];
            rest.iter().any(|t| t.is(":")) && !rest.iter().any(|t| t.is(";") || t.is("?"))
        })
    }

    /// `for (T x : array)`, if it is one.
    fn range_for(&mut self, unroll: &Unroll) -> ParseResult<Option<StmtKind>> {
        if !self.declaration_at() {
            return Ok(None);
        }
        let mut i = self.pos;
        loop {
            match self.toks[i].kind {
                Tok::Punct("(" | "[" | "{") => i = self.matching(i).max(i + 1) - 1,
                Tok::Punct(":") => break,
                Tok::Punct(";" | ")" | "=" | "?") | Tok::Eof => return Ok(None),
                _ => {}
            }
            i += 1;
            if i >= self.toks.len() {
                return Ok(None);
            }
        }
        let (specs, base) = self.specifiers()?;
        let base = base.ok_or_else(|| self.unknown_type())?;
        let mut names = Vec::new();
        let (name, ty) = if self.bindings_at() {
            let (whole, ty, parts) = self.bound_parts(base)?;
            names = parts;
            (whole, ty)
        } else {
            let d = self.declarator(base)?;
            let Some(name) = d.name else { return self.fail("a name is expected") };
            (name, d.ty)
        };
        self.expect(":", "in a range `for`")?;
        let range = if self.is("{") { self.init_list()? } else { self.expression()? };
        self.expect(")", "after the head of `for`")?;
        self.declare(&name.last().id.clone(), Kind::Value);
        let mut body = Box::new(self.statement()?);
        let span = name.span;
        if !names.is_empty() {
            // `auto &[a, b] = whole;` before the body.
            let auto = Ty { kind: TyKind::Auto, is_const: false, span };
            let ty = Ty { kind: TyKind::Ref(Box::new(auto), false), is_const: false, span };
            let init = Init::Assign(Expr { kind: ExprKind::Name(name.clone()), span });
            let inner = Name::simple(format!("{}$", name.last().id).into(), span);
            let specs = Specs { span, ..Specs::default() };
            let whole =
                Var { name: inner, ty, init, specs, span, bits: None, mentions_itself: false };
            let parts = Decl::Bindings(Rc::new(whole), Rc::new(names));
            let parts = Stmt { kind: StmtKind::Decl(vec![parts]), span };
            let at = body.span;
            *body = Stmt { kind: StmtKind::Block(vec![parts, *body]), span: at };
        }
        let var = Var {
            name,
            ty,
            init: Init::None,
            specs: Specs { span, ..specs },
            span,
            bits: None,
            mentions_itself: false,
        };
        Ok(Some(StmtKind::RangeFor { var: Box::new(var), range, body, unroll: unroll.clone() }))
    }
}

/// The message for `throw`, `try` and `catch`.
pub(super) fn no_exceptions(span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::unsupported(span, "exceptions are not supported in device code")
            .help("return a code, or use `assert` or `__trap()`"),
    )
}
