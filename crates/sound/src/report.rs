//! How much noise and hum a filter takes out, in numbers.

use crate::{Frame, channel, filter64, rms};

/// Levels before and after the filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// Root mean square of the clean music.
    pub music: f64,
    /// Of what was added to it: noise and hum.
    pub disturbance: f64,
    /// Of the music after the filter.
    pub music_left: f64,
    /// Of noise and hum after the filter.
    pub disturbance_left: f64,
    /// Of the difference between the filtered spoilt music and the clean music, as late as the
    /// filter makes it.
    pub difference: f64,
}

impl Levels {
    /// Measures them; the filter's first `n` outputs, while it fills, do not count.
    pub fn measure(org: &[Frame], spoilt: &[Frame], h: &[f64]) -> Levels {
        let added: Vec<Frame> =
            org.iter().zip(spoilt).map(|(o, s)| [s[0] - o[0], s[1] - o[1]]).collect();
        let n = h.len().saturating_sub(1).min(org.len());
        let filtered = |y: &[Frame]| -> Vec<Frame> {
            let [left, right] = [0, 1].map(|c| filter64(&channel(y, c), h));
            left.into_iter().zip(right).map(|(l, r)| [l, r]).skip(n).collect()
        };
        let (music, rest) = (filtered(org), filtered(&added));
        // A symmetric filter of order n delays by n/2 samples.
        let late = &org[n - n / 2..];
        let parts = music.iter().zip(&rest).zip(late);
        let difference: Vec<Frame> =
            parts.map(|((m, r), o)| [0, 1].map(|c| m[c] + r[c] - o[c])).collect();
        Levels {
            music: rms(org),
            disturbance: rms(&added),
            music_left: rms(&music),
            disturbance_left: rms(&rest),
            difference: rms(&difference),
        }
    }

    /// A table of lines for people.
    pub fn text(&self) -> String {
        let db = |signal: f64, noise: f64| 20.0 * (signal / noise).log10();
        format!(
            "signal-to-noise ratio before: {:6.1} dB (music {:.4}, noise and hum {:.4} rms)\n\
             signal-to-noise ratio after:  {:6.1} dB (music {:.4}, noise and hum {:.2e} rms)\n\
             against the clean music:      {:6.1} dB (what the filter changes in the music \
             counts as noise here)\n",
            db(self.music, self.disturbance),
            self.music,
            self.disturbance,
            db(self.music_left, self.disturbance_left),
            self.music_left,
            self.disturbance_left,
            db(self.music, self.difference),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_changes_nothing() {
        let org: Vec<Frame> =
            (0..400).map(|k| [f64::from(k % 7) - 3.0, f64::from(k % 5) - 2.0]).collect();
        let spoilt: Vec<Frame> = org.iter().map(|f| [f[0] + 1.0, f[1] - 1.0]).collect();
        let mut h = vec![0.0; 9];
        h[4] = 1.0;
        let levels = Levels::measure(&org, &spoilt, &h);
        assert!((levels.disturbance - 1.0).abs() < 1e-12);
        assert!((levels.disturbance_left - 1.0).abs() < 1e-12);
        assert!((levels.difference - 1.0).abs() < 1e-12);
        h[4] = 0.5;
        let levels = Levels::measure(&org, &spoilt, &h);
        assert!((levels.disturbance_left - 0.5).abs() < 1e-12);
        assert!(levels.text().lines().count() == 3);
    }
}
