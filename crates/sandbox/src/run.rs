//! The judge's side: starts the stage, collects what the program says, and ends everything in time.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::message::{Applied, Ended};
#[cfg(target_os = "linux")]
use crate::meter::Meter;
use crate::rules::Sandbox;

/// What a program wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// The first bytes, as many as the limits keep.
    pub bytes: Vec<u8>,
    /// How many more there were.
    pub dropped: u64,
}

/// A run that is over; nothing that it started is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// How it ended.
    pub ended: Ended,
    /// What it wrote; empty for [`Sandbox::talk`].
    pub stdout: Stream,
    /// Its messages.
    pub stderr: Stream,
    /// Time of all its processes ([`Meter`](crate::Meter)), as of the last look at them.
    pub spent: Duration,
}

/// Reads to the end on a thread of its own, so that a writer never waits, and keeps the first
/// bytes.
struct Collector {
    kept: Arc<Mutex<Stream>>,
    over: Receiver<()>,
}

impl Collector {
    fn start(mut from: impl Read + Send + 'static, keep: usize) -> Collector {
        let kept = Arc::new(Mutex::new(Stream::default()));
        let (tell, over) = channel();
        let to = Arc::clone(&kept);
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 << 10];
            while let Ok(n @ 1..) = from.read(&mut buffer) {
                let mut stream = to.lock().unwrap_or_else(|e| e.into_inner());
                let room = keep.saturating_sub(stream.bytes.len()).min(n);
                stream.bytes.extend_from_slice(&buffer[..room]);
                stream.dropped += (n - room) as u64;
            }
            let _ = tell.send(());
        });
        Collector { kept, over }
    }

    /// The pipe closes with the last process; should one have escaped, its words are not waited
    /// for.
    fn end(self) -> Stream {
        let _ = self.over.recv_timeout(Duration::from_secs(60));
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(|e| e.into_inner()))
    }
}

