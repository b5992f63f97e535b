//! Parts: how many a chip has, and how many a design takes.

use serde::Serialize;

/// A chip: what it holds, and how fast its parts are (typical values for estimates, not a data
/// sheet).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Device {
    /// Name of the part.
    pub name: &'static str,
    /// 4-input look-up tables.
    pub luts: u32,
    /// Flip-flops.
    pub ffs: u32,
    /// Multiplier blocks, 18x18 signed.
    pub multipliers: u32,
    /// Bits of block RAM.
    pub ram_bits: u32,
    /// LUTs (and flip-flops) per slice.
    pub luts_per_slice: u32,
    /// One LUT with the wire to it.
    pub lut_ns: f64,
    /// One bit of a carry chain.
    pub carry_ns: f64,
    /// A multiplier block with the wires around it.
    pub multiplier_ns: f64,
    /// Out of one register and into the next.
    pub register_ns: f64,
}

impl Device {
    /// The chip of the laboratory's board.
    pub const XC3S700A: Device = Device {
        name: "XC3S700A",
        luts: 11_776,
        ffs: 11_776,
        multipliers: 20,
        ram_bits: 360 * 1024,
        luts_per_slice: 2,
        lut_ns: 1.6,
        carry_ns: 0.06,
        multiplier_ns: 5.5,
        register_ns: 1.4,
    };
    /// Lattice iCE40 HX8K: no multipliers.
    pub const HX8K: Device = Device {
        name: "HX8K",
        luts: 7680,
        ffs: 7680,
        multipliers: 0,
        ram_bits: 128 * 1024,
        luts_per_slice: 8,
        lut_ns: 1.3,
        carry_ns: 0.13,
        multiplier_ns: 0.0,
        register_ns: 1.2,
    };
    /// Lattice ECP5-25.
    pub const ECP5_25: Device = Device {
        name: "ECP5-25",
        luts: 24_288,
        ffs: 24_288,
        multipliers: 28,
        ram_bits: 1008 * 1024,
        luts_per_slice: 2,
        lut_ns: 1.1,
        carry_ns: 0.04,
        multiplier_ns: 4.0,
        register_ns: 1.1,
    };

    /// All chips of the table.
    pub const ALL: [Device; 3] = [Device::XC3S700A, Device::HX8K, Device::ECP5_25];
}

/// Parts that a design takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Count {
    /// 4-input look-up tables.
    pub luts: u32,
    /// Flip-flops.
    pub ffs: u32,
    /// 18x18 multiplier blocks.
    pub multipliers: u32,
    /// Bits of block RAM.
    pub ram_bits: u32,
}

impl Count {
    /// Adds another count.
    pub fn add(&mut self, other: Count) {
        self.luts += other.luts;
        self.ffs += other.ffs;
        self.multipliers += other.multipliers;
        self.ram_bits += other.ram_bits;
    }

    /// Slices at the least: as many as the LUTs or the flip-flops fill, whichever are more.
    pub fn slices(self, device: &Device) -> u32 {
        self.luts.max(self.ffs).div_ceil(device.luts_per_slice)
    }

    /// How often this fits into `device` beside `taken`, and what runs out first.
    pub fn fits(self, device: &Device, taken: Count) -> (u32, &'static str) {
        let times = |have: u32, taken: u32, need: u32| {
            have.saturating_sub(taken).checked_div(need).unwrap_or(u32::MAX)
        };
        let all = [
            (times(device.luts, taken.luts, self.luts), "LUTs"),
            (times(device.ffs, taken.ffs, self.ffs), "flip-flops"),
            (times(device.multipliers, taken.multipliers, self.multipliers), "multiplier blocks"),
            (times(device.ram_bits, taken.ram_bits, self.ram_bits), "block RAM"),
        ];
        all.into_iter().min_by_key(|(n, _)| *n).unwrap_or((0, "LUTs"))
    }
}
