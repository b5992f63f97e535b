//! The hostile zoo, `tests/hostile/CLASS/NAME.toml`: submissions that try to cheat, harm or read,
//! or are only odd. Each has its expected verdict, costs nobody else a mark, shows no secret, and
//! leaves nothing behind.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use grading::report::{Graded, Page, csv, html, junit, statistics};
use grading::submission::{Batch, Done, Found, Guard, TIME, find, folder_of};
use grading::{Exercise, Lab, LabResult, overlay};
use serde::Deserialize;

use crate::memory::{assert_small, measured};
use crate::{JUDGE, inputs, place};

/// The file that a case changes if it says nothing else, and the exercises that are graded: the
/// first has nothing to do with it, or is the one that is changed and the second has not.
const HOST: &str = "src/e1_1_05.rs";
const HOSTS: [&str; 2] = ["e1_1_03", "e1_1_05"];
const LAB1: [&str; 4] = ["e1_1_03", "e1_1_05", "e1_1_01", "e1_1_13"];
const LAB2: [&str; 2] = ["e2_1_12", "e2_1_13"];
const LAB3: [&str; 2] = ["e3_1_03", "e3_1_04"];
const LAB4: [&str; 3] = ["e4_0", "e4_1", "e4_7"];
const LAB5: [&str; 2] = ["e5_2", "e5_11"];
/// With those whose kernels 6.9 launches, whose tables 3.4.6 copies.
const LAB6: [&str; 6] = ["e6_8", "e6_9", "e6_4", "e6_5", "e6_6", "e6_7"];
const STREAMS: [&str; 4] = ["e3_1_03", "e3_4_06", "e3_4_01", "e3_3_01"];
/// What no report may show.
const SECRET: &str = "the judge's own secret 4711";

/// One hostile submission: the solution, changed.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What it tries.
    what: String,
    /// `full`, or the class of the changed exercise's findings; `a|b` where one limit or another
    /// may be first.
    expect: String,
    /// What the report says somewhere.
    #[serde(default)]
    says: String,
    /// The changed file. If it is no Rust, nothing but it is handed in, so that nothing is
    /// compiled.
    #[serde(default = "host")]
    file: String,
    /// Code before the first item.
    #[serde(default)]
    top: String,
    /// Code at the beginning of the first function with a region.
    #[serde(default)]
    code: String,
    /// The whole text of the file.
    text: Option<String>,
    /// `{NAME}` in the code stands for a text so many times.
    #[serde(default)]
    repeat: BTreeMap<String, (String, usize)>,
    /// What is made of the file or the folders around it.
    make: Option<String>,
    /// Name of the folder, if it matters.
    name: Option<String>,
    /// How the function begins, in place of the first with a region.
    function: Option<String>,
    /// The other exercise is lost, too.
    #[serde(default)]
    all: bool,
}

fn host() -> String {
    HOST.into()
}

impl Case {
    fn is_rust(&self) -> bool {
        self.file.ends_with(".rs")
    }

    /// An attack in code that is to have no effect: several fit into one submission.
    fn is_mild(&self) -> bool {
        self.expect == "full"
            && self.file == HOST
            && self.make.is_none()
            && self.name.is_none()
            && self.says.is_empty()
            && self.repeat.is_empty()
    }
}

/// A lab with some of its exercises.
fn with(lab: Lab, keys: &[&str]) -> Lab {
    let chosen: Vec<Exercise> = keys.iter().map(|key| *lab.exercise(key).unwrap()).collect();
    Lab { exercises: Vec::leak(chosen), ..lab }
}

/// The cases of these classes by name; with words in the variable `ZOO`, those whose names have
/// one.
fn cases(classes: &[&str]) -> BTreeMap<String, Case> {
    let zoo = place().root.join("tests/hostile");
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
    if let Ok(words) = std::env::var("ZOO") {
        cases.retain(|name, _| words.split(',').any(|word| name.contains(word)));
    }
    cases
}

