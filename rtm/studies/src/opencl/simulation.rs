//! A variant at work on a device: buffers, launches, rotation, source, sponge, receivers.
//!
//! Every volume lies between canaries: values that no kernel may read or write.
//! [`Simulation::canaries`] says whether they live.

use ocl::{Buffer, Kernel, Program};
use rtm::opencl::device::{Device, Session, Times, add_ints};
use rtm::{Error, Result};

use super::variant::{Config, Variant};
use super::wave::{Block, COEFFICIENTS, Medium, Sponge, Wave};

/// What the counting build of a kernel has counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Loads of new values of the current level, one for each cell and plane where a column is
    /// kept.
    pub new_plane: u32,
    /// Loads of the current level that only neighbours need.
    pub halo: u32,
    /// Loads of velocities.
    pub velocity: u32,
    /// Loads of the level before.
    pub old: u32,
    /// Cells written.
    pub written: u32,
    /// Accesses outside of a volume.
    pub outside: u32,
    /// Iterations of a window's loop.
    pub iterations: u32,
}

impl Traffic {
    /// Bytes read and written.
    pub fn bytes(&self) -> u64 {
        let all = [self.new_plane, self.halo, self.velocity, self.old, self.written];
        4 * all.iter().map(|n| u64::from(*n)).sum::<u64>()
    }
}

/// What the stages of V4 have met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FifoReport {
    /// Most tokens in the FIFOs from reader to stencil, and from stencil to writer.
    pub most: [u32; 2],
    /// How often the reader found its FIFO full.
    pub reader_stalls: u32,
    /// How often the stencil found nothing to do, and how often no room for its results.
    pub stencil_stalls: [u32; 2],
    /// How often the writer found nothing to do.
    pub writer_stalls: u32,
    /// Tokens that went through.
    pub tokens: u32,
}

/// Floats of canary before and after each volume.
const GUARD: usize = 256;
/// What they hold. No sum of waves gives it; as fixed point it is large, too.
const CANARY: f32 = -1.234_567_8e30;
/// Fractional bits of velocities in fixed point.
const VELOCITY_FRACTION: i32 = 28;

/// A wave on a device.
pub struct Simulation {
    /// Device, queue, times.
    pub session: Session,
    config: Config,
    block: Block,
    program: Program,
    tools: Program,
    /// Current level, level before, then those that are written next, if the variant does not write
    /// over the level before.
    levels: Vec<Buffer<f32>>,
    vel: Buffer<f32>,
    coefficients: Buffer<f32>,
    counts: Buffer<u32>,
    fifos: Option<([Buffer<f32>; 2], Buffer<u32>)>,
    sponge: Option<(Sponge, Buffer<f32>)>,
    cells: Option<(Vec<usize>, Buffer<i32>, Buffer<f32>)>,
}

impl Simulation {
    /// A wave at rest in a medium. With `profile`, the device's own times are kept.
    ///
    /// # Errors
    /// The variant does not fit the device (the text says why), or the device refuses.
    pub fn new(device: &Device, config: &Config, medium: &Medium, profile: bool) -> Result<Self> {
        let zeros = vec![0.0; medium.block.len()];
        Simulation::from_levels(
            device,
            config,
            medium.block,
            [&medium.vel, &zeros, &zeros],
            profile,
        )
    }

