//! Exercise 2.2.5: the size of the tile. One row per K of the symmetric version, each compiled for
//! its K.

use lab2_optimization::e2_2_01::{flop, matmultran};
use lab2_optimization::mmt::{Config, Variant};
use labkit::{Lab, LabError};

/// A measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Rows and columns of a tile.
    pub k: u32,
    /// Words added to a row of the tile of `A^T`.
    pub pad: u32,
    /// Rows of A.
    pub m: usize,
    /// Columns of A.
    pub n: usize,
    /// Kernel time in milliseconds; a prediction on the emulated device.
    pub ms: f32,
    /// Nominal rate, `2 m m n` operations in that time, in 10^9 per second.
    pub gflops: f64,
    /// Bytes of shared memory of a block: both tiles.
    pub shared: u32,
}

/// Measures [`Variant::Symmetric`] for each of `ks`, in this order, on the matrix `a` of `m x n`
/// values. All rows are measured on the same matrix, so that their times can be compared; `pad`
/// says how many words are added to a row for a K.
///
/// # Errors
/// A size that is not a multiple of every K; what [`matmultran`] returns.
pub fn sweep(
    lab: &Lab,
    ks: &[u32],
    pad: fn(u32) -> u32,
    a: &[f32],
    m: usize,
    n: usize,
) -> Result<Vec<Row>, LabError> {
    // <lab
    // For every K: run `matmultran` with a Config for this K and its padding, then push a Row.
    let _ = (lab, ks, pad, a, flop(m, n), Config::new(Variant::Symmetric, 16), matmultran);
    Err(LabError::msg("sweep: measure every K"))
    // lab>
}
