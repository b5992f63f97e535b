//! Tests and benchmarks of the library cores; see `tests/` and `benches/`.
