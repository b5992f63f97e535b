//! The CPU's generators against numbers that cuRAND 10.4 gave on an H200: `tests/data/curand.txt`,
//! which `cargo run --release -p cudalibs --example curand_vectors` writes anew on a GPU.

mod case;

use case::{Call, Case, patterns};
use cudalibs::rand::HostGenerator;

fn vector<T: bytemuck::Zeroable + Clone>(n: usize) -> Vec<T> {
    vec![T::zeroed(); n]
}

/// The output of the last call.
fn output_of(case: &Case) -> Vec<u64> {
    let mut generator = HostGenerator::new(case.kind).unwrap();
    if let Some(seed) = case.seed {
        generator.set_pseudo_random_generator_seed(seed).unwrap();
    }
    if let Some(dims) = case.dims {
        generator.set_quasi_random_generator_dimensions(dims).unwrap();
    }
    if let Some(offset) = case.offset {
        generator.set_generator_offset(offset).unwrap();
    }
    let mut last = Vec::new();
    for call in &case.calls {
        let call: &Call = call;
        last = crate::output!(generator, call, vector, patterns).unwrap();
    }
    last
}

/// How far a normal number may be off: the vendor's single precision uses fast functions of the
/// GPU.
fn tolerance(name: &str, wanted: f64) -> f64 {
    match name {
        "nor" => 4e-6 * (1.0 + wanted.abs()),
        "log" => 8e-6 * (1.0 + wanted.abs()),
        _ => 4e-14 * (1.0 + wanted.abs()),
    }
}

#[test]
fn generators_give_the_vendors_numbers() {
    let _rig = super::rig();
    let cases = Case::all(include_str!("../../data/curand.txt"));
    assert!(cases.len() > 100);
    for case in &cases {
        let found = output_of(case);
        let name = case.calls.last().unwrap().name.as_str();
        for &(index, wanted) in &case.numbers {
            let found = found[index];
            let as_float = |bits: u64| match name {
                "nor" | "log" => Some(f64::from(f32::from_bits(bits as u32))),
                "nord" | "logd" => Some(f64::from_bits(bits)),
                _ => None,
            };
            match (as_float(found), as_float(wanted)) {
                (Some(f), Some(w)) => {
                    assert!(
                        (f - w).abs() <= tolerance(name, w),
                        "{} [{index}]: {f}, not {w}",
                        case.text
                    );
                }
                _ => {
                    assert_eq!(found, wanted, "{} [{index}]: {found:x}, not {wanted:x}", case.text)
                }
            }
        }
    }
}
