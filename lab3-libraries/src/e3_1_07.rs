//! Exercise 3.1.7: volumes of five more solids. The predicates are in `kernels/mc_solid.cu`.

use cudalibs::rand::{Generator, RngType};
use cust::prelude::*;
use lab3_libraries::e3_1_01::{box_volume, estimate};
use lab3_libraries::e3_1_04::Map;
use lab3_libraries::mc::{Points, unwritten};
use labkit::{During, Lab, LabError, kernel_file};

/// The box of a solid, its sides in x, y and z: the smallest that contains it. `id` as in
/// `kernels/mc_solid.cu`.
///
/// # Errors
/// An `id` that is not 0 to 5.
pub fn bounds(id: usize) -> Result<[(f64, f64); 3], LabError> {
    let around = |radius: f64| (-radius, radius);
    match id {
        0 => Ok([around(1.0); 3]),
        // <lab
        // 1 to 5
        // lab>
        _ => Err(LabError::refused(format!("solid {id}: expected 0 to 5"))),
    }
}

/// `n` pseudo-random points of the box of a solid, and the volume of that box.
///
/// # Errors
/// An unknown solid; whatever the library or the driver refuses.
pub fn points_in_box(lab: &Lab, id: usize, n: usize, seed: u64) -> Result<(Points, f64), LabError> {
    let sides = bounds(id)?;
    let map = Map::new(lab)?;
    let mut points = Points::unwritten(n)?;
    let mut generator = Generator::new(RngType::PseudoPhilox4_32_10)?;
    generator.set_pseudo_random_generator_seed(seed)?;
    for (axis, (a, b)) in points.axes().into_iter().zip(sides) {
        generator.generate_uniform(axis)?;
        map.run(axis, a as f32, b as f32)?;
    }
    lab.stream().synchronize()?;
    Ok((points, box_volume(&sides)?))
}

/// Volume of a solid and its standard uncertainty, from `n` points, by the predicate without
/// branches.
///
/// # Errors
/// An unknown solid, no points; whatever the library or the driver refuses.
pub fn volume(lab: &Lab, id: usize, n: usize, seed: u64) -> Result<(f64, f64), LabError> {
    if n == 0 {
        return Err(LabError::refused("no points: n must be at least 1"));
    }
    let (points, v) = points_in_box(lab, id, n, seed)?;
    let module = lab.module(kernel_file!("mc_solid.cu"), &[])?;
    let kernel = module.get_function("mc_products").during("get_function(mc_products)")?;
    let (f, stream) = (unwritten(n)?, lab.stream());
    // SAFETY: the arguments match the kernel's parameters; all buffers hold n numbers.
    unsafe {
        launch!(kernel<<<n.div_ceil(256) as u32, 256, 0, stream>>>(
            f.as_device_ptr(),
            points.x.as_device_ptr(),
            points.y.as_device_ptr(),
            points.z.as_device_ptr(),
            n as u64,
            id as i32
        ))
    }
    .during("launch of mc_products")?;
    stream.synchronize()?;
    let mut inside = vec![0.0; n];
    f.copy_to(&mut inside)?;
    // f is 0 or 1, so the sum of the squares is that of the values.
    let sum = inside.iter().map(|f| f64::from(*f)).sum();
    let sum2 = inside.iter().map(|f| f64::from(*f).powi(2)).sum();
    estimate(v, sum, sum2, n as u64)
}
