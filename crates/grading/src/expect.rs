//! Comparisons that say what is wrong: first ten places, want and got, counts by source line. NaN
//! never passes.

use std::fmt::{Debug, Write};

use bytemuck::NoUninit;
use simt::report::Counters;

use crate::rig::Run;
use crate::{Evidence, Finding, Outcome};

/// Wrong places that a finding lists.
const SHOWN: usize = 10;

/// Equal bit by bit: for integers, and for floats computed by the same operations in the same
/// order.
pub fn eq<T: NoUninit + Debug>(what: &str, got: &[T], want: &[T]) -> Outcome {
    same_length(what, got.len(), want.len())?;
    let wrong: Vec<_> = (0..want.len())
        .filter(|&i| bytemuck::bytes_of(&got[i]) != bytemuck::bytes_of(&want[i]))
        .collect();
    mismatches(what, &wrong, want.len(), |i| format!("expected {:?}, got {:?}", want[i], got[i]))?;
    Ok(Evidence::new(format!("{what}: all {} values are right", want.len())))
}

/// Each `|got[i] - want[i]| <= tolerance(i)`. NaN in `got` fails unless `want` has NaN there as
/// well.
pub fn close<T: Copy + Into<f64>>(
    what: &str,
    got: &[T],
    want: &[f64],
    tolerance: impl Fn(usize) -> f64,
) -> Outcome {
    same_length(what, got.len(), want.len())?;
    let error = |i: usize| (got[i].into() - want[i]).abs();
    let wrong: Vec<_> = (0..want.len())
        .filter(|&i| {
            let (g, w): (f64, f64) = (got[i].into(), want[i]);
            // Written so that NaN is wrong; equal infinities are right though their difference is
            // NaN.
            let right = error(i) <= tolerance(i) || g == w || (g.is_nan() && w.is_nan());
            !right
        })
        .collect();
    mismatches(what, &wrong, want.len(), |i| {
        let g: f64 = got[i].into();
        format!("expected {:?}, got {g:?}, error {:.3e} > {:.3e}", want[i], error(i), tolerance(i))
    })?;
    Ok(Evidence::new(format!("{what}: all {} values are within tolerance", want.len())))
}

/// One value equal to another.
pub fn same<T: PartialEq + Debug>(what: &str, got: &T, want: &T) -> Outcome {
    if got == want {
        Ok(Evidence::new(format!("{what} = {want:?}")))
    } else {
        Err(Finding::wrong(format!("{what}: expected {want:?}, got {got:?}")))
    }
}

