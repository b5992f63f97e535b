//! Host code where there are no processes, in a browser: it cannot run, and the finding says so.

use std::ffi::OsString;
use std::path::Path;

use hdl::UseError;
use wire::{Call, Reply};

use crate::Finding;
use crate::reply::First;

pub use crate::reply::{error, value};

/// The program that runs the host code under test: there is none.
#[derive(Debug)]
pub struct Host {
    why: Finding,
    pub(crate) first: First,
}

impl Host {
    /// A program that is not there, and why.
    pub fn missing(why: Finding) -> Host {
        Host { why, first: First::default() }
    }

    pub(crate) fn run(
        &self,
        _check: &str,
        _calls: &[Call],
        _kernels: &OsString,
    ) -> Result<Vec<Reply>, Box<(Vec<Reply>, Finding)>> {
        Err(Box::new((Vec::new(), self.why.clone())))
    }

    pub(crate) fn tool(&self, _: &Path, tool: &str, _: &[&str]) -> Result<String, UseError> {
        Err(UseError(format!("{tool} cannot be started here")))
    }
}
