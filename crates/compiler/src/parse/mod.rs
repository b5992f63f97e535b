//! Tokens to the untyped tree.
//!
//! C++ cannot be parsed without knowing which names are types and templates, so the parser keeps a
//! light table of scopes; what the names mean is settled later, in `sema`. Functions that run only
//! on the host are skipped unseen.

mod class;
mod concepts;
mod decl;
mod expr;
mod host;
mod ptx;
mod ptx_convert;
mod ptx_terms;
mod ptx_warp;
mod ptx_words;
mod stmt;
mod types;

use std::collections::{HashMap, HashSet};

use crate::ast::{Decl, Expr, Ident, Name, Part, TArg, Ty, TyKind};
use crate::diag::{Diagnostic, MAX_ERRORS};
use crate::language::Language;
use crate::lex::{Tok, Token, spell_operators};
use crate::source::{FileId, Span};
use crate::words::Words;

/// Nesting of brackets, blocks and declarators.
const MAX_DEPTH: usize = 200;
/// Operators of one expression, of a long sum those of one piece.
const MAX_OPERATORS: usize = 1500;

/// Operators of one sum.
const MAX_LINKS: usize = 20_000;

/// Result of a parsing function: a tree or one message.
pub(crate) type ParseResult<T> = Result<T, Box<Diagnostic>>;

/// What the parser needs to know of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Type,
    TypeTemplate,
    FnTemplate,
    Value,
    Namespace,
}

/// What a source is written in; the files in `own` are headers of ours, in CUDA C whatever the
/// language.
#[derive(Clone, Copy)]
pub(crate) struct Dialect<'a> {
    pub language: Language,
    pub own: &'a HashSet<FileId>,
}

/// Parses all tokens of a program. The tree is usable even if there are errors.
pub(crate) fn parse(tokens: Vec<Token>, dialect: Dialect<'_>) -> (Vec<Decl>, Vec<Diagnostic>) {
    let mut p = Parser::new(tokens, dialect);
    let decls = p.program();
    (decls, p.diags)
}

/// Parses one expression; `types` are names that denote types.
pub(crate) fn parse_expression(
    tokens: Vec<Token>,
    types: &[Ident],
    dialect: Dialect<'_>,
) -> ParseResult<Expr> {
    let mut p = Parser::new(tokens, dialect);
    for t in types {
        p.declare(t, Kind::Type);
    }
    let e = p.expression()?;
    match p.peek().kind {
        Tok::Eof => Ok(e),
        _ => p.fail("this does not belong to the expression"),
    }
}

struct Parser<'a> {
    dialect: Dialect<'a>,
    toks: Vec<Token>,
    pos: usize,
    scopes: Vec<HashMap<Ident, Kind>>,
    /// Names inside classes and namespaces, found after `::`, `.` and `->`.
    members: HashMap<Ident, Kind>,
    /// The namespace at hand, and by its name what each one held when it was closed.
    space: String,
    spaces: HashMap<String, HashMap<Ident, Kind>>,
    using_namespace: bool,
    diags: Vec<Diagnostic>,
    depth: usize,
    operators: usize,
    /// `>` ends a template argument list here.
    no_gt: bool,
    /// What the template at hand requires, and the concepts before `auto`, by their places.
    requires: Vec<Expr>,
    of_auto: Vec<(Span, Name)>,
    /// Classes being defined.
    classes: Vec<Ident>,
    /// Depth of `extern "C"` blocks.
    extern_c: usize,
    in_lambda: usize,
    /// Of `#pragma pack`: the greatest alignment of members, and those that were pushed.
    pack: Option<u64>,
    packs: Vec<Option<u64>>,
}

impl<'a> Parser<'a> {
    fn new(toks: Vec<Token>, dialect: Dialect<'a>) -> Parser<'a> {
        let mut global = HashMap::new();
        let names = match dialect.language {
            Language::CudaC => crate::builtins::type_names(),
            Language::OpenClC => crate::builtins::opencl_type_names(),
        };
        for name in names {
            global.insert(Ident::from(name), Kind::Type);
        }
        for name in ["std", "cuda"] {
            global.insert(Ident::from(name), Kind::Namespace);
        }
        let members = global.clone();
        let mut toks = toks;
        if dialect.language == Language::CudaC {
            spell_operators(&mut toks);
        }
        Parser {
            dialect,
            toks,
            pos: 0,
            scopes: vec![global],
            space: String::new(),
            spaces: HashMap::new(),
            members,
            using_namespace: false,
            diags: Vec::new(),
            depth: 0,
            operators: 0,
            no_gt: false,
            requires: Vec::new(),
            of_auto: Vec::new(),
            classes: Vec::new(),
            extern_c: 0,
            in_lambda: 0,
            pack: None,
            packs: Vec::new(),
        }
    }

    fn words(&self) -> &'static Words {
        crate::words::of(self.dialect.language)
    }

