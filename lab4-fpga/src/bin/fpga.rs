//! The desk of lab 4: run a design on the board, or build its files and its report.
//!
//! ```sh
//! cargo run -p lab4-fpga --bin fpga -- list
//! cargo run -p lab4-fpga --bin fpga -- run fpgatop --set SW0=1
//! cargo run -p lab4-fpga --bin fpga -- build fir1
//! ```

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    hdl::desk::main(&lab4_fpga::designs::DESIGNS)
}
