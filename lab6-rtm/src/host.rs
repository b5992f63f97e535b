//! What the judge may ask of the student's functions, one module per exercise.
//!
//! The macro of an exercise names the functions of the exercise's module; what a request means is
//! an ordinary function beside it. So the same handlers also serve a mutated copy of a solution in
//! another crate. `f32` values cross as bit patterns.

pub use labkit::serve::{Handler, args, bits32, from_bits32};

// <modules: `cargo lab sync` writes this list
pub mod e6_8;
pub mod e6_9;
// modules>

/// All handlers, over the student's modules (the solutions' with feature `solutions`).
pub fn handlers() -> Vec<(&'static str, Handler)> {
    [
        // <handlers: `cargo lab sync` writes this list
        crate::handlers_e6_8!(lab6_rtm::e6_8),
        crate::handlers_e6_9!(lab6_rtm::e6_9),
        // handlers>
    ]
    .concat()
}
