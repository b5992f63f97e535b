//! The innermost loops: rows along z of the stencil, and what the absorbing layers add to them.
//!
//! Every row is whole blocks of fixed length, which are computed in whatever registers the machine
//! has ([`Lanes`]). Sums are written in one fixed order and never fused, so that each machine - the
//! CUDA back end, too - gives the same bits.
//!
//! [`Around`] reads by pointers: a slice for each of the 3 * order neighbours of a row would need
//! more registers than there are, and a check for each read, which costs an eighth of the speed.
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

/// Weights of the differences, divided by the spacings; zero at distances beyond half the order.
#[derive(Clone)]
pub(crate) struct Weights<T> {
    /// Half the order.
    pub half: usize,
    /// Weight of the point itself in the Laplacian.
    pub centre: T,
    /// Second difference along each axis at distances 1, 2, ..., per m^2.
    pub second: [[T; MOST]; 3],
    /// Weight of the point itself in each second difference.
    pub second_centre: [T; 3],
    /// First difference along each axis at distances 1, 2, ..., per m.
    pub first: [[T; MOST]; 3],
}

impl<T: Real> Weights<T> {
    pub fn new(order: usize, d_m: [f64; 3]) -> Self {
        let (c, d) = (fd::second(order), fd::first(order));
        let second_centre = d_m.map(|s| c[0] / (s * s));
        let sides = |weights: &[f64], unit: f64| {
            std::array::from_fn(|l| weights.get(l + 1).map_or(T::ZERO, |w| T::of(w / unit)))
        };
        Weights {
            half: order / 2,
            centre: T::of(second_centre.iter().sum()),
            second: d_m.map(|s| sides(&c, s * s)),
            second_centre: second_centre.map(T::of),
            first: d_m.map(|s| sides(&d, s)),
        }
    }
}

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
fn block_at_mut<T: Real>(values: &mut [T], at: usize) -> &mut Block<T> {
    &mut values[at..].as_chunks_mut::<BLOCK>().0[0]
}

/// A row of an array, the same row of the planes of x behind it, and what lies within `half` steps
/// of them along each axis.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a, L: Lanes, H> {
    half: H,
    row: *const L::Value,
    blocks: usize,
    planes: usize,
    steps: [usize; 3],
    of: PhantomData<&'a [L::Value]>,
}

impl<'a, L: Lanes, H: Half> Around<'a, L, H> {
    /// The `n` values from `at` on, whole blocks, in each of `planes` planes; `steps` lie between
    /// neighbours along x, y, z.
    ///
    /// # Panics
    /// If a neighbour lies outside of `elements`.
    #[inline(always)]
    pub fn new(
        half: H,
        elements: &'a [L::Value],
        at: usize,
        steps: [usize; 3],
        n: usize,
        planes: usize,
    ) -> Self {
        let reach = half.get() * steps[0].max(steps[1]).max(steps[2]);
        let end = at + n + reach + planes.saturating_sub(1) * steps[0];
        assert!(reach <= at && end <= elements.len(), "the halo is too narrow");
        // Not from the slice elements[at..]: its pointer could not go back.
        let row = elements.as_ptr().wrapping_add(at);
        Around { half, row, blocks: n / BLOCK, planes, steps, of: PhantomData }
    }

    /// The same for `n` values of the row, from its value `from` on.
    #[inline(always)]
    pub fn part(self, from: usize, n: usize) -> Self {
        assert!(from + n <= self.blocks * BLOCK);
        Around { row: self.row.wrapping_add(from), blocks: n / BLOCK, ..self }
    }

    /// The block `l` steps along `AXIS` from a block of plane `r`.
    #[inline(always)]
    fn at<const AXIS: usize>(&self, r: usize, l: isize, block: usize) -> L {
        if cfg!(test) {
            assert!(r < self.planes && block < self.blocks && l.unsigned_abs() <= self.half.get());
        }
        let offset = (r * self.steps[0] + block * BLOCK) as isize + l * self.steps[AXIS] as isize;
        // SAFETY: `new` has seen that the row's blocks lie in the array with `half` steps along
        // each axis on both sides in each plane, the array is borrowed for 'a, and all callers are
        // in this module and ask for planes and blocks of the row and at most `half` steps.
        unsafe { L::load(self.row.offset(offset)) }
    }

