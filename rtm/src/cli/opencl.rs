//! `rtm opencl`, `rtm synth-report`, and what `rtm bench` has for OpenCL.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use rtm::opencl::Device;
use rtm::picture::{Plane, Scale, Slice, heat_map};
use rtm::{Cube, Error, Grid, Result};
use rtm_studies::opencl::bench::{self, Effort};
use rtm_studies::opencl::wave::{Block, Medium, Shoot, Sponge, Wave, hump, write_gather};
use rtm_studies::opencl::{Config, Simulation, Variant, models};

/// OpenCL devices, and the wave kernels on them
#[derive(Args)]
pub struct OpenClArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// List platforms, devices, variants
    Devices,
    /// Model one shot with a variant on a device: snapshots, receivers, times
    Run(Box<RunArgs>),
}

/// Switches of the kernels
#[derive(Args)]
struct KernelArgs {
    /// Kernel: V0b, V1, V1s, V2, V2r, V2m, V3, V4, V5, V6
    #[arg(long, default_value = "V0b")]
    variant: String,
    /// Cells of a group along x and y (V1, V1s)
    #[arg(long, value_delimiter = ',', value_name = "X,Y")]
    group: Vec<usize>,
    /// Cells of a work-item along x (V1s)
    #[arg(long)]
    lanes: Option<usize>,
    /// Cells of a tile along x and y (V2 and its kin)
    #[arg(long, value_delimiter = ',', value_name = "X,Y")]
    tile: Vec<usize>,
    /// Cells computed at a time (PAR_POINTS)
    #[arg(long)]
    par: Option<usize>,
    /// Work-items that share the tiles (V2m)
    #[arg(long)]
    workers: Option<usize>,
    /// Tokens that fit a FIFO (V4)
    #[arg(long)]
    depth: Option<usize>,
    /// Fractional bits of the pressure (V5)
    #[arg(long)]
    fraction: Option<u32>,
    /// Time steps of a pass (V6)
    #[arg(long)]
    steps_per_pass: Option<usize>,
    /// Unroll factor
    #[arg(long)]
    unroll: Option<usize>,
    /// Coefficients: constants of the program (true), or an argument
    #[arg(long)]
    baked: Option<bool>,
    /// Floats before each volume (V0b, V1, V1s)
    #[arg(long)]
    padding: Option<usize>,
    /// Count and check every access to global memory
    #[arg(long)]
    count: bool,
}

impl KernelArgs {
    fn apply(&self, mut config: Config) -> Result<Config> {
        config.group = pair("group", &self.group, config.group)?;
        config.tile = pair("tile", &self.tile, config.tile)?;
        config.lanes = self.lanes.unwrap_or(config.lanes);
        config.par = self.par.unwrap_or(config.par);
        config.workers = self.workers.unwrap_or(config.workers);
        config.depth = self.depth.unwrap_or(config.depth);
        config.fraction = self.fraction.unwrap_or(config.fraction);
        config.steps = self.steps_per_pass.unwrap_or(config.steps);
        config.unroll = self.unroll.unwrap_or(config.unroll);
        config.baked = self.baked.unwrap_or(config.baked);
        config.padding = self.padding.unwrap_or(config.padding);
        config.count |= self.count;
        Ok(config)
    }
}

/// Two numbers, or what was there before if none are given.
fn pair(name: &str, values: &[usize], usual: [usize; 2]) -> Result<[usize; 2]> {
    match values {
        [] => Ok(usual),
        [x, y] => Ok([*x, *y]),
        _ => Err(Error::input(format!("{name}: two numbers with a comma between them"))),
    }
}

