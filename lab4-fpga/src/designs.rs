//! All designs of the lab by name, for the program `fpga` and for the tests against outside tools.

use hdl::desk::Design;

use crate::mult::ImplStyle::{Block, PipeLut};
use crate::{TAPS, e4_1, e4_2, e4_3, e4_4, e4_5, e4_6, fpgatop, mult};

/// The lab's coefficients: powers of two, with the sum 32640.
pub const LAB4: [i64; TAPS] = [16384, 8192, 4096, 2048, 1024, 512, 256, 128];

/// The coefficients of lab 5, with the sum 73720.
pub const LAB5: [i64; TAPS] = [16383, 14335, 12287, 10239, 8191, 6143, 4095, 2047];

/// The designs.
pub const DESIGNS: [Design; 10] = [
    Design { name: "fpgatop", what: "4.0 the example", build: fpgatop::fpgatop },
    Design {
        name: "fir1",
        what: "4.1 first version, bits 34..19",
        build: || e4_1::fir1(&LAB4, 19),
    },
    Design {
        name: "fir1_range",
        what: "4.2 first version, your choice of bits",
        build: || e4_1::fir1(&LAB4, e4_2::result_lsb(&LAB4)),
    },
    Design {
        name: "fir1_fast",
        what: "4.3 one word per clock, multiplier blocks, bits 30..15",
        build: || e4_3::fir1(&LAB4, 15, Block),
    },
    Design {
        name: "fir1_lut",
        what: "4.4 the style of your choice, bits 30..15",
        build: || e4_3::fir1(&LAB4, 15, e4_4::STYLE),
    },
    Design {
        name: "fir1_lut_lab5",
        what: "4.4 the same with the coefficients of lab 5, bits 32..17",
        build: || e4_3::fir1(&LAB5, 17, e4_4::STYLE),
    },
    Design {
        name: "fir1_var_lut",
        what: "4.5 variable coefficients, logic cells",
        build: || e4_5::fir1(15, PipeLut),
    },
    Design {
        name: "fir1_var_block",
        what: "4.6 variable coefficients, the style of your choice",
        build: || e4_5::fir1(15, e4_6::STYLE),
    },
    Design {
        name: "mult_block",
        what: "the given multiplier, block",
        build: || mult::mult16x16(Block),
    },
    Design {
        name: "mult_lut",
        what: "the given multiplier, look-up tables",
        build: || mult::mult16x16(PipeLut),
    },
];
