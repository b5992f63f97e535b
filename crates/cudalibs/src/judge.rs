//! The libraries of a judge's device: what a program that a judge has started asks for is computed
//! here, beside the emulated driver, out of the program's reach.

use crate::parcel::{Arguments, Parcel};
use crate::{blas, fft, rand};

/// Answers a call of a library by the vendor's name: [`cuda_driver::judge::Libraries`].
pub fn answer(name: &str, words: Vec<u64>, blobs: Vec<Vec<u8>>) -> Option<Parcel> {
    let mut from = Arguments::new(words);
    match name.get(..5)? {
        "cubla" => blas::judge::answer(name, &mut from, &blobs),
        "curan" => rand::judge::answer(name, &mut from),
        "cufft" => fft::judge::answer(name, &mut from),
        _ => None,
    }
}
