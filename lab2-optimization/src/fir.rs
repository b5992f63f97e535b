//! What all FIR programs of the lab share: the data of a run, its operations, and the line that
//! reports it.

pub use sound::filter64;

/// Outputs of a channel from one of them on: `(yout, yin, coeff, first)`; see exercise 2.1.5.
pub type Chunk<'a> = dyn Fn(&mut [f32], &[f32], &[f32], usize) + Sync + 'a;

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

/// Operations of a filter of order `n` over two channels of `len` samples: a product and an
/// addition per coefficient. In `f64`, because `2 * (n + 1) * 2 * len` leaves `i32` after 12 s of
/// music.
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
