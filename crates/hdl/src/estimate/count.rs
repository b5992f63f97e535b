//! Parts of a design, counted node by node after the rules of the parent module.

use std::collections::HashSet;

use super::{Count, Multipliers};
use crate::facts::{Facts, bits};
use crate::flat::{Flat, FlatReg};
use crate::ir::{BinaryOp, NodeId, Op, UnaryOp};

/// Memories of more bits than this go into block RAM if they can.
const DISTRIBUTED_BITS: u32 = 512;

/// Counts of each instance by itself, in the order of [`Flat::scopes`].
pub(super) fn count(flat: &Flat, style: Multipliers) -> Vec<Count> {
    Counter::new(flat, style).count()
}

/// LUTs of a tree that joins `inputs` bits into one.
fn tree(inputs: u32) -> u32 {
    inputs.saturating_sub(1).div_ceil(3)
}

/// LUTs of a memory read at once, per bit of a word.
fn table_luts(address: u32) -> u32 {
    match address {
        0..=4 => 1,
        more => {
            let tables = 1 << (more - 4);
            // A mux of two takes a LUT.
            tables + tables - 1
        }
    }
}

/// Multiplier blocks of a product, or LUTs in logic.
fn product(
    widths: [u32; 2],
    signed: bool,
    constants: [Option<i128>; 2],
    style: Multipliers,
) -> Count {
    let constant = constants[0].or(constants[1]);
    if let Some(c) = constant {
        let ones = c.unsigned_abs().count_ones();
        let (data, factor) =
            if constants[0].is_some() { (widths[1], widths[0]) } else { (widths[0], widths[1]) };
        if ones <= 1 {
            return Count { luts: if c < 0 { data } else { 0 }, ..Count::default() };
        }
        if style == Multipliers::Logic {
            return Count { luts: (ones - 1) * (data + factor / 2), ..Count::default() };
        }
    }
    match style {
        Multipliers::Logic => Count { luts: 3 * widths[0] * widths[1], ..Count::default() },
        Multipliers::Blocks => {
            // An unsigned factor leaves the sign bit of the block unused; a wider one is cut into 17-bit parts.
            let parts =
                |w: u32| if signed && w <= 18 { 1 } else { (w - u32::from(signed)).div_ceil(17) };
            Count { multipliers: parts(widths[0]) * parts(widths[1]), ..Count::default() }
        }
    }
}

fn sums(flat: &Flat, id: NodeId) -> bool {
    matches!(flat.nodes[id].op, Op::Binary(BinaryOp::Add | BinaryOp::Sub, ..))
}

struct Counter<'f> {
    flat: &'f Flat,
    style: Multipliers,
    facts: Facts,
    uses: Vec<u32>,
    live: Vec<bool>,
    /// Bitwise nodes that are packed into the one that reads them.
    packed: Vec<bool>,
    /// Sums that only feed another sum: tools join them into one addition of many numbers.
    joined: Vec<bool>,
}

