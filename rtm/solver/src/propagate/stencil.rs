//! The innermost loops: rows along z of the stencil, and what the absorbing layers add to them.
//!
//! Every row is whole blocks of fixed length, which the compiler turns into vectors of whatever
//! width the machine has. Sums are written in one fixed order and never fused, so that each
//! machine - the CUDA back end, too - gives the same bits.
//!
//! [`Around`] reads by pointers: a slice for each of the 3 * order neighbours of a row would need
//! more registers than there are, and a check for each read, which costs an eighth of the speed.
// Several arrays are indexed alike in every loop here.
#![allow(clippy::needless_range_loop)]

use std::marker::PhantomData;

use super::cpml::Window;
use crate::grid::BLOCK;
use crate::{Real, fd};

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

/// Values that are computed together.
type Block<T> = [T; BLOCK];

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

/// `sum += term`.
#[inline(always)]
fn add<T: Real>(sum: &mut Block<T>, term: &Block<T>) {
    for i in 0..BLOCK {
        sum[i] += term[i];
    }
}

/// A row of an array, the same row of the planes of x behind it, and what lies within `half` steps
/// of them along each axis.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a, T, H> {
    half: H,
    row: *const T,
    blocks: usize,
    planes: usize,
    steps: [usize; 3],
    of: PhantomData<&'a [T]>,
}

impl<'a, T: Real, H: Half> Around<'a, T, H> {
    /// The `n` values from `at` on, whole blocks, in each of `planes` planes; `steps` lie between
    /// neighbours along x, y, z.
    ///
    /// # Panics
    /// If a neighbour lies outside of `elements`.
    #[inline(always)]
    pub fn new(
        half: H,
        elements: &'a [T],
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

    /// The block `l` steps along `AXIS` from a block of plane `r`.
    #[inline(always)]
    fn at<const AXIS: usize>(&self, r: usize, l: isize, block: usize) -> Block<T> {
        if cfg!(test) {
            assert!(r < self.planes && block < self.blocks && l.unsigned_abs() <= self.half.get());
        }
        let offset = (r * self.steps[0] + block * BLOCK) as isize + l * self.steps[AXIS] as isize;
        // SAFETY: `new` has seen that the row's blocks lie in the array with `half` steps along
        // each axis on both sides in each plane, the array is borrowed for 'a, all callers are in
        // this module and ask for planes and blocks of the row and at most `half` steps, and any
        // bits are a T.
        unsafe { self.row.offset(offset).cast::<Block<T>>().read_unaligned() }
    }

    /// The block of plane `r` itself.
    #[inline(always)]
    fn here(&self, r: usize, block: usize) -> Block<T> {
        self.at::<0>(r, 0, block)
    }

    /// What the points at distance `l + 1` along `AXIS` add to the second difference:
    /// `w_l (plus_l + minus_l)`.
    #[inline(always)]
    fn pair<const AXIS: usize>(
        &self,
        w: &Weights<T>,
        r: usize,
        l: usize,
        block: usize,
    ) -> Block<T> {
        let minus = self.at::<AXIS>(r, -(l as isize) - 1, block);
        let plus = self.at::<AXIS>(r, l as isize + 1, block);
        let mut term = [T::ZERO; BLOCK];
        for i in 0..BLOCK {
            term[i] = w.second[AXIS][l] * (minus[i] + plus[i]);
        }
        term
    }

    /// Sum of the second differences, of `R` planes at once: their neighbours along x are mostly
    /// the same.
    #[inline(always)]
    fn laplacian<const R: usize>(
        &self,
        w: &Weights<T>,
        cur: &[Block<T>; R],
        block: usize,
    ) -> [Block<T>; R] {
        let mut lap = [[T::ZERO; BLOCK]; R];
        for r in 0..R {
            for i in 0..BLOCK {
                lap[r][i] = w.centre * cur[r][i];
            }
        }
        for l in 0..self.half.get() {
            for r in 0..R {
                add(&mut lap[r], &self.pair::<0>(w, r, l, block));
                add(&mut lap[r], &self.pair::<1>(w, r, l, block));
                add(&mut lap[r], &self.pair::<2>(w, r, l, block));
            }
        }
        lap
    }

    /// Second difference along `AXIS`: `c cur + sum_l w_l (plus_l + minus_l)`.
    #[inline(always)]
    fn second<const AXIS: usize>(&self, w: &Weights<T>, block: usize) -> Block<T> {
        let (cur, mut sum) = (self.here(0, block), self.pair::<AXIS>(w, 0, 0, block));
        for l in 1..self.half.get() {
            add(&mut sum, &self.pair::<AXIS>(w, 0, l, block));
        }
        for i in 0..BLOCK {
            sum[i] = w.second_centre[AXIS] * cur[i] + sum[i];
        }
        sum
    }

    /// First difference along `AXIS`: `sum_l w_l (plus_l - minus_l)`.
    #[inline(always)]
    fn first<const AXIS: usize>(&self, w: &Weights<T>, block: usize) -> Block<T> {
        let mut sum = [T::ZERO; BLOCK];
        for l in 0..self.half.get() {
            let minus = self.at::<AXIS>(0, -(l as isize) - 1, block);
            let plus = self.at::<AXIS>(0, l as isize + 1, block);
            odd(&mut sum, &w.first[AXIS], l, &minus, &plus);
        }
        sum
    }
}

/// The rows at distances 1 to `half` on both sides of a row of psi. By pointers, as [`Around`]:
/// from slices the compiler gathers the values one by one.
pub(crate) struct Sides<'a, T, H> {
    half: H,
    minus: [*const T; MOST],
    plus: [*const T; MOST],
    blocks: usize,
    of: PhantomData<&'a [T]>,
}

