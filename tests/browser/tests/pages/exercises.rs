//! The page *Exercises*, and the work that is taken along.

use browser_tests::Browser;
use grading::{Exercise, Lab, Place, overlay};
use serde_json::json;

use crate::{judged, judged_in, page, root};

/// Writes the solution of an exercise into its page and checks it.
fn solve(browser: &mut Browser, address: &str, lab: &Lab, name: &str, time: u32) {
    let exercise = lab.exercise(name).expect("an exercise");
    browser.open(&format!("{address}exercises.html?seed=7&time={time}#{}", exercise.key));
    browser.wait(&format!("document.documentElement.dataset.open === '{}'", exercise.key));
    for (k, rel) in exercise.files.iter().enumerate() {
        browser.click(&format!("#files [role=tab]:nth-child({})", k + 1));
        let text = overlay::read(&Place::at(root()).solution_dir(lab), rel).expect("a solution");
        browser.fill("#code textarea", &text);
    }
    browser.click("#check");
    browser.wait("document.documentElement.dataset.graded === '1'");
}

#[test]
fn exercises_get_the_marks_and_the_bytes_of_the_command_line() {
    let Some((mut browser, address)) = page("exercises.html") else { return };
    browser.wait("document.documentElement.dataset.open");
    let (lab2, lab3, lab6) = (&lab2_checks::LAB, &lab3_checks::LAB, &lab6_checks::LAB);
    for (time, (lab, name)) in [
        (lab2, "2.1.9"),
        (lab2, "2.1.12"),
        (lab2, "2.2.3"),
        (lab3, "3.1.3"),
        (lab3, "3.4.2"),
        (lab6, "6.3"),
    ]
    .into_iter()
    .enumerate()
    {
        solve(&mut browser, address, lab, name, time as u32);
        assert_eq!(browser.text("#json"), judged(lab, name, 7), "{name}");
        assert!(!browser.text("#verdict").contains("✗"), "{name}");
    }
    assert!(browser.text("#verdict h2").starts_with("Done"));
    browser.is_content(address);
}

/// The same by keys alone, from the list on; `time` counts the checks.
fn solve_by_keys(browser: &mut Browser, lab: &Lab, exercise: &Exercise, time: usize) {
    browser.tab_to(&format!("#list a[href='#{}']", exercise.key));
    browser.press("Enter");
    browser.wait(&format!("document.documentElement.dataset.open === '{}'", exercise.key));
    for rel in exercise.files {
        browser.tab_to("#files [aria-selected=true]");
        while browser.text("#files [aria-selected=true]") != *rel {
            browser.press("ArrowRight");
        }
        browser.tab_to("#code textarea");
        let text = overlay::read(&Place::at(root()).solution_dir(lab), rel).expect("a solution");
        browser.retype(&text);
    }
    browser.tab_to("#check");
    browser.press("Enter");
    browser.wait(&format!("document.documentElement.dataset.graded === '{time}'"));
    assert_eq!(browser.eval("document.activeElement.id"), "check", "the focus stays");
}

/// Every exercise of lab 1 that has a kernel: opened, solved by keys, taken along, and handed in.
#[test]
fn lab_1_needs_only_a_browser_and_a_keyboard() {
    let Some((mut browser, address)) = page("exercises.html?seed=7") else { return };
    browser.wait("document.documentElement.dataset.open");
    let lab = &lab1_checks::LAB;
    let all: Vec<_> = lab.exercises.iter().filter(|e| lab.in_browser(e)).collect();
    let mut seen = Vec::new();
    for (time, exercise) in all.iter().enumerate() {
        solve_by_keys(&mut browser, lab, exercise, time + 1);
        let verdict = browser.text("#verdict");
        assert!(!verdict.contains("✗"), "{}: {verdict}", exercise.id);
        // Host code is named where it is needed, with its command.
        let whole = browser.text("#verdict h2").starts_with("Done");
        let command = format!("cargo lab run {}", exercise.number());
        assert_eq!(!whole, verdict.contains(&command), "{}: {verdict}", exercise.id);
        assert!(verdict.contains("✓"), "{}: {verdict}", exercise.id);
        seen.push(browser.text("#json"));
    }
    let done = browser.eval("document.querySelectorAll('#list [aria-label=done]').length");
    assert_eq!(done, all.len());
    // Nothing is lost on reload; hints come one by one.
    browser.open(&format!("{address}exercises.html?again#e1_1_04"));
    browser.wait("document.documentElement.dataset.open === 'e1_1_04'");
    let text = browser.eval("document.querySelector('#code textarea').value");
    assert!(text.as_str().unwrap().contains("i < size"), "{text}");
    browser.click("#hint");
    browser.click("#hint");
    assert_eq!(browser.eval("document.querySelectorAll('#hints .hint').length"), 2);
    // The zip is one that the judge takes, and gets the marks that the page has shown.
    let folder = tempfile::tempdir().expect("a folder");
    let to = json!({ "behavior": "allow", "downloadPath": folder.path() });
    browser.call("Page.setDownloadBehavior", to);
    browser.click("#export");
    browser.wait("document.querySelector('#status').textContent.startsWith('work.zip')");
    let zip = folder.path().join("work.zip");
    while !zip.is_file() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let out = folder.path().join("taken");
    let taken =
        grading::intake::collect(&Place::at(root()), lab, &zip, &out).expect("a submission");
    assert!(taken.notes.is_empty(), "{:?}", taken.notes);
    for (exercise, seen) in all.iter().zip(&seen) {
        assert_eq!(&judged_in(&out, lab, exercise, 7), seen, "{}", exercise.id);
    }
    browser.is_content(address);
    // Another browser goes on with it.
    let Some((mut other, _)) = page("exercises.html#e1_1_04") else { return };
    other.wait("document.documentElement.dataset.open === 'e1_1_04'");
    other.give("#import", &zip);
    other.wait("document.querySelector('#status').textContent.endsWith('files taken')");
    assert_eq!(other.eval("document.querySelector('#code textarea').value"), text);
    other.is_content(address);
}

