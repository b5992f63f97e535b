//! The innermost loops: one row along z of the stencil together with the absorbing layers' terms.
//!
//! Every row is whole blocks of fixed length, which the compiler turns into vectors of whatever width the machine has.
//! Sums are written in one fixed order and never fused, so that each machine - the CUDA back end, too - gives the same bits.
//!
//! [`Around`] reads by pointers: a slice for each of the 3 * order neighbours of a row would need more registers than there are, and a check for
//! each read, which costs an eighth of the speed.
// Several arrays are indexed alike in every loop here.
#![allow(clippy::needless_range_loop)]

use std::marker::PhantomData;

use super::cpml::Window;
use crate::grid::BLOCK;
use crate::{Real, fd};

/// Weights of the differences for half width `H`, divided by the spacings.
#[derive(Clone)]
pub(crate) struct Weights<T, const H: usize> {
    /// Weight of the point itself in the Laplacian.
    pub centre: T,
    /// Second difference along each axis at distances 1 ..= H, per m^2.
    pub second: [[T; H]; 3],
    /// Weight of the point itself in each second difference.
    pub second_centre: [T; 3],
    /// First difference along each axis at distances 1 ..= H, per m.
    pub first: [[T; H]; 3],
}

impl<T: Real, const H: usize> Weights<T, H> {
    pub fn new(d_m: [f64; 3]) -> Self {
        let (c, d) = (fd::second(2 * H), fd::first(2 * H));
        let second_centre = d_m.map(|s| c[0] / (s * s));
        Weights {
            centre: T::of(second_centre.iter().sum()),
            second: d_m.map(|s| std::array::from_fn(|l| T::of(c[l + 1] / (s * s)))),
            second_centre: second_centre.map(T::of),
            first: d_m.map(|s| std::array::from_fn(|l| T::of(d[l + 1] / s))),
        }
    }
}

/// Values that are computed together.
type Block<T> = [T; BLOCK];

/// `values` as whole blocks; their number must be known to be `m`, so that no index into them needs a check.
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

/// A row of an array and what lies within H steps of it along each axis.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a, T, const H: usize> {
    row: *const T,
    blocks: usize,
    steps: [usize; 3],
    of: PhantomData<&'a [T]>,
}

impl<'a, T: Real, const H: usize> Around<'a, T, H> {
    /// The `n` values from `at` on, whole blocks; `steps` lie between neighbours along x, y, z.
    ///
    /// # Panics
    /// If a neighbour lies outside of `elements`.
    #[inline(always)]
    pub fn new(elements: &'a [T], at: usize, steps: [usize; 3], n: usize) -> Self {
        let reach = H * steps[0].max(steps[1]).max(steps[2]);
        assert!(reach <= at && at + n + reach <= elements.len(), "the halo is too narrow");
        // Not from the slice elements[at..]: its pointer could not go back.
        let row = elements.as_ptr().wrapping_add(at);
        Around { row, blocks: n / BLOCK, steps, of: PhantomData }
    }

    /// The block `l` steps along `AXIS` from a block of the row.
    #[inline(always)]
    fn at<const AXIS: usize>(&self, l: isize, block: usize) -> Block<T> {
        debug_assert!(block < self.blocks && l.unsigned_abs() <= H);
        let offset = (block * BLOCK) as isize + l * self.steps[AXIS] as isize;
        // SAFETY: `new` has seen that the row's blocks lie in the array with H steps along each axis on both sides, the array is borrowed
        // for 'a, all callers are in this module and ask for blocks of the row and at most H steps, and any bits are a T.
        unsafe { self.row.offset(offset).cast::<Block<T>>().read_unaligned() }
    }

    /// The block itself.
    #[inline(always)]
    fn here(&self, block: usize) -> Block<T> {
        self.at::<0>(0, block)
    }

    /// What the points at distance `l + 1` along `AXIS` add to the second difference: `w_l (plus_l + minus_l)`.
    #[inline(always)]
    fn pair<const AXIS: usize>(&self, w: &Weights<T, H>, l: usize, block: usize) -> Block<T> {
        let minus = self.at::<AXIS>(-(l as isize) - 1, block);
        let plus = self.at::<AXIS>(l as isize + 1, block);
        let mut term = [T::ZERO; BLOCK];
        for i in 0..BLOCK {
            term[i] = w.second[AXIS][l] * (minus[i] + plus[i]);
        }
        term
    }

