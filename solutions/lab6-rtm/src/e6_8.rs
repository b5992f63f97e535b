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
    match n % period {
        0 => Place::Checkpoint(2 * (n / period)),
        1 => Place::Checkpoint(2 * (n / period) + 1),
        _ if n.is_multiple_of(2) => Place::Even,
        _ => Place::Odd,
    }
    //~ let _ = (n, period);
    //~ Place::Even
    // lab>
}

/// Calls of the stencil for `nt` levels with uniform checkpoints: `nt - 1` for the source wavefield
/// forward, `nt - 1` for the receiver wavefield backward, and for each level n that the checkpoint
/// before it does not hold as many as it is away from the checkpoint's second level.
pub fn stencil_calls(nt: u64, period: u64) -> u64 {
    // <lab
    let replayed: u64 = (0..nt).map(|n| (n % period).saturating_sub(1)).sum();
    2 * (nt - 1) + replayed
    //~ let _ = (nt, period);
    //~ 0
    // lab>
}

/// The least period for which the checkpoints of `nt` levels fit into `memory` bytes beside the
/// `base` bytes of everything else; a checkpoint takes `checkpoint` bytes.
///
/// # Errors
/// Not even one checkpoint fits.
pub fn period(nt: u64, memory: u64, base: u64, checkpoint: u64) -> Result<u64, LabError> {
    // <lab
    let most = memory.saturating_sub(base) / checkpoint;
    if most == 0 {
        return Err(LabError::msg(format!("{memory} bytes hold no checkpoint")));
    }
    Ok(nt.div_ceil(most).max(3))
    //~ let _ = (nt, memory, base, checkpoint);
    //~ Err(LabError::msg("period is missing"))
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
    table(n, slots)[slots][n].0
    //~ let _ = (n, slots);
    //~ 0
    // lab>
}

/// The actions that hand over levels `nt - 1` down to 0 with `slots` slots and
/// `fewest_advances(nt, slots)` calls of `Advance`; level 0 is the present one at the start.
pub fn schedule(nt: usize, slots: usize) -> Vec<Action> {
    // <lab
    let table = table(nt, slots);
    let mut actions = Vec::new();
    hand_over(&table, nt, slots, slots, Action::Restart, &mut actions);
    actions
    //~ let _ = (nt, slots);
    //~ Vec::new()
    // lab>
}

// <lab
/// `[slots][n]`: fewest advances for n levels, and at which level the first slot is filled.
type Table = Vec<Vec<(u64, usize)>>;

fn table(most: usize, slots: usize) -> Table {
    let plain = |n: usize| ((n * n.saturating_sub(1) / 2) as u64, 0);
    let mut table: Table = vec![(0..=most).map(plain).collect()];
    for s in 1..=slots {
        let mut row: Vec<(u64, usize)> = Vec::new();
        for n in 0..=most {
            let split = |m: usize| (m as u64 + table[s - 1][n - m].0 + row[m].0, m);
            row.push((1..n).map(split).min().unwrap_or((0, 0)));
        }
        table.push(row);
    }
    table
}

/// Hands over `n` levels from the present one on, which `home` brings back; `free` of the `slots`
/// slots are free.
fn hand_over(
    table: &Table,
    n: usize,
    free: usize,
    slots: usize,
    home: Action,
    actions: &mut Vec<Action>,
) {
    if n <= 1 || free == 0 {
        for level in (0..n).rev() {
            actions.extend(vec![Action::Advance; level]);
            actions.push(Action::Image);
            if level > 0 {
                actions.push(home);
            }
        }
        return;
    }
    let (slot, split) = (slots - free, table[free][n].1);
    actions.extend(vec![Action::Advance; split]);
    actions.push(Action::Store(slot));
    hand_over(table, n - split, free - 1, slots, Action::Restore(slot), actions);
    actions.push(home);
    hand_over(table, split, free, slots, home, actions);
}
//~ // Helpers of yours.
// lab>
