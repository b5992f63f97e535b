//! The page *Hardware*.

use browser_tests::Browser;
use serde_json::json;

use crate::page;

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
    browser.wait(
        "[...document.querySelectorAll('#spectrum img')].filter((i) => i.naturalWidth > 0).length \
         === 2",
    );
    // A file that is no design is refused in words, and what was open stays.
    std::fs::write(&file, "{\"modules\": []}").expect("a file");
    browser.give("#netlist", &file);
    browser.wait("document.querySelector('#status').textContent.includes('without a module')");
    browser.is_content(address);
}
