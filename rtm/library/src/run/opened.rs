//! A survey that is open: its data and model are read and checked, its shots planned.

use std::sync::{Mutex, PoisonError};

use super::job::{Job, ShotPlan};
use super::params::{Derivative, Parameters, StrategyCode};
use crate::engine::Room;
use crate::io::{Digest, Fingerprint, ShotEntry, TraceReader, index_shots};
use crate::plan::Strategy;
use crate::survey::{Gather, select};
use crate::{Error, Plan, Result};

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
    reader: Mutex<TraceReader>,
}

impl Survey {
    /// Opens data and model, and checks every shot.
    ///
    /// # Errors
    /// Whatever is wrong with parameters, files and geometry: all of it is found here, before the
    /// first step.
    pub fn open(params: &Parameters, room: Room) -> Result<Survey> {
        let mut job = Job::new(params, room)?;
        let path = params.data.as_ref().ok_or_else(|| {
            Error::refused(
                "data",
                "there are no traces",
                "give data=FILE.su or data=FILE.sgy; `rtm shoot` makes some",
            )
        })?;
        let mut reader = TraceReader::open(path)?;
        reader.set_rules(params.header_rules()?);
        let index = index_shots(&mut reader)?;
        let chosen = select(index.len(), params.ishot, params.incshot, params.nshots)?;
        let mut entries: Vec<ShotEntry> = chosen.into_iter().map(|k| index[k].clone()).collect();
        let dt_rec_s = entries[0].clock.dt_s;
        if let Some(other) = entries.iter().find(|entry| entry.clock.dt_s != dt_rec_s) {
            return Err(Error::refused(
                format!("{}: shot {}", path.display(), other.id),
                format!("dt = {} s, and {dt_rec_s} s in shot {}", other.clock.dt_s, entries[0].id),
                "bring all traces to one time step",
            ));
        }
        let latest_s = entries.iter().map(|e| e.clock.delay_s).fold(f64::NEG_INFINITY, f64::max);
        let recorded_s = reader.samples() as f64 * dt_rec_s;
        let end_s = latest_s + params.tmax.map_or(recorded_s, |t| t.min(recorded_s));
        let (dt_s, nt) = job.timing(end_s, Some(dt_rec_s))?;
        if params.offsets.is_some() {
            let mut kept = Vec::with_capacity(entries.len());
            for entry in entries {
                if !Gather::geometry(&mut reader, &entry)?.receivers_m.is_empty() {
                    kept.push(entry);
                }
            }
            entries = kept;
            if entries.is_empty() {
                return Err(Error::refused(
                    format!("offsets = {}", params.offsets.as_deref().unwrap_or_default()),
                    format!("no live trace of {} lies there", path.display()),
                    "see the offsets that `rtm inspect` prints",
                ));
            }
        }
        // One after the other: the places of all receivers may take more memory than a shot.
        let (mut dead, mut lines, mut beside_m) = (0, 0, 0f64);
        let mut plan = |entry: &ShotEntry| {
            let geometry = Gather::geometry(&mut reader, entry)?;
            lines += usize::from(geometry.on_a_line());
            let places = geometry.receivers_m.iter().chain([&geometry.source_m]);
            beside_m = places.map(|place| job.beside_m(*place)).fold(beside_m, f64::max);
            dead += entry.traces.len() - geometry.receivers_m.len();
            match geometry.receivers_m.is_empty() {
                true => Err(Error::refused(
                    format!("{}: shot {}", path.display(), entry.id),
                    "all its traces are dead (trid, bytes 29-30, is 2 or 3)",
                    "leave the shot out, or correct the headers",
                )),
                false => job.shot(&geometry, dt_s, nt),
            }
        };
        let plans = entries.iter().map(&mut plan).collect::<Result<Vec<_>>>()?;
        if dead > 0 {
            job.notes.push(format!(
                "{dead} traces are left out: dead (trid 2 or 3) or beyond the offsets"
            ));
        }
        if lines == entries.len() && params.differentiate == Derivative::Whole {
            job.notes.push(
                "the receivers of each shot lie on a line: with differentiate=0.5 reflectors come \
                 to lie at their depth (1 is for receivers that cover an area)"
                    .into(),
            );
        }
        if beside_m > job.model.grid.d_min_m() {
            job.notes.push(format!(
                "sources and receivers lie up to {beside_m:.0} m beside the plane and are taken in \
                 it; distances (mute, offsets) are the true ones"
            ));
        }
        if params.dimensions == 3 && job.user.n[1] == 1 {
            job.notes.push(
                "the model is one plane, through which waves run in three dimensions; \
                 dimensions=2 takes a twentieth of the time"
                    .into(),
            );
        }
        let thin = params.dimensions == 3 && plans.iter().any(|p| p.plan.is_thin());
        if thin && params.strategy == StrategyCode::Boundaries {
            job.notes.push(
                "the model is so thin that its boundaries are all of it: checkpoints are kept \
                 instead (strategy=8)"
                    .into(),
            );
        }
        let moved = plans.iter().map(|p| p.moved_m).fold(0.0, f64::max);
        if !params.interpolate && moved > 0.01 * job.model.grid.d_min_m() {
            job.notes.push(format!(
                "sources and receivers lie up to {moved:.2} m beside the grid's points and are \
                 moved to the nearest; interpolate=1 takes them where they are"
            ));
        }
        Ok(Survey { job, entries, plans, dt_s, nt, reader: Mutex::new(reader) })
    }

