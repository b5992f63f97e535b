//! Reading the trace of driver calls that a host program leaves, and the values that it answers.

use crate::{Class, Finding, Reply};
use serde::de::DeserializeOwned;
use wire::{ApiCall, LaunchCall};

/// Calls of a driver function, in order.
pub fn calls<'a>(api: &'a [ApiCall], name: &str) -> Vec<&'a ApiCall> {
    // Asynchronous and pooled variants do the same job.
    let is = |call: &&ApiCall| call.name == name || call.name.strip_suffix("Async") == Some(name);
    api.iter().filter(is).collect()
}

/// Bytes moved by the calls of a driver function.
pub fn bytes(api: &[ApiCall], name: &str) -> u64 {
    calls(api, name).iter().filter_map(|c| c.bytes).sum()
}

/// Launches that the driver was asked for, refused ones included.
pub fn launches(reply: &Reply) -> Vec<&LaunchCall> {
    reply.api.iter().filter_map(|c| c.launch.as_ref()).collect()
}

/// The handler's value as the type that the check expects.
///
/// # Errors
/// What the student's function did wrong; for a value of another shape grader's fault, but a crash
/// where only a forged reply can have it: the handlers are given.
pub fn value<T: DeserializeOwned>(reply: &Reply) -> Result<T, Finding> {
    let value = crate::host::value(reply)?;
    serde_json::from_value(value.clone()).map_err(|e| {
        let text = format!("{}: unexpected reply: {e}", reply.call);
        match reply.origin {
            Some(_) => Finding::new(Class::Crash, text),
            None => Finding::grader(text),
        }
    })
}

/// The handler's value as a list of `count` answers, one for each question.
///
/// # Errors
/// As [`value`]; for another number of answers a crash: the handlers are given, so only a forged
/// reply can have it.
pub fn list<T: DeserializeOwned>(reply: &Reply, count: usize) -> Result<Vec<T>, Finding> {
    let list: Vec<T> = value(reply)?;
    counted(reply, list, count)
}

/// A list of `count` answers, one for each question.
///
/// # Errors
/// As [`list`], for another number of answers.
pub fn counted<T>(reply: &Reply, list: Vec<T>, count: usize) -> Result<Vec<T>, Finding> {
    if list.len() == count {
        return Ok(list);
    }
    let text = format!("{}: {} answers to {count} questions", reply.call, list.len());
    Err(Finding::new(Class::Crash, text))
}

/// A result that no launch has computed is refused.
///
/// # Errors
/// Hint C8, if nothing was launched.
pub fn launched(reply: &Reply) -> Result<(), Finding> {
    if launches(reply).is_empty() {
        let text = format!("{}: no kernel was launched", reply.call);
        return Err(Finding::wrong(text).hint("C8"));
    }
    Ok(())
}
