//! What a design costs: counts by fixed rules, so that two architectures can be compared without any tool.
//!
//! The rules, for one node of `w` bits:
//!
//! | part | cost |
//! |---|---|
//! | register | w flip-flops; clock enable and clear to 0 are free; a choice of n values (2n - 1 inputs) is packed |
//! | sum, difference, negation, a choice of sum or difference | w LUTs, a carry chain |
//! | `<`, `<=` | w LUTs, a carry chain |
//! | `==`, `!=` | a tree of LUTs over 2w inputs (w where one side is a constant) |
//! | and, or, xor, not, mux | what one expression joins is packed: (inputs - 1) / 3 LUTs a bit, rounded up |
//! | shift by a signal | w LUTs per bit of the distance |
//! | shift by a constant, slice, join, extension | wires |
//! | product in blocks | one 18x18 block per 18x18 part (17 bits of an unsigned factor); none for 0 and powers of two |
//! | product in logic | 3 LUTs per bit of both factors; by a constant an adder per further 1 in it |
//! | ROM, RAM read at once | a LUT holds 16 bits; larger ones add a mux tree |
//! | RAM of more than 512 bits, read only into registers | block RAM bits |
//!
//! Where a sum sits behind a mux, or constants meet, real tools do better; the estimate is made to be within 30 % of
//! Yosys on the designs of the labs.

use serde::{Deserialize, Serialize};

use crate::check::for_each_root;
use crate::flat::{Flat, flatten};
use crate::ir::{BinaryOp, Block, Netlist, NodeId, Op, UnaryOp};

/// A chip: what it holds, and how fast its parts are (typical values for estimates, not a data sheet).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Device {
    /// Name of the part.
    pub name: &'static str,
    /// 4-input look-up tables.
    pub luts: u32,
    /// Flip-flops.
    pub ffs: u32,
    /// Multiplier blocks, 18x18 signed.
    pub multipliers: u32,
    /// Bits of block RAM.
    pub ram_bits: u32,
    /// LUTs (and flip-flops) per slice.
    pub luts_per_slice: u32,
    /// One LUT with the wire to it.
    pub lut_ns: f64,
    /// One bit of a carry chain.
    pub carry_ns: f64,
    /// A multiplier block with the wires around it.
    pub multiplier_ns: f64,
    /// Out of one register and into the next.
    pub register_ns: f64,
}

impl Device {
    /// The chip of the laboratory's board.
    pub const XC3S700A: Device = Device {
        name: "XC3S700A",
        luts: 11_776,
        ffs: 11_776,
        multipliers: 20,
        ram_bits: 360 * 1024,
        luts_per_slice: 2,
        lut_ns: 1.6,
        carry_ns: 0.06,
        multiplier_ns: 5.5,
        register_ns: 1.4,
    };
    /// Lattice iCE40 HX8K: no multipliers.
    pub const HX8K: Device = Device {
        name: "HX8K",
        luts: 7680,
        ffs: 7680,
        multipliers: 0,
        ram_bits: 128 * 1024,
        luts_per_slice: 8,
        lut_ns: 1.3,
        carry_ns: 0.13,
        multiplier_ns: 0.0,
        register_ns: 1.2,
    };
    /// Lattice ECP5-25.
    pub const ECP5_25: Device = Device {
        name: "ECP5-25",
        luts: 24_288,
        ffs: 24_288,
        multipliers: 28,
        ram_bits: 1008 * 1024,
        luts_per_slice: 2,
        lut_ns: 1.1,
        carry_ns: 0.04,
        multiplier_ns: 4.0,
        register_ns: 1.1,
    };

    /// All chips of the table.
    pub const ALL: [Device; 3] = [Device::XC3S700A, Device::HX8K, Device::ECP5_25];
}

/// Where products are built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Multipliers {
    /// In multiplier blocks.
    Blocks,
    /// In look-up tables.
    Logic,
}

/// Parts that a design takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Count {
    /// 4-input look-up tables.
    pub luts: u32,
    /// Flip-flops.
    pub ffs: u32,
    /// 18x18 multiplier blocks.
    pub multipliers: u32,
    /// Bits of block RAM.
    pub ram_bits: u32,
}

