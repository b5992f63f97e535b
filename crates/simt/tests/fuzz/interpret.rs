//! What a random kernel must compute: its tree walked by one thread after the other.
//!
//! Independent of the engine: integers are 128 bits wide and wrapped to their type, floats are Rust's.

use crate::tree::{Cmp, Expr, Fun, Function, Kernel, Op, Scope, Stmt, Ty};

/// A value; its type is that of the expression or variable it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Int(i128),
    F32(f32),
    F64(f64),
}

use Value::{F32, F64, Int};

impl Value {
    fn int(self) -> i128 {
        match self {
            Int(v) => v,
            F32(v) => v as i128,
            F64(v) => v as i128,
        }
    }

    /// As `double`.
    pub fn real(self) -> f64 {
        match self {
            Int(v) => v as f64,
            F32(v) => f64::from(v),
            F64(v) => v,
        }
    }

    fn truth(self) -> bool {
        match self {
            Int(v) => v != 0,
            F32(v) => v != 0.0,
            F64(v) => v != 0.0,
        }
    }

    /// Converted to a type.
    pub fn to(self, ty: Ty) -> Value {
        match (ty, self) {
            (Ty::Bool, v) => Int(i128::from(v.truth())),
            (Ty::F32, Int(v)) => F32(v as f32),
            (Ty::F32, F64(v)) => F32(v as f32),
            (Ty::F32, v) => v,
            (Ty::F64, v) => F64(v.real()),
            (ty, Int(v)) => Int(wrap(ty, v)),
            // out of range: the nearest value; a NaN gives 0
            (ty, v) => {
                let (low, high) = if ty.is_signed() {
                    (-(1i128 << (ty.bits() - 1)), (1i128 << (ty.bits() - 1)) - 1)
                } else {
                    (0, (1i128 << ty.bits()) - 1)
                };
                Int(v.int().clamp(low, high))
            }
        }
    }
}

fn wrap(ty: Ty, v: i128) -> i128 {
    let unused = 128 - ty.bits();
    if ty.is_signed() { v << unused >> unused } else { ((v as u128) << unused >> unused) as i128 }
}

/// Why a list of statements ended.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Option<Value>),
}

/// Variables of one call.
struct Frame<'a> {
    functions: &'a [Function],
    var_types: &'a [Ty],
    array_types: &'a [Ty],
    vars: Vec<Value>,
    arrays: Vec<[Value; 8]>,
    template: i64,
}

/// What all threads see.
struct Machine<'a> {
    kernel: &'a Kernel,
    ints: &'a [i32],
    floats: &'a [f32],
    sums: [i32; 4],
    thread: u32,
    block: u32,
}

fn frame<'a>(
    functions: &'a [Function],
    vars: &'a [Ty],
    arrays: &'a [Ty],
    template: i64,
) -> Frame<'a> {
    Frame {
        functions,
        var_types: vars,
        array_types: arrays,
        vars: vec![Int(0); vars.len()],
        arrays: vec![[Int(0); 8]; arrays.len()],
        template,
    }
}

impl Frame<'_> {
    fn ty(&self, e: &Expr) -> Ty {
        let scope =
            Scope { functions: self.functions, vars: self.var_types, arrays: self.array_types };
        e.ty(scope)
    }

    fn set(&mut self, var: usize, v: Value) {
        self.vars[var] = v.to(self.var_types[var]);
    }
}

fn binary(op: Op, ty: Ty, a: Value, b: Value) -> Value {
    match (a, b) {
        (F32(a), F32(b)) => F32(match op {
            Op::Add => a + b,
            Op::Sub => a - b,
            Op::Mul => a * b,
            _ => a / b,
        }),
        (F64(a), F64(b)) => F64(match op {
            Op::Add => a + b,
            Op::Sub => a - b,
            Op::Mul => a * b,
            _ => a / b,
        }),
        (a, b) => {
            let (a, b) = (a.int(), b.int());
            Int(wrap(
                ty,
                match op {
                    Op::Add => a + b,
                    Op::Sub => a - b,
                    Op::Mul => a.wrapping_mul(b),
                    Op::Div | Op::Quot => a / b,
                    Op::Rem => a % b,
                    Op::And => a & b,
                    Op::Or => a | b,
                    Op::Xor => a ^ b,
                    Op::Shl => a << b,
                    Op::Shr => a >> b,
                },
            ))
        }
    }
}

