//! Handlers of exercise 3.2.4: large rain problems.

use labkit::LabError;
use serde_json::{Value, json};

use super::{args, bits32};

/// Handlers of exercise 3.2.4 over a module with its functions, whose types a mutant has for
/// itself.
#[macro_export]
macro_rules! handlers_e3_2_04 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_2_04 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_2_04.shape", |args| {
                host::shape(
                    |years| {
                        let shape = exercise::shape(years);
                        ([shape.n, shape.m, shape.k], exercise::bytes(shape))
                    },
                    args,
                )
            }),
            ("e3_2_04.fits", |args| {
                host::fits(
                    |years, free| exercise::fits(exercise::shape(years), free),
                    args,
                )
            }),
            ("e3_2_04.pursue", |args| {
                host::pursue(
                    |r| {
                        let lab = ::labkit::Lab::new()?;
                        let shape = exercise::Shape { n: r.n, m: r.m, k: r.k };
                        let gemv = if r.kernel {
                            exercise::Gemv::Kernel
                        } else {
                            exercise::Gemv::Library
                        };
                        let p = exercise::pursue(&lab, shape, r.tau, r.seed, gemv, r.steps)?;
                        Ok((p.days, p.rain, p.indices, p.norms))
                    },
                    args,
                )
            }),
        ];
        list
    }};
}

/// Years -> `[n, m, k, bytes]`.
///
/// # Errors
/// A bad request.
pub fn shape(
    shape: impl Fn(usize) -> ([usize; 3], u64),
    request: &Value,
) -> Result<Value, LabError> {
    let ([n, m, k], bytes) = shape(args(request)?);
    Ok(json!([n, m, k, bytes]))
}

/// `[years, free bytes]` -> null.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn fits(
    fits: impl Fn(usize, u64) -> Result<(), LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let (years, free): (usize, u64) = args(request)?;
    fits(years, free).map(|()| Value::Null)
}

/// What `pursue` is asked for.
#[derive(Debug, serde::Deserialize)]
pub struct Request {
    /// Days.
    pub n: usize,
    /// Observations.
    pub m: usize,
    /// Rainy days.
    pub k: usize,
    /// Time constant in days.
    pub tau: f32,
    /// Seed.
    pub seed: u64,
    /// By the student's kernel, not by the library.
    pub kernel: bool,
    /// Steps.
    pub steps: usize,
}

/// Days of the observations, rain, chosen columns and norms.
pub type Found = (Vec<usize>, Vec<(usize, f32)>, Vec<usize>, Vec<f32>);

/// A [`Request`] -> `{"days", "rain": [[day, bits], ..], "indices", "norms": bits}`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn pursue(
    pursue: impl Fn(Request) -> Result<Found, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let (days, rain, indices, norms) = pursue(args(request)?)?;
    let rain: Vec<(usize, u32)> = rain.into_iter().map(|(day, x)| (day, x.to_bits())).collect();
    Ok(json!({ "days": days, "rain": rain, "indices": indices, "norms": bits32(&norms) }))
}
