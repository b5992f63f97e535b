//! The step through OpenCL: `kernels/opencl/tti_*.cl`, on the devices of [`rtm::opencl::Device`]:
//! PoCL, a GPU's driver, or the emulated device. The grid is constants of the program, which is
//! compiled when a shot begins.

use ocl::prm::Float2;
use ocl::{Buffer, Kernel as ClKernel, Program};
use rtm::opencl::device::{Device, Session, failed};
use rtm::{Error, Result};

use super::cpu::check_source;
use super::kernel::{Kernel, Tunable};
use super::{Method, Model, Propagator, VolumeLayout};

/// A shot in a model on an OpenCL device.
pub struct OpenCl {
    session: Session,
    kernel: Kernel,
    program: Program,
    coefficients: Vec<Buffer<f32>>,
    /// Two levels, each p and q, or pairs of both for the best kernel.
    levels: [Vec<Buffer<f32>>; 2],
    /// Which of them is the present one.
    now: usize,
    /// Source and step with each of the levels as the present one.
    steps: [[ClKernel; 2]; 2],
    layout: VolumeLayout,
    dt_s: f64,
    source: usize,
}

impl OpenCl {
    /// The fields at rest. `source` is the computed point that emits.
    ///
    /// # Errors
    /// The time step is not stable in the model, or a medium cannot be; the source lies outside;
    /// the device has not the memory, or does not compile the kernel.
    pub fn new(
        device: &Device,
        model: &Model,
        kernel: Kernel,
        dt_s: f64,
        source: [usize; 3],
    ) -> Result<OpenCl> {
        model.check(dt_s)?;
        let layout = model.layout;
        let source = check_source(&layout, source)?;
        check(device, &kernel, &layout)?;
        let session = Session::open(device, true)?;
        let program = compile(&session, &kernel, &layout, dt_s)?;
        let coefficients = upload(&session, &kernel, model, dt_s)?;
        let level = || kernel.level(&layout, |n| session.buffer(n, 0f32));
        let levels = [level()?, level()?];
        let steps = steps(&session, &program, &kernel, &coefficients, &levels, source)?;
        session.reset_times()?;
        Ok(OpenCl {
            steps,
            program,
            coefficients,
            levels,
            now: 0,
            session,
            kernel,
            layout,
            dt_s,
            source,
        })
    }

    /// Issues one step: source, kernel, and the levels change their places.
    fn step(&mut self, sample: f32) -> Result<()> {
        let [inject, step] = &self.steps[self.now];
        inject
            .set_arg(self.levels[0].len() as u32 + 1, sample)
            .map_err(failed("sample of the source"))?;
        self.session.launch(inject, [1; 3], [1; 3])?;
        let [bx, by] = self.kernel.block.map(|n| n as usize);
        let [nx, ny, nz] = self.kernel.blocks(&self.layout);
        self.session.launch(step, [nx * bx, ny * by, nz], [bx, by, 1])?;
        self.now = 1 - self.now;
        Ok(())
    }
}

fn check(device: &Device, kernel: &Kernel, layout: &VolumeLayout) -> Result<()> {
    let limits = &device.limits;
    if kernel.local_bytes() > limits.local_bytes {
        return Err(Error::refused(
            format!("{} on {}", kernel.label(), device.name),
            format!(
                "a group needs {} bytes of local memory and has {}",
                kernel.local_bytes(),
                limits.local_bytes
            ),
            "a smaller block, such as 32 x 4",
        ));
    }
    kernel.check(layout, limits.global_bytes, limits.group)
}

