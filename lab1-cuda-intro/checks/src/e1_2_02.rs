//! Checks of exercise 1.2.2: Julia set, GPU version.
