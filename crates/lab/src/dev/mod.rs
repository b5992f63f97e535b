//! For authors of exercises: `cargo lab dev new 1.1.16` writes the files of a new exercise.
//!
//! `docs/adding.md` leads through it.

pub mod lists;
pub mod stub;

use std::io::Write;

use clap::Subcommand;
use grading::{Lab, region};

use crate::course::{App, say};
use lists::{Entry, Tree};
use stub::{Kind, Place, Stub};

/// What authors do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the stubs of a new exercise: it works, and is yours to change
    New(New),
}

/// Options of `cargo lab dev new`.
#[derive(Clone, Debug, clap::Args)]
pub struct New {
    /// Section number, such as 1.1.16; its first part is the lab
    pub number: String,
    /// Title of the exercise
    #[arg(long, default_value = "TITLE")]
    pub title: String,
    /// A kernel alone, without host code
    #[arg(long)]
    pub kernel: bool,
}

/// Runs a command; the result is the exit code.
///
/// # Errors
/// What is wrong with the command line or a file, for people.
pub fn run(app: &App, command: &Command, out: &mut dyn Write) -> Result<u8, String> {
    match command {
        Command::New(new) => {
            let written = write(app, new)?;
            written.iter().try_for_each(|rel| say(out, &format!("wrote {rel}\n")))?;
            let number = &new.number;
            say(
                out,
                &format!(
                    "\n{number} is graded: `cargo lab grade --solutions`. Next: docs/adding.md, \
                     \"An exercise\"\n"
                ),
            )?;
            Ok(0)
        }
    }
}

/// Writes all that a new exercise needs; the paths from the course's root.
///
/// # Errors
/// The number is none of a lab's, or is taken; a file that must be changed is not as expected.
/// Nothing has been written then.
pub fn write(app: &App, new: &New) -> Result<Vec<String>, String> {
    let lab = lab_of(app, &new.number)?;
    let key = key_of(lab, &new.number)?;
    let package = lab.package;
    let mut tree = Tree::at(&app.place);
    let kind = match (tree.has(&format!("{package}/Cargo.toml")), new.kernel) {
        (false, _) => return Err(format!("{package}: this course has no such folder")),
        (true, kernel) if app.place.root.join(package).join("kernels").is_dir() => {
            if kernel {
                Kind::Kernel
            } else {
                Kind::Host
            }
        }
        (true, true) => {
            return Err(format!("--kernel: {} is about hardware, and has no kernels", lab.id));
        }
        (true, false) => Kind::Design,
    };
    let stub =
        Stub { kind, number: new.number.clone(), key: key.clone(), title: new.title.clone() };
    let mut edited = Vec::new();
    for (place, text) in stub.files() {
        let own = |folder: &str, end: &str| format!("{folder}/{key}.{end}");
        let rel = match place {
            Place::Handout => {
                let rel = format!("{package}/README.md");
                tree.new.insert(rel.clone(), with_section(&tree.read(&rel)?, &new.number, &text)?);
                continue;
            }
            Place::Checks => format!("{package}/checks/{}", own("src", "rs")),
            Place::Handlers => format!("{package}/{}", own("src/host", "rs")),
            Place::Mutants => format!("solutions/{package}/{}", own("mutants", "toml")),
            Place::Lazy => format!("solutions/{package}/{}", own("lazy", "toml")),
            Place::Source | Place::Kernel => {
                let (folder, end) =
                    if place == Place::Kernel { ("kernels", "cu") } else { ("src", "rs") };
                let rel = own(folder, end);
                let skeleton = region::skeleton(&text, region::comment_of(&rel))?;
                let there = format!("{package}/{rel}");
                add(&mut tree, there, skeleton)?;
                edited.push(rel.clone());
                format!("solutions/{package}/{rel}")
            }
        };
        add(&mut tree, rel, text)?;
    }
    let checks = format!("{package}/checks/src/lib.rs");
    let listed = with_exercise(&tree.read(&checks)?, &key).map_err(|e| format!("{checks}: {e}"))?;
    tree.new.insert(checks, listed);
    let mut exercises = Entry::of(lab);
    let names = stub.checks().iter().map(|name| name.to_string()).collect();
    exercises.push(Entry { key, files: edited, checks: names });
    let mut lists = lists::texts(&tree, package, &exercises)?;
    lists.retain(|(rel, text)| tree.read(rel).as_ref() != Ok(text));
    tree.new.extend(lists);
    for (rel, text) in &tree.new {
        lists::write(&app.place.root, rel, text)?;
    }
    Ok(tree.new.into_keys().collect())
}

/// The lab of a section number.
fn lab_of<'a>(app: &'a App, number: &str) -> Result<&'a Lab, String> {
    let parts: Vec<&str> = number.split('.').collect();
    let digits = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    if !parts.iter().all(digits) || !(2..=3).contains(&parts.len()) {
        return Err(format!("{number} is no section number such as 1.1.16"));
    }
    if let Some(lab) = app.labs.iter().find(|lab| lab.exercise(number).is_some()) {
        return Err(format!("{number} is an exercise of {} already", lab.id));
    }
    let id = format!("lab{}", parts[0]);
    app.labs.iter().find(|lab| lab.id == id).ok_or_else(|| format!("{number}: there is no {id}"))
}

