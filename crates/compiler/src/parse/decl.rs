//! Declarations: specifiers, declarators, functions, classes, templates, and what is skipped
//! because it is for the host.

use std::rc::Rc;

use super::{Kind, ParseResult, Parser, is_keyword};
use crate::ast::{
    Body, Decl, Expr, ExprKind, FuncTy, Function, Ident, MemberInit, Mention, Name, Param,
    PartNames, Specs, TParam, TParamKind, Ty, TyKind, Var, guide,
};
use crate::diag::{About, Diagnostic};
use crate::hir::Space;
use crate::language::Language;
use crate::lex::{Tok, Token};
use crate::order;
use crate::source::Span;
use crate::suggest::nearest;

/// Namespaces of which the compiler has a part.
const OWN_NAMESPACES: &[&str] = &["std", "cuda", "cuda::std", "cooperative_groups", "cub"];

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

/// Words that only host code has.
const HOST_WORDS: &[&str] = &[
    "std",
    "throw",
    "try",
    "catch",
    "dynamic_cast",
    "typeid",
    "new",
    "delete",
    "main",
    "torch",
    "c10",
    "pybind11",
    "PyObject",
];

/// How the words of libraries begin that only host code has.
const HOST_STARTS: &[&str] = &[
    "cuda",
    "cublas",
    "cudnn",
    "cufft",
    "curandGenerator",
    "cusparse",
    "cusolver",
    "nccl",
    "MPI_",
];

/// A declaration that could not be read, without a word of device code in it, is one of the host.
fn for_host(toks: &[Token], about: About) -> bool {
    let word = |t: &Token| match &t.kind {
        Tok::Ident(s) => {
            HOST_WORDS.contains(&&**s) || HOST_STARTS.iter().any(|start| s.starts_with(start))
        }
        _ => false,
    };
    let ended = toks.last().is_some_and(|t| t.is(";") || t.is("}"));
    ended && (about == About::UnknownType || toks.iter().any(word))
}

/// Parameter list of a function declarator.
pub(super) struct Signature {
    pub params: Vec<Param>,
    pub variadic: bool,
}

/// What a declarator yields.
pub(super) struct Declared {
    pub name: Option<Name>,
    pub ty: Ty,
    pub func: Option<Signature>,
    /// `...` stands before the name.
    pub pack: bool,
}

/// The type of a function with the result `ret`, if there is a parameter list.
pub(super) fn of_function(ret: Ty, func: Option<Signature>) -> Ty {
    let Some(func) = func else { return ret };
    let span = ret.span;
    let kind = TyKind::Func(Rc::new(FuncTy { ret, params: func.params }));
    Ty { kind, is_const: false, span }
}

/// Template parameters in force for a declaration.
#[derive(Default)]
pub(super) struct Templates {
    pub lists: Vec<Vec<TParam>>,
    pub requires: Vec<Expr>,
}

