//! Calls of the device's own functions.

use super::call::Arg;
use super::decls::letter_type;
use super::types::{Q, T, int_shape};
use super::{Ex, R, Sema, fail};
use crate::builtins::{self, Fun, Op};
use crate::diag::Diagnostic;
use crate::hir::{self, AtomicOp, Builtin, ExprKind, Math1, Math2, Round, Ty};
use crate::source::Span;

impl Sema<'_> {
    pub(super) fn builtin_call(
        &mut self,
        name: &str,
        args: Vec<Arg>,
        at: Span,
        span: Span,
    ) -> R<Ex> {
        let Some(fun) = builtins::lookup(name) else {
            return fail(at, format!("`{name}` is not declared"));
        };
        let mut list = Vec::with_capacity(args.len());
        for a in args {
            match a {
                Arg::Ex(e) => list.push(e),
                Arg::List(e) => return fail(e.span, format!("`{name}` takes no list in braces")),
            }
        }
        self.apply(name, fun, list, at, span)
    }

    pub(super) fn count(&self, name: &str, args: &[Ex], want: usize, span: Span) -> R<()> {
        if args.len() == want {
            return Ok(());
        }
        let noun = if want == 1 { "argument" } else { "arguments" };
        let verb = if args.len() == 1 { "is" } else { "are" };
        fail(span, format!("`{name}` takes {want} {noun}, but {} {verb} given", args.len()))
    }

    pub(super) fn built(&self, b: Builtin, args: Vec<hir::Expr>, t: T, span: Span) -> Ex {
        self.value(ExprKind::Builtin(b, args), t.q(), span)
    }

    pub(super) fn no_effect(&self, name: &str, span: Span) -> R<()> {
        if self.read_only {
            return fail(span, format!("`{name}` has an effect and cannot be called here"));
        }
        Ok(())
    }

    pub(super) fn apply(
        &mut self,
        name: &str,
        fun: Fun,
        mut args: Vec<Ex>,
        at: Span,
        span: Span,
    ) -> R<Ex> {
        match fun {
            Fun::Gone(help) => Err(Box::new(
                Diagnostic::error(at, format!("`{name}` is not available in device code"))
                    .help(help),
            )),
            Fun::Fixed(op, sig) => self.fixed(name, op, sig, args, span),
            Fun::Math1(m) => {
                self.count(name, &args, 1, span)?;
                let t = self.math_type(name, &args, at)?;
                let a = self.convert(args.remove(0), &t.clone().q(), span)?;
                Ok(self.built(Builtin::Math1(m), vec![a], t, span))
            }
            Fun::Math2(m) => {
                self.count(name, &args, 2, span)?;
                let t = self.math_type(name, &args, at)?;
                let b = self.convert(args.remove(1), &t.clone().q(), span)?;
                let a = self.convert(args.remove(0), &t.clone().q(), span)?;
                Ok(self.built(Builtin::Math2(m), vec![a, b], t, span))
            }
            Fun::Fma => {
                self.count(name, &args, 3, span)?;
                let t = self.math_type(name, &args, at)?;
                let mut list = Vec::new();
                for a in args {
                    list.push(self.convert(a, &t.clone().q(), span)?);
                }
                Ok(self.built(Builtin::Fma, list, t, span))
            }
            Fun::Classify(c) => {
                self.count(name, &args, 1, span)?;
                let t = self.math_type(name, &args, at)?;
                let a = self.convert(args.remove(0), &t.q(), span)?;
                Ok(self.built(Builtin::Classify(c), vec![a], T::Bool, span))
            }
            Fun::Ldexp => {
                self.count(name, &args, 2, span)?;
                let t = self.math_type(name, &args[..1], at)?;
                let e = self.convert(args.remove(1), &T::INT.q(), span)?;
                let a = self.convert(args.remove(0), &t.clone().q(), span)?;
                Ok(self.built(Builtin::Ldexp, vec![a, e], t, span))
            }
            Fun::Frexp | Fun::Modf => {
                self.count(name, &args, 2, span)?;
                let t = self.math_type(name, &args[..1], at)?;
                let to = if fun == Fun::Frexp { T::INT } else { t.clone() };
                let p = self.convert(args.remove(1), &to.ptr().q(), span)?;
                let a = self.convert(args.remove(0), &t.clone().q(), span)?;
                let b = if fun == Fun::Frexp { Builtin::Frexp } else { Builtin::Modf };
                Ok(self.built(b, vec![a, p], t, span))
            }
            Fun::SinCos(pi) => {
                self.count(name, &args, 3, span)?;
                let t = match args[1].q.t.pointee().map(|q| q.t.clone()) {
                    Some(T::F32) => T::F32,
                    _ => T::F64,
                };
                let pq = t.clone().ptr().q();
                let c = self.convert(args.remove(2), &pq, span)?;
                let s = self.convert(args.remove(1), &pq, span)?;
                let a = self.convert(args.remove(0), &t.q(), span)?;
                Ok(self.built(Builtin::SinCos { pi }, vec![a, s, c], T::Void, span))
            }
            Fun::ToLong(round, long_long) => {
                self.count(name, &args, 1, span)?;
                let t = if name.ends_with('f') { T::F32 } else { self.math_type(name, &args, at)? };
                let mut a = self.convert(args.remove(0), &t.clone().q(), span)?;
                if round == Round::Zero {
                    a = self.built(Builtin::Math1(Math1::Round), vec![a], t, span).e;
                }
                let r = if long_long { T::LLONG } else { T::LONG };
                Ok(self.built(Builtin::ToIntRound(round), vec![a], r, span))
            }
            Fun::MinMax(min) => {
                self.count(name, &args, 2, span)?;
                let (b, a) = (args.remove(1), args.remove(0));
                let (a, b) = (self.load_value(a)?, self.load_value(b)?);
                let (x, y) = (&a.q.t, &b.q.t);
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
                        Diagnostic::error(span, format!("the call of `{name}` is ambiguous: one argument is an integer, the other is not"))
                            .label(format!("`{}` and `{}`", self.show(&a.q), self.show(&b.q)))
                            .help(format!("convert the {what} argument")),
                    ));
                }
                let t = self.common(x, y);
                let (a, b) = (self.cast(a.e, &t), self.cast(b.e, &t));
                let op = match (t.is_float(), min) {
                    (true, true) => Builtin::Math2(Math2::Fmin),
                    (true, false) => Builtin::Math2(Math2::Fmax),
                    (false, true) => Builtin::MinI,
                    (false, false) => Builtin::MaxI,
                };
                Ok(self.built(op, vec![a, b], t, span))
            }
            Fun::Abs => {
                self.count(name, &args, 1, span)?;
                let a = self.load_value(args.remove(0))?;
                if !a.q.t.is_arithmetic() {
                    return fail(
                        span,
                        format!("`abs` needs a number, this is `{}`", self.show(&a.q)),
                    );
                }
                let t = self.promoted(&a.q.t);
                if let T::Int(k) = t
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
            Fun::Atomic(op) => {
                self.no_effect(name, span)?;
                self.count(name, &args, 2, span)?;
                let (p, t) = self.atomic_pointer(name, args.remove(0), at)?;
                let fine = match op {
                    AtomicOp::Add => !matches!(t, T::Bool) && (t.is_float() || wide(&t)),
                    AtomicOp::Exch => matches!(t, T::F32) || wide(&t),
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
            Fun::AtomicCas => {
                self.no_effect(name, span)?;
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
            Fun::Shfl(kind) => {
                self.no_effect(name, span)?;
                if args.len() != 3 && args.len() != 4 {
                    let mut d = Diagnostic::error(
                        span,
                        format!(
                            "`{name}` takes the mask, the value, the lane and perhaps the width, but {} argument(s) are given",
                            args.len()
                        ),
                    );
                    d = d.help("the mask of a full warp is `0xffffffff`");
                    return Err(Box::new(d));
                }
                let width = if args.len() == 4 {
                    let w = args.remove(3);
                    self.convert(w, &T::INT.q(), span)?
                } else {
                    hir::Expr { kind: ExprKind::Int(32), ty: Ty::I32, span }
                };
                let lane = self.convert(args.remove(2), &T::INT.q(), span)?;
                let v = self.load_value(args.remove(1))?;
                let t = match &v.q.t {
                    t if t.is_float() => t.clone(),
                    t if t.is_integral() => self.promoted(t),
                    _ => {
                        return fail(
                            v.e.span,
                            format!("`{name}` exchanges numbers, this is `{}`", self.show(&v.q)),
                        );
                    }
                };
                let v = self.cast(v.e, &t);
                let mask = self.convert(args.remove(0), &T::UINT.q(), span)?;
                Ok(self.built(Builtin::Shfl(kind), vec![mask, v, lane, width], t, span))
            }
            Fun::MatchAny | Fun::WarpReduce(_) => {
                self.no_effect(name, span)?;
                self.count(name, &args, 2, span)?;
                let v = self.load_value(args.remove(1))?;
                let t = match &v.q.t {
                    t if t.is_float() && fun == Fun::MatchAny => t.clone(),
                    t if t.is_integral() => self.promoted(t),
                    _ => {
                        return fail(
                            v.e.span,
                            format!("`{name}` cannot work on `{}`", self.show(&v.q)),
                        );
                    }
                };
                let v = self.cast(v.e, &t);
                let mask = self.convert(args.remove(0), &T::UINT.q(), span)?;
                Ok(match fun {
                    Fun::WarpReduce(op) => {
                        self.built(Builtin::WarpReduce(op), vec![mask, v], t, span)
                    }
                    _ => self.built(Builtin::MatchAny, vec![mask, v], T::UINT, span),
                })
            }
            Fun::Load => {
                self.count(name, &args, 1, span)?;
                let p = self.load_value(args.remove(0))?;
                let Some(to) = p.q.t.pointee().cloned() else {
                    return Err(Box::new(
                        Diagnostic::error(
                            p.e.span,
                            format!("`{name}` needs an address, this is `{}`", self.show(&p.q)),
                        )
                        .help("write `&` before the element"),
                    ));
                };
                if matches!(to.t, T::Void | T::Array(..)) {
                    return fail(p.e.span, format!("`{name}` cannot load `{}`", self.show(&to)));
                }
                Ok(self.built(Builtin::Ldg, vec![p.e], to.t.clone(), span))
            }
            Fun::Store => {
                self.no_effect(name, span)?;
                self.count(name, &args, 2, span)?;
                let p = self.load_value(args.remove(0))?;
                let Some(to) = p.q.t.pointee().cloned() else {
                    return fail(
                        p.e.span,
                        format!("`{name}` needs an address, this is `{}`", self.show(&p.q)),
                    );
                };
                if to.c {
                    return fail(p.e.span, "this assigns to a constant");
                }
                let v = self.convert(args.remove(0), &to, span)?;
                let place = self.place(ExprKind::Deref(Box::new(p.e)), (*to).clone(), span);
                let store =
                    self.value(ExprKind::Assign(Box::new(place.e), Box::new(v)), to.plain(), span);
                Ok(self.value(ExprKind::Cast(Box::new(store.e)), T::Void.q(), span))
            }
            Fun::Printf => {
                self.no_effect(name, span)?;
                self.printf(args, span)
            }
            Fun::Assert => {
                self.no_effect(name, span)?;
                self.count(name, &args, 1, span)?;
                let at = args[0].e.span;
                let cond = self.truth(args.remove(0))?;
                let file = self.module.sources.file(at.file);
                let text = file.text.get(at.lo as usize..at.hi as usize).unwrap_or("").to_string();
                let q =
                    T::Ptr(std::rc::Rc::new(Q::constant(T::Int(crate::ast::IntKind::Char)))).q();
                let text = self.value(ExprKind::Str(text), q, at).e;
                Ok(self.built(Builtin::Assert, vec![cond, text], T::Void, span))
            }
        }
    }

    /// The floating type that a function of any width works in.
    fn math_type(&mut self, name: &str, args: &[Ex], at: Span) -> R<T> {
        let mut t: Option<T> = None;
        for a in args {
            let this = match &a.q.t {
                T::F16 => T::F16,
                T::F32 => T::F32,
                x if x.is_arithmetic() => T::F64,
                T::Struct(_) => T::F64,
                _ => {
                    return fail(
                        at,
                        format!("`{name}` needs a number, this is `{}`", self.show(&a.q)),
                    );
                }
            };
            t = Some(match t {
                None => this,
                Some(T::F64) => T::F64,
                Some(old) if old == this => old,
                Some(T::F16) => this,
                Some(old) if this == T::F16 => old,
                Some(_) => T::F64,
            });
        }
        Ok(t.unwrap_or(T::F64))
    }

    fn fixed(&mut self, name: &str, op: Op, sig: &str, mut args: Vec<Ex>, span: Span) -> R<Ex> {
        let (ret, params) = sig.split_once(':').unwrap_or(("v", ""));
        let mut types: Vec<T> = Vec::new();
        let mut pointer = false;
        for c in params.chars() {
            if c == '*' {
                pointer = true;
                continue;
            }
            let t = letter_type(c);
            types.push(if pointer { t.ptr() } else { t });
            pointer = false;
        }
        let effect = matches!(
            op,
            Op::B(
                Builtin::SyncThreads
                    | Builtin::SyncGrid
                    | Builtin::SyncThreadsReduce(_)
                    | Builtin::SyncWarp
                    | Builtin::Trap
                    | Builtin::SinCos { .. }
                    | Builtin::Frexp
                    | Builtin::Modf
                    | Builtin::Ballot
                    | Builtin::VoteAll
                    | Builtin::VoteAny
            )
        );
        if effect {
            self.no_effect(name, span)?;
        }
        if name == "__syncwarp" && args.is_empty() {
            args.push(self.value(ExprKind::Int(0xffff_ffff), T::UINT.q(), span));
        }
        self.count(name, &args, types.len(), span)?;
        let mut list = Vec::with_capacity(args.len());
        for (i, (a, t)) in args.into_iter().zip(&types).enumerate() {
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
            list.push(e);
        }
        let t = letter_type(ret.chars().next().unwrap_or('v'));
        Ok(match op {
            Op::B(b) => self.built(b, list, t, span),
            Op::Cast => {
                let e = self.cast(list.remove(0), &t);
                Ex { e: hir::Expr { span, ..e }, q: t.q(), place: false, konst: None }
            }
            Op::Bin(b) => {
                let (y, x) = (list.remove(1), list.remove(0));
                self.value(ExprKind::Binary(b, Box::new(x), Box::new(y)), t.q(), span)
            }
            Op::Cmp(c) => {
                let (y, x) = (list.remove(1), list.remove(0));
                self.value(ExprKind::Cmp(c, Box::new(x), Box::new(y)), t.q(), span)
            }
            Op::Neg => {
                self.value(ExprKind::Unary(hir::UnOp::Neg, Box::new(list.remove(0))), t.q(), span)
            }
        })
    }

    fn atomic_pointer(&mut self, name: &str, p: Ex, at: Span) -> R<(hir::Expr, T)> {
        let place = p.e.span;
        let v = self.load_value(p)?;
        let Some(to) = v.q.t.pointee().cloned() else {
            return Err(Box::new(
                Diagnostic::error(
                    place,
                    format!("`{name}` needs an address, this is `{}`", self.show(&v.q)),
                )
                .help("write `&` before the variable or element"),
            ));
        };
        if to.c {
            return fail(at, format!("`{name}` cannot change a constant"));
        }
        let t = match &to.t {
            T::Enum(e) => T::Int(self.enums[*e as usize].base),
            t => t.clone(),
        };
        if !t.is_arithmetic() {
            return Err(self.no_atomic(name, &t, at));
        }
        Ok((v.e, t))
    }

    fn no_atomic(&self, name: &str, t: &T, at: Span) -> Box<Diagnostic> {
        let mut d = Diagnostic::error(
            at,
            format!("`{name}` does not exist for `{}`", self.show(&t.clone().q())),
        );
        d = match t {
            T::F32 | T::F64 => d.help(format!(
                "loop over `atomicCAS` on the bits ({}) instead",
                if *t == T::F32 { "`__float_as_int`" } else { "`__double_as_longlong`" }
            )),
            T::Int(k) if int_shape(*k).0 < 32 => {
                d.help("atomics work on 32 or 64 bits: use `int` or `unsigned`")
            }
            _ => d,
        };
        Box::new(d)
    }
}

fn wide(t: &T) -> bool {
    matches!(t, T::Int(k) if int_shape(*k).0 >= 32)
}
