//! VHDL, plain enough for both the 1993 and the 2008 standard: `std_logic`, and `numeric_std` for
//! numbers.

mod expression;
mod statement;

use std::fmt::Write;

use super::{Concurrent, Names, clocked, comment_lines, concurrent, trailing};
use crate::ir::{Block, Item, NodeId, Op};
use crate::types::Type;

/// The whole design, one entity per block, the used ones first.
pub fn design(top: &Block) -> String {
    super::all(top, entity)
}

/// One entity with its architecture.
pub fn entity(block: &Block) -> String {
    Writer { names: Names::new(&block.0), body: String::new() }.write(block)
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

/// By this vendors' tools know where a table is to be built.
const ROM_STYLE: &str = "rom_style";

struct Writer<'n> {
    names: Names<'n>,
    body: String,
}

impl<'n> Writer<'n> {
    /// A name for the node, with an assignment of its own if it has none yet.
    fn name(&mut self, id: NodeId) -> String {
        if let Some(name) = self.names.get(id) {
            return name.clone();
        }
        let name = self.names.make_up(id);
        self.assign(&name, id);
        name
    }

    /// Writes `target <= ...;`.
    fn assign(&mut self, target: &str, id: NodeId) {
        let mut text = String::new();
        let mut rest = id;
        while let Op::Mux(c, a, b) = *self.names.op(rest) {
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

    fn write(mut self, block: &Block) -> String {
        let net = self.names.net;
        let mut types = String::new();
        let mut memory_types = Vec::new();
        for name in net.rams.iter().map(|r| &r.name).chain(net.roms.iter().map(|r| &r.name)) {
            memory_types.push(self.names.fresh(&format!("{name}_t")));
        }
        for node in self.names.instance_outputs() {
            let (name, ty) = (self.name(node), self.names.ty(node));
            self.names.made.push((name, ty));
        }
        for part in concurrent(&self.names) {
            match part {
                Concurrent::Instance(i) => self.instance(i),
                Concurrent::Show { target, node } => {
                    self.names.user = target.clone();
                    if self.names.inline(node) {
                        self.assign(&target, node);
                    } else {
                        let from = self.name(node);
                        _ = writeln!(self.body, "  {target} <= {from};");
                    }
                }
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
            if rom.distributed {
                _ = writeln!(
                    types,
                    "  attribute {ROM_STYLE} of {} : constant is \"distributed\";",
                    rom.name
                );
            }
        }
        let ports = super::ports(block, "--", ";", |input, name, ty| {
            format!("    {name} : {} {}", if input { "in " } else { "out" }, type_name(ty))
        });
        let mut out = comment_lines(&net.doc, "--");
        out += "library ieee;\nuse ieee.std_logic_1164.all;\nuse ieee.numeric_std.all;\n\n";
        _ = writeln!(out, "entity {} is\n  port (\n{}\n  );\nend entity;\n", net.name, ports);
        _ = writeln!(out, "architecture rtl of {} is", net.name);
        for (name, value) in super::attributes(net) {
            _ = writeln!(out, "  attribute {name} : string;");
            _ = writeln!(out, "  attribute {name} of rtl : architecture is \"{value}\";");
        }
        if net.roms.iter().any(|rom| rom.distributed) {
            _ = writeln!(out, "  attribute {ROM_STYLE} : string;");
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
        for (name, ty) in &self.names.made {
            _ = writeln!(out, "  signal {name} : {};", type_name(*ty));
        }
        out + "begin\n" + &self.body.replace("\n\n\n", "\n\n") + "end architecture;\n"
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
            wired.iter().map(|(port, to)| format!("{port} => {}", to.as_deref().unwrap_or("open")));
        let map = map.collect::<Vec<_>>().join(",\n      ");
        let instance = &net.instances[index];
        let block = instance.block.name();
        _ = writeln!(
            self.body,
            "\n  {} : entity work.{block}\n    port map (\n      {map}\n    );\n",
            instance.name
        );
    }
}
