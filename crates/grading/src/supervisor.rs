//! The supervisor's side of one submission: starts workers, hears what they say, ends them in time,
//! and knows at any moment what the submission is worth.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use sandbox::{FAR, Meter};

use crate::runner::Plan;
use crate::watch::{Doing, tell};
use crate::worker::{Go, MAX_LINE, Order, Resume, Said, WORKER, died, too_much_memory, work};
use crate::{Class, Finding, Lab, LabResult, Verdict};

/// Most bytes of findings and evidence that are kept in full of one submission.
const MAX_WORDS: usize = 512 << 10;
/// Workers that may end before a check begins.
const TRIES: usize = 2;

/// Limits of time, by a [`Meter`] of the workers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clocks {
    /// For a submission, with all that is compiled.
    pub whole: Duration,
    /// For the checks of an exercise together.
    pub exercise: Duration,
}

/// One submission.
pub(crate) struct Case<'a> {
    lab: &'a Lab,
    name: &'a str,
    clocks: Clocks,
    /// Time that its workers took.
    spent: Duration,
    /// When its time is over on the wall's clock, too, at the latest.
    end: Instant,
    files: String,
    minutes: BTreeMap<String, u32>,
    warnings: Vec<String>,
    resume: Resume,
    plan: Option<Plan>,
    verdicts: Vec<Option<Verdict>>,
    /// Checks that were begun and did not end.
    running: BTreeMap<usize, Instant>,
    /// Time of the exercises of which a check has begun, by id. What was spent while checks of
    /// several ran is shared among these.
    exercises: BTreeMap<&'static str, Duration>,
    /// Bytes that the workers have said.
    words: usize,
    kept: bool,
    over: bool,
}

/// Why a worker's work stopped.
enum End {
    /// It did all that it was asked for.
    Over,
    /// It died, broke its rules, or took too much: why.
    Died(Finding),
    /// The submission's time was over.
    Late,
    /// The time of these checks' exercise was over.
    LateExercise(Vec<usize>),
}

