//! How levels and layers lie in the device's memory: what `volume.cuh` and `layers.cuh` say, for
//! the host.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use cust::memory::DeviceCopy;

use crate::plan::{Face, Plan};
use crate::propagate::cpml;
use crate::{Cube, Grid, Real, fd};

/// Zeros before the first row.
const PAD: usize = 32;
/// Zeros behind each row, at least.
const GAP: usize = 8;
/// Zeros on both sides of a row of psi of the z faces, as `layers.cuh` wants them.
pub(super) const Z_HALO: usize = 16;

/// `Shape` of the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, DeviceCopy)]
#[repr(C)]
pub struct Shape {
    /// Points along x.
    pub nx: i32,
    /// Points along y.
    pub ny: i32,
    /// Points along z.
    pub nz: i32,
    /// Elements from a row to the next.
    pub stride: i32,
    /// Elements from a plane of x to the next.
    pub plane: i32,
    /// Boundary layers.
    pub layers: i32,
    /// 1 where a step mirrors the free surface itself, and `2 << face` for each face of x and y
    /// whose layers' pass does it for their columns.
    pub surface: i32,
}

/// `Box` of the kernels: the points to compute, from (inclusive) and to (exclusive).
#[derive(Debug, Clone, Copy, PartialEq, Eq, DeviceCopy)]
#[repr(C)]
pub struct Points {
    /// x0, x1, y0, y1, z0, z1.
    pub ends: [i32; 6],
}

impl Points {
    /// Points along an axis.
    pub fn n(&self, axis: usize) -> usize {
        (self.ends[2 * axis + 1] - self.ends[2 * axis]).max(0) as usize
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|axis| self.n(axis) == 0)
    }

    /// The least box with the points of both.
    pub fn with(&self, others: &Points) -> Points {
        match (self.is_empty(), others.is_empty()) {
            (_, true) => *self,
            (true, false) => *others,
            (false, false) => Points {
                ends: std::array::from_fn(|i| {
                    let (a, b) = (self.ends[i], others.ends[i]);
                    if i % 2 == 0 { a.min(b) } else { a.max(b) }
                }),
            },
        }
    }
}

/// `Pair` of the kernels: two steps and an image in one launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, DeviceCopy)]
#[repr(C)]
pub(super) struct Pair {
    /// What the launch is divided into.
    pub tiles: Points,
    /// Points of both steps.
    pub steps: [Points; 2],
    /// Points of the image.
    pub image: Points,
    /// Planes of a march.
    pub chunk: i32,
    /// Times of the image: none, the previous one, the current one, too.
    pub images: i32,
    /// As `Shape::surface`, of both steps.
    pub surface: [i32; 2],
}

/// `Weights` of the kernels.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Weights<T> {
    centre: T,
    second_centre: [T; 3],
    second: [[T; 8]; 3],
    first: [[T; 8]; 3],
}

// SAFETY: numbers of one type, without padding.
unsafe impl<T: Pod> Zeroable for Weights<T> {}
// SAFETY: as above.
unsafe impl<T: Pod> Pod for Weights<T> {}

impl<T: Real> Weights<T> {
    /// Weights of an order's differences for spacings, as the CPU has them.
    pub fn new(order: usize, d_m: [f64; 3]) -> Weights<T> {
        let (c, d) = (fd::second(order), fd::first(order));
        let second_centre = d_m.map(|spacing| c[0] / (spacing * spacing));
        let at = |list: &[f64], l: usize| list.get(l + 1).copied().unwrap_or(0.0);
        Weights {
            centre: T::of(second_centre.iter().sum()),
            second_centre: second_centre.map(T::of),
            second: d_m.map(|s| std::array::from_fn(|l| T::of(at(&c, l) / (s * s)))),
            first: d_m.map(|s| std::array::from_fn(|l| T::of(at(&d, l) / s))),
        }
    }

    /// The same numbers as an array, for kernels that read them from global memory.
    pub fn table(&self) -> Vec<T> {
        bytemuck::cast_slice(std::slice::from_ref(self)).to_vec()
    }
}

/// The padded layout of the levels of one shot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelLayout {
    n: [usize; 3],
    half: usize,
    stride: usize,
    layers: usize,
}

