//! Errors that a student reads.

use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;

use cust::error::CudaError;
use simt::fault::Fault;

/// Whatever can go wrong in a lab's host code. Printed it is one line; [`LabError::report`] has all
/// that is known.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LabError {
    /// The driver refused a call, or a kernel faulted.
    Cuda {
        /// Result code.
        code: CudaError,
        /// What the program was doing, or the driver's function; empty if not known.
        during: String,
        /// Why, in one line; empty if only the code is known.
        reason: String,
        /// The fault with its source line, or the compiler's messages; empty if `reason` says all.
        report: String,
    },
    /// A kernel file does not compile.
    Compile {
        /// First error, with file, line and column.
        line: String,
        /// All messages with their source lines.
        report: String,
    },
    /// A slice or buffer of the wrong length.
    Length {
        /// Which one.
        what: String,
        /// Elements that it should have.
        expected: usize,
        /// Elements that it has.
        found: usize,
    },
    /// A file that cannot be used.
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A library (BLAS, RAND, FFT) refused a call.
    Library {
        /// The call by the vendor's name, such as `cublasSgemv`.
        call: String,
        /// The vendor's status, such as `CUBLAS_STATUS_INVALID_VALUE`.
        status: &'static str,
        /// What is wrong and what to do about it.
        what: String,
    },
    /// Input or an option that cannot be used, in one line.
    Refused(String),
    /// Anything else.
    Message(String),
}

impl LabError {
    /// An error of one line.
    pub fn msg(text: impl Into<String>) -> LabError {
        LabError::Message(text.into())
    }

    /// An error of one line about input or an option that cannot be used: exit code 2.
    pub fn refused(text: impl Into<String>) -> LabError {
        LabError::Refused(text.into())
    }

