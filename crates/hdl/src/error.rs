//! Mistakes found when a design is built or used, each with the way out.

use std::fmt;

/// One mistake in a module: what is wrong with which signals, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildError {
    /// The module in which the mistake was made.
    pub module: String,
    /// Where the author's text says it: file and line, if known.
    pub at: Option<String>,
    /// What is wrong, naming the signals.
    pub what: String,
    /// How to put it right.
    pub fix: String,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at.as_ref().map(|at| format!(" ({at})")).unwrap_or_default();
        write!(f, "module `{}`: {}{at}\n  fix: {}", self.module, self.what, self.fix)
    }
}

/// All mistakes of one module, in the order in which they were made. Never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildErrors(pub Vec<BuildError>);

impl fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for BuildErrors {}

/// A finished design was used in a way that it does not allow: an unknown name, a value that does
/// not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UseError(pub String);

impl fmt::Display for UseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UseError {}
