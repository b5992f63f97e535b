//! The two floating-point types of wavefields, and blocks of such values.

use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// `f32`, which every production run uses, or `f64`, which shows how much of an error is rounding.
pub trait Real:
    Copy
    + Default
    + PartialOrd
    + Debug
    + Display
    + Send
    + Sync
    + bytemuck::Pod
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + Blocks
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// Bytes of one value.
    const BYTES: usize = size_of::<Self>();
    /// `f32` or `f64`.
    const NAME: &'static str;
    /// What is less than this is stored as zero in levels, psi and zeta. Ahead of a wave values
    /// fall off to subnormal numbers, the least that the type has, and with those some processors
    /// are many times slower. Of values that are not less, products with the weights, spacings and
    /// `v^2 dt^2` of usual models are no subnormal numbers either.
    const TINY: Self;
    /// Zero for what is less than `least`, else the same value (also where it is no number).
    fn cut(self, least: Self) -> Self;
    /// The same for [`Real::TINY`].
    #[inline(always)]
    fn flushed(self) -> Self {
        self.cut(Self::TINY)
    }
    /// [`Real::TINY`] as the kernels' compilers take it: `TINY=` and a literal of this type.
    fn tiny_definition() -> String {
        format!("TINY={:e}{}", Self::TINY.f64(), if Self::BYTES == 4 { "f" } else { "" })
    }
    /// The nearest value.
    fn of(value: f64) -> Self;
    /// The same value in double precision.
    fn f64(self) -> f64;
}

impl Real for f32 {
    const ZERO: f32 = 0.0;
    const NAME: &'static str = "f32";
    const TINY: f32 = 1e-30;
    #[inline(always)]
    fn cut(self, least: f32) -> f32 {
        if self.abs() < least { 0.0 } else { self }
    }
    #[inline(always)]
    fn of(value: f64) -> f32 {
        value as f32
    }
    #[inline(always)]
    fn f64(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    const ZERO: f64 = 0.0;
    const NAME: &'static str = "f64";
    const TINY: f64 = 1e-300;
    #[inline(always)]
    fn cut(self, least: f64) -> f64 {
        if self.abs() < least { 0.0 } else { self }
    }
    #[inline(always)]
    fn of(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn f64(self) -> f64 {
        self
    }
}

/// Points along z that the propagator computes together: a vector or two. Rows are stored in whole
/// blocks, so that no loop has an end that is done point by point.
pub const BLOCK: usize = 16;

/// A block of a row: [`BLOCK`] values, as one or several registers hold them.
pub trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + 'static
{
    /// One of the values.
    type Value: Real;
    /// The same value everywhere.
    fn splat(value: Self::Value) -> Self;
    /// The block at a place.
    ///
    /// # Safety
    /// [`BLOCK`] values can be read there.
    unsafe fn load(from: *const Self::Value) -> Self;
    /// The block that begins `by` values behind the start of the middle one of three blocks, or
    /// before it: at most eight.
    #[inline(always)]
    fn shifted(line: [Self; 3], by: isize) -> Self {
        let mut values = [[Self::Value::ZERO; BLOCK]; 3];
        for (values, block) in values.iter_mut().zip(line) {
            block.put(values);
        }
        let from = BLOCK.wrapping_add_signed(by);
        // SAFETY: a block that begins within the middle one ends within the last, and one that
        // begins within the first ends within the middle one.
        unsafe { Self::load(values.as_flattened()[from..from + BLOCK].as_ptr()) }
    }
    /// The block `by` values behind a place, or before it: at most eight.
    ///
    /// # Safety
    /// The blocks before, at and behind the place can be read.
    #[inline(always)]
    unsafe fn beside(place: *const Self::Value, by: isize) -> Self {
        // SAFETY: as the caller has promised.
        unsafe { Self::load(place.offset(by)) }
    }
    /// The blocks that begin four values before a place to four behind it.
    ///
    /// # Safety
    /// The blocks before, at and behind the place can be read.
    #[inline(always)]
    unsafe fn near(place: *const Self::Value) -> [Self; 9] {
        let mut near = [Self::splat(Self::Value::ZERO); 9];
        for (l, near) in near.iter_mut().enumerate() {
            // SAFETY: as the caller has promised.
            *near = unsafe { Self::load(place.add(l).sub(4)) };
        }
        near
    }
    /// These values.
    fn of(values: &[Self::Value; BLOCK]) -> Self;
    /// Writes the values.
    fn put(self, to: &mut [Self::Value; BLOCK]);
    /// [`Real::cut`] of each value.
    fn cut(self, least: Self::Value) -> Self;
    /// [`Real::flushed`] of each value.
    #[inline(always)]
    fn flushed(self) -> Self {
        self.cut(Self::Value::TINY)
    }
    /// These values where `inside` is more than zero, those of `other` elsewhere.
    fn within(self, inside: Self, other: Self) -> Self;
}

/// The blocks of a type of values, by processor.
pub trait Blocks: Sized {
    /// For any processor.
    type Plain: Lanes<Value = Self>;
    /// For those that have AVX2.
    type Avx2: Lanes<Value = Self>;
    /// For those that have AVX-512 (F, VL, DQ, BW).
    type Avx512: Lanes<Value = Self>;
}
