//! Expressions that are neither operators nor calls.

mod ambiguous;
pub(in crate::sema) mod builtin;
pub(in crate::sema) mod call;
pub(in crate::sema) mod chains;
pub(in crate::sema) mod eval;
pub(in crate::sema) mod fnptr;
pub(in crate::sema) mod fold;
pub(in crate::sema) mod heap;
mod members;
pub(in crate::sema) mod operators;
pub(in crate::sema) mod printf;
mod shuffle;

use std::rc::Rc;

use crate::ast::{self, CastStyle, Init, Name};
use crate::diag::Diagnostic;
use crate::hir::{self, Axis, Builtin, ExprKind};
use crate::language::Language;
use crate::order;
use crate::sema::decl::packs;
use crate::sema::expr::call::Arg;
use crate::sema::types::convert;
use crate::sema::types::{QualType, Type};
use crate::sema::{Constant, Entity, ScopeKind, Sema, SemaResult, This, TypedExpr, fail, silent};
use crate::source::Span;

impl Sema<'_> {
    /// Types an expression.
    pub(in crate::sema) fn expr(&mut self, e: &ast::Expr) -> SemaResult<TypedExpr> {
        let span = e.span;
        Ok(match &e.kind {
            ast::ExprKind::Int(v, k) => self.value(ExprKind::Int(*v), Type::Int(*k).q(), span),
            ast::ExprKind::Float(v, bits) => {
                let t = match bits {
                    16 => Type::F16,
                    32 => Type::F32,
                    _ => Type::F64,
                };
                let v = &fold::round_to(*v, &self.machine(&t));
                self.value(ExprKind::Float(*v), t.q(), span)
            }
            ast::ExprKind::Char(v) => {
                self.value(ExprKind::Int(*v as u64), Type::Int(ast::IntKind::Char).q(), span)
            }
            ast::ExprKind::Bool(b) => {
                self.value(ExprKind::Int(u64::from(*b)), Type::Bool.q(), span)
            }
            ast::ExprKind::Nullptr => self.value(ExprKind::Int(0), Type::Nullptr.q(), span),
            ast::ExprKind::Str(bytes) => {
                let text = String::from_utf8_lossy(bytes).into_owned();
                let mut to = QualType::constant(Type::Int(ast::IntKind::Char));
                if self.in_opencl(span) {
                    to.space = hir::Space::Constant;
                }
                self.value(ExprKind::Str(text), Type::Ptr(Rc::new(to)).q(), span)
            }
            ast::ExprKind::This => {
                let place = self.this_place(span)?;
                let q = Type::Ptr(Rc::new(place.q.clone())).q();
                self.mark_memory(&place.e);
                let mut e = convert::address(place.e, span);
                e.ty = self.machine(&q.ty);
                TypedExpr { e, q, place: false, constant: None }
            }
            ast::ExprKind::Name(n) => self.name(n)?,
            ast::ExprKind::Paren(inner) => self.expr(inner)?,
            ast::ExprKind::Unary(op, inner) => self.unary(op, inner, span)?,
            ast::ExprKind::IncDec { inc, post, place } => self.inc_dec(*inc, *post, place, span)?,
            ast::ExprKind::Binary(op, a, b) => match self.long_chain(e)? {
                Some(value) => value,
                None => self.binary(op, a, b, span)?,
            },
            ast::ExprKind::Assign(op, a, b) => self.assign(op, a, b, span)?,
            ast::ExprKind::Cond(c, a, b) => self.conditional(c, a, b, span)?,
            ast::ExprKind::Call(f, args) => self.call(f, args, span)?,
            ast::ExprKind::Index(a, i) => self.index(a, i, span)?,
            ast::ExprKind::Member { base, arrow, name } => self.member(base, *arrow, name, span)?,
            ast::ExprKind::Cast(style, ty, inner) => self.cast_expr(*style, ty, inner, span)?,
            ast::ExprKind::Construct { ty, args, braces } => {
                self.construct_expr(ty, args, *braces, span)?
            }
            ast::ExprKind::Init(_) => {
                return fail(span, "a list in braces cannot stand here: write the type before it");
            }
            ast::ExprKind::SizeofTy(ty) => {
                let v = self.var_ty(ty)?;
                let n = self.size_of(&v.q.ty, ty.span)?;
                self.value(ExprKind::Int(n), Type::ULONG.q(), span)
            }
            ast::ExprKind::SizeofExpr(inner) => {
                let ex = self.unevaluated(inner)?;
                if matches!(ex.q.ty, Type::Array(_, None)) {
                    return fail(
                        span,
                        "an array whose length is given at launch has no size that the compiler \
                         knows",
                    );
                }
                let n = self.size_of(&ex.q.ty, inner.span)?;
                self.value(ExprKind::Int(n), Type::ULONG.q(), span)
            }
            ast::ExprKind::Alignof(ty) => {
                let v = self.var_ty(ty)?;
                self.size_of(&v.q.ty, ty.span)?;
                let ty = self.machine(&v.q.ty);
                let n = self.module.align_of(&ty);
                self.value(ExprKind::Int(n), Type::ULONG.q(), span)
            }
            ast::ExprKind::Offsetof(place) => {
                let ex = self.unevaluated(place)?;
                match self.distance(&ex.e) {
                    Some(n) if self.bit_field(&ex.e).is_none() => {
                        self.value(ExprKind::Int(n), Type::ULONG.q(), span)
                    }
                    _ => return fail(span, "this member has no constant distance in bytes"),
                }
            }
            ast::ExprKind::Expand(_)
            | ast::ExprKind::SizeofPack(_)
            | ast::ExprKind::Fold { .. } => {
                return fail(span, packs::NOT_EXPANDED);
            }
            ast::ExprKind::New { ty, at, count, init } => {
                self.new_object(ty, at.as_deref(), count.as_deref(), init, span)?
            }
            ast::ExprKind::Delete(p, array) => self.delete(p, *array, span)?,
            ast::ExprKind::Lambda(l) => self.lambda(l, span)?,
            ast::ExprKind::Requires(r) => {
                let met = u64::from(self.met(r));
                self.value(ExprKind::Int(met), Type::Bool.q(), span)
            }
            ast::ExprKind::Block(l) => {
                let object = self.lambda(l, span)?;
                self.call_object(object, &[], span)?
            }
        })
    }

    /// Bytes from the object at a constant address to a part of it.
    fn distance(&mut self, place: &hir::Expr) -> Option<u64> {
        match &place.kind {
            ExprKind::Deref(p) => matches!(p.kind, ExprKind::Cast(_)).then_some(0),
            ExprKind::Int(0) => Some(0),
            ExprKind::Field(whole, k) => {
                let hir::Ty::Struct(id) = whole.ty else { return None };
                let offset = self.module.structs[id.0 as usize].fields[*k as usize].offset;
                Some(self.distance(whole)? + offset)
            }
            ExprKind::Index(whole, i) => {
                let before = self.fold_int(i)?.checked_mul(self.module.size_of(&place.ty))?;
                self.distance(whole)?.checked_add(before)
            }
            _ => None,
        }
    }

    /// Type of an expression that is not evaluated (`sizeof`, `decltype`): leaves no trace.
    pub(in crate::sema) fn unevaluated(&mut self, e: &ast::Expr) -> SemaResult<TypedExpr> {
        // A member without an object, as in `decltype(S::x)`.
        if let ast::ExprKind::Name(n) = &e.kind
            && n.parts.len() > 1
            && let Some((Entity::Field, scope)) = self.resolve(n)?
            && let ScopeKind::Class(id) = self.scopes[scope].kind
        {
            let field = self.structs[id.0 as usize].fields.iter().find(|f| f.name == n.last().id);
            if let Some(q) = field.map(|f| f.ty.q.clone()) {
                return Ok(self.value(ExprKind::Int(0), q, e.span));
            }
        }
        let before: Vec<bool> = self.ctx.locals.iter().map(|l| l.needs_memory).collect();
        let result = self.expr(e);
        for (l, b) in self.ctx.locals.iter_mut().zip(before) {
            l.needs_memory = b;
        }
        result
    }

    /// `*this`.
    pub(in crate::sema) fn this_place(&mut self, span: Span) -> SemaResult<TypedExpr> {
        match self.ctx.this.clone() {
            This::Pointer(q) => {
                let ty = self.machine(&q.ty).ptr();
                let local =
                    hir::Expr { kind: ExprKind::Local(hir::LocalId(0)), ty: ty.clone(), span };
                let load = hir::Expr { kind: ExprKind::Load(Box::new(local)), ty, span };
                let place = self.place(ExprKind::Deref(Box::new(load)), q, span);
                // In a lambda that captured `this`, it means the outer object.
                if let Type::Struct(id) = place.q.ty
                    && let Some(path) = self.find_field(id, "$this")
                {
                    let field = self.walk(place, &path, span)?;
                    if matches!(field.q.ty, Type::Struct(_)) {
                        return Ok(field);
                    }
                    let pointer = self.load_value(field)?;
                    let Some(to) = pointer.q.ty.pointee().cloned() else {
                        return fail(span, "no `this` here");
                    };
                    return Ok(self.place(
                        ExprKind::Deref(Box::new(pointer.e)),
                        (*to).clone(),
                        span,
                    ));
                }
                Ok(place)
            }
            This::Object(id, q) => Ok(self.place(ExprKind::Local(id), q, span)),
            This::None => fail(span, "`this` exists only in member functions"),
        }
    }

    /// The closure or object whose member a name is.
    fn object_for(&mut self, scope: usize, span: Span) -> SemaResult<TypedExpr> {
        let ScopeKind::Class(owner) = self.scopes[scope].kind else {
            return fail(span, "not a member");
        };
        match self.ctx.this.clone() {
            This::Pointer(q) => {
                let direct = match q.ty {
                    Type::Struct(id) => self.base_path(id, owner),
                    _ => None,
                };
                if let Some(path) = direct {
                    let ty = self.machine(&q.ty).ptr();
                    let local =
                        hir::Expr { kind: ExprKind::Local(hir::LocalId(0)), ty: ty.clone(), span };
                    let load = hir::Expr { kind: ExprKind::Load(Box::new(local)), ty, span };
                    let place = self.place(ExprKind::Deref(Box::new(load)), q, span);
                    return self.walk(place, &path, span);
                }
                let place = self.this_place(span)?;
                match &place.q.ty {
                    Type::Struct(id) => match self.base_path(*id, owner) {
                        Some(path) => self.walk(place, &path, span),
                        None => fail(span, "a member of another class needs an object before it"),
                    },
                    _ => fail(span, "a member needs an object"),
                }
            }
            This::Object(id, q) => {
                let path = match q.ty {
                    Type::Struct(me) => self.base_path(me, owner),
                    _ => None,
                };
                let place = self.place(ExprKind::Local(id), q, span);
                match path {
                    Some(path) => self.walk(place, &path, span),
                    None => fail(span, "a member of another class needs an object before it"),
                }
            }
            This::None => fail(span, "a member needs an object before it, as in `object.member`"),
        }
    }

    fn name(&mut self, n: &Name) -> SemaResult<TypedExpr> {
        let span = n.span;
        let Some((entity, scope)) = self.resolve(n)? else {
            if let Some("__func__" | "__FUNCTION__") = n.plain().map(|id| &**id) {
                // Without its namespace, class and template arguments.
                let full = self.ctx.name.clone();
                let plain = full.rsplit("::").next().unwrap_or(&full);
                let end = plain.find('<').filter(|_| !plain.starts_with("operator"));
                let bytes = plain[..end.unwrap_or(plain.len())].into();
                let kind = ast::ExprKind::Str(bytes);
                return self.expr(&ast::Expr { kind, span });
            }
            if let Some(id) = n.plain().filter(|_| !self.in_opencl(span)) {
                if let Some(ex) = self.builtin_variable(id, span) {
                    return Ok(ex);
                }
                let key = format!("shared:{id}");
                if let Some((Entity::Type(q), _)) = self.lookup(self.ctx.scope, &key) {
                    return self.file_shared(id, q, span);
                }
                if crate::builtins::lookup(Language::CudaC, id).is_some() {
                    return Err(Box::new(
                        Diagnostic::error(span, format!("`{id}` is a function: it must be called"))
                            .help(format!("write `{id}(...)`")),
                    ));
                }
            }
            return Err(self.undeclared(n));
        };
        match entity {
            Entity::Local(l) => {
                if l.owner != self.ctx.serial {
                    if let Some(k) = l.constant {
                        let q = l.ty.q.clone();
                        return Ok(TypedExpr {
                            e: self.lit(k, &q, span),
                            q: q.plain(),
                            place: false,
                            constant: None,
                        });
                    }
                    return Err(Box::new(
                        Diagnostic::error(
                            span,
                            format!("`{}` is not captured by the lambda", n.last().id),
                        )
                        .related(l.span, "declared here")
                        .help("write `[=]` or name it between the brackets"),
                    ));
                }
                let ty = self.var_machine(&l.ty);
                let e = hir::Expr { kind: ExprKind::Local(l.id), ty: ty.clone(), span };
                if l.ty.by_ref {
                    let load = hir::Expr { kind: ExprKind::Load(Box::new(e)), ty, span };
                    return Ok(self.place(ExprKind::Deref(Box::new(load)), l.ty.q.clone(), span));
                }
                Ok(TypedExpr { e, q: l.ty.q.clone(), place: true, constant: l.constant })
            }
            Entity::Global(g) => self.global_place(g, n),
            Entity::Const(lit, q) => {
                let q = q.plain();
                Ok(TypedExpr { e: self.lit(lit, &q, span), q, place: false, constant: None })
            }
            Entity::Field => {
                let object = self.object_for(scope, span)?;
                let Type::Struct(id) = object.q.ty else { return fail(span, "not a class") };
                let Some(path) = self.find_field(id, &n.last().id) else {
                    return Err(self.undeclared(n));
                };
                self.walk(object, &path, span)
            }
            Entity::Funcs(list) => self.function_value(&list, n),
            Entity::VarTemplate(t) => {
                let g = self.var_instance(t, n.last())?;
                self.global_place(g, n)
            }
            Entity::Type(_) | Entity::StructTemplate(_) | Entity::AliasTemplate(_) => {
                fail(span, format!("`{}` is a type, but a value is needed", n.last().id))
            }
            Entity::Namespace(_) => {
                fail(span, format!("`{}` is a namespace, but a value is needed", n.last().id))
            }
            Entity::Broken => silent(span),
            Entity::Host(at) => {
                let id = n.last().id.clone();
                let key = format!("shared:{id}");
                if let Some((Entity::Type(q), _)) = self.lookup(self.ctx.scope, &key) {
                    return self.file_shared(&id, q, span);
                }
                let text = format!("`{id}` belongs to the host: device code cannot use it");
                Err(Box::new(Diagnostic::error(span, text).related(at, "declared here").help(
                    "a variable of the device needs `__device__` or `__constant__`; a function \
                         needs `__device__`",
                )))
            }
        }
    }

    /// Shared memory that was declared at file scope.
    fn file_shared(&mut self, id: &ast::Ident, q: QualType, span: Span) -> SemaResult<TypedExpr> {
        let ty = self.machine(&q.ty);
        let storage = match q.ty {
            Type::Array(_, None) => hir::Storage::SharedDynamic,
            _ => hir::Storage::SharedFile,
        };
        let found = self
            .ctx
            .locals
            .iter()
            .position(|l| l.storage == storage && l.name == **id && l.ty == ty);
        let declared = match self.lookup(self.ctx.scope, id) {
            Some((Entity::Host(at), _)) => at,
            _ => span,
        };
        let local = match found {
            Some(i) => hir::LocalId(i as u32),
            None => {
                let local = self.temp(id, ty, declared);
                self.ctx.locals[local.0 as usize].storage = storage;
                local
            }
        };
        Ok(self.place(ExprKind::Local(local), q, span))
    }

    fn global_place(&mut self, g: usize, n: &Name) -> SemaResult<TypedExpr> {
        let span = n.span;
        let var = &self.globals[g];
        if let Some(id) = var.id {
            let q = var.q.clone();
            return Ok(self.place(ExprKind::Global(id), q, span));
        }
        let q = var.q.clone();
        if let Some(k) = var.constant {
            let q = q.plain();
            return Ok(TypedExpr { e: self.lit(k, &q, span), q, place: false, constant: None });
        }
        if let (Some(value), true) = (&var.value, q.is_const) {
            // A constexpr array or struct of the host: constants only, by a constant index.
            let e = hir::Expr { span, ..value.clone() };
            return Ok(TypedExpr { e, q, place: false, constant: None });
        }
        let at = var.span;
        Err(Box::new(
            Diagnostic::error(
                span,
                format!("`{}` is a variable of the host: device code cannot use it", n.last().id),
            )
            .related(at, "declared here")
            .help("write `__device__` before it, or `__constant__` if kernels only read it"),
        ))
    }

    fn builtin_variable(&mut self, id: &str, span: Span) -> Option<TypedExpr> {
        let make: fn(Axis) -> Builtin = match id {
            "threadIdx" => Builtin::ThreadIdx,
            "blockIdx" => Builtin::BlockIdx,
            "blockDim" => Builtin::BlockDim,
            "gridDim" => Builtin::GridDim,
            _ => return None,
        };
        let name = if id.ends_with("Dim") { "dim3" } else { "uint3" };
        let sid = *self.vectors.get(name)?;
        let list = [Axis::X, Axis::Y, Axis::Z].map(|a| hir::Expr {
            kind: ExprKind::Builtin(make(a), Vec::new()),
            ty: hir::Ty::U32,
            span,
        });
        Some(self.value(
            ExprKind::Aggregate(list.to_vec()),
            QualType::constant(Type::Struct(sid)),
            span,
        ))
    }

    fn member(
        &mut self,
        base: &ast::Expr,
        arrow: bool,
        name: &Name,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let object = self.member_object(base, arrow)?;
        self.member_of(object, arrow, name, span)
    }

    /// Member of an object.
    pub(in crate::sema) fn member_of(
        &mut self,
        object: TypedExpr,
        arrow: bool,
        name: &Name,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        if self.vector_of(&object.q.ty).is_some() {
            return self.swizzle(object, name, span);
        }
        let Type::Struct(id) = object.q.ty else {
            let shown = self.show(&object.q);
            let mut d = Diagnostic::error(span, format!("`{shown}` has no members"))
                .label(format!("of type `{shown}`"));
            if let Type::Ptr(to) = &object.q.ty
                && matches!(to.ty, Type::Struct(_))
                && !arrow
            {
                d = d.help("this is a pointer: write `->` instead of `.`");
            }
            return Err(Box::new(d));
        };
        self.complete(id, span)?;
        let last = name.last();
        if let Some(path) = self.find_field(id, &last.id) {
            return self.walk(object, &path, span);
        }
        let scope = self.structs[id.0 as usize].scope;
        match self.lookup_in(scope, &last.id) {
            Some(Entity::Global(g)) => self.global_place(g, name),
            Some(Entity::Const(lit, q)) => Ok(TypedExpr {
                e: self.lit(lit, &q, span),
                q: q.plain(),
                place: false,
                constant: None,
            }),
            Some(Entity::Funcs(_)) => Err(Box::new(
                Diagnostic::error(
                    last.span,
                    format!("the member function `{}` must be called", last.id),
                )
                .help(format!("write `{}()`", last.id)),
            )),
            _ => Err(self.no_member(id, last)),
        }
    }

    pub(in crate::sema) fn no_member(
        &self,
        id: hir::StructId,
        part: &ast::Part,
    ) -> Box<Diagnostic> {
        let class = self.module.structs[id.0 as usize].name.clone();
        let mut d = Diagnostic::error(part.span, format!("`{class}` has no member `{}`", part.id))
            .label("no such member");
        let info = &self.structs[id.0 as usize];
        let mut names: Vec<&str> = self.scopes[info.scope]
            .names
            .keys()
            .map(|k| &**k)
            .filter(|k| !k.starts_with('$'))
            .collect();
        order::sort(&mut names);
        if let Some(near) = crate::suggest::nearest(&part.id, names.iter().copied()) {
            d = d.help(format!("did you mean `{near}`?"));
        } else if let Some((_, n)) = &info.vector {
            let list = ["x", "y", "z", "w"][..*n as usize].join("`, `");
            d = d.help(format!("its members are `{list}`"));
        }
        Box::new(d)
    }

    /// The object before `.` or `->`.
    pub(in crate::sema) fn member_object(
        &mut self,
        base: &ast::Expr,
        arrow: bool,
    ) -> SemaResult<TypedExpr> {
        let mut ex = self.expr(base)?;
        if !arrow {
            return Ok(ex);
        }
        if let Type::Struct(id) = ex.q.ty {
            let scope = self.structs[id.0 as usize].scope;
            if let Some(Entity::Funcs(list)) = self.lookup_in(scope, "operator->") {
                ex = self.call_set(
                    &list,
                    Vec::new(),
                    Some(ex),
                    Vec::new(),
                    base.span,
                    "operator->",
                )?;
            } else {
                return Err(Box::new(
                    Diagnostic::error(
                        base.span,
                        format!("`->` needs a pointer, this is `{}`", self.show(&ex.q)),
                    )
                    .help("write `.` instead"),
                ));
            }
        }
        let v = self.load_value(ex)?;
        let Some(to) = v.q.ty.pointee().cloned() else {
            return fail(base.span, format!("`->` needs a pointer, this is `{}`", self.show(&v.q)));
        };
        Ok(self.place(ExprKind::Deref(Box::new(v.e)), (*to).clone(), base.span))
    }

    /// The array in an object that a function gives, as in `f(x).list[2]`, gets a place; anything
    /// else stays as it is.
    fn array_of_temporary(&mut self, array: TypedExpr, span: Span) -> SemaResult<TypedExpr> {
        let (Type::Array(..), false, ExprKind::FieldOf(object, k)) =
            (&array.q.ty, array.place, &array.e.kind)
        else {
            return Ok(array);
        };
        let hir::Ty::Struct(id) = object.ty else { return Ok(array) };
        let q = QualType::constant(Type::Struct(id));
        let object =
            TypedExpr { e: (**object).clone(), q: q.plain(), place: false, constant: None };
        let address = self.bind_reference(object, &q.clone().reference(), span)?;
        let object = self.place(ExprKind::Deref(Box::new(address)), q, span);
        let array_q = QualType { is_const: true, ..array.q };
        Ok(self.place(ExprKind::Field(Box::new(object.e), *k), array_q, span))
    }

    pub(in crate::sema) fn index(
        &mut self,
        a: &ast::Expr,
        i: &ast::Expr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let base = self.expr(a)?;
        let index = self.expr(i)?;
        if self.vector_of(&base.q.ty).is_some() {
            return self.component(base, index, span);
        }
        if let Type::Struct(id) = base.q.ty {
            let scope = self.structs[id.0 as usize].scope;
            if let Some(Entity::Funcs(list)) = self.lookup_in(scope, "operator[]") {
                return self.call_set(
                    &list,
                    Vec::new(),
                    Some(base),
                    vec![Arg::TypedExpr(index)],
                    span,
                    "operator[]",
                );
            }
            return fail(span, format!("`{}` cannot be indexed", self.show(&base.q)));
        }
        let index = self.index_value(index, i.span)?;
        let base = self.array_of_temporary(base, span)?;
        if let (Type::Array(elem, n), true) = (&base.q.ty, base.place) {
            let (elem, n) = (elem.clone(), *n);
            match (self.fold_int(&index), n) {
                (Some(v), Some(n)) => {
                    let signed = matches!(index.ty, hir::Ty::Int { signed: true, .. });
                    let out = if signed { (v as i64) < 0 || v as i64 >= n as i64 } else { v >= n };
                    if out {
                        let shown = if signed { (v as i64).to_string() } else { v.to_string() };
                        let text = if n == 0 {
                            "the array has no elements".to_string()
                        } else {
                            format!("valid are 0 to {}", n - 1)
                        };
                        self.report(
                            Diagnostic::warning(
                                i.span,
                                format!("the index {shown} lies outside the array of {n} elements"),
                            )
                            .label(text),
                        );
                    }
                }
                (None, _) => self.mark_memory(&base.e),
                _ => {}
            }
            let q = (*elem).clone();
            return Ok(self.place(ExprKind::Index(Box::new(base.e), Box::new(index)), q, span));
        }
        if let (Type::Array(elem, _), ExprKind::Aggregate(list), Some(v)) =
            (&base.q.ty, &base.e.kind, self.fold_int(&index))
        {
            // Element of a constexpr array of the host.
            if let Some(e) = list.get(v as usize) {
                let e = hir::Expr { span, ..e.clone() };
                return Ok(TypedExpr { e, q: (**elem).clone(), place: false, constant: None });
            }
            return fail(i.span, "the index lies outside the array");
        }
        if matches!(base.q.ty, Type::Array(..)) {
            return Err(Box::new(
                Diagnostic::error(span, "this constant array exists on the host only")
                    .label("the index is not a constant")
                    .help(format!(
                        "declare the array {}, so that kernels can read it",
                        self.words().constant
                    )),
            ));
        }
        let v = self.load_value(base)?;
        let Some(to) = v.q.ty.pointee().cloned() else {
            return fail(
                a.span,
                format!("`{}` cannot be indexed: only arrays and pointers can", self.show(&v.q)),
            );
        };
        if matches!(to.ty, Type::Void) {
            return Err(Box::new(
                Diagnostic::error(
                    span,
                    "`void *` cannot be indexed: the size of its elements is unknown",
                )
                .help("cast it to a pointer to the element type"),
            ));
        }
        self.size_of(&to.ty.clone(), span)?;
        let ptr_ty = v.e.ty.clone();
        let ptr =
            hir::Expr { kind: ExprKind::PtrAdd(Box::new(v.e), Box::new(index)), ty: ptr_ty, span };
        Ok(self.place(ExprKind::Deref(Box::new(ptr)), (*to).clone(), span))
    }

    /// An index as 32-bit or signed 64-bit integer.
    pub(in crate::sema) fn index_value(
        &mut self,
        index: TypedExpr,
        span: Span,
    ) -> SemaResult<hir::Expr> {
        if matches!(index.q.ty, Type::Struct(_)) {
            return self.convert(index, &Type::LONG.q(), span);
        }
        let index = self.load_value(index)?;
        if !index.q.ty.is_integral() {
            let mut d = Diagnostic::error(
                span,
                format!("an index is an integer, but this is `{}`", self.show(&index.q)),
            );
            if index.q.ty.is_float() {
                d = d.help("convert it: `(int)x`");
            }
            return Err(Box::new(d));
        }
        let t = self.promoted(&index.q.ty);
        let e = self.cast(index.e, &t);
        Ok(if e.ty == hir::Ty::U64 { self.cast(e, &Type::LONG) } else { e })
    }

    fn cast_expr(
        &mut self,
        style: CastStyle,
        ty: &ast::Ty,
        inner: &ast::Expr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let to = self.var_ty(ty)?;
        let ex = self.expr(inner)?;
        if to.by_ref {
            // `reinterpret_cast<float4 &>(x)`: the same place with another type.
            if !ex.place {
                return fail(
                    span,
                    "only something with a place of its own can be cast to a reference",
                );
            }
            self.mark_memory(&ex.e);
            let addr = convert::address(ex.e, span);
            let pty = self.machine(&to.q.ty).ptr();
            let addr = if addr.ty == pty {
                addr
            } else {
                hir::Expr { kind: ExprKind::Cast(Box::new(addr)), ty: pty, span }
            };
            return Ok(self.place(ExprKind::Deref(Box::new(addr)), to.q, span));
        }
        if style == CastStyle::Static && ex.q.ty.is_pointer() && to.q.ty.is_pointer() {
            let free = match (&ex.q.ty, &to.q.ty) {
                (Type::Ptr(a), Type::Ptr(b)) => {
                    let void = matches!(a.ty, Type::Void) || matches!(b.ty, Type::Void);
                    let classes = matches!((&a.ty, &b.ty), (Type::Struct(_), Type::Struct(_)));
                    void || classes || convert::same_type(&a.ty, &b.ty)
                }
                _ => false,
            };
            if !free && !self.null_literal(&ex) {
                return Err(Box::new(
                    Diagnostic::error(
                        span,
                        format!(
                            "`static_cast` does not turn `{}` into `{}`",
                            self.show(&ex.q),
                            self.show(&to.q)
                        ),
                    )
                    .help("write `reinterpret_cast`"),
                ));
            }
        }
        if style == CastStyle::Reinterpret
            && !(ex.q.ty.is_pointer() || matches!(ex.q.ty, Type::Array(..)) || to.q.ty.is_pointer())
        {
            return Err(Box::new(
                Diagnostic::error(span, "`reinterpret_cast` works on pointers and references")
                    .help("to look at the bits of a number use `__float_as_int` and its relatives"),
            ));
        }
        self.convert_explicit(ex, &to.q, span)
    }

    fn construct_expr(
        &mut self,
        ty: &ast::Ty,
        args: &[ast::Expr],
        braces: bool,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        if let Some((q, e)) = self.deduced_object(ty, &made_by(args, braces), span)? {
            return Ok(TypedExpr { e: hir::Expr { span, ..e }, q, place: false, constant: None });
        }
        let q = self.ty(ty)?.plain();
        if self.in_opencl(span) && !braces {
            return self.vector_literal(&q, args, span);
        }
        let init = made_by(args, braces);
        if let (Type::Void, [e]) = (&q.ty, args) {
            let ex = self.expr(e)?;
            return self.convert_explicit(ex, &q, span);
        }
        if !matches!(q.ty, Type::Struct(_) | Type::Array(..)) {
            let inner: Vec<&ast::Expr> = match args {
                [ast::Expr { kind: ast::ExprKind::Init(items), .. }] if braces => {
                    items.iter().map(|i| &i.value).collect()
                }
                args => args.iter().collect(),
            };
            return match inner[..] {
                [] => {
                    let e = self.zero(&q, span)?;
                    Ok(TypedExpr { e, q, place: false, constant: None })
                }
                [e] => {
                    let ex = self.expr(e)?;
                    self.convert_explicit(ex, &q, span)
                }
                _ => fail(span, format!("`{}` is made from one value", self.show(&q))),
            };
        }
        match self.init_value(&q, &init, span)? {
            Some(e) => {
                Ok(TypedExpr { e: hir::Expr { span, ..e }, q, place: false, constant: None })
            }
            None => fail(span, "nothing to make a value from"),
        }
    }

    /// Zero of any type.
    pub(in crate::sema) fn zero(&mut self, q: &QualType, span: Span) -> SemaResult<hir::Expr> {
        Ok(match &q.ty {
            Type::F16 | Type::F32 | Type::F64 => self.lit(Constant::Float(0.0), q, span),
            Type::Struct(id) => {
                let id = *id;
                self.complete(id, span)?;
                let fields = self.structs[id.0 as usize].fields.clone();
                let is_union = self.module.structs[id.0 as usize].is_union;
                let mut list = Vec::new();
                for f in &fields {
                    if f.ty.by_ref {
                        return fail(span, "a class with a reference needs a value for it");
                    }
                    self.charge(1, span)?;
                    list.push(self.zero(&f.ty.q, span)?);
                    if is_union {
                        break;
                    }
                }
                hir::Expr { kind: ExprKind::Aggregate(list), ty: hir::Ty::Struct(id), span }
            }
            Type::Array(elem, n) => {
                let n = n.unwrap_or(0);
                self.charge(n, span)?;
                let one = self.zero(elem, span)?;
                let list = vec![one; n as usize];
                hir::Expr { kind: ExprKind::Aggregate(list), ty: self.machine(&q.ty), span }
            }
            Type::Void => return fail(span, "`void` has no value"),
            t => self.lit(Constant::Int(t.null()), q, span),
        })
    }

    /// Counts elements that initialisers make.
    pub(in crate::sema) fn charge(&mut self, n: u64, span: Span) -> SemaResult<()> {
        match self.init_budget.checked_sub(usize::try_from(n).unwrap_or(usize::MAX)) {
            Some(left) => {
                self.init_budget = left;
                Ok(())
            }
            None => fail(span, "the initial values of this program have too many elements"),
        }
    }
}

/// What stands behind the type in `T(a, b)` and `T{a, b}`.
fn made_by(args: &[ast::Expr], braces: bool) -> Init {
    match args {
        [list] if braces => Init::Brace(list.clone()),
        args => Init::Paren(args.to_vec()),
    }
}
