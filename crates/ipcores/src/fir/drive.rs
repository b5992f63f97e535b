//! A filter run clock by clock.

use hdl::{Block, Simulator, UseError};

/// What a filter did.
#[derive(Clone, PartialEq, Debug)]
pub struct Driven {
    /// Results in the clocks with `rdy`.
    pub y: Vec<i64>,
    /// Clocks in which a sample was taken.
    pub taken: Vec<u64>,
    /// Clocks in which `rdy` was high.
    pub ready: Vec<u64>,
}

impl Driven {
    /// Clocks from the first sample to its result; `None` if there is none.
    pub fn latency(&self) -> Option<u64> {
        Some(self.ready.first()? - self.taken.first()?)
    }

    /// Most clocks between one sample and the next.
    pub fn period(&self) -> Option<u64> {
        self.taken.windows(2).map(|w| w[1] - w[0]).max()
    }
}

/// Offers the samples `x` one after the other; `nd` is high in the clocks that `offer` answers with
/// true. Ends `patience` clocks after the last result or sample.
///
/// # Errors
/// If the block has not the ports of a filter, or `x` does not fit `din`.
pub fn drive(
    core: &Block,
    x: &[i64],
    patience: u64,
    mut offer: impl FnMut() -> bool,
) -> Result<Driven, UseError> {
    let mut sim = Simulator::new(core);
    let (din, nd) = (sim.input("din")?, sim.input("nd")?);
    let (dout, rfd, rdy) = (sim.signal("dout")?, sim.signal("rfd")?, sim.signal("rdy")?);
    if let Some(v) = x.iter().find(|v| !din.ty().holds(**v)) {
        return Err(UseError(format!("the sample {v} does not fit `din`, {}", din.ty())));
    }
    let mut driven = Driven { y: vec![], taken: vec![], ready: vec![] };
    let (mut next, mut last_event) = (0, 0);
    while sim.cycles() <= last_event + patience {
        let now = sim.cycles();
        let offered = next < x.len() && offer();
        // Between samples there is rubbish on the wires.
        sim.poke(din, if offered { x[next] } else { -1 - now as i64 });
        sim.poke(nd, i64::from(offered));
        if next < x.len() && !offered {
            last_event = now;
        }
        if offered && sim.peek(rfd) != 0 {
            driven.taken.push(now);
            next += 1;
            last_event = now;
        }
        if sim.peek(rdy) != 0 {
            driven.y.push(sim.peek(dout));
            driven.ready.push(now);
            last_event = now;
        }
        sim.step();
    }
    Ok(driven)
}
