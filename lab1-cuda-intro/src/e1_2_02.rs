//! Exercise 1.2.2: the Julia set on the GPU. The kernel is `kernels/e1_2_02.cu`.

use cust::prelude::*;
use lab1_cuda_intro::e1_2_01::View;
use labkit::{Lab, LabError, kernel_file};

/// Threads of a block along each axis: 16 x 16 = 256 threads, 8 warps of two picture rows each.
pub const DIM_BLOCK: u32 = 16;

/// Renders a view into `out` (as [`render_cpu`](lab1_cuda_intro::e1_2_01::render_cpu) does) through
/// the device buffer `d_pix`.
///
/// `d_pix` and `out` hold `4 * dim * dim` bytes each. The caller allocates `d_pix` once and keeps
/// it from picture to picture: nothing is allocated here.
///
/// # Errors
/// Lengths that do not fit `dim`, and whatever the driver refuses.
pub fn render_gpu(
    lab: &Lab,
    d_pix: &mut DeviceBuffer<u8>,
    v: &View,
    dim: u32,
    kmax: u32,
    out: &mut [u8],
) -> Result<(), LabError> {
    let bytes = 4 * dim as usize * dim as usize;
    for (what, found) in [("d_pix", d_pix.len()), ("out", out.len())] {
        if found != bytes {
            return Err(LabError::Length { what: what.into(), expected: bytes, found });
        }
    }
    // <lab
    // Load the module; launch `julia_kernel` on a grid of DIM_BLOCK x DIM_BLOCK blocks that
    // covers the picture, `launch!(kernel<<<(columns, rows), (DIM_BLOCK, DIM_BLOCK), 0,
    // stream>>>(...))`; copy d_pix to out.
    let _ = (lab, v, kmax, kernel_file!("e1_2_02.cu"));
    Err(LabError::msg("render_gpu: launch the kernel and copy the picture back"))
    // lab>
}
