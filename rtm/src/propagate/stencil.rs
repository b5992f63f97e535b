//! The innermost loops: one row along z of the stencil and of the absorbing layers.
//!
//! Every row is a set of equally long slices, which the compiler turns into vectors of whatever width the machine has.
//! Sums are written in one fixed order and never fused, so that each machine gives the same bits.
// Several arrays are indexed alike in every loop here.
#![allow(clippy::needless_range_loop)]

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
        let second_centre = d_m.map(|spacing| c[0] / (spacing * spacing));
        Weights {
            centre: T::of(second_centre.iter().sum()),
            second: d_m.map(|s| std::array::from_fn(|l| T::of(c[l + 1] / (s * s)))),
            second_centre: second_centre.map(T::of),
            first: d_m.map(|s| std::array::from_fn(|l| T::of(d[l + 1] / s))),
        }
    }
}

/// The rows at distances 1 ..= H on both sides of a row.
pub(crate) struct Sides<'a, T, const H: usize> {
    pub minus: [&'a [T]; H],
    pub plus: [&'a [T]; H],
}

impl<'a, T: Real, const H: usize> Sides<'a, T, H> {
    /// Neighbours along the row itself: `padded` starts H points before the row and ends H points behind its `n`.
    #[inline(always)]
    pub fn along(padded: &'a [T], n: usize) -> Self {
        let mut sides = Sides { minus: [&padded[..n]; H], plus: [&padded[..n]; H] };
        for l in 0..H {
            sides.minus[l] = &padded[H - 1 - l..][..n];
            sides.plus[l] = &padded[H + 1 + l..][..n];
        }
        sides
    }

    /// The first `n` blocks of the same rows.
    #[inline(always)]
    fn blocks(&self, n: usize) -> Blocks<'a, T, H> {
        let mut blocks = Blocks { minus: [&[]; H], plus: [&[]; H] };
        for l in 0..H {
            blocks.minus[l] = &self.minus[l].as_chunks().0[..n];
            blocks.plus[l] = &self.plus[l].as_chunks().0[..n];
        }
        blocks
    }

    /// `sum_l w_l (plus_l + minus_l)` at i.
    #[inline(always)]
    fn even(&self, w: &[T; H], i: usize) -> T {
        let mut sum = w[0] * (self.minus[0][i] + self.plus[0][i]);
        for l in 1..H {
            sum += w[l] * (self.minus[l][i] + self.plus[l][i]);
        }
        sum
    }

    /// `sum_l w_l (plus_l - minus_l)` at i.
    #[inline(always)]
    fn odd(&self, w: &[T; H], i: usize) -> T {
        let mut sum = w[0] * (self.plus[0][i] - self.minus[0][i]);
        for l in 1..H {
            sum += w[l] * (self.plus[l][i] - self.minus[l][i]);
        }
        sum
    }
}

/// Points that are computed together: a vector or two. Loops over blocks of fixed length have neither a beginning nor an end that
/// is done point by point; what is left of a row is.
pub(crate) const BLOCK: usize = 16;

/// [`Sides`] in blocks.
struct Blocks<'a, T, const H: usize> {
    minus: [&'a [[T; BLOCK]]; H],
    plus: [&'a [[T; BLOCK]]; H],
}

impl<T: Real, const H: usize> Blocks<'_, T, H> {
    #[inline(always)]
    fn even(&self, w: &[T; H], block: usize) -> [T; BLOCK] {
        let mut sum = [T::ZERO; BLOCK];
        for l in 0..H {
            let (minus, plus) = (self.minus[l][block], self.plus[l][block]);
            for i in 0..BLOCK {
                let term = w[l] * (minus[i] + plus[i]);
                sum[i] = if l == 0 { term } else { sum[i] + term };
            }
        }
        sum
    }

    #[inline(always)]
    fn odd(&self, w: &[T; H], block: usize) -> [T; BLOCK] {
        let mut sum = [T::ZERO; BLOCK];
        for l in 0..H {
            let (minus, plus) = (self.minus[l][block], self.plus[l][block]);
            for i in 0..BLOCK {
                let term = w[l] * (plus[i] - minus[i]);
                sum[i] = if l == 0 { term } else { sum[i] + term };
            }
        }
        sum
    }
}

