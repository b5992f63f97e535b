//! Looking names up, and types as written to types.

use std::rc::Rc;

use super::decl::packs::Rewrite;
use super::types::{QualType, Type, VarTy};
use super::{Entity, ScopeId, ScopeKind, Sema, SemaResult, TemplateArg, fail};
use crate::ast::{self, Ident, Name, TArg, TyKind};
use crate::builtins;
use crate::diag::{About, Diagnostic, MAX_ERRORS};
use crate::hir::StructId;
use crate::language::{Language, OpenClVersion};
use crate::order;
use crate::source::Span;
use crate::suggest::nearest;

impl Sema<'_> {
    /// `id` in `scope` itself: members of bases and of used namespaces included.
    pub(super) fn lookup_in(&self, scope: ScopeId, id: &str) -> Option<Entity> {
        self.lookup_in_depth(scope, id, 0)
    }

    fn lookup_in_depth(&self, scope: ScopeId, id: &str, depth: usize) -> Option<Entity> {
        if depth > 16 {
            return None;
        }
        let s = &self.scopes[scope];
        if let Some(e) = s.names.get(id) {
            return Some(e.clone());
        }
        if let ScopeKind::Class(sid) = s.kind {
            for base in &self.structs[sid.0 as usize].bases {
                // Fields of bases are found by `find_field`, which knows the way to them.
                match self.lookup_in_depth(self.structs[base.0 as usize].scope, id, depth + 1) {
                    Some(Entity::Field) | None => {}
                    found => return found,
                }
            }
        }
        s.using.iter().find_map(|u| self.lookup_in_depth(*u, id, depth + 1))
    }

    /// `id` from `scope` outwards, with the scope it was found in.
    pub(super) fn lookup(&self, scope: ScopeId, id: &str) -> Option<(Entity, ScopeId)> {
        let mut at = Some(scope);
        while let Some(s) = at {
            if let Some(e) = self.lookup_in(s, id) {
                return Some((e, s));
            }
            if let ScopeKind::Class(sid) = self.scopes[s].kind
                && self.find_field(sid, id).is_some()
            {
                return Some((Entity::Field, s));
            }
            at = self.scopes[s].parent;
        }
        None
    }

    /// The way to the member `id` of a class: member numbers, through bases.
    pub(super) fn find_field(&self, sid: StructId, id: &str) -> Option<Vec<u32>> {
        let info = &self.structs[sid.0 as usize];
        if let Some(i) = info.fields.iter().position(|f| *f.name == *id) {
            return Some(vec![i as u32]);
        }
        // Members of an unnamed union or struct count as members of the class.
        for (i, f) in info.fields.iter().enumerate() {
            let hidden = i < info.bases.len() || f.name.starts_with("$anon");
            if let (true, Type::Struct(inner)) = (hidden, &f.ty.q.ty)
                && let Some(mut path) = self.find_field(*inner, id)
            {
                path.insert(0, i as u32);
                return Some(path);
            }
        }
        None
    }

    /// What `id` means before `::`, where variables and functions do not count.
    fn lookup_qualifier(&self, id: &str) -> Option<Entity> {
        let mut at = Some(self.ctx.scope);
        let mut first = None;
        while let Some(s) = at {
            match self.lookup_in(s, id) {
                Some(
                    e @ (Entity::Type(_)
                    | Entity::StructTemplate(_)
                    | Entity::AliasTemplate(_)
                    | Entity::Namespace(_)),
                ) => return Some(e),
                Some(e) => {
                    first.get_or_insert(e);
                }
                None => {}
            }
            at = self.scopes[s].parent;
        }
        first
    }

    /// Entity and scope for all but the last component of a qualified name.
    fn qualifier(&mut self, name: &Name) -> SemaResult<Option<ScopeId>> {
        if name.parts.len() == 1 {
            return Ok(name.global.then_some(0));
        }
        let mut at: Option<ScopeId> = name.global.then_some(0);
        for part in &name.parts[..name.parts.len() - 1] {
            let found = match at {
                Some(s) => self.lookup_in(s, &part.id),
                None => self.lookup_qualifier(&part.id),
            };
            let found = match found {
                Some(f) => f,
                None if matches!(&*part.id, "std" | "cuda") && at.is_none_or(|s| s == 0) => {
                    Entity::Namespace(0)
                }
                None => {
                    let d = Diagnostic::error(part.span, format!("`{}` is not declared", part.id))
                        .about(About::UnknownName);
                    return Err(Box::new(match &*part.id {
                        "thrust" => d.help(
                            "Thrust is not supported in device code: write loops, or use CUB's \
                             collectives",
                        ),
                        _ => d,
                    }));
                }
            };
            at = Some(match found {
                Entity::Namespace(s) => s,
                entity => match self.entity_type(&entity, part)? {
                    Some(QualType { ty: Type::Struct(id), .. }) => {
                        self.complete(id, part.span)?;
                        self.structs[id.0 as usize].scope
                    }
                    Some(QualType { ty: Type::Enum(e), .. }) => {
                        let key: Ident = format!("enum:{e}").into();
                        match self.scopes[0].names.get(&key) {
                            Some(Entity::Namespace(s)) => *s,
                            _ => return fail(part.span, format!("`{}` has no members", part.id)),
                        }
                    }
                    _ => {
                        return fail(
                            part.span,
                            format!("`{}` is neither a namespace nor a class", part.id),
                        );
                    }
                },
            });
        }
        if let Some(first) = name.parts.first()
            && &*first.id == "std"
            && name.parts.len() == 2
        {
            self.warn_host_library(name);
        }
        Ok(at)
    }

    /// Functions of the C++ library that nvcc takes for the host's, unless told otherwise.
    fn warn_host_library(&mut self, name: &Name) {
        let last = name.last();
        let hosts = matches!(&*last.id, "min" | "max" | "clamp" | "swap");
        if !hosts || self.own.contains(&name.span.file) || self.ctx.name.is_empty() {
            return;
        }
        let id = &last.id;
        let help = match &**id {
            "min" | "max" => format!("write `{id}`: CUDA has it without `std::`"),
            "clamp" => "write `min(max(x, low), high)`".into(),
            _ => "exchange the values through a variable".into(),
        };
        let text =
            format!("nvcc takes `std::{id}` on the device only with --expt-relaxed-constexpr");
        self.report(Diagnostic::warning(name.span, text).help(help));
    }

    /// The scope whose names `using namespace n` or `using enum n` brings.
    pub(super) fn used_scope(&mut self, n: &Name) -> Option<ScopeId> {
        let found = match self.resolve(n).unwrap_or(None)?.0 {
            Entity::Type(QualType { ty: Type::Enum(e), .. }) => {
                self.scopes[0].names.get(&*format!("enum:{e}")).cloned()?
            }
            entity => entity,
        };
        match found {
            Entity::Namespace(s) => Some(s),
            _ => None,
        }
    }

    /// What a name stands for, and the class or namespace it was found in.
    pub(super) fn resolve(&mut self, name: &Name) -> SemaResult<Option<(Entity, ScopeId)>> {
        let last = name.last();
        Ok(match self.qualifier(name)? {
            Some(s) => match self.lookup_in(s, &last.id) {
                Some(e) => Some((e, s)),
                // The C library's names are in `std` as well.
                None if &*self.scopes[s].name == "std" && name.parts.len() <= 3 => {
                    self.lookup_in(0, &last.id).map(|e| (e, 0))
                }
                None => match self.scopes[s].kind {
                    ScopeKind::Class(sid) => {
                        self.find_field(sid, &last.id).map(|_| (Entity::Field, s))
                    }
                    _ => None,
                },
            },
            None => self.lookup(self.ctx.scope, &last.id),
        })
    }

    /// The type that an entity is, if it is one.
    pub(super) fn entity_type(
        &mut self,
        entity: &Entity,
        part: &ast::Part,
    ) -> SemaResult<Option<QualType>> {
        Ok(match entity {
            Entity::Type(q) => Some(q.clone()),
            Entity::StructTemplate(t) => {
                let Some(args) = &part.args else {
                    // Inside the class its bare name means the current instance.
                    let mut at = Some(self.ctx.scope);
                    while let Some(s) = at {
                        if let ScopeKind::Class(sid) = self.scopes[s].kind
                            && self.structs[sid.0 as usize].template == Some(*t)
                        {
                            return Ok(Some(Type::Struct(sid).q()));
                        }
                        at = self.scopes[s].parent;
                    }
                    let params = self.struct_templates[*t].ast.template.clone();
                    if params.iter().all(has_default) {
                        return Ok(Some(
                            Type::Struct(self.struct_instance(*t, &[], part.span)?).q(),
                        ));
                    }
                    return fail(
                        part.span,
                        format!("`{}` is a class template and needs arguments in `< >`", part.id),
                    );
                };
                let args = args.clone();
                let vals = self.template_values(&args)?;
                Some(Type::Struct(self.struct_instance(*t, &vals, part.span)?).q())
            }
            Entity::AliasTemplate(a) => {
                let args = part.args.clone().unwrap_or_default();
                let vals = self.template_values(&args)?;
                let (ty, params, scope) = {
                    let a = &self.alias_templates[*a];
                    (a.ty.clone(), a.params.clone(), a.scope)
                };
                let (params, lengths) = self.unpack_params(&params, vals.len());
                let ty = if lengths.is_empty() { ty } else { Rewrite::new(lengths).ty(&ty) };
                let inner = self.bind_template(&params, &vals, scope, part.span)?;
                let outer = std::mem::replace(&mut self.ctx.scope, inner);
                let result = self.ty(&ty);
                self.ctx.scope = outer;
                Some(result?)
            }
            _ => None,
        })
    }

    pub(super) fn template_values(&mut self, args: &[TArg]) -> SemaResult<Vec<TemplateArg>> {
        let mut out = Vec::with_capacity(args.len());
        for a in args {
            out.push(match a {
                TArg::Type(ty) => match self.template_argument(ty)? {
                    Some(t) => TemplateArg::Template(t),
                    None => TemplateArg::Type(self.ty(ty)?),
                },
                TArg::Expr(e) => {
                    // What the parser took for a value may be a type after all.
                    if let ast::ExprKind::Name(n) = &e.kind
                        && let Some((entity, _)) = self.resolve(n)?
                        && let Some(q) = self.entity_type(&entity, n.last())?
                    {
                        out.push(TemplateArg::Type(q));
                        continue;
                    }
                    let (bits, t) = self.constant_argument(e)?;
                    TemplateArg::Int(bits, t)
                }
            });
        }
        Ok(out)
    }

    /// The class template that a template argument names, if it is one.
    pub(super) fn template_argument(&mut self, ty: &ast::Ty) -> SemaResult<Option<usize>> {
        let TyKind::Name(n) = &ty.kind else { return Ok(None) };
        if n.last().args.is_some() || ty.is_const {
            return Ok(None);
        }
        let Some((Entity::StructTemplate(t), _)) = self.resolve(n)? else { return Ok(None) };
        // Inside of the class its name means the class.
        let mut at = Some(self.ctx.scope);
        while let Some(s) = at {
            if let ScopeKind::Class(sid) = self.scopes[s].kind
                && self.structs[sid.0 as usize].template == Some(t)
            {
                return Ok(None);
            }
            at = self.scopes[s].parent;
        }
        Ok(Some(t))
    }

    /// `struct S *p` declares `S` in the namespace around, if nobody has.
    fn first_mentioned(&mut self, part: &ast::Part) -> StructId {
        let mut scope = self.ctx.scope;
        while let (false, Some(outer)) =
            (matches!(self.scopes[scope].kind, ScopeKind::Namespace), self.scopes[scope].parent)
        {
            scope = outer;
        }
        let id = self.new_struct(part.id.to_string(), part.id.clone(), scope, part.span);
        self.scopes[scope].names.insert(part.id.clone(), Entity::Type(Type::Struct(id).q()));
        id
    }

    /// Type as written. References are refused.
    pub(super) fn ty(&mut self, ty: &ast::Ty) -> SemaResult<QualType> {
        let v = self.var_ty(ty)?;
        if v.by_ref {
            return fail(ty.span, "a reference cannot stand here");
        }
        Ok(v.q)
    }

    /// Type as written, perhaps a reference.
    pub(super) fn var_ty(&mut self, ty: &ast::Ty) -> SemaResult<VarTy> {
        let q = |t: Type| QualType { is_const: ty.is_const, ..t.q() }.value();
        Ok(match &ty.kind {
            TyKind::Void => q(Type::Void),
            TyKind::Bool => q(Type::Bool),
            TyKind::Int(k) => q(Type::Int(*k)),
            TyKind::F32 => q(Type::F32),
            TyKind::F64 => q(Type::F64),
            TyKind::Auto => {
                return fail(ty.span, "`auto` cannot stand here: the type cannot be told");
            }
            TyKind::Name(n) => {
                let found = self.resolve(n)?;
                let resolved = match &found {
                    Some((entity, _)) => self.entity_type(entity, n.last())?,
                    None => None,
                };
                match resolved {
                    Some(mut r) => {
                        r.is_const |= ty.is_const;
                        if let (Type::Array(elem, n), true) = (r.ty.clone(), ty.is_const) {
                            r.ty = Type::Array(
                                Rc::new(QualType { is_const: true, ..(*elem).clone() }),
                                n,
                            );
                        }
                        r.value()
                    }
                    None if matches!(found, Some((Entity::Broken, _))) => {
                        return super::silent(n.span);
                    }
                    None if found.is_none() && n.elaborated && n.parts.len() == 1 => {
                        let id = self.first_mentioned(&n.parts[0]);
                        QualType { is_const: ty.is_const, ..Type::Struct(id).q() }.value()
                    }
                    None => {
                        let id = &n.last().id;
                        let (about, text) = if let Some((Entity::Host(_), _)) = found {
                            let what = "no type that device code has, such as a pointer to a \
                                        function";
                            (About::HostType, format!("`{id}` is {what}"))
                        } else if let Some((Entity::Funcs(_), _)) = found {
                            // A type of the same name may be hidden by it, as C allows.
                            (About::HostType, format!("`{id}` is a function, not a type"))
                        } else if found.is_some() {
                            (About::Other, format!("`{id}` is not a type"))
                        } else {
                            (About::UnknownType, format!("unknown type name `{id}`"))
                        };
                        let d = Diagnostic::error(n.span, text).about(about);
                        return Err(Box::new(match builtins::about_libraries(id) {
                            Some(help) => d.help(help),
                            None => d,
                        }));
                    }
                }
            }
            TyKind::Decltype(e) => {
                let ex = self.unevaluated(e)?;
                let by_ref = ex.place && matches!(e.kind, ast::ExprKind::Paren(_));
                VarTy {
                    by_ref,
                    ..QualType { is_const: ex.q.is_const | ty.is_const, ..ex.q }.value()
                }
            }
            TyKind::Typeof(e) => {
                let ex = self.unevaluated(e)?;
                QualType { is_const: ty.is_const, ..ex.q }.value()
            }
            TyKind::Ptr(to, _) | TyKind::Ref(to, _) if matches!(to.kind, TyKind::Func(_)) => {
                self.var_ty(to)?
            }
            TyKind::Ptr(to, _) => {
                let to = self.var_ty(to)?;
                if to.by_ref {
                    return fail(ty.span, "there are no pointers to references");
                }
                let private = to.q.space == crate::hir::Space::Generic
                    && self.in_opencl(ty.span)
                    && self.module.opencl < OpenClVersion::V20;
                let to = if private { to.q.within(crate::hir::Space::Local) } else { to.q };
                q(Type::Ptr(Rc::new(to)))
            }
            TyKind::In(space, inner) => {
                let mut inner = self.var_ty(inner)?;
                inner.q = inner.q.within(*space);
                inner.q.is_const |= *space == crate::hir::Space::Constant;
                inner
            }
            TyKind::Volatile(inner) => {
                let mut inner = self.var_ty(inner)?;
                inner.q.is_volatile = true;
                inner.q.is_const |= ty.is_const;
                inner
            }
            TyKind::Ref(to, rvalue) => {
                let to = self.var_ty(to)?;
                // Of two references the one to an lvalue stays.
                VarTy { rvalue: *rvalue && (!to.by_ref || to.rvalue), ..to.q.reference() }
            }
            TyKind::Array(elem, n) => {
                let e = self.ty(elem)?;
                if matches!(e.ty, Type::Void) {
                    return fail(ty.span, "an array of `void` makes no sense");
                }
                if matches!(e.ty, Type::Array(_, None)) {
                    return fail(
                        elem.span,
                        "only the first dimension of an array can be left open",
                    );
                }
                let n = match n {
                    None => None,
                    Some(n) => Some(self.array_length(n, &e)?),
                };
                let (c, v, s) = (e.is_const, e.is_volatile, e.space);
                QualType { ty: Type::Array(Rc::new(e), n), is_const: c, is_volatile: v, space: s }
                    .value()
            }
            TyKind::Func(f) => q(self.function_type(f)?),
            TyKind::Member(to, class) => q(self.member_type(to, class)?),
            TyKind::Expand(_) => return fail(ty.span, super::decl::packs::NOT_EXPANDED),
            TyKind::Struct(s) => {
                let id = self.local_struct(s)?;
                q(Type::Struct(id))
            }
            TyKind::Enum(e) => {
                let t = self.declare_enum(e, self.ctx.scope)?;
                q(t)
            }
        })
    }

    fn array_length(&mut self, e: &ast::Expr, elem: &QualType) -> SemaResult<u64> {
        let ex = self.expr(e).and_then(|x| self.load_value(x))?;
        if !ex.q.ty.is_integral() {
            return fail(
                e.span,
                format!("the length of an array is an integer, not `{}`", self.show(&ex.q)),
            );
        }
        let Some(bits) = self.fold_int(&ex.e) else {
            return Err(Box::new(
                Diagnostic::error(e.span, "the length of this array is not a constant")
                    .label("known only at run time")
                    .help(format!(
                        "use a `#define`, {}; for shared memory of a size given at launch write {}",
                        self.words().length,
                        self.words().shared_at_launch
                    )),
            ));
        };
        let signed = !matches!(ex.e.ty, crate::hir::Ty::Int { signed: false, .. });
        if signed && (bits as i64) <= 0 || bits == 0 {
            return fail(
                e.span,
                format!("the length of an array must be positive, this is {}", bits as i64),
            );
        }
        let size = self.size_of(&elem.ty, e.span)?;
        match bits.checked_mul(size.max(1)) {
            Some(total) if total <= 1 << 40 => Ok(bits),
            _ => fail(e.span, format!("an array of {bits} elements is too large")),
        }
    }

    /// Size in bytes; errors for incomplete types.
    pub(super) fn size_of(&mut self, t: &Type, span: Span) -> SemaResult<u64> {
        match t {
            Type::Void => return fail(span, "`void` has no size"),
            Type::Struct(id) => self.complete(*id, span)?,
            Type::Array(e, _) => {
                self.size_of(&e.ty.clone(), span)?;
            }
            _ => {}
        }
        let ty = self.machine(t);
        Ok(self.checked_size(&ty))
    }

    fn checked_size(&self, ty: &crate::hir::Ty) -> u64 {
        match ty {
            crate::hir::Ty::Array(e, n) => self.checked_size(e).saturating_mul(*n),
            other => self.module.size_of(other),
        }
    }

    /// The message for a name that does not exist.
    pub(super) fn undeclared(&self, name: &Name) -> Box<Diagnostic> {
        let id = &name.last().id;
        let mut d = Diagnostic::error(name.span, format!("`{id}` is not declared"))
            .about(About::UnknownName)
            .label("no such name here");
        // One of more errors than are shown: help would be looked for in vain.
        if self.errors() >= MAX_ERRORS {
            return Box::new(d);
        }
        let mut known: Vec<String> = Vec::new();
        let mut at = Some(self.ctx.scope);
        let mut near = None;
        while let Some(s) = at {
            let mut names: Vec<&str> = self.scopes[s].names.keys().map(|k| &**k).collect();
            order::sort(&mut names);
            if near.is_none() {
                near = nearest(id, names.iter().copied()).map(str::to_string);
            }
            at = self.scopes[s].parent;
        }
        if self.in_opencl(name.span) {
            known.extend(builtins::function_names(Language::OpenClC));
        } else {
            known.extend(builtins::BUILTIN_VARS.iter().map(|s| s.to_string()));
            known.extend(builtins::function_names(Language::CudaC));
        }
        if let Some(help) = self.cuda_name(id, name.span) {
            return Box::new(d.help(help));
        }
        if near.is_none()
            && self.in_opencl(name.span)
            && let Some(help) = crate::suggest::build_option(id)
        {
            return Box::new(d.help(help));
        }
        if let Some(near) =
            near.or_else(|| nearest(id, known.iter().map(String::as_str)).map(str::to_string))
        {
            d = d.help(format!("did you mean `{near}`?"));
        } else {
            d = match &**id {
                "cout" | "cerr" | "endl" => {
                    d.help("streams exist only on the host: use `printf` in a kernel")
                }
                "assert" => d.help("write `#include <assert.h>`"),
                "i" | "idx" | "tid" | "gid" | "index" if self.in_opencl(name.span) => {
                    d.help(format!("declare it first: `int {id} = get_global_id(0);`"))
                }
                "i" | "idx" | "tid" | "gid" | "index" => d.help(format!(
                    "declare it first: `int {id} = blockIdx.x * blockDim.x + threadIdx.x;`"
                )),
                id => match builtins::about_libraries(id) {
                    Some(help) => d.help(help),
                    None => d,
                },
            };
        }
        Box::new(d)
    }
}

pub(super) fn has_default(p: &ast::TParam) -> bool {
    let default = matches!(
        p.kind,
        ast::TParamKind::Type(Some(_))
            | ast::TParamKind::Value(_, Some(_))
            | ast::TParamKind::Template(Some(_))
    );
    default || p.pack
}
