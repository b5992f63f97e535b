//! `cargo lab export`: the students' pack.

use std::io::Write;
use std::path::Path;

use grading::overlay::{read, skeletons, write};
use grading::scratch::copy_tree;

use super::{App, say};

/// What a pack does not have: the reference solutions with their mutants, and the tests that need
/// them.
const LEFT_OUT: [&str; 6] = ["solutions", "tests", "target", ".git", ".ci", ".github"];

impl App {
    /// Writes the pack to a new or empty folder.
    pub(super) fn export(&self, dir: &Path, out: &mut dyn Write) -> Result<u8, String> {
        if std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(format!("{}: the folder is not empty", dir.display()));
        }
        for lab in &self.labs {
            self.solution_dir_exists(lab)?;
        }
        let absolute = std::path::absolute(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        // `target` is not copied, so a pack there does not contain itself.
        let within = |dir: &Path| absolute.starts_with(dir);
        if within(&self.place.root) && !within(&self.place.root.join("target")) {
            return Err(format!("{}: the pack must lie outside the course", dir.display()));
        }
        copy_tree(&self.place.root, dir, &LEFT_OUT)?;
        for lab in &self.labs {
            let target = dir.join(lab.package);
            // The labs' files as students get them, and a copy from which `cargo lab reset`
            // restores.
            skeletons(&self.place, lab, &target)?;
            skeletons(&self.place, lab, &target.join(".skeleton"))?;
        }
        let labs: Vec<&str> = self.labs.iter().map(|lab| lab.package).collect();
        let manifest = pack_manifest(&read(dir, "Cargo.toml")?, &labs)?;
        write(&dir.join("Cargo.toml"), &manifest)?;
        if let Ok(lock) = read(dir, "Cargo.lock") {
            let tests = ["course-tests", "core-tests", "judge-tests"];
            let lock = tests.iter().fold(lock, |lock, name| without_package(&lock, name));
            write(&dir.join("Cargo.lock"), &lock)?;
        }
        say(out, &format!("wrote {}: try `cargo lab` there\n", dir.display()))?;
        Ok(0)
    }
}

/// The workspace without the members in `tests`; a plain `cargo test` runs the labs, for that is
/// what a student tests.
fn pack_manifest(manifest: &str, labs: &[&str]) -> Result<String, String> {
    let wrong = |what: &str| format!("Cargo.toml: there is no {what}");
    let start = manifest.find("default-members = [").ok_or_else(|| wrong("`default-members`"))?;
    let end =
        start + manifest[start..].find("]\n").ok_or_else(|| wrong("end of `default-members`"))? + 2;
    // The comment above explains the course's choice, not the pack's.
    let mut head: Vec<&str> = manifest[..start].split_inclusive('\n').collect();
    while head.last().is_some_and(|line| line.starts_with('#')) {
        head.pop();
    }
    let members: String = head.concat();
    let in_tests =
        |line: &str| line.trim().starts_with("\"tests\"") || line.trim().starts_with("\"tests/");
    let without: String = members.split_inclusive('\n').filter(|line| !in_tests(line)).collect();
    if without.len() == members.len() {
        return Err(wrong("line `\"tests\",` among the members"));
    }
    Ok(format!(
        "{without}# What a plain `cargo test` runs.\ndefault-members = {labs:?}\n{}",
        &manifest[end..]
    ))
}

/// A lock file without one package of the workspace.
fn without_package(lock: &str, name: &str) -> String {
    let head = format!("name = \"{name}\"\n");
    let mut parts = lock.split("[[package]]\n");
    let first = parts.next().unwrap_or_default().to_string();
    let kept = parts.filter(|p| !p.starts_with(&head)).map(|p| format!("[[package]]\n{p}"));
    first + &kept.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packs_workspace_has_no_tests_member() {
        let manifest = "[workspace]\nmembers = [\n    \"labx\",\n    \"tests\",\n    \"tests/cores\",\n]\n# Why.\ndefault-members = [\n    \"tests\",\n]\n\n[x]\n";
        let want = "[workspace]\nmembers = [\n    \"labx\",\n]\n# What a plain `cargo test` runs.\ndefault-members = [\"labx\"]\n\n[x]\n";
        assert_eq!(pack_manifest(manifest, &["labx"]).unwrap(), want);
        assert!(pack_manifest("members = []\n", &["labx"]).is_err());
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\n\n[[package]]\nname = \"t\"\nx = 1\n\n[[package]]\nname = \"z\"\n";
        let want = "version = 4\n\n[[package]]\nname = \"a\"\n\n[[package]]\nname = \"z\"\n";
        assert_eq!(without_package(lock, "t"), want);
    }
}
