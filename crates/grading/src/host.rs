//! Host checks: the student's host code runs in a child process that returns nothing but outputs
//! and its trace.
//!
//! The child gets an empty folder to run in, an emptied environment, a limit on time, processor
//! time and address space, and is killed with all that it started. Its exit code decides nothing:
//! only complete replies count. A judge gives it a device of its own ([`crate::device`]), which
//! says what the child did; in the student's mirror the child says so itself.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
#[cfg(any(windows, test))]
use std::time::Duration;
use std::time::Instant;

use hdl::UseError;
use wire::{Call, Reply};

use crate::boxed::{Boxed, COMPILE_TIME};
use crate::cargo::{Build, cut};
use crate::limits::{ended, ran_out_of_memory};
use crate::plan::STEP_LIMIT;
use crate::reply::First;
use crate::watch::{Doing, tell};
use crate::{Class, Finding};

pub use crate::limits::Limits;
pub use crate::reply::{error, value};

/// Largest reply file that is read.
const MAX_REPLY: u64 = 512 << 20;

/// The program that runs the host code under test.
#[derive(Debug)]
pub struct Host {
    source: Source,
    program: OnceLock<Result<PathBuf, Finding>>,
    /// More environment for the child, such as the mutant to serve.
    pub env: Vec<(String, String)>,
    /// `LAB_DEVICE` of the child: `emulated`, `auto` or `cuda`.
    pub device: String,
    /// Limits of the child.
    pub limits: Limits,
    /// The program that is started as the judge's device.
    judge: Option<Judge>,
    change: Option<Change>,
    /// Answers that checks share.
    pub(crate) first: First,
}

/// What becomes of replies before a check reads them.
type Change = fn(Vec<Reply>) -> Vec<Reply>;

/// The program of the judge's device.
#[derive(Debug)]
struct Judge {
    /// One that is there.
    program: PathBuf,
    /// Another one, for a lab whose device has more than the driver; built when it is needed.
    own: Option<Build>,
    built: OnceLock<Result<PathBuf, Finding>>,
}

#[derive(Debug)]
enum Source {
    Ready,
    Cargo(Build),
    Boxed(Boxed),
}

impl Host {
    /// A program that exists already.
    pub fn ready(program: impl Into<PathBuf>) -> Host {
        let host = Host::of(Source::Ready);
        let _ = host.program.set(Ok(program.into()));
        host
    }

    /// A program that is not there, and why.
    pub fn missing(why: Finding) -> Host {
        let host = Host::of(Source::Ready);
        let _ = host.program.set(Err(why));
        host
    }

    /// A program that cargo builds when a check first needs it.
    pub fn build(build: Build) -> Host {
        Host::of(Source::Cargo(build))
    }

    /// A stranger's program, which is compiled and run inside of the sandbox.
    pub fn boxed(boxed: Boxed) -> Host {
        Host::of(Source::Boxed(boxed))
    }

    /// The same host code with a program, or a reason why there is none, that is there already.
    pub fn with_program(self, program: Result<PathBuf, Finding>) -> Host {
        let _ = self.program.set(program);
        self
    }

    fn of(source: Source) -> Host {
        Host {
            source,
            program: OnceLock::new(),
            env: Vec::new(),
            device: "emulated".into(),
            limits: Limits::default(),
            judge: None,
            change: None,
            first: First::default(),
        }
    }

    /// Changes replies before a check reads them, as a forger might: for tests of checks.
    pub fn forged(mut self, change: fn(Vec<Reply>) -> Vec<Reply>) -> Host {
        self.change = Some(change);
        self
    }

    /// Gives the children a device of the judge's: `judge` is a program whose `main` begins with
    /// [`crate::boxed::stage_if_asked`], `own` how the lab's own device is built
    /// ([`crate::Place::device`]). Strangers' code has one in any case.
    pub fn with_judge(mut self, judge: PathBuf, own: Option<Build>) -> Host {
        self.judge = Some(Judge { program: judge, own, built: OnceLock::new() });
        self
    }

