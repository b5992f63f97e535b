//! Field data made ready for migration: a trace at a time, from one file to another.

use super::filter::{Corners, Filter, Resampling};
use super::silence;
use crate::io::{RawTrace, TraceHeader, TraceReader};
use crate::{Error, Result};

/// What is done to each trace, in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// Added to all times, seconds: what was at `-shift` is then at time zero.
    pub shift_s: f64,
    /// Keep traces that are dead (`trid`) or hold only zeros.
    pub keep_dead: bool,
    /// Corner frequencies of a zero-phase band-pass filter, Hz.
    pub band: Option<[f64; 4]>,
    /// Time of all traces' first sample, seconds after the shot's time zero.
    pub start_s: Option<f64>,
    /// Time between samples, seconds.
    pub dt_s: Option<f64>,
    /// Silence before `distance / v + after`, with a rise of `taper`: m/s, seconds, seconds.
    pub mute: Option<[f64; 3]>,
    /// Multiply by time (seconds after the shot) to this power.
    pub power: Option<f64>,
    /// Divide each sample by the rms of this window around it, seconds.
    pub agc_s: Option<f64>,
    /// Divide each trace by its rms.
    pub balance: bool,
}

impl Steps {
    /// # Errors
    /// A number that makes no sense.
    fn check(&self) -> Result<()> {
        let refuse = |name: &str, fix: &str| Err(Error::refused(name, "no such value", fix));
        let positive = |v: f64| v > 0.0 && v.is_finite();
        match self {
            s if !s.shift_s.is_finite() || s.start_s.is_some_and(|t| !t.is_finite()) => {
                refuse("shift, start", "write seconds, such as -0.06")
            }
            s if s.dt_s.is_some_and(|dt| !positive(dt)) => {
                refuse("dt", "write seconds above 0, such as 0.004")
            }
            s if s.agc_s.is_some_and(|w| !positive(w)) => {
                refuse("agc", "write the window's length in seconds, such as 0.5")
            }
            s if s.power.is_some_and(|p| !p.is_finite() || p < 0.0) => {
                refuse("gain", "write a power of time, 0 or more, such as 2")
            }
            s if s.mute.is_some_and(|[v, after, taper]| {
                !(positive(v) && after.is_finite() && taper >= 0.0 && taper.is_finite())
            }) =>
            {
                refuse("mute", "write velocity,seconds or velocity,seconds,taper: 1500,0.1,0.02")
            }
            _ => Ok(()),
        }
    }
}

/// What a file is and what it becomes, from its headers.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Traces in the file.
    pub traces: usize,
    /// Those that the headers call dead.
    pub dead: usize,
    /// Samples of a trace, before and after.
    pub ns: [usize; 2],
    /// Time between samples, seconds, before and after.
    pub dt_s: [f64; 2],
    /// Times of the first samples, earliest and latest, before; after the shift.
    pub first_s: [f64; 2],
}

/// Traces that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The header calls them dead.
    pub dead: usize,
    /// They hold only zeros.
    pub zeros: usize,
    /// They hold NaN or infinity.
    pub broken: usize,
}

/// The prepared traces of a file, one at a time.
pub struct Prepared<'a> {
    reader: &'a mut TraceReader,
    steps: Steps,
    /// What the headers say.
    pub outline: Outline,
    /// What was left out so far.
    pub left_out: LeftOut,
    filter: Option<Filter>,
    /// The last trace's lateness and the resampling it took.
    resampling: Option<(f64, Resampling)>,
}

