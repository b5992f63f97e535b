//! A judge's device: how much of a kernel's text the program has made up. What stands in a file of
//! the lab or of the submission, be it in a literal of its host code, was there before the call and
//! cannot hold its result.

use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
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

/// Bytes that say where in the files a text begins, a line in them that does not follow the one
/// before it there, and a part of a line.
const BEGINS: u64 = 2;
const ELSEWHERE: u64 = 3;
const PART: u64 = 6;

/// Bytes of a text that the program has made up: of lines that stand in none of the files, and of
/// the choice among those that do. None are counted where all files of the machine are known, as
/// for one's own work.
pub(crate) fn made_up(text: &str) -> u64 {
    static KNOWN: OnceLock<Option<Known>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let roots = ROOTS.get().filter(|roots| !roots.iter().any(|r| r.parent().is_none()))?;
        let mut known = String::new();
        roots.iter().for_each(|root| gather(root, 0, &mut known));
        Some(Known::new(known))
    });
    known.as_ref().map_or(0, |known| known.choice(text))
}

/// The lines of a text without blanks around them; empty ones, and what says where a text is from,
/// tell nothing.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("#line"))
}

/// The files.
struct Known {
    text: String,
    /// Hashes of the lines, and where each stands.
    lines: Vec<u64>,
    places: HashMap<u64, Vec<usize>>,
}

impl Known {
    fn new(text: String) -> Known {
        let lines: Vec<u64> = lines(&text).map(hash_of).collect();
        let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, line) in lines.iter().enumerate() {
            places.entry(*line).or_default().push(at);
        }
        Known { text, lines, places }
    }

    /// How many bytes it takes to say which lines of the files a text is made of, and what is in
    /// none.
    fn choice(&self, text: &str) -> u64 {
        let mut bytes = 0;
        // Where the last line may stand.
        let mut at: Vec<usize> = Vec::new();
        for (k, line) in lines(text).enumerate() {
            let hash = hash_of(line);
            at.iter_mut().for_each(|place| *place += 1);
            at.retain(|place| self.lines.get(*place) == Some(&hash));
            if !at.is_empty() {
                continue;
            }
            at = self.places.get(&hash).cloned().unwrap_or_default();
            bytes += match () {
                () if !at.is_empty() => {
                    if k == 0 {
                        BEGINS
                    } else {
                        ELSEWHERE
                    }
                }
                () if self.text.contains(line) => PART.min(line.len() as u64),
                () => line.len() as u64,
            };
        }
        bytes
    }
}

fn hash_of(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_files_and_of_literals_are_known() {
        let file = "let k = \"int a = \\\"x\\\"; \\\n    f(a);\\nend\\nint c;\";\n1,\n0,\n";
        let known = Known::new(file.to_string() + &unescaped(file));
        let made_up = |text: &str| known.choice(text);
        // Both are parts of lines.
        assert_eq!(
            made_up("#line 1 \"a.cu\"\n  int a = \"x\"; f(a);\n\nend\nint c;"),
            PART + ELSEWHERE + 6
        );
        assert_eq!(made_up("end\nint b = 123;"), BEGINS + 12);
        assert_eq!(made_up("1,\n0,"), BEGINS);
        // Lines of the files in an order of one's own.
        assert_eq!(made_up("1,\n1,\n0,\n0,\n1,"), BEGINS + 3 * ELSEWHERE);
    }
}
