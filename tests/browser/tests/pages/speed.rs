//! What a visitor waits for: bytes and time.

use browser_tests::{Browser, Files};
use grading::overlay;
use serde_json::json;

use crate::{SITE, page, root, site_dir};

/// A visitor waits for an engine before the first verdict.
#[test]
fn no_engine_has_more_than_a_megabyte() {
    if SITE.is_none() {
        return;
    }
    let mut engines = 0;
    for entry in std::fs::read_dir(site_dir()).expect("the site").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".wasm.gz") {
            let bytes = entry.metadata().expect("a size").len();
            println!("{name}: {bytes} bytes");
            assert!(bytes <= 1_000_000, "{name}: {bytes}");
            engines += 1;
        }
    }
    assert!(engines > 0);
}

/// Solves an exercise as soon as its page is there, in place of a visitor who types fast.
const HASTY: &str = "addEventListener('DOMContentLoaded', () => { \
    const at = () => Math.round(performance.now()); \
    const when = (said, then) => document.documentElement.dataset[said] ? then() \
        : setTimeout(when, 1, said, then); \
    when('open', () => { \
        window.opened = at(); \
        const f = document.querySelector('#code textarea'); \
        f.value = SOLUTION; f.dispatchEvent(new Event('input')); \
        document.querySelector('#check').click(); \
        when('graded', () => { window.judged = at(); }); }); });";

/// The times of docs/browser.md: from the first byte of a first visit to the first verdict.
#[test]
#[ignore = "long: prints times, compares none"]
fn first_verdict() {
    let Some(Files { address }) = SITE.as_ref() else { return };
    let solution = root().join("solutions/lab1-cuda-intro/kernels/add.cl");
    let solution = std::fs::read_to_string(solution).expect("a solution");
    for visit in 1..=5 {
        let mut browser = Browser::start();
        let source = HASTY.replace("SOLUTION", &json!(solution).to_string());
        browser.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
        browser.open(&format!("{address}exercises.html#e1_1_15"));
        browser.wait("window.judged");
        assert!(browser.text("#verdict h2").starts_with("Done"));
        let said = browser.eval(
            "(() => { \
                const all = performance.getEntriesByType('resource'); \
                const named = (of) => all.filter((r) => r.name.includes(of)); \
                const last = (of) => Math.round(named(of).at(-1)?.responseEnd); \
                return `page open ${opened} ms, engine fetched ${last('.wasm')} ms, \
                    verdict ${judged} ms; ${all.length} requests`; })()",
        );
        println!("visit {visit}: {}", said.as_str().unwrap());
        browser.is_content(address);
    }
}

/// What docs/browser.md asks of each row: M warp instructions a second, without and with checks.
const GOALS: [f64; 4] = [40.0, 20.0, 40.0, 20.0];

/// The table of docs/browser.md. The native engine takes turns with the page's.
#[test]
#[ignore = "long: prints speeds, compares none"]
fn speed() {
    let Some((mut browser, address)) = page("bench.html") else { return };
    let mut turns = Vec::new();
    for time in 1..=3 {
        browser.eval("delete document.documentElement.dataset.measured");
        browser.click("#bench");
        browser.wait("document.documentElement.dataset.measured");
        let rows = browser
            .eval("[...document.querySelectorAll('#rows tr')].map((r) => r.innerText).join('\\n')");
        let (here, native) = (rows.as_str().unwrap().to_string(), native_speed());
        println!("in Chromium, {time}:\n{here}\nnative, one thread, {time}:\n{native}");
        turns.push((rates(&here), rates(&native)));
    }
    browser.is_content(address);
    println!("medians of three turns, in M warp instructions a second:");
    for (row, goal) in GOALS.into_iter().enumerate() {
        let name = ["naive, no checks", "naive, all", "tiled, no checks", "tiled, all"][row];
        let here = median(turns.iter().map(|(here, _)| here[row]));
        let native = median(turns.iter().map(|(_, native)| native[row]));
        let share = 100.0 * median(turns.iter().map(|(here, native)| here[row] / native[row]));
        println!(
            "{name:<17} in Chromium {here:5.1} (goal {goal}), native {native:5.1}, \
             share {share:3.0} % (goal 60 %)"
        );
    }
}

/// The last column of a table.
fn rates(table: &str) -> Vec<f64> {
    let last = |line: &str| line.split('\t').next_back()?.trim().parse().ok();
    let found: Vec<f64> = table.lines().filter_map(last).collect();
    assert_eq!(found.len(), GOALS.len(), "{table}");
    found
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
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
