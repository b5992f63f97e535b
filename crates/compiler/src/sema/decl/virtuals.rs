//! Virtual functions. An object of a class that has one carries the number of its class, which its
//! constructor stores; a virtual call goes through a function that compares the number.

use std::rc::Rc;

use crate::ast::{Body, Ident};
use crate::hir::{self, BinOp, CmpOp, ExprKind, LocalId, Stmt, StmtKind, StructId, Ty};
use crate::order;
use crate::sema::expr::fnptr;
use crate::sema::types::Type;
use crate::sema::{Entity, FnDecl, FnIdx, Instance, Sema, TypedExpr};
use crate::source::Span;

/// The member that holds the number of an object's class.
pub(in crate::sema) const CLASS: &str = "$class";

/// What the run-time check says of a number that is none.
const NO_CLASS: &str = "the object has been made by a constructor, and its class has this function";

/// The number that objects of a class carry.
pub(in crate::sema) fn number(id: StructId) -> u64 {
    u64::from(id.0) + 1
}

impl Sema<'_> {
    /// Objects of the class carry its number.
    pub(in crate::sema) fn is_polymorphic(&self, id: StructId) -> bool {
        self.find_field(id, CLASS).is_some()
    }

    /// The virtual function that `idx` is or overrides, as it is declared first.
    pub(in crate::sema) fn virtual_root(&self, idx: FnIdx) -> Option<FnIdx> {
        let f = &self.funcs[idx];
        let owner = f.owner.filter(|o| !f.ast.is_ctor && self.is_polymorphic(*o))?;
        let of_base = self.structs[owner.0 as usize]
            .bases
            .iter()
            .find_map(|b| self.virtual_root(self.overrider(*b, idx)?));
        of_base.or(f.ast.specs.is_virtual.then_some(idx))
    }

    /// The function that stands for `like` in objects of a class: its own, or that of a base.
    fn overrider(&self, class: StructId, like: FnIdx) -> Option<FnIdx> {
        let info = &self.structs[class.0 as usize];
        let wanted = &self.funcs[like];
        let same = |f: &FnIdx| {
            let f = &self.funcs[*f];
            let params = |d: &FnDecl| d.sig.as_ref().map(|s| s.params.clone());
            f.ast.is_const == wanted.ast.is_const && params(f) == params(wanted)
        };
        let id: Ident = wanted.ast.name.last().id.clone();
        let own = match self.scopes[info.scope].names.get(&id) {
            Some(Entity::Funcs(list)) => list.iter().copied().find(same),
            _ => None,
        };
        own.or_else(|| info.bases.iter().find_map(|b| self.overrider(*b, like)))
    }

    /// The object is known only by its address, so that its class may be a derived one.
    pub(in crate::sema) fn is_indirect(&self, this: &TypedExpr) -> bool {
        this.place && matches!(this.e.kind, ExprKind::Deref(_))
    }

    /// The function that calls what `root` is in the object at hand.
    pub(in crate::sema) fn virtual_instance(&mut self, root: FnIdx) -> Option<Rc<Instance>> {
        if let Some(known) = self.virtuals.get(&root) {
            return Some(known.clone());
        }
        let f = &self.funcs[root];
        let (owner, sig, span) = (f.owner?, (**f.sig.as_ref()?).clone(), f.ast.span);
        let name = f.ast.name.last().id.clone();
        let ret = self.var_machine(sig.ret.as_ref()?);
        let class = &self.module.structs[owner.0 as usize].name;
        let name = format!("{class}::{name}");
        let this = Ty::Struct(owner).ptr();
        let func = self.forwarder(name, ("this", this), &sig.params, ret, span);
        let inst = Rc::new(Instance { func, sig });
        self.virtuals.insert(root, inst.clone());
        Some(inst)
    }

    /// Types all functions that virtual calls may reach, and writes the bodies of the calls.
    pub(in crate::sema) fn fill_virtuals(&mut self) {
        loop {
            let before = (self.virtuals.len(), self.instances.len());
            let mut roots: Vec<FnIdx> = self.virtuals.keys().copied().collect();
            order::sort(&mut roots);
            for root in roots {
                self.fill_virtual(root);
            }
            self.bodies();
            if self.errors() > 0 || before == (self.virtuals.len(), self.instances.len()) {
                return;
            }
        }
    }

    fn fill_virtual(&mut self, root: FnIdx) {
        let Some(owner) = self.funcs[root].owner else { return };
        let inst = self.virtuals[&root].clone();
        let span = self.funcs[root].ast.span;
        let this = self.module.functions[inst.func.0 as usize].locals[0].ty.clone();
        let ret = self.module.functions[inst.func.0 as usize].ret.clone();
        let expr = |kind, ty: Ty| hir::Expr { kind, ty, span };
        let load = |k: usize, ty: &Ty| {
            let place = expr(ExprKind::Local(LocalId(k as u32)), ty.clone());
            expr(ExprKind::Load(Box::new(place)), ty.clone())
        };
        let object = expr(ExprKind::Deref(Box::new(load(0, &this))), Ty::Struct(owner));
        let object =
            TypedExpr { e: object, q: Type::Struct(owner).q(), place: true, constant: None };
        let Some(path) = self.find_field(owner, CLASS) else { return };
        let Ok(tag) = self.walk(object, &path, span).and_then(|x| self.load_value(x)) else {
            return;
        };
        let mut body = Vec::new();
        for k in 0..self.structs.len() {
            let class = StructId(k as u32);
            let Some(to_root) = self.base_path(class, owner) else { continue };
            if !self.structs[k].complete || !self.is_made(class) {
                continue;
            }
            let Some(f) = self.overrider(class, root) else { continue };
            let (Some(at), Body::Block(_)) = (self.funcs[f].owner, &self.funcs[f].ast.body) else {
                continue;
            };
            let Some(to_owner) = self.base_path(class, at) else { continue };
            let target = match self.instance(f, Vec::new(), span) {
                Ok(target) => target.func,
                Err(d) => return self.report(*d),
            };
            let delta = self.offset(class, &to_owner) - self.offset(class, &to_root);
            let me = self.moved(load(0, &this), delta, &Ty::Struct(at).ptr());
            let locals = &self.module.functions[inst.func.0 as usize].locals;
            let rest = locals.iter().enumerate().skip(1).map(|(k, l)| load(k, &l.ty));
            let args = std::iter::once(me).chain(rest).collect();
            let call = expr(ExprKind::Call(target, args), ret.clone());
            let wanted = expr(ExprKind::Int(number(class)), Ty::U64);
            let cmp = ExprKind::Cmp(CmpOp::Eq, Box::new(tag.e.clone()), Box::new(wanted));
            let stmt = |kind| Stmt { kind, span };
            let then = match ret {
                Ty::Void => vec![stmt(StmtKind::Expr(call)), stmt(StmtKind::Return(None))],
                _ => vec![stmt(StmtKind::Return(Some(call)))],
            };
            let cond = expr(cmp, Ty::Bool);
            body.push(stmt(StmtKind::If { cond, then, els: Vec::new() }));
        }
        body.extend(fnptr::never(NO_CLASS, &ret, span));
        self.module.functions[inst.func.0 as usize].body = body;
    }

    /// Some constructor of the class is called somewhere.
    fn is_made(&self, class: StructId) -> bool {
        let ctors = &self.structs[class.0 as usize].ctors;
        self.instances.keys().any(|(f, _)| ctors.contains(f) || self.is_template_of(*f, ctors))
    }

    /// `f` was made from one of these templates with packs.
    fn is_template_of(&self, f: FnIdx, ctors: &[FnIdx]) -> bool {
        self.packed.get(&f).is_some_and(|p| ctors.contains(&p.0))
    }

    /// Where a base lies in a class.
    fn offset(&self, class: StructId, path: &[u32]) -> i64 {
        let mut at = class;
        let mut sum = 0;
        for k in path {
            let field = &self.module.structs[at.0 as usize].fields[*k as usize];
            sum += field.offset as i64;
            if let Ty::Struct(id) = field.ty {
                at = id;
            }
        }
        sum
    }

    /// The address `delta` bytes further on, as a pointer of type `to`.
    fn moved(&self, pointer: hir::Expr, delta: i64, to: &Ty) -> hir::Expr {
        let span: Span = pointer.span;
        let expr = |kind, ty: Ty| hir::Expr { kind, ty, span };
        let cast = |e: hir::Expr, ty: &Ty| match e.ty == *ty {
            true => e,
            false => expr(ExprKind::Cast(Box::new(e)), ty.clone()),
        };
        if delta == 0 {
            return cast(pointer, to);
        }
        let bytes = expr(ExprKind::Int(delta as u64), Ty::U64);
        let number = Box::new(cast(pointer, &Ty::U64));
        let sum = expr(ExprKind::Binary(BinOp::Add, number, Box::new(bytes)), Ty::U64);
        cast(sum, to)
    }

    /// The statement of a constructor that gives an object the number of its class.
    pub(in crate::sema) fn class_number(
        &mut self,
        id: StructId,
        object: &TypedExpr,
        span: Span,
    ) -> Option<Stmt> {
        let path = self.find_field(id, CLASS)?;
        let place = self.walk(object.clone(), &path, span).ok()?.e;
        let value = hir::Expr { kind: ExprKind::Int(number(id)), ty: Ty::U64, span };
        let kind = ExprKind::Assign(Box::new(place), Box::new(value));
        Some(Stmt { kind: StmtKind::Expr(hir::Expr { kind, ty: Ty::U64, span }), span })
    }
}
