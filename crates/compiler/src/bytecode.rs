//! Register bytecode, 32 lanes wide.
//!
//! A register is a vector of one value per lane. There are two banks: A holds 32-bit values
//! (`bool`, integers up to 32 bits kept sign- or zero-extended, `float`, half as `float`), B holds
//! 64-bit ones (integers, `double`, pointers). Constants, `threadIdx` and the like, and the
//! kernel's parameters sit in registers from the start.
//!
//! Control flow is structured: each `if`, loop, inlined function and `switch` owns mask *slots*;
//! lanes that wait elsewhere are kept there and join again at the end of the statement. A straight
//! stretch of code between two control instructions is a *run*; instructions are counted by runs,
//! memory requests one by one.

use crate::hir::{AtomicOp, Axis, Shuffle, Ty};
use crate::source::Span;

pub use crate::op::{Alu, Control, Mem, Op, Other};

/// Register number; the instruction says of which bank.
pub type Reg = u32;
/// No register.
pub const NONE: u32 = u32::MAX;

/// First address of the shared window of every block.
pub const SHARED_BASE: u64 = 0x0100_0000;
/// First address of the thread's own memory.
pub const LOCAL_BASE: u64 = 0x1000_0000;
/// First address of the string literals.
pub const STRING_BASE: u64 = 0x4000_0000;
/// Device memory begins here; below lie the windows of the other spaces.
pub const GLOBAL_BASE: u64 = 0x1_0000_0000;

/// Function number of `Math1F` and `Math1D` beyond those of [`crate::hir::Math1`]: mantissa of
/// `frexp`.
pub const FREXP_MANTISSA: i32 = 100;
/// Number beyond those of [`crate::hir::Class`]: exponent of `frexp`.
pub const FREXP_EXPONENT: i32 = 101;
/// Fraction of `modf`, as [`FREXP_MANTISSA`].
pub const MODF_FRACTION: i32 = 102;

/// Register bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bank {
    /// 32 bits a lane.
    A,
    /// 64 bits a lane.
    B,
}

/// One instruction. What the fields mean is said by [`Op::shape`] and, for control flow, at the
/// operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Inst {
    /// Operation.
    pub op: Op,
    /// Destination (source of a store), or mask slot.
    pub d: u32,
    /// First operand.
    pub a: u32,
    /// Second operand; counter index of control instructions.
    pub b: u32,
    /// Third operand, or index into a table of [`Code`].
    pub c: u32,
    /// Immediate, byte offset, or jump target.
    pub imm: i32,
}

/// How one component of a memory access is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One byte, zero-extended.
    U8,
    /// One byte, sign-extended.
    I8,
    /// `bool`.
    Bool,
    /// Two bytes, zero-extended.
    U16,
    /// Two bytes, sign-extended.
    I16,
    /// Half, held as float.
    F16,
    /// Four bytes.
    W32,
    /// Eight bytes.
    W64,
}

impl Kind {
    /// Bytes.
    #[inline]
    pub fn size(self) -> u32 {
        match self {
            Kind::U8 | Kind::I8 | Kind::Bool => 1,
            Kind::U16 | Kind::I16 | Kind::F16 => 2,
            Kind::W32 => 4,
            Kind::W64 => 8,
        }
    }

    /// Kind of a scalar type.
    pub fn of(ty: &Ty) -> Kind {
        match ty {
            Ty::Bool => Kind::Bool,
            Ty::Int { bits: 8, signed: true } => Kind::I8,
            Ty::Int { bits: 8, .. } => Kind::U8,
            Ty::Int { bits: 16, signed: true } => Kind::I16,
            Ty::Int { bits: 16, .. } => Kind::U16,
            Ty::Int { bits: 32, .. } | Ty::F32 => Kind::W32,
            Ty::F16 => Kind::F16,
            _ => Kind::W64,
        }
    }

    /// Bank that holds it.
    #[inline]
    pub fn bank(self) -> Bank {
        if self == Kind::W64 { Bank::B } else { Bank::A }
    }
}

