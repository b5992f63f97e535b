//! Stopping at statements and looking at variables and memory; nothing here changes anything.

use super::warp::{State, Warp};
use super::world::{World, register_bits};
use crate::bytecode::{Bank, Kind, StopInfo, VarLoc};
use crate::fault::Fault;
use crate::hir::{self, BinOp, Builtin, CmpOp, Expr, ExprKind, LocalId, Ty, UnOp};
use crate::memory::{GLOBAL_BASE, LOCAL_BASE, SHARED_BASE, STRING_BASE};
use crate::source::{Location, Span};
use compiler::known::{known_binary, known_cast, known_cmp, wrap};

/// Looks on while a kernel runs.
pub trait Debugger: Send {
    /// Called before each statement of each warp.
    fn statement(&mut self, at: &Stopped<'_>) -> Action;

    /// Called when a warp has ended; `at` is its last statement, with the values behind it.
    fn ended(&mut self, at: &Stopped<'_>) {
        let _ = at;
    }

    /// Called when `lanes` of a warp run into the fault that ends the launch; `at` is the
    /// statement.
    fn faulted(&mut self, at: &Stopped<'_>, lanes: u32, fault: &Fault) {
        let _ = (at, lanes, fault);
    }
}

/// What to do after a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Go on to the next statement.
    Go,
    /// End the launch.
    Quit,
}

/// A warp before a statement.
#[derive(Clone, Copy)]
pub struct Stopped<'s> {
    pub(super) world: &'s World<'s>,
    pub(super) block: [u32; 3],
    pub(super) issued: u64,
    pub(super) shared: &'s [u32],
    pub(super) shared_init: &'s [u8],
    /// The block's warps, but for the one that runs.
    pub(super) warps: &'s [Warp],
    pub(super) running: &'s Warp,
    /// The one that is looked at.
    pub(super) warp: &'s Warp,
    pub(super) info: &'s StopInfo,
}

/// A value of one thread.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Type and bits, integers sign- or zero-extended to at least 32.
    Scalar(Ty, u64),
    /// Members or elements in order.
    Aggregate(Vec<Value>),
    /// Never written.
    None,
}

impl Value {
    /// True for a scalar that counts as false.
    pub fn is_zero(&self) -> bool {
        match self {
            Value::Scalar(ty, bits) if ty.is_float() => number(ty, *bits) == 0.0,
            Value::Scalar(_, bits) => *bits == 0,
            _ => false,
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::None => f.write_str("(no value yet)"),
            Value::Aggregate(parts) => {
                f.write_str("{")?;
                for (k, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if k > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
            Value::Scalar(ty, bits) => match ty {
                Ty::Bool => write!(f, "{}", *bits != 0),
                Ty::Int { bits: 64, signed: true } => write!(f, "{}", *bits as i64),
                Ty::Int { signed: true, .. } => write!(f, "{}", *bits as i32),
                Ty::Int { .. } => write!(f, "{bits}"),
                Ty::F32 | Ty::F16 => write!(f, "{}", f32::from_bits(*bits as u32)),
                Ty::F64 => write!(f, "{}", f64::from_bits(*bits)),
                _ => write!(f, "{bits:#x}"),
            },
        }
    }
}

/// Where a value is found.
enum Place {
    /// Registers of its scalars; false: not assigned yet.
    Regs(Vec<(Bank, u32, bool)>),
    Mem(u64),
}

/// What a warp does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpState {
    /// It runs, or could.
    Ready,
    /// It waits at a barrier.
    Barrier,
    /// All its threads have ended.
    Ended,
}

impl<'s> Stopped<'s> {
    /// Another warp of the block at the statement it came to last; `None` if it has not begun, or
    /// if its registers are in use by another (in a kernel without barriers one warp runs to its
    /// end before the next).
    pub fn other(&self, warp: u32) -> Option<Stopped<'s>> {
        let warp = match warp == self.running.index {
            true => self.running,
            false => self.warps.get(warp as usize)?,
        };
        let info = &self.world.code.stops[warp.stop? as usize];
        Some(Stopped { warp, info, ..*self })
    }

