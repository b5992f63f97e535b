//! The judge's device: a process of the judge's own beside each host program, outside of its
//! sandbox. There the emulated driver runs, and what it saw is what the checks are told.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use wire::Call;

/// First argument of a judge's device.
const ASKED: &str = "--judge-device";

/// Most bytes of a reply with its trace.
#[cfg(unix)]
const MOST_TOLD: u64 = 256 << 20;
/// Exit code of a device whose program used up its memory.
#[cfg(unix)]
const NO_MEMORY: i32 = 3;
/// Exit code of a device whose program spoke as none of ours does.
const MISLED: i32 = 4;

/// What a device is told.
#[cfg_attr(not(unix), allow(dead_code))]
#[derive(Debug, Serialize, Deserialize)]
struct Order {
    calls: Vec<Call>,
    /// Folders from which kernels may include files.
    roots: Vec<PathBuf>,
    /// Bytes of memory that it may have in use.
    memory: u64,
}

/// An emulated driver that serves a program: its calls, the folders from which kernels may include
/// files, the socket by which the program speaks and is answered, and where replies go. This crate
/// knows no driver; whoever grades gives it one.
///
/// # Errors
/// What the program said that it must not, or why the channel failed.
pub type Driver = fn(&[Call], Vec<PathBuf>, &File, &File) -> Result<(), String>;

/// Becomes a judge's device if that is what this process was started as.
pub(crate) fn be_one_if_asked(driver: Driver) {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == ASKED) {
        let order = PathBuf::from(args.next().unwrap_or_default());
        let code = match be_one(&order, driver) {
            Ok(()) => 0,
            Err(why) => {
                eprintln!("{why}");
                MISLED
            }
        };
        std::process::exit(code);
    }
}

#[cfg(unix)]
fn be_one(order: &Path, driver: Driver) -> Result<(), String> {
    use std::io::{stdin, stdout};
    use std::os::fd::AsFd;

    let order = std::fs::read(order).map_err(|e| e.to_string())?;
    let Order { calls, roots, memory } =
        serde_json::from_slice(&order).map_err(|e| e.to_string())?;
    let socket = stdin().as_fd().try_clone_to_owned().map(File::from).map_err(|e| e.to_string())?;
    let out = stdout().as_fd().try_clone_to_owned().map(File::from).map_err(|e| e.to_string())?;
    std::thread::spawn(move || watch(memory));
    // The driver turns its panics into result codes; nobody reads what they say.
    std::panic::set_hook(Box::new(|_| {}));
    driver(&calls, roots, &socket, &out)
}

#[cfg(not(unix))]
fn be_one(_: &Path, _: Driver) -> Result<(), String> {
    Err("there is no judge's device on this system".into())
}

/// Ends this process when it uses too much memory, or when the judge is no more.
#[cfg(unix)]
fn watch(memory: u64) {
    use std::time::Duration;
    let judge = std::os::unix::process::parent_id();
    loop {
        std::thread::sleep(Duration::from_millis(50));
        if std::os::unix::process::parent_id() != judge {
            std::process::exit(0);
        }
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages = text.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
        if pages * 4096 > memory {
            eprintln!("more than {} MiB in use", memory >> 20);
            std::process::exit(NO_MEMORY);
        }
    }
}

/// How a host program reaches its device, and what the device tells.
#[cfg(unix)]
pub(crate) use running::Device;

#[cfg(unix)]
mod running {
    use std::ffi::OsString;
    use std::io::{Error, Read, Result};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::sync::{Arc, Mutex};
    use std::thread::JoinHandle;
    use std::time::{Duration, Instant};

    use tempfile::TempDir;
    use wire::Reply;
    use wire::channel::Frame;

    use super::*;
    use crate::{Class, Finding};

    /// How long a device may take to end when its program has ended.
    const GRACE: Duration = Duration::from_secs(3);
    /// Bytes of a device's last words that are kept.
    const WORDS: u64 = 4096;

    /// A device that runs. Dropping it ends it.
    #[derive(Debug)]
    pub(crate) struct Device {
        child: Child,
        /// Holds the order, where the program does not reach it.
        _order: TempDir,
        replies: Arc<Mutex<Vec<Reply>>>,
        listener: Option<JoinHandle<Result<()>>>,
    }

