//! Mathematical functions, the same on every machine: `double` through the `libm` crate, `float`
//! computed in `double` and rounded once, so that it is nearly always the correctly rounded result.

use crate::bytecode::{FREXP_EXPONENT, FREXP_MANTISSA, MODF_FRACTION};
use crate::hir::{Class, Math1, Math2};

/// Function number `f` of [`Math1`], or one of the numbers beyond.
pub(crate) fn math1_f64(f: i32, x: f64) -> f64 {
    match f {
        FREXP_MANTISSA => libm::frexp(x).0,
        MODF_FRACTION if x.is_infinite() => 0f64.copysign(x),
        MODF_FRACTION => (x - x.trunc()).copysign(x),
        f => math1(Math1::ALL[f as usize], x),
    }
}

fn math1(f: Math1, x: f64) -> f64 {
    match f {
        Math1::Sqrt => x.sqrt(),
        Math1::Rsqrt => 1.0 / x.sqrt(),
        Math1::Rcp => 1.0 / x,
        Math1::Cbrt => libm::cbrt(x),
        Math1::Exp => libm::exp(x),
        Math1::Exp2 => libm::exp2(x),
        Math1::Exp10 => libm::exp10(x),
        Math1::Expm1 => libm::expm1(x),
        Math1::Log => libm::log(x),
        Math1::Log2 => libm::log2(x),
        Math1::Log10 => libm::log10(x),
        Math1::Log1p => libm::log1p(x),
        Math1::Sin => libm::sin(x),
        Math1::Cos => libm::cos(x),
        Math1::Tan => libm::tan(x),
        Math1::SinPi => sin_pi(x),
        Math1::CosPi => cos_pi(x),
        Math1::Asin => libm::asin(x),
        Math1::Acos => libm::acos(x),
        Math1::Atan => libm::atan(x),
        Math1::Sinh => libm::sinh(x),
        Math1::Cosh => libm::cosh(x),
        Math1::Tanh => libm::tanh(x),
        Math1::Asinh => libm::asinh(x),
        Math1::Acosh => libm::acosh(x),
        Math1::Atanh => libm::atanh(x),
        Math1::Erf => libm::erf(x),
        Math1::Erfc => libm::erfc(x),
        Math1::Tgamma => libm::tgamma(x),
        Math1::Lgamma => libm::lgamma(x),
        Math1::Fabs => x.abs(),
        Math1::Floor => libm::floor(x),
        Math1::Ceil => libm::ceil(x),
        Math1::Trunc => libm::trunc(x),
        Math1::Round => libm::round(x),
        Math1::Rint => libm::rint(x),
        Math1::Saturate => {
            if x > 0.0 {
                x.min(1.0)
            } else {
                0.0
            }
        }
    }
}

/// The same for `float`.
pub(crate) fn math1_f32(f: i32, x: f32) -> f32 {
    math1_f64(f, f64::from(x)) as f32
}

fn sin_pi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    // Exact reduction to [-1, 1], then to [-1/2, 1/2], where the product with pi loses nothing that
    // matters.
    let r = x - 2.0 * libm::rint(x / 2.0);
    let r = if r > 0.5 {
        1.0 - r
    } else if r < -0.5 {
        -1.0 - r
    } else {
        r
    };
    if r == 0.0 { 0f64.copysign(x) } else { libm::sin(r * std::f64::consts::PI) }
}

fn cos_pi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let r = (x - 2.0 * libm::rint(x / 2.0)).abs();
    if r == 0.5 {
        0.0
    } else if r > 0.5 {
        -libm::cos((1.0 - r) * std::f64::consts::PI)
    } else {
        libm::cos(r * std::f64::consts::PI)
    }
}

/// Function number `f` of [`Math2`].
pub(crate) fn math2_f64(f: i32, x: f64, y: f64) -> f64 {
    match Math2::ALL[f as usize] {
        Math2::Pow => libm::pow(x, y),
        Math2::Atan2 => libm::atan2(x, y),
        Math2::Fmod => x % y,
        Math2::Remainder => libm::remainder(x, y),
        Math2::Hypot => libm::hypot(x, y),
        Math2::Fmin => least(x, y),
        Math2::Fmax => -least(-x, -y),
        Math2::Fdim => {
            if x.is_nan() || y.is_nan() {
                f64::NAN
            } else if x > y {
                x - y
            } else {
                0.0
            }
        }
        Math2::Copysign => x.copysign(y),
        Math2::Nextafter => libm::nextafter(x, y),
    }
}

/// The same for `float`.
pub(crate) fn math2_f32(f: i32, x: f32, y: f32) -> f32 {
    match Math2::ALL[f as usize] {
        // These are not what one gets by rounding the result in double.
        Math2::Nextafter => libm::nextafterf(x, y),
        Math2::Fmod => x % y,
        Math2::Remainder => libm::remainderf(x, y),
        Math2::Fdim if x > y => x - y,
        _ => math2_f64(f, f64::from(x), f64::from(y)) as f32,
    }
}

/// The smaller one; the other if one is NaN; -0 is less than +0.
fn least(x: f64, y: f64) -> f64 {
    if x.is_nan() {
        y
    } else if y.is_nan() || x < y || x == y && x.is_sign_negative() {
        x
    } else {
        y
    }
}

/// Class number `c`: 0 or 1; or the exponent of `frexp`.
pub(crate) fn classify_f64(c: i32, x: f64) -> u32 {
    if c == FREXP_EXPONENT {
        return libm::frexp(x).1 as u32;
    }
    u32::from(match Class::ALL[c as usize] {
        Class::Nan => x.is_nan(),
        Class::Inf => x.is_infinite(),
        Class::Finite => x.is_finite(),
        Class::SignBit => x.is_sign_negative(),
    })
}

/// The same for `float`.
pub(crate) fn classify_f32(c: i32, x: f32) -> u32 {
    classify_f64(c, f64::from(x))
}

/// `x * 2^n`.
pub(crate) fn ldexp_f64(x: f64, n: i32) -> f64 {
    libm::ldexp(x, n)
}

/// `x * 2^n`.
pub(crate) fn ldexp_f32(x: f32, n: i32) -> f32 {
    libm::ldexpf(x, n)
}
