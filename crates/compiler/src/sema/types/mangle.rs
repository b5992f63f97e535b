//! Names of kernels as the Itanium C++ ABI makes them, so that `cuModuleGetFunction` finds the same
//! ones as with NVRTC.

use crate::ast::{self, Ident, IntKind, TyKind};
use crate::sema::types::{QualType, Type, VarTy};
use crate::sema::{Sema, Sig, TemplateArg};

/// Parts that can be referred to again, in order of appearance.
#[derive(Default)]
struct Mangler {
    out: String,
    seen: Vec<String>,
}

impl Mangler {
    /// Writes `S_`, `S0_`, ... if `key` was seen; else remembers nothing and says no.
    fn again(&mut self, key: &str) -> bool {
        let Some(i) = self.seen.iter().position(|s| s == key) else { return false };
        self.out += "S";
        if i > 0 {
            self.out += &base36(i - 1);
        }
        self.out += "_";
        true
    }

    fn remember(&mut self, key: String) {
        if !self.seen.contains(&key) {
            self.seen.push(key);
        }
    }
}

fn base36(mut n: usize) -> String {
    let mut out = Vec::new();
    loop {
        out.push(char::from_digit((n % 36) as u32, 36).unwrap_or('0').to_ascii_uppercase());
        n /= 36;
        if n == 0 {
            break;
        }
    }
    out.iter().rev().collect()
}

