//! Handlers of exercise 3.1.6: quasi-random points.

use cust::memory::DeviceSlice;
use labkit::{Lab, LabError};
use serde_json::{Value, json};

use super::e3_1_03::down;
use super::e3_1_05::Take;
use super::{args, bits32, bits64};
use crate::mc::{Source, unwritten};

/// Handlers of exercise 3.1.6 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_1_06 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_1_06 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_1_06.fill", |args| {
                host::fill(
                    |lab, buffers| {
                        let mut source = exercise::Quasi::new(lab)?;
                        buffers.iter_mut().try_for_each(|buffer| source.fill(buffer))
                    },
                    args,
                )
            }),
            ("e3_1_06.series", |args| {
                host::series(|lab, take| take(&mut exercise::Quasi::new(lab)?), args)
            }),
        ];
        list
    }};
}

/// `[lengths]`: buffers of so many numbers, filled one after the other by one source -> bits of
/// each.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn fill(
    fill: impl Fn(&Lab, &mut [&mut DeviceSlice<f32>]) -> Result<(), LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let lengths: Vec<usize> = args(request)?;
    let lab = Lab::new()?;
    let mut buffers = lengths.into_iter().map(unwritten).collect::<Result<Vec<_>, _>>()?;
    let mut slices: Vec<&mut DeviceSlice<f32>> = buffers.iter_mut().map(|b| &mut **b).collect();
    fill(&lab, &mut slices)?;
    lab.stream().synchronize()?;
    let values: Vec<_> =
        buffers.iter().map(|b| Ok(bits32(&down(b)?))).collect::<Result<_, LabError>>()?;
    Ok(json!(values))
}

/// `{"p", "n": [..]}` -> bits of `p` estimates for each n, one source for all.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn series(
    with_source: impl Fn(&Lab, Take<'_>) -> Result<(), LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let p: usize = args(&request["p"])?;
    let sizes: Vec<usize> = args(&request["n"])?;
    let mut found = Vec::new();
    let mut take = |source: &mut dyn Source| {
        for n in &sizes {
            let estimates: Result<Vec<f64>, LabError> =
                (0..p).map(|_| source.estimate(*n)).collect();
            found.push(bits64(&estimates?));
        }
        Ok(())
    };
    with_source(&Lab::new()?, &mut take)?;
    Ok(json!(found))
}
