//! The check of exercise 5.11: `mag16` by hand in VHDL, run by GHDL.

use grading::{Check, Class, Evidence, Exercise, Finding, Outcome, Trial, expect};
use hdl::{Module, signed, tools};
use ipcores::magnitude::PAIRS;
use rand::RngExt;

const FILE: &str = "vhdl/mag16.vhd";

/// Clocks that the entity promises.
const LATENCY: usize = 4;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L5-5.11",
    key: "e5_11",
    title: "mag16 by hand in VHDL (optional, needs GHDL)",
    points: 0,
    files: &[FILE],
    todo: "Write the architecture of mag16 in vhdl/mag16.vhd; it carries no points.",
    hints: &[
        (
            "refused",
            "GHDL's message says in which line; the file may use ieee and no files, and every word \
             needs its width",
        ),
        ("late", "the right numbers, in another clock: four registers lie on the way, no more"),
        ("trace", "work through one pair by hand; mind |-32768| and what exceeds 32767"),
    ],
    checks: &[Check {
        name: "trace",
        what: "the magnitudes, one per clock, four clocks later",
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
    if !tools::found("ghdl") {
        return match tools::required() {
            true => Err(Finding::grader("ghdl is missing, and HDL_TOOLS=required needs it")),
            false => Ok(Evidence::skipped("ghdl")),
        };
    }
    let mut rng = t.rng();
    let mut values: Vec<(i16, i16)> =
        vec![(3, 4), (-32768, 0), (0, -32768), (-32768, -32768), (32767, -32767), (1, -1)];
    values.extend((0..400).map(|_| (rng.random::<i16>(), rng.random::<i16>())));
    // The pipeline runs empty with zeros.
    let idle = std::iter::repeat_n((0, 0), LATENCY + 2);
    let cycles: Vec<Vec<i64>> =
        values.iter().copied().chain(idle).map(|(i, q)| vec![i.into(), q.into()]).collect();
    // Only the ports of this one matter.
    let m = Module::new("mag16");
    let (i, q) = (m.input("in_i", signed(16)), m.input("in_q", signed(16)));
    m.output("mag_out", (i ^ q).reg("ports_only"));
    let ports = m.build().map_err(|e| Finding::grader(e.to_string()))?;
    let answer = t.ghdl(&text, &ports, &cycles).map_err(|e| {
        let first = format!("GHDL refuses {FILE}, or its run");
        Finding::new(Class::NotGradable, first).details(e.to_string()).hint("refused")
    })?;
    let got: Vec<Option<i64>> = answer
        .lines()
        .map(|line| u16::from_str_radix(line, 2).ok().map(|bits| i64::from(bits as i16)))
        .collect();
    let want: Vec<Option<i64>> =
        values.iter().map(|&(i, q)| Some(PAIRS[3].reference(i, q))).collect();
    let at = |late: usize| got.get(late..late + want.len());
    let late = (0..=LATENCY + 2).find(|&late| at(late) == Some(&want[..]));
    if let Some(late) = late {
        expect::that(late == LATENCY, || {
            format!("mag_out comes {late} clocks after its input, not {LATENCY}")
        })
        .map_err(|f| f.hint("late"))?;
        return Ok(Evidence::new(format!("{} magnitudes are right in GHDL", want.len())));
    }
    let shown = |v: Option<i64>| v.map_or("no number (U or X)".into(), |v| v.to_string());
    for (n, want) in want.iter().enumerate() {
        let got = got.get(n + LATENCY).copied().flatten();
        expect::that(got == *want, || {
            format!(
                "in_i, in_q = {:?}: expected mag_out = {}, got {}",
                values[n],
                shown(*want),
                shown(got)
            )
        })
        .map_err(|f| f.hint("trace"))?;
    }
    Err(Finding::grader("the magnitudes differ nowhere, and are not the same"))
}
