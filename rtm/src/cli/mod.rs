//! The command line: one module per sub-command. Results go to standard output, progress and notes
//! to standard error.

mod agree;
mod backend;
mod bench;
#[cfg(feature = "cuda")]
mod bench_cuda;
mod demo;
mod demo_page;
mod fletcher;
mod image;
mod inspect;
mod inspect_page;
mod look;
mod model;
#[cfg(feature = "opencl")]
mod opencl;
mod page;
mod prepare;
mod ranks;
mod run_args;
mod salt;
mod study;
mod terminal;
#[cfg(feature = "cuda")]
mod times;
mod wavelet;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use rtm::run::{self, AnyBackend, Migrated, Shots};
use rtm::{Error, Result};

use run_args::RunArgs;
use terminal::Terminal;

/// 3-D acoustic reverse time migration: from a velocity model and shot records to an image of the
/// subsurface.
///
/// Start with `rtm demo`: it builds a model, shoots a survey over it and migrates it, in less than
/// two minutes.
#[derive(Parser)]
#[command(name = "rtm", version, max_term_width = 100)]
struct Command {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// A small survey from model to migrated picture
    Demo(demo::DemoArgs),
    /// Make, convert, change and show velocity models
    Model(model::ModelArgs),
    /// Model a survey: traces from a velocity model (SEG-Y or SU)
    Shoot(RunArgs),
    /// Migrate a survey: an image from traces and a velocity model
    Migrate(RunArgs),
    /// Memory and time of a migration, before it starts
    Explain(RunArgs),
    /// Filter, cut and draw images, models and traces
    Image(image::ImageArgs),
    /// What is in a file of traces, and what it suggests for a run
    Inspect(inspect::InspectArgs),
    /// Make traces ready for migration: filter, resample, mute, gain
    Prepare(prepare::PrepareArgs),
    /// Estimate the source's wavelet from traces, and its phase
    Wavelet(wavelet::WaveletArgs),
    /// Draw traces, models and images on one page: gathers, sections, spectra, slices
    Look(look::LookArgs),
    /// Tilted anisotropic media: the mini-app Fletcher, on the CPU and on GPUs
    Fletcher(fletcher::FletcherArgs),
    /// Speed of this machine
    Bench(bench::BenchArgs),
    /// Models of a GPU's run times, and how well they predict
    #[cfg(feature = "cuda")]
    Times(times::TimesArgs),
    /// A table of the thesis, made anew
    Study(study::StudyArgs),
    /// Check the physics against theory
    Verify(study::VerifyArgs),
    /// How far the results of all back ends are apart
    Agree(agree::AgreeArgs),
    /// A survey over a salt body, migrated by all three memory strategies
    Salt(salt::SaltArgs),
    /// OpenCL devices, and the wave kernels on them
    #[cfg(feature = "opencl")]
    #[command(name = "opencl")]
    OpenCl(opencl::OpenClArgs),
    /// Resources and time of the FPGA kernels, by arithmetic, beside what the thesis printed
    #[cfg(feature = "opencl")]
    SynthReport(opencl::SynthArgs),
    /// All parameters with their meaning, as a run file in TOML
    Options(RunArgs),
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    let command = Command::parse();
    // One process speaks for all that `mpirun` started.
    let silent = ranks::launched().is_some_and(|(rank, _)| rank > 0);
    match command.run() {
        Err(_) if silent => ExitCode::SUCCESS,
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            match &error {
                Error::Stopped => {
                    eprintln!("stopped; the same command goes on after the last whole shot")
                }
                error => eprintln!("error: {error}"),
            }
            ExitCode::from(error.exit_code())
        }
    }
}

impl Command {
    fn run(&self) -> Result<()> {
        let ranks = ranks::launched().map_or(1, |(_, ranks)| ranks);
        match &self.what {
            What::Shoot(args) if ranks > 1 => {
                ranks::share(args, run::shoot_shared)?.iter().for_each(say_shots);
                Ok(())
            }
            What::Migrate(args) if ranks > 1 => {
                ranks::share(args, run::migrate_shared)?.iter().for_each(say_image);
                Ok(())
            }
            _ if ranks > 1 => Err(ranks::refusal(ranks)),
            What::Demo(args) => args.run(),
            What::Model(args) => args.run(),
            What::Image(args) => args.run(),
            What::Inspect(args) => args.run(),
            What::Prepare(args) => args.run(),
            What::Wavelet(args) => args.run(),
            What::Look(args) => args.run(),
            What::Fletcher(args) => args.run(),
            What::Bench(args) => args.run(),
            #[cfg(feature = "cuda")]
            What::Times(args) => args.run(),
            What::Study(args) => args.run(),
            What::Verify(args) => args.run(),
            What::Agree(args) => args.run(),
            What::Salt(args) => args.run(),
            #[cfg(feature = "opencl")]
            What::OpenCl(args) => args.run(),
            #[cfg(feature = "opencl")]
            What::SynthReport(args) => args.run(),
            What::Options(args) => {
                print!("{}", args.parameters()?.to_toml());
                Ok(())
            }
            What::Shoot(args) => {
                let parameters = args.parameters()?;
                let backend = args.backend(&parameters)?;
                let shots = run::shoot(&parameters, backend.as_ref(), &mut Terminal::new()?)?;
                say_shots(&shots);
                Ok(())
            }
            What::Migrate(args) => {
                let parameters = args.parameters()?;
                let backends = args.backend.open_all(parameters.threads, &parameters)?;
                let backends: Vec<&dyn AnyBackend> = backends.iter().map(Box::as_ref).collect();
                let done = run::migrate_on(&parameters, &backends, &mut Terminal::new()?)?;
                say_image(&done);
                Ok(())
            }
            What::Explain(args) => {
                let parameters = args.parameters()?;
                let backend = args.backend(&parameters)?;
                print!("{}", run::explain(&parameters, backend.as_ref(), None)?);
                Ok(())
            }
        }
    }
}

fn say_shots(shots: &Shots) {
    println!(
        "{}: {} shots, {} traces of {} samples",
        shots.path.display(),
        shots.shots,
        shots.traces,
        shots.ns
    );
}

fn say_image(done: &Migrated) {
    let resumed = match done.resumed {
        0 => String::new(),
        n => format!(" ({n} of them in an earlier run)"),
    };
    println!(
        "{} shots{resumed}, {} time steps, at most {} of memory for a shot",
        done.shots,
        done.counts.stencil,
        run::amounts::bytes(done.bytes as f64)
    );
    done.files.iter().for_each(|file| println!("{}", file.display()));
}
