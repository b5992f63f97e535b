//! The best step on the CPU. H1 and H2 are sums of differences within an x-y plane and of
//! differences across planes, so each plane is gone through once when it enters a window of twelve
//! planes, and once more when its neighbours on both sides are there:
//!
//! ```text
//! entering   gx = Dx f,  gy = Dy f,  s = Dxx f + Dyy f,
//!            t = ax^2 Dxx f + ay^2 Dyy f + 2 ax ay Dx gy
//! leaving    H1 = t + az (az Dzz f + 2 (ax Dz gx + ay Dz gy)),   H2 = s + Dzz f - H1
//! ```
//!
//! Four planes enter and leave at a time, and four rows at a time within a plane: of the twelve
//! rows that four neighbouring differences need, each is loaded once.
// Several arrays are indexed alike in every loop here.
#![allow(clippy::needless_range_loop)]

use std::array;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use multiversion::multiversion;
use rayon::prelude::*;
use rtm::fd;
use rtm::propagate::fetch_ahead;

use super::layout::{BLOCK, BORDER, ORDER, VolumeLayout};
use super::lines::Lines;
use super::model::{Medium, Model};

const H: usize = BORDER;

/// Planes that enter together, and rows whose differences along y are taken together.
const GROUP: usize = 4;

/// Groups of planes in the window: the one that leaves, and one on each side of it.
const GROUPS: usize = 3;

/// Rows of a tile.
const TILE: usize = 8;

/// Points along x of a tile, at most: the window of both fields stays in a core's cache.
const WIDTH: usize = 256;

/// A difference of the order 8 along one axis.
trait Difference: Copy {
    /// At a point whose neighbours on that axis are `f(0)` to `f(8)`, itself being `f(4)`.
    fn of(&self, f: impl Fn(usize) -> f32) -> f32;
}

/// The first, for spacing 1: its weights at distances 1 to 4.
#[derive(Clone, Copy)]
struct First([f32; H]);

impl Difference for First {
    #[inline(always)]
    fn of(&self, f: impl Fn(usize) -> f32) -> f32 {
        let mut sum = self.0[0] * (f(H + 1) - f(H - 1));
        for l in 1..H {
            sum += self.0[l] * (f(H + 1 + l) - f(H - 1 - l));
        }
        sum
    }
}

/// The second: its weights at distances 0, and 1 to 4, for spacing 1, and `1 / h^2`. That factor is
/// not in the weights: each would be rounded by itself, and over hundreds of steps it shows.
#[derive(Clone, Copy)]
struct Second(f32, [f32; H], f32);

impl Difference for Second {
    #[inline(always)]
    fn of(&self, f: impl Fn(usize) -> f32) -> f32 {
        let mut sum = self.0 * f(H);
        for l in 0..H {
            sum += self.1[l] * (f(H + 1 + l) + f(H - 1 - l));
        }
        sum * self.2
    }
}

/// The differences, the second ones along x, y, z.
struct Weights {
    first: First,
    second: [Second; 3],
    /// `1 / (da db)` for xy, yz, xz.
    mixed: [f32; 3],
    dt2: f32,
}

impl Weights {
    fn new(layout: &VolumeLayout, dt_s: f64) -> Weights {
        let (c, d) = (fd::second(ORDER), fd::first(ORDER));
        let [xx, yy, zz, xy, yz, xz] = layout.inverse_spacings();
        let second = array::from_fn(|l| c[l + 1] as f32);
        Weights {
            first: First(array::from_fn(|l| d[l + 1] as f32)),
            second: [xx, yy, zz].map(|scale| Second(c[0] as f32, second, scale)),
            mixed: [xy, yz, xz],
            dt2: (dt_s * dt_s) as f32,
        }
    }
}

/// What a model needs, and the windows of the threads.
pub(super) struct Best {
    layout: VolumeLayout,
    weights: Weights,
    media: Media,
    windows: Vec<Lines>,
}

impl Best {
    /// For so many threads.
    pub(super) fn new(model: &Model, dt_s: f64, threads: usize) -> Best {
        let layout = model.layout;
        Best {
            layout,
            weights: Weights::new(&layout, dt_s),
            media: Media::new(model),
            windows: (0..threads).map(|_| Window::memory(layout.width().min(WIDTH))).collect(),
        }
    }

