//! From the program that computes every signal to one that computes what the next edge needs.
//!
//! A simulation that runs for long and looks at few signals does not need every named value in
//! every cycle. The plan leaves out what neither a register, a memory nor a watched signal needs,
//! computes equal things once ([`crate::graph`]), puts small functions into tables
//! ([`crate::cover`]) and orders the steps so that many of the same kind follow each other.

use std::collections::HashMap;

use crate::cover::{Cut, cover, table};
use crate::graph::{Graph, Node, What, range};
use crate::program::{Code, Program};
use crate::run::{Do, Step};

/// Steps and what they need.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    /// How many steps of the same kind follow each other.
    pub(crate) runs: Vec<(Do, u32)>,
    /// The tables, one after the other.
    pub(crate) tables: Vec<i64>,
    /// Values of slots beyond those of the program: constants of the plan.
    pub(crate) constants: Vec<(u32, i64)>,
    /// Slots of the program that hold their values after the steps have run.
    pub(crate) known: Vec<bool>,
}

impl Plan {
    /// The plan of a program; `None` if it has more signals than steps can name.
    pub(crate) fn new(program: &Program) -> Option<Plan> {
        let regs = program.inits.len();
        let mut graph = Graph { program, nodes: Vec::new(), found: HashMap::new() };
        let mut node: Vec<Option<usize>> = vec![None; program.slots.len()];
        for source in &program.sources {
            let bounds = range(source.signed, source.unused);
            node[source.slot as usize] = Some(graph.push(What::Source(source.slot), &[], bounds));
        }
        for i in &program.code {
            let [a, b, c] = [i.a, i.b, i.c].map(|slot| {
                let slot = slot as usize;
                match node.get(slot) {
                    Some(Some(id)) => *id,
                    _ => graph.constant(program.slots.get(slot).copied().unwrap_or(0)),
                }
            });
            node[i.dst as usize] = Some(graph.add(i, a, b, c));
        }
        let mut roots: Vec<usize> = (regs..2 * regs).collect();
        roots.extend(program.watched.iter().map(|&s| s as usize));
        roots.extend(program.rams.iter().filter_map(|r| r.write).flatten().map(|s| s as usize));
        roots.sort_unstable();
        roots.dedup();
        let of = |slot: usize, graph: &mut Graph<'_>| {
            node[slot].unwrap_or_else(|| graph.constant(program.slots[slot]))
        };
        let roots: Vec<(usize, usize)> =
            roots.iter().map(|&slot| (slot, of(slot, &mut graph))).collect();

        // What is needed at all, and by how many.
        let mut readers = vec![0u32; graph.nodes.len()];
        for &(_, id) in &roots {
            readers[id] += 1;
        }
        for id in (0..graph.nodes.len()).rev() {
            if readers[id] > 0 {
                for &arg in graph.nodes[id].args() {
                    readers[arg] += 1;
                }
            }
        }
        let tables = cover(&graph, &readers);
        let mut needed = vec![false; graph.nodes.len()];
        for &(_, id) in &roots {
            needed[id] = true;
        }
        for id in (0..graph.nodes.len()).rev() {
            if needed[id] {
                match &tables[id] {
                    Some(cut) => {
                        cut.leaves().iter().chain(&cut.choice).for_each(|&l| needed[l] = true);
                    }
                    None => graph.nodes[id].args().iter().for_each(|&a| needed[a] = true),
                }
            }
        }
        let mut emitter = Emitter::new(program, &graph)?;
        let copies = emitter.place(&roots)?;
        for id in (0..graph.nodes.len()).filter(|&id| needed[id]) {
            emitter.step(id, tables[id].as_ref())?;
        }
        emitter.finish(copies)
    }
}

/// Gives the nodes slots and turns them into steps.
struct Emitter<'a> {
    graph: &'a Graph<'a>,
    plan: Plan,
    slot: Vec<Option<u16>>,
    /// The first slot that nobody has.
    free: usize,
    /// A slot that holds 0.
    zero: u16,
    /// By the begin of its table, the slots that a choice may read.
    choices: HashMap<u32, Vec<u16>>,
}

