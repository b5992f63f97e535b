//! Step 5.2: a delay of any length.

use hdl::{Block, BuildErrors, Module, bit};

/// The entity `delaysel`: `dout` is what `din` was `sel` clocks ago, 0 before the first. With `sel`
/// = 0 it is a wire.
///
/// # Errors
/// What the builder finds wrong.
pub fn delaysel(sel: u32) -> Result<Block, BuildErrors> {
    let m = Module::new("delaysel");
    m.doc(&format!("din, {sel} clocks later."));
    let din = m.input("din", bit());
    // <lab
    // A register for every clock of delay.
    m.output("dout", din);
    // lab>
    m.build()
}
