//! From the program that computes every signal to one that computes what the next edge needs.
//!
//! A simulation that runs for long and looks at few signals does not need every named value in
//! every cycle. The plan leaves out what neither a register, a memory nor a watched signal needs,
//! computes equal things once ([`crate::graph`]), puts small functions into tables
//! ([`crate::cover`]) and orders the steps so that many of the same kind follow each other.

use std::collections::HashMap;

use crate::cover::{Cut, cover, readers, table};
use crate::graph::{Graph, Node, What, range};
use crate::layout::{Layout, SLOTS};
use crate::program::{Code, Program};
use crate::run::{Do, Run, Step};

/// Steps and what they need.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) runs: Vec<Run>,
    pub(crate) layout: Layout,
    /// Values of slots beyond those of the program: constants and tables of the plan.
    pub(crate) constants: Vec<(u32, i64)>,
    /// Slots of the program that hold their values after the steps have run.
    pub(crate) known: Vec<bool>,
}

impl Plan {
    /// The plan of a program with ROMs and RAMs of these depths; `None` if it has more signals than
    /// steps can name.
    pub(crate) fn new(program: &Program, depths: &[usize]) -> Option<Plan> {
        let regs = program.inits.len();
        let mut graph = Graph { program, nodes: Vec::new(), found: HashMap::new() };
        let mut node: Vec<Option<usize>> = vec![None; program.slots.len()];
        for source in &program.sources {
            let bounds = range(source.signed, source.unused);
            node[source.slot as usize] = Some(graph.push(What::Source(source.slot), &[], bounds));
        }
        // Twice: what is known of a register in the end may simplify what reads it.
        for i in program.code.iter().chain(&program.code) {
            let [a, b, c] = [i.a, i.b, i.c].map(|slot| {
                let slot = slot as usize;
                match node.get(slot) {
                    Some(Some(id)) => *id,
                    _ => graph.constant(program.slots.get(slot).copied().unwrap_or(0)),
                }
            });
            let id = graph.add(i, a, b, c);
            node[i.dst as usize] = Some(id);
            if let Some(reg) = (i.dst as usize).checked_sub(regs)
                && let (Some(&init), Some(source)) = (program.inits.get(reg), node[reg])
            {
                graph.narrow(source, id, init);
            }
        }
        let mut of = |slot: usize| {
            let id = node[slot].unwrap_or_else(|| graph.constant(program.slots[slot]));
            (id, graph.nodes[id].what)
        };
        let next: Vec<What> = (regs..2 * regs).map(|slot| of(slot).1).collect();
        let mut begin = program.slots.len();
        let memories: Vec<(u32, usize)> = (depths.iter())
            .map(|&depth| {
                begin += depth;
                ((begin - depth) as u32, depth)
            })
            .collect();
        let layout = Layout::new(program, &next, &memories);
        let mut roots: Vec<usize> = (0..regs).filter(|&reg| !layout.follows[reg]).collect();
        roots.iter_mut().for_each(|slot| *slot += regs);
        roots.extend(program.watched.iter().map(|&s| s as usize));
        roots.extend(program.rams.iter().filter_map(|r| r.write).flatten().map(|s| s as usize));
        roots.sort_unstable();
        roots.dedup();
        let roots: Vec<(usize, usize)> = roots.iter().map(|&slot| (slot, of(slot).0)).collect();

        let every = readers(&graph, &roots, &vec![None; graph.nodes.len()]);
        // With smaller tables if there is no room for large ones.
        [10, 7, 4].into_iter().find_map(|bits| {
            let tables = cover(&graph, &every, bits);
            let readers = readers(&graph, &roots, &tables);
            let memories = memories.iter().map(|m| m.0).collect();
            let mut emitter = Emitter::new(program, &graph, layout.clone(), memories)?;
            let copies = emitter.place(&roots)?;
            emitter.narrow(&readers, &tables);
            for id in (0..graph.nodes.len()).filter(|&id| readers[id] > 0) {
                emitter.step(id, tables[id].as_ref())?;
            }
            emitter.finish(copies)
        })
    }
}