impl Count {
    fn add(&mut self, other: Count, times: u32) {
        self.luts += other.luts * times;
        self.ffs += other.ffs * times;
        self.multipliers += other.multipliers * times;
        self.ram_bits += other.ram_bits * times;
    }

    /// Slices at the least: as many as the LUTs or the flip-flops fill, whichever are more.
    pub fn slices(self, device: &Device) -> u32 {
        self.luts.max(self.ffs).div_ceil(device.luts_per_slice)
    }

    /// How often this fits into `device` beside `taken`, and what runs out first.
    pub fn fits(self, device: &Device, taken: Count) -> (u32, &'static str) {
        let times = |have: u32, taken: u32, need: u32| {
            have.saturating_sub(taken).checked_div(need).unwrap_or(u32::MAX)
        };
        let all = [
            (times(device.luts, taken.luts, self.luts), "LUTs"),
            (times(device.ffs, taken.ffs, self.ffs), "flip-flops"),
            (times(device.multipliers, taken.multipliers, self.multipliers), "multiplier blocks"),
            (times(device.ram_bits, taken.ram_bits, self.ram_bits), "block RAM"),
        ];
        all.into_iter().min_by_key(|(n, _)| *n).unwrap_or((0, "LUTs"))
    }
}

/// What the communication block takes: see [`crate::board`].
pub const RIMLAB00: Count = Count { luts: 535, ffs: 239, multipliers: 0, ram_bits: 2 * 1024 * 16 };

/// One module of the design.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ModuleCount {
    /// Name of the module.
    pub module: String,
    /// How often it stands in the design.
    pub instances: u32,
    /// One of them, without the modules inside.
    pub own: Count,
}

/// The estimate of a design for a device.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The device.
    pub device: Device,
    /// All parts together.
    pub total: Count,
    /// See [`Count::slices`].
    pub slices: u32,
    /// Module by module, the inner ones first.
    pub modules: Vec<ModuleCount>,
    /// Most LUTs, carry chains and multipliers in a row between two registers.
    pub depth: u32,
    /// Estimated clock: the slowest path with the device's typical delays.
    pub mhz: f64,
}

impl Estimate {
    /// Counts `top` for `device`.
    pub fn new(top: &Block, device: &Device, multipliers: Multipliers) -> Estimate {
        // A device without blocks builds everything in logic.
        let style = if device.multipliers == 0 { Multipliers::Logic } else { multipliers };
        let blocks = top.hierarchy();
        let mut modules: Vec<ModuleCount> = Vec::new();
        let mut total = Count::default();
        for block in &blocks {
            let instances =
                if block.name() == top.name() { 1 } else { occurrences(top, block.name()) };
            let own = Counter::new(&block.0, style).count();
            total.add(own, instances);
            modules.push(ModuleCount { module: block.name().to_string(), instances, own });
        }
        let (depth, path_ns) = slowest_path(&flatten(top), device, style);
        Estimate {
            device: *device,
            total,
            slices: total.slices(device),
            modules,
            depth,
            mhz: 1000.0 / (device.register_ns + path_ns),
        }
    }
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{:<20} {:>5} {:>7} {:>7} {:>6} {:>9}",
            "module", "times", "LUT", "FF", "MULT", "RAM bits"
        )?;
        let mut line = |name: &str, n: u32, c: &Count| {
            writeln!(
                f,
                "{name:<20} {n:>5} {:>7} {:>7} {:>6} {:>9}",
                c.luts, c.ffs, c.multipliers, c.ram_bits
            )
        };
        for module in &self.modules {
            line(&module.module, module.instances, &module.own)?;
        }
        line("total", 1, &self.total)?;
        let d = &self.device;
        line(
            &format!("of {}", d.name),
            1,
            &Count { luts: d.luts, ffs: d.ffs, multipliers: d.multipliers, ram_bits: d.ram_bits },
        )?;
        write!(
            f,
            "about {} slices, {} levels of logic, {:.0} MHz (estimates)",
            self.slices, self.depth, self.mhz
        )
    }
}

fn occurrences(top: &Block, name: &str) -> u32 {
    let here = top.0.instances.iter();
    here.map(|i| u32::from(i.block.name() == name) + occurrences(&i.block, name)).sum()
}