/// All mild attacks of these classes in one submission.
fn together(classes: &[&str]) -> BTreeMap<String, Case> {
    let mut tops: Vec<String> = Vec::new();
    let mut code = String::new();
    let mild: Vec<Case> = cases(classes).into_values().filter(Case::is_mild).collect();
    assert!(mild.len() > 15, "{}", mild.len());
    for case in mild {
        // Declarations of the same functions differ from case to case: each has a scope of its own.
        code += &format!("    {{\n{}\n{}\n    }}\n", case.top, case.code);
        tops.push(case.what);
    }
    let case: Case = toml::from_str("what = \"all at once\"\nexpect = \"full\"").unwrap();
    BTreeMap::from([("m-together".into(), Case { code, what: tops.join(", "), ..case })])
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

/// Grades the cases between two honest submissions and looks at everything, for the test `name`.
fn graded(name: &str, lab: Lab, cases: &BTreeMap<String, Case>, jobs: usize) {
    let Some(due) = kept::due(&format!("zoo {name}"), inputs(&lab)) else { return };
    let guard = Guard::probe(Path::new(JUDGE));
    if let Guard::Sandbox { protection, .. } = &guard
        && let Some(why) = protection.refusal()
    {
        eprintln!("skipped: {why}");
        assert!(std::env::var_os("CI").is_none(), "{why}");
        return;
    }
    let place = place();
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
        ("{root}", place.root.display().to_string()),
        ("{judge}", std::process::id().to_string()),
        ("{port}", listener.local_addr().unwrap().port().to_string()),
        ("{marker}", marker.clone()),
    ];

    let honest = |name: &str| {
        let to = all.join(name).join(lab.package);
        overlay::overlay(&lab, &solution, &BTreeMap::new(), &to).unwrap();
    };
    ["a-honest", "z-honest"].into_iter().for_each(honest);
    let mut folders: BTreeMap<OsString, &str> = BTreeMap::new();
    for (name, case) in cases {
        let filled = |text: &str| {
            let text = values.iter().fold(text.to_string(), |t, (k, v)| t.replace(k, v));
            let repeat = case.repeat.iter();
            repeat.fold(text, |t, (k, (what, n))| t.replace(&format!("{{{k}}}"), &what.repeat(*n)))
        };
        let folder = OsString::from(case.name.as_ref().unwrap_or(name));
        let to = all.join(&folder).join(lab.package);
        let changed = match &case.text {
            Some(text) => filled(text),
            None => {
                let text = overlay::read(&solution, &case.file).unwrap();
                // The module's own documentation must stay in front.
                let first = text.find("use ").unwrap();
                let region = match &case.function {
                    None => text.find("// <lab\n").unwrap() + "// <lab\n".len(),
                    Some(function) => {
                        let at = text.find(function).unwrap();
                        at + text[at..].find("{\n").unwrap() + 2
                    }
                };
                let (top, code) = (filled(&case.top), filled(&case.code));
                format!(
                    "{}{top}\n{}{code}{}",
                    &text[..first],
                    &text[first..region],
                    &text[region..]
                )
            }
        };
        if case.is_rust() {
            let changed = BTreeMap::from([(case.file.clone(), changed)]);
            overlay::overlay(&lab, &solution, &changed, &to).unwrap();
        } else {
            overlay::write(&to.join(&case.file), &changed).unwrap();
        }
        let folder = match &case.make {
            Some(what) => make(what, &to, &solution, &outside).unwrap_or(folder),
            None => folder,
        };
        folders.insert(folder, name);
    }
    let before = (inventory(&outside), inventory(&solution), inventory(&all));

    let batch = Batch {
        place: &place,
        lab: &lab,
        results: dir.path().join("results"),
        seed: 11,
        again: false,
        jobs,
        guard,
        worker: Some(JUDGE.into()),
        time: TIME,
    };
    let Found { submissions, .. } = find(&all, &[lab]).unwrap();
    // Whoever waits for many sees how far they are.
    let ended = |n: usize, done: &Done| {
        eprintln!("{n:>4} of {}: {}", submissions.len(), done.record.name);
    };
    let (done, peaks) = measured(|| batch.run(&submissions, ended).unwrap());

    let mut wrong = misled(&done);
    let mut marks = Vec::new();
    for (submission, done) in submissions.iter().zip(&done) {
        let result = &done.record.result;
        let report = serde_json::to_string(&done.record).unwrap();
        let name = submission.dir.file_name().unwrap();
        let text = || grading::report::lab_text(result, grading::report::Paint(false), true);
        if report.contains(SECRET) || report.contains("root:x:0") {
            wrong.push(format!("{name:?}: the report shows a secret"));
        }
        let root = place.root.display().to_string();
        if report.contains(&root) || report.contains("/registry/src/") {
            wrong.push(format!("{name:?}: the report shows a path of this machine\n{}", text()));
        }
        if done.record.name.contains(char::is_control) {
            wrong.push(format!("{name:?}: its name moves the cursor"));
        }
        let Some(name) = folders.get(name) else {
            marks.push(serde_json::to_string(result).unwrap());
            if !result.done() {
                wrong.push(format!("an honest one lost marks\n{}", text()));
            }
            continue;
        };
        let case = &cases[*name];
        let (other, class) = verdict(&lab, result, &case.file);
        eprintln!("{name:<44} {:<44} {class:<14} {}", case.expect, case.what);
        let fits = case.expect.split('|').any(|expected| expected == class);
        if !fits || (case.is_rust() && !case.all && !other) || !report.contains(&case.says) {
            wrong.push(format!(
                "{name}: expected {}, found {class}; the other exercise has its marks: {other}\n{}",
                case.expect,
                text()
            ));
        }
    }
    // To the last bit.
    assert!(marks.len() == 2 && marks[0] == marks[1], "honest submissions differ: {marks:?}");
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
    assert_small(&peaks);
    due.passed();
}