impl Emitter<'_> {
    fn new<'a>(program: &Program, graph: &'a Graph<'a>) -> Option<Emitter<'a>> {
        let mut known = vec![true; program.slots.len()];
        for i in &program.code {
            known[i.dst as usize] = false;
        }
        let plan = Plan {
            steps: Vec::new(),
            runs: Vec::new(),
            tables: Vec::new(),
            constants: Vec::new(),
            known,
        };
        let slot = vec![None; graph.nodes.len()];
        let free = program.slots.len();
        let mut emitter = Emitter { graph, plan, slot, free, zero: 0, choices: HashMap::new() };
        emitter.zero = emitter.constant(0)?;
        Some(emitter)
    }

    fn fresh(&mut self) -> Option<u16> {
        self.free += 1;
        u16::try_from(self.free - 1).ok()
    }

    fn constant(&mut self, value: i64) -> Option<u16> {
        let at = self.fresh()?;
        self.plan.constants.push((at.into(), value));
        Some(at)
    }

    /// The slots of the program that the plan fills: the first one of a node is where its step
    /// writes; the others are returned as copies, slot and node.
    fn place(&mut self, roots: &[(usize, usize)]) -> Option<Vec<(u16, usize)>> {
        let mut copies = Vec::new();
        for &(at, id) in roots {
            self.plan.known[at] = true;
            let to = u16::try_from(at).ok()?;
            match self.graph.nodes[id].what {
                What::Constant(value) => self.plan.constants.push((at as u32, value)),
                What::Source(from) if from as usize == at => {}
                What::Source(_) => copies.push((to, id)),
                _ if self.slot[id].is_some() => copies.push((to, id)),
                _ => self.slot[id] = Some(to),
            }
        }
        Some(copies)
    }

    fn step(&mut self, id: usize, cut: Option<&Cut>) -> Option<()> {
        let node = &self.graph.nodes[id];
        let dst = match (node.what, self.slot[id]) {
            (What::Source(from), _) => {
                self.slot[id] = Some(u16::try_from(from).ok()?);
                return Some(());
            }
            (What::Constant(value), _) => {
                self.slot[id] = Some(self.constant(value)?);
                return Some(());
            }
            (_, Some(at)) => at,
            _ => self.fresh()?,
        };
        self.slot[id] = Some(dst);
        let step = match cut {
            Some(cut) => self.look_up(id, cut, dst),
            None => {
                let mut args = [self.zero; 3];
                for (slot, &arg) in args.iter_mut().zip(node.args()) {
                    *slot = self.at(arg);
                }
                step_of(node, args, dst)
            }
        };
        self.plan.steps.push(step);
        Some(())
    }

    fn at(&self, id: usize) -> u16 {
        self.slot[id].unwrap_or(self.zero)
    }

    fn look_up(&mut self, id: usize, cut: &Cut, dst: u16) -> Step {
        let wide = self.plan.tables.len() as u32;
        let mut words = table(self.graph, id, cut);
        let what = if cut.choice.is_empty() {
            Do::Table
        } else {
            words.iter_mut().for_each(|word| *word = self.at(*word as usize).into());
            self.choices.insert(wide, cut.choice.iter().map(|&n| self.at(n)).collect());
            Do::Choose
        };
        self.plan.tables.extend(words);
        // Operands that are not there are zeros above.
        let (mut args, mut widths) = ([self.zero; 3], [0; 3]);
        for (i, &leaf) in cut.leaves().iter().enumerate() {
            let to = 3 - cut.leaves().len() + i;
            (args[to], widths[to]) = (self.at(leaf), self.graph.nodes[leaf].bits() as u8);
        }
        let [a, b, c] = args;
        Step { what, left: widths[1], right: widths[2], a, b, c, dst, wide }
    }

    /// The plan, with the copies at its end: neighbours that go to neighbours go together.
    fn finish(mut self, mut copies: Vec<(u16, usize)>) -> Option<Plan> {
        let mut steps = scheduled(&self.plan.steps, &self.choices);
        copies.sort_unstable();
        for (dst, id) in copies {
            let a = self.slot[id]?;
            match steps.last_mut() {
                Some(last)
                    if last.what == Do::Move
                        && u32::from(a) == u32::from(last.a) + last.wide
                        && u32::from(dst) == u32::from(last.dst) + last.wide =>
                {
                    last.wide += 1;
                }
                _ => steps.push(Step { a, dst, wide: 1, ..Step::default() }),
            }
        }
        for step in &steps {
            match self.plan.runs.last_mut() {
                Some((what, count)) if *what == step.what => *count += 1,
                _ => self.plan.runs.push((step.what, 1)),
            }
        }
        self.plan.steps = steps;
        Some(self.plan)
    }
}

