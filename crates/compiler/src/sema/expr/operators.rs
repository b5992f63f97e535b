//! Operators on built-in types, and the choice of overloaded ones.

use crate::ast;
use crate::diag::Diagnostic;
use crate::hir::{self, BinOp, CmpOp, ExprKind, UnOp};
use crate::sema::expr::call::Arg;
use crate::sema::expr::fold;
use crate::sema::opencl::vectors::Target;
use crate::sema::stmt;
use crate::sema::types::convert;
use crate::sema::types::{QualType, Type};
use crate::sema::{Entity, ScopeKind, Sema, SemaResult, TypedExpr, fail};
use crate::source::Span;
use crate::walk::visit_expr;

pub(in crate::sema) fn bin_op(op: &str) -> Option<BinOp> {
    Some(match op {
        "+" => BinOp::Add,
        "-" => BinOp::Sub,
        "*" => BinOp::Mul,
        "/" => BinOp::Div,
        "%" => BinOp::Rem,
        "&" => BinOp::And,
        "|" => BinOp::Or,
        "^" => BinOp::Xor,
        "<<" => BinOp::Shl,
        ">>" => BinOp::Shr,
        _ => return None,
    })
}

fn cmp_op(op: &str) -> Option<CmpOp> {
    Some(match op {
        "==" => CmpOp::Eq,
        "!=" => CmpOp::Ne,
        "<" => CmpOp::Lt,
        "<=" => CmpOp::Le,
        ">" => CmpOp::Gt,
        ">=" => CmpOp::Ge,
        _ => return None,
    })
}

