//! Parts of the judge's requests for a design, and the reply.

use hdl::{Block, BuildErrors};
use serde_json::{Value, json};
use wire::serve::{Failed, args};

use crate::TAPS;
use crate::mult::ImplStyle;

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
