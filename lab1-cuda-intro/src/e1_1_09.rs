//! Exercise 1.1.9: profiling. How much of what a kernel fetches does it use?

use labkit::LaunchReport;

/// Share of the fetched bytes that the threads asked for, 0..=1: useful load bytes / (32 * sectors
/// loaded).
///
/// Every active lane of a load uses 4 bytes (`r.total.gld_lane` lanes); memory delivers whole
/// sectors of 32 bytes (`r.total.gld_sec`). A launch that loads nothing wastes nothing: 1.
pub fn efficiency(r: &LaunchReport) -> f64 {
    // <lab
    let _ = r;
    0.0
    // lab>
}
