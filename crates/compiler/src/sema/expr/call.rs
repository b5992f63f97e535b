//! Calls: which function, and its arguments.

use std::rc::Rc;

use crate::ast::{self, Body, Init, TyKind};
use crate::builtins;
use crate::diag::Diagnostic;
use crate::hir::{self, ExprKind, StructId};
use crate::language::Language;
use crate::sema::decl::functions::overloadable;
use crate::sema::decl::packs;
use crate::sema::types::convert;
use crate::sema::types::{QualType, Type, VarTy};
use crate::sema::{
    Entity, FnIdx, Instance, MAX_INSTANTIATION_DEPTH, Sema, SemaResult, Sig, TemplateArg,
    TypedExpr, fail, silent,
};
use crate::source::Span;

/// An argument: typed, or a brace list whose type the parameter decides.
#[derive(Clone, Debug)]
pub(in crate::sema) enum Arg {
    TypedExpr(TypedExpr),
    List(ast::Expr),
}

impl Arg {
    pub(in crate::sema) fn span(&self) -> Span {
        match self {
            Arg::TypedExpr(e) => e.e.span,
            Arg::List(e) => e.span,
        }
    }
}

/// A candidate that fits, with how well each argument does.
struct Fit {
    idx: FnIdx,
    targs: Vec<TemplateArg>,
    ranks: Vec<u32>,
    special: u32,
    /// By a template with a pack.
    packed: bool,
    /// Temporary values bound to `&&`.
    rvalues: u32,
}

/// Types of arguments, and whether they are places; of a list in braces nothing is known.
fn types_of(args: &[Arg]) -> Vec<Option<(QualType, bool)>> {
    let of = |a: &Arg| match a {
        Arg::TypedExpr(e) => Some((e.q.clone(), e.place)),
        Arg::List(_) => None,
    };
    args.iter().map(of).collect()
}

