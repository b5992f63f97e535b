//! WAV files: opened and read through `hound`, with errors that say what is wrong with the file.

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use hound::{SampleFormat, WavReader, WavSpec, WavWriter};
use labkit::LabError;

use crate::{Frame, RATE};

/// What a usable file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct WavInfo {
    /// Samples per channel.
    pub frames: usize,
    /// Duration.
    pub seconds: f64,
    /// Bits per sample.
    pub bits: u16,
    /// Samples are floating-point numbers.
    pub float: bool,
    /// Share of the energy above 5 kHz, 0 to 1.
    pub high_share: f64,
    /// What is unusual, though usable.
    pub warning: Option<String>,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq)]
pub struct AudioError {
    /// The file.
    pub path: PathBuf,
    /// Why it cannot be used.
    pub why: Why,
}

/// Why a file cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// It cannot be opened: the system's words.
    Unreadable(String),
    /// It has no WAV header: MP3, FLAC, or no sound at all.
    NotWav,
    /// A WAV file of a kind that `hound` does not read: its words.
    Broken(String),
    /// Not two channels but so many.
    Channels(u16),
    /// Not 44,100 samples per second but so many.
    Rate(u32),
    /// No samples.
    Empty,
    /// Frames that the header promises, and frames that there are.
    Truncated(usize, usize),
    /// Not 1 to 300 seconds but so many.
    Duration(f64),
}

impl AudioError {
    /// An error about the file `path`.
    pub fn new(path: &Path, why: Why) -> AudioError {
        AudioError { path: path.to_path_buf(), why }
    }
}

impl fmt::Display for AudioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.why {
            Why::Unreadable(text) | Why::Broken(text) => f.write_str(text),
            Why::NotWav => f.write_str("not a WAV file (convert it first)"),
            Why::Channels(n) => write!(f, "number of channels (expected 2, found {n})"),
            Why::Rate(n) => write!(f, "samples per second (expected {RATE}, found {n})"),
            Why::Empty => f.write_str("no samples (expected 1 to 300 s of sound, found 0 s)"),
            Why::Truncated(expected, found) => {
                write!(f, "the file ends early (expected {expected} frames, found {found})")
            }
            Why::Duration(s) => write!(f, "duration (expected 1 to 300 s, found {s:.2} s)"),
        }
    }
}

impl std::error::Error for AudioError {}

impl From<AudioError> for LabError {
    fn from(error: AudioError) -> LabError {
        LabError::refused(error.to_string())
    }
}

/// A file whose header has been read. `spec()` has channels, rate and kind of samples,
/// `duration()` the frames (samples of one channel) and `len()` the samples of all channels that
/// the header promises.
pub type Reader = WavReader<BufReader<File>>;

/// Opens a file and reads its header.
///
/// # Errors
/// [`Why::Unreadable`], [`Why::NotWav`], [`Why::Broken`].
pub fn open(path: &Path) -> Result<Reader, AudioError> {
    let error = |why| AudioError::new(path, why);
    let mut magic = [0; 4];
    let file = File::open(path).map_err(|e| error(Why::Unreadable(e.to_string())))?;
    match std::io::Read::read_exact(&mut BufReader::new(file), &mut magic) {
        Ok(()) if &magic == b"RIFF" => {}
        _ => return Err(error(Why::NotWav)),
    }
    WavReader::open(path).map_err(|e| error(Why::Broken(format!("not a usable WAV file: {e}"))))
}

/// All frames of a file with two channels (its header says how many it has); full scale is 1.
///
/// # Errors
/// [`Why::Truncated`].
pub fn frames(path: &Path, mut reader: Reader) -> Result<Vec<Frame>, AudioError> {
    let spec = reader.spec();
    let promised = reader.duration() as usize;
    // Reading stops at the first sample that is not there.
    let samples: Vec<f64> = match spec.sample_format {
        SampleFormat::Float => {
            reader.samples::<f32>().map_while(Result::ok).map(f64::from).collect()
        }
        SampleFormat::Int => {
            let full = f64::from(1u32 << (spec.bits_per_sample - 1));
            reader.samples::<i32>().map_while(Result::ok).map(|v| f64::from(v) / full).collect()
        }
    };
    let frames: Vec<Frame> = samples.chunks_exact(2).map(|s| [s[0], s[1]]).collect();
    if frames.len() < promised {
        return Err(AudioError::new(path, Why::Truncated(promised, frames.len())));
    }
    Ok(frames)
}

/// Writes frames of 16-bit samples.
///
/// # Errors
/// What the system refuses, with the file's name.
pub fn write(path: &Path, frames: &[[i16; 2]]) -> Result<(), LabError> {
    let named = |e: hound::Error| LabError::msg(format!("{}: {e}", path.display()));
    let spec = WavSpec {
        channels: 2,
        sample_rate: RATE,
        bits_per_sample: 16,
        sample_format: SampleFormat::Int,
    };
    let mut writer = WavWriter::create(path, spec).map_err(named)?;
    for sample in frames.iter().flatten() {
        writer.write_sample(*sample).map_err(named)?;
    }
    writer.finalize().map_err(named)
}
