//! The migration of a survey: shot by shot, stacked, restartable (spec 1.2).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use super::backend::{AnyBackend, room_of};
use super::cluster::{self, Line, Seat, Steps, Work};
use super::dump::{Files, plan_view, write_envelope};
use super::finished::Finished;
use super::job::Job;
use super::opened::Survey;
use super::params::{Laplacian, Parameters, Precision, StrategyCode};
use super::prepared::{self, Shots};
use super::restart;
use super::stack::{Stack, Summands};
use super::watch::Watch;
use crate::engine::Backend;
use crate::grid::Cube;
use crate::io::Fingerprint;
use crate::picture::{Plane, Scale, Slice, heat_map};
use crate::shot::Counts;
use crate::{Error, Real, Result, imaging};

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

/// Migrates a survey.
///
/// # Errors
/// As [`Survey::open`]; no file can be written; the run was stopped (it goes on from the last whole
/// shot when it is started again).
pub fn migrate(
    params: &Parameters,
    backend: &dyn AnyBackend,
    watch: &mut dyn Watch,
) -> Result<Migrated> {
    migrate_on(params, &[backend], watch)
}

/// Migrates a survey on several back ends (the GPUs of a host), each of which takes a shot at a
/// time. Shots are added in their order, so the image has the same bits as on one.
///
/// # Errors
/// As [`migrate`]; there is no back end.
pub fn migrate_on<'a>(
    params: &Parameters,
    backends: &[&'a dyn AnyBackend],
    watch: &mut dyn Watch,
) -> Result<Migrated> {
    let rooms = backends.iter().map(|b| room_of(params, *b)).collect::<Result<Vec<_>>>()?;
    let least = rooms.into_iter().min_by_key(|room| room.spare_bytes);
    let room = least.ok_or_else(|| Error::input("there is no device to migrate on"))?;
    let survey = Survey::open(params, room)?;
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

/// Migrates a survey together with other processes (see [`cluster`]): this one sits at `seat` and
/// computes on the back end that `open` opens. The image has the same bits as that of one process.
/// Rank 0 returns what was made, the others nothing.
///
/// # Errors
/// As [`migrate`], on rank 0 only, with the rank and host where it went wrong.
pub fn migrate_shared(
    params: &Parameters,
    open: &(dyn Fn() -> Result<Box<dyn AnyBackend>> + Sync),
    seat: Seat<'_>,
    watch: &mut dyn Watch,
) -> Result<Option<Migrated>> {
    match params.precision {
        Precision::F32 => {
            let open = || open().map(|backend| -> Box<dyn Backend<f32>> { backend });
            share::<f32>(params, &open, seat, watch)
        }
        Precision::F64 => {
            let open = || open().map(|backend| -> Box<dyn Backend<f64>> { backend });
            share::<f64>(params, &open, seat, watch)
        }
    }
}

fn run<T: Real>(
    survey: Survey,
    backends: &[&dyn Backend<T>],
    watch: &mut dyn Watch,
) -> Result<Migrated> {
    let mut image = Assembly::<T>::open(&survey, watch)?;
    let shots = Shots::new(&survey)?;
    while image.collect()? < survey.plans.len() {
        let next: Vec<usize> = (image.done..survey.plans.len())
            .take_while(|k| !image.finished.has(*k))
            .take(backends.len())
            .collect();
        for k in &next {
            watch.shot(k + 1, survey.plans.len(), survey.plans[*k].id);
        }
        for migrated in together_on(backends, &shots, &next, watch) {
            let migrated = migrated?;
            image.count(&Work { counts: migrated.counts, bytes: migrated.bytes });
            image.add(migrated.data, &migrated.summands)?;
        }
    }
    image.close()
}

type Open<'a, T> = dyn Fn() -> Result<Box<dyn Backend<T>>> + Sync + 'a;

fn share<T: Real>(
    params: &Parameters,
    open: &Open<'_, T>,
    seat: Seat<'_>,
    watch: &mut dyn Watch,
) -> Result<Option<Migrated>> {
    let room = open().and_then(|backend| backend.room());
    let survey = room.and_then(|room| Survey::open(params, room));
    let ranks = match seat {
        Seat::Other(line) => {
            match &survey {
                Ok(survey) => serve(survey, open, line),
                Err(error) => cluster::refuse(line, error),
            }
            return Ok(None);
        }
        Seat::First(ranks) => ranks,
    };
    let survey = survey.inspect_err(|_| cluster::dismiss(ranks))?;
    let image = Assembly::<T>::open(&survey, watch).and_then(|image| {
        image.finished.make()?;
        Ok(image)
    });
    let mut image = image.inspect_err(|_| cluster::dismiss(ranks))?;
    let (shots, run) = (&survey.plans, survey.fingerprint().text());
    let ids: Vec<i32> = shots.iter().map(|shot| shot.id).collect();
    let todo: Vec<usize> = (image.done..shots.len()).filter(|k| !image.finished.has(*k)).collect();
    let own = |line: &dyn Line| serve(&survey, open, line);
    let mut done = |work: Work| {
        image.count(&work);
        image.collect().map(drop)
    };
    cluster::deal(ranks, &run, todo, &ids, own, &mut done, watch)?;
    // All may have been there already.
    image.collect()?;
    image.close().map(Some)
}

/// Migrates the shots that rank 0 orders, and leaves each in a file.
fn serve<T: Real>(survey: &Survey, open: &Open<'_, T>, line: &dyn Line) {
    let ready = || {
        survey.plans.iter().try_for_each(|shot| survey.job.check_memory(shot))?;
        Ok((open()?, Shots::new(survey)?))
    };
    let (backend, shots) = match ready() {
        Ok(ready) => ready,
        Err(error) => return cluster::refuse(line, &error),
    };
    let run = survey.fingerprint();
    let finished = Finished::new(&Files::new(&survey.job.params), run);
    let migrate = |k: usize, steps: &mut Steps<'_>| {
        finished.check()?;
        let migrated = shots.migrate(k, backend.as_ref(), steps)?;
        finished.save(k, migrated.data, &migrated.summands)?;
        Ok(Work { counts: migrated.counts, bytes: migrated.bytes })
    };
    cluster::work(line, &run.text(), &mut |k, steps| {
        migrate(k, steps).map_err(|error: Error| error.in_shot(survey.plans[k].id))
    });
}

