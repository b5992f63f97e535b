//! Whole surveys: parameters, explain, the loops over shots with stacking and restart.

pub mod cluster;
pub mod demo;
pub mod dump;
pub mod explain;
pub mod finished;
pub mod job;
pub mod migrate;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod params;
pub mod prepared;
pub mod restart;
pub mod salt;
pub mod shoot;
pub mod speed;
pub mod stack;

pub use explain::explain;
pub use job::{Job, ShotPlan};
pub use migrate::{AnyBackend, Migrated, Survey, Watch, migrate, migrate_on, migrate_shared};
pub use params::Parameters;
pub use shoot::{Shots, shoot, shoot_shared};
