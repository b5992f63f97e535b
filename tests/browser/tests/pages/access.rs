//! Every kind of page can be used by everybody: axe-core finds nothing serious.

use browser_tests::{Browser, axe};
use grading::report::{Graded, Page, Shown, html};
use grading::{Options, Place, grade, overlay};

use crate::{page, root, run};

/// Looks at the page as it is now.
struct Looks {
    axe: String,
    found: Vec<String>,
}

impl Looks {
    fn at(&mut self, browser: &mut Browser, what: &str) {
        let found = browser.barriers(&self.axe);
        self.found.extend(found.into_iter().map(|f| format!("{what}: {f}")));
    }

    fn find_nothing(&self) {
        assert!(self.found.is_empty(), "{}", self.found.join("\n\n"));
    }
}

/// A browser on a page, and what looks at it.
fn look(name: &str) -> Option<(Browser, &'static str, Looks)> {
    let (browser, address) = page(name)?;
    Some((browser, address, Looks { axe: axe()?, found: Vec::new() }))
}

#[test]
fn playground_and_warp() {
    let Some((mut browser, address, mut looks)) = look("index.html") else { return };
    looks.at(&mut browser, "start");
    browser.open(&format!("{address}playground.html"));
    browser.wait("document.documentElement.dataset.checked");
    run(&mut browser, 1);
    looks.at(&mut browser, "results");
    browser.click("#tab-counts");
    looks.at(&mut browser, "counts");
    browser.click("#gallery li:nth-child(2) button");
    browser.wait("document.querySelector('[data-name=b]')");
    browser.click("#tab-warp");
    browser.wait("document.querySelector('#step-next')");
    for at in 1..=10 {
        browser.click("#step-next");
        browser.wait(&format!("document.querySelector('#warp').dataset.at === '{at}'"));
    }
    looks.at(&mut browser, "warp");
    browser.click("#gallery li:nth-child(7) button");
    browser.wait("document.querySelector('[data-name=a]')");
    run(&mut browser, 2);
    browser.click("#tab-results");
    looks.at(&mut browser, "race");
    browser.fill("#code textarea", "__global__ void f(int* p) { p[0] = q; }");
    browser.wait("document.querySelector('.m-error')");
    looks.at(&mut browser, "mistake");
    looks.find_nothing();
}

#[test]
fn exercises() {
    let Some((mut browser, address, mut looks)) = look("exercises.html") else { return };
    browser.wait("document.documentElement.dataset.open");
    looks.at(&mut browser, "skeleton");
    let solution = Place::at(root()).solution_dir(&lab1_checks::LAB);
    let kernel = overlay::read(&solution, "kernels/e1_1_04.cu").expect("a solution");
    browser.open(&format!("{address}exercises.html?seed=7#e1_1_04"));
    browser.wait("document.documentElement.dataset.open === 'e1_1_04'");
    browser.fill("#code textarea", &kernel.replace("i < size", "i <= size"));
    browser.click("#check");
    browser.wait("document.documentElement.dataset.graded === '1'");
    browser.click("#hint");
    browser.eval("document.querySelectorAll('details').forEach((d) => { d.open = true })");
    assert!(browser.text("#verdict").contains("not passed"));
    // Its words lead to their places in the handbook.
    let places = browser.eval(
        "Promise.all([...document.querySelectorAll('#verdict a')].map(async (link) => { \
             const page = await (await fetch(link.href)).text(); \
             return page.includes(`id=\"${link.hash.slice(1)}\"`); }))",
    );
    let places = places.as_array().expect("links").clone();
    assert!(places.len() >= 2 && places.iter().all(|found| *found == true), "{places:?}");
    looks.at(&mut browser, "verdict");
    looks.find_nothing();
}