/// LUTs of a tree that joins `inputs` bits into one.
fn tree(inputs: u32) -> u32 {
    inputs.saturating_sub(1).div_ceil(3)
}

/// LUTs of a memory read at once, per bit of a word.
fn table_luts(address: u32) -> u32 {
    match address {
        0..=4 => 1,
        more => {
            let tables = 1 << (more - 4);
            // A mux of two takes a LUT.
            tables + tables - 1
        }
    }
}

/// Multiplier blocks of a product, or LUTs in logic.
fn product(
    widths: [u32; 2],
    signed: bool,
    constants: [Option<i64>; 2],
    style: Multipliers,
) -> Count {
    let constant = constants[0].or(constants[1]);
    if let Some(c) = constant {
        let ones = c.unsigned_abs().count_ones();
        let (data, factor) =
            if constants[0].is_some() { (widths[1], widths[0]) } else { (widths[0], widths[1]) };
        if ones <= 1 {
            return Count { luts: if c < 0 { data } else { 0 }, ..Count::default() };
        }
        if style == Multipliers::Logic {
            return Count { luts: (ones - 1) * (data + factor / 2), ..Count::default() };
        }
    }
    match style {
        Multipliers::Logic => Count { luts: 3 * widths[0] * widths[1], ..Count::default() },
        Multipliers::Blocks => {
            // An unsigned factor leaves the sign bit of the block unused; a wider one is cut into 17-bit parts.
            let parts =
                |w: u32| if signed && w <= 18 { 1 } else { (w - u32::from(signed)).div_ceil(17) };
            Count { multipliers: parts(widths[0]) * parts(widths[1]), ..Count::default() }
        }
    }
}

/// Follows second names to what computes the value.
fn source(net: &Netlist, mut id: NodeId) -> NodeId {
    while let Op::Wire(Some(driver)) = net.nodes[id].op {
        id = driver;
    }
    id
}

struct Counter<'n> {
    net: &'n Netlist,
    style: Multipliers,
    uses: Vec<u32>,
    live: Vec<bool>,
    /// Bitwise nodes that are packed into the one that reads them.
    packed: Vec<bool>,
}

impl<'n> Counter<'n> {
    fn new(net: &'n Netlist, style: Multipliers) -> Counter<'n> {
        let mut counter = Counter {
            net,
            style,
            uses: vec![0; net.nodes.len()],
            live: vec![false; net.nodes.len()],
            packed: vec![],
        };
        let mut todo: Vec<NodeId> = Vec::new();
        for reg in &net.regs {
            let (values, conditions) = counter.choices(reg.node, reg.next);
            todo.extend(values.into_iter().chain(conditions));
        }
        // Statements are counted through the registers' next values; outputs, memories and instances as they are.
        let written = Netlist { regs: vec![], processes: vec![], ..net.clone() };
        for_each_root(&written, |n| todo.push(n));
        todo.iter().for_each(|&n| counter.uses[source(net, n)] += 1);
        while let Some(id) = todo.pop() {
            let id = source(net, id);
            if !std::mem::replace(&mut counter.live[id], true) {
                for n in net.nodes[id].op.operands() {
                    counter.uses[source(net, n)] += 1;
                    todo.push(n);
                }
            }
        }
        counter.packed = (0..net.nodes.len()).map(|_| false).collect();
        for id in 0..net.nodes.len() {
            if counter.live[id] && counter.bitwise(id) {
                for n in net.nodes[id].op.operands().into_iter().map(|n| source(net, n)) {
                    if counter.bitwise(n) && counter.uses[n] == 1 {
                        counter.packed[n] = true;
                    }
                }
            }
        }
        counter
    }

    /// What can go into a register: the values and conditions of the choice in front of it. Keeping its own value
    /// is the clock enable and a constant 0 the clear input, which are free.
    fn choices(&self, register: NodeId, next: NodeId) -> (Vec<NodeId>, Vec<NodeId>) {
        let (mut values, mut conditions) = (Vec::new(), Vec::new());
        let mut seen = std::collections::HashSet::new();
        let mut todo = vec![next];
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            let (list, entry) = match self.net.nodes[id].op {
                Op::Mux(c, a, b) => {
                    todo.extend([a, b]);
                    (&mut conditions, source(self.net, c))
                }
                _ if id == register || self.constant(id) == Some(0) => continue,
                _ => (&mut values, source(self.net, id)),
            };
            if !list.contains(&entry) {
                list.push(entry);
            }
        }
        (values, conditions)
    }

