//! Expressions, by precedence climbing.

use std::rc::Rc;

use super::{Kind, MAX_LINKS, MAX_OPERATORS, ParseResult, Parser};
use crate::ast::{
    Capture, CastStyle, Expr, ExprKind, Function, Ident, Init, InitItem, IntKind, Lambda, Name,
    PIECE, Param, StmtKind, Ty, TyKind,
};
use crate::diag::{About, Diagnostic};
use crate::lex::{Tok, Token, unquote};
use crate::source::Span;

fn make(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

fn level(op: &str) -> u8 {
    match op {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        ".*" | "->*" => 11,
        _ => 0,
    }
}

impl Parser<'_> {
    /// Full expression with commas.
    pub(super) fn expression(&mut self) -> ParseResult<Expr> {
        let mut e = self.assignment()?;
        while self.is(",") && !self.ahead(1).is("...") {
            self.count_operator()?;
            self.bump();
            let right = self.assignment()?;
            let span = e.span.to(right.span);
            e = make(ExprKind::Binary(",", Box::new(e), Box::new(right)), span);
        }
        Ok(e)
    }

    /// `...` behind an expression: the elements of a pack.
    pub(super) fn expansion(&mut self, e: Expr) -> Expr {
        if !self.eat("...") {
            return e;
        }
        let span = e.span.to(self.prev_span());
        make(ExprKind::Expand(Box::new(e)), span)
    }

    /// The operator here joins the elements of a pack.
    fn fold_at(&self, n: usize) -> Option<&'static str> {
        match self.ahead(n).kind {
            Tok::Punct(op) if op == "," || level(op) > 0 => Some(op),
            _ => None,
        }
    }

    /// The end of a fold whose beginning is `first`, up to the `)`.
    fn fold(&mut self, first: Option<Expr>, open: Span) -> ParseResult<Expr> {
        let op = match (&first, self.is("...")) {
            (None, true) => {
                self.bump();
                self.fold_at(0)
            }
            _ => self.fold_at(0),
        };
        let Some(op) = op else { return self.fail("an operator is expected beside `...`") };
        self.bump();
        let mut last = None;
        if first.is_none() || self.eat("...") && self.fold_at(0) == Some(op) && self.eat(op) {
            last = Some(Box::new(self.nested(Parser::unary)?));
        }
        let end = self.expect(")", "after the fold")?;
        let first = first.map(Box::new);
        Ok(make(ExprKind::Fold { op, first, last }, open.to(end)))
    }

    /// A new expression with its own count of operators.
    pub(super) fn fresh<T>(
        &mut self,
        f: impl FnOnce(&mut Self) -> ParseResult<T>,
    ) -> ParseResult<T> {
        let outer = std::mem::take(&mut self.operators);
        let result = f(self);
        self.operators = outer;
        result
    }

    fn count_operator(&mut self) -> ParseResult<()> {
        self.operators += 1;
        if self.operators > MAX_OPERATORS {
            return self.fail(format!("this expression has more than {MAX_OPERATORS} operators"));
        }
        Ok(())
    }

    pub(super) fn assignment(&mut self) -> ParseResult<Expr> {
        self.nested(|p| {
            let left = p.conditional()?;
            let Tok::Punct(op) = p.peek().kind else { return Ok(left) };
            let op = match op {
                "=" => "",
                "+=" => "+",
                "-=" => "-",
                "*=" => "*",
                "/=" => "/",
                "%=" => "%",
                "&=" => "&",
                "|=" => "|",
                "^=" => "^",
                "<<=" => "<<",
                ">>=" => ">>",
                _ => return Ok(left),
            };
            p.count_operator()?;
            p.bump();
            let right = if p.is("{") { p.init_list()? } else { p.assignment()? };
            let span = left.span.to(right.span);
            Ok(make(ExprKind::Assign(op, Box::new(left), Box::new(right)), span))
        })
    }

    pub(super) fn conditional(&mut self) -> ParseResult<Expr> {
        let cond = self.binary(0)?;
        if !self.is("?") {
            return Ok(cond);
        }
        self.nested(|p| {
            p.count_operator()?;
            p.bump();
            let outer = std::mem::replace(&mut p.no_gt, false);
            let then = p.expression();
            p.no_gt = outer;
            let then = then?;
            p.expect(":", "in a conditional expression")?;
            let els = p.assignment()?;
            let span = cond.span.to(els.span);
            Ok(make(ExprKind::Cond(Box::new(cond), Box::new(then), Box::new(els)), span))
        })
    }

    pub(super) fn binary(&mut self, min: u8) -> ParseResult<Expr> {
        let left = self.unary()?;
        let mut most = self.operators;
        let result = self.binary_chain(left, min, &mut most);
        self.operators = most;
        result
    }

    /// The operators behind `left` that bind more tightly than `min`. `most` becomes the largest
    /// count of operators on any way into the tree.
    fn binary_chain(&mut self, mut left: Expr, min: u8, most: &mut usize) -> ParseResult<Expr> {
        let mut links = 0;
        loop {
            let Tok::Punct(op) = self.peek().kind else { return Ok(left) };
            let l = level(op);
            if l <= min || (self.no_gt && matches!(op, ">" | ">>")) || self.ahead(1).is("...") {
                return Ok(left);
            }
            if op == "<<" && self.ahead(1).is("<") && !self.ahead(1).space {
                let at = self.span().to(self.ahead(1).span);
                return Err(Box::new(
                    Diagnostic::error(
                        at,
                        "a kernel cannot launch another kernel here: `<<<` belongs in host code",
                    )
                    .help(format!("call {} instead", self.words().function)),
                ));
            }
            let operand = match &left.kind {
                ExprKind::Unary(_, inner) => &inner.kind,
                kind => kind,
            };
            if let ("<", ExprKind::Name(n), true) = (op, operand, self.type_at(1))
                && !self.construct_at(1)
            {
                return Err(unknown_template(n));
            }
            links += 1;
            if links <= PIECE {
                self.count_operator()?;
            } else if links > MAX_LINKS {
                return self.fail(format!("this expression has more than {MAX_LINKS} operators"));
            }
            self.bump();
            let here = self.operators;
            let right = self.nested(|p| p.binary(l))?;
            *most = self.operators.max(*most);
            self.operators = here;
            let span = left.span.to(right.span);
            left = make(ExprKind::Binary(op, Box::new(left), Box::new(right)), span);
        }
    }

    fn unary(&mut self) -> ParseResult<Expr> {
        let start = self.span();
        match self.peek().kind.clone() {
            Tok::Punct(op @ ("-" | "+" | "!" | "~" | "*" | "&")) => {
                self.count_operator()?;
                self.bump();
                let e = self.nested(Parser::unary)?;
                let span = start.to(e.span);
                Ok(make(ExprKind::Unary(op, Box::new(e)), span))
            }
            Tok::Punct(op @ ("++" | "--")) => {
                self.count_operator()?;
                self.bump();
                let e = self.nested(Parser::unary)?;
                let span = start.to(e.span);
                Ok(make(
                    ExprKind::IncDec { inc: op == "++", post: false, place: Box::new(e) },
                    span,
                ))
            }
            Tok::Punct("(") if self.type_at(1) && !self.function_cast_after_paren() => {
                self.count_operator()?;
                self.bump();
                let ty = self.nested(Parser::type_id)?;
                self.expect(")", "after the type of a cast")?;
                if self.is("{") {
                    let list = self.init_list()?;
                    let span = start.to(list.span);
                    return Ok(make(
                        ExprKind::Construct { ty, args: vec![list], braces: true },
                        span,
                    ));
                }
                // `(float4)(a, b, c, d)` is a vector of OpenCL, and no cast of the last of four
                // values.
                if self.opencl() && self.is("(") && self.comma_inside() {
                    let args = self.arguments()?;
                    let span = start.to(self.prev_span());
                    let list = make(ExprKind::Construct { ty, args, braces: false }, span);
                    return self.postfix_of(list);
                }
                let e = self.nested(Parser::unary)?;
                let span = start.to(e.span);
                Ok(make(ExprKind::Cast(CastStyle::C, ty, Box::new(e)), span))
            }
            Tok::Ident(w) if *w == *"sizeof" || *w == *"alignof" || *w == *"_Alignof" => {
                self.bump();
                if self.eat("...") {
                    self.expect("(", "after `sizeof...`")?;
                    let (id, _) = self.ident("the name of a pack")?;
                    let end = self.expect(")", "after the name of the pack")?;
                    return Ok(make(ExprKind::SizeofPack(id), start.to(end)));
                }
                if self.is("(") && self.type_at(1) {
                    self.bump();
                    let ty = self.nested(Parser::type_id)?;
                    let end = self.expect(")", "after the type")?;
                    let kind = if *w == *"sizeof" {
                        ExprKind::SizeofTy(ty)
                    } else {
                        ExprKind::Alignof(ty)
                    };
                    return Ok(make(kind, start.to(end)));
                }
                let e = self.nested(Parser::unary)?;
                let span = start.to(e.span);
                Ok(make(ExprKind::SizeofExpr(Box::new(e)), span))
            }
            Tok::Ident(w) if *w == *"new" => self.new_object(),
            Tok::Ident(w) if *w == *"delete" => {
                self.bump();
                let array = self.is("[");
                if array {
                    self.skip_brackets();
                }
                let e = self.nested(Parser::unary)?;
                let span = start.to(e.span);
                Ok(make(ExprKind::Delete(Box::new(e), array), span))
            }
            Tok::Ident(w) if *w == *"throw" => Err(super::stmt::no_exceptions(start)),
            _ => self.postfix(),
        }
    }

    /// `new T(args)`, `new T[count]`, `new (at) T`
    fn new_object(&mut self) -> ParseResult<Expr> {
        let start = self.bump().span;
        let at = match self.is("(") {
            true => self.arguments()?.pop().map(Box::new),
            false => None,
        };
        let mut ty = self.simple_type()?;
        while self.eat("*") {
            let span = ty.span;
            ty = Ty { kind: TyKind::Ptr(Box::new(ty), false), is_const: false, span };
        }
        let mut count = None;
        if self.is("[") {
            self.bump();
            count = Some(Box::new(self.fresh(Parser::expression)?));
            self.expect("]", "after the number of elements")?;
        }
        let init = Box::new(match self.is("=") {
            true => Init::None,
            false => self.initialiser()?,
        });
        let span = start.to(self.prev_span());
        Ok(make(ExprKind::New { ty, at, count, init }, span))
    }

    /// Behind `(` stands `T(x)`, an expression, and not a cast.
    fn function_cast_after_paren(&self) -> bool {
        let mut i = self.pos + 1;
        if matches!(&self.toks[i].kind, Tok::Ident(s) if super::is_operator_of_types(s)) {
            i = self.matching(i + 1);
        } else if matches!(&self.toks[i].kind, Tok::Ident(s) if super::is_type_word(s)) {
            i += 1;
        } else {
            match self.scan_name(i) {
                Some((_, end)) => i = end,
                None => return false,
            }
        }
        let i = i.min(self.toks.len() - 1);
        if self.toks[i].is("{") {
            return true;
        }
        // `(float(*)[4])` is a cast, `(float(x))` is not.
        self.toks[i].is("(") && !self.toks[(i + 1).min(self.toks.len() - 1)].is("*")
    }

    fn postfix(&mut self) -> ParseResult<Expr> {
        let e = self.primary()?;
        self.postfix_of(e)
    }

    /// A comma stands in the parentheses that begin here, outside of any inner ones.
    fn comma_inside(&self) -> bool {
        let end = self.matching(self.pos);
        let mut i = self.pos + 1;
        while i < end {
            match self.toks[i].kind {
                Tok::Punct("(" | "[" | "{") => i = self.matching(i),
                Tok::Punct(",") => return true,
                _ => i += 1,
            }
        }
        false
    }

    fn postfix_of(&mut self, e: Expr) -> ParseResult<Expr> {
        let mut e = e;
        loop {
            let start = e.span;
            match self.peek().kind {
                Tok::Punct("(") => {
                    self.count_operator()?;
                    let args = self.arguments()?;
                    e = make(ExprKind::Call(Box::new(e), args), start.to(self.prev_span()));
                }
                Tok::Punct("[") => {
                    self.count_operator()?;
                    self.bump();
                    let outer = std::mem::replace(&mut self.no_gt, false);
                    let index = self.nested(Parser::expression);
                    self.no_gt = outer;
                    let index = index?;
                    let end = self.expect("]", "after the index")?;
                    e = make(ExprKind::Index(Box::new(e), Box::new(index)), start.to(end));
                }
                Tok::Punct(op @ ("." | "->")) => {
                    self.count_operator()?;
                    self.bump();
                    let name = self.name(true)?;
                    let span = start.to(name.span);
                    e = make(ExprKind::Member { base: Box::new(e), arrow: op == "->", name }, span);
                }
                Tok::Punct(op @ ("++" | "--")) => {
                    self.count_operator()?;
                    let end = self.bump().span;
                    e = make(
                        ExprKind::IncDec { inc: op == "++", post: true, place: Box::new(e) },
                        start.to(end),
                    );
                }
                _ => return Ok(e),
            }
        }
    }

    /// `(a, b)`
    pub(super) fn arguments(&mut self) -> ParseResult<Vec<Expr>> {
        let open = self.expect("(", "before the arguments")?;
        let outer = std::mem::replace(&mut self.no_gt, false);
        let result = self.nested(|p| {
            let mut args = Vec::new();
            while !p.is(")") {
                let e = if p.is("{") { p.init_list()? } else { p.assignment()? };
                args.push(p.expansion(e));
                if p.is(")") {
                    break;
                }
                if !p.eat(",") {
                    let found = p.found();
                    let prev = p.prev_span();
                    let at = Span { lo: prev.hi, hi: prev.hi, ..prev };
                    return Err(Box::new(
                        Diagnostic::error(
                            at,
                            format!("expected `,` or `)` after an argument, found {found}"),
                        )
                        .related(open, "the list begins here"),
                    ));
                }
            }
            p.bump();
            Ok(args)
        });
        self.no_gt = outer;
        result
    }

    /// `{a, .x = b, {c}}`
    pub(super) fn init_list(&mut self) -> ParseResult<Expr> {
        let begin = self.pos;
        let start = self.expect("{", "before the initialisers")?;
        let outer = std::mem::replace(&mut self.no_gt, false);
        let result = self.nested(|p| {
            let mut items = Vec::new();
            while !p.is("}") {
                let (mut field, mut index) = (None, None);
                if p.is(".") {
                    p.bump();
                    field = Some(p.ident("the name of a member")?);
                    p.expect("=", "after the name of the member")?;
                } else if p.is("[") && p.opencl() {
                    p.bump();
                    index = Some(Box::new(p.conditional()?));
                    p.expect("]", "after the number of the element")?;
                    p.expect("=", "after the number of the element")?;
                } else if p.is("[") && !p.lambda_at() {
                    let text = "array designators `[i] = value` are not supported";
                    let d = Diagnostic::unsupported(p.span(), text);
                    return Err(Box::new(d.help("write all elements in order")));
                }
                let value = p.fresh(|p| if p.is("{") { p.init_list() } else { p.assignment() })?;
                items.push(InitItem { field, index, value: p.expansion(value) });
                if !p.eat(",") {
                    break;
                }
            }
            let end = p.expect("}", "after the initialisers")?;
            Ok(make(ExprKind::Init(items), start.to(end)))
        });
        if result.is_err() {
            // Its `}` is not that of the block around.
            self.pos = begin;
            self.skip_brackets();
        }
        self.no_gt = outer;
        result
    }

    fn lambda_at(&self) -> bool {
        let end = self.matching(self.pos).min(self.toks.len() - 1);
        self.toks[end].is("(")
            || self.toks[end].is("{")
            || self.toks[end].is("<")
            || self.toks[end].is_word("__device__")
            || self.toks[end].is_word("__host__")
    }

    fn primary(&mut self) -> ParseResult<Expr> {
        let span = self.span();
        match self.peek().kind.clone() {
            Tok::Number(text) => {
                self.bump();
                match text.find('_').filter(|_| !self.opencl()) {
                    Some(at) => own_literal(&text[at..], number(&text[..at], span)?, None),
                    None => number(&text, span),
                }
            }
            Tok::Str(_) => {
                let mut bytes = Vec::new();
                let mut whole = span;
                while let Tok::Str(raw) = self.peek().kind.clone() {
                    let part = unquote(&raw).or_else(|m| self.fail(m))?;
                    bytes.extend(part);
                    whole = whole.to(self.bump().span);
                }
                let length = bytes.len() as u64;
                self.suffixed(make(ExprKind::Str(bytes), whole), Some(length))
            }
            Tok::Char(raw) => {
                let bytes = unquote(&raw).or_else(|m| self.fail(m))?;
                self.bump();
                match bytes[..] {
                    [b] => self.suffixed(make(ExprKind::Char(i64::from(b as i8)), span), None),
                    _ => Err(Box::new(
                        Diagnostic::error(span, "a character literal holds exactly one byte")
                            .help("write text in double quotes"),
                    )),
                }
            }
            Tok::Punct("(") if self.ahead(1).is("{") => self.block_expression(),
            Tok::Punct("(") => {
                self.bump();
                let outer = std::mem::replace(&mut self.no_gt, false);
                let e = self.nested(|p| match p.is("...") {
                    true => p.fold(None, span),
                    false => p.expression(),
                });
                self.no_gt = outer;
                let e = e?;
                if matches!(e.kind, ExprKind::Fold { .. }) {
                    return Ok(e);
                }
                if self.fold_at(0).is_some() && self.ahead(1).is("...") {
                    return self.fold(Some(e), span);
                }
                if !self.is(")") {
                    let found = self.found();
                    return Err(Box::new(
                        Diagnostic::error(self.span(), format!("expected `)`, found {found}"))
                            .label("`)` expected here")
                            .related(span, "to close this"),
                    ));
                }
                let end = self.bump().span;
                Ok(make(ExprKind::Paren(Box::new(e)), span.to(end)))
            }
            Tok::Punct("[") => self.lambda(),
            Tok::Punct("{") => {
                self.fail("a list in braces cannot stand here: write the type before it")
            }
            Tok::Ident(w) => match &*w {
                "true" | "false" => {
                    self.bump();
                    Ok(make(ExprKind::Bool(*w == *"true"), span))
                }
                "nullptr" => {
                    self.bump();
                    Ok(make(ExprKind::Nullptr, span))
                }
                "this" => {
                    self.bump();
                    Ok(make(ExprKind::This, span))
                }
                "static_cast" | "reinterpret_cast" | "const_cast" => {
                    let style = match &*w {
                        "static_cast" => CastStyle::Static,
                        "reinterpret_cast" => CastStyle::Reinterpret,
                        _ => CastStyle::Const,
                    };
                    self.count_operator()?;
                    self.bump();
                    self.expect("<", "before the type of the cast")?;
                    let outer = std::mem::replace(&mut self.no_gt, true);
                    let ty = self.nested(Parser::type_id);
                    self.no_gt = outer;
                    let ty = ty?;
                    if self.is(">>") {
                        let pos = self.pos;
                        self.toks[pos].kind = Tok::Punct(">");
                    } else {
                        self.expect(">", "after the type of the cast")?;
                    }
                    self.expect("(", "after the cast")?;
                    let outer = std::mem::replace(&mut self.no_gt, false);
                    let e = self.nested(Parser::expression);
                    self.no_gt = outer;
                    let e = e?;
                    let end = self.expect(")", "after the operand of the cast")?;
                    Ok(make(ExprKind::Cast(style, ty, Box::new(e)), span.to(end)))
                }
                "dynamic_cast" | "typeid" => {
                    let text = format!("`{w}` is not supported: device code has no run-time types");
                    let d = Diagnostic::unsupported(span, text);
                    Err(Box::new(d.help("keep the kind in a member, or call a virtual function")))
                }
                "decltype" if self.toks[self.matching(self.pos + 1)].is("::") => {
                    // `decltype(e)::value`: a static member, as an object gives it.
                    self.bump();
                    self.expect("(", "after `decltype`")?;
                    let base = Box::new(self.fresh(Parser::expression)?);
                    self.expect(")", "after `decltype`")?;
                    self.bump();
                    let name = self.name(true)?;
                    let span = span.to(name.span);
                    Ok(make(ExprKind::Member { base, arrow: false, name }, span))
                }
                "requires" if self.ahead(1).is("(") || self.ahead(1).is("{") => self.requirements(),
                "offsetof" | "__builtin_offsetof" if self.kind_of(&w).is_none() => self.offset_of(),
                _ if self.type_at(0) => {
                    let ty = self.simple_type()?;
                    self.construct(ty, span)
                }
                _ => Ok(self.name(false).map(|n| make(ExprKind::Name(n.clone()), n.span))?),
            },
            Tok::Punct("::") => {
                if self.type_at(0) {
                    let ty = self.simple_type()?;
                    return self.construct(ty, span);
                }
                let n = self.name(false)?;
                Ok(make(ExprKind::Name(n.clone()), n.span))
            }
            _ => {
                let found = self.found();
                Err(Box::new(
                    Diagnostic::error(span, format!("expected an expression, found {found}"))
                        .label("not an expression"),
                ))
            }
        }
    }

    /// A string of this length or a character, perhaps with a suffix of one's own.
    fn suffixed(&mut self, literal: Expr, length: Option<u64>) -> ParseResult<Expr> {
        match &self.peek().kind {
            Tok::Ident(suffix) if suffix.starts_with('_') && !self.peek().space => {
                let suffix = suffix.clone();
                self.bump();
                own_literal(&suffix, literal, length)
            }
            _ => Ok(literal),
        }
    }

    /// `offsetof(T, a.b[2])`
    fn offset_of(&mut self) -> ParseResult<Expr> {
        let start = self.bump().span;
        self.expect("(", "after `offsetof`")?;
        let ty = self.nested(Parser::type_id)?;
        self.expect(",", "after the type")?;
        let name = self.name(true)?;
        let span = name.span;
        let null = Box::new(make(ExprKind::Int(0, IntKind::Int), span));
        let to = Ty { kind: TyKind::Ptr(Box::new(ty), false), is_const: false, span };
        let object = Box::new(make(ExprKind::Cast(CastStyle::C, to, null), span));
        let member = make(ExprKind::Member { base: object, arrow: true, name }, span);
        let place = self.fresh(|p| p.postfix_of(member))?;
        let end = self.expect(")", "after the member")?;
        Ok(make(ExprKind::Offsetof(Box::new(place)), start.to(end)))
    }

    /// `(args)` or `{args}` behind a type.
    fn construct(&mut self, ty: Ty, start: Span) -> ParseResult<Expr> {
        self.count_operator()?;
        if self.opencl() && (self.is("(") || self.is("{")) {
            let span = start.to(ty.span);
            let name = self.toks[self.pos - 1].text();
            return Err(Box::new(
                Diagnostic::error(span, format!("`{name}(...)` is C++: OpenCL C casts"))
                    .help(format!("write `({name})(...)`")),
            ));
        }
        if self.is("(") {
            let args = self.arguments()?;
            return Ok(make(
                ExprKind::Construct { ty, args, braces: false },
                start.to(self.prev_span()),
            ));
        }
        if self.is("{") {
            let list = self.init_list()?;
            return Ok(make(
                ExprKind::Construct { ty, args: vec![list], braces: true },
                start.to(self.prev_span()),
            ));
        }
        Err(Box::new(
            Diagnostic::error(start.to(ty.span), "a type cannot stand where a value is needed")
                .label("this is a type"),
        ))
    }

    fn lambda(&mut self) -> ParseResult<Expr> {
        let start = self.span();
        self.bump();
        let mut default = None;
        let mut captures = Vec::new();
        while !self.is("]") {
            let span = self.span();
            if self.is("=") && (self.ahead(1).is("]") || self.ahead(1).is(",")) {
                self.bump();
                default = Some(false);
            } else if self.is("&") && (self.ahead(1).is("]") || self.ahead(1).is(",")) {
                self.bump();
                default = Some(true);
            } else if self.is_word("this") {
                self.bump();
                captures.push(Capture { name: "this".into(), by_ref: true, init: None, span });
            } else if self.is("*") && self.ahead(1).is_word("this") {
                self.bump();
                self.bump();
                captures.push(Capture { name: "this".into(), by_ref: false, init: None, span });
            } else {
                let by_ref = self.eat("&");
                let (name, span) = self.ident("the name of a variable to capture")?;
                let init = if self.eat("=") { Some(self.assignment()?) } else { None };
                captures.push(Capture { name, by_ref, init, span });
            }
            if !self.eat(",") {
                break;
            }
        }
        let end = self.expect("]", "after the captures")?;
        while self.is_word("__device__") || self.is_word("__host__") {
            self.bump();
        }
        self.push_scope();
        let outer = std::mem::take(&mut self.requires);
        let mut template = match self.is("<") {
            true => self.template_params()?,
            false => Vec::new(),
        };
        self.requires_clause()?;
        let (mut params, mut variadic) = (Vec::new(), false);
        if self.is("(") {
            (params, variadic) = self.parameters()?;
        }
        let mut is_const = true;
        let mut ret = Ty { kind: TyKind::Auto, is_const: false, span: end };
        loop {
            if self.eat_word("mutable") {
                is_const = false;
            } else if self.eat_word("noexcept")
                || self.eat_word("__device__")
                || self.eat_word("__host__")
                || self.eat_word("constexpr")
            {
            } else if self.eat("->") {
                ret = self.type_id()?;
            } else if self.is_word("requires") {
                self.requires_clause()?;
            } else {
                break;
            }
        }
        template.extend(self.of_auto_parameters(&mut params, Some(&template)));
        let requires = std::mem::replace(&mut self.requires, outer);
        if !self.is("{") {
            return self.fail("expected `{` before the body of the lambda");
        }
        let body_end = self.matching(self.pos);
        let mentions = self.words_to(body_end);
        self.in_lambda += 1;
        let body = self.fresh(|p| p.function_body(&params));
        self.in_lambda -= 1;
        self.pop_scope();
        let body = body?;
        let span = start.to(self.prev_span());
        let specs = crate::ast::Specs { device: true, span: start, ..Default::default() };
        let function = Rc::new(Function {
            name: Name::simple("operator()".into(), start.to(end)),
            specs,
            is_template: !template.is_empty(),
            template,
            requires,
            class_template: Vec::new(),
            ret,
            params,
            variadic,
            body,
            inits: Vec::new(),
            is_const,
            is_ctor: false,
            is_dtor: false,
            is_friend: false,
            mentions: Rc::default(),
            end: self.prev_span(),
            span: start.to(end),
        });
        Ok(make(ExprKind::Lambda(Rc::new(Lambda { default, captures, mentions, function })), span))
    }

    /// `({ a; b; })`: a lambda that is called at once; its last expression is the value.
    fn block_expression(&mut self) -> ParseResult<Expr> {
        let start = self.bump().span;
        let body_end = self.matching(self.pos);
        let mentions = self.words_to(body_end);
        let from = self.pos;
        self.in_lambda += 1;
        let outer = std::mem::replace(&mut self.no_gt, false);
        let body = self.fresh(Parser::block);
        self.no_gt = outer;
        self.in_lambda -= 1;
        let mut body = body?;
        let leaves = |t: &Token| t.is_word("return") || t.is_word("goto");
        if let Some(t) = self.toks[from..body_end].iter().find(|t| leaves(t)) {
            return Err(Box::new(
                Diagnostic::unsupported(
                    t.span,
                    format!("`{}` inside of `({{ }})` is not supported", t.text()),
                )
                .help("move the statements out of the expression"),
            ));
        }
        if let Some(last) = body.last_mut()
            && let StmtKind::Expr(e) = &last.kind
        {
            last.kind = StmtKind::Return(Some(e.clone()));
        }
        let end = self.expect(")", "after the statements of `({ })`")?;
        let span = start.to(end);
        let function = Function {
            name: Name::simple("operator()".into(), span),
            specs: crate::ast::Specs { device: true, span: start, ..Default::default() },
            is_template: false,
            template: Vec::new(),
            requires: Vec::new(),
            class_template: Vec::new(),
            ret: Ty { kind: TyKind::Auto, is_const: false, span },
            params: Vec::new(),
            variadic: false,
            body: crate::ast::Body::Block(body),
            inits: Vec::new(),
            is_const: true,
            is_ctor: false,
            is_dtor: false,
            is_friend: false,
            mentions: Rc::default(),
            end,
            span,
        };
        let lambda = Lambda {
            default: Some(true),
            captures: Vec::new(),
            mentions,
            function: Rc::new(function),
        };
        Ok(make(ExprKind::Block(Rc::new(lambda)), span))
    }

    /// The words from here to the token number `end`, each once.
    fn words_to(&self, end: usize) -> Vec<Ident> {
        let mut words: Vec<Ident> = Vec::new();
        for t in &self.toks[self.pos..end] {
            if let Tok::Ident(s) = &t.kind
                && (!super::is_keyword(s) || **s == *"this")
                && !words.contains(s)
            {
                words.push(s.clone());
            }
        }
        words
    }

    pub(super) fn declare_params(&mut self, params: &[Param]) {
        for p in params {
            if let Some(name) = &p.name {
                self.declare(name, Kind::Value);
            }
        }
    }

    /// `= e`, `(a, b)` or `{a, b}` behind a variable.
    pub(super) fn initialiser(&mut self) -> ParseResult<Init> {
        self.fresh(|p| {
            if p.eat("=") {
                if p.is("{") {
                    return Ok(Init::Brace(p.init_list()?));
                }
                return Ok(Init::Assign(p.assignment()?));
            }
            if p.is("{") {
                return Ok(Init::Brace(p.init_list()?));
            }
            if p.is("(") {
                return Ok(Init::Paren(p.arguments()?));
            }
            Ok(Init::None)
        })
    }
}

