//! Exercise 2.1.5: the baseline, and a parallel competitor that gives the same bits.

use std::time::Duration;

use lab2_optimization::e2_1_02::max_abs_err;
use lab2_optimization::fir::{Chunk, FirData};
use labkit::LabError;
use rayon::prelude::*;

// <lab
// lab>

/// Outputs `first..first + yout.len()` of a channel, whose samples are all in `yin`, on one core,
/// with the bits of the plain loop: each output's products are added in the order of k.
pub fn chunk(yout: &mut [f32], yin: &[f32], coeff: &[f32], first: usize) {
    // <lab
    let _ = (yout, yin, coeff, first);
    // lab>
}

/// As `e2_1_02::audiofir`, on all cores, in chunks of some thousand outputs, each by a call of
/// `chunk`: yours from above; the check counts the threads that call it.
pub fn audiofir_par(yout: &mut [f32], yin: &[f32], coeff: &[f32], len: usize, chunk: &Chunk<'_>) {
    // <lab
    let _ = (yin, coeff, len, chunk);
    yout.par_iter_mut().for_each(|_| ());
    // lab>
}

/// What a filter achieved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Time of the fastest run of the filter.
    pub best: Duration,
    /// Greatest error against the reference.
    pub err: f64,
}

/// Reads the data once, runs the filter `runs` times, and reports the time of the fastest run and
/// the error of the last one.
///
/// # Arguments
/// * `runs` - 1 or more
/// * `now` - reads a clock
/// * `read` - reads the data
/// * `filter` - filters the data into its first argument, `2 * len` outputs
///
/// # Errors
/// Those of `read`; `runs = 0`.
pub fn measure(
    runs: usize,
    now: &mut dyn FnMut() -> Duration,
    read: &mut dyn FnMut() -> Result<FirData, LabError>,
    filter: &mut dyn FnMut(&mut [f32], &FirData),
) -> Result<Measured, LabError> {
    // <lab
    let _ = (runs, now, read, filter, max_abs_err);
    Err(LabError::msg("measure is not written yet"))
    // lab>
}
