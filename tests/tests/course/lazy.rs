//! What could be handed in without doing the exercise earns little: constants, the processor in
//! place of the device, given code copied, one thread for all, answers by guessing.

use course_tests::{idle, labs, lazy};
use grading::report::{Paint, lab_text};
use grading::{Options, grade};

use crate::mutants::{each, of_all_labs};
use crate::{PROGRAM, SEED};

/// Of an exercise's points, in percent, what a lazy submission stays below.
const LIMIT: u64 = 40;

#[test]
fn lazy_submissions_stay_below_their_limit() {
    each("lazy submissions", &of_all_labs(lazy), |(lab, one)| {
        let said = |why: String| format!("{} ({}): {why}", one.exercise, one.id);
        let dir = tempfile::tempdir().map_err(|e| said(e.to_string()))?;
        let work = idle(lab, one, dir.path(), PROGRAM.into()).map_err(said)?;
        let inputs = crate::inputs(&work).path(&course_tests::place().solution_dir(lab));
        let what = format!("lazy {}", one.name());
        let Some(due) = kept::due(&what, inputs) else { return Ok(()) };
        let only = vec![lab.exercise(&one.exercise).ok_or("there is no such exercise")?];
        let options = Options { only, force: true, jobs: 1, ..Options::new(SEED) };
        let result = grade(&course_tests::place(), lab, &work, &options);
        // A skeleton with another comment is no work at all.
        let limit = if one.id == "touched" { 0 } else { LIMIT };
        // An exercise without points, as a new one is, gives none.
        let limit = (result.points.0 * limit).max(1);
        if result.grader_at_fault() || result.earned.0 * 100 >= limit {
            return Err(said(lab_text(&result, Paint(false), true)));
        }
        due.passed();
        Ok(())
    });
}

#[test]
fn every_exercise_with_points_has_a_skeleton_and_a_lazy_submission() {
    for lab in labs() {
        let submissions = lazy(lab).unwrap();
        let tried = |key: &str, touched: bool| {
            submissions.iter().any(|one| one.key == key && (one.id == "touched") == touched)
        };
        let both = |key: &str| tried(key, true) && tried(key, false);
        let without: Vec<&str> =
            lab.exercises.iter().filter(|e| e.points > 0 && !both(e.key)).map(|e| e.id).collect();
        assert!(without.is_empty(), "{}: nobody tried {}", lab.id, without.join(", "));
    }
}