/// `next = 2 cur - next + v lap(cur)` for one row, in place; v is `v^2 dt^2`.
#[inline(always)]
pub(crate) fn update<T: Real, const H: usize>(
    next: &mut [T],
    cur: &[T],
    v: &[T],
    sides: [&Sides<'_, T, H>; 3],
    w: &Weights<T, H>,
) {
    let n = next.len();
    let m = n / BLOCK;
    let (curs, vs) = (&cur.as_chunks::<BLOCK>().0[..m], &v.as_chunks::<BLOCK>().0[..m]);
    let blocks = [sides[0].blocks(m), sides[1].blocks(m), sides[2].blocks(m)];
    let nexts = &mut next.as_chunks_mut::<BLOCK>().0[..m];
    for block in 0..m {
        // Copies: what is written cannot be what is read.
        let (cur, v, old) = (curs[block], vs[block], nexts[block]);
        let mut lap = [T::ZERO; BLOCK];
        for i in 0..BLOCK {
            lap[i] = w.centre * cur[i];
        }
        for l in 0..H {
            for axis in 0..3 {
                let (minus, plus) = (blocks[axis].minus[l][block], blocks[axis].plus[l][block]);
                for i in 0..BLOCK {
                    lap[i] += w.second[axis][l] * (minus[i] + plus[i]);
                }
            }
        }
        let mut new = [T::ZERO; BLOCK];
        for i in 0..BLOCK {
            new[i] = (cur[i] + cur[i] - old[i]) + v[i] * lap[i];
        }
        nexts[block] = new;
    }
    for i in n - n % BLOCK..n {
        let mut lap = w.centre * cur[i];
        for l in 0..H {
            for axis in 0..3 {
                lap += w.second[axis][l] * (sides[axis].minus[l][i] + sides[axis].plus[l][i]);
            }
        }
        next[i] = (cur[i] + cur[i] - next[i]) + v[i] * lap;
    }
}

/// `psi = a psi + b d(cur)` for one row of a layer (CPML, step 1).
#[inline(always)]
pub(crate) fn psi<T: Real, const H: usize>(
    psi: &mut [T],
    cur: &Sides<'_, T, H>,
    first: &[T; H],
    a: impl Fn(usize) -> T,
    b: impl Fn(usize) -> T,
) {
    let n = psi.len();
    let blocks = cur.blocks(n / BLOCK);
    for (block, psi) in psi.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
        let (d, old) = (blocks.odd(first, block), *psi);
        let mut new = [T::ZERO; BLOCK];
        for i in 0..BLOCK {
            new[i] = a(block * BLOCK + i) * old[i] + b(block * BLOCK + i) * d[i];
        }
        *psi = new;
    }
    for i in n - n % BLOCK..n {
        psi[i] = a(i) * psi[i] + b(i) * cur.odd(first, i);
    }
}

/// `zeta = a zeta + b (d2(cur) + d(psi))`, then `next += v (d(psi) + zeta)` for one row of a layer (CPML, steps 2 and 3).
/// `axis` says along which axis the layer's differences are taken; `mask` is 1 within the layer, 0 where the row goes on outside.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn zeta<T: Real, const H: usize>(
    next: &mut [T],
    zeta: &mut [T],
    cur: &[T],
    v: &[T],
    cur_sides: &Sides<'_, T, H>,
    psi_sides: &Sides<'_, T, H>,
    (w, axis): (&Weights<T, H>, usize),
    a: impl Fn(usize) -> T,
    b: impl Fn(usize) -> T,
    mask: impl Fn(usize) -> T,
) {
    let n = next.len();
    let (first, second, centre) = (&w.first[axis], &w.second[axis], w.second_centre[axis]);
    let m = n / BLOCK;
    let (cur_blocks, psi_blocks) = (cur_sides.blocks(m), psi_sides.blocks(m));
    let (curs, vs) = (&cur.as_chunks::<BLOCK>().0[..m], &v.as_chunks::<BLOCK>().0[..m]);
    let zetas = &mut zeta.as_chunks_mut::<BLOCK>().0[..m];
    let nexts = &mut next.as_chunks_mut::<BLOCK>().0[..m];
    for block in 0..m {
        let d_psi = psi_blocks.odd(first, block);
        let even = cur_blocks.even(second, block);
        let (cur, v, mut zeta, mut next) = (curs[block], vs[block], zetas[block], nexts[block]);
        for i in 0..BLOCK {
            let at = block * BLOCK + i;
            let d2 = centre * cur[i] + even[i];
            zeta[i] = a(at) * zeta[i] + b(at) * (d2 + d_psi[i]);
            next[i] += v[i] * (mask(at) * d_psi[i] + zeta[i]);
        }
        (zetas[block], nexts[block]) = (zeta, next);
    }
    for i in n - n % BLOCK..n {
        let d_psi = psi_sides.odd(first, i);
        let d2 = centre * cur[i] + cur_sides.even(second, i);
        zeta[i] = a(i) * zeta[i] + b(i) * (d2 + d_psi);
        next[i] += v[i] * (mask(i) * d_psi + zeta[i]);
    }
}
