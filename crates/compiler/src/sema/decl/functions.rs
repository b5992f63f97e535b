//! Functions: declarations, instances, and typing their bodies.

use std::rc::Rc;

use crate::ast::{self, Body, Specs, TyKind};
use crate::diag::Diagnostic;
use crate::hir::{self, FuncId, KernelAttrs, Local, LocalId, Stmt, StmtKind, Storage};
use crate::sema::types::{QualType, Type, VarTy};
use crate::sema::{
    Ctx, Entity, FnDecl, FnIdx, Instance, LocalVar, MAX_INSTANCES, MAX_INSTANTIATION_DEPTH,
    Pending, ScopeId, ScopeKind, Sema, SemaResult, Sig, TemplateArg, This, fail,
};
use crate::source::Span;

impl Sema<'_> {
    pub(in crate::sema) fn declare_function(
        &mut self,
        f: &Rc<ast::Function>,
        scope: ScopeId,
        owner: Option<hir::StructId>,
    ) -> SemaResult<()> {
        if !f.mentions.is_empty() {
            self.hosts.push((f.clone(), scope));
        }
        let host = matches!(f.body, Body::Host) && !f.specs.is_constexpr;
        match self.declare_any_function(f, scope, owner) {
            // What the host has for itself may be made of anything.
            Err(_) if host && (f.name.parts.len() > 1 || f.is_template) => Ok(()),
            declared => declared,
        }
    }

    fn declare_any_function(
        &mut self,
        f: &Rc<ast::Function>,
        scope: ScopeId,
        owner: Option<hir::StructId>,
    ) -> SemaResult<()> {
        let mut scope = scope;
        let mut owner = owner;
        if f.name.parts.len() > 1 {
            // A member defined outside its class, or a function of a namespace.
            let mut class = f.name.clone();
            class.parts.pop();
            match self.resolve(&class)? {
                Some((Entity::Namespace(s), _)) => scope = s,
                Some((Entity::StructTemplate(t), _)) => {
                    self.struct_templates[t].members.push(f.clone());
                    let done: Vec<hir::StructId> =
                        self.struct_templates[t].instances.values().copied().collect();
                    for sid in done {
                        self.attach_member(sid, f);
                    }
                    return Ok(());
                }
                Some((entity, _)) => match self.entity_type(&entity, class.last())? {
                    Some(QualType { ty: Type::Struct(sid), .. }) => {
                        self.complete(sid, f.span)?;
                        scope = self.structs[sid.0 as usize].scope;
                        owner = Some(sid);
                    }
                    _ => return fail(class.span, format!("`{}` is not a class", class.last().id)),
                },
                None => return Err(self.undeclared(&class)),
            }
        }
        let last = f.name.last();
        let id = last.id.clone();
        let mut sig = None;
        if !f.is_template {
            match self.signature(f, scope) {
                Ok(s) => sig = Some(Rc::new(s)),
                Err(d)
                    if f.specs.device
                        || f.specs.global
                        || owner.is_some() && f.specs.is_constexpr =>
                {
                    return Err(d);
                }
                Err(_) => {
                    self.scopes[scope].names.entry(id).or_insert(Entity::Host(f.span));
                    return Ok(());
                }
            }
        }
        if f.specs.global {
            self.check_kernel(f, sig.as_deref())?;
        }
        if let (true, Some(sig), Some(id)) = (f.is_ctor, &sig, owner)
            && let [first, ..] = &sig.params[..]
            && !first.by_ref
            && first.q.ty == Type::Struct(id)
            && f.params[1..].iter().all(|p| p.default.is_some())
        {
            let class = &f.name.last().id;
            let text = format!("a constructor of `{class}` cannot take a `{class}` by value");
            return Err(Box::new(
                Diagnostic::error(f.params[0].span, text)
                    .label("passing it would copy it by this constructor")
                    .help(format!("write `const {class} &`")),
            ));
        }
        let existing: Vec<FnIdx> = if f.is_ctor {
            owner.map(|o| self.structs[o.0 as usize].ctors.clone()).unwrap_or_default()
        } else {
            match self.scopes[scope].names.get(&id) {
                Some(Entity::Funcs(list)) => list.to_vec(),
                _ => Vec::new(),
            }
        };
        // An explicit specialisation belongs to its template.
        if f.is_template && f.template.is_empty() {
            return self.explicit_specialisation(f, scope, &existing, owner);
        }
        if self.joined(&existing, f, sig.as_ref(), scope)? {
            return Ok(());
        }
        let allowed = overloadable(f) || existing.iter().any(|o| overloadable(&self.funcs[*o].ast));
        if self.in_opencl(f.span) && !existing.is_empty() && !allowed {
            let at = self.funcs[existing[0]].ast.span;
            return Err(Box::new(
                Diagnostic::error(
                    f.span,
                    format!("`{id}` is declared twice with different parameters"),
                )
                .related(at, "other declaration")
                .help(
                    "OpenCL C has no overloads: give the functions different names, or write \
                     `__attribute__((overloadable))` before each, which compilers built on clang \
                     know",
                ),
            ));
        }
        // A function of ours is in nobody's way.
        let others = existing.iter().find(|f| !self.own.contains(&self.funcs[**f].ast.span.file));
        if let (Some(other), true) = (others, f.specs.extern_c && owner.is_none() && f.specs.global)
        {
            let at = self.funcs[*other].ast.span;
            return Err(Box::new(
                Diagnostic::error(
                    f.span,
                    format!(
                        "`{id}` is declared twice, and `extern \"C\"` does not allow overloads"
                    ),
                )
                .related(at, "other declaration"),
            ));
        }
        let index = self.funcs.len();
        self.funcs.push(FnDecl {
            ast: f.clone(),
            scope,
            owner,
            sig,
            special: Vec::new(),
            extern_c: f.specs.extern_c,
        });
        if f.is_ctor {
            if let Some(o) = owner {
                self.structs[o.0 as usize].ctors.push(index);
            }
        } else {
            let mut list = existing;
            list.push(index);
            self.scopes[scope].names.insert(id, Entity::Funcs(Rc::new(list)));
        }
        self.root(index);
        Ok(())
    }

    /// True if `f` declares one of the functions that are `existing` again, which takes over what
    /// it adds.
    fn joined(
        &mut self,
        existing: &[FnIdx],
        f: &Rc<ast::Function>,
        sig: Option<&Rc<Sig>>,
        scope: ScopeId,
    ) -> SemaResult<bool> {
        let id = &f.name.last().id;
        for &old in existing {
            let same = {
                let o = &self.funcs[old];
                match (&o.sig, sig) {
                    (Some(a), Some(b)) if self.is_c() => {
                        // `const` before a parameter itself makes no other function.
                        let types =
                            |s: &Sig| s.params.iter().map(|p| p.q.ty.clone()).collect::<Vec<_>>();
                        types(a) == types(b)
                    }
                    (Some(a), Some(b)) => {
                        let result = |s: &Sig| (&**id == "operator T").then(|| s.ret.clone());
                        same_params(&a.params, &b.params)
                            && o.ast.is_const == f.is_const
                            && result(a) == result(b)
                    }
                    (None, None) => {
                        o.ast.is_template == f.is_template
                            && o.ast.params.len() == f.params.len()
                            && o.ast.template.len() == f.template.len()
                            && o.ast
                                .params
                                .iter()
                                .zip(&f.params)
                                .all(|(a, b)| same_shape(&a.ty, &b.ty))
                            && (matches!(o.ast.body, Body::None) || matches!(f.body, Body::None))
                    }
                    _ => false,
                }
            };
            let (old_parts, parts) = (&self.funcs[old].ast.requires, &f.requires);
            let both = |e: &[ast::Expr]| e.iter().map(|e| e.span).collect::<Vec<_>>();
            let defined = !matches!(self.funcs[old].ast.body, Body::None);
            if !same || old_parts.len() != parts.len() || defined && both(old_parts) != both(parts)
            {
                continue;
            }
            let ours = self.own.contains(&self.funcs[old].ast.span.file);
            if ours && !self.own.contains(&f.span.file) && !matches!(f.body, Body::None) {
                // The program's own takes the place of what a header of ours has.
                self.funcs[old].ast = f.clone();
                self.funcs[old].sig = sig.cloned();
                self.funcs[old].scope = scope;
                self.root(old);
                return Ok(true);
            }
            let extern_c = self.funcs[old].extern_c || f.specs.extern_c;
            self.funcs[old].extern_c = extern_c;
            let old_has_body = !matches!(self.funcs[old].ast.body, Body::None);
            let new_has_body = !matches!(f.body, Body::None);
            if old_has_body && new_has_body {
                let host_and_device =
                    matches!(self.funcs[old].ast.body, Body::Host) != matches!(f.body, Body::Host);
                if !host_and_device {
                    let at = self.funcs[old].ast.span;
                    return Err(Box::new(
                        Diagnostic::error(f.span, format!("the function `{id}` is defined twice"))
                            .related(at, "first defined here"),
                    ));
                }
                if matches!(f.body, Body::Host) {
                    return Ok(true);
                }
            }
            if let (Some(a), Some(b)) = (&self.funcs[old].sig, sig)
                && a.ret != b.ret
                && a.ret.is_some()
                && b.ret.is_some()
            {
                let at = self.funcs[old].ast.span;
                return Err(Box::new(
                    Diagnostic::error(
                        f.span,
                        format!("`{id}` is declared with two different result types"),
                    )
                    .related(at, "other declaration"),
                ));
            }
            if new_has_body {
                // Default arguments and attributes may stand in the prototype only.
                let merged = merge_defaults(&self.funcs[old].ast, f);
                self.funcs[old].ast = merged;
            }
            self.root(old);
            return Ok(true);
        }
        Ok(false)
    }

    /// A function that a class defines as its friend: it belongs to the namespace around, but sees
    /// the names of the class.
    pub(in crate::sema) fn declare_friend(
        &mut self,
        f: &Rc<ast::Function>,
        class: ScopeId,
    ) -> SemaResult<()> {
        let mut outer = self.scopes[class].parent;
        while let Some(s) = outer
            && !matches!(self.scopes[s].kind, ScopeKind::Namespace)
        {
            outer = self.scopes[s].parent;
        }
        let namespace = outer.unwrap_or(0);
        let id = f.name.last().id.clone();
        let sig = match f.is_template {
            true => None,
            false => Some(Rc::new(self.signature(f, class)?)),
        };
        let mut list = match self.scopes[namespace].names.get(&id) {
            Some(Entity::Funcs(list)) => list.to_vec(),
            _ => Vec::new(),
        };
        // What was only declared before gets its body here.
        let same = |old: &FnIdx| {
            let o = &self.funcs[*old];
            matches!(o.ast.body, Body::None)
                && matches!((&o.sig, &sig), (Some(a), Some(b)) if a.params == b.params)
        };
        if let Some(old) = list.iter().copied().find(same) {
            self.funcs[old].ast = f.clone();
            self.funcs[old].scope = class;
            self.root(old);
            return Ok(());
        }
        let index = self.funcs.len();
        self.funcs.push(FnDecl {
            ast: f.clone(),
            scope: class,
            owner: None,
            sig,
            special: Vec::new(),
            extern_c: false,
        });
        list.push(index);
        self.scopes[namespace].names.insert(id, Entity::Funcs(Rc::new(list)));
        self.root(index);
        Ok(())
    }

    /// Types the function if its definition is known and it is no template: kernels because the
    /// host starts them, others to find mistakes in them.
    fn root(&mut self, index: FnIdx) {
        let d = &self.funcs[index];
        let ast = d.ast.clone();
        let wanted = (ast.specs.device || ast.specs.global) && matches!(ast.body, Body::Block(_));
        if !wanted || ast.is_template || self.own.contains(&ast.span.file) {
            return;
        }
        if d.owner.is_some_and(|o| self.structs[o.0 as usize].targs.is_some()) {
            return;
        }
        if let Err(d) = self.instance(index, Vec::new(), ast.span) {
            self.report(*d);
        }
    }

    fn check_kernel(&mut self, f: &ast::Function, sig: Option<&Sig>) -> SemaResult<()> {
        if f.specs.device || f.specs.host {
            return fail(
                f.span,
                format!(
                    "the kernel `{}` cannot be `__device__` or `__host__` as well",
                    f.name.last().id
                ),
            );
        }
        if !matches!(f.ret.kind, TyKind::Void) {
            return Err(Box::new(
                Diagnostic::error(
                    f.ret.span,
                    format!("the kernel `{}` must return `void`", f.name.last().id),
                )
                .help("a kernel gives its results through pointers"),
            ));
        }
        if f.variadic {
            return fail(f.span, "a kernel has a fixed number of parameters");
        }
        if self.in_opencl(f.span)
            && let Some(sig) = sig
        {
            self.check_opencl_params(f, sig)?;
        }
        if let Some(sig) = sig {
            self.check_kernel_params(f, sig)?;
        }
        Ok(())
    }

    fn check_kernel_params(&mut self, f: &ast::Function, sig: &Sig) -> SemaResult<()> {
        for (p, v) in f.params.iter().zip(&sig.params) {
            if v.by_ref {
                return Err(Box::new(
                    Diagnostic::error(p.span, "a kernel parameter cannot be a reference")
                        .label("the host cannot pass a reference to the device")
                        .help("pass the value, or a pointer to device memory"),
                ));
            }
        }
        Ok(())
    }

    /// Types of parameters and result in `scope`.
    pub(in crate::sema) fn signature(
        &mut self,
        f: &ast::Function,
        scope: ScopeId,
    ) -> SemaResult<Sig> {
        let outer = std::mem::replace(&mut self.ctx.scope, scope);
        let result = self.signature_inner(f);
        self.ctx.scope = outer;
        result
    }

    fn signature_inner(&mut self, f: &ast::Function) -> SemaResult<Sig> {
        let mut params = Vec::with_capacity(f.params.len());
        for p in &f.params {
            let mut v = self.var_ty(&p.ty)?;
            if !v.by_ref
                && let Type::Array(elem, _) = &v.q.ty
            {
                v.q = Type::Ptr(elem.clone()).q();
            }
            if matches!(v.q.ty, Type::Void) {
                return fail(p.span, "a parameter cannot have the type `void`");
            }
            if !v.by_ref {
                self.size_of(&v.q.ty.clone(), p.span)?;
            }
            params.push(v);
        }
        let ret = if matches!(ast::auto_core(&f.ret).kind, TyKind::Auto) {
            None
        } else {
            Some(self.var_ty(&f.ret)?)
        };
        if let Some(VarTy { q: QualType { ty: Type::Array(..), .. }, by_ref: false, .. }) = &ret {
            return fail(f.ret.span, "a function cannot return an array");
        }
        Ok(Sig { params, ret })
    }

    /// The function with these template arguments; makes it if need be.
    pub(in crate::sema) fn instance(
        &mut self,
        index: FnIdx,
        targs: Vec<TemplateArg>,
        span: Span,
    ) -> SemaResult<Rc<Instance>> {
        let key = (index, targs);
        if let Some(i) = self.instances.get(&key) {
            return Ok(i.clone());
        }
        let targs = key.1.clone();
        if let Some((_, special)) = self.funcs[index].special.iter().find(|s| s.0 == targs) {
            let special = *special;
            return self.instance(special, Vec::new(), span);
        }
        if self.instances.len() >= MAX_INSTANCES {
            return fail(
                span,
                format!("more than {MAX_INSTANCES} functions and template instances"),
            );
        }
        let depth = self.depth;
        if depth >= MAX_INSTANTIATION_DEPTH {
            return Err(Box::new(
                Diagnostic::error(
                    span,
                    format!("templates are instantiated more than {depth} levels deep"),
                )
                .help("is there a specialisation that ends the recursion?"),
            ));
        }
        let decl = &self.funcs[index];
        let ast = decl.ast.clone();
        let (decl_scope, owner, extern_c) = (decl.scope, decl.owner, decl.extern_c);
        let scope = if ast.template.is_empty() {
            decl_scope
        } else {
            self.bind_template(&Rc::new(ast.template.clone()), &targs, decl_scope, span)?
        };
        let sig = match &self.funcs[index].sig {
            Some(s) => (**s).clone(),
            None => self.signature(&ast, scope)?,
        };
        if ast.specs.global {
            self.check_kernel_params(&ast, &sig)?;
        }
        let id = FuncId(self.module.functions.len() as u32);
        let mut name = String::new();
        if let Some(o) = owner {
            name += &format!("{}::", self.module.structs[o.0 as usize].name);
        }
        name += &ast.name.last().id;
        if !targs.is_empty() {
            name += &self.show_targs(&targs);
        }
        let kernel = if ast.specs.global {
            let (mut max_threads, mut min_blocks) = (None, None);
            if let Some(b) = &ast.specs.bounds {
                let outer = std::mem::replace(&mut self.ctx.scope, scope);
                let a = self.constant_integer(&b.0, "the argument of `__launch_bounds__`");
                let c =
                    b.1.as_ref()
                        .map(|e| self.constant_integer(e, "the argument of `__launch_bounds__`"));
                self.ctx.scope = outer;
                max_threads = u32::try_from(a?.0).ok().filter(|n| *n > 0);
                if let Some(c) = c {
                    min_blocks = u32::try_from(c?.0).ok().filter(|n| *n > 0);
                }
            }
            let symbol = if extern_c {
                ast.name.last().id.to_string()
            } else {
                let path = self.scope_path(decl_scope);
                let original = self.packed.get(&index).map(|p| self.funcs[p.0].ast.clone());
                self.mangle(&path, &ast, original.as_deref(), &targs, &sig)
            };
            if let Some(other) = self
                .module
                .functions
                .iter()
                .find(|f| f.kernel.as_ref().is_some_and(|k| k.symbol == symbol))
            {
                return Err(Box::new(
                    Diagnostic::error(ast.span, format!("two kernels have the name `{symbol}`"))
                        .related(other.span, "the other one"),
                ));
            }
            let opencl = match self.in_opencl(ast.span) {
                true => Some(self.opencl_attrs(&ast, &sig, scope)?),
                false => None,
            };
            Some(KernelAttrs { symbol, extern_c, max_threads, min_blocks, opencl })
        } else {
            None
        };
        let ret = if ast.is_ctor {
            owner.map_or(hir::Ty::Void, hir::Ty::Struct)
        } else {
            sig.ret.as_ref().map_or(hir::Ty::Void, |r| self.var_machine(r))
        };
        self.module.functions.push(hir::Function {
            name,
            kernel,
            param_count: 0,
            ret,
            locals: Vec::new(),
            body: Vec::new(),
            span: ast.span,
        });
        let of_lambda = owner.is_some_and(|o| &*self.structs[o.0 as usize].plain == "(lambda)");
        if ast.specs.is_constexpr || ast.is_ctor || of_lambda {
            self.constexprs.insert(id);
        }
        let inst = Rc::new(Instance { func: id, sig });
        self.instances.insert(key, inst.clone());
        self.work.push_back(Pending { decl: index, inst: inst.clone(), scope, depth: depth + 1 });
        Ok(inst)
    }

    /// The machine's type of a parameter or result: references are pointers.
    pub(in crate::sema) fn var_machine(&self, v: &VarTy) -> hir::Ty {
        let t = self.machine(&v.q.ty);
        if v.by_ref { t.ptr() } else { t }
    }

    /// Types one body. Errors are reported.
    pub(in crate::sema) fn body(&mut self, p: Pending) {
        let ast = self.funcs[p.decl].ast.clone();
        if self.errors() >= crate::diag::MAX_ERRORS {
            return;
        }
        let owner = self.funcs[p.decl].owner;
        self.serials += 1;
        let scope = self.push_scope(p.scope, ScopeKind::Block, "");
        let name = self.module.functions[p.inst.func.0 as usize].name.clone();
        let ctx = Ctx {
            serial: self.serials,
            scope,
            top: scope,
            ret: p.inst.sig.ret.clone(),
            block_end: ast.end.hi,
            name,
            is_kernel: ast.specs.global,
            ..Ctx::outside()
        };
        let outer_depth = std::mem::replace(&mut self.depth, p.depth);
        let outer = std::mem::replace(&mut self.ctx, ctx);
        self.active.insert(p.inst.func);
        let body = self.function_parts(&ast, &p.inst, owner);
        self.active.remove(&p.inst.func);
        let ctx = std::mem::replace(&mut self.ctx, outer);
        self.depth = outer_depth;
        let ret = match (ast.is_ctor, ctx.ret) {
            (true, _) => None,
            (_, r) => r,
        };
        if let (None, Some(r)) = (&p.inst.sig.ret, &ret) {
            self.auto_rets.insert(p.inst.func, r.clone());
        }
        let ret_ty = ret.as_ref().map(|r| self.var_machine(r));
        let f = &mut self.module.functions[p.inst.func.0 as usize];
        if let Some(t) = ret_ty {
            f.ret = t;
        }
        f.locals = ctx.locals;
        f.body = body;
    }

    fn function_parts(
        &mut self,
        ast: &Rc<ast::Function>,
        inst: &Instance,
        owner: Option<hir::StructId>,
    ) -> Vec<Stmt> {
        let whole = Span { hi: ast.end.hi.max(ast.span.hi), ..ast.span };
        let member = owner.is_some() && !ast.specs.is_static && !ast.is_ctor;
        if let (Some(o), true) = (owner, member) {
            let q = QualType { is_const: ast.is_const, ..Type::Struct(o).q() };
            let ty = hir::Ty::Struct(o).ptr();
            self.ctx.locals.push(Local {
                name: "this".into(),
                ty,
                storage: Storage::Auto,
                needs_memory: false,
                to_const: false,
                span: ast.span,
                scope: whole,
            });
            self.ctx.this = This::Pointer(q);
        }
        for (i, (p, v)) in ast.params.iter().zip(&inst.sig.params).enumerate() {
            let name = p.name.clone().unwrap_or_else(|| format!("$arg{i}").into());
            let id = LocalId(self.ctx.locals.len() as u32);
            let to_const = v.q.ty.pointee().is_some_and(|to| to.is_const);
            let ty = self.var_machine(v);
            if let Some(Entity::Local(old)) = self.scopes[self.ctx.scope].names.get(&name) {
                let at = old.span;
                self.report(
                    Diagnostic::error(p.span, format!("two parameters are called `{name}`"))
                        .related(at, "the first one"),
                );
            }
            self.ctx.locals.push(Local {
                name: name.to_string(),
                ty,
                storage: Storage::Auto,
                needs_memory: false,
                to_const,
                span: p.span,
                scope: whole,
            });
            let mut ty = v.clone();
            if self.is_c() {
                ty.q = ty.q.within(hir::Space::Local);
            }
            let var = LocalVar { id, ty, constant: None, owner: self.ctx.serial, span: p.span };
            self.scopes[self.ctx.scope].names.insert(name, Entity::Local(Rc::new(var)));
        }
        self.module.functions[inst.func.0 as usize].param_count = self.ctx.locals.len() as u32;
        let mut out = Vec::new();
        if let (true, Some(o)) = (ast.is_ctor, owner) {
            return self.constructor_body(ast, o);
        }
        let errors = self.errors();
        let compared = match (&ast.body, owner, &ast.params[..]) {
            (Body::Defaulted, Some(id), [other]) if *ast.name.last().id == *"operator==" => {
                Some(Body::Block(vec![self.compared(id, other, ast.span)]))
            }
            _ => None,
        };
        if let Body::Block(stmts) = compared.as_ref().unwrap_or(&ast.body) {
            self.with_objects(&mut out, |me, out| {
                // What is passed by value ends with the function.
                let first = usize::from(member);
                for (k, v) in inst.sig.params.iter().enumerate().filter(|_| !ast.specs.global) {
                    let id = LocalId((first + k) as u32);
                    if !v.by_ref
                        && let Err(d) = me.note_object(id, &v.q, ast.span)
                    {
                        me.report(*d);
                    }
                }
                me.function_block(stmts, owner.filter(|_| ast.is_dtor), out);
            });
        }
        if self.errors() > errors {
            return out;
        }
        if let Some(r) = &self.ctx.ret {
            let void = matches!(r.q.ty, Type::Void) && !r.by_ref;
            if !void && !always_returns(&out) {
                let name = self.ctx.name.clone();
                let d = Diagnostic::warning(
                    ast.span,
                    format!("`{name}` does not return a value on every path"),
                )
                .label(format!("should return `{}`", self.show(&r.q.clone())))
                .help("add a `return` at its end");
                self.report(d);
            }
        } else if !ast.is_ctor {
            self.ctx.ret = Some(Type::Void.q().value());
        }
        out
    }

    /// The body of `operator==` where it is `= default`: all members are equal.
    fn compared(&self, class: hir::StructId, other: &ast::Param, span: Span) -> ast::Stmt {
        let expr = |kind| ast::Expr { kind, span };
        let name = |id: &ast::Ident| ast::Name::simple(id.clone(), span);
        let parameter = other.name.clone().unwrap_or_else(|| "$arg0".into());
        let mut equal = Vec::new();
        for f in &self.structs[class.0 as usize].fields {
            let member = |base, arrow| {
                let base = Box::new(expr(base));
                expr(ast::ExprKind::Member { base, arrow, name: name(&f.name) })
            };
            let other = ast::ExprKind::Name(name(&parameter));
            let (a, b) = (member(ast::ExprKind::This, true), member(other, false));
            equal_parts(&f.ty.q.ty, a, b, &mut equal);
        }
        let both = |a, b| expr(ast::ExprKind::Binary("&&", Box::new(a), Box::new(b)));
        let all = equal.into_iter().reduce(both);
        let value = all.unwrap_or_else(|| expr(ast::ExprKind::Bool(true)));
        ast::Stmt { kind: ast::StmtKind::Return(Some(value)), span }
    }

    pub(in crate::sema) fn explicit_instance(
        &mut self,
        f: &Rc<ast::Function>,
        scope: ScopeId,
    ) -> SemaResult<()> {
        self.ctx.scope = scope;
        let list = match self.resolve(&f.name)? {
            Some((Entity::Funcs(list), _)) => list,
            Some((Entity::Host(_), _)) => return Ok(()),
            _ => return Err(self.undeclared(&f.name)),
        };
        if list.iter().all(|f| matches!(self.funcs[*f].ast.body, Body::Host)) {
            // What the host has for itself may be made of anything.
            return Ok(());
        }
        let sig = self.signature(f, scope)?;
        let explicit = match &f.name.last().args {
            Some(a) => self.template_values(&a.clone())?,
            None => Vec::new(),
        };
        for &idx in list.iter() {
            if let Some((idx, targs)) = self.match_template(idx, &explicit, &sig) {
                self.instance(idx, targs, f.span)?;
                return Ok(());
            }
        }
        Err(Box::new(
            Diagnostic::error(
                f.span,
                format!("no template `{}` fits this instantiation", f.name.last().id),
            )
            .help("parameter types must be the same as in the template, with its arguments put in"),
        ))
    }

    fn explicit_specialisation(
        &mut self,
        f: &Rc<ast::Function>,
        scope: ScopeId,
        existing: &[FnIdx],
        owner: Option<hir::StructId>,
    ) -> SemaResult<()> {
        let sig = self.signature(f, scope)?;
        let explicit = match &f.name.last().args {
            Some(a) => self.template_values(&a.clone())?,
            None => Vec::new(),
        };
        for &idx in existing {
            if let Some((idx, targs)) = self.match_template(idx, &explicit, &sig) {
                let index = self.funcs.len();
                self.funcs.push(FnDecl {
                    ast: f.clone(),
                    scope,
                    owner,
                    sig: Some(Rc::new(sig)),
                    special: Vec::new(),
                    extern_c: f.specs.extern_c,
                });
                self.funcs[idx].special.push((targs, index));
                return Ok(());
            }
        }
        fail(f.span, format!("there is no template `{}` that this specialises", f.name.last().id))
    }
}

