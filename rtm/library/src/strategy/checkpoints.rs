//! Strategy 1: checkpoints, from which the levels between are computed again without any error.
//!
//! A checkpoint at c holds `p[c]`, `p[c+1]` and the layers' state at time c.

use super::drive::Drive;
use super::observer::Movie;
use super::schedule::{Action, Slot, binomial_schedule, slot};
use crate::engine::{Boundary, Field, Layers, Points};
use crate::plan::Replay;
use crate::{Real, Result};

/// Uniform checkpoints of period `ks_store`.
pub(super) fn uniform<T: Real>(
    d: &mut Drive<'_, T>,
    source: Points,
    receivers: Points,
    ks_store: usize,
    replay: Replay,
) -> Result<()> {
    let nt = d.plan.nt;
    let checkpoints = nt.div_ceil(ks_store);
    let layers = d.engine.new_layers()?;
    let stored = (0..2 * checkpoints).map(|_| d.engine.new_field()).collect::<Result<Vec<_>>>()?;
    let states = (0..checkpoints).map(|_| d.engine.new_layers()).collect::<Result<Vec<_>>>()?;
    let between = match replay {
        Replay::EachLevel => 2,
        Replay::Segment => ks_store - 2,
    };
    let between = (0..between).map(|_| d.engine.new_field()).collect::<Result<Vec<_>>>()?;
    // Forward, and where each level is replayed, the two auxiliary fields take turns; a segment has
    // a field for each level.
    let turns = |n: usize| match slot(n, ks_store) {
        Slot::Stored(i) => stored[i],
        Slot::Even => between[0],
        Slot::Odd => between[1],
    };
    let segment = |n: usize| match n % ks_store {
        j @ (0 | 1) => stored[2 * (n / ks_store) + j],
        j => between[j - 2],
    };
    let level: &dyn Fn(usize) -> Field = match replay {
        Replay::Segment => &segment,
        Replay::EachLevel => &turns,
    };
    let forward = |d: &mut Drive<'_, T>, its: usize| {
        // p[-1] is 0, as the level to be made still is.
        let prev = if its == 0 { level(1) } else { level(its - 1) };
        d.step(prev, level(its), level(its + 1), Boundary::Cpml(layers))?;
        d.inject(level(its + 1), source, its)
    };
    for its in 0..nt - 1 {
        forward(d, its)?;
        if its % ks_store == 0 {
            d.engine.copy_layers(layers, states[its / ks_store])?;
            d.counts.checkpoints[0] += 1;
        }
        d.show(Movie::Forward, its + 1, level(its + 1))?;
    }
    let mut back = d.receivers(receivers, None)?;
    for itr in (0..nt).rev() {
        let (c, j) = (itr - itr % ks_store, itr % ks_store);
        let first_of_segment = j == ks_store - 1 || itr == nt - 1;
        let wanted = match replay {
            Replay::EachLevel => itr % d.plan.ks == 0,
            Replay::Segment => first_of_segment,
        };
        if j >= 2 && wanted {
            d.engine.copy_layers(states[c / ks_store], layers)?;
            d.counts.checkpoints[1] += 1;
            for n in c + 1..itr {
                forward(d, n)?;
            }
        }
        if replay == Replay::Segment || wanted {
            d.show(Movie::Backward, itr, level(itr))?;
        }
        back.advance(d, itr, Some(level(itr)))?;
    }
    Ok(())
}

/// Checkpoints where Griewank's binomial schedule puts them.
pub(super) fn binomial<T: Real>(
    d: &mut Drive<'_, T>,
    source: Points,
    receivers: Points,
    slots: usize,
) -> Result<()> {
    let nt = d.plan.nt;
    let layers = d.engine.new_layers()?;
    let levels = [d.engine.new_field()?, d.engine.new_field()?];
    let stored = (0..slots)
        .map(|_| Ok(([d.engine.new_field()?, d.engine.new_field()?], d.engine.new_layers()?)))
        .collect::<Result<Vec<([Field; 2], Layers)>>>()?;
    let mut back = None;
    let forward = |d: &mut Drive<'_, T>, its: usize| {
        let (cur, next) = (levels[its % 2], levels[(its + 1) % 2]);
        d.step(next, cur, next, Boundary::Cpml(layers))?;
        d.inject(next, source, its)
    };
    // State s is p[s], p[s+1] and the layers at time s; it gives level s + 1.
    forward(d, 0)?;
    d.show(Movie::Forward, 1, levels[1])?;
    let mut farthest = 0;
    for action in binomial_schedule(nt - 1, slots)? {
        match action {
            Action::Save { slot } => {
                let (fields, state) = &stored[slot];
                for (from, to) in levels.into_iter().zip(*fields) {
                    d.engine.copy_field(from, to)?;
                }
                d.engine.copy_layers(layers, *state)?;
                d.counts.checkpoints[0] += 1;
            }
            Action::Restore { slot } => {
                let (fields, state) = &stored[slot];
                for (from, to) in fields.iter().zip(levels) {
                    d.engine.copy_field(*from, to)?;
                }
                d.engine.copy_layers(*state, layers)?;
                d.counts.checkpoints[1] += 1;
            }
            Action::Advance { from, to } => {
                for s in from..to {
                    forward(d, s + 1)?;
                    if s + 1 > farthest {
                        farthest = s + 1;
                        d.show(Movie::Forward, s + 2, levels[s % 2])?;
                    }
                }
            }
            Action::Use { state } => {
                let back = match &mut back {
                    Some(back) => back,
                    None => back.insert(d.receivers(receivers, None)?),
                };
                d.show(Movie::Backward, state + 1, levels[(state + 1) % 2])?;
                back.advance(d, state + 1, Some(levels[(state + 1) % 2]))?;
                if state == 0 {
                    d.show(Movie::Backward, 0, levels[0])?;
                    back.advance(d, 0, Some(levels[0]))?;
                }
            }
        }
    }
    Ok(())
}
