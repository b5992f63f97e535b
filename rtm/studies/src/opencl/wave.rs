//! The wave problem of the thesis: `u_tt = v^2 (u_xx + u_yy + u_zz)`, order 2 in time and 4 in
//! space, 13 points.
//!
//! ```text
//! next = 2 cur + (VEL lap - prev)
//! lap  = -90 cur + 16 (6 neighbours at distance 1) - (6 at distance 2)
//! VEL  = v^2 dt^2 / (12 h^2)           C = v dt / h <= 1/2, that is VEL <= 1/48
//! ```
//!
//! The R = 2 outer cells of a volume are its border: they are never computed and stay 0, a wall
//! that reflects.

use std::f64::consts::PI;
use std::path::Path;

use rtm::{Error, Result};

/// Cells of border on each side.
pub const RADIUS: usize = 2;

/// Coefficients at distances 0, 1, 2, in this order (the thesis' pseudo-code has it the other way
/// round).
pub const COEFFICIENTS: [f32; 3] = [-90.0, 16.0, -1.0];

/// Largest stable `v dt / h`.
pub const COURANT_MAX: f64 = 0.5;

/// Sizes of a volume: interior cells along x, y, z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Interior cells.
    pub n: [usize; 3],
}

impl Block {
    /// A block of `n` interior cells along each axis.
    ///
    /// # Errors
    /// An axis without cells, or more cells than a 32-bit index counts.
    pub fn new(n: [usize; 3]) -> Result<Block> {
        let block = Block { n };
        let cells = block.full().iter().fold(1u64, |all, n| all.saturating_mul(*n as u64));
        if n.contains(&0) || cells > i32::MAX as u64 {
            return Err(Error::input(format!(
                "{} x {} x {} cells: each axis needs one at least, and all together at most {}",
                n[0],
                n[1],
                n[2],
                i32::MAX
            )));
        }
        Ok(block)
    }

    /// The same along all axes.
    ///
    /// # Errors
    /// As [`Block::new`].
    pub fn cube(n: usize) -> Result<Block> {
        Block::new([n; 3])
    }

    /// Cells along x, y, z with the border.
    pub fn full(&self) -> [usize; 3] {
        self.n.map(|n| n + 2 * RADIUS)
    }

    /// All cells.
    pub fn len(&self) -> usize {
        self.full().iter().product()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Interior cells: the points of every `Gpoint/s` here.
    pub fn points(&self) -> usize {
        self.n.iter().product()
    }

    /// Index of a cell, counted with the border.
    pub fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        let [nx, ny, _] = self.full();
        (z * ny + y) * nx + x
    }

    /// The cell at an index.
    pub fn cell(&self, index: usize) -> [usize; 3] {
        let [nx, ny, _] = self.full();
        [index % nx, index / nx % ny, index / nx / ny]
    }

    /// Whether a cell is of the border.
    pub fn is_border(&self, cell: [usize; 3]) -> bool {
        let full = self.full();
        (0..3).any(|axis| cell[axis] < RADIUS || cell[axis] >= full[axis] - RADIUS)
    }

    /// The middle cell.
    pub fn centre(&self) -> [usize; 3] {
        self.full().map(|n| n / 2)
    }

    /// Bytes of `volumes` volumes of f32.
    pub fn bytes(&self, volumes: usize) -> usize {
        volumes * self.len() * size_of::<f32>()
    }
}

/// A block with its scaled velocities.
#[derive(Debug, Clone, PartialEq)]
pub struct Medium {
    /// Sizes.
    pub block: Block,
    /// Spacing, metres.
    pub h_m: f64,
    /// Time step, seconds.
    pub dt_s: f64,
    /// `v^2 dt^2 / (12 h^2)` of every cell.
    pub vel: Vec<f32>,
    /// Smallest and largest velocity, m/s.
    pub range_mps: [f64; 2],
}

/// `v^2 dt^2 / (12 h^2)`.
pub fn scaled(v_mps: f64, h_m: f64, dt_s: f64) -> f64 {
    (v_mps * dt_s / h_m).powi(2) / 12.0
}

