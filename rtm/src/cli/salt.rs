//! `rtm salt`: all three memory strategies on one survey over a salt body.

use std::path::PathBuf;

use clap::Args;
use rtm::Result;
use rtm::run::amounts::bytes;
use rtm::run::salt;

use super::backend::BackendArgs;
use super::terminal::Terminal;

/// Shoot a survey over a salt body (a stand-in for the SEG/EAGE model) and migrate it with
/// checkpoints, saved boundaries and random boundaries; compare images, work and memory. Stopped,
/// the same command goes on
#[derive(Args)]
pub struct SaltArgs {
    /// Folder of all files
    #[arg(long, default_value = "rtm-salt")]
    out: PathBuf,
    /// Points so many times farther apart than the thesis' 80 m; 1 is its size: hours
    #[arg(long, default_value_t = 4)]
    coarser: usize,
    /// Shots along x and along y; the thesis has 12
    #[arg(long, default_value_t = 2)]
    shots: usize,
    /// CPU threads; 0: all
    #[arg(long, default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    backend: BackendArgs,
}

impl SaltArgs {
    /// Runs the comparison and prints its table.
    pub fn run(&self) -> Result<()> {
        let backend = self.backend.open(self.threads, None)?;
        let runs = salt::run(
            &self.out,
            self.coarser.clamp(1, 8),
            self.shots.max(1),
            backend.as_ref(),
            &mut Terminal::new()?,
        )?;
        println!(
            "| strategy | image error e | e^2 | shots | steps | memory | seconds |\n\
             |---|---|---|---|---|---|---|"
        );
        for r in &runs {
            println!(
                "| {} | {:.2e} | {:.2e} | {} | {} | {} | {:.1} |",
                r.name,
                r.error,
                r.error * r.error,
                r.cost.shots,
                r.cost.steps,
                bytes(r.cost.bytes as f64),
                r.cost.seconds
            );
        }
        println!("\n{}", self.out.join("salt.svg").display());
        runs.iter().for_each(|r| println!("{}", r.svg.display()));
        println!(
            "shots, steps and seconds are those of the last start; error: relative L2 against \
             checkpoints; differences are in difference.bin beside each image"
        );
        Ok(())
    }
}
