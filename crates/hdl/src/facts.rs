//! What is certain about the values of a design whatever its inputs do: the range of every node,
//! and the low bits that are always 0. Ranges tell where a number can overflow; both tell which
//! bits a tool will not build.
//!
//! Registers start from their initial values and take what can come next until nothing changes; one
//! that keeps growing, such as a counter or an accumulator, is given the range of its type.

use crate::flat::Flat;
use crate::ir::{BinaryOp, NodeId, Op, UnaryOp};
use crate::types::{Multipliers, Type};

/// Smallest and largest value; those of unsigned types are never negative.
pub(crate) type Range = (i128, i128);

/// Rounds after which a register that still grows is given the range of its type.
const ROUNDS: usize = 80;

/// Low zero bits of a constant 0.
const ALL: u32 = 64;

pub(crate) struct Facts {
    pub(crate) range: Vec<Range>,
    pub(crate) zeros: Vec<u32>,
    /// The range before it is fitted into the type, where the two differ.
    pub(crate) before: Vec<Option<Range>>,
}

/// All values of a type.
pub(crate) fn full(ty: Type) -> Range {
    match ty.signed {
        true => (-(1i128 << (ty.width - 1)), (1i128 << (ty.width - 1)) - 1),
        false => (0, (1i128 << ty.width) - 1),
    }
}

/// A stored value as the number it means.
pub(crate) fn number(value: i64, ty: Type) -> i128 {
    if ty.signed { value.into() } else { (value as u64).into() }
}

fn union(a: Range, b: Range) -> Range {
    (a.0.min(b.0), a.1.max(b.1))
}

fn within(a: Range, b: Range) -> bool {
    b.0 <= a.0 && a.1 <= b.1
}

/// Bits that a value of this range needs in a type of this signedness; 0 for a constant.
pub(crate) fn bits(range: Range, signed: bool) -> u32 {
    if range.0 == range.1 { 0 } else { needed(range, signed) }
}

/// Bits that hold all values of the range.
fn needed(range: Range, signed: bool) -> u32 {
    let one = |v: i128| 128 - if v < 0 { (!v).leading_zeros() } else { v.leading_zeros() };
    one(range.0).max(one(range.1)) + u32::from(signed)
}

impl Facts {
    /// `inputs` limits the ranges of the top's inputs, by number; the others can be anything. With
    /// `trimmed`, the style of products, only that is known which a synthesis tool finds out:
    /// nothing about memories, nor about products in blocks, nor inside a kept module about what
    /// drives it.
    pub(crate) fn new(
        flat: &Flat,
        inputs: &[(usize, Range)],
        trimmed: Option<Multipliers>,
    ) -> Facts {
        let n = flat.nodes.len();
        let order = order(flat);
        let mut facts =
            Facts { range: vec![(0, 0); n], zeros: vec![ALL; n], before: vec![None; n] };
        for (i, &id) in flat.inputs.iter().enumerate() {
            let ty = flat.nodes[id].ty;
            let given = inputs.iter().find(|(at, _)| *at == i).map(|(_, range)| *range);
            facts.range[id] = given.unwrap_or(full(ty));
            facts.zeros[id] = 0;
        }
        for reg in &flat.regs {
            let ty = flat.nodes[reg.node].ty;
            let init = number(reg.init, ty);
            facts.range[reg.node] = (init, init);
            facts.zeros[reg.node] = zeros_of(init);
        }
        for round in 0.. {
            for &id in &order {
                facts.node(flat, id, trimmed);
            }
            let mut changed = false;
            for reg in &flat.regs {
                let ty = flat.nodes[reg.node].ty;
                let (old, zeros) = (facts.range[reg.node], facts.zeros[reg.node]);
                let mut new = union(old, facts.range[reg.next]);
                if new != old && round >= ROUNDS {
                    new = full(ty);
                }
                facts.range[reg.node] = new;
                facts.zeros[reg.node] = zeros.min(facts.zeros[reg.next]);
                changed |= new != old || facts.zeros[reg.node] != zeros;
            }
            if !changed {
                break;
            }
        }
        facts
    }

    /// The value of a node that never changes.
    pub(crate) fn constant(&self, id: NodeId) -> Option<i128> {
        let (low, high) = self.range[id];
        (low == high).then_some(low)
    }

