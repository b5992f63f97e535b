//! Verilog-2001.
//!
//! Verilog widens an expression to the width of what stands around it. The writer keeps every
//! operand exactly as wide and as signed as the netlist says, so that nothing is left to widen;
//! where that cannot be (products), the operands are names.

use std::fmt::Write;

use super::{Action, Concurrent, Names, clocked, comment_lines, concurrent, trailing};
use crate::ir::{BinaryOp, Block, Item, NodeId, Op, UnaryOp};
use crate::types::Type;

/// The whole design, one module per block, the used ones first.
pub fn design(top: &Block) -> String {
    super::all(top, module)
}

/// One module.
pub fn module(block: &Block) -> String {
    Writer { names: Names::new(&block.0), body: String::new() }.write(block)
}

/// What stands between `wire` or `reg` and the name.
fn range(ty: Type) -> String {
    match (ty.is_bit(), ty.signed) {
        (true, _) => String::new(),
        (_, true) => format!("signed [{}:0] ", ty.width - 1),
        (_, false) => format!("[{}:0] ", ty.width - 1),
    }
}

fn literal(value: i64, ty: Type) -> String {
    let w = ty.width;
    match (ty.signed, value) {
        (false, _) if ty.is_bit() => format!("1'b{value}"),
        (false, _) => format!("{w}'d{}", value as u64),
        // The smallest value has no positive counterpart to put a minus before.
        (true, _) if value == ty.min() => format!("{w}'sb{}", ty.bits(value)),
        (true, ..0) => format!("-{w}'sd{}", value.unsigned_abs()),
        (true, _) => format!("{w}'sd{value}"),
    }
}

struct Writer<'n> {
    names: Names<'n>,
    body: String,
}

/// An expression, and whether it can be an operand without parentheses.
type Text = (String, bool);

fn atom((text, simple): Text) -> String {
    if simple { text } else { format!("({text})") }
}

impl<'n> Writer<'n> {
    /// A name for the node, with an assignment of its own if it has none yet.
    fn name(&mut self, id: NodeId) -> String {
        if let Some(name) = self.names.get(id) {
            return name.clone();
        }
        let name = self.names.make_up(id);
        let (text, _) = self.spelled(id);
        _ = writeln!(self.body, "  assign {name} = {text};");
        name
    }

    fn assign(&mut self, target: &str, id: NodeId) {
        let text = if self.names.inline(id) { self.spelled(id).0 } else { self.name(id) };
        _ = writeln!(self.body, "  assign {target} = {text};");
    }

    /// The right side of an assignment, where a product may stand.
    fn right_side(&mut self, id: NodeId) -> String {
        if self.names.inline(id) { self.spelled(id).0 } else { self.name(id) }
    }

    fn expression(&mut self, id: NodeId) -> Text {
        let product = matches!(self.names.op(id), Op::Binary(BinaryOp::Mul, ..));
        if !self.names.inline(id) || product {
            return (self.name(id), true);
        }
        self.spelled(id)
    }

    /// A factor or an address: a name or a constant, which no surrounding width can change. (Icarus
    /// computes an address with 32 bits, so that `a - 4` may fall out of the memory.)
    fn factor(&mut self, id: NodeId) -> String {
        match *self.names.op(id) {
            Op::Const(value) => atom((literal(value, self.names.ty(id)), value >= 0)),
            _ => self.name(id),
        }
    }

    /// Text whose bits are right, read as signed where the type is.
    fn read_as(text: String, ty: Type) -> Text {
        (if ty.signed { format!("$signed({text})") } else { text }, true)
    }

