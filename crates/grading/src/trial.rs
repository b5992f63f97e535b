//! What a check gets to see: one student's files, a seed, and the ways to run them.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use references::random::Random;
use serde_json::Value;
use simt::diag::CompileError;
use simt::files::Files;
use simt::report::Counters;
use simt::{CompileOptions, Program};
use wire::{Call, Outcome, Reply};

use crate::host::Host;
use crate::{Class, Finding, Source, source};

/// The files under test: the student's where an exercise lists them, the course's for all else.
#[derive(Clone, Debug)]
pub struct Work {
    /// The lab's folder in the course: given kernels, data.
    pub course_dir: PathBuf,
    /// Folder with the student's listed files, laid out as the lab's folder. Equal to `course_dir`
    /// for a student's own work.
    pub student_dir: PathBuf,
    /// Program that runs the student's host code.
    pub host: Arc<Host>,
    /// Where the two folders are.
    pub files: Files,
    /// Files of a submission that were not taken, and why; their skeletons stand in for them.
    pub notes: BTreeMap<String, String>,
    /// What the checks' own launches have counted.
    pub counts: Counts,
    /// Kernel files that several checks ask for.
    pub compiled: Compiled,
}

/// Most compiled files that are kept.
const MOST_COMPILED: usize = 32;

/// Kernel files, compiled once for all checks of a piece of work: text, options and what came of
/// it. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Compiled(Arc<Mutex<VecDeque<Arc<OneFile>>>>);

#[derive(Debug)]
struct OneFile {
    text: String,
    how: CompileOptions,
    /// Who comes first compiles; others wait.
    outcome: OnceLock<Result<Program, CompileError>>,
}

impl Compiled {
    /// What the compiler makes of a text.
    pub(crate) fn get(&self, text: String, how: CompileOptions) -> Result<Program, CompileError> {
        let mut all = self.0.lock().unwrap_or_else(|e| e.into_inner());
        let known = all.iter().find(|file| file.text == text && file.how == how).map(Arc::clone);
        let file = known.unwrap_or_else(|| {
            let file = Arc::new(OneFile { text, how, outcome: OnceLock::new() });
            all.truncate(MOST_COMPILED - 1);
            all.push_front(Arc::clone(&file));
            file
        });
        drop(all);
        file.outcome.get_or_init(|| Program::compile(&file.text, &file.how)).clone()
    }
}

/// Counts of all launches in the judge's own emulator, by kernel. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct Counts(Arc<Mutex<BTreeMap<String, Counters>>>);

impl Counts {
    /// Adds a launch.
    pub(crate) fn add(&self, kernel: &str, counters: &Counters) {
        let mut all = self.0.lock().unwrap_or_else(|e| e.into_inner());
        all.entry(kernel.into()).or_default().add(counters);
    }

    /// The sums so far.
    pub fn by_kernel(&self) -> BTreeMap<String, Counters> {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }
}

/// What a trial knows of the exercise and its lab.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// Of the exercise, such as `L1-1.1.3`.
    pub id: &'static str,
    /// What students edit, in the whole lab.
    pub files: Vec<&'static str>,
    /// Who computes what handlers return.
    pub sources: &'static [(&'static str, Source)],
}

/// One run of one check.
#[derive(Clone, Debug)]
pub struct Trial {
    subject: Subject,
    check: String,
    work: Work,
    seed: u64,
    /// Why results are not taken that a check may have found right.
    doubts: Arc<Mutex<Option<Finding>>>,
    /// Answers of the host program were read that a judge's device has handed over.
    heard: Arc<AtomicBool>,
}

impl Trial {
    pub(crate) fn of(subject: Subject, check: &str, work: &Work, seed: u64) -> Trial {
        let (doubts, heard) = Default::default();
        Trial { subject, check: check.into(), work: work.clone(), seed, doubts, heard }
    }

    /// The files under test and the program that runs host code.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// Asks the student's host code, all calls in one child. A call that panics or returns an error
    /// has a reply that says so; see [`value`].
    ///
    /// # Errors
    /// Not gradable if it does not compile; time, memory or crash if the child gave no answer to a
    /// call.
    pub fn host(&self, calls: &[Call]) -> Result<Vec<Reply>, Finding> {
        let ran = self.work.host.run(&self.called(), calls, &self.kernel_path());
        let replies = ran.map_err(|failed| {
            if failed.1.class == Class::GraderFault {
                self.could_not_ask();
            }
            failed.1
        })?;
        self.doubt(&replies);
        Ok(replies)
    }

