//! Grading other people's work: a folder of submissions, a folder or a zip archive each.
//!
//! The supervisor, which this is, holds the list, the results and the reports, and reads nothing
//! that a stranger wrote: a worker does that for each submission ([`crate::worker`]), and may be
//! killed. Every result is written as soon as it is there, so a batch that is stopped goes on where
//! it was, and a broken submission stops nobody else's.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use sandbox::Protection;
use serde::{Deserialize, Serialize};

use crate::boxed::Workshop;
use crate::intake::{self, shown};
use crate::overlay::replace;
use crate::scratch::Scratch;
use crate::seal::{Fingerprint, Seal};
use crate::supervisor::{Case, Clocks};
use crate::watch::{Doing, tell};
use crate::worker::{Go, Order};
use crate::workshop::refusal;
use crate::{Lab, LabResult, Place};

/// Time for one submission, if nothing else is said.
pub const TIME: Duration = Duration::from_secs(300);
/// Largest file of results that is read again, in bytes.
const MAX_RESULTS: u64 = 16 << 20;
/// Longest name of a folder that is made for a submission, in bytes.
const MAX_NAME: usize = 200;

/// One submission on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Name of its folder, or of its archive without the ending, for people: control characters and
    /// what is no text are written as `\x1b`.
    pub name: String,
    /// Its folder or archive.
    pub dir: PathBuf,
    /// Seed of its inputs, if it has one of its own.
    pub seed: Option<u64>,
}

/// The submissions in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// By name.
    pub submissions: Vec<Submission>,
    /// What the instructor should know: what was not taken, what looks odd.
    pub warnings: Vec<String>,
}

/// What is kept of a graded submission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the submission.
    pub name: String,
    /// Fingerprint of the files that were read.
    pub files: String,
    /// Fingerprint of the grader and of the lab's given files.
    pub grader: String,
    /// The result.
    pub result: LabResult,
    /// Seal of all of the above by the key in the folder of the results.
    #[serde(default)]
    pub seal: String,
}

/// What became of one submission of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// The result, new or kept.
    pub record: Record,
    /// True if it was graded before on the same files by the same grader.
    pub kept: bool,
    /// What a re-grade changed: one line per check whose verdict differs, and why it was graded
    /// again.
    pub changes: Vec<String>,
}

/// The submissions in `dir`: folders and zip archives. Hidden ones are passed over. If `dir` is
/// itself one submission, it is taken as one.
///
/// # Errors
/// If the folder cannot be read or holds no submission.
pub fn find(dir: &Path, labs: &[Lab]) -> Result<Found, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", dir.display());
    let mut submissions = Vec::new();
    let mut warnings = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)?.filter_map(Result::ok) {
        let (name, path) = (entry.file_name(), entry.path());
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let kind = entry.file_type().map_err(failed)?;
        let zip = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("zip"));
        if kind.is_dir() {
            submissions.push(Submission { name: shown(&name), dir: path, seed: None });
        } else if kind.is_file() && zip {
            let name = shown(path.file_stem().unwrap_or(&name));
            submissions.push(Submission { name, dir: path, seed: None });
        } else {
            let what =
                if kind.is_symlink() { "a link" } else { "neither a folder nor a zip archive" };
            warnings.push(format!("{} is {what}: passed over", shown(&name)));
        }
    }
    warnings.sort();
    let of_lab = |s: &Submission| labs.iter().any(|lab| s.dir.ends_with(lab.package));
    let is_one = labs.iter().any(|lab| intake::is_lab_folder(lab, dir))
        || (!submissions.is_empty() && submissions.iter().all(of_lab));
    if is_one {
        let full = dir.canonicalize().map_err(failed)?;
        let name = shown(full.file_name().unwrap_or(OsStr::new("submission")));
        warnings.push(format!(
            "{} holds the files of one submission, not folders of submissions: taken as the one \
             of {name}",
            shown(dir.as_os_str())
        ));
        return Ok(Found {
            submissions: vec![Submission { name, dir: full, seed: None }],
            warnings,
        });
    }
    if submissions.is_empty() {
        return Err(format!(
            "{}: there is no submission: expected one folder or zip archive each",
            dir.display()
        ));
    }
    submissions.sort_by(|a, b| (&a.name, &a.dir).cmp(&(&b.name, &b.dir)));
    tell_apart(&mut submissions, &mut warnings);
    for one in submissions.iter().filter(|s| of_lab(s)) {
        warnings.push(format!("{} is called as a lab, not as a student: whose is it?", one.name));
    }
    Ok(Found { submissions, warnings })
}

