//! What a judge's device is told when it is started, and how a program becomes one.

use std::fs::File;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Call;

/// First argument of a judge's device; the second is the file of its [`Order`].
pub const ASKED: &str = "--judge-device";
/// Exit code of a device whose program used up its memory.
pub const NO_MEMORY: i32 = 3;
/// Exit code of a device whose program spoke as none of ours does.
pub const MISLED: i32 = 4;

/// What a device is told.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// The calls to make.
    pub calls: Vec<Call>,
    /// Folders from which kernels may include files.
    pub roots: Vec<PathBuf>,
    /// Bytes of memory that it may have in use.
    pub memory: u64,
}

/// An emulated driver that serves a program: its calls, the folders from which kernels may include
/// files, the socket by which the program speaks and is answered, and where replies go. This crate
/// knows no driver.
///
/// # Errors
/// What the program said that it must not, or why the channel failed.
pub type Driver = fn(&[Call], Vec<PathBuf>, &File, &File) -> Result<(), String>;

/// Becomes a judge's device if that is what this process was started as.
pub fn be_one_if_asked(driver: Driver) {
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
fn be_one(order: &std::path::Path, driver: Driver) -> Result<(), String> {
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
fn be_one(_: &std::path::Path, _: Driver) -> Result<(), String> {
    Err("there is no judge's device on this system".into())
}

/// Ends this process when it uses too much memory, or when the judge is no more.
#[cfg(unix)]
fn watch(memory: u64) {
    use std::time::Duration;
    let judge = std::os::unix::process::parent_id();
    loop {
        std::thread::sleep(Duration::from_millis(10));
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
