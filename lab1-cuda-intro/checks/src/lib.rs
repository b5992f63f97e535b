//! Lab 1's exercises and how they are checked.
