//! Exercises: the checks of `cargo lab run`, with its texts, over files in memory.

use std::path::PathBuf;

use figures::base64;
use grading::report::{Graded, Paint, exercise_text, first_finding, json};
use grading::{
    Class, Counts, Exercise, Finding, Host, Lab, LabResult, Options, Picture, Place, Verdict,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use simt::files::Files;

/// Characters in a line of the texts.
const COLUMNS: usize = 90;

/// What to check.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// Lab, such as `lab1`.
    pub lab: String,
    /// Exercise, such as `1.1.3`.
    pub exercise: String,
    /// Seed of the random inputs.
    pub seed: u64,
    /// The lab's files, by their path in the course: the student's, what the course gives, and the
    /// skeletons in `.skeleton`.
    pub files: Vec<(String, String)>,
}

/// The result of an exercise, the texts of `cargo lab run`, and the bytes that
/// `cargo lab grade --json` writes.
///
/// # Errors
/// There is no such exercise.
pub fn grade(labs: &'static [Lab], request: Request) -> Result<Value, String> {
    let (lab, exercise) = find(labs, &request)?;
    let files = request.files.into_iter().map(|(path, text)| (PathBuf::from(path), text));
    let place = Place::in_memory(Files::memory(files));
    let work = place.work_with(lab, Host::missing(no_host(exercise)));
    let options = Options { only: vec![exercise], ..Options::new(request.seed) };
    Ok(answer(grading::grade(&place, lab, &work, &options), &work.counts))
}

/// A result with the texts that people and programs get of it, and what the checks' launches have
/// counted by kernel.
pub fn answer(result: LabResult, counts: &Counts) -> Value {
    let elsewhere = result
        .exercises
        .iter()
        .flat_map(|e| &e.checks)
        .filter(|c| matches!(&c.verdict, Verdict::Fail(f) if f.class == Class::Elsewhere));
    let elsewhere = elsewhere.count();
    let mut drawn = Map::new();
    for check in result.exercises.iter().flat_map(|e| &e.checks) {
        drawn.insert(check.name.clone(), pictures(&check.verdict).into());
    }
    let texts = result.exercises.iter().map(|e| {
        let all = exercise_text(e, Paint(false), usize::MAX);
        (first_finding(e, Paint(false), COLUMNS), all)
    });
    let (first, all): (Vec<_>, Vec<_>) = texts.unzip();
    let graded = Graded { name: "own work".into(), labs: vec![result.clone()] };
    json!({
        "result": result,
        "elsewhere": elsewhere,
        "pictures": drawn,
        "first": first.concat(),
        "all": all.concat(),
        "json": json(&[graded]),
        "counts": counts.by_kernel(),
    })
}

/// The pictures of a check, each with its words: what was drawn by a kernel, and the worst request.
fn pictures(verdict: &Verdict) -> Vec<Value> {
    let (drawn, drawings): (Vec<&Picture>, Vec<String>) = match verdict {
        Verdict::Pass(seen) => (seen.pictures.iter().collect(), seen.drawings.clone()),
        Verdict::Fail(finding) => (
            finding.picture.as_deref().into_iter().collect(),
            finding.request.iter().map(|request| request.svg()).collect(),
        ),
    };
    let source = |kind: &str, base64: &str| format!("data:{kind};base64,{base64}");
    let pixels = drawn.into_iter().map(
        |picture| json!({ "words": picture.title, "source": source("image/png", &picture.png) }),
    );
    let drawings = drawings.into_iter().map(|svg| {
        let words = "lanes and what they touch, as in the details";
        json!({ "words": words, "source": source("image/svg+xml", &base64(svg.as_bytes())) })
    });
    pixels.chain(drawings).collect()
}

fn find(
    labs: &'static [Lab],
    request: &Request,
) -> Result<(&'static Lab, &'static Exercise), String> {
    let lab = labs.iter().find(|lab| lab.is_called(&request.lab));
    let lab = lab.ok_or_else(|| format!("there is no lab {} here", request.lab))?;
    let exercise = lab.exercise(&request.exercise);
    let exercise = exercise.ok_or_else(|| format!("{} has no {}", lab.id, request.exercise))?;
    Ok((lab, exercise))
}

/// Why host code does not run here.
fn no_host(exercise: &Exercise) -> Finding {
    exercise.elsewhere("runs your host code, which a browser cannot")
}
