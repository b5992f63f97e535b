//! `rtm fletcher`: the mini-app of TTI modelling, and what tunes and explains its kernels.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use rtm::{Error, Result};
use tti::cpu::Cpu;
use tti::fletcher::{self, Case};
#[cfg(feature = "cuda")]
use tti::gpu::Gpu;
#[cfg(any(feature = "cuda", feature = "opencl"))]
use tti::kernel::{Kernel, Tunable};
#[cfg(feature = "opencl")]
use tti::opencl::OpenCl;
#[cfg(feature = "cuda")]
use tti::roofline;
use tti::sweep::{self, Sizes};
use tti::{Form, Method, Model, Propagator, source};

/// Where the steps are computed.
#[derive(Clone, PartialEq, Eq)]
enum Place {
    /// All cores, or --threads.
    Cpu,
    /// A GPU through CUDA; without one, the emulated device.
    Cuda,
    /// An OpenCL device that a word names; the first, if it is empty.
    OpenCl(String),
}

impl FromStr for Place {
    type Err = Error;

    fn from_str(text: &str) -> Result<Place> {
        match text.split_once(':').unwrap_or((text, "")) {
            ("cpu", "") => Ok(Place::Cpu),
            ("cuda", "") => Ok(Place::Cuda),
            ("opencl", word) => Ok(Place::OpenCl(word.into())),
            _ => Err(Error::refused(
                format!("device '{text}'"),
                "there is none",
                "cpu, cuda, opencl, or opencl:WORD for the device that WORD names (see `rtm opencl \
                 devices`)",
            )),
        }
    }
}

const AFTER_HELP: &str = "\
The mini-app's arguments in its order. It reports `MSamples/s` (million points times steps in a
second), and writes FORM.rsf and FORM.rsf@ (p every 10 ms, with a border of 4 points) and
Report.csv. DT must be stable: `rtm` prints the largest DT, and the one that the mini-app
recommends.

Methods: how mixed derivatives are taken
  base          each over its 64 points in memory, as in the mini-app
  shared        the same; x-y planes in shared memory serve the differences within them (GPU)
  shared-queue  the same; planes stay in shared memory and serve all differences (GPU)
  best          as first differences of first differences, each taken once

Examples
  rtm fletcher TTI 120 120 120 16 12.5 12.5 12.5 0.001 0.1
  rtm fletcher TTI 472 472 472 16 12.5 12.5 12.5 0.001 1 --device cuda \\
      --method shared-queue --no-snapshots
  rtm fletcher VTI 64 64 64 8 12.5 12.5 12.5 0.001 0.05 --device opencl:pocl --out /tmp
  rtm fletcher TTI 472 472 472 16 12.5 12.5 12.5 0.001 0.02 --device cuda --tune all
  rtm fletcher TTI 88 88 88 16 12.5 12.5 12.5 0.001 0.01 --device cuda --sweep 88:32:600 \\
      --methods base,shared,best --csv sweep.csv --svg sweep.svg

The equations and the methods: docs/tti.md";