    /// Here stands OpenCL C: not a header of ours.
    fn opencl(&self) -> bool {
        self.dialect.language == Language::OpenClC && !self.dialect.own.contains(&self.span().file)
    }

    // ---- tokens

    fn peek(&self) -> &Token {
        self.ahead(0)
    }

    fn ahead(&self, n: usize) -> &Token {
        &self.toks[(self.pos + n).min(self.toks.len() - 1)]
    }

    fn span(&self) -> Span {
        self.peek().span
    }

    /// Span of the token before the current one.
    fn prev_span(&self) -> Span {
        self.toks[self.pos.saturating_sub(1)].span
    }

    fn is(&self, punct: &str) -> bool {
        self.peek().is(punct)
    }

    fn is_word(&self, word: &str) -> bool {
        self.peek().is_word(word)
    }

    fn bump(&mut self) -> Token {
        let t = self.peek().clone();
        if self.pos + 1 < self.toks.len() {
            self.pos += 1;
        }
        t
    }

    fn eat(&mut self, punct: &str) -> bool {
        let hit = self.is(punct);
        if hit {
            self.bump();
        }
        hit
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let hit = self.is_word(word);
        if hit {
            self.bump();
        }
        hit
    }

    fn at_end(&self) -> bool {
        self.peek().kind == Tok::Eof
    }

    /// How the current token is named in messages.
    fn found(&self) -> String {
        match &self.peek().kind {
            Tok::Eof => "the end of the file".into(),
            _ => format!("`{}`", self.peek().text()),
        }
    }

    fn fail<T>(&self, text: impl Into<String>) -> ParseResult<T> {
        Err(Box::new(Diagnostic::error(self.span(), text)))
    }

    fn expect(&mut self, punct: &'static str, after: &str) -> ParseResult<Span> {
        let span = self.span();
        if self.eat(punct) {
            return Ok(span);
        }
        Err(Box::new(
            Diagnostic::error(span, format!("expected `{punct}` {after}, found {}", self.found()))
                .label(format!("`{punct}` expected here")),
        ))
    }

    fn ident(&mut self, what: &str) -> ParseResult<(Ident, Span)> {
        let span = self.span();
        match &self.peek().kind {
            Tok::Ident(s) if !is_keyword(s) => {
                let s = s.clone();
                self.bump();
                Ok((s, span))
            }
            Tok::Ident(s) => {
                let text = format!("expected {what}, but `{s}` is a keyword");
                self.fail(text)
            }
            _ => {
                let text = format!("expected {what}, found {}", self.found());
                self.fail(text)
            }
        }
    }

    /// A `;`. If it is missing at the end of a line, that is reported behind the last token and
    /// parsing goes on.
    fn semicolon(&mut self, after: &str) -> ParseResult<()> {
        if self.eat(";") {
            return Ok(());
        }
        let prev = self.prev_span();
        let at = Span { lo: prev.hi, hi: prev.hi, ..prev };
        let d = Diagnostic::error(at, format!("`;` is missing after {after}"))
            .label("expected `;` here");
        if self.peek().first || self.is("}") || self.at_end() {
            self.report(d);
            return Ok(());
        }
        Err(Box::new(d.help(format!("found {} instead", self.found()))))
    }

    fn report(&mut self, d: Diagnostic) {
        if self.diags.len() < MAX_ERRORS {
            self.diags.push(d);
        }
    }

