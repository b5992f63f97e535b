//! Builds by cargo with progress shown: [`run`] runs cargo and reports what it does, [`Status`]
//! makes a line of that with the time that is left, [`Screen`] shows the line. The program `start`
//! does it for the command `cargo lab`. A [`Stamp`] tells whether there is anything to build.
//!
//! No dependencies: this is compiled before anything can be seen.
#![forbid(unsafe_code)]

mod cargo;
mod fresh;
mod left;
mod said;
mod screen;
mod status;

pub use cargo::{Built, Event, run};
pub use fresh::{Begun, Stamp};
pub use left::{Calm, Parts, about, seconds};
pub use said::Said;
pub use screen::{Screen, columns};
pub use status::{Status, how_far};
