//! Runs a stranger's program: files by a list, no network, limits, and nothing left behind.
//!
//! The judge starts its own executable again as a *stage* ([`stage_if_asked`]), which restricts
//! itself and then becomes the program. So nothing runs between `fork` and `exec`, and nothing here
//! needs `unsafe`. Two kinds of [`Walls`] hold the program: namespaces of its own where the kernel
//! gives them to an ordinary user, else Landlock with a stricter filter of system calls. [`probe`]
//! tries them and says in a [`Protection`] what holds and what is missing.
#![forbid(unsafe_code)]
// Elsewhere there is only what says that there is no sandbox.
#![cfg_attr(not(target_os = "linux"), allow(dead_code))]

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod mounts;
pub mod own;
mod protection;
mod run;
#[cfg(target_os = "linux")]
mod stage;
#[cfg(target_os = "linux")]
mod syscalls;
#[cfg(target_os = "linux")]
mod watch;

pub use protection::{Part, Protection, probe};
pub use run::{Done, Running, Stream};

/// First argument of a program that was started as a stage.
const STAGE: &str = "--sandbox-stage";

/// What a program may see, change and use up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sandbox {
    /// The program that becomes the stage: its `main` begins with [`stage_if_asked`].
    pub stage: PathBuf,
    /// What holds the program; [`probe`] finds it out.
    pub walls: Walls,
    /// Files and folders that may be read and executed. The system's libraries are always among
    /// them.
    pub read: Vec<PathBuf>,
    /// Folders that may be written, too.
    pub write: Vec<PathBuf>,
    /// Folder in which the program starts.
    pub dir: PathBuf,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Limits.
    pub limits: Limits,
}

/// What stands between the program and everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Walls {
    /// Namespaces of users, mounts, processes, network and messages; Landlock, if the kernel has
    /// it; the filter.
    Namespaces,
    /// Landlock and a filter of system calls that also keeps signals, modes of files and sockets
    /// in.
    Landlock,
}

/// Limits of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Wall time.
    pub wall: Duration,
    /// Processor time of each process, in seconds.
    pub cpu: u64,
    /// Address space of each process, in bytes.
    pub address_space: u64,
    /// Memory of all processes together, in bytes. It is looked at now and then, so a moment's
    /// excess is possible.
    pub memory: u64,
    /// Processes and threads together.
    pub processes: u64,
    /// Bytes of one file.
    pub file_size: u64,
    /// Bytes of all files in the folders that may be written. Looked at now and then, as memory.
    pub disk: u64,
    /// Open files of each process.
    pub open_files: u64,
    /// Bytes of output that are kept, the first ones; the rest is read and dropped.
    pub stdout: usize,
    /// The same for messages.
    pub stderr: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            wall: Duration::from_secs(60),
            cpu: 60,
            address_space: 16 << 30,
            memory: 2 << 30,
            processes: 64,
            file_size: 256 << 20,
            disk: 512 << 20,
            open_files: 256,
            stdout: 1 << 20,
            stderr: 64 << 10,
        }
    }
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// By itself, with this code.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// Its time was over, on the clock or of the processor.
    Time,
    /// Too many processes and threads.
    Processes,
    /// Too much memory.
    Memory,
    /// A file, or all of them together, became too large.
    Disk,
    /// The sandbox could not be made, or the stage was killed: why. No fault of the program.
    Lost(String),
}

/// Becomes the stage if that is what this process was started as; else it does nothing. Call it
/// first in `main`, before any thread is started.
pub fn stage_if_asked() {
    #[cfg(target_os = "linux")]
    {
        let mut args = std::env::args_os().skip(1);
        if args.next().is_some_and(|first| first == STAGE) {
            stage::run(args);
        }
    }
}

/// The bytes of a file that a stranger may have put there: a plain file with one name and at most
/// `most` bytes. Links are not followed, and what is not a file is not opened.
///
/// # Errors
/// As [`std::fs::read`]; says what is wrong with the file.
pub fn read_plain(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let mut options = std::fs::File::options();
    options.read(true);
    #[cfg(target_os = "linux")]
    {
        use nix::libc::{O_NOFOLLOW, O_NONBLOCK};
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(O_NOFOLLOW | O_NONBLOCK);
    }
    // Opening a device may do something; looking at its name does not.
    check_plain(&std::fs::symlink_metadata(path)?)?;
    let file = options.open(path)?;
    check_plain(&file.metadata()?)?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(std::io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

fn check_plain(data: &std::fs::Metadata) -> std::io::Result<()> {
    if !data.is_file() {
        return Err(std::io::Error::other("it is not a plain file"));
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(data) > 1 {
        return Err(std::io::Error::other("it has another name, too (a hard link)"));
    }
    Ok(())
}

/// What a stage is told.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Spec {
    sandbox: Sandbox,
    program: PathBuf,
    args: Vec<OsString>,
    /// The program's input is its output: one socket to the judge.
    talk: bool,
    /// What the stages have as their output is the program's input, and its output goes nowhere.
    input: bool,
    /// Only say what could be applied.
    probe: bool,
}

/// What the stages say to the judge, each a line of JSON.
#[derive(Debug, Serialize, Deserialize)]
enum Message {
    Applied(Applied),
    Ended(Ended),
}

/// What the innermost stage could apply to itself.
#[derive(Debug, Serialize, Deserialize)]
struct Applied {
    /// Version of Landlock's interface.
    landlock: Result<u32, String>,
    seccomp: Result<(), String>,
}