    /// Another time step.
    #[cfg(test)]
    pub(super) fn set_dt(&mut self, dt_s: f64) {
        self.weights = Weights::new(&self.layout, dt_s);
    }

    /// The next level of both fields in place of the one before.
    pub(super) fn step(&mut self, now: [&[f32]; 2], [old_p, old_q]: [&mut [f32]; 2]) {
        let Best { layout, weights, media, windows } = self;
        let VolumeLayout { n: [_, ny, nz], row, plane, first, .. } = *layout;
        // A part of the planes takes differences of eight more: no more parts than keep all busy.
        let across = ny.div_ceil(TILE);
        let parts = (4 * windows.len()).div_ceil(across).clamp(1, nz.div_ceil(32));
        let depth = nz.div_ceil(parts);
        let mut tiles: Vec<Tile<'_>> = (0..nz)
            .step_by(depth)
            .flat_map(|from| (0..ny).step_by(TILE).map(move |top| [top, from]))
            .map(|from| Tile { from, rows: TILE.min(ny - from[0]), old: Vec::new() })
            .collect();
        let planes = old_p[first..].chunks_mut(plane).zip(old_q[first..].chunks_mut(plane));
        for (iz, (p, q)) in planes.take(nz).enumerate() {
            let rows = p.chunks_mut(TILE * row).zip(q.chunks_mut(TILE * row));
            for (tile, (p, q)) in tiles[iz / depth * across..][..across].iter_mut().zip(rows) {
                tile.old.push([p, q]);
            }
        }
        let step = Step { layout, weights, media, now };
        let width = layout.width();
        let piece = width.div_ceil(width.div_ceil(WIDTH)).next_multiple_of(BLOCK);
        let tiles = Mutex::new(tiles.into_iter());
        windows.par_iter_mut().for_each(|window| {
            loop {
                let next = tiles.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(mut tile) = next else { break };
                for left in (0..width).step_by(piece) {
                    let points = left..width.min(left + piece);
                    march(&step, &mut tile, points.clone(), Window::new(window, points.len()));
                }
            }
        });
    }
}

/// What all tiles of a step read.
struct Step<'a> {
    layout: &'a VolumeLayout,
    weights: &'a Weights,
    media: &'a Media,
    now: [&'a [f32]; 2],
}

/// One number for each computed point; a row that is like the one before it, or like its own of the
/// plane before, is not stored again.
struct Rows {
    width: usize,
    ny: usize,
    /// Which of the stored rows is that of `iz * ny + iy`.
    which: Vec<u32>,
    values: Lines,
}

impl Rows {
    #[inline(always)]
    fn row(&self, iz: usize, iy: usize) -> &[f32] {
        &self.values[self.which[iz * self.ny + iy] as usize * self.width..][..self.width]
    }

    /// Of all rows, one after the other.
    fn new(rows: impl Iterator<Item = Vec<f32>>, width: usize, ny: usize) -> Rows {
        let (mut which, mut values) = (Vec::<u32>::new(), Vec::new());
        for row in rows {
            let at = which.len();
            let same = [1, ny].into_iter().filter_map(|back| which.get(at.wrapping_sub(back)));
            let same = same.copied().find(|&known| {
                let known: &[f32] = &values[known as usize * width..][..width];
                known.iter().zip(&row).all(|(a, b)| a.to_bits() == b.to_bits())
            });
            which.push(same.unwrap_or_else(|| {
                values.extend_from_slice(&row);
                (values.len() / width - 1) as u32
            }));
        }
        Rows { width, ny, which, values: Lines::from(&values) }
    }
}

/// The medium as the step reads it: the axis of symmetry (x, y, z), `vpz^2`, `vsz^2`, and the
/// factors `vpx^2 / vpz^2` and `vpn^2 / vpz^2`: axis and factors are often those of whole layers.
struct Media([Rows; 7]);

