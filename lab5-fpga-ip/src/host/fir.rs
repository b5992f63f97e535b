//! Handlers of exercises 5.3 to 5.5: filters.

use hdl::BuildErrors;
use ipcores::fir::{Fir, FirCore};
use serde::Deserialize;
use serde_json::{Value, json};
use wire::serve::{Failed, args};

use super::design::built;

/// Handlers of exercise 5.3 over a module with its functions.
#[macro_export]
macro_rules! handlers_e5_3 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e5_3.systolic", |r| $crate::host::fir::filter(exercise::systolic, r)),
            ("e5_3.transposed", |r| $crate::host::fir::filter(exercise::transposed, r)),
        ];
        list
    }};
}

/// Handlers of exercise 5.4 over a module with its functions.
#[macro_export]
macro_rules! handlers_e5_4 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e5_4.table", |r| $crate::host::fir::table(exercise::table, r)),
            ("e5_4.serial", |r| $crate::host::fir::filter(exercise::serial, r)),
        ];
        list
    }};
}

/// Handlers of exercise 5.5 over a module with its functions.
#[macro_export]
macro_rules! handlers_e5_5 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> =
            vec![("e5_5.parallel", |r| $crate::host::fir::parallel(exercise::parallel, r))];
        list
    }};
}

#[derive(Deserialize)]
struct Parameters {
    coefficients: Vec<i64>,
    data_bits: u32,
    coefficient_bits: u32,
}

fn parameters(request: &Value) -> Result<Fir, Failed> {
    let p: Parameters = args(request)?;
    Fir::new(&p.coefficients, p.data_bits, p.coefficient_bits)
        .map_err(|e| Failed::msg(e.to_string()))
}

fn reply(core: Result<FirCore, BuildErrors>) -> Result<Value, Failed> {
    let core = built(core)?;
    Ok(json!({ "design": core.block, "period": core.period, "latency": core.latency }))
}

/// `{"coefficients", "data_bits", "coefficient_bits"}` -> the design with its declared period and
/// latency.
///
/// # Errors
/// Bad parameters; the builder's mistakes.
pub fn filter(
    build: fn(&Fir) -> Result<FirCore, BuildErrors>,
    request: &Value,
) -> Result<Value, Failed> {
    reply(build(&parameters(request)?))
}

/// The same with `"p"`, the bits per clock.
///
/// # Errors
/// As [`filter`].
pub fn parallel(
    build: fn(&Fir, u32) -> Result<FirCore, BuildErrors>,
    request: &Value,
) -> Result<Value, Failed> {
    reply(build(&parameters(request)?, args(&request["p"])?))
}

/// `{"coefficients"}` -> the words of the table.
///
/// # Errors
/// A bad request.
pub fn table(table: fn(&[i64]) -> Vec<i64>, request: &Value) -> Result<Value, Failed> {
    let coefficients: Vec<i64> = args(&request["coefficients"])?;
    Ok(json!(table(&coefficients)))
}
