//! Which bits of a design are always equal. A synthesis tool builds such bits once: copies of a
//! sign, equal columns of a table, registers that always hold the same or never change, the same
//! operation written twice.
//!
//! Bits get numbers, equal numbers for bits that are known to be equal. Gates are known by what
//! they join; what an adder, a multiplier or a memory gives belongs to its node.

use std::collections::HashMap;

use super::memory::Homes;
use crate::facts::{Facts, bits, order};
use crate::flat::{Flat, FlatReg};
use crate::ir::{BinaryOp, NodeId, Op, UnaryOp};
use crate::types::Multipliers;

/// Number of a bit.
pub(super) type Bit = u32;
pub(super) const ZERO: Bit = 0;
pub(super) const ONE: Bit = 1;
/// In what a register takes next: the bit that it holds.
pub(super) const HELD: Bit = 2;

/// Rounds of finding equal registers; each finds those one register further from their equal
/// sources.
const ROUNDS: usize = 100;

/// What a bit is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    /// 0, 1, or held.
    Fixed(Bit),
    /// Bit of a node that is more than gates.
    Own(NodeId, u32),
    Not(Bit),
    And(Bit, Bit),
    Or(Bit, Bit),
    Xor(Bit, Bit),
    Mux(Bit, Bit, Bit),
    /// A function of at most four bits: bit `a` of the number is its value where the inputs, the
    /// first one lowest, are `a`.
    Table(Vec<Bit>, u16),
}

impl Key {
    /// What the gate reads; `None` for what is no gate.
    pub(super) fn inputs(&self) -> Option<Vec<Bit>> {
        match self {
            Key::Fixed(_) | Key::Own(..) => None,
            Key::Not(a) => Some(vec![*a]),
            Key::And(a, b) | Key::Or(a, b) | Key::Xor(a, b) => Some(vec![*a, *b]),
            Key::Mux(c, a, b) => Some(vec![*c, *a, *b]),
            Key::Table(inputs, _) => Some(inputs.clone()),
        }
    }
}

/// One bit of a carry chain: what its LUT joins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Link {
    pub(super) a: Bit,
    pub(super) b: Bit,
    pub(super) subtracts: bool,
}

/// The bits of a design.
pub(super) struct Bits {
    pub(super) keys: Vec<Key>,
    numbers: HashMap<Key, Bit>,
    /// For each gate the scope of the node that was the first to need it.
    pub(super) scopes: Vec<usize>,
    /// For each node its bits, lowest first.
    pub(super) of: Vec<Vec<Bit>>,
    /// For each register its bits.
    registers: Vec<Vec<Bit>>,
    /// For each node with a carry chain its links, lowest first, with the number of the bit that
    /// each makes.
    pub(super) chains: HashMap<NodeId, Vec<(u32, Link)>>,
    /// Nodes of this round by operation and operands.
    known: HashMap<(u64, Vec<Bit>), NodeId>,
    columns: HashMap<(usize, u32, Vec<Bit>), Bit>,
    scope: usize,
}

impl Bits {
    pub(super) fn new(flat: &Flat, facts: &Facts, homes: &Homes, style: Multipliers) -> Bits {
        let mut all = Bits {
            keys: Vec::new(),
            numbers: HashMap::new(),
            scopes: Vec::new(),
            of: vec![Vec::new(); flat.nodes.len()],
            registers: Vec::new(),
            chains: HashMap::new(),
            known: HashMap::new(),
            columns: HashMap::new(),
            scope: 0,
        };
        [ZERO, ONE, HELD].into_iter().for_each(|bit| _ = all.number(Key::Fixed(bit)));
        for reg in &flat.regs {
            let own = all.own(flat, reg.node);
            let mut fitted = all.fitted(flat, facts, reg.node, own);
            // A register that holds a product is as narrow as the factors make it, wherever the
            // product is built.
            let product = facts.product_bits(flat, flat.visible_source(reg.next));
            if let Some(bits) = product.map(|bits| bits as usize)
                && bits < fitted.len()
                && reg.init == 0
            {
                let signed = flat.nodes[reg.node].ty.signed;
                let above = if signed { fitted[bits - 1] } else { ZERO };
                fitted[bits..].fill(above);
            }
            all.registers.push(fitted);
        }
        let order = order(flat);
        for _ in 0..ROUNDS {
            all.known.clear();
            all.chains.clear();
            for &id in &order {
                all.scope = flat.nodes[id].scope;
                all.of[id] = all.node(flat, facts, homes, style, id);
            }
            if !all.merge(flat) {
                break;
            }
        }
        all
    }

