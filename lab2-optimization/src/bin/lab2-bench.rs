//! Measures the lab's kernels for `cargo lab study`: a line of JSON for each variant and block
//! size.
//!
//! On a card the times are the card's; on the emulated device a signal of `--seconds` takes the
//! emulator long.

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use lab2_optimization::timing::Timing;
use lab2_optimization::versions::VERSIONS;
use lab2_optimization::{e2_2_01, e2_2_02, fir, mmt};
use labkit::{Lab, LabError};

/// Measures the lab's kernels.
#[derive(Parser, Debug)]
struct Options {
    /// What to measure
    what: What,
    /// Threads of a block (fir) or rows of a tile (matmul)
    #[arg(long, value_delimiter = ',', required = true)]
    ks: Vec<u32>,
    /// Length of the stereo signal, 44100 samples a second (fir)
    #[arg(long, default_value_t = 600.0)]
    seconds: f64,
    /// Rows of the matrix (matmul)
    #[arg(long, default_value_t = 2400)]
    m: usize,
    /// Columns of the matrix (matmul)
    #[arg(long, default_value_t = 6240)]
    n: usize,
    /// Repetitions; the shortest counts
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Only this variant, such as fir4
    #[arg(long)]
    variant: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    Fir,
    Matmul,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let result = match options.what {
        What::Fir => filters(&options),
        What::Matmul => products(&options),
    };
    labkit::exit(result)
}

fn filters(options: &Options) -> Result<(), LabError> {
    let lab = Lab::new()?;
    let n = 1024;
    let len = (options.seconds * 44_100.0).max(1.0) as usize;
    // Something with all bits in use that no value of is special; the time does not depend on it.
    let noise = |count: usize, scale: f32| -> Vec<f32> {
        (0..count).map(|i| ((i * 7919 % 10_007) as f32 / 5003.5 - 1.0) * scale).collect()
    };
    let (coeff, yin) = (noise(n + 1, 0.03), noise(2 * len, 1.0));
    let mut yout = vec![0.0; 2 * len];
    for version in VERSIONS.iter().filter(|v| chosen(options, v.name)) {
        for &k in &options.ks {
            let run = || (version.audiofir)(&lab, k, &mut yout, &yin, &coeff, n, len);
            let ms = best(options.runs, run)?;
            report(&lab, version.name, k, ms, fir::flop(n, len))?;
        }
    }
    Ok(())
}

/// Tiles that do not fit the matrix are passed over.
fn products(options: &Options) -> Result<(), LabError> {
    let lab = Lab::new()?;
    let (m, n) = (options.m, options.n);
    let a: Vec<f32> = (0..m * n).map(|i| (i * 7919 % 10_007) as f32 / 5003.5 - 1.0).collect();
    let mut c = vec![0.0; m * m];
    for variant in mmt::Variant::ALL {
        let name = format!("mmt{}", variant.number());
        if !chosen(options, &name) {
            continue;
        }
        let fits = |k: &&u32| **k > 0 && [m, n].iter().all(|size| size % **k as usize == 0);
        for &k in options.ks.iter().filter(fits) {
            let config = mmt::Config { variant, k, pad: Some(e2_2_02::best_pad(k)) };
            let run = || e2_2_01::matmultran(&lab, &config, &mut c, &a, m, n);
            let ms = best(options.runs, run)?;
            report(&lab, &name, k, ms, e2_2_01::flop(m, n))?;
        }
    }
    Ok(())
}

fn chosen(options: &Options, name: &str) -> bool {
    options.variant.as_deref().is_none_or(|v| v == name)
}

/// The least kernel time of several runs, in milliseconds.
fn best(runs: usize, mut f: impl FnMut() -> Result<Timing, LabError>) -> Result<f64, LabError> {
    let mut least = f64::INFINITY;
    for _ in 0..runs.max(1) {
        least = least.min(f64::from(f()?.kernel_ms));
    }
    Ok(least)
}

/// One line, as `grading::study::Measured` reads it.
fn report(lab: &Lab, variant: &str, k: u32, ms: f64, flop: f64) -> Result<(), LabError> {
    let line = serde_json::json!({
        "variant": variant, "k": k, "ms": ms, "gflops": fir::gflops(ms, flop),
        "device": lab.gpu_name()?,
    });
    println!("{line}");
    Ok(())
}
