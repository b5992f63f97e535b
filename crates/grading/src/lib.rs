//! Exercises, checks, verdicts, evidence, reports, running submissions. Knows no lab by name.
//!
//! A lab's `checks` crate describes its exercises with [`course`]'s plain data. A [`Check`] is a
//! function from a [`Trial`] (one student's files, one seed) to [`Evidence`] or a [`Finding`].
#![forbid(unsafe_code)]

pub mod answers;
#[cfg(not(target_family = "wasm"))]
pub mod boxed;
#[cfg(not(target_family = "wasm"))]
pub mod cargo;
pub mod clock;
pub mod course;
pub mod design;
#[cfg(not(target_family = "wasm"))]
pub mod device;
mod engine;
pub mod expect;
pub mod finding;
pub mod handed_in;
pub mod hints;
#[cfg(not(target_family = "wasm"))]
pub mod host;
#[cfg(target_family = "wasm")]
#[path = "nohost.rs"]
pub mod host;
#[cfg(not(target_family = "wasm"))]
pub mod intake;
#[cfg(not(target_family = "wasm"))]
mod limits;
#[cfg(not(target_family = "wasm"))]
mod mend;
#[cfg(not(target_family = "wasm"))]
pub mod mirror;
#[cfg(not(target_family = "wasm"))]
pub mod moved;
pub mod mutant;
pub mod overlay;
mod paths;
pub mod place;
mod plan;
pub mod region;
mod reply;
pub mod report;
pub mod rig;
pub mod roster;
pub mod rules;
pub mod runner;
#[cfg(not(target_family = "wasm"))]
pub mod scratch;
#[cfg(not(target_family = "wasm"))]
mod seal;
pub mod similar;
mod source;
pub mod study;
#[cfg(not(target_family = "wasm"))]
pub mod submission;
#[cfg(not(target_family = "wasm"))]
mod supervisor;
mod text;
pub mod trace;
pub mod trial;
#[cfg(not(target_family = "wasm"))]
pub mod watch;
#[cfg(not(target_family = "wasm"))]
pub mod worker;
#[cfg(not(target_family = "wasm"))]
pub mod workshop;

pub use answers::Answers;
pub use course::{Check, Exercise, Lab};
pub use finding::{About, Class, Evidence, Finding, Outcome, Picture, Verdict};
pub use host::Host;
pub use mutant::Mutant;
pub use place::Place;
pub use report::Graded;
pub use rig::{Kernels, Launcher, Run};
pub use runner::{CheckResult, ExerciseResult, LabResult, Late, Options, Points, grade};
pub use source::Source;
pub use trial::{Compiled, Counts, Trial, Work};
pub use wire::{Call, Reply};
