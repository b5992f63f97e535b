//! The command `rtm`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
