//! One task of a time step: a tile of the x-y plane, marched along x with the stencil, the layers
//! and nothing else in between, so that each plane is read from memory once.

use std::ops::Range;

use multiversion::{multiversion, target::match_target};

use super::cpml::{self, FaceState, Profile, TileState, Window};
use super::medium::MediumRows;
use super::stencil::{self, Across, Ahead, Along, Around, Block, Half, Known, Sides, Weights};
use crate::Volume;
use crate::plan::{Face, Plan};
use crate::real::{BLOCK, Lanes, Real};

/// A tile: all z of these x and y.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tile {
    pub x: Range<usize>,
    pub y: Range<usize>,
}

/// Cuts `0 .. n` into parts of about `size`; none ends within the first or last `layers` points, so
/// that a layer belongs to one part as a whole.
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
            plan.absorbs(face)
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
pub(crate) struct Shared<'a, T> {
    pub cur: &'a Volume<T>,
    /// The level before, unless it lies in `next` already.
    pub prev: Option<&'a Volume<T>>,
    pub medium: MediumRows<'a, T>,
    pub profiles: &'a [Profile<T>; 6],
    /// Those of the z faces along rows.
    pub windows: &'a [Window<T>; 2],
    pub weights: &'a Weights<T>,
    /// A row of zeros, for those beyond the faces.
    pub zeros: &'a [T],
    pub layers: usize,
    /// Points of layers before the interior, along each axis.
    pub insets: [usize; 3],
    /// Whether the first points along z are a free surface.
    pub free_surface: bool,
    /// How many rows ahead of the one at work memory is asked for.
    pub rows_ahead: usize,
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
    /// For each x of the tile: its rows of `sum p_s p_r`, `sum p_s^2`, `sum p_r^2`, where they are
    /// wanted; interior rows only.
    pub sums: [Option<Vec<&'a mut [T]>>; 3],
    pub state: Option<&'a mut TileState<T>>,
}

/// Deals out the rows of an array that covers the points `x`, `y` (and `row` values for each, and
/// `between` more behind each plane): for each tile and each of its x, the rows of its y.
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

impl<T: Real> Shared<'_, T> {
    /// Values of a row, whole blocks.
    #[inline(always)]
    fn width(&self) -> usize {
        Volume::<T>::blocks(self.cur.n()[2])
    }

    /// Row ix, iy of the current level in `planes` planes from ix on, and what lies around it.
    #[inline(always)]
    fn around<L: Lanes<Value = T>, H: Half>(
        &self,
        half: H,
        ix: usize,
        iy: usize,
        planes: usize,
    ) -> Around<'_, L, H> {
        let (cur, steps) = (self.cur, [self.cur.plane(), self.cur.stride(), 1]);
        Around::new(half, cur.elements(), cur.row_range(ix, iy).start, steps, self.width(), planes)
    }
}

/// How far ahead of the row at work memory is asked for.
pub(crate) const AHEAD_BYTES: usize = 2048;

/// Planes of x that are computed together.
const PLANES: usize = 2;

/// Runs a task. The crate's own tests run the code for any processor and any order, which takes
/// little time to compile; all other programs and tests that for this processor. All give the same
/// bits.
pub(crate) fn run<T: Real>(shared: &Shared<'_, T>, task: &mut Task<'_, T>) {
    // Only the one that is taken is compiled.
    if cfg!(test) {
        any_order(shared, shared.weights.half, task);
    } else if const { T::BYTES == 4 } {
        single(shared, task);
    } else {
        // No production run is in double precision: one code for all orders.
        of_order(shared, shared.weights.half, task);
    }
}

fn single<T: Real>(shared: &Shared<'_, T>, task: &mut Task<'_, T>) {
    match shared.weights.half {
        1 => of_order(shared, Known::<1>, task),
        2 => of_order(shared, Known::<2>, task),
        3 => of_order(shared, Known::<3>, task),
        4 => of_order(shared, Known::<4>, task),
        5 => of_order(shared, Known::<5>, task),
        6 => of_order(shared, Known::<6>, task),
        7 => of_order(shared, Known::<7>, task),
        _ => of_order(shared, Known::<8>, task),
    }
}

/// A code for each order, but not for the processors of x86_64 that are older than AVX2 (2013).
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw", "x86_64+avx2"))]
fn of_order<T: Real, H: Half>(shared: &Shared<'_, T>, half: H, task: &mut Task<'_, T>) {
    match_target! {
        "x86_64+avx512f" => march::<T::Avx512, H>(shared, half, task),
        "x86_64+avx2" => march::<T::Avx2, H>(shared, half, task),
        "x86_64" => any_order(shared, half.get(), task),
        _ => march::<T::Plain, H>(shared, half, task),
    }
}

