//! How far a wave has come after a second in the media of the mini-app Fletcher.

use libm::{cos, sin, sqrt};

use crate::chart::{Chart, Series};
use crate::{Axis, Sheet};

const VPZ_MPS: f64 = 3000.0;
const EPSILON: f64 = 0.24;
const DELTA: f64 = 0.1;
const SIGMA: f64 = 0.75;
const TURN: f64 = 2.0 * std::f64::consts::PI;

/// Phase velocity of the P wave at an angle from the axis: the larger eigenvalue of the equations
/// of docs/tti.md for a plane wave.
fn phase_velocity_mps(epsilon: f64, delta: f64, psi: f64) -> f64 {
    let z2 = VPZ_MPS * VPZ_MPS;
    let (x2, n2) = (z2 * (1.0 + 2.0 * epsilon), z2 * (1.0 + 2.0 * delta));
    let s2 = z2 * (epsilon - delta).abs() / SIGMA;
    let across = sin(psi) * sin(psi);
    let along = 1.0 - across;
    let (pp, pq) = (x2 * across + s2 * along, (z2 - s2) * along);
    let (qp, qq) = ((n2 - s2) * across, z2 * along + s2 * across);
    let half = 0.5 * (pp + qq);
    sqrt(half + sqrt(half * half - pp * qq + pq * qp))
}

/// The front after a second, kilometres across and down; the axis is `tilt` from the vertical.
fn front(epsilon: f64, delta: f64, tilt: f64) -> Vec<(f64, f64)> {
    let point = |k: i32| {
        let psi = TURN * f64::from(k) / 240.0;
        let v = |psi: f64| phase_velocity_mps(epsilon, delta, psi);
        let slope = (v(psi + 1e-4) - v(psi - 1e-4)) / 2e-4;
        // Energy runs along the normal, and aside where the velocity changes with the angle.
        let at = psi + tilt;
        let x = v(psi) * sin(at) + slope * cos(at);
        let z = v(psi) * cos(at) - slope * sin(at);
        (1e-3 * x, 1e-3 * z)
    };
    (0..=240).map(point).collect()
}

/// P wavefronts of ISO, VTI and TTI.
pub fn wavefronts() -> Sheet {
    let axis = |label: &str| Axis::linear(label).range(-4.0, 4.0);
    let tilt = TURN / 8.0;
    let reach = 4.0 * sin(tilt);
    let symmetry = vec![(-reach, -reach), (reach, reach)];
    Chart::new("P waves after one second", axis("x (km)"), axis("z (km)").reversed())
        .note("3000 m/s along the axis, epsilon 0.24, delta 0.1; TTI is tilted by 45 degrees")
        .with(Series::line("ISO", front(0.0, 0.0, 0.0)).smooth())
        .with(Series::line("VTI", front(EPSILON, DELTA, 0.0)).smooth())
        .with(Series::line("TTI", front(EPSILON, DELTA, tilt)).smooth())
        .with(Series::line("axis of TTI", symmetry).reference())
        .size(400.0, 400.0)
        .sheet()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fronts_have_the_velocities_of_theory_along_and_across_the_axis() {
        let across = VPZ_MPS * sqrt(1.0 + 2.0 * EPSILON);
        assert!((phase_velocity_mps(EPSILON, DELTA, 0.0) - VPZ_MPS).abs() < 1e-6);
        assert!((phase_velocity_mps(EPSILON, DELTA, TURN / 4.0) - across).abs() < 1e-6);
        let [down, side] = [0, 60].map(|k| front(EPSILON, DELTA, 0.0)[k]);
        assert!((down.1 - 3.0).abs() < 1e-6 && (side.0 - 1e-3 * across).abs() < 1e-6);
        // Tilted, the slow way lies at 45 degrees.
        let (x, z) = front(EPSILON, DELTA, TURN / 8.0)[0];
        assert!((x - z).abs() < 1e-6 && (sqrt(x * x + z * z) - 3.0).abs() < 1e-6);
    }
}
