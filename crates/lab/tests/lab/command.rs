//! The command on a copy of the course: what a student types, and what comes back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lab::course::LABS;
use lab1_checks::LAB;

pub(crate) struct Course {
    pub(crate) dir: tempfile::TempDir,
}

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A course with the labs' skeletons and solutions, without the crates: enough for all that builds
/// no host code.
pub(crate) fn course() -> Course {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fs::write(root.join("Cargo.toml"), "[workspace]\n[workspace.dependencies]\n").unwrap();
    let copy = |rel: &str| {
        grading::scratch::copy_tree(&repository().join(rel), &root.join(rel), &["target"]).unwrap();
    };
    for lab in LABS {
        copy(lab.package);
        copy(&format!("solutions/{}", lab.package));
    }
    let course = Course { dir };
    assert_eq!(course.lab(&["sync"]).status.code(), Some(0));
    course
}

/// Points of the lab.
fn total() -> u32 {
    LAB.exercises.iter().map(|e| e.points).sum()
}

impl Course {
    pub(crate) fn lab(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_lab"))
            .args(args)
            .current_dir(self.dir.path())
            .env_remove("CARGO_TARGET_DIR")
            .output()
            .unwrap()
    }

    pub(crate) fn says(&self, args: &[&str]) -> String {
        String::from_utf8(self.lab(args).stdout).unwrap()
    }

    pub(crate) fn file(&self, rel: &str) -> PathBuf {
        self.dir.path().join(LAB.package).join(rel)
    }

    /// Puts the solution of an exercise into the student's files.
    pub(crate) fn solve(&self, key: &str) {
        assert_eq!(self.lab(&["solve", key]).status.code(), Some(0));
    }
}

#[test]
fn a_fresh_course_says_where_to_begin() {
    let course = course();
    let text = course.says(&[]);
    let first = &LAB.exercises[0];
    assert!(text.contains(&format!("0 / {} points", total())), "{text}");
    assert!(text.contains(&format!("Next: {}", first.id)), "{text}");
    assert!(text.contains(&format!("cargo lab run {}", first.number())), "{text}");
    assert!(text.contains(first.todo), "{text}");
    assert!(!text.contains('\u{1b}'), "no colours without a terminal");
    let list = course.says(&["list"]);
    let all: usize = LABS.iter().map(|lab| lab.exercises.len()).sum();
    assert_eq!(list.matches("not started").count(), all, "{list}");
}

#[test]
fn below_the_course_it_is_found_and_outside_it_is_an_error() {
    let course = course();
    let inside = course.file("kernels");
    let run = |dir: &Path| {
        Command::new(env!("CARGO_BIN_EXE_lab")).current_dir(dir).output().unwrap().status.code()
    };
    assert_eq!(run(&inside), Some(0));
    assert_eq!(run(tempfile::tempdir().unwrap().path()), Some(2));
}

#[test]
fn hints_are_three_steps_and_then_what_the_last_check_names() {
    let course = course();
    let ask = |k: usize, all: usize| {
        let text = course.says(&["hint", "1.1.1"]);
        assert_eq!(text.contains("That is all"), k >= all, "{text}");
        let shown = k.min(all);
        assert!(text.contains(&format!("\n  {shown}. ")), "{text}");
        assert!(!text.contains(&format!("\n  {}. ", shown + 1)), "{text}");
        text
    };
    for k in 1..=4 {
        let text = ask(k, 3);
        // Nobody has made a mistake yet.
        assert!(!text.contains("b is not added"), "{text}");
    }
    course.solve("e1_1_01");
    let kernel = course.file("kernels/e1_1_01.cu");
    let text = fs::read_to_string(&kernel).unwrap().replace("a[i] + b[i]", "a[i]");
    fs::write(&kernel, text).unwrap();
    let checked = course.says(&["run", "1.1.1"]);
    assert_eq!(checked.matches("Hint:").count(), 1, "{checked}");
    assert!(checked.contains("the same in [five]\n  open, too: [sums] [counts]\n"), "{checked}");
    assert!(ask(4, 4).contains("4. From the last check: b is not added"));
}

#[test]
fn every_exercise_with_points_has_the_third_of_the_three_hints() {
    for lab in LABS {
        for (key, _) in lab.nearly {
            assert!(lab.exercises.iter().any(|e| e.key == *key), "{}: {key}", lab.id);
        }
        for exercise in lab.exercises.iter().filter(|e| e.points > 0) {
            assert!(lab.nearly(exercise).is_some(), "{}: {}", lab.id, exercise.key);
        }
    }
}

