//! One picture after another, on the device that the session names.

use std::time::Duration;

use cust::memory::DeviceBuffer;
use lab1_cuda_intro::clock;
use lab1_cuda_intro::e1_2_01::render_cpu;
use lab1_cuda_intro::e1_2_02::render_gpu;
use labkit::{Lab, LabError};

use super::device::Device;
use super::session::Session;

/// A picture and how long it took.
#[derive(Clone, Debug)]
pub struct Frame {
    /// `4 * dim * dim` bytes, the lowest row first.
    pub rgba: Vec<u8>,
    /// Wall time from the request to the picture in host memory.
    pub time: Duration,
    /// Predicted time of the kernel in ms and the GPU's name, on the emulated device.
    pub predicted: Option<(f64, String)>,
}

impl Frame {
    /// The time for people: on the emulated device the wall time is the emulator's, and the GPU's
    /// is a prediction.
    pub fn time_text(&self) -> String {
        let wall = self.time.as_secs_f64() * 1e3;
        match &self.predicted {
            None => format!("{wall:.1} ms"),
            Some((ms, gpu)) => {
                format!("{wall:.1} ms in the emulator, kernel predicted {ms:.3} ms on {gpu}")
            }
        }
    }
}

/// Renders pictures of `dim` x `dim` pixels; the GPU and its buffer are set up at the first use and
/// kept.
pub struct Renderer {
    dim: u32,
    gpu: Option<Gpu>,
}

// The buffer is freed before its context: fields are dropped in this order.
struct Gpu {
    d_pix: DeviceBuffer<u8>,
    lab: Lab,
}

impl Renderer {
    /// Nothing is allocated yet.
    pub fn new(dim: u32) -> Renderer {
        Renderer { dim, gpu: None }
    }

    /// Columns and rows.
    pub fn dim(&self) -> u32 {
        self.dim
    }

    /// Computes the picture.
    ///
    /// # Errors
    /// No device, no memory, or what [`render_gpu`] returns.
    pub fn render(&mut self, s: &Session) -> Result<Frame, LabError> {
        match s.device {
            Device::Cpu => {
                let start = clock::now();
                let rgba = render_cpu(&s.view, self.dim, s.kmax);
                Ok(Frame { rgba, time: clock::now() - start, predicted: None })
            }
            Device::Gpu => {
                let bytes = 4 * self.dim as usize * self.dim as usize;
                let gpu = match &mut self.gpu {
                    Some(gpu) => gpu,
                    none => none.insert(Gpu::new(bytes)?),
                };
                let mut rgba = vec![0; bytes];
                let start = clock::now();
                render_gpu(&gpu.lab, &mut gpu.d_pix, &s.view, self.dim, s.kmax, &mut rgba)?;
                let time = clock::now() - start;
                let reports = gpu.lab.take_reports();
                let predicted = reports.last().map(|r| (r.predicted_ms, r.device.clone()));
                Ok(Frame { rgba, time, predicted })
            }
        }
    }
}

impl Gpu {
    fn new(bytes: usize) -> Result<Gpu, LabError> {
        let lab = Lab::new()?;
        // SAFETY: the kernel writes every byte before it is copied to the host.
        let d_pix = unsafe { DeviceBuffer::uninitialized(bytes)? };
        Ok(Gpu { d_pix, lab })
    }
}