impl<'a> Case<'a> {
    pub fn new(lab: &'a Lab, name: &'a str, clocks: Clocks) -> Case<'a> {
        Case {
            lab,
            name,
            clocks,
            spent: Duration::ZERO,
            end: Instant::now() + clocks.whole * FAR,
            files: String::new(),
            minutes: BTreeMap::new(),
            warnings: Vec::new(),
            resume: Resume::default(),
            plan: None,
            verdicts: Vec::new(),
            running: BTreeMap::new(),
            exercises: BTreeMap::new(),
            words: 0,
            kept: false,
            over: false,
        }
    }

    /// True if the answer to its fingerprint was not to go on.
    pub fn is_kept(&self) -> bool {
        self.kept
    }

    /// Fingerprint of its files, and what it is worth.
    pub fn result(self, seed: u64) -> (String, LabResult) {
        let plan = self.plan.unwrap_or_else(|| Plan::of(self.lab, Vec::new()));
        let mut result = plan.result(self.verdicts, &self.resume.notes, seed);
        result.warnings = self.warnings;
        result.minutes = self.minutes;
        result.minutes.retain(|id, _| result.exercises.iter().any(|e| e.id == *id));
        (self.files, result)
    }

    /// Grades it, by workers that `program` becomes, or in this process. `go` is asked once, with
    /// the files' fingerprint.
    pub fn run(
        &mut self,
        mut order: Order,
        program: Option<&Path>,
        go: &dyn Fn(&str) -> Option<Go>,
    ) {
        let Some(program) = program else { return self.run_here(&order, go) };
        let mut told = None;
        let mut idle = 0;
        while !self.over && !self.kept {
            if self.plan.is_some() {
                self.resume.todo =
                    (0..self.verdicts.len()).filter(|k| self.verdicts[*k].is_none()).collect();
                order.resume = Some(self.resume.clone());
            }
            self.exercises.clear();
            let ended = match Talk::start(program, &order) {
                Ok(mut talk) => self.hear(&mut talk, &mut told, go),
                Err(why) => End::Died(Finding::grader(why)),
            };
            let running: Vec<usize> = self.running.keys().copied().collect();
            running.iter().for_each(|k| self.ended(*k));
            idle = if running.is_empty() { idle + 1 } else { 0 };
            match ended {
                End::Over => self.over = true,
                End::Late => {
                    let limit = self.clocks.whole.as_secs();
                    let text =
                        |what| format!("{what}: the submission's time of {limit} s was over");
                    self.fill(&running, &Finding::new(Class::Time, text("it did not end")));
                    self.fill_all(&Finding::new(Class::Time, text("not graded")));
                    self.warnings.push(format!(
                        "its time of {limit} s was over before all was graded: \
                         --submission-time gives more"
                    ));
                }
                End::LateExercise(late) => {
                    let limit = self.clocks.exercise.as_secs();
                    let text = format!("not graded: the exercise's time of {limit} s was over");
                    self.fill(&late, &Finding::new(Class::Time, text));
                }
                // Which of several checks it was shows when they are run one by one.
                End::Died(_) if running.len() > 1 => order.jobs = 1,
                End::Died(why) if running.len() == 1 => self.fill(&running, &why),
                End::Died(why) if self.plan.is_none() || idle >= TRIES => self.fill_all(&why),
                End::Died(_) => {}
            }
            self.over |= self.plan.is_some() && self.verdicts.iter().all(Option::is_some);
        }
    }

    fn run_here(&mut self, order: &Order, go: &dyn Fn(&str) -> Option<Go>) {
        let lab = self.lab;
        let this = Mutex::new(self);
        let case = || this.lock().unwrap_or_else(|e| e.into_inner());
        let asked = || {
            let files = case().files.clone();
            let go = go(&files);
            case().kept = go.is_none();
            go
        };
        let say = |said| {
            let _ = case().take(said);
        };
        if let Err(why) = work(lab, order, &asked, &say) {
            case().fill_all(&Finding::grader(why));
        }
    }

    /// Hears a worker to its end.
    fn hear(
        &mut self,
        talk: &mut Talk,
        told: &mut Option<Go>,
        go: &dyn Fn(&str) -> Option<Go>,
    ) -> End {
        if let Some(go) = told {
            talk.tell(go);
        }
        let mut meter = Meter::of(vec![talk.child.id()]);
        let pause = Meter::pause(self.clocks.exercise);
        let mut look = Instant::now() + pause;
        loop {
            let now = Instant::now();
            if now >= look {
                look = now + pause;
                let before = meter.spent();
                self.spend(meter.look(pause) - before);
                if self.spent >= self.clocks.whole || now >= self.end {
                    return End::Late;
                }
                if let Some(late) = self.late_exercise() {
                    return End::LateExercise(late);
                }
            }
            let line = match talk.lines.recv_timeout(look.saturating_duration_since(now)) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return End::Died(talk.last_words()),
            };
            self.words += line.len();
            let said = match serde_json::from_slice(&line) {
                Ok(said) => said,
                Err(_) => return End::Died(broke_rules()),
            };
            let files_taken = matches!(said, Said::Taken { .. });
            if let Some(end) = self.take(said) {
                return end;
            }
            if files_taken {
                // Compiling the lab for all is not this submission's time.
                let since = Instant::now();
                *told = go(&self.files);
                self.end += since.elapsed();
                match told {
                    Some(go) => talk.tell(go),
                    None => {
                        self.kept = true;
                        return End::Over;
                    }
                }
            }
        }
    }

    /// Takes in what a worker says; why it stops if it does.
    fn take(&mut self, said: Said) -> Option<End> {
        match said {
            Said::Taken { files, notes, warnings, minutes } if self.plan.is_none() => {
                self.files = files;
                self.minutes = minutes;
                self.resume.notes = notes;
                self.warnings = warnings;
            }
            Said::Compiled { outcome, notes } if self.plan.is_none() => {
                self.resume.notes.extend(notes);
                self.resume.compiled = Some(outcome);
            }
            Said::Plan { started } if started.len() == self.lab.exercises.len() => {
                if self.plan.is_none() {
                    let plan = Plan::of(self.lab, started);
                    self.verdicts = vec![None; plan.tasks().len()];
                    self.plan = Some(plan);
                }
            }
            Said::Begun(k) if self.verdicts.get(k).is_some_and(Option::is_none) => {
                let now = Instant::now();
                self.running.insert(k, now);
                if let Some((check, exercise)) = self.task(k) {
                    self.exercises.entry(exercise).or_default();
                    let limit = self.clocks.exercise;
                    tell(&Doing::Running { check: &check, since: now, limit });
                }
            }
            Said::Ended(k, verdict) if self.verdicts.get(k).is_some_and(Option::is_none) => {
                self.ended(k);
                let verdict = if self.words > MAX_WORDS { bare(verdict) } else { verdict };
                self.verdicts[k] = Some(verdict);
            }
            Said::Memory => return Some(End::Died(too_much_memory())),
            Said::Failed(why) => return Some(End::Died(Finding::grader(why))),
            Said::Over if self.plan.is_some() => return Some(End::Over),
            _ => return Some(End::Died(broke_rules())),
        }
        None
    }

    /// A check does not run any more.
    fn ended(&mut self, k: usize) {
        if let (Some(since), Some((check, _))) = (self.running.remove(&k), self.task(k)) {
            tell(&Doing::Ran { check: &check, since });
        }
    }

    /// Name of a check for people, and the id of its exercise.
    fn task(&self, k: usize) -> Option<(String, &'static str)> {
        let (exercise, check) = *self.plan.as_ref()?.tasks().get(k)?;
        Some((format!("{}: {} {}", self.name, exercise.number(), check.name), exercise.id))
    }

    /// Time that the worker took is the submission's, and that of the exercises that run.
    fn spend(&mut self, time: Duration) {
        self.spent += time;
        let running: BTreeSet<_> =
            self.running.keys().filter_map(|k| Some(self.task(*k)?.1)).collect();
        for exercise in &running {
            *self.exercises.entry(exercise).or_default() += time / running.len() as u32;
        }
    }

    /// The checks, not ended, of an exercise that runs and whose time is over.
    fn late_exercise(&self) -> Option<Vec<usize>> {
        let late = self.running.keys().find_map(|k| {
            let (_, id) = self.task(*k)?;
            (*self.exercises.get(id)? >= self.clocks.exercise).then_some(id)
        })?;
        let of_it = |k: &usize| self.task(*k).is_some_and(|(_, id)| id == late);
        let open = (0..self.verdicts.len()).filter(|k| self.verdicts[*k].is_none());
        Some(open.filter(of_it).collect())
    }

    /// What has no verdict yet gets this one.
    fn fill(&mut self, which: &[usize], why: &Finding) {
        for k in which {
            if let Some(open @ None) = self.verdicts.get_mut(*k) {
                *open = Some(Verdict::Fail(why.clone()));
            }
        }
    }

    fn fill_all(&mut self, why: &Finding) {
        if self.plan.is_none() {
            // Nobody knows what was begun: all of it counts as begun.
            let plan = Plan::of(self.lab, vec![true; self.lab.exercises.len()]);
            self.verdicts = vec![None; plan.tasks().len()];
            self.plan = Some(plan);
        }
        let all: Vec<usize> = (0..self.verdicts.len()).collect();
        self.fill(&all, why);
        self.over = true;
    }
}

