//! What a random kernel must compute: its tree walked by one thread after the other.
//!
//! Independent of the engine: integers are 128 bits wide and wrapped to their type, floats are
//! Rust's.

use crate::functions::DEVICE;
use crate::tree::{
    Call, Cmp, Expr, Fun, Function, Guarded, Kernel, Marking, Object, Op, Passing, Place, Scope,
    Stmt, Tally, Ty,
};
use crate::value::{Value, wrap};

use Value::{F32, F64, Int};

/// Why a list of statements ended.
enum Flow {
    Next,
    Break,
    Continue,
    /// With a value, or the components of an object.
    Return(Vec<Value>),
}

/// Variables of one call.
struct Frame<'a> {
    structs: &'a [Vec<Ty>],
    functions: &'a [Function],
    var_types: Vec<Ty>,
    array_types: &'a [Ty],
    pointer_types: &'a [Ty],
    object_types: &'a [Object],
    given: Object,
    vars: Vec<Value>,
    arrays: Vec<[Value; 8]>,
    /// Array and offset.
    pointers: Vec<(usize, usize)>,
    objects: Vec<Vec<Value>>,
    /// Objects with a destructor whose blocks have not ended, and the numbers that they hold.
    guards: Vec<(Guarded, Value)>,
    template: i64,
    /// The thread's own word in global memory.
    own: i32,
}

/// What all threads see.
struct Machine<'a> {
    kernel: &'a Kernel,
    ints: &'a [i32],
    floats: &'a [f32],
    tallies: Vec<Value>,
    /// The words of all boards, then those beside.
    marks: Vec<i32>,
    /// By word: the fewest lanes of a warp that tested it by one instruction.
    testers: Vec<usize>,
    thread: u32,
    block: u32,
}

impl<'a> Frame<'a> {
    fn of_kernel(kernel: &'a Kernel) -> Frame<'a> {
        Frame {
            structs: &kernel.structs,
            functions: &kernel.functions,
            var_types: kernel.vars.clone(),
            array_types: &kernel.arrays,
            pointer_types: &kernel.pointers,
            object_types: &kernel.objects,
            given: kernel.given,
            vars: vec![Int(0); kernel.vars.len()],
            arrays: vec![[Int(0); 8]; kernel.arrays.len()],
            pointers: vec![(0, 0); kernel.pointers.len()],
            objects: vec![Vec::new(); kernel.objects.len()],
            guards: Vec::new(),
            template: 0,
            own: 0,
        }
    }

    fn of_call(&self, call: &Call) -> Frame<'a> {
        let f = &self.functions[call.function];
        Frame {
            structs: self.structs,
            functions: self.functions,
            var_types: f.var_types(call.ty),
            array_types: &f.arrays,
            pointer_types: &f.pointers,
            object_types: &f.objects,
            given: self.given,
            vars: vec![Int(0); f.vars.len()],
            arrays: vec![[Int(0); 8]; f.arrays.len()],
            pointers: vec![(0, 0); f.pointers.len()],
            objects: vec![Vec::new(); f.objects.len()],
            guards: Vec::new(),
            template: call.number,
            own: 0,
        }
    }

    fn ty(&self, e: &Expr) -> Ty {
        e.ty(Scope {
            structs: self.structs,
            functions: self.functions,
            vars: &self.var_types,
            arrays: self.array_types,
            pointers: self.pointer_types,
            objects: self.object_types,
            given: self.given,
        })
    }

    fn set(&mut self, var: usize, v: Value) {
        self.vars[var] = v.to(self.var_types[var]);
    }

    /// An object with a destructor begins to live.
    fn guard(&mut self, what: Guarded, by: Value) {
        self.guards.push((what, by));
        if let Guarded::Parts(_) = what {
            self.guards.extend([(what, Int(by.int() ^ 1)), (what, Int(5))]);
        }
    }

    fn step(&mut self, var: usize, up: bool) {
        let one = if up { 1 } else { -1 };
        let stepped = match self.vars[var] {
            Int(n) => Int(n + one),
            F32(x) => F32(x + one as f32),
            F64(x) => F64(x + one as f64),
        };
        self.set(var, stepped);
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
                    Op::Div | Op::DivNegative | Op::Quot => a / b,
                    Op::Rem | Op::RemNegative => a % b,
                    Op::And => a & b,
                    Op::Or => a | b,
                    Op::Xor => a ^ b,
                    Op::Shl | Op::ShlWide => a << b,
                    Op::Shr | Op::ShrWide => a >> b,
                },
            ))
        }
    }
}

