//! Random kernels as text.

use std::fmt::Write;

use crate::functions::DEVICE;
use crate::tree::{
    Call, Cmp, Expr, Fun, Function, Guarded, Kernel, Marking, Object, Op, Passing, Place, Stmt,
    Tally, Ty,
};

/// What the text of an expression depends on.
#[derive(Clone, Copy)]
struct Context<'a> {
    functions: &'a [Function],
    objects: &'a [Object],
    given: Object,
}

impl Tally {
    fn name(self) -> &'static str {
        match self {
            Tally::Add => "Add",
            Tally::Sub => "Sub",
            Tally::Min => "Min",
            Tally::Max => "Max",
            Tally::And => "And",
            Tally::Or => "Or",
            Tally::Xor => "Xor",
            Tally::Inc => "Inc",
        }
    }

    /// The new value, made of what was `seen` and the operand `v`.
    fn formula(self) -> &'static str {
        match self {
            Tally::Add => "seen + v",
            Tally::Sub => "seen - v",
            Tally::Min => "min(seen, v)",
            Tally::Max => "max(seen, v)",
            Tally::And => "seen & v",
            Tally::Or => "seen | v",
            Tally::Xor => "seen ^ v",
            Tally::Inc => "seen >= v ? 0 : seen + 1",
        }
    }

    /// The operand: sums of floats must be exact, so that their order does not matter; the limit of
    /// `Inc` is one for all.
    fn operand(self, ty: Ty, value: &str) -> String {
        match (self, ty) {
            (Tally::Inc, _) => "100u".into(),
            (_, Ty::F32 | Ty::F64) => format!("({})((int)({value}) & 255)", ty.name()),
            _ => format!("({})({value})", ty.name()),
        }
    }
}

impl Expr {
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
            Expr::Bin(Op::Shl | Op::Shr | Op::ShlWide | Op::ShrWide, ..) => 9,
            Expr::Bin(Op::Add | Op::Sub, ..) => 10,
            Expr::Bin(..) => 11,
            Expr::Neg(_) | Expr::Not(_) | Expr::Logic(_) | Expr::Cast(..) => 12,
            Expr::Int(_, v) if *v < 0 => 12,
            Expr::Float(_, v) if v.is_sign_negative() => 12,
            _ => 13,
        }
    }

    /// The text, in brackets if it binds less tightly than `level`.
    fn print(&self, c: Context<'_>, level: u8) -> String {
        let own = self.level();
        let index = |e: &Expr, mask: u32| format!("[{} & {mask}]", e.print(c, 7));
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
            Expr::Element(a, i) => format!("a{a}{}", index(i, 7)),
            Expr::Via(p, i) if matches!(**i, Expr::Int(_, 0)) => format!("(*p{p})"),
            Expr::Via(p, i) if matches!(**i, Expr::Var(_)) => {
                format!("(*(p{p} + ({} & 3)))", i.print(c, 7))
            }
            Expr::Via(p, i) => format!("p{p}{}", index(i, 3)),
            Expr::Field(o, k) => format!("o{o}.{}", c.objects[*o].field_name(*k)),
            Expr::FieldAt(o, i) => format!("o{o}.list{}", index(i, 3)),
            Expr::CallField(call, k) => {
                let f = &c.functions[call.function];
                let name = f.gives.map(|o| f.objects[o].field_name(*k)).unwrap_or_default();
                format!("{}.{name}", call.print(c))
            }
            Expr::Total(o) => format!("o{o}.total()"),
            Expr::Given(k) => format!("given.{}", c.given.field_name(*k)),
            Expr::Input(i) => format!("in{}", index(i, 63)),
            Expr::FloatInput(i) => format!("fin{}", index(i, 63)),
            Expr::Table(i) => format!("table{}", index(i, 15)),
            Expr::ThreadX => "threadIdx.x".into(),
            Expr::ThreadY => "threadIdx.y".into(),
            Expr::BlockX => "blockIdx.x".into(),
            Expr::BlockY => "blockIdx.y".into(),
            Expr::Parameter => "parameter".into(),
            Expr::Template => "N".into(),
            // a space keeps `- -x` from becoming a decrement
            Expr::Neg(e) => format!("- {}", e.print(c, 12)),
            Expr::Not(e) => format!("~{}", e.print(c, 12)),
            Expr::Logic(e) => format!("!{}", e.print(c, 12)),
            Expr::Bin(op, a, b) => {
                let (sign, right) = operator(c, *op, b, own + 1);
                let left = a.print(c, own);
                match (op, (left.len() + right.len()) % 8) {
                    (Op::Add, 3) => format!("sum_of({left}, {right})"),
                    _ => format!("{left} {sign} {right}"),
                }
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
                format!("{} {sign} {}", a.print(c, own), b.print(c, own + 1))
            }
            Expr::AndAlso(a, b) => {
                let (a, b) = (a.print(c, own), b.print(c, own + 1));
                format!("{a} {} {b}", spelling(&a, "&&", "and"))
            }
            Expr::OrElse(a, b) => {
                let (a, b) = (a.print(c, own), b.print(c, own + 1));
                format!("{a} {} {b}", spelling(&a, "||", "or"))
            }
            Expr::Cond(cond, a, b) => {
                format!("{} ? {} : {}", cond.print(c, 2), a.print(c, 1), b.print(c, 1))
            }
            Expr::Cast(ty, e) => {
                let (name, e) = (ty.name(), e.print(c, 12));
                match e.len() % 8 {
                    7 => format!("({{ {name} w = ({name}){e}; w; }})"),
                    5 => format!("first_of(({name}){e}, 1, 2.5f)"),
                    _ => format!("({name}){e}"),
                }
            }
            Expr::Fun(fun, ty, args) => {
                let args: Vec<String> =
                    args.iter().map(|a| format!("({}){}", ty.name(), a.print(c, 12))).collect();
                format!("{}({})", function_name(*fun, *ty, args[0].len()), args.join(", "))
            }
            Expr::Device(k, args) => {
                let f = &DEVICE[*k];
                let arg = |(a, ty): (&Expr, &Ty)| format!("({}){}", ty.name(), a.print(c, 12));
                let args: Vec<String> = args.iter().zip(&f.params).map(arg).collect();
                format!("{}({})", f.name, args.join(", "))
            }
            Expr::Call(call) => call.print(c),
        };
        if own < level { format!("({text})") } else { text }
    }
}

