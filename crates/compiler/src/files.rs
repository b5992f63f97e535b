//! Where included files come from: the disk, or a map in memory where there is no disk.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The files that a source may include.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Files {
    /// Those of the file system.
    #[default]
    Disk,
    /// Texts by path; a path is relative and has no `.` or `..`, such as `kernels/tile.cuh`.
    Memory(Arc<BTreeMap<PathBuf, String>>),
}

/// Where a source of this path finds what it includes: its own folder, and two above it for
/// `#include "../common.h"`.
pub fn folders_of(source: &Path) -> impl Iterator<Item = PathBuf> {
    let above = ["..", "../.."].map(PathBuf::from);
    let named = source.ancestors().skip(1).map(|dir| match dir.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => dir.to_path_buf(),
    });
    named.chain(above).take(3)
}

impl Files {
    /// Files in memory.
    pub fn memory(files: impl IntoIterator<Item = (PathBuf, String)>) -> Files {
        let mut all = BTreeMap::new();
        // `collect` would sort first, by code of its own.
        all.extend(files);
        Files::Memory(Arc::new(all))
    }

    /// The one name of a file or folder, without `.`, `..` and links; `None` if there is none.
    pub fn real(&self, path: &Path) -> Option<PathBuf> {
        match self {
            Files::Disk => path.canonicalize().ok(),
            Files::Memory(files) => {
                let path = plain(path)?;
                files.keys().any(|file| file.starts_with(&path)).then_some(path)
            }
        }
    }

    /// How messages call the file `inner` of the include folder `given`: with that folder as the
    /// command line has it, without one that nobody has typed.
    pub(crate) fn shown(&self, given: &Path, inner: &Path) -> PathBuf {
        let typed = *self == Files::Disk && !given.is_absolute();
        if typed { given.join(inner) } else { inner.to_path_buf() }
    }

    /// True for a file, not a folder.
    pub fn is_file(&self, path: &Path) -> bool {
        match self {
            Files::Disk => path.is_file(),
            Files::Memory(files) => plain(path).is_some_and(|path| files.contains_key(&path)),
        }
    }

    /// The text of a file of at most `most` bytes.
    ///
    /// # Errors
    /// Goes on after the name of the file: that it is no file, too large, or cannot be read.
    pub fn read(&self, path: &Path, most: u64) -> Result<String, String> {
        let refused = || format!("is not a file, or larger than {most} bytes");
        match self {
            Files::Disk => {
                let found = std::fs::metadata(path).ok();
                if !found.is_some_and(|m| m.is_file() && m.len() <= most) {
                    return Err(refused());
                }
                let bytes = std::fs::read(path).map_err(|e| format!("cannot be read: {e}"))?;
                Ok(crate::source::decode(bytes))
            }
            Files::Memory(files) => {
                let text = plain(path).and_then(|path| files.get(&path));
                text.filter(|t| t.len() as u64 <= most).cloned().ok_or_else(refused)
            }
        }
    }
}

/// A relative path without `.` and `..`; `None` if it leads out.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::CurDir => {}
            Component::ParentDir if out.pop() => {}
            _ => return None,
        }
    }
    Some(out)
}
