//! Pointers to functions: numbers of the functions whose addresses are taken. A call through one
//! that is not known while compiling goes through a function that compares the number.

use std::rc::Rc;

use crate::ast::{self, Body, Name};
use crate::diag::Diagnostic;
use crate::hir::{
    self, Builtin, CmpOp, ExprKind, FuncId, Local, LocalId, Stmt, StmtKind, Storage, StructId, Ty,
};
use crate::sema::expr::call::Arg;
use crate::sema::types::{FnTy, QualType, Type, VarTy};
use crate::sema::{Entity, FnDecl, FnIdx, Instance, Sema, SemaResult, TypedExpr, fail};
use crate::source::Span;

/// What the run-time check says of a pointer that means no function.
const NO_FUNCTION: &str = "the pointer holds the address of a device function of this type";

impl Sema<'_> {
    /// The type of pointers to such a function.
    pub(in crate::sema) fn function_type(&mut self, f: &ast::FuncTy) -> SemaResult<Type> {
        let mut params = Vec::with_capacity(f.params.len());
        for p in &f.params {
            let mut v = self.var_ty(&p.ty)?;
            if let (Type::Array(elem, _), false) = (&v.q.ty, v.by_ref) {
                v.q = Type::Ptr(elem.clone()).q();
            }
            if !v.by_ref {
                v.q = v.q.plain();
            }
            params.push(v);
        }
        let ret = self.var_ty(&f.ret)?;
        Ok(Type::Func(Rc::new(FnTy { params, ret })))
    }

    /// The address of the function that a name means.
    pub(in crate::sema) fn function_value(
        &mut self,
        list: &[FnIdx],
        n: &Name,
    ) -> SemaResult<TypedExpr> {
        let (span, id) = (n.span, n.last().id.clone());
        let of_device = |me: &Self, f: &FnIdx| {
            let d = &me.funcs[*f];
            let member = d.owner.is_some() && !d.ast.specs.is_static;
            !member && !d.ast.specs.global && !matches!(d.ast.body, Body::Host | Body::Deleted)
        };
        let list: Vec<FnIdx> = list.iter().copied().filter(|f| of_device(self, f)).collect();
        let mut found: Vec<Rc<Instance>> = Vec::new();
        match &n.last().args {
            Some(args) => {
                let explicit = self.template_values(&args.clone())?;
                for f in &list {
                    if !self.funcs[*f].ast.is_template {
                        continue;
                    }
                    let Some(f) = self.unpacked(*f, &explicit, &[]) else { continue };
                    let params = Rc::new(self.funcs[f].ast.template.clone());
                    let scope = self.funcs[f].scope;
                    if let Ok(full) = self.complete_targs(&params, &explicit, scope, span, &id) {
                        found.push(self.instance(f, full, span)?);
                    }
                }
            }
            None => {
                for f in &list {
                    if !self.funcs[*f].ast.is_template {
                        found.push(self.instance(*f, Vec::new(), span)?);
                    }
                }
            }
        }
        let [inst] = &found[..] else {
            let d = match found.len() {
                0 => Diagnostic::error(
                    span,
                    format!("`{id}` has no address that device code could take"),
                )
                .help(format!(
                    "it must be {}; of a template write the arguments",
                    self.words().function
                )),
                _ => Diagnostic::error(span, format!("`{id}` names several functions"))
                    .help("give the one that is meant a name of its own"),
            };
            return Err(Box::new(d));
        };
        self.address_of(inst, None, span)
    }

    /// The address of this function, of a member function with the type of its object.
    pub(in crate::sema) fn address_of(
        &mut self,
        inst: &Rc<Instance>,
        object: Option<QualType>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let ret = self.result_type(inst, span)?;
        let plain = |v: &VarTy| match v.by_ref {
            true => v.clone(),
            false => v.q.plain().value(),
        };
        let method = object.is_some();
        let this = object.map(|q| Type::Ptr(Rc::new(q)).q().value());
        let params = this.into_iter().chain(inst.sig.params.iter().map(plain)).collect();
        let ty = Rc::new(FnTy { params, ret });
        let func = inst.func;
        let at = self.addressed.iter().position(|a| a.0 == func).unwrap_or_else(|| {
            self.addressed.push((func, ty.clone()));
            self.addressed.len() - 1
        });
        let ty = if method { Type::Method(ty) } else { Type::Func(ty) };
        Ok(self.value(ExprKind::Int(at as u64 + 1), ty.q(), span))
    }

    /// The address of the function that a lambda is which captures nothing, as a pointer to
    /// functions of type `want` or, without it, of its own type; `None` if it has none.
    pub(in crate::sema) fn lambda_address(
        &mut self,
        id: StructId,
        want: Option<&FnTy>,
        span: Span,
    ) -> SemaResult<Option<TypedExpr>> {
        let info = &self.structs[id.0 as usize];
        if &*info.plain != "(lambda)" || !info.fields.is_empty() {
            return Ok(None);
        }
        let scope = info.scope;
        let known = self.lookup_in(scope, "$function");
        let Some(Entity::Funcs(list)) = known.or_else(|| self.lookup_in(scope, "operator()"))
        else {
            return Ok(None);
        };
        let mut f = list[0];
        if !self.funcs[f].ast.specs.is_static {
            // The same without an object.
            let d = &self.funcs[f];
            let mut ast = (*d.ast).clone();
            ast.specs.is_static = true;
            let (sig, owner) = (d.sig.clone(), d.owner);
            f = self.funcs.len();
            let (ast, special) = (Rc::new(ast), Vec::new());
            self.funcs.push(FnDecl { ast, scope, owner, sig, special, extern_c: false });
            self.scopes[scope].names.insert("$function".into(), Entity::Funcs(Rc::new(vec![f])));
        }
        let types = |p: &VarTy| Some((p.q.clone(), p.by_ref));
        let types: Vec<_> = want.iter().flat_map(|w| w.params.iter().map(types)).collect();
        let targs = match (self.funcs[f].ast.is_template, want) {
            (false, _) => Vec::new(),
            (true, None) => return Ok(None),
            (true, Some(_)) => {
                let Some(made) = self.unpacked(f, &[], &types) else { return Ok(None) };
                f = made;
                match self.deduced_signature(f, &[], &types, span) {
                    Some((targs, _)) => targs,
                    None => return Ok(None),
                }
            }
        };
        let inst = self.instance(f, targs, span)?;
        let address = self.address_of(&inst, None, span)?;
        let same = |want: &FnTy| matches!(&address.q.ty, Type::Func(f) if **f == *want);
        Ok(want.is_none_or(same).then_some(address))
    }

    /// Calls what the pointer `object` means.
    pub(in crate::sema) fn call_address(
        &mut self,
        object: TypedExpr,
        ty: &Rc<FnTy>,
        args: Vec<Arg>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let pointer = self.load_value(object)?;
        if args.len() != ty.params.len() {
            let (shown, object) = (self.show(&pointer.q), matches!(pointer.q.ty, Type::Method(_)));
            let (want, given) = (ty.params.len(), args.len());
            let (want, given) = if object { (want - 1, given - 1) } else { (want, given) };
            return fail(span, format!("`{shown}` takes {want} argument(s), not {given}"));
        }
        let mut list = Vec::with_capacity(args.len() + 1);
        for (a, p) in args.into_iter().zip(&ty.params) {
            let at = a.span();
            list.push(self.argument(a, p, at)?);
        }
        let known = self.fold_int(&pointer.e).and_then(|n| {
            let at = usize::try_from(n).ok()?.checked_sub(1)?;
            self.addressed.get(at).map(|a| a.0)
        });
        let func = match known {
            Some(func) => func,
            None => {
                list.insert(0, pointer.e);
                self.dispatcher(ty, span)
            }
        };
        let e = hir::Expr { kind: ExprKind::Call(func, list), ty: self.var_machine(&ty.ret), span };
        if ty.ret.by_ref {
            return Ok(self.place(ExprKind::Deref(Box::new(e)), ty.ret.q.clone(), span));
        }
        Ok(TypedExpr { e, q: ty.ret.q.plain(), place: false, constant: None })
    }

    /// The function that calls what its first argument means.
    fn dispatcher(&mut self, ty: &Rc<FnTy>, span: Span) -> FuncId {
        if let Some(f) = self.dispatchers.get(ty) {
            return *f;
        }
        let (name, ret) = (self.show(&Type::Func(ty.clone()).q()), self.var_machine(&ty.ret));
        let id = self.forwarder(name, ("$function", Ty::U64), &ty.params, ret, span);
        self.dispatchers.insert(ty.clone(), id);
        id
    }

    /// A function that will pass its arguments on, by what is in `first`; its body is written once
    /// all functions are known that it may call.
    pub(in crate::sema) fn forwarder(
        &mut self,
        name: String,
        first: (&str, Ty),
        params: &[VarTy],
        ret: Ty,
        span: Span,
    ) -> FuncId {
        let local = |name: String, ty: Ty| Local {
            name,
            ty,
            storage: Storage::Auto,
            needs_memory: false,
            to_const: false,
            span,
            scope: span,
        };
        let mut locals = vec![local(first.0.into(), first.1)];
        for (k, p) in params.iter().enumerate() {
            locals.push(local(format!("$argument{k}"), self.var_machine(p)));
        }
        let id = FuncId(self.module.functions.len() as u32);
        self.module.functions.push(hir::Function {
            name,
            kernel: None,
            param_count: locals.len() as u32,
            ret,
            locals,
            body: Vec::new(),
            span,
        });
        id
    }

    /// Now that all addresses are known: the bodies of the dispatchers.
    pub(in crate::sema) fn fill_dispatchers(&mut self) {
        for (ty, id) in &self.dispatchers {
            let f = &self.module.functions[id.0 as usize];
            let span = f.span;
            let expr = |kind, ty: Ty| hir::Expr { kind, ty, span };
            let load = |k: u32, ty: &Ty| {
                let place = expr(ExprKind::Local(LocalId(k)), ty.clone());
                expr(ExprKind::Load(Box::new(place)), ty.clone())
            };
            let mut body = Vec::new();
            for (at, (target, other)) in self.addressed.iter().enumerate() {
                if other != ty {
                    continue;
                }
                let number = expr(ExprKind::Int(at as u64 + 1), Ty::U64);
                let cmp = ExprKind::Cmp(CmpOp::Eq, Box::new(load(0, &Ty::U64)), Box::new(number));
                let args = f.locals.iter().enumerate().skip(1);
                let args = args.map(|(k, l)| load(k as u32, &l.ty)).collect();
                let call = expr(ExprKind::Call(*target, args), f.ret.clone());
                let stmt = |kind| Stmt { kind, span };
                let then = match f.ret {
                    Ty::Void => vec![stmt(StmtKind::Expr(call)), stmt(StmtKind::Return(None))],
                    _ => vec![stmt(StmtKind::Return(Some(call)))],
                };
                let kind = StmtKind::If { cond: expr(cmp, Ty::Bool), then, els: Vec::new() };
                body.push(stmt(kind));
            }
            body.extend(never(NO_FUNCTION, &f.ret, span));
            self.module.functions[id.0 as usize].body = body;
        }
    }

    /// A template argument that is a value: an integer or a function.
    pub(in crate::sema) fn constant_argument(&mut self, e: &ast::Expr) -> SemaResult<(u64, Type)> {
        if let ast::ExprKind::Name(n) = &e.kind
            && let Some((Entity::Funcs(list), _)) = self.resolve(n)?
        {
            let ex = self.function_value(&list, n)?;
            let ExprKind::Int(v) = ex.e.kind else { return fail(e.span, "not a function") };
            return Ok((v, ex.q.ty));
        }
        if let ast::ExprKind::Unary("&", inner) = &e.kind
            && let ast::ExprKind::Name(n) = &inner.kind
        {
            if let Some(member) = self.member_pointer(n)? {
                let ExprKind::Int(v) = member.e.kind else { return fail(e.span, "not a member") };
                return Ok((v, member.q.ty));
            }
            return self.constant_argument(inner);
        }
        if let Some(values) = objects_as_values(e) {
            return self.constant_integer(&values, "a template argument");
        }
        let ex = self.expr(e).and_then(|x| self.load_value(x))?;
        if self.null_literal(&ex) {
            return Ok((0, ex.q.ty));
        }
        if ex.q.ty.is_code()
            && let Some(v) = self.fold_int(&ex.e)
        {
            return Ok((v, ex.q.ty));
        }
        self.constant_integer(e, "a template argument")
    }
}

