//! Concepts: their definitions, what templates require, and `requires { ... }`.

use std::rc::Rc;

use super::{Kind, ParseResult, Parser};
use crate::ast::{
    Decl, Expr, ExprKind, Ident, Init, Name, Param, Requirement, Requires, Specs, TArg, TParam,
    TParamKind, Ty, TyKind, Var,
};
use crate::source::Span;

impl Parser<'_> {
    /// `concept C = e;`: a template of a variable, whose value says whether `e` is true.
    pub(super) fn concept(&mut self) -> ParseResult<Vec<Decl>> {
        self.bump();
        let (id, span) = self.ident("the name of the concept")?;
        self.expect("=", "after the name of the concept")?;
        let e = self.fresh(Parser::conditional)?;
        self.semicolon("the concept")?;
        let list = vec![Requirement::Nested(e)];
        let kind = ExprKind::Requires(Rc::new(Requires { params: Vec::new(), list }));
        let var = Var {
            name: Name::simple(id, span),
            ty: Ty { kind: TyKind::Bool, is_const: true, span },
            init: Init::Assign(Expr { kind, span }),
            specs: Specs { is_constexpr: true, span, ..Specs::default() },
            span,
            bits: None,
            mentions_itself: false,
        };
        Ok(vec![Decl::Var(Rc::new(var))])
    }

    /// `requires e`, if it stands here.
    pub(super) fn requires_clause(&mut self) -> ParseResult<()> {
        if self.eat_word("requires") {
            let outer = std::mem::replace(&mut self.no_gt, false);
            let e = self.fresh(|p| p.binary(0));
            self.no_gt = outer;
            self.requires.push(e?);
        }
        Ok(())
    }

    /// A concept before the name of a template parameter.
    pub(super) fn concept_at(&mut self) -> ParseResult<Option<Name>> {
        match self.scan_name(self.pos) {
            Some((Some(Kind::FnTemplate), _)) => self.name(false).map(Some),
            _ => Ok(None),
        }
    }

    /// A concept before `auto`.
    pub(super) fn concept_before_auto(&mut self) -> ParseResult<Option<Name>> {
        match self.scan_name(self.pos) {
            Some((Some(Kind::FnTemplate), end)) if self.toks[end].is_word("auto") => {
                self.name(false).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// `requires (T a) { ... }`
    pub(super) fn requirements(&mut self) -> ParseResult<Expr> {
        let start = self.bump().span;
        self.push_scope();
        let mut params = Vec::new();
        if self.is("(") {
            params = self.parameters()?.0;
            self.declare_params(&params);
        }
        self.expect("{", "before the requirements")?;
        let outer = std::mem::replace(&mut self.no_gt, false);
        let mut list = Vec::new();
        while !self.is("}") && !self.at_end() {
            list.push(self.nested(Parser::requirement)?);
            self.expect(";", "after a requirement")?;
        }
        self.no_gt = outer;
        let end = self.expect("}", "after the requirements")?;
        self.pop_scope();
        let kind = ExprKind::Requires(Rc::new(Requires { params, list }));
        Ok(Expr { kind, span: start.to(end) })
    }

    fn requirement(&mut self) -> ParseResult<Requirement> {
        if self.eat_word("requires") {
            return self.fresh(Parser::conditional).map(Requirement::Nested);
        }
        if self.is_word("typename") {
            return self.simple_type().map(Requirement::Type);
        }
        if !self.eat("{") {
            return Ok(Requirement::Expr(self.fresh(Parser::expression)?, None));
        }
        let e = self.fresh(Parser::expression)?;
        self.expect("}", "after the expression")?;
        self.eat_word("noexcept");
        let concept = if self.eat("->") { Some(self.name(false)?) } else { None };
        Ok(Requirement::Expr(e, concept))
    }

    /// Template parameters for the parameters of a function that are written `auto`; what is
    /// required of them is added. Those of the template are `known`.
    pub(super) fn of_auto_parameters(
        &mut self,
        params: &mut [Param],
        known: Option<&Vec<TParam>>,
    ) -> Vec<TParam> {
        let mut out = Vec::new();
        for (i, p) in params.iter_mut().enumerate() {
            let name: Ident = format!("auto:{i}").into();
            let Some(at) = replace_auto(&mut p.ty, &name) else { continue };
            let pack = matches!(p.ty.kind, TyKind::Expand(_));
            if let Some(k) = self.of_auto.iter().position(|(span, _)| *span == at) {
                let concept = self.of_auto.swap_remove(k).1;
                self.requires.push(of_parameter(concept, &name, pack));
            }
            if known.is_none_or(|list| list.iter().all(|t| t.name != name)) {
                out.push(TParam { name, kind: TParamKind::Type(None), pack });
            }
        }
        out
    }
}

/// `C<T, ...>` for the template parameter `T` that is written `C<...> T`; of a pack for each.
pub(super) fn of_parameter(mut concept: Name, parameter: &Ident, pack: bool) -> Expr {
    let span = concept.span;
    let kind = TyKind::Name(Name::simple(parameter.clone(), span));
    if let Some(last) = concept.parts.last_mut() {
        let first = TArg::Type(Ty { kind, is_const: false, span });
        last.args.get_or_insert_default().insert(0, first);
    }
    let e = Expr { kind: ExprKind::Name(concept), span };
    match pack {
        true => {
            let kind = ExprKind::Fold { op: "&&", first: Some(Box::new(e)), last: None };
            Expr { kind, span }
        }
        false => e,
    }
}

/// Puts the template parameter `name` where `auto` stands, and says where that is.
fn replace_auto(ty: &mut Ty, name: &Ident) -> Option<Span> {
    match &mut ty.kind {
        TyKind::Auto => {
            ty.kind = TyKind::Name(Name::simple(name.clone(), ty.span));
            Some(ty.span)
        }
        TyKind::Ptr(to, _) | TyKind::Ref(to, _) | TyKind::Array(to, _) | TyKind::Expand(to) => {
            replace_auto(to, name)
        }
        _ => None,
    }
}
