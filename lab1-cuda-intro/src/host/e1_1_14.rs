//! Handlers of exercise 1.1.14: refactoring. They use nothing but the library's public interface.

use labkit::{Lab, LabError};
use serde::Deserialize;
use serde_json::{Value, json};
use wire::{f32_bits, f32_from_bits, f64_bits};

use super::args as request;

/// Names the functions of a module for exercise 1.1.14.
#[macro_export]
macro_rules! handlers_e1_1_14 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, labkit::serve::Handler)> = vec![
            ("e1_1_14.add_f32", |args| {
                $crate::host::e1_1_14::add_f32(args, |lab, sums| {
                    let mut adder = exercise::VecAdd::<f32>::new(lab)?;
                    sums.iter_mut().try_for_each(|s| adder.add(&mut s.c, &s.a, &s.b))
                })
            }),
            ("e1_1_14.add_i32", |args| {
                $crate::host::e1_1_14::add_i32(args, |lab, sums| {
                    let mut adder = exercise::VecAdd::<i32>::new(lab)?;
                    sums.iter_mut().try_for_each(|s| adder.add(&mut s.c, &s.a, &s.b))
                })
            }),
            ("e1_1_14.max_abs_err", |args| {
                $crate::host::e1_1_14::max_abs_err(exercise::max_abs_err::<f32>, args)
            }),
        ];
        list
    }};
}

/// One call of `add`: c = a + b.
#[derive(Debug)]
pub struct Sum<T> {
    /// Result.
    pub c: Vec<T>,
    /// First operand.
    pub a: Vec<T>,
    /// Second operand.
    pub b: Vec<T>,
}

/// Vectors of one call; floats as bit patterns, `n` elements of c.
#[derive(Deserialize)]
struct Vectors {
    n: usize,
    a: Value,
    b: Value,
}

/// What the macro makes of a list of sums: one adder, one call after the other.
pub type AddAll<T> = fn(&Lab, &mut [Sum<T>]) -> Result<(), LabError>;

/// `[{"n": 3, "a": bits, "b": bits}, ...]` -> bits of c for each, all with one adder.
///
/// # Errors
/// A bad request, or what the student's functions return.
pub fn add_f32(args: &Value, add_all: AddAll<f32>) -> Result<Value, LabError> {
    let read = |bits: &Value| f32_from_bits(bits).map_err(LabError::msg);
    let mut sums = Vec::new();
    for Vectors { n, a, b } in request::<Vec<Vectors>>(args)? {
        sums.push(Sum { c: vec![0.0; n], a: read(&a)?, b: read(&b)? });
    }
    add_all(&Lab::new()?, &mut sums)?;
    Ok(json!(sums.iter().map(|s| f32_bits(&s.c)).collect::<Vec<_>>()))
}

/// The same for integers.
///
/// # Errors
/// A bad request, or what the student's functions return.
pub fn add_i32(args: &Value, add_all: AddAll<i32>) -> Result<Value, LabError> {
    let mut sums = Vec::new();
    for Vectors { n, a, b } in request::<Vec<Vectors>>(args)? {
        sums.push(Sum { c: vec![0; n], a: request(&a)?, b: request(&b)? });
    }
    add_all(&Lab::new()?, &mut sums)?;
    Ok(json!(sums.iter().map(|s| &s.c).collect::<Vec<_>>()))
}

/// `[[c, a, b], ...]`, each as bits -> bits of the errors.
///
/// # Errors
/// A bad request.
pub fn max_abs_err(f: fn(&[f32], &[f32], &[f32]) -> f64, args: &Value) -> Result<Value, LabError> {
    let mut errors = Vec::new();
    for vectors in request::<Vec<[Value; 3]>>(args)? {
        let mut read = Vec::new();
        for bits in &vectors {
            read.push(f32_from_bits(bits).map_err(LabError::msg)?);
        }
        errors.push(f(&read[0], &read[1], &read[2]));
    }
    Ok(f64_bits(&errors))
}
