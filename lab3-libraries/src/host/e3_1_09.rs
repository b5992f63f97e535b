//! Handlers of exercise 3.1.9: algorithms over the CPU and over the device.

use labkit::{Lab, LabError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{args, bits64, from_bits64};
use crate::algorithms::{Greatest, Identity, Negative, Plus, Range, Shifted, Square, System};

/// Handlers of exercise 3.1.9 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_1_09 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_1_09 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_1_09.cpu_transform", |args| host::transform(&exercise::Cpu, args)),
            ("e3_1_09.cpu_reduce", |args| host::reduce(&exercise::Cpu, args)),
            ("e3_1_09.device_transform", |args| {
                host::transform(&exercise::Device(&host::device()?), args)
            }),
            ("e3_1_09.device_reduce", |args| {
                host::reduce(&exercise::Device(&host::device()?), args)
            }),
            ("e3_1_09.cpu_nothing", |args| host::reduce(&exercise::Cpu, args)),
            ("e3_1_09.device_nothing", |args| {
                host::reduce(&exercise::Device(&host::device()?), args)
            }),
            ("e3_1_09.cpu_pi", |args| host::pi(&exercise::Cpu, exercise::pi, args)),
            ("e3_1_09.device_pi", |args| {
                host::pi(&exercise::Device(&host::device()?), exercise::pi, args)
            }),
            ("e3_1_09.cpu_numbers", |args| {
                host::numbers(
                    &exercise::Cpu, exercise::mean_and_variance, exercise::extent, args,
                )
            }),
            ("e3_1_09.device_numbers", |args| {
                let lab = host::device()?;
                let device = exercise::Device(&lab);
                host::numbers(&device, exercise::mean_and_variance, exercise::extent, args)
            }),
            ("e3_1_09.cpu_centred", |args| {
                host::centred(&exercise::Cpu, exercise::centred, args)
            }),
            ("e3_1_09.device_centred", |args| {
                host::centred(&exercise::Device(&host::device()?), exercise::centred, args)
            }),
        ];
        list
    }};
}

/// The device.
///
/// # Errors
/// What the driver refuses.
pub fn device() -> Result<Lab, LabError> {
    Lab::new()
}

/// What an algorithm is asked for: elements of a vector (bits), or counted from `first`.
#[derive(Deserialize)]
struct Case {
    function: String,
    operation: Option<String>,
    elements: Option<Vec<u64>>,
    #[serde(default)]
    first: f64,
    #[serde(default)]
    n: usize,
    p: f64,
}

impl Case {
    fn upload<S: System>(&self, system: &S) -> Result<Option<S::Vector>, LabError> {
        self.elements.as_ref().map(|bits| system.upload(&from_bits64(bits))).transpose()
    }

    fn range<'v, V>(&self, vector: &'v Option<V>) -> Range<'v, V> {
        match vector {
            Some(vector) => Range::Of(vector),
            None => Range::Counting { first: self.first, n: self.n },
        }
    }
}

fn unknown(case: &Case) -> LabError {
    LabError::msg(format!("no function {} with {:?}", case.function, case.operation))
}

/// A function and a range -> bits of the transformed elements.
///
/// # Errors
/// A bad request, or what the student's code returns.
pub fn transform<S: System>(system: &S, request: &Value) -> Result<Value, LabError> {
    let case: Case = args(request)?;
    let vector = case.upload(system)?;
    let (range, p) = (case.range(&vector), case.p);
    let out = match case.function.as_str() {
        "Negative" => system.transform::<Negative>(range, p)?,
        "Shifted" => system.transform::<Shifted>(range, p)?,
        "Square" => system.transform::<Square>(range, p)?,
        _ => return Err(unknown(&case)),
    };
    Ok(json!(bits64(&system.download(&out)?)))
}

/// A function, an operation and a range -> bits of the result. Asked for as `nothing` of a range
/// without elements, whose result is not the device's work.
///
/// # Errors
/// A bad request, or what the student's code returns.
pub fn reduce<S: System>(system: &S, request: &Value) -> Result<Value, LabError> {
    let case: Case = args(request)?;
    let vector = case.upload(system)?;
    let (range, p) = (case.range(&vector), case.p);
    let operation = case.operation.as_deref().unwrap_or_default();
    let result = match (case.function.as_str(), operation) {
        ("Identity", "Plus") => system.transform_reduce::<Identity, Plus>(range, p)?,
        ("Square", "Plus") => system.transform_reduce::<Square, Plus>(range, p)?,
        ("Identity", "Greatest") => system.transform_reduce::<Identity, Greatest>(range, p)?,
        ("Negative", "Greatest") => system.transform_reduce::<Negative, Greatest>(range, p)?,
        _ => return Err(unknown(&case)),
    };
    Ok(json!(result.to_bits()))
}

/// Number of intervals -> bits of pi.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn pi<S: System>(
    system: &S,
    pi: fn(&S, usize) -> Result<f64, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    Ok(json!(pi(system, args(request)?)?.to_bits()))
}

/// The student's mean and variance over a system.
pub type Moments<S> = fn(&S, &<S as System>::Vector) -> Result<(f64, f64), LabError>;

/// Bits of a vector -> bits of `[mean, variance, extent]`.
///
/// # Errors
/// A bad request, or what the student's functions return.
pub fn numbers<S: System>(
    system: &S,
    moments: Moments<S>,
    extent: fn(&S, &S::Vector) -> Result<f64, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let vector = system.upload(&from_bits64(&args::<Vec<u64>>(request)?))?;
    let (mean, variance) = moments(system, &vector)?;
    Ok(json!(bits64(&[mean, variance, extent(system, &vector)?])))
}

/// Bits of a vector -> bits of the vector less its mean.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn centred<S: System>(
    system: &S,
    centred: fn(&S, &S::Vector) -> Result<S::Vector, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let vector = system.upload(&from_bits64(&args::<Vec<u64>>(request)?))?;
    Ok(json!(bits64(&system.download(&centred(system, &vector)?)?)))
}
