//! Whole surveys: parameters, explain, the loops over shots with stacking and restart.

pub mod demo;
pub mod dump;
pub mod explain;
pub mod job;
pub mod migrate;
pub mod params;
pub mod restart;
pub mod salt;
pub mod shoot;
pub mod speed;
pub mod stack;

pub use explain::explain;
pub use job::{Job, ShotPlan};
pub use migrate::{AnyBackend, Migrated, Survey, Watch, migrate, migrate_on};
pub use params::Parameters;
pub use shoot::{Shots, shoot};
