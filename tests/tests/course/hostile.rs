//! The hostile zoo, `tests/hostile/CLASS/NAME.toml`: submissions that try to cheat, harm or read. Each has its expected
//! verdict, costs nobody else a mark, shows no secret, and leaves nothing behind.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use course_tests::place;
use grading::submission::{Batch, Guard, find};
use grading::{Exercise, Lab, LabResult, overlay};
use serde::Deserialize;

/// The file and the function that a case changes if it does not say, and the exercises that are graded: the other one has
/// nothing to do with it.
const HOST: &str = "src/e1_1_05.rs";
const FUNCTION: &str = "fn best_of";
const EXERCISES: [&str; 2] = ["e1_1_03", "e1_1_05"];
/// What no report may show.
const SECRET: &str = "the judge's own secret 4711";

/// One hostile submission: the solution, changed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What it tries.
    #[allow(dead_code, reason = "for people")]
    what: String,
    /// `full`, or the class of the changed exercise's findings; `a|b` where the kernel may be first or the stage.
    expect: String,
    /// Code before the first item.
    #[serde(default)]
    top: String,
    /// Code at the beginning of the function.
    #[serde(default)]
    code: String,
    /// The changed file, if not `src/e1_1_05.rs`.
    file: Option<String>,
    /// How the changed function begins, if not with `fn best_of`.
    function: Option<String>,
    /// The other exercise is lost, too.
    #[serde(default)]
    all: bool,
    /// What is made of the file or the folders around it.
    make: Option<String>,
    /// Name of the folder, if it matters.
    name: Option<String>,
}

fn lab() -> Lab {
    let lab = lab1_checks::LAB;
    let chosen: Vec<Exercise> = EXERCISES.iter().map(|key| *lab.exercise(key).unwrap()).collect();
    Lab { exercises: Vec::leak(chosen), ..lab }
}

/// The cases of these classes by name.
fn cases(classes: &[&str]) -> BTreeMap<String, Case> {
    let zoo = Path::new(env!("CARGO_MANIFEST_DIR")).join("hostile");
    let mut cases = BTreeMap::new();
    for class in classes {
        for entry in fs::read_dir(zoo.join(class)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let text = fs::read_to_string(&path).unwrap();
            let case = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            cases.insert(format!("m-{class}-{name}"), case);
        }
    }
    assert!(!cases.is_empty());
    cases
}

/// Everything below a folder: names and contents. FIFOs are not opened.
fn inventory(dir: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            all.extend(inventory(&entry.path()));
        }
        all.insert(entry.path(), kind.is_file().then(|| fs::read(entry.path()).unwrap()));
    }
    all
}

