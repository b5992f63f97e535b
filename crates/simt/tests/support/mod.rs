//! What the integration tests share.

pub mod bench;
pub mod case;
