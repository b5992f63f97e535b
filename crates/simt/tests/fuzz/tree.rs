//! Random kernels as a tree of the test's own: types, expressions, statements, and their text in CUDA C.

use std::fmt::Write;

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

    pub fn is_float(self) -> bool {
        self >= Ty::F32
    }

    /// Integer promotion. Not inlined: with rustc 1.95 at opt-level 1 the recursion in [`Expr::ty`] otherwise becomes a
    /// loop that forgets to promote the type it ends with (found by seed 196, `~((a <= b) << c)`).
    #[inline(never)]
    pub fn promoted(self) -> Ty {
        if self < Ty::I32 { Ty::I32 } else { self }
    }

    /// The usual arithmetic conversions. The order of the variants is that of the ranks.
    pub fn common(self, other: Ty) -> Ty {
        self.promoted().max(other.promoted())
    }

    /// Bits of an integer type.
    pub fn bits(self) -> u32 {
        match self {
            Ty::Bool => 1,
            Ty::I8 | Ty::U8 => 8,
            Ty::I16 | Ty::U16 => 16,
            Ty::I32 | Ty::U32 | Ty::F32 => 32,
            Ty::I64 | Ty::U64 | Ty::F64 => 64,
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
    /// Of floats.
    Quot,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
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
    UMulHi,
    Sqrt,
    Fabs,
    Floor,
    Trunc,
    Rint,
    Fma,
}

/// Expressions; without side effects.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Expr {
    Int(Ty, i64),
    Float(Ty, f64),
    /// Local variable by number.
    Var(usize),
    /// Element `index & 7` of a local array.
    Element(usize, Box<Expr>),
    /// Element `index & 63` of the input.
    Input(Box<Expr>),
    FloatInput(Box<Expr>),
    Thread,
    Block,
    Parameter,
    /// The template argument of the function.
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
    /// Type of the arguments and result.
    Fun(Fun, Ty, Vec<Expr>),
    /// Function by number, template argument, arguments.
    Call(usize, i64, Vec<Expr>),
}

/// Statements.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Stmt {
    Let(usize, Expr),
    Assign(usize, Expr),
    AssignOp(Op, usize, Expr),
    /// Up or down, before or after.
    Step(usize, bool, bool),
    /// Array, index, value.
    Store(usize, Expr, Expr),
    /// Declares an array and fills it: `value` may use the counter, which is the variable.
    Array {
        array: usize,
        counter: usize,
        value: Expr,
    },
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Counter, turns.
    For {
        counter: usize,
        turns: i64,
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
    /// Value `& 3`; arms with labels, body, and whether they end in `break`; the last label may be default (4).
    Switch(Expr, Vec<(i64, Vec<Stmt>, bool)>),
    BreakIf(Expr),
    ContinueIf(Expr),
    ReturnIf(Expr, Option<Expr>),
    Block(Vec<Stmt>),
    /// `atomicAdd(&sums[k], (int)e)`.
    Atomic(usize, Expr),
    // ---- only where all threads of the block pass
    /// Variable = value of the neighbour through shared memory; the partner is `(tid + shift) % block`.
    Exchange {
        array: usize,
        to: usize,
        value: Expr,
        shift: u32,
    },
    /// Kind 0 xor, 1 up, 2 down, 3 any lane; the last operand is a constant, or an expression `& 31`.
    Shuffle {
        kind: u8,
        to: usize,
        value: Expr,
        lane: Expr,
    },
    Ballot {
        to: usize,
        value: Expr,
    },
    Uniform {
        counter: usize,
        turns: i64,
        body: Vec<Stmt>,
    },
}

/// A device function: parameters are the first variables.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Function {
    pub templated: bool,
    pub params: usize,
    pub ret: Ty,
    pub vars: Vec<Ty>,
    pub arrays: Vec<Ty>,
    pub body: Vec<Stmt>,
    pub result: Expr,
}

/// A kernel with its functions; function `k` calls only functions before `k`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Kernel {
    pub functions: Vec<Function>,
    pub vars: Vec<Ty>,
    pub arrays: Vec<Ty>,
    pub body: Vec<Stmt>,
    /// Variables that are written out at the end.
    pub results: Vec<usize>,
    pub shared: Vec<Ty>,
    pub block: u32,
    pub grid: u32,
    pub parameter: i32,
}

/// What is needed to know the type of an expression.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub functions: &'a [Function],
    pub vars: &'a [Ty],
    pub arrays: &'a [Ty],
}

