//! What all versions of `C = A A^T` share: their kernel files, the tile they are built for, and the
//! data of a run.
//!
//! `A` is `m x n`, `C` is `m x m`, both stored by rows.

use std::path::Path;

use labkit::{KernelFile, LabError, kernel_file};

/// A version of the kernel, each in a file of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// `mmt1.cu`: the listing.
    Start,
    /// `mmt2.cu`: coalesced loads.
    Coalesced,
    /// `mmt3.cu`: padded tile.
    Padded,
    /// `mmt4.cu`: only the lower triangle is computed.
    Symmetric,
}

impl Variant {
    /// In the order in which they are written.
    pub const ALL: [Variant; 4] =
        [Variant::Start, Variant::Coalesced, Variant::Padded, Variant::Symmetric];

    /// Version 1, 2, 3 or 4.
    pub fn new(number: usize) -> Option<Variant> {
        Variant::ALL.get(number.checked_sub(1)?).copied()
    }

    /// Its number, as in the name of its file.
    pub fn number(self) -> usize {
        Variant::ALL.iter().position(|v| *v == self).unwrap_or_default() + 1
    }

    /// Its kernel file.
    pub fn file(self) -> KernelFile {
        match self {
            Variant::Start => kernel_file!("mmt1.cu"),
            Variant::Coalesced => kernel_file!("mmt2.cu"),
            Variant::Padded => kernel_file!("mmt3.cu"),
            Variant::Symmetric => kernel_file!("mmt4.cu"),
        }
    }
}

/// What a kernel is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// The kernel file.
    pub variant: Variant,
    /// Rows and columns of a tile.
    pub k: u32,
    /// Words added to a row of the tile of `A^T`; `None` leaves it to the kernel file. The first
    /// two versions have none.
    pub pad: Option<u32>,
}

impl Config {
    /// `variant` with its own padding and tiles of `k x k`.
    pub fn new(variant: Variant, k: u32) -> Config {
        Config { variant, k, pad: None }
    }

    /// Options of the compiler: `-DK=16`, `-DPAD=2`.
    pub fn options(&self) -> Vec<String> {
        let pad = self.pad.map(|pad| format!("-DPAD={pad}"));
        [format!("-DK={}", self.k)].into_iter().chain(pad).collect()
    }
}

/// Blocks of the grid and threads of a block, both as (x, y).
pub type LaunchShape = ((u32, u32), (u32, u32));

/// The content of `matmultran.dat`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dat {
    /// Rows of A.
    pub m: usize,
    /// Columns of A.
    pub n: usize,
    /// A, `m * n` values by rows.
    pub a: Vec<f32>,
    /// `A A^T`, `m * m` values by rows, computed in `f64`.
    pub c: Vec<f32>,
}

/// Writes `matmultran.dat`: m and n as `i32`, then A and C as `f32`, all little-endian.
///
/// # Errors
/// Sizes that do not fit the data or an `i32`; what the system refuses.
pub fn write_dat(path: &Path, dat: &Dat) -> Result<(), LabError> {
    labkit::check_len("A", dat.a.len(), dat.m * dat.n)?;
    labkit::check_len("C", dat.c.len(), dat.m * dat.m)?;
    let mut bytes = Vec::with_capacity(8 + 4 * (dat.a.len() + dat.c.len()));
    for (name, size) in [("m", dat.m), ("n", dat.n)] {
        let size = i32::try_from(size)
            .map_err(|_| LabError::msg(format!("{name} = {size} does not fit the file")))?;
        bytes.extend(size.to_le_bytes());
    }
    for value in dat.a.iter().chain(&dat.c) {
        bytes.extend(value.to_le_bytes());
    }
    std::fs::write(path, bytes).map_err(|e| LabError::msg(format!("{}: {e}", path.display())))
}

/// Largest `|c[i] - reference[i]|`; NaN if one of the differences is. The slices have equal
/// lengths.
pub fn max_abs_err(c: &[f32], reference: &[f32]) -> f64 {
    let errors = c.iter().zip(reference).map(|(c, r)| (f64::from(*c) - f64::from(*r)).abs());
    errors.fold(
        0.0,
        |worst: f64, e| if e.is_nan() || worst.is_nan() { f64::NAN } else { worst.max(e) },
    )
}
