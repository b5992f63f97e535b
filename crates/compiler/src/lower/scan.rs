//! Which variables a piece of the tree may assign, and what kinds of control flow it holds.

use std::collections::HashSet;

use crate::hir::{Block, Builtin, Expr, ExprKind, LocalId, Stmt, StmtKind};

/// What a piece of the tree may do.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    /// Locals assigned, incremented, or whose address is taken.
    pub assigned: HashSet<LocalId>,
    /// Locals declared inside: gone afterwards.
    pub declared: HashSet<LocalId>,
    /// Stores through pointers, or calls: any variable whose address is known somewhere may change.
    pub indirect: bool,
    /// `break` that leaves this piece.
    pub breaks: bool,
    /// `continue` that leaves this piece.
    pub continues: bool,
    /// `return`.
    pub returns: bool,
    /// Memory accesses, calls, divisions or floating-point work: not to be done by lanes that
    /// should not.
    pub heavy: bool,
}

pub(super) fn block(block: &Block) -> Effects {
    let mut effects = Effects::default();
    effects.block(block);
    effects
}

pub(super) fn expr(e: &Expr) -> Effects {
    let mut effects = Effects::default();
    effects.expr(e);
    effects
}

impl Effects {
    pub fn block(&mut self, block: &Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Let(local, init) => {
                self.declared.insert(*local);
                if let Some(e) = init {
                    self.expr(e);
                }
            }
            StmtKind::Block(b) | StmtKind::Labelled { body: b, .. } => self.block(b),
            StmtKind::If { cond, then, els } => {
                self.expr(cond);
                self.block(then);
                self.block(els);
            }
            StmtKind::Loop { cond, step, body, .. } => {
                let outer = (self.breaks, self.continues);
                for e in cond.iter().chain(step) {
                    self.expr(e);
                }
                self.block(body);
                (self.breaks, self.continues) = outer;
            }
            StmtKind::Switch { value, arms } => {
                self.expr(value);
                let outer = self.breaks;
                for arm in arms {
                    self.block(&arm.body);
                }
                self.breaks = outer;
            }
            StmtKind::Break => self.breaks = true,
            StmtKind::Continue => self.continues = true,
            StmtKind::Goto(_) => {}
            StmtKind::Return(e) => {
                self.returns = true;
                if let Some(e) = e {
                    self.expr(e);
                }
            }
        }
    }

    fn assign(&mut self, place: &Expr) {
        match root(place) {
            Some(local) => {
                self.assigned.insert(local);
            }
            None => self.indirect = true,
        }
    }

    pub fn expr(&mut self, e: &Expr) {
        use crate::hir::BinOp::{Div, Rem};
        match &e.kind {
            ExprKind::AddrOf(place) => self.assign(place),
            ExprKind::Assign(place, _)
            | ExprKind::AssignOp(_, place, _)
            | ExprKind::IncDec { place, .. } => {
                self.heavy = true;
                self.assign(place);
            }
            ExprKind::Call(..) => {
                self.heavy = true;
                self.indirect = true;
            }
            ExprKind::Builtin(builtin, _) => {
                let plain = matches!(
                    builtin,
                    Builtin::ThreadIdx(_)
                        | Builtin::BlockIdx(_)
                        | Builtin::BlockDim(_)
                        | Builtin::GridDim(_)
                        | Builtin::LaneId
                        | Builtin::GlobalId(_)
                        | Builtin::GlobalOffset(_)
                        | Builtin::WorkDim
                        | Builtin::MinI
                        | Builtin::MaxI
                        | Builtin::AbsI
                );
                self.heavy |= !plain;
                // Those that store through a pointer argument.
                self.indirect |= matches!(
                    builtin,
                    Builtin::SinCos { .. }
                        | Builtin::Frexp
                        | Builtin::Modf
                        | Builtin::Atomic(_)
                        | Builtin::AtomicCas
                );
            }
            ExprKind::Load(p) => self.heavy |= !matches!(p.kind, ExprKind::Local(_)),
            ExprKind::Unary(..) | ExprKind::Cast(_) => self.heavy |= e.ty.is_float(),
            ExprKind::Binary(op, ..) => {
                self.heavy |= e.ty.is_float() || matches!(op, Div | Rem);
            }
            ExprKind::Deref(_) | ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Cond(..) => {
                self.heavy = true;
            }
            _ => {}
        }
        crate::walk::children(e, &mut |part| self.expr(part));
    }
}

/// The variable that a place is part of, if it is not reached through a pointer.
pub(super) fn root(place: &Expr) -> Option<LocalId> {
    match &place.kind {
        ExprKind::Local(local) => Some(*local),
        ExprKind::Field(inner, _) | ExprKind::Index(inner, _) => root(inner),
        _ => None,
    }
}

/// The last statement returns, and no other one does: the body needs no control flow of its own.
pub(super) fn single_return(body: &Block) -> bool {
    let Some((last, rest)) = body.split_last() else { return true };
    let mut effects = Effects::default();
    rest.iter().for_each(|s| effects.stmt(s));
    if effects.returns {
        return false;
    }
    match &last.kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(inner) => single_return(inner),
        _ => {
            effects.stmt(last);
            !effects.returns
        }
    }
}