    fn spelled(&mut self, id: NodeId) -> Text {
        let ty = self.names.ty(id);
        match *self.names.op(id) {
            Op::Const(value) => (literal(value, ty), value >= 0 || !ty.signed || value == ty.min()),
            Op::Unary(op, a) => {
                let a = atom(self.expression(a));
                (format!("{}{a}", if op == UnaryOp::Not { "~" } else { "-" }), false)
            }
            Op::Binary(BinaryOp::Mul, a, b) => {
                let (a, b) = (self.factor(a), self.factor(b));
                (format!("{a} * {b}"), false)
            }
            Op::Binary(op, a, b) => {
                let (a, b) = (atom(self.expression(a)), atom(self.expression(b)));
                (format!("{a} {} {b}", op.symbol()), false)
            }
            Op::Mux(c, a, b) => {
                let c = atom(self.expression(c));
                let (a, b) = (atom(self.expression(a)), atom(self.expression(b)));
                (format!("{c} ? {a} : {b}"), false)
            }
            Op::Shift { left, value, by } => {
                let value = atom(self.expression(value));
                (format!("{value} {} {by}", arrow(left, ty)), false)
            }
            Op::ShiftBy { left, value, by } => {
                let (value, by) = (atom(self.expression(value)), atom(self.expression(by)));
                (format!("{value} {} {by}", arrow(left, ty)), false)
            }
            Op::Slice { value, lo } => {
                let name = self.name(value);
                let text = match ty.width {
                    1 => format!("{name}[{lo}]"),
                    w => format!("{name}[{}:{lo}]", lo + w - 1),
                };
                Self::read_as(text, ty)
            }
            Op::Cast(a) => {
                let (text, _) = self.expression(a);
                (format!("{}({text})", if ty.signed { "$signed" } else { "$unsigned" }), true)
            }
            Op::Extend(a) => {
                let inner = self.names.ty(a);
                let more = ty.width - inner.width;
                if let Op::Const(value) = *self.names.op(a) {
                    return (literal(value, ty), value >= 0);
                }
                if !ty.signed {
                    let (text, _) = self.expression(a);
                    return (format!("{{{more}'d0, {text}}}"), true);
                }
                let name = self.name(a);
                let sign = format!("{name}[{}]", inner.width - 1);
                (format!("$signed({{{{{more}{{{sign}}}}}, {name}}})"), true)
            }
            Op::Concat(ref parts) => {
                let texts: Vec<String> = parts.iter().map(|&p| self.expression(p).0).collect();
                (format!("{{{}}}", texts.join(", ")), true)
            }
            Op::IsState { reg, state, .. } => {
                let reg = &self.names.net.regs[reg];
                (format!("{} == {}", reg.name, reg.states[state]), false)
            }
            Op::RomRead { rom, address } => {
                let address = self.factor(address);
                (format!("{}[{address}]", self.names.net.roms[rom].name), true)
            }
            Op::RamRead { ram, address } => {
                let address = self.factor(address);
                (format!("{}[{address}]", self.names.net.rams[ram].name), true)
            }
            Op::Wire(Some(driver)) => self.expression(driver),
            Op::Input | Op::Reg(_) | Op::Wire(None) | Op::InstanceOutput { .. } | Op::Poison => {
                (self.name(id), true)
            }
        }
    }

    fn initial(&self, reg: usize) -> String {
        let reg = &self.names.net.regs[reg];
        match reg.states.get(reg.init as usize) {
            Some(state) => state.clone(),
            None => literal(reg.init, reg.ty),
        }
    }

    fn actions(&mut self, actions: &[Action], indent: usize, out: &mut String) {
        let pad = "  ".repeat(indent);
        let net = self.names.net;
        for action in actions {
            match action {
                Action::Initial { reg } => {
                    _ = writeln!(out, "{pad}{} <= {};", net.regs[*reg].name, self.initial(*reg));
                }
                Action::Set { reg, value } => {
                    let reg = &net.regs[*reg];
                    self.names.user = reg.name.clone();
                    let text = match *self.names.op(*value) {
                        Op::Const(state) if !reg.states.is_empty() => {
                            reg.states[state as usize].clone()
                        }
                        _ => self.right_side(*value),
                    };
                    _ = writeln!(out, "{pad}{} <= {text};", reg.name);
                }
                Action::Store { ram } => {
                    let ram = &net.rams[*ram];
                    let Some(write) = &ram.write else { continue };
                    self.names.user = ram.name.clone();
                    let address = self.factor(write.address);
                    let data = self.right_side(write.data);
                    _ = writeln!(out, "{pad}{}[{address}] <= {data};", ram.name);
                }
                Action::If { condition, then, otherwise } => {
                    out.push_str(&pad);
                    self.decide(*condition, then, otherwise, indent, out);
                }
                Action::Case { reg, arms, complete } => {
                    _ = writeln!(out, "{pad}case ({})", net.regs[*reg].name);
                    for (state, body) in arms {
                        _ = writeln!(out, "{pad}  {state}: begin");
                        self.actions(body, indent + 2, out);
                        _ = writeln!(out, "{pad}  end");
                    }
                    if !complete {
                        _ = writeln!(out, "{pad}  default: ;");
                    }
                    _ = writeln!(out, "{pad}endcase");
                }
            }
        }
    }

    fn decide(
        &mut self,
        condition: NodeId,
        then: &[Action],
        otherwise: &[Action],
        indent: usize,
        out: &mut String,
    ) {
        let pad = "  ".repeat(indent);
        self.names.user = "condition".into();
        let (condition, _) = self.expression(condition);
        _ = writeln!(out, "if ({condition}) begin");
        self.actions(then, indent + 1, out);
        match otherwise {
            [] => _ = writeln!(out, "{pad}end"),
            [Action::If { condition, then, otherwise }] => {
                _ = write!(out, "{pad}end else ");
                self.decide(*condition, then, otherwise, indent, out);
            }
            _ => {
                _ = writeln!(out, "{pad}end else begin");
                self.actions(otherwise, indent + 1, out);
                _ = writeln!(out, "{pad}end");
            }
        }
    }

