//! Exercise 2.2.2: how many words must be added to a row of a tile.
//!
//! In the store `ATs[tx][ty] = ...` a warp writes along columns: lane `l` of a `k x k` block has
//! `tx = l % k`, `ty = l / k`, and writes word `tx * row + ty`, where `row = k + pad`. Word `w`
//! lies in bank `w % 32`.

/// The smallest padding with the fewest wavefronts, for tiles of `k x k` (k from 1 to 32); 0 for k
/// = 0.
///
/// The wavefronts of a request are the largest number of words that it touches in one bank; a block
/// has `k * k` lanes, 32 of them in each warp but perhaps the last.
pub fn best_pad(k: u32) -> u32 {
    // <lab
    // Banks repeat after 32 words, and so do the conflicts.
    (0..32).min_by_key(|pad| (wavefronts(k, k + pad), *pad)).unwrap_or(0)
    //~ let _ = k;
    //~ u32::MAX
    // lab>
}

// <lab
/// Wavefronts of the store to the tile by all warps of a block, with rows of `row` words.
fn wavefronts(k: u32, row: u32) -> u32 {
    let lanes: Vec<u32> = (0..k * k).collect();
    let warps = lanes.chunks(32).map(|warp| {
        let mut words = [0; 32];
        for lane in warp {
            let word = lane % k * row + lane / k;
            words[word as usize % 32] += 1;
        }
        words.into_iter().max().unwrap_or(0)
    });
    warps.sum()
}
//~ // Room for a function that counts wavefronts.
// lab>
