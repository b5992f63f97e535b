//! A small seismic shot and its image for the page *Seismics*: `rtm`'s own propagator, absorbing
//! layers and migration, with what can be seen of them.
//!
//! | `op` | asks |
//! |---|---|
//! | `shoot` | the wave of a source in a layered model, and what receivers at the surface record |
//! | `image` | the migration of that shot: both wavefields and the image while it is summed |
//!
//! The model is a narrow 3-D one, the same in each plane y = const; what is shown is the plane of
//! source and receivers, as values of one byte: `127 sign(p) sqrt(|p| / scale)`, at most 127, so
//! that weak echoes are seen beside the strong wave. Arrays are dense, x by x with z fastest, in
//! base 64.
#![forbid(unsafe_code)]

use figures::base64;
use rtm::grid::{Point, Velocity};
use rtm::model::build::{Layer, layered};
use rtm::model::prepare::smooth;
use rtm::plan::{Face, FaceKind};
use rtm::propagate::Cpu;
use rtm::strategy::{self, Movie, Observer};
use rtm::survey::wavelet::{RICKER_LEAD, ricker};
use rtm::{Cube, Error, Grid, Plan, Result, Shot, Traces, fd, imaging};
use serde::Deserialize;
use serde_json::{Value, json};

/// Points of the interior along x, y, z.
const INTERIOR: [usize; 3] = [81, 9, 61];
/// Thickness of the boundary layers in points.
const LAYERS: usize = 8;
/// Spacing, metres.
const SPACING_M: f64 = 10.0;
/// Order of the spatial differences.
const ORDER: usize = 8;
/// How long waves run, seconds.
const TIME_S: f64 = 0.7;
/// Pictures of a run.
const FRAMES: usize = 80;
/// Depth of the receivers, in points.
const RECEIVER_DEPTH: usize = 1;

/// A layered model and a source in it.
#[derive(Clone, Debug, Deserialize)]
pub struct Setting {
    /// Velocities of the layers from top to bottom, m/s.
    pub velocities_mps: Vec<f64>,
    /// Depths of the faces between them at x = 0, metres.
    pub depths_m: Vec<f64>,
    /// How much deeper the faces lie for each metre of x.
    #[serde(default)]
    pub dip: f64,
    /// Where the source is: x and z, metres.
    pub source_m: [f64; 2],
    /// Central frequency of its Ricker wavelet, Hz.
    pub peak_hz: f64,
    /// Whether the faces of the model absorb; else they reflect.
    #[serde(default = "yes")]
    pub absorbing: bool,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Request {
    Shoot(Setting),
    Image(Setting),
}

/// Answers a request, both as JSON.
pub fn answer(request: &str) -> String {
    let answer = match serde_json::from_str(request) {
        Ok(Request::Shoot(setting)) => setting.ready().and_then(|s| s.shoot()),
        Ok(Request::Image(setting)) => setting.ready().and_then(|s| s.image()),
        Err(e) => Err(Error::input(format!("the request cannot be read: {e}"))),
    };
    answer.unwrap_or_else(|e| json!({ "error": e.to_string() })).to_string()
}

impl Setting {
    /// Model, plan and source.
    fn ready(&self) -> Result<Ready> {
        let (v, z) = (&self.velocities_mps, &self.depths_m);
        let within = |what: &str, value: f64, low: f64, high: f64| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            Err(Error::input(format!("{what}: {value} is not within {low} to {high}")))
        };
        if v.is_empty() || v.len() > 8 || z.len() + 1 != v.len() {
            return Err(Error::input(format!(
                "{} velocities and {} depths: 1 to 8 layers, and a depth between each two",
                v.len(),
                z.len()
            )));
        }
        for v in v {
            within("velocity in m/s", *v, 1000.0, 5000.0)?;
        }
        if z.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(Error::input("depths: a face lies above the one before it"));
        }
        let extent = [0, 2].map(|axis| (INTERIOR[axis] - 1) as f64 * SPACING_M);
        within("x of the source in m", self.source_m[0], 0.0, extent[0])?;
        within("z of the source in m", self.source_m[1], 0.0, extent[1])?;
        within("frequency in Hz", self.peak_hz, 5.0, 30.0)?;
        within("dip", self.dip, -0.5, 0.5)?;
        let grid = Grid {
            origin_m: [-(LAYERS as f64) * SPACING_M; 3],
            ..Grid::uniform(INTERIOR.map(|n| n + 2 * LAYERS), SPACING_M)
        };
        let tops = [f64::NEG_INFINITY].into_iter().chain(z.iter().copied());
        let layer = |(top_m, v): (f64, &f64)| Layer { top_m, dip: [self.dip, 0.0], v_mps: *v };
        let layers: Vec<Layer> = tops.zip(v).map(layer).collect();
        let velocity = layered(grid, &layers);
        let fastest = v.iter().copied().fold(0.0, f64::max);
        let dt_s = 0.9 * fd::dt_max_s(ORDER, SPACING_M, fastest);
        let nt = (TIME_S / dt_s).ceil() as usize;
        let plan = Plan {
            layers: LAYERS,
            faces: [FaceKind::absorbing_if(self.absorbing); 6],
            ..Plan::new(grid, ORDER, dt_s, nt, self.peak_hz)
        };
        plan.check(fastest)?;
        let at = |m: f64| LAYERS + (m / SPACING_M).round() as usize;
        let middle = LAYERS + INTERIOR[1] / 2;
        let source = [at(self.source_m[0]), middle, at(self.source_m[1])];
        let receivers = (0..INTERIOR[0]).map(|x| [LAYERS + x, middle, LAYERS + RECEIVER_DEPTH]);
        Ok(Ready { plan, velocity, source, receivers: receivers.collect() })
    }
}

