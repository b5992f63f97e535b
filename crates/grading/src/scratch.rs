//! A workspace of its own in which a submission's host code is built: the lab's given files from
//! the course, the listed files from the submission, and nothing else.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::cargo::Build;
use crate::{Lab, Place};

/// Folders of a lab that a submission's build does not need.
const LEFT_OUT: [&str; 5] = ["checks", "target", ".skeleton", ".git", "Cargo.toml"];

/// A scratch workspace with a copy of one lab.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scratch {
    dir: PathBuf,
    target_dir: PathBuf,
    package: String,
    bin: String,
}

impl Scratch {
    /// Writes the workspace below `dir`; builds go where the course is built. Cargo knows a crate
    /// by its path in the workspace: where the folder of crates can be linked, theirs is that of
    /// the course, and they are built once.
    ///
    /// # Errors
    /// Names the file that could not be read, understood or written.
    pub fn new(place: &Place, lab: &Lab, dir: &Path) -> Result<Scratch, String> {
        let manifest = place.root.join("Cargo.toml");
        let text = read(&manifest)?;
        std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let linked = |folder: &str| link(&place.root.join(folder), &dir.join(folder));
        let text = manifest_for(&text, place, lab, linked)
            .map_err(|e| format!("{}: {e}", manifest.display()))?;
        write_if_changed(&dir.join("Cargo.toml"), text.as_bytes())?;
        let lock = place.root.join("Cargo.lock");
        // Of an earlier batch it may be that of an earlier course.
        if lock.exists() {
            write_if_changed(&dir.join("Cargo.lock"), read(&lock)?.as_bytes())?;
        }
        let scratch = Scratch {
            dir: dir.to_path_buf(),
            target_dir: place.target.clone(),
            package: lab.package.into(),
            bin: lab.host_bin.into(),
        };
        let given = place.lab_dir(lab);
        prune(&given, &scratch.lab_dir())?;
        copy_tree(&given, &scratch.lab_dir(), &LEFT_OUT)?;
        let manifest = place.lab_dir(lab).join("Cargo.toml");
        let name = dir.file_name().unwrap_or_default().to_string_lossy();
        let text = as_member(&read(&manifest)?, &name)
            .map_err(|e| format!("{}: {e}", manifest.display()))?;
        write_if_changed(&scratch.lab_dir().join("Cargo.toml"), text.as_bytes())?;
        Ok(scratch)
    }

    /// The copy of the lab.
    pub fn lab_dir(&self) -> PathBuf {
        self.dir.join(&self.package)
    }

    /// Puts a submission's files into the copy. Files that did not change keep their time, so that
    /// cargo builds only what it must.
    ///
    /// # Errors
    /// Names the file that could not be read or written.
    pub fn take(&self, lab: &Lab, student_dir: &Path) -> Result<(), String> {
        lab.files().iter().try_for_each(|rel| self.put(rel, &read(&student_dir.join(rel))?))
    }

    /// Puts a file into the copy.
    ///
    /// # Errors
    /// Names the file that could not be written.
    pub fn put(&self, rel: &str, text: &str) -> Result<(), String> {
        write_if_changed(&self.lab_dir().join(rel), text.as_bytes())
    }

    /// How to build the host program.
    pub fn build(&self) -> Build {
        Build {
            workspace: self.dir.clone(),
            package: self.package.clone(),
            bin: self.bin.clone(),
            target_dir: Some(self.target_dir.clone()),
            keep: Some(self.dir.join(&self.bin)),
            profile: None,
            stamp: None,
        }
    }
}

/// Links a folder of packages into a workspace; false if it is a package itself, whose files a
/// program of the workspace could read, or if there are no links here.
fn link(from: &Path, to: &Path) -> bool {
    if from.join("Cargo.toml").exists() {
        return false;
    }
    if std::fs::read_link(to).is_ok_and(|old| old == from) {
        return true;
    }
    #[cfg(unix)]
    let made = std::os::unix::fs::symlink(from, to).is_ok();
    #[cfg(not(unix))]
    let made = false;
    made
}

/// The course's workspace manifest with one member. A path whose first folder is not `linked` leads
/// back to the course.
fn manifest_for(
    text: &str,
    place: &Place,
    lab: &Lab,
    linked: impl Fn(&str) -> bool,
) -> Result<String, String> {
    let mut manifest: Table = text.parse().map_err(|e: toml::de::Error| e.to_string())?;
    let workspace = table(&mut manifest, "workspace")?;
    workspace.insert("members".into(), Value::Array(vec![lab.package.into()]));
    workspace.remove("default-members");
    let lead_back = |dependencies: &mut Table| {
        for (name, dependency) in dependencies.iter_mut() {
            let Some(dependency) = dependency.as_table_mut() else { continue };
            let Some(path) = dependency.get("path").and_then(Value::as_str) else { continue };
            let first = path.split('/').next().unwrap_or(path);
            if name != lab.package && !linked(first) {
                let path = place.root.join(path).display().to_string();
                dependency.insert("path".into(), path.into());
            }
        }
    };
    lead_back(table(workspace, "dependencies")?);
    if let Some(patch) = manifest.get_mut("patch").and_then(Value::as_table_mut) {
        patch.iter_mut().filter_map(|(_, source)| source.as_table_mut()).for_each(lead_back);
    }
    toml::to_string(&manifest).map_err(|e| e.to_string())
}