/// A shot
#[derive(Args)]
struct RunArgs {
    /// Device: its index P:D, cpu, gpu, pocl, or part of a name
    #[arg(long, default_value = "")]
    device: String,
    #[command(flatten)]
    kernel: KernelArgs,
    /// Interior cells: one number, or three
    #[arg(long, value_delimiter = ',', default_value = "96")]
    n: Vec<usize>,
    /// Spacing, metres
    #[arg(long, default_value_t = 10.0)]
    h: f64,
    /// Time step, seconds; 0.3 h / v of the fastest layer if left out
    #[arg(long)]
    dt: Option<f64>,
    /// Time steps
    #[arg(long, default_value_t = 100)]
    steps: usize,
    /// Velocities of equally thick layers from the top, m/s
    #[arg(long, value_delimiter = ',', default_value = "2000")]
    v: Vec<f64>,
    /// Peak frequency of the source, Hz; it is in the middle
    #[arg(long, default_value_t = 12.0)]
    f0: f64,
    /// Cells of the absorbing sponge on each side; 0: walls that reflect
    #[arg(long, default_value_t = 0)]
    sponge: usize,
    /// Strength of the sponge
    #[arg(long, default_value_t = 0.015)]
    alpha: f64,
    /// Share of the peak from which on a cell is part of a cloud of points
    #[arg(long, default_value_t = 0.2)]
    threshold: f64,
    /// Steps after which a slice and a cloud of points are written
    #[arg(long, value_delimiter = ',')]
    snapshots: Vec<usize>,
    /// Record all cells of the plane at this z, counted with the border
    #[arg(long)]
    receivers_z: Option<usize>,
    /// Folder for files
    #[arg(long, default_value = "opencl-run")]
    out: PathBuf,
}

fn block_of(n: &[usize]) -> Result<Block> {
    match n {
        [n] => Block::cube(*n),
        [x, y, z] => Block::new([*x, *y, *z]),
        _ => Err(Error::input("n: one number, or three with commas between them")),
    }
}

impl OpenClArgs {
    /// Does what the arguments say.
    pub fn run(&self) -> Result<()> {
        match &self.what {
            What::Devices => {
                Device::all()?.iter().for_each(|device| println!("{device}"));
                println!();
                Variant::ALL.iter().for_each(|v| println!("{:<4} {}", v.id(), v.what()));
                Ok(())
            }
            What::Run(args) => args.run(),
        }
    }
}

impl RunArgs {
    fn run(&self) -> Result<()> {
        let block = block_of(&self.n)?;
        let device = Device::select(&self.device)?;
        let variant = Variant::parse(&self.kernel.variant)?;
        let config = self.kernel.apply(Config::suited(variant, &device.limits, block))?;
        let fastest = self.v.iter().copied().fold(0.0, f64::max);
        let dt_s = self.dt.unwrap_or(0.3 * self.h / fastest);
        let depth = block.full()[2];
        let layer = |z: usize| self.v[(z * self.v.len() / depth).min(self.v.len() - 1)];
        if self.v.is_empty() {
            return Err(Error::input("v: at least one velocity"));
        }
        let medium = Medium::new(block, self.h, dt_s, |[_, _, z]| layer(z))?;
        medium.warnings(self.f0).iter().for_each(|w| eprintln!("warning: {w}"));
        println!("{device}");
        println!(
            "{}: {}; {} volumes of {:?} cells, {} bytes",
            variant.id(),
            variant.what(),
            variant.volumes(),
            block.full(),
            block.bytes(variant.volumes())
        );
        let started = std::time::Instant::now();
        let mut wave = Simulation::new(&device, &config, &medium, true)?;
        let made_s = started.elapsed().as_secs_f64();
        let receivers = self.receivers_z.map_or(Ok(Vec::new()), |z| self.receivers(block, z))?;
        let source = block.index(block.centre());
        let sponge = (self.sponge > 0).then_some(Sponge { width: self.sponge, alpha: self.alpha });
        let shoot = Shoot { source, peak_hz: self.f0, sponge, receivers };
        if !self.snapshots.is_empty() || !shoot.receivers.is_empty() {
            std::fs::create_dir_all(&self.out).map_err(|e| Error::writing(&self.out, &e))?;
        }
        let clock = std::time::Instant::now();
        if variant == Variant::Fixed || wave.stride() > 1 {
            let start = hump(block);
            let levels = [&medium.vel[..], &start, &start];
            return self.free(Simulation::from_levels(&device, &config, block, levels, true)?);
        }
        let samples = shoot.run(&mut wave, &medium, 0..self.steps, &mut |n, wave| {
            if self.snapshots.contains(&(n + 1)) { self.snapshot(n + 1, wave) } else { Ok(()) }
        })?;
        wave.session.finish()?;
        let wall_s = clock.elapsed().as_secs_f64();
        if !shoot.receivers.is_empty() {
            let path = self.out.join("gather.bin");
            write_gather(&path, &samples, shoot.receivers.len(), dt_s)?;
            println!("{}", path.display());
        }
        let times = wave.times()?;
        println!(
            "{} steps: upload {:.4} s, kernels {:.4} s, download {:.4} s by the device's events \
             (measured); {:.4} s passed, of which {made_s:.4} s to make the program and the \
             volumes",
            self.steps,
            times.upload_s,
            times.kernel_s,
            times.download_s,
            wall_s + made_s
        );
        println!(
            "{:.4} Gpoint/s of interior cells by the kernels' time (source, sponge and receivers \
             included)",
            block.points() as f64 * self.steps as f64 / times.kernel_s / 1e9
        );
        self.counts(&wave)
    }

