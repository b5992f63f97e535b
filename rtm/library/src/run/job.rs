//! From parameters to what can be computed: the prepared model, the time step, and the plan of each
//! shot.

use crate::engine::Room;
use crate::grid::{Point, Velocity};
use crate::io::{Known, read_cube};
use crate::model::{self, prepare};
use crate::plan::{Face, FaceKind, Phases, RandomBoundary, Replay, Strategy};
use crate::strategy::schedule;
use crate::survey::sampling::points_of_a_place;
use crate::survey::wavelet::Wavelet;
use crate::survey::{Geometry, Sampling, Signature, locate};
use crate::{Cube, Error, Grid, Plan, Real, Result, Traces, fd};

use super::amounts::bytes;
use super::params::{Length, Parameters, ReplayCode, StrategyCode};

/// A run whose model is prepared.
pub struct Job {
    /// What the user said.
    pub params: Parameters,
    /// Central frequency, Hz.
    pub peak_hz: f64,
    /// What the sources emit; its start is that of the propagation.
    pub signature: Signature,
    /// The grid of the user's model.
    pub user: Grid,
    /// The extended model, before it was resampled.
    pub extended: Velocity,
    /// The model in which shots run.
    pub model: Velocity,
    /// How many times finer it is than the user's.
    pub factor: [usize; 3],
    /// Slowest and fastest velocity.
    pub range_mps: (f64, f64),
    /// Largest stable time step.
    pub dt_max_s: f64,
    /// The memory in which shots are kept.
    pub room: Room,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// One shot, ready to run.
#[derive(Clone, Debug)]
pub struct ShotPlan {
    /// Number of the shot.
    pub id: i32,
    /// How it is run; its grid is that of the submodel.
    pub plan: Plan,
    /// First point of the submodel in the model.
    pub first: Point,
    /// The source's grid point, in the submodel.
    pub source: Point,
    /// How many receivers there are; where, says [`Job::receivers`].
    pub receivers: usize,
    /// Grid points that have traces, at most.
    pub traces: usize,
    /// The largest way from a place to its grid point.
    pub moved_m: f64,
}

/// A shot in grid points.
struct Placed {
    grid: Grid,
    first: Point,
    source: Point,
    moved_m: f64,
}

impl Job {
    /// Reads and prepares the model.
    ///
    /// # Errors
    /// A parameter is missing or refused; the model cannot be read or has velocities that cannot
    /// be.
    pub fn new(params: &Parameters, room: Room) -> Result<Job> {
        params.check()?;
        let mut p = params.clone();
        let peak_hz = p.fq.ok_or_else(|| {
            Error::refused(
                "fq",
                "the central frequency of the wavelet is missing",
                "give fq=HZ, such as fq=20",
            )
        })?;
        let signature = match &p.wavelet {
            Some(path) => {
                let wavelet = Wavelet::read(path)?;
                Signature::Recorded(Wavelet {
                    start_s: wavelet.start_s - p.wavelet_zero,
                    ..wavelet
                })
            }
            None => Signature::Ricker { peak_hz, peak_s: -p.wavelet_zero },
        };
        let mut notes = Vec::new();
        let mut given = read_model(&p)?;
        if p.dimensions == 2 {
            given = plane(given)?;
            for face in [Face::Back, Face::Front] {
                p.abc.0[face as usize] = FaceKind::Reflecting;
            }
            (p.bext, p.fext) = (Length::Metres(0.0), Length::Metres(0.0));
            if p.strategy == StrategyCode::Boundaries {
                p.strategy = StrategyCode::Checkpoints;
            }
        }
        let given = match p.smooth > 0.0 {
            true => prepare::smooth(&given, [p.smooth; 3]),
            false => given,
        };
        let (v_min, v_max) = given.range();
        let factor = prepare::factors(&given.grid, v_min, p.pplo, peak_hz);
        let extension = std::array::from_fn(|face| match extensions(&p)[face] {
            Length::Metres(m) => m,
            // Layers lie outside of the model; a face that reflects is where the model ends.
            _ if p.abc.absorbs(Face::ALL[face]) => {
                (p.lpml as f64 / factor[face / 2] as f64).ceil() * given.grid.d_m[face / 2]
            }
            _ => 0.0,
        });
        let user = given.grid;
        let extended = prepare::extend(&given, &extension);
        let model = prepare::resample(&extended, factor);
        let dt_max_s = fd::dt_max_s_in(p.dimensions, p.ord, model.grid.d_min_m(), v_max);
        if p.pplo < 4.0 {
            notes.push(format!(
                "pplo = {}: with fewer than 4 points per wavelength waves of different length \
                 travel at different speeds; 5 or more are safe",
                p.pplo
            ));
        }
        Ok(Job {
            params: p,
            peak_hz,
            signature,
            user,
            extended,
            model,
            factor,
            range_mps: (v_min, v_max),
            dt_max_s,
            room,
            notes,
        })
    }

