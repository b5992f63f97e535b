//! The desk of lab 5: run a core on the board, or build its files and its report.
//!
//! ```sh
//! cargo run -p lab5-fpga-ip --bin cores -- list
//! cargo run -p lab5-fpga-ip --bin cores -- run fft_radix4 --late --tone 8000,0.26 --axis 0,20000
//! cargo run -p lab5-fpga-ip --bin cores -- build mag16 --tools
//! ```

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    hdl::desk::main(&lab5_fpga_ip::designs::DESIGNS)
}
