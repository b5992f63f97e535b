//! The covering of the graph with tables: which nodes one table computes from a few narrow signals.
//!
//! As in tools that map logic to the look-up tables of an FPGA: each node has a few *cuts*, sets of
//! leaves from which it follows; the cheapest is the one with the least area flow, which shares the
//! cost of a leaf among its readers.

use std::collections::HashMap;

use crate::graph::{Graph, Node, What};
use crate::program::Code;

/// Bits of the index of a choice.
const CHOICE_BITS: u32 = 8;
/// Cuts that are kept for each node.
const CUTS: usize = 8;

/// A way to compute a node by a table.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    /// The narrow signals that make the index, lowest node first.
    pub(crate) leaves: [usize; 3],
    count: usize,
    /// What the table chooses from; empty for a table of values.
    pub(crate) choice: Vec<usize>,
    /// Area flow of the leaves.
    flow: f64,
}

impl Cut {
    pub(crate) fn leaves(&self) -> &[usize] {
        &self.leaves[..self.count]
    }
}

/// Instructions of a processor that a node's step takes.
fn price(node: &Node, cut: Option<&Cut>) -> f64 {
    if let Some(cut) = cut {
        let choice = if cut.choice.is_empty() { 0.0 } else { 1.5 };
        return choice + [7.0, 7.0, 10.5, 15.0][cut.count];
    }
    match node.what {
        What::Source(_) | What::Constant(_) => 0.0,
        What::Shifts { .. } => 9.5,
        What::SignedBy { .. } => 13.0,
        What::Join { .. } => 17.0,
        What::Mux { .. } => 13.5,
        What::Plain { code: Code::Eq | Code::Ne, .. } => 9.0,
        What::Plain { wrap: Some(_), .. } => 10.5,
        What::Plain { code: Code::Rom | Code::Ram, .. } => 7.0,
        What::Plain { .. } => 7.5,
    }
}

/// How many steps read each node, and the roots, if the nodes are computed like this.
pub(crate) fn readers(
    graph: &Graph<'_>,
    roots: &[(usize, usize)],
    tables: &[Option<Cut>],
) -> Vec<u32> {
    let mut readers = vec![0; graph.nodes.len()];
    roots.iter().for_each(|&(_, id)| readers[id] += 1);
    for id in (0..graph.nodes.len()).rev() {
        if readers[id] > 0 {
            match &tables[id] {
                Some(cut) => {
                    cut.leaves().iter().chain(&cut.choice).for_each(|&l| readers[l] += 1);
                }
                None => graph.nodes[id].args().iter().for_each(|&a| readers[a] += 1),
            }
        }
    }
    readers
}

/// For each node the leaves of the table that computes it, if a table is the best way.
/// A table's index has at most `most` bits.
pub(crate) fn cover(graph: &Graph<'_>, readers: &[u32], most: u32) -> Vec<Option<Cut>> {
    let mut best: Vec<Option<Cut>> = vec![None; graph.nodes.len()];
    let mut cuts: Vec<Vec<Cut>> = Vec::with_capacity(graph.nodes.len());
    // Of each multiplexer the ways to choose from what it and those above it lead to.
    let mut chosen: Vec<Vec<Cut>> = Vec::with_capacity(graph.nodes.len());
    let mut flow = vec![0.0; graph.nodes.len()];
    let narrow = |id: usize| graph.nodes[id].low >= 0 && graph.nodes[id].bits() <= most;
    let none = Cut { leaves: [0; 3], count: 0, choice: Vec::new(), flow: 0.0 };
    for (id, node) in graph.nodes.iter().enumerate() {
        if readers[id] == 0 {
            cuts.push(Vec::new());
            chosen.push(Vec::new());
            continue;
        }
        let share = |n: usize, flow: &[f64]| flow[n] / f64::from(readers[n].max(1));
        let mut own = match node.what {
            What::Constant(_) => vec![none.clone()],
            What::Source(_) | What::Plain { code: Code::Ram, .. } => Vec::new(),
            _ => vec![none.clone()],
        };
        if node.arity > 0 {
            for &arg in node.args() {
                let mut next: Vec<Cut> = Vec::new();
                let leaf = narrow(arg).then(|| Cut {
                    leaves: [arg, 0, 0],
                    count: 1,
                    choice: Vec::new(),
                    flow: share(arg, &flow),
                });
                for one in &own {
                    for other in cuts[arg].iter().chain(&leaf) {
                        if let Some(both) = merged(graph, one, other, most, |n| share(n, &flow))
                            && !next.iter().any(|c| c.leaves() == both.leaves())
                        {
                            next.push(both);
                        }
                    }
                }
                own = next;
            }
            own.sort_by(|a, b| a.flow.total_cmp(&b.flow));
            own.truncate(CUTS);
            flow[id] =
                price(node, None) + node.args().iter().map(|&a| share(a, &flow)).sum::<f64>();
            for cut in &own {
                let bits: u32 = cut.leaves().iter().map(|&l| graph.nodes[l].bits()).sum();
                let cost = cut.flow + price(node, Some(cut)) + if bits > 8 { 2.0 } else { 0.0 };
                if cost < flow[id] && cut.count > 0 {
                    flow[id] = cost;
                    best[id] = Some(cut.clone());
                }
            }
        }
        let ways = match node.what {
            What::Mux { .. } => choices(graph, node, &cuts, &chosen, |n| share(n, &flow)),
            _ => Vec::new(),
        };
        for cut in &ways {
            let cost = cut.flow + price(node, Some(cut));
            if cost < flow[id] {
                flow[id] = cost;
                best[id] = Some(cut.clone());
            }
        }
        chosen.push(ways);
        cuts.push(own);
    }
    best
}