    /// Time step and number of levels from the wavelet's start to `end_s` after the shot's time
    /// zero, for traces sampled each `dt_rec_s`.
    pub fn timing(&mut self, end_s: f64, dt_rec_s: Option<f64>) -> Result<(f64, usize)> {
        let dt_s = prepare::time_step_s(self.dt_max_s, self.params.dt, dt_rec_s);
        if let Some(wanted) = self.params.dt.filter(|dt| *dt > self.dt_max_s) {
            self.notes.push(format!(
                "dt = {wanted} s is unstable with order {}, a spacing of {} m and velocities up to \
                 {} m/s: the run takes the largest stable step, {:.8} s",
                self.params.ord,
                self.model.grid.d_min_m(),
                self.range_mps.1,
                self.dt_max_s
            ));
        }
        let span_s = end_s - self.signature.start_s();
        let nt = prepare::levels(span_s, dt_s);
        match nt >= 3 {
            true => Ok((dt_s, nt)),
            false => Err(Error::refused(
                format!("tmax: traces that end {end_s} s after the shot's time zero"),
                format!("only {nt} time steps of {dt_s} s"),
                "record longer, or take a smaller dt",
            )),
        }
    }

    /// The plan of a shot: its submodel, its grid points, its strategy.
    ///
    /// # Errors
    /// A source or receiver lies outside of the model or in an absorbing layer (it is named); the
    /// plan cannot be stable.
    pub fn shot(&self, geometry: &Geometry, dt_s: f64, nt: usize) -> Result<ShotPlan> {
        let (p, id, receivers) = (&self.params, geometry.id, geometry.receivers_m.len());
        let Placed { grid, first, source, moved_m } = self.place(geometry)?;
        let traces = match p.interpolate {
            true => {
                let of_receivers = points_of_a_place(&grid, &geometry.receivers_m) * receivers;
                of_receivers.min(grid.len()) + points_of_a_place(&grid, &[geometry.source_m])
            }
            false => receivers + 1,
        };
        let mut plan = Plan {
            layers: p.lpml,
            faces: p.abc.0,
            plane: p.dimensions == 2,
            ks: p.ks,
            condition: p.imgcond,
            illumination: p.illumfile,
            ..Plan::new(grid, p.ord, dt_s, nt, self.peak_hz)
        };
        plan.strategy = self.strategy_of(p.strategy, p.replay, &plan, traces)?;
        plan.check(self.range_mps.1)?;
        Ok(ShotPlan { id, plan, first, source, receivers, traces, moved_m })
    }

    /// How the receivers act on the grid points of a shot.
    pub fn receivers(&self, shot: &ShotPlan, geometry: &Geometry) -> Sampling {
        self.sampling(shot, &geometry.receivers_m)
    }

    /// The source of a shot, by its samples at the run's times.
    pub fn source<T: Real>(
        &self,
        shot: &ShotPlan,
        source_m: [f64; 3],
        wavelet: Vec<T>,
    ) -> Traces<T> {
        let sampling = self.sampling(shot, &[source_m]);
        let (nt, dt_s) = (wavelet.len(), shot.plan.dt_s);
        Traces { nt, dt_s, samples: sampling.scatter(wavelet, nt), points: sampling.points }
    }

