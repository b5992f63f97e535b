//! What the FPGA kernels would need and how long they would take, by arithmetic; beside it, what
//! the thesis printed.
//!
//! Every figure says where it is from ([`Label`]). Nothing here was synthesised by us.

use std::fmt::{self, Display, Write as _};

use super::variant::{Config, Variant};
use super::wave::{Block, RADIUS};

/// Where a figure is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// Measured by this program, on this machine, now.
    Measured,
    /// Computed by a model.
    Modelled,
    /// Printed in the thesis.
    Quoted,
}

impl Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Label::Measured => "measured",
            Label::Modelled => "modelled",
            Label::Quoted => "quoted from thesis",
        })
    }
}

/// The board of the thesis: Nallatech p385_A7, Stratix V GX A7.
pub mod board {
    /// Bits of one M20K block.
    pub const M20K_BITS: usize = 20_480;
    /// M20K blocks.
    pub const M20K: usize = 2_560;
    /// Variable-precision multipliers.
    pub const DSP: usize = 256;
    /// Two banks of DDR3, bytes per second, as the thesis gives it.
    pub const BYTES_PER_S: f64 = 25.6e9;
    /// Clock of V2, Hz (Table 6).
    pub const V2_HZ: f64 = 212.40e6;
    /// Seconds of one step of V2 at 356^3 (Table 8).
    pub const V2_STEP_S: f64 = 0.0879;
}

/// A row of the thesis' tables 8 and 9.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quoted {
    /// Which kernel.
    pub code: &'static str,
    /// Which device.
    pub device: &'static str,
    /// Gpoint/s.
    pub gpoints_per_s: f64,
    /// Seconds per step.
    pub step_s: f64,
    /// Nameplate power, watts.
    pub tdp_w: f64,
    /// `W/(Gpoint/s)` as printed.
    pub nj_per_point: f64,
    /// What is wrong with the row, if anything.
    pub warning: &'static str,
}

/// Speed and nameplate power in the thesis.
pub const QUOTED: [Quoted; 5] = [
    Quoted {
        code: "V1",
        device: "FPGA p385_A7",
        gpoints_per_s: 0.2224,
        step_s: 0.1957,
        tdp_w: 25.0,
        nj_per_point: 112.410,
        warning: "",
    },
    Quoted {
        code: "V2",
        device: "FPGA p385_A7",
        gpoints_per_s: 0.5100,
        step_s: 0.0879,
        tdp_w: 16.0,
        nj_per_point: 31.372,
        warning: "",
    },
    Quoted {
        code: "V1",
        device: "HD 7970",
        gpoints_per_s: 5.8399,
        step_s: 0.00747,
        tdp_w: 300.0,
        nj_per_point: 51.371,
        warning: "",
    },
    Quoted {
        code: "V1",
        device: "GTX 580",
        gpoints_per_s: 0.0579,
        step_s: 0.77858,
        tdp_w: 244.0,
        nj_per_point: 54.679,
        warning: "contradicts itself (244 W / 0.0579 is not 54.7): no ratio is taken with it",
    },
    Quoted {
        code: "V1",
        device: "i7-2600k",
        gpoints_per_s: 0.0130,
        step_s: 3.34436,
        tdp_w: 95.0,
        nj_per_point: 7307.692,
        warning: "",
    },
];

/// H1: adapted over ported code on the FPGA.
pub const H1: f64 = 2.29;
/// H2: HD 7970 over i7, both V1.
pub const H2: f64 = 449.0;
/// H8: V2 at a total size of 356 and of 352, Gpoint/s.
pub const CLIFF: [f64; 2] = [0.5100, 0.1029];

/// Table 6: name, V1 on the FPGA, V2.
pub const TABLE_6: [(&str, &str, &str); 7] = [
    ("ALUTs", "165980", "108783"),
    ("registers", "239274", "140516"),
    ("logic, ALMs of 234720", "140994", "91410"),
    ("DSP of 256", "26", "88"),
    ("memory bits of 52428800", "6277412", "12562768"),
    ("RAM blocks of 2560", "1128", "1006"),
    ("clock, MHz", "196.42", "212.40"),
];

/// What a window kernel needs on chip and how long a step takes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Bits of the shift register.
    pub bits: usize,
    /// M20K blocks that hold them, at least.
    pub m20k: usize,
    /// Multipliers.
    pub multipliers: usize,
    /// Iterations of the loop for a step.
    pub iterations: usize,
    /// Points that leave the pipeline each iteration.
    pub par: usize,
    /// Seconds of a step if one iteration begins each cycle.
    pub compute_s: f64,
    /// Bytes of global memory read and written for a step.
    pub bytes: usize,
    /// Seconds that the memory needs for them.
    pub memory_s: f64,
}

