//! What a study finds out about one variant.

use grading::study::{Measured, Sample, Variant};

/// One variant at one K.
pub(in crate::course) struct Point {
    pub variant: &'static Variant,
    pub k: u32,
    pub sample: Sample,
    pub measured: Option<Measured>,
}
