//! Checks of exercise 1.1.11: the compilation path.
