//! The typed tree between the front ends (CUDA C and OpenCL C) and the code generator.
//!
//! Everything that depends on the language has been settled before: names are resolved, templates
//! instantiated, overloads chosen, `auto` deduced, constant expressions folded, and **every
//! conversion is written out** as a [`ExprKind::Cast`], so that both operands of an arithmetic
//! operation have the type of its result. References are pointers, `this` is a pointer parameter,
//! member functions and lambdas are plain functions.
//!
//! A *place* is an expression that denotes storage (`Local`, `Global`, `Deref`, `Field`, `Index`);
//! everything else is a *value*. Reading a place is an explicit [`ExprKind::Load`].

use crate::op::Alu;
use crate::source::{SourceMap, Span};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// No value.
    Void,
    /// `bool`, one byte, 0 or 1.
    Bool,
    /// Integer of 8, 16, 32 or 64 bits. `char` is a signed 8-bit integer, `long` has 64 bits (LP64,
    /// as on Linux).
    Int {
        /// 8, 16, 32 or 64.
        bits: u8,
        /// Two's complement if true.
        signed: bool,
    },
    /// IEEE binary16: storage and conversion; arithmetic rounds after each operation.
    F16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// Pointer, 8 bytes.
    Ptr(Box<Ty>, Space),
    /// Array with a constant length.
    Array(Box<Ty>, u64),
    /// `struct`, including the built-in vector types `float4`, `dim3`, ...
    Struct(StructId),
}

/// What a pointer may point to. CUDA C pointers are [`Space::Generic`]; OpenCL C names the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Known only at run time, from the address.
    Generic,
    /// Device memory.
    Global,
    /// Shared memory of the block (OpenCL: local).
    Shared,
    /// Constant memory.
    Constant,
    /// The thread's own memory (OpenCL: private).
    Local,
}

/// Index into [`Module::structs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StructId(pub u32);
/// Index into [`Module::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GlobalId(pub u32);
/// Index into [`Module::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FuncId(pub u32);
/// Index into [`Function::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocalId(pub u32);

/// Layout of a `struct`.
#[derive(Clone, Debug, PartialEq)]
pub struct StructDef {
    /// Name for messages, with template arguments.
    pub name: String,
    /// Members in order; a base class comes first as a member.
    pub fields: Vec<Field>,
    /// Size in bytes, a multiple of `align`.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// One of the built-in vector types (`float4`, `uchar4`, ...): a load or store of the whole
    /// value through an address is **one** memory request of `size` bytes per lane. Other structs
    /// are moved member by member.
    pub is_vector: bool,
    /// Members share their storage (`union`): all offsets are 0.
    pub is_union: bool,
    /// Some member is not aligned as its type is: it is moved in parts that are.
    pub is_packed: bool,
}

/// One member.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Ty,
    /// Distance in bytes from the start of the struct.
    pub offset: u64,
    /// Set for a bit-field: `offset` is that of the integer whose bits it is.
    pub bits: Option<Bits>,
}

/// Where a bit-field lies in the integer that is read and written for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// Bytes of the integer: 1, 2, 4 or 8.
    pub unit: u8,
    /// Its lowest bit.
    pub shift: u8,
    /// Number of bits; 0 for one without a name that only aligns the next.
    pub width: u8,
}

impl Bits {
    /// The field of type `ty`, out of the integer.
    pub fn of(self, word: u64, ty: &Ty) -> u64 {
        if self.width == 0 {
            return 0;
        }
        let up = word << (64 - self.shift - self.width);
        match ty {
            Ty::Int { signed: true, .. } => (up as i64 >> (64 - self.width)) as u64,
            _ => up >> (64 - self.width),
        }
    }

    /// The integer with `value` in the field.
    pub fn put(self, word: u64, value: u64) -> u64 {
        let mask = self.mask();
        word & !mask | value << self.shift & mask
    }

    /// The field's bits.
    pub fn mask(self) -> u64 {
        (((1u128 << self.width) - 1) << self.shift) as u64
    }
}

