//! `rtm fletcher`: the mini-app of TTI modelling, and what tunes and explains its kernels.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rtm::tti::cpu::Cpu;
use rtm::tti::fletcher::{self, Case};
#[cfg(feature = "cuda")]
use rtm::tti::gpu::{Gpu, Kernel};
use rtm::tti::{Form, Method, Propagator};
#[cfg(feature = "cuda")]
use rtm::tti::{roofline, source};
use rtm::{Error, Result};

/// Where the steps are computed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Where {
    /// All cores, or --threads
    Cpu,
    /// A GPU through CUDA; without one, the emulated device
    #[cfg(feature = "cuda")]
    Cuda,
}

/// Modelling in tilted anisotropic media, with the arguments and the report of the mini-app Fletcher
#[derive(Args)]
pub struct FletcherArgs {
    /// ISO, VTI or TTI
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
    /// How mixed derivatives are taken: base, shared (GPUs only) or best
    #[arg(long, default_value = "best")]
    method: Method,
    /// Where
    #[arg(long, value_enum, default_value = "cpu")]
    device: Where,
    /// CPU threads; 0: all
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Folder for the snapshots, FORM.rsf, and Report.csv
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// Write no files
    #[arg(long)]
    no_snapshots: bool,
    /// GPU: time each of these kernels in place of the run, a few steps each: `METHOD:BX:BY:CHUNK[:OPTION...]`; `all` stands for
    /// the built-in list
    #[cfg(feature = "cuda")]
    #[arg(long, value_delimiter = ',')]
    tune: Vec<String>,
    /// Emulated device: count one step of each kernel, in place of the run, and draw them here (PNG)
    #[cfg(feature = "cuda")]
    #[arg(long)]
    roofline: Option<PathBuf>,
    /// Measured MSamples/s for --roofline: `base=...,shared=...,best=...`
    #[cfg(feature = "cuda")]
    #[arg(long, value_delimiter = ',')]
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
        let model = case.model();
        eprintln!(
            "Grid of {:?} points with {} more on each face; {} steps of {} s; recommended dt {:.6} s, stable up to {:.6} s",
            case.n,
            case.absorb,
            case.steps(),
            case.dt_s,
            model.dt_recommended_s(),
            model.dt_max_s()
        );
        #[cfg(feature = "cuda")]
        if !self.tune.is_empty() {
            return self.tune(&case, &model);
        }
        let mut device: Box<dyn Propagator> = match self.device {
            Where::Cpu => {
                Box::new(Cpu::new(&model, self.method, case.dt_s, case.source(), self.threads)?)
            }
            #[cfg(feature = "cuda")]
            Where::Cuda => {
                Box::new(Gpu::new(&model, Kernel::new(self.method), case.dt_s, case.source())?)
            }
        };
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

    /// Times kernels on one device: a few steps each, the best of three.
    fn tune(&self, case: &Case, model: &rtm::tti::Model) -> Result<()> {
        let mut kernels = Vec::new();
        for word in &self.tune {
            match word.as_str() {
                "all" => kernels.extend(candidates()),
                word => kernels.push(parse_kernel(word)?),
            }
        }
        let Some(first) = kernels.first() else { return Ok(()) };
        let mut gpu = Gpu::new(model, first.clone(), case.dt_s, case.source())?;
        let steps = case.steps();
        let samples: Vec<f32> = (0..steps).map(|k| source(k as f64 * case.dt_s)).collect();
        println!("{:>10} {:>10}  kernel", "MSamples/s", "ms/step");
        for kernel in kernels {
            let label = kernel.label();
            let seconds = gpu.change_kernel(model, kernel).and_then(|()| {
                let mut best = f64::INFINITY;
                for _ in 0..3 {
                    best = best.min(gpu.advance(&samples)?);
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
}

/// `METHOD:BX:BY:CHUNK[:OPTION...]`
#[cfg(feature = "cuda")]
fn parse_kernel(word: &str) -> Result<Kernel> {
    let wrong = || {
        Error::refused(
            format!("--tune {word}"),
            "not understood",
            "METHOD:BX:BY:CHUNK[:OPTION...], as best:32:8:64:-DMIN_BLOCKS=2",
        )
    };
    let parts: Vec<&str> = word.split(':').collect();
    let [method, x, y, chunk, options @ ..] = &parts[..] else { return Err(wrong()) };
    let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
    Ok(Kernel::new(method.parse()?)
        .with_block(number(x)?, number(y)?)
        .with_chunk(number(chunk)? as usize)
        .with_options(options))
}

/// Shapes worth trying.
#[cfg(feature = "cuda")]
fn candidates() -> Vec<Kernel> {
    let mut list = Vec::new();
    for method in [Method::Base, Method::Shared] {
        for [x, y] in [[32, 16], [32, 8], [64, 4], [64, 8]] {
            for chunk in [0, 64] {
                list.push(Kernel::new(method).with_block(x, y).with_chunk(chunk));
            }
        }
    }
    for ([x, y], blocks) in [([32, 8], 2), ([32, 8], 3), ([32, 16], 1), ([64, 4], 2), ([64, 8], 1)]
    {
        for chunk in [0, 128] {
            for (wait, unroll) in [(1, 1), (0, 1), (1, 9)] {
                let options = [
                    format!("-DMIN_BLOCKS={blocks}"),
                    format!("-DWAIT_SHARED={wait}"),
                    format!("-DUNROLL={unroll}"),
                ];
                list.push(
                    Kernel::new(Method::Best)
                        .with_block(x, y)
                        .with_chunk(chunk)
                        .with_options(&options.each_ref().map(String::as_str)),
                );
            }
        }
    }
    list
}
