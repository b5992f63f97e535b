//! The judge's device of labs whose host code uses OpenCL beside CUDA. A judge starts it.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use opencl_icd::judge;

fn main() -> ExitCode {
    emulation::judge::with_driver(judge::PREFIX, judge::answer, judge::renew);
    wire::device::be_one_if_asked(cuda_driver::judge::serve_socket);
    eprintln!("a judge starts this program: `cargo lab grade lab2`");
    ExitCode::from(2)
}