impl Expr {
    pub fn ty(&self, scope: Scope<'_>) -> Ty {
        match self {
            Expr::Int(ty, _) | Expr::Float(ty, _) | Expr::Cast(ty, _) => *ty,
            Expr::Var(v) => scope.vars[*v],
            Expr::Element(a, _) => scope.arrays[*a],
            Expr::Input(_) | Expr::Parameter | Expr::Template => Ty::I32,
            Expr::FloatInput(_) => Ty::F32,
            Expr::Thread | Expr::Block => Ty::U32,
            Expr::Neg(e) | Expr::Not(e) => e.ty(scope).promoted(),
            Expr::Logic(_) | Expr::Cmp(..) | Expr::AndAlso(..) | Expr::OrElse(..) => Ty::Bool,
            Expr::Bin(Op::Shl | Op::Shr, a, _) => a.ty(scope).promoted(),
            Expr::Bin(_, a, b) => a.ty(scope).common(b.ty(scope)),
            // two operands of one type keep it
            Expr::Cond(_, a, b) => {
                let (a, b) = (a.ty(scope), b.ty(scope));
                if a == b { a } else { a.common(b) }
            }
            Expr::Fun(fun, ty, _) => match fun {
                Fun::Popc | Fun::Clz | Fun::Ffs => Ty::I32,
                _ => *ty,
            },
            Expr::Call(f, _, _) => scope.functions[*f].ret,
        }
    }

    /// How tightly the operator binds; a higher number binds tighter.
    fn level(&self) -> u8 {
        match self {
            Expr::Cond(..) => 1,
            Expr::OrElse(..) => 2,
            Expr::AndAlso(..) => 3,
            Expr::Bin(Op::Or, ..) => 4,
            Expr::Bin(Op::Xor, ..) => 5,
            Expr::Bin(Op::And, ..) => 6,
            Expr::Cmp(Cmp::Eq | Cmp::Ne, ..) => 7,
            Expr::Cmp(..) => 8,
            Expr::Bin(Op::Shl | Op::Shr, ..) => 9,
            Expr::Bin(Op::Add | Op::Sub, ..) => 10,
            Expr::Bin(..) => 11,
            Expr::Neg(_) | Expr::Not(_) | Expr::Logic(_) | Expr::Cast(..) => 12,
            Expr::Int(_, v) if *v < 0 => 12,
            Expr::Float(_, v) if v.is_sign_negative() => 12,
            _ => 13,
        }
    }

