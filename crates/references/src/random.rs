//! The random numbers of checks.

use std::convert::Infallible;

use rand::rngs::ChaCha8Rng;
use rand::{SeedableRng, TryRng};

/// [`ChaCha8Rng`], number by number. Its code is generic and inlined, so it would be compiled in
/// every crate that draws a number, without an optimiser; behind these functions it is compiled
/// here.
#[derive(Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }
}

impl TryRng for Random {
    type Error = Infallible;

    #[inline(never)]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    #[inline(never)]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    #[inline(never)]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    /// The inputs of every check come from it: a report can be repeated by its seed, years later.
    #[test]
    fn a_seed_gives_the_numbers_that_it_always_gave() {
        let mut rng = Random::new(7);
        assert_eq!(rng.next_u64(), 0x2865_5334_23d7_43bb);
        assert_eq!(rng.next_u32(), 0x2e9b_293a);
        assert_eq!(rng.next_u64(), 0x4524_9531_2b01_59d3);
        let (mut bytes, mut others) = ([0; 21], [0; 21]);
        let mut other = ChaCha8Rng::seed_from_u64(1);
        Random::new(1).fill_bytes(&mut bytes);
        other.fill_bytes(&mut others);
        assert_eq!(bytes, others);
    }
}
