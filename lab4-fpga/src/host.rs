//! What the judge may ask of the student's functions, one module per exercise: designs, as JSON.
//!
//! The macro of an exercise names the functions of the exercise's module; what a request means is an ordinary function
//! beside it. So the same handlers also serve a mutated copy of a solution in another crate.

use hdl::{Block, BuildErrors};
use serde_json::{Value, json};
use wire::serve::Failed;
pub use wire::serve::{Handler, args};

use crate::TAPS;
use crate::mult::ImplStyle;

pub mod e4_0;
pub mod e4_1;
pub mod e4_2;
pub mod e4_3;
pub mod e4_4;
pub mod e4_5;
pub mod e4_6;

/// All handlers, over the student's modules (the solutions' with feature `solutions`).
pub fn handlers() -> Vec<(&'static str, Handler)> {
    [
        e4_0::handlers(),
        crate::handlers_e4_1!(lab4_fpga::e4_1),
        crate::handlers_e4_2!(lab4_fpga::e4_2),
        crate::handlers_e4_3!(lab4_fpga::e4_3),
        crate::handlers_e4_4!(lab4_fpga::e4_4),
        crate::handlers_e4_5!(lab4_fpga::e4_5),
        crate::handlers_e4_6!(lab4_fpga::e4_6),
    ]
    .concat()
}

/// The netlist of a design for the judge, or the builder's mistakes.
///
/// # Errors
/// All mistakes of the module, each with its line.
pub fn reply(design: Result<Block, BuildErrors>) -> Result<Value, Failed> {
    Ok(json!({ "design": design.map_err(|e| Failed::msg(e.to_string()))? }))
}

/// `"coefficients": [8 numbers]` of a request.
///
/// # Errors
/// A mistake of the check.
pub fn coefficients(request: &Value) -> Result<[i64; TAPS], Failed> {
    args(&request["coefficients"])
}

/// `"style": "block"` or `"pipe_lut"` of a request.
///
/// # Errors
/// A mistake of the check.
pub fn style(request: &Value) -> Result<ImplStyle, Failed> {
    let name: String = args(&request["style"])?;
    ImplStyle::named(&name).ok_or_else(|| Failed::msg(format!("there is no style {name}")))
}