impl Medium {
    /// The velocity of each cell in m/s.
    ///
    /// # Errors
    /// A velocity that is not positive, or `C = v_max dt / h` above 1/2, where every wave grows
    /// without bounds.
    pub fn new(
        block: Block,
        h_m: f64,
        dt_s: f64,
        velocity: impl Fn([usize; 3]) -> f64,
    ) -> Result<Medium> {
        let all = (0..block.len()).map(|i| velocity(block.cell(i)));
        let mut range = [f64::INFINITY, 0.0f64];
        let mut vel = Vec::with_capacity(block.len());
        for (i, v) in all.enumerate() {
            if !(v.is_finite() && v > 0.0) {
                return Err(Error::input(format!(
                    "velocity {v} m/s at cell {:?}: all must be positive",
                    block.cell(i)
                )));
            }
            range = [range[0].min(v), range[1].max(v)];
            vel.push(scaled(v, h_m, dt_s) as f32);
        }
        let courant = range[1] * dt_s / h_m;
        if !(courant > 0.0 && courant <= COURANT_MAX) {
            return Err(Error::input(format!(
                "C = v_max dt / h = {} * {dt_s} / {h_m} = {courant:.4} is unstable: at most \
                 {COURANT_MAX}\n  fix: dt of at most {:.3e} s",
                range[1],
                COURANT_MAX * h_m / range[1]
            )));
        }
        Ok(Medium { block, h_m, dt_s, vel, range_mps: range })
    }

    /// The velocity of a cell, m/s, from its scaled value.
    pub fn velocity_mps(&self, index: usize) -> f64 {
        (12.0 * f64::from(self.vel[index])).sqrt() * self.h_m / self.dt_s
    }

    /// What is doubtful about this medium for waves of central frequency `peak_hz`: too near the
    /// limit of stability, too few points per wavelength.
    pub fn warnings(&self, peak_hz: f64) -> Vec<String> {
        let mut warnings = Vec::new();
        let courant = self.range_mps[1] * self.dt_s / self.h_m;
        if courant > 0.45 {
            warnings.push(format!("C = {courant:.3} is close to the limit of {COURANT_MAX}"));
        }
        let points = self.range_mps[0] / (2.5 * peak_hz * self.h_m);
        if points < 5.0 {
            warnings.push(format!(
                "{points:.1} points per shortest wavelength (at 2.5 f0 = {} Hz): below 5 the grid \
                 disperses waves; h of at most {:.2} m would do",
                2.5 * peak_hz,
                self.range_mps[0] / (5.0 * 2.5 * peak_hz)
            ));
        }
        warnings
    }

    /// What a source adds to its cell after step n: `12 VEL w / h` of the wavelet's value `w` at
    /// `n dt`.
    pub fn source_amount(&self, index: usize, w: f64) -> f64 {
        12.0 * f64::from(self.vel[index]) * w / self.h_m
    }
}

/// The Ricker wavelet of peak frequency `peak_hz`, delayed by `delay_s`.
pub fn ricker(t_s: f64, peak_hz: f64, delay_s: f64) -> f64 {
    let a = (PI * peak_hz * (t_s - delay_s)).powi(2);
    (1.0 - 2.0 * a) * (-a).exp()
}

/// The usual delay of a wavelet, 1.2 / f0.
pub fn delay_s(peak_hz: f64) -> f64 {
    1.2 / peak_hz
}

/// `omega(k)` of the scheme: the angular frequency of a plane wave along one axis with wave number
/// `k`, from `sin^2(omega dt / 2) = C^2 / 4 [5/2 - 8/3 cos(k h) + 1/6 cos(2 k h)]`.
pub fn omega(k: f64, v_mps: f64, h_m: f64, dt_s: f64) -> f64 {
    let courant = v_mps * dt_s / h_m;
    let kh = k * h_m;
    let bracket = 2.5 - 8.0 / 3.0 * kh.cos() + (2.0 * kh).cos() / 6.0;
    2.0 / dt_s * (courant / 2.0 * bracket.sqrt()).asin()
}

/// A smooth hump of height 1 in the middle of a block, a few cells wide: a wave to start from
/// without a source.
pub fn hump(block: Block) -> Vec<f32> {
    let centre = block.centre();
    let value = |i: usize| {
        let cell = block.cell(i);
        let r2: f32 = (0..3).map(|a| (cell[a] as f32 - centre[a] as f32).powi(2)).sum();
        if block.is_border(cell) { 0.0 } else { (-r2 / 12.0).exp() }
    };
    (0..block.len()).map(value).collect()
}

/// A sponge of Cerjan: both levels are multiplied by `g(d) = exp(-(alpha (width - d))^2)` at
/// distance d from each face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sponge {
    /// Cells.
    pub width: usize,
    /// Strength.
    pub alpha: f64,
}

