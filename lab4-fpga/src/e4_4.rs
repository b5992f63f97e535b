//! Exercise 4.4: multiplication in logic cells. The filter is that of exercise 4.3; only what its multipliers are made of
//! is new. Build it, read the report, and answer the questions in `answers/e4_4.toml`.

use lab4_fpga::mult::ImplStyle;

/// What the multipliers of the filter are made of.
// <lab
pub const STYLE: ImplStyle = ImplStyle::Block;
// lab>