/// Tilted anisotropic media, with the arguments and the report of the mini-app Fletcher
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct FletcherArgs {
    /// Medium: ISO (isotropic), VTI (upright axis) or TTI (axis tilted by 45 degrees)
    form: Form,
    /// Points of the model along x
    nx: usize,
    /// Points along y
    ny: usize,
    /// Points along z
    nz: usize,
    /// Points of the random boundary on each face, around the model
    nabsorb: usize,
    /// Spacing along x, metres
    dx: f64,
    /// Spacing along y, metres
    dy: f64,
    /// Spacing along z, metres
    dz: f64,
    /// Time step, seconds
    dt: f64,
    /// Time to reach, seconds
    tmax: f64,
    /// How mixed derivatives are taken: base, shared, shared-queue or best
    #[arg(long, default_value = "best")]
    method: Method,
    /// cpu; cuda (a GPU or, without one, the emulated device); opencl or opencl:WORD, WORD as pocl,
    /// nvidia, simt (emulated), 0:0
    #[arg(long, default_value = "cpu")]
    device: Place,
    /// CPU threads; 0: all
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Folder for the snapshots, FORM.rsf, and Report.csv
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// Write no files
    #[arg(long)]
    no_snapshots: bool,
    /// In place of the run, time these kernels on the device (cuda, if none is named), a few steps
    /// each: `METHOD:BX:BY:CHUNK[:OPTION...]` with blocks of BX x BY threads and CHUNK planes (0:
    /// all), an OPTION being `strides` (as constants) or one of the compiler's, such as
    /// -DMIN_BLOCKS=2; `all` stands for the built-in list
    #[arg(long, value_delimiter = ',', value_name = "KERNEL,...")]
    tune: Vec<String>,
    /// In place of the run, time cubes of these sizes (FIRST:STEP:LAST, in place of NX, NY and NZ),
    /// each --runs times with each of --methods: mean, standard deviation, gains
    #[arg(long, value_name = "SIZES")]
    sweep: Option<Sizes>,
    /// Runs of each case of --sweep, after one that does not count
    #[arg(long, default_value_t = 10, requires = "sweep")]
    runs: usize,
    /// Methods of --sweep; gains are over the first one
    #[arg(long, value_delimiter = ',', default_value = "base,best", requires = "sweep")]
    methods: Vec<Method>,
    /// The table of --sweep, written after each case; cases that it already holds are not run again
    #[arg(long, value_name = "FILE", requires = "sweep")]
    csv: Option<PathBuf>,
    /// The picture of --sweep
    #[arg(long, value_name = "FILE", requires = "sweep")]
    svg: Option<PathBuf>,
    /// In place of the run, count one step of each kernel on the emulated device and draw them here
    /// (PNG)
    #[cfg(feature = "cuda")]
    #[arg(long, value_name = "FILE")]
    roofline: Option<PathBuf>,
    /// Measured MSamples/s for --roofline: `base=...,best=...`
    #[cfg(feature = "cuda")]
    #[arg(long, value_delimiter = ',', value_name = "METHOD=SPEED,...")]
    measured: Vec<String>,
}

impl FletcherArgs {
    /// Runs and reports.
    pub fn run(&self) -> Result<()> {
        let case = Case {
            form: self.form,
            n: [self.nx, self.ny, self.nz],
            absorb: self.nabsorb,
            d_m: [self.dx, self.dy, self.dz],
            dt_s: self.dt,
            tmax_s: self.tmax,
        };
        case.check()?;
        #[cfg(feature = "cuda")]
        if let Some(path) = &self.roofline {
            return self.draw(&case, path);
        }
        if let Some(sizes) = self.sweep {
            return self.sweep(&case, sizes);
        }
        let model = case.model();
        eprintln!(
            "Grid of {:?} points with {} more on each face; {} steps of {} s; recommended dt {:.6} \
             s, stable up to {:.6} s",
            case.n,
            case.absorb,
            case.steps(),
            case.dt_s,
            model.dt_recommended_s(),
            model.dt_max_s()
        );
        if !self.tune.is_empty() {
            return self.tune(&case, &model);
        }
        let mut device = self.open(&case, &model, self.method)?;
        drop(model);
        eprintln!("{}", device.name());
        let folder = (!self.no_snapshots).then_some(self.out.as_path());
        let report = fletcher::run(&case, device.as_mut(), folder)?;
        print!("{}", report.text(&case));
        if let Some(header) = &report.snapshots {
            let path = self.out.join("Report.csv");
            std::fs::write(&path, report.csv(&case)).map_err(|e| Error::writing(&path, &e))?;
            println!("{}\n{}", header.display(), path.display());
        }
        Ok(())
    }

