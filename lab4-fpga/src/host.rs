//! What the judge may ask of the student's functions, one module per exercise: designs, as JSON.
//!
//! The macro of an exercise names the functions of the exercise's module; what a request means is
//! an ordinary function beside it. So the same handlers also serve a mutated copy of a solution in
//! another crate.

pub use wire::serve::{Handler, args};

pub use design::{coefficients, reply, style};

mod design;
pub mod e4_0;

// <modules: `cargo lab sync` writes this list
pub mod e4_1;
pub mod e4_2;
pub mod e4_3;
pub mod e4_4;
pub mod e4_5;
pub mod e4_6;
// modules>

/// All handlers, over the student's modules (the solutions' with feature `solutions`).
pub fn handlers() -> Vec<(&'static str, Handler)> {
    [
        e4_0::handlers(),
        // <handlers: `cargo lab sync` writes this list
        crate::handlers_e4_1!(lab4_fpga::e4_1),
        crate::handlers_e4_2!(lab4_fpga::e4_2),
        crate::handlers_e4_3!(lab4_fpga::e4_3),
        crate::handlers_e4_4!(lab4_fpga::e4_4),
        crate::handlers_e4_5!(lab4_fpga::e4_5),
        crate::handlers_e4_6!(lab4_fpga::e4_6),
        // handlers>
    ]
    .concat()
}
