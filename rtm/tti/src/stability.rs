//! How fast waves run in a tilted medium, and which time step is stable.
//!
//! For a plane wave at angle psi from the axis, `H1 = -k^2 cos^2 psi` and `H2 = -k^2 sin^2 psi`,
//! and the equations become a matrix of 2 x 2 numbers whose eigenvalues are the squared phase
//! velocities of the P and the SV wave. On the grid H1 and H2 are still not positive and their sum
//! is the Laplacian's difference, so a step is stable if `dt^2 v^2 L <= 4`, with L the largest
//! value of minus that difference and v the fastest phase velocity over all angles. docs/tti.md has
//! the proof.

use rtm::{Error, Result};

use super::model::{Medium, Model};

impl Medium {
    /// Phase velocities of the P and the SV wave at `psi` radians from the axis of symmetry, m/s.
    pub fn phase_velocities(&self, psi: f64) -> [f64; 2] {
        let [px, pz, sz, pn] = self.squares().map(f64::from);
        let (h2, h1) = (psi.sin().powi(2), psi.cos().powi(2));
        let (a, d) = (px * h2 + sz * h1, pz * h1 + sz * h2);
        let off = (pz - sz) * (pn - sz) * h1 * h2;
        let root = ((a - d).powi(2) / 4.0 + off).max(0.0).sqrt();
        let mean = (a + d) / 2.0;
        [(mean + root).sqrt(), (mean - root).max(0.0).sqrt()]
    }

    /// An upper bound of the phase velocity over all angles, m/s; it is reached unless shear waves
    /// are faster than P waves.
    pub fn fastest_mps(&self) -> f64 {
        let [px, pz, sz, pn] = self.squares().map(f64::from);
        let shear = if sz > pz.min(pn) { 2.0 * sz } else { sz };
        px.max(pz).max(pn).max(shear).sqrt()
    }

    /// Refuses a medium that no wave can cross or whose SV waves would grow.
    fn check(&self, at: [usize; 3]) -> Result<()> {
        let place = || format!("medium at point {at:?}");
        let values = [self.vpz, self.vsv, self.epsilon, self.delta, self.phi, self.theta];
        if values.iter().any(|v| !v.is_finite()) || self.vpz < 0.0 || self.vsv < 0.0 {
            return Err(Error::refused(
                place(),
                format!("{self:?}"),
                "all must be numbers, velocities not negative",
            ));
        }
        let [px, pz, sz, pn] = self.squares().map(f64::from);
        if px < 0.0 || pn < 0.0 {
            return Err(Error::refused(
                place(),
                format!("epsilon = {}, delta = {}", self.epsilon, self.delta),
                "both must be at least -0.5",
            ));
        }
        // The product of both eigenvalues must not be negative at any angle.
        let needed = pz * (pn - px) / (pz + pn + 2.0 * (px * pz).sqrt()).max(f64::MIN_POSITIVE);
        if sz < needed * (1.0 - 1e-6) {
            return Err(Error::refused(
                place(),
                format!(
                    "delta = {} is larger than epsilon = {} and vsv = {} m/s: SV waves would grow \
                     without bound",
                    self.delta, self.epsilon, self.vsv
                ),
                format!("vsv of at least {:.1} m/s, or delta not above epsilon", needed.sqrt()),
            ));
        }
        Ok(())
    }
}

impl Model {
    /// The fastest phase velocity of the model, m/s.
    pub fn fastest_mps(&self) -> f64 {
        self.points.iter().map(Medium::fastest_mps).fold(0.0, f64::max)
    }

    /// The largest time step that is stable in this model, seconds.
    pub fn dt_max_s(&self) -> f64 {
        2.0 / (self.fastest_mps() * self.layout.largest_laplacian().sqrt())
    }

    /// The time step that the mini-app recommends, seconds:
    /// `0.2 d_min / (vpz sqrt(1 + 2 epsilon))`.
    pub fn dt_recommended_s(&self) -> f64 {
        let fastest = |m: &Medium| f64::from(m.squares()[0].max(0.0)).sqrt();
        let d_min = self.layout.d_m.iter().copied().fold(f64::INFINITY, f64::min);
        0.2 * d_min / self.points.iter().map(fastest).fold(0.0, f64::max)
    }

    /// Refuses media that cannot be and a time step that is not stable; the error names the fix.
    ///
    /// # Errors
    /// As said.
    pub fn check(&self, dt_s: f64) -> Result<()> {
        for (medium, point) in self.points.iter().zip(self.layout.each_point()) {
            medium.check(point)?;
        }
        let largest = self.dt_max_s();
        if !(dt_s > 0.0 && dt_s <= largest) {
            let scale = dt_s / largest;
            return Err(Error::refused(
                format!("dt = {dt_s} s"),
                format!(
                    "not stable: waves run at up to {:.0} m/s and would grow without bound",
                    self.fastest_mps()
                ),
                if dt_s > 0.0 {
                    format!("dt of at most {largest:.6} s, or spacings {scale:.2} times as large")
                } else {
                    format!("dt above 0 and at most {largest:.6} s")
                },
            ));
        }
        Ok(())
    }
}
