//! Checks of exercise 1.2.1: Julia set, CPU version.