    /// The block of plane `r` itself.
    #[inline(always)]
    fn here(&self, r: usize, block: usize) -> L {
        self.at::<0>(r, 0, block)
    }

    /// What the points at distance `l + 1` along `AXIS` add to the second difference:
    /// `w_l (plus_l + minus_l)`.
    #[inline(always)]
    fn pair<const AXIS: usize>(
        &self,
        w: &Weights<L::Value>,
        r: usize,
        l: usize,
        block: usize,
    ) -> L {
        let minus = self.at::<AXIS>(r, -(l as isize) - 1, block);
        let plus = self.at::<AXIS>(r, l as isize + 1, block);
        L::splat(w.second[AXIS][l]) * (minus + plus)
    }

    /// Sum of the second differences, of `R` planes at once: their neighbours along x are mostly
    /// the same.
    #[inline(always)]
    fn laplacian<const R: usize>(
        &self,
        w: &Weights<L::Value>,
        cur: &[L; R],
        block: usize,
    ) -> [L; R] {
        let mut lap = *cur;
        for sum in &mut lap {
            *sum = L::splat(w.centre) * *sum;
        }
        for l in 0..self.half.get() {
            for (r, sum) in lap.iter_mut().enumerate() {
                *sum = *sum + self.pair::<0>(w, r, l, block);
                *sum = *sum + self.pair::<1>(w, r, l, block);
                *sum = *sum + self.pair::<2>(w, r, l, block);
            }
        }
        lap
    }

    /// Second difference along `AXIS`: `c cur + sum_l w_l (plus_l + minus_l)`.
    #[inline(always)]
    fn second<const AXIS: usize>(&self, w: &Weights<L::Value>, block: usize) -> L {
        let mut sum = self.pair::<AXIS>(w, 0, 0, block);
        for l in 1..self.half.get() {
            sum = sum + self.pair::<AXIS>(w, 0, l, block);
        }
        L::splat(w.second_centre[AXIS]) * self.here(0, block) + sum
    }

    /// First difference along `AXIS`: `sum_l w_l (plus_l - minus_l)`.
    #[inline(always)]
    fn first<const AXIS: usize>(&self, w: &Weights<L::Value>, block: usize) -> L {
        let mut sum = self.odd::<AXIS>(w, 0, block);
        for l in 1..self.half.get() {
            sum = sum + self.odd::<AXIS>(w, l, block);
        }
        sum
    }

    /// What the points at distance `l + 1` along `AXIS` add to the first difference.
    #[inline(always)]
    fn odd<const AXIS: usize>(&self, w: &Weights<L::Value>, l: usize, block: usize) -> L {
        let minus = self.at::<AXIS>(0, -(l as isize) - 1, block);
        let plus = self.at::<AXIS>(0, l as isize + 1, block);
        L::splat(w.first[AXIS][l]) * (plus - minus)
    }
}

/// The rows at distances 1 to `half` on both sides of a row of psi. By pointers, as [`Around`].
pub(crate) struct Sides<'a, L: Lanes, H> {
    half: H,
    minus: [*const L::Value; MOST],
    plus: [*const L::Value; MOST],
    blocks: usize,
    of: PhantomData<&'a [L::Value]>,
}

impl<'a, L: Lanes, H: Half> Sides<'a, L, H> {
    /// The rows that `row` gives for each signed distance, the first `n` values of them.
    #[inline(always)]
    pub fn new(half: H, n: usize, row: impl Fn(isize) -> &'a [L::Value]) -> Self {
        let (mut minus, mut plus) = ([std::ptr::null(); MOST], [std::ptr::null(); MOST]);
        for l in 0..half.get() {
            minus[l] = row(-(l as isize) - 1)[..n].as_ptr();
            plus[l] = row(l as isize + 1)[..n].as_ptr();
        }
        Sides { half, minus, plus, blocks: n / BLOCK, of: PhantomData }
    }

