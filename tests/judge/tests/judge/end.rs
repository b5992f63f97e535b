//! How a batch ends: what is left of it, what it takes, and where it runs. The judge is a process
//! of its own here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use grading::submission::Record;
use grading::{Lab, overlay};

use crate::memory::{assert_small, measured};
use crate::{JUDGE, inputs, place};

const LAB: Lab = lab1_checks::LAB;
/// Between two looks at the list of all processes, which is long.
const LOOK: Duration = Duration::from_millis(100);
/// Longest wait for what must come.
const LONG: Duration = Duration::from_secs(280);

/// A folder of submissions and one of results.
struct Class {
    dir: tempfile::TempDir,
}

impl Class {
    fn new() -> Class {
        Class { dir: tempfile::tempdir().unwrap() }
    }

    /// The solution, with code at the beginning of `best_of`.
    fn submit(&self, name: &str, code: &str) {
        let solution = place().solution_dir(&LAB);
        let rel = "src/e1_1_05.rs";
        let text = overlay::read(&solution, rel).unwrap().replacen("// <lab\n", code, 1);
        let changed = BTreeMap::from([(rel.to_string(), text)]);
        overlay::overlay(&LAB, &solution, &changed, &self.folder(name)).unwrap();
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.dir.path().join("submissions").join(name).join(LAB.package)
    }

    fn said(&self) -> PathBuf {
        self.dir.path().join("said")
    }

    fn records(&self, output: &Output) -> Vec<Record> {
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        serde_json::from_slice(&fs::read(self.said()).unwrap()).unwrap()
    }

    /// The judge, started by `prefix`.
    fn judge(&self, prefix: &[&str], keys: &[&str]) -> Command {
        let words: Vec<&str> = prefix.iter().copied().chain([JUDGE]).collect();
        let mut command = Command::new(words[0]);
        let place = place();
        command.args(&words[1..]).arg(place.root).arg(place.target);
        command.arg(self.dir.path().join("submissions")).arg(self.dir.path().join("results"));
        command.arg("300").args(keys).stderr(Stdio::piped());
        // Not a pipe: nobody reads it while the judge runs.
        command.stdout(fs::File::create(self.said()).unwrap());
        // One that is killed leaves its temporary files.
        let temporary = self.dir.path().join("tmp");
        fs::create_dir_all(&temporary).unwrap();
        command.env("TMPDIR", temporary);
        command
    }
}

/// A process: its number and when it began, which no other one has; the number of its parent; its
/// name.
#[derive(Debug)]
struct Process {
    id: u32,
    since: u64,
    parent: u32,
    name: String,
}

impl Process {
    fn key(&self) -> (u32, u64) {
        (self.id, self.since)
    }
}

fn processes() -> Vec<Process> {
    let one = |id: u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        // Who is dead and not asked for yet does nothing any more.
        (fields[0] != "Z").then_some(())?;
        let (parent, since) = (fields[1].parse().ok()?, fields[19].parse().ok()?);
        Some(Process { id, since, parent, name: name.to_string() })
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|e| one(e.file_name().to_str()?.parse().ok()?)).collect()
}

/// What a process has started, and what that has.
fn started_by(judge: &Child) -> Vec<Process> {
    let mut all = processes();
    let mut below = Vec::new();
    let mut next = vec![judge.id()];
    while let Some(parent) = next.pop() {
        let (of_it, others) = all.into_iter().partition(|p| p.parent == parent);
        all = others;
        let of_it: Vec<Process> = of_it;
        next.extend(of_it.iter().map(|p| p.id));
        below.extend(of_it);
    }
    below
}

/// Waits until a student's program runs; all that the judge has started by then. Other batches may
/// come first, and what is compiled takes its time, so the judge's own limits are the only ones.
fn until_it_runs(class: &Class, judge: &mut Child) -> Vec<Process> {
    loop {
        let below = started_by(judge);
        if below.iter().any(|p| p.name.starts_with("lab1_host")) {
            return below;
        }
        if let Some(status) = judge.try_wait().unwrap() {
            let mut said = String::new();
            let _ = judge.stderr.take().unwrap().read_to_string(&mut said);
            let result = fs::read_to_string(class.said()).unwrap_or_default();
            panic!("the judge ended too soon, {status}: {said}{result}");
        }
        std::thread::sleep(LOOK);
    }
}

/// Waits until none of these is there.
fn until_gone(them: &BTreeSet<(u32, u64)>, what: &str) {
    let since = Instant::now();
    while processes().iter().any(|p| them.contains(&p.key())) {
        assert!(since.elapsed() < LONG, "{what}");
        std::thread::sleep(LOOK);
    }
}

fn kill(signal: &str, id: u32) {
    let done = Command::new("kill").args([signal, &id.to_string()]).status();
    assert!(done.is_ok_and(|status| status.success()));
}

