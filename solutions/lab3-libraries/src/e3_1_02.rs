//! Exercise 3.1.2: the volume of a ball on the CPU, with random numbers that can be drawn in any
//! order.
//!
//! The generator is minstd: `s_(k+1) = 48271 s_k mod (2^31 - 1)`. Since `s_k = 48271^k s_0`, any
//! element can be computed by itself, so that a loop over elements may run in parallel.

use labkit::{LabError, check_len};
#[allow(unused_imports)] // until the functions below are written
use rayon::prelude::*;

/// Modulus of the generator, the prime 2^31 - 1.
pub const MODULUS: u64 = (1 << 31) - 1;
/// Multiplier of the generator.
pub const MULTIPLIER: u64 = 48_271;

/// A sequence of uniform random numbers in `[a, b)`, whose elements are computed from their index.
#[derive(Clone, Copy, Debug)]
pub struct RandUni {
    seed: u32,
    a: f32,
    b: f32,
}

impl RandUni {
    /// The sequence with the state `seed` before its first element.
    ///
    /// # Errors
    /// A seed that is a multiple of 2^31 - 1, such as 0: the generator stays at 0 for ever.
    pub fn new(seed: u32, a: f32, b: f32) -> Result<RandUni, LabError> {
        // <lab
        if u64::from(seed) % MODULUS == 0 {
            return Err(LabError::refused(format!("seed {seed}: all states would be 0")));
        }
        Ok(RandUni { seed, a, b })
        //~ Ok(RandUni { seed, a, b })
        // lab>
    }

    /// Element `i`, counted from 0, without computing those before it: with
    /// `s = 48271^(i+1) seed mod (2^31 - 1)` and `u = (s - 1) / (2^31 - 2)`, the value
    /// `a + (b - a) u`, all in `f64`, rounded to `f32` once at the end.
    pub fn at(&self, i: u64) -> f32 {
        // <lab
        let mut state = u64::from(self.seed);
        let mut power = MULTIPLIER;
        let mut exponent = i + 1;
        while exponent > 0 {
            if exponent % 2 == 1 {
                state = state * power % MODULUS;
            }
            power = power * power % MODULUS;
            exponent /= 2;
        }
        let u = (state - 1) as f64 / (MODULUS - 1) as f64;
        let (a, b) = (f64::from(self.a), f64::from(self.b));
        (a + (b - a) * u) as f32
        //~ let _ = (i, self.seed, self.a, self.b);
        //~ 0.0
        // lab>
    }
}

/// 1 in the unit ball, its surface included, else 0.
pub fn f_ball([x, y, z]: [f32; 3]) -> f32 {
    // <lab
    if x * x + y * y + z * z <= 1.0 { 1.0 } else { 0.0 }
    //~ let _ = (x, y, z);
    //~ f32::NAN
    // lab>
}

/// The coordinates `x`, `y` and `z` of `n` points: elements `0..n`, `n..2n` and `2n..3n` of one
/// sequence, by all cores.
pub fn generate(n: usize, sequence: &RandUni) -> [Vec<f32>; 3] {
    // <lab
    [0, 1, 2].map(|axis| {
        let first = axis * n as u64;
        (0..n as u64).into_par_iter().map(|i| sequence.at(first + i)).collect()
    })
    //~ let _ = (n, sequence);
    //~ Default::default()
    // lab>
}

/// `v` times the mean of `f` over the points, by all cores; `v` is the volume of the box. The sum
/// is taken in `f64`.
///
/// # Errors
/// Coordinates of different lengths, no points.
pub fn integrate(
    x: &[f32],
    y: &[f32],
    z: &[f32],
    f: fn([f32; 3]) -> f32,
    v: f64,
) -> Result<f64, LabError> {
    check_len("y", y.len(), x.len())?;
    check_len("z", z.len(), x.len())?;
    // <lab
    if x.is_empty() {
        return Err(LabError::refused("no points: n must be at least 1"));
    }
    let points = x.par_iter().zip(y).zip(z);
    let sum: f64 = points.map(|((x, y), z)| f64::from(f([*x, *y, *z]))).sum();
    Ok(v * sum / x.len() as f64)
    //~ let _ = (f, v);
    //~ Err(LabError::msg("integrate is not written yet"))
    // lab>
}

/// An estimate of pi from `n` points of `[-1, 1]^3`: three quarters of the ball's volume.
///
/// # Errors
/// A seed that the generator does not take, no points.
pub fn pi(n: usize, seed: u32) -> Result<f64, LabError> {
    // <lab
    let [x, y, z] = generate(n, &RandUni::new(seed, -1.0, 1.0)?);
    Ok(0.75 * integrate(&x, &y, &z, f_ball, 8.0)?)
    //~ let _ = (n, seed);
    //~ Err(LabError::msg("pi is not written yet"))
    // lab>
}