impl Sema<'_> {
    pub(in crate::sema) fn args(&mut self, args: &[ast::Expr]) -> SemaResult<Vec<Arg>> {
        args.iter()
            .map(|a| {
                if matches!(a.kind, ast::ExprKind::Init(_)) {
                    return Ok(Arg::List(a.clone()));
                }
                let ex = self.expr(a)?;
                if matches!(ex.q.ty, Type::Void) {
                    return fail(a.span, "this returns nothing that could be an argument");
                }
                Ok(Arg::TypedExpr(ex))
            })
            .collect()
    }

    /// A call. It is long because it has an arm for each thing that can be called.
    pub(in crate::sema) fn call(
        &mut self,
        callee: &ast::Expr,
        args: &[ast::Expr],
        span: Span,
    ) -> SemaResult<TypedExpr> {
        match &callee.kind {
            ast::ExprKind::Paren(inner) => self.call(inner, args, span),
            ast::ExprKind::Member { base, arrow, name } if *name.last().id == *ast::DESTRUCTOR => {
                let object = self.member_object(base, *arrow)?;
                self.call_destructor(object, span)
            }
            ast::ExprKind::Name(n) => {
                if let (ast::ExprKind::Init(items), "min" | "max") =
                    (args.first().map_or(&callee.kind, |a| &a.kind), &*n.last().id)
                    && let Some(of_two) = of_pairs(callee, items, &args[1..], span)
                {
                    return self.expr(&of_two);
                }
                let found = self.resolve(n)?;
                match found {
                    Some((Entity::Funcs(list), _)) => {
                        let explicit = match &n.last().args {
                            Some(a) => self.template_values(&a.clone())?,
                            None => Vec::new(),
                        };
                        let is_member = list.first().is_some_and(|f| {
                            self.funcs[*f].owner.is_some() && !self.funcs[*f].ast.specs.is_static
                        });
                        let this =
                            if is_member { Some(self.this_place(callee.span)?) } else { None };
                        let written = args;
                        let args = self.args(args)?;
                        // A built-in function of the same name is an overload as well (`min`,
                        // `abs`, ...).
                        if this.is_none()
                            && explicit.is_empty()
                            && !self.close(&list, &args, &n.last().id)
                            && builtins::lookup(Language::CudaC, &n.last().id).is_some()
                            && !self.in_opencl(callee.span)
                        {
                            return self.builtin_call(
                                &n.last().id.clone(),
                                args,
                                callee.span,
                                span,
                            );
                        }
                        // So it is beside the program's overloads of it in OpenCL C.
                        if self.in_opencl(callee.span)
                            && list.iter().any(|f| overloadable(&self.funcs[*f].ast))
                            && !self.close(&list, &args, &n.last().id)
                            && let id = n.last().id.clone()
                            && let Some(value) =
                                self.opencl_call(&id, written, callee.span, span)?
                        {
                            return Ok(value);
                        }
                        let vector =
                            n.last().id.strip_prefix("make_").and_then(|v| self.vectors.get(v));
                        if let Some(sid) = vector.copied()
                            && !self.viable(&list, None, &args)
                        {
                            return self.make_vector(sid, args, span);
                        }
                        self.direct = n.parts.len() > 1;
                        self.call_set(&list, explicit, this, args, span, &n.last().id)
                    }
                    Some((Entity::Broken, _)) => silent(callee.span),
                    Some((Entity::Host(at), _)) => Err(Box::new(
                        Diagnostic::error(
                            callee.span,
                            format!(
                                "`{}` is a host function: device code cannot call it",
                                n.last().id
                            ),
                        )
                        .related(at, "declared here")
                        .help("write `__device__` before its definition"),
                    )),
                    Some((
                        Entity::Type(_) | Entity::StructTemplate(_) | Entity::AliasTemplate(_),
                        _,
                    )) => {
                        let ty = ast::Ty {
                            kind: TyKind::Name(n.clone()),
                            is_const: false,
                            span: n.span,
                        };
                        let e = ast::Expr {
                            kind: ast::ExprKind::Construct {
                                ty,
                                args: args.to_vec(),
                                braces: false,
                            },
                            span,
                        };
                        self.expr(&e)
                    }
                    Some(_) => {
                        let object = self.expr(callee)?;
                        self.call_object(object, args, span)
                    }
                    None => {
                        let id = n.last().id.clone();
                        if self.in_opencl(callee.span) {
                            return match self.opencl_call(&id, args, callee.span, span)? {
                                Some(value) => Ok(value),
                                None => Err(self.undeclared_function(n)),
                            };
                        }
                        if builtins::lookup(Language::CudaC, &id).is_some() {
                            let args = self.args(args)?;
                            return self.builtin_call(&id, args, callee.span, span);
                        }
                        if let Some(v) = id.strip_prefix("make_")
                            && let Some(sid) = self.vectors.get(v).copied()
                        {
                            let args = self.args(args)?;
                            return self.make_vector(sid, args, span);
                        }
                        // Functions in the namespace of an argument's class.
                        let args_ex = self.args(args)?;
                        if let Some(list) = self.argument_dependent(&id, &args_ex) {
                            return self.call_set(&list, Vec::new(), None, args_ex, span, &id);
                        }
                        Err(self.undeclared_function(n))
                    }
                }
            }
            ast::ExprKind::Member { base, arrow, name } => {
                let object = self.member_object(base, *arrow)?;
                let Type::Struct(id) = object.q.ty else {
                    let shown = self.show(&object.q);
                    let mut d = Diagnostic::error(callee.span, format!("`{shown}` has no members"));
                    if object.q.ty.is_pointer() && !arrow {
                        d = d.help("this is a pointer: write `->` instead of `.`");
                    }
                    return Err(Box::new(d));
                };
                self.complete(id, span)?;
                let last = name.last().clone();
                let scope = self.structs[id.0 as usize].scope;
                match self.lookup_in(scope, &last.id) {
                    Some(Entity::Funcs(list)) => {
                        let explicit = match &last.args {
                            Some(a) => self.template_values(a)?,
                            None => Vec::new(),
                        };
                        let args = self.args(args)?;
                        self.direct = name.parts.len() > 1;
                        self.call_set(&list, explicit, Some(object), args, span, &last.id)
                    }
                    Some(Entity::Host(at)) => Err(Box::new(
                        Diagnostic::error(
                            last.span,
                            format!("`{}` is a host function: device code cannot call it", last.id),
                        )
                        .related(at, "declared here")
                        .help("write `__device__` before it"),
                    )),
                    _ => match self.find_field(id, &last.id) {
                        Some(path) => {
                            let field = self.walk(object, &path, callee.span)?;
                            self.call_object(field, args, span)
                        }
                        None => Err(self.no_member(id, &last)),
                    },
                }
            }
            ast::ExprKind::Binary(op @ (".*" | "->*"), a, b) => {
                let object = self.member_object(a, *op == "->*")?;
                let pointer = self.expr(b).and_then(|p| self.load_value(p))?;
                let Type::Method(ty) = &pointer.q.ty else {
                    let member = self.pointed_member(object, pointer, callee.span)?;
                    return self.call_object(member, args, span);
                };
                let ty = ty.clone();
                let (class, constant) = match ty.params[0].q.ty.pointee().map(|o| (&o.ty, o)) {
                    Some((Type::Struct(id), o)) => (*id, o.is_const),
                    _ => return fail(span, "not a member function"),
                };
                let q = object.q.clone();
                if q.is_const && !constant {
                    let shown = self.show(&pointer.q);
                    let text = format!("`{shown}` may change its object, which is `const`");
                    return fail(callee.span, text);
                }
                self.part_of(&q, class, a.span)?;
                let this = self.object_address(object, class, span)?;
                let q =
                    Type::Ptr(Rc::new(QualType { is_const: constant, ..Type::Struct(class).q() }));
                let this = TypedExpr { e: this, q: q.q(), place: false, constant: None };
                let mut list = vec![Arg::TypedExpr(this)];
                list.extend(self.args(args)?);
                self.call_address(pointer, &ty, list, span)
            }
            _ => {
                let object = self.expr(callee)?;
                self.call_object(object, args, span)
            }
        }
    }

    fn undeclared_function(&self, n: &ast::Name) -> Box<Diagnostic> {
        let id = &n.last().id;
        if **id == *"this_cluster" {
            return Box::new(
                Diagnostic::unsupported(n.span, "clusters of blocks are not supported")
                    .help("exchange values through global memory, with `this_grid().sync()`"),
            );
        }
        let mut d = self.undeclared(n);
        d.message = format!("the function `{id}` is not declared");
        d.label = "no such function here".into();
        if d.help.is_none() {
            d.help = Some("a function must be declared before the line that calls it".into());
        }
        d
    }

    fn argument_dependent(&self, id: &str, args: &[Arg]) -> Option<Rc<Vec<FnIdx>>> {
        for a in args {
            let class = match a {
                Arg::TypedExpr(TypedExpr { q: QualType { ty: Type::Struct(sid), .. }, .. }) => {
                    Some(*sid)
                }
                Arg::TypedExpr(TypedExpr { q: QualType { ty: Type::Ptr(to), .. }, .. }) => {
                    match to.ty {
                        Type::Struct(sid) => Some(sid),
                        _ => None,
                    }
                }
                _ => None,
            };
            if let Some(sid) = class {
                let mut at = self.scopes[self.structs[sid.0 as usize].scope].parent;
                while let Some(s) = at {
                    if let Some(Entity::Funcs(list)) = self.lookup_in(s, id) {
                        return Some(list);
                    }
                    at = self.scopes[s].parent;
                }
            }
        }
        None
    }

    /// Calls an object: a lambda or a class with `operator()`.
    pub(in crate::sema) fn call_object(
        &mut self,
        object: TypedExpr,
        args: &[ast::Expr],
        span: Span,
    ) -> SemaResult<TypedExpr> {
        if let Type::Func(f) = &object.q.ty {
            let f = f.clone();
            let args = self.args(args)?;
            return self.call_address(object, &f, args, span);
        }
        let Type::Struct(id) = object.q.ty else {
            return fail(span, format!("`{}` cannot be called", self.show(&object.q)));
        };
        let scope = self.structs[id.0 as usize].scope;
        match self.lookup_in(scope, "operator()") {
            Some(Entity::Funcs(list)) => {
                let args = self.args(args)?;
                self.call_set(&list, Vec::new(), Some(object), args, span, "operator()")
            }
            _ => fail(
                span,
                format!("`{}` cannot be called: it has no `operator()`", self.show(&object.q)),
            ),
        }
    }

    fn make_vector(&mut self, sid: StructId, args: Vec<Arg>, span: Span) -> SemaResult<TypedExpr> {
        let Some((elem, n)) = self.structs[sid.0 as usize].vector.clone() else {
            return fail(span, "not a vector type");
        };
        let name = self.module.structs[sid.0 as usize].name.clone();
        if args.len() as u64 != n {
            return fail(
                span,
                format!("`make_{name}` takes {n} argument(s), but {} are given", args.len()),
            );
        }
        let mut list = Vec::new();
        for a in args {
            let at = a.span();
            let Arg::TypedExpr(ex) = a else {
                return fail(at, format!("`make_{name}` takes numbers"));
            };
            list.push(self.convert(ex, &elem.clone().q(), at)?);
        }
        Ok(self.value(ExprKind::Aggregate(list), Type::Struct(sid).q(), span))
    }

    // ---- overloads

    /// Some candidate takes these arguments.
    pub(in crate::sema) fn viable(
        &mut self,
        list: &[FnIdx],
        this: Option<&TypedExpr>,
        args: &[Arg],
    ) -> bool {
        list.iter().any(|f| self.fits(*f, &[], this, args, Span::default()).is_some())
    }

    /// Some candidate takes these arguments, and not by making objects of plain numbers, nor, where
    /// the built-in function `name` takes halves, by making other numbers of halves.
    fn close(&mut self, list: &[FnIdx], args: &[Arg], name: &str) -> bool {
        let is = |a: &Arg, t: fn(&Type) -> bool| matches!(a, Arg::TypedExpr(e) if t(&e.q.ty));
        let objects = args.iter().any(|a| is(a, |t| matches!(t, Type::Struct(_))));
        let halves = !args.is_empty()
            && args.iter().all(|a| is(a, |t| *t == Type::F16))
            && builtins::lookup(Language::CudaC, name).is_some_and(|(f, _)| f.takes_halves());
        let far = if halves { 1 } else { 4 };
        list.iter().any(|f| {
            self.fits(*f, &[], None, args, Span::default())
                .is_some_and(|fit| objects || fit.ranks.iter().all(|r| *r < far))
        })
    }

    fn fits(
        &mut self,
        idx: FnIdx,
        explicit: &[TemplateArg],
        this: Option<&TypedExpr>,
        args: &[Arg],
        span: Span,
    ) -> Option<Fit> {
        let packed = packs::has_pack(&self.funcs[idx].ast.template);
        let idx = match packed {
            true => self.unpacked(idx, explicit, &types_of(args))?,
            false => idx,
        };
        let ast = self.funcs[idx].ast.clone();
        let required = ast.params.iter().filter(|p| p.default.is_none()).count();
        if args.len() < required || args.len() > ast.params.len() {
            return None;
        }
        let mut special = 0;
        let (targs, sig) = if ast.is_template {
            special = ast.params.iter().map(|p| specificity(&p.ty)).sum();
            self.deduced_signature(idx, explicit, &types_of(args), span)?
        } else {
            if !explicit.is_empty() {
                return None;
            }
            (Vec::new(), self.funcs[idx].sig.clone()?)
        };
        if self.unmet_by(idx, &targs).is_some() {
            return None;
        }
        // No template copies an object: its parameter would have to be copied first.
        if let (true, true, [first]) = (ast.is_ctor, ast.is_template, &sig.params[..])
            && !first.by_ref
            && self.funcs[idx].owner.is_some_and(|id| first.q.ty == Type::Struct(id))
        {
            return None;
        }
        let mut ranks = Vec::with_capacity(args.len() + 1);
        let mut rvalues = 0;
        if let Some(this) = this
            && !ast.specs.is_static
            && !ast.is_ctor
        {
            if this.q.is_const && !ast.is_const {
                return None;
            }
            ranks.push(u32::from(ast.is_const && !this.q.is_const));
        }
        for (a, p) in args.iter().zip(&sig.params) {
            ranks.push(match a {
                // `T &&` of a template takes what has a place as `T &` does.
                Arg::TypedExpr(e) if p.rvalue && e.place && ast.is_template => {
                    self.fit(e, &p.q.clone().reference())?
                }
                Arg::TypedExpr(e) => {
                    rvalues += u32::from(p.rvalue && !e.place);
                    self.fit(e, p)?
                }
                Arg::List(_) => 3,
            });
        }
        Some(Fit { idx, targs, ranks, special, packed, rvalues })
    }

    /// The arguments of a function template, as its call with arguments of these types gives them,
    /// and its parameters with them. Packs must be unpacked.
    pub(in crate::sema) fn deduced_signature(
        &mut self,
        idx: FnIdx,
        explicit: &[TemplateArg],
        types: &[Option<(QualType, bool)>],
        span: Span,
    ) -> Option<(Vec<TemplateArg>, Rc<Sig>)> {
        let (ast, scope) = (self.funcs[idx].ast.clone(), self.funcs[idx].scope);
        if packs::has_pack(&ast.template) {
            return None;
        }
        let targs = self.deduce(idx, explicit, types, span)?;
        let inner = self.bind_template(&Rc::new(ast.template.clone()), &targs, scope, span).ok()?;
        let sig = self.signature(&ast, inner).ok()?;
        Some((targs, Rc::new(sig)))
    }

    /// Calls the best of several functions.
    pub(in crate::sema) fn call_set(
        &mut self,
        list: &[FnIdx],
        explicit: Vec<TemplateArg>,
        this: Option<TypedExpr>,
        args: Vec<Arg>,
        span: Span,
        name: &str,
    ) -> SemaResult<TypedExpr> {
        let direct = std::mem::take(&mut self.direct);
        let (idx, targs) = self.choose(list, &explicit, this.as_ref(), &args, span, name)?;
        self.call_chosen(idx, targs, this, args, direct, span)
    }

    pub(in crate::sema) fn choose(
        &mut self,
        list: &[FnIdx],
        explicit: &[TemplateArg],
        this: Option<&TypedExpr>,
        args: &[Arg],
        span: Span,
        name: &str,
    ) -> SemaResult<(FnIdx, Vec<TemplateArg>)> {
        let mut best: Vec<Fit> = Vec::new();
        let fits: Vec<Fit> =
            list.iter().filter_map(|f| self.fits(*f, explicit, this, args, span)).collect();
        for f in fits {
            if best.iter().any(|b| self.better(b, &f)) {
                continue;
            }
            best.retain(|b| !self.better(&f, b));
            best.push(f);
        }
        match best.len() {
            1 => {
                let f = best.remove(0);
                Ok((f.idx, f.targs))
            }
            0 => Err(self.no_match(list, explicit, this, args, span, name)),
            _ => {
                let mut d = Diagnostic::error(span, format!("the call of `{name}` is ambiguous"));
                for f in &best {
                    d = d.related(self.funcs[f.idx].ast.span, "this one fits");
                }
                Err(Box::new(d.help("convert an argument, so that one of them fits best")))
            }
        }
    }

    /// `a` is the better choice.
    fn better(&mut self, a: &Fit, b: &Fit) -> bool {
        if a.ranks.len() == b.ranks.len() {
            let no_worse = a.ranks.iter().zip(&b.ranks).all(|(x, y)| x <= y);
            let somewhere = a.ranks.iter().zip(&b.ranks).any(|(x, y)| x < y);
            if no_worse && somewhere {
                return true;
            }
            if !no_worse || a.ranks != b.ranks {
                return false;
            }
            if a.rvalues != b.rvalues {
                return a.rvalues > b.rvalues;
            }
        }
        let (ta, tb) = (self.funcs[a.idx].ast.is_template, self.funcs[b.idx].ast.is_template);
        if ta != tb {
            return !ta;
        }
        // A definition for the device beats one for the host only.
        let host = |f: &Fit| matches!(self.funcs[f.idx].ast.body, Body::Host);
        if host(a) != host(b) {
            return host(b);
        }
        if (a.packed, a.special) == (b.packed, b.special) {
            return self.requires_more(a.idx, b.idx);
        }
        match a.packed == b.packed {
            true => a.special > b.special,
            false => b.packed,
        }
    }

    fn no_match(
        &mut self,
        list: &[FnIdx],
        explicit: &[TemplateArg],
        this: Option<&TypedExpr>,
        args: &[Arg],
        span: Span,
        name: &str,
    ) -> Box<Diagnostic> {
        if let [idx] = list {
            let ast = self.funcs[*idx].ast.clone();
            let at = ast.span;
            let required = ast.params.iter().filter(|p| p.default.is_none()).count();
            let total = ast.params.len();
            if args.len() < required || args.len() > total {
                let want = match (required, total) {
                    (r, t) if r == t => format!("{t}"),
                    (r, t) => format!("{r} to {t}"),
                };
                let noun = if want == "1" { "argument" } else { "arguments" };
                let mut d = Diagnostic::error(
                    span,
                    format!(
                        "`{name}` takes {want} {noun}, but {} {} given",
                        args.len(),
                        if args.len() == 1 { "is" } else { "are" }
                    ),
                )
                .related(at, "declared here");
                if let Some(p) = ast.params.get(args.len()).and_then(|p| p.name.as_ref()) {
                    d = d.help(format!("the parameter `{p}` gets no value"));
                }
                return Box::new(d);
            }
            if let Some(this) = this
                && this.q.is_const
                && !ast.is_const
                && !ast.specs.is_static
            {
                return Box::new(
                    Diagnostic::error(
                        span,
                        format!("`{name}` may change its object, but the object is `const`"),
                    )
                    .related(at, "declared here")
                    .help("write `const` behind its parameters if it changes nothing"),
                );
            }
            let known = self.unpacked(*idx, explicit, &types_of(args));
            if let (false, Some(f)) = (ast.requires.is_empty(), known)
                && let Some((targs, _)) = self.deduced_signature(f, explicit, &types_of(args), span)
                && let Some(part) = self.unmet_by(f, &targs)
            {
                return Box::new(
                    Sema::unmet_message(name, part, span).related(at, "declared here"),
                );
            }
            if ast.is_template {
                let mut d = Diagnostic::error(
                    span,
                    format!("the template arguments of `{name}` cannot be told from this call"),
                )
                .related(at, "declared here");
                if explicit.len() < ast.template.len() {
                    d = d.help(format!("write them: `{name}<...>(...)`"));
                }
                return Box::new(d);
            }
            if let Some(sig) = self.funcs[*idx].sig.clone() {
                for (k, (a, p)) in args.iter().zip(&sig.params).enumerate() {
                    let Arg::TypedExpr(e) = a else { continue };
                    if let Some(d) = self.mixed_spaces(e, &p.q) {
                        return Box::new(
                            d.related(ast.params[k].span, format!("parameter of `{name}`")),
                        );
                    }
                    if self.fit(e, p).is_none() {
                        let what = ast.params[k]
                            .name
                            .as_ref()
                            .map_or(format!("{}", k + 1), |n| format!("`{n}`"));
                        let amp = if p.by_ref { " &" } else { "" };
                        let (given, needed) = (self.show(&e.q), self.show(&p.q));
                        let mut d = Diagnostic::error(
                            a.span(),
                            format!(
                                "the argument for {what} has the type `{given}`, but \
                                 `{needed}{amp}` is needed"
                            ),
                        )
                        .label(format!("of type `{given}`"))
                        .related(ast.params[k].span, format!("parameter of `{name}`"));
                        if p.by_ref && !e.place {
                            d = d.help("the parameter is a reference: pass a variable");
                        }
                        return Box::new(d);
                    }
                }
            }
        }
        let types: Vec<String> = args
            .iter()
            .map(|a| match a {
                Arg::TypedExpr(e) => self.show(&e.q.plain()),
                Arg::List(_) => "{...}".into(),
            })
            .collect();
        let name = name.trim_start_matches("__cl_");
        let mut d =
            Diagnostic::error(span, format!("no function `{name}` takes ({})", types.join(", ")));
        for f in list.iter().take(4) {
            d = d.related(self.funcs[*f].ast.span, "this one does not fit");
        }
        Box::new(d)
    }

    pub(in crate::sema) fn call_member(
        &mut self,
        idx: FnIdx,
        targs: Vec<TemplateArg>,
        this: TypedExpr,
        args: Vec<Arg>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        self.call_chosen(idx, targs, Some(this), args, false, span)
    }

    fn call_chosen(
        &mut self,
        idx: FnIdx,
        targs: Vec<TemplateArg>,
        this: Option<TypedExpr>,
        args: Vec<Arg>,
        direct: bool,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let object = this.as_ref().filter(|this| !direct && self.is_indirect(this));
        let dynamic = match object.and_then(|_| self.virtual_root(idx)) {
            Some(root) => self.virtual_instance(root).map(|inst| (root, inst)),
            None => None,
        };
        let idx = dynamic.as_ref().map_or(idx, |d| d.0);
        let ast = self.funcs[idx].ast.clone();
        let name = ast.name.last().id.clone();
        // OpenCL C lets kernels call kernels, as ordinary functions.
        if ast.specs.global && !self.in_opencl(span) {
            return Err(Box::new(
                Diagnostic::error(
                    span,
                    format!("`{name}` is a kernel: device code cannot call it"),
                )
                .related(ast.span, "declared here")
                .help("make it `__device__`, or move what both need into a `__device__` function"),
            ));
        }
        match ast.body {
            _ if dynamic.is_some() => {}
            Body::Host => {
                return Err(Box::new(
                    Diagnostic::error(
                        span,
                        format!("`{name}` is a host function: device code cannot call it"),
                    )
                    .label("called from device code")
                    .related(ast.span, "declared here without `__device__`")
                    .help(format!("write `__device__` before the definition of `{name}`")),
                ));
            }
            Body::None => {
                let text = if ast.specs.device || ast.specs.is_constexpr {
                    format!("`{name}` is declared, but not defined in this file")
                } else {
                    format!("`{name}` is a host function: device code cannot call it")
                };
                // It may still be defined further down; then a later body is what is called.
                if !(ast.specs.device || ast.specs.is_constexpr) {
                    return Err(Box::new(
                        Diagnostic::error(span, text).related(ast.span, "declared here"),
                    ));
                }
            }
            Body::Deleted => return fail(span, format!("`{name}` is deleted")),
            _ => {}
        }
        if self.read_only {
            return fail(span, "functions of the program cannot be called here");
        }
        let uses_defaults = args.len() < ast.params.len();
        let default_scope = match uses_defaults && !ast.template.is_empty() {
            true => {
                let scope = self.funcs[idx].scope;
                self.bind_template(&Rc::new(ast.template.clone()), &targs, scope, span)?
            }
            false => self.funcs[idx].scope,
        };
        let inst = match dynamic {
            Some((_, inst)) => inst,
            None => self.instance(idx, targs, span)?,
        };
        let ret = self.result_type(&inst, span)?;
        let mut list = Vec::with_capacity(args.len() + 1);
        if let (Some(this), false) = (this, ast.specs.is_static || ast.is_ctor)
            && let Some(owner) = self.funcs[idx].owner
        {
            list.push(self.object_address(this, owner, span)?);
        }
        let given = args.len();
        for (a, p) in args.into_iter().zip(&inst.sig.params) {
            let at = a.span();
            list.push(self.argument(a, p, at)?);
        }
        for (p, v) in ast.params.iter().zip(&inst.sig.params).skip(given) {
            let Some(default) = &p.default else { continue };
            let outer = std::mem::replace(&mut self.ctx.scope, default_scope);
            let arg = if matches!(default.kind, ast::ExprKind::Init(_)) {
                Ok(Arg::List(default.clone()))
            } else {
                self.expr(default).map(Arg::TypedExpr)
            };
            self.ctx.scope = outer;
            let arg = arg?;
            list.push(self.argument(arg, v, span)?);
        }
        let kind = ExprKind::Call(inst.func, list);
        if ast.is_ctor {
            let id = self.funcs[idx].owner.unwrap_or(StructId(0));
            return Ok(self.value(kind, Type::Struct(id).q(), span));
        }
        let ty = self.var_machine(&ret);
        let e = hir::Expr { kind, ty, span };
        if ret.by_ref {
            return Ok(self.place(ExprKind::Deref(Box::new(e)), ret.q, span));
        }
        Ok(TypedExpr { e, q: ret.q.plain(), place: false, constant: None })
    }

    /// Address of the object for a member function of `owner`.
    pub(in crate::sema) fn object_address(
        &mut self,
        this: TypedExpr,
        owner: StructId,
        span: Span,
    ) -> SemaResult<hir::Expr> {
        let path = match this.q.ty {
            Type::Struct(id) => self.base_path(id, owner).unwrap_or_default(),
            _ => Vec::new(),
        };
        if this.place {
            let part = self.walk(this, &path, span)?;
            self.mark_memory(&part.e);
            return Ok(convert::address(part.e, span));
        }
        // A temporary object: give it a place.
        let q = QualType::constant(this.q.ty.clone());
        let first = self.bind_reference(this, &q.clone().reference(), span)?;
        if path.is_empty() {
            return Ok(first);
        }
        let place = self.place(ExprKind::Deref(Box::new(first)), q, span);
        let part = self.walk(place, &path, span)?;
        Ok(convert::address(part.e, span))
    }

    pub(in crate::sema) fn argument(
        &mut self,
        a: Arg,
        p: &VarTy,
        span: Span,
    ) -> SemaResult<hir::Expr> {
        let ex = match a {
            Arg::TypedExpr(e) => e,
            Arg::List(e) => match self.init_value(&p.q.plain(), &Init::Brace(e), span)? {
                Some(v) => TypedExpr { e: v, q: p.q.plain(), place: false, constant: None },
                None => return fail(span, "no value"),
            },
        };
        if p.by_ref { self.bind_reference(ex, p, span) } else { self.convert(ex, &p.q, span) }
    }

    /// Result of a function; types its body at once if it is declared `auto`.
    pub(in crate::sema) fn result_type(
        &mut self,
        inst: &Rc<Instance>,
        span: Span,
    ) -> SemaResult<VarTy> {
        if let Some(r) = &inst.sig.ret {
            return Ok(r.clone());
        }
        if let Some(r) = self.auto_rets.get(&inst.func) {
            return Ok(r.clone());
        }
        if self.active.contains(&inst.func) {
            return fail(span, "the result type of this function is `auto` and not known yet here");
        }
        if let Some(i) = self.work.iter().position(|p| p.inst.func == inst.func)
            && let Some(p) = self.work.remove(i)
        {
            self.depth += 1;
            if self.depth > MAX_INSTANTIATION_DEPTH {
                self.depth -= 1;
                return fail(span, "functions with `auto` results are nested too deeply");
            }
            self.body(p);
            self.depth -= 1;
        }
        match self.auto_rets.get(&inst.func) {
            Some(r) => Ok(r.clone()),
            None => {
                fail(span, "the result type of this function cannot be told, because it has errors")
            }
        }
    }

    // ---- objects

    /// A new object from typed arguments.
    pub(in crate::sema) fn construct(
        &mut self,
        id: StructId,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<hir::Expr> {
        self.construct_args(id, args.into_iter().map(Arg::TypedExpr).collect(), span)
    }

    pub(in crate::sema) fn construct_ast(
        &mut self,
        id: StructId,
        args: &[ast::Expr],
        span: Span,
    ) -> SemaResult<hir::Expr> {
        let args = self.args(args)?;
        self.construct_args(id, args, span)
    }

    pub(in crate::sema) fn construct_args(
        &mut self,
        id: StructId,
        args: Vec<Arg>,
        span: Span,
    ) -> SemaResult<hir::Expr> {
        self.complete(id, span)?;
        // A copy.
        if let [Arg::TypedExpr(e)] = &args[..]
            && let Type::Struct(from) = e.q.ty
            && !self.copies(id)
            && self.base_path(from, id).is_some()
        {
            let e = e.clone();
            return self.convert(e, &Type::Struct(id).q(), span);
        }
        let ctors: Vec<FnIdx> = self.structs[id.0 as usize]
            .ctors
            .iter()
            .copied()
            .filter(|c| !matches!(self.funcs[*c].ast.body, Body::Defaulted))
            .collect();
        let class = self.module.structs[id.0 as usize].name.clone();
        if args.is_empty() && (ctors.is_empty() || self.has_defaulted(id)) {
            return self.default_object(id, span);
        }
        if ctors.is_empty() {
            if class == "__half2" && args.len() == 2 {
                return Ok(self.make_vector(id, args, span)?.e);
            }
            if self.structs[id.0 as usize].vector.is_some() && class == "dim3" {
                let mut list = Vec::new();
                for k in 0..3 {
                    list.push(match args.get(k) {
                        Some(Arg::TypedExpr(e)) => {
                            self.convert(e.clone(), &Type::UINT.q(), span)?
                        }
                        _ => hir::Expr { kind: ExprKind::Int(1), ty: hir::Ty::U32, span },
                    });
                }
                return Ok(hir::Expr {
                    kind: ExprKind::Aggregate(list),
                    ty: hir::Ty::Struct(id),
                    span,
                });
            }
            let mut d = Diagnostic::error(
                span,
                format!("`{class}` has no constructor with {} argument(s)", args.len()),
            );
            d = if self.structs[id.0 as usize].vector.is_some() {
                d.help(format!("write `make_{class}(...)`"))
            } else {
                d.help(format!("write `{class}{{...}}` with the values of its members in braces"))
            };
            return Err(Box::new(d));
        }
        if args.is_empty()
            && !ctors.iter().any(|c| self.funcs[*c].ast.params.iter().all(|p| p.default.is_some()))
        {
            let mut d =
                Diagnostic::error(span, format!("`{class}` has no constructor without arguments"));
            for c in &ctors {
                d = d.related(self.funcs[*c].ast.span, "this one needs arguments");
            }
            return Err(Box::new(d));
        }
        let (idx, targs) = self.choose(&ctors, &[], None, &args, span, &class)?;
        Ok(self.call_chosen(idx, targs, None, args, false, span)?.e)
    }

    /// The class has a copy or move constructor of its own.
    pub(in crate::sema) fn copies(&self, id: StructId) -> bool {
        self.structs[id.0 as usize].ctors.iter().any(|c| {
            let f = &self.funcs[*c];
            f.ast.params.len() == 1
                && matches!(f.ast.body, Body::Block(_))
                && f.sig
                    .as_ref()
                    .is_some_and(|s| matches!(s.params[0].q.ty, Type::Struct(x) if x == id))
        })
    }

    /// `T()` without constructors: zero, but for members with default values.
    fn default_object(&mut self, id: StructId, span: Span) -> SemaResult<hir::Expr> {
        let fields = self.structs[id.0 as usize].fields.clone();
        let is_union = self.module.structs[id.0 as usize].is_union;
        let mut list = Vec::new();
        for f in fields.iter().take(if is_union { 1 } else { usize::MAX }) {
            let value = match self.member_default(id, f)? {
                Some(v) => v,
                None => match &f.ty.q.ty {
                    _ if f.ty.by_ref => {
                        return fail(span, "a class with a reference needs a value for it");
                    }
                    Type::Struct(inner) => self.construct(*inner, Vec::new(), span)?,
                    _ => self.zero(&f.ty.q, span)?,
                },
            };
            list.push(value);
        }
        Ok(hir::Expr { kind: ExprKind::Aggregate(list), ty: hir::Ty::Struct(id), span })
    }
}

/// `f({a, b, c}, rest)` as `f(f(a, b, rest), c, rest)`, which the least or greatest of a list is.
fn of_pairs(
    f: &ast::Expr,
    items: &[ast::InitItem],
    rest: &[ast::Expr],
    span: Span,
) -> Option<ast::Expr> {
    let mut values = items.iter().map(|i| i.value.clone());
    let first = values.next()?;
    Some(values.fold(first, |best, next| {
        let args = [best, next].into_iter().chain(rest.iter().cloned()).collect();
        ast::Expr { kind: ast::ExprKind::Call(Box::new(f.clone()), args), span }
    }))
}

/// How much of a parameter's type is written out, to prefer the more special template.
fn specificity(ty: &ast::Ty) -> u32 {
    match &ty.kind {
        TyKind::Ptr(to, _) => 2 + specificity(to) + u32::from(to.is_const),
        TyKind::Ref(to, _) => specificity(to),
        TyKind::Array(to, _) => 2 + specificity(to),
        TyKind::Name(n) => match &n.last().args {
            Some(_) => 2,
            None => 0,
        },
        _ => 3,
    }
}
