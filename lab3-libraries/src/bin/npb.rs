//! The NAS parallel benchmarks EP and FT, on the CPU and on the device, with the official form of a
//! report.
//!
//! `npb ep --class A --backend cpu`, `npb ft --class C --backend cuda`; `npb --study` runs all
//! versions of both by class.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use clap::{Parser, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use lab3_libraries::ft::{Layout, Params};
use lab3_libraries::{e3_3_03, e3_4_07, nas};
use labkit::{Backend, Lab, LabError};
use npb::ep::EpResult;
use npb::ft::C64;
use npb::report::Report;
use npb::study::VERSIONS;
use npb::{ep, ft};
use npb_parallel::ft::Workspace;

/// NAS parallel benchmarks EP and FT.
#[derive(Debug, Parser)]
struct Options {
    /// Which one; with --study both if not given.
    #[arg(required_unless_present = "study")]
    benchmark: Option<Benchmark>,
    /// Class: S, W, A to E, or our own T12 and T (EP), T1 to T4 (FT); with --study a list such as
    /// S,W,A.
    #[arg(long, default_value = "S")]
    class: String,
    /// All versions of a class, with mean, standard deviation and speed-up over the sequential one.
    #[arg(long, conflicts_with_all = ["backend", "version", "threads", "mk", "block"])]
    study: bool,
    /// With --study: folder for npb.csv and a picture of each benchmark.
    #[arg(long, requires = "study")]
    out: Option<PathBuf>,
    /// Where it runs.
    #[arg(long, value_enum, default_value_t = Where::Cpu)]
    backend: Where,
    /// Which program runs; `library` is FT with cuFFT's transforms.
    #[arg(long, value_enum, default_value_t = Version::Fast)]
    version: Version,
    /// CPU: threads; all cores if not given.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// EP: pairs of a batch, as a power of two; 16 on the CPU, and what makes some 10^5 threads on
    /// the device.
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=30))]
    mk: Option<u32>,
    /// EP, versions `paper` and `better`: threads of a block.
    #[arg(long, default_value_t = 128)]
    block: u32,
    /// Times that it runs; the fastest is reported, with --study the mean.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Benchmark {
    Ep,
    Ft,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Where {
    /// This computer's cores.
    Cpu,
    /// The GPU, or the emulated device if there is none.
    Cuda,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Version {
    /// The fastest of our own.
    Fast,
    /// FT on the device with the library's transforms.
    Library,
    /// Yours, on one core: made of 3.3.2's batch; of 3.4.1's roots and 3.4.3's transform.
    Plain,
    /// Yours: the paper's designs, of exercises 3.3.3 and 3.4.7.
    Paper,
    /// Yours: EP with the better reduction of exercise 3.3.4.
    Better,
    /// Yours: FT of exercise 3.4.7 without copies.
    Direct,
    /// Yours: FT of exercise 3.4.7 with whole lines in shared memory.
    Shared,
}

/// A bar on the terminal that is gone when the work is done.
fn bar(steps: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(" {bar:40} {percent} %, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(steps).with_style(style)
}

/// A sign of life on the terminal, for what cannot tell how far it is.
fn spinner() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(" {spinner} running for {elapsed}, Ctrl-C ends it")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    let spinner = ProgressBar::new_spinner().with_style(style);
    spinner.enable_steady_tick(Duration::from_millis(120));
    spinner
}

/// The fastest of `runs` runs by the clock.
fn fastest<R>(
    runs: u32,
    mut f: impl FnMut() -> Result<R, LabError>,
) -> Result<(R, Duration), LabError> {
    let mut best: Option<(R, Duration)> = None;
    for _ in 0..runs {
        let start = Instant::now();
        let result = f()?;
        let time = start.elapsed();
        if best.as_ref().is_none_or(|(_, fastest)| time < *fastest) {
            best = Some((result, time));
        }
    }
    best.ok_or_else(|| LabError::refused("--runs: expected at least 1"))
}

/// Where a benchmark is going to run.
enum Place {
    Cpu(rayon::ThreadPool),
    Device(Box<Lab>),
}

impl Place {
    fn new(options: &Options) -> Result<Place, LabError> {
        if options.backend == Where::Cuda {
            return Ok(Place::Device(Box::new(Lab::new()?)));
        }
        let threads = match options.version {
            Version::Plain => 1,
            _ => options.threads.unwrap_or(0).into(),
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(Place::Cpu(pool.map_err(|e| LabError::refused(format!("--threads: {e}")))?))
    }

    fn name(&self) -> Result<String, LabError> {
        Ok(match self {
            Place::Cpu(_) => "CPU".to_owned(),
            Place::Device(lab) => lab.gpu_name()?,
        })
    }

    /// Threads of the CPU.
    fn threads(&self) -> Option<usize> {
        match self {
            Place::Cpu(pool) => Some(pool.current_num_threads()),
            Place::Device(_) => None,
        }
    }

    /// Refuses what would take hours.
    fn check(&self, class: &str, small: bool) -> Result<(), LabError> {
        if matches!(self, Place::Device(_)) && labkit::backend() == Backend::Emulated && !small {
            return Err(LabError::refused(format!(
                "class {class} is too large for the emulated device: use a GPU, or --backend cpu"
            )));
        }
        Ok(())
    }
}

/// A class that there is not.
fn no_class<const N: usize>(benchmark: &str, found: &str, names: [&str; N]) -> LabError {
    let names = names.join(", ");
    LabError::refused(format!("--class: {benchmark} has no class `{found}`, choose one of {names}"))
}

/// A version that the benchmark does not have there.
fn refused(options: &Options) -> LabError {
    let name = |value: Option<clap::builder::PossibleValue>| {
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    };
    LabError::refused(format!(
        "--version {}: {} has no such version on --backend {}",
        name(options.version.to_possible_value()),
        name(options.benchmark.and_then(|benchmark| benchmark.to_possible_value())),
        name(options.backend.to_possible_value())
    ))
}

/// A time between events.
fn milliseconds(ms: f32) -> Duration {
    Duration::from_secs_f64(f64::from(ms) / 1e3)
}

/// The command line behind the program's name.
fn asked() -> String {
    std::env::args().skip(1).collect::<Vec<_>>().join(" ")
}

fn run_ep(options: &Options) -> Result<Report, LabError> {
    let class = ep::Class::by_name(&options.class)
        .ok_or_else(|| no_class("EP", &options.class, ep::CLASSES.map(|class| class.name)))?;
    let place = Place::new(options)?;
    let usual = match &place {
        Place::Cpu(_) => ep::OFFICIAL_MK,
        Place::Device(_) => class.m.saturating_sub(18).clamp(6, 14),
    };
    let mk = options.mk.unwrap_or(usual.min(class.m));
    place.check(class.name, class.m <= 25)?;
    let bar = match (&place, options.version) {
        (Place::Cpu(_), Version::Fast) => bar(1000),
        _ => spinner(),
    };
    let (result, time): (EpResult, Duration) = match (&place, options.version) {
        (Place::Cpu(pool), Version::Fast) => {
            let shown = |part: f64| bar.set_position((1000.0 * part) as u64);
            fastest(options.runs, || {
                pool.install(|| npb_parallel::ep::parallel_with(class.m, mk, &shown))
                    .map_err(LabError::refused)
            })?
        }
        (Place::Cpu(_), Version::Plain) => fastest(options.runs, || nas::plain::ep(class.m, mk))?,
        (Place::Device(lab), Version::Fast) => nas::ep::fast(lab, class.m, options.runs as usize)?,
        (Place::Device(lab), Version::Paper | Version::Better) => {
            let version = match options.version {
                Version::Paper => lab3_libraries::ep::Version::Paper,
                _ => lab3_libraries::ep::Version::Better,
            };
            let (result, ms) = e3_3_03::ep_gpu(lab, version, class.m, mk, options.block)?;
            (result, milliseconds(ms))
        }
        _ => return Err(refused(options)),
    };
    bar.finish_and_clear();
    println!(" N = 2^{}", class.m);
    println!(" No. Gaussian Pairs = {:>15}", result.pairs());
    println!(" Sums = {:>25.15e} {:>25.15e}", result.sx, result.sy);
    println!(" Counts:");
    for (ring, count) in result.q.iter().enumerate() {
        println!(" {ring:>3} {count:>15}");
    }
    let verdict = class.verify(&result);
    if let Err(why) = &verdict {
        println!(" {why}");
    }
    Ok(Report {
        name: "EP",
        class: class.name,
        size: (1u64 << (class.m + 1)).to_string(),
        iterations: 0,
        place: place.name()?,
        threads: place.threads(),
        time,
        mop: class.mop(),
        operation: "Random numbers generated",
        verified: Some(verdict.is_ok()),
        date: SystemTime::now(),
        options: asked(),
    })
}

fn run_ft(options: &Options) -> Result<Report, LabError> {
    let class = ft::Class::by_name(&options.class)
        .ok_or_else(|| no_class("FT", &options.class, ft::CLASSES.map(|class| class.name)))?;
    let [nx, ny, nz] = class.size;
    let (size, iterations) = (class.size, class.iterations());
    let place = Place::new(options)?;
    place.check(class.name, nx * ny * nz <= 1 << 19)?;
    let bar = match options.version {
        Version::Fast | Version::Library => bar(iterations as u64),
        _ => spinner(),
    };
    let (sums, time): (Vec<C64>, Duration) = match (&place, options.version) {
        (Place::Cpu(pool), Version::Fast) => {
            check_host_memory(Workspace::bytes(size)).map_err(LabError::refused)?;
            // As on the device, and in the official program: memory is there before the clock
            // starts.
            let workspace = pool.install(|| Workspace::new(size));
            let mut workspace = workspace.map_err(LabError::refused)?;
            let mut shown = |t: usize, _: C64| bar.set_position(t as u64);
            fastest(options.runs, || Ok(pool.install(|| workspace.run(iterations, &mut shown))))?
        }
        (Place::Cpu(_), Version::Plain) => {
            fastest(options.runs, || nas::plain::ft(size, iterations))?
        }
        (Place::Device(lab), Version::Paper | Version::Direct | Version::Shared) => {
            let layout = match options.version {
                Version::Paper => Layout::Paper,
                Version::Shared => Layout::Shared,
                _ => Layout::Direct,
            };
            let (sums, times) =
                e3_4_07::ft_gpu(lab, &Params { nx, ny, nz, niter: iterations }, layout)?;
            println!(
                " set-up {:.3} ms, evolve {:.3} ms, fft {:.3} ms, checksum {:.3} ms",
                times.setup, times.evolve, times.fft, times.checksum
            );
            (sums, milliseconds(times.total))
        }
        (Place::Device(lab), Version::Fast | Version::Library) => {
            let version = match options.version {
                Version::Library => nas::ft::Version::Library,
                _ => nas::ft::Version::Own,
            };
            let mut shown = |t: usize| bar.set_position(t as u64);
            nas::ft::run(lab, version, size, iterations, options.runs as usize, &mut shown)?
        }
        _ => return Err(refused(options)),
    };
    bar.finish_and_clear();
    for (i, sum) in sums.iter().enumerate() {
        println!(" T = {:>5}     Checksum = {:>20.12e} {:>20.12e}", i + 1, sum.re, sum.im);
    }
    let verdict = class.verify(&sums);
    if let Err(why) = &verdict {
        println!(" {why}");
    }
    Ok(Report {
        name: "FT",
        class: class.name,
        size: format!("{nx}x{ny:>4}x{nz:>4}"),
        iterations,
        place: place.name()?,
        threads: place.threads(),
        time,
        mop: class.mop(),
        operation: "floating point",
        verified: Some(verdict.is_ok()),
        date: SystemTime::now(),
        options: asked(),
    })
}

/// Refuses what does not fit into this computer's memory, where it tells how much that is.
fn check_host_memory(bytes: u64) -> Result<(), String> {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let free = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    match free.map(|kib| kib << 10) {
        Some(free) if bytes > free => Err(format!(
            "FT needs {:.2} GiB of memory, {:.2} GiB are free",
            bytes as f64 / f64::from(1 << 30),
            free as f64 / f64::from(1 << 30)
        )),
        _ => Ok(()),
    }
}

/// All versions of the classes; true if all results are the official ones.
fn study(options: &Options) -> Result<bool, LabError> {
    let only = match options.benchmark {
        Some(Benchmark::Ep) => Some("EP"),
        Some(Benchmark::Ft) => Some("FT"),
        None => None,
    };
    let classes = || options.class.split(',');
    for class in classes() {
        if only != Some("FT") && ep::Class::by_name(class).is_none() {
            return Err(no_class("EP", class, ep::CLASSES.map(|class| class.name)));
        }
        if only != Some("EP") && ft::Class::by_name(class).is_none() {
            return Err(no_class("FT", class, ft::CLASSES.map(|class| class.name)));
        }
    }
    let failed = |folder: &Path, e| LabError::refused(format!("--out {}: {e}", folder.display()));
    if let Some(folder) = &options.out {
        std::fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
    }
    let write = |name: &str, text: &str| match &options.out {
        Some(folder) => std::fs::write(folder.join(name), text).map_err(|e| failed(folder, e)),
        None => Ok(()),
    };
    let spinner = spinner();
    let (mut rows, mut left_out) = (Vec::new(), Vec::new());
    for (benchmark, versions) in VERSIONS {
        if only.is_some_and(|only| only != benchmark) {
            continue;
        }
        for class in classes() {
            for version in versions {
                let why = match nas::study::row(benchmark, class, version, options.runs as usize) {
                    Ok(Some(row)) => {
                        let (runs, mean) = (row.seconds.len(), row.mean());
                        let done = format!("{benchmark} {class} {version}: {runs} x {mean:.3} s");
                        spinner.suspend(|| eprintln!("{done}"));
                        rows.push(row);
                        // What is finished outlives Ctrl-C.
                        write("npb.csv", &npb::study::csv(&rows))?;
                        continue;
                    }
                    Ok(None) => "too large for the emulated device".to_owned(),
                    Err(error) => error.to_string(),
                };
                left_out.push(format!("left out: {benchmark} {class} {version}: {why}"));
            }
        }
    }
    spinner.finish_and_clear();
    print!("{}", npb::study::text(&rows));
    for line in &left_out {
        println!("{line}");
    }
    if let Some(folder) = &options.out {
        let charts = npb::study::charts(&rows);
        for (name, text) in &charts {
            write(name, text)?;
        }
        for name in std::iter::once("npb.csv").chain(charts.iter().map(|(name, _)| &**name)) {
            println!("wrote {}", folder.join(name).display());
        }
    }
    Ok(rows.iter().all(|row| row.verified))
}

fn main() -> ExitCode {
    let options = Options::parse();
    if options.study {
        return match study(&options) {
            Ok(verified) => ExitCode::from(u8::from(!verified)),
            Err(error) => labkit::exit(Err(error)),
        };
    }
    let result = match options.benchmark {
        Some(Benchmark::Ft) => run_ft(&options),
        _ => run_ep(&options),
    };
    match result {
        Ok(report) => {
            println!("\n{report}");
            if options.backend == Where::Cuda && labkit::backend() == Backend::Emulated {
                println!(
                    " Time and Mop/s are predicted for the GPU named above: the device is emulated."
                );
            }
            ExitCode::from(u8::from(report.verified == Some(false)))
        }
        Err(error) => labkit::exit(Err(error)),
    }
}
