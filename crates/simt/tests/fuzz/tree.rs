//! Random kernels as a tree of the test's own: types, expressions, statements. `print` writes them
//! as CUDA C.

/// Types of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Ty {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Ty {
    pub const ALL: [Ty; 11] = [
        Ty::Bool,
        Ty::I8,
        Ty::U8,
        Ty::I16,
        Ty::U16,
        Ty::I32,
        Ty::U32,
        Ty::I64,
        Ty::U64,
        Ty::F32,
        Ty::F64,
    ];
    /// What a template's type parameter may stand for.
    pub const WIDE: [Ty; 4] = [Ty::I32, Ty::U32, Ty::I64, Ty::U64];

    pub fn name(self) -> &'static str {
        match self {
            Ty::Bool => "bool",
            Ty::I8 => "signed char",
            Ty::U8 => "unsigned char",
            Ty::I16 => "short",
            Ty::U16 => "unsigned short",
            Ty::I32 => "int",
            Ty::U32 => "unsigned",
            Ty::I64 => "long long",
            Ty::U64 => "unsigned long long",
            Ty::F32 => "float",
            Ty::F64 => "double",
        }
    }

    /// As the names of vector types begin.
    pub fn vector_name(self) -> &'static str {
        match self {
            Ty::Bool | Ty::I8 => "char",
            Ty::U8 => "uchar",
            Ty::I16 => "short",
            Ty::U16 => "ushort",
            Ty::I32 => "int",
            Ty::U32 => "uint",
            Ty::I64 => "longlong",
            Ty::U64 => "ulonglong",
            Ty::F32 => "float",
            Ty::F64 => "double",
        }
    }

    pub fn is_float(self) -> bool {
        self >= Ty::F32
    }

    /// Narrower than `int`, but not `bool`: a float must not be converted to it at once.
    pub fn is_narrow(self) -> bool {
        (Ty::I8..=Ty::U16).contains(&self)
    }

    /// Integer promotion. Not inlined: with rustc 1.95 at opt-level 1 the recursion in [`Expr::ty`]
    /// otherwise becomes a loop that forgets to promote the type it ends with (found by seed 196,
    /// `~((a <= b) << c)`).
    #[inline(never)]
    pub fn promoted(self) -> Ty {
        if self < Ty::I32 { Ty::I32 } else { self }
    }

    /// The usual arithmetic conversions. The order of the variants is that of the ranks.
    pub fn common(self, other: Ty) -> Ty {
        self.promoted().max(other.promoted())
    }

    /// Bits of the values.
    pub fn bits(self) -> u32 {
        match self {
            Ty::Bool => 1,
            other => 8 * other.size() as u32,
        }
    }

    /// Bytes in memory.
    pub fn size(self) -> usize {
        match self {
            Ty::Bool | Ty::I8 | Ty::U8 => 1,
            Ty::I16 | Ty::U16 => 2,
            Ty::I32 | Ty::U32 | Ty::F32 => 4,
            Ty::I64 | Ty::U64 | Ty::F64 => 8,
        }
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64)
    }
}

/// Binary operators that compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Op {
    Add,
    Sub,
    Mul,
    /// By `(b & 15) + 1`: never by zero.
    Div,
    /// By `(b & 15) - 17`: negative, or huge where `b` is unsigned.
    DivNegative,
    /// Of floats.
    Quot,
    Rem,
    RemNegative,
    And,
    Or,
    Xor,
    /// By `b & 31`.
    Shl,
    Shr,
    /// By `b & 63`; the left side has 64 bits.
    ShlWide,
    ShrWide,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Cmp {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// Functions of the device. Arguments are cast to the type they need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Fun {
    Min,
    Max,
    Abs,
    Popc,
    Clz,
    Brev,
    Ffs,
    MulHi,
    FunnelLeft,
    Sad,
    /// Of three numbers stored in bit-fields.
    BitFields,
    IsNan,
    IntAsFloat,
    Sqrt,
    Fabs,
    Floor,
    Ceil,
    Trunc,
    Round,
    Rint,
    Fma,
    Fmin,
    Fmax,
    Fmod,
    Copysign,
    /// Sum and product of two floats as halves; sum as `__nv_bfloat16`.
    HalfSum,
    HalfProduct,
    BrainSum,
}

