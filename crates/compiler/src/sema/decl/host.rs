//! Templates that only host code starts: their instances are made, so that they are compiled and
//! their mistakes are seen.
//!
//! What the host's own templates start is known once it is known with which arguments the host
//! calls them. Whatever cannot be told is left alone: host code may be anything.

use std::collections::HashSet;
use std::rc::Rc;

use crate::ast::{self, Body, Mention};
use crate::sema::types::QualType;
use crate::sema::{Entity, FnIdx, ScopeId, Sema, TemplateArg};

/// Functions of the host that are gone through.
const MAX_HOSTS: usize = 2000;

impl Sema<'_> {
    /// Makes the instances that the functions of the host name.
    pub(in crate::sema) fn mentioned_by_hosts(&mut self) {
        let mut seen: HashSet<(FnIdx, Vec<TemplateArg>)> = HashSet::new();
        let mut work: Vec<(Rc<ast::Function>, ScopeId)> = Vec::new();
        work.extend(self.hosts.iter().rev().filter(|(f, _)| !f.is_template).cloned());
        let mut budget = MAX_HOSTS;
        while let Some((f, scope)) = work.pop() {
            if budget == 0 || self.errors() >= crate::diag::MAX_ERRORS {
                return;
            }
            budget -= 1;
            for m in f.mentions.iter() {
                self.ctx.scope = scope;
                let Some((idx, targs)) = self.mentioned(m) else { continue };
                let decl = &self.funcs[idx];
                let (ast, parent) = (decl.ast.clone(), decl.scope);
                if ast.specs.global {
                    if let Err(d) = self.instance(idx, targs, m.name.span) {
                        self.report(*d);
                    }
                    self.bodies();
                } else if matches!(ast.body, Body::Host) && seen.insert((idx, targs.clone())) {
                    let params = Rc::new(ast.template.clone());
                    if let Ok(inner) = self.bind_template(&params, &targs, parent, ast.span) {
                        work.push((ast, inner));
                    }
                }
            }
        }
    }

    /// The template that is meant, with its arguments, if they can be told.
    fn mentioned(&mut self, m: &Mention) -> Option<(FnIdx, Vec<TemplateArg>)> {
        let Ok(Some((Entity::Funcs(list), _))) = self.resolve(&m.name) else { return None };
        let explicit = match &m.name.last().args {
            Some(args) => self.template_values(&args.clone()).ok()?,
            None => Vec::new(),
        };
        let mut types: Vec<Option<(QualType, bool)>> = Vec::new();
        for ty in m.args.iter().flatten() {
            let q = ty.as_ref().and_then(|ty| self.var_ty(ty).ok()).map(|v| (v.q, true));
            types.push(q);
        }
        for &idx in list.iter() {
            let f = &self.funcs[idx].ast;
            let pack = f.variadic || f.template.iter().any(|t| t.pack);
            let given = f.params.len() <= types.len()
                || f.params[types.len()..].iter().all(|p| p.default.is_some());
            let fits = m.args.is_none() || pack || given && types.len() <= f.params.len();
            if !f.is_template || !fits {
                continue;
            }
            let Some(idx) = self.unpacked(idx, &explicit, &types) else { continue };
            if let Some(targs) = self.deduce(idx, &explicit, &types, m.name.span) {
                return Some((idx, targs));
            }
        }
        None
    }
}