impl Default for Sponge {
    fn default() -> Self {
        Sponge { width: 20, alpha: 0.015 }
    }
}

impl Sponge {
    /// The factor of each cell along an axis of `full` cells; 1 outside of the sponge.
    pub fn factors(&self, full: usize) -> Vec<f32> {
        let factor = |i: usize| {
            let d = i.min(full - 1 - i);
            let inside = self.width.saturating_sub(d) as f64;
            (-(self.alpha * inside).powi(2)).exp() as f32
        };
        (0..full).map(factor).collect()
    }
}

/// A wave in motion, on whatever computes it. Level `cur` is the newest.
pub trait Wave {
    /// Sizes.
    fn block(&self) -> Block;
    /// Time steps of one [`Wave::step`].
    fn stride(&self) -> usize {
        1
    }
    /// Goes on by [`Wave::stride`] time steps.
    ///
    /// # Errors
    /// The device fails.
    fn step(&mut self) -> Result<()>;
    /// Adds to a cell of the newest level.
    ///
    /// # Errors
    /// The device fails, or the variant has no such thing.
    fn add(&mut self, index: usize, amount: f64) -> Result<()>;
    /// Damps both levels.
    ///
    /// # Errors
    /// As [`Wave::add`].
    fn damp(&mut self, sponge: Sponge) -> Result<()>;
    /// Lets time run the other way: the levels change their places.
    fn reverse(&mut self);
    /// The newest level's values at some cells.
    ///
    /// # Errors
    /// The device fails.
    fn sample(&mut self, cells: &[usize]) -> Result<Vec<f32>>;
    /// All values of the newest level, and of the one before.
    ///
    /// # Errors
    /// The device fails.
    fn levels(&mut self) -> Result<[Vec<f64>; 2]>;
    /// All values of the newest level.
    ///
    /// # Errors
    /// The device fails.
    fn newest(&mut self) -> Result<Vec<f64>> {
        Ok(self.levels()?.into_iter().next().unwrap_or_default())
    }
}

/// One shot of modelling: a source, an optional sponge, receivers.
#[derive(Debug, Clone, PartialEq)]
pub struct Shoot {
    /// The source's cell.
    pub source: usize,
    /// Peak frequency, Hz.
    pub peak_hz: f64,
    /// Absorption; without it the walls reflect.
    pub sponge: Option<Sponge>,
    /// Cells whose values are recorded after each step.
    pub receivers: Vec<usize>,
}

impl Shoot {
    /// Goes `steps` time steps from step `first` on; `watch` is called after each. Returns the
    /// receivers' samples, those of one time together; sample n belongs to the time `(n + 1) dt`.
    ///
    /// # Errors
    /// The wave fails, or it makes several steps at once.
    pub fn run(
        &self,
        wave: &mut dyn Wave,
        medium: &Medium,
        steps: std::ops::Range<usize>,
        watch: &mut dyn FnMut(usize, &mut dyn Wave) -> Result<()>,
    ) -> Result<Vec<f32>> {
        if wave.stride() != 1 {
            return Err(Error::input(
                "a source must act between two time steps; this kernel makes several at once",
            ));
        }
        let mut samples = Vec::with_capacity(steps.len() * self.receivers.len());
        for n in steps {
            wave.step()?;
            let w = ricker(n as f64 * medium.dt_s, self.peak_hz, delay_s(self.peak_hz));
            wave.add(self.source, medium.source_amount(self.source, w))?;
            if let Some(sponge) = self.sponge {
                wave.damp(sponge)?;
            }
            if !self.receivers.is_empty() {
                samples.extend(wave.sample(&self.receivers)?);
            }
            watch(n, wave)?;
        }
        Ok(samples)
    }
}

/// Writes a gather: raw little-endian f32, the samples of all receivers at one time together, and a
/// `.toml` beside it.
///
/// # Errors
/// A file cannot be written.
pub fn write_gather(path: &Path, samples: &[f32], receivers: usize, dt_s: f64) -> Result<()> {
    let bytes: Vec<u8> = samples.iter().flat_map(|v| v.to_le_bytes()).collect();
    std::fs::write(path, bytes).map_err(|e| Error::writing(path, &e))?;
    let about = path.with_extension("toml");
    let nt = samples.len() / receivers.max(1);
    let text = format!(
        "quantity = \"pressure\"\nnumber = \"f32, little-endian\"\nn = [{receivers}, {nt}]  # \
         receivers, times; the first is the fastest\ndt_s = {dt_s:?}\n"
    );
    std::fs::write(&about, text).map_err(|e| Error::writing(&about, &e))
}