/// A memory access.
#[derive(Clone, Debug)]
pub struct MemInfo {
    /// Kind of each component.
    pub kind: Kind,
    /// Registers of the components of a vector; empty for one component.
    pub regs: Vec<Reg>,
    /// Bytes a lane.
    pub size: u32,
    /// Factor of the index register.
    pub scale: i32,
    /// The index is signed.
    pub signed: bool,
    /// All lanes have the same base.
    pub uniform: bool,
    /// Variable that the address was made from: index into `Code::shared` or `Code::locals`.
    pub var: u32,
    /// Size of the type that an index of the message counts, in bytes.
    pub elem: u32,
    /// For a store to a bit-field, of which the other bits may never have been written.
    pub partial: bool,
    /// Text of the access.
    pub span: Span,
    /// Index into `Code::lines`.
    pub line: u32,
}

/// An operation with many operands.
#[derive(Clone, Debug)]
pub struct CallInfo {
    /// What to do.
    pub what: What,
    /// Operands.
    pub args: Vec<(Bank, Reg)>,
    /// Result.
    pub dest: Option<(Bank, Reg)>,
    /// Text of the call.
    pub span: Span,
    /// Index into `Code::lines`.
    pub line: u32,
}

/// Operations of [`CallInfo`].
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// Address, operand(s); a CAS has two.
    Atomic {
        /// `None` is compare-and-swap.
        op: Option<AtomicOp>,
        /// Type of the word.
        ty: Ty,
    },
    /// Shuffles, votes and the like; `ty` is the type of the value.
    Warp {
        /// Which.
        op: WarpOp,
        /// Type of the value.
        ty: Ty,
    },
    /// [`crate::hir::Builtin::SumOfProducts`].
    SumOfProducts,
    /// Format, and the types of the arguments.
    Printf(String, Vec<Ty>),
    /// `assert`: text of the condition; the argument is the condition.
    Assert(String),
    /// `__trap`.
    Trap,
    /// `__threadfence`; true for the forms that other blocks see.
    Fence,
    /// First address of the memory of the routine's call at hand.
    Frame,
    /// `clock`; the number of instructions of the run up to this one is in `imm` of the
    /// instruction.
    Clock,
}

/// What the lanes of a warp do together: the functions of [`crate::hir::Builtin`] with these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum WarpOp {
    Shfl(Shuffle),
    Ballot,
    VoteAll,
    VoteAny,
    ActiveMask,
    MatchAny,
    WarpReduce(AtomicOp),
    SyncWarp,
}

/// A barrier.
#[derive(Clone, Debug)]
pub struct BarInfo {
    /// Vote: kind, argument, result.
    pub vote: Option<(crate::hir::Reduce, Reg, Reg)>,
    /// All blocks of the grid wait for each other.
    pub grid: bool,
    /// The `if`s and loops around it: slot and text, innermost last.
    pub around: Vec<(u32, Span)>,
    /// Text.
    pub span: Span,
}

/// Values of a `switch`.
#[derive(Clone, Debug)]
pub struct SwitchInfo {
    /// Label and arm number, sorted by label.
    pub labels: Vec<(i64, u32)>,
    /// Arm of `default`.
    pub default: Option<u32>,
    /// Number of arms.
    pub arms: u32,
}

/// A function that calls itself, perhaps by way of others: its code stands behind the kernel's. A
/// call keeps the warp's registers and slots until it comes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutineInfo {
    /// Name of the function.
    pub name: String,
    /// Thread-local memory of a call in bytes, a multiple of 16.
    pub frame: u32,
    /// Registers that a call changes.
    pub results: Vec<(Bank, Reg)>,
}

/// A value that is in its register before the first instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preset {
    /// 32-bit constant.
    ConstA(u32),
    /// 64-bit constant.
    ConstB(u64),
    /// `threadIdx`.
    ThreadIdx(Axis),
    /// `blockIdx`.
    BlockIdx(Axis),
    /// `blockDim`.
    BlockDim(Axis),
    /// `gridDim`.
    GridDim(Axis),
    /// Lane.
    LaneId,
    /// `get_global_id`.
    GlobalId(Axis),
    /// `get_global_offset`.
    GlobalOffset(Axis),
    /// `get_work_dim`.
    WorkDim,
    /// Kernel parameter: number, byte offset in it.
    Param(u32, u32, Kind),
    /// Address of a variable at file scope.
    Global(u32),
}

