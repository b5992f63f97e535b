//! Checks of exercise 1.1.12: reading machine code.

use std::collections::BTreeMap;

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect, trace};
use serde_json::json;

use crate::ptx::{self, Extras};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.12",
    key: "e1_1_12",
    title: "Reading machine code",
    points: 5,
    files: &["src/e1_1_12.rs", ANSWERS],
    todo: "Write opcodes and useful in src/e1_1_12.rs; find the four useful instructions of \
        data/vecadd.sass.txt for answers/e1_1_12.toml.",
    hints: &[
        ("a", "labels and directives are not instructions"),
        ("b", "`@%p1 bra` is one instruction: the predicate stands before its opcode"),
        ("c", "count only the named entry"),
        ("s", "look for LDG, FADD and STG; the address is the hexadecimal number in /*....*/"),
    ],
    checks: &[
        Check { name: "histogram", what: "opcodes of two listings", weight: 2, run: histogram },
        Check {
            name: "useful",
            what: "useful and all instructions of one kernel",
            weight: 2,
            run: useful,
        },
        Check {
            name: "predicates",
            what: "predicates, labels and braces",
            weight: 1,
            run: predicates,
        },
        Check {
            name: "sass",
            what: "the same four instructions in machine code",
            weight: 1,
            run: sass,
        },
    ],
};

const ANSWERS: &str = "answers/e1_1_12.toml";
const SASS: &str = "data/vecadd.sass.txt";

type Counts = BTreeMap<String, usize>;

fn ask(t: &Trial, texts: &[&str]) -> Result<Vec<Counts>, Finding> {
    trace::list(&t.call("e1_1_12.histogram", &json!(texts))?, texts.len())
}

/// Compares two histograms; the first difference is told, and a known mistake called by its name.
fn compare(what: &str, got: &Counts, want: &Counts) -> Result<(), Finding> {
    if got == want {
        return Ok(());
    }
    let odd = got.keys().find(|k| k.ends_with(':') || k.starts_with(['$', '.', '%']));
    if let Some(odd) = odd {
        return Err(
            Finding::wrong(format!("{what}: `{odd}` is counted as an instruction")).hint("a")
        );
    }
    let count = |of: &Counts, key: &str| of.get(key).copied().unwrap_or(0);
    let keys = want.keys().chain(got.keys());
    let differ = keys.clone().find(|k| count(got, k) != count(want, k));
    let key = differ.map_or("", String::as_str);
    let finding = Finding::wrong(format!(
        "{what}: {key}: expected {}, counted {}",
        count(want, key),
        count(got, key)
    ));
    // Predicated instructions are missing, or their predicates are taken for opcodes.
    let predicates = got.keys().any(|k| k.starts_with('@'));
    let missing = got.values().sum::<usize>() < want.values().sum::<usize>();
    Err(if predicates || (missing && !got.is_empty()) { finding.hint("b") } else { finding })
}

fn histogram(t: &Trial) -> Outcome {
    let mut cases = Vec::new();
    for file in ["data/vecadd.ptx", "data/julia.ptx", "data/mangled.ptx"] {
        let text = t.text(file)?;
        let want = ptx::histogram(&ptx::kernels(&text));
        cases.push((file, text, want));
    }
    let sample = ptx::sample(&mut t.rng(), 2, Extras { functions: true, ..Extras::default() });
    cases.push(("a made-up text", sample.text.clone(), ptx::histogram(&sample.kernels)));
    cases.push(("an empty text", String::new(), Counts::new()));
    let texts: Vec<&str> = cases.iter().map(|(_, text, _)| text.as_str()).collect();
    for ((what, _, want), got) in cases.iter().zip(ask(t, &texts)?) {
        compare(what, &got, want)?;
    }
    let most = cases[0].2.iter().max_by_key(|(_, n)| **n);
    let (opcode, n) = most.map_or(("", 0), |(o, n)| (o.as_str(), *n));
    Ok(Evidence::new(format!("vecadd.ptx: most frequent is {opcode}, {n} times")))
}