/// Reads what [`write_gather`] wrote.
///
/// # Errors
/// The file cannot be read, or is no whole number of values.
pub fn read_gather(path: &Path) -> Result<Vec<f32>> {
    let bytes = std::fs::read(path).map_err(|e| Error::reading(path, &e))?;
    let (values, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(Error::file(path, "it is no whole number of 4-byte values"));
    }
    Ok(values.iter().map(|v| f32::from_le_bytes(*v)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// C01.
    #[test]
    fn the_standard_problem_has_356_cells_a_side_and_four_volumes_of_688_mib() {
        let block = Block::cube(352).unwrap();
        assert_eq!(block.full(), [356; 3]);
        assert_eq!(block.len(), 45_118_016);
        assert_eq!(block.bytes(4), 721_888_256);
        assert_eq!(block.index([1, 0, 0]), 1);
        assert_eq!(block.index([0, 1, 0]), 356);
        assert_eq!(block.index([0, 0, 1]), 356 * 356);
        assert!(Block::cube(0).is_err() && Block::cube(2000).is_err());
    }

    proptest! {
        /// C04.
        #[test]
        fn the_velocity_comes_back(
            v in 100.0..6000.0f64,
            h in 1.0..50.0f64,
            courant in 0.01..0.5f64,
        ) {
            let block = Block::new([3, 2, 1]).unwrap();
            let dt = courant * h / v;
            let medium = Medium::new(block, h, dt, |_| v).unwrap();
            prop_assert!((medium.velocity_mps(7) / v - 1.0).abs() < 1e-6);
            prop_assert!(f64::from(medium.vel[0]) <= 1.0 / 48.0 + 1e-9);
        }

        #[test]
        fn cells_and_indices_agree(n in [1usize..9, 1usize..9, 1usize..9]) {
            let block = Block::new(n).unwrap();
            for i in 0..block.len() {
                prop_assert_eq!(block.index(block.cell(i)), i);
            }
            let inner = (0..block.len()).filter(|i| !block.is_border(block.cell(*i))).count();
            prop_assert_eq!(inner, block.points());
        }
    }

    /// C05, the refusal.
    #[test]
    fn an_unstable_step_is_refused() {
        let block = Block::cube(4).unwrap();
        assert!(Medium::new(block, 10.0, 0.0025, |_| 2000.0).is_ok());
        let error = Medium::new(block, 10.0, 0.00251, |_| 2000.0).unwrap_err().to_string();
        assert!(error.contains("unstable") && error.contains("dt of at most 2.500e-3"), "{error}");
        assert!(Medium::new(block, 10.0, 0.001, |_| f64::NAN).is_err());
    }

    /// C06: the warning.
    #[test]
    fn few_points_per_wavelength_are_warned_of() {
        let medium = Medium::new(Block::cube(4).unwrap(), 10.0, 0.001, |_| 2000.0).unwrap();
        assert!(medium.warnings(16.0).is_empty());
        let text = medium.warnings(17.0).join("\n");
        assert!(text.contains("4.7 points per shortest wavelength"), "{text}");
        let fast = Medium::new(Block::cube(4).unwrap(), 10.0, 0.0024, |_| 2000.0).unwrap();
        assert!(fast.warnings(10.0)[0].contains("close to the limit"));
    }

    /// C06: the error of the dispersion relation falls with h^4 when dt falls with h^2.
    #[test]
    fn dispersion_is_of_fourth_order() {
        let (v, k) = (2000.0, 2.0 * PI / 200.0);
        let error = |h: f64| (omega(k, v, h, 1e-6 * h * h) / (v * k) - 1.0).abs();
        let slope = (error(20.0) / error(10.0)).log2();
        assert!((slope - 4.0).abs() < 0.3, "{slope}");
    }

    #[test]
    fn the_sponge_ends_where_it_should() {
        let g = Sponge::default().factors(64);
        assert!((f64::from(g[0]) - (-0.09f64).exp()).abs() < 1e-6);
        assert!(g[19] < 1.0 && g[20] == 1.0 && g[43] == 1.0 && g[44] < 1.0);
        assert_eq!(g[3], g[60]);
    }
}
