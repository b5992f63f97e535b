//! Handlers of exercise 2.1.11: resources, occupancy, suggestion, and the bonus.

use cust::function::Function;
use labkit::{Lab, LabError, kernel_file};
use serde_json::{Value, json};

use super::{FirRequest, args, bits32};

/// Handlers of exercise 2.1.11 over a module with its functions.
#[macro_export]
macro_rules! handlers_e2_1_11 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e2_1_11 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e2_1_11.resources", |args| host::of_kernel(exercise::kernel_resources, args)),
            ("e2_1_11.suggestion", |args| host::of_kernel(exercise::suggestion, args)),
            ("e2_1_11.lines", |args| host::lines(exercise::configuration_lines, args)),
            ("e2_1_11.occupancy", |args| {
                host::occupancy(
                    |sm, threads, regs, smem| {
                        let [max_warps, max_blocks, registers, register_unit, ..] = sm;
                        let [.., shared, shared_unit, shared_reserved] = sm;
                        let sm = exercise::SmLimits {
                            max_warps,
                            max_blocks,
                            registers,
                            register_unit,
                            shared,
                            shared_unit,
                            shared_reserved,
                        };
                        let o = exercise::occupancy(&sm, threads, regs, smem)?;
                        Ok((o.blocks, o.warps, o.percent, format!("{:?}", o.limiter)))
                    },
                    args,
                )
            }),
            ("e2_1_11.fft", |args| host::fft(exercise::audiofir_fft, args)),
        ];
        list
    }};
}

/// `{"file": 4 or 5, "k"}` -> what the student's function says of the kernel in `fir4.cu` or
/// `fir5.cu`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn of_kernel(
    f: fn(&Function) -> Result<(u32, u32), LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let lab = Lab::new()?;
    let file = if request["file"] == 4 { kernel_file!("fir4.cu") } else { kernel_file!("fir5.cu") };
    let k: u32 = args(&request["k"])?;
    let module = lab.module(file, &[&format!("-DK={k}")])?;
    Ok(json!(f(&module.get_function("audiofir_kernel")?)?))
}

/// The student's two lines, from blocks and length of the suggested and of the actual
/// configuration.
pub type Lines = fn((u32, u32), (u32, u32)) -> [String; 2];

/// `[[blocks, length], [blocks, length]]` -> the two lines.
///
/// # Errors
/// A bad request.
pub fn lines(f: Lines, request: &Value) -> Result<Value, LabError> {
    let [suggested, actual]: [(u32, u32); 2] = args(request)?;
    Ok(json!(f(suggested, actual)))
}

/// The student's calculator: limits in the order of the fields of `SmLimits`, threads, registers,
/// bytes -> blocks, warps, percent, name of the limiter.
pub type Occupancy = fn([u32; 7], u32, u32, u32) -> Result<(u32, u32, f64, String), LabError>;

/// `[[[limits], threads, regs, smem], ...]` -> for each
/// `[blocks, warps, bits of percent, limiter]`, or the error's text.
///
/// # Errors
/// A bad request.
pub fn occupancy(f: Occupancy, request: &Value) -> Result<Value, LabError> {
    let cases: Vec<([u32; 7], u32, u32, u32)> = args(request)?;
    let one = |(sm, threads, regs, smem)| match f(sm, threads, regs, smem) {
        Ok((blocks, warps, percent, limiter)) => json!([blocks, warps, percent.to_bits(), limiter]),
        Err(error) => json!(error.to_string()),
    };
    Ok(cases.into_iter().map(one).collect())
}

/// The student's filter: outputs, samples, coefficients, samples per channel.
pub type Filter = fn(&mut [f32], &[f32], &[f32], usize) -> Result<(), LabError>;

/// A [`FirRequest`] -> bits of `2 * len` outputs.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn fft(f: Filter, request: &Value) -> Result<Value, LabError> {
    let request: FirRequest = args(request)?;
    let mut yout = request.dirty_output();
    f(&mut yout, &request.yin(), &request.coeff(), request.len)?;
    Ok(json!(bits32(&yout)))
}
