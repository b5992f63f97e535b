//! Handlers of exercise 3.3.2: EP on the CPU.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex};
use std::thread::{ThreadId, current};
use std::time::Duration;

use labkit::LabError;
use serde_json::{Value, json};

use super::{args, bits64};
use crate::ep::EpResult;

/// Handlers of exercise 3.3.2 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_3_02 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_3_02.batch", |args| $crate::host::e3_3_02::batch(exercise::batch, args)),
            ("e3_3_02.ep_cpu", |args| {
                $crate::host::e3_3_02::ep_cpu(exercise::ep_cpu, &exercise::batch, args)
            }),
            ("e3_3_02.together", |args| {
                $crate::host::e3_3_02::together(exercise::ep_cpu, exercise::batch, args)
            }),
        ];
        list
    }};
}

/// Counts, and the bits of both sums.
pub fn plain(result: &EpResult) -> Value {
    json!({ "q": result.q, "sums": bits64(&[result.sx, result.sy]) })
}

/// A batch by its size and number.
type Batch<'a> = &'a (dyn Fn(u32, u64) -> EpResult + Sync);
/// The student's benchmark.
type EpCpu = fn(u32, u32, usize, Batch<'_>) -> Result<EpResult, LabError>;

/// `[m, mk, threads]` -> `{"q", "sums": bits}`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn ep_cpu(f: EpCpu, batch: Batch<'_>, request: &Value) -> Result<Value, LabError> {
    let [m, mk, threads] = args::<[u32; 3]>(request)?;
    Ok(plain(&f(m, mk, threads as usize, batch)?))
}

/// How long a batch waits for the others. Only who has too few threads waits so long.
const PATIENCE: Duration = Duration::from_secs(10);

/// Who is in a batch: each waits at its begin until so many are in one as there should be threads.
#[derive(Default)]
struct Meeting {
    waiting: usize,
    /// All have met, or one has waited in vain: from now on nobody waits.
    over: bool,
    seen: HashSet<ThreadId>,
    most: usize,
}

/// `[m, mk, threads]` -> `{"result": as of `ep_cpu`, "together": batches that were under way at the
/// same time, "seen": threads that ran any}`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn together(
    f: EpCpu,
    batch: fn(u32, u64) -> EpResult,
    request: &Value,
) -> Result<Value, LabError> {
    let [m, mk, threads] = args::<[u32; 3]>(request)?;
    let (meeting, changed) = (Mutex::new(Meeting::default()), Condvar::new());
    let watched = |mk, kk| {
        let mut now = meeting.lock().expect("no batch panics while it waits");
        now.seen.insert(current().id());
        now.waiting += 1;
        now.most = now.most.max(now.waiting);
        if now.waiting >= threads as usize {
            now.over = true;
            changed.notify_all();
        }
        let waited = changed.wait_timeout_while(now, PATIENCE, |now| !now.over);
        let (mut now, _) = waited.expect("no batch panics while it waits");
        now.over = true;
        changed.notify_all();
        now.waiting -= 1;
        drop(now);
        batch(mk, kk)
    };
    let result = plain(&f(m, mk, threads as usize, &watched)?);
    let meeting = meeting.into_inner().expect("no batch panics while it waits");
    Ok(json!({ "result": result, "together": meeting.most, "seen": meeting.seen.len() }))
}

/// `[mk, kk]` -> `{"q", "sums": bits}`.
///
/// # Errors
/// A bad request.
pub fn batch(f: fn(u32, u64) -> EpResult, request: &Value) -> Result<Value, LabError> {
    let (mk, kk) = args::<(u32, u64)>(request)?;
    Ok(plain(&f(mk, kk)))
}
