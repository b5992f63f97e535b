//! A transform run clock by clock.

use hdl::{Block, Simulator, UseError};

use super::schedule_word;

/// One transform of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Frame {
    /// Real and imaginary part of the bins, by their numbers on `xk_index`.
    pub bins: Vec<(i64, i64)>,
    /// `ovflo` with the last bin.
    pub overflow: bool,
    /// Clock of the first sample.
    pub loaded_from: u64,
    /// Clock of the first bin.
    pub shown_from: u64,
    /// The bins came with numbers 0, 1, 2, ..., one per clock.
    pub in_order: bool,
}

/// What a transform did.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Frames {
    /// The transforms that came to their end.
    pub frames: Vec<Frame>,
    /// Clocks with `busy`.
    pub busy: u64,
    /// All clocks, from the first start to the last bin.
    pub total: u64,
    /// Clocks with `edone`.
    pub edone: Vec<u64>,
    /// Clocks with `done`.
    pub done: Vec<u64>,
}

/// Transforms each of `frames` (real and imaginary parts). `start` is high until the last frame has
/// begun, and with it both write enables; `unload` is wired to `edone`. Gives up after `limit`
/// clocks, with the frames that it has.
///
/// # Errors
/// If the block has not the ports of a transform.
pub fn drive(
    core: &Block,
    frames: &[Vec<(i64, i64)>],
    schedule: &[u32],
    inverse: bool,
    limit: u64,
) -> Result<Frames, UseError> {
    let mut sim = Simulator::new(core);
    let (start, unload) = (sim.input("start")?, sim.input("unload")?);
    let (xn_re, xn_im) = (sim.input("xn_re")?, sim.input("xn_im")?);
    let enables = [sim.input("fwd_inv_we")?, sim.input("scale_sch_we")?];
    let (fwd_inv, scale_sch) = (sim.input("fwd_inv")?, sim.input("scale_sch")?);
    let signals =
        ["rfd", "xn_index", "busy", "edone", "done", "dv", "xk_index", "xk_re", "xk_im", "ovflo"];
    let probes: Vec<hdl::Probe> =
        signals.iter().map(|name| sim.signal(name)).collect::<Result<_, _>>()?;
    let [rfd, xn_index, busy, edone, done, dv, xk_index, xk_re, xk_im, ovflo] = probes[..] else {
        return Err(UseError("the transform's outputs".into()));
    };
    sim.poke(fwd_inv, i64::from(inverse));
    sim.poke(scale_sch, schedule_word(schedule));
    let (mut all, mut begun, mut shown, mut complete) = (Frames::default(), 0, 0, 0);
    let mut loads = Vec::new();
    let points = frames.first().map_or(0, Vec::len).max(1);
    while complete < frames.len() && sim.cycles() < limit {
        let now = sim.cycles();
        let loading = sim.peek(rfd) != 0;
        let n = sim.peek(xn_index) as usize;
        if loading && n == 0 {
            begun += 1;
            loads.push(now);
        }
        let begin = i64::from(begun < frames.len());
        sim.poke(start, begin);
        enables.iter().for_each(|&e| sim.poke(e, begin));
        let sample = if loading && begun > 0 { frames[begun - 1].get(n).copied() } else { None };
        // Between frames there is rubbish on the wires.
        let (re, im) = sample.unwrap_or((now as i64 * 77, -1 - now as i64));
        sim.poke(xn_re, re);
        sim.poke(xn_im, im);
        let ends = sim.peek(edone);
        sim.poke(unload, ends);
        if ends != 0 {
            all.edone.push(now);
        }
        if sim.peek(done) != 0 {
            all.done.push(now);
        }
        all.busy += u64::from(sim.peek(busy) != 0);
        if sim.peek(dv) != 0 {
            if shown == 0 {
                let loaded_from = loads.get(all.frames.len()).copied().unwrap_or(0);
                all.frames.push(Frame {
                    bins: vec![(0, 0); points],
                    loaded_from,
                    shown_from: now,
                    in_order: true,
                    ..Frame::default()
                });
            }
            let k = sim.peek(xk_index) as usize;
            let bin = (sim.peek(xk_re), sim.peek(xk_im));
            let overflow = sim.peek(ovflo) != 0;
            if let Some(frame) = all.frames.last_mut() {
                frame.in_order &= k == shown && now == frame.shown_from + shown as u64;
                frame.overflow = overflow;
                if let Some(slot) = frame.bins.get_mut(k) {
                    *slot = bin;
                }
            }
            shown = (shown + 1) % points;
            complete += usize::from(shown == 0);
        }
        sim.step();
    }
    all.frames.truncate(complete);
    all.total = sim.cycles();
    Ok(all)
}
