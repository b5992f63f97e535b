//! Handlers of exercise 1.1.5: gross time.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use labkit::{Lab, LabError};
use serde_json::{Value, json};

use super::args;
use crate::clock;

/// Handlers of exercise 1.1.5 over a module with its functions.
#[macro_export]
macro_rules! handlers_e1_1_05 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e1_1_05.best_of", |args| {
                $crate::host::e1_1_05::best_of(|runs, f| exercise::best_of(runs, f), args)
            }),
            ("e1_1_05.gross_time", |args| {
                $crate::host::e1_1_05::gross_time(exercise::gross_time, args)
            }),
        ];
        list
    }};
}

/// What `best_of` is given to time.
pub type Timed<'a> = &'a mut dyn FnMut() -> Result<(), LabError>;

/// `{"elapsed_ms": [5, 3, 9], "runs": 3, "fail_at": null}` ->
/// `{"best_ms": 3, "error": null, "calls": 3}` on a clock that call k of the closure moves by
/// `elapsed_ms[k]`, and nothing else does.
pub fn best_of(
    best_of: impl Fn(usize, Timed<'_>) -> Result<Duration, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let elapsed_ms: Vec<u64> = args(&request["elapsed_ms"])?;
    let runs = args(&request["runs"])?;
    let fail_at: Option<usize> = args(&request["fail_at"])?;
    let time = Rc::new(Cell::new(Duration::ZERO));
    let mut calls = 0;
    let mut f = || {
        let k = calls;
        calls += 1;
        let ms = elapsed_ms.get(k).or(elapsed_ms.last()).copied().unwrap_or(0);
        time.set(time.get() + Duration::from_millis(ms));
        if Some(k) == fail_at { Err(LabError::msg(format!("run {k} failed"))) } else { Ok(()) }
    };
    let reading = Rc::clone(&time);
    let best = clock::with(move || reading.get(), || best_of(runs, &mut f));
    let (best_ms, error) = match best {
        Ok(best) => (Some(best.as_secs_f64() * 1e3), None),
        Err(error) => (None, Some(error.to_string())),
    };
    Ok(json!({ "best_ms": best_ms, "error": error, "calls": calls }))
}

/// `{"n": 2000, "runs": 1}` -> the driver calls before, between and after the readings of the
/// clock, a list each.
pub fn gross_time(
    gross_time: fn(&Lab, usize, usize) -> Result<Duration, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let lab = Lab::new()?;
    let parts = Rc::new(RefCell::new(Vec::new()));
    lab.take_api_log();
    let cut = Rc::clone(&parts);
    let reading = move || {
        cut.borrow_mut().push(emulation::calls::take().0);
        Duration::from_millis(cut.borrow().len() as u64)
    };
    let (n, runs) = (args(&request["n"])?, args(&request["runs"])?);
    clock::with(reading, || gross_time(&lab, n, runs))?;
    let mut parts = parts.take();
    parts.push(lab.take_api_log());
    Ok(json!(parts))
}
