//! Which registers of a warp, and which memory, hold values that nobody has written: what
//! [`super::carry`] keeps.

use std::collections::HashMap;
use std::ops::Range;

use super::lanes::each;
use crate::bytecode::{Bank, NONE, Reg};
use crate::fault::Fault;
use crate::memory::GLOBAL_BASE;

/// By lane: 0 for a value, else 1 + the number of its origin.
pub(super) type Row = [u16; 32];

/// The marks of a warp's registers. Empty unless marks are carried.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    a: Vec<Row>,
    b: Vec<Row>,
    /// Some register was marked since the warp began.
    pub any: bool,
}

impl Marks {
    pub fn row(&mut self, bank: Bank, reg: Reg) -> &mut Row {
        match bank {
            Bank::A => &mut self.a[reg as usize],
            Bank::B => &mut self.b[reg as usize],
        }
    }

    pub fn of(&self, bank: Bank, reg: Reg) -> Row {
        match bank {
            _ if reg == NONE => [0; 32],
            Bank::A => self.a[reg as usize],
            Bank::B => self.b[reg as usize],
        }
    }

    pub fn put(&mut self, (bank, reg): (Bank, Reg), new: &Row, mask: u32) {
        let row = self.row(bank, reg);
        for l in each(mask) {
            row[l] = new[l];
        }
        self.any |= *new != [0; 32];
    }

    /// For a warp that begins, with so many registers.
    pub fn clear(&mut self, a: u32, b: u32) {
        self.a.clear();
        self.a.resize(a as usize, [0; 32]);
        self.b.clear();
        self.b.resize(b as usize, [0; 32]);
        self.any = false;
    }
}

/// Stretches of an allocation, in bytes, that hold marked values.
pub(super) type Kept = Vec<(Range<u64>, u16)>;

/// Where marked values came from, and which memory holds some.
#[derive(Default)]
pub(crate) struct Carried {
    pub origins: Vec<Fault>,
    /// The origin for each instruction that has read one.
    pub at: HashMap<usize, u16>,
    /// By address of a word of shared or global memory.
    pub words: HashMap<u64, u16>,
    /// By allocation.
    pub kept: HashMap<usize, Kept>,
}

impl Carried {
    pub fn next_block(&mut self) {
        // Shared memory begins anew.
        self.words.retain(|word, _| 4 * word >= GLOBAL_BASE);
    }
}
