//! Why a call failed, for people: kept per thread, because status codes say little.

use std::cell::RefCell;

use cl_sys::{CL_INVALID_OPERATION, CL_INVALID_VALUE, cl_int};
use simt::fault::Fault;

/// The last call of this thread that failed, with or without an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastError {
    /// Name of the function.
    pub call: &'static str,
    /// Status, such as -48.
    pub code: cl_int,
    /// One line; empty if nothing more than the status is known.
    pub line: String,
    /// All that is known: compiler messages, the fault with its source line. Empty if `line` says
    /// all.
    pub report: String,
}

thread_local! {
    static LAST: RefCell<Option<LastError>> = const { RefCell::new(None) };
}

/// The last failed call of this thread; `None` if none failed yet.
pub fn last_error() -> Option<LastError> {
    LAST.with_borrow(Clone::clone)
}

/// Rendered diagnostics or fault of the last failed call on this thread; `None` if only its status
/// is known.
pub fn last_error_text() -> Option<String> {
    let last = last_error()?;
    let text = if last.report.is_empty() { last.line } else { last.report };
    (!text.is_empty()).then_some(text)
}

pub(crate) fn set_last(call: &'static str, failure: Failure) {
    let Failure { code, line, report } = failure;
    LAST.set(Some(LastError { call, code, line, report }));
}

/// A failed call on its way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub code: cl_int,
    pub line: String,
    pub report: String,
}

/// What a function of the emulated platform returns.
pub(crate) type Done<T = ()> = Result<T, Failure>;

impl Failure {
    /// A status and one line.
    pub fn new(code: cl_int, line: impl Into<String>) -> Failure {
        Failure { code, line: line.into(), report: String::new() }
    }

    /// `CL_INVALID_VALUE` and one line.
    pub fn value(line: impl Into<String>) -> Failure {
        Failure::new(CL_INVALID_VALUE, line)
    }

    /// A function that the emulated platform does not have.
    pub fn unsupported(call: &str) -> Failure {
        let line = format!(
            "{call}: not offered by the emulated platform (OpenCL 1.2; no pipes, no shared virtual \
             memory, no OpenGL, and on a judge's device no images)"
        );
        Failure::new(CL_INVALID_OPERATION, line)
    }

    /// A kernel's fault.
    pub fn fault(code: cl_int, fault: &Fault) -> Failure {
        Failure { code, line: fault.to_string(), report: fault.render() }
    }

    /// All that is known.
    pub fn text(&self) -> &str {
        if self.report.is_empty() { &self.line } else { &self.report }
    }
}
