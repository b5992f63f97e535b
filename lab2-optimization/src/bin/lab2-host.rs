//! The child process in which the judge runs lab 2's host functions: requests in, replies out.

use std::process::ExitCode;

fn main() -> ExitCode {
    labkit::serve::run(lab2_optimization::host::handlers())
}