impl<'f> Counter<'f> {
    fn new(flat: &'f Flat, style: Multipliers) -> Counter<'f> {
        let n = flat.nodes.len();
        let facts = Facts::new(flat, &[], Some(style));
        let mut counter = Counter {
            flat,
            style,
            facts,
            uses: vec![0; n],
            live: vec![false; n],
            packed: vec![false; n],
            joined: vec![false; n],
        };
        let mut todo: Vec<NodeId> = Vec::new();
        for reg in &flat.regs {
            let (values, conditions) = counter.choices(reg);
            todo.extend(values.into_iter().chain(conditions));
        }
        todo.extend(&flat.outputs);
        todo.extend(flat.rams.iter().filter_map(|r| r.write).flatten());
        todo.iter().for_each(|&n| counter.uses[flat.visible_source(n)] += 1);
        while let Some(id) = todo.pop() {
            let id = counter.source(id);
            if !std::mem::replace(&mut counter.live[id], true) && counter.constant(id).is_none() {
                for n in flat.nodes[id].op.operands() {
                    let n = counter.source(n);
                    counter.uses[n] += 1;
                    todo.push(n);
                }
            }
        }
        for id in 0..n {
            if !counter.live[id] || !sums(flat, id) {
                continue;
            }
            for operand in counter.operands(id) {
                counter.join(operand);
            }
        }
        for id in 0..n {
            if counter.live[id] && counter.bitwise(id) {
                for n in counter.operands(id) {
                    if counter.bitwise(n) && counter.uses[n] == 1 {
                        counter.packed[n] = true;
                    }
                }
            }
        }
        counter
    }

    fn source(&self, id: NodeId) -> NodeId {
        self.flat.visible_source(id)
    }

    /// Marks the sum that `id` is, if nothing else reads it.
    fn join(&mut self, mut id: NodeId) {
        while let (Op::Extend(from), 1) = (&self.flat.nodes[id].op, self.uses[id]) {
            id = self.source(*from);
        }
        self.joined[id] = self.uses[id] == 1 && sums(self.flat, id);
    }

    fn operands(&self, id: NodeId) -> Vec<NodeId> {
        self.flat.nodes[id].op.operands().into_iter().map(|n| self.source(n)).collect()
    }

    fn constant(&self, id: NodeId) -> Option<i128> {
        self.facts.constant(self.source(id))
    }

    /// Bits of the node that can differ from its neighbours: no low zeros, no copies of the sign.
    fn bits(&self, id: NodeId) -> u32 {
        let ty = self.flat.nodes[id].ty;
        let all = bits(self.facts.range[id], ty.signed).min(ty.width);
        all.saturating_sub(self.facts.zeros[id])
    }

    /// Bits up to the highest that is no copy of the sign.
    fn top(&self, id: NodeId) -> u32 {
        let ty = self.flat.nodes[id].ty;
        bits(self.facts.range[id], ty.signed).min(ty.width)
    }

    /// What can go into a register: the values and conditions of the choice in front of it. Keeping its own value
    /// is the clock enable and a constant 0 the clear input, which are free.
    fn choices(&self, reg: &FlatReg) -> (Vec<NodeId>, Vec<NodeId>) {
        let (mut values, mut conditions) = (Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        let mut todo = vec![reg.next];
        while let Some(id) = todo.pop() {
            let id = self.source(id);
            if !seen.insert(id) {
                continue;
            }
            let (list, entry) = match self.flat.nodes[id].op {
                Op::Mux(c, a, b) if self.add_or_subtract(id).is_none() => {
                    todo.extend([a, b]);
                    (&mut conditions, self.source(c))
                }
                _ if id == reg.node || self.constant(id) == Some(0) => continue,
                _ => (&mut values, id),
            };
            if !list.contains(&entry) {
                list.push(entry);
            }
        }
        (values, conditions)
    }

    fn register_luts(&self, reg: &FlatReg) -> u32 {
        let (values, conditions) = self.choices(reg);
        let signals = values.iter().filter(|&&v| self.constant(v).is_none()).count() as u32;
        let constants = u32::from(values.len() as u32 > signals);
        let selects = (signals + constants).saturating_sub(1);
        let data = if signals + constants > 1 { tree(signals + selects) } else { 0 };
        self.bits(reg.node) * data + tree(conditions.len() as u32)
    }

    /// `c ? a + b : a - b` is one chain that adds or subtracts: the node of its first sum.
    fn add_or_subtract(&self, id: NodeId) -> Option<NodeId> {
        let Op::Mux(_, a, b) = self.flat.nodes[id].op else { return None };
        let (a, b) = (self.source(a), self.source(b));
        let sum = |n: NodeId| match self.flat.nodes[n].op {
            Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), x, y) => {
                Some((op, self.source(x), self.source(y)))
            }
            _ => None,
        };
        let ((first, x, y), (second, u, v)) = (sum(a)?, sum(b)?);
        (first != second && (x, y) == (u, v)).then_some(a)
    }