impl Media {
    fn new(model: &Model) -> Media {
        let VolumeLayout { n: [nx, ny, _], .. } = model.layout;
        let width = model.layout.width();
        // The axis' sines take their time.
        let axes: Vec<[f32; 3]> = model.points.par_iter().map(Medium::axis).collect();
        let rows = |of: &dyn Fn(usize) -> f32| {
            let row = |from: usize| {
                let mut row = vec![0f32; width];
                row.iter_mut().zip(from..from + nx).for_each(|(to, i)| *to = of(i));
                row
            };
            Rows::new((0..model.points.len()).step_by(nx).map(row), width, ny)
        };
        let medium = |i: usize| &model.points[i];
        Media([
            rows(&|i| axes[i][0]),
            rows(&|i| axes[i][1]),
            rows(&|i| axes[i][2]),
            rows(&|i| medium(i).squares()[1]),
            rows(&|i| medium(i).squares()[2]),
            rows(&|i| medium(i).factors()[0]),
            rows(&|i| medium(i).factors()[1]),
        ])
    }
}

/// Points between the planes of a ring, so that they do not share the sets of a cache.
const PAD: usize = 5 * BLOCK;

/// Rows of a tile for some planes, `stride` points each.
struct Ring<'a> {
    values: &'a mut [f32],
    stride: usize,
    plane: usize,
}

impl<'a> Ring<'a> {
    /// From the start of what memory is left.
    fn new(memory: &mut &'a mut [f32], planes: usize, stride: usize) -> Ring<'a> {
        let plane = TILE * stride + PAD;
        let (values, rest) = std::mem::take(memory).split_at_mut(planes * plane);
        *memory = rest;
        Ring { values, stride, plane }
    }

    #[inline(always)]
    fn row(&self, plane: usize, row: usize) -> &[f32] {
        &self.values[plane * self.plane + row * self.stride..][..self.stride]
    }

    #[inline(always)]
    fn row_mut(&mut self, plane: usize, row: usize) -> &mut [f32] {
        &mut self.values[plane * self.plane + row * self.stride..][..self.stride]
    }

    /// As many rows as are taken together, from `row` on.
    #[inline(always)]
    fn rows_mut(&mut self, plane: usize, row: usize) -> [&mut [f32]; GROUP] {
        let from = plane * self.plane + row * self.stride;
        let rows = &mut self.values[from..][..GROUP * self.stride];
        let (ab, cd) = rows.split_at_mut(2 * self.stride);
        let ((a, b), (c, d)) = (ab.split_at_mut(self.stride), cd.split_at_mut(self.stride));
        [a, b, c, d]
    }

    #[inline(always)]
    fn clear(&mut self, plane: usize) {
        self.values[plane * self.plane..][..TILE * self.stride].fill(0.0);
    }
}

/// What is kept of one field.
struct Kept<'a> {
    /// First differences along x of twelve planes.
    x: Ring<'a>,
    /// Along y, with a block on both sides of each row.
    y: Ring<'a>,
    /// `Dxx + Dyy` and the part of H1 within planes, of eight planes.
    laplacian: Ring<'a>,
    level: Ring<'a>,
    /// Dzz f, Dz gx, Dz gy of one row, for the planes that leave.
    across: [Ring<'a>; 3],
}

/// The window of a thread.
struct Window<'a> {
    kept: [Kept<'a>; 2],
    /// Dyy f of some rows.
    yy: Ring<'a>,
}

impl<'a> Window<'a> {
    /// Planes that all rings together have.
    const PLANES: usize = 2 * (2 * GROUPS * GROUP + 4 * GROUP + 3) + 1;

    /// Memory for rows of so many points: one piece, so that it lies on one page.
    fn memory(width: usize) -> Lines {
        Lines::zeros(Self::PLANES * (TILE * (width + 2 * BLOCK) + PAD))
    }

