//! How one shot is run: plain data, the same for every back end.

use crate::{Error, Grid, Result, fd};

/// Faces of the grid in the order of all arrays per face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// x minimum.
    Left,
    /// x maximum.
    Right,
    /// y minimum.
    Back,
    /// y maximum.
    Front,
    /// z minimum, the surface.
    Top,
    /// z maximum.
    Bottom,
}

impl Face {
    /// All six.
    pub const ALL: [Face; 6] =
        [Face::Left, Face::Right, Face::Back, Face::Front, Face::Top, Face::Bottom];

    /// 0 for x, 1 for y, 2 for z.
    pub fn axis(self) -> usize {
        self as usize / 2
    }

    /// Whether it is the face at the largest index.
    pub fn is_max(self) -> bool {
        self as usize % 2 == 1
    }
}

/// What a face of the grid does to a wave that no random layer scatters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaceKind {
    /// Absorbs it in the layers before the face (CPML).
    Absorbing,
    /// Reflects it: the field is 0 beyond the grid.
    Reflecting,
    /// A free surface in the plane of the first points along z, at the top only: the field is 0
    /// there, and beyond it its odd mirror image, `p(-z) = -p(z)` (Robertsson 1996, Kristek et al.
    /// 2002).
    FreeSurface,
}

impl FaceKind {
    /// A face that absorbs, or one that reflects.
    pub fn absorbing_if(absorbs: bool) -> FaceKind {
        if absorbs { FaceKind::Absorbing } else { FaceKind::Reflecting }
    }
}

/// Everything that defines the run of one shot, apart from its velocities and traces.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The shot's grid, boundary layers included.
    pub grid: Grid,
    /// Order of the spatial differences: even, 2 to 16.
    pub order: usize,
    /// Time step in seconds.
    pub dt_s: f64,
    /// Time levels 0 .. nt - 1.
    pub nt: usize,
    /// Thickness of the boundary layers in points (`Lpml`).
    pub layers: usize,
    /// What each face does (`abc`): left, right, back, front, top, bottom.
    pub faces: [FaceKind; 6],
    /// Two dimensions, x and z: the grid has one point along y, nothing changes along it, and its
    /// two faces have no layers. Sources are lines along y. On the CPU only.
    pub plane: bool,
    /// Central frequency of the wavelet in Hz (`fq`); the absorbing layers are tuned to it.
    pub peak_hz: f64,
    /// How the source's field is obtained in reverse time order.
    pub strategy: Strategy,
    /// Accumulate the image each `ks` time levels.
    pub ks: usize,
    /// The imaging condition.
    pub condition: ImagingCondition,
    /// Keep the sums of `p_s^2` and `p_r^2` though the condition does not want them.
    pub illumination: bool,
}

impl Plan {
    /// A plan with the thesis' usual choices: absorbing on all faces, 16 layers, boundary saving,
    /// cross-correlation at each step.
    pub fn new(grid: Grid, order: usize, dt_s: f64, nt: usize, peak_hz: f64) -> Plan {
        Plan {
            grid,
            order,
            dt_s,
            nt,
            layers: 16,
            faces: [FaceKind::Absorbing; 6],
            plane: false,
            peak_hz,
            strategy: Strategy::SaveBoundaries,
            ks: 1,
            condition: ImagingCondition::CrossCorrelation,
            illumination: false,
        }
    }

    /// Whether a face absorbs.
    pub fn absorbs(&self, face: Face) -> bool {
        self.faces[face as usize] == FaceKind::Absorbing
    }

    /// Whether the top is a free surface.
    pub fn has_free_surface(&self) -> bool {
        self.faces[Face::Top as usize] == FaceKind::FreeSurface
    }

    /// Whether the interior has no more points along an axis than the order: then there is nothing
    /// inside of the shell that boundary saving keeps.
    pub fn is_thin(&self) -> bool {
        self.grid.n.iter().any(|n| *n <= 2 * self.layers + self.order)
    }

    /// Points of layers before the interior, along each axis.
    pub fn insets(&self) -> [usize; 3] {
        [self.layers, if self.plane { 0 } else { self.layers }, self.layers]
    }

    /// The grid without its layers.
    ///
    /// # Errors
    /// If nothing is left.
    pub fn interior(&self) -> Result<Grid> {
        self.grid.interior(self.insets())
    }

