//! Acquisition: where sources and receivers are ([`geometry`]), what was recorded, traces from one time step to another
//! ([`sinc`]), what the source emits ([`wavelet`]).

pub mod geometry;
pub mod sinc;
pub mod wavelet;

pub use geometry::{Geometry, Spread, locate, select};

use crate::io::{ShotEntry, Trace, TraceHeader, TraceReader};
use crate::{Error, Result};

/// What one shot recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Gather {
    /// Source and receivers.
    pub geometry: Geometry,
    /// Time between samples.
    pub dt_s: f64,
    /// Samples of each trace.
    pub ns: usize,
    /// `ns` samples for each receiver, one trace after the other.
    pub samples: Vec<f32>,
}

impl Gather {
    /// Reads the traces of a shot.
    ///
    /// # Errors
    /// A trace cannot be read, its time step is not that of the shot's first, or is 0.
    pub fn read(reader: &mut TraceReader, shot: &ShotEntry) -> Result<Gather> {
        let ns = reader.samples();
        reader.seek(shot.traces.start)?;
        let mut receivers_m = Vec::with_capacity(shot.traces.len());
        let mut samples = Vec::with_capacity(shot.traces.len() * ns);
        let mut dt_s = 0.0;
        for (number, trace) in reader.by_ref().take(shot.traces.len()).enumerate() {
            let trace = trace?;
            if number == 0 {
                dt_s = trace.header.dt_s;
            }
            if trace.header.dt_s != dt_s || dt_s <= 0.0 {
                return Err(Error::refused(
                    format!(
                        "{}: trace {}",
                        reader.path().display(),
                        shot.traces.start + number + 1
                    ),
                    format!(
                        "dt = {} s, and {dt_s} s at the first trace of shot {}",
                        trace.header.dt_s, shot.id
                    ),
                    "dt (bytes 117-118, microseconds) must be set and the same for all traces of a shot",
                ));
            }
            receivers_m.push(trace.header.receiver_m);
            samples.extend(trace.samples);
        }
        let geometry = Geometry { id: shot.id, source_m: shot.source_m, receivers_m };
        Ok(Gather { geometry, dt_s, ns, samples })
    }

    /// Its traces, to be written.
    pub fn traces(&self) -> impl Iterator<Item = Trace> {
        self.samples.chunks_exact(self.ns.max(1)).enumerate().map(|(k, samples)| Trace {
            header: TraceHeader {
                shot: self.geometry.id,
                channel: k as i32 + 1,
                source_m: self.geometry.source_m,
                receiver_m: self.geometry.receivers_m[k],
                dt_s: self.dt_s,
                lines: None,
            },
            samples: samples.to_vec(),
        })
    }

    /// The gather at another time step.
    pub fn resampled(&self, dt_s: f64, ns: usize) -> Gather {
        let resampler = sinc::Resampler::new(self.dt_s, ns, dt_s);
        let traces = self.samples.chunks_exact(self.ns.max(1));
        let samples = traces.flat_map(|trace| resampler.apply(trace)).collect();
        Gather { geometry: self.geometry.clone(), dt_s, ns, samples }
    }
}