impl Sema<'_> {
    /// An operator written for a class, if one fits.
    fn overloaded(
        &mut self,
        op: &str,
        args: &[TypedExpr],
        span: Span,
    ) -> SemaResult<Option<TypedExpr>> {
        let classy =
            |e: &TypedExpr| matches!(e.q.ty, Type::Struct(_)) || matches!(e.q.ty, Type::Enum(_));
        if !args.iter().any(classy) {
            return Ok(None);
        }
        let name = format!("operator{op}");
        if let Type::Struct(id) = args[0].q.ty {
            let scope = self.structs[id.0 as usize].scope;
            if let Some(Entity::Funcs(list)) = self.lookup_in(scope, &name) {
                let rest: Vec<Arg> = args[1..].iter().cloned().map(Arg::TypedExpr).collect();
                if self.viable(&list, Some(&args[0]), &rest) {
                    return self
                        .call_set(&list, Vec::new(), Some(args[0].clone()), rest, span, &name)
                        .map(Some);
                }
            }
        }
        let mut list: Vec<usize> = Vec::new();
        if let Some((Entity::Funcs(found), _)) = self.lookup_free(&name) {
            list.extend(found.iter());
        }
        // Operators live in the namespace of the class as well.
        for a in args {
            if let Type::Struct(id) = a.q.ty {
                let mut at = self.scopes[self.structs[id.0 as usize].scope].parent;
                while let Some(s) = at {
                    if let Some(Entity::Funcs(found)) = self.lookup_in(s, &name) {
                        for f in found.iter() {
                            if !list.contains(f) {
                                list.push(*f);
                            }
                        }
                    }
                    at = self.scopes[s].parent;
                }
            }
        }
        if !args.iter().any(|a| matches!(a.q.ty, Type::Struct(_))) {
            // Of enumerations alone: only what is made for them.
            list.retain(|f| match &self.funcs[*f].sig {
                Some(sig) => sig.params.iter().any(|p| args.iter().any(|a| a.q.ty == p.q.ty)),
                None => true,
            });
        }
        let rest: Vec<Arg> = args.iter().cloned().map(Arg::TypedExpr).collect();
        if !list.is_empty() && self.viable(&list, None, &rest) {
            return self.call_set(&list, Vec::new(), None, rest, span, &name).map(Some);
        }
        Ok(None)
    }

    /// Looks a free function up, past members of the current class.
    fn lookup_free(&self, name: &str) -> Option<(Entity, usize)> {
        let mut at = Some(self.ctx.scope);
        while let Some(s) = at {
            if !matches!(self.scopes[s].kind, ScopeKind::Class(_))
                && let Some(e) = self.lookup_in(s, name)
            {
                return Some((e, s));
            }
            at = self.scopes[s].parent;
        }
        None
    }

    fn no_operator(&self, op: &str, a: &TypedExpr, b: &TypedExpr, span: Span) -> Box<Diagnostic> {
        let (x, y) = (self.show(&a.q), self.show(&b.q));
        let mut d = Diagnostic::error(span, format!("`{op}` cannot be applied to `{x}` and `{y}`"));
        let vector = |e: &TypedExpr| match e.q.ty {
            Type::Struct(id) => self.structs[id.0 as usize].vector.is_some(),
            _ => false,
        };
        if vector(a) || vector(b) {
            d = d.help(format!(
                "CUDA defines no operators for vector types: work on `.x`, `.y`, ... or define \
                 `operator{op}`"
            ));
        } else if op == "%" && (a.q.ty.is_float() || b.q.ty.is_float()) {
            d = d.help("the remainder of floating-point numbers is `fmodf(a, b)`");
        }
        Box::new(d)
    }

    pub(in crate::sema) fn unary(
        &mut self,
        op: &str,
        inner: &ast::Expr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        if let ("&", ast::ExprKind::Name(n)) = (op, &inner.kind)
            && let Some(member) = self.member_pointer(n)?
        {
            return Ok(member);
        }
        let ex = self.expr(inner)?;
        if matches!(op, "-" | "+" | "~" | "!") && self.vector_of(&ex.q.ty).is_some() {
            return self.vector_unary(op, ex, span);
        }
        if op != "&"
            && let Some(r) = self.overloaded(op, std::slice::from_ref(&ex), span)?
        {
            return Ok(r);
        }
        if let ("+", Type::Struct(id)) = (op, &ex.q.ty)
            && let Some(address) = self.lambda_address(*id, None, span)?
        {
            return Ok(address);
        }
        match op {
            "&" if matches!(ex.q.ty, Type::Func(_)) && !ex.place => Ok(ex),
            "*" if matches!(ex.q.ty, Type::Func(_)) => Ok(ex),
            "&" => {
                let ex = self.chosen_place(ex);
                let bits = self.bit_field(&ex.e).is_some();
                if !ex.place || bits {
                    return Err(Box::new(Diagnostic::error(span, "this has no address").label(
                        match bits {
                            true => "a bit-field",
                            false => "a value without a place of its own",
                        },
                    )));
                }
                self.mark_memory(&ex.e);
                let q = Type::Ptr(std::rc::Rc::new(ex.q)).q();
                let ty = self.machine(&q.ty);
                let e = convert::address(ex.e, span);
                Ok(TypedExpr { e: hir::Expr { ty, ..e }, q, place: false, constant: None })
            }
            "*" => {
                let v = self.load_value(ex)?;
                let Some(to) = v.q.ty.pointee().cloned() else {
                    return fail(
                        span,
                        format!("`*` needs a pointer, this is `{}`", self.show(&v.q)),
                    );
                };
                if matches!(to.ty, Type::Void) {
                    return fail(
                        span,
                        "a `void *` cannot be read: cast it to a pointer to the type it holds",
                    );
                }
                Ok(self.place(ExprKind::Deref(Box::new(v.e)), (*to).clone(), span))
            }
            "!" => {
                let b = self.truth(ex)?;
                if let ExprKind::Int(v) = b.kind {
                    return Ok(self.value(ExprKind::Int(u64::from(v == 0)), Type::Bool.q(), span));
                }
                let zero = hir::Expr { kind: ExprKind::Int(0), ty: hir::Ty::Bool, span };
                Ok(self.value(
                    ExprKind::Cmp(CmpOp::Eq, Box::new(b), Box::new(zero)),
                    Type::Bool.q(),
                    span,
                ))
            }
            _ => {
                let v = self.promoted_bits(ex)?;
                let allowed = v.q.ty.is_integral() && !self.scoped(&v.q.ty)
                    || (op != "~" && v.q.ty.is_float());
                if !allowed {
                    return fail(
                        span,
                        format!("`{op}` cannot be applied to `{}`", self.show(&v.q)),
                    );
                }
                let t = self.promoted(&v.q.ty);
                let e = self.cast(v.e, &t);
                let q = t.q();
                match (op, &e.kind) {
                    ("+", _) => Ok(TypedExpr {
                        e: hir::Expr { span, ..e },
                        q,
                        place: false,
                        constant: None,
                    }),
                    ("-", ExprKind::Float(x)) => Ok(self.value(ExprKind::Float(-x), q, span)),
                    ("-", ExprKind::Int(x)) => {
                        let bits = fold::wrap(x.wrapping_neg(), &e.ty);
                        Ok(self.value(ExprKind::Int(bits), q, span))
                    }
                    _ => {
                        let op = if op == "-" { UnOp::Neg } else { UnOp::Not };
                        Ok(self.value(ExprKind::Unary(op, Box::new(e)), q, span))
                    }
                }
            }
        }
    }

    fn scoped(&self, t: &Type) -> bool {
        matches!(t, Type::Enum(e) if self.enums[*e as usize].scoped)
    }

    /// The place can be written.
    /// Remembers that `span` changes something volatile.
    pub(in crate::sema) fn note_volatile(&mut self, ex: &TypedExpr, span: Span) {
        if ex.q.is_volatile {
            self.module.volatile.extend([ex.e.span, span]);
        }
    }

    pub(in crate::sema) fn writable(
        &mut self,
        ex: &TypedExpr,
        span: Span,
        what: &str,
    ) -> SemaResult<()> {
        if self.read_only {
            return fail(span, "an expression here must not change anything");
        }
        if constant_global(&ex.e, &self.module) {
            return Err(Box::new(
                Diagnostic::error(span, format!("{what} {} memory", self.words().constant))
                    .label("kernels can only read it")
                    .help(format!(
                        "the host fills it; use {} if the kernel must write it",
                        self.words().writable
                    )),
            ));
        }
        if ex.constant.is_some() || (ex.place && ex.q.is_const) {
            let mut d = Diagnostic::error(span, format!("{what} a constant"));
            let root = stmt::local_root(&ex.e).map(|id| &self.ctx.locals[id.0 as usize]);
            if let Some(l) = root.filter(|l| !l.name.starts_with('$')) {
                d = d.label(format!("`{}` is `const`", l.name)).related(l.span, "declared here");
            } else {
                d = d.label(format!("of type `{}`", self.show(&ex.q)));
                d = d.help("remove `const` from the declaration if the kernel may write here");
            }
            return Err(Box::new(d));
        }
        if !ex.place {
            return Err(Box::new(
                Diagnostic::error(span, format!("{what} something that is no variable"))
                    .label("only a value"),
            ));
        }
        Ok(())
    }

    pub(in crate::sema) fn inc_dec(
        &mut self,
        inc: bool,
        post: bool,
        place: &ast::Expr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let ex = self.expr(place)?;
        let ex = self.chosen_place(ex);
        if self.vector_of(&ex.q.ty).is_some() {
            return self.vector_step(ex, inc, post, span);
        }
        let op = if inc { "++" } else { "--" };
        let mut args = vec![ex.clone()];
        if post && matches!(ex.q.ty, Type::Struct(_)) {
            args.push(self.value(ExprKind::Int(0), Type::INT.q(), span));
        }
        if let Some(r) = self.overloaded(op, &args, span)? {
            return Ok(r);
        }
        self.writable(&ex, span, if inc { "`++` cannot change" } else { "`--` cannot change" })?;
        self.note_volatile(&ex, span);
        let ok = matches!(ex.q.ty, Type::Int(_))
            || ex.q.ty.is_float()
            || matches!(ex.q.ty, Type::Ptr(_));
        if !ok {
            return fail(span, format!("`{op}` cannot be applied to `{}`", self.show(&ex.q)));
        }
        let q = ex.q.plain();
        Ok(self.value(ExprKind::IncDec { place: Box::new(ex.e), inc, post }, q, span))
    }

    pub(in crate::sema) fn binary(
        &mut self,
        op: &'static str,
        a: &ast::Expr,
        b: &ast::Expr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        match op {
            "," => {
                let x = self.expr(a)?;
                let x = self.discard(x);
                let y = self.expr(b)?;
                if matches!(y.q.ty, Type::Void) {
                    return Ok(self.value(
                        ExprKind::Comma(Box::new(x), Box::new(y.e)),
                        Type::Void.q(),
                        span,
                    ));
                }
                let y = self.load_value(y)?;
                let q = y.q.clone();
                return Ok(self.value(ExprKind::Comma(Box::new(x), Box::new(y.e)), q, span));
            }
            ".*" | "->*" => {
                let object = self.member_object(a, op == "->*")?;
                let pointer = self.expr(b).and_then(|p| self.load_value(p))?;
                return self.pointed_member(object, pointer, span);
            }
            "&&" | "||" => {
                let x = self.expr(a)?;
                let y = self.expr(b)?;
                if self.any_vector(&x, &y) {
                    return self.vector_binary(op, x, y, span);
                }
                if let Some(r) = self.overloaded(op, &[x.clone(), y.clone()], span)? {
                    return Ok(r);
                }
                let (x, y) = (self.truth(x)?, self.truth(y)?);
                let kind = if op == "&&" {
                    ExprKind::And(Box::new(x), Box::new(y))
                } else {
                    ExprKind::Or(Box::new(x), Box::new(y))
                };
                return Ok(self.value(kind, Type::Bool.q(), span));
            }
            _ => {}
        }
        let x = self.expr(a)?;
        let y = self.expr(b)?;
        if matches!(op, "+" | "-" | "*" | "/") || cmp_op(op).is_some() {
            self.clear_operator(op, &x, &y, span)?;
        }
        if let Some(r) = self.overloaded(op, &[x.clone(), y.clone()], span)? {
            return Ok(r);
        }
        // `a != b` is `!(a == b)` since C++20.
        if op == "!="
            && let Some(same) = self.overloaded("==", &[x.clone(), y.clone()], span)?
        {
            let same = self.truth(same)?;
            let zero = hir::Expr { kind: ExprKind::Int(0), ty: hir::Ty::Bool, span };
            let kind = ExprKind::Cmp(CmpOp::Eq, Box::new(same), Box::new(zero));
            return Ok(self.value(kind, Type::Bool.q(), span));
        }
        self.binary_values(op, x, y, span)
    }

    /// A class that converts to a number stands for that number.
    fn arithmetic_operand(&mut self, ex: TypedExpr) -> SemaResult<TypedExpr> {
        if let Type::Struct(id) = ex.q.ty {
            for t in [Type::F32, Type::F64, Type::INT] {
                let scope = self.structs[id.0 as usize].scope;
                if self.lookup_in(scope, "operator T").is_none() {
                    break;
                }
                let span = ex.e.span;
                if let Ok(e) = self.convert(ex.clone(), &t.clone().q(), span) {
                    return Ok(TypedExpr { e, q: t.q(), place: false, constant: None });
                }
            }
        }
        self.promoted_bits(ex)
    }

    /// The value of `ex`; a bit-field becomes an `int` if that holds all its values.
    fn promoted_bits(&mut self, ex: TypedExpr) -> SemaResult<TypedExpr> {
        let bits = self.bit_field(&ex.e);
        let v = self.load_value(ex)?;
        let (Some(bits), Type::Int(_)) = (bits, &v.q.ty) else { return Ok(v) };
        let signed = matches!(v.e.ty, hir::Ty::Int { signed: true, .. });
        let t = match bits.width {
            ..32 => Type::INT,
            32 if signed => Type::INT,
            32 => Type::UINT,
            _ => return Ok(v),
        };
        let e = self.cast(v.e, &t);
        Ok(TypedExpr { e, q: t.q(), ..v })
    }

    /// Set if the expression is a bit-field.
    pub(in crate::sema) fn bit_field(&self, e: &hir::Expr) -> Option<hir::Bits> {
        let (ExprKind::Field(whole, k) | ExprKind::FieldOf(whole, k)) = &e.kind else {
            return None;
        };
        let hir::Ty::Struct(id) = whole.ty else { return None };
        self.module.structs[id.0 as usize].fields.get(*k as usize)?.bits
    }

    pub(in crate::sema) fn binary_values(
        &mut self,
        op: &str,
        x: TypedExpr,
        y: TypedExpr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        if self.any_vector(&x, &y) {
            return self.vector_binary(op, x, y, span);
        }
        let x = self.arithmetic_operand(x)?;
        let y = self.arithmetic_operand(y)?;
        if let Some(cmp) = cmp_op(op) {
            return self.compare(cmp, op, x, y, span);
        }
        let Some(bin) = bin_op(op) else {
            let text = format!("`{op}` is not supported");
            return Err(Box::new(Diagnostic::unsupported(span, text)));
        };
        // Pointers.
        match (bin, &x.q.ty, &y.q.ty) {
            (BinOp::Add | BinOp::Sub, Type::Ptr(to), t) if t.is_integral() => {
                self.arithmetic_pointee(&to.ty.clone(), span)?;
                let q = x.q.clone();
                let mut i = self.index_value(y, span)?;
                if bin == BinOp::Sub {
                    // Unsigned values are widened first, so that the negative keeps its meaning.
                    if matches!(i.ty, hir::Ty::Int { signed: false, .. }) {
                        i = self.cast(i, &Type::LONG);
                    }
                    let ty = i.ty.clone();
                    i = match i.kind {
                        ExprKind::Int(v) => hir::Expr {
                            kind: ExprKind::Int(fold::wrap(v.wrapping_neg(), &ty)),
                            ty,
                            span,
                        },
                        _ => hir::Expr { kind: ExprKind::Unary(UnOp::Neg, Box::new(i)), ty, span },
                    };
                }
                return Ok(self.value(ExprKind::PtrAdd(Box::new(x.e), Box::new(i)), q, span));
            }
            (BinOp::Add, t, Type::Ptr(to)) if t.is_integral() => {
                self.arithmetic_pointee(&to.ty.clone(), span)?;
                let q = y.q.clone();
                let i = self.index_value(x, span)?;
                return Ok(self.value(ExprKind::PtrAdd(Box::new(y.e), Box::new(i)), q, span));
            }
            (BinOp::Sub, Type::Ptr(p), Type::Ptr(r)) => {
                if !convert::same_type(&p.ty, &r.ty) {
                    return Err(self.no_operator(op, &x, &y, span));
                }
                self.arithmetic_pointee(&p.ty.clone(), span)?;
                return Ok(self.value(
                    ExprKind::PtrDiff(Box::new(x.e), Box::new(y.e)),
                    Type::LONG.q(),
                    span,
                ));
            }
            _ => {}
        }
        let integral_only = matches!(
            bin,
            BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr
        );
        let fits = |t: &Type| if integral_only { t.is_integral() } else { t.is_arithmetic() };
        if !fits(&x.q.ty) || !fits(&y.q.ty) || self.scoped(&x.q.ty) || self.scoped(&y.q.ty) {
            return Err(self.no_operator(op, &x, &y, span));
        }
        if matches!(bin, BinOp::Shl | BinOp::Shr) {
            let (tx, ty) = (self.promoted(&x.q.ty), self.promoted(&y.q.ty));
            let (ex, ey) = (self.cast(x.e, &tx), self.cast(y.e, &ty));
            let ey = if self.in_opencl(span) { self.shift_count(ey, &tx, &ty) } else { ey };
            return Ok(self.value(ExprKind::Binary(bin, Box::new(ex), Box::new(ey)), tx.q(), span));
        }
        let t = self.common(&x.q.ty, &y.q.ty);
        if matches!(bin, BinOp::Div | BinOp::Rem)
            && t.is_integral()
            && self.fold_int(&y.e) == Some(0)
        {
            self.warn(span, "division by zero");
        }
        let (ex, ey) = (self.cast(x.e, &t), self.cast(y.e, &t));
        Ok(self.value(ExprKind::Binary(bin, Box::new(ex), Box::new(ey)), t.q(), span))
    }

    fn arithmetic_pointee(&mut self, t: &Type, span: Span) -> SemaResult<()> {
        if matches!(t, Type::Void) {
            return fail(
                span,
                "arithmetic on a `void *` is not possible: the size of its elements is unknown",
            );
        }
        self.size_of(t, span).map(|_| ())
    }

    fn compare(
        &mut self,
        cmp: CmpOp,
        op: &str,
        x: TypedExpr,
        y: TypedExpr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let (a, b) = (x.q.ty.clone(), y.q.ty.clone());
        let result = |me: &Self, x: hir::Expr, y: hir::Expr| {
            Ok(me.value(ExprKind::Cmp(cmp, Box::new(x), Box::new(y)), Type::Bool.q(), span))
        };
        if a.is_arithmetic() && b.is_arithmetic() {
            if (self.scoped(&a) || self.scoped(&b)) && a != b {
                return Err(self.no_operator(op, &x, &y, span));
            }
            let t =
                if a == Type::Bool && b == Type::Bool { Type::Bool } else { self.common(&a, &b) };
            let (ex, ey) = (self.cast(x.e, &t), self.cast(y.e, &t));
            return result(self, ex, ey);
        }
        if a.is_code() || b.is_code() {
            if a != b && !self.null_literal(&x) && !self.null_literal(&y) {
                return Err(self.no_operator(op, &x, &y, span));
            }
            let q = if a.is_code() { a.q() } else { b.q() };
            let (ex, ey) = (self.convert(x, &q, span)?, self.convert(y, &q, span)?);
            return result(self, ex, ey);
        }
        if a.is_pointer() || b.is_pointer() {
            let void = Type::Ptr(std::rc::Rc::new(Type::Void.q()));
            let fine = match (&a, &b) {
                (Type::Ptr(p), Type::Ptr(r)) => {
                    convert::same_type(&p.ty, &r.ty)
                        || matches!(p.ty, Type::Void)
                        || matches!(r.ty, Type::Void)
                }
                _ => self.null_literal(&x) || self.null_literal(&y),
            };
            if !fine {
                return Err(self.no_operator(op, &x, &y, span));
            }
            let (ex, ey) = (self.cast(x.e, &void), self.cast(y.e, &void));
            return result(self, ex, ey);
        }
        Err(self.no_operator(op, &x, &y, span))
    }

    pub(in crate::sema) fn assign(
        &mut self,
        op: &'static str,
        a: &ast::Expr,
        b: &ast::Expr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let x = match self.assigned(a)? {
            Target::Place(x) => x,
            Target::Swizzle(vector, parts) => {
                return self.assign_swizzle(op, vector, &parts, b, span);
            }
        };
        if op.is_empty() {
            if let Type::Struct(id) = x.q.ty {
                let scope = self.structs[id.0 as usize].scope;
                if let Some(Entity::Funcs(list)) = self.lookup_in(scope, "operator=")
                    && list.iter().any(|f| matches!(self.funcs[*f].ast.body, ast::Body::Block(_)))
                    && !matches!(b.kind, ast::ExprKind::Init(_))
                {
                    let y = self.expr(b)?;
                    if self.viable(&list, Some(&x), &[Arg::TypedExpr(y.clone())]) {
                        return self.call_set(
                            &list,
                            Vec::new(),
                            Some(x),
                            vec![Arg::TypedExpr(y)],
                            span,
                            "operator=",
                        );
                    }
                }
            }
            self.writable(&x, a.span, "this assigns to")?;
            self.note_volatile(&x, span);
            if matches!(x.q.ty, Type::Array(..)) {
                return Err(Box::new(
                    Diagnostic::error(span, "an array cannot be assigned as a whole")
                        .help("assign its elements in a loop"),
                ));
            }
            let q = x.q.plain();
            let value = if matches!(b.kind, ast::ExprKind::Init(_)) {
                match self.init_value(&q, &ast::Init::Brace(b.clone()), b.span)? {
                    Some(v) => v,
                    None => return fail(b.span, "no value"),
                }
            } else {
                let y = self.expr(b)?;
                if matches!(y.q.ty, Type::Void) {
                    return fail(b.span, "this call returns nothing that could be assigned");
                }
                self.convert(y, &q, b.span)?
            };
            return Ok(self.value(ExprKind::Assign(Box::new(x.e), Box::new(value)), q, span));
        }
        let y = self.expr(b)?;
        if self.any_vector(&x, &y) {
            self.writable(&x, a.span, "this assigns to")?;
            return self.vector_update(op, x, y, span);
        }
        let name: &'static str = match op {
            "+" => "+=",
            "-" => "-=",
            "*" => "*=",
            "/" => "/=",
            "%" => "%=",
            "&" => "&=",
            "|" => "|=",
            "^" => "^=",
            "<<" => "<<=",
            _ => ">>=",
        };
        if x.q.ty.is_arithmetic() && x.q.ty != Type::F16 {
            self.clear_operator(name, &x, &y, span)?;
        }
        if let Some(r) = self.overloaded(name, &[x.clone(), y.clone()], span)? {
            return Ok(r);
        }
        self.writable(&x, a.span, "this assigns to")?;
        self.note_volatile(&x, span);
        let y = self.arithmetic_operand(y)?;
        let Some(bin) = bin_op(op) else { return fail(span, "unknown operator") };
        let q = x.q.plain();
        let value = match &x.q.ty {
            Type::Ptr(to) if matches!(bin, BinOp::Add | BinOp::Sub) && y.q.ty.is_integral() => {
                self.arithmetic_pointee(&to.ty.clone(), span)?;
                let mut i = self.index_value(y, b.span)?;
                if bin == BinOp::Sub && matches!(i.ty, hir::Ty::Int { signed: false, .. }) {
                    i = self.cast(i, &Type::LONG);
                }
                i
            }
            t => {
                let integral_only = matches!(
                    bin,
                    BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr
                );
                let fits =
                    |t: &Type| if integral_only { t.is_integral() } else { t.is_arithmetic() };
                if !fits(t) || !fits(&y.q.ty) || matches!(t, Type::Enum(_)) || self.scoped(&y.q.ty)
                {
                    return Err(self.no_operator(name, &x, &y, span));
                }
                let common = match bin {
                    BinOp::Shl | BinOp::Shr => self.promoted(t),
                    _ => self.common(t, &y.q.ty),
                };
                if matches!(bin, BinOp::Div | BinOp::Rem)
                    && common.is_integral()
                    && self.fold_int(&y.e) == Some(0)
                {
                    self.warn(span, "division by zero");
                }
                let value = self.cast(y.e, &common);
                match bin {
                    BinOp::Shl | BinOp::Shr if self.in_opencl(span) => {
                        let count = common.clone();
                        self.shift_count(value, &common, &count)
                    }
                    _ => value,
                }
            }
        };
        Ok(self.value(ExprKind::AssignOp(bin, Box::new(x.e), Box::new(value)), q, span))
    }

    pub(in crate::sema) fn conditional(
        &mut self,
        c: &ast::Expr,
        a: &ast::Expr,
        b: &ast::Expr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let cond = self.expr(c)?;
        if self.vector_of(&cond.q.ty).is_some() {
            let (x, y) = (self.expr(a)?, self.expr(b)?);
            return self.vector_choice(cond, x, y, span);
        }
        let cond = self.truth(cond)?;
        let (x, y) = (self.expr(a)?, self.expr(b)?);
        if matches!(x.q.ty, Type::Void) && matches!(y.q.ty, Type::Void) {
            let kind = ExprKind::Cond(Box::new(cond), Box::new(x.e), Box::new(y.e));
            return Ok(self.value(kind, Type::Void.q(), span));
        }
        self.clear_operator("?:", &x, &y, span)?;
        // Two places of one type: the result is a place again.
        if x.place
            && y.place
            && x.constant.is_none()
            && y.constant.is_none()
            && x.q.ty == y.q.ty
            && matches!(x.q.ty, Type::Array(..))
        {
            let (x, y) = (self.load_value(x)?, self.load_value(y)?);
            let q = x.q.clone();
            return Ok(self.value(
                ExprKind::Cond(Box::new(cond), Box::new(x.e), Box::new(y.e)),
                q,
                span,
            ));
        }
        let q: QualType = if x.q.ty == y.q.ty && !matches!(x.q.ty, Type::Array(..)) {
            x.q.plain()
        } else {
            let (vx, vy) = match (&x.q.ty, &y.q.ty) {
                (Type::Struct(_), _) | (_, Type::Struct(_)) => (x.clone(), y.clone()),
                _ => (self.load_value(x.clone())?, self.load_value(y.clone())?),
            };
            match (&vx.q.ty, &vy.q.ty) {
                (s, t) if s.is_arithmetic() && t.is_arithmetic() => self.common(s, t).q(),
                (Type::Ptr(_), _) if self.null_literal(&vy) => vx.q.plain(),
                (_, Type::Ptr(_)) if self.null_literal(&vx) => vy.q.plain(),
                (t, Type::Struct(_) | Type::Int(_) | Type::Nullptr) if t.is_code() => vx.q.plain(),
                (Type::Struct(_) | Type::Int(_) | Type::Nullptr, t) if t.is_code() => vy.q.plain(),
                (Type::Ptr(p), Type::Ptr(r))
                    if convert::same_type(&p.ty, &r.ty) && p.space == r.space =>
                {
                    Type::Ptr(std::rc::Rc::new(QualType {
                        is_const: p.is_const || r.is_const,
                        ..(**p).clone()
                    }))
                    .q()
                }
                (Type::Struct(_), _) => vx.q.plain(),
                (_, Type::Struct(_)) => vy.q.plain(),
                _ => {
                    return fail(
                        span,
                        format!(
                            "the two results of `?:` have the types `{}` and `{}`",
                            self.show(&vx.q),
                            self.show(&vy.q)
                        ),
                    );
                }
            }
        };
        // Seen where the choice is taken as a place.
        let q = QualType { is_const: x.q.is_const || y.q.is_const, ..q };
        let x = self.convert(x, &q, a.span)?;
        let y = self.convert(y, &q, b.span)?;
        Ok(self.value(ExprKind::Cond(Box::new(cond), Box::new(x), Box::new(y)), q, span))
    }

    /// The place that `c ? a : b` is in C++, if a and b are places of one type: most often its
    /// value is wanted, so that is what typing makes of it at first.
    pub(in crate::sema) fn chosen_place(&mut self, ex: TypedExpr) -> TypedExpr {
        if ex.place || self.in_opencl(ex.e.span) {
            return ex;
        }
        match ex.e.kind {
            ExprKind::Cond(c, x, y)
                if matches!((&x.kind, &y.kind), (ExprKind::Load(_), ExprKind::Load(_))) =>
            {
                let [x, y] = [*x, *y].map(|side| {
                    let ExprKind::Load(place) = side.kind else { unreachable!("matched above") };
                    self.mark_memory(&place);
                    Box::new(convert::address(*place, side.span))
                });
                let ty = x.ty.clone();
                let chosen = hir::Expr { kind: ExprKind::Cond(c, x, y), ty, span: ex.e.span };
                self.place(ExprKind::Deref(Box::new(chosen)), ex.q, ex.e.span)
            }
            // So is `a = b`, if it can be named twice.
            ExprKind::Assign(to, value) if is_plain(&to) => {
                self.mark_memory(&to);
                let address = Box::new(convert::address((*to).clone(), ex.e.span));
                let stored = ExprKind::Assign(to, value);
                let stored = Box::new(hir::Expr { kind: stored, ..ex.e });
                let (ty, span) = (address.ty.clone(), stored.span);
                let both = hir::Expr { kind: ExprKind::Comma(stored, address), ty, span };
                self.place(ExprKind::Deref(Box::new(both)), ex.q, span)
            }
            kind => TypedExpr { e: hir::Expr { kind, ..ex.e }, ..ex },
        }
    }
}

/// The place can be worked out twice: nothing happens on the way to it.
fn is_plain(place: &hir::Expr) -> bool {
    let mut plain = true;
    visit_expr(place, &mut |e| {
        plain &= !matches!(
            e.kind,
            ExprKind::Assign(..)
                | ExprKind::AssignOp(..)
                | ExprKind::IncDec { .. }
                | ExprKind::Call(..)
                | ExprKind::Builtin(..)
        );
    });
    plain
}

fn constant_global(e: &hir::Expr, module: &hir::Module) -> bool {
    match &e.kind {
        ExprKind::Global(g) => module.globals[g.0 as usize].space == hir::Space::Constant,
        ExprKind::Field(inner, _) | ExprKind::Index(inner, _) => constant_global(inner, module),
        _ => false,
    }
}
