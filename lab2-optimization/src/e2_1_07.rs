//! Exercise 2.1.7: zeros around the samples in place of tests in the kernel, `kernels/fir2.cu`.
//!
//! ```text
//! input : n zeros | left, len | zeros up to L1 | n zeros | right, len | zeros up to L1
//! output: left, L1 | right, L1
//! ```
//!
//! `L1` is `len` rounded up to whole blocks of K threads.

use cust::prelude::*;
use lab2_optimization::measure::{check, measured};
use lab2_optimization::timing::Timing;
use labkit::{During, Lab, LabError, kernel_file};

/// Where everything lies in the device's two buffers, in `f32`s from their starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Map {
    /// Samples of a channel.
    pub len: usize,
    /// Outputs that the threads of a channel compute.
    pub l1: usize,
    /// Size of the input buffer.
    pub input: usize,
    /// First sample of the left channel in the input.
    pub left: usize,
    /// First sample of the right channel in the input.
    pub right: usize,
    /// Size of the output buffer.
    pub output: usize,
    /// First output of the right channel; the left one begins at 0.
    pub out_right: usize,
}

/// The map for a filter of order `n`, `len` samples per channel, and blocks of `k` threads.
pub fn map(n: usize, len: usize, k: usize) -> Map {
    // <lab
    let _ = (n, k);
    Map { len, ..Map::default() }
    // lab>
}

/// The input buffer, with both channels of `yin` (`2 * len` samples) in their places and zeros
/// everywhere else.
///
/// # Errors
/// Whatever the driver refuses.
pub fn upload(map: &Map, yin: &[f32]) -> Result<DeviceBuffer<f32>, LabError> {
    // SAFETY: every element is written below.
    let input = unsafe { DeviceBuffer::<f32>::uninitialized(map.input)? };
    // <lab
    // `input.index(from..to).set_32(0)?` clears a part on the device,
    // `input.index(from..to).copy_from(part)?` copies to one.
    let _ = yin;
    // lab>
    Ok(input)
}

/// Copies the `len` outputs of each channel to `yout` (`2 * len`).
///
/// # Errors
/// Whatever the driver refuses.
pub fn download(map: &Map, output: &DeviceBuffer<f32>, yout: &mut [f32]) -> Result<(), LabError> {
    // <lab
    let _ = (map, output, yout);
    // lab>
    Ok(())
}

/// As [`audiofir`](lab2_optimization::e2_1_06::audiofir) of exercise 2.1.6, with padded buffers on
/// the device.
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
    if len == 0 {
        return Ok(Timing { kernel_ms: 0.0 });
    }
    let module = lab.module(kernel_file!("fir2.cu"), &[])?;
    let kernel = module.get_function("audiofir_kernel").during("get_function(audiofir_kernel)")?;
    let stream = lab.stream();
    let map = map(n, len, k as usize);
    let input = upload(&map, yin)?;
    let dev_coeff = DeviceBuffer::from_slice(coeff)?;
    // SAFETY: the launches write every output.
    let output = unsafe { DeviceBuffer::<f32>::uninitialized(map.output)? };
    // <lab
    // One launch per channel: the pointers are those of the map.
    let _ = (&kernel, stream, &dev_coeff, &input);
    let timing = measured(lab, || Err(LabError::msg("audiofir: the launches are missing")))?;
    // lab>
    download(&map, &output, yout)?;
    Ok(timing)
}
