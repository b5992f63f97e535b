//! Files of traces: Seismic Un*x (SU) and SEG-Y, read a trace at a time, so that a survey may be
//! larger than the memory.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::atomic::{self, Stop};
use super::ebcdic::ebcdic;
use super::header::{
    Dialect, Endian, HeaderRules, SampleFormat, TRACE_HEADER, TraceHeader, f32_to_ibm,
};
use super::raw::RawTrace;
use crate::{Error, Result};

/// Bytes of SEG-Y's text header and binary header together.
const SEGY_PREAMBLE: u64 = 3200 + 400;

/// One trace: where and when it was recorded, and its samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Geometry and time step.
    pub header: TraceHeader,
    /// Samples, the first at the delay of the header.
    pub samples: Vec<f32>,
}

/// The format of a file of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// Seismic Un*x, little-endian.
    Su,
    /// SEG-Y revision 1, big-endian, IEEE samples.
    Segy,
    /// SEG-Y with samples as IBM numbers, for programs that read no others.
    SegyIbm,
}

impl TraceFormat {
    /// By the ending of the name: `.su`, `.sgy` or `.segy`.
    pub fn of(path: &Path) -> Result<TraceFormat> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
        match ending.as_str() {
            "su" => Ok(TraceFormat::Su),
            "sgy" | "segy" => Ok(TraceFormat::Segy),
            _ => Err(Error::refused(
                path.display(),
                "the name does not say what format it has",
                "name it .su (Seismic Un*x) or .sgy (SEG-Y)",
            )),
        }
    }

    fn layout(self) -> FileLayout {
        match self {
            TraceFormat::Su => FileLayout {
                endian: Endian::Little,
                dialect: Dialect::Su,
                format: SampleFormat::Ieee,
                start: 0,
            },
            TraceFormat::Segy | TraceFormat::SegyIbm => FileLayout {
                endian: Endian::Big,
                dialect: Dialect::Segy,
                format: match self {
                    TraceFormat::SegyIbm => SampleFormat::Ibm,
                    _ => SampleFormat::Ieee,
                },
                start: SEGY_PREAMBLE,
            },
        }
    }
}

/// How the traces lie in a file.
#[derive(Clone, Copy, Debug)]
struct FileLayout {
    endian: Endian,
    dialect: Dialect,
    format: SampleFormat,
    /// Byte at which the first trace begins.
    start: u64,
}

/// An open file of traces.
pub struct TraceReader {
    path: PathBuf,
    input: BufReader<File>,
    layout: FileLayout,
    ns: usize,
    count: usize,
    next: usize,
    rules: HeaderRules,
    /// Metres of a unit of length, as the file says.
    unit_m: f64,
    /// Time step of traces that do not say theirs, as the file says, seconds.
    dt_s: f64,
}

