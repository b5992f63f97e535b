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

macro_rules! ops {
    ($($(#[$about:meta])* $group:ident {
        $($(#[$doc:meta])* $name:ident $shape:literal $flop:literal;)*
    })*) => {
        $(
            $(#[$about])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[allow(missing_docs)]
            pub enum $group { $($(#[$doc])* $name),* }
        )*

        /// Operations, by what carries them out. `Op::AddI` is short for `Op::Alu(Alu::AddI)`, and
        /// so on.
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Op { $($group($group)),* }

        #[allow(missing_docs, non_upper_case_globals)]
        impl Op {
            $($(pub const $name: Op = Op::$group($group::$name);)*)*

            /// Banks of the fields `d a b c`: `a` or `b`, `-` for no register; a capital `d` is
            /// read, not written.
            pub fn shape(self) -> &'static [u8; 4] {
                match self { $($(Op::$name => $shape),*),* }
            }
            /// Floating-point operations per lane.
            pub fn flop(self) -> u64 {
                match self { $($(Op::$name => $flop),*),* }
            }
        }

        impl std::fmt::Debug for Op {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self { $(Op::$group(op) => op.fmt(f)),* }
            }
        }
    };
}

ops! {
    /// Arithmetic on registers.
    Alu {
        // ---- 32-bit integers
        AddI b"aaa-" 0; SubI b"aaa-" 0; MulI b"aaa-" 0;
        AndI b"aaa-" 0; OrI b"aaa-" 0; XorI b"aaa-" 0;
        ShlI b"aaa-" 0; ShrS b"aaa-" 0; ShrU b"aaa-" 0;
        MinS b"aaa-" 0; MaxS b"aaa-" 0; MinU b"aaa-" 0; MaxU b"aaa-" 0;
        MulHiS b"aaa-" 0; MulHiU b"aaa-" 0;
        DivS b"aaa-" 0; DivU b"aaa-" 0; RemS b"aaa-" 0; RemU b"aaa-" 0;
        EqI b"aaa-" 0; NeI b"aaa-" 0; LtS b"aaa-" 0; LeS b"aaa-" 0; LtU b"aaa-" 0; LeU b"aaa-" 0;
        AddImm b"aa--" 0; MulImm b"aa--" 0;
        ShlImm b"aa--" 0; ShrSImm b"aa--" 0; ShrUImm b"aa--" 0;
        SextB b"aa--" 0; SextH b"aa--" 0; ZextB b"aa--" 0; ZextH b"aa--" 0;
        AbsI b"aa--" 0; Popc b"aa--" 0; Clz b"aa--" 0; Ffs b"aa--" 0; Brev b"aa--" 0;
        MovA b"aa--" 0;
        /// `a ? b : c`
        SelA b"aaaa" 0;
        BytePerm b"aaaa" 0; FshL b"aaaa" 0; FshR b"aaaa" 0; SadS b"aaaa" 0; SadU b"aaaa" 0;
        // ---- 64-bit integers
        AddL b"bbb-" 0; SubL b"bbb-" 0; MulL b"bbb-" 0;
        AndL b"bbb-" 0; OrL b"bbb-" 0; XorL b"bbb-" 0;
        ShlL b"bba-" 0; ShrSL b"bba-" 0; ShrUL b"bba-" 0;
        MinSL b"bbb-" 0; MaxSL b"bbb-" 0; MinUL b"bbb-" 0; MaxUL b"bbb-" 0;
        MulHiSL b"bbb-" 0; MulHiUL b"bbb-" 0;
        DivSL b"bbb-" 0; DivUL b"bbb-" 0; RemSL b"bbb-" 0; RemUL b"bbb-" 0;
        EqL b"abb-" 0; NeL b"abb-" 0; LtSL b"abb-" 0; LeSL b"abb-" 0; LtUL b"abb-" 0; LeUL b"abb-" 0;
        AddImmL b"bb--" 0; ShlImmL b"bb--" 0; ShrSImmL b"bb--" 0; ShrUImmL b"bb--" 0;
        AbsL b"bb--" 0; PopcL b"ab--" 0; ClzL b"ab--" 0; FfsL b"ab--" 0; BrevL b"bb--" 0;
        MovB b"bb--" 0;
        SelB b"babb" 0;
        /// `a + sign-extended b * imm`
        LeaS b"bba-" 0;
        /// `a + zero-extended b * imm`
        LeaU b"bba-" 0;
        // ---- float
        AddF b"aaa-" 1; SubF b"aaa-" 1; MulF b"aaa-" 1; DivF b"aaa-" 1;
        FmaF b"aaaa" 2;
        EqF b"aaa-" 0; NeF b"aaa-" 0; LtF b"aaa-" 0; LeF b"aaa-" 0;
        NegF b"aa--" 0; AbsF b"aa--" 0;
        /// Sum and so on of two halves held as floats, rounded to half again.
        RoundH b"aa--" 0;
        /// Function number `imm` of [`crate::hir::Math1`] that costs one operation.
        Math1F b"aa--" 1;
        /// The same, free of charge (rounding, absolute value, clamping).
        Math1FFree b"aa--" 0;
        Math2F b"aaa-" 1;
        Math2FFree b"aaa-" 0;
        ClassF b"aa--" 0;
        LdexpF b"aaa-" 0;
        // ---- double
        AddD b"bbb-" 1; SubD b"bbb-" 1; MulD b"bbb-" 1; DivD b"bbb-" 1;
        FmaD b"bbbb" 2;
        EqD b"abb-" 0; NeD b"abb-" 0; LtD b"abb-" 0; LeD b"abb-" 0;
        NegD b"bb--" 0; AbsD b"bb--" 0;
        Math1D b"bb--" 1;
        Math1DFree b"bb--" 0;
        Math2D b"bbb-" 1;
        Math2DFree b"bbb-" 0;
        ClassD b"ab--" 0;
        LdexpD b"bba-" 0;
        // ---- conversions, named from-to: I U 32-bit, L X 64-bit signed and unsigned, F float, D
        // double, H half
        IToF b"aa--" 0; UToF b"aa--" 0; FToI b"aa--" 0; FToU b"aa--" 0;
        IToL b"ba--" 0; UToL b"ba--" 0; LToI b"ab--" 0;
        IToD b"ba--" 0; UToD b"ba--" 0; DToI b"ab--" 0; DToU b"ab--" 0;
        FToL b"ba--" 0; FToX b"ba--" 0; LToF b"ab--" 0; XToF b"ab--" 0;
        LToD b"bb--" 0; XToD b"bb--" 0; DToL b"bb--" 0; DToX b"bb--" 0;
        FToD b"ba--" 0; DToF b"ab--" 0; DToH b"ab--" 0;
        /// Bits of a half (held as float) and back.
        HBits b"aa--" 0; HFromBits b"aa--" 0;
    }
    /// Loads and stores; `c` is an index into `Code::mems`; address = a + b * scale + imm.
    Mem {
        /// Any space, by the address in `a`; `b` may be absent.
        LdG b"aba-" 0; LdGB b"bba-" 0; LdGV b"-ba-" 0;
        StG b"Aba-" 0; StGB b"Bba-" 0; StGV b"-ba-" 0;
        /// Shared memory, from the start of the block's window.
        LdS b"a-a-" 0; LdSB b"b-a-" 0; LdSV b"--a-" 0;
        StS b"A-a-" 0; StSB b"B-a-" 0; StSV b"--a-" 0;
        /// The thread's own memory.
        LdT b"a-a-" 0; LdTB b"b-a-" 0; LdTV b"--a-" 0;
        StT b"A-a-" 0; StTB b"B-a-" 0; StTV b"--a-" 0;
    }
    /// Neither arithmetic, nor loads and stores, nor control flow.
    Other {
        /// Everything with many operands: index `c` into `Code::calls`.
        Call b"----" 0;
        /// Counts a branch on `a` that is computed without jumping.
        BrCount b"-a--" 0;
        /// Which lanes of slot `d` have assigned a variable: add the active ones, take them away,
        /// demand them.
        InitMark b"----" 0; InitClear b"----" 0; InitCheck b"----" 0;
        /// A statement begins: index `c` into `Code::stops`. Only in code for debugging.
        Stmt b"----" 0;
    }
    /// Control flow: ends a run; `b` is the counter index, `imm` a target.
    Control {
        /// Lanes with `a` go on; the others wait in slot `d`. Nobody: jump.
        If b"-a--" 0;
        /// Swaps with slot `d`. Nobody: jump.
        Else b"----" 0;
        /// Joins slot `d`. Nobody: jump.
        EndIf b"----" 0;
        /// Clears slots `d` (lanes that left) and `d + 1` (lanes that continue).
        LoopBegin b"----" 0;
        /// Lanes without `a` leave to slot `d`. Nobody left: jump.
        LoopTest b"-a--" 0;
        /// Lanes of slot `d + 1` join. Nobody: jump.
        LoopNext b"----" 0;
        /// Back to the top.
        Jump b"----" 0;
        /// Lanes of slot `d` go on. Nobody: jump.
        LoopEnd b"----" 0;
        /// All lanes leave to slot `d` and jump: `break`, `continue`, `return` of an inlined function.
        Leave b"----" 0;
        /// Clears slot `d`.
        FuncBegin b"----" 0;
        /// Lanes of slot `d` join. Nobody: jump.
        FuncEnd b"----" 0;
        /// Splits lanes by value over slots `d + 1..`, those with no arm to `d`; table `c` of
        /// `Code::switches`.
        Switch b"-a--" 0;
        /// The same with a 64-bit value.
        SwitchL b"-b--" 0;
        /// Lanes of slot `d` join. Nobody: jump.
        Arm b"----" 0;
        /// `__syncthreads` and its votes: `c` is an index into `Code::bars`.
        Bar b"----" 0;
        /// The active lanes end; jump.
        Exit b"----" 0;
        /// The warp ends.
        End b"----" 0;
    }
}

impl Op {
    /// Ends a run and has a counter.
    #[inline]
    pub fn is_control(self) -> bool {
        matches!(self, Op::Control(_))
    }

    /// Instructions that a program for a card would have too; bookkeeping of masks is not counted.
    pub fn weight(self) -> u64 {
        match self {
            Op::Else
            | Op::EndIf
            | Op::LoopBegin
            | Op::LoopNext
            | Op::LoopEnd
            | Op::FuncBegin
            | Op::FuncEnd
            | Op::Arm
            | Op::End
            | Op::InitMark
            | Op::InitClear
            | Op::InitCheck
            | Op::Stmt => 0,
            _ => 1,
        }
    }

    /// May be left out if nobody reads the result.
    pub fn is_pure(self) -> bool {
        match self {
            Op::DivS | Op::DivU | Op::RemS | Op::RemU => false,
            Op::DivSL | Op::DivUL | Op::RemSL | Op::RemUL => false,
            op => matches!(op, Op::Alu(_)),
        }
    }

    /// Works on `double`.
    pub fn is_f64(self) -> bool {
        matches!(
            self,
            Op::AddD | Op::SubD | Op::MulD | Op::DivD | Op::FmaD | Op::Math1D | Op::Math2D
        )
    }
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
    /// Format, and the types of the arguments.
    Printf(String, Vec<Ty>),
    /// `assert`: text of the condition; the argument is the condition.
    Assert(String),
    /// `__trap`.
    Trap,
    /// `__threadfence`; true for the forms that other blocks see.
    Fence,
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
