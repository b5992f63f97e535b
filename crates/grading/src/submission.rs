//! Grading other people's work: a folder of submissions, one folder each.
//!
//! Only the files that the lab lists are read, and only if they are plain, small and text. Every result is written as
//! soon as it is there, so a batch that is stopped goes on where it was, and a broken submission stops nobody else's.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use serde::{Deserialize, Serialize};

use crate::overlay::{replace, write};
use crate::scratch::Scratch;
use sandbox::Protection;

use crate::boxed::{Boxed, Workshop, refusal};
use crate::{Host, Lab, LabResult, Options, Place, Work, grade};

/// Largest file that is taken, in bytes.
pub const MAX_FILE: u64 = 1 << 20;

/// One submission on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Name of its folder for people: control characters and what is no text are written as `\x1b`.
    pub name: String,
    /// Its folder.
    pub dir: PathBuf,
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
}

/// What became of one submission of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// The result, new or kept.
    pub record: Record,
    /// True if it was graded before on the same files by the same grader.
    pub kept: bool,
    /// What a re-grade changed: one line per check whose verdict differs, and why it was graded again.
    pub changes: Vec<String>,
}

/// The submissions in `dir`, by name. Hidden folders and plain files are passed over.
///
/// # Errors
/// If the folder cannot be read or holds no submission.
pub fn find(dir: &Path) -> Result<Vec<Submission>, String> {
    let entries = fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut found: Vec<Submission> = entries
        .filter_map(Result::ok)
        .filter(|e| e.file_type().is_ok_and(|t| t.is_dir()))
        .map(|e| Submission { name: shown(&e.file_name()), dir: e.path() })
        .filter(|s| !s.name.starts_with('.'))
        .collect();
    if found.is_empty() {
        return Err(format!("{}: there is no submission: expected one folder each", dir.display()));
    }
    found.sort_by(|a, b| (&a.name, &a.dir).cmp(&(&b.name, &b.dir)));
    Ok(found)
}

/// A name that a terminal can be shown.
fn shown(name: &OsStr) -> String {
    let mut out = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            // Marks of direction reorder what stands around them.
            let marks = matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            if c.is_control() || marks {
                out.extend(c.encode_utf8(&mut [0; 4]).bytes().map(|b| format!("\\x{b:02x}")));
            } else {
                out.push(c);
            }
        }
        out.extend(chunk.invalid().iter().map(|b| format!("\\x{b:02x}")));
    }
    out
}

/// A file name of its own for every name of a folder: the beginning of it, and a hash of all its bytes.
fn file_of(name: &OsStr) -> String {
    let mut hash = Fingerprint::new();
    hash.add(name.as_encoded_bytes());
    let plain = |c: &char| c.is_ascii_alphanumeric() || "-_.".contains(*c);
    let text = name.to_string_lossy();
    let start: String = text.chars().filter(plain).take(80).collect();
    format!("{start}-{}.json", hash.text())
}

/// Where in a submission the lab's files lie: in a folder called as the package, perhaps under one more folder, as
/// archives have it; or at its top.
fn lab_root(lab: &Lab, dir: &Path) -> PathBuf {
    let plain_dir = |path: &Path| fs::symlink_metadata(path).is_ok_and(|m| m.is_dir());
    let direct = dir.join(lab.package);
    if plain_dir(&direct) {
        return direct;
    }
    let inner: Vec<PathBuf> = fs::read_dir(dir)
        .map(|entries| entries.filter_map(|e| Some(e.ok()?.path())).collect())
        .unwrap_or_default();
    let mut inner: Vec<_> = inner
        .into_iter()
        .filter(|path| plain_dir(path) && plain_dir(&path.join(lab.package)))
        .collect();
    match (inner.pop(), inner.is_empty()) {
        (Some(only), true) => only.join(lab.package),
        _ => dir.to_path_buf(),
    }
}

/// Reads one listed file of a submission.
///
/// # Errors
/// Why it is not taken, in words that follow the file's name.
fn take(root: &Path, rel: &str) -> Result<String, String> {
    let mut path = root.to_path_buf();
    let mut parts = rel.split('/').peekable();
    while let Some(part) = parts.next() {
        path.push(part);
        let data = fs::symlink_metadata(&path).map_err(|_| "is missing".to_string())?;
        let kind = data.file_type();
        if kind.is_symlink() {
            return Err("is, or lies behind, a symbolic link: refused".into());
        }
        if parts.peek().is_none() {
            if !kind.is_file() {
                return Err("is not a plain file: refused".into());
            }
            if data.len() > MAX_FILE {
                return Err(format!("has {} bytes, more than {MAX_FILE}: refused", data.len()));
            }
        }
    }
    let bytes = sandbox::read_plain(&path, MAX_FILE).map_err(|e| format!("is refused: {e}"))?;
    let text = String::from_utf8(bytes).map_err(|e| {
        format!("is not UTF-8 text (byte {}): refused", e.utf8_error().valid_up_to())
    })?;
    match text.find('\0') {
        Some(at) => Err(format!("is not text (a zero at byte {at}): refused")),
        None => Ok(text),
    }
}