/// `a == b`, of arrays for each element.
fn equal_parts(t: &Type, a: ast::Expr, b: ast::Expr, out: &mut Vec<ast::Expr>) {
    let (span, a, b) = (a.span, Box::new(a), Box::new(b));
    let expr = |kind| ast::Expr { kind, span };
    let Type::Array(elem, n) = t else {
        return out.push(expr(ast::ExprKind::Binary("==", a, b)));
    };
    for k in 0..n.unwrap_or(0) {
        let at = |of: &ast::Expr| {
            let index = Box::new(expr(ast::ExprKind::Int(k, ast::IntKind::Int)));
            expr(ast::ExprKind::Index(Box::new(of.clone()), index))
        };
        equal_parts(&elem.ty, at(&a), at(&b), out);
    }
}

/// Parameters of one function: `const` before one itself makes no other.
pub(in crate::sema) fn same_params(a: &[VarTy], b: &[VarTy]) -> bool {
    let same = |(x, y): (&VarTy, &VarTy)| match x.by_ref || y.by_ref {
        true => x == y,
        false => x.q.ty == y.q.ty,
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}

/// Two written types that look the same, whatever their parameters are called.
fn same_shape(a: &ast::Ty, b: &ast::Ty) -> bool {
    match (&a.kind, &b.kind) {
        (TyKind::Ptr(x, _), TyKind::Ptr(y, _)) | (TyKind::Ref(x, _), TyKind::Ref(y, _)) => {
            same_shape(x, y) && x.is_const == y.is_const
        }
        (TyKind::Name(_), TyKind::Name(_)) => true,
        (TyKind::Int(x), TyKind::Int(y)) => x == y,
        (x, y) => std::mem::discriminant(x) == std::mem::discriminant(y),
    }
}

/// The definition `new` with the default arguments and the `static` of its prototype.
pub(in crate::sema) fn merge_defaults(
    old: &Rc<ast::Function>,
    new: &Rc<ast::Function>,
) -> Rc<ast::Function> {
    let none_missing =
        old.params.iter().zip(&new.params).all(|(a, b)| a.default.is_none() || b.default.is_some());
    let bounds = new.specs.bounds.is_some() || old.specs.bounds.is_none();
    let same_specs =
        new.specs.device || new.specs.global || !(old.specs.device || old.specs.global);
    let same_static = new.specs.is_static || !old.specs.is_static;
    if none_missing && bounds && same_specs && same_static {
        return new.clone();
    }
    let mut params = new.params.clone();
    for (p, o) in params.iter_mut().zip(&old.params) {
        if p.default.is_none() {
            p.default = o.default.clone();
        }
    }
    let specs = Specs {
        bounds: new.specs.bounds.clone().or_else(|| old.specs.bounds.clone()),
        device: new.specs.device || old.specs.device,
        is_static: new.specs.is_static || old.specs.is_static,
        ..new.specs.clone()
    };
    Rc::new(ast::Function { specs, params, ..(**new).clone() })
}

/// Every way through the statements ends in a `return` (or does not end).
pub(in crate::sema) fn always_returns(block: &[Stmt]) -> bool {
    block.iter().any(|s| match &s.kind {
        StmtKind::Return(_) | StmtKind::Goto(_) => true,
        StmtKind::Block(b) | StmtKind::Labelled { again: true, body: b, .. } => always_returns(b),
        StmtKind::If { then, els, .. } => always_returns(then) && always_returns(els),
        StmtKind::Labelled { label, body, .. } => always_returns(body) && !jumps(body, *label),
        StmtKind::Loop { cond: None, body, .. } => !has_break(body),
        StmtKind::Loop { test_last: true, body, .. } => always_returns(body) && !has_break(body),
        StmtKind::Switch { arms, .. } => {
            arms.iter().any(|a| a.is_default)
                && !arms.iter().any(|a| has_break(&a.body))
                && arms.last().is_some_and(|a| always_returns(&a.body))
        }
        StmtKind::Expr(e) => matches!(&e.kind, hir::ExprKind::Builtin(hir::Builtin::Trap, _)),
        _ => false,
    })
}

/// Some `goto` goes to the label.
fn jumps(block: &[Stmt], label: u32) -> bool {
    block.iter().any(|s| match &s.kind {
        StmtKind::Goto(to) => *to == label,
        StmtKind::Block(b)
        | StmtKind::Labelled { body: b, .. }
        | StmtKind::Loop { body: b, .. } => jumps(b, label),
        StmtKind::If { then, els, .. } => jumps(then, label) || jumps(els, label),
        StmtKind::Switch { arms, .. } => arms.iter().any(|a| jumps(&a.body, label)),
        _ => false,
    })
}

fn has_break(block: &[Stmt]) -> bool {
    block.iter().any(|s| match &s.kind {
        StmtKind::Break => true,
        StmtKind::Block(b) | StmtKind::Labelled { body: b, .. } => has_break(b),
        StmtKind::If { then, els, .. } => has_break(then) || has_break(els),
        _ => false,
    })
}

/// Written with `__attribute__((overloadable))`, clang's word for overloads in C.
pub(in crate::sema) fn overloadable(f: &ast::Function) -> bool {
    f.specs.attributes.iter().any(|a| a == "overloadable")
}
