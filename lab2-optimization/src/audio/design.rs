//! Filter design with the Parks-McClellan algorithm, with frequencies in Hz.

pub use dsp::remez::Band;
use labkit::LabError;

/// Which of the lab's two filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Design {
    /// The filter of the lab script: pass-band errors are cheap in it.
    Printed,
    /// A wider transition at the lower end, and a pass band that is flat.
    Hifi,
}

/// [`dsp::remez::equiripple`] with the lab's errors.
///
/// # Errors
/// As there.
pub fn equiripple(taps: usize, bands: &[Band], fs: f64) -> Result<Vec<f64>, LabError> {
    dsp::remez::equiripple(taps, bands, fs).map_err(LabError::msg)
}
