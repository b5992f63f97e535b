//! Whole surveys: parameters, explain, the loops over shots with stacking and restart.

pub mod amounts;
pub mod backend;
pub mod cluster;
pub mod demo;
pub mod dump;
pub mod explain;
pub mod finished;
pub mod job;
pub mod migrate;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod opened;
pub mod params;
pub mod prepared;
pub mod restart;
pub mod salt;
pub mod shoot;
pub mod speed;
pub mod stack;
pub mod watch;

pub use backend::AnyBackend;
pub use explain::explain;
pub use job::{Job, ShotPlan};
pub use migrate::{Migrated, migrate, migrate_on, migrate_shared};
pub use opened::Survey;
pub use params::Parameters;
pub use shoot::{Shots, shoot, shoot_shared};
pub use watch::Watch;
