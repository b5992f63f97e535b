//! The innermost loops: rows along z of the stencil, and what the absorbing layers add to them.
//!
//! Every row is whole blocks of fixed length, which are computed in whatever registers the machine
//! has ([`Lanes`]). Sums are written in one fixed order and never fused, so that each machine - the
//! CUDA back end, too - gives the same bits.
//!
//! [`Around`] reads by pointers: a slice for each of the 3 * order neighbours of a row would need
//! more registers than there are, and a check for each read, which costs an eighth of the speed.
use std::hint::black_box;
use std::marker::PhantomData;

use super::cpml::Window;
use crate::fd;
use crate::real::{BLOCK, Lanes, Real};

/// The largest half order.
const MOST: usize = 8;

/// Half the order of the stencil, as a loop over distances knows it.
pub(crate) trait Half: Copy {
    /// The number.
    fn get(self) -> usize;
}

/// Known when the loop is compiled: all its terms are written out.
#[derive(Clone, Copy)]
pub(crate) struct Known<const H: usize>;

impl<const H: usize> Half for Known<H> {
    #[inline(always)]
    fn get(self) -> usize {
        H
    }
}

/// Known when the loop runs: one code for all orders, a little slower.
impl Half for usize {
    #[inline(always)]
    fn get(self) -> usize {
        self
    }
}

/// Weights of the differences along one axis, divided by the spacings; zero at distances beyond
/// half the order.
#[derive(Clone, Copy)]
pub(crate) struct Axis<T> {
    /// First difference at distances 1, 2, ..., per m.
    first: [T; MOST],
    /// Second difference at distances 1, 2, ..., per m^2.
    pub second: [T; MOST],
    /// Weight of the point itself in the second difference.
    centre: T,
}

/// Weights of all differences.
#[derive(Clone)]
pub(crate) struct Weights<T> {
    /// Half the order.
    pub half: usize,
    /// Weight of the point itself in the Laplacian.
    centre: T,
    pub axes: [Axis<T>; 3],
}

impl<T: Real> Weights<T> {
    pub fn new(order: usize, d_m: [f64; 3]) -> Self {
        let (c, d) = (fd::second(order), fd::first(order));
        let sides = |weights: &[f64], unit: f64| {
            std::array::from_fn(|l| weights.get(l + 1).map_or(T::ZERO, |w| T::of(w / unit)))
        };
        let axes = d_m.map(|s| Axis {
            first: sides(&d, s),
            second: sides(&c, s * s),
            centre: T::of(c[0] / (s * s)),
        });
        let centre = T::of(d_m.map(|s| c[0] / (s * s)).iter().sum());
        Weights { half: order / 2, centre, axes }
    }
}

impl<T: Real> Axis<T> {
    /// In registers, up to distance `half`: outside of a loop, for the compiler does not know that
    /// what the loop writes are no weights.
    #[inline(always)]
    fn splat<L: Lanes<Value = T>>(&self, half: impl Half) -> Axis<L> {
        let zero = L::splat(T::ZERO);
        let centre = L::splat(self.centre);
        let mut axis = Axis { first: [zero; MOST], second: [zero; MOST], centre };
        for l in 0..half.get() {
            axis.first[l] = L::splat(self.first[l]);
            axis.second[l] = L::splat(self.second[l]);
        }
        axis
    }
}

impl<L: Lanes> Axis<L> {
    /// What the points at distance `l + 1` add to the first difference.
    #[inline(always)]
    fn odd(&self, l: usize, sides: &Sides<L>) -> L {
        self.first[l] * (sides[l][1] - sides[l][0])
    }

    /// First difference: `sum_l w_l (behind_l - before_l)`.
    #[inline(always)]
    fn first(&self, half: impl Half, sides: &Sides<L>) -> L {
        let mut sum = self.odd(0, sides);
        for l in 1..half.get() {
            sum = sum + self.odd(l, sides);
        }
        sum
    }

    /// What the points at distance `l + 1` add to the second difference.
    #[inline(always)]
    fn pair(&self, l: usize, sides: &Sides<L>) -> L {
        self.second[l] * (sides[l][0] + sides[l][1])
    }