/// What in the reports for instructors would mislead the program that reads them, or its user.
fn misled(done: &[Done]) -> Vec<String> {
    let graded = |done: &Done| Graded {
        name: done.record.name.clone(),
        labs: vec![done.record.result.clone()],
    };
    let all: Vec<Graded> = done.iter().map(graded).collect();
    let page = Page { title: "Marks".into(), ..Page::default() };
    let texts = [
        ("CSV", csv(&all)),
        ("JUnit", junit(&all)),
        ("HTML", html(&all, &page)),
        ("statistics", statistics(&all)),
    ];
    let mut folders = BTreeSet::new();
    let mut wrong = Vec::new();
    for one in &all {
        let folder = folder_of(&one.name);
        if folder.len() > 255 || folder.contains('/') || !folders.insert(folder) {
            wrong.push(format!("{}: no folder for its page", one.name));
        }
    }
    let moves = |c: char| (c.is_control() && !"\r\n\t".contains(c)) || c == '\u{202e}';
    for (what, text) in texts {
        if text.contains(moves) {
            wrong.push(format!("{what}: moves the cursor"));
        }
        if what == "HTML" && text.contains("<script>alert") {
            wrong.push("HTML: a script of a stranger's".into());
        }
        if what == "CSV" && text.lines().any(|l| l.starts_with(['=', '+', '-', '@', ' '])) {
            wrong.push("CSV: a formula".into());
        }
    }
    wrong
}

/// Whether another exercise has its marks, and how the one with the changed file ended.
fn verdict(lab: &Lab, result: &LabResult, file: &str) -> (bool, String) {
    let exercise = lab.exercises.iter().find(|e| e.files.contains(&file)).unwrap();
    let changed = result.exercises.iter().find(|e| e.key == exercise.key).unwrap();
    let classes = changed.checks.iter().filter_map(|c| Some(c.finding()?.class.name()));
    let class = match classes.max_by_key(|name| *name == "grader's fault") {
        None => "full".to_string(),
        Some(name) => name.to_string(),
    };
    let other = usize::from(result.exercises[0].key == changed.key);
    (result.exercises[other].done(), class)
}