/// What the kernels count is compared with the last try, also after a reload; other inputs are no
/// comparison.
#[test]
fn a_try_is_compared_with_the_last_one() {
    let Some((mut browser, address)) = page("index.html") else { return };
    let lab = &lab2_checks::LAB;
    solve(&mut browser, address, lab, "2.1.9", 1);
    assert_eq!(browser.eval("document.querySelector('#since')"), json!(null));
    browser.click("#check");
    browser.wait("document.documentElement.dataset.graded === '2'");
    assert!(browser.text("#since").contains("what they counted before"));
    let solution = overlay::read(&Place::at(root()).solution_dir(lab), "kernels/fir4.cu");
    let kernel = solution.expect("a solution");
    let slower = kernel.replace("acc = 0.0f", "acc = b < 0 ? 1.0f : 0.0f");
    assert_ne!(kernel, slower);
    browser.fill("#code textarea", &slower);
    browser.click("#check");
    browser.wait("document.documentElement.dataset.graded === '3'");
    let rows = browser.eval("document.querySelectorAll('#since tbody tr').length");
    assert!(rows.as_u64() > Some(0), "{}", browser.text("#verdict"));
    assert!(browser.text("#since").contains("audiofir_kernel: warp instructions"));
    // Other inputs.
    browser.open(&format!("{address}exercises.html?seed=8#e2_1_09"));
    browser.wait("document.documentElement.dataset.open === 'e2_1_09'");
    browser.click("#check");
    browser.wait("document.documentElement.dataset.graded === '1'");
    assert_eq!(browser.eval("document.querySelector('#since')"), json!(null));
    browser.is_content(address);
}

/// In place of the window in which a visitor names a folder: one that the browser keeps itself.
const PICKER: &str = "window.showDirectoryPicker = async () => \
    (await navigator.storage.getDirectory()).getDirectoryHandle('course', { create: true });";
/// The kernel of 1.1.15 in that folder.
const IN_FOLDER: &str = "(async () => { \
    let at = await showDirectoryPicker(); \
    for (const part of ['lab1-cuda-intro', 'kernels']) at = await at.getDirectoryHandle(part); \
    return at.getFileHandle('add.cl'); })()";

#[test]
fn work_is_kept_in_a_folder_too() {
    let Some((mut browser, address)) = page("index.html") else { return };
    browser.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": PICKER }));
    let open = |browser: &mut Browser, time: u32| {
        browser.open(&format!("{address}exercises.html?time={time}#e1_1_15"));
        browser.wait("document.documentElement.dataset.open === 'e1_1_15'");
    };
    const SAYS: &str = "document.querySelector('#status').textContent.includes('folder course')";
    open(&mut browser, 1);
    browser.click("#folder");
    browser.wait(SAYS);
    browser.fill("#code textarea", "// typed");
    let text = format!("{IN_FOLDER}.then((f) => f.getFile()).then((f) => f.text())");
    // Until the page has saved it there is no such file.
    browser.wait(&format!("await {text}.catch(() => null) === '// typed'"));
    // What another editor writes is there when the visitor comes back to the page.
    browser.eval(&format!(
        "{IN_FOLDER}.then((f) => f.createWritable())\
         .then(async (out) => {{ await out.write('// elsewhere'); await out.close(); }})"
    ));
    browser.eval("dispatchEvent(new Event('focus'))");
    browser.wait("document.querySelector('#code textarea').value === '// elsewhere'");
    // A browser that has forgotten the work, but not the folder, finds it again.
    browser.eval("localStorage.clear()");
    open(&mut browser, 2);
    browser.wait(SAYS);
    browser.wait("document.querySelector('#code textarea').value === '// elsewhere'");
    browser.is_content(address);
}

/// With the reference solution nothing is wrong there, and something is checked: an exercise that
/// is host code throughout would only disappoint. Lab 1 has a test of its own.
#[test]
fn every_exercise_of_the_site_is_checked_there() {
    for lab in [&lab2_checks::LAB, &lab3_checks::LAB, &lab6_checks::LAB] {
        let dir = Place::at(root()).solution_dir(lab);
        for exercise in lab.exercises.iter().filter(|e| lab.in_browser(e)) {
            let said: serde_json::Value =
                serde_json::from_str(&judged_in(&dir, lab, exercise, 7)).expect("JSON");
            let checks = said[0]["labs"][0]["exercises"][0]["checks"].as_array().expect("checks");
            let mut here = checks.iter().filter(|c| c["fail"]["class"] != "elsewhere").peekable();
            assert!(here.peek().is_some(), "{}: nothing is checked", exercise.id);
            assert!(here.all(|c| !c["pass"].is_null()), "{}: {checks:?}", exercise.id);
        }
    }
}
