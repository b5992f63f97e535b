//! Whole surveys: parameters, explain, the loop over shots with stacking and restart.

pub mod params;

pub use params::Parameters;