/// `is_same<A, B>{}` as `is_same<A, B>::value`, also under `!`, `&&` and `||`: what the conversion
/// of such an object gives. `None` if there is none.
fn objects_as_values(e: &ast::Expr) -> Option<ast::Expr> {
    let kind = match &e.kind {
        ast::ExprKind::Construct { ty, args, .. } => {
            let empty = |a: &ast::Expr| matches!(&a.kind, ast::ExprKind::Init(l) if l.is_empty());
            let ast::TyKind::Name(class) = &ty.kind else { return None };
            if !args.iter().all(empty) || class.last().args.is_none() {
                return None;
            }
            let mut name = class.clone();
            name.parts.push(ast::Part { id: "value".into(), args: None, span: e.span });
            ast::ExprKind::Name(name)
        }
        ast::ExprKind::Unary("!", of) => {
            ast::ExprKind::Unary("!", Box::new(objects_as_values(of)?))
        }
        ast::ExprKind::Binary(op @ ("&&" | "||"), a, b) => {
            let (left, right) = (objects_as_values(a), objects_as_values(b));
            if left.is_none() && right.is_none() {
                return None;
            }
            let left = Box::new(left.unwrap_or_else(|| (**a).clone()));
            let right = Box::new(right.unwrap_or_else(|| (**b).clone()));
            ast::ExprKind::Binary(op, left, right)
        }
        _ => return None,
    };
    Some(ast::Expr { kind, span: e.span })
}

/// A check that never holds, at the end of a function with the result `ret`.
pub(in crate::sema) fn never(text: &str, ret: &Ty, span: Span) -> Vec<Stmt> {
    let expr = |kind, ty: Ty| hir::Expr { kind, ty, span };
    let stmt = |e| Stmt { kind: StmtKind::Expr(e), span };
    let never = expr(ExprKind::Int(0), Ty::Bool);
    let text = expr(ExprKind::Str(text.into()), Ty::I8.ptr());
    let check = ExprKind::Builtin(Builtin::Assert, vec![never, text]);
    let mut out = vec![stmt(expr(check, Ty::Void))];
    if *ret != Ty::Void {
        out.push(stmt(expr(ExprKind::Builtin(Builtin::Trap, Vec::new()), Ty::Void)));
    }
    out
}
