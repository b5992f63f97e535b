//! What the exercises of section 3.4 share: sizes, arrays on the device, phases and their times,
//! the transform without copies.

use cust::memory::DevicePointer;
use cust::module::Module;
use cust::prelude::*;
use labkit::{During, Lab, LabError};

use crate::nas::ft::Own;

pub use npb::ft::{ALPHA, C64, CLASSES, Class, SEED};

/// Size of the grid, and iterations. Made by `params` of exercise 3.4.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Points along x, the fastest index.
    pub nx: usize,
    /// Points along y.
    pub ny: usize,
    /// Points along z.
    pub nz: usize,
    /// Iterations.
    pub niter: usize,
}

impl Params {
    /// Points.
    pub fn elements(&self) -> usize {
        self.nx * self.ny * self.nz
    }

    /// The longest of the three axes.
    pub fn longest(&self) -> usize {
        self.nx.max(self.ny).max(self.nz)
    }

    /// The axes in the order of a transform: 1, 2, 3 for sign 1, 3, 2, 1 for sign -1.
    pub fn axes(sign: i32) -> [usize; 3] {
        if sign > 0 { [1, 2, 3] } else { [3, 2, 1] }
    }

    /// nx, ny, nz as kernels take them.
    pub fn sizes(&self) -> [i32; 3] {
        [self.nx as i32, self.ny as i32, self.nz as i32]
    }
}

/// The set-up's four arrays on the device.
#[derive(Debug)]
pub struct DevArrays {
    /// Powers of `exp(-4 alpha pi^2)`.
    pub ex: DeviceBuffer<f64>,
    /// `|k|^2` of each element.
    pub indexmap: DeviceBuffer<i32>,
    /// The initial field.
    pub u1: DeviceBuffer<C64>,
    /// Roots of unity of all stages.
    pub u: DeviceBuffer<C64>,
}

/// Room for the transforms.
#[derive(Debug)]
pub struct Work {
    /// The array that is transformed.
    pub y0: DeviceBuffer<C64>,
    /// The other one that Stockham's transform needs.
    pub y1: DeviceBuffer<C64>,
}

impl Work {
    /// Room for `elements` elements, never written.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn new(elements: usize) -> Result<Work, LabError> {
        // SAFETY: the transforms write before they read; the emulated device finds who does not.
        unsafe {
            Ok(Work {
                y0: DeviceBuffer::uninitialized(elements)?,
                y1: DeviceBuffer::uninitialized(elements)?,
            })
        }
    }
}

/// How the lines of a transform lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// As in the field, u[z][y][x], without copies.
    Direct,
    /// Copied to the paper's layout for each axis, and back.
    Paper,
    /// Not at all: a block holds whole lines in registers and shared memory, and each axis is one
    /// pass over memory.
    Shared,
}

/// The transform of [`Layout::Shared`], for comparison with exercise 3.4.4: that of
/// `npb --version fast`, without evolve.
pub struct SharedLines(Option<Own>);

impl SharedLines {
    /// Compiles the kernels if the layout needs them.
    ///
    /// # Errors
    /// Lines of more than 2048 elements; what the driver refuses.
    pub fn new(lab: &Lab, layout: Layout, p: &Params) -> Result<SharedLines, LabError> {
        let own = || Own::new(lab, [p.nx, p.ny, p.nz], false, false);
        Ok(SharedLines((layout == Layout::Shared).then(own).transpose()?))
    }

    /// Transforms `u` in place, as `fft3d` of exercise 3.4.4.
    ///
    /// # Errors
    /// Another layout than [`Layout::Shared`]; what the driver refuses.
    pub fn fft3d(&self, lab: &Lab, u: &DeviceBuffer<C64>, sign: i32) -> Result<(), LabError> {
        let own = self.0.as_ref().ok_or_else(|| LabError::msg("no kernels for this layout"))?;
        let u = u.as_device_ptr();
        let mut axes = Params::axes(sign).into_iter();
        axes.try_for_each(|axis| own.pass(lab, axis - 1, sign > 0, u, u, None))
    }
}