fn fifo(path: &Path) {
    let done = std::process::Command::new("mkfifo").arg(path).status();
    assert!(done.is_ok_and(|s| s.success()), "mkfifo");
}

/// An archive of a folder whose names begin with `prefix`, at `to`, which may lie in the folder.
fn zip(folder: &Path, prefix: &str, to: &Path, more: &[(&str, &[u8])]) {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let mut zip = zip::ZipWriter::new(&mut bytes);
    let options = zip::write::SimpleFileOptions::default();
    let mut put = |name: &str, bytes: &[u8]| {
        zip.start_file(name, options).unwrap();
        zip.write_all(bytes).unwrap();
    };
    for (path, bytes) in inventory(folder) {
        let Some(bytes) = bytes else { continue };
        let name = format!("{prefix}{}", path.strip_prefix(folder).unwrap().display());
        if !more.iter().any(|(other, _)| *other == name) {
            put(&name, &bytes);
        }
    }
    more.iter().for_each(|(name, bytes)| put(name, bytes));
    zip.finish().unwrap();
    File::create(to).unwrap().write_all(bytes.get_ref()).unwrap();
}

/// Replaces a file of the submission in `to`, or a folder, by something else; its new name if it
/// has one.
fn make(what: &str, to: &Path, solution: &Path, outside: &Path) -> Option<OsString> {
    use std::os::unix::fs::symlink;
    let file = to.join(HOST);
    let student = to.parent().unwrap();
    let archive = student.with_extension("zip");
    let mut name = None;
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
        "folder" => {
            fs::remove_file(&file).unwrap();
            fs::create_dir(&file).unwrap();
        }
        "large" => fs::write(&file, vec![b' '; (1 << 20) + 1]).unwrap(),
        "binary" => fs::write(&file, b"fn best_of() {}\xff\xfe\0").unwrap(),
        "missing" => fs::remove_file(&file).unwrap(),
        "windows" => {
            let text = fs::read_to_string(&file).unwrap();
            fs::write(&file, text.replace('\n', "\r\n")).unwrap();
        }
        "linked-folder" => {
            fs::remove_dir_all(to.join("src")).unwrap();
            symlink(solution.join("src"), to.join("src")).unwrap();
        }
        "link-above" => {
            fs::remove_dir_all(to).unwrap();
            symlink(solution.parent().unwrap(), student.join("archive")).unwrap();
        }
        "planted" => {
            let evil = "[build]\nrustc-wrapper = \"/bin/false\"\n";
            for dir in [student, to] {
                overlay::write(&dir.join(".cargo/config.toml"), evil).unwrap();
                overlay::write(&dir.join("Cargo.toml"), "nonsense").unwrap();
                overlay::write(&dir.join("build.rs"), "compile_error!(\"no\");").unwrap();
                overlay::write(&dir.join("rust-toolchain.toml"), "nonsense").unwrap();
            }
        }
        "zip-many" | "zip-names" | "zip-twice" | "zip-lies" => {
            let of = format!("lab1-cuda-intro/{HOST}");
            let own = fs::read(&file).unwrap();
            let long = "x".repeat(60_000);
            let odd = [
                "..\\..\\outside\\loot",
                "/etc/loot",
                "C:\\loot",
                "a\0b",
                "\u{1b}[2J",
                "con",
                &long,
            ];
            let more: Vec<(String, Vec<u8>)> = match what {
                "zip-many" => (0..70_000).map(|k| (format!("{k}/{k}"), Vec::new())).collect(),
                "zip-names" => odd.map(|name| (name.to_string(), b"x".to_vec())).into(),
                // Of two files with one name.
                "zip-twice" => vec![(of.replace("e1_", "E1_"), own.clone()), (of.clone(), own)],
                _ => vec![(of, own)],
            };
            let borrowed: Vec<(&str, &[u8])> =
                more.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
            zip(to, "lab1-cuda-intro/", &archive, &borrowed);
            if what == "zip-lies" {
                // Each entry says that it has no bytes, and 4 GB.
                let mut bytes = fs::read(&archive).unwrap();
                for at in 0..bytes.len() - 28 {
                    if bytes[at..].starts_with(b"PK\x01\x02") {
                        bytes[at + 20..at + 24].fill(0);
                        bytes[at + 24..at + 28].fill(0xff);
                    }
                }
                fs::write(&archive, bytes).unwrap();
            }
            fs::remove_dir_all(student).unwrap();
            name = archive.file_name().map(OsString::from);
        }
        "zip" | "zip-slip" | "zip-bomb" | "zip-broken" => {
            let large = vec![b' '; 50 << 20];
            let (prefix, more): (&str, &[(&str, &[u8])]) = match what {
                "zip-slip" => ("../../../lab1-cuda-intro/", &[("../../../../outside/loot", b"x")]),
                "zip-bomb" => ("lab1-cuda-intro/", &[("lab1-cuda-intro/src/e1_1_05.rs", &large)]),
                _ => ("lab1-cuda-intro/", &[]),
            };
            zip(to, prefix, &archive, more);
            if what == "zip-broken" {
                let bytes = fs::read(&archive).unwrap();
                fs::write(&archive, &bytes[..bytes.len() / 2]).unwrap();
            }
            fs::remove_dir_all(student).unwrap();
            name = archive.file_name().map(OsString::from);
        }
        "zip-link" => {
            let mut bytes = std::io::Cursor::new(Vec::new());
            let mut zip = zip::ZipWriter::new(&mut bytes);
            let (options, from) = (zip::write::SimpleFileOptions::default(), solution.join(HOST));
            zip.add_symlink_from_path(Path::new("lab1-cuda-intro").join(HOST), from, options)
                .unwrap();
            zip.finish().unwrap();
            fs::write(&archive, bytes.get_ref()).unwrap();
            fs::remove_dir_all(student).unwrap();
            name = archive.file_name().map(OsString::from);
        }
        "zip-in-zip" => {
            let inner = to.join("inner.zip");
            zip(to, "lab1-cuda-intro/", &inner, &[]);
            let inner = fs::read(inner).unwrap();
            fs::remove_dir_all(to).unwrap();
            fs::create_dir(to).unwrap();
            zip(to, "", &archive, &[("lab1.zip", &inner)]);
            fs::remove_dir_all(student).unwrap();
            name = archive.file_name().map(OsString::from);
        }
        "zip-inside" => {
            zip(to, "lab1-cuda-intro/", &student.join("lab1.zip"), &[]);
            fs::remove_dir_all(to).unwrap();
        }
        "tar" => {
            fs::remove_dir_all(to).unwrap();
            fs::write(student.join("work.tar.gz"), "x").unwrap();
        }
        "empty" => fs::remove_dir_all(to).unwrap(),
        "deep" => {
            fs::create_dir_all(student.join("a/b/c/d")).unwrap();
            fs::rename(to, student.join("a/b/c/d").join(to.file_name().unwrap())).unwrap();
        }
        "renamed" => fs::rename(to, student.join("my lab (final) 2")).unwrap(),
        "twice" => {
            let text = fs::read_to_string(&file).unwrap();
            overlay::write(&student.join("old").join(HOST), &text).unwrap();
        }
        other => panic!("make = {other:?}"),
    }
    name
}

