//! Convolutional perfectly matched layers (CPML; Pasalic and McGarry 2010; spec 2.6).
//!
//! In a layer every derivative along its axis gets a memory: `d/di -> d/di + psi` and `d2/di2 -> d2/di2 + d(psi)/di + zeta`, with
//!
//! ```text
//! psi  <- a psi  + b d(p)/di
//! zeta <- a zeta + b (d2(p)/di2 + d(psi)/di)          a = exp(-(sigma + alpha) dt),  b = sigma / (sigma + alpha) (a - 1)
//! ```
//!
//! psi is 0 outside its layer, and what `d(psi)/di` would add to the interior is dropped. All psi of a layer are updated before
//! any zeta reads them, so no result depends on how the work is cut.

use std::f64::consts::PI;

use crate::plan::{Face, Plan};
use crate::{Real, Volume};

/// Reflection coefficient that the profile aims at, R0.
const R0: f64 = 1e-3;

/// `a` and `b` of one face, in order of growing index: `layers` values each.
#[derive(Debug, Clone)]
pub struct Profile<T> {
    /// Decay per step.
    pub a: Vec<T>,
    /// Weight of the new derivative, not positive.
    pub b: Vec<T>,
}

/// `a` and `b` at normalised depth `d` in (0, 1] of a layer of `thickness_m`: sigma grows as d^2 from 0 to `3 v ln(1/R0) / (2 thickness)`,
/// alpha falls from `pi fq` to 0.
pub fn coefficients(
    d: f64,
    thickness_m: f64,
    v_max_mps: f64,
    peak_hz: f64,
    dt_s: f64,
) -> (f64, f64) {
    let sigma = 3.0 * v_max_mps * (1.0 / R0).ln() / (2.0 * thickness_m) * d * d;
    let alpha = PI * peak_hz * (1.0 - d);
    recursion(sigma, alpha, dt_s)
}

/// `a` and `b` of given sigma and alpha, 1/s.
pub fn recursion(sigma: f64, alpha: f64, dt_s: f64) -> (f64, f64) {
    let a = (-(sigma + alpha) * dt_s).exp();
    (a, if sigma == 0.0 { 0.0 } else { sigma / (sigma + alpha) * (a - 1.0) })
}

/// The profile of a face.
pub fn profile<T: Real>(plan: &Plan, face: Face, v_max_mps: f64) -> Profile<T> {
    let layers = plan.layers;
    let thickness_m = layers as f64 * plan.grid.d_m[face.axis()];
    let (a, b) = (0..layers)
        .map(|l| {
            let depth = if face.is_max() { l + 1 } else { layers - l };
            let d = depth as f64 / layers as f64;
            let (a, b) = coefficients(d, thickness_m, v_max_mps, plan.peak_hz, plan.dt_s);
            (T::of(a), T::of(b))
        })
        .unzip();
    Profile { a, b }
}

/// The profile of a z face as it is used along rows: for a window of whole vectors at the row's end, if the row is that long, with
/// zeros outside of the layer.
pub(crate) struct Window<T> {
    /// Where the window starts in the row.
    pub start: usize,
    pub a: Vec<T>,
    pub b: Vec<T>,
    /// 1 in the layer, else 0.
    pub mask: Vec<T>,
}

/// Points of such a window.
pub(crate) fn window_len<T: Real>(layers: usize, nz: usize) -> usize {
    let whole = Volume::<T>::vectors(layers);
    if whole <= nz { whole } else { layers }
}

impl<T: Real> Window<T> {
    pub fn new(profile: &Profile<T>, is_max: bool, nz: usize) -> Self {
        let layers = profile.a.len();
        let len = window_len::<T>(layers, nz);
        let first = if is_max { len - layers } else { 0 };
        let spread = |value: &dyn Fn(usize) -> T| -> Vec<T> {
            let layer = |i: usize| i.checked_sub(first).filter(|l| *l < layers);
            (0..len).map(|i| layer(i).map_or(T::ZERO, value)).collect()
        };
        Window {
            start: if is_max { nz - len } else { 0 },
            a: spread(&|l| profile.a[l]),
            b: spread(&|l| profile.b[l]),
            mask: spread(&|_| T::of(1.0)),
        }
    }
}

/// psi and zeta of one face within one tile.
#[derive(Clone)]
pub(crate) struct FaceState<T> {
    pub psi: Vec<T>,
    pub zeta: Vec<T>,
}

/// psi and zeta of a tile, for each face that absorbs and touches it. Index order: x faces `[layer][y][z]`, y faces
/// `[x][layer][z]`, with rows of whole vectors; z faces `[x][y][window]`.
#[derive(Clone)]
pub(crate) struct TileState<T> {
    pub faces: [Option<FaceState<T>>; 6],
}

impl<T: Real> TileState<T> {
    pub fn new(words: [usize; 6]) -> Self {
        let state = |n: usize| FaceState { psi: vec![T::ZERO; n], zeta: vec![T::ZERO; n] };
        TileState { faces: words.map(|n| (n > 0).then(|| state(n))) }
    }

    pub fn words(&self) -> usize {
        self.faces.iter().flatten().map(|f| f.psi.len() + f.zeta.len()).sum()
    }

    pub fn clear(&mut self) {
        for face in self.faces.iter_mut().flatten() {
            face.psi.fill(T::ZERO);
            face.zeta.fill(T::ZERO);
        }
    }

    pub fn copy_from(&mut self, other: &Self) {
        for (to, from) in self.faces.iter_mut().flatten().zip(other.faces.iter().flatten()) {
            to.psi.copy_from_slice(&from.psi);
            to.zeta.copy_from_slice(&from.zeta);
        }
    }
}
