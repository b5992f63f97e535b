//! Calls of `constexpr` functions in constant expressions: a small interpreter of the typed tree.

use crate::hir::{BinOp, Block, Expr, ExprKind, FuncId, Stmt, StmtKind, Ty};
use crate::sema::expr::fold::{Value, binary, builtin, compare, convert, wrap};
use crate::sema::{Constant, Sema};
use crate::walk::visit_expr;

/// Nesting of calls.
const MAX_CALLS: usize = 200;

/// How a statement ended.
enum End {
    Next,
    Break,
    Continue,
    Return(Value),
}

struct Frame {
    locals: Vec<Value>,
    depth: usize,
}

impl Sema<'_> {
    /// Result of a call with constant arguments; `None` if it is not constant.
    pub(in crate::sema) fn evaluate_call(&mut self, e: &Expr) -> Option<Value> {
        // What has no name may have a place here.
        let locals = vec![Value::Unset; self.ctx.locals.len()];
        self.value_of(e, &mut Frame { locals, depth: 0 })
    }

    /// A list of values as constant expressions of the members or elements of `ty`.
    pub(in crate::sema) fn value_expr(&self, v: &Value, like: &Expr, ty: &Ty) -> Option<Expr> {
        let kind = match v {
            Value::Unset | Value::Address(_) => return None,
            Value::Constant(Constant::Int(n)) => ExprKind::Int(*n),
            Value::Constant(Constant::Float(x)) => ExprKind::Float(*x),
            Value::List(list) => {
                let tys: Vec<Ty> = match ty {
                    Ty::Struct(id) => self.module.structs[id.0 as usize]
                        .fields
                        .iter()
                        .map(|f| f.ty.clone())
                        .collect(),
                    Ty::Array(elem, n) => vec![(**elem).clone(); usize::try_from(*n).ok()?],
                    _ => return None,
                };
                let items: Option<Vec<Expr>> =
                    list.iter().zip(&tys).map(|(v, t)| self.value_expr(v, like, t)).collect();
                ExprKind::Aggregate(items?)
            }
        };
        Some(Expr { kind, ty: ty.clone(), span: like.span })
    }

    fn call_value(&mut self, f: FuncId, args: Vec<Value>, depth: usize) -> Option<Value> {
        if depth > MAX_CALLS || !self.constexprs.contains(&f) {
            return None;
        }
        if self.active.contains(&f) {
            return None;
        }
        if let Some(i) = self.work.iter().position(|p| p.inst.func == f) {
            let p = self.work.remove(i)?;
            self.body(p);
        }
        self.fold_budget = self.fold_budget.checked_sub(100)?;
        let function = &self.module.functions[f.0 as usize];
        let body = function.body.clone();
        let mut locals = args;
        locals.resize(function.locals.len(), Value::Unset);
        let mut frame = Frame { locals, depth };
        match self.run(&body, &mut frame)? {
            End::Return(v) if !has_address(&v) => Some(v),
            _ => None,
        }
    }

    fn run(&mut self, block: &Block, frame: &mut Frame) -> Option<End> {
        for s in block {
            match self.step(s, frame)? {
                End::Next => {}
                end => return Some(end),
            }
        }
        Some(End::Next)
    }

    fn step(&mut self, s: &Stmt, frame: &mut Frame) -> Option<End> {
        self.fold_budget = self.fold_budget.checked_sub(1)?;
        match &s.kind {
            StmtKind::Expr(e) => {
                self.value_of(e, frame)?;
            }
            StmtKind::Let(id, init) => {
                let v = match init {
                    Some(e) => self.value_of(e, frame)?,
                    // Parts of arrays and structs are made when they are first stored to.
                    None => Value::Unset,
                };
                *frame.locals.get_mut(id.0 as usize)? = v;
            }
            StmtKind::Block(b) => return self.run(b, frame),
            StmtKind::If { cond, then, els } => {
                let b = if self.is_true(cond, frame)? { then } else { els };
                return self.run(b, frame);
            }
            StmtKind::Loop { cond, test_last, step, body, .. } => {
                let mut test = !test_last;
                loop {
                    self.fold_budget = self.fold_budget.checked_sub(1)?;
                    if let (Some(c), true) = (cond, test)
                        && !self.is_true(c, frame)?
                    {
                        break;
                    }
                    test = true;
                    match self.run(body, frame)? {
                        End::Break => break,
                        End::Return(v) => return Some(End::Return(v)),
                        End::Next | End::Continue => {}
                    }
                    if let Some(e) = step {
                        self.value_of(e, frame)?;
                    }
                }
            }
            StmtKind::Switch { value, arms } => {
                let v = self.integer_of(value, frame)? as i64;
                let hit = arms.iter().position(|a| a.labels.contains(&v));
                let Some(first) = hit.or_else(|| arms.iter().position(|a| a.is_default)) else {
                    return Some(End::Next);
                };
                for a in &arms[first..] {
                    match self.run(&a.body, frame)? {
                        End::Next => {}
                        End::Break => break,
                        end => return Some(end),
                    }
                }
            }
            StmtKind::Break => return Some(End::Break),
            StmtKind::Continue => return Some(End::Continue),
            StmtKind::Labelled { .. } | StmtKind::Goto(_) => return None,
            StmtKind::Return(None) => return Some(End::Return(Value::Unset)),
            StmtKind::Return(Some(e)) => return Some(End::Return(self.value_of(e, frame)?)),
        }
        Some(End::Next)
    }

    fn is_true(&mut self, e: &Expr, frame: &mut Frame) -> Option<bool> {
        Some(self.integer_of(e, frame)? != 0)
    }

    fn integer_of(&mut self, e: &Expr, frame: &mut Frame) -> Option<u64> {
        match self.value_of(e, frame)? {
            Value::Constant(Constant::Int(v)) => Some(v),
            _ => None,
        }
    }

    fn lit_of(&mut self, e: &Expr, frame: &mut Frame) -> Option<Constant> {
        match self.value_of(e, frame)? {
            Value::Constant(l) => Some(l),
            _ => None,
        }
    }

    fn value_of(&mut self, e: &Expr, frame: &mut Frame) -> Option<Value> {
        self.fold_budget = self.fold_budget.checked_sub(1)?;
        Some(match &e.kind {
            ExprKind::Int(v) => Value::Constant(Constant::Int(wrap(*v, &e.ty))),
            ExprKind::Float(x) => Value::Constant(Constant::Float(*x)),
            ExprKind::Load(p) => match self.at(p, frame)?.clone() {
                Value::Unset => return None,
                v => v,
            },
            ExprKind::Cast(a) => {
                let v = self.lit_of(a, frame)?;
                Value::Constant(convert(v, &a.ty, &e.ty)?)
            }
            ExprKind::Unary(op, a) => {
                let v = self.lit_of(a, frame)?;
                let kind = match v {
                    Constant::Int(n) => ExprKind::Int(n),
                    Constant::Float(x) => ExprKind::Float(x),
                };
                let a = Expr { kind, ty: a.ty.clone(), span: a.span };
                let unary = Expr {
                    kind: ExprKind::Unary(*op, Box::new(a)),
                    ty: e.ty.clone(),
                    span: e.span,
                };
                Value::Constant(self.fold(&unary)?)
            }
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.lit_of(a, frame)?, self.lit_of(b, frame)?);
                Value::Constant(binary(*op, x, y, &e.ty)?)
            }
            ExprKind::Cmp(op, a, b) => {
                let (x, y) = (self.lit_of(a, frame)?, self.lit_of(b, frame)?);
                Value::Constant(Constant::Int(u64::from(compare(*op, x, y, &a.ty)?)))
            }
            ExprKind::And(a, b) => {
                let v = self.is_true(a, frame)? && self.is_true(b, frame)?;
                Value::Constant(Constant::Int(u64::from(v)))
            }
            ExprKind::Or(a, b) => {
                let v = self.is_true(a, frame)? || self.is_true(b, frame)?;
                Value::Constant(Constant::Int(u64::from(v)))
            }
            ExprKind::Cond(c, a, b) => {
                let e = if self.is_true(c, frame)? { a } else { b };
                self.value_of(e, frame)?
            }
            ExprKind::Comma(a, b) => {
                self.value_of(a, frame)?;
                self.value_of(b, frame)?
            }
            ExprKind::Assign(p, v) => {
                let v = self.value_of(v, frame)?;
                *self.own(p, frame)? = v.clone();
                v
            }
            ExprKind::AssignOp(op, p, v) => {
                let y = self.lit_of(v, frame)?;
                let Value::Constant(old) = self.own(p, frame)?.clone() else { return None };
                let wide =
                    if matches!(op, BinOp::Shl | BinOp::Shr) { p.ty.clone() } else { v.ty.clone() };
                let x = convert(old, &p.ty, &wide)?;
                let r = convert(binary(*op, x, y, &wide)?, &wide, &p.ty)?;
                *self.at(p, frame)? = Value::Constant(r);
                Value::Constant(r)
            }
            ExprKind::IncDec { place, inc, post } => {
                let Value::Constant(old) = self.own(place, frame)?.clone() else { return None };
                let one = match old {
                    Constant::Int(_) => Constant::Int(1),
                    Constant::Float(_) => Constant::Float(1.0),
                };
                let new = binary(if *inc { BinOp::Add } else { BinOp::Sub }, old, one, &place.ty)?;
                *self.at(place, frame)? = Value::Constant(new);
                Value::Constant(if *post { old } else { new })
            }
            ExprKind::Call(f, args) => {
                let mut list = Vec::with_capacity(args.len());
                for a in args {
                    list.push(self.argument_of(a, frame)?);
                }
                let depth = frame.depth + 1;
                self.call_value(*f, list, depth)?
            }
            ExprKind::Builtin(b, args) => {
                let mut list = Vec::with_capacity(args.len());
                for a in args {
                    list.push(self.lit_of(a, frame)?);
                }
                let from = args.first().map(|a| a.ty.clone()).unwrap_or(Ty::Void);
                Value::Constant(builtin(*b, &list, &from, &e.ty)?)
            }
            ExprKind::Aggregate(items) => {
                let mut list = Vec::with_capacity(items.len());
                for i in items {
                    list.push(self.value_of(i, frame)?);
                }
                Value::List(list)
            }
            ExprKind::FieldOf(..) if self.bit_field(e).is_some() => return None,
            ExprKind::FieldOf(a, k) => match self.value_of(a, frame)? {
                Value::List(list) => list.into_iter().nth(*k as usize)?,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// The value of an argument, which may be the address of an object.
    fn argument_of(&mut self, e: &Expr, frame: &mut Frame) -> Option<Value> {
        match &e.kind {
            ExprKind::AddrOf(p) => Some(Value::Address(Box::new(self.at(p, frame)?.clone()))),
            ExprKind::Comma(a, b) => {
                self.value_of(a, frame)?;
                self.argument_of(b, frame)
            }
            _ => self.value_of(e, frame),
        }
    }

    /// The storage of a place that may change: nothing behind an address.
    fn own<'f>(&mut self, place: &Expr, frame: &'f mut Frame) -> Option<&'f mut Value> {
        let mut behind = false;
        visit_expr(place, &mut |e| behind |= matches!(e.kind, ExprKind::Deref(_)));
        if behind { None } else { self.at(place, frame) }
    }

    /// The storage that a place means.
    fn at<'f>(&mut self, place: &Expr, frame: &'f mut Frame) -> Option<&'f mut Value> {
        match &place.kind {
            ExprKind::Local(id) => frame.locals.get_mut(id.0 as usize),
            ExprKind::Deref(a) => match &a.kind {
                ExprKind::Load(p) => match self.at(p, frame)? {
                    Value::Address(v) => Some(v),
                    _ => None,
                },
                _ => None,
            },
            ExprKind::Field(p, k) => {
                let fields = match &p.ty {
                    // What a bit-field holds is not what was assigned to it.
                    Ty::Struct(id) if self.module.structs[id.0 as usize].in_words() => return None,
                    Ty::Struct(id) => self.module.structs[id.0 as usize].fields.len(),
                    _ => return None,
                };
                parts(self.at(p, frame)?, fields)?.get_mut(*k as usize)
            }
            ExprKind::Index(p, i) => {
                let i = usize::try_from(self.integer_of(i, frame)?).ok()?;
                let n = match &p.ty {
                    Ty::Array(_, n) if *n <= 1 << 16 => *n as usize,
                    _ => return None,
                };
                self.fold_budget = self.fold_budget.checked_sub(1)?;
                parts(self.at(p, frame)?, n)?.get_mut(i)
            }
            _ => None,
        }
    }
}

/// An address is in the value.
fn has_address(v: &Value) -> bool {
    match v {
        Value::Address(_) => true,
        Value::List(list) => list.iter().any(has_address),
        Value::Unset | Value::Constant(_) => false,
    }
}

/// The parts of an array or struct, made on first use.
fn parts(v: &mut Value, n: usize) -> Option<&mut Vec<Value>> {
    if matches!(v, Value::Unset) {
        *v = Value::List(vec![Value::Unset; n]);
    }
    match v {
        Value::List(list) => Some(list),
        _ => None,
    }
}
