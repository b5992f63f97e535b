//! The static site in a real browser: what a visitor does, and that it stays on this machine.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, LazyLock};

use browser_tests::{Browser, Files, installed};
use grading::report::{Graded, json};
use grading::{Host, Lab, Options, Place, Work, grade, overlay};
use serde_json::json;

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

const RACE: &str = "__global__ void shift(int* out) {\n    __shared__ int box[64];\n    \
    box[threadIdx.x] = threadIdx.x;\n    out[threadIdx.x] = box[63 - threadIdx.x];\n}\n";

/// A visitor waits for an engine before the first verdict. Servers send it compressed.
#[test]
fn no_engine_has_more_than_a_megabyte() {
    if SITE.is_none() {
        return;
    }
    let mut engines = 0;
    for entry in std::fs::read_dir(site_dir()).expect("the site").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "wasm") {
            let packed = Command::new("gzip").arg("-9c").arg(&path).output().expect("gzip");
            let bytes = packed.stdout.len();
            println!("{}: {bytes} bytes", path.display());
            assert!(packed.status.success() && bytes <= 1_000_000, "{}: {bytes}", path.display());
            engines += 1;
        }
    }
    assert!(engines > 0);
}

#[test]
fn a_typed_race_has_both_its_lines_marked() {
    let Some((mut browser, address)) = playground() else { return };
    // A mistake is underlined as one types.
    browser.fill("#code textarea", &RACE.replace("box[63", "bax[63"));
    browser.wait("document.querySelector('.m-error')");
    assert_eq!(browser.text(".m-error"), "bax");
    browser.fill("#code textarea", RACE);
    browser
        .wait("document.querySelector('[data-name=out]') && !document.querySelector('.m-error')");
    browser.fill("#block", "64");
    browser.fill("[data-name=out]", "out:int:64");
    run(&mut browser, 1);
    assert!(browser.text("#status").starts_with("RACE-S"), "{}", browser.text("#status"));
    let signs =
        browser.eval("[...document.querySelectorAll('.gutter .sign')].map((s) => s.textContent)");
    assert_eq!(signs, json!(["", "", "1", "2", "", ""]));
    assert_eq!(browser.text(".m-fault"), "box[");
    assert_eq!(browser.text(".m-other"), "box[");
    // With the barrier it runs, and the lines have their counts.
    browser.fill("#code textarea", &RACE.replace("\n    out", " __syncthreads();\n    out"));
    browser.wait("!document.querySelector('.m-fault')");
    run(&mut browser, 2);
    assert!(browser.text("#status").contains("no fault"), "{}", browser.text("#status"));
    assert_eq!(browser.text("#buffers .values li"), "63");
    assert_ne!(browser.text(".gutter .number:nth-child(4) .heat"), "");
    // What is not kept by the address is kept by the browser.
    browser.open(&format!("{address}playground.html?again"));
    browser.wait("document.documentElement.dataset.checked");
    let text = browser.eval("document.querySelector('#code textarea').value");
    assert!(text.as_str().unwrap().contains("__syncthreads"), "{text}");
    assert_eq!(browser.eval("document.querySelector('[data-name=out]').value"), "out:int:64");
    browser.is_content(address);
}

#[test]
fn a_link_holds_the_whole_program() {
    let Some((mut browser, address)) = playground() else { return };
    browser.fill("#code textarea", &RACE.replace("shift", "linked"));
    browser.fill("#block", "48");
    browser.click("#share");
    browser.wait("location.hash.startsWith('#p=')");
    let link = browser.eval("location.href");
    let Some((mut other, _)) = page("index.html") else { return };
    other.open(link.as_str().unwrap());
    other.wait("document.documentElement.dataset.checked");
    let text = other.eval("document.querySelector('#code textarea').value");
    assert!(text.as_str().unwrap().contains("linked"), "{text}");
    assert_eq!(other.eval("document.querySelector('#block').value"), "48");
    browser.is_content(address);
    other.is_content(address);
}

