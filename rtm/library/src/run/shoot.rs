//! Forward modelling of a survey: a file of traces from a model and an acquisition. Each shot is
//! kept in a file of its own until all are there, so a stopped run goes on where it was.

use std::fs;
use std::path::{Path, PathBuf};

use super::backend::{AnyBackend, room_of};
use super::cluster::{self, Line, Seat, Steps, Work};
use super::finished::check_mark;
use super::job::{Job, ShotPlan};
use super::params::{Parameters, Precision};
use super::watch::Watch;
use crate::engine::{Backend, Room};
use crate::io::{Digest, Fingerprint, TraceFormat, TraceReader, atomic, write_traces};
use crate::strategy::{self, Observer};
use crate::survey::geometry::{parse_range, product, read_places};
use crate::survey::{Gather, Geometry, Spread};
use crate::{Error, Real, Result};

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
pub fn acquisition(params: &Parameters, job: &Job) -> Result<Spread> {
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
    match sources_m.is_empty() {
        true => Err(Error::input("no source: give sources_x, sources_y or a table of sources")),
        false => Ok(Spread { sources_m, receivers_m, moving, inside_m: Some(inside) }),
    }
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
/// Whatever is wrong with parameters, model and geometry, before the first step; the file cannot be
/// written; the run was stopped.
pub fn shoot(
    params: &Parameters,
    backend: &dyn AnyBackend,
    watch: &mut dyn Watch,
) -> Result<Shots> {
    let modelling = Modelling::open(params, room_of(params, backend)?)?;
    let (store, todo) = modelling.begin(watch)?;
    for k in todo {
        watch.shot(k + 1, modelling.plans.len(), modelling.plans[k].id);
        modelling.shot(k, backend, &store, &mut |done, all| watch.steps(done, all))?;
    }
    modelling.finish(store)
}

/// Models the shots together with other processes (see [`cluster`]), as
/// [`super::migrate::migrate_shared`] migrates them.
///
/// # Errors
/// As [`shoot`], on rank 0 only, with the rank and host where it went wrong.
pub fn shoot_shared(
    params: &Parameters,
    open: &(dyn Fn() -> Result<Box<dyn AnyBackend>> + Sync),
    seat: Seat<'_>,
    watch: &mut dyn Watch,
) -> Result<Option<Shots>> {
    let room = open().and_then(|backend| room_of(params, backend.as_ref()));
    let modelling = room.and_then(|room| Modelling::open(params, room));
    let ranks = match seat {
        Seat::Other(line) => {
            match &modelling {
                Ok(modelling) => modelling.serve(open, line),
                Err(error) => cluster::refuse(line, error),
            }
            return Ok(None);
        }
        Seat::First(ranks) => ranks,
    };
    let modelling = modelling.inspect_err(|_| cluster::dismiss(ranks))?;
    let (store, todo) = modelling.begin(watch).inspect_err(|_| cluster::dismiss(ranks))?;
    let ids: Vec<i32> = modelling.plans.iter().map(|shot| shot.id).collect();
    let own = |line: &dyn Line| modelling.serve(open, line);
    cluster::deal(ranks, &store.run.text(), todo, &ids, own, &mut |_| Ok(()), watch)?;
    modelling.finish(store).map(Some)
}

/// A survey to be modelled, checked and planned.
struct Modelling {
    job: Job,
    path: PathBuf,
    format: TraceFormat,
    spread: Spread,
    /// Which of its shots are modelled.
    kept: Vec<usize>,
    plans: Vec<ShotPlan>,
    dt_s: f64,
    nt: usize,
    /// Time of level 0 after the shot's time zero.
    start_s: f64,
    /// The level of the first sample.
    first: usize,
    /// Time steps for each sample.
    each: usize,
    ns: usize,
}

impl Modelling {
    fn open(params: &Parameters, room: Room) -> Result<Modelling> {
        let path = params.data.clone().ok_or_else(|| {
            Error::refused("data", "no name for the traces", "give data=FILE.su or data=FILE.sgy")
        })?;
        let format = TraceFormat::of(&path)?;
        let t_max_s = params.tmax.ok_or_else(|| {
            Error::refused("tmax", "how long to record is missing", "give tmax=SECONDS")
        })?;
        let job = Job::new(params, room)?;
        let spread = acquisition(params, &job)?;
        let all = spread.sources_m.len();
        let kept = crate::survey::select(all, params.ishot, params.incshot, params.nshots)?;
        // A whole number of time steps for each sample, so that traces need no interpolation.
        let ns = crate::model::prepare::levels(t_max_s, params.dt_rec);
        let wanted = params.dt.unwrap_or(job.dt_max_s).min(job.dt_max_s);
        let each = (params.dt_rec / wanted * (1.0 - 1e-9)).ceil().max(1.0) as usize;
        let dt_s = params.dt_rec / each as f64;
        // The first sample is a level, too: the run begins up to a step before the wavelet.
        let delay_s = params.delay.unwrap_or(0.0);
        let lead = ((delay_s - job.signature.start_s()) / dt_s - 1e-6).ceil().max(0.0);
        let (first, start_s) = (lead as usize, delay_s - lead * dt_s);
        let nt = first + ns.saturating_sub(1) * each + 1;
        if ns < 3 {
            return Err(Error::refused(
                format!("tmax = {t_max_s} s"),
                format!("only {ns} samples of dt_rec = {} s", params.dt_rec),
                "record longer, or with a smaller dt_rec",
            ));
        }
        let plan = |k: &usize| job.shot(&spread.shot(*k)?, dt_s, nt);
        let plans = kept.iter().map(plan).collect::<Result<Vec<_>>>()?;
        Ok(Modelling { job, path, format, spread, kept, plans, dt_s, nt, start_s, first, each, ns })
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut run = Digest::new();
        run.add(self.job.params.deciding().join("\n").as_bytes());
        run.add(bytemuck::cast_slice(&self.job.model.values));
        run.add(format!("{:?} {:?}", self.spread, self.kept).as_bytes());
        let wavelet = self.job.signature.sampled(self.start_s, self.dt_s, self.nt);
        run.add(bytemuck::cast_slice(&wavelet));
        run.finish()
    }

    /// The store of finished shots, and the shots that are not in it.
    fn begin(&self, watch: &mut dyn Watch) -> Result<(ShotStore, Vec<usize>)> {
        self.job.notes.iter().for_each(|note| watch.note(note));
        let store = ShotStore::make(&self.path, self.fingerprint())?;
        let todo: Vec<usize> = (0..self.plans.len()).filter(|k| !store.path(*k).exists()).collect();
        let found = self.plans.len() - todo.len();
        if found > 0 {
            watch.note(&format!("{found} shots were modelled before: the run goes on after them"));
        }
        Ok((store, todo))
    }

    /// Models shot `k` into the store.
    fn shot(
        &self,
        k: usize,
        backend: &dyn AnyBackend,
        store: &ShotStore,
        steps: &mut Steps<'_>,
    ) -> Result<()> {
        let (geometry, dt_s) = (self.spread.shot(self.kept[k])?, self.job.params.dt_rec);
        let samples = match self.job.params.precision {
            Precision::F32 => self.samples::<f32>(k, &geometry, backend, steps)?,
            Precision::F64 => self.samples::<f64>(k, &geometry, backend, steps)?,
        };
        let delay_s = self.start_s + self.first as f64 * self.dt_s;
        let gather = Gather { geometry, dt_s, delay_s, ns: self.ns, samples };
        write_traces(&store.path(k), TraceFormat::Su, "", &mut gather.traces().map(Ok))?;
        Ok(())
    }

    /// What the receivers of shot `k` record.
    fn samples<T: Real>(
        &self,
        k: usize,
        geometry: &Geometry,
        backend: &dyn Backend<T>,
        steps: &mut Steps<'_>,
    ) -> Result<Vec<f32>> {
        let shot = &self.plans[k];
        let wavelet = self.job.signature.sampled(self.start_s, self.dt_s, self.nt);
        let wavelet = wavelet.into_iter().map(T::of).collect();
        let velocity = self.job.submodel(shot);
        let mut source = self.job.source(shot, geometry.source_m, wavelet);
        let receivers = self.job.receivers(shot, geometry);
        self.job.make_sources(&mut source, &velocity);
        let recorded = strategy::model(
            backend,
            &shot.plan,
            &velocity,
            &source,
            &receivers.points,
            &mut Progress(steps),
        )?;
        Ok(receivers
            .gather(recorded)
            .chunks_exact(self.nt)
            .flat_map(|trace| trace[self.first..].iter().step_by(self.each))
            .map(|v| v.f64() as f32)
            .collect())
    }

    /// Models the shots that rank 0 orders.
    fn serve(&self, open: &dyn Fn() -> Result<Box<dyn AnyBackend>>, line: &dyn Line) {
        let backend = match open() {
            Ok(backend) => backend,
            Err(error) => return cluster::refuse(line, &error),
        };
        let store = ShotStore::of(&self.path, self.fingerprint());
        cluster::work(line, &store.run.text(), &mut |k, steps| {
            let shot = store.check().and_then(|()| self.shot(k, backend.as_ref(), &store, steps));
            shot.map(|()| Work::default()).map_err(|error| error.in_shot(self.plans[k].id))
        });
    }

    /// Puts all shots into one file.
    fn finish(&self, store: ShotStore) -> Result<Shots> {
        let shots = self.plans.len();
        let note = format!("MODELLED: RICKER {} HZ, {shots} SHOTS", self.job.peak_hz);
        let mut every = (0..shots).flat_map(|k| match TraceReader::open(&store.path(k)) {
            Ok(reader) => Box::new(reader) as Box<dyn Iterator<Item = Result<crate::io::Trace>>>,
            Err(e) => Box::new(std::iter::once(Err(e))),
        });
        let traces = write_traces(&self.path, self.format, &note, &mut every)?;
        store.remove()?;
        Ok(Shots { path: self.path.clone(), shots, traces, ns: self.ns })
    }
}

struct Progress<'a, 'b>(&'a mut Steps<'b>);

impl<T> Observer<T> for Progress<'_, '_> {
    fn progress(&mut self, done: usize, steps: usize) -> bool {
        (self.0)(done, steps)
    }
}

/// Finished shots of an unfinished run: `DATA.shots/FINGERPRINT-00001.su`.
struct ShotStore {
    folder: PathBuf,
    run: Fingerprint,
}

impl ShotStore {
    fn of(data: &Path, run: Fingerprint) -> ShotStore {
        let mut folder = data.as_os_str().to_owned();
        folder.push(".shots");
        ShotStore { folder: PathBuf::from(folder), run }
    }

    /// Makes the folder: that proves before hours of work that it can be written.
    fn make(data: &Path, run: Fingerprint) -> Result<ShotStore> {
        let store = ShotStore::of(data, run);
        fs::create_dir_all(&store.folder).map_err(|e| Error::writing(&store.folder, &e))?;
        atomic::write_text(&store.mark(), &run.text())?;
        Ok(store)
    }

    /// Whether this process sees the folder that rank 0 made.
    fn check(&self) -> Result<()> {
        check_mark(&self.mark(), self.run)
    }

    fn mark(&self) -> PathBuf {
        self.folder.join("parameters")
    }

    fn path(&self, k: usize) -> PathBuf {
        self.folder.join(format!("{}-{:05}.su", self.run.text(), k + 1))
    }

    fn remove(self) -> Result<()> {
        fs::remove_dir_all(&self.folder).map_err(|e| Error::writing(&self.folder, &e))
    }
}
