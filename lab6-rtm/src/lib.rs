//! Lab 6: the kernels of reverse time migration.
//!
//! Exercises 6.1 to 6.7 are kernels, in `kernels/`; [`e6_8`] and [`e6_9`] are host code. Open the
//! handout, `README.md`, and start at exercise 6.1, in `kernels/stencil_naive.cu`.

// Exercises name each other through the crate's name, so that a module also compiles outside of
// this crate.
extern crate self as lab6_rtm;

pub mod host;
pub mod shot;
pub mod volume;

// <modules: `cargo lab sync` writes this list
#[cfg_attr(feature = "solutions", path = "../../solutions/lab6-rtm/src/e6_8.rs")]
pub mod e6_8;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab6-rtm/src/e6_9.rs")]
pub mod e6_9;
// modules>
