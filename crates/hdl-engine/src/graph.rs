//! A program as a graph of nodes that each compute one value, simplified while it is built: equal
//! nodes are one node, and shifts, slices and extensions of each other are one pair of shifts.

use std::collections::HashMap;

use crate::program::{Code, Instruction, Program, compute, wrapped};

/// What a node computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum What {
    /// A register or an input.
    Source(u32),
    Constant(i64),
    /// `args[0] << left >> right`, with the sign if `signed`.
    Shifts {
        left: u8,
        right: u8,
        signed: bool,
    },
    /// `args[0] << left >> (right + args[1])`, with the sign.
    SignedBy {
        left: u8,
        right: u8,
    },
    /// `args[0] << by | low bits of args[1]`, of `64 - unused` bits.
    Join {
        by: u8,
        unused: u8,
    },
    /// `args[1]` if bit `bit` of `args[0]` is set, else `args[2]`.
    Mux {
        bit: u8,
    },
    /// As in the program; wrapped to a type, or not where it fits by itself.
    Plain {
        code: Code,
        memory: u32,
        wrap: Option<(bool, u8)>,
    },
}

/// A value, and the range that it cannot leave.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) what: What,
    pub(crate) args: [usize; 3],
    pub(crate) arity: usize,
    pub(crate) low: i128,
    pub(crate) high: i128,
}

impl Node {
    pub(crate) fn args(&self) -> &[usize] {
        &self.args[..self.arity]
    }

    /// Bits of a value that is never negative.
    pub(crate) fn bits(&self) -> u32 {
        128 - self.high.leading_zeros()
    }
}

/// The nodes, each behind those that it reads.
pub(crate) struct Graph<'a> {
    pub(crate) program: &'a Program,
    pub(crate) nodes: Vec<Node>,
    /// Nodes that are alike.
    pub(crate) found: HashMap<(What, [usize; 3]), usize>,
}

/// Least and largest value of a type.
pub(crate) fn range(signed: bool, unused: u8) -> (i128, i128) {
    let width = 64 - u32::from(unused);
    if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1i128 << width) - 1) }
}