fn broke_rules() -> Finding {
    Finding::new(Class::NotGradable, "the part of the judge that graded this said what it must not")
}

/// A verdict with few words: its submission has said enough.
fn bare(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Fail(finding) => {
            let message: String = finding.message.chars().take(500).collect();
            let hint = finding.hint.filter(|hint| hint.len() < 100);
            let details = "left out: this submission's report is too long\n".into();
            Verdict::Fail(Finding { hint, details, ..Finding::new(finding.class, message) })
        }
        Verdict::Pass(_) => Verdict::Pass(Default::default()),
    }
}

/// A worker that runs. Dropping it ends it, and all that it started.
struct Talk {
    child: Child,
    /// Lines of what it says.
    lines: Receiver<Vec<u8>>,
    /// File of its messages.
    errors: std::path::PathBuf,
    /// Its temporary files, which a worker that is ended cannot remove.
    _temporary: tempfile::TempDir,
}

impl Talk {
    fn start(program: &Path, order: &Order) -> Result<Talk, String> {
        let failed = |e: std::io::Error| format!("{}: {e}", program.display());
        let errors = order.bench.join("worker.err");
        let temporary = tempfile::tempdir().map_err(failed)?;
        let mut command = Command::new(program);
        command.envs(crate::limits::KEEP_PAGES);
        // The second is Windows' name.
        command.env("TMPDIR", temporary.path()).env("TMP", temporary.path());
        command.arg(WORKER).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(std::fs::File::create(&errors).map_err(failed)?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(failed)?;
        let (tell, lines) = sync_channel(4);
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                let mut from = BufReader::new(stdout);
                loop {
                    let mut line = Vec::new();
                    let read = from.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut line);
                    // A line that is too long goes in parts, none of which is JSON.
                    if !matches!(read, Ok(1..)) || tell.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        let mut talk = Talk { child, lines, errors, _temporary: temporary };
        talk.tell(order);
        Ok(talk)
    }

    /// A worker that does not listen has died, which shows when it is heard.
    fn tell(&mut self, what: &impl serde::Serialize) {
        let line = serde_json::to_string(what).unwrap_or_default() + "\n";
        if let Some(input) = &mut self.child.stdin {
            let _ = input.write_all(line.as_bytes());
        }
    }

    /// Why it died.
    fn last_words(&mut self) -> Finding {
        let status = self.child.wait();
        #[cfg(unix)]
        let signal =
            status.ok().and_then(|status| std::os::unix::process::ExitStatusExt::signal(&status));
        #[cfg(not(unix))]
        let signal = status.ok().and(None);
        let mut words = Vec::new();
        if let Ok(file) = std::fs::File::open(&self.errors) {
            let _ = file.take(4 << 10).read_to_end(&mut words);
        }
        died(&String::from_utf8_lossy(&words), signal)
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // Its group has what it started itself; the sandboxes end when it does.
        sandbox::own::kill_group(self.child.id());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Check, Evidence, Exercise};

    const CHECK: Check = Check { name: "c", what: "", weight: 1, run: |_| Ok(Evidence::new("")) };
    const fn exercise(id: &'static str) -> Exercise {
        let checks = &[CHECK, CHECK];
        Exercise { id, key: id, title: "", points: 50, files: &[], todo: "", hints: &[], checks }
    }
    const LAB: Lab = Lab {
        id: "lab",
        package: "lab",
        title: "",
        host_bin: "",
        device: None,
        nearly: &[],
        exercises: &[exercise("T-1"), exercise("T-2")],
        sources: &[],
        elsewhere: &[],
    };

    #[test]
    fn exercises_share_the_time_in_which_their_checks_run_together() {
        let seconds = Duration::from_secs;
        let clocks = Clocks { whole: seconds(300), exercise: seconds(120) };
        let mut case = Case::new(&LAB, "ann", clocks);
        case.take(Said::Plan { started: vec![true, true] });
        // What is compiled is the submission's time and no exercise's.
        case.spend(seconds(50));
        case.take(Said::Begun(0));
        case.take(Said::Begun(1));
        case.spend(seconds(60));
        assert_eq!(case.exercises["T-1"], seconds(60), "two checks of one exercise");
        case.take(Said::Begun(2));
        case.spend(seconds(100));
        assert_eq!((case.exercises["T-1"], case.exercises["T-2"]), (seconds(110), seconds(50)));
        assert_eq!(case.late_exercise(), None);
        case.spend(seconds(20));
        assert_eq!(case.late_exercise(), Some(vec![0, 1]));
        assert_eq!(case.spent, seconds(230));
    }
}
