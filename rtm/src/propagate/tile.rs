//! One task of a time step: a tile of the x-y plane, marched along x with the stencil, the layers and nothing else in between,
//! so that each plane is read from memory once.

use std::ops::Range;

use multiversion::multiversion;

use super::cpml::{self, FaceState, Profile, TileState, Window};
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
    pub fn face_words<T: Real>(&self, plan: &Plan) -> [usize; 6] {
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
            let row = Volume::<T>::vectors(nz);
            let window = cpml::window_len::<T>(layers, nz);
            let words = [layers * y * row, x * layers * row, x * y * window][face.axis()];
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
    /// Those of the z faces along rows.
    pub windows: &'a [Window<T>; 2],
    pub weights: &'a Weights<T, H>,
    /// A row of zeros, for those beyond the faces.
    pub zeros: &'a [T],
    pub layers: usize,
    /// The rows to compute.
    pub region: [Range<usize>; 2],
    /// Samples to be added to the new level.
    pub injection: Option<Injection<'a, T>>,
    /// The field to be correlated with the new level.
    pub source: Option<&'a Volume<T>>,
}

/// Samples of one time, sorted by row.
pub(crate) struct Injection<'a, T> {
    /// For each row ix * ny + iy, where its samples start; and the end.
    pub first: &'a [u32],
    /// iz of each sample.
    pub iz: &'a [u32],
    /// The samples.
    pub samples: &'a [T],
}

impl<T: Real> Injection<'_, T> {
    #[inline(always)]
    fn add_to(&self, row: usize, next: &mut [T]) {
        let part = self.first[row] as usize..self.first[row + 1] as usize;
        for (iz, sample) in self.iz[part.clone()].iter().zip(&self.samples[part]) {
            next[*iz as usize] += *sample;
        }
    }
}

/// One tile's own part of a step.
pub(crate) struct Task<'a, T> {
    pub tile: &'a Tile,
    /// For each x of the tile: its rows of the new level, a stride apart.
    pub next: Vec<&'a mut [T]>,
    /// For each x of the tile: its rows of `sum p_s p_r`, `sum p_s^2`, `sum p_r^2`, where they are wanted; interior rows only.
    pub sums: [Option<Vec<&'a mut [T]>>; 3],
    pub state: Option<&'a mut TileState<T>>,
}

/// Deals out the rows of an array that covers the points `x`, `y` (and `row` values for each): for each tile and each of its
/// x, the rows of its y.
pub(crate) fn deal<'a, T>(
    tiles: &[Tile],
    mut values: &'a mut [T],
    row: usize,
    [x, y]: [Range<usize>; 2],
) -> Vec<Vec<&'a mut [T]>> {
    let mut dealt: Vec<Vec<&'a mut [T]>> = tiles.iter().map(|_| Vec::new()).collect();
    for plane in 0..tiles.iter().map(|t| t.x.end).max().unwrap_or(0) {
        for (tile, dealt) in tiles.iter().zip(&mut dealt).filter(|(t, _)| t.x.contains(&plane)) {
            let rows = if x.contains(&plane) { overlap(&tile.y, &y).len() } else { 0 };
            let (part, rest) = std::mem::take(&mut values).split_at_mut(rows * row);
            values = rest;
            dealt.push(part);
        }
    }
    dealt
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.max(b.start)..a.end.min(b.end)
}

impl<T: Real, const H: usize> Shared<'_, T, H> {
    /// A row of the current level, z within `z` and `margin` points around it.
    #[inline(always)]
    fn row(&self, ix: usize, iy: usize, z: &Range<usize>, margin: usize) -> &[T] {
        let start = self.cur.row_range(ix, iy).start;
        &self.cur.elements()[start + z.start - margin..start + z.end + margin]
    }

    /// The rows around row ix, iy along x (axis 0) or y (axis 1); beyond the faces, zeros.
    #[inline(always)]
    fn around(&self, axis: usize, ix: usize, iy: usize, z: &Range<usize>) -> Sides<'_, T, H> {
        let [nx, ny, _] = self.cur.n();
        let n = z.len();
        let zeros = &self.zeros[..n];
        let (i, end, step) =
            if axis == 0 { (ix, nx, ny * self.cur.stride()) } else { (iy, ny, self.cur.stride()) };
        let at = self.cur.row_range(ix, iy).start + z.start;
        let elements = self.cur.elements();
        let mut sides = Sides { minus: [zeros; H], plus: [zeros; H] };
        for l in 1..=H {
            if l <= i {
                sides.minus[l - 1] = &elements[at - l * step..][..n];
            }
            if l < end - i {
                sides.plus[l - 1] = &elements[at + l * step..][..n];
            }
        }
        sides
    }

    /// The neighbours of row ix, iy along z.
    #[inline(always)]
    fn along(&self, ix: usize, iy: usize, z: &Range<usize>) -> Sides<'_, T, H> {
        Sides::along(self.row(ix, iy, z, H), z.len())
    }
}

