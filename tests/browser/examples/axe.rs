//! What axe-core finds on pages that are files: `cargo run -p browser-tests --example axe --
//! PAGE.html ...`. It ends with 1 if something is serious or critical.

use std::process::ExitCode;

use browser_tests::{Browser, axe};

fn main() -> ExitCode {
    let Some(axe) = axe() else { return ExitCode::SUCCESS };
    let mut browser = Browser::start();
    let mut bad = false;
    for page in std::env::args_os().skip(1) {
        let page = std::fs::canonicalize(&page).expect("a page");
        browser.open(&format!("file://{}", page.display()));
        for found in browser.barriers(&axe) {
            bad = true;
            println!("{}: {found}", page.display());
        }
    }
    ExitCode::from(u8::from(bad))
}
