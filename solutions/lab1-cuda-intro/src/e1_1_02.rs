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
impl Elem for i32 {
    const C_NAME: &'static str = "int";
}

impl Elem for f32 {
    const C_NAME: &'static str = "float";
}

impl Elem for f64 {
    const C_NAME: &'static str = "double";
}
//~ // What is each type called in CUDA C?
//~ impl Elem for i32 {
//~     const C_NAME: &'static str = "";
//~ }
//~
//~ impl Elem for f32 {
//~     const C_NAME: &'static str = "";
//~ }
//~
//~ impl Elem for f64 {
//~     const C_NAME: &'static str = "";
//~ }
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
    check_len("a", a.len(), c.len())?;
    check_len("b", b.len(), c.len())?;
    if c.is_empty() {
        return Ok(());
    }
    let elem = format!("-DELEM={}", T::C_NAME);
    let module = lab.module(kernel_file!("e1_1_02.cu"), &[&elem])?;
    let function = module.get_function(kernel).during(format!("get_function({kernel})"))?;
    let stream = lab.stream();

    let dev_a = DeviceBuffer::from_slice(a).during("copy of a to the device")?;
    let dev_b = DeviceBuffer::from_slice(b).during("copy of b to the device")?;
    // SAFETY: the kernel writes every element before anything reads it.
    let dev_c = unsafe { DeviceBuffer::uninitialized(c.len()) }.during("allocation of c")?;

    let threads = c.len() as u32;
    let (to, from_a, from_b) =
        (dev_c.as_device_ptr(), dev_a.as_device_ptr(), dev_b.as_device_ptr());
    // SAFETY: the kernel takes three pointers to T, each to `threads` elements.
    unsafe { launch!(function<<<1, threads, 0, stream>>>(to, from_a, from_b)) }
        .during("launch of add_kernel")?;

    dev_c.copy_to(c).during("copy of c to the host")
    //~ // 1. Refuse vectors of different lengths: `check_len("a", a.len(), c.len())?`.
    //~ // 2. Compile kernels/e1_1_02.cu with -DELEM=<C_NAME> and look the kernel up.
    //~ // 3. Allocate, copy in, launch, copy out. Every error goes to the caller by `?`;
    //~ //    `.during("launch of add_kernel")?` adds what failed.
    //~ let _ = (lab, kernel, c, a, b);
    //~ Err(LabError::msg("add_with_kernel in src/e1_1_02.rs is still empty"))
    // lab>
}

/// One line about a device: `Device 0: "NVIDIA H200", compute capability = 9.0`.
///
/// # Errors
/// If the driver does not answer.
pub fn device_line(d: Device) -> Result<String, LabError> {
    // <lab
    let name = d.name().during("device name")?;
    let number = |attribute| d.get_attribute(attribute).during("device attribute");
    let major = number(DeviceAttribute::ComputeCapabilityMajor)?;
    let minor = number(DeviceAttribute::ComputeCapabilityMinor)?;
    Ok(format!("Device {}: \"{name}\", compute capability = {major}.{minor}", d.as_raw()))
    //~ // `Device::name`, and `Device::get_attribute` for this and its sibling:
    //~ let _ = (d, DeviceAttribute::ComputeCapabilityMajor);
    //~ Err(LabError::msg("device_line in src/e1_1_02.rs is still empty"))
    // lab>
}
