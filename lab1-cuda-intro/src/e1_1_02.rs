//! Exercise 1.1.2: one error path, any element type, and which device this is.

use cust::device::DeviceAttribute;
use cust::memory::DeviceCopy;
use cust::prelude::*;
use labkit::*;

/// An element type that host and kernel share.
pub trait Elem: DeviceCopy + Default + PartialEq {
    /// The type's name in CUDA C; the kernel sees it as the macro `ELEM`.
    const C_NAME: &'static str;
}

// <lab
// What is each type called in CUDA C?
impl Elem for i32 {
    const C_NAME: &'static str = "";
}

impl Elem for f32 {
    const C_NAME: &'static str = "";
}

impl Elem for f64 {
    const C_NAME: &'static str = "";
}
// lab>

/// Computes `c = a + b` on the device, in one block with one thread per element.
///
/// # Errors
/// Lengths that differ; whatever the driver or the kernel's compiler refuses.
pub fn add_with_cuda<T: Elem>(lab: &Lab, c: &mut [T], a: &[T], b: &[T]) -> Result<(), LabError> {
    add_with_kernel(lab, "add_kernel", c, a, b)
}

/// The same, by the kernel called `kernel`.
///
/// # Errors
/// As for [`add_with_cuda`]; also if there is no such kernel.
pub fn add_with_kernel<T: Elem>(
    lab: &Lab,
    kernel: &str,
    c: &mut [T],
    a: &[T],
    b: &[T],
) -> Result<(), LabError> {
    // <lab
    // 1. Refuse vectors of different lengths: `check_len("a", a.len(), c.len())?`.
    // 2. Compile kernels/e1_1_02.cu with -DELEM=<C_NAME> and look the kernel up.
    // 3. Allocate, copy in, launch, copy out. Every error goes to the caller by `?`;
    //    `.during("launch of add_kernel")?` adds what failed.
    let _ = (lab, kernel, c, a, b);
    Err(LabError::msg("add_with_kernel in src/e1_1_02.rs is still empty"))
    // lab>
}

/// One line about a device: `Device 0: "NVIDIA H200", compute capability = 9.0`.
///
/// # Errors
/// If the driver does not answer.
pub fn device_line(d: Device) -> Result<String, LabError> {
    // <lab
    // `Device::name`, and `Device::get_attribute` for this and its sibling:
    let _ = (d, DeviceAttribute::ComputeCapabilityMajor);
    Err(LabError::msg("device_line in src/e1_1_02.rs is still empty"))
    // lab>
}