    /// `sum_l w_l (plus_l - minus_l)`.
    #[inline(always)]
    fn first(&self, w: &[L::Value; MOST], block: usize) -> L {
        let mut sum = self.odd(w, 0, block);
        for l in 1..self.half.get() {
            sum = sum + self.odd(w, l, block);
        }
        let last = self.plus[self.half.get() - 1].wrapping_add(block * BLOCK);
        fetch_line(last.cast::<i8>().wrapping_add(BEHIND));
        sum
    }

    /// What the rows at distance `l + 1` add to it.
    #[inline(always)]
    fn odd(&self, w: &[L::Value; MOST], l: usize, block: usize) -> L {
        if cfg!(test) {
            assert!(block < self.blocks && l < self.half.get());
        }
        // SAFETY: `new` has seen that each of `half` rows has all blocks, they are borrowed for 'a,
        // and all callers are in this module and ask for blocks of these rows.
        let (minus, plus) = unsafe {
            (L::load(self.minus[l].add(block * BLOCK)), L::load(self.plus[l].add(block * BLOCK)))
        };
        L::splat(w[l]) * (plus - minus)
    }
}

/// How far, in bytes: about a row.
const BEHIND: usize = 1024;

/// The same for the state of a z face, of which a row has only some ten values.
const BEHIND_ALONG: usize = 128;

/// Asks for what lies some rows behind a block of an array through which the march goes from one
/// end to the other.
#[inline(always)]
fn fetch_behind<T: Real>(values: &[Block<T>], block: usize) {
    fetch_line(values.as_ptr().wrapping_add(block).cast::<i8>().wrapping_add(BEHIND));
}

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

