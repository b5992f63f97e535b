//! Shots shared by the processes of `mpirun` (feature `mpi`): the same bytes as of one process,
//! also after a rank was killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

struct Folder(tempfile::TempDir);

/// A survey of eight shots, long enough that a kill falls into it.
const SHOOT: &str = "shoot fq=20 Lpml=6 dt_rec=0.002 tmax=0.6 sources_x=30:20:8 sources_y=60 \
    receivers_x=0:20:11 receivers_y=30,90 vfile=v.bin data=d.su";
const MIGRATE: &str = "migrate fq=20 Lpml=6 vfile=v.bin data=d.su strategy=checkpoints ks_store=5 \
    imgcond=5 threads=1";

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.good(
            &mut folder
                .one("model --kind layered --n 27,13,27 --d 10 --layers 1800,120:2400 -o v.bin"),
        );
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn one(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rtm"));
        command.args(line.split_whitespace());
        command
    }

    fn many(&self, ranks: usize, line: &str) -> Command {
        let mut command = Command::new("mpirun");
        // CI runs as root, on fewer cores than ranks.
        command
            .args(["--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string()])
            .arg(env!("CARGO_BIN_EXE_rtm"))
            .args(line.split_whitespace());
        command
    }

    fn output(&self, command: &mut Command) -> Output {
        command.current_dir(self.0.path()).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs a command that must succeed; its standard output.
    fn good(&self, command: &mut Command) -> String {
        let output = self.output(command);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}\n{errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn start(&self, command: &mut Command) -> Child {
        command
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// The names in a folder that have `part` in them.
    fn names(&self, folder: &str, part: &str) -> usize {
        let names = fs::read_dir(self.path(folder)).into_iter().flatten().flatten();
        names.filter(|f| f.file_name().to_string_lossy().contains(part)).count()
    }
}

/// Whether `mpirun` is there; in continuous integration it must be.
fn mpirun() -> bool {
    let there = Command::new("mpirun").arg("--version").output().is_ok();
    assert!(there || std::env::var("CI").is_err(), "mpirun is missing: install openmpi-bin");
    if !there {
        println!("skipped: there is no mpirun (Debian: openmpi-bin)");
    }
    there
}

fn equal(a: &Path, b: &Path) -> bool {
    fs::read(a).unwrap() == fs::read(b).unwrap()
}

/// The process that is rank `rank` of the `mpirun` with that number.
fn rank_of(mpirun: u32, rank: usize) -> Option<u32> {
    let wanted = format!("OMPI_COMM_WORLD_RANK={rank}");
    fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // After the name in brackets: the state, then the parent.
        let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse::<u32>().ok()?;
        let environ = fs::read(entry.path().join("environ")).ok()?;
        let is = environ.split(|b| *b == 0).any(|word| word == wanted.as_bytes());
        (parent == mpirun && is).then_some(pid)
    })
}

fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
}

/// Spec of the shared runs: any number of ranks, the same traces and the same image, and only rank
/// 0 speaks.
#[test]
fn ranks_share_the_shots_and_the_bytes_are_those_of_one_process() {
    if !mpirun() {
        return;
    }
    let f = Folder::new();
    f.good(&mut f.one(SHOOT));
    fs::rename(f.path("d.su"), f.path("one.su")).unwrap();
    let said = f.good(&mut f.many(3, SHOOT));
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("8 shots, 176 traces"), "{said}");
    assert!(equal(&f.path("one.su"), &f.path("d.su")));
    assert!(!f.path("d.su.shots").exists());

    f.good(&mut f.one(&format!("{MIGRATE} out=one")));
    for ranks in [2, 4] {
        let said = f.good(&mut f.many(ranks, &format!("{MIGRATE} out=many")));
        assert!(said.starts_with("8 shots, "), "{said}");
        assert_eq!(said.matches("shots").count(), 1, "{said}");
        assert!(equal(&f.path("one/image.bin"), &f.path("many/image.bin")));
        let left = [f.path("many/finished"), f.path("many/restart.bin")];
        assert!(left.iter().all(|path| !path.exists()));
    }
}

/// A rank that is killed takes the job with it, as Open MPI does; no finished shot is lost, and
/// what goes on after it, shared or not, ends with the same bytes.
#[test]
fn a_lost_rank_loses_no_finished_shot() {
    if !mpirun() {
        return;
    }
    let f = Folder::new();
    f.good(&mut f.one(SHOOT));
    f.good(&mut f.one(&format!("{MIGRATE} out=one")));
    let mut resumed = 0;
    for (case, victim) in [("a", 1), ("b", 0), ("c", 2)] {
        let line = format!("{MIGRATE} out={case}");
        let mut job = f.start(&mut f.many(3, &line));
        let deadline = Instant::now() + Duration::from_secs(60);
        let kept = || f.names(case, "restart.bin") + f.names(&format!("{case}/finished"), ".bin");
        while kept() == 0 && job.try_wait().unwrap().is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        if let Some(pid) = rank_of(job.id(), victim) {
            kill(pid);
        }
        assert!(
            !job.wait().unwrap().success(),
            "{case}: the job outlived its rank, or was too short"
        );
        assert!(!f.path(&format!("{case}/image.bin")).exists());
        let mut again = match case {
            "a" => f.many(2, &line),
            _ => f.one(&line),
        };
        let said = f.good(&mut again);
        let earlier = said.split_once(" (").and_then(|(_, rest)| rest.split(' ').next());
        resumed += earlier.and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
        assert!(equal(&f.path("one/image.bin"), &f.path(&format!("{case}/image.bin"))), "{case}");
        assert!(!f.path(&format!("{case}/finished")).exists());
    }
    // Each was killed when a shot was finished.
    assert!(resumed >= 3, "{resumed}");
}

/// Errors come once, with rank, host and shot; wrong input is told as without MPI; other commands
/// do not run many times.
#[test]
fn errors_name_rank_host_and_shot() {
    if !mpirun() {
        return;
    }
    let f = Folder::new();
    f.good(&mut f.one(SHOOT));
    // A folder where a shot's file should be written: the rank that comes to it fails.
    fs::create_dir_all(f.path("out/shot-00003-image.bin")).unwrap();
    let output = f.output(&mut f.many(3, &format!("{MIGRATE} out=out Rshotfile=1")));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert_eq!(text.matches("error: ").count(), 1, "{text}");
    let error = &text[text.find("error: ").unwrap()..];
    assert!(error.starts_with("error: rank ") && error.contains(" on "), "{text}");
    assert!(error.contains("shot-00003-image.bin") && error.contains("in shot 3"), "{text}");
    fs::remove_dir(f.path("out/shot-00003-image.bin")).unwrap();
    f.good(&mut f.many(2, &format!("{MIGRATE} out=out")));

    for (line, said) in [
        ("migrate vfile=v.bin data=d.su fq=20 vfile=none.bin", "none.bin"),
        ("migrate vfile=v.bin data=d.su", "fq"),
        ("demo", "each process would do the same work"),
    ] {
        let output = f.output(&mut f.many(2, line));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{line}");
        assert_eq!(text.matches("error: ").count(), 1, "{line}\n{text}");
        assert!(text.contains(said), "{line}\n{text}");
    }
}