/// One of two ways to write the same, by what stands before.
fn spelling(before: &str, sign: &'static str, word: &'static str) -> &'static str {
    if before.len().is_multiple_of(2) { sign } else { word }
}

/// An operator's sign and its right side, which is kept where the result is defined.
fn operator(c: Context<'_>, op: Op, b: &Expr, level: u8) -> (&'static str, String) {
    let within = |bits: u32, add: &str| format!("({} & {bits}){add}", b.print(c, 7));
    match op {
        Op::Add => ("+", b.print(c, level)),
        Op::Sub => ("-", b.print(c, level)),
        Op::Mul => ("*", b.print(c, level)),
        Op::Quot => ("/", b.print(c, level)),
        Op::And => ("&", b.print(c, level)),
        Op::Or => ("|", b.print(c, level)),
        Op::Xor => ("^", b.print(c, level)),
        Op::Div => ("/", format!("({})", within(15, " + 1"))),
        Op::Rem => ("%", format!("({})", within(15, " + 1"))),
        Op::DivNegative => ("/", format!("({})", within(15, " - 17"))),
        Op::RemNegative => ("%", format!("({})", within(15, " - 17"))),
        Op::Shl => ("<<", within(31, "")),
        Op::Shr => (">>", within(31, "")),
        Op::ShlWide => ("<<", within(63, "")),
        Op::ShrWide => (">>", within(63, "")),
    }
}

/// `spelled` chooses among names of the same.
fn function_name(fun: Fun, ty: Ty, spelled: usize) -> String {
    let wide = ty.size() == 8;
    let float = |name: &str| format!("{name}{}", if ty == Ty::F32 { "f" } else { "" });
    let integer = |name: &str| format!("__{name}{}", if wide { "ll" } else { "" });
    match fun {
        Fun::Min if ty == Ty::I64 && spelled.is_multiple_of(2) => "lower_of".into(),
        Fun::Min => "min".into(),
        Fun::Max => "max".into(),
        Fun::Abs => "abs".into(),
        Fun::Popc => integer("popc"),
        Fun::Clz => integer("clz"),
        Fun::Brev => integer("brev"),
        Fun::Ffs => integer("ffs"),
        Fun::MulHi => match ty {
            Ty::I32 => "__mulhi".into(),
            Ty::U32 => "__umulhi".into(),
            Ty::I64 => "__mul64hi".into(),
            _ => "__umul64hi".into(),
        },
        Fun::FunnelLeft => "__funnelshift_l".into(),
        Fun::Sad => if ty == Ty::I32 { "__sad" } else { "__usad" }.into(),
        Fun::BitFields => "bit_fields".into(),
        Fun::IsNan => "isnan".into(),
        Fun::IntAsFloat if spelled.is_multiple_of(2) => "punned".into(),
        Fun::IntAsFloat => "__int_as_float".into(),
        Fun::HalfSum => "half_sum".into(),
        Fun::HalfProduct => "half_product".into(),
        Fun::BrainSum => "brain_sum".into(),
        Fun::Sqrt => float("sqrt"),
        Fun::Fabs => float("fabs"),
        Fun::Floor => float("floor"),
        Fun::Ceil => float("ceil"),
        Fun::Trunc => float("trunc"),
        Fun::Round => float("round"),
        Fun::Rint => float("rint"),
        Fun::Fma => float("fma"),
        Fun::Fmin => float("fmin"),
        Fun::Fmax => float("fmax"),
        Fun::Fmod => float("fmod"),
        Fun::Copysign => float("copysign"),
    }
}