/// `next = 2 cur - next + v lap(cur)` for a row of each of `R` planes, in place; v is `v^2 dt^2`.
/// All rows are whole blocks.
#[inline(always)]
pub(crate) fn update<L: Lanes, H: Half, const R: usize>(
    next: [&mut [L::Value]; R],
    v: [&[L::Value]; R],
    around: &Around<'_, L, H>,
    w: &Weights<L::Value>,
    ahead: &[Ahead<L::Value, 3>; R],
) {
    let m = around.blocks;
    assert!(R <= around.planes);
    let (vs, nexts) = (v.map(|v| blocks(v, m)), next.map(|next| blocks_mut(next, m)));
    for block in 0..m {
        ahead.iter().for_each(|ahead| ahead.fetch(block));
        let mut cur = [around.here(0, block); R];
        for (r, cur) in cur.iter_mut().enumerate().skip(1) {
            *cur = around.here(r, block);
        }
        let lap = around.laplacian(w, &cur, block);
        for r in 0..R {
            let (cur, v, next) = (cur[r], L::of(&vs[r][block]), &mut nexts[r][block]);
            ((cur + cur - L::of(next)) + v * lap[r]).flushed().put(next);
        }
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

/// The layer of an x or y face in which a row lies.
pub(crate) struct Across<'a, L: Lanes, H> {
    pub a: L::Value,
    pub b: L::Value,
    pub psi: Sides<'a, L, H>,
    pub zeta: &'a mut [L::Value],
}

/// `psi = a psi + b d(cur)` for one row in a layer of an x or y face (CPML, step 1).
#[inline(always)]
pub(crate) fn psi_across<L: Lanes, H: Half, const AXIS: usize>(
    psi: &mut [L::Value],
    cur: &Around<'_, L, H>,
    w: &Weights<L::Value>,
    a: L::Value,
    b: L::Value,
) {
    let m = cur.blocks;
    let psi = blocks_mut(psi, m);
    let (a, b) = (L::splat(a), L::splat(b));
    for block in 0..m {
        fetch_behind(psi, block);
        if AXIS == 0 {
            // The march has not yet come to this plane.
            let farthest = cur.row.wrapping_add(cur.half.get() * cur.steps[0] + block * BLOCK);
            fetch_line(farthest.cast::<i8>().wrapping_add(BEHIND));
        }
        let d = cur.first::<AXIS>(w, block);
        (a * L::of(&psi[block]) + b * d).flushed().put(&mut psi[block]);
    }
}

/// `zeta = a zeta + b (d2 + d(psi))`, and `v (d(psi) + zeta)` is added to the new level, for such a
/// row (CPML, steps 2 and 3).
#[inline(always)]
pub(crate) fn add_across<L: Lanes, H: Half, const AXIS: usize>(
    next: &mut [L::Value],
    v: &[L::Value],
    cur: &Around<'_, L, H>,
    w: &Weights<L::Value>,
    layer: Across<'_, L, H>,
) {
    let m = cur.blocks;
    assert!(m <= layer.psi.blocks);
    let (vs, nexts, zetas) = (blocks(v, m), blocks_mut(next, m), blocks_mut(layer.zeta, m));
    let (a, b) = (L::splat(layer.a), L::splat(layer.b));
    for block in 0..m {
        fetch_behind(zetas, block);
        let d2 = cur.second::<AXIS>(w, block);
        let d_psi = layer.psi.first(&w.first[AXIS], block);
        let zeta = (a * L::of(&zetas[block]) + b * (d2 + d_psi)).flushed();
        zeta.put(&mut zetas[block]);
        let next = &mut nexts[block];
        (L::of(next) + L::of(&vs[block]) * (d_psi + zeta)).flushed().put(next);
    }
}

/// [`psi_across`] for the layer of a z face, which holds one end of each row: `cur` is the part of
/// the row in the window, and `psi.1` is where the window's first point lies in `psi.0`. The second
/// difference, which [`add_along`] needs, has the same neighbours and is kept in `d2`.
#[inline(always)]
pub(crate) fn psi_along<L: Lanes, H: Half>(
    psi: (&mut [L::Value], usize),
    d2: &mut [Block<L::Value>],
    cur: &Around<'_, L, H>,
    w: &Weights<L::Value>,
    window: &Window<L::Value>,
) {
    assert!(d2.len() <= cur.blocks);
    for (k, d2) in d2.iter_mut().enumerate() {
        let d = cur.first::<2>(w, k);
        cur.second::<2>(w, k).put(d2);
        let (a, b) = (L::of(&window.a[k]), L::of(&window.b[k]));
        let inside = L::of(&window.inside[k]);
        let psi = block_at_mut(psi.0, psi.1 + k * BLOCK);
        fetch_line(psi.as_ptr().cast::<i8>().wrapping_add(BEHIND_ALONG));
        let old = L::of(psi);
        (a * old + b * d).flushed().within(inside, old).put(psi);
    }
}

/// The layer of a z face in one row.
pub(crate) struct Along<'a, L: Lanes> {
    pub window: &'a Window<L::Value>,
    /// The second difference in the window.
    pub d2: &'a [Block<L::Value>],
    /// Where the window's first point lies in psi and zeta.
    pub psi: (&'a [L::Value], usize),
    pub zeta: (&'a mut [L::Value], usize),
}

/// [`add_across`] for such a layer; nothing outside of it. `next` and `v` are the parts of the rows
/// in the window.
#[inline(always)]
pub(crate) fn add_along<L: Lanes, H: Half>(
    half: H,
    next: &mut [L::Value],
    v: &[L::Value],
    w: &Weights<L::Value>,
    layer: Along<'_, L>,
) {
    let Along { window, d2, psi, zeta } = layer;
    let m = window.a.len();
    let (vs, nexts) = (blocks(v, m), blocks_mut(next, m));
    let psi = Around::<L, H>::new(half, psi.0, psi.1, [1; 3], m * BLOCK, 1);
    for k in 0..m {
        let (a, b) = (L::of(&window.a[k]), L::of(&window.b[k]));
        let inside = L::of(&window.inside[k]);
        let d_psi = psi.first::<2>(w, k);
        let zeta = block_at_mut(zeta.0, zeta.1 + k * BLOCK);
        fetch_line(zeta.as_ptr().cast::<i8>().wrapping_add(BEHIND_ALONG));
        let (old, sum) = (L::of(zeta), L::of(&nexts[k]));
        let new = (a * old + b * (L::of(&d2[k]) + d_psi)).flushed();
        new.within(inside, old).put(zeta);
        let added = (sum + L::of(&vs[k]) * (d_psi + new)).flushed();
        added.within(inside, sum).put(&mut nexts[k]);
    }
}
