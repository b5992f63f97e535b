//! Exercise 1.1.10: debugging.
