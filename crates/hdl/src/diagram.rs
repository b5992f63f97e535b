//! A module's data path as a block diagram in SVG: registers, arithmetic, memories and instances as boxes, from the inputs
//! on the left to the outputs on the right. Wiring (slices, extensions, joins), constants and single bits are left out: those
//! steer, and a picture with them shows nothing. A long chain of equal stages is folded: each stage goes to a row of its own, so that
//! the picture stays as narrow as a page.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write;

use crate::ir::{BinaryOp, Block, Netlist, NodeId, Op, UnaryOp};

const STEP_X: usize = 130;
const STEP_Y: usize = 46;
const BOX_W: usize = 92;
const BOX_H: usize = 30;
const MARGIN: usize = 20;
/// Columns that a page shows well; wider pictures are folded.
const PAGE: usize = 9;

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
    let places = drawing.places();
    let columns = places.iter().map(|p| p.0).max().unwrap_or(0) + 1;
    let rows = places.iter().map(|p| p.1).max().unwrap_or(0) + 1;
    let (w, h) = (2 * MARGIN + columns * STEP_X, 2 * MARGIN + 24 + rows * STEP_Y);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"22\" font-size=\"14\">{}</text>\n",
        block.name()
    );
    let corner = |i: usize| (MARGIN + places[i].0 * STEP_X, MARGIN + 24 + places[i].1 * STEP_Y);
    for (to, from) in drawing.feeds.iter().enumerate() {
        for &from in from {
            let ((x0, y0), (x1, y1)) = (corner(from), corner(to));
            if x0 >= x1 && y1 == y0 + STEP_Y {
                // Down to the next stage of a folded chain.
                let (x0, y0, x1) = (x0 + BOX_W / 2, y0 + BOX_H, x1 + BOX_W / 2);
                let middle = (y0 + y1) / 2;
                let path = format!("M{x0} {y0}C{x0} {middle} {x1} {middle} {x1} {y1}");
                _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"#888\"/>");
                continue;
            }
            let (x0, y0, y1) = (x0 + BOX_W, y0 + BOX_H / 2, y1 + BOX_H / 2);
            let path = if x0 <= x1 {
                let middle = (x0 + x1) / 2;
                format!("M{x0} {y0}C{middle} {y0} {middle} {y1} {x1} {y1}")
            } else {
                // Backwards, from a register round to what stands before it.
                let (below, turn) = (y0.max(y1) + BOX_H / 2 + 6, 14);
                format!(
                    "M{x0} {y0}C{} {y0} {} {below} {x0} {below}H{x1}C{} {below} {} {y1} {x1} {y1}",
                    x0 + turn,
                    x0 + turn,
                    x1 - turn.min(x1),
                    x1 - turn.min(x1)
                )
            };
            _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"#888\"/>");
        }
    }
    for (i, &part) in drawing.parts.iter().enumerate() {
        let (x, y) = corner(i);
        let (text, width, fill, round) = drawing.label(part);
        _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{BOX_W}\" height=\"{BOX_H}\" rx=\"{round}\" fill=\"{fill}\" stroke=\"#333\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{text}</text>",
            x + BOX_W / 2,
            y + 19
        );
        if let Some(width) = width {
            _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\" font-size=\"9\" fill=\"#06c\">{width}</text>",
                x + BOX_W + 3,
                y + 11
            );
        }
    }
    out + "</svg>\n"
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

    /// True if the node is a box of its own. What a register chooses from is drawn without the choice.
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

    /// Text, width of the result, colour and roundness of a box.
    fn label(&self, part: Part) -> (String, Option<u32>, &'static str, usize) {
        let net = self.net;
        match part {
            Part::Output(i) => (net.outputs[i].name.clone(), None, "#fff", 14),
            Part::Instance(i) => {
                let instance = &net.instances[i];
                let width = instance.outputs.first().map(|&n| net.nodes[n].ty.width);
                (instance.block.name().to_string(), width, "#ffe9c9", 3)
            }
            Part::Node(id) => {
                let node = &net.nodes[id];
                let name = node.name.clone().unwrap_or_default();
                let (text, fill, round) = match node.op {
                    Op::Input => (name, "#fff", 14),
                    Op::Reg(_) => (format!("{name} \u{25B7}"), "#dcebff", 0),
                    Op::Binary(op, ..) => {
                        let sign = match op {
                            BinaryOp::Mul => "\u{00D7}",
                            BinaryOp::And => "and",
                            BinaryOp::Or => "or",
                            BinaryOp::Xor => "xor",
                            BinaryOp::Sub => "\u{2212}",
                            _ => "+",
                        };
                        (sign.to_string(), "#e6f5e0", 14)
                    }
                    Op::Unary(..) => ("\u{2212}".to_string(), "#e6f5e0", 14),
                    Op::Mux(..) => ("mux".to_string(), "#eee", 8),
                    Op::RomRead { rom, .. } => (net.roms[rom].name.clone(), "#f6e0f5", 3),
                    Op::RamRead { ram, .. } => (net.rams[ram].name.clone(), "#f6e0f5", 3),
                    _ => ("shift".to_string(), "#eee", 8),
                };
                (text, Some(node.ty.width), fill, round)
            }
        }
    }

    /// Column and row of each part: columns by the longest way from an input, rows near to what feeds them.
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

    /// The same rows, pushed to the left: what is fed from the row right above may stand anywhere below it, and only inputs stand in
    /// the first column.
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
