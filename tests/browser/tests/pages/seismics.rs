//! The page *Seismics*.

use browser_tests::Browser;

use crate::page;

/// How many points of a canvas have the colour of a strong wave, in a strip around a depth (0 to
/// 1).
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
    assert_eq!(browser.text("#tanks .down"), "0200400600depth (m)");
    assert_eq!(browser.text("#tanks .across"), "0200400600800x (m)");
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
