//! Declarations: specifiers, declarators, functions, classes, templates, and what is skipped because it is for the host.

use std::rc::Rc;

use super::{Kind, Parser, R, is_keyword};
use crate::ast::{
    Body, Decl, Enum, Expr, ExprKind, Function, Ident, IntKind, MemberInit, Name, Param, Part,
    Specs, Struct, TParam, TParamKind, Ty, TyKind, Var,
};
use crate::diag::Diagnostic;
use crate::lex::Tok;
use crate::sema::suggest::nearest;
use crate::source::Span;

/// Words with two underscores in front that a student may have misspelt.
const ATTRIBUTES: &[&str] = &[
    "__global__",
    "__device__",
    "__host__",
    "__shared__",
    "__constant__",
    "__managed__",
    "__forceinline__",
    "__noinline__",
    "__launch_bounds__",
    "__restrict__",
];

/// Parameter list of a function declarator.
pub(super) struct Signature {
    params: Vec<Param>,
    variadic: bool,
}

/// What a declarator yields.
pub(super) struct Declared {
    pub name: Option<Name>,
    pub ty: Ty,
    pub func: Option<Signature>,
}

/// Template parameters in force for a declaration.
#[derive(Default)]
struct Templates {
    lists: Vec<Vec<TParam>>,
}

impl Parser {
    pub(super) fn program(&mut self) -> Vec<Decl> {
        let mut out = Vec::new();
        while !self.at_end() {
            if self.is("}") {
                let at = self.span();
                self.report(
                    Diagnostic::error(at, "this `}` closes nothing").label("no block is open here"),
                );
                self.bump();
                continue;
            }
            self.outer(&mut out);
        }
        out
    }

    /// One declaration at file or namespace scope. Never fails: errors are reported and skipped.
    fn outer(&mut self, out: &mut Vec<Decl>) {
        let start = self.pos;
        let scopes = self.scopes.len();
        let classes = self.classes.len();
        let (extern_c, depth) = (self.extern_c, self.depth);
        self.operators = 0;
        self.no_gt = false;
        let errors = self.diags.len();
        if let Err(d) = self.outer_declaration(out) {
            self.scopes.truncate(scopes);
            self.classes.truncate(classes);
            (self.extern_c, self.depth) = (extern_c, depth);
            let end = self.declaration_end(start);
            let for_device = self.toks[start..end].iter().any(|t| {
                matches!(&t.kind, Tok::Ident(s) if matches!(&**s, "__global__" | "__device__" | "__shared__" | "__constant__"))
            });
            let misspelt = self.misspelt_attribute(start, end);
            if let Some(d) = misspelt {
                self.report(d);
            } else if for_device || !d.message.starts_with("unknown type") {
                self.report(*d);
            } else {
                // Written for the host, with types that only host headers declare.
                self.diags.truncate(errors);
                let name = self.toks[start..end].windows(2).find_map(|w| {
                    match (&w[0].kind, w[1].is("(") || w[1].is(";") || w[1].is("=")) {
                        (Tok::Ident(s), true) if !is_keyword(s) => Some(s.clone()),
                        _ => None,
                    }
                });
                let span = self.toks[start].span;
                out.push(Decl::Host(name, span));
            }
            self.pos = end.max(start + 1).min(self.toks.len() - 1);
        }
    }

    /// End of the declaration that begins at `start`: behind its `;`, or behind a block that ends it.
    fn declaration_end(&self, start: usize) -> usize {
        let mut i = start;
        let mut last_close = false;
        while i < self.toks.len() {
            match self.toks[i].kind {
                Tok::Eof => return i,
                Tok::Punct(";") => return i + 1,
                Tok::Punct("}") => return i.max(start + 1),
                Tok::Punct("{") => {
                    // After a parameter list a block is a function body and ends the declaration.
                    let after_list = last_close
                        || (i > start
                            && matches!(&self.toks[i - 1].kind, Tok::Ident(s) if matches!(&**s, "const" | "noexcept" | "override" | "final")));
                    i = self.matching(i);
                    if after_list {
                        return i;
                    }
                    if i < self.toks.len() && self.toks[i].is(";") {
                        return i + 1;
                    }
                    return i;
                }
                Tok::Punct("(" | "[") => {
                    let end = self.matching(i);
                    let broken = self.toks[i..end].iter().any(|t| t.is("{") || t.is(";"));
                    if broken && self.toks[i].is("(") && self.toks[i..end].iter().any(|t| t.is(";"))
                    {
                        i += 1;
                    } else {
                        last_close = self.toks[i].is("(");
                        i = end;
                    }
                    continue;
                }
                _ => {}
            }
            last_close = false;
            i += 1;
        }
        self.toks.len() - 1
    }

    /// A word of the declaration's head that is nearly an attribute.
    fn misspelt_attribute(&self, start: usize, end: usize) -> Option<Diagnostic> {
        for t in &self.toks[start..end] {
            match &t.kind {
                Tok::Ident(s) if s.starts_with('_') && !is_keyword(s) => {
                    if let Some(near) = nearest(s, ATTRIBUTES.iter().copied()) {
                        return Some(
                            Diagnostic::error(t.span, format!("unknown attribute `{s}`"))
                                .help(format!("did you mean `{near}`?")),
                        );
                    }
                }
                Tok::Punct("{" | "(" | ";" | "=") => return None,
                _ => {}
            }
        }
        None
    }

    pub(super) fn unknown_type(&self) -> Box<Diagnostic> {
        let name = self.peek().text();
        let known = self
            .scopes
            .iter()
            .flat_map(|s| s.iter())
            .filter(|(_, k)| matches!(k, Kind::Type | Kind::TypeTemplate))
            .map(|(n, _)| &**n)
            .chain([
                "int", "float", "double", "unsigned", "char", "short", "long", "bool", "void",
                "const",
            ]);
        let mut d = Diagnostic::error(self.span(), format!("unknown type name `{name}`"))
            .label("not a type");
        let attribute =
            if name.starts_with('_') { nearest(&name, ATTRIBUTES.iter().copied()) } else { None };
        if let Some(near) = attribute.map(str::to_string).or_else(|| nearest_sorted(&name, known)) {
            d = d.help(format!("did you mean `{near}`?"));
        } else if name == "string" || name == "vector" {
            d = d.help("the C++ library is not available in device code: use arrays and pointers");
        }
        Box::new(d)
    }