/// Gives each submission a name of its own, by which its page is found: a folder and an archive may
/// be called alike.
fn tell_apart(submissions: &mut [Submission], warnings: &mut Vec<String>) {
    let mut names: BTreeSet<String> = submissions.iter().map(|s| s.name.clone()).collect();
    for k in 1..submissions.len() {
        let name = submissions[k].name.clone();
        if submissions[..k].iter().all(|before| before.name != name) {
            continue;
        }
        let other = (2..).map(|n| format!("{name} ({n})")).find(|other| !names.contains(other));
        let one = &mut submissions[k];
        one.name = other.unwrap_or_default();
        names.insert(one.name.clone());
        let file = shown(one.dir.file_name().unwrap_or_default());
        warnings.push(format!("{file} is called {}: there is another {name}", one.name));
    }
}

/// A file name of its own for every name of a folder: the beginning of it, and a hash of all its
/// bytes.
fn file_of(name: &OsStr) -> String {
    let mut hash = Fingerprint::default();
    hash.add(name.as_encoded_bytes());
    let plain = |c: &char| c.is_ascii_alphanumeric() || "-_.".contains(*c);
    let text = name.to_string_lossy();
    let start: String = text.chars().filter(plain).take(80).collect();
    format!("{start}-{}.json", hash.text())
}

/// Name of the folder for what is written for one submission: its own, or, as escaped signs make a
/// name longer than file systems take, the beginning of it and a hash.
pub fn folder_of(name: &str) -> String {
    if name.len() <= MAX_NAME {
        return name.to_string();
    }
    let mut hash = Fingerprint::default();
    hash.add(name.as_bytes());
    let fits = |(at, c): &(usize, char)| at + c.len_utf8() <= MAX_NAME - 40;
    let start: String = name.char_indices().take_while(fits).map(|(_, c)| c).collect();
    format!("{start}-{}", hash.text())
}

/// A batch of one lab's submissions.
#[derive(Debug)]
pub struct Batch<'a> {
    /// The course.
    pub place: &'a Place,
    /// The lab.
    pub lab: &'a Lab,
    /// Where results are kept: `NAME-HASH.json` each, and the key that seals them.
    pub results: PathBuf,
    /// Seed of the inputs of those that have none of their own.
    pub seed: u64,
    /// Grade even what was graded before on the same files.
    pub again: bool,
    /// Submissions at a time; 0 means one per core.
    pub jobs: usize,
    /// What stands between the submissions' code and this machine.
    pub guard: Guard,
    /// A program that becomes a worker ([`crate::worker::work_if_asked`]); without one, submissions
    /// are graded in this process, without limits: for tests.
    pub worker: Option<PathBuf>,
    /// Time for one submission.
    pub time: Duration,
}

/// What stands between the submissions' code and this machine.
#[derive(Clone, Debug)]
pub enum Guard {
    /// The sandbox.
    Sandbox {
        /// A program whose `main` begins with [`crate::boxed::stage_if_asked`].
        stage: PathBuf,
        /// What the machine gives.
        protection: Box<Protection>,
    },
    /// Nothing: the code has the rights of whoever grades.
    Trust,
}

impl Guard {
    /// The sandbox, as far as this machine gives it.
    pub fn probe(stage: &Path) -> Guard {
        Guard::Sandbox { stage: stage.to_path_buf(), protection: Box::new(sandbox::probe(stage)) }
    }

    /// What protects, in a line.
    pub fn summary(&self) -> String {
        match self {
            Guard::Sandbox { protection, .. } => protection.summary(),
            Guard::Trust => "nothing: --trust".into(),
        }
    }
}

/// Where one submission at a time is laid out and built.
struct Workbench<'a> {
    dir: PathBuf,
    scratch: Scratch,
    /// Made when the first submission is compiled inside of the sandbox.
    shop: &'a OnceLock<Result<Workshop, String>>,
}

