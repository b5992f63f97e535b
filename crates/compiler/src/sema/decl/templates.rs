//! Template arguments: binding, deduction, matching.

use std::rc::Rc;

use crate::ast::{self, TArg, TParam, TParamKind, TyKind};
use crate::diag::Diagnostic;
use crate::hir;
use crate::sema::decl::functions::same_params;
use crate::sema::expr::call::Arg;
use crate::sema::expr::fold;
use crate::sema::names::has_default;
use crate::sema::types::{FnTy, QualType, Type, VarTy};
use crate::sema::{
    Constant, Entity, FieldInfo, FnDecl, FnIdx, ScopeId, ScopeKind, Sema, SemaResult, Sig,
    TemplateArg, fail,
};
use crate::source::Span;

/// What has been deduced so far, by parameter number.
pub(in crate::sema) type Found = Vec<Option<TemplateArg>>;

impl Sema<'_> {
    /// A scope in which the parameters have these values.
    pub(in crate::sema) fn bind_template(
        &mut self,
        params: &Rc<Vec<TParam>>,
        vals: &[TemplateArg],
        parent: ScopeId,
        span: Span,
    ) -> SemaResult<ScopeId> {
        let scope = self.push_scope(parent, ScopeKind::Block, "");
        if vals.len() > params.len() {
            return fail(
                span,
                format!(
                    "{} template arguments, but there are {} parameters",
                    vals.len(),
                    params.len()
                ),
            );
        }
        for (i, p) in params.iter().enumerate() {
            let val = match vals.get(i) {
                Some(v) => v.clone(),
                None => self.default_targ(p, scope, span)?,
            };
            let val = self.fit_targ(p, val, scope, span)?;
            self.bind_one(scope, p, &val);
        }
        Ok(scope)
    }

    fn bind_one(&mut self, scope: ScopeId, p: &TParam, val: &TemplateArg) {
        let entity = match val {
            TemplateArg::Type(q) => Entity::Type(q.clone()),
            TemplateArg::Int(v, t) => {
                Entity::Const(Constant::Int(*v), QualType::constant(t.clone()))
            }
            TemplateArg::Template(t) => Entity::StructTemplate(*t),
        };
        self.scopes[scope].names.insert(p.name.clone(), entity);
    }

    fn default_targ(&mut self, p: &TParam, scope: ScopeId, span: Span) -> SemaResult<TemplateArg> {
        let outer = std::mem::replace(&mut self.ctx.scope, scope);
        let result = match &p.kind {
            TParamKind::Type(Some(ty)) => self.ty(ty).map(TemplateArg::Type),
            TParamKind::Value(_, Some(e)) => {
                self.constant_argument(e).map(|(v, t)| TemplateArg::Int(v, t))
            }
            TParamKind::Template(Some(n)) => match self.resolve(n) {
                Ok(Some((Entity::StructTemplate(t), _))) => Ok(TemplateArg::Template(t)),
                _ => fail(n.span, format!("`{}` is no class template", n.last().id)),
            },
            _ => fail(span, format!("the template parameter `{}` has no value", p.name)),
        };
        self.ctx.scope = outer;
        result
    }

    /// A value parameter takes its own type; kinds must agree.
    fn fit_targ(
        &mut self,
        p: &TParam,
        val: TemplateArg,
        scope: ScopeId,
        span: Span,
    ) -> SemaResult<TemplateArg> {
        match (&p.kind, val) {
            (TParamKind::Type(_), v @ TemplateArg::Type(_))
            | (TParamKind::Template(_), v @ TemplateArg::Template(_)) => Ok(v),
            (TParamKind::Template(_), _) => {
                fail(span, format!("the template parameter `{}` is a template of classes", p.name))
            }
            (_, TemplateArg::Template(t)) => fail(
                span,
                format!(
                    "`{}` is a class template and needs arguments in `< >`",
                    self.struct_templates[t].ast.name.as_deref().unwrap_or("")
                ),
            ),
            (TParamKind::Type(_), TemplateArg::Int(..)) => fail(
                span,
                format!("the template parameter `{}` is a type, but a value is given", p.name),
            ),
            (TParamKind::Value(..), TemplateArg::Type(_)) => fail(
                span,
                format!("the template parameter `{}` is a value, but a type is given", p.name),
            ),
            (TParamKind::Value(ty, _), TemplateArg::Int(v, t)) => {
                if matches!(ty.kind, TyKind::Auto) {
                    return Ok(TemplateArg::Int(v, t));
                }
                let outer = std::mem::replace(&mut self.ctx.scope, scope);
                let want = self.ty(ty);
                self.ctx.scope = outer;
                let want = want?;
                if want.ty == t {
                    return Ok(TemplateArg::Int(v, t));
                }
                // `enable_if<...>::type * = nullptr`
                if v == 0 && matches!(want.ty, Type::Ptr(_)) {
                    return Ok(TemplateArg::Int(0, want.ty));
                }
                if !want.ty.is_integral() || t.is_code() {
                    let shown = self.show(&want);
                    let text = format!("template parameters of type `{shown}` are not supported");
                    return Err(Box::new(Diagnostic::unsupported(span, text)));
                }
                let ty = self.machine(&want.ty);
                Ok(TemplateArg::Int(fold::wrap(v, &ty), want.ty))
            }
        }
    }

    /// The arguments with defaults filled in.
    pub(in crate::sema) fn complete_targs(
        &mut self,
        params: &Rc<Vec<TParam>>,
        vals: &[TemplateArg],
        parent: ScopeId,
        span: Span,
        name: &str,
    ) -> SemaResult<Vec<TemplateArg>> {
        if vals.len() > params.len() {
            return fail(
                span,
                format!(
                    "`{name}` takes {} template argument(s), but {} are given",
                    params.len(),
                    vals.len()
                ),
            );
        }
        let scope = self.push_scope(parent, ScopeKind::Block, "");
        let mut out = Vec::with_capacity(params.len());
        for (i, p) in params.iter().enumerate() {
            let val = match vals.get(i) {
                Some(v) => v.clone(),
                None => self.default_targ(p, scope, span)?,
            };
            let val = self.fit_targ(p, val, scope, span)?;
            self.bind_one(scope, p, &val);
            out.push(val);
        }
        Ok(out)
    }

    /// Template arguments of `idx` for a call; `args` are the types of the arguments (`None`: a
    /// brace list).
    pub(in crate::sema) fn deduce(
        &mut self,
        idx: FnIdx,
        explicit: &[TemplateArg],
        args: &[Option<(QualType, bool)>],
        span: Span,
    ) -> Option<Vec<TemplateArg>> {
        let ast = self.funcs[idx].ast.clone();
        let scope = self.funcs[idx].scope;
        let params = Rc::new(ast.template.clone());
        if explicit.len() > params.len() {
            return None;
        }
        let mut found: Found = vec![None; params.len()];
        for (f, e) in found.iter_mut().zip(explicit) {
            *f = Some(e.clone());
        }
        for (p, a) in ast.params.iter().zip(args) {
            let Some((q, _)) = a else { continue };
            // By value, arrays decay and `const` is dropped.
            let by_ref = matches!(p.ty.kind, TyKind::Ref(_, _));
            let q = match (&q.ty, by_ref) {
                (Type::Array(e, _), false) => Type::Ptr(e.clone()).q(),
                (_, false) => q.plain(),
                _ => q.clone(),
            };
            let ok = self.unify(&p.ty, &q, &params, &mut found, scope, explicit.len());
            if !ok && mentions(&p.ty, &params[explicit.len()..]) {
                return None;
            }
        }
        self.finish_deduction(&params, found, scope, span)
    }

    /// `Pair p(1, 2.0f);`: the object of a class template whose arguments are not written, with its
    /// type; `None` if they need not be deduced.
    pub(in crate::sema) fn deduced_object(
        &mut self,
        ty: &ast::Ty,
        init: &ast::Init,
        span: Span,
    ) -> SemaResult<Option<(QualType, hir::Expr)>> {
        let TyKind::Name(n) = &ty.kind else { return Ok(None) };
        if n.last().args.is_some() {
            return Ok(None);
        }
        let plain = ast::Ty { is_const: false, ..ty.clone() };
        let Some(t) = self.template_argument(&plain)? else { return Ok(None) };
        let s = self.struct_templates[t].ast.clone();
        let list: Vec<ast::Expr> = match init {
            ast::Init::None => Vec::new(),
            ast::Init::Assign(e) => vec![e.clone()],
            ast::Init::Paren(list) => list.clone(),
            ast::Init::Brace(e) => match &e.kind {
                ast::ExprKind::Init(items) => items.iter().map(|i| i.value.clone()).collect(),
                _ => return Ok(None),
            },
        };
        if list.is_empty() && s.template.iter().all(has_default) {
            return Ok(None);
        }
        let args = self.args(&list)?;
        if let [Arg::TypedExpr(e)] = &args[..]
            && matches!(e.q.ty, Type::Struct(id) if self.structs[id.0 as usize].template == Some(t))
        {
            let q = e.q.plain();
            let value = self.convert(e.clone(), &q, span)?;
            return Ok(Some((q, value)));
        }
        let scope = self.struct_templates[t].scope;
        let name = n.last().id.clone();
        let mut guides = match self.lookup_in(scope, &ast::guide(&name)) {
            Some(Entity::Funcs(written)) => written.to_vec(),
            _ => Vec::new(),
        };
        if !self.viable(&guides, None, &args) {
            guides = self.implied_guides(&s, scope);
        }
        let (idx, targs) = self.choose(&guides, &[], None, &args, span, &name)?;
        let (ast, scope) = (self.funcs[idx].ast.clone(), self.funcs[idx].scope);
        let inner = self.bind_template(&Rc::new(ast.template.clone()), &targs, scope, span)?;
        let outer = std::mem::replace(&mut self.ctx.scope, inner);
        let q = self.ty(&ast.ret);
        self.ctx.scope = outer;
        let q = q?;
        let Type::Struct(id) = q.ty else { return fail(span, "a guide must name its class") };
        self.complete(id, span)?;
        let fields = self.structs[id.0 as usize].fields.clone();
        let simple = |f: &FieldInfo| !matches!(f.ty.q.ty, Type::Array(..));
        let value = if self.has_ctors(id) {
            self.construct_args(id, args, span)?
        } else if fields.len() == args.len() && fields.iter().all(simple) {
            // As they are typed: a lambda that is typed again is another one.
            let pairs = args.into_iter().zip(&fields);
            let parts = pairs.map(|(a, f)| self.argument(a, &f.ty, span));
            let kind = hir::ExprKind::Aggregate(parts.collect::<SemaResult<_>>()?);
            hir::Expr { kind, ty: hir::Ty::Struct(id), span }
        } else {
            match self.init_value(&q, init, span)? {
                Some(value) => value,
                None => self.construct(id, Vec::new(), span)?,
            }
        };
        Ok(Some((q, value)))
    }

    /// How the arguments of a class template follow from its constructors or members.
    fn implied_guides(&mut self, s: &Rc<ast::Struct>, scope: ScopeId) -> Vec<FnIdx> {
        let mut made = Vec::new();
        for m in &s.members {
            if let ast::Decl::Function(f) = m
                && f.is_ctor
            {
                made.push(s.deduction(f.params.clone(), &f.template));
            }
        }
        if made.is_empty() {
            let param = |ty: &ast::Ty, default: Option<ast::Expr>| ast::Param {
                name: None,
                ty: ty.clone(),
                default,
                span: ty.span,
            };
            let bases = s.base.iter().map(|(ty, _)| param(ty, None));
            let members = s.members.iter().filter_map(|m| match m {
                ast::Decl::Var(v) if !v.specs.is_static => Some(param(
                    &v.ty,
                    match &v.init {
                        ast::Init::Assign(e) | ast::Init::Brace(e) => Some(e.clone()),
                        _ => None,
                    },
                )),
                _ => None,
            });
            made.push(s.deduction(bases.chain(members).collect(), &[]));
        }
        let first = self.funcs.len();
        self.funcs.extend(made.into_iter().map(|f| FnDecl {
            ast: Rc::new(f),
            scope,
            owner: None,
            sig: None,
            special: Vec::new(),
            extern_c: false,
        }));
        (first..self.funcs.len()).collect()
    }

    fn finish_deduction(
        &mut self,
        params: &Rc<Vec<TParam>>,
        found: Found,
        scope: ScopeId,
        span: Span,
    ) -> Option<Vec<TemplateArg>> {
        let inner = self.push_scope(scope, ScopeKind::Block, "");
        let mut out = Vec::new();
        for (p, f) in params.iter().zip(found) {
            let val = match f {
                Some(v) => v,
                None => self.default_targ(p, inner, span).ok()?,
            };
            let val = self.fit_targ(p, val, inner, span).ok()?;
            self.bind_one(inner, p, &val);
            out.push(val);
        }
        Some(out)
    }

    /// Template arguments with which the template has exactly the signature `sig`, and the template
    /// with its packs written out.
    pub(in crate::sema) fn match_template(
        &mut self,
        idx: FnIdx,
        explicit: &[TemplateArg],
        sig: &Sig,
    ) -> Option<(FnIdx, Vec<TemplateArg>)> {
        let types: Vec<_> = sig.params.iter().map(|p| Some((p.q.clone(), p.by_ref))).collect();
        let idx = self.unpacked(idx, explicit, &types)?;
        let ast = self.funcs[idx].ast.clone();
        let scope = self.funcs[idx].scope;
        if !ast.is_template
            || ast.params.len() != sig.params.len()
            || explicit.len() > ast.template.len()
        {
            return None;
        }
        let params = Rc::new(ast.template.clone());
        let mut found: Found = vec![None; params.len()];
        for (f, e) in found.iter_mut().zip(explicit) {
            *f = Some(e.clone());
        }
        for (p, v) in ast.params.iter().zip(&sig.params) {
            self.unify(&p.ty, &v.q, &params, &mut found, scope, explicit.len());
        }
        if let Some(ret) = &sig.ret {
            self.unify(&ast.ret, &ret.q, &params, &mut found, scope, explicit.len());
        }
        let vals = self.finish_deduction(&params, found, scope, ast.span)?;
        let inner = self.bind_template(&params, &vals, scope, ast.span).ok()?;
        let made = self.signature(&ast, inner).ok()?;
        same_params(&made.params, &sig.params).then_some((idx, vals))
    }

    /// Arguments for the parameters of a partial specialisation, if it fits.
    pub(in crate::sema) fn match_specialisation(
        &mut self,
        s: &Rc<ast::Struct>,
        full: &[TemplateArg],
        scope: ScopeId,
    ) -> Option<Vec<TemplateArg>> {
        let pattern = s.special.clone()?;
        self.match_pattern(&pattern, &Rc::new(s.template.clone()), full, scope, s.span)
    }

    /// Arguments for the parameters in a pattern of template arguments, if it fits.
    pub(in crate::sema) fn match_pattern(
        &mut self,
        pattern: &[TArg],
        params: &Rc<Vec<TParam>>,
        full: &[TemplateArg],
        scope: ScopeId,
        span: Span,
    ) -> Option<Vec<TemplateArg>> {
        if pattern.len() != full.len() {
            return None;
        }
        let mut found: Found = vec![None; params.len()];
        for (p, v) in pattern.iter().zip(full) {
            if !self.unify_targ(p, v, params, &mut found, scope, 0) {
                return None;
            }
        }
        let bound: Vec<TemplateArg> = found.into_iter().collect::<Option<_>>()?;
        // What could not be deduced must be there, and be the same (`enable_if`, `void_t`).
        if !pattern.iter().all(deduced) {
            let inner = self.bind_template(params, &bound, scope, span).ok()?;
            let outer = std::mem::replace(&mut self.ctx.scope, inner);
            let made = self.template_values(pattern);
            self.ctx.scope = outer;
            return (made.ok()? == full).then_some(bound);
        }
        Some(bound)
    }

    fn unify_targ(
        &mut self,
        p: &TArg,
        v: &TemplateArg,
        params: &Rc<Vec<TParam>>,
        found: &mut Found,
        scope: ScopeId,
        fixed: usize,
    ) -> bool {
        match (p, v) {
            (TArg::Type(ty), TemplateArg::Template(t)) => {
                if let TyKind::Name(n) = &ty.kind
                    && let Some(i) =
                        n.plain().and_then(|id| params.iter().position(|p| p.name == *id))
                {
                    return set(found, i, v.clone(), fixed);
                }
                let outer = std::mem::replace(&mut self.ctx.scope, scope);
                let vals = self.template_values(std::slice::from_ref(p));
                self.ctx.scope = outer;
                matches!(vals.as_deref(), Ok([TemplateArg::Template(u)]) if u == t)
            }
            (TArg::Type(ty), TemplateArg::Type(q)) => {
                self.unify(ty, q, params, found, scope, fixed)
            }
            (TArg::Expr(e), v) => {
                if let ast::ExprKind::Name(n) = &e.kind
                    && let Some(i) =
                        n.plain().and_then(|id| params.iter().position(|p| p.name == *id))
                {
                    return set(found, i, v.clone(), fixed);
                }
                if mentions_expr(e, params) {
                    // Such as `N + 1`: not deduced, but checked once the arguments are known.
                    return true;
                }
                let outer = std::mem::replace(&mut self.ctx.scope, scope);
                let value = self.constant_argument(e);
                self.ctx.scope = outer;
                matches!((value, v), (Ok((a, _)), TemplateArg::Int(b, _)) if a == *b)
            }
            _ => false,
        }
    }

    /// Makes the written type `ty` equal to `q` by choosing template arguments.
    fn unify(
        &mut self,
        ty: &ast::Ty,
        q: &QualType,
        params: &Rc<Vec<TParam>>,
        found: &mut Found,
        scope: ScopeId,
        fixed: usize,
    ) -> bool {
        match &ty.kind {
            TyKind::Ref(to, _) | TyKind::In(_, to) | TyKind::Volatile(to) => {
                self.unify(to, q, params, found, scope, fixed)
            }
            TyKind::Func(f) => match &q.ty {
                Type::Func(g) if f.params.len() == g.params.len() => {
                    let g = g.clone();
                    self.unify(&f.ret, &g.ret.q, params, found, scope, fixed)
                        && f.params
                            .iter()
                            .zip(&g.params)
                            .all(|(p, v)| self.unify(&p.ty, &v.q, params, found, scope, fixed))
                }
                _ => false,
            },
            TyKind::Member(to, class) => match (&q.ty, &to.kind) {
                (Type::Member(m), _) => {
                    let m = m.clone();
                    self.unify(class, &Type::Struct(m.0).q(), params, found, scope, fixed)
                        && self.unify(to, &m.1, params, found, scope, fixed)
                }
                (Type::Method(g), TyKind::Func(f)) if f.params.len() + 1 == g.params.len() => {
                    let object = g.params[0].q.ty.pointee().map(|o| (**o).clone());
                    let Some(object) = object.filter(|o| o.is_const == to.is_const) else {
                        return false;
                    };
                    let rest = FnTy { params: g.params[1..].to_vec(), ret: g.ret.clone() };
                    self.unify(class, &object.plain(), params, found, scope, fixed)
                        && self.unify(
                            to,
                            &Type::Func(Rc::new(rest)).q(),
                            params,
                            found,
                            scope,
                            fixed,
                        )
                }
                _ => false,
            },
            TyKind::Ptr(to, _) if matches!(to.kind, TyKind::Func(_)) => {
                self.unify(to, q, params, found, scope, fixed)
            }
            TyKind::Ptr(to, _) => match &q.ty {
                Type::Ptr(inner) => {
                    let inner = (**inner).clone();
                    self.unify(to, &inner, params, found, scope, fixed)
                }
                _ => false,
            },
            TyKind::Array(to, n) => match &q.ty {
                Type::Array(inner, len) => {
                    if let (Some(n), Some(len)) = (n, len) {
                        let v = TemplateArg::Int(*len, Type::ULONG);
                        if !self.unify_targ(
                            &TArg::Expr((**n).clone()),
                            &v,
                            params,
                            found,
                            scope,
                            fixed,
                        ) {
                            return false;
                        }
                    }
                    let inner = (**inner).clone();
                    self.unify(to, &inner, params, found, scope, fixed)
                }
                Type::Ptr(inner) => {
                    let inner = (**inner).clone();
                    self.unify(to, &inner, params, found, scope, fixed)
                }
                _ => false,
            },
            TyKind::Name(n) => {
                if let Some(i) = n.plain().and_then(|id| params.iter().position(|p| p.name == *id))
                {
                    let c = q.is_const && !ty.is_const;
                    return set(
                        found,
                        i,
                        TemplateArg::Type(QualType { is_const: c, ..q.plain() }),
                        fixed,
                    );
                }
                if let (Some(args), Type::Struct(sid)) = (&n.last().args, &q.ty) {
                    let info = &self.structs[sid.0 as usize];
                    let parameter = match n.parts.len() {
                        1 => params.iter().position(|p| p.name == n.last().id),
                        _ => None,
                    };
                    if let (Some(i), Some(t)) = (parameter, info.template)
                        && let Some(vals) = info.targs.clone()
                    {
                        let args = args.clone();
                        return set(found, i, TemplateArg::Template(t), fixed)
                            && args
                                .iter()
                                .zip(&vals)
                                .all(|(a, v)| self.unify_targ(a, v, params, found, scope, fixed));
                    }
                    if *info.plain == *n.last().id
                        && let Some(vals) = info.targs.clone()
                    {
                        let args = args.clone();
                        return args
                            .iter()
                            .zip(&vals)
                            .all(|(a, v)| self.unify_targ(a, v, params, found, scope, fixed));
                    }
                }
                if mentions(ty, params) {
                    // Not deducible, such as `typename T::type`.
                    return true;
                }
                self.same_written(ty, q, scope)
            }
            // Checked once the arguments are known.
            TyKind::Decltype(_) | TyKind::Typeof(_) => true,
            _ => self.same_written(ty, q, scope),
        }
    }

    fn same_written(&mut self, ty: &ast::Ty, q: &QualType, scope: ScopeId) -> bool {
        let outer = std::mem::replace(&mut self.ctx.scope, scope);
        let written = self.var_ty(ty);
        self.ctx.scope = outer;
        matches!(written, Ok(VarTy { q: w, .. }) if w.ty == q.ty)
    }
}