/// All that a shot needs.
struct Ready {
    plan: Plan,
    velocity: Velocity,
    source: Point,
    receivers: Vec<Point>,
}

impl Ready {
    fn wavelet(&self, velocity: &Velocity) -> Traces<f32> {
        let Plan { peak_hz, dt_s, nt, .. } = self.plan;
        let samples = ricker(peak_hz, -RICKER_LEAD / peak_hz, dt_s, nt);
        let samples = samples.into_iter().map(|s| s as f32).collect();
        let mut source = Traces::source(dt_s, self.source, samples);
        source.scale_to_sources(velocity);
        source
    }

    fn recorded(
        &self,
        velocity: &Velocity,
        observer: &mut dyn Observer<f32>,
    ) -> Result<Traces<f32>> {
        let source = self.wavelet(velocity);
        strategy::model(&Cpu::new(), &self.plan, velocity, &source, &self.receivers, observer)
    }

    /// What both answers say of the model.
    fn about(&self) -> Value {
        let [nx, _, nz] = self.plan.grid.n;
        let section = self.section(&self.velocity);
        let (low, high) = section.iter().fold((f32::MAX, 0f32), |(l, h), v| (l.min(*v), h.max(*v)));
        let grey = |v: &f32| (255.0 * (v - low) / (high - low).max(1.0)) as u8;
        json!({
            "n": [nx, nz],
            "layers": LAYERS,
            "absorbing": self.plan.absorbs(Face::Left),
            "spacing_m": SPACING_M,
            "source": [self.source[0], self.source[2]],
            "dt_s": self.plan.dt_s,
            "nt": self.plan.nt,
            "velocity": base64(&section.iter().map(grey).collect::<Vec<u8>>()),
        })
    }

    /// The plane of the source, layers included.
    fn section(&self, cube: &Cube<f32>) -> Vec<f32> {
        (0..cube.grid.n[0]).flat_map(|x| cube.row(x, self.source[1])).copied().collect()
    }

    /// Levels between two pictures.
    fn each(&self) -> usize {
        self.plan.nt.div_ceil(FRAMES)
    }

    fn shoot(&self) -> Result<Value> {
        let mut film = Film { ready: self, levels: Vec::new(), frames: Vec::new() };
        let traces = self.recorded(&self.velocity, &mut film)?;
        let mut answer = self.about();
        answer["levels"] = json!(film.levels);
        answer["frames"] = bytes(&film.frames);
        answer["traces"] = bytes(&[traces.samples])[0].clone();
        answer["points"] = json!(self.plan.grid.len());
        Ok(answer)
    }