    fn write(mut self, block: &Block) -> String {
        let net = self.names.net;
        for node in self.names.instance_outputs() {
            let (name, ty) = (self.name(node), self.names.ty(node));
            self.names.made.push((name, ty));
        }
        for part in concurrent(&self.names) {
            match part {
                Concurrent::Instance(i) => self.instance(i),
                Concurrent::Show { target, node } => {
                    self.names.user = target.clone();
                    self.assign(&target, node);
                }
            }
        }
        for process in clocked(net) {
            let mut text = String::new();
            let label = process.label.map(|l| format!(" : {l}")).unwrap_or_default();
            match net.reset.as_ref().filter(|_| process.reset) {
                Some(reset) => {
                    _ = writeln!(
                        text,
                        "\n  always @(posedge {} or posedge {reset}) begin{label}\n    if \
                         ({reset}) begin",
                        net.clock
                    );
                    for &reg in process.regs.iter().filter(|&&r| net.regs[r].reset) {
                        _ = writeln!(
                            text,
                            "      {} <= {};",
                            net.regs[reg].name,
                            self.initial(reg)
                        );
                    }
                    text += "    end else begin\n";
                    self.actions(&process.body, 3, &mut text);
                    text += "    end\n";
                }
                None => {
                    _ = writeln!(text, "\n  always @(posedge {}) begin{label}", net.clock);
                    self.actions(&process.body, 2, &mut text);
                }
            }
            self.body += &text;
            self.body += "  end\n";
        }
        let mut out = comment_lines(&net.doc, "//");
        let attributes = super::attributes(net);
        let attributes: String = match attributes.is_empty() {
            true => String::new(),
            false => {
                let each = attributes.iter().map(|(name, value)| format!("{name} = \"{value}\""));
                format!("(* {} *)\n", each.collect::<Vec<_>>().join(", "))
            }
        };
        let ports = super::ports(block, "//", ",", |input, name, ty| {
            let direction = if input { "input" } else { "output" };
            format!("  {direction} wire {}{name}", range(ty))
        });
        _ = writeln!(out, "{attributes}module {} (\n{ports}\n);", net.name);
        for reg in net.regs.iter().filter(|r| !r.states.is_empty()) {
            let states = reg.states.iter().enumerate();
            let values: Vec<String> =
                states.map(|(i, s)| format!("{s} = {}", literal(i as i64, reg.ty))).collect();
            _ = writeln!(out, "  localparam {};", values.join(", "));
        }
        for item in &net.items {
            let (id, kind, initial) = match item {
                Item::Named(id) => (*id, "wire", String::new()),
                Item::Reg(r) => (net.regs[*r].node, "reg", format!(" = {}", self.initial(*r))),
                _ => continue,
            };
            let node = &net.nodes[id];
            let name = node.name.as_deref().unwrap_or_default();
            let comment = trailing(&node.comment, "//");
            _ = writeln!(out, "  {kind} {}{name}{initial};{comment}", range(node.ty));
        }
        for (name, ty) in &self.names.made {
            _ = writeln!(out, "  wire {}{name};", range(*ty));
        }
        let word = self.names.fresh("word");
        if !net.rams.is_empty() {
            _ = writeln!(out, "  integer {word};");
        }
        for ram in &net.rams {
            _ = writeln!(out, "  reg {}{} [0:{}];", range(ram.ty), ram.name, ram.depth - 1);
            _ = writeln!(
                out,
                "  initial for ({word} = 0; {word} < {}; {word} = {word} + 1) {}[{word}] = {};",
                ram.depth,
                ram.name,
                literal(0, ram.ty)
            );
        }
        for rom in &net.roms {
            // Yosys' word for a memory that is made of LUTs.
            let style = if rom.distributed { "(* rom_style = \"logic\" *) " } else { "" };
            _ = writeln!(
                out,
                "  {style}reg {}{} [0:{}];\n  initial begin",
                range(rom.ty),
                rom.name,
                rom.words.len() - 1
            );
            for (i, &word) in rom.words.iter().enumerate() {
                _ = writeln!(out, "    {}[{i}] = {};", rom.name, literal(word, rom.ty));
            }
            out += "  end\n";
        }
        out + "\n" + &self.body.replace("\n\n\n", "\n\n") + "endmodule\n"
    }

    fn instance(&mut self, index: usize) {
        let net = self.names.net;
        let wired = super::connections(net, index, |user, node| match user {
            Some(user) => {
                self.names.user = user;
                Some(self.name(node))
            }
            None => self.names.get(node).cloned(),
        });
        let map =
            wired.iter().map(|(port, to)| format!(".{port}({})", to.as_deref().unwrap_or("")));
        let map = map.collect::<Vec<_>>().join(",\n    ");
        let instance = &net.instances[index];
        let block = instance.block.name();
        _ = writeln!(self.body, "\n  {block} {} (\n    {map}\n  );\n", instance.name);
    }
}

fn arrow(left: bool, ty: Type) -> &'static str {
    match (left, ty.signed) {
        (true, _) => "<<",
        (false, true) => ">>>",
        (false, false) => ">>",
    }
}
