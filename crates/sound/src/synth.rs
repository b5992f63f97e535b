//! A piece of music: plucked chords over a bass, with cymbals. It is quiet in between and rich in
//! high tones, so that one hears what a filter takes away and what noise it leaves.

use std::f64::consts::TAU;

use rand::RngExt;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::{Frame, RATE};

/// Seconds between two beats.
const BEAT: f64 = 0.5;
/// Chords, one for four beats: tones in half-tone steps from A = 220 Hz, lowest first.
const CHORDS: [[i32; 4]; 4] = [[0, 3, 7, 12], [-4, 0, 3, 8], [-9, -2, 3, 7], [-2, 2, 5, 10]];

/// `seconds` of music with a peak of 0.9; the same seed gives the same piece.
pub fn piece(seconds: f64, seed: u64) -> Vec<Frame> {
    let mut frames = vec![[0.0; 2]; (seconds * f64::from(RATE)).round() as usize];
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let beats = (seconds / BEAT).ceil() as usize;
    for beat in 0..beats {
        let chord = CHORDS[beat / 4 % CHORDS.len()];
        let start = beat as f64 * BEAT;
        if beat % 4 == 0 {
            pluck(&mut frames, start, chord[0] - 12, 0.5, 0.5, 2.0);
        }
        for half in 0..2 {
            let tone = chord[rng.random_range(0..4)] + 12 * rng.random_range(0..2);
            let strength = rng.random_range(0.15..0.4);
            let side = rng.random_range(0.1..0.9);
            pluck(&mut frames, start + 0.5 * BEAT * f64::from(half), tone, strength, side, 0.8);
        }
        if beat % 2 == 1 {
            let side = if beat % 4 == 1 { 0.3 } else { 0.7 };
            cymbal(&mut frames, start, 0.12, side, &mut rng);
        }
    }
    let peak = frames.iter().flatten().fold(1e-12, |peak: f64, v| peak.max(v.abs()));
    for value in frames.iter_mut().flatten() {
        *value *= 0.9 / peak;
    }
    frames
}

/// A string: harmonics that decay, the higher the faster. `side` is 0 for left, 1 for right.
fn pluck(
    frames: &mut [Frame],
    start: f64,
    half_tones: i32,
    strength: f64,
    side: f64,
    decay_s: f64,
) {
    let pitch = 220.0 * 2f64.powf(f64::from(half_tones) / 12.0);
    for harmonic in (1..=40u32).map(f64::from).take_while(|h| h * pitch < 18_000.0) {
        // Strings are stiff: their harmonics are a little sharp.
        let hz = harmonic * pitch * (1.0 + 2e-4 * harmonic * harmonic).sqrt();
        let time = decay_s / (1.0 + 0.15 * harmonic);
        let tone = |t: f64| (TAU * hz * t).sin() * (-t / time).exp();
        add(frames, start, 6.0 * time, side, |t| strength * tone(t) / harmonic);
    }
}

/// A burst of noise without its low tones, which dies away.
fn cymbal(frames: &mut [Frame], start: f64, strength: f64, side: f64, rng: &mut ChaCha8Rng) {
    let mut last = [0.0; 2];
    add(frames, start, 0.4, side, |t| {
        // The second difference of white noise rises with the square of the frequency.
        let white = rng.random_range(-1.0..1.0);
        let high = white - 2.0 * last[0] + last[1];
        last = [white, last[0]];
        strength * high * (-t / 0.08).exp()
    });
}

/// Adds `sound(t)`, t in seconds from `start`, for `seconds`.
fn add(
    frames: &mut [Frame],
    start: f64,
    seconds: f64,
    side: f64,
    mut sound: impl FnMut(f64) -> f64,
) {
    let rate = f64::from(RATE);
    let first = ((start * rate) as usize).min(frames.len());
    let count = (seconds * rate) as usize;
    for (k, frame) in frames[first..].iter_mut().take(count).enumerate() {
        let value = sound(k as f64 / rate);
        frame[0] += value * (1.0 - side);
        frame[1] += value * side;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::share_above;

    #[test]
    fn the_piece_is_as_long_as_asked_and_has_high_tones() {
        let frames = piece(2.5, 1);
        assert_eq!(frames.len(), 110_250);
        let peak = frames.iter().flatten().fold(0.0f64, |p, v| p.max(v.abs()));
        assert!((peak - 0.9).abs() < 1e-9, "{peak}");
        let share = share_above(&frames, 5000.0);
        assert!((0.005..0.5).contains(&share), "{share}");
        assert!(frames.iter().any(|f| (f[0] - f[1]).abs() > 0.1), "the channels are the same");
        assert_eq!(piece(0.5, 1), piece(0.5, 1));
        assert_ne!(piece(0.5, 1), piece(0.5, 2));
        assert!(piece(0.0, 1).is_empty());
    }
}