impl Graph<'_> {
    pub(crate) fn push(&mut self, what: What, args: &[usize], (low, high): (i128, i128)) -> usize {
        let mut all = [0; 3];
        all[..args.len()].copy_from_slice(args);
        if let Some(&same) = self.found.get(&(what, all)) {
            return same;
        }
        self.nodes.push(Node { what, args: all, arity: args.len(), low, high });
        self.found.insert((what, all), self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    pub(crate) fn constant(&mut self, value: i64) -> usize {
        self.push(What::Constant(value), &[], (value.into(), value.into()))
    }

    /// What register `reg` holds began as `init` and was `next` one clock ago, so it stays between
    /// these.
    pub(crate) fn narrow(&mut self, reg: usize, next: usize, init: i64) {
        let Node { low, high, .. } = self.nodes[next];
        let node = &mut self.nodes[reg];
        node.low = node.low.max(low.min(init.into()));
        node.high = node.high.min(high.max(init.into()));
    }

    fn constant_of(&self, id: usize) -> Option<i64> {
        match self.nodes[id].what {
            What::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Bits `lo` and up of `a`, `width` of them, extended.
    fn field(&mut self, a: usize, lo: u32, width: u32, signed: bool) -> usize {
        let (low, high) = range(signed, (64 - width) as u8);
        let node = &self.nodes[a];
        if lo == 0 && node.low >= low && node.high <= high {
            return a;
        }
        if let What::Constant(value) = node.what {
            let left = 64 - width - lo;
            return self.constant(shifts(value, left as u8, (64 - width) as u8, signed));
        }
        if let What::Join { by, unused } = node.what {
            let (by, total) = (u32::from(by), 64 - u32::from(unused));
            let [above, below, _] = node.args;
            if lo + width <= by {
                return self.field(below, lo, width, signed);
            }
            if lo >= by && lo + width <= total {
                return self.field(above, lo - by, width, signed);
            }
        }
        if let What::Shifts { left, right, signed: inner } = node.what {
            let (left, right, source) = (u32::from(left), u32::from(right), node.args[0]);
            // A field of a field: bits `right - left` and up of the source, `64 - right` of them.
            if right >= left {
                let (at, have) = (right - left, 64 - right);
                if lo + width <= have {
                    return self.field(source, at + lo, width, signed);
                }
                if lo < have && (inner == signed || !inner) {
                    return self.field(source, at + lo, have - lo, inner);
                }
            }
        }
        let (left, right) = ((64 - width - lo) as u8, (64 - width) as u8);
        let node = &self.nodes[a];
        let mut bounds = range(signed, right);
        if node.low >= 0 {
            let most = node.high >> lo;
            if most <= bounds.1 {
                bounds = (0, most);
            }
        }
        self.push(What::Shifts { left, right, signed }, &[a], bounds)
    }

    /// The node that computes what `i` does.
    pub(crate) fn add(&mut self, i: &Instruction, a: usize, b: usize, c: usize) -> usize {
        let width = 64 - u32::from(i.unused);
        match i.code {
            Code::Copy => a,
            Code::Wrap => self.field(a, 0, width, i.signed),
            Code::Shl | Code::Shr | Code::ShrUnsigned => self.shift(i, a),
            Code::Join => {
                let joined = self.join(a, b, i.c, i.unused);
                self.field(joined, 0, width, i.signed)
            }
            Code::Not => {
                let ones = if i.signed { -1 } else { (u64::MAX >> i.unused) as i64 };
                let ones = self.constant(ones);
                self.binary(&Instruction { code: Code::Xor, ..*i }, a, ones)
            }
            Code::Neg => {
                let zero = self.constant(0);
                self.binary(&Instruction { code: Code::Sub, ..*i }, zero, a)
            }
            Code::Mux => self.mux(a, b, c),
            Code::Rom | Code::Ram => self.read(i, a),
            _ => self.binary(i, a, b),
        }
    }

    /// A shift by a constant: a field, where it is one.
    fn shift(&mut self, i: &Instruction, a: usize) -> usize {
        let (by, width) = (i.c, 64 - u32::from(i.unused));
        let (low, high) = range(i.signed, i.unused);
        let node = &self.nodes[a];
        let code = match i.code {
            Code::ShrUnsigned if by + width <= 64 => return self.field(a, by, width, i.signed),
            Code::ShrUnsigned if by < 64 && !i.signed => {
                return self.field(a, by, 64 - by, false);
            }
            Code::Shr if by < 64 && node.low >> by >= low && node.high >> by <= high => {
                return self.field(a, by, 64 - by, true);
            }
            Code::Shl if by + u32::from(i.unused) < 64 => {
                let (left, right) = (by as u8 + i.unused, i.unused);
                return self.push(
                    What::Shifts { left, right, signed: i.signed },
                    &[a],
                    (low, high),
                );
            }
            Code::ShrUnsigned => Code::ShrByUnsigned,
            Code::Shr => Code::ShrBy,
            _ => Code::ShlBy,
        };
        let by = self.constant(by.into());
        self.binary(&Instruction { code, ..*i }, a, by)
    }

    /// A word of a memory, which holds values of its type.
    fn read(&mut self, i: &Instruction, address: usize) -> usize {
        let bounds = match self.program.roms.get(i.c as usize).filter(|_| i.code == Code::Rom) {
            Some(words) => {
                let least = words.iter().min().copied().unwrap_or(0);
                (least.into(), words.iter().max().copied().unwrap_or(0).into())
            }
            None => range(i.signed, i.unused),
        };
        self.push(What::Plain { code: i.code, memory: i.c, wrap: None }, &[address], bounds)
    }

    fn binary(&mut self, i: &Instruction, mut a: usize, mut b: usize) -> usize {
        let ty = range(i.signed, i.unused);
        if let Some(shifted) = self.shift_by(i, a, b) {
            return shifted;
        }
        let sum = matches!(i.code, Code::Add | Code::Sub);
        // The low bits of a sum come from the low bits of its operands.
        let width = 64 - u32::from(i.unused);
        let bare = (self.unmasked(a, width), self.unmasked(b, width));
        let wraps = sum && bare != (a, b);
        if wraps {
            (a, b) = bare;
        }
        let constants = (self.constant_of(a), self.constant_of(b));
        if let (Some(x), Some(y)) = constants {
            return self.constant(wrapped(compute(i.code, x, y), i.signed, i.unused));
        }
        let exact = self.exact(i.code, a, b);
        let fits = exact.filter(|e| !wraps && e.0 >= ty.0 && e.1 <= ty.1);
        // A bitwise operation on values of the type stays in it.
        let inside = matches!(i.code, Code::And | Code::Or | Code::Xor)
            && [a, b].iter().all(|&n| self.nodes[n].low >= ty.0 && self.nodes[n].high <= ty.1);
        let wrap = (fits.is_none() && !inside).then_some((i.signed, i.unused));
        match (i.code, constants) {
            (Code::Or | Code::Xor | Code::Add, (Some(0), _)) if wrap.is_none() => return b,
            (Code::Or | Code::Xor | Code::Add | Code::Sub, (_, Some(0))) if wrap.is_none() => {
                return a;
            }
            (Code::And | Code::Mul, (Some(0), _) | (_, Some(0))) => return self.constant(0),
            _ => {}
        }
        let either_way = matches!(
            i.code,
            Code::And | Code::Or | Code::Xor | Code::Add | Code::Mul | Code::Eq | Code::Ne
        );
        let args = if either_way { [a.min(b), a.max(b)] } else { [a, b] };
        self.push(What::Plain { code: i.code, memory: 0, wrap }, &args, fits.unwrap_or(ty))
    }

    /// A shift to the right by a signal, where its result fits: together with the shifts that make
    /// its operand.
    fn shift_by(&mut self, i: &Instruction, a: usize, b: usize) -> Option<usize> {
        let (value, by) = (&self.nodes[a], &self.nodes[b]);
        let (source, left, right) = match value.what {
            What::Shifts { left, right, signed: true } => (value.args[0], left, right),
            _ => (a, 0, 0),
        };
        let (least, most) = (by.low, by.high);
        if i.code != Code::ShrBy || least < 0 || i128::from(right) + most > 63 {
            return None;
        }
        let ends = [value.low >> least, value.low >> most, value.high >> least, value.high >> most];
        let bounds = (*ends.iter().min()?, *ends.iter().max()?);
        let ty = range(i.signed, i.unused);
        (bounds.0 >= ty.0 && bounds.1 <= ty.1)
            .then(|| self.push(What::SignedBy { left, right }, &[source, b], bounds))
    }

    /// The range of a result before it is wrapped, where it follows from the operands'.
    fn exact(&self, code: Code, a: usize, b: usize) -> Option<(i128, i128)> {
        let (a, b) = (&self.nodes[a], &self.nodes[b]);
        let positive = a.low >= 0 && b.low >= 0;
        match code {
            Code::Add => Some((a.low + b.low, a.high + b.high)),
            Code::Sub => Some((a.low - b.high, a.high - b.low)),
            Code::Mul => {
                let corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
                let least = corners.iter().min().copied()?;
                Some((least, corners.iter().max().copied()?))
            }
            Code::And if positive => Some((0, a.high.min(b.high))),
            Code::Or | Code::Xor if positive => {
                Some((0, (1 << (128 - (a.high | b.high).leading_zeros())) - 1))
            }
            Code::Eq | Code::Ne | Code::Lt | Code::LtUnsigned | Code::Le | Code::LeUnsigned => {
                Some((0, 1))
            }
            _ => None,
        }
    }

    fn join(&mut self, above: usize, below: usize, by: u32, unused: u8) -> usize {
        let total = 64 - u32::from(unused);
        // The step masks both parts by itself.
        let above = self.unmasked(above, total - by);
        let below = self.unmasked(below, by);
        self.push(What::Join { by: by as u8, unused }, &[above, below], range(false, unused))
    }

    /// What `id` is the low `width` bits of, or `id`.
    fn unmasked(&self, id: usize, width: u32) -> usize {
        match self.nodes[id].what {
            What::Shifts { left, right, .. } if left == right && 64 - u32::from(right) >= width => {
                self.nodes[id].args[0]
            }
            _ => id,
        }
    }

    fn mux(&mut self, condition: usize, then: usize, otherwise: usize) -> usize {
        if then == otherwise {
            return then;
        }
        if let Some(value) = self.constant_of(condition) {
            return if value != 0 { then } else { otherwise };
        }
        let (t, o) = (&self.nodes[then], &self.nodes[otherwise]);
        let bounds = (t.low.min(o.low), t.high.max(o.high));
        let node = &self.nodes[condition];
        if (self.constant_of(then), self.constant_of(otherwise)) == (Some(1), Some(0))
            && node.low >= 0
            && node.high <= 1
        {
            return condition;
        }
        let (bit, source) = match node.what {
            What::Shifts { left, right: 63, signed: false } => (63 - left, node.args[0]),
            _ => (0, condition),
        };
        self.push(What::Mux { bit }, &[source, then, otherwise], bounds)
    }

    /// The value of a node whose operands have these values.
    pub(crate) fn value(&self, node: &Node, x: [i64; 3]) -> i64 {
        match node.what {
            What::Source(_) => 0,
            What::Constant(value) => value,
            What::Shifts { left, right, signed } => shifts(x[0], left, right, signed),
            What::SignedBy { left, right } => x[0] << left >> ((i64::from(right) + x[1]) & 63),
            What::Join { by, unused } => {
                let below = 64 - by;
                let low = (x[1] as u64) << below >> below;
                (((x[0] << by) as u64 | low) << unused >> unused) as i64
            }
            What::Mux { bit } => {
                if x[0] >> bit & 1 != 0 {
                    x[1]
                } else {
                    x[2]
                }
            }
            What::Plain { code, memory, wrap } => {
                let value = match code {
                    Code::Rom => {
                        let rom = &self.program.roms[memory as usize];
                        rom.get(x[0] as usize).copied().unwrap_or(0)
                    }
                    _ => compute(code, x[0], x[1]),
                };
                wrap.map_or(value, |(signed, unused)| wrapped(value, signed, unused))
            }
        }
    }
}

fn shifts(a: i64, left: u8, right: u8, signed: bool) -> i64 {
    if signed { a << left >> right } else { ((a << left) as u64 >> right) as i64 }
}
