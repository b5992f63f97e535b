//! Checks of exercise 1.1.11: the compilation path.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect, trace};
use serde_json::json;
use simt::compile::{CompileOptions, front_end};

use crate::ptx::{self, Extras, Sample};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.11",
    key: "e1_1_11",
    title: "The compilation path",
    points: 5,
    files: &["src/e1_1_11.rs", ANSWERS],
    todo: "Write ptx_entries and ptx_target in src/e1_1_11.rs, look at the stages of a kernel, \
        fill in answers/e1_1_11.toml.",
    hints: &[
        ("b", "there may be several entries"),
        ("c", "the name ends before `(`"),
        ("d", ".func is not a kernel"),
        ("a", "strip comments first"),
        (
            "s",
            "`cargo lab compile` names the stage in which each file is made; the handout has the \
             table",
        ),
    ],
    checks: &[
        Check { name: "entries", what: "names of the kernels", weight: 2, run: entries },
        Check { name: "target", what: ".version and .target", weight: 1, run: target },
        Check { name: "mangled", what: "C++ names and CR LF", weight: 1, run: mangled },
        Check { name: "comments", what: ".entry in comments", weight: 1, run: comments },
        Check { name: "empty", what: "texts without kernels", weight: 1, run: empty },
        Check { name: "answers", what: "which stage does what", weight: 2, run: answers },
    ],
};

const ANSWERS: &str = "answers/e1_1_11.toml";

fn ask(t: &Trial, texts: &[&str]) -> Result<Vec<Vec<String>>, Finding> {
    trace::list(&t.call("e1_1_11.entries", &json!(texts))?, texts.len())
}

/// Compares the names found in one text; a known mistake is called by its name.
fn compare(what: &str, text: &str, got: &[String], want: &[String]) -> Result<(), Finding> {
    if got == want {
        return Ok(());
    }
    let extra = |name: &&String| !want.contains(name);
    // A name that follows `.entry` in the text, though not in the code, was taken from a comment.
    let in_comment = |name: &String| {
        let mut places =
            text.match_indices(".entry").map(|(at, word)| text[at + word.len()..].trim_start());
        let name = name.trim_matches(['(', ' ']);
        name.is_empty() || name.starts_with("/*") || places.any(|after| after.starts_with(name))
    };
    let hint = match got.iter().find(extra) {
        Some(name) if want.iter().any(|w| name.trim_start().starts_with(w.as_str())) => Some("c"),
        Some(name) if in_comment(name) => Some("a"),
        Some(_) => Some("d"),
        None if !got.is_empty() && got.len() < want.len() => Some("b"),
        None => None,
    };
    let finding = Finding::wrong(format!("{what}: expected {want:?}, got {got:?}"));
    Err(match hint {
        Some(hint) => finding.hint(hint),
        None => finding,
    })
}

fn names(sample: &Sample) -> Vec<String> {
    sample.kernels.iter().map(|(name, _)| name.clone()).collect()
}

/// Committed files, then made-up texts.
fn check_entries(t: &Trial, files: &[&str], extras: Extras) -> Outcome {
    let mut rng = t.rng();
    let mut cases = Vec::new();
    for file in files {
        let text = t.text(file)?;
        let want = ptx::kernels(&text).into_iter().map(|(name, _)| name).collect();
        cases.push((file.to_string(), text, want));
    }
    for _ in 0..4 {
        let sample = ptx::sample(&mut rng, 3, extras);
        let want = names(&sample);
        cases.push(("a made-up text".to_string(), sample.text, want));
    }
    let texts: Vec<&str> = cases.iter().map(|(_, text, _)| text.as_str()).collect();
    let got = ask(t, &texts)?;
    expect::same("replies", &got.len(), &cases.len())?;
    for ((what, text, want), got) in cases.iter().zip(&got) {
        compare(what, text, got, want)?;
    }
    let shown: Vec<String> =
        cases.iter().take(files.len()).map(|(f, _, w)| format!("{f}: {}", w.join(", "))).collect();
    Ok(Evidence::new(format!(
        "{}; and {} made-up texts",
        shown.join("; "),
        cases.len() - files.len()
    )))
}

