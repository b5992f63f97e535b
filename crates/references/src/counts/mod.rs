//! Address models: what a launch must count, from the definitions of the counters and the index
//! formulas alone, lane by lane and without the emulator.

pub mod fir;
pub mod product;

/// Lanes of a warp.
pub const WARP: usize = 32;

/// Distinct 32-byte segments of a request for 4-byte words of an aligned array.
pub fn sectors(words: impl IntoIterator<Item = u64>) -> u64 {
    Distinct::of(words.into_iter().map(|word| word / 8)).get().len() as u64
}

/// Passes of a request for 4-byte words of shared memory: the most distinct words in one of the 32
/// banks.
pub fn wavefronts(words: impl IntoIterator<Item = u64>) -> u64 {
    let mut banks = [0; 32];
    for word in Distinct::of(words).get() {
        banks[(word % 32) as usize] += 1;
    }
    banks.into_iter().max().unwrap_or(0)
}

/// The distinct numbers that a warp's lanes have, in order.
struct Distinct {
    numbers: [u64; WARP],
    len: usize,
}

impl Distinct {
    fn of(numbers: impl IntoIterator<Item = u64>) -> Distinct {
        let mut all = Distinct { numbers: [0; WARP], len: 0 };
        for number in numbers {
            // Mostly they come in order.
            let known = all.get();
            let place = match known.last() {
                Some(last) if *last < number => Err(known.len()),
                Some(last) if *last == number => continue,
                _ => known.binary_search(&number),
            };
            if let Err(place) = place {
                all.numbers.copy_within(place..all.len, place + 1);
                all.numbers[place] = number;
                all.len += 1;
            }
        }
        all
    }

    fn get(&self) -> &[u64] {
        &self.numbers[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banks_and_sectors_are_those_of_the_definition() {
        assert_eq!(wavefronts((0..32).map(|i| 16 * (i % 16) + i / 16)), 8);
        assert_eq!(wavefronts([5; 32]), 1);
        assert_eq!(wavefronts(0..32), 1);
        assert_eq!(sectors(1..33), 5);
        assert_eq!(sectors([16; 32]), 1);
    }
}
