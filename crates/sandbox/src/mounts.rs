//! A file system in which nothing but the listed files exists. Runs as the first process of new
//! namespaces.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::unistd::{chdir, pivot_root};

use crate::files::{DEVICES, readable};
use crate::rules::Sandbox;

/// The old root and the new one while this is going on.
const OLD: &str = "/old";
const NEW: &str = "/new";
const NOTHING: Option<&str> = None;

/// Changes to the new root. The old one cannot be reached any more.
pub fn enter(sandbox: &Sandbox) -> Result<(), String> {
    let failed = |what: &str| {
        let what = what.to_string();
        move |e: nix::Error| format!("mount namespace: {what}: {e}")
    };
    let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(NOTHING, "/", NOTHING, private, NOTHING).map_err(failed("private"))?;
    let base = ["/tmp", "/run", "/var", "/mnt"].into_iter().find(|d| Path::new(d).is_dir());
    let base = Path::new(base.ok_or("mount namespace: there is no folder /tmp")?);
    let plain = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("tmpfs"), base, Some("tmpfs"), plain, Some("size=4m,nr_inodes=4k,mode=755"))
        .map_err(failed("tmpfs"))?;
    for dir in [OLD, NEW] {
        let dir = base.join(&dir[1..]);
        fs::create_dir(&dir).map_err(|e| format!("mount namespace: {}: {e}", dir.display()))?;
    }
    pivot_root(base, &base.join(&OLD[1..])).map_err(failed("pivot_root"))?;
    chdir("/").map_err(failed("chdir"))?;
    bind(Path::new(NEW), Path::new(NEW))?;

    let mut laid: Vec<(PathBuf, bool)> = Vec::new();
    let mut wanted: Vec<(PathBuf, bool)> = readable(sandbox).map(|p| (p, false)).collect();
    wanted.extend(DEVICES.iter().map(|p| (PathBuf::from(p), true)));
    wanted.extend(sandbox.write.iter().map(|p| (p.clone(), true)));
    // Folders before what lies in them.
    wanted.sort_by_key(|(path, _)| path.components().count());
    for (path, writable) in wanted {
        lay(&path, writable, &mut laid)?;
    }
    let proc = in_new(Path::new("/proc"));
    let _ = fs::create_dir(&proc);
    mount(Some("proc"), &proc, Some("proc"), plain | MsFlags::MS_NOEXEC, NOTHING)
        .map_err(failed("proc"))?;
    let writable: Vec<PathBuf> =
        laid.iter().filter(|(_, writable)| *writable).map(|(path, _)| in_new(path)).collect();
    protect(&proc, &writable)?;

    chdir(NEW).map_err(failed("chdir"))?;
    pivot_root(".", ".").map_err(failed("pivot_root"))?;
    umount2(".", MntFlags::MNT_DETACH).map_err(failed("umount"))?;
    chdir("/").map_err(failed("chdir"))
}

fn in_old(path: &Path) -> PathBuf {
    Path::new(OLD).join(path.strip_prefix("/").unwrap_or(path))
}

fn in_new(path: &Path) -> PathBuf {
    Path::new(NEW).join(path.strip_prefix("/").unwrap_or(path))
}

fn bind(from: &Path, to: &Path) -> Result<(), String> {
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount(Some(from), to, NOTHING, flags, NOTHING)
        .map_err(|e| format!("mount namespace: {}: {e}", to.display()))
}

/// Makes `path` of the old root appear in the new one, with the symbolic links on the way to it.
/// What does not exist is left out.
fn lay(path: &Path, writable: bool, laid: &mut Vec<(PathBuf, bool)>) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("mount namespace: {}: {e}", path.display());
    let parts = |path: &Path| -> VecDeque<OsString> {
        let normal = path.components().filter_map(|c| match c {
            Component::Normal(name) => Some(name.to_os_string()),
            Component::ParentDir => Some("..".into()),
            _ => None,
        });
        normal.collect()
    };
    let mut rest = parts(path);
    let mut at = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            at.pop();
            continue;
        }
        let next = at.join(part);
        let Ok(data) = fs::symlink_metadata(in_old(&next)) else { return Ok(()) };
        let new = in_new(&next);
        let there = fs::symlink_metadata(&new).is_ok();
        if data.is_symlink() {
            links += 1;
            if links > 40 {
                return Err(format!("mount namespace: {}: too many links", path.display()));
            }
            let target = fs::read_link(in_old(&next)).map_err(failed)?;
            if !there {
                symlink(&target, &new).map_err(failed)?;
            }
            if target.is_absolute() {
                at = "/".into();
            }
            let mut to = parts(&target);
            to.append(&mut rest);
            rest = to;
            continue;
        }
        if !there && data.is_dir() {
            fs::create_dir(&new).map_err(failed)?;
        } else if !there {
            fs::write(&new, b"").map_err(failed)?;
        }
        at = next;
    }
    let above = laid.iter().filter(|(there, _)| at.starts_with(there));
    if above
        .max_by_key(|(there, _)| there.components().count())
        .is_some_and(|(_, w)| *w || !writable)
    {
        return Ok(());
    }
    bind(&in_old(&at), &in_new(&at))?;
    laid.push((at, writable));
    Ok(())
}

/// Nothing outside of `writable` can be changed; set-user-ID bits and devices mean nothing in what
/// can.
fn protect(proc: &Path, writable: &[PathBuf]) -> Result<(), String> {
    let list = fs::read(proc.join("self/mountinfo"))
        .map_err(|e| format!("mount namespace: mountinfo: {e}"))?;
    for line in list.split(|b| *b == b'\n') {
        let mut fields = line.split(|b| *b == b' ').skip(4);
        let (Some(point), Some(options)) = (fields.next(), fields.next()) else { continue };
        let point = unescaped(point);
        if !point.starts_with(NEW) || point.starts_with(proc) {
            continue;
        }
        let device = DEVICES.iter().any(|d| in_new(Path::new(d)) == point);
        if device {
            continue;
        }
        let mut flags = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_NOSUID;
        flags |= MsFlags::MS_NODEV;
        // Flags that were set outside must stay set.
        for option in options.split(|b| *b == b',') {
            flags |= match option {
                b"noexec" => MsFlags::MS_NOEXEC,
                b"noatime" => MsFlags::MS_NOATIME,
                b"nodiratime" => MsFlags::MS_NODIRATIME,
                b"relatime" => MsFlags::MS_RELATIME,
                b"ro" => MsFlags::MS_RDONLY,
                _ => MsFlags::empty(),
            };
        }
        if !writable.iter().any(|w| point.starts_with(w)) {
            flags |= MsFlags::MS_RDONLY;
        }
        mount(NOTHING, &point, NOTHING, flags, NOTHING)
            .map_err(|e| format!("mount namespace: {} read-only: {e}", point.display()))?;
    }
    Ok(())
}

/// A path of `mountinfo`: white space and backslashes are written as octal numbers.
fn unescaped(text: &[u8]) -> PathBuf {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let number = tail.get(..3).and_then(|d| std::str::from_utf8(d).ok());
        match number.and_then(|d| u8::from_str_radix(d, 8).ok()).filter(|_| *first == b'\\') {
            Some(byte) => {
                out.push(byte);
                rest = &tail[3..];
            }
            None => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    PathBuf::from(OsString::from_vec(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octal_numbers_are_characters() {
        assert_eq!(unescaped(br"/a\040b\134c"), Path::new("/a b\\c"));
        assert_eq!(unescaped(br"/a\04"), Path::new(r"/a\04"));
    }
}