impl LevelLayout {
    /// The layout for a grid, differences of `order` and `layers` boundary layers.
    pub fn new(n: [usize; 3], order: usize, layers: usize) -> LevelLayout {
        LevelLayout { n, half: order / 2, stride: (n[2] + GAP).next_multiple_of(PAD), layers }
    }

    fn plane(&self) -> usize {
        (self.n[1] + 2 * self.half) * self.stride
    }

    /// Elements of a level.
    pub fn elements(&self) -> usize {
        2 * PAD + (self.n[0] + 2 * self.half) * self.plane()
    }

    /// Number of the element of a point.
    pub fn index(&self, [ix, iy, iz]: [usize; 3]) -> usize {
        PAD + (ix + self.half) * self.plane() + (iy + self.half) * self.stride + iz
    }

    /// The elements of the planes of zeros before the first plane of x, and of as many planes from
    /// the first on.
    pub fn planes_at_start(&self) -> (Range<usize>, Range<usize>) {
        let (start, size) = (PAD, self.half * self.plane());
        (start..start + size, start + size..start + 2 * size)
    }

    /// The elements of the last planes of x, half a stencil of them, and of the planes of zeros
    /// behind.
    pub fn planes_at_end(&self) -> (Range<usize>, Range<usize>) {
        let (end, size) = (PAD + (self.n[0] + self.half) * self.plane(), self.half * self.plane());
        (end - size..end, end..end + size)
    }

    /// As the kernels want it.
    pub fn shape(&self) -> Shape {
        let [nx, ny, nz] = self.n.map(|n| n as i32);
        Shape {
            nx,
            ny,
            nz,
            stride: self.stride as i32,
            plane: self.plane() as i32,
            layers: self.layers as i32,
            surface: 0,
        }
    }

    /// All points, or those at least `inset` from each face.
    pub fn points(&self, inset: usize) -> Points {
        let mut ends = [0; 6];
        for axis in 0..3 {
            ends[2 * axis] = inset as i32;
            ends[2 * axis + 1] = (self.n[axis] as i32 - inset as i32).max(inset as i32);
        }
        Points { ends }
    }

    /// A level with the values of a cube, changed by `value`.
    pub fn level<T: Real, U: Copy>(&self, cube: &Cube<U>, value: impl Fn(U) -> T) -> Vec<T> {
        let mut level = vec![T::ZERO; self.elements()];
        for ix in 0..self.n[0] {
            for iy in 0..self.n[1] {
                let start = self.index([ix, iy, 0]);
                let row = level[start..start + self.n[2]].iter_mut();
                row.zip(cube.row(ix, iy)).for_each(|(to, from)| *to = value(*from));
            }
        }
        level
    }

    /// The points of a level from `first` on that a grid covers, without padding.
    pub fn cube<T: Real>(&self, level: &[T], grid: Grid, first: [usize; 3]) -> Cube<T> {
        let mut values = Vec::with_capacity(grid.len());
        for ix in 0..grid.n[0] {
            for iy in 0..grid.n[1] {
                let start = self.index([first[0] + ix, first[1] + iy, first[2]]);
                values.extend_from_slice(&level[start..start + grid.n[2]]);
            }
        }
        Cube { grid, values }
    }

    /// Points of the shell that boundary saving keeps of each level; `None` where the interior is
    /// too small for one.
    pub fn shell(&self) -> Option<usize> {
        let inner = self.n.map(|n| n - 2 * self.layers);
        let core = inner.map(|n| n.checked_sub(2 * self.half).filter(|n| *n > 0));
        let [Some(x), Some(y), Some(z)] = core else { return None };
        Some(inner.iter().product::<usize>() - x * y * z)
    }
}

/// Sizes of psi and zeta, and the profiles.
pub struct LayerLayout<T> {
    /// Elements of psi of each face; 0 where it reflects.
    pub psi: [usize; 6],
    /// Elements of zeta.
    pub zeta: [usize; 6],
    /// a and b of each face, `length` numbers each.
    pub profile: Vec<T>,
    /// Numbers of a in `profile`.
    pub length: usize,
    /// Elements of a row of psi of the z faces.
    pub z_psi: usize,
    /// Elements of a row of zeta of the z faces.
    pub z_zeta: usize,
    /// Where the bottom layer begins in its row.
    pub shift: usize,
}

