//! Step 5.4: distributed arithmetic, one bit of all samples per clock. No multiplier.

use hdl::{BuildErrors, Module, Sig, signed, unsigned};
use ipcores::fir::{BitFeed, Fir, FirCore};

/// The words of a table: word `a` is the sum of those `coefficients` whose bit in `a` is 1 (the
/// first coefficient has bit 0).
pub fn table(coefficients: &[i64]) -> Vec<i64> {
    // <lab
    let word = |a: usize| {
        let chosen = coefficients.iter().enumerate().filter(|(k, _)| a >> k & 1 == 1);
        chosen.map(|(_, h)| h).sum()
    };
    (0..1 << coefficients.len()).map(word).collect()
    //~ // 2^N words for N coefficients.
    //~ vec![0; 1 << coefficients.len()]
    // lab>
}

/// Bits of a sum of coefficients.
pub fn term_bits(fir: &Fir) -> u32 {
    fir.coefficient_bits() + fir.growth()
}

/// The sum of the coefficients of those samples whose bit is 1: a table of at most 16 words for
/// every four taps, and adders. `bits` has one bit of each sample, `name` begins the tables' names.
pub fn term<'m>(m: &'m Module, fir: &Fir, name: &str, bits: &[Sig<'m>]) -> Sig<'m> {
    let ty = signed(term_bits(fir));
    let mut sum = m.lit(0, ty);
    for (i, (taps, bits)) in fir.coefficients().chunks(4).zip(bits.chunks(4)).enumerate() {
        // <lab
        // The first tap has the lowest bit of the address.
        let address: Vec<Sig> = bits.iter().rev().copied().collect();
        let word = m.rom(&format!("{name}{}", i + 1), ty, &table(taps), m.concat(&address));
        sum = if i == 0 { word } else { sum + word };
        //~ // A ROM with `table(taps)`; its address are the bits, the first tap's lowest.
        //~ let _ = (i, name, table(taps), bits);
        //~ sum = sum + m.lit(0, ty);
        // lab>
    }
    sum
}

/// The serial filter: as many clocks per sample as it has bits, the lowest bits first. Each clock
/// halves what was accumulated and adds the term; the term of the sign bits is subtracted.
///
/// # Errors
/// What the builder finds wrong.
pub fn serial(fir: &Fir) -> Result<FirCore, BuildErrors> {
    let m = Module::new("fir_da_serial");
    m.doc("FIR filter by distributed arithmetic: one bit of all samples per clock, no multiplier.");
    let (din, nd) = fir.inputs(&m);
    let feed = BitFeed::new(&m, fir, 1, din, nd);
    let term = term(&m, fir, "table", &feed.bits[0]).named("term");
    // <lab
    // What is shifted out at the bottom is kept: it is the lower part of the result.
    let bits = term_bits(fir) + 1;
    let high = m.reg("high", signed(bits));
    let low = m.reg("low", unsigned(feed.groups - 1));
    let half = feed.first.mux(0, high.q() >> 1).named("half");
    let wide = term.extend(bits);
    high.enable(feed.valid).set(feed.last.mux(half - wide, half + wide));
    let out = high.q().bit(0);
    low.enable(feed.valid).set(match feed.groups {
        2 => out,
        n => out.concat(low.q().slice(n - 2, 1)),
    });
    let rdy = (feed.valid & feed.last).reg("complete");
    let dout = high.q().concat(low).as_signed().truncate(fir.width());
    fir.outputs(&m, feed.rfd, rdy, dout);
    Ok(FirCore { block: m.build()?, period: feed.groups, latency: feed.groups + 1 })
    //~ // Halve, add (at the signs: subtract), and keep the bits that are shifted out.
    //~ let _ = (unsigned(1), term);
    //~ fir.outputs(&m, feed.rfd, nd, m.lit(0, signed(fir.width())));
    //~ Ok(FirCore { block: m.build()?, period: feed.groups, latency: 0 })
    // lab>
}
