//! Constant expressions, where C requires them: lengths, labels, template arguments, initial values
//! of globals.

use crate::hir::{BinOp, Bits, Builtin, CmpOp, Expr, ExprKind, Math1, Math2, Space, Ty, UnOp};
use crate::op::Alu;
use crate::sema::{Constant, Sema};

/// A value while a function is evaluated.
#[derive(Clone, Debug)]
pub(in crate::sema) enum Value {
    /// Not stored yet.
    Unset,
    Constant(Constant),
    /// Array elements or members.
    List(Vec<Value>),
    /// The address of an object, with what it holds: nobody else is at work on it while a call has
    /// the address, and none may give it on.
    Address(Box<Value>),
}

/// `v` cut to the width of `ty` and extended to 64 bits as its sign says.
pub(crate) fn wrap(v: u64, ty: &Ty) -> u64 {
    match ty {
        Ty::Bool => u64::from(v & 1 != 0),
        Ty::Int { bits: 8, signed: true } => v as i8 as i64 as u64,
        Ty::Int { bits: 16, signed: true } => v as i16 as i64 as u64,
        Ty::Int { bits: 32, signed: true } => v as i32 as i64 as u64,
        Ty::Int { bits: 8, .. } => u64::from(v as u8),
        Ty::Int { bits: 16, .. } => u64::from(v as u16),
        Ty::Int { bits: 32, .. } => u64::from(v as u32),
        _ => v,
    }
}

/// `x` rounded to the precision of `ty`.
pub(crate) fn round_to(x: f64, ty: &Ty) -> f64 {
    match ty {
        Ty::F32 => f64::from(x as f32),
        Ty::F16 => crate::round::to_half(x).to_f64(),
        _ => x,
    }
}

fn signed(ty: &Ty) -> bool {
    matches!(ty, Ty::Int { signed: true, .. })
}

