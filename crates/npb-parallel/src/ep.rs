//! EP on all cores, with vector instructions.

use std::sync::atomic::{AtomicU64, Ordering};

use multiversion::multiversion;
use npb::ep::{self, EpResult, SEED};
use npb::random::jump;
use rayon::prelude::*;

/// The benchmark on all cores of rayon's pool and with vector instructions. Sums are added in a
/// fixed order: the result does not depend on the number of cores.
///
/// # Errors
/// As [`ep::batches`].
pub fn parallel(m: u32, mk: u32) -> Result<EpResult, String> {
    parallel_with(m, mk, &|_| ())
}

/// The same; `done` is called now and then, from any thread, with the share of the work done so
/// far, from 0 to 1.
///
/// # Errors
/// As [`ep::batches`].
pub fn parallel_with(m: u32, mk: u32, done: &(dyn Fn(f64) + Sync)) -> Result<EpResult, String> {
    let batches = ep::batches(m, mk)?;
    // Enough batches for all cores, but few results in memory.
    let group = batches.div_ceil(4096);
    let count = batches.div_ceil(group);
    let finished = AtomicU64::new(0);
    let groups: Vec<EpResult> = (0..count)
        .into_par_iter()
        .map(|g| {
            let last = ((g + 1) * group).min(batches);
            let one = |kk: u64| batch(1 << mk, kk);
            let result = (g * group..last).map(one).fold(EpResult::default(), EpResult::plus);
            done((finished.fetch_add(1, Ordering::Relaxed) + 1) as f64 / count as f64);
            result
        })
        .collect();
    Ok(groups.into_iter().fold(EpResult::default(), EpResult::plus))
}

/// Batch `kk` of so many pairs.
fn batch(pairs: u64, kk: u64) -> EpResult {
    batch_from(jump(SEED, 2 * pairs * kk), pairs)
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn batch_from(s: u64, pairs: u64) -> EpResult {
    ep::batch_from(s, pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_classes_are_verified() {
        for name in ["T12", "T"] {
            let class = ep::Class::by_name(name).unwrap();
            for mk in [6, 8, 12] {
                let found = parallel(class.m, mk).unwrap();
                assert_eq!(class.verify(&found), Ok(()), "{name} {mk}");
            }
        }
        let q = parallel(16, 8).unwrap().q;
        assert_eq!(q[..6], [24_010, 22_707, 4297, 265, 6, 0]);
        assert!(parallel(4, 6).is_err());
    }

    #[test]
    fn the_processor_does_not_show() {
        for pairs in [1, 300, 513, 5000] {
            assert_eq!(batch(pairs, 9), ep::batch(pairs, 9), "{pairs}");
        }
    }
}