impl<'a, T: Real, H: Half> Sides<'a, T, H> {
    /// The rows that `row` gives for each signed distance, the first `n` values of them.
    #[inline(always)]
    pub fn new(half: H, n: usize, row: impl Fn(isize) -> &'a [T]) -> Self {
        let start = |l: isize| row(l)[..n].as_ptr();
        let (mut minus, mut plus) = ([std::ptr::null(); MOST], [std::ptr::null(); MOST]);
        for l in 0..half.get() {
            minus[l] = start(-(l as isize) - 1);
            plus[l] = start(l as isize + 1);
        }
        Sides { half, minus, plus, blocks: n / BLOCK, of: PhantomData }
    }

    /// `sum_l w_l (plus_l - minus_l)`.
    #[inline(always)]
    fn first(&self, w: &[T; MOST], block: usize) -> Block<T> {
        let half = self.half.get();
        if cfg!(test) {
            assert!(block < self.blocks);
        }
        // SAFETY: `new` has seen that each of `half` rows has all blocks, they are borrowed for 'a,
        // all callers are in this module and ask for blocks of the rows, and any bits are a T.
        let at =
            |row: *const T| unsafe { row.add(block * BLOCK).cast::<Block<T>>().read_unaligned() };
        let mut sum = [T::ZERO; BLOCK];
        for l in 0..half {
            odd(&mut sum, w, l, &at(self.minus[l]), &at(self.plus[l]));
        }
        fetch_line(
            self.plus[half - 1].wrapping_add(block * BLOCK).cast::<i8>().wrapping_add(BEHIND),
        );
        sum
    }
}

