//! FIR filters: `y(n) = sum of h(k) x(n - k)`, with all bits of the result.
//!
//! All architectures have the same ports, so that one may stand in for another:
//!
//! | port | | |
//! |---|---|---|
//! | `din` | in | sample, signed |
//! | `nd` | in | new data: at an edge with `nd` and `rfd` the sample is taken |
//! | `dout` | out | result, signed, [`Fir::width`] bits |
//! | `rfd` | out | ready for data |
//! | `rdy` | out | result valid: high for one clock per sample taken, in order |
//! | `sclr` | in | only [with a clear](Fir::with_clear): the core forgets all samples at an edge where it is 1 |

mod bits;
mod drive;
mod explain;
mod mac;
mod top;

pub use bits::BitFeed;
pub use drive::{Driven, drive};
pub use explain::explain;
pub use mac::mac;
pub use top::top;

use hdl::{Block, Module, Sig, bit, signed};

use crate::{ParameterError, ceil_log2, within};

/// The coefficients of lab 5.
pub const LAB5: [i64; 8] = [16383, 14335, 12287, 10239, 8191, 6143, 4095, 2047];

/// Parameters of a filter, checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fir {
    coefficients: Vec<i64>,
    data_bits: u32,
    coefficient_bits: u32,
    clear: bool,
}

impl Fir {
    /// A filter of 2 to 64 taps for signed samples and coefficients of 2 to 18 bits each.
    ///
    /// # Errors
    /// A parameter out of these limits, or a coefficient that does not fit.
    pub fn new(
        coefficients: &[i64],
        data_bits: u32,
        coefficient_bits: u32,
    ) -> Result<Fir, ParameterError> {
        within("taps", coefficients.len().try_into().unwrap_or(u32::MAX), 2, 64)?;
        within("bits of a sample", data_bits, 2, 18)?;
        within("bits of a coefficient", coefficient_bits, 2, 18)?;
        let ty = signed(coefficient_bits);
        if let Some((k, c)) = coefficients.iter().enumerate().find(|(_, c)| !ty.holds(**c)) {
            return Err(ParameterError(format!(
                "coefficient {k} is {c}; {coefficient_bits} bits hold {} to {}",
                ty.min(),
                ty.max()
            )));
        }
        Ok(Fir { coefficients: coefficients.to_vec(), data_bits, coefficient_bits, clear: false })
    }

    /// The filter of lab 5: eight taps, 16 bits, results of 35 bits.
    pub fn lab5() -> Fir {
        Fir { coefficients: LAB5.to_vec(), data_bits: 16, coefficient_bits: 16, clear: false }
    }

    /// The same filter with the input `sclr`, which brings the core back to where it was at
    /// power-up.
    pub fn with_clear(self) -> Fir {
        Fir { clear: true, ..self }
    }

    /// True if the core has the input `sclr`.
    pub fn has_clear(&self) -> bool {
        self.clear
    }

    /// `h(0)`, `h(1)`, ...
    pub fn coefficients(&self) -> &[i64] {
        &self.coefficients
    }

    /// How many coefficients.
    pub fn taps(&self) -> u32 {
        self.coefficients.len() as u32
    }

    /// Bits of a sample.
    pub fn data_bits(&self) -> u32 {
        self.data_bits
    }

    /// Bits of a coefficient.
    pub fn coefficient_bits(&self) -> u32 {
        self.coefficient_bits
    }

    /// Bits by which a sum over all taps may be wider than one product: ceil(log2 taps).
    pub fn growth(&self) -> u32 {
        ceil_log2(self.taps())
    }

    /// Bits of a product.
    pub fn product_bits(&self) -> u32 {
        self.data_bits + self.coefficient_bits
    }

    /// Bits of the result: enough for every input.
    pub fn width(&self) -> u32 {
        self.product_bits() + self.growth()
    }

    /// The result for the samples `x` and zeros before them, from the definition.
    pub fn reference(&self, x: &[i64]) -> Vec<i64> {
        let sum = |n: usize| {
            let taps = self.coefficients.iter().enumerate();
            taps.filter(|(k, _)| *k <= n).map(|(k, h)| h * x[n - k]).sum()
        };
        (0..x.len()).map(sum).collect()
    }

    /// `|H|` at the frequency `f` in cycles per sample: `|sum of h(k) exp(-j 2 pi f k)|`.
    pub fn response(&self, f: f64) -> f64 {
        let phase = |k: usize| -std::f64::consts::TAU * f * k as f64;
        let taps = || self.coefficients.iter().enumerate();
        let re: f64 = taps().map(|(k, &h)| h as f64 * phase(k).cos()).sum();
        let im: f64 = taps().map(|(k, &h)| h as f64 * phase(k).sin()).sum();
        re.hypot(im)
    }

    /// Declares the inputs `din` and `nd`, and the clear where the filter has one: it reaches all
    /// registers by itself.
    pub fn inputs<'m>(&self, m: &'m Module) -> (Sig<'m>, Sig<'m>) {
        let inputs = (m.input("din", signed(self.data_bits)), m.input("nd", bit()));
        if self.clear {
            m.sync_clear("sclr");
        }
        inputs
    }

    /// Declares the outputs `rfd`, `rdy` and `dout`.
    pub fn outputs<'m>(
        &self,
        m: &'m Module,
        rfd: impl Into<Sig<'m>>,
        rdy: impl Into<Sig<'m>>,
        dout: impl Into<Sig<'m>>,
    ) {
        m.output("rfd", rfd);
        m.output("rdy", rdy);
        m.output("dout", dout);
    }
}

/// A finished filter.
#[derive(Clone, PartialEq, Debug)]
pub struct FirCore {
    /// The hardware.
    pub block: Block,
    /// Clocks from one sample to the next.
    pub period: u32,
    /// Clocks from the one in which a sample is taken to the one in which `rdy` shows its result.
    pub latency: u32,
}

impl FirCore {
    /// Clocks of a run of [`top`] over `words` samples, the start pulse included: the samples are
    /// taken `period` clocks apart from the clock after the pulse on, and the last result is stored
    /// `latency` clocks after its sample.
    pub fn run_cycles(&self, words: u64) -> u64 {
        (words - 1) * u64::from(self.period) + u64::from(self.latency) + 2
    }
}
