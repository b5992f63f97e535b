//! Exercise 1.1.13: compiling from the command line.
