//! Filter design with the Parks-McClellan algorithm: the `pm-remez` crate, with frequencies in Hz.

use labkit::LabError;
use pm_remez::{BandSetting, ParametersBuilder, constant, pm_parameters, pm_remez};

/// Which of the lab's two filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Design {
    /// The filter of the lab script: pass-band errors are cheap in it.
    Printed,
    /// A wider transition at the lower end, and a pass band that is flat.
    Hifi,
}

/// A band of frequencies and what a filter shall do there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// From and to, in Hz.
    pub hz: (f64, f64),
    /// Wanted gain: 1 lets pass, 0 stops.
    pub gain: f64,
    /// How much an error weighs here.
    pub weight: f64,
}

/// The taps of the linear-phase filter whose greatest weighted error over all bands is least.
///
/// # Arguments
/// * `taps` - number of coefficients, one more than the filter's order
/// * `bands` - from 0 Hz to half of `fs`, with gaps in which the response may do what it likes
/// * `fs` - samples per second
///
/// # Errors
/// Bands that do not reach from 0 to `fs / 2` in order; what `pm-remez` refuses; no convergence.
pub fn equiripple(taps: usize, bands: &[Band], fs: f64) -> Result<Vec<f64>, LabError> {
    let edges: Vec<f64> = bands.iter().flat_map(|b| [b.hz.0, b.hz.1]).collect();
    let last = edges.last().copied().unwrap_or(0.0);
    if last != fs / 2.0 {
        let text = format!("the last band must end at fs/2 = {} Hz, found {last} Hz", fs / 2.0);
        return Err(LabError::msg(text));
    }
    if edges[0] != 0.0 || edges.windows(2).any(|e| e[0] >= e[1]) {
        return Err(LabError::msg(format!("band edges must rise from 0 Hz, found {edges:?}")));
    }
    let failed = |e: pm_remez::error::Error| LabError::msg(format!("filter design: {e}"));
    let mut settings = Vec::new();
    for band in bands {
        let (from, to) = (band.hz.0 / fs, band.hz.1 / fs);
        let setting =
            BandSetting::with_weight(from, to, constant(band.gain), constant(band.weight));
        settings.push(setting.map_err(failed)?);
    }
    let mut parameters = pm_parameters(taps, &settings).map_err(failed)?;
    parameters.set_max_iterations(100);
    let design = pm_remez(&parameters).map_err(failed)?;
    // The greatest error exceeds the least of the extremes by this share of itself.
    if design.flatness > 0.05 {
        let (n, left) = (design.num_iterations, design.flatness);
        return Err(LabError::msg(format!(
            "filter design: not converged after {n} steps ({left})"
        )));
    }
    Ok(design.impulse_response)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use proptest::prelude::*;

    use super::*;

    fn gain(h: &[f64], hz: f64, fs: f64) -> f64 {
        let turn = |k: usize| TAU * hz / fs * k as f64;
        let part =
            |f: fn(f64) -> f64| h.iter().enumerate().map(|(k, h)| h * f(turn(k))).sum::<f64>();
        part(f64::cos).hypot(part(f64::sin))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

        #[test]
        fn a_low_pass_has_equal_ripples(
            half in 10usize..40,
            edge in 0.1f64..0.3,
            weight in 1.0f64..20.0,
        ) {
            let fs = 48_000.0;
            let edges = [edge * fs, (edge + 0.1) * fs];
            let bands = [
                Band { hz: (0.0, edges[0]), gain: 1.0, weight: 1.0 },
                Band { hz: (edges[1], fs / 2.0), gain: 0.0, weight },
            ];
            let h = equiripple(2 * half + 1, &bands, fs).unwrap();
            prop_assert_eq!(h.len(), 2 * half + 1);
            for k in 0..half {
                prop_assert!((h[k] - h[2 * half - k]).abs() < 1e-12, "tap {}", k);
            }
            let worst = |band: &Band| {
                let steps = 2000;
                (0..=steps)
                    .map(|i| band.hz.0 + (band.hz.1 - band.hz.0) * f64::from(i) / f64::from(steps))
                    .map(|hz| (gain(&h, hz, fs) - band.gain).abs())
                    .fold(0.0, f64::max)
            };
            let (pass, stop) = (worst(&bands[0]), worst(&bands[1]));
            // The optimum divides the error between the bands by their weights.
            let off = (pass / (stop * weight) - 1.0).abs();
            prop_assert!(off < 0.1, "ripples {} and {} times {}", pass, stop, weight);
        }
    }

    #[test]
    fn bands_must_cover_the_axis_in_order() {
        let band = |from, to| Band { hz: (from, to), gain: 1.0, weight: 1.0 };
        let error = |bands: &[Band]| equiripple(9, bands, 100.0).unwrap_err().to_string();
        assert!(error(&[]).contains("must end at fs/2 = 50 Hz, found 0 Hz"));
        assert!(error(&[band(0.0, 40.0)]).contains("found 40 Hz"));
        assert!(error(&[band(1.0, 50.0)]).contains("must rise from 0 Hz"));
        assert!(error(&[band(0.0, 30.0), band(20.0, 50.0)]).contains("must rise"));
    }
}