    /// Second difference: `c here + sum_l w_l (before_l + behind_l)`.
    #[inline(always)]
    fn second(&self, half: impl Half, here: L, sides: &Sides<L>) -> L {
        let mut sum = self.pair(0, sides);
        for l in 1..half.get() {
            sum = sum + self.pair(l, sides);
        }
        self.centre * here + sum
    }
}

/// The blocks at distances 1, 2, ... before and behind one.
type Sides<L> = [[L; 2]; MOST];

/// Values that are computed together, in memory.
pub(crate) type Block<T> = [T; BLOCK];

/// `values` as whole blocks; their number must be known to be `m`, so that no index into them needs
/// a check.
#[inline(always)]
fn blocks<T: Real>(values: &[T], m: usize) -> &[Block<T>] {
    &values.as_chunks::<BLOCK>().0[..m]
}

#[inline(always)]
fn blocks_mut<T: Real>(values: &mut [T], m: usize) -> &mut [Block<T>] {
    &mut values.as_chunks_mut::<BLOCK>().0[..m]
}

/// A block that starts anywhere.
#[inline(always)]
fn block_at<T: Real>(values: &[T], at: usize) -> &Block<T> {
    &values[at..].as_chunks::<BLOCK>().0[0]
}

/// The same, to be changed.
#[inline(always)]
fn block_at_mut<T: Real>(values: &mut [T], at: usize) -> &mut Block<T> {
    &mut values[at..].as_chunks_mut::<BLOCK>().0[0]
}

/// A statement for each distance `l` from 1 to `half`, written out: a shift is an instruction only
/// where the distance is a constant.
macro_rules! for_each_distance {
    ($half:expr, $l:ident => $($statement:tt)*) => {
        for_each_distance!(@ $half, $l, 1 2 3 4 5 6 7 8, { $($statement)*; })
    };
    (@ $half:expr, $l:ident, $($distance:literal)+, $statement:tt) => {
        $(if $half.get() >= $distance {
            let $l: isize = $distance;
            $statement
        })+
    };
}

/// A row of an array, and what lies within `half` steps of it along each axis.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a, L: Lanes, H> {
    half: H,
    row: *const L::Value,
    blocks: usize,
    steps: [usize; 2],
    of: PhantomData<&'a [L::Value]>,
}

impl<'a, L: Lanes, H: Half> Around<'a, L, H> {
    /// The `n` values from `at` on, whole blocks; `steps` lie between neighbours along x and y.
    ///
    /// # Panics
    /// If a neighbour, or a block beside the row, lies outside of `elements`.
    #[inline(always)]
    pub fn new(half: H, elements: &'a [L::Value], at: usize, steps: [usize; 2], n: usize) -> Self {
        let reach = (half.get() * steps[0].max(steps[1])).max(BLOCK);
        assert!(reach <= at && at + n + reach <= elements.len(), "the halo is too narrow");
        // Not from the slice elements[at..]: its pointer could not go back.
        let row = elements.as_ptr().wrapping_add(at);
        Around { half, row, blocks: n / BLOCK, steps, of: PhantomData }
    }

    /// The same for `n` values of the row, from its value `from` on.
    #[inline(always)]
    pub fn part(self, from: usize, n: usize) -> Self {
        assert!(from + n <= self.blocks * BLOCK);
        Around { row: self.row.wrapping_add(from), blocks: n / BLOCK, ..self }
    }

    /// A block of the row. Of its address the compiler is to know nothing: else it would keep one
    /// for each neighbour through the loop over blocks, more than there are registers, where one
    /// address and the distances to the neighbours will do.
    #[inline(always)]
    fn place(&self, block: usize) -> *const L::Value {
        if cfg!(test) {
            assert!(block < self.blocks);
        }
        black_box(self.row.wrapping_add(block * BLOCK))
    }

    /// The block at a place.
    #[inline(always)]
    fn here(&self, place: *const L::Value) -> L {
        // SAFETY: `new` has seen that the row's blocks lie in the array, which is borrowed for 'a,
        // and all callers are in this module and have the place from `place`, of a block of the
        // row.
        unsafe { L::load(place) }
    }

