//! Writing so that a file is either the old one or the complete new one, whenever the program or
//! the machine dies.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// Why a body given to [`write`] stopped.
pub enum Stop {
    /// The disk or the system refused.
    Io(io::Error),
    /// What was to be written is not fit to be written.
    Refused(Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Io(error)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Refused(error)
    }
}

/// Writes a file by way of `NAME.part`, which gets the name `NAME` only when all of it is on the
/// disk. Makes the folder if there is none.
///
/// A part file left by a killed run is overwritten by the next one. What is not an ordinary file (a
/// pipe, a device) is written to directly.
///
/// # Errors
/// The file cannot be written, or `body` refuses; an old file of that name is then still there, as
/// it was.
pub fn write(
    path: &Path,
    body: impl FnOnce(&mut dyn Write) -> std::result::Result<(), Stop>,
) -> Result<()> {
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|e| Error::writing(path, &e))?;
    }
    let ordinary = fs::metadata(path).map_or(true, |m| m.is_file());
    let part = if ordinary { part_of(path) } else { path.to_path_buf() };
    let written = write_through(&part, ordinary, body);
    let written = match (written, ordinary) {
        (Ok(()), true) => rename_durably(&part, path).map_err(Stop::Io),
        (other, _) => other,
    };
    written.map_err(|stop| {
        if ordinary {
            // Nothing better can be done if even that fails: the next run overwrites it.
            let _ = fs::remove_file(&part);
        }
        match stop {
            Stop::Io(e) => Error::writing(path, &e),
            Stop::Refused(e) => e,
        }
    })
}

/// Writes text as [`write`] does.
///
/// # Errors
/// The file cannot be written.
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    write(path, |out| Ok(out.write_all(text.as_bytes())?))
}

fn write_through(
    part: &Path,
    ordinary: bool,
    body: impl FnOnce(&mut dyn Write) -> std::result::Result<(), Stop>,
) -> std::result::Result<(), Stop> {
    let file = match ordinary {
        true => File::create(part)?,
        false => File::options().write(true).open(part)?,
    };
    let mut out = BufWriter::with_capacity(1 << 18, file);
    body(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    if ordinary {
        file.sync_all()?;
    }
    Ok(())
}

fn rename_durably(part: &Path, path: &Path) -> io::Result<()> {
    fs::rename(part, path)?;
    // The new name itself must reach the disk, too. Systems on which folders cannot be opened have
    // no such call.
    #[cfg(unix)]
    {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_part() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/er/a.txt");
        write_text(&path, "old").unwrap();
        let error = write(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::from(io::ErrorKind::StorageFull).into())
        });
        let text = error.unwrap_err().to_string();
        assert!(text.contains("a.txt") && text.contains("disk is full"), "{text}");
        assert!(text.contains("free some space"), "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        write_text(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_device_is_named() {
        let error = write_text(Path::new("/dev/full"), "x").unwrap_err().to_string();
        assert!(error.contains("/dev/full") && error.contains("disk is full"), "{error}");
    }
}
