//! Code generation: from the typed tree to bytecode.
//!
//! One walk over the tree does most of the work. While it walks, the generator keeps for every
//! scalar of every variable what is known of its value ([`value::Val`]): a constant, a register, a
//! register plus a constant, an address. Constants therefore fold and propagate by themselves,
//! unrolled loops see their counter as a constant, calls are inlined, and arrays that are only
//! indexed by constants live in registers. Where control flow joins, a variable that may have
//! changed is brought to its *home* register.
//!
//! Two things are found out only on the way: that a variable needs memory after all (indexed by a
//! run-time value), and that a variable may be read before it is assigned. Then the fact is noted
//! and the walk starts again.

mod arith;
mod builtin;
mod emit;
mod expr;
mod finish;
mod inline;
mod jumps;
mod loops;
mod operands;
mod place;
mod routine;
mod scan;
mod stmt;
mod value;

use std::collections::{HashMap, HashSet};

use crate::bytecode::{
    BarInfo, CallInfo, Code, Inst, MemInfo, NONE, Op, Preset, Reg, RoutineInfo, StopInfo,
    SwitchInfo, VarInfo, VarLoc,
};
use crate::diag::Diagnostic;
use crate::hir::{ExprKind, FuncId, LocalId, Module, Storage, Ty};
use crate::order;
use emit::{Emitter, Label};
use value::{Place, Val, bank, flatten};
pub use value::{field_leaf, leaf_count};

/// Most instructions of a kernel.
const MAX_INSTS: usize = 400_000;
/// Most scalars of a variable that lives in registers.
const MAX_LEAVES: usize = 256;
/// Most thread-local memory in bytes.
const MAX_LOCAL: u32 = 512 * 1024;
/// Most calls that are expanded in a kernel.
const MAX_CALLS: u32 = 50_000;
/// Deepest nesting of calls.
const MAX_DEPTH: usize = 64;

/// Why the walk stopped.
enum Stop {
    /// A fact was learned: start again.
    Restart,
    Error(Box<Diagnostic>),
}

type Res<T> = Result<T, Stop>;

/// What earlier walks have found out.
#[derive(Clone, Default)]
struct Facts {
    /// Variables that live in thread-local memory.
    memory: HashSet<(FuncId, LocalId)>,
    /// Variables whose assignment is watched at run time.
    tracked: HashSet<(FuncId, LocalId)>,
}

/// A variable.
struct Var {
    func: FuncId,
    /// `None` for the generator's own.
    local: Option<LocalId>,
    kind: VarKind,
    /// A pointer to it exists.
    exposed: bool,
}

#[derive(Clone, Copy)]
enum VarKind {
    /// In registers: first leaf and number of leaves.
    Leaves(usize, usize),
    Shared(u32),
    Local(u32),
    /// In the memory of a routine's call: bytes from its beginning.
    Frame(u32),
}

/// One scalar of a variable that lives in registers.
#[derive(Clone)]
struct Leaf {
    ty: Ty,
    home: Option<Reg>,
    /// Mask slot that says which lanes have assigned it; for tracked variables.
    slot: Option<u32>,
    name: u32,
    state: LeafState,
}

#[derive(Clone, PartialEq)]
struct LeafState {
    val: Val,
    /// Every lane has assigned it.
    assigned: bool,
}

/// Everything that a branch may change and the other side must not see.
#[derive(Clone)]
struct Snapshot {
    states: Vec<LeafState>,
    dead: bool,
}

/// A call in progress.
struct Frame {
    func: FuncId,
    vars: Vec<Option<usize>>,
    ret: Return,
    targets: Vec<Target>,
}

/// What `return` does.
enum Return {
    /// The lanes end.
    Kernel,
    /// The only `return` is the last statement: its value is simply the call's value.
    Value(Vec<Val>),
    /// Lanes leave to a slot; the value goes into leaves.
    Slot { slot: u32, leaves: Vec<usize>, outer: Vec<usize> },
}