impl Sema<'_> {
    /// Value of a constant expression; `None` if it is not constant (or overflows).
    pub(in crate::sema) fn fold(&mut self, e: &Expr) -> Option<Constant> {
        self.fold_budget = self.fold_budget.checked_sub(1)?;
        Some(match &e.kind {
            ExprKind::Int(v) => Constant::Int(wrap(*v, &e.ty)),
            ExprKind::Float(v) => Constant::Float(*v),
            ExprKind::Cast(inner) => {
                let v = self.fold(inner)?;
                convert(v, &inner.ty, &e.ty)?
            }
            ExprKind::Unary(op, a) => match (op, self.fold(a)?) {
                (UnOp::Neg, Constant::Float(x)) => Constant::Float(-x),
                (UnOp::Neg, Constant::Int(x)) => {
                    let r = wrap(x.wrapping_neg(), &e.ty);
                    if signed(&e.ty) && x != 0 && r == x {
                        return None;
                    }
                    Constant::Int(r)
                }
                (UnOp::Not, Constant::Int(x)) => Constant::Int(wrap(!x, &e.ty)),
                _ => return None,
            },
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.fold(a)?, self.fold(b)?);
                binary(*op, x, y, &e.ty)?
            }
            ExprKind::Cmp(op, a, b) => {
                let (x, y) = (self.fold(a)?, self.fold(b)?);
                Constant::Int(u64::from(compare(*op, x, y, &a.ty)?))
            }
            ExprKind::And(a, b) => match self.fold(a)? {
                Constant::Int(0) => Constant::Int(0),
                _ => self.fold(b)?,
            },
            ExprKind::Or(a, b) => match self.fold(a)? {
                Constant::Int(0) => self.fold(b)?,
                v => v,
            },
            ExprKind::Cond(c, a, b) => match self.fold(c)? {
                Constant::Int(0) => self.fold(b)?,
                _ => self.fold(a)?,
            },
            ExprKind::Comma(a, b) => {
                self.fold(a)?;
                self.fold(b)?
            }
            ExprKind::Builtin(b, args) => {
                let mut vals = Vec::with_capacity(args.len());
                for a in args {
                    vals.push(self.fold(a)?);
                }
                let from = args.first().map(|a| a.ty.clone()).unwrap_or(Ty::Void);
                builtin(*b, &vals, &from, &e.ty)?
            }
            ExprKind::Call(..) => return self.fold_call(e),
            ExprKind::Load(place) => self.fold_constant_memory(place)?,
            _ => return None,
        })
    }

    /// Value of a number in constant memory of OpenCL C, which no host can change.
    fn fold_constant_memory(&self, place: &Expr) -> Option<Constant> {
        let ExprKind::Global(id) = place.kind else { return None };
        let global = &self.module.globals[id.0 as usize];
        if !self.is_c() || global.space != Space::Constant {
            return None;
        }
        let mut bytes = [0; 8];
        let init = global.init.as_ref().filter(|b| b.len() <= bytes.len())?;
        bytes[..init.len()].copy_from_slice(init);
        let bits = u64::from_le_bytes(bytes);
        match &global.ty {
            Ty::F16 => Some(Constant::Float(half::f16::from_bits(bits as u16).to_f64())),
            Ty::F32 => Some(Constant::Float(f64::from(f32::from_bits(bits as u32)))),
            Ty::F64 => Some(Constant::Float(f64::from_bits(bits))),
            ty if ty.is_integer() => Some(Constant::Int(wrap(bits, ty))),
            _ => None,
        }
    }

    pub(in crate::sema) fn fold_int(&mut self, e: &Expr) -> Option<u64> {
        match self.fold(e)? {
            Constant::Int(v) => Some(v),
            Constant::Float(_) => None,
        }
    }

    /// Bytes of a constant of any type; `None` if a part is not constant.
    pub(in crate::sema) fn constant_bytes(&mut self, e: &Expr) -> Option<Vec<u8>> {
        let size = usize::try_from(self.module.size_of(&e.ty)).ok()?;
        if size > 1 << 28 {
            return None;
        }
        let mut out = vec![0; size];
        self.put(e, &mut out)?;
        Some(out)
    }

    fn put(&mut self, e: &Expr, out: &mut [u8]) -> Option<()> {
        if let ExprKind::Aggregate(list) = &e.kind {
            match &e.ty {
                Ty::Array(elem, _) => {
                    let step = usize::try_from(self.module.size_of(elem)).ok()?;
                    for (i, x) in list.iter().enumerate() {
                        self.put(x, out.get_mut(i * step..(i + 1) * step)?)?;
                    }
                }
                Ty::Struct(id) => {
                    let fields = self.module.structs[id.0 as usize].fields.clone();
                    for (f, x) in fields.iter().zip(list) {
                        if let Some(bits) = f.bits {
                            let value = self.fold_int(x)?;
                            put_bits(bits, value, out.get_mut(f.offset as usize..)?);
                            continue;
                        }
                        let size = self.module.size_of(&f.ty) as usize;
                        let at = f.offset as usize;
                        self.put(x, out.get_mut(at..at + size)?)?;
                    }
                }
                _ => return None,
            }
            return Some(());
        }
        if let (Ty::Struct(_), ExprKind::Call(..)) = (&e.ty, &e.kind) {
            let value = self.evaluate_call(e)?;
            let value = self.value_expr(&value, e, &e.ty)?;
            return self.put(&value, out);
        }
        let bits = match (self.fold(e)?, &e.ty) {
            (Constant::Int(v), _) => v,
            (Constant::Float(x), Ty::F16) => u64::from(crate::round::to_half(x).to_bits()),
            (Constant::Float(x), Ty::F32) => u64::from((x as f32).to_bits()),
            (Constant::Float(x), _) => x.to_bits(),
        };
        let n = out.len().min(8);
        out[..n].copy_from_slice(&bits.to_le_bytes()[..n]);
        Some(())
    }

    fn fold_call(&mut self, e: &Expr) -> Option<Constant> {
        match self.evaluate_call(e)? {
            Value::Constant(l) => Some(l),
            _ => None,
        }
    }
}

