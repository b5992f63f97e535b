//! The child process in which the judge runs lab 6's host functions: requests in, replies out.

use std::process::ExitCode;

fn main() -> ExitCode {
    labkit::serve::run(lab6_rtm::host::handlers())
}
