//! The two floating-point types of wavefields.

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
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// Bytes of one value.
    const BYTES: usize = size_of::<Self>();
    /// `f32` or `f64`.
    const NAME: &'static str;
    /// The nearest value.
    fn of(value: f64) -> Self;
    /// The same value in double precision.
    fn f64(self) -> f64;
}

impl Real for f32 {
    const ZERO: f32 = 0.0;
    const NAME: &'static str = "f32";
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
    #[inline(always)]
    fn of(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn f64(self) -> f64 {
        self
    }
}
