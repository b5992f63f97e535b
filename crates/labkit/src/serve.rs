//! The child side of a host check: runs the lab's functions as a judge asks, and writes down what happened.
//!
//! The judge starts `labN-host REQUEST.json REPLIES.jsonl`. Each call of the request runs for itself: its panic, its
//! error, its driver calls and launches are told in its own line of the response, which is written before the next call
//! begins. What the lab prints stays on standard output.

use std::any::Any;
use std::fs::File;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use cuda_driver::wire::{Call, Outcome, Reply};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Backend, LabError, backend};

/// One function that a judge may ask for: JSON in, JSON out.
pub type Handler = fn(&Value) -> Result<Value, LabError>;

/// Serves the request that the command line names. The `main` of `labN-host`.
pub fn run(handlers: Vec<(&'static str, Handler)>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match files(&arguments).and_then(|(request, response)| serve(&handlers, &request, &response)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// The arguments of a request as the type that the handler wants.
///
/// # Errors
/// Names what does not fit: a mistake of the check.
pub fn args<T: DeserializeOwned>(args: &Value) -> Result<T, LabError> {
    serde_json::from_value(args.clone())
        .map_err(|e| LabError::msg(format!("the judge's request does not fit the handler: {e}")))
}

/// Bit patterns of `f32` values.
pub fn bits32(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// `f32` values from bit patterns.
pub fn from_bits32(bits: &[u32]) -> Vec<f32> {
    bits.iter().map(|b| f32::from_bits(*b)).collect()
}

/// Bit patterns of `f64` values.
pub fn bits64(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// `f64` values from bit patterns.
pub fn from_bits64(bits: &[u64]) -> Vec<f64> {
    bits.iter().map(|b| f64::from_bits(*b)).collect()
}

fn files(arguments: &[String]) -> Result<(PathBuf, PathBuf), LabError> {
    match arguments {
        [request, response] => Ok((request.into(), response.into())),
        _ => Err(LabError::msg("usage: REQUEST.json REPLIES.jsonl (a judge starts this program)")),
    }
}

/// Runs the calls in the file `request` and writes a line for each to the file `response`.
///
/// # Errors
/// A file that cannot be read or written, or a request that is not a list of calls.
pub fn serve(
    handlers: &[(&'static str, Handler)],
    request: &Path,
    response: &Path,
) -> Result<(), LabError> {
    let named =
        |path: &Path, e: &dyn std::fmt::Display| LabError::msg(format!("{}: {e}", path.display()));
    let text = std::fs::read_to_string(request).map_err(|e| named(request, &e))?;
    let calls: Vec<Call> = serde_json::from_str(&text).map_err(|e| named(request, &e))?;
    let mut out = File::create(response).map_err(|e| named(response, &e))?;
    std::panic::set_hook(Box::new(|info| {
        let at = info.location().map(ToString::to_string).unwrap_or_default();
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }));
    for call in &calls {
        let reply = answer(handlers, call);
        let mut line = serde_json::to_string(&reply).map_err(|e| named(response, &e))?;
        line.push('\n');
        out.write_all(line.as_bytes())
            .and_then(|()| out.flush())
            .map_err(|e| named(response, &e))?;
    }
    let _ = std::panic::take_hook();
    Ok(())
}

/// Where the last panic happened.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

fn answer(handlers: &[(&'static str, Handler)], call: &Call) -> Reply {
    let _ = cuda_driver::take_api_log();
    let _ = cuda_driver::take_reports();
    let _ = cuda_driver::take_faults();
    let start = Instant::now();
    let outcome = match handlers.iter().find(|(name, _)| *name == call.call) {
        None => Outcome::Unknown,
        Some((_, handler)) => match catch_unwind(AssertUnwindSafe(|| handler(&call.args))) {
            Ok(Ok(value)) => Outcome::Ok(value),
            Ok(Err(error)) => Outcome::Err {
                message: error.to_string(),
                report: error.report(),
                code: error.code_name().into(),
            },
            Err(panic) => Outcome::Panic {
                message: panic_text(panic.as_ref()),
                at: LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            },
        },
    };
    let wall_ms = start.elapsed().as_secs_f64() * 1e3;
    let (api, api_dropped) = cuda_driver::take_api_log_and_dropped();
    let reply = Reply {
        call: call.call.clone(),
        outcome,
        backend: backend().name().into(),
        api,
        api_dropped,
        launches: cuda_driver::take_reports(),
        faults: cuda_driver::take_faults(),
        wall_ms,
    };
    fresh_device();
    reply
}

/// A context that a call left behind, spoilt or full, is no concern of the next call.
fn fresh_device() {
    if backend() == Backend::Emulated
        && cust::init(cust::CudaFlags::empty()).is_ok()
        && let Ok(device) = cust::device::Device::get_device(0)
    {
        // SAFETY: the handler has returned; what it may have leaked is not used again. A failure would show in the next
        // call by itself.
        let _ = unsafe { cust::context::Context::reset(&device) };
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
        .unwrap_or_else(|| "a panic without text".into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn handlers() -> Vec<(&'static str, Handler)> {
        vec![
            ("t.double", |args| {
                let n = args["n"].as_i64().ok_or_else(|| LabError::msg("n is missing"))?;
                Ok(json!({ "twice": 2 * n }))
            }),
            ("t.panic", |_| panic!("on purpose: {}", 7)),
        ]
    }

    #[test]
    fn each_call_has_its_own_line_and_outcome() {
        let dir = std::env::temp_dir();
        let file = |name: &str| dir.join(format!("labkit-serve-{}-{name}", std::process::id()));
        let (request, response) = (file("request.json"), file("response.json"));
        let calls = json!([
            { "call": "t.double", "args": { "n": 21 } },
            { "call": "t.panic" },
            { "call": "t.double", "args": {} },
            { "call": "t.nothing" },
        ]);
        std::fs::write(&request, calls.to_string()).unwrap();
        serve(&handlers(), &request, &response).unwrap();
        let text = std::fs::read_to_string(&response).unwrap();
        let replies: Vec<Reply> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        std::fs::remove_file(&request).unwrap();
        std::fs::remove_file(&response).unwrap();
        assert_eq!(replies.len(), 4);
        assert_eq!(replies[0].outcome, Outcome::Ok(json!({ "twice": 42 })));
        let Outcome::Panic { message, at } = &replies[1].outcome else { panic!("{replies:?}") };
        assert_eq!(message, "on purpose: 7");
        assert!(at.contains("serve.rs:"), "{at}");
        let Outcome::Err { message, .. } = &replies[2].outcome else { panic!("{replies:?}") };
        assert_eq!(message, "n is missing");
        assert_eq!(replies[3].outcome, Outcome::Unknown);
    }

    #[test]
    fn the_command_line_is_checked() {
        let list = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        assert!(files(&list(&["a", "b"])).is_ok());
        assert!(files(&list(&["a"])).is_err());
    }
}
