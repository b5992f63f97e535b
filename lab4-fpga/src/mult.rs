//! The given multiplier: the lab's `mult16x16`.
//!
//! It is clocked: the product of what stands at `a` and `b` in one clock is at `p` so many clocks
//! later as [`ImplStyle::latency`] says.

use hdl::estimate::Multipliers;
use hdl::{Block, BuildErrors, Module, Type};

/// What a multiplier is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImplStyle {
    /// A multiplier block of the chip, with one register behind it. It stays a block also where a
    /// factor is constant.
    Block,
    /// Look-up tables, with [`PIPE`] registers behind them. Where a factor is constant only what it
    /// needs is built.
    PipeLut,
}

/// Registers behind a product in look-up tables.
pub const PIPE: u32 = 3;

impl ImplStyle {
    /// Clocks from the factors to their product.
    pub fn latency(self) -> u32 {
        match self {
            ImplStyle::Block => 1,
            ImplStyle::PipeLut => PIPE,
        }
    }

    /// The style of that name, `block` or `pipe_lut`.
    pub fn named(name: &str) -> Option<ImplStyle> {
        match name {
            "block" => Some(ImplStyle::Block),
            "pipe_lut" => Some(ImplStyle::PipeLut),
            _ => None,
        }
    }
}

/// Signed product of two 16-bit words: inputs `a`, `b`, output `p` of 32 bits.
///
/// # Errors
/// None that could happen; it builds like any module.
pub fn mult16x16(style: ImplStyle) -> Result<Block, BuildErrors> {
    mult("mult16x16", 16, true, style)
}

/// The same for words of `word_size` bits (2 to 32), signed or not, as a module called `name`.
///
/// # Errors
/// For a width that the product of 64 bits cannot hold.
pub fn mult(
    name: &str,
    word_size: u32,
    signed_mult: bool,
    style: ImplStyle,
) -> Result<Block, BuildErrors> {
    let m = Module::new(name);
    let word = Type { width: word_size, signed: signed_mult };
    match style {
        ImplStyle::Block => {
            m.doc("p = a * b one clock later, in a multiplier block.");
            m.multipliers(Multipliers::Blocks);
            m.keep();
        }
        ImplStyle::PipeLut => {
            m.doc(&format!("p = a * b {PIPE} clocks later, in look-up tables."));
            m.multipliers(Multipliers::Logic);
        }
    }
    let (a, b) = (m.input("a", word), m.input("b", word));
    let product = (a * b).named("product");
    let late = m.shift_register("late", product, style.latency() as usize);
    m.output("p", late[late.len() - 1]);
    m.build()
}
