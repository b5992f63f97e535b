//! One submission in a process of its own, which may be killed: the worker. It reads what strangers
//! have written, and says what it found in lines of JSON; the supervisor ([`crate::submission`])
//! believes nothing but their form.
//!
//! A worker ends when its input does, so nothing outlives the supervisor.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::boxed::{Boxed, Workshop};
use crate::mend::Mender;
use crate::runner::{Event, Plan};
use crate::scratch::Scratch;
use crate::seal::Fingerprint;
use crate::{
    Class, Finding, Host, Lab, Options, Place, Verdict, Work, cargo, intake, overlay, paths,
};

/// First argument of a program that was started as a worker.
pub(crate) const WORKER: &str = "--grade-worker";
/// Memory that a worker may use, in bytes; it looks every few milliseconds.
pub(crate) const MEMORY: u64 = 800 << 20;
const LOOK: Duration = Duration::from_millis(5);
/// Hard limit on what it may ask for, with the stacks of its threads, of which little is used.
const ADDRESSES: u64 = 6 << 30;
/// Longest line that a worker says, in bytes.
pub(crate) const MAX_LINE: usize = 128 << 10;

/// What a worker is told first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    pub root: PathBuf,
    pub target: PathBuf,
    pub lab: String,
    /// Keys of the exercises that are graded.
    pub exercises: Vec<String>,
    pub submission: PathBuf,
    /// Folder of its own, with the scratch workspace.
    pub bench: PathBuf,
    pub scratch: Scratch,
    pub seed: u64,
    /// Checks at a time.
    pub jobs: usize,
    /// What an earlier worker did, if that ended too soon.
    pub resume: Option<Resume>,
}

/// What was done before.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Resume {
    pub notes: BTreeMap<String, String>,
    /// That its host code was compiled, or why it cannot be.
    pub compiled: Option<Result<(), Finding>>,
    /// Numbers of the checks that are to be run.
    pub todo: Vec<usize>,
}

/// What a worker is told when it is to go on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Go {
    /// How host code is compiled in the sandbox; without it, cargo compiles.
    pub shop: Option<Workshop>,
    /// Time for compiling.
    pub compile: Duration,
}

/// What a worker says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum Said {
    /// Its files were read. It waits for a [`Go`].
    Taken {
        files: String,
        notes: BTreeMap<String, String>,
        warnings: Vec<String>,
        minutes: BTreeMap<String, u32>,
    },
    /// Compiled, or why not; and which files gave way to their skeletons.
    Compiled { outcome: Result<(), Finding>, notes: BTreeMap<String, String> },
    /// Which exercises were started.
    Plan { started: Vec<bool> },
    /// A check begins.
    Begun(usize),
    /// A check ended.
    Ended(usize, Verdict),
    /// It ends itself: too much memory.
    Memory,
    /// The judge's own fault.
    Failed(String),
    /// All is done.
    Over,
}

/// Becomes a worker if that is what this process was started as. Programs that grade submissions
/// call it in `main` after [`crate::boxed::stage_if_asked`].
pub fn work_if_asked(labs: &[Lab]) {
    if std::env::args_os().nth(1).is_none_or(|first| first != WORKER) {
        return;
    }
    sandbox::own::end_with_parent();
    sandbox::own::limit_memory(ADDRESSES);
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let lines = std::io::stdin().lock().lines();
        lines
            .map_while(Result::ok)
            .take_while(|line| tell.send(line.clone()).is_ok())
            .for_each(drop);
        sandbox::own::kill_group(std::process::id());
        std::process::exit(1);
    });
    let out = Mutex::new(std::io::stdout());
    let say = move |said: Said| {
        let mut line = serde_json::to_string(&said).unwrap_or_default();
        line.push('\n');
        let mut out = out.lock().unwrap_or_else(|e| e.into_inner());
        // Without a supervisor the input ends, too.
        let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    };
    let say = Arc::new(say);
    let watch = Arc::clone(&say);
    std::thread::spawn(move || {
        while sandbox::own::memory_in_use() <= MEMORY {
            std::thread::sleep(LOOK);
        }
        watch(Said::Memory);
        std::process::exit(1);
    });
    let order = told.recv().map_err(|e| e.to_string());
    let done = order
        .and_then(|line| serde_json::from_str::<Order>(&line).map_err(|e| e.to_string()))
        .and_then(|order| {
            let lab = chosen(labs, &order)?;
            let go = || told.recv().ok().and_then(|line| serde_json::from_str(&line).ok());
            work(&lab, &order, &go, &*say)
        });
    say(done.map_or_else(Said::Failed, |()| Said::Over));
    std::process::exit(0);
}

/// The lab of an order, with the exercises that it names.
fn chosen(labs: &[Lab], order: &Order) -> Result<Lab, String> {
    let lab = labs.iter().find(|lab| lab.id == order.lab).ok_or("there is no such lab")?;
    let wanted = order.exercises.iter().map(|key| lab.exercises.iter().find(|e| e.key == *key));
    let exercises: Option<Vec<_>> = wanted.map(|found| found.copied()).collect();
    Ok(Lab { exercises: Vec::leak(exercises.ok_or("there is no such exercise")?), ..*lab })
}

