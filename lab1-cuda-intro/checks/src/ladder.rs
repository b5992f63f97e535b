//! The last of the three hints for whoever has nothing yet.

/// Key of an exercise, and what is nearly the line.
pub const NEARLY: &[(&str, &str)] = &[
    ("e1_1_01", "two lines: `int i = threadIdx.x;`, then a store to c[i]"),
    (
        "e1_1_02",
        "`lab.module(kernel_file!(..), &[..])?`, `module.get_function(..)`, two \
         `DeviceBuffer::from_slice`, one `uninitialized`, `launch!`, `copy_to`: one line each",
    ),
    (
        "e1_1_03",
        "kernel: `blockIdx.x * blockDim.x + threadIdx.x`; host: `n.div_ceil(BLOCK)` blocks",
    ),
    (
        "e1_1_04",
        "kernel: `if (i < size) { .. }` around the whole addition; host: `n as i32`, and `return \
         Ok(())` before the launch if n is 0",
    ),
    (
        "e1_1_05",
        "in a loop: `let start = clock::now(); f()?; let elapsed = clock::now() - start;`, and \
         keep the least",
    ),
    (
        "e1_1_06",
        "`start.record(stream)?`, the launch, `stop.record(stream)?`, `stop.synchronize()?`, \
         `stop.elapsed_time_f32(&start)?`",
    ),
    (
        "e1_1_07",
        "`unsigned t = (unsigned)clock();` before the store, `printf(LINE, blockIdx.x, .., t, \
         c[i], a[i], b[i]);` after it; lane 0 has threadIdx.x % 32 == 0",
    ),
    (
        "e1_1_08",
        "`let error = (f64::from(c) - f64::from(a + b)).abs();`, and `if error.is_nan() { return \
         error; }` before it is compared",
    ),
    (
        "e1_1_09",
        "4 * gld_lane bytes were asked for, 32 * gld_sec were delivered: divide, as f64; and what \
         if gld_sec is 0?",
    ),
    (
        "e1_1_10",
        "`break e1_1_10.cu:LINE if CONDITION`, `run`, `print EXPRESSION`, `continue`: \
         debug/example.dbg has one of each",
    ),
    (
        "e1_1_11",
        "`line.trim().strip_prefix(\".target\")`; a name ends at the first character that is no \
         letter, digit, `_` or `$`",
    ),
    (
        "e1_1_12",
        "an opcode is the first word of a line, or the second if the first is a predicate such as \
         `@%p1`",
    ),
    (
        "e1_1_13",
        "`cargo lab cc right.cu -o NAME --arch sm_NN`; `-DNAME=VALUE` sets a macro; `a && b` runs \
         b only if a went well",
    ),
    (
        "e1_1_14",
        "move, do not write anew: the loop of the error to check.rs, everything with DeviceBuffer \
         to device.rs, the formula to add_common.cuh",
    ),
    ("e1_1_15", "`int i = get_global_id(0);`, then as in 1.1.4"),
    (
        "e1_2_01",
        "z = (x, y); up to kmax times: z = z^2 + c, which is (re^2 - im^2 + c_re, 2 re im + c_im); \
         true if |z|^2 never exceeds the limit",
    ),
    (
        "e1_2_02",
        "`int xw = blockIdx.x * blockDim.x + threadIdx.x`, yw likewise with y; `if (xw < dim && yw \
         < dim)`; pixel number `xw + yw * dim`, four bytes each",
    ),
];
