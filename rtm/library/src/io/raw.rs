//! A trace with all that its header says, also what the program itself has no use for, and its way
//! to another file.

use std::path::Path;

use super::atomic::{self, Stop};
use super::header::{
    Dialect, Endian, HeaderRules, SampleFormat, TRACE_HEADER, TraceHeader, f32_to_ibm, factor,
};
use crate::{Error, Result};

/// A trace as it is in its file.
#[derive(Clone, Debug)]
pub struct RawTrace {
    /// What the program understands of the header.
    pub header: TraceHeader,
    /// Samples, broken ones, too.
    pub samples: Vec<f32>,
    /// The header's bytes, after the rules that say where words are.
    pub(super) words: [u8; TRACE_HEADER],
    pub(super) endian: Endian,
    pub(super) dialect: Dialect,
}

impl RawTrace {
    /// A word of the header by its name in Seismic Un*x (`trid`, `cdp`, `scalco`, ...).
    ///
    /// # Panics
    /// There is no such word.
    pub fn word(&self, name: &str) -> i32 {
        match HeaderRules::place(name).expect("a word of the list") {
            (at, 2) => i32::from(self.endian.i16(&self.words, at)),
            (at, _) => self.endian.i32(&self.words, at),
        }
    }

    /// Whether the header is that of SEG-Y, not of Seismic Un*x.
    pub fn segy(&self) -> bool {
        self.dialect == Dialect::Segy
    }

    /// Sets samples, time step and delay in the header to what the trace has now.
    fn settle(&mut self, number: usize) -> Result<()> {
        let header = &self.header;
        let mut clock = TraceHeader { dt_s: header.dt_s, ..TraceHeader::default() };
        // Revision 1: a factor for the delay, which is kept, as others use it, too.
        let factor = match self.dialect {
            Dialect::Segy => factor(self.endian.i16(&self.words, 215)),
            Dialect::Su => 1.0,
        };
        clock.delay_s = header.delay_s / factor;
        let b = clock.encode(number, self.samples.len(), self.endian, self.dialect)?;
        for (from, to) in [(109, 110), (115, 118)] {
            self.words[from - 1..to].copy_from_slice(&b[from - 1..to]);
        }
        if self.dialect == Dialect::Su {
            // d1 and f1: 0 where `dt` and `delrt` say all.
            self.words[180..188].copy_from_slice(&b[180..188]);
        }
        Ok(())
    }
}

/// Writes traces with all other words of their headers, and the text headers, as in the file that
/// `reader` has open, to a new file (by way of a part file); returns how many. Numbers are IEEE,
/// or IBM if they were.
///
/// # Errors
/// The file cannot be written, a header does not fit, `next` fails, or there is no trace.
pub fn write_raw(
    path: &Path,
    mut head: Vec<u8>,
    format: SampleFormat,
    next: &mut dyn FnMut() -> Result<Option<RawTrace>>,
) -> Result<usize> {
    let format = if format == SampleFormat::Ibm { format } else { SampleFormat::Ieee };
    let mut count = 0;
    atomic::write(path, |out| {
        while let Some(mut trace) = next()? {
            count += 1;
            trace.settle(count).map_err(|e| Error::file(path, e))?;
            if count == 1 {
                if let Some(binary) = head.get_mut(3200..3600) {
                    let micros = (trace.header.dt_s * 1e6).round() as u16;
                    trace.endian.put16(binary, 17, micros);
                    trace.endian.put16(binary, 21, trace.samples.len() as u16);
                    trace.endian.put16(binary, 25, format.code());
                }
                out.write_all(&head)?;
            }
            out.write_all(&trace.words)?;
            let mut bytes = vec![0; 4 * trace.samples.len()];
            for (b, v) in bytes.chunks_exact_mut(4).zip(&trace.samples) {
                let bits = if format == SampleFormat::Ibm { f32_to_ibm(*v) } else { v.to_bits() };
                trace.endian.put32(b, 1, bits);
            }
            out.write_all(&bytes)?;
        }
        if count == 0 {
            return Err(Stop::Refused(Error::refused(
                path.display(),
                "no trace is left to write",
                "all are dead, broken or zeros: see what `rtm inspect` says of the file",
            )));
        }
        Ok(())
    })?;
    Ok(count)
}
