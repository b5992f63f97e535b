//! Exercise 1.1.1: create, build and run the project.
//!
//! Nothing to edit here: this is the host's half of the program, and the work is in
//! `kernels/e1_1_01.cu`.

use cust::prelude::*;
use labkit::*;

/// Computes `c = a + b` on the device, in one block with one thread per element.
///
/// All three have the same length, at most 1024.
///
/// # Errors
/// Whatever the driver or the kernel's compiler refuses.
pub fn add_with_cuda(lab: &Lab, c: &mut [i32], a: &[i32], b: &[i32]) -> Result<(), LabError> {
    let module = lab.module(kernel_file!("e1_1_01.cu"), &[])?;
    let add_kernel = module.get_function("add_kernel")?;
    let stream = lab.stream();

    let dev_a = DeviceBuffer::from_slice(a)?;
    let dev_b = DeviceBuffer::from_slice(b)?;
    // SAFETY: the kernel writes every element before anything reads it.
    let dev_c = unsafe { DeviceBuffer::uninitialized(c.len())? };

    let threads = c.len() as u32;
    // SAFETY: the kernel takes three pointers to int, each to `threads` elements.
    unsafe {
        launch!(add_kernel<<<1, threads, 0, stream>>>(
            dev_c.as_device_ptr(),
            dev_a.as_device_ptr(),
            dev_b.as_device_ptr()
        ))?;
    }
    dev_c.copy_to(c)?;
    Ok(())
}

/// The line that the program prints: `{1,2} + {10,20} = {11,22}`.
pub fn line(a: &[i32], b: &[i32], c: &[i32]) -> String {
    let set = |values: &[i32]| {
        let texts: Vec<_> = values.iter().map(i32::to_string).collect();
        format!("{{{}}}", texts.join(","))
    };
    format!("{} + {} = {}", set(a), set(b), set(c))
}
