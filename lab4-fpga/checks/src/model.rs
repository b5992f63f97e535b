//! The truth: the lab's filter in whole numbers, and what goes into it.

/// Taps of the filter.
pub const TAPS: usize = 8;

/// Coefficients of this lab: powers of two.
pub const LAB4: [i64; TAPS] = [16384, 8192, 4096, 2048, 1024, 512, 256, 128];

/// Coefficients of lab 5: no powers of two.
pub const LAB5: [i64; TAPS] = [16383, 14335, 12287, 10239, 8191, 6143, 4095, 2047];

/// The second programme of exercise 4.5: its sum of absolute values is 61440, so the result can
/// overflow.
pub const NEGATIVE: [i64; TAPS] = [16384, 8192, 4096, 2048, -2048, -4096, -8192, -16384];

/// The filter: bits `lsb` and up, 16 of them, of the exact sum. What does not fit wraps, as in the
/// hardware.
pub fn fir(words: &[i16], b: &[i64; TAPS], lsb: u32) -> Vec<i16> {
    filtered(words, b, |product| product, |sum| sum >> lsb)
}

/// The same, wrongly: rounded in place of cut off.
pub fn fir_rounded(words: &[i16], b: &[i64; TAPS], lsb: u32) -> Vec<i16> {
    filtered(words, b, |product| product, |sum| (sum + (1 << (lsb - 1))) >> lsb)
}

/// The same, wrongly: products of 32 bits extended with zeros, so that negative ones become large.
pub fn fir_unsigned(words: &[i16], b: &[i64; TAPS], lsb: u32) -> Vec<i16> {
    filtered(words, b, |product| i64::from(product as u32), |sum| sum >> lsb)
}

fn filtered(
    words: &[i16],
    b: &[i64; TAPS],
    product: impl Fn(i64) -> i64,
    result: impl Fn(i64) -> i64,
) -> Vec<i16> {
    let sum = |n: usize| -> i64 {
        b.iter().zip(words[..=n].iter().rev()).map(|(b, x)| product(b * i64::from(*x))).sum()
    };
    (0..words.len()).map(|n| result(sum(n)) as i16).collect()
}

/// Words as the numbers that are sent to the board.
pub fn numbers(words: &[i16]) -> Vec<f64> {
    words.iter().map(|w| f64::from(*w)).collect()
}