    /// Bits of a product whose factors are both more than a shift, after the values of the factors;
    /// `None` for any other node.
    pub(crate) fn product_bits(&self, flat: &Flat, id: NodeId) -> Option<u32> {
        let Op::Binary(BinaryOp::Mul, a, b) = flat.nodes[id].op else { return None };
        let bits = |n: NodeId| needed(self.range[n], flat.nodes[id].ty.signed);
        (!self.simple(a) && !self.simple(b)).then(|| bits(a) + bits(b))
    }

    fn node(&mut self, flat: &Flat, id: NodeId, trimmed: Option<Multipliers>) {
        let node = &flat.nodes[id];
        let ty = node.ty;
        if matches!(node.op, Op::Input | Op::Reg(_)) {
            return;
        }
        if trimmed.is_some_and(|style| self.opaque(flat, id, style)) {
            (self.range[id], self.zeros[id]) = (full(ty), 0);
            return;
        }
        let mut range = self.exact(flat, id);
        if let (Some(width), Some(_)) = (self.product_bits(flat, id), trimmed) {
            // A tool knows how wide a product is, not how large.
            range = full(Type { width: width.clamp(1, ty.width), ..ty });
        }
        let fits = within(range, full(ty));
        self.before[id] = (!fits).then_some(range);
        self.range[id] = if fits { range } else { full(ty) };
        self.zeros[id] = match self.constant(id) {
            Some(value) => zeros_of(value),
            None => self.low_zeros(flat, id).min(ty.width),
        };
    }

    /// True for a constant factor that is only a shift.
    fn simple(&self, id: NodeId) -> bool {
        self.constant(id).is_some_and(|c| c.unsigned_abs().count_ones() <= 1)
    }

    /// True if a synthesis tool does not look through the node.
    fn opaque(&self, flat: &Flat, id: NodeId, style: Multipliers) -> bool {
        let node = &flat.nodes[id];
        match node.op {
            Op::RomRead { .. } | Op::RamRead { .. } => true,
            Op::Binary(BinaryOp::Mul, a, b) => {
                let style = flat.scopes[node.scope].multipliers.unwrap_or(style);
                let simple =
                    |n| self.constant(n).is_some_and(|c| c.unsigned_abs().count_ones() <= 1);
                style == Multipliers::Blocks && !simple(a) && !simple(b)
            }
            _ => node.border,
        }
    }

    /// The range before it is fitted into the type.
    fn exact(&self, flat: &Flat, id: NodeId) -> Range {
        let node = &flat.nodes[id];
        let ty = node.ty;
        let r = |n: NodeId| self.range[n];
        let of = |n: NodeId| flat.nodes[n].ty;
        match &node.op {
            Op::Const(value) => (number(*value, ty), number(*value, ty)),
            Op::Wire(Some(driver)) => r(*driver),
            Op::Extend(a) => r(*a),
            Op::Unary(UnaryOp::Not, a) if ty.signed => (-r(*a).1 - 1, -r(*a).0 - 1),
            Op::Unary(UnaryOp::Not, a) => (full(ty).1 - r(*a).1, full(ty).1 - r(*a).0),
            Op::Unary(UnaryOp::Neg, a) => (-r(*a).1, -r(*a).0),
            Op::Binary(op, a, b) => two(*op, r(*a), r(*b), ty),
            Op::Mux(c, a, b) => match self.constant(*c) {
                Some(1) => r(*a),
                Some(_) => r(*b),
                None => union(r(*a), r(*b)),
            },
            Op::Shift { left: true, value, by } => (r(*value).0 << by, r(*value).1 << by),
            Op::Shift { left: false, value, by } => (r(*value).0 >> by, r(*value).1 >> by),
            Op::ShiftBy { left: true, .. } => full(ty),
            Op::ShiftBy { left: false, value, .. } => (r(*value).0.min(0), r(*value).1.max(0)),
            Op::Slice { value, lo } => (r(*value).0 >> lo, r(*value).1 >> lo),
            Op::Concat(parts) => parts.iter().fold((0, 0), |(low, high), &part| {
                let width = of(part).width;
                let whole = (0, (1i128 << width) - 1);
                let part = if r(part).0 < 0 { whole } else { r(part) };
                ((low << width) + part.0, (high << width) + part.1)
            }),
            Op::Cast(a) => {
                let (from, whole) = (r(*a), 1i128 << ty.width);
                match within(from, full(ty)) {
                    true => from,
                    false if ty.signed && from.0 > full(ty).1 => (from.0 - whole, from.1 - whole),
                    false if !ty.signed && from.1 < 0 => (from.0 + whole, from.1 + whole),
                    false => full(ty),
                }
            }
            Op::IsState { .. } => (0, 1),
            Op::RomRead { rom, address } => {
                let (low, high) = r(*address);
                let words = &flat.roms[*rom].words[low as usize..=high as usize];
                let all = words.iter().map(|&w| number(w, ty));
                (all.clone().min().unwrap_or(0), all.max().unwrap_or(0))
            }
            Op::RamRead { ram, .. } => match flat.rams[*ram].write {
                Some([_, _, data]) => union((0, 0), r(data)),
                None => (0, 0),
            },
            Op::Poison | Op::Input | Op::Reg(_) | Op::Wire(None) | Op::InstanceOutput { .. } => {
                full(ty)
            }
        }
    }