    fn sampling(&self, shot: &ShotPlan, places_m: &[[f64; 3]]) -> Sampling {
        let plan = &shot.plan;
        let places_m: Vec<_> = places_m.iter().map(|place| self.in_plane(*place)).collect();
        Sampling::new(&plan.grid, &places_m, self.params.interpolate, plan.has_free_surface())
    }

    /// Makes sources of traces, see [`Traces::scale_to_sources`]; in a plane, of lines across it.
    pub fn make_sources<T: Real>(&self, traces: &mut Traces<T>, velocity: &Velocity) {
        traces.scale_to_sources(velocity);
        if self.params.dimensions == 2 {
            let width_m = velocity.grid.d_m[1];
            traces.samples.iter_mut().for_each(|v| *v = T::of(v.f64() * width_m));
        }
    }

    /// How far a place lies beside the model's plane, metres; 0 in three dimensions.
    pub fn beside_m(&self, place_m: [f64; 3]) -> f64 {
        (place_m[1] - self.in_plane(place_m)[1]).abs()
    }

    /// What lies beside the plane acts in it.
    fn in_plane(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        [x, if self.params.dimensions == 2 { self.model.grid.origin_m[1] } else { y }, z]
    }

    /// Where a shot's parts lie.
    fn place(&self, geometry: &Geometry) -> Result<Placed> {
        let (p, id) = (&self.params, geometry.id);
        let geometry = &Geometry {
            id,
            source_m: self.in_plane(geometry.source_m),
            receivers_m: geometry.receivers_m.iter().map(|r| self.in_plane(*r)).collect(),
        };
        let whole = &self.model.grid;
        let name = |k: Option<usize>| match k {
            None => format!("the source of shot {id}"),
            Some(k) => format!("receiver {} of shot {id}", k + 1),
        };
        // Places outside of the model are refused before the submodel is cut around them.
        locate(whole, geometry.source_m, &name(None))?;
        for (k, place) in geometry.receivers_m.iter().enumerate() {
            locate(whole, *place, &name(Some(k)))?;
        }
        let places = geometry.receivers_m.iter().chain([&geometry.source_m]);
        let bounds = prepare::bounds_m(places)?;
        let aperture = apertures(p).map(|length| match length {
            Length::Metres(m) => m,
            _ => f64::INFINITY,
        });
        let (first, n) = prepare::submodel(whole, &bounds, &aperture, p.lpml)?;
        let grid = Grid { n, d_m: whole.d_m, origin_m: whole.position_m(first) };
        let mut moved_m: f64 = 0.0;
        let free_surface = !p.abc.absorbs(Face::Top);
        let mut place = |place_m: [f64; 3], name: String| -> Result<Point> {
            let (point, far) = locate(&grid, place_m, &name)?;
            moved_m = moved_m.max(far);
            if free_surface && first[2] + point[2] == 0 {
                return Err(Error::refused(
                    format!("{name} at z = {} m", place_m[2]),
                    format!(
                        "the top does not absorb (abc): it is a free surface, in the plane z = {} \
                         m, where the pressure is 0",
                        whole.origin_m[2]
                    ),
                    "put it deeper (sources_z, receivers_z, or the headers), or let the top \
                     absorb: abc=1,1,1,1,1,1",
                ));
            }
            self.outside_layers(&grid, point, place_m, &name)?;
            Ok(point)
        };
        let source = place(geometry.source_m, name(None))?;
        for (k, r) in geometry.receivers_m.iter().enumerate() {
            place(*r, name(Some(k)))?;
        }
        Ok(Placed { grid, first, source, moved_m })
    }

    fn outside_layers(
        &self,
        grid: &Grid,
        point: Point,
        place_m: [f64; 3],
        name: &str,
    ) -> Result<()> {
        let layers = self.params.lpml;
        for face in Face::ALL {
            let axis = face.axis();
            let depth = match face.is_max() {
                true => (point[axis] + layers + 1).saturating_sub(grid.n[axis]),
                false => layers.saturating_sub(point[axis]),
            };
            if self.params.abc.absorbs(face) && depth > 0 {
                let key = ["lext", "rext", "bext", "fext", "text", "oext"][face as usize];
                return Err(Error::refused(
                    format!(
                        "{name} at x = {}, y = {}, z = {} m",
                        place_m[0], place_m[1], place_m[2]
                    ),
                    format!(
                        "it lies {depth} points inside the {layers} absorbing layers of the {} \
                         face",
                        face_name(face)
                    ),
                    format!(
                        "extend the model there by {} m more ({key}), or leave {key} out: the \
                         program then extends by the layers",
                        depth as f64 * grid.d_m[axis]
                    ),
                ));
            }
        }
        Ok(())
    }

