//! The no-overflow check: can a number grow beyond its bits?
//!
//! Every signal has a range that follows from the ranges of the inputs. Where a signed sum,
//! difference, negation or left shift can leave its type, or a slice of a signed value drops bits
//! that are needed, an [`Overflow`] says so. Unsigned values are counters, addresses and bit
//! patterns: they wrap on purpose and are not reported.

use std::fmt;

use serde::Serialize;

use crate::error::UseError;
use crate::facts::{Facts, Range};
use crate::flat::{Flat, flatten};
use crate::ir::{BinaryOp, Block, NodeId, Op, UnaryOp};
use crate::types::Type;

/// A place where a number can be too large for its bits.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Overflow {
    /// The signal, or what it is made of.
    pub signal: String,
    /// Its type.
    pub ty: Type,
    /// Smallest value that can arise.
    pub low: i128,
    /// Largest value that can arise.
    pub high: i128,
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Overflow { signal, ty, low, high } = self;
        let range = format!("{} to {}", ty.min(), ty.max());
        write!(f, "`{signal}` can be {low} to {high}, but {ty} holds {range}")
    }
}

/// What [`check`] has found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Intervals {
    /// Places that can overflow; empty means that none can, for any input in the given ranges.
    pub overflows: Vec<Overflow>,
    /// Every named signal with its smallest and largest value, ports first inside each module.
    pub signals: Vec<(String, i128, i128)>,
}

impl Intervals {
    /// Smallest and largest value of a named signal.
    pub fn of(&self, path: &str) -> Option<(i128, i128)> {
        self.signals.iter().find(|(name, ..)| name == path).map(|(_, low, high)| (*low, *high))
    }
}

/// Follows the inputs' ranges through the design; an input that is not in `inputs` can be any value
/// of its type.
///
/// # Errors
/// An input that does not exist, or a range that its type does not hold.
pub fn check(top: &Block, inputs: &[(&str, i64, i64)]) -> Result<Intervals, UseError> {
    let ports = top.inputs();
    let mut given: Vec<(usize, Range)> = Vec::new();
    for &(name, low, high) in inputs {
        let Some(at) = ports.iter().position(|p| p.name == name) else {
            let names: Vec<&str> = ports.iter().map(|p| p.name.as_str()).collect();
            return Err(UseError(format!(
                "no input is called `{name}`; there are: {}",
                names.join(", ")
            )));
        };
        let ty = ports[at].ty;
        if low > high || !ty.holds(low) || !ty.holds(high) {
            return Err(UseError(format!(
                "`{name}` is {ty} and cannot range from {low} to {high}"
            )));
        }
        given.push((at, (low.into(), high.into())));
    }
    let flat = flatten(top);
    let facts = Facts::new(&flat, &given, None);
    let mut overflows = Vec::new();
    for id in 0..flat.nodes.len() {
        let node = &flat.nodes[id];
        let number = matches!(
            node.op,
            Op::Binary(BinaryOp::Add | BinaryOp::Sub, ..)
                | Op::Unary(UnaryOp::Neg, _)
                | Op::Shift { left: true, .. }
                | Op::Slice { .. }
        );
        if let Some((low, high)) = facts.before[id]
            && node.ty.signed
            && number
        {
            overflows.push(Overflow { signal: describe(&flat, id), ty: node.ty, low, high });
        }
    }
    let signals = flat.names.iter().map(|n| {
        let (low, high) = facts.range[n.node];
        (n.path.clone(), low, high)
    });
    Ok(Intervals { overflows, signals: signals.collect() })
}

/// The name of a node, or the operation with the names of what it reads.
fn describe(flat: &Flat, id: NodeId) -> String {
    let named = |id: NodeId| {
        let same = |n: &&crate::flat::FlatName| n.node == id || flat.source(n.node) == id;
        flat.names.iter().find(same).map(|n| n.path.clone())
    };
    let of = |id: NodeId| match flat.nodes[flat.source(id)].op {
        Op::Const(value) => value.to_string(),
        _ => {
            let mut id = id;
            loop {
                if let Some(name) = named(id) {
                    return name;
                }
                match flat.nodes[id].op {
                    Op::Extend(a) | Op::Cast(a) | Op::Wire(Some(a)) => id = a,
                    _ => return "..".into(),
                }
            }
        }
    };
    if let Some(name) = named(id) {
        return name;
    }
    match &flat.nodes[id].op {
        Op::Binary(op, a, b) => format!("{} {} {}", of(*a), op.symbol(), of(*b)),
        Op::Unary(_, a) => format!("-{}", of(*a)),
        Op::Shift { value, by, .. } => format!("{} << {by}", of(*value)),
        Op::Slice { value, lo } => {
            format!("bits {} to {lo} of {}", lo + flat.nodes[id].ty.width - 1, of(*value))
        }
        _ => "..".into(),
    }
}
