//! Checks of exercise 2.1.3: choosing an audio signal.

use grading::{Call, Check, Evidence, Exercise, Finding, Outcome, Reply, Trial, expect, trace};
use rand::RngExt;
use serde::Deserialize;
use serde_json::json;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.1.3",
    key: "e2_1_03",
    title: "Choosing an audio signal",
    points: 2,
    files: &["src/e2_1_03.rs"],
    todo: "Write check_wav in src/e2_1_03.rs.",
    hints: &[
        ("a", "exactly two channels"),
        ("b", "44,100 samples per second, no other rate"),
        ("c", "duration = frames / rate; a frame has two samples, one per channel"),
        (
            "d",
            "1 to 300 seconds are accepted, both included; outside of 60 to 120 there is a warning",
        ),
        (
            "e",
            "an empty file and one that ends early have errors of their own; wav::frames finds the \
             second",
        ),
        ("s", "share_above(&frames, 5000.0), of the frames that wav::frames reads"),
    ],
    checks: &[
        Check { name: "accepts", what: "16-bit, 24-bit and float files", weight: 1, run: accepts },
        Check { name: "rejects", what: "files that the lab cannot use", weight: 1, run: rejects },
        Check {
            name: "synth",
            what: "duration, warning and high tones of music",
            weight: 1,
            run: synth,
        },
    ],
};

const RATE: u32 = 44_100;

/// A WAV file to be made.
#[derive(Clone, Copy)]
struct Wav {
    channels: u16,
    rate: u32,
    /// 16, 24, or 32 for `f32`.
    bits: u16,
    frames: usize,
    /// Frequency of the sine in it; 0 for silence.
    hz: f64,
}

const GOOD: Wav = Wav { channels: 2, rate: RATE, bits: 16, frames: RATE as usize, hz: 440.0 };

impl Wav {
    /// Bytes of a frame.
    fn block(&self) -> u16 {
        self.channels * self.bits / 8
    }

    /// The file's bytes.
    fn bytes(&self) -> Vec<u8> {
        let mut data = self.header();
        for k in 0..self.frames {
            let turn = std::f64::consts::TAU * self.hz * k as f64 / f64::from(self.rate);
            let value = 0.5 * turn.sin();
            for _ in 0..self.channels {
                match self.bits {
                    16 => data.extend(((value * 32767.0) as i16).to_le_bytes()),
                    24 => data.extend(&((value * 8_388_607.0) as i32).to_le_bytes()[..3]),
                    _ => data.extend((value as f32).to_le_bytes()),
                }
            }
        }
        data
    }

    /// The bytes before the samples, by the format's definition (RIFF, `fmt `, `data`).
    fn header(&self) -> Vec<u8> {
        let (block, tag) = (self.block(), if self.bits == 32 { 3u16 } else { 1 });
        let data = self.frames as u32 * u32::from(block);
        let mut file = b"RIFF".to_vec();
        file.extend((36 + data).to_le_bytes());
        file.extend(b"WAVEfmt ");
        file.extend(16u32.to_le_bytes());
        file.extend(tag.to_le_bytes());
        file.extend(self.channels.to_le_bytes());
        file.extend(self.rate.to_le_bytes());
        file.extend((self.rate * u32::from(block)).to_le_bytes());
        file.extend(block.to_le_bytes());
        file.extend(self.bits.to_le_bytes());
        file.extend(b"data");
        file.extend(data.to_le_bytes());
        file
    }
}

/// What the handler says of a good file.
#[derive(Deserialize)]
struct Info {
    frames: usize,
    seconds: f64,
    bits: u16,
    float: bool,
    high_share: f64,
    warning: Option<String>,
}

fn call(name: &str, bytes: Option<&[u8]>) -> Call {
    Call::new("e2_1_03.check_wav", &json!({ "name": name, "bytes": bytes, "zeros": 0 }))
}

fn info(what: &str, reply: &Reply) -> Result<Info, Finding> {
    let value: serde_json::Value = trace::value(reply)?;
    if let Some(error) = value["error"].as_str() {
        let finding = Finding::wrong(format!("{what} must be accepted, but: {error}"));
        return Err(match value["kind"].as_str() {
            Some("duration") => finding.hint("d"),
            Some("channels") => finding.hint("a"),
            Some("rate") => finding.hint("b"),
            _ => finding.hint("e"),
        });
    }
    serde_json::from_value(value).map_err(|e| Finding::grader(format!("{what}: {e}")))
}

/// A file's properties that follow from how it was made.
fn same(what: &str, wav: &Wav, info: &Info) -> Result<(), Finding> {
    let seconds = wav.frames as f64 / f64::from(RATE);
    let double = info.frames == 2 * wav.frames || (info.seconds - 2.0 * seconds).abs() < 1e-9;
    let duration = info.frames == wav.frames && (info.seconds - seconds).abs() < 1e-9;
    expect::that(duration, || {
        let (found, s) = (info.frames, info.seconds);
        format!("{what}: expected {} frames, {seconds:.3} s; found {found}, {s:.3} s", wav.frames)
    })
    .map_err(|f| if double { f.hint("c") } else { f })?;
    let float = wav.bits == 32;
    expect::that(info.bits == wav.bits && info.float == float, || {
        format!(
            "{what}: expected {} bits, float {float}; found {}, {}",
            wav.bits, info.bits, info.float
        )
    })
}