/// Expressions; without side effects.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Expr {
    Int(Ty, i64),
    Float(Ty, f64),
    /// Local variable by number.
    Var(usize),
    /// Element `index & 7` of an array.
    Element(usize, Box<Expr>),
    /// Element `index & 3` behind a pointer.
    Via(usize, Box<Expr>),
    /// Component of an object.
    Field(usize, usize),
    /// Element `index & 3` of a struct's array.
    FieldAt(usize, Box<Expr>),
    /// Component of the object that a function gives.
    CallField(Call, usize),
    /// The sum of an object's components as `double`, by its method.
    Total(usize),
    /// Component of the kernel's parameter `given`.
    Given(usize),
    /// Element `index & 63` of the input.
    Input(Box<Expr>),
    FloatInput(Box<Expr>),
    /// Element `index & 15` of a table in constant memory.
    Table(Box<Expr>),
    ThreadX,
    ThreadY,
    BlockX,
    BlockY,
    Parameter,
    /// The number that the function's template is given.
    Template,
    Neg(Box<Expr>),
    Not(Box<Expr>),
    Logic(Box<Expr>),
    Bin(Op, Box<Expr>, Box<Expr>),
    Cmp(Cmp, Box<Expr>, Box<Expr>),
    AndAlso(Box<Expr>, Box<Expr>),
    OrElse(Box<Expr>, Box<Expr>),
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    Cast(Ty, Box<Expr>),
    /// Type of the arguments and, mostly, of the result.
    Fun(Fun, Ty, Vec<Expr>),
    /// Of [`crate::functions::DEVICE`].
    Device(usize, Vec<Expr>),
    Call(Call),
}

/// A call of function number `function`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Call {
    pub function: usize,
    /// Template arguments, as far as the function has them.
    pub number: i64,
    pub ty: Ty,
    /// Variables bound to the parameters that are references.
    pub bound: Vec<usize>,
    pub array: Option<usize>,
    pub object: Option<usize>,
    /// The other arguments.
    pub args: Vec<Expr>,
}

/// Operations of atomics whose order does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Tally {
    Add,
    Sub,
    Min,
    Max,
    And,
    Or,
    Xor,
    /// Up to 100, then 0.
    Inc,
}

/// What a destructor works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarded {
    /// A variable.
    Var(usize),
    /// A variable, three times: by the object, its member and its base.
    Parts(usize),
    /// A global tally.
    Tally(usize),
}

/// How [`Stmt::Mark`] tests and stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marking {
    /// If the word is zero.
    Empty,
    /// If it is zero; a second word gets the next number.
    Beside,
    /// If it is less than the value.
    Less,
}