/// What all submissions of a batch share.
struct Shared {
    grader: String,
    seal: Seal,
    checks_at_a_time: usize,
}

/// Waits, and says so, until no other batch of the lab works in the folder; it is free again when
/// the file is dropped, or the judge dies.
fn hold(dir: &Path, lab: &str) -> Result<File, String> {
    let path = dir.join("lock");
    let held = fs::create_dir_all(dir).and_then(|()| {
        let file = File::create(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                tell(&Doing::Queued { lab, since: Instant::now() });
                file.lock()?;
                tell(&Doing::Alone);
            }
            Err(TryLockError::Error(e)) => return Err(e),
        }
        Ok(file)
    });
    held.map_err(|e| format!("{}: {e}", path.display()))
}

impl Batch<'_> {
    /// Grades the submissions, some at a time; the results come in the order of the submissions.
    /// `done` hears of each as it ends, with the number of those that ended.
    ///
    /// # Errors
    /// If a scratch workspace cannot be made or a result not be written: nothing about a submission
    /// is an error.
    pub fn run(
        &self,
        submissions: &[Submission],
        done: impl Fn(usize, &Done) + Sync,
    ) -> Result<Vec<Done>, String> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs =
            if self.jobs == 0 { cores } else { self.jobs }.clamp(1, submissions.len().max(1));
        let dir = self.place.state_dir().join("grade").join(self.lab.id);
        if let Guard::Sandbox { protection, .. } = &self.guard
            && protection.refusal().is_some()
        {
            return Err(refusal(protection));
        }
        let shared = Shared {
            grader: self.grader_fingerprint()?,
            seal: Seal::of(&self.results)?,
            checks_at_a_time: cores.div_ceil(jobs),
        };
        let _held = hold(&dir, self.lab.id)?;
        let shop = OnceLock::new();
        let next = AtomicUsize::new(0);
        let ended = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let all = Mutex::new(vec![None; submissions.len()]);
        let work_off = |worker: usize| -> Result<(), String> {
            let dir = dir.join(worker.to_string());
            let scratch = Scratch::new(self.place, self.lab, &dir)?;
            let bench = Workbench { scratch, dir, shop: &shop };
            while !stop.load(Ordering::Relaxed) {
                let k = next.fetch_add(1, Ordering::Relaxed);
                let Some(submission) = submissions.get(k) else { break };
                let one = self.one(submission, &bench, &shared)?;
                done(ended.fetch_add(1, Ordering::Relaxed) + 1, &one);
                all.lock().unwrap_or_else(|e| e.into_inner())[k] = Some(one);
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let spawn = |worker| {
                let work_off = &work_off;
                let stop = &stop;
                scope.spawn(move || {
                    work_off(worker).inspect_err(|_| stop.store(true, Ordering::Relaxed))
                })
            };
            let workers: Vec<_> = (0..jobs).map(spawn).collect();
            workers.into_iter().try_for_each(|worker| {
                worker.join().unwrap_or_else(|_| Err("the judge itself panicked".into()))
            })
        })?;
        let all = all.into_inner().unwrap_or_else(|e| e.into_inner());
        Ok(all.into_iter().flatten().collect())
    }

    fn one(
        &self,
        submission: &Submission,
        bench: &Workbench<'_>,
        shared: &Shared,
    ) -> Result<Done, String> {
        let seed = submission.seed.unwrap_or(self.seed);
        let file = self.results.join(file_of(submission.dir.file_name().unwrap_or_default()));
        let (before, forged) = match self.kept(&file, submission, shared) {
            Some(Ok(record)) => (Some(record), false),
            Some(Err(())) => (None, true),
            None => (None, false),
        };
        let same = |files: &str| {
            before.as_ref().filter(|_| !self.again).is_some_and(|record| {
                (record.files.as_str(), &record.grader, record.result.seed)
                    == (files, &shared.grader, seed)
            })
        };
        // What stops the batch: the lab itself does not build.
        let broken = OnceLock::new();
        let go = |files: &str| {
            if same(files) {
                return None;
            }
            let shop = match &self.guard {
                Guard::Trust => None,
                Guard::Sandbox { stage, protection } => {
                    let make = || {
                        let above = bench.dir.parent().unwrap_or(&bench.dir);
                        Workshop::new(self.place, self.lab, above, stage, protection)
                    };
                    match bench.shop.get_or_init(make) {
                        Ok(shop) => Some(shop.clone()),
                        Err(why) => {
                            let _ = broken.set(why.clone());
                            return None;
                        }
                    }
                }
            };
            Some(Go { shop, compile: self.time / 2 })
        };
        let order = Order {
            root: self.place.root.clone(),
            target: self.place.target.clone(),
            lab: self.lab.id.into(),
            exercises: self.lab.exercises.iter().map(|e| e.key.to_string()).collect(),
            submission: submission.dir.clone(),
            bench: bench.dir.clone(),
            scratch: bench.scratch.clone(),
            seed,
            jobs: shared.checks_at_a_time,
            resume: None,
        };
        let clocks = Clocks { whole: self.time, exercise: self.time * 2 / 5 };
        let mut case = Case::new(self.lab, &submission.name, clocks);
        case.run(order, self.worker.as_deref(), &go);
        if let Some(why) = broken.into_inner() {
            return Err(why);
        }
        if let Some(record) = before.as_ref().filter(|_| case.is_kept()) {
            return Ok(Done { record: record.clone(), kept: true, changes: Vec::new() });
        }
        let (files, mut result) = case.result(seed);
        result.protection = Some(self.guard.summary());
        let mut record = Record {
            name: submission.name.clone(),
            files,
            grader: shared.grader.clone(),
            result,
            seal: String::new(),
        };
        record.seal = seal_of(&shared.seal, &file, &record)?;
        let text = serde_json::to_string_pretty(&record).map_err(|e| e.to_string())?;
        replace(&file, &(text + "\n"))?;
        let mut changes = before.map(|old| changes(&old, &record)).unwrap_or_default();
        if forged {
            changes.push(format!(
                "{}: what was kept of it was not written by this judge, or was changed: graded \
                 again, {} points",
                record.name, record.result.earned
            ));
        }
        Ok(Done { record, kept: false, changes })
    }

    /// What was kept of a submission; `Err` if it does not bear this judge's seal.
    fn kept(
        &self,
        file: &Path,
        submission: &Submission,
        shared: &Shared,
    ) -> Option<Result<Record, ()>> {
        fs::symlink_metadata(file).ok()?;
        let read = || {
            let bytes = sandbox::read_plain(file, MAX_RESULTS).ok()?;
            let mut record: Record = serde_json::from_slice(&bytes).ok()?;
            let seal = std::mem::take(&mut record.seal);
            let right = seal_of(&shared.seal, file, &record).ok()?;
            record.seal = seal;
            (record.seal == right && record.name == submission.name).then_some(record)
        };
        Some(read().ok_or(()))
    }

    /// The grader is this program and what the lab gives.
    fn grader_fingerprint(&self) -> Result<String, String> {
        let mut hash = Fingerprint::default();
        let program = self.worker.clone().map_or_else(std::env::current_exe, Ok);
        let failed = |e| format!("this program cannot be read: {e}");
        program.and_then(|path| hash.add_file(&path)).map_err(failed)?;
        if let Some(device) = self.place.device(self.lab) {
            let built =
                device.of_the_course().map_err(|f| format!("{}\n{}", f.message, f.details))?;
            hash.add_file(&built).map_err(failed)?;
        }
        let listed = self.lab.files();
        let mut given = Vec::new();
        files_below(&self.place.lab_dir(self.lab), "", &mut given);
        given.sort();
        for rel in given.iter().filter(|rel| !listed.contains(&rel.as_str())) {
            hash.add(rel.as_bytes());
            hash.add(&fs::read(self.place.lab_dir(self.lab).join(rel)).unwrap_or_default());
        }
        Ok(hash.text())
    }
}

