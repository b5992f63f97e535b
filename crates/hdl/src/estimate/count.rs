//! Parts of a design, counted after the rules of the parent module: from the outputs back, what is
//! needed, each bit once.

use std::collections::{HashMap, HashSet};

use super::bits::{Bit, Bits, HELD, Key, Link, ONE, ZERO};
use super::memory::{Home, Homes};
use super::parts::Count;
use crate::facts::Facts;
use crate::flat::Flat;
use crate::ir::{BinaryOp, NodeId, Op};
use crate::types::Multipliers;

/// Counts of each instance by itself, in the order of [`Flat::scopes`].
pub(super) fn count(flat: &Flat, facts: &Facts, homes: &Homes, style: Multipliers) -> Vec<Count> {
    let mut counter = Counter::new(flat, facts, homes, style);
    flat.outputs.iter().chain(&flat.kept).for_each(|&output| counter.need_all(output));
    counter.follow();
    counter.pack();
    counter.count()
}

/// LUTs of a tree that joins `inputs` bits into one.
fn tree(inputs: u32) -> u32 {
    inputs.saturating_sub(1).div_ceil(3)
}

/// LUTs of a memory read at once, per bit of a word: two hold 16 bits, one to write and one to read
/// at another address.
fn memory_luts(address: u32) -> u32 {
    let tables = 1 << address.saturating_sub(4);
    // Two LUTs choose one of four.
    2 * tables + 2 * (tables - 1) / 3
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
            // An unsigned factor leaves the sign bit of the block unused; a wider one is cut into
            // 17-bit parts.
            let parts =
                |w: u32| if signed && w <= 18 { 1 } else { (w - u32::from(signed)).div_ceil(17) };
            Count { multipliers: parts(widths[0]) * parts(widths[1]), ..Count::default() }
        }
    }
}

/// What one bit of a register can take next.
struct Choice {
    values: Vec<Bit>,
    conditions: Vec<Bit>,
    /// Constants beyond the first, which is the set or clear input and free.
    constants: u32,
}

impl Choice {
    /// Values that a LUT must choose from.
    fn ways(&self) -> u32 {
        self.values.len() as u32 + self.constants
    }
}

struct Counter<'f> {
    flat: &'f Flat,
    style: Multipliers,
    facts: &'f Facts,
    homes: &'f Homes,
    bits: Bits,
    /// How many parts read each bit.
    uses: Vec<u32>,
    /// What each bit of each register can take, where it is needed.
    choices: HashMap<(usize, usize), Choice>,
    /// How many links of each carry chain are needed.
    chains: HashMap<NodeId, usize>,
    /// Nodes that are needed and more than gates.
    live: HashSet<NodeId>,
    rams: HashSet<usize>,
    todo: Vec<Bit>,
    /// Gates that are packed into the part that reads them.
    packed: HashSet<Bit>,
}

