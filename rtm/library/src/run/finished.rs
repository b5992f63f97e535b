//! Shots that are migrated but not yet in the restart file's sums: each in a file of its own, no
//! larger than its part of the image, in whatever order they end.
//!
//! Sums are taken in the order of shots, so that the image has the same bits however many processes
//! share the work. A shot that ends before an earlier one waits here; it is not lost when a process
//! dies, because the next run, shared or not, finds it.

use std::fs;
use std::path::PathBuf;

use super::dump::Files;
use super::restart::{self, Saved};
use crate::io::{Fingerprint, atomic};
use crate::{Cube, Error, Grid, Real, Result};

/// The folder `OUT/finished` of one run.
pub struct Finished {
    folder: PathBuf,
    run: Fingerprint,
}

impl Finished {
    /// Of the run with that fingerprint; nothing is made yet.
    pub fn new(files: &Files, run: Fingerprint) -> Finished {
        Finished { folder: files.other("finished"), run }
    }

    /// Makes the folder, with a mark by which others know it.
    ///
    /// # Errors
    /// It cannot be written: better known before hours of work.
    pub fn make(&self) -> Result<()> {
        atomic::write_text(&self.mark(), &self.run.text())
    }

    /// Looks whether this process sees the folder that [`Finished::make`] made, maybe on another
    /// host.
    ///
    /// # Errors
    /// It does not.
    pub fn check(&self) -> Result<()> {
        check_mark(&self.mark(), self.run)
    }

    /// Whether shot `k` is there.
    pub fn has(&self, k: usize) -> bool {
        self.path(k).exists()
    }

    /// Keeps the summands of shot `k`, and the fingerprint of what it recorded.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save<T: Real>(&self, k: usize, data: Fingerprint, summands: &[Cube<T>]) -> Result<()> {
        restart::save(&self.path(k), self.run, k, data, &summands.iter().collect::<Vec<_>>())
    }

    /// The summands of shot `k`, if it is there: so many `cubes` on that grid.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn load<T: Real>(&self, k: usize, grid: &Grid, cubes: usize) -> Result<Option<Saved<T>>> {
        restart::load(&self.path(k), self.run, grid, cubes)
    }

    /// Removes shot `k`, which is in the sums now.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn forget(&self, k: usize) -> Result<()> {
        let path = self.path(k);
        fs::remove_file(&path).map_err(|e| Error::writing(&path, &e))
    }

    /// Removes the folder, if there is one.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(&self) -> Result<()> {
        match fs::remove_dir_all(&self.folder) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::writing(&self.folder, &e))
            }
            _ => Ok(()),
        }
    }

    fn mark(&self) -> PathBuf {
        self.folder.join("run")
    }

    fn path(&self, k: usize) -> PathBuf {
        self.folder.join(format!("{}-{:05}.bin", self.run.text(), k + 1))
    }
}

/// Whether a file that the first process of a run wrote holds that run's fingerprint.
///
/// # Errors
/// There is none, or it is of another run.
pub fn check_mark(mark: &std::path::Path, run: Fingerprint) -> Result<()> {
    match fs::read_to_string(mark) {
        Ok(text) if text == run.text() => Ok(()),
        _ => Err(Error::refused(
            mark.display(),
            "the first process wrote this file, and here it is missing or another",
            "finished shots are handed over in files: let all hosts share the folder",
        )),
    }
}