impl Machine<'_> {
    fn index(&self, frame: &Frame<'_>, e: &Expr, mask: i128) -> usize {
        (self.eval(frame, e).int() & mask) as usize
    }

    fn operate(&self, frame: &Frame<'_>, op: Op, a: Value, a_ty: Ty, b: &Expr) -> (Ty, Value) {
        let (b_value, b_ty) = (self.eval(frame, b), frame.ty(b));
        match op {
            Op::Shl | Op::Shr => {
                let ty = a_ty.promoted();
                (ty, binary(op, ty, a.to(ty), Int(b_value.int() & 31)))
            }
            Op::Div | Op::Rem => {
                let divisor = Int((b_value.int() & 15) + 1);
                let ty = a_ty.common(b_ty.promoted());
                (ty, binary(op, ty, a.to(ty), divisor.to(ty)))
            }
            _ => {
                let ty = a_ty.common(b_ty);
                (ty, binary(op, ty, a.to(ty), b_value.to(ty)))
            }
        }
    }

    fn eval(&self, frame: &Frame<'_>, e: &Expr) -> Value {
        match e {
            Expr::Int(_, v) => Int(i128::from(*v)),
            Expr::Float(Ty::F32, v) => F32(*v as f32),
            Expr::Float(_, v) => F64(*v),
            Expr::Var(v) => frame.vars[*v],
            Expr::Element(a, i) => frame.arrays[*a][self.index(frame, i, 7)],
            Expr::Input(i) => Int(i128::from(self.ints[self.index(frame, i, 63)])),
            Expr::FloatInput(i) => F32(self.floats[self.index(frame, i, 63)]),
            Expr::Thread => Int(i128::from(self.thread)),
            Expr::Block => Int(i128::from(self.block)),
            Expr::Parameter => Int(i128::from(self.kernel.parameter)),
            Expr::Template => Int(i128::from(frame.template)),
            Expr::Neg(inner) => match self.eval(frame, inner) {
                Int(v) => Int(wrap(frame.ty(e), -v)),
                F32(v) => F32(-v),
                F64(v) => F64(-v),
            },
            Expr::Not(inner) => Int(wrap(frame.ty(e), !self.eval(frame, inner).int())),
            Expr::Logic(inner) => Int(i128::from(!self.eval(frame, inner).truth())),
            Expr::Bin(op, a, b) => self.operate(frame, *op, self.eval(frame, a), frame.ty(a), b).1,
            Expr::Cmp(cmp, a, b) => {
                let ty = frame.ty(a).common(frame.ty(b));
                let (a, b) = (self.eval(frame, a).to(ty), self.eval(frame, b).to(ty));
                let order = match (a, b) {
                    (Int(a), Int(b)) => Some(a.cmp(&b)),
                    (a, b) => a.real().partial_cmp(&b.real()),
                };
                let holds = match cmp {
                    Cmp::Lt => order.is_some_and(|o| o.is_lt()),
                    Cmp::Le => order.is_some_and(|o| o.is_le()),
                    Cmp::Gt => order.is_some_and(|o| o.is_gt()),
                    Cmp::Ge => order.is_some_and(|o| o.is_ge()),
                    Cmp::Eq => order.is_some_and(|o| o.is_eq()),
                    Cmp::Ne => !order.is_some_and(|o| o.is_eq()),
                };
                Int(i128::from(holds))
            }
            Expr::AndAlso(a, b) => {
                Int(i128::from(self.eval(frame, a).truth() && self.eval(frame, b).truth()))
            }
            Expr::OrElse(a, b) => {
                Int(i128::from(self.eval(frame, a).truth() || self.eval(frame, b).truth()))
            }
            Expr::Cond(c, a, b) => {
                let chosen = if self.eval(frame, c).truth() { a } else { b };
                self.eval(frame, chosen).to(frame.ty(e))
            }
            Expr::Cast(ty, inner) => self.eval(frame, inner).to(*ty),
            Expr::Fun(fun, ty, args) => {
                let args: Vec<Value> = args.iter().map(|a| self.eval(frame, a).to(*ty)).collect();
                function(*fun, *ty, &args)
            }
            Expr::Call(f, template, args) => {
                let function = &frame.functions[*f];
                let functions = frame.functions;
                let args: Vec<Value> = args.iter().map(|a| self.eval(frame, a)).collect();
                let mut inner = self::frame(functions, &function.vars, &function.arrays, *template);
                for (k, v) in args.into_iter().enumerate() {
                    inner.set(k, v);
                }
                // functions have no atomics: a copy of the sums is never written
                let mut machine = Machine { sums: [0; 4], ..*self };
                let v = match machine.list(&mut inner, &function.body) {
                    Flow::Return(Some(v)) => v,
                    _ => machine.eval(&inner, &function.result),
                };
                v.to(function.ret)
            }
        }
    }

    fn list(&mut self, frame: &mut Frame<'_>, stmts: &[Stmt]) -> Flow {
        for stmt in stmts {
            match self.stmt(frame, stmt) {
                Flow::Next => {}
                flow => return flow,
            }
        }
        Flow::Next
    }

    fn stmt(&mut self, frame: &mut Frame<'_>, stmt: &Stmt) -> Flow {
        match stmt {
            Stmt::Let(v, e) | Stmt::Assign(v, e) => {
                let value = self.eval(frame, e);
                frame.set(*v, value);
            }
            Stmt::AssignOp(op, v, e) => {
                let (_, value) = self.operate(frame, *op, frame.vars[*v], frame.var_types[*v], e);
                frame.set(*v, value);
            }
            Stmt::Step(v, up, _) => {
                let one = if *up { 1 } else { -1 };
                let stepped = match frame.vars[*v] {
                    Int(n) => Int(n + one),
                    F32(x) => F32(x + one as f32),
                    F64(x) => F64(x + one as f64),
                };
                frame.set(*v, stepped);
            }
            Stmt::Store(a, i, e) => {
                let (at, value) = (self.index(frame, i, 7), self.eval(frame, e));
                frame.arrays[*a][at] = value.to(frame.array_types[*a]);
            }
            Stmt::Array { array, counter, value } => {
                for k in 0..8 {
                    frame.vars[*counter] = Int(k as i128);
                    let v = self.eval(frame, value).to(frame.array_types[*array]);
                    frame.arrays[*array][k] = v;
                }
            }
            Stmt::If(cond, then, els) => {
                let body = if self.eval(frame, cond).truth() { then } else { els };
                return self.list(frame, body);
            }
            Stmt::For { counter, turns, body, .. } => {
                frame.vars[*counter] = Int(0);
                while frame.vars[*counter].int() < i128::from(*turns) {
                    match self.list(frame, body) {
                        Flow::Break => break,
                        Flow::Return(v) => return Flow::Return(v),
                        _ => {}
                    }
                    frame.vars[*counter] = Int(frame.vars[*counter].int() + 1);
                }
            }
            Stmt::While { counter, turns, cond, body } => {
                frame.vars[*counter] = Int(i128::from(*turns));
                loop {
                    let left = frame.vars[*counter].int();
                    frame.vars[*counter] = Int(left - 1);
                    if left <= 0 || !self.eval(frame, cond).truth() {
                        break;
                    }
                    match self.list(frame, body) {
                        Flow::Break => break,
                        Flow::Return(v) => return Flow::Return(v),
                        _ => {}
                    }
                }
            }
            Stmt::DoWhile { counter, turns, cond, body } => {
                frame.vars[*counter] = Int(i128::from(*turns));
                loop {
                    match self.list(frame, body) {
                        Flow::Break => break,
                        Flow::Return(v) => return Flow::Return(v),
                        _ => {}
                    }
                    let left = frame.vars[*counter].int() - 1;
                    frame.vars[*counter] = Int(left);
                    if left <= 0 || !self.eval(frame, cond).truth() {
                        break;
                    }
                }
            }
            Stmt::Switch(value, arms) => {
                let v = (self.eval(frame, value).to(Ty::I32).int() & 3) as i64;
                let entry = arms
                    .iter()
                    .position(|(label, ..)| *label == v)
                    .or_else(|| arms.iter().position(|(label, ..)| *label == 4));
                for (_, body, stop) in arms.iter().skip(entry.unwrap_or(arms.len())) {
                    match self.list(frame, body) {
                        Flow::Next => {}
                        Flow::Break => break,
                        flow => return flow,
                    }
                    if *stop {
                        break;
                    }
                }
            }
            Stmt::BreakIf(cond) if self.eval(frame, cond).truth() => return Flow::Break,
            Stmt::ContinueIf(cond) if self.eval(frame, cond).truth() => return Flow::Continue,
            Stmt::ReturnIf(cond, value) if self.eval(frame, cond).truth() => {
                return Flow::Return(value.as_ref().map(|v| self.eval(frame, v)));
            }
            Stmt::BreakIf(_) | Stmt::ContinueIf(_) | Stmt::ReturnIf(..) => {}
            Stmt::Block(body) => return self.list(frame, body),
            Stmt::Atomic(k, e) => {
                let v = self.eval(frame, e).to(Ty::I32).int() as i32;
                self.sums[*k] = self.sums[*k].wrapping_add(v);
            }
            Stmt::Exchange { .. }
            | Stmt::Shuffle { .. }
            | Stmt::Ballot { .. }
            | Stmt::Uniform { .. } => unreachable!("only where all threads pass"),
        }
        Flow::Next
    }

    /// Runs statements for all threads of a block together: exchanges see what every thread has computed.
    fn together(&mut self, frames: &mut [Frame<'_>], done: &mut [bool], stmts: &[Stmt]) {
        let n = frames.len();
        for stmt in stmts {
            let all = |machine: &mut Self, frames: &[Frame<'_>], e: &Expr| -> Vec<Value> {
                (0..n)
                    .map(|t| {
                        machine.thread = t as u32;
                        machine.eval(&frames[t], e)
                    })
                    .collect()
            };
            match stmt {
                Stmt::Exchange { array, to, value, shift } => {
                    let ty = self.kernel.shared[*array];
                    let values = all(self, frames, value);
                    for (t, frame) in frames.iter_mut().enumerate() {
                        frame.set(*to, values[(t + *shift as usize) % n].to(ty));
                    }
                }
                Stmt::Shuffle { kind, to, value, lane } => {
                    let values = all(self, frames, value);
                    let lanes = all(self, frames, lane);
                    for (t, frame) in frames.iter_mut().enumerate() {
                        let (own, by) = (t % 32, (lanes[t].to(Ty::I32).int() & 31) as usize);
                        let from = match kind {
                            0 => own ^ by,
                            1 => own.checked_sub(by).unwrap_or(own),
                            2 => Some(own + by).filter(|l| *l < 32).unwrap_or(own),
                            _ => by,
                        };
                        frame.set(*to, values[t - own + from]);
                    }
                }
                Stmt::Ballot { to, value } => {
                    // the parameter is an `int`
                    let int = |v: Value| v.to(Ty::I32);
                    let votes: Vec<Value> = all(self, frames, value).into_iter().map(int).collect();
                    for (t, frame) in frames.iter_mut().enumerate() {
                        let warp = &votes[t / 32 * 32..(t / 32 * 32 + 32).min(n)];
                        let bits = warp.iter().enumerate();
                        let mask =
                            bits.fold(0, |m, (l, v)| m | i128::from(v.to(Ty::I32).truth()) << l);
                        frame.set(*to, Int(mask));
                    }
                }
                Stmt::Uniform { counter, turns, body } => {
                    for turn in 0..*turns {
                        for frame in frames.iter_mut() {
                            frame.vars[*counter] = Int(i128::from(turn));
                        }
                        self.together(frames, done, body);
                    }
                }
                stmt => {
                    for t in 0..n {
                        self.thread = t as u32;
                        if !done[t] && matches!(self.stmt(&mut frames[t], stmt), Flow::Return(_)) {
                            done[t] = true;
                        }
                    }
                }
            }
        }
    }
}

