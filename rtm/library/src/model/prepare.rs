//! What is done to a model before a shot runs in it (spec 4.2 to 4.6).

use rayon::prelude::*;

use crate::grid::{Point, Velocity};
use crate::{Cube, Error, Grid, Result};

/// Lengths per face, metres: left, right, back, front, top, bottom.
pub type PerFace = [f64; 6];

/// Guards quotients of lengths that are whole but for rounding.
const WHOLE: f64 = 1e-6;

/// Points by which a model grows at each face: `floor(length / spacing)` (spec 4.2).
pub fn extension_points(grid: &Grid, length_m: &PerFace) -> [usize; 6] {
    std::array::from_fn(|face| {
        (length_m[face] / grid.d_m[face / 2] + WHOLE).floor().max(0.0) as usize
    })
}

/// The model continued beyond its faces with the velocity of the nearest point; the origin moves
/// outwards.
pub fn extend(model: &Velocity, length_m: &PerFace) -> Velocity {
    let more = extension_points(&model.grid, length_m);
    let grid = Grid {
        n: std::array::from_fn(|a| model.grid.n[a] + more[2 * a] + more[2 * a + 1]),
        d_m: model.grid.d_m,
        origin_m: std::array::from_fn(|a| {
            model.grid.origin_m[a] - more[2 * a] as f64 * model.grid.d_m[a]
        }),
    };
    Cube::from_fn(grid, |point| {
        model.at(std::array::from_fn(|a| {
            point[a].saturating_sub(more[2 * a]).min(model.grid.n[a] - 1)
        }))
    })
}

/// How many times finer each axis must be sampled for `points_per_wavelength` of the slowest wave
/// at the central frequency: `ceil(d / ds)`, `ds = v_min / (pplo fq)` (spec 4.3).
pub fn factors(
    grid: &Grid,
    v_min_mps: f64,
    points_per_wavelength: f64,
    peak_hz: f64,
) -> [usize; 3] {
    let ds = crate::fd::d_max_m(v_min_mps, points_per_wavelength, peak_hz);
    grid.d_m.map(|d| ((d / ds - WHOLE).ceil() as usize).max(1))
}

/// The model sampled `factor` times finer, by trilinear interpolation: its points stay, and no
/// value leaves the range of its neighbours. `(n - 1) factor + 1` points per axis (spec 4.3).
pub fn resample(model: &Velocity, factor: [usize; 3]) -> Velocity {
    if factor == [1; 3] {
        return model.clone();
    }
    let grid = Grid {
        n: std::array::from_fn(|a| (model.grid.n[a] - 1) * factor[a] + 1),
        d_m: std::array::from_fn(|a| model.grid.d_m[a] / factor[a] as f64),
        origin_m: model.grid.origin_m,
    };
    let mut values = vec![0.0; grid.len()];
    let between = |a: f32, b: f32, share: f32| (a + share * (b - a)).clamp(a.min(b), a.max(b));
    // The row to each side of a place on an axis, and how far it is to the second.
    let sides = |i: usize, axis: usize| {
        let (low, rest) = (i / factor[axis], i % factor[axis]);
        (low, (low + 1).min(model.grid.n[axis] - 1), rest as f32 / factor[axis] as f32)
    };
    values.par_chunks_mut(grid.n[2]).enumerate().for_each(|(row, out)| {
        let (x0, x1, x) = sides(row / grid.n[1], 0);
        let (y0, y1, y) = sides(row % grid.n[1], 1);
        let rows = [[x0, y0], [x1, y0], [x0, y1], [x1, y1]].map(|[ix, iy]| model.row(ix, iy));
        for (iz, out) in out.iter_mut().enumerate() {
            let (z0, z1, z) = sides(iz, 2);
            let column = rows.map(|row| between(row[z0], row[z1], z));
            *out = between(between(column[0], column[1], x), between(column[2], column[3], x), y);
        }
    });
    Cube { grid, values }
}

/// The model smoothed in slowness (so that travel times stay) by a Gaussian of `sigma_m` per axis,
/// continued beyond its faces with the nearest value.
pub fn smooth(model: &Velocity, sigma_m: [f64; 3]) -> Velocity {
    let slowness = model.values.iter().map(|v| 1.0 / v).collect();
    let mut cube = Cube { grid: model.grid, values: slowness };
    for (axis, sigma_m) in sigma_m.into_iter().enumerate() {
        let weights = gaussian(sigma_m / model.grid.d_m[axis]);
        if weights.len() > 1 {
            cube = convolve(&cube, axis, &weights);
        }
    }
    cube.values.iter_mut().for_each(|s| *s = 1.0 / *s);
    cube
}

