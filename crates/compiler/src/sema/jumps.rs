//! Ways out of blocks: labels and `goto`, and the destructors that run on each way.

use std::collections::HashSet;

use super::types::{QualType, Type};
use super::{Alive, Entity, FieldInfo, FnIdx, Label, Sema, SemaResult, TypedExpr};
use crate::ast::{self, Body, DESTRUCTOR, Decl, Ident, Init};
use crate::diag::Diagnostic;
use crate::hir::{self, BinOp, CmpOp, ExprKind, LocalId, Stmt, StmtKind, StructId};
use crate::source::Span;

/// The statement or one within goes to the label.
fn goes_to(s: &ast::Stmt, label: &Ident) -> bool {
    let any = |list: &[ast::Stmt]| list.iter().any(|s| goes_to(s, label));
    match &s.kind {
        ast::StmtKind::Goto(name) => name == label,
        ast::StmtKind::Block(list) => any(list),
        ast::StmtKind::If { then, els, .. } => {
            goes_to(then, label) || els.as_ref().is_some_and(|e| goes_to(e, label))
        }
        ast::StmtKind::While { body, .. }
        | ast::StmtKind::DoWhile { body, .. }
        | ast::StmtKind::For { body, .. }
        | ast::StmtKind::RangeFor { body, .. }
        | ast::StmtKind::Switch { body, .. } => goes_to(body, label),
        _ => false,
    }
}

fn label_of(s: &ast::Stmt) -> Option<&Ident> {
    match &s.kind {
        ast::StmtKind::Label(name) => Some(name),
        _ => None,
    }
}

/// The last label of a list that stands in no repeated statements of another one, and the last of
/// the statements that it repeats: the label itself if nothing behind it goes back.
fn last_label(list: &[ast::Stmt]) -> Option<(usize, usize)> {
    let mut found: Option<(usize, usize)> = None;
    for (k, s) in list.iter().enumerate() {
        let Some(name) = label_of(s) else { continue };
        let last = list.iter().rposition(|s| goes_to(s, name)).map_or(k, |last| last.max(k));
        match &mut found {
            Some((_, end)) if k <= *end => *end = last.max(*end),
            _ => found = Some((k, last)),
        }
    }
    found
}

/// The last place up to `at` where a list can be cut with no label on one side and a `goto` to it
/// on the other.
fn uncut(list: &[ast::Stmt], at: usize) -> usize {
    let mut at = at;
    let spans: Vec<(usize, usize)> = list
        .iter()
        .enumerate()
        .filter_map(|(k, s)| {
            let name = label_of(s)?;
            let first = list.iter().position(|s| goes_to(s, name))?;
            let last = list.iter().rposition(|s| goes_to(s, name))?;
            Some((first.min(k), last.max(k)))
        })
        .collect();
    while let Some((first, _)) = spans.iter().find(|(first, last)| *first < at && at <= *last) {
        at = *first;
    }
    at
}

