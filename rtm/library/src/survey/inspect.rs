//! What is in a file of traces: counts, places, amplitudes, spectrum, direct wave, and what these
//! suggest for a run. Nothing is refused that can be read: broken files are what it is for.
//!
//! The file is read twice, a trace at a time. What stays in memory are counts, sums, a key for each
//! shot, and samples of at most a few thousand places and picks.

use std::collections::{BTreeMap, HashSet};

use super::spectrum::{Band, MeanSpectrum};
use crate::Result;
use crate::io::{RawTrace, TraceReader};

/// Traces whose spectra are taken, and of which the direct wave is picked, at most.
const SAMPLED: usize = 4096;
/// Rows of the table of fold.
const ROWS: usize = 10;

/// Smallest and largest value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Smallest.
    pub low: f64,
    /// Largest.
    pub high: f64,
}

impl Range {
    const NONE: Range = Range { low: f64::INFINITY, high: f64::NEG_INFINITY };

    fn add(&mut self, v: f64) {
        self.low = self.low.min(v);
        self.high = self.high.max(v);
    }

    /// Largest less smallest.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }
}

/// Places, at most [`SAMPLED`], evenly spread over those that came: when it is full, every second
/// is dropped and from then on only every second taken.
#[derive(Clone, Debug)]
struct Thinned<T> {
    kept: Vec<T>,
    every: usize,
    seen: usize,
}

impl<T> Thinned<T> {
    fn new() -> Thinned<T> {
        Thinned { kept: Vec::new(), every: 1, seen: 0 }
    }

    fn add(&mut self, item: T) {
        if self.seen.is_multiple_of(self.every) {
            self.kept.push(item);
            if self.kept.len() == SAMPLED {
                let mut k = 0;
                self.kept.retain(|_| {
                    k += 1;
                    k % 2 == 1
                });
                self.every *= 2;
            }
        }
        self.seen += 1;
    }
}

/// The amplitudes of the live traces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amplitudes {
    /// Root of the mean square of all finite samples.
    pub rms: f64,
    /// Largest magnitude of a finite sample.
    pub largest: f64,
    /// Samples that are NaN or infinite.
    pub broken: usize,
    /// Number (from 1) of the first trace with such samples.
    pub first_broken: Option<usize>,
    /// Traces of zeros only.
    pub zeros: usize,
}

/// The direct wave: its largest peak arrives `peak_s + distance / v_mps` after the shot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectWave {
    /// Velocity, m/s.
    pub v_mps: f64,
    /// Time at no distance: the peak of the wavelet after the shot's time zero, seconds.
    pub peak_s: f64,
    /// Root of the mean square distance of the picks from the line, seconds.
    pub scatter_s: f64,
    /// Picks that the line is fitted to.
    pub picks: usize,
}

/// A row of the table of fold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fold {
    /// Along the line, metres from its first midpoint.
    pub along_m: Range,
    /// Live traces for each midpoint (half a receiver spacing).
    pub fold: f64,
}

