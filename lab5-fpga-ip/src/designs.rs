//! All designs of the lab by name, for the program `cores` and for the tests against outside tools.

use hdl::desk::Design;
use hdl::{Block, BuildErrors};
use ipcores::fft::{Fft, RADIX2_SCHEDULE, RADIX4_SCHEDULE, schedule_word};
use ipcores::fir::{Fir, top};

use crate::compiler::{FftArchitecture, FirArchitecture};
use crate::{e5_1, e5_2, e5_9};

/// The filter of the lab on the board, in one architecture.
fn fir(architecture: FirArchitecture) -> Result<Block, BuildErrors> {
    top(&architecture.build(&Fir::lab5())?.block, 17)
}

/// The transform of the lab on the board, with its magnitudes.
fn fft(architecture: FftArchitecture) -> Result<Block, BuildErrors> {
    let schedule: &[u32] =
        if architecture.radix() == 4 { &RADIX4_SCHEDULE } else { &RADIX2_SCHEDULE };
    e5_9::top(&architecture.build(Fft::lab5())?, schedule_word(schedule))
}

/// The designs.
pub const DESIGNS: [Design; 13] = [
    Design { name: "mag16", what: "5.1 the magnitude", build: || e5_1::mag16(e5_1::PAIR) },
    Design { name: "delaysel", what: "5.2 the delay, 8 clocks", build: || e5_2::delaysel(8) },
    Design {
        name: "fir_systolic",
        what: "5.3 the filter on the board, systolic",
        build: || fir(FirArchitecture::Systolic),
    },
    Design {
        name: "fir_transposed",
        what: "5.3 transposed",
        build: || fir(FirArchitecture::Transposed),
    },
    Design {
        name: "fir_da1",
        what: "5.4 distributed arithmetic, 1 bit per clock",
        build: || fir(FirArchitecture::Distributed(1)),
    },
    Design {
        name: "fir_da2",
        what: "5.5 2 bits per clock",
        build: || fir(FirArchitecture::Distributed(2)),
    },
    Design {
        name: "fir_da4",
        what: "5.5 4 bits per clock",
        build: || fir(FirArchitecture::Distributed(4)),
    },
    Design {
        name: "fir_da8",
        what: "5.5 8 bits per clock",
        build: || fir(FirArchitecture::Distributed(8)),
    },
    Design {
        name: "fir_da16",
        what: "5.5 16 bits per clock",
        build: || fir(FirArchitecture::Distributed(16)),
    },
    Design { name: "fir_mac", what: "given: one multiplier", build: || fir(FirArchitecture::Mac) },
    Design {
        name: "fft_radix2",
        what: "5.7 and 5.9 the transform on the board, radix 2 (run it with --late)",
        build: || fft(FftArchitecture::Radix2),
    },
    Design {
        name: "fft_radix4",
        what: "5.8 and 5.9 radix 4 (run it with --late)",
        build: || fft(FftArchitecture::Radix4),
    },
    Design {
        name: "fft_lite",
        what: "given: radix-2 lite (run it with --late)",
        build: || fft(FftArchitecture::Lite),
    },
];
