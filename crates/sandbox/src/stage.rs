//! The stages between the judge and the program, each the same executable started anew.
//!
//! `outer` makes namespaces; `init` is their first process, lays out the files and watches; `inner`
//! restricts itself and becomes the program. Without namespaces `outer` does the work of `init`.
//! The input of the first two is a socket to the judge: they speak on it, and when it closes they
//! end everything.

use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, exit};
use std::sync::OnceLock;
use std::time::Duration;

use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::{close, dup2_stdin, dup2_stdout, getgid, getuid, setsid};

use crate::message::{Applied, Ended, Message, STAGE, Spec};
use crate::rules::Walls;
use crate::watch::{Watch, kill_all, of_this_user};
use crate::{files, mounts, syscalls};

/// The user and group that the program sees as its own.
const INSIDE: u32 = 1000;
/// Between two looks at what the kernel does not limit.
const LOOK: Duration = Duration::from_millis(20);
const LOOK_LATER: Duration = Duration::from_millis(100);

/// Runs the stage that the arguments name.
pub fn run(mut args: impl Iterator<Item = OsString>) -> ! {
    let which = args.next().unwrap_or_default();
    let json = args.next().unwrap_or_default();
    let spec = json.to_str().and_then(|text| serde_json::from_str::<Spec>(text).ok());
    let Some(spec) = spec else {
        eprintln!("{STAGE} is not for people");
        exit(2);
    };
    let done = match which.to_str() {
        Some("outer") => outer(&spec, &json),
        Some("init") => init(&spec, &json),
        Some("inner") => inner(&spec),
        _ => Err("an unknown stage".into()),
    };
    if let Err(why) = done {
        tell(&Message::Ended(Ended::Lost(why)));
    }
    exit(0)
}

/// Says something on the socket that is this stage's input.
fn tell(message: &Message) {
    if let (Ok(mut socket), Ok(mut line)) = (own_socket(), serde_json::to_string(message)) {
        line.push('\n');
        let _ = socket.write_all(line.as_bytes());
    }
}

fn own_socket() -> Result<UnixStream, String> {
    let fd = std::io::stdin().as_fd().try_clone_to_owned();
    fd.map(UnixStream::from).map_err(|e| format!("the stage's socket: {e}"))
}

fn outer(spec: &Spec, json: &OsString) -> Result<(), String> {
    close_inherited()?;
    if spec.sandbox.walls == Walls::Landlock {
        prctl::set_child_subreaper(true).map_err(|e| format!("subreaper: {e}"))?;
        return init(spec, json);
    }
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(|e| format!("death signal: {e}"))?;
    own_user(0)?;
    let flags = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS
        | CloneFlags::CLONE_NEWCGROUP;
    unshare(flags).map_err(|e| format!("namespaces: {e}"))?;
    let mut next = Command::new("/proc/self/exe");
    next.args([STAGE, "init"]).arg(json).env_clear();
    next.status().map_err(|e| format!("the second stage: {e}"))?;
    Ok(())
}

/// Descriptors beyond the three: the judge's parent may have left some open.
fn close_inherited() -> Result<(), String> {
    let entries = fs::read_dir("/proc/self/fd").map_err(|e| format!("/proc/self/fd: {e}"))?;
    let open: Vec<i32> =
        entries.filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok()).collect();
    for fd in open.into_iter().filter(|fd| *fd > 2) {
        // The list's own descriptor is closed already.
        let _ = close(fd);
    }
    Ok(())
}

/// A namespace in which the present user is called `inside`, and there is no other.
fn own_user(inside: u32) -> Result<(), String> {
    let (uid, gid) = (getuid(), getgid());
    unshare(CloneFlags::CLONE_NEWUSER).map_err(|e| format!("user namespace: {e}"))?;
    let write = |file: &str, text: String| {
        fs::write(Path::new("/proc/self").join(file), text)
            .map_err(|e| format!("user namespace: {file}: {e}"))
    };
    write("setgroups", "deny".into())?;
    write("uid_map", format!("{inside} {uid} 1"))?;
    write("gid_map", format!("{inside} {gid} 1"))
}

/// Starts the program and waits for it; ends all that is left, and this process.
fn init(spec: &Spec, json: &OsString) -> Result<(), String> {
    let walls = spec.sandbox.walls;
    if walls == Walls::Namespaces {
        prctl::set_pdeathsig(Signal::SIGKILL).map_err(|e| format!("death signal: {e}"))?;
        mounts::enter(&spec.sandbox)?;
    }
    prctl::set_dumpable(false).map_err(|e| format!("dumpable: {e}"))?;
    let (mut ours, theirs) = UnixStream::pair().map_err(|e| format!("a socket: {e}"))?;
    let mut command = Command::new("/proc/self/exe");
    command.args([STAGE, "inner"]).arg(json).env_clear().stdin(OwnedFd::from(theirs));
    let program = command.spawn().map_err(|e| format!("the last stage: {e}"))?;
    drop(command);
    let watched = spec.clone();
    let id = program.id();
    std::thread::spawn(move || watch(&watched, id));

    // The socket closes when the last stage has become the program.
    let mut said = Vec::new();
    let _ = ours.read_to_end(&mut said);
    if !said.is_empty() {
        let _ = own_socket()?.write_all(&said);
    }
    let ended = loop {
        match wait() {
            Ok(WaitStatus::Exited(id, code)) if id.as_raw().cast_unsigned() == program.id() => {
                break Ended::Exit(code);
            }
            Ok(WaitStatus::Signaled(id, signal, _))
                if id.as_raw().cast_unsigned() == program.id() =>
            {
                break match signal {
                    Signal::SIGXCPU => Ended::Time,
                    Signal::SIGXFSZ => Ended::Disk,
                    other => Ended::Signal(other as i32),
                };
            }
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(e) => break Ended::Lost(format!("wait: {e}")),
        }
    };
    finish(walls, program.id(), ended)
}