impl TraceReader {
    /// Opens an SU or SEG-Y file and checks that its length fits whole traces.
    ///
    /// Files of either byte order are read. That of SU is found from the lengths it would give,
    /// that of SEG-Y from the code of its sample format.
    ///
    /// # Errors
    /// The file cannot be read, has the wrong length, or says something of itself that cannot be.
    pub fn open(path: &Path) -> Result<TraceReader> {
        let format = TraceFormat::of(path)?;
        let failed = |e: &std::io::Error| Error::reading(path, e);
        let file = File::open(path).map_err(|e| failed(&e))?;
        let length = file.metadata().map_err(|e| failed(&e))?.len();
        let mut input = BufReader::with_capacity(1 << 18, file);
        let mut layout = format.layout();
        let least = layout.start + TRACE_HEADER as u64;
        if length < least {
            return Err(Error::refused(
                path.display(),
                format!("{length} bytes, less than the {least} of the headers alone"),
                "the file is truncated or of another format: copy or make it again",
            ));
        }
        let (mut unit_m, mut dt_s) = (1.0, 0.0);
        let ns = match layout.dialect {
            Dialect::Su => {
                let mut first = [0; TRACE_HEADER];
                input.read_exact(&mut first).map_err(|e| failed(&e))?;
                let (endian, ns) = su_byte_order(&first, length);
                layout.endian = endian;
                ns
            }
            Dialect::Segy => {
                let mut head = [0; SEGY_PREAMBLE as usize];
                input.read_exact(&mut head).map_err(|e| failed(&e))?;
                let binary = &head[3200..];
                let more = segy_preamble(path, binary, &mut layout)?;
                // Bytes 3255-3256 of the file, the measurement system; 3217-3218, the time step.
                if layout.endian.u16(binary, 55) == 2 {
                    unit_m = FOOT_M;
                }
                dt_s = f64::from(layout.endian.u16(binary, 17)) * 1e-6;
                layout.start += match more {
                    Some(more) => 3200 * more,
                    None => extended_headers(path, &mut input)?,
                };
                segy_samples(binary, &mut input, layout, length).map_err(|e| failed(&e))?
            }
        };
        if ns == 0 {
            return Err(Error::refused(
                path.display(),
                "ns = 0: the header says that traces have no samples",
                "set the number of samples in bytes 115-116 of the trace headers (SU) or 3221-3222 \
                 of the file (SEG-Y)",
            ));
        }
        let each = trace_bytes(layout.format, ns);
        let body = length.saturating_sub(layout.start);
        if body == 0 {
            return Err(Error::refused(
                path.display(),
                format!(
                    "{length} bytes, and the headers before the first trace take {}",
                    layout.start
                ),
                "the file is truncated, or bytes 3505-3506, the number of extended text headers, \
                 are wrong",
            ));
        }
        if body % each != 0 {
            let format = match layout.dialect {
                Dialect::Segy => ", or the sample format (bytes 3225-3226) is not what they say",
                Dialect::Su => "",
            };
            return Err(Error::refused(
                path.display(),
                format!(
                    "{length} bytes is no whole number of traces: {} of {each} bytes each (ns = \
                     {ns}) leave {} over",
                    body / each,
                    body % each
                ),
                format!(
                    "the file is truncated, or its traces differ in length{format}: copy or make \
                     it again"
                ),
            ));
        }
        let count = (body / each) as usize;
        input.seek(SeekFrom::Start(layout.start)).map_err(|e| failed(&e))?;
        Ok(TraceReader {
            path: path.to_path_buf(),
            input,
            layout,
            ns,
            count,
            next: 0,
            rules: HeaderRules::default(),
            unit_m,
            dt_s,
        })
    }

    /// Reads headers by these rules from now on.
    pub fn set_rules(&mut self, rules: HeaderRules) {
        self.rules = rules;
    }

    /// Number of traces in the file.
    pub fn traces(&self) -> usize {
        self.count
    }

