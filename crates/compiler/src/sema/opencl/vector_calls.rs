//! Functions of OpenCL C that work component by component: mathematics, integers, relations,
//! geometry, conversions.
//!
//! The tables of [`crate::builtins`] say for each function which types it takes and what it does to
//! one component; functions of more than one operation stand in `headers/opencl.h`. Of scalar
//! arguments of several types a call takes the better overload, if there is one, as clang does;
//! scalars beside a vector are widened.

use crate::ast::IntKind;
use crate::builtins::{
    OPENCL_ELEMENTS, OPENCL_LENGTHS, OpenClRule, Operation, Over, Signature, Slot,
};
use crate::diag::{Diagnostic, Severity};
use crate::hir::{self, BinOp, Builtin, CmpOp, ExprKind, Math1, Round};
use crate::sema::expr::call::Arg;
use crate::sema::opencl::vectors::{element_name, element_type, signed_like};
use crate::sema::types::{QualType, Type, int_shape, unsigned_like};
use crate::sema::{Entity, Sema, SemaResult, TypedExpr, fail};
use crate::source::Span;

impl Sema<'_> {
    // ---- component by component

    /// A function with a signature.
    pub(in crate::sema) fn each(
        &mut self,
        name: &str,
        signature: Signature,
        operation: Operation,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        self.count(name, &args, signature.params.len(), span)?;
        let mut values = Vec::with_capacity(args.len());
        for a in args {
            values.push(self.load_value(a)?);
        }
        let main: Vec<&TypedExpr> = (signature.params.iter().zip(&values))
            .filter(|(slot, _)| matches!(slot, Slot::Any(_)))
            .map(|(_, ex)| ex)
            .collect();
        let over = signature.over().unwrap_or(Over::Numbers);
        let (elem, n) = self.common_type(name, over, &main, span)?;
        let mut pre = Vec::new();
        let mut columns: Vec<Vec<TypedExpr>> = Vec::with_capacity(values.len());
        for (slot, v) in signature.params.iter().zip(values) {
            columns.push(match *slot {
                Slot::Is(plain) => self.column(v, &Type::of(plain), n, &mut pre)?,
                Slot::To(plain) => self.pointers(name, v, &Type::of(plain), n, &mut pre)?,
                Slot::ToAny => self.pointers(name, v, &elem, n, &mut pre)?,
                Slot::Any(_) | Slot::Unsigned | Slot::Truth => {
                    self.column(v, &elem, n, &mut pre)?
                }
            });
        }
        // The type of a component of the result, and that in which it is computed.
        let (kind, computed) = match signature.result {
            Slot::Is(plain) | Slot::To(plain) => (Type::of(plain), Type::of(plain)),
            Slot::Unsigned => (unsigned_like(&elem), elem.clone()),
            Slot::Truth if n == 1 => (Type::INT, Type::Bool),
            Slot::Truth => (signed_like(self, &elem), Type::Bool),
            Slot::Any(_) | Slot::ToAny => (elem.clone(), elem.clone()),
        };
        let mut out = Vec::with_capacity(n as usize);
        for k in 0..n as usize {
            let mut parts: Vec<TypedExpr> = columns.iter().map(|c| c[k].clone()).collect();
            if let (Operation::Device(Builtin::Math2(_)), Some(y)) = (operation, parts.get_mut(1)) {
                // `pown` has an integer for its second argument.
                *y = self.scalar_ex(self.cast(y.e.clone(), &elem), &elem);
            }
            let e = self.operate(operation, parts, &computed, span)?;
            out.push(match signature.result {
                Slot::Truth if n > 1 => self.mask(e, &kind, span),
                _ => self.cast(e, &kind),
            });
        }
        let value = self.vector_value(&kind, out, span)?;
        Ok(self.after(pre, value))
    }

    /// Type of one component and their number, from the arguments that decide on it.
    fn common_type(
        &mut self,
        name: &str,
        over: Over,
        main: &[&TypedExpr],
        span: Span,
    ) -> SemaResult<(Type, u64)> {
        let scalar =
            |ex: &TypedExpr| if ex.q.ty == Type::Bool { Type::INT } else { ex.q.ty.clone() };
        for ex in main {
            if !ex.q.ty.is_arithmetic() && self.vector_of(&ex.q.ty).is_none() {
                let shown = self.show(&ex.q);
                return fail(ex.e.span, format!("`{name}` needs a number, this is `{shown}`"));
            }
        }
        let vectors: Vec<(&TypedExpr, Type, u64)> = main
            .iter()
            .filter_map(|ex| self.vector_of(&ex.q.ty).map(|(t, n)| (*ex, t, n)))
            .collect();
        let (elem, n) = match vectors.first() {
            Some((first, elem, n)) => {
                if let Some((other, ..)) = vectors.iter().find(|v| v.0.q.ty != first.q.ty) {
                    let (a, b) = (self.show(&first.q.plain()), self.show(&other.q.plain()));
                    let text = format!("`{name}` takes vectors of one type, not `{a}` and `{b}`");
                    return fail(span, text);
                }
                (elem.clone(), *n)
            }
            None => {
                let first = main.first().map_or(Type::INT, |ex| scalar(ex));
                let scalars: Vec<Type> = main.iter().map(|ex| scalar(ex)).collect();
                let other =
                    (main.iter()).find(|ex| element_name(&scalar(ex)) != element_name(&first));
                if let (Some(_), Some(best)) = (other, best_overload(over, &scalars)) {
                    return Ok((best, 1));
                }
                if let Some(other) = other {
                    let (a, b) = (self.show(&first.q()), self.show(&scalar(other).q()));
                    let text = format!(
                        "the call of `{name}` is ambiguous: its arguments are `{a}` and `{b}`"
                    );
                    let d =
                        Diagnostic::error(span, text).label("no overload takes these types").help(
                            "convert one of them, so that both have the same type: a suffix, as in \
                             `2.0f` or `0u`, or a cast",
                        );
                    return Err(Box::new(d));
                }
                (first, 1)
            }
        };
        if over == Over::Floats && !elem.is_float() {
            let d = Diagnostic::error(
                span,
                format!(
                    "the call of `{name}` is ambiguous: it works on `float` and `double`, this is \
                     an integer"
                ),
            )
            .help("convert it: `(float)(...)`, or write `2.0f` for `2`");
            return Err(Box::new(d));
        }
        let words = over == Over::Words;
        if words && !matches!(elem, Type::Int(IntKind::Int | IntKind::UInt)) && elem.is_integral() {
            // A narrow integer becomes an `int`.
            let all = vec![elem.clone(); main.len()];
            if let (1, Some(best)) = (n, best_overload(over, &all)) {
                return Ok((best, 1));
            }
            let shown = self.show(&elem.clone().q());
            let text = format!("`{name}` works on `int` and `uint`, this is `{shown}`");
            let d = Diagnostic::error(span, text).help("convert the arguments: `(int)...`");
            // Compilers for devices with a `size_t` of 32 bits take it as it stands.
            let Type::Int(kind) = elem else { return Err(Box::new(d)) };
            if n > 1 {
                return Err(Box::new(d));
            }
            self.report(Diagnostic { severity: Severity::Warning, ..d });
            return Ok((if int_shape(kind).1 { Type::INT } else { Type::UINT }, 1));
        }
        if (over == Over::Integers || words) && !elem.is_integral() {
            let shown = self.show(&elem.q());
            let d =
                Diagnostic::error(span, format!("`{name}` works on integers, this is `{shown}`"));
            return Err(Box::new(match name {
                "abs" => d.help("the function for floating-point numbers is `fabs`"),
                _ => d,
            }));
        }
        Ok((elem, n))
    }

    /// An argument as `n` components of type `elem`.
    fn column(
        &mut self,
        v: TypedExpr,
        elem: &Type,
        n: u64,
        pre: &mut Vec<hir::Expr>,
    ) -> SemaResult<Vec<TypedExpr>> {
        let span = v.e.span;
        match self.vector_of(&v.q.ty) {
            Some((t, m)) if m == n => {
                let (_, list) = self.components(v, false, pre)?;
                if t != *elem {
                    let want = self.show(&elem.clone().q());
                    return fail(span, format!("this argument needs `{want}` components"));
                }
                Ok(list.into_iter().map(|e| self.scalar_ex(e, elem)).collect())
            }
            Some(_) => fail(span, format!("this argument needs {n} components")),
            None => {
                let e = self.convert(v, &elem.clone().q(), span)?;
                let e = if n > 1 { self.reusable(e, pre) } else { e };
                Ok(vec![self.scalar_ex(e, elem); n as usize])
            }
        }
    }

    /// Addresses of the components of what an argument points to.
    fn pointers(
        &mut self,
        name: &str,
        v: TypedExpr,
        elem: &Type,
        n: u64,
        pre: &mut Vec<hir::Expr>,
    ) -> SemaResult<Vec<TypedExpr>> {
        let span = v.e.span;
        let want = self.vector_named(elem, n, span)?;
        let fits = v.q.ty.pointee().is_some_and(|to| to.ty == want && !to.is_const);
        if !fits {
            let (want, have) = (self.show(&want.q()), self.show(&v.q));
            return fail(
                span,
                format!("`{name}` stores a second result through a `{want} *`, this is `{have}`"),
            );
        }
        let q = elem.clone().ptr().q();
        let ty = self.machine(&q.ty);
        if n == 1 {
            return Ok(vec![TypedExpr { e: v.e, q, place: false, constant: None }]);
        }
        let whole = self.machine(&want);
        let pointer = self.reusable(v.e, pre);
        let part = |me: &Self, k: u64| {
            let deref = ExprKind::Deref(Box::new(pointer.clone()));
            let place = hir::Expr { kind: deref, ty: whole.clone(), span };
            let field = ExprKind::Field(Box::new(place), k as u32);
            let place = hir::Expr { kind: field, ty: me.machine(elem), span };
            let e = hir::Expr { kind: ExprKind::AddrOf(Box::new(place)), ty: ty.clone(), span };
            TypedExpr { e, q: q.clone(), place: false, constant: None }
        };
        Ok((0..n).map(|k| part(self, k)).collect())
    }

    /// Calls `__cl_name` of our header.
    pub(in crate::sema) fn own_call(
        &mut self,
        name: &str,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let name = format!("__cl_{name}");
        let Some(Entity::Funcs(list)) = self.scopes[0].names.get(name.as_str()).cloned() else {
            return fail(span, format!("`{name}` is not declared"));
        };
        let args = args.into_iter().map(Arg::TypedExpr).collect();
        let value = self.call_set(&list, Vec::new(), None, args, span, &name)?;
        if matches!(value.q.ty, Type::Void) { Ok(value) } else { self.load_value(value) }
    }

    // ---- geometry

    /// Components of vectors of floating-point numbers of one type, which can be used again.
    fn float_vectors(
        &mut self,
        name: &str,
        args: Vec<TypedExpr>,
        want: usize,
        pre: &mut Vec<hir::Expr>,
        span: Span,
    ) -> SemaResult<(Type, Vec<Vec<hir::Expr>>)> {
        self.count(name, &args, want, span)?;
        let mut values = Vec::new();
        for a in args {
            values.push(self.load_value(a)?);
        }
        let main: Vec<&TypedExpr> = values.iter().collect();
        let (elem, n) = self.common_type(name, Over::Floats, &main, span)?;
        if n > 4 {
            return fail(span, format!("`{name}` takes at most four components"));
        }
        let mut columns = Vec::new();
        for v in values {
            let column = self.column(v, &elem, n, pre)?;
            columns.push(column.into_iter().map(|p| self.reusable(p.e, pre)).collect());
        }
        Ok((elem, columns))
    }

    fn sum_of_products(&self, x: &[hir::Expr], y: &[hir::Expr], span: Span) -> hir::Expr {
        let both = |op, a: hir::Expr, b: hir::Expr| hir::Expr {
            ty: a.ty.clone(),
            kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
            span,
        };
        let mut products = x.iter().zip(y).map(|(a, b)| both(BinOp::Mul, a.clone(), b.clone()));
        let first = products.next();
        let zero = || hir::Expr { kind: ExprKind::Float(0.0), ty: hir::Ty::F32, span };
        let first = first.unwrap_or_else(zero);
        products.fold(first, |sum, p| both(BinOp::Add, sum, p))
    }

    pub(in crate::sema) fn dot(
        &mut self,
        name: &str,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let mut pre = Vec::new();
        let (elem, v) = self.float_vectors(name, args, 2, &mut pre, span)?;
        let sum = self.sum_of_products(&v[0], &v[1], span);
        let value = self.scalar_ex(sum, &elem);
        Ok(self.after(pre, value))
    }

    pub(in crate::sema) fn cross(
        &mut self,
        name: &str,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let mut pre = Vec::new();
        let (elem, v) = self.float_vectors(name, args, 2, &mut pre, span)?;
        let (a, b) = (&v[0], &v[1]);
        if a.len() < 3 {
            return fail(span, "`cross` takes vectors of three or four components");
        }
        let both = |op, a: hir::Expr, b: hir::Expr| hir::Expr {
            ty: a.ty.clone(),
            kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
            span,
        };
        let turn = |i: usize, k: usize| {
            let left = both(BinOp::Mul, a[i].clone(), b[k].clone());
            let right = both(BinOp::Mul, a[k].clone(), b[i].clone());
            both(BinOp::Sub, left, right)
        };
        let mut out = vec![turn(1, 2), turn(2, 0), turn(0, 1)];
        if a.len() == 4 {
            out.push(hir::Expr { kind: ExprKind::Float(0.0), ty: a[0].ty.clone(), span });
        }
        let value = self.vector_value(&elem, out, span)?;
        Ok(self.after(pre, value))
    }

    pub(in crate::sema) fn geometry(
        &mut self,
        what: OpenClRule,
        name: &str,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let mut pre = Vec::new();
        let want = if what == OpenClRule::Distance { 2 } else { 1 };
        let (elem, v) = self.float_vectors(name, args, want, &mut pre, span)?;
        let ty = self.machine(&elem);
        let both = |op, a: &hir::Expr, b: &hir::Expr| hir::Expr {
            ty: a.ty.clone(),
            kind: ExprKind::Binary(op, Box::new(a.clone()), Box::new(b.clone())),
            span,
        };
        let arrow: Vec<hir::Expr> = match v.get(1) {
            Some(to) => {
                let way: Vec<_> =
                    v[0].iter().zip(to).map(|(a, b)| both(BinOp::Sub, a, b)).collect();
                way.into_iter().map(|d| self.reusable(d, &mut pre)).collect()
            }
            None => v[0].clone(),
        };
        let square = self.sum_of_products(&arrow, &arrow, span);
        let kind = ExprKind::Builtin(Builtin::Math1(Math1::Sqrt), vec![square]);
        let length = hir::Expr { kind, ty, span };
        if what != OpenClRule::Normalize {
            let value = self.scalar_ex(length, &elem);
            return Ok(self.after(pre, value));
        }
        let length = self.reusable(length, &mut pre);
        // A vector of length 0 stays as it is.
        let zero = hir::Expr { kind: ExprKind::Float(0.0), ty: length.ty.clone(), span };
        let kind = ExprKind::Cmp(CmpOp::Eq, Box::new(length.clone()), Box::new(zero));
        let none = hir::Expr { kind, ty: hir::Ty::Bool, span };
        let none = self.reusable(none, &mut pre);
        let out = arrow
            .iter()
            .map(|a| {
                let unit = both(BinOp::Div, a, &length);
                let kind =
                    ExprKind::Cond(Box::new(none.clone()), Box::new(a.clone()), Box::new(unit));
                hir::Expr { kind, ty: a.ty.clone(), span }
            })
            .collect();
        let value = self.vector_value(&elem, out, span)?;
        Ok(self.after(pre, value))
    }

    // ---- relations

    pub(in crate::sema) fn any_all(
        &mut self,
        name: &str,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        self.count(name, &args, 1, span)?;
        let mut pre = Vec::new();
        let Some(arg) = args.into_iter().next() else { return fail(span, "one argument") };
        let (elem, list) = self.components(arg, false, &mut pre)?;
        if !elem.is_integral() {
            return fail(span, format!("`{name}` needs integers, such as the result of `a < b`"));
        }
        let (one, none) = (
            hir::Expr { kind: ExprKind::Int(1), ty: hir::Ty::I32, span },
            hir::Expr { kind: ExprKind::Int(0), ty: hir::Ty::I32, span },
        );
        let op = if name == "any" { BinOp::Or } else { BinOp::And };
        let mut bits =
            list.into_iter().map(|c| self.if_negative(c, one.clone(), none.clone(), span));
        let first = bits.next().unwrap_or_else(|| none.clone());
        let result = bits.fold(first, |a, b| hir::Expr {
            kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
            ty: hir::Ty::I32,
            span,
        });
        let value = self.scalar_ex(result, &Type::INT);
        Ok(self.after(pre, value))
    }

    /// `select(a, b, c)`: `b` where `c` is true.
    pub(in crate::sema) fn select(
        &mut self,
        name: &str,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        self.count(name, &args, 3, span)?;
        let mut values = Vec::new();
        for a in args {
            values.push(self.load_value(a)?);
        }
        let (elem, n) = self.common_type(name, Over::Numbers, &[&values[0], &values[1]], span)?;
        let Some(c) = values.pop() else { return fail(span, "three arguments") };
        let mut pre = Vec::new();
        let (ct, cs) = self.components(c, false, &mut pre)?;
        let size = |me: &Self, t: &Type| me.module.size_of(&me.machine(t));
        if cs.len() as u64 != n || !ct.is_integral() || size(self, &ct) != size(self, &elem) {
            let want = self.vector_named(&signed_like(self, &elem), n, span)?;
            let want = self.show(&want.q());
            let d = Diagnostic::error(
                span,
                format!("the third argument of `select` is a `{want}` or its unsigned form here"),
            )
            .help("integers of the same size and number as the other arguments");
            return Err(Box::new(d));
        }
        let mut columns = Vec::new();
        for v in values {
            columns.push(self.column(v, &elem, n, &mut pre)?);
        }
        let mut out = Vec::new();
        for ((c, a), b) in cs.into_iter().zip(&columns[0]).zip(&columns[1]) {
            let (a, b) = (a.e.clone(), b.e.clone());
            out.push(if n > 1 {
                self.if_negative(c, b, a, span)
            } else {
                let c = self.scalar_ex(c, &ct);
                let c = self.truth(c)?;
                let ty = a.ty.clone();
                let kind = ExprKind::Cond(Box::new(c), Box::new(b), Box::new(a));
                hir::Expr { kind, ty, span }
            });
        }
        let value = self.vector_value(&elem, out, span)?;
        Ok(self.after(pre, value))
    }

    pub(in crate::sema) fn bitselect(
        &mut self,
        name: &str,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        self.count(name, &args, 3, span)?;
        let mut values = Vec::new();
        for a in args {
            values.push(self.load_value(a)?);
        }
        let (elem, n) =
            self.common_type(name, Over::Numbers, &values.iter().collect::<Vec<_>>(), span)?;
        let bits = unsigned_like(&signed_like(self, &elem));
        let mut pre = Vec::new();
        let mut columns = Vec::new();
        for v in values {
            columns.push(self.column(v, &elem, n, &mut pre)?);
        }
        let mut out = Vec::new();
        for k in 0..n as usize {
            let parts = columns
                .iter()
                .map(|c| self.scalar_ex(self.bits_as(c[k].e.clone(), &bits), &bits))
                .collect();
            let e = self.own_call("bitselect", parts, span)?.e;
            out.push(self.bits_as(e, &elem));
        }
        let value = self.vector_value(&elem, out, span)?;
        Ok(self.after(pre, value))
    }

    // ---- integers

    pub(in crate::sema) fn upsample(
        &mut self,
        name: &str,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        self.count(name, &args, 2, span)?;
        let mut pre = Vec::new();
        let mut parts = Vec::new();
        for a in args {
            parts.push(self.components(a, false, &mut pre)?);
        }
        let (Some((lt, low)), Some((ht, high))) = (parts.pop(), parts.pop()) else {
            return fail(span, "two arguments");
        };
        let (Type::Int(hk), Type::Int(lk)) = (&ht, &lt) else {
            return fail(span, "`upsample` joins integers");
        };
        let ((bits, signed), (low_bits, low_signed)) = (int_shape(*hk), int_shape(*lk));
        let wide = match (bits, signed) {
            _ if bits != low_bits => None,
            (8, true) => Some(IntKind::Short),
            (8, false) => Some(IntKind::UShort),
            (16, true) => Some(IntKind::Int),
            (16, false) => Some(IntKind::UInt),
            (32, true) => Some(IntKind::Long),
            (32, false) => Some(IntKind::ULong),
            _ => None,
        };
        // A signed number as the low half is converted, as any argument is; a vector is not.
        let Some(wide) = wide.filter(|_| !low_signed || low.len() == 1) else {
            let d = Diagnostic::error(
                span,
                "`upsample` joins a high and an unsigned low half of 8, 16 or 32 bits",
            );
            return Err(Box::new(d.help("convert the second argument to the unsigned type")));
        };
        let half = unsigned_like(&lt);
        let (elem, bits) = (Type::Int(wide), u64::from(bits));
        let work = self.promoted(&elem);
        let ty = self.machine(&work);
        let mut out = Vec::new();
        for (h, l) in high.into_iter().zip(low) {
            let l = self.cast(l, &half);
            let (h, l) = (self.cast(h, &work), self.cast(l, &work));
            let count = hir::Expr { kind: ExprKind::Int(bits), ty: hir::Ty::I32, span };
            let kind = ExprKind::Binary(BinOp::Shl, Box::new(h), Box::new(count));
            let h = hir::Expr { kind, ty: ty.clone(), span };
            let kind = ExprKind::Binary(BinOp::Or, Box::new(h), Box::new(l));
            out.push(self.cast(hir::Expr { kind, ty: ty.clone(), span }, &elem));
        }
        let value = self.vector_value(&elem, out, span)?;
        Ok(self.after(pre, value))
    }

    pub(in crate::sema) fn shuffle(
        &mut self,
        name: &str,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let sources = if name == "shuffle" { 1 } else { 2 };
        self.count(name, &args, sources + 1, span)?;
        let mut pre = Vec::new();
        let mut list = Vec::new();
        let mut elem = Type::INT;
        let mut args = args;
        let Some(mask) = args.pop() else { return fail(span, "a mask") };
        for a in args {
            let (t, parts) = self.components(a, true, &mut pre)?;
            elem = t;
            list.extend(parts);
        }
        let (mt, mask) = self.components(mask, true, &mut pre)?;
        if !mt.is_integral() || !list.len().is_power_of_two() || list.len() < 2 {
            return fail(
                span,
                format!("`{name}` takes vectors of 2, 4, 8 or 16 and a mask of integers"),
            );
        }
        let mut out = Vec::new();
        for m in mask {
            let ty = m.ty.clone();
            if let Some(k) = self.fold_int(&m) {
                out.push(list[k as usize % list.len()].clone());
                continue;
            }
            let most =
                hir::Expr { kind: ExprKind::Int(list.len() as u64 - 1), ty: ty.clone(), span };
            let kind = ExprKind::Binary(BinOp::And, Box::new(m), Box::new(most));
            let index = self.reusable(hir::Expr { kind, ty, span }, &mut pre);
            out.push(self.chosen(&list, &index, span));
        }
        let value = self.vector_value(&elem, out, span)?;
        Ok(self.after(pre, value))
    }

    pub(in crate::sema) fn nan(
        &mut self,
        name: &str,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        self.count(name, &args, 1, span)?;
        let mut pre = Vec::new();
        let Some(arg) = args.into_iter().next() else { return fail(span, "one argument") };
        let (t, list) = self.components(arg, false, &mut pre)?;
        let (elem, quiet) = match t {
            Type::Int(IntKind::UInt) => (Type::F32, 0x7fc0_0000),
            Type::Int(IntKind::ULong) => (Type::F64, 0x7ff8_0000_0000_0000),
            _ => return fail(span, "`nan` takes a `uint` or a `ulong`"),
        };
        let mut out = Vec::new();
        for e in list {
            let (ty, code) = (e.ty.clone(), ExprKind::Int(quiet));
            let code = hir::Expr { kind: code, ty: ty.clone(), span };
            let kind = ExprKind::Binary(BinOp::Or, Box::new(e), Box::new(code));
            out.push(self.bits_as(hir::Expr { kind, ty, span }, &elem));
        }
        let value = self.vector_value(&elem, out, span)?;
        Ok(self.after(pre, value))
    }

    // ---- conversions

    /// The bits of `e` as a type of the same size.
    fn bits_as(&self, e: hir::Expr, to: &Type) -> hir::Expr {
        let ty = self.machine(to);
        if e.ty == ty {
            return e;
        }
        let span = e.span;
        if e.ty.is_integer() && ty.is_integer() {
            return self.cast(e, to);
        }
        hir::Expr { kind: ExprKind::Builtin(Builtin::Bitcast, vec![e]), ty, span }
    }

    /// Element type and length in a name such as `uchar4`.
    fn type_in(name: &str) -> Option<(Type, u64)> {
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let n = match &name[base.len()..] {
            "" => 1,
            digits => digits.parse().ok().filter(|n| OPENCL_LENGTHS.contains(n))?,
        };
        let elem = match base {
            "size_t" | "event_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t" => return None,
            base => element_type(base)?,
        };
        Some((elem, n))
    }

    /// `convert_uchar4_sat_rte(x)`
    pub(in crate::sema) fn conversion(
        &mut self,
        name: &str,
        args: Vec<TypedExpr>,
        at: Span,
        span: Span,
    ) -> SemaResult<Option<TypedExpr>> {
        let rest = name.strip_prefix("convert_").unwrap_or(name);
        let mut words = rest.split('_');
        let Some((to, n)) = words.next().and_then(Self::type_in) else { return Ok(None) };
        let (mut sat, mut round) = (false, None);
        for word in words {
            match word {
                "sat" if !sat && round.is_none() => sat = true,
                "rte" if round.is_none() => round = Some(Round::NearestEven),
                "rtz" if round.is_none() => round = Some(Round::Zero),
                "rtp" if round.is_none() => round = Some(Round::Up),
                "rtn" if round.is_none() => round = Some(Round::Down),
                _ => return Ok(None),
            }
        }
        if sat && to.is_float() {
            return fail(at, "only conversions to integers saturate");
        }
        self.count(name, &args, 1, span)?;
        let mut pre = Vec::new();
        let Some(arg) = args.into_iter().next() else { return fail(span, "one argument") };
        let (from, list) = self.components(arg, false, &mut pre)?;
        if list.len() as u64 != n || !from.is_arithmetic() {
            let have = list.len();
            return fail(span, format!("`{name}` converts {n} component(s), here are {have}"));
        }
        let mut out = Vec::new();
        for e in list {
            out.push(self.converted(e, &from, &to, sat, round, span)?);
        }
        let value = self.vector_value(&to, out, span)?;
        Ok(Some(self.after(pre, value)))
    }

    fn converted(
        &mut self,
        e: hir::Expr,
        from: &Type,
        to: &Type,
        sat: bool,
        round: Option<Round>,
        span: Span,
    ) -> SemaResult<hir::Expr> {
        let mut e = e;
        match (from.is_float(), to.is_float()) {
            (true, false) => {
                let whole = match round {
                    Some(Round::NearestEven) => Some(Math1::Rint),
                    Some(Round::Up) => Some(Math1::Ceil),
                    Some(Round::Down) => Some(Math1::Floor),
                    Some(Round::Zero) | None => None,
                };
                if let Some(m) = whole {
                    let ty = e.ty.clone();
                    let kind = ExprKind::Builtin(Builtin::Math1(m), vec![e]);
                    e = hir::Expr { kind, ty, span };
                }
            }
            (_, true) => {
                let mode = match round {
                    Some(Round::Zero) => 0,
                    Some(Round::Up) => 1,
                    Some(Round::Down) => 2,
                    Some(Round::NearestEven) | None => return Ok(self.cast(e, to)),
                };
                if matches!((from, to), (Type::F32 | Type::F16, Type::F64) | (Type::F16, Type::F32))
                {
                    return Ok(self.cast(e, to));
                }
                let mut pre = Vec::new();
                let e = self.reusable(e, &mut pre);
                let near = self.cast(e.clone(), to);
                let mode = self.value(ExprKind::Int(mode), Type::INT.q(), span);
                let parts = vec![self.scalar_ex(e, from), self.scalar_ex(near, to), mode];
                let value = self.own_call("directed", parts, span)?;
                return Ok(self.after(pre, value).e);
            }
            (false, false) => {}
        }
        let Type::Int(kind) = to else { return Ok(self.cast(e, to)) };
        if !sat {
            return Ok(self.cast(e, to));
        }
        let (bits, signed) = int_shape(*kind);
        let (low, high) = if signed {
            (-1i64 << (bits - 1), (1u64 << (bits - 1)) - 1)
        } else {
            (0, u64::MAX >> (64 - bits))
        };
        let bound = |me: &Self, v: u64| me.value(ExprKind::Int(v), to.clone().q(), span);
        let parts = vec![self.scalar_ex(e, from), bound(self, low as u64), bound(self, high)];
        Ok(self.own_call("saturate", parts, span)?.e)
    }

    /// `as_uint2(x)`: the same bits.
    pub(in crate::sema) fn reinterpreted(
        &mut self,
        name: &str,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<Option<TypedExpr>> {
        let rest = name.strip_prefix("as_").unwrap_or(name);
        let Some((to, n)) = Self::type_in(rest) else { return Ok(None) };
        self.count(name, &args, 1, span)?;
        let mut pre = Vec::new();
        let Some(arg) = args.into_iter().next() else { return fail(span, "one argument") };
        let (from, list) = self.components(arg, true, &mut pre)?;
        if !from.is_arithmetic() {
            let shown = self.show(&from.q());
            return fail(span, format!("`{name}` takes a number or a vector, this is `{shown}`"));
        }
        let size = |me: &Self, t: &Type| me.module.size_of(&me.machine(t));
        let (s, d) = (size(self, &from), size(self, &to));
        let room = |n: u64| if n == 3 { 4 } else { n };
        if s * room(list.len() as u64) != d * room(n) {
            return fail(
                span,
                format!(
                    "`{name}` has {} bytes, but its argument has {}",
                    d * room(n),
                    s * room(list.len() as u64)
                ),
            );
        }
        let bits_of = |me: &Self, e: hir::Expr, t: &Type| {
            let unsigned = unsigned_like(&signed_like(me, t));
            me.bits_as(e, &unsigned)
        };
        let mut out = Vec::new();
        if s == d {
            for e in list.iter().take(n as usize) {
                out.push(self.bits_as(e.clone(), &to));
            }
            if (out.len() as u64) < n {
                // A vector of three as one of four: the fourth has no value.
                let first = out[0].clone();
                out.push(first);
            }
        } else {
            let unsigned = unsigned_like(&signed_like(self, &to));
            // Shifts work on 32 bits at least.
            let work = if d < 4 { Type::UINT } else { unsigned.clone() };
            for k in 0..n {
                out.push(if s < d {
                    let per = d / s;
                    let mut sum: Option<hir::Expr> = None;
                    for j in 0..per {
                        let Some(e) = list.get((k * per + j) as usize) else { continue };
                        let part = bits_of(self, e.clone(), &from);
                        let part = self.cast(part, &work);
                        let part = self.shifted(BinOp::Shl, part, 8 * s * j, span);
                        sum = Some(match sum {
                            None => part,
                            Some(sum) => {
                                let ty = sum.ty.clone();
                                let kind =
                                    ExprKind::Binary(BinOp::Or, Box::new(sum), Box::new(part));
                                hir::Expr { kind, ty, span }
                            }
                        });
                    }
                    // The fourth component of a vector of three has no value.
                    let sum = sum.unwrap_or_else(|| bits_of(self, list[0].clone(), &from));
                    let sum = self.cast(sum, &unsigned);
                    self.bits_as(sum, &to)
                } else {
                    let per = s / d;
                    let e = list.get((k / per) as usize).unwrap_or(&list[0]);
                    let whole = bits_of(self, e.clone(), &from);
                    let whole = if s < 4 { self.cast(whole, &Type::UINT) } else { whole };
                    let part = self.shifted(BinOp::Shr, whole, 8 * d * (k % per), span);
                    let part = self.cast(part, &unsigned);
                    self.bits_as(part, &to)
                });
            }
        }
        let value = self.vector_value(&to, out, span)?;
        Ok(Some(self.after(pre, value)))
    }

    /// `e` shifted by a number of bits, in its own type.
    fn shifted(&self, op: BinOp, e: hir::Expr, bits: u64, span: Span) -> hir::Expr {
        if bits == 0 {
            return e;
        }
        let ty = e.ty.clone();
        let count = hir::Expr { kind: ExprKind::Int(bits), ty: hir::Ty::I32, span };
        hir::Expr { kind: ExprKind::Binary(op, Box::new(e), Box::new(count)), ty, span }
    }
}

