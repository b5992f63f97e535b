//! Exercise 1.1.4: a kernel that knows how many elements there are.

use cust::prelude::*;
use labkit::*;

/// Computes `c = a + b` with as many blocks of `block` threads as it takes. Launches nothing for no
/// elements.
///
/// # Errors
/// Whatever the driver refuses; lengths that differ.
pub fn add_guarded(
    lab: &Lab,
    block: u32,
    c: &mut [i32],
    a: &[i32],
    b: &[i32],
) -> Result<(), LabError> {
    check_len("a", a.len(), c.len())?;
    check_len("b", b.len(), c.len())?;
    let n = c.len();
    // <lab
    // A grid of no blocks is refused: what should happen for n = 0?
    // lab>
    let module = lab.module(kernel_file!("e1_1_04.cu"), &["-DELEM=int"])?;
    let add_kernel = module.get_function("add_kernel").during("get_function(add_kernel)")?;
    let stream = lab.stream();
    let dev_a = DeviceBuffer::from_slice(a)?;
    let dev_b = DeviceBuffer::from_slice(b)?;
    // SAFETY: the kernel writes every element before anything reads it.
    let dev_c = unsafe { DeviceBuffer::uninitialized(n)? };
    let (to, from_a, from_b) =
        (dev_c.as_device_ptr(), dev_a.as_device_ptr(), dev_b.as_device_ptr());

    let grid = (n as u32).div_ceil(block);
    // <lab
    let size = 0; // the kernel's last argument, an int: what does it count?
    // lab>
    // SAFETY: the kernel takes three pointers to `size` elements each, and an int.
    unsafe { launch!(add_kernel<<<grid, block, 0, stream>>>(to, from_a, from_b, size)) }
        .during("launch of add_kernel")?;
    dev_c.copy_to(c).during("copy of c to the host")
}
