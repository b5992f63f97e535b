//! Handlers of exercise 3.1.5: series of estimates, their spread, and its law.

use labkit::{Lab, LabError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{args, bits64, from_bits64};
use crate::mc::{HostSource, Source, Stats};

/// Handlers of exercise 3.1.5 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_1_05 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_1_05 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_1_05.law", |args| host::law(exercise::repeat, args)),
            ("e3_1_05.device", |args| {
                host::device(
                    |lab, seeds, take| take(&mut exercise::Pseudo::new(lab, seeds)?),
                    exercise::repeat,
                    args,
                )
            }),
            ("e3_1_05.stats", |args| host::stats(exercise::stats, args)),
            ("e3_1_05.fit", |args| host::fit(exercise::fit_alpha, args)),
        ];
        list
    }};
}

/// The student's repetition.
pub type Repeat = fn(usize, usize, &mut dyn Source) -> Result<Vec<f64>, LabError>;
/// The student's fit.
pub type Fit = fn(&[f64], &[f64]) -> Result<(f64, f64), LabError>;
/// What is done with a source.
pub type Take<'t> = &'t mut dyn FnMut(&mut dyn Source) -> Result<(), LabError>;

/// Series from points of the CPU: `{"seed", "p", "n": [..]}` -> bits of `p` estimates for each n.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn law(repeat: Repeat, request: &Value) -> Result<Value, LabError> {
    let mut source = HostSource::pseudo(args(&request["seed"])?)?;
    series(repeat, &mut source, request)
}

fn series(repeat: Repeat, source: &mut dyn Source, request: &Value) -> Result<Value, LabError> {
    let p = args(&request["p"])?;
    let sizes: Vec<usize> = args(&request["n"])?;
    let mut found = Vec::new();
    for n in sizes {
        found.push(bits64(&repeat(n, p, source)?));
    }
    Ok(json!(found))
}

/// Series from the student's source: `{"seeds", "p", "n": [..]}` -> bits of `p` estimates for each
/// n.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn device(
    with_source: impl Fn(&Lab, [u64; 3], Take<'_>) -> Result<(), LabError>,
    repeat: Repeat,
    request: &Value,
) -> Result<Value, LabError> {
    let mut found = Value::Null;
    let mut take = |source: &mut dyn Source| {
        found = series(repeat, source, request)?;
        Ok(())
    };
    with_source(&Lab::new()?, args(&request["seeds"])?, &mut take)?;
    Ok(found)
}

/// Bits of a series -> bits of `[mean, min, max, delta]`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn stats(
    stats: fn(&[f64]) -> Result<Stats, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let Stats { mean, min, max, delta } = stats(&from_bits64(&args::<Vec<u64>>(request)?))?;
    Ok(json!(bits64(&[mean, min, max, delta])))
}

/// `{"n": bits, "delta": bits}` -> bits of `[alpha, c]`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn fit(fit: Fit, request: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Case {
        n: Vec<u64>,
        delta: Vec<u64>,
    }
    let Case { n, delta } = args(request)?;
    let (alpha, c) = fit(&from_bits64(&n), &from_bits64(&delta))?;
    Ok(json!(bits64(&[alpha, c])))
}
