//! The library and the program as a whole; a module for each subject.
//! `cargo test -p rtm --test suite opencl` runs one of them.

#[cfg(feature = "cuda")]
mod cuda;
mod field;
mod handout;
#[cfg(feature = "opencl")]
#[path = "../support/held.rs"]
mod held;
#[cfg(feature = "opencl")]
mod opencl;
mod physics;
mod program;
mod strategies;
mod survey;
