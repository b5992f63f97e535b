//! Statements.

use std::rc::Rc;

use super::decls::auto_core;
use super::types::{Q, T, VarTy};
use super::{Entity, Ex, LocalVar, R, ScopeKind, Sema, fail};
use crate::ast::{self, Cond, Decl, Init, TyKind, Unroll};
use crate::diag::Diagnostic;
use crate::hir::{self, Arm, ExprKind, LocalId, Stmt, StmtKind, Storage};
use crate::source::Span;

impl Sema<'_> {
    /// Types a list of statements; errors are reported one by one.
    pub(super) fn statements(&mut self, list: &[ast::Stmt], out: &mut Vec<Stmt>) {
        for s in list {
            if let Err(d) = self.statement(s, out) {
                self.report(*d);
            }
        }
    }

    /// Runs `f` in a block scope of its own that ends at `end`.
    fn in_block<V>(&mut self, end: u32, f: impl FnOnce(&mut Self) -> V) -> V {
        let scope = self.push_scope(self.ctx.scope, ScopeKind::Block, "");
        let outer = std::mem::replace(&mut self.ctx.scope, scope);
        let outer_end = std::mem::replace(&mut self.ctx.block_end, end);
        let result = f(self);
        self.ctx.scope = outer;
        self.ctx.block_end = outer_end;
        result
    }

    /// A statement that is the body of another one.
    fn sub(&mut self, s: &ast::Stmt) -> Vec<Stmt> {
        self.in_block(s.span.hi, |me| {
            let mut out = Vec::new();
            match &s.kind {
                ast::StmtKind::Block(list) => me.statements(list, &mut out),
                _ => {
                    if let Err(d) = me.statement(s, &mut out) {
                        me.report(*d);
                    }
                }
            }
            out
        })
    }

    fn statement(&mut self, s: &ast::Stmt, out: &mut Vec<Stmt>) -> R<()> {
        let span = s.span;
        match &s.kind {
            ast::StmtKind::Empty => {}
            ast::StmtKind::Expr(e) => {
                let ex = self.expr(e)?;
                let ex = self.discard(ex);
                self.warn_unused(e);
                out.push(Stmt { kind: StmtKind::Expr(ex), span });
            }
            ast::StmtKind::Decl(decls) => {
                for d in decls {
                    if let Err(d) = self.local_decl(d, out) {
                        self.report(*d);
                    }
                }
            }
            ast::StmtKind::Block(_) => {
                let body = self.sub(s);
                out.push(Stmt { kind: StmtKind::Block(body), span });
            }
            ast::StmtKind::If { is_constexpr, init, cond, then, els } => {
                let stmt = self.in_block(span.hi, |me| -> R<Vec<Stmt>> {
                    let mut pre = Vec::new();
                    if let Some(i) = init {
                        me.statement(i, &mut pre)?;
                    }
                    let c = me.condition(cond, &mut pre)?;
                    if *is_constexpr {
                        let Some(v) = me.fold_int(&c) else {
                            return fail(
                                c.span,
                                "the condition of `if constexpr` is not a constant",
                            );
                        };
                        let chosen = if v != 0 { Some(then) } else { els.as_ref() };
                        if let Some(chosen) = chosen {
                            let body = me.sub(chosen);
                            pre.push(Stmt { kind: StmtKind::Block(body), span: chosen.span });
                        }
                        return Ok(pre);
                    }
                    let then = me.sub(then);
                    let els = els.as_ref().map(|e| me.sub(e)).unwrap_or_default();
                    pre.push(Stmt { kind: StmtKind::If { cond: c, then, els }, span });
                    Ok(pre)
                });
                push_group(stmt?, span, out);
            }
            ast::StmtKind::While { cond, body, unroll } => {
                let unroll = self.unroll(unroll)?;
                let stmt = self.in_block(span.hi, |me| -> R<Stmt> {
                    let mut pre = Vec::new();
                    let c = me.condition(cond, &mut pre)?;
                    let mut inner = me.in_loop(|me| me.sub(body));
                    let cond = if pre.is_empty() {
                        Some(c)
                    } else {
                        // A variable declared in the condition lives for one round.
                        let at = c.span;
                        let leave = vec![Stmt { kind: StmtKind::Break, span: at }];
                        pre.push(Stmt {
                            kind: StmtKind::If { cond: c, then: Vec::new(), els: leave },
                            span: at,
                        });
                        pre.append(&mut inner);
                        inner = pre;
                        None
                    };
                    Ok(Stmt {
                        kind: StmtKind::Loop {
                            cond,
                            test_last: false,
                            step: None,
                            body: inner,
                            unroll,
                        },
                        span,
                    })
                });
                out.push(stmt?);
            }
            ast::StmtKind::DoWhile { body, cond, unroll } => {
                let unroll = self.unroll(unroll)?;
                let inner = self.in_loop(|me| me.sub(body));
                let c = self.expr(cond).and_then(|e| self.to_bool(e))?;
                self.warn_assignment(cond);
                out.push(Stmt {
                    kind: StmtKind::Loop {
                        cond: Some(c),
                        test_last: true,
                        step: None,
                        body: inner,
                        unroll,
                    },
                    span,
                });
            }
            ast::StmtKind::For { init, cond, step, body, unroll } => {
                let unroll = self.unroll(unroll)?;
                let stmts = self.in_block(span.hi, |me| -> R<Vec<Stmt>> {
                    let mut pre = Vec::new();
                    if let Some(i) = init {
                        me.statement(i, &mut pre)?;
                    }
                    let mut head = Vec::new();
                    let mut c = None;
                    if let Some(cond) = cond {
                        c = Some(me.condition(cond, &mut head)?);
                    }
                    let step = match step {
                        Some(e) => {
                            let ex = me.expr(e)?;
                            me.warn_unused(e);
                            Some(me.discard(ex))
                        }
                        None => None,
                    };
                    let mut inner = me.in_loop(|me| me.sub(body));
                    if !head.is_empty() {
                        if let Some(c) = c.take() {
                            let at = c.span;
                            let leave = vec![Stmt { kind: StmtKind::Break, span: at }];
                            head.push(Stmt {
                                kind: StmtKind::If { cond: c, then: Vec::new(), els: leave },
                                span: at,
                            });
                        }
                        head.append(&mut inner);
                        inner = head;
                    }
                    pre.push(Stmt {
                        kind: StmtKind::Loop {
                            cond: c,
                            test_last: false,
                            step,
                            body: inner,
                            unroll,
                        },
                        span,
                    });
                    Ok(pre)
                });
                push_group(stmts?, span, out);
            }
            ast::StmtKind::RangeFor { var, range, body, unroll } => {
                let unroll = self.unroll(unroll)?;
                let stmts =
                    self.in_block(span.hi, |me| me.range_for(var, range, body, unroll, span));
                push_group(stmts?, span, out);
            }
            ast::StmtKind::Switch { init, value, body } => {
                let stmts = self.in_block(span.hi, |me| -> R<Vec<Stmt>> {
                    let mut pre = Vec::new();
                    if let Some(i) = init {
                        me.statement(i, &mut pre)?;
                    }
                    let s = me.switch(value, body, span)?;
                    pre.push(s);
                    Ok(pre)
                });
                push_group(stmts?, span, out);
            }
            ast::StmtKind::Case(_) | ast::StmtKind::Default => {
                return Err(Box::new(
                    Diagnostic::error(span, "a label of a `switch` stands inside another statement, or outside of any `switch`")
                        .help("labels belong directly into the braces of the `switch`"),
                ));
            }
            ast::StmtKind::Break => {
                if self.ctx.loops + self.ctx.switches == 0 {
                    return fail(span, "`break` outside of a loop or `switch`");
                }
                out.push(Stmt { kind: StmtKind::Break, span });
            }
            ast::StmtKind::Continue => {
                if self.ctx.loops == 0 {
                    return fail(span, "`continue` outside of a loop");
                }
                out.push(Stmt { kind: StmtKind::Continue, span });
            }
            ast::StmtKind::Return(value) => {
                let value = self.return_value(value.as_ref(), span)?;
                out.push(Stmt { kind: StmtKind::Return(value), span });
            }
        }
        Ok(())
    }

    fn in_loop<V>(&mut self, f: impl FnOnce(&mut Self) -> V) -> V {
        self.ctx.loops += 1;
        let result = f(self);
        self.ctx.loops -= 1;
        result
    }

    fn unroll(&mut self, u: &Unroll) -> R<hir::Unroll> {
        Ok(match u {
            None => hir::Unroll::None,
            Some(None) => hir::Unroll::Full,
            Some(Some(e)) => {
                let (n, _) = self.constant_integer(e, "the count of `#pragma unroll`")?;
                match u32::try_from(n) {
                    Ok(n) if n > 0 => hir::Unroll::By(n),
                    _ => return fail(e.span, "the count of `#pragma unroll` must be positive"),
                }
            }
        })
    }

    /// Condition as `bool`; the declaration in it goes to `pre`.
    fn condition(&mut self, c: &Cond, pre: &mut Vec<Stmt>) -> R<hir::Expr> {
        match c {
            Cond::Expr(e) => {
                self.warn_assignment(e);
                self.expr(e).and_then(|x| self.to_bool(x))
            }
            Cond::Decl(v) => {
                self.local_var(v, pre)?;
                let name = ast::Expr { kind: ast::ExprKind::Name(v.name.clone()), span: v.span };
                self.expr(&name).and_then(|x| self.to_bool(x))
            }
        }
    }

    fn warn_assignment(&mut self, e: &ast::Expr) {
        if let ast::ExprKind::Assign("", ..) = &e.kind {
            self.report(Diagnostic::warning(e.span, "`=` assigns; this is not a comparison").help(
                "write `==` to compare, or a second pair of parentheses if the assignment is meant",
            ));
        }
    }

    fn warn_unused(&mut self, e: &ast::Expr) {
        match &e.kind {
            ast::ExprKind::Binary("==", ..) => self.report(
                Diagnostic::warning(e.span, "the result of this comparison is not used")
                    .help("write `=` to assign"),
            ),
            ast::ExprKind::Binary(",", a, b) => {
                self.warn_unused(a);
                self.warn_unused(b);
            }
            ast::ExprKind::Binary(op, ..) if !matches!(*op, "<<" | ">>" | "&&" | "||") => {
                self.warn(e.span, "the result of this expression is not used");
            }
            ast::ExprKind::Name(n) if n.parts.len() == 1 => {
                self.warn(e.span, "this statement has no effect");
            }
            ast::ExprKind::Index(..) => self.warn(e.span, "this statement has no effect"),
            _ => {}
        }
    }

    fn range_for(
        &mut self,
        var: &ast::Var,
        range: &ast::Expr,
        body: &ast::Stmt,
        unroll: hir::Unroll,
        span: Span,
    ) -> R<Vec<Stmt>> {
        let r = self.expr(range)?;
        let T::Array(elem, Some(n)) = r.q.t.clone() else {
            return fail(
                range.span,
                format!("a range `for` needs an array, this is `{}`", self.show(&r.q)),
            );
        };
        let i = self.temp("$i", hir::Ty::I32, span);
        let int = |v: u64| hir::Expr { kind: ExprKind::Int(v), ty: hir::Ty::I32, span };
        let place = hir::Expr { kind: ExprKind::Local(i), ty: hir::Ty::I32, span };
        let load =
            hir::Expr { kind: ExprKind::Load(Box::new(place.clone())), ty: hir::Ty::I32, span };
        let mut out = vec![Stmt { kind: StmtKind::Let(i, Some(int(0))), span }];
        self.mark_memory(&r.e);
        let ety = self.machine(&elem.t);
        let item = hir::Expr {
            kind: ExprKind::Index(Box::new(r.e), Box::new(load.clone())),
            ty: ety,
            span,
        };
        let item = Ex { e: item, q: (*elem).clone(), place: true, konst: None };
        let mut inner = Vec::new();
        let by_ref = matches!(var.ty.kind, TyKind::Ref(_));
        let ty = if matches!(auto_core(&var.ty).kind, TyKind::Auto) {
            VarTy {
                q: Q { c: elem.c && by_ref || auto_core(&var.ty).is_const, ..item.q.clone() },
                by_ref,
            }
        } else {
            self.var_ty(&var.ty)?
        };
        let value = if by_ref {
            self.bind_reference(item, &ty, span)?
        } else {
            self.convert(item, &ty.q, span)?
        };
        let id = self.new_local(var, ty, Storage::Auto, None)?;
        inner.push(Stmt { kind: StmtKind::Let(id, Some(value)), span: var.span });
        let mut rest = self.in_loop(|me| me.sub(body));
        inner.append(&mut rest);
        let cond = hir::Expr {
            kind: ExprKind::Cmp(hir::CmpOp::Lt, Box::new(load), Box::new(int(n))),
            ty: hir::Ty::Bool,
            span,
        };
        let step = hir::Expr {
            kind: ExprKind::IncDec { place: Box::new(place), inc: true, post: false },
            ty: hir::Ty::I32,
            span,
        };
        out.push(Stmt {
            kind: StmtKind::Loop {
                cond: Some(cond),
                test_last: false,
                step: Some(step),
                body: inner,
                unroll,
            },
            span,
        });
        Ok(out)
    }

    fn switch(&mut self, value: &ast::Expr, body: &ast::Stmt, span: Span) -> R<Stmt> {
        let v = self.expr(value).and_then(|x| self.to_value(x))?;
        if !v.q.t.is_integral() {
            return fail(
                value.span,
                format!("a `switch` needs an integer, this is `{}`", self.show(&v.q)),
            );
        }
        let q = self.promoted(&v.q.t).q();
        let enumeration = matches!(v.q.t, T::Enum(_)).then(|| v.q.clone());
        let v = self.convert_explicit(v, &q, value.span)?;
        let ast::StmtKind::Block(list) = &body.kind else {
            return fail(body.span, "the body of a `switch` stands in braces");
        };
        let mut arms: Vec<Arm> = Vec::new();
        let mut seen: Vec<(i64, Span)> = Vec::new();
        let mut default: Option<Span> = None;
        self.ctx.switches += 1;
        let result = self.in_block(body.span.hi, |me| -> R<()> {
            let mut i = 0;
            while i < list.len() {
                let s = &list[i];
                match &s.kind {
                    ast::StmtKind::Case(e) => {
                        if !arms.last().is_some_and(|a| a.body.is_empty()) {
                            arms.push(Arm {
                                labels: Vec::new(),
                                is_default: false,
                                body: Vec::new(),
                            });
                        }
                        let ex = me.expr(e).and_then(|x| me.to_value(x))?;
                        if matches!(ex.q.t, T::Enum(_))
                            && enumeration.as_ref().is_none_or(|q| q.t != ex.q.t)
                            && enumeration.is_some()
                        {
                            return fail(e.span, "this label belongs to another enumeration");
                        }
                        if !ex.q.t.is_integral() {
                            return fail(e.span, "a label of a `switch` is an integer constant");
                        }
                        let ex = me.convert_explicit(ex, &q, e.span)?;
                        let Some(bits) = me.fold_int(&ex.e) else {
                            return fail(e.span, "a label of a `switch` is an integer constant");
                        };
                        let label = bits as i64;
                        if let Some((_, at)) = seen.iter().find(|s| s.0 == label) {
                            return Err(Box::new(
                                Diagnostic::error(
                                    e.span,
                                    format!("the label {label} occurs twice"),
                                )
                                .related(*at, "first here"),
                            ));
                        }
                        seen.push((label, e.span));
                        if let Some(a) = arms.last_mut() {
                            a.labels.push(label);
                        }
                    }
                    ast::StmtKind::Default => {
                        if let Some(at) = default {
                            return Err(Box::new(
                                Diagnostic::error(s.span, "a second `default`")
                                    .related(at, "first here"),
                            ));
                        }
                        default = Some(s.span);
                        if !arms.last().is_some_and(|a| a.body.is_empty()) {
                            arms.push(Arm {
                                labels: Vec::new(),
                                is_default: false,
                                body: Vec::new(),
                            });
                        }
                        if let Some(a) = arms.last_mut() {
                            a.is_default = true;
                        }
                    }
                    _ => {
                        let Some(arm) = arms.last_mut() else {
                            if matches!(s.kind, ast::StmtKind::Empty) {
                                i += 1;
                                continue;
                            }
                            return fail(
                                s.span,
                                "this statement stands before the first label and is never reached",
                            );
                        };
                        let mut stmts = std::mem::take(&mut arm.body);
                        if let Err(d) = me.statement(s, &mut stmts) {
                            me.report(*d);
                        }
                        // An empty statement still ends the row of labels.
                        if stmts.is_empty() {
                            stmts.push(Stmt { kind: StmtKind::Block(Vec::new()), span: s.span });
                        }
                        if let Some(a) = arms.last_mut() {
                            a.body = stmts;
                        }
                    }
                }
                i += 1;
            }
            Ok(())
        });
        self.ctx.switches -= 1;
        result?;
        Ok(Stmt { kind: StmtKind::Switch { value: v.e, arms }, span })
    }

    fn return_value(&mut self, value: Option<&ast::Expr>, span: Span) -> R<Option<hir::Expr>> {
        let Some(e) = value else {
            match &self.ctx.ret {
                Some(r) if !matches!(r.q.t, T::Void) => {
                    let want = self.show(&r.q.clone());
                    let name = self.ctx.name.clone();
                    return fail(span, format!("`{name}` must return a value of type `{want}`"));
                }
                Some(_) => {}
                None => self.ctx.ret = Some(T::Void.q().value()),
            }
            return Ok(None);
        };
        if let (ast::ExprKind::Init(_), Some(r)) = (&e.kind, self.ctx.ret.clone()) {
            return Ok(self.init_value(&r.q, &Init::Brace(e.clone()), e.span)?);
        }
        let ex = self.expr(e)?;
        match self.ctx.ret.clone() {
            None => {
                let v = self.to_value(ex)?;
                self.ctx.ret = Some(v.q.plain().value());
                Ok(Some(v.e))
            }
            Some(r) if matches!(r.q.t, T::Void) && !r.by_ref => {
                if matches!(ex.q.t, T::Void) {
                    // `return f();` with a void function: keep the call.
                    return fail(
                        e.span,
                        "a `void` call cannot be returned: call it, then `return;`",
                    );
                }
                let name = self.ctx.name.clone();
                let kind = if self.ctx.is_kernel { "the kernel" } else { "the function" };
                Err(Box::new(
                    Diagnostic::error(
                        e.span,
                        format!("{kind} `{name}` returns nothing, but here is a value"),
                    )
                    .label("remove the value")
                    .help(if self.ctx.is_kernel {
                        "store the result through a pointer"
                    } else {
                        "or change the result type from `void`"
                    }),
                ))
            }
            Some(r) if r.by_ref => {
                if !ex.place {
                    return fail(e.span, "a reference to a temporary value cannot be returned");
                }
                if let Some(id) = local_root(&ex.e) {
                    let l = &self.ctx.locals[id.0 as usize];
                    if l.storage == Storage::Auto {
                        let name = l.name.clone();
                        return fail(
                            e.span,
                            format!(
                                "`{name}` ends with the function: a reference to it cannot be returned"
                            ),
                        );
                    }
                }
                Ok(Some(self.bind_reference(ex, &r, e.span)?))
            }
            Some(r) => Ok(Some(self.convert(ex, &r.q, e.span)?)),
        }
    }

    // ---- variables

    fn local_decl(&mut self, d: &Decl, out: &mut Vec<Stmt>) -> R<()> {
        match d {
            Decl::Var(v) => self.local_var(v, out),
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
                if let Some((Entity::Namespace(s), _)) = self.resolve(n).unwrap_or(None) {
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

    /// Declares a variable of the function; `ty` is settled.
    fn new_local(
        &mut self,
        v: &ast::Var,
        ty: VarTy,
        storage: Storage,
        konst: Option<super::Lit>,
    ) -> R<LocalId> {
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
            if let Some((Entity::Local(l), _)) = self.lookup(scope, &name) {
                if l.owner == self.ctx.serial
                    && self.ctx.locals[l.id.0 as usize].storage != Storage::Auto
                {
                    let at = l.span;
                    self.report(
                        Diagnostic::warning(
                            v.span,
                            format!("`{name}` hides a `__shared__` variable of the same name"),
                        )
                        .related(at, "the shared one"),
                    );
                }
            }
        }
        let id = LocalId(self.ctx.locals.len() as u32);
        let mty = self.var_machine(&ty);
        let end = self.ctx.block_end.max(v.span.hi);
        self.ctx.locals.push(hir::Local {
            name: name.to_string(),
            ty: mty,
            storage,
            needs_memory: false,
            restrict: false,
            span: v.span,
            scope: Span { hi: end, ..v.span },
        });
        let var = LocalVar { id, ty, konst, owner: self.ctx.serial, span: v.span };
        self.scopes[scope].names.insert(name, Entity::Local(Rc::new(var)));
        Ok(id)
    }

    pub(super) fn local_var(&mut self, v: &ast::Var, out: &mut Vec<Stmt>) -> R<()> {
        let result = self.local_var_inner(v, out);
        if result.is_err() {
            // The name exists all the same, so that one mistake is reported once.
            let name = v.name.last().id.clone();
            let scope = self.ctx.scope;
            self.scopes[scope].names.entry(name).or_insert(Entity::Broken);
        }
        result
    }

    fn local_var_inner(&mut self, v: &ast::Var, out: &mut Vec<Stmt>) -> R<()> {
        let specs = &v.specs;
        let name = v.name.last().id.clone();
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
                    "`extern` variables inside a function must be `__shared__`",
                )
                .help("write `extern __shared__ float name[];` for dynamic shared memory"),
            ));
        }
        if specs.is_static && !specs.is_constexpr && !v.ty.is_const {
            return fail(
                v.span,
                "`static` variables inside device functions are not supported: use a `__device__` variable",
            );
        }
        if matches!(auto_core(&v.ty).kind, TyKind::Auto) {
            return self.auto_var(v, out);
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
        if matches!(ty.q.t, T::Void) {
            return fail(v.span, format!("`{name}` cannot have the type `void`"));
        }
        self.fix_array_length(&mut ty.q, &v.init)?;
        if matches!(ty.q.t, T::Array(_, None)) {
            return fail(v.span, format!("the array `{name}` needs a length"));
        }
        let size = self.size_of(&ty.q.t.clone(), v.span)?;
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
        // The name is in scope only behind its initialiser here, so that `int x = x` finds the outer one or none.
        let value = match (&v.init, &q.t) {
            (Init::None, T::Struct(id)) if self.has_ctors(*id) => {
                Some(self.construct(*id, Vec::new(), v.span)?)
            }
            (Init::None, T::Struct(id)) if self.has_defaults(*id) => {
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
                return Ok(());
            }
            (Init::None, T::Array(elem, Some(n))) if matches!(&elem.t, T::Struct(id) if self.has_ctors(*id) || self.has_defaults(*id)) =>
            {
                let T::Struct(sid) = elem.t.clone() else { return Ok(()) };
                if *n > 4096 {
                    return fail(
                        v.span,
                        "an array of this many objects with constructors is not supported",
                    );
                }
                let mut list = Vec::new();
                for _ in 0..*n {
                    list.push(self.construct(sid, Vec::new(), v.span)?);
                }
                let ty = self.machine(&q.t);
                Some(hir::Expr { kind: ExprKind::Aggregate(list), ty, span: v.span })
            }
            (Init::None, _) => None,
            (init, _) => self.init_value(&q, init, v.span)?,
        };
        if value.is_none() && q.c && q.t.is_scalar() {
            return fail(v.span, format!("the constant `{name}` needs a value"));
        }
        let konst = if q.c && q.t.is_arithmetic() {
            value.as_ref().and_then(|e| self.fold(e))
        } else {
            None
        };
        if specs.is_constexpr && konst.is_none() && q.t.is_arithmetic() {
            return fail(
                v.span,
                format!("the value of the constexpr variable `{name}` is not a constant"),
            );
        }
        let id = self.new_local(v, ty, Storage::Auto, konst)?;
        let span = v.span;
        out.push(Stmt { kind: StmtKind::Let(id, value), span });
        Ok(())
    }

    fn auto_var(&mut self, v: &ast::Var, out: &mut Vec<Stmt>) -> R<()> {
        let e = match &v.init {
            Init::Assign(e) => e.clone(),
            Init::Paren(a) if a.len() == 1 => a[0].clone(),
            Init::Brace(ast::Expr { kind: ast::ExprKind::Init(items), .. }) if items.len() == 1 => {
                items[0].value.clone()
            }
            _ => return fail(v.span, "`auto` needs exactly one initial value"),
        };
        let ex = self.expr(&e)?;
        if matches!(ex.q.t, T::Void) {
            return fail(e.span, "this call returns nothing that a variable could hold");
        }
        if let TyKind::Ref(inner) = &v.ty.kind {
            let c = ex.q.c || inner.is_const;
            let ty = VarTy { q: Q { c, ..ex.q.clone() }, by_ref: true };
            let value = self.bind_reference(ex, &ty, e.span)?;
            let id = self.new_local(v, ty, Storage::Auto, None)?;
            out.push(Stmt { kind: StmtKind::Let(id, Some(value)), span: v.span });
            return Ok(());
        }
        let value = self.to_value(ex)?;
        if matches!(v.ty.kind, TyKind::Ptr(..)) && !value.q.t.is_pointer() {
            return fail(
                e.span,
                format!("`auto *` needs a pointer, this is `{}`", self.show(&value.q)),
            );
        }
        if matches!(value.q.t, T::Nullptr) {
            return fail(
                e.span,
                "the type of `nullptr` says nothing: write the pointer's type instead of `auto`",
            );
        }
        let q = Q { c: v.ty.is_const, t: value.q.t.clone() };
        let konst = if q.c && q.t.is_arithmetic() { self.fold(&value.e) } else { None };
        let id = self.new_local(v, q.value(), Storage::Auto, konst)?;
        out.push(Stmt { kind: StmtKind::Let(id, Some(value.e)), span: v.span });
        Ok(())
    }

    fn shared_var(&mut self, v: &ast::Var, out: &mut Vec<Stmt>) -> R<()> {
        let name = v.name.last().id.clone();
        let q = self.ty(&v.ty)?;
        if !matches!(v.init, Init::None) {
            return Err(Box::new(
                Diagnostic::error(
                    v.span,
                    format!("the `__shared__` variable `{name}` cannot have an initial value"),
                )
                .help("let the threads store it, then call `__syncthreads()`"),
            ));
        }
        let storage = match (&q.t, v.specs.is_extern) {
            (T::Array(_, None), true) => Storage::SharedDynamic,
            (T::Array(_, None), false) => {
                return Err(Box::new(
                    Diagnostic::error(
                        v.span,
                        format!("the `__shared__` array `{name}` has no length"),
                    )
                    .help(
                        "write its length, or `extern __shared__` if the length is given at launch",
                    ),
                ));
            }
            (T::Array(_, Some(_)), true) => {
                return Err(Box::new(
                    Diagnostic::error(
                        v.span,
                        "an `extern __shared__` array has no length: it is given at launch",
                    )
                    .help("leave the brackets empty, or remove `extern`"),
                ));
            }
            (_, true) => {
                return fail(
                    v.span,
                    "an `extern __shared__` variable is an array without length, such as `float s[]`",
                );
            }
            _ => Storage::Shared,
        };
        let mut core = q.t.clone();
        while let T::Array(e, _) = core.clone() {
            core = e.t.clone();
        }
        if let T::Struct(id) = core {
            self.complete(id, v.span)?;
            if self.has_ctors(id) || self.has_defaults(id) {
                let class = self.module.structs[id.0 as usize].name.clone();
                return Err(Box::new(
                    Diagnostic::error(v.span, format!("`{name}` is shared, but `{class}` has a constructor or default values, which nobody runs"))
                        .help("use a struct without constructors, and store the members"),
                ));
            }
        }
        let size = self.size_of(&q.t.clone(), v.span)?;
        if size > 1 << 20 {
            return fail(
                v.span,
                format!("`{name}` has {size} bytes, far more than a block's shared memory"),
            );
        }
        let id = self.new_local(v, q.value(), storage, None)?;
        out.push(Stmt { kind: StmtKind::Let(id, None), span: v.span });
        Ok(())
    }
}

/// The variable that a place is part of.
pub(super) fn local_root(e: &hir::Expr) -> Option<LocalId> {
    match &e.kind {
        ExprKind::Local(id) => Some(*id),
        ExprKind::Field(inner, _) | ExprKind::Index(inner, _) => local_root(inner),
        _ => None,
    }
}

/// One statement as it is, several as a block.
fn push_group(mut list: Vec<Stmt>, span: Span, out: &mut Vec<Stmt>) {
    if list.len() == 1 {
        out.extend(list.pop());
    } else {
        out.push(Stmt { kind: StmtKind::Block(list), span });
    }
}
