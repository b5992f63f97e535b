//! Exercise 3.3.3: EP on the device in the design of the paper. The kernel is `kernels/ep.cu`;
//! exercise 3.3.4 uses this host code, too.

use cust::prelude::*;
use lab3_libraries::ep::{EpResult, Version};
use labkit::{During, Lab, LabError};

/// 2^m pairs: one thread for each batch of 2^mk, blocks of `block` threads. Returns the result and
/// the milliseconds between events around the launch.
///
/// # Errors
/// A batch larger than the whole, more threads than an `int` counts, a block that is not 2 to 1024
/// threads; whatever the driver refuses.
pub fn ep_gpu(
    lab: &Lab,
    version: Version,
    m: u32,
    mk: u32,
    block: u32,
) -> Result<(EpResult, f32), LabError> {
    if m < mk || m - mk > 30 || mk > 30 {
        return Err(LabError::refused(format!(
            "2^{m} pairs in batches of 2^{mk}: expected 1 to 2^30 batches of up to 2^30 pairs"
        )));
    }
    if !(2..=1024).contains(&block) {
        return Err(LabError::refused(format!("block: expected 2 to 1024 threads, found {block}")));
    }
    let (nn, nk) = (1i32 << (m - mk), 1i32 << mk);
    let module = lab.module(version.file(), &[])?;
    let kernel = module.get_function(version.kernel()).during("get_function")?;
    let stream = lab.stream();
    let (start, stop) = (Event::new(EventFlags::DEFAULT)?, Event::new(EventFlags::DEFAULT)?);
    // <lab
    // Buffers for the 10 counts and the 2 sums, which must be cleared; the grid; the shared
    // memory; event, launch, event.
    let nq = DeviceBuffer::<u64>::zeroed(10)?;
    let sums = DeviceBuffer::<f64>::zeroed(2)?;
    let _ = (&kernel, stream, nn, nk, &start);
    if nn > 0 {
        return Err(LabError::msg("ep_gpu: the launch is missing"));
    }
    // lab>
    stop.synchronize()?;
    let mut result = EpResult::default();
    nq.copy_to(&mut result.q)?;
    let mut xy = [0.0; 2];
    sums.copy_to(&mut xy)?;
    [result.sx, result.sy] = xy;
    Ok((result, stop.elapsed_time_f32(&start)?))
}
