//! Expressions.

use super::scan;
use super::value::{Class, Place, Val, bank, class, field_leaf, leaf_count};
use super::{Lower, Res};
use crate::bytecode::{Bank, Inst, NONE, Op, Reg};
use crate::hir::{BinOp, Expr, ExprKind, Ty, UnOp};
use crate::known::wrap;

impl Lower<'_> {
    /// Evaluates for the effect alone.
    pub(super) fn discard(&mut self, e: &Expr) -> Res<()> {
        match &e.kind {
            // A struct that is assigned has a value nobody wants: do not copy it once more.
            ExprKind::Comma(a, b) => {
                self.discard(a)?;
                self.discard(b)
            }
            ExprKind::Cast(x) if e.ty == Ty::Void => self.discard(x),
            _ => self.values(e).map(|_| ()),
        }
    }

    pub(super) fn scalar_reg(&mut self, e: &Expr) -> Res<Reg> {
        let value = self.scalar(e)?;
        self.reg(&value, &e.ty)
    }

    pub(super) fn scalar(&mut self, e: &Expr) -> Res<Val> {
        Ok(self.values(e)?.into_iter().next().unwrap_or(Val::Undef))
    }

    /// Operand that is held while `later` is evaluated.
    pub(super) fn held(&mut self, e: &Expr, later: &[&Expr]) -> Res<Val> {
        let value = self.scalar(e)?;
        let mut effects = scan::Effects::default();
        later.iter().for_each(|l| effects.expr(l));
        if effects.indirect || !effects.assigned.is_empty() {
            return self.freeze(value, &e.ty);
        }
        Ok(value)
    }

    /// The scalars of an expression's value, in the order of [`super::value::flatten`].
    pub(super) fn values(&mut self, e: &Expr) -> Res<Vec<Val>> {
        let outer = std::mem::replace(&mut self.emit.span, e.span);
        let result = self.values_here(e);
        self.emit.span = outer;
        result
    }

    /// The values of an expression. It is long because it has an arm for each kind.
    fn values_here(&mut self, e: &Expr) -> Res<Vec<Val>> {
        let one = |v: Val| Ok(vec![v]);
        match &e.kind {
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Deref(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..) => {
                let place = self.place(e)?;
                self.load(&place, &e.ty)
            }
            ExprKind::Int(bits) => one(Val::C(wrap(&e.ty, *bits))),
            ExprKind::Float(x) => one(Val::C(match class(&e.ty) {
                Class::F64 => x.to_bits(),
                Class::F16 => u64::from(crate::round::to_half(*x).to_f32().to_bits()),
                _ => u64::from((*x as f32).to_bits()),
            })),
            ExprKind::Str(text) => {
                let at = self.string(text);
                one(Val::C(at))
            }
            ExprKind::Load(place) => {
                let at = self.place(place)?;
                self.emit.span = place.span;
                self.load(&at, &e.ty)
            }
            ExprKind::AddrOf(place) => {
                let at = self.place(place)?;
                // Array decay: a pointer to the first element.
                let at = match (at, &e.ty) {
                    (Place::Leaves(mut range), Ty::Ptr(to, _)) => {
                        range.ty = (**to).clone();
                        Place::Leaves(range)
                    }
                    (at, _) => at,
                };
                one(self.address_of(at))
            }
            ExprKind::PtrAdd(p, i) => {
                let pointer = self.held(p, &[i])?;
                self.holding += 1;
                let index = self.scalar(i)?;
                self.holding -= 1;
                one(self.move_pointer(&pointer, &p.ty, &index, &i.ty, false)?)
            }
            ExprKind::PtrDiff(a, b) => {
                let x = self.held(a, &[b])?;
                self.holding += 1;
                let y = self.scalar(b)?;
                self.holding -= 1;
                let (x, y) = (self.reg(&x, &a.ty)?, self.reg(&y, &b.ty)?);
                let bytes = self.op2(Op::SubL, x, y);
                let size = match &a.ty {
                    Ty::Ptr(to, _) => self.module.size_of(to).max(1),
                    _ => 1,
                };
                one(Val::R(if size.is_power_of_two() {
                    let shift = size.trailing_zeros() as i32;
                    if shift == 0 { bytes } else { self.op(Op::ShrSImmL, bytes, NONE, NONE, shift) }
                } else {
                    let size = self.emit.constant(Bank::B, size);
                    self.op2(Op::DivSL, bytes, size)
                }))
            }
            ExprKind::Unary(op, x) => one(self.unary(*op, x)?),
            ExprKind::Binary(op, a, b) => one(self.binary_expr(*op, a, b, &e.ty)?),
            ExprKind::Cmp(op, a, b) => {
                let x = self.held(a, &[b])?;
                self.holding += 1;
                let y = self.scalar(b)?;
                self.holding -= 1;
                one(self.compare(*op, &x, &y, &a.ty)?)
            }
            ExprKind::And(a, b) => one(self.short_circuit(a, b, true)?),
            ExprKind::Or(a, b) => one(self.short_circuit(a, b, false)?),
            ExprKind::Cond(c, a, b) => self.conditional(c, a, b, &e.ty),
            ExprKind::Cast(x) => {
                if e.ty == Ty::Void {
                    self.discard(x)?;
                    return Ok(Vec::new());
                }
                let value = self.scalar(x)?;
                one(self.cast(value, &x.ty, &e.ty)?)
            }
            ExprKind::Assign(place, value) => {
                // The right side first: it may hold calls that change what the left side refers to.
                let values = self.values(value)?;
                let values = self.frozen_against(values, &value.ty, place)?;
                self.holding += 1;
                let at = self.place(place)?;
                self.holding -= 1;
                self.emit.span = place.span;
                self.store(&at, &place.ty, values.clone())?;
                values.into_iter().map(|v| self.held_by(&at, v, &place.ty)).collect()
            }
            ExprKind::AssignOp(op, place, value) => {
                let operand = self.held(value, &[place])?;
                self.holding += 1;
                let at = self.place(place)?;
                self.holding -= 1;
                let outer = std::mem::replace(&mut self.emit.span, place.span);
                let old = self.load(&at, &place.ty)?.into_iter().next().unwrap_or(Val::Undef);
                self.emit.span = outer;
                let new = if place.ty.is_pointer() {
                    self.move_pointer(&old, &place.ty, &operand, &value.ty, *op == BinOp::Sub)?
                } else {
                    let work = match op {
                        BinOp::Shl | BinOp::Shr => promoted(&place.ty),
                        _ => value.ty.clone(),
                    };
                    let left = self.cast(old, &place.ty, &work)?;
                    let sum = match self.fused(*op, &left, value, &operand, &work)? {
                        Some(fused) => fused,
                        None => self.binary(*op, &left, &operand, &work, &value.ty)?,
                    };
                    self.cast(sum, &work, &place.ty)?
                };
                self.emit.span = place.span;
                self.store(&at, &place.ty, vec![new.clone()])?;
                one(self.held_by(&at, new, &place.ty)?)
            }
            ExprKind::IncDec { place, inc, post } => {
                let at = self.place(place)?;
                let old = self.load(&at, &place.ty)?.into_iter().next().unwrap_or(Val::Undef);
                // The old value outlives the change.
                let old = if *post { self.freeze_if_used(old, &place.ty)? } else { old };
                let new = self.stepped_value(&old, &place.ty, *inc)?;
                self.store(&at, &place.ty, vec![new.clone()])?;
                one(if *post { old } else { self.held_by(&at, new, &place.ty)? })
            }
            ExprKind::Call(func, args) => {
                let mut values = Vec::new();
                for (k, arg) in args.iter().enumerate() {
                    let rest: Vec<&Expr> = args[k + 1..].iter().collect();
                    let mut effects = scan::Effects::default();
                    rest.iter().for_each(|r| effects.expr(r));
                    let v = self.values(arg)?;
                    let v = if effects.indirect || !effects.assigned.is_empty() {
                        self.frozen(v, &arg.ty)?
                    } else {
                        v
                    };
                    self.holding += 1;
                    values.push((arg.ty.clone(), v));
                }
                self.holding -= args.len() as u32;
                match self.module.recursive.contains(func) {
                    true => self.call_routine(*func, values),
                    false => self.inline(*func, values),
                }
            }
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, e),
            ExprKind::Comma(a, b) => {
                self.discard(a)?;
                self.values(b)
            }
            ExprKind::Aggregate(parts) if self.is_words(&e.ty) => self.words_of(parts, &e.ty),
            ExprKind::Aggregate(parts) => {
                let mut out = Vec::new();
                for (k, part) in parts.iter().enumerate() {
                    let v = self.values(part)?;
                    let mut effects = scan::Effects::default();
                    parts[k + 1..].iter().for_each(|p| effects.expr(p));
                    let v = if effects.indirect || !effects.assigned.is_empty() {
                        self.frozen(v, &part.ty)?
                    } else {
                        v
                    };
                    self.holding += 1;
                    out.extend(v);
                }
                self.holding -= parts.len() as u32;
                Ok(out)
            }
            ExprKind::FieldOf(inner, index) if self.is_words(&inner.ty) => {
                self.member_of_words(inner, *index)
            }
            ExprKind::FieldOf(inner, index) => {
                let values = self.values(inner)?;
                let (before, ty) = field_leaf(self.module, &inner.ty, *index);
                let count = leaf_count(self.module, &ty);
                Ok(values.into_iter().skip(before).take(count).collect())
            }
        }
    }

    pub(super) fn is_words(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Struct(id) if self.module.structs[id.0 as usize].in_words())
    }

    /// The words of a union whose first member has a value, or of a struct with bit-fields.
    fn words_of(&mut self, parts: &[Expr], ty: &Ty) -> Res<Vec<Val>> {
        let whole = self.unnamed_memory(ty)?;
        if let Ty::Struct(id) = ty
            && !self.module.structs[id.0 as usize].is_union
        {
            // The bits between the fields, too.
            let words = leaf_count(self.module, ty);
            self.store(&whole, ty, vec![Val::C(0); words])?;
        }
        for (k, part) in parts.iter().enumerate() {
            let values = self.values(part)?;
            let member = self.member(whole.clone(), ty, k as u32);
            self.store(&member, &part.ty, values)?;
        }
        self.load(&whole, ty)
    }

    fn member_of_words(&mut self, whole: &Expr, index: u32) -> Res<Vec<Val>> {
        let Ty::Struct(id) = whole.ty else { return Ok(Vec::new()) };
        let ty = self.module.structs[id.0 as usize].fields[index as usize].ty.clone();
        let place = self.place(whole)?;
        let place = self.member(place, &whole.ty, index);
        self.load(&place, &ty)
    }

    fn frozen(&mut self, values: Vec<Val>, ty: &Ty) -> Res<Vec<Val>> {
        let types = super::flatten(self.module, ty, usize::MAX).unwrap_or_default();
        values.into_iter().zip(types).map(|(v, (ty, _))| self.freeze(v, &ty)).collect()
    }

    fn frozen_against(&mut self, values: Vec<Val>, ty: &Ty, later: &Expr) -> Res<Vec<Val>> {
        let effects = scan::expr(later);
        if effects.indirect && matches!(later.kind, ExprKind::Deref(_))
            || !effects.assigned.is_empty()
        {
            return self.frozen(values, ty);
        }
        Ok(values)
    }

    /// A value in a home register must be copied before its variable changes; other values are
    /// safe.
    fn freeze_if_used(&mut self, val: Val, ty: &Ty) -> Res<Val> {
        // A bare `i++` leaves the copy unused, and unused copies are dropped later.
        match &val {
            Val::R(reg) if self.emit.is_home(bank(ty), *reg) => Ok(val),
            Val::Lin(..) | Val::Ptr(_) => Ok(val),
            _ => self.freeze(val, ty),
        }
    }

    fn stepped_value(&mut self, old: &Val, ty: &Ty, inc: bool) -> Res<Val> {
        match class(ty) {
            _ if ty.is_pointer() => self.move_pointer(old, ty, &Val::C(1), &Ty::I64, !inc),
            Class::F64 => {
                let one = Val::C(1f64.to_bits());
                self.binary(if inc { BinOp::Add } else { BinOp::Sub }, old, &one, ty, ty)
            }
            Class::F32 | Class::F16 => {
                let one = Val::C(u64::from(1f32.to_bits()));
                self.binary(if inc { BinOp::Add } else { BinOp::Sub }, old, &one, ty, ty)
            }
            _ => self.binary(if inc { BinOp::Add } else { BinOp::Sub }, old, &Val::C(1), ty, ty),
        }
    }

    fn unary(&mut self, op: UnOp, x: &Expr) -> Res<Val> {
        let value = self.scalar(x)?;
        let ty = &x.ty;
        match (op, class(ty)) {
            (UnOp::Neg, Class::F32 | Class::F16) => {
                let r = self.reg(&value, ty)?;
                Ok(Val::R(self.op1(Op::NegF, r)))
            }
            (UnOp::Neg, Class::F64) => {
                let r = self.reg(&value, ty)?;
                Ok(Val::R(self.op1(Op::NegD, r)))
            }
            (UnOp::Neg, _) => self.binary(BinOp::Sub, &Val::C(0), &value, ty, ty),
            (UnOp::Not, _) => {
                let ones = Val::C(wrap(ty, u64::MAX));
                self.binary(BinOp::Xor, &value, &ones, ty, ty)
            }
        }
    }

    fn binary_expr(&mut self, op: BinOp, a: &Expr, b: &Expr, ty: &Ty) -> Res<Val> {
        if let Some(fused) = self.fused_expr(op, a, b, ty)? {
            return Ok(fused);
        }
        let x = self.held(a, &[b])?;
        self.holding += 1;
        let y = self.scalar(b)?;
        self.holding -= 1;
        self.binary(op, &x, &y, ty, &b.ty)
    }

    /// `a*b + c` and its relatives, if fusing was asked for.
    fn fused_expr(&mut self, op: BinOp, a: &Expr, b: &Expr, ty: &Ty) -> Res<Option<Val>> {
        if !self.contract
            || !matches!(class(ty), Class::F32 | Class::F64)
            || !matches!(op, BinOp::Add | BinOp::Sub)
        {
            return Ok(None);
        }
        let product = |e: &Expr| matches!(&e.kind, ExprKind::Binary(BinOp::Mul, ..));
        let (Some(factors), other, left) = (if product(a) {
            (Some(a), b, true)
        } else if product(b) {
            (Some(b), a, false)
        } else {
            (None, a, true)
        }) else {
            return Ok(None);
        };
        let ExprKind::Binary(_, f, g) = &factors.kind else { return Ok(None) };
        let first = if left { None } else { Some(self.held(other, &[f, g])?) };
        self.holding += 1;
        let x = self.held(f, &[g, other])?;
        let y = self.held(g, &[other])?;
        let z = match first {
            Some(z) => z,
            None => self.scalar(other)?,
        };
        self.holding -= 1;
        let (x, y, z) = (self.reg(&x, ty)?, self.reg(&y, ty)?, self.reg(&z, ty)?);
        Ok(Some(Val::R(self.fma(ty, x, y, z, op == BinOp::Sub && !left, op == BinOp::Sub && left))))
    }

    /// `x op= a*b`, fused.
    fn fused(
        &mut self,
        op: BinOp,
        left: &Val,
        value: &Expr,
        operand: &Val,
        ty: &Ty,
    ) -> Res<Option<Val>> {
        if !self.contract
            || !matches!(class(ty), Class::F32 | Class::F64)
            || !matches!(op, BinOp::Add | BinOp::Sub)
            || !matches!(&value.kind, ExprKind::Binary(BinOp::Mul, ..))
        {
            return Ok(None);
        }
        // The product has just been computed; take it back and fuse.
        let (Val::R(product), mul) =
            (operand, if class(ty) == Class::F64 { Op::MulD } else { Op::MulF })
        else {
            return Ok(None);
        };
        let Some(at) = self.emit.insts.iter().rposition(|i| i.op == mul && i.d == *product) else {
            return Ok(None);
        };
        let Inst { a, b, .. } = self.emit.insts[at];
        let z = self.reg(left, ty)?;
        Ok(Some(Val::R(self.fma(ty, a, b, z, op == BinOp::Sub, false))))
    }

    /// `x*y + z`, with the product or `z` negated.
    pub(super) fn fma(
        &mut self,
        ty: &Ty,
        x: Reg,
        y: Reg,
        z: Reg,
        minus: bool,
        minus_z: bool,
    ) -> Reg {
        let (neg, fma) = match class(ty) {
            Class::F64 => (Op::NegD, Op::FmaD),
            _ => (Op::NegF, Op::FmaF),
        };
        let x = if minus { self.op1(neg, x) } else { x };
        let z = if minus_z { self.op1(neg, z) } else { z };
        self.op(fma, x, y, z, 0)
    }

    /// `a && b` or `a || b`: one branch, on `a`.
    fn short_circuit(&mut self, a: &Expr, b: &Expr, and: bool) -> Res<Val> {
        let left = self.scalar(a)?;
        if let Val::C(bits) = left {
            return if (bits != 0) == and { self.scalar(b) } else { Ok(left) };
        }
        let cond = self.reg(&left, &Ty::Bool)?;
        let effects = scan::expr(b);
        if !effects.heavy {
            self.branch_count(cond);
            let right = self.scalar(b)?;
            let right = self.reg(&right, &Ty::Bool)?;
            let r = self.op2(if and { Op::AndI } else { Op::OrI }, cond, right);
            return Ok(self.known_or_reg(Bank::A, r));
        }
        let changed = self.changed(&effects);
        let result = self.emit.new_home(Bank::A);
        self.move_to(result, Bank::A, cond);
        let test = if and {
            cond
        } else {
            let zero = self.emit.constant(Bank::A, 0);
            self.op2(Op::EqI, cond, zero)
        };
        self.branch(
            test,
            &changed,
            false,
            |s| {
                let right = s.scalar(b)?;
                let right = s.reg(&right, &Ty::Bool)?;
                s.move_to(result, Bank::A, right);
                Ok(())
            },
            |_| Ok(()),
        )?;
        Ok(Val::R(self.op1(Op::MovA, result)))
    }

    pub(super) fn branch_count(&mut self, cond: Reg) {
        let inst = Inst { op: Op::BrCount, d: NONE, a: cond, b: NONE, c: NONE, imm: 0 };
        self.emit.push(inst);
    }

    /// Sets a register that is written more than once.
    fn move_to(&mut self, home: Reg, bank: Bank, from: Reg) {
        self.emit.forget_home(bank, home);
        let op = if bank == Bank::A { Op::MovA } else { Op::MovB };
        self.emit.push(Inst { op, d: home, a: from, b: NONE, c: NONE, imm: 0 });
    }

    /// `c ? a : b`.
    fn conditional(&mut self, c: &Expr, a: &Expr, b: &Expr, ty: &Ty) -> Res<Vec<Val>> {
        let cond = self.scalar(c)?;
        if let Val::C(bits) = cond {
            return self.values(if bits != 0 { a } else { b });
        }
        let cond = self.reg(&cond, &Ty::Bool)?;
        let mut effects = scan::expr(a);
        effects.expr(b);
        if *ty != Ty::Void && ty.is_scalar() && !effects.heavy {
            self.branch_count(cond);
            let x = self.scalar(a)?;
            let y = self.scalar(b)?;
            let (x, y) = (self.reg(&x, ty)?, self.reg(&y, ty)?);
            let op = if bank(ty) == Bank::A { Op::SelA } else { Op::SelB };
            let r = self.op(op, cond, x, y, 0);
            return Ok(vec![self.known_or_reg(bank(ty), r)]);
        }
        let changed = self.changed(&effects);
        let Some(parts) = super::flatten(self.module, ty, super::MAX_LEAVES) else {
            return Err(self.error("`?:` cannot choose between values this large".into()));
        };
        let homes: Vec<(Reg, Ty)> =
            parts.into_iter().map(|(ty, _)| (self.emit.new_home(bank(&ty)), ty)).collect();
        let fill = |s: &mut Self, e: &Expr| {
            if *ty == Ty::Void {
                return s.discard(e);
            }
            let values = s.values(e)?;
            for ((home, ty), value) in homes.iter().zip(values) {
                let reg = s.reg(&value, ty)?;
                s.move_to(*home, bank(ty), reg);
            }
            Ok(())
        };
        self.branch(cond, &changed, true, |s| fill(s, a), |s| fill(s, b))?;
        let mut out = Vec::new();
        for (home, ty) in &homes {
            let op = if bank(ty) == Bank::A { Op::MovA } else { Op::MovB };
            out.push(Val::R(self.op1(op, *home)));
        }
        Ok(out)
    }

    /// Address of a string literal.
    pub(super) fn string(&mut self, text: &str) -> u64 {
        if let Some(at) = self.string_index.get(text) {
            return *at;
        }
        let at = crate::bytecode::STRING_BASE + self.strings.len() as u64;
        self.strings.extend(text.as_bytes());
        self.strings.push(0);
        self.string_index.insert(text.into(), at);
        at
    }
}

/// Integer promotion: at least 32 bits.
fn promoted(ty: &Ty) -> Ty {
    match ty {
        Ty::Bool | Ty::Int { bits: 8 | 16, .. } => Ty::I32,
        other => other.clone(),
    }
}
