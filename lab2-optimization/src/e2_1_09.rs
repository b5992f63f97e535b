//! Exercise 2.1.9: a tile of samples in shared memory. Only the kernel, `kernels/fir4.cu`, is
//! yours; the host code is that of exercise 2.1.8.

use lab2_optimization::e2_1_08::run;
use lab2_optimization::measure::check;
use lab2_optimization::timing::Timing;
use labkit::{Lab, LabError, kernel_file};

/// As in exercise 2.1.8, with the tiled kernel.
///
/// # Errors
/// An order above 1024, lengths that do not fit, a `k` that is not a multiple of 32 up to 1024,
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
    run(lab, kernel_file!("fir4.cu"), k, yout, yin, coeff)
}
