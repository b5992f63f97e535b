//! A module's data path as a block diagram in SVG: registers, arithmetic, memories and instances as
//! boxes, from the inputs on the left to the outputs on the right. Wiring (slices, extensions,
//! joins), constants and single bits are left out: those steer, and a picture with them shows
//! nothing. A long chain of equal stages is folded: each stage goes to a row of its own, so that
//! the picture stays as narrow as a page.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use figures::Kind;

use crate::ir::{BinaryOp, Block, Netlist, NodeId, Op, UnaryOp};

/// Columns that a page shows well; wider pictures are folded.
const PAGE: usize = 8;

/// What is drawn: a node of the netlist, an instance, or an output port.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Part {
    Node(NodeId),
    Instance(usize),
    Output(usize),
}

struct Drawing<'n> {
    net: &'n Netlist,
    parts: Vec<Part>,
    /// For each part those that feed it.
    feeds: Vec<Vec<usize>>,
}

/// The diagram of one module; instances in it are boxes of their own.
pub fn svg(block: &Block) -> String {
    let drawing = Drawing::new(&block.0);
    let parts = drawing.parts.iter().zip(drawing.places()).zip(&drawing.feeds);
    let parts = parts.map(|((&part, place), feeds)| {
        let (text, width, kind) = drawing.label(part);
        figures::Part {
            text,
            width: width.map(|w| w.to_string()),
            kind,
            place,
            feeds: feeds.clone(),
        }
    });
    figures::blocks(block.name(), &parts.collect::<Vec<_>>()).svg()
}

