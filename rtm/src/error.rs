//! Errors, each a sentence that names the place and the fix.

use std::fmt;
use std::path::{Path, PathBuf};

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A parameter or a combination of parameters that cannot work; the text names it and what would.
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

    /// Something wrong with a file.
    pub fn file(path: impl AsRef<Path>, text: impl fmt::Display) -> Error {
        Error::File { path: path.as_ref().to_owned(), text: text.to_string() }
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
