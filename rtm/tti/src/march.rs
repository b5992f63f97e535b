//! The best step on the CPU within a tile. H1 and H2 are sums of differences within an x-y plane
//! and of differences across planes, so each plane is gone through once when it enters a window of
//! twelve planes, and once more when its neighbours on both sides are there:
//!
//! ```text
//! entering   gx = Dx f,  gy = Dy f,  s = Dxx f + Dyy f,
//!            t = ax^2 Dxx f + ay^2 Dyy f + 2 ax ay Dx gy
//! leaving    H1 = t + az (az Dzz f + 2 (ax Dz gx + ay Dz gy)),   H2 = s + Dzz f - H1
//! ```
//!
//! Four planes enter and leave at a time, and four rows at a time within a plane: of the twelve
//! rows that four neighbouring differences need, each is loaded once.
//!
//! What a block of sixteen points needs is written for registers ([`Lanes`]): all kinds of them
//! give the same bits. What waits in the window lies in the order in which it leaves, twelve planes
//! of a block one behind the other, at distances that the compiler knows.
// Several arrays are indexed alike in every loop here.
#![allow(clippy::needless_range_loop)]

use std::array;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use multiversion::{multiversion, target::match_target};
use rtm::fd;
use rtm::propagate::fetch_line;
use rtm::real::{Blocks, Lanes};

use super::layout::{BLOCK, BORDER, ORDER, VolumeLayout};
use super::lines::Lines;
use super::media::Media;

const H: usize = BORDER;

/// Planes that enter together, and rows whose differences along y are taken together.
const GROUP: usize = 4;

/// Planes, or rows, that the differences of a group need.
const REACH: usize = GROUP + 2 * H;

/// Groups of planes in the window: the one that leaves, and one on each side of it.
const GROUPS: usize = 3;

/// Rows of a tile.
pub(super) const TILE: usize = 8;

/// Points along x of a tile, at most: the window of both fields stays in a core's cache.
pub(super) const WIDTH: usize = 256;

/// The first difference for spacing 1: its weights at distances 1 to 4.
#[derive(Clone, Copy)]
struct First([f32; H]);

/// The second difference: its weights at distances 0, and 1 to 4, for spacing 1, and `1 / h^2`.
/// That factor is not in the weights: each would be rounded by itself, and over hundreds of steps
/// it shows.
#[derive(Clone, Copy)]
struct Second(f32, [f32; H], f32);

/// The differences, the second ones along x, y, z.
pub(super) struct Weights {
    first: First,
    second: [Second; 3],
    /// `1 / (da db)` for xy, yz, xz.
    mixed: [f32; 3],
    dt2: f32,
}

impl Weights {
    /// For the spacings of a volume.
    pub(super) fn new(layout: &VolumeLayout, dt_s: f64) -> Weights {
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

/// Values that are computed together, in memory.
type Block = [f32; BLOCK];

const ZERO: Block = [0.0; BLOCK];

/// A block of each plane of a group.
type Planes = [Block; GROUP];

/// What is kept of one field at a block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Kept {
    /// The field and its first differences along x and y, of twelve planes.
    f: [Planes; GROUPS],
    x: [Planes; GROUPS],
    y: [Planes; GROUPS],
    /// s and t, of eight planes.
    s: [Planes; 2],
    t: [Planes; 2],
}

/// What is kept at a block of each row of a tile.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Column {
    rows: [[Kept; 2]; TILE],
    /// So that columns do not share the sets of a cache.
    between: Block,
}

/// Differences along y of a group of rows: the first with a block on both sides of each row, and
/// the second.
#[repr(C, align(64))]
struct AlongY {
    first: [[Block; WIDTH / BLOCK + 2]; GROUP],
    second: [[Block; WIDTH / BLOCK]; GROUP],
}

/// The window of a thread.
pub(super) struct Window {
    /// All columns.
    columns: Lines,
    y: Box<AlongY>,
}

