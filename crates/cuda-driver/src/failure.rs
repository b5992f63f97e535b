//! Why a driver call failed, for people: kept per thread, because result codes say little.

use std::cell::RefCell;

use emulation::telling;
use simt::fault::Fault;

use crate::code;

/// The last driver call of this thread that failed with an explanation or without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastError {
    /// Name of the function, without a version suffix.
    pub call: String,
    /// Result code.
    pub code: u32,
    /// One line; empty if nothing more than the code is known.
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

/// Rendered diagnostics or fault of the last failed call on this thread; `None` if only its code is
/// known.
pub fn last_error_text() -> Option<String> {
    let last = last_error()?;
    let text = if last.report.is_empty() { last.line } else { last.report };
    (!text.is_empty()).then_some(text)
}

pub(crate) fn set_last(call: &str, failure: Failure) {
    let Failure { code, line, report } = failure;
    let why = if report.is_empty() { &line } else { &report };
    telling::failed(call, code::result_name(code), why);
    LAST.set(Some(LastError { call: call.to_owned(), code, line, report }));
}

/// A failed call on its way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub code: u32,
    pub line: String,
    pub report: String,
}

/// What a function of the emulated driver returns.
pub(crate) type Done<T = ()> = Result<T, Failure>;

impl Failure {
    /// Only a code.
    pub fn code(code: u32) -> Failure {
        Failure { code, line: String::new(), report: String::new() }
    }

    /// A code and one line.
    pub fn new(code: u32, line: impl Into<String>) -> Failure {
        Failure { code, line: line.into(), report: String::new() }
    }

    /// `CUDA_ERROR_INVALID_VALUE` and one line.
    pub fn invalid(line: impl Into<String>) -> Failure {
        Failure::new(code::INVALID_VALUE, line)
    }

    /// A feature that the emulated device does not have.
    pub fn unsupported(what: &str) -> Failure {
        Failure::new(code::NOT_SUPPORTED, format!("{what}: not offered by the emulated device"))
    }

    /// A kernel's fault.
    pub fn fault(code: u32, fault: &Fault) -> Failure {
        Failure { code, line: fault.to_string(), report: fault.render() }
    }
}