    impl Device {
        /// Starts a device and returns the program's end of the channel. `judge` is a program whose
        /// `main` begins with [`crate::boxed::stage_if_asked`].
        pub fn start(
            judge: &Path,
            calls: &[Call],
            roots: Vec<PathBuf>,
            limits: &crate::host::Limits,
            env: &[(OsString, OsString)],
        ) -> Result<(Device, OwnedFd)> {
            let dir = tempfile::tempdir()?;
            let order = Order { calls: calls.to_vec(), roots, memory: limits.memory.min(3 << 30) };
            let path = dir.path().join("order.json");
            std::fs::write(&path, serde_json::to_vec(&order)?)?;
            let (ours, theirs) = UnixStream::pair()?;
            let script = format!(
                "ulimit -c 0; ulimit -S -d \"$(ulimit -H -d)\"; ulimit -v {}; exec \"$0\" \"$@\"",
                limits.memory / 1024
            );
            let mut command = Command::new("/bin/sh");
            command.arg("-c").arg(script).arg(judge).arg(ASKED).arg(&path);
            command.env_clear().envs(env.iter().cloned()).process_group(0);
            command.stdin(OwnedFd::from(ours));
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn()?;
            drop(command);
            let out = child.stdout.take().ok_or_else(|| Error::other("no pipe"))?;
            let replies = Arc::new(Mutex::new(Vec::new()));
            let kept = Arc::clone(&replies);
            let listener = std::thread::spawn(move || listen(out, &kept));
            let device = Device { child, _order: dir, replies, listener: Some(listener) };
            Ok((device, theirs.into()))
        }

        /// What the device told, and the finding if it did not end well. Its program has ended.
        pub fn end(mut self) -> (Vec<Reply>, Option<Finding>) {
            let late = Instant::now() + GRACE;
            let mut pause = Duration::from_micros(200);
            let status = loop {
                match self.child.try_wait() {
                    Ok(Some(status)) => break Some(status),
                    Ok(None) if Instant::now() < late => {}
                    _ => break None,
                }
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            };
            if status.is_none() {
                let _ = self.child.kill();
                let _ = self.child.wait();
            }
            let told = self.listener.take().map(JoinHandle::join);
            let mut words = Vec::new();
            if let Some(from) = self.child.stderr.take() {
                let _ = from.take(WORDS).read_to_end(&mut words);
            }
            let words = String::from_utf8_lossy(&words);
            let words = words.trim();
            let finding = match status.map(|s| s.code()) {
                _ if !matches!(told, Some(Ok(Ok(())))) => {
                    Some(Finding::new(Class::Memory, "the replies with their traces are too large"))
                }
                Some(Some(0)) => None,
                Some(Some(MISLED)) => Some(Finding::new(
                    Class::Crash,
                    format!("the host program misled the judge's device: {words}"),
                )),
                Some(Some(NO_MEMORY)) => Some(Finding::new(
                    Class::Memory,
                    format!("the judge's device ran out of memory: {words}"),
                )),
                _ if words.contains("memory allocation of") => {
                    let text = "the judge's device ran out of memory";
                    Some(Finding::new(Class::Memory, text))
                }
                // A kernel that still runs; the program has ended before.
                None => None,
                Some(_) => Some(Finding::new(
                    Class::Crash,
                    format!("the judge's device did not survive the host program: {words}"),
                )),
            };
            let replies =
                std::mem::take(&mut *self.replies.lock().unwrap_or_else(|e| e.into_inner()));
            (replies, finding)
        }
    }

    impl Drop for Device {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }

    /// Collects the replies until the device ends.
    fn listen(mut from: impl Read, replies: &Mutex<Vec<Reply>>) -> Result<()> {
        while let Some(frame) = Frame::read(&mut from, |_| MOST_TOLD)? {
            let [reply, outcome] = &frame.blobs[..] else { return Err(Error::other("no reply")) };
            let reply = Reply::of_parts(reply, outcome)?;
            replies.lock().unwrap_or_else(|e| e.into_inner()).push(reply);
        }
        Ok(())
    }
}