/// Statements.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Stmt {
    Let(usize, Expr),
    /// Declared without a value, which both branches give.
    LetByBranch(usize, Expr, Expr, Expr),
    Assign(usize, Expr),
    /// `a = b = e`
    Chain(usize, usize, Expr),
    AssignOp(Op, usize, Expr),
    /// Up or down, before or after.
    Step(usize, bool, bool),
    /// The value of such a step is assigned to the first variable.
    AssignStep(usize, usize, bool, bool),
    /// Array, index, value.
    Store(usize, Expr, Expr),
    /// Declares an array and fills it: `value` may use the counter, which is the variable.
    Array {
        array: usize,
        counter: usize,
        value: Expr,
    },
    /// Declares a pointer to element `offset & 3` of an array, or of the other one if the condition
    /// fails.
    Pointer {
        pointer: usize,
        array: usize,
        other: Option<(Expr, usize)>,
        offset: Expr,
    },
    /// Pointer, index, value.
    StoreVia(usize, Expr, Expr),
    LetObject(usize, Vec<Expr>),
    SetField(usize, usize, Expr),
    CopyObject(usize, usize),
    /// Element `index & 3` of a struct's array.
    SetFieldAt(usize, Expr, Expr),
    /// The object that a function gives.
    TakeObject(usize, Call),
    /// A method adds a number to the last component, and then another one to what it returns.
    Bump(usize, Expr),
    /// The sum of two structs, by their operator.
    AddObjects(usize, usize, usize),
    /// One of two objects, by `?:`.
    ChooseObject(usize, Expr, usize, usize),
    /// The first variable gets what a lambda makes of `arg`, its parameter being the second.
    Lambda {
        to: usize,
        param: usize,
        body: Expr,
        arg: Expr,
        by_value: bool,
    },
    /// An object is written to the thread's own place in global memory and read back into another.
    ObjectHome(usize, usize),
    /// Declares an object; what its destructor works on, and with which number.
    Guard(Guarded, Expr),
    /// A call as a statement; the result goes to the variable.
    Invoke(usize, Call),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Counts up to `turns`, or down from it; `bound`, taken `& 7` each time, may end it earlier.
    For {
        counter: usize,
        turns: i64,
        down: bool,
        bound: Option<Expr>,
        body: Vec<Stmt>,
        unroll: bool,
    },
    /// Counter, turns, condition.
    While {
        counter: usize,
        turns: i64,
        cond: Expr,
        body: Vec<Stmt>,
    },
    DoWhile {
        counter: usize,
        turns: i64,
        cond: Expr,
        body: Vec<Stmt>,
    },
    /// Value `& 3`; arms with labels, body, and whether they end in `break`; label 4 is `default`.
    Switch(Expr, Vec<(i64, Vec<Stmt>, bool)>),
    BreakIf(Expr),
    ContinueIf(Expr),
    ReturnIf(Expr, Option<Expr>),
    ReturnObjectIf(Expr, usize),
    Block(Vec<Stmt>),
    /// The kernel's global tally number `k` takes in a value.
    Atomic(usize, Expr),
    /// An atomic on the thread's own word: 0 exchange, 1 compare and swap, 2 add; the variable gets
    /// the old value.
    OwnAtomic {
        kind: u8,
        to: usize,
        a: Expr,
        b: Expr,
    },
    /// Word `word & 7` of a board is marked if it is not: its plain read races with the stores of
    /// other threads, and nothing depends on which comes first.
    Mark {
        board: usize,
        word: Expr,
        style: Marking,
        /// From 1 to 99; `None` is the kernel's parameter `level`.
        value: Option<i32>,
    },
    /// The variable gets whether a word of a board is above all values that are ever in it.
    Look {
        board: usize,
        word: Expr,
        to: usize,
    },
    // ---- only where all threads of the block pass
    /// Variable = value of another thread through shared memory: the one at
    /// `(tid * factor + shift) % block`.
    Exchange {
        array: usize,
        to: usize,
        value: Expr,
        factor: u32,
        shift: u32,
        reversed: bool,
    },
    /// As [`Stmt::Exchange`], of an object of the kernel's carried kind.
    ExchangeObject {
        from: usize,
        to: usize,
        shift: u32,
    },
    /// Four rows of a shared tile are filled, one element of row `row & 3` is read.
    Tile {
        counter: usize,
        value: Expr,
        to: usize,
        row: Expr,
        shift: u32,
    },
    /// All threads tally in shared memory; the variable gets the result.
    SharedTally {
        tally: Tally,
        ty: Ty,
        to: usize,
        value: Expr,
    },
    /// `__syncthreads_count`, `_and`, `_or`.
    SyncVote {
        kind: u8,
        to: usize,
        value: Expr,
    },
    /// Kind 0 xor, 1 up, 2 down, 3 any lane; within segments of `width` lanes; the lane is a
    /// constant, or an expression `& 31`.
    Shuffle {
        kind: u8,
        to: usize,
        value: Expr,
        lane: Expr,
        width: u32,
    },
    /// The lower half of each warp exchanges with lane `own ^ by`.
    HalfShuffle {
        to: usize,
        value: Expr,
        by: u32,
    },
    /// Kind 0 ballot, 1 all, 2 any.
    Vote {
        kind: u8,
        to: usize,
        value: Expr,
    },
    /// Lanes for which `cond` holds get the value of the first of them.
    Leader {
        to: usize,
        cond: Expr,
        value: Expr,
    },
    /// Lanes for which `cond` holds count those among them with a value.
    ActiveCount {
        to: usize,
        cond: Expr,
        value: Expr,
    },
    /// `__reduce_add_sync` and its like on `unsigned`.
    WarpReduce {
        tally: Tally,
        to: usize,
        value: Expr,
    },
    Uniform {
        counter: usize,
        turns: i64,
        body: Vec<Stmt>,
    },
}