    /// The blocks on both sides of a place along `AXIS`.
    #[inline(always)]
    fn sides<const AXIS: usize>(&self, place: *const L::Value) -> Sides<L> {
        let mut sides = [[L::splat(<L::Value as Real>::ZERO); 2]; MOST];
        for_each_distance!(self.half, l => sides[l as usize - 1] = self.beside::<AXIS>(place, l));
        sides
    }

    /// The blocks `l` steps before and behind a place.
    #[inline(always)]
    fn beside<const AXIS: usize>(&self, place: *const L::Value, l: isize) -> [L; 2] {
        // SAFETY: `new` has seen that `half` steps along each axis from the row's blocks, and the
        // blocks before and behind it, lie in the array; the place is that of a block, as in
        // `here`.
        unsafe {
            if AXIS == 2 {
                [L::beside(place, -l), L::beside(place, l)]
            } else {
                let step = self.steps[AXIS] as isize * l;
                [L::load(place.offset(-step)), L::load(place.offset(step))]
            }
        }
    }
}

/// How far ahead in psi and zeta, in bytes.
const BEHIND: usize = 2048;

/// The same for the state of a z face, of which a row has only some ten values.
const BEHIND_ALONG: usize = 128;

/// Asks for a cache line, at any address.
// It reads nothing there.
#[allow(clippy::not_unsafe_ptr_arg_deref)]
#[inline(always)]
pub fn fetch_line(place: *const i8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: this is a hint. It reads and writes nothing, whatever the address is, and all x86_64
    // processors have it.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place)
    };
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Asks for the memory of a row that will be needed soon.
#[inline(always)]
pub fn fetch_ahead<T>(row: &[T]) {
    for line in row.chunks(64 / size_of::<T>()) {
        fetch_line(line.as_ptr().cast());
    }
}

/// Rows that will be needed soon. Hardware that fetches ahead by itself follows few streams; a
/// march along x has one for each plane of each of its arrays and loses half its time without this.
/// Asked for block by block, between the work: all of a row at once would wait for one another.
#[derive(Clone, Copy)]
pub(crate) struct Ahead<T, const N: usize> {
    places: [*const T; N],
}

impl<T: Real, const N: usize> Ahead<T, N> {
    /// From these places of these arrays on, which may lie beyond the end.
    #[inline(always)]
    pub fn new(rows: [(&[T], usize); N]) -> Self {
        Ahead { places: rows.map(|(values, at)| values.as_ptr().wrapping_add(at)) }
    }

    #[inline(always)]
    fn fetch(&self, block: usize) {
        for place in self.places {
            let start = place.wrapping_add(block * BLOCK);
            // A block of f64 is two cache lines.
            fetch_line(start.cast());
            if BLOCK * T::BYTES > 64 {
                fetch_line(start.wrapping_add(BLOCK / 2).cast());
            }
        }
    }
}

/// `next = 2 cur - next + v lap(cur)` for a row, in place; v is `v^2 dt^2`.
#[inline(always)]
pub(crate) fn update<L: Lanes, H: Half>(
    next: &mut [L::Value],
    v: &[L::Value],
    cur: &Around<'_, L, H>,
    w: &Weights<L::Value>,
    ahead: &Ahead<L::Value, 3>,
) {
    let (m, half) = (cur.blocks, cur.half);
    let (vs, nexts) = (blocks(v, m), blocks_mut(next, m));
    let (centre, [x, y, z]) = (L::splat(w.centre), &w.axes);
    let (x, y, z) = (x.splat::<L>(half), y.splat::<L>(half), z.splat::<L>(half));
    for (block, (next, v)) in nexts.iter_mut().zip(vs).enumerate() {
        ahead.fetch(block);
        let place = cur.place(block);
        let here = cur.here(place);
        let (along_x, along_y) = (cur.sides::<0>(place), cur.sides::<1>(place));
        let along_z = cur.sides::<2>(place);
        let mut lap = centre * here;
        for l in 0..half.get() {
            lap = lap + x.pair(l, &along_x);
            lap = lap + y.pair(l, &along_y);
            lap = lap + z.pair(l, &along_z);
        }
        ((here + here - L::of(next)) + L::of(v) * lap).flushed().put(next);
    }
}

