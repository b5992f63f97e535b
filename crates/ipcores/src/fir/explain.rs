//! What a generator's window shows beside the parameters: frequency response, resources, latency.

use std::fmt::Write;

use hdl::estimate::{Device, Estimate, Multipliers};

use super::{Fir, FirCore};

/// Frequencies of the printed response, from 0 to half the sampling rate.
pub const STEPS: u32 = 16;

/// The filter in words: parameters, response in dB against the one at frequency 0 (or the largest
/// coefficient sum), latency and estimated resources on `device`.
pub fn explain(fir: &Fir, core: &FirCore, device: &Device) -> String {
    let estimate = Estimate::new(&core.block, device, Multipliers::Blocks);
    let mut text = format!(
        "{}: {} taps, samples of {} bits, coefficients of {} bits, results of {} bits\n",
        core.block.name(),
        fir.taps(),
        fir.data_bits(),
        fir.coefficient_bits(),
        fir.width()
    );
    _ = writeln!(
        text,
        "{} clocks per sample, result {} clocks after its sample",
        core.period, core.latency
    );
    let dc = fir.response(0.0);
    let full = if dc > 0.0 { dc } else { fir.coefficients().iter().map(|h| h.abs() as f64).sum() };
    _ = writeln!(text, "frequency  |H| in dB");
    for i in 0..=STEPS {
        let f = 0.5 * f64::from(i) / f64::from(STEPS);
        let db = 20.0 * (fir.response(f) / full).log10();
        let bar = "#".repeat(((db + 60.0).max(0.0) / 2.0).round() as usize);
        _ = writeln!(text, "{f:9.4}  {db:9.2}  {bar}");
    }
    _ = write!(text, "{estimate}");
    text
}
