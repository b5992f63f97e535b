//! Wrong solutions that students really write: `solutions/LAB/mutants/*.toml`; and what could be
//! handed in without doing the exercise: `solutions/LAB/lazy/*.toml`.
//!
//! This file is also compiled into the build script of `tests/`, which turns host mutants into
//! modules; so it uses nothing else of this crate.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

/// The smallest change of the reference solution that makes a typical mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Name of its file without `.toml`: the exercise's key, such as `e1_1_04`.
    pub key: String,
    /// Exercise as the file names it: `1.1.4`, `L1-1.1.4` or `e1_1_04`.
    pub exercise: String,
    /// Id, unique in its exercise.
    pub id: String,
    /// The change.
    pub edits: Vec<Edit>,
    /// Check that must fail; empty for a lazy submission.
    pub check: String,
    /// Hint that its finding must name; empty for a lazy submission.
    pub hint: String,
    /// A lazy submission: the exercise's skeleton is changed, not its solution, and all checks
    /// together must give little.
    pub lazy: bool,
    /// Root module of the exercise, relative to the lab's folder, for host mutants.
    pub module: Option<String>,
}

/// One replacement of text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// File, relative to the lab's folder.
    pub file: String,
    /// Text of the solution.
    pub find: String,
    /// Text instead of it.
    pub replace: String,
    /// Which occurrence, from 1; without it there must be exactly one.
    #[serde(default)]
    pub nth: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MutantFile {
    #[serde(default)]
    mutant: Vec<Entry>,
    #[serde(default)]
    lazy: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    exercise: String,
    id: String,
    check: Option<String>,
    hint: Option<String>,
    module: Option<String>,
    file: Option<String>,
    find: Option<String>,
    replace: Option<String>,
    nth: Option<usize>,
    #[serde(default)]
    edits: Vec<Edit>,
    /// What the student was thinking; for readers only.
    #[serde(default)]
    #[allow(dead_code)]
    why: String,
}

/// All mutants below `solution`, the folder of a lab's solutions, in the order of file names.
///
/// # Errors
/// Names the file and what is wrong in it.
pub fn load(solution: &Path) -> Result<Vec<Mutant>, String> {
    load_from(&solution.join("mutants"))
}

/// All lazy submissions below `solution`, in the order of file names.
///
/// # Errors
/// Names the file and what is wrong in it.
pub fn load_lazy(solution: &Path) -> Result<Vec<Mutant>, String> {
    load_from(&solution.join("lazy"))
}

fn load_from(dir: &Path) -> Result<Vec<Mutant>, String> {
    let mut files: Vec<_> = match std::fs::read_dir(dir) {
        Ok(entries) => entries.filter_map(|e| Some(e.ok()?.path())).collect(),
        Err(_) => return Ok(Vec::new()),
    };
    files.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    files.sort();
    let mut mutants = Vec::new();
    for file in files {
        let text =
            std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let key = file.file_stem().unwrap_or_default().to_string_lossy();
        mutants.extend(parse(&key, &text).map_err(|e| format!("{}: {e}", file.display()))?);
    }
    Ok(mutants)
}

/// The mutants of the file called `key`.
///
/// # Errors
/// What is wrong in the text.
pub fn parse(key: &str, text: &str) -> Result<Vec<Mutant>, String> {
    let file: MutantFile = toml::from_str(text).map_err(|e| e.to_string())?;
    let mutants = file.mutant.into_iter().map(|entry| entry.check(key, false));
    mutants.chain(file.lazy.into_iter().map(|entry| entry.check(key, true))).collect()
}

impl Entry {
    fn check(self, key: &str, lazy: bool) -> Result<Mutant, String> {
        let place = format!("mutant {} of {}", self.id, self.exercise);
        let single = match (self.file, self.find, self.replace) {
            (Some(file), Some(find), Some(replace)) => {
                vec![Edit { file, find, replace, nth: self.nth }]
            }
            (None, None, None) => Vec::new(),
            _ => return Err(format!("{place}: `file`, `find` and `replace` belong together")),
        };
        if single.is_empty() == self.edits.is_empty() {
            return Err(format!("{place}: give either `file`, `find`, `replace`, or `edits`"));
        }
        if lazy == (self.check.is_some() || self.hint.is_some()) {
            return Err(format!(
                "{place}: a mutant names its check and its hint, a lazy one neither"
            ));
        }
        Ok(Mutant {
            key: key.to_string(),
            exercise: self.exercise,
            id: self.id,
            edits: if single.is_empty() { self.edits } else { single },
            check: self.check.unwrap_or_default(),
            hint: self.hint.unwrap_or_default(),
            lazy,
            module: self.module,
        })
    }
}

impl Mutant {
    /// True if it changes Rust code, so that it has to be compiled.
    pub fn is_host(&self) -> bool {
        self.edits.iter().any(|e| e.file.ends_with(".rs"))
    }

