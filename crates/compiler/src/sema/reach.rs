//! The last look at the typed program: functions that no kernel reaches are dropped, those that
//! call themselves are found, and variables that are certainly read before they are written are
//! reported.

use std::collections::HashSet;

use super::Sema;
use crate::diag::Diagnostic;
use crate::hir::{Block, Expr, ExprKind, FuncId, Function, LocalId, Stmt, StmtKind, Storage};
use crate::order;
use crate::source::Span;
use crate::walk::{children, visit, visit_expr, visit_mut};

impl Sema<'_> {
    /// To be called when there are no errors.
    pub(super) fn finish(&mut self) {
        self.fill_dispatchers();
        let functions = std::mem::take(&mut self.module.functions);
        for f in functions.iter().filter(|f| !self.own.contains(&f.span.file)) {
            self.uninitialised(f);
        }
        self.module.functions = functions;
        self.undefined();
        if self.errors() == 0 {
            self.prune();
        }
        if self.errors() == 0 {
            self.find_recursion();
        }
    }

    /// Functions that are called but have no body.
    fn undefined(&mut self) {
        let mut missing: Vec<(FuncId, usize)> = self
            .instances
            .iter()
            .filter(|((decl, _), _)| matches!(self.funcs[*decl].ast.body, crate::ast::Body::None))
            .map(|((decl, _), inst)| (inst.func, *decl))
            .collect();
        order::sort_by(&mut missing, |a, b| a.0.0.cmp(&b.0.0));
        for (func, decl) in missing {
            let mut at: Option<Span> = None;
            for f in &self.module.functions {
                visit(&f.body, &mut |e| {
                    if let ExprKind::Call(g, _) = &e.kind
                        && *g == func
                    {
                        at.get_or_insert(e.span);
                    }
                });
            }
            let ast = self.funcs[decl].ast.clone();
            let Some(at) = at else { continue };
            self.report(
                Diagnostic::error(
                    at,
                    format!("`{}` is declared, but not defined in this file", ast.name.last().id),
                )
                .related(ast.span, "declared here")
                .help("write its body, or include the file that has it"),
            );
        }
    }

    /// A `constexpr` function without `__device__` is the host's: device code may use its value,
    /// not call it.
    fn constexpr_of_host(&mut self, f: FuncId, at: Span) {
        let Some(((decl, _), _)) = self.instances.iter().find(|(_, inst)| inst.func == f) else {
            return;
        };
        let ast = self.funcs[*decl].ast.clone();
        let specs = &ast.specs;
        if !specs.is_constexpr
            || specs.device
            || self.relaxed_constexpr
            || self.own.contains(&ast.span.file)
        {
            return;
        }
        let name = &ast.name.last().id;
        self.report(
            Diagnostic::error(
                at,
                format!("`{name}` is a host function that is called while the kernel runs"),
            )
            .label("not a constant expression")
            .related(ast.span, "`constexpr` alone does not make it a device function")
            .help(format!(
                "write `__host__ __device__` before `{name}`, or store its value in a `constexpr` \
                     variable; what nvcc takes with `--expt-relaxed-constexpr` needs \
                     -D__CUDACC_RELAXED_CONSTEXPR__ here"
            )),
        );
    }

    /// Keeps kernels and what they reach, in the same order.
    fn prune(&mut self) {
        let n = self.module.functions.len();
        let mut keep = vec![false; n];
        let mut todo: Vec<usize> =
            (0..n).filter(|i| self.module.functions[*i].kernel.is_some()).collect();
        while let Some(f) = todo.pop() {
            if std::mem::replace(&mut keep[f], true) {
                continue;
            }
            let mut calls = Vec::new();
            visit(&self.module.functions[f].body, &mut |e| {
                if let ExprKind::Call(g, _) = &e.kind {
                    calls.push((*g, e.span));
                }
            });
            for (g, at) in calls {
                todo.push(g.0 as usize);
                self.constexpr_of_host(g, at);
            }
        }
        self.prune_own_globals(&keep);
        let mut next = 0;
        let new: Vec<u32> = keep
            .iter()
            .map(|k| {
                next += u32::from(*k);
                next.wrapping_sub(1)
            })
            .collect();
        let mut index = 0;
        self.module.functions.retain(|_| {
            index += 1;
            keep[index - 1]
        });
        for f in &mut self.module.functions {
            visit_mut(&mut f.body, &mut |e| {
                if let ExprKind::Call(g, _) = &mut e.kind {
                    g.0 = new[g.0 as usize];
                }
            });
        }
    }

    /// Variables of our own headers stay only where a function that stays uses them.
    fn prune_own_globals(&mut self, keep: &[bool]) {
        let mut used = HashSet::new();
        for (f, _) in self.module.functions.iter().zip(keep).filter(|(_, keep)| **keep) {
            visit(&f.body, &mut |e| {
                if let ExprKind::Global(g) = &e.kind {
                    used.insert(g.0);
                }
            });
        }
        let stays = |(k, g): (usize, &crate::hir::Global)| {
            !self.own.contains(&g.span.file) || used.contains(&(k as u32))
        };
        let stays: Vec<bool> = self.module.globals.iter().enumerate().map(stays).collect();
        if stays.iter().all(|s| *s) {
            return;
        }
        let number = |k: u32| stays[..k as usize].iter().filter(|s| **s).count() as u32;
        for f in &mut self.module.functions {
            visit_mut(&mut f.body, &mut |e| {
                if let ExprKind::Global(g) = &mut e.kind {
                    g.0 = number(g.0);
                }
            });
        }
        let mut index = 0;
        self.module.globals.retain(|_| {
            index += 1;
            stays[index - 1]
        });
    }

    /// Finds the functions that call themselves, which OpenCL C does not allow.
    fn find_recursion(&mut self) {
        let calls: Vec<Vec<(usize, Span)>> = self
            .module
            .functions
            .iter()
            .map(|f| {
                let mut calls = Vec::new();
                visit(&f.body, &mut |e| {
                    if let ExprKind::Call(g, _) = &e.kind {
                        calls.push((g.0 as usize, e.span));
                    }
                });
                calls
            })
            .collect();
        for f in 0..calls.len() {
            let mut seen = vec![false; calls.len()];
            let mut next: Vec<usize> = calls[f].iter().map(|c| c.0).collect();
            while let Some(g) = next.pop() {
                if !std::mem::replace(&mut seen[g], true) {
                    next.extend(calls[g].iter().map(|c| c.0));
                }
            }
            if !seen[f] {
                continue;
            }
            self.module.recursive.insert(FuncId(f as u32));
            let Some((g, span)) = calls[f].first().filter(|_| self.is_c()) else { continue };
            let function = &self.module.functions[f];
            let how = if f == *g { "itself" } else { "itself by way of another" };
            let text = format!("recursion is not supported: `{}` calls {how}", function.name);
            let d = Diagnostic::unsupported(*span, text)
                .related(function.span, "the function is defined here")
                .help("write it as a loop; keep what is pending in an array of fixed size");
            return self.report(d);
        }
    }

    fn uninitialised(&mut self, f: &Function) {
        let mut flow =
            Flow { function: f, written: HashSet::new(), open: HashSet::new(), found: Vec::new() };
        flow.block(&f.body);
        for (id, span) in flow.found {
            let l = &f.locals[id.0 as usize];
            self.report(
                Diagnostic::warning(
                    span,
                    format!("`{}` is read here, but has no value yet", l.name),
                )
                .related(l.span, "declared without a value"),
            );
        }
    }
}

