//! Declarations at file, namespace and class scope; and typing the bodies of functions.

pub(in crate::sema) mod classes;
pub(in crate::sema) mod concepts;
pub(in crate::sema) mod functions;
pub(in crate::sema) mod host;
pub(in crate::sema) mod init;
pub(in crate::sema) mod lambda;
pub(in crate::sema) mod locals;
pub(in crate::sema) mod packs;
pub(in crate::sema) mod templates;
pub(in crate::sema) mod virtuals;

use std::rc::Rc;

use crate::ast::{self, Decl, Ident, Init, IntKind, TyKind};
use crate::builtins;
use crate::diag::{About, Diagnostic};
use crate::hir::{self, GlobalId, Space};
use crate::sema::decl::packs::Rewrite;
use crate::sema::opencl;
use crate::sema::types::{EnumInfo, QualType, Type};
use crate::sema::{
    AliasTemplate, Constant, Entity, GlobalVar, PartialVar, ScopeId, ScopeKind, Sema, SemaResult,
    StructTemplate, TemplateArg, VarTemplate, fail,
};
use crate::source::Span;
use crate::walk::visit_expr;

impl Sema<'_> {
    pub(in crate::sema) fn declare_builtin_types(&mut self) {
        if self.is_c() {
            return self.declare_opencl_types();
        }
        for (name, plain) in builtins::TYPEDEFS {
            let t = Type::of(*plain);
            self.scopes[0].names.insert((*name).into(), Entity::Type(t.q()));
        }
        for (base, plain) in builtins::VECTOR_ELEMENTS {
            for n in 1..=4 {
                self.vector_type(&format!("{base}{n}"), Type::of(*plain), n);
            }
        }
        self.vector_type("dim3", Type::UINT, 3);
        self.vector_type("__half2", Type::F16, 2);
        let half2 = self.scopes[0].names.get("__half2").cloned();
        if let Some(e) = half2 {
            self.scopes[0].names.insert("half2".into(), e);
        }
        self.scopes[0].names.insert(
            "warpSize".into(),
            Entity::Const(Constant::Int(32), QualType::constant(Type::INT)),
        );
    }

    pub(in crate::sema) fn declare_all(&mut self, decls: &[Decl], scope: ScopeId) {
        for d in decls {
            if self.errors() >= crate::diag::MAX_ERRORS {
                return;
            }
            if let Err(message) = self.declare(d, scope) {
                match for_host(d, &message) {
                    Some((name, span)) => {
                        self.scopes[scope].names.insert(name, Entity::Host(span));
                    }
                    None => {
                        self.report(*message);
                        self.poison(d, scope);
                    }
                }
            }
            if self.depth == 0 {
                self.bodies();
            }
        }
    }

    fn declare(&mut self, decl: &Decl, scope: ScopeId) -> SemaResult<()> {
        self.ctx.scope = scope;
        match decl {
            Decl::Function(f) => self.declare_function(f, scope, None),
            Decl::Var(v) => self.declare_global(v, scope, None),
            Decl::Bindings(v, _) => fail(v.span, "names for parts of a value stand in functions"),
            Decl::VarTemplate(v, params) => self.declare_var_template(v, params, scope),
            Decl::Struct(s) => self.declare_struct(s, scope).map(|_| ()),
            Decl::Enum(e) => self.declare_enum(e, scope).map(|_| ()),
            Decl::Alias { name, ty, template, span } => {
                self.declare_alias(name, ty, template, *span, scope)
            }
            Decl::Namespace { name, decls } => {
                let inner = match name {
                    None => scope,
                    Some(name) => match self.scopes[scope].names.get(name) {
                        Some(Entity::Namespace(s)) => *s,
                        Some(_) => return Ok(()),
                        None => {
                            let s = self.push_scope(scope, ScopeKind::Namespace, name);
                            self.scopes[scope].names.insert(name.clone(), Entity::Namespace(s));
                            s
                        }
                    },
                };
                self.declare_all(decls, inner);
                self.ctx.scope = scope;
                Ok(())
            }
            Decl::NamespaceAlias { name, target } => {
                let entity = match self.resolve(target) {
                    Ok(Some((e @ Entity::Namespace(_), _))) => e,
                    // Of a library that only the host has.
                    _ => Entity::Host(target.span),
                };
                self.scopes[scope].names.insert(name.clone(), entity);
                Ok(())
            }
            Decl::UsingNamespace(n) => {
                let known = self.resolve(n).unwrap_or(None).is_some();
                match self.used_scope(n) {
                    Some(s) if s != scope => self.scopes[scope].using.push(s),
                    _ if known => {}
                    _ if matches!(&*n.parts[0].id, "std" | "cuda" | "thrust" | "cub") => {}
                    // Perhaps of a header that is not read. What is used of it, is looked for.
                    _ => {
                        let text = format!("the namespace `{}` is not known", n.last().id);
                        self.report(Diagnostic::warning(n.span, text));
                    }
                }
                Ok(())
            }
            Decl::Using(n) => {
                if let Some((e, _)) = self.resolve(n).unwrap_or(None) {
                    self.scopes[scope].names.insert(n.last().id.clone(), e);
                }
                Ok(())
            }
            Decl::StaticAssert { cond, text, span } => {
                self.static_assert(cond, text.as_deref(), *span)
            }
            Decl::Instantiate(f) => self.explicit_instance(f, scope),
            Decl::InstantiateClass(ty) => {
                // A class of the host may be anything.
                let _ = self.ty(ty);
                Ok(())
            }
            Decl::HostCode(f) => {
                self.hosts.push((f.clone(), scope));
                Ok(())
            }
            Decl::Host(name, span) => {
                if let Some(name) = name {
                    self.scopes[scope].names.entry(name.clone()).or_insert(Entity::Host(*span));
                }
                Ok(())
            }
        }
    }

    /// The names of a wrong declaration.
    fn poison(&mut self, decl: &Decl, scope: ScopeId) {
        let name = match decl {
            Decl::Function(f) => f.name.plain(),
            Decl::Var(v) => v.name.plain(),
            Decl::Struct(s) => s.name.as_ref(),
            Decl::Enum(e) => e.name.as_ref(),
            Decl::Alias { name, .. } => Some(name),
            _ => None,
        };
        if let Some(name) = name {
            self.scopes[scope].names.entry(name.clone()).or_insert(Entity::Broken);
        }
    }

    pub(in crate::sema) fn static_assert(
        &mut self,
        cond: &ast::Expr,
        text: Option<&str>,
        span: Span,
    ) -> SemaResult<()> {
        let ex = self.expr(cond).and_then(|e| self.truth(e))?;
        match self.fold_int(&ex) {
            Some(0) => {
                let text = text.map_or("the static assertion fails".to_string(), |t| {
                    format!("the static assertion fails: {t}")
                });
                fail(span, text)
            }
            Some(_) => Ok(()),
            None => fail(cond.span, "the condition of `static_assert` is not a constant"),
        }
    }

    pub(in crate::sema) fn declare_alias(
        &mut self,
        name: &Ident,
        ty: &ast::Ty,
        template: &Rc<Vec<ast::TParam>>,
        span: Span,
        scope: ScopeId,
    ) -> SemaResult<()> {
        if !template.is_empty() {
            self.alias_templates.push(AliasTemplate {
                ty: ty.clone(),
                params: template.clone(),
                scope,
            });
            let e = Entity::AliasTemplate(self.alias_templates.len() - 1);
            self.scopes[scope].names.insert(name.clone(), e);
            return Ok(());
        }
        let outer = std::mem::replace(&mut self.ctx.scope, scope);
        let q = self.ty(ty);
        self.ctx.scope = outer;
        if q.is_err() && has_function(ty) {
            // A pointer to a function of the host.
            self.scopes[scope].names.insert(name.clone(), Entity::Host(span));
            return Ok(());
        }
        let q = q?;
        if let Type::Struct(id) = &q.ty {
            // `typedef struct { ... } S;` gives the struct its name.
            let info = &mut self.structs[id.0 as usize];
            if info.plain.starts_with("(unnamed") {
                info.plain = name.clone();
                self.module.structs[id.0 as usize].name = name.to_string();
            }
        }
        self.scopes[scope].names.insert(name.clone(), Entity::Type(q));
        Ok(())
    }

    pub(in crate::sema) fn declare_enum(
        &mut self,
        e: &Rc<ast::Enum>,
        scope: ScopeId,
    ) -> SemaResult<Type> {
        let base = match &e.base {
            None => IntKind::Int,
            Some(ty) => match self.ty(ty)?.ty {
                Type::Int(k) => k,
                Type::Bool => IntKind::UChar,
                _ => return fail(ty.span, "the underlying type of an enumeration is an integer"),
            },
        };
        let name = e.name.as_ref().map_or("(unnamed enum)".to_string(), |n| n.to_string());
        let index = self.enums.len() as u32;
        self.enums.push(EnumInfo { name, base, scoped: e.scoped });
        let t = if self.is_c() { Type::INT } else { Type::Enum(index) };
        let inner = self.push_scope(scope, ScopeKind::Namespace, e.name.as_deref().unwrap_or(""));
        self.scopes[0].names.insert(format!("enum:{index}").into(), Entity::Namespace(inner));
        if let Some(n) = &e.name {
            self.scopes[scope].names.insert(n.clone(), Entity::Type(t.clone().q()));
        }
        let mut next = 0i64;
        for (id, value, span) in &e.items {
            if let Some(v) = value {
                let outer = std::mem::replace(&mut self.ctx.scope, inner);
                let r = self.constant_integer(v, "the value of an enumerator");
                self.ctx.scope = outer;
                next = r?.0 as i64;
            }
            let (lo, hi) = if e.base.is_some() || self.is_c() {
                (i64::MIN, i64::MAX)
            } else {
                (i64::from(i32::MIN), i64::from(u32::MAX))
            };
            if next < lo || next > hi {
                return fail(*span, format!("the value {next} does not fit the enumeration"));
            }
            // In C an enumerator that is no `int` has a wider type.
            let t = match i32::try_from(next) {
                Err(_) if self.is_c() && u32::try_from(next).is_ok() => Type::UINT,
                Err(_) if self.is_c() => Type::LONG,
                _ => t.clone(),
            };
            let entity = Entity::Const(Constant::Int(next as u64), QualType::constant(t));
            self.scopes[inner].names.insert(id.clone(), entity.clone());
            if !e.scoped {
                self.scopes[scope].names.insert(id.clone(), entity);
            }
            next = next.wrapping_add(1);
        }
        let large = |id: &Ident| match self.scopes[inner].names.get(id) {
            Some(Entity::Const(Constant::Int(v), _)) => *v as i64 > i64::from(i32::MAX),
            _ => false,
        };
        if e.base.is_none() && e.items.iter().any(|(id, ..)| large(id)) {
            self.enums[index as usize].base = IntKind::UInt;
        }
        Ok(t)
    }

    // ---- variables

    /// A variable at file scope or a static member of `owner`.
    pub(in crate::sema) fn declare_global(
        &mut self,
        v: &Rc<ast::Var>,
        scope: ScopeId,
        owner: Option<hir::StructId>,
    ) -> SemaResult<()> {
        let specs = &v.specs;
        let id = v.name.last().id.clone();
        if v.name.parts.len() > 1 {
            // `int S::count = 3;` gives a static member its value.
            return match self.resolve(&v.name)? {
                Some((Entity::Global(g), _)) => self.define_static_member(g, v),
                _ => Err(self.undeclared(&v.name)),
            };
        }
        let opencl = self.in_opencl(v.span);
        if opencl {
            opencl::check_global(v, self.module.opencl)?;
        }
        let texture = self.is_texture(&v.ty);
        let on_device =
            specs.device || specs.constant || specs.managed || texture || opencl && !specs.shared;
        if specs.shared {
            let q = self.ty(&v.ty)?;
            if specs.is_extern && matches!(q.ty, Type::Array(_, None)) {
                // An alias for the dynamic shared memory; each function that uses it declares it
                // for itself.
                let key: Ident = format!("shared:{id}").into();
                self.scopes[scope].names.insert(key, Entity::Type(q));
                self.scopes[scope].names.insert(id, Entity::Host(v.span));
                return Ok(());
            }
            return self.file_shared_var(v, q, scope);
        }
        let outer = self.ctx.scope;
        self.ctx.scope = scope;
        let result = self.global_parts(v, on_device);
        self.ctx.scope = outer;
        let (q, mut value) = match result {
            Ok(r) => r,
            // A variable of the host may be anything, as long as no kernel uses it.
            Err(_) if !on_device && !specs.is_constexpr && owner.is_none() => {
                self.scopes[scope].names.insert(id, Entity::Host(v.span));
                return Ok(());
            }
            Err(d) => return Err(d),
        };
        let constant = if q.is_const && (q.ty.is_arithmetic()) && !on_device {
            value.as_ref().and_then(|e| self.fold(e))
        } else {
            None
        };
        if specs.is_constexpr
            && value.is_some()
            && q.ty.is_arithmetic()
            && constant.is_none()
            && !on_device
        {
            return fail(
                v.span,
                format!("the value of the constexpr variable `{id}` is not a constant"),
            );
        }
        let mut global = None;
        if on_device {
            if let Some(Entity::Global(old)) = self.scopes[scope].names.get(&id) {
                let old = *old;
                if let Some(known) = self.globals[old].id {
                    if specs.is_extern {
                        return Ok(());
                    }
                    if self.globals[old].is_extern && self.globals[old].q.ty == q.ty {
                        self.module.globals[known.0 as usize].init = self.initial(&id, &value)?;
                        self.globals[old].is_extern = false;
                        self.globals[old].value = value;
                        return Ok(());
                    }
                }
                let at = self.globals[old].span;
                return Err(Box::new(
                    Diagnostic::error(v.span, format!("`{id}` is declared twice"))
                        .related(at, "first declared here"),
                ));
            }
            if matches!(q.ty, Type::Array(_, None)) {
                return Err(Box::new(
                    Diagnostic::error(v.span, format!("the array `{id}` has no length"))
                        .help("write its length between the brackets"),
                ));
            }
            let size = self.size_of(&q.ty, v.span)?;
            let constant = specs.constant || texture;
            let space = if constant { Space::Constant } else { Space::Global };
            if specs.constant && size > 65536 {
                return fail(
                    v.span,
                    format!("`{id}` has {size} bytes, but constant memory has 65536"),
                );
            }
            let init = self.initial(&id, &value)?;
            let ty = self.machine(&q.ty);
            global = Some(GlobalId(self.module.globals.len() as u32));
            let path = self.scope_path(scope);
            let name = path.iter().map(|p| format!("{p}::")).collect::<String>() + &id;
            self.module.globals.push(hir::Global {
                name,
                ty,
                space,
                init,
                is_static: specs.is_static && owner.is_none(),
                span: v.span,
            });
        }
        // What is made of more than constants must come out as one, for it is written where it is
        // used.
        if let (None, true, Some(e)) = (global, q.is_const && constant.is_none(), &value) {
            let mut made = false;
            visit_expr(e, &mut |e| {
                let kind = &e.kind;
                made |= matches!(kind, hir::ExprKind::Local(_) | hir::ExprKind::Call(..));
            });
            if made {
                let found = self.evaluate_call(e);
                value = found.and_then(|v| self.value_expr(&v, e, &e.ty));
            }
            if made && value.is_none() && specs.is_constexpr {
                let text = format!("the value of the constexpr variable `{id}` is not a constant");
                return fail(v.span, text);
            }
        }
        let index = self.globals.len();
        let is_extern = specs.is_extern && value.is_none();
        self.globals.push(GlobalVar { id: global, q, constant, value, is_extern, span: v.span });
        self.scopes[scope].names.insert(id, Entity::Global(index));
        Ok(())
    }

    /// The bytes that a variable of the device begins with.
    fn initial(&mut self, name: &Ident, value: &Option<hir::Expr>) -> SemaResult<Option<Vec<u8>>> {
        let Some(e) = value else { return Ok(None) };
        let bytes = self.constant_bytes(e).ok_or_else(|| {
            Box::new(
                Diagnostic::error(
                    e.span,
                    format!("the initial value of `{name}` is not a constant"),
                )
                .help(
                    "variables of the device get constant values only; set it from the host \
                         or in a kernel",
                ),
            )
        })?;
        Ok(Some(bytes))
    }

    /// A reference to a texture or surface, which lives in constant memory without a word.
    fn is_texture(&self, ty: &ast::Ty) -> bool {
        let TyKind::Name(n) = &ty.kind else { return false };
        let Some(Entity::StructTemplate(t)) = self.lookup_in(0, &n.last().id) else { return false };
        let ast = &self.struct_templates[t].ast;
        matches!(&*n.last().id, "texture" | "surface") && self.own.contains(&ast.span.file)
    }

    /// `__shared__` at file scope: each kernel that uses it has one of its own.
    fn file_shared_var(&mut self, v: &ast::Var, q: QualType, scope: ScopeId) -> SemaResult<()> {
        self.check_shared(v, &q)?;
        let id = v.name.last().id.clone();
        let key: Ident = format!("shared:{id}").into();
        self.scopes[scope].names.insert(key, Entity::Type(q));
        self.scopes[scope].names.insert(id, Entity::Host(v.span));
        Ok(())
    }

    pub(in crate::sema) fn declare_var_template(
        &mut self,
        v: &Rc<ast::Var>,
        params: &Rc<Vec<ast::TParam>>,
        scope: ScopeId,
    ) -> SemaResult<()> {
        let last = v.name.last().clone();
        if let Some(args) = &last.args {
            let Some(Entity::VarTemplate(t)) = self.lookup_in(scope, &last.id) else {
                return fail(v.span, format!("there is no template `{}` here", last.id));
            };
            if !params.is_empty() {
                let (pattern, params, ast) = (args.clone(), params.clone(), v.clone());
                self.var_templates[t].partial.push(PartialVar { pattern, params, ast });
                return Ok(());
            }
            let vals = self.template_values(args)?;
            self.var_templates[t].special.push((vals, v.clone()));
            return Ok(());
        }
        self.var_templates.push(VarTemplate {
            ast: v.clone(),
            params: params.clone(),
            scope,
            special: Vec::new(),
            partial: Vec::new(),
            instances: Default::default(),
        });
        let e = Entity::VarTemplate(self.var_templates.len() - 1);
        self.scopes[scope].names.insert(last.id, e);
        Ok(())
    }

    /// The variable that a template is with these arguments.
    pub(in crate::sema) fn var_instance(
        &mut self,
        t: usize,
        part: &ast::Part,
    ) -> SemaResult<usize> {
        let args = part.args.clone().unwrap_or_default();
        let vals = self.template_values(&args)?;
        self.var_instance_of(t, &vals, &part.id, part.span)
    }

    /// The same with arguments that are typed.
    pub(in crate::sema) fn var_instance_of(
        &mut self,
        t: usize,
        vals: &[TemplateArg],
        id: &Ident,
        span: Span,
    ) -> SemaResult<usize> {
        let (mut ast, params, scope) = {
            let t = &self.var_templates[t];
            (t.ast.clone(), t.params.clone(), t.scope)
        };
        let (params, lengths) = self.unpack_params(&params, vals.len());
        if !lengths.is_empty() {
            ast = Rc::new(Rewrite::new(lengths).var(&ast));
        }
        let full = self.complete_targs(&params, vals, scope, span, id)?;
        if let Some(g) = self.var_templates[t].instances.get(&full) {
            return Ok(*g);
        }
        if let Some((_, v)) = self.var_templates[t].special.iter().find(|s| s.0 == full) {
            let plain = ast::Name::simple(id.clone(), v.span);
            ast = Rc::new(ast::Var { name: plain, ..(**v).clone() });
        }
        let mut inner = self.bind_template(&params, &full, scope, span)?;
        let mut fewest = usize::MAX;
        for PartialVar { pattern, params, ast: v } in self.var_templates[t].partial.clone() {
            if params.len() < fewest
                && let Some(bound) = self.match_pattern(&pattern, &params, &full, scope, span)
            {
                fewest = params.len();
                inner = self.bind_template(&params, &bound, scope, span)?;
                let plain = ast::Name::simple(id.clone(), v.span);
                ast = Rc::new(ast::Var { name: plain, ..(*v).clone() });
            }
        }
        self.declare_global(&ast, inner, None)?;
        match self.scopes[inner].names.get(id) {
            Some(Entity::Global(g)) => {
                let g = *g;
                self.var_templates[t].instances.insert(full, g);
                Ok(g)
            }
            _ => fail(span, format!("`{}` is a variable of the host", id)),
        }
    }

    fn define_static_member(&mut self, g: usize, v: &Rc<ast::Var>) -> SemaResult<()> {
        let on_device =
            v.specs.device || v.specs.constant || v.specs.managed || self.globals[g].id.is_some();
        let (q, value) = self.global_parts(v, on_device)?;
        if on_device {
            let init = value.as_ref().and_then(|e| self.constant_bytes(e));
            self.size_of(&q.ty, v.span)?;
            match self.globals[g].id {
                Some(id) => self.module.globals[id.0 as usize].init = init,
                None => {
                    let id = GlobalId(self.module.globals.len() as u32);
                    let name = v
                        .name
                        .parts
                        .iter()
                        .map(|p| p.id.to_string())
                        .collect::<Vec<_>>()
                        .join("::");
                    let space = if v.specs.constant { Space::Constant } else { Space::Global };
                    let ty = self.machine(&q.ty);
                    self.module.globals.push(hir::Global {
                        name,
                        ty,
                        space,
                        init,
                        is_static: false,
                        span: v.span,
                    });
                    self.globals[g].id = Some(id);
                }
            }
        } else if q.is_const {
            self.globals[g].constant = value.as_ref().and_then(|e| self.fold(e));
        }
        Ok(())
    }

    /// Type and initial value.
    fn global_parts(
        &mut self,
        v: &ast::Var,
        on_device: bool,
    ) -> SemaResult<(QualType, Option<hir::Expr>)> {
        if matches!(ast::auto_core(&v.ty).kind, TyKind::Auto) {
            let Init::Assign(e) = &v.init else {
                return fail(v.span, "`auto` needs an initial value");
            };
            let ex = self.expr(e).and_then(|x| self.load_value(x))?;
            return Ok((QualType { is_const: v.ty.is_const, ..ex.q.plain() }, Some(ex.e)));
        }
        let mut q = self.ty(&v.ty)?;
        if matches!(q.ty, Type::Void) {
            return fail(v.span, format!("`{}` cannot have the type `void`", v.name.last().id));
        }
        self.fix_array_length(&mut q, &v.init)?;
        self.size_of(&q.ty.clone(), v.span)?;
        let value = match &v.init {
            Init::None => None,
            init if on_device || q.is_const => self.init_value(&q, init, v.span)?,
            _ => None,
        };
        Ok((q, value))
    }

    pub(in crate::sema) fn scope_path(&self, scope: ScopeId) -> Vec<Ident> {
        let mut out = Vec::new();
        let mut at = Some(scope);
        while let Some(s) = at {
            let sc = &self.scopes[s];
            if sc.parent.is_some() && !sc.name.is_empty() && !matches!(sc.kind, ScopeKind::Block) {
                out.insert(0, sc.name.clone());
            }
            at = sc.parent;
        }
        out
    }

    pub(in crate::sema) fn struct_template(
        &mut self,
        s: &Rc<ast::Struct>,
        scope: ScopeId,
    ) -> SemaResult<()> {
        let Some(name) = &s.name else { return fail(s.span, "a class template needs a name") };
        match self.scopes[scope].names.get(name) {
            Some(Entity::StructTemplate(t)) => {
                let t = *t;
                if s.special.is_some() {
                    self.struct_templates[t].special.push(s.clone());
                } else if self.struct_templates[t].ast.is_forward {
                    self.struct_templates[t].ast = s.clone();
                } else if !s.is_forward {
                    let at = self.struct_templates[t].ast.span;
                    return Err(Box::new(
                        Diagnostic::error(s.span, format!("`{name}` is defined twice"))
                            .related(at, "first defined here"),
                    ));
                }
                Ok(())
            }
            _ => {
                if s.special.is_some() {
                    return fail(
                        s.span,
                        format!("there is no class template `{name}` that this specialises"),
                    );
                }
                self.struct_templates.push(StructTemplate {
                    ast: s.clone(),
                    scope,
                    special: Vec::new(),
                    instances: Default::default(),
                    members: Vec::new(),
                });
                let e = Entity::StructTemplate(self.struct_templates.len() - 1);
                self.scopes[scope].names.insert(name.clone(), e);
                Ok(())
            }
        }
    }
}

/// A function occurs in the type, as in `typedef float (*op)(float);`.
fn has_function(ty: &ast::Ty) -> bool {
    match &ty.kind {
        TyKind::Func(_) => true,
        TyKind::Ptr(to, _) | TyKind::Ref(to, _) | TyKind::Volatile(to) | TyKind::Array(to, _) => {
            has_function(to)
        }
        _ => false,
    }
}

/// Name and place of a type that is wrong because of what only the host has: a struct without a
/// function for the device, or another name of one.
fn for_host(decl: &Decl, message: &Diagnostic) -> Option<(Ident, Span)> {
    match decl {
        Decl::Struct(s) => {
            let device = |m: &Decl| matches!(m, Decl::Function(f) if f.specs.device);
            let host =
                matches!(message.about, About::UnknownType | About::HostType | About::Incomplete);
            (host && !s.members.iter().any(device)).then(|| Some((s.name.clone()?, s.span)))?
        }
        Decl::Alias { name, span, .. } => {
            (message.about == About::HostType).then(|| (name.clone(), *span))
        }
        _ => None,
    }
}