impl Window {
    /// For rows of so many points.
    pub(super) fn new(width: usize) -> Window {
        assert!(width <= WIDTH);
        let columns = width / BLOCK * size_of::<Column>();
        let (first, second) = ([ZERO; WIDTH / BLOCK + 2], [ZERO; WIDTH / BLOCK]);
        Window {
            columns: Lines::zeros(columns / size_of::<f32>()),
            y: Box::new(AlongY { first: [first; GROUP], second: [second; GROUP] }),
        }
    }
}

/// Where a row's values of an entering plane are kept; groups are counted from the first.
#[derive(Clone, Copy)]
struct Place {
    row: usize,
    field: usize,
    group: usize,
    slot: usize,
}

/// The weights of the differences along one axis.
struct Along<L> {
    first: [L; H],
    centre: L,
    second: [L; H],
    scale: L,
}

impl<L: Lanes<Value = f32>> Along<L> {
    #[inline(always)]
    fn new(w: &Weights, axis: usize) -> Along<L> {
        let (first, second) = (&w.first, &w.second[axis]);
        let zero = L::splat(0.0);
        let (centre, scale) = (L::splat(second.0), L::splat(second.2));
        let mut all = Along { first: [zero; H], centre, second: [zero; H], scale };
        for l in 0..H {
            all.first[l] = L::splat(first.0[l]);
            all.second[l] = L::splat(second.1[l]);
        }
        all
    }

    /// The first difference at `f[k + 4]`.
    #[inline(always)]
    fn first<const N: usize>(&self, f: &[L; N], k: usize) -> L {
        let mut sum = self.first[0] * (f[k + H + 1] - f[k + H - 1]);
        for l in 1..H {
            sum = sum + self.first[l] * (f[k + H + 1 + l] - f[k + H - 1 - l]);
        }
        sum
    }

    /// The second.
    #[inline(always)]
    fn second<const N: usize>(&self, f: &[L; N], k: usize) -> L {
        let mut sum = self.centre * f[k + H];
        for l in 0..H {
            sum = sum + self.second[l] * (f[k + H + 1 + l] + f[k + H - 1 - l]);
        }
        sum * self.scale
    }
}

/// Blocks of the rows of a field, `row` values apart, by pointer: slices of twelve rows would need
/// more registers than there are.
#[derive(Clone, Copy)]
struct Field<'a> {
    values: &'a [f32],
    row: usize,
}

impl Field<'_> {
    /// The blocks at `at` in a group of rows and in those around it.
    #[inline(always)]
    fn rows<L: Lanes<Value = f32>>(&self, at: usize) -> [L; REACH] {
        assert!(at + (REACH - 1) * self.row + BLOCK <= self.values.len());
        let mut rows = [L::splat(0.0); REACH];
        for l in 0..REACH {
            // SAFETY: the last row's block ends within the values.
            rows[l] = unsafe { L::load(self.values.as_ptr().add(at + l * self.row)) };
        }
        rows
    }

    /// The block at `at` and its neighbours along x.
    #[inline(always)]
    fn near<L: Lanes<Value = f32>>(&self, at: usize) -> [L; 2 * H + 1] {
        assert!(at >= BLOCK && at + 2 * BLOCK <= self.values.len());
        // SAFETY: the blocks on both sides are within the values.
        unsafe { L::near(self.values.as_ptr().add(at)) }
    }
}

