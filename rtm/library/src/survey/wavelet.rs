//! What the source emits over time: the Ricker wavelet, or samples of the user's.

use std::f64::consts::PI;
use std::path::Path;

use super::sinc::Resampler;
use crate::io::{TraceFormat, TraceHeader, TraceReader};
use crate::{Error, Result};

/// How long before its peak the Ricker wavelet starts from (almost) nothing, in periods of its
/// central frequency.
pub const RICKER_LEAD: f64 = 1.2;

/// Ricker wavelet of unit amplitude, `(1 - 2 q) exp(-q)`, `q = (pi fq t)^2`, at `t = first + k dt`,
/// k < nt (spec 2.7): its peak is its time zero, so it has zero phase.
pub fn ricker(peak_hz: f64, first_s: f64, dt_s: f64, nt: usize) -> Vec<f64> {
    let at = |t_s: f64| {
        let q = (PI * peak_hz * t_s).powi(2);
        (1.0 - 2.0 * q) * (-q).exp()
    };
    (0..nt).map(|k| at(first_s + k as f64 * dt_s)).collect()
}

/// What a source emits. Its time zero is that of the shot: recorded traces count their time from
/// there.
#[derive(Clone, Debug, PartialEq)]
pub enum Signature {
    /// A Ricker wavelet.
    Ricker {
        /// Central frequency, Hz.
        peak_hz: f64,
        /// Time of its peak after the shot's time zero, seconds.
        peak_s: f64,
    },
    /// A wavelet from a file.
    Recorded(Wavelet),
}

impl Signature {
    /// When it begins, seconds after the shot's time zero; mostly before it.
    pub fn start_s(&self) -> f64 {
        match self {
            Signature::Ricker { peak_hz, peak_s } => peak_s - RICKER_LEAD / peak_hz,
            Signature::Recorded(wavelet) => wavelet.start_s,
        }
    }

    /// Its samples at `first + k dt` after the shot's time zero, k < nt.
    pub fn sampled(&self, first_s: f64, dt_s: f64, nt: usize) -> Vec<f64> {
        match self {
            Signature::Ricker { peak_hz, peak_s } => ricker(*peak_hz, first_s - peak_s, dt_s, nt),
            Signature::Recorded(wavelet) => wavelet.resampled(first_s, dt_s, nt),
        }
    }
}

/// A wavelet as it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Wavelet {
    /// Time between samples.
    pub dt_s: f64,
    /// Time of the first sample, seconds.
    pub start_s: f64,
    /// Samples.
    pub samples: Vec<f32>,
}

impl Wavelet {
    /// Reads a wavelet: the first trace of an SU or SEG-Y file, which begins at its delay
    /// (`delrt`), or text with a line `time value` per sample (`#` starts a comment), times in
    /// seconds, equally spaced. The file's time 0 is the wavelet's time zero.
    ///
    /// # Errors
    /// The file cannot be read, or its times are not equally spaced.
    pub fn read(path: &Path) -> Result<Wavelet> {
        if TraceFormat::of(path).is_ok() {
            let mut reader = TraceReader::open(path)?;
            let trace = reader.next().expect("an open file has a trace")?;
            let TraceHeader { dt_s, delay_s: start_s, .. } = trace.header;
            return match dt_s > 0.0 {
                true => Ok(Wavelet { dt_s, start_s, samples: trace.samples }),
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
            .position(|(k, row)| (row.0 - rows[0].0 - k as f64 * dt_s).abs() > 1e-3 * dt_s.abs());
        if let Some(k) = uneven.or((dt_s <= 0.0).then_some(1)) {
            return Err(Error::refused(
                path.display(),
                format!("sample {k} (from 0) has the time {} s", rows[k].0),
                "times must grow in equal steps; time 0 is that of the shot",
            ));
        }
        let samples = rows.iter().map(|row| row.1 as f32).collect();
        Ok(Wavelet { dt_s, start_s: rows[0].0, samples })
    }

    /// The wavelet at `t = first + k dt`, k < nt; 0 before its start and after its end.
    pub fn resampled(&self, first_s: f64, dt_s: f64, nt: usize) -> Vec<f64> {
        let resampler = Resampler::new(self.dt_s, first_s - self.start_s, nt, dt_s);
        let new = resampler.apply(&self.samples);
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
            let w = ricker(fq, -RICKER_LEAD / fq, 0.001, 1000);
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
        let fine = w.resampled(0.0, 0.001, 6);
        assert_eq!((w.start_s, fine[2], fine[4]), (0.0, 1.0, -0.5));
        // Times before zero: the same samples, earlier.
        fs::write(&path, "-0.002 0\n0, 1\n0.002 -0.5\n").unwrap();
        let early = Signature::Recorded(Wavelet::read(&path).unwrap());
        assert!((early.start_s() + 0.002).abs() < 1e-12);
        assert_eq!(early.sampled(-0.002, 0.001, 6), fine);
        assert_eq!(early.sampled(0.0, 0.001, 3)[0], 1.0);
        let ricker = Signature::Ricker { peak_hz: 20.0, peak_s: 0.01 };
        assert_eq!(ricker.sampled(0.01, 0.001, 3)[0], 1.0);
        for (text, said) in [
            ("0 0\n0.002 x\n", "line 2"),
            ("0 0\n0.002 1\n0.005 1\n", "equal steps"),
            ("0 0\n", "fewer than two"),
            ("0 0\n0 1\n", "equal steps"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Wavelet::read(&path).unwrap_err().to_string();
            assert!(error.contains("w.txt") && error.contains(said), "{error}");
        }
    }
}
