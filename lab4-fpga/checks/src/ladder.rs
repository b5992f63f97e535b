//! The last of the three hints for whoever has nothing yet.

/// Key of an exercise, and what is nearly the line.
pub const NEARLY: &[(&str, &str)] = &[
    (
        "e4_0",
        "`cargo run -p lab4-fpga --bin fpga -- run fpgatop` prints cycles and time, `build \
         fpgatop` the flip-flops; -7 >> 1 rounds down",
    ),
    (
        "e4_1",
        "a product: `m.instance(\"u_mult1\", mult).connect(\"a\", x1).connect(\"b\", m.lit(b, \
         signed(16))).out(\"p\")`; a sum that keeps its carry: `p1.extend(33) + p2.extend(33)`",
    ),
    (
        "e4_2",
        "for each coefficient the smaller and the larger of b * -32768 and b * 32767; sum up \
         either; then the first lsb at which both fit",
    ),
    (
        "e4_3",
        "state RUN: `SRC_RD` is 1 until 1024 words are taken; `m.shift_register(\"valid\", taken, \
         n)` with n = style.latency() + 1 says when there is a result, and the last one ends RUN",
    ),
    (
        "e4_4",
        "`ImplStyle::PipeLut`; while something is left: an odd rest gives the digit `2 - \
         rest.rem_euclid(4)`, then halve",
    ),
    (
        "e4_5",
        "a counter of the words; while it is below 8, coefficient register k takes SRC_DATA in the \
         clock in which word k is there",
    ),
    (
        "e4_6",
        "`ImplStyle::Block`; `(0..=fits(left, block)).map(|n| (n, fits(left - n block, logic)))`, \
         and the best of them",
    ),
];