#[inline(never)]
fn any_order<T: Real>(shared: &Shared<'_, T>, half: usize, task: &mut Task<'_, T>) {
    march::<T::Plain, usize>(shared, half, task);
}

#[inline(always)]
fn march<L: Lanes, H: Half>(shared: &Shared<'_, L::Value>, half: H, task: &mut Task<'_, L::Value>) {
    assert_eq!(half.get(), shared.weights.half);
    let xs = overlap(&task.tile.x, &shared.region[0]);
    let ys = overlap(&task.tile.y, &shared.region[1]);
    let mut scratch = [const { Vec::new() }; PLANES];
    let mut d2: [SecondAlong<L::Value>; PLANES] = std::array::from_fn(|_| {
        shared.windows.each_ref().map(|w| vec![[L::Value::ZERO; BLOCK]; w.a.len()])
    });
    for ix in xs.clone().step_by(PLANES) {
        let planes = PLANES.min(xs.end - ix);
        if let Some(state) = &mut task.state {
            for r in 0..planes {
                update_psi::<L, H>(shared, half, task.tile, state, ix + r);
            }
        }
        for iy in ys.clone() {
            // Well before it is read again: a processor waits for what it has just written in
            // parts.
            if let Some(state) = &mut task.state {
                for (r, d2) in d2.iter_mut().enumerate().take(planes) {
                    let at = [ix + r, iy];
                    update_psi_along::<L, H>(shared, half, task.tile, state, d2, at);
                }
            }
            update_row::<L, H>(shared, half, task, &ys, [ix, iy], planes, &mut scratch);
            for (r, d2) in d2.iter().enumerate().take(planes) {
                let at = [ix + r, iy];
                finish_row::<L, H>(shared, half, task, &ys, at, d2, &mut scratch[0]);
            }
        }
    }
}

/// The place of the row a little further on in the march, `planes` at a time; at the end of the
/// tile, the row itself.
#[inline(always)]
fn look_ahead<T: Real>(
    shared: &Shared<'_, T>,
    tile: &Tile,
    ys: &Range<usize>,
    [ix, iy]: [usize; 2],
    planes: usize,
) -> [usize; 2] {
    let rows = shared.rows_ahead.clamp(1, ys.len());
    if iy + rows < ys.end {
        [ix, iy + rows]
    } else if ix + planes < tile.x.end {
        [ix + planes, iy + rows - ys.len()]
    } else {
        [ix, iy]
    }
}

/// The second difference along z of a row in the windows of both z faces.
type SecondAlong<T> = [Vec<Block<T>>; 2];

/// psi of the z faces in row ix, iy, and the second difference there.
#[inline(always)]
fn update_psi_along<L: Lanes, H: Half>(
    shared: &Shared<'_, L::Value>,
    half: H,
    tile: &Tile,
    state: &mut TileState<L::Value>,
    d2: &mut SecondAlong<L::Value>,
    [ix, iy]: [usize; 2],
) {
    let row = (ix - tile.x.start) * tile.y.len() + iy - tile.y.start;
    let cur = shared.around::<L, H>(half, ix, iy, 1);
    for ((window, face), d2) in shared.windows.iter().zip(&mut state.faces[4..]).zip(d2) {
        if let Some(FaceState { psi, .. }) = face {
            let psi = (&mut psi[..], window.psi_at(row, half.get()));
            let cur = cur.part(window.start, window.len());
            stencil::psi_along(psi, d2, &cur, shared.weights, window);
        }
    }
}

/// The new level without the layers' terms: row iy of `planes` planes from ix on.
#[inline(always)]
fn update_row<L: Lanes, H: Half>(
    shared: &Shared<'_, L::Value>,
    half: H,
    task: &mut Task<'_, L::Value>,
    ys: &Range<usize>,
    at: [usize; 2],
    planes: usize,
    scratch: &mut [Vec<L::Value>; PLANES],
) {
    let tile = task.tile;
    let ([ix, iy], width, stride) = (at, shared.width(), shared.cur.stride());
    let start = [tile.x.start, tile.y.start];
    let [ahead_x, ahead_y] = look_ahead(shared, tile, ys, at, planes);
    if let Some(prev) = shared.prev {
        for r in 0..planes {
            let next = &mut task.next[ix + r - start[0]][(iy - start[1]) * stride..];
            let ahead = prev.row_range((ahead_x + r).min(prev.n()[0] - 1), ahead_y).start;
            let ahead = Ahead::new([(prev.elements(), ahead)]);
            stencil::copy(&mut next[..prev.n()[2]], prev.row(ix + r, iy), &ahead);
        }
    }
    let around = shared.around::<L, H>(half, ix, iy, planes);
    let local = ix - start[0];
    let [scratch, scratch_behind] = scratch;
    let v = shared.medium.row(ix, iy, scratch);
    if planes == PLANES {
        let ahead = [0, 1].map(|r| ahead_of(shared, half, task, [ahead_x + r, ahead_y]));
        let v_behind = shared.medium.row(ix + 1, iy, scratch_behind);
        let (next, behind) = task.next.split_at_mut(local + 1);
        let next = [&mut *next[local], &mut *behind[0]]
            .map(|plane| &mut plane[(iy - start[1]) * stride..][..width]);
        stencil::update(next, [v, v_behind], &around, shared.weights, &ahead);
    } else {
        let ahead = [ahead_of(shared, half, task, [ahead_x, ahead_y])];
        let next = &mut task.next[local][(iy - start[1]) * stride..][..width];
        stencil::update([next], [v], &around, shared.weights, &ahead);
    }
}

