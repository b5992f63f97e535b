//! Every solution has full marks, however often it is graded, and so has every variant of one.

use std::sync::OnceLock;

use course_tests::{LABS, labs, place, variants};
use grading::report::{Graded, Paint, json, lab_text};
use grading::{Exercise, Host, Lab, LabResult, Options, Points, grade, overlay, region};

use crate::{PROGRAM, SEED, solution_inputs};

/// The host program, with a device of the judge's.
fn judged() -> Host {
    Host::ready(PROGRAM).with_judge(PROGRAM.into(), None)
}

fn grade_solution(lab: &Lab, host: Host) -> LabResult {
    let place = place();
    let work = place.solution_work(lab, host);
    grade(&place, lab, &work, &Options::new(SEED))
}

/// The marks of a lab's solution, graded once for all tests.
fn graded(lab: &Lab) -> &'static LabResult {
    static GRADED: [OnceLock<LabResult>; LABS.len()] = [const { OnceLock::new() }; LABS.len()];
    let k = LABS.iter().position(|one| one.id == lab.id).unwrap();
    GRADED[k].get_or_init(|| grade_solution(lab, judged()))
}

#[test]
fn every_solution_has_full_marks() {
    for lab in labs() {
        let what = format!("solution {}", lab.id);
        let Some(due) = kept::due(&what, solution_inputs(lab)) else { continue };
        let result = graded(lab);
        assert!(result.done(), "{}", lab_text(result, Paint(false), false));
        let points = lab.exercises.iter().map(|e| e.points).sum::<u32>();
        assert_eq!(result.earned, Points::whole(points), "{}", lab.id);
        assert_eq!(points, 100, "{}", lab.id);
        due.passed();
    }
}

/// And so does a device of the judge's, whatever it asks for beyond.
#[test]
fn the_same_seed_gives_the_same_bytes() {
    for lab in labs() {
        let what = format!("solution {} twice", lab.id);
        let Some(due) = kept::due(&what, solution_inputs(lab)) else { continue };
        let first = graded(lab);
        let text = |result| json(&[Graded { name: "solutions".into(), labs: vec![result] }]);
        let (first, second) =
            (text(first.clone()), text(grade_solution(lab, Host::ready(PROGRAM))));
        let differs = first.lines().zip(second.lines()).find(|(a, b)| a != b);
        assert!(first == second, "{}: first difference: {differs:?}", lab.id);
        due.passed();
    }
}

#[test]
fn other_right_ways_have_full_marks() {
    for lab in labs() {
        let what = format!("variants {}", lab.id);
        let Some(due) = kept::due(&what, solution_inputs(lab)) else { continue };
        for variant in variants(lab) {
            let replaced: Vec<&str> =
                lab.files().into_iter().filter(|rel| variant.join(rel).is_file()).collect();
            assert!(!replaced.is_empty(), "{} replaces no file", variant.display());
            let files = replaced
                .iter()
                .map(|rel| (rel.to_string(), overlay::read(&variant, rel).unwrap()))
                .collect();
            let dir = tempfile::tempdir().unwrap();
            let place = place();
            overlay::linked(lab, &place.solution_dir(lab), &files, dir.path()).unwrap();
            let mut work = place.solution_work(lab, judged());
            work.student_dir = dir.path().to_path_buf();
            let touched = |e: &&Exercise| e.files.iter().any(|rel| replaced.contains(rel));
            let only = lab.exercises.iter().filter(touched).collect();
            let result = grade(&place, lab, &work, &Options { only, ..Options::new(SEED) });
            assert!(
                result.done(),
                "{}\n{}",
                variant.display(),
                lab_text(&result, Paint(false), false)
            );
        }
        due.passed();
    }
}

#[test]
fn solution_folders_hold_nothing_but_listed_files_mutants_and_variants() {
    fn below(dir: &std::path::Path, prefix: &str, out: &mut Vec<String>) {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                below(&entry.path(), &format!("{name}/"), out);
            } else {
                out.push(name);
            }
        }
    }
    for lab in labs() {
        let mut files = Vec::new();
        below(&place().solution_dir(lab), "", &mut files);
        // Of a variant, too, only listed files count.
        for file in &mut files {
            if let Some((_, rel)) = file.strip_prefix("variants/").and_then(|f| f.split_once('/')) {
                *file = rel.into();
            }
        }
        files.retain(|f| {
            !f.starts_with("mutants/")
                && !f.starts_with("lazy/")
                && !lab.files().contains(&f.as_str())
        });
        assert!(files.is_empty(), "{}: no exercise lists {}", lab.id, files.join(", "));
    }
}

#[test]
fn regions_are_marked_in_every_file() {
    for lab in labs() {
        for rel in lab.files() {
            let text = overlay::read(&place().solution_dir(lab), rel).unwrap();
            let comment = region::comment_of(rel);
            let regions = region::regions(&text, comment).unwrap_or_else(|e| panic!("{rel}: {e}"));
            assert!(!regions.is_empty(), "{rel} has no region");
        }
    }
}
