//! Monte Carlo integration: pi from a ball with its spread over the number of points, volumes and
//! moments of inertia.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use lab3_libraries::e3_1_02::{RandUni, f_ball, generate, integrate};
use lab3_libraries::e3_1_05::{Pseudo, fit_alpha, repeat, stats};
use lab3_libraries::e3_1_06::Quasi;
use lab3_libraries::e3_1_07::volume;
use lab3_libraries::e3_1_08::inertia;
use lab3_libraries::mc::{BALL_BOX, HostSource, Source};
use lab3_libraries::solids;
use labkit::figures::{Axis, Chart, Series};
use labkit::{Lab, LabError, csv};

/// Integrates with random points.
#[derive(Parser, Debug)]
struct Options {
    /// Points, at most; the series begins at 1000
    #[arg(long, default_value_t = 1e5)]
    n: f64,
    /// Results for each number of points
    #[arg(long, default_value_t = 10)]
    p: usize,
    /// Solid: 0 the ball, a to e those of exercise 3.1.7
    #[arg(long, default_value_t = '0')]
    solid: char,
    /// What of the solid
    #[arg(long, value_enum, default_value_t = What::Pi)]
    what: What,
    /// Which numbers
    #[arg(long, value_enum, default_value_t = Rng::Pseudo)]
    rng: Rng,
    /// Seed; quasi-random numbers have none
    #[arg(long)]
    seed: Option<u64>,
    /// Where pi is computed: on the device with the library's numbers, or on the CPU with the same
    /// numbers
    #[arg(long, value_enum, default_value_t = Where::Device)]
    on: Where,
    /// Write the series as a table
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
    /// Draw the spread over the number of points
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum What {
    /// pi from the unit ball, and the spread of the results
    Pi,
    /// Volume of a solid
    Volume,
    /// Moment of inertia of a solid about the z axis
    Inertia,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Rng {
    /// minstd on the CPU, once, with the times of the parts
    Lcg,
    /// The library's default pseudo-random numbers
    Pseudo,
    /// The library's quasi-random numbers
    Quasi,
    /// Pseudo- and quasi-random numbers, and quasi-random numbers for a smooth function, in one
    /// table
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Where {
    Device,
    Cpu,
}

fn main() -> ExitCode {
    labkit::exit(run(&Options::parse()))
}

fn run(options: &Options) -> Result<(), LabError> {
    if !(options.n >= 1.0 && options.n <= 1e12) {
        return Err(LabError::refused(format!("--n: expected 1 to 1e12, found {}", options.n)));
    }
    if options.p == 0 {
        return Err(LabError::refused("--p: expected at least 1, found 0"));
    }
    if options.rng == Rng::Quasi && options.seed.is_some() {
        eprintln!("warning: quasi-random numbers have no seed; --seed is not used");
    }
    let (n, seed) = (options.n as usize, options.seed.unwrap_or(1));
    match (options.what, options.rng) {
        (What::Pi, Rng::Lcg) => prototype(n, seed),
        (What::Pi, _) => law(options, n, seed),
        (what, _) => solid(options.solid, what, n, seed),
    }
}

/// Exercise 3.1.2, with the times of its parts.
fn prototype(n: usize, seed: u64) -> Result<(), LabError> {
    let start = Instant::now();
    let seed = u32::try_from(seed).map_err(|_| LabError::refused("--seed: expected 32 bits"))?;
    let sequence = RandUni::new(seed, -1.0, 1.0)?;
    let initiated = Instant::now();
    let [x, y, z] = generate(n, &sequence);
    let generated = Instant::now();
    let pi = 0.75 * integrate(&x, &y, &z, f_ball, BALL_BOX)?;
    let integrated = Instant::now();
    println!("pi = {pi:.6} from {n} points, error {:+.1e}", pi - std::f64::consts::PI);
    let parts = [
        ("initiation", initiated - start),
        ("generation", generated - initiated),
        ("integration", integrated - generated),
        ("total", integrated - start),
    ];
    for (what, time) in parts {
        println!("{what:12} {:10.3} ms", time.as_secs_f64() * 1e3);
    }
    Ok(())
}

/// One line of a figure: what, and the spread or error for each number of points.
struct Line {
    label: &'static str,
    points: Vec<(f64, f64)>,
}

/// Exercises 3.1.5 and 3.1.6: spread over the number of points, and the law.
fn law(options: &Options, n: usize, seed: u64) -> Result<(), LabError> {
    // Three sizes in each decade: 1000, 2154, 4642, 10,000, ...
    let decades = (options.n.log10() - 3.0).max(0.0);
    let steps = (3.0 * decades + 1e-9).floor() as i32;
    let mut sizes: Vec<usize> =
        (0..=steps).map(|k| 10f64.powf(3.0 + f64::from(k) / 3.0).round() as usize).collect();
    if n < 1000 {
        sizes = vec![n];
    }
    let lab = match options.on {
        Where::Device => Some(Lab::new()?),
        Where::Cpu => None,
    };
    let mut lines = Vec::new();
    if options.rng != Rng::Quasi {
        let mut source: Box<dyn Source + '_> = match &lab {
            Some(lab) => Box::new(Pseudo::new(lab, [seed, seed + 1, seed + 2])?),
            None => Box::new(HostSource::pseudo(seed)?),
        };
        lines.push(series("pseudo-random, ball", &sizes, options.p, &mut *source)?);
    }
    if options.rng != Rng::Pseudo {
        let mut source: Box<dyn Source + '_> = match &lab {
            Some(lab) => Box::new(Quasi::new(lab)?),
            None => Box::new(HostSource::quasi()?),
        };
        lines.push(series("quasi-random, ball", &sizes, options.p, &mut *source)?);
    }
    if options.rng == Rng::All {
        lines.push(smooth(&sizes, options.p)?);
    }
    for line in &lines {
        let (n, d): (Vec<f64>, Vec<f64>) = line.points.iter().copied().unzip();
        if n.len() > 1 {
            let (alpha, c) = fit_alpha(&n, &d)?;
            println!("{}: delta = {:.3} N^-{alpha:.3}", line.label, 10f64.powf(c));
        }
    }
    write(options, &lines)
}

/// The spread of `p` results from each of the sizes.
fn series(
    label: &'static str,
    sizes: &[usize],
    p: usize,
    source: &mut dyn Source,
) -> Result<Line, LabError> {
    println!("{label}:\n{:>12} {:>10} {:>10} {:>10} {:>11}", "N", "mean", "min", "max", "delta");
    let mut points = Vec::new();
    for n in sizes {
        let s = stats(&repeat(*n, p, source)?)?;
        println!("{n:12} {:10.6} {:10.6} {:10.6} {:11.3e}", s.mean, s.min, s.max, s.delta);
        points.push((*n as f64, s.delta));
    }
    Ok(Line { label, points })
}

/// The same for a function without a jump, exp(x + y + z) over the unit cube, and for powers of
/// two, which Sobol' points like best: there they show what they can do.
fn smooth(sizes: &[usize], p: usize) -> Result<Line, LabError> {
    let label = "quasi-random, exp(x+y+z)";
    let mut source = HostSource::quasi()?;
    let mut points = Vec::new();
    for n in sizes.iter().map(|n| n.next_power_of_two()) {
        let mut values = Vec::new();
        for _ in 0..p {
            let sum =
                source.sum(n, |point| point.iter().map(|v| f64::from(*v)).sum::<f64>().exp())?;
            values.push(sum / n as f64);
        }
        points.push((n as f64, stats(&values)?.delta));
    }
    Ok(Line { label, points })
}

fn write(options: &Options, lines: &[Line]) -> Result<(), LabError> {
    if let Some(path) = &options.out {
        let rows: Vec<Vec<String>> = lines
            .iter()
            .flat_map(|line| {
                let row = |(n, d): &(f64, f64)| {
                    vec![line.label.to_owned(), format!("{n}"), format!("{d:e}")]
                };
                line.points.iter().map(row).collect::<Vec<_>>()
            })
            .collect();
        csv::write(path, &["points", "n", "delta"], &rows)?;
        println!("wrote {}", path.display());
    }
    if let Some(path) = &options.plot {
        let title = format!("Spread of {} results", options.p);
        let (x, y) = (Axis::log("number of points N"), Axis::log("greatest \u{2212} least"));
        let series = lines.iter().map(|l| Series::line(l.label, l.points.clone()));
        let mut chart = Chart::new(&title, x, y).with_all(series);
        let ends: Vec<f64> = [lines[0].points.first(), lines[0].points.last()]
            .into_iter()
            .flatten()
            .map(|p| p.0)
            .collect();
        // Through the first spread, as straight lines to compare with.
        for (name, slope) in [("slope \u{2212}1/2", -0.5), ("slope \u{2212}1", -1.0)] {
            let first = lines[0].points[0].1;
            let at = |n: &f64| (*n, first * (n / ends[0]).powf(slope));
            chart = chart.with(Series::line(name, ends.iter().map(at).collect()).reference());
        }
        labkit::picture::save(path, chart.svg())?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// Exercises 3.1.7 and 3.1.8.
fn solid(letter: char, what: What, n: usize, seed: u64) -> Result<(), LabError> {
    let id = solids::by_letter(letter).ok_or_else(|| {
        LabError::refused(format!("--solid: expected 0 or a to e, found {letter}"))
    })?;
    let solid = solids::SOLIDS[id];
    let lab = Lab::new()?;
    let (name, (value, u), exact) = match what {
        What::Inertia => ("I_z", inertia(&lab, id, n, seed)?, solid.inertia),
        _ => ("V", volume(&lab, id, n, seed)?, solid.volume),
    };
    println!("{}, {n} points: {name} = {value:.5} +- {u:.5}", solid.name);
    println!("exactly {exact:.5}: off by {:+.2} u", (value - exact) / u);
    Ok(())
}
