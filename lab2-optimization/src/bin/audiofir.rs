//! Filters stereo sound from `audiofir_in.dat` and compares with the reference in it: the program
//! of exercises 2.1.2 to 2.1.10.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use cuda_driver as _;
use lab2_optimization::audio::{Frame, audiofir_fft, wav};
use lab2_optimization::e2_1_02::{audiofir, max_abs_err, read_in, write_out};
use lab2_optimization::e2_1_04::soundsc;
use lab2_optimization::e2_1_05::{audiofir_par, chunk};
use lab2_optimization::e2_1_11::{configuration_lines, suggestion};
use lab2_optimization::fir::{FirData, cpu_line};
use lab2_optimization::timing::{Timing, gpu_line};
use lab2_optimization::versions::VERSIONS;
use labkit::{Backend, Lab, LabError, backend};

/// A filter for stereo sound, on the CPU and in five CUDA versions
#[derive(Debug, Parser)]
#[command(name = "audiofir")]
struct Options {
    /// 0: CPU; 1: naive, 2: padded, 3: constant memory, 4: tiled, 5: static order
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=5))]
    variant: u32,
    /// Test problem: coefficients, input and reference
    #[arg(long = "in", default_value = "audiofir_in.dat")]
    input: PathBuf,
    /// Filtered signal
    #[arg(long, default_value = "audiofir_out.dat")]
    out: PathBuf,
    /// Write the filtered signal as a sound file, too
    #[arg(long)]
    wav: Option<PathBuf>,
    /// Threads of a block
    #[arg(long, default_value_t = 512)]
    k: u32,
    /// Runs of which the fastest counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// With variant 0: which filter; its output is written
    #[arg(long, value_enum, default_value_t = Cpu::Plain)]
    cpu: Cpu,
}

/// A filter on the CPU.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Cpu {
    /// The loop of 2.1.2, one core
    Plain,
    /// The parallel filter of 2.1.5, all cores
    Par,
    /// Overlap-save with the fast Fourier transform, all cores
    Fft,
}

fn main() -> ExitCode {
    labkit::exit(run(&Options::parse()))
}

fn run(options: &Options) -> Result<(), LabError> {
    if options.k == 0 || options.k > 1024 || !options.k.is_multiple_of(32) {
        let found = options.k;
        return Err(LabError::refused(format!(
            "--k: expected a multiple of 32 up to 1024, found {found}"
        )));
    }
    let data = read_in(&options.input)?;
    println!("{}: order {}, 2 channels of {} samples", options.input.display(), data.n(), data.len);
    let yout = match options.variant {
        0 => on_cpu(options, &data),
        _ => on_gpu(options, &data)?,
    };
    println!("greatest error = {:.3e}", max_abs_err(&yout, &data.yref));
    write_out(&options.out, &yout)?;
    if let Some(path) = &options.wav {
        let (left, right) = yout.split_at(data.len);
        let frames: Vec<Frame> =
            left.iter().zip(right).map(|(l, r)| [f64::from(*l), f64::from(*r)]).collect();
        wav::write(path, &soundsc(&frames))?;
    }
    Ok(())
}

/// The filter on the CPU: prints the time of the fastest run, returns the output.
fn on_cpu(options: &Options, data: &FirData) -> Vec<f32> {
    let filter: fn(&mut [f32], &[f32], &[f32], usize) = match options.cpu {
        Cpu::Plain => audiofir,
        Cpu::Par => |y, x, h, len| audiofir_par(y, x, h, len, &chunk),
        Cpu::Fft => audiofir_fft,
    };
    let mut yout = vec![0.0; data.yin.len()];
    let mut best = Duration::MAX;
    for _ in 0..options.runs {
        let start = Instant::now();
        filter(&mut yout, &data.yin, &data.coeff, data.len);
        best = best.min(start.elapsed());
    }
    println!("{}", cpu_line(best.as_secs_f64() * 1e3, data.flop()));
    yout
}

/// One of the CUDA versions: prints its time, returns its output.
fn on_gpu(options: &Options, data: &FirData) -> Result<Vec<f32>, LabError> {
    let (k, n, len) = (options.k, data.n(), data.len);
    let version = VERSIONS[options.variant as usize - 1];
    let lab = Lab::new()?;
    let mut yout = vec![0.0; data.yin.len()];
    let mut best: Option<Timing> = None;
    // A prediction is the same at every run.
    let runs = if backend() == Backend::Emulated { 1 } else { options.runs };
    for _ in 0..runs {
        let timing = (version.audiofir)(&lab, k, &mut yout, &data.yin, &data.coeff, n, len)?;
        best = best.filter(|b| b.kernel_ms <= timing.kernel_ms).or(Some(timing));
    }
    if let Some(timing) = best {
        println!("{}", gpu_line(&lab, timing, data.flop())?);
    }
    // Exercise 2.1.11, if it has been done.
    let module = lab.module(version.file, &[&format!("-DK={k}")])?;
    if let Ok(suggested) = suggestion(&module.get_function("audiofir_kernel")?) {
        for line in configuration_lines(suggested, ((len as u32).div_ceil(k), k)) {
            println!("{line}");
        }
    }
    Ok(yout)
}