/// What is in a file of traces.
pub struct Inspection {
    /// Traces.
    pub traces: usize,
    /// Samples of each.
    pub ns: usize,
    /// Time steps, nanoseconds, and how many traces have each.
    pub steps_ns: BTreeMap<i64, usize>,
    /// First samples' times, microseconds, and how many traces have each.
    pub delay_us: BTreeMap<i64, usize>,
    /// Traces by trace id (`trid`).
    pub ids: BTreeMap<i32, usize>,
    /// Values of `scalco` and how many traces have each.
    pub scalco: BTreeMap<i32, usize>,
    /// Traces whose coordinates are angles.
    pub angles: usize,
    /// Shots: different numbers (`fldr`), or source places where these are 0.
    pub shots: usize,
    /// Runs of equal shots; more than shots if the file is not sorted by shot.
    pub runs: usize,
    /// Traces of a run, fewest and most.
    pub channels: [usize; 2],
    /// Runs whose live receivers lie on a line.
    pub lines: usize,
    /// Traces of all live shots that have another source than the first of their run.
    pub moved_sources: usize,
    /// Sources' x, y, z, metres.
    pub source_m: [Range; 3],
    /// Receivers' x, y, z, metres.
    pub receiver_m: [Range; 3],
    /// Horizontal distances from source to receiver, metres.
    pub offset_m: Range,
    /// The commonest distance from one receiver to the next, metres.
    pub group_m: Option<f64>,
    /// The commonest distance from one source to the next, metres.
    pub shot_m: Option<f64>,
    /// Words of the header that are 0 in every trace.
    pub empty: Vec<&'static str>,
    /// Traces along the line.
    pub folds: Vec<Fold>,
    /// Amplitudes.
    pub amplitudes: Amplitudes,
    /// Mean amplitude spectrum.
    pub spectrum: MeanSpectrum,
    /// The direct wave, if one stands out.
    pub direct: Option<DirectWave>,
    sources: Thinned<[f64; 2]>,
    receivers: Thinned<[f64; 2]>,
    /// The line's direction.
    along: [f64; 2],
}

/// The words whose emptiness is told.
const TOLD: [&str; 11] =
    ["fldr", "tracf", "cdp", "trid", "sx", "sy", "gx", "gy", "gelev", "sdepth", "scalco"];

impl Inspection {
    /// Reads a whole file.
    ///
    /// # Errors
    /// The file cannot be read, or its traces differ in length.
    pub fn read(reader: &mut TraceReader) -> Result<Inspection> {
        reader.seek(0)?;
        let mut found = Inspection::empty(reader.traces(), reader.samples());
        let mut pass = First::default();
        let every = found.traces.div_ceil(SAMPLED);
        while let Some(trace) = reader.next_raw()? {
            found.take(&trace, &mut pass, every);
        }
        found.finish(pass);
        found.second(reader)?;
        Ok(found)
    }

    fn empty(traces: usize, ns: usize) -> Inspection {
        Inspection {
            traces,
            ns,
            steps_ns: BTreeMap::new(),
            delay_us: BTreeMap::new(),
            ids: BTreeMap::new(),
            scalco: BTreeMap::new(),
            angles: 0,
            shots: 0,
            runs: 0,
            channels: [usize::MAX, 0],
            lines: 0,
            moved_sources: 0,
            source_m: [Range::NONE; 3],
            receiver_m: [Range::NONE; 3],
            offset_m: Range::NONE,
            group_m: None,
            shot_m: None,
            empty: Vec::new(),
            folds: Vec::new(),
            amplitudes: Amplitudes::default(),
            spectrum: MeanSpectrum::new(ns),
            direct: None,
            sources: Thinned::new(),
            receivers: Thinned::new(),
            along: [1.0, 0.0],
        }
    }

    fn take(&mut self, trace: &RawTrace, pass: &mut First, every: usize) {
        let header = &trace.header;
        let number = pass.number;
        pass.number += 1;
        *self.steps_ns.entry((header.dt_s * 1e9).round() as i64).or_default() += 1;
        *self.delay_us.entry((header.delay_s * 1e6).round() as i64).or_default() += 1;
        *self.ids.entry(trace.word("trid")).or_default() += 1;
        *self.scalco.entry(trace.word("scalco")).or_default() += 1;
        self.angles += usize::from(header.angles);
        for (full, name) in pass.full.iter_mut().zip(TOLD) {
            *full |= trace.word(name) != 0;
        }
        let source = header.source_m.map(f64::to_bits);
        let key = (header.shot, if header.shot == 0 { source } else { [0; 3] });
        let flat = |p: [f64; 3]| [p[0], p[1]];
        if pass.run != Some(key) {
            self.close_run(pass);
            self.runs += 1;
            pass.known.insert(key);
            (pass.run, pass.receiver) = (Some(key), None);
            if let Some(before) = pass.source.replace(header.source_m) {
                count_step(&mut pass.shot_steps, apart(before, header.source_m));
            }
            self.sources.add(flat(header.source_m));
        } else if pass.source != Some(header.source_m) {
            self.moved_sources += 1;
        }
        pass.channels += 1;
        if header.dead {
            return;
        }
        for axis in 0..3 {
            self.source_m[axis].add(header.source_m[axis]);
            self.receiver_m[axis].add(header.receiver_m[axis]);
        }
        let (s, r) = (header.source_m, header.receiver_m);
        self.offset_m.add((r[0] - s[0]).hypot(r[1] - s[1]));
        self.receivers.add(flat(r));
        pass.spread.add(flat(r));
        if let Some(before) = pass.receiver.replace(r) {
            count_step(&mut pass.group_steps, apart(before, r));
        }
        pass.line.add([0.5 * (s[0] + r[0]), 0.5 * (s[1] + r[1])]);
        self.take_samples(trace, pass, number, every);
    }

