//! Radix-2 lite: one memory, two multipliers and one adder chain that serve the real and the
//! imaginary part in turn. Two clocks for each butterfly, the same bits as the radix-2 burst
//! transform.

use hdl::{BuildErrors, Module, Sig, unsigned};

use super::control::Control;
use super::parts::{Complex, factors, scaled};
use super::{Fft, FftCore};

/// A stage's last result is written that many clocks after its last step.
const FLUSH: u32 = 8;

/// The smallest and slowest transform: N log2 N clocks.
///
/// # Errors
/// None for checked parameters.
pub fn lite(fft: Fft) -> Result<FftCore, BuildErrors> {
    let m = Module::new("fft_lite");
    m.doc(&format!(
        "{}-point transform, radix 2, real and imaginary part in turn: two clocks per butterfly.",
        fft.points()
    ));
    let (stages, half) = (fft.log2(), fft.points() / 2);
    let control = Control::new(&m, fft, (2, stages), fft.points(), FLUSH);
    // Every second step reads the upper value of a butterfly, the other ones the lower value.
    let lower = control.step.bit(0).named("lower");
    let number = control.step.slice(stages - 1, 1).named("butterfly");
    // The number, a bit for upper or lower behind it, rotated by the stage: values 2^stage apart.
    let both = number.concat(lower);
    let rest = m.lit(i64::from(stages), unsigned(4)) - control.stage.extend(4);
    let position = (both.shl_by(control.stage) | both.shr_by(rest)).reg("position");
    // The bits that went round are the number of the phase factor.
    let ones = m.lit(i64::from(half - 1), unsigned(stages - 1));
    let factor = (number & !ones.shr_by(control.stage)).reg("factor_number");

    let index = control.index;
    let place: Vec<Sig> = (0..stages).map(|i| index.bit(i)).collect();
    let memory = m.ram("values", fft.points() as usize, unsigned(2 * fft.data_bits()));
    let word = memory.read_sync("word", control.unloading.mux(index, position));
    let value = Complex::of(word, fft.data_bits());

    // upper[i] is 1 where the upper value of a butterfly was read i + 1 clocks ago.
    let upper = (control.issue & !lower).reg("read_upper");
    let upper = m.shift_register("upper_", upper, 8);
    let a = held("a1", value, upper[0]);
    let a = held("a2", a, upper[1]);
    let a = held("a3", a, upper[3]);
    let b = held("b", value, upper[1]);
    let w = factors(&m, fft, "factor", 1, half, factor).delayed(&m, "factor_q", 1);
    let w = held("w", w, upper[1]);

    // First the real part, b_re w_re - b_im w_im, then the imaginary part, b_re w_im + b_im w_re.
    let real = upper[2];
    let p1 = (b.re * real.mux(w.re, w.im)).reg("p1");
    let p2 = (b.im * real.mux(w.im, w.re)).reg("p2");
    let bits = fft.product_bits();
    let (p1, p2) = (p1.resize(bits), p2.resize(bits));
    let t = upper[3].mux(p1 - p2, p1 + p2).reg("t").extend(bits + 1);
    let wide = upper[4].mux(a.re, a.im).extend(bits + 1) << fft.fraction();
    let (sum, sum_wrapped) = scaled(fft, wide + t, control.shift);
    let (difference, difference_wrapped) = scaled(fft, wide - t, control.shift);
    let (sum, difference) = (sum.reg("sum"), difference.reg("difference"));
    // The real parts wait for the imaginary ones; the lower value waits for the upper one to be
    // written.
    let above = sum.reg("sum_re").concat(sum);
    let below = difference.reg("difference_re").concat(difference).reg("below");

    let write_position = m.shift_register("position_", position, 7)[6];
    memory.write(
        control.loading | upper[6] | upper[7],
        control.loading.mux(m.concat(&place), write_position),
        control.loading.mux(control.x.word(), upper[6].mux(above, below)),
    );
    let wrapped = (sum_wrapped | difference_wrapped).reg("wrapped");
    control.outputs(&m, value, wrapped & (upper[5] | upper[6]));
    Ok(FftCore {
        block: m.build()?,
        fft,
        radix: 2,
        engine: stages * fft.points(),
        flush: stages * FLUSH,
        period: 2 * fft.points() + stages * (fft.points() + FLUSH) + 1,
    })
}

/// Keeps a value from one clock with `when` to the next.
fn held<'m>(name: &str, value: Complex<'m>, when: Sig<'m>) -> Complex<'m> {
    Complex {
        re: value.re.reg_if(&format!("{name}_re"), when),
        im: value.im.reg_if(&format!("{name}_im"), when),
    }
}
