//! What the exercises of section 3.3 share: the benchmark's classes and results, and its two
//! versions on the device.

use labkit::{KernelFile, kernel_file};

pub use npb::ep::{CLASSES, Class, EpResult, SEED};

/// A version of EP on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Local counts, serial sums: exercise 3.3.3.
    Paper,
    /// Reduced by warps: exercise 3.3.4.
    Better,
}

impl Version {
    /// The kernel's file.
    pub fn file(self) -> KernelFile {
        match self {
            Version::Paper => kernel_file!("ep.cu"),
            Version::Better => kernel_file!("ep_better.cu"),
        }
    }

    /// The kernel's name.
    pub fn kernel(self) -> &'static str {
        match self {
            Version::Paper => "ep_seed",
            Version::Better => "ep_better",
        }
    }
}
