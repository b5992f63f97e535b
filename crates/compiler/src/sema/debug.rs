//! Expressions of the debugger: typed against a compiled module, with the names visible at a place.

use std::collections::HashSet;
use std::rc::Rc;

use super::types::{QualType, Type};
use super::{Entity, FieldInfo, GlobalVar, LocalVar, ScopeKind, Sema, This};
use crate::ast::{Ident, IntKind};
use crate::diag::{CompileError, Diagnostic, Severity};
use crate::hir::{self, FuncId, GlobalId, LocalId, Module, Space, Storage, StructId, Ty};
use crate::lex::lex;
use crate::source::Span;

/// Parses and types `text` as an expression at `at` in `function`: its variables in scope there,
/// variables of the file, built-in variables and functions without effect can be used. The result
/// is a value, or a place if the expression denotes one.
///
/// # Errors
/// Unknown names, wrong types, and everything that would change something: assignments, `++`,
/// atomics, calls of functions of the program. The messages show the expression as the file
/// `(expression)`.
pub fn expression_in_scope(
    text: &str,
    module: &Module,
    function: FuncId,
    at: Span,
) -> Result<hir::Expr, CompileError> {
    crate::stack::on_big_stack(|| {
        let mut sources = module.sources.clone();
        if sources.files().len() >= usize::from(u16::MAX) || text.len() > 1 << 16 {
            let d = Diagnostic::error(at, "this expression is too long");
            return Err(CompileError { diagnostics: vec![d], sources });
        }
        let file = sources.add("(expression)", text);
        let mut diags = Vec::new();
        let tokens = lex(text, file, &mut diags);
        diags.retain(|d| d.severity == Severity::Error);
        let own = HashSet::new();
        let mut sema = Sema::new(sources, &own, module.language);
        let dialect = crate::parse::Dialect { language: module.language, own: &own };
        let Some(f) = module.functions.get(function.0 as usize) else {
            let d = Diagnostic::error(at, "there is no such function");
            return Err(CompileError { diagnostics: vec![d], sources: sema.module.sources });
        };
        let types = sema.take_over(module, f, at);
        let result = if let Some(d) = diags.pop() {
            Err(Box::new(d))
        } else {
            crate::parse::parse_expression(tokens, &types, dialect).and_then(|e| sema.expr(&e))
        };
        match result {
            Ok(ex) if sema.ctx.locals.len() == f.locals.len() => Ok(match ex.constant {
                Some(k) => sema.lit(k, &ex.q.plain(), ex.e.span),
                None => ex.e,
            }),
            Ok(ex) => {
                let d = Diagnostic::error(
                    ex.e.span,
                    "this expression needs a temporary variable, which the debugger does not have",
                );
                Err(CompileError { diagnostics: vec![d], sources: sema.module.sources })
            }
            Err(d) => Err(CompileError { diagnostics: vec![*d], sources: sema.module.sources }),
        }
    })
}

impl Sema<'_> {
    /// Makes the types and variables of a compiled module known; gives the names of its classes.
    fn take_over(&mut self, module: &Module, f: &hir::Function, at: Span) -> Vec<Ident> {
        self.read_only = true;
        let mut names: Vec<Ident> = Vec::new();
        // The built-in types are the first in every module, in the same order.
        for (i, def) in module.structs.iter().enumerate().skip(self.structs.len()) {
            let plain: Ident = def.name.as_str().into();
            let id = self.new_struct(def.name.clone(), plain.clone(), 0, Span::default());
            let info = &mut self.structs[i];
            info.complete = true;
            let scope = info.scope;
            for (k, field) in def.fields.iter().enumerate() {
                if field.name.starts_with("$base")
                    && let Ty::Struct(base) = &field.ty
                    && info.bases.len() == k
                    && *base != id
                {
                    info.bases.push(*base);
                }
                info.fields.push(FieldInfo {
                    name: field.name.as_str().into(),
                    ty: written(&field.ty).q().value(),
                    align: None,
                    default: None,
                    bits: None,
                });
            }
            for field in &def.fields {
                self.scopes[scope].names.insert(field.name.as_str().into(), Entity::Field);
            }
            self.module.structs[i] = def.clone();
            self.scopes[0]
                .names
                .insert(plain.clone(), Entity::Type(Type::Struct(StructId(i as u32)).q()));
            names.push(plain);
        }
        self.module.globals = module.globals.clone();
        for (i, g) in module.globals.iter().enumerate() {
            let q = QualType { is_const: g.space == Space::Constant, ..written(&g.ty).q() };
            self.globals.push(GlobalVar {
                id: Some(GlobalId(i as u32)),
                q,
                constant: None,
                value: None,
                is_extern: false,
                span: g.span,
            });
            let plain = g.name.rsplit("::").next().unwrap_or(&g.name);
            self.scopes[0].names.insert(plain.into(), Entity::Global(self.globals.len() - 1));
        }
        self.ctx.serial = 1;
        self.ctx.locals = f.locals.clone();
        let scope = self.push_scope(0, ScopeKind::Block, "");
        self.ctx.scope = scope;
        // Later declarations hide earlier ones: inner blocks come after outer ones.
        for (i, l) in f.locals.iter().enumerate() {
            let visible = l.scope.file == at.file
                && l.scope.lo <= at.lo
                && at.lo < l.scope.hi.max(l.scope.lo + 1);
            if l.name.starts_with('$') || !(visible || (i as u32) < f.param_count) {
                continue;
            }
            let mut t = written(&l.ty);
            if let (Type::Array(elem, _), Storage::SharedDynamic) = (t.clone(), l.storage) {
                t = Type::Array(elem, None);
            }
            if i == 0
                && l.name == "this"
                && let Type::Ptr(to) = &t
            {
                self.ctx.this = This::Pointer((**to).clone());
            }
            let ty = t.q().value();
            let var =
                LocalVar { id: LocalId(i as u32), ty, constant: None, owner: 1, span: l.span };
            self.scopes[scope].names.insert(l.name.as_str().into(), Entity::Local(Rc::new(var)));
        }
        names
    }
}

/// The type as it could have been written.
fn written(ty: &Ty) -> Type {
    match ty {
        Ty::Void => Type::Void,
        Ty::Bool => Type::Bool,
        Ty::Int { bits, signed } => Type::Int(match (bits, signed) {
            (8, true) => IntKind::Char,
            (8, false) => IntKind::UChar,
            (16, true) => IntKind::Short,
            (16, false) => IntKind::UShort,
            (32, true) => IntKind::Int,
            (32, false) => IntKind::UInt,
            (_, true) => IntKind::LongLong,
            (_, false) => IntKind::ULongLong,
        }),
        Ty::F16 => Type::F16,
        Ty::F32 => Type::F32,
        Ty::F64 => Type::F64,
        Ty::Ptr(to, _) => written(to).ptr(),
        Ty::Array(elem, n) => Type::Array(Rc::new(written(elem).q()), Some(*n)),
        Ty::Struct(id) => Type::Struct(*id),
    }
}