    /// Samples of each trace.
    pub fn samples(&self) -> usize {
        self.ns
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads only the header of the next trace.
    ///
    /// # Errors
    /// The file cannot be read, or the trace's `ns` is not that of the first.
    pub fn next_header(&mut self) -> Result<Option<TraceHeader>> {
        let header = self.header()?;
        if header.is_some() {
            let skip = (self.layout.format.bytes() * self.ns) as i64;
            self.input.seek_relative(skip).map_err(|e| Error::reading(&self.path, &e))?;
        }
        Ok(header)
    }

    /// Goes to trace `index` (from 0).
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn seek(&mut self, index: usize) -> Result<()> {
        let at = self.layout.start + index as u64 * trace_bytes(self.layout.format, self.ns);
        self.input.seek(SeekFrom::Start(at)).map_err(|e| Error::reading(&self.path, &e))?;
        self.next = index;
        Ok(())
    }

    fn header(&mut self) -> Result<Option<TraceHeader>> {
        Ok(self.words()?.map(|b| self.understood(&b)))
    }

    /// The next header, with its words where the formats have them.
    fn words(&mut self) -> Result<Option<[u8; TRACE_HEADER]>> {
        if self.next == self.count {
            return Ok(None);
        }
        let mut b = [0; TRACE_HEADER];
        self.input.read_exact(&mut b).map_err(|e| Error::reading(&self.path, &e))?;
        self.next += 1;
        let ns = usize::from(self.layout.endian.u16(&b, 115));
        // SEG-Y allows traces that leave the field empty.
        let silent = ns == 0 && self.layout.dialect == Dialect::Segy;
        if ns != self.ns && !silent {
            return Err(Error::refused(
                format!("{}: trace {}", self.path.display(), self.next),
                format!("ns = {ns} samples, but the file's traces have {}", self.ns),
                "traces must be of one length: pad or cut them first",
            ));
        }
        Ok(Some(self.rules.moved(&b, self.layout.endian)))
    }

    fn understood(&self, words: &[u8; TRACE_HEADER]) -> TraceHeader {
        let FileLayout { endian, dialect, .. } = self.layout;
        let mut header = TraceHeader::decode(words, endian, dialect);
        if header.dt_s == 0.0 {
            header.dt_s = self.dt_s;
        }
        self.rules.applied(header, self.unit_m)
    }

    fn decoded(&mut self) -> Result<Vec<f32>> {
        let FileLayout { endian, format, .. } = self.layout;
        let mut bytes = vec![0; format.bytes() * self.ns];
        self.input.read_exact(&mut bytes).map_err(|e| Error::reading(&self.path, &e))?;
        Ok(bytes.chunks_exact(format.bytes()).map(|b| format.decode(endian, b)).collect())
    }

    /// The next trace with all words of its header, and its samples as they are: broken ones, too.
    ///
    /// # Errors
    /// The file cannot be read, or the trace's `ns` is not that of the first.
    pub fn next_raw(&mut self) -> Result<Option<RawTrace>> {
        let Some(words) = self.words()? else { return Ok(None) };
        let (header, FileLayout { endian, dialect, .. }) = (self.understood(&words), self.layout);
        Ok(Some(RawTrace { header, samples: self.decoded()?, words, endian, dialect }))
    }

    /// What lies before the first trace: SEG-Y's text and binary headers; nothing in SU. Goes to
    /// the first trace.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn head(&mut self) -> Result<Vec<u8>> {
        let mut head = vec![0; self.layout.start as usize];
        let input = &mut self.input;
        let read = input.seek(SeekFrom::Start(0)).and_then(|_| input.read_exact(&mut head));
        read.map_err(|e| Error::reading(&self.path, &e))?;
        self.next = 0;
        Ok(head)
    }

    /// Byte order, kind of headers and number format of the file.
    pub fn layout(&self) -> (Endian, Dialect, SampleFormat) {
        (self.layout.endian, self.layout.dialect, self.layout.format)
    }

    /// Metres of a unit of length: what the user says, else the file.
    pub fn unit_m(&self) -> f64 {
        self.rules.unit_m.unwrap_or(self.unit_m)
    }

    fn trace(&mut self) -> Result<Option<Trace>> {
        let Some(header) = self.header()? else { return Ok(None) };
        let samples = self.decoded()?;
        let broken = |v: &f32| !v.is_finite() && !header.dead;
        if let Some(at) = samples.iter().position(broken) {
            return Err(Error::refused(
                format!(
                    "{}: trace {} (shot {}, channel {})",
                    self.path.display(),
                    self.next,
                    header.shot,
                    header.channel
                ),
                format!("sample {at} (from 0) is {}", samples[at]),
                "mute or remove the trace; the program does not guess what a broken sample was",
            ));
        }
        Ok(Some(Trace { header, samples }))
    }
}

impl Iterator for TraceReader {
    type Item = Result<Trace>;

    fn next(&mut self) -> Option<Result<Trace>> {
        self.trace().transpose()
    }
}

fn trace_bytes(format: SampleFormat, ns: usize) -> u64 {
    (TRACE_HEADER + format.bytes() * ns) as u64
}

/// The byte order in which the length of the file is a whole number of traces, and `ns` in it. If
/// both fit, the one with the smaller `ns`, the commoner case; if none fits, the little-endian one,
/// for the error message.
fn su_byte_order(first: &[u8], length: u64) -> (Endian, usize) {
    let candidates = [Endian::Little, Endian::Big].map(|e| (e, usize::from(e.u16(first, 115))));
    candidates
        .into_iter()
        .filter(|&(_, ns)| ns > 0 && length.is_multiple_of(trace_bytes(SampleFormat::Ieee, ns)))
        .min_by_key(|&(_, ns)| ns)
        .unwrap_or(candidates[0])
}

/// An international foot, metres.
pub const FOOT_M: f64 = 0.3048;

