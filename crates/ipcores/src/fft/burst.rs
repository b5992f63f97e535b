//! The frame of the burst transforms: as many memories as a butterfly has values, so that one
//! butterfly begins in every clock.
//!
//! A value at position p lies in the memory (sum of the digits of p) mod radix: the values of a
//! butterfly differ in one digit, so each lies in another memory. What a butterfly is, and which
//! values it joins, is the engine's part.

use hdl::{BuildErrors, Module, Sig, unsigned};

use super::control::Control;
use super::parts::{Complex, factors, scaled_complex};
use super::{Fft, FftCore};

/// Clocks that a butterfly takes from its values to its sums.
pub const BUTTERFLY_CLOCKS: u32 = 4;

/// One clock in which only the stage is known, one for the positions, one to read, the butterfly,
/// one to scale: a stage's last results are written that many clocks after its last step began.
const FLUSH: u32 = BUTTERFLY_CLOCKS + 4;

/// Which values a butterfly joins.
pub struct Addresses<'m> {
    /// Positions of its values, 0 to N - 1: as many as the radix, each of log2 N bits.
    pub positions: Vec<Sig<'m>>,
    /// Number t of the phase factor, 0 to N / radix - 1: value m is multiplied by
    /// `exp(-j 2 pi m t / N)`.
    pub factor: Sig<'m>,
}

/// The engine of a burst transform.
pub struct Engine {
    /// Name of the module.
    pub name: &'static str,
    /// 2 or 4.
    pub radix: u32,
    /// For stage and number of a butterfly in the stage: which values it joins, in the same clock.
    /// The stage is known one clock before its first number, so what depends on the stage alone may
    /// go through a register.
    pub addresses: for<'m> fn(&'m Module, Fft, Sig<'m>, Sig<'m>) -> Addresses<'m>,
    /// For the values of a butterfly and the phase factors of all but the first: its sums,
    /// [`BUTTERFLY_CLOCKS`] later, not yet scaled, [`Fft::product_bits`] + log2 radix bits wide
    /// each.
    pub butterfly: for<'m> fn(&'m Module, Fft, &[Complex<'m>], &[Complex<'m>]) -> Vec<Complex<'m>>,
}