/// The lab's manifest, without what its tests need, for the scratch workspace called `name`, with a
/// version of its own. Workspaces that share a target folder would take each other's programs for
/// their own: cargo knows a member by its path in the workspace, its name and its version.
fn as_member(text: &str, name: &str) -> Result<String, String> {
    let mut manifest: Table = text.parse().map_err(|e: toml::de::Error| e.to_string())?;
    table(&mut manifest, "package")?.insert("version".into(), format!("0.0.0-grade.{name}").into());
    manifest.remove("dev-dependencies");
    toml::to_string(&manifest).map_err(|e| e.to_string())
}

fn table<'t>(parent: &'t mut Table, key: &str) -> Result<&'t mut Table, String> {
    parent.get_mut(key).and_then(Value::as_table_mut).ok_or_else(|| format!("there is no [{key}]"))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Copies a folder, without those named in `left_out` at its top, without symbolic links; unchanged
/// files stay.
///
/// # Errors
/// Names what could not be read or written.
pub fn copy_tree(from: &Path, to: &Path, left_out: &[&str]) -> Result<(), String> {
    let entries = std::fs::read_dir(from).map_err(|e| format!("{}: {e}", from.display()))?;
    for entry in entries {
        let entry = entry.map_err(|e| format!("{}: {e}", from.display()))?;
        let name = entry.file_name();
        if left_out.iter().any(|l| name == *l) {
            continue;
        }
        let kind = entry.file_type().map_err(|e| format!("{}: {e}", entry.path().display()))?;
        if kind.is_dir() {
            copy_tree(&entry.path(), &to.join(name), &[])?;
        } else if kind.is_file() {
            let path = entry.path();
            let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            write_if_changed(&to.join(name), &bytes)?;
        }
    }
    Ok(())
}

/// Removes from the copy `to` what is not in `from`.
fn prune(from: &Path, to: &Path) -> Result<(), String> {
    for entry in std::fs::read_dir(to).into_iter().flatten().flatten() {
        let (copy, original) = (entry.path(), from.join(entry.file_name()));
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && original.is_dir() {
            prune(&original, &copy)?;
        } else if is_folder || !original.is_file() {
            let gone = if is_folder {
                std::fs::remove_dir_all(&copy)
            } else {
                std::fs::remove_file(&copy)
            };
            gone.map_err(|e| format!("{}: {e}", copy.display()))?;
        }
    }
    Ok(())
}

fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let dir = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_workspaces_are_told_apart_by_the_labs_version() {
        let text = "[package]\nname = \"x\"\nversion.workspace = true\n[dev-dependencies]\n";
        let out: Table = as_member(text, "3").unwrap().parse().unwrap();
        assert_eq!(out["package"]["version"].as_str(), Some("0.0.0-grade.3"));
        assert!(out.get("dev-dependencies").is_none());
        assert!(as_member("[lib]\n", "3").is_err());
    }

    #[test]
    fn the_manifest_has_one_member_and_leads_back_to_the_course() {
        let lab = Lab {
            id: "x",
            package: "labx",
            title: "",
            host_bin: "x-host",
            device: None,
            nearly: &[],
            exercises: &[],
            sources: &[],
            elsewhere: &[],
        };
        let place = Place::at("/course");
        let text = "[workspace]\nmembers = [\"a\", \"labx\"]\ndefault-members = [\"a\"]\n\
                    [workspace.dependencies]\na = { path = \"crates/a\" }\n\
                    b = { path = \"near/b\" }\n\
                    labx = { path = \"labx\" }\nrand = \"1\"\n\
                    [patch.crates-io]\nh = { path = \"crates/h\" }\n[profile.dev]\nopt-level = 1\n";
        let linked = |folder: &str| folder == "near";
        let out: Table = manifest_for(text, &place, &lab, linked).unwrap().parse().unwrap();
        assert_eq!(out["workspace"]["members"].as_array().unwrap().len(), 1);
        assert!(out["workspace"].get("default-members").is_none());
        let dependencies = &out["workspace"]["dependencies"];
        assert_eq!(dependencies["a"]["path"].as_str(), Some("/course/crates/a"));
        assert_eq!(dependencies["b"]["path"].as_str(), Some("near/b"));
        assert_eq!(dependencies["labx"]["path"].as_str(), Some("labx"));
        assert_eq!(out["patch"]["crates-io"]["h"]["path"].as_str(), Some("/course/crates/h"));
        assert_eq!(out["profile"]["dev"]["opt-level"].as_integer(), Some(1));
    }

    #[test]
    fn what_the_course_has_no_more_leaves_the_copy() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        let put = |rel: &str| write_if_changed(&dir.path().join(rel), b"x").unwrap();
        ["from/a", "from/both/b", "from/file"].into_iter().for_each(put);
        ["to/a", "to/both/b", "to/both/old", "to/file/was/a/folder", "to/gone/c"]
            .into_iter()
            .for_each(put);
        prune(&from, &to).unwrap();
        let left = ["a", "both/b", "both/old", "file", "gone"].map(|rel| to.join(rel).exists());
        assert_eq!(left, [true, true, false, false, false]);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_of_packages_is_linked_and_a_package_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let [course, work] = ["course", "work"].map(|name| dir.path().join(name));
        write_if_changed(&course.join("crates/x/Cargo.toml"), b"of x").unwrap();
        std::fs::create_dir(&work).unwrap();
        for _ in 0..2 {
            assert!(link(&course.join("crates"), &work.join("crates")));
        }
        assert_eq!(std::fs::read(work.join("crates/x/Cargo.toml")).unwrap(), b"of x");
        assert!(!link(&course.join("crates/x"), &work.join("x")));
        // A folder that is in the way stays.
        assert!(!link(&course, &work));
    }
}
