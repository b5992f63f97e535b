//! Convolutional perfectly matched layers (CPML; Pasalic and McGarry 2010; spec 2.6).
//!
//! In a layer every derivative along its axis gets a memory: `d/di -> d/di + psi` and
//! `d2/di2 -> d2/di2 + d(psi)/di + zeta`, with
//!
//! ```text
//! psi  <- a psi  + b d(p)/di
//! zeta <- a zeta + b (d2(p)/di2 + d(psi)/di)
//!
//! a = exp(-(sigma + alpha) dt)         b = sigma / (sigma + alpha) (a - 1)
//! ```
//!
//! psi is 0 outside its layer, and what `d(psi)/di` would add to the interior is dropped. All psi
//! of a line across the layer are updated before any zeta of it reads them: lines are for
//! themselves, and no result depends on how the work is cut.

use std::f64::consts::PI;
use std::marker::PhantomData;

use bytemuck::Zeroable;

use crate::grid::{self, Line};
use crate::plan::{Face, Plan};
use crate::real::{BLOCK, Real};

/// Reflection coefficient that the profile aims at, R0.
const R0: f64 = 1e-3;

/// `a` and `b` of one face, in order of growing index: `layers` values each.
#[derive(Debug, Clone)]
pub struct Profile<T> {
    /// Decay per step.
    pub a: Vec<T>,
    /// Weight of the new derivative, not positive.
    pub b: Vec<T>,
}

/// `a` and `b` at normalised depth `d` in (0, 1] of a layer of `thickness_m`: sigma grows as d^2
/// from 0 to `3 v ln(1/R0) / (2 thickness)`, alpha falls from `pi fq` to 0.
pub fn coefficients(
    d: f64,
    thickness_m: f64,
    v_max_mps: f64,
    peak_hz: f64,
    dt_s: f64,
) -> (f64, f64) {
    let sigma = 3.0 * v_max_mps * (1.0 / R0).ln() / (2.0 * thickness_m) * d * d;
    let alpha = PI * peak_hz * (1.0 - d);
    recursion(sigma, alpha, dt_s)
}

/// `a` and `b` of given sigma and alpha, 1/s.
pub fn recursion(sigma: f64, alpha: f64, dt_s: f64) -> (f64, f64) {
    let a = (-(sigma + alpha) * dt_s).exp();
    (a, if sigma == 0.0 { 0.0 } else { sigma / (sigma + alpha) * (a - 1.0) })
}

/// The profile of a face.
pub fn profile<T: Real>(plan: &Plan, face: Face, v_max_mps: f64) -> Profile<T> {
    let layers = plan.layers;
    let thickness_m = layers as f64 * plan.grid.d_m[face.axis()];
    let (a, b) = (0..layers)
        .map(|l| {
            let depth = if face.is_max() { l + 1 } else { layers - l };
            let d = depth as f64 / layers as f64;
            let (a, b) = coefficients(d, thickness_m, v_max_mps, plan.peak_hz, plan.dt_s);
            (T::of(a), T::of(b))
        })
        .unzip();
    Profile { a, b }
}

/// The profile of a z face along a row: for those of the row's blocks that hold the layer.
pub(crate) struct Window<T> {
    /// Their first point in the row.
    pub start: usize,
    /// Points of them before the layer.
    before: usize,
    layers: usize,
    pub a: Vec<[T; BLOCK]>,
    pub b: Vec<[T; BLOCK]>,
    /// 1 in the layer, else 0.
    pub inside: Vec<[T; BLOCK]>,
}