    /// For kernels that have no time for a source between two steps: from a hump.
    fn free(&self, mut wave: Simulation) -> Result<()> {
        let launches = self.steps / wave.stride();
        for _ in 0..launches {
            wave.step()?;
        }
        let steps = launches * wave.stride();
        println!(
            "{steps} steps of a hump (this kernel takes no source): {:.4} Gpoint/s by the kernels' \
             time (measured)",
            wave.block().points() as f64 * steps as f64 / wave.times()?.kernel_s / 1e9
        );
        self.counts(&wave)
    }

    fn counts(&self, wave: &Simulation) -> Result<()> {
        if wave.config().count {
            println!("{:?}; {} bytes", wave.traffic()?, wave.traffic()?.bytes());
        }
        if wave.config().variant == Variant::Fifo {
            println!("{:?}", wave.fifo_report()?);
        }
        Ok(())
    }

    fn receivers(&self, block: Block, z: usize) -> Result<Vec<usize>> {
        let [nx, ny, nz] = block.full();
        if !(2..nz - 2).contains(&z) {
            return Err(Error::input(format!("receivers-z {z}: the interior is 2 to {}", nz - 3)));
        }
        Ok((2..ny - 2).flat_map(|y| (2..nx - 2).map(move |x| block.index([x, y, z]))).collect())
    }

    /// A slice through the middle as PNG, and the cells above the threshold as CSV.
    fn snapshot(&self, step: usize, wave: &mut dyn Wave) -> Result<()> {
        let block = wave.block();
        let field = wave.newest()?;
        let [nx, ny, nz] = block.full();
        let grid = Grid::uniform([nx, ny, nz], self.h);
        let cube = Cube::from_fn(grid, |[x, y, z]| field[block.index([x, y, z])] as f32);
        let slice = Slice::of_cube(&cube, Plane::Xz, ny / 2)?;
        let path = self.out.join(format!("step-{step:04}.svg"));
        heat_map(&path, &format!("pressure after {step} steps"), &slice, Scale::Signed(0.995))?;
        println!("{}", path.display());
        let peak = field.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let path = self.out.join(format!("step-{step:04}.csv"));
        let file = std::fs::File::create(&path).map_err(|e| Error::writing(&path, &e))?;
        let mut file = std::io::BufWriter::new(file);
        let written = (|| {
            writeln!(file, "x,y,z,pressure")?;
            for (i, p) in field.iter().enumerate().filter(|(_, p)| p.abs() > self.threshold * peak)
            {
                let [x, y, z] = block.cell(i);
                writeln!(file, "{x},{y},{z},{p:e}")?;
            }
            file.flush()
        })();
        written.map_err(|e: std::io::Error| Error::writing(&path, &e))?;
        println!("{}", path.display());
        Ok(())
    }
}

/// Resources and time of the FPGA kernels, by arithmetic, beside what the thesis printed
#[derive(Args)]
pub struct SynthArgs {
    /// Kernel: V2, V3 or V6
    #[arg(long, default_value = "V2")]
    variant: String,
    /// Tile along x, along y, points at a time
    #[arg(value_delimiter = ',', num_args = 1, default_value = "180,180,6")]
    design: Vec<usize>,
    /// Interior cells along each axis
    #[arg(long, default_value_t = 352)]
    n: usize,
    /// Clock, MHz
    #[arg(long, default_value_t = 212.40)]
    mhz: f64,
    /// Coefficients as constants (V3)
    #[arg(long)]
    baked: Option<bool>,
    /// Time steps of a pass (V6)
    #[arg(long, default_value_t = 2)]
    steps_per_pass: usize,
}

impl SynthArgs {
    /// Prints the report.
    pub fn run(&self) -> Result<()> {
        let [dx, dy, par] = self.design[..] else {
            return Err(Error::input(
                "a design is three numbers: tile along x, along y, points at a time",
            ));
        };
        let variant = Variant::parse(&self.variant)?;
        if !variant.has_window() {
            return Err(Error::input(format!(
                "{} has no window to be estimated: take V2, V3 or V6",
                variant.id()
            )));
        }
        let config = Config::new(variant);
        let baked = self.baked.unwrap_or(config.baked);
        let config = Config { tile: [dx, dy], par, baked, steps: self.steps_per_pass, ..config };
        config.check()?;
        print!("{}", models::synth_report(&config, Block::cube(self.n)?, self.mhz * 1e6));
        Ok(())
    }
}

