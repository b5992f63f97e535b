//! Variables of functions: plain ones, references, `auto`, shared memory.

use std::rc::Rc;

use crate::ast::{self, Decl, Init, TyKind};
use crate::diag::Diagnostic;
use crate::hir::{self, ExprKind, LocalId, Space, Stmt, StmtKind, Storage};
use crate::sema::expr::fold::Value;
use crate::sema::types::{QualType, Type, VarTy};
use crate::sema::{Constant, Entity, LocalVar, ScopeKind, Sema, SemaResult, TypedExpr, fail};
use crate::source::Span;
use crate::walk::visit_expr;

impl Sema<'_> {
    pub(in crate::sema) fn local_decl(&mut self, d: &Decl, out: &mut Vec<Stmt>) -> SemaResult<()> {
        match d {
            Decl::Var(v) => self.local_var(v, out),
            Decl::Bindings(v, names) => self.bindings(v, names, out),
            Decl::Struct(s) => self.declare_struct(s, self.ctx.scope).map(|_| ()),
            Decl::Enum(e) => self.declare_enum(e, self.ctx.scope).map(|_| ()),
            Decl::Alias { name, ty, template, span } => {
                self.declare_alias(name, ty, template, *span, self.ctx.scope)
            }
            Decl::StaticAssert { cond, text, span } => {
                self.static_assert(cond, text.as_deref(), *span)
            }
            Decl::Using(n) => {
                if let Some((e, _)) = self.resolve(n)? {
                    let scope = self.ctx.scope;
                    self.scopes[scope].names.insert(n.last().id.clone(), e);
                }
                Ok(())
            }
            Decl::UsingNamespace(n) => {
                if let Some(s) = self.used_scope(n) {
                    let scope = self.ctx.scope;
                    self.scopes[scope].using.push(s);
                }
                Ok(())
            }
            Decl::NamespaceAlias { name, target } => {
                if let Some((e @ Entity::Namespace(_), _)) = self.resolve(target)? {
                    let scope = self.ctx.scope;
                    self.scopes[scope].names.insert(name.clone(), e);
                }
                Ok(())
            }
            Decl::Function(f) => {
                if matches!(f.body, ast::Body::None) {
                    return Err(Box::new(
                        Diagnostic::error(
                            f.span,
                            format!(
                                "this declares a function `{}`, not a variable",
                                f.name.last().id
                            ),
                        )
                        .help(
                            "a variable with default value is written without `()`, or with `{}`",
                        ),
                    ));
                }
                fail(f.span, "a function cannot be defined inside a function")
            }
            _ => Ok(()),
        }
    }

    /// `auto [a, b] = e;`: a variable for the whole, and a reference to each part.
    pub(in crate::sema) fn bindings(
        &mut self,
        whole: &ast::Var,
        names: &[(ast::Ident, Span)],
        out: &mut Vec<Stmt>,
    ) -> SemaResult<()> {
        self.local_var(whole, out)?;
        let name = ast::Expr { kind: ast::ExprKind::Name(whole.name.clone()), span: whole.span };
        let object = self.expr(&name)?;
        let parts = self.parts(object, whole.span)?;
        if parts.len() != names.len() {
            let text = format!("{} names for {} parts", names.len(), parts.len());
            return fail(names[0].1, text);
        }
        for ((name, span), part) in names.iter().zip(parts) {
            let ty = part.q.clone().reference();
            let value = self.bind_reference(part, &ty, *span)?;
            let v = ast::Var {
                name: ast::Name::simple(name.clone(), *span),
                span: *span,
                init: Init::None,
                ..whole.clone()
            };
            let id = self.new_local(&v, ty, Storage::Auto, None)?;
            out.push(Stmt { kind: StmtKind::Let(id, Some(value)), span: *span });
        }
        Ok(())
    }

    /// The elements of an array, the members of a class, what a tuple holds.
    fn parts(&mut self, object: TypedExpr, span: Span) -> SemaResult<Vec<TypedExpr>> {
        match object.q.ty.clone() {
            Type::Array(elem, Some(n)) => {
                self.charge(n, span)?;
                let ty = self.machine(&elem.ty);
                let part = |k: u64| {
                    let at = hir::Expr { kind: ExprKind::Int(k), ty: hir::Ty::I32, span };
                    let kind = ExprKind::Index(Box::new(object.e.clone()), Box::new(at));
                    let e = hir::Expr { kind, ty: ty.clone(), span };
                    TypedExpr { e, q: (*elem).clone(), place: true, constant: None }
                };
                Ok((0..n).map(part).collect())
            }
            Type::Struct(id) => {
                let fields = self.structs[id.0 as usize].fields.clone();
                let mut out = Vec::new();
                for f in &fields {
                    let Some(path) = self.find_field(id, &f.name) else { continue };
                    let part = self.walk(object.clone(), &path, span)?;
                    // A tuple is its first part and a tuple of the others, an array its elements.
                    match &*f.name {
                        "__rest" | "__elements" => out.extend(self.parts(part, span)?),
                        _ => out.push(part),
                    }
                }
                Ok(out)
            }
            _ => fail(span, format!("`{}` has no parts", self.show(&object.q))),
        }
    }

    /// Declares a variable of the function; `ty` is settled.
    pub(in crate::sema) fn new_local(
        &mut self,
        v: &ast::Var,
        ty: VarTy,
        storage: Storage,
        constant: Option<Constant>,
    ) -> SemaResult<LocalId> {
        let name = v.name.last().id.clone();
        let scope = self.ctx.scope;
        if v.name.parts.len() > 1 {
            return fail(v.span, "a variable of a function has a plain name");
        }
        if let Some(old) = self.scopes[scope].names.get(&name) {
            let mut d =
                Diagnostic::error(v.span, format!("`{name}` is declared twice in one block"));
            if let Entity::Local(l) = old {
                d = d.related(l.span, "first declared here");
            }
            return Err(Box::new(d));
        }
        if storage == Storage::Auto {
            // A local that hides a shared variable is nearly always a slip.
            if let Some((Entity::Local(l), _)) = self.lookup(scope, &name)
                && l.owner == self.ctx.serial
                && self.ctx.locals[l.id.0 as usize].storage != Storage::Auto
            {
                let at = l.span;
                self.report(
                    Diagnostic::warning(
                        v.span,
                        format!(
                            "`{name}` hides a {} variable of the same name",
                            self.words().shared
                        ),
                    )
                    .related(at, "the shared one"),
                );
            }
        }
        let id = LocalId(self.ctx.locals.len() as u32);
        let mty = self.var_machine(&ty);
        let mut ty = ty;
        if self.is_c() {
            let s = if storage == Storage::Auto { Space::Local } else { Space::Shared };
            ty.q = ty.q.within(s);
        }
        let end = self.ctx.block_end.max(v.span.hi);
        self.ctx.locals.push(hir::Local {
            name: name.to_string(),
            ty: mty,
            storage,
            needs_memory: false,
            to_const: false,
            span: v.span,
            scope: Span { hi: end, ..v.span },
        });
        let var = LocalVar { id, ty, constant, owner: self.ctx.serial, span: v.span };
        self.scopes[scope].names.insert(name, Entity::Local(Rc::new(var)));
        Ok(id)
    }

    pub(in crate::sema) fn local_var(
        &mut self,
        v: &ast::Var,
        out: &mut Vec<Stmt>,
    ) -> SemaResult<()> {
        let result = self.local_var_inner(v, out);
        if result.is_err() {
            // The name exists all the same, so that one mistake is reported once.
            let name = v.name.last().id.clone();
            let scope = self.ctx.scope;
            self.scopes[scope].names.entry(name).or_insert(Entity::Broken);
        }
        result
    }

    fn local_var_inner(&mut self, v: &ast::Var, out: &mut Vec<Stmt>) -> SemaResult<()> {
        let specs = &v.specs;
        let name = v.name.last().id.clone();
        if self.in_opencl(v.span) {
            if specs.constant {
                return self.declare_global(&Rc::new(v.clone()), self.ctx.scope, None);
            }
            self.check_local_space(v)?;
        }
        if specs.constant || (specs.device && !specs.shared) || specs.managed {
            return Err(Box::new(
                Diagnostic::error(
                    v.span,
                    format!("`{name}` cannot be `__constant__` or `__device__` inside a function"),
                )
                .help("move it to file scope"),
            ));
        }
        if specs.shared {
            return self.shared_var(v, out);
        }
        if specs.is_extern {
            return Err(Box::new(
                Diagnostic::error(
                    v.span,
                    format!("`extern` variables inside a function must be {}", self.words().shared),
                )
                .help("write `extern __shared__ float name[];` for dynamic shared memory"),
            ));
        }
        if specs.is_static && !specs.is_constexpr && !is_constant(&v.ty) {
            // One variable for all threads, as at file scope.
            let specs = ast::Specs { device: true, ..specs.clone() };
            let v = Rc::new(ast::Var { specs, ..v.clone() });
            return self.declare_global(&v, self.ctx.scope, None);
        }
        if matches!(ast::auto_core(&v.ty).kind, TyKind::Auto) {
            return self.auto_var(v, out);
        }
        if let Some((q, value)) = self.deduced_object(&v.ty, &v.init, v.span)? {
            let q = QualType { is_const: v.ty.is_const, ..q };
            let id = self.new_local(v, q.clone().value(), Storage::Auto, None)?;
            out.push(Stmt { kind: StmtKind::Let(id, Some(value)), span: v.span });
            return self.note_object(id, &q, v.span);
        }
        let mut ty = self.var_ty(&v.ty)?;
        if ty.by_ref {
            let e = match &v.init {
                Init::Assign(e) => e.clone(),
                Init::Paren(a) if a.len() == 1 => a[0].clone(),
                Init::Brace(ast::Expr { kind: ast::ExprKind::Init(items), .. })
                    if items.len() == 1 =>
                {
                    items[0].value.clone()
                }
                _ => {
                    return fail(
                        v.span,
                        format!("the reference `{name}` must be bound to something"),
                    );
                }
            };
            let ex = self.expr(&e)?;
            let value = self.bind_reference(ex, &ty, e.span)?;
            let id = self.new_local(v, ty, Storage::Auto, None)?;
            out.push(Stmt { kind: StmtKind::Let(id, Some(value)), span: v.span });
            return Ok(());
        }
        if matches!(ty.q.ty, Type::Void) {
            return fail(v.span, format!("`{name}` cannot have the type `void`"));
        }
        self.fix_array_length(&mut ty.q, &v.init)?;
        if matches!(ty.q.ty, Type::Array(_, None)) {
            return fail(v.span, format!("the array `{name}` needs a length"));
        }
        let size = self.size_of(&ty.q.ty.clone(), v.span)?;
        if size > 512 << 10 {
            return Err(Box::new(
                Diagnostic::error(
                    v.span,
                    format!(
                        "`{name}` has {size} bytes, but a thread has at most 512 KiB of its own"
                    ),
                )
                .help("use global memory for large arrays"),
            ));
        }
        let q = ty.q.clone();
        // The name is in scope only behind its initialiser here, so that `int x = x` finds the
        // outer one or none.
        let mut value = match (&v.init, &q.ty) {
            (Init::None, Type::Struct(id)) if self.is_constructed(*id) => {
                Some(self.construct(*id, Vec::new(), v.span)?)
            }
            (Init::None, Type::Struct(id)) if self.has_defaults(*id) => {
                let sid = *id;
                let id = self.new_local(v, ty, Storage::Auto, None)?;
                out.push(Stmt { kind: StmtKind::Let(id, None), span: v.span });
                let place =
                    hir::Expr { kind: ExprKind::Local(id), ty: hir::Ty::Struct(sid), span: v.span };
                let mut list = Vec::new();
                self.default_members(&place, sid, v.span, &mut list)?;
                out.extend(
                    list.into_iter().map(|e| Stmt { kind: StmtKind::Expr(e), span: v.span }),
                );
                return self.note_object(id, &q, v.span);
            }
            (Init::None, Type::Array(elem, Some(n)))
                if matches!(&elem.ty, Type::Struct(id)
                    if self.is_constructed(*id) || self.has_defaults(*id)) =>
            {
                let Type::Struct(sid) = elem.ty.clone() else { return Ok(()) };
                if *n > 4096 {
                    let text = "an array of this many objects with constructors is not supported";
                    return Err(Box::new(Diagnostic::unsupported(v.span, text).help(
                        "at most 4096: leave the constructor empty and set the members in a loop",
                    )));
                }
                let mut list = Vec::new();
                for _ in 0..*n {
                    list.push(self.construct(sid, Vec::new(), v.span)?);
                }
                let ty = self.machine(&q.ty);
                Some(hir::Expr { kind: ExprKind::Aggregate(list), ty, span: v.span })
            }
            (Init::None, _) => None,
            (init, _) if v.mentions_itself => {
                self.of_itself(v, &ty, |me| me.init_value(&q, init, v.span))?
            }
            (init, _) => self.init_value(&q, init, v.span)?,
        };
        if value.is_none() && q.is_const && q.ty.is_scalar() {
            return fail(v.span, format!("the constant `{name}` needs a value"));
        }
        let constant = value.as_mut().and_then(|e| self.constant(&q, e));
        if specs.is_constexpr && constant.is_none() && q.ty.is_arithmetic() {
            return fail(
                v.span,
                format!("the value of the constexpr variable `{name}` is not a constant"),
            );
        }
        let id = self.new_local(v, ty, Storage::Auto, constant)?;
        let span = v.span;
        out.push(Stmt { kind: StmtKind::Let(id, value), span });
        self.note_object(id, &q, span)
    }

    /// Runs `f` where the variable's name already means something of its type, as in
    /// `T *p = (decltype(p))q`.
    fn of_itself<V>(
        &mut self,
        v: &ast::Var,
        ty: &VarTy,
        f: impl FnOnce(&mut Self) -> SemaResult<V>,
    ) -> SemaResult<V> {
        let scope = self.push_scope(self.ctx.scope, ScopeKind::Block, "");
        let id = self.temp("$itself", self.var_machine(ty), v.span);
        let var =
            LocalVar { id, ty: ty.clone(), constant: None, owner: self.ctx.serial, span: v.span };
        let name = v.name.last().id.clone();
        self.scopes[scope].names.insert(name, Entity::Local(Rc::new(var)));
        let outer = std::mem::replace(&mut self.ctx.scope, scope);
        let result = f(self);
        self.ctx.scope = outer;
        result
    }

    fn auto_var(&mut self, v: &ast::Var, out: &mut Vec<Stmt>) -> SemaResult<()> {
        let e = match &v.init {
            Init::Assign(e) => e.clone(),
            Init::Paren(a) if a.len() == 1 => a[0].clone(),
            Init::Brace(ast::Expr { kind: ast::ExprKind::Init(items), .. }) if items.len() == 1 => {
                items[0].value.clone()
            }
            _ => return fail(v.span, "`auto` needs exactly one initial value"),
        };
        let ex = self.expr(&e)?;
        if matches!(ex.q.ty, Type::Void) {
            return fail(e.span, "this call returns nothing that a variable could hold");
        }
        if let TyKind::Ref(inner, rvalue) = &v.ty.kind {
            let c = ex.q.is_const || inner.is_const;
            let ty =
                VarTy { rvalue: *rvalue, ..QualType { is_const: c, ..ex.q.clone() }.reference() };
            let value = self.bind_reference(ex, &ty, e.span)?;
            let id = self.new_local(v, ty, Storage::Auto, None)?;
            out.push(Stmt { kind: StmtKind::Let(id, Some(value)), span: v.span });
            return Ok(());
        }
        let mut value = self.load_value(ex)?;
        if matches!(v.ty.kind, TyKind::Ptr(..)) && !value.q.ty.is_pointer() {
            return fail(
                e.span,
                format!("`auto *` needs a pointer, this is `{}`", self.show(&value.q)),
            );
        }
        if matches!(value.q.ty, Type::Nullptr) {
            return fail(
                e.span,
                "the type of `nullptr` says nothing: write the pointer's type instead of `auto`",
            );
        }
        let q = QualType { is_const: v.ty.is_const, ..value.q.plain() };
        let constant = self.constant(&q, &mut value.e);
        let id = self.new_local(v, q.value(), Storage::Auto, constant)?;
        out.push(Stmt { kind: StmtKind::Let(id, Some(value.e)), span: v.span });
        Ok(())
    }

    /// The value of a constant of type `q`; calls in it are then no part of the running kernel.
    fn constant(&mut self, q: &QualType, value: &mut hir::Expr) -> Option<Constant> {
        let member = matches!(q.ty, Type::Member(_) | Type::Method(_));
        if !(q.is_const && (q.ty.is_arithmetic() || member)) {
            return None;
        }
        let constant = self.fold(value)?;
        let mut calls = false;
        visit_expr(value, &mut |e| calls |= matches!(e.kind, ExprKind::Call(..)));
        if calls && let Some(e) = self.value_expr(&Value::Constant(constant), value, &value.ty) {
            *value = e;
        }
        Some(constant)
    }

    fn shared_var(&mut self, v: &ast::Var, out: &mut Vec<Stmt>) -> SemaResult<()> {
        let q = self.ty(&v.ty)?;
        let storage = self.check_shared(v, &q)?;
        let id = self.new_local(v, q.value(), storage, None)?;
        out.push(Stmt { kind: StmtKind::Let(id, None), span: v.span });
        Ok(())
    }
    /// What must hold of a shared variable of type `q`; says where it lies.
    pub(in crate::sema) fn check_shared(
        &mut self,
        v: &ast::Var,
        q: &QualType,
    ) -> SemaResult<Storage> {
        let name = v.name.last().id.clone();
        let words = self.words();
        let shared = words.shared;
        if !matches!(v.init, Init::None) {
            return Err(Box::new(
                Diagnostic::error(
                    v.span,
                    format!("the {shared} variable `{name}` cannot have an initial value"),
                )
                .help(format!("let the threads store it, then call {}", words.barrier)),
            ));
        }
        let storage = match (&q.ty, v.specs.is_extern) {
            (Type::Array(_, None), true) => Storage::SharedDynamic,
            (Type::Array(_, None), false) => {
                return Err(Box::new(
                    Diagnostic::error(v.span, format!("the {shared} array `{name}` has no length"))
                        .help(format!(
                            "write its length, or {} if the length is given at launch",
                            words.shared_at_launch
                        )),
                ));
            }
            (Type::Array(_, Some(_)), true) => {
                return Err(Box::new(
                    Diagnostic::error(
                        v.span,
                        format!(
                            "an {} array has no length: it is given at launch",
                            words.extern_shared
                        ),
                    )
                    .help("leave the brackets empty, or remove `extern`"),
                ));
            }
            (_, true) => {
                return fail(
                    v.span,
                    format!(
                        "an {} variable is an array without length, such as `float s[]`",
                        words.extern_shared
                    ),
                );
            }
            _ => Storage::Shared,
        };
        let mut core = q.ty.clone();
        while let Type::Array(e, _) = core.clone() {
            core = e.ty.clone();
        }
        if let Type::Struct(id) = core {
            self.complete(id, v.span)?;
            if !self.is_empty_object(id) {
                let class = self.module.structs[id.0 as usize].name.clone();
                let text = format!(
                    "`{name}` is shared, but `{class}` has a constructor or default values, which \
                     nobody runs"
                );
                return Err(Box::new(
                    Diagnostic::error(v.span, text)
                        .help("use a struct without constructors, and store the members"),
                ));
            }
        }
        let size = self.size_of(&q.ty.clone(), v.span)?;
        if size > 1 << 20 {
            return fail(
                v.span,
                format!("`{name}` has {size} bytes, far more than a block's shared memory"),
            );
        }
        Ok(storage)
    }
}

/// The variable itself cannot be changed; of an array its elements.
fn is_constant(ty: &ast::Ty) -> bool {
    match &ty.kind {
        TyKind::Array(elem, _) => is_constant(elem),
        _ => ty.is_const,
    }
}
