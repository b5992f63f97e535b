//! The filter's kernels of lab 2.
//!
//! A model walks through the warps of a launch and hands each request's addresses to [`Counts`],
//! source line by source line as the exercises have them. One channel is one launch.

use std::iter::repeat_n;

use super::{WARP, sectors, wavefronts};

/// Counts of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Global load requests, their sectors and lanes.
    pub gld: (u64, u64, u64),
    /// The part of `gld` that loads coefficients: requests and sectors.
    pub coeff: (u64, u64),
    /// Global store requests and their sectors.
    pub gst: (u64, u64),
    /// Constant requests and their extra passes.
    pub cld: (u64, u64),
    /// Shared store requests and their wavefronts.
    pub shst: (u64, u64),
    /// Shared load requests and their wavefronts.
    pub shld: (u64, u64),
    /// Floating-point operations.
    pub flop: u64,
    /// Divergent branches.
    pub br_div: u64,
    /// Barriers.
    pub bar: u64,
}

impl Counts {
    fn load(&mut self, elements: impl Iterator<Item = u64>) -> (u64, u64) {
        let mut lanes = 0;
        let sec = sectors(elements.inspect(|_| lanes += 1));
        let req = u64::from(lanes > 0);
        self.gld = (self.gld.0 + req, self.gld.1 + sec, self.gld.2 + lanes);
        (req, sec)
    }

    fn load_coefficient(&mut self, k: u64, lanes: usize) {
        let (req, sec) = self.load(repeat_n(k, lanes));
        self.coeff = (self.coeff.0 + req, self.coeff.1 + sec);
    }

    fn store(&mut self, elements: impl Iterator<Item = u64>) {
        let sec = sectors(elements);
        self.gst.0 += u64::from(sec > 0);
        self.gst.1 += sec;
    }

    /// The named counts that the exercises grade.
    pub fn named(&self) -> [(&'static str, u64); 11] {
        [
            ("gld.req", self.gld.0),
            ("gld.sec", self.gld.1),
            ("gld.lane", self.gld.2),
            ("gst.req", self.gst.0),
            ("gst.sec", self.gst.1),
            ("cld.req", self.cld.0),
            ("cld.ser", self.cld.1),
            ("shst.req", self.shst.0),
            ("shst.wf", self.shst.1),
            ("shld.req", self.shld.0),
            ("shld.wf", self.shld.1),
        ]
    }

    /// Operations per load of a thread.
    pub fn cgma(&self) -> f64 {
        self.flop as f64 / self.gld.2.max(1) as f64
    }
}

/// A launch of one channel: `len` samples, order `n`, blocks of `k` threads. `base` is where the
/// channel's first sample lies in its buffer and `out` where its first output does, in elements;
/// buffers start at a multiple of 32 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Samples of the channel.
    pub len: usize,
    /// Order of the filter.
    pub n: usize,
    /// Threads of a block.
    pub k: usize,
    /// First sample.
    pub base: usize,
    /// First output.
    pub out: usize,
}

impl Shape {
    /// Blocks of the grid.
    pub fn blocks(&self) -> usize {
        self.len.div_ceil(self.k)
    }

