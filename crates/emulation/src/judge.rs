//! A judge's device: a process of the judge's own that is the device of one host program. Here is
//! the conversation with the program; the drivers answer its calls.
//!
//! What the program says is checked before it is used; what is no call ends the conversation, and
//! is the program's fault.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};

use wire::channel::{Frame, Kind, MOST_BLOB, MOST_REPLY};
use wire::serve::Seen;
use wire::{Call, Outcome, Reply};

use crate::{Backend, calls, evidence, findings, texts};

/// Entries of each list that are kept for the judge, the first ones.
const MOST_SEEN: usize = 1 << 16;
/// Host threads of a program that may use the device.
const MOST_THREADS: u64 = 256;

static ROOTS: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Answers a call of a driver, whose first word is the program's thread; `None` for what is no
/// call.
pub type Driver = fn(Frame) -> Option<Frame>;

/// A driver of the functions whose names begin so, and what it does before each call of the
/// request: whatever is left on its device from before must not pass for that call's work.
type Known = (&'static str, Driver, fn());

static DRIVERS: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// Gives this process's device the driver of the functions whose names begin so, before it serves.
/// Of several that fit the first one is asked. `renew` is called before each call of the request:
/// then the driver empties its device, or notes as given by the host what is there.
pub fn with_driver(prefix: &'static str, driver: Driver, renew: fn()) {
    let mut drivers = DRIVERS.lock().unwrap_or_else(PoisonError::into_inner);
    if drivers.iter().all(|(known, ..)| *known != prefix) {
        drivers.push((prefix, driver, renew));
    }
}

fn renew_all() {
    let drivers = DRIVERS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    drivers.iter().for_each(|(.., renew)| renew());
}

fn answer(frame: Frame) -> Option<Frame> {
    let drivers = DRIVERS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = drivers.iter().find(|(prefix, ..)| frame.text.starts_with(prefix))?.1;
    drop(drivers);
    found(frame)
}

/// True if this process is a judge's device.
pub fn is_one() -> bool {
    ROOTS.get().is_some()
}

/// True if a kernel may include files of this folder: in a judge's device, only if it was told so.
pub fn may_read(dir: &Path) -> bool {
    let Some(roots) = ROOTS.get() else { return true };
    dir.canonicalize().is_ok_and(|dir| roots.iter().any(|root| dir.starts_with(root)))
}

/// Is the device of a program: hands it the calls one after the other, and writes a [`Reply`] for
/// each to `out`, as a frame with the reply in its first part and the returned [`Outcome`] in the
/// second. Kernels may include files below the folders `roots`. Ends when the program does.
///
/// # Errors
/// What the program said that it must not, or why the channel failed.
pub fn serve(
    calls: &[Call],
    roots: Vec<PathBuf>,
    program: impl Read,
    to_program: impl Write,
    out: impl Write,
) -> Result<(), String> {
    let real = |dir: PathBuf| dir.canonicalize().ok();
    let roots: Vec<PathBuf> = roots.into_iter().filter_map(real).collect();
    texts::keep(&roots);
    let _ = ROOTS.set(roots);
    evidence::keep();
    let mut device = Device {
        todo: calls.iter(),
        now: None,
        judge: Seen::default(),
        program: Seen::default(),
        first: None,
        threads: HashMap::new(),
    };
    device.converse(program, to_program, out).map_err(|e| e.to_string())
}

/// [`serve`] for a program at the other end of a socket.
///
/// # Errors
/// As [`serve`].
pub fn serve_socket(
    calls: &[Call],
    roots: Vec<PathBuf>,
    socket: &File,
    out: &File,
) -> Result<(), String> {
    serve(calls, roots, BufReader::new(socket), socket, out)
}

struct Device<'c> {
    todo: std::slice::Iter<'c, Call>,
    now: Option<&'c Call>,
    /// Since the call began.
    judge: Seen,
    /// Since the program asked last.
    program: Seen,
    /// The program's thread that this one stands for.
    first: Option<u64>,
    /// The others, with a thread of ours each: contexts and numbers in the log belong to threads.
    threads: HashMap<u64, Worker>,
}

struct Worker {
    ask: Sender<Frame>,
    answer: Receiver<Option<Frame>>,
}

fn nonsense(what: &str) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, what.to_string())
}

