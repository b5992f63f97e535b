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
//! | [`grid`], [`real`], [`plan`], [`shot`], [`fd`], [`engine`], [`propagate`], [`metrics`] | those of [`solver`]: what a shot is, and the CPU's back end |
//! | `cuda` (feature `cuda`) | the CUDA back end: a shot in the memory of a GPU |
//! | `opencl` (feature `opencl`) | the OpenCL back end |
//! | [`strategy`] | forward modelling, and migration of one shot with every memory strategy |
//! | [`imaging`] | imaging conditions, Laplacian filter, illumination |
//! | [`verify`] | checks of the physics against theory |
//! | [`io`], [`model`], [`survey`], [`run`], [`picture`] | files, velocity models, acquisition, whole surveys, PNG |
//!
//! Units everywhere: metres, seconds, m/s, Hz; z grows downwards and is the fastest index in
//! memory.

#[cfg(feature = "cuda")]
pub mod cuda;
pub mod imaging;
pub mod io;
pub mod look;
pub mod model;
#[cfg(feature = "opencl")]
pub mod opencl;
pub mod picture;
pub mod run;
pub mod strategy;
pub mod survey;
pub mod verify;

pub use solver::{Cube, Error, Grid, Plan, Real, Result, Shot, ShotImage, Traces, Volume};
pub use solver::{engine, error, fd, grid, metrics, plan, propagate, real, shot};
