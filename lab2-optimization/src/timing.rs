//! What a measured host function returns, and the line that reports it.

use labkit::{Backend, Lab, LabError, backend};

/// Times of one call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Milliseconds between the events around the launches. On the emulated device they are a
    /// prediction.
    pub kernel_ms: f32,
}

/// `GPU (kernel) time = 12.345 ms (678.900 GFLOP/s)` for `flop` operations; on the emulated device
/// the line says whose time is predicted.
///
/// # Errors
/// What the driver refuses.
pub fn gpu_line(lab: &Lab, timing: Timing, flop: f64) -> Result<String, LabError> {
    let ms = f64::from(timing.kernel_ms);
    let rate = flop / (ms * 1e6);
    let note = match backend() {
        Backend::Cuda => String::new(),
        Backend::Emulated => format!(", predicted for {}", lab.gpu_name()?),
    };
    Ok(format!("GPU (kernel) time = {ms:.3} ms ({rate:6.3} GFLOP/s){note}"))
}
