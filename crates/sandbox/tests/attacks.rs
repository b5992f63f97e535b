//! Every protection by an attack that works outside and fails inside: as the user who runs the
//! tests, as an ordinary user, and in a user namespace without privileges, which stands in for a
//! container.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sandbox::{Done, Ended, Limits, Protection, Sandbox, Walls};
use serde_json::json;

/// Who runs the sandbox.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Who {
    /// The user of the tests.
    Me,
    /// An ordinary user; only root can become one.
    Ordinary,
    /// The same, in a user namespace that gives nothing.
    Container,
}

/// A number that no user of a machine has.
const ORDINARY: &str = "61234";

impl Who {
    /// The command in front of another one; a reason if this machine has none.
    fn prefix(self) -> Result<Vec<&'static str>, String> {
        let root = nix::unistd::getuid().is_root();
        let ordinary =
            ["setpriv", "--reuid", ORDINARY, "--regid", ORDINARY, "--clear-groups", "--"];
        let prefix = match (self, root) {
            (Who::Me, _) => vec![],
            (Who::Ordinary, true) => ordinary.to_vec(),
            (Who::Ordinary, false) => return Err("the tests already run as one".into()),
            (Who::Container, true) => [&ordinary[..], &["unshare", "-U", "--"]].concat(),
            (Who::Container, false) => vec!["unshare", "-U", "--"],
        };
        let works = prefix.split_first().is_none_or(|(first, rest)| {
            Command::new(first).args(rest).arg("true").status().is_ok_and(|s| s.success())
        });
        if works { Ok(prefix) } else { Err(format!("{} does not work", prefix.join(" "))) }
    }
}

/// A folder with programs and files for one test.
struct Bench {
    dir: tempfile::TempDir,
    who: Who,
    prefix: Vec<&'static str>,
    protection: Protection,
}

