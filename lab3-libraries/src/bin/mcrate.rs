//! How many points a second are generated and integrated: by the library into memory and a kernel
//! that reads them, by that generation alone, and by a kernel that does both and stores nothing.

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use cudalibs::rand::{Generator, RngType, mrg32k3a_sequences, xorwow_sequences};
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

    /// The kernel that makes such numbers itself.
    fn kernel(self) -> &'static str {
        match self {
            Rng::Xorwow => "count_xorwow",
            Rng::Philox => "count_philox",
            Rng::Mrg32k3a => "count_mrg32k3a",
            Rng::Sobol => "count_sobol",
        }
    }

    /// What that kernel reads, for so many threads: states, a word of all threads after the other,
    /// or the direction numbers.
    fn words(self, threads: usize) -> Vec<u32> {
        let states = match self {
            Rng::Xorwow => xorwow_sequences(SEED, threads),
            Rng::Mrg32k3a => mrg32k3a_sequences(SEED, threads),
            Rng::Sobol => return directions().concat(),
            Rng::Philox => return vec![0],
        };
        (0..6).flat_map(|k| states.iter().map(move |state| state[k])).collect()
    }
}

/// Of all pseudo-random numbers.
const SEED: u64 = 2026;

/// Direction numbers of the first three coordinates of the Sobol' points by Joe and Kuo (2008): of
/// x, which has none of its own; of y, polynomial 1 + x with m = 1; of z, 1 + x + x^2 with m = 1,
/// 3.
fn directions() -> [[u32; 32]; 3] {
    let mut v = [[0u32; 32]; 3];
    for k in 0..32 {
        v[0][k] = 1 << (31 - k);
        v[1][k] = if k == 0 { 1 << 31 } else { v[1][k - 1] ^ v[1][k - 1] >> 1 };
        v[2][k] = match k {
            0 => 1 << 31,
            1 => 3 << 30,
            _ => v[2][k - 2] ^ v[2][k - 2] >> 2 ^ v[2][k - 1],
        };
    }
    v
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
    let fused = module.get_function(rng.kernel()).during("get_function of the one kernel")?;
    let mut generator = Generator::new(rng.kind())?;
    match rng {
        Rng::Sobol => generator.set_quasi_random_generator_dimensions(3)?,
        _ => generator.set_pseudo_random_generator_seed(SEED)?,
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
    let blocks = match rng {
        // Sobol' points ask for a power of two.
        Rng::Sobol => blocks.next_power_of_two().min(1024),
        _ => blocks,
    };
    let words = DeviceBuffer::from_slice(&rng.words((blocks * BLOCK) as usize))?;
    let (n, mut launched) = (chunk as u32, 0u32);
    let one = fastest(&lab, runs, || {
        for _ in 0..chunks {
            let (words, hits) = (words.as_device_ptr(), hits.as_device_ptr());
            // SAFETY: the arguments match the parameters of each kernel.
            unsafe {
                match rng {
                    Rng::Xorwow | Rng::Mrg32k3a => {
                        launch!(fused<<<blocks, BLOCK, 0, stream>>>(n, words, hits))
                    }
                    Rng::Philox => {
                        launch!(fused<<<blocks, BLOCK, 0, stream>>>(n / 4, launched, hits))
                    }
                    Rng::Sobol => {
                        // Points of 32 bits begin anew after 2^32.
                        let first = launched.wrapping_mul(n);
                        launch!(fused<<<blocks, BLOCK, 0, stream>>>(first, n, words, hits))
                    }
                }
            }
            .during("launch of the one kernel")?;
            launched = launched.wrapping_add(1);
        }
        Ok(())
    })?;
    let pi = 6.0 * (total(&hits)? - before) as f64 / (points * runs) as f64;
    report("one kernel, nothing stored", points, one, Some(pi));
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
