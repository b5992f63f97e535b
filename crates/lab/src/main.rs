//! The command `cargo lab`.

fn main() {}