    /// Adds a variable to the child's environment.
    pub fn with_env(mut self, name: &str, value: &str) -> Host {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Lets the device at hand run it: what `LAB_DEVICE` says, else a GPU if there is one.
    pub fn on_device_at_hand(self) -> Host {
        let device = std::env::var("LAB_DEVICE").unwrap_or_else(|_| "auto".into());
        self.with_device(&device)
    }

    /// Sets the child's `LAB_DEVICE`.
    pub fn with_device(mut self, device: &str) -> Host {
        self.device = device.into();
        self
    }

    /// The program's path; built now if it has to be.
    ///
    /// # Errors
    /// Not gradable, with the compiler's text, if the build fails.
    pub fn program(&self) -> Result<&Path, Finding> {
        let program = self.program.get_or_init(|| match &self.source {
            Source::Cargo(build) => build.run(),
            Source::Boxed(boxed) => boxed.build(COMPILE_TIME).0,
            Source::Ready => Err(Finding::grader("no host program was given")),
        });
        program.as_deref().map_err(Clone::clone)
    }

    /// The program of the judge's device, if the child has one.
    ///
    /// # Errors
    /// The grader's fault, if it does not build.
    fn judge(&self) -> Result<Option<&Path>, Finding> {
        if let Source::Boxed(boxed) = &self.source {
            return Ok(Some(boxed.judge()));
        }
        let Some(judge) = self.judge.as_ref().filter(|_| cfg!(unix) && self.device == "emulated")
        else {
            return Ok(None);
        };
        let Some(own) = &judge.own else { return Ok(Some(&judge.program)) };
        let built = judge.built.get_or_init(|| own.of_the_course());
        built.as_deref().map(Some).map_err(Clone::clone)
    }

    /// Runs the calls of a check in one child. Complete replies come back even if the child died
    /// after them.
    ///
    /// # Errors
    /// Why there is no reply to the next call, with the replies before it.
    pub(crate) fn run(
        &self,
        check: &str,
        calls: &[Call],
        kernels: &OsString,
    ) -> Result<Vec<Reply>, Box<(Vec<Reply>, Finding)>> {
        let grader = |what: String| Box::new((Vec::new(), Finding::grader(what)));
        let program = self.program().map_err(|f| Box::new((Vec::new(), f)))?;
        let scratch = tempfile::tempdir().map_err(|e| grader(format!("no scratch folder: {e}")))?;
        let work = scratch.path().join("work");
        std::fs::create_dir(&work).map_err(|e| grader(format!("no scratch folder: {e}")))?;
        let child = Child { program, work: &work, scratch: scratch.path(), limits: &self.limits };
        let environment = self.environment(kernels, &work);
        let judge = self.judge().map_err(|f| Box::new((Vec::new(), f)))?;
        let since = Instant::now();
        tell(&Doing::Running { check, since, limit: self.limits.time });
        let ran = match judge {
            #[cfg(unix)]
            Some(judge) => self.judged(&child, judge, calls, environment),
            _ => child.alone(calls, environment),
        };
        tell(&Doing::Ran { check, since });
        let Ran { ended, said, replies, misled } =
            ran.map_err(|e| grader(format!("{} cannot be run: {e}", program.display())))?;
        if replies.len() >= calls.len() {
            return Ok(match self.change {
                Some(change) => change(replies),
                None => replies,
            });
        }
        let call = &calls[replies.len()].call;
        let said = steady(&cut(&said), &scratch.path().display().to_string());
        let misled = misled.map(|f| Finding::new(f.class, format!("{call}: {}", f.message)));
        let because = || match ended {
            Ended::Late => Finding::new(
                Class::Time,
                format!("{call}: no answer within {} s", self.limits.time.as_secs()),
            ),
            Ended::Excess(what) => {
                Finding::new(Class::Memory, format!("{call}: the host program {what}"))
            }
            Ended::Finished => Finding::new(
                Class::Crash,
                format!("{call}: the host program ended itself (exit code 0) without an answer"),
            ),
            Ended::Failed(_) if ran_out_of_memory(&said) => {
                Finding::new(Class::Memory, format!("{call}: the host program ran out of memory"))
            }
            Ended::Failed(how) => Finding::new(
                Class::Crash,
                format!("{call}: the host program ended without an answer ({how})"),
            ),
        };
        let finding = misled.unwrap_or_else(because);
        let finding = if said.is_empty() { finding } else { finding.details(said) };
        Err(Box::new((replies, finding)))
    }

    /// Runs an outside program on what a submission has in `folder`, the one that it may write:
    /// inside of the sandbox, if that is where the host code runs.
    pub(crate) fn tool(
        &self,
        folder: &Path,
        tool: &str,
        words: &[&str],
    ) -> Result<String, UseError> {
        match &self.source {
            Source::Boxed(boxed) => boxed.tool(folder, tool, words),
            _ => hdl::tools::run(folder, tool, words),
        }
    }

    /// Runs the child with a device of the judge's.
    #[cfg(unix)]
    fn judged(
        &self,
        child: &Child<'_>,
        judge: &Path,
        calls: &[Call],
        mut environment: Vec<(OsString, OsString)>,
    ) -> std::io::Result<Ran> {
        let roots = match &self.source {
            Source::Boxed(boxed) => boxed.roots(),
            // One's own work may include whatever it likes.
            _ => vec!["/".into()],
        };
        let (device, channel) =
            crate::device::Device::start(judge, calls, roots, &self.limits, &environment)?;
        environment.push((wire::channel::VARIABLE.into(), "1".into()));
        let channel = (channel, device.id());
        let (ended, said) = match &self.source {
            Source::Boxed(boxed) => child.boxed(boxed, channel, environment)?,
            _ => child.free(&[], Some(channel), environment)?,
        };
        let (replies, misled) = device.end();
        Ok(Ran { ended, said, replies, misled })
    }

    /// All that the child's environment holds.
    fn environment(&self, kernels: &OsString, work: &Path) -> Vec<(OsString, OsString)> {
        let mut all: Vec<(OsString, OsString)> = Vec::new();
        // A real driver needs to find its libraries; the emulated one needs nothing.
        if self.device != "emulated" {
            all.extend(std::env::vars_os().filter(|(name, _)| {
                // Windows writes `Path`.
                let text = name.to_string_lossy().to_uppercase();
                const OF_DRIVERS: [&str; 7] =
                    ["LD_", "CUDA", "NVIDIA", "PATH", "DYLD_", "OCL_ICD_", "OPENCL_"];
                OF_DRIVERS.iter().any(|p| text.starts_with(p))
            }));
        }
        if cfg!(windows) {
            // Without it no program of Windows finds its system's libraries.
            all.extend(std::env::var_os("SystemRoot").map(|root| ("SystemRoot".into(), root)));
            all.push(("TEMP".into(), work.into()));
        }
        all.extend(std::env::var_os("LAB_GPU").map(|gpu| ("LAB_GPU".into(), gpu)));
        all.push(("LAB_STEP_LIMIT".into(), STEP_LIMIT.to_string().into()));
        all.push(("LAB_DEVICE".into(), self.device.clone().into()));
        all.push(("LAB_KERNELS".into(), kernels.clone()));
        all.push(("TMPDIR".into(), work.into()));
        all.extend(crate::limits::KEEP_PAGES.map(|(name, value)| (name.into(), value.into())));
        all.extend(self.env.iter().map(|(name, value)| (name.into(), value.into())));
        all
    }
}

/// One run of a host program.
struct Child<'a> {
    program: &'a Path,
    work: &'a Path,
    scratch: &'a Path,
    limits: &'a Limits,
}

