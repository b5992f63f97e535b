//! Parameter packs. A template with a pack stands for one template per length: where the length is
//! known, the tree is written out with `Ts#0, Ts#1, ...` in place of `Ts...`, and everything else
//! meets ordinary parameters only.

use std::cell::Cell;
use std::rc::Rc;

use crate::ast::{
    Body, Capture, Cond, Decl, Expr, ExprKind, FuncTy, Function, Ident, Init, InitItem, Lambda,
    MemberInit, Name, Param, Part, Requirement, Requires, Stmt, StmtKind, Struct, TArg, TParam,
    TParamKind, Ty, TyKind, Var,
};
use crate::sema::types::{QualType, Type};
use crate::sema::{FnDecl, FnIdx, Lengths, Sema, TemplateArg};
use crate::source::Span;

/// Elements that a pack may have.
const MAX_LENGTH: usize = 512;

/// What is said of `...` behind something without a pack.
pub(in crate::sema) const NOT_EXPANDED: &str =
    "`...` stands behind something without a parameter pack";

/// The template has a pack.
pub(in crate::sema) fn has_pack(params: &[TParam]) -> bool {
    params.iter().any(|p| p.pack)
}

/// Some pack is expanded where a function has this parameter.
fn expanded(p: &Param) -> Option<&Ty> {
    match &p.ty.kind {
        TyKind::Expand(ty) => Some(ty),
        _ => None,
    }
}