impl Call {
    fn print(&self, c: Context<'_>) -> String {
        let function = &c.functions[self.function];
        let mut args: Vec<String> = self.bound.iter().map(|v| format!("v{v}")).collect();
        args.extend(self.args.iter().map(|a| a.print(c, 1)));
        args.extend(self.array.map(|a| format!("a{a}")));
        args.extend(self.object.map(|o| match function.takes_object {
            Some(Passing::Pointer) => format!("&o{o}"),
            _ => format!("o{o}"),
        }));
        let mut template = Vec::new();
        if function.generic {
            template.push(self.ty.name().to_string());
        }
        if function.numbered {
            template.push(self.number.to_string());
        }
        let template = match template.is_empty() {
            true => String::new(),
            false => format!("<{}>", template.join(", ")),
        };
        let args = args.join(", ");
        // Some calls go through the address.
        match (template.is_empty(), args.len() % 4) {
            (true, 1) => format!("(*f{})({args})", self.function),
            (true, 3) => format!("(&f{})({args})", self.function),
            _ => format!("f{}{template}({args})", self.function),
        }
    }
}

/// What kernels include and what their expressions call: pairs of halves, a union, bit-fields,
/// packs, virtual functions of objects that differ from thread to thread.
const PRELUDE: &str = "\
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

__device__ float half_sum(float a, float b)
{
    return __high2float(__hadd2(__floats2half2_rn(1.0f, a), __floats2half2_rn(a, b)));
}
__device__ float half_product(float a, float b)
{
    return __low2float(__hmul2(__floats2half2_rn(a, b), __floats2half2_rn(b, 0.0f)));
}
__device__ float brain_sum(float a, float b)
{
    return __bfloat162float(__hadd(__float2bfloat16(a), __float2bfloat16(b)));
}
union Word {
    int i;
    float f;
};
__device__ Word word_of(int i)
{
    Word w;
    w.i = i;
    return w;
}
__device__ float float_of(Word w) { return w.f; }
__device__ float punned(int i) { return float_of(word_of(i)); }
struct Parts {
    int low : 5;
    unsigned mid : 11;
    bool flag : 1;
    int high : 15;
    long long far : 37;
};
__device__ Parts parts_of(int a, int b, int c)
{
    Parts p;
    p.low = a;
    p.mid = b;
    p.flag = c & 2;
    p.high = c;
    p.far = b * 65537ll + a;
    p.mid += p.low;
    return p;
}
__device__ int bit_fields(int a, int b, int c)
{
    const Parts p = parts_of(a, b, c);
    Parts q = p;
    q.high -= 3;
    return (p.low * 128 ^ q.mid) + (q.flag ? q.high : p.high) + (int)(q.far >> 20);
}
template <class T, class... Rest> __device__ T first_of(T a, Rest...) { return a; }
template <class... Terms> __device__ auto sum_of(Terms... terms) { return (terms + ...); }
struct Lower {
    __device__ virtual long long of(long long a, long long b) const { return min(a, b); }
};
struct Chosen : Lower {
    int turns;
    __device__ Chosen(int n) : turns(n) {}
    __device__ long long of(long long a, long long b) const override { return turns > 0 && b < a ? \
    b : a; }
};
__device__ long long lower_of(long long a, long long b)
{
    Lower plain;
    Chosen chosen(1);
    const Lower *which = a & 1 ? &plain : (const Lower *)&chosen;
    return which->of(a, b);
}
";

/// Objects whose destructors work on a variable.
const GUARDS: &str = "\
template <class T> struct Guard {
    T *at;
    int by;
    __device__ Guard(T *v, int b) : at(v), by(b) {}
    __device__ ~Guard() { *at = (T)(*at * 3 + by); }
};
template <class T> struct Parts : Guard<T> {
    Guard<T> inner;
    __device__ Parts(T *v, int b) : Guard<T>(v, b), inner(v, b ^ 1) {}
    __device__ ~Parts() { *inner.at = (T)(*inner.at * 3 + 5); }
};
";

/// Some `break` or `continue` stands in the statements.
fn leaves(body: &[Stmt]) -> bool {
    body.iter().any(|s| match s {
        Stmt::BreakIf(_) | Stmt::ContinueIf(_) => true,
        Stmt::If(_, a, b) => leaves(a) || leaves(b),
        Stmt::Block(b) => leaves(b),
        Stmt::Switch(_, arms) => arms.iter().any(|(_, body, _)| leaves(body)),
        _ => false,
    })
}