fn function(fun: Fun, ty: Ty, args: &[Value]) -> Value {
    let a = args[0];
    match (fun, a) {
        (Fun::Min, Int(v)) => Int(v.min(args[1].int())),
        (Fun::Max, Int(v)) => Int(v.max(args[1].int())),
        (Fun::Abs, Int(v)) => Int(wrap(ty, v.abs())),
        (Fun::Popc, Int(v)) => Int(i128::from((v as u32).count_ones())),
        (Fun::Clz, Int(v)) => Int(i128::from((v as u32).leading_zeros())),
        (Fun::Brev, Int(v)) => Int(i128::from((v as u32).reverse_bits())),
        (Fun::Ffs, Int(0)) => Int(0),
        (Fun::Ffs, Int(v)) => Int(i128::from((v as u32).trailing_zeros() + 1)),
        (Fun::MulHi | Fun::UMulHi, Int(v)) => Int((v * args[1].int()) >> 32),
        (Fun::Sqrt, F32(v)) => F32(v.sqrt()),
        (Fun::Sqrt, v) => F64(v.real().sqrt()),
        (Fun::Fabs, F32(v)) => F32(v.abs()),
        (Fun::Fabs, v) => F64(v.real().abs()),
        (Fun::Floor, F32(v)) => F32(v.floor()),
        (Fun::Floor, v) => F64(v.real().floor()),
        (Fun::Trunc, F32(v)) => F32(v.trunc()),
        (Fun::Trunc, v) => F64(v.real().trunc()),
        (Fun::Rint, F32(v)) => F32(v.round_ties_even()),
        (Fun::Rint, v) => F64(v.real().round_ties_even()),
        (Fun::Fma, F32(v)) => match (args[1], args[2]) {
            (F32(b), F32(c)) => F32(v.mul_add(b, c)),
            _ => a,
        },
        (Fun::Fma, v) => F64(v.real().mul_add(args[1].real(), args[2].real())),
        (_, v) => v,
    }
}