    fn low_zeros(&self, flat: &Flat, id: NodeId) -> u32 {
        let z = |n: NodeId| self.zeros[n];
        match &flat.nodes[id].op {
            Op::Wire(Some(a)) | Op::Extend(a) | Op::Cast(a) | Op::Unary(UnaryOp::Neg, a) => z(*a),
            Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor, a, b) => {
                z(*a).min(z(*b))
            }
            Op::Binary(BinaryOp::And, a, b) => z(*a).max(z(*b)),
            Op::Binary(BinaryOp::Mul, a, b) => z(*a) + z(*b),
            Op::Mux(_, a, b) => z(*a).min(z(*b)),
            Op::Shift { left: true, value, by } => z(*value) + by,
            Op::Shift { left: false, value, by } => z(*value).saturating_sub(*by),
            Op::Slice { value, lo } => z(*value).saturating_sub(*lo),
            Op::Concat(parts) => parts.last().map_or(0, |p| z(*p).min(flat.nodes[*p].ty.width)),
            _ => 0,
        }
    }
}

fn zeros_of(value: i128) -> u32 {
    if value == 0 { ALL } else { value.trailing_zeros() }
}

fn two(op: BinaryOp, a: Range, b: Range, ty: Type) -> Range {
    let decided = |yes: bool, no: bool| match (yes, no) {
        (true, _) => (1, 1),
        (_, true) => (0, 0),
        _ => (0, 1),
    };
    let apart = a.1 < b.0 || b.1 < a.0;
    let same = a.0 == a.1 && a == b;
    match op {
        BinaryOp::Add => (a.0 + b.0, a.1 + b.1),
        BinaryOp::Sub => (a.0 - b.1, a.1 - b.0),
        BinaryOp::Mul => {
            let all = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            all.iter().fold((all[0], all[0]), |r, &v| union(r, (v, v)))
        }
        BinaryOp::Eq => decided(same, apart),
        BinaryOp::Ne => decided(apart, same),
        BinaryOp::Lt => decided(a.1 < b.0, a.0 >= b.1),
        BinaryOp::Le => decided(a.1 <= b.0, a.0 > b.1),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor if a.0 < 0 || b.0 < 0 => full(ty),
        BinaryOp::And => (0, a.1.min(b.1)),
        BinaryOp::Or | BinaryOp::Xor => {
            let top = 128 - (a.1 | b.1).leading_zeros();
            (0, (1i128 << top) - 1)
        }
    }
}

/// All nodes, each behind those that it reads in the same cycle.
pub(crate) fn order(flat: &Flat) -> Vec<NodeId> {
    let n = flat.nodes.len();
    let mut placed = vec![false; n];
    let mut order = Vec::with_capacity(n);
    for root in 0..n {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if placed[id] {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let operands = flat.nodes[id].op.operands();
            stack.extend(operands.into_iter().filter(|&o| !placed[o]));
            if stack.len() == before {
                placed[id] = true;
                order.push(id);
                stack.pop();
            }
        }
    }
    order
}
