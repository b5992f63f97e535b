//! What the source emits over time: the Ricker wavelet, or samples of the user's.

use std::f64::consts::PI;
use std::path::Path;

use super::sinc::Resampler;
use crate::io::{TraceFormat, TraceReader};
use crate::{Error, Result};

/// Delay of the Ricker wavelet's peak, in periods of its central frequency, so that it starts from (almost) nothing.
pub const RICKER_DELAY: f64 = 1.2;

/// Ricker wavelet of unit amplitude: `(1 - 2 q) exp(-q)`, `q = (pi fq (t - 1.2 / fq))^2`, at `t = k dt`, k < nt (spec 2.7).
pub fn ricker(peak_hz: f64, dt_s: f64, nt: usize) -> Vec<f64> {
    (0..nt).map(|k| ricker_at(peak_hz, k as f64 * dt_s)).collect()
}

fn ricker_at(peak_hz: f64, t_s: f64) -> f64 {
    let q = (PI * peak_hz * (t_s - RICKER_DELAY / peak_hz)).powi(2);
    (1.0 - 2.0 * q) * (-q).exp()
}

/// A wavelet as it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Wavelet {
    /// Time between samples.
    pub dt_s: f64,
    /// Samples from time 0 on.
    pub samples: Vec<f32>,
}

impl Wavelet {
    /// Reads a wavelet: the first trace of an SU or SEG-Y file, or text with a line `time value` per sample (`#` starts a
    /// comment), times in seconds, equally spaced from 0.
    ///
    /// # Errors
    /// The file cannot be read, or its times are not equally spaced.
    pub fn read(path: &Path) -> Result<Wavelet> {
        if TraceFormat::of(path).is_ok() {
            let mut reader = TraceReader::open(path)?;
            let trace = reader.next().expect("an open file has a trace")?;
            let dt_s = trace.header.dt_s;
            return match dt_s > 0.0 {
                true => Ok(Wavelet { dt_s, samples: trace.samples }),
                false => {
                    Err(Error::refused(path.display(), "dt = 0", "set dt in the trace header"))
                }
            };
        }
        let text = std::fs::read_to_string(path).map_err(|e| Error::reading(path, &e))?;
        let mut rows = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            if line.is_empty() {
                continue;
            }
            let row: Vec<f64> = line
                .split(|c: char| c == ',' || c.is_whitespace())
                .filter(|w| !w.is_empty())
                .map_while(|w| w.parse().ok().filter(|v: &f64| v.is_finite()))
                .collect();
            match row[..] {
                [t, v] => rows.push((t, v)),
                _ => {
                    return Err(Error::refused(
                        format!("{}: line {}", path.display(), number + 1),
                        format!("'{line}' is not two numbers"),
                        "write a time in seconds and a value on each line",
                    ));
                }
            }
        }
        if rows.len() < 2 {
            return Err(Error::refused(path.display(), "fewer than two samples", "add samples"));
        }
        let dt_s = (rows[rows.len() - 1].0 - rows[0].0) / (rows.len() - 1) as f64;
        let uneven = rows
            .iter()
            .enumerate()
            .position(|(k, row)| (row.0 - k as f64 * dt_s).abs() > 1e-3 * dt_s.abs());
        if let Some(k) = uneven.or((dt_s <= 0.0).then_some(1)) {
            return Err(Error::refused(
                path.display(),
                format!("sample {k} (from 0) has the time {} s", rows[k].0),
                "times must start at 0 and be equally spaced",
            ));
        }
        Ok(Wavelet { dt_s, samples: rows.iter().map(|row| row.1 as f32).collect() })
    }

    /// The wavelet at `t = k dt`, k < nt; 0 after its end.
    pub fn resampled(&self, dt_s: f64, nt: usize) -> Vec<f64> {
        let new = Resampler::new(self.dt_s, nt, dt_s).apply(&self.samples);
        new.into_iter().map(f64::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Amplitude of the spectrum at a frequency, by the definition.
    fn amplitude(samples: &[f64], dt_s: f64, hz: f64) -> f64 {
        let (re, im) = samples.iter().enumerate().fold((0.0, 0.0), |(re, im), (k, v)| {
            let phase = 2.0 * PI * hz * k as f64 * dt_s;
            (re + v * phase.cos(), im - v * phase.sin())
        });
        f64::hypot(re, im)
    }

    /// Spec C20, first half.
    #[test]
    fn the_spectrum_peaks_at_fq() {
        for fq in [5.0, 12.5, 30.0] {
            let w = ricker(fq, 0.001, 1000);
            let best = (1..1000)
                .map(|k| f64::from(k) * 0.1)
                .max_by(|a, b| amplitude(&w, 0.001, *a).total_cmp(&amplitude(&w, 0.001, *b)));
            assert!((best.unwrap() - fq).abs() <= 0.1 + 0.01 * fq, "{fq} {best:?}");
            let peak = w.iter().copied().fold(0.0, f64::max);
            assert!(w[0].abs() < 1e-4 && (peak - 1.0).abs() < 2e-3, "{} {peak}", w[0]);
        }
    }

    #[test]
    fn wavelets_come_from_text_and_traces() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("w.txt");
        fs::write(&path, "# t v\n0 0\n0.002, 1\n0.004 -0.5 # end\n").unwrap();
        let w = Wavelet::read(&path).unwrap();
        assert_eq!(w.samples, [0.0, 1.0, -0.5]);
        assert!((w.dt_s - 0.002).abs() < 1e-12);
        let fine = w.resampled(0.001, 6);
        assert_eq!((fine[2], fine[4]), (1.0, -0.5));
        for (text, said) in [
            ("0 0\n0.002 x\n", "line 2"),
            ("0 0\n0.002 1\n0.005 1\n", "equally spaced"),
            ("0 0\n", "fewer than two"),
            ("0 0\n0 1\n", "equally spaced"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Wavelet::read(&path).unwrap_err().to_string();
            assert!(error.contains("w.txt") && error.contains(said), "{error}");
        }
    }
}