impl StructDef {
    /// A value is moved as words, and members need memory: a union, or some bit-field.
    pub fn in_words(&self) -> bool {
        self.is_union || self.fields.iter().any(|f| f.bits.is_some())
    }
}

/// A compiled source: all that is needed to generate code.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// What it was written in.
    pub language: crate::language::Language,
    /// Its version, if that is OpenCL C.
    pub opencl: crate::language::OpenClVersion,
    /// The files, for positions.
    pub sources: SourceMap,
    /// Struct layouts.
    pub structs: Vec<StructDef>,
    /// `__device__`, `__constant__` and `__managed__` variables at file scope (static members too).
    pub globals: Vec<Global>,
    /// Functions that a kernel reaches, template instances included.
    pub functions: Vec<Function>,
    /// Functions that call themselves, perhaps by way of others.
    pub recursive: std::collections::HashSet<FuncId>,
    /// Where something `volatile` is read or written.
    pub volatile: std::collections::HashSet<Span>,
}

/// A variable at file scope.
#[derive(Clone, Debug)]
pub struct Global {
    /// Name by which the host finds it.
    pub name: String,
    /// Type.
    pub ty: Ty,
    /// `Global` or `Constant`.
    pub space: Space,
    /// Initial bytes (size of the type); `None`: zero, as C++ says for static storage.
    pub init: Option<Vec<u8>>,
    /// `static`: the host cannot look it up.
    pub is_static: bool,
    /// Declaration.
    pub span: Span,
}

/// A function or kernel.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name for messages, such as `reduce<256>`.
    pub name: String,
    /// Set for `__global__` functions.
    pub kernel: Option<KernelAttrs>,
    /// The first [`Function::locals`], in order.
    pub param_count: u32,
    /// Result; `Void` for kernels.
    pub ret: Ty,
    /// Parameters, then all variables of the body, `__shared__` ones included.
    pub locals: Vec<Local>,
    /// Statements.
    pub body: Block,
    /// Name in the declaration.
    pub span: Span,
}

/// What is special about a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelAttrs {
    /// Name by which the host finds it: plain for `extern "C"`, mangled as the Itanium C++ ABI says
    /// otherwise.
    pub symbol: String,
    /// Declared `extern "C"`.
    pub extern_c: bool,
    /// `__launch_bounds__(max_threads)`.
    pub max_threads: Option<u32>,
    /// `__launch_bounds__(_, min_blocks)`.
    pub min_blocks: Option<u32>,
    /// Set for kernels written in OpenCL C.
    pub opencl: Option<OpenClAttrs>,
}

/// What OpenCL lets a host ask about a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenClAttrs {
    /// `reqd_work_group_size`.
    pub work_group: Option<[u32; 3]>,
    /// All attributes as written, such as `reqd_work_group_size(16, 16, 1)`.
    pub attributes: Vec<String>,
    /// Of each parameter.
    pub params: Vec<ParamAttrs>,
}

/// What OpenCL lets a host ask about a kernel's parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamAttrs {
    /// Type as OpenCL spells it: `float*`, `uint`, `float4`.
    pub type_name: String,
    /// What a pointer points to; [`Space::Local`] (private) for values.
    pub space: Space,
    /// The pointee is `const`, or lies in constant memory.
    pub is_const: bool,
    /// `restrict`.
    pub is_restrict: bool,
    /// The pointee is `volatile`.
    pub is_volatile: bool,
}

/// A variable of a function.
#[derive(Clone, Debug)]
pub struct Local {
    /// Name as written; compiler-made ones begin with `$`.
    pub name: String,
    /// Type. A parameter of array type has already become a pointer.
    pub ty: Ty,
    /// Where it lives.
    pub storage: Storage,
    /// Its address is taken or it is indexed with a value that is not constant: it cannot be kept
    /// in registers.
    pub needs_memory: bool,
    /// Parameter that points to something `const`.
    pub to_const: bool,
    /// Declaration.
    pub span: Span,
    /// Text range in which the name is visible, for the debugger.
    pub scope: Span,
}