impl Sema<'_> {
    /// The template `idx` with its packs written out, for a call with these arguments. A function
    /// without packs is what it is.
    pub(in crate::sema) fn unpacked(
        &mut self,
        idx: FnIdx,
        explicit: &[TemplateArg],
        args: &[Option<(QualType, bool)>],
    ) -> Option<FnIdx> {
        let f = self.funcs[idx].ast.clone();
        if !has_pack(&f.template) {
            return Some(idx);
        }
        let lengths = self.pack_lengths(&f, explicit, args)?;
        let of_packs = f.template.iter().filter(|p| p.pack);
        let key = (idx, of_packs.map(|p| lengths[&p.name]).collect::<Vec<_>>());
        if let Some(known) = self.unpacked.get(&key) {
            return Some(*known);
        }
        let decl = &self.funcs[idx];
        let new = FnDecl {
            ast: Rc::new(Rewrite::new(lengths.clone()).function(&f)),
            scope: decl.scope,
            owner: decl.owner,
            sig: None,
            special: Vec::new(),
            extern_c: decl.extern_c,
        };
        self.funcs.push(new);
        let made = self.funcs.len() - 1;
        self.unpacked.insert(key, made);
        self.packed.insert(made, (idx, lengths));
        Some(made)
    }

    /// The body of a template may have been defined since its packs were written out.
    pub(in crate::sema) fn refresh_unpacked(&mut self, made: FnIdx) {
        let Some((idx, lengths)) = self.packed.get(&made) else { return };
        let f = self.funcs[*idx].ast.clone();
        if !matches!(f.body, Body::None) {
            self.funcs[made].ast = Rc::new(Rewrite::new(lengths.clone()).function(&f));
        }
    }

    /// How long the packs of a function template are.
    fn pack_lengths(
        &mut self,
        f: &Function,
        explicit: &[TemplateArg],
        args: &[Option<(QualType, bool)>],
    ) -> Option<Lengths> {
        let mut out = Lengths::new();
        let fixed = f.params.iter().filter(|p| expanded(p).is_none()).count();
        for (k, p) in f.template.iter().enumerate().filter(|(_, p)| p.pack) {
            let of_arguments =
                f.params.iter().any(|q| expanded(q).is_some_and(|ty| mentioned(ty, &p.name)));
            let length = if of_arguments {
                args.len().checked_sub(fixed)?
            } else {
                let pairs = f.params.iter().zip(args);
                let deduced = pairs
                    .filter_map(|(q, a)| self.length_in(&q.ty, &a.as_ref()?.0.ty, &p.name))
                    .next();
                deduced.unwrap_or(explicit.len().saturating_sub(k))
            };
            out.insert(p.name.clone(), length);
        }
        out.values().all(|n| *n <= MAX_LENGTH).then_some(out)
    }

    /// The length of `pack` where the written type `ty` is the type `t`.
    fn length_in(&self, ty: &Ty, t: &Type, pack: &Ident) -> Option<usize> {
        match (&ty.kind, t) {
            (TyKind::Ref(to, _) | TyKind::Volatile(to), t) => self.length_in(to, t, pack),
            (TyKind::Ptr(to, _) | TyKind::Member(to, _), Type::Func(_) | Type::Method(_)) => {
                self.length_in(to, t, pack)
            }
            (TyKind::Ptr(to, _), Type::Ptr(q)) => self.length_in(to, &q.ty, pack),
            (TyKind::Func(f), Type::Func(g) | Type::Method(g)) => {
                let found =
                    f.params.iter().position(|p| expanded(p).is_some_and(|ty| mentioned(ty, pack)));
                let given = g.params.len() + usize::from(matches!(t, Type::Func(_)));
                found.and_then(|_| given.checked_sub(f.params.len()))
            }
            (TyKind::Name(n), Type::Struct(id)) => {
                let vals = self.structs[id.0 as usize].targs.as_ref()?;
                self.length_in_list(n.last().args.as_ref()?, vals, pack)
            }
            _ => None,
        }
    }

    fn length_in_list(&self, args: &[TArg], vals: &[TemplateArg], pack: &Ident) -> Option<usize> {
        let here = args.iter().any(|a| match a {
            TArg::Type(Ty { kind: TyKind::Expand(ty), .. }) => mentioned(ty, pack),
            TArg::Expr(Expr { kind: ExprKind::Expand(e), .. }) => {
                matches!(&e.kind, ExprKind::Name(n) if n.plain() == Some(pack))
            }
            _ => false,
        });
        if here {
            return (vals.len() + 1).checked_sub(args.len());
        }
        args.iter().zip(vals).find_map(|(a, v)| match (a, v) {
            (TArg::Type(ty), TemplateArg::Type(q)) => self.length_in(ty, &q.ty, pack),
            _ => None,
        })
    }

    /// The parameters of a template for `given` arguments, with the lengths that they have then.
    pub(in crate::sema) fn unpack_params(
        &self,
        params: &Rc<Vec<TParam>>,
        given: usize,
    ) -> (Rc<Vec<TParam>>, Lengths) {
        if !has_pack(params) {
            return (params.clone(), Lengths::new());
        }
        let length = |k: usize, p: &TParam| (p.name.clone(), given.saturating_sub(k));
        let packs = params.iter().enumerate().filter(|(_, p)| p.pack);
        let lengths: Lengths = packs.map(|(k, p)| length(k, p)).collect();
        (Rc::new(Rewrite::new(lengths.clone()).template(params)), lengths)
    }

    /// A class template with its packs written out, for these arguments; `None` if it cannot have
    /// them.
    pub(in crate::sema) fn unpack_struct(
        &mut self,
        s: &Rc<Struct>,
        full: &[TemplateArg],
    ) -> Option<Rc<Struct>> {
        if !has_pack(&s.template) {
            return Some(s.clone());
        }
        let mut lengths = Lengths::new();
        for (k, p) in s.template.iter().enumerate().filter(|(_, p)| p.pack) {
            let n = match &s.special {
                None => full.len().checked_sub(k)?,
                Some(pattern) => self.length_in_list(pattern, full, &p.name)?,
            };
            lengths.insert(p.name.clone(), n);
        }
        let of_packs = s.template.iter().filter(|p| p.pack);
        let key = (Rc::as_ptr(s), of_packs.map(|p| lengths[&p.name]).collect::<Vec<_>>());
        if let Some((_, known)) = self.unpacked_structs.get(&key) {
            return Some(known.clone());
        }
        let made = Rc::new(Rewrite::new(lengths).class(s));
        self.unpacked_structs.insert(key, (s.clone(), made.clone()));
        Some(made)
    }

    /// A member that is defined outside of its class template, for the class with `count`
    /// arguments.
    pub(in crate::sema) fn unpack_member(&self, f: &Rc<Function>, count: usize) -> Rc<Function> {
        if !has_pack(&f.class_template) {
            return f.clone();
        }
        let packs = f.class_template.iter().enumerate().filter(|(_, p)| p.pack);
        let lengths = packs.map(|(k, p)| (p.name.clone(), count.saturating_sub(k))).collect();
        Rc::new(Rewrite::new(lengths).function(f))
    }
}

