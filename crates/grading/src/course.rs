//! What a course is made of: labs, exercises, checks. Plain data that a lab's `checks` crate writes
//! down once.

use crate::trial::{Subject, elsewhere, number};
use crate::{Finding, Outcome, Source, Trial, Work};

/// One lab of the course.
#[derive(Clone, Copy, Debug)]
pub struct Lab {
    /// Short name that commands take, such as `lab1`.
    pub id: &'static str,
    /// Cargo package and folder of the lab, such as `lab1-cuda-intro`.
    pub package: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// Program of the package that runs the student's host code for the judge, such as `lab1-host`.
    pub host_bin: &'static str,
    /// Package and program of the judge's device, if host code needs more of it than the driver:
    /// libraries.
    pub device: Option<(&'static str, &'static str)>,
    /// By key of an exercise: what is nearly the line to be written, the last of the hints for
    /// whoever has nothing yet.
    pub nearly: &'static [(&'static str, &'static str)],
    /// Exercises in the order in which they are to be solved; their points add up to 100.
    pub exercises: &'static [Exercise],
    /// Handlers whose results do not come from the device as they are, by name or by the key of
    /// their exercise; the empty name means all. All others are the [device's](Source::Device).
    pub sources: &'static [(&'static str, Source)],
    /// Keys of exercises of which a browser can check nothing although there is more to them than
    /// host code: files that are compiled on disk, kernels that are looked at only as the student's
    /// program launches them.
    pub elsewhere: &'static [&'static str],
}

/// One exercise.
#[derive(Clone, Copy, Debug)]
pub struct Exercise {
    /// Name for people, such as `L1-1.1.3`.
    pub id: &'static str,
    /// Name of its files, such as `e1_1_03`.
    pub key: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// Points for full marks.
    pub points: u32,
    /// Files that the student edits, relative to the lab's folder. Nothing else of a submission is
    /// read.
    pub files: &'static [&'static str],
    /// What to do, in one sentence: shown while the student's regions still equal the skeleton.
    pub todo: &'static str,
    /// Hints for mistakes: id (that of the mutant it answers) and text. A check's finding names
    /// one.
    pub hints: &'static [(&'static str, &'static str)],
    /// Checks in the order in which they are shown.
    pub checks: &'static [Check],
}

/// One check of an exercise.
#[derive(Clone, Copy)]
pub struct Check {
    /// Short name, such as `guard`; unique in its exercise.
    pub name: &'static str,
    /// What it checks, one line.
    pub what: &'static str,
    /// Share of the exercise's points: its weight over the sum of all weights.
    pub weight: u32,
    /// The check itself.
    pub run: fn(&Trial) -> Outcome,
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Check").field("name", &self.name).field("weight", &self.weight).finish()
    }
}

impl Lab {
    /// True if an exercise of this lab has a check that runs in a browser.
    pub const fn in_browser(&self, exercise: &Exercise) -> bool {
        let mut k = 0;
        while k < self.elsewhere.len() {
            if same(self.elsewhere[k].as_bytes(), exercise.key.as_bytes()) {
                return false;
            }
            k += 1;
        }
        exercise.has_kernel()
    }

    /// True if `name` is the lab's short name or its package.
    pub fn is_called(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case(self.id) || name == self.package
    }

    /// The exercise that `name` means: `1.1.3`, `L1-1.1.3` or `e1_1_03`.
    pub fn exercise(&self, name: &str) -> Option<&'static Exercise> {
        self.exercises.iter().find(|e| e.is_called(name))
    }

    /// What is nearly the line to be written in an exercise, if somebody has put it into words.
    pub fn nearly(&self, exercise: &Exercise) -> Option<&'static str> {
        self.nearly.iter().find(|(key, _)| *key == exercise.key).map(|(_, text)| *text)
    }

    /// Every student-editable file of the lab, sorted, each once.
    pub fn files(&self) -> Vec<&'static str> {
        let mut files: Vec<_> =
            self.exercises.iter().flat_map(|e| e.files.iter().copied()).collect();
        files.sort_unstable();
        files.dedup();
        files
    }
}

/// Equality of texts while the program is compiled.
const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut k = 0;
    while k < a.len() && k < b.len() && a[k] == b[k] {
        k += 1;
    }
    k == a.len() && k == b.len()
}

impl Exercise {
    /// Section number without the lab: `1.1.3`.
    pub fn number(&self) -> &'static str {
        number(self.id)
    }

    /// True if `name` is the id, the section number or the key.
    pub fn is_called(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case(self.id) || name == self.number() || name == self.key
    }

    /// True if its files are more than host code and the answers to its questions, or answers only.
    const fn has_kernel(&self) -> bool {
        let (mut k, mut kernels, mut answers) = (0, 0, 0);
        while k < self.files.len() {
            match self.files[k].as_bytes() {
                [b'a', b'n', b's', b'w', b'e', b'r', b's', b'/', ..] => answers += 1,
                [.., b'.', b'r', b's'] => {}
                _ => kernels += 1,
            }
            k += 1;
        }
        kernels > 0 || answers == self.files.len()
    }

    /// Says that a check of it cannot run here, and how it can: `what` goes on after "this check".
    pub fn elsewhere(&self, what: &str) -> Finding {
        elsewhere(self.number(), what)
    }

    /// The text of a hint: the exercise's own, else the common one of that id.
    pub fn hint(&self, id: &str) -> Option<&'static str> {
        let own = self.hints.iter().find(|(own, _)| *own == id).map(|(_, text)| *text);
        own.or_else(|| crate::hints::common(id))
    }
}

impl Trial {
    /// A trial of `check` of `exercise` on `work`.
    pub fn new(lab: &Lab, exercise: &Exercise, check: &str, work: &Work, seed: u64) -> Trial {
        let subject = Subject { id: exercise.id, files: lab.files(), sources: lab.sources };
        Trial::of(subject, check, work, seed)
    }
}