/// Puts a bit-field into the bytes from its integer on.
fn put_bits(bits: Bits, value: u64, out: &mut [u8]) {
    let n = usize::from(bits.unit).min(out.len());
    let mut word = [0; 8];
    word[..n].copy_from_slice(&out[..n]);
    let word = bits.put(u64::from_le_bytes(word), value).to_le_bytes();
    out[..n].copy_from_slice(&word[..n]);
}

pub(in crate::sema) fn convert(v: Constant, from: &Ty, to: &Ty) -> Option<Constant> {
    Some(match (v, to) {
        (Constant::Int(x), Ty::Bool) => Constant::Int(u64::from(x != 0)),
        (Constant::Float(x), Ty::Bool) => Constant::Int(u64::from(x != 0.0)),
        (Constant::Int(x), t) if t.is_float() => {
            let wide = if signed(from) { x as i64 as f64 } else { x as f64 };
            let direct = match (t, signed(from)) {
                (Ty::F32, true) => f64::from(x as i64 as f32),
                (Ty::F32, false) => f64::from(x as f32),
                _ => round_to(wide, t),
            };
            Constant::Float(direct)
        }
        (Constant::Int(x), t) => Constant::Int(wrap(x, t)),
        (Constant::Float(x), t) if t.is_float() => Constant::Float(round_to(x, t)),
        (Constant::Float(x), t) => {
            let r = if signed(t) { x as i64 as u64 } else { x as u64 };
            let cut = wrap(r, t);
            if !x.is_finite() || cut != r {
                return None;
            }
            Constant::Int(cut)
        }
    })
}

pub(in crate::sema) fn binary(op: BinOp, x: Constant, y: Constant, ty: &Ty) -> Option<Constant> {
    match (x, y) {
        (Constant::Float(a), Constant::Float(b)) => {
            let r = match (op, ty) {
                // In single precision the operation itself must be done in single precision.
                (BinOp::Add, Ty::F32) => f64::from(a as f32 + b as f32),
                (BinOp::Sub, Ty::F32) => f64::from(a as f32 - b as f32),
                (BinOp::Mul, Ty::F32) => f64::from(a as f32 * b as f32),
                (BinOp::Div, Ty::F32) => f64::from(a as f32 / b as f32),
                (BinOp::Add, _) => a + b,
                (BinOp::Sub, _) => a - b,
                (BinOp::Mul, _) => a * b,
                (BinOp::Div, _) => a / b,
                _ => return None,
            };
            Some(Constant::Float(round_to(r, ty)))
        }
        (Constant::Int(a), Constant::Int(b)) => {
            let bits = match ty {
                Ty::Int { bits, .. } => u64::from(*bits),
                _ => 64,
            };
            if matches!(op, BinOp::Shl | BinOp::Shr) && b >= bits {
                return None;
            }
            let exact = |r: i128| {
                let cut = wrap(r as u64, ty);
                (i128::from(cut as i64) == r).then_some(cut)
            };
            let (sa, sb) = (i128::from(a as i64), i128::from(b as i64));
            let r = if signed(ty) {
                match op {
                    BinOp::Add => exact(sa + sb)?,
                    BinOp::Sub => exact(sa - sb)?,
                    BinOp::Mul => exact(sa * sb)?,
                    BinOp::Div => exact(sa.checked_div(sb)?)?,
                    BinOp::Rem => exact(sa.checked_rem(sb)?)?,
                    BinOp::And => a & b,
                    BinOp::Or => a | b,
                    BinOp::Xor => a ^ b,
                    BinOp::Shl => wrap(a << b, ty),
                    BinOp::Shr => ((a as i64) >> b) as u64,
                }
            } else {
                let r = match op {
                    BinOp::Add => a.wrapping_add(b),
                    BinOp::Sub => a.wrapping_sub(b),
                    BinOp::Mul => a.wrapping_mul(b),
                    BinOp::Div => a.checked_div(b)?,
                    BinOp::Rem => a.checked_rem(b)?,
                    BinOp::And => a & b,
                    BinOp::Or => a | b,
                    BinOp::Xor => a ^ b,
                    BinOp::Shl => a << b,
                    BinOp::Shr => a >> b,
                };
                wrap(r, ty)
            };
            Some(Constant::Int(r))
        }
        _ => None,
    }
}

