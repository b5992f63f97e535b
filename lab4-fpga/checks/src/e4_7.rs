//! The check of exercise 4.7: `fir1` by hand in VHDL, run by GHDL.

use grading::{Check, Class, Evidence, Exercise, Finding, Outcome, Trial, design, expect};
use hdl::write::{bench, vhdl};
use hdl::{Block, Trace, tools};
use serde_json::json;

use crate::model::{LAB4, numbers};
use crate::rig;

const FILE: &str = "vhdl/fir1.vhd";

/// Clocks that are compared: GHDL is slow.
const CLOCKS: u64 = 700;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L4-4.7",
    key: "e4_7",
    title: "fir1 by hand in VHDL (optional, needs GHDL)",
    points: 0,
    files: &[FILE],
    todo: "Write the architecture of fir1 in vhdl/fir1.vhd; it carries no points.",
    hints: &[
        (
            "refused",
            "GHDL's message says in which line; the file may use ieee and the given mult16x16, and \
             no files",
        ),
        (
            "trace",
            "the design must do clock by clock what your exercise 4.1 does: compare with its \
             generated fir1.vhd",
        ),
    ],
    checks: &[Check {
        name: "trace",
        what: "the same outputs as exercise 4.1, clock by clock",
        weight: 1,
        run: trace,
    }],
};

fn trace(t: &Trial) -> Outcome {
    let text = t.text(FILE)?;
    if let Some(word) = tools::forbidden_word(&text) {
        let found = Finding::new(Class::NotGradable, format!("{FILE}: `{word}` is not allowed"));
        return Err(found.hint("refused"));
    }
    let block = t.design("e4_1.fir1", &json!({ "coefficients": LAB4, "lsb": 19 }))?;
    if !tools::found("ghdl") {
        return match tools::required() {
            true => Err(Finding::grader("ghdl is missing, and HDL_TOOLS=required needs it")),
            false => Ok(Evidence::skipped("ghdl")),
        };
    }
    let cycles = inputs(t, &block)?;
    let want = bench::response(&block, &cycles).map_err(|e| Finding::grader(e.to_string()))?;
    let given: String =
        block.hierarchy().iter().filter(|b| b.name() != "fir1").map(vhdl::entity).collect();
    let got = t.ghdl(&format!("{given}\n{text}"), &block, &cycles).map_err(|e| {
        let first = format!("GHDL refuses {FILE}, or its run");
        Finding::new(Class::NotGradable, first).details(e.to_string()).hint("refused")
    })?;
    // The result word matters only where it is stored: outputs are RESULT_DATA (16), SRC_RD,
    // RESULT_WR, PROC_WORKING.
    let seen = |line: &str| match line.get(17..18) {
        Some("1") => line.to_string(),
        _ => line.get(16..).unwrap_or_default().to_string(),
    };
    for (n, (want, got)) in want.lines().zip(got.lines()).enumerate() {
        expect::that(seen(want) == seen(got), || {
            format!(
                "clock {n}: expected RESULT_DATA SRC_RD RESULT_WR PROC_WORKING = {}, got {}",
                spaced(want),
                spaced(got)
            )
        })
        .map_err(|f| f.hint("trace"))?;
    }
    expect::same("clocks", &got.lines().count(), &want.lines().count())?;
    Ok(Evidence::new(format!("{} clocks are the same in GHDL", want.lines().count())))
}

fn spaced(line: &str) -> String {
    let (data, rest) = line.split_at_checked(16).unwrap_or((line, ""));
    let bits: Vec<String> = rest.chars().map(String::from).collect();
    format!("{data} {}", bits.join(" "))
}

/// Reset and inputs of the design in the first clocks of a run on the board.
fn inputs(t: &Trial, block: &Block) -> Result<Vec<Vec<i64>>, Finding> {
    let fault = |e: hdl::UseError| Finding::grader(e.to_string());
    let ports = block.inputs();
    let names: Vec<&str> = ports.iter().map(|p| p.name.as_str()).collect();
    let mut fpga = design::board(block)?.limit(CLOCKS);
    let mut trace = Trace::new(fpga.simulator(), &names).map_err(fault)?;
    let source = rig::random_words(&mut t.rng());
    fpga.run_watched(&numbers(&source), |sim| trace.record(sim)).map_err(fault)?;
    let columns: Vec<Vec<i64>> =
        names.iter().map(|n| trace.values(n).unwrap_or_default()).collect();
    let row = |clock: usize| [0].into_iter().chain(columns.iter().map(|c| c[clock])).collect();
    let reset = [1].into_iter().chain(names.iter().map(|_| 0)).collect();
    Ok([reset].into_iter().chain((0..columns[0].len()).map(row)).collect())
}