/// True if this machine has the sandbox; says so if not.
fn protected() -> bool {
    let protection = sandbox::probe(Path::new(JUDGE));
    let Some(why) = protection.refusal() else { return true };
    eprintln!("skipped: {why}");
    assert!(std::env::var_os("CI").is_none(), "{why}");
    false
}

/// Runs until there is a file `go` in the folder of the collected submission.
const WAIT: &str = r#"// <lab
    let kernels = std::env::var("LAB_KERNELS").unwrap();
    let own = std::path::Path::new(kernels.split(':').next().unwrap()).parent().unwrap();
    while !own.join("go").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
"#;

#[test]
fn a_judge_that_is_killed_leaves_nothing_and_a_worker_that_is_killed_costs_one_check() {
    if !protected() {
        return;
    }
    let Some(due) = kept::due("killed judge", inputs(&LAB)) else { return };
    let class = Class::new();
    class.submit("ann", WAIT);
    // A shell that starts the tests in the background has them ignore Ctrl-C, as all that they
    // start.
    let heeds = ["env", "--default-signal=INT"];
    for (signal, number) in [("-KILL", 9), ("-INT", 2)] {
        let mut judge = class.judge(&heeds, &["e1_1_05"]).spawn().unwrap();
        let below: BTreeSet<_> =
            until_it_runs(&class, &mut judge).iter().map(Process::key).collect();
        assert!(below.len() >= 4, "a worker, two stages, a program: {below:?}");
        kill(signal, judge.id());
        assert_eq!(judge.wait().unwrap().signal(), Some(number), "{signal}");
        until_gone(&below, &format!("left after {signal}"));
    }
    // The worker alone, once when several checks run, which are run again, and once when one does:
    // that one is lost.
    let mut judge = class.judge(&[], &["e1_1_05"]).spawn().unwrap();
    for _ in 0..2 {
        let below = until_it_runs(&class, &mut judge);
        let worker = below.iter().find(|p| p.parent == judge.id()).unwrap();
        kill("-KILL", worker.id);
        until_gone(&BTreeSet::from([worker.key()]), "the worker was killed");
    }
    // The third worker's programs need not wait.
    until_it_runs(&class, &mut judge);
    fs::write(place().state_dir().join("grade/lab1/0/submission/go"), "").unwrap();
    let records = class.records(&judge.wait_with_output().unwrap());
    let checks = &records[0].result.exercises[0].checks;
    let failed: Vec<String> =
        checks.iter().filter_map(|c| Some(c.finding()?.to_string())).collect();
    let want = "not gradable: the part of the judge that graded this ended by signal 9";
    assert!(failed.iter().all(|f| f == want) && failed.len() <= 2, "{failed:?}");
    assert!(!failed.is_empty() && failed.len() < checks.len(), "{failed:?}");
    due.passed();
}

#[test]
fn the_judge_stays_small_whatever_is_handed_in() {
    if !protected() {
        return;
    }
    let Some(due) = kept::due("memory of the judge", inputs(&LAB)) else { return };
    let class = Class::new();
    let kernel = |name: &str, body: &str| {
        let text = format!(
            "__device__ char big[1 << 30];\n\
             extern \"C\" __global__ void add_kernel(int *c, const int *a, const int *b)\n\
             {{\n    // <lab\n{body}\n    // lab>\n}}\n"
        );
        overlay::write(&class.folder(name).join("kernels/e1_1_01.cu"), &text).unwrap();
    };
    let store =
        "    for (long k = threadIdx.x; k < (1 << 30) / 512; k += blockDim.x) big[k * 512] = 1;";
    kernel("array", store);
    kernel("nesting", &format!("    c[0] = {}1{};", "(".repeat(100_000), ")".repeat(100_000)));
    kernel(
        "words",
        &"    int yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; undeclared_name = 1;\n".repeat(15_000),
    );
    let (output, peaks) = measured(|| class.judge(&[], &["e1_1_01"]).output().unwrap());
    let records = class.records(&output);
    assert!(records.iter().all(|r| r.result.earned.0 == 0 && !r.result.grader_at_fault()));
    assert!(peaks.contains_key("supervisor") && peaks.contains_key("worker"), "{peaks:?}");
    assert_small(&peaks);
    // It is the limit that kept it small.
    let array = records.iter().find(|r| r.name == "array").unwrap();
    let text = grading::report::lab_text(&array.result, grading::report::Paint(false), true);
    assert!(text.contains("variables take more than 256 MB of device memory"), "{text}");
    due.passed();
}

