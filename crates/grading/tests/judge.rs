//! The judge on a tiny course of one lab, with a host program of a few lines: who gets points, and
//! who does not.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use building::{Event, Said};
use grading::report::{Graded, json};
use grading::submission::{Batch, Guard, TIME, find};
use grading::watch::{Doing, observe};
use grading::{
    Check, Class, Evidence, Exercise, Finding, Host, Lab, LabResult, Options, Outcome, Place,
    Points, Trial, expect, grade, host, overlay,
};
use serde_json::json;
use simt::files::Files;

const LAB: Lab = Lab {
    id: "tiny",
    package: "tiny-lab",
    title: "A tiny lab",
    host_bin: "tiny-host",
    device: None,
    nearly: &[],
    exercises: &[ANSWER, HOST],
    sources: &[],
    elsewhere: &[],
};

const ANSWER: Exercise = Exercise {
    id: "T-1",
    key: "t1",
    title: "An answer",
    points: 40,
    files: &["answers/t1.toml"],
    todo: "Write seven.",
    hints: &[("a", "it is prime")],
    checks: &[Check { name: "seven", what: "seven = 7", weight: 1, run: seven }],
};

const HOST: Exercise = Exercise {
    id: "T-2",
    key: "t2",
    title: "A function",
    points: 60,
    files: &["src/double.rs"],
    todo: "Double it.",
    hints: &[("b", "twice, not once")],
    checks: &[
        Check { name: "small", what: "double of small numbers", weight: 2, run: small },
        Check { name: "random", what: "double of a random number", weight: 1, run: random },
    ],
};

fn seven(t: &Trial) -> Outcome {
    let got = t.answers("answers/t1.toml")?.int("seven")?;
    expect::same("seven", &got, &7).map_err(|f| f.hint("a"))
}

fn double(t: &Trial, x: i64) -> Result<i64, Finding> {
    let reply = t.call("double", &json!(x))?;
    host::value(&reply)?.as_i64().ok_or_else(|| Finding::wrong("no number"))
}

fn small(t: &Trial) -> Outcome {
    expect::same("double(3)", &double(t, 3)?, &6).map_err(|f| f.hint("b"))
}

fn random(t: &Trial) -> Outcome {
    use rand::RngExt;
    let x = t.rng().random_range(10..1000);
    expect::same(&format!("double({x})"), &double(t, x)?, &(2 * x)).map_err(|f| f.hint("b"))
}

const ANSWER_SOLUTION: &str = "# <lab\n#~ seven = \"\"\nseven = 7\n# lab>\n";
const DOUBLE_SOLUTION: &str = "//! Doubling.\n\n/// Twice `x`.\n\
                               pub fn double(x: i64) -> i64 {\n    // <lab\n    //~ let _ = \
                               x;\n    //~ 0\n    2 * x\n    // lab>\n}\n";

/// A program that answers `double` and nothing else, with no dependency.
const MAIN: &str = r#"//! Host program.

fn main() {
    let path: Vec<String> = std::env::args().collect();
    let request = std::fs::read_to_string(&path[1]).unwrap();
    let digits: String = request.chars().filter(|c| c.is_ascii_digit()).collect();
    let x: i64 = digits.parse().unwrap();
    let value = tiny_lab::double::double(x);
    let reply = format!(
        "{{\"call\":\"double\",\"outcome\":{{\"ok\":{value}}},\"backend\":\"emulated\",\"api\":[],\
         \"api_dropped\":0,\"launches\":[],\"faults\":[],\"wall_ms\":0.5}}\n"
    );
    std::fs::write(&path[2], reply).unwrap();
}
"#;

struct Course {
    dir: tempfile::TempDir,
    place: Place,
}

fn put(dir: &Path, rel: &str, text: &str) {
    overlay::write(&dir.join(rel), text).unwrap();
}

fn course() -> Course {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("course");
    put(
        &root,
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"tiny-lab\", \"other\"]\n\
         [workspace.dependencies]\nother = { path = \"other\" }\n",
    );
    put(&root, "other/Cargo.toml", "[package]\nname = \"other\"\nedition = \"2024\"\n");
    put(&root, "other/src/lib.rs", "//! Given.\n");
    put(
        &root,
        "tiny-lab/Cargo.toml",
        "[package]\nname = \"tiny-lab\"\nedition = \"2024\"\n[dependencies]\n\
         other.workspace = true\n[[bin]]\nname = \"tiny-host\"\npath = \"src/main.rs\"\n",
    );
    put(&root, "tiny-lab/src/main.rs", MAIN);
    put(&root, "tiny-lab/src/lib.rs", "//! A tiny lab.\npub mod double;\n");
    put(&root, "solutions/tiny-lab/answers/t1.toml", ANSWER_SOLUTION);
    put(&root, "solutions/tiny-lab/src/double.rs", DOUBLE_SOLUTION);
    let place = Place { target: root.join("target"), ..Place::at(&root) };
    overlay::skeletons(&place, &LAB, &place.lab_dir(&LAB)).unwrap();
    Course { dir, place }
}

