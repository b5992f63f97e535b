//! Exercise 4.6: variable coefficients in multiplier blocks. The filter is that of exercise 4.5;
//! only what its multipliers are made of is new. Build it, read the report, and answer the
//! questions in `answers/e4_6.toml`.

use lab4_fpga::mult::ImplStyle;

/// What the multipliers of the filter are made of.
// <lab
pub const STYLE: ImplStyle = ImplStyle::PipeLut;
// lab>

/// Parts of a chip: LUTs, flip-flops, multiplier blocks, bits of block RAM.
pub type Parts = [u32; 4];

/// How many filters fit into what is `left` of a chip, if one takes `block` with multiplier blocks
/// and `logic` in logic cells: `(with blocks, in logic)`, as many as possible together; of equal
/// numbers the one with most blocks.
pub fn best_mix(left: Parts, block: Parts, logic: Parts) -> (u32, u32) {
    // <lab
    // For each number with blocks: what is left, and how many in logic does it hold?
    let _ = (left, block, logic);
    (0, 0)
    // lab>
}