    fn register_luts(&self) -> u32 {
        let one = |reg: &crate::ir::Register| {
            let (values, conditions) = self.choices(reg.node, reg.next);
            let signals = values.iter().filter(|&&v| self.constant(v).is_none()).count() as u32;
            let constants = u32::from(values.len() as u32 > signals);
            let selects = (signals + constants).saturating_sub(1);
            let data = if signals + constants > 1 { tree(signals + selects) } else { 0 };
            reg.ty.width * data + tree(conditions.len() as u32)
        };
        self.net.regs.iter().map(one).sum()
    }

    /// `c ? a + b : a - b` is one chain that adds or subtracts.
    fn add_or_subtract(&self, id: NodeId) -> Option<NodeId> {
        let Op::Mux(_, a, b) = self.net.nodes[id].op else { return None };
        let (a, b) = (source(self.net, a), source(self.net, b));
        let sum = |n: NodeId| match self.net.nodes[n].op {
            Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), x, y) if self.uses[n] == 1 => {
                Some((op, source(self.net, x), source(self.net, y)))
            }
            _ => None,
        };
        let ((first, x, y), (second, u, v)) = (sum(a)?, sum(b)?);
        (first != second && (x, y) == (u, v)).then_some(a)
    }

    fn constant(&self, id: NodeId) -> Option<i64> {
        match self.net.nodes[source(self.net, id)].op {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }

    fn bitwise(&self, id: NodeId) -> bool {
        matches!(
            self.net.nodes[id].op,
            Op::Unary(UnaryOp::Not, _)
                | Op::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, ..)
                | Op::Mux(..)
        )
    }

    /// Inputs of the packed expression that ends at `id`; constants cost nothing.
    fn leaves(&self, id: NodeId, found: &mut Vec<NodeId>) {
        for n in self.net.nodes[id].op.operands().into_iter().map(|n| source(self.net, n)) {
            if self.packed[n] && self.uses[n] == 1 {
                self.leaves(n, found);
            } else if self.constant(n).is_none() && !found.contains(&n) {
                found.push(n);
            }
        }
    }

    fn count(&self) -> Count {
        let net = self.net;
        let mut count = Count {
            luts: self.register_luts(),
            ffs: net.regs.iter().map(|r| r.ty.width).sum(),
            ..Count::default()
        };
        let mut free = vec![false; net.nodes.len()];
        for id in (0..net.nodes.len()).filter(|&id| self.live[id]) {
            if let Some(other) = self.add_or_subtract(id) {
                (free[id], free[other]) = (true, true);
            }
        }
        for (id, node) in net.nodes.iter().enumerate().filter(|(id, _)| self.live[*id]) {
            let w = node.ty.width;
            count.luts += match node.op {
                _ if free[id] => 0,
                _ if self.bitwise(id) => {
                    let mut leaves = Vec::new();
                    if !self.packed[id] {
                        self.leaves(id, &mut leaves);
                    }
                    w * tree(leaves.len() as u32)
                }
                Op::Unary(UnaryOp::Neg, _) | Op::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => w,
                Op::Binary(BinaryOp::Lt | BinaryOp::Le, a, _) => net.nodes[a].ty.width,
                Op::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
                    let sides = if self.constant(a).is_some() || self.constant(b).is_some() {
                        1
                    } else {
                        2
                    };
                    tree(sides * net.nodes[a].ty.width)
                }
                Op::IsState { node, .. } => tree(net.nodes[node].ty.width),
                Op::Binary(_, a, b) => {
                    let widths = [net.nodes[a].ty.width, net.nodes[b].ty.width];
                    let cost = product(
                        widths,
                        node.ty.signed,
                        [self.constant(a), self.constant(b)],
                        self.style,
                    );
                    count.multipliers += cost.multipliers;
                    cost.luts
                }
                Op::ShiftBy { by, .. } => w * net.nodes[by].ty.width,
                Op::RomRead { address, .. } => w * table_luts(net.nodes[address].ty.width),
                Op::RamRead { ram, address } if !self.in_blocks(ram) => {
                    w * table_luts(net.nodes[address].ty.width)
                }
                _ => 0,
            };
        }
        for (i, ram) in net.rams.iter().enumerate() {
            if self.in_blocks(i) {
                count.ram_bits += ram.depth as u32 * ram.ty.width;
            }
        }
        count
    }

    fn in_blocks(&self, ram: usize) -> bool {
        let data = &self.net.rams[ram];
        let registered = |id: NodeId| self.net.regs.iter().any(|r| r.data == Some(id));
        let mut reads = (0..self.net.nodes.len()).filter(|&id| {
            self.live[id] && matches!(self.net.nodes[id].op, Op::RamRead { ram: r, .. } if r == ram)
        });
        data.depth as u32 * data.ty.width > 512
            && reads.all(|id| self.uses[id] == 1 && registered(id))
    }
}

