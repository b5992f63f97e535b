//! The benchmarks EP and FT on the device, made to be fast: what the program `npb` runs beside the
//! exercises' own versions.
//!
//! Given code, to be read after sections 3.3 and 3.4. The kernels are `kernels/nas_ep.cu`,
//! `nas_ft.cu` and `nas_ft_common.cu`.

pub mod ep;
pub mod ft;
pub mod plain;
pub mod study;

use std::time::{Duration, Instant};

use cust::prelude::*;
use labkit::{Backend, Lab, LabError, backend};

/// Time of `work` with all that it puts on the lab's stream: by the clock on a GPU, by the model on
/// the emulated device. The kernels and the buffers exist before.
///
/// # Errors
/// What `work` returns, or the driver refuses.
pub fn timed<R>(
    lab: &Lab,
    work: impl FnOnce() -> Result<R, LabError>,
) -> Result<(R, Duration), LabError> {
    let stream = lab.stream();
    let (begin, end) = (Event::new(EventFlags::DEFAULT)?, Event::new(EventFlags::DEFAULT)?);
    stream.synchronize()?;
    let clock = Instant::now();
    begin.record(stream)?;
    let result = work()?;
    end.record(stream)?;
    stream.synchronize()?;
    let time = match backend() {
        Backend::Cuda => clock.elapsed(),
        Backend::Emulated => {
            Duration::from_secs_f64(f64::from(end.elapsed_time_f32(&begin)?) / 1e3)
        }
    };
    Ok((result, time))
}

/// Refuses what does not fit into the device's free memory.
///
/// # Errors
/// Names both numbers of bytes.
pub fn check_memory(what: &str, bytes: u64) -> Result<(), LabError> {
    let (free, _) = cust::memory::mem_get_info()?;
    if bytes > free as u64 {
        let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
        return Err(LabError::refused(format!(
            "{what} needs {:.2} GiB of device memory, {:.2} GiB are free",
            gib(bytes),
            gib(free as u64)
        )));
    }
    Ok(())
}