/// What the update of row ix, iy reads that no row before it has read; the tile's last planes stand
/// for those behind it.
#[inline(always)]
fn ahead_of<T: Real, H: Half>(
    shared: &Shared<'_, T>,
    half: H,
    task: &Task<'_, T>,
    [ix, iy]: [usize; 2],
) -> Ahead<T, 3> {
    let (cur, tile) = (shared.cur, task.tile);
    let x = ix.min(tile.x.end - 1);
    Ahead::new([
        (cur.elements(), cur.row_range((ix + half.get()).min(cur.n()[0] - 1), iy).start),
        (&*task.next[x - tile.x.start], (iy - tile.y.start) * cur.stride()),
        (shared.medium.model.row(x, iy), 0),
    ])
}

/// What the layers, the samples and the image do to, or with, row ix, iy of the new level.
#[inline(always)]
fn finish_row<L: Lanes, H: Half>(
    shared: &Shared<'_, L::Value>,
    half: H,
    task: &mut Task<'_, L::Value>,
    ys: &Range<usize>,
    at: [usize; 2],
    d2: &SecondAlong<L::Value>,
    scratch: &mut Vec<L::Value>,
) {
    let ([ix, iy], tile) = (at, task.tile);
    let first = (iy - tile.y.start) * shared.cur.stride();
    let next = &mut task.next[ix - tile.x.start][first..][..shared.width()];
    if let Some(state) = &mut task.state {
        let v = shared.medium.row(ix, iy, scratch);
        add_layers::<L, H>(shared, half, tile, state, at, (next, v), d2);
    }
    if shared.free_surface {
        let (cur, v) = (shared.cur.row(ix, iy), shared.medium.row(ix, iy, scratch));
        mirror(next, cur, v, &shared.weights.second[2][..half.get()]);
    }
    if let Some(injection) = &shared.injection {
        injection.add_to(ix * shared.cur.n()[1] + iy, next);
    }
    if let Some(source) = shared.source {
        let ahead = look_ahead(shared, tile, ys, at, PLANES);
        image_row::<L>(shared, tile, &mut task.sums, source, at, ahead, next);
    }
}

/// The free surface in the plane of a row's first point: the field is 0 there, and beyond it
/// `-p(-z)`, where the step has taken zeros; what that adds to the differences of the first points.
/// `w` are the weights of the second difference at distances 1, 2, ...
#[inline(always)]
fn mirror<T: Real>(next: &mut [T], cur: &[T], v: &[T], w: &[T]) {
    next[0] = T::ZERO;
    for z in 1..w.len() {
        let mut sum = w[z] * cur[1];
        for l in z + 2..=w.len() {
            sum += w[l - 1] * cur[l - z];
        }
        next[z] = (next[z] - v[z] * sum).flushed();
    }
}

/// Adds one row to the image's sums, if it is of the interior.
#[inline(always)]
fn image_row<L: Lanes>(
    shared: &Shared<'_, L::Value>,
    tile: &Tile,
    sums: &mut [Option<Vec<&mut [L::Value]>>; 3],
    source: &Volume<L::Value>,
    [ix, iy]: [usize; 2],
    [ahead_x, ahead_y]: [usize; 2],
    receivers: &[L::Value],
) {
    let ([nx, ny, nz], [x, y, z]) = (shared.cur.n(), shared.insets);
    if !(x..nx - x).contains(&ix) || !(y..ny - y).contains(&iy) {
        return;
    }
    let n = nz - 2 * z;
    let first_y = tile.y.start.max(y);
    let (s, r) = (&source.row(ix, iy)[z..][..n], &receivers[z..][..n]);
    let source_ahead = (source.elements(), source.row_range(ahead_x, ahead_y).start);
    for (sum, (a, b)) in sums.iter_mut().zip([(s, r), (s, s), (r, r)]) {
        if let Some(planes) = sum {
            let place = |x: usize, y: usize| (x - tile.x.start, y.saturating_sub(first_y) * n);
            let (plane, at) = place(ahead_x, ahead_y);
            let ahead = Ahead::new([source_ahead, (&*planes[plane], at)]);
            let (plane, at) = place(ix, iy);
            stencil::accumulate::<L, 2>(&mut planes[plane][at..][..n], a, b, &ahead);
        }
    }
}