fn compile(
    session: &Session,
    kernel: &Kernel,
    layout: &VolumeLayout,
    dt_s: f64,
) -> Result<Program> {
    let text = match kernel.method {
        Method::Base => include_str!("../kernels/opencl/tti_base.cl"),
        Method::Shared => include_str!("../kernels/opencl/tti_shared.cl"),
        Method::SharedQueue => include_str!("../kernels/opencl/tti_shared_queue.cl"),
        Method::Best => include_str!("../kernels/opencl/tti_best.cl"),
    };
    let [bx, by] = kernel.block.map(|n| n as usize);
    let whole = [
        ("NX", layout.n[0]),
        ("NY", layout.n[1]),
        ("NZ", layout.n[2]),
        ("FIRST", layout.first),
        ("ROW", layout.row),
        ("PLANE", layout.plane),
        ("BX", bx),
        ("BY", by),
        ("CHUNK", kernel.planes(layout)),
    ];
    let inverse = layout.inverse_spacings();
    let real = ["XX", "YY", "ZZ", "XY", "YZ", "XZ"].into_iter().zip(inverse);
    let real = real.chain(["X2", "Y2", "Z2"].into_iter().zip(layout.d_m.map(|d| (d * d) as f32)));
    let real = real.chain([("DT2", (dt_s * dt_s) as f32)]);
    let mut defines: Vec<String> = whole.map(|(name, n)| format!("{name}={n}")).into();
    // As many digits as tell one number from all others, and the suffix that keeps it single.
    defines.extend(real.map(|(name, value)| format!("{name}={value:e}f")));
    defines.extend(kernel.options.iter().map(|o| o.trim_start_matches("-D").to_owned()));
    session.program(kernel.symbol(), &[include_str!("../kernels/opencl/tti.cl"), text], &defines)
}

fn upload(
    session: &Session,
    kernel: &Kernel,
    model: &Model,
    dt_s: f64,
) -> Result<Vec<Buffer<f32>>> {
    let volumes = kernel.coefficients(model, dt_s);
    volumes.iter().map(|volume| session.buffer_of(volume)).collect()
}

/// Source and step with each of the levels as the present one.
fn steps(
    session: &Session,
    program: &Program,
    kernel: &Kernel,
    coefficients: &[Buffer<f32>],
    levels: &[Vec<Buffer<f32>>; 2],
    source: usize,
) -> Result<[[ClKernel; 2]; 2]> {
    let with = |now: usize| -> Result<[ClKernel; 2]> {
        let (level, old) = (&levels[now], &levels[1 - now]);
        let inject = session.kernel(program, kernel.inject(), |k| {
            for array in level {
                k.arg(array);
            }
            k.arg(source as i32).arg(0f32);
        })?;
        let step = session.kernel(program, kernel.symbol(), |k| {
            for array in coefficients.iter().chain(level).chain(old) {
                k.arg(array);
            }
            if kernel.ring() > 0 {
                k.arg_local::<Float2>(kernel.ring());
            }
        })?;
        Ok([inject, step])
    };
    Ok([with(0)?, with(1)?])
}

impl Tunable for OpenCl {
    fn change_kernel(&mut self, model: &Model, kernel: Kernel) -> Result<()> {
        check(&self.session.device, &kernel, &self.layout)?;
        self.program = compile(&self.session, &kernel, &self.layout, self.dt_s)?;
        if kernel.pairs() != self.kernel.pairs() {
            self.coefficients = upload(&self.session, &kernel, model, self.dt_s)?;
            for level in &mut self.levels {
                *level = kernel.level(&self.layout, |n| self.session.buffer(n, 0f32))?;
            }
        }
        self.steps = steps(
            &self.session,
            &self.program,
            &kernel,
            &self.coefficients,
            &self.levels,
            self.source,
        )?;
        self.kernel = kernel;
        for field in self.levels.iter().flatten() {
            self.session.fill(field, 0.0)?;
        }
        Ok(())
    }
}

impl Propagator for OpenCl {
    fn name(&self) -> String {
        let Device { name, platform_name, .. } = &self.session.device;
        let times = if self.session.device.is_emulated() { ", times are predicted" } else { "" };
        format!("{name} (OpenCL, {platform_name}{times}); {}", self.kernel.label())
    }

    fn advance(&mut self, samples: &[f32]) -> Result<f64> {
        self.session.reset_times()?;
        samples.iter().try_for_each(|sample| self.step(*sample))?;
        Ok(self.session.take_times()?.kernel_s)
    }

    fn fields(&mut self) -> Result<[Vec<f32>; 2]> {
        let volumes = self.levels[self.now].iter();
        let volumes = volumes.map(|array| self.session.read(array, 0, array.len()));
        Ok(Kernel::split(volumes.collect::<Result<_>>()?))
    }

    fn set_fields(&mut self, now: [&[f32]; 2], before: [&[f32]; 2]) -> Result<()> {
        for (level, fields) in [(self.now, now), (1 - self.now, before)] {
            for (array, volume) in self.levels[level].iter().zip(self.kernel.join(fields)) {
                self.session.write(array, 0, &volume)?;
            }
        }
        Ok(())
    }
}
