//! Velocity models: built from a few numbers ([`build`]), and prepared for a run ([`prepare`]):
//! extended, resampled, smoothed, cut to the part that a shot needs, with the time step that is
//! stable in it.

pub mod build;
pub mod prepare;

use crate::grid::Velocity;
use crate::{Error, Result};

/// Refuses a model with a velocity that is not a positive number; `what` names the model in the
/// message.
///
/// # Errors
/// The first such point, with its value.
pub fn check(model: &Velocity, what: &str) -> Result<()> {
    let Some(at) = model.values.iter().position(|v| !(v.is_finite() && *v > 0.0)) else {
        return Ok(());
    };
    let [ix, iy, iz] = model.grid.point(at);
    Err(Error::refused(
        what,
        format!("the velocity at ix = {ix}, iy = {iy}, iz = {iz} is {} m/s", model.values[at]),
        "velocities are positive numbers of m/s; check the byte order and the number type, too",
    ))
}
