//! Arithmetic on registers: every instruction that touches neither memory nor control flow.

use super::math;
use crate::bytecode::{Inst, Op};

/// Mask of a full warp.
pub(crate) const FULL: u32 = u32::MAX;

/// The registers of a warp.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regs {
    pub a: Vec<[u32; 32]>,
    pub b: Vec<[u64; 32]>,
}

impl Regs {
    /// Writes the lanes of `mask`.
    #[inline(always)]
    pub fn put_a(&mut self, d: u32, values: &[u32; 32], mask: u32) {
        let dest = &mut self.a[d as usize];
        if mask == FULL {
            *dest = *values;
        } else {
            for l in 0..32 {
                dest[l] = if mask & (1 << l) != 0 { values[l] } else { dest[l] };
            }
        }
    }

    /// Writes the lanes of `mask`.
    #[inline(always)]
    pub fn put_b(&mut self, d: u32, values: &[u64; 32], mask: u32) {
        let dest = &mut self.b[d as usize];
        if mask == FULL {
            *dest = *values;
        } else {
            for l in 0..32 {
                dest[l] = if mask & (1 << l) != 0 { values[l] } else { dest[l] };
            }
        }
    }
}

/// Lanes of `mask` where `cond` is not zero.
#[inline(always)]
pub(crate) fn lanes(cond: &[u32; 32], mask: u32) -> u32 {
    let mut out = 0;
    for (l, c) in cond.iter().enumerate() {
        out |= u32::from(*c != 0) << l;
    }
    out & mask
}

macro_rules! aaa {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let (x, y) = (&$regs.a[$i.a as usize], &$regs.a[$i.b as usize]);
        let mut r = [0u32; 32];
        for l in 0..32 {
            r[l] = $f(x[l], y[l]);
        }
        $regs.put_a($i.d, &r, $mask);
    }};
}
macro_rules! aa {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let x = &$regs.a[$i.a as usize];
        let mut r = [0u32; 32];
        for l in 0..32 {
            r[l] = $f(x[l]);
        }
        $regs.put_a($i.d, &r, $mask);
    }};
}
macro_rules! aaaa {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let (x, y) = (&$regs.a[$i.a as usize], &$regs.a[$i.b as usize]);
        let z = &$regs.a[$i.c as usize];
        let mut r = [0u32; 32];
        for l in 0..32 {
            r[l] = $f(x[l], y[l], z[l]);
        }
        $regs.put_a($i.d, &r, $mask);
    }};
}
macro_rules! bbb {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let (x, y) = (&$regs.b[$i.a as usize], &$regs.b[$i.b as usize]);
        let mut r = [0u64; 32];
        for l in 0..32 {
            r[l] = $f(x[l], y[l]);
        }
        $regs.put_b($i.d, &r, $mask);
    }};
}
macro_rules! bb {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let x = &$regs.b[$i.a as usize];
        let mut r = [0u64; 32];
        for l in 0..32 {
            r[l] = $f(x[l]);
        }
        $regs.put_b($i.d, &r, $mask);
    }};
}
macro_rules! abb {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let (x, y) = (&$regs.b[$i.a as usize], &$regs.b[$i.b as usize]);
        let mut r = [0u32; 32];
        for l in 0..32 {
            r[l] = u32::from($f(x[l], y[l]));
        }
        $regs.put_a($i.d, &r, $mask);
    }};
}
macro_rules! bba {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let (x, y) = (&$regs.b[$i.a as usize], &$regs.a[$i.b as usize]);
        let mut r = [0u64; 32];
        for l in 0..32 {
            r[l] = $f(x[l], y[l]);
        }
        $regs.put_b($i.d, &r, $mask);
    }};
}
macro_rules! ab {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let x = &$regs.b[$i.a as usize];
        let mut r = [0u32; 32];
        for l in 0..32 {
            r[l] = $f(x[l]);
        }
        $regs.put_a($i.d, &r, $mask);
    }};
}
macro_rules! ba {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let x = &$regs.a[$i.a as usize];
        let mut r = [0u64; 32];
        for l in 0..32 {
            r[l] = $f(x[l]);
        }
        $regs.put_b($i.d, &r, $mask);
    }};
}
/// A division: faults on the lanes that divide by zero.
macro_rules! div {
    ($regs:ident, $i:ident, $mask:ident, $bank:ident, $put:ident, $t:ty, $f:expr) => {{
        let (x, y) = (&$regs.$bank[$i.a as usize], &$regs.$bank[$i.b as usize]);
        let mut zero = 0;
        let mut r = [0 as $t; 32];
        for l in 0..32 {
            zero |= u32::from(y[l] == 0) << l;
            if y[l] != 0 {
                r[l] = $f(x[l], y[l]);
            }
        }
        if zero & $mask != 0 {
            return Err(zero & $mask);
        }
        $regs.$put($i.d, &r, $mask);
    }};
}

