//! Step 5.3: two filters with a multiplier per tap, the systolic and the transposed one.

use hdl::{BuildErrors, Module, Sig, bit, signed};
use ipcores::fir::{Fir, FirCore};

/// The systolic filter: one sample per clock, one multiplier per tap, and no adder has more than
/// two terms.
///
/// The sum of sample n moves from tap to tap, one per clock, and a bit `v1`, `v2`, ... moves with
/// it: it is 1 where a sample stands at the tap. At tap k the sum of sample n must meet the sample
/// n - k, so that each tap keeps the sample that passed it before in a second register, and hands
/// on that one.
///
/// # Errors
/// What the builder finds wrong.
pub fn systolic(fir: &Fir) -> Result<FirCore, BuildErrors> {
    let m = Module::new("fir_systolic");
    m.doc(
        "Systolic FIR filter: a register behind every adder, two on the sample path of each tap.",
    );
    let (din, nd) = fir.inputs(&m);
    let rfd = m.lit(1, bit());
    // <lab
    let width = fir.width();
    let (mut sample, mut valid) = (din.reg_if("x1", nd), nd.reg("v1"));
    let mut sum: Option<Sig> = None;
    for (k, &h) in fir.coefficients().iter().enumerate() {
        let n = k + 1;
        if k > 0 {
            let before = sample.reg_if(&format!("d{n}"), valid);
            sample = before.reg_if(&format!("x{n}"), valid);
            valid = valid.reg(&format!("v{n}"));
        }
        let h = m.lit(h, signed(fir.coefficient_bits()));
        let product = (sample * h).reg(&format!("p{n}")).extend(width);
        sum = Some(match sum {
            None => product.reg("s1"),
            Some(so_far) => (so_far + product).reg(&format!("s{n}")),
        });
    }
    let rdy = valid.reg("product_ready").reg("sum_ready");
    let dout = sum.unwrap_or(din);
    fir.outputs(&m, rfd, rdy, dout);
    Ok(FirCore { block: m.build()?, period: 1, latency: fir.taps() + 2 })
    //~ // For each tap: two registers for the sample, one for the product, one for the sum, and a
    //~ // bit that moves along.
    //~ let dout = m.lit(0, signed(fir.width()));
    //~ din.unused();
    //~ let _: Option<Sig> = None;
    //~ fir.outputs(&m, rfd, nd, dout);
    //~ Ok(FirCore { block: m.build()?, period: 1, latency: 0 })
    // lab>
}

/// The transposed filter: one sample per clock, which goes to all multipliers at once; the sums
/// move along a chain of registers, the last tap first. Products are registered; the chain moves
/// only where a product of a new sample is there.
///
/// # Errors
/// What the builder finds wrong.
pub fn transposed(fir: &Fir) -> Result<FirCore, BuildErrors> {
    let m = Module::new("fir_transposed");
    m.doc(
        "Transposed FIR filter: the sample goes to all multipliers, the sums move along a chain.",
    );
    let (din, nd) = fir.inputs(&m);
    let rfd = m.lit(1, bit());
    // <lab
    let valid = nd.reg("valid");
    let mut sum: Option<Sig> = None;
    for (k, &h) in fir.coefficients().iter().enumerate().rev() {
        let n = k + 1;
        let h = m.lit(h, signed(fir.coefficient_bits()));
        let product = (din * h).reg(&format!("p{n}")).extend(fir.width());
        let total = match sum {
            None => product,
            Some(so_far) => so_far + product,
        };
        sum = Some(total.reg_if(&format!("s{n}"), valid));
    }
    let dout = sum.unwrap_or(din);
    fir.outputs(&m, rfd, valid.reg("sum_ready"), dout);
    Ok(FirCore { block: m.build()?, period: 1, latency: 2 })
    //~ // All products at once, then the chain of sums from the last tap to the first.
    //~ let dout = m.lit(0, signed(fir.width()));
    //~ din.unused();
    //~ let _: Option<Sig> = None;
    //~ fir.outputs(&m, rfd, nd, dout);
    //~ Ok(FirCore { block: m.build()?, period: 1, latency: 0 })
    // lab>
}