impl<'f> Counter<'f> {
    fn new(flat: &'f Flat, facts: &'f Facts, homes: &'f Homes, style: Multipliers) -> Counter<'f> {
        let bits = Bits::new(flat, facts, homes, style);
        Counter {
            flat,
            style,
            facts,
            homes,
            bits,
            uses: Vec::new(),
            choices: HashMap::new(),
            chains: HashMap::new(),
            live: HashSet::new(),
            rams: HashSet::new(),
            todo: Vec::new(),
            packed: HashSet::new(),
        }
    }

    fn need(&mut self, bit: Bit) {
        let at = bit as usize;
        if at >= self.uses.len() {
            self.uses.resize(self.bits.keys.len().max(at + 1), 0);
        }
        self.uses[at] += 1;
        if self.uses[at] == 1 {
            self.todo.push(bit);
        }
    }

    fn need_all(&mut self, id: NodeId) {
        self.bits.of[id].clone().into_iter().for_each(|bit| self.need(bit));
    }

    /// Goes back from what is needed to what that needs.
    fn follow(&mut self) {
        while let Some(bit) = self.todo.pop() {
            let key = self.bits.keys[bit as usize].clone();
            if let Some(inputs) = key.inputs() {
                inputs.into_iter().for_each(|input| self.need(input));
            } else if let Key::Own(id, i) = key {
                self.follow_node(id, i);
            }
        }
    }

    fn follow_node(&mut self, id: NodeId, i: u32) {
        let flat = self.flat;
        if let Some(links) = self.bits.chains.get(&id) {
            let from = *self.chains.get(&id).unwrap_or(&0);
            let to = links.iter().take_while(|(at, _)| *at <= i).count();
            if to > from {
                let links: Vec<Link> = links[from..to].iter().map(|(_, link)| *link).collect();
                self.chains.insert(id, to);
                for link in links {
                    self.need(link.a);
                    self.need(link.b);
                }
            }
            return;
        }
        if let Op::Reg(r) = flat.nodes[id].op {
            let next = self.bits.next(&flat.regs[r], i as usize);
            let choice = self.choice(next);
            let read = choice.values.iter().chain(&choice.conditions);
            read.copied().collect::<Vec<_>>().into_iter().for_each(|bit| self.need(bit));
            self.choices.insert((r, i as usize), choice);
            return;
        }
        if !self.live.insert(id) {
            return;
        }
        flat.nodes[id].op.operands().into_iter().for_each(|operand| self.need_all(operand));
        if let Op::RamRead { ram, .. } = flat.nodes[id].op
            && self.rams.insert(ram)
        {
            let write = flat.rams[ram].write.into_iter().flatten();
            write.for_each(|operand| self.need_all(operand));
        }
    }

    /// The choice in front of a register. Keeping its own value is the clock enable, a constant is
    /// the set or clear input.
    fn choice(&self, next: Bit) -> Choice {
        let mut found = Choice { values: vec![], conditions: vec![], constants: 0 };
        let (mut constants, mut seen, mut todo) = (HashSet::new(), HashSet::new(), vec![next]);
        while let Some(bit) = todo.pop() {
            if !seen.insert(bit) || bit == HELD {
                continue;
            }
            match self.bits.keys[bit as usize] {
                Key::Fixed(_) => _ = constants.insert(bit),
                Key::Mux(c, a, b) => {
                    todo.extend([a, b]);
                    if !found.conditions.contains(&c) {
                        found.conditions.push(c);
                    }
                }
                _ => found.values.push(bit),
            }
        }
        found.constants = (constants.len() as u32).saturating_sub(1);
        found
    }

    fn gate(&self, bit: Bit) -> bool {
        self.bits.keys[bit as usize].inputs().is_some()
    }

    /// True if the bit is a gate that only one part reads.
    fn packable(&self, bit: Bit) -> bool {
        self.gate(bit) && self.uses[bit as usize] == 1
    }

    /// Packs gates into what reads them.
    fn pack(&mut self) {
        let live = (0..self.uses.len() as Bit).filter(|&b| self.uses[b as usize] > 0);
        let mut packed: HashSet<Bit> = HashSet::new();
        for bit in live {
            let inputs = self.bits.keys[bit as usize].inputs().into_iter().flatten();
            packed.extend(inputs.filter(|&input| self.packable(input)));
        }
        for choice in self.choices.values().filter(|c| c.ways() > 1) {
            packed.extend(choice.values.iter().copied().filter(|&value| self.packable(value)));
        }
        self.packed = packed;
        // A carry chain takes one side as it is; the other may be a gate in the LUT that joins
        // both.
        for (id, &needed) in &self.chains {
            for (_, link) in &self.bits.chains[id][..needed] {
                let fits = |&bit: &Bit| self.packable(bit) && self.leaves(bit).len() <= 3;
                if let Some(bit) = [link.b, link.a].into_iter().find(fits) {
                    self.packed.insert(bit);
                }
            }
        }
    }

    /// Inputs of the packed gates that end at `bit`. What chooses, and what addresses a table,
    /// counts each time.
    fn leaves(&self, bit: Bit) -> Vec<Bit> {
        let mut found = Vec::new();
        self.add_leaves(bit, &mut found);
        found
    }

    fn add_leaves(&self, bit: Bit, found: &mut Vec<Bit>) {
        let key = &self.bits.keys[bit as usize];
        for (n, input) in key.inputs().unwrap_or_default().into_iter().enumerate() {
            let again = matches!(key, Key::Table(..)) || matches!(key, Key::Mux(..)) && n == 0;
            if self.packed.contains(&input) {
                self.add_leaves(input, found);
            } else if input > HELD && (again || !found.contains(&input)) {
                found.push(input);
            }
        }
    }

    fn count(&self) -> Vec<Count> {
        let flat = self.flat;
        let mut counts = vec![Count::default(); flat.scopes.len()];
        for bit in 0..self.uses.len() as Bit {
            if self.uses[bit as usize] > 0 && self.gate(bit) && !self.packed.contains(&bit) {
                let luts = tree(self.leaves(bit).len() as u32).max(1);
                counts[self.bits.scopes[bit as usize]].luts += luts;
            }
        }
        let mut conditions: HashMap<usize, HashSet<Bit>> = HashMap::new();
        for (&(r, i), choice) in &self.choices {
            let own = &mut counts[flat.nodes[flat.regs[r].node].scope];
            own.luts += self.choice_luts(choice);
            own.ffs += u32::from(!self.inside_memory(r, i));
            conditions.entry(r).or_default().extend(&choice.conditions);
        }
        for (r, conditions) in conditions {
            counts[flat.nodes[flat.regs[r].node].scope].luts += tree(conditions.len() as u32);
        }
        let mut links = Links { counter: self, inverted: HashSet::new() };
        let mut chains: Vec<_> = self.chains.iter().collect();
        chains.sort_unstable();
        for (&id, &needed) in chains {
            let chain = self.bits.chains[&id][..needed].iter().map(|(_, link)| *link);
            let luts = links.luts(chain);
            // Full adders in place of a carry chain: two LUTs a bit, of which some fall away at the
            // ends.
            let luts = if self.joined(id) { 7 * luts / 4 } else { luts };
            counts[flat.nodes[id].scope].luts += luts;
        }
        let mut live: Vec<_> = self.live.iter().copied().collect();
        live.sort_unstable();
        for id in live {
            counts[flat.nodes[id].scope].add(self.node(id, &mut links));
        }
        for (i, ram) in flat.rams.iter().enumerate().filter(|(i, _)| self.rams.contains(i)) {
            let (own, words) = (&mut counts[ram.scope], ram.depth as u32);
            match self.homes.ram(i) {
                Home::Blocks => own.ram_bits += words * ram.ty.width,
                Home::Luts => {}
                Home::Registers => {
                    own.ffs += words * ram.ty.width;
                    // Which word is written.
                    own.luts += words;
                }
            }
        }
        counts
    }

    fn choice_luts(&self, choice: &Choice) -> u32 {
        if choice.ways() < 2 {
            return 0;
        }
        let leaves = |&value: &Bit| match self.packed.contains(&value) {
            true => self.leaves(value).len() as u32,
            false => 1,
        };
        let signals: u32 = choice.values.iter().map(leaves).sum();
        tree(signals + choice.constants + choice.ways() - 1)
    }

    /// True if the register is the output of a block RAM, which has one of its own.
    fn inside_memory(&self, reg: usize, i: usize) -> bool {
        let next = self.flat.visible_source(self.flat.regs[reg].next);
        self.homes.in_blocks(self.flat, next) && i < self.bits.of[next].len()
    }

    fn node(&self, id: NodeId, links: &mut Links) -> Count {
        let flat = self.flat;
        let node = &flat.nodes[id];
        let width = |n: NodeId| flat.nodes[n].ty.width;
        let constant = |n: NodeId| self.facts.constant(n);
        let luts = match node.op {
            Op::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
                let pairs = self.bits.of[a].iter().zip(&self.bits.of[b]).filter(|(a, b)| a != b);
                let bits: HashSet<Bit> = pairs.flat_map(|(&a, &b)| [a, b]).collect();
                tree(bits.iter().filter(|&&bit| bit > ONE).count() as u32)
            }
            Op::IsState { node, .. } => tree(width(node)),
            Op::Binary(op @ (BinaryOp::Lt | BinaryOp::Le), a, b) => {
                // What lies below a power of two is told by the bits from there on.
                let bound = match op {
                    BinaryOp::Lt => constant(b).or(constant(a).map(|c| c + 1)),
                    _ => constant(a).or(constant(b).map(|c| c + 1)),
                };
                let unsigned = !flat.nodes[a].ty.signed;
                match bound.filter(|c| unsigned && *c > 0 && c.count_ones() == 1) {
                    Some(c) => tree(width(a).saturating_sub(c.trailing_zeros())),
                    None => links.luts(
                        self.bits.of[a].iter().zip(&self.bits.of[b]).map(|(&a, &b)| Link {
                            a,
                            b,
                            subtracts: true,
                        }),
                    ),
                }
            }
            Op::Binary(BinaryOp::Mul, a, b) => {
                let style = flat.scopes[node.scope].multipliers.unwrap_or(self.style);
                let constants = [constant(a), constant(b)];
                return product([width(a), width(b)], node.ty.signed, constants, style);
            }
            Op::RamRead { ram, address } => match self.homes.ram(ram) {
                Home::Blocks => 0,
                Home::Luts => node.ty.width * memory_luts(width(address)),
                Home::Registers => node.ty.width * tree((1 << width(address)) + width(address)),
            },
            Op::RomRead { rom, .. } if self.homes.in_blocks(flat, id) => {
                let ram_bits = flat.roms[rom].words.len() as u32 * node.ty.width;
                return Count { ram_bits, ..Count::default() };
            }
            _ => 0,
        };
        Count { luts, ..Count::default() }
    }

