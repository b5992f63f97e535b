//! Shapes of requests: addresses of 32 lanes, and how many sectors and passes they take.

// Lane loops over several arrays read best, and vectorise, as plain index loops.
#![allow(clippy::needless_range_loop)]

use super::alu::FULL;

/// Addresses of the lanes of a request.
pub(crate) type Lanes = [u64; 32];

/// True if the set bits are contiguous.
pub(crate) fn contiguous(mask: u32) -> bool {
    let low = mask >> mask.trailing_zeros();
    low & low.wrapping_add(1) == 0
}

/// The active lanes, lowest first.
pub(crate) fn each(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        Some(lane)
    })
}

/// Number of distinct values among the lanes of `mask`.
pub(crate) fn distinct(values: &Lanes, mask: u32) -> u64 {
    let mut seen = [0u64; 32];
    let mut count = 0;
    for l in each(mask) {
        let v = values[l];
        // Neighbours mostly share, so the newest is looked at first.
        if !seen[..count].iter().rev().any(|s| *s == v) {
            seen[count] = v;
            count += 1;
        }
    }
    count as u64
}

/// Passes that a shared request takes: lanes by groups of 128 bytes, in each the bank with most
/// distinct words.
///
/// A load of 8 or 16 bytes a lane takes two groups at a time when all pairs of lanes that differ in
/// one of the two lowest bits of their numbers ask for the same address, or one of the two is off.
/// Found with `tools/ncu/patterns.cu` on an H200.
pub(crate) fn wavefronts(offsets: &Lanes, mask: u32, size: u32, write: bool) -> u64 {
    let lanes_per_pass = match size {
        ..=4 => 32,
        _ if !write && (paired(offsets, mask, 1) || paired(offsets, mask, 2)) => {
            256 / size as usize
        }
        _ => 128 / size as usize,
    };
    let words = (size / 4).max(1);
    let mut total = 0;
    let mut first = 0;
    while first < 32 {
        let group = (FULL >> (32 - lanes_per_pass)) << first & mask;
        if group != 0 {
            total += passes(offsets, group, words);
        }
        first += lanes_per_pass;
    }
    total
}

/// True if each active lane asks for the same address as the lane whose number differs in the bit
/// `bit`, if that is active.
fn paired(offsets: &Lanes, mask: u32, bit: usize) -> bool {
    each(mask).all(|l| mask >> (l ^ bit) & 1 == 0 || offsets[l] == offsets[l ^ bit])
}

