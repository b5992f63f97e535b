//! The child process in which the judge runs lab 4's designs: requests in, netlists out.

use std::process::ExitCode;

use cuda_driver as _;

fn main() -> ExitCode {
    labkit::serve::run(lab4_fpga::host::handlers())
}