    fn outer_declaration(&mut self, out: &mut Vec<Decl>) -> R<()> {
        if self.eat(";") {
            return Ok(());
        }
        if self.peek().kind == Tok::Unroll {
            self.bump();
            if self.is("(") {
                self.skip_brackets();
            }
            return Ok(());
        }
        let Tok::Ident(word) = self.peek().kind.clone() else {
            if matches!(self.peek().kind, Tok::Punct("::" | "[")) {
                out.extend(self.declaration(Templates::default())?);
                return Ok(());
            }
            return self.fail(format!("expected a declaration, found {}", self.found()));
        };
        match &*word {
            "template" => {
                out.extend(self.template()?);
                return Ok(());
            }
            "inline" if self.ahead(1).is_word("namespace") => {
                self.bump();
                return self.namespace(out);
            }
            "namespace" => return self.namespace(out),
            "extern" if matches!(self.ahead(1).kind, Tok::Str(_)) => {
                self.bump();
                let lang = self.bump().text();
                if lang != "\"C\"" && lang != "\"C++\"" {
                    return self.fail(format!("unknown language {lang}"));
                }
                let c = usize::from(lang == "\"C\"");
                self.extern_c += c;
                if self.is("{") {
                    let open = self.bump().span;
                    self.enter()?;
                    while !self.is("}") && !self.at_end() {
                        self.outer(out);
                    }
                    self.leave();
                    if !self.eat("}") {
                        return Err(Box::new(
                            Diagnostic::error(open, "this `{` is never closed")
                                .label("opened here"),
                        ));
                    }
                } else {
                    self.outer(out);
                }
                self.extern_c -= c;
                return Ok(());
            }
            "asm" | "__asm__" => {
                self.pos = self.declaration_end(self.pos);
                return Ok(());
            }
            _ => {}
        }
        out.extend(self.declaration(Templates::default())?);
        Ok(())
    }

    fn namespace(&mut self, out: &mut Vec<Decl>) -> R<()> {
        self.bump();
        let mut names: Vec<Ident> = Vec::new();
        while matches!(self.peek().kind, Tok::Ident(_)) {
            let (name, _) = self.ident("the name of the namespace")?;
            self.declare(&name, Kind::Namespace);
            names.push(name);
            if !self.eat("::") {
                break;
            }
        }
        if names.len() == 1 && self.eat("=") {
            let target = self.name(false)?;
            self.semicolon("the namespace alias")?;
            out.push(Decl::NamespaceAlias { name: names.remove(0), target });
            return Ok(());
        }
        let open = self.expect("{", "after the name of the namespace")?;
        self.enter()?;
        // Names inside stay visible to the parser as members; see `members`.
        self.push_scope();
        let mut decls = Vec::new();
        while !self.is("}") && !self.at_end() {
            self.outer(&mut decls);
        }
        let inner = self.scopes.pop().unwrap_or_default();
        for (n, k) in inner {
            self.members.insert(n.clone(), k);
            if names.is_empty() {
                self.declare(&n, k);
            }
        }
        self.leave();
        if !self.eat("}") {
            return Err(Box::new(
                Diagnostic::error(open, "this `{` is never closed").label("opened here"),
            ));
        }
        let mut decl = Decl::Namespace { name: names.pop(), decls: Rc::new(decls) };
        while let Some(name) = names.pop() {
            decl = Decl::Namespace { name: Some(name), decls: Rc::new(vec![decl]) };
        }
        out.push(decl);
        Ok(())
    }

    fn template(&mut self) -> R<Vec<Decl>> {
        self.enter()?;
        self.bump();
        if !self.is("<") {
            let decls = self.declaration(Templates::default())?;
            self.leave();
            return Ok(decls
                .into_iter()
                .filter_map(|d| match d {
                    Decl::Function(f) => Some(Decl::Instantiate(f)),
                    _ => None,
                })
                .collect());
        }
        let mut templates = Templates::default();
        self.push_scope();
        loop {
            templates.lists.push(self.template_params()?);
            if !self.eat_word("template") {
                break;
            }
        }
        let decls = self.declaration(templates)?;
        self.pop_scope();
        for d in &decls {
            match d {
                Decl::Function(f) if f.name.parts.len() == 1 => {
                    self.declare(&f.name.parts[0].id.clone(), Kind::FnTemplate)
                }
                Decl::Struct(s) => {
                    if let Some(n) = &s.name {
                        self.declare(&n.clone(), Kind::TypeTemplate);
                    }
                }
                Decl::Alias { name, .. } => self.declare(&name.clone(), Kind::TypeTemplate),
                Decl::Var(v) => {
                    return Err(Box::new(Diagnostic::error(
                        v.span,
                        "templates of variables are not supported",
                    )));
                }
                _ => {}
            }
        }
        self.leave();
        Ok(decls)
    }

