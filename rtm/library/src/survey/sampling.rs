//! Sources and receivers between the points of the grid: a sinc under a Kaiser window, `2 RADIUS`
//! points along each axis on which a place does not lie on the grid (Hicks 2002, "Arbitrary source
//! and receiver positioning in finite-difference schemes using Kaiser windowed sinc functions",
//! Geophysics 67).

use std::collections::HashMap;

use rayon::prelude::*;

use crate::grid::Point;
use crate::{Grid, Real, Traces};

/// Points to each side that take part.
const RADIUS: usize = 4;
/// Shape of the window, Hicks' choice for waves of four points and more.
const SHAPE: f64 = 6.31;
/// Places nearer to a point, in cells, are on it.
const NEAR: f64 = 0.01;

/// How traces at places become traces at grid points, and the other way round.
pub struct Sampling {
    /// The points that take part.
    pub points: Vec<Point>,
    /// For each place, which of them and with what weight; none if each place is on its point.
    taps: Option<Vec<Vec<(usize, f64)>>>,
}

impl Sampling {
    /// Of places that lie within the grid, which the nearest points stand for if `exact` is not
    /// wanted. Beyond a free surface a weight acts on the mirrored point with the other sign.
    pub fn new(grid: &Grid, places_m: &[[f64; 3]], exact: bool, free_surface: bool) -> Sampling {
        let cells = |place: &[f64; 3]| -> [f64; 3] {
            std::array::from_fn(|a| (place[a] - grid.origin_m[a]) / grid.d_m[a])
        };
        if !exact || points_of_a_place(grid, places_m) == 1 {
            let nearest = |place: &[f64; 3]| cells(place).map(|e| e.round().max(0.0) as usize);
            return Sampling { points: places_m.iter().map(nearest).collect(), taps: None };
        }
        let (mut points, mut known) = (Vec::new(), HashMap::new());
        let mut tap = |point: Point, weight: f64| {
            let next = points.len();
            let index = *known.entry(point).or_insert(next);
            if index == next {
                points.push(point);
            }
            (index, weight)
        };
        let of_place = |place| {
            let [x, y, z]: [Vec<(usize, f64)>; 3] = {
                let e = cells(place);
                std::array::from_fn(|a| along(e[a], grid.n[a], a == 2 && free_surface))
            };
            let mut taps = Vec::with_capacity(x.len() * y.len() * z.len());
            for &(ix, wx) in &x {
                for &(iy, wy) in &y {
                    taps.extend(z.iter().map(|&(iz, wz)| tap([ix, iy, iz], wx * wy * wz)));
                }
            }
            taps
        };
        let taps = places_m.iter().map(of_place).collect();
        Sampling { points, taps: Some(taps) }
    }

    /// Traces of the points, from those of the places, `nt` samples each.
    pub fn scatter<T: Real>(&self, samples: Vec<T>, nt: usize) -> Vec<T> {
        let Some(taps) = &self.taps else { return samples };
        let mut of_points = vec![Vec::new(); self.points.len()];
        for (place, taps) in taps.iter().enumerate() {
            taps.iter().for_each(|&(point, weight)| of_points[point].push((place, weight)));
        }
        weighted(&of_points, &samples, nt)
    }

    /// Traces of the places, from those of the points.
    pub fn gather<T: Real>(&self, recorded: Traces<T>) -> Vec<T> {
        match &self.taps {
            None => recorded.samples,
            Some(taps) => weighted(taps, &recorded.samples, recorded.nt),
        }
    }
}

/// Traces that are sums of others, each with a weight.
fn weighted<T: Real>(sums: &[Vec<(usize, f64)>], samples: &[T], nt: usize) -> Vec<T> {
    let mut traces = vec![T::ZERO; sums.len() * nt];
    traces.par_chunks_mut(nt.max(1)).zip(sums).for_each(|(trace, sum)| {
        for &(from, weight) in sum {
            let weight = T::of(weight);
            let from = &samples[from * nt..(from + 1) * nt];
            trace.iter_mut().zip(from).for_each(|(to, v)| *to += weight * *v);
        }
    });
    traces
}