impl Preset {
    /// Bank of the register.
    #[inline]
    pub fn bank(&self) -> Bank {
        match self {
            Preset::ConstB(_) | Preset::Global(_) | Preset::Param(_, _, Kind::W64) => Bank::B,
            _ => Bank::A,
        }
    }

    /// The same for all lanes of a warp.
    #[inline]
    pub fn is_uniform(&self) -> bool {
        !matches!(self, Preset::ThreadIdx(_) | Preset::LaneId | Preset::GlobalId(_))
    }
}

/// A variable in shared or thread-local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarInfo {
    /// Name.
    pub name: String,
    /// First byte.
    pub offset: u32,
    /// Bytes; 0 for dynamic shared memory, whose size the launch gives.
    pub size: u32,
    /// Lengths of the array dimensions, outermost first; empty for scalars.
    pub dims: Vec<u64>,
    /// Size of an element in bytes.
    pub elem: u32,
}

/// A stretch of instructions without control flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    /// The control instruction before it.
    pub control: u32,
    /// Instructions after it, up to the next control instruction, that count.
    pub len: u32,
}

/// A statement at which a debugger may stop.
#[derive(Clone, Debug)]
pub struct StopInfo {
    /// Text.
    pub span: Span,
    /// Function.
    pub func: crate::hir::FuncId,
    /// Calls between the kernel and this function.
    pub depth: u32,
    /// The variables declared so far.
    pub vars: Vec<(crate::hir::LocalId, VarLoc)>,
}

/// Where a debugger finds a variable.
#[derive(Clone, Debug)]
pub enum VarLoc {
    /// Registers of its scalars, and whether each surely has a value.
    Regs(Vec<(Bank, Reg, bool)>),
    /// Index into [`Code::shared`].
    Shared(u32),
    /// Index into [`Code::locals`].
    Local(u32),
}

/// Code of one kernel.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Instructions.
    pub insts: Vec<Inst>,
    /// Text of each instruction.
    pub spans: Vec<Span>,
    /// Line of each instruction: index into [`Code::lines`].
    pub inst_lines: Vec<u32>,
    /// Source lines that have code.
    pub lines: Vec<Span>,
    /// Memory accesses.
    pub mems: Vec<MemInfo>,
    /// Operations with many operands.
    pub calls: Vec<CallInfo>,
    /// Barriers.
    pub bars: Vec<BarInfo>,
    /// Switches.
    pub switches: Vec<SwitchInfo>,
    /// Functions that call themselves.
    pub routines: Vec<RoutineInfo>,
    /// Statements, in code for debugging.
    pub stops: Vec<StopInfo>,
    /// By counter index: run behind each control instruction.
    pub runs: Vec<Run>,
    /// Registers that are set before the start.
    pub presets: Vec<(Preset, Reg)>,
    /// Registers of bank A.
    pub regs_a: u32,
    /// Registers of bank B.
    pub regs_b: u32,
    /// Mask slots.
    pub slots: u32,
    /// Shared variables.
    pub shared: Vec<VarInfo>,
    /// Where dynamic shared memory begins.
    pub dynamic_base: u32,
    /// Variables in thread-local memory.
    pub locals: Vec<VarInfo>,
    /// Names of variables that may be read before they are assigned, by `c` of the `Init`
    /// instructions.
    pub tracked: Vec<String>,
    /// String literals in one piece, for pointers to them.
    pub strings: Vec<u8>,
    /// Registers of a thread, an estimate.
    pub registers: u32,
    /// Static shared memory in bytes.
    pub static_shared: u32,
    /// Thread-local memory in bytes.
    pub local_bytes: u32,
    /// Shared memory is accessed in pieces smaller than a word.
    pub sub_word_shared: bool,
    /// There are atomics on global memory whose result or order can be seen.
    pub ordered_atomics: bool,
    /// There are barriers.
    pub has_barriers: bool,
}
