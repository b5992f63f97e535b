//! Arithmetic, comparisons and conversions of scalars, kept symbolic as long as that helps
//! addresses.

use super::stmt::mirrored;
use super::value::{Class, Val, bank, class, leaf_count};
use super::{Lower, Res};
use crate::bytecode::{Bank, NONE, Op, Reg};
use crate::hir::{BinOp, CmpOp, Ty};
use crate::known::wrap;

impl Lower<'_> {
    pub(super) fn binary(
        &mut self,
        op: BinOp,
        x: &Val,
        y: &Val,
        ty: &Ty,
        right_ty: &Ty,
    ) -> Res<Val> {
        match class(ty) {
            Class::F32 | Class::F16 => {
                let (a, b) = (self.reg(x, ty)?, self.reg(y, ty)?);
                let r = self.op2(
                    match op {
                        BinOp::Add => Op::AddF,
                        BinOp::Sub => Op::SubF,
                        BinOp::Mul => Op::MulF,
                        _ => Op::DivF,
                    },
                    a,
                    b,
                );
                Ok(Val::R(if class(ty) == Class::F16 { self.op1(Op::RoundH, r) } else { r }))
            }
            Class::F64 => {
                let (a, b) = (self.reg(x, ty)?, self.reg(y, ty)?);
                Ok(Val::R(self.op2(
                    match op {
                        BinOp::Add => Op::AddD,
                        BinOp::Sub => Op::SubD,
                        BinOp::Mul => Op::MulD,
                        _ => Op::DivD,
                    },
                    a,
                    b,
                )))
            }
            Class::I32(signed) => self.binary_32(op, x, y, ty, right_ty, signed),
            Class::I64(signed) => self.binary_64(op, x, y, ty, right_ty, signed),
        }
    }

    fn linear_result(&self, reg: Option<Reg>, add: i64, ty: &Ty) -> Val {
        match reg {
            None => Val::C(wrap(ty, add as u64)),
            Some(reg) => {
                let add =
                    if matches!(class(ty), Class::I32(_)) { i64::from(add as i32) } else { add };
                if add == 0 { Val::R(reg) } else { Val::Lin(reg, add) }
            }
        }
    }

    fn binary_32(
        &mut self,
        op: BinOp,
        x: &Val,
        y: &Val,
        ty: &Ty,
        right_ty: &Ty,
        signed: bool,
    ) -> Res<Val> {
        let full = matches!(ty, Ty::Int { bits: 32, .. });
        if full && let (Some((xr, xa)), Some((yr, ya))) = (self.linear(x), self.linear(y)) {
            match op {
                BinOp::Add => {
                    let base = match (xr, yr) {
                        (Some(a), Some(b)) => Some(self.op2(Op::AddI, a, b)),
                        (a, b) => a.or(b),
                    };
                    return Ok(self.linear_result(base, xa.wrapping_add(ya), ty));
                }
                BinOp::Sub if yr.is_none() => {
                    return Ok(self.linear_result(xr, xa.wrapping_sub(ya), ty));
                }
                BinOp::Sub if xr.is_some() => {
                    let (Some(a), Some(b)) = (xr, yr) else { return Ok(Val::Undef) };
                    let base = self.op2(Op::SubI, a, b);
                    return Ok(self.linear_result(Some(base), xa.wrapping_sub(ya), ty));
                }
                BinOp::Mul if xr.is_none() || yr.is_none() => {
                    let (base, add, factor) =
                        if yr.is_none() { (xr, xa, ya) } else { (yr, ya, xa) };
                    let factor = i64::from(factor as i32);
                    let Some(base) = base else {
                        return Ok(Val::C(wrap(ty, (add as u64).wrapping_mul(factor as u64))));
                    };
                    if factor == 0 {
                        return Ok(Val::C(0));
                    }
                    let base = self.mul_const_32(base, factor);
                    return Ok(self.linear_result(Some(base), add.wrapping_mul(factor), ty));
                }
                BinOp::Shl if yr.is_none() && (0..32).contains(&ya) && xr.is_some() => {
                    let Some(base) = xr else { return Ok(Val::Undef) };
                    let base = self.mul_const_32(base, 1i64 << ya);
                    return Ok(self.linear_result(Some(base), xa << ya, ty));
                }
                _ => {}
            }
        }
        let a = self.reg(x, ty)?;
        if let Val::C(bits) = y {
            let bits = *bits as u32;
            match op {
                BinOp::Shr if bits < 32 && bank(right_ty) == Bank::A => {
                    let op = if signed { Op::ShrSImm } else { Op::ShrUImm };
                    return Ok(Val::R(if bits == 0 {
                        a
                    } else {
                        self.op(op, a, NONE, NONE, bits as i32)
                    }));
                }
                BinOp::Div if !signed && bits.is_power_of_two() => {
                    let shift = bits.trailing_zeros() as i32;
                    return Ok(Val::R(if shift == 0 {
                        a
                    } else {
                        self.op(Op::ShrUImm, a, NONE, NONE, shift)
                    }));
                }
                BinOp::Rem if !signed && bits.is_power_of_two() => {
                    let mask = self.emit.constant(Bank::A, u64::from(bits - 1));
                    return Ok(Val::R(self.op2(Op::AndI, a, mask)));
                }
                _ => {}
            }
        }
        let b = self.shift_count(op, y, ty, right_ty)?;
        let op = match op {
            BinOp::Add => Op::AddI,
            BinOp::Sub => Op::SubI,
            BinOp::Mul => Op::MulI,
            BinOp::Div => [Op::DivU, Op::DivS][usize::from(signed)],
            BinOp::Rem => [Op::RemU, Op::RemS][usize::from(signed)],
            BinOp::And => Op::AndI,
            BinOp::Or => Op::OrI,
            BinOp::Xor => Op::XorI,
            BinOp::Shl => Op::ShlI,
            BinOp::Shr => [Op::ShrU, Op::ShrS][usize::from(signed)],
        };
        let r = self.op2(op, a, b);
        let r = self.narrow(r, ty);
        Ok(self.known_or_reg(Bank::A, r))
    }

    /// A register as a value; a constant if that is what it holds.
    pub(super) fn known_or_reg(&self, bank: Bank, reg: Reg) -> Val {
        match self.emit.constant_of(bank, reg) {
            Some(bits) => Val::C(bits),
            None => Val::R(reg),
        }
    }

    /// The right operand: of the same type, except for shifts, whose count is a 32-bit register.
    fn shift_count(&mut self, op: BinOp, y: &Val, ty: &Ty, right_ty: &Ty) -> Res<Reg> {
        if !matches!(op, BinOp::Shl | BinOp::Shr) {
            return self.reg(y, ty);
        }
        let reg = self.reg(y, right_ty)?;
        Ok(match bank(right_ty) {
            Bank::A => reg,
            Bank::B => self.op1(Op::LToI, reg),
        })
    }

    fn binary_64(
        &mut self,
        op: BinOp,
        x: &Val,
        y: &Val,
        ty: &Ty,
        right_ty: &Ty,
        signed: bool,
    ) -> Res<Val> {
        // Keep widened 32-bit values and sums with constants symbolic: they mostly end up in
        // addresses.
        match (op, x, y) {
            (BinOp::Add, Val::Wide(r, s, a), Val::C(c))
            | (BinOp::Add, Val::C(c), Val::Wide(r, s, a)) => {
                return Ok(Val::Wide(*r, *s, a.wrapping_add(*c as i64)));
            }
            (BinOp::Sub, Val::Wide(r, s, a), Val::C(c)) => {
                return Ok(Val::Wide(*r, *s, a.wrapping_sub(*c as i64)));
            }
            _ => {}
        }
        if let (Some((xr, xa)), Some((yr, ya))) = (self.linear(x), self.linear(y)) {
            match op {
                BinOp::Add if xr.is_none() || yr.is_none() => {
                    return Ok(self.linear_result(xr.or(yr), xa.wrapping_add(ya), ty));
                }
                BinOp::Sub if yr.is_none() => {
                    return Ok(self.linear_result(xr, xa.wrapping_sub(ya), ty));
                }
                BinOp::Mul if yr.is_none() && ya > 0 && ya.count_ones() == 1 && xa == 0 => {
                    if let Some(xr) = xr {
                        let shift = ya.trailing_zeros() as i32;
                        return Ok(Val::R(if shift == 0 {
                            xr
                        } else {
                            self.op(Op::ShlImmL, xr, NONE, NONE, shift)
                        }));
                    }
                }
                _ => {}
            }
        }
        let a = self.reg(x, ty)?;
        if let (Val::C(count), Bank::A) = (y, bank(right_ty))
            && *count < 64
            && *count > 0
        {
            let imm = match op {
                BinOp::Shl => Some(Op::ShlImmL),
                BinOp::Shr if signed => Some(Op::ShrSImmL),
                BinOp::Shr => Some(Op::ShrUImmL),
                _ => None,
            };
            if let Some(op) = imm {
                return Ok(Val::R(self.op(op, a, NONE, NONE, *count as i32)));
            }
        }
        let b = self.shift_count(op, y, ty, right_ty)?;
        let op = match op {
            BinOp::Add => Op::AddL,
            BinOp::Sub => Op::SubL,
            BinOp::Mul => Op::MulL,
            BinOp::Div => [Op::DivUL, Op::DivSL][usize::from(signed)],
            BinOp::Rem => [Op::RemUL, Op::RemSL][usize::from(signed)],
            BinOp::And => Op::AndL,
            BinOp::Or => Op::OrL,
            BinOp::Xor => Op::XorL,
            BinOp::Shl => Op::ShlL,
            BinOp::Shr => [Op::ShrUL, Op::ShrSL][usize::from(signed)],
        };
        let r = self.op2(op, a, b);
        Ok(self.known_or_reg(Bank::B, r))
    }

    pub(super) fn compare(&mut self, op: CmpOp, x: &Val, y: &Val, ty: &Ty) -> Res<Val> {
        let (op, swap) = mirrored(op);
        let (a, b) = (self.reg(x, ty)?, self.reg(y, ty)?);
        let (a, b) = if swap { (b, a) } else { (a, b) };
        let ops = match class(ty) {
            Class::I32(true) => [Op::EqI, Op::NeI, Op::LtS, Op::LeS],
            Class::I32(false) => [Op::EqI, Op::NeI, Op::LtU, Op::LeU],
            Class::I64(true) => [Op::EqL, Op::NeL, Op::LtSL, Op::LeSL],
            Class::I64(false) => [Op::EqL, Op::NeL, Op::LtUL, Op::LeUL],
            Class::F32 | Class::F16 => [Op::EqF, Op::NeF, Op::LtF, Op::LeF],
            Class::F64 => [Op::EqD, Op::NeD, Op::LtD, Op::LeD],
        };
        let op = ops[match op {
            CmpOp::Eq => 0,
            CmpOp::Ne => 1,
            CmpOp::Lt | CmpOp::Gt => 2,
            CmpOp::Le | CmpOp::Ge => 3,
        }];
        let r = self.op2(op, a, b);
        Ok(self.known_or_reg(Bank::A, r))
    }

    /// Conversion of a scalar.
    pub(super) fn cast(&mut self, val: Val, from: &Ty, to: &Ty) -> Res<Val> {
        if from == to || from.is_pointer() && to.is_pointer() {
            if let (Val::Place(range), Ty::Ptr(pointee, _)) = (&val, to)
                && range.ty != **pointee
                && leaf_count(self.module, &range.ty) != leaf_count(self.module, pointee)
            {
                return Err(self.needs_memory(range.var));
            }
            return Ok(val);
        }
        if *to == Ty::Bool {
            if let Val::Place(_) = val {
                return Ok(Val::C(1));
            }
            let zero = match class(from) {
                Class::F64 => Val::C(0f64.to_bits()),
                _ => Val::C(0),
            };
            return self.compare(CmpOp::Ne, &val, &zero, from);
        }
        match (class(from), class(to)) {
            (Class::I32(_), Class::I32(_)) => {
                if let Val::C(bits) = val {
                    return Ok(Val::C(wrap(to, bits)));
                }
                if matches!(to, Ty::Int { bits: 32, .. }) {
                    // Same bits: narrow values are kept extended as their own type says.
                    return match val {
                        Val::Lin(..) if !matches!(from, Ty::Int { bits: 32, .. }) => {
                            Ok(Val::R(self.reg(&val, from)?))
                        }
                        // A sum that may wrap as one signedness and not as the other is computed
                        // now.
                        Val::Lin(reg, add) if from != to && !self.emit.fits_unsigned(reg, add) => {
                            Ok(Val::R(self.reg(&val, from)?))
                        }
                        other => Ok(other),
                    };
                }
                let reg = self.reg(&val, from)?;
                Ok(Val::R(self.narrow(reg, to)))
            }
            (Class::I32(signed), Class::I64(_)) => match val {
                Val::C(bits) if signed => Ok(Val::C(i64::from(bits as i32) as u64)),
                Val::C(bits) => Ok(Val::C(u64::from(bits as u32))),
                Val::Lin(reg, add)
                    if matches!(from, Ty::Int { bits: 32, .. })
                        && if signed {
                            self.emit.fits_signed(reg, add)
                        } else {
                            self.emit.fits_unsigned(reg, add)
                        } =>
                {
                    Ok(Val::Wide(reg, signed, add))
                }
                other => Ok(Val::Wide(self.reg(&other, from)?, signed, 0)),
            },
            (Class::I64(_), Class::I32(_)) => {
                if let Val::C(bits) = val {
                    return Ok(Val::C(wrap(to, bits)));
                }
                let low = match val {
                    Val::Wide(reg, _, 0) => reg,
                    other => {
                        let reg = self.reg(&other, from)?;
                        self.op1(Op::LToI, reg)
                    }
                };
                Ok(Val::R(self.narrow(low, to)))
            }
            (Class::I64(_), Class::I64(_)) => match val {
                // An integer that is used as an address, or the other way round.
                Val::Ptr(_) if !to.is_pointer() => Ok(Val::R(self.reg(&val, from)?)),
                other => Ok(other),
            },
            (from_class, to_class) => {
                let reg = self.reg(&val, from)?;
                let r = self.float_cast(reg, from_class, to_class, to);
                Ok(self.known_or_reg(bank(to), r))
            }
        }
    }

    fn float_cast(&mut self, reg: Reg, from: Class, to: Class, to_ty: &Ty) -> Reg {
        use Class::{F16, F32, F64, I32, I64};
        match (from, to) {
            (F32 | F16, F32) => reg,
            (F16, F16) => reg,
            (F32, F16) => self.op1(Op::RoundH, reg),
            (F64, F16) => self.op1(Op::DToH, reg),
            (F32 | F16, F64) => self.op1(Op::FToD, reg),
            (F64, F32) => self.op1(Op::DToF, reg),
            (I32(signed), F32 | F16) => {
                let r = self.op1(if signed { Op::IToF } else { Op::UToF }, reg);
                if to == F16 { self.op1(Op::RoundH, r) } else { r }
            }
            (I32(signed), F64) => self.op1(if signed { Op::IToD } else { Op::UToD }, reg),
            (I64(signed), F32 | F16) => {
                let r = self.op1(if signed { Op::LToF } else { Op::XToF }, reg);
                if to == F16 { self.op1(Op::RoundH, r) } else { r }
            }
            (I64(signed), F64) => self.op1(if signed { Op::LToD } else { Op::XToD }, reg),
            (F32 | F16, I32(signed)) => {
                let r = self.op1(if signed { Op::FToI } else { Op::FToU }, reg);
                self.narrow(r, to_ty)
            }
            (F32 | F16, I64(signed)) => self.op1(if signed { Op::FToL } else { Op::FToX }, reg),
            (F64, I32(signed)) => {
                let r = self.op1(if signed { Op::DToI } else { Op::DToU }, reg);
                self.narrow(r, to_ty)
            }
            (F64, I64(signed)) => self.op1(if signed { Op::DToL } else { Op::DToX }, reg),
            _ => reg,
        }
    }
}
