//! What the order of numbers tells that are, one by one, no news: those of a list in another order
//! or with zeros between, and few different numbers again and again. An order that could be
//! foretold, as of a list turned round, transposed or interleaved, tells next to nothing.

use std::collections::{HashMap, HashSet};

use crate::numbers::{Hashed, WINDOW, hash};

/// Bits of a zero, or of a number after zeros, that was not foretold.
const SWITCH: u64 = 2;
/// Most numbers that are remembered as what comes after others.
const MOST: usize = 64;
/// Stands for a zero among the steps.
const ZERO: i64 = i64::MIN;

/// Follows where in a list the numbers of parts stand.
pub(crate) struct Follower<'l> {
    list: &'l [u64],
    /// Each number with its place, sorted; made where one is looked for.
    places: Option<Vec<(u64, i64)>>,
    /// Place of the last number that is not a zero between.
    at: i64,
    /// Zeros since then, and whether they stand in place of numbers or between them.
    zeros: i64,
    replaced: bool,
    /// The last two steps, and what came after two steps the last time.
    steps: [i64; 2],
    after: HashMap<[i64; 2], i64>,
    /// The entry of those that was used last: mostly it is used again.
    latest: ([i64; 2], i64),
}

impl<'l> Follower<'l> {
    /// For a list, whose numbers are `sorted`; `None` if most of them stand there more than once,
    /// so that nobody can say where a number comes from.
    pub fn new(list: &'l [u64], sorted: &[u64]) -> Option<Follower<'l>> {
        let alone = sorted.chunk_by(|a, b| a == b).filter(|same| same.len() == 1).count();
        let new = Follower {
            list,
            places: None,
            at: -1,
            zeros: 0,
            replaced: true,
            steps: [1; 2],
            after: HashMap::from([([1; 2], 1)]),
            latest: ([1; 2], 1),
        };
        (2 * alone >= list.len()).then_some(new)
    }

    /// The bits that the order of a part tells, all of whose numbers are the list's or zeros.
    pub fn tells(&mut self, part: &[u64]) -> u64 {
        let any = 1 + u64::from(self.list.len().max(2).ilog2());
        part.iter().map(|value| self.next(*value, any)).sum()
    }

    fn next(&mut self, value: u64, any: u64) -> u64 {
        let expected = match self.latest {
            (steps, step) if steps == self.steps => step,
            _ => self.after.get(&self.steps).copied().unwrap_or(self.steps[1]),
        };
        if expected == ZERO && value == 0 {
            return self.step(ZERO, 0);
        }
        // One further, if a zero was expected.
        let (way, cost) = if expected == ZERO { (1, SWITCH) } else { (expected, 0) };
        for replaced in [self.replaced, !self.replaced] {
            let place = self.at + way + if replaced { self.zeros } else { 0 };
            if usize::try_from(place).ok().and_then(|at| self.list.get(at)) == Some(&value) {
                let other = if replaced == self.replaced { 0 } else { SWITCH };
                (self.at, self.zeros, self.replaced) = (place, 0, replaced);
                return self.step(way, cost + other);
            }
        }
        if value == 0 {
            return self.step(ZERO, SWITCH);
        }
        let places = self.places.get_or_insert_with(|| {
            let mut places: Vec<(u64, i64)> = self.list.iter().copied().zip(0..).collect();
            places.sort_unstable();
            places
        });
        let place_from = |at: i64| {
            let first = places.partition_point(|known| *known < (value, at));
            places.get(first).filter(|(known, _)| *known == value).map(|(_, place)| *place)
        };
        let place = place_from(self.at + 1).or_else(|| place_from(0)).unwrap_or(self.at);
        let way = place - self.at;
        (self.at, self.zeros) = (place, 0);
        self.step(way, any)
    }

    fn step(&mut self, step: i64, cost: u64) -> u64 {
        self.zeros += i64::from(step == ZERO);
        if self.latest != (self.steps, step) {
            self.after.insert(self.steps, step);
            self.latest = (self.steps, step);
        }
        self.steps = [self.steps[1], step];
        cost
    }
}

/// Which of the parts that were there before comes next.
#[derive(Default)]
pub(crate) struct Turns {
    last: [u64; 2],
    /// What came last after two others.
    after: HashMap<[u64; 2], u64>,
    known: HashSet<u64>,
}

impl Turns {
    /// The bits that the next part tells by being this one. A new one tells itself.
    pub fn tells(&mut self, part: u64) -> u64 {
        let foretold = self.after.insert(self.last, part) == Some(part);
        self.last = [self.last[1], part];
        let new = self.known.insert(part);
        if new || foretold { 0 } else { 1 + u64::from(self.known.len().ilog2()) }
    }
}

/// Runs of numbers that were given, and those of the call's own.
#[derive(Default)]
pub(crate) struct Seen {
    own: HashSet<u64, Hashed>,
    foreign: HashSet<u64, Hashed>,
    /// What came after some numbers, the last one first.
    after: HashMap<u64, Vec<u64>, Hashed>,
}

impl Seen {
    /// A run is the call's own.
    pub fn is_own(&mut self, run: &[u64]) {
        self.own.insert(hash(run));
    }