    /// True for a sum that only feeds another sum: tools join them into one addition of many
    /// numbers.
    fn joined(&self, id: NodeId) -> bool {
        let sum = |id: NodeId| {
            matches!(self.flat.nodes[id].op, Op::Binary(BinaryOp::Add | BinaryOp::Sub, ..))
        };
        let mut readers = self.chains.keys().filter(|&&reader| sum(reader));
        sum(id)
            && readers.any(|&reader| {
                self.flat.nodes[reader].op.operands().into_iter().any(|operand| {
                    let mut from = self.flat.visible_source(operand);
                    while let (Op::Extend(inner), 1) =
                        (&self.flat.nodes[from].op, self.homes.reads[from])
                    {
                        from = self.flat.visible_source(*inner);
                    }
                    from == id && self.homes.reads[from] == 1
                })
            })
    }
}

/// LUTs of carry chains. Where a chain adds nothing to a bit there is none; bits that are inverted
/// for it are inverted once.
struct Links<'c, 'f> {
    counter: &'c Counter<'f>,
    inverted: HashSet<Bit>,
}

impl Links<'_, '_> {
    fn luts(&mut self, chain: impl Iterator<Item = Link>) -> u32 {
        let mut joins = HashSet::new();
        let mut luts = 0;
        for link in chain {
            let (a, b) = (link.a.min(link.b), link.a.max(link.b));
            // The bit that a constant on one side leaves as it is, or inverts.
            let plain = matches!(
                (link.subtracts, link.a, link.b),
                (false, ZERO, _) | (false, _, ZERO) | (true, ONE, _) | (true, _, ONE)
            );
            if b <= ONE || a == b || plain {
                continue;
            }
            if a <= ONE {
                luts += u32::from(!self.counter.gate(b) && self.inverted.insert(b));
            } else {
                luts += u32::from(joins.insert((a, b)));
            }
        }
        luts
    }
}