/// The message for `name<T>` where nothing says that `name` is a template.
fn unknown_template(n: &Name) -> Box<Diagnostic> {
    let id = &n.last().id;
    let d = Diagnostic::error(n.span, format!("the template `{id}` is not declared"))
        .about(About::UnknownName)
        .label("no such template here");
    Box::new(match crate::builtins::about_libraries(id) {
        Some(help) => d.help(help),
        None => d,
    })
}

/// A literal with a suffix of one's own: a call of `operator""suffix`; strings with their length.
fn own_literal(suffix: &str, literal: Expr, length: Option<u64>) -> ParseResult<Expr> {
    let span = literal.span;
    let value = match literal.kind {
        ExprKind::Int(v, _) => ExprKind::Int(v, IntKind::ULongLong),
        kind => kind,
    };
    let mut args = vec![make(value, span)];
    args.extend(length.map(|n| make(ExprKind::Int(n, IntKind::ULong), span)));
    let name = Name::simple(format!("operator\"\"{suffix}").into(), span);
    Ok(make(ExprKind::Call(Box::new(make(ExprKind::Name(name), span)), args), span))
}

/// A number literal with its type.
fn number(text: &str, span: Span) -> ParseResult<Expr> {
    let bad = |why: &str| {
        Err(Box::new(Diagnostic::error(span, format!("`{text}` is not a number: {why}"))))
    };
    let lower = text.to_ascii_lowercase();
    let hex = lower.starts_with("0x");
    let float = if hex { lower.contains('p') } else { lower.contains(['.', 'e']) };
    if float {
        let (digits, bits) = match lower.strip_suffix('f') {
            Some(d) => (d, 32),
            // A half, of OpenCL C.
            None if lower.ends_with('h') => (&lower[..lower.len() - 1], 16),
            None => (lower.strip_suffix('l').unwrap_or(&lower), 64),
        };
        let value = if hex { hex_float(digits) } else { digits.parse::<f64>().ok() };
        let Some(value) = value else {
            return bad("digits, a point, an exponent and the suffix `f` can occur");
        };
        let value = if bits == 32 {
            if hex { value as f32 as f64 } else { digits.parse::<f32>().map_or(value, f64::from) }
        } else {
            value
        };
        return Ok(make(ExprKind::Float(value, bits), span));
    }
    let Some((value, suffix)) = crate::pp::integer(text) else {
        if !hex && lower.ends_with('f') {
            return Err(Box::new(
                Diagnostic::error(
                    span,
                    format!("`{text}` is not a number: the suffix `f` needs a point"),
                )
                .help(format!("write `{}.0f`", &text[..text.len() - 1])),
            ));
        }
        return bad("it has a wrong digit or suffix, or does not fit 64 bits");
    };
    let decimal = !lower.starts_with('0');
    let unsigned = suffix.contains('u');
    let longs = suffix.matches('l').count();
    let fits_int = value <= i32::MAX as u64;
    let fits_uint = value <= u32::MAX as u64;
    let fits_long = value <= i64::MAX as u64;
    let kind = match (unsigned, longs) {
        (false, 0) if fits_int => IntKind::Int,
        (_, 0) if fits_uint && (unsigned || !decimal) => IntKind::UInt,
        (false, 0 | 1) if fits_long => IntKind::Long,
        (false, 2) if fits_long => IntKind::LongLong,
        (_, 2) => IntKind::ULongLong,
        _ => IntKind::ULong,
    };
    Ok(make(ExprKind::Int(value, kind), span))
}

fn hex_float(lower: &str) -> Option<f64> {
    let (mantissa, exp) = lower.strip_prefix("0x")?.split_once('p')?;
    let exp: i32 = exp.parse().ok()?;
    let (whole, frac) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + frac.len() == 0 || whole.len() + frac.len() > 15 {
        return None;
    }
    let bits = u64::from_str_radix(&format!("{whole}{frac}"), 16).ok()?;
    let exp = exp.checked_sub(4 * frac.len() as i32)?.clamp(-2000, 2000);
    let half = exp / 2;
    Some(bits as f64 * 2f64.powi(half) * 2f64.powi(exp - half))
}
