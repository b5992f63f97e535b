//! Central finite differences of orders 2 to 16: coefficients, stability, dispersion (spec 2.3 to
//! 2.5).

use crate::{Error, Result};

/// The orders there are.
pub const ORDERS: [usize; 8] = [2, 4, 6, 8, 10, 12, 14, 16];

/// Refuses an order that there is not.
pub fn check_order(order: usize) -> Result<()> {
    if ORDERS.contains(&order) {
        Ok(())
    } else {
        Err(Error::input(format!("ord = {order}: the order must be even, from 2 to 16")))
    }
}

/// `(h!)^2 / ((h - l)! (h + l)!)`.
fn binomial_ratio(h: usize, l: usize) -> f64 {
    (1..=l).map(|i| (h + 1 - i) as f64 / (h + i) as f64).product()
}

fn sign(l: usize) -> f64 {
    if l % 2 == 1 { 1.0 } else { -1.0 }
}

/// Coefficients C_0 .. C_h of the second derivative, for spacing 1; symmetric.
pub fn second(order: usize) -> Vec<f64> {
    let h = order / 2;
    let mut c: Vec<f64> = (0..=h)
        .map(|l| if l == 0 { 0.0 } else { 2.0 * sign(l) * binomial_ratio(h, l) / (l * l) as f64 })
        .collect();
    c[0] = -2.0 * c[1..].iter().sum::<f64>();
    c
}

/// Coefficients D_0 .. D_h of the first derivative, for spacing 1; antisymmetric, D_0 = 0.
pub fn first(order: usize) -> Vec<f64> {
    let h = order / 2;
    (0..=h).map(|l| if l == 0 { 0.0 } else { sign(l) * binomial_ratio(h, l) / l as f64 }).collect()
}

/// `S = -C_0 + 2 sum (-1)^(l+1) C_l`: minus the second difference of the checkerboard, the fastest
/// wave of the grid.
pub fn stability_sum(order: usize) -> f64 {
    let c = second(order);
    -c[0] + 2.0 * c.iter().enumerate().skip(1).map(|(l, c)| sign(l) * c).sum::<f64>()
}

/// Largest stable time step in seconds for the smallest spacing and the largest velocity (spec
/// 2.4).
pub fn dt_max_s(order: usize, d_min_m: f64, v_max_mps: f64) -> f64 {
    dt_max_s_in(3, order, d_min_m, v_max_mps)
}

/// The same in 2 dimensions or 3.
pub fn dt_max_s_in(dimensions: usize, order: usize, d_min_m: f64, v_max_mps: f64) -> f64 {
    2.0 * d_min_m / ((dimensions as f64).sqrt() * v_max_mps * stability_sum(order).sqrt())
}

/// Largest stable velocity in m/s for a time step (spec 2.4).
pub fn v_max_stable_mps(order: usize, d_min_m: f64, dt_s: f64) -> f64 {
    dt_max_s(order, d_min_m, 1.0) / dt_s
}

/// Largest spacing in metres that gives `points_per_wavelength` at the central frequency (spec
/// 2.5).
pub fn d_max_m(v_min_mps: f64, points_per_wavelength: f64, peak_hz: f64) -> f64 {
    v_min_mps / (points_per_wavelength * peak_hz)
}