/// Copies the listed files of a submission to `to`; a file that is not taken is replaced by its skeleton, and the
/// map says why.
///
/// # Errors
/// If a file cannot be written or has no skeleton.
pub fn collect(
    place: &Place,
    lab: &Lab,
    submission: &Path,
    to: &Path,
) -> Result<BTreeMap<String, String>, String> {
    let root = lab_root(lab, submission);
    let mut notes = BTreeMap::new();
    for rel in lab.files() {
        let text = match take(&root, rel) {
            Ok(text) => text,
            Err(why) => {
                notes.insert(rel.to_string(), format!("{rel} {why}"));
                place.skeleton(lab, rel)?
            }
        };
        write(&to.join(rel), &text)?;
    }
    Ok(notes)
}

/// A batch of one lab's submissions.
#[derive(Debug)]
pub struct Batch<'a> {
    /// The course.
    pub place: &'a Place,
    /// The lab.
    pub lab: &'a Lab,
    /// Where results are kept: `NAME-HASH.json` each.
    pub results: PathBuf,
    /// Seed of the inputs.
    pub seed: u64,
    /// Grade even what was graded before on the same files.
    pub again: bool,
    /// Submissions at a time; 0 means one per core.
    pub jobs: usize,
    /// What stands between the submissions' code and this machine.
    pub guard: Guard,
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
    shop: &'a OnceLock<Result<Arc<Workshop>, String>>,
}

/// Waits until no other batch works in the folder; it is free again when the file is dropped, or the judge dies.
fn hold(dir: &Path) -> Result<File, String> {
    let path = dir.join("lock");
    let held = fs::create_dir_all(dir).and_then(|()| {
        let file = File::create(&path)?;
        file.lock()?;
        Ok(file)
    });
    held.map_err(|e| format!("{}: {e}", path.display()))
}

