//! How much memory each strategy needs (spec 3.6): the thesis' formulas in words, and what this
//! program allocates.

use crate::plan::{Face, Plan, Replay, Strategy};
use crate::propagate::cpml;
use crate::propagate::shell::Shell;
use crate::{Real, Volume};

/// The sizes from which the formulas are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Points of the shot's grid, V.
    pub volume: usize,
    /// Points without layers, I.
    pub interior: usize,
    /// Words of psi and zeta on six faces, P.
    pub layers: usize,
    /// Points of the saved shell.
    pub shell: usize,
    /// Time levels.
    pub nt: usize,
}

impl Sizes {
    /// Sizes of a plan; the interior must not be empty.
    pub fn of(plan: &Plan) -> Sizes {
        let [nx, ny, nz] = plan.grid.n;
        let insets = plan.insets();
        let inner: [usize; 3] =
            std::array::from_fn(|a| plan.grid.n[a].saturating_sub(2 * insets[a]));
        let half = plan.order / 2;
        let shell = if inner.iter().all(|&n| n > 2 * half) {
            Shell::new(inner, half).len()
        } else {
            inner.iter().product()
        };
        Sizes {
            volume: nx * ny * nz,
            interior: inner.iter().product(),
            layers: 4 * plan.layers * (ny * nz + nx * nz + nx * ny),
            shell,
            nt: plan.nt,
        }
    }

    /// Words of one checkpoint: two levels and the layers.
    pub fn checkpoint(&self) -> usize {
        2 * self.volume + self.layers
    }
}

/// Words that the thesis' program takes, fitted to its measured bytes; `traces` is
/// `receivers * nt`, `rest` what else it holds (10,509 words for shot 65).
pub fn thesis_words(plan: &Plan, traces: usize, rest: usize) -> usize {
    let s = Sizes::of(plan);
    let common = 6 * s.volume + s.layers + traces + rest;
    match plan.strategy {
        Strategy::StoreAll => common + s.nt * s.volume,
        Strategy::Checkpoints { ks_store, replay } => {
            let segment = match replay {
                Replay::EachLevel => 0,
                Replay::Segment => (ks_store - 2) * s.volume,
            };
            common + s.volume + s.layers + s.nt.div_ceil(ks_store) * s.checkpoint() + segment
        }
        Strategy::Binomial { slots } => common + s.volume + s.layers + slots * s.checkpoint(),
        Strategy::SaveBoundaries => common + s.nt * s.shell,
        Strategy::RandomBoundaries(_) => common + 11 * (s.volume - s.interior),
    }
}

/// Bytes that this program takes on the CPU: what [`crate::ShotImage::bytes`] will say if no two
/// rows of the model are alike (such rows are stored once). `traces` counts the samples of source
/// and receivers.
pub fn cpu_bytes<T: Real>(plan: &Plan, traces: usize) -> usize {
    let ([nx, ny, nz], half) = (plan.grid.n, plan.order / 2);
    let model =
        Volume::<T>::elements_for([1, nx * ny, nz], 0) * T::BYTES + nx * ny * size_of::<u32>();
    let volume = Volume::<T>::elements_for(plan.grid.n, half);
    bytes_with::<T>(plan, traces, volume, Volume::<T>::blocks(nz)) + model
}

/// The same without the padding of rows, to be compared with formulas.
pub fn unpadded_bytes<T: Real>(plan: &Plan, traces: usize) -> usize {
    let [nx, ny, nz] = plan.grid.n;
    bytes_with::<T>(plan, traces, nx * ny * nz, nz) + nx * ny * nz * T::BYTES
}

/// What a shot's parts take on some back end, in words.
pub struct Parts {
    /// A wavefield.
    pub volume: usize,
    /// psi and zeta of all faces.
    pub layers: usize,
    /// A sum over time.
    pub image: usize,
    /// The velocities of random layers.
    pub random: usize,
    /// Levels of a field that goes back in time ([`crate::engine::Engine::turns`]).
    pub turns: usize,
}

