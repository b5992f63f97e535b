//! Asks cuRAND on a GPU for the numbers in `tests/data/curand.txt` and prints the file anew.
//!
//! `cargo run --release -p cudalibs --example curand_vectors -- FILE`, with
//! `crates/cudalibs/tests/data/curand.txt` for FILE

#[path = "../tests/libraries/vectors/case.rs"]
mod case;

use std::fmt::Write;

use case::{Call, Case, patterns};
use cudalibs::rand::Generator;
use cust::memory::{CopyDestination, DeviceBuffer, DeviceCopy};
use labkit::{Lab, LabError};

fn buffer<T: DeviceCopy + bytemuck::Zeroable>(n: usize) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(&vec![T::zeroed(); n]).expect("device memory")
}

fn fetched<T: DeviceCopy + bytemuck::Pod>(buffer: &DeviceBuffer<T>) -> Vec<u64> {
    let mut values = vec![T::zeroed(); buffer.len()];
    cust::context::CurrentContext::synchronize().expect("the calls end well");
    buffer.copy_to(&mut values).expect("a copy to the host");
    patterns(&values)
}

fn line(case: &Case) -> Result<String, LabError> {
    let mut generator = Generator::new(case.kind)?;
    if let Some(seed) = case.seed {
        generator.set_pseudo_random_generator_seed(seed)?;
    }
    if let Some(dims) = case.dims {
        generator.set_quasi_random_generator_dimensions(dims)?;
    }
    if let Some(offset) = case.offset {
        generator.set_generator_offset(offset)?;
    }
    let mut last = Vec::new();
    for call in &case.calls {
        let call: &Call = call;
        last = crate::output!(generator, call, buffer, fetched)?;
    }
    let mut text = format!("{} =", case.text);
    for (index, _) in &case.numbers {
        // Writing to a String cannot fail.
        let _ = write!(text, " {index}:{:x}", last[*index]);
    }
    Ok(text)
}

fn run() -> Result<(), LabError> {
    let path = std::env::args().nth(1).ok_or_else(|| LabError::msg("name the file of cases"))?;
    let text = std::fs::read_to_string(&path)
        .map_err(|error| LabError::msg(format!("{path}: {error}")))?;
    let _lab = Lab::new()?;
    for case in Case::all(&text) {
        println!("{}", line(&case)?);
    }
    Ok(())
}

fn main() -> std::process::ExitCode {
    labkit::exit(run())
}
