//! The reference: waves with absorbing layers, in plain loops and `f64`.
//!
//! Units are those of the grid: a cell and a time step. So `v2` is the square of the Courant
//! number, at most 0.2 for order 8.

use bytemuck::{Pod, Zeroable};

use crate::grid::{Grid, first, second};

/// `struct Face` of the kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct FaceArgument {
    first: [i32; 3],
    n: [i32; 3],
    axis: i32,
    side: i32,
}

/// One absorbing layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// First point.
    pub first: [usize; 3],
    /// Points along x, y and z.
    pub n: [usize; 3],
    /// Its axis.
    pub axis: usize,
    /// 0: at the lower end of the axis; 1: at the upper one.
    pub side: usize,
}

impl Face {
    /// The layer of a grid at one end of an axis.
    pub fn of(grid: &Grid, axis: usize, side: usize) -> Face {
        let (mut first, mut n) = ([0; 3], grid.n);
        n[axis] = grid.layers;
        first[axis] = side * (grid.n[axis] - grid.layers);
        Face { first, n, axis, side }
    }

    /// All six layers: left, right, back, front, top, bottom.
    pub fn all(grid: &Grid) -> Vec<Face> {
        (0..6).map(|k| Face::of(grid, k / 2, k % 2)).collect()
    }

    /// The argument of a kernel.
    pub fn argument(&self) -> FaceArgument {
        let as_i32 = |n: [usize; 3]| n.map(|k| k as i32);
        FaceArgument {
            first: as_i32(self.first),
            n: as_i32(self.n),
            axis: self.axis as i32,
            side: self.side as i32,
        }
    }

    /// Elements of its state.
    pub fn words(&self) -> usize {
        self.n.iter().product()
    }

    /// Element of the state -> the point within the layer.
    pub fn point(&self, j: usize) -> [usize; 3] {
        let [_, ny, nz] = self.n;
        [j / (ny * nz), j / nz % ny, j % nz]
    }

    /// Element of the state -> element of a level.
    pub fn at(&self, grid: &Grid, j: usize) -> usize {
        let p = self.point(j);
        grid.at([0, 1, 2].map(|k| self.first[k] + p[k]))
    }

    /// From a point to the next along the axis, in the state.
    pub fn step(&self) -> usize {
        [self.n[1] * self.n[2], self.n[2], 1][self.axis]
    }

    /// Entry of the profiles for an element of the state: 0 next to the interior.
    pub fn depth(&self, j: usize) -> usize {
        let d = self.point(j)[self.axis];
        if self.side == 0 { self.n[self.axis] - 1 - d } else { d }
    }

    /// Name of an element for messages.
    pub fn place(&self, j: usize) -> String {
        let name = ["left", "right", "back", "front", "top", "bottom"][2 * self.axis + self.side];
        let [x, y, z] = self.point(j);
        format!("point ({x}, {y}, {z}) of the {name} layer")
    }
}

/// The factors of the recursion, from the innermost layer to the outermost.
#[derive(Clone, Debug)]
pub struct Profile {
    /// `exp(-(sigma + alpha))`.
    pub a: Vec<f32>,
    /// `sigma / (sigma + alpha) (a - 1)`.
    pub b: Vec<f32>,
}

impl Profile {
    /// Quadratic damping over `layers` points for waves of velocity `v` (cells per step) and
    /// frequency `f` (per step).
    pub fn new(layers: usize, v: f64, f: f64) -> Profile {
        let largest = 3.0 * v * 1000f64.ln() / (2.0 * layers as f64);
        let (a, b) = (1..=layers)
            .map(|k| {
                let d = k as f64 / layers as f64;
                let (sigma, alpha) = (largest * d * d, std::f64::consts::PI * f * (1.0 - d));
                let a = (-(sigma + alpha)).exp();
                (a as f32, (sigma / (sigma + alpha) * (a - 1.0)) as f32)
            })
            .unzip();
        Profile { a, b }
    }
}

/// A wavefield on its way.
#[derive(Clone, Debug)]
pub struct Wave {
    grid: Grid,
    second: Vec<f64>,
    first: Vec<f64>,
    v2: Vec<f64>,
    /// The level before the present one.
    pub old: Vec<f64>,
    /// The present level.
    pub cur: Vec<f64>,
    layers: Vec<(Face, Vec<f64>, Vec<f64>)>,
    profile: Profile,
}

