//! Exercise 3.3.2: EP on the CPU, batch by batch, on several threads, with a result that does not
//! depend on how the work is shared out.

use lab3_libraries::e3_3_01::{lcg, seed_at, uniform};
use lab3_libraries::ep::{EpResult, SEED};
use labkit::LabError;
use rayon::prelude::*;

/// Batch `kk` of `2^mk` pairs: counts by ring, sums of X and Y.
pub fn batch(mk: u32, kk: u64) -> EpResult {
    // <lab
    // A pair takes two numbers.
    let mut s = seed_at(SEED, kk << (mk + 1));
    let mut next = || {
        s = lcg(s);
        2.0 * uniform(s) - 1.0
    };
    let mut result = EpResult::default();
    for _ in 0..1u64 << mk {
        let x = next();
        let y = next();
        let t = x * x + y * y;
        if t <= 1.0 {
            let f = (-2.0 * t.ln() / t).sqrt();
            let (gx, gy) = (x * f, y * f);
            result.q[gx.abs().max(gy.abs()) as usize] += 1;
            result.sx += gx;
            result.sy += gy;
        }
    }
    result
    //~ let _ = (mk, kk, lcg(SEED), seed_at(SEED, 0), uniform(SEED));
    //~ EpResult::default()
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
    if m < mk {
        return Err(LabError::refused(format!("2^{m} pairs are less than a batch of 2^{mk}")));
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| LabError::refused(format!("{threads} threads: {e}")))?;
    let results: Vec<EpResult> =
        pool.install(|| (0..1u64 << (m - mk)).into_par_iter().map(|kk| batch(mk, kk)).collect());
    Ok(results.into_iter().fold(EpResult::default(), EpResult::plus))
    //~ // Refuse m < mk; a pool of `threads` threads;
    //~ // `(0..batches).into_par_iter().map(..).collect()`; add in order with `EpResult::plus`.
    //~ let _ = (m, mk, threads, batch, (0..1).into_par_iter());
    //~ Err(LabError::msg("ep_cpu is not written yet"))
    // lab>
}