#[inline(always)]
fn f(x: u32) -> f32 {
    f32::from_bits(x)
}
#[inline(always)]
fn d(x: u64) -> f64 {
    f64::from_bits(x)
}
#[inline(always)]
fn i(x: u32) -> i32 {
    x as i32
}
#[inline(always)]
fn s(x: u64) -> i64 {
    x as i64
}

/// Executes one arithmetic instruction. `Err`: the lanes that divide by zero.
#[inline(always)]
pub(crate) fn step(inst: &Inst, regs: &mut Regs, mask: u32) -> Result<(), u32> {
    let imm = inst.imm;
    match inst.op {
        Op::AddI => aaa!(regs, inst, mask, u32::wrapping_add),
        Op::SubI => aaa!(regs, inst, mask, u32::wrapping_sub),
        Op::MulI => aaa!(regs, inst, mask, u32::wrapping_mul),
        Op::AndI => aaa!(regs, inst, mask, |x: u32, y: u32| x & y),
        Op::OrI => aaa!(regs, inst, mask, |x: u32, y: u32| x | y),
        Op::XorI => aaa!(regs, inst, mask, |x: u32, y: u32| x ^ y),
        Op::ShlI => aaa!(regs, inst, mask, |x: u32, n: u32| if n < 32 { x << n } else { 0 }),
        Op::ShrS => aaa!(regs, inst, mask, |x: u32, n: u32| (i(x) >> n.min(31)) as u32),
        Op::ShrU => aaa!(regs, inst, mask, |x: u32, n: u32| if n < 32 { x >> n } else { 0 }),
        Op::MinS => aaa!(regs, inst, mask, |x, y| i(x).min(i(y)) as u32),
        Op::MaxS => aaa!(regs, inst, mask, |x, y| i(x).max(i(y)) as u32),
        Op::MinU => aaa!(regs, inst, mask, |x: u32, y: u32| x.min(y)),
        Op::MaxU => aaa!(regs, inst, mask, |x: u32, y: u32| x.max(y)),
        Op::MulHiS => {
            aaa!(regs, inst, mask, |x, y| ((i64::from(i(x)) * i64::from(i(y))) >> 32) as u32)
        }
        Op::MulHiU => {
            aaa!(regs, inst, mask, |x: u32, y: u32| ((u64::from(x) * u64::from(y)) >> 32) as u32)
        }
        Op::DivS => div!(regs, inst, mask, a, put_a, u32, |x, y| i(x).wrapping_div(i(y)) as u32),
        Op::DivU => div!(regs, inst, mask, a, put_a, u32, |x: u32, y: u32| x / y),
        Op::RemS => div!(regs, inst, mask, a, put_a, u32, |x, y| i(x).wrapping_rem(i(y)) as u32),
        Op::RemU => div!(regs, inst, mask, a, put_a, u32, |x: u32, y: u32| x % y),
        Op::EqI => aaa!(regs, inst, mask, |x: u32, y: u32| u32::from(x == y)),
        Op::NeI => aaa!(regs, inst, mask, |x: u32, y: u32| u32::from(x != y)),
        Op::LtS => aaa!(regs, inst, mask, |x, y| u32::from(i(x) < i(y))),
        Op::LeS => aaa!(regs, inst, mask, |x, y| u32::from(i(x) <= i(y))),
        Op::LtU => aaa!(regs, inst, mask, |x: u32, y: u32| u32::from(x < y)),
        Op::LeU => aaa!(regs, inst, mask, |x: u32, y: u32| u32::from(x <= y)),
        Op::AddImm => aa!(regs, inst, mask, |x: u32| x.wrapping_add(imm as u32)),
        Op::MulImm => aa!(regs, inst, mask, |x: u32| x.wrapping_mul(imm as u32)),
        Op::ShlImm => aa!(regs, inst, mask, |x: u32| x << (imm & 31)),
        Op::ShrSImm => aa!(regs, inst, mask, |x: u32| (i(x) >> (imm & 31)) as u32),
        Op::ShrUImm => aa!(regs, inst, mask, |x: u32| x >> (imm & 31)),
        Op::SextB => aa!(regs, inst, mask, |x: u32| i32::from(x as i8) as u32),
        Op::SextH => aa!(regs, inst, mask, |x: u32| i32::from(x as i16) as u32),
        Op::ZextB => aa!(regs, inst, mask, |x: u32| x & 0xff),
        Op::ZextH => aa!(regs, inst, mask, |x: u32| x & 0xffff),
        Op::AbsI => aa!(regs, inst, mask, |x: u32| i(x).wrapping_abs() as u32),
        Op::Popc => aa!(regs, inst, mask, u32::count_ones),
        Op::Clz => aa!(regs, inst, mask, u32::leading_zeros),
        Op::Ffs => {
            aa!(regs, inst, mask, |x: u32| if x == 0 { 0 } else { x.trailing_zeros() + 1 })
        }
        Op::Brev => aa!(regs, inst, mask, u32::reverse_bits),
        Op::MovA => aa!(regs, inst, mask, |x: u32| x),
        Op::SelA => {
            aaaa!(regs, inst, mask, |c: u32, x: u32, y: u32| if c != 0 { x } else { y })
        }
        Op::BytePerm => aaaa!(regs, inst, mask, byte_perm),
        Op::FshL => aaaa!(regs, inst, mask, |lo: u32, hi: u32, n: u32| {
            ((pair(lo, hi) << (n & 31)) >> 32) as u32
        }),
        Op::FshR => {
            aaaa!(regs, inst, mask, |lo: u32, hi: u32, n: u32| (pair(lo, hi) >> (n & 31)) as u32)
        }
        Op::SadS => aaaa!(regs, inst, mask, |x, y, z: u32| i(x).abs_diff(i(y)).wrapping_add(z)),
        Op::SadU => aaaa!(regs, inst, mask, |x: u32, y: u32, z: u32| x.abs_diff(y).wrapping_add(z)),

        Op::AddL => bbb!(regs, inst, mask, u64::wrapping_add),
        Op::SubL => bbb!(regs, inst, mask, u64::wrapping_sub),
        Op::MulL => bbb!(regs, inst, mask, u64::wrapping_mul),
        Op::AndL => bbb!(regs, inst, mask, |x: u64, y: u64| x & y),
        Op::OrL => bbb!(regs, inst, mask, |x: u64, y: u64| x | y),
        Op::XorL => bbb!(regs, inst, mask, |x: u64, y: u64| x ^ y),
        Op::ShlL => bba!(regs, inst, mask, |x: u64, n: u32| if n < 64 { x << n } else { 0 }),
        Op::ShrSL => bba!(regs, inst, mask, |x, n: u32| (s(x) >> n.min(63)) as u64),
        Op::ShrUL => bba!(regs, inst, mask, |x: u64, n: u32| if n < 64 { x >> n } else { 0 }),
        Op::MinSL => bbb!(regs, inst, mask, |x, y| s(x).min(s(y)) as u64),
        Op::MaxSL => bbb!(regs, inst, mask, |x, y| s(x).max(s(y)) as u64),
        Op::MinUL => bbb!(regs, inst, mask, |x: u64, y: u64| x.min(y)),
        Op::MaxUL => bbb!(regs, inst, mask, |x: u64, y: u64| x.max(y)),
        Op::MulHiSL => {
            bbb!(regs, inst, mask, |x, y| ((i128::from(s(x)) * i128::from(s(y))) >> 64) as u64)
        }
        Op::MulHiUL => {
            bbb!(regs, inst, mask, |x: u64, y: u64| ((u128::from(x) * u128::from(y)) >> 64) as u64)
        }
        Op::DivSL => div!(regs, inst, mask, b, put_b, u64, |x, y| s(x).wrapping_div(s(y)) as u64),
        Op::DivUL => div!(regs, inst, mask, b, put_b, u64, |x: u64, y: u64| x / y),
        Op::RemSL => div!(regs, inst, mask, b, put_b, u64, |x, y| s(x).wrapping_rem(s(y)) as u64),
        Op::RemUL => div!(regs, inst, mask, b, put_b, u64, |x: u64, y: u64| x % y),
        Op::EqL => abb!(regs, inst, mask, |x: u64, y: u64| x == y),
        Op::NeL => abb!(regs, inst, mask, |x: u64, y: u64| x != y),
        Op::LtSL => abb!(regs, inst, mask, |x, y| s(x) < s(y)),
        Op::LeSL => abb!(regs, inst, mask, |x, y| s(x) <= s(y)),
        Op::LtUL => abb!(regs, inst, mask, |x: u64, y: u64| x < y),
        Op::LeUL => abb!(regs, inst, mask, |x: u64, y: u64| x <= y),
        Op::AddImmL => bb!(regs, inst, mask, |x: u64| x.wrapping_add(i64::from(imm) as u64)),
        Op::ShlImmL => bb!(regs, inst, mask, |x: u64| x << (imm & 63)),
        Op::ShrSImmL => bb!(regs, inst, mask, |x| (s(x) >> (imm & 63)) as u64),
        Op::ShrUImmL => bb!(regs, inst, mask, |x: u64| x >> (imm & 63)),
        Op::AbsL => bb!(regs, inst, mask, |x| s(x).wrapping_abs() as u64),
        Op::PopcL => ab!(regs, inst, mask, u64::count_ones),
        Op::ClzL => ab!(regs, inst, mask, u64::leading_zeros),
        Op::FfsL => {
            ab!(regs, inst, mask, |x: u64| if x == 0 { 0 } else { x.trailing_zeros() + 1 })
        }
        Op::BrevL => bb!(regs, inst, mask, u64::reverse_bits),
        Op::MovB => bb!(regs, inst, mask, |x: u64| x),
        Op::SelB => {
            let c = &regs.a[inst.a as usize];
            let (x, y) = (&regs.b[inst.b as usize], &regs.b[inst.c as usize]);
            let mut r = [0u64; 32];
            for l in 0..32 {
                r[l] = if c[l] != 0 { x[l] } else { y[l] };
            }
            regs.put_b(inst.d, &r, mask);
        }
        Op::LeaS => bba!(regs, inst, mask, |x: u64, n| {
            x.wrapping_add(i64::from(i(n)).wrapping_mul(i64::from(imm)) as u64)
        }),
        Op::LeaU => bba!(regs, inst, mask, |x: u64, n: u32| {
            x.wrapping_add(i64::from(n).wrapping_mul(i64::from(imm)) as u64)
        }),

        Op::AddF => aaa!(regs, inst, mask, |x, y| (f(x) + f(y)).to_bits()),
        Op::SubF => aaa!(regs, inst, mask, |x, y| (f(x) - f(y)).to_bits()),
        Op::MulF => aaa!(regs, inst, mask, |x, y| (f(x) * f(y)).to_bits()),
        Op::DivF => aaa!(regs, inst, mask, |x, y| (f(x) / f(y)).to_bits()),
        Op::FmaF => aaaa!(regs, inst, mask, |x, y, z| f(x).mul_add(f(y), f(z)).to_bits()),
        Op::EqF => aaa!(regs, inst, mask, |x, y| u32::from(f(x) == f(y))),
        Op::NeF => aaa!(regs, inst, mask, |x, y| u32::from(f(x) != f(y))),
        Op::LtF => aaa!(regs, inst, mask, |x, y| u32::from(f(x) < f(y))),
        Op::LeF => aaa!(regs, inst, mask, |x, y| u32::from(f(x) <= f(y))),
        Op::NegF => aa!(regs, inst, mask, |x: u32| x ^ 0x8000_0000),
        Op::AbsF => aa!(regs, inst, mask, |x: u32| x & 0x7fff_ffff),
        Op::RoundH => aa!(regs, inst, mask, |x| half::f16::from_f32(f(x)).to_f32().to_bits()),
        Op::Math1F | Op::Math1FFree => math1_f(inst, regs, mask),
        Op::Math2F | Op::Math2FFree => math2_f(inst, regs, mask),
        Op::ClassF => aa!(regs, inst, mask, |x| math::classify_f32(imm, f(x))),
        Op::LdexpF => aaa!(regs, inst, mask, |x, n| math::ldexp_f32(f(x), i(n)).to_bits()),

        Op::AddD => bbb!(regs, inst, mask, |x, y| (d(x) + d(y)).to_bits()),
        Op::SubD => bbb!(regs, inst, mask, |x, y| (d(x) - d(y)).to_bits()),
        Op::MulD => bbb!(regs, inst, mask, |x, y| (d(x) * d(y)).to_bits()),
        Op::DivD => bbb!(regs, inst, mask, |x, y| (d(x) / d(y)).to_bits()),
        Op::FmaD => {
            let (x, y) = (&regs.b[inst.a as usize], &regs.b[inst.b as usize]);
            let z = &regs.b[inst.c as usize];
            let mut r = [0u64; 32];
            for l in 0..32 {
                r[l] = d(x[l]).mul_add(d(y[l]), d(z[l])).to_bits();
            }
            regs.put_b(inst.d, &r, mask);
        }
        Op::EqD => abb!(regs, inst, mask, |x, y| d(x) == d(y)),
        Op::NeD => abb!(regs, inst, mask, |x, y| d(x) != d(y)),
        Op::LtD => abb!(regs, inst, mask, |x, y| d(x) < d(y)),
        Op::LeD => abb!(regs, inst, mask, |x, y| d(x) <= d(y)),
        Op::NegD => bb!(regs, inst, mask, |x: u64| x ^ (1 << 63)),
        Op::AbsD => bb!(regs, inst, mask, |x: u64| x & !(1 << 63)),
        Op::Math1D | Op::Math1DFree => math1_d(inst, regs, mask),
        Op::Math2D | Op::Math2DFree => {
            bbb!(regs, inst, mask, |x, y| math::math2_f64(imm, d(x), d(y)).to_bits())
        }
        Op::ClassD => ab!(regs, inst, mask, |x| math::classify_f64(imm, d(x))),
        Op::LdexpD => bba!(regs, inst, mask, |x, n| math::ldexp_f64(d(x), i(n)).to_bits()),

        Op::IToF => aa!(regs, inst, mask, |x| (i(x) as f32).to_bits()),
        Op::UToF => aa!(regs, inst, mask, |x: u32| (x as f32).to_bits()),
        Op::FToI => aa!(regs, inst, mask, |x| f(x) as i32 as u32),
        Op::FToU => aa!(regs, inst, mask, |x| f(x) as u32),
        Op::IToL => ba!(regs, inst, mask, |x| i64::from(i(x)) as u64),
        Op::UToL => ba!(regs, inst, mask, |x: u32| u64::from(x)),
        Op::LToI => ab!(regs, inst, mask, |x: u64| x as u32),
        Op::IToD => ba!(regs, inst, mask, |x| f64::from(i(x)).to_bits()),
        Op::UToD => ba!(regs, inst, mask, |x: u32| f64::from(x).to_bits()),
        Op::DToI => ab!(regs, inst, mask, |x| d(x) as i32 as u32),
        Op::DToU => ab!(regs, inst, mask, |x| d(x) as u32),
        Op::FToL => ba!(regs, inst, mask, |x| f(x) as i64 as u64),
        Op::FToX => ba!(regs, inst, mask, |x| f(x) as u64),
        Op::LToF => ab!(regs, inst, mask, |x| (s(x) as f32).to_bits()),
        Op::XToF => ab!(regs, inst, mask, |x: u64| (x as f32).to_bits()),
        Op::LToD => bb!(regs, inst, mask, |x| (s(x) as f64).to_bits()),
        Op::XToD => bb!(regs, inst, mask, |x: u64| (x as f64).to_bits()),
        Op::DToL => bb!(regs, inst, mask, |x| d(x) as i64 as u64),
        Op::DToX => bb!(regs, inst, mask, |x| d(x) as u64),
        Op::FToD => ba!(regs, inst, mask, |x| f64::from(f(x)).to_bits()),
        Op::DToF => ab!(regs, inst, mask, |x| (d(x) as f32).to_bits()),
        Op::DToH => ab!(regs, inst, mask, |x| half::f16::from_f64(d(x)).to_f32().to_bits()),
        Op::HBits => aa!(regs, inst, mask, |x| u32::from(half::f16::from_f32(f(x)).to_bits())),
        Op::HFromBits => {
            aa!(regs, inst, mask, |x: u32| half::f16::from_bits(x as u16).to_f32().to_bits())
        }
        _ => {}
    }
    Ok(())
}

