//! Regular grids and what lives on them.
//!
//! [`Cube`] is a dense array, z fastest: `index = (ix * ny + iy) * nz + iz`. Models, images,
//! snapshots and files are cubes. [`Volume`] holds the same points for the propagator: each row of
//! z starts on a cache line, and all around the points lie enough zeros for the stencil.

use std::ops::Range;

use bytemuck::Zeroable;

use crate::real::{BLOCK, Real};
use crate::{Error, Result};

/// A point of a grid: ix, iy, iz.
pub type Point = [usize; 3];

/// A regular grid. Axes are always in the order x, y, z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Points along x, y, z.
    pub n: [usize; 3],
    /// Spacing in metres.
    pub d_m: [f64; 3],
    /// Where point 0, 0, 0 lies, in metres of the survey's coordinates.
    pub origin_m: [f64; 3],
}

impl Grid {
    /// A grid with its origin at 0.
    pub fn new(n: [usize; 3], d_m: [f64; 3]) -> Grid {
        Grid { n, d_m, origin_m: [0.0; 3] }
    }

    /// A grid of equal spacing with its origin at 0.
    pub fn uniform(n: [usize; 3], d_m: f64) -> Grid {
        Grid::new(n, [d_m; 3])
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.n.iter().product()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Index of a point in a dense array.
    #[inline(always)]
    pub fn index(&self, [ix, iy, iz]: Point) -> usize {
        (ix * self.n[1] + iy) * self.n[2] + iz
    }

    /// The point at an index of a dense array.
    pub fn point(&self, index: usize) -> Point {
        let (row, iz) = (index / self.n[2], index % self.n[2]);
        [row / self.n[1], row % self.n[1], iz]
    }

    /// Whether the point lies in the grid.
    pub fn contains(&self, point: Point) -> bool {
        (0..3).all(|axis| point[axis] < self.n[axis])
    }

    /// Coordinates of a point in metres.
    pub fn position_m(&self, point: Point) -> [f64; 3] {
        std::array::from_fn(|axis| self.origin_m[axis] + point[axis] as f64 * self.d_m[axis])
    }

    /// The grid without the layers on its faces, so many points for each axis; its origin moves
    /// inwards.
    ///
    /// # Errors
    /// If nothing is left.
    pub fn interior(&self, layers: [usize; 3]) -> Result<Grid> {
        if (0..3).any(|axis| self.n[axis] <= 2 * layers[axis]) {
            return Err(Error::input(format!(
                "a grid of {} x {} x {} points has no interior within {} layers on each face: \
                 enlarge the model or reduce Lpml",
                self.n[0], self.n[1], self.n[2], layers[0]
            )));
        }
        Ok(Grid {
            n: std::array::from_fn(|axis| self.n[axis] - 2 * layers[axis]),
            d_m: self.d_m,
            origin_m: self.position_m(layers),
        })
    }

    /// Smallest spacing, metres.
    pub fn d_min_m(&self) -> f64 {
        self.d_m.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Largest spacing, metres.
    pub fn d_max_m(&self) -> f64 {
        self.d_m.iter().copied().fold(0.0, f64::max)
    }
}

/// One value per point of a grid, z fastest, no padding.
#[derive(Debug, Clone, PartialEq)]
pub struct Cube<T> {
    /// Where the values lie.
    pub grid: Grid,
    /// `grid.len()` values, z fastest.
    pub values: Vec<T>,
}

/// Velocities in m/s; always single precision.
pub type Velocity = Cube<f32>;

impl<T: Copy> Cube<T> {
    /// The same value everywhere.
    pub fn constant(grid: Grid, value: T) -> Cube<T> {
        Cube { grid, values: vec![value; grid.len()] }
    }

    /// The value of each point.
    pub fn from_fn(grid: Grid, value: impl FnMut(Point) -> T) -> Cube<T> {
        let values = (0..grid.len()).map(|i| grid.point(i)).map(value).collect();
        Cube { grid, values }
    }

    /// Values in the order of memory.
    ///
    /// # Errors
    /// If their number is not that of the grid's points.
    pub fn from_values(grid: Grid, values: Vec<T>) -> Result<Cube<T>> {
        if values.len() != grid.len() {
            return Err(Error::input(format!(
                "{} values for a grid of {} x {} x {} = {} points",
                values.len(),
                grid.n[0],
                grid.n[1],
                grid.n[2],
                grid.len()
            )));
        }
        Ok(Cube { grid, values })
    }

    /// Value at a point.
    #[inline(always)]
    pub fn at(&self, point: Point) -> T {
        self.values[self.grid.index(point)]
    }

    /// Value at a point, to be changed.
    #[inline(always)]
    pub fn at_mut(&mut self, point: Point) -> &mut T {
        let index = self.grid.index(point);
        &mut self.values[index]
    }

    /// The row along z at ix, iy.
    pub fn row(&self, ix: usize, iy: usize) -> &[T] {
        let start = self.grid.index([ix, iy, 0]);
        &self.values[start..start + self.grid.n[2]]
    }

    /// The row along z at ix, iy, to be changed.
    pub fn row_mut(&mut self, ix: usize, iy: usize) -> &mut [T] {
        let start = self.grid.index([ix, iy, 0]);
        &mut self.values[start..start + self.grid.n[2]]
    }

    /// The part of `n` points from `first` on; its grid's origin is where `first` lies.
    ///
    /// # Panics
    /// If the part does not lie within the cube.
    pub fn part(&self, first: Point, n: [usize; 3]) -> Cube<T> {
        assert!((0..3).all(|axis| first[axis] + n[axis] <= self.grid.n[axis]));
        let grid = Grid { n, d_m: self.grid.d_m, origin_m: self.grid.position_m(first) };
        let values = (0..n[0])
            .flat_map(|ix| (0..n[1]).map(move |iy| (ix, iy)))
            .flat_map(|(ix, iy)| &self.row(first[0] + ix, first[1] + iy)[first[2]..first[2] + n[2]])
            .copied()
            .collect();
        Cube { grid, values }
    }
}

impl<T: Real> Cube<T> {
    /// Smallest and largest value; `(inf, -inf)` if there is none or if all are NaN.
    pub fn range(&self) -> (f64, f64) {
        self.values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v.f64()), high.max(v.f64()))
        })
    }

    /// The values in another precision.
    pub fn convert<U: Real>(&self) -> Cube<U> {
        Cube { grid: self.grid, values: self.values.iter().map(|v| U::of(v.f64())).collect() }
    }
}

