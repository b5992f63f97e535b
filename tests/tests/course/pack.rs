//! The students' pack: it holds no solution, and what is in it works on its own.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use course_tests::{LABS, place};
use lab::course::args::ExportArgs;
use lab::course::{App, Command as Lab};

pub(crate) fn export(name: &str) -> PathBuf {
    let place = place();
    let dir = place.state_dir().join(name);
    let _ = fs::remove_dir_all(&dir);
    let app = App { place, labs: LABS.to_vec(), paint: grading::report::Paint(false) };
    assert_eq!(
        app.run(
            Lab::Export(ExportArgs { dir: Some(dir.clone()), ..ExportArgs::default() }),
            &mut Vec::new()
        ),
        Ok(0)
    );
    dir
}

/// Runs cargo in the pack, with a target folder of its own: in a common one cargo takes the pack's
/// crates for the course's.
fn cargo(dir: &Path, args: &[&str]) -> (bool, String) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(args)
        .current_dir(dir)
        .env("CARGO_TARGET_DIR", place().state_dir().join("pack-target"))
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

pub(crate) fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            files(&entry.path(), out);
        } else {
            out.push(entry.path());
        }
    }
}

#[test]
fn the_pack_holds_no_solution_and_is_a_workspace() {
    let dir = export("pack");
    for absent in ["solutions", "tests", "target", ".git", "rtm", "benches", "crates/simt/tests"] {
        assert!(!dir.join(absent).exists(), "{absent} is in the pack");
    }
    // Without it a container of a pack that was built has the folder of that build in it.
    assert_eq!(fs::read_to_string(dir.join(".dockerignore")).unwrap(), "target\n");
    let mut all = Vec::new();
    files(&dir, &mut all);
    let all: HashMap<Vec<u8>, PathBuf> =
        all.into_iter().map(|f| (fs::read(&f).unwrap(), f)).collect();
    for lab in LABS {
        let solution = place().solution_dir(lab);
        for rel in lab.files() {
            let leak = all.get(&fs::read(solution.join(rel)).unwrap());
            assert!(leak.is_none(), "{rel} of the solution is in the pack as {leak:?}");
        }
    }
    // What handouts let people run is there.
    let mut examples = 0;
    for lab in LABS {
        let handout = fs::read_to_string(dir.join(lab.package).join("README.md")).unwrap();
        let ours = fs::read_to_string(place().lab_dir(lab).join("README.md")).unwrap();
        let pictures = |text: &str| text.matches("![").count();
        assert_eq!(pictures(&handout), pictures(&ours), "{}: pictures of the handout", lab.id);
        for command in handout.split("cargo run -p ").skip(1) {
            let words: Vec<&str> = command.split([' ', '\n', '`']).take(3).collect();
            if let [package, "--example", example] = words[..] {
                let file = format!("crates/{package}/examples/{example}.rs");
                assert!(dir.join(&file).is_file(), "{}: {file} is not in the pack", lab.id);
                examples += 1;
            }
        }
    }
    assert!(examples > 2, "{examples} examples in the handouts");
    let locked = ["metadata", "--offline", "--locked", "--format-version", "1"];
    let (ok, text) = cargo(&dir, &locked);
    assert!(ok, "{text}");
    assert!(!text.contains("course-tests"), "the tests of the course are still a member");
    fs::remove_dir_all(dir).unwrap();
}

/// Gradescope's archive is a pack, too, with three programs in front of it.
#[test]
fn gradescopes_archive_has_its_programs_and_no_solution() {
    let file = place().state_dir().join("autograder.zip");
    let app = App { place: place(), labs: LABS.to_vec(), paint: grading::report::Paint(false) };
    let lab = Some(LABS[0].id.to_string());
    let args = ExportArgs { gradescope: Some(file.clone()), lab, ..ExportArgs::default() };
    assert_eq!(app.run(Lab::Export(args), &mut Vec::new()), Ok(0));
    let mut archive = zip::ZipArchive::new(fs::File::open(&file).unwrap()).unwrap();
    for name in ["setup.sh", "run_autograder", "judge"] {
        let mode = archive.by_name(name).unwrap().unix_mode().unwrap();
        assert_eq!(mode & 0o777, 0o755, "{name}");
    }
    let names: Vec<&str> = archive.file_names().collect();
    assert!(names.contains(&"course/Cargo.toml") && names.contains(&"course/course.toml"));
    for absent in ["course/solutions/", "course/tests/", "course/target/", "course/rtm/"] {
        assert!(!names.iter().any(|name| name.starts_with(absent)), "{absent}");
    }
    fs::remove_file(file).unwrap();
}

#[test]
#[ignore = "long: builds the whole pack, which takes minutes"]
fn the_pack_builds_and_its_tests_fail_helpfully() {
    let dir = export("pack-built");
    // The README's first commands.
    let (ok, text) = cargo(&dir, &["lab"]);
    assert!(ok && text.contains("cargo lab run 1.1.1"), "{text}");
    let (ok, text) = cargo(&dir, &["lab", "run", "1.1.1"]);
    assert!(!ok && text.contains("not started"), "{text}");
    let (ok, text) = cargo(&dir, &["lab", "handin", "lab1"]);
    assert!(ok && dir.join("lab1.zip").is_file(), "{text}");
    let (ok, text) = cargo(&dir, &["lab", "grade"]);
    assert!(ok && text.contains("    0 / "), "{text}");
    let (ok, text) = cargo(&dir, &["check", "--locked", "--workspace", "--all-targets"]);
    assert!(ok, "{text}");
    let first = &LABS[0];
    let (ok, text) = cargo(&dir, &["test", "-p", first.package, "--no-fail-fast"]);
    assert!(!ok, "the skeletons of {} pass", first.id);
    for exercise in first.exercises {
        assert!(text.contains(exercise.todo), "{}: its tests do not say what to do", exercise.id);
    }
    // What a student who has solved the lab sees.
    let place = place();
    for rel in first.files() {
        fs::copy(place.solution_dir(first).join(rel), dir.join(first.package).join(rel)).unwrap();
    }
    let (ok, text) = cargo(&dir, &["test", "-p", first.package, "--no-fail-fast"]);
    assert!(ok, "{text}");
    let (ok, text) = cargo(&dir, &["lab", "reset", first.exercises[0].number()]);
    assert!(ok, "{text}");
}