#[test]
fn a_divergent_loop_is_stepped_forward_and_back() {
    let Some((mut browser, address)) = playground() else { return };
    browser.click("#gallery li:nth-child(9) button");
    browser.wait("document.querySelector('#code textarea').value.includes('turns')");
    browser.wait("document.querySelector('[data-name=out]')");
    browser.click("#tab-warp");
    browser.wait("document.querySelector('#warp').dataset.at === '0'");
    let at = |k: usize| format!("document.querySelector('#warp').dataset.at === '{k}'");
    let seen = |browser: &mut Browser| browser.text("#warp");
    browser.eval("document.querySelector('#step-next').focus()");
    let mut forward = vec![seen(&mut browser)];
    for k in 1..=12 {
        browser.press("ArrowRight");
        browser.wait(&at(k));
        forward.push(seen(&mut browser));
    }
    // Some lanes wait while others execute, by signs that need no colour.
    let parted = forward.iter().find(|text| text.contains("16 of 32 lanes execute it"));
    assert!(parted.is_some_and(|t| t.contains('●') && t.contains('○')), "{forward:?}");
    for k in (0..12).rev() {
        browser.press("ArrowLeft");
        browser.wait(&at(k));
        assert_eq!(seen(&mut browser), forward[k], "stop {k}");
    }
    browser.press("d");
    browser.wait("document.querySelector('#warp [role=status]').textContent.includes('16 of 32')");
    browser.is_content(address);
}

/// The value of a signal at the cursor.
fn value(browser: &mut Browser, signal: &str) -> String {
    browser.text(&format!("[data-signal='{signal}'] .value"))
}

#[test]
fn the_waveform_of_4_1_is_that_of_the_simulator() {
    let Some((mut browser, address)) = page("hardware.html") else { return };
    browser.wait("document.documentElement.dataset.simulated === '1'");
    assert!(browser.text("#about").starts_with("fpgatop"), "{}", browser.text("#about"));
    // The student's design comes as the netlist that the judge would get.
    let block = lab4_fpga::e4_1::fir1(&lab4_fpga::designs::LAB4, 19).expect("a design");
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("fir1.json");
    std::fs::write(&file, json!(block).to_string()).expect("a file");
    browser.give("#netlist", &file);
    browser.wait("document.documentElement.dataset.simulated === '2'");
    // The same run here.
    let x = hdl::stimulus::sine(hdl::board::WORDS, 30000.0, 100.0);
    let mut fpga = hdl::board::Fpga::new(&block).expect("it fits the board");
    let mut trace = hdl::Trace::all(fpga.simulator()).expect("a trace");
    let run = fpga.run_watched(&x, |sim| trace.record(sim)).expect("a run");
    assert!(browser.text("#wave-status").contains(&format!("of {}", run.wall_cycles)));
    browser.eval("document.querySelector('#wave-table').focus()");
    for clock in 1..=40 {
        browser.press("ArrowRight");
        if clock % 8 == 0 {
            for signal in ["SRC_DATA", "total", "cnt_data", "RESULT_DATA", "SRC_RD"] {
                let want = trace.values(signal).expect("a signal")[clock];
                assert_eq!(value(&mut browser, signal), want.to_string(), "{signal} {clock}");
            }
        }
    }
    let names = ["IDLE", "RD_DAT", "WR_DAT"];
    let state = trace.values("state").expect("a signal")[40] as usize;
    assert_eq!(value(&mut browser, "state"), names[state]);
    // The search finds the clock in which a signal takes a value, forward and back.
    let count = trace.values("cnt_data").expect("a signal");
    let clock_of = |n: i64| count.iter().position(|v| *v == n).expect("a clock").to_string();
    browser.eval(
        "{ const s = document.querySelector('#wave-signal'); s.value = 'cnt_data'; \
         s.dispatchEvent(new Event('change')); null }",
    );
    browser.fill("#wave-value", "1000");
    browser.click("#wave-find");
    assert_eq!(browser.eval("document.querySelector('#waves').dataset.clock"), clock_of(1000));
    browser.fill("#wave-value", "0x10");
    browser.click("#wave-before");
    assert_eq!(browser.eval("document.querySelector('#waves').dataset.clock"), clock_of(16));
    browser.fill("#wave-value", "5000");
    browser.click("#wave-find");
    let said = browser.text("#wave-status");
    assert!(said.contains("cnt_data does not become 5000"), "{said}");
    // Instances are folded; an open one shows its signals.
    assert_eq!(
        browser.eval("document.querySelector(\"[data-signal='u_mult1.late1']\")"),
        json!(null)
    );
    browser.click("[id='wave-of-u_mult1']");
    browser.wait("document.querySelector(\"[data-signal='u_mult1.late1']\")");
    // The diagram folds in the same way, and can be made larger.
    browser.click("#tab-blocks");
    assert_eq!(browser.eval("document.querySelectorAll('#blocks img').length"), 1);
    browser.click("#blocks summary");
    browser.wait("document.querySelectorAll('#blocks img').length === 2");
    browser.wait("[...document.querySelectorAll('#blocks img')].every((i) => i.naturalWidth > 0)");
    browser.click("#zoom-in");
    browser.wait("document.querySelector('#zoomed').textContent.startsWith('141 %')");
    browser.click("#tab-cost");
    assert!(browser.text("#cost").contains("8 of 20 multiplier blocks"));
    browser.click("#tab-spectrum");
    assert!(browser.text("#report").contains("Cycles per word:  3.0"));
    // A file that is no design is refused in words, and what was open stays.
    std::fs::write(&file, "{\"modules\": []}").expect("a file");
    browser.give("#netlist", &file);
    browser.wait("document.querySelector('#status').textContent.includes('without a module')");
    browser.is_content(address);
}

