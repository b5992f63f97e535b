//! One task of a time step: a tile of the x-y plane, marched along x with the stencil, the layers and nothing else in between,
//! so that each plane is read from memory once.

use std::ops::Range;

use multiversion::multiversion;

use super::cpml::{self, FaceState, Profile, TileState, Window};
use super::medium::MediumRows;
use super::stencil::{self, Across, Ahead, Along, Around, RowLayers, Sides, Weights};
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
    /// Words of psi and zeta for each face in this tile.
    pub fn face_words<T: Real>(&self, plan: &Plan) -> [[usize; 2]; 6] {
        let [nx, ny, nz] = plan.grid.n;
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
        let (row, half) = (Volume::<T>::blocks(nz), plan.order / 2);
        Face::ALL.map(|face| {
            let rows = [y, x, x * y][face.axis()];
            let words = cpml::face_words(face.axis(), rows, row, plan.layers, half);
            if touches(face) { words } else { [0; 2] }
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

/// Deals out the rows of an array that covers the points `x`, `y` (and `row` values for each, and `between` more behind each plane):
/// for each tile and each of its x, the rows of its y.
pub(crate) fn deal<'a, T>(
    tiles: &[Tile],
    mut values: &'a mut [T],
    row: usize,
    between: usize,
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
        if x.contains(&plane) {
            values = &mut std::mem::take(&mut values)[between..];
        }
    }
    dealt
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.max(b.start)..a.end.min(b.end)
}

impl<T: Real, const H: usize> Shared<'_, T, H> {
    /// Values of a row, whole blocks.
    #[inline(always)]
    fn width(&self) -> usize {
        Volume::<T>::blocks(self.cur.n()[2])
    }

    /// Row ix, iy of the current level and what lies around it.
    #[inline(always)]
    fn around(&self, ix: usize, iy: usize) -> Around<'_, T, H> {
        let steps = [self.cur.plane(), self.cur.stride(), 1];
        Around::new(self.cur.elements(), self.cur.row_range(ix, iy).start, steps, self.width())
    }
}

/// How far ahead of the row at work memory is asked for.
const AHEAD_BYTES: usize = 2048;

/// Runs a task.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw", "x86_64+avx2"))]
pub(crate) fn run<T: Real, const H: usize>(shared: &Shared<'_, T, H>, task: &mut Task<'_, T>) {
    let (tile, stride) = (task.tile, shared.cur.stride());
    let xs = overlap(&tile.x, &shared.region[0]);
    let ys = overlap(&tile.y, &shared.region[1]);
    let width = shared.width();
    let mut scratch = Vec::new();
    for ix in xs {
        if let Some(state) = &mut task.state {
            update_psi(shared, tile, state, ix);
        }
        for iy in ys.clone() {
            let ahead = look_ahead(shared, task, &ys, ix, iy);
            let rows = &mut task.next[ix - tile.x.start];
            let next = &mut rows[(iy - tile.y.start) * stride..][..width];
            if let Some(prev) = shared.prev {
                next[..prev.n()[2]].copy_from_slice(prev.row(ix, iy));
            }
            let state = task.state.as_mut();
            let layers = state.map(|state| row_layers(shared, tile, state, ix, iy));
            stencil::update(
                next,
                shared.medium.row(ix, iy, &mut scratch),
                &shared.around(ix, iy),
                shared.weights,
                layers,
                &ahead,
            );
            if let Some(injection) = &shared.injection {
                injection.add_to(ix * shared.cur.n()[1] + iy, next);
            }
            if let Some(source) = shared.source {
                image_row(shared, tile, &mut task.sums, source.row(ix, iy), [ix, iy], next);
            }
        }
    }
}

