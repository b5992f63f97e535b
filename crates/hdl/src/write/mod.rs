//! Writing a design as text that a person reads: what VHDL and Verilog have in common.
//!
//! Names are kept. An expression that is used once is written where it is used; one that is used
//! more often, or that the language allows only in an assignment of its own, gets a name made from
//! the name of its user.

pub mod bench;
pub mod verilog;
pub mod vhdl;

use std::collections::{HashMap, HashSet};

use crate::check::for_each_root;
use crate::ir::{Block, Item, Netlist, NodeId, Op, Statement};
use crate::types::{Multipliers, Type, bit};

/// What goes into one clocked process.
pub(crate) struct Clocked<'n> {
    pub(crate) label: Option<&'n str>,
    /// Registers that belong to it, for the reset.
    pub(crate) regs: Vec<usize>,
    pub(crate) reset: bool,
    pub(crate) body: Vec<Action<'n>>,
}

pub(crate) enum Action<'n> {
    Set {
        reg: usize,
        value: NodeId,
    },
    /// Back to the initial value.
    Initial {
        reg: usize,
    },
    Store {
        ram: usize,
    },
    If {
        condition: NodeId,
        then: Vec<Action<'n>>,
        otherwise: Vec<Action<'n>>,
    },
    Case {
        reg: usize,
        arms: Vec<(&'n str, Vec<Action<'n>>)>,
        complete: bool,
    },
}

/// All clocked processes of a module: registers with the same controls together, then the author's
/// processes, then the memories.
pub(crate) fn clocked(net: &Netlist) -> Vec<Clocked<'_>> {
    type Controls = (Option<NodeId>, Option<NodeId>, bool);
    let mut groups: Vec<(Controls, Vec<usize>)> = Vec::new();
    for (i, reg) in net.regs.iter().enumerate().filter(|(_, r)| r.data.is_some()) {
        let controls = (reg.enable, reg.clear, reg.reset);
        match groups.iter_mut().find(|(c, _)| *c == controls) {
            Some((_, regs)) => regs.push(i),
            None => groups.push((controls, vec![i])),
        }
    }
    let mut all: Vec<Clocked> = Vec::new();
    for ((enable, clear, reset), regs) in groups {
        let value = |i: usize| net.regs[i].data.unwrap_or(net.regs[i].node);
        let mut body: Vec<Action> =
            regs.iter().map(|&reg| Action::Set { reg, value: value(reg) }).collect();
        if let Some(condition) = enable {
            body = vec![Action::If { condition, then: body, otherwise: vec![] }];
        }
        if let Some(condition) = clear {
            let then = regs.iter().map(|&reg| Action::Initial { reg }).collect();
            body = vec![Action::If { condition, then, otherwise: body }];
        }
        all.push(Clocked { label: None, regs, reset, body });
    }
    for (p, process) in net.processes.iter().enumerate() {
        let regs: Vec<usize> =
            (0..net.regs.len()).filter(|&i| net.regs[i].process == Some(p)).collect();
        let reset = regs.iter().any(|&i| net.regs[i].reset);
        all.push(Clocked {
            label: Some(&process.name),
            regs,
            reset,
            body: actions(net, &process.body),
        });
    }
    for (ram, data) in net.rams.iter().enumerate() {
        if let Some(write) = &data.write {
            let then = vec![Action::Store { ram }];
            let body = vec![Action::If { condition: write.enable, then, otherwise: vec![] }];
            all.push(Clocked { label: None, regs: vec![], reset: false, body });
        }
    }
    all
}

fn actions<'n>(net: &'n Netlist, body: &'n [Statement]) -> Vec<Action<'n>> {
    let action = |s: &'n Statement| match s {
        Statement::Assign { reg, value } => Action::Set { reg: *reg, value: *value },
        Statement::If { condition, then, otherwise } => Action::If {
            condition: *condition,
            then: actions(net, then),
            otherwise: actions(net, otherwise),
        },
        Statement::Case { reg, arms } => {
            let states = &net.regs[*reg].states;
            let complete = arms.len() == states.len();
            let arms = arms.iter().map(|(s, body)| (states[*s].as_str(), actions(net, body)));
            Action::Case { reg: *reg, arms: arms.collect(), complete }
        }
    };
    body.iter().map(action).collect()
}

/// Names of nodes while a module is written, given and made up.
pub(crate) struct Names<'n> {
    pub(crate) net: &'n Netlist,
    uses: Vec<u32>,
    names: HashMap<NodeId, String>,
    taken: HashSet<String>,
    /// Signals with made-up names, in the order of their making.
    pub(crate) made: Vec<(String, Type)>,
    /// Who is being written: made-up names begin with it.
    pub(crate) user: String,
}