/// How the stencil is multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multiplied {
    /// Each of 13 taps, and VEL: 14 multipliers a point.
    Listed,
    /// Neighbours are added first: 3 coefficients and VEL.
    Factored,
    /// -90, 16 and -1 are constants: 16 and -1 cost nothing.
    FactoredBaked,
}

impl Multiplied {
    /// Multipliers for each point.
    pub fn per_point(self) -> usize {
        match self {
            Multiplied::Listed => 14,
            Multiplied::Factored => 4,
            Multiplied::FactoredBaked => 2,
        }
    }

    /// What a variant does.
    pub fn of(config: &Config) -> Multiplied {
        match (config.variant, config.baked) {
            (Variant::Factored, true) => Multiplied::FactoredBaked,
            (Variant::Factored, false) => Multiplied::Factored,
            _ => Multiplied::Listed,
        }
    }
}

impl Estimate {
    /// For a window of `tile` cells and `par` points at a time on a block, at a clock of `hz`. Uses
    /// the exact window of a shift register, whatever the variant.
    pub fn new(config: &Config, block: Block, hz: f64) -> Estimate {
        let literal = Config { variant: Variant::Task, ..config.clone() };
        let windows = config.stride();
        let velocity = if windows > 1 {
            (windows - 1) * RADIUS * config.tile[0] * config.tile[1] + config.par
        } else {
            0
        };
        let bits = 32 * (windows * literal.window() + velocity);
        let iterations = config.iterations(block);
        // CPF, VEL and PPF once for each slot, each cell written once (twice if two levels are).
        let written = if windows > 1 { 2 } else { 1 };
        let bytes = 4 * (3 * iterations * config.par + written * block.len());
        Estimate {
            bits,
            m20k: bits.div_ceil(board::M20K_BITS),
            multipliers: Multiplied::of(config).per_point() * config.par * windows,
            iterations,
            par: config.par,
            compute_s: iterations as f64 / hz,
            bytes,
            memory_s: bytes as f64 / board::BYTES_PER_S,
        }
    }

    /// Cycles between two iterations if a step takes `step_s` seconds.
    pub fn interval(&self, step_s: f64) -> f64 {
        step_s / self.compute_s
    }

    /// By which terms this is larger than the largest design that the thesis could build (P = 6,
    /// 180 x 180).
    pub fn beyond_the_thesis(&self) -> Vec<String> {
        let config = Config { tile: [180, 180], par: 6, ..Config::new(Variant::Task) };
        let largest = Estimate::new(&config, STANDARD, board::V2_HZ);
        let terms = [
            ("memory bits of the window", self.bits, largest.bits),
            ("M20K blocks", self.m20k, largest.m20k),
            ("multipliers", self.multipliers, largest.multipliers),
            ("points at a time (load and store FIFOs)", self.par, largest.par),
        ];
        terms
            .into_iter()
            .filter(|(_, mine, limit)| mine > limit)
            .map(|(name, mine, limit)| format!("{name}: {mine}, the thesis' design {limit}"))
            .collect()
    }
}

/// 352 interior cells a side.
pub const STANDARD: Block = Block { n: [352; 3] };