impl Sema<'_> {
    /// Symbol of a function in the namespaces `path`.
    pub(in crate::sema) fn mangle(
        &self,
        path: &[Ident],
        f: &ast::Function,
        original: Option<&ast::Function>,
        targs: &[TemplateArg],
        sig: &Sig,
    ) -> String {
        // In a name a pack stands as it was written.
        let written = original.unwrap_or(f);
        let mut m = Mangler { out: "_Z".into(), seen: Vec::new() };
        let id = &f.name.last().id;
        if path.is_empty() {
            m.out += &format!("{}{id}", id.len());
            if !written.template.is_empty() {
                m.remember(format!("name:{id}"));
            }
        } else {
            m.out += "N";
            let mut prefix = String::new();
            for p in path {
                prefix += &format!("::{p}");
                m.out += &format!("{}{p}", p.len());
                m.remember(format!("ns:{prefix}"));
            }
            m.out += &format!("{}{id}", id.len());
            if !written.template.is_empty() {
                m.remember(format!("name:{prefix}::{id}"));
            }
        }
        if !written.template.is_empty() {
            self.mangle_own_targs(&mut m, written, targs);
        }
        if !path.is_empty() {
            m.out += "E";
        }
        if !written.template.is_empty() {
            // A template's result is part of its name.
            m.out += "v";
        }
        if written.params.is_empty() {
            m.out += "v";
        }
        for (k, p) in written.params.iter().enumerate() {
            // In the name of a template, its parameters stand as written: `T_`, `T0_`, ...
            let ty = match &p.ty.kind {
                TyKind::Expand(ty) => {
                    m.out += "Dp";
                    ty
                }
                _ => &p.ty,
            };
            if (targs.is_empty() && original.is_none())
                || !self.mangle_written(&mut m, ty, &written.template)
            {
                sig.params.get(k).into_iter().for_each(|v| self.mangle_var(&mut m, v));
            }
        }
        m.out
    }

    /// Template arguments of the function `f`; those of a pack between `J` and `E`.
    fn mangle_own_targs(&self, m: &mut Mangler, f: &ast::Function, targs: &[TemplateArg]) {
        m.out += "I";
        let extra = (targs.len() + 1).saturating_sub(f.template.len());
        let mut rest = targs;
        for p in &f.template {
            let (these, others) = rest.split_at(if p.pack { extra } else { 1 }.min(rest.len()));
            rest = others;
            m.out += if p.pack { "J" } else { "" };
            these.iter().for_each(|t| self.mangle_targ(m, t));
            m.out += if p.pack { "E" } else { "" };
        }
        m.out += "E";
    }

    fn mangle_targs(&self, m: &mut Mangler, targs: &[TemplateArg]) {
        m.out += "I";
        targs.iter().for_each(|t| self.mangle_targ(m, t));
        m.out += "E";
    }

    fn mangle_targ(&self, m: &mut Mangler, t: &TemplateArg) {
        match t {
            TemplateArg::Type(q) => self.mangle_type(m, q),
            TemplateArg::Template(t) => {
                let t = &self.struct_templates[*t];
                let name: Ident = t.ast.name.clone().unwrap_or_else(|| "".into());
                self.mangle_name(m, &self.scope_path(t.scope), &name, None);
            }
            TemplateArg::Int(v, Type::Member(t)) if *v != u64::MAX => {
                m.out += "XadL_Z";
                if let Some((class, name)) = self.member_at(t, *v) {
                    let path = self.scope_path(self.structs[class.0 as usize].scope);
                    self.mangle_name(m, &path, &name, None);
                }
                m.out += "EE";
            }
            TemplateArg::Int(v, Type::Method(f)) if *v > 0 => {
                let name =
                    &self.module.functions[self.addressed[*v as usize - 1].0.0 as usize].name;
                let parts: Vec<Ident> = name.split("::").map(Ident::from).collect();
                let (id, path) = parts.split_last().unwrap_or((&parts[0], &[]));
                m.out += "XadL_Z";
                let start = m.out.len();
                self.mangle_name(m, path, id, None);
                if f.params[0].q.ty.pointee().is_some_and(|o| o.is_const) {
                    m.out.insert(start + 1, 'K');
                }
                f.params[1..].iter().for_each(|p| self.mangle_var(m, p));
                m.out += if f.params.len() == 1 { "vEE" } else { "EE" };
            }
            TemplateArg::Int(v, Type::Func(f)) => {
                let at = self.addressed.get((*v as usize).wrapping_sub(1));
                let name = at.map_or("", |a| &self.module.functions[a.0.0 as usize].name);
                m.out += &format!("XadL_Z{}{name}", name.len());
                f.params.iter().for_each(|p| self.mangle_var(m, p));
                if f.params.is_empty() {
                    m.out += "v";
                }
                m.out += "EE";
            }
            TemplateArg::Int(v, t) => {
                m.out += "L";
                self.mangle_type(m, &t.clone().q());
                let signed = matches!(self.machine(t), crate::hir::Ty::Int { signed: true, .. });
                if signed && (*v as i64) < 0 {
                    m.out += &format!("n{}", (*v as i64).unsigned_abs());
                } else {
                    m.out += &v.to_string();
                }
                m.out += "E";
            }
        }
    }

    /// The type with template parameters as `T_`; says no if it has none, or a shape that is not
    /// handled.
    fn mangle_written(&self, m: &mut Mangler, ty: &ast::Ty, params: &[ast::TParam]) -> bool {
        let Some(key) = written_key(ty, params) else { return false };
        if !key.contains('T') {
            return false;
        }
        self.mangle_key(m, ty, params, true);
        true
    }

    fn mangle_key(&self, m: &mut Mangler, ty: &ast::Ty, params: &[ast::TParam], top: bool) {
        let constant = ty.is_const && !top;
        if constant {
            let key = format!(
                "K{}",
                written_key(&ast::Ty { is_const: false, ..ty.clone() }, params).unwrap_or_default()
            );
            if m.again(&key) {
                return;
            }
            m.out += "K";
            self.mangle_key(m, &ast::Ty { is_const: false, ..ty.clone() }, params, false);
            m.remember(key);
            return;
        }
        match &ty.kind {
            TyKind::Ptr(to, _) | TyKind::Array(to, _) => {
                let key = written_key(&ast::Ty { is_const: false, ..ty.clone() }, params)
                    .unwrap_or_default();
                if m.again(&key) {
                    return;
                }
                m.out += "P";
                self.mangle_key(m, to, params, false);
                m.remember(key);
            }
            TyKind::Name(n) => {
                if let Some(i) = n.plain().and_then(|id| params.iter().position(|p| p.name == *id))
                {
                    let name =
                        if i == 0 { "T_".to_string() } else { format!("T{}_", base36(i - 1)) };
                    if !m.again(&name) {
                        m.out += &name;
                        m.remember(name);
                    }
                }
            }
            _ => {
                if let Some(c) = plain_code(&ty.kind) {
                    m.out += c;
                }
            }
        }
    }

    fn mangle_var(&self, m: &mut Mangler, v: &VarTy) {
        if v.by_ref {
            let key = format!("R{}", self.key(&v.q));
            if m.again(&key) {
                return;
            }
            m.out += "R";
            self.mangle_type(m, &v.q);
            m.remember(key);
        } else {
            // `const` of a parameter itself is not part of the name.
            self.mangle_type(m, &v.q.plain());
        }
    }

    /// Text that is equal for equal types.
    fn key(&self, q: &QualType) -> String {
        let c = match (q.is_const, q.is_volatile) {
            _ if matches!(q.ty, Type::Array(..)) => "",
            (true, true) => "VK",
            (true, false) => "K",
            (false, true) => "V",
            (false, false) => "",
        };
        match &q.ty {
            Type::Ptr(to) => format!("{c}P{}", self.key(to)),
            Type::Array(e, n) => format!("{c}A{}_{}", n.unwrap_or(0), self.key(e)),
            Type::Struct(id) => format!("{c}struct{}", id.0),
            Type::Enum(e) => format!("{c}enum{e}"),
            Type::Func(f) | Type::Method(f) => format!("{c}{f:?}"),
            Type::Member(t) => format!("{c}M{}_{}", t.0.0, self.key(&t.1)),
            t => format!("{c}{}", code(t)),
        }
    }

    fn mangle_type(&self, m: &mut Mangler, q: &QualType) {
        if (q.is_const || q.is_volatile) && !matches!(q.ty, Type::Array(..)) {
            let key = self.key(q);
            if m.again(&key) {
                return;
            }
            m.out += if q.is_volatile { "V" } else { "" };
            m.out += if q.is_const { "K" } else { "" };
            self.mangle_type(m, &q.plain());
            m.remember(key);
            return;
        }
        match &q.ty {
            Type::Ptr(to) => {
                let key = self.key(q);
                if m.again(&key) {
                    return;
                }
                m.out += "P";
                self.mangle_type(m, to);
                m.remember(key);
            }
            Type::Array(e, n) => {
                let key = self.key(q);
                if m.again(&key) {
                    return;
                }
                m.out += &format!("A{}_", n.unwrap_or(0));
                self.mangle_type(m, e);
                m.remember(key);
            }
            Type::Struct(id) => {
                let info = &self.structs[id.0 as usize];
                // A type of the language for others.
                if *info.plain == *"__integer128" {
                    let int = TemplateArg::Type(Type::INT.q());
                    let signed = info.targs.as_deref() == Some(&[int]);
                    m.out += if signed { "n" } else { "o" };
                    return;
                }
                let key = self.key(q);
                if m.again(&key) {
                    return;
                }
                let mut path = self.scope_path(info.scope);
                path.pop();
                self.mangle_name(m, &path, &info.plain, info.targs.as_deref());
                m.remember(key);
            }
            Type::Enum(e) => {
                let key = self.key(q);
                if m.again(&key) {
                    return;
                }
                let name: Ident = self.enums[*e as usize].name.as_str().into();
                self.mangle_name(m, &[], &name, None);
                m.remember(key);
            }
            Type::Member(t) => {
                let key = self.key(q);
                if m.again(&key) {
                    return;
                }
                m.out += "M";
                self.mangle_type(m, &Type::Struct(t.0).q());
                self.mangle_type(m, &t.1);
                m.remember(key);
            }
            Type::Func(f) | Type::Method(f) => {
                let key = self.key(q);
                if m.again(&key) {
                    return;
                }
                let object = match q.ty {
                    Type::Method(_) => f.params[0].q.ty.pointee(),
                    _ => None,
                };
                m.out += if object.is_some() { "M" } else { "P" };
                if let Some(o) = object {
                    self.mangle_type(m, &o.plain());
                    m.out += if o.is_const { "K" } else { "" };
                }
                m.out += "F";
                self.mangle_var(m, &f.ret);
                let params = &f.params[usize::from(object.is_some())..];
                params.iter().for_each(|p| self.mangle_var(m, p));
                if params.is_empty() {
                    m.out += "v";
                }
                m.out += "E";
                m.remember(key);
            }
            t => m.out += code(t),
        }
    }

    fn mangle_name(
        &self,
        m: &mut Mangler,
        path: &[Ident],
        id: &Ident,
        targs: Option<&[TemplateArg]>,
    ) {
        // Half is a class in the vendor's headers.
        if !path.is_empty() {
            m.out += "N";
            let mut prefix = String::new();
            for p in path {
                prefix += &format!("::{p}");
            }
            if !m.again(&format!("ns:{prefix}")) {
                let mut prefix = String::new();
                for p in path {
                    prefix += &format!("::{p}");
                    m.out += &format!("{}{p}", p.len());
                    m.remember(format!("ns:{prefix}"));
                }
            }
        }
        m.out += &format!("{}{id}", id.len());
        if let Some(t) = targs {
            m.remember(format!("name:{id}"));
            self.mangle_targs(m, t);
        }
        if !path.is_empty() {
            m.out += "E";
        }
    }
}

