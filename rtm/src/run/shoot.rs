//! Forward modelling of a survey: a file of traces from a model and an acquisition. Each shot is kept in a file of its own
//! until all are there, so a stopped run goes on where it was.

use std::path::{Path, PathBuf};

use super::job::Job;
use super::migrate::{AnyBackend, Watch};
use super::params::{Parameters, Precision};
use super::restart::Fingerprint;
use crate::engine::Backend;
use crate::io::{TraceFormat, TraceReader, atomic, write_traces};
use crate::strategy::{self, Observer};
use crate::survey::geometry::{parse_range, product, read_places};
use crate::survey::{Gather, Geometry, Spread};
use crate::{Error, Real, Result, Traces};

/// What was recorded.
#[derive(Debug)]
pub struct Shots {
    /// The file of traces.
    pub path: PathBuf,
    /// Shots in it.
    pub shots: usize,
    /// Traces in it.
    pub traces: usize,
    /// Samples of each.
    pub ns: usize,
}

/// The acquisition that the parameters describe.
///
/// # Errors
/// A range or table cannot be read, or something is missing.
pub fn acquisition(params: &Parameters, job: &Job) -> Result<Vec<Geometry>> {
    let places = |x: &Option<String>,
                  y: &Option<String>,
                  z: f64,
                  file: &Option<PathBuf>,
                  what: &str| match (x, y, file) {
        (_, _, Some(file)) => read_places(file),
        (Some(x), Some(y), None) => {
            let range = |axis, text: &str| parse_range(&format!("{what}_{axis}"), text);
            Ok(product(&range("x", x)?, &range("y", y)?, z))
        }
        _ => Err(Error::refused(
            what,
            "places are missing",
            format!("give {what}_x and {what}_y (ranges such as 200:100:9), or {what}_file"),
        )),
    };
    let p = params;
    let sources_m = places(&p.sources_x, &p.sources_y, p.sources_z, &p.sources_file, "sources")?;
    let (receivers_m, moving) = match &p.streamer {
        Some(text) => (streamer(text, p.receivers_z)?, true),
        None => {
            let fixed = places(
                &p.receivers_x,
                &p.receivers_y,
                p.receivers_z,
                &p.receivers_file,
                "receivers",
            )?;
            (fixed, p.receivers_move)
        }
    };
    let user = job.user;
    let end = user.position_m(user.n.map(|n| n - 1));
    let inside = [0, 1].map(|a| [user.origin_m[a], end[a]]);
    Spread { sources_m, receivers_m, moving }.shots(Some(inside))
}

fn streamer(text: &str, depth_m: f64) -> Result<Vec<[f64; 3]>> {
    let numbers = parse_range("streamer", text)?;
    let count = |v: f64| (v.fract() == 0.0 && (1.0..100_000.0).contains(&v)).then_some(v as usize);
    match numbers[..] {
        [cables, apart, channels, near, group]
            if count(cables).is_some() && count(channels).is_some() =>
        {
            Ok(Spread::streamers(cables as usize, apart, channels as usize, near, group, depth_m))
        }
        _ => Err(Error::refused(
            format!("streamer = {text}"),
            "it has five numbers, the first and third of them counts",
            "cables,distance,channels,near,group such as 2,100,48,50,12.5",
        )),
    }
}

/// Models all shots of the acquisition and writes their traces to `data`.
///
/// # Errors
/// Whatever is wrong with parameters, model and geometry, before the first step; the file cannot be written; the run was stopped.
pub fn shoot(
    params: &Parameters,
    backend: &dyn AnyBackend,
    watch: &mut dyn Watch,
) -> Result<Shots> {
    match params.precision {
        Precision::F32 => run::<f32>(params, backend, watch),
        Precision::F64 => run::<f64>(params, backend, watch),
    }
}