/// `to = from`.
#[inline(always)]
pub(crate) fn copy<T: Real>(to: &mut [T], from: &[T], ahead: &Ahead<T, 1>) {
    for (block, (to, from)) in to.chunks_mut(BLOCK).zip(from.chunks(BLOCK)).enumerate() {
        ahead.fetch(block);
        to.copy_from_slice(from);
    }
}

/// `sum += a b`.
#[inline(always)]
pub(crate) fn accumulate<L: Lanes, const N: usize>(
    sum: &mut [L::Value],
    a: &[L::Value],
    b: &[L::Value],
    ahead: &Ahead<L::Value, N>,
) {
    let n = sum.len();
    let whole = n / BLOCK;
    let (a, b) = (&a[..n], &b[..n]);
    let (sums, rest) = sum.as_chunks_mut::<BLOCK>();
    for (block, (sum, (a, b))) in
        sums.iter_mut().zip(blocks(a, whole).iter().zip(blocks(b, whole))).enumerate()
    {
        ahead.fetch(block);
        (L::of(sum) + L::of(a) * L::of(b)).put(sum);
    }
    let done = whole * BLOCK;
    for (sum, (a, b)) in rest.iter_mut().zip(a[done..].iter().zip(&b[done..])) {
        *sum += *a * *b;
    }
}

/// A row of a layer of an x or y face.
pub(crate) struct LayerRow<'a, L: Lanes, H> {
    pub cur: Around<'a, L, H>,
    /// The new level.
    pub next: &'a mut [L::Value],
    pub v: &'a [L::Value],
    /// The recursion's coefficients.
    pub a: L::Value,
    pub b: L::Value,
}