/// Bytes of extended text headers whose number the file does not say: the last of them begins with
/// `((SEG: EndText))`, in EBCDIC or ASCII.
fn extended_headers(path: &Path, input: &mut impl Read) -> Result<u64> {
    let plain = b"SEG:ENDTEXT";
    let coded = plain.map(|c| ebcdic(char::from(c)));
    // Small letters of EBCDIC lie 0x40 before the large ones.
    let large = |b: u8| match b {
        0x81..=0x89 | 0x91..=0x99 | 0xa2..=0xa9 => b + 0x40,
        b => b,
    };
    let mut block = vec![0; 3200];
    for blocks in 1.. {
        input.read_exact(&mut block).map_err(|e| match e.kind() {
            std::io::ErrorKind::UnexpectedEof => Error::refused(
                path.display(),
                "more text headers should follow (bytes 3505-3506 are negative), and none of them \
                 is ((SEG: EndText))",
                "set bytes 3505-3506 to the number of extended text headers, 0 if there are none",
            ),
            _ => Error::reading(path, &e),
        })?;
        let says = |blank: u8, upper: &dyn Fn(u8) -> u8, words: &[u8]| {
            let start = block[..80].iter().copied().filter(|b| *b != blank);
            let start: Vec<u8> = start.map(upper).collect();
            start.windows(words.len()).any(|w| w == words)
        };
        if says(b' ', &|b| b.to_ascii_uppercase(), plain) || says(0x40, &large, &coded) {
            return Ok(3200 * blocks);
        }
    }
    Ok(0)
}

/// Reads SEG-Y's binary header: fills in byte order and sample format, and returns the number of
/// extended text headers, if it is said.
fn segy_preamble(path: &Path, binary: &[u8], layout: &mut FileLayout) -> Result<Option<u64>> {
    // Some programs write the numbers of the machine at hand. A code's bytes tell: it is small.
    let orders = [Endian::Big, Endian::Little];
    let format = |endian: &Endian| SampleFormat::from_code(endian.u16(binary, 25));
    let known = orders.into_iter().find_map(|endian| Some((endian, format(&endian)?)));
    (layout.endian, layout.format) = known.ok_or_else(|| {
        Error::refused(
            path.display(),
            format!(
                "sample format {} (bytes 3225-3226) is not one that is read (1, 2, 3, 5, 6, 8)",
                layout.endian.u16(binary, 25)
            ),
            "convert the file to format 5 (IEEE) or 1 (IBM); if it is no SEG-Y, name it by what it \
             is",
        )
    })?;
    let endian = layout.endian;
    // Revision 1 allows further text headers.
    let more = if endian.u16(binary, 301) >= 0x0100 { endian.u16(binary, 305) as i16 } else { 0 };
    Ok(u64::try_from(more).ok())
}

/// Samples of a trace: as the binary header says or, where that makes no whole traces, as the first
/// trace does; many files fill in only one of the two.
fn segy_samples<R: Read + Seek>(
    binary: &[u8],
    input: &mut R,
    layout: FileLayout,
    length: u64,
) -> std::io::Result<usize> {
    let of_file = usize::from(layout.endian.u16(binary, 21));
    let body = length.saturating_sub(layout.start);
    if body < TRACE_HEADER as u64 {
        return Ok(of_file);
    }
    let mut first = [0; TRACE_HEADER];
    input.seek(SeekFrom::Start(layout.start))?;
    input.read_exact(&mut first)?;
    let of_trace = usize::from(layout.endian.u16(&first, 115));
    let fits = |ns: &usize| *ns > 0 && body.is_multiple_of(trace_bytes(layout.format, *ns));
    let likely = if of_file > 0 { of_file } else { of_trace };
    Ok([of_file, of_trace].into_iter().find(fits).unwrap_or(likely))
}

/// When the samples of a shot were taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Time between samples, seconds.
    pub dt_s: f64,
    /// Time of the first sample after the shot's time zero, seconds.
    pub delay_s: f64,
}

impl Clock {
    fn of(header: &TraceHeader) -> Clock {
        Clock { dt_s: header.dt_s, delay_s: header.delay_s }
    }

