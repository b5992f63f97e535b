//! Doubles rounded once to what has fewer bits.

use half::f16;

/// The nearest half, ties to even. (`f16::from_f64` looks at a part of the bits, or rounds to float
/// first.)
pub fn to_half(x: f64) -> f16 {
    let float = toward_zero(x);
    // What is left out makes the last bit one. A float has bits enough that this one never decides
    // alone (round to odd; Boldo and Melquiond, 2008).
    let left = float.is_finite() && f64::from(float) != x;
    f16::from_f32(f32::from_bits(float.to_bits() | u32::from(left)))
}

/// The nearest float that is not larger in size; infinity from 2^128 on.
pub fn toward_zero(x: f64) -> f32 {
    let near = x as f32;
    let too_large = f64::from(near).abs() > x.abs() && x.abs() < 2f64.powi(128);
    f32::from_bits(near.to_bits() - u32::from(too_large))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between two halves that are neighbours the middle decides, however close to it a double is.
    #[test]
    fn halves_are_the_nearest() {
        for bits in 0u16..0x7bff {
            let [low, high] = [bits, bits + 1].map(|b| f16::from_bits(b).to_f64());
            let middle = (low + high) / 2.0;
            for off in -3i64..4 {
                let x = f64::from_bits((middle.to_bits() as i64 + off) as u64);
                let nearest = match off {
                    0 => bits + bits % 2,
                    _ => bits + u16::from(off > 0),
                };
                assert_eq!(to_half(x).to_bits(), nearest, "{x}");
                assert_eq!(to_half(-x).to_bits(), nearest | 0x8000, "-{x}");
            }
        }
    }

    #[test]
    fn toward_zero_is_the_next_float() {
        // All exponents, and fractions of all kinds.
        for bits in (0u32..0x7f80_0000).step_by(4099).chain([0x7f7f_ffff, 0x007f_ffff]) {
            let low = f64::from(f32::from_bits(bits));
            let bit = f64::from(f32::from_bits(bits & 0x7f80_0000 | 1))
                - f64::from(f32::from_bits(bits & 0x7f80_0000));
            for part in [0.0, 1e-9, 0.4999, 0.5, 0.75, 0.999_999] {
                let x = low + part * bit;
                assert_eq!(toward_zero(x).to_bits(), bits, "{x}");
                assert_eq!(toward_zero(-x).to_bits(), bits | 1 << 31, "-{x}");
            }
        }
    }

    #[test]
    fn ends_of_the_ranges() {
        for (x, half) in [
            (65_519.999_999_999_99, 0x7bff),
            (65520.0, 0x7c00),
            (2f64.powi(-25), 0),
            (2f64.powi(-25) * 1.000_000_000_001, 1),
            (1e-300, 0),
            (f64::INFINITY, 0x7c00),
        ] {
            assert_eq!(to_half(x).to_bits(), half, "{x}");
            assert_eq!(to_half(-x).to_bits(), half | 0x8000, "-{x}");
        }
        assert!(to_half(f64::NAN).is_nan() && toward_zero(f64::NAN).is_nan());
        assert_eq!(toward_zero(2f64.powi(128)), f32::INFINITY);
        assert_eq!(toward_zero(1e-300), 0.0);
    }
}