fn passes(offsets: &Lanes, mask: u32, words: u32) -> u64 {
    // Words that span less than the 32 banks cannot collide.
    let (mut low, mut high) = (u64::MAX, 0);
    for l in 0..32 {
        let word = offsets[l] / 4;
        low = low.min(if mask & (1 << l) != 0 { word } else { u64::MAX });
        high = high.max(if mask & (1 << l) != 0 { word } else { 0 });
    }
    if high - low + u64::from(words) <= 32 {
        return 1;
    }
    // A chain of distinct words for each bank.
    let mut head = [u8::MAX; 32];
    let mut next = [u8::MAX; 128];
    let mut word_of = [0u64; 128];
    let mut depth = [0u8; 32];
    let mut used = 0;
    let mut worst = 0;
    for l in each(mask) {
        for k in 0..u64::from(words) {
            let word = offsets[l] / 4 + k;
            let bank = (word % 32) as usize;
            let mut at = head[bank];
            while at != u8::MAX && word_of[at as usize] != word {
                at = next[at as usize];
            }
            if at == u8::MAX {
                word_of[used] = word;
                next[used] = head[bank];
                head[bank] = used as u8;
                used += 1;
                depth[bank] += 1;
                worst = worst.max(depth[bank]);
            }
        }
    }
    u64::from(worst)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::exec::shape::{Groups, group_passes};

    /// The definition, word by word: groups of lanes that move 128 bytes, or 256 in loads of which
    /// neighbours share; in each the bank with most distinct words.
    fn model(offsets: &Lanes, mask: u32, size: u32, write: bool) -> u64 {
        let on = |l: &usize| mask >> l & 1 == 1;
        let shared =
            |d: usize| (0..32).filter(on).all(|l| !on(&(l ^ d)) || offsets[l] == offsets[l ^ d]);
        let group = match (size, !write && (shared(1) || shared(2))) {
            (8, false) | (16, true) => 16,
            (16, false) => 8,
            _ => 32,
        };
        let mut total = 0;
        for lanes in (0..32).collect::<Vec<usize>>().chunks(group) {
            let mut banks: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
            for l in lanes.iter().filter(|l| mask >> **l & 1 == 1) {
                for byte in offsets[*l]..offsets[*l] + u64::from(size) {
                    banks.entry(byte / 4 % 32).or_default().insert(byte / 4);
                }
            }
            total += banks.values().map(BTreeSet::len).max().unwrap_or(0) as u64;
        }
        total
    }

    /// Patterns as kernels make them: strides, broadcasts, and chaos.
    fn offsets() -> impl Strategy<Value = (Lanes, u32)> {
        let size = prop::sample::select(vec![1u64, 2, 4, 8, 16]);
        let scattered = prop::collection::vec(0u64..512, 32);
        (size, 0u64..64, 0u64..40, scattered, 0..5).prop_map(
            |(size, start, stride, random, kind)| {
                let lanes = std::array::from_fn(|l| {
                    size * match kind {
                        0 => start + stride * l as u64,
                        1 => start + (random[l] % 8),
                        2 => start + random[l & !1],
                        3 => start + random[l & !2],
                        _ => random[l],
                    }
                });
                (lanes, size as u32)
            },
        )
    }

    proptest! {
        #[test]
        fn wavefronts_agree_with_the_definition(
            (lanes, size) in offsets(),
            mask in 1u32..,
            write in any::<bool>(),
        ) {
            prop_assert_eq!(
                wavefronts(&lanes, mask, size, write),
                model(&lanes, mask, size, write),
            );
        }

        #[test]
        fn groups_cost_what_their_lanes_cost(
            starts in prop::array::uniform4(0u64..200),
            near in any::<bool>(),
            row in any::<bool>(),
        ) {
            let starts = starts.map(|s| 4 * if near { s % 40 } else { s });
            let groups = Groups { starts, step: 4 * u64::from(row) };
            let lanes = groups.lanes();
            prop_assert_eq!(group_passes(&groups), model(&lanes, FULL, 4, false));
            let sectors: BTreeSet<u64> = lanes.iter().map(|a| a / 32).collect();
            let lines: BTreeSet<u64> = lanes.iter().map(|a| a / 128).collect();
            let counted = [sectors.len() as u64, lines.len() as u64];
            prop_assert_eq!(groups.units(4, [32, 128]), counted);
            let runs = groups.runs(FULL);
            for run in runs.iter() {
                let at = |l: usize| run.start + groups.step * (l - run.lane) as u64;
                prop_assert!((run.lane..run.lane + run.count).all(|l| lanes[l] == at(l)));
            }
            prop_assert_eq!(runs.iter().map(|r| r.count).sum::<usize>(), 32);
        }

        #[test]
        fn distinct_counts_what_a_set_counts((lanes, _) in offsets(), mask in 1u32..) {
            let sectors = lanes.map(|a| a / 32);
            let set: BTreeSet<u64> = each(mask).map(|l| sectors[l]).collect();
            prop_assert_eq!(distinct(&sectors, mask), set.len() as u64);
        }
    }

    /// Index patterns whose wavefronts an H200 counted; the file's first line says what a line
    /// holds.
    #[test]
    fn wavefronts_are_those_of_a_real_gpu() {
        let table = include_str!("../../tests/measured/wavefronts.csv");
        let rows: Vec<&str> = table.lines().skip(1).collect();
        assert!(rows.len() > 100);
        for row in rows {
            let mut fields = row.split(',');
            let mut field = || fields.next().expect("36 fields");
            let (size, write) = (field().parse::<u32>().expect("size"), field() == "st");
            let measured: u64 = field().parse().expect("wavefronts");
            let (mut lanes, mut mask) = ([0; 32], 0);
            for (l, lane) in lanes.iter_mut().enumerate() {
                let index: i64 = field().parse().expect("index");
                if index >= 0 {
                    *lane = index as u64 * u64::from(size);
                    mask |= 1 << l;
                }
            }
            assert_eq!(wavefronts(&lanes, mask, size, write), measured, "{row}");
        }
    }

    #[test]
    fn known_patterns() {
        let stride = |n: u64| std::array::from_fn(|l| 4 * n * l as u64);
        for (n, passes) in [(1, 1), (2, 2), (3, 1), (8, 8), (16, 16), (32, 32), (33, 1)] {
            assert_eq!(wavefronts(&stride(n), FULL, 4, false), passes, "stride {n}");
        }
        assert_eq!(wavefronts(&stride(2), FULL, 8, false), 2);
        assert_eq!(wavefronts(&stride(4), FULL, 16, false), 4);
        assert_eq!(wavefronts(&[40; 32], FULL, 4, false), 1);
        assert!(contiguous(FULL) && contiguous(0b1110) && !contiguous(0b101));
    }
}
