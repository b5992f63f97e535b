//! Address models: what a launch must count, from the definitions of the counters and the index
//! formulas alone, lane by lane and without the emulator.

pub mod fir;
pub mod product;

/// Lanes of a warp.
pub const WARP: usize = 32;

/// Distinct 32-byte segments of a request for 4-byte words of an aligned array.
pub fn sectors(words: impl IntoIterator<Item = u64>) -> u64 {
    let mut touched: Vec<u64> = words.into_iter().map(|word| word / 8).collect();
    touched.sort_unstable();
    touched.dedup();
    touched.len() as u64
}

/// Passes of a request for 4-byte words of shared memory: the most distinct words in one of the 32
/// banks.
pub fn wavefronts(words: impl IntoIterator<Item = u64>) -> u64 {
    let mut wanted: Vec<u64> = words.into_iter().collect();
    wanted.sort_unstable();
    wanted.dedup();
    // A warp has few lanes, and bytes are compared many at a time.
    let mut banks = [0u8; 32];
    for word in wanted {
        banks[(word % 32) as usize] += 1;
    }
    banks.into_iter().max().unwrap_or(0).into()
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