struct Printer<'a> {
    out: String,
    context: Context<'a>,
    vars: Vec<&'static str>,
    arrays: &'a [Ty],
    places: &'a [Place],
    pointers: &'a [Ty],
    boards: usize,
    depth: usize,
    /// How arrays on the heap are given back.
    heap: Vec<String>,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(self.depth));
    }

    fn lines(&mut self, lines: &[&str]) {
        lines.iter().for_each(|l| self.line(l));
    }

    fn body(&mut self, stmts: &[Stmt]) {
        self.depth += 1;
        stmts.iter().for_each(|s| self.stmt(s));
        self.depth -= 1;
    }

    fn block(&mut self, head: &str, body: &[Stmt], tail: &str) {
        self.line(&format!("{head} {{"));
        self.body(body);
        self.line(&format!("}}{tail}"));
    }

    /// Prints a statement. The match is long because it leaves none out: what nobody prints does
    /// not compile.
    fn stmt(&mut self, stmt: &Stmt) {
        let c = self.context;
        let e = |e: &Expr| e.print(c, 1);
        let masked = |e: &Expr, mask: u32| format!("({} & {mask})", e.print(c, 7));
        let step = |v: usize, up: bool, before: bool| {
            let sign = if up { "++" } else { "--" };
            if before { format!("{sign}v{v}") } else { format!("v{v}{sign}") }
        };
        let sync = match self.out.len() % 3 {
            0 => "cg::this_thread_block().sync();",
            _ => "__syncthreads();",
        };
        const TILE: &str = "cg::tiled_partition<32>(cg::this_thread_block())";
        match stmt {
            Stmt::Let(v, value) => self.line(&format!("{} v{v} = {};", self.vars[*v], e(value))),
            Stmt::LetByBranch(v, cond, a, b) => {
                self.line(&format!("{} v{v};", self.vars[*v]));
                self.line(&format!("if ({}) v{v} = {};", e(cond), e(a)));
                self.line(&format!("else v{v} = {};", e(b)));
            }
            Stmt::Assign(v, value) => self.line(&format!("v{v} = {};", e(value))),
            Stmt::Chain(v, w, value) => self.line(&format!("v{v} = v{w} = {};", e(value))),
            Stmt::AssignOp(op, v, value) => {
                let (sign, right) = operator(c, *op, value, 1);
                self.line(&format!("v{v} {sign}= {right};"));
            }
            Stmt::Step(v, up, before) => self.line(&format!("{};", step(*v, *up, *before))),
            Stmt::AssignStep(to, v, up, before) => {
                self.line(&format!("v{to} = {};", step(*v, *up, *before)));
            }
            Stmt::Store(a, i, value) => {
                self.line(&format!("a{a}[{} & 7] = {};", i.print(c, 7), e(value)));
            }
            Stmt::Array { array, counter, value } => {
                let ty = self.arrays[*array].name();
                // Once for each thread, so that the heap has room.
                let once = self.depth == 1 && !self.places.is_empty();
                let text = match self.places.get(*array).unwrap_or(&Place::Local) {
                    Place::Local if once && array % 3 == 1 => {
                        self.heap.push(format!("delete[] a{array};"));
                        format!("{ty} *a{array} = new {ty}[8];")
                    }
                    Place::Local if once && array % 3 == 2 => {
                        self.heap.push(format!("free(a{array});"));
                        format!("{ty} *a{array} = ({ty} *)malloc(8 * sizeof({ty}));")
                    }
                    Place::Local => format!("{ty} a{array}[8];"),
                    Place::Global => format!("{ty} *a{array} = g{array} + 8 * gid;"),
                    Place::Shared => format!("{ty} *a{array} = q{array} + 8 * tid;"),
                };
                self.line(&text);
                self.line(&format!("for (int v{counter} = 0; v{counter} < 8; ++v{counter})"));
                self.line(&format!("    a{array}[v{counter}] = {};", e(value)));
            }
            Stmt::Pointer { pointer, array, other, offset } => {
                let base = match other {
                    Some((cond, other)) => format!("({} ? a{array} : a{other})", cond.print(c, 2)),
                    None => format!("a{array}"),
                };
                let ty = self.pointers[*pointer].name();
                self.line(&match offset {
                    Expr::Int(_, n) => format!("{ty} *p{pointer} = &{base}[{}];", n & 3),
                    offset => format!("{ty} *p{pointer} = {base} + {};", masked(offset, 3)),
                });
            }
            Stmt::StoreVia(p, i, value) => {
                self.line(&format!("p{p}[{} & 3] = {};", i.print(c, 7), e(value)));
            }
            Stmt::LetObject(o, values) => {
                let object = c.objects[*o];
                let mut values: Vec<String> = values.iter().map(e).collect();
                // the braces of an array may be left out
                if object.has_array() && o % 2 == 0 {
                    let list = values.drain(..4).collect::<Vec<_>>().join(", ");
                    values.insert(0, format!("{{{list}}}"));
                }
                let (name, values) = (object.name(), values.join(", "));
                self.line(&match object {
                    Object::Vector(..) => format!("{name} o{o} = make_{name}({values});"),
                    Object::Struct(_) => format!("{name} o{o} = {{{values}}};"),
                });
            }
            Stmt::SetField(o, k, value) => {
                let field = c.objects[*o].field_name(*k);
                self.line(&format!("o{o}.{field} = {};", e(value)));
            }
            Stmt::CopyObject(to, from) => self.line(&format!("o{to} = o{from};")),
            Stmt::SetFieldAt(o, i, value) => {
                self.line(&format!("o{o}.list[{} & 3] = {};", i.print(c, 7), e(value)));
            }
            Stmt::TakeObject(to, call) => self.line(&format!("o{to} = {};", call.print(c))),
            Stmt::Bump(o, by) => self.line(&format!("o{o}.bump({}).bump(1);", e(by))),
            Stmt::AddObjects(to, a, b) => self.line(&format!("o{to} = o{a} + o{b};")),
            Stmt::ChooseObject(to, cond, a, b) => {
                self.line(&format!("o{to} = {} ? o{a} : o{b};", cond.print(c, 2)));
            }
            Stmt::Lambda { to, param, body, arg, by_value } => {
                let (capture, ty) = (if *by_value { "=" } else { "&" }, self.vars[*param]);
                let body = e(body);
                self.line(&format!(
                    "auto lambda{param} = [{capture}]({ty} v{param}) {{ return {body}; }};"
                ));
                self.line(&format!("v{to} = lambda{param}({});", e(arg)));
            }
            Stmt::ObjectHome(to, from) => {
                self.line(&format!("home[gid] = o{from};"));
                self.line(&format!("o{to} = home[gid];"));
            }
            Stmt::Guard(what, by) => {
                let (here, by) = (self.out.len(), e(by));
                self.line(&match what {
                    Guarded::Var(v) => format!("Guard g{here}(&v{v}, (int)({by}));"),
                    Guarded::Parts(v) => format!("Parts g{here}(&v{v}, (int)({by}));"),
                    Guarded::Tally(k) => format!("Tallied{k} g{here}{{sums, (int)({by})}};"),
                });
            }
            Stmt::Mark { board, word, style, value } => {
                let value = value.map_or("level".to_string(), |v| v.to_string());
                let at = format!("marks[{} + w]", 8 * board);
                let test = match style {
                    Marking::Empty => format!("{at} == 0"),
                    Marking::Beside => format!("!{at}"),
                    Marking::Less => format!("{at} < {value}"),
                };
                let mut store = format!("{at} = {value};");
                if *style == Marking::Beside {
                    store += &format!(" marks[{} + w] = {value} + 1;", 8 * (self.boards + board));
                }
                self.line(&format!("{{ int w = {};", masked(word, 7)));
                self.line(&format!("  if ({test}) {{ {store} }} }}"));
            }
            Stmt::Look { board, word, to } => {
                self.line(&format!("v{to} = marks[{} + {}] > 99;", 8 * board, masked(word, 7)));
            }
            Stmt::Invoke(to, call) => self.line(&format!("v{to} = {};", call.print(c))),
            Stmt::If(cond, then, els) if self.out.len().is_multiple_of(5) => {
                let here = self.out.len();
                self.line(&format!("{{ if (!({})) goto else{here};", e(cond)));
                self.block("", then, "");
                self.line(&format!("goto end{here}; else{here}:"));
                self.block("", els, "");
                self.line(&format!("end{here}: ; }}"));
            }
            Stmt::If(cond, then, els) => {
                self.block(&format!("if ({})", e(cond)), then, "");
                if !els.is_empty() {
                    self.block("else", els, "");
                }
            }
            Stmt::For { counter: v, turns, down, bound, body, unroll } => {
                if *unroll {
                    self.line("#pragma unroll");
                }
                let limit = bound.as_ref().map(|b| masked(b, 7));
                let head = match (down, limit) {
                    (false, None) => format!("for (int v{v} = 0; v{v} < {turns}; ++v{v})"),
                    (true, None) => format!("for (int v{v} = {turns}; v{v} > 0; v{v}--)"),
                    (false, Some(b)) => {
                        format!("for (int v{v} = 0; v{v} < {turns} && v{v} < {b}; ++v{v})")
                    }
                    (true, Some(b)) => {
                        format!("for (int v{v} = {turns}; v{v} > 0 && v{v} != {b}; v{v} -= 1)")
                    }
                };
                self.block(&head, body, "");
            }
            Stmt::Uniform { counter: v, turns, body } => {
                self.block(&format!("for (int v{v} = 0; v{v} < {turns}; v{v}++)"), body, "");
            }
            Stmt::While { counter: v, turns, cond, body } => {
                self.line(&format!("int v{v} = {turns};"));
                let cond = format!("(v{v}-- > 0 && {})", cond.print(c, 4));
                if self.out.len().is_multiple_of(3) && !leaves(body) {
                    let here = self.out.len();
                    self.line(&format!("again{here}:"));
                    self.block(&format!("if {cond}"), body, "");
                    // The body's end goes back: put before its brace.
                    self.out.truncate(self.out.trim_end().len() - 1);
                    self.line(&format!("    goto again{here}; }}"));
                } else {
                    self.block(&format!("while {cond}"), body, "");
                }
            }
            Stmt::DoWhile { counter: v, turns, cond, body } => {
                self.line(&format!("int v{v} = {turns};"));
                let tail = format!(" while (--v{v} > 0 && {});", cond.print(c, 4));
                self.block("do", body, &tail);
            }
            Stmt::Switch(value, arms) => {
                self.line(&format!("switch ((int)({}) & 3) {{", e(value)));
                for (label, body, stop) in arms {
                    self.line(&match label {
                        4 => "default: {".to_string(),
                        n => format!("case {n}: {{"),
                    });
                    self.body(body);
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
            Stmt::ReturnObjectIf(cond, o) => self.line(&format!("if ({}) return o{o};", e(cond))),
            Stmt::Block(body) => self.block("", body, ""),
            Stmt::Atomic(k, value) => self.line(&format!("TALLY{k}({});", e(value))),
            Stmt::OwnAtomic { kind, to, a, b } => {
                let (a, b) = (e(a), e(b));
                self.line(&match kind {
                    0 => format!("v{to} = atomicExch(&own[gid], (int)({a}));"),
                    1 => format!("v{to} = atomicCAS(own + gid, (int)({a}), (int)({b}));"),
                    _ => format!("v{to} = atomicAdd(&own[gid], (int)({a}));"),
                });
            }
            Stmt::Exchange { array, to, value, factor, shift, reversed } => {
                let put = if *reversed { "threads - 1 - tid" } else { "tid" };
                self.line(&format!("s{array}[{put}] = {};", e(value)));
                self.line(sync);
                let at = match factor {
                    1 => format!("(tid + {shift}) % threads"),
                    f => format!("(tid * {f} + {shift}) % threads"),
                };
                self.line(&format!("v{to} = s{array}[{at}];"));
                self.line(sync);
            }
            Stmt::ExchangeObject { from, to, shift } => {
                self.line(&format!("meeting[tid] = o{from};"));
                self.line(sync);
                self.line(&format!("o{to} = meeting[(tid + {shift}) % threads];"));
                self.line(sync);
            }
            Stmt::Tile { counter: v, value, to, row, shift } => {
                self.line(&format!("for (int v{v} = 0; v{v} < 4; ++v{v})"));
                self.line(&format!("    tile[v{v}][tid] = {};", e(value)));
                self.line(sync);
                let row = masked(row, 3);
                self.line(&format!("v{to} = tile[{row}][(tid + {shift}) % threads];"));
                self.line(sync);
            }
            Stmt::SharedTally { tally, ty, to, value } => {
                let (name, ty_name) = (tally.name(), ty.name());
                self.line(&format!("if (tid == 0) *({ty_name} *)&common = 12345;"));
                self.line(sync);
                let operand = tally.operand(*ty, &e(value));
                self.line(&format!("atomic{name}(({ty_name} *)&common, {operand});"));
                let read = format!("v{to} = *({ty_name} *)&common;");
                self.lines(&[sync, &read, sync]);
            }
            Stmt::SyncVote { kind, to, value } => {
                let name = ["count", "and", "or"][*kind as usize];
                self.line(&format!("v{to} = __syncthreads_{name}({});", e(value)));
            }
            Stmt::Shuffle { kind, to, value, lane, width } => {
                let name = ["xor_", "up_", "down_", ""][*kind as usize];
                let lane = match lane {
                    Expr::Int(_, n) if (0..32).contains(n) => n.to_string(),
                    lane => format!("(int)({}) & 31", e(lane)),
                };
                let value = e(value);
                let by_tile = *width == 32 && value.len().is_multiple_of(2);
                let width = if *width == 32 { String::new() } else { format!(", {width}") };
                self.line(&match by_tile {
                    true => {
                        let name = ["_xor", "_up", "_down", ""][*kind as usize];
                        format!("v{to} = {TILE}.shfl{name}({value}, {lane});")
                    }
                    false => {
                        format!("v{to} = __shfl_{name}sync(0xffffffffu, {value}, {lane}{width});")
                    }
                });
            }
            Stmt::HalfShuffle { to, value, by } => {
                self.line("if (tid % 32 < 16)");
                self.line(&format!("    v{to} = __shfl_xor_sync(0xffffu, {}, {by});", e(value)));
            }
            Stmt::Vote { kind, to, value } => {
                let name = ["ballot", "all", "any"][*kind as usize];
                let value = e(value);
                self.line(&match value.len() % 2 {
                    0 => format!("v{to} = {TILE}.{name}({value});"),
                    _ => format!("v{to} = __{name}_sync(0xffffffffu, {value});"),
                });
            }
            Stmt::Leader { to, cond, value } => {
                self.line(&format!("{{ bool chosen = {};", e(cond)));
                self.line("  unsigned group = __ballot_sync(0xffffffffu, chosen);");
                let value = e(value);
                self.line(&format!(
                    "  if (chosen) v{to} = __shfl_sync(group, {value}, __ffs(group) - 1); }}"
                ));
            }
            Stmt::ActiveCount { to, cond, value } => {
                let (cond, value) = (e(cond), e(value));
                self.line(&format!(
                    "if ({cond}) v{to} = __popc(__ballot_sync(__activemask(), {value}));"
                ));
            }
            Stmt::WarpReduce { tally, to, value } => {
                let (name, value) = (tally.name().to_lowercase(), e(value));
                let object = match tally {
                    Tally::Min => "less",
                    Tally::Max => "greater",
                    Tally::And => "bit_and",
                    Tally::Or => "bit_or",
                    Tally::Xor => "bit_xor",
                    Tally::Add | Tally::Sub | Tally::Inc => "plus",
                };
                self.line(&match value.len() % 2 {
                    0 => format!(
                        "v{to} = cg::reduce({TILE}, (unsigned)({value}), \
                         cg::{object}<unsigned>());"
                    ),
                    _ => format!("v{to} = __reduce_{name}_sync(0xffffffffu, (unsigned)({value}));"),
                });
            }
        }
    }
}

impl Kernel {
    fn context<'a>(&'a self, objects: &'a [Object]) -> Context<'a> {
        Context { functions: &self.functions, objects, given: self.given }
    }

    fn function(&self, k: usize, f: &Function) -> String {
        let mut out = String::new();
        let mut template = Vec::new();
        if f.generic {
            template.push("typename T");
        }
        if f.numbered {
            template.push("int N");
        }
        if !template.is_empty() {
            let _ = writeln!(out, "template <{}>", template.join(", "));
        }
        let names = f.vars.iter().zip(&f.generic_vars);
        let vars: Vec<&str> = names.map(|(v, t)| if *t { "T" } else { v.name() }).collect();
        let mut params: Vec<String> = (0..f.params)
            .map(|p| format!("{} {}v{p}", vars[p], if p < f.references { "&" } else { "" }))
            .collect();
        if f.takes_array {
            params.push(format!("{} *a0", f.arrays[0].name()));
        }
        let mut head = String::new();
        if let Some(passing) = f.takes_object {
            let name = f.objects[0].name();
            params.push(match passing {
                Passing::Value => format!("{name} o0"),
                Passing::ConstReference => format!("const {name} &o0"),
                Passing::Reference => format!("{name} &o0"),
                Passing::Pointer => {
                    head = format!("    {name} &o0 = *object;\n");
                    format!("{name} *object")
                }
            });
        }
        let context = self.context(&f.objects);
        let mut printer = Printer {
            out: String::new(),
            context,
            vars,
            arrays: &f.arrays,
            places: &[],
            pointers: &f.pointers,
            boards: 0,
            depth: 0,
            heap: Vec::new(),
        };
        printer.body(&f.body);
        let (ret, result) = match f.gives {
            Some(o) => (f.objects[o].name(), format!("o{o}")),
            None if f.ret_generic => ("T".into(), f.result.print(context, 1)),
            None => (f.ret.name().into(), f.result.print(context, 1)),
        };
        let list = params.join(", ");
        if f.is_deep(k) {
            let name =
                |p: &String| p.split(|c: char| " *&".contains(c)).next_back().map(String::from);
            let args: Vec<String> = params.iter().filter_map(name).collect();
            let args = args.join(", ");
            let _ = writeln!(
                out,
                "__device__ {ret} deep{k}({list}, int deep)\n{{\n    if (deep > 0)\n        return \
                 deep{k}({args}, deep - 1);\n{head}{}    return {result};\n}}\n\
                 __device__ {ret} f{k}({list}) {{ return deep{k}({args}, 3); }}\n",
                printer.out,
            );
            return out;
        }
        let _ = writeln!(
            out,
            "__device__ {ret} f{k}({list})\n{{\n{head}{}    return {result};\n}}\n",
            printer.out,
        );
        out
    }

    /// What stands before functions and kernel, whose text is `users`.
    fn declarations(&self, users: &str) -> String {
        let mut out = PRELUDE.to_string();
        if ["Guard g", "Parts g"].iter().any(|name| users.contains(name)) {
            out += GUARDS;
        }
        let table: Vec<String> = self.table.iter().map(i32::to_string).collect();
        let _ = writeln!(out, "__constant__ int table[16] = {{{}}};\n", table.join(", "));
        for (k, fields) in self.structs.iter().enumerate() {
            let object = Object::Struct(k);
            let packed = match object.is_packed(&self.structs) {
                true => "__attribute__((packed)) ",
                false => "",
            };
            let _ = writeln!(out, "struct {packed}S{k} {{");
            let names: Vec<String> = (0..fields.len()).map(|m| object.field_name(m)).collect();
            for (m, (ty, name)) in fields.iter().zip(&names).enumerate() {
                let _ = match object.has_array() && m < 4 {
                    true if m == 0 => writeln!(out, "    {} list[4];", ty.name()),
                    true => Ok(()),
                    false => writeln!(out, "    {} {name};", ty.name()),
                };
            }
            let sum: Vec<String> = names.iter().map(|name| format!("(double){name}")).collect();
            let sum = sum.join(" + ");
            let _ = writeln!(out, "    __device__ double total() const {{ return {sum}; }}");
            let last = &names[names.len() - 1];
            let _ = writeln!(
                out,
                "    __device__ S{k} &bump(int by) {{ {last} += by; return *this; }}"
            );
            let _ = writeln!(out, "    __device__ S{k} operator+(const S{k} &b) const {{");
            let _ = writeln!(out, "        S{k} sum = *this;");
            for name in &names {
                let _ = writeln!(out, "        sum.{name} = {name} + b.{name};");
            }
            let _ = writeln!(out, "        return sum;\n    }}\n}};\n");
        }
        for (k, (tally, ty)) in self.tallies.iter().enumerate() {
            let (name, ty_name, operand) =
                (tally.name(), ty.name(), tally.operand(*ty, "__VA_ARGS__"));
            let member = match (tally, ty) {
                (Tally::Inc, _) | (_, Ty::F32 | Ty::F64) => None,
                _ => (k % 2 == 1).then(|| format!("fetch_{}", name.to_lowercase())),
            };
            let swapped = k == 2 && !ty.is_float();
            if swapped {
                // The first read is a plain one, which the exchange checks.
                let _ = writeln!(
                    out,
                    "__device__ void swapped({ty_name} *at, {ty_name} v)\n{{\n    \
                     {ty_name} seen, old = *at;\n    do {{\n        seen = old;\n        \
                     old = atomicCAS(at, seen, {});\n    }} while (old != seen);\n}}",
                    tally.formula(),
                );
            }
            let update = match member {
                None if swapped => format!("swapped(({ty_name} *)&sums[{k}], {operand})"),
                Some(member) => format!(
                    "cuda::atomic_ref<{ty_name}, cuda::thread_scope_device>(*({ty_name} \
                     *)&sums[{k}])\
                     .{member}({operand}, cuda::memory_order_relaxed)"
                ),
                None => format!("atomic{name}(({ty_name} *)&sums[{k}], {operand})"),
            };
            let _ = writeln!(out, "#define TALLY{k}(...) {update}");
            if !users.contains(&format!("Tallied{k} ")) {
                continue;
            }
            let _ = writeln!(
                out,
                "struct Tallied{k} {{\n    unsigned long long *sums;\n    int by;\n    __device__ \
                 ~Tallied{k}() {{ TALLY{k}(by); }}\n}};"
            );
        }
        out
    }

    /// The kernel as CUDA C.
    pub fn text(&self) -> String {
        let mut out = String::new();
        if self.dynamic {
            out += "__shared__ unsigned long long common;\n";
        }
        for (k, f) in self.functions.iter().enumerate() {
            out += &self.function(k, f);
        }
        let globals = self.in_place(Place::Global).into_iter();
        let globals: String =
            globals.map(|a| format!(", {} *g{a}", self.arrays[a].name())).collect();
        let (carried, given) = (self.carried.name(), self.given.name());
        let _ = writeln!(
            out,
            "extern \"C\" __global__ void fuzz(const int *in, const float *fin, unsigned long long \
             *sums, long long *out,\n    \
             double *fout, int *own, int *marks, {carried} *home, {given} given, int parameter, \
             int level{globals})\n{{"
        );
        let threads = self.threads();
        let _ = writeln!(out, "    __shared__ {} s0[{threads}];", self.shared[0].name());
        let second = self.shared[1].name();
        let _ = match self.dynamic {
            true => writeln!(out, "    extern __shared__ {second} s1[];"),
            false => writeln!(out, "    __shared__ {second} s1[{threads}];"),
        };
        let _ = writeln!(out, "    __shared__ {} tile[4][{threads}];", self.shared[2].name());
        let _ = writeln!(out, "    __shared__ {carried} meeting[{threads}];");
        if !self.dynamic {
            out += "    __shared__ unsigned long long common;\n";
        }
        for a in self.in_place(Place::Shared) {
            let ty = self.arrays[a].name();
            let _ = writeln!(out, "    __shared__ {ty} q{a}[{}];", 8 * threads);
        }
        out += "    int threads = blockDim.x * blockDim.y;\n";
        out += "    int tid = threadIdx.y * blockDim.x + threadIdx.x;\n";
        out += "    int gid = (blockIdx.y * gridDim.x + blockIdx.x) * threads + tid;\n";
        let mut printer = Printer {
            out,
            context: self.context(&self.objects),
            vars: self.vars.iter().map(|v| v.name()).collect(),
            arrays: &self.arrays,
            places: &self.places,
            pointers: &self.pointers,
            boards: self.boards,
            depth: 0,
            heap: Vec::new(),
        };
        printer.body(&self.body);
        let mut out = printer.out;
        for give_back in printer.heap {
            let _ = writeln!(out, "    {give_back}");
        }
        out += "    int slot = gid * 8;\n";
        for (k, v) in self.results.iter().enumerate() {
            let to = if self.vars[*v].is_float() { "fout" } else { "out" };
            let _ = writeln!(out, "    {to}[slot + {k}] = v{v};");
        }
        self.declarations(&out) + &out + "}\n"
    }

    /// Arrays that lie in a place.
    pub fn in_place(&self, place: Place) -> Vec<usize> {
        (0..self.arrays.len()).filter(|a| self.places[*a] == place).collect()
    }
}
