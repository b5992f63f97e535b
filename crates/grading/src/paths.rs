//! Reports show no path of this machine: they are for students, and the same on every machine.

use std::path::Path;

use crate::Verdict;

/// Where cargo keeps the sources of other people's crates, below its own folder.
const REGISTRY: &str = "/registry/src/";

/// The verdict with paths from these folders on, the longest first, and those of other people's
/// crates from the crate's name on.
pub(crate) fn from_here(mut verdict: Verdict, folders: &[&Path]) -> Verdict {
    match &mut verdict {
        Verdict::Fail(finding) => {
            for text in [&mut finding.message, &mut finding.details] {
                *text = shortened(text, folders);
            }
        }
        Verdict::Pass(evidence) => {
            evidence.lines.iter_mut().for_each(|line| *line = shortened(line, folders));
        }
    }
    verdict
}

/// A text with such paths.
pub(crate) fn shortened(text: &str, folders: &[&Path]) -> String {
    let mut out = text.to_string();
    for folder in folders.iter().filter(|folder| folder.parent().is_some()) {
        let folder = folder.display().to_string();
        out = out.replace(&format!("{folder}/"), "").replace(&folder, ".");
    }
    while let Some(at) = out.find(REGISTRY) {
        let before = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | '<' | '=');
        let from = out[..at].rfind(before).map_or(0, |k| k + 1);
        let behind = at + REGISTRY.len();
        let to = out[behind..].find('/').map_or(behind, |k| behind + k + 1);
        out.replace_range(from..to, "");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_where_they_say_something() {
        let text = "panicked at ~ann/.cargo/registry/src/source-19/ocl-0.19/a.rs:3:\n\
                    --> /course/target/lab/x/src/b.rs in /course";
        let folders = ["/course/target", "/course"].map(Path::new);
        let want = "panicked at ocl-0.19/a.rs:3:\n--> lab/x/src/b.rs in .";
        assert_eq!(shortened(text, &folders), want);
        assert_eq!(shortened("a/registry/src/", &[Path::new("/")]), "");
    }
}
