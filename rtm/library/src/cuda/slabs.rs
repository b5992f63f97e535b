//! The blocks of `layers_slab.cu`, which makes a step's points of the layers: how large their tiles
//! are, and which points are left to the step's own kernel.

use super::device::Extent;
use super::layout::{LayerLayout, Points};
use crate::Real;
use crate::plan::{Face, Plan};

/// Threads that a multiprocessor should hold at x and y faces, where a thread can do with 128
/// registers, and else.
const THREADS: [usize; 2] = [512, 384];
/// Threads of a launch at most, at x and y faces, and at z faces: what an H200 runs at a time, and
/// not quite three times that, where that took least.
const THREADS_OF_A_LAUNCH: [usize; 2] = [132 * THREADS[0], 384 * THREADS[1]];
/// Shared memory of a block at most, so that a multiprocessor of 227 KiB has room for two.
const SHARED: usize = 112 << 10;
/// Planes between a copy to shared memory and its use, `AHEAD` of the kernels.
const AHEAD: usize = 2;
/// Elements of a vector's row on which the z faces' psi and zeta begin.
const ALIGNED: usize = 4;

/// Tiles: rows, and vectors of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tile {
    rows: usize,
    lanes: usize,
    /// Whether it is one of a z face.
    at_z: bool,
}

impl Tile {
    fn threads(&self) -> usize {
        self.rows * self.lanes
    }

    /// Bytes of shared memory of its block.
    fn shared(&self, half: usize, vec: usize) -> usize {
        let wide = self.lanes + 2 * half.div_ceil(vec);
        let tall = self.rows + 2 * half;
        let (pitch, psi) = match self.at_z {
            true => ((wide + 3) / 8 * 8 + 4, self.rows * ((wide + 3) / 8 * 8 + 4)),
            false => (wide, tall * self.lanes),
        };
        16 * ((half + AHEAD + 1) * tall * pitch + 2 * psi + AHEAD * 4 * self.threads())
    }
}

/// The tiles at the z faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AtZ {
    tile: Tile,
    /// Vectors of a row that are of the layer.
    vectors: usize,
    /// Where the top face's tiles end, and the bottom one's begin; of a face that reflects, the end
    /// of the grid.
    ends: [usize; 2],
}

/// How the points of a plan's layers are divided among blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slabs {
    n: [usize; 3],
    layers: usize,
    half: usize,
    vec: usize,
    /// Whether there are blocks on the faces of each axis.
    on: [bool; 3],
    /// At x and y faces.
    at_xy: Tile,
    at_z: Option<AtZ>,
}

impl Slabs {
    /// The blocks, of so many threads at most, on a device with so many bytes of shared memory for
    /// a block; `None` if the layers are too many or leave no points to the step.
    pub fn new<T: Real>(
        plan: &Plan,
        layout: &LayerLayout<T>,
        threads: usize,
        shared: usize,
    ) -> Option<Slabs> {
        let (half, vec, shared) = (plan.order / 2, 16 / T::BYTES, shared.min(SHARED));
        let fits = |tile: &Tile| tile.threads() <= threads && tile.shared(half, vec) <= shared;
        let at_xy = [16, 8, 4, 2]
            .map(|lanes| Tile { rows: plan.layers, lanes, at_z: false })
            .into_iter()
            .find(fits)?;
        let absorbing = |axis: usize| {
            Face::ALL.into_iter().any(|face| face.axis() == axis && plan.absorbs(face))
        };
        // Whole lines of the cache, or else whole vectors.
        let at_z = [128 / T::BYTES, ALIGNED].into_iter().find_map(|aligned| {
            let nz = plan.grid.n[2];
            let start = (nz - plan.layers) / aligned * aligned;
            let width = layout.z_zeta.next_multiple_of(aligned);
            let width = width.max(nz.next_multiple_of(ALIGNED) - start);
            let ends = [
                if plan.absorbs(Face::Top) { width } else { 0 },
                if plan.absorbs(Face::Bottom) { start } else { nz },
            ];
            let tile = [16, 8, 4]
                .map(|rows| Tile { rows, lanes: width / vec, at_z: true })
                .into_iter()
                .find(fits)?;
            // Points near a free surface are the step's, and some in any case.
            let fit = ends[0].max(half) < ends[1];
            fit.then_some(AtZ { tile, vectors: layout.z_zeta / vec, ends })
        });
        let on = [absorbing(0), absorbing(1), absorbing(2) && at_z.is_some()];
        let slabs = Slabs { n: plan.grid.n, layers: plan.layers, half, vec, on, at_xy, at_z };
        // Their kernels leave it to the step's own to wait for the step before.
        Some(slabs).filter(|slabs| !slabs.others(plan).is_empty())
    }

    /// Definitions for the kernels.
    pub fn definitions(&self) -> Vec<String> {
        let none = AtZ { tile: Tile { rows: 1, lanes: 1, at_z: true }, vectors: 1, ends: [0; 2] };
        let z = self.at_z.unwrap_or(none);
        let xy_threads = THREADS[usize::from(self.half > 6)];
        [
            ("LAYERS", self.layers),
            ("XY_LANES", self.at_xy.lanes),
            ("XY_BLOCKS", (xy_threads / self.at_xy.threads()).max(1)),
            ("Z_ROWS", z.tile.rows),
            ("Z_LANES", z.tile.lanes),
            ("Z_VECTORS", z.vectors),
            ("Z_BLOCKS", (THREADS[1] / z.tile.threads()).max(1)),
        ]
        .map(|(name, value)| format!("-D{name}={value}"))
        .to_vec()
    }

