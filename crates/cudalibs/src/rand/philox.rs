//! Philox4x32-10 (J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11), as
//! cuRAND's host API orders it.
//!
//! A block of four numbers is a function of a key (the seed) and a counter. Block q of the output
//! is made by thread q mod 65,536 (upper half of the counter) at count q / 65,536 (lower half).
//! Compared with cuRAND 10.4 bit for bit.

use rayon::prelude::*;

use super::map::{Normal, pair, pair_double, unit_double, unit_float};
use super::stream::Stream;

/// Threads, each with its own sequence of blocks.
const THREADS: u64 = 65_536;

/// The generator of a seed.
pub struct Philox {
    key: [u32; 2],
}

/// Ten rounds.
fn block(mut c: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let p = u64::from(c[0]) * 0xd251_1f53;
        let q = u64::from(c[2]) * 0xcd9e_8d57;
        c = [
            (q >> 32) as u32 ^ c[1] ^ key[0],
            q as u32,
            (p >> 32) as u32 ^ c[3] ^ key[1],
            p as u32,
        ];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
    }
    c
}

impl Philox {
    pub fn new(seed: u64) -> Philox {
        Philox { key: [seed as u32, (seed >> 32) as u32] }
    }

    /// Four numbers: those of `thread` at `count`.
    fn numbers(&self, thread: u64, count: u64) -> [u32; 4] {
        let counter = [count as u32, (count >> 32) as u32, thread as u32, (thread >> 32) as u32];
        block(counter, self.key)
    }

    /// Block `q` of the raw output.
    fn raw(&self, q: u64) -> [u32; 4] {
        self.numbers(q % THREADS, q / THREADS)
    }

    /// Fills `out` from `position` on in groups of four elements; a call may begin inside of a
    /// group.
    fn fill<T: Copy + Default + Send + Sync>(
        &self,
        position: u64,
        out: &mut [T],
        group: impl Fn(u64) -> [T; 4] + Sync,
    ) {
        let skipped = (position % 4) as usize;
        let head = (4 - skipped) % 4;
        let head = head.min(out.len());
        let (first, rest) = out.split_at_mut(head);
        if head > 0 {
            first.copy_from_slice(&group(position / 4)[skipped..skipped + head]);
        }
        let q = (position + head as u64) / 4;
        rest.par_chunks_mut(4).with_min_len(1024).enumerate().for_each(|(i, part)| {
            part.copy_from_slice(&group(q + i as u64)[..part.len()]);
        });
    }

    /// Four uniform numbers of double precision: of a thread, two counts each.
    fn doubles(&self, q: u64, start: u64) -> [f64; 4] {
        // Row r of a call uses the counts 2 r and 2 r + 1 after the one that the call begins with.
        let (begin, row) = (start / 4, (q - start / 4) / THREADS);
        let origin = q - row * THREADS;
        assert!(origin >= begin);
        let (thread, count) = (origin % THREADS, origin / THREADS + 2 * row);
        let (a, b) = (self.numbers(thread, count), self.numbers(thread, count + 1));
        let double = |x: u32, y: u32| unit_double(u64::from(x) ^ (u64::from(y) << 21));
        [double(a[0], a[1]), double(a[2], a[3]), double(b[0], b[1]), double(b[2], b[3])]
    }
}

impl Stream for Philox {
    fn bits(&self, position: u64, out: &mut [u32]) -> u64 {
        self.fill(position, out, |q| self.raw(q));
        out.len() as u64
    }

    fn uniform(&self, position: u64, out: &mut [f32]) -> u64 {
        self.fill(position, out, |q| self.raw(q).map(unit_float));
        out.len() as u64
    }

    fn uniform_double(&self, position: u64, out: &mut [f64]) -> u64 {
        self.fill(position, out, |q| self.doubles(q, position));
        out.len() as u64
    }

    fn normal(&self, position: u64, normal: Normal<f32>, out: &mut [f32]) -> u64 {
        self.fill(position, out, |q| {
            let x = self.raw(q);
            let second = |x: u32| f64::from(x) * 2f64.powi(-32) + 2f64.powi(-33);
            let (a, b) = pair(f64::from(unit_float(x[0])), second(x[1]));
            let (c, d) = pair(f64::from(unit_float(x[2])), second(x[3]));
            [a, b, c, d].map(|z| normal.of(z))
        });
        out.len() as u64
    }

    fn normal_double(&self, position: u64, normal: Normal<f64>, out: &mut [f64]) -> u64 {
        self.fill(position, out, |q| {
            let u = self.doubles(q, position);
            let (a, b) = pair_double(u[0], u[1]);
            let (c, d) = pair_double(u[2], u[3]);
            [a, b, c, d].map(|z| normal.of(z))
        });
        out.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::block;

    #[test]
    fn blocks_are_those_of_the_paper() {
        // Known answers of the authors' library Random123, file kat_vectors.
        assert_eq!(block([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            block([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }
}
