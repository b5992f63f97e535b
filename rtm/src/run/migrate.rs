//! The migration of a survey: shot by shot, stacked, restartable (spec 1.2).

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use super::dump::{Files, ShotWatch, plan_view, random_model, write_envelope};
use super::job::{Job, ShotPlan};
use super::params::{Parameters, Precision, StrategyCode};
use super::restart::{self, Fingerprint};
use super::stack::Stack;
use crate::engine::Backend;
use crate::grid::{Cube, Velocity};
use crate::io::{ShotEntry, TraceFormat, TraceReader, index_shots, write_traces};
use crate::picture::{Plane, Scale, Slice, heat_map};
use crate::plan::{Condition, Envelope, Strategy};
use crate::shot::Counts;
use crate::survey::{Gather, select};
use crate::{Error, Plan, Real, Result, Shot, Traces, imaging, strategy};

/// Who watches a run: the terminal, or nobody.
pub trait Watch {
    /// Something the user should know.
    fn note(&mut self, _text: &str) {}
    /// A shot begins: the `number`-th of `shots` (from 1), `id` in the data.
    fn shot(&mut self, _number: usize, _shots: usize, _id: i32) {}
    /// So many of a shot's time steps are done; `false` stops the run.
    fn steps(&mut self, _done: usize, _steps: usize) -> bool {
        true
    }
}

/// Nobody.
impl Watch for () {}

/// A back end for both precisions.
pub trait AnyBackend: Backend<f32> + Backend<f64> {}
impl<B: Backend<f32> + Backend<f64>> AnyBackend for B {}

/// What a migration left.
#[derive(Debug)]
pub struct Migrated {
    /// The final image, as it was written.
    pub image: Cube<f32>,
    /// Files for people, the image first.
    pub files: Vec<PathBuf>,
    /// Shots in the image.
    pub shots: usize,
    /// How many of them an earlier run had done.
    pub resumed: usize,
    /// Calls of each kernel, of the shots of this run.
    pub counts: Counts,
    /// Most memory that a shot took for its fields, bytes.
    pub bytes: usize,
}

/// A survey, checked and planned, before anything is computed.
pub struct Survey {
    /// The prepared model.
    pub job: Job,
    /// The chosen shots in the data.
    pub entries: Vec<ShotEntry>,
    /// Their plans.
    pub plans: Vec<ShotPlan>,
    /// Time step and levels of all shots.
    pub dt_s: f64,
    /// Time levels.
    pub nt: usize,
    reader: TraceReader,
}

impl Survey {
    /// Opens data and model, and checks every shot.
    ///
    /// # Errors
    /// Whatever is wrong with parameters, files and geometry: all of it is found here, before the first step.
    pub fn open(params: &Parameters) -> Result<Survey> {
        let mut job = Job::new(params)?;
        let path = params.data.as_ref().ok_or_else(|| {
            Error::refused(
                "data",
                "there are no traces",
                "give data=FILE.su or data=FILE.sgy; `rtm shoot` makes some",
            )
        })?;
        let mut reader = TraceReader::open(path)?;
        let index = index_shots(&mut reader)?;
        let chosen = select(index.len(), params.ishot, params.incshot, params.nshots)?;
        let entries: Vec<ShotEntry> = chosen.into_iter().map(|k| index[k].clone()).collect();
        let (first, dt_rec_s) = Gather::geometry(&mut reader, &entries[0])?;
        let recorded_s = reader.samples() as f64 * dt_rec_s;
        let t_max_s = params.tmax.map_or(recorded_s, |t| t.min(recorded_s));
        let (dt_s, nt) = job.timing(t_max_s, Some(dt_rec_s))?;
        let mut plans = vec![job.shot(&first, dt_s, nt)?];
        for entry in &entries[1..] {
            let (geometry, dt) = Gather::geometry(&mut reader, entry)?;
            if dt != dt_rec_s {
                return Err(Error::refused(
                    format!("{}: shot {}", path.display(), entry.id),
                    format!("dt = {dt} s, and {dt_rec_s} s in shot {}", entries[0].id),
                    "bring all traces to one time step",
                ));
            }
            plans.push(job.shot(&geometry, dt_s, nt)?);
        }
        let moved = plans.iter().map(|p| p.moved_m).fold(0.0, f64::max);
        if moved > 0.01 * job.model.grid.d_min_m() {
            job.notes.push(format!(
                "sources and receivers lie up to {moved:.2} m beside the grid's points and are moved to the nearest; a larger pplo makes the grid finer"
            ));
        }
        Ok(Survey { job, entries, plans, dt_s, nt, reader })
    }