pub(in crate::sema) fn compare(op: CmpOp, x: Constant, y: Constant, ty: &Ty) -> Option<bool> {
    use std::cmp::Ordering;
    let order = match (x, y) {
        (Constant::Float(a), Constant::Float(b)) => a.partial_cmp(&b),
        (Constant::Int(a), Constant::Int(b)) if signed(ty) => Some((a as i64).cmp(&(b as i64))),
        (Constant::Int(a), Constant::Int(b)) => Some(a.cmp(&b)),
        _ => return None,
    };
    Some(match op {
        CmpOp::Eq => order == Some(Ordering::Equal),
        CmpOp::Ne => order != Some(Ordering::Equal),
        CmpOp::Lt => order == Some(Ordering::Less),
        CmpOp::Gt => order == Some(Ordering::Greater),
        CmpOp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        CmpOp::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    })
}

pub(in crate::sema) fn builtin(
    b: Builtin,
    args: &[Constant],
    from: &Ty,
    ty: &Ty,
) -> Option<Constant> {
    Some(match (b, args) {
        (Builtin::Bitcast, [Constant::Int(v)]) => match ty {
            Ty::F32 => Constant::Float(f64::from(f32::from_bits(*v as u32))),
            Ty::F64 => Constant::Float(f64::from_bits(*v)),
            Ty::F16 => Constant::Float(half::f16::from_bits(*v as u16).to_f64()),
            t => Constant::Int(wrap(*v, t)),
        },
        (Builtin::Bitcast, [Constant::Float(x)]) => match from {
            Ty::F32 => Constant::Int(wrap(u64::from((*x as f32).to_bits()), ty)),
            Ty::F64 => Constant::Int(x.to_bits()),
            _ => Constant::Int(wrap(u64::from(crate::round::to_half(*x).to_bits()), ty)),
        },
        (Builtin::MinI | Builtin::MaxI, [a, c]) => {
            let less = compare(CmpOp::Lt, *a, *c, ty)?;
            if less == (b == Builtin::MinI) { *a } else { *c }
        }
        (Builtin::AbsI, [Constant::Int(v)]) => Constant::Int(wrap((*v as i64).unsigned_abs(), ty)),
        (Builtin::Lane(Alu::Popc | Alu::PopcL), [Constant::Int(v)]) => {
            Constant::Int(u64::from(v.count_ones()))
        }
        (Builtin::Lane(Alu::ClzL), [Constant::Int(v)]) => {
            Constant::Int(u64::from(v.leading_zeros()))
        }
        (Builtin::Lane(Alu::MulHiUL), [Constant::Int(a), Constant::Int(b)]) => {
            Constant::Int(((u128::from(*a) * u128::from(*b)) >> 64) as u64)
        }
        (Builtin::Math1(m), [Constant::Float(x)]) => {
            let r = match m {
                Math1::Sqrt => x.sqrt(),
                Math1::Fabs => x.abs(),
                Math1::Floor => x.floor(),
                Math1::Ceil => x.ceil(),
                Math1::Trunc => x.trunc(),
                // Accurate in double, then rounded: good enough for a table of constants.
                Math1::Exp => x.exp(),
                Math1::Log => x.ln(),
                Math1::Sin => x.sin(),
                Math1::Cos => x.cos(),
                _ => return None,
            };
            Constant::Float(round_to(r, ty))
        }
        (Builtin::Math2(m), [Constant::Float(x), Constant::Float(y)]) => {
            let r = match m {
                Math2::Fmin => x.min(*y),
                Math2::Fmax => x.max(*y),
                Math2::Pow => x.powf(*y),
                _ => return None,
            };
            Constant::Float(round_to(r, ty))
        }
        _ => return None,
    })
}