    /// Takes a part in. Its runs that are new count as [`Seen::foreign`]; the result are the bits
    /// that the others tell by their order.
    pub fn tells(&mut self, part: &[u64]) -> u64 {
        let mut bits = 0;
        for run in part.windows(WINDOW.min(part.len().max(1))) {
            let Some((next, before)) = run.split_last() else { continue };
            let known = self.after.entry(hash(before)).or_default();
            let place = known.iter().position(|other| other == next);
            match place {
                Some(at) => known[..=at].rotate_right(1),
                None => {
                    known.truncate(MOST - 1);
                    known.insert(0, *next);
                }
            }
            if place == Some(0) || self.own.contains(&hash(run)) {
                continue;
            }
            // The same number all over is no news.
            let plain = run.iter().all(|v| v == next);
            let new = !plain && self.foreign.insert(hash(run));
            bits += if new { 0 } else { 1 + u64::from(known.len().ilog2()) };
        }
        bits
    }

    /// Different runs that are not the call's own.
    pub fn foreign(&self) -> usize {
        self.foreign.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::sorted;

    #[test]
    fn an_order_with_a_rule_tells_little() {
        let list: Vec<u64> = (0..1024).map(|k| 1000 + k * 7919 % 1023).collect();
        let follower = |list| Follower::new(list, &sorted(list));
        let told = |part: &[u64]| follower(&list).unwrap().tells(part);
        assert_eq!(told(&list), 0);
        let turned: Vec<u64> = list.iter().rev().copied().collect();
        assert!(told(&turned) < 64);
        let transposed: Vec<u64> = (0..1024).map(|k| list[k % 32 * 32 + k / 32]).collect();
        assert!(told(&transposed) < 1024, "{}", told(&transposed));
        let between: Vec<u64> = list.iter().flat_map(|v| [*v, 0]).collect();
        assert!(told(&between) < 64, "{}", told(&between));
        let padded = [&[0; 100][..], &list, &[0; 30]].concat();
        assert!(told(&padded) < 64, "{}", told(&padded));
        // Bits, by what is left out.
        let bit = |k: usize| (k * k * 2654435761) >> 7 & 1 == 1;
        let some: Vec<u64> = (0..1024).map(|k| if bit(k) { list[k] } else { 0 }).collect();
        assert!(told(&some) > 700, "{}", told(&some));
        // Any order.
        let any: Vec<u64> = (0..1024usize).map(|k| list[(k * k + k) / 2 * 77 % 1024]).collect();
        assert!(told(&any) > 5000, "{}", told(&any));
        assert!(follower(&[1, 1, 2, 2, 3]).is_none());
        // 7 is there twice: it is the later one, from which the next is as far.
        let mut twice: Vec<u64> = (100..116).collect();
        (twice[0], twice[6]) = (7, 7);
        assert_eq!(follower(&twice).unwrap().tells(&[102, 7, 110]), 10);
    }

    #[test]
    fn turns_of_parts_tell_unless_they_are_foretold() {
        let told = |parts: &mut dyn Iterator<Item = u64>| {
            let mut turns = Turns::default();
            parts.map(|part| turns.tells(part)).sum::<u64>()
        };
        assert_eq!(told(&mut (0..1000)), 0);
        assert!(told(&mut (0..1000).map(|k| k % 3)) < 12);
        assert!(told(&mut (0..1000).map(|k: u64| (k * k * 2654435761) >> 7 & 1)) > 800);
    }

    #[test]
    fn few_numbers_tell_by_their_order() {
        let mut seen = Seen::default();
        assert_eq!(seen.tells(&[0; 10_000]), 1);
        assert!(seen.tells(&[0, 1].repeat(5000)) < 64);
        let bits: Vec<u64> = (0..10_000u64).map(|k| (k * k * 2654435761) >> 7 & 1).collect();
        assert!(seen.tells(&bits) > 8000);
        assert!(seen.foreign() <= 14);
        // The same again is foretold once it has told itself.
        let table: Vec<u64> = (0..1000).map(|k| k * k).collect();
        assert_eq!((seen.tells(&table), seen.tells(&table)), (0, 0));
    }
}
