//! Exercise 2.1.10: the order of the filter is known to the compiler. The kernel is
//! `kernels/fir5.cu`.

use cust::prelude::*;
use lab2_optimization::e2_1_07::{download, map, upload};
use lab2_optimization::e2_1_08::{N, copy_coefficients};
use lab2_optimization::measure::{check, measured};
use lab2_optimization::timing::Timing;
use labkit::{During, Lab, LabError, kernel_file};

/// As in exercise 2.1.9, with the kernel that is built for order [`N`] and takes no `n`.
///
/// # Errors
/// Another order than [`N`], lengths that do not fit, a `k` that is not a multiple of 32 up to
/// 1024, whatever the driver refuses.
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
    // <lab
    if n != N {
        return Err(LabError::refused(format!("this kernel is built for order {N}, file has {n}")));
    }
    //~ // What if n is not N?
    //~ let _ = N;
    // lab>
    if len == 0 {
        return Ok(Timing { kernel_ms: 0.0 });
    }
    let module = lab.module(kernel_file!("fir5.cu"), &[&format!("-DK={k}")])?;
    let kernel = module.get_function("audiofir_kernel").during("get_function(audiofir_kernel)")?;
    let stream = lab.stream();
    copy_coefficients(&module, coeff)?;
    let map = map(n, len, k as usize);
    let input = upload(&map, yin)?;
    // SAFETY: the launches write every output.
    let output = unsafe { DeviceBuffer::<f32>::uninitialized(map.output)? };
    let grid = (map.l1 / k as usize) as u32;
    let timing = measured(lab, || {
        for (to, from) in [(0, map.left), (map.out_right, map.right)] {
            let (out, samples) = (output.index(to..), input.index(from..));
            // SAFETY: the arguments match the kernel's parameters; N zeros lie before the samples,
            // and l1 - len behind them.
            unsafe {
                launch!(kernel<<<grid, k, 0, stream>>>(
                    out.as_device_ptr(),
                    samples.as_device_ptr()
                ))
            }
            .during("launch of audiofir_kernel")?;
        }
        Ok(())
    })?;
    download(&map, &output, yout)?;
    Ok(timing)
}