    /// The traces of shot `k`, muted and at the run's time step.
    ///
    /// # Errors
    /// A trace cannot be read.
    pub fn gather(&mut self, k: usize) -> Result<Gather> {
        let mut gather = Gather::read(&mut self.reader, &self.entries[k])?;
        if let Some((v_mps, after_s)) = self.job.params.mute_line()? {
            gather.mute(v_mps, after_s, 1.0 / self.job.peak_hz);
        }
        let mut gather = gather.resampled(self.dt_s, self.nt);
        if self.job.params.differentiate {
            gather.differentiate(self.job.peak_hz);
        }
        Ok(gather)
    }

    /// A hash of all that decides the result.
    fn fingerprint(&self) -> Fingerprint {
        let mut run = Fingerprint::new();
        run.add(self.job.params.deciding().join("\n").as_bytes());
        run.add(bytemuck::cast_slice(&self.job.model.values));
        for (entry, shot) in self.entries.iter().zip(&self.plans) {
            // How many checkpoints fit into memory may differ from one day to the next; the image does not depend on it.
            let plan = Plan { strategy: Strategy::StoreAll, ..shot.plan.clone() };
            run.add(format!("{entry:?} {plan:?} {:?}", shot.receivers).as_bytes());
        }
        let length = std::fs::metadata(self.reader.path()).map_or(0, |m| m.len());
        run.add(&length.to_le_bytes());
        run
    }
}

/// Migrates a survey.
///
/// # Errors
/// As [`Survey::open`]; no file can be written; the run was stopped (it goes on from the last whole shot when it is
/// started again).
pub fn migrate(
    params: &Parameters,
    backend: &dyn AnyBackend,
    watch: &mut dyn Watch,
) -> Result<Migrated> {
    migrate_on(params, &[backend], watch)
}

/// Migrates a survey on several back ends (the GPUs of a host), each of which takes a shot at a time. Shots are added in their order, so
/// the image has the same bits as on one.
///
/// # Errors
/// As [`migrate`]; there is no back end.
pub fn migrate_on<'a>(
    params: &Parameters,
    backends: &[&'a dyn AnyBackend],
    watch: &mut dyn Watch,
) -> Result<Migrated> {
    let survey = Survey::open(params)?;
    match params.precision {
        Precision::F32 => {
            let of_f32 = |b: &&'a dyn AnyBackend| -> &'a dyn Backend<f32> { *b };
            run::<f32>(survey, &backends.iter().map(of_f32).collect::<Vec<_>>(), watch)
        }
        Precision::F64 => {
            let of_f64 = |b: &&'a dyn AnyBackend| -> &'a dyn Backend<f64> { *b };
            run::<f64>(survey, &backends.iter().map(of_f64).collect::<Vec<_>>(), watch)
        }
    }
}