/// As [`Sema::key`], for a written type with template parameters; `None` for shapes that are not
/// handled.
fn written_key(ty: &ast::Ty, params: &[ast::TParam]) -> Option<String> {
    let c = if ty.is_const { "K" } else { "" };
    Some(match &ty.kind {
        TyKind::Ptr(to, _) | TyKind::Array(to, _) => format!("{c}P{}", written_key(to, params)?),
        TyKind::Name(n) => {
            let i = n.plain().and_then(|id| params.iter().position(|p| p.name == *id))?;
            if i == 0 { format!("{c}T_") } else { format!("{c}T{}_", base36(i - 1)) }
        }
        kind => format!("{c}{}", plain_code(kind)?),
    })
}

fn plain_code(kind: &TyKind) -> Option<&'static str> {
    Some(match kind {
        TyKind::Void => "v",
        TyKind::Bool => "b",
        TyKind::Int(k) => code(&Type::Int(*k)),
        TyKind::F32 => "f",
        TyKind::F64 => "d",
        _ => return None,
    })
}

fn code(t: &Type) -> &'static str {
    match t {
        Type::Void => "v",
        Type::Bool => "b",
        Type::Int(k) => match k {
            IntKind::Char => "c",
            IntKind::SChar => "a",
            IntKind::UChar => "h",
            IntKind::Short => "s",
            IntKind::UShort => "t",
            IntKind::Int => "i",
            IntKind::UInt => "j",
            IntKind::Long => "l",
            IntKind::ULong => "m",
            IntKind::LongLong => "x",
            IntKind::ULongLong => "y",
        },
        Type::F16 => "6__half",
        Type::F32 => "f",
        Type::F64 => "d",
        _ => "Dn",
    }
}