    /// The text, in brackets if it binds less tightly than `level`.
    fn print(&self, level: u8) -> String {
        let own = self.level();
        let text = match self {
            Expr::Int(ty, v) => {
                let suffix = match ty {
                    Ty::U32 => "u",
                    Ty::I64 => "ll",
                    Ty::U64 => "ull",
                    _ => "",
                };
                format!("{v}{suffix}")
            }
            Expr::Float(ty, v) => format!("{v:?}{}", if *ty == Ty::F32 { "f" } else { "" }),
            Expr::Var(v) => format!("v{v}"),
            Expr::Element(a, i) => format!("a{a}[{} & 7]", i.print(7)),
            Expr::Input(i) => format!("in[{} & 63]", i.print(7)),
            Expr::FloatInput(i) => format!("fin[{} & 63]", i.print(7)),
            Expr::Thread => "threadIdx.x".into(),
            Expr::Block => "blockIdx.x".into(),
            Expr::Parameter => "parameter".into(),
            Expr::Template => "N".into(),
            // a space keeps `- -x` from becoming a decrement
            Expr::Neg(e) => format!("- {}", e.print(12)),
            Expr::Not(e) => format!("~{}", e.print(12)),
            Expr::Logic(e) => format!("!{}", e.print(12)),
            Expr::Bin(op, a, b) => {
                let b = match op {
                    Op::Shl | Op::Shr => format!("({} & 31)", b.print(7)),
                    Op::Div | Op::Rem => format!("(({} & 15) + 1)", b.print(7)),
                    _ => b.print(own + 1),
                };
                let sign = match op {
                    Op::Add => "+",
                    Op::Sub => "-",
                    Op::Mul => "*",
                    Op::Div | Op::Quot => "/",
                    Op::Rem => "%",
                    Op::And => "&",
                    Op::Or => "|",
                    Op::Xor => "^",
                    Op::Shl => "<<",
                    Op::Shr => ">>",
                };
                format!("{} {sign} {b}", a.print(own))
            }
            Expr::Cmp(cmp, a, b) => {
                let sign = match cmp {
                    Cmp::Lt => "<",
                    Cmp::Le => "<=",
                    Cmp::Gt => ">",
                    Cmp::Ge => ">=",
                    Cmp::Eq => "==",
                    Cmp::Ne => "!=",
                };
                format!("{} {sign} {}", a.print(own), b.print(own + 1))
            }
            Expr::AndAlso(a, b) => format!("{} && {}", a.print(own), b.print(own + 1)),
            Expr::OrElse(a, b) => format!("{} || {}", a.print(own), b.print(own + 1)),
            Expr::Cond(c, a, b) => {
                format!("{} ? {} : {}", c.print(2), a.print(1), b.print(1))
            }
            Expr::Cast(ty, e) => format!("({}){}", ty.name(), e.print(12)),
            Expr::Fun(fun, ty, args) => {
                let float = if *ty == Ty::F32 { "f" } else { "" };
                let name = match fun {
                    Fun::Min => "min".into(),
                    Fun::Max => "max".into(),
                    Fun::Abs => "abs".into(),
                    Fun::Popc => "__popc".into(),
                    Fun::Clz => "__clz".into(),
                    Fun::Brev => "__brev".into(),
                    Fun::Ffs => "__ffs".into(),
                    Fun::MulHi => "__mulhi".into(),
                    Fun::UMulHi => "__umulhi".into(),
                    Fun::Sqrt => format!("sqrt{float}"),
                    Fun::Fabs => format!("fabs{float}"),
                    Fun::Floor => format!("floor{float}"),
                    Fun::Trunc => format!("trunc{float}"),
                    Fun::Rint => format!("rint{float}"),
                    Fun::Fma => format!("fma{float}"),
                };
                let args: Vec<String> =
                    args.iter().map(|a| format!("({}){}", ty.name(), a.print(12))).collect();
                format!("{name}({})", args.join(", "))
            }
            Expr::Call(f, n, args) => {
                let args: Vec<String> = args.iter().map(|a| a.print(1)).collect();
                let template = if *n >= 0 { format!("<{n}>") } else { String::new() };
                format!("f{f}{template}({})", args.join(", "))
            }
        };
        if own < level { format!("({text})") } else { text }
    }
}