/// The written type has the name in it.
fn mentioned(ty: &Ty, name: &Ident) -> bool {
    let probe = Rewrite::new(Lengths::from([(name.clone(), 1)]));
    probe.at.set(Some(0));
    probe.ty(ty);
    probe.seen.get().is_some()
}

/// Writes packs out.
pub(in crate::sema) struct Rewrite {
    lengths: Lengths,
    /// The element at hand, within a pattern.
    at: Cell<Option<usize>>,
    /// Length of a pack that the pattern has in it.
    seen: Cell<Option<usize>>,
}

impl Rewrite {
    pub(in crate::sema) fn new(lengths: Lengths) -> Rewrite {
        Rewrite { lengths, at: Cell::new(None), seen: Cell::new(None) }
    }

    /// The element of a pack, if the name is one and an element is at hand.
    fn ident(&self, id: &Ident) -> Ident {
        match (self.lengths.get(id), self.at.get()) {
            (Some(n), Some(k)) => {
                self.seen.set(Some(*n));
                format!("{id}#{k}").into()
            }
            _ => id.clone(),
        }
    }

    /// The pattern once for each element; `None` if it has none of these packs in it.
    fn each<V>(&self, make: impl Fn() -> V) -> Option<Vec<V>> {
        let (at, seen) = (self.at.take(), self.seen.take());
        self.at.set(Some(0));
        let first = make();
        let length = self.seen.take();
        let out = length.map(|n| {
            let mut first = Some(first);
            let element = |k: usize| {
                self.at.set(Some(k));
                match (k, first.take()) {
                    (0, Some(v)) => v,
                    _ => make(),
                }
            };
            (0..n).map(element).collect()
        });
        self.at.set(at);
        self.seen.set(seen);
        out
    }

    pub(in crate::sema) fn ty(&self, ty: &Ty) -> Ty {
        let boxed = |t: &Ty| Box::new(self.ty(t));
        let kind = match &ty.kind {
            TyKind::Name(n) => TyKind::Name(self.name(n)),
            TyKind::Decltype(e) => TyKind::Decltype(Box::new(self.expr(e))),
            TyKind::Typeof(e) => TyKind::Typeof(Box::new(self.expr(e))),
            TyKind::Ptr(to, restrict) => TyKind::Ptr(boxed(to), *restrict),
            TyKind::Ref(to, rvalue) => TyKind::Ref(boxed(to), *rvalue),
            TyKind::In(space, to) => TyKind::In(*space, boxed(to)),
            TyKind::Volatile(to) => TyKind::Volatile(boxed(to)),
            TyKind::Expand(to) => TyKind::Expand(boxed(to)),
            TyKind::Array(to, n) => {
                TyKind::Array(boxed(to), n.as_ref().map(|n| Box::new(self.expr(n))))
            }
            TyKind::Func(f) => TyKind::Func(Rc::new(FuncTy {
                ret: self.ty(&f.ret),
                params: self.params(&f.params),
            })),
            TyKind::Member(to, class) => TyKind::Member(boxed(to), boxed(class)),
            TyKind::Struct(s) => TyKind::Struct(Rc::new(self.class(s))),
            other => other.clone(),
        };
        Ty { kind, is_const: ty.is_const, span: ty.span }
    }

    fn name(&self, n: &Name) -> Name {
        let part = |(k, p): (usize, &Part)| Part {
            id: if k == 0 && !n.global { self.ident(&p.id) } else { p.id.clone() },
            args: p.args.as_ref().map(|a| self.targs(a)),
            span: p.span,
        };
        Name {
            parts: n.parts.iter().enumerate().map(part).collect(),
            global: n.global,
            elaborated: n.elaborated,
            span: n.span,
        }
    }