/// A step before it has its place in a run.
#[derive(Clone, Copy, Debug)]
struct Draft {
    what: Do,
    code: Code,
    step: Step,
}

/// Gives the nodes slots and turns them into steps.
struct Emitter<'a> {
    graph: &'a Graph<'a>,
    plan: Plan,
    drafts: Vec<Draft>,
    slot: Vec<Option<u16>>,
    /// The slots of the program at which memories begin, ROMs first.
    memories: Vec<u32>,
    /// Of nodes that wrap a shifted value: that value, and the node that compares both.
    narrowed: HashMap<usize, (usize, usize)>,
    /// A slot that holds 0.
    zero: u16,
    /// Where the tables are that there are.
    tables: HashMap<Vec<i64>, u16>,
    /// By the begin of its table, the slots that a choice may read.
    choices: HashMap<u16, Vec<u16>>,
}

impl Emitter<'_> {
    fn new<'a>(
        program: &Program,
        graph: &'a Graph<'a>,
        layout: Layout,
        memories: Vec<u32>,
    ) -> Option<Emitter<'a>> {
        let mut known = vec![true; program.slots.len()];
        for i in &program.code {
            known[i.dst as usize] = false;
        }
        let mut emitter = Emitter {
            graph,
            plan: Plan { runs: Vec::new(), layout, constants: Vec::new(), known },
            drafts: Vec::new(),
            slot: vec![None; graph.nodes.len()],
            memories,
            narrowed: HashMap::new(),
            zero: 0,
            tables: HashMap::new(),
            choices: HashMap::new(),
        };
        emitter.zero = emitter.constant(0)?;
        Some(emitter)
    }

    fn constant(&mut self, value: i64) -> Option<u16> {
        let at = self.plan.layout.slot()?;
        self.plan.constants.push((at.into(), value));
        Some(at)
    }

    /// The slots of the program that the plan fills: the first one of a node is where its step
    /// writes; the others are returned as copies, slot and node.
    fn place(&mut self, roots: &[(usize, usize)]) -> Option<Vec<(u16, usize)>> {
        let mut copies = Vec::new();
        let lines = self.plan.layout.lines;
        for &(slot, id) in roots {
            self.plan.known[slot] = true;
            let at = self.plan.layout.place[slot];
            let to = u16::try_from(at).ok()?;
            let in_line = (lines.0..lines.1).contains(&(at as usize));
            match self.graph.nodes[id].what {
                // What lies in a line is moved on in each clock.
                What::Constant(value) if !in_line => self.plan.constants.push((at, value)),
                What::Source(from) if from as usize == slot => {}
                What::Constant(_) | What::Source(_) => copies.push((to, id)),
                _ if self.slot[id].is_some() => copies.push((to, id)),
                _ => self.slot[id] = Some(to),
            }
        }
        Some(copies)
    }

    /// Finds values that are shifted by a signal, wrapped, and compared with what they were before
    /// they were wrapped, and nothing else: one step does all.
    fn narrow(&mut self, readers: &[u32], tables: &[Option<Cut>]) {
        let plain = |id: usize| readers[id] > 0 && tables[id].is_none();
        for (id, node) in self.graph.nodes.iter().enumerate().filter(|&(id, _)| plain(id)) {
            let What::Plain { code: Code::Ne, .. } = node.what else { continue };
            let [shifted, wrapped] = [node.args[0], node.args[1]];
            let What::SignedBy { .. } = self.graph.nodes[shifted].what else { continue };
            let wraps = match self.graph.nodes[wrapped].what {
                What::Shifts { left, right, signed } => left == right && signed,
                _ => false,
            };
            let alone = readers[shifted] == 2 && self.slot[shifted].is_none();
            let same = self.graph.nodes[wrapped].args[0] == shifted;
            if wraps && alone && same && plain(wrapped) && plain(shifted) {
                self.narrowed.insert(wrapped, (shifted, id));
            }
        }
    }

    /// The slot to which the result of a step goes.
    fn destination(&mut self, id: usize) -> Option<u16> {
        if self.slot[id].is_none() {
            self.slot[id] = Some(self.plan.layout.slot()?);
        }
        self.slot[id]
    }

    fn step(&mut self, id: usize, cut: Option<&Cut>) -> Option<()> {
        let node = &self.graph.nodes[id];
        match node.what {
            What::Source(from) => {
                let at = self.plan.layout.place[from as usize];
                self.slot[id] = Some(u16::try_from(at).ok()?);
                return Some(());
            }
            What::Constant(value) => {
                self.slot[id] = Some(self.constant(value)?);
                return Some(());
            }
            // Another step does it as well.
            _ if self.narrowed.values().any(|&(shifted, lost)| shifted == id || lost == id) => {
                return Some(());
            }
            _ => {}
        }
        let dst = self.destination(id)?;
        let narrowed = self.narrowed.get(&id).copied();
        let draft = match (cut, narrowed) {
            (Some(cut), _) => self.look_up(id, cut, dst)?,
            (None, Some((shifted, lost))) => {
                let c = self.destination(lost)?;
                let [a, b] = [0, 1].map(|i| self.at(self.graph.nodes[shifted].args[i]));
                let mut draft = self.draft(&self.graph.nodes[shifted], [a, b, c], dst);
                let What::Shifts { right, .. } = node.what else { return None };
                draft.what = Do::Narrowed;
                draft.step.wide = right.into();
                draft
            }
            (None, None) => {
                let mut args = [self.zero; 3];
                for (slot, &arg) in args.iter_mut().zip(node.args()) {
                    *slot = self.at(arg);
                }
                self.draft(node, args, dst)
            }
        };
        self.drafts.push(draft);
        Some(())
    }

    fn at(&self, id: usize) -> u16 {
        self.slot[id].unwrap_or(self.zero)
    }

    fn look_up(&mut self, id: usize, cut: &Cut, dst: u16) -> Option<Draft> {
        let mut words = table(self.graph, id, cut);
        if !cut.choice.is_empty() {
            words.iter_mut().for_each(|word| *word = self.at(*word as usize).into());
        }
        let wide = match self.tables.get(&words) {
            Some(&at) => at,
            None => {
                let at = self.plan.layout.room(words.len())?;
                self.plan.constants.extend((at.into()..).zip(words.iter().copied()));
                self.tables.insert(words, at);
                at
            }
        };
        let leaves = cut.leaves();
        let what = match (cut.choice.is_empty(), leaves.len()) {
            (true, 0 | 1) => Do::Word,
            (true, 2) => Do::Word2,
            (true, _) => Do::Word3,
            (false, 0 | 1) => Do::Choose,
            (false, 2) => Do::Choose2,
            (false, _) => Do::Choose3,
        };
        if !cut.choice.is_empty() {
            self.choices.insert(wide, cut.choice.iter().map(|&n| self.at(n)).collect());
        }
        let (mut args, mut widths) = ([self.zero; 3], [0; 3]);
        for (i, &leaf) in leaves.iter().enumerate() {
            (args[i], widths[i]) = (self.at(leaf), self.graph.nodes[leaf].bits() as u8);
        }
        let [a, b, c] = args;
        let step = Step { left: widths[1], right: widths[2], a, b, c, dst, wide };
        Some(Draft { what, code: Code::Copy, step })
    }

    /// The runs, with the copies at their end.
    fn finish(mut self, copies: Vec<(u16, usize)>) -> Option<Plan> {
        let mut drafts = scheduled(&self.drafts, &self.choices);
        for (dst, id) in copies {
            let step = Step { a: self.slot[id]?, dst, ..Step::default() };
            drafts.push(Draft { what: Do::Move, code: Code::Copy, step });
        }
        for Draft { what, code, step } in drafts {
            match self.plan.runs.last_mut() {
                Some(run) if (run.what, run.code) == (what, code) => run.steps.push(step),
                _ => self.plan.runs.push(Run { what, code, steps: vec![step] }),
            }
        }
        Some(self.plan)
    }

    /// The step of a node that is not in a table.
    fn draft(&self, node: &Node, [a, b, c]: [u16; 3], dst: u16) -> Draft {
        let step = Step { a, b, c, dst, ..Step::default() };
        let as_it_is = |what, step| Draft { what, code: Code::Copy, step };
        match node.what {
            What::Source(_) | What::Constant(_) => as_it_is(Do::Move, step),
            What::Shifts { left, right, signed } => {
                let what = if signed { Do::Signed } else { Do::Unsigned };
                as_it_is(what, Step { left, right, ..step })
            }
            What::SignedBy { left, right } => as_it_is(Do::SignedBy, Step { left, right, ..step }),
            What::Join { by, unused } => {
                as_it_is(Do::Join, Step { left: by, right: unused, ..step })
            }
            What::Mux { bit } => as_it_is(Do::Mux, Step { left: bit, ..step }),
            What::Plain { code: Code::Rom | Code::Ram, memory, .. } => {
                let roms = self.graph.program.roms.len();
                let is_rom = matches!(node.what, What::Plain { code: Code::Rom, .. });
                let number = memory as usize + if is_rom { 0 } else { roms };
                let at = self.plan.layout.place[self.memories[number] as usize];
                match u16::try_from(at) {
                    Ok(wide) => as_it_is(Do::Word, Step { wide, ..step }),
                    Err(_) => {
                        let begin = at - SLOTS as u32;
                        let (b, c) = (begin as u16, (begin >> 16) as u16);
                        as_it_is(Do::Far, Step { b, c, ..step })
                    }
                }
            }
            What::Plain { code, wrap, .. } => {
                let what = match (code, wrap) {
                    (Code::Add, None) => Do::Add,
                    (Code::Sub, None) => Do::Sub,
                    (Code::Add, Some((true, _))) => Do::AddWrapped,
                    (Code::Sub, Some((true, _))) => Do::SubWrapped,
                    (Code::Mul, _) => Do::Mul,
                    (Code::And, None) => Do::And,
                    (Code::Or, None) => Do::Or,
                    (Code::Xor, None) => Do::Xor,
                    (Code::Eq, _) => Do::Eq,
                    (Code::Ne, _) => Do::Ne,
                    _ => Do::Other,
                };
                let (signed, right) = wrap.unwrap_or((true, 0));
                let code = if what == Do::Other { code } else { Code::Copy };
                Draft { what, code, step: Step { left: signed.into(), right, ..step } }
            }
        }
    }
}