/// How many points a place needs at most.
pub fn points_of_a_place(grid: &Grid, places_m: &[[f64; 3]]) -> usize {
    let off = |a: usize| {
        let cell = |place: &[f64; 3]| (place[a] - grid.origin_m[a]) / grid.d_m[a];
        grid.n[a] > 1 && places_m.iter().any(|p| (cell(p) - cell(p).round()).abs() > NEAR)
    };
    (0..3).filter(|a| off(*a)).map(|_| 2 * RADIUS).product()
}

/// The points along an axis of `n` points for a place `at`, in cells, and their weights.
fn along(at: f64, n: usize, free_surface: bool) -> Vec<(usize, f64)> {
    let nearest = at.round().clamp(0.0, (n - 1) as f64);
    if n == 1 || (at - nearest).abs() <= NEAR {
        return vec![(nearest as usize, 1.0)];
    }
    let first = at.floor() as i64 - RADIUS as i64 + 1;
    let mut weights = vec![0.0; n];
    for i in first..first + 2 * RADIUS as i64 {
        let weight = weight(at - i as f64);
        match usize::try_from(i) {
            Ok(i) if i < n => weights[i] += weight,
            // Its mirror image; on the surface itself there is no pressure.
            Err(_) if free_surface && -i < n as i64 => weights[(-i) as usize] -= weight,
            _ => {}
        }
    }
    if free_surface {
        weights[0] = 0.0;
    }
    weights.into_iter().enumerate().filter(|(_, w)| *w != 0.0).collect()
}

/// The windowed sinc at a distance of `x` cells.
fn weight(x: f64) -> f64 {
    let inside = 1.0 - (x / RADIUS as f64).powi(2);
    if inside < 0.0 {
        return 0.0;
    }
    let t = std::f64::consts::PI * x;
    let sinc = if t.abs() < 1e-12 { 1.0 } else { t.sin() / t };
    sinc * bessel_i0(SHAPE * inside.sqrt()) / bessel_i0(SHAPE)
}

/// The modified Bessel function of order 0, by its series.
fn bessel_i0(x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..40 {
        term *= (x / 2.0 / f64::from(k)).powi(2);
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_of_five_points_are_met_between_the_points() {
        assert!((bessel_i0(1.0) - 1.266_065_877_752_008).abs() < 1e-12);
        let grid = Grid::uniform([40, 1, 40], 10.0);
        let wave = |x: f64, z: f64| (x * 0.08 + z * 0.09 + 0.3).sin();
        let places = [[153.7, 0.0, 201.2], [160.0, 0.0, 155.5], [170.0, 0.0, 180.0]];
        let sampling = Sampling::new(&grid, &places, true, false);
        let mut field = Traces::zeros(1, 0.001, sampling.points.clone());
        for (i, [x, _, z]) in sampling.points.iter().enumerate() {
            field.samples[i] = wave(10.0 * *x as f64, 10.0 * *z as f64);
        }
        for (found, [x, _, z]) in sampling.gather(field).iter().zip(places) {
            let found: f64 = *found;
            assert!((found - wave(x, z)).abs() < 2e-3, "{found} {}", wave(x, z));
        }
        // The transpose: what is spread has the sum of what was given.
        let spread = sampling.scatter(vec![1.0f64, 2.0, 3.0], 1);
        assert!((spread.iter().sum::<f64>() - 6.0).abs() < 1e-2);
        let on_points = Sampling::new(&grid, &places[2..], true, false);
        assert_eq!((on_points.points, on_points.taps), (vec![[17, 0, 18]], None));
        let moved = Sampling::new(&grid, &places, false, false);
        assert_eq!(moved.points, [[15, 0, 20], [16, 0, 16], [17, 0, 18]]);
    }

    #[test]
    fn a_free_surface_mirrors_the_weights() {
        let (plain, free) = (along(1.5, 30, false), along(1.5, 30, true));
        assert_eq!((plain.len(), free[0].0), (6, 1));
        let of = |taps: &[(usize, f64)], i| taps.iter().find(|t| t.0 == i).map_or(0.0, |t| t.1);
        assert!((of(&free, 1) - (of(&plain, 1) - weight(2.5))).abs() < 1e-15);
        assert!((of(&free, 2) - (of(&plain, 2) - weight(3.5))).abs() < 1e-15);
    }
}
