//! Exercise 1.1.7: kernels that print and read the clock.
//!
//! Nothing to edit here: the work is in `kernels/e1_1_07.cu`.

use cust::prelude::*;
use labkit::*;

/// Which of the two printing kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Every thread.
    All,
    /// The first thread of each warp.
    Lane0,
}

/// Computes `c = a + b` by a kernel that prints.
///
/// # Errors
/// Whatever the driver refuses; lengths that differ.
pub fn add_print(
    lab: &Lab,
    who: Who,
    block: u32,
    c: &mut [i32],
    a: &[i32],
    b: &[i32],
) -> Result<(), LabError> {
    let kernel = match who {
        Who::All => "add_print",
        Who::Lane0 => "add_print_lane0",
    };
    let buffers = Buffers::new(c.len(), a, b)?;
    if c.is_empty() {
        return Ok(());
    }
    let module = lab.module(kernel_file!("e1_1_07.cu"), &[])?;
    let function = module.get_function(kernel).during(format!("get_function({kernel})"))?;
    let stream = lab.stream();
    let (grid, size) = ((c.len() as u32).div_ceil(block), c.len() as i32);
    let (to, from_a, from_b) = buffers.pointers();
    // SAFETY: the kernel takes three pointers to `size` elements each, and an int.
    unsafe { launch!(function<<<grid, block, 0, stream>>>(to, from_a, from_b, size)) }
        .during(format!("launch of {kernel}"))?;
    stream.synchronize()?;
    buffers.c.copy_to(c).during("copy of c to the host")
}

/// Clocks that each warp spent on its additions of `a` and `b`.
///
/// # Errors
/// Whatever the driver refuses; lengths that differ.
pub fn durations(lab: &Lab, block: u32, a: &[i32], b: &[i32]) -> Result<Vec<u32>, LabError> {
    let n = a.len();
    let buffers = Buffers::new(n, a, b)?;
    let mut host = vec![0; n.div_ceil(32)];
    if n == 0 {
        return Ok(host);
    }
    let module = lab.module(kernel_file!("e1_1_07.cu"), &[])?;
    let add_dur = module.get_function("add_dur").during("get_function(add_dur)")?;
    let stream = lab.stream();
    let dur = DeviceBuffer::<u32>::zeroed(host.len())?;
    let (grid, size, dur_ptr) = ((n as u32).div_ceil(block), n as i32, dur.as_device_ptr());
    let (to, from_a, from_b) = buffers.pointers();
    // SAFETY: the kernel takes three pointers to `size` elements each, an int, and a pointer to one
    // unsigned per warp.
    unsafe { launch!(add_dur<<<grid, block, 0, stream>>>(to, from_a, from_b, size, dur_ptr)) }
        .during("launch of add_dur")?;
    dur.copy_to(&mut host)?;
    Ok(host)
}

/// The vectors on the device.
struct Buffers {
    a: DeviceBuffer<i32>,
    b: DeviceBuffer<i32>,
    c: DeviceBuffer<i32>,
}

impl Buffers {
    fn new(n: usize, a: &[i32], b: &[i32]) -> Result<Buffers, LabError> {
        check_len("a", a.len(), n)?;
        check_len("b", b.len(), n)?;
        // SAFETY: the kernels write every element of c before anything reads it.
        let c = unsafe { DeviceBuffer::uninitialized(n)? };
        Ok(Buffers { a: DeviceBuffer::from_slice(a)?, b: DeviceBuffer::from_slice(b)?, c })
    }

    fn pointers(&self) -> (DevicePointer<i32>, DevicePointer<i32>, DevicePointer<i32>) {
        (self.c.as_device_ptr(), self.a.as_device_ptr(), self.b.as_device_ptr())
    }
}
