//! The source's wavelet from what was recorded: from the direct wave, or from the traces' mean
//! spectrum; and how its phase looks.

use std::f64::consts::PI;

use rustfft::algorithm::Radix4;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection};

use super::filter::{Filter, transformed};
use super::inspect::DirectWave;
use super::sinc::Resampler;
use super::spectrum::MeanSpectrum;
use super::wavelet::Wavelet;
use crate::io::TraceReader;
use crate::{Error, Result};

/// Traces that are taken, at most.
const SAMPLED: usize = 2000;
/// Least amplitude of a spectrum whose logarithm is taken, of its largest.
const FLOOR: f64 = 1e-3;

/// The phase of a wavelet of statistics: its spectrum is the data's, its phase a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Symmetric about time zero.
    Zero,
    /// All of its energy as early after time zero as its spectrum allows (Kolmogorov): an
    /// explosion's.
    Minimum,
}

/// What a wavelet looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// When its envelope is largest, seconds.
    pub peak_s: f64,
    /// Its phase there, degrees: 0 a peak in the middle, 180 a trough, 90 and -90 a zero between
    /// them.
    pub phase_deg: f64,
    /// Frequency of its largest amplitude, Hz.
    pub peak_hz: f64,
}

impl Look {
    /// Of a wavelet; `None` if it is all zeros.
    pub fn of(wavelet: &Wavelet) -> Option<Look> {
        let Wavelet { dt_s, start_s, samples } = wavelet;
        // The Hilbert transform turns cos(w t) into sin(w t).
        let turned = Filter::turning(samples.len(), *dt_s, |_| 1.0, -0.5 * PI).apply(samples);
        let analytic = |k: usize| Complex::new(f64::from(samples[k]), f64::from(turned[k]));
        let size = |k: usize| analytic(k).norm();
        let top = (0..samples.len()).max_by(|&a, &b| size(a).total_cmp(&size(b)))?;
        let mut spectrum = MeanSpectrum::new(samples.len());
        spectrum.add(samples);
        let peak_hz = spectrum.band(*dt_s)?.peak_hz;
        let phase_deg = analytic(top).arg().to_degrees();
        Some(Look { peak_s: start_s + top as f64 * dt_s, phase_deg, peak_hz })
    }
}

/// The wavelet of the direct wave: the mean of the traces from `offsets_m`, each moved by its
/// distance over the wave's velocity and multiplied by `4 pi distance` (what a point source's wave
/// loses), from half of `length_s` before its peak to half behind. Its time zero is the shot's;
/// with samples in Pa it is in Pa m.
///
/// # Errors
/// The file cannot be read; no live trace lies in the range of offsets.
pub fn direct(
    reader: &mut TraceReader,
    wave: DirectWave,
    offsets_m: [f64; 2],
    length_s: f64,
) -> Result<Wavelet> {
    let mut dt_s = 0.0;
    let mut sum: Vec<f64> = Vec::new();
    let start_s = wave.peak_s - 0.5 * length_s;
    let mut count = 0;
    each_live(reader, |far_m, first_s, step_s, samples| {
        if !(offsets_m[0]..=offsets_m[1]).contains(&far_m) || far_m <= 0.0 {
            return;
        }
        if count == 0 {
            dt_s = step_s;
            sum = vec![0.0; (length_s / dt_s).round().max(2.0) as usize + 1];
        }
        let late_s = start_s + far_m / wave.v_mps - first_s;
        let moved = Resampler::new(step_s, late_s, sum.len(), dt_s).apply(samples);
        let spread = 4.0 * PI * far_m;
        sum.iter_mut().zip(moved).for_each(|(s, v)| *s += spread * f64::from(v));
        count += 1;
    })?;
    if count == 0 {
        return Err(Error::refused(
            format!("{}: offsets {} to {} m", reader.path().display(), offsets_m[0], offsets_m[1]),
            "no live trace lies there",
            "see the offsets that `rtm inspect` prints",
        ));
    }
    let samples = sum.iter().map(|v| (v / count as f64) as f32).collect();
    Ok(Wavelet { dt_s, start_s, samples: tapered(samples) })
}

