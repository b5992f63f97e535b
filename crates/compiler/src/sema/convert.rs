//! Conversions, written out.

use std::rc::Rc;

use super::types::{Q, T, VarTy, int_shape, rank, space_prefix, to_unsigned};
use super::{Entity, Ex, Lit, R, Sema, fail};
use crate::ast::IntKind;
use crate::diag::Diagnostic;
use crate::hir::{self, CmpOp, ExprKind, Space, Storage, StructId};
use crate::source::Span;

impl Sema<'_> {
    pub(super) fn lit(&self, lit: Lit, q: &Q, span: Span) -> hir::Expr {
        let kind = match lit {
            Lit::Int(v) => ExprKind::Int(v),
            Lit::Float(v) => ExprKind::Float(v),
        };
        hir::Expr { kind, ty: self.machine(&q.t), span }
    }

    pub(super) fn value(&self, kind: ExprKind, q: Q, span: Span) -> Ex {
        let ty = self.machine(&q.t);
        Ex { e: hir::Expr { kind, ty, span }, q, place: false, konst: None }
    }

    pub(super) fn place(&self, kind: ExprKind, q: Q, span: Span) -> Ex {
        Ex { place: true, ..self.value(kind, q, span) }
    }

    /// Reads a place; arrays become pointers to their first element; constants their value.
    pub(super) fn load_value(&mut self, ex: Ex) -> R<Ex> {
        if let Some(k) = ex.konst {
            let span = ex.e.span;
            let q = ex.q.plain();
            return Ok(Ex { e: self.lit(k, &q, span), q, place: false, konst: None });
        }
        if let T::Array(elem, _) = &ex.q.t {
            let elem = elem.clone();
            let span = ex.e.span;
            if !ex.place {
                return fail(span, "an array value has no address: store it in a variable first");
            }
            self.mark_memory(&ex.e);
            let q = T::Ptr(elem).q();
            return Ok(self.value(ExprKind::AddrOf(Box::new(ex.e)), q, span));
        }
        if !ex.place {
            return Ok(ex);
        }
        let span = ex.e.span;
        if let T::Struct(id) = ex.q.t {
            self.complete(id, span)?;
        }
        if ex.q.v {
            self.module.volatile.insert(span);
        }
        let q = ex.q.plain();
        Ok(self.value(ExprKind::Load(Box::new(ex.e)), q, span))
    }

    /// The place must be in memory: its address is needed.
    pub(super) fn mark_memory(&mut self, e: &hir::Expr) {
        if let Some(id) = super::stmt::local_root(e)
            && let Some(l) = self.ctx.locals.get_mut(id.0 as usize)
            && l.storage == Storage::Auto
        {
            l.needs_memory = true;
        }
    }

    /// Evaluated for its effect.
    pub(super) fn discard(&mut self, ex: Ex) -> hir::Expr {
        if !ex.place {
            return ex.e;
        }
        // Naming a place reads nothing; what remains are the effects on the way to it.
        let (ty, span) = (ex.e.ty.clone(), ex.e.span);
        if ex.q.t.is_scalar() && ex.konst.is_none() && !matches!(ex.e.kind, ExprKind::Deref(_)) {
            return hir::Expr { kind: ExprKind::Load(Box::new(ex.e)), ty, span };
        }
        let mut e = ex.e;
        loop {
            e = match e.kind {
                ExprKind::Deref(p) => return *p,
                ExprKind::Field(inner, _) | ExprKind::Index(inner, _) => *inner,
                _ => return hir::Expr { kind: ExprKind::Int(0), ty: hir::Ty::I32, span },
            };
        }
    }

    pub(super) fn cast(&self, e: hir::Expr, t: &T) -> hir::Expr {
        let ty = self.machine(t);
        if e.ty == ty {
            return e;
        }
        let span = e.span;
        // Literals are converted at once, so that they stay literals.
        match (&e.kind, &e.ty) {
            (ExprKind::Int(v), from) if ty.is_integer() && from.is_integer() => {
                let v = if ty == hir::Ty::Bool {
                    u64::from(*v != 0)
                } else {
                    super::fold::wrap(*v, &ty)
                };
                return hir::Expr { kind: ExprKind::Int(v), ty, span };
            }
            (ExprKind::Int(v), from) if ty.is_float() && from.is_integer() => {
                let signed = matches!(from, hir::Ty::Int { signed: true, .. });
                let x = match (&ty, signed) {
                    (hir::Ty::F32, true) => f64::from(*v as i64 as f32),
                    (hir::Ty::F32, false) => f64::from(*v as f32),
                    (_, true) => *v as i64 as f64,
                    (_, false) => *v as f64,
                };
                let x = super::fold::round_to(x, &ty);
                return hir::Expr { kind: ExprKind::Float(x), ty, span };
            }
            (ExprKind::Float(x), _) if ty.is_float() => {
                return hir::Expr {
                    kind: ExprKind::Float(super::fold::round_to(*x, &ty)),
                    ty,
                    span,
                };
            }
            _ => {}
        }
        hir::Expr { kind: ExprKind::Cast(Box::new(e)), ty, span }
    }

    /// Condition.
    pub(super) fn truth(&mut self, ex: Ex) -> R<hir::Expr> {
        let span = ex.e.span;
        if let T::Struct(id) = ex.q.t
            && let Some(v) = self.user_conversion(&ex, id, &T::Bool, span)?
        {
            return self.truth(v);
        }
        let v = self.load_value(ex)?;
        if v.q.t == T::Bool {
            return Ok(v.e);
        }
        if matches!(v.q.t, T::Enum(e) if self.enums[e as usize].scoped) || !v.q.t.is_scalar() {
            return fail(
                span,
                format!("a value of type `{}` cannot be a condition", self.show(&v.q)),
            );
        }
        let zero = if v.q.t.is_float() { ExprKind::Float(0.0) } else { ExprKind::Int(0) };
        if let ExprKind::Int(n) = v.e.kind {
            return Ok(hir::Expr {
                kind: ExprKind::Int(u64::from(n != 0)),
                ty: hir::Ty::Bool,
                span,
            });
        }
        let zero = hir::Expr { kind: zero, ty: v.e.ty.clone(), span };
        let kind = ExprKind::Cmp(CmpOp::Ne, Box::new(v.e), Box::new(zero));
        Ok(hir::Expr { kind, ty: hir::Ty::Bool, span })
    }

    /// Type after integer promotion.
    pub(super) fn promoted(&self, t: &T) -> T {
        match t {
            T::Bool => T::INT,
            T::Int(k) if rank(*k) < 3 => T::INT,
            T::Enum(e) => self.promoted(&T::Int(self.enums[*e as usize].base)),
            other => other.clone(),
        }
    }

    /// Common type of two arithmetic operands.
    pub(super) fn common(&self, a: &T, b: &T) -> T {
        for f in [T::F64, T::F32] {
            if *a == f || *b == f {
                return f;
            }
        }
        if *a == T::F16 || *b == T::F16 {
            return T::F16;
        }
        let (T::Int(x), T::Int(y)) = (self.promoted(a), self.promoted(b)) else { return T::INT };
        if x == y {
            return T::Int(x);
        }
        let ((bx, sx), (by, sy)) = (int_shape(x), int_shape(y));
        if sx == sy {
            return T::Int(if rank(x) >= rank(y) { x } else { y });
        }
        let (u, bu, s, bs) = if sx { (y, by, x, bx) } else { (x, bx, y, by) };
        if rank(u) >= rank(s) {
            T::Int(u)
        } else if bs > bu {
            T::Int(s)
        } else {
            T::Int(to_unsigned(s))
        }
    }

    pub(super) fn null_literal(&self, ex: &Ex) -> bool {
        matches!(ex.q.t, T::Nullptr)
            || (matches!(ex.e.kind, ExprKind::Int(0)) && matches!(ex.q.t, T::Int(_)) && !ex.place)
    }

    /// `derived` is or inherits from `base`: the way there.
    pub(super) fn base_path(&self, derived: StructId, base: StructId) -> Option<Vec<u32>> {
        if derived == base {
            return Some(Vec::new());
        }
        for (i, b) in self.structs[derived.0 as usize].bases.iter().enumerate() {
            if let Some(mut path) = self.base_path(*b, base) {
                path.insert(0, i as u32);
                return Some(path);
            }
        }
        None
    }

    /// How well an argument fits a type: 0 exactly, 1 with a `const` added, 2 promotion, 3
    /// conversion, 4 by a constructor or conversion function; `None` not at all.
    pub(super) fn fit(&mut self, ex: &Ex, to: &VarTy) -> Option<u32> {
        if to.by_ref {
            // Moving is copying here: what has a place fits `&&` only if nothing else is there.
            let added = if to.rvalue { 5 } else { u32::from(to.q.c && !ex.q.c) };
            let allowed = ex.place && (to.q.c || !ex.q.c);
            if let (true, T::Struct(a), T::Struct(b)) = (allowed, &ex.q.t, &to.q.t) {
                return self.base_path(*a, *b).map(|p| if p.is_empty() { added } else { 3 });
            }
            if allowed && same_type(&ex.q.t, &to.q.t) {
                return Some(added);
            }
            if !to.q.c && !to.rvalue {
                return None;
            }
        }
        self.fit_value(ex, &to.q)
    }

    fn fit_value(&mut self, ex: &Ex, to: &Q) -> Option<u32> {
        let from = match &ex.q.t {
            T::Array(e, _) if ex.place => T::Ptr(e.clone()),
            t => t.clone(),
        };
        if from == to.t {
            return Some(0);
        }
        match (&from, &to.t) {
            (T::Enum(e), _) if self.enums[*e as usize].scoped => None,
            (_, T::Enum(_)) => None,
            (a, T::Bool) if a.is_scalar() => Some(3),
            (a, b) if a.is_arithmetic() && b.is_arithmetic() => {
                let promotion =
                    (self.promoted(a) == *b && a.is_integral()) || (*a == T::F32 && *b == T::F64);
                Some(if promotion { 2 } else { 3 })
            }
            (_, T::Ptr(_) | T::Func(_)) if self.null_literal(ex) => Some(3),
            (T::Func(_), _) | (_, T::Func(_)) if !matches!(from, T::Struct(_)) => None,
            (a, T::Struct(_)) if self.widens(a, &to.t) => Some(3),
            (T::Ptr(a), T::Ptr(b)) => self.fit_pointer(a, b),
            (T::Struct(a), T::Struct(b)) if self.base_path(*a, *b).is_some() => Some(3),
            (T::Struct(a), t) => {
                let (a, t) = (*a, t.clone());
                if self.conversion_function(a, &t).is_some() {
                    return Some(4);
                }
                match t {
                    T::Struct(b) => self.fit_constructor(ex, b),
                    _ => None,
                }
            }
            (_, T::Struct(b)) => self.fit_constructor(ex, *b),
            _ => None,
        }
    }

    fn fit_constructor(&mut self, ex: &Ex, to: StructId) -> Option<u32> {
        for c in self.structs[to.0 as usize].ctors.clone() {
            let ast = self.funcs[c].ast.clone();
            let required = ast.params.iter().filter(|p| p.default.is_none()).count();
            if required > 1 || ast.params.is_empty() {
                continue;
            }
            if let Some(sig) = self.funcs[c].sig.clone() {
                let p = sig.params[0].clone();
                if let T::Struct(given) = p.q.t {
                    if given != to && ex.q.t == p.q.t {
                        return Some(4);
                    }
                    continue;
                }
                if self.fit(ex, &p).is_some_and(|r| r < 4) {
                    return Some(4);
                }
            }
        }
        None
    }

    fn fit_pointer(&self, a: &Q, b: &Q) -> Option<u32> {
        if a.c && !b.c || !reaches(a.s, b.s) {
            return None;
        }
        if same_type(&a.t, &b.t) {
            return Some(if a.c == b.c { 0 } else { 1 });
        }
        match (&a.t, &b.t) {
            (_, T::Void) => Some(3),
            (T::Void, _) if self.is_c() => Some(3),
            (T::Struct(x), T::Struct(y)) if self.base_path(*x, *y).is_some() => Some(3),
            // `float **` to `const float *const *`
            (T::Ptr(x), T::Ptr(y)) if b.c && same_type(&x.t, &y.t) && (y.c || !x.c) => Some(1),
            _ => None,
        }
    }

    /// `operator T` of a class that gives `to`.
    fn conversion_function(&mut self, id: StructId, to: &T) -> Option<usize> {
        let scope = self.structs[id.0 as usize].scope;
        let Some(Entity::Funcs(list)) = self.lookup_in(scope, "operator T") else { return None };
        let mut second = None;
        for &f in list.iter() {
            if let Some(r) = self.funcs[f].sig.as_ref().and_then(|s| s.ret.clone()) {
                if r.q.t == *to {
                    return Some(f);
                }
                if r.q.t.is_arithmetic() && to.is_arithmetic() {
                    second = Some(f);
                }
            }
        }
        second
    }

    fn user_conversion(&mut self, ex: &Ex, id: StructId, to: &T, span: Span) -> R<Option<Ex>> {
        match self.conversion_function(id, to) {
            Some(f) => Ok(Some(self.call_member(f, Vec::new(), ex.clone(), Vec::new(), span)?)),
            None => Ok(None),
        }
    }

    /// Implicit conversion of `ex` to a value of type `to`.
    pub(super) fn convert(&mut self, ex: Ex, to: &Q, span: Span) -> R<hir::Expr> {
        let Some(_) = self.fit_value(&ex, to) else { return Err(self.mismatch(&ex, to, span)) };
        self.convert_unchecked(ex, to, span)
    }

    fn convert_unchecked(&mut self, ex: Ex, to: &Q, span: Span) -> R<hir::Expr> {
        match (&ex.q.t, &to.t) {
            (T::Struct(a), T::Struct(b)) if a == b => Ok(self.load_value(ex)?.e),
            (T::Struct(a), T::Struct(b)) => {
                let (a, b) = (*a, *b);
                match self.base_path(a, b) {
                    Some(path) => {
                        let constructing = matches!(self.ctx.this, super::This::Object(..));
                        if self.is_polymorphic(b) && !constructing {
                            let (from, to) = (self.show(&ex.q.plain()), self.show(&to.plain()));
                            return Err(Box::new(
                                Diagnostic::error(
                                    span,
                                    format!(
                                        "`{from}` would lose its class where it becomes `{to}`"
                                    ),
                                )
                                .help("pass a pointer or a reference to it"),
                            ));
                        }
                        let part = self.walk(ex, &path, span)?;
                        Ok(self.load_value(part)?.e)
                    }
                    None => match self.user_conversion(&ex, a, &to.t.clone(), span)? {
                        Some(v) => Ok(self.load_value(v)?.e),
                        None => self.construct(b, vec![ex], span),
                    },
                }
            }
            (T::Struct(a), t) => {
                let (a, t) = (*a, t.clone());
                match self.user_conversion(&ex, a, &t, span)? {
                    Some(v) => self.convert(v, to, span),
                    None => Err(self.mismatch(&ex, to, span)),
                }
            }
            (_, T::Struct(_)) if self.vector_of(&to.t).is_some() => self.splat(ex, &to.t, span),
            (_, T::Struct(b)) => {
                let b = *b;
                self.construct(b, vec![ex], span)
            }
            (_, T::Bool) => self.truth(ex),
            (T::Ptr(a), T::Ptr(b)) if matches!((&a.t, &b.t), (T::Struct(x), T::Struct(y)) if x != y) =>
            {
                let v = self.load_value(ex)?;
                let (T::Ptr(a), T::Ptr(b)) = (&v.q.t, &to.t) else { return Ok(v.e) };
                let (T::Struct(x), T::Struct(y)) = (&a.t, &b.t) else { return Ok(v.e) };
                let path = self.base_path(*x, *y).unwrap_or_default();
                let object = (**a).clone();
                let place = self.place(ExprKind::Deref(Box::new(v.e)), object, span);
                let part = self.walk(place, &path, span)?;
                Ok(self.value(ExprKind::AddrOf(Box::new(part.e)), to.plain(), span).e)
            }
            _ => {
                let v = self.load_value(ex)?;
                Ok(self.cast(v.e, &to.t))
            }
        }
    }

    /// Follows member numbers from an object.
    pub(super) fn walk(&mut self, ex: Ex, path: &[u32], span: Span) -> R<Ex> {
        let mut ex = ex;
        for &k in path {
            let T::Struct(id) = ex.q.t else { return fail(span, "not a class") };
            let field = self.structs[id.0 as usize].fields[k as usize].clone();
            let ty = self.var_machine(&field.ty);
            let place = ex.place;
            let c = (ex.q.c && !field.ty.by_ref) || field.ty.q.c;
            let kind = if place { ExprKind::Field(Box::new(ex.e), k) } else { pick(ex.e, k) };
            let e = hir::Expr { kind, ty, span };
            let q = Q { c, ..field.ty.q.clone() };
            let q = if ex.q.s == Space::Generic { q } else { q.within(ex.q.s) };
            let q = match q.t.clone() {
                T::Array(elem, n) if c => Q {
                    t: T::Array(Rc::new(Q { c: true, ..(*elem).clone() }), n),
                    c,
                    v: q.v,
                    s: q.s,
                },
                _ => q,
            };
            ex = if field.ty.by_ref {
                let pointer = if place {
                    hir::Expr { ty: e.ty.clone(), span, kind: ExprKind::Load(Box::new(e)) }
                } else {
                    e
                };
                self.place(ExprKind::Deref(Box::new(pointer)), q, span)
            } else {
                Ex { e, q, place, konst: None }
            };
        }
        Ok(ex)
    }

    /// `(T)x`, `static_cast<T>(x)`: also what is not converted by itself.
    pub(super) fn convert_explicit(&mut self, ex: Ex, to: &Q, span: Span) -> R<Ex> {
        let q = to.plain();
        if self.fit_value(&ex, to).is_some() {
            let e = self.convert_unchecked(ex, to, span)?;
            return Ok(Ex { e: hir::Expr { span, ..e }, q, place: false, konst: None });
        }
        let v = self.load_value(ex)?;
        let from = v.q.t.clone();
        let fine = match (&from, &to.t) {
            (_, T::Void) => {
                return Ok(self.value(ExprKind::Cast(Box::new(v.e)), T::Void.q(), span));
            }
            (a, b) if a.is_arithmetic() && b.is_arithmetic() => true,
            (T::Ptr(a), T::Ptr(b)) if !reaches(a.s, b.s) => return Err(self.mismatch(&v, to, span)),
            (a, b) if a.is_pointer() && b.is_pointer() => true,
            (a, T::Int(k)) if a.is_pointer() && int_shape(*k).0 == 64 => true,
            (a, T::Ptr(_)) if a.is_integral() => {
                let wide = T::ULONG.q();
                let e = self.cast(v.e, &wide.t);
                let e = self.cast(e, &to.t);
                return Ok(Ex { e: hir::Expr { span, ..e }, q, place: false, konst: None });
            }
            _ => false,
        };
        if !fine && let Some(d) = self.no_vector_cast(&v, to, span) {
            return Err(d);
        }
        if !fine {
            return fail(
                span,
                format!(
                    "a value of type `{}` cannot be converted to `{}`",
                    self.show(&v.q),
                    self.show(to)
                ),
            );
        }
        let e = self.cast(v.e, &to.t);
        Ok(Ex { e: hir::Expr { span, ..e }, q, place: false, konst: None })
    }

    /// The message for a pointer into another memory than `to` points into.
    pub(super) fn mixed_spaces(&self, ex: &Ex, to: &Q) -> Option<Diagnostic> {
        let (T::Ptr(a) | T::Array(a, _), T::Ptr(b)) = (&ex.q.t, &to.t) else { return None };
        (!reaches(a.s, b.s)).then(|| wrong_space(a.s, b.s, ex.e.span))
    }

    fn mismatch(&self, ex: &Ex, to: &Q, span: Span) -> Box<Diagnostic> {
        let (from, want) = (self.show(&ex.q), self.show(to));
        let mut d = Diagnostic::error(span, format!("`{want}` is needed, but this is `{from}`"))
            .label(format!("of type `{from}`"));
        let pointee = match &ex.q.t {
            T::Ptr(p) => Some(p.clone()),
            T::Array(p, _) => Some(p.clone()),
            _ => None,
        };
        if let Some(d) = self.mixed_spaces(ex, to) {
            return Box::new(Diagnostic { span, ..d });
        }
        if let Some(d) = self.no_vector_cast(ex, to, span) {
            return d;
        }
        d = match (&ex.q.t, &to.t, pointee) {
            (_, T::Ptr(b), Some(a)) if a.c && !b.c && same_type(&a.t, &b.t) => {
                d.help("the pointee is `const`: it can be read, but not written")
            }
            (T::Ptr(a), T::Ptr(b), _) if matches!(a.t, T::Void) => d.help(format!(
                "C++ does not convert `void *` by itself: write `({} *)`",
                self.show(b)
            )),
            (_, T::Ptr(_), Some(_)) => {
                d.help("pointers to different types are not converted by themselves")
            }
            (_, b, Some(a)) if same_type(&a.t, b) => {
                d.help("this is an address: read an element with `[i]` or `*`")
            }
            (a, T::Ptr(b), _) if same_type(a, &b.t) => {
                d.help("a pointer is needed: `&` takes the address of a variable")
            }
            (_, T::Enum(_), _) => d.help("convert it with a cast if that is meant"),
            _ => d,
        };
        Box::new(d)
    }

    /// Address of `ex` for a reference of type `to`; values get a temporary if the reference is
    /// const.
    pub(super) fn bind_reference(&mut self, ex: Ex, to: &VarTy, span: Span) -> R<hir::Expr> {
        if ex.place && (ex.konst.is_none() || !to.q.c) {
            if let (T::Struct(a), T::Struct(b)) = (&ex.q.t, &to.q.t)
                && let Some(path) = self.base_path(*a, *b)
            {
                if ex.q.c && !to.q.c {
                    return fail(
                        span,
                        "a constant cannot be bound to a reference that may write it",
                    );
                }
                let part = self.walk(ex, &path, span)?;
                self.mark_memory(&part.e);
                let ty = part.e.ty.clone().ptr();
                return Ok(hir::Expr { kind: ExprKind::AddrOf(Box::new(part.e)), ty, span });
            }
            if same_type(&ex.q.t, &to.q.t) {
                if ex.q.c && !to.q.c {
                    return Err(Box::new(
                        Diagnostic::error(
                            span,
                            "a constant cannot be bound to a reference that may write it",
                        )
                        .help("declare the reference `const`"),
                    ));
                }
                self.mark_memory(&ex.e);
                return Ok(address(ex.e, span));
            }
        }
        if !to.q.c && !to.rvalue {
            let mut d = Diagnostic::error(
                span,
                format!("a reference to `{}` cannot be bound to this", self.show(&to.q)),
            )
            .label(if ex.place {
                format!("has the type `{}`", self.show(&ex.q))
            } else {
                "a value without a place of its own".into()
            });
            d = d
                .help("use a variable of the same type, or make the parameter a `const` reference");
            return Err(Box::new(d));
        }
        let value = self.convert(ex, &to.q, span)?;
        let ty = value.ty.clone();
        let id = self.temp("$tmp", ty.clone(), span);
        self.ctx.locals[id.0 as usize].needs_memory = true;
        let place = hir::Expr { kind: ExprKind::Local(id), ty: ty.clone(), span };
        let store = hir::Expr {
            kind: ExprKind::Assign(Box::new(place.clone()), Box::new(value)),
            ty: ty.clone(),
            span,
        };
        let addr = address(place, span);
        let ty = addr.ty.clone();
        Ok(hir::Expr { kind: ExprKind::Comma(Box::new(store), Box::new(addr)), ty, span })
    }

    /// Value of a constant integer expression with its type.
    pub(super) fn constant_integer(&mut self, e: &crate::ast::Expr, what: &str) -> R<(u64, T)> {
        let ex = self.expr(e).and_then(|x| self.load_value(x))?;
        if !ex.q.t.is_integral() {
            return fail(
                e.span,
                format!("{what} is an integer, but this is `{}`", self.show(&ex.q)),
            );
        }
        match self.fold_int(&ex.e) {
            Some(v) => Ok((v, ex.q.t)),
            None => Err(Box::new(
                Diagnostic::error(e.span, format!("{what} must be a constant"))
                    .label("known only at run time"),
            )),
        }
    }
}

