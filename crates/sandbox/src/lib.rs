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

use std::io::Read;
use std::path::Path;

#[cfg(target_os = "linux")]
mod files;
mod message;
mod meter;
#[cfg(target_os = "linux")]
mod mounts;
pub mod own;
mod processes;
mod protection;
mod rules;
mod run;
#[cfg(target_os = "linux")]
mod stage;
#[cfg(target_os = "linux")]
mod syscalls;
#[cfg(target_os = "linux")]
mod watch;

pub use message::Ended;
pub use meter::{FAR, Meter};
pub use protection::{Part, Protection, probe};
pub use rules::{Limits, Sandbox, Walls};
pub use run::{Done, Running, Stream};

/// Becomes the stage if that is what this process was started as; else it does nothing. Call it
/// first in `main`, before any thread is started.
pub fn stage_if_asked() {
    #[cfg(target_os = "linux")]
    {
        let mut args = std::env::args_os().skip(1);
        if args.next().is_some_and(|first| first == message::STAGE) {
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
