//! The official form of a report.

use std::fmt;
use std::time::Duration;

/// A benchmark that ran, as it is reported.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// `EP` or `FT`.
    pub name: &'static str,
    /// Class.
    pub class: &'static str,
    /// Size, such as `256x 256x 128`.
    pub size: String,
    /// Iterations.
    pub iterations: usize,
    /// Where it ran: `2 threads`, or the name of a GPU.
    pub place: String,
    /// What is timed.
    pub time: Duration,
    /// Official operations, in millions.
    pub mop: f64,
    /// What an operation is.
    pub operation: &'static str,
    /// Whether the result is the official one; `None` if there is none for the class.
    pub verified: Option<bool>,
}

impl Report {
    /// Millions of official operations per second.
    pub fn mops(&self) -> f64 {
        self.mop / self.time.as_secs_f64()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verified = match self.verified {
            Some(true) => "SUCCESSFUL",
            Some(false) => "UNSUCCESSFUL",
            None => "NOT PERFORMED",
        };
        writeln!(f, " {} Benchmark Completed", self.name)?;
        writeln!(f, " Class           = {:>24}", self.class)?;
        writeln!(f, " Size            = {:>24}", self.size)?;
        writeln!(f, " Iterations      = {:>24}", self.iterations)?;
        // Two digits as in the official form, more for runs of less than a second.
        let seconds = self.time.as_secs_f64();
        let digits = if seconds < 1.0 { 5 } else { 2 };
        writeln!(f, " Time in seconds = {seconds:>24.digits$}")?;
        writeln!(f, " Ran on          = {:>24}", self.place)?;
        writeln!(f, " Mop/s total     = {:>24.2}", self.mops())?;
        writeln!(f, " Operation type  = {:>24}", self.operation)?;
        write!(f, " Verification    = {verified:>24}")
    }
}