#[test]
fn hardware() {
    let Some((mut browser, _, mut looks)) = look("hardware.html") else { return };
    browser.wait("document.documentElement.dataset.simulated === '1'");
    for view in ["waves", "blocks", "cost", "spectrum", "text"] {
        browser.click(&format!("#tab-{view}"));
        looks.at(&mut browser, view);
    }
    looks.find_nothing();
}

#[test]
fn seismics_and_speed() {
    let Some((mut browser, address, mut looks)) = look("seismics.html") else { return };
    browser.wait("document.documentElement.dataset.shot === '1'");
    browser.click("#play");
    looks.at(&mut browser, "wave");
    browser.open(&format!("{address}bench.html"));
    looks.at(&mut browser, "speed");
    looks.find_nothing();
}

#[test]
fn the_handbook() {
    let Some((mut browser, address, mut looks)) = look("handbook/index.html") else { return };
    for chapter in
        ["index.html", "index.html?q=bank", "lab2.html", "verdicts.html", "glossary.html"]
    {
        browser.open(&format!("{address}handbook/{chapter}"));
        looks.at(&mut browser, chapter);
    }
    looks.find_nothing();
}

/// A browser that prints makes everything smaller until the widest table fits the sheet: 178 mm
/// between the margins.
#[test]
fn the_handbook_fits_its_sheets() {
    let Some((mut browser, _)) = page("handbook/print.html") else { return };
    browser.resize(673, 1000, false);
    browser.call("Emulation.setEmulatedMedia", serde_json::json!({ "media": "print" }));
    let wide = browser.eval(
        "[...document.querySelectorAll('article *')]\
         .filter((e) => e.getBoundingClientRect().right > 674).slice(0, 5)\
         .map((e) => `${e.closest('article').querySelector('h1').textContent}: ${e.outerHTML}`)",
    );
    assert_eq!(wide, serde_json::json!([]));
}

/// A student's page and that of a class, pictures first.
#[test]
fn the_page_of_a_submission() {
    let Some((mut browser, _, mut looks)) = look("index.html") else { return };
    let place = Place::at(root());
    let lab = &lab1_checks::LAB;
    let dir = tempfile::tempdir().expect("a folder");
    overlay::skeletons(&place, lab, dir.path()).expect("skeletons");
    let kernel = overlay::read(&place.solution_dir(lab), "kernels/e1_1_04.cu").expect("a file");
    overlay::write(&dir.path().join("kernels/e1_1_04.cu"), &kernel.replace("size", "(size+1)"))
        .expect("a file");
    let only = ["1.1.3", "1.1.4", "1.1.10"].map(|name| lab.exercise(name).expect("an exercise"));
    let labs = [dir.path().to_path_buf(), place.solution_dir(lab)].map(|student_dir| {
        let work = crate::without_host(&place, lab, only[1], student_dir);
        grade(&place, lab, &work, &Options { only: only.to_vec(), ..Options::new(7) })
    });
    let [own, reference] = labs.map(|lab| Graded { name: lab.earned.to_string(), labs: vec![lab] });
    let picture = root().join("lab1-cuda-intro/pictures/divergence.svg");
    let shown = Shown {
        exercise: only[0].id.into(),
        picture: std::fs::read(picture).expect("a picture"),
        svg: true,
        says: "A warp parts.".into(),
        sound: None,
    };
    let about = Page {
        title: "Marks".into(),
        intro: "Of two submissions.".into(),
        gallery: true,
        shown: vec![shown],
        handbook: Some("handbook/".into()),
    };
    let file = dir.path().join("page.html");
    std::fs::write(&file, html(&[own, reference], &about)).expect("a file");
    browser.open(&format!("file://{}", file.display()));
    looks.at(&mut browser, "page");
    // A link to a folded exercise unfolds it.
    const FOLDED: &str = "document.getElementById('w0-L1-1.1.3').closest('details').open";
    assert_eq!(browser.eval(FOLDED), false);
    browser.click("[href='#w0-L1-1.1.3']");
    browser.wait(FOLDED);
    looks.find_nothing();
}
