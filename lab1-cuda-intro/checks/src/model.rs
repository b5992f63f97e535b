//! Address models: what a launch must count, from the definitions alone and without the emulator.

/// Lanes of a warp.
pub const WARP: u64 = 32;

/// Sectors of one request: distinct aligned 32-byte segments that the active lanes touch with
/// `bytes` each.
pub fn sectors(addresses: impl IntoIterator<Item = u64>, bytes: u64) -> u64 {
    let mut touched: Vec<u64> =
        addresses.into_iter().flat_map(|a| a / 32..=(a + bytes - 1) / 32).collect();
    touched.sort_unstable();
    touched.dedup();
    touched.len() as u64
}

/// Counts of a kernel in which thread `i` loads `a[i]` and `b[i]` and stores `c[i]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Load requests and their sectors.
    pub gld: (u64, u64),
    /// Store requests and their sectors.
    pub gst: (u64, u64),
    /// Branches evaluated by a warp, and those on which its lanes disagreed.
    pub br: (u64, u64),
}

/// The vector addition of `n` elements of `bytes` each by `grid` blocks of `block` threads. With a
/// guard, a thread works only if `i < n`; without, every thread does, and `n` must be
/// `grid * block`.
pub fn vector_add(n: u64, bytes: u64, grid: u64, block: u64, guard: bool) -> Counts {
    let mut counts = Counts::default();
    for first in (0..grid).flat_map(|b| (0..block).step_by(32).map(move |t| (b * block, t))) {
        let (base, thread) = first;
        let lanes = base + thread..base + (thread + WARP).min(block);
        let active: Vec<u64> = lanes.clone().filter(|&i| !guard || i < n).collect();
        let idle = lanes.count() - active.len();
        if guard {
            counts.br.0 += 1;
            counts.br.1 += u64::from(idle > 0 && !active.is_empty());
        }
        if active.is_empty() {
            continue;
        }
        // Arrays start at a multiple of 32 bytes, so the three differ only in their base.
        let sec = sectors(active.into_iter().map(|i| i * bytes), bytes);
        counts.gld = (counts.gld.0 + 2, counts.gld.1 + 2 * sec);
        counts.gst = (counts.gst.0 + 1, counts.gst.1 + sec);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifted_words_cost_one_sector_more() {
        let words = |start: u64| sectors((start..start + 32).map(|i| 4 * i), 4);
        assert_eq!((0..8).map(words).collect::<Vec<_>>(), [4, 5, 5, 5, 5, 5, 5, 5]);
        assert_eq!(sectors([64; 32], 4), 1);
        assert_eq!(sectors((0..32).map(|i| 16 * i), 16), 16);
        assert_eq!(sectors((0..32).map(|i| 16 * i), 8), 16);
    }

    #[test]
    fn vector_add_counts_what_the_handout_prints() {
        let five = vector_add(5, 4, 1, 5, false);
        assert_eq!((five.gld, five.gst, five.br), ((2, 2), (1, 1), (0, 0)));
        let uneven = vector_add(257, 4, 1, 257, false);
        assert_eq!(uneven.gld, (2 * 9, 2 * 33));
        let blocks = vector_add(2048, 4, 8, 256, false);
        assert_eq!((blocks.gld, blocks.gst, blocks.br), ((128, 512), (64, 256), (0, 0)));
        let guarded = vector_add(2000, 4, 8, 256, true);
        assert_eq!((guarded.gld, guarded.gst, guarded.br), ((126, 500), (63, 250), (64, 1)));
    }
}