/// Grades one submission. `go` says whether to go on after its files were read; `say` hears of
/// everything.
///
/// # Errors
/// What the judge itself could not do.
pub(crate) fn work(
    lab: &Lab,
    order: &Order,
    go: &dyn Fn() -> Option<Go>,
    say: &(dyn Fn(Said) + Sync),
) -> Result<(), String> {
    let place = Place { target: order.target.clone(), ..Place::at(&order.root) };
    let student_dir = order.bench.join("submission");
    let folders = [&order.bench, &order.target, &order.root].map(PathBuf::as_path);
    let mut resume = order.resume.clone().unwrap_or_default();
    if order.resume.is_none() {
        let _ = std::fs::remove_dir_all(&student_dir);
        let taken = intake::collect(&place, lab, &order.submission, &student_dir)?;
        resume.notes.clone_from(&taken.notes);
        let files = fingerprint(lab, &student_dir, &taken.notes);
        let intake::Taken { notes, warnings, minutes } = taken;
        say(Said::Taken { files, notes, warnings, minutes });
    }
    let Some(go) = go() else { return Ok(()) };
    order.scratch.take(lab, &student_dir)?;
    let course_dir = place.lab_dir(lab);
    let read = vec![student_dir.clone(), course_dir.join("kernels")];
    let boxed = go.shop.map(|shop| Boxed::new(Arc::new(shop), &order.bench, read));
    let program = match &boxed {
        Some(boxed) => boxed.program(),
        None => order.scratch.build().keep.unwrap_or_default(),
    };
    let own = own_code(&place, lab, &student_dir)?;
    if resume.compiled.is_none() && !own.is_empty() {
        let build = |time: Duration| match &boxed {
            Some(boxed) => boxed.build(time.min(crate::boxed::COMPILE_TIME)),
            None => {
                let since = Instant::now();
                (order.scratch.build().run(), since.elapsed())
            }
        };
        let put = |rel: &str, own_text: bool| {
            let text = match own.get(rel).filter(|_| own_text) {
                Some(text) => text.clone(),
                None => place.skeleton(lab, rel)?,
            };
            overlay::write(&student_dir.join(rel), &text)?;
            order.scratch.put(rel, &text)
        };
        let mender = Mender { package: lab.package, put: &put, build: &build };
        let files: Vec<String> = own.keys().cloned().collect();
        let (built, mut notes) = mender.build(&files, go.compile);
        notes.values_mut().for_each(|note| *note = paths::shortened(note, &folders));
        let outcome = built.map(drop);
        resume.notes.extend(notes.clone());
        resume.compiled = Some(outcome.clone());
        say(Said::Compiled { outcome, notes });
    }
    let host = match boxed {
        Some(boxed) => Host::boxed(boxed),
        None => Host::build(order.scratch.build()),
    };
    let host = match resume.compiled {
        Some(outcome) => host.with_program(outcome.map(|()| program)),
        None => host,
    };
    let host = Arc::new(host);
    let files = place.files.clone();
    let work = Work {
        course_dir,
        student_dir,
        host,
        files,
        notes: resume.notes,
        counts: Default::default(),
        compiled: Default::default(),
    };
    let options = Options { jobs: order.jobs, ..Options::new(order.seed) };
    let plan = Plan::new(&place, lab, &work, &options);
    say(Said::Plan { started: plan.started.clone() });
    let todo = match order.resume {
        Some(_) => resume.todo,
        None => (0..plan.tasks().len()).collect(),
    };
    plan.run(&work, &options, &todo, &|k, event| {
        say(match event {
            Event::Begun => Said::Begun(k),
            Event::Ended(verdict) => Said::Ended(k, short(paths::from_here(verdict, &folders))),
        });
    });
    Ok(())
}

/// The Rust files that differ from their skeletons, with their texts.
fn own_code(
    place: &Place,
    lab: &Lab,
    student_dir: &Path,
) -> Result<BTreeMap<String, String>, String> {
    let mut own = BTreeMap::new();
    for rel in lab.files().into_iter().filter(|rel| rel.ends_with(".rs")) {
        let text = overlay::read(student_dir, rel)?;
        if text != place.skeleton(lab, rel)? {
            own.insert(rel.to_string(), text);
        }
    }
    Ok(own)
}

fn fingerprint(lab: &Lab, dir: &Path, notes: &BTreeMap<String, String>) -> String {
    let mut hash = Fingerprint::default();
    for rel in lab.files() {
        hash.add(rel.as_bytes());
        hash.add(&std::fs::read(dir.join(rel)).unwrap_or_default());
    }
    notes.values().for_each(|note| hash.add(note.as_bytes()));
    hash.text()
}

/// The verdict in a line that the supervisor takes.
fn short(verdict: Verdict) -> Verdict {
    let fits = |verdict: &Verdict| {
        serde_json::to_string(verdict).is_ok_and(|line| line.len() < MAX_LINE - 100)
    };
    if fits(&verdict) {
        return verdict;
    }
    let too_long = "the rest is left out: it is too long";
    match verdict {
        Verdict::Fail(mut finding) => {
            finding.details = cargo::cut(&finding.details);
            finding.message = first_of(&finding.message);
            (finding.fault, finding.picture, finding.request) = (None, None, None);
            let shortened = Verdict::Fail(finding.clone().details(too_long));
            if fits(&shortened) {
                return shortened;
            }
            Verdict::Fail(Finding { details: too_long.into(), ..finding })
        }
        Verdict::Pass(mut evidence) => {
            evidence.lines = vec![too_long.into()];
            Verdict::Pass(evidence)
        }
    }
}

fn first_of(text: &str) -> String {
    text.chars().take(2000).collect()
}

/// What a dead worker's submission is told.
pub(crate) fn died(words: &str, signal: Option<i32>) -> Finding {
    if crate::limits::ran_out_of_memory(words) {
        return too_much_memory();
    }
    let how = signal.map_or("without a word".into(), |s| format!("by signal {s}"));
    let text = format!("the part of the judge that graded this ended {how}");
    Finding::new(Class::NotGradable, text).details(words)
}

pub(crate) fn too_much_memory() -> Finding {
    let text = format!("grading this took more than {} MB of memory", MEMORY >> 20);
    Finding::new(Class::Memory, text)
}