/// The report of `rtm synth-report`.
pub fn synth_report(config: &Config, block: Block, hz: f64) -> String {
    let e = Estimate::new(config, block, hz);
    let [dx, dy] = config.tile;
    let mut out = String::new();
    let mut line = |text: String| {
        let _ = writeln!(out, "{text}");
    };
    let full = block.full();
    line(format!(
        "{} with a window over {dx} x {dy} cells, P = {}, on {} x {} x {} cells at {:.2} MHz",
        config.variant.id(),
        config.par,
        full[0],
        full[1],
        full[2],
        hz / 1e6
    ));
    line(String::new());
    line(format!(
        "| {:<36} | {:>16} | {:>20} | {:>22} |",
        "",
        Label::Modelled.to_string(),
        "V2, quoted from thesis",
        "V1 on the FPGA, quoted"
    ));
    line("|---|---|---|---|".into());
    let mut row = |name: &str, mine: String| {
        let quoted = TABLE_6.iter().find(|(n, ..)| *n == name);
        let (v1, v2) = quoted.map_or(("", ""), |(_, v1, v2)| (*v1, *v2));
        line(format!("| {name:<36} | {mine:>16} | {v2:>22} | {v1:>22} |"));
    };
    row("shift register, bits", e.bits.to_string());
    row("memory bits of 52428800", format!(">= {}", e.bits));
    row("RAM blocks of 2560", format!(">= {}", e.m20k));
    row("DSP of 256", e.multipliers.to_string());
    for (name, ..) in TABLE_6 {
        if !["memory bits of 52428800", "RAM blocks of 2560", "DSP of 256"].contains(&name) {
            row(name, "not modelled".into());
        }
    }
    line(String::new());
    line(format!("iterations per step     {} (modelled)", e.iterations));
    let points = block.points() as f64;
    line(format!(
        "compute bound, II = 1   {:.1} ms = {:.2} Gpoint/s of interior cells, {:.2} of all cells \
         (modelled)",
        e.compute_s * 1e3,
        points / e.compute_s / 1e9,
        block.len() as f64 / e.compute_s / 1e9
    ));
    line(format!(
        "memory bound            {:.1} ms for {} MB at 25.6 GB/s (modelled)",
        e.memory_s * 1e3,
        e.bytes / 1_000_000
    ));
    let thesis =
        config.tile == [180, 180] && config.par == 6 && block == STANDARD && config.stride() == 1;
    if thesis {
        line(format!(
            "the thesis' V2          {:.1} ms (quoted from thesis): effective II {:.2}, {:.1} GB/s \
             (modelled from it)",
            board::V2_STEP_S * 1e3,
            e.interval(board::V2_STEP_S),
            e.bytes as f64 / board::V2_STEP_S / 1e9
        ));
        line(
            "It reaches neither bound. P = 6 makes bursts of 24 bytes that are not aligned; that \
             is likely the cause (our inference)."
                .into(),
        );
    }
    line(String::new());
    let beyond = e.beyond_the_thesis();
    if beyond.is_empty() {
        line("fit: no term is beyond the largest design that the thesis built".into());
    } else {
        line("fit: beyond the largest design that the thesis built, by".into());
        beyond.iter().for_each(|term| line(format!("  {term}")));
    }
    for (name, used, all) in [("DSP", e.multipliers, board::DSP), ("M20K", e.m20k, board::M20K)] {
        if used > all {
            line(format!("  more {name} than the chip has: {used} of {all}"));
        }
    }
    line(
        "This model counts bits and multipliers. It cannot say whether a design can be placed and \
         routed: the thesis' P = 8 with"
            .into(),
    );
    line(
        "192 x 192 failed at that (32 FIFOs too many), with far less than all blocks of the chip \
         in use."
            .into(),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thesis() -> Config {
        Config { tile: [180, 180], par: 6, ..Config::new(Variant::Task) }
    }

    /// C29 and C30.
    #[test]
    fn the_thesis_design_point() {
        let e = Estimate::new(&thesis(), STANDARD, board::V2_HZ);
        assert_eq!((e.bits, e.m20k, e.multipliers), (4_147_392, 203, 84));
        assert_eq!(e.iterations, 7_732_800);
        assert_eq!(e.bytes / 1_000_000, 737);
        let text = synth_report(&thesis(), STANDARD, board::V2_HZ);
        for part in [
            "4147392",
            ">= 203",
            "84",
            "88",
            "7732800",
            "36.4 ms",
            "28.8 ms",
            "effective II 2.41",
            "8.4 GB/s",
            "1.20 Gpoint/s of interior cells, 1.24",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(text.contains("no term is beyond"));
    }

    /// C23.
    #[test]
    fn factoring_saves_multipliers() {
        let e = |variant, baked| {
            Estimate::new(&Config { variant, baked, ..thesis() }, STANDARD, 2e8).multipliers
        };
        assert_eq!(
            [e(Variant::Task, false), e(Variant::Factored, false), e(Variant::Factored, true)],
            [84, 24, 12]
        );
    }

    /// C31.
    #[test]
    fn the_design_that_did_not_fit_is_flagged_by_its_terms() {
        let config = Config { tile: [192, 192], par: 8, ..thesis() };
        let text = synth_report(&config, STANDARD, board::V2_HZ);
        for part in [
            "beyond the largest design",
            "multipliers: 112",
            "points at a time (load and store FIFOs): 8",
            "cannot say whether",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    /// C26: traffic of several steps in a pass, for sizes of two tiles along x and y.
    #[test]
    fn temporal_blocking_divides_the_traffic() {
        for steps in [2, 4] {
            let block = Block::cube(356 - 4 * steps).unwrap();
            let one = Estimate::new(&thesis(), block, 2e8).bytes as f64;
            let config = Config { variant: Variant::Temporal, steps, ..thesis() };
            assert_eq!([thesis().tiles(block), config.tiles(block)], [4, 4]);
            let ratio = one * steps as f64 / Estimate::new(&config, block, 2e8).bytes as f64;
            // Two levels are written instead of one: 16 t / 20 at best.
            assert!(ratio > 0.75 * steps as f64 && ratio < steps as f64, "{steps}: {ratio}");
        }
    }

    #[test]
    fn the_quoted_rows_are_what_the_audit_says() {
        for row in QUOTED {
            let ratio = row.tdp_w / row.gpoints_per_s / row.nj_per_point;
            assert_eq!((ratio - 1.0).abs() > 1e-3, !row.warning.is_empty(), "{row:?}");
        }
        assert!((QUOTED[1].gpoints_per_s / QUOTED[0].gpoints_per_s - H1).abs() < 0.01);
        assert!((QUOTED[2].gpoints_per_s / QUOTED[4].gpoints_per_s - H2).abs() < 1.0);
    }
}
