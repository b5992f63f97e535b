//! Step 5.5: distributed arithmetic, several bits of all samples per clock.

use hdl::{BuildErrors, Module, Sig, signed, unsigned};
use ipcores::fir::{BitFeed, Fir, FirCore};
use lab5_fpga_ip::e5_4::{term, term_bits};

/// The parallel filter: `p` bits of all samples per clock (2 or more), by `p` tables and a tree of
/// adders with a register at each level. With all bits at once there is nothing to accumulate: one
/// sample per clock.
///
/// # Errors
/// What the builder finds wrong.
pub fn parallel(fir: &Fir, p: u32) -> Result<FirCore, BuildErrors> {
    let m = Module::new(&format!("fir_da{p}"));
    m.doc(&format!("FIR filter by distributed arithmetic: {p} bits of all samples per clock."));
    let (din, nd) = fir.inputs(&m);
    let feed = BitFeed::new(&m, fir, p, din, nd);
    let levels = p.next_power_of_two().ilog2();
    // <lab
    // A term for every bit, a tree of adders, and an accumulator that moves by p places.
    let _: Vec<Sig> = vec![term(&m, fir, "table", &feed.bits[0])];
    let _ = (levels, term_bits(fir), unsigned(1));
    fir.outputs(&m, feed.rfd, nd, m.lit(0, signed(fir.width())));
    Ok(FirCore { block: m.build()?, period: feed.groups, latency: 0 })
    // lab>
}