/// The name of an exercise's files, written as the lab's others: `e1_1_16`, `e4_8`.
fn key_of(lab: &Lab, number: &str) -> Result<String, String> {
    let parts: Vec<&str> = number.split('.').collect();
    let like = lab.exercises.first().map_or(number, |e| e.number());
    if like.split('.').count() != parts.len() {
        return Err(format!("{number}: sections of {} look like {like}", lab.id));
    }
    Ok(match parts[..] {
        [lab, chapter, section] => format!("e{lab}_{chapter}_{section:0>2}"),
        _ => format!("e{}", parts.join("_")),
    })
}

/// A file that must not be there yet.
fn add(tree: &mut Tree, rel: String, text: String) -> Result<(), String> {
    if tree.has(&rel) {
        return Err(format!("{rel} is there already: remove it, or take another number"));
    }
    tree.new.insert(rel, text);
    Ok(())
}

/// A lab's `checks/src/lib.rs` with one more exercise, the last one.
fn with_exercise(text: &str, key: &str) -> Result<String, String> {
    let (module, entry) = (format!("mod {key};"), format!("        {key}::EXERCISE,"));
    // A lab without exercises.
    let text = text.replace("exercises: &[],", "exercises: &[\n    ],");
    let mut lines: Vec<&str> = text.lines().collect();
    let is_module = |line: &&str| line.starts_with("mod ");
    let last = lines.iter().rposition(is_module).map(|last| last + 1);
    let Some(end) = last.or(lines.iter().position(|line| line.starts_with("use "))) else {
        return Err("there is no line `mod ...;` or `use ...;`".into());
    };
    let later = |line: &&str| is_module(line) && *line > module.as_str();
    lines.insert(lines.iter().position(later).unwrap_or(end), &module);
    let last = lines.iter().rposition(|line| line.trim_end().ends_with("::EXERCISE,"));
    let Some(at) = last.or(lines.iter().position(|line| line.ends_with("exercises: &["))) else {
        return Err("there is no line `exercises: &[`".into());
    };
    lines.insert(at + 1, &entry);
    Ok(lines.join("\n") + "\n")
}

/// A handout with one more section, behind the last one of its chapter. Where a lab is one chapter,
/// its first section is at the end.
fn with_section(handout: &str, number: &str, section: &str) -> Result<String, String> {
    let chapter = number.rsplit_once('.').map_or(number, |(chapter, _)| chapter);
    let end = match handout.rfind(&format!("\n## {chapter}.")) {
        Some(last) => {
            let rest = &handout[last + 1..];
            rest.find("\n## ").map_or(handout.len(), |end| last + 1 + end + 1)
        }
        None if !chapter.contains('.') => handout.len(),
        None => {
            return Err(format!("README.md: it has no section `## {chapter}.`: add one first"));
        }
    };
    let gap = if handout[..end].ends_with("\n\n") { "" } else { "\n" };
    Ok(format!("{}{gap}{section}{}", &handout[..end], &handout[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_stands_at_the_end_of_its_chapter() {
        let handout = "# L\n\n## 1.1.1 A (5)\na\n\n## 1.1.2 B (5)\nb\n\n## 1.2.1 C (5)\nc\n";
        let with = with_section(handout, "1.1.3", "## 1.1.3 New (0)\nn\n\n").unwrap();
        assert!(with.contains("b\n\n## 1.1.3 New (0)\nn\n\n## 1.2.1 C"), "{with}");
        let with = with_section(handout, "1.2.2", "## 1.2.2 New (0)\n").unwrap();
        assert!(with.ends_with("c\n\n## 1.2.2 New (0)\n"), "{with}");
        assert!(with_section(handout, "1.3.1", "").is_err());
        assert_eq!(with_section("# L\n", "7.1", "## 7.1\n").unwrap(), "# L\n\n## 7.1\n");
    }

    #[test]
    fn an_exercise_is_the_last_of_its_lab() {
        let text = "mod e1;\nmod e3;\n\nLAB {\n        e1::EXERCISE,\n        e3::EXERCISE,\n}\n";
        let with = with_exercise(text, "e2").unwrap();
        let lines: Vec<&str> = with.lines().collect();
        assert_eq!(lines[..3], ["mod e1;", "mod e2;", "mod e3;"]);
        assert_eq!(lines[6..8], ["        e3::EXERCISE,", "        e2::EXERCISE,"]);
        let with = with_exercise("use a;\n    exercises: &[],\n", "e2").unwrap();
        assert_eq!(with, "mod e2;\nuse a;\n    exercises: &[\n        e2::EXERCISE,\n    ],\n");
        assert!(with_exercise("mod e1;\n", "e2").is_err() && with_exercise("", "e2").is_err());
    }
}