impl Bench {
    /// `None`, with the reason printed, if this machine cannot play `who`. In CI that is a failure.
    fn new(who: Who) -> Option<Bench> {
        let skip = |why: &str| {
            eprintln!("skipped: {who:?}: {why}");
            assert!(std::env::var_os("CI").is_none(), "{who:?}: {why}");
            None
        };
        let prefix = match who.prefix() {
            Ok(prefix) => prefix,
            Err(why) if who == Who::Ordinary && !nix::unistd::getuid().is_root() => {
                eprintln!("skipped: {why}");
                return None;
            }
            Err(why) => return skip(&why),
        };
        let dir = tempfile::tempdir().unwrap();
        let open = |path: &Path, mode| {
            fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        };
        open(dir.path(), 0o755);
        for (name, from) in [
            ("stage", env!("CARGO_BIN_EXE_sandbox")),
            ("attack", env!("CARGO_BIN_EXE_sandbox-attack")),
        ] {
            fs::copy(from, dir.path().join(name)).unwrap();
        }
        for name in ["box", "outside"] {
            fs::create_dir(dir.path().join(name)).unwrap();
            open(&dir.path().join(name), 0o777);
        }
        for name in ["outside/secret", "given"] {
            fs::write(dir.path().join(name), "secret").unwrap();
            open(&dir.path().join(name), 0o666);
        }
        if who != Who::Me {
            // Files of the same user: the worst case.
            for name in ["box", "outside", "outside/secret", "given"] {
                let id = ORDINARY.parse().unwrap();
                std::os::unix::fs::chown(dir.path().join(name), Some(id), Some(id)).ok();
            }
        }
        let mut bench = Bench {
            protection: sandbox::probe(Path::new(env!("CARGO_BIN_EXE_sandbox"))),
            dir,
            who,
            prefix,
        };
        let text = bench.command(&bench.path("stage"), &["explain".into(), "json".into()]);
        bench.protection = serde_json::from_str(&text.1).unwrap();
        match bench.protection.refusal() {
            Some(why) => skip(&why),
            None => Some(bench),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Runs a command as `who`: its exit code and output.
    fn command(&self, program: &Path, args: &[String]) -> (Option<i32>, String) {
        let mut words: Vec<String> = self.prefix.iter().map(|w| w.to_string()).collect();
        words.push(program.display().to_string());
        words.extend(args.iter().cloned());
        let output = Command::new(&words[0])
            .args(&words[1..])
            .env("SECRET", "of the judge")
            .current_dir(self.path("box"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!words.contains(&"run".to_string()) || output.status.success(), "{output:?}");
        (output.status.code(), text)
    }

    fn sandbox(&self) -> Sandbox {
        Sandbox {
            stage: self.path("stage"),
            walls: self.protection.walls.unwrap(),
            read: vec![self.path("attack"), self.path("given"), "/usr/bin/prlimit".into()],
            write: vec![self.path("box")],
            dir: self.path("box"),
            env: Vec::new(),
            limits: Limits {
                time: Duration::from_secs(20),
                wall: Duration::from_secs(200),
                cpu: 2,
                address_space: 4 << 30,
                memory: 256 << 20,
                processes: 24,
                file_size: 4 << 20,
                disk: 16 << 20,
                open_files: 32,
                stdout: 4096,
                stderr: 4096,
            },
        }
    }

    fn inside(&self, sandbox: &Sandbox, attack: &[&str]) -> Done {
        let args: Vec<std::ffi::OsString> = attack.iter().map(Into::into).collect();
        let order =
            json!({ "sandbox": sandbox, "program": self.path("attack"), "args": args }).to_string();
        let (_, text) = self.command(&self.path("stage"), &["run".into(), order]);
        serde_json::from_str(&text).unwrap()
    }

    fn outside(&self, attack: &[&str]) -> Option<i32> {
        let words: Vec<String> = attack.iter().map(|w| w.to_string()).collect();
        self.command(&self.path("attack"), &words).0
    }

    /// The attack works outside and is refused inside, in this order or (if it destroys what it is
    /// about) the other.
    fn refused(&self, attack: &[&str]) {
        let done = self.inside(&self.sandbox(), attack);
        assert_eq!(done.ended, Ended::Exit(1), "{:?}: inside: {attack:?}: {done:?}", self.who);
        assert_eq!(self.outside(attack), Some(0), "{:?}: outside: {attack:?}", self.who);
    }

    fn works(&self, attack: &[&str]) {
        let done = self.inside(&self.sandbox(), attack);
        assert_eq!(done.ended, Ended::Exit(0), "{:?}: inside: {attack:?}: {done:?}", self.who);
    }
}

/// All of them that this machine has.
fn benches() -> Vec<Bench> {
    [Who::Me, Who::Ordinary, Who::Container].into_iter().filter_map(Bench::new).collect()
}

#[test]
fn files_outside_of_the_list_cannot_be_reached() {
    for bench in benches() {
        let secret = bench.text("outside/secret");
        bench.works(&["read", &bench.text("given")]);
        bench.works(&["write", &bench.text("box/new")]);
        bench.refused(&["read", &secret]);
        bench.refused(&["symlink", &secret, &bench.text("box/link")]);
        bench.refused(&["hardlink", &secret, &bench.text("box/hard")]);
        bench.refused(&["read", &format!("{}/../outside/secret", bench.text("box"))]);
        bench.refused(&["append", &secret]);
        bench.refused(&["append", &bench.text("given")]);
        bench.refused(&["mode", &bench.text("given")]);
        bench.refused(&["mode", &secret]);
        bench.refused(&["cut-readable", &bench.text("given")]);
        bench.refused(&["cut", &secret]);
        bench.refused(&["write", &bench.text("outside/new")]);
        bench.refused(&["rename", &secret, &bench.text("outside/other")]);
        bench.refused(&["remove", &bench.text("outside/other")]);
        bench.refused(&["read", "/etc/passwd"]);
    }
}

#[test]
fn names_are_hidden_where_there_are_namespaces() {
    for bench in benches().iter().filter(|b| b.protection.walls == Some(Walls::Namespaces)) {
        bench.refused(&["see", &bench.text("outside/secret")]);
        bench.refused(&["see", "/etc/passwd"]);
    }
}

#[test]
fn there_is_no_network() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let datagrams = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    for bench in benches() {
        let path = bench.path("outside/socket");
        let unix = std::os::unix::net::UnixListener::bind(&path).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o777)).unwrap();
        bench.refused(&["connect", &listener.local_addr().unwrap().to_string()]);
        bench.refused(&["datagram", &datagrams.local_addr().unwrap().to_string()]);
        bench.refused(&["unix", &path.display().to_string()]);
        drop(unix);
    }
}

