//! Strategy 3: random velocities in the boundary layers (spec 3.4).
//!
//! Nothing is absorbed, only scattered in all directions, so the last two levels are enough to go
//! back to the first. The random numbers of every epoch can be drawn again, going backward.

use crate::grid::Point;
use crate::plan::{Envelope, Plan, RandRange, RandomBoundary};
use crate::{Grid, Real, fd};

impl Envelope {
    /// `rd(d)` at normalised depth d in 0 ..= 1.
    pub fn at(self, d: f64) -> f64 {
        match self {
            Envelope::Linear => d,
            Envelope::Exponential => d.exp_m1() / 1f64.exp_m1(),
            Envelope::Quadratic => d * d,
            Envelope::Zero => 0.0,
            Envelope::One => 1.0,
        }
    }
}

impl RandRange {
    /// Smallest and largest random velocity around the model's `v_mod`, m/s.
    pub fn limits_mps(self, bounds: &Bounds, v_mod: f64) -> (f64, f64) {
        let &Bounds { nyquist, stable } = bounds;
        match self {
            RandRange::Full => (0.0, stable),
            RandRange::Nyquist => (nyquist.min(stable), stable),
            RandRange::FourNyquist => ((4.0 * nyquist).min(stable), stable),
            RandRange::Symmetric => {
                let half = (v_mod - nyquist).min(stable - v_mod).max(0.0);
                (v_mod - half, v_mod + half)
            }
        }
    }
}

/// The velocities of a plan between which random ones lie, m/s.
pub struct Bounds {
    /// At which the central frequency has two points per wavelength.
    nyquist: f64,
    /// The largest that is stable.
    stable: f64,
}

impl Bounds {
    /// Of a plan: worth keeping for all of its points.
    pub fn of(plan: &Plan) -> Bounds {
        let stable = fd::v_max_stable_mps(plan.order, plan.grid.d_min_m(), plan.dt_s);
        Bounds {
            nyquist: 2.0 * plan.peak_hz * plan.grid.d_max_m(),
            // Strictly below the limit, so that rounding cannot pass it.
            stable: stable * (1.0 - 1e-6),
        }
    }

    /// The velocity at which the central frequency has two points per wavelength, m/s.
    pub fn nyquist_mps(&self) -> f64 {
        self.nyquist
    }

    /// The largest stable velocity, m/s.
    pub fn stable_mps(&self) -> f64 {
        self.stable
    }
}

/// Normalised depth of a point into the layers: 0 in the interior, 1 at the outermost point; the
/// largest of the three axes.
pub fn depth(grid: &Grid, layers: usize, point: Point) -> f64 {
    let deepest = (0..3)
        .map(|axis| {
            let (i, n) = (point[axis], grid.n[axis]);
            layers.saturating_sub(i).max((i + layers + 1).saturating_sub(n))
        })
        .max()
        .unwrap_or(0);
    if layers == 0 { 0.0 } else { deepest as f64 / layers as f64 }
}

/// Random velocity in m/s of a model's velocity, depth and a number in 0 .. 1 (spec 3.4, eqs. 31 to
/// 35).
pub fn velocity_mps(
    bounds: &Bounds,
    boundary: &RandomBoundary,
    d: f64,
    v_mod: f64,
    number: f64,
) -> f64 {
    let rd = boundary.envelope.at(d);
    let (low, high) = boundary.range.limits_mps(bounds, v_mod);
    (1.0 - rd) * v_mod + rd * ((1.0 - number) * low + number * high)
}

/// The same in terms of `v^2 dt^2`.
pub(crate) fn scaled_velocity<T: Real>(
    plan: &Plan,
    bounds: &Bounds,
    boundary: &RandomBoundary,
    point: Point,
    model: T,
    number: f64,
) -> T {
    let [x, y, z] = point;
    // Under a free surface there is no layer at the top: the depth is that of a point well below
    // it.
    let below = plan.layers.min((plan.grid.n[2] - 1) / 2);
    let z = if plan.has_free_surface() { z.max(below) } else { z };
    let d = depth(&plan.grid, plan.layers, [x, y, z]);
    if d == 0.0 || boundary.envelope.at(d) == 0.0 {
        return model;
    }
    let v_mod = model.f64().sqrt() / plan.dt_s;
    T::of((velocity_mps(bounds, boundary, d, v_mod, number) * plan.dt_s).powi(2))
}

/// Mixes 64 bits well (the finaliser of MurmurHash3 with the constants of Stafford's variant 13).
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

fn to_unit(x: u64) -> f64 {
    // The middle of one of 2^24 equal parts: never 0, never 1.
    ((x >> 40) as f64 + 0.5) / f64::from(1u32 << 24)
}

/// A number in 0 .. 1 of seed, point and epoch: no state.
pub fn counter(seed: u64, point: u64, epoch: u64) -> f64 {
    let x = mix(seed.wrapping_add(GOLDEN)) ^ mix(point.wrapping_mul(GOLDEN).wrapping_add(1));
    to_unit(mix(x.wrapping_add(epoch.wrapping_mul(GOLDEN))))
}

/// A linear congruential generator modulo 2^64, one per point, with an increment of its own, that
/// runs both ways: `x' = A x + c`, `x = A^-1 (x' - c)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lcg {
    state: u64,
}

impl Lcg {
    /// Multiplier (Knuth, MMIX).
    pub const A: u64 = 6_364_136_223_846_793_005;
    /// Its inverse modulo 2^64.
    pub const A_INVERSE: u64 = 13_877_824_140_714_322_085;

