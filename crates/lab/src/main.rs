//! The command `cargo lab`.

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use lab::course::{App, Command};
use lab::tools::{Failure, Tool};

/// The lab course: what to do next, and how well it is done
#[derive(Debug, Parser)]
#[command(name = "cargo lab", bin_name = "cargo lab", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Any>,
}

#[derive(Debug, Subcommand)]
enum Any {
    #[command(flatten)]
    Course(Command),
    #[command(flatten)]
    Tool(Tool),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut stdout = std::io::stdout();
    let done = match cli.command.unwrap_or(Any::Course(Command::Status)) {
        Any::Tool(tool) => tool.run(&mut stdout),
        Any::Course(command) => {
            App::here().and_then(|app| app.run(command, &mut stdout)).map_err(Failure::usage)
        }
    };
    let _ = stdout.flush();
    match done {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            let _ = std::io::stderr().write_all(failure.message.as_bytes());
            ExitCode::from(failure.code)
        }
    }
}
