//! Classes: layout, members, constructors.
//!
//! A constructor becomes a function that returns the new object, so that building a value takes no
//! address.

use std::ops::Range;
use std::rc::Rc;

use crate::ast::{self, Body, Decl, Ident, Init};
use crate::diag::{About, Diagnostic};
use crate::hir::{self, Bits, ExprKind, Field, LocalId, Stmt, StmtKind, StructDef, StructId};
use crate::sema::decl::functions::merge_defaults;
use crate::sema::decl::packs;
use crate::sema::decl::virtuals;
use crate::sema::types::{QualType, Type, VarTy};
use crate::sema::{
    Entity, FieldInfo, FnIdx, MAX_INSTANCES, MAX_INSTANTIATION_DEPTH, ScopeId, ScopeKind, Sema,
    SemaResult, StructInfo, TemplateArg, This, TypedExpr, fail,
};
use crate::source::Span;

impl Sema<'_> {
    pub(in crate::sema) fn vector_type(&mut self, name: &str, elem: Type, n: u64) {
        let ty = self.machine(&elem);
        let size = self.module.size_of(&ty);
        let align = match name {
            "dim3" => 4,
            _ if self.is_c() => size * n.next_power_of_two(),
            _ => crate::builtins::vector_align(size, n),
        };
        let letters = ["x", "y", "z", "w"];
        let numbers: [String; 16] = std::array::from_fn(|k| format!("s{k:x}"));
        let names: Vec<&str> = match n {
            ..=4 => letters.to_vec(),
            _ => numbers.iter().map(String::as_str).collect(),
        };
        let id = StructId(self.structs.len() as u32);
        let scope = self.push_scope(0, ScopeKind::Class(id), name);
        let fields = (0..n as usize)
            .map(|i| Field {
                name: names[i].into(),
                ty: ty.clone(),
                offset: i as u64 * size,
                bits: None,
            })
            .collect();
        self.module.structs.push(StructDef {
            name: name.into(),
            fields,
            size: (size * n).next_multiple_of(align),
            align,
            is_vector: true,
            is_union: false,
            is_packed: false,
        });
        let fields = (0..n as usize)
            .map(|i| FieldInfo {
                name: names[i].into(),
                ty: elem.clone().q().value(),
                align: None,
                default: None,
                bits: None,
            })
            .collect();
        self.structs.push(StructInfo {
            ast: None,
            scope,
            plain: name.into(),
            targs: None,
            template: None,
            fields,
            bases: Vec::new(),
            ctors: Vec::new(),
            complete: true,
            broken: None,
            vector: Some((elem, n)),
            span: Span::default(),
        });
        for member in &names[..n as usize] {
            self.scopes[scope].names.insert((*member).into(), Entity::Field);
        }
        self.scopes[0].names.insert(name.into(), Entity::Type(Type::Struct(id).q()));
        self.vectors.insert(name.into(), id);
    }

    /// A class with layout still unknown.
    pub(in crate::sema) fn new_struct(
        &mut self,
        name: String,
        plain: Ident,
        parent: ScopeId,
        span: Span,
    ) -> StructId {
        let id = StructId(self.structs.len() as u32);
        let scope = self.push_scope(parent, ScopeKind::Class(id), &plain);
        self.module.structs.push(StructDef {
            name,
            fields: Vec::new(),
            size: 1,
            align: 1,
            is_vector: false,
            is_union: false,
            is_packed: false,
        });
        self.structs.push(StructInfo {
            ast: None,
            scope,
            plain,
            targs: None,
            template: None,
            fields: Vec::new(),
            bases: Vec::new(),
            ctors: Vec::new(),
            complete: false,
            broken: None,
            vector: None,
            span,
        });
        id
    }

    pub(in crate::sema) fn declare_struct(
        &mut self,
        s: &Rc<ast::Struct>,
        scope: ScopeId,
    ) -> SemaResult<Option<StructId>> {
        if s.is_template {
            self.struct_template(s, scope)?;
            return Ok(None);
        }
        let plain: Ident = s.name.clone().unwrap_or_else(|| "(unnamed struct)".into());
        let id = match s.name.as_ref().and_then(|n| self.scopes[scope].names.get(n)) {
            Some(Entity::Type(QualType { ty: Type::Struct(id), .. })) => {
                let id = *id;
                if s.is_forward {
                    return Ok(Some(id));
                }
                if self.structs[id.0 as usize].complete {
                    let at = self.structs[id.0 as usize].span;
                    return Err(Box::new(
                        Diagnostic::error(s.span, format!("`{plain}` is defined twice"))
                            .related(at, "first defined here"),
                    ));
                }
                id
            }
            _ => {
                let id = self.new_struct(plain.to_string(), plain.clone(), scope, s.span);
                if s.name.is_some() {
                    self.scopes[scope].names.insert(plain, Entity::Type(Type::Struct(id).q()));
                }
                id
            }
        };
        if !s.is_forward {
            self.define_struct(id, s)?;
        }
        Ok(Some(id))
    }

    /// A struct defined inside a type, such as the member `struct { int a; } s;`.
    pub(in crate::sema) fn local_struct(&mut self, s: &Rc<ast::Struct>) -> SemaResult<StructId> {
        for (i, info) in self.structs.iter().enumerate() {
            if info.ast.as_ref().is_some_and(|a| Rc::ptr_eq(a, s))
                && info.targs.is_none()
                && s.name.is_none()
            {
                return Ok(StructId(i as u32));
            }
        }
        match self.declare_struct(s, self.ctx.scope)? {
            Some(id) => Ok(id),
            None => fail(s.span, "a template cannot stand here"),
        }
    }

    pub(in crate::sema) fn define_struct(
        &mut self,
        id: StructId,
        s: &Rc<ast::Struct>,
    ) -> SemaResult<()> {
        let i = id.0 as usize;
        let scope = self.structs[i].scope;
        self.structs[i].ast = Some(s.clone());
        self.structs[i].span = s.span;
        let outer = std::mem::replace(&mut self.ctx.scope, scope);
        self.depth += 1;
        let result = if self.depth > MAX_INSTANTIATION_DEPTH {
            fail(s.span, "classes are nested or instantiated too deeply")
        } else {
            self.define_members(id, s, scope)
        };
        self.depth -= 1;
        self.ctx.scope = outer;
        match result {
            // Perhaps only the host uses the class: what it lacks is said where the device does.
            Err(d) if d.about == About::HostOnly => {
                self.structs[i].broken = Some(*d);
                Ok(())
            }
            result => result,
        }
    }

    /// A member of a class that has the members `fields` before it.
    fn data_member(
        &mut self,
        v: &Rc<ast::Var>,
        id: StructId,
        s: &ast::Struct,
        fields: &[FieldInfo],
    ) -> SemaResult<FieldInfo> {
        if v.specs.shared || v.specs.constant || v.specs.device {
            return fail(
                v.span,
                format!(
                    "a member cannot be {}, {} or {}",
                    self.words().shared,
                    self.words().constant,
                    self.words().global
                ),
            );
        }
        let mut ty = self.var_ty(&v.ty)?;
        if matches!(ty.q.ty, Type::Array(_, None)) {
            return fail(v.span, "a member that is an array needs a length");
        }
        if ty.by_ref {
            // Stored as a pointer.
            ty.by_ref = true;
        } else {
            if ty.q.ty == Type::Struct(id) {
                return Err(Box::new(
                    Diagnostic::error(v.span, "a class cannot contain itself")
                        .help("use a pointer"),
                ));
            }
            self.size_of(&ty.q.ty.clone(), v.span)?;
        }
        let name = v.name.last().id.clone();
        if fields.iter().any(|f| f.name == name) {
            return fail(v.span, format!("the member `{name}` is declared twice"));
        }
        let default = if matches!(v.init, Init::None) { None } else { Some(v.clone()) };
        let natural = self.module.align_of(&self.var_machine(&ty));
        let pack = if v.specs.is_packed { Some(1) } else { s.pack };
        let least = natural.min(pack.unwrap_or(natural));
        let align = match &v.specs.align {
            Some(e) => Some(self.alignment(e)?.max(least)),
            None => (least < natural).then_some(least),
        };
        let bits = v.bits.as_ref().map(|width| self.bit_width(width, v, &ty)).transpose()?;
        Ok(FieldInfo { name, ty, align, default, bits })
    }

    /// The width of a bit-field.
    fn bit_width(&mut self, width: &ast::Expr, v: &ast::Var, ty: &VarTy) -> SemaResult<u8> {
        let name = v.name.last().id.clone();
        if ty.by_ref || !ty.q.ty.is_integral() {
            let shown = self.show(&ty.q);
            return fail(v.span, format!("a bit-field is an integer, `{name}` is `{shown}`"));
        }
        let (n, _) = self.constant_integer(width, "the width of a bit-field")?;
        let all = match ty.q.ty {
            Type::Bool => 1,
            _ => 8 * self.module.size_of(&self.machine(&ty.q.ty)),
        };
        if n > all {
            return fail(width.span, format!("a bit-field of this type has at most {all} bits"));
        }
        if n == 0 && !name.starts_with('$') {
            return fail(width.span, "only a bit-field without a name can have no bits");
        }
        Ok(n as u8)
    }

    fn define_members(
        &mut self,
        id: StructId,
        s: &Rc<ast::Struct>,
        scope: ScopeId,
    ) -> SemaResult<()> {
        let i = id.0 as usize;
        let mut fields: Vec<FieldInfo> = Vec::new();
        for (ty, span) in &s.base {
            let q = self.ty(ty)?;
            let Type::Struct(base) = q.ty else { return fail(*span, "a base must be a class") };
            self.complete(base, *span)?;
            self.structs[i].bases.push(base);
            fields.push(FieldInfo {
                name: format!("$base{}", fields.len()).into(),
                ty: Type::Struct(base).q().value(),
                align: None,
                default: None,
                bits: None,
            });
        }
        let mut functions = Vec::new();
        let mut statics = Vec::new();
        // Unnamed structs and unions without a variable are members themselves.
        let mut anonymous = 0;
        for (k, m) in s.members.iter().enumerate() {
            match m {
                Decl::Var(v) if v.specs.is_static => {
                    if v.specs.is_constexpr || v.ty.is_const {
                        self.declare_global(v, scope, Some(id))?;
                    } else {
                        statics.push(v.clone());
                    }
                }
                Decl::Var(v) => {
                    let field = self.data_member(v, id, s, &fields)?;
                    fields.push(field);
                }
                Decl::Struct(inner) => {
                    let inner_id = self.declare_struct(inner, scope)?;
                    let used = s.members.get(k + 1).is_some_and(|next| match next {
                        Decl::Var(v) => match &ast::auto_core(&v.ty).kind {
                            ast::TyKind::Struct(x) => Rc::ptr_eq(x, inner),
                            _ => false,
                        },
                        _ => false,
                    });
                    if let (None, false, Some(inner_id)) = (&inner.name, used, inner_id) {
                        let name: Ident = format!("$anon{anonymous}").into();
                        anonymous += 1;
                        fields.push(FieldInfo {
                            name,
                            ty: Type::Struct(inner_id).q().value(),
                            align: None,
                            default: None,
                            bits: None,
                        });
                    }
                }
                Decl::Enum(e) => {
                    self.declare_enum(e, scope)?;
                }
                Decl::Alias { name, ty, template, span } => {
                    self.declare_alias(name, ty, template, *span, scope)?
                }
                Decl::Function(f) => functions.push(f.clone()),
                Decl::StaticAssert { cond, text, span } => {
                    self.static_assert(cond, text.as_deref(), *span)?
                }
                Decl::Using(_) | Decl::UsingNamespace(_) => {}
                Decl::Host(name, at) => {
                    if let Some(name) = name {
                        let names = &mut self.scopes[scope].names;
                        names.entry(name.clone()).or_insert(Entity::Host(*at));
                    }
                }
                Decl::VarTemplate(v, params) => self.declare_var_template(v, params, scope)?,
                _ => return fail(s.span, "this cannot be a member of a class"),
            }
        }
        let is_virtual = |f: &Rc<ast::Function>| f.specs.is_virtual;
        let bases = self.structs[i].bases.clone();
        let of_base = bases.iter().any(|b| self.is_polymorphic(*b));
        if functions.iter().any(is_virtual) && !of_base {
            let name = virtuals::CLASS.into();
            let ty = Type::ULLONG.q().value();
            fields.insert(
                bases.len(),
                FieldInfo { name, ty, align: None, default: None, bits: None },
            );
        }
        if functions.iter().any(is_virtual) || of_base {
            // An object gets the number of its class from a constructor.
            let count = functions.len();
            functions.retain(|f| {
                !(f.is_ctor && f.params.is_empty() && matches!(f.body, Body::Defaulted))
            });
            if functions.len() < count || !functions.iter().any(|f| f.is_ctor) {
                let name = s.name.clone().unwrap_or_else(|| "".into());
                functions.push(Rc::new(s.unwritten(name, false)));
            }
        }
        self.add_destructor(&fields, s, &mut functions);
        for f in &fields {
            self.scopes[scope].names.insert(f.name.clone(), Entity::Field);
        }
        self.structs[i].fields = fields;
        let align = s.align.as_ref().map(|e| self.alignment(e)).transpose()?;
        if let Some(split) = self.layout(id, s.is_union, align) {
            return Err(Box::new(
                Diagnostic::error(
                    s.span,
                    format!("the bits of `{split}` lie in two words, which is not supported"),
                )
                .about(About::HostOnly)
                .help("put the member that follows the bit-fields before them"),
            ));
        }
        self.structs[i].complete = true;
        for v in statics {
            self.declare_global(&v, scope, Some(id))?;
        }
        for f in functions {
            let declared = match f.is_friend {
                true => self.declare_friend(&f, scope),
                false => self.declare_function(&f, scope, Some(id)),
            };
            if let Err(d) = declared {
                self.report(*d);
            }
        }
        for m in &s.members {
            if let Decl::Using(n) = m {
                self.use_of_bases(&n.last().id, &bases, scope);
            }
        }
        Ok(())
    }

    /// `using Base::f;`: the functions of that name in all bases are overloads of the class' own.
    fn use_of_bases(&mut self, id: &Ident, bases: &[StructId], scope: ScopeId) {
        let mut list = match self.scopes[scope].names.get(id) {
            Some(Entity::Funcs(own)) => own.to_vec(),
            None => Vec::new(),
            _ => return,
        };
        let params = |me: &Self, f: FnIdx| me.funcs[f].sig.as_ref().map(|s| s.params.clone());
        for base in bases {
            let Some(Entity::Funcs(more)) = self.lookup_in(self.structs[base.0 as usize].scope, id)
            else {
                continue;
            };
            for f in more.iter() {
                let theirs = params(self, *f);
                if theirs.is_none() || list.iter().all(|own| params(self, *own) != theirs) {
                    list.push(*f);
                }
            }
        }
        if !list.is_empty() {
            self.scopes[scope].names.insert(id.clone(), Entity::Funcs(Rc::new(list)));
        }
    }

    /// The bytes of an alignment.
    fn alignment(&mut self, e: &ast::Expr) -> SemaResult<u64> {
        let (n, _) = self.constant_integer(e, "an alignment")?;
        if !n.is_power_of_two() || n > 4096 {
            return fail(e.span, format!("an alignment is a power of two up to 4096, not {n}"));
        }
        Ok(n)
    }

    /// Offsets, size and alignment, as the C ABI has them. A bit-field that the integers that may
    /// be read and written for it do not hold as a whole is returned.
    pub(in crate::sema) fn layout(
        &mut self,
        id: StructId,
        is_union: bool,
        align: Option<u64>,
    ) -> Option<Ident> {
        let i = id.0 as usize;
        let list: Vec<(FieldInfo, hir::Ty)> =
            self.structs[i].fields.iter().map(|f| (f.clone(), self.var_machine(&f.ty))).collect();
        let mut out = Vec::with_capacity(list.len());
        let (mut end, mut max_align) = (0u64, align.unwrap_or(1));
        let (mut natural, mut misplaced) = (1, false);
        // Where the next bit-field may begin; each as field, first bit, width.
        let (mut bit, mut fields) = (0, Vec::new());
        for (k, (f, ty)) in list.iter().enumerate() {
            let (size, by_type) = (self.module.size_of(ty), self.module.align_of(ty).max(1));
            let a = f.align.unwrap_or(by_type);
            let mut offset = if is_union { 0 } else { end.next_multiple_of(a) };
            if let Some(width) = f.bits {
                let width = u64::from(width);
                let crosses = |bit: u64| bit / (8 * size) != (bit + width - 1) / (8 * size);
                bit = if is_union { 0 } else { bit };
                if width == 0 || a == by_type && crosses(bit) {
                    bit = bit.next_multiple_of(8 * size);
                }
                fields.push((k, bit, width));
                bit += width;
                end = end.max(bit.div_ceil(8));
                offset = 0;
            } else {
                end = end.max(offset + size);
                bit = 8 * end;
            }
            if !(f.bits.is_some() && f.name.starts_with('$')) {
                max_align = max_align.max(a);
                natural = natural.max(by_type);
            }
            misplaced |= !offset.is_multiple_of(by_type);
            out.push(Field { name: f.name.to_string(), ty: ty.clone(), offset, bits: None });
        }
        let size = end.max(1).next_multiple_of(max_align);
        let taken: Vec<Range<u64>> = list
            .iter()
            .zip(&out)
            .filter(|((f, _), _)| f.bits.is_none() && !is_union)
            .map(|(_, f)| f.offset..f.offset + self.module.size_of(&f.ty))
            .collect();
        let mut split = None;
        for (k, bit, width) in fields {
            // At least a word, so that neighbours in it are moved alike.
            let most = self.module.size_of(&out[k].ty).max(4).min(max_align);
            match bits_in(bit, width, most, size, &taken) {
                Some((offset, bits)) => (out[k].offset, out[k].bits) = (offset, Some(bits)),
                None => split = Some(list[k].0.name.clone()),
            }
        }
        let def = &mut self.module.structs[i];
        def.is_packed = misplaced || natural > max_align;
        def.fields = out;
        def.align = max_align;
        def.size = size;
        def.is_union = is_union;
        split
    }

    /// The class must be usable here.
    pub(in crate::sema) fn complete(&mut self, id: StructId, span: Span) -> SemaResult<()> {
        let info = &self.structs[id.0 as usize];
        let unread = info.ast.as_ref().and_then(|a| a.broken.clone());
        if let Some(broken) = info.broken.clone().or(unread) {
            return Err(Box::new(broken.related(span, "used in device code here")));
        }
        if info.complete {
            return Ok(());
        }
        // Its template may have been defined since the class was first named.
        if let (None, Some(t)) = (&info.ast, info.template) {
            self.define_instance(id, t, span)?;
        }
        let info = &self.structs[id.0 as usize];
        if info.complete {
            return Ok(());
        }
        let at = info.span;
        let name = self.module.structs[id.0 as usize].name.clone();
        Err(Box::new(
            Diagnostic::error(span, format!("`{name}` is declared but not defined here"))
                .about(About::Incomplete)
                .related(at, "declared here"),
        ))
    }

    /// Attaches a member defined outside its class template to an instance.
    pub(in crate::sema) fn attach_member(&mut self, sid: StructId, f: &Rc<ast::Function>) {
        let id = f.name.last().id.clone();
        let count = self.structs[sid.0 as usize].targs.as_ref().map_or(0, Vec::len);
        let f = &self.unpack_member(f, count);
        let scope = self.structs[sid.0 as usize].scope;
        let list: Vec<usize> = if f.is_ctor {
            self.structs[sid.0 as usize].ctors.clone()
        } else {
            match self.scopes[scope].names.get(&id) {
                Some(Entity::Funcs(l)) => l.to_vec(),
                _ => return,
            }
        };
        // Names of the template's parameters may differ outside; bind those too.
        let targs = self.structs[sid.0 as usize].targs.clone().unwrap_or_default();
        let inner =
            match self.bind_template(&Rc::new(f.class_template.clone()), &targs, scope, f.span) {
                Ok(s) => s,
                Err(_) => scope,
            };
        let sig = if f.is_template { None } else { self.signature(f, inner).ok() };
        for idx in list {
            let d = &self.funcs[idx];
            let fits = matches!(d.ast.body, Body::None)
                && d.ast.params.len() == f.params.len()
                && d.ast.is_const == f.is_const
                && match (&d.sig, &sig) {
                    (Some(a), Some(b)) => a.params == b.params,
                    (None, None) => true,
                    _ => false,
                };
            if fits {
                self.funcs[idx].ast = merge_defaults(&self.funcs[idx].ast, f);
                self.funcs[idx].scope = inner;
                return;
            }
        }
    }

    // ---- objects

    /// The class has constructors of its own.
    pub(in crate::sema) fn has_ctors(&self, id: StructId) -> bool {
        self.structs[id.0 as usize]
            .ctors
            .iter()
            .any(|c| !matches!(self.funcs[*c].ast.body, Body::Defaulted | Body::Deleted))
    }

    /// `S() = default;`: an object without arguments is made as if no constructor were written.
    pub(in crate::sema) fn has_defaulted(&self, id: StructId) -> bool {
        self.structs[id.0 as usize].ctors.iter().any(|c| {
            let f = &self.funcs[*c].ast;
            f.params.is_empty() && matches!(f.body, Body::Defaulted)
        })
    }

    /// A variable without a value is made by a constructor.
    pub(in crate::sema) fn is_constructed(&self, id: StructId) -> bool {
        self.has_ctors(id) && !self.has_defaulted(id)
    }

    /// An object without arguments has no values: nobody need make it.
    pub(in crate::sema) fn is_empty_object(&self, id: StructId) -> bool {
        let info = &self.structs[id.0 as usize];
        let plain = |f: &FieldInfo| match (&f.ty.q.ty, f.ty.by_ref) {
            (Type::Struct(inner), false) => self.is_empty_object(*inner),
            _ => true,
        };
        let does_nothing = |c: &FnIdx| {
            let f = &self.funcs[*c].ast;
            let empty = matches!(&f.body, Body::Block(b) if b.is_empty());
            f.params.is_empty()
                && f.inits.is_empty()
                && (empty || matches!(f.body, Body::Defaulted))
        };
        let fields = info.fields.iter().all(|f| f.default.is_none() && plain(f));
        fields
            && !self.is_polymorphic(id)
            && (!self.has_ctors(id) || info.ctors.iter().any(does_nothing))
    }

    /// Some member gets a value even if none is written.
    pub(in crate::sema) fn has_defaults(&self, id: StructId) -> bool {
        self.structs[id.0 as usize].fields.iter().any(|f| {
            f.default.is_some()
                || match (&f.ty.q.ty, f.ty.by_ref) {
                    (Type::Struct(inner), false) => {
                        self.is_constructed(*inner) || self.has_defaults(*inner)
                    }
                    _ => false,
                }
        })
    }

    /// Assignments that give the members of `place` the values they have when none is written.
    pub(in crate::sema) fn default_members(
        &mut self,
        place: &hir::Expr,
        id: StructId,
        span: Span,
        out: &mut Vec<hir::Expr>,
    ) -> SemaResult<()> {
        let fields = self.structs[id.0 as usize].fields.clone();
        for (k, f) in fields.iter().enumerate() {
            if f.ty.by_ref {
                continue;
            }
            let ty = self.machine(&f.ty.q.ty);
            let member = hir::Expr {
                kind: ExprKind::Field(Box::new(place.clone()), k as u32),
                ty: ty.clone(),
                span,
            };
            if let Some(value) = self.member_default(id, f)? {
                let kind = ExprKind::Assign(Box::new(member), Box::new(value));
                out.push(hir::Expr { kind, ty, span });
            } else if let Type::Struct(inner) = &f.ty.q.ty {
                if self.is_constructed(*inner) {
                    let value = self.construct(*inner, Vec::new(), span)?;
                    let kind = ExprKind::Assign(Box::new(member), Box::new(value));
                    out.push(hir::Expr { kind, ty, span });
                } else if self.has_defaults(*inner) {
                    self.default_members(&member, *inner, span, out)?;
                }
            }
        }
        Ok(())
    }

    /// Value of a default member initialiser.
    pub(in crate::sema) fn member_default(
        &mut self,
        id: StructId,
        f: &FieldInfo,
    ) -> SemaResult<Option<hir::Expr>> {
        let Some(v) = &f.default else { return Ok(None) };
        let scope = self.structs[id.0 as usize].scope;
        let outer = std::mem::replace(&mut self.ctx.scope, scope);
        let q = f.ty.q.clone();
        let result = self.init_value(&q, &v.init.clone(), v.span);
        self.ctx.scope = outer;
        result
    }

    /// Body of the function that a constructor becomes.
    pub(in crate::sema) fn constructor_body(
        &mut self,
        ast: &Rc<ast::Function>,
        id: StructId,
    ) -> Vec<Stmt> {
        let span = ast.span;
        let ty = hir::Ty::Struct(id);
        let me = self.temp("$self", ty.clone(), span);
        self.ctx.this = This::Object(me, Type::Struct(id).q());
        self.ctx.ret = Some(Type::Void.q().value());
        let place = hir::Expr { kind: ExprKind::Local(me), ty: ty.clone(), span };
        let load =
            hir::Expr { kind: ExprKind::Load(Box::new(place.clone())), ty: ty.clone(), span };
        let fields = self.structs[id.0 as usize].fields.clone();
        let is_union = self.module.structs[id.0 as usize].is_union;
        let class = self.structs[id.0 as usize].plain.clone();
        let mut values: Vec<Option<hir::Expr>> = vec![None; fields.len()];
        let mut delegated = None;
        let mut used = 0;
        for (k, f) in fields.iter().enumerate() {
            let written = ast.inits.iter().find(|i| {
                let n = i.name.last();
                *n.id == *f.name
                    || (k < self.structs[id.0 as usize].bases.len()
                        && self.base_named(id, k, &n.id))
            });
            let result = match written {
                Some(i) => {
                    used += 1;
                    let init = match &i.args[..] {
                        [e] if matches!(e.kind, ast::ExprKind::Init(_)) => Init::Brace(e.clone()),
                        args => Init::Paren(args.to_vec()),
                    };
                    if f.ty.by_ref {
                        match &i.args[..] {
                            [e] => self
                                .expr(e)
                                .and_then(|x| self.bind_reference(x, &f.ty, i.span))
                                .map(Some),
                            _ => fail(i.span, "a reference needs exactly one value"),
                        }
                    } else {
                        self.init_value(&f.ty.q.clone(), &init, i.span)
                    }
                }
                None => self.member_default(id, f).and_then(|v| match (&v, &f.ty.q.ty) {
                    (None, Type::Struct(inner)) if !f.ty.by_ref && self.is_constructed(*inner) => {
                        let inner = *inner;
                        self.construct(inner, Vec::new(), span).map(Some)
                    }
                    _ => Ok(v),
                }),
            };
            match result {
                Ok(v) => values[k] = v,
                Err(d) => self.report(*d),
            }
        }
        for i in &ast.inits {
            let n = &i.name.last().id;
            if *n == class {
                let args: Vec<ast::Expr> = i.args.clone();
                match self.construct_ast(id, &args, i.span) {
                    Ok(v) => delegated = Some(v),
                    Err(d) => self.report(*d),
                }
                used += 1;
            }
        }
        if used < ast.inits.len() && self.errors() == 0 {
            let stranger = ast.inits.iter().find(|i| {
                let n = &i.name.last().id;
                *n != class
                    && !fields.iter().enumerate().any(|(k, f)| {
                        f.name == *n
                            || (k < self.structs[id.0 as usize].bases.len()
                                && self.base_named(id, k, n))
                    })
            });
            if let Some(i) = stranger {
                self.report(Diagnostic::error(
                    i.span,
                    format!("`{}` is not a member of `{class}`", i.name.last().id),
                ));
            }
        }
        let empty = match &ast.body {
            Body::Block(b) => b.is_empty(),
            _ => true,
        };
        let ret = |e| Stmt { kind: StmtKind::Return(Some(e)), span };
        let number = match delegated {
            None => {
                let object = TypedExpr {
                    e: place.clone(),
                    q: Type::Struct(id).q(),
                    place: true,
                    constant: None,
                };
                self.class_number(id, &object, span)
            }
            Some(_) => None,
        };
        let plain = number.is_none() && delegated.is_none() && !is_union;
        if empty && plain && values.iter().all(Option::is_some) {
            let list = values.into_iter().flatten().collect();
            return vec![ret(hir::Expr { kind: ExprKind::Aggregate(list), ty, span })];
        }
        let mut out = vec![Stmt { kind: StmtKind::Let(me, delegated.clone()), span }];
        if delegated.is_none() {
            for (k, v) in values.into_iter().enumerate() {
                let Some(v) = v else { continue };
                let fty = v.ty.clone();
                let member = hir::Expr {
                    kind: ExprKind::Field(Box::new(place.clone()), k as u32),
                    ty: fty.clone(),
                    span: v.span,
                };
                let at = v.span;
                let kind = ExprKind::Assign(Box::new(member), Box::new(v));
                out.push(Stmt {
                    kind: StmtKind::Expr(hir::Expr { kind, ty: fty, span: at }),
                    span: at,
                });
            }
        }
        out.extend(number);
        if let Body::Block(stmts) = &ast.body {
            self.function_block(stmts, None, &mut out);
        }
        replace_returns(&mut out, &load);
        out.push(ret(load));
        out
    }

    /// Base number `k` of the class has this name.
    fn base_named(&self, id: StructId, k: usize, name: &str) -> bool {
        let info = &self.structs[id.0 as usize];
        let base = info.bases[k];
        // Or another name for it.
        let alias = || {
            let found = self.lookup(info.scope, name);
            matches!(found, Some((Entity::Type(q), _)) if q.ty == Type::Struct(base))
        };
        *self.structs[base.0 as usize].plain == *name || alias()
    }

    /// A fresh compiler-made variable.
    pub(in crate::sema) fn temp(&mut self, name: &str, ty: hir::Ty, span: Span) -> LocalId {
        let id = LocalId(self.ctx.locals.len() as u32);
        self.ctx.locals.push(hir::Local {
            name: name.into(),
            ty,
            storage: hir::Storage::Auto,
            needs_memory: false,
            to_const: false,
            span,
            scope: span,
        });
        id
    }

    /// Instance of a class template.
    pub(in crate::sema) fn struct_instance(
        &mut self,
        t: usize,
        vals: &[TemplateArg],
        span: Span,
    ) -> SemaResult<StructId> {
        let (ast, scope) = (self.struct_templates[t].ast.clone(), self.struct_templates[t].scope);
        let params = Rc::new(ast.template.clone());
        let (params, _) = self.unpack_params(&params, vals.len());
        let full =
            self.complete_targs(&params, vals, scope, span, ast.name.as_deref().unwrap_or(""))?;
        if let Some(id) = self.struct_templates[t].instances.get(&full) {
            return Ok(*id);
        }
        if self.structs.len() > MAX_INSTANCES {
            return fail(span, "too many instances of class templates");
        }
        let plain: Ident = ast.name.clone().unwrap_or_else(|| "".into());
        let name = format!("{plain}{}", self.show_targs(&full));
        if let Some(made) = self.unpack_struct(&ast, &full)
            && let Some(part) = self.unmet_by_class(&made, &full, scope)
        {
            return Err(Box::new(Sema::unmet_message(&plain, part, span)));
        }
        let id = self.new_struct(name, plain, scope, ast.span);
        self.structs[id.0 as usize].targs = Some(full.clone());
        self.structs[id.0 as usize].template = Some(t);
        self.struct_templates[t].instances.insert(full, id);
        self.define_instance(id, t, span)?;
        Ok(id)
    }

    /// Gives an instance of a class template its members, if the template has been defined.
    fn define_instance(&mut self, id: StructId, t: usize, span: Span) -> SemaResult<()> {
        let (ast, scope) = (self.struct_templates[t].ast.clone(), self.struct_templates[t].scope);
        let full = self.structs[id.0 as usize].targs.clone().unwrap_or_default();
        // The specialisation that fits, the most special one first.
        let mut chosen: Option<(usize, Rc<ast::Struct>, Vec<TemplateArg>)> = None;
        for s in self.struct_templates[t].special.clone() {
            let rank = s.template.len() + usize::from(packs::has_pack(&s.template));
            let Some(s) = self.unpack_struct(&s, &full) else { continue };
            let Some(bound) = self.match_specialisation(&s, &full, scope) else { continue };
            let better = match &chosen {
                Some((best, other, _)) if rank == *best => {
                    self.more_parts(&s.requires, scope, &other.requires, scope)
                }
                Some((best, ..)) => rank < *best,
                None => true,
            };
            if better && self.unmet_by_class(&s, &bound, scope).is_none() {
                chosen = Some((rank, s, bound));
            }
        }
        let (ast, bound) = match chosen {
            Some((_, s, bound)) => (s, bound),
            None => (self.unpack_struct(&ast, &full).unwrap_or(ast), full.clone()),
        };
        if ast.is_forward {
            return Ok(());
        }
        let args = self.bind_template(&Rc::new(ast.template.clone()), &bound, scope, span)?;
        let members = self.structs[id.0 as usize].scope;
        self.scopes[members].parent = Some(args);
        let outer_ctx = self.ctx.scope;
        self.define_struct(id, &ast)?;
        self.ctx.scope = outer_ctx;
        for f in self.struct_templates[t].members.clone() {
            self.attach_member(id, &f);
        }
        Ok(())
    }
}

