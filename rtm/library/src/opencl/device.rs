//! Platforms, devices, programs, buffers and launches: what of `ocl` the rest uses, with errors for
//! people.

use std::cell::RefCell;
use std::fmt::{self, Display};

use ocl::builders::KernelBuilder;
use ocl::core::{self, DeviceInfoResult};
use ocl::enums::{DeviceInfo, ProfilingInfo};
use ocl::flags::CommandQueueProperties;
use ocl::{Buffer, Context, Event, Kernel, OclPrm, Platform, Program, Queue};

use crate::{Error, Result};

/// What kind of processor a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A CPU, such as PoCL's.
    Cpu,
    /// A GPU.
    Gpu,
    /// Anything else.
    Other,
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Cpu => "CPU",
            Kind::Gpu => "GPU",
            Kind::Other => "other",
        })
    }
}

/// What must be known of a device to say which kernels fit it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// CPU, GPU or other.
    pub kind: Kind,
    /// Compute units.
    pub units: usize,
    /// Work-items of a group, at most.
    pub group: usize,
    /// Local memory of a group, bytes.
    pub local_bytes: u64,
    /// Global memory, bytes.
    pub global_bytes: u64,
    /// One buffer, at most, bytes.
    pub buffer_bytes: u64,
    /// Whether it computes in double precision.
    pub double: bool,
}

/// A device of a platform.
#[derive(Debug, Clone)]
pub struct Device {
    platform: Platform,
    device: ocl::Device,
    /// `platform:device`, counted from 0.
    pub index: [usize; 2],
    /// The platform's name.
    pub platform_name: String,
    /// The device's own name.
    pub name: String,
    /// The OpenCL version that it says it has.
    pub version: String,
    /// Its limits.
    pub limits: Limits,
}

/// An error of the OpenCL library, during `what`.
pub fn failed(what: impl Display) -> impl FnOnce(ocl::Error) -> Error {
    move |e| {
        let status = e.to_string();
        // What the emulated device knows of this call, such as a fault with the kernel's line; else
        // what the library says.
        let known = opencl_icd::last_error()
            .filter(|last| status.contains(last.call))
            .and_then(|_| opencl_icd::last_error_text());
        Error::Device(format!("OpenCL, {what}: {}", known.unwrap_or(status).trim()))
    }
}

impl Device {
    /// All devices of all platforms.
    ///
    /// # Errors
    /// There is none; the text says what to install.
    pub fn all() -> Result<Vec<Device>> {
        let platforms = core::get_platform_ids().unwrap_or_default();
        let mut devices = Vec::new();
        for (p, platform) in Platform::list_from_core(platforms).into_iter().enumerate() {
            // A platform without a device answers with an error: it has none to offer.
            for (d, device) in
                ocl::Device::list_all(platform).unwrap_or_default().into_iter().enumerate()
            {
                devices.push(Device::describe(platform, device, [p, d])?);
            }
        }
        if devices.is_empty() {
            return Err(Error::Device(
                "there is no OpenCL device on this machine\n  fix: install one, such as PoCL for \
                 the CPU (Debian: pocl-opencl-icd), or your GPU's driver"
                    .into(),
            ));
        }
        Ok(devices)
    }

    /// The device that a word selects: `P:D` (its index), `cpu`, `gpu`, or part of its platform's
    /// or own name; `pocl` is PoCL.
    ///
    /// # Errors
    /// None fits; the text lists those that there are.
    pub fn select(word: &str) -> Result<Device> {
        let all = Device::all()?;
        let fits = |d: &&Device| d.is_called(word);
        if let Some(found) = all.iter().find(fits) {
            return Ok(found.clone());
        }
        let known: String = all.iter().map(|d| format!("\n  {d}")).collect();
        Err(Error::input(format!("there is no OpenCL device '{word}'; known are{known}")))
    }

