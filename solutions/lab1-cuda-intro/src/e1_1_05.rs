//! Exercise 1.1.5: gross time, what a clock around the whole call shows.

use std::time::Duration;

use cust::prelude::*;
use lab1_cuda_intro::clock;
use labkit::*;

/// The shortest of `runs` calls of `f`, by [`clock::now`].
///
/// # Errors
/// `runs` = 0; the first error of `f`, which ends the measurement.
pub fn best_of<F: FnMut() -> Result<(), LabError>>(
    runs: usize,
    mut f: F,
) -> Result<Duration, LabError> {
    // <lab
    let mut best: Option<Duration> = None;
    for _ in 0..runs {
        let start = clock::now();
        f()?;
        let elapsed = clock::now() - start;
        best = Some(best.map_or(elapsed, |b| b.min(elapsed)));
    }
    best.ok_or_else(|| LabError::msg("runs: expected at least 1, found 0"))
    //~ // Call f exactly `runs` times, with the clock read before and after each call.
    //~ let _ = (runs, &mut f, clock::now);
    //~ Err(LabError::msg("best_of in src/e1_1_05.rs is still empty"))
    // lab>
}

/// Gross time of `c = a + b` for `n` elements: allocation, copies, launch and release, the best of
/// `runs`.
///
/// # Errors
/// Whatever the driver refuses.
pub fn gross_time(lab: &Lab, n: usize, runs: usize) -> Result<Duration, LabError> {
    let a: Vec<i32> = (0..n as i32).collect();
    let b = a.clone();
    let mut c = vec![0; n];
    let module = lab.module(kernel_file!("add.cu"), &["-DELEM=int"])?;
    let add_kernel = module.get_function("add_kernel").during("get_function(add_kernel)")?;
    let stream: &Stream = lab.stream();
    let (grid, size) = ((n as u32).div_ceil(256), n as i32);

    // <lab
    best_of(runs, || {
        let dev_a = DeviceBuffer::from_slice(&a)?;
        let dev_b = DeviceBuffer::from_slice(&b)?;
        // SAFETY: the kernel writes every element before anything reads it.
        let dev_c = unsafe { DeviceBuffer::uninitialized(n)? };
        let (to, from_a, from_b) =
            (dev_c.as_device_ptr(), dev_a.as_device_ptr(), dev_b.as_device_ptr());
        // SAFETY: the kernel takes three pointers to `size` elements each, and an int.
        unsafe { launch!(add_kernel<<<grid, 256, 0, stream>>>(to, from_a, from_b, size)) }
            .during("launch of add_kernel")?;
        dev_c.copy_to(&mut c).during("copy of c to the host")
    })
    //~ // Time all that the addition needs, with best_of: allocate, copy in, launch, copy out.
    //~ let _ = (runs, &a, &b, &mut c, &add_kernel, stream, grid, size);
    //~ Err(LabError::msg("gross_time in src/e1_1_05.rs is still empty"))
    // lab>
}