/// A transform that loads, computes and unloads one after the other, around `engine`.
///
/// # Errors
/// What is wrong with the engine's signals; a number of points that is not a power of the radix.
pub fn burst(fft: Fft, engine: &Engine) -> Result<FftCore, BuildErrors> {
    let radix = engine.radix;
    let fault = |what: String, fix: &str| refusal(engine.name, what, fix);
    let stages = fft
        .stages(radix)
        .map_err(|e| fault(e.to_string(), "choose other points or another radix"))?;
    let (digit, count) = (radix.ilog2(), radix as usize);
    let m = Module::new(engine.name);
    m.doc(&format!(
        "{}-point transform, radix {radix}: one butterfly per clock; load, compute, unload.",
        fft.points()
    ));
    let steps = fft.points() / radix;
    let control = Control::new(&m, fft, (radix, stages), steps, FLUSH);

    let Addresses { positions, factor } = (engine.addresses)(&m, fft, control.stage, control.step);
    if positions.len() != count {
        let what = format!("a butterfly has {} positions", positions.len());
        return Err(fault(what, &format!("give {radix} of them")));
    }
    let positions: Vec<Sig> =
        (0..count).map(|i| positions[i].reg(&format!("position{i}_q"))).collect();
    let factor = factor.reg("factor_q");
    // Rows of the memories, each rotated to the memory in which its value lies.
    let first = bank(positions[0], radix).named("first_bank");
    let rows: Vec<Sig> = positions.iter().map(|p| p.slice(fft.log2() - 1, digit)).collect();
    let rows: Vec<Sig> = rotated(&rows, first, false);
    let index = control.index;
    let select = control.unloading.mux(bank(index, radix), first).reg("read_bank");
    let write_bank = last(m.shift_register("bank_", first, FLUSH as usize - 2));
    let write = last(m.shift_register("write_", control.issue, FLUSH as usize));

    let mut wires = Vec::new();
    let mut words = Vec::new();
    for (b, row) in rows.iter().enumerate() {
        let memory = m.ram(&format!("bank{b}"), steps as usize, unsigned(2 * fft.data_bits()));
        let here = index.slice(fft.log2() - 1, digit);
        words.push(memory.read_sync(&format!("word{b}"), control.unloading.mux(here, *row)));
        let write_row = last(m.shift_register(&format!("row{b}_"), *row, FLUSH as usize - 2));
        let result = m.wire(&format!("result{b}"), unsigned(2 * fft.data_bits()));
        let place = reversed(&m, index, digit);
        let mine = control.loading & bank(index, radix).eq(b as i64);
        memory.write(
            mine | write,
            control.loading.mux(place.slice(fft.log2() - 1, digit), write_row),
            control.loading.mux(control.x.word(), result),
        );
        wires.push(result);
    }
    let values: Vec<Complex> = rotated(&words, select, true)
        .into_iter()
        .map(|w| Complex::of(w, fft.data_bits()))
        .collect();
    let turns: Vec<Complex> = (1..radix)
        .map(|k| {
            let name = format!("turn{k}");
            factors(&m, fft, &name, k, steps, factor).delayed(&m, &format!("{name}_q"), 1)
        })
        .collect();
    let sums = (engine.butterfly)(&m, fft, &values, &turns);
    let bits = fft.product_bits() + digit;
    if sums.len() != count || sums.iter().any(|s| s.re.width() != bits || s.im.width() != bits) {
        let what = format!(
            "the butterfly gives {} sums of {:?} bits",
            sums.len(),
            sums.iter().map(|s| (s.re.width(), s.im.width())).collect::<Vec<_>>()
        );
        return Err(fault(what, &format!("give {radix} sums of {bits} bits each")));
    }
    let mut results = Vec::new();
    let mut overflow = m.lit(0, hdl::bit());
    for (i, sum) in sums.into_iter().enumerate() {
        let (result, wrapped) = scaled_complex(fft, sum, control.shift);
        results.push(result.delayed(&m, &format!("y{i}"), 1).word());
        overflow = overflow | wrapped.reg(&format!("wrapped{i}"));
    }
    for (wire, result) in wires.iter().zip(rotated(&results, write_bank, false)) {
        wire.drive(result);
    }
    control.outputs(&m, values[0], overflow & write);
    Ok(FftCore {
        block: m.build()?,
        fft,
        radix,
        engine: stages * steps,
        flush: stages * FLUSH,
        period: 2 * fft.points() + stages * (steps + FLUSH) + 1,
    })
}

/// A mistake of the engine as an error of the builder. The builder makes the error, of a module
/// with nothing in it; the words are ours.
fn refusal(module: &str, what: String, fix: &str) -> BuildErrors {
    let mut errors = Module::new(module).build().err().unwrap_or(BuildErrors(vec![]));
    if let Some(error) = errors.0.first_mut() {
        (error.what, error.fix) = (what, fix.into());
    }
    errors
}

fn last<'m>(row: Vec<Sig<'m>>) -> Sig<'m> {
    row[row.len() - 1]
}

/// The memory of a position: the sum of its digits modulo the radix, added up in pairs.
fn bank<'m>(position: Sig<'m>, radix: u32) -> Sig<'m> {
    let digit = radix.ilog2();
    let places = 0..position.width() / digit;
    let mut sums: Vec<Sig> =
        places.map(|i| position.slice(digit * (i + 1) - 1, digit * i)).collect();
    while sums.len() > 1 {
        sums = sums.chunks(2).map(|c| c.iter().skip(1).fold(c[0], |a, &b| a + b)).collect();
    }
    sums[0]
}

/// The digits of `index` in reverse order.
fn reversed<'m>(m: &'m Module, index: Sig<'m>, digit: u32) -> Sig<'m> {
    let digits: Vec<Sig> =
        (0..index.width() / digit).map(|i| index.slice(digit * (i + 1) - 1, digit * i)).collect();
    m.concat(&digits)
}

/// `values` moved in a circle: the result i is the value i + by if `down`, else i - by.
fn rotated<'m>(values: &[Sig<'m>], by: Sig<'m>, down: bool) -> Vec<Sig<'m>> {
    let n = values.len();
    let mut now = values.to_vec();
    for level in 0..by.width() {
        let far = if down { 1 << level } else { n - (1 << level) };
        now = (0..n).map(|i| by.bit(level).mux(now[(i + far) % n], now[i])).collect();
    }
    now
}
