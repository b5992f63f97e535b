//! Lab 3's exercises and how they are checked: one module per exercise, named after its section.
//!
//! Nothing here links student code. Kernels are compiled and launched in the judge's own emulator;
//! host functions are asked for through a child process; answers are read from files and compared
//! with computed truth.

#![forbid(unsafe_code)]

mod device;
mod ladder;
mod own;

// 3.1, Monte Carlo integration.
mod e3_1_01;
mod e3_1_02;
mod e3_1_03;
mod e3_1_04;
mod e3_1_05;
mod e3_1_06;
mod e3_1_07;
mod e3_1_08;
mod e3_1_09;
mod mc;

// 3.2, compressive sensing.
mod e3_2_01;
mod e3_2_02;
mod e3_2_03;
mod e3_2_04;
mod rain;

// 3.3, EP.
mod e3_3_01;
mod e3_3_02;
mod e3_3_03;
mod e3_3_04;
mod e3_3_05;
mod ep;

// 3.4, FT.
mod e3_4_01;
mod e3_4_02;
mod e3_4_03;
mod e3_4_04;
mod e3_4_05;
mod e3_4_06;
mod e3_4_07;
mod ft;
mod study;

use grading::study::TableStudy;
use grading::{Lab, Source};

/// The lab, for the command and the tests. Its exercises are in the order in which they are to be
/// solved.
pub static LAB: Lab = Lab {
    id: "lab3",
    package: "lab3-libraries",
    title: "High-level libraries and two NAS benchmarks",
    host_bin: "lab3-host",
    device: Some(("cudalibs", "cudalibs-device")),
    nearly: ladder::NEARLY,
    exercises: &[
        // 3.1, Monte Carlo integration.
        e3_1_01::EXERCISE,
        e3_1_02::EXERCISE,
        e3_1_03::EXERCISE,
        e3_1_04::EXERCISE,
        e3_1_05::EXERCISE,
        e3_1_06::EXERCISE,
        e3_1_07::EXERCISE,
        e3_1_08::EXERCISE,
        e3_1_09::EXERCISE,
        // 3.2, compressive sensing.
        e3_2_01::EXERCISE,
        e3_2_02::EXERCISE,
        e3_2_03::EXERCISE,
        e3_2_04::EXERCISE,
        // 3.3, EP.
        e3_3_01::EXERCISE,
        e3_3_02::EXERCISE,
        e3_3_03::EXERCISE,
        e3_3_04::EXERCISE,
        e3_3_05::EXERCISE,
        // 3.4, FT.
        e3_4_01::EXERCISE,
        e3_4_02::EXERCISE,
        e3_4_03::EXERCISE,
        e3_4_04::EXERCISE,
        e3_4_05::EXERCISE,
        e3_4_06::EXERCISE,
        e3_4_07::EXERCISE,
    ],
    sources: &[
        // Formulas, files, statistics, and what the CPU computes to be compared with.
        ("e3_1_01", Source::Host),
        ("e3_1_02", Source::Host),
        ("e3_1_03.grid", Source::Host),
        ("e3_1_05.law", Source::Host),
        ("e3_1_05.stats", Source::Host),
        ("e3_1_05.fit", Source::Host),
        ("e3_1_07.bounds", Source::Host),
        ("e3_1_09.cpu_transform", Source::Host),
        ("e3_1_09.cpu_reduce", Source::Host),
        ("e3_1_09.cpu_nothing", Source::Host),
        ("e3_1_09.device_nothing", Source::Host),
        ("e3_1_09.cpu_pi", Source::Host),
        ("e3_1_09.cpu_numbers", Source::Host),
        ("e3_1_09.cpu_centred", Source::Host),
        ("e3_2_01", Source::Host),
        ("e3_2_02", Source::Host),
        ("e3_2_04.shape", Source::Host),
        ("e3_2_04.fits", Source::Host),
        ("e3_3_01", Source::Host),
        ("e3_3_02", Source::Host),
        ("e3_3_05.class_of", Source::Host),
        ("e3_3_05.verified", Source::Host),
        ("e3_3_05.mops", Source::Host),
        ("e3_4_01", Source::Host),
        ("e3_4_03", Source::Host),
        ("e3_4_07.verified", Source::Host),
        ("e3_4_07.bytes_needed", Source::Host),
        // Means of what the device counted; results of libraries, whose scalars are no copies;
        // tables that the host uploads.
        ("e3_1_05.device", Source::Both),
        ("e3_1_06.series", Source::Both),
        ("e3_1_07.volume", Source::Both),
        ("e3_1_08", Source::Both),
        ("e3_1_09.device_pi", Source::Both),
        ("e3_1_09.device_numbers", Source::Both),
        ("e3_2_03", Source::Both),
        ("e3_2_04.pursue", Source::Both),
        ("e3_4_05", Source::Both),
        ("e3_4_06", Source::Both),
        // Roots of unity and factors of evolve.
        ("e3_4_07.ft_gpu", Source::Tables),
    ],
    elsewhere: &["e3_1_04", "e3_4_06"],
};

/// The lab's studies, for `cargo lab study`.
pub const TABLES: &[TableStudy] = &[study::EP, study::FT, study::NPB];
