//! EP by `kernels/nas_ep.cu`: one launch.

use std::time::Duration;

use cust::device::DeviceAttribute;
use cust::prelude::*;
use labkit::{During, Lab, LabError, kernel_file};
use npb::ep::EpResult;
use num_complex::Complex;

use super::timed;

/// Threads of a block, at most.
const BLOCK: u32 = 1024;
/// The kernel's `MORE`.
const MORE: f64 = 5.0 / 1048576.0;

/// 2^m pairs, `runs` times; the fastest time.
///
/// # Errors
/// Fewer than 2^12 pairs, which do not fill a warp, or more than 2^43, which the generator does
/// not have; whatever the driver refuses.
pub fn fast(lab: &Lab, m: u32, runs: usize) -> Result<(EpResult, Duration), LabError> {
    if !(12..=43).contains(&m) {
        return Err(LabError::refused(format!("2^{m} pairs: expected 2^12 to 2^43")));
    }
    // Short chunks, so that all threads have about as many; but at most 2^31 of them.
    let log_pairs = m.saturating_sub(23).clamp(4, 6).max(m.saturating_sub(31));
    let chunks = 1u32 << (m - log_pairs);
    let block = BLOCK.min(chunks);
    // A block for each multiprocessor, unless it would count more than 2^31 pairs.
    let processors = lab.device().get_attribute(DeviceAttribute::MultiprocessorCount)?;
    let blocks = (chunks / block).min((processors as u32).max(1 << m.saturating_sub(31)));
    let module = lab.module(kernel_file!("nas_ep.cu"), &[])?;
    let kernel = module.get_function("ep_fast").during("get_function(ep_fast)")?;
    let table = DeviceBuffer::from_slice(&table())?;
    // Ten counts and two sums by their bits: one copy there, one back.
    let mut found = DeviceBuffer::<u64>::zeroed(12)?;
    let stream = lab.stream();
    let mut best: Option<(EpResult, Duration)> = None;
    // The first run finds a card that sleeps.
    for run in 0..=runs {
        let (result, time) = timed(lab, || {
            found.copy_from(&[0; 12])?;
            // SAFETY: the arguments are the kernel's parameters: 10 counts, 2 sums, the table.
            unsafe {
                launch!(kernel<<<blocks, block, 0, stream>>>(
                    found.as_device_ptr(),
                    found.as_device_ptr().add(10),
                    table.as_device_ptr(),
                    log_pairs as i32,
                    chunks,
                    npb::random::A as u32
                ))
            }
            .during("launch of ep_fast")?;
            let mut bits = [0; 12];
            found.copy_to(&mut bits)?;
            let [q @ .., sx, sy] = bits;
            Ok(EpResult { q, sx: f64::from_bits(sx), sy: f64::from_bits(sy) })
        })?;
        let warm = run > 0 || labkit::backend() == labkit::Backend::Emulated;
        if warm && best.is_none_or(|(_, fastest)| time < fastest) {
            best = Some((result, time));
        }
        if labkit::backend() == labkit::Backend::Emulated {
            break;
        }
    }
    best.ok_or_else(|| LabError::refused("--runs: expected at least 1"))
}

/// `(1/c, -2 ln c + m)` for 128 parts of each power of two from `2^-15` on, where c lies in the
/// middle of its part, and m is the mean in it of what the kernel's polynomial for `-2 ln(1 + r)`
/// lacks, `r^4 / 2 - MORE r^2`. In the last part below 1, c is 1 and m is 0: the logarithm has no
/// absolute error there that is larger than itself. Beyond 1 there are no logarithms, but 1.
fn table() -> Vec<Complex<f64>> {
    let edge = |i: u64| f64::from_bits((0x3f00_0000 + (i << 13)) << 32);
    let entry = |i: u64| {
        let (low, high) = (edge(i), edge(i + 1));
        let c = if high == 1.0 { 1.0 } else { (low + high) / 2.0 };
        let inverse = 1.0 / c;
        // r is between -h and h; the means of r^2, r^4 are h^2/3, h^4/5.
        let h2 = ((high - low) / 2.0 * inverse).powi(2);
        let mean = if high == 1.0 { 0.0 } else { h2 * (h2 / 10.0 - MORE / 3.0) };
        let minus_2_ln = if low < 1.0 { 2.0 * inverse.ln() + mean } else { 1.0 };
        Complex::new(inverse, minus_2_ln)
    };
    (0..2048).map(entry).collect()
}