impl Batch<'_> {
    /// Grades the submissions, some at a time; the results come in the order of the submissions. `done` hears of each
    /// as it ends, with the number of those that ended.
    ///
    /// # Errors
    /// If a scratch workspace cannot be made or a result not be written: nothing about a submission is an error.
    pub fn run(
        &self,
        submissions: &[Submission],
        done: impl Fn(usize, &Done) + Sync,
    ) -> Result<Vec<Done>, String> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs =
            if self.jobs == 0 { cores } else { self.jobs }.clamp(1, submissions.len().max(1));
        let grader = self.grader_fingerprint()?;
        let dir = self.place.state_dir().join("grade").join(self.lab.id);
        if let Guard::Sandbox { protection, .. } = &self.guard
            && protection.refusal().is_some()
        {
            return Err(refusal(protection));
        }
        let _held = hold(&dir)?;
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
                let one = self.one(submission, &bench, &grader, cores.div_ceil(jobs))?;
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
        grader: &str,
        checks_at_a_time: usize,
    ) -> Result<Done, String> {
        let student_dir = bench.dir.join("submission");
        let _ = fs::remove_dir_all(&student_dir);
        let notes = collect(self.place, self.lab, &submission.dir, &student_dir)?;
        let files = self.files_fingerprint(&student_dir, &notes);
        let file = self.results.join(file_of(submission.dir.file_name().unwrap_or_default()));
        let before: Option<Record> = fs::read_to_string(&file)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .filter(|record: &Record| record.name == submission.name);
        if let Some(record) = &before
            && !self.again
            && (&record.files, &record.grader, record.result.seed)
                == (&files, &grader.to_string(), self.seed)
        {
            return Ok(Done { record: record.clone(), kept: true, changes: Vec::new() });
        }
        bench.scratch.take(self.lab, &student_dir)?;
        let course_dir = self.place.lab_dir(self.lab);
        let host = match &self.guard {
            Guard::Trust => Host::build(bench.scratch.build()),
            Guard::Sandbox { stage, protection } => {
                let make = || {
                    let above = bench.dir.parent().unwrap_or(&bench.dir);
                    Workshop::new(self.place, self.lab, above, stage, protection).map(Arc::new)
                };
                let shop = bench.shop.get_or_init(make).as_ref().map_err(Clone::clone)?;
                let read = vec![student_dir.clone(), course_dir.join("kernels")];
                Host::boxed(Boxed::new(shop.clone(), &bench.dir, read))
            }
        };
        let work = Work { course_dir, student_dir, host: Arc::new(host), notes };
        let options = Options { jobs: checks_at_a_time, ..Options::new(self.seed) };
        let mut result = grade(self.place, self.lab, &work, &options);
        result.protection = Some(self.guard.summary());
        let record =
            Record { name: submission.name.clone(), files, grader: grader.to_string(), result };
        let text = serde_json::to_string_pretty(&record).map_err(|e| e.to_string())?;
        replace(&file, &(text + "\n"))?;
        let changes = before.map(|old| changes(&old, &record)).unwrap_or_default();
        Ok(Done { record, kept: false, changes })
    }

    fn files_fingerprint(&self, dir: &Path, notes: &BTreeMap<String, String>) -> String {
        let mut hash = Fingerprint::new();
        for rel in self.lab.files() {
            hash.add(rel.as_bytes());
            hash.add(&fs::read(dir.join(rel)).unwrap_or_default());
        }
        for note in notes.values() {
            hash.add(note.as_bytes());
        }
        hash.text()
    }

    /// The grader is this program and what the lab gives.
    fn grader_fingerprint(&self) -> Result<String, String> {
        let mut hash = Fingerprint::new();
        let program = std::env::current_exe().and_then(fs::read);
        hash.add(&program.map_err(|e| format!("this program cannot be read: {e}"))?);
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

fn files_below(dir: &Path, prefix: &str, out: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(kind) = entry.file_type() else { continue };
        if name.starts_with('.') || name == "target" {
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
    let keys: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
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

/// FNV-1a, 64 bits: tells versions apart; it is no protection against forgery.
struct Fingerprint(u64);

impl Fingerprint {
    fn new() -> Fingerprint {
        Fingerprint(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&(bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_small_text_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| fs::write(dir.path().join(name), bytes).unwrap();
        put("good.cu", b"int a;\n");
        put("big.cu", &vec![b' '; MAX_FILE as usize + 1]);
        put("bytes.cu", b"ab\xff");
        put("zero.cu", b"ab\0");
        fs::create_dir(dir.path().join("dir.cu")).unwrap();
        let take = |rel: &str| take(dir.path(), rel);
        assert_eq!(take("good.cu").unwrap(), "int a;\n");
        assert_eq!(take("none.cu").unwrap_err(), "is missing");
        assert!(take("big.cu").unwrap_err().starts_with("has 1048577 bytes"));
        assert!(take("bytes.cu").unwrap_err().contains("UTF-8 text (byte 2)"));
        assert!(take("zero.cu").unwrap_err().contains("zero at byte 2"));
        assert!(take("dir.cu").unwrap_err().contains("not a plain file"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc/passwd", dir.path().join("link.cu")).unwrap();
            std::os::unix::fs::symlink("/etc", dir.path().join("linked")).unwrap();
            assert!(take("link.cu").unwrap_err().contains("symbolic link"));
            assert!(take("linked/passwd").unwrap_err().contains("symbolic link"));
        }
    }

    #[test]
    fn names_are_shown_without_effect_and_kept_apart() {
        assert_eq!(shown(OsStr::new("Ann Ångström")), "Ann Ångström");
        assert_eq!(shown(OsStr::new("a\u{1b}[2J\u{202e}b")), "a\\x1b[2J\\xe2\\x80\\xaeb");
        assert!(file_of(OsStr::new("ann")).starts_with("ann-"));
        assert_ne!(file_of(OsStr::new("a b")), file_of(OsStr::new("ab")));
        assert!(file_of(OsStr::new(&"x".repeat(252))).len() < 120);
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            let (a, b) = (OsStr::from_bytes(b"a\xff"), OsStr::from_bytes(b"a\xfe"));
            assert_eq!(shown(a), "a\\xff");
            assert_ne!(file_of(a), file_of(b));
        }
    }

    #[test]
    fn links_of_any_kind_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("secret"), "s").unwrap();
        fs::hard_link(at("secret"), at("hard.cu")).unwrap();
        assert!(take(dir.path(), "hard.cu").unwrap_err().contains("hard link"));
        #[cfg(unix)]
        {
            let lab = Lab {
                id: "x",
                package: "labx",
                title: "",
                host_bin: "x-host",
                exercises: &[],
                sources: &[],
            };
            fs::create_dir_all(at("solutions/labx")).unwrap();
            fs::create_dir_all(at("ann")).unwrap();
            std::os::unix::fs::symlink(at("solutions"), at("ann/archive")).unwrap();
            assert_eq!(lab_root(&lab, &at("ann")), at("ann"));
        }
    }

    #[test]
    fn the_labs_folder_is_found_at_any_usual_depth() {
        let lab = Lab {
            id: "x",
            package: "labx",
            title: "",
            host_bin: "x-host",
            exercises: &[],
            sources: &[],
        };
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(lab_root(&lab, dir.path()), dir.path());
        let deep = dir.path().join("archive/labx");
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(lab_root(&lab, dir.path()), deep);
        let direct = dir.path().join("labx");
        fs::create_dir(&direct).unwrap();
        assert_eq!(lab_root(&lab, dir.path()), direct);
    }
}
