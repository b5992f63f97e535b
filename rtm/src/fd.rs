//! Central finite differences of orders 2 to 16: coefficients, stability, dispersion (spec 2.3 to 2.5).

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

/// `S = -C_0 + 2 sum (-1)^(l+1) C_l`: minus the second difference of the checkerboard, the fastest wave of the grid.
pub fn stability_sum(order: usize) -> f64 {
    let c = second(order);
    -c[0] + 2.0 * c.iter().enumerate().skip(1).map(|(l, c)| sign(l) * c).sum::<f64>()
}

/// Largest stable time step in seconds for the smallest spacing and the largest velocity (spec 2.4).
pub fn dt_max_s(order: usize, d_min_m: f64, v_max_mps: f64) -> f64 {
    2.0 * d_min_m / (3f64.sqrt() * v_max_mps * stability_sum(order).sqrt())
}

/// Largest stable velocity in m/s for a time step (spec 2.4).
pub fn v_max_stable_mps(order: usize, d_min_m: f64, dt_s: f64) -> f64 {
    dt_max_s(order, d_min_m, 1.0) / dt_s
}

/// Largest spacing in metres that gives `points_per_wavelength` at the central frequency (spec 2.5).
pub fn d_max_m(v_min_mps: f64, points_per_wavelength: f64, peak_hz: f64) -> f64 {
    v_min_mps / (points_per_wavelength * peak_hz)
}
