//! Exercise 2.1.4: a test problem with a known answer. Clean music is spoilt with noise and hum,
//! and a filter is designed that takes both out again.

use std::path::Path;

use lab2_optimization::audio::design::{Band, Design, equiripple};
use lab2_optimization::audio::{Frame, RATE, channel, sinc, white};
use lab2_optimization::e2_1_02::{le_bytes, write};
use lab2_optimization::fir::filter64;
use labkit::LabError;

/// A high-pass of order 128 that lets pass what is above 11 kHz: with `fc = 11000/44100` and the
/// Blackman-Harris window `w`, `h[k] = w[k] (d[k-64] - 2 fc sinc(2 fc (k-64)))` where `d[0] = 1`,
/// else 0, divided by the gain at the Nyquist frequency, `|sum h[k] (-1)^k|`.
/// `w[k] = 0.35875 - 0.48829 cos(2 pi k/128) + 0.14128 cos(4 pi k/128) - 0.01168 cos(6 pi k/128)`.
pub fn highpass128() -> [f64; 129] {
    // <lab
    let _ = sinc;
    [0.0; 129]
    // lab>
}

/// The music with noise and hum: to each channel is added white noise ([`white`], another stream of
/// the seed for each channel) through [`highpass128`] by `filter64(x, h)`, and to both the same hum
/// of 50 Hz, `sin(2 pi 50 k / 44100)` at sample k.
pub fn spoil(y: &[Frame], seed: u64) -> Vec<Frame> {
    // <lab
    let _ = (seed, white);
    y.to_vec()
    // lab>
}

/// The filter of order 1024 that takes noise and hum out, by [`equiripple`]: it stops the hum, lets
/// the music pass and stops the noise.
///
/// * `Printed`: 0 to 70, 90 to 9900, 10100 to 22050 Hz with the weights 10.1606, 1, 10000
/// * `Hifi`: 0 to 52, 150 to 9900, 10100 to 22050 Hz with the weights 10, 1, 10
///
/// # Errors
/// Those of [`equiripple`].
pub fn design(kind: Design) -> Result<Vec<f64>, LabError> {
    // <lab
    let _ = kind;
    let bands: [Band; 0] = [];
    equiripple(0, &bands, f64::from(RATE))
    // lab>
}

/// Writes an `audiofir_in.dat` (see `e2_1_02::read_in`): coefficients and inputs rounded to `f32`,
/// and as reference the filtered input, computed with the unrounded values in `f64` ([`filter64`])
/// and rounded at the end.
///
/// # Errors
/// What the system refuses, with the file's name; more samples than `i32` counts.
pub fn make_in(path: &Path, coeff: &[f64], yin: &[Frame]) -> Result<(), LabError> {
    // <lab
    let _ = (path, coeff, channel(yin, 0), filter64, le_bytes, write);
    Err(LabError::msg("make_in is not written yet"))
    // lab>
}

/// Samples for a WAV file: scaled so that the greatest absolute value of both channels becomes
/// 32767, and rounded. Silence stays silent.
pub fn soundsc(y: &[Frame]) -> Vec<[i16; 2]> {
    // <lab
    y.iter().map(|_| [0, 0]).collect()
    // lab>
}