/// Follows the statements in order, and remembers what may have been written.
struct Flow<'f> {
    function: &'f Function,
    written: HashSet<LocalId>,
    /// Declared without a value, and plain enough to be followed.
    open: HashSet<LocalId>,
    found: Vec<(LocalId, Span)>,
}

impl Flow<'_> {
    fn block(&mut self, b: &Block) {
        for s in b {
            self.stmt(s);
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Let(id, Some(e)) => {
                self.expr(e);
                self.written.insert(*id);
            }
            StmtKind::Let(id, None) => {
                let l = &self.function.locals[id.0 as usize];
                if l.storage == Storage::Auto && !l.needs_memory && l.ty.is_scalar() {
                    self.open.insert(*id);
                }
            }
            StmtKind::Block(b) | StmtKind::Labelled { again: false, body: b, .. } => self.block(b),
            StmtKind::If { cond, then, els } => {
                self.expr(cond);
                self.block(then);
                self.block(els);
            }
            StmtKind::Loop { cond, step, body, .. } => {
                // What a later part of the loop writes is there the next time round.
                let written = &mut self.written;
                let mut note = |e: &Expr| note_write(e, written);
                visit(body, &mut note);
                for e in cond.iter().chain(step) {
                    visit_expr(e, &mut note);
                }
                if let Some(e) = cond {
                    self.expr(e);
                }
                self.block(body);
                if let Some(e) = step {
                    self.expr(e);
                }
            }
            StmtKind::Switch { value, arms } => {
                self.expr(value);
                for a in arms {
                    self.block(&a.body);
                }
            }
            StmtKind::Return(Some(e)) => self.expr(e),
            StmtKind::Labelled { body, .. } => {
                visit(body, &mut |e| note_write(e, &mut self.written));
                self.block(body);
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(None) | StmtKind::Goto(_) => {}
        }
    }

    fn read(&mut self, place: &Expr, span: Span) {
        if let ExprKind::Local(id) = place.kind
            && self.open.contains(&id)
            && self.written.insert(id)
        {
            self.found.push((id, span));
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Load(p) => {
                self.read(p, e.span);
                self.expr(p);
            }
            ExprKind::Assign(p, v) => {
                self.expr(v);
                self.expr(p);
                if let ExprKind::Local(id) = p.kind {
                    self.written.insert(id);
                }
            }
            ExprKind::AssignOp(_, p, v) => {
                self.expr(v);
                self.read(p, p.span);
                self.expr(p);
            }
            ExprKind::IncDec { place, .. } => {
                self.read(place, place.span);
                self.expr(place);
            }
            _ => children(e, &mut |c| self.expr(c)),
        }
    }
}

fn note_write(e: &Expr, written: &mut HashSet<LocalId>) {
    match &e.kind {
        ExprKind::Assign(p, _)
        | ExprKind::AssignOp(_, p, _)
        | ExprKind::IncDec { place: p, .. } => {
            if let ExprKind::Local(id) = p.kind {
                written.insert(id);
            }
        }
        _ => {}
    }
}