    /// Sum of the second differences.
    #[inline(always)]
    fn laplacian(&self, w: &Weights<T, H>, cur: &Block<T>, block: usize) -> Block<T> {
        let mut lap = [T::ZERO; BLOCK];
        for i in 0..BLOCK {
            lap[i] = w.centre * cur[i];
        }
        for l in 0..H {
            add(&mut lap, &self.pair::<0>(w, l, block));
            add(&mut lap, &self.pair::<1>(w, l, block));
            add(&mut lap, &self.pair::<2>(w, l, block));
        }
        lap
    }

    /// Second difference along `AXIS`: `c cur + sum_l w_l (plus_l + minus_l)`.
    #[inline(always)]
    fn second<const AXIS: usize>(&self, w: &Weights<T, H>, block: usize) -> Block<T> {
        let (cur, mut sum) = (self.here(block), self.pair::<AXIS>(w, 0, block));
        for l in 1..H {
            add(&mut sum, &self.pair::<AXIS>(w, l, block));
        }
        for i in 0..BLOCK {
            sum[i] = w.second_centre[AXIS] * cur[i] + sum[i];
        }
        sum
    }

    /// First difference along `AXIS`: `sum_l w_l (plus_l - minus_l)`.
    #[inline(always)]
    fn first<const AXIS: usize>(&self, w: &[T; H], block: usize) -> Block<T> {
        let mut sum = [T::ZERO; BLOCK];
        for l in 0..H {
            let minus = self.at::<AXIS>(-(l as isize) - 1, block);
            let plus = self.at::<AXIS>(l as isize + 1, block);
            odd(&mut sum, w, l, &minus, &plus);
        }
        sum
    }
}

/// The rows at distances 1 ..= H on both sides of a row of psi, in blocks.
pub(crate) struct Sides<'a, T, const H: usize> {
    minus: [&'a [Block<T>]; H],
    plus: [&'a [Block<T>]; H],
}

impl<'a, T: Real, const H: usize> Sides<'a, T, H> {
    /// The rows that `row` gives for each signed distance, the first `n` values of them.
    #[inline(always)]
    pub fn new(n: usize, row: impl Fn(isize) -> &'a [T]) -> Self {
        let mut sides = Sides { minus: [&[]; H], plus: [&[]; H] };
        for l in 0..H {
            sides.minus[l] = blocks(row(-(l as isize) - 1), n / BLOCK);
            sides.plus[l] = blocks(row(l as isize + 1), n / BLOCK);
        }
        sides
    }

    /// `sum_l w_l (plus_l - minus_l)`.
    #[inline(always)]
    fn first(&self, w: &[T; H], block: usize) -> Block<T> {
        let mut sum = [T::ZERO; BLOCK];
        for l in 0..H {
            odd(&mut sum, w, l, &self.minus[l][block], &self.plus[l][block]);
        }
        sum
    }
}

/// `sum += w_l (plus - minus)`; the first term is the sum.
#[inline(always)]
fn odd<T: Real, const H: usize>(
    sum: &mut Block<T>,
    w: &[T; H],
    l: usize,
    minus: &Block<T>,
    plus: &Block<T>,
) {
    for i in 0..BLOCK {
        let term = w[l] * (plus[i] - minus[i]);
        sum[i] = if l == 0 { term } else { sum[i] + term };
    }
}

/// The layer of an x or y face in which a row lies.
pub(crate) struct Across<'a, T, const H: usize> {
    pub a: T,
    pub b: T,
    pub psi: Sides<'a, T, H>,
    pub zeta: &'a mut [T],
}

