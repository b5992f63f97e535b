//! Exercise 1.1.3: vectors of any length, and tests that know the right answer for each.

use cust::prelude::*;
use labkit::*;

/// Threads of a block in [`add_blocks`].
pub const BLOCK: usize = 256;

/// Longest vectors that [`fill`] can make: 10001 * 214,726 is the last sum that fits an `i32`.
pub const MAX_N: usize = 214_727;

/// Test vectors of length `n` whose sum is known: `a[i] = i`, `b[i] = 10000 * i`, so that
/// `a[i] + b[i] = 10001 * i`.
///
/// # Errors
/// `values overflow i32 for n > 214727` for longer ones.
pub fn fill(n: usize) -> Result<(Vec<i32>, Vec<i32>), LabError> {
    // <lab
    let _ = n;
    Err(LabError::msg("fill in src/e1_1_03.rs is still empty"))
    // lab>
}

/// Checks the sum of the vectors of [`fill`].
///
/// # Errors
/// The first index at which `c` is wrong.
pub fn verify(c: &[i32]) -> Result<(), usize> {
    // <lab
    let _ = c;
    Err(0)
    // lab>
}

/// Computes `c = a + b` with one block of as many threads as there are elements.
///
/// # Errors
/// The driver's refusal of a block that is too large; lengths that differ.
pub fn add_single_block(lab: &Lab, c: &mut [i32], a: &[i32], b: &[i32]) -> Result<(), LabError> {
    // <lab
    // Which grid and which block?
    let _ = (lab, c, a, b, add);
    Err(LabError::msg("add_single_block in src/e1_1_03.rs is still empty"))
    // lab>
}

/// Computes `c = a + b` with as many blocks of [`BLOCK`] threads as it takes. Launches nothing for
/// no elements.
///
/// # Errors
/// Whatever the driver refuses; lengths that differ.
pub fn add_blocks(lab: &Lab, c: &mut [i32], a: &[i32], b: &[i32]) -> Result<(), LabError> {
    // <lab
    // How many blocks for n elements? Try n = 1, 256, 257 by hand. And n = 0?
    let _ = (lab, c, a, b, add);
    Err(LabError::msg("add_blocks in src/e1_1_03.rs is still empty"))
    // lab>
}

/// The five stages of 1.1.2 around a launch of `grid` blocks of `block` threads.
fn add(
    lab: &Lab,
    grid: usize,
    block: usize,
    c: &mut [i32],
    a: &[i32],
    b: &[i32],
) -> Result<(), LabError> {
    check_len("a", a.len(), c.len())?;
    check_len("b", b.len(), c.len())?;
    let module = lab.module(kernel_file!("e1_1_03.cu"), &[])?;
    let add_kernel = module.get_function("add_kernel").during("get_function(add_kernel)")?;
    let stream = lab.stream();
    let dev_a = DeviceBuffer::from_slice(a)?;
    let dev_b = DeviceBuffer::from_slice(b)?;
    // SAFETY: the kernel writes every element before anything reads it.
    let dev_c = unsafe { DeviceBuffer::uninitialized(c.len())? };
    let (to, from_a, from_b) =
        (dev_c.as_device_ptr(), dev_a.as_device_ptr(), dev_b.as_device_ptr());

    let (grid, block) = (grid as u32, block as u32);
    // <lab
    // Launch add_kernel with `grid` blocks of `block` threads, as in 1.1.2. A refused launch
    // must reach the caller.
    let _ = (add_kernel, stream, grid, block, to, from_a, from_b);
    // lab>
    dev_c.copy_to(c).during("copy of c to the host")
}
