//! Exercise 1.1.14: refactoring.