/// The wavelet whose amplitude spectrum is the traces' mean, smoothed as a length of `length_s`
/// asks for, and whose phase is as wanted; its largest sample is 1.
///
/// # Errors
/// The file cannot be read, or has no live trace.
pub fn statistical(reader: &mut TraceReader, phase: Phase, length_s: f64) -> Result<Wavelet> {
    let mut mean = MeanSpectrum::new(reader.samples());
    let mut dt_s = 0.0;
    each_live(reader, |_, _, step_s, samples| {
        dt_s = step_s;
        mean.add(samples);
    })?;
    let power = mean.power();
    if mean.traces() == 0 || dt_s <= 0.0 {
        return Err(Error::refused(
            reader.path().display(),
            "no live trace with samples and a time step",
            "see what `rtm inspect` says of the file",
        ));
    }
    let len = 2 * (power.len() - 1);
    let [forward, inverse] =
        [FftDirection::Forward, FftDirection::Inverse].map(|way| Radix4::<f32>::new(len, way));
    // From the frequencies up to the highest to samples, and back.
    let samples_of = |bins: Vec<Complex<f32>>| -> Vec<f64> {
        let mirrored = (1..len / 2).rev().map(|k| bins[k].conj());
        let mut all: Vec<_> = bins.iter().copied().chain(mirrored).collect();
        inverse.process(&mut all);
        all.into_iter().map(|v| f64::from(v.re) / len as f64).collect()
    };
    let real = |bins: Vec<f64>| {
        samples_of(bins.into_iter().map(|v| Complex::new(v as f32, 0.0)).collect())
    };
    let spectrum = |values: Vec<f64>| -> Vec<Complex<f32>> {
        let mut bins = transformed(&forward, values.into_iter().map(|v| v as f32));
        bins.truncate(len / 2 + 1);
        bins
    };
    // The autocorrelation, faded out at the wavelet's length: the spectrum becomes as smooth.
    let largest = power.iter().copied().fold(0.0, f64::max);
    let mut lags = real(power.iter().map(|p| p / largest).collect());
    let half = (0.5 * length_s / dt_s).round().max(1.0);
    for (k, v) in lags.iter_mut().enumerate() {
        let lag = k.min(len - k) as f64;
        *v *= 0.5 + 0.5 * (PI * (0.5 * lag / half).min(1.0)).cos();
    }
    let amplitude: Vec<f64> =
        spectrum(lags).iter().map(|v| f64::from(v.re.max(0.0)).sqrt()).collect();
    let n = ((2.0 * half) as usize).min(len / 2);
    let (samples, start_s): (Vec<f64>, f64) = match phase {
        Phase::Zero => {
            let wave = real(amplitude);
            let first = len - n / 2;
            ((0..=n).map(|k| wave[(first + k) % len]).collect(), -((n / 2) as f64) * dt_s)
        }
        Phase::Minimum => {
            let top = amplitude.iter().copied().fold(0.0, f64::max);
            let mut cepstrum = real(amplitude.iter().map(|a| (a / top).max(FLOOR).ln()).collect());
            // Only what is after time zero, twice.
            cepstrum[1..len / 2].iter_mut().for_each(|v| *v *= 2.0);
            cepstrum[len / 2 + 1..].fill(0.0);
            let bins = spectrum(cepstrum).into_iter().map(|v| v.exp()).collect();
            (samples_of(bins)[..=n].to_vec(), 0.0)
        }
    };
    let top = samples.iter().copied().fold(0.0, |a: f64, v| a.max(v.abs()));
    let samples = samples.iter().map(|v| (v / top) as f32).collect();
    let samples = if phase == Phase::Zero { tapered(samples) } else { samples };
    Ok(Wavelet { dt_s, start_s, samples })
}

/// Calls `take` with distance, first time, time step and samples of live traces, which are spread
/// evenly over the file.
fn each_live(reader: &mut TraceReader, mut take: impl FnMut(f64, f64, f64, &[f32])) -> Result<()> {
    let every = reader.traces().div_ceil(SAMPLED).max(1);
    for index in (0..reader.traces()).step_by(every) {
        reader.seek(index)?;
        let Some(trace) = reader.next_raw()? else { break };
        let h = &trace.header;
        if h.dead || !trace.samples.iter().all(|v| v.is_finite()) {
            continue;
        }
        let apart = (0..3).map(|a| (h.receiver_m[a] - h.source_m[a]).powi(2)).sum::<f64>().sqrt();
        take(apart, h.delay_s, h.dt_s, &trace.samples);
    }
    Ok(())
}