/// Storage of a [`Local`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Register or thread-local memory.
    Auto,
    /// `__shared__` with a size known at compile time.
    Shared,
    /// `extern __shared__ T name[]`: begins behind the static shared variables; type is an array of
    /// length 0.
    SharedDynamic,
    /// `__shared__` at file scope: one variable for all functions of a kernel, told by its span.
    SharedFile,
}

/// Statements with a scope of their own.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Text.
    pub span: Span,
}

impl Stmt {
    /// True if a debugger stops at the whole statement. Not so for a block, which is its
    /// statements, and for a loop that begins with its test, where the test is stopped at each
    /// time.
    pub fn stops(&self) -> bool {
        !matches!(
            self.kind,
            StmtKind::Block(_)
                | StmtKind::Labelled { .. }
                | StmtKind::Loop { cond: Some(_), test_last: false, .. }
        )
    }
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Evaluate and drop.
    Expr(Expr),
    /// A declaration comes into scope: storage becomes uninitialised (also each time round a loop),
    /// then `init` is stored if there is one. Shared variables have no initialiser.
    Let(LocalId, Option<Expr>),
    /// Nested scope.
    Block(Block),
    /// Two-way branch on a `Bool`.
    If {
        /// Type `Bool`.
        cond: Expr,
        /// Taken where true.
        then: Block,
        /// Taken where false.
        els: Block,
    },
    /// `for`, `while` and `do`: `while (cond) { body; step; }`, the first test left out for `do`.
    Loop {
        /// Type `Bool`; `None` means true.
        cond: Option<Expr>,
        /// The body runs once before the first test.
        test_last: bool,
        /// Runs after the body and after `continue`.
        step: Option<Expr>,
        /// Repeated statements.
        body: Block,
        /// `#pragma unroll`.
        unroll: Unroll,
    },
    /// C `switch`: the arms in order with fall-through; `Break` leaves it.
    Switch {
        /// Integer value.
        value: Expr,
        /// Arms in source order.
        arms: Vec<Arm>,
    },
    /// Leaves the innermost loop or switch.
    Break,
    /// Goes to the step of the innermost loop.
    Continue,
    /// Leaves the function.
    Return(Option<Expr>),
    /// Statements that a [`StmtKind::Goto`] within leaves.
    Labelled {
        /// Number, unique in the function.
        label: u32,
        /// The jump goes to the beginning, not to the end.
        again: bool,
        /// Statements.
        body: Block,
    },
    /// Goes to where the [`StmtKind::Labelled`] of this number says, from within it.
    Goto(u32),
}

/// `case` labels that share one entry point, and the statements up to the next label.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Constant labels; empty if the arm is only `default`.
    pub labels: Vec<i64>,
    /// `default:` is among the labels.
    pub is_default: bool,
    /// Statements.
    pub body: Block,
}