/// What came of a run.
struct Ran {
    ended: Ended,
    /// What the program said on stderr.
    said: String,
    replies: Vec<Reply>,
    /// What it did to the judge's device.
    misled: Option<Finding>,
}

impl Child<'_> {
    /// With its own device and the rights of the judge: requests and replies are files.
    fn alone(
        &self,
        calls: &[Call],
        environment: Vec<(OsString, OsString)>,
    ) -> std::io::Result<Ran> {
        let files = ["request.json", "reply.jsonl"].map(|name| self.scratch.join(name));
        std::fs::write(&files[0], serde_json::to_string(calls)?)?;
        let (ended, said) = self.free(&files, None, environment)?;
        let (bytes, misled) = match sandbox::read_plain(&files[1], MAX_REPLY) {
            Ok(bytes) => (bytes, None),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => (Vec::new(), None),
            Err(e) => {
                let text = format!("the host program's reply is not taken: {e}");
                (Vec::new(), Some(Finding::new(Class::Memory, text)))
            }
        };
        Ok(Ran { ended, said, replies: complete_replies(&bytes, calls), misled })
    }

    /// With the rights of the judge; the result has what it said on stderr.
    fn free(
        &self,
        args: &[PathBuf],
        channel: Option<(Channel, u32)>,
        environment: Vec<(OsString, OsString)>,
    ) -> std::io::Result<(Ended, String)> {
        let stderr = self.scratch.join("stderr");
        let device: Vec<u32> = channel.iter().map(|(_, device)| *device).collect();
        let channel = channel.map(|(channel, _)| channel);
        let (mut command, guard) = limited(self.program, self.limits, channel)?;
        command.args(args).current_dir(self.work).env_clear().envs(environment);
        command.stderr(std::fs::File::create(&stderr)?);
        let ended = wait(command, &device, self.limits)?;
        drop(guard);
        let said = std::fs::read(&stderr).unwrap_or_default();
        Ok((ended, String::from_utf8_lossy(&said).into_owned()))
    }

    /// Inside of the sandbox.
    #[cfg(unix)]
    fn boxed(
        &self,
        boxed: &Boxed,
        channel: (Channel, u32),
        environment: Vec<(OsString, OsString)>,
    ) -> std::io::Result<(Ended, String)> {
        use sandbox::Ended as End;
        let done = boxed.run(self.program, channel, self.scratch, environment, self.limits);
        let ended = match done.ended {
            End::Exit(0) => Ended::Finished,
            End::Exit(code) => Ended::Failed(format!("exit code {code}")),
            End::Signal(signal) => Ended::Failed(format!("signal {signal}")),
            End::Time => Ended::Late,
            End::Processes => Ended::Excess("started too many processes or threads"),
            End::Memory => Ended::Excess("ran out of memory"),
            End::Disk => Ended::Excess("wrote too much to its folder"),
            End::Lost(why) => return Err(std::io::Error::other(why)),
        };
        Ok((ended, String::from_utf8_lossy(&done.stderr.bytes).into_owned()))
    }
}

