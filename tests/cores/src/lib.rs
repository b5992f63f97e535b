//! Tests of the library cores; see `tests/`.

#![forbid(unsafe_code)]
