//! A warp: where it stands, its registers, its own memory.

use super::alu::{FULL, Regs};
use super::lanes::Lanes;
use super::marks::Marks;
use crate::bytecode::{Bank, Reg};

/// Where a warp stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    Ready,
    /// At the barrier instruction `pc`.
    Barrier,
    Done,
}

/// What a warp comes back to from a routine.
#[derive(Debug)]
pub(crate) struct Call {
    pub pc: usize,
    pub mask: u32,
    pub regs: Regs,
    pub slots: Vec<u32>,
    pub marks: Marks,
    /// Words of the thread's own memory before the call.
    pub words: usize,
}

/// A warp.
#[derive(Debug, Default)]
pub(crate) struct Warp {
    pub regs: Regs,
    pub slots: Vec<u32>,
    /// Thread-local memory: word by word, 32 lanes each.
    pub local: Vec<[u32; 32]>,
    /// Which bytes were written: per word, four bits a lane.
    pub local_init: Vec<[u8; 32]>,
    pub index: u32,
    pub pc: usize,
    pub mask: u32,
    /// Lanes in `mask`.
    pub active: u32,
    /// Threads that exist and have not ended.
    pub alive: u32,
    pub state: State,
    /// The statement that a debugger saw last.
    pub stop: Option<u32>,
    /// Stamps from here on are later than the warp's last synchronisation.
    pub sync_stamp: u32,
    /// The same for global memory.
    pub sync_seq: u32,
    /// When each lane last did an atomic.
    pub atomic_times: [u32; 32],
    /// Stamps of shared memory before this one lie before a fence that the lane's last atomic came
    /// after.
    pub told_stamps: [u32; 32],
    /// Which registers hold what nobody has written.
    pub marks: Marks,
    /// Routines that have not come back, innermost last.
    pub calls: Vec<Call>,
}

impl Warp {
    #[inline(always)]
    pub fn set_mask(&mut self, mask: u32) {
        self.mask = mask;
        self.active = if mask == FULL { 32 } else { mask.count_ones() };
    }

    /// A register as 64-bit lanes, whatever its bank.
    pub fn row(&self, (bank, reg): (Bank, Reg)) -> Lanes {
        match bank {
            Bank::A => self.regs.a[reg as usize].map(u64::from),
            Bank::B => self.regs.b[reg as usize],
        }
    }

    /// Writes the lanes of `mask` of a register, if there is one.
    pub fn put(&mut self, dest: Option<(Bank, Reg)>, values: &Lanes, mask: u32) {
        match dest {
            Some((Bank::A, reg)) => self.regs.put_a(reg, &values.map(|v| v as u32), mask),
            Some((Bank::B, reg)) => self.regs.put_b(reg, values, mask),
            None => {}
        }
    }
}
