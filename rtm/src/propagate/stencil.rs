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

    /// The same rows, each known to be `n` long.
    #[inline(always)]
    fn cut(&self, n: usize) -> Self {
        let mut sides = Sides { minus: self.minus, plus: self.plus };
        for l in 0..H {
            sides.minus[l] = &sides.minus[l][..n];
            sides.plus[l] = &sides.plus[l][..n];
        }
        sides
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

/// `next = 2 cur - next + v lap(cur)` for one row, in place; v is `v^2 dt^2`.
#[inline(always)]
pub(crate) fn update<T: Real, const H: usize>(
    next: &mut [T],
    cur: &[T],
    v: &[T],
    [x, y, z]: [&Sides<'_, T, H>; 3],
    w: &Weights<T, H>,
) {
    let n = next.len();
    let (cur, v, x, y, z) = (&cur[..n], &v[..n], x.cut(n), y.cut(n), z.cut(n));
    for i in 0..n {
        let mut lap = w.centre * cur[i];
        for l in 0..H {
            lap += w.second[0][l] * (x.minus[l][i] + x.plus[l][i]);
            lap += w.second[1][l] * (y.minus[l][i] + y.plus[l][i]);
            lap += w.second[2][l] * (z.minus[l][i] + z.plus[l][i]);
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
    let cur = cur.cut(n);
    for i in 0..n {
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
    let (zeta, cur, v) = (&mut zeta[..n], &cur[..n], &v[..n]);
    let (cur_sides, psi_sides) = (cur_sides.cut(n), psi_sides.cut(n));
    let (first, second, centre) = (&w.first[axis], &w.second[axis], w.second_centre[axis]);
    for i in 0..n {
        let d_psi = psi_sides.odd(first, i);
        let d2 = centre * cur[i] + cur_sides.even(second, i);
        zeta[i] = a(i) * zeta[i] + b(i) * (d2 + d_psi);
        next[i] += v[i] * (mask(i) * d_psi + zeta[i]);
    }
}
