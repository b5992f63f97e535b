//! What a design is made of: its instances and its operations, for those who judge or explain it.

use serde::Serialize;

use crate::flat::flatten;
use crate::ir::{BinaryOp, Block, NodeId, Op, UnaryOp};
use crate::types::Type;

/// The kind of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Kind {
    /// A sum.
    Sum,
    /// A difference, or a negation.
    Difference,
    /// A product.
    Product,
    /// `==`, `!=`, `<` or `<=`.
    Comparison,
    /// A choice between two values.
    Mux,
    /// A memory read.
    Memory,
}

/// One operation of a design.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Operation {
    /// What it does.
    pub kind: Kind,
    /// Type of the result.
    pub ty: Type,
    /// Types of the operands.
    pub operands: Vec<Type>,
}

impl Block {
    /// The blocks placed directly in this one: name of the instance, name of the module.
    pub fn instances(&self) -> Vec<(String, String)> {
        let one = |i: &crate::ir::Instance| (i.name.clone(), i.block.name().to_string());
        self.0.instances.iter().map(one).collect()
    }

    /// Every operation that reaches an output, a register or a memory, with all instances opened.
    /// Wiring (slices, extensions, joins, constant shifts) and single gates are not among them.
    pub fn operations(&self) -> Vec<Operation> {
        let flat = flatten(self);
        let mut live = vec![false; flat.nodes.len()];
        let mut todo: Vec<NodeId> = flat.outputs.clone();
        todo.extend(flat.regs.iter().map(|r| r.next));
        todo.extend(flat.rams.iter().filter_map(|r| r.write).flatten());
        while let Some(id) = todo.pop() {
            if !std::mem::replace(&mut live[id], true) {
                todo.extend(flat.nodes[id].op.operands());
            }
        }
        let mut list = Vec::new();
        for node in flat.nodes.iter().zip(live).filter(|(_, live)| *live).map(|(n, _)| n) {
            let kind = match node.op {
                Op::Binary(BinaryOp::Add, ..) => Kind::Sum,
                Op::Binary(BinaryOp::Sub, ..) | Op::Unary(UnaryOp::Neg, _) => Kind::Difference,
                Op::Binary(BinaryOp::Mul, ..) => Kind::Product,
                Op::Binary(op, ..) if op.compares() => Kind::Comparison,
                Op::Mux(..) => Kind::Mux,
                Op::RomRead { .. } | Op::RamRead { .. } => Kind::Memory,
                _ => continue,
            };
            let operands = node.op.operands().into_iter().map(|n| flat.nodes[n].ty).collect();
            list.push(Operation { kind, ty: node.ty, operands });
        }
        list
    }
}
