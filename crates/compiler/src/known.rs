//! Arithmetic on integer constants without any code: what the compiler knows, and what a debugger
//! computes.

use crate::hir::{BinOp, CmpOp, Ty};

/// Register bits of an integer constant: narrow types are kept extended to 32 bits.
#[inline]
pub fn wrap(ty: &Ty, bits: u64) -> u64 {
    match ty {
        Ty::Bool => u64::from(bits != 0),
        Ty::Int { bits: 8, signed: true } => u64::from(i32::from(bits as i8) as u32),
        Ty::Int { bits: 8, .. } => bits & 0xff,
        Ty::Int { bits: 16, signed: true } => u64::from(i32::from(bits as i16) as u32),
        Ty::Int { bits: 16, .. } => bits & 0xffff,
        Ty::Int { bits: 32, .. } | Ty::F32 | Ty::F16 => bits & 0xffff_ffff,
        _ => bits,
    }
}

/// Register bits as a number.
fn number(ty: &Ty, bits: u64) -> i128 {
    match ty {
        Ty::Int { bits: 64, signed: true } => i128::from(bits as i64),
        Ty::Int { signed: true, .. } => i128::from(bits as i32),
        Ty::Int { bits: 64, .. } => i128::from(bits),
        _ => i128::from(bits as u32),
    }
}

/// `a op b` on integer constants, in register bits.
pub fn known_binary(op: BinOp, ty: &Ty, right: &Ty, a: u64, b: u64) -> Option<u64> {
    let (x, y) = (number(ty, a), number(right, b));
    let bits = if matches!(ty, Ty::Int { bits: 64, .. }) { 64 } else { 32 };
    let value = match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => x.wrapping_mul(y),
        BinOp::Div => x.checked_div(y)?,
        BinOp::Rem => x.checked_rem(y)?,
        BinOp::And => x & y,
        BinOp::Or => x | y,
        BinOp::Xor => x ^ y,
        BinOp::Shl if (0..bits).contains(&y) => x << y,
        BinOp::Shl => 0,
        BinOp::Shr => x >> y.clamp(0, 126),
    };
    Some(wrap(ty, value as u64))
}

/// Conversion of an integer constant.
pub fn known_cast(from: &Ty, to: &Ty, bits: u64) -> u64 {
    let value = number(from, bits);
    if *to == Ty::Bool { u64::from(value != 0) } else { wrap(to, value as u64) }
}

/// Comparison of integer constants.
pub fn known_cmp(op: CmpOp, ty: &Ty, a: u64, b: u64) -> bool {
    let (x, y) = (number(ty, a), number(ty, b));
    match op {
        CmpOp::Eq => x == y,
        CmpOp::Ne => x != y,
        CmpOp::Lt => x < y,
        CmpOp::Le => x <= y,
        CmpOp::Gt => x > y,
        CmpOp::Ge => x >= y,
    }
}