/// Levels and nanoseconds of the slowest way between registers, ports included.
fn slowest_path(flat: &Flat, device: &Device, style: Multipliers) -> (u32, f64) {
    let n = flat.nodes.len();
    let mut best: Vec<Option<(u32, f64)>> = vec![None; n];
    let mut worst = (0u32, 0.0f64);
    let ends = flat.regs.iter().map(|r| r.next).chain(flat.outputs.iter().copied());
    for end in ends.chain(flat.rams.iter().filter_map(|r| r.write).flatten()) {
        let mut stack = vec![flat.source(end)];
        while let Some(&id) = stack.last() {
            let operands: Vec<NodeId> =
                flat.nodes[id].op.operands().into_iter().map(|n| flat.source(n)).collect();
            let before = stack.len();
            stack.extend(operands.iter().filter(|&&o| best[o].is_none()));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let (mut levels, mut ns) = (0, 0.0f64);
            for o in &operands {
                let (l, t) = best[*o].unwrap_or((0, 0.0));
                levels = levels.max(l);
                ns = ns.max(t);
            }
            let (more, time) = delay(flat, id, device, style);
            best[id] = Some((levels + more, ns + time));
        }
        let (levels, ns) = best[flat.source(end)].unwrap_or((0, 0.0));
        worst = (worst.0.max(levels), worst.1.max(ns));
    }
    worst
}

/// Levels and time that one node adds.
fn delay(flat: &Flat, id: NodeId, device: &Device, style: Multipliers) -> (u32, f64) {
    let node = &flat.nodes[id];
    let width = |n: NodeId| flat.nodes[n].ty.width;
    let luts = |n: u32| (n, f64::from(n) * device.lut_ns);
    let chain = |w: u32| (1, device.lut_ns + f64::from(w) * device.carry_ns);
    match node.op {
        Op::Unary(UnaryOp::Not, _) => (0, 0.0),
        Op::Unary(UnaryOp::Neg, _) | Op::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => {
            chain(node.ty.width)
        }
        Op::Binary(BinaryOp::Lt | BinaryOp::Le, a, _) => chain(width(a)),
        Op::Binary(BinaryOp::Eq | BinaryOp::Ne, a, _) => luts(if width(a) <= 2 { 1 } else { 2 }),
        Op::Binary(BinaryOp::Mul, a, b) => {
            let constant = |n: NodeId| match flat.nodes[flat.source(n)].op {
                Op::Const(c) => Some(c.unsigned_abs().count_ones()),
                _ => None,
            };
            let rows = constant(a).or(constant(b)).unwrap_or(width(a).min(width(b)));
            match (rows, style) {
                (0..=1, _) => (0, 0.0),
                (_, Multipliers::Blocks) => (1, device.multiplier_ns),
                (rows, Multipliers::Logic) => {
                    let levels = u32::BITS - (rows - 1).leading_zeros();
                    let (_, one) = chain(node.ty.width);
                    (levels, f64::from(levels) * one)
                }
            }
        }
        Op::Binary(..) | Op::Mux(..) | Op::IsState { .. } => luts(1),
        Op::ShiftBy { by, .. } => luts(width(by)),
        Op::RomRead { address, .. } | Op::RamRead { address, .. } => {
            luts(1 + width(address).saturating_sub(4))
        }
        _ => (0, 0.0),
    }
}
