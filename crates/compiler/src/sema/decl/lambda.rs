//! Lambdas: a class with the captured values as members and the body as `operator()`.

use std::rc::Rc;

use crate::ast::{self, Ident};
use crate::hir::{self, ExprKind};
use crate::sema::stmt;
use crate::sema::types::convert;
use crate::sema::types::{QualType, Type};
use crate::sema::{Entity, FieldInfo, FnDecl, ScopeKind, Sema, SemaResult, This, TypedExpr, fail};
use crate::source::Span;

impl Sema<'_> {
    pub(in crate::sema) fn lambda(
        &mut self,
        l: &Rc<ast::Lambda>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let outer_scope = self.ctx.scope;
        let id = self.new_struct("(lambda)".into(), "(lambda)".into(), outer_scope, span);
        let mut fields: Vec<FieldInfo> = Vec::new();
        let mut values: Vec<hir::Expr> = Vec::new();
        for c in &l.captures {
            if &*c.name == "this" && !c.by_ref {
                // A copy, which `this` then means.
                let object = self.this_place(c.span)?;
                let q = object.q.plain();
                values.push(self.convert(object, &q, c.span)?);
                let (name, ty) = ("$this".into(), q.value());
                fields.push(FieldInfo { name, ty, align: None, default: None, bits: None });
                continue;
            }
            if &*c.name == "this" {
                self.capture_this(&mut fields, &mut values, c.span)?;
                continue;
            }
            let ex = match &c.init {
                Some(e) => self.expr(e)?,
                None => {
                    let name = ast::Name::simple(c.name.clone(), c.span);
                    self.expr(&ast::Expr { kind: ast::ExprKind::Name(name), span: c.span })?
                }
            };
            self.capture(&c.name, ex, c.by_ref, &mut fields, &mut values, c.span)?;
        }
        if let Some(by_ref) = l.default {
            for m in &l.mentions {
                if fields.iter().any(|f| f.name == *m)
                    || l.function.params.iter().any(|p| p.name.as_ref() == Some(m))
                {
                    continue;
                }
                if &**m == "this" {
                    self.capture_this(&mut fields, &mut values, span)?;
                    continue;
                }
                match self.lookup(outer_scope, m) {
                    Some((Entity::Local(v), _)) if v.owner == self.ctx.serial => {
                        let shared = self.ctx.locals[v.id.0 as usize].storage != hir::Storage::Auto;
                        if v.constant.is_some() {
                            // A constant needs no room.
                            continue;
                        }
                        let name = ast::Name::simple(m.clone(), span);
                        let ex = self.expr(&ast::Expr { kind: ast::ExprKind::Name(name), span })?;
                        self.capture(m, ex, by_ref || shared, &mut fields, &mut values, span)?;
                    }
                    Some((Entity::Field, scope)) if self.is_closure(scope) => {
                        // What a lambda around this one has captured is captured once more.
                        let name = ast::Name::simple(m.clone(), span);
                        let ex = self.expr(&ast::Expr { kind: ast::ExprKind::Name(name), span })?;
                        self.capture(m, ex, by_ref, &mut fields, &mut values, span)?;
                    }
                    Some((Entity::Field, _)) if !matches!(self.ctx.this, This::None) => {
                        self.capture_this(&mut fields, &mut values, span)?;
                    }
                    _ => {}
                }
            }
        }
        let i = id.0 as usize;
        let scope = self.structs[i].scope;
        for f in &fields {
            self.scopes[scope].names.insert(f.name.clone(), Entity::Field);
        }
        self.structs[i].fields = fields;
        self.structs[i].complete = true;
        self.layout(id, false, None);
        let sig = if l.function.is_template {
            None
        } else {
            Some(Rc::new(self.signature(&l.function, scope)?))
        };
        self.funcs.push(FnDecl {
            ast: l.function.clone(),
            scope,
            owner: Some(id),
            sig,
            special: Vec::new(),
            extern_c: false,
        });
        let index = self.funcs.len() - 1;
        self.scopes[scope].names.insert("operator()".into(), Entity::Funcs(Rc::new(vec![index])));
        Ok(self.value(ExprKind::Aggregate(values), Type::Struct(id).q(), span))
    }

    /// The scope is that of a lambda's captured values, and a body of the lambda is at work.
    fn is_closure(&self, scope: usize) -> bool {
        match self.scopes[scope].kind {
            ScopeKind::Class(id) => {
                let made = &*self.structs[id.0 as usize].plain == "(lambda)";
                made && !matches!(self.ctx.this, This::None)
            }
            _ => false,
        }
    }

    fn capture(
        &mut self,
        name: &Ident,
        ex: TypedExpr,
        by_ref: bool,
        fields: &mut Vec<FieldInfo>,
        values: &mut Vec<hir::Expr>,
        span: Span,
    ) -> SemaResult<()> {
        if fields.iter().any(|f| f.name == *name) {
            return fail(span, format!("`{name}` is captured twice"));
        }
        // Arrays that are captured by value would have to be copied; shared ones must not be.
        let shared = stmt::local_root(&ex.e)
            .is_some_and(|id| self.ctx.locals[id.0 as usize].storage != hir::Storage::Auto);
        if by_ref || shared {
            if !ex.place {
                return fail(span, format!("`{name}` has no place that a reference could mean"));
            }
            let ty = ex.q.clone().reference();
            let ex = TypedExpr { constant: None, ..ex };
            values.push(self.bind_reference(ex, &ty, span)?);
            fields.push(FieldInfo {
                name: name.clone(),
                ty,
                align: None,
                default: None,
                bits: None,
            });
            return Ok(());
        }
        if matches!(ex.q.ty, Type::Array(..)) {
            let e = ex.e.clone();
            let ty = self.machine(&ex.q.ty);
            values.push(hir::Expr { kind: ExprKind::Load(Box::new(e)), ty, span });
            fields.push(FieldInfo {
                name: name.clone(),
                ty: ex.q.clone().value(),
                align: None,
                default: None,
                bits: None,
            });
            return Ok(());
        }
        let v = self.load_value(ex)?;
        fields.push(FieldInfo {
            name: name.clone(),
            ty: v.q.plain().value(),
            align: None,
            default: None,
            bits: None,
        });
        values.push(v.e);
        Ok(())
    }

    fn capture_this(
        &mut self,
        fields: &mut Vec<FieldInfo>,
        values: &mut Vec<hir::Expr>,
        span: Span,
    ) -> SemaResult<()> {
        if fields.iter().any(|f| &*f.name == "$this") {
            return Ok(());
        }
        let place = self.this_place(span)?;
        self.mark_memory(&place.e);
        let q = Type::Ptr(Rc::new(QualType { ..place.q.clone() })).q();
        values.push(convert::address(place.e, span));
        fields.push(FieldInfo {
            name: "$this".into(),
            ty: q.value(),
            align: None,
            default: None,
            bits: None,
        });
        Ok(())
    }
}