/// A compound type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Object {
    /// `int3` and its like.
    Vector(Ty, usize),
    /// Number of a `struct` of the program.
    Struct(usize),
}

impl Object {
    pub fn fields(self, structs: &[Vec<Ty>]) -> Vec<Ty> {
        match self {
            Object::Vector(ty, n) => vec![ty; n],
            Object::Struct(k) => structs[k].clone(),
        }
    }

    pub fn name(self) -> String {
        match self {
            Object::Vector(ty, n) => format!("{}{n}", ty.vector_name()),
            Object::Struct(k) => format!("S{k}"),
        }
    }

    /// The first four components are an array.
    pub fn has_array(self) -> bool {
        self == Object::Struct(1)
    }

    pub fn field_name(self, field: usize) -> String {
        match self {
            _ if self.has_array() && field < 4 => format!("list[{field}]"),
            Object::Vector(..) => ["x", "y", "z", "w"][field].into(),
            Object::Struct(_) => format!("m{field}"),
        }
    }

    /// No gaps between the components: structs with an odd number of them.
    pub fn is_packed(self, structs: &[Vec<Ty>]) -> bool {
        matches!(self, Object::Struct(_)) && self.fields(structs).len() % 2 == 1
    }

    /// Offsets of the components, and the size of the whole.
    pub fn layout(self, structs: &[Vec<Ty>]) -> (Vec<usize>, usize) {
        let mut align = 1;
        let mut end: usize = 0;
        let mut offsets = Vec::new();
        for ty in self.fields(structs) {
            let own = if self.is_packed(structs) { 1 } else { ty.size() };
            align = align.max(own);
            offsets.push(end.next_multiple_of(own));
            end = offsets[offsets.len() - 1] + ty.size();
        }
        if let Object::Vector(ty, n @ (2 | 4)) = self {
            align = (n * ty.size()).min(16);
        }
        (offsets, end.next_multiple_of(align))
    }
}

/// Where an array of eight lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Place {
    Local,
    Global,
    Shared,
}

/// How a function gets its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Passing {
    Value,
    ConstReference,
    Reference,
    Pointer,
}

/// A device function: parameters are the first variables.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Function {
    /// Has a number, a type as template parameter.
    pub numbered: bool,
    pub generic: bool,
    pub params: usize,
    /// The first of the parameters are references.
    pub references: usize,
    /// The first array is a pointer parameter.
    pub takes_array: bool,
    /// The first object is a parameter.
    pub takes_object: Option<Passing>,
    /// The result is this object.
    pub gives: Option<usize>,
    pub ret: Ty,
    /// The result has the template's type.
    pub ret_generic: bool,
    pub vars: Vec<Ty>,
    /// Variables of the template's type; `vars` holds a stand-in.
    pub generic_vars: Vec<bool>,
    pub arrays: Vec<Ty>,
    pub pointers: Vec<Ty>,
    pub objects: Vec<Object>,
    pub body: Vec<Stmt>,
    pub result: Expr,
}

impl Function {
    /// Function number `k` goes some calls deep before it begins: every third one.
    pub fn is_deep(&self, k: usize) -> bool {
        k % 3 == 1 && !self.generic && !self.numbered
    }

    /// Calls may change what the caller sees.
    pub fn has_effects(&self) -> bool {
        self.references > 0
            || self.takes_array
            || matches!(self.takes_object, Some(Passing::Reference | Passing::Pointer))
    }

    /// Types of the variables in an instance for `ty`.
    pub fn var_types(&self, ty: Ty) -> Vec<Ty> {
        let own = |(v, generic): (&Ty, &bool)| if *generic { ty } else { *v };
        self.vars.iter().zip(&self.generic_vars).map(own).collect()
    }

    /// Type of the result in an instance for `ty`.
    pub fn returns(&self, ty: Ty) -> Ty {
        if self.ret_generic { ty } else { self.ret }
    }
}