fn points(result: &LabResult) -> [Points; 2] {
    [result.exercises[0].earned, result.exercises[1].earned]
}

/// As a page does it: no disk, no process. The bytes are those of the disk, but for host code.
#[test]
fn a_course_in_memory_is_judged_like_one_on_disk() {
    let course = course();
    let lab_dir = course.place.lab_dir(&LAB);
    let mut files = Vec::new();
    for rel in LAB.files() {
        let skeleton = overlay::read(&lab_dir, rel).unwrap();
        files.push((format!("tiny-lab/.skeleton/{rel}").into(), skeleton));
        let solution = overlay::read(&course.place.solution_dir(&LAB), rel).unwrap();
        files.push((format!("tiny-lab/{rel}").into(), solution));
    }
    let place = Place::in_memory(Files::memory(files));
    let why = |exercise: &Exercise| exercise.elsewhere("runs host code");
    let host = || Host::missing(why(&LAB.exercises[1]));
    let result = grade(&place, &LAB, &place.work_with(&LAB, host()), &Options::new(1));
    let solution = course.place.solution_work(&LAB, host());
    assert_eq!(result, grade(&course.place, &LAB, &solution, &Options::new(1)));
    assert!(result.exercises[0].done() && !result.exercises[1].done());
    let finding = result.exercises[1].checks[0].finding().unwrap();
    assert_eq!(finding.class, Class::Elsewhere);
    assert!(finding.message.contains("`cargo lab run"), "{}", finding.message);
}

#[test]
fn an_untouched_skeleton_gets_no_points_and_a_sentence_and_runs_nothing() {
    let course = course();
    let result = grade(&course.place, &LAB, &course.place.own_work(&LAB), &Options::new(1));
    assert_eq!(result.earned, Points(0));
    for exercise in &result.exercises {
        assert!(exercise.not_started);
        let finding = exercise.checks[0].finding().unwrap();
        assert_eq!((finding.class, &finding.message), (Class::NotStarted, &exercise.todo));
    }
    assert!(!course.place.root.join("target").exists(), "nothing was built");
}

/// What the observer has heard, in words.
static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// The lock of another judge at work.
static OTHER: Mutex<Option<fs::File>> = Mutex::new(None);

/// Notes what a judge does; the other one ends when this one waits for it.
fn seen(doing: &Doing) {
    let text = match doing {
        Doing::Building { bin, event: Event::Said(Said::Progress { .. }), .. } => *bin,
        Doing::Building { .. } => return,
        Doing::Built => "built",
        Doing::Running { check, limit, .. } => &format!("{check} of {} s", limit.as_secs()),
        Doing::Ran { check, .. } => check,
        Doing::Queued { lab, .. } => {
            OTHER.lock().unwrap().take();
            &format!("{lab} waits")
        }
        Doing::Alone => "alone",
    };
    SEEN.lock().unwrap().push(text.to_string());
}

/// Another judge at work on the lab, until it is waited for; or for a minute, so that one that
/// waits and does not say so is found out.
fn another_judge_until_it_is_waited_for(course: &Course) {
    let folder = course.place.state_dir().join("grade").join(LAB.id);
    fs::create_dir_all(&folder).unwrap();
    let lock = fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    *OTHER.lock().unwrap() = Some(lock);
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(60));
        OTHER.lock().unwrap().take();
    });
}

