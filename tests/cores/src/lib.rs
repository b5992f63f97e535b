//! Tests of the library cores; see `tests/`.
