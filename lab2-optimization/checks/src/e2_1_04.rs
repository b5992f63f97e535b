//! Checks of exercise 2.1.4: spoiling and restoring the signal.

use std::f64::consts::{PI, TAU};

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect, trace};
use rand::RngExt;
use serde_json::{Value, json};

use crate::fir_c;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.1.4",
    key: "e2_1_04",
    title: "Spoiling and restoring the signal",
    points: 7,
    files: &["src/e2_1_04.rs"],
    todo: "Write highpass128, spoil, design, make_in and soundsc in src/e2_1_04.rs.",
    hints: &[
        ("a", "a high-pass is normalised at the Nyquist frequency: divide by |sum h[k] (-1)^k|"),
        ("b", "the hum is in both channels, the same: sin(2 pi 50 k / 44100)"),
        ("c", "the noise of the channels must be independent: another stream for each"),
        ("d", "frequencies are in Hz here: pass fs, do not divide by it"),
        ("e", "divide by the greatest absolute value of both channels, do not clip"),
        ("f", "n = 1024 means 1025 taps"),
        ("w", "window and impulse response: look at the formula again, tap by tap"),
        (
            "n",
            "white(len, seed, stream) gives N(0,1); send it through highpass128 before it is added",
        ),
        ("p", "bands, gains and weights of this design are in its comment"),
        ("r", "the reference is filter64 of the unrounded values; round at the end"),
        ("h", "header, coefficients, left input, right input, left reference, right reference"),
    ],
    checks: &[
        Check {
            name: "highpass",
            what: "taps and response of the high-pass",
            weight: 1,
            run: highpass,
        },
        Check {
            name: "noise",
            what: "level, spectrum and independence of the noise",
            weight: 1,
            run: noise,
        },
        Check { name: "hum", what: "50 Hz, amplitude 1, in both channels", weight: 1, run: hum },
        Check {
            name: "designs",
            what: "both filters against their specification",
            weight: 2,
            run: designs,
        },
        Check { name: "file", what: "audiofir_in.dat byte by byte", weight: 1, run: file },
        Check { name: "wav", what: "scaling for WAV files", weight: 1, run: wav },
    ],
};

const RATE: f64 = 44_100.0;

