//! Values of the scalar interpreter.

use crate::tree::Ty;

/// A value; its type is that of the expression or variable it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Int(i128),
    F32(f32),
    F64(f64),
}

use Value::{F32, F64, Int};

impl Value {
    pub fn int(self) -> i128 {
        match self {
            Int(v) => v,
            F32(v) => v as i128,
            F64(v) => v as i128,
        }
    }

    /// As `double`.
    pub fn real(self) -> f64 {
        match self {
            Int(v) => v as f64,
            F32(v) => f64::from(v),
            F64(v) => v,
        }
    }

    pub fn truth(self) -> bool {
        match self {
            Int(v) => v != 0,
            F32(v) => v != 0.0,
            F64(v) => v != 0.0,
        }
    }

    /// Converted to a type.
    pub fn to(self, ty: Ty) -> Value {
        match (ty, self) {
            (Ty::Bool, v) => Int(i128::from(v.truth())),
            (Ty::F32, Int(v)) => F32(v as f32),
            (Ty::F32, F64(v)) => F32(v as f32),
            (Ty::F32, v) => v,
            (Ty::F64, v) => F64(v.real()),
            (ty, Int(v)) => Int(wrap(ty, v)),
            // By way of 32 bits at least, of which smaller types keep the lower ones. Out of range:
            // the nearest value; a NaN gives 0, or the highest bit where 64 bits take part.
            (ty, v) => {
                let bits = ty.bits().max(32);
                let (low, high) = if ty.is_signed() {
                    (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
                } else {
                    (0, (1i128 << bits) - 1)
                };
                let wide = bits == 64 || matches!(v, F64(_));
                Int(match v.real().is_nan() {
                    true if wide => wrap(ty, 1 << (bits - 1)),
                    true => 0,
                    false => wrap(ty, v.int().clamp(low, high)),
                })
            }
        }
    }

    /// The bytes of the value in memory, as a value of type `ty`.
    pub fn bytes(self, ty: Ty) -> Vec<u8> {
        match self.to(ty) {
            Int(v) => v.to_le_bytes()[..ty.size()].to_vec(),
            F32(v) => v.to_le_bytes().to_vec(),
            F64(v) => v.to_le_bytes().to_vec(),
        }
    }

    /// The value of type `ty` that lies in memory.
    pub fn from_bytes(ty: Ty, bytes: &[u8]) -> Value {
        let mut wide = [0; 16];
        wide[..ty.size()].copy_from_slice(&bytes[..ty.size()]);
        let bits = i128::from_le_bytes(wide);
        match ty {
            Ty::F32 => F32(f32::from_bits(bits as u32)),
            Ty::F64 => F64(f64::from_bits(bits as u64)),
            _ => Int(wrap(ty, bits)),
        }
    }

    /// The same bits, or both not a number.
    pub fn is(self, other: Value) -> bool {
        match (self, other) {
            (Int(a), Int(b)) => a == b,
            (F32(a), F32(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            (F64(a), F64(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            _ => false,
        }
    }
}

/// The value that an integer type holds.
pub fn wrap(ty: Ty, v: i128) -> i128 {
    let unused = 128 - ty.bits();
    if ty.is_signed() { v << unused >> unused } else { ((v as u128) << unused >> unused) as i128 }
}
