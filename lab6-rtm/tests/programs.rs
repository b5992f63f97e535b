//! The program `stencils`.

use std::process::{Command, Output};

fn stencils(args: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stencils"))
        .args(args.split_whitespace())
        .env("LAB_DEVICE", "emulated")
        .output()
        .expect("the program runs")
}

#[test]
fn bad_options_are_refused_with_code_2() {
    let output = stencils("--n many");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("many"));
}

#[cfg(feature = "solutions")]
#[test]
fn the_four_stencils_agree_and_each_is_faster_than_the_naive_one() {
    let output = stencils("--n 36 --steps 1");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|row| row.first().is_some_and(|name| name.starts_with("stencil_")))
        .collect();
    assert_eq!(rows.len(), 4, "{text}");
    let number = |row: &[&str], k: usize| row[k].parse::<f64>().expect("a number");
    for row in &rows[1..] {
        // Predicted by the model, so the same on every machine.
        assert!(number(row, 1) < number(&rows[0], 1), "{text}");
        assert!(number(row, 3) < 1e-4, "{text}");
    }
}
