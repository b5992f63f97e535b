//! Files that a run leaves beside the image: their names, movies, envelopes, the plan view of
//! submodels.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use figures::{Axis, Chart, Series};

use super::job::ShotPlan;
use super::params::{FileFormat, Parameters};
use crate::grid::{Cube, Velocity};
use crate::io::cube::{describe, write_values};
use crate::io::{atomic, write_cube};
use crate::picture::save;
use crate::plan::{Envelope, Generator, Plan, RandomBoundary};
use crate::strategy::random::{self, Lcg};
use crate::strategy::{Movie, Observer};
use crate::{Error, Grid, Real, Result};

/// Where a run's files go.
#[derive(Clone, Debug)]
pub struct Files {
    folder: PathBuf,
    ending: &'static str,
}

impl Files {
    /// As the parameters say.
    pub fn new(params: &Parameters) -> Files {
        let ending = match params.format {
            FileFormat::Bin => "bin",
            FileFormat::Npy => "npy",
        };
        Files { folder: params.out.clone(), ending }
    }

    /// A cube of the run: `image`, `model-extended`.
    pub fn cube(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{}", self.ending))
    }

    /// Any other file of the run.
    pub fn other(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A cube of one shot: `shot-00012-image`.
    pub fn shot_cube(&self, id: i32, name: &str) -> PathBuf {
        self.cube(&format!("shot-{id:05}-{name}"))
    }

    /// Writes a cube of the run if `wanted`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write<T: Real>(
        &self,
        wanted: bool,
        path: &Path,
        cube: &Cube<T>,
        quantity: &str,
    ) -> Result<()> {
        if wanted { write_cube(path, cube, quantity) } else { Ok(()) }
    }
}

/// Writes `rd(d)` at the depths of the layers (spec 3.4): a line `d rd` for each.
///
/// # Errors
/// The file cannot be written.
pub fn write_envelope(path: &Path, envelope: Envelope, layers: usize) -> Result<()> {
    let lines: String = (0..=layers)
        .map(|k| k as f64 / layers.max(1) as f64)
        .map(|d| format!("{d:.6} {:.6}\n", envelope.at(d)))
        .collect();
    atomic::write_text(path, &lines)
}

/// The velocities that the first step of strategy 3 uses (epoch 0): the submodel with its random
/// layers (spec 3.4).
pub fn random_model(plan: &Plan, boundary: &RandomBoundary, model: &Velocity) -> Velocity {
    // Points of the layers are counted as the propagator counts them.
    let (bounds, mut index) = (random::Bounds::of(plan), 0);
    Cube::from_fn(plan.grid, |point| {
        let (d, v_mod) = (random::depth(&plan.grid, plan.layers, point), model.at(point));
        if d == 0.0 {
            return v_mod;
        }
        let number = match boundary.generator {
            Generator::Lcg => Lcg::new(boundary.seed, index).number(),
            Generator::Counter => random::counter(boundary.seed, index, 0),
        };
        index += 1;
        random::velocity_mps(&bounds, boundary, d, f64::from(v_mod), number) as f32
    })
}

