//! Velocity models: built from a few numbers ([`build`]), and prepared for a run ([`prepare`]):
//! extended, resampled, smoothed, cut to the part that a shot needs, with the time step that is
//! stable in it.

pub mod build;
pub mod prepare;

use crate::grid::Velocity;
use crate::{Error, Result};

/// Slowest and fastest velocity that a ground's fastest may have, m/s: soft mud has more than the
/// first, the mantle less than the second.
const GROUND_MPS: [f64; 2] = [100.0, 12_000.0];

/// Refuses a model whose velocities are no ground's, mostly because they have another unit; `what`
/// names the model in the message.
///
/// # Errors
/// The largest velocity is below 100 or above 12,000 m/s.
pub fn plausible(model: &Velocity, what: &str) -> Result<()> {
    let [low, high] = GROUND_MPS;
    let largest = model.range().1;
    let fix = match largest {
        v if v < low => "if the file has km/s, say so: vunits=km/s",
        v if v > high => "if the file has ft/s, say so: vunits=ft/s",
        // What is not a number is `check`'s affair.
        _ => return Ok(()),
    };
    Err(Error::refused(what, format!("its largest velocity is {largest} m/s"), fix))
}

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