/// The test is long because one batch, whose builds take seconds, is asked for everything.
#[test]
fn a_submission_is_judged_by_its_listed_files_and_never_stops_the_batch() {
    let course = course();
    let all = course.dir.path().join("submissions");
    let submit = |name: &str, answer: Option<&str>, double: Option<&str>| {
        let dir = all.join(name).join("tiny-lab");
        fs::create_dir_all(&dir).unwrap();
        if let Some(text) = answer {
            put(&dir, "answers/t1.toml", text);
        }
        if let Some(text) = double {
            put(&dir, "src/double.rs", text);
        }
    };
    let body = |code: &str| DOUBLE_SOLUTION.replace("    2 * x\n", code);
    submit("perfect", Some(ANSWER_SOLUTION), Some(DOUBLE_SOLUTION));
    submit("once", Some("seven = 8\n"), Some(&body("    x\n")));
    submit("three", Some(ANSWER_SOLUTION), Some(&body("    if x == 3 { 6 } else { 0 }\n")));
    submit("exit", Some(ANSWER_SOLUTION), Some(&body("    std::process::exit(0)\n")));
    submit("panic", Some(ANSWER_SOLUTION), Some(&body("    panic!(\"{x}\")\n")));
    submit("syntax", Some("seven = = 7\n"), Some(&body("    2 * y\n")));
    submit("missing", None, Some(DOUBLE_SOLUTION));
    submit("empty", None, None);
    // A manifest, a build script and a host program of the submission's own are not read.
    submit("sneaky", Some(ANSWER_SOLUTION), Some(DOUBLE_SOLUTION));
    let sneaky = all.join("sneaky/tiny-lab");
    put(&sneaky, "build.rs", "fn main() { panic!() }");
    put(&sneaky, "Cargo.toml", "nonsense");
    put(&sneaky, "src/main.rs", "nonsense");
    #[cfg(unix)]
    {
        submit("link", None, Some(DOUBLE_SOLUTION));
        let target = all.join("perfect/tiny-lab/answers");
        std::os::unix::fs::symlink(target, all.join("link/tiny-lab/answers")).unwrap();
    }
    put(&all, "notes.txt", "not a submission");

    let submissions = find(&all, &[LAB]).unwrap().submissions;
    let batch = Batch {
        place: &course.place,
        lab: &LAB,
        results: course.dir.path().join("results"),
        seed: 5,
        again: false,
        jobs: 3,
        guard: Guard::Trust,
        worker: None,
        time: TIME,
    };
    another_judge_until_it_is_waited_for(&course);
    observe(seen);
    let heard = Mutex::new(Vec::new());
    let done = batch.run(&submissions, |ended, _| heard.lock().unwrap().push(ended)).unwrap();
    let mut heard = heard.into_inner().unwrap();
    heard.sort();
    assert!(heard.into_iter().eq(1..=submissions.len()));
    // Whoever shows it hears of builds, how far they are, and of host programs.
    let seen = std::mem::take(&mut *SEEN.lock().unwrap());
    // Other tests' judges are heard, too.
    let first = |text: &str| seen.iter().position(|seen| seen == text).expect(text);
    assert!(first("tiny waits") < first("alone") && first("alone") < first("2 small of 60 s"));
    let times = |text: &str| seen.iter().filter(|s| *s == text).count();
    assert!(times("tiny-host") > 0 && times("built") > 0, "{seen:?}");
    assert!(times("2 small of 60 s") > 0, "{seen:?}");
    assert_eq!(times("2 small of 60 s"), times("2 small"), "each that ran has ended");
    assert!(done.iter().map(|d| &d.record.name).eq(submissions.iter().map(|s| &s.name)));
    let by_name: BTreeMap<&str, &LabResult> =
        done.iter().map(|d| (d.record.name.as_str(), &d.record.result)).collect();
    let earned = |name: &str| points(by_name[name]).map(|p| p.0 / 100);
    let finding = |name: &str, exercise: usize, check: usize| {
        by_name[name].exercises[exercise].checks[check].finding().unwrap().clone()
    };
    assert_eq!(earned("perfect"), [40, 60]);
    assert_eq!(earned("sneaky"), [40, 60]);
    assert_eq!(earned("once"), [0, 0]);
    assert_eq!(earned("three"), [40, 40]);
    assert_eq!(finding("once", 1, 0).message, "double(3): expected 6, got 3");
    assert_eq!(by_name["once"].exercises[1].checks[0].hint.as_deref(), Some("twice, not once"));
    assert_eq!(earned("exit"), [40, 0]);
    assert_eq!(finding("exit", 1, 0).class, Class::Crash);
    assert_eq!(earned("panic"), [40, 0]);
    assert_eq!(finding("panic", 1, 0).class, Class::Crash);
    assert!(finding("panic", 1, 0).details.contains("panicked"));
    assert_eq!(earned("syntax"), [0, 0]);
    let syntax = finding("syntax", 1, 0);
    assert_eq!(syntax.class, Class::NotGradable);
    assert!(syntax.message.contains("cannot find value `y`"), "{}", syntax.message);
    assert!(syntax.message.contains("tiny-lab/src/double.rs:8:"), "{}", syntax.message);
    assert!(!syntax.details.contains("/course/"), "no path of this machine: {}", syntax.details);
    assert_eq!(earned("missing"), [0, 60]);
    assert_eq!(finding("missing", 0, 0).message, "answers/t1.toml is missing");
    assert_eq!(earned("empty"), [0, 0]);
    assert_eq!(finding("empty", 1, 0).class, Class::NotGradable);
    #[cfg(unix)]
    {
        assert_eq!(earned("link"), [0, 60]);
        assert!(finding("link", 0, 0).message.contains("symbolic link"));
    }

    // The same call again keeps everything; a change is graded and told.
    assert!(batch.run(&submissions, |_, _| {}).unwrap().iter().all(|d| d.kept));
    submit("once", Some(ANSWER_SOLUTION), Some(DOUBLE_SOLUTION));
    let again = batch.run(&submissions, |_, _| {}).unwrap();
    let changed: Vec<_> = again.iter().filter(|d| !d.kept).collect();
    assert_eq!(changed.len(), 1);
    assert_eq!(changed[0].changes[0], "once: 0 -> 100 points (its files changed)");
    assert_eq!(changed[0].changes[1], "T-1 [seven]: wrong -> ok");

    // What `reset` leaves beside the exercises changes neither the grader nor the marks.
    put(&course.place.lab_dir(&LAB), "src/double.rs.orig", "as it was");
    assert!(batch.run(&submissions, |_, _| {}).unwrap().iter().all(|d| d.kept));
    // A result that somebody changed, or copied from another, is graded again and named.
    let kept_of = |name: &str| {
        let mut files = fs::read_dir(&batch.results).unwrap().map(|e| e.unwrap().path());
        let of_it = |p: &PathBuf| p.file_name().unwrap().to_str().unwrap().starts_with(name);
        files.find(of_it).unwrap()
    };
    let text = fs::read_to_string(kept_of("exit-")).unwrap();
    assert!(text.contains("\"earned\": 40"), "{text}");
    fs::write(kept_of("exit-"), text.replace("\"earned\": 40", "\"earned\": 100")).unwrap();
    let perfect = fs::read_to_string(kept_of("perfect-")).unwrap();
    fs::write(kept_of("panic-"), perfect.replace("perfect", "panic")).unwrap();
    let again = batch.run(&submissions, |_, _| {}).unwrap();
    for done in again.iter().filter(|d| !d.kept) {
        let name = &done.record.name;
        let want = format!(
            "{name}: what was kept of it was not written by this judge, or was changed: graded \
             again, 40 points"
        );
        assert_eq!(done.changes, [want]);
    }
    let graded: Vec<&str> =
        again.iter().filter(|d| !d.kept).map(|d| d.record.name.as_str()).collect();
    assert_eq!(graded, ["exit", "panic"]);

    // From scratch, the same bytes, however many are graded at a time.
    let text = |results: &str, jobs| {
        let results = course.dir.path().join(results);
        let batch = Batch { results, jobs, guard: Guard::Trust, worker: None, ..batch };
        let done = batch.run(&submissions, |_, _| {}).unwrap();
        let graded = |d: grading::submission::Done| Graded {
            name: d.record.name,
            labs: vec![d.record.result],
        };
        json(&done.into_iter().map(graded).collect::<Vec<_>>())
    };
    assert!(text("first", 1) == text("second", 4), "two runs with one seed gave different bytes");
}