#[cfg(target_os = "linux")]
pub use linux::Running;

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{BufRead, BufReader, ErrorKind};
    use std::net::Shutdown;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::time::Instant;

    use super::*;
    use crate::message::{Message, STAGE, Spec};

    /// How long a stage may take to clean up before it is killed.
    const GRACE: Duration = Duration::from_secs(60);

    /// A program that runs. Dropping it ends it.
    pub struct Running {
        stage: Child,
        control: BufReader<UnixStream>,
        stdout: Option<Collector>,
        stderr: Option<Collector>,
        /// Clock of all that was started.
        meter: Meter,
        time: Duration,
        deadline: Instant,
        applied: Option<Applied>,
    }

    impl Sandbox {
        /// Runs a program to its end.
        pub fn run(&self, program: &Path, args: &[OsString]) -> Done {
            let spec = self.spec(program, args);
            match self.start(&spec, None, &[]) {
                Ok(running) => running.wait(),
                Err(why) => lost(why),
            }
        }

        /// Runs a program to its end with an open file or socket as its input. Its output is
        /// dropped. The time of the processes `beside` counts as its own.
        pub fn run_on(
            &self,
            program: &Path,
            args: &[OsString],
            input: OwnedFd,
            beside: &[u32],
        ) -> Done {
            let spec = Spec { input: true, ..self.spec(program, args) };
            match self.start(&spec, Some(input), beside) {
                Ok(running) => running.wait(),
                Err(why) => lost(why),
            }
        }

        /// Starts a program whose input and output are one socket, the other end of the one
        /// returned.
        ///
        /// # Errors
        /// Why it cannot be started.
        pub fn talk(
            &self,
            program: &Path,
            args: &[OsString],
        ) -> Result<(UnixStream, Running), String> {
            let (ours, theirs) = UnixStream::pair().map_err(|e| format!("a socket: {e}"))?;
            let spec = Spec { talk: true, ..self.spec(program, args) };
            Ok((ours, self.start(&spec, Some(theirs.into()), &[])?))
        }

        /// What the innermost stage could apply; nothing is run.
        pub(crate) fn applied(&self) -> Result<Applied, String> {
            let spec = Spec { probe: true, ..self.spec(Path::new("/"), &[]) };
            let mut running = self.start(&spec, None, &[])?;
            match (running.ended(), running.applied.take()) {
                (_, Some(applied)) => Ok(applied),
                (Ended::Lost(why), None) => Err(why),
                (ended, None) => Err(format!("the stage ended without a word: {ended:?}")),
            }
        }

        fn spec(&self, program: &Path, args: &[OsString]) -> Spec {
            Spec {
                sandbox: self.clone(),
                program: program.to_path_buf(),
                args: args.to_vec(),
                talk: false,
                input: false,
                probe: false,
            }
        }

        fn start(
            &self,
            spec: &Spec,
            stdout: Option<OwnedFd>,
            beside: &[u32],
        ) -> Result<Running, String> {
            let json = serde_json::to_string(spec).map_err(|e| format!("the sandbox: {e}"))?;
            let (ours, theirs) = UnixStream::pair().map_err(|e| format!("a socket: {e}"))?;
            let collected = stdout.is_none();
            let mut command = Command::new(&self.stage);
            command.args([STAGE, "outer", &json]).env_clear().process_group(0);
            command.stdin(OwnedFd::from(theirs)).stderr(Stdio::piped());
            command.stdout(stdout.map_or_else(Stdio::piped, Stdio::from));
            let spawned = command.spawn();
            drop(command);
            let mut stage = spawned.map_err(|e| format!("{}: {e}", self.stage.display()))?;
            let out = stage.stdout.take().filter(|_| collected);
            let stdout = out.map(|from| Collector::start(from, self.limits.stdout));
            let err = stage.stderr.take();
            let stderr = err.map(|from| Collector::start(from, self.limits.stderr));
            Ok(Running {
                meter: Meter::of([&[stage.id()], beside].concat()),
                time: self.limits.time,
                stage,
                control: BufReader::new(ours),
                stdout,
                stderr,
                deadline: Instant::now() + self.limits.wall,
                applied: None,
            })
        }
    }

    impl Running {
        /// Waits for the end, at most as long as the limits say.
        pub fn wait(mut self) -> Done {
            let ended = self.ended();
            self.finish();
            let stdout = self.stdout.take().map(Collector::end).unwrap_or_default();
            let stderr = self.stderr.take().map(Collector::end).unwrap_or_default();
            Done { ended, stdout, stderr, spent: self.meter.spent() }
        }

        fn ended(&mut self) -> Ended {
            let mut line = String::new();
            let pause = Meter::pause(self.time);
            loop {
                let left = self.deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Ended::Time;
                }
                let _ = self.control.get_ref().set_read_timeout(Some(left.min(pause)));
                match self.control.read_line(&mut line) {
                    Ok(0) => return Ended::Lost("the stage was killed".into()),
                    Ok(_) => {}
                    Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                        if self.meter.look(pause) >= self.time {
                            return Ended::Time;
                        }
                        continue;
                    }
                    Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                    Err(e) => return Ended::Lost(format!("the stage: {e}")),
                }
                match serde_json::from_str(&line) {
                    Ok(Message::Ended(ended)) => return ended,
                    Ok(Message::Applied(applied)) => self.applied = Some(applied),
                    Err(e) => return Ended::Lost(format!("the stage said {line:?}: {e}")),
                }
                line.clear();
            }
        }

        /// Closes the control socket, at which the stage ends all that it started, and waits for
        /// the stage.
        fn finish(&mut self) {
            let _ = self.control.get_ref().shutdown(Shutdown::Both);
            let late = Instant::now() + GRACE;
            let mut pause = Duration::from_micros(200);
            while let Ok(None) = self.stage.try_wait() {
                if Instant::now() > late {
                    let _ = self.stage.kill();
                    let _ = self.stage.wait();
                    return;
                }
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            }
        }
    }

    impl Drop for Running {
        fn drop(&mut self) {
            self.finish();
        }
    }
}

fn lost(why: String) -> Done {
    let (stdout, stderr) = Default::default();
    Done { ended: Ended::Lost(why), stdout, stderr, spent: Duration::ZERO }
}

/// A program that runs. There is none on this system.
#[cfg(not(target_os = "linux"))]
pub struct Running(());

#[cfg(not(target_os = "linux"))]
impl Sandbox {
    /// Says that there is no sandbox on this system.
    pub fn run(&self, _program: &Path, _args: &[OsString]) -> Done {
        lost("there is no sandbox for this system, only for Linux".into())
    }

    /// Says that there is no sandbox on this system.
    #[cfg(unix)]
    pub fn run_on(&self, _: &Path, _: &[OsString], _: std::os::fd::OwnedFd, _: &[u32]) -> Done {
        lost("there is no sandbox for this system, only for Linux".into())
    }

    pub(crate) fn applied(&self) -> Result<Applied, String> {
        Err("there is no sandbox for this system, only for Linux".into())
    }
}