    /// Number of the warp that runs: the one that was stopped.
    pub fn running(&self) -> u32 {
        self.running.index
    }

    /// What the warp does.
    pub fn state(&self) -> WarpState {
        match self.warp.state {
            State::Ready => WarpState::Ready,
            State::Barrier => WarpState::Barrier,
            State::Done => WarpState::Ended,
        }
    }

    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.world.launch.block.iter().product()
    }

    /// `blockIdx`.
    pub fn block(&self) -> [u32; 3] {
        self.block
    }

    /// Number of the warp in its block.
    pub fn warp(&self) -> u32 {
        self.warp.index
    }

    /// Lanes that execute the statement.
    pub fn mask(&self) -> u32 {
        self.warp.mask
    }

    /// Lanes whose threads exist and have not ended.
    pub fn alive(&self) -> u32 {
        self.warp.alive
    }

    /// `threadIdx` of a lane.
    pub fn thread(&self, lane: u32) -> [u32; 3] {
        self.world.thread_idx(32 * self.warp.index + lane)
    }

    /// Text of the statement.
    pub fn span(&self) -> Span {
        self.info.span
    }

    /// Where the statement begins.
    pub fn location(&self) -> Location {
        self.locate(self.info.span)
    }

    /// Where a piece of the source begins.
    pub fn locate(&self, span: Span) -> Location {
        self.world.program.sources().locate(span)
    }

    /// Bytes of a type.
    pub fn size_of(&self, ty: &Ty) -> u64 {
        self.world.program.module().size_of(ty)
    }

    /// The function whose statement it is.
    pub fn function(&self) -> &hir::Function {
        &self.world.program.module().functions[self.info.func.0 as usize]
    }

    /// Index of [`Stopped::function`].
    pub fn function_id(&self) -> hir::FuncId {
        self.info.func
    }

    /// Calls between the kernel and the statement.
    pub fn depth(&self) -> u32 {
        self.info.depth
    }

    /// Warp instructions that the block has issued so far.
    pub fn issued(&self) -> u64 {
        self.issued
    }

    /// The variables that have been declared so far.
    pub fn variables(&self) -> impl Iterator<Item = (LocalId, &hir::Local)> {
        let locals = &self.function().locals;
        self.info.vars.iter().map(|(id, _)| (*id, &locals[id.0 as usize]))
    }

    /// Address and bytes of a `__shared__` variable; those behind it for a dynamic one.
    pub fn shared(&self, local: LocalId) -> Option<(u64, u64)> {
        let code = self.world.code;
        let (_, VarLoc::Shared(i)) = self.info.vars.iter().find(|(id, _)| *id == local)? else {
            return None;
        };
        let offset = u64::from(code.shared[*i as usize].offset);
        let bytes = match self.function().locals[local.0 as usize].storage {
            hir::Storage::SharedDynamic => u64::from(self.world.launch.dynamic_shared),
            _ => self.size_of(&self.function().locals[local.0 as usize].ty),
        };
        Some((SHARED_BASE + offset, bytes))
    }

    /// Where an address of shared memory lies in the block's window, in bytes.
    pub fn offset_in_shared(&self, address: u64) -> u64 {
        address.saturating_sub(SHARED_BASE)
    }

    /// Value of a variable for one lane.
    ///
    /// # Errors
    /// If it is not there.
    pub fn variable(&self, local: LocalId, lane: u32) -> Result<Value, String> {
        let place = self.local(local)?;
        let ty = self.function().locals[local.0 as usize].ty.clone();
        self.load(&place, &ty, lane)
    }

    /// Value of an expression for one lane. The locals of `e` are those of [`Stopped::function`].
    ///
    /// # Errors
    /// If the expression would change something, reads where there is no memory, or cannot be
    /// computed here.
    pub fn eval(&self, e: &Expr, lane: u32) -> Result<Value, String> {
        match &e.kind {
            ExprKind::Int(bits) => Ok(Value::Scalar(e.ty.clone(), wrap(&e.ty, *bits))),
            ExprKind::Float(x) => Ok(float(&e.ty, *x)),
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Deref(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..) => self.load_at(e, &e.ty, lane),
            ExprKind::Load(place) => self.load_at(place, &e.ty, lane),
            ExprKind::AddrOf(place) => match self.place(place, lane)? {
                Place::Mem(addr) => Ok(Value::Scalar(e.ty.clone(), addr)),
                Place::Regs(_) => Err("this variable lives in registers: it has no address".into()),
            },
            ExprKind::PtrAdd(p, i) => {
                let (base, index) = (self.bits(p, lane)?, self.integer(i, lane)?);
                let size = self.pointee_size(&p.ty);
                let addr = base.wrapping_add((index as u64).wrapping_mul(size));
                Ok(Value::Scalar(e.ty.clone(), addr))
            }
            ExprKind::PtrDiff(a, b) => {
                let bytes = self.bits(a, lane)?.wrapping_sub(self.bits(b, lane)?) as i64;
                let size = self.pointee_size(&a.ty) as i64;
                Ok(Value::Scalar(e.ty.clone(), (bytes / size.max(1)) as u64))
            }
            ExprKind::Unary(op, x) => {
                let bits = self.bits(x, lane)?;
                Ok(match (op, &e.ty) {
                    (UnOp::Neg, ty) if ty.is_float() => float(ty, -number(ty, bits)),
                    (UnOp::Neg, ty) => {
                        let value = known_binary(BinOp::Sub, ty, ty, 0, bits).unwrap_or(0);
                        Value::Scalar(ty.clone(), value)
                    }
                    (UnOp::Not, ty) => Value::Scalar(ty.clone(), wrap(ty, !bits)),
                })
            }
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.bits(a, lane)?, self.bits(b, lane)?);
                if !e.ty.is_float() {
                    let value = known_binary(*op, &e.ty, &b.ty, x, y).ok_or("division by zero")?;
                    return Ok(Value::Scalar(e.ty.clone(), value));
                }
                let (p, q) = (number(&e.ty, x), number(&e.ty, y));
                Ok(float(
                    &e.ty,
                    match op {
                        BinOp::Add => p + q,
                        BinOp::Sub => p - q,
                        BinOp::Mul => p * q,
                        _ => p / q,
                    },
                ))
            }
            ExprKind::Cmp(op, a, b) => {
                let (x, y) = (self.bits(a, lane)?, self.bits(b, lane)?);
                let holds = if a.ty.is_float() {
                    let (p, q) = (number(&a.ty, x), number(&a.ty, y));
                    match op {
                        CmpOp::Eq => p == q,
                        CmpOp::Ne => p != q,
                        CmpOp::Lt => p < q,
                        CmpOp::Le => p <= q,
                        CmpOp::Gt => p > q,
                        CmpOp::Ge => p >= q,
                    }
                } else {
                    let ty = if a.ty.is_pointer() { &Ty::U64 } else { &a.ty };
                    known_cmp(*op, ty, x, y)
                };
                Ok(Value::Scalar(Ty::Bool, u64::from(holds)))
            }
            ExprKind::And(a, b) => match self.bits(a, lane)? {
                0 => Ok(Value::Scalar(Ty::Bool, 0)),
                _ => self.eval(b, lane),
            },
            ExprKind::Or(a, b) => match self.bits(a, lane)? {
                0 => self.eval(b, lane),
                _ => Ok(Value::Scalar(Ty::Bool, 1)),
            },
            ExprKind::Cond(c, a, b) => {
                let pick = if self.bits(c, lane)? != 0 { a } else { b };
                self.eval(pick, lane)
            }
            ExprKind::Cast(x) => {
                let bits = self.bits(x, lane)?;
                Ok(cast(&x.ty, &e.ty, bits))
            }
            ExprKind::FieldOf(inner, index) => match self.eval(inner, lane)? {
                Value::Aggregate(parts) => {
                    parts.into_iter().nth(*index as usize).ok_or_else(|| "no such member".into())
                }
                other => Ok(other),
            },
            ExprKind::Builtin(builtin, _) => {
                let world = self.world;
                let value = match builtin {
                    Builtin::ThreadIdx(a) => self.thread(lane)[*a as usize],
                    Builtin::BlockIdx(a) => self.block[*a as usize],
                    Builtin::BlockDim(a) => world.launch.block[*a as usize],
                    Builtin::GridDim(a) => world.launch.grid[*a as usize],
                    Builtin::LaneId => lane,
                    Builtin::GlobalId(a) => {
                        let axis = *a as usize;
                        world.first_id(axis, self.block) + self.thread(lane)[axis]
                    }
                    Builtin::GlobalOffset(a) => world.launch.range.offset[*a as usize],
                    Builtin::WorkDim => world.launch.range.work_dim,
                    _ => return Err("built-in functions cannot be called here".into()),
                };
                Ok(Value::Scalar(e.ty.clone(), u64::from(value)))
            }
            ExprKind::Assign(..) | ExprKind::AssignOp(..) | ExprKind::IncDec { .. } => {
                Err("a debugger expression must not change anything".into())
            }
            ExprKind::Call(..) => Err("functions cannot be called here".into()),
            ExprKind::Comma(_, b) => self.eval(b, lane),
            ExprKind::Aggregate(parts) => {
                let values = parts.iter().map(|p| self.eval(p, lane)).collect::<Result<_, _>>()?;
                Ok(Value::Aggregate(values))
            }
            ExprKind::Str(_) => Err("a string has no value here".into()),
        }
    }

    /// Reads memory at a generic address as thread `lane` sees it. `None` for bytes never written.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn read(&self, addr: u64, bytes: usize, lane: u32) -> Result<Vec<Option<u8>>, String> {
        (0..bytes as u64).map(|k| self.byte(addr.wrapping_add(k), lane)).collect()
    }

    fn byte(&self, addr: u64, lane: u32) -> Result<Option<u8>, String> {
        let none = || format!("there is no memory at {addr:#x}");
        let pick = |word: u32, init: u32, at: u64| {
            let known = init >> (at % 4) & 1 == 1 || !self.world.options.uninit;
            known.then_some((word >> (8 * (at % 4))) as u8)
        };
        if addr >= GLOBAL_BASE {
            let world = self.world;
            let a = &world.allocs[world.find(addr).ok_or_else(none)?];
            let at = addr - a.base;
            let word = (at / 4) as usize;
            let init = if a.is_all_init() { 15 } else { a.init_bits(word) };
            return Ok(pick(a.load(word), init, at));
        }
        let index = |at: u64| (at / 4) as usize;
        match addr {
            SHARED_BASE..LOCAL_BASE => {
                let at = addr - SHARED_BASE;
                let word = self.shared.get(index(at)).ok_or_else(none)?;
                Ok(pick(*word, u32::from(self.shared_init[index(at)]), at))
            }
            LOCAL_BASE..STRING_BASE => {
                let at = addr - LOCAL_BASE;
                let row = self.warp.local.get(index(at)).ok_or_else(none)?;
                let init = self.warp.local_init[index(at)][lane as usize];
                Ok(pick(row[lane as usize], u32::from(init), at))
            }
            _ => Err(none()),
        }
    }

    fn bits(&self, e: &Expr, lane: u32) -> Result<u64, String> {
        match self.eval(e, lane)? {
            Value::Scalar(_, bits) => Ok(bits),
            Value::Aggregate(_) => Err("a struct is not a number".into()),
            Value::None => Err("it has no value yet".into()),
        }
    }

    fn integer(&self, e: &Expr, lane: u32) -> Result<i64, String> {
        let bits = self.bits(e, lane)?;
        Ok(known_cast(&e.ty, &Ty::I64, bits) as i64)
    }

    fn pointee_size(&self, ty: &Ty) -> u64 {
        match ty {
            Ty::Ptr(to, _) => self.world.program.module().size_of(to),
            _ => 1,
        }
    }

    fn local(&self, local: LocalId) -> Result<Place, String> {
        let code = self.world.code;
        let found = self.info.vars.iter().find(|(id, _)| *id == local);
        match found {
            Some((_, VarLoc::Regs(regs))) => Ok(Place::Regs(regs.clone())),
            Some((_, VarLoc::Shared(i))) => {
                Ok(Place::Mem(SHARED_BASE + u64::from(code.shared[*i as usize].offset)))
            }
            Some((_, VarLoc::Local(i))) => {
                Ok(Place::Mem(LOCAL_BASE + u64::from(code.locals[*i as usize].offset)))
            }
            None => Err("this variable is not declared yet".into()),
        }
    }

    fn place(&self, e: &Expr, lane: u32) -> Result<Place, String> {
        let module = self.world.program.module();
        match &e.kind {
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Global(global) => Ok(Place::Mem(self.world.addresses[global.0 as usize])),
            ExprKind::Deref(p) => Ok(Place::Mem(self.bits(p, lane)?)),
            ExprKind::Field(inner, index) => match (self.place(inner, lane)?, &inner.ty) {
                (Place::Mem(addr), Ty::Struct(id)) => {
                    let field = &module.structs[id.0 as usize].fields[*index as usize];
                    if field.bits.is_some() {
                        return Err(format!(
                            "`{}` is a bit-field: look at the whole object",
                            field.name
                        ));
                    }
                    Ok(Place::Mem(addr.wrapping_add(field.offset)))
                }
                (Place::Regs(regs), ty) => {
                    let (before, part) = compiler::lower::field_leaf(module, ty, *index);
                    let count = compiler::lower::leaf_count(module, &part);
                    Ok(Place::Regs(regs.into_iter().skip(before).take(count).collect()))
                }
                (place, _) => Ok(place),
            },
            ExprKind::Index(inner, index) => {
                let k = self.integer(index, lane)?;
                match self.place(inner, lane)? {
                    Place::Mem(addr) => {
                        let step = (k as u64).wrapping_mul(module.size_of(&e.ty));
                        Ok(Place::Mem(addr.wrapping_add(step)))
                    }
                    Place::Regs(regs) => {
                        let count = compiler::lower::leaf_count(module, &e.ty);
                        let first = usize::try_from(k).ok().and_then(|k| k.checked_mul(count));
                        let part = first.and_then(|f| regs.get(f..f.checked_add(count)?));
                        Ok(Place::Regs(part.ok_or("the index is outside the array")?.to_vec()))
                    }
                }
            }
            _ => Err("this has no address".into()),
        }
    }

    /// Loads what `e` names; where nothing is, says how much there is.
    fn load_at(&self, e: &Expr, ty: &Ty, lane: u32) -> Result<Value, String> {
        let loaded = self.load(&self.place(e, lane)?, ty, lane);
        loaded.map_err(|none| self.elements(e, lane).unwrap_or(none))
    }

    /// For an element that a pointer leads to, beyond its buffer: how many elements that has.
    fn elements(&self, e: &Expr, lane: u32) -> Option<String> {
        let ExprKind::Deref(pointer) = &e.kind else { return None };
        let ExprKind::PtrAdd(base, index) = &pointer.kind else { return None };
        let (from, index) = (self.bits(base, lane).ok()?, self.integer(index, lane).ok()?);
        let size = self.pointee_size(&base.ty).max(1);
        let buffer = &self.world.allocs[self.world.find(from)?];
        let before = (from - buffer.base) / size;
        let len = (buffer.size / size).saturating_sub(before);
        let plural = if len == 1 { "" } else { "s" };
        let behind = if before > 0 { " from there on" } else { "" };
        Some(format!("there is no element {index}: the buffer has {len} element{plural}{behind}"))
    }

    fn load(&self, place: &Place, ty: &Ty, lane: u32) -> Result<Value, String> {
        let module = self.world.program.module();
        match place {
            Place::Mem(addr) => {
                let bytes = self.read(*addr, module.size_of(ty) as usize, lane)?;
                Ok(decode(module, ty, &bytes))
            }
            Place::Regs(regs) => Ok(self.registers(regs, ty, lane)),
        }
    }

    fn registers(&self, regs: &[(Bank, u32, bool)], ty: &Ty, lane: u32) -> Value {
        let module = self.world.program.module();
        if let Some(parts) = parts(module, ty) {
            let mut first = 0;
            let values = parts.into_iter().map(|(part, ..)| {
                let rest = regs.get(first..).unwrap_or_default();
                first += compiler::lower::leaf_count(module, &part);
                self.registers(rest, &part, lane)
            });
            return Value::Aggregate(values.collect());
        }
        let bits = match regs.first() {
            Some((_, _, false)) | None => return Value::None,
            Some((Bank::A, reg, _)) => u64::from(self.warp.regs.a[*reg as usize][lane as usize]),
            Some((Bank::B, reg, _)) => self.warp.regs.b[*reg as usize][lane as usize],
        };
        Value::Scalar(ty.clone(), bits)
    }
}

