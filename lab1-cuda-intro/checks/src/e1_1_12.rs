//! Checks of exercise 1.1.12: reading machine code.