/// What `break`, `continue` and `goto` refer to.
struct Target {
    kind: TargetKind,
    /// Slot of lanes that leave; the next one is for those that go on with the next round.
    slot: u32,
    /// Leaves to bring home before leaving.
    leaves: Vec<usize>,
    /// Definitely assigned at every exit so far.
    exit: Option<Vec<bool>>,
    /// The same for `continue`.
    next: Option<Vec<bool>>,
}

#[derive(Clone, Copy, PartialEq)]
enum TargetKind {
    Loop,
    Switch,
    /// The end of labelled statements.
    Label(u32),
    /// The beginning of labelled statements.
    Again(u32),
}

/// A function that kernels or others of its kind call.
struct Routine {
    func: FuncId,
    entry: Label,
    /// Registers of the scalars of each parameter.
    params: Vec<Vec<Reg>>,
    info: RoutineInfo,
}

/// The routine that is being written.
struct CurrentRoutine {
    /// Register with the address of the call's memory.
    base: Reg,
    /// Bytes of it in use.
    bytes: u32,
}

struct Lower<'m> {
    module: &'m Module,
    contract: bool,
    debug: bool,
    eval: Evaluate,
    stops: Vec<StopInfo>,
    facts: Facts,
    kernel: FuncId,
    emit: Emitter,
    vars: Vec<Var>,
    leaves: Vec<Leaf>,
    frames: Vec<Frame>,
    /// No lane can be here.
    dead: bool,
    /// Values of operands are held while other operands are computed.
    holding: u32,
    /// A bit-field is being stored: see [`crate::bytecode::MemInfo::partial`].
    partial: bool,
    /// Calls expanded so far.
    inlined: u32,
    slots: u32,
    /// Where control goes when no lane is left, innermost last.
    skips: Vec<Label>,
    /// Enclosing statements that part lanes.
    around: Vec<(u32, crate::source::Span)>,
    mems: Vec<MemInfo>,
    calls: Vec<CallInfo>,
    bars: Vec<BarInfo>,
    switches: Vec<SwitchInfo>,
    shared: Vec<VarInfo>,
    shared_index: HashMap<(FuncId, LocalId), u32>,
    locals: Vec<VarInfo>,
    local_bytes: u32,
    routines: Vec<Routine>,
    /// The routine that is being written.
    current: Option<CurrentRoutine>,
    tracked: Vec<String>,
    strings: Vec<u8>,
    string_index: HashMap<String, u64>,
    ordered_atomics: bool,
    /// A fact was learned that the code so far does not know of.
    incomplete: bool,
}

/// Value of an operation on constants (register bits of up to three operands, the immediate);
/// `None` if it faults. The executor gives its own arithmetic, so that what is folded equals what
/// is computed at run time, bit for bit.
pub type Evaluate = fn(Op, [u64; 3], i32) -> Option<u64>;

/// Generates the code of the kernel `func`. `contract`: fuse multiplications with additions;
/// `debug`: stop at statements, keep every variable in registers of its own; `eval`: folds
/// constants.
///
/// # Errors
/// If the code becomes too large, or the kernel uses something that cannot be done.
pub(crate) fn kernel(
    module: &Module,
    func: FuncId,
    contract: bool,
    debug: bool,
    eval: Evaluate,
) -> Result<Code, Diagnostic> {
    let mut facts = Facts::default();
    loop {
        let mut lower = Lower::new(module, func, contract, eval, facts);
        lower.debug = debug;
        match lower.run() {
            Ok(()) => return lower.finish(),
            Err(Stop::Restart) => facts = lower.facts,
            Err(Stop::Error(diagnostic)) => return Err(*diagnostic),
        }
    }
}