    fn targs(&self, args: &[TArg]) -> Vec<TArg> {
        let mut out = Vec::new();
        for a in args {
            match a {
                TArg::Type(Ty { kind: TyKind::Expand(inner), .. }) => {
                    match self.each(|| TArg::Type(self.ty(inner))) {
                        Some(list) => out.extend(list),
                        None => out.push(a.clone()),
                    }
                }
                TArg::Type(ty) => out.push(TArg::Type(self.ty(ty))),
                TArg::Expr(Expr { kind: ExprKind::Expand(inner), .. }) => {
                    match self.each(|| TArg::Expr(self.expr(inner))) {
                        Some(list) => out.extend(list),
                        None => out.push(a.clone()),
                    }
                }
                TArg::Expr(e) => out.push(TArg::Expr(self.expr(e))),
            }
        }
        out
    }

    fn template(&self, params: &[TParam]) -> Vec<TParam> {
        let mut out = Vec::new();
        for p in params {
            let kind = match &p.kind {
                TParamKind::Type(d) => TParamKind::Type(d.as_ref().map(|d| self.ty(d))),
                TParamKind::Value(ty, d) => {
                    TParamKind::Value(self.ty(ty), d.as_ref().map(|d| self.expr(d)))
                }
                TParamKind::Template(d) => TParamKind::Template(d.as_ref().map(|d| self.name(d))),
            };
            match self.lengths.get(&p.name).filter(|_| p.pack) {
                Some(n) => out.extend((0..*n).map(|k| TParam {
                    name: format!("{}#{k}", p.name).into(),
                    kind: kind.clone(),
                    pack: false,
                })),
                None => out.push(TParam { name: p.name.clone(), kind, pack: p.pack }),
            }
        }
        out
    }

    fn params(&self, params: &[Param]) -> Vec<Param> {
        let mut out = Vec::new();
        for p in params {
            let default = p.default.as_ref().map(|d| self.expr(d));
            let one = |ty: Ty, name: Option<Ident>| Param {
                name,
                ty,
                default: default.clone(),
                span: p.span,
            };
            let element = || (self.at.get(), self.ty(expanded(p).unwrap_or(&p.ty)));
            match expanded(p).and_then(|_| self.each(element)) {
                Some(types) => out.extend(types.into_iter().map(|(k, ty)| {
                    let k = k.unwrap_or(0);
                    one(ty, p.name.as_ref().map(|n| format!("{n}#{k}").into()))
                })),
                None => out.push(one(self.ty(&p.ty), p.name.clone())),
            }
        }
        out
    }

    /// What `make` gives where the parameters that are packs count as well, if there are such.
    fn with_packs<V>(&self, params: &[Param], make: impl FnOnce(&Rewrite) -> V) -> Option<V> {
        let mut lengths = self.lengths.clone();
        for p in params {
            let Some((ty, name)) = expanded(p).zip(p.name.as_ref()) else { continue };
            let pack = self.lengths.iter().find(|(pack, _)| mentioned(ty, pack));
            lengths.extend(pack.map(|(_, n)| (name.clone(), *n)));
        }
        (lengths.len() > self.lengths.len()).then(|| {
            let inner = Rewrite { lengths, at: self.at.clone(), seen: self.seen.clone() };
            let out = make(&inner);
            self.seen.set(inner.seen.get());
            out
        })
    }

    pub(in crate::sema) fn function(&self, f: &Function) -> Function {
        if let Some(out) = self.with_packs(&f.params, |inner| inner.function(f)) {
            return out;
        }
        let inits = f.inits.iter().map(|i| MemberInit {
            name: self.name(&i.name),
            args: self.exprs(&i.args),
            span: i.span,
        });
        Function {
            name: self.name(&f.name),
            specs: f.specs.clone(),
            template: self.template(&f.template),
            class_template: self.template(&f.class_template),
            is_template: f.is_template,
            requires: self.exprs(&f.requires),
            ret: self.ty(&f.ret),
            params: self.params(&f.params),
            variadic: f.variadic,
            body: match &f.body {
                Body::None => Body::None,
                Body::Host => Body::Host,
                Body::Defaulted => Body::Defaulted,
                Body::Deleted => Body::Deleted,
                Body::Block(b) => Body::Block(self.stmts(b)),
            },
            inits: inits.collect(),
            is_const: f.is_const,
            is_ctor: f.is_ctor,
            is_dtor: f.is_dtor,
            is_friend: f.is_friend,
            mentions: f.mentions.clone(),
            end: f.end,
            span: f.span,
        }
    }