/// What compiles nothing, or little: kernels, answers, archives, and all mild attacks in one
/// program.
#[test]
fn data_and_what_is_to_have_no_effect() {
    let mut cases = cases(&["kernels", "answers"]);
    // These take seconds each.
    cases.retain(|name, _| !["array", "endless", "printing"].iter().any(|end| name.ends_with(end)));
    cases.extend(together(&["paths", "same_user", "calls"]));
    graded("data_and_what_is_to_have_no_effect", with(lab1_checks::LAB, &LAB1), &cases, 0);
}

/// One of each kind that stops a compilation or a program, and names.
#[test]
fn names_and_one_of_each_kind() {
    let mut cases = cases(&["paths", "odd", "blame", "compile_time"]);
    let quick = [
        "include_str_secret",
        "path_of_the_solution",
        "symbolic_link",
        "hard_link",
        "fifo_as_a_file",
        "link_above_the_lab",
        "zip_slip",
        "zip_bomb",
        "zip_broken",
        "zip_link",
        "empty",
        "twice",
        "escape_sequences",
        "long_name",
        "changed_signature",
    ];
    cases.retain(|name, _| quick.iter().any(|end| name.ends_with(end)));
    graded("names_and_one_of_each_kind", with(lab1_checks::LAB, &HOSTS), &cases, 0);
}

