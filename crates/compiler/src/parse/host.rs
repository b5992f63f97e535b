//! What functions of the host, which are skipped, say about the device: which templates they start.
//!
//! Nothing here is an error: host code may be anything.

use std::rc::Rc;

use super::{Kind, Parser};
use crate::ast::{Body, Function, Ident, IntKind, Mention, Name, Param, Specs, Ty, TyKind};
use crate::lex::Tok;

/// Templates that one function may name.
const MAX_MENTIONS: usize = 1000;

impl Parser<'_> {
    /// What the tokens from `start` to `end` mention as the body of the host's function `name`,
    /// whose head could not be read; nothing if they mention no template.
    pub(super) fn host_function(
        &mut self,
        name: Ident,
        start: usize,
        end: usize,
    ) -> Option<Function> {
        let (depth, no_gt) = (self.depth, self.no_gt);
        let span = self.toks[start].span;
        self.pos = start;
        self.push_scope();
        let template = match self.eat_word("template") {
            true => self.template_params().ok(),
            false => Some(Vec::new()),
        };
        (self.depth, self.no_gt) = (depth, no_gt);
        self.requires.clear();
        let mentions = if template.is_some() { self.mentions(&[], end) } else { Vec::new() };
        self.pop_scope();
        let template = template.filter(|t| !t.is_empty() || !mentions.is_empty())?;
        let is_template = !template.is_empty();
        if is_template {
            self.declare(&name, Kind::FnTemplate);
        }
        Some(Function {
            name: Name::simple(name, span),
            specs: Specs::default(),
            template,
            class_template: Vec::new(),
            is_template,
            requires: Vec::new(),
            ret: Ty { kind: TyKind::Void, is_const: false, span },
            params: Vec::new(),
            variadic: true,
            body: Body::Host,
            inits: Vec::new(),
            is_const: false,
            is_ctor: false,
            is_dtor: false,
            is_friend: false,
            mentions: Rc::new(mentions),
            end: span,
            span,
        })
    }

    /// The templates that are named between here and token `end`, in the body of a function of the
    /// host with these parameters.
    pub(super) fn mentions(&mut self, params: &[Param], end: usize) -> Vec<Mention> {
        let (start, end) = (self.pos, end.min(self.toks.len()));
        let named = |p: &Self, i: usize| match &p.toks[i].kind {
            Tok::Ident(id) => {
                let next = &p.toks[(i + 1).min(p.toks.len() - 1)];
                p.kind_of(id).or_else(|| p.members.get(id).copied()) == Some(Kind::FnTemplate)
                    && (next.is("<") || next.is("<<") || next.is("("))
            }
            _ => false,
        };
        if !(start..end).any(|i| named(self, i)) {
            return Vec::new();
        }
        let (depth, errors, no_gt) = (self.depth, self.diags.len(), self.no_gt);
        let operators = std::mem::take(&mut self.operators);
        self.push_scope();
        self.declare_params(params);
        let mut types: Vec<(Ident, Ty)> =
            params.iter().filter_map(|p| Some((p.name.clone()?, p.ty.clone()))).collect();
        let mut out = Vec::new();
        let mut i = start;
        while i < end && out.len() < MAX_MENTIONS {
            let begins = matches!(self.toks[i.max(1) - 1].kind, Tok::Punct(";" | "{" | "}" | "("));
            if begins {
                self.pos = i;
                self.variables(end, &mut types);
            }
            if named(self, i) {
                self.pos = self.first_of_name(i);
                out.extend(self.mention(end, &types));
            }
            // `>>` may have been split on the way.
            i += 1;
        }
        self.pop_scope();
        self.pos = start;
        self.diags.truncate(errors);
        (self.depth, self.no_gt, self.operators) = (depth, no_gt, operators);
        out
    }

    /// The first token of the qualified name whose last word is token `i`.
    fn first_of_name(&self, mut i: usize) -> usize {
        while i >= 2 && self.toks[i - 1].is("::") && matches!(self.toks[i - 2].kind, Tok::Ident(_))
        {
            i -= 2;
        }
        i
    }

    /// Notes the variables that are declared here, if this is a declaration that can be read.
    fn variables(&mut self, end: usize, types: &mut Vec<(Ident, Ty)>) {
        let depth = self.depth;
        if self.declaration_at()
            && ![
                "struct",
                "class",
                "union",
                "enum",
                "using",
                "typedef",
                "template",
                "static_assert",
            ]
            .iter()
            .any(|w| self.is_word(w))
            && let Ok((_, Some(base))) = self.specifiers()
        {
            while let Ok(d) = self.declarator(base.clone()) {
                let (Some(name), None) = (d.name, d.func) else { break };
                types.push((name.last().id.clone(), d.ty));
                // Its initial value is of no interest.
                while self.pos < end
                    && !matches!(self.peek().kind, Tok::Punct("," | ";" | "}" | ")"))
                {
                    match self.peek().kind {
                        Tok::Punct("(" | "[" | "{") => self.skip_brackets(),
                        _ => _ = self.bump(),
                    }
                }
                if !self.eat(",") {
                    break;
                }
            }
        }
        self.depth = depth;
    }

    /// The template named here, with what it is launched or called with.
    fn mention(&mut self, end: usize, types: &[(Ident, Ty)]) -> Option<Mention> {
        let depth = self.depth;
        let name = self.name(false);
        self.depth = depth;
        let name = name.ok()?;
        if self.is("<<") && self.ahead(1).is("<") {
            while self.pos < end && !(self.is(">>") && self.ahead(1).is(">")) {
                match self.peek().kind {
                    Tok::Punct("(" | "[" | "{") => self.skip_brackets(),
                    Tok::Punct(";") => return None,
                    _ => _ = self.bump(),
                }
            }
            self.bump();
            self.bump();
        }
        let args = self.is("(").then(|| self.argument_types(types));
        Some(Mention { name, args })
    }

    /// The types of `(a, 1.0f, (T *)p)`, as far as a look tells them.
    fn argument_types(&mut self, types: &[(Ident, Ty)]) -> Vec<Option<Ty>> {
        let close = self.matching(self.pos).saturating_sub(1);
        let mut out = Vec::new();
        self.bump();
        while self.pos < close {
            let first = self.pos;
            while self.pos < close && !self.is(",") {
                match self.peek().kind {
                    Tok::Punct("(" | "[" | "{") => self.skip_brackets(),
                    _ => _ = self.bump(),
                }
            }
            let last = self.pos;
            out.push(self.argument_type(first, last, types));
            self.pos = last;
            self.eat(",");
        }
        out
    }

    /// The type of the argument that the tokens from `first` up to `last` are.
    fn argument_type(&mut self, first: usize, last: usize, types: &[(Ident, Ty)]) -> Option<Ty> {
        let toks = &self.toks[first..last];
        let span = toks.first()?.span;
        let of = |kind| Some(Ty { kind, is_const: false, span });
        match toks {
            [t] => match &t.kind {
                Tok::Ident(id) => {
                    types.iter().rev().find(|(n, _)| n == id).map(|(_, ty)| ty.clone())
                }
                Tok::Number(n) if n.contains('.') && n.ends_with(['f', 'F']) => of(TyKind::F32),
                Tok::Number(n) if n.contains('.') => of(TyKind::F64),
                Tok::Number(n) if n.bytes().all(|b| b.is_ascii_digit()) => {
                    of(TyKind::Int(IntKind::Int))
                }
                _ => None,
            },
            [open, ..] if open.is("(") => {
                self.pos = first + 1;
                if !self.type_at(0) {
                    return None;
                }
                self.type_id().ok()
            }
            _ => None,
        }
    }
}
