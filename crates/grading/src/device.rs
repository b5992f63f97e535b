//! The judge's device: a process of the judge's own beside each host program, outside of its
//! sandbox. There the emulated driver runs, and what it saw is what the checks are told.

/// Most bytes of a reply with its trace.
#[cfg(unix)]
const MOST_TOLD: u64 = 256 << 20;

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
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Stdio};
    use std::sync::{Arc, Mutex};
    use std::thread::JoinHandle;
    use std::time::Duration;

    use tempfile::TempDir;
    use wire::channel::Frame;
    use wire::device::{ASKED, MISLED, NO_MEMORY, Order};
    use wire::{Call, Reply};

    use super::MOST_TOLD;
    use crate::limits::{Limits, ended};
    use crate::{Class, Finding};

    /// Memory that a device may use, in bytes; the solutions need 330 MB at most.
    const MEMORY: u64 = 800 << 20;
    /// Time of its own that a device may take to end when its program has ended.
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
        /// `main` begins with [`wire::device::be_one_if_asked`].
        pub fn start(
            judge: &Path,
            calls: &[Call],
            roots: Vec<PathBuf>,
            limits: &Limits,
            env: &[(OsString, OsString)],
        ) -> Result<(Device, OwnedFd)> {
            let dir = tempfile::tempdir()?;
            let memory = limits.memory.min(MEMORY);
            let order = Order { calls: calls.to_vec(), roots, memory };
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

        /// Its process.
        pub fn id(&self) -> u32 {
            self.child.id()
        }

        /// What the device told, and the finding if it did not end well. Its program has ended.
        pub fn end(mut self) -> (Vec<Reply>, Option<Finding>) {
            let status = ended(&mut self.child, &[], GRACE).ok().flatten();
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
                _ if crate::limits::ran_out_of_memory(words) => {
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
