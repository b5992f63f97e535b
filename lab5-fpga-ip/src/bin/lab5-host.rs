//! The child process in which the judge has lab 5's designs built: requests in, netlists out.

use std::process::ExitCode;

use cuda_driver as _;

fn main() -> ExitCode {
    labkit::serve::run(lab5_fpga_ip::host::handlers())
}
