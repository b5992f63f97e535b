//! Pictures of the pages of a site, to be looked at: `cargo run -p browser-tests --example look --
//! SITE OUT [PAGE ...]`, each PAGE the file or address of one more, such as the tour's, from its
//! top to its end. With `-` as the site, of those alone. They are kept out of the repository.

use std::path::PathBuf;

use browser_tests::{Browser, Files};

fn main() {
    let args: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [site, out, more @ ..] = args.as_slice() else {
        panic!("two folders: the site, and where to")
    };
    std::fs::create_dir_all(out).expect("a folder");
    let mut browser = Browser::start();
    let site = (site.as_os_str() != "-").then(|| Files::of(site));
    for (width, height, dark, name) in
        [(1280, 1000, false, "light"), (1280, 1000, true, "dark"), (400, 1600, false, "phone")]
    {
        browser.resize(width, height, dark);
        let shot = |browser: &mut Browser, what: &str| {
            browser.picture(&out.join(format!("{what}-{name}.png")));
        };
        if let Some(site) = &site {
            of_site(&mut browser, site, &shot);
        }
        for (k, page) in more.iter().enumerate() {
            let address = match page.canonicalize() {
                Ok(file) => format!("file://{}", file.display()),
                Err(_) => page.display().to_string(),
            };
            browser.open(&address);
            browser
                .wait("!document.querySelector('#marks') || document.querySelector('#marks td')");
            let end = browser.eval("document.documentElement.scrollHeight").as_u64();
            browser.resize(width, end.unwrap_or_default() as u32, dark);
            shot(&mut browser, &format!("more{}", k + 1));
            browser.resize(width, height, dark);
        }
    }
    for complaint in &browser.complaints {
        println!("{complaint}");
    }
}

fn of_site(browser: &mut Browser, site: &Files, shot: &dyn Fn(&mut Browser, &str)) {
    browser.open(&format!("{}index.html", site.address));
    shot(browser, "start");
    browser.open(&format!("{}playground.html", site.address));
    browser.wait("document.documentElement.dataset.checked");
    browser.click("#run");
    browser.wait("document.documentElement.dataset.ran === '1'");
    shot(browser, "results");
    browser.click("#tab-counts");
    shot(browser, "counts");
    browser.click("#gallery li:nth-child(2) button");
    browser.wait("document.querySelector('[data-name=b]')");
    browser.click("#tab-warp");
    browser.wait("document.querySelector('#step-next')");
    for at in 1..=14 {
        browser.click("#step-next");
        browser.wait(&format!("document.querySelector('#warp').dataset.at === '{at}'"));
    }
    shot(browser, "warp");
    browser.click("#gallery li:nth-child(7) button");
    browser.wait("document.querySelector('[data-name=a]')");
    browser.click("#run");
    browser.wait("document.documentElement.dataset.ran === '2'");
    shot(browser, "race");
    browser.open(&format!("{}hardware.html", site.address));
    browser.wait("document.documentElement.dataset.simulated");
    for view in ["waves", "blocks", "cost", "spectrum"] {
        browser.click(&format!("#tab-{view}"));
        shot(browser, view);
    }
    browser.open(&format!("{}seismics.html", site.address));
    browser.wait("Number(document.documentElement.dataset.frame) > 30");
    shot(browser, "shot");
    browser.eval(
        "{ const n = document.querySelector('#at-shots'); n.value = 1; \
           n.dispatchEvent(new Event('input')); null }",
    );
    browser.click("#image");
    browser.wait("document.documentElement.dataset.imaged");
    shot(browser, "image");
    browser.open(&format!("{}exercises.html#e1_1_04", site.address));
    browser.wait("document.documentElement.dataset.open === 'e1_1_04'");
    browser.click("#check");
    browser.wait("document.documentElement.dataset.graded");
    shot(browser, "exercise");
    browser.open(&format!("{}handbook/lab2.html", site.address));
    shot(browser, "handbook");
}