/// A condition that must hold; `otherwise` says what is wrong.
pub fn that(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Finding> {
    if holds { Ok(()) } else { Err(Finding::wrong(otherwise())) }
}

/// A count of the launch (`gld.sec`, `br.div`, ...: see [`counter`]) that must be exactly `want`.
pub fn count(run: &Run, name: &str, want: u64) -> Outcome {
    let got = counter(run.total(), name)?;
    if got == want {
        return Ok(Evidence::new(format!("{name} = {want}")));
    }
    let finding = Finding::wrong(format!("{name}: expected {want}, counted {got}"));
    Err(shown(finding.details(by_line(run, name)?), run, name, got > want))
}

/// The finding with the picture of the request that costs too much; see [`Run::pattern`].
fn shown(finding: Finding, run: &Run, name: &str, too_much: bool) -> Finding {
    match run.pattern(name).filter(|_| too_much) {
        Some(pattern) => finding.pattern(&pattern),
        None => finding,
    }
}

/// A count of the launch that must not exceed `bound`.
pub fn at_most(run: &Run, name: &str, bound: u64) -> Outcome {
    let got = counter(run.total(), name)?;
    if got <= bound {
        return Ok(Evidence::new(format!("{name} = {got}, at most {bound}")));
    }
    let finding = Finding::wrong(format!("{name}: at most {bound}, counted {got}"));
    Err(shown(finding.details(by_line(run, name)?), run, name, true))
}

/// The threads share the work: a request to global memory serves at least two lanes on the average.
/// A thread that does the work of all asks for itself alone.
pub fn shared_work(run: &Run) -> Outcome {
    let c = run.total();
    let requests = c.gld_req + c.gst_req + c.atom_req;
    let lanes = c.gld_lane + c.gst_lane + c.atom_lane;
    if lanes >= 2 * requests {
        return Ok(Evidence::new(format!("{requests} requests serve {lanes} lanes")));
    }
    Err(Finding::wrong(format!(
        "{}: {requests} requests to global memory serve {lanes} threads: one thread does the work \
         of many",
        run.report().kernel
    )))
}

/// A count by its name: that of the field of [`Counters`] with a dot for the underscore.
///
/// # Errors
/// Grader's fault for an unknown name.
pub fn counter(counters: &Counters, name: &str) -> Result<u64, Finding> {
    let fields = counters_by_name(counters);
    fields
        .iter()
        .find(|(own, _)| *own == name)
        .map(|(_, value)| *value)
        .ok_or_else(|| Finding::grader(format!("the check asks for an unknown counter {name}")))
}

/// All counts with their names, in the order in which tables show them.
pub fn counters_by_name(c: &Counters) -> [(&'static str, u64); 26] {
    [
        ("inst", c.inst),
        ("thread.inst", c.thread_inst),
        ("flop", c.flop),
        ("gld.req", c.gld_req),
        ("gld.sec", c.gld_sec),
        ("gld.lane", c.gld_lane),
        ("gld.bytes", c.gld_bytes),
        ("gst.req", c.gst_req),
        ("gst.sec", c.gst_sec),
        ("gst.lane", c.gst_lane),
        ("gst.bytes", c.gst_bytes),
        ("shld.req", c.shld_req),
        ("shld.wf", c.shld_wf),
        ("shst.req", c.shst_req),
        ("shst.wf", c.shst_wf),
        ("cld.req", c.cld_req),
        ("cld.ser", c.cld_ser),
        ("lld.req", c.lld_req),
        ("lst.req", c.lst_req),
        ("br.exec", c.br_exec),
        ("br.div", c.br_div),
        ("bar", c.bar),
        ("atom.req", c.atom_req),
        ("atom.lane", c.atom_lane),
        ("atom.ser", c.atom_ser),
        ("shfl", c.shfl),
    ]
}

fn by_line(run: &Run, name: &str) -> Result<String, Finding> {
    let mut out = String::new();
    for line in &run.report().lines {
        let value = counter(&line.counters, name)?;
        if value > 0 {
            let _ = writeln!(out, "{}:{}: {name} {value}", line.at.file, line.at.line);
        }
    }
    Ok(out)
}

fn same_length(what: &str, got: usize, want: usize) -> Result<(), Finding> {
    that(got == want, || format!("{what}: expected {want} values, got {got}"))
}

fn mismatches(
    what: &str,
    wrong: &[usize],
    total: usize,
    describe: impl Fn(usize) -> String,
) -> Result<(), Finding> {
    let Some(&first) = wrong.first() else { return Ok(()) };
    let mut details = String::new();
    for &i in wrong.iter().take(SHOWN) {
        let _ = writeln!(details, "{what}[{i}]: {}", describe(i));
    }
    if wrong.len() > SHOWN {
        let _ = writeln!(details, "... and {} more", wrong.len() - SHOWN);
    }
    let message =
        format!("{what}[{first}]: {} ({} of {total} are wrong)", describe(first), wrong.len());
    Err(Finding::wrong(message).details(details))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_first_ten_places() {
        let want: Vec<i32> = (0..20).collect();
        let got: Vec<i32> = want.iter().map(|x| if *x < 5 { *x } else { -x }).collect();
        let finding = eq("c", &got, &want).unwrap_err();
        assert_eq!(finding.message, "c[5]: expected 5, got -5 (15 of 20 are wrong)");
        assert_eq!(finding.details.lines().count(), 11);
        assert!(finding.details.ends_with("... and 5 more\n"));
    }

    #[test]
    fn zero_nan_shifted_scaled_and_short_outputs_fail() {
        let want: Vec<f64> = (1..100).map(f64::from).collect();
        let tolerance = |i: usize| want[i] * 1e-6;
        let f32s = |f: &dyn Fn(usize) -> f64| (0..99).map(|i| f(i) as f32).collect::<Vec<f32>>();
        assert!(close("c", &f32s(&|i| want[i]), &want, tolerance).is_ok());
        assert!(close("c", &f32s(&|_| 0.0), &want, tolerance).is_err());
        assert!(close("c", &f32s(&|_| f64::NAN), &want, tolerance).is_err());
        assert!(close("c", &f32s(&|i| want[(i + 1) % 99]), &want, tolerance).is_err());
        assert!(close("c", &f32s(&|i| want[i] * 1.001), &want, tolerance).is_err());
        assert!(close("c", &f32s(&|i| want[i])[..98], &want, tolerance).is_err());
        let one_nan = f32s(&|i| if i == 98 { f64::NAN } else { want[i] });
        let finding = close("c", &one_nan, &want, tolerance).unwrap_err();
        assert!(
            finding.message.starts_with("c[98]: expected 99.0, got NaN"),
            "{}",
            finding.message
        );
    }

    #[test]
    fn equality_is_by_bits() {
        assert!(eq("c", &[f32::NAN], &[f32::NAN]).is_ok());
        assert!(eq("c", &[0.0f32], &[-0.0]).is_err());
    }
}
