//! The kernels of `C = A A^T` in tiles.

use super::{sectors, wavefronts};

const WARP: u64 = super::WARP as u64;

/// A kernel: which of the four steps, and its tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// 1: listing, 2: coalesced, 3: padded, 4: symmetric.
    pub variant: u32,
    /// Rows and columns of a tile.
    pub k: u64,
    /// Words added to a row of the tile of `A^T`; the first two versions have none.
    pub pad: u64,
}

/// Counts of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sectors of the loads from A.
    pub load_a: u64,
    /// Sectors of the loads for the tile of `A^T`.
    pub load_at: u64,
    /// Requests of both loads; of these half each.
    pub gld_req: u64,
    /// Active lanes of both loads.
    pub gld_lane: u64,
    /// Wavefronts of the stores to the tile of A.
    pub store_as: u64,
    /// Wavefronts of the stores to the tile of `A^T`.
    pub store_ats: u64,
    /// Requests of both stores; of these half each.
    pub shst_req: u64,
    /// Requests of the loads from both tiles.
    pub shld_req: u64,
    /// Their wavefronts.
    pub shld_wf: u64,
    /// Requests and sectors of the stores to C in place.
    pub own: (u64, u64),
    /// Requests and sectors of the stores to the mirror image.
    pub mirror: (u64, u64),
    /// Active lanes of the stores to C.
    pub gst_lane: u64,
    /// Barriers.
    pub bar: u64,
    /// Floating-point operations.
    pub flop: u64,
    /// Blocks that work.
    pub blocks: u64,
}

impl Counts {
    /// The counts that a launch reports, by name.
    pub fn named(&self) -> [(&'static str, u64); 11] {
        [
            ("gld.req", self.gld_req),
            ("gld.sec", self.load_a + self.load_at),
            ("gld.lane", self.gld_lane),
            ("shst.req", self.shst_req),
            ("shst.wf", self.store_as + self.store_ats),
            ("shld.req", self.shld_req),
            ("shld.wf", self.shld_wf),
            ("gst.req", self.own.0 + self.mirror.0),
            ("gst.sec", self.own.1 + self.mirror.1),
            ("bar", self.bar),
            ("flop", self.flop),
        ]
    }
}

impl Kernel {
    /// The smallest padding with the fewest wavefronts of the store along columns.
    pub fn best_pad(k: u64) -> u64 {
        let padded = |pad| (Kernel { variant: 3, k, pad }.store_wavefronts(), pad);
        (0..=WARP).map(padded).min().map_or(0, |(_, pad)| pad)
    }

    /// Wavefronts of the store to the tile of `A^T` by all warps of a block.
    pub fn store_wavefronts(&self) -> u64 {
        self.warps().map(|warp| self.store_ats(&warp)).sum()
    }

    /// Threads of a block as (tx, ty), warp by warp.
    fn warps(&self) -> impl Iterator<Item = Vec<(u64, u64)>> + use<> {
        let (k, threads) = (self.k, self.k * self.k);
        (0..threads).step_by(WARP as usize).map(move |first| {
            (first..(first + WARP).min(threads)).map(|lane| (lane % k, lane / k)).collect()
        })
    }

    fn exchanged(&self) -> bool {
        self.variant >= 2
    }

    /// Words of a row of the tile of `A^T`.
    fn row(&self) -> u64 {
        if self.variant >= 3 { self.k + self.pad } else { self.k }
    }

    fn store_ats(&self, warp: &[(u64, u64)]) -> u64 {
        let word = |&(tx, ty): &(u64, u64)| match self.exchanged() {
            true => tx * self.row() + ty,
            false => ty * self.row() + tx,
        };
        wavefronts(warp.iter().map(word))
    }