/// The ways to see a multiplexer, with others before it, as one choice.
fn choices(
    graph: &Graph<'_>,
    node: &Node,
    cuts: &[Vec<Cut>],
    chosen: &[Vec<Cut>],
    share: impl Fn(usize) -> f64,
) -> Vec<Cut> {
    let [condition, then, otherwise] = node.args;
    let alone = |id: usize, index: bool| Cut {
        leaves: [id, 0, 0],
        count: usize::from(index),
        choice: if index { Vec::new() } else { vec![id] },
        flow: share(id),
    };
    let own = &graph.nodes[condition];
    let narrow = own.low >= 0 && own.bits() <= CHOICE_BITS;
    let mut ways: Vec<Cut> = Vec::new();
    for index in cuts[condition].iter().cloned().chain(narrow.then(|| alone(condition, true))) {
        for first in chosen[then].iter().cloned().chain([alone(then, false)]) {
            for second in chosen[otherwise].iter().cloned().chain([alone(otherwise, false)]) {
                let Some(cut) = merged(graph, &index, &first, CHOICE_BITS, &share)
                    .and_then(|both| merged(graph, &both, &second, CHOICE_BITS, &share))
                else {
                    continue;
                };
                let bits: u32 = cut.leaves().iter().map(|&l| graph.nodes[l].bits()).sum();
                let known = |w: &Cut| w.leaves() == cut.leaves() && w.choice == cut.choice;
                if bits <= CHOICE_BITS && cut.count > 0 && !ways.iter().any(known) {
                    ways.push(cut);
                }
            }
        }
    }
    ways.sort_by(|a, b| a.flow.total_cmp(&b.flow));
    ways.truncate(CUTS);
    ways
}

/// The leaves of both, if a table can have them.
fn merged(
    graph: &Graph<'_>,
    one: &Cut,
    other: &Cut,
    most: u32,
    share: impl Fn(usize) -> f64,
) -> Option<Cut> {
    let mut both = one.clone();
    for &id in &other.choice {
        if !both.choice.contains(&id) {
            both.choice.push(id);
        }
    }
    both.choice.sort_unstable();
    for &leaf in other.leaves() {
        if !both.leaves[..both.count].contains(&leaf) {
            if both.count == 3 {
                return None;
            }
            both.leaves[both.count] = leaf;
            both.count += 1;
        }
    }
    let leaves = &mut both.leaves[..both.count];
    leaves.sort_unstable();
    let bits: u32 = leaves.iter().map(|&l| graph.nodes[l].bits()).sum();
    both.flow = leaves.iter().chain(&both.choice).map(|&l| share(l)).sum();
    (bits <= most).then_some(both)
}

/// The table of a cut of `root`: values, or the nodes of which each index chooses one.
pub(crate) fn table(graph: &Graph<'_>, root: usize, cut: &Cut) -> Vec<i64> {
    let leaves = cut.leaves();
    // What decides: the root itself, or the conditions of the multiplexers on the way.
    let (mut stack, mut passed) = (Vec::new(), vec![root]);
    if cut.choice.is_empty() {
        stack.append(&mut passed);
    }
    while let Some(id) = passed.pop() {
        if !cut.choice.contains(&id) {
            let [condition, then, otherwise] = graph.nodes[id].args;
            stack.push(condition);
            passed.extend([then, otherwise]);
        }
    }
    let mut cone: Vec<usize> = Vec::new();
    while let Some(id) = stack.pop() {
        if !cone.contains(&id) && !leaves.contains(&id) {
            cone.push(id);
            stack.extend(graph.nodes[id].args());
        }
    }
    cone.sort_unstable();
    let bits: Vec<u32> = leaves.iter().map(|&l| graph.nodes[l].bits()).collect();
    let mut values: HashMap<usize, i64> = HashMap::new();
    let words = (0..1usize << bits.iter().sum::<u32>()).map(|index| {
        let mut rest = index;
        for (&leaf, &width) in leaves.iter().zip(&bits).rev() {
            values.insert(leaf, (rest & ((1 << width) - 1)) as i64);
            rest >>= width;
        }
        for &id in &cone {
            let node = &graph.nodes[id];
            let x = node.args.map(|a| values.get(&a).copied().unwrap_or(0));
            values.insert(id, graph.value(node, x));
        }
        if cut.choice.is_empty() {
            return values[&root];
        }
        // From the last multiplexer back to what it lets through.
        let mut at = root;
        while let (What::Mux { bit }, false) = (graph.nodes[at].what, cut.choice.contains(&at)) {
            let [condition, then, otherwise] = graph.nodes[at].args;
            at = if values[&condition] >> bit & 1 != 0 { then } else { otherwise };
        }
        at as i64
    });
    words.collect()
}