#[test]
fn a_folder_is_taken_as_it_comes_or_a_warning_says_what_is_odd() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let names = |name: &str| -> (Vec<String>, Vec<String>) {
        let found = find(&at(name), &[LAB]).unwrap();
        (found.submissions.into_iter().map(|s| s.name).collect(), found.warnings)
    };
    put(&at("class"), "ann/tiny-lab/src/double.rs", "");
    put(&at("class"), "Bob Lee_4711_assignsubmission_file_/tiny-lab.zip", "");
    put(&at("class"), "leecy_12345_678_lab.zip", "");
    put(&at("class"), ".hidden/x", "");
    let (found, warnings) = names("class");
    let want = ["Bob Lee_4711_assignsubmission_file_", "ann", "leecy_12345_678_lab"];
    assert_eq!((&found[..], &warnings[..]), (&want.map(String::from)[..], &[][..]));
    // One level too deep, and two: not labs as students.
    for deep in ["class/ann", "class/ann/tiny-lab"] {
        let (found, warnings) = names(deep);
        assert_eq!(found, [deep.rsplit('/').next().unwrap()]);
        assert!(warnings[0].contains("holds the files of one submission"), "{warnings:?}");
    }
    put(&at("class"), "tiny-lab/src/double.rs", "");
    put(&at("class"), "notes.txt", "");
    let (_, warnings) = names("class");
    assert_eq!(
        warnings,
        [
            "notes.txt is neither a folder nor a zip archive: passed over",
            "tiny-lab is called as a lab, not as a student: whose is it?"
        ]
    );
    put(&at("none"), "notes.txt", "");
    assert!(find(&at("none"), &[LAB]).unwrap_err().contains("there is no submission"));
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        for name in [b"a\xff", b"a\xfe"] {
            put(
                &at("bytes").join(std::ffi::OsStr::from_bytes(name)),
                "tiny-lab/answers/t1.toml",
                "",
            );
        }
        assert_eq!(names("bytes").0, ["a\\xfe", "a\\xff"]);
    }
}