    fn is_called(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        let index = format!("{}:{}", self.index[0], self.index[1]);
        let (platform, name) = (self.platform_name.to_lowercase(), self.name.to_lowercase());
        match word.as_str() {
            "" => true,
            "cpu" => self.limits.kind == Kind::Cpu,
            "gpu" => self.limits.kind == Kind::Gpu,
            "pocl" => platform.contains("portable computing language"),
            _ => word == index || platform.contains(&word) || name.contains(&word),
        }
    }

    /// Memory that a run may take, bytes: nine tenths of the device's, and not more than is free
    /// where that is the host's. OpenCL does not say what of a GPU's memory others have taken.
    pub fn spare_bytes(&self) -> u64 {
        let own = self.limits.global_bytes / 10 * 9;
        let shares = self.is_emulated() || self.limits.kind == Kind::Cpu;
        if shares { own.min(crate::strategy::memory::spare_memory()) } else { own }
    }

    /// Whether this is the emulated device of the course.
    pub fn is_emulated(&self) -> bool {
        let names = format!("{} {}", self.platform_name, self.name).to_lowercase();
        names.contains("emulated") || names.contains("simt")
    }

    fn describe(platform: Platform, device: ocl::Device, index: [usize; 2]) -> Result<Device> {
        let info = |kind| device.info(kind).ok();
        let number = |kind| match info(kind) {
            Some(DeviceInfoResult::MaxComputeUnits(n)) => u64::from(n),
            Some(DeviceInfoResult::MaxWorkGroupSize(n)) => n as u64,
            Some(
                DeviceInfoResult::LocalMemSize(n)
                | DeviceInfoResult::GlobalMemSize(n)
                | DeviceInfoResult::MaxMemAllocSize(n),
            ) => n,
            _ => 0,
        };
        let kind = match info(DeviceInfo::Type) {
            Some(DeviceInfoResult::Type(t)) if t.contains(ocl::flags::DeviceType::GPU) => Kind::Gpu,
            Some(DeviceInfoResult::Type(t)) if t.contains(ocl::flags::DeviceType::CPU) => Kind::Cpu,
            _ => Kind::Other,
        };
        let extensions = info(DeviceInfo::Extensions).map_or(String::new(), |i| i.to_string());
        let text = |kind| info(kind).map_or(String::new(), |i| i.to_string());
        Ok(Device {
            index,
            platform_name: platform.name().map_err(failed("name of a platform"))?,
            name: device.name().map_err(failed("name of a device"))?,
            version: text(DeviceInfo::OpenclCVersion),
            limits: Limits {
                kind,
                units: number(DeviceInfo::MaxComputeUnits) as usize,
                group: number(DeviceInfo::MaxWorkGroupSize) as usize,
                local_bytes: number(DeviceInfo::LocalMemSize),
                global_bytes: number(DeviceInfo::GlobalMemSize),
                buffer_bytes: number(DeviceInfo::MaxMemAllocSize),
                double: extensions.contains("cl_khr_fp64"),
            },
            platform,
            device,
        })
    }
}

impl Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Device { index: [p, d], limits, .. } = self;
        write!(
            f,
            "{p}:{d}  {} ({}): {}, {} units, groups up to {}, {} KiB local, {} MiB global; {}",
            self.name,
            self.platform_name,
            limits.kind,
            limits.units,
            limits.group,
            limits.local_bytes >> 10,
            limits.global_bytes >> 20,
            self.version
        )
    }
}

/// Seconds that the device itself measured, from its events.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    /// Host to device.
    pub upload_s: f64,
    /// Kernels.
    pub kernel_s: f64,
    /// Device to host.
    pub download_s: f64,
}

impl Times {
    /// All of it.
    pub fn sum_s(&self) -> f64 {
        self.upload_s + self.kernel_s + self.download_s
    }
}

#[derive(Clone, Copy)]
enum Work {
    Upload,
    Kernel,
    Download,
}

#[derive(Default)]
struct Events {
    waiting: Vec<(Work, Event)>,
    times: Times,
}