/// The step of a node that is not in a table.
fn step_of(node: &Node, [a, b, c]: [u16; 3], dst: u16) -> Step {
    let step = Step { a, b, c, dst, ..Step::default() };
    match node.what {
        What::Source(_) | What::Constant(_) => step,
        What::Shifts { left, right, signed } => {
            let what = if signed { Do::Signed } else { Do::Unsigned };
            Step { what, left, right, ..step }
        }
        What::Join { by, unused } => Step { what: Do::Join, left: by, right: unused, ..step },
        What::Mux { bit } => Step { what: Do::Mux, left: bit, ..step },
        What::Plain { code, memory, wrap } => {
            let as_signed = wrap.is_none_or(|(signed, _)| signed);
            let what = match (code, wrap) {
                (Code::Add, _) if as_signed => Do::Add,
                (Code::Sub, _) if as_signed => Do::Sub,
                (Code::ShrBy, _) if as_signed => Do::ShrBy,
                (Code::Mul, _) => Do::Mul,
                (Code::And, None) => Do::And,
                (Code::Or, None) => Do::Or,
                (Code::Xor, None) => Do::Xor,
                (Code::Eq, _) => Do::Eq,
                (Code::Ne, _) => Do::Ne,
                (Code::Rom, _) => Do::Rom,
                (Code::Ram, _) => Do::Ram,
                _ => Do::Other(code),
            };
            let (left, right) = wrap.unwrap_or_default();
            Step { what, left: left.into(), right, wide: memory, ..step }
        }
    }
}

/// The steps in an order that keeps each behind those that it reads, in few runs of the same kind:
/// of all kinds that can go on, the one with the most steps that are ready goes first.
fn scheduled(steps: &[Step], choices: &HashMap<u32, Vec<u16>>) -> Vec<Step> {
    let mut writer: HashMap<u16, usize> = HashMap::new();
    for (i, step) in steps.iter().enumerate() {
        writer.insert(step.dst, i);
    }
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    let mut missing = vec![0usize; steps.len()];
    for (i, step) in steps.iter().enumerate() {
        let chosen = choices.get(&step.wide).filter(|_| step.what == Do::Choose);
        for slot in [step.a, step.b, step.c].iter().chain(chosen.into_iter().flatten()) {
            if let Some(&from) = writer.get(slot) {
                readers[from].push(i);
                missing[i] += 1;
            }
        }
    }
    // How many steps depend on each other behind this one.
    let mut height = vec![0usize; steps.len()];
    for i in (0..steps.len()).rev() {
        height[i] = readers[i].iter().map(|&r| height[r] + 1).max().unwrap_or(0);
    }
    let mut ready: Vec<usize> = (0..steps.len()).filter(|&i| missing[i] == 0).collect();
    let mut order = Vec::with_capacity(steps.len());
    while !ready.is_empty() {
        let mut kinds: HashMap<Do, (usize, usize)> = HashMap::new();
        for &i in &ready {
            let kind = kinds.entry(steps[i].what).or_default();
            *kind = (kind.0 + 1, kind.1.max(height[i]));
        }
        let rank = |i: &usize| (kinds[&steps[*i].what], *i);
        let Some(what) = ready.iter().max_by_key(|i| rank(i)).map(|&i| steps[i].what) else {
            break;
        };
        while let Some(at) = ready.iter().position(|&i| steps[i].what == what) {
            let i = ready.remove(at);
            order.push(steps[i]);
            for &r in &readers[i] {
                missing[r] -= 1;
                if missing[r] == 0 {
                    ready.push(r);
                }
            }
        }
    }
    order
}
