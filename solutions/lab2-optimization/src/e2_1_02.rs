//! Exercise 2.1.2: the filter on the CPU, the files that all versions read and write, and an honest
//! error measure.
//!
//! `y[i] = sum over k = 0..=n of x[i-k] h[k]`, with `x` zero before its first sample. A signal has
//! two channels of `len` samples, stored one after the other: `[left | right]`.

use std::path::Path;

use lab2_optimization::fir::FirData;
use labkit::LabError;
use labkit::input::{Input, product};

/// One output of one channel: the work of one thread, later.
///
/// # Arguments
/// * `i` - index of the output
/// * `yout` - the channel's output; only element `i` is written
/// * `yin` - the channel's input
/// * `coeff` - `n + 1` coefficients
pub fn audiofir_kernel(i: usize, yout: &mut [f32], yin: &[f32], coeff: &[f32]) {
    // <lab
    let mut acc = 0.0;
    for k in 0..coeff.len() {
        if i >= k {
            acc += yin[i - k] * coeff[k];
        }
    }
    yout[i] = acc;
    //~ let _ = (i, yout, yin, coeff);
    // lab>
}

/// Filters both channels, `len` samples each, output by output with [`audiofir_kernel`].
///
/// # Arguments
/// * `yout` - `2 * len` outputs
/// * `yin` - `2 * len` samples
/// * `coeff` - `n + 1` coefficients
pub fn audiofir(yout: &mut [f32], yin: &[f32], coeff: &[f32], len: usize) {
    // <lab
    for start in [0, len] {
        let channel = start..start + len;
        for i in 0..len {
            audiofir_kernel(i, &mut yout[channel.clone()], &yin[channel.clone()], coeff);
        }
    }
    //~ let _ = (yout, yin, coeff, len);
    // lab>
}

/// Reads `audiofir_in.dat`, little-endian: `i32 n`, `i32 len`, then `f32`s: `n + 1` coefficients,
/// `2 len` inputs, `2 len` references.
///
/// # Errors
/// Names the file and the field for a missing, empty, truncated or too long file and for negative
/// counts. [`Input`] does that; [`product`] multiplies with care.
pub fn read_in(path: &Path) -> Result<FirData, LabError> {
    // <lab
    let mut file = Input::open(path)?;
    let n = file.count("n")?;
    let len = file.count("len")?;
    let samples = product(&file, "yin", 2, len)?;
    let data = FirData {
        coeff: file.f32s(n + 1, "coeff")?,
        len,
        yin: file.f32s(samples, "yin")?,
        yref: file.f32s(samples, "yref")?,
    };
    file.finish()?;
    Ok(data)
    //~ let _ = (Input::open(path)?, product);
    //~ Err(LabError::msg("read_in is not written yet"))
    // lab>
}

/// Writes `audiofir_out.dat`: the `f32`s of `yout`, little-endian, nothing else.
///
/// # Errors
/// What the system refuses, with the file's name.
pub fn write_out(path: &Path, yout: &[f32]) -> Result<(), LabError> {
    // <lab
    write(path, &le_bytes(yout))
    //~ let _ = (path, yout);
    //~ Err(LabError::msg("write_out is not written yet"))
    // lab>
}

/// Greatest `|yout[i] - yref[i]|`, computed in `f64`; 0 for empty slices. If any difference is NaN,
/// so is the result.
pub fn max_abs_err(yout: &[f32], yref: &[f32]) -> f64 {
    // <lab
    let mut worst = 0.0;
    for (a, b) in yout.iter().zip(yref) {
        let d = (f64::from(*a) - f64::from(*b)).abs();
        // The other way round, `d > worst`, NaN would be skipped; and once worst is NaN, it must
        // stay.
        if !(d <= worst || f64::is_nan(worst)) {
            worst = d;
        }
    }
    worst
    //~ let _ = (yout, yref);
    //~ 0.0
    // lab>
}

/// Writes the test problem whose result one sees at a glance, as an `audiofir_in.dat`:
/// `h = 1, 10, 100, 1000`; left `1, 2, ..., 9`, right `-1, -2, ..., -9`; reference left
/// `1, 12, 123, 1234, 2345, ..., 6789`, right the same negative.
///
/// # Errors
/// What the system refuses, with the file's name.
pub fn write_testfir(path: &Path) -> Result<(), LabError> {
    // <lab
    let yref = [1.0, 12.0, 123.0, 1234.0, 2345.0, 3456.0, 4567.0, 5678.0, 6789.0];
    let mut bytes = [3i32, 9].map(i32::to_le_bytes).concat();
    bytes.extend(le_bytes(&[1.0, 10.0, 100.0, 1000.0]));
    for sign in [1.0, -1.0] {
        bytes.extend((1..=9u8).flat_map(|v| (sign * f32::from(v)).to_le_bytes()));
    }
    for sign in [1.0, -1.0] {
        bytes.extend(le_bytes(&yref.map(|v| sign * v)));
    }
    write(path, &bytes)
    //~ let _ = path;
    //~ Err(LabError::msg("write_testfir is not written yet"))
    // lab>
}

/// The values as little-endian bytes.
pub fn le_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Writes a whole file; the error names it.
///
/// # Errors
/// What the system refuses.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), LabError> {
    std::fs::write(path, bytes).map_err(|e| LabError::msg(format!("{}: {e}", path.display())))
}
