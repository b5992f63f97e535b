//! Exercise 1.1.9: profiling.