/// A kernel with its functions; function `k` calls only functions before `k`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Kernel {
    pub structs: Vec<Vec<Ty>>,
    pub functions: Vec<Function>,
    pub vars: Vec<Ty>,
    pub arrays: Vec<Ty>,
    pub places: Vec<Place>,
    pub pointers: Vec<Ty>,
    pub objects: Vec<Object>,
    pub body: Vec<Stmt>,
    /// Variables that are written out at the end.
    pub results: Vec<usize>,
    /// Types of the two exchange arrays and of the tile.
    pub shared: [Ty; 3],
    /// The second exchange array is `extern __shared__`.
    pub dynamic: bool,
    /// What objects that pass through memory are.
    pub carried: Object,
    pub given: Object,
    pub given_values: Vec<i64>,
    pub tallies: Vec<(Tally, Ty)>,
    /// Boards of eight words that threads mark, and as many beside.
    pub boards: usize,
    pub table: Vec<i32>,
    pub block: [u32; 2],
    pub grid: [u32; 2],
    pub parameter: i32,
}

impl Kernel {
    /// The value of the parameter `level`.
    pub fn level(&self) -> i32 {
        (self.parameter & 31) + 1
    }

    /// Threads of a block.
    pub fn threads(&self) -> usize {
        (self.block[0] * self.block[1]) as usize
    }

    pub fn blocks(&self) -> usize {
        (self.grid[0] * self.grid[1]) as usize
    }
}

/// What is needed to know the type of an expression.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub structs: &'a [Vec<Ty>],
    pub functions: &'a [Function],
    pub vars: &'a [Ty],
    pub arrays: &'a [Ty],
    pub pointers: &'a [Ty],
    pub objects: &'a [Object],
    pub given: Object,
}

impl Expr {
    pub fn ty(&self, scope: Scope<'_>) -> Ty {
        match self {
            Expr::Int(ty, _) | Expr::Float(ty, _) | Expr::Cast(ty, _) => *ty,
            Expr::Var(v) => scope.vars[*v],
            Expr::Element(a, _) => scope.arrays[*a],
            Expr::Via(p, _) => scope.pointers[*p],
            Expr::Field(o, k) => scope.objects[*o].fields(scope.structs)[*k],
            Expr::FieldAt(o, _) => scope.objects[*o].fields(scope.structs)[0],
            Expr::CallField(call, k) => {
                let f = &scope.functions[call.function];
                f.gives.map_or(Ty::I32, |o| f.objects[o].fields(scope.structs)[*k])
            }
            Expr::Given(k) => scope.given.fields(scope.structs)[*k],
            Expr::Total(_) => Ty::F64,
            Expr::Input(_) | Expr::Table(_) | Expr::Parameter | Expr::Template => Ty::I32,
            Expr::FloatInput(_) => Ty::F32,
            Expr::ThreadX | Expr::ThreadY | Expr::BlockX | Expr::BlockY => Ty::U32,
            Expr::Neg(e) | Expr::Not(e) => e.ty(scope).promoted(),
            Expr::Logic(_) | Expr::Cmp(..) | Expr::AndAlso(..) | Expr::OrElse(..) => Ty::Bool,
            Expr::Bin(Op::Shl | Op::Shr | Op::ShlWide | Op::ShrWide, a, _) => {
                a.ty(scope).promoted()
            }
            Expr::Bin(_, a, b) => a.ty(scope).common(b.ty(scope)),
            // two operands of one type keep it
            Expr::Cond(_, a, b) => {
                let (a, b) = (a.ty(scope), b.ty(scope));
                if a == b { a } else { a.common(b) }
            }
            Expr::Device(k, _) => crate::functions::DEVICE[*k].result,
            Expr::Fun(fun, ty, _) => match fun {
                Fun::Popc | Fun::Clz | Fun::Ffs => Ty::I32,
                Fun::Sad => Ty::U32,
                Fun::IsNan => Ty::Bool,
                Fun::IntAsFloat => Ty::F32,
                _ => *ty,
            },
            Expr::Call(call) => scope.functions[call.function].returns(call.ty),
        }
    }
}
