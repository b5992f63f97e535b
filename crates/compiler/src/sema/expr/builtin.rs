//! Calls of the device's own functions.

use crate::builtins::{
    self, Call, CudaRule, Effect, Function, Operation, Signature, Slot, Variant,
};
use crate::diag::Diagnostic;
use crate::hir::{self, AtomicOp, BinOp, Builtin, ExprKind, Math1, Math2, Round, Ty};
use crate::language::Language;
use crate::sema::expr::call::Arg;
use crate::sema::types::{QualType, Type, int_shape, unsigned_like};
use crate::sema::{Sema, SemaResult, TypedExpr, fail};
use crate::source::Span;

impl Sema<'_> {
    pub(in crate::sema) fn builtin_call(
        &mut self,
        name: &str,
        args: Vec<Arg>,
        at: Span,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let Some(found) = builtins::lookup(Language::CudaC, name) else {
            return fail(at, format!("`{name}` is not declared"));
        };
        let mut list = Vec::with_capacity(args.len());
        for a in args {
            match a {
                Arg::TypedExpr(e) => list.push(e),
                Arg::List(e) => return fail(e.span, format!("`{name}` takes no list in braces")),
            }
        }
        self.apply(name, found, list, at, span)
    }

    pub(in crate::sema) fn count(
        &self,
        name: &str,
        args: &[TypedExpr],
        want: usize,
        span: Span,
    ) -> SemaResult<()> {
        if args.len() == want {
            return Ok(());
        }
        let noun = if want == 1 { "argument" } else { "arguments" };
        let verb = if args.len() == 1 { "is" } else { "are" };
        fail(span, format!("`{name}` takes {want} {noun}, but {} {verb} given", args.len()))
    }

    pub(in crate::sema) fn built(
        &self,
        b: Builtin,
        args: Vec<hir::Expr>,
        t: Type,
        span: Span,
    ) -> TypedExpr {
        self.value(ExprKind::Builtin(b, args), t.q(), span)
    }

    pub(in crate::sema) fn no_effect(&self, name: &str, span: Span) -> SemaResult<()> {
        if self.read_only {
            return fail(span, format!("`{name}` has an effect and cannot be called here"));
        }
        Ok(())
    }

    /// A function that the tables know, with its arguments.
    fn apply(
        &mut self,
        name: &str,
        (function, variant): (&Function, Variant),
        mut args: Vec<TypedExpr>,
        at: Span,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        if function.effect != Effect::None {
            self.no_effect(name, span)?;
        }
        match function.call {
            Call::Gone(help) => Err(Box::new(
                Diagnostic::error(at, format!("`{name}` is not available in device code"))
                    .help(help),
            )),
            Call::Of(signature, operation) => {
                if let Some(value) = function.default
                    && args.len() + 1 == signature.params.len()
                {
                    args.push(self.value(ExprKind::Int(value), Type::UINT.q(), span));
                }
                self.count(name, &args, signature.params.len(), span)?;
                let operation = match variant {
                    Variant::Rounded(round) => Operation::Device(Builtin::ToIntRound(round)),
                    Variant::Itself | Variant::Single => operation,
                };
                if signature.over().is_some() && variant != Variant::Single {
                    self.widest(name, signature, operation, args, at, span)
                } else {
                    self.fixed(name, signature, operation, args, span)
                }
            }
            Call::Cuda(rule) => self.cuda_rule(name, rule, args, at, span),
            Call::OpenCl(_) => fail(at, format!("`{name}` is not declared")),
        }
    }

    /// A function of the widest floating type among its arguments.
    fn widest(
        &mut self,
        name: &str,
        signature: Signature,
        operation: Operation,
        args: Vec<TypedExpr>,
        at: Span,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let pairs = || signature.params.iter().zip(&args);
        let main: Vec<&TypedExpr> =
            pairs().filter(|(slot, _)| matches!(slot, Slot::Any(_))).map(|(_, a)| a).collect();
        let main = match self.clear_math_call(name, &main, at)? {
            Some(t) => t,
            None => self.math_type(name, &main, at)?,
        };
        let mut list = Vec::with_capacity(args.len());
        for (slot, a) in signature.params.iter().zip(args) {
            let t = of_slot(*slot, &main);
            let e = self.convert(a, &t.clone().q(), span)?;
            list.push(self.scalar_ex(e, &t));
        }
        let t = of_slot(signature.result, &main);
        let e = self.operate(operation, list, &t, span)?;
        Ok(self.scalar_ex(e, &t))
    }

    /// What a function computes, as a value of type `t`.
    pub(in crate::sema) fn operate(
        &mut self,
        operation: Operation,
        args: Vec<TypedExpr>,
        t: &Type,
        span: Span,
    ) -> SemaResult<hir::Expr> {
        let ty = self.machine(t);
        let built = |b: Builtin, args: Vec<TypedExpr>| {
            let args = args.into_iter().map(|a| a.e).collect();
            hir::Expr { kind: ExprKind::Builtin(b, args), ty: ty.clone(), span }
        };
        let pair = |args: Vec<TypedExpr>| {
            let mut list = args.into_iter().map(|a| Box::new(a.e));
            list.next().zip(list.next())
        };
        let too_few = || Box::new(Diagnostic::error(span, "too few arguments"));
        Ok(match operation {
            Operation::Device(b) => built(b, args),
            Operation::Binary(op) => {
                let (x, y) = pair(args).ok_or_else(too_few)?;
                hir::Expr { kind: ExprKind::Binary(op, x, y), ty, span }
            }
            Operation::Compare(op) => {
                let (x, y) = pair(args).ok_or_else(too_few)?;
                hir::Expr { kind: ExprKind::Cmp(op, x, y), ty, span }
            }
            Operation::MulAdd | Operation::Mul24Add => {
                let mut args = args;
                let c = args.pop().ok_or_else(too_few)?;
                let product = match operation {
                    Operation::MulAdd => Operation::Binary(BinOp::Mul),
                    _ => Operation::Device(Builtin::Mul24),
                };
                let product = self.operate(product, args, t, span)?;
                let sum = vec![self.scalar_ex(product, t), c];
                self.operate(Operation::Binary(BinOp::Add), sum, t, span)?
            }
            Operation::Smaller | Operation::Larger => {
                let smaller = operation == Operation::Smaller;
                let b = match (t.is_float(), smaller) {
                    (true, true) => Builtin::Math2(Math2::Fmin),
                    (true, false) => Builtin::Math2(Math2::Fmax),
                    (false, true) => Builtin::MinI,
                    (false, false) => Builtin::MaxI,
                };
                built(b, args)
            }
            Operation::HalfAway | Operation::Negate | Operation::Cast => {
                let x = args.into_iter().next().ok_or_else(too_few)?;
                match operation {
                    Operation::Cast => hir::Expr { span, ..self.cast(x.e, t) },
                    Operation::Negate => {
                        let kind = ExprKind::Unary(hir::UnOp::Neg, Box::new(x.e));
                        hir::Expr { kind, ty, span }
                    }
                    _ => {
                        let whole =
                            self.built(Builtin::Math1(Math1::Round), vec![x.e], x.q.ty, span);
                        built(Builtin::ToIntRound(Round::Zero), vec![whole])
                    }
                }
            }
            Operation::Rounded => return fail(span, "the name does not say how to round"),
            Operation::Own(name) => self.own_call(name, args, span)?.e,
        })
    }

    /// A call of a function of CUDA whose types no signature can say. It is long because each such
    /// rule is an arm.
    fn cuda_rule(
        &mut self,
        name: &str,
        rule: CudaRule,
        mut args: Vec<TypedExpr>,
        at: Span,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        match rule {
            CudaRule::SinCos { pi } => {
                self.count(name, &args, 3, span)?;
                let t = match args[1].q.ty.pointee().map(|q| q.ty.clone()) {
                    Some(Type::F32) => Type::F32,
                    _ => Type::F64,
                };
                let pq = t.clone().ptr().q();
                let c = self.convert(args.remove(2), &pq, span)?;
                let s = self.convert(args.remove(1), &pq, span)?;
                let a = self.convert(args.remove(0), &t.q(), span)?;
                Ok(self.built(Builtin::SinCos { pi }, vec![a, s, c], Type::Void, span))
            }
            CudaRule::Smaller | CudaRule::Larger => {
                self.count(name, &args, 2, span)?;
                let (b, a) = (args.remove(1), args.remove(0));
                let (a, b) = (self.load_value(a)?, self.load_value(b)?);
                let (x, y) = (&a.q.ty, &b.q.ty);
                if !x.is_arithmetic() || !y.is_arithmetic() {
                    return fail(
                        span,
                        format!(
                            "`{name}` needs two numbers, these are `{}` and `{}`",
                            self.show(&a.q),
                            self.show(&b.q)
                        ),
                    );
                }
                if x.is_float() != y.is_float() {
                    let what = if x.is_float() { "second" } else { "first" };
                    return Err(Box::new(
                        Diagnostic::error(
                            span,
                            format!(
                                "the call of `{name}` is ambiguous: one argument is an integer, \
                                 the other is not"
                            ),
                        )
                        .label(format!("`{}` and `{}`", self.show(&a.q), self.show(&b.q)))
                        .help(format!("convert the {what} argument")),
                    ));
                }
                self.clear_max_call(name, [&a, &b], span)?;
                let t = self.common(x, y);
                let list = [a.e, b.e].map(|e| self.scalar_ex(self.cast(e, &t), &t));
                let operation = match rule {
                    CudaRule::Smaller => Operation::Smaller,
                    _ => Operation::Larger,
                };
                let e = self.operate(operation, list.into(), &t, span)?;
                Ok(self.scalar_ex(e, &t))
            }
            CudaRule::Abs => {
                self.count(name, &args, 1, span)?;
                let a = self.load_value(args.remove(0))?;
                if !a.q.ty.is_arithmetic() {
                    return fail(
                        span,
                        format!("`abs` needs a number, this is `{}`", self.show(&a.q)),
                    );
                }
                let t = self.promoted(&a.q.ty);
                self.clear_math_call(name, &[&a], span)?;
                if let Type::Int(k) = t
                    && !int_shape(k).1
                {
                    return Err(Box::new(
                        Diagnostic::error(
                            span,
                            "the call of `abs` is ambiguous: the argument is unsigned",
                        )
                        .help("an unsigned number has no sign to remove"),
                    ));
                }
                let e = self.cast(a.e, &t);
                let b = if t.is_float() { Builtin::Math1(Math1::Fabs) } else { Builtin::AbsI };
                Ok(self.built(b, vec![e], t, span))
            }
            CudaRule::Atomic(op) => self.atomic(name, op, args, at, span),
            CudaRule::AtomicCas => self.atomic_cas(name, args, at, span),
            CudaRule::Shuffle(kind) => {
                if args.len() != 3 && args.len() != 4 {
                    let mut d = Diagnostic::error(
                        span,
                        format!(
                            "`{name}` takes the mask, the value, the lane and perhaps the width, \
                             but {} argument(s) are given",
                            args.len()
                        ),
                    );
                    d = d.help("the mask of a full warp is `0xffffffff`");
                    return Err(Box::new(d));
                }
                let width = if args.len() == 4 {
                    let w = args.remove(3);
                    self.convert(w, &Type::INT.q(), span)?
                } else {
                    hir::Expr { kind: ExprKind::Int(32), ty: Ty::I32, span }
                };
                let lane = self.convert(args.remove(2), &Type::INT.q(), span)?;
                let v = self.load_value(args.remove(1))?;
                let t = match &v.q.ty {
                    t if t.is_float() => t.clone(),
                    t if t.is_integral() => self.promoted(t),
                    // Cooperative groups exchange any object.
                    Type::Struct(_) if self.own.contains(&span.file) => {
                        let mask = self.convert(args.remove(0), &Type::UINT.q(), span)?;
                        return self.shuffle_parts(kind, v, [mask, lane, width]);
                    }
                    _ => {
                        return fail(
                            v.e.span,
                            format!("`{name}` exchanges numbers, this is `{}`", self.show(&v.q)),
                        );
                    }
                };
                let v = self.cast(v.e, &t);
                let mask = self.convert(args.remove(0), &Type::UINT.q(), span)?;
                Ok(self.built(Builtin::Shfl(kind), vec![mask, v, lane, width], t, span))
            }
            CudaRule::MatchAny | CudaRule::WarpReduce(_) => {
                self.count(name, &args, 2, span)?;
                let v = self.load_value(args.remove(1))?;
                let t = match &v.q.ty {
                    t if t.is_float() && rule == CudaRule::MatchAny => t.clone(),
                    t if t.is_integral() => self.promoted(t),
                    _ => {
                        return fail(
                            v.e.span,
                            format!("`{name}` cannot work on `{}`", self.show(&v.q)),
                        );
                    }
                };
                let v = self.cast(v.e, &t);
                let mask = self.convert(args.remove(0), &Type::UINT.q(), span)?;
                Ok(match rule {
                    CudaRule::WarpReduce(op) => {
                        self.built(Builtin::WarpReduce(op), vec![mask, v], t, span)
                    }
                    _ => self.built(Builtin::MatchAny, vec![mask, v], Type::UINT, span),
                })
            }
            CudaRule::Load => {
                self.count(name, &args, 1, span)?;
                let p = self.load_value(args.remove(0))?;
                let Some(to) = p.q.ty.pointee().cloned() else {
                    return Err(Box::new(
                        Diagnostic::error(
                            p.e.span,
                            format!("`{name}` needs an address, this is `{}`", self.show(&p.q)),
                        )
                        .help("write `&` before the element"),
                    ));
                };
                if matches!(to.ty, Type::Void | Type::Array(..)) {
                    return fail(p.e.span, format!("`{name}` cannot load `{}`", self.show(&to)));
                }
                Ok(self.built(Builtin::Ldg, vec![p.e], to.ty.clone(), span))
            }
            CudaRule::Store => {
                self.count(name, &args, 2, span)?;
                let p = self.load_value(args.remove(0))?;
                let Some(to) = p.q.ty.pointee().cloned() else {
                    return fail(
                        p.e.span,
                        format!("`{name}` needs an address, this is `{}`", self.show(&p.q)),
                    );
                };
                if to.is_const {
                    return fail(p.e.span, "this assigns to a constant");
                }
                let v = self.convert(args.remove(0), &to, span)?;
                let place = self.place(ExprKind::Deref(Box::new(p.e)), (*to).clone(), span);
                let store =
                    self.value(ExprKind::Assign(Box::new(place.e), Box::new(v)), to.plain(), span);
                Ok(self.value(ExprKind::Cast(Box::new(store.e)), Type::Void.q(), span))
            }
            CudaRule::Printf => self.printf(args, span),
            CudaRule::Assert => {
                self.count(name, &args, 1, span)?;
                let at = args[0].e.span;
                let cond = self.truth(args.remove(0))?;
                let file = self.module.sources.file(at.file);
                let text = file.text.get(at.lo as usize..at.hi as usize).unwrap_or("").to_string();
                let q = Type::Ptr(std::rc::Rc::new(QualType::constant(Type::Int(
                    crate::ast::IntKind::Char,
                ))))
                .q();
                let text = self.value(ExprKind::Str(text), q, at).e;
                Ok(self.built(Builtin::Assert, vec![cond, text], Type::Void, span))
            }
        }
    }

    /// An atomic with an operand.
    pub(in crate::sema) fn atomic(
        &mut self,
        name: &str,
        op: AtomicOp,
        mut args: Vec<TypedExpr>,
        at: Span,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        self.count(name, &args, 2, span)?;
        let (p, t) = self.atomic_pointer(name, args.remove(0), at)?;
        let fine = match op {
            AtomicOp::Add => !matches!(t, Type::Bool) && (t.is_float() || wide(&t)),
            AtomicOp::Exch => matches!(t, Type::F32) || wide(&t),
            AtomicOp::Inc | AtomicOp::Dec => self.machine(&t) == Ty::U32,
            AtomicOp::Sub => matches!(self.machine(&t), Ty::Int { bits: 32, .. }),
            _ => wide(&t),
        };
        if !fine {
            return Err(self.no_atomic(name, &t, at));
        }
        let v = self.convert(args.remove(0), &t.clone().q(), span)?;
        Ok(self.built(Builtin::Atomic(op), vec![p, v], t, span))
    }

    /// Compare and swap.
    pub(in crate::sema) fn atomic_cas(
        &mut self,
        name: &str,
        mut args: Vec<TypedExpr>,
        at: Span,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        self.count(name, &args, 3, span)?;
        let (p, t) = self.atomic_pointer(name, args.remove(0), at)?;
        let short = matches!(self.machine(&t), Ty::Int { bits: 16, signed: false });
        if !wide(&t) && !short {
            return Err(self.no_atomic(name, &t, at));
        }
        let v = self.convert(args.remove(1), &t.clone().q(), span)?;
        let c = self.convert(args.remove(0), &t.clone().q(), span)?;
        Ok(self.built(Builtin::AtomicCas, vec![p, c, v], t, span))
    }

    /// The floating type that a function of any width works in.
    fn math_type(&mut self, name: &str, args: &[&TypedExpr], at: Span) -> SemaResult<Type> {
        let mut t: Option<Type> = None;
        for a in args {
            let this = match &a.q.ty {
                Type::F16 => Type::F16,
                Type::F32 => Type::F32,
                x if x.is_arithmetic() => Type::F64,
                Type::Struct(_) => Type::F64,
                _ => {
                    return fail(
                        at,
                        format!("`{name}` needs a number, this is `{}`", self.show(&a.q)),
                    );
                }
            };
            t = Some(match t {
                None => this,
                Some(Type::F64) => Type::F64,
                Some(old) if old == this => old,
                Some(Type::F16) => this,
                Some(old) if this == Type::F16 => old,
                Some(_) => Type::F64,
            });
        }
        Ok(t.unwrap_or(Type::F64))
    }

    /// A function whose types are all given; with `f` behind its name they are those of `float`.
    fn fixed(
        &mut self,
        name: &str,
        signature: Signature,
        operation: Operation,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let mut list = Vec::with_capacity(args.len());
        for (i, (a, slot)) in args.into_iter().zip(signature.params).enumerate() {
            let t = of_slot(*slot, &Type::F32);
            let at = a.e.span;
            let shown = self.show(&a.q);
            let e = self.convert(a, &t.clone().q(), at).map_err(|d| {
                let want = self.show(&t.clone().q());
                Box::new(Diagnostic {
                    message: format!(
                        "argument {} of `{name}` has the type `{shown}`, but `{want}` is needed",
                        i + 1
                    ),
                    ..*d
                })
            })?;
            list.push(self.scalar_ex(e, &t));
        }
        let t = of_slot(signature.result, &Type::F32);
        let e = self.operate(operation, list, &t, span)?;
        Ok(self.scalar_ex(e, &t))
    }

    fn atomic_pointer(
        &mut self,
        name: &str,
        p: TypedExpr,
        at: Span,
    ) -> SemaResult<(hir::Expr, Type)> {
        let place = p.e.span;
        let v = self.load_value(p)?;
        let Some(to) = v.q.ty.pointee().cloned() else {
            return Err(Box::new(
                Diagnostic::error(
                    place,
                    format!("`{name}` needs an address, this is `{}`", self.show(&v.q)),
                )
                .help("write `&` before the variable or element"),
            ));
        };
        if to.is_const {
            return fail(at, format!("`{name}` cannot change a constant"));
        }
        let t = match &to.ty {
            Type::Enum(e) => Type::Int(self.enums[*e as usize].base),
            t => t.clone(),
        };
        if !t.is_arithmetic() {
            return Err(self.no_atomic(name, &t, at));
        }
        Ok((v.e, t))
    }

    fn no_atomic(&self, name: &str, t: &Type, at: Span) -> Box<Diagnostic> {
        let mut d = Diagnostic::error(
            at,
            format!("`{name}` does not exist for `{}`", self.show(&t.clone().q())),
        );
        d = match t {
            Type::F32 | Type::F64 => d.help(format!(
                "loop over `atomicCAS` on the bits ({}) instead",
                if *t == Type::F32 { "`__float_as_int`" } else { "`__double_as_longlong`" }
            )),
            Type::Int(k) if int_shape(*k).0 < 32 => {
                d.help("atomics work on 32 or 64 bits: use `int` or `unsigned`")
            }
            _ => d,
        };
        Box::new(d)
    }
}

/// The type of a result or an argument where the type of the call is `main`.
fn of_slot(slot: Slot, main: &Type) -> Type {
    match slot {
        Slot::Is(plain) => Type::of(plain),
        Slot::To(plain) => Type::of(plain).ptr(),
        Slot::Any(_) => main.clone(),
        Slot::ToAny => main.clone().ptr(),
        Slot::Unsigned => unsigned_like(main),
        Slot::Truth => Type::Bool,
    }
}

fn wide(t: &Type) -> bool {
    matches!(t, Type::Int(k) if int_shape(*k).0 >= 32)
}
