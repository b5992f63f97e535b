//! The labs' files as the course gives them: `sync`, `reset`, `solve`.

use std::io::Write;

use grading::Lab;
use grading::overlay::{read, write};

use super::{App, say};
use crate::dev::lists::{self, Entry, Tree};

impl App {
    /// Writes every skeleton and every list of exercises, or only says which differ (exit code 1
    /// then). A student's file that would be lost is kept in `target/lab/backup`.
    pub(super) fn sync(&self, check: bool, out: &mut dyn Write) -> Result<u8, String> {
        let mut differ = 0;
        for lab in &self.labs {
            for rel in lab.files() {
                let skeleton = self.place.skeleton(lab, rel)?;
                let path = self.place.lab_dir(lab).join(rel);
                let now = std::fs::read_to_string(&path).ok();
                if now.as_ref() == Some(&skeleton) {
                    continue;
                }
                differ += 1;
                let name = format!("{}/{rel}", lab.package);
                if check {
                    let what = if now.is_some() { "differs from" } else { "is missing beside" };
                    say(out, &format!("{name} {what} its solution: `cargo lab sync` writes it\n"))?;
                    continue;
                }
                if let Some(now) = now {
                    let backup = self.place.state_dir().join("backup").join(&name);
                    write(&backup, &now)?;
                }
                write(&path, &skeleton)?;
                say(out, &format!("wrote {name}\n"))?;
            }
        }
        for (rel, text) in self.lists()? {
            differ += 1;
            let name = format!("{rel} lists other exercises than its lab has");
            match check {
                true => say(out, &format!("{name}: `cargo lab sync` writes it\n"))?,
                false => {
                    write(&self.place.root.join(&rel), &text)?;
                    say(out, &format!("wrote {rel}\n"))?;
                }
            }
        }
        if differ == 0 {
            say(
                out,
                "all skeletons are in step with their solutions, all lists with their labs\n",
            )?;
        }
        Ok(u8::from(check && differ > 0))
    }

    /// The files whose lists of exercises are not those of their labs, with the right text. A pack
    /// without solutions has none.
    fn lists(&self) -> Result<Vec<(String, String)>, String> {
        let tree = Tree::at(&self.place);
        let mut all = Vec::new();
        for lab in self.labs.iter().filter(|lab| self.place.solution_dir(lab).is_dir()) {
            all.extend(lists::texts(&tree, lab.package, &Entry::of(lab))?);
        }
        all.retain(|(rel, text)| tree.read(rel).as_ref() != Ok(text));
        Ok(all)
    }

    /// Puts skeletons back and keeps the student's files as `FILE.orig`.
    pub(super) fn reset(&self, names: &[String], out: &mut dyn Write) -> Result<u8, String> {
        for (lab, rel) in self.files_of(names)? {
            self.put(lab, rel, &self.place.skeleton(lab, rel)?, "the skeleton", out)?;
        }
        Ok(0)
    }

    /// Puts reference solutions in place and keeps the student's files as `FILE.orig`.
    pub(super) fn solve(&self, names: &[String], out: &mut dyn Write) -> Result<u8, String> {
        for (lab, rel) in self.files_of(names)? {
            self.solution_dir_exists(lab)?;
            self.put(lab, rel, &read(&self.place.solution_dir(lab), rel)?, "the solution", out)?;
        }
        Ok(0)
    }

    /// The files of exercises and labs, each once.
    fn files_of(&self, names: &[String]) -> Result<Vec<(&Lab, &'static str)>, String> {
        let mut all = Vec::new();
        for name in names {
            let (lab, exercise) = self.named(name)?;
            for rel in exercise.map_or_else(|| lab.files(), |e| e.files.to_vec()) {
                if !all.iter().any(|(other, seen): &(&Lab, _)| other.id == lab.id && *seen == rel) {
                    all.push((lab, rel));
                }
            }
        }
        Ok(all)
    }

    /// Writes `text`, called `what`, to a file of a lab. A text of the student's own that was there
    /// is kept beside it.
    fn put(
        &self,
        lab: &Lab,
        rel: &str,
        text: &str,
        what: &str,
        out: &mut dyn Write,
    ) -> Result<(), String> {
        let path = self.place.lab_dir(lab).join(rel);
        let name = format!("{}/{rel}", lab.package);
        let now = std::fs::read_to_string(&path).ok();
        if now.as_deref() == Some(text) {
            return say(out, &format!("{name} is {what} already\n"));
        }
        let theirs = now.filter(|now| !self.is_given(lab, rel, now));
        let kept = match theirs {
            Some(theirs) => {
                let kept = free_name(&name, |name| self.place.root.join(name).exists());
                write(&self.place.root.join(&kept), &theirs)?;
                format!("; yours is {kept}")
            }
            None => String::new(),
        };
        write(&path, text)?;
        say(out, &format!("{name} is {what} now{kept}\n"))
    }

    /// True for the text of the skeleton or the solution: it need not be kept.
    fn is_given(&self, lab: &Lab, rel: &str, text: &str) -> bool {
        self.place.skeleton(lab, rel).is_ok_and(|skeleton| skeleton == text)
            || read(&self.place.solution_dir(lab), rel).is_ok_and(|solution| solution == text)
    }
}

/// The first of `FILE.orig`, `FILE.orig2`, `FILE.orig3`, ... that is not taken: what was kept
/// before stays.
fn free_name(file: &str, taken: impl Fn(&str) -> bool) -> String {
    let first = format!("{file}.orig");
    let more = (2..).map(|k| format!("{first}{k}"));
    std::iter::once(first.clone()).chain(more).find(|name| !taken(name)).unwrap_or(first)
}