    fn template_params(&mut self) -> R<Vec<TParam>> {
        self.expect("<", "after `template`")?;
        let outer = std::mem::replace(&mut self.no_gt, true);
        let mut out = Vec::new();
        while !self.is(">") && !self.is(">>") {
            if self.is_word("template") {
                return self.fail("templates as template parameters are not supported");
            }
            let is_type =
                self.is_word("class") || (self.is_word("typename") && !self.ahead(2).is("::"));
            if is_type {
                self.bump();
                if self.is("...") {
                    return self.fail("parameter packs are not supported");
                }
                let name = if matches!(self.peek().kind, Tok::Ident(_)) {
                    self.ident("a name")?.0
                } else {
                    format!("type:{}", out.len()).into()
                };
                self.declare(&name, Kind::Type);
                let default = if self.eat("=") { Some(self.type_id()?) } else { None };
                out.push(TParam { name, kind: TParamKind::Type(default) });
            } else {
                let (_, base) = self.specifiers()?;
                let Some(base) = base else { return Err(self.unknown_type()) };
                if self.is("...") {
                    return self.fail("parameter packs are not supported");
                }
                let d = self.declarator(base)?;
                let name = d
                    .name
                    .map(|n| n.last().id.clone())
                    .unwrap_or_else(|| format!("value:{}", out.len()).into());
                self.declare(&name, Kind::Value);
                let default = if self.eat("=") { Some(self.conditional()?) } else { None };
                out.push(TParam { name, kind: TParamKind::Value(d.ty, default) });
            }
            if !self.eat(",") {
                break;
            }
        }
        self.no_gt = outer;
        if self.is(">>") {
            let pos = self.pos;
            self.toks[pos].kind = Tok::Punct(">");
        } else {
            self.expect(">", "after the template parameters")?;
        }
        Ok(out)
    }

    /// Declaration in a block.
    pub(super) fn block_declaration(&mut self) -> R<Vec<Decl>> {
        self.declaration(Templates::default())
    }

    fn declaration(&mut self, templates: Templates) -> R<Vec<Decl>> {
        self.nested(|p| p.declaration_inner(templates))
    }

