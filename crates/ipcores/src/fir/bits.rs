//! Sample registers for distributed arithmetic: in every clock some bits of all samples at once.

use hdl::{Module, Sig, bit, signed, unsigned};

use super::Fir;

/// Takes samples by the filter's contract and hands out, lowest first, `p` bits of each of the last
/// samples per clock.
pub struct BitFeed<'m> {
    /// `bits[j][k]`: bit `j` of the group of bits on show (0 is the lowest), of the sample `k`
    /// back.
    pub bits: Vec<Vec<Sig<'m>>>,
    /// A group of bits is on show.
    pub valid: Sig<'m>,
    /// It is the lowest group of its samples.
    pub first: Sig<'m>,
    /// It is the highest group: its topmost bits are the signs.
    pub last: Sig<'m>,
    /// Ready for a sample.
    pub rfd: Sig<'m>,
    /// Groups per sample, so clocks per sample.
    pub groups: u32,
}

impl<'m> BitFeed<'m> {
    /// `din` and `nd` are the filter's inputs; `p` is 1 or more. Where `p` does not divide the bits
    /// of a sample, the sign is copied to fill the last group.
    pub fn new(m: &'m Module, fir: &Fir, p: u32, din: Sig<'m>, nd: Sig<'m>) -> BitFeed<'m> {
        let groups = fir.data_bits().div_ceil(p.max(1));
        let wide = groups * p.max(1);
        let din = din.extend(wide);
        let one = m.lit(1, bit());
        if groups == 1 {
            let samples = m.shift_register_if("x", din, fir.taps() as usize, nd);
            let valid = nd.reg("valid");
            let bits = (0..p).map(|j| samples.iter().map(|x| x.bit(j)).collect()).collect();
            return BitFeed { bits, valid, first: one, last: one, rfd: one, groups };
        }
        let busy = m.reg("busy", bit());
        let count = m.counter("count", groups - 1, busy);
        let last =
            count.eq(i64::from(groups - 1)).named("last").comment("the sign bits are on show");
        let rfd = (!busy.q() | last).named("ready");
        let take = (nd & rfd).named("take");
        busy.set(take | (busy & !last));
        // A new sample goes into the first register; each register hands its bits on to the next
        // one.
        let newest = m.reg("x1", signed(wide));
        newest.set(take.mux(din, busy.q().mux(newest.q() >> p, newest)));
        let mut samples = vec![newest.q().as_unsigned()];
        for i in 2..=fir.taps() {
            let x = m.reg(&format!("x{i}"), unsigned(wide)).enable(busy);
            let before = samples[samples.len() - 1];
            x.set(before.slice(p - 1, 0).concat(x.q().slice(wide - 1, p)));
            samples.push(x.q());
        }
        let bits = (0..p).map(|j| samples.iter().map(|x| x.bit(j)).collect()).collect();
        BitFeed { bits, valid: busy.q(), first: count.eq(0).named("first"), last, rfd, groups }
    }
}