/// Says how it ended only when nothing is left: then the judge may read what was written.
fn finish(walls: Walls, program: u32, ended: Ended) -> ! {
    /// The first reason: a program that is killed for an excess ends by a signal, too.
    static WHY: OnceLock<Ended> = OnceLock::new();
    let ended = WHY.get_or_init(|| ended).clone();
    kill_all(walls, program);
    tell(&Message::Ended(ended));
    exit(0)
}

/// Ends everything when the judge's end of the socket closes, or when a limit is passed.
fn watch(spec: &Spec, program: u32) {
    let finish = |ended| finish(spec.sandbox.walls, program, ended);
    let Ok(mut socket) = own_socket() else { finish(Ended::Lost("no socket".into())) };
    let mut watch = Watch::new();
    let mut looks = 0;
    loop {
        looks += 1;
        // Most programs are short: the first looks come sooner.
        let pause = if looks < 50 { LOOK } else { LOOK_LATER };
        let _ = socket.set_read_timeout(Some(pause));
        match socket.read(&mut [0]) {
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            _ => finish(Ended::Time),
        }
        if let Some(excess) = watch.excess(&spec.sandbox, program) {
            finish(excess);
        }
    }
}

/// Restricts itself and becomes the program; returns only if it could not.
fn inner(spec: &Spec) -> Result<(), String> {
    // Closed when the program begins, as every descriptor that this process opened.
    let mut socket = own_socket()?;
    let failed = become_program(spec, &mut socket);
    if let Some(why) = failed {
        let mut line = serde_json::to_string(&Message::Ended(Ended::Lost(why))).unwrap_or_default();
        line.push('\n');
        let _ = socket.write_all(line.as_bytes());
    }
    exit(126)
}

fn become_program(spec: &Spec, socket: &mut UnixStream) -> Option<String> {
    match restricted(spec) {
        Err(why) => Some(why),
        Ok(applied) if spec.probe => {
            let mut line = serde_json::to_string(&Message::Applied(applied)).ok()?;
            line.push('\n');
            socket.write_all(line.as_bytes()).err().map(|e| e.to_string())
        }
        Ok(applied) => {
            // Namespaces hold files and processes without Landlock; nothing holds without the
            // filter.
            let landlock = match spec.sandbox.walls {
                Walls::Namespaces => Ok(()),
                Walls::Landlock => applied.landlock.map(drop),
            };
            if let Err(why) = applied.seccomp.and(landlock) {
                return Some(why);
            }
            let mut command = Command::new(&spec.program);
            command.args(&spec.args).env_clear().envs(spec.sandbox.env.iter().cloned());
            Some(format!("{}: {}", spec.program.display(), command.exec()))
        }
    }
}

fn restricted(spec: &Spec) -> Result<Applied, String> {
    let sandbox = &spec.sandbox;
    setsid().map_err(|e| format!("session: {e}"))?;
    if sandbox.walls == Walls::Namespaces {
        own_user(INSIDE)?;
    }
    let own = fs::canonicalize("/proc/self").map_err(|e| format!("/proc/self: {e}"))?;
    std::env::set_current_dir(&sandbox.dir)
        .map_err(|e| format!("{}: {e}", sandbox.dir.display()))?;
    let input = if spec.talk || spec.input {
        std::io::stdout().as_fd().try_clone_to_owned()
    } else {
        fs::File::open("/dev/null").map(OwnedFd::from)
    };
    let input = input.map_err(|e| format!("the program's input: {e}"))?;
    dup2_stdin(input).map_err(|e| format!("the program's input: {e}"))?;
    if spec.input {
        let nowhere = fs::File::options().write(true).open("/dev/null");
        let nowhere = nowhere.map_err(|e| format!("the program's output: {e}"))?;
        dup2_stdout(nowhere).map_err(|e| format!("the program's output: {e}"))?;
    }
    limit(spec)?;
    prctl::set_no_new_privs().map_err(|e| format!("no new privileges: {e}"))?;
    let landlock = files::restrict(sandbox, &own);
    let version = landlock.as_ref().map_or(0, |version| *version);
    let seccomp = syscalls::restrict(sandbox.walls, version);
    Ok(Applied { landlock, seccomp })
}

fn limit(spec: &Spec) -> Result<(), String> {
    let limits = &spec.sandbox.limits;
    let mut all = vec![
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_CPU, limits.cpu),
        (Resource::RLIMIT_FSIZE, limits.file_size),
        (Resource::RLIMIT_NOFILE, limits.open_files),
        (Resource::RLIMIT_MSGQUEUE, 0),
        (Resource::RLIMIT_AS, limits.address_space),
    ];
    // Counted by user: only in a namespace of its own is that the program alone. Elsewhere it
    // leaves room for others; the watch is stricter.
    let others = match spec.sandbox.walls {
        Walls::Namespaces => 0,
        Walls::Landlock => of_this_user() + 256,
    };
    all.push((Resource::RLIMIT_NPROC, others + limits.processes));
    // The judge's own limit, as far as it can be lifted.
    all.push((Resource::RLIMIT_DATA, u64::MAX));
    for (resource, most) in all {
        // The last second of processor time is for the signal that says so.
        let soft = most;
        let hard = if resource == Resource::RLIMIT_CPU { most + 1 } else { most };
        let now = nix::sys::resource::getrlimit(resource).map_or(hard, |(_, hard)| hard);
        setrlimit(resource, soft.min(now), hard.min(now))
            .map_err(|e| format!("limit {resource:?}: {e}"))?;
    }
    Ok(())
}
