//! Handlers of exercise 4.2: the first filter with the student's choice of bits.

use serde_json::Value;
use wire::serve::Failed;

use super::coefficients;

/// Handlers of exercise 4.2 over a module with its constant.
#[macro_export]
macro_rules! handlers_e4_2 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> =
            vec![("e4_2.fir1", |request| $crate::host::e4_2::fir1(exercise::RESULT_LSB, request))];
        list
    }};
}

/// `{"coefficients": [8]}` -> the design.
///
/// # Errors
/// The builder's mistakes.
pub fn fir1(lsb: u32, request: &Value) -> Result<Value, Failed> {
    super::reply(crate::e4_1::fir1(&coefficients(request)?, lsb))
}