    /// The strategy of a plan with `traces` traces; periods and slots that were left open are those
    /// that fit into memory.
    ///
    /// # Errors
    /// Nothing fits into memory.
    pub fn strategy_of(
        &self,
        code: StrategyCode,
        replay: ReplayCode,
        plan: &Plan,
        traces: usize,
    ) -> Result<Strategy> {
        let p = &self.params;
        Ok(match code {
            StrategyCode::Store => Strategy::StoreAll,
            // There is no inside to save a shell of.
            StrategyCode::Boundaries if plan.is_thin() => {
                return self.strategy_of(StrategyCode::Checkpoints, replay, plan, traces);
            }
            StrategyCode::Boundaries => Strategy::SaveBoundaries,
            StrategyCode::Random => Strategy::RandomBoundaries(RandomBoundary {
                ks_rand: p.ks_rand,
                envelope: p.rdtype,
                range: p.rand_mode,
                seed: p.seed,
                generator: p.rand_gen,
                phases: Phases {
                    modelling: p.make_modeling,
                    retropropagation: p.make_retropropagation,
                    backpropagation: p.make_backpropagation,
                },
            }),
            StrategyCode::Checkpoints => {
                let binomial = replay == ReplayCode::Binomial;
                let replay = match replay {
                    ReplayCode::Level => Replay::EachLevel,
                    _ => Replay::Segment,
                };
                match (binomial, p.slots, p.ks_store) {
                    (true, 1.., _) => Strategy::Binomial { slots: p.slots },
                    (false, _, 3..) => Strategy::Checkpoints { ks_store: p.ks_store, replay },
                    _ => self.fitting_checkpoints(plan, traces * plan.nt, replay, binomial)?,
                }
            }
        })
    }

    /// The most checkpoints that the memory holds.
    fn fitting_checkpoints(
        &self,
        plan: &Plan,
        samples: usize,
        replay: Replay,
        binomial: bool,
    ) -> Result<Strategy> {
        let budget = self.budget_bytes() as usize;
        let bytes = |strategy| self.bytes(&Plan { strategy, ..plan.clone() }, samples);
        if binomial {
            let fits = |slots: &usize| bytes(Strategy::Binomial { slots: *slots }) <= budget;
            let slots = (1..=plan.nt).take_while(fits).last();
            return slots
                .map(|slots| Strategy::Binomial { slots })
                .ok_or_else(|| self.too_small(plan, budget));
        }
        // Fewest steps first: the shortest period that fits.
        (3..=plan.nt)
            .map(|ks_store| Strategy::Checkpoints { ks_store, replay })
            .filter(|s| bytes(*s) <= budget)
            .min_by_key(|s| schedule::stencils(&Plan { strategy: *s, ..plan.clone() }))
            .ok_or_else(|| self.too_small(plan, budget))
    }

    fn too_small(&self, plan: &Plan, budget: usize) -> Error {
        Error::Memory(format!(
            "memory = {}: no checkpoint fits beside the fields of {} x {} x {} points\n  fix: give \
             more memory, a smaller aperture, or strategy=random",
            bytes(budget as f64),
            plan.grid.n[0],
            plan.grid.n[1],
            plan.grid.n[2]
        ))
    }

    /// Bytes that the run of a plan takes, `samples` counting those of source and receivers.
    pub fn bytes(&self, plan: &Plan, samples: usize) -> usize {
        (self.room.shot_bytes)(plan, samples)
    }

    /// Memory of the device that a run may take: what the user allows, else nine tenths of what was
    /// free when it began.
    pub fn budget_bytes(&self) -> u64 {
        match self.params.memory.0 {
            0 => self.room.spare_bytes,
            bytes => bytes,
        }
    }

