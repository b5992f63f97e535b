//! Random well-formed kernels.
//!
//! Well-formed: nothing is undefined, so the result is one set of bits. Divisors are `(e & 15) + 1`
//! or `(e & 15) - 17`, shift counts `e & 31`, indices `e & 7`; loops have a counter; barriers and
//! shuffles stand where all threads pass; expressions have no effects; threads share only what an
//! exchange or an atomic of a commutative operation shares, or a plain read and store whose order
//! makes no difference.

use crate::functions::DEVICE;
use crate::random::Random;
use crate::tree::{
    Call, Cmp, Expr, Fun, Function, Guarded, Kernel, Marking, Object, Op, Passing, Place, Scope,
    Stmt, Tally, Ty,
};

/// What all functions of a program see.
struct Program {
    structs: Vec<Vec<Ty>>,
    functions: Vec<Function>,
    carried: Object,
    given: Object,
    tallies: usize,
}

/// Makes the body of one function.
struct Maker<'a> {
    r: &'a mut Random,
    program: &'a Program,
    vars: Vec<Ty>,
    /// Variables of the template's type.
    generic_vars: Vec<bool>,
    arrays: Vec<Ty>,
    places: Vec<Place>,
    pointers: Vec<Ty>,
    objects: Vec<Object>,
    visible: Visible,
    kernel: bool,
    numbered: bool,
    /// A return may stand here, with a value of this type.
    returns: Option<Option<Ty>>,
    /// The function gives an object.
    gives: bool,
    loops: usize,
    /// Boards that the kernel has.
    boards: usize,
    /// Statements that may still be made.
    budget: usize,
}

/// What is in scope.
#[derive(Clone, Default)]
struct Visible {
    /// Variables, and whether they may be assigned.
    vars: Vec<(usize, bool)>,
    arrays: Vec<usize>,
    pointers: Vec<usize>,
    objects: Vec<usize>,
}

fn boxed(e: Expr) -> Box<Expr> {
    Box::new(e)
}

fn object(r: &mut Random, structs: usize) -> Object {
    if r.once_in(2) {
        return Object::Struct(r.below(structs));
    }
    Object::Vector(r.pick(&Ty::ALL[1..]), 2 + r.below(3))
}

fn tally(r: &mut Random) -> (Tally, Ty) {
    let integer = [Tally::Add, Tally::Min, Tally::Max, Tally::And, Tally::Or, Tally::Xor];
    match r.below(8) {
        0 => (Tally::Add, Ty::F32),
        1 => (Tally::Add, Ty::F64),
        2 => (Tally::Inc, Ty::U32),
        3 => (Tally::Sub, r.pick(&[Ty::I32, Ty::U32])),
        _ => (r.pick(&integer), r.pick(&[Ty::I32, Ty::U32, Ty::U64])),
    }
}

/// A random kernel.
pub fn kernel(seed: u64) -> Kernel {
    let mut r = Random(seed);
    let mut structs: Vec<Vec<Ty>> = (0..2)
        .map(|_| {
            let fields = 1 + r.below(4);
            (0..fields).map(|_| r.pick(&Ty::ALL)).collect()
        })
        .collect();
    let list = r.pick(&Ty::ALL);
    structs[1].splice(0..0, [list; 4]);
    let (carried, given) = (object(&mut r, structs.len()), object(&mut r, structs.len()));
    let tallies: Vec<(Tally, Ty)> = (0..4).map(|_| tally(&mut r)).collect();
    let mut program = Program { structs, functions: Vec::new(), carried, given, tallies: 4 };
    for _ in 0..r.below(5) {
        let f = function(&mut r, &program);
        program.functions.push(f);
    }
    let block = r.pick(&[
        [32, 1],
        [64, 1],
        [96, 1],
        [1, 1],
        [33, 1],
        [48, 1],
        [128, 1],
        [8, 8],
        [16, 4],
        [5, 7],
        [32, 2],
    ]);
    let grid = r.pick(&[[1, 1], [2, 1], [3, 1], [2, 2]]);
    let budget = 6 + r.below(50);
    let mut maker = Maker::new(&mut r, &program, true, budget);
    let shared = std::array::from_fn(|_| maker.r.pick(&Ty::ALL[1..]));
    let mut body = Vec::new();
    for _ in 0..3 {
        body.push(maker.declare());
    }
    for _ in 0..2 {
        body.push(maker.let_object(carried));
    }
    maker.uniform(&mut body, u32::is_multiple_of(block[0] * block[1], 32), 0);
    let mut results: Vec<usize> = maker.visible.vars.iter().map(|(v, _)| *v).collect();
    results.truncate(7);
    results.push(maker.digest(&mut body));
    // from here on threads may leave: nobody waits for them any more
    maker.returns = Some(None);
    maker.budget += 4;
    for _ in 0..maker.r.below(4) {
        maker.statement(&mut body, 3);
    }
    let Maker { vars, arrays, places, pointers, objects, boards, .. } = maker;
    let parameter = r.bits() as i32 >> r.below(31);
    let given_values = (0..8).map(|_| r.bits() as i64 >> r.below(63)).collect();
    let table = (0..16).map(|_| r.bits() as i32 >> r.below(31)).collect();
    let dynamic = r.once_in(2);
    Kernel {
        structs: program.structs,
        functions: program.functions,
        vars,
        arrays,
        places,
        pointers,
        objects,
        body,
        results,
        shared,
        dynamic,
        carried,
        given,
        given_values,
        tallies,
        boards,
        table,
        block,
        grid,
        parameter,
    }
}

