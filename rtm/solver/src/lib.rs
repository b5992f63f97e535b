//! The acoustic wave equation on a regular grid, with second-order steps in time: what a shot is,
//! how it is to be run, what a back end does for it, and the back end for the CPU.
//!
//! A crate of its own, because this part alone is worth all of an optimiser's time: the migration
//! (`rtm-library`, which shows these modules as its own) is built with less.
//!
//! | module | what it does |
//! |---|---|
//! | [`grid`] | regular grids, cubes of values on them, and the padded volumes that the propagator works on |
//! | [`real`] | `f32` and `f64` as one trait, and blocks of them |
//! | [`plan`] | all that defines how one shot is run: plain data, shared by every back end |
//! | [`shot`] | sources, receivers and their traces in grid points; what a migrated shot returns |
//! | [`fd`] | finite-difference coefficients, stability and dispersion |
//! | [`engine`] | the trait of a back end: fields, steps, injection, recording, imaging |
//! | [`propagate`] | the back end for the CPU |
//! | [`memory`] | what a shot takes, and what there is |
//! | [`random`] | random velocities in a shot's layers |
//! | [`metrics`] | energy and error norms |
//!
//! Units everywhere: metres, seconds, m/s, Hz; z grows downwards and is the fastest index in
//! memory.

pub mod engine;
pub mod error;
pub mod fd;
pub mod grid;
pub mod memory;
pub mod metrics;
pub mod plan;
pub mod propagate;
pub mod random;
pub mod real;
pub mod shot;

pub use error::{Error, Result};
pub use grid::{Cube, Grid, Volume};
pub use plan::Plan;
pub use real::Real;
pub use shot::{Shot, ShotImage, Traces};