impl Parser<'_> {
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
        self.requires.clear();
        let errors = self.diags.len();
        if let Err(d) = self.outer_declaration(out) {
            self.scopes.truncate(scopes);
            self.classes.truncate(classes);
            (self.extern_c, self.depth) = (extern_c, depth);
            let end = self.declaration_end(start);
            const OF_DEVICE: [&str; 4] = ["__global__", "__device__", "__shared__", "__constant__"];
            let for_device = self.toks[start..end].iter().any(|t| t.is_one_of(&OF_DEVICE))
                || self.dialect.language == Language::OpenClC;
            let misspelt = self.misspelt_attribute(start, end);
            if let Some(d) = misspelt {
                self.report(d);
            } else if for_device || !for_host(&self.toks[start..end], d.about) {
                self.report(*d);
            } else {
                // Written for the host, with what only the host has.
                self.diags.truncate(errors);
                let name = self.host_name(start, end);
                let span = self.toks[start].span;
                match name.clone().and_then(|name| self.host_function(name, start, end)) {
                    Some(f) if f.is_template => out.push(Decl::Function(Rc::new(f))),
                    Some(f) => out.extend([Decl::Host(name, span), Decl::HostCode(Rc::new(f))]),
                    None => out.push(Decl::Host(name, span)),
                }
            }
            self.pos = end.max(start + 1).min(self.toks.len() - 1);
        }
    }

    /// The name that the host's declaration from token `start` to `end` gives, if it can be told.
    fn host_name(&self, start: usize, end: usize) -> Option<Ident> {
        let toks = &self.toks[start..end];
        let class = toks.windows(2).take_while(|w| !w[0].is("(")).find_map(|w| {
            match (w[0].is_word("class") || w[0].is_word("struct"), &w[1].kind) {
                (true, Tok::Ident(s)) => Some(s.clone()),
                _ => None,
            }
        });
        class.filter(|_| !toks[0].is_word("template")).or_else(|| {
            toks.windows(2).find_map(|w| {
                match (&w[0].kind, w[1].is("(") || w[1].is(";") || w[1].is("=")) {
                    (Tok::Ident(s), true) if !is_keyword(s) => Some(s.clone()),
                    _ => None,
                }
            })
        })
    }

    /// End of the declaration that begins at `start`: behind its `;`, or behind a block that ends
    /// it.
    pub(super) fn declaration_end(&self, start: usize) -> usize {
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
                            && self.toks[i - 1]
                                .is_one_of(&["const", "noexcept", "override", "final"]));
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
        if let Some(d) = self.missing_in_namespace() {
            return Box::new(d);
        }
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
            .about(About::UnknownType)
            .label("not a type");
        let attribute =
            if name.starts_with('_') { nearest(&name, ATTRIBUTES.iter().copied()) } else { None };
        if let Some(near) = attribute.map(str::to_string).or_else(|| nearest_sorted(&name, known)) {
            d = d.help(format!("did you mean `{near}`?"));
        } else if let Some(help) = crate::suggest::build_option(&name).filter(|_| self.opencl()) {
            d = d.help(help);
        } else if let Some(help) = crate::builtins::about_libraries(&name) {
            d = d.help(help);
        } else if name == "string" || name == "vector" {
            d = d.help("the C++ library is not available in device code: use arrays and pointers");
        }
        Box::new(d)
    }

    /// The message for `a::b` here, where `a` is a known namespace that has no `b`.
    pub(super) fn missing_in_namespace(&self) -> Option<Diagnostic> {
        let mut at = self.pos + usize::from(self.is("::"));
        let mut path = String::new();
        loop {
            let Tok::Ident(id) = &self.toks[at].kind else { return None };
            let inner = format!("{path}::{id}");
            if self.toks[at + 1].is("::") && self.spaces.contains_key(&inner) {
                path = inner;
                at += 2;
                continue;
            }
            let known = self.spaces.get(&path).filter(|known| !known.contains_key(id))?;
            let space = path.trim_start_matches("::");
            let span = self.span().to(self.toks[at].span);
            let d = Diagnostic::error(span, format!("`{space}` has no type `{id}`"))
                .about(About::UnknownType)
                .label("not in this namespace");
            let types = known.iter().filter(|(_, k)| matches!(k, Kind::Type | Kind::TypeTemplate));
            return Some(match nearest_sorted(id, types.map(|(name, _)| &**name)) {
                Some(near) => d.help(format!("did you mean `{space}::{near}`?")),
                None if OWN_NAMESPACES.contains(&space) => {
                    d.help("what kernels have of it: docs/kernel-language.md")
                }
                None => d,
            });
        }
    }

    fn outer_declaration(&mut self, out: &mut Vec<Decl>) -> ParseResult<()> {
        if self.eat(";") {
            return Ok(());
        }
        if self.is_word("_Pragma") {
            self.pragma_operator()?;
            return Ok(());
        }
        if self.is_word("__pragma_pack") {
            self.pragma_pack();
            return Ok(());
        }
        if self.unknown_macro_at() {
            let at = self.span();
            let text =
                format!("`{}` is no macro that is known here, and is not read", self.bump().text());
            self.report(Diagnostic::warning(at, text));
            self.skip_brackets();
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

    /// `NAME(...)` on lines of its own, without `;`: a macro of a header that is not read.
    fn unknown_macro_at(&self) -> bool {
        let Tok::Ident(word) = &self.peek().kind else { return false };
        let capitals =
            word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        let after = &self.toks[self.matching(self.pos + 1).min(self.toks.len() - 1)];
        capitals
            && !is_keyword(word)
            && self.kind_of(word).is_none()
            && self.ahead(1).is("(")
            && after.first
            && matches!(after.kind, Tok::Ident(_) | Tok::Eof | Tok::Punct("}"))
    }

    /// `#pragma pack(4)`, `pack(push, 1)`, `pack(pop)`, `pack()`, as the preprocessor hands it on.
    pub(super) fn pragma_pack(&mut self) {
        self.bump();
        if !self.is("(") {
            return;
        }
        let end = self.matching(self.pos).min(self.toks.len() - 1);
        let mut wanted = None;
        let mut popped = false;
        while self.pos < end {
            match self.bump().kind {
                Tok::Ident(w) if *w == *"push" => self.packs.push(self.pack),
                Tok::Ident(w) if *w == *"pop" => {
                    self.pack = self.packs.pop().flatten();
                    popped = true;
                }
                Tok::Number(n) => wanted = n.parse().ok().filter(|n: &u64| n.is_power_of_two()),
                _ => {}
            }
        }
        let pushed = self.toks[..end].iter().rev().take(5).any(|t| t.is_word("push"));
        if wanted.is_some() || !popped && !pushed {
            self.pack = wanted;
        }
    }

    fn namespace(&mut self, out: &mut Vec<Decl>) -> ParseResult<()> {
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
        let path = names.iter().fold(self.space.clone(), |path, name| format!("{path}::{name}"));
        let outer = std::mem::replace(&mut self.space, path.clone());
        // A namespace that is opened again goes on with its names.
        if let (Some(scope), Some(known)) = (self.scopes.last_mut(), self.spaces.get(&path)) {
            scope.clone_from(known);
        }
        let mut decls = Vec::new();
        while !self.is("}") && !self.at_end() {
            self.outer(&mut decls);
        }
        let inner = self.scopes.pop().unwrap_or_default();
        self.space = outer;
        self.spaces.insert(path, inner.clone());
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

    pub(super) fn template(&mut self) -> ParseResult<Vec<Decl>> {
        self.enter()?;
        self.bump();
        let class = ["class", "struct", "union"].iter().any(|w| self.is_word(w));
        if class && !self.is("<") {
            self.bump();
            let ty = self.named_type()?;
            self.semicolon("the instantiation")?;
            self.leave();
            return Ok(vec![Decl::InstantiateClass(ty)]);
        }
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
            self.requires_clause()?;
            templates.requires.append(&mut self.requires);
            if !self.eat_word("template") {
                break;
            }
        }
        let params = templates.lists.last().cloned().unwrap_or_default();
        let mut decls = self.declaration(templates)?;
        self.pop_scope();
        for d in &mut decls {
            match d {
                Decl::Function(f) if f.name.parts.len() == 1 && !f.is_ctor => {
                    self.declare(&f.name.parts[0].id.clone(), Kind::FnTemplate)
                }
                Decl::Struct(s) => {
                    if let Some(n) = &s.name {
                        self.declare(&n.clone(), Kind::TypeTemplate);
                    }
                }
                Decl::Alias { name, .. } => self.declare(&name.clone(), Kind::TypeTemplate),
                Decl::Var(v) => {
                    self.declare(&v.name.last().id.clone(), Kind::FnTemplate);
                    *d = Decl::VarTemplate(v.clone(), Rc::new(params.clone()));
                }
                _ => {}
            }
        }
        self.leave();
        Ok(decls)
    }

    pub(super) fn template_params(&mut self) -> ParseResult<Vec<TParam>> {
        self.expect("<", "after `template`")?;
        let outer = std::mem::replace(&mut self.no_gt, true);
        let mut out = Vec::new();
        while !self.is(">") && !self.is(">>") {
            if self.is_word("template") {
                out.push(self.template_template(out.len())?);
                if !self.eat(",") {
                    break;
                }
                continue;
            }
            let concept = self.concept_at()?;
            let is_type = concept.is_some()
                || self.is_word("class")
                || (self.is_word("typename") && self.type_parameter_at());
            if is_type {
                if concept.is_none() {
                    self.bump();
                }
                let pack = self.eat("...");
                let name = if matches!(self.peek().kind, Tok::Ident(_)) {
                    self.ident("a name")?.0
                } else {
                    format!("type:{}", out.len()).into()
                };
                self.declare(&name, Kind::Type);
                let default = if self.eat("=") { Some(self.type_id()?) } else { None };
                if let Some(concept) = concept {
                    self.requires.push(super::concepts::of_parameter(concept, &name, pack));
                }
                out.push(TParam { name, kind: TParamKind::Type(default), pack });
            } else {
                let (_, base) = self.specifiers()?;
                let Some(base) = base else { return Err(self.unknown_type()) };
                let pack = self.eat("...");
                let d = self.declarator(base)?;
                let name = d
                    .name
                    .map(|n| n.last().id.clone())
                    .unwrap_or_else(|| format!("value:{}", out.len()).into());
                self.declare(&name, Kind::Value);
                let ty = of_function(d.ty, d.func);
                let default = if self.eat("=") { Some(self.conditional()?) } else { None };
                out.push(TParam { name, kind: TParamKind::Value(ty, default), pack });
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

    /// `typename T`, perhaps with a default: not `typename T::type`, nor `typename T<int>::type`,
    /// which are the type of a value.
    fn type_parameter_at(&self) -> bool {
        let n = if matches!(self.ahead(1).kind, Tok::Ident(_)) { 2 } else { 1 };
        matches!(self.ahead(n).kind, Tok::Punct("," | ">" | ">>" | "=" | "..."))
    }

    /// `template <typename> class C`
    fn template_template(&mut self, number: usize) -> ParseResult<TParam> {
        self.bump();
        self.push_scope();
        let outer = std::mem::replace(&mut self.no_gt, false);
        let inner = self.template_params();
        self.no_gt = outer;
        self.pop_scope();
        inner?;
        if !self.eat_word("class") && !self.eat_word("typename") {
            return self.fail("expected `class` behind the parameters of a template parameter");
        }
        let pack = self.eat("...");
        let name = match &self.peek().kind {
            Tok::Ident(_) => self.ident("a name")?.0,
            _ => format!("template:{number}").into(),
        };
        self.declare(&name, Kind::TypeTemplate);
        let default = if self.eat("=") { Some(self.name(false)?) } else { None };
        Ok(TParam { name, kind: TParamKind::Template(default), pack })
    }

    /// Declaration in a block.
    pub(super) fn block_declaration(&mut self) -> ParseResult<Vec<Decl>> {
        self.declaration(Templates::default())
    }

    pub(super) fn declaration(&mut self, templates: Templates) -> ParseResult<Vec<Decl>> {
        self.nested(|p| p.declaration_inner(templates))
    }

    fn declaration_inner(&mut self, templates: Templates) -> ParseResult<Vec<Decl>> {
        let start = self.span();
        if self.is_word("static_assert") || self.is_word("_Static_assert") {
            return self.static_assert();
        }
        if self.is_word("using") {
            return self.using(templates);
        }
        if self.is_word("namespace") {
            let mut out = Vec::new();
            self.namespace(&mut out)?;
            return Ok(out);
        }
        if self.friend_at() {
            return self.friend(templates);
        }
        if self.is_word("concept") && matches!(self.ahead(1).kind, Tok::Ident(_)) {
            return self.concept();
        }
        let is_template = !templates.lists.is_empty();
        let (mut specs, base) = self.specifiers_of(&templates)?;
        specs.span = start;
        specs.extern_c |= self.extern_c > 0;
        if let Some(base) = &base
            && matches!(base.kind, TyKind::Auto)
            && self.bindings_at()
        {
            return self.bindings(specs, base.clone());
        }
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
                // A name on a line of its own is declared only if the declaration ends after it.
                let ends = matches!(self.ahead(1).kind, Tok::Punct(";" | "," | "=" | "["));
                if !continues || (self.peek().first && !specs.is_typedef && !ends) {
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
            let mut d = self.declarator(base.clone())?;
            if d.name.is_none()
                && self.is(":")
                && self.classes.last().is_some_and(|c| !c.is_empty())
            {
                // A bit-field that only fills.
                let at = self.span();
                d.name = Some(Name::simple(format!("$pad{}", at.lo).into(), at));
            }
            if d.name.is_none()
                && self.is("->")
                && let Some(sig) = d.func
            {
                return self.guide(&base, specs, sig, templates);
            }
            let Some(name) = d.name else {
                let word = self.peek().text();
                if word.starts_with('_')
                    && let Some(near) = nearest(&word, ATTRIBUTES.iter().copied())
                {
                    return Err(Box::new(
                        Diagnostic::error(self.span(), format!("unknown attribute `{word}`"))
                            .help(format!("did you mean `{near}`?")),
                    ));
                }
                return self
                    .fail(format!("expected a name in the declaration, found {}", self.found()));
            };
            if specs.is_typedef {
                let ty = of_function(d.ty, d.func);
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
                let var = self.variable(name, d.ty, specs.clone())?;
                out.push(Decl::Var(Rc::new(var)));
            }
            if !self.eat(",") {
                break;
            }
        }
        if let (Tok::Ident(w), false) = (&self.peek().kind, self.peek().first)
            && w.starts_with("__")
            && let Some(near) = nearest(w, ATTRIBUTES.iter().copied())
        {
            let d = Diagnostic::error(self.span(), format!("unknown attribute `{w}`"))
                .help(format!("did you mean `{near}`?"));
            return Err(Box::new(d));
        }
        self.semicolon("the declaration")?;
        Ok(out)
    }

    /// `-> Pair<T, U>;` behind `Pair(T, U)`: how arguments of a class template are deduced.
    fn guide(
        &mut self,
        base: &Ty,
        specs: Specs,
        sig: Signature,
        templates: Templates,
    ) -> ParseResult<Vec<Decl>> {
        let TyKind::Name(class) = &base.kind else {
            return self.fail("a class template is expected before the parameters");
        };
        let name = Name::simple(guide(&class.last().id), base.span);
        let f = self.function(name, specs, base.clone(), sig, templates, false)?;
        Ok(vec![Decl::Function(Rc::new(f))])
    }

    fn static_assert(&mut self) -> ParseResult<Vec<Decl>> {
        let start = self.span();
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
        Ok(vec![Decl::StaticAssert { cond, text, span }])
    }

    /// A variable of this type, from behind its name on.
    fn variable(&mut self, name: Name, mut ty: Ty, mut specs: Specs) -> ParseResult<Var> {
        let in_class = self.classes.last().is_some_and(|c| !c.is_empty());
        let bits = match in_class && self.eat(":") {
            true => Some(Box::new(self.conditional()?)),
            false => None,
        };
        if name.parts.len() == 1 {
            let id = name.last().id.clone();
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(id, Kind::Value);
            }
        }
        if specs.is_constexpr {
            make_const(&mut ty);
        }
        while self.is_word("__attribute__") {
            self.attributes(&mut specs)?;
        }
        let from = self.pos;
        let init = self.initialiser()?;
        let mentions_itself = self.mentions_itself(from, &name.last().id);
        let span = name.span;
        match address_space(&ty) {
            Some(Space::Shared) => specs.shared = true,
            Some(Space::Constant) => specs.constant = true,
            Some(Space::Global) => specs.device = true,
            _ => {}
        }
        Ok(Var { name, ty, init, specs, span, bits, mentions_itself })
    }

    /// `[a, b]`, perhaps behind `&`, behind `auto`.
    pub(super) fn bindings_at(&self) -> bool {
        let n = usize::from(self.is("&") || self.is("&&"));
        self.ahead(n).is("[") && matches!(self.ahead(n + 1).kind, Tok::Ident(_))
    }

    /// The names in `auto [a, b] = e;`.
    fn binding_names(&mut self) -> ParseResult<PartNames> {
        self.expect("[", "before the names")?;
        let mut names = Vec::new();
        loop {
            names.push(self.ident("a name for a part")?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect("]", "after the names")?;
        for (name, _) in &names {
            self.declare(&name.clone(), Kind::Value);
        }
        Ok(names)
    }

    /// `&[a, b]` behind `auto`: the name and type of the whole, and the names of the parts.
    pub(super) fn bound_parts(&mut self, base: Ty) -> ParseResult<(Name, Ty, PartNames)> {
        let span = base.span;
        let rvalue = self.is("&&");
        let ty = match self.eat("&") || self.eat("&&") {
            true => Ty { kind: TyKind::Ref(Box::new(base), rvalue), is_const: false, span },
            false => base,
        };
        let names = self.binding_names()?;
        Ok((Name::simple(format!("${}", names[0].0).into(), span), ty, names))
    }

    fn bindings(&mut self, specs: Specs, base: Ty) -> ParseResult<Vec<Decl>> {
        let (name, ty, names) = self.bound_parts(base)?;
        let span = name.span;
        let init = self.initialiser()?;
        self.semicolon("the declaration")?;
        let var = Var { name, ty, init, specs, span, bits: None, mentions_itself: false };
        Ok(vec![Decl::Bindings(Rc::new(var), Rc::new(names))])
    }

    /// `friend`, perhaps behind other words, which it then changes places with.
    fn friend_at(&mut self) -> bool {
        let before = |w: &str| {
            matches!(w, "__host__" | "__device__" | "inline" | "constexpr" | "__forceinline__")
        };
        let mut n = 0;
        while matches!(&self.ahead(n).kind, Tok::Ident(w) if before(w)) {
            n += 1;
        }
        let found = self.ahead(n).is_word("friend");
        if found {
            self.toks[self.pos..=self.pos + n].rotate_right(1);
        }
        found
    }

    /// Everybody sees all members, so that `friend` gives nothing; but a function may be defined
    /// with it.
    fn friend(&mut self, templates: Templates) -> ParseResult<Vec<Decl>> {
        let end = self.declaration_end(self.pos);
        if !self.toks[self.pos..end].iter().any(|t| t.is("{")) {
            self.pos = end;
            return Ok(Vec::new());
        }
        self.bump();
        // What is defined here is no member and no constructor.
        self.classes.push("".into());
        let decls = self.declaration(templates);
        self.classes.pop();
        let decls = decls?.into_iter().map(|d| match d {
            Decl::Function(f) => match Rc::try_unwrap(f) {
                Ok(f) => Decl::Function(Rc::new(Function { is_friend: true, ..f })),
                Err(f) => Decl::Function(f),
            },
            other => other,
        });
        Ok(decls.collect())
    }

    /// In the initialiser that began at token `from`, `decltype(name)`, `sizeof name` or
    /// `name = ...` occurs.
    fn mentions_itself(&self, from: usize, name: &Ident) -> bool {
        let toks = &self.toks[from..self.pos];
        let asks =
            |t: &Token| ["decltype", "sizeof", "typeof", "__typeof__"].iter().any(|w| t.is_word(w));
        let member = |t: &Token| t.is(".") || t.is("->") || t.is("::");
        toks.iter().any(asks) && toks.iter().any(|t| t.is_word(name))
            || toks.windows(3).any(|w| !member(&w[0]) && w[1].is_word(name) && w[2].is("="))
    }

    fn using(&mut self, mut templates: Templates) -> ParseResult<Vec<Decl>> {
        self.bump();
        if self.eat_word("enum") {
            let n = self.name(false)?;
            self.semicolon("`using enum`")?;
            return Ok(vec![Decl::UsingNamespace(n)]);
        }
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
        // `using Fs::operator()...;`
        self.eat("...");
        self.semicolon("`using`")?;
        if let Some(k) = self.members.get(&n.last().id).copied() {
            self.declare(&n.last().id.clone(), k);
        }
        Ok(vec![Decl::Using(n)])
    }

    /// Constructors, destructors and conversion functions have no type in front.
    fn without_type(&mut self, specs: Specs, templates: Templates) -> ParseResult<Vec<Decl>> {
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
                    last.id = crate::ast::DESTRUCTOR.into();
                }
                last.args = None;
            }
            let dtor = *name.last().id == *crate::ast::DESTRUCTOR;
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
    pub(super) fn constructor_at(&self) -> bool {
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

    /// What follows the parameters of a function.
    fn function(
        &mut self,
        name: Name,
        specs: Specs,
        ret: Ty,
        sig: Signature,
        mut templates: Templates,
        is_ctor: bool,
    ) -> ParseResult<Function> {
        let span = name.span;
        let mut ret = ret;
        let mut is_const = false;
        loop {
            if self.eat_word("const") {
                is_const = true;
            } else if self.is_word("noexcept") || self.is_word("throw") {
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
            } else if self.is_word("__attribute__") {
                self.attributes(&mut Specs::default())?;
            } else if self.is_word("__launch_bounds__") {
                self.bump();
                self.skip_brackets();
            } else if self.eat("->") {
                ret = self.type_id()?;
            } else if self.is_word("requires") {
                self.requires_clause()?;
                templates.requires.append(&mut self.requires);
            } else {
                break;
            }
        }
        let mut sig = sig;
        let of_auto = self.of_auto_parameters(&mut sig.params, templates.lists.last());
        if !of_auto.is_empty() {
            match templates.lists.last_mut() {
                Some(list) => list.extend(of_auto),
                None => templates.lists.push(of_auto),
            }
            templates.requires.append(&mut self.requires);
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
        let mut specs = specs;
        specs.device |= self.dialect.language == Language::OpenClC && !specs.global;
        let on_device = specs.global || specs.device || specs.is_constexpr;
        let mut inits = Vec::new();
        let mut mentions = Vec::new();
        let body = if self.eat("=") {
            let body = if self.eat_word("default") {
                Body::Defaulted
            } else if self.eat_word("delete") {
                Body::Deleted
            } else if specs.is_virtual
                && matches!(&self.peek().kind, Tok::Number(n) if *n == "0".into())
            {
                self.bump();
                Body::None
            } else {
                return self.fail("`= 0`, `= default` or `= delete` is expected here");
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
                mentions = self.host_body(&sig.params);
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
            requires: templates.requires,
            ret,
            params: sig.params,
            variadic: sig.variadic,
            body,
            inits,
            is_const,
            is_ctor,
            is_dtor: false,
            is_friend: false,
            mentions: Rc::new(mentions),
            end,
            span,
        })
    }

    /// Skips the body of a function of the host, with the initialisers before it; gives the
    /// templates that it names.
    fn host_body(&mut self, params: &[Param]) -> Vec<Mention> {
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
        let mentions = self.mentions(params, end);
        self.skip_brackets();
        mentions
    }

    fn member_inits(&mut self) -> ParseResult<Vec<MemberInit>> {
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
}

/// What `constexpr` makes of a variable: the variable itself, or its elements, cannot change.
fn make_const(ty: &mut Ty) {
    match &mut ty.kind {
        TyKind::Array(elem, _) => make_const(elem),
        TyKind::Ref(to, _) => to.is_const = true,
        _ => ty.is_const = true,
    }
}

/// Address space of a variable of this type.
fn address_space(ty: &Ty) -> Option<Space> {
    match &ty.kind {
        TyKind::In(space, _) => Some(*space),
        TyKind::Array(elem, _) => address_space(elem),
        _ => None,
    }
}

/// In a constructor of the host that is skipped: the `{` here is the body, not the braces of
/// `member{...}`.
fn inits_end(p: &Parser<'_>) -> bool {
    let end = p.matching(p.pos).min(p.toks.len() - 1);
    !(p.toks[end].is(",") || p.toks[end].is("{"))
}

/// As [`nearest`], over names from a map: sorted first, so that the answer is always the same.
fn nearest_sorted<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let mut known: Vec<&str> = known.collect();
    order::sort(&mut known);
    nearest(name, known.into_iter()).map(str::to_string)
}
