//! Handlers of exercise 2.2.5: the size of the tile.

use labkit::{Lab, LabError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::args;
use super::e2_2_01::Matrix;
use crate::e2_2_05::Row;

/// Names the functions of a module for exercise 2.2.5.
#[macro_export]
macro_rules! handlers_e2_2_05 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e2_2_05.sweep", |args| {
                $crate::host::e2_2_05::sweep(
                    |lab, ks, pad, a, m, n| {
                        let rows = exercise::sweep(lab, ks, pad, a, m, n)?;
                        let plain = |r: exercise::Row| $crate::e2_2_05::Row {
                            k: r.k,
                            pad: r.pad,
                            m: r.m,
                            n: r.n,
                            ms: r.ms,
                            gflops: r.gflops,
                            shared: r.shared,
                        };
                        Ok(rows.into_iter().map(plain).collect())
                    },
                    args,
                )
            }),
        ];
        list
    }};
}

/// The student's sweep.
pub type Sweep =
    fn(&Lab, &[u32], fn(u32) -> u32, &[f32], usize, usize) -> Result<Vec<Row>, LabError>;

/// `{"ks": [8, 16], "m", "n", "a": bits}` -> the rows; the padding of a tile is taken from the
/// handout's table.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn sweep(sweep: Sweep, request: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Case {
        ks: Vec<u32>,
        #[serde(flatten)]
        matrix: Matrix,
    }
    let Case { ks, matrix } = args(request)?;
    let rows = sweep(&Lab::new()?, &ks, pad, &matrix.values(), matrix.m, matrix.n)?;
    let row = |r: &Row| {
        json!({
            "k": r.k, "pad": r.pad, "m": r.m, "n": r.n, "ms": r.ms, "gflops": r.gflops,
            "shared": r.shared
        })
    };
    Ok(json!(rows.iter().map(row).collect::<Vec<_>>()))
}

/// Words added to a row: those of the table in exercise 2.2.2.
fn pad(k: u32) -> u32 {
    match k {
        8 => 4,
        16 | 24 => 2,
        _ => 1,
    }
}
