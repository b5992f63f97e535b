//! The child side of a host check: runs the lab's functions as a judge asks, and writes down what
//! happened.
//!
//! The judge starts `labN-host` with a [`channel`] to its own device, on which it says what calls
//! to make and gets what they return. Without one, `labN-host REQUEST.json REPLIES.jsonl` does the
//! same with its own device, and tells in each reply what that saw. Each call runs for itself: its
//! panic and its error are its own, and its reply is there before the next begins. What the lab
//! prints stays on standard output.

use std::any::Any;
use std::fs::File;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde_json::Value;
use simt::fault::Fault;
use simt::report::LaunchReport;

use crate::channel::{self, Client, Frame, Kind};
use crate::{ApiCall, Call, Outcome, Reply};

/// Why a handler has no value to return.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failed {
    /// One line.
    pub message: String,
    /// All that is known: source lines of a fault, compiler messages; the line again if it says
    /// all.
    pub report: String,
    /// `CUDA_ERROR_...` if the driver refused something, else empty.
    pub code: String,
}

impl Failed {
    /// A failure of one line.
    pub fn msg(text: impl Into<String>) -> Failed {
        let message = text.into();
        Failed { report: message.clone(), message, code: String::new() }
    }
}

/// One function that a judge may ask for: JSON in, JSON out. `E` is the error type of the lab's own
/// functions.
pub type Handler<E = Failed> = fn(&Value) -> Result<Value, E>;

type Erased = Box<dyn Fn(&Value) -> Result<Value, Failed>>;

/// The functions of a host program by name. Of two with one name the first is called.
#[derive(Default)]
pub struct Handlers(Vec<(&'static str, Erased)>);

impl Handlers {
    /// Adds handlers behind those that are there.
    pub fn add<E: Into<Failed> + 'static>(&mut self, list: Vec<(&'static str, Handler<E>)>) {
        let erased = |(name, handler): (&'static str, Handler<E>)| -> (&'static str, Erased) {
            (name, Box::new(move |args| handler(args).map_err(Into::into)))
        };
        self.0.extend(list.into_iter().map(erased));
    }

    fn find(&self, name: &str) -> Option<&Erased> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, handler)| handler)
    }
}

impl<E: Into<Failed> + 'static> From<Vec<(&'static str, Handler<E>)>> for Handlers {
    fn from(list: Vec<(&'static str, Handler<E>)>) -> Handlers {
        let mut handlers = Handlers::default();
        handlers.add(list);
        handlers
    }
}

/// What the device saw while a handler ran.
#[derive(Debug, Default)]
pub struct Seen {
    /// Driver calls in the order in which they were made.
    pub calls: Vec<ApiCall>,
    /// Older driver calls that were not kept.
    pub dropped: u64,
    /// Launches that ran to their end.
    pub launches: Vec<LaunchReport>,
    /// Faults and findings.
    pub faults: Vec<Fault>,
}

/// The device that handlers use, as far as a judge must know of it.
pub trait Device {
    /// Back end: `emulated` or `cuda`.
    fn backend(&self) -> &'static str;
    /// Takes what was seen since the last time this was asked.
    fn take(&self) -> Seen;
    /// Forgets contexts, spoilt or full, that a call left behind: they are no concern of the next
    /// call.
    fn renew(&self);
}

/// For host programs that use no device.
#[derive(Clone, Copy, Debug)]
pub struct NoDevice;

impl Device for NoDevice {
    fn backend(&self) -> &'static str {
        "emulated"
    }

    fn take(&self) -> Seen {
        Seen::default()
    }

    fn renew(&self) {}
}