impl Parts {
    /// Bytes of all that a plan's strategy keeps, but for the model.
    pub fn bytes<T: Real>(&self, plan: &Plan, traces: usize) -> usize {
        let (s, &Parts { volume, layers, image, random, turns }) = (Sizes::of(plan), self);
        let images = 1
            + usize::from(plan.illumination || plan.condition.needs_source_energy())
            + usize::from(plan.illumination || plan.condition.needs_receiver_energy());
        // The receivers' levels, their layers.
        let common = turns * volume + layers + images * image + traces;
        let checkpoint = 2 * volume + layers;
        let (own, states) = match plan.strategy {
            Strategy::StoreAll => (s.nt * volume, 0),
            Strategy::Checkpoints { ks_store, replay } => {
                let between = match replay {
                    Replay::EachLevel => 2,
                    Replay::Segment => ks_store - 2,
                };
                (between * volume + layers + s.nt.div_ceil(ks_store) * checkpoint, 0)
            }
            Strategy::Binomial { slots } => (2 * volume + layers + slots * checkpoint, 0),
            Strategy::SaveBoundaries => (turns * volume + s.nt * s.shell, 0),
            Strategy::RandomBoundaries(boundary) => {
                let points = s.volume - s.interior;
                (turns * volume + random, points * boundary.generator.state_bytes())
            }
        };
        (common + own) * T::BYTES + states
    }
}

/// Words of psi and zeta of all faces: `row` for each row of an x or y face.
pub fn layer_words(plan: &Plan, row: usize) -> usize {
    let [nx, ny, _] = plan.grid.n;
    let rows = [ny, nx, nx * ny];
    Face::ALL
        .into_iter()
        .filter(|face| plan.absorbs(*face))
        .map(|face| 2 * cpml::face_words(face.axis(), rows[face.axis()], row, plan.layers))
        .sum()
}

/// All but the model. `volume` are the elements of one volume; psi has `row` elements for each row
/// of an x or y face.
fn bytes_with<T: Real>(plan: &Plan, traces: usize, volume: usize, row: usize) -> usize {
    let s = Sizes::of(plan);
    let layers = layer_words(plan, row);
    let random = s.volume - s.interior;
    let parts = Parts { volume, layers, image: s.interior, random, turns: 2 };
    parts.bytes::<T>(plan, traces)
}

/// Nine tenths of the host's memory that is free now.
pub fn spare_memory() -> u64 {
    free_memory().map_or(4 << 30, |free| free / 10 * 9)
}

/// Memory that the system would give without swapping; `None` where it does not say.
fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kb| kb << 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;
    use crate::plan::RandomBoundary;

    /// Shot 65 of the thesis' salt example.
    fn shot_65(strategy: Strategy) -> Plan {
        Plan { strategy, ..Plan::new(Grid::uniform([141, 141, 135], 40.0), 6, 0.002, 2500, 7.0) }
    }

    #[test]
    fn the_thesis_bytes_to_the_byte() {
        let bytes = |strategy| 4 * thesis_words(&shot_65(strategy), 2601 * 2500, 10_509);
        let checkpoints = |ks_store| Strategy::Checkpoints { ks_store, replay: Replay::EachLevel };
        let table = [
            (48, 2_055_140_736),
            (60, 1_655_764_440),
            (72, 1_401_615_888),
            (84, 1_220_081_208),
            (96, 1_111_160_400),
            (108, 1_002_239_592),
            (120, 893_318_784),
            (132, 820_704_912),
            (144, 784_397_976),
            (156, 748_091_040),
            (168, 675_477_168),
            (180, 639_170_232),
        ];
        for (ks_store, want) in table {
            assert_eq!(bytes(checkpoints(ks_store)), want, "ks_store = {ks_store}");
        }
        assert_eq!(bytes(Strategy::SaveBoundaries), 2_052_001_932);
        assert_eq!(bytes(Strategy::RandomBoundaries(RandomBoundary::default())), 169_550_380);
        let sizes = Sizes::of(&shot_65(Strategy::SaveBoundaries));
        assert_eq!(4 * sizes.checkpoint(), 36_306_936);
        assert_eq!((sizes.volume, sizes.interior, sizes.layers), (2_683_935, 1_223_743, 3_708_864));
        assert_eq!(sizes.shell, 194_670);
    }

    #[test]
    fn ours_is_never_more() {
        for strategy in [
            Strategy::Checkpoints { ks_store: 48, replay: Replay::EachLevel },
            Strategy::SaveBoundaries,
            Strategy::RandomBoundaries(RandomBoundary::default()),
        ] {
            let plan = shot_65(strategy);
            let ours = unpadded_bytes::<f32>(&plan, 2602 * 2500);
            let thesis = 4 * thesis_words(&plan, 2601 * 2500, 10_509);
            assert!(ours < thesis, "{strategy:?}: {ours} {thesis}");
        }
    }
}
