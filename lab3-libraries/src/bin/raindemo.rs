//! Finds out on which days it rained from a few looks into a bucket; and how long that takes for 1
//! to 1000 years.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use lab3_libraries::e3_2_01::{full_row, problem};
use lab3_libraries::e3_2_02::{mp, write_dat};
use lab3_libraries::e3_2_03::csmp;
use lab3_libraries::e3_2_04::{Gemv, bytes, pursue, shape};
use lab3_libraries::rain::{ColMajor, Dat, EPS, Problem, TMAX, cpu_step_ms};
use labkit::figures::{Axis, Chart, Series, stacked_panels};
use labkit::{Lab, LabError, csv};

/// Rain from a bucket.
#[derive(Parser, Debug)]
struct Options {
    /// Years; more than one, or a list, measures the time of a step
    #[arg(long, value_delimiter = ',', default_value = "1")]
    years: Vec<usize>,
    /// Days in which water becomes less by the factor e
    #[arg(long, default_value_t = 30.0)]
    tau: f64,
    /// Seed
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Write the problem and its solution
    #[arg(long, value_name = "raindemo.dat")]
    dat: Option<PathBuf>,
    /// Draw rain, bucket and found rain into this folder
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
    /// Who computes
    #[arg(long, value_enum, default_value_t = Backend::Lib)]
    backend: Backend,
    /// Measure: steps of which the mean is taken
    #[arg(long, default_value_t = 10)]
    steps: usize,
    /// Measure: write the times
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
    /// Measure: draw the times
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Measure: GB/s of the memory, for a line in the picture below which no step can be; that of
    /// an H200
    #[arg(long, default_value_t = 4800.0)]
    bandwidth: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Backend {
    /// Plain Rust
    Cpu,
    /// The library's BLAS
    Lib,
    /// The kernel of exercise 3.2.4
    Kernel,
    /// All three, one after the other
    All,
}

fn main() -> ExitCode {
    labkit::exit(run(&Options::parse()))
}

fn run(options: &Options) -> Result<(), LabError> {
    if options.years.contains(&0) || options.steps == 0 {
        return Err(LabError::refused("--years and --steps: expected at least 1"));
    }
    if options.tau.is_nan() || options.tau <= 0.0 {
        return Err(LabError::refused(format!(
            "--tau: expected more than 0, found {}",
            options.tau
        )));
    }
    if options.years == [1] && options.backend != Backend::All && options.out.is_none() {
        demo(options)
    } else {
        measure(options)
    }
}

/// One year, with every step.
fn demo(options: &Options) -> Result<(), LabError> {
    let one = shape(1);
    let rain = problem(options.seed, one.n, one.k, one.m, options.tau)?;
    let a = ColMajor::new(&rain.a, rain.m, rain.n)?;
    let mut trace = Vec::new();
    let plain = mp(&a, &rain.y, TMAX, EPS, &mut |step| trace.push(step))?;
    let xr = match options.backend {
        Backend::Cpu => plain.clone(),
        _ => {
            let (xr, steps) = csmp(&Lab::new()?, &rain.a, &rain.y, rain.n, rain.m)?;
            trace = steps;
            xr
        }
    };
    for step in &trace {
        println!("{step}");
    }
    let off = xr.iter().zip(&plain).map(|(a, b)| f64::from((a - b).abs()));
    println!("max. abs. err. = {:.1e} against the plain version", off.fold(0.0, f64::max));
    let hit = (0..rain.n).filter(|i| xr[*i] != 0.0 && rain.x[*i] != 0.0).count();
    println!(
        "{} rainy days, {} days found, {hit} of them rainy",
        one.k,
        xr.iter().filter(|x| **x != 0.0).count()
    );
    if let Some(path) = &options.dat {
        let Problem { m, n, x, a, y, .. } = rain.clone();
        write_dat(path, &Dat { m, n, x, a, y, xr: xr.clone() })?;
        println!("wrote {}", path.display());
    }
    match &options.pictures {
        Some(folder) => draw(folder, &rain, &xr, options.tau),
        None => Ok(()),
    }
}

/// A line with a spike for each value.
fn spikes(name: &str, values: &[f32]) -> Series {
    let spike = |(i, v): (usize, &f32)| {
        let day = i as f64;
        [(day, 0.0), (day, f64::from(*v)), (day, 0.0)]
    };
    Series::line(name, values.iter().enumerate().flat_map(spike).collect()).smooth()
}

/// Rain, the bucket with the days on which it was looked at, and the rain that was found.
fn draw(folder: &Path, rain: &Problem, xr: &[f32], tau: f64) -> Result<(), LabError> {
    let bucket: Vec<(f64, f64)> = (0..rain.n)
        .map(|d| {
            let row = full_row(d, rain.n, tau);
            let held = row.iter().zip(&rain.x).map(|(a, x)| f64::from(a * x));
            (d as f64, held.sum())
        })
        .collect();
    let observed = rain.days.iter().zip(&rain.y).map(|(d, y)| (*d as f64, f64::from(*y)));
    let panel = |title: &str, series: Vec<Series>| {
        let (x, y) = (Axis::linear("day").range(0.0, 365.0), Axis::linear("amount").from_zero());
        Chart::new(title, x, y).with_all(series).size(600.0, 170.0)
    };
    let found = xr.iter().enumerate().filter(|(_, v)| **v != 0.0);
    let found = Series::points("found", found.map(|(d, v)| (d as f64, f64::from(*v))).collect());
    let panels = [
        panel("Rain x", vec![spikes("rain", &rain.x)]),
        panel(
            "Water in the bucket, and what was observed",
            vec![
                Series::line("every day", bucket).smooth(),
                Series::points("observed", observed.collect()),
            ],
        ),
        panel("Rain that was found", vec![spikes("rain", &rain.x), found]),
    ];
    let path = folder.join("rain.svg");
    labkit::picture::save(&path, stacked_panels(&panels).svg())?;
    println!("wrote {}", path.display());
    Ok(())
}

/// Time of a step over the number of years.
fn measure(options: &Options) -> Result<(), LabError> {
    let backends = match options.backend {
        Backend::All => vec![Backend::Cpu, Backend::Lib, Backend::Kernel],
        one => vec![one],
    };
    println!(
        "{:>6} {:>8} {:>16} {:>14} {:>12}",
        "years", "by", "bytes of A", "ms per step", "GB/s"
    );
    let mut rows = Vec::new();
    let mut series: Vec<Series> = backends
        .iter()
        .map(|b| Series::line(&format!("{b:?}").to_lowercase(), Vec::new()))
        .collect();
    for years in &options.years {
        let size = shape(*years);
        for (backend, line) in backends.iter().zip(&mut series) {
            let ms = match backend {
                Backend::Cpu => {
                    let start = Instant::now();
                    let ms = cpu_step_ms(size.n, size.m, options.tau as f32, options.steps)?;
                    if start.elapsed().as_secs() > 60 {
                        eprintln!("note: on the CPU, most of the time went into making A");
                    }
                    ms
                }
                _ => {
                    let gemv =
                        if *backend == Backend::Kernel { Gemv::Kernel } else { Gemv::Library };
                    let lab = Lab::new()?;
                    let (tau, seed) = (options.tau as f32, options.seed);
                    f64::from(pursue(&lab, size, tau, seed, gemv, options.steps)?.step_ms)
                }
            };
            let rate = bytes(size) as f64 / (1e6 * ms);
            println!("{years:6} {:>8} {:16} {ms:14.4} {rate:12.1}", line.name, bytes(size));
            rows.push(vec![
                years.to_string(),
                line.name.clone(),
                format!("{ms}"),
                format!("{rate}"),
            ]);
            line.points.push((*years as f64, ms));
        }
    }
    if labkit::backend() == labkit::Backend::Emulated && options.backend != Backend::Cpu {
        println!("(times of lib and kernel are predicted: the device is emulated)");
    }
    if let Some(path) = &options.out {
        csv::write(path, &["years", "by", "ms_per_step", "gb_per_s"], &rows)?;
        println!("wrote {}", path.display());
    }
    if let Some(path) = &options.plot {
        let read = |years: &usize| bytes(shape(*years)) as f64 / (1e6 * options.bandwidth);
        let points = options.years.iter().map(|y| (*y as f64, read(y))).collect();
        let read = Series::line(&format!("A read at {} GB/s", options.bandwidth), points);
        let (x, y) = (Axis::log("years"), Axis::log("time of a step").unit("s", 1e-3));
        let chart = Chart::new("A step of matching pursuit", x, y).with_all(series);
        labkit::picture::save(path, chart.with(read.reference()).svg())?;
        println!("wrote {}", path.display());
    }
    Ok(())
}