/// Functions are slow next to the rest: lanes that are off are left out.
#[inline(never)]
fn math1_f(inst: &Inst, regs: &mut Regs, mask: u32) {
    let x = regs.a[inst.a as usize];
    if inst.imm == crate::hir::Math1::Sqrt as i32 {
        let mut r = [0; 32];
        for l in 0..32 {
            r[l] = f(x[l]).sqrt().to_bits();
        }
        regs.put_a(inst.d, &r, mask);
        return;
    }
    let out = &mut regs.a[inst.d as usize];
    for l in (0..32).filter(|l| mask >> l & 1 == 1) {
        out[l] = math::math1_f32(inst.imm, f(x[l])).to_bits();
    }
}

#[inline(never)]
fn math2_f(inst: &Inst, regs: &mut Regs, mask: u32) {
    let (x, y) = (regs.a[inst.a as usize], regs.a[inst.b as usize]);
    let out = &mut regs.a[inst.d as usize];
    for l in (0..32).filter(|l| mask >> l & 1 == 1) {
        out[l] = math::math2_f32(inst.imm, f(x[l]), f(y[l])).to_bits();
    }
}

#[inline(never)]
fn math1_d(inst: &Inst, regs: &mut Regs, mask: u32) {
    let x = regs.b[inst.a as usize];
    let out = &mut regs.b[inst.d as usize];
    for l in (0..32).filter(|l| mask >> l & 1 == 1) {
        out[l] = math::math1_f64(inst.imm, d(x[l])).to_bits();
    }
}

