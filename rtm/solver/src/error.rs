//! Errors, each a sentence that names the place and the fix.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A parameter or a combination of parameters that cannot work; the text names it and what
    /// would.
    Input(String),
    /// A file that cannot be read or written, or whose content is not what it should be.
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        text: String,
    },
    /// The plan needs more memory than there is; the text says how much and what would need less.
    Memory(String),
    /// The field became infinite or not a number.
    Diverged(String),
    /// A device (GPU) refused or failed.
    Device(String),
    /// The user asked to stop.
    Stopped,
}

/// The result of all that can fail here.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A wrong parameter.
    pub fn input(text: impl Into<String>) -> Error {
        Error::Input(text.into())
    }

    /// Bad input at `place` (a file, a parameter, a trace): what is wrong, and what mends it.
    pub fn refused(
        place: impl fmt::Display,
        what: impl fmt::Display,
        fix: impl fmt::Display,
    ) -> Error {
        Error::Input(with_fix(format!("{place}: {what}"), fix))
    }

    /// A file that cannot be opened or read.
    pub fn reading(path: &Path, error: &io::Error) -> Error {
        let fix = match error.kind() {
            io::ErrorKind::NotFound => "check the path; it is relative to the folder you are in",
            io::ErrorKind::PermissionDenied => "give yourself the right to read it",
            io::ErrorKind::UnexpectedEof => "it ends too early: copy or make it again, completely",
            _ => "check the disk, then try again",
        };
        Error::file(path, with_fix(format!("cannot be read ({})", plain(error)), fix))
    }

    /// A file that cannot be written.
    pub fn writing(path: &Path, error: &io::Error) -> Error {
        let fix = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "free some space or choose another folder; what was complete before is untouched"
            }
            io::ErrorKind::NotFound => "make the folder first, or choose another one",
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "choose a folder in which you may write"
            }
            _ => "check the disk, then try again",
        };
        Error::file(path, with_fix(format!("cannot be written ({})", plain(error)), fix))
    }

    /// The exit code of a program that ends with this error: 2 for bad input, 130 if the user
    /// stopped it, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Input(_) => 2,
            Error::Stopped => 130,
            _ => 1,
        }
    }

    /// The same, with the number of the shot in which it came up.
    pub fn in_shot(self, id: i32) -> Error {
        match self {
            Error::Input(text) => Error::Input(format!("in shot {id}: {text}")),
            Error::Memory(text) => Error::Memory(format!("in shot {id}: {text}")),
            Error::Device(text) => Error::Device(format!("in shot {id}: {text}")),
            Error::File { path, text } => {
                Error::File { path, text: format!("{text}\n  in shot {id}") }
            }
            other => other,
        }
    }

    /// Something wrong with a file.
    pub fn file(path: impl AsRef<Path>, text: impl fmt::Display) -> Error {
        Error::File { path: path.as_ref().to_owned(), text: text.to_string() }
    }
}

fn with_fix(text: String, fix: impl fmt::Display) -> String {
    match fix.to_string() {
        fix if fix.is_empty() => text,
        fix => format!("{text}\n  fix: {fix}"),
    }
}

/// The system's words without its error number.
fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        _ => {
            let text = error.to_string();
            text.split_once(" (os error").map_or(text.clone(), |(words, _)| words.to_lowercase())
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input(text)
            | Error::Memory(text)
            | Error::Diverged(text)
            | Error::Device(text) => f.write_str(text),
            Error::File { path, text } => write!(f, "{}: {text}", path.display()),
            Error::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(feature = "cuda")]
impl From<labkit::LabError> for Error {
    fn from(error: labkit::LabError) -> Error {
        Error::Device(error.report())
    }
}

#[cfg(feature = "cuda")]
impl From<cust::error::CudaError> for Error {
    fn from(error: cust::error::CudaError) -> Error {
        match error {
            cust::error::CudaError::OutOfMemory => Error::Memory(
                "the device has too little memory for this shot: strategy=random or \
                 strategy=checkpoints need less (see `rtm explain`)"
                    .into(),
            ),
            other => labkit::LabError::from(other).into(),
        }
    }
}
