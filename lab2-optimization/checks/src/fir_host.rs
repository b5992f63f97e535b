//! FIR-C through the student's host code: what the exercises 2.1.6 to 2.1.10 share.

use grading::{Call, Evidence, Finding, Outcome, Reply, Trial, expect, trace};
use serde_json::Value;
use simt::fault::{Fault, FaultKind};
use wire::Outcome as CallOutcome;

use crate::fir_c::{self, BLOCK, Case, Mistake};

/// The hints of one exercise.
pub struct Hints<'h> {
    /// For a wrong output.
    pub mistake: &'h dyn Fn(Mistake) -> Option<&'static str>,
    /// For a fault of a kernel in the given case.
    pub fault: &'h dyn Fn(&Fault, &Case) -> Option<&'static str>,
    /// For a launch of no block.
    pub no_block: Option<&'static str>,
    /// For a panic.
    pub panic: Option<&'static str>,
    /// For an error of the driver with this code.
    pub code: Option<(&'static str, &'static str)>,
}

/// The request for a case with blocks of `k` threads.
pub fn request(case: &Case, k: usize) -> Value {
    let mut request = case.request();
    request["k"] = k.into();
    request
}

/// Hint that `finding` deserves, if there is one.
fn hinted(finding: Finding, hint: Option<&'static str>) -> Finding {
    match hint {
        Some(hint) => Finding { hint: None, ..finding }.hint(hint),
        None => finding,
    }
}

/// What can be said about a reply before its numbers are looked at.
///
/// # Errors
/// Refused launches, faults, errors, panics, no launch where there is work, a launch where there is
/// none.
pub fn sound(reply: &Reply, case: &Case, hints: &Hints<'_>) -> Result<(), Finding> {
    let about = |f: Finding| Finding { message: format!("{} ({})", f.message, case.title()), ..f };
    if let Some(refused) = reply.api.iter().find(|c| c.name == "cuLaunchKernel" && !c.ok()) {
        let grid = refused.launch.as_ref().map_or([0; 3], |l| l.grid);
        let finding =
            Finding::wrong(format!("a launch with grid {grid:?}: {}", refused.result_name));
        if case.len == 0 {
            return Err(about(finding.hint("C6")));
        }
        if grid.contains(&0) && hints.no_block.is_some() {
            return Err(about(hinted(finding, hints.no_block)));
        }
        if matches!(reply.outcome, CallOutcome::Ok(_)) {
            let text = format!("a launch returned {} and was ignored", refused.result_name);
            return Err(about(Finding::wrong(text).hint("C3")));
        }
    }
    if let Some(fault) = reply.faults.first() {
        // Never the driver's tidying: a leak says nothing about the result.
        if fault.kind != FaultKind::Leak {
            let hint = (hints.fault)(fault, case);
            return Err(about(hinted(Finding::fault(fault.clone()), hint)));
        }
    }
    if let Err(finding) = grading::host::value(reply) {
        let hint = match &reply.outcome {
            CallOutcome::Panic { .. } => hints.panic,
            CallOutcome::Err { code, .. } => {
                hints.code.filter(|(of, _)| of == code).map(|(_, hint)| hint)
            }
            _ => None,
        };
        return Err(about(hinted(finding, hint)));
    }
    if case.len == 0 {
        return expect::that(trace::launches(reply).is_empty(), || {
            "n = 0 samples: a kernel was launched".into()
        })
        .map_err(|f| f.hint("C6"));
    }
    trace::launched(reply)
}

/// Runs the cases through the handler `name`, all in one child.
///
/// # Errors
/// As [`sound`]; wrong outputs.
pub fn run(t: &Trial, name: &str, cases: &[Case], hints: &Hints<'_>) -> Outcome {
    let calls: Vec<Call> = cases.iter().map(|c| Call::new(name, &request(c, BLOCK))).collect();
    let replies = t.host(&calls)?;
    for (case, reply) in cases.iter().zip(&replies) {
        sound(reply, case, hints)?;
        case.verify_reply(reply, |m| (hints.mistake)(m))?;
    }
    Ok(Evidence::new(format!(
        "{} signals: every output within rounding, NaN where it must be",
        cases.len()
    )))
}

/// All cases of FIR-C.
///
/// # Errors
/// As [`run`].
pub fn fir_c(t: &Trial, name: &str, hints: &Hints<'_>) -> Outcome {
    run(t, name, &fir_c::cases(&mut t.rng()), hints)
}

/// Index of the output that a faulting thread computes.
pub fn output_of(fault: &Fault, k: usize) -> Option<usize> {
    let site = fault.site.as_ref()?;
    Some(site.block[0] as usize * k + site.thread[0] as usize)
}

/// Name and index of what a fault touched.
pub fn target(fault: &Fault) -> (&str, i64) {
    fault.target.as_ref().map_or(("", 0), |t| (t.name.as_str(), t.index))
}
