//! Very long sums, as programs that write programs make them: typed piece by piece, so that the
//! tree stays flat enough for everything that walks it.

use std::rc::Rc;

use crate::ast::{self, Name, PIECE};
use crate::hir::{self, ExprKind, LocalId};
use crate::sema::{Entity, LocalVar, ScopeKind, Sema, SemaResult, TypedExpr};
use crate::source::Span;

impl Sema<'_> {
    /// The value of a chain `a + b + c ...` of more than [`PIECE`] operators; `None` if `e` is
    /// shorter.
    pub(in crate::sema) fn long_chain(&mut self, e: &ast::Expr) -> SemaResult<Option<TypedExpr>> {
        let mut steps = Vec::new();
        let mut first = e;
        while let ast::ExprKind::Binary(op, left, right) = &first.kind
            && *op != ","
        {
            steps.push((*op, &**right, first.span));
            first = left;
        }
        if steps.len() <= PIECE {
            return Ok(None);
        }
        steps.reverse();
        let scope = self.push_scope(self.ctx.scope, ScopeKind::Block, "");
        let outer = std::mem::replace(&mut self.ctx.scope, scope);
        let result = self.pieces(first, &steps);
        self.ctx.scope = outer;
        result.map(Some)
    }

    fn pieces(
        &mut self,
        first: &ast::Expr,
        steps: &[(&'static str, &ast::Expr, Span)],
    ) -> SemaResult<TypedExpr> {
        let mut so_far = first.clone();
        let mut stores = Vec::new();
        let count = steps.len().div_ceil(PIECE);
        for (k, piece) in steps.chunks(PIECE).enumerate() {
            for (op, right, span) in piece {
                let kind = ast::ExprKind::Binary(op, Box::new(so_far), Box::new((*right).clone()));
                so_far = ast::Expr { kind, span: *span };
            }
            let value = self.expr(&so_far).and_then(|x| self.load_value(x))?;
            if k + 1 == count {
                let store = |rest: TypedExpr, e: hir::Expr| {
                    let (ty, span) = (rest.e.ty.clone(), rest.e.span);
                    let kind = ExprKind::Comma(Box::new(e), Box::new(rest.e));
                    TypedExpr { e: hir::Expr { kind, ty, span }, ..rest }
                };
                return Ok(stores.into_iter().rev().fold(value, store));
            }
            let (name, id) = self.piece(&value, k);
            let (ty, span) = (value.e.ty.clone(), value.e.span);
            let place = hir::Expr { kind: ExprKind::Local(id), ty: ty.clone(), span };
            let kind = ExprKind::Assign(Box::new(place), Box::new(value.e));
            stores.push(hir::Expr { kind, ty, span });
            so_far = ast::Expr { kind: ast::ExprKind::Name(name), span };
        }
        self.expr(&so_far)
    }

    /// A variable that holds the value of piece `k`.
    fn piece(&mut self, value: &TypedExpr, k: usize) -> (Name, LocalId) {
        let span = value.e.span;
        let id = self.temp("$piece", value.e.ty.clone(), span);
        let name: ast::Ident = format!("$piece{k}").into();
        let ty = value.q.plain().value();
        let var = LocalVar { id, ty, constant: None, owner: self.ctx.serial, span };
        let scope = self.ctx.scope;
        self.scopes[scope].names.insert(name.clone(), Entity::Local(Rc::new(var)));
        (Name::simple(name, span), id)
    }
}
