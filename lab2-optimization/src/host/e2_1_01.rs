//! Handlers of exercise 2.1.1: CGMA of FIR filtering.

use labkit::LabError;
use serde_json::{Value, json};

use super::args;

/// Handlers of exercise 2.1.1 over a module with its functions.
#[macro_export]
macro_rules! handlers_e2_1_01 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e2_1_01.products", |args| $crate::host::e2_1_01::products(exercise::products, args)),
            ("e2_1_01.ratios", |args| {
                $crate::host::e2_1_01::ratios(
                    exercise::cgma_naive,
                    exercise::cgma_const,
                    exercise::cgma_tiled,
                    exercise::cgma_ideal,
                    args,
                )
            }),
        ];
        list
    }};
}

/// `{"len": 9, "n": 3}` -> number of products.
pub fn products(products: fn(u64, u64) -> u64, request: &Value) -> Result<Value, LabError> {
    Ok(json!(products(args(&request["len"])?, args(&request["n"])?)))
}

/// `{"len": 9, "n": 3, "k": 512, "with_store": true}` -> bits of `[naive, const, tiled, ideal]`.
pub fn ratios(
    naive: fn(u64, bool) -> f64,
    constant: fn(u64, bool) -> f64,
    tiled: fn(u64, u64, bool) -> f64,
    ideal: fn(u64, u64, bool) -> f64,
    request: &Value,
) -> Result<Value, LabError> {
    #[derive(serde::Deserialize)]
    struct Case {
        len: u64,
        n: u64,
        k: u64,
        with_store: bool,
    }
    let Case { len, n, k, with_store } = args(request)?;
    let ratios = [
        naive(n, with_store),
        constant(n, with_store),
        tiled(n, k, with_store),
        ideal(len, n, with_store),
    ];
    Ok(json!(ratios.map(f64::to_bits)))
}
