//! Exercise 2.2.1: the product of a matrix and its transpose, `C = A A^T`, on the GPU. Kernels:
//! `kernels/mmt1.cu` to `mmt4.cu`.

use std::path::Path;

use cust::prelude::*;
use lab2_optimization::mmt::{Config, Dat, LaunchShape};
use lab2_optimization::timing::Timing;
use labkit::input::{Input, product};
use labkit::{During, Lab, LabError, check_len};

/// Reads `matmultran.dat`: i32 m, i32 n, f32 A[m*n], f32 C[m*m], and nothing else.
///
/// # Errors
/// A file that is missing, empty, too short or too long, or a negative size: one line with the file
/// and the numbers.
pub fn read_dat(path: &Path) -> Result<Dat, LabError> {
    let mut input = Input::open(path)?;
    // <lab
    // `input.count("m")?` reads a size, `product(&input, "A", m, n)?` multiplies two of them,
    // `input.f32s(count, "A")?` reads values, `input.finish()?` refuses what is left.
    let (m, n) = (input.count("m")?, product(&input, "A", 0, 0)?);
    Err(LabError::msg(format!("read_dat: read n, A and C ({m} rows, {n} values read)")))
    // lab>
}

/// Operations of `C = A A^T`: m * m sums of n products, a multiplication and an addition each.
pub fn flop(m: usize, n: usize) -> f64 {
    // <lab
    let _ = (m, n);
    f64::NAN
    // lab>
}

/// Blocks of the grid and threads of a block, both as (x, y), for tiles of `k x k`.
///
/// # Errors
/// A size that is not a multiple of k: `m = 100 is not a multiple of K = 16`.
pub fn shape(k: u32, m: usize, n: usize) -> Result<LaunchShape, LabError> {
    // <lab
    let _ = (k, m, n);
    Err(LabError::msg("shape: how many blocks, how many threads in each?"))
    // lab>
}

/// Computes `c = A A^T` with the kernel that `config` names. `a` holds `m * n` values by rows, `c`
/// gets `m * m`. Launches nothing for m = 0.
///
/// # Errors
/// Lengths that do not fit m and n, sizes that are no multiples of the tile, whatever the driver
/// refuses.
pub fn matmultran(
    lab: &Lab,
    config: &Config,
    c: &mut [f32],
    a: &[f32],
    m: usize,
    n: usize,
) -> Result<Timing, LabError> {
    check_len("a", a.len(), m * n)?;
    check_len("c", c.len(), m * m)?;
    let (grid, block) = shape(config.k, m, n)?;
    if m == 0 {
        return Ok(Timing { kernel_ms: 0.0 });
    }
    let options = config.options();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let module = lab.module(config.variant.file(), &options)?;
    let kernel =
        module.get_function("matmultran_kernel").during("get_function(matmultran_kernel)")?;
    let stream = lab.stream();
    let dev_a = DeviceBuffer::from_slice(a)?;
    // SAFETY: the kernel writes every element before it is copied to the host.
    let dev_c = unsafe { DeviceBuffer::<f32>::uninitialized(m * m)? };
    let (start, stop) = (Event::new(EventFlags::DEFAULT)?, Event::new(EventFlags::DEFAULT)?);
    // <lab
    // Record `start` on the stream, launch the kernel on `grid` and `block` with C, A, m and n,
    // record `stop` and wait for it, copy dev_c to c.
    let _ = (grid, block, &kernel, stream, &dev_a, &dev_c);
    if m > 0 {
        return Err(LabError::msg("matmultran: launch the kernel and copy C back"));
    }
    // lab>
    Ok(Timing { kernel_ms: stop.elapsed_time_f32(&start)? })
}