/// Serves the judge's device at the other end of the channel, or the request that the command line
/// names. The `main` of `labN-host`.
pub fn run(handlers: impl Into<Handlers>, device: &dyn Device) -> ExitCode {
    let handlers = handlers.into();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match channel::client() {
        Some(client) => converse(&handlers, device, client),
        None => files(&arguments)
            .and_then(|(request, response)| serve(&handlers, device, &request, &response)),
    };
    match done {
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
pub fn args<T: DeserializeOwned>(args: &Value) -> Result<T, Failed> {
    serde_json::from_value(args.clone())
        .map_err(|e| Failed::msg(format!("the judge's request does not fit the handler: {e}")))
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

fn files(arguments: &[String]) -> Result<(PathBuf, PathBuf), String> {
    match arguments {
        [request, response] => Ok((request.into(), response.into())),
        _ => Err("usage: REQUEST.json REPLIES.jsonl (a judge starts this program)".into()),
    }
}

/// Runs the calls in the file `request` and writes a line for each to the file `response`.
///
/// # Errors
/// A file that cannot be read or written, or a request that is not a list of calls.
pub fn serve(
    handlers: &Handlers,
    device: &dyn Device,
    request: &Path,
    response: &Path,
) -> Result<(), String> {
    let named = |path: &Path, e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let text = std::fs::read_to_string(request).map_err(|e| named(request, &e))?;
    let calls: Vec<Call> = serde_json::from_str(&text).map_err(|e| named(request, &e))?;
    let mut out = File::create(response).map_err(|e| named(response, &e))?;
    note_panics();
    for call in &calls {
        let reply = answer(handlers, device, call);
        let mut line = serde_json::to_string(&reply).map_err(|e| named(response, &e))?;
        line.push('\n');
        out.write_all(line.as_bytes())
            .and_then(|()| out.flush())
            .map_err(|e| named(response, &e))?;
    }
    let _ = std::panic::take_hook();
    Ok(())
}

/// Asks the judge's device for calls, and tells it how they ended, until there are no more.
fn converse(handlers: &Handlers, device: &dyn Device, client: &Client) -> Result<(), String> {
    let gone = |e: std::io::Error| format!("the judge's device: {e}");
    note_panics();
    loop {
        let next = client.ask::<Vec<u8>>(&Frame::new(Kind::Next, "")).map_err(gone)?;
        let Some(call) = next.blobs.first() else { break };
        let call: Call = serde_json::from_slice(call).map_err(|e| format!("the request: {e}"))?;
        let (outcome, wall_ms) = attempt(handlers, &call);
        let mut ended = Frame::new(Kind::Ended, "");
        ended.words.push((wall_ms * 1e3) as u64);
        ended.blobs.push(serde_json::to_vec(&outcome).map_err(|e| format!("the reply: {e}"))?);
        client.ask(&ended).map_err(gone)?;
        device.renew();
    }
    let _ = std::panic::take_hook();
    Ok(())
}

fn note_panics() {
    std::panic::set_hook(Box::new(|info| {
        let at = info.location().map(ToString::to_string).unwrap_or_default();
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }));
}

/// Where the last panic happened.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

fn answer(handlers: &Handlers, device: &dyn Device, call: &Call) -> Reply {
    let _ = device.take();
    let (outcome, wall_ms) = attempt(handlers, call);
    let Seen { calls, dropped, launches, faults } = device.take();
    let reply = Reply {
        call: call.call.clone(),
        outcome,
        backend: device.backend().into(),
        api: calls,
        api_dropped: dropped,
        launches,
        faults,
        wall_ms,
        origin: None,
    };
    device.renew();
    reply
}

/// How the call ended, and the milliseconds that it took.
fn attempt(handlers: &Handlers, call: &Call) -> (Outcome, f64) {
    let start = Instant::now();
    let outcome = match handlers.find(&call.call) {
        None => Outcome::Unknown,
        Some(handler) => match catch_unwind(AssertUnwindSafe(|| handler(&call.args))) {
            Ok(Ok(value)) => Outcome::Ok(value),
            Ok(Err(Failed { message, report, code })) => Outcome::Err { message, report, code },
            Err(panic) => Outcome::Panic {
                message: panic_text(panic.as_ref()),
                at: LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            },
        },
    };
    (outcome, start.elapsed().as_secs_f64() * 1e3)
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
                let n = args["n"].as_i64().ok_or_else(|| Failed::msg("n is missing"))?;
                Ok(json!({ "twice": 2 * n }))
            }),
            ("t.panic", |_| panic!("on purpose: {}", 7)),
        ]
    }

    #[test]
    fn each_call_has_its_own_line_and_outcome() {
        let dir = std::env::temp_dir();
        let file = |name: &str| dir.join(format!("wire-serve-{}-{name}", std::process::id()));
        let (request, response) = (file("request.json"), file("response.json"));
        let calls = json!([
            { "call": "t.double", "args": { "n": 21 } },
            { "call": "t.panic" },
            { "call": "t.double", "args": {} },
            { "call": "t.nothing" },
        ]);
        std::fs::write(&request, calls.to_string()).unwrap();
        serve(&handlers().into(), &NoDevice, &request, &response).unwrap();
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
