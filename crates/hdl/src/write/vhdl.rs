//! VHDL, plain enough for both the 1993 and the 2008 standard: `std_logic`, and `numeric_std` for numbers.

use std::fmt::Write;

use super::{Action, Names, clocked, comment_lines, trailing};
use crate::ir::{BinaryOp, Block, Item, NodeId, Op, UnaryOp};
use crate::types::Type;

/// The whole design, one entity per block, the used ones first.
pub fn design(top: &Block) -> String {
    super::all(top, entity)
}

/// One entity with its architecture.
pub fn entity(block: &Block) -> String {
    Writer { names: Names::new(&block.0), made: vec![], body: String::new(), user: String::new() }
        .write(block)
}

fn type_name(ty: Type) -> String {
    match (ty.is_bit(), ty.signed) {
        (true, _) => "std_logic".into(),
        (_, true) => format!("signed({} downto 0)", ty.width - 1),
        (_, false) => format!("unsigned({} downto 0)", ty.width - 1),
    }
}

/// A literal that needs no context to know its type.
fn literal(value: i64, ty: Type) -> String {
    let kind = if ty.signed { "signed" } else { "unsigned" };
    if ty.is_bit() {
        format!("'{value}'")
    } else if as_integer(value, ty) {
        format!("to_{kind}({value}, {})", ty.width)
    } else {
        format!("{kind}'(\"{}\")", ty.bits(value))
    }
}

/// True if VHDL's 32-bit integers can express the value.
fn as_integer(value: i64, ty: Type) -> bool {
    !ty.is_bit() && i32::try_from(value).is_ok_and(|v| v > i32::MIN && (ty.signed || v >= 0))
}

struct Writer<'n> {
    names: Names<'n>,
    /// Made-up signals in the order of their making.
    made: Vec<(String, Type)>,
    body: String,
    /// Who is being written: made-up names begin with it.
    user: String,
}

/// A piece of an expression; `simple` ones need no parentheses.
struct Text {
    text: String,
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

impl<'n> Writer<'n> {
    fn op(&self, id: NodeId) -> &'n Op {
        &self.names.net.nodes[id].op
    }

    fn ty(&self, id: NodeId) -> Type {
        self.names.net.nodes[id].ty
    }

    /// A name for the node, with an assignment of its own if it has none yet.
    fn name(&mut self, id: NodeId) -> String {
        if let Some(name) = self.names.get(id) {
            return name.clone();
        }
        let user = self.user.clone();
        let name = self.names.fresh(&format!("{user}_part"));
        self.names.set(id, &name);
        self.made.push((name.clone(), self.ty(id)));
        self.assign(&name, id);
        name
    }

    /// Writes `target <= ...;`.
    fn assign(&mut self, target: &str, id: NodeId) {
        let mut text = String::new();
        let mut rest = id;
        while let Op::Mux(c, a, b) = *self.op(rest) {
            if self.names.get(rest).is_some_and(|n| n != target)
                || (rest != id && !self.names.inline(rest))
            {
                break;
            }
            let (condition, value) = (self.condition(c).text, self.expression(a).text);
            _ = write!(text, "{value} when {condition} else ");
            rest = b;
        }
        if rest == id || self.names.inline(rest) {
            if rest != id {
                text += &self.expression(rest).text;
            } else if self.decides(id) {
                let condition = self.decision(id).text;
                text = format!("'1' when {condition} else '0'");
            } else {
                text = self.spelled(id).text;
            }
        } else {
            text += &self.name(rest);
        }
        _ = writeln!(self.body, "  {target} <= {text};");
    }

    /// True if the node is a plain bit that is best written as a condition: it compares somewhere inside.
    fn decides(&self, id: NodeId) -> bool {
        match *self.op(id) {
            Op::Binary(op, ..) if op.compares() => true,
            Op::IsState { .. } => true,
            Op::Binary(BinaryOp::And | BinaryOp::Or, a, b) if self.ty(id).is_bit() => {
                [a, b].into_iter().any(|n| self.names.inline(n) && self.decides(n))
            }
            Op::Unary(UnaryOp::Not, a) if self.ty(id).is_bit() => {
                self.names.inline(a) && self.decides(a)
            }
            _ => false,
        }
    }