impl Sema<'_> {
    /// The outermost block of a function; `object` is the class of the destructor that it is.
    pub(super) fn function_block(
        &mut self,
        list: &[ast::Stmt],
        object: Option<StructId>,
        out: &mut Vec<Stmt>,
    ) {
        self.with_objects(out, |me, out| {
            if let Some(id) = object
                && let Err(d) = me.parts_alive(id)
            {
                me.report(*d);
            }
            me.statements(list, out);
        });
    }

    /// Runs `f`; what it leaves alive is destroyed behind its statements.
    pub(super) fn with_objects<V>(
        &mut self,
        out: &mut Vec<Stmt>,
        f: impl FnOnce(&mut Self, &mut Vec<Stmt>) -> V,
    ) -> V {
        let alive = self.ctx.alive.len();
        let result = f(self, out);
        let left = out.last().is_some_and(|s| {
            use StmtKind::{Break, Continue, Goto, Return};
            matches!(s.kind, Return(_) | Break | Continue | Goto(_))
        });
        if !left {
            self.destroy_to(alive, out);
        }
        self.ctx.alive.truncate(alive);
        result
    }

    /// Destroys the objects that came to life after the first `alive` ones, the youngest first.
    pub(super) fn destroy_to(&self, alive: usize, out: &mut Vec<Stmt>) {
        let objects = self.ctx.alive[alive..].iter().rev();
        out.extend(objects.flat_map(|object| object.end.iter().cloned()));
    }

    /// `return`: the value is there before the destructors run. A local object that is the value
    /// becomes the caller's.
    pub(super) fn leave_function(
        &mut self,
        value: Option<hir::Expr>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let returned = match value.as_ref().map(|v| &v.kind) {
            Some(ExprKind::Load(place)) => match place.kind {
                ExprKind::Local(id) => Some(id),
                _ => None,
            },
            _ => None,
        };
        let ends = |a: &&Alive| a.local.is_none() || a.local != returned;
        let end: Vec<Stmt> =
            self.ctx.alive.iter().rev().filter(ends).flat_map(|a| a.end.clone()).collect();
        let value = match value {
            Some(v) if !end.is_empty() => {
                let ty = v.ty.clone();
                let id = self.temp("$result", ty.clone(), span);
                out.push(Stmt { kind: StmtKind::Let(id, Some(v)), span });
                let place = hir::Expr { kind: ExprKind::Local(id), ty: ty.clone(), span };
                Some(hir::Expr { kind: ExprKind::Load(Box::new(place)), ty, span })
            }
            value => value,
        };
        out.extend(end);
        out.push(Stmt { kind: StmtKind::Return(value), span });
    }

    /// Types a list of statements; errors are reported one by one.
    pub(super) fn statements(&mut self, list: &[ast::Stmt], out: &mut Vec<Stmt>) {
        let Some((k, last)) = last_label(list) else {
            for s in list {
                if let Err(d) = self.statement(s, out) {
                    self.report(*d);
                }
            }
            return;
        };
        let Some(name) = label_of(&list[k]) else { return };
        self.statements_up_to(name, &list[..k], out);
        if last > k {
            let label = self.open_label(name);
            let mut body = Vec::new();
            self.statements(&list[k + 1..=last], &mut body);
            self.ctx.labels.pop();
            let kind = StmtKind::Labelled { label, again: true, body };
            out.push(Stmt { kind, span: list[k].span });
        }
        self.statements(&list[last + 1..], out);
    }

    /// Statements in front of a label of their block.
    fn statements_up_to(&mut self, name: &Ident, list: &[ast::Stmt], out: &mut Vec<Stmt>) {
        let Some(first) = list.iter().position(|s| goes_to(s, name)) else {
            return self.statements(list, out);
        };
        if !self.is_c() {
            self.no_skipped_initialisers(&list[first], &list[first + 1..]);
        }
        let first = uncut(list, first);
        self.statements(&list[..first], out);
        let label = self.open_label(name);
        let mut body = Vec::new();
        self.statements(&list[first..], &mut body);
        self.ctx.labels.pop();
        // The variables go on living behind the label.
        for s in &mut body {
            if let StmtKind::Let(id, init) = &mut s.kind {
                let (id, init, span) = (*id, init.take(), s.span);
                out.push(Stmt { kind: StmtKind::Let(id, None), span });
                s.kind = match init {
                    None => StmtKind::Block(Vec::new()),
                    Some(value) => {
                        let ty = value.ty.clone();
                        let local = hir::Expr { kind: ExprKind::Local(id), ty: ty.clone(), span };
                        let kind = ExprKind::Assign(Box::new(local), Box::new(value));
                        StmtKind::Expr(hir::Expr { kind, ty, span })
                    }
                };
            }
        }
        let span = list[first].span;
        out.push(Stmt { kind: StmtKind::Labelled { label, again: false, body }, span });
    }

    fn open_label(&mut self, name: &Ident) -> u32 {
        let number = self.ctx.label_count;
        self.ctx.label_count += 1;
        let alive = self.ctx.alive.len();
        self.ctx.labels.push(Label { name: name.clone(), number, alive });
        number
    }

    /// In C++ no `goto` passes a variable that gets a value where it is declared.
    fn no_skipped_initialisers(&mut self, from: &ast::Stmt, passed: &[ast::Stmt]) {
        for s in passed {
            let ast::StmtKind::Decl(decls) = &s.kind else { continue };
            for d in decls {
                let Decl::Var(v) = d else { continue };
                let made = !matches!(v.init, Init::None) && !v.specs.is_static;
                if made && !v.specs.is_constexpr {
                    let name = &v.name.last().id;
                    self.report(
                        Diagnostic::error(
                            v.span,
                            format!("a `goto` passes the initial value of `{name}`"),
                        )
                        .related(from.span, "the `goto` is here")
                        .help(format!("declare `{name}` above the `goto`")),
                    );
                }
            }
        }
    }

    /// `goto name;`
    pub(super) fn goto(&mut self, name: &Ident, span: Span, out: &mut Vec<Stmt>) -> SemaResult<()> {
        let Some(label) = self.ctx.labels.iter().rfind(|l| l.name == *name) else {
            return Err(Box::new(
                Diagnostic::error(
                    span,
                    format!("no block around this `goto` has the label `{name}`"),
                )
                .help("a `goto` may leave blocks and loops or begin one anew, but not enter one"),
            ));
        };
        let (number, alive) = (label.number, label.alive);
        self.destroy_to(alive, out);
        out.push(Stmt { kind: StmtKind::Goto(number), span });
        Ok(())
    }

    // ---- destructors

    /// The destructor of a class that device code can call.
    pub(super) fn destructor(&self, id: StructId) -> Option<FnIdx> {
        let scope = self.structs[id.0 as usize].scope;
        let Some(Entity::Funcs(list)) = self.scopes[scope].names.get(DESTRUCTOR) else {
            return None;
        };
        list.iter().copied().find(|f| {
            let f = &self.funcs[*f].ast;
            matches!(f.body, Body::Block(_)) || matches!(f.body, Body::None) && f.specs.device
        })
    }

    /// Something happens when an object of the type ends.
    pub(super) fn is_destroyed(&self, ty: &Type) -> bool {
        self.is_destroyed_beside(ty, &mut HashSet::new())
    }

    /// The same but for classes that were `seen`: one may be a part many times over.
    fn is_destroyed_beside(&self, ty: &Type, seen: &mut HashSet<StructId>) -> bool {
        match ty {
            Type::Array(elem, _) => self.is_destroyed_beside(&elem.ty, seen),
            Type::Struct(id) if seen.insert(*id) => {
                let acts = |f: FnIdx| match &self.funcs[f].ast.body {
                    Body::Block(body) => !body.is_empty(),
                    _ => true,
                };
                let mut fields = self.structs[id.0 as usize].fields.iter();
                self.destructor(*id).is_some_and(acts)
                    || fields.any(|f| !f.ty.by_ref && self.is_destroyed_beside(&f.ty.q.ty, seen))
            }
            _ => false,
        }
    }

    /// Gives a class whose parts have destructors, or that writes `= default`, one of its own.
    pub(super) fn add_destructor(
        &self,
        fields: &[FieldInfo],
        s: &ast::Struct,
        functions: &mut Vec<std::rc::Rc<ast::Function>>,
    ) {
        let written = functions.iter().position(|f| f.is_dtor);
        let parts = fields.iter().any(|f| !f.ty.by_ref && self.is_destroyed(&f.ty.q.ty));
        match written {
            Some(k) if matches!(functions[k].body, Body::Defaulted) => {
                let is_virtual = functions[k].specs.is_virtual;
                let made = s.unwritten(DESTRUCTOR.into(), is_virtual);
                functions[k] = std::rc::Rc::new(made);
            }
            None if parts => {
                let made = s.unwritten(DESTRUCTOR.into(), false);
                functions.push(std::rc::Rc::new(made));
            }
            _ => {}
        }
    }

    /// The new local object is destroyed where its block ends.
    pub(super) fn note_object(&mut self, id: LocalId, q: &QualType, span: Span) -> SemaResult<()> {
        if !self.is_destroyed(&q.ty) {
            return Ok(());
        }
        let q = QualType { is_const: false, ..q.clone() };
        let object = self.place(ExprKind::Local(id), q, span);
        let mut end = Vec::new();
        self.destroy(object, span, &mut end)?;
        self.ctx.alive.push(Alive { local: Some(id), end });
        Ok(())
    }

    /// Behind the body of a destructor the object's parts are destroyed.
    fn parts_alive(&mut self, id: StructId) -> SemaResult<()> {
        let span = self.structs[id.0 as usize].span;
        for k in 0..self.structs[id.0 as usize].fields.len() {
            let field = &self.structs[id.0 as usize].fields[k];
            if field.ty.by_ref || !self.is_destroyed(&field.ty.q.ty) {
                continue;
            }
            let object = self.this_place(span)?;
            let part = self.walk(object, &[k as u32], span)?;
            let mut end = Vec::new();
            self.destroy(part, span, &mut end)?;
            self.ctx.alive.push(Alive { local: None, end });
        }
        Ok(())
    }

    /// Calls the destructors of an object, or of all elements of an array from the last one on.
    fn destroy(&mut self, object: TypedExpr, span: Span, out: &mut Vec<Stmt>) -> SemaResult<()> {
        match object.q.ty.clone() {
            Type::Struct(id) => {
                let Some(f) = self.destructor(id) else { return Ok(()) };
                let call = self.call_member(f, Vec::new(), object, Vec::new(), span)?;
                out.push(Stmt { kind: StmtKind::Expr(call.e), span });
                Ok(())
            }
            Type::Array(elem, Some(n)) => {
                self.mark_memory(&object.e);
                let ty = hir::Ty::I32;
                let expr = |kind, ty: hir::Ty| hir::Expr { kind, ty, span };
                let k = self.temp("$k", ty.clone(), span);
                let place = expr(ExprKind::Local(k), ty.clone());
                let load = expr(ExprKind::Load(Box::new(place.clone())), ty.clone());
                let int = |v: u64| Box::new(expr(ExprKind::Int(v), hir::Ty::I32));
                out.push(Stmt { kind: StmtKind::Let(k, Some(*int(n))), span });
                let at = ExprKind::Binary(BinOp::Sub, Box::new(load.clone()), int(1));
                let at = Box::new(expr(at, ty.clone()));
                let kind = ExprKind::Index(Box::new(object.e), at);
                let e = expr(kind, self.machine(&elem.ty));
                let item = TypedExpr { e, q: (*elem).clone(), place: true, constant: None };
                let mut body = Vec::new();
                self.destroy(item, span, &mut body)?;
                let cond = ExprKind::Cmp(CmpOp::Gt, Box::new(load), int(0));
                let step = ExprKind::IncDec { place: Box::new(place), inc: false, post: false };
                let kind = StmtKind::Loop {
                    cond: Some(expr(cond, hir::Ty::Bool)),
                    test_last: false,
                    step: Some(expr(step, ty)),
                    body,
                    unroll: hir::Unroll::None,
                };
                out.push(Stmt { kind, span });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `p->~T()`: nothing for what has no destructor.
    pub(super) fn call_destructor(
        &mut self,
        object: TypedExpr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        if let Type::Struct(id) = object.q.ty
            && let Some(f) = self.destructor(id)
        {
            return self.call_member(f, Vec::new(), object, Vec::new(), span);
        }
        let e = self.discard(object);
        Ok(TypedExpr { e, q: Type::Void.q(), place: false, constant: None })
    }

    pub(super) fn no_copy(&self, id: StructId, span: Span) -> Box<Diagnostic> {
        let name = self.show(&Type::Struct(id).q());
        let text = format!("`{name}` has a destructor, but no constructor that copies");
        Box::new(Diagnostic::error(span, text).help(
            "pass a reference or a pointer: two objects would have what the destructor ends once",
        ))
    }

    /// An object with a destructor that nobody names would end without it.
    pub(super) fn check_temporary(&self, ty: &Type, span: Span) -> SemaResult<()> {
        if !self.is_destroyed(ty) {
            return Ok(());
        }
        let name = self.show(&ty.clone().q());
        Err(Box::new(
            Diagnostic::error(
                span,
                format!("a `{name}` without a name would need its destructor here"),
            )
            .help(
                "give it a name: objects with a destructor are variables, members or made by `new`",
            ),
        ))
    }
}
