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
    if len == 0 {
        return Ok(Timing { kernel_ms: 0.0 });
    }
    // 2. and 3. Buffers, and copies in.
    let dev_in = DeviceBuffer::from_slice(yin)?;
    let dev_coeff = DeviceBuffer::from_slice(coeff)?;
    // SAFETY: the two launches write all outputs before they are copied to the host.
    let dev_out = unsafe { DeviceBuffer::<f32>::uninitialized(2 * len)? };
    // 4. A launch for each channel, and 5. waiting for both.
    let grid = (len as u32).div_ceil(k);
    let timing = measured(lab, || {
        for first in [0, len] {
            let (out, input) = (dev_out.index(first..), dev_in.index(first..));
            // SAFETY: the arguments match the kernel's parameters; a channel has len samples from
            // `first` on.
            unsafe {
                launch!(kernel<<<grid, k, 0, stream>>>(
                    out.as_device_ptr(),
                    input.as_device_ptr(),
                    dev_coeff.as_device_ptr(),
                    n as i32,
                    len as i32
                ))
            }
            .during("launch of audiofir_kernel")?;
        }
        Ok(())
    })?;
    // 6. Copy out. 7. The buffers free themselves.
    dev_out.copy_to(yout).during("copy of yout to the host")?;
    Ok(timing)
    //~ // 2. Three buffers on the device.
    //~ // 3. Copies to the device.
    //~ // 4. Two launches inside `measured(lab, || { .. })`, the second one with both signals
    //~ //    shifted by len (`buffer.index(len..)`).
    //~ // 5. `measured` waits.
    //~ // 6. Copy yout to the host.
    //~ // 7. Buffers free themselves when they go out of scope.
    //~ let _ = (&kernel, stream, measured(lab, || Ok(()))?);
    //~ Err(LabError::msg("audiofir: steps 2 to 7 are missing"))
    // lab>
}

/// Rate in 10^9 operations per second: two channels of `len` outputs, `n + 1` multiplications and
/// additions each, in `ms` milliseconds.
pub fn gflops(n: usize, len: usize, ms: f64) -> f64 {
    // <lab
    let flop = 2.0 * (n as f64 + 1.0) * 2.0 * len as f64;
    flop / (1e6 * ms)
    //~ let _ = (n, len, ms);
    //~ f64::NAN
    // lab>
}
