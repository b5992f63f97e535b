//! Arithmetic on registers: every instruction that touches neither memory nor control flow.

use super::math;
use crate::bytecode::{Alu, Inst, Op};

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

    /// Writes `f` of two operands straight into the register, without an array between them;
    /// false if that cannot be done for these registers and lanes.
    #[cfg(target_family = "wasm")]
    #[inline(always)]
    fn direct(&mut self, inst: &Inst, mask: u32, f: impl Fn(u32, u32) -> u32) -> bool {
        let [d, a, b] = [inst.d, inst.a, inst.b].map(|r| r as usize);
        if mask != FULL {
            return false;
        }
        if let Ok([out, x, y]) = self.a.get_disjoint_mut([d, a, b]) {
            set(out, x, y, f);
            return true;
        }
        if d == a
            && let Ok([out, y]) = self.a.get_disjoint_mut([d, b])
        {
            update(out, y, f);
            return true;
        }
        false
    }

    /// The same of one operand.
    #[cfg(target_family = "wasm")]
    #[inline(always)]
    fn direct_of_one(&mut self, inst: &Inst, mask: u32, f: impl Fn(u32) -> u32) -> bool {
        let [d, a] = [inst.d, inst.a].map(|r| r as usize);
        if mask != FULL {
            return false;
        }
        if d == a {
            self.a[d].iter_mut().for_each(|x| *x = f(*x));
            return true;
        }
        let Ok([out, x]) = self.a.get_disjoint_mut([d, a]) else { return false };
        update(out, x, |_, x| f(x));
        true
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

/// `f` of two registers into a third.
#[cfg(target_family = "wasm")]
#[inline]
fn set(out: &mut [u32; 32], x: &[u32; 32], y: &[u32; 32], f: impl Fn(u32, u32) -> u32) {
    for l in 0..32 {
        out[l] = f(x[l], y[l]);
    }
}

/// `f` of two registers into the first.
#[cfg(target_family = "wasm")]
#[inline]
fn update(out: &mut [u32; 32], y: &[u32; 32], f: impl Fn(u32, u32) -> u32) {
    for l in 0..32 {
        out[l] = f(out[l], y[l]);
    }
}

/// A value for each lane.
///
/// Two ways to one array. In WebAssembly zeros that are written over are not taken out, and cost a
/// call of the browser. Elsewhere, where the crate is compiled in several units, closures within
/// `from_fn` and `map` of arrays stay calls.
#[inline(always)]
pub(crate) fn by_lane<T: Copy + Default>(value: impl Fn(usize) -> T) -> [T; 32] {
    if cfg!(target_family = "wasm") {
        return std::array::from_fn(value);
    }
    let mut out = [T::default(); 32];
    for (l, o) in out.iter_mut().enumerate() {
        *o = value(l);
    }
    out
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

/// What only the engine of a page tries. Elsewhere it must not be there at all: closures that are
/// used at two places stay calls.
#[cfg(target_family = "wasm")]
macro_rules! in_page {
    ($try:expr) => {
        $try
    };
}
#[cfg(not(target_family = "wasm"))]
macro_rules! in_page {
    ($try:expr) => {
        false
    };
}
/// A row of results into a register. Where all lanes are on it goes there at once: an array that
/// waits for the mask would take as long as the arithmetic.
macro_rules! put {
    ($regs:ident, put_a, $i:ident, $mask:ident, $row:expr) => {
        put!($regs.a, $regs, put_a, $i, $mask, $row)
    };
    ($regs:ident, put_b, $i:ident, $mask:ident, $row:expr) => {
        put!($regs.b, $regs, put_b, $i, $mask, $row)
    };
    ($bank:expr, $regs:ident, $put:ident, $i:ident, $mask:ident, $row:expr) => {
        if !cfg!(target_family = "wasm") && $mask == FULL {
            let row = $row;
            $bank[$i.d as usize] = row;
        } else {
            let row = $row;
            $regs.$put($i.d, &row, $mask);
        }
    };
}
macro_rules! aaa {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        if !in_page!($regs.direct($i, $mask, $f)) {
            let (x, y) = (&$regs.a[$i.a as usize], &$regs.a[$i.b as usize]);
            put!($regs, put_a, $i, $mask, by_lane(|l| $f(x[l], y[l])));
        }
    }};
}
macro_rules! aa {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        if !in_page!($regs.direct_of_one($i, $mask, $f)) {
            let x = &$regs.a[$i.a as usize];
            put!($regs, put_a, $i, $mask, by_lane(|l| $f(x[l])));
        }
    }};
}
macro_rules! aaaa {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let (x, y) = (&$regs.a[$i.a as usize], &$regs.a[$i.b as usize]);
        let z = &$regs.a[$i.c as usize];
        put!($regs, put_a, $i, $mask, by_lane(|l| $f(x[l], y[l], z[l])));
    }};
}
macro_rules! bbb {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let (x, y) = (&$regs.b[$i.a as usize], &$regs.b[$i.b as usize]);
        put!($regs, put_b, $i, $mask, by_lane(|l| $f(x[l], y[l])));
    }};
}
macro_rules! bb {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let x = &$regs.b[$i.a as usize];
        put!($regs, put_b, $i, $mask, by_lane(|l| $f(x[l])));
    }};
}
macro_rules! abb {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let (x, y) = (&$regs.b[$i.a as usize], &$regs.b[$i.b as usize]);
        put!($regs, put_a, $i, $mask, by_lane(|l| u32::from($f(x[l], y[l]))));
    }};
}
macro_rules! bba {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let (x, y) = (&$regs.b[$i.a as usize], &$regs.a[$i.b as usize]);
        put!($regs, put_b, $i, $mask, by_lane(|l| $f(x[l], y[l])));
    }};
}
macro_rules! ab {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let x = &$regs.b[$i.a as usize];
        put!($regs, put_a, $i, $mask, by_lane(|l| $f(x[l])));
    }};
}
macro_rules! ba {
    ($regs:ident, $i:ident, $mask:ident, $f:expr) => {{
        let x = &$regs.a[$i.a as usize];
        put!($regs, put_b, $i, $mask, by_lane(|l| $f(x[l])));
    }};
}
/// A division: faults on the lanes that divide by zero.
macro_rules! div {
    ($regs:ident, $i:ident, $mask:ident, $bank:ident, $put:ident, $t:ty, $f:expr) => {
        apart(|| {
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
            Ok(())
        })?
    };
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

/// A number without what is behind its point. What is no number becomes `none`, the highest bit,
/// where one of both types has 64 bits (PTX ISA 9.0, `cvt`); from 32 to 32 it becomes 0.
#[inline(always)]
fn whole<T>(x: f64, none: T, number: impl Fn(f64) -> T) -> T {
    if x.is_nan() { none } else { number(x) }
}

/// What takes long for each lane stays out of the interpreter's loop, which is large enough.
#[inline(never)]
fn apart<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Executes the arithmetic instruction `inst`, whose operation is `op`. `Err`: the lanes that
/// divide by zero.
///
/// One long match, because it is a table with a row for each operation: two matches would be two
/// jumps for each instruction.
#[inline(always)]
pub(crate) fn step(op: Alu, inst: &Inst, regs: &mut Regs, mask: u32) -> Result<(), u32> {
    let imm = inst.imm;
    match op {
        Alu::AddI => aaa!(regs, inst, mask, u32::wrapping_add),
        Alu::SubI => aaa!(regs, inst, mask, u32::wrapping_sub),
        Alu::MulI => aaa!(regs, inst, mask, u32::wrapping_mul),
        Alu::AndI => aaa!(regs, inst, mask, |x: u32, y: u32| x & y),
        Alu::OrI => aaa!(regs, inst, mask, |x: u32, y: u32| x | y),
        Alu::XorI => aaa!(regs, inst, mask, |x: u32, y: u32| x ^ y),
        Alu::ShlI => {
            apart(|| aaa!(regs, inst, mask, |x: u32, n: u32| if n < 32 { x << n } else { 0 }))
        }
        Alu::ShrS => apart(|| aaa!(regs, inst, mask, |x: u32, n: u32| (i(x) >> n.min(31)) as u32)),
        Alu::ShrU => {
            apart(|| aaa!(regs, inst, mask, |x: u32, n: u32| if n < 32 { x >> n } else { 0 }))
        }
        Alu::MinS => aaa!(regs, inst, mask, |x, y| i(x).min(i(y)) as u32),
        Alu::MaxS => aaa!(regs, inst, mask, |x, y| i(x).max(i(y)) as u32),
        Alu::MinU => aaa!(regs, inst, mask, |x: u32, y: u32| x.min(y)),
        Alu::MaxU => aaa!(regs, inst, mask, |x: u32, y: u32| x.max(y)),
        Alu::MulHiS => apart(|| {
            aaa!(regs, inst, mask, |x, y| ((i64::from(i(x)) * i64::from(i(y))) >> 32) as u32)
        }),
        Alu::MulHiU => apart(|| {
            aaa!(regs, inst, mask, |x: u32, y: u32| ((u64::from(x) * u64::from(y)) >> 32) as u32)
        }),
        Alu::MeanS => apart(|| {
            aaa!(regs, inst, mask, |x, y| { ((i64::from(i(x)) + i64::from(i(y)) + 1) >> 1) as u32 })
        }),
        Alu::MeanU => apart(|| {
            aaa!(regs, inst, mask, |x: u32, y: u32| ((u64::from(x) + u64::from(y) + 1) >> 1) as u32)
        }),
        Alu::DivS => div!(regs, inst, mask, a, put_a, u32, |x, y| i(x).wrapping_div(i(y)) as u32),
        Alu::DivU => div!(regs, inst, mask, a, put_a, u32, |x: u32, y: u32| x / y),
        Alu::RemS => div!(regs, inst, mask, a, put_a, u32, |x, y| i(x).wrapping_rem(i(y)) as u32),
        Alu::RemU => div!(regs, inst, mask, a, put_a, u32, |x: u32, y: u32| x % y),
        Alu::EqI => aaa!(regs, inst, mask, |x: u32, y: u32| u32::from(x == y)),
        Alu::NeI => aaa!(regs, inst, mask, |x: u32, y: u32| u32::from(x != y)),
        Alu::LtS => aaa!(regs, inst, mask, |x, y| u32::from(i(x) < i(y))),
        Alu::LeS => aaa!(regs, inst, mask, |x, y| u32::from(i(x) <= i(y))),
        Alu::LtU => aaa!(regs, inst, mask, |x: u32, y: u32| u32::from(x < y)),
        Alu::LeU => aaa!(regs, inst, mask, |x: u32, y: u32| u32::from(x <= y)),
        Alu::AddImm => aa!(regs, inst, mask, |x: u32| x.wrapping_add(imm as u32)),
        Alu::MulImm => aa!(regs, inst, mask, |x: u32| x.wrapping_mul(imm as u32)),
        Alu::ShlImm => aa!(regs, inst, mask, |x: u32| x << (imm & 31)),
        Alu::ShrSImm => aa!(regs, inst, mask, |x: u32| (i(x) >> (imm & 31)) as u32),
        Alu::ShrUImm => aa!(regs, inst, mask, |x: u32| x >> (imm & 31)),
        Alu::SextB => aa!(regs, inst, mask, |x: u32| i32::from(x as i8) as u32),
        Alu::SextH => aa!(regs, inst, mask, |x: u32| i32::from(x as i16) as u32),
        Alu::ZextB => aa!(regs, inst, mask, |x: u32| x & 0xff),
        Alu::ZextH => aa!(regs, inst, mask, |x: u32| x & 0xffff),
        Alu::AbsI => aa!(regs, inst, mask, |x: u32| i(x).wrapping_abs() as u32),
        Alu::Popc => apart(|| aa!(regs, inst, mask, u32::count_ones)),
        Alu::Clz => apart(|| aa!(regs, inst, mask, u32::leading_zeros)),
        Alu::Ffs => apart(|| {
            aa!(regs, inst, mask, |x: u32| if x == 0 { 0 } else { x.trailing_zeros() + 1 })
        }),
        Alu::Brev => apart(|| aa!(regs, inst, mask, u32::reverse_bits)),
        Alu::MovA => aa!(regs, inst, mask, |x: u32| x),
        Alu::SelA => {
            aaaa!(regs, inst, mask, |c: u32, x: u32, y: u32| if c != 0 { x } else { y })
        }
        Alu::BytePerm => apart(|| aaaa!(regs, inst, mask, byte_perm)),
        Alu::FshL => apart(|| {
            aaaa!(regs, inst, mask, |lo: u32, hi: u32, n: u32| {
                ((pair(lo, hi) << (n & 31)) >> 32) as u32
            })
        }),
        Alu::FshR => apart(|| {
            aaaa!(regs, inst, mask, |lo: u32, hi: u32, n: u32| (pair(lo, hi) >> (n & 31)) as u32)
        }),
        Alu::SadS => {
            apart(|| aaaa!(regs, inst, mask, |x, y, z: u32| i(x).abs_diff(i(y)).wrapping_add(z)))
        }
        Alu::SadU => apart(|| {
            aaaa!(regs, inst, mask, |x: u32, y: u32, z: u32| x.abs_diff(y).wrapping_add(z))
        }),

        Alu::AddL => bbb!(regs, inst, mask, u64::wrapping_add),
        Alu::SubL => bbb!(regs, inst, mask, u64::wrapping_sub),
        Alu::MulL => apart(|| bbb!(regs, inst, mask, u64::wrapping_mul)),
        Alu::AndL => bbb!(regs, inst, mask, |x: u64, y: u64| x & y),
        Alu::OrL => bbb!(regs, inst, mask, |x: u64, y: u64| x | y),
        Alu::XorL => bbb!(regs, inst, mask, |x: u64, y: u64| x ^ y),
        Alu::ShlL => {
            apart(|| bba!(regs, inst, mask, |x: u64, n: u32| if n < 64 { x << n } else { 0 }))
        }
        Alu::ShrSL => apart(|| bba!(regs, inst, mask, |x, n: u32| (s(x) >> n.min(63)) as u64)),
        Alu::ShrUL => {
            apart(|| bba!(regs, inst, mask, |x: u64, n: u32| if n < 64 { x >> n } else { 0 }))
        }
        Alu::MinSL => apart(|| bbb!(regs, inst, mask, |x, y| s(x).min(s(y)) as u64)),
        Alu::MaxSL => apart(|| bbb!(regs, inst, mask, |x, y| s(x).max(s(y)) as u64)),
        Alu::MinUL => apart(|| bbb!(regs, inst, mask, |x: u64, y: u64| x.min(y))),
        Alu::MaxUL => apart(|| bbb!(regs, inst, mask, |x: u64, y: u64| x.max(y))),
        Alu::MulHiSL => apart(|| {
            bbb!(regs, inst, mask, |x, y| ((i128::from(s(x)) * i128::from(s(y))) >> 64) as u64)
        }),
        Alu::MulHiUL => apart(|| {
            bbb!(regs, inst, mask, |x: u64, y: u64| ((u128::from(x) * u128::from(y)) >> 64) as u64)
        }),
        Alu::DivSL => div!(regs, inst, mask, b, put_b, u64, |x, y| s(x).wrapping_div(s(y)) as u64),
        Alu::DivUL => div!(regs, inst, mask, b, put_b, u64, |x: u64, y: u64| x / y),
        Alu::RemSL => div!(regs, inst, mask, b, put_b, u64, |x, y| s(x).wrapping_rem(s(y)) as u64),
        Alu::RemUL => div!(regs, inst, mask, b, put_b, u64, |x: u64, y: u64| x % y),
        Alu::EqL => abb!(regs, inst, mask, |x: u64, y: u64| x == y),
        Alu::NeL => abb!(regs, inst, mask, |x: u64, y: u64| x != y),
        Alu::LtSL => apart(|| abb!(regs, inst, mask, |x, y| s(x) < s(y))),
        Alu::LeSL => apart(|| abb!(regs, inst, mask, |x, y| s(x) <= s(y))),
        Alu::LtUL => apart(|| abb!(regs, inst, mask, |x: u64, y: u64| x < y)),
        Alu::LeUL => apart(|| abb!(regs, inst, mask, |x: u64, y: u64| x <= y)),
        Alu::AddImmL => bb!(regs, inst, mask, |x: u64| x.wrapping_add(i64::from(imm) as u64)),
        Alu::ShlImmL => bb!(regs, inst, mask, |x: u64| x << (imm & 63)),
        Alu::ShrSImmL => apart(|| bb!(regs, inst, mask, |x| (s(x) >> (imm & 63)) as u64)),
        Alu::ShrUImmL => bb!(regs, inst, mask, |x: u64| x >> (imm & 63)),
        Alu::AbsL => apart(|| bb!(regs, inst, mask, |x| s(x).wrapping_abs() as u64)),
        Alu::PopcL => apart(|| ab!(regs, inst, mask, u64::count_ones)),
        Alu::ClzL => apart(|| ab!(regs, inst, mask, u64::leading_zeros)),
        Alu::FfsL => apart(|| {
            ab!(regs, inst, mask, |x: u64| if x == 0 { 0 } else { x.trailing_zeros() + 1 })
        }),
        Alu::BrevL => apart(|| bb!(regs, inst, mask, u64::reverse_bits)),
        Alu::MovB => bb!(regs, inst, mask, |x: u64| x),
        Alu::SelB => {
            let c = &regs.a[inst.a as usize];
            let (x, y) = (&regs.b[inst.b as usize], &regs.b[inst.c as usize]);
            let r = by_lane(|l| if c[l] != 0 { x[l] } else { y[l] });
            regs.put_b(inst.d, &r, mask);
        }
        Alu::LeaS => bba!(regs, inst, mask, |x: u64, n| {
            x.wrapping_add(i64::from(i(n)).wrapping_mul(i64::from(imm)) as u64)
        }),
        Alu::LeaU => bba!(regs, inst, mask, |x: u64, n: u32| {
            x.wrapping_add(i64::from(n).wrapping_mul(i64::from(imm)) as u64)
        }),

        Alu::AddF => aaa!(regs, inst, mask, |x, y| (f(x) + f(y)).to_bits()),
        Alu::SubF => aaa!(regs, inst, mask, |x, y| (f(x) - f(y)).to_bits()),
        Alu::MulF => aaa!(regs, inst, mask, |x, y| (f(x) * f(y)).to_bits()),
        Alu::DivF => aaa!(regs, inst, mask, |x, y| (f(x) / f(y)).to_bits()),
        Alu::FmaF => {
            apart(|| aaaa!(regs, inst, mask, |x, y, z| f(x).mul_add(f(y), f(z)).to_bits()))
        }
        Alu::EqF => aaa!(regs, inst, mask, |x, y| u32::from(f(x) == f(y))),
        Alu::NeF => aaa!(regs, inst, mask, |x, y| u32::from(f(x) != f(y))),
        Alu::LtF => aaa!(regs, inst, mask, |x, y| u32::from(f(x) < f(y))),
        Alu::LeF => aaa!(regs, inst, mask, |x, y| u32::from(f(x) <= f(y))),
        Alu::NegF => aa!(regs, inst, mask, |x: u32| x ^ 0x8000_0000),
        Alu::AbsF => aa!(regs, inst, mask, |x: u32| x & 0x7fff_ffff),
        Alu::RoundH => {
            apart(|| aa!(regs, inst, mask, |x| half::f16::from_f32(f(x)).to_f32().to_bits()))
        }
        Alu::Math1F | Alu::Math1FFree => math1_f(inst, regs, mask),
        Alu::Math2F | Alu::Math2FFree => math2_f(inst, regs, mask),
        Alu::ClassF => apart(|| aa!(regs, inst, mask, |x| math::classify_f32(imm, f(x)))),
        Alu::LdexpF => {
            apart(|| aaa!(regs, inst, mask, |x, n| math::ldexp_f32(f(x), i(n)).to_bits()))
        }

        Alu::AddD => bbb!(regs, inst, mask, |x, y| (d(x) + d(y)).to_bits()),
        Alu::SubD => bbb!(regs, inst, mask, |x, y| (d(x) - d(y)).to_bits()),
        Alu::MulD => bbb!(regs, inst, mask, |x, y| (d(x) * d(y)).to_bits()),
        Alu::DivD => bbb!(regs, inst, mask, |x, y| (d(x) / d(y)).to_bits()),
        Alu::FmaD => apart(|| {
            let (x, y) = (&regs.b[inst.a as usize], &regs.b[inst.b as usize]);
            let z = &regs.b[inst.c as usize];
            let r = by_lane(|l| d(x[l]).mul_add(d(y[l]), d(z[l])).to_bits());
            regs.put_b(inst.d, &r, mask);
        }),
        Alu::EqD => abb!(regs, inst, mask, |x, y| d(x) == d(y)),
        Alu::NeD => abb!(regs, inst, mask, |x, y| d(x) != d(y)),
        Alu::LtD => abb!(regs, inst, mask, |x, y| d(x) < d(y)),
        Alu::LeD => abb!(regs, inst, mask, |x, y| d(x) <= d(y)),
        Alu::NegD => bb!(regs, inst, mask, |x: u64| x ^ (1 << 63)),
        Alu::AbsD => bb!(regs, inst, mask, |x: u64| x & !(1 << 63)),
        Alu::Math1D | Alu::Math1DFree => math1_d(inst, regs, mask),
        Alu::Math2D | Alu::Math2DFree => {
            bbb!(regs, inst, mask, |x, y| math::math2_f64(imm, d(x), d(y)).to_bits())
        }
        Alu::ClassD => apart(|| ab!(regs, inst, mask, |x| math::classify_f64(imm, d(x)))),
        Alu::LdexpD => {
            apart(|| bba!(regs, inst, mask, |x, n| math::ldexp_f64(d(x), i(n)).to_bits()))
        }

        Alu::IToF => aa!(regs, inst, mask, |x| (i(x) as f32).to_bits()),
        Alu::UToF => apart(|| aa!(regs, inst, mask, |x: u32| (x as f32).to_bits())),
        Alu::FToI => apart(|| aa!(regs, inst, mask, |x| f(x) as i32 as u32)),
        Alu::FToU => apart(|| aa!(regs, inst, mask, |x| f(x) as u32)),
        Alu::IToL => ba!(regs, inst, mask, |x| i64::from(i(x)) as u64),
        Alu::UToL => ba!(regs, inst, mask, |x: u32| u64::from(x)),
        Alu::LToI => ab!(regs, inst, mask, |x: u64| x as u32),
        Alu::IToD => ba!(regs, inst, mask, |x| f64::from(i(x)).to_bits()),
        Alu::UToD => apart(|| ba!(regs, inst, mask, |x: u32| f64::from(x).to_bits())),
        Alu::DToI => apart(|| ab!(regs, inst, mask, |x| whole(d(x), 1 << 31, |v| v as i32 as u32))),
        Alu::DToU => apart(|| ab!(regs, inst, mask, |x| whole(d(x), 1 << 31, |v| v as u32))),
        Alu::FToL => apart(|| {
            ba!(regs, inst, mask, |x| whole(f64::from(f(x)), 1 << 63, |v| v as i64 as u64))
        }),
        Alu::FToX => {
            apart(|| ba!(regs, inst, mask, |x| whole(f64::from(f(x)), 1 << 63, |v| v as u64)))
        }
        Alu::LToF => apart(|| ab!(regs, inst, mask, |x| (s(x) as f32).to_bits())),
        Alu::XToF => apart(|| ab!(regs, inst, mask, |x: u64| (x as f32).to_bits())),
        Alu::LToD => apart(|| bb!(regs, inst, mask, |x| (s(x) as f64).to_bits())),
        Alu::XToD => apart(|| bb!(regs, inst, mask, |x: u64| (x as f64).to_bits())),
        Alu::DToL => apart(|| bb!(regs, inst, mask, |x| whole(d(x), 1 << 63, |v| v as i64 as u64))),
        Alu::DToX => apart(|| bb!(regs, inst, mask, |x| whole(d(x), 1 << 63, |v| v as u64))),
        Alu::FToD => ba!(regs, inst, mask, |x| f64::from(f(x)).to_bits()),
        Alu::DToF => ab!(regs, inst, mask, |x| (d(x) as f32).to_bits()),
        Alu::DToH => {
            apart(|| ab!(regs, inst, mask, |x| crate::round::to_half(d(x)).to_f32().to_bits()))
        }
        Alu::HBits => {
            apart(|| aa!(regs, inst, mask, |x| u32::from(half::f16::from_f32(f(x)).to_bits())))
        }
        Alu::HFromBits => apart(|| {
            aa!(regs, inst, mask, |x: u32| half::f16::from_bits(x as u16).to_f32().to_bits())
        }),
    }
    Ok(())
}

/// [`step`] as a function of its own.
#[inline(never)]
pub(crate) fn step_apart(op: Alu, inst: &Inst, regs: &mut Regs, mask: u32) -> Result<(), u32> {
    step(op, inst, regs, mask)
}

/// Functions are slow next to the rest: lanes that are off are left out.
#[inline(never)]
fn math1_f(inst: &Inst, regs: &mut Regs, mask: u32) {
    let x = regs.a[inst.a as usize];
    if inst.imm == crate::hir::Math1::Sqrt as i32 {
        let r = by_lane(|l| f(x[l]).sqrt().to_bits());
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

/// Value of one operation on constants; `None` if it faults or is no arithmetic.
pub(crate) fn eval(op: Op, operands: [u64; 3], imm: i32) -> Option<u64> {
    let Op::Alu(alu) = op else { return None };
    let shape = op.shape();
    let mut regs = Regs { a: vec![[0; 32]; 4], b: vec![[0; 32]; 4] };
    for (k, value) in operands.into_iter().enumerate() {
        regs.a[k + 1] = [value as u32; 32];
        regs.b[k + 1] = [value; 32];
    }
    let inst = Inst { op, d: 0, a: 1, b: 2, c: 3, imm };
    step_apart(alu, &inst, &mut regs, FULL).ok()?;
    Some(if shape[0] == b'a' { u64::from(regs.a[0][0]) } else { regs.b[0][0] })
}
