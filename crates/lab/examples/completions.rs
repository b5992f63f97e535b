//! Writes what a shell completes after `lab`, and a manual page: `lab.bash`, `_lab` (zsh),
//! `lab.fish`, `_lab.ps1` (PowerShell), `lab.1`. An example, so that `cargo lab` need not wait for
//! what makes them.

use std::io::{Error, Result};

use clap::CommandFactory;
use clap_complete::{Shell, generate_to};

fn main() -> Result<()> {
    let dir = std::env::args_os().nth(1).ok_or_else(|| Error::other("name a folder"))?;
    std::fs::create_dir_all(&dir)?;
    let mut command = lab::Cli::command().name("lab").bin_name("lab");
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell] {
        println!("{}", generate_to(shell, &mut command, "lab", &dir)?.display());
    }
    clap_mangen::generate_to(command, &dir)?;
    println!("{}", std::path::Path::new(&dir).join("lab.1").display());
    Ok(())
}