fn floats(bits: Vec<u64>) -> Vec<f64> {
    bits.into_iter().map(f64::from_bits).collect()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Magnitude of the response at a frequency.
fn gain(h: &[f64], hz: f64) -> f64 {
    let (mut re, mut im) = (0.0, 0.0);
    for (k, h) in h.iter().enumerate() {
        let angle = TAU * hz / RATE * k as f64;
        re += h * angle.cos();
        im -= h * angle.sin();
    }
    re.hypot(im)
}

/// The high-pass by its formula.
fn highpass_taps() -> Vec<f64> {
    let fc = 11_000.0 / RATE;
    let mut h: Vec<f64> = (0..129)
        .map(|k| {
            let w = [0.35875, -0.48829, 0.14128, -0.01168];
            let terms = w.iter().enumerate().map(|(m, w)| w * (PI / 64.0 * (m * k) as f64).cos());
            let d = k as f64 - 64.0;
            let ideal = if k == 64 { 1.0 - 2.0 * fc } else { -(TAU * fc * d).sin() / (PI * d) };
            terms.sum::<f64>() * ideal
        })
        .collect();
    let nyquist = gain(&h, RATE / 2.0);
    h.iter_mut().for_each(|h| *h /= nyquist);
    h
}

fn highpass(t: &Trial) -> Outcome {
    let h = floats(trace::value(&t.call("e2_1_04.highpass", &Value::Null)?)?);
    let want = highpass_taps();
    let nyquist = gain(&h, RATE / 2.0);
    expect::that((nyquist - 1.0).abs() < 1e-9, || {
        format!(
            "highpass128: expected gain 1 at 22050 Hz, found {nyquist:.6}; at 0 Hz it is {:.2e}",
            gain(&h, 0.0)
        )
    })
    // A multiple of the right taps has been scaled wrongly.
    .map_err(|f| {
        let scaled = h.iter().zip(&want).all(|(h, w)| (h - nyquist * w).abs() <= 1e-9 * nyquist);
        f.hint(if scaled && nyquist > 0.0 { "a" } else { "w" })
    })?;
    expect::close("highpass128", &h, &want, |_| 1e-12).map_err(|f| f.hint("w"))?;
    Ok(Evidence::new(format!(
        "centre tap {:.5}; gain {:.0e} at 9 kHz, {:.4} at 11 kHz, {:.3} at 13 kHz",
        h[64],
        gain(&h, 9000.0),
        gain(&h, 11_000.0),
        gain(&h, 13_000.0)
    )))
}

/// Samples of the signals that are spoilt here: one second, in which 50 Hz fits 50 times.
const LEN: usize = 44_100;

/// `spoil` of the given channels.
fn spoil(t: &Trial, y: &[Vec<f64>; 2], seed: u64) -> Result<[Vec<f64>; 2], Finding> {
    let request = json!({ "y": y.each_ref().map(|c| bits(c)), "seed": seed });
    let got: [Vec<u64>; 2] = trace::value(&t.call("e2_1_04.spoil", &request)?)?;
    let got = got.map(floats);
    for (c, name) in ["left", "right"].iter().enumerate() {
        expect::that(got[c].len() == y[c].len(), || {
            format!("spoil: {name} channel of {} samples became {}", y[c].len(), got[c].len())
        })?;
    }
    Ok(got)
}

/// Amplitudes of the sine and cosine of a frequency in a second of sound.
fn tone(x: &[f64], hz: f64) -> (f64, f64) {
    let scale = 2.0 / x.len() as f64;
    x.iter().enumerate().fold((0.0, 0.0), |(s, c), (k, x)| {
        let angle = TAU * hz * k as f64 / RATE;
        (s + scale * x * angle.sin(), c + scale * x * angle.cos())
    })
}

fn silence() -> [Vec<f64>; 2] {
    [vec![0.0; LEN], vec![0.0; LEN]]
}

fn rms(x: &[f64]) -> f64 {
    (x.iter().map(|v| v * v).sum::<f64>() / x.len() as f64).sqrt()
}

/// What is left without the hum.
fn noise_of(x: &[f64]) -> Vec<f64> {
    let (s, c) = tone(x, 50.0);
    let hum = |k: usize| {
        let angle = TAU * 50.0 * k as f64 / RATE;
        s * angle.sin() + c * angle.cos()
    };
    x.iter().enumerate().map(|(k, x)| x - hum(k)).collect()
}

fn noise(t: &Trial) -> Outcome {
    let seed = t.rng().random_range(0..1000u64);
    let spoilt = spoil(t, &silence(), seed)?;
    let [left, right] = spoilt.each_ref().map(|x| noise_of(x));
    let level = highpass_taps().iter().map(|h| h * h).sum::<f64>().sqrt();
    for (name, x) in [("left", &left), ("right", &right)] {
        let found = rms(x);
        expect::that((found - level).abs() <= 0.02 * level, || {
            format!(
                "noise in the {name} channel: expected {level:.3} rms within 2 %, found {found:.3}"
            )
        })
        .map_err(|f| f.hint("n"))?;
        // Below 9 kHz the high-pass leaves nothing; white noise would have 0.007 in each of these.
        for hz in [400.0, 1000.0, 3000.0, 5000.0, 7000.0] {
            let (s, c) = tone(x, hz);
            expect::that(s.hypot(c) < 1e-3, || {
                format!(
                    "noise in the {name} channel at {hz} Hz: expected none, found amplitude {:.4}",
                    s.hypot(c)
                )
            })
            .map_err(|f| f.hint("n"))?;
        }
    }
    let product: f64 = left.iter().zip(&right).map(|(l, r)| l * r).sum::<f64>() / LEN as f64;
    let likeness = product / (rms(&left) * rms(&right));
    expect::that(likeness.abs() < 0.05, || {
        format!("correlation of the noise in both channels: expected 0, found {likeness:.3}")
    })
    .map_err(|f| f.hint("c"))?;
    let again = spoil(t, &silence(), seed)?;
    let other = spoil(t, &silence(), seed + 1)?;
    expect::that(again == spoilt && other != spoilt, || {
        "the same seed must give the same noise, another seed another".into()
    })
    .map_err(|f| f.hint("n"))?;
    Ok(Evidence::new(format!(
        "{:.3} and {:.3} rms, correlation {likeness:.3}",
        rms(&left),
        rms(&right)
    )))
}

fn hum(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let seed = rng.random_range(0..1000u64);
    let spoilt = spoil(t, &silence(), seed)?;
    for (name, x) in ["left", "right"].into_iter().zip(&spoilt) {
        let (s, c) = tone(x, 50.0);
        expect::that((s - 1.0).abs() < 0.02 && c.abs() < 0.02, || {
            format!(
                "hum in the {name} channel: expected 1.00 sin + 0.00 cos at 50 Hz, found \
                 {s:.2} sin + {c:.2} cos"
            )
        })
        .map_err(|f| f.hint("b"))?;
    }
    // The music goes through unchanged.
    let music =
        [(); 2].map(|()| (0..LEN).map(|_| rng.random_range(-0.5..0.5)).collect::<Vec<f64>>());
    let both = spoil(t, &music, seed)?;
    for c in 0..2 {
        let rest: Vec<f64> = both[c].iter().zip(&spoilt[c]).map(|(b, s)| b - s).collect();
        expect::close("spoil(y) - spoil(0)", &rest, &music[c], |_| 1e-12)?;
    }
    Ok(Evidence::new("amplitude 1, phase 0, in both channels"))
}

/// What a design must achieve (spec, 2.1.4), within 2 %.
struct Goal {
    name: &'static str,
    /// Pass band: greatest `||H| - 1|` between these frequencies.
    pass: (f64, f64),
    ripple: f64,
    /// Greatest `|H|` from 10,100 Hz on.
    stop: f64,
    /// `|H|` at 50 Hz: exactly this, or below 1e-5 for a zero.
    hum: Option<f64>,
    /// Sum of the taps' absolute values.
    size: f64,
    /// Level of the noise after the filter.
    noise: f64,
}

const GOALS: [Goal; 2] = [
    Goal {
        name: "printed",
        pass: (90.0, 9900.0),
        ripple: 0.4213,
        stop: 4.21e-5,
        hum: Some(0.0268),
        size: 8.754,
        noise: 3.6e-4,
    },
    Goal {
        name: "hifi",
        pass: (150.0, 9900.0),
        ripple: 0.0115,
        stop: 1.15e-3,
        hum: None,
        size: 5.605,
        noise: 6.2e-4,
    },
];

fn designs(t: &Trial) -> Outcome {
    let mut evidence = Evidence::default();
    for goal in &GOALS {
        let reply = t.call("e2_1_04.design", &json!(goal.name))?;
        let h: Vec<u64> = trace::value(&reply).map_err(|f| f.hint("d"))?;
        evidence = evidence.line(design(goal, &floats(h))?);
    }
    Ok(evidence)
}

fn design(goal: &Goal, h: &[f64]) -> Result<String, Finding> {
    let name = goal.name;
    expect::that(h.len() == 1025, || format!("{name}: expected 1025 taps, found {}", h.len()))
        .map_err(|f| f.hint("f"))?;
    let skew = (0..1025).map(|k| (h[k] - h[1024 - k]).abs()).fold(0.0, f64::max);
    expect::that(skew <= 1e-12, || {
        format!("{name}: taps are not symmetric, difference {skew:.1e}")
    })
    .map_err(|f| f.hint("p"))?;
    // The ripples are 43 Hz wide: a step of 5 Hz meets their tops within 2 %.
    let grid = |from: f64, to: f64| {
        let steps = ((to - from) / 5.0).ceil() as usize;
        (0..=steps).map(move |k| from + (to - from) * k as f64 / steps as f64)
    };
    let greatest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let ripple = greatest(&mut grid(goal.pass.0, goal.pass.1).map(|hz| (gain(h, hz) - 1.0).abs()));
    let stop = greatest(&mut grid(10_100.0, 22_050.0).map(|hz| gain(h, hz)));
    let hum = gain(h, 50.0);
    let size: f64 = h.iter().map(|v| v.abs()).sum();
    let highpass = highpass_taps();
    let mut through = vec![0.0; h.len() + highpass.len() - 1];
    for (i, a) in h.iter().enumerate() {
        for (j, b) in highpass.iter().enumerate() {
            through[i + j] += a * b;
        }
    }
    let noise = through.iter().map(|v| v * v).sum::<f64>().sqrt();
    let measured = [
        ("ripple of the pass band", ripple, goal.ripple),
        ("greatest gain above 10.1 kHz", stop, goal.stop),
        ("sum of the taps' absolute values", size, goal.size),
        ("noise that is left, rms", noise, goal.noise),
        ("gain at 50 Hz", hum, goal.hum.unwrap_or(hum)),
    ];
    for (what, found, wanted) in measured {
        expect::that((found - wanted).abs() <= 0.02 * wanted, || {
            format!("{name}: {what}: expected {wanted:.3e} within 2 %, found {found:.3e}")
        })
        .map_err(|f| f.hint("p"))?;
    }
    expect::that(goal.hum.is_some() || hum < 1e-5, || {
        format!("{name}: gain at 50 Hz: expected a zero, below 1e-5, found {hum:.1e}")
    })
    .map_err(|f| f.hint("p"))?;
    Ok(format!(
        "{name}: ripple {ripple:.4}, |H(50 Hz)| {hum:.1e}, above 10.1 kHz {stop:.2e}, noise left \
         {noise:.1e}"
    ))
}

fn file(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let (n, len) = (rng.random_range(2..6usize), rng.random_range(8..20usize));
    let mut values =
        |count: usize| (0..count).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
    let (coeff, left, right) = (values(n + 1), values(len), values(len));
    let request = json!({ "coeff": bits(&coeff), "yin": [bits(&left), bits(&right)] });
    let got: Vec<u8> = trace::value(&t.call("e2_1_04.make_in", &request)?)?;
    let size = 8 + 4 * (n + 1) + 16 * len;
    expect::that(got.len() == size, || {
        format!("n = {n}, len = {len}: expected {size} bytes, found {}", got.len())
    })
    .map_err(|f| f.hint("h"))?;
    let header = [n as i32, len as i32].map(i32::to_le_bytes).concat();
    expect::eq("header", &got[..8], &header).map_err(|f| f.hint("h"))?;
    let found: Vec<f32> =
        got[8..].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let given = [&coeff[..], &left, &right].concat();
    let rounded: Vec<f32> = given.iter().map(|v| *v as f32).collect();
    let (first, reference) = found.split_at(given.len());
    expect::eq("coefficients and input", first, &rounded).map_err(|f| f.hint("h"))?;
    let filtered = |x: &[f64], h: &[f64]| -> Vec<f64> {
        (0..x.len()).map(|i| x[..=i].iter().rev().zip(h).map(|(x, h)| x * h).sum()).collect()
    };
    let want = [filtered(&left, &coeff), filtered(&right, &coeff)].concat();
    // One rounding to f32; sums of rounded values would be off by several.
    let tolerance = |i: usize| fir_c::bound(1, want[i].abs()) + 1e-14;
    expect::close("yref", reference, &want, tolerance).map_err(|f| f.hint("r"))?;
    Ok(Evidence::new(format!("n = {n}, len = {len}: {size} bytes, all as they must be")))
}

fn wav(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut channel =
        |peak: f64| (0..50).map(|_| peak * rng.random_range(-0.99..0.99)).collect::<Vec<f64>>();
    let (mut left, right) = (channel(3.0), channel(1.0));
    left[7] = -3.0;
    let soundsc = |left: &[f64], right: &[f64]| -> Result<Vec<[i16; 2]>, Finding> {
        trace::value(&t.call("e2_1_04.soundsc", &json!([bits(left), bits(right)]))?)
    };
    for factor in [1.0, 0.01] {
        let scaled = |x: &[f64]| x.iter().map(|v| factor * v).collect::<Vec<f64>>();
        let got = soundsc(&scaled(&left), &scaled(&right))?;
        expect::that(got.len() == 50, || format!("soundsc: 50 frames became {}", got.len()))?;
        for (k, frame) in got.iter().enumerate() {
            for (name, found, v) in [("left", frame[0], left[k]), ("right", frame[1], right[k])] {
                let want = 32_767.0 * v / 3.0;
                expect::that((f64::from(found) - want).abs() <= 0.500_001, || {
                    let v = factor * v;
                    format!(
                        "soundsc, {name}[{k}] = {v:.4} with a peak of {:.2}: expected \
                         {want:.0}, found {found}",
                        3.0 * factor
                    )
                })
                .map_err(|f| f.hint("e"))?;
            }
        }
    }
    let silent = soundsc(&[0.0; 4], &[0.0; 4])?;
    expect::that(silent == [[0, 0]; 4], || format!("soundsc of silence: found {silent:?}"))?;
    Ok(Evidence::new("loud and quiet signals are scaled to their greatest value"))
}