/// All three axes of `u` without copies: neighbouring threads are a line apart along x, and
/// neighbours along y and z. For comparison with exercise 3.4.4; arguments as there.
///
/// # Errors
/// What the driver refuses.
pub fn fft3d_direct(
    lab: &Lab,
    module: &Module,
    p: &Params,
    (u, roots): (&DeviceBuffer<C64>, &DeviceBuffer<C64>),
    work: &Work,
    sign: i32,
    block: u32,
) -> Result<(), LabError> {
    let stream = lab.stream();
    let [nx, ny, nz] = p.sizes();
    for axis in Params::axes(sign) {
        let (name, lines) = match axis {
            1 => ("ft_direct1", ny * nz),
            2 => ("ft_fft2", nx * nz),
            _ => ("ft_fft3", nx * ny),
        };
        let kernel = module.get_function(name).during(name)?;
        // SAFETY: the arguments are the kernels' parameters; both arrays have nx ny nz elements.
        unsafe {
            launch!(kernel<<<(lines as u32).div_ceil(block), block, 0, stream>>>(
                u.as_device_ptr(),
                work.y1.as_device_ptr(),
                roots.as_device_ptr(),
                nx,
                ny,
                nz,
                sign
            ))
        }
        .during(name)?;
    }
    Ok(())
}

/// A part of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Set-up of the arrays.
    Setup,
    /// The factors of an iteration.
    Evolve,
    /// Transforms.
    Fft,
    /// Checksums.
    Checksum,
}

/// Milliseconds between events; predictions on the emulated device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// From the clock's start to its end.
    pub total: f32,
    /// Set-up.
    pub setup: f32,
    /// Evolve.
    pub evolve: f32,
    /// Transforms.
    pub fft: f32,
    /// Checksums.
    pub checksum: f32,
}

/// Events on the lab's stream around the phases of a run. The benchmark's time begins with
/// [`Clock::new`].
#[derive(Debug)]
pub struct Clock<'l> {
    lab: &'l Lab,
    start: Event,
    phases: Vec<(Phase, Event, Event)>,
}

impl<'l> Clock<'l> {
    /// Records the start.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn new(lab: &'l Lab) -> Result<Clock<'l>, LabError> {
        Ok(Clock { lab, start: now(lab)?, phases: Vec::new() })
    }

    /// Runs a part between two events.
    ///
    /// # Errors
    /// What the part returns, or the driver refuses.
    pub fn phase<R>(
        &mut self,
        phase: Phase,
        part: impl FnOnce() -> Result<R, LabError>,
    ) -> Result<R, LabError> {
        let begin = now(self.lab)?;
        let result = part()?;
        self.phases.push((phase, begin, now(self.lab)?));
        Ok(result)
    }

    /// Records the end, waits for it, and adds up.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn end(self) -> Result<Times, LabError> {
        let end = now(self.lab)?;
        end.synchronize()?;
        let mut times = Times { total: end.elapsed_time_f32(&self.start)?, ..Times::default() };
        for (phase, begin, end) in &self.phases {
            let sum = match phase {
                Phase::Setup => &mut times.setup,
                Phase::Evolve => &mut times.evolve,
                Phase::Fft => &mut times.fft,
                Phase::Checksum => &mut times.checksum,
            };
            *sum += end.elapsed_time_f32(begin)?;
        }
        Ok(times)
    }
}

fn now(lab: &Lab) -> Result<Event, LabError> {
    let event = Event::new(EventFlags::DEFAULT)?;
    event.record(lab.stream())?;
    Ok(event)
}

/// Reads one element of each of the set-up's arrays on the lab's stream, as the first transform
/// would: what is not waited for shows.
///
/// # Errors
/// What the driver refuses.
pub fn touch(lab: &Lab, module: &Module, arrays: &DevArrays) -> Result<(), LabError> {
    let out = DeviceBuffer::<f64>::zeroed(1)?;
    let (kernel, stream) = (module.get_function("ft_touch").during("ft_touch")?, lab.stream());
    let out: DevicePointer<f64> = out.as_device_ptr();
    // SAFETY: the arguments are the kernel's parameters; all arrays have at least one element.
    unsafe {
        launch!(kernel<<<1, 1, 0, stream>>>(
            out,
            arrays.ex.as_device_ptr(),
            arrays.indexmap.as_device_ptr(),
            arrays.u1.as_device_ptr(),
            arrays.u.as_device_ptr()
        ))
    }
    .during("ft_touch")?;
    Ok(stream.synchronize()?)
}
