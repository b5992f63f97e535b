//! What the pages show of the course: exercises with their handouts, hints and files, as JSON.

use std::collections::BTreeMap;
use std::path::Path;

use grading::{Exercise, Lab};
use serde_json::{Value, json};

use crate::course::App;
use crate::course::handout::section;

/// Folders of a lab whose files checks read, beside those that the student edits.
const GIVEN: [&str; 4] = ["answers", "data", "debug", "kernels"];
/// Largest file that goes into a page.
const MOST: u64 = 256 << 10;

/// Which of a lab's exercises are shown.
pub(super) type Chosen = fn(&Lab, &Exercise) -> bool;

/// The list of labs and exercises.
pub(super) fn index(labs: &[Lab], chosen: Chosen) -> Value {
    let lab = |lab: &Lab| {
        let exercises = lab
            .exercises
            .iter()
            .filter(|e| chosen(lab, e))
            .map(|e| json!({ "id": e.id, "key": e.key, "title": e.title, "points": e.points }));
        json!({
            "id": lab.id,
            "package": lab.package,
            "title": lab.title,
            "exercises": exercises.collect::<Vec<_>>(),
        })
    };
    labs.iter().map(lab).collect()
}

/// A lab with all that its exercises need. `fresh` takes the skeletons in place of the files at
/// hand.
///
/// # Errors
/// A skeleton that cannot be read.
pub(super) fn lab(app: &App, lab: &Lab, chosen: Chosen, fresh: bool) -> Result<Value, String> {
    let dir = app.place.lab_dir(lab);
    let handout = std::fs::read_to_string(dir.join("README.md")).unwrap_or_default();
    let mut files = BTreeMap::new();
    for folder in GIVEN {
        collect(&dir, folder, &mut files);
    }
    let mut skeletons = BTreeMap::new();
    for rel in lab.files() {
        let skeleton = app.place.skeleton(lab, rel)?;
        let own = std::fs::read_to_string(dir.join(rel)).ok().filter(|_| !fresh);
        files.insert(rel.to_string(), own.unwrap_or_else(|| skeleton.clone()));
        skeletons.insert(rel, skeleton);
    }
    let exercise = |e: &Exercise| {
        json!({
            "id": e.id,
            "key": e.key,
            "title": e.title,
            "points": e.points,
            "todo": e.todo,
            "files": e.files,
            "handout": section(&handout, e.number()).unwrap_or_default(),
            "hints": app.steps(lab, e),
        })
    };
    let exercises = lab.exercises.iter().filter(|e| chosen(lab, e)).map(exercise);
    Ok(json!({
        "id": lab.id,
        "package": lab.package,
        "title": lab.title,
        "pictures": format!("course/{}/", lab.package),
        "exercises": exercises.collect::<Vec<_>>(),
        "files": files,
        "skeletons": skeletons,
    }))
}

/// The text files of a folder and of those in it.
fn collect(root: &Path, folder: &str, out: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let rel = format!("{folder}/{name}");
        match entry.metadata() {
            Ok(about) if about.is_dir() => collect(root, &rel, out),
            Ok(about) if about.len() <= MOST => {
                if let Ok(text) = std::fs::read_to_string(entry.path()) {
                    out.insert(rel, text);
                }
            }
            _ => {}
        }
    }
}