/// A number that no user of a machine has.
const ORDINARY: u32 = 61234;
/// Exit code of a prefix that this machine does not have.
const NOT_HERE: i32 = 77;
/// Becomes the ordinary user, whose are what cargo writes for lab 1 in the target folder and
/// `$STATE` in place of the state in it; for whom the home folder of the tests' user is open, where
/// the toolchain may be. All of that is a layer in `$LAYERS` over what is there, seen by nobody
/// else, and gone when the judge ends.
const AS_ORDINARY: &str = r#"
    over() {
        mkdir -p "$LAYERS/$1/upper" "$LAYERS/$1/work"
        mount -t overlay overlay "$2" \
            -o "lowerdir=$2,upperdir=$LAYERS/$1/upper,workdir=$LAYERS/$1/work,metacopy=on"
    }
    { over home "$HOME" && chmod 755 "$HOME" && over target "$TARGET" && cd "$TARGET" &&
        chown "$ORDINARY" . debug debug/.cargo-lock debug/.fingerprint debug/* "$STATE" &&
        chown -Rh "$ORDINARY" debug/.fingerprint/lab1* debug/*/*lab1* &&
        cd - > /dev/null && mount --bind "$STATE" "$TARGET/lab"; } || exit 77
    exec setpriv --reuid "$ORDINARY" --regid "$ORDINARY" --clear-groups -- "$0" "$@"
"#;

/// As a user who is not root, by itself and in a user namespace that gives nothing.
#[test]
fn it_works_as_an_ordinary_user() {
    let Some(due) = kept::due("ordinary user", inputs(&LAB)) else { return };
    let class = Class::new();
    class.submit("ann", "// <lab\n");
    let folder = |name: &str| {
        let path = class.dir.path().join(name);
        fs::create_dir_all(&path).unwrap();
        path
    };
    let (results, state, temporary) = (folder("results"), folder("state"), folder("tmp"));
    fs::set_permissions(class.dir.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let given = [&results, &temporary].map(|path| chown(path, Some(ORDINARY), Some(ORDINARY)));
    if given.iter().any(Result::is_err) {
        return eprintln!("skipped: only root can become another user");
    }
    let place = place();
    // Below a layer nothing may change: no other batch builds.
    let of_others = ["lab1", "lab2", "lab3", "lab4"].map(|lab| {
        let path = place.state_dir().join("grade").join(lab).join("lock");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = fs::File::create(path).unwrap();
        file.lock().unwrap();
        file
    });
    let ordinary = ["unshare", "-m", "sh", "-c", AS_ORDINARY];
    for inside in [&[][..], &["unshare", "-U", "--"]] {
        let mut judge = class.judge(&[&ordinary[..], inside].concat(), &["e1_1_05"]);
        judge.env("LAYERS", folder("layers")).env("TARGET", &place.target).env("STATE", &state);
        judge.env("ORDINARY", ORDINARY.to_string());
        let output = judge.output().unwrap();
        if output.status.code() == Some(NOT_HERE) {
            return eprintln!("skipped: {}", String::from_utf8_lossy(&output.stderr));
        }
        let records = class.records(&output);
        let text =
            grading::report::lab_text(&records[0].result, grading::report::Paint(false), true);
        assert!(records[0].result.done(), "{inside:?}: {text}");
        eprintln!("{inside:?}: {:?}", records[0].result.protection);
        for entry in fs::read_dir(&results).unwrap().map(Result::unwrap) {
            assert_eq!(entry.metadata().unwrap().uid(), ORDINARY, "{:?}", entry.path());
            fs::remove_file(entry.path()).unwrap();
        }
    }
    drop(of_others);
    due.passed();
}

/// In a user namespace without privileges, which stands in for a container: with namespaces of its
/// own, and where there are none.
#[test]
fn it_works_in_a_container() {
    let Some(due) = kept::due("container", inputs(&LAB)) else { return };
    let mut skipped = false;
    let class = Class::new();
    class.submit("ann", "// <lab\n");
    class.submit("bob", "    assert!(std::fs::read(\"/etc/passwd\").is_err());\n// <lab\n");
    let user = ["unshare", "-U", "--map-user=1000", "--map-group=1000", "--"];
    let none = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\"";
    let without = ["unshare", "-U", "--map-root-user", "--", "sh", "-c", none];
    for prefix in [&user[..], &without[..]] {
        let words = [prefix, &["true"]].concat();
        let works = Command::new(words[0]).args(&words[1..]).status().is_ok_and(|s| s.success());
        if !works {
            eprintln!("skipped: {} does not work", prefix.join(" "));
            skipped = true;
            continue;
        }
        let _ = fs::remove_dir_all(class.dir.path().join("results"));
        let records = class.records(&class.judge(prefix, &["e1_1_05"]).output().unwrap());
        let protection: BTreeSet<_> =
            records.iter().map(|r| r.result.protection.clone().unwrap()).collect();
        eprintln!("{}: {protection:?}", prefix.join(" "));
        assert_eq!(protection.iter().any(|p| p.contains("mount namespace")), prefix == user);
        for record in &records {
            let text =
                grading::report::lab_text(&record.result, grading::report::Paint(false), true);
            assert!(record.result.done(), "{text}");
        }
    }
    if !skipped {
        due.passed();
    }
}