    fn take_samples(&mut self, trace: &RawTrace, pass: &mut First, number: usize, every: usize) {
        let amplitudes = &mut self.amplitudes;
        let mut broken = 0;
        let mut largest = (0, 0f64);
        for (k, v) in trace.samples.iter().map(|v| f64::from(*v)).enumerate() {
            if !v.is_finite() {
                broken += 1;
                continue;
            }
            pass.squares += v * v;
            pass.finite += 1;
            if v.abs() > largest.1 {
                largest = (k, v.abs());
            }
        }
        amplitudes.largest = amplitudes.largest.max(largest.1);
        amplitudes.broken += broken;
        if broken > 0 {
            amplitudes.first_broken.get_or_insert(number + 1);
            return;
        }
        if largest.1 == 0.0 {
            amplitudes.zeros += 1;
            return;
        }
        if number.is_multiple_of(every) {
            self.spectrum.add(&trace.samples);
            let (s, r) = (trace.header.source_m, trace.header.receiver_m);
            let at = trace.header.delay_s + summit(&trace.samples, largest.0) * trace.header.dt_s;
            pass.picks.push((apart(s, r), at));
        }
    }

    fn close_run(&mut self, pass: &mut First) {
        if pass.run.is_some() {
            let [least, most] = &mut self.channels;
            *least = (*least).min(pass.channels);
            *most = (*most).max(pass.channels);
            pass.channels = 0;
            self.lines += usize::from(std::mem::take(&mut pass.spread).is_thin());
        }
    }

    fn finish(&mut self, mut pass: First) {
        self.close_run(&mut pass);
        self.shots = pass.known.len();
        self.group_m = commonest(&pass.group_steps);
        self.shot_m = commonest(&pass.shot_steps);
        if pass.finite > 0 {
            self.amplitudes.rms = (pass.squares / pass.finite as f64).sqrt();
        }
        self.empty = TOLD.into_iter().zip(pass.full).filter(|(_, f)| !f).map(|(n, _)| n).collect();
        let period_s = self.band().map(|b| 1.0 / b.peak_hz);
        self.direct = period_s.and_then(|period_s| direct_wave(pass.picks, period_s));
        self.along = pass.line.direction();
    }

    /// Counts traces along the line, from the headers alone: its direction is known only now.
    fn second(&mut self, reader: &mut TraceReader) -> Result<()> {
        reader.seek(0)?;
        let Some(bin_m) = self.group_m.or(self.shot_m).map(|d| 0.5 * d) else { return Ok(()) };
        let [along_x, along_y] = self.along;
        // Midpoints of a regular line lie in the middle of bins that are counted from one of them.
        let mut origin = None;
        let mut bins: BTreeMap<i64, usize> = BTreeMap::new();
        while let Some(h) = reader.next_header()? {
            if !h.dead {
                let [x, y] = [0, 1].map(|a| 0.5 * (h.source_m[a] + h.receiver_m[a]));
                let along = x * along_x + y * along_y;
                let from = *origin.get_or_insert(along);
                *bins.entry(((along - from) / bin_m).round() as i64).or_default() += 1;
            }
        }
        let (Some((&first, _)), Some((&last, _))) = (bins.first_key_value(), bins.last_key_value())
        else {
            return Ok(());
        };
        let count = (last - first + 1) as usize;
        let each = count.div_ceil(ROWS) as i64;
        self.folds = (first..=last)
            .step_by(each as usize)
            .map(|from| {
                let to = (from + each - 1).min(last);
                let traces: usize = bins.range(from..=to).map(|(_, n)| n).sum();
                let metres = |bin: i64| (bin - first) as f64 * bin_m;
                let along_m = Range { low: metres(from), high: metres(to) };
                Fold { along_m, fold: traces as f64 / (to - from + 1) as f64 }
            })
            .collect();
        Ok(())
    }