    /// Refuses a plan that does not fit into memory.
    ///
    /// # Errors
    /// It says how much is needed, and what would need less.
    pub fn check_memory(&self, shot: &ShotPlan) -> Result<()> {
        let samples = shot.traces * shot.plan.nt;
        let (needed, budget) = (self.bytes(&shot.plan, samples) as u64, self.budget_bytes());
        if needed <= budget {
            return Ok(());
        }
        Err(Error::Memory(format!(
            "shot {} needs {} of memory, and {} may be used\n  fix: strategy=random or \
             strategy=checkpoints need less (see `rtm explain`); or a smaller aperture (lpad ... \
             opad), or memory=...",
            shot.id,
            bytes(needed as f64),
            bytes(budget as f64)
        )))
    }

    /// The part of the model in which a shot runs.
    pub fn submodel(&self, shot: &ShotPlan) -> Velocity {
        self.model.part(shot.first, shot.plan.grid.n)
    }

    /// The part of a cube on the model's grid that the user's model covers.
    pub fn crop<T: Real>(&self, cube: &Cube<T>) -> Cube<T> {
        let first = std::array::from_fn(|a| {
            ((self.user.origin_m[a] - cube.grid.origin_m[a]) / cube.grid.d_m[a]).round() as usize
        });
        cube.part(first, std::array::from_fn(|a| (self.user.n[a] - 1) * self.factor[a] + 1))
    }
}

fn extensions(p: &Parameters) -> [Length; 6] {
    [p.lext, p.rext, p.bext, p.fext, p.text, p.oext]
}

fn apertures(p: &Parameters) -> [Length; 6] {
    [p.lpad, p.rpad, p.bpad, p.fpad, p.tpad, p.opad]
}

/// The face's name in messages.
pub fn face_name(face: Face) -> &'static str {
    ["left", "right", "back", "front", "top", "bottom"][face as usize]
}

/// A model of one plane, as wide as its points are apart: then its width decides nothing.
fn plane(model: Velocity) -> Result<Velocity> {
    let Grid { n: [_, ny, _], d_m: [dx, _, dz], origin_m } = model.grid;
    if ny != 1 {
        return Err(Error::refused(
            "dimensions = 2",
            format!("the model has {ny} planes"),
            "cut one out of it, rtm image MODEL --cut x0,x1,y,y,z0,z1 -o line.npy, or leave \
             dimensions out",
        ));
    }
    Cube::from_values(Grid { n: model.grid.n, d_m: [dx, dx.min(dz), dz], origin_m }, model.values)
}

/// The user's model: a file, or a constant.
fn read_model(p: &Parameters) -> Result<Velocity> {
    let all = |x: Option<usize>, y: Option<usize>, z: Option<usize>| Some([x?, y?, z?]);
    let n = all(p.nx, p.ny, p.nz);
    let d_m = match (p.dx, p.dy, p.dz) {
        (Some(x), Some(y), Some(z)) => Some([x, y, z]),
        _ => None,
    };
    let model = match (&p.vfile, p.vcte) {
        (Some(path), _) => {
            let mut model = read_cube(path, &Known { n, d_m, origin_m: None })?;
            let mps = p.vunits.mps() as f32;
            model.values.iter_mut().for_each(|v| *v *= mps);
            model::plausible(&model, &path.display().to_string())?;
            model
        }
        (None, Some(v)) => match (n, d_m) {
            (Some(n), Some(d_m)) => Cube::constant(Grid::new(n, d_m), v as f32),
            _ => {
                return Err(Error::refused(
                    "vcte",
                    "a constant model needs its size",
                    "give nx, ny, nz and dx, dy, dz",
                ));
            }
        },
        (None, None) => {
            return Err(Error::refused(
                "vfile",
                "there is no velocity model",
                "give vfile=FILE, or vcte=VELOCITY for a constant one; `rtm model` makes files",
            ));
        }
    };
    if model.grid.is_empty() {
        return Err(Error::refused("nx, ny, nz", "the model has no points", "give 1 or more each"));
    }
    model::check(&model, &p.vfile.as_ref().map_or("vcte".into(), |f| f.display().to_string()))?;
    Ok(model)
}