    /// Spacings as the differences take them, metres: infinite across a plane, where nothing
    /// changes.
    pub fn spacings_m(&self) -> [f64; 3] {
        let [x, y, z] = self.grid.d_m;
        [x, if self.plane { f64::INFINITY } else { y }, z]
    }

    /// Checks that a plane is one.
    fn check_plane(&self) -> Result<()> {
        let absorbs = [Face::Back, Face::Front].into_iter().any(|face| self.absorbs(face));
        let kept = matches!(
            self.strategy,
            Strategy::StoreAll | Strategy::Checkpoints { .. } | Strategy::Binomial { .. }
        );
        let is_one = self.grid.n[1] == 1 && !absorbs && kept;
        if !self.plane || is_one {
            return Ok(());
        }
        Err(Error::input(
            "a plane has one point along y, no layers there, and keeps checkpoints or all levels",
        ))
    }

    /// Checks all that can be checked before a run: order, sizes, stability for velocities up to
    /// `v_max_mps`.
    pub fn check(&self, v_max_mps: f64) -> Result<()> {
        fd::check_order(self.order)?;
        self.interior()?;
        self.check_plane()?;
        let is_free = |face: &Face| self.faces[*face as usize] == FaceKind::FreeSurface;
        if let Some(face) = Face::ALL.iter().find(|face| is_free(face) && **face != Face::Top) {
            return Err(Error::input(format!(
                "the {face:?} face cannot be a free surface: only the top can"
            )));
        }
        if self.has_free_surface() && self.grid.n[2] < self.order {
            return Err(Error::input(format!(
                "a free surface of order {0} needs {0} points along z or more",
                self.order
            )));
        }
        if self.nt < 3 {
            return Err(Error::input(format!(
                "nt = {}: at least 3 time levels are needed",
                self.nt
            )));
        }
        if self.ks == 0 {
            return Err(Error::input("ks = 0: the image is accumulated each ks steps; 1 or more"));
        }
        if !(self.dt_s > 0.0 && self.peak_hz > 0.0) {
            return Err(Error::input(format!(
                "dt = {} s and fq = {} Hz must be positive",
                self.dt_s, self.peak_hz
            )));
        }
        let dimensions = if self.plane { 2 } else { 3 };
        let dt_max = fd::dt_max_s_in(dimensions, self.order, self.grid.d_min_m(), v_max_mps);
        if self.dt_s > dt_max {
            return Err(Error::input(format!(
                "dt = {:.6} s is unstable: order {}, spacing {} m and velocities up to \
                 {v_max_mps} m/s allow at most {dt_max:.6} s; reduce dt, or take larger spacing",
                self.dt_s,
                self.order,
                self.grid.d_min_m()
            )));
        }
        if let Strategy::RandomBoundaries(RandomBoundary { ks_rand: 0, .. }) = self.strategy {
            return Err(Error::input(
                "ks_rand = 0: 1 or more; more than nt for velocities that never change",
            ));
        }
        if self.strategy == (Strategy::Binomial { slots: 0 }) {
            return Err(Error::input("binomial checkpointing needs at least 1 checkpoint"));
        }
        if let Strategy::Checkpoints { ks_store, .. } = self.strategy
            && ks_store < 3
        {
            return Err(Error::input(format!(
                "ks_store = {ks_store}: a checkpoint holds two levels, so the period must be 3 or \
                 more"
            )));
        }
        Ok(())
    }
}

/// How the source's field is obtained in reverse time order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strategy {
    /// Every level is stored: the oracle, for small problems (codes 1, 2, 5 of the thesis).
    StoreAll,
    /// Strategy 1 (code 8): checkpoints each `ks_store` levels, the rest is computed again.
    Checkpoints {
        /// Period in levels, 3 or more.
        ks_store: usize,
        /// How a segment is computed again.
        replay: Replay,
    },
    /// Checkpoints where the binomial schedule of Griewank puts them.
    Binomial {
        /// Checkpoints that fit into memory.
        slots: usize,
    },
    /// Strategy 2 (code 6): the shell of points next to the absorbing layers is saved at each
    /// level.
    SaveBoundaries,
    /// Strategy 3 (code 7): random velocities in the layers instead of absorption.
    RandomBoundaries(RandomBoundary),
}

/// How strategy 1 gets the levels between two checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    /// From the checkpoint anew for each level, as in the thesis: no memory, quadratic work.
    EachLevel,
    /// The whole segment once, kept in `ks_store - 2` further volumes.
    Segment,
}