/// `sum += w_l (plus - minus)`; the first term is the sum.
#[inline(always)]
fn odd<T: Real>(sum: &mut Block<T>, w: &[T; MOST], l: usize, minus: &Block<T>, plus: &Block<T>) {
    for i in 0..BLOCK {
        let term = w[l] * (plus[i] - minus[i]);
        sum[i] = if l == 0 { term } else { sum[i] + term };
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

/// Asks for a cache line.
#[inline(always)]
fn fetch_line(place: *const i8) {
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
pub(crate) fn update<T: Real, H: Half, const R: usize>(
    next: [&mut [T]; R],
    v: [&[T]; R],
    around: &Around<'_, T, H>,
    w: &Weights<T>,
    ahead: &[Ahead<T, 3>; R],
) {
    let m = around.blocks;
    assert!(R <= around.planes);
    let (vs, nexts) = (v.map(|v| blocks(v, m)), next.map(|next| blocks_mut(next, m)));
    for block in 0..m {
        ahead.iter().for_each(|ahead| ahead.fetch(block));
        let cur: [Block<T>; R] = std::array::from_fn(|r| around.here(r, block));
        let lap = around.laplacian(w, &cur, block);
        for r in 0..R {
            // Copies: what is written cannot be what is read.
            let (v, old, mut new) = (vs[r][block], nexts[r][block], [T::ZERO; BLOCK]);
            for i in 0..BLOCK {
                let value = (cur[r][i] + cur[r][i] - old[i]) + v[i] * lap[r][i];
                new[i] = value.flushed();
            }
            nexts[r][block] = new;
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
pub(crate) fn accumulate<T: Real, const N: usize>(
    sum: &mut [T],
    a: &[T],
    b: &[T],
    ahead: &Ahead<T, N>,
) {
    let n = sum.len();
    let whole = n / BLOCK;
    let (a, b) = (&a[..n], &b[..n]);
    let (sums, rest) = sum.as_chunks_mut::<BLOCK>();
    for (block, (sum, (a, b))) in
        sums.iter_mut().zip(blocks(a, whole).iter().zip(blocks(b, whole))).enumerate()
    {
        ahead.fetch(block);
        for i in 0..BLOCK {
            sum[i] += a[i] * b[i];
        }
    }
    let done = whole * BLOCK;
    for (sum, (a, b)) in rest.iter_mut().zip(a[done..].iter().zip(&b[done..])) {
        *sum += *a * *b;
    }
}

/// The layer of an x or y face in which a row lies.
pub(crate) struct Across<'a, T, H> {
    pub a: T,
    pub b: T,
    pub psi: Sides<'a, T, H>,
    pub zeta: &'a mut [T],
}

/// `psi = a psi + b d(cur)` for one row in a layer of an x or y face (CPML, step 1).
#[inline(always)]
pub(crate) fn psi_across<T: Real, H: Half, const AXIS: usize>(
    psi: &mut [T],
    cur: &Around<'_, T, H>,
    w: &Weights<T>,
    a: T,
    b: T,
) {
    let m = cur.blocks;
    let psi = blocks_mut(psi, m);
    for block in 0..m {
        fetch_behind(psi, block);
        if AXIS == 0 {
            // The march has not yet come to this plane.
            let farthest = cur.row.wrapping_add(cur.half.get() * cur.steps[0] + block * BLOCK);
            fetch_line(farthest.cast::<i8>().wrapping_add(BEHIND));
        }
        let d = cur.first::<AXIS>(w, block);
        let (old, mut new) = (psi[block], [T::ZERO; BLOCK]);
        for i in 0..BLOCK {
            new[i] = (a * old[i] + b * d[i]).flushed();
        }
        psi[block] = new;
    }
}

/// `zeta = a zeta + b (d2 + d(psi))`, and `v (d(psi) + zeta)` is added to the new level, for such a
/// row (CPML, steps 2 and 3).
#[inline(always)]
pub(crate) fn add_across<T: Real, H: Half, const AXIS: usize>(
    next: &mut [T],
    v: &[T],
    cur: &Around<'_, T, H>,
    w: &Weights<T>,
    layer: Across<'_, T, H>,
) {
    let m = cur.blocks;
    assert!(m <= layer.psi.blocks);
    let (vs, nexts, zetas) = (blocks(v, m), blocks_mut(next, m), blocks_mut(layer.zeta, m));
    for block in 0..m {
        fetch_behind(zetas, block);
        let d2 = cur.second::<AXIS>(w, block);
        let d_psi = layer.psi.first(&w.first[AXIS], block);
        let (v, old, mut new, mut sum) = (vs[block], zetas[block], [T::ZERO; BLOCK], nexts[block]);
        for i in 0..BLOCK {
            new[i] = (layer.a * old[i] + layer.b * (d2[i] + d_psi[i])).flushed();
            sum[i] = (sum[i] + v[i] * (d_psi[i] + new[i])).flushed();
        }
        zetas[block] = new;
        nexts[block] = sum;
    }
}

/// [`psi_across`] for the layer of a z face, which holds one end of each row. `psi.1` is where the
/// window's first point lies in `psi.0`.
#[inline(always)]
pub(crate) fn psi_along<T: Real, H: Half>(
    psi: (&mut [T], usize),
    cur: &Around<'_, T, H>,
    w: &Weights<T>,
    window: &Window<T>,
) {
    assert!(window.blocks.end <= cur.blocks);
    for (k, block) in window.blocks.clone().enumerate() {
        let d = cur.first::<2>(w, block);
        let (a, b, inside) = (&window.a[k], &window.b[k], &window.inside[k]);
        let psi = block_at_mut(psi.0, psi.1 + k * BLOCK);
        fetch_line(psi.as_ptr().cast::<i8>().wrapping_add(BEHIND_ALONG));
        let (old, mut new) = (*psi, [T::ZERO; BLOCK]);
        for i in 0..BLOCK {
            let value = (a[i] * old[i] + b[i] * d[i]).flushed();
            new[i] = if inside[i] > T::ZERO { value } else { old[i] };
        }
        *psi = new;
    }
}

/// [`add_across`] for the layer of a z face; nothing outside of it.
#[inline(always)]
pub(crate) fn add_along<T: Real, H: Half>(
    next: &mut [T],
    v: &[T],
    cur: &Around<'_, T, H>,
    w: &Weights<T>,
    window: &Window<T>,
    psi: (&[T], usize),
    zeta: (&mut [T], usize),
) {
    let m = cur.blocks;
    assert!(window.blocks.end <= m);
    let (vs, nexts) = (blocks(v, m), blocks_mut(next, m));
    for (k, block) in window.blocks.clone().enumerate() {
        let (a, b, inside) = (&window.a[k], &window.b[k], &window.inside[k]);
        let d2 = cur.second::<2>(w, block);
        let psi = Around::new(cur.half, psi.0, psi.1 + k * BLOCK, [1; 3], BLOCK, 1);
        let d_psi = psi.first::<2>(w, 0);
        let zeta = block_at_mut(zeta.0, zeta.1 + k * BLOCK);
        fetch_line(zeta.as_ptr().cast::<i8>().wrapping_add(BEHIND_ALONG));
        let (v, old, mut new, mut sum) = (vs[block], *zeta, [T::ZERO; BLOCK], nexts[block]);
        for i in 0..BLOCK {
            let value = (a[i] * old[i] + b[i] * (d2[i] + d_psi[i])).flushed();
            let is_inside = inside[i] > T::ZERO;
            new[i] = if is_inside { value } else { old[i] };
            let added = (sum[i] + v[i] * (d_psi[i] + value)).flushed();
            sum[i] = if is_inside { added } else { sum[i] };
        }
        *zeta = new;
        nexts[block] = sum;
    }
}
