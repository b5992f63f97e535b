//! Shuffles of objects, which cooperative groups have: member by member.

use crate::hir::{self, Builtin, ExprKind, Ty};
use crate::sema::{Sema, SemaResult, TypedExpr, fail};

impl Sema<'_> {
    /// A shuffle of `object` with mask, lane and width, each of which is evaluated once.
    pub(in crate::sema) fn shuffle_parts(
        &mut self,
        kind: hir::Shuffle,
        object: TypedExpr,
        operands: [hir::Expr; 3],
    ) -> SemaResult<TypedExpr> {
        let (q, span) = (object.q.plain(), object.e.span);
        let mut before = Vec::new();
        let mut once = |me: &mut Self, e: hir::Expr| {
            let ty = e.ty.clone();
            let id = me.temp("$part", ty.clone(), span);
            let place = hir::Expr { kind: ExprKind::Local(id), ty: ty.clone(), span };
            let kind = ExprKind::Assign(Box::new(place.clone()), Box::new(e));
            before.push(hir::Expr { kind, ty: ty.clone(), span });
            hir::Expr { kind: ExprKind::Load(Box::new(place)), ty, span }
        };
        let whole = once(self, object.e);
        let operands = operands.map(|e| once(self, e));
        let mut value = self.shuffled(kind, whole, &operands)?;
        for e in before.into_iter().rev() {
            let ty = value.ty.clone();
            let kind = ExprKind::Comma(Box::new(e), Box::new(value));
            value = hir::Expr { kind, ty, span };
        }
        Ok(TypedExpr { e: value, q, place: false, constant: None })
    }

    fn shuffled(
        &self,
        kind: hir::Shuffle,
        value: hir::Expr,
        operands: &[hir::Expr; 3],
    ) -> SemaResult<hir::Expr> {
        let (ty, span) = (value.ty.clone(), value.span);
        let cast = |e: hir::Expr, ty: &Ty| match e.ty == *ty {
            true => e,
            false => hir::Expr { kind: ExprKind::Cast(Box::new(e)), ty: ty.clone(), span },
        };
        // Narrow integers and pointers go as the numbers that a shuffle takes.
        let as_number = |number: Ty| {
            let [mask, lane, width] = operands.clone();
            let value = cast(value.clone(), &number);
            let kind = ExprKind::Builtin(Builtin::Shfl(kind), vec![mask, value, lane, width]);
            cast(hir::Expr { kind, ty: number, span }, &ty)
        };
        match &ty {
            Ty::Struct(id) if !self.module.structs[id.0 as usize].is_union => {
                let fields = &self.module.structs[id.0 as usize].fields;
                let part = |(k, f): (usize, &hir::Field)| {
                    let part = ExprKind::FieldOf(Box::new(value.clone()), k as u32);
                    let part = hir::Expr { kind: part, ty: f.ty.clone(), span };
                    self.shuffled(kind, part, operands)
                };
                let parts = fields.iter().enumerate().map(part).collect::<SemaResult<_>>()?;
                Ok(hir::Expr { kind: ExprKind::Aggregate(parts), ty, span })
            }
            Ty::Bool | Ty::Int { bits: 8 | 16, .. } => Ok(as_number(Ty::I32)),
            Ty::Ptr(..) => Ok(as_number(Ty::U64)),
            Ty::Int { .. } | Ty::F16 | Ty::F32 | Ty::F64 => Ok(as_number(ty.clone())),
            _ => fail(span, "a group's shuffles exchange no unions and no arrays"),
        }
    }
}
