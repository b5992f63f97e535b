//! Handlers of exercise 1.1.2: make the program presentable.

use cust::device::{Device, DeviceAttribute};
use labkit::{Lab, LabError};
use serde_json::{Value, json};

use super::{args, bits32, bits64, from_bits32, from_bits64};

/// Handlers of exercise 1.1.2 over a module with its functions.
#[macro_export]
macro_rules! handlers_e1_1_02 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e1_1_02.add_i32", |args| {
                $crate::host::e1_1_02::add_i32(exercise::add_with_cuda, args)
            }),
            ("e1_1_02.add_f32", |args| {
                $crate::host::e1_1_02::add_f32(exercise::add_with_cuda, args)
            }),
            ("e1_1_02.add_f64", |args| {
                $crate::host::e1_1_02::add_f64(exercise::add_with_cuda, args)
            }),
            ("e1_1_02.lengths", |args| {
                $crate::host::e1_1_02::lengths(exercise::add_with_cuda, args)
            }),
            ("e1_1_02.bad_name", |args| {
                $crate::host::e1_1_02::bad_name(exercise::add_with_kernel, args)
            }),
            ("e1_1_02.device_line", |_| $crate::host::e1_1_02::device_line(exercise::device_line)),
        ];
        list
    }};
}

type Add<T> = fn(&Lab, &mut [T], &[T], &[T]) -> Result<(), LabError>;

/// Adds by the kernel of a name.
type AddBy = fn(&Lab, &str, &mut [i32], &[i32], &[i32]) -> Result<(), LabError>;

#[derive(serde::Deserialize)]
struct Vectors<T> {
    a: Vec<T>,
    b: Vec<T>,
}

/// `{"a": [..], "b": [..]}` -> sums.
pub fn add_i32(add: Add<i32>, request: &Value) -> Result<Value, LabError> {
    let Vectors { a, b } = args(request)?;
    let mut c = vec![0; a.len()];
    add(&Lab::new()?, &mut c, &a, &b)?;
    Ok(json!(c))
}

/// The same in bit patterns of `f32`.
pub fn add_f32(add: Add<f32>, request: &Value) -> Result<Value, LabError> {
    let Vectors { a, b } = args(request)?;
    let mut c = vec![0.0; a.len()];
    add(&Lab::new()?, &mut c, &from_bits32(&a), &from_bits32(&b))?;
    Ok(json!(bits32(&c)))
}

/// The same in bit patterns of `f64`.
pub fn add_f64(add: Add<f64>, request: &Value) -> Result<Value, LabError> {
    let Vectors { a, b } = args(request)?;
    let mut c = vec![0.0; a.len()];
    add(&Lab::new()?, &mut c, &from_bits64(&a), &from_bits64(&b))?;
    Ok(json!(bits64(&c)))
}

/// Adds vectors of the lengths `{"c": 5, "a": 4, "b": 5}`.
pub fn lengths(add: Add<i32>, request: &Value) -> Result<Value, LabError> {
    #[derive(serde::Deserialize)]
    struct Lengths {
        c: usize,
        a: usize,
        b: usize,
    }
    let Lengths { c, a, b } = args(request)?;
    add(&Lab::new()?, &mut vec![0; c], &vec![1; a], &vec![2; b])?;
    Ok(Value::Null)
}

/// Adds five elements by the kernel called `{"kernel": ".."}`.
pub fn bad_name(add: AddBy, request: &Value) -> Result<Value, LabError> {
    let kernel = request["kernel"].as_str().unwrap_or_default();
    add(&Lab::new()?, kernel, &mut [0; 5], &[1; 5], &[2; 5])?;
    Ok(Value::Null)
}

/// The line, beside what the driver says of its first device.
pub fn device_line(line: fn(Device) -> Result<String, LabError>) -> Result<Value, LabError> {
    let _lab = Lab::new()?;
    let device = Device::get_device(0)?;
    Ok(json!({
        "line": line(device)?,
        "ordinal": device.as_raw(),
        "name": device.name()?,
        "major": device.get_attribute(DeviceAttribute::ComputeCapabilityMajor)?,
        "minor": device.get_attribute(DeviceAttribute::ComputeCapabilityMinor)?,
    }))
}
