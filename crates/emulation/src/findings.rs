//! What the emulated device tells beside result codes: launch reports, faults, and findings of the
//! driver itself.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use simt::fault::{Fault, FaultKind, Target};
use simt::report::LaunchReport;

use crate::calls::taken;
use crate::{telling, trace};

/// Launch reports that are kept; the oldest go first.
const REPORTS: usize = 1 << 14;
/// Faults and findings that are kept; the first ones say most.
const FAULTS: usize = 1 << 10;

#[derive(Default)]
struct Findings {
    reports: VecDeque<LaunchReport>,
    faults: Vec<Fault>,
}

static FINDINGS: Mutex<Findings> =
    Mutex::new(Findings { reports: VecDeque::new(), faults: Vec::new() });

fn lock() -> MutexGuard<'static, Findings> {
    FINDINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reports of the launches that ended well since the last time this was asked; empty on a real
/// device.
pub fn take_reports() -> Vec<LaunchReport> {
    if let Some(json) = taken("reports") {
        return serde_json::from_slice(&json).unwrap_or_default();
    }
    std::mem::take(&mut lock().reports).into()
}

/// Faults of kernels and findings of the driver since the last time this was asked; empty on a real
/// device.
///
/// Findings are what the driver API has no result code for: never-written memory that is copied to
/// the host (`UNINIT`), streams that touch the same memory in no order (`RACE-G`), memory that is
/// freed twice (`FREE`) or never (`LEAK`).
pub fn take_faults() -> Vec<Fault> {
    if let Some(json) = taken("faults") {
        return serde_json::from_slice(&json).unwrap_or_default();
    }
    std::mem::take(&mut lock().faults)
}

/// Keeps the report of a launch that ended well.
pub fn add_report(report: LaunchReport) {
    trace::note_report(&report);
    let mut findings = lock();
    if findings.reports.len() == REPORTS {
        findings.reports.pop_front();
    }
    findings.reports.push_back(report);
}

/// Keeps a fault of a kernel.
pub fn add_fault(fault: Fault) {
    let mut findings = lock();
    if findings.faults.len() < FAULTS && !findings.faults.contains(&fault) {
        trace::note_fault(&fault);
        telling::found(&fault.render());
        findings.faults.push(fault);
    }
}

/// A finding of the driver: `call` is the function in which it was noticed.
pub fn add_finding(kind: FaultKind, call: &str, message: String, target: Option<Target>) {
    add_fault(Fault {
        kind,
        kernel: call.into(),
        message,
        site: None,
        other: None,
        target,
        threads: 1,
        also: Vec::new(),
    });
}