impl<'m> Lower<'m> {
    fn new(
        module: &'m Module,
        kernel: FuncId,
        contract: bool,
        eval: Evaluate,
        facts: Facts,
    ) -> Lower<'m> {
        Lower {
            module,
            contract,
            debug: false,
            eval,
            stops: Vec::new(),
            facts,
            kernel,
            emit: Emitter::default(),
            vars: Vec::new(),
            leaves: Vec::new(),
            frames: Vec::new(),
            dead: false,
            holding: 0,
            partial: false,
            inlined: 0,
            slots: 0,
            skips: Vec::new(),
            around: Vec::new(),
            mems: Vec::new(),
            calls: Vec::new(),
            bars: Vec::new(),
            switches: Vec::new(),
            shared: Vec::new(),
            shared_index: HashMap::new(),
            locals: Vec::new(),
            local_bytes: 0,
            routines: Vec::new(),
            current: None,
            tracked: Vec::new(),
            strings: Vec::new(),
            string_index: HashMap::new(),
            ordered_atomics: false,
            incomplete: false,
        }
    }

    fn run(&mut self) -> Res<()> {
        self.lay_out_shared();
        let function = &self.module.functions[self.kernel.0 as usize];
        let end = self.emit.label();
        self.skips.push(end);
        // The first run needs a control instruction before it, too.
        let slot = self.new_slots(1);
        self.emit.control(Op::FuncBegin, slot, NONE, 0, None);
        self.frames.push(Frame {
            func: self.kernel,
            vars: vec![None; function.locals.len()],
            ret: Return::Kernel,
            targets: Vec::new(),
        });
        for index in 0..function.param_count {
            self.kernel_param(index)?;
        }
        self.block(&function.body)?;
        self.emit.place(end);
        self.emit.control(Op::End, 0, NONE, 0, None);
        self.write_routines()?;
        if self.incomplete { Err(Stop::Restart) } else { Ok(()) }
    }

    fn kernel_param(&mut self, index: u32) -> Res<()> {
        let local = LocalId(index);
        let var = self.declare(local)?;
        let ty = self.module.functions[self.kernel.0 as usize].locals[index as usize].ty.clone();
        let Some(parts) = flatten(self.module, &ty, MAX_LEAVES) else {
            return Err(self.error("this kernel parameter is too large".into()));
        };
        let mut values = Vec::new();
        for (part, offset) in &parts {
            let kind = crate::bytecode::Kind::of(part);
            let reg = self.emit.preset(Preset::Param(index, *offset as u32, kind));
            values.push(Val::R(reg));
        }
        let place = self.var_place(var, ty.clone());
        self.store(&place, &ty, values)
    }

    /// Static shared variables of everything that the kernel reaches, one after the other.
    fn lay_out_shared(&mut self) {
        let mut seen = vec![self.kernel];
        let mut next = 0;
        let mut offset = 0u64;
        let mut dynamic = Vec::new();
        let mut of_file: HashMap<crate::source::Span, u32> = HashMap::new();
        while next < seen.len() {
            let func = seen[next];
            next += 1;
            let function = &self.module.functions[func.0 as usize];
            for (index, local) in function.locals.iter().enumerate() {
                let id = (func, LocalId(index as u32));
                let size = self.module.size_of(&local.ty);
                match local.storage {
                    Storage::Auto => {}
                    Storage::SharedFile if of_file.contains_key(&local.span) => {
                        self.shared_index.insert(id, of_file[&local.span]);
                    }
                    Storage::Shared | Storage::SharedFile => {
                        if local.storage == Storage::SharedFile {
                            of_file.insert(local.span, self.shared.len() as u32);
                        }
                        offset = offset.next_multiple_of(self.module.align_of(&local.ty).max(1));
                        self.shared_index.insert(id, self.shared.len() as u32);
                        let info = self.var_info(&local.name, &local.ty, offset as u32);
                        self.shared.push(info);
                        offset += size;
                    }
                    Storage::SharedDynamic => dynamic.push((id, local)),
                }
            }
            calls_of(&function.body, &mut seen);
        }
        offset = offset.next_multiple_of(16);
        for (id, local) in dynamic {
            self.shared_index.insert(id, self.shared.len() as u32);
            let mut info = self.var_info(&local.name, &local.ty, offset as u32);
            info.size = 0;
            self.shared.push(info);
        }
    }

    fn var_info(&self, name: &str, ty: &Ty, offset: u32) -> VarInfo {
        let mut dims = Vec::new();
        let mut elem = ty;
        while let Ty::Array(inner, n) = elem {
            dims.push(*n);
            elem = inner;
        }
        VarInfo {
            name: name.into(),
            offset,
            size: self.module.size_of(ty) as u32,
            dims,
            elem: self.module.size_of(elem) as u32,
        }
    }

    fn frame(&self) -> &Frame {
        self.frames.last().expect("the kernel's frame is there from the start")
    }

    fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the kernel's frame is there from the start")
    }

    fn new_slots(&mut self, count: u32) -> u32 {
        self.slots += count;
        self.slots - count
    }

    /// The innermost place to go to when no lane is left.
    fn skip(&self) -> Label {
        *self.skips.last().expect("the kernel's end is there from the start")
    }

    fn error(&self, message: String) -> Stop {
        Stop::Error(Box::new(Diagnostic::error(self.emit.span, message)))
    }

    /// The variable cannot stay in registers: note it and start again.
    fn needs_memory(&mut self, var: usize) -> Stop {
        let Var { func, local, .. } = self.vars[var];
        match local {
            Some(local) if self.facts.memory.insert((func, local)) => Stop::Restart,
            _ => self.error("the address of this value cannot be taken here".into()),
        }
    }

    /// Creates a variable's storage, or finds it if the declaration was met before.
    fn declare(&mut self, local: LocalId) -> Res<usize> {
        let func = self.frame().func;
        if let Some(var) = self.frame().vars[local.0 as usize] {
            return Ok(var);
        }
        let info = &self.module.functions[func.0 as usize].locals[local.0 as usize];
        let var = if let Some(shared) = self.shared_index.get(&(func, local)) {
            let kind = VarKind::Shared(*shared);
            self.vars.push(Var { func, local: Some(local), kind, exposed: true });
            self.vars.len() - 1
        } else {
            let in_memory = self.facts.memory.contains(&(func, local));
            let parts = match in_memory || value::has_union(self.module, &info.ty) {
                true => None,
                false => flatten(self.module, &info.ty, MAX_LEAVES),
            };
            match parts {
                Some(parts) => {
                    let types = parts.into_iter().map(|(ty, _)| ty).collect();
                    self.new_leaves(func, Some(local), types)
                }
                None => {
                    let (name, ty) = (info.name.clone(), info.ty.clone());
                    let kind = self.local_memory(&name, &ty)?;
                    self.vars.push(Var { func, local: Some(local), kind, exposed: true });
                    self.vars.len() - 1
                }
            }
        };
        self.frame_mut().vars[local.0 as usize] = Some(var);
        Ok(var)
    }

    /// Room in the thread's own memory.
    fn local_memory(&mut self, name: &str, ty: &Ty) -> Res<VarKind> {
        let size = self.module.size_of(ty).next_multiple_of(4) as u32;
        let align = self.module.align_of(ty).max(4) as u32;
        if let Some(routine) = &mut self.current {
            let offset = routine.bytes.next_multiple_of(align);
            routine.bytes = offset.saturating_add(size);
            if routine.bytes > MAX_LOCAL {
                return Err(self.error(format!("a call needs more than {MAX_LOCAL} bytes")));
            }
            return Ok(VarKind::Frame(offset));
        }
        let offset = self.local_bytes.next_multiple_of(align);
        if offset.saturating_add(size) > MAX_LOCAL {
            return Err(self.error(format!(
                "`{name}` and the other arrays of a thread need more than {MAX_LOCAL} bytes"
            )));
        }
        self.local_bytes = offset + size;
        let described = self.var_info(name, ty, offset);
        self.locals.push(described);
        Ok(VarKind::Local(self.locals.len() as u32 - 1))
    }

    /// A place in the thread's own memory for a value without a name.
    fn unnamed_memory(&mut self, ty: &Ty) -> Res<Place> {
        let kind = self.local_memory("(value)", ty)?;
        let func = self.frame().func;
        self.vars.push(Var { func, local: None, kind, exposed: true });
        Ok(self.var_place(self.vars.len() - 1, ty.clone()))
    }

    fn new_leaves(&mut self, func: FuncId, local: Option<LocalId>, types: Vec<Ty>) -> usize {
        let first = self.leaves.len();
        let count = types.len();
        let tracked = local.filter(|l| self.facts.tracked.contains(&(func, *l)));
        let name = self.tracked.len() as u32;
        if let Some(local) = tracked {
            let info = &self.module.functions[func.0 as usize].locals[local.0 as usize];
            self.tracked.push(info.name.clone());
        }
        for ty in types {
            let slot = tracked.map(|_| self.new_slots(1));
            let state = LeafState { val: Val::Undef, assigned: false };
            self.leaves.push(Leaf { ty, home: None, slot, name, state });
        }
        let kind = VarKind::Leaves(first, count);
        self.vars.push(Var { func, local, kind, exposed: false });
        self.vars.len() - 1
    }

    /// Marks the beginning of a statement, for a debugger.
    fn stop_here(&mut self) {
        // Our own functions have no statements that a person wrote.
        if !self.debug || self.emit.call.is_some() {
            return;
        }
        let mut vars = Vec::new();
        for (index, var) in self.frame().vars.iter().enumerate() {
            let Some(var) = var else { continue };
            let loc = match self.vars[*var].kind {
                VarKind::Shared(i) => VarLoc::Shared(i),
                VarKind::Local(i) => VarLoc::Local(i),
                VarKind::Frame(_) => continue,
                VarKind::Leaves(first, count) => {
                    let leaf = |l: &Leaf| (bank(&l.ty), l.home.unwrap_or(NONE), l.state.assigned);
                    VarLoc::Regs(self.leaves[first..first + count].iter().map(leaf).collect())
                }
            };
            vars.push((LocalId(index as u32), loc));
        }
        let info = StopInfo {
            span: self.emit.span,
            func: self.frame().func,
            depth: (self.frames.len() - usize::from(self.current.is_none())) as u32,
            vars,
        };
        let c = self.stops.len() as u32;
        self.stops.push(info);
        self.emit.push(Inst { op: Op::Stmt, d: NONE, a: NONE, b: NONE, c, imm: 0 });
    }

    fn snapshot(&self) -> Snapshot {
        let states = self.leaves.iter().map(|l| l.state.clone()).collect();
        Snapshot { states, dead: self.dead }
    }

    fn restore(&mut self, snapshot: &Snapshot) {
        for (leaf, state) in self.leaves.iter_mut().zip(&snapshot.states) {
            leaf.state = state.clone();
        }
        self.dead = snapshot.dead;
    }

    /// Which leaves, of variables that exist now, `effects` may change.
    fn changed(&self, effects: &scan::Effects) -> Vec<usize> {
        let frame = self.frame();
        let mut out = Vec::new();
        let mut add = |var: &Var| {
            if let VarKind::Leaves(first, count) = var.kind {
                out.extend(first..first + count);
            }
        };
        for local in effects.assigned.difference(&effects.declared) {
            if let Some(var) = frame.vars[local.0 as usize] {
                add(&self.vars[var]);
            }
        }
        if effects.indirect {
            self.vars.iter().filter(|v| v.exposed).for_each(&mut add);
        }
        order::sort(&mut out);
        out.dedup();
        out
    }

    /// Brings a leaf's value to its home register.
    fn bring_home(&mut self, leaf: usize) -> Res<()> {
        let Leaf { ty, home, state, .. } = self.leaves[leaf].clone();
        let bank = bank(&ty);
        let home = match home {
            Some(home) => home,
            None => {
                let home = self.emit.new_home(bank);
                self.leaves[leaf].home = Some(home);
                home
            }
        };
        if state.val == Val::R(home) {
            return Ok(());
        }
        if state.val != Val::Undef {
            let reg = self.reg(&state.val, &ty)?;
            let others = self
                .leaves
                .iter()
                .enumerate()
                .any(|(i, l)| i != leaf && value_bank(&l.ty, &l.state.val, bank, reg));
            self.emit.forget_home(bank, home);
            if others || self.holding > 0 || !self.emit.retarget(bank, reg, home) {
                let op = if bank == crate::bytecode::Bank::A { Op::MovA } else { Op::MovB };
                let inst = Inst { op, d: home, a: reg, b: NONE, c: NONE, imm: 0 };
                self.emit.push(inst);
            }
        } else {
            self.emit.forget_home(bank, home);
        }
        self.leaves[leaf].state.val = Val::R(home);
        Ok(())
    }

    fn bring_all_home(&mut self, leaves: &[usize]) -> Res<()> {
        leaves.iter().try_for_each(|leaf| self.bring_home(*leaf))
    }

    /// As [`Lower::bring_all_home`], while `held` waits to be read: the register that holds its
    /// value then. Without this, `held` may be the very result that is sent home, or the home that
    /// gets another value.
    fn bring_home_around(
        &mut self,
        leaves: &[usize],
        bank: crate::bytecode::Bank,
        held: Reg,
    ) -> Res<Reg> {
        use crate::bytecode::Bank;
        let overwritten = leaves.iter().map(|leaf| &self.leaves[*leaf]).any(|leaf| {
            leaf.home == Some(held)
                && self::bank(&leaf.ty) == bank
                && leaf.state.val != Val::R(held)
        });
        let op = if bank == Bank::A { Op::MovA } else { Op::MovB };
        let held = if overwritten { self.op1(op, held) } else { held };
        self.emit.pinned = Some((bank, held));
        let done = self.bring_all_home(leaves);
        self.emit.pinned = None;
        done.map(|()| held)
    }

    /// A value that stays what it is when variables change: homes are copied.
    fn freeze(&mut self, val: Val, ty: &Ty) -> Res<Val> {
        use crate::bytecode::Bank;
        let bank = bank(ty);
        Ok(match val {
            Val::R(reg) | Val::Lin(reg, _) if self.emit.is_home(bank, reg) => {
                let reg = self.reg(&val, ty)?;
                if self.emit.is_home(bank, reg) {
                    let op = if bank == Bank::A { Op::MovA } else { Op::MovB };
                    Val::R(self.op1(op, reg))
                } else {
                    Val::R(reg)
                }
            }
            Val::Wide(reg, signed, add) if self.emit.is_home(Bank::A, reg) => {
                Val::Wide(self.op1(Op::MovA, reg), signed, add)
            }
            Val::Ptr(addr) => {
                let mut addr = (*addr).clone();
                if let value::Root::Reg(reg) = addr.root
                    && self.emit.is_home(Bank::B, reg)
                {
                    addr.root = value::Root::Reg(self.op1(Op::MovB, reg));
                }
                for term in &mut addr.terms {
                    if self.emit.is_home(Bank::A, term.reg) {
                        term.reg = self.op1(Op::MovA, term.reg);
                    }
                }
                self.pointer(addr)
            }
            other => other,
        })
    }
}

/// `val`, of type `ty`, is made from register `reg` of `bank`.
fn value_bank(ty: &Ty, val: &Val, bank_of: crate::bytecode::Bank, reg: Reg) -> bool {
    use crate::bytecode::Bank;
    match val {
        Val::R(r) | Val::Lin(r, _) => bank(ty) == bank_of && *r == reg,
        Val::Wide(r, ..) => bank_of == Bank::A && *r == reg,
        Val::Ptr(addr) => match bank_of {
            Bank::A => addr.terms.iter().any(|t| t.reg == reg),
            Bank::B => addr.root == value::Root::Reg(reg),
        },
        _ => false,
    }
}

/// Functions called in `block`, added to `seen`.
fn calls_of(block: &crate::hir::Block, seen: &mut Vec<FuncId>) {
    crate::walk::visit(block, &mut |e| {
        if let ExprKind::Call(func, _) = &e.kind
            && !seen.contains(func)
        {
            seen.push(*func);
        }
    });
}
