//! Walks over the typed tree, to read it and to change it.

use crate::hir::{Block, Expr, ExprKind, StmtKind};

/// Three functions, once for `&` and once for `&mut`.
macro_rules! walks {
    ($children:ident $visit_expr:ident $visit:ident $($mutable:tt)?) => {
        /// Calls `f` on each direct part of an expression.
        pub(crate) fn $children(e: &$($mutable)? Expr, f: &mut dyn FnMut(&$($mutable)? Expr)) {
            match &$($mutable)? e.kind {
                ExprKind::Local(_)
                | ExprKind::Global(_)
                | ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::Str(_) => {}
                ExprKind::Deref(a)
                | ExprKind::Field(a, _)
                | ExprKind::Load(a)
                | ExprKind::AddrOf(a)
                | ExprKind::Unary(_, a)
                | ExprKind::Cast(a)
                | ExprKind::IncDec { place: a, .. }
                | ExprKind::FieldOf(a, _) => f(a),
                ExprKind::Index(a, b)
                | ExprKind::PtrAdd(a, b)
                | ExprKind::PtrDiff(a, b)
                | ExprKind::Binary(_, a, b)
                | ExprKind::Cmp(_, a, b)
                | ExprKind::And(a, b)
                | ExprKind::Or(a, b)
                | ExprKind::Assign(a, b)
                | ExprKind::AssignOp(_, a, b)
                | ExprKind::Comma(a, b) => {
                    f(a);
                    f(b);
                }
                ExprKind::Cond(a, b, c) => {
                    f(a);
                    f(b);
                    f(c);
                }
                ExprKind::Call(_, list)
                | ExprKind::Builtin(_, list)
                | ExprKind::Aggregate(list) => {
                    for a in list {
                        f(a);
                    }
                }
            }
        }

        /// Calls `f` on the expression and all within, the outer ones first.
        pub(crate) fn $visit_expr(e: &$($mutable)? Expr, f: &mut dyn FnMut(&$($mutable)? Expr)) {
            f(e);
            $children(e, &mut |c| $visit_expr(c, f));
        }

        /// Calls `f` on every expression of the statements, the outer ones first.
        pub(crate) fn $visit(block: &$($mutable)? Block, f: &mut dyn FnMut(&$($mutable)? Expr)) {
            for s in block {
                match &$($mutable)? s.kind {
                    StmtKind::Expr(e) | StmtKind::Let(_, Some(e)) | StmtKind::Return(Some(e)) => {
                        $visit_expr(e, f)
                    }
                    StmtKind::Block(b) | StmtKind::Labelled { body: b, .. } => $visit(b, f),
                    StmtKind::If { cond, then, els } => {
                        $visit_expr(cond, f);
                        $visit(then, f);
                        $visit(els, f);
                    }
                    StmtKind::Loop { cond, step, body, .. } => {
                        if let Some(e) = cond {
                            $visit_expr(e, f);
                        }
                        $visit(body, f);
                        if let Some(e) = step {
                            $visit_expr(e, f);
                        }
                    }
                    StmtKind::Switch { value, arms } => {
                        $visit_expr(value, f);
                        for a in arms {
                            $visit(&$($mutable)? a.body, f);
                        }
                    }
                    StmtKind::Let(_, None)
                    | StmtKind::Return(None)
                    | StmtKind::Break
                    | StmtKind::Continue
                    | StmtKind::Goto(_) => {}
                }
            }
        }
    };
}

walks!(children visit_expr visit);
walks!(children_mut visit_expr_mut visit_mut mut);