/// The type of a pointer's target, if `ex` is a pointer.
pub(in crate::sema) fn target(ex: &TypedExpr) -> Option<QualType> {
    ex.q.ty.pointee().map(|q| (**q).clone())
}

/// The type for which a function of scalars of one type is called with arguments of several: the
/// overload that is the better choice for some argument and for none the worse one, as C++ and
/// OpenCL C choose.
fn best_overload(over: Over, args: &[Type]) -> Option<Type> {
    // 0 the same type, 1 a promotion, 2 a conversion.
    let rank = |from: &Type, to: &Type| match (from, to) {
        _ if element_name(from) == element_name(to) => 0,
        (Type::F32, Type::F64) => 1,
        (Type::Int(a), Type::Int(IntKind::Int)) if int_shape(*a).0 < 32 => 1,
        _ => 2,
    };
    let ranks: Vec<(Type, Vec<u32>)> = (OPENCL_ELEMENTS.iter())
        .map(|(_, plain)| Type::of(*plain))
        .filter(|t| match over {
            Over::Numbers => true,
            Over::Integers => t.is_integral(),
            Over::Words => matches!(t, Type::Int(IntKind::Int | IntKind::UInt)),
            Over::Floats => t.is_float(),
        })
        .map(|t| {
            let ranks = args.iter().map(|a| rank(a, &t)).collect();
            (t, ranks)
        })
        .collect();
    let better = |a: &[u32], b: &[u32]| {
        a.iter().zip(b).all(|(x, y)| x <= y) && a.iter().zip(b).any(|(x, y)| x < y)
    };
    let best = ranks.iter().find(|(t, a)| {
        let others = ranks.iter().filter(|(u, _)| element_name(u) != element_name(t));
        others.into_iter().all(|(_, b)| better(a, b))
    });
    best.map(|(t, _)| t.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overloads_are_chosen_as_clang_does() {
        let best = |over, args: &[Type]| best_overload(over, args);
        let char = Type::Int(IntKind::Char);
        assert_eq!(best(Over::Floats, &[Type::F32, Type::INT]), Some(Type::F32));
        assert_eq!(best(Over::Floats, &[Type::F32, Type::F64]), None);
        assert_eq!(best(Over::Words, &[char, Type::INT, Type::INT]), Some(Type::INT));
        assert_eq!(best(Over::Words, &[Type::ULONG, Type::UINT, Type::UINT]), Some(Type::UINT));
        assert_eq!(best(Over::Numbers, &[Type::INT, Type::UINT]), None);
    }
}