/// What the kernel leaves in its three output buffers.
pub struct Expected {
    pub sums: [i32; 4],
    pub ints: Vec<i64>,
    pub floats: Vec<f64>,
}

/// Runs the kernel.
pub fn run(kernel: &Kernel, ints: &[i32], floats: &[f32]) -> Expected {
    let threads = (kernel.block * kernel.grid) as usize;
    let mut machine = Machine { kernel, ints, floats, sums: [0; 4], thread: 0, block: 0 };
    let mut expected =
        Expected { sums: [0; 4], ints: vec![0; threads * 8], floats: vec![0.0; threads * 8] };
    for block in 0..kernel.grid {
        machine.block = block;
        let mut frames: Vec<Frame<'_>> = (0..kernel.block)
            .map(|_| frame(&kernel.functions, &kernel.vars, &kernel.arrays, 0))
            .collect();
        let mut done = vec![false; frames.len()];
        machine.together(&mut frames, &mut done, &kernel.body);
        for (t, frame) in frames.iter().enumerate().filter(|(t, _)| !done[*t]) {
            let slot = (block as usize * frames.len() + t) * 8;
            for (k, v) in kernel.results.iter().enumerate() {
                match frame.vars[*v] {
                    Int(n) => expected.ints[slot + k] = n as i64,
                    x => expected.floats[slot + k] = x.real(),
                }
            }
        }
    }
    expected.sums = machine.sums;
    expected
}
