//! What the judge looks at first in a reply of code that uses the device.

use grading::{Finding, Reply, trace};
use serde::de::DeserializeOwned;
use simt::fault::{Fault, FaultKind};
use wire::{ApiCall, Outcome};

/// The value of a reply, if no kernel faulted and no refused call was ignored. `on` names the hint
/// that a fault deserves.
///
/// # Errors
/// The fault; a launch or a call of a library that was refused and ignored (C3; C6 for a grid of no
/// blocks); the student's error.
pub fn value<T: DeserializeOwned>(
    reply: &Reply,
    on: impl Fn(&Fault) -> Option<&'static str>,
) -> Result<T, Finding> {
    if let Some(fault) = reply.faults.iter().find(|f| f.kind != FaultKind::Leak) {
        let finding = Finding::fault(fault.clone());
        return Err(match on(fault) {
            Some(hint) => Finding { hint: None, ..finding }.hint(hint),
            None => finding,
        });
    }
    if let Some(refused) = reply.api.iter().find(|c| !c.ok()) {
        let empty = refused.launch.as_ref().is_some_and(|l| l.grid.contains(&0));
        let text = format!("{}: {} returned {}", reply.call, refused.name, refused.result_name);
        if empty {
            return Err(Finding::wrong(text).hint("C6"));
        }
        if matches!(reply.outcome, Outcome::Ok(_)) {
            return Err(Finding::wrong(format!("{text}, which was ignored")).hint("C3"));
        }
    }
    trace::value(reply)
}

/// As [`value`], for code whose faults deserve no hint of their own.
///
/// # Errors
/// As [`value`].
pub fn plain<T: DeserializeOwned>(reply: &Reply) -> Result<T, Finding> {
    value(reply, |_| None)
}

/// Calls of a library function in the log.
pub fn calls(reply: &Reply, name: &str) -> usize {
    reply.api.iter().filter(|c| c.name == name).count()
}

/// Where in the log the calls of a function stand.
pub fn positions(reply: &Reply, name: &str) -> Vec<usize> {
    let is = |(i, c): (usize, &ApiCall)| (c.name == name).then_some(i);
    reply.api.iter().enumerate().filter_map(is).collect()
}

/// True if `got` is within `tolerance` of `want`; NaN never is.
pub fn within(got: f64, want: f64, tolerance: f64) -> bool {
    (got - want).abs() <= tolerance
}

/// Values from their bits.
pub fn f64s(bits: &[u64]) -> Vec<f64> {
    bits.iter().map(|b| f64::from_bits(*b)).collect()
}

/// Values from their bits.
pub fn f32s(bits: &[u32]) -> Vec<f32> {
    bits.iter().map(|b| f32::from_bits(*b)).collect()
}

/// Bits of values.
pub fn bits32(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Bits of values.
pub fn bits64(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}
