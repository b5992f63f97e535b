//! Expressions: what a node computes, as a value or, where VHDL wants a boolean, as a condition.

use super::{Writer, as_integer, literal};
use crate::ir::{BinaryOp, NodeId, Op, UnaryOp};

/// A piece of an expression; `simple` ones need no parentheses.
pub(super) struct Text {
    pub(super) text: String,
    simple: bool,
}

fn simple(text: impl Into<String>) -> Text {
    Text { text: text.into(), simple: true }
}

fn composed(text: String) -> Text {
    Text { text, simple: false }
}

impl Text {
    fn atom(self) -> String {
        if self.simple { self.text } else { format!("({})", self.text) }
    }
}

impl Writer<'_> {
    /// True if the node is a plain bit that is best written as a condition: it compares somewhere
    /// inside.
    pub(super) fn decides(&self, id: NodeId) -> bool {
        match *self.names.op(id) {
            Op::Binary(op, ..) if op.compares() => true,
            Op::IsState { .. } => true,
            Op::Binary(BinaryOp::And | BinaryOp::Or, a, b) if self.names.ty(id).is_bit() => {
                [a, b].into_iter().any(|n| self.names.inline(n) && self.decides(n))
            }
            Op::Unary(UnaryOp::Not, a) if self.names.ty(id).is_bit() => {
                self.names.inline(a) && self.decides(a)
            }
            _ => false,
        }
    }

    /// The node as a boolean.
    pub(super) fn condition(&mut self, id: NodeId) -> Text {
        if !self.names.inline(id) {
            let name = self.name(id);
            return composed(format!("{name} = '1'"));
        }
        match *self.names.op(id) {
            Op::Const(value) => simple(if value == 1 { "true" } else { "false" }),
            Op::Unary(UnaryOp::Not, a) if !self.names.inline(a) => {
                let name = self.name(a);
                composed(format!("{name} = '0'"))
            }
            Op::Unary(UnaryOp::Not, _) | Op::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
                self.decision(id)
            }
            _ if self.decides(id) => self.decision(id),
            Op::Slice { .. } | Op::Cast(_) => {
                let text = self.expression(id).text;
                composed(format!("{text} = '1'"))
            }
            _ => {
                let name = self.name(id);
                composed(format!("{name} = '1'"))
            }
        }
    }

    /// The node, which decides, as a boolean whatever its name.
    pub(super) fn decision(&mut self, id: NodeId) -> Text {
        match *self.names.op(id) {
            Op::Unary(UnaryOp::Not, a) => {
                let inner = self.condition(a).atom();
                composed(format!("not {inner}"))
            }
            Op::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let word = if op == BinaryOp::And { "and" } else { "or" };
                let (a, b) = (self.condition(a).atom(), self.condition(b).atom());
                composed(format!("{a} {word} {b}"))
            }
            Op::IsState { reg, state, .. } => {
                let reg = &self.names.net.regs[reg];
                composed(format!("{} = {}", reg.name, reg.states[state]))
            }
            Op::Binary(op, a, b) => {
                if let (Op::Const(_), Op::Const(_)) = (self.names.op(a), self.names.op(b)) {
                    // Neither side would tell its type.
                    let a = self.name(a);
                    let b = self.number(b, false).atom();
                    return composed(format!("{a} {} {b}", comparison(op)));
                }
                let (ta, tb) = (self.number(a, true).atom(), self.number(b, true).atom());
                composed(format!("{ta} {} {tb}", comparison(op)))
            }
            _ => self.condition(id),
        }
    }

    /// An operand that may be a plain integer because its neighbour has a type.
    pub(super) fn number(&mut self, id: NodeId, neighbour: bool) -> Text {
        match *self.names.op(id) {
            Op::Const(value) if neighbour && as_integer(value, self.names.ty(id)) => {
                if value < 0 {
                    composed(value.to_string())
                } else {
                    simple(value.to_string())
                }
            }
            _ => self.expression(id),
        }
    }

    /// The node where it is used: its name, or what it is.
    pub(super) fn expression(&mut self, id: NodeId) -> Text {
        let must_be_named = matches!(self.names.op(id), Op::Mux(..)) || self.decides(id);
        if !self.names.inline(id) || must_be_named {
            return simple(self.name(id));
        }
        self.spelled(id)
    }

    /// As a vector, also where it is a plain bit.
    pub(super) fn vector(&mut self, id: NodeId) -> String {
        let text = self.expression(id).text;
        if self.names.ty(id).is_bit() { format!("unsigned'(0 => {text})") } else { text }
    }

    /// The operation itself.
    pub(super) fn spelled(&mut self, id: NodeId) -> Text {
        let ty = self.names.ty(id);
        match *self.names.op(id) {
            Op::Const(value) => simple(literal(value, ty)),
            Op::Unary(UnaryOp::Not, a) => {
                let a = self.expression(a).atom();
                composed(format!("not {a}"))
            }
            Op::Unary(UnaryOp::Neg, a) => {
                let a = self.expression(a).atom();
                composed(if ty.signed { format!("-{a}") } else { format!("0 - {a}") })
            }
            Op::Binary(op, a, b) => {
                let word = match op {
                    BinaryOp::And => "and",
                    BinaryOp::Or => "or",
                    BinaryOp::Xor => "xor",
                    BinaryOp::Add => "+",
                    BinaryOp::Sub => "-",
                    _ => "*",
                };
                let sum = matches!(op, BinaryOp::Add | BinaryOp::Sub);
                let neighbour = sum && !matches!(self.names.op(a), Op::Const(_));
                let a = self.expression(a).atom();
                let b = self.number(b, neighbour).atom();
                composed(format!("{a} {word} {b}"))
            }
            Op::Shift { left, value, by } => {
                let value = self.expression(value).text;
                simple(format!("shift_{}({value}, {by})", if left { "left" } else { "right" }))
            }
            Op::ShiftBy { left, value, by } => {
                let (value, by) = (self.expression(value).text, self.vector(by));
                let side = if left { "left" } else { "right" };
                simple(format!("shift_{side}({value}, to_integer({by}))"))
            }
            Op::Slice { value, lo } => {
                let name = self.name(value);
                simple(match ty.is_bit() {
                    true => format!("{name}({lo})"),
                    false => format!("{name}({} downto {lo})", lo + ty.width - 1),
                })
            }
            Op::Cast(a) if ty.is_bit() => match *self.names.op(a) {
                Op::Slice { value, lo } if self.names.inline(a) => {
                    let name = self.name(value);
                    simple(format!("{name}({lo})"))
                }
                _ => {
                    let name = self.name(a);
                    simple(format!("{name}(0)"))
                }
            },
            Op::Cast(a) if self.names.ty(a).is_bit() => {
                let a = self.expression(a).text;
                simple(format!("signed'(0 => {a})"))
            }
            Op::Cast(a) => {
                let a = self.expression(a).text;
                simple(format!("{}({a})", if ty.signed { "signed" } else { "unsigned" }))
            }
            Op::Extend(a) => {
                let a = self.vector(a);
                simple(format!("resize({a}, {})", ty.width))
            }
            Op::Concat(ref parts) => {
                let mut texts = Vec::new();
                for &part in parts {
                    let text = self.expression(part);
                    texts.push(match self.names.ty(part).signed {
                        true => format!("unsigned({})", text.text),
                        false => text.atom(),
                    });
                }
                simple(format!("unsigned'({})", texts.join(" & ")))
            }
            Op::RomRead { rom, address } => {
                let address = self.vector(address);
                simple(format!("{}(to_integer({address}))", self.names.net.roms[rom].name))
            }
            Op::RamRead { ram, address } => {
                let address = self.vector(address);
                simple(format!("{}(to_integer({address}))", self.names.net.rams[ram].name))
            }
            Op::Wire(Some(driver)) => self.expression(driver),
            Op::Mux(..)
            | Op::IsState { .. }
            | Op::Input
            | Op::Reg(_)
            | Op::Wire(None)
            | Op::InstanceOutput { .. }
            | Op::Poison => simple(self.name(id)),
        }
    }
}

fn comparison(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Eq => "=",
        BinaryOp::Ne => "/=",
        BinaryOp::Lt => "<",
        _ => "<=",
    }
}
