//! Back ends for whole surveys, in either precision.

use super::params::{Parameters, Precision};
use crate::Result;
use crate::engine::{Backend, Room};

/// A back end for both precisions.
pub trait AnyBackend: Backend<f32> + Backend<f64> {}
impl<B: Backend<f32> + Backend<f64>> AnyBackend for B {}

/// The memory of a back end for a run's precision.
///
/// # Errors
/// The device does not say.
pub fn room_of(params: &Parameters, backend: &dyn AnyBackend) -> Result<Room> {
    match params.precision {
        Precision::F32 => Backend::<f32>::room(backend),
        Precision::F64 => Backend::<f64>::room(backend),
    }
}