    /// Counts for a matrix of `m x n` values, both multiples of the tile.
    pub fn counts(&self, m: u64, n: u64) -> Counts {
        let (k, mut c) = (self.k, Counts::default());
        for by in 0..m / k {
            for bx in (0..m / k).filter(|bx| self.variant < 4 || *bx <= by) {
                c.blocks += 1;
                c.bar += 2 * (n / k);
                for warp in self.warps() {
                    let lanes = warp.len() as u64;
                    for t in 0..n / k {
                        let (a, at) = (by * k * n + t * k, bx * k * n + t * k);
                        c.load_a += sectors(warp.iter().map(|(tx, ty)| a + ty * n + tx));
                        c.load_at += sectors(warp.iter().map(|(tx, ty)| match self.exchanged() {
                            true => at + ty * n + tx,
                            false => at + tx * n + ty,
                        }));
                        c.gld_req += 2;
                        c.gld_lane += 2 * lanes;
                    }
                    let rounds = n / k;
                    c.store_as += rounds * wavefronts(warp.iter().map(|(tx, ty)| ty * k + tx));
                    c.store_ats += rounds * self.store_ats(&warp);
                    c.shst_req += rounds * 2;
                    for l in 0..k {
                        c.shld_wf += rounds * wavefronts(warp.iter().map(|(_, ty)| ty * k + l));
                        c.shld_wf +=
                            rounds * wavefronts(warp.iter().map(|(tx, _)| l * self.row() + tx));
                    }
                    c.shld_req += rounds * 2 * k;
                    c.flop += rounds * 2 * k * lanes;
                    let place = |(tx, ty): &(u64, u64)| (bx * k + tx, by * k + ty);
                    c.own.0 += 1;
                    c.own.1 += sectors(warp.iter().map(place).map(|(ix, iy)| iy * m + ix));
                    c.gst_lane += lanes;
                    if self.variant == 4 && bx != by {
                        c.mirror.0 += 1;
                        c.mirror.1 += sectors(warp.iter().map(place).map(|(ix, iy)| ix * m + iy));
                        c.gst_lane += lanes;
                    }
                }
            }
        }
        c
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(variant: u32, k: u64, pad: u64) -> Counts {
        Kernel { variant, k, pad }.counts(96, 192)
    }

    /// The tables of the handout.
    #[test]
    fn the_model_counts_what_the_handout_prints() {
        let listing = counts(1, 16, 0);
        assert_eq!((listing.gld_req, listing.load_a, listing.load_at), (6912, 13_824, 55_296));
        assert_eq!((listing.shst_req, listing.store_as + listing.store_ats), (6912, 6912));
        assert_eq!((listing.shld_req, listing.shld_wf), (110_592, 110_592));
        assert_eq!((listing.own, listing.mirror), ((288, 1152), (0, 0)));
        assert_eq!((listing.bar, listing.flop, listing.gld_lane), (864, 3_538_944, 221_184));

        let exchange = counts(2, 16, 0);
        assert_eq!((exchange.load_a, exchange.load_at), (13_824, 13_824));
        assert_eq!((exchange.shst_req, exchange.store_as + exchange.store_ats), (6912, 31_104));
        let wavefronts = |pad| counts(3, 16, pad).store_as + counts(3, 16, pad).store_ats;
        assert_eq!((wavefronts(1), wavefronts(2)), (10_368, 6912));

        let half = counts(4, 16, 2);
        assert_eq!((half.gld_req, half.load_a + half.load_at), (4032, 16_128));
        assert_eq!((half.shst_req, half.store_as + half.store_ats), (4032, 4032));
        assert_eq!((half.shld_wf, half.own, half.mirror), (64_512, (168, 672), (120, 1920)));
        assert_eq!((half.bar, half.flop, half.gld_lane), (504, 2_064_384, 129_024));

        assert_eq!((counts(1, 32, 0).load_a, counts(1, 32, 0).load_at), (6912, 55_296));
        assert_eq!((counts(2, 32, 0).store_as, counts(2, 32, 0).store_ats), (1728, 55_296));
        assert_eq!(counts(3, 32, 1).store_as + counts(3, 32, 1).store_ats, 3456);
        let half = counts(4, 32, 1);
        assert_eq!((half.blocks, half.load_a + half.load_at, half.flop), (6, 9216, 2_359_296));
        assert_eq!(half.mirror, (96, 3072));
    }

    #[test]
    fn padding() {
        assert_eq!([8, 16, 24, 32].map(Kernel::best_pad), [4, 2, 2, 1]);
        let store = |k, pad| {
            let kernel = Kernel { variant: 3, k, pad };
            kernel.store_wavefronts() as f64 / kernel.warps().count() as f64
        };
        assert_eq!([store(8, 0), store(8, 1), store(8, 4)], [2.0, 2.0, 1.0]);
        assert_eq!([store(16, 0), store(16, 1), store(16, 2)], [8.0, 2.0, 1.0]);
        assert!(
            (store(24, 0) - 16.0 / 3.0).abs() < 1e-12 && (store(24, 2) - 5.0 / 3.0).abs() < 1e-12
        );
        assert_eq!([store(32, 0), store(32, 1)], [32.0, 1.0]);
    }
}
