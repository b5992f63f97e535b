//! Exercise 2.1.5: the baseline, and a parallel competitor that gives the same bits.

use std::time::Duration;

use lab2_optimization::e2_1_02::max_abs_err;
use lab2_optimization::fir::{Chunk, FirData};
use labkit::LabError;
use rayon::prelude::*;

// <lab
/// Outputs of a chunk.
const CHUNK: usize = 4096;
/// Outputs that are summed side by side, in vector registers.
const TILE: usize = 64;

/// As [`chunk`]. Compiled for several kinds of processor; which one it is shows at run time.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn side_by_side(yout: &mut [f32], yin: &[f32], coeff: &[f32], first: usize) {
    for (t, yout) in yout.chunks_mut(TILE).enumerate() {
        let first = first + t * TILE;
        let mut acc = [0.0; TILE];
        // Products that all outputs of the tile have; each accumulator adds in the order of k, as
        // the plain loop does.
        let whole = if yout.len() == TILE { coeff.len().min(first + 1) } else { 0 };
        for (k, h) in coeff[..whole].iter().enumerate() {
            let x = &yin[first - k..][..TILE];
            for j in 0..TILE {
                acc[j] += x[j] * h;
            }
        }
        // Products that only the later outputs have: i >= k. In an incomplete tile, all products.
        for (j, y) in yout.iter_mut().enumerate() {
            let i = first + j;
            for k in whole..coeff.len().min(i + 1) {
                acc[j] += yin[i - k] * coeff[k];
            }
            *y = acc[j];
        }
    }
}
// lab>

/// Outputs `first..first + yout.len()` of a channel, whose samples are all in `yin`, on one core,
/// with the bits of the plain loop: each output's products are added in the order of k.
pub fn chunk(yout: &mut [f32], yin: &[f32], coeff: &[f32], first: usize) {
    // <lab
    side_by_side(yout, yin, coeff, first);
    //~ let _ = (yout, yin, coeff, first);
    // lab>
}

/// As `e2_1_02::audiofir`, on all cores, in chunks of some thousand outputs, each by a call of
/// `chunk`: yours from above; the check counts the threads that call it.
pub fn audiofir_par(yout: &mut [f32], yin: &[f32], coeff: &[f32], len: usize, chunk: &Chunk<'_>) {
    // <lab
    for start in [0, len] {
        let (yout, yin) = (&mut yout[start..start + len], &yin[start..start + len]);
        let chunks = yout.par_chunks_mut(CHUNK).enumerate();
        chunks.for_each(|(c, yout)| chunk(yout, yin, coeff, c * CHUNK));
    }
    //~ let _ = (yin, coeff, len, chunk);
    //~ yout.par_iter_mut().for_each(|_| ());
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
    let data = read()?;
    let mut yout = vec![0.0; data.yin.len()];
    let mut best: Option<Duration> = None;
    for _ in 0..runs {
        let start = now();
        filter(&mut yout, &data);
        let took = now() - start;
        best = Some(best.map_or(took, |best| best.min(took)));
    }
    let best = best.ok_or_else(|| LabError::refused("runs = 0: nothing to measure"))?;
    Ok(Measured { best, err: max_abs_err(&yout, &data.yref) })
    //~ let _ = (runs, now, read, filter, max_abs_err);
    //~ Err(LabError::msg("measure is not written yet"))
    // lab>
}
