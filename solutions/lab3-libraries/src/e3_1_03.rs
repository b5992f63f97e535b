//! Exercise 3.1.3: random points and the count of hits on the GPU. The kernels are in
//! `kernels/mc.cu`.

use cust::prelude::*;
use lab3_libraries::mc::Points;
use labkit::{During, Lab, LabError, check_len, kernel_file};

/// Threads of a block: `mc_hits` sums eight warps.
pub const BLOCK: u32 = 256;

/// Blocks for `n` points: one for each 256, and never more than 64, because threads stride over the
/// rest.
pub fn grid(n: usize) -> u32 {
    // <lab
    n.div_ceil(BLOCK as usize).min(64) as u32
    //~ let _ = n;
    //~ 0
    // lab>
}

/// The points of [`generate`](lab3_libraries::e3_1_02::generate) with the same seed and range, made
/// by the kernel `mc_gen`. Launches nothing for `n = 0`.
///
/// # Errors
/// Whatever the driver refuses.
pub fn generate(lab: &Lab, n: usize, seed: u32, a: f32, b: f32) -> Result<Points, LabError> {
    let module = lab.module(kernel_file!("mc.cu"), &[])?;
    let kernel = module.get_function("mc_gen").during("get_function(mc_gen)")?;
    let points = Points::unwritten(n)?;
    let stream = lab.stream();
    // <lab
    if n == 0 {
        return Ok(points);
    }
    // SAFETY: the arguments match the kernel's parameters; the buffers hold n numbers each.
    unsafe {
        launch!(kernel<<<grid(n), BLOCK, 0, stream>>>(
            points.x.as_device_ptr(),
            points.y.as_device_ptr(),
            points.z.as_device_ptr(),
            n as u64,
            seed,
            a,
            b
        ))
    }
    .during("launch of mc_gen")?;
    // The module must live until its kernel has ended.
    stream.synchronize()?;
    Ok(points)
    //~ let _ = (kernel, stream, seed, a, b, points);
    //~ Err(LabError::msg("generate: launch mc_gen and wait for it"))
    // lab>
}

/// Counts points in the unit ball.
#[derive(Debug)]
pub struct Hits<'l> {
    lab: &'l Lab,
    module: Module,
}

impl<'l> Hits<'l> {
    /// Compiles the kernel, once.
    ///
    /// # Errors
    /// What the compiler or the driver refuses.
    pub fn new(lab: &'l Lab) -> Result<Hits<'l>, LabError> {
        Ok(Hits { lab, module: lab.module(kernel_file!("mc.cu"), &[])? })
    }

    /// How many of the points lie in the unit ball, counted by the kernel `mc_hits`. Launches
    /// nothing if there are none.
    ///
    /// # Errors
    /// Coordinates of different lengths, whatever the driver refuses.
    pub fn count(
        &self,
        x: &DeviceSlice<f32>,
        y: &DeviceSlice<f32>,
        z: &DeviceSlice<f32>,
    ) -> Result<u64, LabError> {
        let n = x.len();
        check_len("y", y.len(), n)?;
        check_len("z", z.len(), n)?;
        let kernel = self.module.get_function("mc_hits").during("get_function(mc_hits)")?;
        let stream = self.lab.stream();
        // <lab
        if n == 0 {
            return Ok(0);
        }
        let hits = DeviceBuffer::from_slice(&[0u64])?;
        // SAFETY: the arguments match the kernel's parameters; the slices hold n numbers each.
        unsafe {
            launch!(kernel<<<grid(n), BLOCK, 0, stream>>>(
                x.as_device_ptr(),
                y.as_device_ptr(),
                z.as_device_ptr(),
                n as u64,
                hits.as_device_ptr()
            ))
        }
        .during("launch of mc_hits")?;
        stream.synchronize()?;
        let mut count = [0];
        hits.copy_to(&mut count)?;
        Ok(count[0])
        //~ let _ = (kernel, stream);
        //~ Err(LabError::msg("count: clear a counter, launch mc_hits, copy the count back"))
        // lab>
    }
}
