//! Exercise 2.1.13: the host program of the tiled filter, with the crate `ocl`. The kernel is that
//! of exercise 2.1.12, `kernels/fir4.cl`.

#[allow(unused_imports)] // until `new` and `run` are written
use labkit::{LabError, Source, kernel_file};
#[allow(unused_imports)]
use ocl::enums::ProfilingInfo;
#[allow(unused_imports)]
use ocl::flags::QUEUE_PROFILING_ENABLE;
#[allow(unused_imports)]
use ocl::{Buffer, Context, Device, Event, Kernel, MemFlags, Platform, Program, Queue};

/// Largest order of the filter: the `N` of `fir4.cl`.
pub const MOST: usize = 1024;

/// A filter on an OpenCL device: what is made once, for all signals.
#[derive(Debug)]
pub struct Filter {
    queue: Queue,
    program: Program,
    /// The coefficients, on the device.
    coeff: Buffer<f32>,
    /// Order of the filter: one less than it has coefficients.
    n: usize,
    /// Work items of a group.
    k: usize,
}

/// What OpenCL refused, with the reason that the emulated platform gives: the line of the kernel,
/// the argument that is missing.
fn told(error: ocl::Error) -> LabError {
    let reason = opencl_icd::last_error_text().unwrap_or_default();
    LabError::msg(format!("{}\n{reason}", error.to_string().trim()))
}

impl Filter {
    /// The filter with the coefficients `h`, in groups of `k` work items, on the first device of
    /// the first platform: context, a queue that keeps times, the program built with `-D K=...`,
    /// the coefficients in a buffer that the kernel only reads.
    ///
    /// # Errors
    /// No coefficients, an order above 1024; what OpenCL refuses.
    pub fn new(h: &[f32], k: usize) -> Result<Filter, LabError> {
        if h.is_empty() || h.len() - 1 > MOST {
            let found = h.len();
            return Err(LabError::refused(format!("{found} coefficients: expected 1 to 1025")));
        }
        let (text, options) = Source::try_from(kernel_file!("fir4.cl"))?.opencl();
        // <lab
        let platform = Platform::first().map_err(told)?;
        let device = Device::first(platform).map_err(told)?;
        let context =
            Context::builder().platform(platform).devices(device).build().map_err(told)?;
        let queue = Queue::new(&context, device, Some(QUEUE_PROFILING_ENABLE)).map_err(told)?;
        let program = Program::builder()
            .src(text)
            .devices(device)
            .cmplr_opt(options)
            .cmplr_opt(format!("-D K={k}"))
            .build(&context)
            .map_err(told)?;
        let coeff = Buffer::builder()
            .queue(queue.clone())
            .flags(MemFlags::new().read_only())
            .len(h.len())
            .copy_host_slice(h)
            .build()
            .map_err(told)?;
        Ok(Filter { queue, program, coeff, n: h.len() - 1, k })
        //~ let _ = (text, options, k, told);
        //~ Err(LabError::msg("Filter::new: from the platform to the coefficients"))
        // lab>
    }

    /// The filtered signal, as long as `x`, and the milliseconds that the kernel took, by its
    /// event. No samples: nothing is launched.
    ///
    /// The kernel's groups are whole, so the signal is filled up with zeros to a multiple of `k`,
    /// and `n` zeros stand before it.
    ///
    /// # Errors
    /// What OpenCL refuses.
    pub fn run(&self, x: &[f32]) -> Result<(Vec<f32>, f64), LabError> {
        if x.is_empty() {
            return Ok((Vec::new(), 0.0));
        }
        // <lab
        let whole = x.len().next_multiple_of(self.k);
        let mut padded = vec![0.0; self.n + whole];
        padded[self.n..self.n + x.len()].copy_from_slice(x);
        let yin = Buffer::builder()
            .queue(self.queue.clone())
            .flags(MemFlags::new().read_only())
            .len(padded.len())
            .copy_host_slice(&padded)
            .build()
            .map_err(told)?;
        let yout =
            Buffer::<f32>::builder().queue(self.queue.clone()).len(whole).build().map_err(told)?;
        let kernel = Kernel::builder()
            .program(&self.program)
            .name("audiofir_kernel")
            .queue(self.queue.clone())
            .global_work_size(whole)
            .local_work_size(self.k)
            .arg(&yout)
            .arg(&yin)
            .arg(&self.coeff)
            .arg(self.n as i32)
            .build()
            .map_err(told)?;
        let mut event = Event::empty();
        // SAFETY: yout has an element for each work item, yin n zeros and as many samples, coeff
        // n + 1 coefficients.
        unsafe { kernel.cmd().enew(&mut event).enq() }.map_err(told)?;
        event.wait_for().map_err(|e| told(e.into()))?;
        let time = |what| -> Result<f64, LabError> {
            let info = event.profiling_info(what).map_err(told)?;
            Ok(info.time().map_err(|e| told(e.into()))? as f64)
        };
        let ms = (time(ProfilingInfo::End)? - time(ProfilingInfo::Start)?) * 1e-6;
        let mut y = vec![0.0; x.len()];
        yout.read(&mut y).len(x.len()).enq().map_err(told)?;
        Ok((y, ms))
        //~ let _ = (&self.queue, &self.program, &self.coeff, self.n, self.k);
        //~ Err(LabError::msg("run: two buffers, the kernel, the launch, the copy back"))
        // lab>
    }
}
