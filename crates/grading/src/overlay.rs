//! A copy of the student-editable files with some of them replaced: mutants, and skeletons to be
//! graded.

use std::collections::BTreeMap;
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
    for rel in lab.files() {
        let text = match changed.get(rel) {
            Some(text) => text.clone(),
            None => read(from, rel)?,
        };
        write(&to.join(rel), &text)?;
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

/// Writes a file and the folders above it.
///
/// # Errors
/// Names the file.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    }
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
