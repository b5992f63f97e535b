//! The libraries of a judge's device: what a program that a judge has started asks for is computed
//! here, beside the emulated driver, out of the program's reach.
//!
//! Handles are numbers. A slice ends where its allocation does, so no size that a program names can
//! lead out of it, or cost more than what it has allocated.

use std::collections::BTreeMap;

use crate::device::Place;
use crate::{blas, fft, rand};

/// Most handles of a library.
const MOST: usize = 1 << 12;

/// Words and bytes, one way.
pub(crate) type Parcel = (Vec<u64>, Vec<Vec<u8>>);

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

/// What goes back for a call that has ended.
pub(crate) fn ended(result: crate::Result<Vec<u64>>) -> Parcel {
    match result {
        Ok(words) => (std::iter::once(0).chain(words).collect(), Vec::new()),
        Err(error) => {
            let text = error.what().as_bytes().to_vec();
            (vec![error.status().code.into()], vec![text])
        }
    }
}

/// The words of a question.
pub(crate) struct Arguments(std::vec::IntoIter<u64>);

impl Arguments {
    pub fn new(words: Vec<u64>) -> Arguments {
        Arguments(words.into_iter())
    }

    pub fn word(&mut self) -> Option<u64> {
        self.0.next()
    }

    pub fn all(&mut self) -> Vec<u64> {
        self.0.by_ref().collect()
    }

    pub fn int(&mut self) -> Option<i32> {
        i32::try_from(self.word()?.cast_signed()).ok()
    }

    /// A size, which is not negative.
    pub fn size(&mut self) -> Option<usize> {
        usize::try_from(self.word()?).ok().filter(|n| i32::try_from(*n).is_ok())
    }

    /// A slice of device memory up to the end of its allocation. In none, as of a freed one, it has
    /// elements that the driver then refuses.
    pub fn place(&mut self, element: usize) -> Option<Place> {
        const IN_NONE: usize = 1 << 20;
        let address = self.word()?;
        let len = match cuda_driver::library::room(address) as usize / element {
            0 => IN_NONE,
            len => len,
        };
        Some(Place { address, len, element })
    }
}

/// Handles by their numbers.
pub(crate) struct Table<T>(BTreeMap<u64, T>);

impl<T> Table<T> {
    pub const fn new() -> Table<T> {
        Table(BTreeMap::new())
    }

    /// Its number; `None` if there are too many.
    pub fn insert(&mut self, made: T) -> Option<u64> {
        let number = self.0.last_key_value().map_or(1, |(last, _)| last + 1);
        (self.0.len() < MOST).then(|| self.0.insert(number, made))?;
        Some(number)
    }

    pub fn get(&mut self, number: u64) -> Option<&mut T> {
        self.0.get_mut(&number)
    }

    pub fn remove(&mut self, number: u64) -> Option<T> {
        self.0.remove(&number)
    }
}