    pub(in crate::sema) fn class(&self, s: &Struct) -> Struct {
        let mut base = Vec::new();
        for (ty, span) in &s.base {
            match &ty.kind {
                TyKind::Expand(inner) => match self.each(|| self.ty(inner)) {
                    Some(list) => base.extend(list.into_iter().map(|ty| (ty, *span))),
                    None => base.push((ty.clone(), *span)),
                },
                _ => base.push((self.ty(ty), *span)),
            }
        }
        Struct {
            name: s.name.clone(),
            template: self.template(&s.template),
            is_template: s.is_template,
            requires: self.exprs(&s.requires),
            special: s.special.as_ref().map(|a| self.targs(a)),
            is_union: s.is_union,
            base,
            members: s.members.iter().map(|d| self.decl(d)).collect(),
            align: s.align.as_ref().map(|e| Box::new(self.expr(e))),
            pack: s.pack,
            broken: s.broken.clone(),
            is_forward: s.is_forward,
            span: s.span,
        }
    }

    fn decl(&self, d: &Decl) -> Decl {
        match d {
            Decl::Function(f) => Decl::Function(Rc::new(self.function(f))),
            Decl::Var(v) => Decl::Var(Rc::new(self.var(v))),
            Decl::Bindings(v, names) => Decl::Bindings(Rc::new(self.var(v)), names.clone()),
            Decl::VarTemplate(v, t) => {
                Decl::VarTemplate(Rc::new(self.var(v)), Rc::new(self.template(t)))
            }
            Decl::Struct(s) => Decl::Struct(Rc::new(self.class(s))),
            Decl::Alias { name, ty, template, span } => Decl::Alias {
                name: name.clone(),
                ty: self.ty(ty),
                template: Rc::new(self.template(template)),
                span: *span,
            },
            Decl::StaticAssert { cond, text, span } => {
                Decl::StaticAssert { cond: self.expr(cond), text: text.clone(), span: *span }
            }
            other => other.clone(),
        }
    }

    pub(in crate::sema) fn var(&self, v: &Var) -> Var {
        Var { ty: self.ty(&v.ty), init: self.init(&v.init), ..v.clone() }
    }

    fn init(&self, i: &Init) -> Init {
        match i {
            Init::None => Init::None,
            Init::Assign(e) => Init::Assign(self.expr(e)),
            Init::Paren(list) => Init::Paren(self.exprs(list)),
            Init::Brace(e) => Init::Brace(self.expr(e)),
        }
    }

    fn stmts(&self, list: &[Stmt]) -> Vec<Stmt> {
        list.iter().map(|s| self.stmt(s)).collect()
    }

    fn boxed(&self, s: &Stmt) -> Box<Stmt> {
        Box::new(self.stmt(s))
    }

    fn cond(&self, c: &Cond) -> Cond {
        match c {
            Cond::Expr(e) => Cond::Expr(self.expr(e)),
            Cond::Decl(v) => Cond::Decl(Box::new(self.var(v))),
        }
    }

    fn stmt(&self, s: &Stmt) -> Stmt {
        let init = |s: &Option<Box<Stmt>>| s.as_ref().map(|s| self.boxed(s));
        let unroll =
            |u: &crate::ast::Unroll| u.as_ref().map(|e| e.as_ref().map(|e| Box::new(self.expr(e))));
        let kind = match &s.kind {
            StmtKind::Expr(e) => StmtKind::Expr(self.expr(e)),
            StmtKind::Decl(list) => StmtKind::Decl(list.iter().map(|d| self.decl(d)).collect()),
            StmtKind::Block(list) => StmtKind::Block(self.stmts(list)),
            StmtKind::If { is_constexpr, init: first, cond, then, els } => StmtKind::If {
                is_constexpr: *is_constexpr,
                init: init(first),
                cond: self.cond(cond),
                then: self.boxed(then),
                els: init(els),
            },
            StmtKind::While { cond, body, unroll: u } => {
                StmtKind::While { cond: self.cond(cond), body: self.boxed(body), unroll: unroll(u) }
            }
            StmtKind::DoWhile { body, cond, unroll: u } => StmtKind::DoWhile {
                body: self.boxed(body),
                cond: self.expr(cond),
                unroll: unroll(u),
            },
            StmtKind::For { init: first, cond, step, body, unroll: u } => StmtKind::For {
                init: init(first),
                cond: cond.as_ref().map(|c| self.cond(c)),
                step: step.as_ref().map(|e| self.expr(e)),
                body: self.boxed(body),
                unroll: unroll(u),
            },
            StmtKind::RangeFor { var, range, body, unroll: u } => StmtKind::RangeFor {
                var: Box::new(self.var(var)),
                range: self.expr(range),
                body: self.boxed(body),
                unroll: unroll(u),
            },
            StmtKind::Switch { init: first, value, body } => StmtKind::Switch {
                init: init(first),
                value: self.expr(value),
                body: self.boxed(body),
            },
            StmtKind::Case(e, last) => {
                StmtKind::Case(self.expr(e), last.as_ref().map(|e| self.expr(e)))
            }
            StmtKind::Return(e) => StmtKind::Return(e.as_ref().map(|e| self.expr(e))),
            StmtKind::Default
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Empty => s.kind.clone(),
        };
        Stmt { kind, span: s.span }
    }

