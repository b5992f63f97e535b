//! The oracle: every level of the source's field is stored.

use super::drive::Drive;
use super::observer::Movie;
use crate::engine::{Boundary, Points};
use crate::{Real, Result};

pub(super) fn run<T: Real>(d: &mut Drive<'_, T>, source: Points, receivers: Points) -> Result<()> {
    let nt = d.plan.nt;
    let layers = d.engine.new_layers()?;
    let levels = (0..nt).map(|_| d.engine.new_field()).collect::<Result<Vec<_>>>()?;
    for its in 0..nt - 1 {
        // p[-1] is 0, as the level to be made still is.
        let prev = levels[if its == 0 { 1 } else { its - 1 }];
        d.step(prev, levels[its], levels[its + 1], Boundary::Cpml(layers))?;
        d.inject(levels[its + 1], source, its)?;
        d.show(Movie::Forward, its + 1, levels[its + 1])?;
    }
    let mut back = d.receivers(receivers, Some(layers))?;
    for itr in (0..nt).rev() {
        d.show(Movie::Backward, itr, levels[itr])?;
        back.advance(d, itr, Some(levels[itr]))?;
    }
    Ok(())
}
