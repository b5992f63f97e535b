//! The program tensor: what it prints and what it refuses.

use super::{Scratch, run};

#[test]
fn each_kind_of_numbers_has_the_error_of_its_bits() {
    let scratch = Scratch::new("tensor");
    let output = run(env!("CARGO_BIN_EXE_tensor"), &scratch.0, "--m 40 --n 24");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("A 40 x 24 from -1 to 1, NVIDIA H200 (emulated)\n"), "{text}");
    assert!(text.contains("No times: "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let errors = |kind: &str| -> (i32, f64, f64) {
        let line = text.lines().find(|l| l.starts_with(&format!("{kind} ")));
        let line = line.unwrap_or_else(|| panic!("no {kind}: {text}"));
        let words: Vec<&str> = line.trim_start_matches(kind).split_whitespace().collect();
        let number = |i: usize| words[words.len() - i].parse::<f64>().expect("a number");
        (words[0].parse().expect("bits"), number(2), number(1))
    };
    for kind in ["bf16", "tf32", "bf16_twice", "tf32_twice", "float, CPU"] {
        let (bits, largest, rms) = errors(kind);
        // Both numbers of a product are rounded, and the sums of it.
        let bound = 2.0 * 0.5f64.powi(bits) + 3.0 * 24.0 * 0.5f64.powi(24);
        assert!(
            largest <= 1.01 * bound && rms < largest && rms > 0.5f64.powi(28),
            "{kind}: {text}"
        );
    }
    let [bf16, tf32] = ["bf16", "tf32"].map(|kind| errors(kind).2);
    assert!((6.0..10.0).contains(&(bf16 / tf32)), "three bits: {text}");
}

#[test]
fn sizes_of_nothing_are_refused() {
    let scratch = Scratch::new("tensor-options");
    for args in ["--m 0", "--n 0", "--m 70000"] {
        let output = run(env!("CARGO_BIN_EXE_tensor"), &scratch.0, args);
        assert_eq!(output.status.code(), Some(2), "{args}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("is not in 1..=65535"), "{args}");
    }
}