    /// The commonest time step, seconds.
    pub fn dt_s(&self) -> f64 {
        self.steps_ns.iter().max_by_key(|(_, n)| **n).map_or(0.0, |(ns, _)| *ns as f64 * 1e-9)
    }

    /// The commonest time of the first sample, seconds.
    pub fn delay_s(&self) -> f64 {
        self.delay_us.iter().max_by_key(|(_, n)| **n).map_or(0.0, |(us, _)| *us as f64 * 1e-6)
    }

    /// Peak and band of the spectrum; `None` without live traces or a time step.
    pub fn band(&self) -> Option<Band> {
        let dt_s = self.dt_s();
        if dt_s > 0.0 { self.spectrum.band(dt_s) } else { None }
    }

    /// Traces that the headers call dead or dummies.
    pub fn dead(&self) -> usize {
        [2, 3].iter().filter_map(|id| self.ids.get(id)).sum()
    }

    /// Some of the sources' places (x, y), metres.
    pub fn sources(&self) -> &[[f64; 2]] {
        &self.sources.kept
    }

    /// Some of the live receivers' places (x, y), metres.
    pub fn receivers(&self) -> &[[f64; 2]] {
        &self.receivers.kept
    }
}

/// What the first reading keeps from trace to trace.
#[derive(Default)]
struct First {
    number: usize,
    run: Option<(i32, [u64; 3])>,
    known: HashSet<(i32, [u64; 3])>,
    channels: usize,
    source: Option<[f64; 3]>,
    receiver: Option<[f64; 3]>,
    shot_steps: BTreeMap<i64, usize>,
    group_steps: BTreeMap<i64, usize>,
    full: [bool; TOLD.len()],
    squares: f64,
    finite: usize,
    picks: Vec<(f64, f64)>,
    line: Line,
    /// The receivers of the run.
    spread: Line,
}

/// Sums over places, from which the direction of the line through them follows.
#[derive(Default)]
struct Line {
    count: f64,
    mean: [f64; 2],
    /// Sums of the products of distances from the mean: xx, xy, yy.
    products: [f64; 3],
}

impl Line {
    /// Welford's update: no digits are lost to large coordinates.
    fn add(&mut self, p: [f64; 2]) {
        self.count += 1.0;
        let before = [0, 1].map(|a| p[a] - self.mean[a]);
        (0..2).for_each(|a| self.mean[a] += before[a] / self.count);
        let after = [0, 1].map(|a| p[a] - self.mean[a]);
        self.products[0] += before[0] * after[0];
        self.products[1] += before[0] * after[1];
        self.products[2] += before[1] * after[1];
    }

    /// Whether three points or more lie on a line: across it they are spread by less than a
    /// twentieth of what they are along it.
    fn is_thin(&self) -> bool {
        let [xx, xy, yy] = self.products;
        let (half, root) = (0.5 * (xx + yy), (0.5 * (xx - yy)).hypot(xy));
        self.count > 2.0 && root > 0.0 && half - root < (half + root) / 400.0
    }

    /// Unit vector of the principal axis, towards larger x.
    fn direction(&self) -> [f64; 2] {
        let [xx, xy, yy] = self.products;
        let (sin, cos) = (0.5 * (2.0 * xy).atan2(xx - yy)).sin_cos();
        [cos, sin]
    }
}

fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

