//! The program `start` with a cargo and a `lab` of a few lines of shell: what is built when, and
//! what is seen of it.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

/// Held by each test: a script that is written while another thread starts a program cannot be run
/// for a moment.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// What the cargo of the tests does before it puts the program in place.
const BUILDS: &str = r#"
    printf '    Building [===>       ] 3/128: simt, hdl            \r' >&2
    echo '   Compiling simt v0.1.0 (/course/crates/simt)' >&2
"#;

/// Another cargo holds the folder.
const LOCKED: &str = r#"
    echo '    Blocking waiting for file lock on build directory' >&2
"#;

/// Waits until the test has seen what it wants to see; gives up after a minute.
const WAITS: &str = r#"
    k=0; until [ -e seen ]; do k=$((k + 1)); [ $k -gt 600 ] && exit 9; sleep 0.1; done
"#;

/// A workspace of one crate with its target folder.
struct Course {
    dir: PathBuf,
    _one: MutexGuard<'static, ()>,
}

impl Drop for Course {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

impl Course {
    /// A workspace whose cargo does `what`, then writes the program; `lab` does `lab`.
    fn new(name: &str, what: &str, lab: &str) -> Course {
        let one = ONE_AT_A_TIME.lock().unwrap_or_else(|e| e.into_inner());
        // A blank in the path, for the list of sources.
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("start {name}"));
        let _ = fs::remove_dir_all(&dir);
        let course = Course { dir, _one: one };
        for file in ["Cargo.toml", "Cargo.lock", "crates/lab/Cargo.toml", "crates/lab/src/main.rs"]
        {
            course.put(file, "");
        }
        let start = course.path("target/start/start");
        fs::create_dir_all(start.parent().unwrap()).unwrap();
        fs::hard_link(env!("CARGO_BIN_EXE_start"), start).unwrap();
        course.put("lab.sh", &format!("#!/bin/sh\n{lab}\n"));
        let cargo = format!(
            "#!/bin/sh\ncd '{dir}'\necho \"$@\" >> called\n{what}\nmkdir -p target/debug\n\
             cp lab.sh target/debug/lab\n\
             echo '{listed}/target/debug/lab: {listed}/crates/lab/src/main.rs' > \
             target/debug/lab.d\n",
            dir = course.dir.display(),
            listed = course.dir.display().to_string().replace(' ', "\\ "),
        );
        course.put("cargo", &cargo);
        for script in ["cargo", "lab.sh"] {
            fs::set_permissions(course.path(script), PermissionsExt::from_mode(0o755)).unwrap();
        }
        // What lies there was there before the first build.
        for file in ["Cargo.toml", "Cargo.lock", "crates/lab/Cargo.toml", "crates/lab/src/main.rs"]
        {
            course.age(file, 100);
        }
        course.age("target/start/start", 50);
        course
    }

    fn path(&self, rel: &str) -> PathBuf {
        self.dir.join(rel)
    }

    fn put(&self, rel: &str, text: &str) {
        fs::create_dir_all(self.path(rel).parent().unwrap()).unwrap();
        fs::write(self.path(rel), text).unwrap();
    }