/// A context with one queue on a device. Everything is done in order.
pub struct Session {
    /// The device.
    pub device: Device,
    context: Context,
    queue: Queue,
    events: Option<RefCell<Events>>,
}

/// Events that are kept before their times are taken.
const WAITING: usize = 1024;

impl Session {
    /// Opens a device. With `profile`, the time of everything that it does is kept.
    ///
    /// # Errors
    /// The device refuses.
    pub fn open(device: &Device, profile: bool) -> Result<Session> {
        let context = Context::builder()
            .platform(device.platform)
            .devices(device.device)
            .build()
            .map_err(failed(format!("context on {}", device.name)))?;
        let properties = profile.then_some(CommandQueueProperties::PROFILING_ENABLE);
        let queue =
            Queue::new(&context, device.device, properties).map_err(failed("command queue"))?;
        Ok(Session {
            device: device.clone(),
            context,
            queue,
            events: profile.then(RefCell::default),
        })
    }

    /// Compiles `sources`, one after the other as one text, with `-D` for each define.
    ///
    /// # Errors
    /// The compiler refuses; the text holds its log.
    pub fn program(&self, name: &str, sources: &[&str], defines: &[String]) -> Result<Program> {
        let mut builder = Program::builder();
        builder.src(sources.concat()).devices(self.device.device);
        for define in defines {
            builder.cmplr_opt(format!("-D{define}"));
        }
        builder.build(&self.context).map_err(|e| {
            let options: String = defines.iter().map(|d| format!(" -D{d}")).collect();
            let log = e.to_string();
            Error::Device(format!(
                "{} does not compile {name} with{options}:\n{}",
                self.device.name,
                log.trim()
            ))
        })
    }

    /// A kernel of a program with the arguments that `add` adds.
    ///
    /// # Errors
    /// There is no such kernel, or an argument is of the wrong type.
    pub fn kernel<'b>(
        &self,
        program: &'b Program,
        name: &str,
        add: impl FnOnce(&mut KernelBuilder<'b>),
    ) -> Result<Kernel> {
        let mut builder = Kernel::builder();
        builder.program(program).name(name).queue(self.queue.clone());
        add(&mut builder);
        builder.build().map_err(failed(format!("kernel {name}")))
    }

    /// A buffer of `len` values, each `fill`.
    ///
    /// # Errors
    /// There is not enough memory, or one buffer may not be so large.
    pub fn buffer<T: OclPrm>(&self, len: usize, fill: T) -> Result<Buffer<T>> {
        let bytes = (len * size_of::<T>()) as u64;
        let limit = self.device.limits.buffer_bytes;
        if limit > 0 && bytes > limit {
            return Err(Error::Memory(format!(
                "a buffer of {bytes} bytes does not fit {}, which allows {limit}: make the volume \
                 smaller",
                self.device.name
            )));
        }
        Buffer::builder()
            .queue(self.queue.clone())
            .len(len.max(1))
            .fill_val(fill)
            .build()
            .map_err(failed(format!("a buffer of {bytes} bytes")))
    }

    /// A buffer that holds `values`.
    ///
    /// # Errors
    /// As [`Session::buffer`].
    pub fn buffer_of<T: OclPrm>(&self, values: &[T]) -> Result<Buffer<T>> {
        let buffer = self.buffer(values.len(), T::default())?;
        if !values.is_empty() {
            self.write(&buffer, 0, values)?;
        }
        Ok(buffer)
    }

    /// Copies `values` into a buffer, from `offset` on.
    ///
    /// # Errors
    /// The copy fails.
    pub fn write<T: OclPrm>(&self, to: &Buffer<T>, offset: usize, values: &[T]) -> Result<()> {
        let mut event = Event::empty();
        to.write(values)
            .offset(offset)
            .enew(&mut event)
            .enq()
            .map_err(failed("copy to the device"))?;
        self.keep(Work::Upload, event)
    }

