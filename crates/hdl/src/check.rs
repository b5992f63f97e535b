//! What `build` does: the checks that need the whole module, and the folding of processes into next
//! values.

use std::panic::Location;
use std::sync::Arc;

use crate::draft::place;
use crate::error::{BuildError, BuildErrors};
use crate::ir::{Block, Netlist, NodeId, Op, Statement};
use crate::types::bit;

/// Checks a netlist as it was written and completes it. `errors` are those found before; inputs in
/// `allowed_unused` may go nowhere.
pub(crate) fn finish(
    net: Netlist,
    errors: Vec<BuildError>,
    allowed_unused: &[NodeId],
    places: &Places,
) -> Result<Block, BuildErrors> {
    let mut checker = Checker { net, errors, places };
    checker.clock_and_names();
    checker.drivers();
    checker.same_names_below();
    // A faulty expression hides what it reads, so these wait until the rest is right.
    if checker.errors.is_empty() {
        checker.unused_inputs(allowed_unused);
        checker.loops();
    }
    if !checker.errors.is_empty() {
        return Err(BuildErrors(checker.errors));
    }
    let mut net = checker.net;
    net.written_nodes = net.nodes.len();
    fold(&mut net);
    Ok(Block(Arc::new(net)))
}

/// For each node the author's line that made it, as far as known.
type Places = [Option<&'static Location<'static>>];

struct Checker<'p> {
    net: Netlist,
    errors: Vec<BuildError>,
    places: &'p Places,
}