/// The value that bytes of memory stand for; `None`: never written.
pub fn decode(module: &hir::Module, ty: &Ty, bytes: &[Option<u8>]) -> Value {
    if let Some(parts) = parts(module, ty) {
        let values = parts.into_iter().map(|(part, offset, bits)| {
            if let Some(bits) = bits {
                let word = Ty::Int { bits: 8 * bits.unit, signed: false };
                let end = (offset + u64::from(bits.unit)) as usize;
                let whole = bytes.get(offset as usize..end).unwrap_or_default();
                return match decode(module, &word, whole) {
                    Value::Scalar(_, word) => Value::Scalar(part.clone(), bits.of(word, &part)),
                    other => other,
                };
            }
            let end = offset + module.size_of(&part);
            decode(module, &part, bytes.get(offset as usize..end as usize).unwrap_or_default())
        });
        return Value::Aggregate(values.collect());
    }
    let kind = Kind::of(ty);
    let known: Option<Vec<u8>> = bytes.iter().copied().take(kind.size() as usize).collect();
    match known {
        Some(known) if known.len() == kind.size() as usize => {
            let word = known.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            Value::Scalar(ty.clone(), register_bits(kind, word))
        }
        _ => Value::None,
    }
}

/// Members or elements with their distance in bytes, and where in an integer a bit-field lies;
/// `None` for a scalar.
fn parts(module: &hir::Module, ty: &Ty) -> Option<Vec<(Ty, u64, Option<hir::Bits>)>> {
    match ty {
        Ty::Array(elem, n) => {
            let size = module.size_of(elem);
            Some((0..*n).map(|k| ((**elem).clone(), k * size, None)).collect())
        }
        Ty::Struct(id) => {
            let fields = &module.structs[id.0 as usize].fields;
            Some(fields.iter().map(|f| (f.ty.clone(), f.offset, f.bits)).collect())
        }
        _ => None,
    }
}