/// Phase velocity of a plane wave on the grid over that of the medium, along an axis: the solution
/// of the discrete dispersion relation `sin^2(w dt / 2) = (v dt / (2 d))^2 (-C_0 - 2 sum C_l cos(l
/// k d))` for `points_per_wavelength` points and `courant = v dt / d`.
pub fn phase_velocity_ratio(order: usize, points_per_wavelength: f64, courant: f64) -> f64 {
    let c = second(order);
    let kd = 2.0 * std::f64::consts::PI / points_per_wavelength;
    let sum = -c[0]
        - 2.0 * c.iter().enumerate().skip(1).map(|(l, c)| c * (l as f64 * kd).cos()).sum::<f64>();
    let w_dt = 2.0 * (courant / 2.0 * sum.max(0.0).sqrt()).min(1.0).asin();
    w_dt / (courant * kd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_of_the_table() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 2e-9 * b.abs().max(1e-3), "{a} {b}");
        let table: [(usize, &[f64], f64); 8] = [
            (2, &[-2.0, 1.0], 4.0),
            (4, &[-2.5, 4.0 / 3.0, -1.0 / 12.0], 5.33333333),
            (6, &[-49.0 / 18.0, 1.5, -0.15, 1.0 / 90.0], 6.04444444),
            (8, &[-205.0 / 72.0, 1.6, -0.2, 8.0 / 315.0, -1.0 / 560.0], 6.50158730),
            (
                10,
                &[
                    -2.927222222,
                    1.666666667,
                    -0.2380952381,
                    0.03968253968,
                    -0.00496031746,
                    0.0003174603175,
                ],
                6.82666667,
            ),
            (
                12,
                &[
                    -2.982777778,
                    1.714285714,
                    -0.2678571429,
                    0.05291005291,
                    -0.008928571429,
                    0.001038961039,
                    -6.012506013e-5,
                ],
                7.07293891,
            ),
            (
                14,
                &[
                    -3.023594104,
                    1.75,
                    -0.2916666667,
                    0.06481481481,
                    -0.01325757576,
                    0.002121212121,
                    -2.266252266e-4,
                    1.189286904e-5,
                ],
                7.26779168,
            ),
            (
                16,
                &[
                    -3.054844104,
                    1.777777778,
                    -0.3111111111,
                    0.07542087542,
                    -0.01767676768,
                    0.003480963481,
                    -5.18000518e-4,
                    5.074290789e-5,
                    -2.428127428e-6,
                ],
                7.42692144,
            ),
        ];
        for (order, want, s) in table {
            let c = second(order);
            assert_eq!(c.len(), want.len());
            c.iter().zip(want).for_each(|(c, want)| close(*c, *want));
            close(stability_sum(order), s);
        }
    }

    /// Error of a difference of sin(x) at x = 0.7 with spacing d.
    fn error(order: usize, d: f64, of_second: bool) -> f64 {
        let x = 0.7f64;
        let c = if of_second { second(order) } else { first(order) };
        let sum: f64 = (0..c.len())
            .map(|l| {
                let (plus, minus) = ((x + l as f64 * d).sin(), (x - l as f64 * d).sin());
                let pair = if of_second { plus + minus } else { plus - minus };
                if l == 0 { c[0] * x.sin() * f64::from(of_second) } else { c[l] * pair }
            })
            .sum();
        if of_second { (sum / (d * d) + x.sin()).abs() } else { (sum / d - x.cos()).abs() }
    }

    #[test]
    fn the_error_on_a_sine_falls_with_the_order() {
        for order in ORDERS {
            for of_second in [true, false] {
                // Where rounding does not matter yet.
                let d = 0.35 + 0.03 * order as f64;
                let slope = (error(order, d, of_second) / error(order, d / 1.5, of_second)).ln()
                    / 1.5f64.ln();
                assert!((slope - order as f64).abs() < 0.6, "order {order}: slope {slope}");
            }
        }
    }

    #[test]
    fn stability_and_spacing_of_the_examples() {
        assert!((dt_max_s(8, 5.0, 4700.0) - 0.00048176).abs() < 5e-9);
        assert!((v_max_stable_mps(8, 20.0, 0.001) - 9057.11).abs() < 0.005);
        assert!((d_max_m(1500.0, 10.0, 20.0) - 7.5).abs() < 1e-12);
        assert!(check_order(8).is_ok() && check_order(7).is_err() && check_order(18).is_err());
    }

    #[test]
    fn dispersion_falls_with_order_and_with_points_per_wavelength() {
        let error = |order, points| (phase_velocity_ratio(order, points, 1e-5) - 1.0).abs();
        for pair in ORDERS.windows(2) {
            for points in [4.0, 5.0, 8.0, 10.0] {
                assert!(error(pair[1], points) < error(pair[0], points), "{pair:?} {points}");
            }
            assert!(
                error(pair[0], 5.0) > error(pair[0], 8.0)
                    && error(pair[0], 8.0) > error(pair[0], 10.0)
            );
        }
    }
}