/// Differences along y of a group of rows; `at` is the first block of the first of the rows around
/// them. Asks for the `ahead` rows from there on, which the next plane needs.
#[inline(always)]
fn along_y<L: Lanes<Value = f32>>(
    f: Field<'_>,
    at: usize,
    ahead: usize,
    columns: &mut [Column],
    y: &mut AlongY,
    to: Place,
    w: &Weights,
) {
    assert!(to.row + GROUP <= TILE && to.slot < GROUP && columns.len() <= WIDTH / BLOCK);
    let third = to.group % GROUPS;
    let along = Along::<L>::new(w, 1);
    for (b, column) in columns.iter_mut().enumerate() {
        // Two for each row, and the next plane's are all on their way.
        for l in 0..2 * GROUP {
            let line = f.values.as_ptr().wrapping_add(ahead + l * f.row + b * BLOCK);
            fetch_line(line.cast());
        }
        let rows = f.rows::<L>(at + b * BLOCK);
        for k in 0..GROUP {
            let kept = &mut column.rows[to.row + k][to.field];
            let first = along.first(&rows, k);
            first.put(&mut kept.y[third][to.slot]);
            first.put(&mut y.first[k][b + 1]);
            rows[k + H].put(&mut kept.f[third][to.slot]);
            along.second(&rows, k).put(&mut y.second[k][b]);
        }
    }
}

