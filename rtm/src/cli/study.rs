//! `rtm study` and `rtm verify`: the tables of the thesis, and the checks of the physics.

use std::io;

use clap::Args;
use rtm::study::{self, Study};
use rtm::{Result, verify};

/// Which study
#[derive(Args)]
pub struct StudyArgs {
    #[arg(value_enum)]
    study: Study,
    /// The thesis' sizes: hours instead of minutes
    #[arg(long)]
    full: bool,
    /// Threads; 0: all
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

impl StudyArgs {
    /// Prints the table.
    pub fn run(&self) -> Result<()> {
        let cpu = super::backend(self.threads)?;
        study::run(self.study, self.full, &cpu, &cpu, &mut io::stdout())
    }
}

/// How to verify
#[derive(Args)]
pub struct VerifyArgs {
    /// Threads; 0: all
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

impl VerifyArgs {
    /// Prints the table; an error if a check does not hold.
    pub fn run(&self) -> Result<()> {
        let cpu = super::backend(self.threads)?;
        verify::report::run(&cpu, &cpu, &mut io::stdout())
    }
}
