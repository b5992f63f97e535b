//! The last of the three hints for whoever has nothing yet.

/// Key of an exercise, and what is nearly the line.
pub const NEARLY: &[(&str, &str)] = &[
    (
        "e5_1",
        "`i.abs().reg(\"abs_i\")`, `a.max(b).reg(\"larger\")`; 15 x is `(x << 4) - x` of an x \
         that was extended first; `sum.gt(32767).mux(..)` at last",
    ),
    (
        "e5_2",
        "`m.shift_register(\"late\", din, sel as usize)` and its last entry; for 0 there is no \
         register: `din` itself",
    ),
    (
        "e5_3",
        "tap k: two `reg_if` for the sample, `(x * h).reg(..)`, `(sum + p).reg(..)`, \
         `v.reg(..)`; transposed: `(sum + p_k).reg_if(.., v)` from the last tap to the first",
    ),
    (
        "e5_4",
        "table: word a is the sum of the coefficients k with `a >> k & 1 == 1`; address: \
         `bit_k.concat(address)`; `high.set(before + word)` with before = 0 at the first bit, \
         else `high.q() >> 1`",
    ),
    (
        "e5_5",
        "level l: `pair[0] + (pair[1] << (1 << l))`, a register behind it; the signs' row \
         enters as 0 - t where `feed.last`; `valid`, `first`, `last` wait as many clocks as \
         there are levels",
    ),
    (
        "e5_6",
        "word w of the second run still has the coefficients w + 2 .. 8 times H; start-up: \
         (words - 1) * period + latency + 2, less words * period",
    ),
    (
        "e5_7",
        "upper = `((number & !below) << 1) | (number & below)`, lower = upper with 2^stage set; \
         factor = `(number & below)` moved to the top: stage 0 to nothing, the last stage by 0 \
         places; t = product, then a + t and a - t with a = `x[0].delayed(m, \"a\", 3)`, \
         shifted by `fft.fraction()`",
    ),
    (
        "e5_8",
        "power = 1 << 2 stage; the gap takes 0, power, 2 power, 3 power; -j d is `re: d.im, im: \
         0 - d.re`",
    ),
    (
        "e5_9",
        "`m.instance(\"u_mag\", &mag16(PAIR)?)` with `xk_re`, `xk_im`; `m.instance(\"u_delay\", \
         &delaysel(SEL)?)` with `dv`; written counts where `write`, and 1023 leads to IDLE",
    ),
    (
        "e5_10",
        "`cargo lab study lab5`: start-up and delay are columns; growth is LUT of da16 over LUT \
         of da1; cycles/bin is total / 1024",
    ),
];