/// The seal of a record, whose own is empty, in a file.
fn seal_of(seal: &Seal, file: &Path, record: &Record) -> Result<String, String> {
    let text = serde_json::to_string(record).map_err(|e| e.to_string())?;
    Ok(seal.text(&file.file_name().unwrap_or_default().to_string_lossy(), &text))
}

/// The files of a folder, without what editors, `patch` and `cargo lab reset` leave beside them.
fn files_below(dir: &Path, prefix: &str, out: &mut Vec<String>) {
    const LEFT: [&str; 7] = [".orig", ".rej", ".bak", ".swp", ".swo", ".tmp", "~"];
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(kind) = entry.file_type() else { continue };
        if name.starts_with('.') || name == "target" || LEFT.iter().any(|end| name.ends_with(end)) {
            continue;
        }
        if kind.is_dir() {
            files_below(&entry.path(), &format!("{prefix}{name}/"), out);
        } else if kind.is_file() {
            out.push(format!("{prefix}{name}"));
        }
    }
}

/// What differs between two results of one submission, and why it was graded again.
fn changes(old: &Record, new: &Record) -> Vec<String> {
    let mut why = Vec::new();
    if old.files != new.files {
        why.push("its files changed");
    }
    if old.grader != new.grader {
        why.push("the grader changed");
    }
    if old.result.seed != new.result.seed {
        why.push("another seed");
    }
    if why.is_empty() {
        why.push("graded again");
    }
    let verdicts = |record: &Record| -> BTreeMap<(String, String), String> {
        let exercises = record.result.exercises.iter();
        exercises
            .flat_map(|e| e.checks.iter().map(move |c| (e, c)))
            .map(|(e, c)| {
                let verdict = c.finding().map_or("ok".to_string(), |f| f.class.name().to_string());
                ((e.id.clone(), c.name.clone()), verdict)
            })
            .collect()
    };
    let (before, after) = (verdicts(old), verdicts(new));
    let mut out = Vec::new();
    let absent = "not there".to_string();
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    for key in keys {
        let (was, is) = (before.get(key).unwrap_or(&absent), after.get(key).unwrap_or(&absent));
        if was != is {
            out.push(format!("{} [{}]: {was} -> {is}", key.0, key.1));
        }
    }
    if out.is_empty() && old.result.earned == new.result.earned {
        return Vec::new();
    }
    let head = format!(
        "{}: {} -> {} points ({})",
        new.name,
        old.result.earned,
        new.result.earned,
        why.join(", ")
    );
    out.insert(0, head);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_and_an_archive_of_one_name_are_two() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["ann", "ann (2)"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        for name in ["ann.zip", "ann.ZIP"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let Found { submissions, warnings } = find(dir.path(), &[]).unwrap();
        let names: Vec<&str> = submissions.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["ann", "ann (3)", "ann (4)", "ann (2)"]);
        assert_eq!(warnings[0], "ann.ZIP is called ann (3): there is another ann");
    }

    #[test]
    fn names_are_shown_without_effect_and_kept_apart() {
        assert_eq!(shown(OsStr::new("Ann Ångström")), "Ann Ångström");
        assert_eq!(shown(OsStr::new("a\u{1b}[2J\u{202e}b")), "a\\x1b[2J\\xe2\\x80\\xaeb");
        assert_eq!(shown(OsStr::new("ann\u{200b}")), "ann\\xe2\\x80\\x8b");
        assert_eq!(shown(OsStr::new("می\u{200c}خواهم")), "می\u{200c}خواهم");
        assert!(file_of(OsStr::new("ann")).starts_with("ann-"));
        assert_ne!(file_of(OsStr::new("a b")), file_of(OsStr::new("ab")));
        assert!(file_of(OsStr::new(&"x".repeat(252))).len() < 120);
        let long = |n| shown(OsStr::new(&("\u{1}".repeat(100) + &"ä".repeat(n))));
        let [a, b] = [long(1), long(2)].map(|name| folder_of(&name));
        assert!(a != b && a.len().max(b.len()) <= 200 && a.starts_with("\\x01\\x01"), "{a}");
        assert!(folder_of(&"ä".repeat(101)).len() <= 200);
        assert_eq!(folder_of("Ann Ångström"), "Ann Ångström");
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            let (a, b) = (OsStr::from_bytes(b"a\xff"), OsStr::from_bytes(b"a\xfe"));
            assert_eq!(shown(a), "a\\xff");
            assert_ne!(file_of(a), file_of(b));
        }
    }
}