struct Printer<'a> {
    out: String,
    vars: &'a [Ty],
    arrays: &'a [Ty],
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(self.depth));
    }

    fn block(&mut self, head: &str, body: &[Stmt], tail: &str) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        body.iter().for_each(|s| self.stmt(s));
        self.depth -= 1;
        self.line(&format!("}}{tail}"));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let e = |e: &Expr| e.print(1);
        match stmt {
            Stmt::Let(v, value) => {
                let ty = self.vars[*v].name();
                self.line(&format!("{ty} v{v} = {};", e(value)));
            }
            Stmt::Assign(v, value) => self.line(&format!("v{v} = {};", e(value))),
            Stmt::AssignOp(op, v, value) => {
                let text =
                    Expr::Bin(*op, Box::new(Expr::Var(*v)), Box::new(value.clone())).print(0);
                // "v1 + x" becomes "v1 += x"
                let rest = &text[format!("v{v} ").len()..];
                let (sign, rest) = rest.split_once(' ').unwrap_or((rest, ""));
                self.line(&format!("v{v} {sign}= {rest};"));
            }
            Stmt::Step(v, up, before) => {
                let sign = if *up { "++" } else { "--" };
                self.line(&if *before { format!("{sign}v{v};") } else { format!("v{v}{sign};") });
            }
            Stmt::Store(a, i, value) => {
                self.line(&format!("a{a}[{} & 7] = {};", i.print(7), e(value)));
            }
            Stmt::Array { array, counter, value } => {
                self.line(&format!("{} a{array}[8];", self.arrays[*array].name()));
                self.line(&format!("for (int v{counter} = 0; v{counter} < 8; ++v{counter})"));
                self.line(&format!("    a{array}[v{counter}] = {};", e(value)));
            }
            Stmt::If(cond, then, els) => {
                self.block(&format!("if ({})", e(cond)), then, "");
                if !els.is_empty() {
                    self.block("else", els, "");
                }
            }
            Stmt::For { counter: c, turns, body, unroll } => {
                if *unroll {
                    self.line("#pragma unroll");
                }
                self.block(&format!("for (int v{c} = 0; v{c} < {turns}; ++v{c})"), body, "");
            }
            Stmt::Uniform { counter: c, turns, body } => {
                self.block(&format!("for (int v{c} = 0; v{c} < {turns}; v{c}++)"), body, "");
            }
            Stmt::While { counter: c, turns, cond, body } => {
                self.line(&format!("int v{c} = {turns};"));
                self.block(&format!("while (v{c}-- > 0 && {})", cond.print(4)), body, "");
            }
            Stmt::DoWhile { counter: c, turns, cond, body } => {
                self.line(&format!("int v{c} = {turns};"));
                let tail = format!(" while (--v{c} > 0 && {});", cond.print(4));
                self.block("do", body, &tail);
            }
            Stmt::Switch(value, arms) => {
                self.line(&format!("switch ((int)({}) & 3) {{", e(value)));
                for (label, body, stop) in arms {
                    self.line(&match label {
                        4 => "default: {".to_string(),
                        n => format!("case {n}: {{"),
                    });
                    self.depth += 1;
                    body.iter().for_each(|s| self.stmt(s));
                    self.depth -= 1;
                    self.line("}");
                    if *stop {
                        self.line("    break;");
                    }
                }
                self.line("}");
            }
            Stmt::BreakIf(cond) => self.line(&format!("if ({}) break;", e(cond))),
            Stmt::ContinueIf(cond) => self.line(&format!("if ({}) continue;", e(cond))),
            Stmt::ReturnIf(cond, None) => self.line(&format!("if ({}) return;", e(cond))),
            Stmt::ReturnIf(cond, Some(v)) => {
                self.line(&format!("if ({}) return {};", e(cond), e(v)));
            }
            Stmt::Block(body) => self.block("", body, ""),
            Stmt::Atomic(k, value) => {
                self.line(&format!("atomicAdd(&sums[{k}], (int)({}));", e(value)));
            }
            Stmt::Exchange { array, to, value, shift } => {
                self.line(&format!("s{array}[threadIdx.x] = {};", e(value)));
                self.line("__syncthreads();");
                self.line(&format!("v{to} = s{array}[(threadIdx.x + {shift}) % blockDim.x];"));
                self.line("__syncthreads();");
            }
            Stmt::Shuffle { kind, to, value, lane } => {
                let name = ["xor_", "up_", "down_", ""][*kind as usize];
                let lane = match lane {
                    Expr::Int(_, n) if (0..32).contains(n) => n.to_string(),
                    lane => format!("(int)({}) & 31", e(lane)),
                };
                let value = e(value);
                self.line(&format!("v{to} = __shfl_{name}sync(0xffffffffu, {value}, {lane});"));
            }
            Stmt::Ballot { to, value } => {
                self.line(&format!("v{to} = __ballot_sync(0xffffffffu, {});", e(value)));
            }
        }
    }
}

fn body(vars: &[Ty], arrays: &[Ty], stmts: &[Stmt]) -> String {
    let mut printer = Printer { out: String::new(), vars, arrays, depth: 1 };
    stmts.iter().for_each(|s| printer.stmt(s));
    printer.out
}

impl Kernel {
    /// The kernel as CUDA C.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (k, f) in self.functions.iter().enumerate() {
            if f.templated {
                out += "template <int N>\n";
            }
            let params: Vec<String> =
                (0..f.params).map(|p| format!("{} v{p}", f.vars[p].name())).collect();
            let _ = writeln!(
                out,
                "__device__ {} f{k}({})\n{{\n{}    return {};\n}}\n",
                f.ret.name(),
                params.join(", "),
                body(&f.vars, &f.arrays, &f.body),
                f.result.print(1)
            );
        }
        out += "extern \"C\" __global__ void fuzz(const int *in, const float *fin, int *sums, long long *out, double *fout, int parameter)\n{\n";
        for (k, ty) in self.shared.iter().enumerate() {
            let _ = writeln!(out, "    __shared__ {} s{k}[{}];", ty.name(), self.block);
        }
        out += &body(&self.vars, &self.arrays, &self.body);
        let _ = writeln!(out, "    int slot = (blockIdx.x * blockDim.x + threadIdx.x) * 8;");
        for (k, v) in self.results.iter().enumerate() {
            let _ = match self.vars[*v].is_float() {
                true => writeln!(out, "    fout[slot + {k}] = v{v};"),
                false => writeln!(out, "    out[slot + {k}] = v{v};"),
            };
        }
        out + "}\n"
    }
}