/// Replies up to the first that is missing, broken, or answers another call.
fn complete_replies(bytes: &[u8], calls: &[Call]) -> Vec<Reply> {
    let lines = bytes.split_inclusive(|b| *b == b'\n').filter(|l| l.ends_with(b"\n"));
    lines
        .map_while(|line| Reply::of_line(line).ok())
        .zip(calls)
        .take_while(|(reply, call)| reply.call == call.call)
        .map(|(reply, _)| reply)
        .collect()
}

/// A program's end of the channel to its device.
#[cfg(unix)]
type Channel = std::os::fd::OwnedFd;
#[cfg(not(unix))]
type Channel = std::convert::Infallible;

/// The program under limits on processor time and address space, in a process group of its own,
/// with the channel as its input and no output. The group ends when the judge does, even if that is
/// killed or gets a Ctrl-C: a guard in it waits for the end of a pipe that the judge holds, whose
/// end here is returned with the command.
#[cfg(unix)]
fn limited(
    program: &Path,
    limits: &Limits,
    channel: Option<Channel>,
) -> std::io::Result<(Command, std::io::PipeWriter)> {
    use std::os::unix::process::CommandExt;
    // The guard's pipe comes as the output.
    let script = format!(
        "ulimit -c 0; exec 3<&1 > /dev/null; (read end <&3; kill -9 0) < /dev/null 2> /dev/null & \
         exec 3<&-; ulimit -t {}; ulimit -v {}; exec \"$0\" \"$@\"",
        limits.time.as_secs().max(1),
        limits.memory / 1024
    );
    let (theirs, ours) = std::io::pipe()?;
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(script).arg(program).process_group(0);
    command.stdin(channel.map_or_else(Stdio::null, Stdio::from)).stdout(theirs);
    Ok((command, ours))
}

