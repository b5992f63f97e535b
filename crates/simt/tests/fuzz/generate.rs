//! Random well-formed kernels.
//!
//! Well-formed: nothing is undefined, so the result is one set of bits. Divisors are `(e & 15) + 1`, shift counts `e & 31`,
//! indices `e & 7`; loops have a counter; barriers and shuffles stand where all threads pass; expressions have no effects.

use crate::random::Random;
use crate::tree::{Cmp, Expr, Fun, Function, Kernel, Op, Scope, Stmt, Ty};

struct Maker<'a> {
    r: &'a mut Random,
    functions: &'a [Function],
    vars: Vec<Ty>,
    arrays: Vec<Ty>,
    /// Variables and arrays in scope; whether a variable may be assigned.
    visible: Vec<(usize, bool)>,
    visible_arrays: Vec<usize>,
    kernel: bool,
    templated: bool,
    loops: usize,
    /// Statements that may still be made.
    budget: usize,
}

/// A random kernel.
pub fn kernel(seed: u64) -> Kernel {
    let mut r = Random(seed);
    let mut functions = Vec::new();
    for _ in 0..r.below(4) {
        let f = function(&mut r, &functions);
        functions.push(f);
    }
    let block = r.pick(&[32, 64, 96, 1, 33, 48, 128]);
    let grid = r.pick(&[1, 2, 3]);
    let budget = 6 + r.below(40);
    let mut maker = Maker::new(&mut r, &functions, true, budget);
    let shared: Vec<Ty> = (0..2).map(|_| maker.r.pick(&Ty::ALL[1..])).collect();
    let mut body = Vec::new();
    for _ in 0..3 {
        body.push(maker.declare());
    }
    maker.uniform(&mut body, u32::is_multiple_of(block, 32), 0);
    let mut results: Vec<usize> = maker.visible.iter().map(|(v, _)| *v).collect();
    results.reverse();
    results.truncate(8);
    if maker.r.once_in(4) {
        let cond = maker.cond(2);
        body.push(Stmt::ReturnIf(cond, None));
    }
    let Maker { vars, arrays, .. } = maker;
    let parameter = r.bits() as i32 >> r.below(31);
    Kernel { functions, vars, arrays, body, results, shared, block, grid, parameter }
}

fn function(r: &mut Random, functions: &[Function]) -> Function {
    let templated = r.once_in(3);
    let budget = 2 + r.below(10);
    let mut maker = Maker::new(r, functions, false, budget);
    maker.templated = templated;
    let params = 1 + maker.r.below(3);
    for _ in 0..params {
        let ty = maker.r.pick(&Ty::ALL);
        maker.new_var(ty, true);
    }
    let ret = maker.r.pick(&Ty::ALL);
    let mut body = Vec::new();
    for _ in 0..1 + maker.r.below(4) {
        maker.statement(&mut body, 2);
        if maker.r.once_in(4) {
            let cond = maker.cond(2);
            let value = maker.coerced(ret, 2);
            body.push(Stmt::ReturnIf(cond, Some(value)));
        }
    }
    let result = maker.coerced(ret, 3);
    let Maker { vars, arrays, .. } = maker;
    Function { templated, params, ret, vars, arrays, body, result }
}

fn boxed(e: Expr) -> Box<Expr> {
    Box::new(e)
}