fn run<T: Real>(
    mut survey: Survey,
    backends: &[&dyn Backend<T>],
    watch: &mut dyn Watch,
) -> Result<Migrated> {
    if backends.is_empty() {
        return Err(Error::input("there is no device to migrate on"));
    }
    let params = survey.job.params.clone();
    let files = Files::new(&params);
    survey.job.notes.iter().for_each(|note| watch.note(note));
    survey.plans.iter().try_for_each(|shot| survey.job.check_memory(shot))?;
    before_shots(&params, &survey, &files)?;

    let condition = Condition::from_code(params.imgcond)?;
    let grid = survey.job.model.grid;
    let mut stack = Stack::<T>::new(grid, condition, params.imcondeps, params.illumfile);
    let state = files.other("restart.bin");
    let fingerprint = survey.fingerprint();
    let mut done = 0;
    if params.restart
        && let Some(saved) = restart::load::<T>(&state, fingerprint, &grid, stack.cubes().len())?
    {
        done = saved.done;
        stack.restore(saved.cubes);
        watch.note(&format!(
            "{done} of {} shots are in {} already: the run goes on after them",
            survey.plans.len(),
            state.display()
        ));
    }
    let (resumed, shots) = (done, survey.plans.len());
    let wavelet: Vec<T> =
        survey.job.wavelet(survey.dt_s, survey.nt)?.into_iter().map(T::of).collect();
    let (mut counts, mut bytes) = (Counts::default(), 0);
    while done < shots {
        let together = backends.len().min(shots - done);
        let mut prepared = Vec::new();
        for k in done..done + together {
            let shot = survey.plans[k].clone();
            watch.shot(k + 1, shots, shot.id);
            prepared.push(Prepared::new(&mut survey, k, shot, &wavelet, &files)?);
        }
        for (prepared, migrated) in
            prepared.iter().zip(together_on(backends, &prepared, &params, &files, watch))
        {
            let (migrated, shot) = (migrated?, &prepared.shot);
            let raw = stack.of_shot(&migrated);
            let path = files.shot_cube(shot.id, "image-raw");
            files.write(params.rshotfile_raw, &path, &raw, "image")?;
            let image = match params.art_rem_method {
                1 => imaging::laplacian(&raw, params.ord),
                _ => raw,
            };
            files.write(params.rshotfile, &files.shot_cube(shot.id, "image"), &image, "image")?;
            stack.add(&image, &migrated);
            done += 1;
            counts.add(&migrated.counts);
            bytes = bytes.max(migrated.bytes);
            if params.revolutionfile {
                let partial = files.cube(&format!("image-after-{done:05}"));
                files.write(
                    true,
                    &partial,
                    &cropped(&survey.job, &params, stack.image()),
                    "image",
                )?;
            }
            if params.restart {
                restart::save(&state, fingerprint, done, &stack.cubes())?;
            }
        }
    }
    let (image, written) = after_shots(&survey.job, &params, &files, &stack)?;
    if params.restart {
        // Only now the state is of no use; a run killed before this line makes the image once more.
        std::fs::remove_file(&state).map_err(|e| Error::writing(&state, &e))?;
    }
    Ok(Migrated { image: image.convert(), files: written, shots, resumed, counts, bytes })
}

/// Dumps that need no shot.
fn before_shots(params: &Parameters, survey: &Survey, files: &Files) -> Result<()> {
    let job = &survey.job;
    let velocity = "velocity, m/s";
    files.write(params.velextfile, &files.cube("model-extended"), &job.extended, velocity)?;
    files.write(params.velresampfile, &files.cube("model-resampled"), &job.model, velocity)?;
    if params.psgraphfile {
        plan_view(&files.other("submodels.png"), &survey.plans)?;
    }
    if params.rdfile && params.strategy == StrategyCode::Random {
        let envelope = Envelope::from_code(params.rdtype)?;
        write_envelope(&files.other("rd.txt"), envelope, params.lpml)?;
    }
    Ok(())
}

/// A shot with all that its migration needs.
struct Prepared<T> {
    shot: ShotPlan,
    velocity: Velocity,
    traces: Shot<T>,
}

impl<T: Real> Prepared<T> {
    /// Reads and prepares a shot, and writes the dumps that are made of it.
    fn new(
        survey: &mut Survey,
        k: usize,
        shot: ShotPlan,
        wavelet: &[T],
        files: &Files,
    ) -> Result<Prepared<T>> {
        let gather = survey.gather(k)?;
        let (job, params) = (&survey.job, &survey.job.params);
        if params.resampfile {
            let path = files.other(&format!("shot-{:05}-resampled.su", shot.id));
            write_traces(&path, TraceFormat::Su, "", &mut gather.traces().map(Ok))?;
        }
        let velocity = job.submodel(&shot);
        files.write(
            params.subvelfile,
            &files.shot_cube(shot.id, "model"),
            &velocity,
            "velocity, m/s",
        )?;
        if let Strategy::RandomBoundaries(boundary) = shot.plan.strategy {
            // The first forward and the last backward step belong to the same epoch, so both files must be equal.
            for (wanted, name) in
                [(params.velrand1file, "velrand1"), (params.velrand2file, "velrand2")]
            {
                if wanted {
                    let random = random_model(&shot.plan, &boundary, &velocity);
                    let path = files.shot_cube(shot.id, name);
                    files.write(true, &path, &random, "velocity, m/s")?;
                }
            }
        }
        let receivers = Traces {
            nt: survey.nt,
            dt_s: survey.dt_s,
            points: shot.receivers.clone(),
            samples: gather.samples.iter().map(|v| T::of(f64::from(*v))).collect(),
        };
        let source = Traces::source(survey.dt_s, shot.source, wavelet.to_vec());
        Ok(Prepared { shot, velocity, traces: Shot { source, receivers } })
    }