/// The image in the making: the sums, and the files that keep them.
struct Assembly<'a, T> {
    survey: &'a Survey,
    files: Files,
    stack: Stack<T>,
    summands: Summands,
    run: Fingerprint,
    finished: Finished,
    /// Shots in the sums.
    done: usize,
    /// The fingerprint of what they recorded.
    data: Fingerprint,
    /// The last of them are in files of their own, not in the restart file.
    apart: usize,
    /// Bytes of these files.
    apart_bytes: usize,
    resumed: usize,
    counts: Counts,
    bytes: usize,
}

impl<'a, T: Real> Assembly<'a, T> {
    /// Begins, or goes on where an earlier run ended.
    fn open(survey: &'a Survey, watch: &mut dyn Watch) -> Result<Assembly<'a, T>> {
        let (job, params) = (&survey.job, &survey.job.params);
        let files = Files::new(params);
        job.notes.iter().for_each(|note| watch.note(note));
        survey.plans.iter().try_for_each(|shot| job.check_memory(shot))?;
        before_shots(params, survey, &files)?;
        let summands = Summands::new(params.imgcond, params.imcondeps, params.illumfile);
        let run = survey.fingerprint();
        let mut image = Assembly {
            survey,
            stack: Stack::new(job.model.grid, summands),
            summands,
            run,
            finished: Finished::new(&files, run),
            files,
            done: 0,
            data: Fingerprint::default(),
            apart: 0,
            apart_bytes: 0,
            resumed: 0,
            counts: Counts::default(),
            bytes: 0,
        };
        if !params.restart {
            image.finished.remove()?;
            return Ok(image);
        }
        let (state, grid, shots) = (image.state(), job.model.grid, survey.plans.len());
        if let Some(saved) = restart::load::<T>(&state, run, &grid, summands.count())? {
            let data = (0..saved.done).try_fold(Fingerprint::default(), |data, k| {
                Ok::<_, Error>(data.then(survey.read(k)?.digest()))
            })?;
            if data != saved.data {
                return Err(other_data(&state));
            }
            (image.done, image.data) = (saved.done, data);
            image.stack.restore(saved.cubes);
        }
        let waiting = (image.done..shots).filter(|k| image.finished.has(*k)).count();
        image.resumed = image.done + waiting;
        if image.resumed > 0 {
            watch.note(&format!(
                "{} of {shots} shots are in {} already: the run goes on after them",
                image.resumed,
                if image.done > 0 { state } else { image.files.other("finished") }.display()
            ));
        }
        Ok(image)
    }

    fn state(&self) -> PathBuf {
        self.files.other("restart.bin")
    }

    /// Adds the shots that wait in files, as far as none is missing before them; how many are in
    /// the sums then.
    fn collect(&mut self) -> Result<usize> {
        while let Some(shot) = self.survey.plans.get(self.done) {
            let (k, grid) = (self.done, shot.plan.interior()?);
            let Some(saved) = self.finished.load(k, &grid, self.summands.count())? else {
                break;
            };
            if saved.data != self.survey.read(k)?.digest() {
                return Err(other_data(&self.files.other("finished")));
            }
            self.stack_up(saved.data, &saved.cubes)?;
            self.keep_apart(&saved.cubes)?;
        }
        Ok(self.done)
    }

    /// Counts a shot that this run has computed.
    fn count(&mut self, work: &Work) {
        self.counts.add(&work.counts);
        self.bytes = self.bytes.max(work.bytes);
    }

    /// Adds the next shot, which this process has migrated.
    fn add(&mut self, data: Fingerprint, summands: &[Cube<T>]) -> Result<()> {
        let k = self.done;
        self.stack_up(data, summands)?;
        if !self.survey.job.params.restart {
            return Ok(());
        }
        if self.apart_bytes + bytes(summands) < bytes(self.stack.cubes()) {
            self.finished.make()?;
            self.finished.save(k, data, summands)?;
        }
        self.keep_apart(summands)
    }

    /// Adds the next shot to the sums.
    fn stack_up(&mut self, data: Fingerprint, summands: &[Cube<T>]) -> Result<()> {
        let (job, params) = (&self.survey.job, &self.survey.job.params);
        self.stack.add(summands);
        self.data = self.data.then(data);
        self.done += 1;
        if params.revolutionfile {
            let partial = self.files.cube(&format!("image-after-{:05}", self.done));
            self.files.write(true, &partial, &cropped(job, params, self.stack.image()), "image")?;
        }
        Ok(())
    }

    /// Leaves the latest shot in its file, until those files are together as large as the sums:
    /// only then the sums are written. So what a shot costs to keep is in proportion to its own
    /// part of the image, not to the whole.
    fn keep_apart(&mut self, summands: &[Cube<T>]) -> Result<()> {
        if !self.survey.job.params.restart {
            // A shared run hands shots over in files all the same.
            return self.finished.forget(self.done - 1);
        }
        self.apart += 1;
        self.apart_bytes += bytes(summands);
        if self.apart_bytes < bytes(self.stack.cubes()) {
            return Ok(());
        }
        restart::save(&self.state(), self.run, self.done, self.data, &self.stack.cubes())?;
        for k in self.done - self.apart..self.done {
            if self.finished.has(k) {
                self.finished.forget(k)?;
            }
        }
        (self.apart, self.apart_bytes) = (0, 0);
        Ok(())
    }

    /// Writes the image and removes what kept the sums.
    fn close(self) -> Result<Migrated> {
        let (job, params) = (&self.survey.job, &self.survey.job.params);
        let (image, files) = after_shots(job, params, &self.files, &self.stack)?;
        // Only now the state is of no use; a run killed before this line makes the image once more.
        let state = self.state();
        if params.restart && state.exists() {
            fs::remove_file(&state).map_err(|e| Error::writing(&state, &e))?;
        }
        self.finished.remove()?;
        let (shots, resumed, counts, bytes) = (self.done, self.resumed, self.counts, self.bytes);
        Ok(Migrated { image: image.convert(), files, shots, resumed, counts, bytes })
    }
}

/// Bytes of some cubes.
fn bytes<'c, T: Real>(cubes: impl IntoIterator<Item = &'c Cube<T>>) -> usize {
    cubes.into_iter().map(|cube| cube.values.len() * T::BYTES).sum()
}

