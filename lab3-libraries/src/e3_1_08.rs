//! Exercise 3.1.8: moments of inertia. The kernel is `kernels/mc_inertia.cu`.

use cust::prelude::*;
#[allow(unused_imports)] // until `inertia` is written
use lab3_libraries::e3_1_01::estimate;
use lab3_libraries::e3_1_03::{BLOCK, grid};
use lab3_libraries::e3_1_07::points_in_box;
use labkit::{During, Lab, LabError, kernel_file};

/// Moment of inertia of a solid of density 1 about the z axis and its standard uncertainty, from
/// `n` pseudo-random points.
///
/// # Errors
/// An unknown solid, no points; whatever the library or the driver refuses.
pub fn inertia(lab: &Lab, id: usize, n: usize, seed: u64) -> Result<(f64, f64), LabError> {
    if n == 0 {
        return Err(LabError::refused("no points: n must be at least 1"));
    }
    let (points, v) = points_in_box(lab, id, n, seed)?;
    let module = lab.module(kernel_file!("mc_inertia.cu"), &[])?;
    let kernel = module.get_function("mc_inertia").during("get_function(mc_inertia)")?;
    let (blocks, stream) = (grid(n), lab.stream());
    // SAFETY: every pattern of bits is an `f64`; each block writes its two sums.
    let sums = unsafe { DeviceBuffer::<f64>::uninitialized(2 * blocks as usize)? };
    // SAFETY: the arguments match the kernel's parameters; a coordinate has n numbers, each block
    // two sums.
    unsafe {
        launch!(kernel<<<blocks, BLOCK, 0, stream>>>(
            points.x.as_device_ptr(),
            points.y.as_device_ptr(),
            points.z.as_device_ptr(),
            n as u64,
            id as i32,
            sums.as_device_ptr()
        ))
    }
    .during("launch of mc_inertia")?;
    stream.synchronize()?;
    let mut of_blocks = vec![0.0; sums.len()];
    sums.copy_to(&mut of_blocks)?;
    // <lab
    let _ = (of_blocks, v);
    Err(LabError::msg("inertia: add the blocks' sums, and estimate"))
    // lab>
}
