//! Strategies 2 and 3: the source's field goes back in time from its last two levels.

use super::drive::Drive;
use super::observer::Movie;
use crate::engine::{Boundary, Points, Region};
use crate::plan::RandomBoundary;
use crate::{Real, Result};

/// Strategy 2: what the layers have absorbed comes back from the saved shell of each level.
pub(super) fn saved<T: Real>(
    d: &mut Drive<'_, T>,
    source: Points,
    receivers: Points,
) -> Result<()> {
    let nt = d.plan.nt;
    let layers = d.engine.new_layers()?;
    let levels = [d.engine.new_field()?, d.engine.new_field()?];
    let shells = d.engine.new_shells(nt)?;
    for its in 0..nt - 1 {
        let (cur, next) = (levels[its % 2], levels[(its + 1) % 2]);
        d.step(next, cur, next, Boundary::Cpml(layers))?;
        d.inject(next, source, its)?;
        d.engine.save_shell(next, shells, its + 1)?;
        d.counts.shells[0] += 1;
        d.show(Movie::Forward, its + 1, next)?;
    }
    d.check_finite(levels[(nt - 1) % 2])?;
    let levels = d.turns(&[levels[(nt - 1) % 2], levels[nt % 2]])?;
    let mut back = d.receivers(receivers, Some(layers))?;
    for itr in (0..nt).rev() {
        let p = levels.at(itr);
        if itr + 3 <= nt {
            d.any_step(levels.step(itr, Boundary::Reflecting, Region::Deep))?;
            d.inject(p, source, itr + 1)?;
            d.engine.load_shell(p, shells, itr)?;
            d.counts.shells[1] += 1;
        }
        d.show(Movie::Backward, itr, p)?;
        back.advance(d, itr, Some(p))?;
    }
    Ok(())
}

/// Strategy 3: nothing is absorbed, so nothing needs to come back.
pub(super) fn random<T: Real>(
    d: &mut Drive<'_, T>,
    source: Points,
    receivers: Points,
    boundary: RandomBoundary,
) -> Result<()> {
    let (nt, ks_rand, phases) = (d.plan.nt, boundary.ks_rand, boundary.phases);
    let levels = [d.engine.new_field()?, d.engine.new_field()?];
    let randomise = |d: &mut Drive<'_, T>, epoch: usize| {
        d.counts.redraws += 1;
        d.engine.randomise(epoch)
    };
    if phases.modelling {
        for its in 0..nt - 1 {
            if its > 0 && its % ks_rand == 0 {
                randomise(d, its / ks_rand)?;
            }
            let (cur, next) = (levels[its % 2], levels[(its + 1) % 2]);
            d.step(next, cur, next, Boundary::Random)?;
            d.inject(next, source, its)?;
            d.show(Movie::Forward, its + 1, next)?;
        }
        d.check_finite(levels[(nt - 1) % 2])?;
    }
    let levels = d.turns(&[levels[(nt - 1) % 2], levels[nt % 2]])?;
    let mut back = phases.backpropagation.then(|| d.receivers(receivers, None)).transpose()?;
    for itr in (0..nt).rev() {
        let p = levels.at(itr);
        if phases.retropropagation {
            if itr + 3 <= nt {
                let k = itr + 1;
                d.any_step(levels.step(itr, Boundary::Random, Region::All))?;
                d.inject(p, source, k)?;
                // The inverse of forward step k is done with the velocities of step k; before it
                // were those of the epoch before.
                if k % ks_rand == 0 {
                    randomise(d, k / ks_rand - 1)?;
                }
            }
            d.show(Movie::Backward, itr, p)?;
        }
        if let Some(back) = &mut back {
            let source = (phases.modelling && phases.retropropagation).then_some(p);
            back.advance(d, itr, source)?;
        }
    }
    Ok(())
}
