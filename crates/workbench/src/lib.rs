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
use serde::Deserialize;
use serde_json::{Value, json};

use source::Source;

/// Who answers: the labs whose exercises it can check.
#[derive(Clone, Copy, Debug)]
pub struct Workbench {
    /// The labs.
    pub labs: &'static [Lab],
}

/// What can be asked.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Request {
    Gpus,
    Check { program: Source },
    Run(run::Request),
    Steps(steps::Request),
    Look(steps::Request),
    Grade(exercise::Request),
}

impl Workbench {
    /// Answers a request, both as JSON.
    pub fn answer(&self, request: &str) -> String {
        let answer = match serde_json::from_str(request) {
            Ok(request) => self.of(request).unwrap_or_else(|text| json!({ "error": text })),
            Err(e) => json!({ "error": format!("the request cannot be read: {e}") }),
        };
        answer.to_string()
    }

    fn of(&self, request: Request) -> Result<Value, String> {
        match request {
            Request::Gpus => Ok(run::gpus()),
            Request::Check { program } => Ok(check::check(&program)),
            Request::Run(request) => run::run(&request),
            Request::Steps(request) => steps::steps(&request),
            Request::Look(request) => steps::look(&request),
            Request::Grade(request) => exercise::grade(self.labs, request),
        }
    }
}
