//! A judge's device: how much a program has given to it that is not of the call's own numbers.
//!
//! A result that the host computed can only look like the device's work if it got there: by copies,
//! fills, kernels' arguments, or numbers in a kernel's text. What was given is compared with the
//! call's lists: an upload of `x` as it came says nothing, a list of sums that the host made does.
//!
//! A crate of its own because it is worth an optimiser, and `emulation` around it is not: it looks
//! at each number of each call.
#![forbid(unsafe_code)]

pub mod numbers;
mod order;
mod said;

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashSet, VecDeque};

use serde_json::Value;

use crate::numbers::{Hashed, WINDOW, as_bytes, element, hash, lists_in, sorted};
use crate::order::{Follower, Seen, Turns};
use crate::said::{SMALL, Said};

/// Most bytes of uploads that are kept for one call; what is beyond counts by its size.
const MOST: usize = 256 << 20;

/// Bits that commands and options may tell: kernels have sizes, factors, flags.
const FEW_BITS: u64 = 512;

/// Bytes of a copy that is taken for single values.
pub const SHORT: usize = 16;

/// What was given since the call began.
#[derive(Debug, Default)]
pub struct Uploads {
    parts: VecDeque<Vec<u8>>,
    held: usize,
    beyond: u64,
    /// Hashes of single values: of fills, kernels' arguments, literals of their texts.
    single: HashSet<u64, Hashed>,
    /// Hashes of texts that were made up, and the bytes of these together.
    texts: HashSet<u64, Hashed>,
    made_up: u64,
    /// The commands.
    said: Said,
}

impl Uploads {
    /// Bytes in a row.
    pub fn copied(&mut self, bytes: Vec<u8>) {
        if bytes.len() <= SHORT {
            return self.single(&bytes);
        }
        if self.held + bytes.len() > MOST {
            self.beyond += bytes.len() as u64;
            return;
        }
        self.held += bytes.len();
        self.parts.push_back(bytes);
    }

    /// A command, as [`Said::command`] takes it.
    pub fn command(&mut self, name: &str, places: &[u64], numbers: &[u64]) {
        self.said.command(name, places, numbers);
    }

    /// A single value.
    pub fn single(&mut self, bytes: &[u8]) {
        let mut rest = bytes.iter().rposition(|b| *b != 0).map_or(&[][..], |last| &bytes[..=last]);
        // A structure by value has many.
        while !rest.is_empty() {
            let (part, later) = rest.split_at(rest.len().min(8));
            if element(part) > SMALL {
                self.single.insert(hash(&[element(part)]));
            }
            rest = later;
        }
    }

    /// The numbers in a kernel's text, of which so many bytes were made up.
    pub fn text(&mut self, text: &str, made_up: u64) {
        if made_up > 0 && self.texts.insert(hash_of(text)) {
            self.made_up += made_up;
        }
        let word = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
        let words =
            text.split(|c| !word(c)).filter(|w| w.starts_with(|c: char| c.is_ascii_digit()));
        // Sizes and indices.
        words.filter(|w| w.len() > 4).for_each(|w| {
            self.single.insert(hash_of(w));
        });
    }

    /// How many numbers of `width` bytes were given that are, with their neighbours, in none of the
    /// lists of `args`; each counts once, and then by what its order tells, as do a list's own
    /// numbers in another order.
    pub fn foreign(&self, args: &Value, width: usize) -> u64 {
        let own = forms(args, width);
        // Most are a list as it came.
        let whole: HashSet<Vec<u8>> = own.iter().map(|values| as_bytes(values, width)).collect();
        let others = self.parts.iter().filter(|part| !whole.contains(part.as_slice()));
        let mut parts: Vec<Vec<u64>> =
            others.map(|part| part.chunks(width).map(element).collect()).collect();
        let mut turns = Turns::default();
        let turns: u64 = self.parts.iter().map(|part| turns.tells(digest(part))).sum();
        let mut told = self.said.bits() + 8 * self.made_up + turns;
        if !parts.is_empty() {
            let lists: Vec<_> = own.iter().map(|values| LazyCell::new(|| sorted(values))).collect();
            let mut followers = BTreeMap::new();
            parts.retain(|part| {
                let numbers = sorted(part);
                let of = lists.iter().position(|list| rearranged(&numbers, list));
                let follower = of.and_then(|of| {
                    followers
                        .entry(of)
                        .or_insert_with(|| Follower::new(&own[of], &lists[of]))
                        .as_mut()
                });
                told += follower.map_or(0, |follower| follower.tells(part));
                of.is_none()
            });
        }
        let mut seen = Seen::default();
        if !parts.is_empty() {
            for values in &own {
                let sizes = 1..=WINDOW.min(values.len());
                sizes.flat_map(|size| values.windows(size)).for_each(|run| seen.is_own(run));
            }
        }
        told += parts.iter().map(|part| seen.tells(part)).sum::<u64>();
        let told = told.saturating_sub(FEW_BITS) / (8 * width as u64);
        (seen.foreign() + self.single.len()) as u64 + self.beyond / width as u64 + told
    }
}

