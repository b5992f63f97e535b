//! A judge's device: how much of a kernel's text the program has made up. What stands in a file of
//! the lab or of the submission, be it in a literal of its host code, was there before the call and
//! cannot hold its result.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Files whose text counts.
const ENDINGS: [&str; 6] = ["cu", "cuh", "cl", "h", "hpp", "rs"];
/// Most bytes of all of them, and folders within folders.
const MOST: usize = 16 << 20;
const DEPTH: usize = 8;

static ROOTS: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Says where the files are, before the program is served.
pub(crate) fn keep(roots: &[PathBuf]) {
    let _ = ROOTS.set(roots.to_vec());
}

/// Bytes of the lines that stand in none of the files. None are counted where all files of the
/// machine are known, as for one's own work.
pub(crate) fn made_up(text: &str) -> u64 {
    static KNOWN: OnceLock<Option<String>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let roots = ROOTS.get().filter(|roots| !roots.iter().any(|r| r.parent().is_none()))?;
        let mut known = String::new();
        roots.iter().for_each(|root| gather(root, 0, &mut known));
        Some(known)
    });
    known.as_ref().map_or(0, |known| lines_beside(text, known))
}

fn gather(folder: &Path, depth: usize, to: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        let counts = path.extension().is_some_and(|e| ENDINGS.iter().any(|known| e == *known));
        if kind.is_dir() && depth < DEPTH {
            gather(&path, depth + 1, to);
        } else if kind.is_file() && counts && to.len() < MOST {
            let text = fs::read_to_string(&path).unwrap_or_default();
            to.push_str(&text);
            to.push('\n');
            if path.extension().is_some_and(|e| e == "rs") {
                to.push_str(&unescaped(&text));
            }
        }
    }
}

/// A Rust file with its literals as they are when it runs, roughly.
fn unescaped(text: &str) -> String {
    let mut joined = text.split("\\\n").map(str::trim_start);
    let first = joined.next().unwrap_or_default().to_string();
    let joined = joined.fold(first, |all, part| all + part);
    joined.replace("\\\"", "\"").replace("\\n", "\n").replace("{{", "{").replace("}}", "}")
}

fn lines_beside(text: &str, known: &str) -> u64 {
    let new = |line: &&str| !line.is_empty() && !line.starts_with("#line") && !known.contains(line);
    text.lines().map(str::trim).filter(new).map(|line| line.len() as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_files_and_of_literals_are_known() {
        let file = "let k = \"int a = \\\"x\\\"; \\\n    f(a);\\nend\";\n";
        let known = file.to_string() + &unescaped(file);
        let made_up = |text: &str| lines_beside(text, &known);
        assert_eq!(made_up("#line 1 \"a.cu\"\n  int a = \"x\"; f(a);\nend\n"), 0);
        assert_eq!(made_up("end\nint b = 123;"), 12);
    }
}
