//! A judge's device: how much a program says by the commands themselves. Which ones it gives, in
//! what order, and with what places, sizes and flags can tell the device a result as well as a copy
//! of it can: a fill of as many bytes as a number says, a copy out of a table from where it says.
//!
//! What could be foretold costs nothing: a loop does what it did the time before, its sizes stay or
//! rise in steps.

use std::collections::{HashMap, HashSet};

/// Numbers up to this one are sizes and flags.
pub(crate) const SMALL: u64 = 1 << 16;
/// Bits of a command that did not follow the one before it the last time.
const ANOTHER: u64 = 8;
/// Bits of a command of a new name.
const NEW: u64 = 32;
/// Bits of a number that was not there before: a small one, or a place of any size.
const OTHER: [u64; 2] = [16, 32];

/// The commands of a call.
#[derive(Debug, Default)]
pub(crate) struct Said {
    names: HashMap<String, Known>,
    /// Name of the last command.
    last: String,
    bits: u64,
}

/// What is known of the commands of a name.
#[derive(Debug, Default)]
struct Known {
    /// The name of the command that came after the last one.
    next: String,
    numbers: Vec<Row>,
}

/// The numbers at one place of the commands of a name.
#[derive(Debug)]
struct Row {
    /// The last one, and the one before it.
    last: [u64; 2],
    /// What came last after two numbers.
    after: HashMap<[u64; 2], u64>,
    /// What stood here last beside the number to its left.
    beside: HashMap<u64, u64>,
    known: HashSet<u64>,
}

impl Row {
    fn new(first: u64) -> Row {
        Row {
            last: [first; 2],
            after: HashMap::new(),
            beside: HashMap::new(),
            known: HashSet::from([first]),
        }
    }

    /// The bits that the next number tells, to the right of another one.
    fn tells(&mut self, next: u64, left: u64, is_place: bool) -> u64 {
        let step = self.last[0].wrapping_mul(2).wrapping_sub(self.last[1]);
        let foretold = self.after.insert(self.last, next).unwrap_or(step);
        let beside = self.beside.insert(left, next);
        self.last = [next, self.last[0]];
        let new = self.known.insert(next);
        match next {
            _ if next == foretold => 0,
            _ if beside == Some(next) => 1,
            _ if !new => 1 + u64::from(self.known.len().ilog2()),
            _ if next <= SMALL => OTHER[0],
            _ if is_place => OTHER[1],
            _ => 0,
        }
    }
}

impl Said {
    /// A command. `places` says where it works and how wide, which tells nothing the first time;
    /// `numbers` are its others, of which those above [`SMALL`] are counted elsewhere.
    pub fn command(&mut self, name: &str, places: &[u64], numbers: &[u64]) {
        if let Some(last) = self.names.get_mut(&self.last)
            && last.next != name
        {
            last.next = name.to_string();
            self.bits += ANOTHER;
        }
        if self.last != name {
            self.last = name.to_string();
        }
        let new = !self.names.contains_key(name);
        if new {
            self.bits += NEW;
            self.names.insert(name.to_string(), Known::default());
        }
        let Some(known) = self.names.get_mut(name) else { return };
        let mut left = 0;
        let places = places.iter().map(|n| (*n, true));
        for (k, (number, place)) in places.chain(numbers.iter().map(|n| (*n, false))).enumerate() {
            if k == known.numbers.len() {
                let first = if new && place { number } else { 0 };
                known.numbers.push(Row::new(first));
            }
            self.bits += known.numbers[k].tells(number, left, place);
            left = number;
        }
    }

    /// Bits that were told.
    pub fn bits(&self) -> u64 {
        self.bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(commands: impl Iterator<Item = (&'static str, [u64; 2])>) -> u64 {
        let mut said = Said::default();
        commands.for_each(|(name, [place, number])| said.command(name, &[place], &[number]));
        said.bits()
    }

    #[test]
    fn loops_tell_little_and_numbers_tell_themselves() {
        // A step of a wave: two buffers that change places, the number of the step.
        let steps = |n: u64| (0..n).flat_map(|k| [("step", [k % 2 * 4096, k]), ("edge", [0, k])]);
        assert_eq!(bits(steps(1000)), bits(steps(10)));
        // Sums in a loop of the same form.
        let sums = |n: u64| (0..n).map(|k| ("put", [0, k * k * 7919 % 65_536]));
        assert!(bits(sums(1000)) - bits(sums(10)) > 990 * 15);
        // Which of two kernels it is.
        let order = |n: u32| (0..n).map(|k| (["zero", "one"][(k.pow(3) / 5 % 2) as usize], [0, 0]));
        assert!(bits(order(1000)) > 1000);
    }
}
