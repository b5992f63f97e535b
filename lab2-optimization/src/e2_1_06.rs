//! Exercise 2.1.6: the filter on the GPU, the naive way. The kernel is `kernels/fir1.cu`.

#[allow(unused_imports)] // until the steps below are written
use cust::prelude::*;
use lab2_optimization::measure::{check, measured};
use lab2_optimization::timing::Timing;
use labkit::{During, Lab, LabError, kernel_file};

/// Filters two channels with blocks of `k` threads, one thread per output, a launch for each
/// channel.
///
/// `yin` and `yout` hold `2 * len` samples, left then right, on the host and on the device; `coeff`
/// holds `n + 1` coefficients. The time is that of both launches. Launches nothing for `len = 0`.
///
/// # Errors
/// Lengths that do not fit, a `k` that is not a multiple of 32 up to 1024, whatever the driver
/// refuses.
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
    // 1. The device is `lab`, its program the kernel file.
    let module = lab.module(kernel_file!("fir1.cu"), &[])?;
    let kernel = module.get_function("audiofir_kernel").during("get_function(audiofir_kernel)")?;
    let stream = lab.stream();
    // <lab
    // 2. Three buffers on the device.
    // 3. Copies to the device.
    // 4. Two launches inside `measured(lab, || { .. })`, the second one with both signals
    //    shifted by len (`buffer.index(len..)`).
    // 5. `measured` waits.
    // 6. Copy yout to the host.
    // 7. Buffers free themselves when they go out of scope.
    let _ = (&kernel, stream, measured(lab, || Ok(()))?);
    Err(LabError::msg("audiofir: steps 2 to 7 are missing"))
    // lab>
}

/// Rate in 10^9 operations per second: two channels of `len` outputs, `n + 1` multiplications and
/// additions each, in `ms` milliseconds.
pub fn gflops(n: usize, len: usize, ms: f64) -> f64 {
    // <lab
    let _ = (n, len, ms);
    f64::NAN
    // lab>
}