impl<'n> Drawing<'n> {
    fn new(net: &'n Netlist) -> Drawing<'n> {
        let mut drawing = Drawing { net, parts: Vec::new(), feeds: Vec::new() };
        let mut known: HashMap<Part, usize> = HashMap::new();
        let outputs = net.outputs.iter().enumerate();
        let wide = outputs.filter(|(_, o)| !net.nodes[o.node].ty.is_bit());
        let mut todo: Vec<Part> = wide.map(|(i, _)| Part::Output(i)).collect();
        while let Some(part) = todo.pop() {
            if let Entry::Vacant(place) = known.entry(part) {
                place.insert(drawing.parts.len());
                drawing.parts.push(part);
                todo.extend(drawing.before(part));
            }
        }
        let feeds = drawing.parts.iter().map(|&part| {
            let mut from: Vec<usize> = drawing.before(part).iter().map(|p| known[p]).collect();
            from.sort_unstable();
            from.dedup();
            from
        });
        drawing.feeds = feeds.collect();
        drawing
    }

    /// The parts that a part reads.
    fn before(&self, part: Part) -> Vec<Part> {
        let net = self.net;
        let mut found = Vec::new();
        let mut todo: Vec<NodeId> = match part {
            Part::Output(i) => vec![net.outputs[i].node],
            Part::Instance(i) => net.instances[i].inputs.iter().flatten().copied().collect(),
            Part::Node(id) => match net.nodes[id].op {
                Op::Reg(reg) => vec![net.regs[reg].next],
                Op::RamRead { ram, address } => {
                    let write = net.rams[ram].write.as_ref();
                    write.map(|w| w.data).into_iter().chain([address]).collect()
                }
                ref op => op.operands(),
            },
        };
        let mut seen = vec![false; net.nodes.len()];
        while let Some(id) = todo.pop() {
            if std::mem::replace(&mut seen[id], true) {
                continue;
            }
            let node = &net.nodes[id];
            if let Op::InstanceOutput { instance, .. } = node.op {
                found.push(Part::Instance(instance));
            } else if node.ty.is_bit() || matches!(node.op, Op::Const(_)) {
                continue;
            } else if self.drawn(id, part) {
                found.push(Part::Node(id));
            } else {
                todo.extend(node.op.operands());
            }
        }
        found
    }

    /// True if the node is a box of its own. What a register chooses from is drawn without the
    /// choice.
    fn drawn(&self, id: NodeId, reader: Part) -> bool {
        let of_register =
            matches!(reader, Part::Node(n) if matches!(self.net.nodes[n].op, Op::Reg(_)));
        match self.net.nodes[id].op {
            Op::Input | Op::RomRead { .. } | Op::RamRead { .. } => true,
            Op::Reg(reg) => self.net.regs[reg].states.is_empty() && reader != Part::Node(id),
            Op::Binary(op, ..) => !op.compares(),
            Op::Unary(op, _) => op == UnaryOp::Neg,
            Op::Mux(..) => !of_register,
            Op::ShiftBy { .. } => true,
            _ => false,
        }
    }

    /// Text, width of the result and kind of a box.
    fn label(&self, part: Part) -> (String, Option<u32>, Kind) {
        let net = self.net;
        match part {
            Part::Output(i) => (net.outputs[i].name.clone(), None, Kind::Port),
            Part::Instance(i) => {
                let instance = &net.instances[i];
                let width = instance.outputs.first().map(|&n| net.nodes[n].ty.width);
                (instance.block.name().to_string(), width, Kind::Module)
            }
            Part::Node(id) => {
                let node = &net.nodes[id];
                let name = node.name.clone().unwrap_or_default();
                let (text, kind) = match node.op {
                    Op::Input => (name, Kind::Port),
                    Op::Reg(_) => (name, Kind::Register),
                    Op::Binary(op, ..) => {
                        let sign = match op {
                            BinaryOp::Mul => "\u{00D7}",
                            BinaryOp::And => "and",
                            BinaryOp::Or => "or",
                            BinaryOp::Xor => "xor",
                            BinaryOp::Sub => "\u{2212}",
                            _ => "+",
                        };
                        (sign.to_string(), Kind::Arithmetic)
                    }
                    Op::Unary(..) => ("\u{2212}".to_string(), Kind::Arithmetic),
                    Op::Mux(..) => ("mux".to_string(), Kind::Arithmetic),
                    Op::RomRead { rom, .. } => (net.roms[rom].name.clone(), Kind::Memory),
                    Op::RamRead { ram, .. } => (net.rams[ram].name.clone(), Kind::Memory),
                    _ => ("shift".to_string(), Kind::Arithmetic),
                };
                (text, Some(node.ty.width), kind)
            }
        }
    }

    /// Column and row of each part: columns by the longest way from an input, rows near to what
    /// feeds them.
    fn places(&self) -> Vec<(usize, usize)> {
        let n = self.parts.len();
        let mut column = vec![None; n];
        let mut open = vec![false; n];
        for i in 0..n {
            self.column(i, &mut column, &mut open);
        }
        let column: Vec<usize> = column.into_iter().map(|c| c.unwrap_or(0)).collect();
        let mut row = vec![0usize; n];
        for c in 0..=column.iter().copied().max().unwrap_or(0) {
            let mut here: Vec<usize> = (0..n).filter(|&i| column[i] == c).collect();
            let centre = |i: usize| -> f64 {
                let from = self.feeds[i].iter().filter(|&&f| column[f] < c);
                let rows: Vec<f64> = from.map(|&f| row[f] as f64).collect();
                if rows.is_empty() { 0.0 } else { rows.iter().sum::<f64>() / rows.len() as f64 }
            };
            let mut keyed: Vec<(f64, usize)> = here.drain(..).map(|i| (centre(i), i)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let mut next = 0usize;
            for (wanted, i) in keyed {
                row[i] = next.max(wanted.round() as usize);
                next = row[i] + 1;
            }
        }
        let places: Vec<(usize, usize)> = column.into_iter().zip(row).collect();
        if places.iter().any(|place| place.0 >= PAGE) { self.folded(&places) } else { places }
    }

    /// The same rows, pushed to the left: what is fed from the row right above may stand anywhere
    /// below it, and only inputs stand in the first column.
    fn folded(&self, wide: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let mut order: Vec<usize> = (0..wide.len()).collect();
        order.sort_by_key(|&i| wide[i]);
        let mut places = wide.to_vec();
        let mut free: HashMap<usize, usize> = HashMap::new();
        for i in order {
            let (column, row) = wide[i];
            let feeds = self.feeds[i].iter().filter(|&&f| wide[f].0 < column);
            let apart = feeds.filter(|&&f| wide[f].1 + 1 != row).map(|&f| places[f].0 + 1);
            let next = apart.max().unwrap_or(0).max(free.get(&row).copied().unwrap_or(0));
            let input =
                matches!(self.parts[i], Part::Node(id) if self.net.nodes[id].op == Op::Input);
            places[i].0 = if input { next } else { next.max(1) };
            free.insert(row, places[i].0 + 1);
        }
        places
    }

    /// Longest way from an input to part `i`; ways that lead back are left out.
    fn column(&self, i: usize, column: &mut [Option<usize>], open: &mut [bool]) {
        let mut stack = vec![i];
        while let Some(&i) = stack.last() {
            if column[i].is_some() {
                stack.pop();
                continue;
            }
            open[i] = true;
            let feeds = &self.feeds[i];
            let waiting = feeds.iter().find(|&&f| column[f].is_none() && !open[f]);
            if let Some(&next) = waiting {
                stack.push(next);
                continue;
            }
            let longest = feeds.iter().filter_map(|&f| column[f]).max();
            column[i] = Some(longest.map_or(0, |c| c + 1));
            stack.pop();
        }
    }
}
