//! Constraints: whether types are what a template requires, and which template requires more.

use std::rc::Rc;

use crate::ast::{self, ExprKind, Init, Requirement, Requires, TyKind};
use crate::diag::{About, Diagnostic};
use crate::sema::types::{QualType, Type};
use crate::sema::{
    Entity, FnIdx, LocalVar, ScopeId, ScopeKind, Sema, SemaResult, TemplateArg, TypedExpr,
};
use crate::source::Span;

impl Sema<'_> {
    /// The first of the constraints that is false in `scope`.
    pub(in crate::sema) fn unmet(&mut self, list: &[ast::Expr], scope: ScopeId) -> Option<Span> {
        let outer = std::mem::replace(&mut self.ctx.scope, scope);
        let unmet = list.iter().find_map(|e| self.false_part(e));
        self.ctx.scope = outer;
        unmet
    }

    /// The first constraint of a function that is false for these template arguments.
    pub(in crate::sema) fn unmet_by(&mut self, f: FnIdx, targs: &[TemplateArg]) -> Option<Span> {
        let (ast, scope) = (self.funcs[f].ast.clone(), self.funcs[f].scope);
        if ast.requires.is_empty() {
            return None;
        }
        match self.bind_template(&Rc::new(ast.template.clone()), targs, scope, ast.span) {
            Ok(inner) => self.unmet(&ast.requires, inner),
            Err(_) => Some(ast.span),
        }
    }

    /// The same for a class template with its packs written out.
    pub(in crate::sema) fn unmet_by_class(
        &mut self,
        s: &Rc<ast::Struct>,
        bound: &[TemplateArg],
        scope: ScopeId,
    ) -> Option<Span> {
        if s.requires.is_empty() {
            return None;
        }
        match self.bind_template(&Rc::new(s.template.clone()), bound, scope, s.span) {
            Ok(inner) => self.unmet(&s.requires, inner),
            Err(_) => Some(s.span),
        }
    }

    /// Where the constraint is false, if it is.
    fn false_part(&mut self, e: &ast::Expr) -> Option<Span> {
        match &e.kind {
            ExprKind::Paren(inner) => self.false_part(inner),
            ExprKind::Binary("&&", a, b) => self.false_part(a).or_else(|| self.false_part(b)),
            ExprKind::Binary("||", a, b) => self.false_part(a).and_then(|_| self.false_part(b)),
            _ => {
                let value = self.attempt(|me| {
                    let value = me.expr(e).and_then(|v| me.truth(v))?;
                    Ok(me.fold_int(&value))
                });
                (value != Some(Some(1))).then_some(e.span)
            }
        }
    }

    /// What `f` gives, if it can be typed. Nothing stays of it but the message for what is not
    /// supported, for that would be true elsewhere.
    fn attempt<V>(&mut self, f: impl FnOnce(&mut Self) -> SemaResult<V>) -> Option<V> {
        let (messages, locals) = (self.diags.len(), self.ctx.locals.len());
        let result = f(self);
        self.diags.truncate(messages);
        self.ctx.locals.truncate(locals);
        match result {
            Ok(v) => Some(v),
            Err(d) => {
                if d.about == About::Unsupported {
                    self.report(*d);
                }
                None
            }
        }
    }

    /// All requirements are met.
    pub(in crate::sema) fn met(&mut self, r: &Requires) -> bool {
        let scope = self.push_scope(self.ctx.scope, ScopeKind::Block, "");
        let outer = std::mem::replace(&mut self.ctx.scope, scope);
        let met = self.attempt(|me| {
            for p in &r.params {
                let mut ty = me.var_ty(&p.ty)?;
                if let (Type::Array(elem, _), false) = (&ty.q.ty, ty.by_ref) {
                    ty.q = Type::Ptr(elem.clone()).q();
                }
                let id = me.temp("$required", me.var_machine(&ty), p.span);
                let owner = me.ctx.serial;
                let var = LocalVar { id, ty, constant: None, owner, span: p.span };
                if let Some(name) = &p.name {
                    me.scopes[scope].names.insert(name.clone(), Entity::Local(Rc::new(var)));
                }
            }
            Ok(r.list.iter().all(|one| me.requirement_met(one)))
        });
        self.ctx.scope = outer;
        met == Some(true)
    }

    fn requirement_met(&mut self, r: &Requirement) -> bool {
        match r {
            Requirement::Nested(e) => self.false_part(e).is_none(),
            Requirement::Type(ty) => self.attempt(|me| me.var_ty(ty)).is_some(),
            Requirement::Expr(e, concept) => {
                let Some(value) = self.attempt(|me| me.unevaluated(e)) else { return false };
                let Some(concept) = concept else { return true };
                self.attempt(|me| me.satisfies(value, concept)) == Some(true)
            }
        }
    }

    /// The type of `value` satisfies `C<...>`.
    fn satisfies(&mut self, value: TypedExpr, concept: &ast::Name) -> SemaResult<bool> {
        let Some((Entity::VarTemplate(t), _)) = self.resolve(concept)? else {
            return Err(self.undeclared(concept));
        };
        let last = concept.last();
        let mut args = last.args.clone().unwrap_or_default();
        // Types of template arguments are no references: whether both are is compared here.
        if let ([ast::TArg::Type(ty)], "same_as") = (&mut args[..], &*last.id) {
            let inner = match &ty.kind {
                TyKind::Ref(to, _) => Some((**to).clone()),
                _ => None,
            };
            if inner.is_some() != value.place {
                return Ok(false);
            }
            *ty = inner.unwrap_or_else(|| ty.clone());
        }
        let mut vals = self.template_values(&args)?;
        let q = QualType { is_const: value.place && value.q.is_const, ..value.q };
        vals.insert(0, TemplateArg::Type(q));
        let g = self.var_instance_of(t, &vals, &last.id, concept.span)?;
        Ok(matches!(self.globals[g].constant, Some(crate::sema::Constant::Int(1))))
    }

    /// The first list of constraints has all parts of the second, and more.
    pub(in crate::sema) fn requires_more(&mut self, a: FnIdx, b: FnIdx) -> bool {
        let of = |me: &Self, f: FnIdx| (me.funcs[f].ast.requires.clone(), me.funcs[f].scope);
        let ((a, scope_a), (b, scope_b)) = (of(self, a), of(self, b));
        self.more_parts(&a, scope_a, &b, scope_b)
    }

    /// As [`Sema::requires_more`], for lists in their scopes.
    pub(in crate::sema) fn more_parts(
        &mut self,
        a: &[ast::Expr],
        scope_a: ScopeId,
        b: &[ast::Expr],
        scope_b: ScopeId,
    ) -> bool {
        let (a, b) = (self.parts_of(a, scope_a), self.parts_of(b, scope_b));
        a.len() > b.len() && b.iter().all(|part| a.contains(part))
    }

    /// Where the parts stand that must all be true, those of concepts included, each once.
    fn parts_of(&mut self, list: &[ast::Expr], scope: ScopeId) -> Vec<Span> {
        let mut out = Vec::new();
        let mut rest: Vec<(ast::Expr, ScopeId)> = list.iter().map(|e| (e.clone(), scope)).collect();
        while let Some((e, scope)) = rest.pop() {
            match e.kind {
                ExprKind::Paren(inner) => rest.push((*inner, scope)),
                ExprKind::Binary("&&", a, b) => rest.extend([(*a, scope), (*b, scope)]),
                kind => match self.concept(&kind, scope) {
                    Some(inner) => rest.push(inner),
                    None if !out.contains(&e.span) => out.push(e.span),
                    None => {}
                },
            }
        }
        out
    }

    /// What a concept says, where `kind` names one.
    fn concept(&mut self, kind: &ExprKind, scope: ScopeId) -> Option<(ast::Expr, ScopeId)> {
        let ExprKind::Name(n) = kind else { return None };
        let outer = std::mem::replace(&mut self.ctx.scope, scope);
        let found = self.resolve(n);
        self.ctx.scope = outer;
        let Ok(Some((Entity::VarTemplate(t), _))) = found else { return None };
        let template = &self.var_templates[t];
        let Init::Assign(ast::Expr { kind: ExprKind::Requires(r), .. }) = &template.ast.init else {
            return None;
        };
        match &r.list[..] {
            [Requirement::Nested(e)] if r.params.is_empty() => Some((e.clone(), template.scope)),
            _ => None,
        }
    }

    /// The message for template arguments for which the constraint at `part` is false.
    pub(in crate::sema) fn unmet_message(name: &str, part: Span, span: Span) -> Diagnostic {
        Diagnostic::error(span, format!("`{name}` does not take these types"))
            .related(part, "this constraint is false for them")
            .help("pass what it requires, or add an overload for these types")
    }
}