fn function(r: &mut Random, program: &Program) -> Function {
    let budget = 2 + r.below(10);
    let mut maker = Maker::new(r, program, false, budget);
    let numbered = maker.r.once_in(3);
    let generic = maker.r.once_in(3);
    maker.numbered = numbered;
    let params = 1 + maker.r.below(3);
    let references = if maker.r.once_in(3) { 1 + maker.r.below(params) } else { 0 };
    for _ in 0..params {
        let ty = maker.r.pick(&Ty::ALL);
        let of_template = generic && maker.r.once_in(2);
        maker.new_var(if of_template { Ty::I64 } else { ty }, true);
        *maker.generic_vars.last_mut().expect("just added") = of_template;
    }
    let takes_array = maker.r.once_in(4);
    if takes_array {
        let ty = maker.r.pick(&Ty::ALL);
        maker.new_array(ty, Place::Local);
        maker.visible.arrays.push(0);
    }
    let takes_object = maker.r.once_in(3).then(|| {
        let carried = program.carried;
        maker.objects.push(carried);
        maker.visible.objects.push(0);
        maker.r.pick(&[
            Passing::Value,
            Passing::ConstReference,
            Passing::Reference,
            Passing::Pointer,
        ])
    });
    let read_only = takes_object == Some(Passing::ConstReference);
    let ret_generic = generic && maker.r.once_in(2);
    let ret = if ret_generic { Ty::I64 } else { maker.r.pick(&Ty::ALL) };
    let mut body = Vec::new();
    maker.gives = maker.r.once_in(3);
    if maker.gives {
        body.push(maker.let_object(program.carried));
    } else {
        maker.returns = Some(Some(ret));
    }
    for _ in 0..1 + maker.r.below(4) {
        maker.statement(&mut body, 2);
    }
    if read_only {
        writes_object(&mut body);
    }
    let gives = if maker.gives { maker.object_of(program.carried) } else { None };
    let result = maker.coerced(ret, 3);
    let Maker { vars, generic_vars, arrays, pointers, objects, .. } = maker;
    Function {
        numbered,
        generic,
        params,
        references,
        takes_array,
        takes_object,
        gives,
        ret,
        ret_generic,
        vars,
        generic_vars,
        arrays,
        pointers,
        objects,
        body,
        result,
    }
}

/// Removes the statements that write the first object, which is `const`, or pass it on.
fn writes_object(body: &mut Vec<Stmt>) {
    body.retain_mut(|stmt| {
        match stmt {
            Stmt::SetField(0, ..)
            | Stmt::SetFieldAt(0, ..)
            | Stmt::CopyObject(0, _)
            | Stmt::TakeObject(0, _)
            | Stmt::Bump(0, _)
            | Stmt::AddObjects(0, ..)
            | Stmt::ChooseObject(0, ..) => return false,
            Stmt::Invoke(_, Call { object: Some(0), .. })
            | Stmt::TakeObject(_, Call { object: Some(0), .. }) => return false,
            Stmt::If(_, a, b) => {
                writes_object(a);
                writes_object(b);
            }
            Stmt::For { body, .. }
            | Stmt::While { body, .. }
            | Stmt::DoWhile { body, .. }
            | Stmt::Block(body) => writes_object(body),
            Stmt::Switch(_, arms) => arms.iter_mut().for_each(|(_, body, _)| writes_object(body)),
            _ => {}
        }
        true
    });
}

