//! The official form of a report.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A benchmark that ran, as it is reported.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// `EP` or `FT`.
    pub name: &'static str,
    /// Class.
    pub class: &'static str,
    /// Size: of EP the count of random numbers, of FT the grid, such as `256x 256x 128`.
    pub size: String,
    /// Iterations.
    pub iterations: usize,
    /// Where it ran: `CPU`, or the name of a GPU.
    pub place: String,
    /// Threads of the CPU that it ran on; `None` on a GPU, whose threads are the program's choice.
    pub threads: Option<usize>,
    /// What is timed.
    pub time: Duration,
    /// Official operations, in millions.
    pub mop: f64,
    /// What an operation is.
    pub operation: &'static str,
    /// Whether the result is the official one; `None` if there is none for the class.
    pub verified: Option<bool>,
    /// When it ran.
    pub date: SystemTime,
    /// What it was asked for on the command line.
    pub options: String,
}

/// Release of the official benchmarks whose classes and values these are.
pub const OFFICIAL: &str = "NPB 3.4";

/// Day of a time in UTC, as `2026-11-23`.
pub fn day(time: SystemTime) -> String {
    let days = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / 86_400;
    // Days from 1 March of the year 0 on, in eras of 400 years: a leap day ends its year.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, turn) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", 400 * era + year + turn)
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
        if let Some(threads) = self.threads {
            writeln!(f, " Total threads   = {threads:>24}")?;
        }
        writeln!(f, " Mop/s total     = {:>24.2}", self.mops())?;
        if let Some(threads) = self.threads {
            writeln!(f, " Mop/s/thread    = {:>24.2}", self.mops() / threads.max(1) as f64)?;
        }
        writeln!(f, " Operation type  = {:>24}", self.operation)?;
        writeln!(f, " Verification    = {verified:>24}")?;
        writeln!(f, " Version         = {OFFICIAL:>24}")?;
        writeln!(f, " Program         = {:>24}", concat!("npb ", env!("CARGO_PKG_VERSION")))?;
        writeln!(f, " Date            = {:>24}", day(self.date))?;
        write!(f, " Options         = {:>24}", self.options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_has_every_line_of_the_official_one() {
        let report = Report {
            name: "EP",
            class: "S",
            size: "33554432".into(),
            iterations: 0,
            place: "CPU".into(),
            threads: Some(4),
            time: Duration::from_secs(2),
            mop: 16.0,
            operation: "Random numbers generated",
            verified: Some(true),
            date: UNIX_EPOCH + Duration::from_secs(1_709_164_800),
            options: "ep --class S".into(),
        };
        let text = report.to_string();
        let lines: Vec<(&str, &str)> = text
            .lines()
            .filter_map(|l| l.split_once('=').map(|(a, b)| (a.trim(), b.trim())))
            .collect();
        let wanted = [
            ("Class", "S"),
            ("Size", "33554432"),
            ("Iterations", "0"),
            ("Time in seconds", "2.00"),
            ("Ran on", "CPU"),
            ("Total threads", "4"),
            ("Mop/s total", "8.00"),
            ("Mop/s/thread", "2.00"),
            ("Operation type", "Random numbers generated"),
            ("Verification", "SUCCESSFUL"),
            ("Version", "NPB 3.4"),
            ("Program", concat!("npb ", env!("CARGO_PKG_VERSION"))),
            ("Date", "2024-02-29"),
            ("Options", "ep --class S"),
        ];
        assert_eq!(lines, wanted);
        let gpu = Report { threads: None, ..report }.to_string();
        assert!(!gpu.contains("thread"));
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        let of = |days: u64| day(UNIX_EPOCH + Duration::from_secs(86_400 * days));
        assert_eq!([of(0), of(59), of(365)], ["1970-01-01", "1970-03-01", "1971-01-01"]);
        assert_eq!([of(11016), of(19_782)], ["2000-02-29", "2024-02-29"]);
        assert_eq!([of(20818), of(47540)], ["2026-12-31", "2100-02-28"]);
        assert_eq!(of(47541), "2100-03-01");
    }
}
