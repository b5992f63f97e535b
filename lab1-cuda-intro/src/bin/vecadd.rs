//! Adds two vectors on the GPU: the program of exercises 1.1.1 to 1.1.14.

fn main() {}
