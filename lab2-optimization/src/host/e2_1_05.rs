//! Handlers of exercise 2.1.5: running the CPU filter on audio.

use std::cell::RefCell;
use std::time::Duration;

use labkit::LabError;
use labkit::meeting::{Meeting, Met};
use serde_json::{Value, json};

use super::{FirRequest, args, bits32};
use crate::fir::{Chunk, FirData};

/// Handlers of exercise 2.1.5 over a module with its functions.
#[macro_export]
macro_rules! handlers_e2_1_05 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e2_1_05 as host;
        // A copy of the exercise has a type of its own.
        fn measure(
            runs: usize,
            now: &mut dyn FnMut() -> std::time::Duration,
            read: &mut dyn FnMut() -> Result<$crate::fir::FirData, labkit::LabError>,
            filter: &mut dyn FnMut(&mut [f32], &$crate::fir::FirData),
        ) -> Result<(std::time::Duration, f64), labkit::LabError> {
            let measured = exercise::measure(runs, now, read, filter)?;
            Ok((measured.best, measured.err))
        }
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e2_1_05.par", |args| host::par(exercise::audiofir_par, &exercise::chunk, args)),
            ("e2_1_05.measure", |args| host::measure(measure, args)),
        ];
        list
    }};
}

/// The student's filter: `(yout, yin, coeff, len, chunk)`.
type Parallel = fn(&mut [f32], &[f32], &[f32], usize, &Chunk<'_>);

/// `{"len", "coeff", "yin", "threads": 3, "meet": 3}` -> `{"yout": bits of 2 * len outputs,
/// "together": threads that were in a chunk at the same time, "seen": threads that were in one}`,
/// by a pool of so many threads; the first chunks wait until `meet` threads are in one.
pub fn par(f: Parallel, chunk: &Chunk<'_>, request: &Value) -> Result<Value, LabError> {
    let fir: FirRequest = args(request)?;
    let (threads, meet): (usize, usize) = (args(&request["threads"])?, args(&request["meet"])?);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| LabError::msg(format!("{threads} threads: {e}")))?;
    let mut yout = fir.dirty_output();
    let meeting = Meeting::of(meet);
    let watched = |yout: &mut [f32], yin: &[f32], coeff: &[f32], first: usize| {
        meeting.enter();
        chunk(yout, yin, coeff, first);
    };
    pool.install(|| f(&mut yout, &fir.yin(), &fir.coeff(), fir.len, &watched));
    let Met { together, seen } = meeting.met();
    Ok(json!({ "yout": bits32(&yout), "together": together, "seen": seen }))
}

type Measure = fn(
    usize,
    &mut dyn FnMut() -> Duration,
    &mut dyn FnMut() -> Result<FirData, LabError>,
    &mut dyn FnMut(&mut [f32], &FirData),
) -> Result<(Duration, f64), LabError>;

/// `{"ms": [5, 3, 9], "fail": false}`: measures a filter whose run k takes so long on a clock of
/// its own, and whose output is off by 0.25; reading takes 1000 ms, or fails ->
/// `{"best_ms", "err", "log": ["read", "now", "filter", ..]}`.
pub fn measure(f: Measure, request: &Value) -> Result<Value, LabError> {
    let (ms, fail): (Vec<u64>, bool) = (args(&request["ms"])?, args(&request["fail"])?);
    let clock = RefCell::new(Duration::ZERO);
    let log = RefCell::new(Vec::new());
    let mut run = 0;
    let (best, err) = f(
        ms.len(),
        &mut || {
            log.borrow_mut().push("now");
            *clock.borrow()
        },
        &mut || {
            log.borrow_mut().push("read");
            *clock.borrow_mut() += Duration::from_secs(1);
            if fail {
                return Err(LabError::msg("the file cannot be read"));
            }
            let yin = vec![1.0, 2.0, 3.0, 4.0];
            Ok(FirData { coeff: vec![1.0], len: 2, yref: yin.clone(), yin })
        },
        &mut |yout, data| {
            log.borrow_mut().push("filter");
            *clock.borrow_mut() += Duration::from_millis(ms.get(run).copied().unwrap_or(1));
            run += 1;
            yout.copy_from_slice(&data.yin);
            yout[2] += 0.25;
        },
    )?;
    Ok(json!({ "best_ms": best.as_secs_f64() * 1e3, "err": err, "log": *log.borrow() }))
}
