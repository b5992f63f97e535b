//! Cycle-accurate simulation: the design is flattened, sorted by dependence and compiled into a
//! short program of fixed-size instructions that runs once per clock.
//!
//! Within a cycle: set the inputs, read any signal (values before the edge), then
//! [`Simulator::step`] makes the rising edge. Signed values are kept sign-extended and unsigned
//! ones zero-extended in 64 bits, so that extension costs nothing and comparison is that of the
//! machine.

use std::collections::HashMap;

use hdl_engine::{Code, Instruction, Machine, Memory, Program, Source};

use crate::error::UseError;
use crate::flat::{Flat, flatten};
use crate::ir::{BinaryOp, Block, NodeId, Op, UnaryOp};
use crate::types::Type;

/// A handle of a signal, from [`Simulator::signal`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probe {
    slot: u32,
    ty: Type,
}

impl Probe {
    /// Width and signedness of the signal.
    pub fn ty(self) -> Type {
        self.ty
    }
}

/// A running design.
pub struct Simulator {
    machine: Machine,
    inputs: HashMap<String, Probe>,
    signals: HashMap<String, Probe>,
    names: Vec<String>,
    ports: (Vec<Probe>, Vec<Probe>),
    reset_name: Option<String>,
}

impl Simulator {
    /// Compiles `top`. All registers hold their initial values, inputs and memories are 0.
    pub fn new(top: &Block) -> Simulator {
        let flat = flatten(top);
        let mut compiler = Compiler::new(&flat);
        compiler.compile();
        let slot = |n: NodeId| compiler.slot[flat.source(n)].unwrap_or(0);
        let signals: HashMap<String, Probe> = (flat.names.iter())
            .map(|n| (n.path.clone(), Probe { slot: slot(n.node), ty: n.ty }))
            .collect();
        let probe = |n: &NodeId| Probe { slot: slot(*n), ty: flat.nodes[*n].ty };
        let ports: (Vec<Probe>, Vec<Probe>) =
            (flat.inputs.iter().map(probe).collect(), flat.outputs.iter().map(probe).collect());
        let inputs =
            top.inputs().iter().map(|p| p.name.clone()).zip(ports.0.iter().copied()).collect();
        let source = |n: &NodeId| {
            let Probe { slot, ty } = probe(n);
            Source { slot, signed: ty.signed, unused: (64 - ty.width) as u8 }
        };
        let rams = (flat.rams.iter())
            .map(|r| Memory { words: vec![0; r.depth], write: r.write.map(|w| w.map(slot)) })
            .collect();
        let machine = Machine::new(Program {
            code: compiler.code,
            slots: compiler.slots,
            inits: flat.regs.iter().map(|r| r.init).collect(),
            resettable: (0..flat.regs.len() as u32)
                .filter(|&i| flat.regs[i as usize].reset)
                .collect(),
            roms: flat.roms.iter().map(|r| r.words.clone()).collect(),
            rams,
            sources: flat.regs.iter().map(|r| &r.node).chain(&flat.inputs).map(source).collect(),
            watched: ports.1.iter().map(|p| p.slot).collect(),
        });
        Simulator {
            machine,
            inputs,
            signals,
            ports,
            names: flat.names.iter().map(|n| n.path.clone()).collect(),
            reset_name: top.reset().map(str::to_string),
        }
    }

    /// Sets an input of the top, or its reset, until it is set again.
    pub fn set(&mut self, input: &str, value: i64) -> Result<(), UseError> {
        if self.reset_name.as_deref() == Some(input) {
            self.machine.reset(value & 1 == 1);
            return Ok(());
        }
        let probe = self.input(input)?;
        if !probe.ty.holds(value) {
            return Err(UseError(format!(
                "input `{input}` is {} and cannot be {value}; it holds {} to {}",
                probe.ty,
                probe.ty.min(),
                probe.ty.max()
            )));
        }
        self.poke(probe, value);
        Ok(())
    }

    /// Handle of an input of the top, for [`Simulator::poke`].
    pub fn input(&self, name: &str) -> Result<Probe, UseError> {
        self.inputs.get(name).copied().ok_or_else(|| {
            let mut names: Vec<&str> = self.inputs.keys().map(String::as_str).collect();
            names.sort_unstable();
            UseError(format!("no input is called `{name}`; there are: {}", names.join(", ")))
        })
    }

    /// Handle of any named signal; inside instances with the path, as `u_fir.x1`.
    pub fn signal(&self, path: &str) -> Result<Probe, UseError> {
        self.signals.get(path).copied().ok_or_else(|| {
            UseError(format!("no signal is called `{path}`; there are: {}", self.names.join(", ")))
        })
    }

