//! Why a tool stopped.

/// Why a tool stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Exit code: 1 when the kernel is refused or faults, 2 when the command line or a file is
    /// wrong.
    pub code: u8,
    /// The whole text for the user, ending in a line feed.
    pub message: String,
}

impl Failure {
    /// A wrong command line or input file: one line, `error: ...`.
    pub fn usage(message: impl std::fmt::Display) -> Failure {
        Failure { code: 2, message: format!("error: {message}\n") }
    }

    /// A kernel that was refused or that faulted, with the text that says so.
    pub fn kernel(message: impl Into<String>) -> Failure {
        Failure { code: 1, message: message.into() }
    }
}

impl From<std::io::Error> for Failure {
    fn from(e: std::io::Error) -> Failure {
        // `cargo lab ... | head` closes the pipe early: that is no error of ours.
        if e.kind() == std::io::ErrorKind::BrokenPipe {
            return Failure { code: 0, message: String::new() };
        }
        Failure::usage(e)
    }
}