fn set(found: &mut Found, i: usize, v: TemplateArg, fixed: usize) -> bool {
    if i < fixed {
        return true;
    }
    match &found[i] {
        Some(old) => match (old, &v) {
            (TemplateArg::Int(a, _), TemplateArg::Int(b, _)) => a == b,
            (TemplateArg::Type(a), TemplateArg::Type(b)) => a.ty == b.ty,
            (TemplateArg::Template(a), TemplateArg::Template(b)) => a == b,
            _ => false,
        },
        None => {
            found[i] = Some(v);
            true
        }
    }
}

/// One of the parameters occurs in the type.
fn mentions(ty: &ast::Ty, params: &[TParam]) -> bool {
    match &ty.kind {
        TyKind::Ptr(to, _) | TyKind::Ref(to, _) | TyKind::Volatile(to) | TyKind::Expand(to) => {
            mentions(to, params)
        }
        TyKind::Array(to, n) => {
            mentions(to, params) || n.as_ref().is_some_and(|n| mentions_expr(n, params))
        }
        TyKind::Name(n) => n.parts.iter().any(|p| {
            params.iter().any(|q| q.name == p.id)
                || p.args.iter().flatten().any(|a| match a {
                    TArg::Type(t) => mentions(t, params),
                    TArg::Expr(e) => mentions_expr(e, params),
                })
        }),
        TyKind::Decltype(_) | TyKind::Typeof(_) => true,
        TyKind::Member(to, class) => mentions(to, params) || mentions(class, params),
        TyKind::Func(f) => {
            mentions(&f.ret, params) || f.params.iter().any(|p| mentions(&p.ty, params))
        }
        _ => false,
    }
}

