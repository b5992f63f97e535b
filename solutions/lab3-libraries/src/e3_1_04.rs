//! Exercise 3.1.4: random numbers from a library. The kernel is `kernels/mc_uniform.cu`.

#[allow(unused_imports)] // until `points` is written
use cudalibs::rand::{Generator, RngType};
use cust::prelude::*;
#[allow(unused_imports)]
use lab3_libraries::e3_1_03::{BLOCK, grid};
use lab3_libraries::mc::Points;
use labkit::{During, Lab, LabError, kernel_file};

/// Maps numbers of (0, 1] to an interval, in place.
#[derive(Debug)]
pub struct Map<'l> {
    lab: &'l Lab,
    module: Module,
}

impl<'l> Map<'l> {
    /// Compiles the kernel, once.
    ///
    /// # Errors
    /// What the compiler or the driver refuses.
    pub fn new(lab: &'l Lab) -> Result<Map<'l>, LabError> {
        Ok(Map { lab, module: lab.module(kernel_file!("mc_uniform.cu"), &[])? })
    }

    /// Replaces each number u of `v` by `a + (b - a) u` with the kernel `uniform_ab`. Launches
    /// nothing if there are none.
    ///
    /// # Errors
    /// Whatever the driver refuses.
    pub fn run(&self, v: &mut DeviceSlice<f32>, a: f32, b: f32) -> Result<(), LabError> {
        let kernel = self.module.get_function("uniform_ab").during("get_function(uniform_ab)")?;
        let stream = self.lab.stream();
        // <lab
        if v.is_empty() {
            return Ok(());
        }
        // SAFETY: the arguments match the kernel's parameters.
        unsafe {
            launch!(kernel<<<grid(v.len()), BLOCK, 0, stream>>>(
                v.as_device_ptr(),
                v.len() as u64,
                a,
                b
            ))
        }
        .during("launch of uniform_ab")
        //~ let _ = (kernel, stream, v, a, b);
        //~ Err(LabError::msg("run: launch uniform_ab"))
        // lab>
    }
}

/// `n` points of `[a, b]^3`: a generator of the default pseudo-random kind for each coordinate,
/// with a seed of its own; then the map, in place.
///
/// # Errors
/// Whatever the library or the driver refuses.
pub fn points(lab: &Lab, n: usize, seeds: [u64; 3], a: f32, b: f32) -> Result<Points, LabError> {
    let map = Map::new(lab)?;
    let mut points = Points::unwritten(n)?;
    // <lab
    for (axis, seed) in points.axes().into_iter().zip(seeds) {
        let mut generator = Generator::new(RngType::PseudoDefault)?;
        generator.set_pseudo_random_generator_seed(seed)?;
        generator.generate_uniform(axis)?;
        map.run(axis, a, b)?;
    }
    lab.stream().synchronize()?;
    Ok(points)
    //~ let _ = (seeds, a, b, map, points.axes());
    //~ Err(LabError::msg("points: make a generator, set its seed, generate, map; for x, y and z"))
    // lab>
}