    fn exprs(&self, list: &[Expr]) -> Vec<Expr> {
        let mut out = Vec::new();
        for e in list {
            match &e.kind {
                ExprKind::Expand(inner) => match self.each(|| self.expr(inner)) {
                    Some(elements) => out.extend(elements),
                    None => out.push(self.expr(e)),
                },
                _ => out.push(self.expr(e)),
            }
        }
        out
    }

    fn expr(&self, e: &Expr) -> Expr {
        let b = |e: &Expr| Box::new(self.expr(e));
        let kind = match &e.kind {
            ExprKind::Name(n) => ExprKind::Name(self.name(n)),
            ExprKind::Paren(a) => ExprKind::Paren(b(a)),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, b(a)),
            ExprKind::IncDec { inc, post, place } => {
                ExprKind::IncDec { inc: *inc, post: *post, place: b(place) }
            }
            ExprKind::Binary(op, x, y) => ExprKind::Binary(op, b(x), b(y)),
            ExprKind::Assign(op, x, y) => ExprKind::Assign(op, b(x), b(y)),
            ExprKind::Cond(c, x, y) => ExprKind::Cond(b(c), b(x), b(y)),
            ExprKind::Call(f, args) => ExprKind::Call(b(f), self.exprs(args)),
            ExprKind::Index(x, i) => ExprKind::Index(b(x), b(i)),
            ExprKind::Member { base, arrow, name } => {
                let mut name = name.clone();
                for p in &mut name.parts {
                    p.args = p.args.as_ref().map(|a| self.targs(a));
                }
                ExprKind::Member { base: b(base), arrow: *arrow, name }
            }
            ExprKind::Cast(style, ty, a) => ExprKind::Cast(*style, self.ty(ty), b(a)),
            ExprKind::Construct { ty, args, braces } => {
                ExprKind::Construct { ty: self.ty(ty), args: self.exprs(args), braces: *braces }
            }
            ExprKind::Init(items) => ExprKind::Init(self.items(items)),
            ExprKind::SizeofTy(ty) => ExprKind::SizeofTy(self.ty(ty)),
            ExprKind::SizeofExpr(a) => ExprKind::SizeofExpr(b(a)),
            ExprKind::Alignof(ty) => ExprKind::Alignof(self.ty(ty)),
            ExprKind::Offsetof(a) => ExprKind::Offsetof(b(a)),
            ExprKind::SizeofPack(id) => match self.lengths.get(id) {
                Some(n) => ExprKind::Int(*n as u64, crate::ast::IntKind::ULong),
                None => e.kind.clone(),
            },
            ExprKind::Expand(a) => ExprKind::Expand(b(a)),
            ExprKind::Fold { op, first, last } => {
                return self.fold(op, first.as_deref(), last.as_deref(), e.span);
            }
            ExprKind::New { ty, at, count, init } => ExprKind::New {
                ty: self.ty(ty),
                at: at.as_ref().map(|e| b(e)),
                count: count.as_ref().map(|e| b(e)),
                init: Box::new(self.init(init)),
            },
            ExprKind::Delete(a, array) => ExprKind::Delete(b(a), *array),
            ExprKind::Lambda(l) => ExprKind::Lambda(Rc::new(self.lambda(l))),
            ExprKind::Requires(r) => {
                if let Some(out) = self.with_packs(&r.params, |inner| inner.expr(e)) {
                    return out;
                }
                let one = |r: &Requirement| match r {
                    Requirement::Expr(e, concept) => {
                        Requirement::Expr(self.expr(e), concept.as_ref().map(|n| self.name(n)))
                    }
                    Requirement::Type(ty) => Requirement::Type(self.ty(ty)),
                    Requirement::Nested(e) => Requirement::Nested(self.expr(e)),
                };
                let list = r.list.iter().map(one).collect();
                ExprKind::Requires(Rc::new(Requires { params: self.params(&r.params), list }))
            }
            ExprKind::Block(l) => ExprKind::Block(Rc::new(self.lambda(l))),
            ExprKind::Int(..)
            | ExprKind::Float(..)
            | ExprKind::Char(_)
            | ExprKind::Str(_)
            | ExprKind::Bool(_)
            | ExprKind::Nullptr
            | ExprKind::This => e.kind.clone(),
        };
        Expr { kind, span: e.span }
    }

    fn items(&self, items: &[InitItem]) -> Vec<InitItem> {
        let mut out = Vec::new();
        for i in items {
            let one = |value| InitItem { field: i.field.clone(), index: i.index.clone(), value };
            match &i.value.kind {
                ExprKind::Expand(inner) => match self.each(|| self.expr(inner)) {
                    Some(list) => out.extend(list.into_iter().map(one)),
                    None => out.push(one(self.expr(&i.value))),
                },
                _ => out.push(one(self.expr(&i.value))),
            }
        }
        out
    }

    fn lambda(&self, l: &Lambda) -> Lambda {
        let captures = l.captures.iter().map(|c| Capture {
            name: c.name.clone(),
            by_ref: c.by_ref,
            init: c.init.as_ref().map(|e| self.expr(e)),
            span: c.span,
        });
        let elements = |id: &Ident| match self.lengths.get(id) {
            Some(n) => (0..*n).map(|k| format!("{id}#{k}").into()).collect(),
            None => vec![id.clone()],
        };
        Lambda {
            default: l.default,
            captures: captures.collect(),
            mentions: l.mentions.iter().flat_map(elements).collect(),
            function: Rc::new(self.function(&l.function)),
        }
    }

    /// `(pack op ...)`, `(... op pack)`, and with a value at one end.
    fn fold(
        &self,
        op: &'static str,
        first: Option<&Expr>,
        last: Option<&Expr>,
        span: Span,
    ) -> Expr {
        let join = |a: Expr, b: Expr| {
            let kind = ExprKind::Binary(op, Box::new(a), Box::new(b));
            Expr { kind, span }
        };
        let left = first.and_then(|e| self.each(|| self.expr(e)));
        let right = last.and_then(|e| self.each(|| self.expr(e)));
        let value = |kind| Expr { kind, span };
        let from_left = |mut list: Vec<Expr>| {
            let rest = list.split_off(1.min(list.len()));
            list.pop().map(|e| rest.into_iter().fold(e, join))
        };
        let from_right = |mut list: Vec<Expr>| {
            list.pop().map(|e| list.into_iter().rev().fold(e, |sum, e| join(e, sum)))
        };
        let folded = match (left, right, first, last) {
            (Some(mut list), None, _, end) => {
                list.extend(end.map(|e| self.expr(e)));
                from_right(list)
            }
            (None, Some(mut list), start, _) => {
                if let Some(e) = start {
                    list.insert(0, self.expr(e));
                }
                from_left(list)
            }
            _ => {
                let kind = ExprKind::Fold {
                    op,
                    first: first.map(|e| Box::new(self.expr(e))),
                    last: last.map(|e| Box::new(self.expr(e))),
                };
                return value(kind);
            }
        };
        let empty = match op {
            "&&" => ExprKind::Bool(true),
            "||" => ExprKind::Bool(false),
            _ => ExprKind::Int(0, crate::ast::IntKind::Int),
        };
        value(ExprKind::Paren(Box::new(folded.unwrap_or_else(|| value(empty)))))
    }
}
