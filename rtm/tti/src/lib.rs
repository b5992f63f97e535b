//! Waves in tilted transversely isotropic (TTI) media, after Fletcher, Du and Fowler (2009), and
//! the mini-app that is used to compare machines with them.
//!
//! Two fields p and q obey (their equations 12 and 13; H1 is the second derivative along the axis
//! of symmetry, H2 the rest of the Laplacian)
//!
//! ```text
//! p_tt = vpx^2 H2 p + vpz^2 H1 q + vsz^2 H1 (p - q)
//! q_tt = vpn^2 H2 p + vpz^2 H1 q - vsz^2 H2 (p - q)
//! H1   = ax^2 dxx + ay^2 dyy + az^2 dzz + 2 ax ay dxy + 2 ay az dyz + 2 ax az dxz
//! H2   = dxx + dyy + dzz - H1
//! a    = (sin theta cos phi, sin theta sin phi, cos theta)
//! vpx^2 = vpz^2 (1 + 2 epsilon),   vpn^2 = vpz^2 (1 + 2 delta)
//! vsz^2 = vpz^2 |epsilon - delta| / sigma
//! ```
//!
//! in differences of order 8 in space and 2 in time. There are four implementations of the step,
//! which differ in how they take the mixed derivatives: the [`Method`]s. docs/tti.md derives all of
//! it, and names the test of each claim.
//!
//! | module | what it does |
//! |---|---|
//! | [`VolumeLayout`] | where points lie; x is the fastest index here |
//! | [`Medium`], [`Model`], [`Form`] | media, the mini-app's models with their random boundary, coefficients |
//! | stability | phase velocities and the largest stable step, as methods of [`Medium`] and [`Model`] |
//! | [`cpu`] | base and best step on the CPU |
//! | `kernel` | methods and shapes of the kernels on devices |
//! | `gpu` | every method through CUDA, or on the emulated device |
//! | `opencl` | every method through OpenCL: PoCL, a GPU's driver, or the emulated device |
//! | [`fletcher`] | the mini-app: time loop, snapshots, report |
//! | [`sweep`] | speed over the size of the grid, several runs of each |
//! | `roofline` | counts of the kernels and their picture |

mod best;
pub mod cpu;
pub mod fletcher;
#[cfg(feature = "cuda")]
pub mod gpu;
#[cfg(any(feature = "cuda", feature = "opencl"))]
pub mod kernel;
mod layout;
mod libc_rand;
mod lines;
mod march;
mod media;
mod model;
#[cfg(feature = "opencl")]
pub mod opencl;
#[cfg(feature = "cuda")]
pub mod roofline;
mod rsf;
mod source;
mod stability;
pub mod sweep;
#[cfg(test)]
mod tests;

use std::str::FromStr;

use rtm::{Error, Result};

pub use layout::{BORDER, ORDER, VolumeLayout};
pub use model::{COEFFICIENTS, Form, Medium, Model, SIGMA};
pub use source::{CUT_HZ, source};

/// How the mixed derivatives are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Each over its 64 points in memory, as in the mini-app.
    Base,
    /// The same, with x-y planes in shared memory for the differences within them; not on the CPU.
    Shared,
    /// The same, with all neighbours in shared memory: planes stay there while the block marches
    /// past them; not on the CPU.
    SharedQueue,
    /// As first differences of first differences, each taken once.
    Best,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 4] = [Method::Base, Method::Shared, Method::SharedQueue, Method::Best];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Base => "base",
            Method::Shared => "shared",
            Method::SharedQueue => "shared-queue",
            Method::Best => "best",
        }
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Method> {
        Method::ALL.into_iter().find(|m| m.name() == text).ok_or_else(|| {
            Error::refused(
                format!("method '{text}'"),
                "there is none",
                "base, shared, shared-queue or best",
            )
        })
    }
}

/// A device at work on one model: both fields at two time levels, zero at first.
pub trait Propagator {
    /// Its name for people.
    fn name(&self) -> String;

    /// As many time steps as there are samples: each adds its sample to p and q at the source's
    /// point, then makes the step. Returns the seconds that the steps took (those that the model
    /// predicts, on the emulated device).
    ///
    /// # Errors
    /// The device fails.
    fn advance(&mut self, samples: &[f32]) -> Result<f64>;

    /// The present level of p and q as volumes of the model's [`VolumeLayout`].
    ///
    /// # Errors
    /// The device fails.
    fn fields(&mut self) -> Result<[Vec<f32>; 2]>;

    /// Sets the present level and the one before, p and q of each.
    ///
    /// # Errors
    /// The device fails.
    fn set_fields(&mut self, now: [&[f32]; 2], before: [&[f32]; 2]) -> Result<()>;
}