    /// Refuses a trace whose times are not those of the shot's first.
    fn check(&self, place: String, header: &TraceHeader) -> Result<()> {
        let its = Clock::of(header);
        if its.dt_s != self.dt_s || its.dt_s <= 0.0 {
            return Err(Error::refused(
                place,
                format!("dt = {} s, and {} s at the shot's first trace", its.dt_s, self.dt_s),
                "dt (bytes 117-118, microseconds) must be set and the same for all traces",
            ));
        }
        if its.delay_s != self.delay_s {
            return Err(Error::refused(
                place,
                format!(
                    "a delay of {} s (delrt), and {} s at the shot's first trace",
                    its.delay_s, self.delay_s
                ),
                "pad or cut the traces of a shot to one first time, or give delay=SECONDS",
            ));
        }
        Ok(())
    }
}

/// Traces `first..end` of a file that belong to one shot.
#[derive(Clone, Debug, PartialEq)]
pub struct ShotEntry {
    /// Number of the shot (`fldr`; counted from 1 where it is 0).
    pub id: i32,
    /// Place of the source.
    pub source_m: [f64; 3],
    /// Its traces in the file.
    pub traces: Range<usize>,
    /// Their times.
    pub clock: Clock,
}

/// The shots of a file in its order: consecutive traces of equal `fldr`, or of equal source place
/// where `fldr` is 0.
///
/// # Errors
/// A header cannot be read, a shot has more than one source place, or its traces begin at
/// different times or have different steps; the file is not sorted by shot.
pub fn index_shots(reader: &mut TraceReader) -> Result<Vec<ShotEntry>> {
    reader.seek(0)?;
    let mut shots: Vec<(i32, ShotEntry)> = Vec::new();
    let mut known = HashSet::new();
    let mut at = 0;
    while let Some(header) = reader.next_header()? {
        let place = |at: usize| format!("{}: trace {}", reader.path.display(), at + 1);
        let same = shots.last().is_some_and(|(fldr, shot)| {
            *fldr == header.shot && (header.shot != 0 || shot.source_m == header.source_m)
        });
        if same {
            let shot = &mut shots.last_mut().expect("there is one").1;
            if shot.source_m != header.source_m {
                return Err(Error::refused(
                    place(at),
                    format!(
                        "shot {} has its source at {:?} m here and at {:?} m before",
                        header.shot, header.source_m, shot.source_m
                    ),
                    "give each shot a number (fldr) of its own, or sort the file by shot",
                ));
            }
            shot.clock.check(place(at), &header)?;
            shot.traces.end += 1;
        } else {
            let source = header.source_m.map(f64::to_bits);
            let key = (header.shot, if header.shot == 0 { source } else { [0; 3] });
            if !known.insert(key) {
                return Err(Error::refused(
                    place(at),
                    format!("shot {} comes again, after traces of other shots", header.shot),
                    "sort the file by shot and channel (Seismic Un*x: susort fldr tracf); one that \
                     is sorted by CDP has no whole shots",
                ));
            }
            let clock = Clock::of(&header);
            clock.check(place(at), &header)?;
            if header.angles {
                return Err(Error::refused(
                    place(at),
                    "its coordinates are angles (counit, bytes 89-90, is 2 to 4)",
                    "bring them to metres on a map first; if they are lengths, say so: \
                     header.counit=217:2, or another word that is 1 or 0",
                ));
            }
            let id = if header.shot == 0 { shots.len() as i32 + 1 } else { header.shot };
            let entry = ShotEntry { id, source_m: header.source_m, traces: at..at + 1, clock };
            shots.push((header.shot, entry));
        }
        at += 1;
    }
    reader.seek(0)?;
    Ok(shots.into_iter().map(|(_, shot)| shot).collect())
}

/// Writes traces to a new file (by way of a part file, see [`atomic`]); returns how many.
///
/// `note` is a line for people in SEG-Y's text header. All traces must have the length and time
/// step of the first.
///
/// # Errors
/// The file cannot be written; a trace does not fit the format; an item of `traces` is an error.
pub fn write_traces(
    path: &Path,
    format: TraceFormat,
    note: &str,
    traces: &mut dyn Iterator<Item = Result<Trace>>,
) -> Result<usize> {
    let layout = format.layout();
    let mut count = 0;
    atomic::write(path, |out| {
        let mut bytes = Vec::new();
        let mut ns = 0;
        for trace in traces {
            let trace = trace?;
            if count == 0 {
                ns = trace.samples.len();
                if layout.dialect == Dialect::Segy {
                    out.write_all(&segy_head(note, &trace, layout))?;
                }
            }
            count += 1;
            if trace.samples.len() != ns {
                return Err(Stop::Refused(Error::refused(
                    format!("{}: trace {count}", path.display()),
                    format!("{} samples, but the first trace has {ns}", trace.samples.len()),
                    "write traces of one length",
                )));
            }
            let header = trace.header.encode(count, ns, layout.endian, layout.dialect);
            out.write_all(&header.map_err(|e| Error::file(path, e))?)?;
            encode_samples(&trace.samples, layout, &mut bytes);
            out.write_all(&bytes)?;
        }
        if count == 0 {
            return Err(Stop::Refused(Error::refused(path.display(), "no trace to write", "")));
        }
        Ok(())
    })?;
    Ok(count)
}