fn run<T: Real>(
    params: &Parameters,
    backend: &dyn Backend<T>,
    watch: &mut dyn Watch,
) -> Result<Shots> {
    let path = params.data.clone().ok_or_else(|| {
        Error::refused("data", "no name for the traces", "give data=FILE.su or data=FILE.sgy")
    })?;
    let format = TraceFormat::of(&path)?;
    let t_max_s = params.tmax.ok_or_else(|| {
        Error::refused("tmax", "how long to record is missing", "give tmax=SECONDS")
    })?;
    let job = Job::new(params)?;
    let all = acquisition(params, &job)?;
    let kept = crate::survey::select(all.len(), params.ishot, params.incshot, params.nshots)?;
    let all: Vec<&Geometry> = kept.into_iter().map(|k| &all[k]).collect();
    // A whole number of time steps for each sample, so that traces need no interpolation.
    let ns = crate::model::prepare::levels(t_max_s, params.dt_rec);
    let wanted = params.dt.unwrap_or(job.dt_max_s).min(job.dt_max_s);
    let each = (params.dt_rec / wanted * (1.0 - 1e-9)).ceil().max(1.0) as usize;
    let dt_s = params.dt_rec / each as f64;
    let nt = ns.saturating_sub(1) * each + 1;
    if nt < 3 {
        return Err(Error::refused(
            format!("tmax = {t_max_s} s"),
            format!("only {ns} samples of dt_rec = {} s", params.dt_rec),
            "record longer, or with a smaller dt_rec",
        ));
    }
    let plans = all.iter().map(|g| job.shot(g, dt_s, nt)).collect::<Result<Vec<_>>>()?;
    job.notes.iter().for_each(|note| watch.note(note));
    let wavelet: Vec<T> = job.wavelet(dt_s, nt)?.into_iter().map(T::of).collect();

    let store = ShotStore::open(&path, fingerprint(params, &job, &all))?;
    if store.found > 0 {
        watch.note(&format!(
            "{} shots were modelled before: the run goes on after them",
            store.found
        ));
    }
    for (k, (geometry, shot)) in all.iter().zip(&plans).enumerate() {
        if store.path(k).exists() {
            continue;
        }
        watch.shot(k + 1, all.len(), shot.id);
        let source = Traces::source(dt_s, shot.source, wavelet.clone());
        let mut steps = Steps(watch);
        let recorded = strategy::model(
            backend,
            &shot.plan,
            &job.submodel(shot),
            &source,
            &shot.receivers,
            &mut steps,
        )?;
        let samples = (0..shot.receivers.len())
            .flat_map(|r| recorded.trace(r).iter().step_by(each).map(|v| v.f64() as f32))
            .collect();
        let gather = Gather { geometry: (*geometry).clone(), dt_s: params.dt_rec, ns, samples };
        write_traces(&store.path(k), TraceFormat::Su, "", &mut gather.traces().map(Ok))?;
    }
    let note = format!("MODELLED: RICKER {} HZ, {} SHOTS", job.peak_hz, all.len());
    let mut every = (0..all.len()).flat_map(|k| match TraceReader::open(&store.path(k)) {
        Ok(reader) => Box::new(reader) as Box<dyn Iterator<Item = Result<crate::io::Trace>>>,
        Err(e) => Box::new(std::iter::once(Err(e))),
    });
    let traces = write_traces(&path, format, &note, &mut every)?;
    store.remove()?;
    Ok(Shots { path, shots: all.len(), traces, ns })
}

struct Steps<'a>(&'a mut dyn Watch);

impl<T> Observer<T> for Steps<'_> {
    fn progress(&mut self, done: usize, steps: usize) -> bool {
        self.0.steps(done, steps)
    }
}

fn fingerprint(params: &Parameters, job: &Job, all: &[&Geometry]) -> Fingerprint {
    let mut run = Fingerprint::new();
    run.add(params.deciding().join("\n").as_bytes());
    run.add(bytemuck::cast_slice(&job.model.values));
    all.iter().for_each(|g| run.add(format!("{g:?}").as_bytes()));
    run
}

/// Finished shots of an unfinished run: `DATA.shots/FINGERPRINT-00001.su`.
struct ShotStore {
    folder: PathBuf,
    run: String,
    found: usize,
}

impl ShotStore {
    fn open(data: &Path, run: Fingerprint) -> Result<ShotStore> {
        let mut folder = data.as_os_str().to_owned();
        folder.push(".shots");
        let folder = PathBuf::from(folder);
        std::fs::create_dir_all(&folder).map_err(|e| Error::writing(&folder, &e))?;
        let mut store = ShotStore { folder, run: run.text(), found: 0 };
        // Proves before hours of work that the folder can be written.
        atomic::write_text(&store.folder.join("parameters"), &store.run)?;
        let names =
            std::fs::read_dir(&store.folder).map_err(|e| Error::reading(&store.folder, &e))?;
        store.found = names
            .flatten()
            .filter(|f| f.file_name().to_string_lossy().starts_with(&store.run))
            .filter(|f| f.path().extension().is_some_and(|e| e == "su"))
            .count();
        Ok(store)
    }

    fn path(&self, k: usize) -> PathBuf {
        self.folder.join(format!("{}-{:05}.su", self.run, k + 1))
    }

    fn remove(self) -> Result<()> {
        std::fs::remove_dir_all(&self.folder).map_err(|e| Error::writing(&self.folder, &e))
    }
}