#[test]
fn other_processes_are_out_of_reach() {
    for bench in benches() {
        let attack = bench.path("attack");
        let words: Vec<_> = bench.prefix.iter().map(Path::new).chain([&*attack]).collect();
        let mut victim = Command::new(words[0]).args(&words[1..]).arg("sleep").spawn().unwrap();
        // The prefix becomes the program; only then is it of the same user.
        while !fs::read(format!("/proc/{}/cmdline", victim.id())).unwrap().ends_with(b"sleep\0")
            || fs::read(format!("/proc/{}/comm", victim.id())).unwrap() != b"attack\n"
        {
            std::thread::sleep(Duration::from_millis(5));
        }
        let id = victim.id().to_string();
        bench.refused(&["signal", &id]);
        if bench.who != Who::Container {
            // Outside, the container's own programs may not, either.
            bench.refused(&["trace", &id]);
            bench.refused(&["priority", &id]);
        }
        let done = bench.inside(&bench.sandbox(), &["trace", &id]);
        assert_eq!(done.ended, Ended::Exit(1), "{done:?}");
        let done = bench.inside(&bench.sandbox(), &["priority", &id]);
        assert_eq!(done.ended, Ended::Exit(1), "{done:?}");
        // The stage above it.
        let done = bench.inside(&bench.sandbox(), &["trace", "1"]);
        assert_eq!(done.ended, Ended::Exit(1), "{done:?}");
        victim.kill().unwrap();
        victim.wait().unwrap();
    }
}

#[test]
fn environment_and_descriptors_are_not_inherited() {
    for bench in benches() {
        bench.refused(&["environment"]);
        let sandbox = bench.sandbox();
        // A shell that leaves descriptor 9 open for what it starts.
        let order = json!({ "sandbox": sandbox, "program": bench.path("attack"),
            "args": [std::ffi::OsString::from("descriptors")] })
        .to_string();
        let shell = |command: String| {
            let words = ["-c".to_string(), format!("exec 9< given; exec {command}")];
            let mut all: Vec<String> = bench.prefix.iter().map(|w| w.to_string()).collect();
            all.push("/bin/sh".into());
            all.extend(words);
            let mut run = Command::new(&all[0]);
            run.args(&all[1..]).current_dir(bench.dir.path()).output().unwrap()
        };
        let inside = shell(format!("./stage run '{order}'"));
        let done: Done = serde_json::from_slice(&inside.stdout).unwrap();
        assert_eq!(done.ended, Ended::Exit(1), "{done:?}");
        assert_eq!(shell("./attack descriptors".into()).status.code(), Some(0));
    }
}

/// Processes that have this word on their command line.
fn with_word(word: &str) -> Vec<u32> {
    let has = |id: &u32| {
        let words = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        // That of one which has ended is empty.
        words.split(|b| *b == 0).any(|w| w == word.as_bytes())
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|e| e.file_name().to_str()?.parse().ok()).filter(has).collect()
}