impl<'a> Maker<'a> {
    fn new(r: &'a mut Random, functions: &'a [Function], kernel: bool, budget: usize) -> Maker<'a> {
        Maker {
            r,
            functions,
            vars: Vec::new(),
            arrays: Vec::new(),
            visible: Vec::new(),
            visible_arrays: Vec::new(),
            kernel,
            templated: false,
            loops: 0,
            budget,
        }
    }

    fn ty(&self, e: &Expr) -> Ty {
        e.ty(Scope { functions: self.functions, vars: &self.vars, arrays: &self.arrays })
    }

    fn new_var(&mut self, ty: Ty, assignable: bool) -> usize {
        self.vars.push(ty);
        self.visible.push((self.vars.len() - 1, assignable));
        self.vars.len() - 1
    }

    /// Runs `f` in a scope of its own.
    fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let (vars, arrays) = (self.visible.len(), self.visible_arrays.len());
        let out = f(self);
        self.visible.truncate(vars);
        self.visible_arrays.truncate(arrays);
        out
    }

    fn target(&mut self) -> Option<usize> {
        let all: Vec<usize> = self.visible.iter().filter(|v| v.1).map(|v| v.0).collect();
        (!all.is_empty()).then(|| self.r.pick(&all))
    }

    fn declare(&mut self) -> Stmt {
        let ty = self.r.pick(&Ty::ALL);
        let value = self.coerced(ty, 3);
        Stmt::Let(self.new_var(ty, true), value)
    }

    /// Statements that all threads of the block reach together.
    fn uniform(&mut self, body: &mut Vec<Stmt>, full_warps: bool, depth: usize) {
        for _ in 0..2 + self.r.below(6) {
            match self.r.below(10) {
                0 | 1 => {
                    let Some(to) = self.target() else { continue };
                    let array = self.r.below(2);
                    // conversion to the array's type happens at the store
                    let value = self.int_if_float(3);
                    body.push(Stmt::Exchange { array, to, value, shift: self.r.below(100) as u32 });
                }
                2 | 3 if full_warps => {
                    let Some(to) = self.target() else { continue };
                    let ty = self.r.pick(&Ty::ALL[5..]);
                    let value = Expr::Cast(ty, boxed(self.expr(2)));
                    let value = if self.is_narrow(to) { self.to_int(value) } else { value };
                    let lane = if self.r.once_in(3) {
                        self.int(1)
                    } else {
                        Expr::Int(Ty::I32, self.r.below(32) as i64)
                    };
                    body.push(Stmt::Shuffle { kind: self.r.below(4) as u8, to, value, lane });
                }
                4 if full_warps => {
                    let Some(to) = self.target() else { continue };
                    let value = self.cond(2);
                    body.push(Stmt::Ballot { to, value });
                }
                5 if depth < 2 => {
                    let turns = 1 + self.r.below(3) as i64;
                    let stmt = self.scoped(|m| {
                        let counter = m.new_var(Ty::I32, false);
                        let mut inner = Vec::new();
                        m.uniform(&mut inner, full_warps, depth + 1);
                        Stmt::Uniform { counter, turns, body: inner }
                    });
                    body.push(stmt);
                }
                _ => self.statement(body, 3),
            }
        }
    }

    fn is_narrow(&self, var: usize) -> bool {
        (Ty::I8..=Ty::U16).contains(&self.vars[var])
    }

    fn to_int(&self, e: Expr) -> Expr {
        if self.ty(&e).is_float() { Expr::Cast(Ty::I32, boxed(e)) } else { e }
    }

    fn int_if_float(&mut self, depth: usize) -> Expr {
        let e = self.expr(depth);
        self.to_int(e)
    }

    /// An expression that may be converted to `ty`: a float goes to a narrow integer through `int`.
    fn coerced(&mut self, ty: Ty, depth: usize) -> Expr {
        let e = self.expr(depth);
        if (Ty::I8..=Ty::U16).contains(&ty) { self.to_int(e) } else { e }
    }

    fn body(&mut self, depth: usize) -> Vec<Stmt> {
        self.scoped(|m| {
            let mut body = Vec::new();
            for _ in 0..1 + m.r.below(3) {
                m.statement(&mut body, depth);
            }
            body
        })
    }

    fn loop_body(&mut self, depth: usize) -> Vec<Stmt> {
        self.loops += 1;
        let body = self.scoped(|m| {
            let mut body = Vec::new();
            for _ in 0..1 + m.r.below(3) {
                m.statement(&mut body, depth);
                if m.r.once_in(4) {
                    let cond = m.cond(2);
                    let leave = m.r.once_in(2);
                    body.push(if leave { Stmt::BreakIf(cond) } else { Stmt::ContinueIf(cond) });
                }
            }
            body
        });
        self.loops -= 1;
        body
    }

    fn statement(&mut self, out: &mut Vec<Stmt>, depth: usize) {
        if self.budget == 0 {
            return;
        }
        self.budget -= 1;
        let nested = depth > 0 && self.loops < 3;
        let stmt = match self.r.below(16) {
            0..=2 => self.declare(),
            3 | 4 => {
                let Some(v) = self.target() else { return };
                Stmt::Assign(v, self.coerced(self.vars[v], 3))
            }
            5 => {
                let Some(v) = self.target() else { return };
                let float = self.vars[v].is_float();
                let op = if float {
                    self.r.pick(&[Op::Add, Op::Sub, Op::Mul, Op::Div])
                } else {
                    self.r.pick(&[
                        Op::Add,
                        Op::Sub,
                        Op::Mul,
                        Op::Div,
                        Op::Rem,
                        Op::And,
                        Op::Or,
                        Op::Xor,
                        Op::Shl,
                        Op::Shr,
                    ])
                };
                let integer = !float || op == Op::Div;
                let e = if integer { self.int(2) } else { self.expr(2) };
                Stmt::AssignOp(op, v, e)
            }
            6 => {
                let Some(v) = self.target() else { return };
                if self.vars[v] == Ty::Bool {
                    return;
                }
                Stmt::Step(v, self.r.once_in(2), self.r.once_in(2))
            }
            7 if !self.visible_arrays.is_empty() => {
                let array = self.r.pick(&self.visible_arrays.clone());
                let index = self.int(2);
                Stmt::Store(array, index, self.coerced(self.arrays[array], 2))
            }
            8 if self.loops == 0 => {
                let ty = self.r.pick(&Ty::ALL);
                self.arrays.push(ty);
                let array = self.arrays.len() - 1;
                let (counter, value) = self.scoped(|m| {
                    let counter = m.new_var(Ty::I32, false);
                    (counter, m.coerced(ty, 2))
                });
                self.visible_arrays.push(array);
                Stmt::Array { array, counter, value }
            }
            9 | 10 if nested => {
                let cond = self.cond(2);
                let then = self.body(depth - 1);
                let els = if self.r.once_in(2) { self.body(depth - 1) } else { Vec::new() };
                Stmt::If(cond, then, els)
            }
            11 if nested => self.scoped(|m| {
                let counter = m.new_var(Ty::I32, false);
                let turns = m.r.below(5) as i64;
                let unroll = m.r.once_in(3);
                Stmt::For { counter, turns, body: m.loop_body(depth - 1), unroll }
            }),
            12 if nested => {
                let cond = self.cond(2);
                let turns = self.r.below(5) as i64;
                let first = self.r.once_in(2);
                // the counter is declared beside the loop, so that its name must not come from inside
                self.vars.push(Ty::I32);
                let counter = self.vars.len() - 1;
                let body = self.loop_body(depth - 1);
                if first {
                    Stmt::While { counter, turns, cond, body }
                } else {
                    Stmt::DoWhile { counter, turns, cond, body }
                }
            }
            13 if nested => {
                let value = self.int(2);
                let mut labels = vec![0, 1, 2, 3, 4];
                let mut arms = Vec::new();
                for _ in 0..1 + self.r.below(4) {
                    let label = labels.remove(self.r.below(labels.len()));
                    let body = self.body(depth - 1);
                    arms.push((label, body, self.r.once_in(2)));
                }
                Stmt::Switch(value, arms)
            }
            14 if self.kernel => Stmt::Atomic(self.r.below(4), self.expr(2)),
            15 if nested => Stmt::Block(self.body(depth - 1)),
            _ => self.declare(),
        };
        out.push(stmt);
    }

    fn cond(&mut self, depth: usize) -> Expr {
        match self.r.below(6) {
            0 => boxed_logic(self.expr(depth)),
            1 if depth > 0 => {
                Expr::AndAlso(boxed(self.cond(depth - 1)), boxed(self.cond(depth - 1)))
            }
            2 if depth > 0 => {
                Expr::OrElse(boxed(self.cond(depth - 1)), boxed(self.cond(depth - 1)))
            }
            3 => self.expr(depth),
            _ => self.comparison(depth),
        }
    }

    fn comparison(&mut self, depth: usize) -> Expr {
        let cmp = self.r.pick(&[Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge, Cmp::Eq, Cmp::Ne]);
        let depth = depth.saturating_sub(1);
        Expr::Cmp(cmp, boxed(self.expr(depth)), boxed(self.expr(depth)))
    }

    /// An expression of an integer type.
    fn int(&mut self, depth: usize) -> Expr {
        let e = self.expr(depth);
        if self.ty(&e).is_float() {
            let ty = self.r.pick(&[Ty::I32, Ty::U32, Ty::I64, Ty::U64]);
            return Expr::Cast(ty, boxed(e));
        }
        e
    }

    fn leaf(&mut self) -> Expr {
        match self.r.below(12) {
            0 | 1 => {
                let v = self.r.bits() as i64 >> (33 + self.r.below(31));
                Expr::Int(Ty::I32, v)
            }
            2 => {
                let v = (self.r.bits() >> (32 + self.r.below(32))) as i64;
                Expr::Int(self.r.pick(&[Ty::U32, Ty::I64, Ty::U64]), v)
            }
            3 => {
                let ty = self.r.pick(&[Ty::F32, Ty::F64]);
                let v = (self.r.below(4001) as f64 - 2000.0) / 16.0;
                Expr::Float(ty, v)
            }
            4 => Expr::Thread,
            5 if self.kernel => {
                let inner = self.leaf();
                Expr::Input(boxed(self.to_int(inner)))
            }
            6 if self.kernel => {
                let inner = self.leaf();
                Expr::FloatInput(boxed(self.to_int(inner)))
            }
            7 if self.kernel => self.r.pick_expr(&[Expr::Block, Expr::Parameter]),
            7 if self.templated => Expr::Template,
            _ if !self.visible.is_empty() => {
                let all = self.visible.clone();
                Expr::Var(self.r.pick(&all).0)
            }
            _ => Expr::Thread,
        }
    }

    fn expr(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.r.once_in(5) {
            return self.leaf();
        }
        let d = depth - 1;
        match self.r.below(16) {
            0..=4 => {
                let op = self.r.pick(&[Op::Add, Op::Sub, Op::Mul]);
                Expr::Bin(op, boxed(self.expr(d)), boxed(self.expr(d)))
            }
            5 => {
                let op = self.r.pick(&[Op::And, Op::Or, Op::Xor, Op::Rem]);
                Expr::Bin(op, boxed(self.int(d)), boxed(self.int(d)))
            }
            6 => Expr::Bin(Op::Div, boxed(self.expr(d)), boxed(self.int(d))),
            7 => {
                let op = self.r.pick(&[Op::Shl, Op::Shr]);
                Expr::Bin(op, boxed(self.int(d)), boxed(self.int(d)))
            }
            8 => {
                let ty = self.r.pick(&[Ty::F32, Ty::F64]);
                let a = Expr::Cast(ty, boxed(self.expr(d)));
                Expr::Bin(Op::Quot, boxed(a), boxed(self.expr(d)))
            }
            9 => {
                let kind = self.r.below(3);
                match kind {
                    0 => Expr::Neg(boxed(self.expr(d))),
                    1 => Expr::Not(boxed(self.int(d))),
                    _ => Expr::Logic(boxed(self.expr(d))),
                }
            }
            10 => self.comparison(depth),
            11 => self.cond(d),
            12 => Expr::Cond(boxed(self.cond(d)), boxed(self.expr(d)), boxed(self.expr(d))),
            13 => {
                let ty = self.r.pick(&Ty::ALL);
                let e = self.coerced(ty, d);
                Expr::Cast(ty, boxed(e))
            }
            14 => self.builtin(d),
            _ => self.call_or_element(d),
        }
    }

    fn builtin(&mut self, depth: usize) -> Expr {
        let (fun, ty, count) = match self.r.below(12) {
            0 => (Fun::Min, self.r.pick(&[Ty::I32, Ty::U32, Ty::I64, Ty::U64]), 2),
            1 => (Fun::Max, self.r.pick(&[Ty::I32, Ty::U32, Ty::I64, Ty::U64]), 2),
            2 => (Fun::Abs, Ty::I32, 1),
            3 => (Fun::Popc, Ty::U32, 1),
            4 => (Fun::Clz, Ty::I32, 1),
            5 => (Fun::Brev, Ty::U32, 1),
            6 => (Fun::Ffs, Ty::I32, 1),
            7 => (Fun::MulHi, Ty::I32, 2),
            8 => (Fun::UMulHi, Ty::U32, 2),
            9 => (Fun::Fma, self.r.pick(&[Ty::F32, Ty::F64]), 3),
            _ => {
                let fun = self.r.pick(&[Fun::Sqrt, Fun::Fabs, Fun::Floor, Fun::Trunc, Fun::Rint]);
                (fun, self.r.pick(&[Ty::F32, Ty::F64]), 1)
            }
        };
        Expr::Fun(fun, ty, (0..count).map(|_| self.expr(depth)).collect())
    }

    fn call_or_element(&mut self, depth: usize) -> Expr {
        if !self.functions.is_empty() && self.r.once_in(2) && self.loops < 2 {
            let f = self.r.below(self.functions.len());
            let (params, vars) = (self.functions[f].params, self.functions[f].vars.clone());
            let template = if self.functions[f].templated { self.r.below(9) as i64 } else { -1 };
            let args = (0..params).map(|p| self.coerced(vars[p], depth)).collect();
            return Expr::Call(f, template, args);
        }
        if self.visible_arrays.is_empty() {
            return self.leaf();
        }
        let array = self.r.pick(&self.visible_arrays.clone());
        Expr::Element(array, boxed(self.int(depth)))
    }
}

fn boxed_logic(e: Expr) -> Expr {
    Expr::Logic(boxed(e))
}

impl Random {
    fn pick_expr(&mut self, list: &[Expr]) -> Expr {
        list[self.below(list.len())].clone()
    }
}