    /// The same for a single call.
    ///
    /// # Errors
    /// As [`Trial::host`].
    pub fn call(&self, name: &str, args: &Value) -> Result<Reply, Finding> {
        let mut replies = self.host(&[Call::new(name, args)])?;
        replies.pop().ok_or_else(|| Finding::grader("no reply"))
    }

    /// What the program answered when it was first asked this, by whichever check.
    pub(crate) fn first_answer(&self, name: &str, args: &Value) -> Result<Arc<Reply>, Finding> {
        let place = self.work.host.first.place(format!("{name} {args}"));
        let mut place = place.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(reply) = &*place {
            self.doubt(std::slice::from_ref(reply));
            return Ok(Arc::clone(reply));
        }
        let reply = Arc::new(self.call(name, args)?);
        *place = Some(Arc::clone(&reply));
        Ok(reply)
    }

    /// What `LAB_KERNELS` says: the student's kernels before the course's.
    fn kernel_path(&self) -> OsString {
        std::env::join_paths(self.include_dirs("kernels/")).unwrap_or_default()
    }

    /// Compares what functions returned with what the judge's device saw: a kernel that is launched
    /// and ignored, or none, earns nothing. A check that finds a fault of its own says more, so
    /// this counts only if it is passed.
    pub(crate) fn doubt(&self, replies: &[Reply]) {
        self.heard.fetch_or(replies.iter().any(|r| r.origin.is_some()), Ordering::Relaxed);
        let doubt =
            replies.iter().find_map(|r| doubt(r, source::of(&r.call, self.subject.sources)));
        let mut doubts = self.doubts.lock().unwrap_or_else(|e| e.into_inner());
        *doubts = doubts.take().or(doubt);
    }

    /// True if the check has read what the host program says: a check that then fails by itself
    /// has met what no handler of ours answers.
    pub(crate) fn has_heard(&self) -> bool {
        self.heard.load(Ordering::Relaxed)
    }

    /// The judge could not ask: what fails now is its own fault.
    pub(crate) fn could_not_ask(&self) {
        self.heard.store(false, Ordering::Relaxed);
    }

    /// The first doubt.
    pub(crate) fn doubts(&self) -> Option<Finding> {
        self.doubts.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }

    /// The exercise and the check, for people: `1.1.3 multi`.
    pub(crate) fn called(&self) -> String {
        format!("{} {}", number(self.subject.id), self.check)
    }

