//! The playground and the view inside a warp.

use browser_tests::Browser;
use serde_json::json;

use crate::{page, playground, run};

const RACE: &str = "__global__ void shift(int* out) {\n    __shared__ int box[64];\n    \
    box[threadIdx.x] = threadIdx.x;\n    out[threadIdx.x] = box[63 - threadIdx.x];\n}\n";

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

/// What the first page shows of a race is what the engine says of it.
#[test]
fn the_example_of_the_first_page_runs_at_once() {
    let Some((mut browser, address)) = page("index.html") else { return };
    let shown = browser.text(".sample pre");
    let lines: Vec<&str> = shown.trim().lines().map(|l| l.trim_start_matches(['1', '2'])).collect();
    // A mark is a piece for each colour of the words in it.
    let marked = |browser: &mut Browser, within: &str| {
        [".m-fault", ".m-other"].map(|mark| {
            let all = format!("[...document.querySelectorAll('{within} {mark}')]");
            browser.eval(&format!("{all}.map((e) => e.textContent).join('')"))
        })
    };
    let marks = marked(&mut browser, ".sample");
    let said = browser.text(".sample h2").split_whitespace().collect::<Vec<_>>().join(" ");
    browser.tab_to(".sample a");
    browser.press("Enter");
    browser.wait("document.documentElement?.dataset.ran === '1'");
    let text = browser.eval("document.querySelector('#code textarea').value");
    assert!(text.as_str().unwrap().contains(&lines.join("\n")), "{lines:?}");
    assert_eq!(marked(&mut browser, "#code"), marks);
    assert_eq!(browser.text("#faults h3"), said);
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

#[test]
fn a_kernel_of_the_handbook_opens_with_the_launch_that_stands_below_it() {
    let Some((mut browser, address)) = page("handbook/diagnostics.html") else { return };
    browser.wait("document.querySelector('pre[data-kernel*=histogram_race] + button')");
    browser.click("pre[data-kernel*=histogram_race] + button");
    browser.wait("location.pathname.endsWith('/playground.html')");
    browser.wait("document.querySelector('[data-name=bins]')");
    assert_eq!(browser.eval("document.querySelector('#grid').value"), "4");
    assert_eq!(browser.eval("document.querySelector('[data-name=bins]').value"), "zeros:int:16");
    run(&mut browser, 1);
    assert!(browser.text("#status").contains("RACE-G"), "{}", browser.text("#status"));
    browser.is_content(address);
}