    /// For rows of so many points.
    fn new(mut memory: &'a mut [f32], width: usize) -> Window<'a> {
        let mut ring = |planes, stride| Ring::new(&mut memory, planes, stride);
        let mut kept = || Kept {
            x: ring(GROUPS * GROUP, width),
            y: ring(GROUPS * GROUP, width + 2 * BLOCK),
            laplacian: ring(2 * GROUP, width),
            level: ring(2 * GROUP, width),
            across: [(); 3].map(|()| ring(1, width)),
        };
        let kept = [kept(), kept()];
        let mut window = Window { kept, yy: ring(1, width) };
        // Beyond the volume differences along y are zero.
        window.kept.iter_mut().for_each(|kept| kept.y.values.fill(0.0));
        window
    }
}

/// Rows cut to one length.
#[inline(always)]
fn cut<const N: usize>(mut rows: [&[f32]; N], n: usize) -> [&[f32]; N] {
    for row in &mut rows {
        *row = &row[..n];
    }
    rows
}

/// Differences for four rows, from the twelve rows around them.
#[inline(always)]
fn of_four(
    rows: [&[f32]; GROUP + 2 * H],
    [a, b, c, d]: [&mut [f32]; GROUP],
    difference: impl Difference,
) {
    // Arguments of their own: so the compiler knows that they lie apart.
    #[inline(always)]
    fn apart(
        rows: [&[f32]; GROUP + 2 * H],
        a: &mut [f32],
        b: &mut [f32],
        c: &mut [f32],
        d: &mut [f32],
        difference: impl Difference,
    ) {
        let n = a.len();
        let rows = cut(rows, n);
        let (b, c, d) = (&mut b[..n], &mut c[..n], &mut d[..n]);
        for i in 0..n {
            a[i] = difference.of(|l| rows[l][i]);
            b[i] = difference.of(|l| rows[l + 1][i]);
            c[i] = difference.of(|l| rows[l + 2][i]);
            d[i] = difference.of(|l| rows[l + 3][i]);
        }
    }
    apart(rows, a, b, c, d, difference);
}

/// First and second differences along y of four rows, from the twelve rows around them.
#[inline(always)]
fn along_y(
    rows: [&[f32]; GROUP + 2 * H],
    [a, b, c, d]: [&mut [f32]; GROUP],
    [e, f, g, h]: [&mut [f32]; GROUP],
    (first, second): (First, Second),
) {
    // As in `of_four`.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn apart(
        rows: [&[f32]; GROUP + 2 * H],
        a: &mut [f32],
        b: &mut [f32],
        c: &mut [f32],
        d: &mut [f32],
        e: &mut [f32],
        f: &mut [f32],
        g: &mut [f32],
        h: &mut [f32],
        (first, second): (First, Second),
    ) {
        let n = a.len();
        let rows = cut(rows, n);
        let (b, c, d) = (&mut b[..n], &mut c[..n], &mut d[..n]);
        let (e, f, g, h) = (&mut e[..n], &mut f[..n], &mut g[..n], &mut h[..n]);
        for i in 0..n {
            a[i] = first.of(|l| rows[l][i]);
            b[i] = first.of(|l| rows[l + 1][i]);
            c[i] = first.of(|l| rows[l + 2][i]);
            d[i] = first.of(|l| rows[l + 3][i]);
            e[i] = second.of(|l| rows[l][i]);
            f[i] = second.of(|l| rows[l + 1][i]);
            g[i] = second.of(|l| rows[l + 2][i]);
            h[i] = second.of(|l| rows[l + 3][i]);
        }
    }
    apart(rows, a, b, c, d, e, f, g, h, (first, second));
}

/// A row as seen by the neighbours of its points along x.
#[inline(always)]
fn shifted(row: &[f32], n: usize) -> [&[f32]; 2 * H + 1] {
    let mut all: [&[f32]; 2 * H + 1] = [&[]; 2 * H + 1];
    for (l, to) in all.iter_mut().enumerate() {
        *to = &row[l..][..n];
    }
    all
}

/// First differences along x and what else is needed of a plane alone: gx, s and t. `f` and `gy`
/// have four points more on both sides.
#[inline(always)]
fn along_x(
    [f, gy, yy, ax, ay]: [&[f32]; 5],
    gx: &mut [f32],
    laplacian: &mut [f32],
    level: &mut [f32],
    w: &Weights,
) {
    let n = gx.len();
    let (f, gy) = (shifted(f, n), shifted(gy, n));
    let [yy, ax, ay] = cut([yy, ax, ay], n);
    let (laplacian, level) = (&mut laplacian[..n], &mut level[..n]);
    let (second, first, scale) = (w.second[0], w.first, w.mixed[0]);
    for i in 0..n {
        let (xx, xy) = (second.of(|l| f[l][i]), first.of(|l| gy[l][i]) * scale);
        gx[i] = first.of(|l| f[l][i]);
        laplacian[i] = xx + yy[i];
        level[i] = ax[i] * (ax[i] * xx + 2.0 * (ay[i] * xy)) + ay[i] * (ay[i] * yy[i]);
    }
}

/// What is known of one field along a row when it leaves: Dzz f, Dz gx, Dz gy, s, t, f.
type Leaving<'a> = [&'a [f32]; 6];

