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
    let mut sums: Vec<Sig> = Vec::new();
    for (j, row) in feed.bits.iter().enumerate() {
        let word = term(&m, fir, &format!("table{j}_"), row);
        let word = word.extend(word.width() + 1);
        // The topmost bits of the last group are the signs.
        let word = if j + 1 == p as usize { feed.last.mux(-word, word) } else { word };
        sums.push(word.reg(&format!("term{j}")));
    }
    for level in 1..=levels {
        let places = 1 << (level - 1);
        let mut joined = Vec::new();
        for (i, two) in sums.chunks(2).enumerate() {
            let name = format!("sum{level}_{i}");
            let &[low, high] = two else {
                // The last one of an odd number waits for the next level.
                joined.push(two[0].reg(&name));
                continue;
            };
            // The lowest bits of the lower one have nothing to be added to.
            let bits = high.width() + 1;
            let upper = (low >> places).resize(bits) + high.extend(bits);
            let both = upper.concat(low.truncate(places)).as_signed();
            joined.push(both.reg(&name));
        }
        sums = joined;
    }
    // Wide enough for the terms of all groups so far.
    let bits = term_bits(fir) + p + 1;
    let all = sums[0].resize(bits);
    let n = levels as usize;
    let valid = m.shift_register("valid_", feed.valid, n + 1)[n];
    if feed.groups == 1 {
        fir.outputs(&m, feed.rfd, valid, all.resize(fir.width()));
        return Ok(FirCore { block: m.build()?, period: 1, latency: levels + 2 });
    }
    let first = m.shift_register("first_", feed.first, n + 1)[n];
    let last = m.shift_register("last_", feed.last, n + 1)[n];
    let high = m.reg("high", signed(bits));
    let low = m.reg("low", unsigned((feed.groups - 1) * p));
    high.enable(valid).set(first.mux(0, high.q() >> p) + all);
    let out = high.q().slice(p - 1, 0).as_unsigned();
    low.enable(valid).set(match feed.groups {
        2 => out,
        groups => out.concat(low.q().slice((groups - 1) * p - 1, p)),
    });
    let dout = high.q().concat(low).as_signed().resize(fir.width());
    fir.outputs(&m, feed.rfd, (valid & last).reg("complete"), dout);
    Ok(FirCore { block: m.build()?, period: feed.groups, latency: feed.groups + levels + 2 })
    //~ // A term for every bit, a tree of adders, and an accumulator that moves by p places.
    //~ let _: Vec<Sig> = vec![term(&m, fir, "table", &feed.bits[0])];
    //~ let _ = (levels, term_bits(fir), unsigned(1));
    //~ fir.outputs(&m, feed.rfd, nd, m.lit(0, signed(fir.width())));
    //~ Ok(FirCore { block: m.build()?, period: feed.groups, latency: 0 })
    // lab>
}
