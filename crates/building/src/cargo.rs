//! Runs cargo and hears what it says.

use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::said::{Pieces, Said};

/// How often the listener hears of a cargo that says nothing.
const TICK: Duration = Duration::from_millis(500);

/// What a listener hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Cargo said something.
    Said(Said),
    /// Cargo has said nothing for half a second.
    Silence,
}

/// What cargo left.
#[derive(Debug)]
pub struct Built {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Warnings and errors, in full.
    pub words: String,
}

/// Runs cargo to its end; `hear` is told what it does.
///
/// # Errors
/// If it cannot be run.
pub fn run(command: &mut Command, hear: &mut dyn FnMut(&Event)) -> std::io::Result<Built> {
    // Without a terminal cargo shows its progress only if it is told to, and how wide.
    command
        .env("CARGO_TERM_PROGRESS_WHEN", "always")
        .env("CARGO_TERM_PROGRESS_WIDTH", "400")
        .env("CARGO_TERM_PROGRESS_TERM_INTEGRATION", "false")
        .env("CARGO_TERM_QUIET", "false")
        .env_remove("CARGO_TERM_VERBOSE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let stdout = child.stdout.take().map(|mut pipe| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes).map(|_| bytes).unwrap_or_default()
        })
    });
    let (send, receive) = channel();
    if let Some(mut pipe) = child.stderr.take() {
        std::thread::spawn(move || {
            let mut pieces = Pieces::default();
            let mut bytes = vec![0; 1 << 16];
            while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                pieces.push(&bytes[..count]).into_iter().for_each(|said| drop(send.send(said)));
            }
            pieces.end().into_iter().for_each(|said| drop(send.send(said)));
        });
    }
    let mut words = String::new();
    loop {
        let event = match receive.recv_timeout(TICK) {
            Ok(said) => Event::Said(said),
            Err(RecvTimeoutError::Timeout) => Event::Silence,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if let Event::Said(Said::Words(line)) = &event {
            words += line;
            words.push('\n');
        }
        hear(&event);
    }
    let status = child.wait()?;
    let stdout = stdout.and_then(|thread| thread.join().ok()).unwrap_or_default();
    Ok(Built { status, stdout, words })
}
