//! What a program may see, change and use up.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

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
    /// Time of all processes by a [`Meter`](crate::Meter), which load on the machine does not add
    /// to.
    pub time: Duration,
    /// Wall time: a far end, such as [`FAR`](crate::FAR) times the time.
    pub wall: Duration,
    /// Processor time of each process, in seconds, which the kernel keeps.
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
            time: Duration::from_secs(60),
            wall: Duration::from_secs(60) * crate::FAR,
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