    /// The result code as the driver API names it, such as `CUDA_ERROR_INVALID_VALUE`, or the
    /// status of a library; empty for other errors.
    pub fn code_name(&self) -> &'static str {
        match self {
            LabError::Library { status, .. } => status,
            LabError::Cuda { code, .. } => cuda_driver::result_name(*code as u32),
            _ => "",
        }
    }

    /// All that is known, in several lines where there is more than one: the fault with its source
    /// line, the compiler's messages. Without a line feed at the end.
    pub fn report(&self) -> String {
        match self {
            LabError::Cuda { report, .. } | LabError::Compile { report, .. }
                if !report.is_empty() =>
            {
                format!("{self}\n\n{}", report.trim_end())
            }
            _ => self.to_string(),
        }
    }

    /// Exit code of a program that ends with this error: 3 without a device, 2 for input that
    /// cannot be used, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            LabError::Cuda { code: CudaError::NoDevice, .. } => 3,
            LabError::File { .. } | LabError::Length { .. } | LabError::Refused(_) => 2,
            _ => 1,
        }
    }
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The one sentence that says what to do.
            LabError::Cuda { code: CudaError::NoDevice, reason, .. } if !reason.is_empty() => {
                f.write_str(reason)
            }
            LabError::Cuda { code, during, reason, .. } => {
                if !during.is_empty() {
                    write!(f, "{during}: ")?;
                }
                write!(f, "{code:?}")?;
                match reason.as_str() {
                    "" => write!(f, " ({})", cuda_driver::result_text(*code as u32)),
                    reason => write!(f, ": {reason}"),
                }
            }
            LabError::Compile { line, .. } => f.write_str(line),
            LabError::Length { what, expected, found } => {
                write!(f, "{what}: expected {expected} elements, found {found}")
            }
            LabError::File { path, what, expected, found } => {
                write!(f, "{}: {what}", path.display())?;
                if expected.is_empty() && found.is_empty() {
                    return Ok(());
                }
                write!(f, " (expected {expected}, found {found})")
            }
            LabError::Library { call, status, what } if what.is_empty() => {
                write!(f, "{call}: {status}")
            }
            LabError::Library { call, status, what } => write!(f, "{call}: {status}: {what}"),
            LabError::Refused(text) | LabError::Message(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for LabError {}

impl From<CudaError> for LabError {
    /// Takes along what the driver knows about its last failed call on this thread.
    fn from(code: CudaError) -> LabError {
        let last = cuda_driver::last_error().filter(|last| last.code == code as u32);
        let Some(last) = last else {
            return LabError::Cuda {
                code,
                during: String::new(),
                reason: String::new(),
                report: String::new(),
            };
        };
        if code == CudaError::InvalidSource && !last.report.is_empty() {
            return LabError::Compile { line: last.line, report: last.report };
        }
        LabError::Cuda { code, during: last.call, reason: last.line, report: last.report }
    }
}

impl From<std::convert::Infallible> for LabError {
    fn from(never: std::convert::Infallible) -> LabError {
        match never {}
    }
}

/// Says what a call was for: `launch!(..).during("launch of add_kernel")?`.
pub trait During<T> {
    /// The error with `call` in front in place of the driver's function.
    ///
    /// # Errors
    /// The error itself.
    fn during(self, call: impl fmt::Display) -> Result<T, LabError>;
}

impl<T, E: Into<LabError>> During<T> for Result<T, E> {
    fn during(self, call: impl fmt::Display) -> Result<T, LabError> {
        self.map_err(|error| match error.into() {
            LabError::Cuda { code, reason, report, .. } => {
                LabError::Cuda { code, during: call.to_string(), reason, report }
            }
            other => other,
        })
    }
}

/// Checks a length before the device is touched: cust's copies panic where lengths differ.
///
/// # Errors
/// [`LabError::Length`] if `found` is not `expected`.
pub fn check_len(what: &str, found: usize, expected: usize) -> Result<(), LabError> {
    if found == expected {
        return Ok(());
    }
    Err(LabError::Length { what: what.into(), expected, found })
}

/// How a program ends: prints `error: ...` to standard error, with all that is known, and chooses
/// the exit code. A program without an error may still have findings, such as memory read back that
/// nobody wrote: they are printed as warnings.
pub fn exit(result: Result<(), LabError>) -> ExitCode {
    match result {
        Ok(()) => {
            for warning in warnings(&emulation::findings::take_faults()) {
                eprintln!("{warning}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {}", error.report());
            ExitCode::from(error.exit_code())
        }
    }
}

/// A line for each finding; what was found several times is printed once.
fn warnings(findings: &[Fault]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for finding in findings {
        let line = format!("warning[{}]: {}", finding.kind.code(), finding.message);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_one_line_and_said_once() {
        let finding = |kind, message: &str| Fault {
            kind,
            kernel: String::new(),
            message: message.into(),
            site: None,
            other: None,
            target: None,
            threads: 1,
            also: Vec::new(),
        };
        use simt::fault::FaultKind::{RaceGlobal, Uninitialised};
        let all = [
            finding(Uninitialised, "c[0] is read back"),
            finding(RaceGlobal, "two streams"),
            finding(Uninitialised, "c[0] is read back"),
        ];
        let want = ["warning[UNINIT]: c[0] is read back", "warning[RACE-G]: two streams"];
        assert_eq!(warnings(&all), want);
    }

    #[test]
    fn errors_are_one_line_each() {
        let length = LabError::Length { what: "c".into(), expected: 5, found: 4 };
        assert_eq!(length.to_string(), "c: expected 5 elements, found 4");
        let file = LabError::File {
            path: "in.dat".into(),
            what: "file too short".into(),
            expected: "24 bytes".into(),
            found: "20".into(),
        };
        assert_eq!(file.to_string(), "in.dat: file too short (expected 24 bytes, found 20)");
        let cuda = LabError::from(CudaError::InvalidValue);
        assert_eq!(cuda.to_string(), "InvalidValue (invalid argument)");
        assert_eq!(cuda.code_name(), "CUDA_ERROR_INVALID_VALUE");
        let during = Err::<(), _>(CudaError::InvalidValue).during("launch of f").unwrap_err();
        assert_eq!(during.to_string(), "launch of f: InvalidValue (invalid argument)");
    }

    #[test]
    fn exit_codes_tell_input_from_device() {
        assert_eq!(LabError::msg("x").exit_code(), 1);
        assert_eq!(LabError::from(CudaError::NoDevice).exit_code(), 3);
        assert_eq!(check_len("a", 1, 2).unwrap_err().exit_code(), 2);
        assert!(check_len("a", 2, 2).is_ok());
    }
}
