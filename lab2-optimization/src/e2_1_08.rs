//! Exercise 2.1.8: coefficients in constant memory. The kernel is `kernels/fir3.cu`; exercise 2.1.9
//! uses this host code, too.

use cust::module::Module;
use cust::prelude::*;
use lab2_optimization::e2_1_07::{download, map, upload};
use lab2_optimization::measure::{check, measured};
use lab2_optimization::timing::Timing;
use labkit::{During, KernelFile, Lab, LabError, kernel_file};

/// Highest order for which the kernels have room: `fir_coeff` holds `N + 1` coefficients.
pub const N: usize = 1024;

/// Copies the coefficients to `fir_coeff`, and zeros behind them.
///
/// # Errors
/// More than `N + 1` coefficients; whatever the driver refuses.
pub fn copy_coefficients(module: &Module, coeff: &[f32]) -> Result<(), LabError> {
    // <lab
    // `module.get_global::<[f32; N + 1]>(c"fir_coeff")?` finds the variable, its
    // `copy_from(&table)` fills it: the whole of it.
    let _ = (module, coeff);
    Err(LabError::msg("copy_coefficients: refuse n > N, find fir_coeff, copy"))
    // lab>
}

/// As in exercise 2.1.7, with the coefficients in constant memory.
///
/// # Errors
/// An order above [`N`], lengths that do not fit, a `k` that is not a multiple of 32 up to 1024,
/// whatever the driver refuses.
pub fn audiofir(
    lab: &Lab,
    k: u32,
    yout: &mut [f32],
    yin: &[f32],
    coeff: &[f32],
    n: usize,
    len: usize,
) -> Result<Timing, LabError> {
    check(k, yout, yin, coeff, n, len)?;
    run(lab, kernel_file!("fir3.cu"), k, yout, yin, coeff)
}

/// The same with another kernel file, compiled for blocks of `k` threads (macro `K`). The arguments
/// have been checked.
///
/// # Errors
/// As [`audiofir`].
pub fn run(
    lab: &Lab,
    file: KernelFile,
    k: u32,
    yout: &mut [f32],
    yin: &[f32],
    coeff: &[f32],
) -> Result<Timing, LabError> {
    let (n, len) = (coeff.len() - 1, yin.len() / 2);
    let module = lab.module(file, &[&format!("-DK={k}")])?;
    let kernel = module.get_function("audiofir_kernel").during("get_function(audiofir_kernel)")?;
    let stream = lab.stream();
    copy_coefficients(&module, coeff)?;
    if len == 0 {
        return Ok(Timing { kernel_ms: 0.0 });
    }
    let map = map(n, len, k as usize);
    let input = upload(&map, yin)?;
    // SAFETY: the launches write every output.
    let output = unsafe { DeviceBuffer::<f32>::uninitialized(map.output)? };
    // <lab
    // As in exercise 2.1.7; the kernel takes no pointer to the coefficients any more.
    let _ = (&kernel, stream, &input);
    let timing = measured(lab, || Err(LabError::msg("run: the launches are missing")))?;
    // lab>
    download(&map, &output, yout)?;
    Ok(timing)
}