fn graded(classes: &[&str]) {
    let guard = Guard::probe(Path::new(env!("CARGO_BIN_EXE_course-judge")));
    if let Guard::Sandbox { protection, .. } = &guard
        && let Some(why) = protection.refusal()
    {
        eprintln!("skipped: {why}");
        assert!(std::env::var_os("CI").is_none(), "{why}");
        return;
    }
    let place = place();
    let lab = lab();
    let solution = place.solution_dir(&lab);
    let dir = tempfile::tempdir().unwrap();
    let (all, outside) = (dir.path().join("submissions"), dir.path().join("outside"));
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("secret"), SECRET).unwrap();
    fifo(&outside.join("fifo"));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let marker = format!("zoo-{}", std::process::id());
    let values = [
        ("{outside}", outside.display().to_string()),
        ("{solution}", solution.display().to_string()),
        ("{submissions}", all.display().to_string()),
        ("{judge}", std::process::id().to_string()),
        ("{port}", listener.local_addr().unwrap().port().to_string()),
        ("{marker}", marker.clone()),
    ];
    let filled = |text: &str| values.iter().fold(text.to_string(), |t, (k, v)| t.replace(k, v));

    let honest = |name: &str| {
        let to = all.join(name).join(lab.package);
        overlay::overlay(&lab, &solution, &BTreeMap::new(), &to).unwrap();
    };
    honest("a-honest");
    honest("z-honest");
    let cases = cases(classes);
    let mut folders: BTreeMap<OsString, &str> = BTreeMap::new();
    for (name, case) in &cases {
        let folder = OsString::from(case.name.as_ref().unwrap_or(name));
        let to = all.join(&folder).join(lab.package);
        let file = case.file.as_deref().unwrap_or(HOST);
        let text = overlay::read(&solution, file).unwrap();
        let at = text.find(case.function.as_deref().unwrap_or(FUNCTION)).unwrap();
        let body = at + text[at..].find("{\n").unwrap() + 2;
        // The module's own documentation must stay in front.
        let first = text.find("use ").unwrap();
        let changed = format!(
            "{}{}\n{}{}{}",
            &text[..first],
            filled(&case.top),
            &text[first..body],
            filled(&case.code),
            &text[body..]
        );
        let changed = BTreeMap::from([(file.to_string(), changed)]);
        overlay::overlay(&lab, &solution, &changed, &to).unwrap();
        if let Some(what) = &case.make {
            make(what, &to, &solution, &outside);
        }
        folders.insert(folder, name);
    }
    let before = (inventory(&outside), inventory(&solution), inventory(&all));

    let batch = Batch {
        place: &place,
        lab: &lab,
        results: dir.path().join("results"),
        seed: 11,
        again: false,
        jobs: 0,
        guard,
    };
    let submissions = find(&all).unwrap();
    let done = batch.run(&submissions, |_, _| {}).unwrap();

    let mut wrong = Vec::new();
    for (submission, done) in submissions.iter().zip(&done) {
        let result = &done.record.result;
        let report = serde_json::to_string(&done.record).unwrap();
        let name = submission.dir.file_name().unwrap();
        let (name, case) = match folders.get(name) {
            Some(name) => (*name, Some(&cases[*name])),
            None => ("honest", None),
        };
        let expect = case.map_or("full", |c| c.expect.as_str());
        let all = case.is_some_and(|c| c.all);
        let file = case.and_then(|c| c.file.as_deref()).unwrap_or(HOST);
        if report.contains(SECRET) || report.contains("root:x:0") {
            wrong.push(format!("{name}: the report shows a secret"));
        }
        if done.record.name.contains(char::is_control) {
            wrong.push(format!("{name}: its name moves the cursor"));
        }
        let found = verdict(result, file);
        // A file that does not compile, or is not there, takes the other exercise's host checks with it.
        if !expect.split('|').any(|class| class == found.1)
            || (!found.0 && !all && expect != "not gradable")
        {
            let text = grading::report::lab_text(result, grading::report::Paint(false), true);
            wrong.push(format!("{name}: expected {expect}, found {found:?}\n{text}"));
        }
    }
    if listener.accept().is_ok() {
        wrong.push("a submission connected to the judge".into());
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    if before != (inventory(&outside), inventory(&solution), inventory(&all)) {
        wrong.push("files beside the box have changed".into());
    }
    if Path::new("/tmp").join(marker).exists() {
        wrong.push("a daemon is left".into());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether the other exercise has its marks, and how the changed one ended.
fn verdict(result: &LabResult, file: &str) -> (bool, String) {
    let [changed, other] = if file == HOST { [1, 0] } else { [0, 1] };
    let (changed, other) = (&result.exercises[changed], &result.exercises[other]);
    let classes = changed.checks.iter().filter_map(|c| Some(c.finding()?.class.name()));
    let class = match classes.max_by_key(|name| *name == "grader's fault") {
        None => "full".to_string(),
        Some(name) => name.to_string(),
    };
    (other.done(), class)
}

fn fifo(path: &Path) {
    let done = std::process::Command::new("mkfifo").arg(path).status();
    assert!(done.is_ok_and(|s| s.success()), "mkfifo");
}

/// Replaces a file of the submission in `to`, or a folder, by something else.
fn make(what: &str, to: &Path, solution: &Path, outside: &Path) {
    use std::os::unix::fs::symlink;
    let file = to.join(HOST);
    match what {
        "symlink" => {
            fs::remove_file(&file).unwrap();
            symlink(solution.join(HOST), &file).unwrap();
        }
        "hardlink" => {
            fs::copy(solution.join(HOST), outside.join("solution.rs")).unwrap();
            fs::remove_file(&file).unwrap();
            fs::hard_link(outside.join("solution.rs"), &file).unwrap();
        }
        "fifo" => {
            fs::remove_file(&file).unwrap();
            fifo(&file);
        }
        "linked-folder" => {
            fs::remove_dir_all(to.join("src")).unwrap();
            symlink(solution.join("src"), to.join("src")).unwrap();
        }
        "link-above" => {
            fs::remove_dir_all(to).unwrap();
            symlink(solution.parent().unwrap(), to.parent().unwrap().join("archive")).unwrap();
        }
        other => panic!("make = {other:?}"),
    }
}

#[test]
fn paths() {
    graded(&["paths"]);
}

#[test]
fn evidence() {
    graded(&["evidence"]);
}

#[test]
#[ignore = "long: waits for limits of a minute"]
fn patience() {
    graded(&["patience"]);
}

#[test]
fn the_same_user_and_names() {
    graded(&["same_user", "blame"]);
}

#[test]
#[ignore = "long: fills limits of a minute and of gigabytes"]
fn sizes() {
    graded(&["size"]);
}
