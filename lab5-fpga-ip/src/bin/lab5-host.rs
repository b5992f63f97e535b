//! The child process in which the judge has lab 5's designs built: requests in, netlists out.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use wire::serve::NoDevice;

fn main() -> ExitCode {
    wire::serve::run(lab5_fpga_ip::host::handlers(), &NoDevice)
}
