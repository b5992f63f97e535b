//! Statements.

use std::collections::HashMap;

use super::types::{QualType, Type, VarTy};
use super::{ScopeKind, Sema, SemaResult, TypedExpr, fail};
use crate::ast::{self, Cond, Init, TyKind, Unroll};
use crate::diag::Diagnostic;
use crate::hir::{self, Arm, ExprKind, LocalId, Stmt, StmtKind, Storage};
use crate::source::Span;

/// Values of one `case low ... high`.
const MAX_RANGE: i64 = 1024;

impl Sema<'_> {
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

    /// A statement with a scope of its own: one as it is, several as a block.
    fn group(
        &mut self,
        span: Span,
        out: &mut Vec<Stmt>,
        f: impl FnOnce(&mut Self, &mut Vec<Stmt>) -> SemaResult<()>,
    ) -> SemaResult<()> {
        let mut list = Vec::new();
        self.in_block(span.hi, |me| me.with_objects(&mut list, f))?;
        match list.len() {
            1 => out.extend(list.pop()),
            _ => out.push(Stmt { kind: StmtKind::Block(list), span }),
        }
        Ok(())
    }

    /// A statement that is the body of another one.
    fn sub(&mut self, s: &ast::Stmt) -> Vec<Stmt> {
        self.in_block(s.span.hi, |me| {
            let mut out = Vec::new();
            me.with_objects(&mut out, |me, out| match &s.kind {
                ast::StmtKind::Block(list) => me.statements(list, out),
                _ => {
                    if let Err(d) = me.statement(s, out) {
                        me.report(*d);
                    }
                }
            });
            out
        })
    }

    /// Checks a statement. It is long because it has an arm for each kind.
    pub(super) fn statement(&mut self, s: &ast::Stmt, out: &mut Vec<Stmt>) -> SemaResult<()> {
        let span = s.span;
        match &s.kind {
            ast::StmtKind::Empty => {}
            ast::StmtKind::Expr(e) => {
                let ex = self.expr(e)?;
                if !ex.place {
                    self.check_temporary(&ex.q.ty, span)?;
                }
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
                self.group(span, out, |me, pre| {
                    if let Some(i) = init {
                        me.statement(i, pre)?;
                    }
                    let c = me.condition(cond, pre)?;
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
                        return Ok(());
                    }
                    let then = me.sub(then);
                    let els = els.as_ref().map(|e| me.sub(e)).unwrap_or_default();
                    pre.push(Stmt { kind: StmtKind::If { cond: c, then, els }, span });
                    Ok(())
                })?;
            }
            ast::StmtKind::While { cond, body, unroll } => {
                let unroll = self.unroll(unroll)?;
                let stmt = self.in_block(span.hi, |me| -> SemaResult<Stmt> {
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
                let c = self.expr(cond).and_then(|e| self.truth(e))?;
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
                self.group(span, out, |me, pre| {
                    if let Some(i) = init {
                        me.statement(i, pre)?;
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
                    Ok(())
                })?;
            }
            ast::StmtKind::RangeFor { var, range, body, unroll } => {
                let unroll = self.unroll(unroll)?;
                self.group(span, out, |me, pre| {
                    pre.extend(me.range_for(var, range, body, unroll, span)?);
                    Ok(())
                })?;
            }
            ast::StmtKind::Switch { init, value, body } => {
                self.group(span, out, |me, pre| {
                    if let Some(i) = init {
                        me.statement(i, pre)?;
                    }
                    let s = me.switch(value, body, span)?;
                    pre.push(s);
                    Ok(())
                })?;
            }
            ast::StmtKind::Case(..) | ast::StmtKind::Default => {
                let text = "a label of a `switch` stands inside another statement, or outside of \
                            any `switch`";
                return Err(Box::new(
                    Diagnostic::error(span, text)
                        .help("labels belong directly into the braces of the `switch`"),
                ));
            }
            ast::StmtKind::Break => {
                let Some(alive) = self.ctx.breaks.last() else {
                    return fail(span, "`break` outside of a loop or `switch`");
                };
                self.destroy_to(*alive, out);
                out.push(Stmt { kind: StmtKind::Break, span });
            }
            ast::StmtKind::Continue => {
                let Some(alive) = self.ctx.continues.last() else {
                    return fail(span, "`continue` outside of a loop");
                };
                self.destroy_to(*alive, out);
                out.push(Stmt { kind: StmtKind::Continue, span });
            }
            ast::StmtKind::Return(value) => {
                let mut value = self.return_value(value.as_ref(), span)?;
                // `return f();` where `f` gives nothing.
                if let Some(call) = value.take_if(|v| v.ty == hir::Ty::Void) {
                    out.push(Stmt { kind: StmtKind::Expr(call), span });
                }
                self.leave_function(value, span, out);
            }
            ast::StmtKind::Label(name) => {
                let text = format!(
                    "the label `{name}` stands in no block: put braces around its statements"
                );
                return fail(span, text);
            }
            ast::StmtKind::Goto(name) => return self.goto(name, span, out),
        }
        Ok(())
    }

    fn in_loop<V>(&mut self, f: impl FnOnce(&mut Self) -> V) -> V {
        self.ctx.breaks.push(self.ctx.alive.len());
        self.ctx.continues.push(self.ctx.alive.len());
        let result = f(self);
        self.ctx.breaks.pop();
        self.ctx.continues.pop();
        result
    }

    fn unroll(&mut self, u: &Unroll) -> SemaResult<hir::Unroll> {
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
    fn condition(&mut self, c: &Cond, pre: &mut Vec<Stmt>) -> SemaResult<hir::Expr> {
        match c {
            Cond::Expr(e) => {
                self.warn_assignment(e);
                self.expr(e).and_then(|x| self.truth(x))
            }
            Cond::Decl(v) => {
                self.local_var(v, pre)?;
                let name = ast::Expr { kind: ast::ExprKind::Name(v.name.clone()), span: v.span };
                self.expr(&name).and_then(|x| self.truth(x))
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
    ) -> SemaResult<Vec<Stmt>> {
        let mut out = Vec::new();
        let r = match &range.kind {
            ast::ExprKind::Init(_) => self.list_of_values(range, &mut out)?,
            _ => self.expr(range)?,
        };
        let Type::Array(elem, Some(n)) = r.q.ty.clone() else {
            if matches!(r.q.ty, Type::Struct(_)) {
                self.range_of_object(var, range, body, unroll, span, &mut out)?;
                return Ok(out);
            }
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
        out.push(Stmt { kind: StmtKind::Let(i, Some(int(0))), span });
        self.mark_memory(&r.e);
        let ety = self.machine(&elem.ty);
        let item = hir::Expr {
            kind: ExprKind::Index(Box::new(r.e), Box::new(load.clone())),
            ty: ety,
            span,
        };
        let item = TypedExpr { e: item, q: (*elem).clone(), place: true, constant: None };
        let mut inner = Vec::new();
        let by_ref = matches!(var.ty.kind, TyKind::Ref(_, _));
        let ty = if matches!(ast::auto_core(&var.ty).kind, TyKind::Auto) {
            VarTy {
                by_ref,
                ..QualType {
                    is_const: elem.is_const && by_ref || ast::auto_core(&var.ty).is_const,
                    ..item.q.clone()
                }
                .value()
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

    /// `for (T x : {a, b, c})`: an array with the type of the first.
    fn list_of_values(&mut self, list: &ast::Expr, out: &mut Vec<Stmt>) -> SemaResult<TypedExpr> {
        let ast::ExprKind::Init(items) = &list.kind else { return fail(list.span, "no list") };
        let Some(first) = items.first() else { return fail(list.span, "this list is empty") };
        let elem = self.expr(&first.value).and_then(|x| self.load_value(x))?.q.plain();
        let q = Type::Array(std::rc::Rc::new(elem), Some(items.len() as u64)).q();
        let value = self.init_value(&q, &Init::Brace(list.clone()), list.span)?;
        let ty = self.machine(&q.ty);
        let id = self.temp("$list", ty, list.span);
        out.push(Stmt { kind: StmtKind::Let(id, value), span: list.span });
        Ok(self.place(ExprKind::Local(id), q, list.span))
    }

    /// `for (T x : object)` by the object's `begin()` and `end()`.
    fn range_of_object(
        &mut self,
        var: &ast::Var,
        range: &ast::Expr,
        body: &ast::Stmt,
        unroll: hir::Unroll,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> SemaResult<()> {
        let at = range.span;
        let expr = |kind| ast::Expr { kind, span: at };
        let name = |id: &str| expr(ast::ExprKind::Name(ast::Name::simple(id.into(), at)));
        let auto = ast::Ty { kind: TyKind::Auto, is_const: false, span: at };
        let variable = |id: &str, ty: ast::Ty, init: ast::Expr| ast::Var {
            name: ast::Name::simple(id.into(), at),
            ty,
            init: Init::Assign(init),
            specs: ast::Specs::default(),
            span: at,
            bits: None,
            mentions_itself: false,
        };
        let end_of = |which: &str| {
            let base = Box::new(name("$range"));
            let name = ast::Name::simple(which.into(), at);
            let member = expr(ast::ExprKind::Member { base, arrow: false, name });
            expr(ast::ExprKind::Call(Box::new(member), Vec::new()))
        };
        let by_ref = ast::Ty { kind: TyKind::Ref(Box::new(auto.clone()), true), ..auto.clone() };
        self.local_var(&variable("$range", by_ref, range.clone()), out)?;
        self.local_var(&variable("$at", auto.clone(), end_of("begin")), out)?;
        self.local_var(&variable("$end", auto, end_of("end")), out)?;
        let (here, end) = (Box::new(name("$at")), Box::new(name("$end")));
        let cond = self.expr(&expr(ast::ExprKind::Binary("!=", here, end)))?;
        let cond = Some(self.truth(cond)?);
        let place = Box::new(name("$at"));
        let step = self.expr(&expr(ast::ExprKind::IncDec { inc: true, post: false, place }))?;
        let step = Some(self.discard(step));
        let item = expr(ast::ExprKind::Unary("*", Box::new(name("$at"))));
        let item = ast::Var { init: Init::Assign(item), ..var.clone() };
        let mut inner = Vec::new();
        self.local_var(&item, &mut inner)?;
        let mut rest = self.in_loop(|me| me.sub(body));
        inner.append(&mut rest);
        let kind = StmtKind::Loop { cond, test_last: false, step, body: inner, unroll };
        out.push(Stmt { kind, span });
        Ok(())
    }

    /// The value of a label of a `switch` over `q`.
    fn case_label(
        &mut self,
        e: &ast::Expr,
        q: &QualType,
        enumeration: Option<&QualType>,
    ) -> SemaResult<i64> {
        let ex = self.expr(e).and_then(|x| self.load_value(x))?;
        if matches!(ex.q.ty, Type::Enum(_)) && enumeration.is_some_and(|q| q.ty != ex.q.ty) {
            return fail(e.span, "this label belongs to another enumeration");
        }
        if !ex.q.ty.is_integral() {
            return fail(e.span, "a label of a `switch` is an integer constant");
        }
        let ex = self.convert_explicit(ex, q, e.span)?;
        match self.fold_int(&ex.e) {
            Some(bits) => Ok(bits as i64),
            None => fail(e.span, "a label of a `switch` is an integer constant"),
        }
    }

    fn switch(&mut self, value: &ast::Expr, body: &ast::Stmt, span: Span) -> SemaResult<Stmt> {
        let v = self.expr(value).and_then(|x| self.load_value(x))?;
        if !v.q.ty.is_integral() {
            return fail(
                value.span,
                format!("a `switch` needs an integer, this is `{}`", self.show(&v.q)),
            );
        }
        let q = self.promoted(&v.q.ty).q();
        let enumeration = matches!(v.q.ty, Type::Enum(_)).then(|| v.q.clone());
        let v = self.convert_explicit(v, &q, value.span)?;
        let ast::StmtKind::Block(list) = &body.kind else {
            return fail(body.span, "the body of a `switch` stands in braces");
        };
        let mut arms: Vec<Arm> = Vec::new();
        let mut seen: HashMap<i64, Span> = HashMap::new();
        let mut default: Option<Span> = None;
        let alive = self.ctx.alive.len();
        self.ctx.breaks.push(alive);
        let result = self.in_block(body.span.hi, |me| -> SemaResult<()> {
            let mut i = 0;
            while i < list.len() {
                let s = &list[i];
                match &s.kind {
                    ast::StmtKind::Case(e, last) => {
                        if !arms.last().is_some_and(|a| a.body.is_empty()) {
                            arms.push(Arm {
                                labels: Vec::new(),
                                is_default: false,
                                body: Vec::new(),
                            });
                        }
                        let first = me.case_label(e, &q, enumeration.as_ref())?;
                        let last = match last {
                            Some(e) => me.case_label(e, &q, enumeration.as_ref())?,
                            None => first,
                        };
                        if last.saturating_sub(first) >= MAX_RANGE {
                            let text = format!("a range of cases has at most {MAX_RANGE} values");
                            return fail(e.span, text);
                        }
                        for label in first..=last {
                            if let Some(at) = seen.insert(label, e.span) {
                                let text = format!("the label {label} occurs twice");
                                return Err(Box::new(
                                    Diagnostic::error(e.span, text).related(at, "first here"),
                                ));
                            }
                            if let Some(a) = arms.last_mut() {
                                a.labels.push(label);
                            }
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
        self.ctx.breaks.pop();
        // Only the last arm can have objects: no label may pass one.
        if let Some(arm) = arms.last_mut() {
            self.destroy_to(alive, &mut arm.body);
        }
        self.ctx.alive.truncate(alive);
        result?;
        Ok(Stmt { kind: StmtKind::Switch { value: v.e, arms }, span })
    }

    fn return_value(
        &mut self,
        value: Option<&ast::Expr>,
        span: Span,
    ) -> SemaResult<Option<hir::Expr>> {
        let Some(e) = value else {
            match &self.ctx.ret {
                Some(r) if !matches!(r.q.ty, Type::Void) => {
                    let want = self.show(&r.q.clone());
                    let name = self.ctx.name.clone();
                    return fail(span, format!("`{name}` must return a value of type `{want}`"));
                }
                Some(_) => {}
                None => self.ctx.ret = Some(Type::Void.q().value()),
            }
            return Ok(None);
        };
        if let (ast::ExprKind::Init(_), Some(r)) = (&e.kind, self.ctx.ret.clone()) {
            return self.init_value(&r.q, &Init::Brace(e.clone()), e.span);
        }
        let ex = self.expr(e)?;
        let ret = self.ctx.ret.clone();
        if let (Type::Struct(a), ExprKind::Local(_), Some(r)) = (&ex.q.ty, &ex.e.kind, &ret)
            && !r.by_ref
            && r.q.ty == Type::Struct(*a)
        {
            // A variable becomes the result itself: nothing is copied.
            return Ok(Some(self.load_value(ex)?.e));
        }
        match ret {
            None => {
                let v = self.load_value(ex)?;
                self.ctx.ret = Some(v.q.plain().value());
                Ok(Some(v.e))
            }
            Some(r) if matches!(r.q.ty, Type::Void) && !r.by_ref => {
                if matches!(ex.q.ty, Type::Void) {
                    return Ok(Some(ex.e));
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
                let ex = self.chosen_place(ex);
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
                                "`{name}` ends with the function: a reference to it cannot be \
                                 returned"
                            ),
                        );
                    }
                }
                Ok(Some(self.bind_reference(ex, &r, e.span)?))
            }
            Some(r) => Ok(Some(self.convert(ex, &r.q, e.span)?)),
        }
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