    /// Threads of each warp, as indices of outputs.
    fn warps(&self) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
        let k = self.k;
        (0..self.blocks()).flat_map(move |b| {
            (0..k).step_by(WARP).map(move |t| b * k + t..b * k + (t + WARP).min(k))
        })
    }

    fn sample(&self, i: usize, back: usize) -> u64 {
        (self.base + i - back) as u64
    }

    /// `fir1.cu`: guards `i < len` and `i >= k`; signal and coefficient from global memory.
    pub fn naive(&self) -> Counts {
        let mut c = Counts::default();
        for lanes in self.warps() {
            let alive: Vec<usize> = lanes.clone().filter(|i| *i < self.len).collect();
            c.br_div += u64::from(!alive.is_empty() && alive.len() < lanes.len());
            let Some(&last) = alive.last() else { continue };
            for k in 0..=self.n.min(last) {
                let active = &alive[alive.partition_point(|i| *i < k)..];
                c.br_div += u64::from(active.len() < alive.len());
                c.load(active.iter().map(|i| self.sample(*i, k)));
                c.load_coefficient(k as u64, active.len());
                c.flop += 2 * active.len() as u64;
            }
            c.store(alive.iter().map(|i| (self.out + i) as u64));
        }
        c
    }

    /// `fir2.cu`: every thread of every block computes all `n + 1` products.
    pub fn padded(&self) -> Counts {
        self.whole_blocks(|c, k, lanes| c.load_coefficient(k, lanes))
    }

    /// `fir3.cu`: one constant word for all lanes.
    pub fn constant(&self) -> Counts {
        self.whole_blocks(|c, _, _| c.cld.0 += 1)
    }

    fn whole_blocks(&self, coefficient: impl Fn(&mut Counts, u64, usize)) -> Counts {
        let mut c = Counts::default();
        for lanes in self.warps() {
            for k in 0..=self.n {
                c.load(lanes.clone().map(|i| self.sample(i, k)));
                coefficient(&mut c, k as u64, lanes.len());
                c.flop += 2 * lanes.len() as u64;
            }
            c.store(lanes.map(|i| (self.out + i) as u64));
        }
        c
    }

    /// `fir4.cu` and `fir5.cu`: entry `p` of a block's tile holds sample `bK - n + p`; thread `t`
    /// fills the entries `n + t`, `n + t - K`, ...
    pub fn tiled(&self) -> Counts {
        let (n, k) = (self.n, self.k);
        let mut c = Counts { bar: self.blocks() as u64, ..Counts::default() };
        for lanes in self.warps() {
            let block = lanes.start / k * k;
            for round in 0..(n + k).div_ceil(k) {
                let entries: Vec<usize> =
                    lanes.clone().filter_map(|i| (n + i - block).checked_sub(round * k)).collect();
                if entries.is_empty() {
                    continue;
                }
                c.load(entries.iter().map(|p| self.sample(block + p, n)));
                c.shst.0 += 1;
                c.shst.1 += wavefronts(entries.iter().map(|p| *p as u64));
                // The test after the round: lanes that go on and lanes that do not.
                let on = entries.iter().filter(|p| **p >= k).count();
                c.br_div += u64::from(on > 0 && on < entries.len());
            }
            for tap in 0..=n {
                c.shld.0 += 1;
                c.shld.1 += wavefronts(lanes.clone().map(|i| (n + i - block - tap) as u64));
                c.cld.0 += 1;
                c.flop += 2 * lanes.len() as u64;
            }
            c.store(lanes.map(|i| (self.out + i) as u64));
        }
        c
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The handout's case: 2048 samples, order 1024, blocks of 512; zeros before the samples in all
    /// but the first version.
    fn shape(base: usize) -> Shape {
        Shape { len: 2048, n: 1024, k: 512, base, out: 0 }
    }

    #[test]
    fn the_model_counts_what_the_handout_prints() {
        let naive = shape(0).naive();
        assert_eq!(naive.coeff, (49_696, 49_696));
        assert_eq!((naive.gld.0, naive.gld.1), (2 * 49_696, 239_808 + 49_696));
        assert_eq!((naive.flop, naive.gld.2), (3_148_800, 3_148_800));
        assert_eq!((naive.gst, naive.br_div), ((64, 256), 992));
        let shorter = Shape { len: 2000, ..shape(0) }.naive();
        assert_eq!((shorter.gld.0, shorter.gld.1), (2 * 48_671, 232_762 + 48_671));
        assert_eq!((shorter.gst, shorter.br_div), ((63, 250), 993));

        let padded = shape(1024).padded();
        assert_eq!((padded.gld.0, padded.gld.1), (2 * 65_600, 319_744 + 65_600));
        assert_eq!((padded.flop, padded.gld.2), (4_198_400, 4_198_400));
        let constant = shape(1024).constant();
        assert_eq!((constant.gld, constant.cld), ((65_600, 319_744, 2_099_200), (65_600, 0)));

        let tiled = shape(1024).tiled();
        assert_eq!(tiled.gld, (192, 768, 6144));
        assert_eq!(
            (tiled.cld, tiled.shst, tiled.shld),
            ((65_600, 0), (192, 192), (65_600, 65_600))
        );
        assert_eq!((tiled.gst, tiled.bar), ((64, 256), 4));
        assert!((tiled.cgma() - 683.333).abs() < 1e-3);
        let ragged = Shape { len: 1500, n: 100, k: 128, base: 100, out: 0 }.tiled();
        assert_eq!((ragged.gld.0, ragged.gld.1, ragged.br_div), (96, 432, 12));
    }
}