/// The random layer of strategy 3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomBoundary {
    /// Steps between two redraws of all random velocities; more than `nt` means never.
    pub ks_rand: usize,
    /// How randomness grows with depth into the layer.
    pub envelope: Envelope,
    /// The range of velocities.
    pub range: RandRange,
    /// Seed of the whole layer.
    pub seed: u64,
    /// Which generator.
    pub generator: Generator,
    /// Which parts of the migration are done.
    pub phases: Phases,
}

/// `make_modeling`, `make_retropropagation`, `make_backpropagation`: without the first two there is
/// no image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phases {
    /// The source's field forward.
    pub modelling: bool,
    /// The source's field back from its last two levels.
    pub retropropagation: bool,
    /// The receivers' field.
    pub backpropagation: bool,
}

impl Default for RandomBoundary {
    /// The thesis' production run: mode 3, ks_rand 5000, quadratic.
    fn default() -> Self {
        RandomBoundary {
            ks_rand: 5000,
            envelope: Envelope::Quadratic,
            range: RandRange::Symmetric,
            seed: 1,
            generator: Generator::Counter,
            phases: Phases { modelling: true, retropropagation: true, backpropagation: true },
        }
    }
}

/// The share of randomness `rd(d)` at normalised depth d, with its codes of `rdtype`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Envelope {
    /// 0: `d`.
    Linear,
    /// 1: `(1 - e^d) / (1 - e)`.
    Exponential,
    /// 2: `d^2`.
    Quadratic,
    /// 3: 0, a plain reflecting extension.
    Zero,
    /// 4: 1.
    One,
}

impl Envelope {
    /// All, in the order of their codes.
    pub const ALL: [Envelope; 5] = [
        Envelope::Linear,
        Envelope::Exponential,
        Envelope::Quadratic,
        Envelope::Zero,
        Envelope::One,
    ];
}

/// The range of random velocities, with its codes of `rand_mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RandRange {
    /// 0: from 0 to the largest stable velocity.
    Full,
    /// 1: from two points per wavelength to the largest stable velocity.
    Nyquist,
    /// 2: from eight points per wavelength to the largest stable velocity.
    FourNyquist,
    /// 3: the largest range around the model's velocity that is stable and not below mode 1's
    /// minimum.
    Symmetric,
}

impl RandRange {
    /// All, in the order of their codes.
    pub const ALL: [RandRange; 4] =
        [RandRange::Full, RandRange::Nyquist, RandRange::FourNyquist, RandRange::Symmetric];
}

/// Where random numbers come from; both give those of an earlier epoch exactly again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generator {
    /// A 64-bit linear congruential generator per point, stepped forward and backward.
    Lcg,
    /// A hash of seed, point and epoch: no state.
    Counter,
}

impl Generator {
    /// Bytes of state for each point of the layers.
    pub fn state_bytes(self) -> usize {
        match self {
            Generator::Lcg => 8,
            Generator::Counter => 0,
        }
    }
}

/// Imaging conditions (spec 2.9), with their codes of `imgcond`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImagingCondition {
    /// 0 and 7: sum over shots and time of `p_s p_r`.
    CrossCorrelation,
    /// 1: each shot divided by its `sum_t p_s^2`.
    SourceNormalisedPerShot,
    /// 2: each shot divided by its `sum_t p_r^2`.
    ReceiverNormalisedPerShot,
    /// 3: the sum over shots divided by the sum over shots of `p_s^2`.
    SourceNormalised,
    /// 4: likewise of `p_r^2`.
    ReceiverNormalised,
    /// 5: condition 3 + condition 4.
    BothNormalised,
}

impl ImagingCondition {
    /// Whether it needs `sum_t p_s^2`.
    pub fn needs_source_energy(self) -> bool {
        matches!(
            self,
            ImagingCondition::SourceNormalisedPerShot
                | ImagingCondition::SourceNormalised
                | ImagingCondition::BothNormalised
        )
    }

    /// Whether it needs `sum_t p_r^2`.
    pub fn needs_receiver_energy(self) -> bool {
        matches!(
            self,
            ImagingCondition::ReceiverNormalisedPerShot
                | ImagingCondition::ReceiverNormalised
                | ImagingCondition::BothNormalised
        )
    }
}