/// First differences along x and what else is needed of a plane alone: gx, s and t. `at` is the
/// row's first block; of the rows of media, `ahead` is needed when planes leave.
#[inline(always)]
fn along_x<L: Lanes<Value = f32>>(
    f: Field<'_>,
    at: usize,
    [first, second]: [&[Block]; 2],
    [ax, ay, ahead]: [&[Block]; 3],
    columns: &mut [Column],
    to: Place,
    w: &Weights,
) {
    let m = columns.len();
    assert!(to.row < TILE && to.slot < GROUP);
    let (third, half) = (to.group % GROUPS, to.group % 2);
    let along = Along::<L>::new(w, 0);
    let mixed = L::splat(w.mixed[0]);
    let gy = Field { values: first[..m + 2].as_flattened(), row: 0 };
    let (yy, ax, ay) = (&second[..m], &ax[..m], &ay[..m]);
    for (b, column) in columns.iter_mut().enumerate() {
        fetch_line(ahead.as_ptr().wrapping_add(b).cast());
        let kept = &mut column.rows[to.row][to.field];
        let near = f.near::<L>(at + b * BLOCK);
        let xx = along.second(&near, 0);
        along.first(&near, 0).put(&mut kept.x[third][to.slot]);
        let xy = along.first(&gy.near::<L>((b + 1) * BLOCK), 0) * mixed;
        let (ax, ay, yy) = (L::of(&ax[b]), L::of(&ay[b]), L::of(&yy[b]));
        (xx + yy).put(&mut kept.s[half][to.slot]);
        let ay_xy = ay * xy;
        (ax * (ax * xx + (ay_xy + ay_xy)) + ay * (ay * yy)).put(&mut kept.t[half][to.slot]);
    }
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

/// Rows of one plane that leaves, by pointer as in [`Field`]: the medium, the level before of p and
/// q, and that of the next row.
#[derive(Clone, Copy)]
struct Leaving {
    media: [*const f32; 7],
    old: [*mut f32; 2],
    ahead: [*const f32; 2],
}

impl Leaving {
    const NONE: Leaving = Leaving {
        media: [std::ptr::null(); 7],
        old: [std::ptr::null_mut(); 2],
        ahead: [std::ptr::null(); 2],
    };

    /// A block of the value `which` of the medium.
    ///
    /// # Safety
    /// The rows have so many blocks.
    #[inline(always)]
    unsafe fn medium<L: Lanes<Value = f32>>(&self, which: usize, b: usize) -> L {
        // SAFETY: as the caller has promised.
        unsafe { L::load(self.media[which].add(b * BLOCK)) }
    }

    /// [`next`] of a block of p or q, `now` at the present level.
    ///
    /// # Safety
    /// The rows have so many blocks, and nobody else has those of the level before.
    #[inline(always)]
    unsafe fn next<L: Lanes<Value = f32>>(&self, field: usize, b: usize, now: L, change: L) {
        // SAFETY: as the caller has promised.
        let old = unsafe { &mut *self.old[field].add(b * BLOCK).cast::<Block>() };
        (now + ((now - L::of(old)) + change)).cut(TINY).put(old);
    }
}

/// H1 and H2 of one field at a block of each plane that leaves, and the field itself, of the planes
/// in `groups`; s and t are kept in `half`.
///
/// # Safety
/// The planes' rows have so many blocks.
#[inline(always)]
unsafe fn split<L: Lanes<Value = f32>>(
    kept: &Kept,
    groups: [usize; GROUPS],
    half: usize,
    (planes, b): (&[Leaving; GROUP], usize),
    (along, [scale_yz, scale_xz]): (&Along<L>, [L; 2]),
) -> ([[L; 2]; GROUP], [L; GROUP]) {
    let zero = L::splat(0.0);
    let rows = window(&kept.x, groups);
    let mut mixed = [zero; GROUP];
    for k in 0..GROUP {
        mixed[k] = along.first(&rows, k) * scale_xz;
    }
    let rows = window(&kept.y, groups);
    for k in 0..GROUP {
        // SAFETY: as the caller has promised.
        let (x, y) = unsafe { (planes[k].medium::<L>(0, b), planes[k].medium::<L>(1, b)) };
        mixed[k] = x * mixed[k] + y * (along.first(&rows, k) * scale_yz);
        mixed[k] = mixed[k] + mixed[k];
    }
    let rows = window(&kept.f, groups);
    let (mut split, mut now) = ([[zero; 2]; GROUP], [zero; GROUP]);
    for k in 0..GROUP {
        // SAFETY: as the caller has promised.
        let (z, zz) = (unsafe { planes[k].medium::<L>(2, b) }, along.second(&rows, k));
        let h1 = L::of(&kept.t[half][k]) + z * (z * zz + mixed[k]);
        split[k] = [h1, (L::of(&kept.s[half][k]) + zz) - h1];
        now[k] = rows[k + H];
    }
    (split, now)
}

/// The blocks of twelve planes, from the oldest group on.
#[inline(always)]
fn window<L: Lanes<Value = f32>>(kept: &[Planes; GROUPS], groups: [usize; GROUPS]) -> [L; REACH] {
    let mut all = [L::splat(0.0); REACH];
    for l in 0..REACH {
        all[l] = L::of(&kept[groups[l / GROUP]][l % GROUP]);
    }
    all
}

/// The equations, along a row of a group of planes, of which so many are `there`: the next level of
/// p and q in place of the one before.
///
/// # Safety
/// The planes' rows have as many blocks as there are columns; nobody else has those of the level
/// before.
#[inline(always)]
unsafe fn leave<L: Lanes<Value = f32>>(
    columns: &[Column],
    (row, group): (usize, usize),
    planes: &[Leaving; GROUP],
    there: usize,
    w: &Weights,
) {
    assert!(row < TILE);
    let along = Along::<L>::new(w, 2);
    let mixed = [L::splat(w.mixed[1]), L::splat(w.mixed[2])];
    let dt2 = L::splat(w.dt2);
    let groups = [group % GROUPS, (group + 1) % GROUPS, (group + 2) % GROUPS];
    // The planes that leave are those in the middle.
    let half = (group + 1) % 2;
    for (b, column) in columns.iter().enumerate() {
        for plane in planes {
            fetch_line(plane.ahead[0].wrapping_add(b * BLOCK).cast());
            fetch_line(plane.ahead[1].wrapping_add(b * BLOCK).cast());
        }
        let [p, q] = &column.rows[row];
        // Called twice, not in a loop, which would go through memory.
        // SAFETY: as the caller has promised.
        let ((p, now_p), (q, now_q)) = unsafe {
            (
                split(p, groups, half, (planes, b), (&along, mixed)),
                split(q, groups, half, (planes, b), (&along, mixed)),
            )
        };
        for k in 0..GROUP {
            if k >= there {
                break;
            }
            let ([p1, p2], [q1, q2], plane) = (p[k], q[k], &planes[k]);
            // SAFETY: as the caller has promised.
            unsafe {
                let (v2pz, v2sz) = (plane.medium::<L>(3, b), plane.medium::<L>(4, b));
                let (fast, slow) = (plane.medium::<L>(5, b), plane.medium::<L>(6, b));
                let along = v2pz * q1;
                let p_tt = (v2pz * fast) * p2 + along + v2sz * (p1 - q1);
                let q_tt = (v2pz * slow) * p2 + along - v2sz * (p2 - q2);
                plane.next(0, b, now_p[k], p_tt * dt2);
                plane.next(1, b, now_q[k], q_tt * dt2);
            }
        }
    }
}

/// What all tiles of a step read.
pub(super) struct Step<'a> {
    pub layout: &'a VolumeLayout,
    pub weights: &'a Weights,
    pub media: &'a Media,
    pub now: [&'a [f32]; 2],
}

/// Rows along y, and planes from some on, that one thread computes.
pub(super) struct Tile<'a> {
    /// First row and plane.
    pub from: [usize; 2],
    pub rows: usize,
    /// The level before of p and q, which becomes the next: the tile's rows of each plane.
    pub old: Vec<[&'a mut [f32]; 2]>,
}

/// Makes the step at these points of each row of a tile.
pub(super) type March = fn(&Step<'_>, &mut Tile<'_>, &Range<usize>, &mut Window);

/// In the widest registers that the processor has.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw", "x86_64+avx2"))]
pub(super) fn march(
    step: &Step<'_>,
    tile: &mut Tile<'_>,
    points: &Range<usize>,
    window: &mut Window,
) {
    match_target! {
        "x86_64+avx512f" => march_in::<<f32 as Blocks>::Avx512>(step, tile, points, window),
        "x86_64+avx2" => march_in::<<f32 as Blocks>::Avx2>(step, tile, points, window),
        _ => march_in::<<f32 as Blocks>::Plain>(step, tile, points, window),
    }
}

/// Those that the processor has, and any processor's.
#[cfg(test)]
pub(super) fn all_marches() -> Vec<March> {
    fn plain(step: &Step<'_>, tile: &mut Tile<'_>, points: &Range<usize>, window: &mut Window) {
        march_in::<<f32 as Blocks>::Plain>(step, tile, points, window);
    }
    #[multiversion(targets("x86_64+avx2"))]
    fn older(step: &Step<'_>, tile: &mut Tile<'_>, points: &Range<usize>, window: &mut Window) {
        match_target! {
            "x86_64+avx2" => march_in::<<f32 as Blocks>::Avx2>(step, tile, points, window),
            _ => march_in::<<f32 as Blocks>::Plain>(step, tile, points, window),
        }
    }
    vec![plain, older, march]
}

#[inline(always)]
fn march_in<L: Lanes<Value = f32>>(
    step: &Step<'_>,
    tile: &mut Tile<'_>,
    points: &Range<usize>,
    window: &mut Window,
) {
    let depth = tile.old.len();
    let Window { columns, y } = window;
    let columns = &mut bytemuck::cast_slice_mut(columns)[..points.len() / BLOCK];
    // Beyond the volume differences along y are zero.
    for first in &mut y.first {
        first[0] = ZERO;
        first[columns.len() + 1] = ZERO;
    }
    for group in 0..depth.div_ceil(GROUP) + 2 {
        for slot in 0..GROUP {
            for field in 0..2 {
                enter::<L>(step, tile, points, (columns, y), (group, slot, field));
            }
        }
        if let Some(leaving) = group.checked_sub(2) {
            for row in 0..tile.rows {
                leave_row::<L>(step, tile, points, columns, (row, leaving));
            }
        }
    }
}

/// A plane of one field enters the window. Planes are counted from the tile's first minus four.
#[inline(always)]
fn enter<L: Lanes<Value = f32>>(
    step: &Step<'_>,
    tile: &Tile<'_>,
    points: &Range<usize>,
    (columns, y): (&mut [Column], &mut AlongY),
    (group, slot, field): (usize, usize, usize),
) {
    let Step { layout, weights: w, media, now } = *step;
    let ([top, from], depth, nz) = (tile.from, tile.old.len(), layout.n[2]);
    let plane = from + group * GROUP + slot;
    if plane < H || plane >= nz + H {
        clear(columns, (group, slot, field));
        return;
    }
    let f = Field { values: now[field], row: layout.row };
    for row in (0..tile.rows).step_by(GROUP) {
        // Rows are counted with their border here.
        let around = layout.index([points.start, top + row, plane - H]) - H * layout.row;
        let ahead = around + layout.plane + row * layout.row;
        let to = Place { row, field, group, slot };
        along_y::<L>(f, around, ahead, columns, y, to, w);
        // Where the tile has neighbours along x, their differences along y are taken as well.
        if points.start > 0 {
            beside::<L>(f, around - BLOCK, y, 0, w);
        }
        if points.end < layout.width() {
            beside::<L>(f, around + points.len(), y, columns.len() + 1, w);
        }
        for k in 0..GROUP.min(tile.rows - row) {
            let (iz, iy) = (plane - H, top + row + k);
            media.fetch((iz + GROUP).min(nz - 1), iy);
            // vpz^2 is asked for with p, vsz^2 with q.
            let leaves = from + (group.saturating_sub(2) * GROUP + slot).min(depth - 1);
            let rows = [
                media.row(0, [iz, iy], points),
                media.row(1, [iz, iy], points),
                media.row(3 + field, [leaves, iy], points),
            ];
            let along = [&y.first[k][..], &y.second[k][..]];
            let to = Place { row: row + k, ..to };
            along_x::<L>(f, around + (k + H) * layout.row, along, rows, columns, to, w);
        }
    }
}

/// First differences along y of a group of rows, in the block `to` beside them.
#[inline(always)]
fn beside<L: Lanes<Value = f32>>(f: Field<'_>, at: usize, y: &mut AlongY, to: usize, w: &Weights) {
    let (along, rows) = (Along::<L>::new(w, 1), f.rows::<L>(at));
    for k in 0..GROUP {
        along.first(&rows, k).put(&mut y.first[k][to]);
    }
}

/// A plane beyond the volume.
fn clear(columns: &mut [Column], (group, slot, field): (usize, usize, usize)) {
    for column in columns {
        for row in &mut column.rows {
            let kept = &mut row[field];
            for values in [&mut kept.f, &mut kept.x, &mut kept.y] {
                values[group % GROUPS][slot] = ZERO;
            }
        }
    }
}

/// A row of the planes of a group leaves.
#[inline(always)]
fn leave_row<L: Lanes<Value = f32>>(
    step: &Step<'_>,
    tile: &mut Tile<'_>,
    points: &Range<usize>,
    columns: &[Column],
    (row, group): (usize, usize),
) {
    let Step { layout, weights, media, .. } = *step;
    let ([top, from], depth) = (tile.from, tile.old.len());
    let (at, iy) = (row * layout.row + points.start, top + row);
    let leaving = group * GROUP;
    let next = if row + 1 < tile.rows { at + layout.row } else { at };
    let there = GROUP.min(depth - leaving);
    let mut planes = [Leaving::NONE; GROUP];
    for k in 0..GROUP {
        if k >= there {
            // Any rows: of this plane nothing is stored.
            planes[k] = planes[there - 1];
            continue;
        }
        let plane = leaving + k;
        for which in 0..7 {
            planes[k].media[which] = media.row(which, [from + plane, iy], points).as_ptr().cast();
        }
        for field in 0..2 {
            let old = &mut *tile.old[plane][field];
            planes[k].ahead[field] = old[next..].as_ptr();
            planes[k].old[field] = old[at..][..points.len()].as_mut_ptr();
        }
    }
    // SAFETY: all rows have these points, and the tile's are this thread's alone.
    unsafe { leave::<L>(columns, (row, group), &planes, there, weights) };
}
