//! Worked examples: the designs that the tests and the benchmark run. Each is written as a student
//! would write it.

use hdl::{Block, BuildErrors, Module, Sig, bit, signed, unsigned};

/// The filter of lab 5, eight taps.
pub const LAB5: [i64; 8] = [16383, 14335, 12287, 10239, 8191, 6143, 4095, 2047];

/// Bits by which a sum of `taps` products may be wider than one of them.
fn growth(taps: usize) -> u32 {
    usize::BITS - (taps - 1).leading_zeros()
}

/// Transposed FIR, one sample per clock: the input goes to all multipliers, the sums move along a
/// chain.
pub fn fir_transposed(coefficients: &[i64]) -> Result<Block, BuildErrors> {
    let m = Module::new("fir_transposed");
    m.doc("Transposed FIR filter: one sample per clock, result one clock after its sample.");
    let x = m.input("x", signed(16));
    let width = 32 + growth(coefficients.len());
    let mut sum: Option<Sig> = None;
    for (i, &c) in coefficients.iter().enumerate().rev() {
        let product = (x * m.lit(c, signed(16))).named(&format!("p{}", i + 1));
        let wide = product.extend(width);
        let total = match sum {
            None => wide,
            Some(before) => before + wide,
        };
        sum = Some(total.reg(&format!("s{}", i + 1)));
    }
    if let Some(sum) = sum {
        m.output("y", sum);
    }
    m.build()
}

/// Systolic FIR, one sample per clock: a register after every adder, two on the sample path of each
/// tap.
pub fn fir_systolic(coefficients: &[i64]) -> Result<Block, BuildErrors> {
    let m = Module::new("fir_systolic");
    m.doc("Systolic FIR filter: every clock each tap adds two terms only.");
    let x = m.input("x", signed(16));
    let width = 32 + growth(coefficients.len());
    let mut sample = x;
    let mut sum: Option<Sig> = None;
    for (i, &c) in coefficients.iter().enumerate() {
        let n = i + 1;
        sample =
            if i == 0 { x.reg("x1") } else { sample.reg(&format!("d{n}")).reg(&format!("x{n}")) };
        let product = (sample * m.lit(c, signed(16))).reg(&format!("p{n}"));
        let wide = product.extend(width);
        sum = Some(match sum {
            None => wide.reg(&format!("s{n}")),
            Some(before) => (before + wide).reg(&format!("s{n}")),
        });
    }
    if let Some(sum) = sum {
        m.output("y", sum);
    }
    m.build()
}

/// Distributed arithmetic, one bit of all samples per clock, lowest bit first: a 16-word table per
/// four taps. A sample is taken where `nd` and `rfd` are 1; `rdy` marks its result.
pub fn fir_da_serial(coefficients: &[i64]) -> Result<Block, BuildErrors> {
    let m = Module::new("fir_da_serial");
    m.doc("FIR filter by distributed arithmetic: 16 clocks per sample, no multiplier.");
    let din = m.input("din", signed(16));
    let nd = m.input("nd", bit());
    let taps = coefficients.len();
    let table_width = 16 + growth(taps);
    let width = 32 + growth(taps);

    let busy = m.reg("busy", bit());
    let count = m.reg("count", unsigned(4));
    let last = count.q().eq(15).named("last").comment("the sign bits are on their way");
    let rfd = (!busy.q() | last).named("ready");
    let take = (nd & rfd).named("take");

    // A new sample goes into the first register; each register hands its bits on to the next,
    // lowest first.
    let mut bits: Vec<Sig> = Vec::new();
    let first = m.reg("x1", signed(16));
    first.set(take.mux(din, busy.q().mux(first.q() >> 1, first)));
    bits.push(first.q().bit(0));
    for i in 2..=taps {
        let x = m.reg(&format!("x{i}"), unsigned(16)).enable(busy);
        x.set(bits[i - 2].concat(x.q().slice(15, 1)));
        bits.push(x.q().bit(0));
    }
    let mut term: Option<Sig> = None;
    for (group, chunk) in coefficients.chunks(4).enumerate() {
        let words: Vec<i64> = (0..1usize << chunk.len())
            .map(|a| (0..chunk.len()).filter(|i| a >> i & 1 == 1).map(|i| chunk[i]).sum())
            .collect();
        let mut address: Vec<Sig> = bits[group * 4..group * 4 + chunk.len()].to_vec();
        address.reverse();
        let word =
            m.rom(&format!("table{}", group + 1), signed(table_width), &words, m.concat(&address));
        term = Some(match term {
            None => word,
            Some(sum) => sum + word,
        });
    }
    let Some(term) = term else { return m.build() };
    let term = term.named("term");
    // The accumulator halves each clock; the bit that drops out is kept below.
    let high = m.reg("high", signed(table_width + 1));
    let low = m.reg("low", unsigned(15));
    let start = count.q().eq(0);
    let base = start.mux(0, high.q() >> 1);
    let wide = term.extend(table_width + 1);
    let next = last.mux(base - wide, base + wide).named("accumulated");
    high.enable(busy).set(next);
    low.enable(busy).set(high.q().bit(0).concat(low.q().slice(14, 1)));

    busy.set(take | (busy & !last));
    count.enable(busy).set(count + 1);
    m.output("rfd", rfd);
    m.output("rdy", (busy & last).reg("done"));
    m.output("dout", high.q().as_unsigned().concat(low).as_signed().slice(width - 1, 0));
    m.build()
}

/// A first-in first-out store of 16 words beside a constant table, in two levels: RAM, ROM and
/// instances.
pub fn mixer() -> Result<Block, BuildErrors> {
    let cell = {
        let m = Module::new("scale");
        m.doc("x * gain, one clock later.");
        let x = m.input("x", signed(8));
        let gain = m.input("gain", signed(6));
        m.output("y", (x * gain).reg("product"));
        m.build()?
    };
    let m = Module::new("mixer");
    m.doc("Stores samples, reads them back four words late and weights them from a table.");
    m.async_reset("rst");
    let x = m.input("x", signed(8));
    let run = m.input("run", bit());
    let at = m.counter("at", 15, run);
    let ram = m.ram("store", 16, signed(8));
    ram.write(run, at, x);
    let late = ram.read_sync("late", at - 4);
    let now = ram.read_async(at ^ 3).named("now");
    let table: Vec<i64> = (0..16).map(|i| (i * 7) % 31 - 15).collect();
    let gain = m.rom("gains", signed(6), &table, at);
    let a = m.instance("u_a", &cell).connect("x", late).connect("gain", gain);
    let b = m.instance("u_b", &cell).connect("x", now).connect("gain", gain.reg("gain_late"));
    let (ya, yb) = (a.out("y"), b.out("y"));
    let larger = ya.max(yb).named("larger");
    m.output("y", larger.abs() >> 2);
    m.output("flags", m.concat(&[ya.lt(yb), late.msb(), run]));
    m.build()
}