impl Device<'_> {
    fn converse(
        &mut self,
        mut program: impl Read,
        mut to_program: impl Write,
        mut out: impl Write,
    ) -> std::io::Result<()> {
        let most = |kind| match kind {
            Kind::Driver => MOST_BLOB,
            Kind::Ended => MOST_REPLY,
            Kind::Next | Kind::Take => 0,
        };
        while let Some(mut frame) = Frame::read(&mut program, most)? {
            let answer = match frame.kind {
                Kind::Next => {
                    self.see();
                    (self.judge, self.program) = Default::default();
                    evidence::begin();
                    renew_all();
                    self.now = self.todo.next();
                    let mut answer = Frame::new(Kind::Next, "");
                    if let Some(call) = self.now {
                        answer.blobs.push(serde_json::to_vec(call)?);
                    }
                    answer
                }
                Kind::Ended => {
                    let outcome = frame.blobs.pop().unwrap_or_default();
                    self.reply(&outcome, frame.words.first().copied())?.write(&mut out)?;
                    Frame::new(Kind::Ended, "")
                }
                Kind::Take => self.taken(&frame.text)?,
                Kind::Driver => self.call(frame).ok_or_else(|| nonsense("a malformed call"))?,
            };
            answer.write(&mut to_program)?;
        }
        Ok(())
    }

    /// Notes what the driver has seen since this was done last.
    fn see(&mut self) {
        let (calls, dropped) = calls::take();
        let (launches, faults) = (findings::take_reports(), findings::take_faults());
        for seen in [&mut self.judge, &mut self.program] {
            let room = MOST_SEEN.saturating_sub(seen.calls.len()).min(calls.len());
            seen.dropped += dropped + (calls.len() - room) as u64;
            seen.calls.extend(calls[..room].iter().cloned());
            let room = MOST_SEEN.saturating_sub(seen.launches.len()).min(launches.len());
            seen.launches.extend(launches[..room].iter().cloned());
            let room = MOST_SEEN.saturating_sub(seen.faults.len()).min(faults.len());
            seen.faults.extend(faults[..room].iter().cloned());
        }
    }

    fn taken(&mut self, what: &str) -> std::io::Result<Frame> {
        self.see();
        let seen = &mut self.program;
        let json = match what {
            "calls" => {
                let dropped = std::mem::take(&mut seen.dropped);
                serde_json::to_vec(&(std::mem::take(&mut seen.calls), dropped))?
            }
            "reports" => serde_json::to_vec(&std::mem::take(&mut seen.launches))?,
            "faults" => serde_json::to_vec(&std::mem::take(&mut seen.faults))?,
            _ => return Err(nonsense("a question for what there is not")),
        };
        let mut answer = Frame::new(Kind::Take, what);
        answer.blobs.push(json);
        Ok(answer)
    }

    /// What the judge is told of a call that has ended.
    fn reply(&mut self, outcome: &[u8], wall_us: Option<u64>) -> std::io::Result<Frame> {
        self.see();
        let call = self.now.take().ok_or_else(|| nonsense("a reply to no call"))?;
        let returned: Outcome =
            serde_json::from_slice(outcome).map_err(|e| nonsense(&format!("a reply: {e}")))?;
        let origin = match &returned {
            Outcome::Ok(value) => Some(evidence::origin(value, &call.args)),
            _ => None,
        };
        let Seen { calls, dropped, launches, faults } = std::mem::take(&mut self.judge);
        let reply = Reply {
            call: call.call.clone(),
            outcome: Outcome::Unknown,
            backend: Backend::Emulated.name().into(),
            api: calls,
            api_dropped: dropped,
            launches,
            faults,
            wall_ms: wall_us.unwrap_or(0) as f64 * 1e-3,
            origin,
        };
        let mut frame = Frame::new(Kind::Ended, "");
        frame.blobs = vec![serde_json::to_vec(&reply)?, outcome.to_vec()];
        Ok(frame)
    }

    /// Makes a call of the driver on the thread that stands for the program's.
    fn call(&mut self, frame: Frame) -> Option<Frame> {
        let thread = *frame.words.first()?;
        if *self.first.get_or_insert(thread) == thread {
            return answer(frame);
        }
        if !self.threads.contains_key(&thread) {
            if self.threads.len() as u64 >= MOST_THREADS {
                return None;
            }
            self.threads.insert(thread, Worker::start()?);
        }
        let worker = &self.threads[&thread];
        worker.ask.send(frame).ok()?;
        worker.answer.recv().ok()?
    }
}

impl Worker {
    fn start() -> Option<Worker> {
        let ((ask, asked), (tell, answer_to)) = (channel(), channel());
        let work = move || {
            for frame in asked {
                if tell.send(answer(frame)).is_err() {
                    break;
                }
            }
        };
        // As much stack as a program's first thread has.
        std::thread::Builder::new().stack_size(8 << 20).spawn(work).ok()?;
        Some(Worker { ask, answer: answer_to })
    }
}
