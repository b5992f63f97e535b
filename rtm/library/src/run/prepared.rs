//! One shot of a survey: read, prepared, migrated, its files written.

use super::dump::{Files, ShotWatch, random_model};
use super::job::ShotPlan;
use super::opened::Survey;
use super::params::{Laplacian, Parameters};
use super::stack::Summands;
use crate::engine::Backend;
use crate::grid::Velocity;
use crate::io::{Fingerprint, TraceFormat, write_traces};
use crate::plan::Strategy;
use crate::shot::Counts;
use crate::{Cube, Error, Real, Result, Shot, Traces, imaging, strategy};

/// What any shot of a survey needs.
pub struct Shots<'a, T> {
    survey: &'a Survey,
    files: Files,
    wavelet: Vec<T>,
    summands: Summands,
}

/// What a shot adds to the image.
pub struct Migrated<T> {
    /// In the order of [`super::stack::Stack::cubes`].
    pub summands: Vec<Cube<T>>,
    /// The fingerprint of what the shot recorded.
    pub data: Fingerprint,
    /// Calls of each kernel.
    pub counts: Counts,
    /// Most memory that it took for its fields, bytes.
    pub bytes: usize,
}

impl<'a, T: Real> Shots<'a, T> {
    /// Of a survey.
    ///
    /// # Errors
    /// The wavelet's file cannot be read.
    pub fn new(survey: &'a Survey) -> Result<Shots<'a, T>> {
        let params = &survey.job.params;
        let signature = &survey.job.signature;
        let wavelet = signature.sampled(signature.start_s(), survey.dt_s, survey.nt);
        Ok(Shots {
            survey,
            files: Files::new(params),
            wavelet: wavelet.into_iter().map(T::of).collect(),
            summands: Summands::new(params.imgcond, params.imcondeps, params.illumfile),
        })
    }

    /// Migrates shot `k`, and writes the files that are wanted of it. `steps` is told of each time
    /// step and may end it.
    ///
    /// # Errors
    /// Its traces cannot be read, a file cannot be written, the back end fails, or the shot was
    /// stopped.
    pub fn migrate(
        &self,
        k: usize,
        backend: &dyn Backend<T>,
        steps: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Migrated<T>> {
        let (shot, params) = (&self.survey.plans[k], &self.survey.job.params);
        let (velocity, traces, data) = self.prepare(k)?;
        let mut observer = ShotWatch::new(params, &self.files, shot, steps)?;
        let migrated = strategy::migrate(backend, &shot.plan, &velocity, &traces, &mut observer);
        let migrated = migrated.map_err(|e| match e {
            Error::Diverged(text) => Error::Diverged(format!("shot {}: {text}", shot.id)),
            other => other,
        })?;
        observer.finish()?;
        let migrated = migrated.integrated(shot.plan.dt_s * shot.plan.ks as f64);

        let raw = self.summands.image(&migrated);
        let path = self.files.shot_cube(shot.id, "image-raw");
        self.files.write(params.rshotfile_raw, &path, &raw, "image")?;
        let image = match params.art_rem_method {
            Laplacian::Shot => imaging::laplacian(&raw, params.ord),
            Laplacian::None | Laplacian::End => raw,
        };
        let path = self.files.shot_cube(shot.id, "image");
        self.files.write(params.rshotfile, &path, &image, "image")?;
        let (counts, bytes) = (migrated.counts, migrated.bytes);
        Ok(Migrated { summands: self.summands.of_shot(image, migrated), data, counts, bytes })
    }

    /// Reads and prepares a shot, and writes the files that are made of it.
    fn prepare(&self, k: usize) -> Result<(Velocity, Shot<T>, Fingerprint)> {
        let (survey, files, shot) = (self.survey, &self.files, &self.survey.plans[k]);
        let gather = survey.read(k)?;
        let data = gather.digest();
        let gather = survey.prepared(gather)?;
        let params = &survey.job.params;
        if params.resampfile {
            let path = files.other(&format!("shot-{:05}-resampled.su", shot.id));
            write_traces(&path, TraceFormat::Su, "", &mut gather.traces().map(Ok))?;
        }
        let velocity = survey.job.submodel(shot);
        let path = files.shot_cube(shot.id, "model");
        files.write(params.subvelfile, &path, &velocity, "velocity, m/s")?;
        self.write_random_model(shot, params, &velocity)?;
        let (nt, dt_s, source_m) = (survey.nt, survey.dt_s, gather.geometry.source_m);
        let sampling = survey.job.receivers(shot, &gather.geometry);
        let samples = gather.samples.iter().map(|v| T::of(f64::from(*v))).collect();
        let samples = sampling.scatter(samples, nt);
        let mut receivers = Traces { nt, dt_s, points: sampling.points, samples };
        let mut source = survey.job.source(shot, source_m, self.wavelet.clone());
        for traces in [&mut source, &mut receivers] {
            survey.job.make_sources(traces, &velocity);
        }
        Ok((velocity, Shot { source, receivers }, data))
    }

    /// The first forward and the last backward step belong to the same epoch, so both files must be
    /// equal.
    fn write_random_model(
        &self,
        shot: &ShotPlan,
        params: &Parameters,
        velocity: &Velocity,
    ) -> Result<()> {
        let Strategy::RandomBoundaries(boundary) = shot.plan.strategy else { return Ok(()) };
        for (wanted, name) in [(params.velrand1file, "velrand1"), (params.velrand2file, "velrand2")]
        {
            if wanted {
                let random = random_model(&shot.plan, &boundary, velocity);
                let path = self.files.shot_cube(shot.id, name);
                self.files.write(true, &path, &random, "velocity, m/s")?;
            }
        }
        Ok(())
    }
}
