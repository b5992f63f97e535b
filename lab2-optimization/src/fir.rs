//! What all FIR programs of the lab share: the data of a run, its operations, and the line that reports it.

use rayon::prelude::*;

/// Outputs that [`filter64`] computes side by side.
const TILE: usize = 32;

/// A test problem: a filter, a stereo signal, and what the filter must make of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FirData {
    /// Coefficients `h[0..=n]` of a filter of order `n`.
    pub coeff: Vec<f32>,
    /// Samples per channel.
    pub len: usize,
    /// Input, `2 * len` samples: the whole left channel, then the whole right one.
    pub yin: Vec<f32>,
    /// Filtered input in the same order, computed in `f64`.
    pub yref: Vec<f32>,
}

impl FirData {
    /// Order of the filter: coefficients less one.
    pub fn n(&self) -> usize {
        self.coeff.len().saturating_sub(1)
    }

    /// Operations of one run over both channels: see [`flop`].
    pub fn flop(&self) -> f64 {
        flop(self.n(), self.len)
    }
}

/// Operations of a filter of order `n` over two channels of `len` samples: a product and an addition per coefficient. In `f64`,
/// because `2 * (n + 1) * 2 * len` leaves `i32` after 12 s of music.
pub fn flop(n: usize, len: usize) -> f64 {
    2.0 * (n as f64 + 1.0) * 2.0 * len as f64
}

/// `CPU (total!) time = 12.345 ms ( 6.789 GFLOP/s)`
pub fn cpu_line(ms: f64, flop: f64) -> String {
    format!("CPU (total!) time = {ms:.3} ms ({:6.3} GFLOP/s)", gflops(ms, flop))
}

/// Operations per second in 10^9, of `flop` operations in `ms` milliseconds.
pub fn gflops(ms: f64, flop: f64) -> f64 {
    flop / (1e6 * ms)
}

/// The filter in `f64` on one channel, on all cores: the reference. `y[i] = sum over k of x[i-k] h[k]`, added in the order of k.
pub fn filter64(x: &[f64], h: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    y.par_chunks_mut(TILE).enumerate().for_each(|(tile, y)| {
        let first = tile * TILE;
        // Products with the samples that all outputs of the tile have; then those that only later outputs have.
        let whole = if y.len() == TILE { h.len().min(first + 1) } else { 0 };
        let mut sum = [0.0; TILE];
        for (k, h) in h[..whole].iter().enumerate() {
            for (sum, x) in sum.iter_mut().zip(&x[first - k..][..TILE]) {
                *sum += x * h;
            }
        }
        for (j, y) in y.iter_mut().enumerate() {
            let last = h.len().min(first + j + 1);
            *y = (whole..last).fold(sum[j], |sum, k| sum + x[first + j - k] * h[k]);
        }
    });
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_the_sum_of_its_definition() {
        for (len, n) in [(0, 3), (1, 0), (1, 5), (31, 7), (32, 40), (100, 31), (333, 64)] {
            let x: Vec<f64> = (0..len).map(|i| f64::from(i * 37 % 23) - 11.0).collect();
            let h: Vec<f64> = (0..=n).map(|k| f64::from(k * 29 % 17) - 8.0).collect();
            let past = |i: usize| x[..=i].iter().rev().zip(&h).map(|(x, h)| x * h);
            let want: Vec<f64> = (0..x.len()).map(|i| past(i).sum()).collect();
            assert_eq!(filter64(&x, &h), want, "len {len}, order {n}");
        }
    }

    #[test]
    fn five_minutes_of_music_do_not_overflow() {
        let len = 300 * 44_100;
        assert_eq!(flop(1024, len), 4.0 * 1025.0 * len as f64);
        assert_eq!(cpu_line(1000.0, 2e9), "CPU (total!) time = 1000.000 ms ( 2.000 GFLOP/s)");
    }
}