/// The steps in an order that keeps each behind those that it reads, in few runs of the same kind:
/// of all kinds that can go on, the one goes first that has many steps ready, and many behind them
/// that wait for each other.
fn scheduled(steps: &[Draft], choices: &HashMap<u16, Vec<u16>>) -> Vec<Draft> {
    let mut writer: HashMap<u16, usize> = HashMap::new();
    for (i, step) in steps.iter().enumerate() {
        writer.insert(step.step.dst, i);
        if step.what == Do::Narrowed {
            writer.insert(step.step.c, i);
        }
    }
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    let mut missing = vec![0usize; steps.len()];
    for (i, Draft { what, step, .. }) in steps.iter().enumerate() {
        let chooses = matches!(what, Do::Choose | Do::Choose2 | Do::Choose3);
        let chosen = choices.get(&step.wide).filter(|_| chooses);
        let operands = if *what == Do::Narrowed { 2 } else { 3 };
        let args = &[step.a, step.b, step.c][..operands];
        for slot in args.iter().chain(chosen.into_iter().flatten()) {
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
        let kind = |i: usize| (steps[i].what, steps[i].code);
        let mut kinds: HashMap<(Do, Code), (usize, usize)> = HashMap::new();
        for &i in &ready {
            let found = kinds.entry(kind(i)).or_default();
            *found = (found.0 + 1, found.1.max(height[i]));
        }
        let rank = |i: &usize| {
            let (count, height) = kinds[&kind(*i)];
            (count + height, *i)
        };
        let Some(what) = ready.iter().max_by_key(|i| rank(i)).map(|&i| kind(i)) else {
            break;
        };
        while let Some(at) = ready.iter().position(|&i| kind(i) == what) {
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
