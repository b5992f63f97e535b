//! Conversions, written out.

use std::rc::Rc;

use crate::ast::IntKind;
use crate::diag::{Diagnostic, Severity};
use crate::hir::{self, CmpOp, ExprKind, Space, Storage, StructId};
use crate::sema::expr::fold;
use crate::sema::stmt;
use crate::sema::types::{QualType, Type, VarTy, int_shape, rank, space_prefix, to_unsigned};
use crate::sema::{Constant, Entity, Sema, SemaResult, This, TypedExpr, fail};
use crate::source::Span;

/// How well a pointer fits one to another type, which C converts with a warning.
const OTHER_POINTER: u32 = 6;

impl Sema<'_> {
    pub(in crate::sema) fn lit(&self, lit: Constant, q: &QualType, span: Span) -> hir::Expr {
        let kind = match lit {
            Constant::Int(v) => ExprKind::Int(v),
            Constant::Float(v) => ExprKind::Float(v),
        };
        hir::Expr { kind, ty: self.machine(&q.ty), span }
    }

    pub(in crate::sema) fn value(&self, kind: ExprKind, q: QualType, span: Span) -> TypedExpr {
        let ty = self.machine(&q.ty);
        TypedExpr { e: hir::Expr { kind, ty, span }, q, place: false, constant: None }
    }

    pub(in crate::sema) fn place(&self, kind: ExprKind, q: QualType, span: Span) -> TypedExpr {
        TypedExpr { place: true, ..self.value(kind, q, span) }
    }

    /// Reads a place; arrays become pointers to their first element; constants their value.
    pub(in crate::sema) fn load_value(&mut self, ex: TypedExpr) -> SemaResult<TypedExpr> {
        if let Some(k) = ex.constant {
            let span = ex.e.span;
            let q = ex.q.plain();
            return Ok(TypedExpr { e: self.lit(k, &q, span), q, place: false, constant: None });
        }
        if let Type::Array(elem, _) = &ex.q.ty {
            let elem = elem.clone();
            let span = ex.e.span;
            if !ex.place {
                return fail(span, "an array value has no address: store it in a variable first");
            }
            self.mark_memory(&ex.e);
            let q = Type::Ptr(elem).q();
            return Ok(self.value(ExprKind::AddrOf(Box::new(ex.e)), q, span));
        }
        if !ex.place {
            return Ok(ex);
        }
        let span = ex.e.span;
        if let Type::Struct(id) = ex.q.ty {
            self.complete(id, span)?;
        }
        if ex.q.is_volatile {
            self.module.volatile.insert(span);
        }
        let q = ex.q.plain();
        Ok(self.value(ExprKind::Load(Box::new(ex.e)), q, span))
    }

    /// The place must be in memory: its address is needed.
    pub(in crate::sema) fn mark_memory(&mut self, e: &hir::Expr) {
        if let Some(id) = stmt::local_root(e)
            && let Some(l) = self.ctx.locals.get_mut(id.0 as usize)
            && l.storage == Storage::Auto
        {
            l.needs_memory = true;
        }
    }

    /// Evaluated for its effect.
    pub(in crate::sema) fn discard(&mut self, ex: TypedExpr) -> hir::Expr {
        if !ex.place {
            return ex.e;
        }
        // Naming a place reads nothing; what remains are the effects on the way to it.
        let (ty, span) = (ex.e.ty.clone(), ex.e.span);
        if ex.q.ty.is_scalar() && ex.constant.is_none() && !matches!(ex.e.kind, ExprKind::Deref(_))
        {
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

    pub(in crate::sema) fn cast(&self, e: hir::Expr, t: &Type) -> hir::Expr {
        let ty = self.machine(t);
        if e.ty == ty {
            return e;
        }
        let span = e.span;
        // Literals are converted at once, so that they stay literals.
        match (&e.kind, &e.ty) {
            (ExprKind::Int(v), from) if ty.is_integer() && from.is_integer() => {
                let v = if ty == hir::Ty::Bool { u64::from(*v != 0) } else { fold::wrap(*v, &ty) };
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
                let x = fold::round_to(x, &ty);
                return hir::Expr { kind: ExprKind::Float(x), ty, span };
            }
            (ExprKind::Float(x), _) if ty.is_float() => {
                return hir::Expr { kind: ExprKind::Float(fold::round_to(*x, &ty)), ty, span };
            }
            _ => {}
        }
        hir::Expr { kind: ExprKind::Cast(Box::new(e)), ty, span }
    }

    /// Condition.
    pub(in crate::sema) fn truth(&mut self, ex: TypedExpr) -> SemaResult<hir::Expr> {
        let span = ex.e.span;
        if let Type::Struct(id) = ex.q.ty
            && let Some(v) = self.user_conversion(&ex, id, &Type::Bool, span)?
        {
            return self.truth(v);
        }
        let v = self.load_value(ex)?;
        if v.q.ty == Type::Bool {
            return Ok(v.e);
        }
        if matches!(v.q.ty, Type::Enum(e) if self.enums[e as usize].scoped) || !v.q.ty.is_scalar() {
            return fail(
                span,
                format!("a value of type `{}` cannot be a condition", self.show(&v.q)),
            );
        }
        let null = v.q.ty.null();
        let zero = if v.q.ty.is_float() { ExprKind::Float(0.0) } else { ExprKind::Int(null) };
        if let ExprKind::Int(n) = v.e.kind {
            return Ok(hir::Expr {
                kind: ExprKind::Int(u64::from(n != null)),
                ty: hir::Ty::Bool,
                span,
            });
        }
        let zero = hir::Expr { kind: zero, ty: v.e.ty.clone(), span };
        let kind = ExprKind::Cmp(CmpOp::Ne, Box::new(v.e), Box::new(zero));
        Ok(hir::Expr { kind, ty: hir::Ty::Bool, span })
    }

    /// Type after integer promotion.
    pub(in crate::sema) fn promoted(&self, t: &Type) -> Type {
        match t {
            Type::Bool => Type::INT,
            Type::Int(k) if rank(*k) < 3 => Type::INT,
            Type::Enum(e) => self.promoted(&Type::Int(self.enums[*e as usize].base)),
            other => other.clone(),
        }
    }

    /// Common type of two arithmetic operands.
    pub(in crate::sema) fn common(&self, a: &Type, b: &Type) -> Type {
        for f in [Type::F64, Type::F32] {
            if *a == f || *b == f {
                return f;
            }
        }
        if *a == Type::F16 || *b == Type::F16 {
            return Type::F16;
        }
        let (Type::Int(x), Type::Int(y)) = (self.promoted(a), self.promoted(b)) else {
            return Type::INT;
        };
        if x == y {
            return Type::Int(x);
        }
        let ((bx, sx), (by, sy)) = (int_shape(x), int_shape(y));
        if sx == sy {
            return Type::Int(if rank(x) >= rank(y) { x } else { y });
        }
        let (u, bu, s, bs) = if sx { (y, by, x, bx) } else { (x, bx, y, by) };
        if rank(u) >= rank(s) {
            Type::Int(u)
        } else if bs > bu {
            Type::Int(s)
        } else {
            Type::Int(to_unsigned(s))
        }
    }

    pub(in crate::sema) fn null_literal(&self, ex: &TypedExpr) -> bool {
        matches!(ex.q.ty, Type::Nullptr)
            || (matches!(ex.e.kind, ExprKind::Int(0))
                && matches!(ex.q.ty, Type::Int(_))
                && !ex.place)
    }

    /// `derived` is or inherits from `base`: the way there.
    pub(in crate::sema) fn base_path(&self, derived: StructId, base: StructId) -> Option<Vec<u32>> {
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
    pub(in crate::sema) fn fit(&mut self, ex: &TypedExpr, to: &VarTy) -> Option<u32> {
        if to.by_ref {
            // Moving is copying here: what has a place fits `&&` only if nothing else is there.
            let added = if to.rvalue { 5 } else { u32::from(to.q.is_const && !ex.q.is_const) };
            let allowed = ex.place && (to.q.is_const || !ex.q.is_const);
            if let (true, Type::Struct(a), Type::Struct(b)) = (allowed, &ex.q.ty, &to.q.ty) {
                return self.base_path(*a, *b).map(|p| if p.is_empty() { added } else { 3 });
            }
            if allowed && same_type(&ex.q.ty, &to.q.ty) {
                return Some(added);
            }
            if !to.q.is_const && !to.rvalue {
                return None;
            }
        }
        self.fit_value(ex, &to.q)
    }

    fn fit_value(&mut self, ex: &TypedExpr, to: &QualType) -> Option<u32> {
        let from = match &ex.q.ty {
            Type::Array(e, _) if ex.place => Type::Ptr(e.clone()),
            t => t.clone(),
        };
        if from == to.ty {
            return Some(0);
        }
        match (&from, &to.ty) {
            (Type::Enum(e), _) if self.enums[*e as usize].scoped => None,
            (_, Type::Enum(_)) => None,
            (a, Type::Bool) if a.is_scalar() => Some(3),
            // In CUDA's headers a class with constructors.
            (_, Type::F16) if from.is_arithmetic() => Some(4),
            (a, b) if a.is_arithmetic() && b.is_arithmetic() => {
                let promotion = (self.promoted(a) == *b && a.is_integral())
                    || matches!((a, b), (Type::F32, Type::F64) | (Type::F16, Type::F32));
                Some(if promotion { 2 } else { 3 })
            }
            (_, Type::Ptr(_)) if self.null_literal(ex) => Some(3),
            (_, to) if to.is_code() && self.null_literal(ex) => Some(3),
            // A member of a class is one of what is derived from it; the first base lies in front.
            (Type::Member(a), Type::Member(b)) if a.1 == b.1 => {
                let path = self.base_path(b.0, a.0)?;
                path.iter().all(|k| *k == 0).then_some(3)
            }
            (from, to) if from.is_code() || to.is_code() && !matches!(from, Type::Struct(_)) => {
                None
            }
            (a, Type::Struct(_)) if self.widens(a, &to.ty) => Some(4),
            (Type::Ptr(a), Type::Ptr(b)) => self.fit_pointer(a, b),
            (Type::Struct(a), Type::Struct(b)) if self.base_path(*a, *b).is_some() => Some(3),
            (Type::Struct(a), t) => {
                let (a, t) = (*a, t.clone());
                if let Some(f) = self.conversion_function(a, &t) {
                    let result = self.funcs[f].sig.as_ref().and_then(|s| s.ret.as_ref());
                    return Some(if result.is_some_and(|r| r.q.ty == t) { 4 } else { 5 });
                }
                if let Type::Func(f) = &t {
                    return self.lambda_address(a, Some(f), ex.e.span).ok()?.map(|_| 4);
                }
                match t {
                    Type::Struct(b) => self.fit_constructor(ex, b),
                    _ => None,
                }
            }
            (_, Type::Struct(b)) => self.fit_constructor(ex, *b),
            _ => None,
        }
    }

    fn fit_constructor(&mut self, ex: &TypedExpr, to: StructId) -> Option<u32> {
        self.complete(to, ex.e.span).ok()?;
        for c in self.structs[to.0 as usize].ctors.clone() {
            let ast = self.funcs[c].ast.clone();
            let required = ast.params.iter().filter(|p| p.default.is_none()).count();
            if required > 1 || ast.params.is_empty() {
                continue;
            }
            let types = [Some((ex.q.clone(), ex.place))];
            let sig = match self.funcs[c].sig.clone() {
                Some(sig) => Some(sig),
                None => self.deduced_signature(c, &[], &types, ex.e.span).map(|(_, sig)| sig),
            };
            if let Some(sig) = sig {
                let p = sig.params[0].clone();
                if let Type::Struct(given) = p.q.ty {
                    if given != to && ex.q.ty == p.q.ty {
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

    fn fit_pointer(&self, a: &QualType, b: &QualType) -> Option<u32> {
        if !reaches(a.space, b.space) {
            return None;
        }
        if a.is_const && !b.is_const {
            // C warns of it, C++ forbids it.
            return (self.is_c() && a.space != Space::Constant).then_some(OTHER_POINTER);
        }
        if same_type(&a.ty, &b.ty) {
            return Some(if a.is_const == b.is_const { 0 } else { 1 });
        }
        match (&a.ty, &b.ty) {
            (_, Type::Void) => Some(3),
            (Type::Void, _) if self.is_c() => Some(3),
            (Type::Struct(x), Type::Struct(y)) if self.base_path(*x, *y).is_some() => Some(3),
            // `float **` to `const float *const *`
            (Type::Ptr(x), Type::Ptr(y))
                if b.is_const && same_type(&x.ty, &y.ty) && (y.is_const || !x.is_const) =>
            {
                Some(1)
            }
            (Type::Ptr(x), Type::Ptr(y)) if x.space != y.space => None,
            (Type::Void, _) => None,
            _ if self.is_c() => Some(OTHER_POINTER),
            _ => None,
        }
    }

    /// `operator T` of a class that gives `to`.
    fn conversion_function(&mut self, id: StructId, to: &Type) -> Option<usize> {
        let scope = self.structs[id.0 as usize].scope;
        let Some(Entity::Funcs(list)) = self.lookup_in(scope, "operator T") else { return None };
        let mut second = None;
        for &f in list.iter() {
            if let Some(r) = self.funcs[f].sig.as_ref().and_then(|s| s.ret.clone()) {
                if r.q.ty == *to {
                    return Some(f);
                }
                // A half is a class in CUDA's headers: that would be two conversions by a user.
                if r.q.ty.is_arithmetic() && to.is_arithmetic() && *to != Type::F16 {
                    second = Some(f);
                }
            }
        }
        second
    }

    fn user_conversion(
        &mut self,
        ex: &TypedExpr,
        id: StructId,
        to: &Type,
        span: Span,
    ) -> SemaResult<Option<TypedExpr>> {
        match self.conversion_function(id, to) {
            Some(f) => Ok(Some(self.call_member(f, Vec::new(), ex.clone(), Vec::new(), span)?)),
            None => Ok(None),
        }
    }

    /// Implicit conversion of `ex` to a value of type `to`.
    pub(in crate::sema) fn convert(
        &mut self,
        ex: TypedExpr,
        to: &QualType,
        span: Span,
    ) -> SemaResult<hir::Expr> {
        let Some(rank) = self.fit_value(&ex, to) else { return Err(self.mismatch(&ex, to, span)) };
        if rank == OTHER_POINTER {
            let mut d = *self.mismatch(&ex, to, span);
            d.severity = Severity::Warning;
            self.report(d);
        }
        self.convert_unchecked(ex, to, span)
    }

    fn convert_unchecked(
        &mut self,
        ex: TypedExpr,
        to: &QualType,
        span: Span,
    ) -> SemaResult<hir::Expr> {
        match (&ex.q.ty, &to.ty) {
            (Type::Struct(a), Type::Struct(b)) if a == b => {
                let id = *a;
                if ex.place && self.copies(id) {
                    return self.construct(id, vec![ex], span);
                }
                if ex.place && self.is_destroyed(&ex.q.ty) {
                    return Err(self.no_copy(id, span));
                }
                Ok(self.load_value(ex)?.e)
            }
            (Type::Struct(a), Type::Struct(b)) => {
                let (a, b) = (*a, *b);
                match self.base_path(a, b) {
                    Some(path) => {
                        let constructing = matches!(self.ctx.this, This::Object(..));
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
                    None => match self.user_conversion(&ex, a, &to.ty.clone(), span)? {
                        Some(v) => Ok(self.load_value(v)?.e),
                        None => self.construct(b, vec![ex], span),
                    },
                }
            }
            (Type::Struct(a), t) => {
                let (a, t) = (*a, t.clone());
                if let Type::Func(f) = &t
                    && let Some(address) = self.lambda_address(a, Some(f), span)?
                {
                    return Ok(address.e);
                }
                match self.user_conversion(&ex, a, &t, span)? {
                    Some(v) => self.convert(v, to, span),
                    None => Err(self.mismatch(&ex, to, span)),
                }
            }
            (_, Type::Struct(_)) if self.vector_of(&to.ty).is_some() => {
                self.splat(ex, &to.ty, span)
            }
            (_, Type::Struct(b)) => {
                let b = *b;
                self.construct(b, vec![ex], span)
            }
            (_, Type::Bool) => self.truth(ex),
            (_, t) if t.is_code() && self.null_literal(&ex) => {
                Ok(self.lit(Constant::Int(t.null()), to, span))
            }
            (Type::Ptr(a), Type::Ptr(b)) if different_classes(&a.ty, &b.ty) => {
                let v = self.load_value(ex)?;
                let (Type::Ptr(a), Type::Ptr(b)) = (&v.q.ty, &to.ty) else { return Ok(v.e) };
                let (Type::Struct(x), Type::Struct(y)) = (&a.ty, &b.ty) else { return Ok(v.e) };
                let path = self.base_path(*x, *y).unwrap_or_default();
                let object = (**a).clone();
                let place = self.place(ExprKind::Deref(Box::new(v.e)), object, span);
                let part = self.walk(place, &path, span)?;
                Ok(self.value(ExprKind::AddrOf(Box::new(part.e)), to.plain(), span).e)
            }
            _ => {
                let v = self.load_value(ex)?;
                Ok(self.cast(v.e, &to.ty))
            }
        }
    }

    /// Follows member numbers from an object.
    pub(in crate::sema) fn walk(
        &mut self,
        ex: TypedExpr,
        path: &[u32],
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let mut ex = ex;
        for &k in path {
            let Type::Struct(id) = ex.q.ty else { return fail(span, "not a class") };
            let field = self.structs[id.0 as usize].fields[k as usize].clone();
            let ty = self.var_machine(&field.ty);
            let place = ex.place;
            if !place {
                self.check_temporary(&ex.q.ty, span)?;
            }
            let c = (ex.q.is_const && !field.ty.by_ref) || field.ty.q.is_const;
            let kind = match place {
                true => ExprKind::Field(Box::new(ex.e), k),
                // It holds less than the value it got.
                false if field.bits.is_some() => ExprKind::FieldOf(Box::new(ex.e), k),
                false => pick(ex.e, k),
            };
            let e = hir::Expr { kind, ty, span };
            let q = QualType { is_const: c, ..field.ty.q.clone() };
            let q = if ex.q.space == Space::Generic { q } else { q.within(ex.q.space) };
            let q = match q.ty.clone() {
                Type::Array(elem, n) if c => QualType {
                    ty: Type::Array(Rc::new(QualType { is_const: true, ..(*elem).clone() }), n),
                    is_const: c,
                    is_volatile: q.is_volatile,
                    space: q.space,
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
                TypedExpr { e, q, place, constant: None }
            };
        }
        Ok(ex)
    }

    /// `(T)x`, `static_cast<T>(x)`: also what is not converted by itself.
    pub(in crate::sema) fn convert_explicit(
        &mut self,
        ex: TypedExpr,
        to: &QualType,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let q = to.plain();
        // A half's constructor takes a float.
        let to = match (&ex.q.ty, &to.ty) {
            (Type::Struct(_), Type::F16) => &Type::F32.q(),
            _ => to,
        };
        if self.fit_value(&ex, to).is_some() {
            let e = self.convert_unchecked(ex, to, span)?;
            let e = if to.ty == q.ty { e } else { self.cast(e, &q.ty) };
            return Ok(TypedExpr { e: hir::Expr { span, ..e }, q, place: false, constant: None });
        }
        let v = self.load_value(ex)?;
        let from = v.q.ty.clone();
        let fine = match (&from, &to.ty) {
            (_, Type::Void) => {
                return Ok(self.value(ExprKind::Cast(Box::new(v.e)), Type::Void.q(), span));
            }
            (a, b) if a.is_arithmetic() && b.is_arithmetic() => true,
            (Type::Ptr(a), Type::Ptr(b)) if !reaches(a.space, b.space) => {
                return Err(self.mismatch(&v, to, span));
            }
            (a, b) if a.is_pointer() && b.is_pointer() => true,
            (a, Type::Int(k)) if a.is_pointer() && int_shape(*k).0 == 64 => true,
            (a, Type::Ptr(_)) if a.is_integral() => {
                let wide = Type::ULONG.q();
                let e = self.cast(v.e, &wide.ty);
                let e = self.cast(e, &to.ty);
                return Ok(TypedExpr {
                    e: hir::Expr { span, ..e },
                    q,
                    place: false,
                    constant: None,
                });
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
        let e = self.cast(v.e, &to.ty);
        Ok(TypedExpr { e: hir::Expr { span, ..e }, q, place: false, constant: None })
    }

    /// The message for a pointer into another memory than `to` points into.
    pub(in crate::sema) fn mixed_spaces(
        &self,
        ex: &TypedExpr,
        to: &QualType,
    ) -> Option<Diagnostic> {
        let (Type::Ptr(a) | Type::Array(a, _), Type::Ptr(b)) = (&ex.q.ty, &to.ty) else {
            return None;
        };
        (!reaches(a.space, b.space)).then(|| wrong_space(a.space, b.space, ex.e.span))
    }

    fn mismatch(&self, ex: &TypedExpr, to: &QualType, span: Span) -> Box<Diagnostic> {
        let (from, want) = (self.show(&ex.q), self.show(to));
        let mut d = Diagnostic::error(span, format!("`{want}` is needed, but this is `{from}`"))
            .label(format!("of type `{from}`"));
        let pointee = match &ex.q.ty {
            Type::Ptr(p) => Some(p.clone()),
            Type::Array(p, _) => Some(p.clone()),
            _ => None,
        };
        if let Some(d) = self.mixed_spaces(ex, to) {
            return Box::new(Diagnostic { span, ..d });
        }
        if let Some(d) = self.no_vector_cast(ex, to, span) {
            return d;
        }
        d = match (&ex.q.ty, &to.ty, pointee) {
            (_, Type::Ptr(b), Some(a)) if a.is_const && !b.is_const && same_type(&a.ty, &b.ty) => {
                d.help("the pointee is `const`: it can be read, but not written")
            }
            (Type::Ptr(a), Type::Ptr(b), _) if matches!(a.ty, Type::Void) => d.help(format!(
                "C++ does not convert `void *` by itself: write `({} *)`",
                self.show(b)
            )),
            (_, Type::Ptr(_), Some(_)) => {
                d.help("pointers to different types are not converted by themselves")
            }
            (_, b, Some(a)) if same_type(&a.ty, b) => {
                d.help("this is an address: read an element with `[i]` or `*`")
            }
            (a, Type::Ptr(b), _) if same_type(a, &b.ty) => {
                d.help("a pointer is needed: `&` takes the address of a variable")
            }
            (_, Type::Enum(_), _) => d.help("convert it with a cast if that is meant"),
            _ => d,
        };
        Box::new(d)
    }

    /// Address of `ex` for a reference of type `to`; values get a temporary if the reference is
    /// const.
    pub(in crate::sema) fn bind_reference(
        &mut self,
        ex: TypedExpr,
        to: &VarTy,
        span: Span,
    ) -> SemaResult<hir::Expr> {
        let ex = if to.q.is_const { ex } else { self.chosen_place(ex) };
        let bits = self.bit_field(&ex.e).is_some();
        if ex.place && !bits && (ex.constant.is_none() || !to.q.is_const) {
            if let (Type::Struct(a), Type::Struct(b)) = (&ex.q.ty, &to.q.ty)
                && let Some(path) = self.base_path(*a, *b)
            {
                if ex.q.is_const && !to.q.is_const {
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
            if same_type(&ex.q.ty, &to.q.ty) {
                if ex.q.is_const && !to.q.is_const {
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
        if !to.q.is_const && !to.rvalue {
            let mut d = Diagnostic::error(
                span,
                format!("a reference to `{}` cannot be bound to this", self.show(&to.q)),
            )
            .label(if bits {
                "a bit-field has no address".into()
            } else if ex.place {
                format!("has the type `{}`", self.show(&ex.q))
            } else {
                "a value without a place of its own".into()
            });
            d = d
                .help("use a variable of the same type, or make the parameter a `const` reference");
            return Err(Box::new(d));
        }
        self.check_temporary(&to.q.ty, span)?;
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
    pub(in crate::sema) fn constant_integer(
        &mut self,
        e: &crate::ast::Expr,
        what: &str,
    ) -> SemaResult<(u64, Type)> {
        let ex = self.expr(e).and_then(|x| self.load_value(x))?;
        if !ex.q.ty.is_integral() {
            return fail(
                e.span,
                format!("{what} is an integer, but this is `{}`", self.show(&ex.q)),
            );
        }
        match self.fold_int(&ex.e) {
            Some(v) => Ok((v, ex.q.ty)),
            None => Err(Box::new(
                Diagnostic::error(e.span, format!("{what} must be a constant"))
                    .label("known only at run time"),
            )),
        }
    }
}

/// Address of a place, `&*p` being `p`.
pub(in crate::sema) fn address(e: hir::Expr, span: Span) -> hir::Expr {
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

fn different_classes(a: &Type, b: &Type) -> bool {
    matches!((a, b), (Type::Struct(x), Type::Struct(y)) if x != y)
}

/// The same but for `const` in arrays' elements.
pub(in crate::sema) fn same_type(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Array(x, n), Type::Array(y, m)) => {
            (n == m || m.is_none()) && same_type(&x.ty, &y.ty)
        }
        (Type::Int(IntKind::Long), Type::Int(IntKind::Long)) => true,
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
            "write `{have}` in the declaration of the pointer: without a word it points to \
             private memory"
        )),
        _ => d.help(format!(
            "declare the pointer with `{have}`, or copy the data to `{want}` memory"
        )),
    }
}
