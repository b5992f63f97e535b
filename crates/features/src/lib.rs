//! No code: the manifest names the features of third-party crates, so that every selection of
//! packages builds them, and all crates of ours above them, once and the same.
#![forbid(unsafe_code)]
