//! Sums of products as the tensor cores of an H200 make them, bit by bit.
//!
//! All products of an instruction along k and the sum so far are added at once: each is shifted to
//! the place of the largest one and cut off 25 bits below it, where "largest" goes by the exponents
//! of the factors alone, as they stand in the registers. The total is exact. A float takes of it
//! what it can hold and drops the rest, a half is rounded to the nearest. Found by comparing with a
//! card (`tests/measured/tensor_cores.csv`, by `tools/rates/mma_table.cu`); that cards add in such
//! a way is known from Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor
//! cores", 2021.

use crate::round::{to_half, toward_zero};

/// Bits of the sum below the place of the largest term.
const BELOW: i32 = 25;

/// A floating-point format: bits of the exponent and of the fraction.
#[derive(Clone, Copy)]
struct Format {
    exponent: u32,
    fraction: u32,
}

const F16: Format = Format { exponent: 5, fraction: 10 };
const BF16: Format = Format { exponent: 8, fraction: 7 };
const TF32: Format = Format { exponent: 8, fraction: 10 };
const F32: Format = Format { exponent: 8, fraction: 23 };

/// A number.
#[derive(Clone, Copy)]
enum Number {
    /// `m 2^(top - fraction)`: `top` is the place of the leading bit, were it set.
    Finite {
        m: i64,
        top: i32,
    },
    Infinite {
        negative: bool,
    },
    Nan,
}

impl Format {
    fn read(self, bits: u32) -> Number {
        let negative = bits >> (self.exponent + self.fraction) & 1 == 1;
        let exponent = bits >> self.fraction & ((1 << self.exponent) - 1);
        let fraction = bits & ((1 << self.fraction) - 1);
        let bias = (1 << (self.exponent - 1)) - 1;
        if exponent == (1 << self.exponent) - 1 {
            return match fraction {
                0 => Number::Infinite { negative },
                _ => Number::Nan,
            };
        }
        let hidden = u32::from(exponent != 0) << self.fraction;
        let m = i64::from(fraction | hidden);
        Number::Finite { m: if negative { -m } else { m }, top: exponent.max(1) as i32 - bias }
    }
}

/// `c` and the products of the elements of `a` and `b`. `kind`: 0 for halves, summed in float, 1
/// for bfloat16, 2 for tf32, 3 for halves summed in half; elements lie in words as in a register of
/// `mma.sync`, and what is left of eight words is zero.
pub(crate) fn sum_of_products(kind: u32, c: u32, a: &[u32; 8], b: &[u32; 8]) -> u32 {
    let (format, sums) = match kind {
        0 => (F16, F32),
        1 => (BF16, F32),
        2 => (TF32, F32),
        _ => (F16, F16),
    };
    // What a word holds: one number, above bits that count for nothing, or two.
    let parts: &[u32] = if kind == 2 { &[13] } else { &[0, 16] };
    let mask = (1 << (1 + format.exponent + format.fraction)) - 1;
    let read = |word: u32, shift: u32| format.read(word >> shift & mask);

    // Terms m 2^e with their places; infinite ones by sign.
    let mut terms = [(0i64, 0i32, 0i32); 17];
    let mut count = 0;
    let (mut infinite, mut nan) = ([false; 2], false);
    let mut add = |m: i64, e: i32, top: i32| {
        terms[count] = (m, e, top);
        count += usize::from(m != 0);
    };
    match sums.read(c) {
        Number::Finite { m, top } => add(m, top - sums.fraction as i32, top),
        Number::Infinite { negative } => infinite[usize::from(negative)] = true,
        Number::Nan => nan = true,
    }
    for (a, b) in a.iter().zip(b) {
        for shift in parts {
            match (read(*a, *shift), read(*b, *shift)) {
                (Number::Finite { m: x, top: i }, Number::Finite { m: y, top: j }) => {
                    add(x * y, i + j - 2 * format.fraction as i32, i + j);
                }
                (Number::Nan, _) | (_, Number::Nan) => nan = true,
                (Number::Infinite { negative }, Number::Finite { m, .. })
                | (Number::Finite { m, .. }, Number::Infinite { negative }) => match m {
                    0 => nan = true,
                    _ => infinite[usize::from(negative != (m < 0))] = true,
                },
                (Number::Infinite { negative: x }, Number::Infinite { negative: y }) => {
                    infinite[usize::from(x != y)] = true;
                }
            }
        }
    }
    let total = match (nan, infinite) {
        (true, _) | (_, [true, true]) => f64::NAN,
        (_, [true, false]) => f64::INFINITY,
        (_, [false, true]) => f64::NEG_INFINITY,
        _ => {
            let terms = &terms[..count];
            let lowest = terms.iter().map(|t| t.2).max().unwrap_or(0) - BELOW;
            let shifted = |(m, e, _): &(i64, i32, i32)| match e - lowest {
                up @ 0.. => m << up,
                // Toward zero, as `/` is.
                down => m / (1i64 << (-down).min(62)),
            };
            // Fewer than 53 bits: exact.
            terms.iter().map(shifted).sum::<i64>() as f64 * 2f64.powi(lowest)
        }
    };
    match kind {
        3 if total.is_nan() => 0x7fff,
        3 => u32::from(to_half(total).to_bits()),
        _ if total.is_nan() => 0x7fff_ffff,
        _ => toward_zero(total).to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums that an H200 made; the file's first line says what a line holds.
    #[test]
    fn sums_are_those_of_a_real_gpu() {
        let table = include_str!("../../tests/measured/tensor_cores.csv");
        let rows: Vec<&str> = table.lines().skip(1).collect();
        assert!(rows.len() > 200);
        for row in rows {
            let (kind, words) = row.split_once(',').expect("a kind");
            let kind = ["f16", "bf16", "tf32", "f16_f16"].iter().position(|k| *k == kind);
            let words: Vec<u32> = words
                .split(',')
                .map(|w| u32::from_str_radix(w, 16).expect("hexadecimal"))
                .collect();
            let [a, b] = [1, 9].map(|at| words[at..at + 8].try_into().expect("eight words"));
            let got = sum_of_products(kind.expect("known") as u32, words[0], &a, &b);
            assert_eq!(got, words[17], "{got:x}: {row}");
        }
    }
}
