//! The mean amplitude spectrum of traces, and what is read from it.

use rustfft::algorithm::Radix4;
use rustfft::{FftDirection, Length};

use super::filter::{padded, transformed};

/// Sums the power of traces over frequency; each trace counts the same, however loud.
pub struct MeanSpectrum {
    transform: Radix4<f32>,
    power: Vec<f64>,
    traces: usize,
}

/// A spectrum's peak and the band around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Frequency of the largest amplitude, Hz.
    pub peak_hz: f64,
    /// Lowest frequency from which on the amplitude stays above a tenth (-20 dB) of the peak's.
    pub low_hz: f64,
    /// Highest such frequency.
    pub high_hz: f64,
}

impl MeanSpectrum {
    /// For traces of `ns` samples, which are padded to a power of two.
    pub fn new(ns: usize) -> MeanSpectrum {
        let transform = Radix4::new(padded(ns), FftDirection::Forward);
        let power = vec![0.0; transform.len() / 2 + 1];
        MeanSpectrum { transform, power, traces: 0 }
    }

    /// Adds a trace of finite samples; one of zeros counts for nothing.
    pub fn add(&mut self, samples: &[f32]) {
        let energy: f64 = samples.iter().map(|v| f64::from(*v).powi(2)).sum();
        if energy == 0.0 {
            return;
        }
        let scale = (1.0 / energy.sqrt()) as f32;
        let bins = transformed(&self.transform, samples.iter().map(|v| v * scale));
        for (sum, bin) in self.power.iter_mut().zip(&bins) {
            *sum += f64::from(bin.norm_sqr());
        }
        self.traces += 1;
    }

    /// Traces that were added.
    pub fn traces(&self) -> usize {
        self.traces
    }

    /// Summed power over frequency, from 0 to the Nyquist frequency.
    pub fn power(&self) -> &[f64] {
        &self.power
    }

    /// Frequency (Hz) and amplitude (decibels below the largest) for samples `dt_s` apart; empty
    /// without traces.
    pub fn decibels(&self, dt_s: f64) -> Vec<(f64, f64)> {
        let largest = self.power.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return Vec::new();
        }
        let step_hz = 1.0 / (self.transform.len() as f64 * dt_s);
        let level = |p: &f64| 10.0 * (p / largest).max(1e-12).log10();
        self.power.iter().enumerate().map(|(k, p)| (k as f64 * step_hz, level(p))).collect()
    }

    /// The peak and the band at -20 dB around it; `None` without traces.
    pub fn band(&self, dt_s: f64) -> Option<Band> {
        let curve = self.decibels(dt_s);
        let top = (0..curve.len()).max_by(|&a, &b| curve[a].1.total_cmp(&curve[b].1))?;
        let low = (0..top).rev().find(|&k| curve[k].1 < -20.0).map_or(0, |k| k + 1);
        let high = (top..curve.len()).find(|&k| curve[k].1 < -20.0).unwrap_or(curve.len()) - 1;
        Some(Band { peak_hz: curve[top].0, low_hz: curve[low].0, high_hz: curve[high].0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::wavelet::ricker;

    /// The Ricker wavelet's spectrum is `u exp(1 - u)` of its peak, u = (f / fq)^2: a tenth at
    /// 0.1954 and 2.2108 fq.
    #[test]
    fn the_spectrum_of_a_ricker_wavelet_is_known() {
        let (fq, dt_s) = (25.0, 0.002);
        let mut mean = MeanSpectrum::new(1000);
        assert_eq!(mean.band(dt_s), None);
        for (gain, first_s) in [(1.0f32, -0.1), (1e6, -0.7)] {
            let samples = ricker(fq, first_s, dt_s, 1000);
            mean.add(&samples.iter().map(|v| *v as f32 * gain).collect::<Vec<_>>());
        }
        mean.add(&[0.0; 1000]);
        assert_eq!(mean.traces(), 2);
        let band = mean.band(dt_s).unwrap();
        let step_hz = 1.0 / (2048.0 * dt_s);
        assert!((band.peak_hz - fq).abs() <= 0.5 * step_hz, "{band:?}");
        assert!((0.0..=step_hz).contains(&(band.low_hz - 0.1954 * fq)), "{band:?}");
        assert!((0.0..=step_hz).contains(&(2.2108 * fq - band.high_hz)), "{band:?}");
    }
}
