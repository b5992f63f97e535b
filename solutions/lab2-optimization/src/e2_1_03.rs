//! Exercise 2.1.3: which sound files the lab can use, and what they hold.

use std::path::Path;

use lab2_optimization::audio::RATE;
use lab2_optimization::audio::spectrum::share_above;
use lab2_optimization::audio::wav::{self, AudioError, WavInfo, Why};

/// Checks a sound file: two channels, 44,100 samples per second, 1 to 300 seconds, complete.
/// Between 60 and 120 seconds are best for the lab: others get a warning.
///
/// # Errors
/// The first thing that is wrong with the file, in the order: no WAV file ([`wav::open`]),
/// channels, rate, no samples at all, duration, truncated ([`wav::frames`]).
pub fn check_wav(path: &Path) -> Result<WavInfo, AudioError> {
    // <lab
    let reader = wav::open(path)?;
    let spec = reader.spec();
    if spec.channels != 2 {
        return Err(AudioError::new(path, Why::Channels(spec.channels)));
    }
    if spec.sample_rate != RATE {
        return Err(AudioError::new(path, Why::Rate(spec.sample_rate)));
    }
    let frames = reader.duration() as usize;
    if frames == 0 {
        return Err(AudioError::new(path, Why::Empty));
    }
    let seconds = frames as f64 / f64::from(RATE);
    if !(1.0..=300.0).contains(&seconds) {
        return Err(AudioError::new(path, Why::Duration(seconds)));
    }
    let high_share = share_above(&wav::frames(path, reader)?, 5000.0);
    let warning = (!(60.0..=120.0).contains(&seconds))
        .then(|| format!("{seconds:.1} s of sound: 60 to 120 s are best"));
    Ok(WavInfo {
        frames,
        seconds,
        bits: spec.bits_per_sample,
        float: spec.sample_format == hound::SampleFormat::Float,
        high_share,
        warning,
    })
    //~ let _ = (RATE, share_above, wav::open);
    //~ Err(AudioError::new(path, Why::Broken("check_wav is not written yet".into())))
    // lab>
}