fn encode_samples(samples: &[f32], layout: FileLayout, bytes: &mut Vec<u8>) {
    bytes.clear();
    for &v in samples {
        let bits = match layout.format {
            SampleFormat::Ibm => f32_to_ibm(v),
            _ => v.to_bits(),
        };
        bytes.extend(match layout.endian {
            Endian::Little => bits.to_le_bytes(),
            Endian::Big => bits.to_be_bytes(),
        });
    }
}

/// Text header (40 lines of 80 letters in EBCDIC) and binary header.
fn segy_head(note: &str, first: &Trace, layout: FileLayout) -> Vec<u8> {
    let mut head = Vec::with_capacity(SEGY_PREAMBLE as usize);
    for line in 1..=40 {
        let said = match line {
            1 => "SEG-Y REVISION 1, WRITTEN BY RTM".to_string(),
            2 => note.to_string(),
            3 => {
                "LENGTHS IN METRES; SOURCE X 73-76, Y 77-80; RECEIVER X 81-84, Y 85-88".to_string()
            }
            4 => "DEPTHS AS NEGATIVE HEIGHTS: RECEIVER 41-44, SOURCE 45-48".to_string(),
            39 => "SEG Y REV1".to_string(),
            40 => "END TEXTUAL HEADER".to_string(),
            _ => String::new(),
        };
        let text = format!("{:<80}", format!("C{line:>2} {said}"));
        head.extend(text.chars().take(80).map(ebcdic));
    }
    let endian = layout.endian;
    let mut binary = [0; 400];
    let micros = (first.header.dt_s * 1e6).round() as u16;
    endian.put32(&mut binary, 9, 1); // reel
    endian.put16(&mut binary, 13, 1); // traces of an ensemble: not known before the end
    endian.put16(&mut binary, 17, micros);
    endian.put16(&mut binary, 21, first.samples.len() as u16);
    endian.put16(&mut binary, 25, layout.format.code());
    endian.put16(&mut binary, 29, 1); // as recorded
    endian.put16(&mut binary, 55, 1); // metres
    endian.put16(&mut binary, 301, 0x0100); // revision 1
    endian.put16(&mut binary, 303, 1); // all traces of one length
    head.extend(binary);
    head
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    fn survey(shots: usize, channels: usize, ns: usize) -> Vec<Trace> {
        (0..shots * channels)
            .map(|k| {
                let (shot, channel) = (k / channels, k % channels);
                Trace {
                    header: TraceHeader {
                        shot: 10 + shot as i32,
                        channel: channel as i32 + 1,
                        source_m: [100.0 * shot as f64, 12.5, 10.0],
                        receiver_m: [25.0 * channel as f64, -12.5, 5.0],
                        dt_s: 0.002,
                        delay_s: -0.012,
                        ..TraceHeader::default()
                    },
                    samples: (0..ns).map(|i| ((i * 7 + k * 13) % 97) as f32 - 48.25).collect(),
                }
            })
            .collect()
    }

    fn write(path: &Path, format: TraceFormat, traces: &[Trace]) {
        let n = write_traces(path, format, "test", &mut traces.iter().cloned().map(Ok)).unwrap();
        assert_eq!(n, traces.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn files_read_back_as_written(
            shots in 1usize..5,
            channels in 1usize..6,
            ns in 1usize..300,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let traces = survey(shots, channels, ns);
            for (name, format) in [
                ("a.su", TraceFormat::Su), ("a.sgy", TraceFormat::Segy),
                ("b.segy", TraceFormat::SegyIbm),
            ] {
                let path = dir.path().join(name);
                write(&path, format, &traces);
                let mut reader = TraceReader::open(&path).unwrap();
                prop_assert_eq!((reader.traces(), reader.samples()), (traces.len(), ns));
                let back: Vec<Trace> = reader.by_ref().map(|t| t.unwrap()).collect();
                prop_assert_eq!(&back, &traces);
                let index = index_shots(&mut reader).unwrap();
                prop_assert_eq!(index.len(), shots);
                for (k, shot) in index.iter().enumerate() {
                    prop_assert_eq!(shot.id, 10 + k as i32);
                    prop_assert_eq!(&shot.traces, &(k * channels..(k + 1) * channels));
                }
                let last = shots * channels - 1;
                reader.seek(last).unwrap();
                prop_assert_eq!(reader.next().unwrap().unwrap(), traces[last].clone());
            }
        }
    }

    #[test]
    fn old_big_endian_su_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("big.su");
        let traces = survey(2, 3, 1200);
        let mut bytes = Vec::new();
        for (k, t) in traces.iter().enumerate() {
            bytes.extend(t.header.encode(k + 1, 1200, Endian::Big, Dialect::Su).unwrap());
            bytes.extend(t.samples.iter().flat_map(|v| v.to_be_bytes()));
        }
        fs::write(&path, bytes).unwrap();
        let back: Vec<Trace> = TraceReader::open(&path).unwrap().map(|t| t.unwrap()).collect();
        assert_eq!(back, traces);
    }

    #[test]
    fn feet_and_any_number_of_text_headers_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.sgy");
        let traces = survey(1, 2, 10);
        write(&path, TraceFormat::Segy, &traces);
        let mut bytes = fs::read(&path).unwrap();
        bytes[3255] = 2;
        bytes[3504..3506].copy_from_slice(&(-1i16).to_be_bytes());
        let end: Vec<u8> = "((SEG: EndText))".chars().map(ebcdic).collect();
        let mut more = vec![0x40; 3 * 3200];
        more[2 * 3200..2 * 3200 + end.len()].copy_from_slice(&end);
        bytes.splice(3600..3600, more);
        fs::write(&path, &bytes).unwrap();
        let back: Vec<Trace> = TraceReader::open(&path).unwrap().map(|t| t.unwrap()).collect();
        assert_eq!(back[1].samples, traces[1].samples);
        assert_eq!(back[1].header.receiver_m[0], 25.0 * FOOT_M);
    }

    /// The header's words as the machine at hand has them, or only in one of the two places where
    /// they belong.
    #[test]
    fn segy_that_strays_from_the_standard_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.sgy");
        let traces = survey(2, 3, 50);
        write(&path, TraceFormat::Segy, &traces);
        let whole = fs::read(&path).unwrap();
        let each = TRACE_HEADER + 4 * 50;
        let back = |bytes: &[u8]| -> Vec<Trace> {
            fs::write(&path, bytes).unwrap();
            TraceReader::open(&path).unwrap().map(|t| t.unwrap()).collect()
        };
        // Little-endian, the samples and the words that are used.
        let mut little = whole.clone();
        [16, 20, 24, 54, 300].iter().for_each(|at| little[3200 + at..][..2].reverse());
        for trace in little[3600..].chunks_exact_mut(each) {
            [8, 12, 40, 44, 48, 72, 76, 80, 84].iter().for_each(|at| trace[*at..][..4].reverse());
            [28, 68, 70, 88, 108, 114, 116].iter().for_each(|at| trace[*at..][..2].reverse());
            trace[TRACE_HEADER..].chunks_exact_mut(4).for_each(<[u8]>::reverse);
        }
        assert_eq!(back(&little), traces);
        // The number of samples in the traces alone, or wrong in the file's header.
        for ns in [0, 16] {
            let mut bytes = whole.clone();
            bytes[3220..3222].copy_from_slice(&[0, ns]);
            assert_eq!(back(&bytes), traces);
        }
        // The time step in the file's header alone.
        let mut bytes = whole.clone();
        bytes[3600..].chunks_exact_mut(each).for_each(|trace| trace[116..118].fill(0));
        assert_eq!(back(&bytes), traces);
        // Text headers that are not there.
        for (count, says) in [(9999i16, "extended text headers"), (-1, "((SEG: EndText))")] {
            let mut bytes = whole.clone();
            bytes[3504..3506].copy_from_slice(&count.to_be_bytes());
            fs::write(&path, &bytes).unwrap();
            let text = TraceReader::open(&path).err().expect("an error").to_string();
            assert!(text.contains(says) && text.contains("3505-3506"), "{text}");
        }
    }

    #[test]
    fn shots_without_a_number_are_told_apart_by_their_source() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.su");
        let mut traces = survey(3, 4, 10);
        traces.iter_mut().for_each(|t| t.header.shot = 0);
        write(&path, TraceFormat::Su, &traces);
        let index = index_shots(&mut TraceReader::open(&path).unwrap()).unwrap();
        assert_eq!(index.iter().map(|s| s.id).collect::<Vec<_>>(), [1, 2, 3]);
        // Sorted by receiver: each trace of another shot than the one before.
        for number in [0, 10] {
            for (k, t) in traces.iter_mut().enumerate() {
                t.header.source_m[0] = 100.0 * (k % 3) as f64;
                t.header.shot = if number == 0 { 0 } else { 10 + k as i32 % 3 };
            }
            write(&path, TraceFormat::Su, &traces);
            let error = index_shots(&mut TraceReader::open(&path).unwrap()).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("trace 4") && text.contains("susort fldr"), "{text}");
        }
        let mut traces = survey(3, 4, 10);
        traces[2].header.delay_s = 0.5;
        write(&path, TraceFormat::Su, &traces);
        let error = index_shots(&mut TraceReader::open(&path).unwrap()).unwrap_err().to_string();
        assert!(error.contains("trace 3") && error.contains("delay of 0.5 s"), "{error}");
        traces.iter_mut().for_each(|t| t.header.shot = 5);
        traces[2].header.delay_s = traces[1].header.delay_s;
        write(&path, TraceFormat::Su, &traces);
        let error = index_shots(&mut TraceReader::open(&path).unwrap()).unwrap_err().to_string();
        assert!(error.contains("trace 5") && error.contains("shot 5"), "{error}");
    }

    #[test]
    fn broken_files_are_refused_with_a_reason() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.su");
        let mut traces = survey(1, 3, 50);
        write(&path, TraceFormat::Su, &traces);
        let whole = fs::read(&path).unwrap();
        let error = |path: &Path| match TraceReader::open(path) {
            Err(e) => e.to_string(),
            Ok(reader) => reader.filter_map(|t| t.err()).next().expect("an error").to_string(),
        };
        fs::write(&path, &whole[..whole.len() - 7]).unwrap();
        let text = error(&path);
        assert!(
            text.contains("a.su") && text.contains("440 bytes each") && text.contains("433"),
            "{text}"
        );
        fs::write(&path, &whole[..100]).unwrap();
        assert!(error(&path).contains("less than the 240"));
        let mut other = whole.clone();
        other[440 + 114] = 49;
        fs::write(&path, &other).unwrap();
        assert!(error(&path).contains("trace 2: ns = 49"), "{}", error(&path));
        traces[1].samples[20] = f32::NAN;
        write(&path, TraceFormat::Su, &traces);
        let text = error(&path);
        assert!(text.contains("trace 2 (shot 10, channel 2): sample 20 (from 0) is NaN"), "{text}");
        let sgy = dir.path().join("a.sgy");
        write(&sgy, TraceFormat::Segy, &survey(1, 3, 50));
        let mut bytes = fs::read(&sgy).unwrap();
        bytes[3225] = 4;
        fs::write(&sgy, &bytes).unwrap();
        assert!(error(&sgy).contains("sample format 4"), "{}", error(&sgy));
        assert!(error(&dir.path().join("no.su")).contains("there is no such file"));
        assert!(error(&dir.path().join("no.dat")).contains(".sgy"));
    }

    #[test]
    fn traces_of_two_lengths_are_not_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.su");
        let mut traces = survey(1, 3, 50);
        traces[2].samples.pop();
        let result = write_traces(&path, TraceFormat::Su, "", &mut traces.into_iter().map(Ok));
        assert!(result.unwrap_err().to_string().contains("trace 3: 49 samples"));
        assert!(!path.exists());
    }
}
