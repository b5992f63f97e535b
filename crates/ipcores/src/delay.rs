//! Delay of one bit: what step 5.2 must do.

/// `x` delayed by `sel` clocks, zeros before it.
pub fn reference(x: &[bool], sel: usize) -> Vec<bool> {
    (0..x.len()).map(|n| n >= sel && x[n - sel]).collect()
}
