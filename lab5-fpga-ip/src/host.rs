//! What the judge may ask of the student's functions, one module per kind of core: designs, as
//! JSON.
//!
//! The macro of an exercise names the functions of the exercise's module; what a request means is
//! an ordinary function beside it. So the same handlers also serve a mutated copy of a solution in
//! another crate.

pub use wire::serve::{Handler, args};

mod design;
pub mod given;

// <modules: `cargo lab sync` writes this list
pub mod fft;
pub mod fir;
pub mod parts;
// modules>

/// All handlers, over the student's modules (the solutions' with feature `solutions`).
pub fn handlers() -> Vec<(&'static str, Handler)> {
    [
        given::handlers(),
        // <handlers: `cargo lab sync` writes this list
        crate::handlers_e5_1!(lab5_fpga_ip::e5_1),
        crate::handlers_e5_2!(lab5_fpga_ip::e5_2),
        crate::handlers_e5_3!(lab5_fpga_ip::e5_3),
        crate::handlers_e5_4!(lab5_fpga_ip::e5_4),
        crate::handlers_e5_5!(lab5_fpga_ip::e5_5),
        crate::handlers_e5_7!(lab5_fpga_ip::e5_7),
        crate::handlers_e5_8!(lab5_fpga_ip::e5_8),
        crate::handlers_e5_9!(lab5_fpga_ip::e5_9),
        // handlers>
    ]
    .concat()
}
