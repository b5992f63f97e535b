//! `rand()` of the GNU C library, so that the mini-app's random boundary can be made again.

/// The additive feedback generator `r_i = r_(i-3) + r_(i-31)` modulo 2^32, of which the upper 31
/// bits come out.
pub(super) struct LibcRand {
    last: [u32; 31],
    at: usize,
}

impl LibcRand {
    /// The largest number, `RAND_MAX`.
    pub const MAX: u32 = i32::MAX as u32;

    /// After `srand(seed)`; a C program that does not call it has seed 1.
    pub fn new(seed: u32) -> LibcRand {
        let mut last = [0; 31];
        let mut value = i64::from(seed.max(1));
        for word in &mut last {
            *word = value as u32;
            value = value * 16807 % 2_147_483_647;
        }
        let mut rand = LibcRand { last, at: 3 };
        for _ in 0..310 {
            rand.next();
        }
        rand
    }

    /// The next number, from 0 to [`LibcRand::MAX`].
    pub fn next(&mut self) -> u32 {
        let sum = self.last[self.at].wrapping_add(self.last[(self.at + 28) % 31]);
        self.last[self.at] = sum;
        self.at = (self.at + 1) % 31;
        sum >> 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_c_library() {
        let mut rand = LibcRand::new(1);
        let first: Vec<u32> = (0..5).map(|_| rand.next()).collect();
        assert_eq!(first, [1804289383, 846930886, 1681692777, 1714636915, 1957747793]);
    }
}