/// The new value of a tally of type `ty`.
fn tallied(tally: Tally, ty: Ty, old: Value, value: Value) -> Value {
    if ty.is_float() {
        // as the text does it: `(T)((int)(value) & 255)`
        let small = Int(value.to(Ty::I32).int() & 255).to(ty);
        return binary(Op::Add, ty, old, small);
    }
    let (old, v) = (old.int(), value.to(ty).int());
    Int(wrap(
        ty,
        match tally {
            Tally::Add => old + v,
            Tally::Sub => old - v,
            Tally::Min => old.min(v),
            Tally::Max => old.max(v),
            Tally::And => old & v,
            Tally::Or => old | v,
            Tally::Xor => old ^ v,
            Tally::Inc => {
                if old >= 100 {
                    0
                } else {
                    old + 1
                }
            }
        },
    ))
}

impl Machine<'_> {
    fn index(&self, frame: &Frame<'_>, e: &Expr, mask: i128) -> usize {
        (self.eval(frame, e).int() & mask) as usize
    }

    fn operate(&self, frame: &Frame<'_>, op: Op, a: Value, a_ty: Ty, b: &Expr) -> (Ty, Value) {
        let (b_value, b_ty) = (self.eval(frame, b), frame.ty(b));
        let shift = |mask: i128| {
            let ty = a_ty.promoted();
            (ty, binary(op, ty, a.to(ty), Int(b_value.int() & mask)))
        };
        let divide = |add: i128| {
            let b_ty = b_ty.promoted();
            let divisor = Int(wrap(b_ty, (b_value.int() & 15) + add));
            let ty = a_ty.common(b_ty);
            (ty, binary(op, ty, a.to(ty), divisor.to(ty)))
        };
        match op {
            Op::Shl | Op::Shr => shift(31),
            Op::ShlWide | Op::ShrWide => shift(63),
            Op::Div | Op::Rem => divide(1),
            Op::DivNegative | Op::RemNegative => divide(-17),
            _ => {
                let ty = a_ty.common(b_ty);
                (ty, binary(op, ty, a.to(ty), b_value.to(ty)))
            }
        }
    }

    fn eval(&self, frame: &Frame<'_>, e: &Expr) -> Value {
        let flag = |b: bool| Int(i128::from(b));
        let number = |n: u32| Int(i128::from(n));
        let [bx, _] = self.kernel.block;
        let [gx, _] = self.kernel.grid;
        match e {
            Expr::Int(_, v) => Int(i128::from(*v)),
            Expr::Float(Ty::F32, v) => F32(*v as f32),
            Expr::Float(_, v) => F64(*v),
            Expr::Var(v) => frame.vars[*v],
            Expr::Element(a, i) => frame.arrays[*a][self.index(frame, i, 7)],
            Expr::Via(p, i) => {
                let (array, offset) = frame.pointers[*p];
                frame.arrays[array][offset + self.index(frame, i, 3)]
            }
            Expr::Field(o, k) => frame.objects[*o][*k],
            Expr::FieldAt(o, i) => frame.objects[*o][self.index(frame, i, 3)],
            Expr::CallField(call, k) => self.call_for_object(frame, call).1[*k],
            Expr::Total(o) => {
                let sum = frame.objects[*o].iter().map(|v| v.real()).reduce(|a, b| a + b);
                F64(sum.unwrap_or(0.0))
            }
            Expr::Given(k) => given(self.kernel)[*k],
            Expr::Input(i) => Int(i128::from(self.ints[self.index(frame, i, 63)])),
            Expr::FloatInput(i) => F32(self.floats[self.index(frame, i, 63)]),
            Expr::Table(i) => Int(i128::from(self.kernel.table[self.index(frame, i, 15)])),
            Expr::ThreadX => number(self.thread % bx),
            Expr::ThreadY => number(self.thread / bx),
            Expr::BlockX => number(self.block % gx),
            Expr::BlockY => number(self.block / gx),
            Expr::Parameter => Int(i128::from(self.kernel.parameter)),
            Expr::Template => Int(i128::from(frame.template)),
            Expr::Neg(inner) => match self.eval(frame, inner) {
                Int(v) => Int(wrap(frame.ty(e), -v)),
                F32(v) => F32(-v),
                F64(v) => F64(-v),
            },
            Expr::Not(inner) => Int(wrap(frame.ty(e), !self.eval(frame, inner).int())),
            Expr::Logic(inner) => flag(!self.eval(frame, inner).truth()),
            Expr::Bin(op, a, b) => self.operate(frame, *op, self.eval(frame, a), frame.ty(a), b).1,
            Expr::Cmp(cmp, a, b) => {
                let ty = frame.ty(a).common(frame.ty(b));
                let (a, b) = (self.eval(frame, a).to(ty), self.eval(frame, b).to(ty));
                let order = match (a, b) {
                    (Int(a), Int(b)) => Some(a.cmp(&b)),
                    (a, b) => a.real().partial_cmp(&b.real()),
                };
                flag(match cmp {
                    Cmp::Lt => order.is_some_and(|o| o.is_lt()),
                    Cmp::Le => order.is_some_and(|o| o.is_le()),
                    Cmp::Gt => order.is_some_and(|o| o.is_gt()),
                    Cmp::Ge => order.is_some_and(|o| o.is_ge()),
                    Cmp::Eq => order.is_some_and(|o| o.is_eq()),
                    Cmp::Ne => !order.is_some_and(|o| o.is_eq()),
                })
            }
            Expr::AndAlso(a, b) => flag(self.eval(frame, a).truth() && self.eval(frame, b).truth()),
            Expr::OrElse(a, b) => flag(self.eval(frame, a).truth() || self.eval(frame, b).truth()),
            Expr::Cond(c, a, b) => {
                let chosen = if self.eval(frame, c).truth() { a } else { b };
                self.eval(frame, chosen).to(frame.ty(e))
            }
            Expr::Cast(ty, inner) => self.eval(frame, inner).to(*ty),
            Expr::Fun(fun, ty, args) => {
                let args: Vec<Value> = args.iter().map(|a| self.eval(frame, a).to(*ty)).collect();
                function(*fun, *ty, &args)
            }
            Expr::Device(k, args) => {
                let f = &DEVICE[*k];
                let arg = |(a, ty): (&Expr, &Ty)| self.eval(frame, a).to(*ty);
                f.value(&args.iter().zip(&f.params).map(arg).collect::<Vec<_>>())
            }
            Expr::Call(call) => self.call(frame, call).1,
        }
    }

    /// The callee's frame after the call, and the result.
    fn call<'f>(&self, frame: &Frame<'f>, call: &Call) -> (Frame<'f>, Value) {
        let f = &frame.functions[call.function];
        let (mut inner, returned) = self.run_call(frame, call);
        let v = returned.map_or_else(|| self.eval(&inner, &f.result), |v| v[0]);
        self.without_effects().leave(&mut inner, 0);
        (inner, v.to(f.returns(call.ty)))
    }

    /// As [`Machine::call`], for the components of the object that the function gives.
    fn call_for_object<'f>(&self, frame: &Frame<'f>, call: &Call) -> (Frame<'f>, Vec<Value>) {
        let gives = frame.functions[call.function].gives.expect("a function that gives an object");
        let (mut inner, returned) = self.run_call(frame, call);
        let object = returned.unwrap_or_else(|| inner.objects[gives].clone());
        self.without_effects().leave(&mut inner, 0);
        (inner, object)
    }

    /// For a function: none touches what threads share, so a copy is never written.
    fn without_effects(&self) -> Machine<'_> {
        Machine { tallies: Vec::new(), marks: Vec::new(), testers: Vec::new(), ..*self }
    }

    /// The callee's frame before its objects end, and what was returned before its end.
    fn run_call<'f>(&self, frame: &Frame<'f>, call: &Call) -> (Frame<'f>, Option<Vec<Value>>) {
        let f = &frame.functions[call.function];
        let mut inner = frame.of_call(call);
        for (k, v) in call.bound.iter().enumerate() {
            inner.set(k, frame.vars[*v]);
        }
        for (k, e) in call.args.iter().enumerate() {
            inner.set(f.references + k, self.eval(frame, e));
        }
        if let Some(a) = call.array {
            inner.arrays[0] = frame.arrays[a];
        }
        if let Some(o) = call.object {
            inner.objects[0] = frame.objects[o].clone();
        }
        let returned = match self.without_effects().statements(&mut inner, &f.body) {
            Flow::Return(v) => Some(v),
            _ => None,
        };
        (inner, returned)
    }

    /// What a call has done to the caller's variables.
    fn after_call(frame: &mut Frame<'_>, call: &Call, inner: &Frame<'_>) {
        for (k, v) in call.bound.iter().enumerate() {
            frame.vars[*v] = inner.vars[k];
        }
        if let Some(a) = call.array {
            frame.arrays[a] = inner.arrays[0];
        }
        let passing = frame.functions[call.function].takes_object;
        if let (Some(o), Some(Passing::Reference | Passing::Pointer)) = (call.object, passing) {
            frame.objects[o] = inner.objects[0].clone();
        }
    }

    /// Adds numbers to the components of an object.
    fn add_to(frame: &Frame<'_>, object: usize, add: &[(usize, Value, Ty)]) -> Vec<Value> {
        let types = frame.object_types[object].fields(frame.structs);
        let mut out = frame.objects[object].clone();
        for (k, value, ty) in add {
            let common = types[*k].common(*ty);
            out[*k] = binary(Op::Add, common, out[*k].to(common), value.to(common)).to(types[*k]);
        }
        out
    }

    /// Runs the destructors of the objects made since there were `before`.
    fn leave(&mut self, frame: &mut Frame<'_>, before: usize) {
        for (what, by) in frame.guards.split_off(before).into_iter().rev() {
            match what {
                Guarded::Tally(k) => self.tally(k, by),
                Guarded::Var(v) | Guarded::Parts(v) => {
                    let ty = frame.var_types[v].common(Ty::I32);
                    let three = binary(Op::Mul, ty, frame.vars[v].to(ty), Int(3).to(ty));
                    frame.set(v, binary(Op::Add, ty, three, by.to(ty)));
                }
            }
        }
    }

    fn tally(&mut self, k: usize, value: Value) {
        let (tally, ty) = self.kernel.tallies[k];
        self.tallies[k] = tallied(tally, ty, self.tallies[k], value);
    }

    /// The statements of a block.
    fn list(&mut self, frame: &mut Frame<'_>, stmts: &[Stmt]) -> Flow {
        let before = frame.guards.len();
        let flow = self.statements(frame, stmts);
        self.leave(frame, before);
        flow
    }

    fn statements(&mut self, frame: &mut Frame<'_>, stmts: &[Stmt]) -> Flow {
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
            Stmt::LetByBranch(v, cond, a, b) => {
                let e = if self.eval(frame, cond).truth() { a } else { b };
                let value = self.eval(frame, e);
                frame.set(*v, value);
            }
            Stmt::Chain(v, w, e) => {
                let value = self.eval(frame, e);
                frame.set(*w, value);
                frame.set(*v, frame.vars[*w]);
            }
            Stmt::AssignOp(op, v, e) => {
                let (_, value) = self.operate(frame, *op, frame.vars[*v], frame.var_types[*v], e);
                frame.set(*v, value);
            }
            Stmt::Step(v, up, _) => frame.step(*v, *up),
            Stmt::AssignStep(to, v, up, before) => {
                let old = frame.vars[*v];
                frame.step(*v, *up);
                let value = if *before { frame.vars[*v] } else { old };
                frame.set(*to, value);
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
            Stmt::Pointer { pointer, array, other, offset } => {
                let array = match other {
                    Some((cond, other)) if !self.eval(frame, cond).truth() => other,
                    _ => array,
                };
                frame.pointers[*pointer] = (*array, self.index(frame, offset, 3));
            }
            Stmt::StoreVia(p, i, e) => {
                let (array, offset) = frame.pointers[*p];
                let (at, value) = (self.index(frame, i, 3), self.eval(frame, e));
                frame.arrays[array][offset + at] = value.to(frame.array_types[array]);
            }
            Stmt::LetObject(o, values) => {
                let types = frame.object_types[*o].fields(frame.structs);
                let values = values.iter().zip(types);
                let values = values.map(|(e, ty)| self.eval(frame, e).to(ty)).collect();
                frame.objects[*o] = values;
            }
            Stmt::SetField(o, k, e) => {
                let ty = frame.object_types[*o].fields(frame.structs)[*k];
                frame.objects[*o][*k] = self.eval(frame, e).to(ty);
            }
            Stmt::CopyObject(to, from) | Stmt::ObjectHome(to, from) => {
                frame.objects[*to] = frame.objects[*from].clone();
            }
            Stmt::Invoke(to, call) => {
                let (inner, value) = self.call(frame, call);
                Self::after_call(frame, call, &inner);
                frame.set(*to, value);
            }
            Stmt::TakeObject(to, call) => {
                let (inner, object) = self.call_for_object(frame, call);
                Self::after_call(frame, call, &inner);
                frame.objects[*to] = object;
            }
            Stmt::SetFieldAt(o, i, e) => {
                let ty = frame.object_types[*o].fields(frame.structs)[0];
                let (at, value) = (self.index(frame, i, 3), self.eval(frame, e));
                frame.objects[*o][at] = value.to(ty);
            }
            Stmt::Bump(o, e) => {
                let last = frame.objects[*o].len() - 1;
                for by in [self.eval(frame, e).to(Ty::I32), Int(1)] {
                    frame.objects[*o] = Self::add_to(frame, *o, &[(last, by, Ty::I32)]);
                }
            }
            Stmt::AddObjects(to, a, b) => {
                let types = frame.object_types[*b].fields(frame.structs);
                let add = frame.objects[*b].iter().zip(types).enumerate();
                let add: Vec<_> = add.map(|(k, (v, ty))| (k, *v, ty)).collect();
                frame.objects[*to] = Self::add_to(frame, *a, &add);
            }
            Stmt::ChooseObject(to, cond, a, b) => {
                let from = if self.eval(frame, cond).truth() { a } else { b };
                frame.objects[*to] = frame.objects[*from].clone();
            }
            Stmt::Lambda { to, param, body, arg, .. } => {
                let value = self.eval(frame, arg);
                frame.set(*param, value);
                let value = self.eval(frame, body);
                frame.set(*to, value);
            }
            Stmt::If(cond, then, els) => {
                let body = if self.eval(frame, cond).truth() { then } else { els };
                return self.list(frame, body);
            }
            Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. } => {
                return self.repeat(frame, stmt);
            }
            Stmt::Switch(value, arms) => return self.switch(frame, value, arms),
            Stmt::BreakIf(cond) if self.eval(frame, cond).truth() => return Flow::Break,
            Stmt::ContinueIf(cond) if self.eval(frame, cond).truth() => return Flow::Continue,
            Stmt::ReturnIf(cond, value) if self.eval(frame, cond).truth() => {
                return Flow::Return(value.iter().map(|v| self.eval(frame, v)).collect());
            }
            Stmt::ReturnObjectIf(cond, o) if self.eval(frame, cond).truth() => {
                return Flow::Return(frame.objects[*o].clone());
            }
            Stmt::BreakIf(_)
            | Stmt::ContinueIf(_)
            | Stmt::ReturnIf(..)
            | Stmt::ReturnObjectIf(..) => {}
            Stmt::Block(body) => return self.list(frame, body),
            Stmt::Atomic(k, e) => {
                let value = self.eval(frame, e);
                self.tally(*k, value);
            }
            Stmt::Guard(what, by) => {
                let by = self.eval(frame, by).to(Ty::I32);
                frame.guard(*what, by);
            }
            Stmt::Mark { board, word, style, value } => {
                let word = self.eval(frame, word);
                self.mark_together(*board, &[word], *style, *value);
            }
            // nothing above 99 is ever stored
            Stmt::Look { to, .. } => frame.set(*to, Int(0)),
            Stmt::OwnAtomic { kind, to, a, b } => {
                let int = |e: &Expr| self.eval(frame, e).to(Ty::I32).int() as i32;
                let (a, b, old) = (int(a), int(b), frame.own);
                frame.own = match kind {
                    0 => a,
                    1 if old == a => b,
                    1 => old,
                    _ => old.wrapping_add(a),
                };
                frame.set(*to, Int(i128::from(old)));
            }
            _ => unreachable!("only where all threads pass"),
        }
        Flow::Next
    }

    /// Tests a word, and stores behind the test.
    fn mark(&mut self, at: usize, style: Marking, value: Option<i32>) {
        let value = value.unwrap_or(self.kernel.level());
        let limit = if style == Marking::Less { value } else { 1 };
        if self.marks[at] < limit {
            self.marks[at] = value;
            if style == Marking::Beside {
                self.marks[8 * self.kernel.boards + at] = value + 1;
            }
        }
    }

    /// As [`Machine::mark`], for threads of a block that come to it together.
    fn mark_together(&mut self, board: usize, words: &[Value], style: Marking, value: Option<i32>) {
        let words: Vec<usize> = words.iter().map(|w| 8 * board + (w.int() & 7) as usize).collect();
        for warp in words.chunks(32) {
            for at in warp {
                let lanes = warp.iter().filter(|w| *w == at).count();
                self.testers[*at] = self.testers[*at].min(lanes);
                self.mark(*at, style, value);
            }
        }
    }

    /// A loop.
    fn repeat(&mut self, frame: &mut Frame<'_>, stmt: &Stmt) -> Flow {
        match stmt {
            Stmt::For { counter, turns, down, bound, body, .. } => {
                let turns = i128::from(*turns);
                frame.vars[*counter] = Int(if *down { turns } else { 0 });
                loop {
                    let at = frame.vars[*counter].int();
                    let inside = if *down { at > 0 } else { at < turns };
                    let within = |bound: i128| if *down { at != bound } else { at < bound };
                    let bound = |m: &Self| {
                        bound.as_ref().is_none_or(|b| within(m.index(frame, b, 7) as i128))
                    };
                    if !inside || !bound(self) {
                        break;
                    }
                    match self.list(frame, body) {
                        Flow::Break => break,
                        Flow::Return(v) => return Flow::Return(v),
                        _ => {}
                    }
                    frame.vars[*counter] = Int(if *down { at - 1 } else { at + 1 });
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
            _ => unreachable!("no loop"),
        }
        Flow::Next
    }

    fn switch(
        &mut self,
        frame: &mut Frame<'_>,
        value: &Expr,
        arms: &[(i64, Vec<Stmt>, bool)],
    ) -> Flow {
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
        Flow::Next
    }

    /// The value of an expression for each thread of the block.
    fn all(&mut self, frames: &[Frame<'_>], e: &Expr) -> Vec<Value> {
        let mut out = Vec::new();
        for (t, frame) in frames.iter().enumerate() {
            self.thread = t as u32;
            out.push(self.eval(frame, e));
        }
        out
    }

    /// Runs statements for all threads of a block together: exchanges see what every thread has
    /// computed.
    fn together(&mut self, frames: &mut [Frame<'_>], done: &mut [bool], stmts: &[Stmt]) {
        let n = frames.len();
        // the value that thread `t` gets from its warp's values
        let warp_of = |t: usize| t / 32 * 32..(t / 32 * 32 + 32).min(n);
        for stmt in stmts {
            match stmt {
                Stmt::Exchange { array, to, value, factor, shift, reversed } => {
                    let ty = self.kernel.shared[*array];
                    let values = self.all(frames, value);
                    for (t, frame) in frames.iter_mut().enumerate() {
                        let at = (t * *factor as usize + *shift as usize) % n;
                        let from = if *reversed { n - 1 - at } else { at };
                        frame.set(*to, values[from].to(ty));
                    }
                }
                Stmt::ExchangeObject { from, to, shift } => {
                    let objects: Vec<_> = frames.iter().map(|f| f.objects[*from].clone()).collect();
                    for (t, frame) in frames.iter_mut().enumerate() {
                        frame.objects[*to] = objects[(t + *shift as usize) % n].clone();
                    }
                }
                Stmt::Tile { counter, value, to, row, shift } => {
                    let ty = self.kernel.shared[2];
                    let mut tile = Vec::new();
                    for k in 0..4 {
                        for frame in frames.iter_mut() {
                            frame.vars[*counter] = Int(k);
                        }
                        tile.push(self.all(frames, value));
                    }
                    let rows = self.all(frames, row);
                    for (t, frame) in frames.iter_mut().enumerate() {
                        let row = (rows[t].int() & 3) as usize;
                        frame.set(*to, tile[row][(t + *shift as usize) % n].to(ty));
                    }
                }
                Stmt::SharedTally { tally, ty, to, value } => {
                    let values = self.all(frames, value);
                    let start = Int(12345).to(*ty);
                    let end = values.into_iter().fold(start, |old, v| tallied(*tally, *ty, old, v));
                    frames.iter_mut().for_each(|frame| frame.set(*to, end));
                }
                Stmt::SyncVote { kind, to, value } => {
                    // the parameter is an `int`
                    let votes = self.all(frames, value).into_iter();
                    let votes = votes.filter(|v| v.to(Ty::I32).truth()).count();
                    let result = match kind {
                        0 => votes,
                        1 => usize::from(votes == n),
                        _ => usize::from(votes > 0),
                    };
                    frames.iter_mut().for_each(|frame| frame.set(*to, Int(result as i128)));
                }
                Stmt::Shuffle { kind, to, value, lane, width } => {
                    let values = self.all(frames, value);
                    let lanes = self.all(frames, lane);
                    let width = *width as usize;
                    for (t, frame) in frames.iter_mut().enumerate() {
                        let (own, by) = (t % 32, (lanes[t].to(Ty::I32).int() & 31) as usize);
                        let first = own / width * width;
                        let segment = first..first + width;
                        let from = match kind {
                            0 => Some(own ^ by).filter(|l| *l < first + width),
                            1 => own.checked_sub(by).filter(|l| *l >= first),
                            2 => Some(own + by).filter(|l| segment.contains(l)),
                            _ => Some(first + by % width),
                        };
                        frame.set(*to, values[t - own + from.unwrap_or(own)]);
                    }
                }
                Stmt::HalfShuffle { to, value, by } => {
                    let values = self.all(frames, value);
                    for (t, frame) in frames.iter_mut().enumerate().filter(|(t, _)| t % 32 < 16) {
                        frame.set(*to, values[t ^ *by as usize]);
                    }
                }
                Stmt::Vote { kind, to, value } => {
                    let votes = self.all(frames, value).into_iter();
                    let votes: Vec<bool> = votes.map(|v| v.to(Ty::I32).truth()).collect();
                    for (t, frame) in frames.iter_mut().enumerate() {
                        let warp = &votes[warp_of(t)];
                        let result = match kind {
                            0 => (0..).zip(warp).fold(0, |m, (l, v)| m | i128::from(*v) << l),
                            1 => i128::from(warp.iter().all(|v| *v)),
                            _ => i128::from(warp.iter().any(|v| *v)),
                        };
                        frame.set(*to, Int(result));
                    }
                }
                Stmt::Leader { to, cond, value } => {
                    let chosen: Vec<bool> =
                        self.all(frames, cond).into_iter().map(|v| v.truth()).collect();
                    let values = self.all(frames, value);
                    for (t, frame) in frames.iter_mut().enumerate().filter(|(t, _)| chosen[*t]) {
                        let leader = warp_of(t).find(|t| chosen[*t]).expect("this one at least");
                        frame.set(*to, values[leader]);
                    }
                }
                Stmt::ActiveCount { to, cond, value } => {
                    let chosen: Vec<bool> =
                        self.all(frames, cond).into_iter().map(|v| v.truth()).collect();
                    let votes: Vec<bool> = self
                        .all(frames, value)
                        .into_iter()
                        .map(|v| v.to(Ty::I32).truth())
                        .collect();
                    for (t, frame) in frames.iter_mut().enumerate().filter(|(t, _)| chosen[*t]) {
                        let count = warp_of(t).filter(|t| chosen[*t] && votes[*t]).count();
                        frame.set(*to, Int(count as i128));
                    }
                }
                Stmt::WarpReduce { tally, to, value } => {
                    let values = self.all(frames, value).into_iter();
                    let values: Vec<Value> = values.map(|v| v.to(Ty::U32)).collect();
                    for (t, frame) in frames.iter_mut().enumerate() {
                        let warp = values[warp_of(t)].iter().copied();
                        let result = warp.reduce(|a, b| tallied(*tally, Ty::U32, a, b));
                        frame.set(*to, result.expect("a warp has lanes"));
                    }
                }
                Stmt::Uniform { counter, turns, body } => {
                    for turn in 0..*turns {
                        for frame in frames.iter_mut() {
                            frame.vars[*counter] = Int(i128::from(turn));
                        }
                        let before: Vec<_> = frames.iter().map(|f| f.guards.len()).collect();
                        self.together(frames, done, body);
                        frames.iter_mut().zip(before).for_each(|(f, before)| self.leave(f, before));
                    }
                }
                Stmt::Mark { board, word, style, value } if !done.contains(&true) => {
                    let words = self.all(frames, word);
                    self.mark_together(*board, &words, *style, *value);
                }
                stmt => {
                    for t in 0..n {
                        self.thread = t as u32;
                        if !done[t] && matches!(self.stmt(&mut frames[t], stmt), Flow::Return(_)) {
                            self.leave(&mut frames[t], 0);
                            done[t] = true;
                        }
                    }
                }
            }
        }
    }
}

/// What the kernel's function of this name gives.
fn bit_fields(a: i128, b: i128, c: i128) -> i128 {
    let signed = |v: i128, width: u32| v << (128 - width) >> (128 - width);
    let low = signed(a, 5);
    let mid = (b + low) & 2047;
    let high = signed(c, 15);
    let far = signed(b * 65537 + a, 37);
    let chosen = if c & 2 != 0 { signed(high - 3, 15) } else { high };
    ((low * 128) ^ mid) + chosen + (far >> 20)
}

fn function(fun: Fun, ty: Ty, args: &[Value]) -> Value {
    let a = args[0];
    let count = |n: u32| Int(i128::from(n));
    if let Int(v) = a {
        let bits = wrap(if ty.size() == 8 { Ty::U64 } else { Ty::U32 }, v) as u64;
        let unused = 64 - ty.bits();
        let second = args.get(1).map_or(0, |b| b.int());
        return match fun {
            Fun::Min => Int(v.min(second)),
            Fun::Max => Int(v.max(second)),
            Fun::Abs => Int(wrap(ty, v.abs())),
            Fun::Popc => count(bits.count_ones()),
            Fun::Clz => count((bits << unused).leading_zeros().min(ty.bits())),
            Fun::Brev => Int(i128::from((bits << unused).reverse_bits())),
            Fun::Ffs if v == 0 => Int(0),
            Fun::Ffs => count(bits.trailing_zeros() + 1),
            Fun::MulHi => Int(v.wrapping_mul(second) >> ty.bits()).to(ty),
            Fun::FunnelLeft => {
                // the high word of hi:lo shifted left
                let pair = second << 32 | v;
                Int(((pair << (args[2].int() & 31)) >> 32) & 0xffff_ffff)
            }
            Fun::BitFields => Int(wrap(Ty::I32, bit_fields(v, second, args[2].int()))),
            Fun::Sad => Int(wrap(Ty::U32, (v - second).abs() + args[2].int())),
            Fun::IntAsFloat => F32(f32::from_bits(bits as u32)),
            _ => a,
        };
    }
    if let F32(v) = a {
        let (second, third) = (single(args.get(1)), single(args.get(2)));
        return F32(match fun {
            Fun::IsNan => return Int(i128::from(v.is_nan())),
            Fun::Sqrt => v.sqrt(),
            Fun::Fabs => v.abs(),
            Fun::Floor => v.floor(),
            Fun::Ceil => v.ceil(),
            Fun::Trunc => v.trunc(),
            Fun::Round => v.round(),
            Fun::Rint => v.round_ties_even(),
            Fun::Fma => v.mul_add(second, third),
            Fun::Fmin => v.min(second),
            Fun::Fmax => v.max(second),
            Fun::Fmod => v % second,
            Fun::Copysign => v.copysign(second),
            Fun::HalfSum => half(half(v) + half(second)),
            Fun::HalfProduct => half(half(v) * half(second)),
            Fun::BrainSum => brain(brain(v) + brain(second)),
            _ => v,
        });
    }
    let v = a.real();
    let real = |k: usize| args.get(k).map_or(0.0, |x| x.real());
    F64(match fun {
        Fun::IsNan => return Int(i128::from(v.is_nan())),
        Fun::Sqrt => v.sqrt(),
        Fun::Fabs => v.abs(),
        Fun::Floor => v.floor(),
        Fun::Ceil => v.ceil(),
        Fun::Trunc => v.trunc(),
        Fun::Round => v.round(),
        Fun::Rint => v.round_ties_even(),
        Fun::Fma => v.mul_add(real(1), real(2)),
        Fun::Fmin => v.min(real(1)),
        Fun::Fmax => v.max(real(1)),
        Fun::Fmod => v % real(1),
        Fun::Copysign => v.copysign(real(1)),
        _ => v,
    })
}

/// Rounded to a half; what two of them make is exact in a float, or the nearest half to it.
fn half(v: f32) -> f32 {
    half::f16::from_f32(v).to_f32()
}

/// Rounded to a bfloat16.
fn brain(v: f32) -> f32 {
    half::bf16::from_f32(v).to_f32()
}

fn single(v: Option<&Value>) -> f32 {
    match v {
        Some(F32(v)) => *v,
        _ => 0.0,
    }
}

/// The components of the kernel's parameter `given`.
pub fn given(kernel: &Kernel) -> Vec<Value> {
    let fields = kernel.given.fields(&kernel.structs);
    fields.into_iter().zip(&kernel.given_values).map(|(ty, v)| Int(i128::from(*v)).to(ty)).collect()
}

/// What the kernel leaves in its output buffers.
pub struct Expected {
    pub tallies: Vec<Value>,
    pub own: Vec<i32>,
    pub marks: Vec<i32>,
    /// Some word was marked by a thread while another one of its warp tested it.
    pub races: bool,
    pub ints: Vec<i64>,
    pub floats: Vec<f64>,
    /// Of each array in global memory, by number, the elements of all threads.
    pub arrays: Vec<(usize, Vec<Value>)>,
}

/// What a tally holds before the kernel runs.
pub const TALLY_START: i64 = 77;

/// Runs the kernel.
pub fn run(kernel: &Kernel, ints: &[i32], floats: &[f32]) -> Expected {
    let threads = kernel.threads() * kernel.blocks();
    let tallies = kernel.tallies.iter().map(|(_, ty)| Int(i128::from(TALLY_START)).to(*ty));
    let mut machine = Machine {
        kernel,
        ints,
        floats,
        tallies: tallies.collect(),
        marks: vec![0; 16 * kernel.boards],
        testers: vec![usize::MAX; 8 * kernel.boards],
        thread: 0,
        block: 0,
    };
    let mut expected = Expected {
        tallies: Vec::new(),
        own: Vec::new(),
        marks: Vec::new(),
        races: false,
        ints: vec![0; threads * 8],
        floats: vec![0.0; threads * 8],
        arrays: kernel.in_place(Place::Global).into_iter().map(|a| (a, Vec::new())).collect(),
    };
    for block in 0..kernel.blocks() {
        machine.block = block as u32;
        let mut frames: Vec<Frame<'_>> =
            (0..kernel.threads()).map(|_| Frame::of_kernel(kernel)).collect();
        let mut done = vec![false; frames.len()];
        machine.together(&mut frames, &mut done, &kernel.body);
        for (t, frame) in frames.iter_mut().enumerate() {
            expected.own.push(frame.own);
            for (a, values) in &mut expected.arrays {
                values.extend(frame.arrays[*a].map(|v| v.to(kernel.arrays[*a])));
            }
            if done[t] {
                continue;
            }
            let slot = (block * kernel.threads() + t) * 8;
            for (k, v) in kernel.results.iter().enumerate() {
                match frame.vars[*v] {
                    Int(n) => expected.ints[slot + k] = n as i64,
                    x => expected.floats[slot + k] = x.real(),
                }
            }
            machine.leave(frame, 0);
        }
    }
    expected.tallies = machine.tallies;
    expected.marks = machine.marks;
    expected.races = machine.testers.iter().any(|lanes| (2..=32).contains(lanes));
    expected
}