impl<T: Real, const H: usize> Across<'_, T, H> {
    /// `zeta = a zeta + b (d2 + d(psi))`; `v (d(psi) + zeta)` is what the layer adds to the new level (CPML, steps 2 and 3).
    #[inline(always)]
    fn term(&mut self, first: &[T; H], d2: &Block<T>, block: usize) -> Block<T> {
        let d_psi = self.psi.first(first, block);
        fetch_behind(self.psi.plus[H - 1], block);
        let zeta = block_at_mut(self.zeta, block * BLOCK);
        fetch_behind(std::slice::from_ref(zeta), 0);
        let (old, mut new, mut term) = (*zeta, [T::ZERO; BLOCK], [T::ZERO; BLOCK]);
        for i in 0..BLOCK {
            new[i] = self.a * old[i] + self.b * (d2[i] + d_psi[i]);
            term[i] = d_psi[i] + new[i];
        }
        *zeta = new;
        term
    }
}

/// The layer of a z face, which holds one end of each row.
pub(crate) struct Along<'a, T> {
    pub window: &'a Window<T>,
    /// The whole state of the face in this tile, and where the window's first point lies in it.
    pub psi: (&'a [T], usize),
    pub zeta: (&'a mut [T], usize),
}

impl<T: Real> Along<'_, T> {
    /// As [`Across::term`]; nothing outside of the layer.
    #[inline(always)]
    fn term<const H: usize>(&mut self, first: &[T; H], d2: &Block<T>, block: usize) -> Block<T> {
        let (w, block) = (self.window, block - self.window.blocks.start);
        let (a, b, inside) = (&w.a[block], &w.b[block], &w.inside[block]);
        let psi = Around::<T, H>::new(self.psi.0, self.psi.1 + block * BLOCK, [1; 3], BLOCK);
        let d_psi = psi.first::<2>(first, 0);
        let zeta = block_at_mut(self.zeta.0, self.zeta.1 + block * BLOCK);
        fetch_behind(std::slice::from_ref(zeta), 0);
        let (old, mut new, mut term) = (*zeta, [T::ZERO; BLOCK], [T::ZERO; BLOCK]);
        for i in 0..BLOCK {
            let value = a[i] * old[i] + b[i] * (d2[i] + d_psi[i]);
            let is_inside = inside[i] > T::ZERO;
            new[i] = if is_inside { value } else { old[i] };
            term[i] = if is_inside { d_psi[i] + value } else { T::ZERO };
        }
        *zeta = new;
        term
    }
}

/// The layers in which a row or its ends lie: along x and y, at its top and bottom.
pub(crate) struct RowLayers<'a, T, const H: usize> {
    pub across: [Option<Across<'a, T, H>>; 2],
    pub along: [Option<Along<'a, T>>; 2],
}

impl<T: Real, const H: usize> RowLayers<'_, T, H> {
    /// Adds the layers' terms to a block of the new level.
    #[inline(always)]
    fn add_terms(
        &mut self,
        next: &mut Block<T>,
        v: &Block<T>,
        around: &Around<'_, T, H>,
        w: &Weights<T, H>,
        block: usize,
    ) {
        let mut add = |term: Block<T>| {
            for i in 0..BLOCK {
                next[i] += v[i] * term[i];
            }
        };
        if let Some(layer) = &mut self.across[0] {
            add(layer.term(&w.first[0], &around.second::<0>(w, block), block));
        }
        if let Some(layer) = &mut self.across[1] {
            add(layer.term(&w.first[1], &around.second::<1>(w, block), block));
        }
        for layer in self.along.iter_mut().flatten() {
            if layer.window.blocks.contains(&block) {
                add(layer.term(&w.first[2], &around.second::<2>(w, block), block));
            }
        }
    }
}

/// What will be needed soon: the same number of values from each of these places on, as a row has. Hardware that fetches ahead by
/// itself follows few streams; a march along x has one for each of its arrays and loses half its time without this.
#[derive(Clone, Copy)]
pub(crate) struct Ahead<T> {
    places: [*const T; 8],
    n: usize,
}

impl<T: Real> Ahead<T> {
    #[inline(always)]
    pub fn new() -> Self {
        Ahead { places: [std::ptr::null(); 8], n: 0 }
    }

    /// `values` from `at` on, which may lie beyond the end.
    #[inline(always)]
    pub fn push(&mut self, values: &[T], at: usize) {
        if self.n < self.places.len() {
            self.places[self.n] = values.as_ptr().wrapping_add(at);
            self.n += 1;
        }
    }