/// A plain `return` in a constructor gives the object.
fn replace_returns(block: &mut [Stmt], value: &hir::Expr) {
    for s in block {
        match &mut s.kind {
            StmtKind::Return(r @ None) => *r = Some(value.clone()),
            StmtKind::Block(b) | StmtKind::Labelled { body: b, .. } => replace_returns(b, value),
            StmtKind::If { then, els, .. } => {
                replace_returns(then, value);
                replace_returns(els, value);
            }
            StmtKind::Loop { body, .. } => replace_returns(body, value),
            StmtKind::Switch { arms, .. } => {
                arms.iter_mut().for_each(|a| replace_returns(&mut a.body, value))
            }
            _ => {}
        }
    }
}

/// The integer, of at most `most` bytes in a class of `size` bytes, that holds the bits from `bit`
/// on and none of the bytes `taken` by members that are no bit-fields: the largest one.
fn bits_in(
    bit: u64,
    width: u64,
    most: u64,
    size: u64,
    taken: &[Range<u64>],
) -> Option<(u64, Bits)> {
    [8, 4, 2, 1].into_iter().filter(|unit| *unit <= most).find_map(|unit| {
        let at = bit / 8 / unit * unit;
        let whole = at..at + unit;
        let free = taken.iter().all(|t| t.end <= whole.start || t.start >= whole.end);
        let shift = bit - 8 * at;
        // Without bits there is nothing to read.
        let fits = width == 0 || shift + width <= 8 * unit && whole.end <= size;
        let bits = Bits { unit: unit as u8, shift: shift as u8, width: width as u8 };
        (fits && (free || width == 0)).then_some((at, bits))
    })
}