/// Draws the outlines of all submodels and the places of their sources, seen from above.
///
/// # Errors
/// The picture cannot be written.
pub fn plan_view(path: &Path, shots: &[ShotPlan]) -> Result<()> {
    let outline = |grid: &Grid| {
        let ([x0, y0, _], [x1, y1, _]) = (grid.origin_m, grid.position_m(grid.n.map(|n| n - 1)));
        vec![(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]
    };
    let outlines = shots
        .iter()
        .enumerate()
        .map(|(k, shot)| Series::line("", outline(&shot.plan.grid)).style(k).smooth());
    let sources = shots.iter().map(|shot| {
        let [x, y, _] = shot.plan.grid.position_m(shot.source);
        (x, y)
    });
    let [x, y] = ["x", "y"].map(|name| Axis::linear(name).unit("m", 1.0));
    let chart = Chart::new("submodels and sources, seen from above", x, y)
        .with_all(outlines)
        .with(Series::points("", sources.collect()).style(1));
    save(path, &chart)
}

/// A file to which one snapshot after the other is added.
struct Film {
    path: PathBuf,
    part: PathBuf,
    out: BufWriter<File>,
    frames: usize,
    grid: Grid,
}

impl Film {
    fn new(path: PathBuf, grid: Grid) -> Result<Film> {
        let part = path.with_extension("bin.part");
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| Error::writing(&path, &e))?;
        }
        let file = File::create(&part).map_err(|e| Error::writing(&part, &e))?;
        Ok(Film { path, part, out: BufWriter::new(file), frames: 0, grid })
    }

    fn add<T: Real>(&mut self, field: &Cube<T>) -> Result<()> {
        self.frames += 1;
        write_values(&mut self.out, &field.values).map_err(|e| Error::writing(&self.part, &e))
    }

    /// Gives the file its name. Frames lie one after the other along x, the slowest index.
    fn finish<T: Real>(mut self) -> Result<()> {
        self.out.flush().map_err(|e| Error::writing(&self.part, &e))?;
        std::fs::rename(&self.part, &self.path).map_err(|e| Error::writing(&self.path, &e))?;
        let n = self.grid.n;
        let grid = Grid { n: [n[0] * self.frames, n[1], n[2]], ..self.grid };
        describe(&self.path, &grid, T::NAME, &format!("pressure, {} frames along x", self.frames))
    }
}

/// Watches one shot: passes progress on and writes the movies that are wanted.
pub struct ShotWatch<'a, T> {
    steps: &'a mut dyn FnMut(usize, usize) -> bool,
    films: Vec<(Movie, bool, Film)>,
    every: usize,
    insets: [usize; 3],
    of: std::marker::PhantomData<T>,
}

impl<'a, T: Real> ShotWatch<'a, T> {
    /// For a shot; `steps` is told of each time step and says whether to go on.
    ///
    /// # Errors
    /// A movie's file cannot be made.
    pub fn new(
        params: &Parameters,
        files: &Files,
        shot: &ShotPlan,
        steps: &'a mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<ShotWatch<'a, T>> {
        let whole = shot.plan.grid;
        let inner = shot.plan.interior()?;
        let films = [
            (params.smovie, "smovie", Movie::Forward, false),
            (params.sbackmovie, "sbackmovie", Movie::Backward, false),
            (params.rmovie, "rmovie", Movie::Receivers, false),
            (params.seffmovie, "seffmovie", Movie::Forward, true),
            (params.seffbackmovie, "seffbackmovie", Movie::Backward, true),
        ]
        .into_iter()
        .filter(|(wanted, ..)| *wanted)
        .map(|(_, name, movie, cropped)| {
            let path = files.other(&format!("shot-{:05}-{name}.bin", shot.id));
            Ok((movie, cropped, Film::new(path, if cropped { inner } else { whole })?))
        })
        .collect::<Result<_>>()?;
        let insets = shot.plan.insets();
        Ok(ShotWatch {
            steps,
            films,
            every: params.movie_every,
            insets,
            of: std::marker::PhantomData,
        })
    }

    /// Closes the movies.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(self) -> Result<()> {
        self.films.into_iter().try_for_each(|(_, _, film)| film.finish::<T>())
    }
}

impl<T: Real> Observer<T> for ShotWatch<'_, T> {
    fn progress(&mut self, done: usize, steps: usize) -> bool {
        (self.steps)(done, steps)
    }

    fn wants(&mut self, movie: Movie, k: usize) -> bool {
        k.is_multiple_of(self.every) && self.films.iter().any(|(m, ..)| *m == movie)
    }

    fn show(&mut self, movie: Movie, _k: usize, field: &Cube<T>) -> Result<()> {
        let insets = self.insets;
        for (_, cropped, film) in self.films.iter_mut().filter(|(m, ..)| *m == movie) {
            match cropped {
                true => film.add(&field.part(insets, film.grid.n))?,
                false => film.add(field)?,
            }
        }
        Ok(())
    }
}
