//! The child process in which the judge runs lab 1's host functions: requests in, replies out.

use std::process::ExitCode;

fn main() -> ExitCode {
    labkit::serve::run(lab1_cuda_intro::host::handlers())
}
