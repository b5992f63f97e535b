//! Vector types of OpenCL C: components, literals, swizzles, operators.
//!
//! A vector is a struct of its components. What OpenCL does to whole vectors is written out here,
//! component by component, so that nothing behind this stage knows of it. Operands are evaluated
//! once: those that are no variables go into temporaries, which stand before the value in a comma
//! expression.

use crate::ast::{self, IntKind, Name};
use crate::builtins::{self, OPENCL_ELEMENTS, OPENCL_LENGTHS, OPENCL_NAMES};
use crate::diag::Diagnostic;
use crate::hir::{self, CmpOp, ExprKind, StructId, UnOp};
use crate::language::Language;
use crate::sema::types::convert;
use crate::sema::types::{QualType, Type, int_shape, rank};
use crate::sema::{Entity, Sema, SemaResult, TypedExpr, fail};
use crate::source::Span;

/// Left side of an assignment.
pub(in crate::sema) enum Target {
    Place(TypedExpr),
    /// Some components of a vector.
    Swizzle(TypedExpr, Vec<u32>),
}

/// The name of an element type in the names of vectors and functions, such as `uchar`.
pub(in crate::sema) fn element_name(t: &Type) -> Option<&'static str> {
    Some(match t {
        Type::Bool => "bool",
        Type::Int(IntKind::Char | IntKind::SChar) => "char",
        Type::Int(IntKind::UChar) => "uchar",
        Type::Int(IntKind::Short) => "short",
        Type::Int(IntKind::UShort) => "ushort",
        Type::Int(IntKind::Int) => "int",
        Type::Int(IntKind::UInt) => "uint",
        Type::Int(IntKind::Long | IntKind::LongLong) => "long",
        Type::Int(IntKind::ULong | IntKind::ULongLong) => "ulong",
        Type::F16 => "half",
        Type::F32 => "float",
        Type::F64 => "double",
        _ => return None,
    })
}

/// `T` of an element name.
pub(in crate::sema) fn element_type(name: &str) -> Option<Type> {
    let named = OPENCL_NAMES.iter().chain(&OPENCL_ELEMENTS).find(|(n, _)| *n == name);
    named.map(|(_, plain)| Type::of(*plain))
}

/// Signed integer of the same size: what comparisons of vectors give.
pub(in crate::sema) fn signed_like(sema: &Sema<'_>, t: &Type) -> Type {
    let kind = match sema.module.size_of(&sema.machine(t)) {
        1 => IntKind::Char,
        2 => IntKind::Short,
        4 => IntKind::Int,
        _ => IntKind::Long,
    };
    Type::Int(kind)
}

/// Numbers of the components that a member name of a vector of `n` picks.
fn picked(name: &str, n: u64) -> Option<Vec<u32>> {
    let n32 = n as u32;
    let padded = if n == 3 { 4 } else { n32 };
    let list: Vec<u32> = match name {
        "lo" => (0..padded / 2).collect(),
        "hi" => (padded / 2..padded).collect(),
        "even" => (0..padded).step_by(2).collect(),
        "odd" => (1..padded).step_by(2).collect(),
        _ => match name.strip_prefix(['s', 'S']) {
            Some(digits) if digits.chars().all(|c| c.is_ascii_hexdigit()) => {
                digits.chars().filter_map(|c| c.to_digit(16)).collect()
            }
            _ => {
                let by = |letters: &str| -> Option<Vec<u32>> {
                    name.chars().map(|c| letters.find(c).map(|k| k as u32)).collect()
                };
                by("xyzw").or_else(|| by("rgba")).filter(|_| n <= 4)?
            }
        },
    };
    // The missing fourth component of a vector of three has no value, but `hi` and `odd` name it.
    let halves = matches!(name, "hi" | "odd") && n == 3;
    let inside = list.iter().all(|k| *k < n32 || halves);
    let length = list.len() as u64;
    (inside && (length == 1 || OPENCL_LENGTHS.contains(&length))).then_some(list)
}

