//! What the checks of the filters have in common.

use grading::{Finding, Trial, design, expect};
use hdl::{bit, signed};
use ipcores::fir::{Driven, Fir, FirCore, drive};
use rand::{Rng, RngExt};
use serde_json::{Value, json};

/// The filter that the handler `call` builds, with what is declared of it; `p` for those that take
/// bits per clock.
pub fn filter(t: &Trial, call: &str, fir: &Fir, p: Option<u32>) -> Result<FirCore, Finding> {
    let request = json!({
        "coefficients": fir.coefficients(), "data_bits": fir.data_bits(),
        "coefficient_bits": fir.coefficient_bits(), "p": p
    });
    let (block, value) = t.design_and(call, &request)?;
    let outputs = [("rfd", bit()), ("rdy", bit()), ("dout", signed(fir.width()))];
    design::ports(&block, &[("din", signed(fir.data_bits())), ("nd", bit())], &outputs)?;
    let declared = |key: &str| value.get(key).and_then(Value::as_u64).unwrap_or(0) as u32;
    Ok(FirCore { block, period: declared("period"), latency: declared("latency") })
}

/// A filter with random parameters, `taps` of them; the extremes are among the coefficients.
pub fn random_filter(rng: &mut impl Rng, taps: usize) -> Result<Fir, Finding> {
    let (data, coefficient) = (rng.random_range(3..=18), rng.random_range(3..=18));
    let h = numbers(rng, coefficient, taps);
    Fir::new(&h, data, coefficient).map_err(|e| Finding::grader(e.to_string()))
}

/// Random numbers of `bits` bits, the extremes among them.
pub fn numbers(rng: &mut impl Rng, bits: u32, n: usize) -> Vec<i64> {
    let ty = signed(bits);
    (0..n)
        .map(|_| match rng.random_range(0..8) {
            0 => ty.min(),
            1 => ty.max(),
            _ => ty.wrap(rng.random()),
        })
        .collect()
}

/// Runs `x` through the core, a sample offered in the clocks that `offer` answers with true.
pub fn run(core: &FirCore, x: &[i64], offer: impl FnMut() -> bool) -> Result<Driven, Finding> {
    drive(&core.block, x, 150, offer).map_err(|e| Finding::grader(e.to_string()))
}

/// One result per sample, and each the sum of the definition. `why` names the hint for what is
/// wrong.
pub fn exact(
    what: &str,
    fir: &Fir,
    x: &[i64],
    driven: &Driven,
    why: impl Fn(&[i64], &[i64]) -> &'static str,
) -> Result<(), Finding> {
    let want = fir.reference(x);
    let hint = |f: Finding| {
        f.hint(why(&driven.y, &want)).details(format!(
            "coefficients {:?}, samples of {} bits",
            fir.coefficients(),
            fir.data_bits()
        ))
    };
    expect::that(driven.y.len() == x.len(), || {
        format!(
            "{what}: {} samples taken, rdy high in {} clocks",
            driven.taken.len(),
            driven.y.len()
        )
    })
    .map_err(hint)?;
    expect::eq(what, &driven.y, &want).map(|_| ()).map_err(hint)
}

/// True if the results are right but for the clock in which they are called valid.
pub fn shifted(got: &[i64], want: &[i64]) -> bool {
    let n = want.len().min(got.len());
    (1..n.min(4)).any(|k| got[k..n] == want[..n - k] || got[..n - k] == want[k..n])
}

/// The declared clocks must be the real ones: from sample to sample (at most `period`) and from a
/// sample to its result.
pub fn clocks(
    what: &str,
    core: &FirCore,
    driven: &Driven,
    period: u32,
    hint: &str,
) -> Result<(), Finding> {
    let (between, latency) = (driven.period().unwrap_or(0), driven.latency().unwrap_or(0));
    expect::that(between == u64::from(period) && core.period == period, || {
        format!(
            "{what}: expected a sample every {period} clocks, counted {between}, declared {}",
            core.period
        )
    })
    .map_err(|f| f.hint(hint))?;
    let late =
        driven.ready.iter().zip(&driven.taken).all(|(r, t)| r.checked_sub(*t) == Some(latency));
    expect::that(late && latency == u64::from(core.latency), || {
        format!(
            "{what}: the result comes {latency} clocks after its sample, declared are {}",
            core.latency
        )
    })
    .map_err(|f| f.hint(hint))
}

/// 1024 words on the board through the top that is the same for all: results and clocks. Returns
/// the clocks.
pub fn on_board(
    what: &str,
    fir: &Fir,
    core: &FirCore,
    x: &[f64],
    hint: &str,
) -> Result<u64, Finding> {
    let top = ipcores::fir::top(&core.block, 17).map_err(|e| Finding::wrong(e.to_string()))?;
    let run = design::run(&mut design::board(&top)?, x).map_err(|f| f.hint(hint))?;
    let words: Vec<i64> = x.iter().map(|v| *v as i64).collect();
    let want: Vec<i16> = fir.reference(&words).iter().map(|y| (y >> 17) as i16).collect();
    expect::eq(what, &run.y, &want).map_err(|f| f.hint(hint))?;
    let declared = core.run_cycles(1024);
    expect::that(run.cycles == declared, || {
        format!(
            "{what}: {} clocks on the board; with the declared latency it would be {declared}",
            run.cycles
        )
    })
    .map_err(|f| f.hint(hint))?;
    Ok(run.cycles)
}

/// The report's samples: a step of 13 samples from the 24th on, and every 16th from the 32nd on.
pub fn stimulus() -> Vec<f64> {
    let full = |n: usize| (24..=36).contains(&n) || n >= 32 && n.is_multiple_of(16);
    (1..=1024).map(|n| if full(n) { 32767.0 } else { 0.0 }).collect()
}