    /// From scaled velocities, the current level and the level before.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn from_levels(
        device: &Device,
        config: &Config,
        block: Block,
        [vel, cur, prev]: [&[f32]; 3],
        profile: bool,
    ) -> Result<Self> {
        config.check()?;
        if let Some(why) = config.misfit(&device.limits, block) {
            return Err(Error::Device(format!(
                "{} on {}: {why}",
                config.variant.id(),
                device.name
            )));
        }
        let session = Session::open(device, profile)?;
        let (name, texts) = config.program();
        let program = session.program(name, &texts, &config.defines())?;
        let tools = include_str!("../../kernels/opencl/wave_tools.cl");
        let tools = session.program("wave_tools", &[tools], &[])?;
        let volume = |values: &[f32]| -> Result<Buffer<f32>> {
            let buffer = session.buffer(block.len() + config.padding + 2 * GUARD, CANARY)?;
            session.write(&buffer, GUARD + config.padding, values)?;
            Ok(buffer)
        };
        let fixed = config.variant == Variant::Fixed;
        let to_device = |values: &[f32], bits: i32| -> Vec<f32> {
            if fixed { to_fixed(values, bits) } else { values.to_vec() }
        };
        let fraction = config.fraction as i32;
        let mut levels =
            vec![volume(&to_device(cur, fraction))?, volume(&to_device(prev, fraction))?];
        // Whatever a kernel forgets to write stays a NaN.
        let nans = vec![f32::NAN; block.len()];
        for _ in 3..config.variant.volumes() {
            levels.push(volume(&nans)?);
        }
        let fifos = (config.variant == Variant::Fifo)
            .then(|| -> Result<_> {
                let room = |floats: usize| session.buffer(config.depth * floats * config.par, 0.0);
                Ok(([room(3)?, room(1)?], session.buffer(8, 0)?))
            })
            .transpose()?;
        Ok(Simulation {
            vel: volume(&to_device(vel, VELOCITY_FRACTION))?,
            coefficients: session.buffer_of(&COEFFICIENTS)?,
            counts: session.buffer(8, 0)?,
            fifos,
            levels,
            program,
            tools,
            config: config.clone(),
            block,
            session,
            sponge: None,
            cells: None,
        })
    }

    /// The variant and its switches.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Where a volume begins in its buffer, with the padding for kernels that know it.
    fn base(&self) -> usize {
        GUARD + self.config.padding
    }

    fn kernel(&self) -> Result<Kernel> {
        let (name, _) = self.config.program();
        let [nx, ny, nz] = self.block.full().map(|n| n as i32);
        let [mx, my, mz] = self.block.n.map(|n| n as i32);
        let padding = self.base() as i32;
        let (baked, count) = (self.config.baked, self.config.count);
        if !self.config.variant.has_window() {
            let interior = matches!(self.config.variant, Variant::Local | Variant::Lanes);
            let sizes = if interior { [mx, my, mz] } else { [nx, ny, nz] };
            return self.session.kernel(&self.program, name, |k| {
                k.arg(&self.levels[1]).arg(&self.levels[0]).arg(&self.vel);
                add_ints(k, sizes.into_iter().chain([padding]));
                if self.config.variant == Variant::Fixed {
                    k.arg(&self.counts);
                    return;
                }
                if !baked {
                    k.arg(&self.coefficients);
                }
                if count {
                    k.arg(&self.counts);
                }
            });
        }
        self.session.kernel(&self.program, name, |k| {
            let read = [&self.levels[1], &self.levels[0], &self.vel];
            for buffer in self.levels[2..].iter().chain(read) {
                k.arg(buffer);
            }
            add_ints(k, [nx, ny, nz, padding]);
            if let Some(([first, second], stats)) = &self.fifos {
                k.arg(first).arg(second).arg(stats);
            }
            if !baked {
                k.arg(&self.coefficients);
            }
            if count {
                k.arg(&self.counts);
            }
        })
    }

    /// Work-items of a step and of a group.
    fn range(&self) -> [[usize; 3]; 2] {
        let [x, y, z] = self.block.n;
        let [wx, wy] = self.config.group;
        match self.config.variant {
            Variant::Plain | Variant::Fixed => {
                // Any shape computes the same; a group must be allowed everywhere.
                let width = x.next_power_of_two().min(64);
                [[x, y, z], [width, (128 / width).min(4), 1]]
            }
            Variant::Local => [[x, y, 1], [wx, wy, 1]],
            Variant::Lanes => {
                let items = wx / self.config.lanes;
                [[x.div_ceil(wx) * items, y, 1], [items, wy, 1]]
            }
            Variant::Replicated => [[self.config.workers, 1, 1], [1, 1, 1]],
            _ => [[1, 1, 1], [1, 1, 1]],
        }
    }

    /// Counts of the counting build since the start.
    ///
    /// # Errors
    /// The device fails.
    pub fn traffic(&self) -> Result<Traffic> {
        let c = self.session.read(&self.counts, 0, 8)?;
        Ok(Traffic {
            new_plane: c[0],
            halo: c[1],
            velocity: c[2],
            old: c[3],
            written: c[4],
            outside: c[5],
            iterations: c[6],
        })
    }

    /// Values that did not fit 32 bits (V5).
    ///
    /// # Errors
    /// The device fails.
    pub fn overflows(&self) -> Result<u32> {
        Ok(self.session.read(&self.counts, 0, 1)?[0])
    }

    /// What the stages of V4 met in the latest step.
    ///
    /// # Errors
    /// The device fails, or the variant has no FIFO.
    pub fn fifo_report(&self) -> Result<FifoReport> {
        let (_, stats) = self
            .fifos
            .as_ref()
            .ok_or_else(|| Error::input(format!("{} has no FIFO", self.config.variant.id())))?;
        let s = self.session.read(stats, 0, 8)?;
        Ok(FifoReport {
            most: [s[0], s[1]],
            reader_stalls: s[2],
            stencil_stalls: [s[3], s[4]],
            writer_stalls: s[5],
            tokens: s[6],
        })
    }

    /// Whether no kernel has written before or behind a volume.
    ///
    /// # Errors
    /// The device fails.
    pub fn canaries(&self) -> Result<bool> {
        let mut alive = true;
        for buffer in self.levels.iter().chain([&self.vel]) {
            let before = self.session.read(buffer, 0, self.base())?;
            let after = self.session.read(buffer, self.base() + self.block.len(), GUARD)?;
            alive &= before.iter().chain(&after).all(|v| v.to_bits() == CANARY.to_bits());
        }
        Ok(alive)
    }

    /// What the device has measured since the start.
    ///
    /// # Errors
    /// The device fails.
    pub fn times(&self) -> Result<Times> {
        self.session.take_times()
    }

    fn read(&self, level: usize) -> Result<Vec<f32>> {
        let values = self.session.read(&self.levels[level], self.base(), self.block.len())?;
        let fixed = self.config.variant == Variant::Fixed;
        Ok(if fixed { from_fixed(&values, self.config.fraction as i32) } else { values })
    }

    /// `count` planes of the newest level, from z on.
    pub(super) fn planes(&self, z: usize, count: usize) -> Result<Vec<f32>> {
        let [nx, ny, _] = self.block.full();
        self.session.read(&self.levels[0], self.base() + z * nx * ny, count * nx * ny)
    }

    /// Overwrites planes of the newest level.
    pub(super) fn set_planes(&mut self, z: usize, values: &[f32]) -> Result<()> {
        let [nx, ny, _] = self.block.full();
        self.session.write(&self.levels[0], self.base() + z * nx * ny, values)
    }

    fn refuse_fixed(&self, what: &str) -> Result<()> {
        match self.config.variant {
            Variant::Fixed => {
                Err(Error::input(format!("V5 has no {what}: it is a study of rounding")))
            }
            _ => Ok(()),
        }
    }
}

