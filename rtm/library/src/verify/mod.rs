//! Checks of the physics that need no other program: each returns a number that theory fixes.
//! `rtm verify` prints them at full size, the tests ask for them on small grids.

pub mod adjoint;
pub mod agreement;
pub mod green;
pub mod identities;
pub mod problem;
pub mod reconstruction;
pub mod report;
pub mod scattering;
