//! How a batch ends: what is left of it, what it takes, and where it runs. The judge is a process
//! of its own here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use grading::submission::Record;
use grading::{Lab, overlay};

use crate::{JUDGE, place};

const LAB: Lab = lab1_checks::LAB;
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
        command
    }
}

/// A process: number, number of its parent, name.
fn processes() -> Vec<(u32, u32, String)> {
    let one = |id: u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
        let mut fields = rest.split_whitespace();
        // Who is dead and not asked for yet does nothing any more.
        let state = fields.next()?;
        (state != "Z").then_some(())?;
        Some((id, fields.next()?.parse().ok()?, name.to_string()))
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|e| one(e.file_name().to_str()?.parse().ok()?)).collect()
}

/// What a process has started, and what that has, with names.
fn started_by(judge: &Child) -> BTreeMap<u32, String> {
    let all = processes();
    let mut below = BTreeMap::new();
    let mut next = vec![judge.id()];
    while let Some(parent) = next.pop() {
        for (id, _, name) in all.iter().filter(|(_, of, _)| *of == parent) {
            below.insert(*id, name.clone());
            next.push(*id);
        }
    }
    below
}

/// Waits until a student's program runs; all that the judge has started by then.
fn until_it_runs(judge: &mut Child) -> BTreeMap<u32, String> {
    let since = Instant::now();
    loop {
        let below = started_by(judge);
        if below.values().any(|name| name.starts_with("lab1_host")) {
            return below;
        }
        if let Some(status) = judge.try_wait().unwrap() {
            let mut said = String::new();
            let _ = judge.stderr.take().unwrap().read_to_string(&mut said);
            panic!("the judge ended too soon, {status}: {said}");
        }
        assert!(since.elapsed() < LONG, "no student's program runs: {below:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn kill(signal: &str, id: u32) {
    let done = Command::new("kill").args([signal, &id.to_string()]).status();
    assert!(done.is_ok_and(|status| status.success()));
}

/// True if the sandbox can be had; says so if not.
fn protected() -> bool {
    let protection = sandbox::probe(Path::new(JUDGE));
    let Some(why) = protection.refusal() else { return true };
    eprintln!("skipped: {why}");
    assert!(std::env::var_os("CI").is_none(), "{why}");
    false
}

const SLEEP: &str = "// <lab\n    std::thread::sleep(Duration::from_secs(4));\n";

#[test]
fn a_judge_that_is_killed_leaves_nothing_and_a_worker_that_is_killed_costs_one_check() {
    if !protected() {
        return;
    }
    let class = Class::new();
    class.submit("ann", SLEEP);
    for signal in ["-KILL", "-INT"] {
        let mut judge = class.judge(&[], &["e1_1_05"]).spawn().unwrap();
        let below: BTreeSet<u32> = until_it_runs(&mut judge).into_keys().collect();
        assert!(below.len() >= 4, "a worker, two stages, a program: {below:?}");
        kill(signal, judge.id());
        judge.wait().unwrap();
        let since = Instant::now();
        while processes().iter().any(|(id, ..)| below.contains(id)) {
            assert!(since.elapsed() < Duration::from_secs(60), "left after {signal}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    // The worker alone, once when several checks run, which are run again, and once when one does:
    // that one is lost.
    let mut judge = class.judge(&[], &["e1_1_05"]).spawn().unwrap();
    for _ in 0..2 {
        until_it_runs(&mut judge);
        let of_judge = |(id, of, _): &(u32, u32, String)| (*of == judge.id()).then_some(*id);
        let worker = processes().iter().find_map(of_judge).unwrap();
        kill("-KILL", worker);
        while processes().iter().any(|(id, of, _)| *id == worker && *of == judge.id()) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let records = class.records(&judge.wait_with_output().unwrap());
    let checks = &records[0].result.exercises[0].checks;
    let failed: Vec<String> =
        checks.iter().filter_map(|c| Some(c.finding()?.to_string())).collect();
    let want = "not gradable: the part of the judge that graded this ended by signal 9";
    assert!(failed.iter().all(|f| f == want) && failed.len() <= 2, "{failed:?}");
    assert!(!failed.is_empty() && failed.len() < checks.len(), "{failed:?}");
}

#[test]
fn the_judge_stays_small_whatever_is_handed_in() {
    if !protected() {
        return;
    }
    let class = Class::new();
    let kernel = |name: &str, body: &str| {
        let text = format!(
            "__device__ char big[1 << 30];\nextern \"C\" __global__ void add_kernel(int *c, const int *a, const int *b)\n\
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
    let mut judge = class.judge(&[], &["e1_1_01"]).spawn().unwrap();
    let mut most: BTreeMap<bool, u64> = BTreeMap::new();
    while judge.try_wait().unwrap().is_none() {
        let workers = processes().into_iter().filter(|(_, of, _)| *of == judge.id());
        for id in workers.map(|(id, ..)| id).chain([judge.id()]) {
            let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kib = peak.and_then(|p| p.split_whitespace().next()?.parse::<u64>().ok());
            let most = most.entry(id == judge.id()).or_default();
            *most = kib.unwrap_or(0).max(*most);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let records = class.records(&judge.wait_with_output().unwrap());
    assert!(records.iter().all(|r| r.result.earned.0 == 0 && !r.result.grader_at_fault()));
    eprintln!(
        "most memory: {} KiB of the supervisor, {} KiB of a worker",
        most[&true], most[&false]
    );
    assert!(most[&true] < 200 << 10, "supervisor: {} KiB", most[&true]);
    assert!(most[&false] < 1000 << 10, "worker: {} KiB", most[&false]);
    // The limit itself was reached.
    assert!(most[&false] > 500 << 10, "worker: {} KiB", most[&false]);
}

/// In a user namespace without privileges, which stands in for a container: with namespaces of its
/// own, and where there are none.
#[test]
fn it_works_in_a_container() {
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
}