/// Whole numbers of `2^-bits`, clamped to 32 bits, as the bits of floats.
fn to_fixed(values: &[f32], bits: i32) -> Vec<f32> {
    let unit = 2f64.powi(bits);
    values.iter().map(|v| f32::from_bits((f64::from(*v) * unit).round() as i32 as u32)).collect()
}

fn from_fixed(values: &[f32], bits: i32) -> Vec<f32> {
    let unit = 2f64.powi(-bits);
    values.iter().map(|v| (f64::from(v.to_bits() as i32) * unit) as f32).collect()
}

impl Wave for Simulation {
    fn block(&self) -> Block {
        self.block
    }

    fn stride(&self) -> usize {
        self.config.stride()
    }

    fn step(&mut self) -> Result<()> {
        let [global, group] = self.range();
        self.session.launch(&self.kernel()?, global, group)?;
        match self.config.variant.volumes() {
            3 => self.levels.swap(0, 1),
            // (cur, prev, out) <- (out, cur, prev)
            4 => self.levels.rotate_right(1),
            // (cur, prev, out, out before) <- (out, out before, cur, prev)
            _ => self.levels.rotate_left(2),
        }
        Ok(())
    }

    fn add(&mut self, index: usize, amount: f64) -> Result<()> {
        self.refuse_fixed("source")?;
        let cell = (self.base() + index) as i32;
        let kernel = self.session.kernel(&self.tools, "add_to_cell", |k| {
            k.arg(&self.levels[0]).arg(cell).arg(amount as f32);
        })?;
        self.session.launch(&kernel, [1; 3], [1; 3])
    }

    fn damp(&mut self, sponge: Sponge) -> Result<()> {
        self.refuse_fixed("sponge")?;
        let full = self.block.full();
        if self.sponge.as_ref().is_none_or(|(known, _)| *known != sponge) {
            let factors: Vec<f32> = full.iter().flat_map(|n| sponge.factors(*n)).collect();
            self.sponge = Some((sponge, self.session.buffer_of(&factors)?));
        }
        let Some((_, factors)) = &self.sponge else { return Ok(()) };
        for level in &self.levels[..2] {
            let kernel = self.session.kernel(&self.tools, "damp", |k| {
                k.arg(level).arg(factors);
                add_ints(k, full.into_iter().chain([self.base()]).map(|n| n as i32));
            })?;
            self.session.launch(&kernel, full, [32, 2, 1])?;
        }
        Ok(())
    }

    fn reverse(&mut self) {
        self.levels.swap(0, 1);
    }

    fn sample(&mut self, cells: &[usize]) -> Result<Vec<f32>> {
        self.refuse_fixed("receivers")?;
        if self.cells.as_ref().is_none_or(|(known, ..)| known != cells) {
            let places: Vec<i32> = cells.iter().map(|i| (self.base() + i) as i32).collect();
            let samples = self.session.buffer(cells.len(), 0.0)?;
            self.cells = Some((cells.to_vec(), self.session.buffer_of(&places)?, samples));
        }
        let Some((_, places, samples)) = &self.cells else { return Ok(Vec::new()) };
        let kernel = self.session.kernel(&self.tools, "record", |k| {
            k.arg(samples).arg(&self.levels[0]).arg(places).arg(cells.len() as i32);
        })?;
        self.session.launch(&kernel, [cells.len(), 1, 1], [32, 1, 1])?;
        self.session.read(samples, 0, cells.len())
    }

    fn levels(&mut self) -> Result<[Vec<f64>; 2]> {
        let wide = |level: Vec<f32>| level.into_iter().map(f64::from).collect();
        Ok([wide(self.read(0)?), wide(self.read(1)?)])
    }
}