    /// Makes a file so many seconds old.
    fn age(&self, rel: &str, seconds: u64) {
        let file = fs::File::options().append(true).open(self.path(rel)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
    }

    fn start(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.path("target/start/start"));
        command
            .args(args)
            .env("CARGO", self.path("cargo"))
            .env("CARGO_MANIFEST_DIR", self.path("crates/building"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.start(args).output().unwrap()
    }

    /// How often cargo was called.
    fn calls(&self) -> usize {
        fs::read_to_string(self.path("called")).unwrap_or_default().lines().count()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads lines of the child's standard error up to one with `wanted`.
fn read_to(child: &mut Child, wanted: &str) -> String {
    let mut seen = String::new();
    let mut lines = BufReader::with_capacity(1, child.stderr.as_mut().unwrap());
    while !seen.contains(wanted) {
        let mut line = String::new();
        assert!(lines.read_line(&mut line).unwrap() > 0, "no {wanted:?} in {seen:?}");
        seen += &line;
    }
    seen
}

#[test]
fn the_first_call_says_what_is_built_before_cargo_has_done_anything() {
    let course = Course::new("first", &format!("{WAITS}{BUILDS}"), "echo hello");
    let mut child = course.start(&[]).spawn().unwrap();
    let heading = read_to(&mut child, "\n");
    assert!(heading.starts_with("Building the course: once, about "), "{heading}");
    assert!(heading.contains(" GB in ") && heading.trim_end().ends_with("target/."), "{heading}");
    course.put("seen", "");
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(text(&output.stdout), "hello\n");
    let said = text(&output.stderr);
    assert!(said.contains("Built in "), "{said}");
    assert!(!said.contains('\u{1b}') && !said.contains('\r'), "control codes in a file: {said:?}");
    let call = fs::read_to_string(course.path("called")).unwrap();
    assert_eq!(call, "build --package lab --bin lab\n");
}

#[test]
fn how_far_the_build_is_can_be_seen_while_it_goes_on() {
    // After a change of what is waited for, the next line comes at once.
    let course = Course::new("moves", &format!("{LOCKED}{BUILDS}{WAITS}"), "");
    let mut child = course.start(&[]).spawn().unwrap();
    let seen = read_to(&mut child, " of 128 parts");
    assert!(seen.contains("3 of 128 parts, ") && seen.contains(" left: simt, hdl"), "{seen}");
    course.put("seen", "");
    let mut rest = String::new();
    child.stderr.take().unwrap().read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn another_build_in_the_folder_is_named() {
    let course = Course::new("locked", &format!("{LOCKED}{WAITS}{BUILDS}"), "");
    for _ in 0..2 {
        let mut child = course.start(&[]).spawn().unwrap();
        read_to(&mut child, "waiting for another cargo build in this folder (");
        course.put("seen", "");
        assert!(child.wait_with_output().unwrap().status.success());
        // The second time the program is there, and has to be built again.
        fs::remove_file(course.path("seen")).unwrap();
        course.put("crates/lab/src/main.rs", "// changed\n");
    }
}

#[test]
fn cargo_is_called_if_something_changed_and_only_then() {
    let course = Course::new("fresh", "", "echo hello");
    let quiet = |course: &Course| {
        let output = course.run(&[]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    };
    quiet(&course);
    assert_eq!(course.calls(), 1);
    for _ in 0..2 {
        assert_eq!(quiet(&course), ("hello\n".into(), String::new()), "nothing is said");
        assert_eq!(course.calls(), 1, "cargo is called though nothing changed");
    }
    let deciding = [
        "crates/lab/src/main.rs",
        "crates/lab/Cargo.toml",
        "Cargo.toml",
        "Cargo.lock",
        "target/start/start",
        ".cargo/config.toml",
        "rust-toolchain.toml",
    ];
    for (k, file) in deciding.iter().enumerate() {
        course.age("target/start/lab.stamp", 20);
        if !course.path(file).exists() {
            course.put(file, "");
        }
        course.age(file, 10);
        quiet(&course);
        assert_eq!(course.calls(), k + 2, "{file} is newer, but cargo is not called");
        quiet(&course);
        assert_eq!(course.calls(), k + 2, "{file} was built");
        course.age(file, 100);
    }
    let calls = course.calls();
    fs::remove_file(course.path("target/debug/lab")).unwrap();
    quiet(&course);
    fs::remove_file(course.path("target/debug/lab.d")).unwrap();
    quiet(&course);
    assert_eq!(course.calls(), calls + 2, "a program or a list that is missing is built");
    fs::remove_file(course.path("crates/lab/src/main.rs")).unwrap();
    quiet(&course);
    assert_eq!(course.calls(), calls + 3, "a source that is gone is a change");
}

#[test]
fn what_is_saved_during_a_build_is_built_at_the_next_call() {
    let course = Course::new("during", "touch crates/lab/src/main.rs", "");
    course.run(&[]);
    course.run(&[]);
    assert_eq!(course.calls(), 2);
}

#[test]
fn a_failed_build_shows_cargos_whole_error_and_its_exit_code_and_runs_nothing() {
    let error = "error[E0425]: cannot find value `x` in this scope\n --> src/main.rs:3:5\n  |\n\
                 3 |     x\n  |     ^\n\n\
                 error: could not compile `lab` (bin \"lab\") due to 1 previous error\n";
    let fails = format!("{BUILDS}\ncat error >&2; [ -e fixed ] || exit 101");
    let course = Course::new("fails", &fails, "echo hello");
    course.put("error", error);
    for call in 1..3 {
        let output = course.run(&[]);
        assert_eq!(output.status.code(), Some(101));
        assert_eq!(text(&output.stdout), "");
        let said = text(&output.stderr);
        assert!(said.contains(error), "{said}");
        assert!(!said.contains("Compiling simt") && !said.contains("Built in"), "{said}");
        assert_eq!(course.calls(), call, "a failed build is tried again");
    }
    course.put("fixed", "");
    assert!(course.run(&[]).status.success());
}

#[test]
fn arguments_exit_codes_and_signals_are_passed_through() {
    let show = r#"printf '<%s>' "$@"; [ "$1" = die ] && kill -9 $$; exit 42"#;
    let course = Course::new("passes", "", show);
    for _ in 0..2 {
        let output = course.run(&["run", "a b", "--json", ""]);
        assert_eq!(text(&output.stdout), "<run><a b><--json><>");
        assert_eq!(output.status.code(), Some(42));
    }
    use std::os::unix::process::ExitStatusExt;
    assert_eq!(course.run(&["die"]).status.signal(), Some(9));
}

#[test]
fn a_cargo_that_cannot_be_run_is_an_error() {
    let course = Course::new("none", "", "");
    let output = course.start(&[]).env("CARGO", course.path("nothing")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("error: cargo cannot be run"),
        "{}",
        text(&output.stderr)
    );
    fs::write(course.path("cargo"), "#!/bin/sh\n").unwrap();
    let output = course.run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("error: cargo built no "), "{}", text(&output.stderr));
}