    /// What bit `i` of a register takes next, with [`HELD`] for what it holds.
    pub(super) fn next(&mut self, reg: &FlatReg, i: usize) -> Bit {
        let (next, own) = (self.of[reg.next][i], self.of[reg.node][i]);
        self.held(next, own, &mut HashMap::new())
    }

    fn number(&mut self, key: Key) -> Bit {
        if let Some(&bit) = self.numbers.get(&key) {
            return bit;
        }
        let bit = self.keys.len() as Bit;
        self.numbers.insert(key.clone(), bit);
        self.keys.push(key);
        self.scopes.push(self.scope);
        bit
    }

    fn own(&mut self, flat: &Flat, id: NodeId) -> Vec<Bit> {
        (0..flat.nodes[id].ty.width).map(|i| self.number(Key::Own(id, i))).collect()
    }

    /// Bits as far as the facts do not know better: low zeros and copies of the sign.
    fn fitted(&self, flat: &Flat, facts: &Facts, id: NodeId, mut of: Vec<Bit>) -> Vec<Bit> {
        let ty = flat.nodes[id].ty;
        if let Some(value) = facts.constant(id) {
            return (0..ty.width).map(|i| Bit::from(value >> i & 1 == 1)).collect();
        }
        let top = bits(facts.range[id], ty.signed).clamp(1, ty.width) as usize;
        let above = if ty.signed { of[top - 1] } else { ZERO };
        of[top..].fill(above);
        of[..facts.zeros[id].min(ty.width) as usize].fill(ZERO);
        of
    }

    /// Gives registers that always hold the same one number, and those that never change that of
    /// their value. True if there were any.
    fn merge(&mut self, flat: &Flat) -> bool {
        let mut first: HashMap<(Bit, bool, bool), Bit> = HashMap::new();
        let mut changed = false;
        for (r, reg) in flat.regs.iter().enumerate() {
            for i in 0..self.registers[r].len() {
                let own = self.registers[r][i];
                if own <= ONE {
                    continue;
                }
                let next = self.held(self.of[reg.next][i], own, &mut HashMap::new());
                let init = reg.init >> i & 1 == 1;
                let same = match next == HELD || next == Bit::from(init) {
                    true => Bit::from(init),
                    false => *first.entry((next, init, reg.reset)).or_insert(own),
                };
                changed |= same != own;
                self.registers[r][i] = same;
            }
        }
        changed
    }

    fn held(&mut self, bit: Bit, own: Bit, done: &mut HashMap<Bit, Bit>) -> Bit {
        if bit == own {
            return HELD;
        }
        if let Some(&known) = done.get(&bit) {
            return known;
        }
        let result = match self.keys[bit as usize] {
            Key::Mux(c, a, b) => {
                let (x, y) = (self.held(a, own, done), self.held(b, own, done));
                self.mux(c, x, y)
            }
            _ => bit,
        };
        done.insert(bit, result);
        result
    }