/// H1 and H2 of a point.
#[inline(always)]
fn split(
    [zz, xz, yz, s, t, _]: Leaving<'_>,
    [x, y, z]: [f32; 3],
    [_, scale_yz, scale_xz]: [f32; 3],
    i: usize,
) -> [f32; 2] {
    let mixed = x * (xz[i] * scale_xz) + y * (yz[i] * scale_yz);
    let h1 = t[i] + z * (z * zz[i] + 2.0 * mixed);
    [h1, (s[i] + zz[i]) - h1]
}

/// What is less than this is taken for zero: ahead of a wave, values fall off to the least that a
/// number can be, and with those, subnormal numbers, some processors are many times slower. The
/// source's largest value is 1. Above this, products with the weights and spacings of usual models
/// stay above 1e-38, where subnormal numbers begin.
const TINY: f32 = 1e-24;

/// The next level of a field from the present one, the one before and the second derivative times
/// `dt^2`.
#[inline(always)]
pub(super) fn next(now: f32, old: f32, change: f32) -> f32 {
    // The change since the last level is small: so written, only the last sum rounds at the field's
    // own size.
    let next = now + ((now - old) + change);
    if next.abs() < TINY { 0.0 } else { next }
}

/// The equations, along a row: the next level of p and q in place of the one before.
#[inline(always)]
fn leave(
    [p, q]: [Leaving<'_>; 2],
    media: [&[f32]; 7],
    old_p: &mut [f32],
    old_q: &mut [f32],
    w: &Weights,
) {
    let n = old_p.len();
    let (mixed, dt2) = (w.mixed, w.dt2);
    let (p, q) = (cut(p, n), cut(q, n));
    let [x, y, z, v2pz, v2sz, fast, slow] = cut(media, n);
    let old_q = &mut old_q[..n];
    for i in 0..n {
        let axis = [x[i], y[i], z[i]];
        let ([p1, p2], [q1, q2]) = (split(p, axis, mixed, i), split(q, axis, mixed, i));
        let along = v2pz[i] * q1;
        let p_tt = (v2pz[i] * fast[i]) * p2 + along + v2sz[i] * (p1 - q1);
        let q_tt = (v2pz[i] * slow[i]) * p2 + along - v2sz[i] * (p2 - q2);
        let (now_p, now_q) = (p[5][i], q[5][i]);
        old_p[i] = next(now_p, old_p[i], p_tt * dt2);
        old_q[i] = next(now_q, old_q[i], q_tt * dt2);
    }
}

/// Rows along y, and planes from some on, that one thread computes.
struct Tile<'a> {
    /// First row and plane.
    from: [usize; 2],
    rows: usize,
    /// The level before of p and q, which becomes the next: the tile's rows of each plane.
    old: Vec<[&'a mut [f32]; 2]>,
}

/// These points of each row of a tile.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw", "x86_64+avx2"))]
fn march(step: &Step<'_>, tile: &mut Tile<'_>, points: Range<usize>, window: Window<'_>) {
    let (left, width) = (points.start, points.len());
    let Step { layout, weights: w, media, now } = step;
    let [_, ny, nz] = layout.n;
    let [top, from] = tile.from;
    let depth = tile.old.len();
    // Rows and planes are counted with their border; those beyond it are the border's last.
    let at = |plane: usize, row: usize| {
        let (plane, row) = (plane.min(nz + 2 * H - 1), row.min(ny + 2 * H - 1));
        layout.first + left + plane * layout.plane + row * layout.row
            - H * (layout.plane + layout.row)
    };
    // Where the tile has neighbours along x, their differences along y are taken as well; beyond
    // the volume these are zero.
    let behind = (left + width < layout.width()).then_some(BLOCK + width);
    let beside = [(left > 0).then_some(0), behind];
    let Window { mut kept, mut yy } = window;
    let Weights { second, first, .. } = w;
    for group in 0..depth.div_ceil(GROUP) + 2 {
        // Enter: planes counted from the slab's first minus four.
        for entering in group * GROUP..(group + 1) * GROUP {
            let slot = entering % (GROUPS * GROUP);
            let plane = from + entering;
            for (f, kept) in now.iter().zip(&mut kept) {
                if plane < H || plane >= nz + H {
                    kept.x.clear(slot);
                    kept.y.clear(slot);
                    continue;
                }
                for row in (0..tile.rows).step_by(GROUP) {
                    let mut rows: [&[f32]; GROUP + 2 * H] = [&[]; GROUP + 2 * H];
                    for (l, to) in rows.iter_mut().enumerate() {
                        *to = &f[at(plane, top + row + l)..][..width];
                    }
                    let to = kept.y.rows_mut(slot, row).map(|row| &mut row[BLOCK..][..width]);
                    along_y(rows, to, yy.rows_mut(0, 0), (*first, second[1]));
                    for from in beside.into_iter().flatten() {
                        for (l, to) in rows.iter_mut().enumerate() {
                            *to = &f[at(plane, top + row + l) + from - BLOCK..][..BLOCK];
                        }
                        let to = kept.y.rows_mut(slot, row).map(|row| &mut row[from..][..BLOCK]);
                        of_four(rows, to, *first);
                    }
                    for row in row..tile.rows.min(row + GROUP) {
                        let (iz, iy) = (plane - H, top + row);
                        // Two rows for each, and the next plane's are all on their way.
                        for next in [2 * row, 2 * row + 1] {
                            fetch_ahead(&f[at(plane + 1, top + next)..][..width]);
                        }
                        let level = entering % (2 * GROUP);
                        along_x(
                            [
                                &f[at(plane, iy + H) - H..],
                                &kept.y.row(slot, row)[BLOCK - H..],
                                yy.row(0, row % GROUP),
                                &media.0[0].row(iz, iy)[left..],
                                &media.0[1].row(iz, iy)[left..],
                            ],
                            kept.x.row_mut(slot, row),
                            kept.laplacian.row_mut(level, row),
                            kept.level.row_mut(level, row),
                            w,
                        );
                    }
                }
            }
        }
        let Some(leaving) = group.checked_sub(2).map(|group| group * GROUP) else { continue };
        for row in 0..tile.rows {
            let iy = top + row;
            for plane in leaving..depth.min(leaving + GROUP) {
                // What the next row alone reads.
                let next = row + 1;
                if next < tile.rows {
                    for old in &tile.old[plane] {
                        fetch_ahead(&old[next * layout.row + left..][..width]);
                    }
                    for rows in &media.0[3..5] {
                        fetch_ahead(&rows.row(from + plane, iy + 1)[left..][..width]);
                    }
                }
            }
            for (f, kept) in now.iter().zip(&mut kept) {
                let [zz, xz, yz] = &mut kept.across;
                let mut planes: [[&[f32]; GROUP + 2 * H]; 3] = [[&[]; GROUP + 2 * H]; 3];
                for l in 0..GROUP + 2 * H {
                    let slot = (leaving + l) % (GROUPS * GROUP);
                    planes[0][l] = &f[at(from + leaving + l, iy + H)..];
                    planes[1][l] = kept.x.row(slot, row);
                    planes[2][l] = &kept.y.row(slot, row)[BLOCK..];
                }
                let [of_f, of_x, of_y] = planes;
                of_four(of_f, zz.rows_mut(0, 0), second[2]);
                of_four(of_x, xz.rows_mut(0, 0), *first);
                of_four(of_y, yz.rows_mut(0, 0), *first);
            }
            for k in 0..GROUP.min(depth - leaving) {
                let (iz, slot) = (from + leaving + k, (leaving + k + H) % (2 * GROUP));
                let mut rows: [&[f32]; 7] = [&[]; 7];
                for (to, all) in rows.iter_mut().zip(&media.0) {
                    *to = &all.row(iz, iy)[left..];
                }
                let of_field = |field: usize| -> Leaving<'_> {
                    let kept = &kept[field];
                    let [zz, xz, yz] = &kept.across;
                    [
                        zz.row(0, k),
                        xz.row(0, k),
                        yz.row(0, k),
                        kept.laplacian.row(slot, row),
                        kept.level.row(slot, row),
                        &now[field][at(iz + H, iy + H)..],
                    ]
                };
                let fields = [of_field(0), of_field(1)];
                let [p, q] = &mut tile.old[leaving + k];
                let from = row * layout.row + left;
                leave(fields, rows, &mut p[from..][..width], &mut q[from..][..width], w);
            }
        }
    }
}