    /// Migrates it.
    fn migrate(
        &self,
        backend: &dyn Backend<T>,
        params: &Parameters,
        files: &Files,
        steps: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<crate::ShotImage<T>> {
        let mut observer = ShotWatch::new(params, files, &self.shot, steps)?;
        let plan = &self.shot.plan;
        let migrated =
            strategy::migrate(backend, plan, &self.velocity, &self.traces, &mut observer);
        let migrated = migrated.map_err(|e| match e {
            Error::Diverged(text) => Error::Diverged(format!("shot {}: {text}", self.shot.id)),
            other => other,
        })?;
        observer.finish()?;
        Ok(migrated)
    }
}

/// Migrates some shots at once, each on a back end of its own, and returns their images in their order.
fn together_on<T: Real>(
    backends: &[&dyn Backend<T>],
    prepared: &[Prepared<T>],
    params: &Parameters,
    files: &Files,
    watch: &mut dyn Watch,
) -> Vec<Result<crate::ShotImage<T>>> {
    if let [one] = prepared {
        let mut steps = |done: usize, all: usize| watch.steps(done, all);
        return vec![one.migrate(backends[0], params, files, &mut steps)];
    }
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (say, hear) = mpsc::channel();
        let workers: Vec<_> = prepared
            .iter()
            .zip(backends)
            .enumerate()
            .map(|(worker, (shot, backend))| {
                let (say, stop) = (say.clone(), &stop);
                scope.spawn(move || {
                    let mut steps = |done: usize, all: usize| {
                        // Nobody listens any more when the run ends: no reason to fail.
                        let _ = say.send((worker, done, all));
                        !stop.load(Ordering::Relaxed)
                    };
                    shot.migrate(*backend, params, files, &mut steps)
                })
            })
            .collect();
        drop(say);
        let mut progress = vec![(0, 0); prepared.len()];
        for (worker, done, all) in hear {
            progress[worker] = (done, all);
            let (done, all) = progress.iter().fold((0, 0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
            if !watch.steps(done, all) {
                stop.store(true, Ordering::Relaxed);
            }
        }
        let panicked = || Error::Device("the thread of a device ended before its shot".into());
        workers.into_iter().map(|w| w.join().unwrap_or_else(|_| Err(panicked()))).collect()
    })
}

fn cropped<T: Real>(job: &Job, params: &Parameters, image: Cube<T>) -> Cube<T> {
    if params.crop { job.crop(&image) } else { image }
}

/// Final filter and files.
fn after_shots<T: Real>(
    job: &Job,
    params: &Parameters,
    files: &Files,
    stack: &Stack<T>,
) -> Result<(Cube<T>, Vec<PathBuf>)> {
    let raw = stack.image();
    let mut written = Vec::new();
    let image = match params.art_rem_method {
        2 => imaging::laplacian(&raw, params.ord),
        _ => raw.clone(),
    };
    let image = cropped(job, params, image);
    for (wanted, name, cube) in [
        (params.rfile, "image", &image),
        (params.rfile_raw, "image-raw", &cropped(job, params, raw)),
    ] {
        if wanted {
            let path = files.cube(name);
            files.write(true, &path, cube, "image")?;
            written.push(path);
        }
    }
    if let Some(energy) = stack.source_energy.as_ref().filter(|_| params.illumfile) {
        let path = files.cube("illumination");
        files.write(true, &path, &cropped(job, params, energy.clone()), "source energy")?;
        written.push(path);
    }
    if params.png {
        let path = files.other("image.png");
        let grid = image.grid;
        // The longer horizontal axis across, in the middle of the other.
        let plane = if grid.n[0] >= grid.n[1] { Plane::Xz } else { Plane::Yz };
        let [_, _, fixed] = plane.axes();
        let slice = Slice::of_cube(&image, plane, grid.n[fixed] / 2)?;
        heat_map(&path, "RTM image", &slice, Scale::Signed(0.99))?;
        written.push(path);
    }
    Ok((image, written))
}