fn number(ty: &Ty, bits: u64) -> f64 {
    match ty {
        Ty::F64 => f64::from_bits(bits),
        _ => f64::from(f32::from_bits(bits as u32)),
    }
}

fn float(ty: &Ty, x: f64) -> Value {
    let bits = match ty {
        Ty::F64 => x.to_bits(),
        Ty::F16 => u64::from(crate::round::to_half(x).to_f32().to_bits()),
        _ => u64::from((x as f32).to_bits()),
    };
    Value::Scalar(ty.clone(), bits)
}

fn cast(from: &Ty, to: &Ty, bits: u64) -> Value {
    match (from.is_float(), to.is_float()) {
        (true, true) => float(to, number(from, bits)),
        (true, false) => {
            let x = number(from, bits);
            let signed = matches!(to, Ty::Int { signed: true, .. });
            let whole = match to {
                Ty::Bool => u64::from(x != 0.0),
                Ty::Int { bits: 64, .. } if signed => x as i64 as u64,
                Ty::Int { bits: 64, .. } => x as u64,
                _ if signed => u64::from(x as i32 as u32),
                _ => u64::from(x as u32),
            };
            Value::Scalar(to.clone(), wrap(to, whole))
        }
        (false, true) => {
            let x = match from {
                Ty::Int { bits: 64, signed: true } => bits as i64 as f64,
                Ty::Int { signed: true, .. } => f64::from(bits as i32),
                _ => bits as f64,
            };
            float(to, x)
        }
        (false, false) if from.is_pointer() || to.is_pointer() => Value::Scalar(to.clone(), bits),
        (false, false) => Value::Scalar(to.clone(), known_cast(from, to, bits)),
    }
}
