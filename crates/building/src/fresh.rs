//! Whether a program that cargo built is up to date, seen without cargo: by the times of the files
//! that cargo lists beside the program, of the manifests, and of the program that asks, which is
//! built anew for another compiler or other flags. They are compared with the time when the last
//! good build began, so that what was saved during a build counts as new.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Files of the workspace that decide about a build without being sources.
const SETTINGS: [&str; 5] =
    ["Cargo.lock", ".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"];

/// A file as old as the beginning of the last good build of a program. It holds the program's path
/// and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp(PathBuf);

/// A build that goes on.
#[derive(Debug)]
pub struct Begun<'s> {
    stamp: &'s Stamp,
    /// By the clock that files have.
    time: SystemTime,
}

impl Stamp {
    /// The stamp in this file.
    pub fn at(file: impl Into<PathBuf>) -> Stamp {
        Stamp(file.into())
    }

    fn begun(&self) -> PathBuf {
        self.0.with_extension("begun")
    }

    /// Before a build: what is saved from now on is not sure to be in the program.
    ///
    /// # Errors
    /// Names the file that cannot be written.
    pub fn begin(&self) -> io::Result<Begun<'_>> {
        let file = self.begun();
        let time = || {
            file.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(&file, "")?;
            file.metadata()?.modified()
        };
        Ok(Begun { stamp: self, time: time().map_err(named(&file))? })
    }

    /// The program of the last good build in the workspace `root`, if nothing that it is made of,
    /// nor one of the files `others`, is as young as that build.
    pub fn fresh(&self, root: &Path, others: &[PathBuf]) -> Option<PathBuf> {
        let begun = time(&self.0)?;
        let text = fs::read_to_string(&self.0).ok()?;
        let (program, of) = text.rsplit_once('\n')?;
        let program = PathBuf::from(program);
        // Who builds by hand may choose other features.
        if time_in_words(&program)? != of {
            return None;
        }
        let listed = fs::read_to_string(program.with_extension("d")).ok()?;
        let sources = sources(&listed, root);
        let folders: BTreeSet<&Path> = sources
            .iter()
            .flat_map(|source| source.ancestors().skip(1))
            .filter(|folder| folder.starts_with(root))
            .collect();
        let manifests = folders.iter().map(|folder| folder.join("Cargo.toml"));
        let settings = SETTINGS.iter().map(|file| root.join(file));
        // Not every folder has a manifest, nor every workspace every setting.
        let mut optional = manifests.chain(settings).filter_map(|file| time(&file));
        let is_older = !sources.is_empty()
            && optional.all(|time| time < begun)
            && sources.iter().chain(others).all(|file| is_older(file, begun));
        is_older.then_some(program)
    }
}

impl Begun<'_> {
    /// The build has ended well and made this program.
    ///
    /// # Errors
    /// Names the file that cannot be written.
    pub fn ended(self, program: &Path) -> io::Result<()> {
        let file = self.stamp.begun();
        let done = || {
            let of = time_in_words(program).unwrap_or_default();
            fs::write(&file, format!("{}\n{of}", program.display()))?;
            File::options().append(true).open(&file)?.set_modified(self.time)?;
            fs::rename(&file, &self.stamp.0)
        };
        done().map_err(named(&file))
    }
}

fn named(file: &Path) -> impl Fn(io::Error) -> io::Error {
    move |e| io::Error::new(e.kind(), format!("{}: {e}", file.display()))
}

/// When a file was changed last.
fn time(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|data| data.modified()).ok()
}

fn time_in_words(file: &Path) -> Option<String> {
    let since = time(file)?.duration_since(UNIX_EPOCH).ok()?;
    Some(since.as_nanos().to_string())
}

/// Whether a file, or a folder with all that is in it, is there and older than `begun`.
fn is_older(file: &Path, begun: SystemTime) -> bool {
    let Ok(data) = file.metadata() else { return false };
    if !data.modified().is_ok_and(|time| time < begun) {
        return false;
    }
    !data.is_dir()
        || fs::read_dir(file)
            .is_ok_and(|mut all| all.all(|e| e.is_ok_and(|e| is_older(&e.path(), begun))))
}

/// The files that cargo lists in `PROGRAM: FILE FILE ...`, blanks in names as `\ `.
fn sources(listed: &str, root: &Path) -> Vec<PathBuf> {
    let Some((_, files)) = listed.lines().next().and_then(|line| line.split_once(": ")) else {
        return Vec::new();
    };
    let joined = files.replace("\\ ", "\0");
    joined.split_whitespace().map(|file| root.join(file.replace('\0', " "))).collect()
}