#[inline(always)]
fn pair(lo: u32, hi: u32) -> u64 {
    u64::from(hi) << 32 | u64::from(lo)
}

fn byte_perm(x: u32, y: u32, selector: u32) -> u32 {
    let bytes = pair(x, y).to_le_bytes();
    let mut out = [0; 4];
    for (k, o) in out.iter_mut().enumerate() {
        let pick = selector >> (4 * k);
        let byte = bytes[(pick & 7) as usize];
        *o = if pick & 8 != 0 { ((byte as i8) >> 7) as u8 } else { byte };
    }
    u32::from_le_bytes(out)
}

/// Value of one operation on constants; `None` if it faults.
pub(crate) fn eval(op: Op, operands: [u64; 3], imm: i32) -> Option<u64> {
    let shape = op.shape();
    let mut regs = Regs { a: vec![[0; 32]; 4], b: vec![[0; 32]; 4] };
    for (k, value) in operands.into_iter().enumerate() {
        regs.a[k + 1] = [value as u32; 32];
        regs.b[k + 1] = [value; 32];
    }
    let inst = Inst { op, d: 0, a: 1, b: 2, c: 3, imm };
    step(&inst, &mut regs, FULL).ok()?;
    Some(if shape[0] == b'a' { u64::from(regs.a[0][0]) } else { regs.b[0][0] })
}