fn entries(t: &Trial) -> Outcome {
    let extras = Extras { functions: true, ..Extras::default() };
    check_entries(t, &["data/vecadd.ptx", "data/julia.ptx"], extras)
}

fn target(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let extras = |i: u32| Extras { comments: i % 2 == 1, crlf: i > 1, ..Extras::default() };
    let samples: Vec<Sample> = (0..4).map(|i| ptx::sample(&mut rng, 1, extras(i))).collect();
    let vecadd = t.text("data/vecadd.ptx")?;
    let listed = ".version 8.2\n.target sm_80, debug\n".to_string();
    let remark = format!("/* was .version 1.0 and .target sm_10 */\n{listed}");
    let no_version = samples[0].text.replacen(".version", ".vers", 1);
    let no_target = samples[0].text.replacen(".target", ".tar", 1);
    let pair = |v: &str, t: &str| Some((v.to_string(), t.to_string()));
    let mut cases = vec![
        ("data/vecadd.ptx", vecadd, pair("8.2", "sm_75")),
        ("`.target sm_80, debug`", listed, pair("8.2", "sm_80")),
        ("a comment that names both", remark, pair("8.2", "sm_80")),
        ("a text without .version", no_version, None),
        ("a text without .target", no_target, None),
        ("an empty text", String::new(), None),
    ];
    let made_up = samples.into_iter().map(|s| ("a made-up text", s.text, Some(s.target)));
    cases.extend(made_up);
    let texts: Vec<&String> = cases.iter().map(|(_, text, _)| text).collect();
    let got: Vec<Option<(String, String)>> =
        trace::list(&t.call("e1_1_11.target", &json!(texts))?, texts.len())?;
    for ((what, text, want), got) in cases.iter().zip(&got) {
        expect::same(what, got, want).map_err(|f| {
            let from_comment =
                text.contains(".version 1.0") && got.as_ref().is_some_and(|g| g.0 == "1.0");
            if from_comment { f.hint("a") } else { f }
        })?;
    }
    Ok(Evidence::new(format!("{} texts, with and without both directives", cases.len())))
}

fn mangled(t: &Trial) -> Outcome {
    check_entries(t, &["data/mangled.ptx"], Extras { crlf: true, ..Extras::default() })
}

fn comments(t: &Trial) -> Outcome {
    check_entries(t, &["data/mangled.ptx"], Extras { comments: true, ..Extras::default() })
}

fn empty(t: &Trial) -> Outcome {
    let texts = [
        "",
        "\n\n",
        ".version 8.2\n.target sm_75\n",
        "// .entry k(\n",
        "/* .entry k(\n",
        ".func f()\n{\n\tret;\n}\n",
    ];
    for (text, got) in texts.iter().zip(ask(t, &texts)?) {
        compare(&format!("{text:?}"), text, &got, &[])?;
    }
    // A function that never finds anything is not right either.
    let sample = ptx::sample(&mut t.rng(), 1, Extras::default());
    compare("a text with one kernel", &sample.text, &ask(t, &[&sample.text])?[0], &names(&sample))?;
    Ok(Evidence::new(format!("{} texts without kernels", texts.len())))
}

fn answers(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    // The front end must really be the stage that refuses an undeclared name.
    let source = "extern \"C\" __global__ void k(int *c) { c[0] = undeclared; }";
    let options = CompileOptions { file: "undeclared.cu".into(), ..CompileOptions::default() };
    let refused = front_end(source, &options).is_err();
    expect::that(refused, || "the front end accepts an undeclared name".into())
        .map_err(|f| Finding::grader(f.message))?;
    let truth = [
        ("undeclared_name", "front end"),
        ("registers", "ptx assembler"),
        ("cubin_90_on_80", "differs between major versions"),
        ("ptx_80_on_90", "yes"),
    ];
    a.choices(&truth, "s")?;
    Ok(Evidence::new("stages and tools told apart"))
}