impl<'n> Names<'n> {
    pub(crate) fn new(net: &'n Netlist) -> Names<'n> {
        let mut taken: HashSet<String> = HashSet::new();
        let mut take = |name: &str| taken.insert(name.to_ascii_lowercase());
        take(&net.name);
        take(&net.clock);
        net.reset.iter().for_each(|n| _ = take(n));
        net.outputs.iter().for_each(|o| _ = take(&o.name));
        net.roms.iter().for_each(|r| _ = take(&r.name));
        net.rams.iter().for_each(|r| _ = take(&r.name));
        net.instances.iter().for_each(|i| _ = take(&i.name));
        net.processes.iter().for_each(|p| _ = take(&p.name));
        net.regs.iter().flat_map(|r| &r.states).for_each(|s| _ = take(s));
        let mut names = HashMap::new();
        for (id, node) in net.nodes.iter().enumerate() {
            if let Some(name) = &node.name {
                take(name);
                names.insert(id, name.clone());
            }
        }
        let uses = count_uses(net);
        Names { net, uses, names, taken, made: Vec::new(), user: String::new() }
    }

    pub(crate) fn op(&self, id: NodeId) -> &'n Op {
        &self.net.nodes[id].op
    }

    pub(crate) fn ty(&self, id: NodeId) -> Type {
        self.net.nodes[id].ty
    }

    /// Makes up a name for a node that has none.
    pub(crate) fn make_up(&mut self, id: NodeId) -> String {
        let name = self.fresh(&format!("{}_part", self.user));
        self.set(id, &name);
        self.made.push((name.clone(), self.ty(id)));
        name
    }

    pub(crate) fn get(&self, id: NodeId) -> Option<&String> {
        self.names.get(&id)
    }

    pub(crate) fn set(&mut self, id: NodeId, name: &str) {
        self.names.insert(id, name.to_string());
    }

    /// `wanted`, or with a number behind it if that is taken.
    pub(crate) fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_string();
        let mut n = 1;
        while crate::names::complaint(&name).is_some()
            || !self.taken.insert(name.to_ascii_lowercase())
        {
            n += 1;
            name = format!("{wanted}_{n}");
        }
        name
    }

    /// True if the node has no name and is read in one place, so that it is written there.
    pub(crate) fn inline(&self, id: NodeId) -> bool {
        !self.names.contains_key(&id) && (self.uses[id] <= 1 || self.cheap(id))
    }

    fn cheap(&self, id: NodeId) -> bool {
        self.names.contains_key(&id)
            || match self.net.nodes[id].op {
                Op::Const(_) => true,
                Op::Slice { value, .. } => self.names.contains_key(&value),
                Op::Cast(a) | Op::Extend(a) => self.cheap(a),
                _ => false,
            }
    }

    /// Instance outputs whose only purpose is a named signal take its name; the others are called
    /// after both. Returns the made-up ones.
    pub(crate) fn instance_outputs(&mut self) -> Vec<NodeId> {
        for item in &self.net.items {
            if let Item::Named(id) = item
                && let Op::Wire(Some(driver)) = self.net.nodes[*id].op
                && matches!(self.net.nodes[driver].op, Op::InstanceOutput { .. })
                && !self.names.contains_key(&driver)
            {
                let name = self.names[id].clone();
                self.names.insert(driver, name);
            }
        }
        let mut made = Vec::new();
        for instance in &self.net.instances {
            for (&node, port) in instance.outputs.iter().zip(&instance.block.0.outputs) {
                if self.uses[node] > 0 && !self.names.contains_key(&node) {
                    let name = self.fresh(&format!("{}_{}", instance.name, port.name));
                    self.names.insert(node, name);
                    made.push(node);
                }
            }
        }
        made
    }
}

/// What stands outside of processes, in the author's order.
pub(crate) enum Concurrent {
    /// A signal or port that shows what a node computes.
    Show { target: String, node: NodeId },
    /// An instance, by its number.
    Instance(usize),
}

/// All of a module's [`Concurrent`] parts; a signal that is the output of an instance itself is
/// none.
pub(crate) fn concurrent(names: &Names) -> Vec<Concurrent> {
    let net = names.net;
    let part = |item: &Item| match item {
        Item::Named(id) => match (&net.nodes[*id].name, &net.nodes[*id].op) {
            (Some(name), Op::Wire(Some(driver))) if names.get(*driver) != Some(name) => {
                Some(Concurrent::Show { target: name.clone(), node: *driver })
            }
            _ => None,
        },
        Item::Instance(i) => Some(Concurrent::Instance(*i)),
        Item::Output(i) => {
            let output = &net.outputs[*i];
            Some(Concurrent::Show { target: output.name.clone(), node: output.node })
        }
        Item::Reg(_) | Item::Process(_) | Item::Ram(_) => None,
    };
    net.items.iter().filter_map(part).collect()
}