#[test]
#[ignore = "long: a compilation for each case"]
fn paths_users_and_calls() {
    graded(
        "paths_users_and_calls",
        with(lab1_checks::LAB, &LAB1),
        &cases(&["paths", "same_user", "calls", "blame", "odd"]),
        0,
    );
}

#[test]
#[ignore = "long: fills limits of minutes and of gigabytes"]
fn sizes_and_times() {
    graded(
        "sizes_and_times",
        with(lab1_checks::LAB, &LAB1),
        &cases(&["size", "compile_time", "kernels", "answers"]),
        2,
    );
}

#[test]
#[ignore = "long: netlists of gigabytes"]
fn netlists() {
    graded("netlists", with(lab4_checks::LAB, &LAB4), &cases(&["netlists"]), 0);
}

/// Hand-written VHDL, which a simulator of others runs.
#[test]
#[ignore = "long: waits for limits"]
fn vhdl() {
    graded("vhdl", with(lab5_checks::LAB, &LAB5), &cases(&["vhdl"]), 0);
}

/// What is said but was never done on the judge's device: one of each kind.
#[test]
fn evidence_of_each_kind() {
    let mut cases = cases(&["evidence"]);
    let kinds = [
        "cpu_adds",
        "copied_by_a_kernel",
        "forged_call",
        "forged_file",
        "garbage",
        "nested_reply",
        "outside_of_an_allocation",
        "reply_over_cap",
        "two_replies",
    ];
    cases.retain(|name, _| kinds.iter().any(|end| name.ends_with(end)));
    assert!(cases.len() == kinds.len() || std::env::var_os("ZOO").is_some(), "{}", cases.len());
    graded("evidence_of_each_kind", with(lab1_checks::LAB, &HOSTS), &cases, 0);
}

#[test]
#[ignore = "long: a compilation for each case"]
fn evidence() {
    graded("evidence", with(lab1_checks::LAB, &HOSTS), &cases(&["evidence"]), 0);
}

/// What is computed on the host and only passes through the device; what the device is asked for
/// that no driver offers.
#[test]
#[ignore = "long: a compilation for each case"]
fn laundering() {
    graded("laundering", with(lab1_checks::LAB, &LAB1), &cases(&["laundering", "device"]), 0);
}

#[test]
#[ignore = "long: a compilation of lab 3 for each case"]
fn libraries() {
    graded("libraries", with(lab3_checks::LAB, &LAB3), &cases(&["libraries"]), 0);
}

/// Streams that are counted and idle, events that stand for nothing.
#[test]
#[ignore = "long: a compilation of lab 3 for each case"]
fn streams() {
    graded("streams", with(lab3_checks::LAB, &STREAMS), &cases(&["streams"]), 0);
}

/// Images that nobody migrated.
#[test]
#[ignore = "long: a shot is migrated for each case"]
fn migration() {
    graded("migration", with(lab6_checks::LAB, &LAB6), &cases(&["migration"]), 0);
}

#[test]
#[ignore = "long: a compilation of lab 2 for each case"]
fn opencl() {
    graded("opencl", with(lab2_checks::LAB, &LAB2), &cases(&["opencl"]), 2);
}

#[test]
#[ignore = "long: waits for limits of a minute"]
fn patience() {
    graded("patience", with(lab1_checks::LAB, &LAB1), &cases(&["patience"]), 0);
}