#[cfg(not(unix))]
fn limited(
    program: &Path,
    _limits: &Limits,
    _channel: Option<Channel>,
) -> std::io::Result<(Command, Option<std::io::PipeWriter>)> {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    Ok((command, None))
}

enum Ended {
    /// By itself, with exit code 0.
    Finished,
    /// By itself with another code, or by a signal, in words.
    Failed(String),
    Late,
    /// What it took too much of.
    #[cfg_attr(not(unix), allow(dead_code))]
    Excess(&'static str),
}

/// The child and what it starts.
#[cfg(unix)]
struct Group(u32);
#[cfg(windows)]
struct Group(job_object::Job);

/// Most memory of a program and what it starts, in bytes, where memory is what is counted.
#[cfg(windows)]
const JOB_MEMORY: u64 = 8 << 30;
/// Most processes of a program.
#[cfg(windows)]
const JOB_PROCESSES: u32 = 64;

impl Group {
    /// Starts the child, which leads a group of its own.
    #[cfg(unix)]
    fn start(command: &mut Command, _: &Limits) -> std::io::Result<(std::process::Child, Group)> {
        let child = command.spawn()?;
        let group = Group(child.id());
        Ok((child, group))
    }

    /// Starts the child in a job of its own, under limits.
    #[cfg(windows)]
    fn start(
        command: &mut Command,
        limits: &Limits,
    ) -> std::io::Result<(std::process::Child, Group)> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u32;
        let job = job_object::Job::new(&job_object::Limits {
            memory: limits.memory.min(JOB_MEMORY),
            processes: JOB_PROCESSES,
            time: limits.time.max(Duration::from_secs(1)) * cores,
        })?;
        Ok((job.spawn(command)?, Group(job)))
    }

    /// Ends what the child has started and left behind.
    fn end(&self) {
        // A shell takes some milliseconds.
        #[cfg(target_os = "linux")]
        sandbox::own::kill_group(self.0);
        #[cfg(all(unix, not(target_os = "linux")))]
        {
            let mut kill = Command::new("/bin/sh");
            kill.arg("-c").arg(format!("kill -9 -{}", self.0)).stderr(Stdio::null());
            let _ = kill.status();
        }
        #[cfg(windows)]
        self.0.end();
    }
}

/// Waits for the child; ends it and what it started when its time is over. That of the processes
/// `beside` is part of it.
fn wait(mut command: Command, beside: &[u32], limits: &Limits) -> std::io::Result<Ended> {
    let (mut child, group) = Group::start(&mut command, limits)?;
    // Else the channel stays open here.
    drop(command);
    let status = ended(&mut child, beside, limits.time)?;
    group.end();
    Ok(match status {
        Some(status) if status.success() => Ended::Finished,
        Some(status) => Ended::Failed(describe(status)),
        None => {
            let _ = child.kill();
            let _ = child.wait();
            Ended::Late
        }
    })
}

fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return format!("signal {signal}");
        }
    }
    status.code().map_or("no exit code".into(), |code| format!("exit code {code}"))
}

