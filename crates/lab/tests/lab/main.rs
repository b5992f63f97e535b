//! The command `cargo lab`: the course's part on a copy of it, the tools within this process, what
//! documents say of both.

mod check;
mod class;
mod command;
mod diagnostics;
mod docs;
mod kernel;
mod workflows;