impl Checker<'_> {
    fn error(&mut self, what: String, fix: impl Into<String>) {
        let module = self.net.name.clone();
        self.errors.push(BuildError { module, at: None, what, fix: fix.into() });
    }

    /// The mistake lies where `node` was made.
    fn error_of(&mut self, node: NodeId, what: String, fix: impl Into<String>) {
        let at = place(self.places.get(node).copied().flatten());
        self.errors.push(BuildError { module: self.net.name.clone(), at, what, fix: fix.into() });
    }

    fn clock_and_names(&mut self) {
        let net = &self.net;
        let writes = net.rams.iter().any(|r| r.write.is_some());
        let below = net.instances.iter().any(|i| i.block.0.clocked);
        let clocked = !net.regs.is_empty() || writes || below;
        let clock = net.clock.to_ascii_lowercase();
        let mut names: Vec<&str> = net.nodes.iter().filter_map(|n| n.name.as_deref()).collect();
        names.extend(net.outputs.iter().map(|o| o.name.as_str()));
        names.extend(net.reset.as_deref());
        let clash = names.iter().find(|n| n.to_ascii_lowercase() == clock).map(|n| n.to_string());
        let complaint = crate::names::complaint(&net.clock);
        self.net.clocked = clocked;
        if let Some(name) = clash.filter(|_| clocked) {
            self.error(
                format!("`{name}` has the name of the clock port"),
                "rename it, or call the clock differently with `clock(..)`; the clock itself is \
                 wired by itself",
            );
        }
        if let Some((what, fix)) = complaint {
            self.error(what, fix);
        }
        if self.net.reset.is_some() && !clocked {
            self.error(
                "the reset resets nothing".into(),
                "drop `async_reset(..)`, or add registers",
            );
        }
        if self.net.outputs.is_empty() {
            self.error("the module has no output".into(), "add one with `output(name, signal)`");
        }
    }

    fn drivers(&mut self) {
        for id in 0..self.net.nodes.len() {
            if self.net.nodes[id].op == Op::Wire(None) {
                let what = format!("wire `{}` is never driven", self.net.describe(id));
                self.error_of(id, what, "connect it with `.drive(..)`");
            }
        }
        for i in 0..self.net.regs.len() {
            let reg = self.net.regs[i].clone();
            let name = &reg.name;
            if reg.data.is_none() && reg.process.is_none() {
                self.error_of(
                    reg.node,
                    format!("register `{name}` is never set"),
                    "say what it takes with `.set(..)`",
                );
            }
            if reg.process.is_some() && (reg.enable.is_some() || reg.clear.is_some()) {
                self.error(
                    format!(
                        "register `{name}` is set in a process and has an enable or clear as well"
                    ),
                    "use `when` inside the process instead",
                );
            }
            let mixed =
                self.net.regs.iter().any(|r| {
                    r.process.is_some() && r.process == reg.process && r.reset != reg.reset
                });
            if mixed && !reg.reset {
                self.error(
                    format!(
                        "register `{name}` is not reset but shares its process with registers \
                             that are"
                    ),
                    "give it a process of its own, or let the reset reach it",
                );
            }
            if !reg.states.is_empty() && reg.process.is_none() {
                self.error(
                    format!("state machine `{name}` is not driven in a process"),
                    "use `case` and `go` inside one",
                );
            }
        }
        for i in 0..self.net.rams.len() {
            if self.net.rams[i].write.is_none() {
                let what = format!("RAM `{}` is never written", self.net.rams[i].name);
                self.error(what, "add `.write(..)`, or use a ROM");
            }
        }
        for i in 0..self.net.instances.len() {
            let instance = &self.net.instances[i];
            let open: Vec<String> = (instance.block.inputs().into_iter().zip(&instance.inputs))
                .filter(|(_, connected)| connected.is_none())
                .map(|(port, _)| format!("`{}`", port.name))
                .collect();
            if !open.is_empty() {
                let what =
                    format!("instance `{}`: nothing drives its {}", instance.name, open.join(", "));
                let node = instance.outputs.first().copied().unwrap_or(usize::MAX);
                self.error_of(node, what, "connect every input with `.connect(port, signal)`");
            }
        }
    }

    fn unused_inputs(&mut self, allowed: &[NodeId]) {
        let mut used = vec![false; self.net.nodes.len()];
        for node in &self.net.nodes {
            node.op.operands().into_iter().for_each(|n| used[n] = true);
        }
        for_each_root(&self.net, |n| used[n] = true);
        for i in 0..self.net.inputs.len() {
            let id = self.net.inputs[i];
            if !used[id] && !allowed.contains(&id) {
                let what = format!("input `{}` is not used", self.net.describe(id));
                self.error_of(
                    id,
                    what,
                    "use it, remove it, or state the intention with `.unused()`",
                );
            }
        }
    }

    fn same_names_below(&mut self) {
        let mut seen: Vec<Block> = Vec::new();
        let mut clashes = Vec::new();
        for instance in &self.net.instances {
            for block in instance.block.hierarchy() {
                let same_name = seen.iter().find(|b| b.name().eq_ignore_ascii_case(block.name()));
                match same_name {
                    Some(other) if *other != block => clashes.push(block.name().to_string()),
                    Some(_) => {}
                    None if block.name().eq_ignore_ascii_case(&self.net.name) => {
                        clashes.push(block.name().to_string());
                    }
                    None => seen.push(block),
                }
            }
        }
        clashes.dedup();
        for name in clashes {
            self.error(
                format!("two different blocks are called `{name}`"),
                "give each variant its own name, for example with its width or style at the end",
            );
        }
    }

    /// Finds combinational loops, and which inputs reach which outputs without a register between.
    fn loops(&mut self) {
        let n = self.net.nodes.len();
        let mut state = vec![0u8; n];
        for start in 0..n {
            if let Some(around) = self.search(start, &mut state) {
                let mut names: Vec<String> = Vec::new();
                for &id in &around {
                    if self.net.nodes[id].name.is_some()
                        || matches!(self.net.nodes[id].op, Op::InstanceOutput { .. })
                    {
                        names.push(format!("`{}`", self.net.describe(id)));
                    }
                }
                names.reverse();
                self.error(
                    format!("combinational loop through {}", names.join(" -> ")),
                    "break the loop with a register",
                );
                return;
            }
        }
        let through = self.net.outputs.iter().map(|o| {
            let mut seen = vec![false; n];
            let mut todo = vec![o.node];
            while let Some(id) = todo.pop() {
                if !std::mem::replace(&mut seen[id], true) {
                    todo.extend(self.sources(id));
                }
            }
            (0..self.net.inputs.len()).filter(|&i| seen[self.net.inputs[i]]).collect()
        });
        self.net.through = through.collect();
    }

    fn sources(&self, id: NodeId) -> Vec<NodeId> {
        match &self.net.nodes[id].op {
            Op::InstanceOutput { instance, port } => {
                let instance = &self.net.instances[*instance];
                let through = &instance.block.0.through[*port];
                through.iter().filter_map(|&i| instance.inputs[i]).collect()
            }
            op => op.operands(),
        }
    }

    /// Depth-first search with its own stack (expressions may be very deep). Returns the nodes of a
    /// loop.
    fn search(&self, start: NodeId, state: &mut [u8]) -> Option<Vec<NodeId>> {
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        if state[start] == DONE {
            return None;
        }
        let mut stack = vec![(start, self.sources(start))];
        state[start] = OPEN;
        while let Some((id, rest)) = stack.last_mut() {
            match rest.pop() {
                None => {
                    state[*id] = DONE;
                    stack.pop();
                }
                Some(next) if state[next] == OPEN => {
                    let path: Vec<NodeId> = stack.iter().map(|(id, _)| *id).collect();
                    let from = path.iter().position(|&id| id == next).unwrap_or(0);
                    return Some(path[from..].to_vec());
                }
                Some(next) if state[next] == DONE => {}
                Some(next) => {
                    state[next] = OPEN;
                    let sources = self.sources(next);
                    stack.push((next, sources));
                }
            }
        }
        None
    }
}