/// Which layer of an x or y face index i lies in.
fn layer_of(face: Face, i: usize, n: usize, layers: usize) -> Option<usize> {
    if face.is_max() { (i + layers).checked_sub(n) } else { (i < layers).then_some(i) }
}

/// psi of the y faces at plane ix, and of the x faces as far as zeta of plane ix will need it.
#[inline(always)]
fn update_psi<L: Lanes, H: Half>(
    shared: &Shared<'_, L::Value>,
    half: H,
    tile: &Tile,
    state: &mut TileState<L::Value>,
    ix: usize,
) {
    let ([nx, ny, _], layers, width) = (shared.cur.n(), shared.layers, shared.width());
    let (w, rows) = (shared.weights, tile.y.len());
    for face in &Face::ALL[..4] {
        let Some(FaceState { psi, .. }) = &mut state.faces[*face as usize] else { continue };
        let profile = &shared.profiles[*face as usize];
        if face.axis() == 0 {
            let start = if face.is_max() { nx - layers } else { 0 };
            let Some(l) = ix.checked_sub(start).filter(|l| *l < layers) else { continue };
            let reach = l + half.get();
            let new = if l == 0 { 0 } else { reach }..(reach + 1).min(layers);
            for l in new {
                let psi = &mut psi[l * rows * width..][..rows * width];
                for (row, psi) in psi.chunks_exact_mut(width).enumerate() {
                    let cur = shared.around::<L, H>(half, start + l, tile.y.start + row, 1);
                    stencil::psi_across::<L, H, 0>(psi, &cur, w, profile.a[l], profile.b[l]);
                }
            }
        } else {
            let start = if face.is_max() { ny - layers } else { 0 };
            let plane = (ix - tile.x.start) * layers * width;
            let psi = &mut psi[plane..plane + layers * width];
            for (l, psi) in psi.chunks_exact_mut(width).enumerate() {
                let cur = shared.around::<L, H>(half, ix, start + l, 1);
                stencil::psi_across::<L, H, 1>(psi, &cur, w, profile.a[l], profile.b[l]);
            }
        }
    }
}

/// Adds the layers' terms to row ix, iy of the new level; v is the same row of `v^2 dt^2`.
#[inline(always)]
fn add_layers<L: Lanes, H: Half>(
    shared: &Shared<'_, L::Value>,
    half: H,
    tile: &Tile,
    state: &mut TileState<L::Value>,
    [ix, iy]: [usize; 2],
    (next, v): (&mut [L::Value], &[L::Value]),
    d2: &SecondAlong<L::Value>,
) {
    let ([nx, ny, _], layers, width) = (shared.cur.n(), shared.layers, shared.width());
    let (local_x, local_y) = (ix - tile.x.start, iy - tile.y.start);
    let (cur, w) = (shared.around::<L, H>(half, ix, iy, 1), shared.weights);
    for (face, state) in Face::ALL.into_iter().zip(&mut state.faces) {
        let Some(FaceState { psi, zeta }) = state else { continue };
        if face.axis() == 2 {
            let end = usize::from(face.is_max());
            let (window, row) = (&shared.windows[end], local_x * tile.y.len() + local_y);
            let psi = (&psi[..], window.psi_at(row, half.get()));
            let zeta = (&mut zeta[..], window.zeta_at(row));
            let layer = Along { window, d2: &d2[end], psi, zeta };
            let (next, v) = (&mut next[window.start..], &v[window.start..]);
            stencil::add_along::<L, H>(half, next, v, w, layer);
            continue;
        }
        let (i, n) = if face.axis() == 0 { (ix, nx) } else { (iy, ny) };
        let Some(l) = layer_of(face, i, n, layers) else { continue };
        let (first, step) =
            if face.axis() == 0 { (local_y, tile.y.len()) } else { (local_x * layers, 1) };
        let at = |l: usize| (first + l * step) * width;
        let psi = Sides::<L, H>::new(half, width, |k| {
            match l.checked_add_signed(k).filter(|l| *l < layers) {
                Some(l) => &psi[at(l)..][..width],
                None => &shared.zeros[..width],
            }
        });
        let profile = &shared.profiles[face as usize];
        let layer =
            Across { a: profile.a[l], b: profile.b[l], psi, zeta: &mut zeta[at(l)..][..width] };
        if face.axis() == 0 {
            stencil::add_across::<L, H, 0>(next, v, &cur, w, layer);
        } else {
            stencil::add_across::<L, H, 1>(next, v, &cur, w, layer);
        }
    }
}