impl<T: Real> Window<T> {
    pub fn new(profile: &Profile<T>, is_max: bool, nz: usize) -> Self {
        let layers = profile.a.len();
        let first = if is_max { nz - layers } else { 0 };
        let start = first / BLOCK * BLOCK;
        let blocks = (first + layers - start).div_ceil(BLOCK);
        let spread = |value: &dyn Fn(usize) -> T| -> Vec<[T; BLOCK]> {
            let layer = |z: usize| z.checked_sub(first).filter(|l| *l < layers);
            let at = |z| layer(z).map_or(T::ZERO, value);
            (0..blocks).map(|b| std::array::from_fn(|i| at(start + b * BLOCK + i))).collect()
        };
        Window {
            start,
            before: first - start,
            layers,
            a: spread(&|l| profile.a[l]),
            b: spread(&|l| profile.b[l]),
            inside: spread(&|_| T::of(1.0)),
        }
    }

    /// Values of the blocks.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.a.len() * BLOCK
    }

    /// Where the value of the blocks' first point lies in psi and zeta of row `row` of a tile.
    #[inline(always)]
    pub fn at(&self, row: usize) -> usize {
        MARGIN + row * self.layers - self.before
    }
}

/// Values before the first and behind the last row of a z face's state, which are read but of no
/// meaning: blocks reach beyond the layer.
const MARGIN: usize = BLOCK;

/// psi and zeta of one face within one tile.
pub(crate) struct FaceState<'a, T> {
    pub psi: &'a mut [T],
    pub zeta: &'a mut [T],
}

/// psi and zeta of a tile, for each face that absorbs and touches it. Index order: x faces
/// `[y][block of z][layer][z]`, y faces `[x][block of z][layer][z]`, with rows of whole blocks:
/// what a step goes through at a place lies together. z faces `[x][y][layer]` between margins.
pub(crate) struct TileState<'a, T> {
    pub faces: [Option<FaceState<'a, T>>; 6],
}

/// psi and zeta of all tiles: one array, for small ones would not be on huge pages.
#[derive(Clone, Default)]
pub(crate) struct States<T> {
    /// Words of psi, and of zeta, of each face of each tile; none where there is no layer.
    words: Vec<[usize; 6]>,
    lines: Vec<Line>,
    of: PhantomData<T>,
}

/// Words of psi, and of zeta, that `rows` rows of a face along `axis` take; `nz` is the length of a
/// row.
pub(crate) fn face_words(axis: usize, rows: usize, nz: usize, layers: usize) -> usize {
    rows * layers * if axis == 2 { 1 } else { nz }
}

/// The same with margins, in whole blocks.
fn room(face: usize, words: usize) -> usize {
    let margins = if face / 2 == 2 && words > 0 { 2 * MARGIN } else { 0 };
    (words + margins).next_multiple_of(BLOCK)
}

impl<T: Real> States<T> {
    /// Zeros.
    pub fn new(words: Vec<[usize; 6]>) -> Self {
        let room = |words: &[usize; 6]| (0..6).map(|face| room(face, words[face])).sum::<usize>();
        let lines = grid::zeros(2 * words.iter().map(room).sum::<usize>() * T::BYTES);
        States { words, lines, of: PhantomData }
    }

    /// Words of psi and zeta, margins not counted.
    pub fn words(&self) -> usize {
        2 * self.words.as_flattened().iter().sum::<usize>()
    }

    /// Those of each tile.
    pub fn tiles(&mut self) -> Vec<TileState<'_, T>> {
        let mut values: &mut [T] = bytemuck::cast_slice_mut(&mut self.lines);
        let mut take = |n: usize| {
            let (part, rest) = std::mem::take(&mut values).split_at_mut(n);
            values = rest;
            part
        };
        let tile = |words: &[usize; 6]| TileState {
            faces: std::array::from_fn(|face| {
                let room = room(face, words[face]);
                (room > 0).then(|| FaceState { psi: take(room), zeta: take(room) })
            }),
        };
        self.words.iter().map(tile).collect()
    }

    pub fn clear(&mut self) {
        self.lines.fill(Line::zeroed());
    }

    pub fn copy_from(&mut self, other: &Self) {
        self.lines.copy_from_slice(&other.lines);
    }
}
