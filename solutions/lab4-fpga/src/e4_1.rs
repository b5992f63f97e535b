//! Exercise 4.1: `fir1`, the first version of the filter, made from the example `fpgatop`.
//!
//! ```text
//! y[n] = b1 x[n] + b2 x[n-1] + ... + b8 x[n-7]
//! ```
//!
//! Eight registers hold the last samples, eight `mult16x16` make the products, and a tree of adders
//! sums them up. The state machine takes three clocks per word, as that of the example.

use hdl::{Block, BuildErrors, Module, Sig, bit, signed, unsigned};
use lab4_fpga::TAPS;
use lab4_fpga::mult::{ImplStyle, mult16x16};

/// The sum of the eight products `x[i] * b[i]`, 35 bits wide: one instance of `mult` for each (name
/// them `u_mult1` to `u_mult8`), then pairs of 33 bits, quads of 34 and the total of 35. Extend
/// before you add: a sum wraps.
pub fn sum_of_products<'m>(m: &'m Module, x: &[Sig<'m>], b: &[Sig<'m>], mult: &Block) -> Sig<'m> {
    // <lab
    //~ let _ = (x, b, mult);
    //~ m.lit(0, signed(35))
    let product = |i: usize| {
        let u = m.instance(&format!("u_mult{}", i + 1), mult);
        u.connect("a", x[i]).connect("b", b[i]).out("p").named(&format!("p{}", i + 1))
    };
    let p: Vec<Sig> = (0..TAPS).map(product).collect();
    let add = |a: Sig<'m>, b: Sig<'m>| a.extend(a.width() + 1) + b.extend(b.width() + 1);
    let pairs: Vec<Sig> = p.chunks(2).map(|c| add(c[0], c[1])).collect();
    let quads: Vec<Sig> = pairs.chunks(2).map(|c| add(c[0], c[1])).collect();
    add(quads[0], quads[1]).named("total")
    // lab>
}

/// The filter with constant coefficients in multiplier blocks. The result word is the 16 bits of
/// the total from bit `lsb` upwards; word n of the result belongs to word n of the source.
///
/// # Errors
/// The builder's, if the design has a mistake.
pub fn fir1(coefficients: &[i64; TAPS], lsb: u32) -> Result<Block, BuildErrors> {
    let m = Module::new("fir1");
    m.doc("FIR filter of eight taps, three clocks per word.");
    m.clock("CLK");
    m.async_reset("RST");
    let start = m.input("START_PROC", bit());
    let data = m.input("SRC_DATA", signed(16));
    let mult = mult16x16(ImplStyle::Block)?;
    // <lab
    //~ // Begin with what is in src/fpgatop.rs.
    //~ // Outputs: RESULT_DATA, SRC_RD, RESULT_WR, PROC_WORKING.
    //~ let _ = (coefficients, lsb, start, data, mult, unsigned(10));
    let state = m.states("state", &["IDLE", "RD_DAT", "WR_DAT"]);
    let read = m.reg("read", bit()).comment("asks for the next source word");
    let write = m.reg("write", bit()).comment("stores the result word");
    let busy = m.reg("working", bit());
    let count = m.reg("cnt_data", unsigned(10)).comment("words written");

    let x = m.shift_register_if("x", data, TAPS, state.is("RD_DAT"));
    let b = coefficients.map(|c| m.lit(c, signed(16)));
    let total = sum_of_products(&m, &x, &b, &mult);

    m.process("fill_mem", || {
        state.case("IDLE", || {
            m.when(start, || {
                busy.set(1);
                count.set(0);
                read.set(1);
                state.go("RD_DAT");
            });
        });
        state.case("RD_DAT", || {
            read.set(0);
            state.go("WR_DAT");
        });
        state.case("WR_DAT", || {
            m.when_else(
                !write.q(),
                || write.set(1),
                || {
                    write.set(0);
                    count.set(count + 1);
                    m.when_else(
                        count.q().eq(1023),
                        || {
                            busy.set(0);
                            state.go("IDLE");
                        },
                        || {
                            read.set(1);
                            state.go("RD_DAT");
                        },
                    );
                },
            );
        });
    });
    m.output("RESULT_DATA", total.slice(lsb + 15, lsb));
    m.output("SRC_RD", read);
    m.output("RESULT_WR", write);
    m.output("PROC_WORKING", busy);
    // lab>
    m.build()
}
