//! The command `cargo lab`.

#![forbid(unsafe_code)]

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use lab::course::App;
use lab::tools::Failure;
use lab::{Cli, Command, course, dev, web};

fn main() -> ExitCode {
    grading::boxed::stage_if_asked(cuda_driver::judge::serve_socket);
    grading::worker::work_if_asked(course::LABS);
    let mut stdout = std::io::stdout();
    let cli = Cli::try_parse().unwrap_or_else(|error| lab::unknown(error).exit());
    let done = match cli.command.unwrap_or(Command::Course(course::Command::Status)) {
        Command::Tool(tool) => tool.run(&mut stdout),
        Command::Course(command) => {
            App::here().and_then(|app| app.run(command, &mut stdout)).map_err(Failure::usage)
        }
        Command::Dev(command) => {
            let done = App::here().and_then(|app| dev::run(&app, &command, &mut stdout));
            done.map_err(Failure::usage)
        }
        Command::Web(command) => {
            let done = App::here().and_then(|app| web::run(&app, &command, &mut stdout));
            done.map_err(Failure::usage)
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
