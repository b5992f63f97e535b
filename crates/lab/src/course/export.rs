//! `cargo lab export`: the students' pack.

use std::io::Write;
use std::path::Path;

use grading::overlay::{read, skeletons, write};
use grading::scratch::copy_tree;

use super::{App, say};

/// What a pack does not have: the reference solutions with their mutants, and the tests that need them.
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
            // The labs' files as students get them, and a copy from which `cargo lab reset` restores.
            skeletons(&self.place, lab, &target)?;
            skeletons(&self.place, lab, &target.join(".skeleton"))?;
        }
        let manifest = without_tests(&read(dir, "Cargo.toml")?)?;
        write(&dir.join("Cargo.toml"), &manifest)?;
        if let Ok(lock) = read(dir, "Cargo.lock") {
            write(&dir.join("Cargo.lock"), &without_package(&lock, "course-tests"))?;
        }
        say(out, &format!("wrote {}: try `cargo lab` there\n", dir.display()))?;
        Ok(0)
    }
}

/// The workspace without the member `tests`.
fn without_tests(manifest: &str) -> Result<String, String> {
    let kept: String =
        manifest.split_inclusive('\n').filter(|line| line.trim() != "\"tests\",").collect();
    if kept.len() == manifest.len() {
        return Err("Cargo.toml: there is no line `\"tests\",` among the members".into());
    }
    Ok(kept)
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
        let manifest = "members = [\n    \"crates/a\",\n    \"tests\",\n]\n";
        assert_eq!(without_tests(manifest).unwrap(), "members = [\n    \"crates/a\",\n]\n");
        assert!(without_tests("members = []\n").is_err());
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\n\n[[package]]\nname = \"t\"\nx = 1\n\n[[package]]\nname = \"z\"\n";
        let want = "version = 4\n\n[[package]]\nname = \"a\"\n\n[[package]]\nname = \"z\"\n";
        assert_eq!(without_package(lock, "t"), want);
    }
}