    fn declaration_inner(&mut self, templates: Templates) -> R<Vec<Decl>> {
        let start = self.span();
        if self.is_word("static_assert") || self.is_word("_Static_assert") {
            self.bump();
            self.expect("(", "after `static_assert`")?;
            let cond = self.conditional()?;
            let mut text = None;
            if self.eat(",") {
                match self.expression()?.kind {
                    ExprKind::Str(s) => text = Some(String::from_utf8_lossy(&s).into_owned()),
                    _ => return self.fail("the message of `static_assert` is a string"),
                }
            }
            self.expect(")", "after `static_assert`")?;
            let span = start.to(self.prev_span());
            self.semicolon("`static_assert`")?;
            return Ok(vec![Decl::StaticAssert { cond, text, span }]);
        }
        if self.is_word("using") {
            return self.using(templates);
        }
        if self.is_word("namespace") {
            let mut out = Vec::new();
            self.namespace(&mut out)?;
            return Ok(out);
        }
        if self.is_word("friend") {
            return self.fail("`friend` is not supported: make the members public");
        }
        let is_template = !templates.lists.is_empty();
        let (mut specs, base) = self.specifiers_of(&templates)?;
        specs.span = start;
        specs.extern_c |= self.extern_c > 0;
        let Some(base) = base else {
            return self.without_type(specs, templates);
        };
        let mut out = Vec::new();
        let mut base = base;
        // A struct or enum defined here comes first.
        match &base.kind {
            TyKind::Struct(s) => {
                let s = s.clone();
                out.push(Decl::Struct(s.clone()));
                if let Some(n) = &s.name {
                    base.kind = TyKind::Name(Name::simple(n.clone(), s.span));
                }
                if self.is(";") {
                    self.bump();
                    return Ok(out);
                }
                let continues = matches!(self.peek().kind, Tok::Punct("*" | "&" | "("))
                    || matches!(&self.peek().kind, Tok::Ident(w) if !is_keyword(w));
                if !continues || (self.peek().first && !specs.is_typedef) {
                    let prev = self.prev_span();
                    let at = Span { lo: prev.hi, hi: prev.hi, ..prev };
                    self.report(
                        Diagnostic::error(at, "`;` is missing after the definition of a type")
                            .label("expected `;` here")
                            .help("unlike a function, a struct ends with `};`"),
                    );
                    return Ok(out);
                }
                if is_template {
                    return self
                        .fail("a variable cannot be declared together with a class template");
                }
            }
            TyKind::Enum(e) => {
                let e = e.clone();
                out.push(Decl::Enum(e.clone()));
                if let Some(n) = &e.name {
                    base.kind = TyKind::Name(Name::simple(n.clone(), e.span));
                }
                if self.eat(";") {
                    return Ok(out);
                }
            }
            _ => {}
        }
        if self.eat(";") {
            return Ok(out);
        }
        loop {
            let from = self.span();
            let d = self.declarator(base.clone())?;
            let Some(name) = d.name else {
                let word = self.peek().text();
                if word.starts_with('_') {
                    if let Some(near) = nearest(&word, ATTRIBUTES.iter().copied()) {
                        return Err(Box::new(
                            Diagnostic::error(self.span(), format!("unknown attribute `{word}`"))
                                .help(format!("did you mean `{near}`?")),
                        ));
                    }
                }
                return self
                    .fail(format!("expected a name in the declaration, found {}", self.found()));
            };
            if specs.is_typedef {
                let ty = if d.func.is_some() { Ty { kind: TyKind::Func, ..d.ty } } else { d.ty };
                let id = name.last().id.clone();
                self.declare(&id, Kind::Type);
                out.push(Decl::Alias {
                    name: id,
                    ty,
                    template: Rc::new(Vec::new()),
                    span: name.span,
                });
            } else if let Some(sig) = d.func {
                let f = self.function(name, specs.clone(), d.ty, sig, templates, false)?;
                out.push(Decl::Function(Rc::new(f)));
                if matches!(out.last(), Some(Decl::Function(f)) if matches!(f.body, Body::None))
                    && self.is(",")
                {
                    return self.fail("declare one function at a time");
                }
                return Ok(out);
            } else {
                let in_class = self.classes.last().is_some_and(|c| !c.is_empty());
                let mut bits = false;
                if in_class && self.eat(":") {
                    self.conditional()?;
                    bits = true;
                }
                if name.parts.len() == 1 {
                    let id = name.last().id.clone();
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.insert(id, Kind::Value);
                    }
                }
                let init = self.initialiser()?;
                let span = name.span;
                out.push(Decl::Var(Rc::new(Var {
                    name,
                    ty: d.ty,
                    init,
                    specs: specs.clone(),
                    span,
                    bits,
                })));
            }
            if !self.eat(",") {
                let _ = from;
                break;
            }
        }
        if let (Tok::Ident(w), false) = (&self.peek().kind, self.peek().first) {
            if w.starts_with("__") {
                if let Some(near) = nearest(w, ATTRIBUTES.iter().copied()) {
                    let d = Diagnostic::error(self.span(), format!("unknown attribute `{w}`"))
                        .help(format!("did you mean `{near}`?"));
                    return Err(Box::new(d));
                }
            }
        }
        self.semicolon("the declaration")?;
        Ok(out)
    }

    fn using(&mut self, mut templates: Templates) -> R<Vec<Decl>> {
        self.bump();
        if self.eat_word("namespace") {
            let n = self.name(false)?;
            self.semicolon("`using namespace`")?;
            self.using_namespace = true;
            return Ok(vec![Decl::UsingNamespace(n)]);
        }
        self.eat_word("typename");
        if self.ahead(1).is("=") {
            let (name, span) = self.ident("the name of the type")?;
            self.bump();
            let ty = self.type_id()?;
            self.semicolon("the alias")?;
            self.declare(&name, Kind::Type);
            let template = Rc::new(templates.lists.pop().unwrap_or_default());
            return Ok(vec![Decl::Alias { name, ty, template, span }]);
        }
        let n = self.name(false)?;
        self.semicolon("`using`")?;
        if let Some(k) = self.members.get(&n.last().id).copied() {
            self.declare(&n.last().id.clone(), k);
        }
        Ok(vec![Decl::Using(n)])
    }

    /// Constructors, destructors and conversion functions have no type in front.
    fn without_type(&mut self, specs: Specs, templates: Templates) -> R<Vec<Decl>> {
        let span = self.span();
        if self.is_word("operator") && self.type_at(1) {
            self.bump();
            let mut ty = self.simple_type()?;
            while self.eat("*") {
                let span = ty.span.to(self.prev_span());
                ty = Ty { kind: TyKind::Ptr(Box::new(ty), false), is_const: false, span };
            }
            let name = Name::simple("operator T".into(), span.to(self.prev_span()));
            let (params, variadic) = self.parameters()?;
            let f =
                self.function(name, specs, ty, Signature { params, variadic }, templates, false)?;
            return Ok(vec![Decl::Function(Rc::new(f))]);
        }
        let dtor = self.is("~");
        if dtor {
            self.bump();
        }
        if matches!(self.peek().kind, Tok::Ident(_)) && (dtor || self.constructor_at()) {
            let mut name = self.name(false)?;
            if let Some(last) = name.parts.last_mut() {
                if dtor {
                    last.id = format!("~{}", last.id).into();
                }
                last.args = None;
            }
            let dtor = name.last().id.starts_with('~');
            let (params, variadic) = self.parameters()?;
            let ret = Ty { kind: TyKind::Void, is_const: false, span };
            let mut f =
                self.function(name, specs, ret, Signature { params, variadic }, templates, !dtor)?;
            f.is_dtor = dtor;
            return Ok(vec![Decl::Function(Rc::new(f))]);
        }
        if matches!(self.peek().kind, Tok::Ident(_)) {
            return Err(self.unknown_type());
        }
        self.fail(format!("expected a declaration, found {}", self.found()))
    }

    /// `S(` inside `struct S`, or `S::S(`.
    fn constructor_at(&self) -> bool {
        let Tok::Ident(id) = &self.peek().kind else { return false };
        if self.ahead(1).is("(") {
            return self.classes.last() == Some(id);
        }
        // Out of class: the last two components are the same, or the last one begins with `~`.
        let mut i = self.pos;
        let mut last = id.clone();
        loop {
            i += 1;
            if self.toks[i].is("<") {
                match self.scan_angle(i) {
                    Some(end) => i = end,
                    None => return false,
                }
            }
            if !self.toks[i].is("::") {
                return false;
            }
            i += 1;
            if self.toks[i].is("~") {
                return true;
            }
            let Tok::Ident(next) = &self.toks[i].kind else { return false };
            if *next == last && self.toks[i + 1].is("(") {
                return true;
            }
            last = next.clone();
        }
    }

    /// Specifiers of a plain declaration.
    pub(super) fn specifiers(&mut self) -> R<(Specs, Option<Ty>)> {
        self.specifiers_of(&Templates::default())
    }

    fn specifiers_of(&mut self, templates: &Templates) -> R<(Specs, Option<Ty>)> {
        let mut specs = Specs { span: self.span(), ..Specs::default() };
        let mut base: Option<Ty> = None;
        let mut is_const = false;
        let mut first_word: Option<Span> = None;
        let (mut signed, mut unsigned, mut short, mut long, mut char_, mut int, mut double) =
            (0, 0, 0, 0, 0, 0, 0);
        loop {
            let span = self.span();
            let Tok::Ident(word) = self.peek().kind.clone() else {
                if self.is("[") && self.ahead(1).is("[") {
                    self.skip_brackets();
                    continue;
                }
                if self.is("::") && base.is_none() && self.type_at(0) {
                    base = Some(self.named_type()?);
                    continue;
                }
                break;
            };
            let words = signed + unsigned + short + long + char_ + int + double;
            match &*word {
                "__global__" => specs.global = true,
                "__device__" => specs.device = true,
                "__host__" => specs.host = true,
                "__shared__" => specs.shared = true,
                "__constant__" => specs.constant = true,
                "__managed__" => specs.managed = true,
                "static" => specs.is_static = true,
                "extern" => {
                    specs.is_extern = true;
                    if let Tok::Str(s) = &self.ahead(1).kind {
                        specs.extern_c |= **s == *"\"C\"";
                        self.bump();
                    }
                }
                "constexpr" | "constinit" => {
                    specs.is_constexpr = true;
                    is_const = true;
                }
                "typedef" => specs.is_typedef = true,
                "virtual" => specs.is_virtual = true,
                "inline" | "__inline__" | "__inline" | "register" | "__forceinline__"
                | "__noinline__" | "explicit" | "mutable" | "__grid_constant__"
                | "__restrict__" | "__restrict" | "thread_local" | "volatile" => {}
                "const" | "__const__" => is_const = true,
                "__launch_bounds__" => {
                    self.bump();
                    self.expect("(", "after `__launch_bounds__`")?;
                    let threads = self.conditional()?;
                    let blocks = if self.eat(",") { Some(self.conditional()?) } else { None };
                    if self.eat(",") {
                        self.conditional()?;
                    }
                    self.expect(")", "after `__launch_bounds__`")?;
                    specs.bounds = Some(Rc::new((threads, blocks)));
                    continue;
                }
                "__align__" | "alignas" => {
                    specs.align = Some(Box::new(self.alignment()?));
                    continue;
                }
                "__attribute__" | "__declspec" | "__cluster_dims__" | "__maxnreg__" => {
                    self.bump();
                    if self.is("(") {
                        self.skip_brackets();
                    }
                    continue;
                }
                "signed" | "__signed__" => signed += 1,
                "unsigned" => unsigned += 1,
                "short" => short += 1,
                "long" => long += 1,
                "char" => char_ += 1,
                "int" => int += 1,
                "double" => double += 1,
                "void" | "bool" | "_Bool" | "float" | "auto" if base.is_none() && words == 0 => {
                    let kind = match &*word {
                        "void" => TyKind::Void,
                        "float" => TyKind::F32,
                        "auto" => TyKind::Auto,
                        _ => TyKind::Bool,
                    };
                    base = Some(Ty { kind, is_const: false, span });
                }
                "decltype" if base.is_none() && words == 0 => {
                    self.bump();
                    self.expect("(", "after `decltype`")?;
                    let e = self.expression()?;
                    self.expect(")", "after `decltype`")?;
                    base = Some(Ty { kind: TyKind::Decltype(Box::new(e)), is_const: false, span });
                    continue;
                }
                "struct" | "class" | "union" if base.is_none() && words == 0 => {
                    base = Some(self.class(templates)?);
                    continue;
                }
                "enum" if base.is_none() && words == 0 => {
                    base = Some(self.enumeration()?);
                    continue;
                }
                "typename" if base.is_none() && words == 0 => {
                    self.bump();
                    let name = self.name(false)?;
                    let span = name.span;
                    base = Some(Ty { kind: TyKind::Name(name), is_const: false, span });
                    continue;
                }
                _ if base.is_none() && words == 0 => {
                    if is_keyword(&word) || self.constructor_at() || !self.type_at(0) {
                        break;
                    }
                    base = Some(self.named_type()?);
                    continue;
                }
                _ => break,
            }
            if signed + unsigned + short + long + char_ + int + double > words {
                first_word.get_or_insert(span);
            }
            self.bump();
        }
        let words = signed + unsigned + short + long + char_ + int + double;
        if words > 0 {
            let span = first_word.unwrap_or(self.prev_span());
            let span = if words > 1 { span.to(self.prev_span()) } else { span };
            let int_kind = match (unsigned > 0, char_, short, long) {
                (false, 1, 0, 0) if signed > 0 => Some(IntKind::SChar),
                (false, 1, 0, 0) => Some(IntKind::Char),
                (true, 1, 0, 0) => Some(IntKind::UChar),
                (false, 0, 1, 0) => Some(IntKind::Short),
                (true, 0, 1, 0) => Some(IntKind::UShort),
                (false, 0, 0, 0) => Some(IntKind::Int),
                (true, 0, 0, 0) => Some(IntKind::UInt),
                (false, 0, 0, 1) => Some(IntKind::Long),
                (true, 0, 0, 1) => Some(IntKind::ULong),
                (false, 0, 0, 2) => Some(IntKind::LongLong),
                (true, 0, 0, 2) => Some(IntKind::ULongLong),
                _ => None,
            };
            let bad =
                base.is_some() || signed + unsigned > 1 || int > 1 || char_ + int > 1 || double > 1;
            let kind = if bad {
                None
            } else if double == 1 {
                (signed + unsigned + short + char_ + int == 0 && long <= 1).then_some(TyKind::F64)
            } else {
                int_kind.map(TyKind::Int)
            };
            let Some(kind) = kind else {
                return Err(Box::new(Diagnostic::error(span, "these words do not make up a type")));
            };
            base = Some(Ty { kind, is_const: false, span });
        }
        if let Some(b) = &mut base {
            b.is_const |= is_const;
        }
        Ok((specs, base))
    }

    fn alignment(&mut self) -> R<Expr> {
        self.bump();
        self.expect("(", "before the alignment")?;
        let e = if self.type_at(0) {
            let ty = self.type_id()?;
            let span = ty.span;
            Expr { kind: ExprKind::Alignof(ty), span }
        } else {
            self.conditional()?
        };
        self.expect(")", "after the alignment")?;
        Ok(e)
    }

    fn named_type(&mut self) -> R<Ty> {
        let name = self.name(false)?;
        let span = name.span;
        Ok(Ty { kind: TyKind::Name(name), is_const: false, span })
    }

    /// Type of a construct expression `T(...)`: no declarator.
    pub(super) fn simple_type(&mut self) -> R<Ty> {
        let span = self.span();
        match self.specifiers()? {
            (_, Some(ty)) => Ok(Ty { span: span.to(self.prev_span()), ..ty }),
            _ => Err(self.unknown_type()),
        }
    }

    /// Type with an abstract declarator.
    pub(super) fn type_id(&mut self) -> R<Ty> {
        let span = self.span();
        let (_, base) = self.specifiers()?;
        let Some(base) = base else { return Err(self.unknown_type()) };
        let d = self.declarator(base)?;
        if let Some(n) = d.name {
            return Err(Box::new(Diagnostic::error(
                n.span,
                "a type without a name is expected here",
            )));
        }
        let mut ty = d.ty;
        if d.func.is_some() {
            ty.kind = TyKind::Func;
        }
        ty.span = span.to(self.prev_span());
        Ok(ty)
    }

    /// `*p`, `&r`, `a[3]`, `f(int)`, `(*p)[4]`; the name may be absent.
    pub(super) fn declarator(&mut self, base: Ty) -> R<Declared> {
        self.nested(|p| p.declarator_inner(base))
    }

    fn declarator_inner(&mut self, mut ty: Ty) -> R<Declared> {
        let start = self.span();
        let mut stars = 0;
        loop {
            let span = ty.span.to(self.span());
            if self.eat("*") {
                ty = Ty { kind: TyKind::Ptr(Box::new(ty), false), is_const: false, span };
            } else if self.is("&") || self.is("&&") {
                self.bump();
                ty = Ty { kind: TyKind::Ref(Box::new(ty)), is_const: false, span };
            } else if self.eat_word("const") {
                ty.is_const = true;
            } else if self.eat_word("volatile") {
            } else if self.is_word("__restrict__")
                || self.is_word("__restrict")
                || self.is_word("restrict")
            {
                self.bump();
                if let TyKind::Ptr(_, r) = &mut ty.kind {
                    *r = true;
                }
            } else if (self.is_word("__shared__") || self.is_word("__device__")) && stars > 0 {
                self.bump();
            } else {
                break;
            }
            stars += 1;
            if stars > 50 {
                return self.fail("this type has too many pointers");
            }
        }
        // `(*name)[N]`, `(&name)[N]`, `(*name)(...)`, `(name)`
        let paren = self.is("(")
            && (self.ahead(1).is("*")
                || self.ahead(1).is("&")
                || (matches!(&self.ahead(1).kind, Tok::Ident(w) if !is_keyword(w))
                    && !self.type_at(1)
                    && self.ahead(2).is(")")
                    && !self.ahead(3).is(";")));
        if paren {
            let inner = self.pos + 1;
            self.skip_brackets();
            let (ty, func) = self.suffixes(ty)?;
            let ty = if func.is_some() { Ty { kind: TyKind::Func, ..ty } } else { ty };
            let after = self.pos;
            self.pos = inner;
            let d = self.declarator(ty)?;
            if !self.is(")") {
                return self
                    .fail(format!("expected `)` in the declaration, found {}", self.found()));
            }
            self.pos = after;
            return Ok(d);
        }
        let mut name = None;
        if self.is_word("operator") {
            name = Some(self.name(false)?);
        } else if matches!(&self.peek().kind, Tok::Ident(w) if !is_keyword(w)) || self.is("::") {
            name = Some(self.name(false)?);
        }
        // In a block, `T x(a)` has arguments and is no function.
        let (ty, func) = if name.is_some() && self.is("(") && !self.parameters_at() {
            (ty, None)
        } else {
            self.suffixes(ty)?
        };
        let _ = start;
        Ok(Declared { name, ty, func })
    }

    /// The `(` here begins a parameter list, not arguments.
    fn parameters_at(&self) -> bool {
        let next = self.ahead(1);
        if next.is(")") || next.is("...") {
            return true;
        }
        let mut n = 1;
        while matches!(&self.ahead(n).kind, Tok::Ident(w) if matches!(&**w, "__grid_constant__" | "register"))
        {
            n += 1;
        }
        if self.type_at(n) {
            // `T x(float(y))` is rare; a type followed by `(` or `{` counts as arguments.
            let pos = self.pos + n;
            if let Some((_, end)) = self.scan_name(pos) {
                let t = &self.toks[end.min(self.toks.len() - 1)];
                return !(t.is("(") || t.is("{"));
            }
            return true;
        }
        // `f(foo x)` or `f(foo *x)` with an unknown type is a function, so that the message is about the type.
        match (&next.kind, &self.ahead(2).kind) {
            (Tok::Ident(a), Tok::Ident(b)) => {
                !is_keyword(a) && !is_keyword(b) && self.kind_of(a).is_none()
            }
            (Tok::Ident(a), Tok::Punct("*" | "&" | "<" | "::")) => {
                !is_keyword(a)
                    && matches!(self.kind_of(a), None | Some(Kind::Namespace))
                    && self.scopes.len() <= 2
            }
            _ => false,
        }
    }

    fn suffixes(&mut self, ty: Ty) -> R<(Ty, Option<Signature>)> {
        if self.is("(") {
            let (params, variadic) = self.parameters()?;
            return Ok((ty, Some(Signature { params, variadic })));
        }
        let mut dims = Vec::new();
        while self.is("[") && !self.ahead(1).is("[") {
            let open = self.bump().span;
            let outer = std::mem::replace(&mut self.no_gt, false);
            let n =
                if self.is("]") { None } else { Some(Box::new(self.fresh(Parser::conditional)?)) };
            self.no_gt = outer;
            let end = self.expect("]", "after the length of the array")?;
            dims.push((n, open.to(end)));
            if dims.len() > 20 {
                return self.fail("this array has too many dimensions");
            }
        }
        let mut ty = ty;
        while let Some((n, span)) = dims.pop() {
            let span = ty.span.to(span);
            ty = Ty { kind: TyKind::Array(Box::new(ty), n), is_const: false, span };
        }
        Ok((ty, None))
    }

    /// `(int a, float *b = 0)`
    pub(super) fn parameters(&mut self) -> R<(Vec<Param>, bool)> {
        self.expect("(", "before the parameters")?;
        let outer = std::mem::replace(&mut self.no_gt, false);
        let result = self.nested(|p| {
            let mut params = Vec::new();
            let mut variadic = false;
            if p.is_word("void") && p.ahead(1).is(")") {
                p.bump();
            }
            while !p.is(")") {
                if p.eat("...") {
                    variadic = true;
                    break;
                }
                let start = p.span();
                let (specs, base) = p.specifiers()?;
                if specs.shared || specs.constant {
                    return Err(Box::new(
                        Diagnostic::error(
                            start,
                            "a parameter cannot be `__shared__` or `__constant__`",
                        )
                        .help("pass a pointer: it can point to shared memory as well"),
                    ));
                }
                let Some(base) = base else { return Err(p.unknown_type()) };
                if p.is("...") {
                    return p.fail("parameter packs are not supported");
                }
                let d = p.declarator(base)?;
                let mut ty = d.ty;
                if d.func.is_some() {
                    ty = Ty { span: ty.span, is_const: false, kind: TyKind::Func };
                }
                let default = if p.eat("=") {
                    Some(if p.is("{") { p.init_list()? } else { p.assignment()? })
                } else {
                    None
                };
                let span = d.name.as_ref().map_or(start.to(p.prev_span()), |n| n.span);
                params.push(Param { name: d.name.map(|n| n.last().id.clone()), ty, default, span });
                if p.is(")") {
                    break;
                }
                if !p.eat(",") {
                    return p.fail(format!(
                        "expected `,` or `)` after a parameter, found {}",
                        p.found()
                    ));
                }
            }
            p.expect(")", "after the parameters")?;
            Ok((params, variadic))
        });
        self.no_gt = outer;
        result
    }

    /// What follows the parameters of a function.
    fn function(
        &mut self,
        name: Name,
        specs: Specs,
        ret: Ty,
        sig: Signature,
        mut templates: Templates,
        is_ctor: bool,
    ) -> R<Function> {
        let span = name.span;
        let mut ret = ret;
        let mut is_const = false;
        loop {
            if self.eat_word("const") {
                is_const = true;
            } else if self.is_word("noexcept") {
                self.bump();
                if self.is("(") {
                    self.skip_brackets();
                }
            } else if self.eat_word("override")
                || self.eat_word("final")
                || self.eat_word("volatile")
            {
            } else if self.is("&") || self.is("&&") {
                self.bump();
            } else if self.is_word("__attribute__") || self.is_word("__launch_bounds__") {
                self.bump();
                self.skip_brackets();
            } else if self.eat("->") {
                ret = self.type_id()?;
            } else {
                break;
            }
        }
        let is_template = !templates.lists.is_empty();
        let id = name.last().id.clone();
        if name.parts.len() == 1 && !is_ctor {
            // An overload or an instantiation does not make the template forgotten.
            if is_template {
                self.declare(&id, Kind::FnTemplate);
            } else if self.kind_of(&id) != Some(Kind::FnTemplate) {
                self.declare(&id, Kind::Value);
            }
        }
        let on_device = specs.global || specs.device || specs.is_constexpr;
        if specs.is_virtual && on_device {
            return Err(Box::new(
                Diagnostic::error(span, "virtual functions are not supported in device code")
                    .help("use a template over the class, or a `switch` over a kind"),
            ));
        }
        let mut inits = Vec::new();
        let body = if self.eat("=") {
            let body = if self.eat_word("default") {
                Body::Defaulted
            } else if self.eat_word("delete") {
                Body::Deleted
            } else {
                self.bump();
                return Err(Box::new(Diagnostic::error(
                    span,
                    "virtual functions are not supported in device code",
                )));
            };
            self.semicolon("the declaration")?;
            body
        } else if self.is("{") || self.is(":") || self.is_word("try") {
            if on_device {
                self.push_scope();
                self.declare_params(&sig.params);
                if self.eat(":") {
                    inits = self.member_inits()?;
                }
                // Errors inside the body are reported there.
                let body = self.function_body(&sig.params)?;
                self.pop_scope();
                body
            } else {
                while !self.is("{") && !self.is(";") && !self.at_end() {
                    if self.is("(") {
                        self.skip_brackets();
                    } else {
                        self.bump();
                        // `member{value}` of an initialiser list is not the body.
                        if self.is("{")
                            && matches!(&self.toks[self.pos - 1].kind, Tok::Ident(_))
                            && !inits_end(self)
                        {
                            self.skip_brackets();
                        }
                    }
                }
                let open = self.span();
                let end = self.matching(self.pos);
                if self.is("{") && self.toks[end.min(self.toks.len()) - 1].kind == Tok::Eof
                    || self.toks[end.min(self.toks.len() - 1)].kind == Tok::Eof
                        && !self.toks[end - 1].is("}")
                {
                    self.report(
                        Diagnostic::error(open, "this `{` is never closed")
                            .label("opened here")
                            .help("add the missing `}`"),
                    );
                }
                self.skip_brackets();
                Body::Host
            }
        } else {
            self.semicolon("the declaration of the function")?;
            Body::None
        };
        let end = self.prev_span();
        let class_template = if templates.lists.len() > 1
            || (name.parts.len() > 1
                && is_template
                && name.parts[name.parts.len() - 2].args.is_some())
        {
            templates.lists.remove(0)
        } else {
            Vec::new()
        };
        let is_template = !templates.lists.is_empty();
        let template = templates.lists.pop().unwrap_or_default();
        Ok(Function {
            name,
            specs,
            template,
            class_template,
            is_template,
            ret,
            params: sig.params,
            variadic: sig.variadic,
            body,
            inits,
            is_const,
            is_ctor,
            is_dtor: false,
            end,
            span,
        })
    }

    fn member_inits(&mut self) -> R<Vec<MemberInit>> {
        let mut out = Vec::new();
        loop {
            let name = self.name(true)?;
            let span = name.span;
            let args =
                if self.is("{") { vec![self.init_list()?] } else { self.fresh(Parser::arguments)? };
            out.push(MemberInit { name, args, span: span.to(self.prev_span()) });
            if !self.eat(",") {
                return Ok(out);
            }
        }
    }

    // ---- classes

    fn class(&mut self, templates: &Templates) -> R<Ty> {
        let start = self.span();
        let word = self.bump().text();
        let mut align = None;
        loop {
            if self.is_word("__align__") || self.is_word("alignas") {
                align = Some(Box::new(self.alignment()?));
            } else if self.is_word("__attribute__") || self.is_word("__declspec") {
                self.bump();
                self.skip_brackets();
            } else {
                break;
            }
        }
        let mut name: Option<(Ident, Span)> = None;
        let mut special = None;
        if matches!(&self.peek().kind, Tok::Ident(w) if !is_keyword(w)) {
            let full = self.scan_name(self.pos).is_some_and(|(_, end)| {
                let t = &self.toks[end.min(self.toks.len() - 1)];
                !(t.is("{") || t.is(":") || t.is(";"))
            });
            if full
                && templates.lists.is_empty()
                && !self.ahead(1).is("{")
                && !self.ahead(1).is(":")
                && !self.ahead(1).is_word("final")
            {
                // `struct S s`: a use.
                let n = self.name(false)?;
                let id = n.last().id.clone();
                if n.parts.len() == 1 && self.kind_of(&id).is_none() {
                    self.declare(&id, Kind::Type);
                }
                let span = n.span;
                return Ok(Ty { kind: TyKind::Name(n), is_const: false, span });
            }
            let n = self.name(false)?;
            let last = n.last().clone();
            name = Some((last.id.clone(), last.span));
            special = last.args;
            self.eat_word("final");
        }
        let is_template = !templates.lists.is_empty();
        let template: Vec<TParam> = templates.lists.last().cloned().unwrap_or_default();
        if let Some((id, _)) = &name {
            // Visible inside and, through the caller, outside.
            let kind = if is_template { Kind::TypeTemplate } else { Kind::Type };
            self.declare(id, kind);
        }
        let span = name.as_ref().map_or(start, |n| n.1);
        let mut s = Struct {
            name: name.as_ref().map(|n| n.0.clone()),
            template,
            is_template,
            special,
            is_union: word == "union",
            base: Vec::new(),
            members: Vec::new(),
            align,
            broken: None,
            is_forward: true,
            span,
        };
        if self.eat(":") {
            loop {
                while self.is_word("public")
                    || self.is_word("private")
                    || self.is_word("protected")
                    || self.is_word("virtual")
                {
                    if self.is_word("virtual") {
                        return self.fail("virtual base classes are not supported");
                    }
                    self.bump();
                }
                let at = self.span();
                if !self.type_at(0) {
                    return Err(self.unknown_type());
                }
                let ty = self.named_type()?;
                s.base.push((ty, at.to(self.prev_span())));
                if !self.eat(",") {
                    break;
                }
            }
        }
        if self.is("{") {
            s.is_forward = false;
            self.class_body(&mut s)?;
        } else if name.is_none() {
            return self
                .fail(format!("expected a name or `{{` after `{word}`, found {}", self.found()));
        }
        Ok(Ty {
            kind: TyKind::Struct(Rc::new(s)),
            is_const: false,
            span: start.to(self.prev_span()),
        })
    }

    fn class_body(&mut self, s: &mut Struct) -> R<()> {
        let open = self.bump().span;
        self.enter()?;
        self.push_scope();
        self.classes.push(s.name.clone().unwrap_or_else(|| "(unnamed)".into()));
        while !self.is("}") && !self.at_end() {
            if matches!(&self.peek().kind, Tok::Ident(w) if matches!(&**w, "public" | "private" | "protected"))
                && self.ahead(1).is(":")
            {
                self.bump();
                self.bump();
                continue;
            }
            if self.eat(";") {
                continue;
            }
            let start = self.pos;
            let (scopes, classes, depth) = (self.scopes.len(), self.classes.len(), self.depth);
            let result = if self.is_word("template") {
                self.template()
            } else {
                self.declaration(Templates::default())
            };
            match result {
                Ok(decls) => s.members.extend(decls),
                Err(d) => {
                    self.scopes.truncate(scopes);
                    self.classes.truncate(classes);
                    self.depth = depth;
                    let end = self.declaration_end(start);
                    let for_device = self.toks[start..end].iter().any(|t| t.is_word("__device__"));
                    if d.message.starts_with("unknown type") && !for_device {
                        s.broken.get_or_insert(*d);
                    } else {
                        self.report(*d);
                    }
                    self.pos = end.max(start + 1).min(self.toks.len() - 1);
                }
            }
        }
        self.classes.pop();
        self.pop_scope();
        self.leave();
        if !self.eat("}") {
            return Err(Box::new(
                Diagnostic::error(open, "this `{` is never closed")
                    .label("opened here")
                    .help("add the missing `};`"),
            ));
        }
        Ok(())
    }

    fn enumeration(&mut self) -> R<Ty> {
        let start = self.bump().span;
        let scoped = self.eat_word("class") || self.eat_word("struct");
        let mut span = start;
        let mut name = None;
        if matches!(&self.peek().kind, Tok::Ident(w) if !is_keyword(w)) {
            let (id, at) = self.ident("the name of the enumeration")?;
            if !self.is("{") && !self.is(":") && !self.is(";") {
                let name = Name {
                    parts: vec![Part { id, args: None, span: at }],
                    global: false,
                    span: at,
                };
                return Ok(Ty { kind: TyKind::Name(name), is_const: false, span: at });
            }
            self.declare(&id, Kind::Type);
            span = at;
            name = Some(id);
        }
        let base = if self.eat(":") { Some(self.simple_type()?) } else { None };
        let mut items = Vec::new();
        if self.eat("{") {
            while !self.is("}") {
                let (id, at) = self.ident("the name of a constant")?;
                let value =
                    if self.eat("=") { Some(self.fresh(Parser::conditional)?) } else { None };
                if !scoped {
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.insert(id.clone(), Kind::Value);
                    }
                }
                items.push((id, value, at));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("}", "after the constants of the enumeration")?;
        }
        let e = Enum { name, scoped, base, items, span };
        Ok(Ty { kind: TyKind::Enum(Rc::new(e)), is_const: false, span: start.to(self.prev_span()) })
    }
}

/// In a constructor of the host that is skipped: the `{` here is the body, not the braces of `member{...}`.
fn inits_end(p: &Parser) -> bool {
    let end = p.matching(p.pos).min(p.toks.len() - 1);
    !(p.toks[end].is(",") || p.toks[end].is("{"))
}

/// As [`nearest`], over names from a map: sorted first, so that the answer is always the same.
fn nearest_sorted<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    nearest(name, known.into_iter()).map(str::to_string)
}
