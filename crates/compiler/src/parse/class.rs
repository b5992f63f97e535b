//! Classes and enumerations.

use std::rc::Rc;

use super::decl::Templates;
use super::{Kind, ParseResult, Parser, is_keyword};
use crate::ast::{Decl, Enum, Ident, Name, Part, Specs, Struct, TParam, Ty, TyKind};
use crate::diag::{About, Diagnostic};
use crate::lex::Tok;
use crate::source::Span;

impl Parser<'_> {
    pub(super) fn class(&mut self, templates: &Templates) -> ParseResult<Ty> {
        let start = self.span();
        let word = self.bump().text();
        let pack = self.pack;
        let mut specs = Specs::default();
        loop {
            if self.is_word("__align__") || self.is_word("alignas") {
                specs.align = Some(Box::new(self.alignment()?));
            } else if self.is_word("__attribute__") {
                self.attributes(&mut specs)?;
            } else if self.is_word("__declspec") {
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
                let n = Name { elaborated: true, ..self.name(false)? };
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
            requires: templates.requires.clone(),
            special,
            is_union: word == "union",
            base: Vec::new(),
            members: Vec::new(),
            align: None,
            pack: None,
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
                        let text = "virtual base classes are not supported";
                        let d = Diagnostic::unsupported(self.span(), text);
                        return Err(Box::new(d.help("make the shared part a member")));
                    }
                    self.bump();
                }
                let at = self.span();
                if !self.type_at(0) {
                    return Err(self.unknown_type());
                }
                let mut ty = self.named_type()?;
                if self.eat("...") {
                    let span = ty.span;
                    ty = Ty { kind: TyKind::Expand(Box::new(ty)), is_const: false, span };
                }
                s.base.push((ty, at.to(self.prev_span())));
                if !self.eat(",") {
                    break;
                }
            }
        }
        if self.is("{") {
            s.is_forward = false;
            self.class_body(&mut s)?;
            while self.is_word("__attribute__") {
                self.attributes(&mut specs)?;
            }
        } else if name.is_none() {
            return self
                .fail(format!("expected a name or `{{` after `{word}`, found {}", self.found()));
        }
        s.align = specs.align;
        s.pack = if specs.is_packed { Some(1) } else { pack };
        Ok(Ty {
            kind: TyKind::Struct(Rc::new(s)),
            is_const: false,
            span: start.to(self.prev_span()),
        })
    }

    fn class_body(&mut self, s: &mut Struct) -> ParseResult<()> {
        let open = self.bump().span;
        self.enter()?;
        self.push_scope();
        self.classes.push(s.name.clone().unwrap_or_else(|| "(unnamed)".into()));
        while !self.is("}") && !self.at_end() {
            if self.peek().is_one_of(&["public", "private", "protected"]) && self.ahead(1).is(":") {
                self.bump();
                self.bump();
                continue;
            }
            if self.eat(";") {
                continue;
            }
            if self.is_word("__pragma_pack") {
                self.pragma_pack();
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
                    let function = self.member_function_at(start, end);
                    let unknown = matches!(d.about, About::UnknownType | About::UnknownName);
                    if unknown && !for_device && function.is_some() {
                        // A member function with a type of the host.
                        s.members.push(Decl::Host(function, self.toks[start].span));
                    } else if unknown && !for_device {
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

    /// The name of the member function that is declared by these tokens, if it is one.
    fn member_function_at(&self, start: usize, end: usize) -> Option<Ident> {
        let toks = &self.toks[start..end];
        let open = toks.iter().position(|t| matches!(t.kind, Tok::Punct("(" | "=" | "[")))?;
        match (&toks[open].kind, &toks[open.checked_sub(1)?].kind) {
            (Tok::Punct("("), Tok::Ident(name)) if !is_keyword(name) => Some(name.clone()),
            _ => None,
        }
    }

    pub(super) fn enumeration(&mut self) -> ParseResult<Ty> {
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
                    elaborated: false,
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
                if !scoped && let Some(scope) = self.scopes.last_mut() {
                    scope.insert(id.clone(), Kind::Value);
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