    /// The node as a boolean.
    fn condition(&mut self, id: NodeId) -> Text {
        if !self.names.inline(id) {
            let name = self.name(id);
            return composed(format!("{name} = '1'"));
        }
        match *self.op(id) {
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
    fn decision(&mut self, id: NodeId) -> Text {
        match *self.op(id) {
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
                if let (Op::Const(_), Op::Const(_)) = (self.op(a), self.op(b)) {
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
    fn number(&mut self, id: NodeId, neighbour: bool) -> Text {
        match *self.op(id) {
            Op::Const(value) if neighbour && as_integer(value, self.ty(id)) => {
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
    fn expression(&mut self, id: NodeId) -> Text {
        let must_be_named = matches!(self.op(id), Op::Mux(..)) || self.decides(id);
        if !self.names.inline(id) || must_be_named {
            return simple(self.name(id));
        }
        self.spelled(id)
    }

    /// As a vector, also where it is a plain bit.
    fn vector(&mut self, id: NodeId) -> String {
        let text = self.expression(id).text;
        if self.ty(id).is_bit() { format!("unsigned'(0 => {text})") } else { text }
    }

    /// The operation itself.
    fn spelled(&mut self, id: NodeId) -> Text {
        let ty = self.ty(id);
        match *self.op(id) {
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
                let neighbour = sum && !matches!(self.op(a), Op::Const(_));
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
            Op::Cast(a) if ty.is_bit() => match *self.op(a) {
                Op::Slice { value, lo } if self.names.inline(a) => {
                    let name = self.name(value);
                    simple(format!("{name}({lo})"))
                }
                _ => {
                    let name = self.name(a);
                    simple(format!("{name}(0)"))
                }
            },
            Op::Cast(a) if self.ty(a).is_bit() => {
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
                    texts.push(match self.ty(part).signed {
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

    fn initial(&self, reg: usize) -> String {
        let reg = &self.names.net.regs[reg];
        if !reg.states.is_empty() {
            reg.states[reg.init as usize].clone()
        } else if reg.init == 0 && !reg.ty.is_bit() {
            "(others => '0')".into()
        } else {
            literal(reg.init, reg.ty)
        }
    }

    fn actions(&mut self, actions: &[Action], indent: usize, out: &mut String) {
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
                    self.user = ram.name.clone();
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

    fn block(&mut self, body: &[Action], indent: usize, out: &mut String) {
        match body {
            [] => _ = writeln!(out, "{}null;", "  ".repeat(indent)),
            _ => self.actions(body, indent, out),
        }
    }

    fn decide(
        &mut self,
        word: &str,
        condition: NodeId,
        then: &[Action],
        otherwise: &[Action],
        indent: usize,
        out: &mut String,
    ) {
        let pad = "  ".repeat(indent);
        self.user = "condition".into();
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
    fn set(&mut self, reg: usize, value: NodeId, indent: usize, out: &mut String) {
        let pad = "  ".repeat(indent);
        let target = &self.names.net.regs[reg];
        self.user = target.name.clone();
        if let (Op::Const(state), false) = (self.op(value), target.states.is_empty()) {
            _ = writeln!(out, "{pad}{} <= {};", target.name, target.states[*state as usize]);
            return;
        }
        let mut word = "if";
        let mut rest = value;
        while let Op::Mux(c, a, b) = *self.op(rest)
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

    fn write(mut self, block: &Block) -> String {
        let net = self.names.net;
        let mut types = String::new();
        let mut memory_types = Vec::new();
        for name in net.rams.iter().map(|r| &r.name).chain(net.roms.iter().map(|r| &r.name)) {
            memory_types.push(self.names.fresh(&format!("{name}_t")));
        }
        for node in self.names.instance_outputs() {
            let (name, ty) = (self.name(node), self.ty(node));
            self.made.push((name, ty));
        }
        for item in &net.items {
            match item {
                Item::Named(id) => {
                    if let (Some(name), Op::Wire(Some(driver))) =
                        (&net.nodes[*id].name, self.op(*id))
                        && self.names.get(*driver) != Some(name)
                    {
                        self.user = name.clone();
                        if self.names.inline(*driver) {
                            self.assign(name, *driver);
                        } else {
                            let from = self.name(*driver);
                            _ = writeln!(self.body, "  {name} <= {from};");
                        }
                    }
                }
                Item::Instance(i) => self.instance(*i),
                Item::Output(i) => {
                    let output = &net.outputs[*i];
                    self.user = output.name.clone();
                    if self.names.inline(output.node) {
                        self.assign(&output.name, output.node);
                    } else {
                        let from = self.name(output.node);
                        _ = writeln!(self.body, "  {} <= {from};", output.name);
                    }
                }
                Item::Reg(_) | Item::Process(_) | Item::Ram(_) => {}
            }
        }
        for process in clocked(net) {
            let mut text = String::new();
            let label = process.label.map(|l| format!("{l} : ")).unwrap_or_default();
            let clock = &net.clock;
            match net.reset.as_ref().filter(|_| process.reset) {
                Some(reset) => {
                    _ = writeln!(
                        text,
                        "\n  {label}process ({clock}, {reset})\n  begin\n    if {reset} = '1' then"
                    );
                    for &reg in process.regs.iter().filter(|&&r| net.regs[r].reset) {
                        _ = writeln!(
                            text,
                            "      {} <= {};",
                            net.regs[reg].name,
                            self.initial(reg)
                        );
                    }
                    _ = writeln!(text, "    elsif rising_edge({clock}) then");
                }
                None => {
                    _ = writeln!(
                        text,
                        "\n  {label}process ({clock})\n  begin\n    if rising_edge({clock}) then"
                    );
                }
            }
            self.actions(&process.body, 3, &mut text);
            text += "    end if;\n  end process;\n";
            self.body += &text;
        }
        for reg in net.regs.iter().filter(|r| !r.states.is_empty()) {
            let name = self.names.fresh(&format!("{}_t", reg.name));
            _ = writeln!(types, "  type {name} is ({});", reg.states.join(", "));
            let comment = trailing(&net.nodes[reg.node].comment, "--");
            _ = writeln!(
                types,
                "  signal {} : {name} := {};{comment}",
                reg.name, reg.states[reg.init as usize]
            );
        }
        for (ram, kind) in net.rams.iter().zip(&memory_types) {
            let zero = if ram.ty.is_bit() { "'0'" } else { "(others => '0')" };
            _ = writeln!(
                types,
                "  type {kind} is array (0 to {}) of {};",
                ram.depth - 1,
                type_name(ram.ty)
            );
            _ = writeln!(types, "  signal {} : {kind} := (others => {zero});", ram.name);
        }
        for (rom, kind) in net.roms.iter().zip(&memory_types[net.rams.len()..]) {
            _ = writeln!(
                types,
                "  type {kind} is array (0 to {}) of {};",
                rom.words.len() - 1,
                type_name(rom.ty)
            );
            let words: Vec<String> = rom.words.iter().map(|&w| literal(w, rom.ty)).collect();
            let lines: Vec<String> = words.chunks(4).map(|c| c.join(", ")).collect();
            _ = writeln!(
                types,
                "  constant {} : {kind} := (\n    {});",
                rom.name,
                lines.join(",\n    ")
            );
        }
        let mut out = comment_lines(&net.doc, "--");
        out += "library ieee;\nuse ieee.std_logic_1164.all;\nuse ieee.numeric_std.all;\n\n";
        _ = writeln!(
            out,
            "entity {} is\n  port (\n{}\n  );\nend entity;\n",
            net.name,
            self.ports(block)
        );
        _ = writeln!(out, "architecture rtl of {} is", net.name);
        for (name, value) in super::attributes(net) {
            _ = writeln!(out, "  attribute {name} : string;");
            _ = writeln!(out, "  attribute {name} of rtl : architecture is \"{value}\";");
        }
        out += &types;
        for item in &net.items {
            let (id, initial) = match item {
                Item::Named(id) => (*id, String::new()),
                Item::Reg(r) if net.regs[*r].states.is_empty() => {
                    (net.regs[*r].node, format!(" := {}", self.initial(*r)))
                }
                _ => continue,
            };
            let node = &net.nodes[id];
            let name = node.name.as_deref().unwrap_or_default();
            let comment = trailing(&node.comment, "--");
            _ = writeln!(out, "  signal {name} : {}{initial};{comment}", type_name(node.ty));
        }
        for (name, ty) in &self.made {
            _ = writeln!(out, "  signal {name} : {};", type_name(*ty));
        }
        out + "begin\n" + &self.body.replace("\n\n\n", "\n\n") + "end architecture;\n"
    }

    fn ports(&self, block: &Block) -> String {
        let net = self.names.net;
        let mut ports: Vec<(String, String)> = Vec::new();
        for name in block.clock().into_iter().chain(block.reset()) {
            ports.push((format!("{name} : in  std_logic"), String::new()));
        }
        for &id in &net.inputs {
            let node = &net.nodes[id];
            let name = node.name.as_deref().unwrap_or_default();
            ports.push((
                format!("{name} : in  {}", type_name(node.ty)),
                trailing(&node.comment, "--"),
            ));
        }
        for port in block.outputs() {
            ports.push((format!("{} : out {}", port.name, type_name(port.ty)), String::new()));
        }
        let last = ports.len().saturating_sub(1);
        let line = |(i, (port, comment)): (usize, (String, String))| {
            format!("    {port}{}{comment}", if i == last { "" } else { ";" })
        };
        ports.into_iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
    }

    fn instance(&mut self, index: usize) {
        let net = self.names.net;
        let instance = &net.instances[index];
        let mut map: Vec<String> = Vec::new();
        if let Some(clock) = instance.block.clock() {
            map.push(format!("{clock} => {}", net.clock));
        }
        if let (Some(inner), Some(outer)) = (instance.block.reset(), &net.reset) {
            map.push(format!("{inner} => {outer}"));
        }
        for (port, node) in instance.block.inputs().iter().zip(&instance.inputs) {
            if let Some(node) = node {
                self.user = format!("{}_{}", instance.name, port.name);
                let name = self.name(*node);
                map.push(format!("{} => {name}", port.name));
            }
        }
        for (port, node) in instance.block.outputs().iter().zip(&instance.outputs) {
            let name = self.names.get(*node).map_or("open", String::as_str);
            map.push(format!("{} => {name}", port.name));
        }
        _ = writeln!(
            self.body,
            "\n  {} : entity work.{}\n    port map (\n      {}\n    );\n",
            instance.name,
            instance.block.name(),
            map.join(",\n      ")
        );
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
