//! Exercise 1.1.8: floating point arrives.