/// The child's words without what differs between two runs: the number of a thread, its folder.
fn steady(text: &str, folder: &str) -> String {
    let without_number = |line: &str| -> Option<String> {
        let rest = line.strip_prefix("thread '")?;
        let (name, rest) = rest.split_once("' (")?;
        let (number, rest) = rest.split_once(')')?;
        number.bytes().all(|b| b.is_ascii_digit()).then(|| format!("thread '{name}'{rest}"))
    };
    let lines = text.trim_start_matches('\n').lines();
    lines
        .map(|line| {
            without_number(line).unwrap_or_else(|| line.to_string()).replace(folder, "") + "\n"
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use serde_json::Value;
    #[cfg(unix)]
    use wire::Outcome as CallOutcome;

    use super::*;

    #[cfg(windows)]
    #[test]
    fn an_endless_child_and_what_it_started_end_in_time() {
        let mut command = Command::new("cmd");
        command.args(["/c", "cmd /c for /l %i in (1,0,2) do @rem"]).stdin(Stdio::null());
        let limits = Limits { time: Duration::from_millis(500), ..Limits::default() };
        assert!(matches!(wait(command, &[], &limits).unwrap(), Ended::Late));
    }

    #[cfg(unix)]
    #[test]
    fn a_child_ends_when_the_judge_does() {
        use std::os::unix::process::ExitStatusExt;
        let (mut command, guard) =
            limited(Path::new("/bin/sleep"), &Limits::default(), None).unwrap();
        let mut child = command.arg("100").spawn().expect("a shell and sleep");
        // What is left of a judge that was killed: closed pipes.
        drop(guard);
        assert_eq!(child.wait().unwrap().signal(), Some(9));
    }

    #[cfg(unix)]
    fn reply_line(call: &str) -> String {
        let reply = Reply {
            call: call.into(),
            outcome: CallOutcome::Ok(Value::Null),
            backend: "emulated".into(),
            api: vec![],
            api_dropped: 0,
            launches: vec![],
            faults: vec![],
            wall_ms: 0.0,
            origin: None,
        };
        serde_json::to_string(&reply).unwrap() + "\n"
    }

    #[cfg(unix)]
    fn script(text: &str) -> (tempfile::TempDir, Host) {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("host.sh");
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        let mut host = Host::ready(path);
        host.limits.time = Duration::from_secs(2);
        (dir, host)
    }

    #[cfg(unix)]
    #[test]
    fn only_complete_replies_count_whatever_the_exit_code() {
        let calls = [Call::new("a", &Value::Null), Call::new("b", &Value::Null)];
        let (a, b) = (reply_line("a"), reply_line("b"));
        let run = |text: &str| {
            let (_dir, host) = script(text);
            match host.run("check", &calls, &OsString::new()) {
                Ok(replies) => (replies.len(), None),
                Err(failed) => (failed.0.len(), Some(failed.1.class)),
            }
        };
        assert_eq!(run(&format!("printf '%s' '{a}{b}' > $2; exit 3")), (2, None));
        assert_eq!(run(&format!("printf '%s' '{a}' > $2; exit 0")), (1, Some(Class::Crash)));
        assert_eq!(run(&format!("printf '%s' '{b}{a}' > $2")), (0, Some(Class::Crash)));
        assert_eq!(run("exit 0"), (0, Some(Class::Crash)));
        assert_eq!(run("echo nonsense > $2"), (0, Some(Class::Crash)));
        assert_eq!(run("kill -9 $$"), (0, Some(Class::Crash)));
        assert_eq!(run("sleep 100 & sleep 100"), (0, Some(Class::Time)));
    }

    #[test]
    fn what_differs_between_runs_is_left_out() {
        let text = "\nthread 'main' (14548) panicked at a.rs:8:5:\n/scratch/x1/work/f: no\n";
        let want = "thread 'main' panicked at a.rs:8:5:\n/work/f: no\n";
        assert_eq!(steady(text, "/scratch/x1"), want);
    }
}