/// Both ends fall to 0 within a tenth of the length.
fn tapered(mut samples: Vec<f32>) -> Vec<f32> {
    let n = samples.len();
    let rim = (n / 10).max(1);
    for k in 0..rim.min(n) {
        let share = (0.5 - 0.5 * (PI * k as f64 / rim as f64).cos()) as f32;
        samples[k] *= share;
        samples[n - 1 - k] *= share;
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Trace, TraceFormat, TraceHeader, write_traces};
    use crate::survey::wavelet::ricker;
    use std::path::Path;

    const DT_S: f64 = 0.002;

    /// A Ricker wavelet of 25 Hz with its peak at 0.06 s, its phase turned, 0.2 s long.
    fn emitted(phase_deg: f64) -> Vec<f32> {
        let plain: Vec<f32> = ricker(25.0, -0.26, DT_S, 261).iter().map(|v| *v as f32).collect();
        let phase = phase_deg.to_radians();
        Filter::turning(plain.len(), DT_S, |_| 1.0, phase).apply(&plain)
    }

    /// Traces of its direct wave at 1600 m/s, 100 to 490 m away, from -0.04 s on.
    fn write(path: &Path, phase_deg: f64) {
        let wave = emitted(phase_deg);
        let mut traces = (0..40).map(|k| {
            let far_m = 100.0 + 10.0 * f64::from(k);
            // Sample 0 of the wavelet is at 0.06 - 0.26 s.
            let late_s = -0.04 - far_m / 1600.0 + 0.2;
            let moved = Resampler::new(DT_S, late_s, 400, DT_S).apply(&wave);
            let spread = (4.0 * PI * far_m) as f32;
            let header = TraceHeader {
                shot: 1,
                receiver_m: [far_m, 0.0, 0.0],
                dt_s: DT_S,
                delay_s: -0.04,
                ..Default::default()
            };
            Ok(Trace { header, samples: moved.iter().map(|v| v / spread).collect() })
        });
        write_traces(path, TraceFormat::Su, "", &mut traces).unwrap();
    }

    #[test]
    fn the_direct_waves_wavelet_has_its_size_time_and_phase() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.su");
        let wave = DirectWave { v_mps: 1600.0, peak_s: 0.06, scatter_s: 0.0, picks: 40 };
        for phase_deg in [0.0, 60.0, -90.0] {
            write(&path, phase_deg);
            let mut reader = TraceReader::open(&path).unwrap();
            let found = direct(&mut reader, wave, [0.0, 1e9], 0.16).unwrap();
            let look = Look::of(&found).unwrap();
            assert!((look.phase_deg - phase_deg).abs() < 3.0, "{phase_deg}: {look:?}");
            assert!((look.peak_s - 0.06).abs() < 1e-3 + DT_S, "{look:?}");
            assert!((look.peak_hz - 25.0).abs() < 2.0, "{look:?}");
            let want = emitted(phase_deg);
            let off = (20..60)
                .map(|k| {
                    let t = found.start_s + k as f64 * DT_S;
                    let at = ((t - 0.06 + 0.26) / DT_S).round() as usize;
                    (found.samples[k] - want[at]).abs()
                })
                .fold(0.0, f32::max);
            assert!(off < 5e-3, "{phase_deg}: {off}");
        }
        let mut reader = TraceReader::open(&path).unwrap();
        let error = direct(&mut reader, wave, [600.0, 700.0], 0.16).unwrap_err().to_string();
        assert!(error.contains("600 to 700 m") && error.contains("fix"), "{error}");
    }

    /// From the spectrum alone: a Ricker wavelet again if the phase is zero; if it is minimum, the
    /// same spectrum, all of it after time zero.
    #[test]
    fn statistics_find_the_spectrum_and_the_phase_is_as_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.su");
        write(&path, 70.0);
        let mut reader = TraceReader::open(&path).unwrap();
        let zero = statistical(&mut reader, Phase::Zero, 0.2).unwrap();
        let look = Look::of(&zero).unwrap();
        assert!(look.phase_deg.abs() < 1.0 && look.peak_s.abs() < 1e-9, "{look:?}");
        let want = ricker(25.0, zero.start_s, DT_S, zero.samples.len());
        let pairs = zero.samples.iter().map(|v| f64::from(*v)).zip(&want);
        let [xy, xx, yy] =
            pairs.fold([0.0; 3], |s, (x, y)| [s[0] + x * y, s[1] + x * x, s[2] + y * y]);
        assert!(xy / (xx * yy).sqrt() > 0.99, "{}", xy / (xx * yy).sqrt());
        let least = statistical(&mut reader, Phase::Minimum, 0.2).unwrap();
        let energy = |w: &Wavelet, n: usize| {
            w.samples[..n].iter().map(|v| f64::from(*v).powi(2)).sum::<f64>()
        };
        assert_eq!(least.start_s, 0.0);
        assert!(energy(&least, 20) > 0.9 * energy(&least, least.samples.len()), "early");
        let look = Look::of(&least).unwrap();
        assert!((look.peak_hz - 25.0).abs() < 3.0, "{look:?}");
    }
}
