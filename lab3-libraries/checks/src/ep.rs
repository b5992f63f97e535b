//! What the checks of section 3.3 share: the truth, launches in the judge's emulator, comparisons.

use grading::{Evidence, Finding, Kernels, Outcome, Reply, Run, Trial, expect, trace};
use npb::ep::{EpResult, SEED, batch};
use npb::random::{SCALE, jump, next};
use serde::Deserialize;
use simt::fault::Fault;

/// `nn` batches of `nk` pairs, one after the other, and about what the coordinates' absolute values
/// sum up to.
pub fn truth(nn: u64, nk: u64) -> (EpResult, f64) {
    part(0, nn * nk)
}

/// The same for batch `kk` of `pairs` pairs alone.
pub fn part(kk: u64, pairs: u64) -> (EpResult, f64) {
    let result = batch(pairs, kk);
    // A Gaussian number's absolute value is sqrt(2 / pi) in the mean.
    let size = 2.0 * result.pairs() as f64 * (2.0 / std::f64::consts::PI).sqrt();
    (result, size)
}

/// How often warps of 32 threads, one batch of `nk` pairs each, evaluate `t <= 1`, and how often
/// their lanes disagree.
pub fn divergence(nn: u64, nk: u64) -> (u64, u64) {
    let mut states: Vec<u64> = (0..nn).map(|kk| jump(SEED, 2 * nk * kk)).collect();
    let (mut evaluations, mut divergent) = (0, 0);
    for warp in states.chunks_mut(32) {
        for _ in 0..nk {
            let mut inside = warp.iter_mut().map(|s| {
                let [x, y] = [(); 2].map(|()| {
                    *s = next(*s);
                    2.0 * (*s as f64 * SCALE) - 1.0
                });
                x * x + y * y <= 1.0
            });
            let first = inside.next();
            // Every lane must step, so no short circuit.
            let disagree = inside.filter(|other| Some(*other) != first).count();
            evaluations += 1;
            divergent += u64::from(disagree > 0);
        }
    }
    (evaluations, divergent)
}

/// What a handler returned.
#[derive(Debug, Deserialize)]
pub struct Found {
    /// Counts.
    pub q: [u64; 10],
    sums: [u64; 2],
}

impl Found {
    /// What a reply says.
    pub fn of(reply: &Reply) -> Result<Found, Finding> {
        trace::value(reply)
    }

    /// What a launch has left in `nq`, `sx`, `sy`.
    pub fn in_run(run: &Run) -> Result<Found, Finding> {
        let counts: Vec<u64> = run.get("nq")?;
        let (sx, sy): (Vec<f64>, Vec<f64>) = (run.get("sx")?, run.get("sy")?);
        let mut q = [0; 10];
        q.copy_from_slice(&counts);
        Ok(Found { q, sums: [sx[0].to_bits(), sy[0].to_bits()] })
    }

    /// Both sums.
    pub fn sums(&self) -> [f64; 2] {
        self.sums.map(f64::from_bits)
    }

    /// Counts exactly, sums within rounding in any order.
    pub fn compare(&self, what: &str, want: &EpResult, size: f64) -> Outcome {
        expect::eq(&format!("{what}: q"), &self.q, &want.q)?;
        let [sx, sy] = self.sums();
        for (name, got, want) in [("sx", sx, want.sx), ("sy", sy, want.sy)] {
            expect::close(&format!("{what}: {name}"), &[got], &[want], |_| {
                1e-11 * want.abs().max(1e-2 * size)
            })?;
        }
        Ok(Evidence::new(format!("{what}: counts exact, sums within 1e-11")))
    }
}

/// A launch of `kernel` for `nn` batches of `nk` pairs.
pub fn launch(
    kernels: &Kernels,
    kernel: &str,
    (nn, nk, block): (u32, u32, u32),
    fault: impl Fn(&Fault) -> Option<&'static str>,
) -> Result<Run, Finding> {
    kernels
        .launch(kernel, nn.div_ceil(block), block)
        .inout("nq", &[0u64; 10])
        .inout("sx", &[0.0f64])
        .inout("sy", &[0.0f64])
        .scalar(nn as i32)
        .scalar(nk as i32)
        .dynamic_shared(2 * 8 * block)
        .on_fault(fault)
        .run()
}

/// Warp instructions that a pair may take. 32 threads that make a pair each take a thirtieth of
/// what one thread takes that makes them all.
const PER_PAIR: u64 = 30;

/// A launch whose threads share the pairs.
pub fn shared(
    t: &Trial,
    file: &str,
    kernel: &str,
    fault: impl Fn(&Fault) -> Option<&'static str>,
) -> Outcome {
    let (batches, pairs) = (256, 32);
    let run = launch(&t.kernel(file).compile()?, kernel, (batches, pairs, 128), fault)?;
    let (found, most) = (run.total().inst, PER_PAIR * u64::from(batches * pairs));
    expect::that(found <= most, || {
        format!(
            "{kernel}: {found} warp instructions for {} pairs, at most {most} if all threads \
            make pairs",
            batches * pairs
        )
    })
    .map_err(|f| f.hint("s"))?;
    Ok(Evidence::new(format!("{found} warp instructions for {} pairs", batches * pairs)))
}

/// Launches of a kernel with grids that do not come out even.
pub fn ragged(
    t: &Trial,
    file: &str,
    kernel: &str,
    fault: impl Fn(&Fault) -> Option<&'static str> + Copy,
    wrong: &str,
) -> Outcome {
    shared(t, file, kernel, fault)?;
    let kernels = t.kernel(file).compile()?;
    for (nn, nk, block) in [(100, 16, 32), (100, 16, 128), (33, 5, 1024), (70, 1, 64), (1, 300, 64)]
    {
        let run = launch(&kernels, kernel, (nn, nk, block), fault)?;
        let (want, size) = truth(nn.into(), nk.into());
        let what = format!("{nn} batches of {nk} pairs, blocks of {block}");
        Found::in_run(&run)?.compare(&what, &want, size).map_err(|f| f.or_hint(wrong))?;
    }
    Ok(Evidence::new("1, 33, 70 and 100 batches in blocks of 32 to 1024: right"))
}
