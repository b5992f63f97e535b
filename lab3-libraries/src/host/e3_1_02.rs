//! Handlers of exercise 3.1.2: random numbers and sums on the CPU.

use labkit::LabError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{args, bits32};

/// Handlers of exercise 3.1.2 over a module with its functions. `RandUni` of a mutant is another
/// type, so what is done with it stands here.
#[macro_export]
macro_rules! handlers_e3_1_02 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_1_02 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_1_02.at", |args| {
                host::at(
                    |s, indices| {
                        let sequence = exercise::RandUni::new(s.seed, s.a, s.b)?;
                        Ok(indices.iter().map(|i| sequence.at(*i)).collect())
                    },
                    args,
                )
            }),
            ("e3_1_02.generate", |args| {
                host::generate(
                    |s, n| Ok(exercise::generate(n, &exercise::RandUni::new(s.seed, s.a, s.b)?)),
                    args,
                )
            }),
            ("e3_1_02.same_points", |args| {
                host::same_points(exercise::integrate, exercise::f_ball, args)
            }),
            ("e3_1_02.f_ball", |args| host::f_ball(exercise::f_ball, args)),
            ("e3_1_02.pi", |args| host::pi(exercise::pi, args)),
            ("e3_1_02.lengths", |args| {
                host::lengths(exercise::integrate, exercise::f_ball, args)
            }),
        ];
        list
    }};
}

/// A sequence: a seed and a range.
#[derive(Debug, Deserialize)]
pub struct Sequence {
    /// Seed.
    pub seed: u32,
    /// Lower end.
    pub a: f32,
    /// Upper end.
    pub b: f32,
}

/// The student's sum over points.
pub type Integrate = fn(&[f32], &[f32], &[f32], fn([f32; 3]) -> f32, f64) -> Result<f64, LabError>;

/// `{"seed", "a", "b", "indices": [..]}` -> bits of those elements.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn at(
    f: impl Fn(&Sequence, &[u64]) -> Result<Vec<f32>, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let indices: Vec<u64> = args(&request["indices"])?;
    Ok(json!(bits32(&f(&args(request)?, &indices)?)))
}

/// `{"seed", "a", "b", "n"}` -> bits of `[x, y, z]`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn generate(
    f: impl Fn(&Sequence, usize) -> Result<[Vec<f32>; 3], LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let points = f(&args(request)?, args(&request["n"])?)?;
    Ok(json!(points.map(|axis| bits32(&axis))))
}

/// `[[x, y, z], ..]` -> f of each point, as bits.
///
/// # Errors
/// A bad request.
pub fn f_ball(f: fn([f32; 3]) -> f32, request: &Value) -> Result<Value, LabError> {
    let points: Vec<[f32; 3]> = args(request)?;
    Ok(json!(bits32(&points.into_iter().map(f).collect::<Vec<_>>())))
}

/// `n` times the same point: `{"n", "value"}`; the mean of the ball's f and that of f = x, with V =
/// 1, as bits.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn same_points(
    integrate: Integrate,
    f_ball: fn([f32; 3]) -> f32,
    request: &Value,
) -> Result<Value, LabError> {
    let value: f32 = args(&request["value"])?;
    let x = vec![value; args(&request["n"])?];
    let ball = integrate(&x, &x, &x, f_ball, 1.0)?;
    let first = integrate(&x, &x, &x, |p| p[0], 1.0)?;
    Ok(json!([ball, first].map(f64::to_bits)))
}

/// `{"n", "seed", "threads": [..]}` -> bits of pi, computed with so many threads each.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn pi(pi: fn(usize, u32) -> Result<f64, LabError>, request: &Value) -> Result<Value, LabError> {
    let (n, seed) = (args(&request["n"])?, args(&request["seed"])?);
    let threads: Vec<usize> = args(&request["threads"])?;
    let mut found = Vec::new();
    for threads in threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| LabError::msg(format!("{threads} threads: {e}")))?;
        found.push(pool.install(|| pi(n, seed))?.to_bits());
    }
    Ok(json!(found))
}

/// `[lengths of x, y, z]` -> bits of the ball's integral over zeros.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn lengths(
    integrate: Integrate,
    f_ball: fn([f32; 3]) -> f32,
    request: &Value,
) -> Result<Value, LabError> {
    let [x, y, z] = args::<[usize; 3]>(request)?.map(|n| vec![0.0; n]);
    Ok(json!(integrate(&x, &y, &z, f_ball, 8.0)?.to_bits()))
}
