//! From values to registers, and from addresses to what a memory instruction takes.

use std::rc::Rc;

use super::value::{Addr, Class, Root, Term, Val, bank, class};
use super::{Lower, Res};
use crate::bytecode::{Bank, LOCAL_BASE, NONE, Op, Reg, SHARED_BASE};
use crate::hir::Ty;

impl Lower<'_> {
    /// Emits `op` or folds it if all operands are constant.
    pub(super) fn op(&mut self, op: Op, a: Reg, b: Reg, c: Reg, imm: i32) -> Reg {
        if op.is_pure()
            && let Some(bits) = self.fold(op, [a, b, c], imm)
        {
            let out = if op.shape()[0] == b'a' { Bank::A } else { Bank::B };
            return self.emit.constant(out, bits);
        }
        self.emit.op(op, a, b, c, imm)
    }

    pub(super) fn op1(&mut self, op: Op, a: Reg) -> Reg {
        self.op(op, a, NONE, NONE, 0)
    }

    pub(super) fn op2(&mut self, op: Op, a: Reg, b: Reg) -> Reg {
        self.op(op, a, b, NONE, 0)
    }

    fn fold(&self, op: Op, operands: [Reg; 3], imm: i32) -> Option<u64> {
        let shape = op.shape();
        let mut values = [0; 3];
        for k in 0..3 {
            values[k] = match shape[k + 1] {
                b'a' => self.emit.constant_of(Bank::A, operands[k])?,
                b'b' => self.emit.constant_of(Bank::B, operands[k])?,
                _ => 0,
            };
        }
        (self.eval)(op, values, imm)
    }

    /// The register that holds `val`, a value of type `ty`.
    pub(super) fn reg(&mut self, val: &Val, ty: &Ty) -> Res<Reg> {
        let bank = bank(ty);
        Ok(match val {
            Val::C(bits) => self.emit.constant(bank, *bits),
            Val::R(reg) => *reg,
            Val::Lin(reg, add) => self.add_const(bank, *reg, *add, ty),
            Val::Wide(reg, signed, add) => {
                let wide = self.op1(if *signed { Op::IToL } else { Op::UToL }, *reg);
                self.add_const(Bank::B, wide, *add, ty)
            }
            Val::Ptr(addr) => self.address_reg(addr),
            Val::Place(range) => return Err(self.needs_memory(range.var)),
            // Reads of unassigned variables are reported where they happen; any register will do.
            Val::Undef => self.emit.constant(bank, 0),
        })
    }

    fn add_const(&mut self, bank: Bank, reg: Reg, add: i64, ty: &Ty) -> Reg {
        if add == 0 {
            return reg;
        }
        match bank {
            Bank::A => {
                let sum = self.op(Op::AddImm, reg, NONE, NONE, add as i32);
                self.narrow(sum, ty)
            }
            Bank::B => match i32::try_from(add) {
                Ok(imm) => self.op(Op::AddImmL, reg, NONE, NONE, imm),
                Err(_) => {
                    let c = self.emit.constant(Bank::B, add as u64);
                    self.op2(Op::AddL, reg, c)
                }
            },
        }
    }

    /// Brings a 32-bit result back into the range of a narrow type.
    pub(super) fn narrow(&mut self, reg: Reg, ty: &Ty) -> Reg {
        match ty {
            Ty::Int { bits: 8, signed: true } => self.op1(Op::SextB, reg),
            Ty::Int { bits: 8, .. } => self.op1(Op::ZextB, reg),
            Ty::Int { bits: 16, signed: true } => self.op1(Op::SextH, reg),
            Ty::Int { bits: 16, .. } => self.op1(Op::ZextH, reg),
            _ => reg,
        }
    }

    /// A value as base plus constant, where that is known.
    pub(super) fn linear(&self, val: &Val) -> Option<(Option<Reg>, i64)> {
        match val {
            Val::C(bits) => Some((None, *bits as i64)),
            Val::R(reg) => Some((Some(*reg), 0)),
            Val::Lin(reg, add) => Some((Some(*reg), *add)),
            _ => None,
        }
    }

    /// Pointer value of an address.
    pub(super) fn pointer(&self, addr: Addr) -> Val {
        match addr {
            Addr { root: Root::Reg(reg), terms, imm: 0, align: 0 } if terms.is_empty() => {
                Val::R(reg)
            }
            addr => Val::Ptr(Rc::new(addr)),
        }
    }

    /// The address that a pointer value stands for.
    pub(super) fn address(&mut self, val: &Val, ty: &Ty) -> Res<Addr> {
        Ok(match val {
            Val::Ptr(addr) => (**addr).clone(),
            Val::Lin(reg, add) => Addr { imm: *add, ..Addr::of(Root::Reg(*reg)) },
            other => Addr::of(Root::Reg(self.reg(other, ty)?)),
        })
    }

    /// Adds `index * scale` bytes to an address.
    pub(super) fn add_index(
        &mut self,
        addr: &mut Addr,
        index: &Val,
        ty: &Ty,
        scale: i64,
    ) -> Res<()> {
        let signed_ty = matches!(class(ty), Class::I32(true) | Class::I64(true));
        match (index, class(ty)) {
            (Val::C(bits), Class::I32(true)) => {
                addr.imm = addr.imm.wrapping_add(i64::from(*bits as i32).wrapping_mul(scale));
            }
            (Val::C(bits), _) => {
                addr.imm = addr.imm.wrapping_add((*bits as i64).wrapping_mul(scale));
            }
            (Val::Wide(reg, signed, add), _) => {
                addr.imm = addr.imm.wrapping_add(add.wrapping_mul(scale));
                self.add_term(addr, Term { reg: *reg, signed: *signed, scale });
            }
            (Val::Lin(reg, add), Class::I32(signed))
                if signed || self.emit.fits_unsigned(*reg, *add) =>
            {
                addr.imm = addr.imm.wrapping_add(add.wrapping_mul(scale));
                self.add_term(addr, Term { reg: *reg, signed, scale });
            }
            (other, Class::I32(_)) => {
                let reg = self.reg(other, ty)?;
                self.add_term(addr, Term { reg, signed: signed_ty, scale });
            }
            (other, _) => {
                let (base, add) = match other {
                    Val::Lin(reg, add) => (*reg, *add),
                    _ => (self.reg(other, ty)?, 0),
                };
                addr.imm = addr.imm.wrapping_add(add.wrapping_mul(scale));
                match addr.root {
                    Root::Reg(root) => {
                        let bytes = self.mul_const_64(base, scale);
                        addr.root = Root::Reg(self.op2(Op::AddL, root, bytes));
                    }
                    // Windows are small: 32 bits of the index are enough to tell a good one from a
                    // bad one only if the rest is looked at too, so make a full address of it.
                    _ => {
                        let start = self.address_reg(addr);
                        let bytes = self.mul_const_64(base, scale);
                        let root = Root::Reg(self.op2(Op::AddL, start, bytes));
                        *addr = Addr { align: addr.align, ..Addr::of(root) };
                    }
                }
            }
        }
        Ok(())
    }

    fn add_term(&mut self, addr: &mut Addr, term: Term) {
        let same = |t: &&mut Term| t.reg == term.reg && t.signed == term.signed;
        match addr.terms.iter_mut().find(same) {
            Some(t) => t.scale += term.scale,
            None => addr.terms.push(term),
        }
    }

    fn mul_const_64(&mut self, reg: Reg, factor: i64) -> Reg {
        if factor == 1 {
            return reg;
        }
        if factor > 0 && factor.count_ones() == 1 {
            return self.op(Op::ShlImmL, reg, NONE, NONE, factor.trailing_zeros() as i32);
        }
        let c = self.emit.constant(Bank::B, factor as u64);
        self.op2(Op::MulL, reg, c)
    }

    pub(super) fn mul_const_32(&mut self, reg: Reg, factor: i64) -> Reg {
        if factor == 1 {
            return reg;
        }
        if factor > 0 && factor.count_ones() == 1 {
            return self.op(Op::ShlImm, reg, NONE, NONE, factor.trailing_zeros() as i32);
        }
        self.op(Op::MulImm, reg, NONE, NONE, factor as i32)
    }

    /// The address in a 64-bit register.
    pub(super) fn address_reg(&mut self, addr: &Addr) -> Reg {
        let (mut base, mut imm) = match addr.root {
            Root::Reg(reg) => (reg, addr.imm),
            Root::Shared(var) => {
                let start = SHARED_BASE + u64::from(self.shared[var as usize].offset);
                (self.emit.constant(Bank::B, start.wrapping_add(addr.imm as u64)), 0)
            }
            Root::Local(var) => {
                let start = LOCAL_BASE + u64::from(self.locals[var as usize].offset);
                (self.emit.constant(Bank::B, start.wrapping_add(addr.imm as u64)), 0)
            }
        };
        for term in &addr.terms {
            (base, imm) = (self.lea(base, term), imm);
        }
        self.add_const(Bank::B, base, imm, &Ty::U64)
    }

    fn lea(&mut self, base: Reg, term: &Term) -> Reg {
        let op = if term.signed { Op::LeaS } else { Op::LeaU };
        match i32::try_from(term.scale) {
            Ok(scale) => self.op(op, base, term.reg, NONE, scale),
            Err(_) => {
                let wide = self.op1(if term.signed { Op::IToL } else { Op::UToL }, term.reg);
                let c = self.emit.constant(Bank::B, term.scale as u64);
                let bytes = self.op2(Op::MulL, wide, c);
                self.op2(Op::AddL, base, bytes)
            }
        }
    }

    /// Splits an address into what a memory instruction takes: base, index, scale, signedness,
    /// offset. For windows the base is [`NONE`] and the offset counts from the start of the window.
    pub(super) fn operands(&mut self, addr: &Addr) -> Operands {
        match addr.root {
            Root::Reg(mut base) => {
                let mut imm = addr.imm;
                let mut terms = addr.terms.clone();
                if i32::try_from(imm).is_err() {
                    base = self.add_const(Bank::B, base, imm, &Ty::U64);
                    imm = 0;
                }
                let last = terms.pop();
                for term in &terms {
                    base = self.lea(base, term);
                }
                let last = match last {
                    Some(term) if i32::try_from(term.scale).is_err() => {
                        base = self.lea(base, &term);
                        None
                    }
                    other => other,
                };
                Operands {
                    base,
                    index: last.map_or(NONE, |t| t.reg),
                    scale: last.map_or(0, |t| t.scale as i32),
                    signed: last.is_some_and(|t| t.signed),
                    imm: imm as i32,
                }
            }
            Root::Shared(var) => {
                let start = self.shared[var as usize].offset;
                self.window_operands(addr, start)
            }
            Root::Local(var) => {
                let start = self.locals[var as usize].offset;
                self.window_operands(addr, start)
            }
        }
    }

    fn window_operands(&mut self, addr: &Addr, start: u32) -> Operands {
        let imm = (addr.imm + i64::from(start))
            .clamp(i64::from(i32::MIN) / 2, i64::from(i32::MAX) / 2) as i32;
        let (index, scale, signed) = match addr.terms.as_slice() {
            [] => (NONE, 0, false),
            [term] => (term.reg, term.scale as i32, term.signed),
            terms => {
                let parts: Vec<Reg> =
                    terms.iter().map(|t| self.mul_const_32(t.reg, t.scale)).collect();
                let sum = parts.into_iter().reduce(|a, b| self.op2(Op::AddI, a, b));
                (sum.unwrap_or(NONE), 1, true)
            }
        };
        Operands { base: NONE, index, scale, signed, imm }
    }
}

/// What a memory instruction takes.
pub(super) struct Operands {
    pub base: Reg,
    pub index: Reg,
    pub scale: i32,
    pub signed: bool,
    pub imm: i32,
}
