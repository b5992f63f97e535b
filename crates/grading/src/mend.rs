//! A mistake costs what it touches: a file that does not compile gives way to its skeleton, and the
//! rest counts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::{Class, Finding};

/// Time for a compilation that tries one file.
const TRY: Duration = Duration::from_secs(30);

/// A way to compile one submission's host code.
pub struct Mender<'a> {
    /// Folder of the lab in the compiler's messages.
    pub package: &'a str,
    /// Puts a file into the workspace: the student's own (`true`) or the skeleton.
    pub put: &'a dyn Fn(&str, bool) -> Result<(), String>,
    /// Compiles, each crate within the time; how much time it took.
    pub build: &'a dyn Fn(Duration) -> (Result<PathBuf, Finding>, Duration),
}

/// The program, or why there is none; and why files were left out, by file.
pub type Mended = (Result<PathBuf, Finding>, BTreeMap<String, String>);

impl Mender<'_> {
    /// Compiles the host code with as many of the student's own `files` as compile, within `time`
    /// or a little more.
    pub fn build(&self, files: &[String], time: Duration) -> Mended {
        let mut notes = BTreeMap::new();
        let mut left = time;
        let program = self.try_all(files, &mut left, &mut notes);
        (program, notes)
    }

    fn try_all(
        &self,
        files: &[String],
        left: &mut Duration,
        notes: &mut BTreeMap<String, String>,
    ) -> Result<PathBuf, Finding> {
        let mut own: Vec<&String> = files.iter().collect();
        loop {
            // The rest is for the files one by one.
            let failed = match self.compile(*left * 2 / 3, left) {
                Err(failed) if failed.class != Class::GraderFault && !own.is_empty() => failed,
                ended => return ended,
            };
            let named: Vec<&String> = self.named(&failed, &own);
            if named.is_empty() {
                return self.one_by_one(&own, left, notes);
            }
            own.retain(|rel| !named.contains(rel));
            for rel in named {
                self.give_way(rel, &failed, notes)?;
            }
        }
    }

    /// No file is named by the compiler: each is added to those that compile.
    fn one_by_one(
        &self,
        own: &[&String],
        left: &mut Duration,
        notes: &mut BTreeMap<String, String>,
    ) -> Result<PathBuf, Finding> {
        for rel in own {
            (self.put)(rel, false).map_err(Finding::grader)?;
        }
        let mut good = None;
        for rel in own {
            (self.put)(rel, true).map_err(Finding::grader)?;
            let time = (*left).min(TRY);
            let late = || Finding::new(Class::NotGradable, "no time was left to compile it");
            match if time.is_zero() { Err(late()) } else { self.compile(time, left) } {
                Ok(program) => good = Some(program),
                Err(failed) if failed.class == Class::GraderFault => return Err(failed),
                Err(failed) => {
                    good = None;
                    self.give_way(rel, &failed, notes)?;
                }
            }
        }
        good.map_or_else(|| self.compile((*left).max(TRY), left), Ok)
    }

    /// Compiles within `time`; what it took is not `left` any more.
    fn compile(&self, time: Duration, left: &mut Duration) -> Result<PathBuf, Finding> {
        let (built, took) = (self.build)(time);
        *left = left.saturating_sub(took);
        built
    }

    fn give_way(
        &self,
        rel: &str,
        failed: &Finding,
        notes: &mut BTreeMap<String, String>,
    ) -> Result<(), Finding> {
        (self.put)(rel, false).map_err(Finding::grader)?;
        let why = failed.message.trim_start_matches("the host code does not compile: ");
        let note = format!("{rel} does not compile: {why}\n{}", failed.details);
        notes.insert(rel.to_string(), note);
        Ok(())
    }

    /// Those of `own` in which the compiler's errors are.
    fn named<'f>(&self, failed: &Finding, own: &[&'f String]) -> Vec<&'f String> {
        let mut named: Vec<&String> = Vec::new();
        let mut in_error = false;
        for line in failed.details.lines() {
            if line.starts_with("error") || line.starts_with("warning") {
                in_error = line.starts_with("error");
            }
            let Some(place) = line.trim_start().strip_prefix("--> ").filter(|_| in_error) else {
                continue;
            };
            in_error = false;
            let rel = place
                .rsplitn(3, ':')
                .last()
                .and_then(|path| path.strip_prefix(self.package)?.strip_prefix('/'));
            let found = own.iter().find(|own| rel == Some(own.as_str()));
            named.extend(found.filter(|found| !named.contains(found)).copied());
        }
        named
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use super::*;

    /// Builds if none of `bad` is in place. With `told` the compiler names the first of them.
    fn mended(bad: &[&str], told: bool) -> (bool, Vec<String>, usize) {
        mended_within(Duration::from_secs(100), bad, told)
    }

    /// The same; each build takes ten seconds.
    fn mended_within(time: Duration, bad: &[&str], told: bool) -> (bool, Vec<String>, usize) {
        let files = ["src/a.rs", "src/b.rs", "src/c.rs"].map(String::from);
        let there: RefCell<BTreeSet<String>> = RefCell::new(files.iter().cloned().collect());
        let builds = RefCell::new(0);
        let mender = Mender {
            package: "labx",
            put: &|rel, own| {
                let mut there = there.borrow_mut();
                if own {
                    there.insert(rel.into())
                } else {
                    there.remove(rel)
                };
                Ok(())
            },
            build: &|_| {
                *builds.borrow_mut() += 1;
                let there = there.borrow();
                let took = Duration::from_secs(10);
                let Some(first) = bad.iter().find(|rel| there.contains(**rel)) else {
                    return (Ok("program".into()), took);
                };
                let place = if told { first } else { "src/given.rs" };
                let why = Finding::new(
                    Class::NotGradable,
                    "the host code does not compile: error: no",
                )
                .details(format!(
                    "warning: w\n --> labx/src/c.rs:1:1\n\nerror: no\n --> labx/{place}:2:5\n"
                ));
                (Err(why), took)
            },
        };
        let (program, notes) = mender.build(&files, time);
        for (rel, note) in &notes {
            let late = format!("{rel} does not compile: no time was left to compile it\n");
            let start = format!("{rel} does not compile: error: no\n");
            assert!(note.starts_with(&start) || *note == late, "{note}");
        }
        (program.is_ok(), notes.into_keys().collect(), builds.into_inner())
    }

    #[test]
    fn only_what_does_not_compile_gives_way() {
        let out = |bad: &[&str], told| mended(bad, told);
        assert_eq!(out(&[], true), (true, vec![], 1));
        assert_eq!(out(&["src/b.rs"], true), (true, vec!["src/b.rs".into()], 2));
        let two: Vec<String> = vec!["src/a.rs".into(), "src/b.rs".into()];
        assert_eq!(out(&["src/a.rs", "src/b.rs"], true), (true, two.clone(), 3));
        assert_eq!(out(&["src/a.rs", "src/b.rs"], false), (true, two, 4));
        // The last file that is tried does not compile: those before it are compiled again.
        assert_eq!(out(&["src/c.rs"], false), (true, vec!["src/c.rs".into()], 5));
    }

    #[test]
    fn the_time_is_that_of_the_compilations() {
        let all: Vec<String> = ["src/a.rs", "src/b.rs", "src/c.rs"].map(String::from).into();
        let within = |seconds| mended_within(Duration::from_secs(seconds), &["src/a.rs"], false);
        assert_eq!(within(40), (true, all[..1].to_vec(), 4));
        // One for all, one each for the first two; then nothing is left.
        assert_eq!(within(30), (true, vec!["src/a.rs".into(), "src/c.rs".into()], 4));
        assert_eq!(within(10), (true, all, 2));
    }
}
