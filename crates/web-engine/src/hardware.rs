//! The designs of the page *Hardware*: what labs 4 and 5 give. A student's own come as netlists.

use hdl::desk::Design;
use hdl::{Block, BuildErrors};
use ipcores::fft::{self, Fft};
use ipcores::fir::{self, Fir};
use workbench::hardware::Desk;

// Given files of lab 4 that need nothing but `hdl`; the rest of that package is the student's.
#[path = "../../../lab4-fpga/src/fpgatop.rs"]
mod fpgatop;
#[allow(dead_code)]
#[path = "../../../lab4-fpga/src/mult.rs"]
mod mult;

/// The filter of lab 5 with one multiplier, on the board.
fn mac() -> Result<Block, BuildErrors> {
    fir::top(&fir::mac(&Fir::lab5())?.block, 17)
}

/// A transform that is small enough to be looked through.
fn small(build: fn(Fft) -> Result<fft::FftCore, BuildErrors>) -> Result<Block, BuildErrors> {
    let parameters = Fft::new(64, 16, 16).expect("within the limits");
    Ok(build(parameters)?.block)
}

/// Who answers.
pub const DESK: Desk = Desk {
    designs: &[
        Design { name: "fpgatop", what: "4.0 the example", build: fpgatop::fpgatop },
        Design {
            name: "mult_block",
            what: "lab 4, the given multiplier, block",
            build: || mult::mult16x16(mult::ImplStyle::Block),
        },
        Design {
            name: "mult_lut",
            what: "lab 4, the given multiplier, look-up tables",
            build: || mult::mult16x16(mult::ImplStyle::PipeLut),
        },
        Design { name: "fir_mac", what: "lab 5, the filter with one multiplier", build: mac },
        Design {
            name: "fft64_lite",
            what: "lab 5, the given transform of 64 points, radix-2 lite",
            build: || small(fft::lite),
        },
        Design {
            name: "fft64_streaming",
            what: "lab 5, the given transform of 64 points, streaming",
            build: || small(fft::streaming),
        },
    ],
};
