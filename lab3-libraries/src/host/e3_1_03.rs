//! Handlers of exercise 3.1.3: points and hits on the GPU.

use cust::memory::{CopyDestination, DeviceBuffer, DeviceSlice};
use labkit::{Lab, LabError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{args, bits32, from_bits32};
use crate::mc::Points;

/// Handlers of exercise 3.1.3 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_1_03 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_1_03 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_1_03.generate", |args| host::generate(exercise::generate, args)),
            ("e3_1_03.hits", |args| {
                host::hits(|lab, [x, y, z]| exercise::Hits::new(lab)?.count(x, y, z), args)
            }),
            ("e3_1_03.grid", |args| host::grid(exercise::grid, args)),
        ];
        list
    }};
}

/// The student's generation on the device.
pub type Generate = fn(&Lab, usize, u32, f32, f32) -> Result<Points, LabError>;

/// `{"n", "seed", "a", "b"}` -> bits of `[x, y, z]`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn generate(f: Generate, request: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Case {
        n: usize,
        seed: u32,
        a: f32,
        b: f32,
    }
    let Case { n, seed, a, b } = args(request)?;
    let lab = Lab::new()?;
    let points = f(&lab, n, seed, a, b)?;
    coordinates(&points)
}

/// Bits of the coordinates.
///
/// # Errors
/// What the driver refuses.
pub fn coordinates(points: &Points) -> Result<Value, LabError> {
    let [x, y, z] = [&points.x, &points.y, &points.z].map(|axis| down(axis));
    Ok(json!([bits32(&x?), bits32(&y?), bits32(&z?)]))
}

/// The numbers of a slice of device memory.
///
/// # Errors
/// What the driver refuses.
pub fn down(slice: &DeviceSlice<f32>) -> Result<Vec<f32>, LabError> {
    let mut values = vec![0.0; slice.len()];
    if !values.is_empty() {
        slice.copy_to(&mut values)?;
    }
    Ok(values)
}

/// `[bits of x, y, z]` -> number of hits, counted twice in a row.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn hits(
    count: impl Fn(&Lab, [&DeviceSlice<f32>; 3]) -> Result<u64, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let coordinates: [Vec<u32>; 3] = args(request)?;
    let lab = Lab::new()?;
    let [x, y, z] = coordinates.map(|bits| DeviceBuffer::from_slice(&from_bits32(&bits)));
    let (x, y, z) = (x?, y?, z?);
    let first = count(&lab, [&x, &y, &z])?;
    Ok(json!([first, count(&lab, [&x, &y, &z])?]))
}

/// `[n, ..]` -> blocks for each.
///
/// # Errors
/// A bad request.
pub fn grid(grid: fn(usize) -> u32, request: &Value) -> Result<Value, LabError> {
    let sizes: Vec<usize> = args(request)?;
    Ok(json!(sizes.into_iter().map(grid).collect::<Vec<_>>()))
}
