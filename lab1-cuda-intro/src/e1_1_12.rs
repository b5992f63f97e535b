//! Exercise 1.1.12: reading machine code.
