//! Acquisition: where sources and receivers are ([`geometry`]), what was recorded, traces from one
//! time step to another ([`sinc`]), what the source emits ([`wavelet`]). Field data: what is in a
//! file of traces ([`inspect`], [`spectrum`]), what it suggests ([`advice`]), the wavelet in it
//! ([`estimate`]), and its way to a file that is ready for migration ([`prepare`], [`filter`]).

pub mod advice;
pub mod estimate;
pub mod filter;
pub mod geometry;
pub mod inspect;
pub mod prepare;
pub mod sampling;
pub mod sinc;
pub mod spectrum;
pub mod wavelet;

pub use geometry::{Geometry, Spread, locate, select};
pub use sampling::Sampling;
pub use wavelet::Signature;

use std::f64::consts::PI;

use filter::Filter;

use crate::Result;
use crate::io::{Clock, Digest, Fingerprint, ShotEntry, Trace, TraceHeader, TraceReader};

/// What one shot recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Gather {
    /// Source and receivers.
    pub geometry: Geometry,
    /// Time between samples.
    pub dt_s: f64,
    /// Time of the first sample after the shot's time zero, seconds.
    pub delay_s: f64,
    /// Samples of each trace.
    pub ns: usize,
    /// `ns` samples for each receiver, one trace after the other.
    pub samples: Vec<f32>,
}

impl Gather {
    /// Reads the traces of a shot, without the dead ones.
    ///
    /// # Errors
    /// A trace cannot be read.
    pub fn read(reader: &mut TraceReader, shot: &ShotEntry) -> Result<Gather> {
        let ns = reader.samples();
        reader.seek(shot.traces.start)?;
        let mut receivers_m = Vec::with_capacity(shot.traces.len());
        let mut samples = Vec::with_capacity(shot.traces.len() * ns);
        for trace in reader.by_ref().take(shot.traces.len()) {
            let trace = trace?;
            if !trace.header.dead {
                receivers_m.push(trace.header.receiver_m);
                samples.extend(trace.samples);
            }
        }
        let Clock { dt_s, delay_s } = shot.clock;
        let geometry = Geometry { id: shot.id, source_m: shot.source_m, receivers_m };
        Ok(Gather { geometry, dt_s, delay_s, ns, samples })
    }

    /// Source and live receivers of a shot, from the headers alone.
    ///
    /// # Errors
    /// A header cannot be read.
    pub fn geometry(reader: &mut TraceReader, shot: &ShotEntry) -> Result<Geometry> {
        reader.seek(shot.traces.start)?;
        let mut receivers_m = Vec::with_capacity(shot.traces.len());
        for _ in shot.traces.clone() {
            let header = reader.next_header()?.expect("the index has counted the traces");
            if !header.dead {
                receivers_m.push(header.receiver_m);
            }
        }
        Ok(Geometry { id: shot.id, source_m: shot.source_m, receivers_m })
    }

    /// Silences the direct wave: samples before `distance / v_mps + after_s` become 0, with a
    /// smooth rise of `taper_s` after.
    pub fn mute(&mut self, v_mps: f64, after_s: f64, taper_s: f64) {
        let Gather { geometry, dt_s, delay_s, ns, samples } = self;
        for (trace, place) in samples.chunks_exact_mut((*ns).max(1)).zip(&geometry.receivers_m) {
            let far = (0..3).map(|a| (place[a] - geometry.source_m[a]).powi(2)).sum::<f64>().sqrt();
            let start_s = far / v_mps + after_s;
            silence(trace, *delay_s, *dt_s, start_s, taper_s);
        }
    }

    /// The derivative of all traces in time, divided by `2 pi peak_hz` to keep their size.
    ///
    /// A sheet of receivers that emits its traces sends out their integral over time (each point
    /// adds a spherical wave); the derivative undoes that, and the image of a step in velocity has
    /// its extremum at the step.
    pub fn differentiate(&mut self, peak_hz: f64) {
        let scale = (1.0 / (4.0 * PI * peak_hz * self.dt_s)) as f32;
        for trace in self.samples.chunks_exact_mut(self.ns.max(1)) {
            let mut before = 0.0;
            for k in 0..trace.len() {
                let after = trace.get(k + 1).copied().unwrap_or(0.0);
                let here = trace[k];
                trace[k] = (after - before) * scale;
                before = here;
            }
        }
    }

    /// The derivative of order 1/2, of the same size at `peak_hz`.
    ///
    /// A line of receivers does half of what a sheet does (see [`Gather::differentiate`]): it sends
    /// out its traces times `(-i w)^(-1/2)`. The sign is that of the derivative of a sheet. In a
    /// `plane` a line is all that there is of a sheet; there the traces of a point source lack
    /// `(i w)^(-1/2)`, by which a line source's differ from them.
    pub fn half_differentiate(&mut self, peak_hz: f64, plane: bool) {
        let gain = |hz: f64| (hz / peak_hz).sqrt();
        let phase = if plane { 0.25 * PI } else { 0.75 * PI };
        let filter = Filter::turning(self.ns, self.dt_s, gain, phase);
        for trace in self.samples.chunks_exact_mut(self.ns.max(1)) {
            trace.copy_from_slice(&filter.apply(trace));
        }
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
                delay_s: self.delay_s,
                ..TraceHeader::default()
            },
            samples: samples.to_vec(),
        })
    }

    /// A hash of all that it holds.
    pub fn digest(&self) -> Fingerprint {
        let mut digest = Digest::new();
        let g = &self.geometry;
        digest.add(bytemuck::cast_slice(&g.source_m));
        digest.add(bytemuck::cast_slice(&g.receivers_m));
        digest.add(bytemuck::cast_slice(&[self.dt_s, self.delay_s]));
        digest.add(bytemuck::cast_slice(&self.samples));
        digest.finish()
    }

    /// The gather at other times: `ns` samples `dt_s` apart, the first `delay_s` after the shot's
    /// time zero.
    pub fn resampled(&self, delay_s: f64, dt_s: f64, ns: usize) -> Gather {
        let resampler = sinc::Resampler::new(self.dt_s, delay_s - self.delay_s, ns, dt_s);
        let traces = self.samples.chunks_exact(self.ns.max(1));
        let samples = traces.flat_map(|trace| resampler.apply(trace)).collect();
        Gather { geometry: self.geometry.clone(), dt_s, delay_s, ns, samples }
    }
}

/// Silences a trace, whose first sample is at `delay_s`, before `start_s`; from there it rises
/// smoothly within `taper_s`, or at once if that is 0.
fn silence(trace: &mut [f32], delay_s: f64, dt_s: f64, start_s: f64, taper_s: f64) {
    for (k, v) in trace.iter_mut().enumerate() {
        let after_s = delay_s + k as f64 * dt_s - start_s;
        let share = match taper_s > 0.0 {
            true => (after_s / taper_s).clamp(0.0, 1.0),
            // A sample at the boundary itself stays, whatever rounding makes of its time.
            false => f64::from(u8::from(after_s > -1e-9)),
        };
        *v *= (0.5 - 0.5 * (PI * share).cos()) as f32;
    }
}
