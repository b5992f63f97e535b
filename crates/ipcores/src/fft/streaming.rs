//! Pipelined streaming: a butterfly, a multiplier and a memory for every stage, so that one sample
//! goes in and one bin comes out in every clock, frame behind frame.
//!
//! A stage of distance D sees the values of its block one after the other. It keeps the first D of
//! them; each of the next D is multiplied by its phase factor and meets its partner: the sum goes
//! on, the difference takes the partner's place and goes on D clocks later. A double buffer in
//! front brings the samples into bit-reversed order, so that the bins come out in natural order.

use hdl::{Block, BuildErrors, Module, Sig, bit, signed, unsigned};

use super::control::Inputs;
use super::parts::{Complex, factors, product, scaled_complex};
use super::{Fft, FftCore};

/// Clocks from a value's factor being looked up to its product.
const PRODUCT_CLOCKS: u32 = 4;

/// The largest and fastest transform: one sample per clock, without a pause between frames as long
/// as `start` is high when the last sample of a frame is taken. `unload` is not needed. Direction
/// and schedule are to be set while no frame is under way.
///
/// # Errors
/// None for checked parameters.
pub fn streaming(fft: Fft) -> Result<FftCore, BuildErrors> {
    let m = Module::new("fft_streaming");
    m.doc(&format!(
        "{}-point transform, radix 2, a stage of hardware for every stage: one sample per clock.",
        fft.points()
    ));
    let stages = fft.log2();
    let inputs = Inputs::new(&m, fft, 2, stages);
    inputs.unload.unused();

    let loading = m.reg("loading", bit());
    let index = m.counter("index", fft.points() - 1, loading);
    let last_index = index.eq(i64::from(fft.points() - 1)).named("last_index");
    let loaded = (loading & last_index).named("loaded");
    let begin = (inputs.start & (!loading.q() | last_index)).named("begin_load");
    loading.set(begin | (loading & !last_index));

    // Two halves: one is written in natural order while the other is read in bit-reversed order.
    let half = m.counter("half", 1, loaded);
    let buffer = m.ram("reorder", 2 * fft.points() as usize, unsigned(2 * fft.data_bits()));
    buffer.write(loading, half.concat(index), inputs.x.word());
    let reading = m.reg("reading", bit());
    let position = m.counter("position", fft.points() - 1, reading);
    let read_ends = position.eq(i64::from(fft.points() - 1));
    reading.set(loaded | (reading & !read_ends));
    let reversed: Vec<Sig> = (0..stages).map(|i| position.bit(i)).collect();
    let read_half = half.reg_if("read_half", loaded);
    let word = buffer.read_sync("word", read_half.concat(m.concat(&reversed)));
    let first = (reading & position.eq(0)).reg("first");

    let mut wire =
        Wire { sync: first, x: Complex::of(word, fft.data_bits()), wrapped: m.lit(0, bit()) };
    // To read the buffer, and the register behind the last stage with the one before it.
    let mut latency = 3;
    for s in 0..stages {
        let (block, clocks) = stage(fft, s)?;
        let shift = inputs.schedule.slice(2 * s + 1, 2 * s);
        let u = m.instance(&format!("u_stage{s}"), &block);
        u.connect("sync", wire.sync).connect("re", wire.x.re).connect("im", wire.x.im);
        u.connect("wrapped", wire.wrapped).connect("right_shift", shift);
        wire = Wire {
            sync: u.out("next_sync"),
            x: Complex { re: u.out("next_re"), im: u.out("next_im") },
            wrapped: u.out("next_wrapped"),
        };
        latency += clocks;
    }

    // The last stage's values are the bins. They go through a register, so that `edone` and `done`
    // can come before them.
    let ends = wire.sync;
    let done = ends.reg("ended");
    let late = wire.x.exchanged(inputs.inverse).delayed(&m, "bin", 2);
    let wrapped = last(m.shift_register("wrapped_", wire.wrapped, 2));
    let bin_zero = done.reg("bin_zero");
    let showing = m.reg("showing", bit());
    let count = m.reg("count", unsigned(stages));
    let bin = bin_zero.mux(0, count.q()).named("bin_index");
    let valid = (bin_zero | showing).named("valid");
    let bin_last = (valid & bin.eq(i64::from(fft.points() - 1))).named("bin_last");
    count.set(bin + 1);
    showing.set(valid & !bin_last);
    let frames = m.reg("frames", unsigned(3)).comment("under way");
    frames.set(frames + begin.extend(3) - bin_last.extend(3));
    let seen = m.reg("overflowed", bit());
    let ovflo = ((valid & wrapped) | (seen & !bin_zero)).named("overflow");
    seen.set(ovflo);

    m.output("rfd", loading);
    m.output("xn_index", index);
    m.output("busy", frames.q().ne(0));
    m.output("edone", ends);
    m.output("done", done);
    m.output("dv", valid);
    m.output("xk_index", bin);
    m.output("xk_re", late.re);
    m.output("xk_im", late.im);
    m.output("ovflo", ovflo);
    Ok(FftCore {
        block: m.build()?,
        fft,
        radix: 2,
        engine: fft.points(),
        flush: latency,
        period: fft.points(),
    })
}

