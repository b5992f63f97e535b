//! One task of a time step: a tile of the x-y plane, marched along x with the stencil, the layers
//! and nothing else in between, so that each plane is read from memory once.

use std::ops::Range;

use multiversion::{multiversion, target::match_target};

use super::cpml::{self, FaceState, Profile, TileState, Window};
use super::medium::MediumRows;
use super::stencil::{self, Ahead, Around, Block, Half, Known, LayerRow, Weights};
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
    /// The number of a row among those of the tile.
    fn row(&self, ix: usize, iy: usize) -> usize {
        (ix - self.x.start) * self.y.len() + iy - self.y.start
    }

    /// Words of psi, and of zeta, for each face in this tile.
    pub fn face_words<T: Real>(&self, plan: &Plan) -> [usize; 6] {
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
        let row = Volume::<T>::blocks(nz);
        Face::ALL.map(|face| {
            let rows = [y, x, x * y][face.axis()];
            let words = cpml::face_words(face.axis(), rows, row, plan.layers);
            if touches(face) { words } else { 0 }
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
    /// What a test computes with.
    #[cfg(test)]
    pub registers: Registers,
}

/// Kinds of registers, for the crate's own tests.
#[cfg(test)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Registers {
    #[default]
    Plain,
    Avx2,
    Avx512,
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
    pub state: Option<TileState<'a, T>>,
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

    /// Row ix, iy of the current level, and what lies around it.
    #[inline(always)]
    fn around<L: Lanes<Value = T>, H: Half>(
        &self,
        half: H,
        ix: usize,
        iy: usize,
    ) -> Around<'_, L, H> {
        let (cur, steps) = (self.cur, [self.cur.plane(), self.cur.stride()]);
        Around::new(half, cur.elements(), cur.row_range(ix, iy).start, steps, self.width())
    }
}

/// How far ahead of the row at work memory is asked for.
pub(crate) const AHEAD_BYTES: usize = 2048;

/// Planes of x that are computed together, row by row: of the nine planes that each reads, eight
/// are the same.
const PLANES: usize = 2;

/// Rows of the layer of an x face that are computed together: what its planes read stays in a
/// core's cache until the layer's terms are added.
const LAYER_ROWS: usize = 12;

