//! Exercise 3.3.2: EP on the CPU, batch by batch, on several threads, with a result that does not
//! depend on how the work is shared out.

use lab3_libraries::e3_3_01::{lcg, seed_at, uniform};
use lab3_libraries::ep::{EpResult, SEED};
use labkit::LabError;
use rayon::prelude::*;

/// Batch `kk` of `2^mk` pairs: counts by ring, sums of X and Y.
pub fn batch(mk: u32, kk: u64) -> EpResult {
    // <lab
    let _ = (mk, kk, lcg(SEED), seed_at(SEED, 0), uniform(SEED));
    EpResult::default()
    // lab>
}

/// 2^m pairs in batches of 2^mk, on `threads` threads, each batch by a call of `batch`: yours from
/// above; the check counts the threads that call it. The batches' results are added in order.
///
/// # Errors
/// A batch larger than the whole (`m < mk`); threads that cannot be started.
pub fn ep_cpu(
    m: u32,
    mk: u32,
    threads: usize,
    batch: &(dyn Fn(u32, u64) -> EpResult + Sync),
) -> Result<EpResult, LabError> {
    // <lab
    // Refuse m < mk; a pool of `threads` threads;
    // `(0..batches).into_par_iter().map(..).collect()`; add in order with `EpResult::plus`.
    let _ = (m, mk, threads, batch, (0..1).into_par_iter());
    Err(LabError::msg("ep_cpu is not written yet"))
    // lab>
}