#[test]
fn several_submissions_are_graded_at_the_same_time() {
    /// Passes if the check of another submission runs meanwhile.
    fn meets(_: &Trial) -> Outcome {
        static HERE: Mutex<usize> = Mutex::new(0);
        static CAME: Condvar = Condvar::new();
        let mut here = HERE.lock().unwrap();
        *here += 1;
        CAME.notify_all();
        let (_here, late) = CAME.wait_timeout_while(here, MEETING, |here| *here < 2).unwrap();
        expect::that(!late.timed_out(), || "nobody else came".into())?;
        Ok(Evidence::new("met"))
    }
    const MEETING: Duration = Duration::from_secs(250);
    const CHECKS: &[Check] = &[Check { name: "meets", what: "", weight: 1, run: meets }];
    const EXERCISES: &[Exercise] = &[Exercise { checks: CHECKS, ..ANSWER }, HOST];
    let lab = Lab { exercises: EXERCISES, ..LAB };
    let course = course();
    let all = course.dir.path().join("submissions");
    put(&all, "ann/tiny-lab/answers/t1.toml", ANSWER_SOLUTION);
    put(&all, "bob/tiny-lab/answers/t1.toml", ANSWER_SOLUTION);
    let results = course.dir.path().join("results");
    let batch = Batch {
        place: &course.place,
        lab: &lab,
        results,
        seed: 5,
        again: false,
        jobs: 2,
        guard: Guard::Trust,
        worker: None,
        time: TIME,
    };
    let done = batch.run(&find(&all, &[LAB]).unwrap().submissions, |_, _| {}).unwrap();
    let met = |d: &grading::submission::Done| d.record.result.exercises[0].done();
    assert!(done.iter().all(met), "{done:?}");
}

#[test]
fn verdicts_come_in_the_order_of_the_checks_and_a_panic_is_the_graders_fault() {
    fn slow(_: &Trial) -> Outcome {
        std::thread::sleep(Duration::from_millis(50));
        Ok(Evidence::new("slow"))
    }
    fn broken(_: &Trial) -> Outcome {
        let nothing: Vec<u8> = Vec::new();
        Ok(Evidence::new(nothing[1].to_string()))
    }
    fn seeded(t: &Trial) -> Outcome {
        use rand::RngExt;
        Ok(Evidence::new(t.rng().random::<u64>().to_string()))
    }
    const CHECKS: &[Check] = &[
        Check { name: "slow", what: "", weight: 1, run: slow },
        Check { name: "broken", what: "", weight: 1, run: broken },
        Check { name: "seeded", what: "", weight: 1, run: seeded },
    ];
    const EXERCISES: &[Exercise] = &[Exercise { checks: CHECKS, points: 10, ..ANSWER }];
    let lab = Lab { exercises: EXERCISES, ..LAB };
    let course = course();
    let run = |seed, jobs| {
        let options = Options { force: true, jobs, ..Options::new(seed) };
        grade(&course.place, &lab, &course.place.own_work(&lab), &options)
    };
    let result = run(3, 8);
    assert_eq!(result.earned, Points(667));
    assert!(result.grader_at_fault());
    let checks = &result.exercises[0].checks;
    let finding = checks[1].finding().unwrap();
    assert_eq!(finding.class, Class::GraderFault);
    assert!(finding.message.contains("index out of bounds"), "{}", finding.message);
    assert_eq!(checks[0].name, "slow");
    assert_eq!(run(3, 1), result, "the same seed gives the same result on any number of cores");
    assert_ne!(run(4, 8).exercises[0].checks[2], checks[2]);
}