impl<'a> Prepared<'a> {
    /// Reads all headers and checks the steps against them.
    ///
    /// # Errors
    /// A step makes no sense for the file; traces have no time step, or different ones.
    pub fn new(reader: &'a mut TraceReader, steps: Steps) -> Result<Prepared<'a>> {
        steps.check()?;
        reader.seek(0)?;
        let (ns, traces) = (reader.samples(), reader.traces());
        let mut dead = 0;
        let mut dt_s = 0.0;
        let mut first_s = [f64::INFINITY, f64::NEG_INFINITY];
        for number in 1..=traces {
            let header = reader.next_header()?.expect("the file has so many");
            if number == 1 {
                dt_s = header.dt_s;
            }
            if header.dt_s != dt_s || dt_s <= 0.0 {
                return Err(Error::refused(
                    format!("{}: trace {number}", reader.path().display()),
                    format!("dt = {} s, and {dt_s} s in the first trace", header.dt_s),
                    "all traces need one dt above 0: set it in the headers, or split the file",
                ));
            }
            dead += usize::from(header.dead);
            let at = header.delay_s + steps.shift_s;
            first_s = [first_s[0].min(at), first_s[1].max(at)];
        }
        reader.seek(0)?;
        let corners = steps.band.map(|band| Corners(band).check(dt_s)).transpose()?;
        let dt_out_s = steps.dt_s.unwrap_or(dt_s);
        let last = (ns - 1) as f64 * dt_s;
        // From the common start to the end of the latest trace.
        let long_s = steps.start_s.map_or(last, |start| first_s[1] + last - start);
        if long_s < 0.0 {
            return Err(Error::refused(
                format!("start {}", steps.start_s.unwrap_or(0.0)),
                format!("all traces end before, at {} s at the latest", first_s[1] + last),
                "choose an earlier start",
            ));
        }
        let ns_out = (long_s / dt_out_s + 1e-6).floor() as usize + 1;
        // What the new headers cannot hold is refused before anything is written.
        let delay_s = steps.start_s.unwrap_or(first_s[0]);
        let header = TraceHeader { dt_s: dt_out_s, delay_s, ..TraceHeader::default() };
        let (endian, dialect, _) = reader.layout();
        header.encode(1, ns_out, endian, dialect).map_err(|e| Error::file(reader.path(), e))?;
        let outline = Outline { traces, dead, ns: [ns, ns_out], dt_s: [dt_s, dt_out_s], first_s };
        let filter = corners.map(|corners| Filter::new(ns, dt_s, |hz| corners.gain(hz)));
        let left_out = LeftOut::default();
        Ok(Prepared { reader, steps, outline, left_out, filter, resampling: None })
    }

    /// The next trace that is kept.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn next_trace(&mut self) -> Result<Option<RawTrace>> {
        while let Some(mut trace) = self.reader.next_raw()? {
            let broken = trace.samples.iter().position(|v| !v.is_finite());
            let zeros = trace.samples.iter().all(|v| *v == 0.0);
            let count = match (trace.header.dead, broken) {
                (true, _) => &mut self.left_out.dead,
                (_, Some(_)) => &mut self.left_out.broken,
                _ if zeros => &mut self.left_out.zeros,
                _ => {
                    self.work(&mut trace);
                    return Ok(Some(trace));
                }
            };
            if !self.steps.keep_dead || broken.is_some() {
                *count += 1;
                continue;
            }
            self.work(&mut trace);
            return Ok(Some(trace));
        }
        Ok(None)
    }

    fn work(&mut self, trace: &mut RawTrace) {
        let steps = &self.steps;
        let ([_, ns], [dt_in_s, dt_s]) = (self.outline.ns, self.outline.dt_s);
        let samples = &mut trace.samples;
        let mut first_s = trace.header.delay_s + steps.shift_s;
        if let Some(filter) = &self.filter {
            *samples = filter.apply(samples);
        }
        let late_s = steps.start_s.map_or(0.0, |start| start - first_s);
        // What differs by rounding alone keeps its samples.
        let same = (dt_s - dt_in_s).abs() < 1e-9 * dt_s && late_s.abs() < 1e-9;
        if !same || samples.len() != ns {
            let known = self.resampling.take().filter(|(late, _)| *late == late_s);
            let (_, resampling) = self.resampling.insert(known.unwrap_or_else(|| {
                let new = Resampling::new(samples.len(), dt_in_s, late_s, ns, dt_s);
                (late_s, new)
            }));
            *samples = resampling.apply(samples);
            first_s += late_s;
        }
        if let Some([v_mps, after_s, taper_s]) = steps.mute {
            let (s, r) = (trace.header.source_m, trace.header.receiver_m);
            let far_m = (0..3).map(|a| (r[a] - s[a]).powi(2)).sum::<f64>().sqrt();
            silence(samples, first_s, dt_s, far_m / v_mps + after_s, taper_s);
        }
        if let Some(power) = steps.power {
            for (k, v) in samples.iter_mut().enumerate() {
                *v *= (first_s + k as f64 * dt_s).max(0.0).powf(power) as f32;
            }
        }
        if let Some(window_s) = steps.agc_s {
            agc(samples, (0.5 * window_s / dt_s).round() as usize);
        }
        if steps.balance {
            let rms = rms(samples.iter());
            if rms > 0.0 {
                samples.iter_mut().for_each(|v| *v = (f64::from(*v) / rms) as f32);
            }
        }
        (trace.header.dt_s, trace.header.delay_s) = (dt_s, first_s);
    }
}

fn rms<'a>(samples: impl ExactSizeIterator<Item = &'a f32>) -> f64 {
    let count = samples.len().max(1) as f64;
    (samples.map(|v| f64::from(*v).powi(2)).sum::<f64>() / count).sqrt()
}

/// Divides each sample by the rms of those up to `half` before and after it; silence stays.
fn agc(samples: &mut [f32], half: usize) {
    let mut sums = vec![0.0; samples.len() + 1];
    for (k, v) in samples.iter().enumerate() {
        sums[k + 1] = sums[k] + f64::from(*v).powi(2);
    }
    let n = samples.len();
    for (k, v) in samples.iter_mut().enumerate() {
        let (from, to) = (k.saturating_sub(half), (k + half + 1).min(n));
        let rms = ((sums[to] - sums[from]) / (to - from) as f64).sqrt();
        // Where nothing is left of a difference of sums, it is rounding.
        if rms > 1e-7 * (sums[n] / n as f64).sqrt() {
            *v = (f64::from(*v) / rms) as f32;
        }
    }
}
