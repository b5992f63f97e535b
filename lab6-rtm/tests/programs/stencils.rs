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
fn the_four_stencils_agree_and_rows_beat_columns() {
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
    // Predicted by the model, so the same on every machine. The march has too few blocks on so
    // small a grid.
    assert!(number(&rows[1], 1) < number(&rows[0], 1), "{text}");
    assert!(rows.iter().all(|row| number(row, 3) < 1e-4), "{text}");
}