    #[inline(always)]
    fn fetch(&self, block: usize) {
        for place in &self.places[..self.n.min(8)] {
            let start = place.wrapping_add(block * BLOCK);
            // A block of f64 is two cache lines.
            fetch_line(start.cast());
            if BLOCK * T::BYTES > 64 {
                fetch_line(start.wrapping_add(BLOCK / 2).cast());
            }
        }
    }
}

/// Asks for what lies some rows behind a block of an array through which the march goes from one end to the other.
#[inline(always)]
fn fetch_behind<T: Real>(values: &[Block<T>], block: usize) {
    const DISTANCE: usize = 1024;
    fetch_line(values.as_ptr().wrapping_add(block).cast::<i8>().wrapping_add(DISTANCE));
}

/// Asks for a cache line.
#[inline(always)]
fn fetch_line(place: *const i8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: this is a hint. It reads and writes nothing, whatever the address is, and all x86_64 processors have it.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place)
    };
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// `next = 2 cur - next + v lap(cur)`, plus v times each layer's term, for one row, in place; v is `v^2 dt^2`. All rows are whole blocks.
#[inline(always)]
pub(crate) fn update<T: Real, const H: usize>(
    next: &mut [T],
    v: &[T],
    around: &Around<'_, T, H>,
    w: &Weights<T, H>,
    mut layers: Option<RowLayers<'_, T, H>>,
    ahead: &Ahead<T>,
) {
    let m = next.len() / BLOCK;
    assert!(m <= around.blocks);
    let (vs, nexts) = (blocks(v, m), blocks_mut(next, m));
    for block in 0..m {
        ahead.fetch(block);
        // Copies: what is written cannot be what is read.
        let (cur, v, old) = (around.here(block), vs[block], nexts[block]);
        let lap = around.laplacian(w, &cur, block);
        let mut new = [T::ZERO; BLOCK];
        for i in 0..BLOCK {
            new[i] = (cur[i] + cur[i] - old[i]) + v[i] * lap[i];
        }
        if let Some(layers) = &mut layers {
            layers.add_terms(&mut new, &v, around, w, block);
        }
        nexts[block] = new;
    }
}

/// `psi = a psi + b d(cur)` for one row in a layer of an x or y face (CPML, step 1).
#[inline(always)]
pub(crate) fn psi_across<T: Real, const H: usize, const AXIS: usize>(
    psi: &mut [T],
    cur: &Around<'_, T, H>,
    first: &[[T; H]; 3],
    a: T,
    b: T,
) {
    let m = psi.len() / BLOCK;
    assert!(m <= cur.blocks);
    let psi = blocks_mut(psi, m);
    for block in 0..m {
        fetch_behind(psi, block);
        let d = cur.first::<AXIS>(&first[AXIS], block);
        let (old, mut new) = (psi[block], [T::ZERO; BLOCK]);
        for i in 0..BLOCK {
            new[i] = a * old[i] + b * d[i];
        }
        psi[block] = new;
    }
}

/// The same at one end of a row. `psi.1` is where the window's first point lies in `psi.0`.
#[inline(always)]
pub(crate) fn psi_along<T: Real, const H: usize>(
    psi: (&mut [T], usize),
    cur: &Around<'_, T, H>,
    first: &[[T; H]; 3],
    w: &Window<T>,
) {
    assert!(w.blocks.end <= cur.blocks);
    for (k, block) in w.blocks.clone().enumerate() {
        let d = cur.first::<2>(&first[2], block);
        let (a, b, inside) = (&w.a[k], &w.b[k], &w.inside[k]);
        let psi = block_at_mut(psi.0, psi.1 + k * BLOCK);
        fetch_behind(std::slice::from_ref(psi), 0);
        let (old, mut new) = (*psi, [T::ZERO; BLOCK]);
        for i in 0..BLOCK {
            let value = a[i] * old[i] + b[i] * d[i];
            new[i] = if inside[i] > T::ZERO { value } else { old[i] };
        }
        *psi = new;
    }
}
