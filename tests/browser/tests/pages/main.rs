//! The static site in a real browser: what a visitor does, and that it stays on this machine.

mod access;
mod exercises;
mod hardware;
mod playground;
mod seismics;
mod served;
mod speed;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};

use browser_tests::{Browser, Files, installed};
use grading::report::{Graded, json};
use grading::{Exercise, Host, Lab, Options, Place, Work, grade, overlay};

/// The site, built once for all tests, or the one that `BROWSER_SITE` names; `None` without a
/// browser.
static SITE: LazyLock<Option<Files>> = LazyLock::new(|| {
    if !installed() {
        return None;
    }
    let dir = site_dir();
    if std::env::var_os("BROWSER_SITE").is_some() {
        return Some(Files::of(&dir));
    }
    let mut lab = Command::new(env!("CARGO"));
    lab.current_dir(root()).args([
        "run",
        "--quiet",
        "--package",
        "lab",
        "--bin",
        "lab",
        "--",
        "site",
    ]);
    assert!(lab.arg(&dir).status().expect("cargo").success(), "`cargo lab site` failed");
    Some(Files::of(&dir))
});

fn site_dir() -> PathBuf {
    let own = || PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("site");
    std::env::var_os("BROWSER_SITE").map_or_else(own, PathBuf::from)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace").into()
}

/// A browser on a page of the site.
fn page(name: &str) -> Option<(Browser, &'static str)> {
    let site = SITE.as_ref()?;
    let mut browser = Browser::start();
    browser.resize(1280, 1000, false);
    browser.open(&format!("{}{name}", site.address));
    Some((browser, &site.address))
}

fn playground() -> Option<(Browser, &'static str)> {
    let (mut browser, address) = page("playground.html")?;
    browser.wait("document.documentElement.dataset.checked");
    Some((browser, address))
}

/// Runs the program; `time` counts the runs of the page.
fn run(browser: &mut Browser, time: u32) {
    browser.click("#run");
    browser.wait(&format!("document.documentElement.dataset.ran === '{time}'"));
}

/// What `cargo lab grade --json` says of an exercise whose files are the solution's.
fn judged(lab: &Lab, name: &str, seed: u64) -> String {
    let place = Place::at(root());
    let exercise = lab.exercise(name).expect("an exercise");
    let dir = tempfile::tempdir().expect("a folder");
    overlay::skeletons(&place, lab, dir.path()).expect("skeletons");
    for rel in exercise.files {
        let text = overlay::read(&place.solution_dir(lab), rel).expect("a solution");
        overlay::write(&dir.path().join(rel), &text).expect("a file");
    }
    judged_in(dir.path(), lab, exercise, seed)
}

/// The same of the files in a folder.
fn judged_in(dir: &Path, lab: &Lab, exercise: &'static Exercise, seed: u64) -> String {
    let place = Place::at(root());
    let work = without_host(&place, lab, exercise, dir.to_path_buf());
    let options = Options { only: vec![exercise], ..Options::new(seed) };
    let labs = vec![grade(&place, lab, &work, &options)];
    json(&[Graded { name: "own work".into(), labs }])
}

/// Work whose host code does not run, as in a browser; `exercise` is the one that says so.
fn without_host(place: &Place, lab: &Lab, exercise: &Exercise, student_dir: PathBuf) -> Work {
    let no_host = || {
        let what = "runs your host code, which a browser cannot";
        Host::missing(exercise.elsewhere(what))
    };
    Work { student_dir, host: Arc::new(no_host()), ..place.solution_work(lab, no_host()) }
}
