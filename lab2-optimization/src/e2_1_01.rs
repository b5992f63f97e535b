//! Exercise 2.1.1: what an access to global memory earns, estimated before anything is coded.
//!
//! A filter of order `n` computes `y[i] = sum over k = 0..=n of x[i-k] h[k]` with `x` zero before
//! the first sample. A product and its addition are two operations. CGMA is operations per access
//! to global memory (an access moves one value); with `with_store`, the store of the output counts
//! as an access, too.

/// Products that a filter of order `n` computes for `len` samples of one channel; those with the
/// zeros before the first sample do not count.
pub fn products(len: u64, n: u64) -> u64 {
    // <lab
    let _ = (len, n);
    0
    // lab>
}

/// CGMA of an inner output when each product loads its sample and its coefficient.
pub fn cgma_naive(n: u64, with_store: bool) -> f64 {
    // <lab
    let _ = (n, with_store);
    0.0
    // lab>
}

/// CGMA of an inner output when the coefficients come from constant memory.
pub fn cgma_const(n: u64, with_store: bool) -> f64 {
    // <lab
    let _ = (n, with_store);
    0.0
    // lab>
}

/// CGMA of a block of `k` outputs that first loads all the samples it needs into shared memory,
/// each once.
pub fn cgma_tiled(n: u64, k: u64, with_store: bool) -> f64 {
    // <lab
    let _ = (n, k, with_store);
    0.0
    // lab>
}

/// CGMA of `len` outputs of `n + 1` products each when every sample and every coefficient is loaded
/// once in all.
pub fn cgma_ideal(len: u64, n: u64, with_store: bool) -> f64 {
    // <lab
    let _ = (len, n, with_store);
    0.0
    // lab>
}