fn hash_of(text: &str) -> u64 {
    digest(text.as_bytes())
}

fn digest(bytes: &[u8]) -> u64 {
    hash(&bytes.chunks(8).map(element).collect::<Vec<_>>())
}

/// Whether a part has a list's numbers in another order, each no more often than the list: turned
/// round, transposed, interleaved, a part of them, with zeros in between. Both are sorted.
fn rearranged(part: &[u64], list: &[u64]) -> bool {
    let mut rest = list;
    part.chunk_by(|a, b| a == b).filter(|same| same[0] != 0).all(|same| {
        rest = &rest[rest.partition_point(|value| *value < same[0])..];
        rest.get(same.len() - 1) == Some(&same[0])
    })
}

/// The call's own numbers, as the device may get them: each list, and rows one after the other.
fn forms(args: &Value, width: usize) -> Vec<Vec<u64>> {
    let mut lists = Vec::new();
    lists_in(args, &mut lists);
    let mut all: Vec<Vec<&Value>> = lists.iter().map(|list| list.iter().collect()).collect();
    if all.len() > 1 {
        all.push(all.concat());
    }
    let of = |list: &Vec<&Value>, form: fn(&Value, usize) -> Option<u64>| {
        list.iter().map(|v| form(v, width)).collect::<Option<Vec<u64>>>()
    };
    all.iter().flat_map(|list| [of(list, as_bits), of(list, as_float)]).flatten().collect()
}

/// The number, or the bits of one, as an element.
fn as_bits(value: &Value, width: usize) -> Option<u64> {
    numbers::bits(value, width)
}

/// The number as a floating-point one.
fn as_float(value: &Value, width: usize) -> Option<u64> {
    let number = value.as_f64()?;
    match width {
        4 => Some((number as f32).to_bits().into()),
        8 => Some(number.to_bits()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(list: &[i32]) -> Vec<u8> {
        list.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn what_is_not_the_calls_own_counts() {
        let args = json!({ "a": [1, 2, 3, 4, 5, 6, 7, 8], "n": 8, "rows": [[10, 20], [30, 40]] });
        let foreign = |note: &dyn Fn(&mut Uploads)| {
            let mut uploads = Uploads::default();
            note(&mut uploads);
            uploads.foreign(&args, 4)
        };
        let copied = |list: &[i32]| foreign(&|u| u.copied(words(list)));
        assert_eq!(copied(&[1, 2, 3, 4, 5, 6, 7, 8]), 0);
        assert_eq!(copied(&[3, 4, 5, 6, 7]), 0);
        // More often than the call has them.
        assert_eq!(copied(&[10, 20, 30, 40, 10, 20, 30, 40]), 3);
        let floats: Vec<i32> = (1..=8u8).map(|v| f32::from(v).to_bits() as i32).collect();
        assert_eq!(copied(&floats), 0);
        assert_eq!(copied(&[9; 100]), 0);
        assert_eq!(copied(&[8, 7, 6, 5, 4, 3, 2, 1]), 0);
        assert_eq!(copied(&[1, 3, 5, 7, 0, 2, 4, 6, 8, 0]), 0);
        assert_eq!(copied(&[8, 7, 6, 5, 4, 3, 2, 9]), 5);
        // Twice the same counts once.
        assert_eq!(foreign(&|u| (0..3).for_each(|_| u.copied(words(&[9, 7, 6, 5, 4])))), 2);
        let single = |value: i32| foreign(&|u| u.single(&value.to_le_bytes()));
        assert_eq!((single(100), single(1 << 20)), (0, 1));
        assert_eq!(foreign(&|u| u.text("int r[] = { 123456, 7, 0.0625f }; x12345", 0)), 2);
        assert_eq!(foreign(&|u| u.text("abcd", 104)), (104 * 8 - FEW_BITS) / 32);
    }
}
