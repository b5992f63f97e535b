//! Compiler of CUDA C and OpenCL C kernels: what runs once per source.
//!
//! The stages, each in its own module: [`source`] text -> tokens -> tree -> typed [`hir`] ->
//! [`bytecode`]. `simt` executes the bytecode and shows these modules under its own name; other
//! crates use that one. The executor is worth an optimiser's time, this crate is not: that is why
//! they are two.
#![forbid(unsafe_code)]

mod ast;
pub mod builtins;
pub mod bytecode;
pub mod compile;
pub mod diag;
pub mod files;
pub mod hir;
pub mod known;
pub mod language;
mod lex;
pub mod listing;
pub mod lower;
mod op;
pub mod order;
mod parse;
mod pp;
pub mod program;
pub mod round;
mod sema;
pub mod source;
#[cfg(test)]
mod squeeze;
mod stack;
mod suggest;
pub mod tree;
mod walk;
mod words;