    /// Root module of a host mutant, relative to the lab's folder.
    pub fn root(&self) -> Option<&str> {
        let changed = self.edits.iter().map(|e| e.file.as_str()).find(|f| f.ends_with(".rs"));
        self.module.as_deref().or(changed)
    }

    /// Where the exercise's host code is, if it has any and the entry says nothing else.
    pub fn own_root(&self) -> String {
        format!("src/{}.rs", self.key)
    }

    /// Name that is unique in the course and a Rust identifier.
    pub fn name(&self) -> String {
        let id: String =
            self.id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let lazy = if self.lazy { "lazy_" } else { "" };
        format!("{lazy}{}_{id}", self.key).to_ascii_lowercase()
    }

    /// The changed files, by their paths relative to the lab's folder.
    ///
    /// # Errors
    /// If a text to be replaced is not there exactly as often as the edit says, or nothing changes.
    pub fn apply(
        &self,
        read: impl Fn(&str) -> Result<String, String>,
    ) -> Result<BTreeMap<String, String>, String> {
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        for edit in &self.edits {
            let text = match files.get(&edit.file) {
                Some(text) => text.clone(),
                None => read(&edit.file)?,
            };
            let changed = edit.apply(&text).map_err(|e| {
                format!("mutant {} of {}: {}: {e}", self.id, self.exercise, edit.file)
            })?;
            files.insert(edit.file.clone(), changed);
        }
        Ok(files)
    }
}

impl Edit {
    fn apply(&self, text: &str) -> Result<String, String> {
        if self.find == self.replace || self.find.is_empty() {
            return Err("the edit changes nothing".into());
        }
        let found: Vec<usize> = text.match_indices(&self.find).map(|(at, _)| at).collect();
        let at = match (self.nth, found.len()) {
            (None, 1) => found[0],
            (None, n) => return Err(format!("`{}` is there {n} times, not once", self.find)),
            (Some(k), n) if k >= 1 && k <= n => found[k - 1],
            (Some(k), n) => return Err(format!("`{}` is there {n} times, not {k}", self.find)),
        };
        Ok(format!("{}{}{}", &text[..at], self.replace, &text[at + self.find.len()..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "[[mutant]]\nexercise = \"1.1.4\"\nid = \"a\"\ncheck = \"guard\"\nhint = \"a\"\n";

    #[test]
    fn an_edit_must_fit_the_solution() {
        let edit = "file = \"k.cu\"\nfind = \"i < n\"\nreplace = \"i <= n\"\n";
        let mutant = &parse("e1_1_04", &format!("{HEAD}{edit}")).unwrap()[0];
        let apply = |text: &str| mutant.apply(|_| Ok(text.to_string()));
        assert_eq!(apply("if (i < n)").unwrap()["k.cu"], "if (i <= n)");
        assert!(
            apply("if (i<n)").unwrap_err().ends_with("k.cu: `i < n` is there 0 times, not once")
        );
        assert!(apply("i < n; i < n").is_err());
        let second = &parse("e1_1_04", &format!("{HEAD}{edit}nth = 2\n")).unwrap()[0];
        let changed = second.apply(|_| Ok("i < n; i < n".into())).unwrap();
        assert_eq!(changed["k.cu"], "i < n; i <= n");
        assert_eq!(mutant.name(), "e1_1_04_a");
        assert!(!mutant.is_host());
    }

    #[test]
    fn several_edits_of_one_file_add_up() {
        let text = format!(
            "{HEAD}edits = [{{ file = \"s.rs\", find = \"a\", replace = \"b\" }}, {{ \
             file = \"s.rs\", find = \"c\", replace = \"d\" }}]\n"
        );
        let mutant = &parse("e1_1_04", &text).unwrap()[0];
        assert_eq!(mutant.apply(|_| Ok("a c".into())).unwrap()["s.rs"], "b d");
        assert!(mutant.is_host());
        assert_eq!(mutant.root(), Some("s.rs"));
    }

    #[test]
    fn a_lazy_submission_names_no_check() {
        let edit = "file = \"k.cu\"\nfind = \"a\"\nreplace = \"b\"\n";
        let lazy = "[[lazy]]\nexercise = \"1.1.4\"\nid = \"a\"\n";
        let found = &parse("e1_1_04", &format!("{lazy}{edit}")).unwrap()[0];
        assert!(found.lazy);
        assert_eq!(found.name(), "lazy_e1_1_04_a");
        let refused = parse("e1_1_04", &format!("{lazy}check = \"guard\"\n{edit}"));
        assert!(refused.unwrap_err().contains("a lazy one neither"));
    }

    #[test]
    fn incomplete_entries_are_refused() {
        assert!(parse("e1_1_04", HEAD).unwrap_err().contains("give either"));
        assert!(
            parse("e1_1_04", &format!("{HEAD}find = \"x\"\n"))
                .unwrap_err()
                .contains("belong together")
        );
        assert!(parse("e1_1_04", &format!("{HEAD}oops = 1\n")).unwrap_err().contains("oops"));
    }
}