impl Sema<'_> {
    /// The source is C and no C++, whatever our own headers are written in.
    pub(in crate::sema) fn is_c(&self) -> bool {
        self.module.language == Language::OpenClC
    }

    /// OpenCL C stands here: not a header of ours.
    pub(in crate::sema) fn in_opencl(&self, span: Span) -> bool {
        self.is_c() && !self.own.contains(&span.file)
    }

    pub(in crate::sema) fn declare_opencl_types(&mut self) {
        for (name, plain) in OPENCL_NAMES.iter().chain(builtins::TYPEDEFS) {
            let t = Type::of(*plain);
            self.scopes[0].names.insert((*name).into(), Entity::Type(t.q()));
        }
        // For our own headers, which are CUDA C.
        self.vector_type("dim3", Type::UINT, 3);
        for (base, plain) in OPENCL_ELEMENTS {
            for n in OPENCL_LENGTHS {
                self.vector_type(&format!("{base}{n}"), Type::of(plain), n);
            }
        }
    }

    /// Element and length of a vector type of OpenCL C.
    pub(in crate::sema) fn vector_of(&self, t: &Type) -> Option<(Type, u64)> {
        match t {
            Type::Struct(id) if self.is_c() => self.structs[id.0 as usize].vector.clone(),
            _ => None,
        }
    }

    pub(in crate::sema) fn any_vector(&self, x: &TypedExpr, y: &TypedExpr) -> bool {
        self.vector_of(&x.q.ty).is_some() || self.vector_of(&y.q.ty).is_some()
    }

    /// The type of `n` elements: a scalar for one.
    pub(in crate::sema) fn vector_named(
        &self,
        elem: &Type,
        n: u64,
        span: Span,
    ) -> SemaResult<Type> {
        if n == 1 {
            return Ok(elem.clone());
        }
        let id: Option<StructId> = element_name(elem)
            .and_then(|name| self.vectors.get(format!("{name}{n}").as_str()).copied());
        match id {
            Some(id) => Ok(Type::Struct(id)),
            None => {
                let shown = self.show(&elem.clone().q());
                fail(span, format!("there is no vector of {n} `{shown}`"))
            }
        }
    }

    /// A value of `list.len()` components.
    pub(in crate::sema) fn vector_value(
        &self,
        elem: &Type,
        list: Vec<hir::Expr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let t = self.vector_named(elem, list.len() as u64, span)?;
        let mut list = list;
        if let (1, Some(e)) = (list.len(), list.pop_if(|_| !matches!(t, Type::Struct(_)))) {
            return Ok(TypedExpr { e, q: t.q(), place: false, constant: None });
        }
        Ok(self.value(ExprKind::Aggregate(list), t.q(), span))
    }

    /// `value` after the computations in `pre`.
    pub(in crate::sema) fn after(&self, pre: Vec<hir::Expr>, value: TypedExpr) -> TypedExpr {
        let span = value.e.span;
        let e = pre.into_iter().rev().fold(value.e, |e, first| hir::Expr {
            ty: e.ty.clone(),
            kind: ExprKind::Comma(Box::new(first), Box::new(e)),
            span,
        });
        TypedExpr { e, ..value }
    }

    /// Stores a value in a new variable of the compiler; gives its place.
    fn stored(&mut self, e: hir::Expr, pre: &mut Vec<hir::Expr>) -> hir::Expr {
        let (ty, span) = (e.ty.clone(), e.span);
        let id = self.temp("$v", ty.clone(), span);
        let place = hir::Expr { kind: ExprKind::Local(id), ty: ty.clone(), span };
        pre.push(hir::Expr {
            kind: ExprKind::Assign(Box::new(place.clone()), Box::new(e)),
            ty,
            span,
        });
        place
    }

    /// A scalar that can be used any number of times.
    pub(in crate::sema) fn reusable(
        &mut self,
        e: hir::Expr,
        pre: &mut Vec<hir::Expr>,
    ) -> hir::Expr {
        let simple = match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) => true,
            ExprKind::Load(place) => self.in_registers(place),
            ExprKind::Builtin(_, args) => args.is_empty(),
            _ => false,
        };
        if simple {
            return e;
        }
        let (ty, span) = (e.ty.clone(), e.span);
        let place = self.stored(e, pre);
        hir::Expr { kind: ExprKind::Load(Box::new(place)), ty, span }
    }

    /// A variable, or a part of one, that costs nothing to read.
    fn in_registers(&self, place: &hir::Expr) -> bool {
        match &place.kind {
            ExprKind::Local(id) => {
                let local = &self.ctx.locals[id.0 as usize];
                local.storage == hir::Storage::Auto && !local.needs_memory
            }
            ExprKind::Field(inner, _) => self.in_registers(inner),
            _ => false,
        }
    }

    /// The components of a value, one for a scalar. Each of them is to be used once, or (`again`)
    /// as often as wanted.
    pub(in crate::sema) fn components(
        &mut self,
        ex: TypedExpr,
        again: bool,
        pre: &mut Vec<hir::Expr>,
    ) -> SemaResult<(Type, Vec<hir::Expr>)> {
        let value = self.load_value(ex)?;
        let Some((elem, n)) = self.vector_of(&value.q.ty) else {
            let mut e = value.e;
            let mut t = value.q.ty;
            if t == Type::Bool {
                // Comparisons of scalars are `int` in C.
                e = self.cast(e, &Type::INT);
                t = Type::INT;
            }
            let e = if again { self.reusable(e, pre) } else { e };
            return Ok((t, vec![e]));
        };
        let mut e = value.e;
        while let ExprKind::Comma(first, last) = e.kind {
            pre.push(*first);
            e = *last;
        }
        let list = match e.kind {
            ExprKind::Aggregate(list) if again => {
                list.into_iter().map(|part| self.reusable(part, pre)).collect()
            }
            ExprKind::Aggregate(list) => list,
            ExprKind::Load(place) if self.in_registers(&place) => self.loads(&place, &elem, n),
            kind => {
                let place = self.stored(hir::Expr { kind, ..e }, pre);
                self.loads(&place, &elem, n)
            }
        };
        Ok((elem, list))
    }

    /// Reads of the components of a place.
    fn loads(&self, place: &hir::Expr, elem: &Type, n: u64) -> Vec<hir::Expr> {
        let (ty, span) = (self.machine(elem), place.span);
        let field = |k| hir::Expr {
            kind: ExprKind::Field(Box::new(place.clone()), k),
            ty: ty.clone(),
            span,
        };
        let load = |k| hir::Expr { kind: ExprKind::Load(Box::new(field(k))), ty: ty.clone(), span };
        (0..n as u32).map(load).collect()
    }

    /// A scalar expression of type `t`.
    pub(in crate::sema) fn scalar_ex(&self, e: hir::Expr, t: &Type) -> TypedExpr {
        TypedExpr { e, q: t.clone().q(), place: false, constant: None }
    }

    // ---- conversions

    /// A scalar of type `from` becomes a vector of type `to` by itself.
    pub(in crate::sema) fn widens(&self, from: &Type, to: &Type) -> bool {
        from.is_arithmetic() && self.vector_of(to).is_some()
    }

    /// A vector whose components are all `ex`.
    pub(in crate::sema) fn splat(
        &mut self,
        ex: TypedExpr,
        to: &Type,
        span: Span,
    ) -> SemaResult<hir::Expr> {
        let Some((elem, n)) = self.vector_of(to) else { return fail(span, "not a vector") };
        let value = self.load_value(ex)?;
        let e = self.convert(value, &elem.clone().q(), span)?;
        let mut pre = Vec::new();
        let e = self.reusable(e, &mut pre);
        let value = self.vector_value(&elem, vec![e; n as usize], span)?;
        Ok(self.after(pre, value).e)
    }

    /// The message for a conversion between vector types, which needs a function.
    pub(in crate::sema) fn no_vector_cast(
        &self,
        ex: &TypedExpr,
        to: &QualType,
        span: Span,
    ) -> Option<Box<Diagnostic>> {
        let (_, n) = self.vector_of(&ex.q.ty)?;
        let (from, want) = (self.show(&ex.q.plain()), self.show(&to.plain()));
        let d = Diagnostic::error(span, format!("`{from}` is not converted to `{want}` by itself"))
            .label(format!("of type `{from}`"));
        Some(Box::new(match self.vector_of(&to.ty) {
            Some((_, m)) if m == n => d.help(format!(
                "write `convert_{want}(...)` for the values, or `as_{want}(...)` for the bits"
            )),
            Some((_, m)) if m < n => d.help("pick components, as in `v.xy` or `v.lo`"),
            Some(_) => d.help(format!("write `({want})(...)` with as many values as it has")),
            None => d.help("pick a component, as in `v.x` or `v.s0`"),
        }))
    }

    /// `(float4)(a, b.xy, 1.0f)`.
    pub(in crate::sema) fn vector_literal(
        &mut self,
        q: &QualType,
        args: &[ast::Expr],
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let Some((elem, n)) = self.vector_of(&q.ty) else {
            // `(float)(a, b)`: a comma expression in a cast.
            let mut list = args.iter();
            let Some(first) = list.next() else { return fail(span, "a value is missing here") };
            let mut ex = self.expr(first)?;
            let mut pre = Vec::new();
            for next in list {
                pre.push(self.discard(ex));
                ex = self.expr(next)?;
            }
            let value = self.convert_explicit(ex, q, span)?;
            return Ok(self.after(pre, value));
        };
        let (mut pre, mut list) = (Vec::new(), Vec::new());
        for a in args {
            let ex = self.expr(a)?;
            let (t, parts) = self.components(ex, false, &mut pre)?;
            if parts.len() > 1 && t != elem {
                let want = self.show(&elem.clone().q());
                return fail(
                    a.span,
                    format!("the vectors in this literal have `{want}` components"),
                );
            }
            for part in parts {
                let part = self.scalar_ex(part, &t);
                list.push(self.convert(part, &elem.clone().q(), a.span)?);
            }
        }
        let have = list.len() as u64;
        if have == 1 {
            let first = self.scalar_ex(list.remove(0), &elem);
            let e = self.splat(first, &q.ty, span)?;
            return Ok(self.after(pre, TypedExpr { e, q: q.plain(), place: false, constant: None }));
        }
        if have != n {
            let shown = self.show(&q.plain());
            return fail(span, format!("`{shown}` has {n} components, but here are {have}"));
        }
        let value = self.vector_value(&elem, list, span)?;
        Ok(self.after(pre, value))
    }

    // ---- components

    /// `v.x`, `v.s3`: a place; `v.xy`, `v.lo`: a value.
    pub(in crate::sema) fn swizzle(
        &mut self,
        vector: TypedExpr,
        name: &Name,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let parts = self.swizzle_parts(&vector, name)?;
        if let [k] = parts[..] {
            return self.walk(vector, &[k], span);
        }
        let mut pre = Vec::new();
        let (elem, list) = self.components(vector, true, &mut pre)?;
        let undefined = list[0].clone();
        let picked = |k: &u32| list.get(*k as usize).unwrap_or(&undefined).clone();
        let value = self.vector_value(&elem, parts.iter().map(picked).collect(), span)?;
        Ok(self.after(pre, value))
    }

    fn swizzle_parts(&self, vector: &TypedExpr, name: &Name) -> SemaResult<Vec<u32>> {
        let last = name.last();
        let n = self.vector_of(&vector.q.ty).map_or(0, |v| v.1);
        if let Some(parts) = picked(&last.id, n) {
            return Ok(parts);
        }
        let shown = self.show(&vector.q.plain());
        let text = format!("`{shown}` has no components `{}`", last.id);
        let d = Diagnostic::error(last.span, text).label("no such components");
        Err(Box::new(
            d.help(match n {
                ..=4 => "they are `.x`, `.y`, `.z`, `.w` or `.s0` to `.s3`, 2, 3 or 4 of them \
                     together, `.lo`, `.hi`, `.even` and `.odd`"
                    .to_string(),
                _ => format!(
                    "they are `.s0` to `.s{:x}`, 2, 3, 4, 8 or 16 of them together, `.lo`, `.hi`, \
                 `.even` and `.odd`",
                    n - 1
                ),
            }),
        ))
    }

    /// `v[i]`.
    pub(in crate::sema) fn component(
        &mut self,
        vector: TypedExpr,
        index: TypedExpr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let Some((elem, n)) = self.vector_of(&vector.q.ty) else { return fail(span, "no vector") };
        let index = self.index_value(index, span)?;
        if let Some(k) = self.fold_int(&index) {
            if k >= n {
                return fail(
                    span,
                    format!("the vector has {n} components: valid are 0 to {}", n - 1),
                );
            }
            return self.walk(vector, &[k as u32], span);
        }
        if vector.place {
            self.mark_memory(&vector.e);
            let q = QualType { ty: elem, ..vector.q.clone() };
            let address = convert::address(vector.e, span);
            let ty = self.machine(&q.ty).ptr();
            let first = hir::Expr { kind: ExprKind::Cast(Box::new(address)), ty: ty.clone(), span };
            let kind = ExprKind::PtrAdd(Box::new(first), Box::new(index));
            let at = hir::Expr { kind, ty, span };
            return Ok(self.place(ExprKind::Deref(Box::new(at)), q, span));
        }
        let mut pre = Vec::new();
        let (_, list) = self.components(vector, true, &mut pre)?;
        let index = self.reusable(index, &mut pre);
        let chosen = self.chosen(&list, &index, span);
        let value = self.scalar_ex(chosen, &elem);
        Ok(self.after(pre, value))
    }

    /// `list[index]`, by comparing.
    pub(in crate::sema) fn chosen(
        &self,
        list: &[hir::Expr],
        index: &hir::Expr,
        span: Span,
    ) -> hir::Expr {
        let last = list.len() - 1;
        (0..last).rev().fold(list[last].clone(), |rest, k| {
            let number = hir::Expr { kind: ExprKind::Int(k as u64), ty: index.ty.clone(), span };
            let kind = ExprKind::Cmp(CmpOp::Eq, Box::new(index.clone()), Box::new(number));
            let hit = hir::Expr { kind, ty: hir::Ty::Bool, span };
            let ty = rest.ty.clone();
            let kind = ExprKind::Cond(Box::new(hit), Box::new(list[k].clone()), Box::new(rest));
            hir::Expr { kind, ty, span }
        })
    }

    // ---- operators

    /// Component `e` compared as OpenCL wants it: 0 or -1 in type `to`.
    pub(in crate::sema) fn mask(&self, truth: hir::Expr, to: &Type, span: Span) -> hir::Expr {
        let one = self.cast(truth, &self.promoted(to));
        let ty = one.ty.clone();
        let all = hir::Expr { kind: ExprKind::Unary(UnOp::Neg, Box::new(one)), ty, span };
        self.cast(all, to)
    }

    pub(in crate::sema) fn vector_unary(
        &mut self,
        op: &str,
        ex: TypedExpr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let mut pre = Vec::new();
        let (elem, list) = self.components(ex, false, &mut pre)?;
        let result = if op == "!" { signed_like(self, &elem) } else { elem.clone() };
        if op == "~" && elem.is_float() {
            return fail(span, "`~` cannot be applied to floating-point components");
        }
        let mut out = Vec::with_capacity(list.len());
        for e in list {
            let part = self.scalar_ex(e, &elem);
            out.push(match op {
                "+" => part.e,
                "!" => {
                    let truth = self.truth(part)?;
                    let zero = hir::Expr { kind: ExprKind::Int(0), ty: hir::Ty::Bool, span };
                    let kind = ExprKind::Cmp(CmpOp::Eq, Box::new(truth), Box::new(zero));
                    self.mask(hir::Expr { kind, ty: hir::Ty::Bool, span }, &result, span)
                }
                _ => {
                    // Small integers are promoted, negated and cut again.
                    let wide = self.promoted(&elem);
                    let e = self.cast(part.e, &wide);
                    let (op, ty) = (if op == "-" { UnOp::Neg } else { UnOp::Not }, e.ty.clone());
                    let e = hir::Expr { kind: ExprKind::Unary(op, Box::new(e)), ty, span };
                    self.cast(e, &elem)
                }
            });
        }
        let value = self.vector_value(&result, out, span)?;
        Ok(self.after(pre, value))
    }

    /// The scalar operand beside vectors of `elem`, converted to it.
    fn widened(&mut self, scalar: TypedExpr, elem: &Type, span: Span) -> SemaResult<TypedExpr> {
        let rank_of = |t: &Type| match t {
            Type::F64 => (10, 0),
            Type::F32 => (9, 0),
            Type::F16 => (8, 0),
            Type::Int(k) => (rank(*k).min(4), u8::from(!int_shape(*k).1)),
            _ => (0, 0),
        };
        let from = if scalar.q.ty == Type::Bool { Type::INT } else { scalar.q.ty.clone() };
        if rank_of(&from) > rank_of(elem) {
            let (have, want) = (self.show(&from.clone().q()), self.show(&elem.clone().q()));
            let d = Diagnostic::error(
                scalar.e.span,
                format!("a `{have}` does not fit the `{want}` components of the vector"),
            )
            .label(format!("of type `{have}`"));
            return Err(Box::new(match (&from, elem) {
                (Type::F64, Type::F32) if matches!(scalar.e.kind, ExprKind::Float(_)) => {
                    d.help("write the suffix `f`, as in `2.0f`")
                }
                _ => d.help(format!("convert it: `({want})(...)`")),
            }));
        }
        let e = self.convert(scalar, &elem.clone().q(), span)?;
        Ok(self.scalar_ex(e, elem))
    }

    /// Two operands as components of one type and number; shifts keep the type of the right one.
    #[allow(clippy::type_complexity)]
    fn aligned(
        &mut self,
        op: &str,
        x: TypedExpr,
        y: TypedExpr,
        pre: &mut Vec<hir::Expr>,
        span: Span,
    ) -> SemaResult<(Type, Vec<hir::Expr>, Type, Vec<hir::Expr>)> {
        let (x, y) = (self.load_value(x)?, self.load_value(y)?);
        let shift = matches!(op, "<<" | ">>");
        let (a, b) = (self.vector_of(&x.q.ty), self.vector_of(&y.q.ty));
        let unlike = |me: &Self| {
            let (p, q) = (me.show(&x.q.plain()), me.show(&y.q.plain()));
            let d = Diagnostic::error(span, format!("`{op}` cannot be applied to `{p}` and `{q}`"));
            Box::new(d.help("both vectors must have the same type"))
        };
        match (a, b) {
            (Some((_, n)), Some((_, m))) if n != m || (x.q.ty != y.q.ty && !shift) => {
                Err(unlike(self))
            }
            (Some(_), Some(_)) => {
                let (p, xs) = self.components(x, false, pre)?;
                let (q, ys) = self.components(y, false, pre)?;
                Ok((p, xs, q, ys))
            }
            (Some((elem, n)), None) => {
                if !y.q.ty.is_arithmetic() {
                    return Err(unlike(self));
                }
                let (p, xs) = self.components(x, false, pre)?;
                let y = if shift { y } else { self.widened(y, &elem, span)? };
                let (q, ys) = self.components(y, true, pre)?;
                Ok((p, xs, q, vec![ys[0].clone(); n as usize]))
            }
            (None, Some((elem, n))) => {
                if !x.q.ty.is_arithmetic() {
                    return Err(unlike(self));
                }
                let x = self.widened(x, &elem, span)?;
                let (p, xs) = self.components(x, true, pre)?;
                let (q, ys) = self.components(y, false, pre)?;
                Ok((p, vec![xs[0].clone(); n as usize], q, ys))
            }
            (None, None) => fail(span, "no vector here"),
        }
    }

    pub(in crate::sema) fn vector_binary(
        &mut self,
        op: &str,
        x: TypedExpr,
        y: TypedExpr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let mut pre = Vec::new();
        let (p, xs, q, ys) = self.aligned(op, x, y, &mut pre, span)?;
        let truth = matches!(op, "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||");
        let result = if truth { signed_like(self, &p) } else { p.clone() };
        let mut out = Vec::with_capacity(xs.len());
        for (a, b) in xs.into_iter().zip(ys) {
            let (a, b) = (self.scalar_ex(a, &p), self.scalar_ex(b, &q));
            let e = match op {
                "&&" | "||" => {
                    let (a, b) = (self.truth(a)?, self.truth(b)?);
                    let op = if op == "&&" { hir::BinOp::And } else { hir::BinOp::Or };
                    let (a, b) = (self.cast(a, &Type::INT), self.cast(b, &Type::INT));
                    let kind = ExprKind::Binary(op, Box::new(a), Box::new(b));
                    hir::Expr { kind, ty: hir::Ty::I32, span }
                }
                _ => self.binary_values(op, a, b, span)?.e,
            };
            out.push(if truth { self.mask(e, &result, span) } else { self.cast(e, &result) });
        }
        let value = self.vector_value(&result, out, span)?;
        Ok(self.after(pre, value))
    }

    /// `count` modulo the bits of the promoted left operand `left`, as OpenCL shifts.
    pub(in crate::sema) fn shift_count(
        &self,
        count: hir::Expr,
        left: &Type,
        t: &Type,
    ) -> hir::Expr {
        let bits = 8 * self.module.size_of(&self.machine(left));
        let span = count.span;
        if let ExprKind::Int(n) = count.kind {
            return hir::Expr { kind: ExprKind::Int(n % bits), ..count };
        }
        let ty = self.machine(t);
        let most = hir::Expr { kind: ExprKind::Int(bits - 1), ty: ty.clone(), span };
        let kind = ExprKind::Binary(hir::BinOp::And, Box::new(count), Box::new(most));
        hir::Expr { kind, ty, span }
    }

    /// `c ? a : b` with a vector in front: component by component, by the sign of `c`.
    pub(in crate::sema) fn vector_choice(
        &mut self,
        c: TypedExpr,
        x: TypedExpr,
        y: TypedExpr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let Some((ct, n)) = self.vector_of(&c.q.ty) else { return fail(span, "no vector") };
        if ct.is_float() {
            return fail(
                span,
                "the condition of a vector is a vector of integers, such as `a < b`",
            );
        }
        let mut pre = Vec::new();
        let (_, cs) = self.components(c, false, &mut pre)?;
        let (x, y) = (self.load_value(x)?, self.load_value(y)?);
        let (p, xs, ys) = if self.any_vector(&x, &y) {
            let (p, xs, _, ys) = self.aligned("?:", x, y, &mut pre, span)?;
            (p, xs, ys)
        } else {
            let (p, xs) = self.components(x, true, &mut pre)?;
            let (_, ys) = self.components(y, true, &mut pre)?;
            (p, vec![xs[0].clone(); n as usize], vec![ys[0].clone(); n as usize])
        };
        if xs.len() as u64 != n {
            return fail(span, "the condition has another number of components than the results");
        }
        let mut out = Vec::with_capacity(xs.len());
        for ((c, a), b) in cs.into_iter().zip(xs).zip(ys) {
            out.push(self.if_negative(c, a, b, span));
        }
        let value = self.vector_value(&p, out, span)?;
        Ok(self.after(pre, value))
    }

    /// `c < 0 ? a : b`: the highest bit decides.
    pub(in crate::sema) fn if_negative(
        &self,
        c: hir::Expr,
        a: hir::Expr,
        b: hir::Expr,
        span: Span,
    ) -> hir::Expr {
        let ty = match &c.ty {
            hir::Ty::Int { bits, .. } => hir::Ty::Int { bits: *bits, signed: true },
            other => other.clone(),
        };
        let c = if c.ty == ty {
            c
        } else {
            hir::Expr { kind: ExprKind::Cast(Box::new(c)), ty: ty.clone(), span }
        };
        let zero = hir::Expr { kind: ExprKind::Int(0), ty, span };
        let kind = ExprKind::Cmp(CmpOp::Lt, Box::new(c), Box::new(zero));
        let negative = hir::Expr { kind, ty: hir::Ty::Bool, span };
        let ty = a.ty.clone();
        hir::Expr { kind: ExprKind::Cond(Box::new(negative), Box::new(a), Box::new(b)), ty, span }
    }

    // ---- assignments

    /// The left side of an assignment.
    pub(in crate::sema) fn assigned(&mut self, e: &ast::Expr) -> SemaResult<Target> {
        if self.in_opencl(e.span) {
            match &e.kind {
                ast::ExprKind::Paren(inner) => return self.assigned(inner),
                ast::ExprKind::Member { base, arrow, name } => {
                    let object = self.member_object(base, *arrow)?;
                    if self.vector_of(&object.q.ty).is_none() {
                        return self.member_of(object, *arrow, name, e.span).map(Target::Place);
                    }
                    let parts = self.swizzle_parts(&object, name)?;
                    if let [k] = parts[..] {
                        return self.walk(object, &[k], e.span).map(Target::Place);
                    }
                    let twice = (1..parts.len()).any(|i| parts[..i].contains(&parts[i]));
                    if twice {
                        return fail(e.span, "a component cannot be assigned twice at once");
                    }
                    return Ok(Target::Swizzle(object, parts));
                }
                _ => {}
            }
        }
        let place = self.expr(e)?;
        Ok(Target::Place(self.chosen_place(place)))
    }

    /// A place whose way there is computed once, in `pre`.
    fn steady(&mut self, place: hir::Expr, pre: &mut Vec<hir::Expr>) -> hir::Expr {
        let (ty, span) = (place.ty.clone(), place.span);
        let kind = match place.kind {
            ExprKind::Deref(pointer) => ExprKind::Deref(Box::new(self.reusable(*pointer, pre))),
            ExprKind::Field(inner, k) => ExprKind::Field(Box::new(self.steady(*inner, pre)), k),
            ExprKind::Index(inner, i) => {
                let inner = self.steady(*inner, pre);
                ExprKind::Index(Box::new(inner), Box::new(self.reusable(*i, pre)))
            }
            kind => kind,
        };
        hir::Expr { kind, ty, span }
    }

    /// `x op= y` for a vector `x`.
    pub(in crate::sema) fn vector_update(
        &mut self,
        op: &str,
        x: TypedExpr,
        y: TypedExpr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let mut pre = Vec::new();
        let place = TypedExpr { e: self.steady(x.e, &mut pre), ..x };
        let q = place.q.plain();
        let sum = self.binary_values(op, place.clone(), y, span)?;
        let sum = self.convert(sum, &q, span)?;
        let kind = ExprKind::Assign(Box::new(place.e), Box::new(sum));
        let value = self.value(kind, q, span);
        Ok(self.after(pre, value))
    }

    /// `++` and `--`.
    pub(in crate::sema) fn vector_step(
        &mut self,
        x: TypedExpr,
        inc: bool,
        post: bool,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        self.writable(&x, span, if inc { "`++` cannot change" } else { "`--` cannot change" })?;
        let Some((elem, _)) = self.vector_of(&x.q.ty) else { return fail(span, "no vector") };
        let one = self.value(ExprKind::Int(1), Type::INT.q(), span);
        let one = self.convert(one, &elem.clone().q(), span)?;
        let one = self.scalar_ex(one, &elem);
        let mut pre = Vec::new();
        let place = TypedExpr { e: self.steady(x.e, &mut pre), ..x };
        let q = place.q.plain();
        let old = self.load_value(place.clone())?;
        let old = if post { Some(self.stored(old.e, &mut pre)) } else { None };
        let sum = self.binary_values(if inc { "+" } else { "-" }, place.clone(), one, span)?;
        let sum = self.convert(sum, &q, span)?;
        let value = self.value(ExprKind::Assign(Box::new(place.e), Box::new(sum)), q.clone(), span);
        let value = match old {
            None => value,
            Some(old) => {
                pre.push(value.e);
                self.value(ExprKind::Load(Box::new(old)), q, span)
            }
        };
        Ok(self.after(pre, value))
    }

    /// `v.xy = b`, `v.lo += b`.
    pub(in crate::sema) fn assign_swizzle(
        &mut self,
        op: &'static str,
        vector: TypedExpr,
        parts: &[u32],
        b: &ast::Expr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        self.writable(&vector, span, "this assigns to")?;
        let Some((elem, n)) = self.vector_of(&vector.q.ty) else { return fail(span, "no vector") };
        let t = self.vector_named(&elem, parts.len() as u64, span)?;
        let mut pre = Vec::new();
        let place = self.steady(vector.e, &mut pre);
        let mut y = match &b.kind {
            ast::ExprKind::Init(_) => return fail(b.span, "a list in braces cannot stand here"),
            _ => self.expr(b)?,
        };
        let part = |me: &Self, k: u32| hir::Expr {
            kind: ExprKind::Field(Box::new(place.clone()), k.min(n as u32 - 1)),
            ty: me.machine(&elem),
            span,
        };
        if !op.is_empty() {
            let load = |k: &u32| {
                let place = part(self, *k);
                hir::Expr { ty: place.ty.clone(), kind: ExprKind::Load(Box::new(place)), span }
            };
            let old = self.vector_value(&elem, parts.iter().map(load).collect(), span)?;
            y = self.binary_values(op, old, y, span)?;
        }
        let value = self.convert(y, &t.clone().q(), b.span)?;
        // All components are computed before the first is stored: `v.xy = v.yx` swaps.
        let stored = self.stored(value, &mut pre);
        let values = self.loads(&stored, &elem, parts.len() as u64);
        for (k, value) in parts.iter().zip(values) {
            if u64::from(*k) < n {
                let place = part(self, *k);
                let ty = place.ty.clone();
                let kind = ExprKind::Assign(Box::new(place), Box::new(value));
                pre.push(hir::Expr { kind, ty, span });
            }
        }
        let result = self.value(ExprKind::Load(Box::new(stored)), t.q(), span);
        Ok(self.after(pre, result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_pick_components() {
        assert_eq!(picked("x", 2), Some(vec![0]));
        assert_eq!(picked("wzyx", 4), Some(vec![3, 2, 1, 0]));
        assert_eq!(picked("sA", 16), Some(vec![10]));
        assert_eq!(picked("s0f", 16), Some(vec![0, 15]));
        assert_eq!(picked("hi", 8), Some(vec![4, 5, 6, 7]));
        assert_eq!(picked("odd", 4), Some(vec![1, 3]));
        assert_eq!(picked("z", 2), None);
        assert_eq!(picked("x", 8), None);
        assert_eq!(picked("bgra", 4), Some(vec![2, 1, 0, 3]));
        assert_eq!(picked("rgzw", 4), None);
        assert_eq!(picked("xyzwx", 4), None);
        assert_eq!(picked("s4", 4), None);
    }
}
