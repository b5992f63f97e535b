//! The slowest way between two registers.

use super::memory::Homes;
use super::parts::Device;
use crate::flat::Flat;
use crate::ir::{BinaryOp, NodeId, Op, UnaryOp};
use crate::types::Multipliers;

/// Levels and nanoseconds of the slowest way between registers, ports included.
pub(super) fn slowest(
    flat: &Flat,
    homes: &Homes,
    device: &Device,
    style: Multipliers,
) -> (u32, f64) {
    let n = flat.nodes.len();
    let mut best: Vec<Option<(u32, f64)>> = vec![None; n];
    let mut worst = (0u32, 0.0f64);
    let ends = flat.regs.iter().map(|r| r.next).chain(flat.outputs.iter().copied());
    for end in ends.chain(flat.rams.iter().filter_map(|r| r.write).flatten()) {
        let mut stack = vec![flat.source(end)];
        while let Some(&id) = stack.last() {
            let operands: Vec<NodeId> =
                flat.nodes[id].op.operands().into_iter().map(|n| flat.source(n)).collect();
            let before = stack.len();
            stack.extend(operands.iter().filter(|&&o| best[o].is_none()));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let (mut levels, mut ns) = (0, 0.0f64);
            for o in &operands {
                let (l, t) = best[*o].unwrap_or((0, 0.0));
                levels = levels.max(l);
                ns = ns.max(t);
            }
            let (more, time) = delay(flat, homes, id, device, style);
            best[id] = Some((levels + more, ns + time));
        }
        let (levels, ns) = best[flat.source(end)].unwrap_or((0, 0.0));
        worst = (worst.0.max(levels), worst.1.max(ns));
    }
    worst
}

/// Levels and time that one node adds.
fn delay(
    flat: &Flat,
    homes: &Homes,
    id: NodeId,
    device: &Device,
    style: Multipliers,
) -> (u32, f64) {
    let node = &flat.nodes[id];
    let width = |n: NodeId| flat.nodes[n].ty.width;
    let luts = |n: u32| (n, f64::from(n) * device.lut_ns);
    let chain = |w: u32| (1, device.lut_ns + f64::from(w) * device.carry_ns);
    match node.op {
        Op::Unary(UnaryOp::Not, _) => (0, 0.0),
        Op::Unary(UnaryOp::Neg, _) | Op::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => {
            chain(node.ty.width)
        }
        Op::Binary(BinaryOp::Lt | BinaryOp::Le, a, _) => chain(width(a)),
        Op::Binary(BinaryOp::Eq | BinaryOp::Ne, a, _) => luts(if width(a) <= 2 { 1 } else { 2 }),
        Op::Binary(BinaryOp::Mul, a, b) => {
            let constant = |n: NodeId| match flat.nodes[flat.visible_source(n)].op {
                Op::Const(c) => Some(c.unsigned_abs().count_ones()),
                _ => None,
            };
            let rows = constant(a).or(constant(b)).unwrap_or(width(a).min(width(b)));
            let style = match device.multipliers {
                0 => Multipliers::Logic,
                _ => flat.scopes[node.scope].multipliers.unwrap_or(style),
            };
            match (rows, style) {
                (0..=1, _) => (0, 0.0),
                (_, Multipliers::Blocks) => (1, device.multiplier_ns),
                (rows, Multipliers::Logic) => {
                    let levels = u32::BITS - (rows - 1).leading_zeros();
                    let (_, one) = chain(node.ty.width);
                    (levels, f64::from(levels) * one)
                }
            }
        }
        Op::Binary(..) | Op::Mux(..) | Op::IsState { .. } => luts(1),
        Op::ShiftBy { by, .. } => luts(width(by)),
        // A block takes the address as a register does, but is slower to give the word.
        Op::RomRead { .. } | Op::RamRead { .. } if homes.in_blocks(flat, id) => luts(1),
        Op::RomRead { address, .. } | Op::RamRead { address, .. } => {
            luts(1 + width(address).saturating_sub(4))
        }
        _ => (0, 0.0),
    }
}
