//! Exercise 1.1.11: the compilation path.