impl Wave {
    /// Silence; the layers `faces` absorb.
    pub fn new(grid: Grid, v2: &[f32], faces: Vec<Face>, profile: Profile) -> Wave {
        let zeros = vec![0.0; grid.words()];
        let state = |f: Face| (f, vec![0.0; f.words()], vec![0.0; f.words()]);
        Wave {
            grid,
            second: second(grid.half),
            first: first(grid.half),
            v2: v2.iter().map(|v| f64::from(*v)).collect(),
            old: zeros.clone(),
            cur: zeros,
            layers: faces.into_iter().map(state).collect(),
            profile,
        }
    }

    /// `2 cur - old + v2 lap(cur)` in place of `old`, without layers; no level becomes the present
    /// one.
    pub fn stencil(&mut self) {
        let (grid, w, cur) = (&self.grid, &self.second, &self.cur);
        let steps = [grid.plane(), grid.stride(), 1];
        for x in 0..grid.n[0] {
            for y in 0..grid.n[1] {
                let row = grid.at([x, y, 0]);
                for i in row..row + grid.n[2] {
                    let mut lap = 3.0 * w[0] * cur[i];
                    for (l, w) in w.iter().enumerate().skip(1) {
                        for step in steps {
                            lap += w * (cur[i - l * step] + cur[i + l * step]);
                        }
                    }
                    self.old[i] = 2.0 * cur[i] - self.old[i] + self.v2[i] * lap;
                }
            }
        }
    }

    /// One time step with the layers.
    pub fn step(&mut self) {
        self.stencil();
        let (grid, cur) = (&self.grid, &self.cur);
        for (face, psi, zeta) in &mut self.layers {
            let (step, j_step, length) = (grid.step(face.axis), face.step(), face.n[face.axis]);
            for (j, psi) in psi.iter_mut().enumerate() {
                let (i, k) = (face.at(grid, j), face.depth(j));
                let slope = difference(&self.first, cur, i, step);
                *psi = f64::from(self.profile.a[k]) * *psi + f64::from(self.profile.b[k]) * slope;
            }
            for (j, zeta) in zeta.iter_mut().enumerate() {
                let (i, k) = (face.at(grid, j), face.depth(j));
                let d = face.point(j)[face.axis];
                let curvature = curvature(&self.second, cur, i, step);
                let mut slope = 0.0;
                for (l, w) in self.first.iter().enumerate().skip(1) {
                    slope += if d + l < length { w * psi[j + l * j_step] } else { 0.0 };
                    slope -= if d >= l { w * psi[j - l * j_step] } else { 0.0 };
                }
                *zeta = f64::from(self.profile.a[k]) * *zeta
                    + f64::from(self.profile.b[k]) * (curvature + slope);
                self.old[i] += self.v2[i] * (slope + *zeta);
            }
        }
        std::mem::swap(&mut self.old, &mut self.cur);
    }
}

/// First difference of a level at `i` along the axis whose step is `step`.
pub fn difference(w: &[f64], p: &[f64], i: usize, step: usize) -> f64 {
    (1..w.len()).map(|l| w[l] * (p[i + l * step] - p[i - l * step])).sum()
}

/// Second difference.
pub fn curvature(w: &[f64], p: &[f64], i: usize, step: usize) -> f64 {
    w[0] * p[i] + (1..w.len()).map(|l| w[l] * (p[i + l * step] + p[i - l * step])).sum::<f64>()
}

/// A level as the kernels take it.
pub fn single(level: &[f64]) -> Vec<f32> {
    level.iter().map(|v| *v as f32).collect()
}

/// Ricker's wavelet of frequency `f` (per step) at step `k`: it begins with silence.
pub fn ricker(f: f64, k: usize) -> f64 {
    let q = (std::f64::consts::PI * (f * k as f64 - 1.2)).powi(2);
    (1.0 - 2.0 * q) * (-q).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_over(faces: Vec<Face>) -> f64 {
        let grid = Grid { n: [36, 34, 35], half: 4, layers: 8 };
        let (v2, f) = (0.1f64, 0.03);
        let mut wave =
            Wave::new(grid, &grid.level(|_| v2 as f32), faces, Profile::new(8, v2.sqrt(), f));
        for k in 0..260 {
            wave.step();
            wave.cur[grid.at([18, 17, 17])] += ricker(f, k);
        }
        wave.cur.iter().map(|p| p * p).sum()
    }

    #[test]
    fn the_layers_absorb() {
        let grid = Grid { n: [36, 34, 35], half: 4, layers: 8 };
        let (open, closed) = (left_over(Face::all(&grid)), left_over(Vec::new()));
        assert!(open < 1e-4 * closed, "{open:e} of {closed:e}");
    }
}