/// How many points of a canvas have the colour of a strong wave, in a strip around a depth (0 to 1).
fn waves(browser: &mut Browser, canvas: usize, depth: f64) -> f64 {
    let script = format!(
        "{{ const c = document.querySelectorAll('#tanks canvas')[{canvas}]; \
           const h = Math.round(c.height / 20); \
           const t = document.createElement('canvas'); \
           [t.width, t.height] = [c.width, c.height]; \
           const to = t.getContext('2d', {{ willReadFrequently: true }}); \
           to.drawImage(c, 0, 0); \
           const d = to.getImageData(0, Math.round({depth} * c.height) - h / 2, \
               c.width, h).data; \
           let n = 0; \
           for (let k = 0; k < d.length; k += 4) if (Math.abs(d[k] - d[k + 2]) > 40) n += 1; n }}"
    );
    browser.eval(&script).as_f64().expect("a number")
}

#[test]
fn the_wave_runs_and_its_image_is_summed() {
    let Some((mut browser, address)) = page("seismics.html") else { return };
    browser.wait("document.documentElement.dataset.shot === '1'");
    browser.wait("document.querySelector('#play').textContent === 'Pause'");
    // It runs by itself; the slider stops it and shows any time.
    browser.wait("Number(document.documentElement.dataset.frame) > 1");
    let at = |browser: &mut Browser, part: f64| {
        browser.eval(&format!(
            "{{ const t = document.querySelector('#time'); t.value = Math.round({part} * t.max); \
               t.dispatchEvent(new Event('input')); null }}"
        ));
    };
    at(&mut browser, 0.08);
    assert_eq!(browser.text("#play"), "Play");
    // Early the wave is at the source, later at depth, and in the end it has left the model.
    assert!(waves(&mut browser, 0, 0.15) > 0.0);
    assert_eq!(waves(&mut browser, 0, 0.6), 0.0);
    at(&mut browser, 0.4);
    let deep = waves(&mut browser, 0, 0.6);
    assert!(deep > 0.0);
    at(&mut browser, 1.0);
    let left = waves(&mut browser, 0, 0.6);
    assert!(left < deep / 2.0, "{left} of {deep}");
    // Another source is another wave.
    browser.eval(
        "{ const x = document.querySelector('#at-x'); x.value = 700; \
           x.dispatchEvent(new Event('input')); null }",
    );
    browser.wait("document.documentElement.dataset.shot === '2'");
    browser.eval(
        "{ const n = document.querySelector('#at-shots'); n.value = 1; \
           n.dispatchEvent(new Event('input')); null }",
    );
    browser.click("#image");
    browser.wait("document.documentElement.dataset.imaged === '1'");
    assert!(browser.text("#status").contains("1 shot summed"), "{}", browser.text("#status"));
    // The faces are in the image of all shots.
    assert!(waves(&mut browser, 3, 0.4) > 0.0);
    browser.is_content(address);
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
    let no_host = || {
        let what = "runs your host code, which a browser cannot";
        Host::missing(grading::trial::elsewhere(exercise, what))
    };
    let work = Work {
        student_dir: dir.path().to_path_buf(),
        host: Arc::new(no_host()),
        ..place.solution_work(lab, no_host())
    };
    let options = Options { only: vec![exercise], ..Options::new(seed) };
    let labs = vec![grade(&place, lab, &work, &options)];
    json(&[Graded { name: "own work".into(), labs }])
}

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
    let (lab1, lab2, lab6) = (&lab1_checks::LAB, &lab2_checks::LAB, &lab6_checks::LAB);
    for (time, (lab, name)) in [
        (lab1, "1.1.1"),
        (lab1, "1.1.10"),
        (lab1, "1.1.15"),
        (lab2, "2.1.9"),
        (lab2, "2.2.3"),
        (lab6, "6.3"),
    ]
    .into_iter()
    .enumerate()
    {
        solve(&mut browser, address, lab, name, time as u32);
        assert_eq!(browser.text("#json"), judged(lab, name, 7), "{name}");
        assert!(!browser.text("#verdict").contains("not passed"), "{name}");
    }
    assert!(browser.text("#verdict h2").starts_with("Done"));
    // Of 1.1.4 one check is host code: it says so, and the others are passed.
    solve(&mut browser, address, lab1, "1.1.4", 9);
    let verdict = browser.text("#verdict");
    assert!(verdict.contains("cargo lab run 1.1.4"), "{verdict}");
    assert!(!verdict.contains("not passed"), "{verdict}");
    // Nothing is lost on reload; hints come one by one.
    browser.open(&format!("{address}exercises.html?again#e1_1_04"));
    browser.wait("document.documentElement.dataset.open === 'e1_1_04'");
    let text = browser.eval("document.querySelector('#code textarea').value");
    assert!(text.as_str().unwrap().contains("i < size"), "{text}");
    browser.click("#hint");
    browser.click("#hint");
    assert_eq!(browser.eval("document.querySelectorAll('#hints .hint').length"), 2);
    // The zip is one that the judge takes, with what was written here in it.
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
        grading::intake::collect(&Place::at(root()), lab1, &zip, &out).expect("a submission");
    assert!(taken.notes.is_empty(), "{:?}", taken.notes);
    let kernel = std::fs::read_to_string(out.join("kernels/e1_1_04.cu")).expect("a kernel");
    assert!(kernel.contains("i < size"), "{kernel}");
    browser.is_content(address);
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
    let mut server = Command::new(program)
        .args(["serve", "--results", "results"])
        .current_dir(dir.path())
        .env("CARGO_TARGET_DIR", dir.path().join("target"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server");
    let mut address = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut address).expect("its address");
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
    browser.is_content(address);
    server.kill().expect("it ends");
    server.wait().expect("it ends");
}