/// Runs a task. The crate's own tests run the code for any order, with the registers that they
/// name; it takes little time to compile. All other programs and tests run that for this processor.
/// All give the same bits.
pub(crate) fn run<T: Real>(shared: &Shared<'_, T>, task: &mut Task<'_, T>) {
    #[cfg(test)]
    match shared.registers {
        Registers::Plain => {}
        // SAFETY: the test has asked the processor.
        Registers::Avx2 => return unsafe { any_order_avx2(shared, task) },
        // SAFETY: as above.
        Registers::Avx512 => return unsafe { any_order_avx512(shared, task) },
    }
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

#[cfg(test)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
unsafe fn any_order_avx2<T: Real>(shared: &Shared<'_, T>, task: &mut Task<'_, T>) {
    march::<T::Avx2, usize>(shared, shared.weights.half, task);
}

#[cfg(test)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw"))]
unsafe fn any_order_avx512<T: Real>(shared: &Shared<'_, T>, task: &mut Task<'_, T>) {
    march::<T::Avx512, usize>(shared, shared.weights.half, task);
}

#[inline(never)]
fn any_order<T: Real>(shared: &Shared<'_, T>, half: usize, task: &mut Task<'_, T>) {
    march::<T::Plain, usize>(shared, half, task);
}

/// Planes, or rows, of a tile that are computed together.
#[derive(Clone)]
struct Part {
    range: Range<usize>,
    /// The face of whose layer they are.
    layer: Option<Face>,
}

/// The layers across `axis` of a tile: of the first face and of the last, where they absorb and the
/// tile touches them.
#[inline(always)]
fn layers_across<T: Real>(
    shared: &Shared<'_, T>,
    task: &Task<'_, T>,
    axis: usize,
) -> [Option<Part>; 2] {
    let (n, layers) = (shared.cur.n()[axis], shared.layers);
    [Face::ALL[2 * axis], Face::ALL[2 * axis + 1]].map(|face| {
        task.state.as_ref()?.faces[face as usize].as_ref()?;
        let range = if face.is_max() { n - layers..n } else { 0..layers };
        Some(Part { range, layer: Some(face) })
    })
}

/// The part that begins at `start` of the planes or rows `all` of a tile: one of its layers as a
/// whole, else `size` of them.
#[inline(always)]
fn part(start: usize, all: &Range<usize>, layers: &[Option<Part>; 2], size: usize) -> Part {
    if let Some(layer) = layers.iter().flatten().find(|layer| layer.range.start == start) {
        return layer.clone();
    }
    let end = layers[1].as_ref().map_or(all.end, |last| last.range.start.min(all.end));
    Part { range: start..end.min(start + size), layer: None }
}

/// Room for what a task needs for a moment.
struct Room<T> {
    /// A row of the medium.
    row: Vec<T>,
    /// psi across the layer of an x or y face.
    column: Vec<Block<T>>,
}

#[inline(always)]
fn march<L: Lanes, H: Half>(shared: &Shared<'_, L::Value>, half: H, task: &mut Task<'_, L::Value>) {
    assert_eq!(half.get(), shared.weights.half);
    let zero = [L::Value::ZERO; BLOCK];
    let mut room = Room { row: Vec::new(), column: vec![zero; shared.layers + 2 * half.get()] };
    let xs = overlap(&task.tile.x, &shared.region[0]);
    let ys = overlap(&task.tile.y, &shared.region[1]);
    let layers = [0, 1].map(|axis| layers_across(shared, task, axis));
    let mut at_x = xs.start;
    while at_x < xs.end {
        let x = part(at_x, &xs, &layers[0], PLANES);
        let rows = if x.layer.is_some() { LAYER_ROWS } else { 1 };
        let mut at_y = ys.start;
        while at_y < ys.end {
            let y = part(at_y, &ys, &layers[1], rows);
            update_rows::<L, H>(shared, half, task, [&x.range, &y.range], &ys, &mut room);
            if let Some(face) = x.layer {
                for iy in y.range.clone() {
                    let first = [x.range.start, iy];
                    add_across::<L, H, 0>(shared, half, task, face, first, &mut room);
                }
            }
            if let Some(face) = y.layer {
                for ix in x.range.clone() {
                    let first = [ix, y.range.start];
                    add_across::<L, H, 1>(shared, half, task, face, first, &mut room);
                }
            }
            for iy in y.range.clone() {
                for ix in x.range.clone() {
                    let ahead = look_ahead(shared, task.tile, [&x.range, &y.range], &ys, [ix, iy]);
                    finish_row::<L, H>(shared, half, task, [ix, iy], ahead, &mut room);
                }
            }
            at_y = y.range.end;
        }
        at_x = x.range.end;
    }
}

/// The place of the row a little further on in the march, when `x` and `y` are computed together
/// and `ys` are the tile's rows; at the end of the tile, the row itself.
#[inline(always)]
fn look_ahead<T: Real>(
    shared: &Shared<'_, T>,
    tile: &Tile,
    [x, y]: [&Range<usize>; 2],
    ys: &Range<usize>,
    [ix, iy]: [usize; 2],
) -> [usize; 2] {
    let rows = shared.rows_ahead.clamp(1, ys.len());
    let (to, plane) = (iy + rows, (ix - x.start) % PLANES);
    if to < y.end {
        [ix, to]
    } else if ix + PLANES < x.end {
        [ix + PLANES, (y.start + to - y.end).min(y.end - 1)]
    } else if to < ys.end {
        [x.start + plane, to]
    } else if x.end + plane < tile.x.end {
        [x.end + plane, to - ys.len()]
    } else {
        [ix, iy]
    }
}

/// The new level without the layers' terms.
#[inline(always)]
fn update_rows<L: Lanes, H: Half>(
    shared: &Shared<'_, L::Value>,
    half: H,
    task: &mut Task<'_, L::Value>,
    [x, y]: [&Range<usize>; 2],
    ys: &Range<usize>,
    room: &mut Room<L::Value>,
) {
    for first in x.clone().step_by(PLANES) {
        for iy in y.clone() {
            for ix in first..x.end.min(first + PLANES) {
                let ahead = look_ahead(shared, task.tile, [x, y], ys, [ix, iy]);
                update_row::<L, H>(shared, half, task, [ix, iy], ahead, room);
            }
        }
    }
}

/// Row ix, iy of it.
#[inline(always)]
fn update_row<L: Lanes, H: Half>(
    shared: &Shared<'_, L::Value>,
    half: H,
    task: &mut Task<'_, L::Value>,
    [ix, iy]: [usize; 2],
    ahead: [usize; 2],
    room: &mut Room<L::Value>,
) {
    let tile = task.tile;
    if let Some(state) = &mut task.state {
        update_psi_along::<L, H>(shared, half, tile, state, [ix, iy]);
    }
    let first = (iy - tile.y.start) * shared.cur.stride();
    let asked = ahead_of(shared, half, task, ahead);
    let next = &mut task.next[ix - tile.x.start][first..][..shared.width()];
    if let Some(prev) = shared.prev {
        let ahead = prev.row_range(ahead[0], ahead[1]).start;
        let ahead = Ahead::new([(prev.elements(), ahead)]);
        stencil::copy(&mut next[..prev.n()[2]], prev.row(ix, iy), &ahead);
    }
    let v = shared.medium.row(ix, iy, &mut room.row);
    stencil::update(next, v, &shared.around::<L, H>(half, ix, iy), shared.weights, &asked);
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

/// What the layers of the z faces, the samples and the image do to, or with, row ix, iy of the new
/// level.
#[inline(always)]
fn finish_row<L: Lanes, H: Half>(
    shared: &Shared<'_, L::Value>,
    half: H,
    task: &mut Task<'_, L::Value>,
    at: [usize; 2],
    ahead: [usize; 2],
    room: &mut Room<L::Value>,
) {
    let ([ix, iy], tile) = (at, task.tile);
    let first = (iy - tile.y.start) * shared.cur.stride();
    let next = &mut task.next[ix - tile.x.start][first..][..shared.width()];
    if let Some(state) = &mut task.state {
        add_along::<L, H>(shared, half, tile, state, at, next);
    }
    if shared.free_surface {
        let (cur, v) = (shared.cur.row(ix, iy), shared.medium.row(ix, iy, &mut room.row));
        mirror(next, cur, v, &shared.weights.axes[2].second[..half.get()]);
    }
    if let Some(injection) = &shared.injection {
        injection.add_to(ix * shared.cur.n()[1] + iy, next);
    }
    if let Some(source) = shared.source {
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

/// Adds the terms of the layer of an x or y face, across `AXIS`, to its rows from `first` on.
#[inline(always)]
fn add_across<L: Lanes, H: Half, const AXIS: usize>(
    shared: &Shared<'_, L::Value>,
    half: H,
    task: &mut Task<'_, L::Value>,
    face: Face,
    [ix, iy]: [usize; 2],
    room: &mut Room<L::Value>,
) {
    let (tile, stride, width) = (task.tile, shared.cur.stride(), shared.width());
    let (x, y) = (ix - tile.x.start, iy - tile.y.start);
    let Some(state) = &mut task.state else { return };
    let Some(FaceState { psi, zeta }) = &mut state.faces[face as usize] else { return };
    let profile = &shared.profiles[face as usize];
    let mut rows = Vec::with_capacity(shared.layers);
    let mut add = |ix, iy, next| {
        let l = rows.len();
        let (cur, v) = (shared.around::<L, H>(half, ix, iy), shared.medium.model.row(ix, iy));
        rows.push(LayerRow { cur, next, v, a: profile.a[l], b: profile.b[l] });
    };
    if AXIS == 0 {
        for (l, plane) in task.next[x..][..shared.layers].iter_mut().enumerate() {
            add(ix + l, iy, &mut plane[y * stride..][..width]);
        }
    } else {
        let plane = task.next[x][y * stride..].chunks_mut(stride).take(shared.layers);
        for (l, row) in plane.enumerate() {
            add(ix, iy + l, &mut row[..width]);
        }
    }
    let words = shared.layers * width;
    let at = [y, x][AXIS] * words;
    let state = (&mut psi[at..][..words], &mut zeta[at..][..words]);
    stencil::across::<L, H, AXIS>(half, &mut rows, state, &mut room.column, shared.weights);
}

/// psi of the z faces' layers in row ix, iy. Well before it is read again: a processor waits for
/// what it has just written in parts.
#[inline(always)]
fn update_psi_along<L: Lanes, H: Half>(
    shared: &Shared<'_, L::Value>,
    half: H,
    tile: &Tile,
    state: &mut TileState<'_, L::Value>,
    [ix, iy]: [usize; 2],
) {
    let (cur, row) = (shared.around::<L, H>(half, ix, iy), tile.row(ix, iy));
    for (window, face) in shared.windows.iter().zip(&mut state.faces[4..]) {
        let Some(FaceState { psi, .. }) = face else { continue };
        let cur = cur.part(window.start, window.len());
        stencil::psi_along(psi, window.at(row), &cur, window, shared.weights);
    }
}

/// Adds the terms of the z faces' layers to row ix, iy of the new level.
#[inline(always)]
fn add_along<L: Lanes, H: Half>(
    shared: &Shared<'_, L::Value>,
    half: H,
    tile: &Tile,
    state: &mut TileState<'_, L::Value>,
    [ix, iy]: [usize; 2],
    next: &mut [L::Value],
) {
    let (cur, v) = (shared.around::<L, H>(half, ix, iy), shared.medium.model.row(ix, iy));
    let row = tile.row(ix, iy);
    for (window, face) in shared.windows.iter().zip(&mut state.faces[4..]) {
        let Some(FaceState { psi, zeta }) = face else { continue };
        let cur = cur.part(window.start, window.len());
        let (next, v) = (&mut next[window.start..], &v[window.start..]);
        let state = (&psi[..], &mut zeta[..], window.at(row));
        stencil::add_along((next, v), &cur, state, window, shared.weights);
    }
}