    /// The seed of this grading run; reports print it.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Random numbers that depend on the seed, the exercise and the check, not on the order of
    /// checks.
    pub fn rng(&self) -> Random {
        let mut key = self.seed;
        for byte in self.subject.id.bytes().chain([0]).chain(self.check.bytes()) {
            // FNV-1a, so that neighbouring names get unrelated streams.
            key = (key ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Random::new(key)
    }

    /// Where a file of the lab is: the student's if an exercise of the lab lists it, the course's
    /// else. `rel` is relative to the lab's folder.
    pub fn path(&self, rel: &str) -> PathBuf {
        let listed = self.subject.files.contains(&rel);
        if listed { self.work.student_dir.join(rel) } else { self.work.course_dir.join(rel) }
    }

    /// Text of a file of the lab.
    ///
    /// # Errors
    /// Not gradable if it is missing or not UTF-8.
    pub fn text(&self, rel: &str) -> Result<String, Finding> {
        let path = self.path(rel);
        if self.work.files.real(&path).is_none() {
            let number = number(self.subject.id);
            let text =
                format!("{rel} is not there: `cargo lab reset {number}` puts its skeleton back");
            return Err(Finding::new(Class::NotGradable, text));
        }
        self.read(&path, rel)
    }

    fn read(&self, path: &Path, rel: &str) -> Result<String, Finding> {
        let text = crate::text::text(&self.work.files, path);
        text.map_err(|why| Finding::new(Class::NotGradable, format!("{rel} {why}")))
    }

    /// Folders in which `#include "x"` of the kernel file `rel` is looked for: that of the file,
    /// then `kernels/`, first the student's, then the course's.
    pub fn include_dirs(&self, rel: &str) -> Vec<PathBuf> {
        let own = rel.rsplit_once('/').map_or("", |(dir, _)| dir);
        let mut dirs = Vec::new();
        for root in [&self.work.student_dir, &self.work.course_dir] {
            for folder in [own, "kernels"] {
                let dir = root.join(folder);
                if !dirs.contains(&dir) {
                    dirs.push(dir);
                }
            }
        }
        dirs
    }
}

/// Section number of an exercise without the lab: `1.1.3` of `L1-1.1.3`.
pub(crate) fn number(id: &'static str) -> &'static str {
    id.split_once('-').map_or(id, |(_, number)| number)
}

/// Says that a check of the exercise with this number cannot run here, and how it can.
pub(crate) fn elsewhere(number: &str, what: &str) -> Finding {
    let text =
        format!("this check {what}: in the course's folder, `cargo lab run {number}` does it");
    Finding::new(Class::Elsewhere, text)
}

/// Why a returned value is not the device's work.
fn doubt(reply: &Reply, source: Source) -> Option<Finding> {
    let Outcome::Ok(value) = &reply.outcome else { return None };
    let origin = reply.origin.filter(|_| source != Source::Host && !is_empty(value))?;
    let call = &reply.call;
    if reply.launches.is_empty() && origin.copied == 0 {
        let text = format!("{call}: a result, but nothing was computed on the device");
        return Some(Finding::wrong(text).hint("C8"));
    }
    if source == Source::Both {
        return None;
    }
    if origin.strange > 0 {
        let text = format!(
            "{call}: {} of {} returned numbers are not among what was copied from the device \
             after a kernel wrote it",
            origin.strange, origin.numbers
        );
        return Some(Finding::wrong(text).hint("C8"));
    }
    // A few are sizes, factors, coefficients; for a few results nobody forges.
    let many = origin.numbers >= FEW && 2 * origin.foreign >= origin.numbers;
    (many && source == Source::Device).then(|| {
        let text = format!(
            "{call}: the host gave the device {} numbers that are not the call's own, for a \
             result of {}: copy the arguments to the device, in whatever order, and compute there",
            origin.foreign, origin.numbers
        );
        Finding::wrong(text).hint("C8")
    })
}

/// Results of fewer numbers may come of as many that the host gave.
const FEW: u64 = 8;

/// True for a value that nobody had to compute.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Number(n) => n.as_f64() == Some(0.0),
        Value::Array(list) => list.iter().all(is_empty),
        Value::Object(map) => map.values().all(is_empty),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_the_device_did_not_compute_are_doubted() {
        let reply = |value: Value, numbers, strange, copied| Reply {
            call: "e1.f".into(),
            outcome: Outcome::Ok(value),
            backend: "emulated".into(),
            api: vec![],
            api_dropped: 0,
            launches: vec![],
            faults: vec![],
            wall_ms: 0.0,
            origin: Some(wire::Origin { numbers, strange, copied, foreign: 0 }),
        };
        let list = serde_json::json!([1, 2]);
        let said = |reply: &Reply, source| doubt(reply, source).map(|f| f.message);
        let none = reply(list.clone(), 2, 2, 0);
        let nothing = Some("e1.f: a result, but nothing was computed on the device".to_string());
        assert_eq!(said(&none, Source::Device), nothing);
        assert_eq!(said(&none, Source::Both), nothing);
        assert_eq!(said(&none, Source::Host), None);
        let other = reply(list.clone(), 2, 1, 8);
        assert!(said(&other, Source::Device).unwrap().starts_with("e1.f: 1 of 2 returned numbers"));
        assert_eq!(said(&other, Source::Both), None);
        assert_eq!(said(&reply(list.clone(), 2, 0, 8), Source::Device), None);
        let given = |foreign| {
            let mut reply = reply(serde_json::json!([1, 2]), 20, 0, 80);
            reply.origin.as_mut().unwrap().foreign = foreign;
            reply
        };
        assert!(said(&given(10), Source::Device).unwrap().contains("gave the device 10 numbers"));
        assert_eq!(said(&given(9), Source::Device), None);
        assert_eq!(said(&given(10), Source::Tables), None);
        // Nobody had to compute it; the mirror has no device of a judge.
        assert_eq!(said(&reply(serde_json::json!([[], 0]), 1, 1, 0), Source::Device), None);
        assert_eq!(said(&Reply { origin: None, ..none }, Source::Device), None);
    }
}
