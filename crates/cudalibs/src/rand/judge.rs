//! Generators for a program that a judge has started.

use std::sync::{Mutex, PoisonError};

use bytemuck::{Pod, Zeroable};
use cust::memory::{DeviceCopy, DevicePointer, DeviceSlice};

use super::{Generator, Ordering, RngType};
use crate::device::RawStream;
use crate::error::Result;
use crate::parcel::{Arguments, Parcel, Table, ended};

static GENERATORS: Mutex<Table<Generator<'static>>> = Mutex::new(Table::new());

/// Answers a call.
pub fn answer(name: &str, from: &mut Arguments) -> Option<Parcel> {
    // Scalars are passed by value here.
    let _ = (from.word()?, from.word()?);
    let mut generators = GENERATORS.lock().unwrap_or_else(PoisonError::into_inner);
    if name == "curandCreateGenerator" {
        from.word()?;
        return Some(match Generator::new(RngType::of_number(from.word()?)?) {
            Ok(made) => ended(Ok(vec![generators.insert(made)?])),
            Err(error) => ended(Err(error)),
        });
    }
    let number = from.word()?;
    if name == "curandDestroyGenerator" {
        drop(generators.remove(number)?);
        return Some(ended(Ok(Vec::new())));
    }
    let generator = generators.get(number)?;
    Some(ended(call(name, generator, from)?.map(|()| Vec::new())))
}

fn call(name: &str, g: &mut Generator<'static>, from: &mut Arguments) -> Option<Result<()>> {
    Some(match name {
        "curandSetStream" => g.set_raw_stream(from.word()? as RawStream),
        "curandSetPseudoRandomGeneratorSeed" => g.set_pseudo_random_generator_seed(from.word()?),
        "curandSetGeneratorOffset" => g.set_generator_offset(from.word()?),
        "curandSetGeneratorOrdering" => {
            g.set_generator_ordering(Ordering::of_number(from.word()?)?)
        }
        "curandSetQuasiRandomGeneratorDimensions" => {
            g.set_quasi_random_generator_dimensions(u32::try_from(from.word()?).ok()?)
        }
        "curandGenerateSeeds" => g.generate_seeds(),
        "curandGenerate" => g.generate(&mut out(from)?),
        "curandGenerateLongLong" => g.generate_long_long(&mut out(from)?),
        "curandGenerateUniform" => g.generate_uniform(&mut out(from)?),
        "curandGenerateUniformDouble" => g.generate_uniform_double(&mut out(from)?),
        "curandGenerateNormal" => g.generate_normal(&mut out(from)?, single(from)?, single(from)?),
        "curandGenerateNormalDouble" => {
            g.generate_normal_double(&mut out(from)?, double(from)?, double(from)?)
        }
        "curandGenerateLogNormal" => {
            g.generate_log_normal(&mut out(from)?, single(from)?, single(from)?)
        }
        "curandGenerateLogNormalDouble" => {
            g.generate_log_normal_double(&mut out(from)?, double(from)?, double(from)?)
        }
        "curandGeneratePoisson" => g.generate_poisson(&mut out(from)?, double(from)?),
        _ => return None,
    })
}

fn single(from: &mut Arguments) -> Option<f32> {
    Some(f32::from_bits(u32::try_from(from.word()?).ok()?))
}

fn double(from: &mut Arguments) -> Option<f64> {
    Some(f64::from_bits(from.word()?))
}

/// A slice that does not leave its allocation.
fn out<T: Pod + Zeroable + DeviceCopy>(from: &mut Arguments) -> Option<DeviceSlice<T>> {
    let place = from.place(size_of::<T>())?;
    let len = usize::try_from(from.word()?).ok()?.min(place.len);
    // SAFETY: an address of the emulated device, which checks it when it is written.
    Some(unsafe { DeviceSlice::from_raw_parts_mut(DevicePointer::from_raw(place.address), len) })
}
