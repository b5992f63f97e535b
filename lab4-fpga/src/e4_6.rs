//! Exercise 4.6: variable coefficients in multiplier blocks. The filter is that of exercise 4.5; only what its multipliers
//! are made of is new. Build it, read the report, and answer the questions in `answers/e4_6.toml`.

use lab4_fpga::mult::ImplStyle;

/// What the multipliers of the filter are made of.
// <lab
pub const STYLE: ImplStyle = ImplStyle::PipeLut;
// lab>
