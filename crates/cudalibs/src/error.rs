//! What a library refuses: the vendor's status and a sentence that says what to fix.

use std::fmt;
use std::time::Instant;

use cuda_driver::LastError;
use cuda_driver::library::{Run, record};
use labkit::LabError;

use crate::device::RawStream;
use crate::remote;

/// A refused call of a library.
///
/// Printed it is one line: the vendor's name of the call, the vendor's name of the status, and what
/// to fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    call: &'static str,
    status: Status,
    what: String,
}

/// Result of a library's call.
pub type Result<T> = std::result::Result<T, Error>;

/// A status of a library: its number and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Number, as the vendor's header has it; 0 is success.
    pub code: u32,
    /// Name, such as `CUBLAS_STATUS_INVALID_VALUE`.
    pub name: &'static str,
}

impl Error {
    pub(crate) fn new(call: &'static str, status: Status, what: impl Into<String>) -> Error {
        Error { call, status, what: what.into() }
    }

    /// The call that failed, by the vendor's name, such as `cublasSgemv`.
    pub fn call(&self) -> &'static str {
        self.call
    }

    /// The vendor's status.
    pub fn status(&self) -> Status {
        self.status
    }

    /// What is wrong and what to do about it, without call and status.
    pub fn what(&self) -> &str {
        &self.what
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.call, self.status.name)?;
        if !self.what.is_empty() {
            write!(f, ": {}", self.what)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl From<Error> for LabError {
    fn from(error: Error) -> LabError {
        LabError::Library {
            call: error.call.to_owned(),
            status: error.status.name,
            what: error.what,
        }
    }
}

/// The statuses of one library, and which of them stand for failures that all libraries share.
pub(crate) struct Statuses {
    pub table: &'static [Status],
    pub not_initialized: Status,
    pub execution_failed: Status,
    pub unknown: Status,
}

impl Statuses {
    /// Status of a number that the vendor's library returned.
    pub fn of(&self, code: u32) -> Status {
        self.table.iter().copied().find(|status| status.code == code).unwrap_or(self.unknown)
    }

    /// Runs a call and adds it to the log. `f` stores in its argument which bytes the call writes,
    /// once its operands are known to fit.
    pub fn logged<R>(
        &self,
        call: &'static str,
        stream: RawStream,
        f: impl FnOnce(&mut Option<Run>) -> Result<R>,
    ) -> Result<R> {
        let started = Instant::now();
        let mut output = None;
        remote::forget();
        let result = f(&mut output);
        if remote::was_asked() {
            return result;
        }
        let status = match &result {
            Ok(_) => self.of(0),
            Err(error) => error.status(),
        };
        record(call, started, stream, output, (status.code, status.name));
        result
    }

    /// `Err` if the vendor's library returned anything but success.
    pub fn check(&self, call: &'static str, code: u32) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        let status = self.of(code);
        let what = if let Some(why) = remote::why() {
            why
        } else if status == self.unknown {
            format!("the library returned the status {code}, which is newer than this program")
        } else {
            "refused by the vendor's library".to_owned()
        };
        Err(Error::new(call, status, what))
    }

    /// What the driver refused in the course of a call.
    pub fn driver(&self, call: &'static str, error: LastError) -> Error {
        let name = cuda_driver::result_name(error.code);
        let status = match name {
            "CUDA_ERROR_NOT_INITIALIZED"
            | "CUDA_ERROR_INVALID_CONTEXT"
            | "CUDA_ERROR_NO_DEVICE" => self.not_initialized,
            _ => self.execution_failed,
        };
        let line = if error.line.is_empty() { name.to_owned() } else { error.line };
        Error::new(call, status, line)
    }
}
