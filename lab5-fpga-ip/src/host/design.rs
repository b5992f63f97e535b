//! A design as the reply to the judge's request.

use hdl::{Block, BuildErrors};
use serde_json::{Value, json};
use wire::serve::Failed;

/// The netlist of a design for the judge, or the builder's mistakes.
///
/// # Errors
/// All mistakes of the module.
pub fn reply(design: Result<Block, BuildErrors>) -> Result<Value, Failed> {
    Ok(json!({ "design": built(design)? }))
}

/// A design, or the builder's mistakes as the judge's text.
pub fn built<T>(result: Result<T, BuildErrors>) -> Result<T, Failed> {
    result.map_err(|e| Failed::msg(e.to_string()))
}