/// The terms of an x or y face's layer (CPML) for its rows that lie one behind the other along
/// `AXIS`: `psi = a psi + b d(cur)`, `zeta = a zeta + b (d2(cur) + d(psi))`, and `v (d(psi) +
/// zeta)` is added to the new level. psi and zeta are kept block after block, in each the rows one
/// behind the other; `column` is room for a block of psi of each row and `half` more on both sides,
/// which are zero.
#[inline(always)]
pub(crate) fn across<L: Lanes, H: Half, const AXIS: usize>(
    half: H,
    rows: &mut [LayerRow<'_, L, H>],
    (psi, zeta): (&mut [L::Value], &mut [L::Value]),
    column: &mut [Block<L::Value>],
    w: &Weights<L::Value>,
) {
    let (layers, w) = (rows.len(), w.axes[AXIS].splat::<L>(half));
    assert!(rows.iter().all(|row| row.cur.blocks * layers * BLOCK == psi.len()));
    let blocks = blocks_mut(psi, psi.len() / BLOCK)
        .chunks_exact_mut(layers)
        .zip(blocks_mut(zeta, zeta.len() / BLOCK).chunks_exact_mut(layers));
    for (block, (psi, zeta)) in blocks.enumerate() {
        let new = &mut column[half.get()..][..layers];
        for ((row, psi), new) in rows.iter().zip(psi).zip(new) {
            fetch_line(psi.as_ptr().cast::<i8>().wrapping_add(BEHIND));
            let d = w.first(half, &row.cur.sides::<AXIS>(row.cur.place(block)));
            let value = (L::splat(row.a) * L::of(psi) + L::splat(row.b) * d).flushed();
            value.put(psi);
            value.put(new);
        }
        for (k, (row, zeta)) in rows.iter_mut().zip(zeta).enumerate() {
            fetch_line(zeta.as_ptr().cast::<i8>().wrapping_add(BEHIND));
            let place = row.cur.place(block);
            let d2 = w.second(half, row.cur.here(place), &row.cur.sides::<AXIS>(place));
            let mut sides = [[d2; 2]; MOST];
            let column = &column[k..k + 2 * half.get() + 1];
            for (l, sides) in sides.iter_mut().enumerate().take(half.get()) {
                let h = half.get();
                *sides = [L::of(&column[h - 1 - l]), L::of(&column[h + 1 + l])];
            }
            let d_psi = w.first(half, &sides);
            let value = (L::splat(row.a) * L::of(zeta) + L::splat(row.b) * (d2 + d_psi)).flushed();
            value.put(zeta);
            let at = block * BLOCK;
            let (v, next) = (block_at(row.v, at), block_at_mut(row.next, at));
            (L::of(next) + L::of(v) * (d_psi + value)).flushed().put(next);
        }
    }
}

/// psi of the layer of a z face, at one end of a row: `cur` is the part of the row in the window,
/// which starts at `at` in psi.
#[inline(always)]
pub(crate) fn psi_along<L: Lanes, H: Half>(
    psi: &mut [L::Value],
    at: usize,
    cur: &Around<'_, L, H>,
    window: &Window<L::Value>,
    w: &Weights<L::Value>,
) {
    let (m, w) = (window.a.len(), w.axes[2].splat::<L>(cur.half));
    assert!(m <= cur.blocks);
    for k in 0..m {
        let d = w.first(cur.half, &cur.sides::<2>(cur.place(k)));
        let psi = block_at_mut(psi, at + k * BLOCK);
        fetch_line(psi.as_ptr().cast::<i8>().wrapping_add(BEHIND_ALONG));
        let (inside, old) = (L::of(&window.inside[k]), L::of(psi));
        let new = (L::of(&window.a[k]) * old + L::of(&window.b[k]) * d).flushed();
        new.within(inside, old).put(psi);
    }
}

/// A block of psi in the window, which is zero outside of the layer.
#[inline(always)]
fn within_layer<L: Lanes>(psi: &[L::Value], at: usize, window: &Window<L::Value>, k: usize) -> L {
    let zero = L::splat(<L::Value as Real>::ZERO);
    match window.inside.get(k) {
        Some(inside) => L::of(block_at(psi, at + k * BLOCK)).within(L::of(inside), zero),
        None => zero,
    }
}

/// zeta of such a layer, and what both add to the new level. `next`, `v` and `cur` are the parts of
/// the rows in the window, which starts at `at` in psi and zeta.
#[inline(always)]
pub(crate) fn add_along<L: Lanes, H: Half>(
    (next, v): (&mut [L::Value], &[L::Value]),
    cur: &Around<'_, L, H>,
    (psi, zeta, at): (&[L::Value], &mut [L::Value], usize),
    window: &Window<L::Value>,
    w: &Weights<L::Value>,
) {
    let (half, zero) = (cur.half, L::splat(<L::Value as Real>::ZERO));
    let (m, w) = (window.a.len(), w.axes[2].splat::<L>(half));
    assert!(m <= cur.blocks);
    let (vs, nexts) = (blocks(v, m), blocks_mut(next, m));
    // psi before, at and behind a block.
    let mut line = [zero, zero, within_layer(psi, at, window, 0)];
    for k in 0..m {
        line = [line[1], line[2], within_layer(psi, at, window, k + 1)];
        let place = cur.place(k);
        let d2 = w.second(half, cur.here(place), &cur.sides::<2>(place));
        let mut sides = [[zero; 2]; MOST];
        for_each_distance!(half, l => sides[l as usize - 1] =
            [L::shifted(line, -l), L::shifted(line, l)]);
        let d_psi = w.first(half, &sides);
        let zeta = block_at_mut(zeta, at + k * BLOCK);
        fetch_line(zeta.as_ptr().cast::<i8>().wrapping_add(BEHIND_ALONG));
        let (inside, old, sum) = (L::of(&window.inside[k]), L::of(zeta), L::of(&nexts[k]));
        let new = (L::of(&window.a[k]) * old + L::of(&window.b[k]) * (d2 + d_psi)).flushed();
        new.within(inside, old).put(zeta);
        let added = (sum + L::of(&vs[k]) * (d_psi + new)).flushed();
        added.within(inside, sum).put(&mut nexts[k]);
    }
}