    /// The generator of a point at epoch 0.
    pub fn new(seed: u64, point: u64) -> Lcg {
        Lcg { state: mix(seed ^ mix(point.wrapping_add(GOLDEN))) }
    }

    /// Odd, from seed and point.
    fn increment(seed: u64, point: u64) -> u64 {
        mix(seed.wrapping_add(point.wrapping_mul(GOLDEN))) | 1
    }

    /// To the next epoch.
    pub fn forward(&mut self, seed: u64, point: u64) {
        self.state = Self::A.wrapping_mul(self.state).wrapping_add(Self::increment(seed, point));
    }

    /// To the epoch before.
    pub fn backward(&mut self, seed: u64, point: u64) {
        self.state =
            Self::A_INVERSE.wrapping_mul(self.state.wrapping_sub(Self::increment(seed, point)));
    }

    /// The number in 0 .. 1 of the present epoch.
    pub fn number(&self) -> f64 {
        to_unit(self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Generator;
    use proptest::prelude::*;

    /// The thesis' test model: v 2000, 20 m, 10 Hz, 1 ms, order 8.
    fn plan() -> Plan {
        Plan { layers: 12, ..Plan::new(Grid::uniform([40; 3], 20.0), 8, 0.001, 100, 10.0) }
    }

    fn boundary(envelope: usize, range: usize) -> RandomBoundary {
        RandomBoundary {
            envelope: Envelope::ALL[envelope],
            range: RandRange::ALL[range],
            ..RandomBoundary::default()
        }
    }

    #[test]
    fn ranges_are_those_of_the_table() {
        let want = [(0.0, 9057.0), (400.0, 9057.0), (1600.0, 9057.0), (400.0, 3600.0)];
        for (mode, want) in want.into_iter().enumerate() {
            let (low, high) = boundary(0, mode).range.limits_mps(&Bounds::of(&plan()), 2000.0);
            assert!(
                (low - want.0).abs() < 1.0 && (high - want.1).abs() < 1.0,
                "mode {mode}: {low} {high}"
            );
            assert!(high < fd::v_max_stable_mps(8, 20.0, 0.001));
        }
    }

    proptest! {
        #[test]
        fn velocities_lie_between_their_bounds(
            rdtype in 0..5usize,
            mode in 0..4usize,
            d in 0.0..=1.0,
            number in 0.0..1.0,
        ) {
            let (bounds, b) = (Bounds::of(&plan()), boundary(rdtype, mode));
            let v = velocity_mps(&bounds, &b, d, 2000.0, number);
            let rd = b.envelope.at(d);
            prop_assert!((0.0..=1.0).contains(&rd));
            let (low, high) = b.range.limits_mps(&bounds, 2000.0);
            let (c_min, c_max) = ((1.0 - rd) * 2000.0 + rd * low, (1.0 - rd) * 2000.0 + rd * high);
            prop_assert!(c_min - 1e-9 <= v && v <= c_max + 1e-9);
            // The same as R c_max + (1 - R) c_min.
            prop_assert!((v - (number * c_max + (1.0 - number) * c_min)).abs() < 1e-9);
            if rdtype < 4 {
                prop_assert_eq!(velocity_mps(&bounds, &b, 0.0, 2000.0, number), 2000.0);
            }
        }

        #[test]
        fn a_generator_runs_back_exactly(seed: u64, point: u64, n in 1usize..200) {
            let start = Lcg::new(seed, point);
            let mut states = vec![start];
            for _ in 0..n {
                let mut next = *states.last().unwrap();
                next.forward(seed, point);
                states.push(next);
            }
            let mut state = *states.last().unwrap();
            for earlier in states.iter().rev().skip(1) {
                state.backward(seed, point);
                prop_assert_eq!(&state, earlier);
            }
        }
    }

    #[test]
    fn numbers_are_even_and_neighbours_independent() {
        for generator in [Generator::Lcg, Generator::Counter] {
            let draw = |point: u64, epoch: u64| match generator {
                Generator::Counter => counter(7, point, epoch),
                Generator::Lcg => {
                    let mut g = Lcg::new(7, point);
                    (0..epoch).for_each(|_| g.forward(7, point));
                    g.number()
                }
            };
            let n = 4000;
            let mean = |f: &dyn Fn(u64) -> f64| (0..n).map(f).sum::<f64>() / n as f64;
            for epoch in [0, 1, 5] {
                assert!((mean(&|i| draw(i, epoch)) - 0.5).abs() < 0.02);
                let c = |i: u64, e: u64| draw(i, e) - 0.5;
                assert!((mean(&|i| c(i, epoch).powi(2)) - 1.0 / 12.0).abs() < 0.005);
                assert!(mean(&|i| c(i, epoch) * c(i + 1, epoch)).abs() < 0.006);
                assert!(mean(&|i| c(i, epoch) * c(i, epoch + 1)).abs() < 0.006);
            }
        }
    }

    #[test]
    fn depth_is_the_largest_of_the_axes() {
        let grid = Grid::uniform([40; 3], 20.0);
        assert_eq!(depth(&grid, 12, [12, 20, 27]), 0.0);
        assert_eq!(depth(&grid, 12, [11, 20, 20]), 1.0 / 12.0);
        assert_eq!(depth(&grid, 12, [11, 39, 20]), 1.0);
        assert_eq!(depth(&grid, 12, [28, 20, 0]), 1.0);
        assert_eq!(depth(&grid, 12, [20, 20, 28]), 1.0 / 12.0);
    }
}
