//! Questions about kernels and exercises, answered in JSON.
//!
//! One protocol serves two homes: `crates/web-engine` puts it behind a page's worker, compiled to
//! WebAssembly, and `cargo lab serve` behind a local web server. [`Workbench::answer`] takes a text
//! and gives a text; it opens no file, starts no process and no thread of its own.
//!
//! A request is an object whose `op` names the question:
//!
//! | `op` | asks | module |
//! |---|---|---|
//! | `gpus` | which GPUs are known | [`run`] |
//! | `check` | what the compiler says of a program, and its kernels | [`check`] |
//! | `run` | what a launch computes, counts, or runs into | [`run`] |
//! | `steps` | at which statements the warps of a launch stop | [`steps`] |
//! | `look` | what can be seen at one of these stops | [`steps`] |
//! | `grade` | whether files solve an exercise | [`exercise`] |
//!
//! A request that makes no sense is answered with `{"error": ".."}`. Designs of hardware have
//! questions of their own, in [`hardware`].
#![forbid(unsafe_code)]

pub mod args;
pub mod check;
pub mod exercise;
pub mod hardware;
pub mod npy;
pub mod run;
pub mod session;
pub mod source;
pub mod steps;

use grading::Lab;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Who answers: the labs whose exercises it can check.
#[derive(Clone, Copy, Debug)]
pub struct Workbench {
    /// The labs.
    pub labs: &'static [Lab],
}

impl Workbench {
    /// Answers a request, both as JSON.
    pub fn answer(&self, request: &str) -> String {
        let answer = match serde_json::from_str(request) {
            Ok(request) => self.of(request),
            Err(e) => Err(unreadable(&e)),
        };
        answer.unwrap_or_else(|text| json!({ "error": text })).to_string()
    }

    fn of(&self, mut request: Value) -> Result<Value, String> {
        match request["op"].as_str().unwrap_or_default() {
            "gpus" => Ok(run::gpus()),
            "check" => Ok(check::check(&read(request["program"].take())?)),
            "run" => run::run(&read(request)?),
            "steps" => steps::steps(&read(request)?),
            "look" => steps::look(&read(request)?),
            "grade" => exercise::grade(self.labs, read(request)?),
            op => Err(format!("`op` is `{op}`: it must be gpus, check, run, steps, look or grade")),
        }
    }
}

/// By way of a [`Value`], so that a question is read by the same code whichever it is: half the
/// size of an enum with a tag.
fn read<T: DeserializeOwned>(request: Value) -> Result<T, String> {
    serde_json::from_value(request).map_err(|e| unreadable(&e))
}

fn unreadable(e: &serde_json::Error) -> String {
    format!("the request cannot be read: {e}")
}