    fn enter(&mut self) -> ParseResult<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail(format!("this is nested more than {MAX_DEPTH} levels deep"));
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Runs `f` one level deeper, and restores the level also after an error.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        let depth = self.depth;
        let result = self.enter().and_then(|()| f(self));
        self.depth = depth;
        result
    }

    /// Position behind the bracket that closes the one at `pos`.
    fn matching(&self, pos: usize) -> usize {
        let mut level = 0usize;
        let mut i = pos;
        while i < self.toks.len() {
            match self.toks[i].kind {
                // As bytes: at each level of brackets all behind it is looked at.
                Tok::Punct(punct) => match punct.as_bytes() {
                    [b'(' | b'[' | b'{'] => level += 1,
                    [b')' | b']' | b'}'] => {
                        level = level.saturating_sub(1);
                        if level == 0 {
                            return i + 1;
                        }
                    }
                    _ => {}
                },
                Tok::Eof => return i,
                _ => {}
            }
            i += 1;
        }
        self.toks.len() - 1
    }

    fn skip_brackets(&mut self) {
        self.pos = self.matching(self.pos).min(self.toks.len() - 1);
    }

    /// Behind the brackets that open here stands `punct`.
    fn after_brackets(&self, punct: &str) -> bool {
        self.toks.get(self.matching(self.pos)).is_some_and(|t| t.is(punct))
    }

    /// After an error in a statement: to behind the next `;`, or before the `}` that closes the
    /// block.
    fn sync(&mut self) {
        loop {
            match self.peek().kind {
                Tok::Eof | Tok::Punct("}") => return,
                Tok::Punct(";") => {
                    self.bump();
                    return;
                }
                Tok::Punct("{") => {
                    self.skip_brackets();
                    return;
                }
                Tok::Punct("(" | "[") => {
                    // An unbalanced bracket must not swallow the rest of the file.
                    let end = self.matching(self.pos);
                    let broken = self.toks[self.pos..end]
                        .iter()
                        .any(|t| t.is(";") || t.is("{") || t.is("}"));
                    if broken {
                        self.bump();
                    } else {
                        self.pos = end.min(self.toks.len() - 1);
                    }
                }
                _ => {
                    self.bump();
                }
            }
        }
    }

    // ---- names

    fn declare(&mut self, name: &Ident, kind: Kind) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.clone(), kind);
        }
        if matches!(kind, Kind::Type | Kind::TypeTemplate | Kind::FnTemplate) {
            self.members.insert(name.clone(), kind);
        }
    }

    fn kind_of(&self, name: &str) -> Option<Kind> {
        let scoped = self.scopes.iter().rev().find_map(|s| s.get(name)).copied();
        scoped.or_else(|| if self.using_namespace { self.members.get(name).copied() } else { None })
    }

    fn push_scope(&mut self) {
        self.scopes.push(HashMap::new());
    }

    fn pop_scope(&mut self) {
        self.scopes.pop();
    }

    /// Walks over `a::b<..>::c` at `pos` without parsing; gives the kind of the last component and
    /// the end.
    fn scan_name(&self, pos: usize) -> Option<(Option<Kind>, usize)> {
        let mut i = pos;
        let mut qualified = false;
        if self.toks[i].is("::") {
            i += 1;
        }
        loop {
            let Tok::Ident(id) = &self.toks[i].kind else { return None };
            if is_keyword(id) {
                return None;
            }
            let kind = if qualified { self.members.get(id).copied() } else { self.kind_of(id) };
            i += 1;
            let templ = matches!(kind, Some(Kind::TypeTemplate | Kind::FnTemplate));
            if templ && self.toks[i].is("<") {
                i = self.scan_angle(i)?;
            }
            if self.toks[i].is("::") {
                i += 1;
                qualified = true;
                continue;
            }
            return Some((kind, i));
        }
    }

    /// End of a `<...>` list that begins at `pos`.
    fn scan_angle(&self, pos: usize) -> Option<usize> {
        let mut level = 0i32;
        let mut i = pos;
        loop {
            match self.toks[i].kind {
                Tok::Punct("<") => level += 1,
                Tok::Punct(">") => level -= 1,
                // Its second half belongs to the list around this one.
                Tok::Punct(">>") if level == 1 => return Some(i),
                Tok::Punct(">>") => level -= 2,
                Tok::Punct("(" | "[" | "{") => {
                    i = self.matching(i);
                    if i + 1 >= self.toks.len() {
                        return None;
                    }
                    continue;
                }
                Tok::Punct(";" | ")" | "]" | "}") | Tok::Eof => return None,
                _ => {}
            }
            i += 1;
            if level <= 0 {
                return Some(i);
            }
        }
    }

    /// A type begins at offset `n` from here.
    fn type_at(&self, n: usize) -> bool {
        let pos = (self.pos + n).min(self.toks.len() - 1);
        match &self.toks[pos].kind {
            Tok::Ident(s) if is_type_word(s) => true,
            Tok::Ident(s) if is_keyword(s) => false,
            Tok::Ident(_) | Tok::Punct("::") => {
                matches!(self.scan_name(pos), Some((Some(Kind::Type | Kind::TypeTemplate), _)))
            }
            _ => false,
        }
    }

    /// A declaration begins here (not an expression).
    fn declaration_at(&self) -> bool {
        let end = match &self.peek().kind {
            Tok::Ident(s) if is_decl_word(s) => return true,
            Tok::Ident(s) if matches!(&**s, "struct" | "class" | "union" | "enum") => return true,
            Tok::Ident(s) if is_operator_of_types(s) => self.matching(self.pos + 1),
            Tok::Ident(s) if is_type_word(s) => self.pos + 1,
            Tok::Ident(_) | Tok::Punct("::") => match self.scan_name(self.pos) {
                Some((Some(Kind::Type | Kind::TypeTemplate), end)) => end,
                // A concept.
                Some((Some(Kind::FnTemplate), end)) => return self.toks[end].is_word("auto"),
                _ => return false,
            },
            _ => return false,
        };
        let at = |i: usize| &self.toks[i.min(self.toks.len() - 1)];
        let next = at(end);
        // `T (*p)[4]` declares, `T(x)` makes a value, and so does `T(*p)` with a member behind it.
        let pointer = next.is("(")
            && (at(end + 1).is("*") || at(end + 1).is("&") || self.member_pointer_at(end + 1));
        let pointer = pointer && {
            let after = at(self.matching(end));
            !(after.is(".") || after.is("->"))
        };
        pointer || !(next.is("(") || next.is("{") || next.is("."))
    }

    /// `a::b<c>::d`, also operator names. `qualified`: it stands behind `.` or `->`.
    fn name(&mut self, qualified: bool) -> ParseResult<Name> {
        let start = self.span();
        let global = self.eat("::");
        let mut parts: Vec<Part> = Vec::new();
        loop {
            let member = qualified || !parts.is_empty();
            let forced = self.eat_word("template");
            let span = self.span();
            if self.is_word("operator") {
                let id = self.operator_name()?;
                parts.push(Part { id, args: None, span: span.to(self.prev_span()) });
                break;
            }
            let destructor = self.is("~") && member;
            if destructor {
                self.bump();
            }
            let (id, _) = self.ident("a name")?;
            let id = if destructor { crate::ast::DESTRUCTOR.into() } else { id };
            let kind = if member { self.members.get(&id).copied() } else { self.kind_of(&id) };
            let templ = forced || matches!(kind, Some(Kind::TypeTemplate | Kind::FnTemplate));
            let mut args = None;
            if templ && self.is("<") && (forced || self.scan_angle(self.pos).is_some()) {
                args = Some(self.template_args()?);
            }
            parts.push(Part { id, args, span: span.to(self.prev_span()) });
            let next_is_name = matches!(self.ahead(1).kind, Tok::Ident(_)) || self.ahead(1).is("~");
            if !(self.is("::") && next_is_name) {
                break;
            }
            self.bump();
        }
        Ok(Name { parts, global, elaborated: false, span: start.to(self.prev_span()) })
    }

    fn operator_name(&mut self) -> ParseResult<Ident> {
        self.bump();
        let t = self.bump();
        let text = match t.kind {
            Tok::Punct("(") => {
                self.expect(")", "in `operator()`")?;
                "()".to_string()
            }
            Tok::Punct("[") => {
                self.expect("]", "in `operator[]`")?;
                "[]".to_string()
            }
            Tok::Str(s) if *s == *"\"\"" && matches!(self.peek().kind, Tok::Ident(_)) => {
                format!("\"\"{}", self.bump().text())
            }
            Tok::Punct(p) if p != ";" && p != "{" => p.to_string(),
            _ => {
                self.pos -= 1;
                return self.fail("an operator is expected after `operator`");
            }
        };
        Ok(format!("operator{text}").into())
    }

    /// `<a, b>`
    fn template_args(&mut self) -> ParseResult<Vec<TArg>> {
        self.nested(|p| {
            p.expect("<", "before the template arguments")?;
            let outer = std::mem::replace(&mut p.no_gt, true);
            let result = p.template_arg_list();
            p.no_gt = outer;
            result
        })
    }

    fn template_arg_list(&mut self) -> ParseResult<Vec<TArg>> {
        let mut args = Vec::new();
        while !self.is(">") && !self.is(">>") {
            if self.type_at(0) && !self.construct_at(0) {
                let mut ty = self.type_id()?;
                if self.eat("...") {
                    let span = ty.span;
                    ty = Ty { kind: TyKind::Expand(Box::new(ty)), is_const: false, span };
                }
                args.push(TArg::Type(ty));
            } else {
                let e = self.conditional()?;
                args.push(TArg::Expr(self.expansion(e)));
            }
            if !self.eat(",") {
                break;
            }
        }
        if self.is(">>") {
            // `>>` closes two lists: the first half is used up here.
            let pos = self.pos;
            self.toks[pos].kind = Tok::Punct(">");
            self.toks[pos].span.lo += 1;
        } else {
            self.expect(">", "after the template arguments")?;
        }
        Ok(args)
    }

    /// `T(...)` or `T{...}` with a type of one word, at offset `n` from here.
    fn construct_at(&self, n: usize) -> bool {
        let pos = (self.pos + n).min(self.toks.len() - 1);
        if matches!(&self.toks[pos].kind, Tok::Ident(w) if is_operator_of_types(w)) {
            let t = &self.toks[self.matching(pos + 1).min(self.toks.len() - 1)];
            return t.is("(") || t.is("{");
        }
        match self.scan_name(pos) {
            Some((_, end)) => {
                let t = &self.toks[end.min(self.toks.len() - 1)];
                t.is("(") || t.is("{")
            }
            None => {
                let pointer = self.ahead(n + 2).is("*") || self.member_pointer_at(pos + 2);
                self.ahead(n + 1).is("(") && !pointer
            }
        }
    }
}