/// The table of docs/browser.md. The native engine takes turns with the page's.
#[test]
#[ignore = "long: prints speeds, compares none"]
fn speed() {
    let Some((mut browser, address)) = page("bench.html") else { return };
    for time in 1..=3 {
        browser.eval("delete document.documentElement.dataset.measured");
        browser.click("#bench");
        browser.wait("document.documentElement.dataset.measured");
        let rows = browser
            .eval("[...document.querySelectorAll('#rows tr')].map((r) => r.innerText).join('\\n')");
        println!("in Chromium, {time}:\n{}", rows.as_str().unwrap());
        println!("native, one thread, {time}:\n{}", native_speed());
    }
    browser.is_content(address);
}

/// The launches of the page *Speed*, here; run with `RAYON_NUM_THREADS=1`.
fn native_speed() -> String {
    let script = overlay::read(&root().join("crates/web/pages/js"), "bench.js").expect("a script");
    let text = script.split('`').nth(1).expect("a program");
    let workbench = workbench::Workbench { labs: &[] };
    let mut out = String::new();
    for kernel in ["naive", "tiled"] {
        for checks in [false, true] {
            let launch = json!({
                "kernel": kernel, "grid": [16, 16, 1], "block": [16, 16, 1], "races": checks,
                "uninit": checks,
                "args": ["c=out:float:65536", "a=rand:float:65536", "b=rand:float:65536", "n=256"],
            });
            let program = json!({ "file": "product.cu", "text": text });
            let ask = json!({ "op": "run", "program": program, "launch": launch, "show": 1 });
            let mut best = f64::INFINITY;
            let mut inst = 0.0;
            for _ in 0..3 {
                let began = std::time::Instant::now();
                let answer = workbench.answer(&ask.to_string());
                best = best.min(began.elapsed().as_secs_f64());
                let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
                inst = answer["report"]["total"]["inst"].as_f64().expect("a report");
            }
            let checks = if checks { "all" } else { "none" };
            let rate = inst / best / 1e6;
            out += &format!("{kernel}\t{checks}\t{:.0} ms\t{inst}\t{rate:.1}\n", 1e3 * best);
        }
    }
    out
}
