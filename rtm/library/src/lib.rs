//! 3-D acoustic reverse time migration (RTM): from a velocity model and shot records to an image of
//! the subsurface.
//!
//! For each shot the source's wavefield is propagated forward in time and the recorded traces
//! backward, both through the same velocity model; where the two meet there is a reflector, so
//! their correlation, summed over time and over shots, is the image. The correlation wants the
//! source's field in *reverse* time order while it is made in forward order: the [`strategy`]
//! modules are four ways to live with that without storing it all.
//!
//! | module | what it does |
//! |---|---|
//! | [`grid`] | regular grids, cubes of values on them, and the padded volumes that the propagator works on |
//! | [`real`] | `f32` and `f64` as one trait |
//! | [`plan`] | all that defines how one shot is run: plain data, shared by every back end |
//! | [`shot`] | sources, receivers and their traces in grid points; what a migrated shot returns |
//! | [`fd`] | finite-difference coefficients, stability and dispersion |
//! | [`engine`] | the trait of a back end: fields, steps, injection, recording, imaging |
//! | [`propagate`] | the native CPU back end |
//! | `cuda` (feature `cuda`) | the CUDA back end: a shot in the memory of a GPU |
//! | `opencl` (feature `opencl`) | the OpenCL back end |
//! | [`strategy`] | forward modelling, and migration of one shot with every memory strategy |
//! | [`imaging`] | imaging conditions, Laplacian filter, illumination |
//! | [`metrics`] | energy and error norms |
//! | [`verify`] | checks of the physics against theory |
//! | [`io`], [`model`], [`survey`], [`run`], [`picture`] | files, velocity models, acquisition, whole surveys, PNG |
//!
//! Units everywhere: metres, seconds, m/s, Hz; z grows downwards and is the fastest index in
//! memory.

#[cfg(feature = "cuda")]
pub mod cuda;
pub mod engine;
pub mod error;
pub mod fd;
pub mod grid;
pub mod imaging;
pub mod io;
pub mod look;
pub mod metrics;
pub mod model;
#[cfg(feature = "opencl")]
pub mod opencl;
pub mod picture;
pub mod plan;
pub mod propagate;
pub mod real;
pub mod run;
pub mod shot;
pub mod strategy;
pub mod survey;
pub mod verify;

pub use error::{Error, Result};
pub use grid::{Cube, Grid, Volume};
pub use plan::Plan;
pub use real::Real;
pub use shot::{Shot, ShotImage, Traces};