    /// Shoots in the model, takes the direct wave away, and migrates in the smoothed model.
    fn image(&self) -> Result<Value> {
        let mut data = self.recorded(&self.velocity, &mut ())?;
        let top = Cube::constant(self.plan.grid, self.velocity.at(self.source));
        let direct = self.recorded(&top, &mut ())?;
        data.samples.iter_mut().zip(&direct.samples).for_each(|(data, direct)| *data -= direct);
        let migration = smooth(&self.velocity, [4.0 * SPACING_M; 3]);
        let traces = bytes(&[data.samples.clone()])[0].clone();
        let shot = Shot { source: self.wavelet(&migration), receivers: data };
        let mut sum = Summed::new(self);
        let done = strategy::migrate(&Cpu::new(), &self.plan, &migration, &shot, &mut sum)?;
        let filtered = imaging::laplacian(&done.correlation, ORDER);
        let middle = INTERIOR[1] / 2;
        // The Laplacian turns a peak into a trough: with the sign back, a face that hardens is
        // positive.
        let image = (0..INTERIOR[0]).flat_map(|x| filtered.row(x, middle)).map(|v| -v);
        let image: Vec<u8> = image.flat_map(f32::to_le_bytes).collect();
        let mut answer = self.about();
        answer["traces"] = traces;
        answer["levels"] = json!(sum.levels);
        answer["source_frames"] = bytes(&sum.frames[0]);
        answer["receiver_frames"] = bytes(&sum.frames[1]);
        answer["image_frames"] = bytes(&sum.frames[2]);
        answer["interior"] = json!([INTERIOR[0], INTERIOR[2]]);
        answer["image"] = base64(&image).into();
        answer["steps"] = json!(done.counts.stencil);
        Ok(answer)
    }
}

/// Share of the values that a byte's range holds; the largest ones, next to the source, are cut.
const HELD: f64 = 0.99;

/// Pictures on one scale, each value a byte.
fn bytes(frames: &[Vec<f32>]) -> Value {
    let mut sizes: Vec<f32> = frames.iter().flatten().map(|v| v.abs()).collect();
    let at = (HELD * sizes.len().saturating_sub(1) as f64) as usize;
    let scale = match sizes.is_empty() {
        true => 1.0,
        false => sizes.select_nth_unstable_by(at, f32::total_cmp).1.max(f32::MIN_POSITIVE),
    };
    let byte = |v: &f32| {
        let size = (127.0 * (v.abs() / scale).sqrt()).min(127.0);
        size.copysign(*v).round() as i8 as u8
    };
    frames.iter().map(|f| base64(&f.iter().map(byte).collect::<Vec<u8>>())).collect()
}

/// Pictures of the wave.
struct Film<'a> {
    ready: &'a Ready,
    levels: Vec<usize>,
    frames: Vec<Vec<f32>>,
}

impl Observer<f32> for Film<'_> {
    fn wants(&mut self, _: Movie, k: usize) -> bool {
        k.is_multiple_of(self.ready.each())
    }

    fn show(&mut self, _: Movie, k: usize, field: &Cube<f32>) -> Result<()> {
        self.levels.push(k);
        self.frames.push(self.ready.section(field));
        Ok(())
    }
}

/// Pictures of both fields on the way back in time, and of the sum of their products so far.
struct Summed<'a> {
    ready: &'a Ready,
    source: Vec<f32>,
    sum: Vec<f32>,
    levels: Vec<usize>,
    frames: [Vec<Vec<f32>>; 3],
}

impl<'a> Summed<'a> {
    fn new(ready: &'a Ready) -> Summed<'a> {
        let points = ready.plan.grid.n[0] * ready.plan.grid.n[2];
        let frames = Default::default();
        Summed { ready, source: Vec::new(), sum: vec![0.0; points], levels: Vec::new(), frames }
    }
}

impl Observer<f32> for Summed<'_> {
    fn wants(&mut self, movie: Movie, _: usize) -> bool {
        movie != Movie::Forward
    }

