//! The child process in which the judge runs lab 4's designs: requests in, netlists out.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use wire::serve::NoDevice;

fn main() -> ExitCode {
    wire::serve::run(lab4_fpga::host::handlers(), &NoDevice)
}
