//! Where a memory is built: in flip-flops, in LUTs, or in block RAM, whichever is cheapest.
//!
//! The weights are those of Yosys (`memory_libmap` for Spartan-3). They are of area on the chip, so
//! a memory of 132 bits is already worth a block, while one of 128 bits and 16 words is not.

use std::collections::HashSet;

use crate::facts::Facts;
use crate::flat::Flat;
use crate::ir::{NodeId, Op};

/// A block RAM: 18 kbit, up to 36 of them in a word.
const BLOCK: u32 = 129;
const BLOCK_BITS: u32 = 18 * 1024;
const BLOCK_WIDTH: u32 = 36;
/// Two LUTs: 16 bits that are written at one address and read at another.
const PAIR: u32 = 5;
/// Bits of a table that are as dear as a flip-flop.
const TABLE_BITS: u32 = 16;

/// What a memory is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    Registers,
    Luts,
    Blocks,
}

/// The homes of all memories of a design.
pub(super) struct Homes {
    /// For each RAM.
    rams: Vec<Home>,
    /// Reads of ROMs that lie in blocks.
    roms: HashSet<NodeId>,
    /// How many parts read each node.
    pub(super) reads: Vec<u32>,
}

impl Homes {
    pub(super) fn new(flat: &Flat, facts: &Facts) -> Homes {
        let reads = reads(flat, facts);
        let registered: HashSet<NodeId> =
            flat.regs.iter().map(|reg| flat.visible_source(reg.next)).collect();
        let clocked = |id: NodeId| reads[id] == 1 && registered.contains(&id);
        let mut at_once = vec![false; flat.rams.len()];
        let mut roms = HashSet::new();
        for (id, node) in flat.nodes.iter().enumerate().filter(|(id, _)| reads[*id] > 0) {
            match node.op {
                Op::RamRead { ram, .. } => at_once[ram] |= !clocked(id),
                Op::RomRead { rom, .. } => {
                    let data = &flat.roms[rom];
                    let (words, width) = (data.words.len(), data.ty.width);
                    let table = (words as u32 * width).div_ceil(TABLE_BITS);
                    if clocked(id) && !data.distributed && block_cost(words, width) < table {
                        roms.insert(id);
                    }
                }
                _ => {}
            }
        }
        let rams = flat.rams.iter().zip(at_once).map(|(ram, at_once)| {
            let width = ram.ty.width;
            let registers = ram.depth as u32 * width;
            let luts = PAIR * width * ram.depth.div_ceil(16) as u32;
            let blocks = if at_once { u32::MAX } else { block_cost(ram.depth, width) };
            match blocks.min(luts).min(registers) {
                cost if cost == blocks => Home::Blocks,
                cost if cost == luts => Home::Luts,
                _ => Home::Registers,
            }
        });
        Homes { rams: rams.collect(), roms, reads }
    }

    pub(super) fn ram(&self, ram: usize) -> Home {
        self.rams[ram]
    }

    /// True if the node reads a memory in block RAM.
    pub(super) fn in_blocks(&self, flat: &Flat, id: NodeId) -> bool {
        match flat.nodes[id].op {
            Op::RamRead { ram, .. } => self.rams[ram] == Home::Blocks,
            Op::RomRead { .. } => self.roms.contains(&id),
            _ => false,
        }
    }
}

fn block_cost(words: usize, width: u32) -> u32 {
    let bits = words as u32 * width;
    BLOCK * bits.div_ceil(BLOCK_BITS).max(width.div_ceil(BLOCK_WIDTH))
}

fn reads(flat: &Flat, facts: &Facts) -> Vec<u32> {
    let mut reads = vec![0; flat.nodes.len()];
    let written = flat.rams.iter().filter_map(|r| r.write).flatten();
    let roots = flat.regs.iter().map(|r| r.next).chain(flat.outputs.iter().copied());
    let mut todo: Vec<NodeId> = roots.chain(written).collect();
    let mut seen = vec![false; flat.nodes.len()];
    while let Some(id) = todo.pop() {
        let id = flat.visible_source(id);
        reads[id] += 1;
        if !std::mem::replace(&mut seen[id], true) && facts.constant(id).is_none() {
            todo.extend(flat.nodes[id].op.operands());
        }
    }
    reads
}