impl<'a> Maker<'a> {
    fn new(r: &'a mut Random, program: &'a Program, kernel: bool, budget: usize) -> Maker<'a> {
        Maker {
            r,
            program,
            vars: Vec::new(),
            generic_vars: Vec::new(),
            arrays: Vec::new(),
            places: Vec::new(),
            pointers: Vec::new(),
            objects: Vec::new(),
            visible: Visible::default(),
            kernel,
            numbered: false,
            returns: None,
            gives: false,
            loops: 0,
            boards: 0,
            budget,
        }
    }

    fn ty(&self, e: &Expr) -> Ty {
        e.ty(Scope {
            structs: &self.program.structs,
            functions: &self.program.functions,
            vars: &self.vars,
            arrays: &self.arrays,
            pointers: &self.pointers,
            objects: &self.objects,
            given: self.program.given,
        })
    }

    fn new_var(&mut self, ty: Ty, assignable: bool) -> usize {
        self.vars.push(ty);
        self.generic_vars.push(false);
        self.visible.vars.push((self.vars.len() - 1, assignable));
        self.vars.len() - 1
    }

    fn new_array(&mut self, ty: Ty, place: Place) -> usize {
        self.arrays.push(ty);
        self.places.push(place);
        self.arrays.len() - 1
    }

    /// Runs `f` in a scope of its own.
    fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.visible.clone();
        let out = f(self);
        self.visible = outside;
        out
    }

    fn target(&mut self) -> Option<usize> {
        self.target_of(|_, _| true)
    }

    /// A variable that may be assigned and passes `fits`, which gets its number and type.
    fn target_of(&mut self, fits: impl Fn(usize, Ty) -> bool) -> Option<usize> {
        let all: Vec<usize> = self.visible.vars.iter().filter(|v| v.1).map(|v| v.0).collect();
        let all: Vec<usize> = all.into_iter().filter(|v| fits(*v, self.vars[*v])).collect();
        // the oldest ones are written out at the end: what happens to them is seen
        let old = &all[..all.len().min(4)];
        (!all.is_empty())
            .then(|| if self.r.once_in(2) { self.r.pick(old) } else { self.r.pick(&all) })
    }

    fn one_of(&mut self, list: &[usize]) -> Option<usize> {
        (!list.is_empty()).then(|| self.r.pick(list))
    }

    fn declare(&mut self) -> Stmt {
        let ty = self.r.pick(&Ty::ALL);
        if self.r.once_in(6) {
            let cond = self.cond(2);
            let (a, b) = (self.coerced(ty, 2), self.coerced(ty, 2));
            return Stmt::LetByBranch(self.new_var(ty, true), cond, a, b);
        }
        let value = self.coerced(ty, 3);
        Stmt::Let(self.new_var(ty, true), value)
    }

    fn let_object(&mut self, object: Object) -> Stmt {
        let fields = object.fields(&self.program.structs);
        let values = fields.into_iter().map(|ty| {
            let value = self.coerced(ty, 2);
            Expr::Cast(ty, boxed(value))
        });
        let values = values.collect();
        self.objects.push(object);
        self.visible.objects.push(self.objects.len() - 1);
        Stmt::LetObject(self.objects.len() - 1, values)
    }

    /// A variable that depends on all arrays and objects in scope.
    fn digest(&mut self, body: &mut Vec<Stmt>) -> usize {
        let mut parts = Vec::new();
        for array in self.visible.arrays.clone() {
            parts.extend((0..8).map(|k| Expr::Element(array, boxed(Expr::Int(Ty::I32, k)))));
        }
        for object in self.visible.objects.clone() {
            let fields = self.objects[object].fields(&self.program.structs).len();
            parts.extend((0..fields).map(|k| Expr::Field(object, k)));
        }
        let digest = self.new_var(Ty::I64, true);
        body.push(Stmt::Let(digest, Expr::Int(Ty::I64, 1)));
        for part in parts {
            let mixed =
                Expr::Bin(Op::Mul, boxed(Expr::Var(digest)), boxed(Expr::Int(Ty::I64, 1_000_003)));
            let part = boxed(Expr::Cast(Ty::I64, boxed(part)));
            body.push(Stmt::Assign(digest, Expr::Bin(Op::Xor, boxed(mixed), part)));
        }
        digest
    }

    /// An object in scope of a kind.
    fn object_of(&mut self, object: Object) -> Option<usize> {
        let all = self.visible.objects.clone();
        let all: Vec<usize> = all.into_iter().filter(|o| self.objects[*o] == object).collect();
        self.one_of(&all)
    }

    /// Statements that all threads of the block reach together.
    fn uniform(&mut self, body: &mut Vec<Stmt>, full_warps: bool, depth: usize) {
        for _ in 0..2 + self.r.below(6) {
            let kind = self.r.below(21);
            let needs_target = !(10..18).contains(&kind);
            let Some(to) = self.target() else { continue };
            let float_ok = !self.vars[to].is_narrow();
            let stmt = match kind {
                0 | 1 => {
                    let array = self.r.below(2);
                    let value = self.coerced_to_any(3);
                    let factor = self.r.pick(&[1, 1, 2, 3, 17, 32]);
                    let (shift, reversed) = (self.r.below(100) as u32, self.r.once_in(4));
                    Stmt::Exchange { array, to, value, factor, shift, reversed }
                }
                2 => {
                    let row = self.int(1);
                    let shift = self.r.below(100) as u32;
                    let (counter, value) = self.scoped(|m| {
                        let counter = m.new_var(Ty::I32, false);
                        (counter, m.coerced_to_any(2))
                    });
                    Stmt::Tile { counter, value, to, row, shift }
                }
                3 => {
                    let (tally, ty) = tally(self.r);
                    if !float_ok && ty.is_float() {
                        continue;
                    }
                    let value = self.int(2);
                    Stmt::SharedTally { tally, ty, to, value }
                }
                4 => {
                    let value = self.cond(2);
                    Stmt::SyncVote { kind: self.r.below(3) as u8, to, value }
                }
                5 | 6 if full_warps => {
                    let value = self.shuffled(float_ok);
                    let lane = if self.r.once_in(3) {
                        self.int(1)
                    } else {
                        Expr::Int(Ty::I32, self.r.below(32) as i64)
                    };
                    let width = self.r.pick(&[32, 32, 32, 16, 8, 2]);
                    Stmt::Shuffle { kind: self.r.below(4) as u8, to, value, lane, width }
                }
                7 if full_warps => {
                    let value = self.shuffled(float_ok);
                    Stmt::HalfShuffle { to, value, by: 1 + self.r.below(15) as u32 }
                }
                8 if full_warps => {
                    let value = self.cond(2);
                    Stmt::Vote { kind: self.r.below(3) as u8, to, value }
                }
                9 if full_warps => {
                    let integer =
                        [Tally::Add, Tally::Min, Tally::Max, Tally::And, Tally::Or, Tally::Xor];
                    let value = self.int(2);
                    Stmt::WarpReduce { tally: self.r.pick(&integer), to, value }
                }
                18 | 19 if full_warps => {
                    let (cond, value) = (self.cond(2), self.shuffled(float_ok));
                    Stmt::Leader { to, cond, value }
                }
                20 if full_warps => {
                    Stmt::ActiveCount { to, cond: self.cond(2), value: self.cond(2) }
                }
                10 => {
                    let carried = self.program.carried;
                    let (Some(from), Some(to)) = (self.object_of(carried), self.object_of(carried))
                    else {
                        continue;
                    };
                    Stmt::ExchangeObject { from, to, shift: self.r.below(100) as u32 }
                }
                11 | 12 if depth < 2 => {
                    let turns = 1 + self.r.below(3) as i64;
                    self.scoped(|m| {
                        let counter = m.new_var(Ty::I32, false);
                        let mut inner = Vec::new();
                        m.uniform(&mut inner, full_warps, depth + 1);
                        Stmt::Uniform { counter, turns, body: inner }
                    })
                }
                _ if needs_target => continue,
                _ => {
                    self.statement(body, 3);
                    continue;
                }
            };
            body.push(stmt);
        }
    }

    /// A value to be shuffled, of a type that shuffles take.
    fn shuffled(&mut self, float_ok: bool) -> Expr {
        let ty = self.r.pick(&Ty::ALL[5..]);
        let value = Expr::Cast(ty, boxed(self.expr(2)));
        if float_ok { value } else { self.to_int(value) }
    }

    fn to_int(&self, e: Expr) -> Expr {
        if self.ty(&e).is_float() { Expr::Cast(Ty::I32, boxed(e)) } else { e }
    }

    /// A value that may be converted to any type.
    fn coerced_to_any(&mut self, depth: usize) -> Expr {
        let e = self.expr(depth);
        self.to_int(e)
    }

    /// An expression that may be converted to `ty`: a float goes to a narrow integer through `int`.
    fn coerced(&mut self, ty: Ty, depth: usize) -> Expr {
        let e = self.expr(depth);
        if ty.is_narrow() { self.to_int(e) } else { e }
    }

    fn body(&mut self, depth: usize) -> Vec<Stmt> {
        self.scoped(|m| {
            let mut body = Vec::new();
            for _ in 0..1 + m.r.below(3) {
                m.statement(&mut body, depth);
            }
            m.jump(&mut body, 8);
            body
        })
    }

    /// Once in `n` times a conditional jump out of what surrounds it.
    fn jump(&mut self, body: &mut Vec<Stmt>, n: usize) {
        if self.loops > 0 && self.r.once_in(n) {
            let cond = self.cond(2);
            let leave = self.r.once_in(2);
            body.push(if leave { Stmt::BreakIf(cond) } else { Stmt::ContinueIf(cond) });
        }
        if let Some(ty) = self.returns
            && self.r.once_in(n)
        {
            let cond = self.cond(2);
            let value = ty.map(|ty| self.coerced(ty, 2));
            body.push(Stmt::ReturnIf(cond, value));
        }
        if self.gives
            && self.r.once_in(n)
            && let Some(object) = self.object_of(self.program.carried)
        {
            let cond = self.cond(2);
            body.push(Stmt::ReturnObjectIf(cond, object));
        }
    }

    fn loop_body(&mut self, depth: usize) -> Vec<Stmt> {
        self.loops += 1;
        let body = self.scoped(|m| {
            let mut body = Vec::new();
            for _ in 0..1 + m.r.below(3) {
                m.statement(&mut body, depth);
                m.jump(&mut body, 4);
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
        let stmt = if depth > 0 && self.loops < 3 && self.r.once_in(3) {
            Some(self.nested(depth - 1))
        } else {
            self.simple()
        };
        out.extend(stmt);
    }

    fn nested(&mut self, depth: usize) -> Stmt {
        match self.r.below(8) {
            0 | 1 => {
                let cond = self.cond(2);
                let then = self.body(depth);
                let els = if self.r.once_in(2) { self.body(depth) } else { Vec::new() };
                Stmt::If(cond, then, els)
            }
            2 | 3 => self.scoped(|m| {
                let counter = m.new_var(Ty::I32, false);
                let turns = m.r.below(5) as i64;
                let bound = m.r.once_in(3).then(|| m.int(2));
                let unroll = m.r.once_in(3);
                let down = m.r.once_in(3);
                Stmt::For { counter, turns, down, bound, body: m.loop_body(depth), unroll }
            }),
            4 | 5 => {
                let cond = self.cond(2);
                let turns = self.r.below(5) as i64;
                // the counter is declared beside the loop, so that its name must not come from
                // inside
                self.vars.push(Ty::I32);
                self.generic_vars.push(false);
                let counter = self.vars.len() - 1;
                let body = self.loop_body(depth);
                if self.r.once_in(2) {
                    Stmt::While { counter, turns, cond, body }
                } else {
                    Stmt::DoWhile { counter, turns, cond, body }
                }
            }
            6 => {
                let value = self.int(2);
                let mut labels = vec![0, 1, 2, 3, 4];
                let mut arms = Vec::new();
                for _ in 0..1 + self.r.below(4) {
                    let label = labels.remove(self.r.below(labels.len()));
                    let body = self.body(depth);
                    arms.push((label, body, self.r.once_in(2)));
                }
                Stmt::Switch(value, arms)
            }
            _ => Stmt::Block(self.body(depth)),
        }
    }

    fn simple(&mut self) -> Option<Stmt> {
        let arrays = self.visible.arrays.clone();
        let objects = self.visible.objects.clone();
        Some(match self.r.below(31) {
            0 | 1 => {
                let v = self.target()?;
                Stmt::Assign(v, self.coerced(self.vars[v], 3))
            }
            2 | 3 => {
                let v = self.target()?;
                self.assign_op(v)
            }
            4 => {
                let v = self.target_of(|_, ty| ty != Ty::Bool)?;
                let (up, before) = (self.r.once_in(2), self.r.once_in(2));
                if self.r.once_in(2) {
                    return Some(Stmt::Step(v, up, before));
                }
                let float = self.vars[v].is_float();
                let to = self.target_of(|w, ty| w != v && !(float && ty.is_narrow()))?;
                Stmt::AssignStep(to, v, up, before)
            }
            5 => {
                let w = self.target()?;
                let float = self.vars[w].is_float();
                let v = self.target_of(|v, ty| v != w && !(float && ty.is_narrow()))?;
                Stmt::Chain(v, w, self.coerced(self.vars[w], 2))
            }
            6 | 7 => {
                let array = self.one_of(&arrays)?;
                let index = self.int(2);
                Stmt::Store(array, index, self.coerced(self.arrays[array], 2))
            }
            8 | 9 if self.loops == 0 => {
                let ty = self.r.pick(&Ty::ALL);
                let places = [Place::Local, Place::Local, Place::Global, Place::Shared];
                let many = self.places.iter().filter(|p| **p == Place::Shared).count() >= 2;
                let place = if self.kernel { self.r.pick(&places) } else { Place::Local };
                let place = if many && place == Place::Shared { Place::Global } else { place };
                let array = self.new_array(ty, place);
                let (counter, value) = self.scoped(|m| {
                    let counter = m.new_var(Ty::I32, false);
                    (counter, m.coerced(ty, 2))
                });
                self.visible.arrays.push(array);
                Stmt::Array { array, counter, value }
            }
            10 => {
                let array = self.one_of(&arrays)?;
                let ty = self.arrays[array];
                let same: Vec<usize> =
                    arrays.iter().copied().filter(|a| self.arrays[*a] == ty).collect();
                let other = self.one_of(&same).filter(|o| *o != array);
                let other = other.map(|o| (self.cond(1), o));
                let offset = self.int(1);
                self.pointers.push(ty);
                self.visible.pointers.push(self.pointers.len() - 1);
                Stmt::Pointer { pointer: self.pointers.len() - 1, array, other, offset }
            }
            11 => {
                let pointers = self.visible.pointers.clone();
                let pointer = self.one_of(&pointers)?;
                let index = self.int(2);
                Stmt::StoreVia(pointer, index, self.coerced(self.pointers[pointer], 2))
            }
            12 => {
                let (carried, structs) = (self.program.carried, self.program.structs.len());
                let kind = if self.r.once_in(2) { carried } else { object(self.r, structs) };
                self.let_object(kind)
            }
            13 => {
                let object = self.one_of(&objects)?;
                let fields = self.objects[object].fields(&self.program.structs);
                let field = self.r.below(fields.len());
                Stmt::SetField(object, field, self.coerced(fields[field], 2))
            }
            14 => {
                let from = self.one_of(&objects)?;
                let kind = self.objects[from];
                let to = self.object_of(kind)?;
                if self.kernel && kind == self.program.carried {
                    Stmt::ObjectHome(to, from)
                } else {
                    Stmt::CopyObject(to, from)
                }
            }
            15 | 16 => {
                let call = self.call(2, true, false)?;
                let f = &self.program.functions[call.function];
                let float = f.returns(call.ty).is_float();
                let to =
                    self.target_of(|v, ty| !(call.bound.contains(&v) || float && ty.is_narrow()))?;
                Stmt::Invoke(to, call)
            }
            17 if self.kernel => Stmt::Atomic(self.r.below(self.program.tallies), self.int(2)),
            18 if self.kernel => {
                let to = self.target()?;
                let kind = self.r.below(3) as u8;
                Stmt::OwnAtomic { kind, to, a: self.int(2), b: self.int(1) }
            }
            19 => {
                let to = self.object_of(self.program.carried)?;
                Stmt::TakeObject(to, self.call(2, true, true)?)
            }
            20 => {
                let object = self.one_of(&objects)?;
                let is_struct = matches!(self.objects[object], Object::Struct(_));
                let by = is_struct.then(|| self.int(2))?;
                Stmt::Bump(object, by)
            }
            21 => {
                let to = self.one_of(&objects)?;
                let kind = self.objects[to];
                if !matches!(kind, Object::Struct(_)) {
                    return None;
                }
                Stmt::AddObjects(to, self.object_of(kind)?, self.object_of(kind)?)
            }
            22 => {
                let to = self.one_of(&objects)?;
                let kind = self.objects[to];
                let cond = self.cond(2);
                Stmt::ChooseObject(to, cond, self.object_of(kind)?, self.object_of(kind)?)
            }
            23 | 24 => {
                let to = self.target()?;
                let ty = self.r.pick(&Ty::ALL);
                let arg = self.coerced(ty, 2);
                let (param, body) = self.scoped(|m| {
                    let param = m.new_var(ty, false);
                    (param, m.coerced(m.vars[to], 3))
                });
                Stmt::Lambda { to, param, body, arg, by_value: self.r.once_in(2) }
            }
            25 => {
                let lists: Vec<usize> =
                    objects.iter().copied().filter(|o| self.objects[*o].has_array()).collect();
                let object = self.one_of(&lists)?;
                let ty = self.objects[object].fields(&self.program.structs)[0];
                let index = self.int(2);
                Stmt::SetFieldAt(object, index, self.coerced(ty, 2))
            }
            26 | 27 => self.guard()?,
            28 | 29 if self.kernel => self.mark()?,
            _ => self.declare(),
        })
    }

    /// An object with a destructor.
    fn guard(&mut self) -> Option<Stmt> {
        let what = match self.r.below(4) {
            0 if self.kernel => Guarded::Tally(self.r.below(self.program.tallies)),
            1 => Guarded::Parts(self.target()?),
            _ => Guarded::Var(self.target()?),
        };
        Some(Stmt::Guard(what, self.int(2)))
    }

    /// A read that races with a store without a difference; not in kernels with functions that call
    /// themselves, of which the emulator does not know it.
    fn mark(&mut self) -> Option<Stmt> {
        let functions = self.program.functions.iter().enumerate();
        if functions.into_iter().any(|(k, f)| f.is_deep(k)) {
            return None;
        }
        let word = self.int(2);
        if self.boards > 0 && self.r.once_in(3) {
            let board = self.r.below(self.boards);
            return Some(Stmt::Look { board, word, to: self.target()? });
        }
        let style = self.r.pick(&[Marking::Empty, Marking::Beside, Marking::Less]);
        let value = self.r.once_in(2).then(|| 1 + self.r.below(99) as i32);
        self.boards += 1;
        Some(Stmt::Mark { board: self.boards - 1, word, style, value })
    }

    fn assign_op(&mut self, v: usize) -> Stmt {
        let ty = self.vars[v];
        if ty.is_float() {
            let op = self.r.pick(&[Op::Add, Op::Sub, Op::Mul, Op::Div]);
            let e = if op == Op::Div { self.int(2) } else { self.expr(2) };
            return Stmt::AssignOp(op, v, e);
        }
        let op = self.r.pick(&[
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::Div,
            Op::DivNegative,
            Op::Rem,
            Op::RemNegative,
            Op::And,
            Op::Or,
            Op::Xor,
            Op::Shl,
            Op::Shr,
        ]);
        Stmt::AssignOp(op, v, self.int(2))
    }

    /// A call; `effects`: of a function that may change variables of the caller; `gives`: of one
    /// that gives an object.
    fn call(&mut self, depth: usize, effects: bool, gives: bool) -> Option<Call> {
        let program = self.program;
        let all: Vec<usize> = (0..program.functions.len())
            .filter(|f| effects || !program.functions[*f].has_effects())
            .filter(|f| program.functions[*f].gives.is_some() == gives)
            .collect();
        if self.loops >= 2 {
            return None;
        }
        let function = self.one_of(&all)?;
        let f = &program.functions[function];
        let ty = self.r.pick(&Ty::WIDE);
        let types = f.var_types(ty);
        let mut bound = Vec::new();
        for want in &types[..f.references] {
            let found = self.target_of(|v, ty| ty == *want && !bound.contains(&v))?;
            if self.generic_vars[found] {
                return None;
            }
            bound.push(found);
        }
        let array = if f.takes_array {
            let list = self.visible.arrays.clone();
            let list: Vec<usize> =
                list.into_iter().filter(|a| self.arrays[*a] == f.arrays[0]).collect();
            Some(self.one_of(&list)?)
        } else {
            None
        };
        let object = match f.takes_object {
            Some(_) => Some(self.object_of(f.objects[0])?),
            None => None,
        };
        let number = self.r.below(9) as i64;
        let args =
            types[f.references..f.params].iter().map(|ty| self.coerced(*ty, depth)).collect();
        Some(Call { function, number, ty, bound, array, object, args })
    }

    fn cond(&mut self, depth: usize) -> Expr {
        match self.r.below(6) {
            0 => Expr::Logic(boxed(self.expr(depth))),
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
            return Expr::Cast(self.r.pick(&Ty::WIDE), boxed(e));
        }
        e
    }

    fn leaf(&mut self) -> Expr {
        match self.r.below(16) {
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
            4 => self.r.pick_expr(&[Expr::ThreadX, Expr::ThreadX, Expr::ThreadY]),
            5 if self.kernel => {
                let inner = self.leaf();
                Expr::Input(boxed(self.to_int(inner)))
            }
            6 if self.kernel => {
                let inner = self.leaf();
                Expr::FloatInput(boxed(self.to_int(inner)))
            }
            7 => {
                let inner = self.leaf();
                Expr::Table(boxed(self.to_int(inner)))
            }
            8 if self.kernel => {
                let fields = self.program.given.fields(&self.program.structs).len();
                let given = Expr::Given(self.r.below(fields));
                self.r.pick_expr(&[Expr::BlockX, Expr::BlockY, Expr::Parameter, given])
            }
            8 if self.numbered => Expr::Template,
            9 | 10 if !self.visible.objects.is_empty() => {
                let objects = self.visible.objects.clone();
                let object = self.r.pick(&objects);
                let fields = self.objects[object].fields(&self.program.structs).len();
                if matches!(self.objects[object], Object::Struct(_)) && self.r.once_in(3) {
                    return Expr::Total(object);
                }
                if self.objects[object].has_array() && self.r.once_in(2) {
                    let index = self.leaf();
                    return Expr::FieldAt(object, boxed(self.to_int(index)));
                }
                Expr::Field(object, self.r.below(fields))
            }
            _ if !self.visible.vars.is_empty() => {
                let all = self.visible.vars.clone();
                Expr::Var(self.r.pick(&all).0)
            }
            _ => Expr::ThreadX,
        }
    }

    fn expr(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.r.once_in(5) {
            return self.leaf();
        }
        let d = depth - 1;
        match self.r.below(17) {
            0..=4 => {
                let op = self.r.pick(&[Op::Add, Op::Sub, Op::Mul]);
                Expr::Bin(op, boxed(self.expr(d)), boxed(self.expr(d)))
            }
            5 => {
                let op =
                    self.r.pick(&[Op::And, Op::Or, Op::Xor, Op::Rem, Op::Rem, Op::RemNegative]);
                Expr::Bin(op, boxed(self.int(d)), boxed(self.int(d)))
            }
            6 => {
                let op = self.r.pick(&[Op::Div, Op::DivNegative]);
                Expr::Bin(op, boxed(self.expr(d)), boxed(self.int(d)))
            }
            7 => {
                let op = self.r.pick(&[Op::Shl, Op::Shr]);
                Expr::Bin(op, boxed(self.int(d)), boxed(self.int(d)))
            }
            8 => {
                let ty = self.r.pick(&[Ty::F32, Ty::F64]);
                let a = Expr::Cast(ty, boxed(self.expr(d)));
                Expr::Bin(Op::Quot, boxed(a), boxed(self.expr(d)))
            }
            9 => match self.r.below(3) {
                0 => Expr::Neg(boxed(self.expr(d))),
                1 => Expr::Not(boxed(self.int(d))),
                _ => Expr::Logic(boxed(self.expr(d))),
            },
            10 => self.comparison(depth),
            11 => self.cond(d),
            12 => Expr::Cond(boxed(self.cond(d)), boxed(self.expr(d)), boxed(self.expr(d))),
            13 => {
                let ty = self.r.pick(&Ty::ALL);
                let e = self.coerced(ty, d);
                Expr::Cast(ty, boxed(e))
            }
            14 if self.r.once_in(2) => self.device(d),
            14 => self.builtin(d),
            15 => {
                let op = self.r.pick(&[Op::ShlWide, Op::ShrWide]);
                let a = Expr::Cast(self.r.pick(&[Ty::I64, Ty::U64]), boxed(self.expr(d)));
                Expr::Bin(op, boxed(a), boxed(self.int(d)))
            }
            _ => self.call_or_element(d),
        }
    }

    fn device(&mut self, depth: usize) -> Expr {
        let k = self.r.below(DEVICE.len());
        Expr::Device(k, DEVICE[k].params.iter().map(|_| self.expr(depth)).collect())
    }

    fn builtin(&mut self, depth: usize) -> Expr {
        let wide = self.r.pick(&Ty::WIDE);
        let float = self.r.pick(&[Ty::F32, Ty::F64]);
        let (fun, ty, count) = match self.r.below(20) {
            0 => (Fun::Min, wide, 2),
            1 => (Fun::Max, wide, 2),
            2 => (Fun::Abs, self.r.pick(&[Ty::I32, Ty::I64]), 1),
            3 => (Fun::Popc, self.r.pick(&[Ty::U32, Ty::U64]), 1),
            4 => (Fun::Clz, self.r.pick(&[Ty::I32, Ty::I64]), 1),
            5 => (Fun::Brev, self.r.pick(&[Ty::U32, Ty::U64]), 1),
            6 => (Fun::Ffs, self.r.pick(&[Ty::I32, Ty::I64]), 1),
            7 | 8 => (Fun::MulHi, wide, 2),
            9 => (Fun::FunnelLeft, Ty::U32, 3),
            10 => (Fun::Sad, self.r.pick(&[Ty::I32, Ty::U32]), 3),
            11 => (Fun::IsNan, float, 1),
            12 => (Fun::IntAsFloat, Ty::I32, 1),
            13 => (Fun::Fma, float, 3),
            14 => (self.r.pick(&[Fun::Fmod, Fun::Copysign]), float, 2),
            15 => {
                // a zero added makes a negative zero positive: which of the two is the smaller is
                // nobody's rule
                let fun = self.r.pick(&[Fun::Fmin, Fun::Fmax]);
                let zero = || boxed(Expr::Float(float, 0.0));
                let args = (0..2)
                    .map(|_| {
                        let arg = Expr::Cast(float, boxed(self.expr(depth)));
                        Expr::Bin(Op::Add, boxed(arg), zero())
                    })
                    .collect();
                return Expr::Fun(fun, float, args);
            }
            16 => (Fun::BitFields, Ty::I32, 3),
            17 => {
                let fun = self.r.pick(&[Fun::HalfSum, Fun::HalfProduct, Fun::BrainSum]);
                (fun, Ty::F32, 2)
            }
            _ => {
                let fun = self.r.pick(&[
                    Fun::Sqrt,
                    Fun::Fabs,
                    Fun::Floor,
                    Fun::Ceil,
                    Fun::Trunc,
                    Fun::Round,
                    Fun::Rint,
                ]);
                (fun, float, 1)
            }
        };
        Expr::Fun(fun, ty, (0..count).map(|_| self.expr(depth)).collect())
    }

    fn call_or_element(&mut self, depth: usize) -> Expr {
        if self.r.once_in(2)
            && let Some(call) = self.call(depth, false, false)
        {
            return Expr::Call(call);
        }
        if self.r.once_in(3)
            && let Some(call) = self.call(depth, false, true)
        {
            let fields = self.program.carried.fields(&self.program.structs).len();
            return Expr::CallField(call, self.r.below(fields));
        }
        let (arrays, pointers) = (self.visible.arrays.clone(), self.visible.pointers.clone());
        if !pointers.is_empty() && self.r.once_in(2) {
            let index = if self.r.once_in(4) { Expr::Int(Ty::I32, 0) } else { self.int(depth) };
            return Expr::Via(self.r.pick(&pointers), boxed(index));
        }
        match self.one_of(&arrays) {
            Some(array) => Expr::Element(array, boxed(self.int(depth))),
            None => self.leaf(),
        }
    }
}

impl Random {
    fn pick_expr(&mut self, list: &[Expr]) -> Expr {
        list[self.below(list.len())].clone()
    }
}
