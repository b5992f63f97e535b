//! The platform on a judge's device: the program's side ([`program`]) asks by [`wire::channel`],
//! the judge's side ([`crossed`]) makes the same call of the emulated platform in its own process,
//! where all objects are.
//!
//! Each parameter crosses as a word: a value, or whether a pointer is null. What a pointer leads to
//! follows from the parameter's [`shape::Shape`], and the judge counts how much that is by its own
//! means. Memory of the program crosses with the command that takes it from there, and what a
//! command puts there with the answer to the call in which it ran (`emulated::host`).

pub(crate) mod crossed;
pub(crate) mod parameter;
pub(crate) mod program;
mod shape;
pub(crate) mod told;
