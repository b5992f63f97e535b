//! The device as a lab sees it: a context, a stream, modules from CUDA C, and what the driver
//! observed.

use cust::context::{Context, CurrentContext};
use cust::device::{Device, DeviceAttribute};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use simt::fault::Fault;

use crate::kernel::{Options, Source};
use crate::{ApiCall, Backend, LabError, LaunchReport, backend, nvrtc};

/// A device with a context and a stream. Keep it alive as long as anything made with it.
#[derive(Debug)]
pub struct Lab {
    // Dropped first: it lives in the context.
    stream: Stream,
    device: Device,
    context: Context,
}

impl Lab {
    /// Opens device 0: the real driver's if there is one, else the emulated device.
    /// `LAB_DEVICE=emulated` or `cuda` forces the choice.
    ///
    /// # Errors
    /// `LAB_DEVICE=cuda` without a driver, or what the driver refuses.
    pub fn new() -> Result<Lab, LabError> {
        Lab::on(0)
    }

    /// Opens the device of this number (as `nvidia-smi` counts).
    ///
    /// # Errors
    /// As [`Lab::new`]; there is no such device.
    pub fn on(index: u32) -> Result<Lab, LabError> {
        cust::init(cust::CudaFlags::empty())?;
        let device = Device::get_device(index)?;
        let context = Context::new(device)?;
        // `Context::new` does not look whether the context became current.
        CurrentContext::set_current(&context)?;
        let stream = Stream::new(StreamFlags::DEFAULT, None)?;
        Ok(Lab { stream, device, context })
    }

    /// Compiles CUDA C and loads it: with NVRTC on a GPU, with the emulator's own compiler else.
    ///
    /// `source` is a [`kernel_file!`](crate::kernel_file), a path, or the text itself. `options`
    /// are those of a compiler: `-DNAME=VALUE`, `-IDIR`, `-fmad=true` (fuse `a * b + c`; off unless
    /// asked for, so that results equal Rust's).
    ///
    /// # Errors
    /// A file that cannot be read, an unknown option, the compiler's messages
    /// ([`LabError::Compile`]), a missing NVRTC.
    pub fn module<S>(&self, source: S, options: &[&str]) -> Result<Module, LabError>
    where
        S: TryInto<Source>,
        LabError: From<S::Error>,
    {
        let source = source.try_into()?;
        let options = Options::parse(options)?;
        let image = match backend() {
            Backend::Emulated => {
                let mut include_dirs = source.include_dirs;
                include_dirs.extend(options.include_dirs);
                let header = cuda_driver::ImageHeader {
                    file: source.name,
                    defines: options.defines,
                    include_dirs,
                    contract: options.contract,
                    ..Default::default()
                };
                cuda_driver::image(&header, &source.text)
            }
            Backend::Cuda => {
                let major = self.device.get_attribute(DeviceAttribute::ComputeCapabilityMajor)?;
                let minor = self.device.get_attribute(DeviceAttribute::ComputeCapabilityMinor)?;
                nvrtc::compile(&source, &options, (major, minor))?
            }
        };
        if image.contains('\0') {
            return Err(LabError::msg("the kernel source has a NUL character"));
        }
        Ok(Module::from_ptx(image, &[])?)
    }

    /// Makes this lab's context the one that calls of the present thread refer to: for programs
    /// with several devices or threads.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn make_current(&self) -> Result<(), LabError> {
        Ok(CurrentContext::set_current(&self.context)?)
    }

    /// The lab's stream.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Name of the GPU, or of the one that is stood in for.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn gpu_name(&self) -> Result<String, LabError> {
        let name = self.device.name()?;
        Ok(name.trim_end_matches(" (emulated)").to_owned())
    }

    /// The line that a program prints for a time between two events. On the emulated device, where
    /// the time comes from a model, it says so.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn kernel_time_line(&self, ms: f32) -> Result<String, LabError> {
        Ok(match backend() {
            Backend::Cuda => format!("Kernel-only time: {ms:.6} ms"),
            Backend::Emulated => format!(
                "Kernel-only time: {ms:.6} ms predicted for {} (emulated; see counters)",
                self.gpu_name()?
            ),
        })
    }

    /// Counters of the launches since the last time, whole and by line; empty on a real GPU.
    pub fn take_reports(&self) -> Vec<LaunchReport> {
        emulation::findings::take_reports()
    }

    /// Faults and findings since the last time, such as memory read back that was never written;
    /// empty on a real GPU.
    pub fn take_faults(&self) -> Vec<Fault> {
        emulation::findings::take_faults()
    }

    /// The driver calls since the last time, on the emulated device and on a real one.
    pub fn take_api_log(&self) -> Vec<ApiCall> {
        emulation::calls::take().0
    }
}
