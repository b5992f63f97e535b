//! What an author's program holds: a module under construction, and the signals in it.
//!
//! Here are the handles alone. What can be done with a signal is in `signal`, with a module in
//! `module`.

use std::cell::RefCell;

use crate::draft::Draft;
use crate::ir::NodeId;

/// A module under construction.
pub struct Module {
    pub(crate) draft: RefCell<Draft>,
}

/// A signal of a module: an input, a register's value or an expression. A copyable handle.
#[derive(Clone, Copy)]
pub struct Sig<'m> {
    pub(crate) module: &'m Module,
    pub(crate) id: NodeId,
}

/// A register. Reads like the signal of its value; [`Reg::set`] says what it takes at the next
/// edge.
#[derive(Clone, Copy)]
pub struct Reg<'m> {
    pub(crate) q: Sig<'m>,
    pub(crate) index: usize,
}

/// A signal that is declared before it is driven.
#[derive(Clone, Copy)]
pub struct Wire<'m> {
    pub(crate) sig: Sig<'m>,
}
