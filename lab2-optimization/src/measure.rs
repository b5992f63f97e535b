//! What the FIR programs share on the device: an event pair around launches, and the checks of
//! their arguments.

use cust::prelude::*;
use lab2_optimization::timing::Timing;
use labkit::{Lab, LabError, check_len};

/// Time on the lab's stream between an event before `launches` and one after; waits for the second.
///
/// # Errors
/// What `launches` returns; whatever the driver refuses.
pub fn measured(
    lab: &Lab,
    launches: impl FnOnce() -> Result<(), LabError>,
) -> Result<Timing, LabError> {
    let stream = lab.stream();
    let (start, stop) = (Event::new(EventFlags::DEFAULT)?, Event::new(EventFlags::DEFAULT)?);
    start.record(stream)?;
    launches()?;
    stop.record(stream)?;
    stop.synchronize()?;
    Ok(Timing { kernel_ms: stop.elapsed_time_f32(&start)? })
}

/// Checks what every version takes: `2 * len` samples and outputs, `n + 1` coefficients, blocks of
/// whole warps.
///
/// # Errors
/// Names the argument and both numbers.
pub fn check(
    k: u32,
    yout: &[f32],
    yin: &[f32],
    coeff: &[f32],
    n: usize,
    len: usize,
) -> Result<(), LabError> {
    check_len("yout", yout.len(), 2 * len)?;
    check_len("yin", yin.len(), 2 * len)?;
    check_len("coeff", coeff.len(), n + 1)?;
    if k == 0 || k > 1024 || !k.is_multiple_of(32) {
        return Err(LabError::refused(format!("K = {k} is not a multiple of 32 from 32 to 1024")));
    }
    Ok(())
}
