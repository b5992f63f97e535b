//! Adds two vectors on the GPU: the program of exercises 1.1.1 to 1.1.8.
//!
//! `--exercise` says whose functions run; the numbers, the checks and the printing are here.

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use cust::device::Device;
use lab1_cuda_intro::figures::{Axis, Chart, Series, csv};
use lab1_cuda_intro::{e1_1_01, e1_1_02, e1_1_03, e1_1_04, e1_1_05, e1_1_06, e1_1_07, e1_1_08};
use labkit::{Backend, Lab, LabError, backend};

/// Adds two vectors on the GPU.
#[derive(Parser, Debug)]
struct Options {
    /// Exercise whose code runs
    #[arg(short, long, value_enum, default_value = "1.1.1")]
    exercise: Exercise,
    /// Elements of each vector
    #[arg(long, default_value_t = 5)]
    n: usize,
    /// Threads of a block (1.1.3: a block of n threads or more means a single block)
    #[arg(long, default_value_t = 256)]
    block: u32,
    /// Type of the elements (1.1.2)
    #[arg(long = "type", value_enum, default_value_t = Elem::Int)]
    elem: Elem,
    /// Repetitions of a measurement; the shortest counts
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Which threads print (1.1.7)
    #[arg(long, value_enum, default_value_t = Print::None)]
    print: Print,
    /// Draw the times over n into plots/ (1.1.6)
    #[arg(long)]
    plot: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Exercise {
    #[value(name = "1.1.1")]
    Run,
    #[value(name = "1.1.2")]
    Presentable,
    #[value(name = "1.1.3")]
    Blocks,
    #[value(name = "1.1.4")]
    Guarded,
    #[value(name = "1.1.5")]
    Gross,
    #[value(name = "1.1.6")]
    Net,
    #[value(name = "1.1.7")]
    Printing,
    #[value(name = "1.1.8")]
    Float,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Elem {
    Int,
    Float,
    Double,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Print {
    None,
    Lane0,
    All,
}

fn main() -> ExitCode {
    let options = Options::parse();
    if let Err(text) = check(&options) {
        eprintln!("error: {text}");
        return ExitCode::from(2);
    }
    labkit::exit(run(&options))
}

/// What can be said about the options before any work is done.
fn check(options: &Options) -> Result<(), String> {
    let Options { exercise, n, block, elem, runs, .. } = options;
    // Exercise 1.1.3 is where a block that is too large is sent to the driver on purpose.
    if *exercise != Exercise::Blocks && !(1..=1024).contains(block) {
        return Err(format!("--block: expected 1..=1024, found {block}"));
    }
    if *runs == 0 {
        return Err("--runs: expected at least 1, found 0".into());
    }
    let known_sums = [Exercise::Blocks, Exercise::Guarded, Exercise::Printing];
    if known_sums.contains(exercise) && *elem == Elem::Int && *n > e1_1_03::MAX_N {
        return Err(format!("--n: expected at most {} for int, found {n}", e1_1_03::MAX_N));
    }
    if *n > 1 << 28 {
        return Err(format!("--n: expected at most {}, found {n}", 1 << 28));
    }
    Ok(())
}

fn run(options: &Options) -> Result<(), LabError> {
    let lab = Lab::new()?;
    match options.exercise {
        Exercise::Run => five(&lab, options.n),
        Exercise::Presentable => presentable(&lab, options),
        Exercise::Blocks => blocks(&lab, options),
        Exercise::Guarded => guarded(&lab, options),
        Exercise::Gross => gross(&lab, options),
        Exercise::Net if options.plot => curve(&lab, options.runs),
        Exercise::Net => net(&lab, options),
        Exercise::Printing => printing(&lab, options),
        Exercise::Float => float(&lab, options),
    }
}

fn five(lab: &Lab, n: usize) -> Result<(), LabError> {
    let a: Vec<i32> = (1..=n as i32).collect();
    let b: Vec<i32> = a.iter().map(|a| 10 * a).collect();
    let mut c = vec![0; n];
    e1_1_01::add_with_cuda(lab, &mut c, &a, &b)?;
    println!("{}", e1_1_01::line(&a, &b, &c));
    Ok(())
}

fn presentable(lab: &Lab, options: &Options) -> Result<(), LabError> {
    println!("{}", e1_1_02::device_line(Device::get_device(0)?)?);
    match options.elem {
        Elem::Int => sums(lab, options.n, |i| i as i32),
        Elem::Float => sums(lab, options.n, |i| i as f32 * 1.5),
        Elem::Double => sums(lab, options.n, |i| i as f64 * 1.5),
    }
}

/// Adds `value(1..=n)` to itself and prints the first sums.
fn sums<T: e1_1_02::Elem + std::fmt::Display>(
    lab: &Lab,
    n: usize,
    value: impl Fn(usize) -> T,
) -> Result<(), LabError> {
    let a: Vec<T> = (1..=n).map(value).collect();
    let mut c = vec![T::default(); n];
    e1_1_02::add_with_cuda(lab, &mut c, &a, &a)?;
    for (a, c) in a.iter().zip(&c).take(5) {
        println!("{a} + {a} = {c}");
    }
    Ok(())
}

fn blocks(lab: &Lab, options: &Options) -> Result<(), LabError> {
    let n = options.n;
    let (a, b) = e1_1_03::fill(n)?;
    let mut c = vec![0; n];
    if options.block as usize >= n {
        e1_1_03::add_single_block(lab, &mut c, &a, &b)?;
    } else {
        e1_1_03::add_blocks(lab, &mut c, &a, &b)?;
    }
    report(n, e1_1_03::verify(&c))
}

fn report(n: usize, verified: Result<(), usize>) -> Result<(), LabError> {
    match verified {
        Ok(()) => {
            println!("n = {n}: every sum is right");
            Ok(())
        }
        Err(bad) => Err(LabError::msg(format!("n = {n}: the first wrong sum is c[{bad}]"))),
    }
}

/// The vectors whose sum is `10001 * i`.
fn known(n: usize) -> (Vec<i32>, Vec<i32>) {
    ((0..n as i32).collect(), (0..n as i32).map(|i| 10_000 * i).collect())
}

fn guarded(lab: &Lab, options: &Options) -> Result<(), LabError> {
    let (a, b) = known(options.n);
    let mut c = vec![0; options.n];
    e1_1_04::add_guarded(lab, options.block, &mut c, &a, &b)?;
    let wrong = (0..c.len()).find(|&i| c[i] != a[i] + b[i]);
    report(options.n, wrong.map_or(Ok(()), Err))
}

fn gross(lab: &Lab, options: &Options) -> Result<(), LabError> {
    let best = e1_1_05::gross_time(lab, options.n, options.runs)?;
    println!("Processing time: {:.6} ms{}", best.as_secs_f64() * 1e3, gross_note());
    Ok(())
}

fn net(lab: &Lab, options: &Options) -> Result<(), LabError> {
    let row = e1_1_06::measure(lab, options.n, options.runs)?;
    println!("Processing time: {:.6} ms{}", row.gross_ms, gross_note());
    println!("{}", lab.kernel_time_line(row.net_ms)?);
    // Without a GPU one of the two is this computer's time and the other a GPU's: they have no
    // ratio.
    if backend() == Backend::Cuda {
        println!("Gross / net: {:.0}", row.gross_ms / f64::from(row.net_ms));
    }
    Ok(())
}

/// The GPU that is stood in for; `None` on a real one.
fn emulated(lab: &Lab) -> Result<Option<String>, LabError> {
    (backend() == Backend::Emulated).then(|| lab.gpu_name()).transpose()
}

fn gross_note() -> &'static str {
    if backend() == Backend::Emulated { " (of this computer: the device is emulated)" } else { "" }
}

fn curve(lab: &Lab, runs: usize) -> Result<(), LabError> {
    let gpu = emulated(lab)?;
    // Predicted times do not vary from run to run.
    let runs = if gpu.is_some() { 1 } else { runs };
    let names = match gpu {
        None => ["gross".to_string(), "net".to_string()],
        Some(gpu) => {
            ["gross (the emulator's own)".to_string(), format!("net (predicted for {gpu})")]
        }
    };
    let mut series = names.map(|name| Series::line(&name, Vec::new()));
    for n in (10..=24).map(|k| 1usize << k) {
        let row = e1_1_06::measure(lab, n, runs)?;
        println!("n = {n:9}: gross {:12.6} ms, net {:10.6} ms", row.gross_ms, row.net_ms);
        series[0].points.push((n as f64, row.gross_ms));
        series[1].points.push((n as f64, f64::from(row.net_ms)));
    }
    save("plots/e1_1_06.csv", &csv("n", &series))?;
    let (x, y) = (Axis::log("elements"), Axis::log("time").unit("s", 1e-3));
    let chart = Chart::new("Adding two vectors of int", x, y).with_all(series);
    save("plots/e1_1_06.svg", &chart.svg())
}

/// Writes a file of the lab's folder, which need not be the current one.
fn save(name: &str, text: &str) -> Result<(), LabError> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    labkit::picture::save(&path, text)?;
    println!("wrote {}", path.display());
    Ok(())
}

fn printing(lab: &Lab, options: &Options) -> Result<(), LabError> {
    let (a, b) = known(options.n);
    let mut c = vec![0; options.n];
    let who = match options.print {
        Print::All => e1_1_07::Who::All,
        Print::Lane0 => e1_1_07::Who::Lane0,
        Print::None => {
            let dur = e1_1_07::durations(lab, options.block, &a, &b)?;
            let (min, max) = (dur.iter().min(), dur.iter().max());
            if let (Some(min), Some(max)) = (min, max) {
                println!("{} warps: {min} to {max} clocks per addition", dur.len());
            }
            return Ok(());
        }
    };
    e1_1_07::add_print(lab, who, options.block, &mut c, &a, &b)
}

fn float(lab: &Lab, options: &Options) -> Result<(), LabError> {
    let n = options.n;
    let (a, b) = e1_1_08::fill(n);
    let mut c = vec![0.0; n];
    e1_1_08::add(lab, options.block, &mut c, &a, &b)?;
    println!("Largest error against f32: {:.4e}", e1_1_08::max_abs_err(&c, &a, &b));
    println!("Largest error against f64: {:.4e}", e1_1_08::max_abs_err_exact(&c));
    // The float kernel moves the same bytes as the int kernel of 1.1.6, so it takes the same time.
    let times = e1_1_06::kernel_ms(lab, n, options.runs)?;
    let ms = times.into_iter().fold(f32::INFINITY, f32::min);
    let note = emulated(lab)?.map(|gpu| format!(" predicted for {gpu}")).unwrap_or_default();
    println!("Rate: {:.3} GFLOP/s{note}", e1_1_08::gflops(n, f64::from(ms)));
    Ok(())
}
