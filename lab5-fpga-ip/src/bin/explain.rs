//! What a generator's window shows beside the parameters, of lab 5's filter in one architecture:
//! `cargo run -p lab5-fpga-ip --bin explain -- da4` prints frequency response, latency and
//! resources.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    match lab5_fpga_ip::compiler::explain(&std::env::args().nth(1).unwrap_or_default()) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}
