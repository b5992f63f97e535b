//! `cargo lab serve`: the same pages over a folder.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use browser_tests::{Browser, axe};
use grading::{Place, overlay};
use serde_json::json;

use crate::{SITE, judged, root, run};

/// Ends with the test, also with one that fails.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `cargo lab serve` over a folder: what is typed is saved and judged at once, and so is what
/// another editor saves.
#[test]
fn a_served_folder_follows_the_page_and_the_page_the_folder() {
    if SITE.is_none() {
        return;
    }
    // The program that has written the site.
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("debug/lab");
    let dir = tempfile::tempdir().expect("a folder");
    let place = Place::at(root());
    std::fs::write(dir.path().join("Cargo.toml"), "").expect("a file");
    for lab in lab::course::LABS {
        let to = dir.path().join(lab.package);
        std::fs::create_dir(&to).expect("a folder");
        overlay::skeletons(&place, lab, &to).expect("skeletons");
        overlay::skeletons(&place, lab, &to.join(".skeleton")).expect("skeletons");
    }
    // Results of a class, among them one whose names are no friend's.
    let results = dir.path().join("results/lab1");
    std::fs::create_dir_all(&results).expect("a folder");
    const HOSTILE: &str = "<img src=x onerror=alert(1)><script>alert(2)</script>";
    for (file, name) in [("a.json", "ada"), ("b.json", HOSTILE)] {
        let mut labs: serde_json::Value =
            serde_json::from_str(&judged(&lab1_checks::LAB, "1.1.4", 7)).expect("JSON");
        let mut result = labs[0]["labs"][0].take();
        result["exercises"][0]["checks"][0]["hint"] = HOSTILE.into();
        let record = json!({ "name": name, "files": "", "grader": "", "result": result });
        std::fs::write(results.join(file), record.to_string()).expect("a file");
    }
    let mut server = Server(
        Command::new(program)
            .args(["serve", "--results", "results"])
            .current_dir(dir.path())
            .env("CARGO_TARGET_DIR", dir.path().join("target"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server"),
    );
    let mut address = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut address).expect("its address");
    let address = address.trim();
    let mut browser = Browser::start();
    browser.open(&format!("{address}exercises.html#e1_1_15"));
    browser.wait("document.documentElement.dataset.open === 'e1_1_15'");
    let lab1 = &lab1_checks::LAB;
    let solution = overlay::read(&place.solution_dir(lab1), "kernels/add.cl").expect("a solution");
    browser.fill("#code textarea", &solution);
    browser.wait("document.querySelector('#verdict h2')?.textContent.startsWith('Done')");
    let file = dir.path().join(lab1.package).join("kernels/add.cl");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), solution);
    std::fs::write(&file, solution.replace("get_global_id", "get_local_id")).expect("a file");
    browser.wait("document.querySelector('#verdict')?.textContent.includes('not passed')");
    let text = browser.eval("document.querySelector('#code textarea').value");
    assert!(text.as_str().unwrap().contains("get_local_id"), "{text}");
    browser.open(&format!("{address}playground.html"));
    browser.wait("document.documentElement.dataset.checked");
    run(&mut browser, 1);
    assert!(browser.text("#status").contains("no fault"), "{}", browser.text("#status"));
    // The class: students' names and hints are text and nothing else.
    browser.open(&format!("{address}class.html"));
    browser.wait("document.documentElement.dataset.students === '2'");
    assert_eq!(browser.text("#marks tbody th"), HOSTILE);
    assert!(browser.text("#hints").contains(HOSTILE));
    assert_eq!(browser.eval("document.querySelectorAll('main img, main script').length"), 0);
    if let Some(axe) = axe() {
        assert_eq!(browser.barriers(&axe), [""; 0]);
    }
    browser.is_content(address);
}