    fn show(&mut self, movie: Movie, k: usize, field: &Cube<f32>) -> Result<()> {
        let section = self.ready.section(field);
        if movie == Movie::Backward {
            self.source = section;
            return Ok(());
        }
        let products = self.source.iter().zip(&section).map(|(s, r)| s * r);
        self.sum.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
        if k.is_multiple_of(self.ready.each()) {
            self.levels.push(k);
            self.frames[0].push(self.source.clone());
            self.frames[1].push(section);
            self.frames[2].push(self.sum.clone());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_layers() -> Setting {
        Setting {
            velocities_mps: vec![1500.0, 2500.0],
            depths_m: vec![300.0],
            dip: 0.0,
            source_m: [400.0, 20.0],
            peak_hz: 15.0,
            absorbing: true,
        }
    }

    fn ask(op: &str, change: impl FnOnce(&mut Value)) -> Value {
        let mut request = json!({
            "op": op, "velocities_mps": [1500.0, 2500.0], "depths_m": [300.0],
            "source_m": [400.0, 20.0], "peak_hz": 15.0,
        });
        change(&mut request);
        serde_json::from_str(&answer(&request.to_string())).unwrap()
    }

    /// What was drawn along the way is what the program's own sum is.
    #[test]
    fn the_image_s_pictures_end_with_the_migration_s_sum() {
        kept::once!();
        let ready = two_layers().ready().unwrap();
        let data = ready.recorded(&ready.velocity, &mut ()).unwrap();
        let shot = Shot { source: ready.wavelet(&ready.velocity), receivers: data };
        let mut sum = Summed::new(&ready);
        let (plan, velocity) = (&ready.plan, &ready.velocity);
        let done = strategy::migrate(&Cpu::new(), plan, velocity, &shot, &mut sum).unwrap();
        let nz = ready.plan.grid.n[2];
        let most = done.correlation.values.iter().fold(0f32, |m, v| m.max(v.abs()));
        for x in 0..INTERIOR[0] {
            for z in 0..INTERIOR[2] {
                let want = done.correlation.row(x, INTERIOR[1] / 2)[z];
                let have = sum.sum[(x + LAYERS) * nz + z + LAYERS];
                assert!((have - want).abs() < 1e-4 * most, "{x} {z}: {have} {want}");
            }
        }
        assert_eq!(sum.levels.last(), Some(&0));
    }

    /// Under the source the image is largest at the face, and has the sign of a face that hardens.
    #[test]
    fn the_face_is_imaged_where_it_lies() {
        kept::once!();
        let said = ask("image", |_| {});
        let text = said["image"].as_str().unwrap();
        let ready = two_layers().ready().unwrap();
        assert_eq!(text.len(), (4 * INTERIOR[0] * INTERIOR[2]).div_ceil(3) * 4);
        // The same numbers, without the way through text.
        let values = decoded(text);
        let below = &values[40 * INTERIOR[2]..41 * INTERIOR[2]];
        let deep = 15..INTERIOR[2] - 5;
        let at = deep.max_by(|a, b| below[*a].abs().total_cmp(&below[*b].abs())).unwrap();
        assert!((28..=32).contains(&at), "{at}: {below:?}");
        assert!(below[at] > 0.0, "{below:?}");
        assert_eq!(
            said["levels"].as_array().unwrap().len(),
            said["image_frames"].as_array().unwrap().len()
        );
        assert_eq!(said["nt"], ready.plan.nt);
    }

    fn decoded(text: &str) -> Vec<f32> {
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut bytes = Vec::new();
        for four in text.as_bytes().chunks(4) {
            let place = |c: &u8| ALPHABET.iter().position(|a| a == c).unwrap_or(0) as u32;
            let word = four.iter().fold(0, |word, c| word << 6 | place(c));
            bytes.extend(&word.to_be_bytes()[1..]);
        }
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    #[test]
    fn absorbing_faces_leave_less_of_the_wave_than_reflecting_ones() {
        kept::once!();
        let energy = |absorbing: bool| {
            let ready = Setting { absorbing, ..two_layers() }.ready().unwrap();
            let mut film = Film { ready: &ready, levels: Vec::new(), frames: Vec::new() };
            ready.recorded(&ready.velocity, &mut film).unwrap();
            film.frames.last().unwrap().iter().map(|v| v * v).sum::<f32>()
        };
        let (absorbed, reflected) = (energy(true), energy(false));
        assert!(absorbed < 0.01 * reflected, "{absorbed} {reflected}");
    }

    #[test]
    fn what_cannot_be_shot_is_refused_in_words() {
        let refused = |change: fn(&mut Value), words: &str| {
            let said = ask("shoot", change);
            assert!(said["error"].as_str().unwrap().contains(words), "{said}");
        };
        refused(|r| r["velocities_mps"] = json!([1500.0]), "1 velocities and 1 depths");
        refused(|r| r["velocities_mps"] = json!([1500.0, 90000.0]), "not within 1000 to 5000");
        refused(|r| r["source_m"] = json!([900.0, 0.0]), "x of the source");
        refused(|r| r["peak_hz"] = json!(0.0), "frequency");
        refused(|r| r["peak_hz"] = json!("x"), "cannot be read");
    }
}
