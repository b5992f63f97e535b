//! The student's mirror: the judge's checks as libtest tests of the lab's own package.
//!
//! It is a convenience: a process that runs student code beside the tests could pretend anything.
//! The judge is `cargo lab grade`.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::{Host, Lab, Place, Trial, Verdict, Work, runner};

/// Seed of the inputs; `LAB_SEED` gives another.
const SEED: u64 = 1;

/// A module per exercise with a test per check:
/// `mirror!(LAB, env!("CARGO_BIN_EXE_lab1-host"), { e1_1_01: [five, sums], e1_1_02: [counts] });`.
///
/// With the lab's feature `solutions` the same tests look at the reference solutions.
#[macro_export]
macro_rules! mirror {
    ($lab:expr, $host:expr, { $($key:ident: [$($check:ident),+ $(,)?]),* $(,)? }) => {
        #[allow(dead_code)] // in a lab that has no exercise yet
        const MIRROR: $crate::mirror::Mirror = $crate::mirror::Mirror {
            lab: &$lab,
            table: &[$((stringify!($key), &[$(stringify!($check)),+])),*],
            folder: env!("CARGO_MANIFEST_DIR"),
            host: $host,
            solutions: cfg!(feature = "solutions"),
        };
        $(
            mod $key {
                $(
                    #[test]
                    fn $check() -> Result<(), $crate::mirror::Failure> {
                        super::MIRROR.run(stringify!($key), stringify!($check))
                    }
                )+
            }
        )*
    };
}

/// A lab's checks and the files that they look at; [`mirror!`](crate::mirror!) makes it.
#[derive(Clone, Copy, Debug)]
pub struct Mirror {
    /// The lab.
    pub lab: &'static Lab,
    /// The tests: keys of all exercises, each with all its checks.
    pub table: &'static [(&'static str, &'static [&'static str])],
    /// The lab's folder.
    pub folder: &'static str,
    /// The built host program.
    pub host: &'static str,
    /// Whether the reference solutions are looked at.
    pub solutions: bool,
}

/// What a test did not like, as text for people: libtest prints what `Debug` gives, behind
/// "Error: ".
pub struct Failure(String);

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for Failure {
    fn from(text: String) -> Failure {
        Failure(text)
    }
}

impl Mirror {
    /// Runs one check.
    ///
    /// # Errors
    /// The finding as text for people.
    pub fn run(&self, key: &str, name: &str) -> Result<(), Failure> {
        let lab = self.lab;
        let has: Vec<&str> = lab.exercises.iter().map(|e| e.key).collect();
        let listed: Vec<&str> = self.table.iter().map(|(key, _)| *key).collect();
        if listed != has {
            let text = format!("tests/mirror.rs lists {listed:?}, {} has {has:?}", lab.id);
            return Err(text.into());
        }
        let exercise =
            lab.exercise(key).ok_or_else(|| format!("{} has no exercise {key}", lab.id))?;
        let checks: Vec<&str> = exercise.checks.iter().map(|c| c.name).collect();
        let tests = self.table.iter().find(|(k, _)| *k == key).map_or(&[][..], |(_, names)| *names);
        if tests != checks {
            let text = format!("tests/mirror.rs lists {tests:?} of {key}, which has {checks:?}");
            return Err(text.into());
        }
        // A test program that was carried to another machine finds the course around the current
        // folder, and the host program beside itself.
        let here = std::env::current_dir().unwrap_or_default();
        let folder = Path::new(self.folder);
        let folder = if folder.is_dir() { folder } else { &here };
        let place = Place::find(folder, std::slice::from_ref(lab))?;
        let host = Path::new(self.host);
        let beside = std::env::current_exe()
            .ok()
            .and_then(|exe| Some(exe.parent()?.join(host.file_name()?)));
        let host = if host.is_file() { host.to_path_buf() } else { beside.unwrap_or_default() };
        let host = Host::ready(host).on_device_at_hand();
        let work = if self.solutions {
            place.solution_work(lab, host)
        } else {
            Work { host: Arc::new(host), ..place.own_work(lab) }
        };
        if place.not_started(lab, exercise, &work) {
            return Err(format!("{}: not started. {}", exercise.id, exercise.todo).into());
        }
        let check = exercise.checks.iter().find(|c| c.name == name);
        let check = check.ok_or_else(|| format!("{key} has no check {name}"))?;
        let seed = std::env::var("LAB_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(SEED);
        match runner::run_check(check, &Trial::new(lab, exercise, name, &work, seed)) {
            Verdict::Pass(_) => Ok(()),
            Verdict::Fail(finding) => {
                let mut text = format!("{} [{name}] {finding}\n{}", exercise.id, finding.details);
                if let Some(hint) = finding.hint.as_deref().and_then(|id| exercise.hint(id)) {
                    text += &format!("Hint: {hint}\n");
                }
                Err(text.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Check, Evidence, Exercise};

    const CHECKS: &[Check] =
        &[Check { name: "sums", what: "sums", weight: 1, run: |_| Ok(Evidence::new("right")) }];
    static LAB: Lab = Lab {
        id: "lab9",
        package: "lab9-mirror",
        title: "Mirror",
        host_bin: "lab9-host",
        device: None,
        nearly: &[],
        exercises: &[Exercise {
            id: "L9-9.1",
            key: "e9_1",
            title: "Sum",
            points: 100,
            files: &[],
            todo: "Add.",
            hints: &[],
            checks: CHECKS,
        }],
        sources: &[],
        elsewhere: &[],
    };

    #[test]
    fn a_table_that_is_not_the_labs_fails_every_test() {
        let told = |table, key, name| {
            let mirror = Mirror { lab: &LAB, table, folder: "/", host: "none", solutions: false };
            format!("{:?}", mirror.run(key, name).expect_err("no such table"))
        };
        let told_of = |table| told(table, "e9_1", "sums");
        assert_eq!(told_of(&[]), "tests/mirror.rs lists [], lab9 has [\"e9_1\"]");
        assert_eq!(
            told_of(&[("e9_1", &["sums"]), ("e9_2", &["sums"])]),
            "tests/mirror.rs lists [\"e9_1\", \"e9_2\"], lab9 has [\"e9_1\"]"
        );
        assert_eq!(
            told(&[("e9_1", &["counts"])], "e9_1", "counts"),
            "tests/mirror.rs lists [\"counts\"] of e9_1, which has [\"sums\"]"
        );
    }
}
