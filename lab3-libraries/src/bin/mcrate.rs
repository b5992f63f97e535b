//! How many points a second are generated and integrated: by the library into memory and a kernel
//! that reads them, by that generation alone, and by a kernel that does both and stores nothing.

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use cudalibs::rand::{Generator, RngType};
use cust::prelude::*;
use labkit::{During, Lab, LabError, kernel_file};

/// Rates of Monte Carlo integration.
#[derive(Parser, Debug)]
struct Options {
    /// Points
    #[arg(long, default_value_t = 1e9)]
    n: f64,
    /// Points at a time, a multiple of 4: 12 bytes of memory each
    #[arg(long, default_value_t = 1 << 26)]
    chunk: usize,
    /// Generator
    #[arg(long, value_enum, default_value_t = Rng::Xorwow)]
    rng: Rng,
    /// Runs, of which the fastest counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Rng {
    Xorwow,
    Philox,
    Mrg32k3a,
    Sobol,
}

impl Rng {
    fn kind(self) -> RngType {
        match self {
            Rng::Xorwow => RngType::PseudoXorwow,
            Rng::Philox => RngType::PseudoPhilox4_32_10,
            Rng::Mrg32k3a => RngType::PseudoMrg32k3a,
            Rng::Sobol => RngType::QuasiSobol32,
        }
    }
}

fn main() -> ExitCode {
    labkit::exit(run(&Options::parse()))
}

/// Threads of a block.
const BLOCK: u32 = 256;

fn run(options: &Options) -> Result<(), LabError> {
    let Options { n, chunk, rng, runs } = *options;
    let whole = n >= 1.0 && chunk > 0 && chunk % 4 == 0 && chunk < 1 << 30 && runs > 0;
    if !whole || n > 1e12 {
        return Err(LabError::refused(
            "--n: expected 1 to 1e12, --chunk: a multiple of 4 below 2^30, --runs: at least 1",
        ));
    }
    let chunks = (n as usize).div_ceil(chunk);
    let points = chunks * chunk;
    let lab = Lab::new()?;
    let stream = lab.stream();
    let module = lab.module(kernel_file!("mc_rate.cu"), &["-fmad=true"])?;
    let count = module.get_function("count_points").during("get_function(count_points)")?;
    let fused = module.get_function("count_fused").during("get_function(count_fused)")?;
    let mut generator = Generator::new(rng.kind())?;
    match rng {
        Rng::Sobol => generator.set_quasi_random_generator_dimensions(3)?,
        _ => generator.set_pseudo_random_generator_seed(2026)?,
    }
    generator.set_stream(stream)?;
    generator.generate_seeds()?;
    let mut numbers = lab3_libraries::mc::unwritten(3 * chunk)?;
    let hits = DeviceBuffer::from_slice(&[0u64])?;
    let blocks = (chunk as u32 / 4).div_ceil(BLOCK).min(132 * 16);
    println!("{}: {rng:?}, {points} points in {chunks} chunks of {chunk}", lab.gpu_name()?);

    let generated = fastest(&lab, runs, || {
        (0..chunks).try_for_each(|_| Ok(generator.generate_uniform(&mut numbers)?))
    })?;
    report("the library generates", points, generated, None);

    let before = total(&hits)?;
    let both = fastest(&lab, runs, || {
        for _ in 0..chunks {
            generator.generate_uniform(&mut numbers)?;
            let [x, y, z] = [0, 1, 2].map(|axis| numbers.index(axis * chunk..(axis + 1) * chunk));
            // SAFETY: the arguments match the kernel's parameters; chunk is a multiple of 4, so
            // that each coordinate begins at a multiple of 16 bytes.
            unsafe {
                launch!(count<<<blocks, BLOCK, 0, stream>>>(
                    x.as_device_ptr(),
                    y.as_device_ptr(),
                    z.as_device_ptr(),
                    chunk as u32 / 4,
                    hits.as_device_ptr()
                ))
            }
            .during("launch of count_points")?;
        }
        Ok(())
    })?;
    let pi = 6.0 * (total(&hits)? - before) as f64 / (points * runs) as f64;
    report("generated, then integrated", points, both, Some(pi));
    println!("  {:.1} % of what the generation alone allows", 100.0 * generated / both);

    let before = total(&hits)?;
    let groups = chunk as u32 / 4;
    let mut seed = 0u32;
    let one = fastest(&lab, runs, || {
        for _ in 0..chunks {
            seed += 1;
            // SAFETY: the arguments match the kernel's parameters.
            unsafe {
                launch!(fused<<<blocks, BLOCK, 0, stream>>>(groups, seed, hits.as_device_ptr()))
            }
            .during("launch of count_fused")?;
        }
        Ok(())
    })?;
    let pi = 6.0 * (total(&hits)? - before) as f64 / (points * runs) as f64;
    report("one kernel (Philox)", points, one, Some(pi));
    Ok(())
}

/// Milliseconds of the fastest of several runs, by events.
fn fastest(
    lab: &Lab,
    runs: usize,
    mut work: impl FnMut() -> Result<(), LabError>,
) -> Result<f64, LabError> {
    let (start, stop) = (Event::new(EventFlags::DEFAULT)?, Event::new(EventFlags::DEFAULT)?);
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        start.record(lab.stream())?;
        work()?;
        stop.record(lab.stream())?;
        stop.synchronize()?;
        best = best.min(stop.elapsed_time_f32(&start)?.into());
    }
    Ok(best)
}

fn total(hits: &DeviceBuffer<u64>) -> Result<u64, LabError> {
    let mut count = [0];
    hits.copy_to(&mut count)?;
    Ok(count[0])
}

fn report(what: &str, points: usize, ms: f64, pi: Option<f64>) {
    let note = match labkit::backend() {
        labkit::Backend::Cuda => "",
        labkit::Backend::Emulated => " predicted (emulated)",
    };
    let rate = points as f64 / (1e6 * ms);
    let pi = pi.map(|pi| format!("; pi = {pi:.6}")).unwrap_or_default();
    println!("{what:28} {ms:10.3} ms{note}, {rate:8.2} Gpoints/s{pi}");
}