/// What goes from stage to stage: `sync` with the first value of a frame; `wrapped` where the value
/// comes from one that did not fit.
struct Wire<'m> {
    sync: Sig<'m>,
    x: Complex<'m>,
    wrapped: Sig<'m>,
}

/// One stage of distance `2^s`, and the clocks from its first value in to its first value out.
fn stage(fft: Fft, s: u32) -> Result<(Block, u32), BuildErrors> {
    let distance = 1u32 << s;
    let m = Module::new(&format!("fft_stage{s}"));
    m.doc(&format!("Butterflies of values {distance} apart, one value per clock."));
    let sync = m.input("sync", bit());
    let x = Complex {
        re: m.input("re", signed(fft.data_bits())),
        im: m.input("im", signed(fft.data_bits())),
    };
    let wrapped = m.input("wrapped", bit());
    let shift = m.input("right_shift", unsigned(2));

    // Place of the value in its block of 2 * distance; 0 with `sync`.
    let count = m.reg("count", unsigned(s + 1));
    let place = sync.mux(0, count.q()).named("place");
    count.set(place + 1);
    let second = place.bit(s).named("second").comment("its partner has come before");
    let armed = m.reg("armed", bit());
    let fire = ((armed | sync) & place.eq(i64::from(distance))).named("fire");
    armed.set((armed | sync) & !fire);

    // Multiplied by its factor; by 1 and -j without a multiplier.
    let bits = fft.product_bits();
    let (t, clocks) = match s {
        0 => (x.map(|part| part.extend(bits) << fft.fraction()), 0),
        1 => {
            let odd = place.bit(0);
            let wide = x.map(|part| part.extend(bits));
            let turned = Complex { re: odd.mux(wide.im, wide.re), im: odd.mux(-wide.re, wide.im) };
            (turned.map(|part| part << fft.fraction()), 0)
        }
        _ => {
            let step = fft.points() / (2 * distance);
            let at = place.truncate(s);
            let w = factors(&m, fft, "factor", step, distance, at).delayed(&m, "factor_q", 1);
            (product(fft, "t", x.delayed(&m, "x", 1), w), PRODUCT_CLOCKS)
        }
    };
    let n = clocks as usize;
    let second = m.shift_register("second_", second, n).last().copied().unwrap_or(second);
    let fire = m.shift_register("fire_", fire, n).last().copied().unwrap_or(fire);
    let wrapped = m.shift_register("wrapped_", wrapped, n).last().copied().unwrap_or(wrapped);
    let value = match clocks {
        0 => x,
        _ => x.delayed(&m, "late", clocks),
    };

    // The delay line holds first values until their partners come, and differences until the sums
    // are out.
    let into = m.wire("into_line", unsigned(2 * fft.data_bits() + 1));
    let out = match distance {
        1 => into.q().reg("line"),
        _ => {
            let at = m.counter("at", distance - 1, m.lit(1, bit()));
            let line = m.ram("line", distance as usize, into.q().ty());
            line.write(m.lit(1, bit()), at, into);
            line.read_sync("line_out", at + 1)
        }
    };
    let partner_wrapped = out.msb();
    let partner = Complex::of(out.truncate(2 * fft.data_bits()), fft.data_bits());
    let wide = partner.map(|part| part.extend(bits + 1) << fft.fraction());
    let t = t.map(|part| part.extend(bits + 1));
    let (sum, w1) = scaled_complex(fft, Complex { re: wide.re + t.re, im: wide.im + t.im }, shift);
    let (difference, w2) =
        scaled_complex(fft, Complex { re: wide.re - t.re, im: wide.im - t.im }, shift);
    let both = wrapped | partner_wrapped;
    let keep = second.mux(difference.word(), value.word());
    into.drive(second.mux(both | w2, wrapped).concat(keep));
    m.output("next_sync", fire.reg("fire_out"));
    m.output("next_re", second.mux(sum.re, partner.re).reg("re_out"));
    m.output("next_im", second.mux(sum.im, partner.im).reg("im_out"));
    m.output("next_wrapped", second.mux(both | w1, partner_wrapped).reg("wrapped_out"));
    Ok((m.build()?, clocks + distance + 1))
}

fn last<'m>(row: Vec<Sig<'m>>) -> Sig<'m> {
    row[row.len() - 1]
}