    /// The device, at work on a model.
    fn open(&self, case: &Case, model: &Model, method: Method) -> Result<Box<dyn Propagator>> {
        let (dt_s, at) = (case.dt_s, case.source());
        Ok(match &self.device {
            Place::Cpu => Box::new(Cpu::new(model, method, dt_s, at, self.threads)?),
            #[cfg(feature = "cuda")]
            Place::Cuda => Box::new(Gpu::new(model, Kernel::new(method), dt_s, at)?),
            #[cfg(feature = "opencl")]
            Place::OpenCl(word) => {
                let device = rtm::opencl::Device::select(word)?;
                let kernel = Kernel::opencl(method, device.limits.local_bytes);
                Box::new(OpenCl::new(&device, model, kernel, dt_s, at)?)
            }
            #[cfg(not(all(feature = "cuda", feature = "opencl")))]
            other => return Err(other.missing()),
        })
    }

    /// Times cubes of several sizes, and draws their speeds.
    fn sweep(&self, case: &Case, sizes: Sizes) -> Result<()> {
        let kept = self.csv.as_deref().map(sweep::read).transpose()?;
        let mut rows = kept.unwrap_or_default();
        println!("{:>6} {:<12} {:>12} {:>10}", "grid", "method", "MSamples/s", "deviation");
        for n in sizes.all() {
            for &method in &self.methods {
                let found = rows.iter().find(|row| row.n == n && row.method == method).cloned();
                let row = match found {
                    Some(row) => row,
                    None => {
                        let case = Case { n: [n; 3], ..case.clone() };
                        case.check()?;
                        let open = |model: &Model, method| self.open(&case, model, method);
                        let row = sweep::measure(&case, method, self.runs.max(1), open)?;
                        rows.push(row.clone());
                        self.csv.as_deref().map_or(Ok(()), |path| sweep::write(path, &rows))?;
                        row
                    }
                };
                let name = method.name();
                println!("{n:>6} {name:<12} {:>12.2} {:>10.2}", row.mean, row.deviation);
            }
        }
        print!("{}", sweep::summary(&rows, &self.methods));
        if let Some(path) = &self.svg {
            let title = format!("{}: speed over the size of the grid", case.form.name());
            rtm::picture::save(path, &sweep::chart(&title, &rows, &self.methods))?;
            println!("{}", path.display());
        }
        Ok(())
    }

    /// Times kernels on one device: a few steps each, the best of three.
    #[cfg(any(feature = "cuda", feature = "opencl"))]
    fn tune(&self, case: &Case, model: &Model) -> Result<()> {
        let mut kernels = Vec::new();
        for word in &self.tune {
            match word.as_str() {
                "all" => kernels.extend(candidates()),
                word => kernels.push(parse_kernel(word)?),
            }
        }
        // Any kernel that fits will do to begin with.
        let first = Kernel::new(Method::Best);
        let mut device: Box<dyn Tunable> = match &self.device {
            #[cfg(feature = "cuda")]
            Place::Cpu | Place::Cuda => Box::new(Gpu::new(model, first, case.dt_s, case.source())?),
            #[cfg(feature = "opencl")]
            Place::OpenCl(word) => {
                let device = rtm::opencl::Device::select(word)?;
                let first = first.within(device.limits.local_bytes);
                Box::new(OpenCl::new(&device, model, first, case.dt_s, case.source())?)
            }
            #[cfg(not(all(feature = "cuda", feature = "opencl")))]
            other => return Err(other.missing()),
        };
        let steps = case.steps();
        let samples: Vec<f32> = (0..steps).map(|k| source(k as f64 * case.dt_s)).collect();
        println!("{:>10} {:>10}  kernel", "MSamples/s", "ms/step");
        for kernel in kernels {
            let label = kernel.label();
            let seconds = device.change_kernel(model, kernel).and_then(|()| {
                let mut best = f64::INFINITY;
                for _ in 0..3 {
                    best = best.min(device.advance(&samples)?);
                }
                Ok(best)
            });
            match seconds {
                Ok(s) => println!(
                    "{:>10.0} {:>10.3}  {label}",
                    case.samples() / s * 1e-6,
                    s * 1e3 / steps as f64
                ),
                Err(error) => println!("{:>10} {:>10}  {label}: {error}", "-", "-"),
            }
        }
        Ok(())
    }

    #[cfg(not(any(feature = "cuda", feature = "opencl")))]
    fn tune(&self, _: &Case, _: &Model) -> Result<()> {
        Err(Place::Cuda.missing())
    }
}

