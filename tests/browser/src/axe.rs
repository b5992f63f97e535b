//! axe-core: what keeps people with weak eyes, without a mouse or with a reader of the screen from
//! using a page.

use std::path::{Path, PathBuf};

use crate::Browser;

/// How a page is looked at: width, height, dark.
const LOOKS: [(u32, u32, bool); 3] = [(1280, 1000, false), (1280, 1000, true), (400, 900, false)];

/// The text of axe-core, as `.ci/tools` has put it into the target folder; `None` without it, which
/// fails in CI.
pub fn axe() -> Option<String> {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(own, PathBuf::from);
    let file = target.join("tools/axe.min.js");
    let text = std::fs::read_to_string(&file).ok();
    if text.is_none() {
        let says = format!("skipped: no axe-core in {}; `.ci/tools` puts it there", file.display());
        assert!(std::env::var_os("CI").is_none(), "{says}, and this is CI");
        eprintln!("{says}");
    }
    text
}

impl Browser {
    /// What axe-core calls serious or critical on the page as it is now, light and dark and at the
    /// width of a phone, and whether the page must be pushed sideways to be read: one text for each
    /// finding, empty if there is none.
    pub fn barriers(&mut self, axe: &str) -> Vec<String> {
        self.eval(&format!("if (!window.axe) {{ {axe} }} null"));
        let mut found = Vec::new();
        for (width, height, dark) in LOOKS {
            self.resize(width, height, dark);
            let said = self.eval(
                "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations\
                 .filter((v) => ['serious', 'critical'].includes(v.impact))\
                 .flatMap((v) => v.nodes.map((n) => \
                     `${v.id} (${v.impact}): ${n.target}: ${n.failureSummary} ${n.html}`)))",
            );
            let all = said.as_array().expect("axe-core answers").iter();
            let scheme = if dark { "dark" } else { "light" };
            found.extend(
                all.map(|f| format!("{width} {scheme}: {}", f.as_str().unwrap_or_default())),
            );
            let needed = self.eval("document.documentElement.scrollWidth").as_u64();
            if needed > Some(u64::from(width)) {
                found.push(format!("{width}: the page is {} pixels wide", needed.unwrap_or(0)));
            }
        }
        self.resize(1280, 1000, false);
        found
    }
}