fn useful(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let sample = ptx::sample(&mut rng, 3, Extras::default());
    let mut cases = Vec::new();
    for (file, entry) in [
        ("data/vecadd.ptx", "add_kernel"),
        ("data/julia.ptx", "fill_kernel"),
        ("data/julia.ptx", "julia_kernel"),
        ("data/julia.ptx", "no_such_kernel"),
    ] {
        cases.push((file, t.text(file)?, entry.to_string()));
    }
    for (name, _) in &sample.kernels {
        cases.push(("a made-up text", sample.text.clone(), name.clone()));
    }
    let questions: Vec<_> = cases.iter().map(|(_, text, entry)| (text, entry)).collect();
    let reply = t.call("e1_1_12.useful", &json!(questions))?;
    let got: Vec<(usize, usize)> = trace::list(&reply, questions.len())?;
    for ((file, text, entry), got) in cases.iter().zip(&got) {
        let kernels = ptx::kernels(text);
        let of = |opcodes: &[String]| (ptx::useful(opcodes), opcodes.len());
        let want = kernels.iter().find(|(name, _)| name == entry).map_or((0, 0), |(_, o)| of(o));
        let all: Vec<String> = kernels.iter().flat_map(|(_, o)| o.clone()).collect();
        expect::same(&format!("{file}: (useful, all) of {entry}"), got, &want).map_err(|f| {
            if kernels.len() > 1 && *got == of(&all) {
                f.hint("c")
            } else if got.1 > want.1 {
                f.hint("a")
            } else if got.1 < want.1 && got.1 > 0 {
                f.hint("b")
            } else {
                f
            }
        })?;
    }
    let (useful, all) = got[0];
    Ok(Evidence::new(format!(
        "add_kernel: {useful} of {all} instructions are useful, {:.0} %",
        100.0 * useful as f64 / all as f64
    )))
}

fn predicates(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let samples: Vec<_> = (0..4)
        .map(|i| {
            ptx::sample(&mut rng, 2, Extras { predicates: true, crlf: i == 3, ..Extras::default() })
        })
        .collect();
    let texts: Vec<&str> = samples.iter().map(|s| s.text.as_str()).collect();
    for (sample, got) in samples.iter().zip(ask(t, &texts)?) {
        compare("a made-up text", &got, &ptx::histogram(&sample.kernels))
            .map_err(|f| f.details(&sample.text))?;
    }
    Ok(Evidence::new(format!("{} texts with predicates, labels and braces", samples.len())))
}

/// Addresses of the instructions of a SASS listing whose opcode begins with `opcode`.
fn addresses(listing: &str, opcode: &str) -> Vec<String> {
    let of_line = |line: &str| {
        let (address, code) = line.trim().strip_prefix("/*")?.split_once("*/")?;
        let mut words = code.split_whitespace().skip_while(|w| w.starts_with('@'));
        words.next()?.starts_with(opcode).then(|| address.to_string())
    };
    listing.lines().filter_map(of_line).collect()
}

fn sass(t: &Trial) -> Outcome {
    let listing = t.text(SASS)?;
    let a = t.answers(ANSWERS)?;
    let plain = |s: String| s.trim_start_matches("0x").trim_start_matches('0').to_ascii_lowercase();
    let loads: Vec<String> = a.texts("loads")?.into_iter().map(plain).collect();
    let given = [
        ("loads", loads),
        ("addition", vec![plain(a.text("addition")?)]),
        ("store", vec![plain(a.text("store")?)]),
    ];
    for ((key, mut found), opcode) in given.into_iter().zip(["LDG", "FADD", "STG"]) {
        let mut want: Vec<String> = addresses(&listing, opcode).into_iter().map(plain).collect();
        want.sort();
        found.sort();
        expect::that(found == want, || format!("{ANSWERS}: {key}: {found:?} is not right"))
            .map_err(|f| f.hint("s"))?;
    }
    Ok(Evidence::new("LDG, LDG, FADD, STG found"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_listing_has_two_loads_one_addition_and_one_store() {
        let listing = include_str!("../../data/vecadd.sass.txt");
        let count = |opcode| addresses(listing, opcode).len();
        assert_eq!((count("LDG"), count("FADD"), count("STG")), (2, 1, 1));
        assert_eq!(addresses(listing, "EXIT").len(), 2);
    }
}
