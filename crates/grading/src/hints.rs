//! Hints for the mistakes that any exercise with a kernel can show (C1 to C9).

/// Id and text of the common hints.
pub const COMMON: &[(&str, &str)] = &[
    (
        "C1",
        "the kernel was not found: is it `extern \"C\" __global__`, spelt the same in both files?",
    ),
    (
        "C2",
        "an argument has another width than the kernel's parameter; \
         `launch!` does not convert, write `x as f32`",
    ),
    ("C3", "the launch or copy failed and the error was ignored: use `?`"),
    ("C4", "it works for the example size only"),
    (
        "C5",
        "a panic ends the program: look at its line. What is wrong with the input is an Err(...)",
    ),
    ("C6", "n = 0 must return before the launch: a grid of zero blocks is InvalidValue"),
    ("C7", "a store went beyond the output: the last valid index is n-1"),
    ("C8", "no kernel was launched: the work must run in the kernel"),
    ("C9", "NaN compares false with everything: write !(err <= tol)"),
];

/// The common hint called `id`.
pub fn common(id: &str) -> Option<&'static str> {
    COMMON.iter().find(|(own, _)| *own == id).map(|(_, text)| *text)
}
