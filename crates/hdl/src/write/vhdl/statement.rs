//! What stands inside of a clocked process.

use std::fmt::Write;

use super::Writer;
use crate::ir::{NodeId, Op};
use crate::write::Action;

impl Writer<'_> {
    pub(super) fn actions(&mut self, actions: &[Action], indent: usize, out: &mut String) {
        let pad = "  ".repeat(indent);
        for action in actions {
            match action {
                Action::Initial { reg } => {
                    _ = writeln!(
                        out,
                        "{pad}{} <= {};",
                        self.names.net.regs[*reg].name,
                        self.initial(*reg)
                    );
                }
                Action::Set { reg, value } => self.set(*reg, *value, indent, out),
                Action::Store { ram } => {
                    let net = self.names.net;
                    let ram = &net.rams[*ram];
                    let Some(write) = &ram.write else { continue };
                    self.names.user = ram.name.clone();
                    let (address, data) =
                        (self.vector(write.address), self.expression(write.data).text);
                    _ = writeln!(out, "{pad}{}(to_integer({address})) <= {data};", ram.name);
                }
                Action::If { condition, then, otherwise } => {
                    self.decide("if", *condition, then, otherwise, indent, out);
                    _ = writeln!(out, "{pad}end if;");
                }
                Action::Case { reg, arms, complete } => {
                    _ = writeln!(out, "{pad}case {} is", self.names.net.regs[*reg].name);
                    for (state, body) in arms {
                        _ = writeln!(out, "{pad}  when {state} =>");
                        self.block(body, indent + 2, out);
                    }
                    if !complete {
                        _ = writeln!(out, "{pad}  when others =>\n{pad}    null;");
                    }
                    _ = writeln!(out, "{pad}end case;");
                }
            }
        }
    }

    pub(super) fn block(&mut self, body: &[Action], indent: usize, out: &mut String) {
        match body {
            [] => _ = writeln!(out, "{}null;", "  ".repeat(indent)),
            _ => self.actions(body, indent, out),
        }
    }

    pub(super) fn decide(
        &mut self,
        word: &str,
        condition: NodeId,
        then: &[Action],
        otherwise: &[Action],
        indent: usize,
        out: &mut String,
    ) {
        let pad = "  ".repeat(indent);
        self.names.user = "condition".into();
        let condition = self.condition(condition).text;
        _ = writeln!(out, "{pad}{word} {condition} then");
        self.block(then, indent + 1, out);
        match otherwise {
            [] => {}
            [Action::If { condition, then, otherwise }] => {
                self.decide("elsif", *condition, then, otherwise, indent, out);
            }
            _ => {
                _ = writeln!(out, "{pad}else");
                self.block(otherwise, indent + 1, out);
            }
        }
    }

    /// A register takes a value; a choice that nothing else reads becomes an `if`.
    pub(super) fn set(&mut self, reg: usize, value: NodeId, indent: usize, out: &mut String) {
        let pad = "  ".repeat(indent);
        let target = &self.names.net.regs[reg];
        self.names.user = target.name.clone();
        if let (Op::Const(state), false) = (self.names.op(value), target.states.is_empty()) {
            _ = writeln!(out, "{pad}{} <= {};", target.name, target.states[*state as usize]);
            return;
        }
        let mut word = "if";
        let mut rest = value;
        while let Op::Mux(c, a, b) = *self.names.op(rest)
            && self.names.inline(rest)
        {
            let (condition, a) = (self.condition(c).text, self.expression(a).text);
            _ = writeln!(out, "{pad}{word} {condition} then\n{pad}  {} <= {a};", target.name);
            (word, rest) = ("elsif", b);
        }
        let last = self.expression(rest).text;
        match word {
            "if" => _ = writeln!(out, "{pad}{} <= {last};", target.name),
            _ if last == target.name => _ = writeln!(out, "{pad}end if;"),
            _ => _ = writeln!(out, "{pad}else\n{pad}  {} <= {last};\n{pad}end if;", target.name),
        }
    }
}