/// A cache line, so that volumes start on one.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Line([u8; 64]);

/// So many bytes of zeros, on huge pages where there are any.
pub(crate) fn zeros(bytes: usize) -> Vec<Line> {
    let n = bytes / size_of::<Line>();
    let mut lines = Vec::with_capacity(n);
    want_huge_pages(&lines);
    lines.resize(n, Line::zeroed());
    lines
}

/// Asks the system for huge pages where nothing has been written yet: a march along x touches
/// another small page with each row, and finding each of them costs a fifth of the speed. A system
/// that has none goes on with small pages.
pub fn want_huge_pages<T>(empty: &Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let bytes = empty.capacity() * size_of::<T>();
        if bytes >= 64 * PAGE {
            // From the start of a page: what is allocated next to one another then makes huge pages
            // together.
            let (start, end) =
                (empty.as_ptr() as usize / PAGE * PAGE, empty.as_ptr() as usize + bytes);
            // SAFETY: advice about pages of which the vector holds a part; it changes no value.
            unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = empty;
}

/// A field as the propagator wants it: rows along z, each on a cache line, with zeros between them.
///
/// Each row has `nz` values; before and behind it are zeros that stay so, half a stencil of them at
/// least, and as many rows of zeros lie beyond the faces of x and y: a stencil finds the 0 of the
/// outside like any other value. (Rows between two planes serve both.) The row's values with the
/// zeros up to the next whole block ([`Volume::blocks`]) can be computed like the rest: with
/// `v^2 dt^2` zero there, they stay zero.
#[derive(Clone, Default)]
pub struct Volume<T> {
    n: [usize; 3],
    half: usize,
    stride: usize,
    plane: usize,
    lines: Vec<Line>,
    of: std::marker::PhantomData<T>,
}

impl<T: Real> Volume<T> {
    /// Zeros before the first row and behind the last: a block, which is more than half a stencil
    /// of order 16.
    pub const PAD: usize = BLOCK;

    fn stride_for(nz: usize, half: usize) -> usize {
        (nz + half).next_multiple_of(BLOCK)
    }

    /// Elements of a volume of `n` points for stencils of half width `half`, padding included.
    pub fn elements_for(n: [usize; 3], half: usize) -> usize {
        2 * Self::PAD + (n[0] + 2 * half) * Self::plane_for(n, half)
    }

    /// Elements from one plane of x to the next: the rows, and what keeps the distance away from
    /// whole KiB. A march along x reads a row of each of many planes at a time; at distances of 4
    /// KiB they would drive one another out of the first-level cache, at 2 and 1 KiB half of them.
    fn plane_for(n: [usize; 3], half: usize) -> usize {
        let rows = (n[1] + half) * Self::stride_for(n[2], half);
        let (whole, quarter) = (1024 / T::BYTES, 256 / T::BYTES);
        let beyond = rows % whole;
        let is_far = (quarter..=whole - quarter).contains(&beyond);
        rows + if is_far { 0 } else { (whole + quarter - beyond) % whole }
    }

    /// `n` rounded up to whole blocks.
    pub fn blocks(n: usize) -> usize {
        n.next_multiple_of(BLOCK)
    }

    /// Zeros, with room for stencils of half width `half`, at most 8.
    pub fn zeros(n: [usize; 3], half: usize) -> Volume<T> {
        let lines = zeros(Self::elements_for(n, half) * T::BYTES);
        let (stride, plane) = (Self::stride_for(n[2], half), Self::plane_for(n, half));
        Volume { n, half, stride, plane, lines, of: std::marker::PhantomData }
    }

    /// The values without padding, on a grid of the same size.
    pub fn to_cube(&self, grid: Grid) -> Cube<T> {
        assert_eq!(grid.n, self.n);
        let mut values = Vec::with_capacity(grid.len());
        for ix in 0..self.n[0] {
            for iy in 0..self.n[1] {
                values.extend_from_slice(self.row(ix, iy));
            }
        }
        Cube { grid, values }
    }

    /// Points along x, y, z.
    pub fn n(&self) -> [usize; 3] {
        self.n
    }

    /// Elements from one row to the next.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Elements from one plane of x to the next.
    #[inline(always)]
    pub fn plane(&self) -> usize {
        self.plane
    }

    /// Bytes of memory, padding included.
    pub fn bytes(&self) -> usize {
        self.lines.len() * size_of::<Line>()
    }

    /// All elements, padding included.
    pub fn elements(&self) -> &[T] {
        bytemuck::cast_slice(&self.lines)
    }

    /// All elements, padding included. The padding must stay zero.
    pub fn elements_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.lines)
    }

    /// Where the elements of the row at ix, iy lie in [`Volume::elements`].
    #[inline(always)]
    pub fn row_range(&self, ix: usize, iy: usize) -> Range<usize> {
        let start = Self::PAD + (ix + self.half) * self.plane() + iy * self.stride;
        start..start + self.n[2]
    }

    /// The row along z at ix, iy.
    #[inline(always)]
    pub fn row(&self, ix: usize, iy: usize) -> &[T] {
        &self.elements()[self.row_range(ix, iy)]
    }

    /// The row along z at ix, iy, to be changed.
    #[inline(always)]
    pub fn row_mut(&mut self, ix: usize, iy: usize) -> &mut [T] {
        let range = self.row_range(ix, iy);
        &mut self.elements_mut()[range]
    }

    /// Value at a point.
    pub fn at(&self, [ix, iy, iz]: Point) -> T {
        self.row(ix, iy)[iz]
    }

    /// Value at a point, to be changed.
    pub fn at_mut(&mut self, [ix, iy, iz]: Point) -> &mut T {
        &mut self.row_mut(ix, iy)[iz]
    }

    /// Zeros everywhere.
    pub fn clear(&mut self) {
        self.lines.fill(Line::zeroed());
    }

    /// Takes over another volume's values.
    ///
    /// # Panics
    /// If the sizes differ.
    pub fn copy_from(&mut self, other: &Volume<T>) {
        assert_eq!(self.n, other.n);
        self.lines.copy_from_slice(&other.lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_volume_keeps_a_cube_within_zeros(
            n in [1usize..6, 1usize..6, 1usize..40],
            half in 0usize..9,
        ) {
            let grid = Grid::uniform(n, 10.0);
            let cube = Cube::from_fn(grid, |p| 1.0 + grid.index(p) as f32);
            let mut volume = Volume::zeros(n, half);
            for (ix, iy) in (0..n[0]).flat_map(|ix| (0..n[1]).map(move |iy| (ix, iy))) {
                volume.row_mut(ix, iy).copy_from_slice(cube.row(ix, iy));
            }
            prop_assert_eq!(&volume.to_cube(grid), &cube);
            prop_assert_eq!(volume.row_range(n[0] - 1, n[1] - 1).start * 4 % 64, 0);
            prop_assert!((256..=768).contains(&(volume.plane() * 4 % 1024)));
            let zeros = volume.elements().iter().filter(|v| **v == 0.0).count();
            prop_assert_eq!(zeros, volume.elements().len() - grid.len());
            // All that a stencil reads: the row's neighbours, or zeros.
            for i in 0..grid.len() {
                let p = grid.point(i);
                let at = volume.row_range(p[0], p[1]).start + p[2];
                for (axis, step) in [volume.plane(), volume.stride(), 1].into_iter().enumerate() {
                    for l in -(half as isize)..=half as isize {
                        let mut q = p;
                        q[axis] = p[axis].wrapping_add_signed(l);
                        let want = if grid.contains(q) { cube.at(q) } else { 0.0 };
                        prop_assert_eq!(
                            volume.elements()[at.wrapping_add_signed(l * step as isize)],
                            want,
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn z_is_the_fastest_index() {
        let grid = Grid::new([2, 3, 4], [1.0, 2.0, 3.0]);
        let ramp = Cube::from_fn(grid, |[ix, iy, iz]| (100 * ix + 10 * iy + iz) as f32);
        assert_eq!(&ramp.values[..5], [0.0, 1.0, 2.0, 3.0, 10.0]);
        assert_eq!(ramp.at([1, 2, 3]), 123.0);
        assert_eq!(grid.point(grid.index([1, 2, 3])), [1, 2, 3]);
        let part = ramp.part([1, 1, 2], [1, 2, 2]);
        assert_eq!(part.values, [112.0, 113.0, 122.0, 123.0]);
        assert_eq!(part.grid.origin_m, [1.0, 2.0, 6.0]);
    }
}