    /// The traces of shot `k`, muted, at the run's time step: sample i is added to level i of the
    /// receivers' field. It is the sample of level i + 1: the wave equation backward in time makes
    /// level i from what the field and its sources are one step later.
    ///
    /// # Errors
    /// A trace cannot be read.
    pub fn gather(&self, k: usize) -> Result<Gather> {
        self.prepared(self.read(k)?)
    }

    /// The traces of shot `k` as they are in the file.
    ///
    /// # Errors
    /// A trace cannot be read.
    pub fn read(&self, k: usize) -> Result<Gather> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        Gather::read(&mut reader, &self.entries[k])
    }

    /// What [`Survey::gather`] makes of a shot's traces.
    ///
    /// # Errors
    /// `mute` is refused.
    pub fn prepared(&self, mut gather: Gather) -> Result<Gather> {
        if let Some((v_mps, after_s)) = self.job.params.mute_line()? {
            gather.mute(v_mps, after_s, 1.0 / self.job.peak_hz);
        }
        let first_s = self.job.signature.start_s() + self.dt_s;
        let mut gather = gather.resampled(first_s, self.dt_s, self.nt);
        match self.job.params.differentiate {
            Derivative::None => {}
            Derivative::Half => {
                let plane = self.job.params.dimensions == 2;
                gather.half_differentiate(self.job.peak_hz, plane);
            }
            Derivative::Whole => gather.differentiate(self.job.peak_hz),
        }
        Ok(gather)
    }

    /// A hash of all that decides the result, but for the samples of the traces: those are hashed
    /// shot by shot, as they are read.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut run = Digest::new();
        run.add(self.job.params.deciding().join("\n").as_bytes());
        run.add(bytemuck::cast_slice(&self.job.model.values));
        for (entry, shot) in self.entries.iter().zip(&self.plans) {
            // How many checkpoints fit into memory may differ from one day to the next; the image
            // does not depend on it.
            let plan = Plan { strategy: Strategy::StoreAll, ..shot.plan.clone() };
            run.add(format!("{entry:?} {plan:?}").as_bytes());
        }
        let signature = &self.job.signature;
        let wavelet = signature.sampled(signature.start_s(), self.dt_s, self.nt);
        run.add(bytemuck::cast_slice(&wavelet));
        run.finish()
    }
}