/// Weights -k..k that sum to 1.
fn gaussian(sigma: f64) -> Vec<f32> {
    let half = (3.0 * sigma).ceil().max(0.0) as i64;
    let raw: Vec<f64> = (-half..=half).map(|k| (-0.5 * (k as f64 / sigma).powi(2)).exp()).collect();
    let sum: f64 = raw.iter().sum();
    if half == 0 { vec![1.0] } else { raw.iter().map(|w| (w / sum) as f32).collect() }
}

fn convolve(cube: &Cube<f32>, axis: usize, weights: &[f32]) -> Cube<f32> {
    let (grid, half) = (cube.grid, weights.len() as i64 / 2);
    let last = grid.n[axis] as i64 - 1;
    let mut values = vec![0.0; grid.len()];
    values.par_chunks_mut(grid.n[2]).enumerate().for_each(|(row, out)| {
        let place = [row / grid.n[1], row % grid.n[1]];
        for (k, w) in weights.iter().enumerate() {
            let shift = k as i64 - half;
            let moved = |i: usize| (i as i64 + shift).clamp(0, last) as usize;
            match axis {
                0 => add(out, cube.row(moved(place[0]), place[1]), *w),
                1 => add(out, cube.row(place[0], moved(place[1])), *w),
                _ => {
                    let from = cube.row(place[0], place[1]);
                    out.iter_mut().enumerate().for_each(|(iz, out)| *out += w * from[moved(iz)]);
                }
            }
        }
    });
    Cube { grid, values }
}

fn add(out: &mut [f32], row: &[f32], weight: f32) {
    out.iter_mut().zip(row).for_each(|(out, v)| *out += weight * v);
}

/// The time step of a run (spec 4.4): the user's if it is stable, else, if there is none, the
/// recording's if that is stable, else the largest stable one.
pub fn time_step_s(dt_max_s: f64, dt_user_s: Option<f64>, dt_recording_s: Option<f64>) -> f64 {
    let stable = |dt: &f64| *dt <= dt_max_s;
    match dt_user_s {
        Some(_) => dt_user_s.filter(stable).unwrap_or(dt_max_s),
        None => dt_recording_s.filter(stable).unwrap_or(dt_max_s),
    }
}

/// `floor(t_max / dt)`, guarded against the rounding of quotients that are whole (spec 4.4).
pub fn levels(t_max_s: f64, dt_s: f64) -> usize {
    (t_max_s / dt_s * (1.0 + 1e-9)).floor().max(0.0) as usize
}

/// The smallest box that holds all places: smallest and largest x, y, z.
///
/// # Errors
/// There is no place.
pub fn bounds_m<'a>(places: impl IntoIterator<Item = &'a [f64; 3]>) -> Result<[[f64; 2]; 3]> {
    let nothing = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    let found = places
        .into_iter()
        .fold(nothing, |b, p| std::array::from_fn(|a| [b[a][0].min(p[a]), b[a][1].max(p[a])]));
    match found == nothing {
        true => Err(Error::input("a shot without source and receivers")),
        false => Ok(found),
    }
}

