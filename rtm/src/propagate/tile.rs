//! One task of a time step: a tile of the x-y plane, marched along x with the stencil, the layers and nothing else in between,
//! so that each plane is read from memory once.

use std::ops::Range;

use multiversion::multiversion;

use super::cpml::{FaceState, Profile, TileState};
use super::medium::MediumRows;
use super::stencil::{self, Sides, Weights};
use crate::plan::{Face, Plan};
use crate::{Real, Volume};

/// A tile: all z of these x and y.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tile {
    pub x: Range<usize>,
    pub y: Range<usize>,
}

/// Cuts `0 .. n` into parts of about `size`; none ends within the first or last `layers` points, so that a layer belongs to one
/// part as a whole.
pub(crate) fn cut(n: usize, layers: usize, size: usize) -> Vec<Range<usize>> {
    let parts = (n / size.max(1)).max(1);
    let mut bounds: Vec<usize> =
        (1..parts).map(|i| (i * n / parts).clamp(layers.max(1), n - layers.max(1))).collect();
    bounds.dedup();
    bounds.insert(0, 0);
    bounds.push(n);
    bounds.dedup();
    bounds.windows(2).map(|b| b[0]..b[1]).collect()
}

impl Tile {
    /// Words of psi (and as many of zeta) for each face in this tile.
    pub fn face_words(&self, plan: &Plan) -> [usize; 6] {
        let ([nx, ny, nz], layers) = (plan.grid.n, plan.layers);
        let (x, y) = (self.x.len(), self.y.len());
        let touches = |face: Face| {
            plan.absorbing[face as usize]
                && match face {
                    Face::Left => self.x.start == 0,
                    Face::Right => self.x.end == nx,
                    Face::Back => self.y.start == 0,
                    Face::Front => self.y.end == ny,
                    Face::Top | Face::Bottom => true,
                }
        };
        Face::ALL.map(|face| {
            let words = [layers * y * nz, x * layers * nz, x * y * layers][face.axis()];
            if touches(face) { words } else { 0 }
        })
    }
}

/// What all tiles of a step share.
pub(crate) struct Shared<'a, T, const H: usize> {
    pub cur: &'a Volume<T>,
    /// The level before, unless it lies in `next` already.
    pub prev: Option<&'a Volume<T>>,
    pub medium: MediumRows<'a, T>,
    pub profiles: &'a [Profile<T>; 6],
    pub weights: &'a Weights<T, H>,
    /// A row of zeros, for those beyond the faces.
    pub zeros: &'a [T],
    pub layers: usize,
    /// The points to compute.
    pub region: [Range<usize>; 3],
}

/// One tile's own part of a step.
pub(crate) struct Task<'a, T> {
    pub tile: &'a Tile,
    /// For each x of the tile: its rows of the new level, a stride apart.
    pub next: Vec<&'a mut [T]>,
    pub state: Option<&'a mut TileState<T>>,
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.max(b.start)..a.end.min(b.end)
}

impl<T: Real, const H: usize> Shared<'_, T, H> {
    /// A row of the current level, z within `z` and `margin` points around it.
    #[inline(always)]
    fn row(&self, ix: isize, iy: isize, z: &Range<usize>, margin: usize) -> &[T] {
        let [nx, ny, _] = self.cur.n();
        if ix < 0 || iy < 0 || ix >= nx as isize || iy >= ny as isize {
            return &self.zeros[..z.len()];
        }
        let start = self.cur.row_range(ix as usize, iy as usize).start;
        &self.cur.elements()[start + z.start - margin..start + z.end + margin]
    }

    #[inline(always)]
    fn sides(&self, axis: usize, ix: usize, iy: usize, z: &Range<usize>) -> Sides<'_, T, H> {
        let (ix, iy) = (ix as isize, iy as isize);
        match axis {
            0 => Sides::new(|l| self.row(ix + l, iy, z, 0)),
            1 => Sides::new(|l| self.row(ix, iy + l, z, 0)),
            _ => Sides::along(self.row(ix, iy, z, H), z.len()),
        }
    }
}