fn mentions_expr(e: &ast::Expr, params: &[TParam]) -> bool {
    match &e.kind {
        ast::ExprKind::Name(n) => n.plain().is_some_and(|id| params.iter().any(|p| p.name == *id)),
        ast::ExprKind::Int(..) | ast::ExprKind::Bool(_) | ast::ExprKind::Char(_) => false,
        ast::ExprKind::Paren(a) | ast::ExprKind::Unary(_, a) => mentions_expr(a, params),
        ast::ExprKind::Binary(_, a, b) => mentions_expr(a, params) || mentions_expr(b, params),
        _ => true,
    }
}

/// The written template argument is compared when it is unified: a plain name or shape, nothing
/// that must be computed first.
fn deduced(a: &TArg) -> bool {
    fn plain(ty: &ast::Ty) -> bool {
        match &ty.kind {
            TyKind::Ptr(to, _) | TyKind::Ref(to, _) | TyKind::Volatile(to) | TyKind::Expand(to) => {
                plain(to)
            }
            TyKind::Name(n) => n.parts.len() == 1 && n.last().args.is_none(),
            TyKind::Decltype(_) | TyKind::Typeof(_) => false,
            TyKind::Array(to, _) => plain(to),
            _ => true,
        }
    }
    match a {
        TArg::Type(ty) => plain(ty),
        TArg::Expr(e) => matches!(e.kind, ast::ExprKind::Name(_) | ast::ExprKind::Int(..)),
    }
}
