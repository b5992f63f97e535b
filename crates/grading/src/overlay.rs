//! A copy of the student-editable files with some of them replaced: mutants, and skeletons to be
//! graded.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use crate::{Lab, Place};

/// Copies the lab's student-editable files from `from` to `to`, with the texts of `changed` instead
/// of its own.
///
/// # Errors
/// Names the file that could not be read or written.
pub fn overlay(
    lab: &Lab,
    from: &Path,
    changed: &BTreeMap<String, String>,
    to: &Path,
) -> Result<(), String> {
    with_others(lab, changed, to, |rel, path| write(path, &read(from, rel)?))
}

/// The same to be read only: what is not changed is the very file below `from` under another name,
/// where the file system has that. Of seven hundred mutants with a hundred files each, few are
/// written.
///
/// # Errors
/// Names the file that could not be read, linked or written.
pub fn linked(
    lab: &Lab,
    from: &Path,
    changed: &BTreeMap<String, String>,
    to: &Path,
) -> Result<(), String> {
    with_others(lab, changed, to, |rel, path| link(&from.join(rel), path))
}

/// Writes `changed` below `to`, and has `other` put each of the lab's other files into its place.
fn with_others(
    lab: &Lab,
    changed: &BTreeMap<String, String>,
    to: &Path,
    other: impl Fn(&str, &Path) -> Result<(), String>,
) -> Result<(), String> {
    for rel in lab.files() {
        let path = to.join(rel);
        match changed.get(rel) {
            Some(text) => write(&path, text)?,
            None => other(rel, &path)?,
        }
    }
    match changed.keys().find(|rel| !lab.files().contains(&rel.as_str())) {
        Some(rel) => Err(format!("{rel} is not one of the files that students edit in {}", lab.id)),
        None => Ok(()),
    }
}

/// Writes the skeleton of every student-editable file below `to`.
///
/// # Errors
/// Names the file whose skeleton cannot be read or written.
pub fn skeletons(place: &Place, lab: &Lab, to: &Path) -> Result<(), String> {
    for rel in lab.files() {
        write(&to.join(rel), &place.skeleton(lab, rel)?)?;
    }
    Ok(())
}

/// Text of a file below `dir`.
///
/// # Errors
/// Names the file.
pub fn read(dir: &Path, rel: &str) -> Result<String, String> {
    let path = dir.join(rel);
    std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Writes a file aside and moves it into its place: a program that is stopped leaves the old text
/// or the new one.
///
/// # Errors
/// Names the file.
pub fn replace(path: &Path, text: &str) -> Result<(), String> {
    let aside = path.with_extension("tmp");
    // It may be a link.
    let _ = std::fs::remove_file(&aside);
    write(&aside, text)?;
    std::fs::rename(&aside, path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Gives a file another name, or copies it where there can be none; makes the folders above it.
/// There must be nothing of that name.
///
/// # Errors
/// Names the file.
pub(crate) fn link(from: &Path, to: &Path) -> Result<(), String> {
    folder_of(to)?;
    std::fs::hard_link(from, to)
        .or_else(|e| match e.kind() {
            // A copy onto another name of the same file would empty it.
            ErrorKind::AlreadyExists => Err(e),
            _ => std::fs::copy(from, to).map(drop),
        })
        .map_err(|e| format!("{}: {e}", to.display()))
}

fn folder_of(path: &Path) -> Result<(), String> {
    let Some(dir) = path.parent() else { return Ok(()) };
    std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))
}

/// Writes a file and the folders above it.
///
/// # Errors
/// Names the file.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    folder_of(path)?;
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
