//! From the sums over time to the image: division by illumination, and the Laplacian filter.
//!
//! The sums themselves are made by the engine ([`crate::engine::Engine::image`]); which are divided
//! by which, before or after the shots are added, is the imaging condition
//! ([`crate::plan::ImagingCondition`]).

use rayon::prelude::*;

use crate::{Cube, Real, fd};

/// `image / (energy + eps * max(energy))`: the division of conditions 1 to 5 (`imcondeps` is eps).
/// Where the denominator is 0, so is the result.
///
/// # Panics
/// If the cubes have different sizes.
pub fn divide<T: Real>(image: &Cube<T>, energy: &Cube<T>, eps: f64) -> Cube<T> {
    assert_eq!(image.grid.n, energy.grid.n);
    let floor = eps * energy.range().1;
    let quotient = |(image, energy): (&T, &T)| match energy.f64() + floor {
        0.0 => T::ZERO,
        denominator => T::of(image.f64() / denominator),
    };
    Cube {
        grid: image.grid,
        values: image.values.iter().zip(&energy.values).map(quotient).collect(),
    }
}

/// The Laplacian filter `R' = lap(R)`, against the low frequencies that cross-correlation leaves
/// along the paths of the waves. The image is 0 outside its grid. A peak of R becomes a trough of
/// R': the sign is that of the Laplacian.
pub fn laplacian<T: Real>(image: &Cube<T>, order: usize) -> Cube<T> {
    let ([nx, ny, nz], c) = (image.grid.n, fd::second(order));
    let mut filtered = Cube::constant(image.grid, T::ZERO);
    filtered.values.par_chunks_mut(nz).enumerate().for_each(|(row, out)| {
        let (ix, iy) = (row / ny, row % ny);
        let mut sum = vec![0.0; nz];
        // An axis with one point is none: nothing changes along it.
        for (axis, i, n) in [(0, ix, nx), (1, iy, ny)].into_iter().filter(|(.., n)| *n > 1) {
            let weight = image.grid.d_m[axis].powi(-2);
            for l in -(c.len() as isize - 1)..c.len() as isize {
                let Some(at) = i.checked_add_signed(l).filter(|at| *at < n) else { continue };
                let row = if axis == 0 { image.row(at, iy) } else { image.row(ix, at) };
                let w = weight * c[l.unsigned_abs()];
                sum.iter_mut().zip(row).for_each(|(sum, v)| *sum += w * v.f64());
            }
        }
        let (row, weight) = (image.row(ix, iy), image.grid.d_m[2].powi(-2));
        for (iz, (sum, out)) in sum.iter().zip(out).enumerate() {
            let mut along = c[0] * row[iz].f64();
            for (l, c) in c.iter().enumerate().skip(1) {
                let above = iz.checked_sub(l).map_or(0.0, |i| row[i].f64());
                along += c * (above + row.get(iz + l).map_or(0.0, |v| v.f64()));
            }
            *out = T::of(sum + weight * along);
        }
    });
    filtered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grid, metrics};
    use proptest::prelude::*;

    #[test]
    fn a_constant_and_a_ramp_vanish_and_a_parabola_stays() {
        let grid = Grid::new([20, 21, 22], [10.0, 20.0, 5.0]);
        for order in fd::ORDERS {
            let h = order / 2;
            let filter = |f: &dyn Fn([f64; 3]) -> f64| {
                laplacian(&Cube::from_fn(grid, |p| f(grid.position_m(p))), order)
            };
            let (flat, bowl) = (
                filter(&|[x, y, z]| 3.0 + 0.1 * x - 0.2 * y + 0.3 * z),
                filter(&|[x, y, z]| x * x + 2.0 * y * y - 0.5 * z * z),
            );
            for i in 0..grid.len() {
                let p = grid.point(i);
                if (0..3).all(|a| p[a] >= h && p[a] + h < grid.n[a]) {
                    assert!(flat.at(p).abs() < 1e-10, "order {order} at {p:?}: {}", flat.at(p));
                    assert!(
                        (bowl.at(p) - 5.0).abs() < 1e-8,
                        "order {order} at {p:?}: {}",
                        bowl.at(p)
                    );
                }
            }
        }
    }

    /// Across a line nothing changes, whatever its width.
    #[test]
    fn a_line_is_filtered_in_its_plane() {
        let line = Cube::from_fn(Grid::new([20, 1, 22], [10.0, 3.0, 5.0]), |[x, _, z]| {
            (10.0 * x as f64).powi(2) - 0.5 * (5.0 * z as f64).powi(2)
        });
        let filtered = laplacian(&line, 8);
        for point in [[4, 0, 4], [15, 0, 17]] {
            assert!((filtered.at(point) - 1.0).abs() < 1e-9, "{}", filtered.at(point));
        }
    }

    proptest! {
        /// Filtering each shot or their sum is the same where no shot is divided.
        #[test]
        fn the_filter_is_linear(seed: u64, half in 1usize..=8) {
            let grid = Grid::uniform([9, 7, 12], 10.0);
            let noise = |s: u64| Cube::from_fn(grid, |p| {
                crate::strategy::random::counter(seed, grid.index(p) as u64, s) - 0.5
            });
            let (a, b) = (noise(1), noise(2));
            let sum = Cube::from_fn(grid, |p| a.at(p) + b.at(p));
            let (fa, fb, fs) = (
                laplacian(&a, 2 * half),
                laplacian(&b, 2 * half),
                laplacian(&sum, 2 * half),
            );
            let together: Vec<f64> = fa.values.iter().zip(&fb.values).map(|(a, b)| a + b).collect();
            prop_assert!(metrics::relative_l2(&together, &fs.values) < 1e-13);
        }
    }

    #[test]
    fn division_is_damped_and_never_by_zero() {
        let grid = Grid::uniform([1, 1, 3], 1.0);
        let cube = |v: [f32; 3]| Cube::from_values(grid, v.to_vec()).unwrap();
        let (image, energy) = (cube([2.0, 6.0, 1.0]), cube([1.0, 4.0, 0.0]));
        assert_eq!(divide(&image, &energy, 0.0).values, [2.0, 1.5, 0.0]);
        assert_eq!(divide(&image, &energy, 0.5).values, [2.0 / 3.0, 1.0, 0.5]);
        assert_eq!(divide(&image, &cube([0.0; 3]), 0.5).values, [0.0; 3]);
    }
}
