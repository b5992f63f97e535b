//! Step 5.3: the transposed form.

use hdl::{BuildErrors, Module, Sig, bit, signed};
use ipcores::fir::{Fir, FirCore};

/// The transposed filter: one sample per clock, which goes to all multipliers at once; the sums move along a chain of registers,
/// the last tap first. Products are registered; the chain moves only where a product of a new sample is there.
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