    /// The paths of all named signals, ports first, in the order of the design.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Handles of the top's inputs and outputs in the order of declaration.
    pub fn ports(&self) -> (&[Probe], &[Probe]) {
        (&self.ports.0, &self.ports.1)
    }

    /// Sets an input by its handle; a value that does not fit is wrapped.
    pub fn poke(&mut self, input: Probe, value: i64) {
        self.machine.poke(input.slot, input.ty.wrap(value));
    }

    /// Value of a signal in this cycle, before the edge.
    pub fn get(&mut self, path: &str) -> Result<i64, UseError> {
        let probe = self.signal(path)?;
        Ok(self.peek(probe))
    }

    /// Value of a signal by its handle.
    pub fn peek(&mut self, signal: Probe) -> i64 {
        self.machine.peek(signal.slot)
    }

    /// Clock edges since power-up.
    pub fn cycles(&self) -> u64 {
        self.machine.cycles()
    }

    /// One rising edge of the clock.
    pub fn step(&mut self) {
        self.machine.step();
    }

    /// `n` rising edges with the inputs as they are.
    pub fn run(&mut self, n: u64) {
        for _ in 0..n {
            self.step();
        }
    }

    /// As after switching the power on: registers at their initial values, memories 0. Inputs stay
    /// as they are.
    pub fn power_cycle(&mut self) {
        self.machine.power_cycle();
    }
}

struct Compiler<'a> {
    flat: &'a Flat,
    /// Where the value of each computing node lies, once placed.
    slot: Vec<Option<u32>>,
    /// The next-value slot that a node may write directly.
    home: HashMap<NodeId, u32>,
    constants: HashMap<i64, u32>,
    slots: Vec<i64>,
    code: Vec<Instruction>,
}

impl<'a> Compiler<'a> {
    fn new(flat: &'a Flat) -> Compiler<'a> {
        Compiler {
            flat,
            slot: vec![None; flat.nodes.len()],
            home: HashMap::new(),
            constants: HashMap::new(),
            slots: Vec::new(),
            code: Vec::new(),
        }
    }

    fn compile(&mut self) {
        let flat = self.flat;
        let regs = flat.regs.len();
        self.slots = flat.regs.iter().chain(&flat.regs).map(|r| r.init).collect();
        for (i, reg) in flat.regs.iter().enumerate() {
            self.slot[reg.node] = Some(i as u32);
        }
        for &input in &flat.inputs {
            self.slot[input] = Some(self.fresh(0));
        }
        for (i, reg) in flat.regs.iter().enumerate() {
            self.home.entry(flat.source(reg.next)).or_insert((regs + i) as u32);
        }
        let mut roots: Vec<NodeId> = flat.regs.iter().map(|r| r.next).collect();
        roots.extend(flat.names.iter().map(|n| n.node));
        roots.extend(&flat.outputs);
        roots.extend(flat.rams.iter().filter_map(|r| r.write).flatten());
        for root in roots {
            self.place(flat.source(root));
        }
        for (i, reg) in flat.regs.iter().enumerate() {
            let (from, to) = (self.slot[flat.source(reg.next)].unwrap_or(0), (regs + i) as u32);
            if from != to {
                self.emit(Code::Copy, reg.node, [from, 0, 0], to);
            }
        }
        if self.slots.is_empty() {
            self.slots.push(0);
        }
    }

    fn fresh(&mut self, value: i64) -> u32 {
        self.slots.push(value);
        (self.slots.len() - 1) as u32
    }

    fn constant(&mut self, value: i64) -> u32 {
        if let Some(&slot) = self.constants.get(&value) {
            return slot;
        }
        let slot = self.fresh(value);
        self.constants.insert(value, slot);
        slot
    }

    /// Places a node and before it all that it reads, with a stack of its own since expressions may
    /// be deep.
    fn place(&mut self, root: NodeId) {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.slot[id].is_some() {
                stack.pop();
                continue;
            }
            let operands: Vec<NodeId> = self.flat.nodes[id]
                .op
                .operands()
                .into_iter()
                .map(|n| self.flat.source(n))
                .collect();
            let missing: Vec<NodeId> =
                operands.into_iter().filter(|&n| self.slot[n].is_none()).collect();
            if missing.is_empty() {
                self.lower(id);
                stack.pop();
            } else {
                stack.extend(missing);
            }
        }
    }

    fn at(&self, id: NodeId) -> u32 {
        self.slot[self.flat.source(id)].unwrap_or(0)
    }