    /// `len` values of a buffer, from `offset` on.
    ///
    /// # Errors
    /// The copy fails.
    pub fn read<T: OclPrm>(&self, from: &Buffer<T>, offset: usize, len: usize) -> Result<Vec<T>> {
        let mut values = vec![T::default(); len];
        if len > 0 {
            let mut event = Event::empty();
            from.read(&mut values)
                .offset(offset)
                .enew(&mut event)
                .enq()
                .map_err(failed("copy from the device"))?;
            self.keep(Work::Download, event)?;
        }
        Ok(values)
    }

    /// Copies one buffer over another of the same length.
    ///
    /// # Errors
    /// The copy fails.
    pub fn copy<T: OclPrm>(&self, from: &Buffer<T>, to: &Buffer<T>) -> Result<()> {
        from.copy(to, Some(0), Some(from.len())).enq().map_err(failed("copy on the device"))
    }

    /// Fills a buffer with a value.
    ///
    /// # Errors
    /// The device refuses.
    pub fn fill<T: OclPrm>(&self, buffer: &Buffer<T>, value: T) -> Result<()> {
        buffer.cmd().fill(value, None).enq().map_err(failed("fill"))
    }

    /// Launches a kernel over `global` work-items, rounded up to whole groups of `group`.
    ///
    /// # Errors
    /// The device refuses.
    pub fn launch(&self, kernel: &Kernel, global: [usize; 3], group: [usize; 3]) -> Result<()> {
        let global: [usize; 3] = std::array::from_fn(|i| global[i].next_multiple_of(group[i]));
        let mut event = Event::empty();
        let mut command = kernel.cmd().global_work_size(global).local_work_size(group);
        if self.events.is_some() {
            command = command.enew(&mut event);
        }
        // SAFETY: our kernels are given buffers of the sizes that their comments ask for and test
        // every index against them; the tests run them with canaries around every volume and with
        // counted, checked loads.
        let launched = unsafe { command.enq() };
        launched.map_err(failed("launch"))?;
        match self.events {
            Some(_) => self.keep(Work::Kernel, event),
            None => Ok(()),
        }
    }

    /// Waits until all is done.
    ///
    /// # Errors
    /// Something that was begun has failed.
    pub fn finish(&self) -> Result<()> {
        self.queue.finish().map_err(failed("waiting for the device"))
    }

    fn keep(&self, work: Work, event: Event) -> Result<()> {
        let Some(events) = &self.events else { return Ok(()) };
        events.borrow_mut().waiting.push((work, event));
        if events.borrow().waiting.len() >= WAITING { self.take_times().map(drop) } else { Ok(()) }
    }

    /// The times of all that was done since the session was opened or last reset; zeros without
    /// profiling.
    ///
    /// # Errors
    /// An event has no time.
    pub fn take_times(&self) -> Result<Times> {
        let Some(events) = &self.events else { return Ok(Times::default()) };
        self.finish()?;
        let Events { waiting, times } = &mut *events.borrow_mut();
        for (work, event) in waiting.drain(..) {
            let at = |kind| {
                event
                    .profiling_info(kind)
                    .and_then(|t| Ok(t.time()?))
                    .map_err(|e| Error::Device(format!("OpenCL, time of an event: {e}")))
            };
            let seconds =
                at(ProfilingInfo::End)?.saturating_sub(at(ProfilingInfo::Start)?) as f64 * 1e-9;
            match work {
                Work::Upload => times.upload_s += seconds,
                Work::Kernel => times.kernel_s += seconds,
                Work::Download => times.download_s += seconds,
            }
        }
        Ok(*times)
    }

    /// Forgets all times.
    ///
    /// # Errors
    /// As [`Session::take_times`].
    pub fn reset_times(&self) -> Result<()> {
        self.take_times()?;
        if let Some(events) = &self.events {
            events.borrow_mut().times = Times::default();
        }
        Ok(())
    }
}

/// Adds whole numbers to a kernel's arguments.
pub fn add_ints(kernel: &mut KernelBuilder<'_>, values: impl IntoIterator<Item = i32>) {
    for value in values {
        kernel.arg(value);
    }
}