/// The lines of a module's ports: clock and reset, inputs, outputs. `port` writes one of them (true
/// for an input), `end` stands behind all but the last, `mark` begins a comment.
pub(crate) fn ports(
    block: &Block,
    mark: &str,
    end: &str,
    port: impl Fn(bool, &str, Type) -> String,
) -> String {
    let net = &block.0;
    let mut lines: Vec<(String, String)> = Vec::new();
    for name in block.clock().into_iter().chain(block.reset()) {
        lines.push((port(true, name, bit()), String::new()));
    }
    for &id in &net.inputs {
        let node = &net.nodes[id];
        let name = node.name.as_deref().unwrap_or_default();
        lines.push((port(true, name, node.ty), trailing(&node.comment, mark)));
    }
    for output in block.outputs() {
        lines.push((port(false, &output.name, output.ty), String::new()));
    }
    let last = lines.len().saturating_sub(1);
    let line = |(i, (port, comment)): (usize, (String, String))| {
        format!("{port}{}{comment}", if i == last { "" } else { end })
    };
    lines.into_iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// What is wired to the ports of an instance: port and signal, `None` for an output that nobody
/// reads. `name` gives the name of a node: for an input one that may be made up after the given
/// user, for an output one that is there.
pub(crate) fn connections(
    net: &Netlist,
    index: usize,
    mut name: impl FnMut(Option<String>, NodeId) -> Option<String>,
) -> Vec<(String, Option<String>)> {
    let instance = &net.instances[index];
    let mut map = Vec::new();
    if let Some(clock) = instance.block.clock() {
        map.push((clock.to_string(), Some(net.clock.clone())));
    }
    if let (Some(inner), Some(outer)) = (instance.block.reset(), &net.reset) {
        map.push((inner.to_string(), Some(outer.clone())));
    }
    for (port, node) in instance.block.inputs().into_iter().zip(&instance.inputs) {
        if let Some(node) = node {
            let user = format!("{}_{}", instance.name, port.name);
            map.push((port.name, name(Some(user), *node)));
        }
    }
    for (port, node) in instance.block.outputs().into_iter().zip(&instance.outputs) {
        map.push((port.name, name(None, *node)));
    }
    map
}

/// How often each node is read by what will be written.
fn count_uses(net: &Netlist) -> Vec<u32> {
    let mut uses = vec![0u32; net.nodes.len()];
    let mut todo: Vec<NodeId> = Vec::new();
    let mut root = |n: NodeId| {
        uses[n] += 1;
        todo.push(n);
    };
    for_each_root(net, &mut root);
    for item in &net.items {
        if let Item::Named(id) = item {
            todo.push(*id);
        }
    }
    let mut seen = vec![false; net.nodes.len()];
    while let Some(id) = todo.pop() {
        if !std::mem::replace(&mut seen[id], true) {
            for n in net.nodes[id].op.operands() {
                uses[n] += 1;
                todo.push(n);
            }
        }
    }
    uses
}

/// What the author has said to the synthesis tool: attribute and value.
pub(crate) fn attributes(net: &Netlist) -> Vec<(&'static str, &'static str)> {
    let style = net.multipliers.map(|style| match style {
        Multipliers::Blocks => ("mult_style", "block"),
        Multipliers::Logic => ("mult_style", "lut"),
    });
    style.into_iter().chain(net.kept.then_some(("keep_hierarchy", "yes"))).collect()
}

/// Lines of a comment with `mark` before each. In VHDL a line ends at a carriage return or a form
/// feed, too: what follows one must not become code.
pub(crate) fn comment_lines(text: &str, mark: &str) -> String {
    let line = |line: &str| {
        let shown = line.replace(char::is_control, " ");
        format!("{mark} {}\n", shown.trim_end()).replace(" \n", "\n")
    };
    text.lines().map(line).collect()
}

/// Comments belong on one line where they stand behind code.
pub(crate) fn trailing(comment: &Option<String>, mark: &str) -> String {
    match comment {
        Some(text) => format!("  {mark} {}", text.split_whitespace().collect::<Vec<_>>().join(" ")),
        None => String::new(),
    }
}

/// Everything that makes a block's files: the text of all its modules, the used ones first.
pub(crate) fn all(top: &Block, one: fn(&Block) -> String) -> String {
    top.hierarchy().iter().map(one).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::comment_lines;

    #[test]
    fn what_ends_a_line_of_vhdl_ends_no_comment() {
        let text = "a\rentity b is\r\n\u{b}c\u{c}d\u{85}e";
        assert_eq!(comment_lines(text, "--"), "-- a entity b is\n--  c d e\n");
    }
}