/// Counts a distance, to a centimetre; not more than some thousand different ones.
fn count_step(steps: &mut BTreeMap<i64, usize>, metres: f64) {
    let key = (metres * 100.0).round() as i64;
    if key > 0 && (steps.len() < SAMPLED || steps.contains_key(&key)) {
        *steps.entry(key).or_default() += 1;
    }
}

fn commonest(steps: &BTreeMap<i64, usize>) -> Option<f64> {
    // Of equally common ones the smallest.
    steps.iter().rev().max_by_key(|(_, n)| **n).map(|(key, _)| *key as f64 * 0.01)
}

/// The place of the extremum of the magnitude at sample `k`, between samples by a parabola.
fn summit(samples: &[f32], k: usize) -> f64 {
    let size = |k: usize| samples.get(k).map_or(0.0, |v| f64::from(v.abs()));
    let (a, b, c) = (if k == 0 { 0.0 } else { size(k - 1) }, size(k), size(k + 1));
    let curve = a - 2.0 * b + c;
    k as f64 + if curve < 0.0 { 0.5 * (a - c) / curve } else { 0.0 }
}

/// The line `peak + distance / v` through the picks of the nearest third of distances, by least
/// squares, without those that lie far from it; `None` if there is no such line: the peaks are of
/// something else, or too few.
fn direct_wave(picks: Vec<(f64, f64)>, period_s: f64) -> Option<DirectWave> {
    let mut range = Range::NONE;
    picks.iter().for_each(|p| range.add(p.0));
    let limit = range.low + range.width() / 3.0;
    let mut near: Vec<_> = picks.into_iter().filter(|p| p.0 <= limit).collect();
    let all = near.len();
    let fit = |near: &[(f64, f64)]| {
        let n = near.len() as f64;
        let mean = |f: &dyn Fn(&(f64, f64)) -> f64| near.iter().map(f).sum::<f64>() / n;
        let (x, t) = (mean(&|p| p.0), mean(&|p| p.1));
        let slope = mean(&|p| (p.0 - x) * (p.1 - t)) / mean(&|p| (p.0 - x).powi(2));
        let start = t - slope * x;
        let scatter = mean(&|p| (p.1 - start - slope * p.0).powi(2)).sqrt();
        (slope, start, scatter)
    };
    for _ in 0..4 {
        let (slope, start, scatter) = fit(&near);
        let most = (2.0 * scatter).max(1e-9);
        near.retain(|p| (p.1 - start - slope * p.0).abs() <= most);
    }
    let (slope, peak_s, scatter_s) = fit(&near);
    let v_mps = 1.0 / slope;
    let stands_out = near.len() >= 5
        && 2 * near.len() >= all
        && (100.0..=10_000.0).contains(&v_mps)
        && scatter_s < 0.1 * period_s;
    stands_out.then_some(DirectWave { v_mps, peak_s, scatter_s, picks: near.len() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Trace, TraceFormat, TraceHeader, write_traces};
    use crate::survey::wavelet::ricker;
    use std::path::Path;

    const NS: usize = 400;

    /// A line at 30 degrees to the x axis, 10 shots 50 m apart, 40 receivers 25 m apart behind
    /// each from 100 m on: the direct wave at 1600 m/s, its peak 60 ms after the shot.
    fn line(path: &Path, change: impl Fn(usize, &mut Trace)) {
        let at = |along: f64| [4e5 + along * 0.75f64.sqrt(), 5e6 + along * 0.5, 0.0];
        let mut traces = (0..400).map(|k| {
            let (shot, channel) = (k / 40, k % 40);
            let far_m = 100.0 + 25.0 * channel as f64;
            let first_s = -0.012 - 0.06 - far_m / 1600.0;
            let samples = ricker(20.0, first_s, 0.002, NS).into_iter().map(|v| 3.0 * v as f32);
            let header = TraceHeader {
                shot: shot as i32 + 1,
                channel: channel as i32 + 1,
                source_m: at(50.0 * shot as f64),
                receiver_m: at(50.0 * shot as f64 + far_m),
                dt_s: 0.002,
                delay_s: -0.012,
                ..Default::default()
            };
            let mut trace = Trace { header, samples: samples.collect() };
            change(k, &mut trace);
            Ok(trace)
        });
        write_traces(path, TraceFormat::Segy, "A LINE", &mut traces).unwrap();
    }

    fn inspect(change: impl Fn(usize, &mut Trace)) -> Inspection {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sgy");
        line(&path, change);
        Inspection::read(&mut TraceReader::open(&path).unwrap()).unwrap()
    }

    #[test]
    fn a_line_is_counted_measured_and_its_direct_wave_found() {
        let found = inspect(|_, _| ());
        assert_eq!((found.traces, found.ns, found.shots, found.runs), (400, NS, 10, 10));
        assert_eq!((found.channels, found.moved_sources, found.dead()), ([40, 40], 0, 0));
        assert_eq!(found.lines, 10);
        assert_eq!((found.dt_s(), found.delay_s()), (0.002, -0.012));
        let near = |a: f64, b: f64| assert!((a - b).abs() < 0.02, "{a} {b}");
        near(found.offset_m.low, 100.0);
        near(found.offset_m.high, 1075.0);
        near(found.group_m.unwrap(), 25.0);
        near(found.shot_m.unwrap(), 50.0);
        // Midpoints 12.5 m apart, 937.5 m of them; four have the traces of a
        // shot alone, then each shot adds its own, up to 10.
        let last = found.folds.last().unwrap();
        near(last.along_m.high, 937.5);
        let traces: f64 =
            found.folds.iter().map(|f| f.fold * (f.along_m.width() / 12.5 + 1.0)).sum();
        near(traces, 400.0);
        let folds = [0, 4].map(|k| found.folds[k].fold);
        assert_eq!(folds, [1.5, 9.5], "{:?}", found.folds);
        let band = found.band().unwrap();
        assert!((band.peak_hz - 20.0).abs() < 0.5 && (band.high_hz - 44.2).abs() < 0.6, "{band:?}");
        let direct = found.direct.unwrap();
        assert!((direct.v_mps - 1600.0).abs() < 5.0, "{direct:?}");
        assert!((direct.peak_s - 0.06).abs() < 5e-4 && direct.scatter_s < 5e-4, "{direct:?}");
        assert!((found.amplitudes.largest - 3.0).abs() < 0.05, "{:?}", found.amplitudes);
        assert_eq!(found.empty, ["cdp", "gelev", "sdepth"]);
    }

    #[test]
    fn dead_broken_and_silent_traces_are_counted_apart() {
        let found = inspect(|k, trace| match k {
            3 => (trace.header.dead, trace.samples[5]) = (true, f32::NAN),
            7 => trace.samples.fill(0.0),
            8 | 9 => (trace.samples[1], trace.samples[2]) = (f32::INFINITY, f32::NAN),
            _ => (),
        });
        let a = found.amplitudes;
        assert_eq!((found.dead(), a.zeros, a.broken, a.first_broken), (1, 1, 4, Some(9)));
        assert!(a.rms.is_finite() && (a.largest - 3.0).abs() < 0.05, "{a:?}");
        assert_eq!(found.ids, BTreeMap::from([(1, 399), (2, 1)]));
        assert_eq!(found.spectrum.traces(), 396);
    }

    /// Rms and largest of a square wave, in a file sorted by CDP: each trace of another shot.
    #[test]
    fn a_file_that_is_not_sorted_by_shot_and_its_amplitudes() {
        let found = inspect(|k, trace| {
            trace.header.shot = 1 + k as i32 % 10;
            let value = |i: usize| if i.is_multiple_of(2) { 2.0 } else { -2.0 };
            trace.samples = (0..NS).map(value).collect();
        });
        assert_eq!((found.shots, found.runs, found.channels), (10, 400, [1, 1]));
        assert_eq!((found.amplitudes.rms, found.amplitudes.largest), (2.0, 2.0));
        assert_eq!(found.direct, None);
    }
}
