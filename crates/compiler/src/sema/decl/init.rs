//! Initial values of variables: scalars, arrays, classes, with and without inner braces.

use std::rc::Rc;

use crate::ast::{self, Init, InitItem};
use crate::diag::Diagnostic;
use crate::hir::{self, ExprKind, StructId};
use crate::sema::expr::fold;
use crate::sema::types::{QualType, Type};
use crate::sema::{Sema, SemaResult, TypedExpr, fail};
use crate::source::Span;

impl Sema<'_> {
    /// Value of an initialiser for something of type `q`.
    pub(in crate::sema) fn init_value(
        &mut self,
        q: &QualType,
        init: &Init,
        span: Span,
    ) -> SemaResult<Option<hir::Expr>> {
        match init {
            Init::None => Ok(None),
            Init::Assign(e) => {
                if let (Type::Array(elem, n), ast::ExprKind::Str(bytes)) = (&q.ty, &e.kind) {
                    return self.string_array(q, elem, *n, bytes, e.span).map(Some);
                }
                let ex = self.expr(e)?;
                if matches!(ex.q.ty, Type::Void) {
                    return fail(e.span, "this call returns nothing that a variable could hold");
                }
                self.init_from(ex, q, e.span).map(Some)
            }
            Init::Paren(args) => {
                if let Type::Struct(id) = &q.ty {
                    let id = *id;
                    return self.construct_ast(id, args, span).map(Some);
                }
                match &args[..] {
                    [] => self.zero(q, span).map(Some),
                    [e] => {
                        let ex = self.expr(e)?;
                        self.init_from(ex, q, e.span).map(Some)
                    }
                    _ => fail(span, format!("`{}` is made from one value", self.show(q))),
                }
            }
            Init::Brace(list) => {
                let ast::ExprKind::Init(items) = &list.kind else {
                    return fail(list.span, "a list in braces is expected");
                };
                self.brace_value(q, items, list.span).map(Some)
            }
        }
    }

    fn init_from(&mut self, ex: TypedExpr, q: &QualType, span: Span) -> SemaResult<hir::Expr> {
        if matches!(q.ty, Type::Array(..)) {
            return Err(Box::new(
                Diagnostic::error(span, "an array is initialised by a list in braces")
                    .help("write `= {...}`"),
            ));
        }
        self.convert(ex, &q.plain(), span)
    }

    fn string_array(
        &mut self,
        q: &QualType,
        elem: &Rc<QualType>,
        n: Option<u64>,
        bytes: &[u8],
        span: Span,
    ) -> SemaResult<hir::Expr> {
        let ty = self.machine(&elem.ty);
        if self.module.size_of(&ty) != 1 {
            return fail(span, "a string initialises an array of `char`");
        }
        let n = n.unwrap_or(bytes.len() as u64 + 1);
        if (bytes.len() as u64) >= n + u64::from(n == bytes.len() as u64) && bytes.len() as u64 >= n
        {
            return fail(
                span,
                format!(
                    "the string with its end needs {} bytes, but the array has {n}",
                    bytes.len() + 1
                ),
            );
        }
        self.charge(n, span)?;
        let list = (0..n as usize)
            .map(|i| {
                let v = fold::wrap(u64::from(bytes.get(i).copied().unwrap_or(0)), &ty);
                hir::Expr { kind: ExprKind::Int(v), ty: ty.clone(), span }
            })
            .collect();
        Ok(hir::Expr { kind: ExprKind::Aggregate(list), ty: self.machine(&q.ty), span })
    }

    /// `T x[] = {...}`: the length comes from the list.
    pub(in crate::sema) fn fix_array_length(
        &mut self,
        q: &mut QualType,
        init: &Init,
    ) -> SemaResult<()> {
        let Type::Array(elem, None) = &q.ty else { return Ok(()) };
        let n = match init {
            Init::Brace(ast::Expr { kind: ast::ExprKind::Init(items), .. }) => {
                let nested = items.iter().all(|i| {
                    matches!(i.value.kind, ast::ExprKind::Init(_) | ast::ExprKind::Construct { .. })
                });
                let per = if nested { 1 } else { self.scalars(&elem.ty) }.max(1);
                let (mut next, mut n) = (0u64, 0);
                for item in items {
                    if let Some(index) = &item.index {
                        next = self.constant_integer(index, "the number of an element")?.0 * per;
                    }
                    next = next.saturating_add(1);
                    n = n.max(next.div_ceil(per));
                }
                n
            }
            Init::Assign(ast::Expr { kind: ast::ExprKind::Str(b), .. }) => b.len() as u64 + 1,
            _ => return Ok(()),
        };
        if n == 0 {
            return Ok(());
        }
        q.ty = Type::Array(elem.clone(), Some(n));
        Ok(())
    }

    /// Number of plain values that fill the type when inner braces are left out.
    fn scalars(&self, t: &Type) -> u64 {
        match t {
            Type::Array(e, n) => n.unwrap_or(1).saturating_mul(self.scalars(&e.ty)),
            _ => 1,
        }
    }

    fn brace_value(
        &mut self,
        q: &QualType,
        items: &[InitItem],
        span: Span,
    ) -> SemaResult<hir::Expr> {
        match &q.ty {
            Type::Struct(id) => {
                let id = *id;
                self.complete(id, span)?;
                if self.has_ctors(id) {
                    let list: Vec<ast::Expr> = items.iter().map(|i| i.value.clone()).collect();
                    return self.construct_ast(id, &list, span);
                }
                // `S a{b}` and `S a = {b}` copy.
                if let [InitItem { field: None, index: None, value }] = items
                    && !matches!(value.kind, ast::ExprKind::Init(_))
                {
                    let first =
                        self.structs[id.0 as usize].fields.first().map(|f| f.ty.q.ty.clone());
                    if !matches!(first, Some(Type::Array(..))) {
                        let ex = self.expr(value)?;
                        if matches!(ex.q.ty, Type::Struct(x) if self.base_path(x, id).is_some()) {
                            return self.convert(ex, &q.plain(), span);
                        }
                    }
                }
                let mut at = 0;
                let e = self.aggregate(id, items, &mut at, true, span)?;
                self.all_used(items, at, q)?;
                Ok(e)
            }
            Type::Array(..) => {
                if let (
                    Type::Array(elem, n),
                    [
                        InitItem {
                            field: None,
                            index: None,
                            value: ast::Expr { kind: ast::ExprKind::Str(b), span: s },
                        },
                    ],
                ) = (&q.ty, items)
                    && matches!(elem.ty, Type::Int(_))
                {
                    return self.string_array(q, elem, *n, b, *s);
                }
                let mut at = 0;
                let e = self.array(q, items, &mut at, true, span)?;
                self.all_used(items, at, q)?;
                Ok(e)
            }
            _ => match items {
                [] => self.zero(q, span),
                [InitItem { field: None, index: None, value }] => {
                    if let ast::ExprKind::Init(inner) = &value.kind {
                        return self.brace_value(q, inner, value.span);
                    }
                    let ex = self.expr(value)?;
                    self.convert(ex, &q.plain(), value.span)
                }
                _ => fail(
                    span,
                    format!(
                        "`{}` is initialised by one value, but here are {}",
                        self.show(q),
                        items.len()
                    ),
                ),
            },
        }
    }

    fn all_used(&self, items: &[InitItem], used: usize, q: &QualType) -> SemaResult<()> {
        match items.get(used) {
            None => Ok(()),
            Some(extra) => Err(Box::new(
                Diagnostic::error(
                    extra.value.span,
                    format!("too many initial values for `{}`", self.show(q)),
                )
                .label("no room for this one"),
            )),
        }
    }

    /// Takes what one element of type `q` needs off the list.
    fn element(
        &mut self,
        q: &QualType,
        items: &[InitItem],
        at: &mut usize,
        span: Span,
    ) -> SemaResult<hir::Expr> {
        self.charge(1, span)?;
        let Some(item) = items.get(*at) else { return self.zero_or_default(q, span) };
        if let ast::ExprKind::Init(inner) = &item.value.kind {
            *at += 1;
            return self.brace_value(q, inner, item.value.span);
        }
        match &q.ty {
            Type::Array(elem, n) => {
                if let ast::ExprKind::Str(b) = &item.value.kind {
                    *at += 1;
                    return self.string_array(q, elem, *n, b, item.value.span);
                }
                self.array(q, items, at, false, span)
            }
            Type::Struct(id) => {
                let id = *id;
                let ex = self.expr(&item.value)?;
                let fits = matches!(ex.q.ty, Type::Struct(x) if self.base_path(x, id).is_some())
                    || self.has_ctors(id);
                if fits {
                    *at += 1;
                    return self.convert(ex, &q.plain(), item.value.span);
                }
                self.aggregate(id, items, at, false, span)
            }
            _ => {
                *at += 1;
                let ex = self.expr(&item.value)?;
                self.convert(ex, &q.plain(), item.value.span)
            }
        }
    }

    fn zero_or_default(&mut self, q: &QualType, span: Span) -> SemaResult<hir::Expr> {
        match &q.ty {
            Type::Struct(id) if self.has_ctors(*id) || self.has_defaults(*id) => {
                let id = *id;
                self.construct(id, Vec::new(), span)
            }
            _ => self.zero(q, span),
        }
    }

    fn array(
        &mut self,
        q: &QualType,
        items: &[InitItem],
        at: &mut usize,
        own_braces: bool,
        span: Span,
    ) -> SemaResult<hir::Expr> {
        let Type::Array(elem, n) = &q.ty else { return fail(span, "not an array") };
        let (elem, n) = (elem.clone(), n.unwrap_or(0));
        self.charge(n, span)?;
        let mut given: Vec<Option<hir::Expr>> = vec![None; n as usize];
        let mut next = 0;
        while let Some(item) = items.get(*at) {
            if item.field.is_some() {
                return fail(item.value.span, "elements of an array have no names");
            }
            if let Some(index) = &item.index {
                if !own_braces {
                    break;
                }
                next = self.constant_integer(index, "the number of an element")?.0;
            }
            let Some(slot) = given.get_mut(next as usize) else { break };
            *slot = None;
            given[next as usize] = Some(self.element(&elem, items, at, span)?);
            next += 1;
        }
        let rest = match given.iter().any(Option::is_none) {
            true => Some(self.zero_or_default(&elem, span)?),
            false => None,
        };
        let list = given.into_iter().filter_map(|e| e.or_else(|| rest.clone())).collect();
        Ok(hir::Expr { kind: ExprKind::Aggregate(list), ty: self.machine(&q.ty), span })
    }

    fn aggregate(
        &mut self,
        id: StructId,
        items: &[InitItem],
        at: &mut usize,
        own_braces: bool,
        span: Span,
    ) -> SemaResult<hir::Expr> {
        let fields = self.structs[id.0 as usize].fields.clone();
        let is_union = self.module.structs[id.0 as usize].is_union;
        let mut list = Vec::new();
        for (k, f) in fields.iter().enumerate() {
            if is_union && k > 0 {
                break;
            }
            let named = items.get(*at).and_then(|i| i.field.as_ref());
            let take = match named {
                Some((name, s)) => {
                    if !fields.iter().any(|f| f.name == *name) {
                        return fail(
                            *s,
                            format!(
                                "`{}` has no member `{name}`",
                                self.module.structs[id.0 as usize].name
                            ),
                        );
                    }
                    if !own_braces {
                        return fail(*s, "a member name needs the braces of its class");
                    }
                    *name == f.name
                }
                None => *at < items.len() && !f.name.starts_with("$pad"),
            };
            let value = if take {
                if f.ty.by_ref {
                    let item = &items[*at];
                    *at += 1;
                    let ex = self.expr(&item.value)?;
                    self.bind_reference(ex, &f.ty, item.value.span)?
                } else {
                    self.element(&f.ty.q.clone(), items, at, span)?
                }
            } else {
                match self.member_default(id, f)? {
                    Some(v) => v,
                    None if f.ty.by_ref => {
                        return fail(span, format!("the reference `{}` needs a value", f.name));
                    }
                    None => self.zero_or_default(&f.ty.q.clone(), span)?,
                }
            };
            list.push(value);
        }
        if let Some((name, s)) = items.get(*at).and_then(|i| i.field.as_ref())
            && own_braces
        {
            if is_union {
                return fail(*s, "only the first member of a union can be initialised");
            }
            return fail(*s, format!("the member `{name}` stands in the wrong order"));
        }
        Ok(hir::Expr { kind: ExprKind::Aggregate(list), ty: hir::Ty::Struct(id), span })
    }
}