    fn node(
        &mut self,
        flat: &Flat,
        facts: &Facts,
        homes: &Homes,
        style: Multipliers,
        id: NodeId,
    ) -> Vec<Bit> {
        let node = &flat.nodes[id];
        let ty = node.ty;
        let width = ty.width as usize;
        let own: Vec<Bit> = match &node.op {
            Op::Reg(reg) => return self.registers[*reg].clone(),
            _ if facts.constant(id).is_some() => vec![ZERO; width],
            Op::Wire(Some(driver)) if !node.border => return self.of[*driver].clone(),
            Op::Const(_) | Op::Input | Op::Poison | Op::Wire(_) | Op::InstanceOutput { .. } => {
                self.own(flat, id)
            }
            Op::Extend(a) => {
                let mut bits = self.of[*a].clone();
                let above = if ty.signed { bits[bits.len() - 1] } else { ZERO };
                bits.resize(width, above);
                bits
            }
            Op::Cast(a) => self.of[*a].clone(),
            Op::Slice { value, lo } => {
                let lo = *lo as usize;
                self.of[*value][lo..lo + width].to_vec()
            }
            Op::Concat(parts) => {
                parts.iter().rev().flat_map(|&part| self.of[part].clone()).collect()
            }
            Op::Shift { left, value, by } => {
                shifted(&self.of[*value], *left, *by as usize, ty.signed)
            }
            Op::ShiftBy { left, value, by } => {
                let mut now = self.of[*value].clone();
                for (level, select) in self.of[*by].clone().into_iter().enumerate() {
                    let far = shifted(&now, *left, 1usize << level.min(20), ty.signed);
                    now = far.iter().zip(&now).map(|(&a, &b)| self.mux(select, a, b)).collect();
                }
                now
            }
            Op::Unary(UnaryOp::Not, a) => {
                self.of[*a].clone().into_iter().map(|bit| self.not(bit)).collect()
            }
            Op::Unary(UnaryOp::Neg, a) => {
                let (zero, a) = (vec![ZERO; width], self.of[*a].clone());
                self.sum(flat, id, zero, a, true)
            }
            Op::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor), a, b) => {
                let pairs: Vec<_> =
                    self.of[*a].iter().copied().zip(self.of[*b].iter().copied()).collect();
                pairs.into_iter().map(|(a, b)| self.gate(*op, a, b)).collect()
            }
            Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let (a, b) = (self.of[*a].clone(), self.of[*b].clone());
                self.sum(flat, id, a, b, *op == BinaryOp::Sub)
            }
            Op::Binary(BinaryOp::Mul, a, b) => match power(facts, *a).map(|p| (p, *b)) {
                Some((by, other)) => self.times_power(flat, other, by, id),
                None => match power(facts, *b).map(|p| (p, *a)) {
                    Some((by, other)) => self.times_power(flat, other, by, id),
                    None => {
                        // Where a product is built tells apart products that look the same.
                        let style = flat.scopes[node.scope].multipliers.unwrap_or(style) as u64;
                        self.shared(flat, id, 100 + style, &[*a, *b])
                    }
                },
            },
            Op::Binary(op, a, b) => self.shared(flat, id, 10 + *op as u64, &[*a, *b]),
            Op::IsState { node, state, .. } => {
                self.shared(flat, id, 1000 + *state as u64, &[*node])
            }
            Op::RamRead { ram, address } => {
                self.shared(flat, id, (1 << 32) + *ram as u64, &[*address])
            }
            Op::RomRead { .. } if homes.in_blocks(flat, id) => self.own(flat, id),
            Op::RomRead { rom, address } => {
                let inputs = self.of[*address].clone();
                (0..ty.width).map(|i| self.column(flat, *rom, i, &inputs)).collect()
            }
            Op::Mux(c, a, b) => {
                let c = self.of[*c][0];
                let pairs: Vec<_> =
                    self.of[*a].iter().copied().zip(self.of[*b].iter().copied()).collect();
                pairs.into_iter().map(|(a, b)| self.mux(c, a, b)).collect()
            }
        };
        self.fitted(flat, facts, id, own)
    }

    /// A node's own bits, or those of an earlier node that does the same with the same.
    fn shared(&mut self, flat: &Flat, id: NodeId, kind: u64, operands: &[NodeId]) -> Vec<Bit> {
        let mut read = vec![flat.nodes[id].ty.width, u32::from(flat.nodes[id].ty.signed)];
        for &operand in operands {
            read.push(u32::MAX - u32::from(flat.nodes[operand].ty.signed));
            read.extend(&self.of[operand]);
        }
        let first = *self.known.entry((kind, read)).or_insert(id);
        self.own(flat, first)
    }

    /// A product with a power of two is wires.
    fn times_power(&mut self, flat: &Flat, other: NodeId, by: u32, id: NodeId) -> Vec<Bit> {
        let ty = flat.nodes[id].ty;
        let mut bits = vec![ZERO; by as usize];
        bits.extend(&self.of[other]);
        let above = if ty.signed { bits[bits.len() - 1] } else { ZERO };
        bits.resize(ty.width as usize, above);
        bits
    }

    /// A carry chain. It begins where both sides have a bit that can be 1, and ends a bit above the
    /// wider side.
    fn sum(
        &mut self,
        flat: &Flat,
        id: NodeId,
        a: Vec<Bit>,
        b: Vec<Bit>,
        subtracts: bool,
    ) -> Vec<Bit> {
        let (ty, n) = (flat.nodes[id].ty, a.len());
        let need = |bits: &[Bit]| {
            let top = if ty.signed { bits[n - 1] } else { ZERO };
            let same = bits.iter().rev().take_while(|&&bit| bit == top).count();
            n - same + usize::from(ty.signed && same > 0)
        };
        let last = match subtracts && !ty.signed {
            true => n,
            false => (need(&a).max(need(&b)) + 1).min(n),
        };
        let kind = 2 + u64::from(subtracts);
        let read = [&a[..], &[u32::MAX, u32::from(ty.signed)], &b[..]].concat();
        let first = *self.known.entry((kind, read)).or_insert(id);
        let own = self.own(flat, first);
        let (mut out, mut links, mut quiet) = (Vec::with_capacity(n), Vec::new(), true);
        for i in 0..n {
            quiet &= match (a[i], b[i]) {
                (_, ZERO) => true,
                (ZERO, _) => !subtracts,
                _ => false,
            };
            if quiet {
                out.push(if b[i] == ZERO { a[i] } else { b[i] });
            } else if i < last {
                links.push((i as u32, Link { a: a[i], b: b[i], subtracts }));
                out.push(own[i]);
            } else {
                out.push(if ty.signed { out[last - 1] } else { ZERO });
            }
        }
        self.chains.entry(first).or_insert(links);
        out
    }

    fn not(&mut self, a: Bit) -> Bit {
        match self.keys[a as usize] {
            Key::Fixed(bit) if bit <= ONE => ONE - bit,
            Key::Not(b) => b,
            _ => self.number(Key::Not(a)),
        }
    }

    fn gate(&mut self, op: BinaryOp, a: Bit, b: Bit) -> Bit {
        let (a, b) = (a.min(b), a.max(b));
        match (op, a) {
            (BinaryOp::And | BinaryOp::Or, _) if a == b => a,
            (BinaryOp::Xor, _) if a == b => ZERO,
            (BinaryOp::And, ZERO) => ZERO,
            (BinaryOp::And, ONE) | (BinaryOp::Or | BinaryOp::Xor, ZERO) => b,
            (BinaryOp::Or, ONE) => ONE,
            (BinaryOp::Xor, ONE) => self.not(b),
            (BinaryOp::And, _) => self.number(Key::And(a, b)),
            (BinaryOp::Or, _) => self.number(Key::Or(a, b)),
            _ => self.number(Key::Xor(a, b)),
        }
    }

    fn mux(&mut self, c: Bit, a: Bit, b: Bit) -> Bit {
        match (c, a, b) {
            _ if a == b => a,
            (ONE, ..) => a,
            (ZERO, ..) => b,
            (_, ONE, ZERO) => c,
            (_, ZERO, ONE) => self.not(c),
            _ => self.number(Key::Mux(c, a, b)),
        }
    }

    /// Column `i` of a table.
    fn column(&mut self, flat: &Flat, rom: usize, i: u32, inputs: &[Bit]) -> Bit {
        let key = (rom, i, inputs.to_vec());
        if let Some(&known) = self.columns.get(&key) {
            return known;
        }
        let words: Vec<bool> = flat.roms[rom].words.iter().map(|w| w >> i & 1 == 1).collect();
        let bit = self.table(inputs.to_vec(), words);
        self.columns.insert(key, bit);
        bit
    }

    /// A function of any number of bits: of those that matter, by tables of four and muxes above.
    fn table(&mut self, mut inputs: Vec<Bit>, mut words: Vec<bool>) -> Bit {
        for k in (0..inputs.len()).rev() {
            let half = |one: bool, words: &[bool]| -> Vec<bool> {
                let mine = |(a, _): &(usize, &bool)| (a >> k & 1 == 1) == one;
                words.iter().enumerate().filter(mine).map(|(_, w)| *w).collect()
            };
            let (low, high) = (half(false, &words), half(true, &words));
            if inputs[k] <= ONE || low == high {
                words = if inputs[k] == ONE { high } else { low };
                inputs.remove(k);
            }
        }
        match inputs.len() {
            0 => Bit::from(words[0]),
            1 if words[1] => inputs[0],
            1 => self.not(inputs[0]),
            2..=4 => {
                let value = words.iter().rev().fold(0u16, |v, &w| v << 1 | u16::from(w));
                self.number(Key::Table(inputs, value))
            }
            n => {
                let (low, high) = words.split_at(words.len() / 2);
                let top = inputs[n - 1];
                let low = self.table(inputs[..n - 1].to_vec(), low.to_vec());
                let high = self.table(inputs[..n - 1].to_vec(), high.to_vec());
                self.mux(top, high, low)
            }
        }
    }
}

/// The exponent of a node that is a constant power of two.
fn power(facts: &Facts, id: NodeId) -> Option<u32> {
    let value = facts.constant(id)?;
    (value > 0 && value.count_ones() == 1).then(|| value.trailing_zeros())
}

fn shifted(bits: &[Bit], left: bool, by: usize, signed: bool) -> Vec<Bit> {
    let n = bits.len();
    let above = if signed { bits[n - 1] } else { ZERO };
    let bit = |i: usize| match left {
        true => i.checked_sub(by).map_or(ZERO, |j| bits[j]),
        false => bits.get(i + by).copied().unwrap_or(above),
    };
    (0..n).map(bit).collect()
}