    fn bitwise(&self, id: NodeId) -> bool {
        matches!(
            self.flat.nodes[id].op,
            Op::Unary(UnaryOp::Not, _)
                | Op::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, ..)
                | Op::Mux(..)
        )
    }

    /// Inputs of the packed expression that ends at `id`; constants cost nothing.
    fn leaves(&self, id: NodeId, found: &mut Vec<NodeId>) {
        for n in self.operands(id) {
            if self.packed[n] && self.uses[n] == 1 {
                self.leaves(n, found);
            } else if self.constant(n).is_none() && !found.contains(&n) {
                found.push(n);
            }
        }
    }

    fn count(&self) -> Vec<Count> {
        let flat = self.flat;
        let mut counts = vec![Count::default(); flat.scopes.len()];
        for reg in &flat.regs {
            let own = &mut counts[flat.nodes[reg.node].scope];
            own.ffs += self.bits(reg.node);
            own.luts += self.register_luts(reg);
        }
        let mut free = vec![false; flat.nodes.len()];
        for id in (0..flat.nodes.len()).filter(|&id| self.live[id]) {
            if let Some(other) = self.add_or_subtract(id).filter(|&n| self.uses[n] == 1) {
                (free[id], free[other]) = (true, true);
            }
        }
        for id in 0..flat.nodes.len() {
            if self.live[id] && !free[id] && self.constant(id).is_none() {
                counts[flat.nodes[id].scope].add(self.node(id));
            }
        }
        for (i, ram) in flat.rams.iter().enumerate() {
            if self.in_blocks(i) {
                counts[ram.scope].ram_bits += ram.depth as u32 * ram.ty.width;
            }
        }
        counts
    }

    fn node(&self, id: NodeId) -> Count {
        let flat = self.flat;
        let node = &flat.nodes[id];
        let width = |n: NodeId| flat.nodes[n].ty.width;
        let zeros = |n: NodeId| self.facts.zeros[self.source(n)];
        let luts = match node.op {
            _ if self.bitwise(id) => {
                let mut leaves = Vec::new();
                if !self.packed[id] {
                    self.leaves(id, &mut leaves);
                }
                self.bits(id) * tree(leaves.len() as u32)
            }
            // Low bits that are 0 on one side are wires from the other.
            Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let wires = if op == BinaryOp::Add { zeros(a).max(zeros(b)) } else { zeros(b) };
                let bits = self.top(id).saturating_sub(wires);
                // Full adders in place of a carry chain: two LUTs a bit, of which some fall away at the ends.
                if self.joined[id] { 7 * bits / 4 } else { bits }
            }
            Op::Unary(UnaryOp::Neg, a) => self.top(id).saturating_sub(zeros(a)),
            Op::Binary(BinaryOp::Lt | BinaryOp::Le, a, b) => {
                self.top(self.source(a)).max(self.top(self.source(b))).min(width(a))
            }
            Op::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
                let constant = self.constant(a).is_some() || self.constant(b).is_some();
                let sides = if constant { 1 } else { 2 };
                tree(sides * width(a))
            }
            Op::IsState { node, .. } => tree(width(node)),
            Op::Binary(BinaryOp::Mul, a, b) => {
                let style = flat.scopes[node.scope].multipliers.unwrap_or(self.style);
                let constants = [self.constant(a), self.constant(b)];
                return product([width(a), width(b)], node.ty.signed, constants, style);
            }
            Op::ShiftBy { by, .. } => self.bits(id) * width(by),
            Op::RomRead { address, .. } => node.ty.width * table_luts(width(address)),
            Op::RamRead { ram, address } if !self.in_blocks(ram) => {
                node.ty.width * table_luts(width(address))
            }
            _ => 0,
        };
        Count { luts, ..Count::default() }
    }

    /// True if the memory is large and read only into registers.
    fn in_blocks(&self, ram: usize) -> bool {
        let data = &self.flat.rams[ram];
        let registered = |id: NodeId| self.flat.regs.iter().any(|r| self.source(r.next) == id);
        let mut reads = (0..self.flat.nodes.len()).filter(|&id| {
            let here = matches!(self.flat.nodes[id].op, Op::RamRead { ram: r, .. } if r == ram);
            self.live[id] && here
        });
        data.depth as u32 * data.ty.width > DISTRIBUTED_BITS
            && reads.all(|id| self.uses[id] == 1 && registered(id))
    }
}
