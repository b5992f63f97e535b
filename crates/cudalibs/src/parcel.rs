//! A call of a library as it crosses from a program to the judge's device and back.
//!
//! Handles are numbers. A slice ends where its allocation does, so no size that a program names can
//! lead out of it, or cost more than what it has allocated.

use std::collections::BTreeMap;

use crate::device::Place;

/// Words and bytes, one way.
pub(crate) type Parcel = (Vec<u64>, Vec<Vec<u8>>);

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

/// Most handles of a library.
const MOST: usize = 1 << 12;

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