/// Tables of the wave kernels on OpenCL devices
#[derive(Subcommand)]
pub enum Tables {
    /// OpenCL: every variant on every device, beside the thesis' table 8
    Portability(TableArgs),
    /// OpenCL: V1 and the best of each device, with power, beside the thesis' table 9
    CrossDevice(TableArgs),
    /// OpenCL: group sizes of V1, lanes of V1s
    Groups(TableArgs),
    /// OpenCL: total sizes 348 to 364
    Sizes(TableArgs),
    /// OpenCL: work-items of V2m
    Workers(TableArgs),
    /// OpenCL: the ring against the shift register
    Ring(TableArgs),
    /// OpenCL: rounding of V5 by its fractional bits
    Fixed(TableArgs),
    /// OpenCL: the fastest kernel for each device, kept in a file
    Autotune(TableArgs),
}

/// What is measured
#[derive(Args)]
pub struct TableArgs {
    /// Devices, as `rtm opencl devices` lists them; all but the emulated one if left out
    #[arg(long, value_delimiter = ',')]
    devices: Vec<String>,
    /// Variants of `portability`; all if left out
    #[arg(long, value_delimiter = ',')]
    variants: Vec<String>,
    /// Interior cells along each axis
    #[arg(long, default_value_t = 128)]
    n: usize,
    /// Time steps of each measurement
    #[arg(long, default_value_t = 100)]
    steps: usize,
    /// Seconds after which fewer steps will do
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// File in which `autotune` keeps what it found
    #[arg(long, default_value = "opencl-tuned.json")]
    cache: PathBuf,
    /// Also write the table's rows to this file, as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

impl Tables {
    /// Measures and prints.
    pub fn run(&self) -> Result<()> {
        let (Tables::Portability(args)
        | Tables::CrossDevice(args)
        | Tables::Groups(args)
        | Tables::Sizes(args)
        | Tables::Workers(args)
        | Tables::Ring(args)
        | Tables::Fixed(args)
        | Tables::Autotune(args)) = self;
        let devices = match &args.devices[..] {
            [] => Device::all()?.into_iter().filter(|d| !d.is_emulated()).collect(),
            words => words.iter().map(|w| Device::select(w)).collect::<Result<Vec<_>>>()?,
        };
        let variants = match &args.variants[..] {
            [] => Variant::ALL.to_vec(),
            words => words.iter().map(|w| Variant::parse(w)).collect::<Result<Vec<_>>>()?,
        };
        let block = Block::cube(args.n)?;
        let power = matches!(self, Tables::CrossDevice(_));
        let effort = Effort { steps: args.steps, seconds: args.seconds, power };
        let mut rows = String::new();
        let mut out = |line: &str| {
            println!("{line}");
            if line.starts_with("| ") {
                let cells = line.trim_matches('|').split('|').map(|c| c.trim().replace(',', ";"));
                rows += &(cells.collect::<Vec<_>>().join(",") + "\n");
            }
        };
        match self {
            Tables::Portability(_) => {
                bench::portability(&devices, &variants, block, effort, &mut out)?
            }
            Tables::CrossDevice(_) => bench::cross_device(&devices, block, effort, &mut out)?,
            Tables::Groups(_) => bench::groups(&devices, block, effort, &mut out)?,
            Tables::Sizes(_) => bench::sizes(&devices, effort, &mut out)?,
            Tables::Workers(_) => {
                devices.iter().try_for_each(|d| bench::workers(d, block, effort, &mut out))?;
            }
            Tables::Ring(_) => devices.iter().try_for_each(|d| bench::ring(d, &mut out))?,
            Tables::Fixed(_) => {
                devices.iter().try_for_each(|d| bench::fixed(d, block, args.steps, &mut out))?;
            }
            Tables::Autotune(_) => {
                for device in &devices {
                    let tuned = bench::autotune(device, block, effort, &args.cache, &mut out)?;
                    out(&tuned.to_string());
                }
            }
        }
        match &args.csv {
            Some(path) => std::fs::write(path, rows).map_err(|e| Error::writing(path, &e)),
            None => Ok(()),
        }
    }
}
