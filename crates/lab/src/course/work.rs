//! The student's loop: run, watch, hint.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use grading::report::exercise_text;
use grading::{Exercise, Lab, Options, Work, grade};

use super::state::fresh_seed;
use super::{App, say};

/// How often `watch` looks at the files.
const POLL: Duration = Duration::from_millis(200);

impl App {
    /// Checks one exercise; exit code 1 if a check fails.
    pub(super) fn run_exercise(
        &self,
        name: Option<&str>,
        seed: Option<u64>,
        out: &mut dyn Write,
    ) -> Result<u8, String> {
        let Some((lab, exercise)) = self.exercise_or_next(name)? else { return all_done(out) };
        let done = self.check(lab, exercise, seed.unwrap_or_else(fresh_seed), out)?;
        if done && let Some((_, next)) = self.next_exercise() {
            say(out, &format!("Next: cargo lab run {}   {}\n", next.number(), next.title))?;
        }
        Ok(u8::from(!done))
    }

    /// Checks one exercise of the student's own work, prints and remembers the result; true with full marks.
    fn check(
        &self,
        lab: &Lab,
        exercise: &'static Exercise,
        seed: u64,
        out: &mut dyn Write,
    ) -> Result<bool, String> {
        let options = Options { only: vec![exercise], ..Options::new(seed) };
        let host = self.place.own_host(lab).on_device_at_hand();
        let work = Work { host: Arc::new(host), ..self.place.own_work(lab) };
        let result = grade(&self.place, lab, &work, &options);
        self.remember(lab, &result.exercises)?;
        for exercise in &result.exercises {
            say(out, &exercise_text(exercise, self.paint, true))?;
        }
        if result.done() {
            return Ok(true);
        }
        let number = exercise.number();
        let again =
            format!("(seed {seed}; the same inputs again: cargo lab run {number} --seed {seed})\n");
        say(out, &self.paint.faint(&again))?;
        Ok(false)
    }

    /// Checks an exercise now and whenever one of its files is saved. Without a name it goes on to the next exercise
    /// when one is done.
    pub(super) fn watch(
        &self,
        name: Option<&str>,
        runs: Option<usize>,
        out: &mut dyn Write,
    ) -> Result<u8, String> {
        let mut left = runs.unwrap_or(usize::MAX);
        loop {
            let Some((lab, exercise)) = self.exercise_or_next(name)? else { return all_done(out) };
            loop {
                let before = self.times(lab, exercise);
                let done = self.check(lab, exercise, fresh_seed(), out)?;
                left = left.saturating_sub(1);
                if left == 0 {
                    return Ok(u8::from(!done));
                }
                if done && name.is_none() {
                    break;
                }
                let files: Vec<&str> = exercise.files.to_vec();
                let note = format!("Waiting for a save of {} (Ctrl-C ends)\n\n", files.join(", "));
                say(out, &self.paint.faint(&note))?;
                out.flush().map_err(|e| format!("output: {e}"))?;
                while self.times(lab, exercise) == before {
                    std::thread::sleep(POLL);
                }
            }
        }
    }

    /// When the exercise's files and the lab's kernels, which they may include, were last saved.
    fn times(&self, lab: &Lab, exercise: &Exercise) -> BTreeMap<PathBuf, Option<SystemTime>> {
        let dir = self.place.lab_dir(lab);
        let time = |path: &Path| std::fs::metadata(path).and_then(|m| m.modified()).ok();
        let mut times: BTreeMap<PathBuf, Option<SystemTime>> = exercise
            .files
            .iter()
            .map(|rel| dir.join(rel))
            .map(|path| (path.clone(), time(&path)))
            .collect();
        for entry in std::fs::read_dir(dir.join("kernels")).into_iter().flatten().flatten() {
            times.insert(entry.path(), time(&entry.path()));
        }
        times
    }

    /// Shows the hints so far and one more.
    pub(super) fn hint(&self, name: Option<&str>, out: &mut dyn Write) -> Result<u8, String> {
        let Some((lab, exercise)) = self.exercise_or_next(name)? else { return all_done(out) };
        let mut hints = vec![exercise.todo];
        hints.extend(exercise.hints.iter().map(|(_, text)| *text));
        let mut state = self.state();
        let shown = state.hints.entry(exercise.id.to_string()).or_insert(0);
        *shown = (*shown + 1).min(hints.len());
        let mut text = format!("{}  {}\n", self.paint.strong(exercise.id), exercise.title);
        for (k, hint) in hints.iter().take(*shown).enumerate() {
            text += &format!("  {} {hint}\n", self.paint.note(&format!("{}.", k + 1)));
        }
        text += &if *shown < hints.len() {
            format!("  ({} more: call again)\n", hints.len() - *shown)
        } else {
            format!(
                "  That is all; {}/README.md, section {}, has the rest.\n",
                lab.package,
                exercise.number()
            )
        };
        self.keep(&state)?;
        say(out, &text)?;
        Ok(0)
    }
}

fn all_done(out: &mut dyn Write) -> Result<u8, String> {
    say(out, super::status::ALL_DONE)?;
    Ok(0)
}
