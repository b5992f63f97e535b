//! What has been written of a module so far: its netlist and the mistakes in it.

use std::collections::HashMap;
use std::panic::Location;

use crate::error::BuildError;
use crate::ir::{Netlist, NodeId, Op, Statement};
use crate::names;
use crate::types::{MAX_WIDTH, Type};

#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) net: Netlist,
    pub(crate) errors: Vec<BuildError>,
    /// Every name taken, in lower case (VHDL does not tell `A` from `a`), with the spelling.
    taken: HashMap<String, String>,
    /// Open scopes of the process being written; empty outside processes.
    pub(crate) scopes: Vec<Vec<Statement>>,
    pub(crate) process: Option<usize>,
    /// The synchronous clear.
    pub(crate) clear: Option<NodeId>,
    pub(crate) allowed_unused: Vec<NodeId>,
    /// The author's line that is being carried out.
    pub(crate) here: Option<&'static Location<'static>>,
    /// For each node the line that made it.
    pub(crate) places: Vec<Option<&'static Location<'static>>>,
}

/// File and line of a place, for people.
pub(crate) fn place(at: Option<&'static Location<'static>>) -> Option<String> {
    at.map(|at| format!("{}:{}", at.file(), at.line()))
}

impl Draft {
    pub(crate) fn error(&mut self, what: impl Into<String>, fix: impl Into<String>) {
        let error = BuildError {
            module: self.net.name.clone(),
            at: place(self.here),
            what: what.into(),
            fix: fix.into(),
        };
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    pub(crate) fn claim(&mut self, name: &str) {
        if let Some((what, fix)) = names::complaint(name) {
            self.error(what, fix);
        }
        if let Some(other) = self.taken.insert(name.to_ascii_lowercase(), name.to_string()) {
            let what = if other == name {
                format!("the name `{name}` is used twice")
            } else {
                format!("`{other}` and `{name}` are the same name in VHDL, which ignores case")
            };
            self.error(what, format!("rename one of them, say `{name}_r` for a register"));
        }
    }

    pub(crate) fn push(&mut self, op: Op, mut ty: Type) -> NodeId {
        if ty.width == 0 || ty.width > MAX_WIDTH {
            ty.width = ty.width.clamp(1, MAX_WIDTH);
            return self.place(Op::Poison, ty);
        }
        let poisoned = op.operands().iter().any(|&n| self.is_poison(n));
        let op = if poisoned && !matches!(op, Op::Wire(_)) { Op::Poison } else { op };
        self.place(op, ty)
    }

    fn place(&mut self, op: Op, ty: Type) -> NodeId {
        self.places.push(self.here);
        self.net.push(op, ty)
    }

    pub(crate) fn is_poison(&self, id: NodeId) -> bool {
        match &self.net.nodes[id].op {
            Op::Poison => true,
            Op::Wire(Some(driver)) => matches!(self.net.nodes[*driver].op, Op::Poison),
            _ => false,
        }
    }

    pub(crate) fn named(&mut self, op: Op, ty: Type, name: &str) -> NodeId {
        self.claim(name);
        self.width_ok(ty, name);
        let id = self.push(op, ty);
        self.net.nodes[id].name = Some(name.to_string());
        id
    }

    pub(crate) fn width_ok(&mut self, ty: Type, name: &str) {
        if ty.width == 0 || ty.width > MAX_WIDTH {
            self.error(
                format!("`{name}` is {} bits wide", ty.width),
                format!("use 1 to {MAX_WIDTH} bits; split wider values into parts"),
            );
        }
    }

    pub(crate) fn statement(&mut self, statement: Statement) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(statement);
        }
    }
}
