//! Exercise 6.8: which levels are kept, and how often the others are computed again.
//!
//! A checkpoint holds all that is needed to go on from a level. Level 0 is silence: it costs
//! nothing, at any time.

use labkit::LabError;

/// Where a level of the source wavefield lies when checkpoints are uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the buffer of this number among those of the checkpoints: two for each.
    Checkpoint(u64),
    /// In the buffer that even levels share.
    Even,
    /// In the buffer that odd levels share.
    Odd,
}

/// The buffer of level `n` if every level that `period` (at least 3) divides is a checkpoint. A
/// checkpoint is two levels: its own and the next.
pub fn place(n: u64, period: u64) -> Place {
    // <lab
    let _ = (n, period);
    Place::Even
    // lab>
}

/// Calls of the stencil for `nt` levels with uniform checkpoints: `nt - 1` for the source wavefield
/// forward, `nt - 1` for the receiver wavefield backward, and for each level n that the checkpoint
/// before it does not hold as many as it is away from the checkpoint's second level.
pub fn stencil_calls(nt: u64, period: u64) -> u64 {
    // <lab
    let _ = (nt, period);
    0
    // lab>
}

/// The least period for which the checkpoints of `nt` levels fit into `memory` bytes beside the
/// `base` bytes of everything else; a checkpoint takes `checkpoint` bytes.
///
/// # Errors
/// Not even one checkpoint fits.
pub fn period(nt: u64, memory: u64, base: u64, checkpoint: u64) -> Result<u64, LabError> {
    // <lab
    let _ = (nt, memory, base, checkpoint);
    Err(LabError::msg("period is missing"))
    // lab>
}

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Computes the level after the present one.
    Advance,
    /// Keeps the present level in a slot, over what was there.
    Store(usize),
    /// Makes the level of a slot the present one.
    Restore(usize),
    /// Makes level 0 the present one.
    Restart,
    /// Hands the present level to the imaging condition.
    Image,
}

/// The fewest calls of `Advance` with which levels `n - 1` down to 0 can be handed over, with
/// `slots` slots, from level 0 on.
///
/// Without slots every level is computed from level 0 on. With them, the first slot is filled at
/// some level m: then the n - m levels from there on are a task of their own, with a slot less, and
/// the m before it another, with all slots.
pub fn fewest_advances(n: usize, slots: usize) -> u64 {
    // <lab
    let _ = (n, slots);
    0
    // lab>
}

/// The actions that hand over levels `nt - 1` down to 0 with `slots` slots and
/// `fewest_advances(nt, slots)` calls of `Advance`; level 0 is the present one at the start.
pub fn schedule(nt: usize, slots: usize) -> Vec<Action> {
    // <lab
    let _ = (nt, slots);
    Vec::new()
    // lab>
}

// <lab
// Helpers of yours.
// lab>
