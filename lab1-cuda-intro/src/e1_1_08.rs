//! Exercise 1.1.8: single precision, how wrong it is, and how fast.

use cust::prelude::*;
use labkit::*;

/// Test vectors: `a[i] = i` and `b[i] = i * 0.0001`, both in single precision.
pub fn fill(n: usize) -> (Vec<f32>, Vec<f32>) {
    // <lab
    (vec![0.0; n], vec![0.0; n])
    // lab>
}

/// Computes `c = a + b` with as many blocks of `block` threads as it takes. Launches nothing for no
/// elements.
///
/// # Errors
/// Whatever the driver refuses; lengths that differ.
pub fn add(lab: &Lab, block: u32, c: &mut [f32], a: &[f32], b: &[f32]) -> Result<(), LabError> {
    check_len("a", a.len(), c.len())?;
    check_len("b", b.len(), c.len())?;
    if c.is_empty() {
        return Ok(());
    }
    let module = lab.module(kernel_file!("e1_1_08.cu"), &[])?;
    let add_kernel = module.get_function("add_kernel").during("get_function(add_kernel)")?;
    let stream = lab.stream();
    let dev_a = DeviceBuffer::from_slice(a)?;
    let dev_b = DeviceBuffer::from_slice(b)?;
    // SAFETY: the kernel writes every element before anything reads it.
    let dev_c = unsafe { DeviceBuffer::uninitialized(c.len())? };
    let (grid, size) = ((c.len() as u32).div_ceil(block), c.len() as i32);
    let (to, from_a, from_b) =
        (dev_c.as_device_ptr(), dev_a.as_device_ptr(), dev_b.as_device_ptr());
    // SAFETY: the kernel takes three pointers to `size` elements each, and an int.
    unsafe { launch!(add_kernel<<<grid, block, 0, stream>>>(to, from_a, from_b, size)) }
        .during("launch of add_kernel")?;
    dev_c.copy_to(c).during("copy of c to the host")
}

/// Largest absolute difference between `c` and the processor's own single precision sum `a + b`.
///
/// NaN if any difference is NaN, or if the lengths differ.
pub fn max_abs_err(c: &[f32], a: &[f32], b: &[f32]) -> f64 {
    if a.len() != c.len() || b.len() != c.len() {
        return f64::NAN;
    }
    // <lab
    f64::NAN
    // lab>
}

/// Largest absolute difference between `c` and the exact sum `1.0001 * i`, computed in double
/// precision.
///
/// NaN if any difference is NaN.
pub fn max_abs_err_exact(c: &[f32]) -> f64 {
    // <lab
    let _ = c;
    f64::NAN
    // lab>
}

// <lab
// Room for a function that both can use.
// lab>

/// Rate of `n` additions in `ms` milliseconds, in units of 10^9 floating-point operations per
/// second.
pub fn gflops(n: usize, ms: f64) -> f64 {
    // <lab
    let _ = (n, ms);
    f64::NAN
    // lab>
}