/// Waits until something is so; the machine may be slow.
fn until(what: &str, so: impl Fn() -> bool) {
    let since = Instant::now();
    while !so() {
        assert!(since.elapsed() < Duration::from_secs(240), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn nothing_is_left_behind() {
    for bench in benches() {
        let file = bench.path("box/trace");
        let name = file.display().to_string();
        // Without namespaces it cannot have a session of its own: then the daemon ends at once,
        // which is as good.
        bench.works(&["daemon", &name, "ends"]);
        assert_eq!(with_word(&name), [0; 0], "{:?}: the daemon is left", bench.who);
        let _ = fs::remove_file(&file);
        assert_eq!(bench.outside(&["daemon", &name, "ends"]), Some(0));
        let left = with_word(&name);
        assert_eq!(left.len(), 1, "outside, the daemon goes on");
        let daemon = nix::unistd::Pid::from_raw(left[0].cast_signed());
        nix::sys::signal::kill(daemon, nix::sys::signal::Signal::SIGKILL).unwrap();
    }
}

#[test]
fn a_judge_that_is_killed_leaves_nothing() {
    for bench in benches().iter().filter(|b| b.who != Who::Container) {
        let file = bench.path("box/trace");
        for walls in [Walls::Namespaces, Walls::Landlock] {
            if walls == Walls::Namespaces && bench.protection.walls != Some(walls) {
                continue;
            }
            let _ = fs::remove_file(&file);
            let sandbox = Sandbox { walls, ..bench.sandbox() };
            // Without namespaces there is no session of one's own, so a daemon would end by itself.
            let what = if walls == Walls::Namespaces { "daemon" } else { "writer" };
            let mut body: Vec<std::ffi::OsString> = vec![what.into(), file.clone().into()];
            body.extend((walls == Walls::Namespaces).then(|| "stays".into()));
            let order =
                json!({ "sandbox": sandbox, "program": bench.path("attack"), "args": body });
            let mut judge = Command::new(bench.path("stage"))
                .args(["run", &order.to_string()])
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            until(&format!("{walls:?}: the program does not write"), || file.exists());
            let name = file.display().to_string();
            assert!(!with_word(&name).is_empty(), "{walls:?}: the program runs");
            judge.kill().unwrap();
            judge.wait().unwrap();
            until(&format!("{walls:?}: the program is left"), || with_word(&name).is_empty());
        }
    }
}

#[test]
fn limits_of_size_hold() {
    for bench in benches() {
        let sandbox = bench.sandbox();
        let ended = |attack: &[&str]| bench.inside(&sandbox, attack).ended;
        let who = bench.who;
        let big = bench.text("box/big");
        bench.works(&["file", &big, "1"]);
        assert_eq!(ended(&["file", &big, "8"]), Ended::Disk, "{who:?}");
        assert_eq!(ended(&["files", &bench.text("box"), "12", "3"]), Ended::Disk, "{who:?}");
        for entry in fs::read_dir(bench.path("box")).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        assert_eq!(ended(&["nameless", &bench.text("box"), "12", "3"]), Ended::Disk, "{who:?}");
        let small = Sandbox {
            limits: Limits { address_space: 256 << 20, ..sandbox.limits.clone() },
            ..sandbox.clone()
        };
        bench.works(&["memory", "64", "once"]);
        let done = bench.inside(&small, &["memory", "512", "once"]);
        assert_eq!(done.ended, Ended::Signal(6), "{who:?}: {done:?}");
        assert_eq!(ended(&["memory", "512", "held"]), Ended::Memory, "{who:?}");
        bench.works(&["fork", "4", "once"]);
        let forked = ended(&["fork", "64", "held"]);
        assert!(matches!(forked, Ended::Processes | Ended::Exit(1)), "{who:?}: {forked:?}");
        // Outside, all of this goes.
        assert_eq!(bench.outside(&["file", &big, "8"]), Some(0));
        assert_eq!(bench.outside(&["memory", "512", "once"]), Some(0));
        assert_eq!(bench.outside(&["fork", "64", "once"]), Some(0));
    }
}

/// Each user at the same time as the others: most of this is waiting.
#[test]
fn limits_of_time_hold() {
    let holds = |bench: &Bench| {
        let (sandbox, who) = (bench.sandbox(), bench.who);
        assert_eq!(bench.inside(&sandbox, &["spin"]).ended, Ended::Time, "{who:?}");
        let short = Sandbox {
            limits: Limits { time: Duration::from_millis(300), ..sandbox.limits.clone() },
            ..sandbox.clone()
        };
        assert_eq!(bench.inside(&short, &["sleep"]).ended, Ended::Time, "{who:?}");
        let done = bench.inside(&short, &["flood"]);
        assert_eq!(done.stdout.bytes.len(), 4096);
        assert!(done.stdout.dropped > 0 && done.ended == Ended::Time, "{done:?}");
        // Each by itself would stay below its own limit for long.
        let all = Sandbox {
            limits: Limits { time: Duration::from_secs(1), cpu: 60, ..sandbox.limits.clone() },
            ..sandbox.clone()
        };
        let done = bench.inside(&all, &["spin-all", "4"]);
        assert_eq!(done.ended, Ended::Time, "{who:?}: {done:?}");
        assert!(done.spent >= all.limits.time, "{who:?}: {done:?}");
    };
    let benches = benches();
    std::thread::scope(|scope| {
        for bench in &benches {
            scope.spawn(|| holds(bench));
        }
    });
}

#[test]
fn no_new_namespaces() {
    for bench in benches() {
        let done = bench.inside(&bench.sandbox(), &["namespace"]);
        assert_eq!(done.ended, Ended::Exit(1), "{done:?}");
    }
}

#[test]
fn ends_are_told_as_they_are() {
    for bench in benches() {
        let done = bench.inside(&bench.sandbox(), &["abort"]);
        assert_eq!(done.ended, Ended::Signal(6), "{done:?}");
        let mut sandbox = bench.sandbox();
        sandbox.read.retain(|path| *path != bench.path("attack"));
        let done = bench.inside(&sandbox, &["abort"]);
        assert!(matches!(&done.ended, Ended::Lost(why) if why.contains("attack")), "{done:?}");
    }
}

#[test]
fn a_program_and_the_judge_can_talk() {
    let Some(bench) = Bench::new(Who::Me) else { return };
    let (mut socket, running) =
        bench.sandbox().talk(&bench.path("attack"), &["echo".into()]).unwrap();
    socket.write_all(b"ping").unwrap();
    let mut answer = [0; 4];
    socket.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"ping");
    assert_eq!(running.wait().ended, Ended::Exit(0));
}
