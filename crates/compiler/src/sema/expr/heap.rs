//! `new` and `delete`: memory from the heap of `headers/heap.h`, and an object in it.

use crate::ast::{self, Init, Name, Part, TArg};
use crate::hir::{self, ExprKind};
use crate::sema::types::{QualType, Type};
use crate::sema::{Sema, SemaResult, TypedExpr, fail};
use crate::source::Span;

impl Sema<'_> {
    pub(in crate::sema) fn new_object(
        &mut self,
        ty: &ast::Ty,
        at: Option<&ast::Expr>,
        count: Option<&ast::Expr>,
        init: &Init,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let q = self.ty(ty)?;
        let size = self.size_of(&q.ty, ty.span)?;
        let expr = |kind| ast::Expr { kind, span };
        let of_class =
            matches!(&q.ty, Type::Struct(id) if self.is_constructed(*id) || self.has_defaults(*id));
        if let Some(count) = count {
            if !matches!(init, Init::None) && !matches!(init, Init::Paren(a) if a.is_empty()) {
                return fail(span, "the elements of a new array have no initial values here");
            }
            let (name, args, n) = match of_class {
                true => ("__new_array", Some(vec![TArg::Type(ty.clone())]), count.clone()),
                false => {
                    let size = expr(ast::ExprKind::Int(size, ast::IntKind::ULong));
                    let n = ast::ExprKind::Binary("*", Box::new(count.clone()), Box::new(size));
                    ("malloc", None, expr(n))
                }
            };
            let pointer = self.heap_call(name, args, n, span)?;
            return self.as_pointer(pointer, &q, span);
        }
        let raw = match at {
            Some(at) => self.expr(at).and_then(|x| self.load_value(x))?,
            None => {
                let size = expr(ast::ExprKind::Int(size, ast::IntKind::ULong));
                self.heap_call("malloc", None, size, span)?
            }
        };
        let pointer = self.as_pointer(raw, &q, span)?;
        let value = match (init, &q.ty) {
            (Init::None, Type::Struct(id)) if of_class => {
                let id = *id;
                Some(self.construct(id, Vec::new(), span)?)
            }
            (Init::None, _) => None,
            (init, _) => self.init_value(&q, init, span)?,
        };
        let Some(value) = value else { return Ok(pointer) };
        let ty = pointer.e.ty.clone();
        let id = self.temp("$new", ty.clone(), span);
        let local = hir::Expr { kind: ExprKind::Local(id), ty: ty.clone(), span };
        let load =
            hir::Expr { kind: ExprKind::Load(Box::new(local.clone())), ty: ty.clone(), span };
        let assign = |to: hir::Expr, value: hir::Expr| {
            let ty = to.ty.clone();
            hir::Expr { kind: ExprKind::Assign(Box::new(to), Box::new(value)), ty, span }
        };
        let place =
            hir::Expr { kind: ExprKind::Deref(Box::new(load.clone())), ty: value.ty.clone(), span };
        let then = |a: hir::Expr, b: hir::Expr| {
            let ty = b.ty.clone();
            hir::Expr { kind: ExprKind::Comma(Box::new(a), Box::new(b)), ty, span }
        };
        let made = then(assign(local, pointer.e), then(assign(place, value), load));
        Ok(TypedExpr { e: made, ..pointer })
    }

    pub(in crate::sema) fn delete(
        &mut self,
        pointer: &ast::Expr,
        array: bool,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let of = self.unevaluated(pointer)?.q.ty;
        let name = match of.pointee().map(|to| &to.ty) {
            Some(ty) if array && self.is_destroyed(ty) => "__delete_array",
            // Objects of a derived class may have more to do.
            Some(Type::Struct(id)) if !array && self.destructor(*id).is_some() => "__delete",
            _ => "free",
        };
        self.heap_call(name, None, pointer.clone(), span)
    }

    /// Calls a function of the heap.
    fn heap_call(
        &mut self,
        name: &str,
        args: Option<Vec<TArg>>,
        argument: ast::Expr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let part = Part { id: name.into(), args, span };
        let name = Name { parts: vec![part], global: true, elaborated: false, span };
        let callee = ast::Expr { kind: ast::ExprKind::Name(name), span };
        let call = ast::ExprKind::Call(Box::new(callee), vec![argument]);
        self.expr(&ast::Expr { kind: call, span })
    }

    fn as_pointer(&mut self, raw: TypedExpr, to: &QualType, span: Span) -> SemaResult<TypedExpr> {
        let q = Type::Ptr(std::rc::Rc::new(to.clone())).q();
        self.convert_explicit(raw, &q, span)
    }
}