#[cfg(not(all(feature = "cuda", feature = "opencl")))]
impl Place {
    fn missing(&self) -> Error {
        let name = match self {
            Place::OpenCl(_) => "opencl",
            _ => "cuda",
        };
        Error::Device(format!(
            "this program was built without the feature `{name}`: build it with that, or take \
             --device cpu"
        ))
    }
}

#[cfg(feature = "cuda")]
impl FletcherArgs {
    /// Counts one step of each kernel and draws them.
    fn draw(&self, case: &Case, path: &std::path::Path) -> Result<()> {
        let measured = self.measured()?;
        let counts = roofline::counts(case.n)?;
        print!("{}", roofline::table(&counts, &measured));
        roofline::draw(path, &counts, &measured)?;
        println!("{}", path.display());
        Ok(())
    }

    fn measured(&self) -> Result<Vec<(Method, f64)>> {
        let wrong = |word: &str| {
            Error::refused(
                format!("--measured {word}"),
                "not understood",
                "METHOD=MSAMPLES, as base=11000",
            )
        };
        let one = |word: &String| {
            let (method, speed) = word.split_once('=').ok_or_else(|| wrong(word))?;
            Ok((method.parse()?, speed.parse().map_err(|_| wrong(word))?))
        };
        self.measured.iter().map(one).collect()
    }
}

/// `METHOD:BX:BY:CHUNK[:OPTION...]`
#[cfg(any(feature = "cuda", feature = "opencl"))]
fn parse_kernel(word: &str) -> Result<Kernel> {
    let wrong = |what: String| {
        Error::refused(
            format!("--tune {word}"),
            what,
            "METHOD:BX:BY:CHUNK[:OPTION...], as best:32:8:64:-DMIN_BLOCKS=2, or all",
        )
    };
    let parts: Vec<&str> = word.split(':').collect();
    let [method, x, y, chunk, options @ ..] = &parts[..] else {
        return Err(wrong("too few parts".into()));
    };
    let number =
        |text: &str| text.parse::<u32>().map_err(|_| wrong(format!("'{text}' is no whole number")));
    let (strides, options): (Vec<&str>, Vec<&str>) = options.iter().partition(|o| **o == "strides");
    if let Some(other) = options.iter().find(|o| !o.starts_with('-')) {
        return Err(wrong(format!("'{other}' is no option of a compiler")));
    }
    Ok(Kernel::new(method.parse()?)
        .with_block(number(x)?, number(y)?)
        .with_chunk(number(chunk)? as usize)
        .with_strides(!strides.is_empty())
        .with_options(&options))
}

/// Shapes worth trying.
#[cfg(any(feature = "cuda", feature = "opencl"))]
fn candidates() -> Vec<Kernel> {
    let mut list = Vec::new();
    for method in [Method::Base, Method::Shared] {
        for [x, y] in [[32, 16], [32, 8], [64, 4], [64, 8]] {
            for chunk in [0, 64] {
                for strides in [false, true] {
                    let kernel = Kernel::new(method).with_block(x, y).with_chunk(chunk);
                    list.push(kernel.with_strides(strides));
                }
            }
        }
    }
    for ([x, y], blocks) in [([32, 16], 2), ([32, 8], 4), ([32, 8], 3), ([64, 8], 2)] {
        for chunk in [0, 126] {
            let options = [format!("-DMIN_BLOCKS={blocks}")];
            let kernel = Kernel::new(Method::SharedQueue).with_block(x, y).with_chunk(chunk);
            list.push(kernel.with_options(&options.each_ref().map(String::as_str)));
        }
    }
    for [x, y] in [[32, 4], [64, 2], [32, 8], [64, 4], [64, 8]] {
        for chunk in [0, 128] {
            for unroll in [1, 3, 9] {
                let kernel = Kernel::new(Method::Best).with_block(x, y).with_chunk(chunk);
                list.push(kernel.with_options(&[&format!("-DUNROLL={unroll}")]));
            }
        }
    }
    list
}