    /// Whether the points of the z faces' layers are among them.
    pub fn at_z(&self) -> bool {
        self.on[2]
    }

    /// The launches: kernel, its blocks and threads, planes that a block marches, and where tiles
    /// of the bottom face begin.
    pub fn launches(&self) -> impl Iterator<Item = (&'static str, Extent, [i32; 2])> {
        let [nx, ny, nz] = self.n;
        let z = self.at_z.map(|z| (z.tile, z.ends[1]));
        let launch = |axis: usize, name, tile: Tile, across: usize, march: usize, start: usize| {
            // A piece has no fewer planes than are asked for before its first one is computed.
            let threads = 2 * across * tile.threads();
            let pieces = (THREADS_OF_A_LAUNCH[axis / 2] / threads).max(1);
            let chunk = march.div_ceil(pieces).max(self.half + AHEAD);
            let extent = Extent {
                grid: [across as u32, march.div_ceil(chunk) as u32, 2],
                block: [tile.threads() as u32, 1, 1],
                shared: tile.shared(self.half, self.vec) as u32,
            };
            self.on[axis].then_some((name, extent, [chunk as i32, start as i32]))
        };
        let columns = nz.div_ceil(self.vec * self.at_xy.lanes);
        [
            launch(0, "slab_x", self.at_xy, columns, ny, 0),
            launch(1, "slab_y", self.at_xy, columns, nx, 0),
            z.and_then(|(tile, start)| {
                launch(2, "slab_z", tile, ny.div_ceil(tile.rows), nx, start)
            }),
        ]
        .into_iter()
        .flatten()
    }

    /// The points that are left.
    pub fn others(&self, plan: &Plan) -> Points {
        let mut ends = std::array::from_fn(|i| if i % 2 == 0 { 0 } else { self.n[i / 2] as i32 });
        for face in Face::ALL[..4].iter().filter(|face| plan.absorbs(**face)) {
            let layers = self.layers as i32;
            ends[*face as usize] +=
                if (*face as usize).is_multiple_of(2) { layers } else { -layers };
        }
        if let Some(z) = self.at_z {
            ends[4] = z.ends[0] as i32;
            ends[5] = z.ends[1] as i32;
        }
        Points { ends }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;
    use crate::cuda::layout::LevelLayout;
    use crate::plan::FaceKind;
    use proptest::prelude::*;

    fn check<T: Real>(plan: &Plan) -> Result<(), TestCaseError> {
        let layout = LevelLayout::new(plan.grid.n, plan.order, plan.layers);
        let layers = LayerLayout::<T>::new(plan, &layout, 2000.0, 0);
        let Some(slabs) = Slabs::new(plan, &layers, 256, 99 << 10) else { return Ok(()) };
        let others = slabs.others(plan);
        prop_assert!(!others.is_empty(), "no launch that waits for the step before");
        let [nx, ny, nz] = plan.grid.n;
        let z = slabs.at_z.filter(|_| slabs.at_z());
        let mut found = [false; 3];
        for (name, extent, [chunk, start]) in slabs.launches() {
            let axis = ["slab_x", "slab_y", "slab_z"].iter().position(|n| *n == name).unwrap();
            found[axis] = true;
            let [across, pieces, sides] = extent.grid.map(|n| n as usize);
            let (march, width) = match axis {
                0 => (ny, nz.div_ceil(slabs.vec * slabs.at_xy.lanes)),
                1 => (nx, nz.div_ceil(slabs.vec * slabs.at_xy.lanes)),
                _ => (nx, ny.div_ceil(z.unwrap().tile.rows)),
            };
            prop_assert!(
                pieces * chunk as usize >= march && (pieces - 1) * (chunk as usize) < march
            );
            prop_assert_eq!([across, sides], [width, 2]);
            prop_assert!(extent.block[0] <= 256 && extent.shared as usize <= 99 << 10);
            prop_assert!(!plan.absorbs(Face::Bottom) || (start as usize).is_multiple_of(ALIGNED));
        }
        for face in Face::ALL {
            let (axis, n) = (face.axis(), plan.grid.n[face.axis()]);
            let made = plan.absorbs(face) && found[axis];
            let first = (face as usize).is_multiple_of(2);
            let end = others.ends[face as usize] as usize;
            let width = if first { end } else { n - end };
            match (axis, z) {
                (2, Some(z)) if made => {
                    let tile = z.tile.lanes * slabs.vec;
                    prop_assert!((plan.layers..=tile).contains(&width), "{:?} {}", face, width);
                    prop_assert!(z.vectors <= z.tile.lanes && end.is_multiple_of(ALIGNED));
                }
                (2, _) => prop_assert_eq!(width, 0),
                _ => prop_assert_eq!(width, if made { plan.layers } else { 0 }),
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn every_point_is_made_once(
            n in [20usize..50, 20usize..50, 20usize..150],
            layers in 1usize..10,
            half in 1usize..=8,
            walls in proptest::array::uniform6(0u8..4),
        ) {
            let plan = Plan::new(Grid::uniform(n, 10.0), 2 * half, 1e-3, 10, 15.0);
            let mut plan = Plan { layers, ..plan };
            plan.faces = walls.map(|wall| FaceKind::absorbing_if(wall > 0));
            check::<f32>(&plan)?;
            check::<f64>(&plan)?;
        }
    }
}
