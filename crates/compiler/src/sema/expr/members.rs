//! Pointers to members: the distance of a data member in its class, the number of a member
//! function.

use std::rc::Rc;

use crate::ast::{self, Ident, Name};
use crate::diag::Diagnostic;
use crate::hir::{self, ExprKind, StructId};
use crate::sema::types::convert;
use crate::sema::types::{QualType, Type};
use crate::sema::{Entity, ScopeKind, Sema, SemaResult, TypedExpr, fail};
use crate::source::Span;

impl Sema<'_> {
    /// The type `to class::*`.
    pub(in crate::sema) fn member_type(
        &mut self,
        to: &ast::Ty,
        class: &ast::Ty,
    ) -> SemaResult<Type> {
        let Type::Struct(id) = self.ty(class)?.ty else {
            return fail(class.span, "a class is needed before `::*`");
        };
        let q = self.ty(to)?;
        let Type::Func(f) = &q.ty else { return Ok(Type::Member(Rc::new((id, q)))) };
        let mut f = (**f).clone();
        let object = QualType { is_const: to.is_const, ..Type::Struct(id).q() };
        f.params.insert(0, Type::Ptr(Rc::new(object)).q().value());
        Ok(Type::Method(Rc::new(f)))
    }

    /// `&S::x`, if `n` is such a member.
    pub(in crate::sema) fn member_pointer(&mut self, n: &Name) -> SemaResult<Option<TypedExpr>> {
        if n.parts.len() < 2 {
            return Ok(None);
        }
        let (span, name) = (n.span, &n.last().id);
        match self.resolve(n)? {
            Some((Entity::Field, scope)) => {
                let ScopeKind::Class(mut class) = self.scopes[scope].kind else { return Ok(None) };
                let mut path = self.find_field(class, name).unwrap_or_default();
                // The class is that base which has the member.
                while let ([first, _, ..], bases) =
                    (&path[..], &self.structs[class.0 as usize].bases)
                    && let Some(base) = bases.get(*first as usize)
                {
                    class = *base;
                    path.remove(0);
                }
                let object = Type::Struct(class).q();
                let whole = self.place(ExprKind::Int(0), object, span);
                let part = self.walk(whole, &path, span)?;
                if self.bit_field(&part.e).is_some() || matches!(part.e.kind, ExprKind::Deref(_)) {
                    return fail(span, "there are no pointers to bit-fields and references");
                }
                let distance = self.distance(&part.e).unwrap_or(0);
                let ty = Type::Member(Rc::new((class, part.q)));
                Ok(Some(self.value(ExprKind::Int(distance), ty.q(), span)))
            }
            Some((Entity::Funcs(list), _)) => {
                let member = |f: &&usize| {
                    self.funcs[**f].owner.is_some() && !self.funcs[**f].ast.specs.is_static
                };
                let (f, class) = match list.iter().filter(member).collect::<Vec<_>>()[..] {
                    [] => return Ok(None),
                    [f] if !self.funcs[*f].ast.is_template => (*f, self.funcs[*f].owner),
                    _ => {
                        let text = format!("`{name}` names several functions");
                        let d = Diagnostic::error(span, text);
                        return Err(Box::new(
                            d.help("give the one that is meant a name of its own"),
                        ));
                    }
                };
                let root = self.virtual_root(f).and_then(|root| self.virtual_instance(root));
                let inst = match root {
                    Some(inst) => inst,
                    None => self.instance(f, Vec::new(), span)?,
                };
                let class = class.unwrap_or(StructId(0));
                let is_const = self.funcs[f].ast.is_const;
                let object = QualType { is_const, ..Type::Struct(class).q() };
                self.address_of(&inst, Some(object), span).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// An object of type `q` is a `class`, or derived from it.
    pub(in crate::sema) fn part_of(
        &mut self,
        q: &QualType,
        class: StructId,
        span: Span,
    ) -> SemaResult<Vec<u32>> {
        let path = match q.ty {
            Type::Struct(id) => self.base_path(id, class),
            _ => None,
        };
        match path {
            Some(path) => Ok(path),
            None => {
                let name = &self.module.structs[class.0 as usize].name;
                fail(span, format!("`{name}` is needed, but this is `{}`", self.show(q)))
            }
        }
    }

    /// `object.*pointer`
    pub(in crate::sema) fn pointed_member(
        &mut self,
        object: TypedExpr,
        pointer: TypedExpr,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let Type::Member(m) = &pointer.q.ty else {
            let text = format!("`{}` is no pointer to a data member", self.show(&pointer.q));
            return Err(Box::new(Diagnostic::error(span, text).help(
                "a member is read by `object.*pointer`, a function called by `(object.*pointer)()`",
            )));
        };
        let m = m.clone();
        let path = self.part_of(&object.q, m.0, object.e.span)?;
        let object = self.walk(object, &path, span)?;
        if let Some(path) = self.fold_int(&pointer.e).and_then(|at| self.member_path(&m, at)) {
            return self.walk(object, &path, span);
        }
        let is_const = object.q.is_const || m.1.is_const;
        let address = match object.place {
            true => {
                self.mark_memory(&object.e);
                convert::address(object.e, span)
            }
            false => {
                let q = QualType::constant(object.q.ty.clone());
                self.bind_reference(object, &q.reference(), span)?
            }
        };
        let expr = |kind, ty| hir::Expr { kind, ty, span };
        let bytes = hir::Ty::I8.ptr();
        let first = expr(ExprKind::Cast(Box::new(address)), bytes.clone());
        let at = expr(ExprKind::PtrAdd(Box::new(first), Box::new(pointer.e)), bytes);
        let to = expr(ExprKind::Cast(Box::new(at)), self.machine(&m.1.ty).ptr());
        let q = QualType { is_const, ..m.1.clone() };
        Ok(self.place(ExprKind::Deref(Box::new(to)), q, span))
    }

    /// The way to the member of a class that a pointer means.
    fn member_path(&self, m: &(StructId, QualType), at: u64) -> Option<Vec<u32>> {
        let info = &self.structs[m.0.0 as usize];
        let layout = &self.module.structs[m.0.0 as usize];
        layout.fields.iter().zip(&info.fields).enumerate().find_map(|(k, (field, known))| {
            let at = at.checked_sub(field.offset)?;
            if at == 0 && field.bits.is_none() && !known.ty.by_ref && known.ty.q.ty == m.1.ty {
                return Some(vec![k as u32]);
            }
            // In a base, or a union or struct without a name.
            match known.ty.q.ty {
                Type::Struct(id) if known.name.starts_with('$') => {
                    let mut path = self.member_path(&(id, m.1.clone()), at)?;
                    path.insert(0, k as u32);
                    Some(path)
                }
                _ => None,
            }
        })
    }

    /// Class and name of the member that a pointer means.
    pub(in crate::sema) fn member_at(
        &self,
        m: &(StructId, QualType),
        at: u64,
    ) -> Option<(StructId, Ident)> {
        let mut class = m.0;
        let path = self.member_path(m, at)?;
        for k in path {
            let field = &self.structs[class.0 as usize].fields[k as usize];
            match field.ty.q.ty {
                Type::Struct(id) if field.name.starts_with('$') => class = id,
                _ => return Some((class, field.name.clone())),
            }
        }
        None
    }
}