fn other_data(place: &Path) -> Error {
    Error::refused(
        place.display(),
        "the traces of a finished shot are not those that were migrated: the data have changed",
        "give restart=0 to start anew, or choose another folder with out=",
    )
}

/// Dumps that need no shot.
fn before_shots(params: &Parameters, survey: &Survey, files: &Files) -> Result<()> {
    let job = &survey.job;
    let velocity = "velocity, m/s";
    files.write(params.velextfile, &files.cube("model-extended"), &job.extended, velocity)?;
    files.write(params.velresampfile, &files.cube("model-resampled"), &job.model, velocity)?;
    if params.psgraphfile {
        plan_view(&files.other("submodels.svg"), &survey.plans)?;
    }
    if params.rdfile && params.strategy == StrategyCode::Random {
        write_envelope(&files.other("rd.txt"), params.rdtype, params.lpml)?;
    }
    Ok(())
}

/// Migrates some shots at once, each on a back end of its own, and returns what they add in their
/// order.
fn together_on<T: Real>(
    backends: &[&dyn Backend<T>],
    shots: &Shots<'_, T>,
    next: &[usize],
    watch: &mut dyn Watch,
) -> Vec<Result<prepared::Migrated<T>>> {
    if let [one] = next {
        let mut steps = |done: usize, all: usize| watch.steps(done, all);
        return vec![shots.migrate(*one, backends[0], &mut steps)];
    }
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (say, hear) = mpsc::channel();
        let workers: Vec<_> = next
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
                    shots.migrate(*shot, *backend, &mut steps)
                })
            })
            .collect();
        drop(say);
        let mut progress = vec![(0, 0); next.len()];
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
        Laplacian::End => imaging::laplacian(&raw, params.ord),
        Laplacian::None | Laplacian::Shot => raw.clone(),
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
    if params.svg {
        let path = files.other("image.svg");
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