fn accepts(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let frames = rng.random_range(RATE as usize..2 * RATE as usize);
    let files = [
        ("a 16-bit file", Wav { frames, ..GOOD }),
        ("a 24-bit file", Wav { bits: 24, ..GOOD }),
        ("a float file", Wav { bits: 32, ..GOOD }),
    ];
    let calls: Vec<Call> = files.iter().map(|(_, w)| call("x.wav", Some(&w.bytes()))).collect();
    for ((what, wav), reply) in files.iter().zip(t.host(&calls)?) {
        same(what, wav, &info(what, &reply)?)?;
    }
    Ok(Evidence::new("16 bits, 24 bits and floating point"))
}

fn rejects(t: &Trial) -> Outcome {
    let good = GOOD.bytes();
    let mono = Wav { channels: 1, ..GOOD }.bytes();
    let three = Wav { channels: 3, ..GOOD }.bytes();
    let fast = Wav { rate: 48_000, frames: 48_000, ..GOOD }.bytes();
    let empty = Wav { frames: 0, ..GOOD }.bytes();
    let short = Wav { frames: RATE as usize - 1, ..GOOD }.bytes();
    let mp3 =
        [b"ID3\x03\x00\x00\x00\x00".as_slice(), &[0xff, 0xfb, 0x90, 0x64], &[0; 400]].concat();
    // What the file is, its name and bytes, the kind of the error, a part of its text, and the
    // hint.
    type Case<'a> = (&'a str, &'a str, Option<&'a [u8]>, &'a str, &'a str, &'a str);
    let cases: [Case<'_>; 9] = [
        ("a mono file", "mono.wav", Some(&mono), "channels", "found 1", "a"),
        ("three channels", "three.wav", Some(&three), "channels", "found 3", "a"),
        ("48,000 samples per second", "dat.wav", Some(&fast), "rate", "found 48000", "b"),
        ("a WAV file with no samples", "none.wav", Some(&empty), "empty", "none.wav", "e"),
        ("less than a second", "short.wav", Some(&short), "duration", "short.wav", "d"),
        (
            "a file that ends early",
            "cut.wav",
            Some(&good[..good.len() - 4003]),
            "truncated",
            "found 43099",
            "e",
        ),
        (
            "an MP3 file",
            "x.mp3",
            Some(&mp3),
            "not wav",
            "x.mp3: not a WAV file (convert it first)",
            "e",
        ),
        ("a file of 0 bytes", "zero.wav", Some(&[]), "not wav", "not a WAV file", "e"),
        ("no file", "missing.wav", None, "unreadable", "missing.wav", "e"),
    ];
    let calls: Vec<Call> = cases.iter().map(|(_, name, bytes, ..)| call(name, *bytes)).collect();
    for ((what, _, _, kind, part, hint), reply) in cases.iter().zip(t.host(&calls)?) {
        let value: serde_json::Value = trace::value(&reply)?;
        let text = value["error"].as_str().unwrap_or("");
        expect::that(value["kind"] == *kind && text.contains(part), || {
            let found =
                if text.is_empty() { "it was accepted".into() } else { format!("`{text}`") };
            format!("{what}: expected an error with `{part}`, found: {found}")
        })
        .map_err(|f| f.hint(hint))?;
    }
    Ok(Evidence::new(format!("{} files refused, each with its own reason", cases.len())))
}

fn synth(t: &Trial) -> Outcome {
    let second = RATE as usize;
    let minute = Wav { bits: 16, frames: 60 * second, hz: 0.0, ..GOOD };
    let files = [
        ("60 s of silence", minute, false),
        ("1 s at 440 Hz", GOOD, true),
        ("1 s at 8 kHz", Wav { hz: 8000.0, ..GOOD }, true),
        ("59.9 s of silence", Wav { frames: 60 * second - 4410, ..minute }, true),
        ("300 s of silence", Wav { frames: 300 * second, ..minute }, true),
    ];
    let request = |wav: &Wav| {
        if wav.hz > 0.0 {
            return call("x.wav", Some(&wav.bytes()));
        }
        // Silence is said in a word: lists of bytes are long-winded.
        let zeros = wav.frames * usize::from(wav.block());
        let args = json!({ "name": "x.wav", "bytes": wav.header(), "zeros": zeros });
        Call::new("e2_1_03.check_wav", &args)
    };
    let replies = t.host(&files.each_ref().map(|(_, wav, _)| request(wav)))?;
    for ((what, wav, warned), reply) in files.into_iter().zip(&replies) {
        let info = info(what, reply)?;
        same(what, &wav, &info)?;
        expect::that(info.warning.is_some() == warned, || {
            let expected = if warned { "a warning" } else { "no warning" };
            format!("{what}: expected {expected}, found {:?}", info.warning)
        })
        .map_err(|f| f.hint("d"))?;
        let high = if wav.hz > 5000.0 { 1.0 } else { 0.0 };
        expect::that((info.high_share - high).abs() < 0.01, || {
            format!(
                "{what}: share of the energy above 5 kHz: expected {high}, found {}",
                info.high_share
            )
        })
        .map_err(|f| f.hint("s"))?;
    }
    Ok(Evidence::new("durations are right, and so are warnings and the share of high tones"))
}