/// Address of a place, `&*p` being `p`.
pub(super) fn address(e: hir::Expr, span: Span) -> hir::Expr {
    if let ExprKind::Deref(p) = e.kind {
        return *p;
    }
    let ty = e.ty.clone().ptr();
    hir::Expr { kind: ExprKind::AddrOf(Box::new(e)), ty, span }
}

/// Member `k` of a struct value; of a list of values, the value itself.
fn pick(e: hir::Expr, k: u32) -> ExprKind {
    if let ExprKind::Aggregate(list) = &e.kind {
        let pure = list.iter().all(|x| {
            matches!(x.kind, ExprKind::Builtin(..) | ExprKind::Int(_) | ExprKind::Float(_))
        });
        if let (true, Some(x)) = (pure, list.get(k as usize)) {
            return x.kind.clone();
        }
    }
    ExprKind::FieldOf(Box::new(e), k)
}

/// A pointer into memory `from` may become one into memory `to`: only our own headers do not care.
fn reaches(from: Space, to: Space) -> bool {
    from == to || to == Space::Generic
}

/// The same but for `const` in arrays' elements.
pub(super) fn same_type(a: &T, b: &T) -> bool {
    match (a, b) {
        (T::Array(x, n), T::Array(y, m)) => (n == m || m.is_none()) && same_type(&x.t, &y.t),
        (T::Int(IntKind::Long), T::Int(IntKind::Long)) => true,
        _ => a == b,
    }
}

/// A pointer into one memory where one into another is needed.
fn wrong_space(from: Space, to: Space, span: Span) -> Diagnostic {
    let (have, want) = (space_prefix(from).trim_end(), space_prefix(to).trim_end());
    let d = Diagnostic::error(
        span,
        format!("a pointer to `{have}` memory cannot become one to `{want}` memory"),
    )
    .label(format!("points to `{have}` memory"));
    match to {
        Space::Local => d.help(format!(
            "write `{have}` in the declaration of the pointer: without a word it points to private memory"
        )),
        _ => d.help(format!("declare the pointer with `{have}`, or copy the data to `{want}` memory")),
    }
}
