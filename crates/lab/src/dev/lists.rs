//! Lists of a lab's exercises that stand in its own files, each between two lines of comment:
//!
//! | file | list | of |
//! |---|---|---|
//! | `src/lib.rs` | `modules` | the exercises' modules; with feature `solutions`, the solutions' |
//! | `src/host.rs` | `modules` | files of `src/host` with handlers |
//! | `src/host.rs` | `handlers` | the handlers of each exercise that has some, and a source file |
//! | `tests/mirror.rs` | `checks` | all exercises with their checks |
//!
//! They follow from the lab's `LAB` and from which files there are, so nobody writes them:
//! `cargo lab sync` and `cargo lab dev new` do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use grading::{Lab, Place};

/// Columns of a line at most, as in `rustfmt.toml`.
const WIDTH: usize = 100;

/// An exercise as the lists name it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Name of its files.
    pub key: String,
    /// Files that a student edits, relative to the lab's folder.
    pub files: Vec<String>,
    /// Names of its checks.
    pub checks: Vec<String>,
}

impl Entry {
    /// All exercises of a lab, in order.
    pub fn of(lab: &Lab) -> Vec<Entry> {
        let text = |text: &&str| text.to_string();
        let entry = |e: &grading::Exercise| Entry {
            key: e.key.into(),
            files: e.files.iter().map(text).collect(),
            checks: e.checks.iter().map(|check| check.name.into()).collect(),
        };
        lab.exercises.iter().map(entry).collect()
    }
}

/// The course's files as they will be: those of the disk, with some written anew.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    /// New texts, by their paths from the root.
    pub new: BTreeMap<String, String>,
}

impl Tree {
    /// The course at `place` as it is.
    pub fn at(place: &Place) -> Tree {
        Tree { root: place.root.clone(), new: BTreeMap::new() }
    }

    /// The text of a file.
    ///
    /// # Errors
    /// There is none; it is named.
    pub fn read(&self, rel: &str) -> Result<String, String> {
        match self.new.get(rel) {
            Some(text) => Ok(text.clone()),
            None => std::fs::read_to_string(self.root.join(rel)).map_err(|e| format!("{rel}: {e}")),
        }
    }

    /// True if there is such a file.
    pub fn has(&self, rel: &str) -> bool {
        self.new.contains_key(rel) || self.root.join(rel).is_file()
    }

    /// The names of the files in a folder.
    fn names(&self, folder: &str) -> BTreeSet<String> {
        let entries = std::fs::read_dir(self.root.join(folder)).into_iter().flatten().flatten();
        let disk = entries.map(|e| e.file_name().to_string_lossy().into_owned());
        let within = |rel: &String| {
            let name = rel.strip_prefix(folder)?.strip_prefix('/')?;
            (!name.contains('/')).then(|| name.to_string())
        };
        disk.chain(self.new.keys().filter_map(within)).collect()
    }
}

/// The files of a lab that hold lists, with today's lists: paths from the root, and texts.
///
/// # Errors
/// A file is not there, or has no place for a list.
pub fn texts(
    tree: &Tree,
    package: &str,
    exercises: &[Entry],
) -> Result<Vec<(String, String)>, String> {
    let lab = LabFolder { tree, package };
    let with = |file: &str, lists: &[(&str, String)]| {
        let rel = format!("{package}/{file}");
        let put = |text: String, (name, list): &(&str, String)| replaced(&text, name, list);
        let text = lists.iter().try_fold(tree.read(&rel)?, put);
        text.map(|text| (rel.clone(), text)).map_err(|why| format!("{rel}: {why}"))
    };
    let (files, handlers) = lab.handlers(exercises)?;
    Ok(vec![
        with("src/lib.rs", &[("modules", lab.modules(exercises))])?,
        with("src/host.rs", &[("modules", files), ("handlers", handlers)])?,
        with("tests/mirror.rs", &[("checks", checks(exercises))])?,
    ])
}

struct LabFolder<'t> {
    tree: &'t Tree,
    package: &'t str,
}