/// Calls `f` for every node that something other than a node reads, as the author wrote it.
pub(crate) fn for_each_root(net: &Netlist, mut f: impl FnMut(NodeId)) {
    net.outputs.iter().for_each(|o| f(o.node));
    for reg in &net.regs {
        reg.data.iter().chain(&reg.enable).chain(&reg.clear).for_each(|&n| f(n));
    }
    for ram in net.rams.iter().filter_map(|r| r.write.as_ref()) {
        [ram.enable, ram.address, ram.data].into_iter().for_each(&mut f);
    }
    for instance in &net.instances {
        instance.inputs.iter().flatten().for_each(|&n| f(n));
    }
    fn statements(body: &[Statement], f: &mut impl FnMut(NodeId)) {
        for statement in body {
            match statement {
                Statement::Assign { value, .. } => f(*value),
                Statement::If { condition, then, otherwise } => {
                    f(*condition);
                    statements(then, f);
                    statements(otherwise, f);
                }
                Statement::Case { arms, .. } => {
                    arms.iter().for_each(|(_, body)| statements(body, f))
                }
            }
        }
    }
    net.processes.iter().for_each(|p| statements(&p.body, &mut f));
}

/// Gives every register its `next` node: data under enable and clear, or what its process says.
fn fold(net: &mut Netlist) {
    for i in 0..net.regs.len() {
        let reg = net.regs[i].clone();
        let Some(mut next) = reg.data else { continue };
        if let Some(enable) = reg.enable {
            next = net.push(Op::Mux(enable, next, reg.node), reg.ty);
        }
        if let Some(clear) = reg.clear {
            let init = net.push(Op::Const(reg.init), reg.ty);
            next = net.push(Op::Mux(clear, init, next), reg.ty);
        }
        net.regs[i].next = next;
    }
    for p in 0..net.processes.len() {
        let body = net.processes[p].body.clone();
        let mut values: Vec<NodeId> = net.regs.iter().map(|r| r.next).collect();
        fold_body(net, &body, &mut values);
        for (reg, value) in net.regs.iter_mut().zip(values) {
            reg.next = value;
        }
    }
}

fn fold_body(net: &mut Netlist, body: &[Statement], values: &mut Vec<NodeId>) {
    for statement in body {
        match statement {
            Statement::Assign { reg, value } => values[*reg] = *value,
            Statement::If { condition, then, otherwise } => {
                let mut yes = values.clone();
                fold_body(net, then, &mut yes);
                fold_body(net, otherwise, values);
                choose(net, *condition, &yes, values);
            }
            Statement::Case { reg, arms } => {
                let before = values.clone();
                let node = net.regs[*reg].node;
                for (state, body) in arms {
                    let mut yes = before.clone();
                    fold_body(net, body, &mut yes);
                    let is = net.push(Op::IsState { reg: *reg, node, state: *state }, bit());
                    choose(net, is, &yes, values);
                }
            }
        }
    }
}

/// `values[i] = condition ? yes[i] : values[i]`, where they differ.
fn choose(net: &mut Netlist, condition: NodeId, yes: &[NodeId], values: &mut [NodeId]) {
    for (value, &yes) in values.iter_mut().zip(yes) {
        if *value != yes {
            let ty = net.nodes[yes].ty;
            *value = net.push(Op::Mux(condition, yes, *value), ty);
        }
    }
}
