//! Volumes as the kernels see them: `kernels/wave.cuh` in Rust.

use bytemuck::{Pod, Zeroable};
use rand::RngExt;

/// Floats before the first row.
const PAD: usize = 32;

/// `struct Shape` of the kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Shape {
    nx: i32,
    ny: i32,
    nz: i32,
    stride: i32,
    plane: i32,
    layers: i32,
}

/// A grid and its place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Points along x, y and z; z is fastest in memory.
    pub n: [usize; 3],
    /// Half of the order of the differences: the kernels' H, 1 to 8.
    pub half: usize,
    /// Absorbing layers, points on each face.
    pub layers: usize,
}

impl Grid {
    /// A grid of order `2 * half` without layers.
    pub fn new(n: [usize; 3], half: usize) -> Grid {
        Grid { n, half, layers: 0 }
    }

    /// Elements from a row to the next: rows start on 128 bytes, at least 8 zeros between them.
    pub fn stride(&self) -> usize {
        (self.n[2] + 8).next_multiple_of(32)
    }

    /// Elements from a plane to the next.
    pub fn plane(&self) -> usize {
        (self.n[1] + 2 * self.half) * self.stride()
    }

    /// Elements of a level.
    pub fn words(&self) -> usize {
        PAD + (self.n[0] + 2 * self.half) * self.plane()
    }

    /// Elements from a point to its neighbour along an axis.
    pub fn step(&self, axis: usize) -> usize {
        [self.plane(), self.stride(), 1][axis]
    }

    /// Where a point lies.
    pub fn at(&self, [ix, iy, iz]: [usize; 3]) -> usize {
        PAD + (ix + self.half) * self.plane() + (iy + self.half) * self.stride() + iz
    }

    /// All points, in the order of memory.
    pub fn points(self) -> impl Iterator<Item = [usize; 3]> {
        let [nx, ny, nz] = self.n;
        (0..nx).flat_map(move |x| (0..ny).flat_map(move |y| (0..nz).map(move |z| [x, y, z])))
    }

    /// Number of points.
    pub fn count(&self) -> usize {
        self.n.iter().product()
    }

    /// The argument of a kernel.
    pub fn shape(&self) -> Shape {
        Shape {
            nx: self.n[0] as i32,
            ny: self.n[1] as i32,
            nz: self.n[2] as i32,
            stride: self.stride() as i32,
            plane: self.plane() as i32,
            layers: self.layers as i32,
        }
    }

    /// A level of one value per point and zeros around.
    pub fn level(&self, mut value: impl FnMut([usize; 3]) -> f32) -> Vec<f32> {
        let mut level = vec![0.0; self.words()];
        for p in self.points() {
            level[self.at(p)] = value(p);
        }
        level
    }

    /// A level of random values from -1 to 1.
    pub fn random(&self, rng: &mut impl RngExt) -> Vec<f32> {
        self.level(|_| rng.random_range(-1.0..1.0))
    }

    /// Random `(v dt)^2 / h^2` that a stable run may have, around the grid too: a point that is
    /// computed there does not stay 0.
    pub fn random_v2(&self, rng: &mut impl RngExt) -> Vec<f32> {
        (0..self.words()).map(|_| rng.random_range(0.02..0.15)).collect()
    }

    /// Name of a place in a level, for messages.
    pub fn place(&self, at: usize) -> String {
        match self.points().find(|p| self.at(*p) == at) {
            Some([x, y, z]) => format!("point ({x}, {y}, {z})"),
            None => "the zeros around the grid".into(),
        }
    }
}

/// Weights of the second difference, `[0]` the centre's, for spacing 1; `half` up to 8.
pub fn second(half: usize) -> Vec<f64> {
    let factor = |l: usize| 2.0 * share(half, l) / (l * l) as f64;
    let pairs: Vec<f64> = (1..=half).map(factor).collect();
    std::iter::once(-2.0 * pairs.iter().sum::<f64>()).chain(pairs).collect()
}

/// Weights of the first difference, antisymmetric, `[0]` is 0, for spacing 1.
pub fn first(half: usize) -> Vec<f64> {
    std::iter::once(0.0).chain((1..=half).map(|l| share(half, l) / l as f64)).collect()
}

/// `(-1)^(l+1) (h!)^2 / ((h-l)! (h+l)!)`.
fn share(half: usize, l: usize) -> f64 {
    let ratio: f64 = (0..l).map(|k| (half - k) as f64 / (half + l - k) as f64).product();
    if l % 2 == 1 { ratio } else { -ratio }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_those_of_the_tables() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        let order8 = [-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0];
        assert!(second(4).iter().zip(order8).all(|(a, b)| close(*a, b)));
        assert!(second(1).iter().zip([-2.0, 1.0]).all(|(a, b)| close(*a, b)));
        let slope8 = [0.0, 4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
        assert!(first(4).iter().zip(slope8).all(|(a, b)| close(*a, b)));
    }

    #[test]
    fn rows_start_on_128_bytes_and_have_zeros_behind_them() {
        for nz in 1..70 {
            let grid = Grid::new([2, 3, nz], 4);
            assert_eq!(grid.at([1, 2, 0]) % 32, 0);
            assert!(grid.stride() >= nz + 8);
            assert!(grid.at([1, 2, nz - 1]) + 4 * grid.plane() < grid.words());
        }
    }
}
