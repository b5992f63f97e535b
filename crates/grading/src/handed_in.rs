//! When a submission was handed in, as far as its name or its files' dates say: what learning
//! platforms leave behind. Nothing that a student wrote is read.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use toml::value::{Datetime, Offset};

use crate::clock::utc;

/// Where the times of a lab come from, beside those that are typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Times {
    /// From digits in the submission's name, such as `ann_attempt_2026-10-01-23-59-00`.
    Names,
    /// From the newest date of the archive or of the folder's files, which unpacking a platform's
    /// download sets to when they came in.
    Files,
}

/// Names in a folder whose dates are looked at, and how deep.
const MOST: usize = 2000;
const DEPTH: usize = 4;

impl Times {
    /// When a submission, a folder or an archive, was handed in; a time of a name is in the zone
    /// `offset`.
    pub(crate) fn of(self, name: &str, file: &Path, offset: Option<Offset>) -> Option<Datetime> {
        match self {
            Times::Names => in_name(name).map(|time| Datetime { offset, ..time }),
            Times::Files => {
                let time = newest(file)?.duration_since(UNIX_EPOCH).ok()?;
                utc(time.as_secs()).parse().ok()
            }
        }
    }
}

/// The last time in a name: year, month, day, hour, minute and perhaps second, of two digits each
/// but for the year, all together or with a sign between.
fn in_name(name: &str) -> Option<Datetime> {
    let starts = (0..name.len()).rev().filter(|at| name.is_char_boundary(*at));
    starts.into_iter().find_map(|at| {
        let inside = name[..at].ends_with(|c: char| c.is_ascii_digit());
        if inside { None } else { time_at(&name[at..]) }
    })
}

fn time_at(text: &str) -> Option<Datetime> {
    let mut rest = text;
    let mut digits = |count: usize, first: bool| {
        if !first {
            rest = rest.strip_prefix(['-', '_', '.', ':', ' ', 'T']).unwrap_or(rest);
        }
        let part = rest.get(..count).filter(|p| p.bytes().all(|b| b.is_ascii_digit()))?;
        rest = &rest[count..];
        Some(part)
    };
    let date = format!("{}-{}-{}", digits(4, true)?, digits(2, false)?, digits(2, false)?);
    let (hour, minute) = (digits(2, false)?, digits(2, false)?);
    let second = digits(2, false).unwrap_or("00");
    let more = rest.starts_with(|c: char| c.is_ascii_digit());
    let time: Datetime = format!("{date}T{hour}:{minute}:{second}").parse().ok()?;
    let year = time.date.is_some_and(|date| (2000..2100).contains(&date.year));
    (year && !more).then_some(time)
}

/// The newest date of a file: of an archive, or of the plain files in a folder.
fn newest(submission: &Path) -> Option<SystemTime> {
    let mut open = VecDeque::from([(submission.to_path_buf(), 0)]);
    let mut left = MOST;
    let mut newest = None;
    while let Some((path, depth)) = open.pop_front() {
        // Links are not followed.
        let Ok(found) = fs::symlink_metadata(&path) else { continue };
        if found.is_file() {
            newest = newest.max(found.modified().ok());
        } else if found.is_dir() && depth < DEPTH {
            let names = fs::read_dir(&path).into_iter().flatten().filter_map(Result::ok);
            let mut names: Vec<PathBuf> = names.take(left).map(|entry| entry.path()).collect();
            left -= names.len();
            names.sort();
            open.extend(names.into_iter().map(|path| (path, depth + 1)));
        }
    }
    newest
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_found_in_names() {
        for (name, time) in [
            ("lab1_ann_attempt_2026-10-01-23-59-07_lab1", Some("2026-10-01T23:59:07")),
            ("20261001235907_ann", Some("2026-10-01T23:59:07")),
            ("Lee, Ann 20261001_2359", Some("2026-10-01T23:59:00")),
            ("ann 2026-10-01T23:59", Some("2026-10-01T23:59:00")),
            // The last one, no others.
            ("2025-01-01-00-00-00 2026-10-01-23-59-07", Some("2026-10-01T23:59:07")),
            ("Ann Lee_123_assignsubmission_file", None),
            ("leeann_LATE_123_45672026_lab1", None),
            ("ann_2026-13-01-23-59", None),
            ("ann_2026-10-01", None),
            ("ann_20261001235907123", None),
            ("Ångström 3012-10-01-23-59", None),
        ] {
            let found = in_name(name).map(|t| t.to_string());
            assert_eq!(found.as_deref(), time, "{name}");
        }
    }

    #[test]
    fn the_newest_file_counts_and_links_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, seconds: u64| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let file = fs::File::create(path).unwrap();
            file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
        };
        put("ann/lab1.zip", 1_000_000_000);
        put("ann/sub/notes.txt", 1_100_000_000);
        put("late.zip", 1_790_891_940);
        #[cfg(unix)]
        std::os::unix::fs::symlink(dir.path().join("late.zip"), dir.path().join("ann/l")).unwrap();
        let at = |name: &str| {
            let dir = dir.path().join(name);
            Times::Files.of(name, &dir, None).map(|time| time.to_string())
        };
        assert_eq!(at("ann").as_deref(), Some("2004-11-09T11:33:20Z"));
        assert_eq!(at("late.zip").as_deref(), Some("2026-10-01T21:59:00Z"));
        assert_eq!(at("nobody"), None);
    }
}