/// What `#pragma unroll` asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unroll {
    /// No pragma.
    None,
    /// `#pragma unroll`: completely, when the trip count is constant.
    Full,
    /// `#pragma unroll N`; 1 forbids it.
    By(u32),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Type of the value, or of the place's content.
    pub ty: Ty,
    /// Text.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    // ---- places
    /// A variable of the function.
    Local(LocalId),
    /// A variable at file scope.
    Global(GlobalId),
    /// What a pointer value points to.
    Deref(Box<Expr>),
    /// Member of a struct place.
    Field(Box<Expr>, u32),
    /// Element of an array place; the index has type `I64` or `I32`/`U32` (sign tells how to
    /// widen).
    Index(Box<Expr>, Box<Expr>),

    // ---- values
    /// Integer, boolean or pointer constant; two's complement bits in the low end.
    Int(u64),
    /// Floating point constant of the expression's type, held in double.
    Float(f64),
    /// String literal: a constant pointer to its bytes; used by `printf` and `assert`.
    Str(String),
    /// Content of a place.
    Load(Box<Expr>),
    /// Address of a place; also array decay (then the type is a pointer to the element).
    AddrOf(Box<Expr>),
    /// Pointer plus index elements of the pointee; the index is a signed or unsigned integer of 32
    /// or 64 bits.
    PtrAdd(Box<Expr>, Box<Expr>),
    /// Difference of two pointers in elements, `I64`.
    PtrDiff(Box<Expr>, Box<Expr>),
    /// Minus, bitwise not. (`!x` is `Cmp(Eq, x, 0)`.)
    Unary(UnOp, Box<Expr>),
    /// Both operands have the type of the result, except shifts, whose right operand is any
    /// integer.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// Comparison of two values of one type; the result is `Bool`.
    Cmp(CmpOp, Box<Expr>, Box<Expr>),
    /// `&&`: a branch, as counters see it.
    And(Box<Expr>, Box<Expr>),
    /// `||`: a branch, as counters see it.
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b`: a branch, as counters see it.
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Conversion to the expression's type: between arithmetic types, `Bool`, pointers and 64-bit
    /// integers.
    Cast(Box<Expr>),
    /// Store; the value is the stored value.
    Assign(Box<Expr>, Box<Expr>),
    /// `place op= value`. The place is evaluated once; it is read, converted to the type of
    /// `value`, combined, converted back and stored. Pointers: `Add`/`Sub` of an integer.
    AssignOp(BinOp, Box<Expr>, Box<Expr>),
    /// `++` and `--` on integers, floats and pointers.
    IncDec {
        /// Operand.
        place: Box<Expr>,
        /// Up or down.
        inc: bool,
        /// The value is the old one.
        post: bool,
    },
    /// Call; the arguments have the parameters' types. Structs go by value.
    Call(FuncId, Vec<Expr>),
    /// Call of something the device offers itself.
    Builtin(Builtin, Vec<Expr>),
    /// First for its effect, second for its value.
    Comma(Box<Expr>, Box<Expr>),
    /// Struct value from its members in order (`make_float4`, brace initialisers). Arrays: all
    /// elements.
    Aggregate(Vec<Expr>),
    /// Member of a struct *value* (such as `f().x`).
    FieldOf(Box<Expr>, u32),
}

/// Unary operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnOp {
    /// `-x`
    Neg,
    /// `~x`
    Not,
}

/// Binary operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    /// Integer division by zero gives all ones on the card; here it is a fault.
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    /// Arithmetic for signed operands.
    Shr,
}

/// Comparisons. With a NaN all but `Ne` are false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Axis {
    X,
    Y,
    Z,
}

/// What the device offers itself. Argument and result types are those of the [`Expr`]s; one entry
/// serves `float` and `double`, 32 and 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// `threadIdx`, `U32`.
    ThreadIdx(Axis),
    /// `blockIdx`, `U32`.
    BlockIdx(Axis),
    /// `blockDim`, `U32`.
    BlockDim(Axis),
    /// `gridDim`, `U32`.
    GridDim(Axis),
    /// Lane number in the warp (`%laneid`), `U32`.
    LaneId,
    /// `get_global_id(axis)` of OpenCL, `U32`.
    GlobalId(Axis),
    /// `get_global_offset(axis)`, `U32`.
    GlobalOffset(Axis),
    /// `get_work_dim()`, `U32`.
    WorkDim,

    /// `__syncthreads()`.
    SyncThreads,
    /// `grid_group::sync()`: the threads of all blocks.
    SyncGrid,
    /// `__syncthreads_count/and/or(int)`.
    SyncThreadsReduce(Reduce),
    /// `__syncwarp(mask)`.
    SyncWarp,
    /// `__threadfence_block()`, `__threadfence()`, `__threadfence_system()`.
    Fence,
    /// `clock()`, `clock64()`: warp instructions issued by the block so far.
    Clock,
    /// `__nanosleep`: no effect.
    Nop,
    /// `__trap()`.
    Trap,
    /// `assert(cond)`: arguments are the `Bool` and the text of the condition.
    Assert,
    /// `printf(format, ...)`; arguments after default promotion.
    Printf,

    /// Function of one floating-point argument.
    Math1(Math1),
    /// Function of two.
    Math2(Math2),
    /// `fma(a, b, c)`, one rounding.
    Fma,
    /// `__fmul_rn`, `__fadd_rn`, `__fsub_rn`, `__fdiv_rn`, ...: as `Binary`, but never contracted.
    Rn(BinOp),
    /// `sincos(x, *s, *c)`, `sincospi`.
    SinCos {
        /// The argument is in units of pi.
        pi: bool,
    },
    /// `frexp(x, int *e)`.
    Frexp,
    /// `modf(x, *i)`.
    Modf,
    /// `ldexp(x, int)`, `scalbn`.
    Ldexp,
    /// `isnan`, `isinf`, `isfinite`, `signbit`: result `Bool`.
    Classify(Class),
    /// Minimum of two integers (floats: [`Math2::Fmin`]).
    MinI,
    /// Maximum of two integers.
    MaxI,
    /// Absolute value of an integer.
    AbsI,
    /// Reinterprets the bits as the expression's type of the same size.
    Bitcast,
    /// Float to integer with a rounding mode (`__float2int_rn`, ...).
    ToIntRound(Round),
    /// `__mul24`, `__umul24`.
    Mul24,
    /// One operation on each lane, on registers of the arguments' types.
    Lane(Alu),
    /// A sum and products, as a tensor core adds them; 18 arguments and a result of `U32`: the kind
    /// of numbers, the sum so far, eight words of the left factors, eight of the right ones.
    SumOfProducts,

    /// `__ldg(ptr)` and friends: a read-only load of the pointee.
    Ldg,
    /// Atomic on `*ptr` with one operand; the result is the old value. Arguments: pointer, operand.
    Atomic(AtomicOp),
    /// `atomicCAS(ptr, compare, value)`.
    AtomicCas,

    /// `__shfl_*_sync(mask, value, lane, width)`; four arguments, width always present.
    Shfl(Shuffle),
    /// `__ballot_sync(mask, pred)`, `U32`.
    Ballot,
    /// `__all_sync(mask, pred)`, `I32`.
    VoteAll,
    /// `__any_sync(mask, pred)`, `I32`.
    VoteAny,
    /// `__activemask()`, `U32`.
    ActiveMask,
    /// `__match_any_sync(mask, value)`, `U32`.
    MatchAny,
    /// `__reduce_add/min/max/and/or/xor_sync(mask, value)`.
    WarpReduce(AtomicOp),
}

/// Block-wide votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Reduce {
    Count,
    And,
    Or,
}

/// An enum whose variants are all in `ALL`, so that an instruction can name one by its number.
macro_rules! numbered {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident,)* }) => {
        $(#[$about])*
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// By number.
            pub const ALL: &[$name] = &[$($name::$variant),*];
        }
    };
}

numbered! {
    /// Floating-point functions of one argument.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[allow(missing_docs)]
    pub enum Math1 {
        Sqrt,
        Rsqrt,
        /// `__frcp_rn`, `1/x` in one operation.
        Rcp,
        Cbrt,
        Exp,
        Exp2,
        Exp10,
        Expm1,
        Log,
        Log2,
        Log10,
        Log1p,
        Sin,
        Cos,
        Tan,
        SinPi,
        CosPi,
        Asin,
        Acos,
        Atan,
        Sinh,
        Cosh,
        Tanh,
        Asinh,
        Acosh,
        Atanh,
        Erf,
        Erfc,
        Tgamma,
        Lgamma,
        Fabs,
        Floor,
        Ceil,
        Trunc,
        /// Half away from zero.
        Round,
        /// Half to even.
        Rint,
        /// Clamp to 0..1; NaN gives 0.
        Saturate,
    }
}

numbered! {
    /// Floating-point functions of two arguments.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[allow(missing_docs)]
    pub enum Math2 {
        Pow,
        Atan2,
        Fmod,
        Remainder,
        Hypot,
        /// The other operand if one is NaN.
        Fmin,
        Fmax,
        Fdim,
        Copysign,
        Nextafter,
    }
}

numbered! {
    /// Kinds of floating-point values.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[allow(missing_docs)]
    pub enum Class {
        Nan,
        Inf,
        Finite,
        SignBit,
    }
}

/// Rounding of a conversion to integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Round {
    NearestEven,
    Zero,
    Down,
    Up,
}

/// Read-modify-write operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum AtomicOp {
    Add,
    Sub,
    Exch,
    Min,
    Max,
    /// Wraps to 0 beyond the operand.
    Inc,
    /// Wraps to the operand below 0.
    Dec,
    And,
    Or,
    Xor,
}

/// Warp shuffles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Shuffle {
    Idx,
    Up,
    Down,
    Xor,
}

impl Ty {
    /// `signed char`, `char`.
    pub const I8: Ty = Ty::Int { bits: 8, signed: true };
    /// `unsigned char`.
    pub const U8: Ty = Ty::Int { bits: 8, signed: false };
    /// `short`.
    pub const I16: Ty = Ty::Int { bits: 16, signed: true };
    /// `unsigned short`.
    pub const U16: Ty = Ty::Int { bits: 16, signed: false };
    /// `int`.
    pub const I32: Ty = Ty::Int { bits: 32, signed: true };
    /// `unsigned`.
    pub const U32: Ty = Ty::Int { bits: 32, signed: false };
    /// `long`, `long long`.
    pub const I64: Ty = Ty::Int { bits: 64, signed: true };
    /// `unsigned long`, `unsigned long long`, `size_t`.
    pub const U64: Ty = Ty::Int { bits: 64, signed: false };

    /// Generic pointer to `self`.
    pub fn ptr(self) -> Ty {
        Ty::Ptr(Box::new(self), Space::Generic)
    }
    /// `float`, `double` or half.
    pub fn is_float(&self) -> bool {
        matches!(self, Ty::F16 | Ty::F32 | Ty::F64)
    }
    /// Integer or `bool`.
    pub fn is_integer(&self) -> bool {
        matches!(self, Ty::Bool | Ty::Int { .. })
    }
    /// Integer, `bool` or floating point.
    pub fn is_arithmetic(&self) -> bool {
        self.is_float() || self.is_integer()
    }
    /// Pointer.
    pub fn is_pointer(&self) -> bool {
        matches!(self, Ty::Ptr(..))
    }
    /// Fits one register: arithmetic or pointer.
    pub fn is_scalar(&self) -> bool {
        self.is_arithmetic() || self.is_pointer()
    }
}

impl Module {
    /// Size of a type in bytes; `Void` has 0.
    pub fn size_of(&self, ty: &Ty) -> u64 {
        match ty {
            Ty::Void => 0,
            Ty::Bool => 1,
            Ty::Int { bits, .. } => u64::from(*bits) / 8,
            Ty::F16 => 2,
            Ty::F32 => 4,
            Ty::F64 | Ty::Ptr(..) => 8,
            Ty::Array(elem, n) => self.size_of(elem) * n,
            Ty::Struct(id) => self.structs[id.0 as usize].size,
        }
    }

    /// Alignment of a type in bytes.
    pub fn align_of(&self, ty: &Ty) -> u64 {
        match ty {
            Ty::Array(elem, _) => self.align_of(elem),
            Ty::Struct(id) => self.structs[id.0 as usize].align,
            Ty::Void => 1,
            scalar => self.size_of(scalar),
        }
    }

    /// The type as it is written in CUDA C.
    pub fn type_name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Void => "void".into(),
            Ty::Bool => "bool".into(),
            Ty::Int { bits, signed } => {
                let name = match bits {
                    8 => "char",
                    16 => "short",
                    32 => "int",
                    _ => "long long",
                };
                if *signed { name.into() } else { format!("unsigned {name}") }
            }
            Ty::F16 => "__half".into(),
            Ty::F32 => "float".into(),
            Ty::F64 => "double".into(),
            Ty::Ptr(to, _) => format!("{} *", self.type_name(to)),
            Ty::Array(elem, n) => format!("{}[{n}]", self.type_name(elem)),
            Ty::Struct(id) => self.structs[id.0 as usize].name.clone(),
        }
    }
}
