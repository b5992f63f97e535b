//! The judge's device of labs whose host code calls the libraries. A judge starts it.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use cuda_driver::judge;

fn main() -> ExitCode {
    judge::with_libraries(cudalibs::judge::answer);
    wire::device::be_one_if_asked(judge::serve_socket);
    eprintln!("a judge starts this program: `cargo lab grade lab3`");
    ExitCode::from(2)
}
