//! Checks of exercise 3.3.5: the benchmark's report.

use grading::{Call, Check, Evidence, Exercise, Finding, Outcome, Trial, expect, host, trace};
use npb::ep::Class;
use serde_json::json;

use crate::own::written;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.3.5",
    key: "e3_3_05",
    title: "Classes and study",
    points: 3,
    files: &[FILE],
    todo: "Write class_of, verified, mops and report in src/e3_3_05.rs.",
    hints: &[
        ("a", "compare relative errors: |found - wanted| / |wanted|"),
        ("b", "both sums must pass"),
        ("c", "Mop/s uses 2^(M+1) numbers: a pair takes two"),
        (
            "n",
            "NaN compares false with everything: write `error <= 1e-8`, and pass only what is so",
        ),
        ("u", "refuse a class that does not exist, and a batch that is larger than the class"),
        (
            "own",
            "write it yourself: the methods of Class belong to the program npb, which is compared \
             with yours",
        ),
        ("l", "the lines are those of the handout, in its order"),
    ],
    checks: &[
        Check {
            name: "verify_logic",
            what: "what is right, and what is not",
            weight: 2,
            run: verify_logic,
        },
        Check {
            name: "cli_errors",
            what: "classes that cannot be run",
            weight: 1,
            run: cli_errors,
        },
        Check {
            name: "t_classes",
            what: "the report of our own classes",
            weight: 1,
            run: t_classes,
        },
    ],
};

const FILE: &str = "src/e3_3_05.rs";

/// The report must be the student's own.
fn own(t: &Trial) -> Result<(), Finding> {
    written(t, FILE, &["npb", "Class::verify", ".verify(", "by_name", ".mop(", "Class::mop"])
}

fn verify_logic(t: &Trial) -> Outcome {
    own(t)?;
    for name in ["S", "W", "A", "B", "C", "T", "T12"] {
        let cases = [
            (1.0, 1.0, true, ""),
            (1.0 + 1e-9, 1.0 - 1e-9, true, "a"),
            (1.0 + 1e-7, 1.0, false, "a"),
            (1.0 - 1e-7, 1.0, false, "a"),
            (1.0, 1.0 + 1e-7, false, "b"),
            (1.0, -1.0, false, "b"),
            (f64::NAN, 1.0, false, "n"),
            (1.0, f64::NAN, false, "n"),
        ];
        let calls: Vec<Call> = cases
            .iter()
            .map(|(fx, fy, ..)| {
                Call::new("e3_3_05.verified", &json!([name, fx.to_bits(), fy.to_bits()]))
            })
            .collect();
        for ((fx, fy, want, hint), reply) in cases.iter().zip(t.host(&calls)?) {
            let got: bool = trace::value(&reply)?;
            expect::that(got == *want, || {
                format!("class {name}, sx times {fx}, sy times {fy}: expected {want}, found {got}")
            })
            .map_err(|f| if hint.is_empty() { f } else { f.hint(hint) })?;
        }
    }
    Ok(Evidence::new("off by 1e-9: right; by 1e-7 in either sum, or NaN: wrong"))
}

fn cli_errors(t: &Trial) -> Outcome {
    own(t)?;
    for (name, mk) in [("X", 4), ("", 4), ("T12", 13)] {
        let reply = t.call("e3_3_05.class_of", &json!([name, mk]))?;
        let refuse = |f: Finding| Finding { hint: None, ..f }.hint("u");
        let (message, _) = host::error(&reply).map_err(refuse)?;
        expect::that(message.contains(name), || {
            format!("the error does not name `{name}`: {message}")
        })
        .map_err(refuse)?;
    }
    for (name, m) in [("s", 24), ("C", 32), ("t", 16)] {
        let got: u32 = trace::value(&t.call("e3_3_05.class_of", &json!([name, 8]))?)?;
        expect::same(&format!("class {name}: m"), &got, &m).map_err(|f| f.hint("u"))?;
    }
    Ok(Evidence::new("class X, no name, and 2^13 pairs a batch in class T12 are refused"))
}

fn t_classes(t: &Trial) -> Outcome {
    own(t)?;
    for (m, seconds) in [(24, 2.0), (28, 0.5), (12, 1e-3)] {
        let got: u64 = trace::value(&t.call("e3_3_05.mops", &json!([m, f64::to_bits(seconds)]))?)?;
        let want = 2f64.powi(m + 1) / seconds / 1e6;
        expect::close(&format!("mops({m}, {seconds})"), &[f64::from_bits(got)], &[want], |_| {
            1e-12 * want
        })
        .map_err(|f| f.hint("c"))?;
    }
    for (name, mk) in [("T12", 6), ("T", 8)] {
        let request = json!({ "class": name, "mk": mk, "block": 64 });
        let text: String = trace::value(&t.call("e3_3_05.run", &request)?)?;
        let Some(class) = Class::by_name(name) else {
            return Err(Finding::grader(format!("no class {name}")));
        };
        let (want, _) = crate::ep::truth(1, 1 << class.m);
        let mut lines = vec![
            format!("N = 2^{}", class.m),
            format!("No. Gaussian Pairs = {}", want.pairs()),
            String::new(),
            "Counts:".into(),
        ];
        lines.extend(want.q.iter().enumerate().map(|(ring, count)| format!("{ring} {count}")));
        lines.push("Verification = SUCCESSFUL".into());
        lines.push(format!("Mop/s = {:.2}", class.mop() / 2.0));
        let found: Vec<&str> = text.lines().map(str::trim).collect();
        for (i, line) in lines.iter().enumerate() {
            let got = found.get(i).copied().unwrap_or("");
            // The sums' last digits depend on the order of the atomic operations.
            let sums = i == 2
                && got.strip_prefix("Sums = ").is_some_and(|rest| {
                    let values: Vec<f64> =
                        rest.split_whitespace().filter_map(|v| v.parse().ok()).collect();
                    let close = |a: f64, b: f64| ((a - b) / b).abs() < 1e-9;
                    values.len() == 2 && close(values[0], class.sx) && close(values[1], class.sy)
                });
            expect::that(sums || got == line, || {
                let wanted =
                    if i == 2 { "`Sums = ` and both sums".into() } else { format!("\"{line}\"") };
                format!("class {name}, line {}: expected {wanted}, found \"{got}\"", i + 1)
            })
            .map_err(|f| f.hint("l"))?;
        }
    }
    Ok(Evidence::new("classes T12 and T on the device: all lines, verified"))
}