/// Runs a task.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw", "x86_64+avx2"))]
pub(crate) fn run<T: Real, const H: usize>(shared: &Shared<'_, T, H>, task: &mut Task<'_, T>) {
    let (tile, stride) = (task.tile, shared.cur.stride());
    let xs = overlap(&tile.x, &shared.region[0]);
    let ys = overlap(&tile.y, &shared.region[1]);
    let row = Volume::<T>::vectors(shared.cur.n()[2]);
    for ix in xs {
        if let Some(state) = &mut task.state {
            update_psi_xy(shared, tile, state, ix);
        }
        let rows = &mut task.next[ix - tile.x.start];
        for iy in ys.clone() {
            let next = &mut rows[(iy - tile.y.start) * stride..][..row];
            if let Some(prev) = shared.prev {
                next[..prev.n()[2]].copy_from_slice(prev.row(ix, iy));
            }
            for (z, v) in shared.medium.segments(ix, iy) {
                stencil::update(
                    &mut next[z.clone()],
                    shared.row(ix, iy, &z, 0),
                    v,
                    [
                        &shared.around(0, ix, iy, &z),
                        &shared.around(1, ix, iy, &z),
                        &shared.along(ix, iy, &z),
                    ],
                    shared.weights,
                );
            }
            if let Some(state) = &mut task.state {
                apply_layers(shared, tile, state, ix, iy, next);
            }
            if let Some(injection) = &shared.injection {
                injection.add_to(ix * shared.cur.n()[1] + iy, next);
            }
            if let Some(source) = shared.source {
                image_row(shared, tile, &mut task.sums, source.row(ix, iy), [ix, iy], next);
            }
        }
    }
}

/// Adds one row to the image's sums, if it is of the interior.
#[inline(always)]
fn image_row<T: Real, const H: usize>(
    shared: &Shared<'_, T, H>,
    tile: &Tile,
    sums: &mut [Option<Vec<&mut [T]>>; 3],
    source: &[T],
    [ix, iy]: [usize; 2],
    receivers: &[T],
) {
    let ([nx, ny, nz], layers) = (shared.cur.n(), shared.layers);
    if !(layers..nx - layers).contains(&ix) || !(layers..ny - layers).contains(&iy) {
        return;
    }
    let n = nz - 2 * layers;
    let row = iy - tile.y.start.max(layers);
    let (s, r) = (&source[layers..][..n], &receivers[layers..][..n]);
    for (sum, (a, b)) in sums.iter_mut().zip([(s, r), (s, s), (r, r)]) {
        if let Some(planes) = sum {
            accumulate(&mut planes[ix - tile.x.start][row * n..][..n], a, b);
        }
    }
}

/// `sum += a b`.
#[inline(always)]
pub(crate) fn accumulate<T: Real>(sum: &mut [T], a: &[T], b: &[T]) {
    for ((sum, a), b) in sum.iter_mut().zip(a).zip(b) {
        *sum += *a * *b;
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
    let nz = Volume::<T>::vectors(nz);
    for face in [Face::Left, Face::Right] {
        let first = if face.is_max() { nx - layers } else { 0 };
        if let (Some(f), true) = (&mut state.faces[face as usize], ix == first) {
            let profile = &shared.profiles[face as usize];
            for (row, psi) in f.psi.chunks_exact_mut(nz).enumerate() {
                let (l, iy) = (row / tile.y.len(), tile.y.start + row % tile.y.len());
                let cur = shared.around(0, first + l, iy, &(0..nz));
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
                let cur = shared.around(1, ix, first + l, &(0..nz));
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
    let nz = Volume::<T>::vectors(nz);
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
        let zeros = &shared.zeros[..nz];
        let mut psi_sides = Sides::<T, H> { minus: [zeros; H], plus: [zeros; H] };
        for k in 1..=H {
            if k <= l {
                psi_sides.minus[k - 1] = &psi[row_at(l - k)..][..nz];
            }
            if l + k < layers {
                psi_sides.plus[k - 1] = &psi[row_at(l + k)..][..nz];
            }
        }
        let profile = &shared.profiles[face as usize];
        let (a, b) = (profile.a[l], profile.b[l]);
        stencil::zeta(
            next,
            &mut zeta[row_at(l)..][..nz],
            shared.row(ix, iy, &all, 0),
            v,
            &shared.around(axis, ix, iy, &all),
            &psi_sides,
            (shared.weights, axis),
            |_| a,
            |_| b,
            |_| T::of(1.0),
        );
    }
    for (face, window) in [Face::Top, Face::Bottom].into_iter().zip(shared.windows) {
        let Some(FaceState { psi, zeta }) = &mut state.faces[face as usize] else { continue };
        let n = window.a.len();
        let at = (local_x * tile.y.len() + local_y) * n;
        let (psi, zeta) = (&mut psi[at..at + n], &mut zeta[at..at + n]);
        let (a, b, mask) = (&window.a[..n], &window.b[..n], &window.mask[..n]);
        let z = window.start..window.start + n;
        let cur_sides = shared.along(ix, iy, &z);
        let cur = shared.row(ix, iy, &z, 0);
        let first = &shared.weights.first[2];
        stencil::psi(psi, &cur_sides, first, |i| a[i], |i| b[i]);
        // psi with H zeros on both sides, in pieces that fit the stack.
        const PIECE: usize = 64;
        for start in (0..n).step_by(PIECE) {
            let len = PIECE.min(n - start);
            // The part of psi that lies within H points of the piece; zeros where the window ends.
            let (from, to) = (start.saturating_sub(H), (start + len + H).min(n));
            let mut padded = [T::ZERO; PIECE + 16];
            for (to, psi) in padded[from + H - start..to + H - start].iter_mut().zip(&psi[from..to])
            {
                *to = *psi;
            }
            let part = z.start + start..z.start + start + len;
            stencil::zeta(
                &mut next[part.clone()],
                &mut zeta[start..start + len],
                &cur[start..start + len],
                &v[part.clone()],
                &shared.along(ix, iy, &part),
                &Sides::along(&padded[..len + 2 * H], len),
                (shared.weights, 2),
                |i| a[start + i],
                |i| b[start + i],
                |i| mask[start + i],
            );
        }
    }
}