impl LabFolder<'_> {
    /// The file of a module, relative to the lab's folder or to its solution's.
    fn file_of(&self, module: &str) -> Option<(bool, String)> {
        let solved = |rel: &String| self.tree.has(&format!("solutions/{}/{rel}", self.package));
        let given = |rel: &String| self.tree.has(&format!("{}/{rel}", self.package));
        let files = [format!("src/{module}.rs"), format!("src/{module}/mod.rs")];
        let found = files.iter().find(|rel| solved(rel)).map(|rel| (true, rel.clone()));
        found.or_else(|| files.iter().find(|rel| given(rel)).map(|rel| (false, rel.clone())))
    }

    /// The module with an exercise's functions: its own, else that of its first source file.
    fn module_of(&self, exercise: &Entry) -> Option<String> {
        if self.file_of(&exercise.key).is_some() {
            return Some(exercise.key.clone());
        }
        let mut sources = exercise.files.iter().filter_map(|rel| rel.strip_prefix("src/"));
        let first = sources.find(|rel| rel.ends_with(".rs"))?;
        Some(first.split('/').next()?.trim_end_matches(".rs").into())
    }

    /// `pub mod` of every exercise's module, solved or given.
    fn modules(&self, exercises: &[Entry]) -> String {
        let own = |name: &String| {
            let mut letters = name.chars();
            let is = letters.next() == Some('e') && letters.next().is_some_and(char::is_numeric);
            (is && name.ends_with(".rs")).then(|| name.trim_end_matches(".rs").to_string())
        };
        let folders = [format!("{}/src", self.package), format!("solutions/{}/src", self.package)];
        let present = folders.iter().flat_map(|folder| self.tree.names(folder));
        let mut all: BTreeSet<String> = present.filter_map(|name| own(&name)).collect();
        all.extend(exercises.iter().filter_map(|exercise| self.module_of(exercise)));
        let line = |module: &String| match self.file_of(module) {
            Some((true, rel)) => format!(
                "#[cfg_attr(feature = \"solutions\", path = \"../../solutions/{}/{rel}\")]\n\
                 pub mod {module};\n",
                self.package
            ),
            _ => format!("pub mod {module};\n"),
        };
        all.iter().map(line).collect()
    }

    /// The files with handlers as `pub mod`, and the handlers' macros by exercise.
    fn handlers(&self, exercises: &[Entry]) -> Result<(String, String), String> {
        let folder = format!("{}/src/host", self.package);
        let (mut files, mut texts) = (String::new(), String::new());
        for name in self.tree.names(&folder) {
            let text = self.tree.read(&format!("{folder}/{name}"))?;
            if text.contains("macro_rules! handlers_") {
                files += &format!("pub mod {};\n", name.trim_end_matches(".rs"));
                texts += &text;
            }
        }
        let krate = self.package.replace('-', "_");
        let line = |e: &Entry| {
            let has = texts.contains(&format!("macro_rules! handlers_{} ", e.key));
            let module = self.module_of(e).filter(|_| has)?;
            Some(format!("        crate::handlers_{}!({krate}::{module}),\n", e.key))
        };
        let mut sorted: Vec<&Entry> = exercises.iter().collect();
        sorted.sort_by_key(|e| &e.key);
        Ok((files, sorted.into_iter().filter_map(line).collect()))
    }
}

/// `KEY: [check, ...],` of each exercise.
fn checks(exercises: &[Entry]) -> String {
    let line = |e: &Entry| {
        let whole = format!("    {}: [{}],\n", e.key, e.checks.join(", "));
        if whole.len() <= WIDTH {
            return whole;
        }
        let mut text = format!("    {}: [\n       ", e.key);
        let mut column = 7;
        for check in &e.checks {
            if column + check.len() + 2 > WIDTH {
                text += "\n       ";
                column = 7;
            }
            text += &format!(" {check},");
            column += check.len() + 2;
        }
        text + "\n    ],\n"
    };
    exercises.iter().map(line).collect()
}

/// `text` with this list between the lines `// <NAME ...` and `// NAME>`.
fn replaced(text: &str, name: &str, list: &str) -> Result<String, String> {
    let (open, close) = (format!("// <{name}"), format!("// {name}>"));
    let at = |bare: &dyn Fn(&str) -> bool| {
        let mut lines = text.split_inclusive('\n').scan(0, |end, line| {
            *end += line.len();
            Some((*end - line.len(), *end, line.trim()))
        });
        lines.find(|(_, _, line)| bare(line))
    };
    let begin = at(&|line| line.split(':').next() == Some(&open));
    let end = at(&|line| line == close);
    match (begin, end) {
        (Some((_, begin, _)), Some((end, _, _))) if begin <= end => {
            Ok(format!("{}{list}{}", &text[..begin], &text[end..]))
        }
        _ => Err(format!("there is no list between lines `{open}: ...` and `{close}`")),
    }
}

/// Writes `text` to a file of the course.
///
/// # Errors
/// It cannot be written.
pub fn write(root: &Path, rel: &str, text: &str) -> Result<(), String> {
    grading::overlay::write(&root.join(rel), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_takes_the_place_of_the_old_one_and_nothing_else() {
        let text = "a\n// <checks: by sync\n    old\n    // checks>\nb\n";
        let new = replaced(text, "checks", "    new\n").unwrap();
        assert_eq!(new, "a\n// <checks: by sync\n    new\n    // checks>\nb\n");
        let why = replaced(text, "modules", "").unwrap_err();
        assert!(why.contains("`// <modules: ...` and `// modules>`"), "{why}");
    }

    #[test]
    fn long_lists_of_checks_are_broken() {
        let names: Vec<String> = (0..12).map(|k| format!("check_number_{k}")).collect();
        let entry = Entry { key: "e9_1".into(), files: vec![], checks: names };
        let text = checks(&[entry]);
        assert!(text.lines().count() == 5 && text.lines().all(|l| l.len() <= WIDTH), "{text}");
        assert!(text.starts_with("    e9_1: [\n        check_number_0, "), "{text}");
    }
}
