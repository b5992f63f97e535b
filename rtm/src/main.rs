//! The command `rtm`.

fn main() {}
