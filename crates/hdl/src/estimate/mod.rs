//! What a design costs: counts by fixed rules, so that two architectures can be compared without
//! any tool.
//!
//! The design is counted with all its instances opened, so that constants reach everywhere, except
//! into modules that are kept as they are. What no output needs is not counted. Bits that are
//! always equal are counted once (`bits`): copies of a sign, equal columns of a table, registers
//! that always hold the same, an operation written twice. Then, for each bit:
//!
//! | part | cost |
//! |---|---|
//! | register | a flip-flop; clock enable and set or clear to one constant are free; a choice of n values (2n - 1 inputs) is packed |
//! | register that takes what a block RAM reads | nothing: it is in the block |
//! | sum, difference, negation | a LUT where two bits meet, none where one side is 0; a gate of up to three inputs that only the sum reads shares its LUT |
//! | sum that only feeds another sum | 7/4 LUTs: tools join such sums into one addition of many numbers |
//! | `<`, `<=` | as a difference; against a power of two a tree over the bits from there on |
//! | `==`, `!=` | a tree of LUTs over the bits of both sides that are not constant |
//! | and, or, xor, not, mux, shift by a signal | gates; those that only one gate reads are packed into it: (inputs - 1) / 3 LUTs, rounded up |
//! | ROM of more than 2064 bits, read only into registers, not asked for in LUTs | block RAM bits |
//! | any other ROM | a function of the address bits that matter: a LUT for up to four of them, muxes above |
//! | shift by a constant, slice, join, extension | wires |
//! | RAM | two LUTs a bit for 16 words (it is written and read at different addresses), muxes for more; of 2 or 4 words flip-flops and muxes |
//! | RAM read only into registers | block RAM bits where that is cheaper (`memory`), which begins with some 130 bits |
//!
//! And for each product: in blocks one 18x18 block per 18x18 part (17 bits of an unsigned factor),
//! nothing for 0 and powers of two; in logic 3 LUTs per bit of both factors, by a constant an adder
//! per further 1 in it.
//!
//! Yosys is the measure: the estimate is made to be within 30 % of its LUTs on the designs of the
//! labs. On the chip a LUT stands before every bit of a carry chain, also where it only passes a
//! bit on, which Yosys does not count.

mod bits;
mod count;
mod memory;
mod parts;
mod path;

pub use crate::types::Multipliers;
pub use parts::{Count, Device};

use serde::Serialize;

use crate::facts::Facts;
use crate::flat::flatten;
use crate::ir::Block;

/// What the communication block takes: see [`crate::board`].
pub const RIMLAB00: Count = Count { luts: 535, ffs: 239, multipliers: 0, ram_bits: 2 * 1024 * 16 };

/// One module of the design.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ModuleCount {
    /// Name of the module.
    pub module: String,
    /// How often it stands in the design.
    pub instances: u32,
    /// All of them together, without the modules inside.
    pub own: Count,
}

/// The estimate of a design for a device.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The device.
    pub device: Device,
    /// All parts together.
    pub total: Count,
    /// See [`Count::slices`].
    pub slices: u32,
    /// Module by module, the inner ones first.
    pub modules: Vec<ModuleCount>,
    /// Most LUTs, carry chains and multipliers in a row between two registers.
    pub depth: u32,
    /// Estimated clock: the slowest path with the device's typical delays.
    pub mhz: f64,
}

impl Estimate {
    /// Counts `top` for `device`.
    pub fn new(top: &Block, device: &Device, multipliers: Multipliers) -> Estimate {
        // A device without blocks builds everything in logic.
        let style = if device.multipliers == 0 { Multipliers::Logic } else { multipliers };
        let flat = flatten(top);
        let facts = Facts::new(&flat, &[], Some(style));
        let homes = memory::Homes::new(&flat, &facts);
        let by_scope = count::count(&flat, &facts, &homes, style);
        let mut total = Count::default();
        by_scope.iter().for_each(|own| total.add(*own));
        let module = |block: &Block| {
            let scopes = flat.scopes.iter().zip(&by_scope);
            let mine: Vec<_> = scopes.filter(|(s, _)| s.module == block.name()).collect();
            let mut own = Count::default();
            mine.iter().for_each(|(_, count)| own.add(**count));
            ModuleCount { module: block.name().to_string(), instances: mine.len() as u32, own }
        };
        let modules = top.hierarchy().iter().map(module).collect();
        let (depth, path_ns) = path::slowest(&flat, &homes, device, style);
        Estimate {
            device: *device,
            total,
            slices: total.slices(device),
            modules,
            depth,
            mhz: 1000.0 / (device.register_ns + path_ns),
        }
    }
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{:<20} {:>5} {:>7} {:>7} {:>6} {:>9}",
            "module", "times", "LUT", "FF", "MULT", "RAM bits"
        )?;
        let mut line = |name: &str, n: u32, c: &Count| {
            writeln!(
                f,
                "{name:<20} {n:>5} {:>7} {:>7} {:>6} {:>9}",
                c.luts, c.ffs, c.multipliers, c.ram_bits
            )
        };
        for module in &self.modules {
            line(&module.module, module.instances, &module.own)?;
        }
        line("total", 1, &self.total)?;
        let d = &self.device;
        line(
            &format!("of {}", d.name),
            1,
            &Count { luts: d.luts, ffs: d.ffs, multipliers: d.multipliers, ram_bits: d.ram_bits },
        )?;
        write!(
            f,
            "about {} slices, {} levels of logic, {:.0} MHz (estimates)",
            self.slices, self.depth, self.mhz
        )
    }
}