/// Words that cannot be names.
fn is_keyword(s: &str) -> bool {
    is_type_word(s)
        || is_decl_word(s)
        || matches!(
            s,
            "if" | "else"
                | "for"
                | "while"
                | "do"
                | "switch"
                | "case"
                | "default"
                | "break"
                | "continue"
                | "return"
                | "goto"
                | "sizeof"
                | "alignof"
                | "this"
                | "true"
                | "false"
                | "nullptr"
                | "new"
                | "delete"
                | "static_cast"
                | "reinterpret_cast"
                | "const_cast"
                | "dynamic_cast"
                | "public"
                | "private"
                | "protected"
                | "try"
                | "catch"
                | "throw"
                | "operator"
                | "asm"
                | "__asm__"
                | "noexcept"
        )
}

/// Words that begin a type.
fn is_type_word(s: &str) -> bool {
    matches!(
        s,
        "void"
            | "bool"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "signed"
            | "__int128"
            | "unsigned"
            | "const"
            | "volatile"
            | "struct"
            | "class"
            | "union"
            | "enum"
            | "typename"
            | "auto"
            | "decltype"
            | "typeof"
            | "__typeof__"
            | "__typeof"
            | "_Bool"
            | "__const"
            | "__signed__"
            | "__const__"
            | "__global"
            | "__local"
            | "__constant"
            | "__private"
    )
}

/// Words that make a type of what stands in parentheses.
fn is_operator_of_types(s: &str) -> bool {
    matches!(s, "decltype" | "typeof" | "__typeof__" | "__typeof")
}

/// Words that begin a declaration and are no type.
fn is_decl_word(s: &str) -> bool {
    matches!(
        s,
        "static"
            | "extern"
            | "inline"
            | "__inline__"
            | "__inline"
            | "constexpr"
            | "consteval"
            | "constinit"
            | "register"
            | "typedef"
            | "using"
            | "namespace"
            | "template"
            | "static_assert"
            | "_Static_assert"
            | "friend"
            | "virtual"
            | "explicit"
            | "mutable"
            | "thread_local"
            | "__global__"
            | "__kernel"
            | "__device__"
            | "__host__"
            | "__shared__"
            | "__constant__"
            | "__managed__"
            | "__forceinline__"
            | "__noinline__"
            | "__launch_bounds__"
            | "__grid_constant__"
            | "__restrict__"
            | "__restrict"
            | "__attribute__"
            | "__align__"
            | "alignas"
            | "__cluster_dims__"
            | "__maxnreg__"
            | "__declspec"
    )
}