impl<T: Real> LayerLayout<T> {
    /// The layers of a plan in a model whose largest velocity is `v_max_mps`; with so many zeros on
    /// both sides of a row of psi of the z faces.
    pub fn new(plan: &Plan, layout: &LevelLayout, v_max_mps: f64, z_halo: usize) -> LayerLayout<T> {
        let ([nx, ny, nz], layers, half) = (plan.grid.n, plan.layers, layout.half);
        let shift = (nz - layers) % 4;
        let z_zeta = (shift + layers).next_multiple_of(4);
        let z_psi = z_zeta + 2 * z_halo;
        let length = z_zeta + 4;
        let deep = layers + 2 * half;
        let psi_of = [deep * ny * layout.stride, nx * deep * layout.stride, nx * ny * z_psi];
        let zeta_of = [layers * ny * layout.stride, nx * layers * layout.stride, nx * ny * z_zeta];
        let mut profile = vec![T::ZERO; 12 * length];
        for face in Face::ALL {
            let of_face = cpml::profile::<T>(plan, face, v_max_mps);
            let first = if face == Face::Bottom { shift } else { 0 };
            for (which, values) in [of_face.a, of_face.b].iter().enumerate() {
                let start = (2 * face as usize + which) * length + first;
                profile[start..start + layers].copy_from_slice(values);
            }
        }
        let on = |face: usize, n: [usize; 3]| {
            if plan.absorbs(Face::ALL[face]) { n[face / 2] } else { 0 }
        };
        LayerLayout {
            psi: std::array::from_fn(|face| on(face, psi_of)),
            zeta: std::array::from_fn(|face| on(face, zeta_of)),
            profile,
            length,
            z_psi,
            z_zeta,
            shift,
        }
    }
}

/// `Layers` of the kernels: addresses of psi and zeta of each face, null where it reflects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, DeviceCopy)]
#[repr(C)]
pub struct LayerPointers {
    /// psi.
    pub psi: [u64; 6],
    /// zeta.
    pub zeta: [u64; 6],
    /// The profiles.
    pub profile: u64,
    /// Numbers of a in them.
    pub length: i32,
    /// Row of psi of the z faces.
    pub z_psi: i32,
    /// Row of zeta of the z faces.
    pub z_zeta: i32,
    /// Where the bottom layer begins in its row.
    pub shift: i32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_start_on_lines_and_halos_fit(
            n in [1usize..9, 1usize..9, 1usize..70],
            half in 1usize..=8,
        ) {
            let layout = LevelLayout::new(n, 2 * half, 0);
            let grid = Grid::uniform(n, 1.0);
            let cube = Cube::from_fn(grid, |p| 1.0 + grid.index(p) as f32);
            let level = layout.level(&cube, |v| v);
            prop_assert_eq!(layout.cube(&level, grid, [0; 3]), cube);
            for p in [[0; 3], n.map(|n| n - 1)] {
                let i = layout.index(p);
                prop_assert_eq!((i - p[2]) % 32, 0);
                for step in [layout.plane(), layout.stride, 1] {
                    prop_assert!(i >= half * step && i + half * step < level.len());
                }
            }
            // The neighbours of the first point before it along each axis are zeros.
            let first = layout.index([0; 3]);
            for l in 1..=half {
                for step in [layout.plane(), layout.stride, 1] {
                    prop_assert_eq!(level[first - l * step], 0.0);
                }
            }
            let last = layout.index(n.map(|n| n - 1));
            for l in 1..=half {
                for step in [layout.plane(), layout.stride, 1] {
                    prop_assert_eq!(level[last + l * step], 0.0);
                }
            }
        }
    }

    #[test]
    fn the_thesis_shell() {
        assert_eq!(LevelLayout::new([141, 141, 135], 6, 16).shell(), Some(194_670));
        assert_eq!(LevelLayout::new([10, 10, 40], 6, 2).shell(), None);
    }
}