#[test]
fn a_chapter_or_a_lab_means_its_first_exercise_that_is_not_done() {
    let course = course();
    for (name, first) in [("lab1", "L1-1.1.1 "), ("1.2", "L1-1.2.1 "), ("2.2.", "L2-2.2.1 ")] {
        let text = course.says(&["run", name]);
        assert!(text.starts_with(first), "{name}: {text}");
    }
    let refused = course.lab(&["run", "1.13"]);
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(text.ends_with("Did you mean 1.1.3?\n"), "{text}");
}

#[test]
fn the_list_of_one_lab_has_no_other() {
    let course = course();
    let text = course.says(&["list", "lab2"]);
    assert!(text.starts_with("lab2  ") && text.contains("2.1.1"), "{text}");
    assert!(!text.contains("lab1") && !text.contains("1.1.1 "), "{text}");
    let refused = course.lab(&["list", "lab9"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn an_unknown_exercise_is_an_error_that_says_what_to_type() {
    let output = course().lab(&["run", "9.9.9"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text, "error: there is no exercise 9.9.9: `cargo lab list` shows all\n");
}

/// The text without its line breaks.
fn in_a_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn an_untouched_exercise_is_not_run() {
    let course = course();
    let first = &LAB.exercises[0];
    let output = course.lab(&["run", first.number()]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(in_a_line(&text).contains(&format!("not started: {}", first.todo)), "{text}");
}

#[test]
fn reset_keeps_the_students_file_and_sync_sees_a_difference() {
    let course = course();
    let exercise = &LAB.exercises[0];
    let rel = exercise.files[0];
    let skeleton = fs::read_to_string(course.file(rel)).unwrap();
    fs::write(course.file(rel), "mine\n").unwrap();
    let output = course.lab(&["sync", "--check"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains(rel));
    assert_eq!(course.lab(&["reset", exercise.number()]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(course.file(rel)).unwrap(), skeleton);
    assert_eq!(fs::read_to_string(course.file(&format!("{rel}.orig"))).unwrap(), "mine\n");
    assert_eq!(course.lab(&["sync", "--check"]).status.code(), Some(0));
    // What was kept stays when the file is reset again; a skeleton is not worth keeping.
    fs::write(course.file(rel), "mine, too\n").unwrap();
    for _ in 0..2 {
        assert_eq!(course.lab(&["reset", LAB.id]).status.code(), Some(0));
    }
    assert_eq!(fs::read_to_string(course.file(&format!("{rel}.orig"))).unwrap(), "mine\n");
    assert_eq!(fs::read_to_string(course.file(&format!("{rel}.orig2"))).unwrap(), "mine, too\n");
    assert!(!course.file(&format!("{rel}.orig3")).exists());
    // A sync over a student's file keeps a copy.
    fs::write(course.file(rel), "mine again\n").unwrap();
    assert_eq!(course.lab(&["sync"]).status.code(), Some(0));
    let backup = course.dir.path().join("target/lab/backup").join(LAB.package).join(rel);
    assert_eq!(fs::read_to_string(backup).unwrap(), "mine again\n");
}

#[test]
fn solve_and_reset_take_whole_labs_and_leave_no_copies_of_what_the_course_gave() {
    let course = course();
    let skeleton = fs::read_to_string(course.file(LAB.exercises[0].files[0])).unwrap();
    assert_eq!(course.lab(&["solve", "lab1"]).status.code(), Some(0));
    for rel in LAB.files() {
        let solution = course.dir.path().join("solutions").join(LAB.package).join(rel);
        assert_eq!(fs::read(course.file(rel)).unwrap(), fs::read(solution).unwrap(), "{rel}");
        assert!(!course.file(&format!("{rel}.orig")).exists(), "{rel}");
    }
    assert_eq!(course.lab(&["sync", "--check"]).status.code(), Some(1));
    assert_eq!(course.lab(&["reset", "lab1"]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(course.file(LAB.exercises[0].files[0])).unwrap(), skeleton);
    assert_eq!(course.lab(&["sync", "--check"]).status.code(), Some(0));
    assert_eq!(course.lab(&["solve", "lab9"]).status.code(), Some(2));
    // A student pack has no solutions to give.
    fs::remove_dir_all(course.dir.path().join("solutions")).unwrap();
    assert_eq!(course.lab(&["solve", "lab1"]).status.code(), Some(2));
}

#[test]
fn without_a_name_the_next_exercise_is_meant() {
    let course = course();
    let number = LAB.exercises[0].number();
    assert_eq!(course.says(&["hint"]), {
        let again = self::course();
        again.says(&["hint", number])
    });
    assert!(in_a_line(&course.says(&["run"])).contains(LAB.exercises[0].todo));
}

#[test]
fn a_solved_kernel_exercise_counts_and_the_next_one_is_named() {
    let course = course();
    let first = &LAB.exercises[0];
    course.solve(first.key);
    let output = course.lab(&["run", first.number()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains(&format!("Next: cargo lab run {}", LAB.exercises[1].number())), "{text}");
    let status = course.says(&[]);
    let marks = format!("{} / {} points, 1 of", first.points, total());
    assert!(status.contains(&marks), "{status}");
    // Whoever is in another lab goes on there.
    course.solve("e6_1");
    let text = course.says(&["run", "6.1"]);
    assert!(text.contains("Next: cargo lab run 6.2 "), "{text}");
    // An edit makes the remembered result stale.
    let rel = first.files[0];
    let solved = fs::read_to_string(course.file(rel)).unwrap();
    fs::write(course.file(rel), solved + "\n// edited\n").unwrap();
    assert!(course.says(&[]).contains("changed since the last check"));
    // What the compiler warns of is told with what fails.
    let kernel = fs::read_to_string(course.file(rel)).unwrap();
    fs::write(course.file(rel), kernel.replace("    c[i] =", "    if (i = 1) c[i] =")).unwrap();
    let output = course.lab(&["run", first.number()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("warning: `=` assigns"), "{text}");
}

#[test]
fn watch_checks_again_when_a_file_is_saved() {
    let course = course();
    let first = &LAB.exercises[0];
    let child = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["watch", first.number(), "--runs", "2"])
        .current_dir(course.dir.path())
        .stdout(fs::File::create(course.dir.path().join("out")).unwrap())
        .spawn()
        .unwrap();
    let mut child = Guard(child);
    let out = || fs::read_to_string(course.dir.path().join("out")).unwrap();
    for _ in 0..600 {
        if out().contains("Waiting for a save") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(out().contains("not started"), "{}", out());
    course.solve(first.key);
    let status = child.0.wait().unwrap();
    assert_eq!(status.code(), Some(0), "{}", out());
    assert!(out().contains("  ok "), "{}", out());
}

/// Ends the child if the test fails.
struct Guard(std::process::Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn grading_untouched_work_gives_zero_in_every_form_and_twice_the_same_bytes() {
    let course = course();
    let text = course.says(&["grade"]);
    assert!(text.contains(&format!("    0 / {}", total())), "{text}");
    let json = course.says(&["grade", "--json"]);
    assert_eq!(json, course.says(&["grade", "--json"]));
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value[0]["labs"][0]["earned"], 0);
    assert!(value[0]["labs"][0]["seed"].as_u64().is_some());
    let seeded = course.says(&["grade", "--seed", "42", "--json"]);
    assert!(seeded.contains("\"seed\": 42"));
    let dir = course.dir.path();
    let files = [
        "--junit",
        "j.xml",
        "--html",
        "p/m.html",
        "--csv",
        "m.csv",
        "--gradescope",
        "results.json",
    ];
    let output = course.lab(&[&["grade"], &files[..]].concat());
    assert_eq!(output.status.code(), Some(0), "grading worked, whatever the marks");
    assert!(fs::read_to_string(dir.join("j.xml")).unwrap().starts_with("<?xml"));
    assert!(fs::read_to_string(dir.join("p/m.html")).unwrap().starts_with("<!DOCTYPE html>"));
    assert!(fs::read_to_string(dir.join("m.csv")).unwrap().starts_with("name,earned,points,L1-"));
    let gradescope: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(dir.join("results.json")).unwrap()).unwrap();
    assert_eq!(gradescope["score"], 0);
}

#[test]
fn grade_takes_the_labs_and_exercises_that_it_names() {
    let course = course();
    course.solve("1.1.1");
    let json = |args: &[&str]| -> serde_json::Value {
        serde_json::from_str(&course.says(&[&["grade", "--json", "-"], args].concat())).unwrap()
    };
    let second = LABS[1].id;
    let both = json(&[second, "1.1.1"]);
    let labs = both[0]["labs"].as_array().unwrap();
    assert_eq!(labs.len(), 2);
    let exercises = |k: usize| labs[k]["exercises"].as_array().unwrap().len();
    assert_eq!((exercises(0), exercises(1)), (1, LABS[1].exercises.len()));
    assert_eq!(labs[0]["earned"], LAB.exercises[0].points);
    for (args, reason) in [
        (&["grade", "lab99"][..], "there is no lab or exercise lab99"),
        (&["grade", "1.1.1", "--submissions", "."], "write lab1 in place of 1.1.1"),
    ] {
        let output = course.lab(args);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains(reason));
    }
}

/// The row of a variant in a study's CSV file, by the names of its columns.
fn study_row(csv: &str, variant: &str) -> std::collections::HashMap<String, String> {
    let head = csv.lines().next().unwrap().split(',');
    let row = csv.lines().find(|l| l.split(',').nth(1) == Some(variant)).unwrap().split(',');
    head.map(String::from).zip(row.map(String::from)).collect()
}

#[test]
fn a_study_writes_the_counts_of_the_model_and_keeps_what_others_wrote() {
    let course = course();
    let text = course.says(&["study", "matmul", "--ks", "16", "--no-measure"]);
    assert!(text.contains("not run mmt2 (exercise 2.2.3), K = 16: "), "{text}");
    let folder = course.dir.path().join("plots here");
    let run = |name: &str, k: &str| {
        let out = folder.to_str().unwrap();
        let output =
            course.lab(&["study", name, "--ks", k, "--no-measure", "--solutions", "--out", out]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8(output.stdout).unwrap()
    };
    let table = run("matmul", "16");
    run("fir", "256");
    let csv = fs::read_to_string(folder.join("lab2.csv")).unwrap();
    // 144 blocks of 8 warps, 12 tiles each: 13,824 requests for each matrix; the rows of A^T lie in
    // 16 sectors until both loads run along rows. Counts are told per 1000 of the 192^3 products.
    let thousands = f64::from(192 * 192 * 192 / 1000);
    for (variant, loads, stores) in [
        ("mmt1", 13_824.0 * (4.0 + 16.0), 2.0 * 13_824.0),
        ("mmt2", 13_824.0 * (4.0 + 4.0), 13_824.0 * (1.0 + 8.0)),
        ("mmt3", 13_824.0 * (4.0 + 4.0), 2.0 * 13_824.0),
    ] {
        let row = study_row(&csv, variant);
        for (column, count) in [("gld_sec_per_output", loads), ("shst_wf_per_output", stores)] {
            let found: f64 = row[column].parse().unwrap();
            assert!((found - count / thousands).abs() < 1e-9, "{variant} {column}: {found}");
        }
        assert_eq!((&*row["study"], &*row["k"], &*row["measured_ms"]), ("matmul", "16", ""));
        assert!(table.contains(&format!("{:.4}", loads / thousands)), "{table}");
    }
    assert_eq!(study_row(&csv, "fir1")["study"], "fir");
    for name in ["matmul", "fir"] {
        for plot in ["traffic", "speedup", "roofline"] {
            let svg = fs::read_to_string(folder.join(format!("{name}_{plot}.svg"))).unwrap();
            assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"));
        }
    }
    let output = course.lab(&["study", "wave"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("choose one of fir, matmul"));
}

/// A student's machine without a compiler, or anything else: all but host code works.
#[test]
fn without_rust_kernels_answers_and_tools_work_and_host_code_says_what_to_install() {
    let course = course();
    let bare = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_lab"))
            .args(args)
            .current_dir(course.dir.path())
            .env_clear()
            .env("PATH", course.dir.path())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    for exercise in ["1.1.1", "1.1.10", "1.1.13", "1.1.15"] {
        course.solve(exercise);
        let (code, said) = bare(&["run", exercise]);
        assert_eq!(code, Some(0), "{said}");
    }
    let file = "lab1-cuda-intro/kernels/e1_1_01.cu";
    let launch = ["--grid", "1", "--block", "32"];
    let arrays = ["--arg", "c=out:i32:32", "--arg", "a=iota:i32:32", "--arg", "b=iota:i32:32"];
    for tool in ["kernel", "profile"] {
        let (code, said) = bare(&[&[tool, file], &launch[..], &arrays[..]].concat());
        assert_eq!(code, Some(0), "{said}");
    }
    assert_eq!(bare(&["occupancy", file]).0, Some(0));
    course.solve("1.1.5");
    let (code, said) = bare(&["run", "1.1.5"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("https://rustup.rs") && !said.contains("grader's own fault"), "{said}");
    let (code, said) = bare(&["profile", "--bin", "vecadd"]);
    assert!(code == Some(2) && said.contains("https://rustup.rs"), "{said}");
    let (code, said) = bare(&["libcuda", "libraries"]);
    assert!(code == Some(2) && said.contains("https://rustup.rs"), "{said}");
    // What instructors put beside the labs must be that program.
    let pack = tempfile::tempdir().unwrap();
    let to = pack.path().join("pack").display().to_string();
    let (code, said) = bare(&["export", &to, "--binary", "Cargo.toml"]);
    assert!(code == Some(2) && said.contains("cargo build --release -p lab"), "{said}");
    assert!(!Path::new(&to).exists());
}