/// What the row a little further on in the march will need of memory that this tile has not touched in this step.
#[inline(always)]
fn look_ahead<T: Real, const H: usize>(
    shared: &Shared<'_, T, H>,
    task: &Task<'_, T>,
    ys: &Range<usize>,
    ix: usize,
    iy: usize,
) -> Ahead<T> {
    let ([nx, ny, nz], stride) = (shared.cur.n(), shared.cur.stride());
    let mut ahead = Ahead::new();
    let rows = (AHEAD_BYTES / (stride * T::BYTES)).clamp(1, ys.len());
    let (ix, iy) =
        if iy + rows < ys.end { (ix, iy + rows) } else { (ix + 1, iy + rows - ys.len()) };
    if ix >= task.tile.x.end {
        return ahead;
    }
    ahead.push(shared.cur.elements(), shared.cur.row_range((ix + H).min(nx - 1), iy).start);
    let local = [ix - task.tile.x.start, iy - task.tile.y.start];
    ahead.push(task.next[local[0]], local[1] * stride);
    ahead.push(shared.medium.model.row(ix, iy), 0);
    if let Some(prev) = shared.prev {
        ahead.push(prev.elements(), prev.row_range(ix, iy).start);
    }
    let inner = |i: usize, n: usize| (shared.layers..n - shared.layers).contains(&i);
    if let Some(source) = shared.source
        && inner(ix, nx)
        && inner(iy, ny)
    {
        ahead.push(source.elements(), source.row_range(ix, iy).start);
        let row = iy - task.tile.y.start.max(shared.layers);
        for planes in task.sums.iter().flatten() {
            ahead.push(planes[local[0]], row * (nz - 2 * shared.layers));
        }
    }
    ahead
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

/// psi of the y and z faces at plane ix, and of a whole x face when its first plane is reached.
#[inline(always)]
fn update_psi<T: Real, const H: usize>(
    shared: &Shared<'_, T, H>,
    tile: &Tile,
    state: &mut TileState<T>,
    ix: usize,
) {
    let ([nx, ny, _], layers, width) = (shared.cur.n(), shared.layers, shared.width());
    let (first, rows) = (&shared.weights.first, tile.y.len());
    for face in Face::ALL {
        let Some(FaceState { psi, .. }) = &mut state.faces[face as usize] else { continue };
        let profile = &shared.profiles[face as usize];
        match face {
            Face::Left | Face::Right => {
                let start = if face.is_max() { nx - layers } else { 0 };
                if ix != start {
                    continue;
                }
                for (row, psi) in psi.chunks_exact_mut(width).enumerate() {
                    let (l, iy) = (row / rows, tile.y.start + row % rows);
                    let cur = shared.around(start + l, iy);
                    stencil::psi_across::<T, H, 0>(psi, &cur, first, profile.a[l], profile.b[l]);
                }
            }
            Face::Back | Face::Front => {
                let start = if face.is_max() { ny - layers } else { 0 };
                let plane = (ix - tile.x.start) * layers * width;
                let psi = &mut psi[plane..plane + layers * width];
                for (l, psi) in psi.chunks_exact_mut(width).enumerate() {
                    let cur = shared.around(ix, start + l);
                    stencil::psi_across::<T, H, 1>(psi, &cur, first, profile.a[l], profile.b[l]);
                }
            }
            Face::Top | Face::Bottom => {
                let window = &shared.windows[usize::from(face.is_max())];
                for iy in tile.y.clone() {
                    let row = (ix - tile.x.start) * rows + iy - tile.y.start;
                    let psi = (&mut psi[..], window.psi_at(row, H));
                    stencil::psi_along(psi, &shared.around(ix, iy), first, window);
                }
            }
        }
    }
}

/// The layers of row ix, iy.
#[inline(always)]
fn row_layers<'a, T: Real, const H: usize>(
    shared: &'a Shared<'_, T, H>,
    tile: &Tile,
    state: &'a mut TileState<T>,
    ix: usize,
    iy: usize,
) -> RowLayers<'a, T, H> {
    let ([nx, ny, _], layers, width) = (shared.cur.n(), shared.layers, shared.width());
    let (local_x, local_y) = (ix - tile.x.start, iy - tile.y.start);
    let mut row = RowLayers { across: [None, None], along: [None, None] };
    for (face, state) in Face::ALL.into_iter().zip(&mut state.faces) {
        let Some(FaceState { psi, zeta }) = state else { continue };
        if face.axis() == 2 {
            let (end, at) = (usize::from(face.is_max()), local_x * tile.y.len() + local_y);
            let window = &shared.windows[end];
            row.along[end] = Some(Along {
                window,
                psi: (psi, window.psi_at(at, H)),
                zeta: (zeta, window.zeta_at(at)),
            });
            continue;
        }
        let (i, n) = if face.axis() == 0 { (ix, nx) } else { (iy, ny) };
        let Some(l) = layer_of(face, i, n, layers) else { continue };
        let (first, step) =
            if face.axis() == 0 { (local_y, tile.y.len()) } else { (local_x * layers, 1) };
        let at = |l: usize| (first + l * step) * width;
        let psi = Sides::new(width, |k| match l.checked_add_signed(k).filter(|l| *l < layers) {
            Some(l) => &psi[at(l)..][..width],
            None => &shared.zeros[..width],
        });
        let profile = &shared.profiles[face as usize];
        let zeta = &mut zeta[at(l)..][..width];
        row.across[face.axis()] = Some(Across { a: profile.a[l], b: profile.b[l], psi, zeta });
    }
    row
}
