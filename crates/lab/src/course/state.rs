//! What the command remembers in `target/lab`: results of the last checks, hints shown, the seed.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{SystemTime, UNIX_EPOCH};

use grading::{Exercise, ExerciseResult, Lab, Points};
use serde::{Deserialize, Serialize};

use super::App;

/// Memory between two calls.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct State {
    /// Last result by exercise id.
    #[serde(default)]
    pub results: BTreeMap<String, Remembered>,
    /// Hints shown by exercise id.
    #[serde(default)]
    pub hints: BTreeMap<String, usize>,
    /// Time spent by exercise id.
    #[serde(default)]
    pub spent: BTreeMap<String, Spent>,
    /// Seed of `grade`, made at the first call.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// The last result of an exercise.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Remembered {
    /// Points.
    pub earned: Points,
    /// All checks passed.
    pub done: bool,
    /// Fingerprint of the files that were checked.
    pub files: u64,
    /// Hints that the findings deserve.
    #[serde(default)]
    pub hints: Vec<String>,
}

/// How long somebody has worked at an exercise, until it was done: the time between one check of it
/// and the next, if that is no longer than a [`BREAK`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Spent {
    /// Seconds.
    pub seconds: u64,
    /// When it was last checked, in seconds since 1970.
    pub last: u64,
    /// It was done; from then on nothing is added.
    pub done: bool,
}

/// Seconds without a check after which nobody is at work.
const BREAK: u64 = 20 * 60;

impl Spent {
    fn checked(&mut self, now: u64, done: bool) {
        if self.done {
            return;
        }
        let since = now.saturating_sub(self.last);
        if self.last > 0 && since <= BREAK {
            self.seconds += since;
        }
        self.last = now;
        self.done = done;
    }
}

/// Where an exercise stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Untouched.
    NotStarted,
    /// Touched, not checked since.
    Changed,
    /// Checked, with points.
    Checked(Points, bool),
}

impl App {
    /// The memory; an unreadable one is empty.
    pub(super) fn state(&self) -> State {
        let text = std::fs::read_to_string(self.place.state_dir().join("state.json"));
        text.ok().and_then(|t| serde_json::from_str(&t).ok()).unwrap_or_default()
    }

    /// Writes the memory.
    pub(super) fn keep(&self, state: &State) -> Result<(), String> {
        let text = serde_json::to_string_pretty(state).map_err(|e| e.to_string())?;
        grading::overlay::replace(&self.place.state_dir().join("state.json"), &(text + "\n"))
    }

    /// Remembers the result of an exercise that somebody is at, and the time.
    pub(crate) fn remember_work(&self, lab: &Lab, result: &ExerciseResult) -> Result<(), String> {
        self.remember(lab, std::slice::from_ref(result))?;
        let mut state = self.state();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        state.spent.entry(result.id.clone()).or_default().checked(now, result.done());
        self.keep(&state)
    }

    /// Remembers results of the student's own work.
    pub(super) fn remember(&self, lab: &Lab, results: &[ExerciseResult]) -> Result<(), String> {
        let mut state = self.state();
        for result in results {
            let Some(exercise) = lab.exercise(&result.id) else { continue };
            let remembered = Remembered {
                earned: result.earned,
                done: result.done(),
                files: self.fingerprint(lab, exercise),
                hints: named(result),
            };
            state.results.insert(result.id.clone(), remembered);
        }
        self.keep(&state)
    }

    /// Tells versions of the exercise's files apart.
    pub(super) fn fingerprint(&self, lab: &Lab, exercise: &Exercise) -> u64 {
        let mut hasher = DefaultHasher::new();
        for rel in exercise.files {
            std::fs::read(self.place.lab_dir(lab).join(rel)).unwrap_or_default().hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Where the student's own work stands.
    pub(super) fn standing(&self, state: &State, lab: &Lab, exercise: &Exercise) -> Standing {
        if self.place.not_started(lab, exercise, &self.place.own_work(lab)) {
            return Standing::NotStarted;
        }
        match state.results.get(exercise.id) {
            Some(r) if r.files == self.fingerprint(lab, exercise) => {
                Standing::Checked(r.earned, r.done)
            }
            _ => Standing::Changed,
        }
    }

    /// The first exercise that is not done.
    pub(super) fn next_exercise(&self) -> Option<(&Lab, &'static Exercise)> {
        self.first_open(&self.exercises().collect::<Vec<_>>())
    }

    /// What to go on with in a lab: its first exercise that is not done, or the course's.
    pub(super) fn open_after(&self, lab: &Lab) -> Option<(&Lab, &'static Exercise)> {
        let here: Vec<_> = self.exercises().filter(|(l, _)| l.id == lab.id).collect();
        let graded: Vec<_> = here.iter().filter(|(_, e)| e.points > 0).copied().collect();
        self.first_open(&graded).or_else(|| self.next_exercise())
    }

    /// The first of these exercises that is not done.
    pub(super) fn first_open<'a>(
        &self,
        exercises: &[(&'a Lab, &'static Exercise)],
    ) -> Option<(&'a Lab, &'static Exercise)> {
        let state = self.state();
        let open = |(lab, e): &&(&Lab, &Exercise)| {
            !matches!(self.standing(&state, lab, e), Standing::Checked(_, true))
        };
        exercises.iter().find(open).copied()
    }
}

/// The hints of the findings, each once.
fn named(result: &ExerciseResult) -> Vec<String> {
    let mut hints: Vec<String> = Vec::new();
    for hint in result.checks.iter().filter_map(|c| c.hint.as_ref()) {
        if !hints.contains(hint) {
            hints.push(hint.clone());
        }
    }
    hints
}

/// A seed that nobody could have known.
pub(super) fn fresh_seed() -> u64 {
    // Nine digits: long enough to be fresh, short enough to be typed.
    rand::random_range(100_000_000..1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_between_checks_counts_until_it_is_done_and_breaks_do_not() {
        let mut spent = Spent::default();
        for (now, done) in [(1000, false), (1060, false), (9000, false), (9100, true), (9200, true)]
        {
            spent.checked(now, done);
        }
        assert_eq!((spent.seconds, spent.done), (160, true));
    }
}
