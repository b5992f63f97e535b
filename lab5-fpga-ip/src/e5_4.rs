//! Step 5.4: distributed arithmetic, one bit of all samples per clock. No multiplier.

use hdl::{BuildErrors, Module, Sig, signed, unsigned};
use ipcores::fir::{BitFeed, Fir, FirCore};

/// The words of a table: word `a` is the sum of those `coefficients` whose bit in `a` is 1 (the
/// first coefficient has bit 0).
pub fn table(coefficients: &[i64]) -> Vec<i64> {
    // <lab
    // 2^N words for N coefficients.
    vec![0; 1 << coefficients.len()]
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
        // A ROM with `table(taps)`; its address are the bits, the first tap's lowest.
        let _ = (i, name, table(taps), bits);
        sum = sum + m.lit(0, ty);
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
    // Halve, add (at the signs: subtract), and keep the bits that are shifted out.
    let _ = (unsigned(1), term);
    fir.outputs(&m, feed.rfd, nd, m.lit(0, signed(fir.width())));
    Ok(FirCore { block: m.build()?, period: feed.groups, latency: 0 })
    // lab>
}
