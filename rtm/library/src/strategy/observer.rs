//! Who watches a run, and what there is to see.

use crate::Result;
use crate::grid::Cube;

/// Which field a snapshot shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movie {
    /// The source's field, forward (`smovie`).
    Forward,
    /// The source's field as the strategy has it again (`sbackmovie`).
    Backward,
    /// The receivers' field (`rmovie`).
    Receivers,
}

/// Watches a run: progress, snapshots, a request to stop.
pub trait Observer<T> {
    /// Called after each of `steps` time steps; `false` ends the run with
    /// [`crate::Error::Stopped`].
    fn progress(&mut self, _done: usize, _steps: usize) -> bool {
        true
    }
    /// Whether the level `k` of a field is to be shown.
    fn wants(&mut self, _movie: Movie, _k: usize) -> bool {
        false
    }
    /// Shows it, layers included.
    fn show(&mut self, _movie: Movie, _k: usize, _field: &Cube<T>) -> Result<()> {
        Ok(())
    }
}

/// Watches nothing.
impl<T> Observer<T> for () {}