/// Runs a task.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw", "x86_64+avx2"))]
pub(crate) fn run<T: Real, const H: usize>(shared: &Shared<'_, T, H>, task: &mut Task<'_, T>) {
    let (tile, stride) = (task.tile, shared.cur.stride());
    let xs = overlap(&tile.x, &shared.region[0]);
    let ys = overlap(&tile.y, &shared.region[1]);
    let zs = &shared.region[2];
    for ix in xs {
        if let Some(state) = &mut task.state {
            update_psi_xy(shared, tile, state, ix);
        }
        let rows = &mut task.next[ix - tile.x.start];
        for iy in ys.clone() {
            let next = &mut rows[(iy - tile.y.start) * stride..][..shared.cur.n()[2]];
            if let Some(prev) = shared.prev {
                next[zs.clone()].copy_from_slice(&prev.row(ix, iy)[zs.clone()]);
            }
            for (z, v) in shared.medium.segments(ix, iy, zs) {
                let sides: [Sides<'_, T, H>; 3] =
                    std::array::from_fn(|axis| shared.sides(axis, ix, iy, &z));
                stencil::update(
                    &mut next[z.clone()],
                    shared.row(ix as isize, iy as isize, &z, 0),
                    v,
                    [&sides[0], &sides[1], &sides[2]],
                    shared.weights,
                );
            }
            if let Some(state) = &mut task.state {
                apply_layers(shared, tile, state, ix, iy, next);
            }
        }
    }
}

/// Which layer of an x or y face index i lies in.
fn layer_of(face: Face, i: usize, n: usize, layers: usize) -> Option<usize> {
    if face.is_max() { (i + layers).checked_sub(n) } else { (i < layers).then_some(i) }
}

/// psi of the y faces at plane ix, and of a whole x face when its first plane is reached.
#[inline(always)]
fn update_psi_xy<T: Real, const H: usize>(
    shared: &Shared<'_, T, H>,
    tile: &Tile,
    state: &mut TileState<T>,
    ix: usize,
) {
    let ([nx, ny, nz], layers) = (shared.cur.n(), shared.layers);
    for face in [Face::Left, Face::Right] {
        let first = if face.is_max() { nx - layers } else { 0 };
        if let (Some(f), true) = (&mut state.faces[face as usize], ix == first) {
            let profile = &shared.profiles[face as usize];
            for (row, psi) in f.psi.chunks_exact_mut(nz).enumerate() {
                let (l, iy) = (row / tile.y.len(), tile.y.start + row % tile.y.len());
                let cur = shared.sides(0, first + l, iy, &(0..nz));
                let (a, b) = (profile.a[l], profile.b[l]);
                stencil::psi(psi, &cur, &shared.weights.first[0], |_| a, |_| b);
            }
        }
    }
    for face in [Face::Back, Face::Front] {
        let first = if face.is_max() { ny - layers } else { 0 };
        if let Some(f) = &mut state.faces[face as usize] {
            let profile = &shared.profiles[face as usize];
            let plane = (ix - tile.x.start) * layers * nz;
            let rows = f.psi[plane..plane + layers * nz].chunks_exact_mut(nz);
            for (l, psi) in rows.enumerate() {
                let cur = shared.sides(1, ix, first + l, &(0..nz));
                let (a, b) = (profile.a[l], profile.b[l]);
                stencil::psi(psi, &cur, &shared.weights.first[1], |_| a, |_| b);
            }
        }
    }
}

/// The layers' terms of one row.
#[inline(always)]
fn apply_layers<T: Real, const H: usize>(
    shared: &Shared<'_, T, H>,
    tile: &Tile,
    state: &mut TileState<T>,
    ix: usize,
    iy: usize,
    next: &mut [T],
) {
    let ([nx, ny, nz], layers) = (shared.cur.n(), shared.layers);
    let (local_x, local_y) = (ix - tile.x.start, iy - tile.y.start);
    let v = shared.medium.model_row(ix, iy);
    let all = 0..nz;
    for face in [Face::Left, Face::Right, Face::Back, Face::Front] {
        let (axis, i, n) = if face.axis() == 0 { (0, ix, nx) } else { (1, iy, ny) };
        let Some(FaceState { psi, zeta }) = &mut state.faces[face as usize] else { continue };
        let Some(l) = layer_of(face, i, n, layers) else { continue };
        let (first_row, row_step) =
            if axis == 0 { (local_y, tile.y.len()) } else { (local_x * layers, 1) };
        let row_at = |l: usize| (first_row + l * row_step) * nz;
        let psi_sides = Sides::new(|k| {
            let at = l as isize + k;
            if at < 0 || at >= layers as isize {
                &shared.zeros[..nz]
            } else {
                &psi[row_at(at as usize)..][..nz]
            }
        });
        let profile = &shared.profiles[face as usize];
        let (a, b) = (profile.a[l], profile.b[l]);
        stencil::zeta(
            next,
            &mut zeta[row_at(l)..][..nz],
            shared.row(ix as isize, iy as isize, &all, 0),
            v,
            &shared.sides(axis, ix, iy, &all),
            &psi_sides,
            (shared.weights, axis),
            |_| a,
            |_| b,
        );
    }
    for face in [Face::Top, Face::Bottom] {
        let Some(FaceState { psi, zeta }) = &mut state.faces[face as usize] else { continue };
        let z = if face.is_max() { nz - layers..nz } else { 0..layers };
        let at = (local_x * tile.y.len() + local_y) * layers;
        let (psi, zeta) = (&mut psi[at..at + layers], &mut zeta[at..at + layers]);
        let Profile { a, b } = &shared.profiles[face as usize];
        let cur_sides = shared.sides(2, ix, iy, &z);
        let cur = shared.row(ix as isize, iy as isize, &z, 0);
        let first = &shared.weights.first[2];
        let (a, b) = (&a[..layers], &b[..layers]);
        stencil::psi(psi, &cur_sides, first, |i| a[i], |i| b[i]);
        // psi with H zeros on both sides, in pieces that fit the stack.
        const PIECE: usize = 64;
        let mut padded = [T::ZERO; PIECE + 16];
        for start in (0..layers).step_by(PIECE) {
            let n = PIECE.min(layers - start);
            for (i, p) in padded[..n + 2 * H].iter_mut().enumerate() {
                *p =
                    (start + i).checked_sub(H).and_then(|j| psi.get(j)).copied().unwrap_or(T::ZERO);
            }
            let part = start..start + n;
            stencil::zeta(
                &mut next[z.start + start..][..n],
                &mut zeta[part.clone()],
                &cur[part.clone()],
                &v[z.start + start..][..n],
                &shared.sides(2, ix, iy, &(z.start + start..z.start + start + n)),
                &Sides::along(&padded[..n + 2 * H], n),
                (shared.weights, 2),
                |i| a[start + i],
                |i| b[start + i],
            );
        }
    }
}
