//! Pictures of sound and filters, as PNG files.

use std::path::Path;

use labkit::LabError;
use labkit::plot::{Axis, HeatMap, Plot, Series};

use crate::{Frame, RATE, channel, spectrum};

/// Quietest level that the pictures show, in decibels.
const FLOOR_DB: f64 = -120.0;
/// Most points of a curve that fit a picture.
const POINTS: usize = 4000;

/// Responses of filters in decibels over frequency; the lower stop band is wide on the logarithmic
/// axis.
///
/// # Errors
/// The file cannot be written.
pub fn responses(path: &Path, filters: &[(&str, &[f64])]) -> Result<(), LabError> {
    let series = filters
        .iter()
        .map(|(name, h)| {
            let line = spectrum::response(h).into_iter().skip(1);
            Series {
                label: (*name).into(),
                points: line.map(|(hz, gain)| (hz, decibels(gain * gain))).collect(),
            }
        })
        .collect();
    Plot {
        title: "Frequency response".into(),
        x: Axis::log("frequency, Hz").range(10.0, f64::from(RATE) / 2.0),
        y: Axis::linear("|H|, dB").range(FLOOR_DB, 20.0),
        series,
    }
    .write_png(path)
}

/// The pass bands of filters, linear: here one sees the ripple.
///
/// # Errors
/// The file cannot be written.
pub fn pass_bands(path: &Path, filters: &[(&str, &[f64])]) -> Result<(), LabError> {
    let series = filters
        .iter()
        .map(|(name, h)| {
            let line = spectrum::response(h).into_iter();
            Series {
                label: (*name).into(),
                points: line.take_while(|(hz, _)| *hz <= 500.0).collect(),
            }
        })
        .collect();
    Plot {
        title: "Ripple at the lower end of the pass band".into(),
        x: Axis::linear("frequency, Hz").range(0.0, 500.0),
        y: Axis::linear("|H|").range(0.0, 1.6),
        series,
    }
    .write_png(path)
}

/// Mean spectra of the left channels of signals.
///
/// # Errors
/// The file cannot be written.
pub fn spectra(path: &Path, signals: &[(&str, &[Frame])]) -> Result<(), LabError> {
    let series = signals
        .iter()
        .map(|(name, frames)| {
            let line = spectrum::power(&channel(frames, 0));
            Series {
                label: (*name).into(),
                points: line.into_iter().map(|(hz, p)| (hz, decibels(p))).collect(),
            }
        })
        .collect();
    Plot {
        title: "Mean spectra, left channel".into(),
        x: Axis::linear("frequency, Hz").range(0.0, f64::from(RATE) / 2.0),
        y: Axis::linear("power, dB").range(FLOOR_DB, 0.0),
        series,
    }
    .write_png(path)
}

/// Spectrum over time of the left channel of a signal; the brightest colour is -20 dB, the darkest
/// -110 dB.
///
/// # Errors
/// The file cannot be written.
pub fn spectrogram(path: &Path, name: &str, frames: &[Frame]) -> Result<(), LabError> {
    let columns = spectrum::spectrogram(&channel(frames, 0));
    let thin = columns.len().div_ceil(POINTS).max(1);
    HeatMap {
        title: format!("Spectrum over time: {name}, left channel"),
        x: Axis::linear("time, s").range(0.0, frames.len().max(1) as f64 / f64::from(RATE)),
        y: Axis::linear("frequency, Hz").range(0.0, f64::from(RATE) / 2.0),
        columns: columns.into_iter().step_by(thin).collect(),
        colours: (-110.0, -20.0),
    }
    .write_png(path)
}

fn decibels(power: f64) -> f64 {
    (10.0 * power.log10()).max(FLOOR_DB)
}