    fn emit(&mut self, code: Code, node: NodeId, [a, b, c]: [u32; 3], dst: u32) {
        let ty = self.flat.nodes[node].ty;
        let unused = (64 - ty.width) as u8;
        self.code.push(Instruction { code, signed: ty.signed, unused, a, b, c, dst });
    }

    fn lower(&mut self, id: NodeId) {
        let node = &self.flat.nodes[id];
        let ty_of = |n: NodeId| self.flat.nodes[n].ty;
        let at = |n: NodeId| self.at(n);
        let (code, args) = match &node.op {
            // Extended values are already right, so the node is just another name.
            Op::Extend(a) => {
                self.slot[id] = Some(at(*a));
                return;
            }
            Op::Const(value) => {
                self.slot[id] = Some(self.constant(*value));
                return;
            }
            Op::Poison | Op::Input | Op::Wire(_) | Op::Reg(_) | Op::InstanceOutput { .. } => {
                self.slot[id] = Some(self.constant(0));
                return;
            }
            Op::Concat(parts) => {
                self.join(id, parts);
                return;
            }
            Op::IsState { node, state, .. } => {
                let a = at(*node);
                (Code::Eq, [a, self.constant(*state as i64), 0])
            }
            Op::Unary(UnaryOp::Not, a) => (Code::Not, [at(*a), 0, 0]),
            Op::Unary(UnaryOp::Neg, a) => (Code::Neg, [at(*a), 0, 0]),
            Op::Binary(op, a, b) => {
                let signed = ty_of(*a).signed;
                let code = match op {
                    BinaryOp::And => Code::And,
                    BinaryOp::Or => Code::Or,
                    BinaryOp::Xor => Code::Xor,
                    BinaryOp::Add => Code::Add,
                    BinaryOp::Sub => Code::Sub,
                    BinaryOp::Mul => Code::Mul,
                    BinaryOp::Eq => Code::Eq,
                    BinaryOp::Ne => Code::Ne,
                    BinaryOp::Lt if signed => Code::Lt,
                    BinaryOp::Lt => Code::LtUnsigned,
                    BinaryOp::Le if signed => Code::Le,
                    BinaryOp::Le => Code::LeUnsigned,
                };
                (code, [at(*a), at(*b), 0])
            }
            Op::Mux(c, a, b) => (Code::Mux, [at(*c), at(*a), at(*b)]),
            Op::Shift { left: true, value, by } => (Code::Shl, [at(*value), 0, *by]),
            Op::Shift { left: false, value, by } => {
                let code = if node.ty.signed { Code::Shr } else { Code::ShrUnsigned };
                (code, [at(*value), 0, *by])
            }
            Op::ShiftBy { left, value, by } => {
                let code = match (left, node.ty.signed) {
                    (true, _) => Code::ShlBy,
                    (false, true) => Code::ShrBy,
                    (false, false) => Code::ShrByUnsigned,
                };
                (code, [at(*value), at(*by), 0])
            }
            Op::Slice { value, lo } => (Code::ShrUnsigned, [at(*value), 0, *lo]),
            Op::Cast(a) => (Code::Wrap, [at(*a), 0, 0]),
            Op::RomRead { rom, address } => (Code::Rom, [at(*address), 0, *rom as u32]),
            Op::RamRead { ram, address } => (Code::Ram, [at(*address), 0, *ram as u32]),
        };
        let dst = self.destination(id);
        self.emit(code, id, args, dst);
    }

    fn destination(&mut self, id: NodeId) -> u32 {
        let dst = match self.home.get(&id) {
            Some(&home) => home,
            None => self.fresh(0),
        };
        self.slot[id] = Some(dst);
        dst
    }

    /// Joins the parts from the top down; signed parts lose their copied signs first.
    fn join(&mut self, id: NodeId, parts: &[NodeId]) {
        let mut so_far: Option<u32> = None;
        for (i, &part) in parts.iter().enumerate() {
            let ty = self.flat.nodes[part].ty;
            let mut slot = self.at(part);
            if ty.signed {
                let plain = self.fresh(0);
                let unused = (64 - ty.width) as u8;
                self.code.push(Instruction {
                    code: Code::Wrap,
                    signed: false,
                    unused,
                    a: slot,
                    b: 0,
                    c: 0,
                    dst: plain,
                });
                slot = plain;
            }
            so_far = Some(match so_far {
                None => slot,
                Some(above) => {
                    let dst =
                        if i + 1 == parts.len() { self.destination(id) } else { self.fresh(0) };
                    self.emit(Code::Join, id, [above, slot, ty.width], dst);
                    dst
                }
            });
        }
        self.slot[id] = self.slot[id].or(so_far);
    }
}
