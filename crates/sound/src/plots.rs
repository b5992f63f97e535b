//! Pictures of sound and filters, as SVG.

use figures::{Axis, Chart, Palette, Raster, Series};

use crate::{Frame, RATE, channel, spectrum};

/// Quietest level that the pictures show, in decibels.
const FLOOR_DB: f64 = -120.0;
/// Most columns of a spectrogram that fit a picture.
const COLUMNS: usize = 1000;

fn hertz() -> Axis {
    Axis::linear("frequency").unit("Hz", 1.0).range(0.0, f64::from(RATE) / 2.0)
}

/// Responses of filters in decibels over frequency; the lower stop band is wide on the logarithmic
/// axis.
pub fn responses(filters: &[(&str, &[f64])]) -> String {
    let x = Axis::log("frequency").unit("Hz", 1.0).range(10.0, f64::from(RATE) / 2.0);
    let y = Axis::linear("|H| (dB)").range(FLOOR_DB, 20.0);
    let lines = filters.iter().map(|(name, h)| {
        let line = spectrum::response(h).into_iter().skip(1);
        Series::line(name, line.map(|(hz, gain)| (hz, decibels(gain * gain))).collect())
    });
    Chart::new("Frequency response", x, y).with_all(lines.map(Series::smooth)).svg()
}

/// The pass bands of filters, linear: here one sees the ripple.
pub fn pass_bands(filters: &[(&str, &[f64])]) -> String {
    let x = Axis::linear("frequency").unit("Hz", 1.0).range(0.0, 500.0);
    let lines = filters.iter().map(|(name, h)| {
        let line = spectrum::response(h).into_iter();
        Series::line(name, line.take_while(|(hz, _)| *hz <= 500.0).collect())
    });
    let y = Axis::linear("|H|").range(0.0, 1.6);
    let title = "Ripple at the lower end of the pass band";
    Chart::new(title, x, y).with_all(lines.map(Series::smooth)).svg()
}

/// Mean spectra of the left channels of signals.
pub fn spectra(signals: &[(&str, &[Frame])]) -> String {
    let y = Axis::linear("power (dB)").range(FLOOR_DB, 0.0);
    let lines = signals.iter().map(|(name, frames)| {
        let line = spectrum::power(&channel(frames, 0));
        Series::line(name, line.into_iter().map(|(hz, p)| (hz, decibels(p))).collect())
    });
    Chart::new("Mean spectra, left channel", hertz(), y).with_all(lines.map(Series::smooth)).svg()
}

/// Spectrum over time of the left channel of a signal; the brightest colour is -20 dB, the darkest
/// -110 dB.
pub fn spectrogram(name: &str, frames: &[Frame]) -> String {
    let mut columns = spectrum::spectrogram(&channel(frames, 0));
    let thin = columns.len().div_ceil(COLUMNS).max(1);
    columns = columns.into_iter().step_by(thin).collect();
    let bins = columns.first().map_or(0, Vec::len);
    let values = (0..bins).flat_map(|bin| columns.iter().map(move |c| c[bin] as f32)).collect();
    let raster = Raster {
        columns: columns.len(),
        values,
        range: (-110.0, -20.0),
        palette: Palette::Viridis,
        meaning: "power (dB)".into(),
        smooth: false,
    };
    let seconds = frames.len().max(1) as f64 / f64::from(RATE);
    let title = format!("Spectrum over time: {name}, left channel");
    Chart::new(&title, Axis::linear("time").unit("s", 1.0), hertz())
        .raster(raster, (0.0, seconds), (0.0, f64::from(RATE) / 2.0))
        .svg()
}

fn decibels(power: f64) -> f64 {
    (10.0 * power.log10()).max(FLOOR_DB)
}