/// The part of a model that a shot needs: `bounds_m` of its source and receivers, the aperture
/// beyond them, `layers` points beyond that; cut off where the model ends (spec 4.6). Returns its
/// first point and its size.
///
/// # Errors
/// The shot lies outside of the model altogether.
pub fn submodel(
    grid: &Grid,
    bounds_m: &[[f64; 2]; 3],
    aperture_m: &PerFace,
    layers: usize,
) -> Result<(Point, [usize; 3])> {
    let mut first = [0; 3];
    let mut n = [0; 3];
    for a in 0..3 {
        let [low, high] = bounds_m[a];
        let point = |m: f64| (m - grid.origin_m[a]) / grid.d_m[a];
        let from = (point(low - aperture_m[2 * a]) - layers as f64 + WHOLE).floor().max(0.0);
        let to = (point(high + aperture_m[2 * a + 1]) + layers as f64 - WHOLE).ceil();
        let to = to.min((grid.n[a] - 1) as f64);
        if to < from {
            return Err(Error::refused(
                ["x", "y", "z"][a],
                format!(
                    "the shot reaches from {low} to {high} m, the model from {} to {} m",
                    grid.origin_m[a],
                    grid.origin_m[a] + (grid.n[a] - 1) as f64 * grid.d_m[a]
                ),
                "check the coordinates of shots and model, and their scale factors",
            ));
        }
        first[a] = from as usize;
        n[a] = (to - from) as usize + 1;
    }
    Ok((first, n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fd;
    use proptest::prelude::*;

    /// Spec 4.7, example A.
    #[test]
    fn example_a() {
        let grid = Grid::uniform([100; 3], 10.0);
        let mut model = Cube::constant(grid, 1500.0f32);
        *model.at_mut([50, 50, 50]) = 4700.0;
        let extended = extend(&model, &[320.0, 320.0, 320.0, 320.0, 400.0, 320.0]);
        assert_eq!(extended.grid.n, [164, 164, 172]);
        assert_eq!(extended.grid.origin_m, [-320.0, -320.0, -400.0]);
        let factor = factors(&extended.grid, 1500.0, 10.0, 20.0);
        assert_eq!(factor, [2; 3]);
        let fine = resample(&extended, factor);
        assert_eq!((fine.grid.n, fine.grid.d_m), ([327, 327, 343], [5.0; 3]));
        let dt_max = fd::dt_max_s(8, 5.0, 4700.0);
        let dt = time_step_s(dt_max, Some(0.002), Some(0.0002));
        assert!((dt - 0.000_481_76).abs() < 5e-9, "{dt}");
        assert_eq!(levels(1.2, dt), 2490);
        let shot = bounds_m(&[[50.0, 50.0, 0.0], [550.0, 550.0, 0.0]]).unwrap();
        let aperture = [100.0, 100.0, 100.0, 100.0, 400.0, 1000.0];
        let (first, n) = submodel(&fine.grid, &shot, &aperture, 16).unwrap();
        assert_eq!(n, [173, 173, 297]);
        assert_eq!(fine.grid.position_m(first), [-130.0, -130.0, -400.0]);
        let last = std::array::from_fn(|a| first[a] + n[a] - 1);
        assert_eq!(fine.grid.position_m(last), [730.0, 730.0, 1080.0]);
    }

    /// Spec 4.7, example B, shot 65.
    #[test]
    fn example_b() {
        let model = crate::model::build::salt(crate::model::build::salt_grid());
        let extended = extend(&model, &[640.0, 640.0, 640.0, 640.0, 3000.0, 640.0]);
        assert_eq!(extended.grid.n, [185, 185, 95]);
        let (low, high) = extended.range();
        let ds = fd::d_max_m(low, 5.0, 7.0);
        assert!((ds - 42.85).abs() < 0.01, "{ds}");
        let factor = factors(&extended.grid, low, 5.0, 7.0);
        assert_eq!(factor, [2; 3]);
        let grid = Grid { n: [369, 369, 189], d_m: [40.0; 3], ..extended.grid };
        let dt_max = fd::dt_max_s(6, 40.0, high);
        assert!((dt_max - 0.004_19).abs() < 1e-5, "{dt_max}");
        let dt = time_step_s(dt_max, Some(0.002), Some(0.004));
        assert_eq!((dt, levels(5.0, dt)), (0.002, 2500));
        let shot = bounds_m(&[[4240.0, 4240.0, 0.0], [8240.0, 8240.0, 0.0], [6240.0, 6240.0, 0.0]]);
        let aperture = [160.0, 160.0, 160.0, 160.0, 160.0, 10_000.0];
        let (first, n) = submodel(&grid, &shot.unwrap(), &aperture, 16).unwrap();
        assert_eq!(n, [141, 141, 135]);
        assert_eq!(grid.position_m(first), [3440.0, 3440.0, -800.0]);
        let last = std::array::from_fn(|a| first[a] + n[a] - 1);
        assert_eq!(grid.position_m(last), [9040.0, 9040.0, 4560.0]);
    }

    /// Spec 4.4: the three printed cases, and 4.7 example C.
    #[test]
    fn time_steps_of_the_thesis() {
        assert_eq!(time_step_s(0.000_481_76, Some(0.002), Some(0.0002)), 0.000_481_76);
        assert_eq!(time_step_s(0.00419, Some(0.002), Some(0.004)), 0.002);
        assert_eq!(time_step_s(0.00302, Some(0.0009), None), 0.0009);
        assert_eq!(time_step_s(0.003, None, Some(0.002)), 0.002);
        assert_eq!(time_step_s(0.003, None, Some(0.004)), 0.003);
        assert_eq!(levels(5.0, 0.002), 2500);
        assert_eq!(levels(1.2, 0.0009), 1333);
        let c = factors(&Grid::uniform([100; 3], 10.0), 1500.0, 10.0, 15.0);
        assert_eq!(c, [1; 3]);
    }

    #[test]
    fn shots_at_the_edge_are_cut_and_shots_outside_refused() {
        let grid = Grid::uniform([50, 50, 50], 10.0);
        let shot = bounds_m(&[[0.0, 100.0, 0.0], [490.0, 100.0, 0.0]]).unwrap();
        let (first, n) = submodel(&grid, &shot, &[1e4; 6], 16).unwrap();
        assert_eq!((first, n), ([0; 3], [50; 3]));
        let far = bounds_m(&[[9000.0, 100.0, 0.0]]).unwrap();
        let error = submodel(&grid, &far, &[10.0; 6], 2).unwrap_err().to_string();
        assert!(error.contains("9000") && error.contains("490 m"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn resampling_keeps_points_and_range(
            n in [1usize..6, 1usize..6, 1usize..6], factor in [1usize..4, 1usize..4, 1usize..4],
            seed: u32,
        ) {
            let grid = Grid::new(n, [10.0, 20.0, 30.0]);
            let noise = |i: usize| {
                let hash = (i as u32).wrapping_mul(2_654_435_761).wrapping_add(seed);
                1500.0 + hash as f32 / 2e6
            };
            let model = Cube::from_fn(grid, |p| noise(grid.index(p)));
            let fine = resample(&model, factor);
            for i in 0..grid.len() {
                let p = grid.point(i);
                prop_assert_eq!(fine.at(std::array::from_fn(|a| p[a] * factor[a])), model.at(p));
            }
            let ((low, high), (l, h)) = (model.range(), fine.range());
            prop_assert!(low <= l && h <= high);
            let smooth = smooth(&model, [15.0, 15.0, 25.0]);
            let (l, h) = smooth.range();
            prop_assert!(low * 0.99999 <= l && h <= high * 1.00001);
        }

        #[test]
        fn extension_replicates_the_faces(
            n in [1usize..6, 1usize..6, 1usize..6],
            more in prop::array::uniform6(0.0f64..45.0),
        ) {
            let grid = Grid::uniform(n, 10.0);
            let model = Cube::from_fn(grid, |p| 1500.0 + grid.index(p) as f32);
            let wide = extend(&model, &more);
            for i in 0..wide.grid.len() {
                let p = wide.grid.point(i);
                let place = wide.grid.position_m(p);
                let nearest = std::array::from_fn(|a| {
                    (place[a] / 10.0).round().clamp(0.0, (n[a] - 1) as f64) as usize
                });
                prop_assert_eq!(wide.at(p), model.at(nearest));
            }
            for a in 0..3 {
                prop_assert_eq!(
                    wide.grid.n[a],
                    n[a] + (more[2 * a] / 10.0) as usize + (more[2 * a + 1] / 10.0) as usize,
                );
            }
        }
    }

    #[test]
    fn smoothing_keeps_a_constant_and_spreads_a_step() {
        let grid = Grid::uniform([3, 3, 60], 10.0);
        let flat = smooth(&Cube::constant(grid, 2000.0), [30.0; 3]);
        assert!(flat.values.iter().all(|v| (v - 2000.0).abs() < 0.01));
        let step = Cube::from_fn(grid, |p| if p[2] < 30 { 1500.0 } else { 3000.0 });
        let soft = smooth(&step, [0.0, 0.0, 40.0]);
        assert!(soft.row(1, 1).windows(2).all(|w| w[0] <= w[1] * 1.000_001));
        let time = |m: &Velocity| m.row(1, 1).iter().map(|v| 10.0 / f64::from(*v)).sum::<f64>();
        assert!((time(&soft) / time(&step) - 1.0).abs() < 1e-5);
    }
}
