//! Strangers' host code: compiled and run inside of the sandbox.
//!
//! Cargo is never let near it. A [`Workshop`] lets cargo build the lab once, with the skeletons,
//! and notes how it calls the compiler for the lab's own crate. For a submission the same calls are
//! made again inside of the sandbox, on its files, into a folder of its own. So the crates below
//! the lab are compiled once, no lock is shared, and what a source names (`include_str!`,
//! `#[path]`, `env!`) is looked for in its own files and the given ones only.

use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sandbox::{Done, Ended, FAR, Limits, Protection, Sandbox, Walls};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wire::device::Driver;

use crate::host::Build;
use crate::scratch::Scratch;
use crate::watch::{Doing, tell};
use crate::{Class, Finding, Lab, Place};

/// Names the file in which a compiler call is noted, in the environment of a wrapper of the
/// compiler.
const RECORD: &str = "LAB_RECORD_RUSTC";
/// Time for one crate of a submission, by a [`sandbox::Meter`].
pub(crate) const COMPILE_TIME: Duration = Duration::from_secs(120);
/// Where a compiler finds the linker.
const TOOLS: [&str; 5] =
    ["/usr/bin", "/bin", "/usr/libexec", "/etc/alternatives", "/usr/local/bin"];

/// Becomes a stage of the sandbox, the device of a host program, or a wrapper of the compiler, if
/// that is what this process was started as. Programs that grade call it first in `main`, with the
/// emulated driver that a device runs.
pub fn stage_if_asked(driver: Driver) {
    sandbox::stage_if_asked();
    wire::device::be_one_if_asked(driver);
    if let Some(file) = std::env::var_os(RECORD) {
        std::process::exit(wrap(Path::new(&file)));
    }
}

/// One call of the compiler.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Call {
    args: Vec<String>,
    env: Vec<(String, String)>,
}

/// How far the compiler optimises a submission, given how the lab's own build calls it. What is
/// compiled here runs for a few checks and never again: little for labs whose host code computes,
/// nothing for the others.
fn level(args: &[String]) -> u8 {
    let fast = args.iter().any(|word| ["opt-level=2", "opt-level=3"].contains(&word.as_str()));
    u8::from(fast)
}

/// Notes a call of the compiler and makes it; the result is its exit code.
fn wrap(file: &Path) -> i32 {
    let mut words = std::env::args().skip(1);
    let Some(compiler) = words.next() else { return 2 };
    let args: Vec<String> = words.collect();
    let ours = |name: &str| {
        name.starts_with("CARGO_PKG_")
            || name.starts_with("CARGO_MANIFEST_")
            || ["CARGO_CRATE_NAME", "CARGO_BIN_NAME", "CARGO_PRIMARY_PACKAGE"].contains(&name)
    };
    if args.iter().any(|a| a == "--out-dir") {
        let env = std::env::vars().filter(|(name, _)| ours(name)).collect();
        let noted = serde_json::to_string(&Call { args: args.clone(), env })
            .map_err(std::io::Error::from)
            .and_then(|line| {
                let mut file = fs::OpenOptions::new().create(true).append(true).open(file)?;
                file.write_all((line + "\n").as_bytes())
            });
        if let Err(e) = noted {
            eprintln!("{}: {e}", file.display());
            return 2;
        }
    }
    let status = Command::new(compiler).args(args).env_remove(RECORD).status();
    status.ok().and_then(|s| s.code()).unwrap_or(2)
}

/// What protects a batch, and how its host programs are compiled.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Workshop {
    stage: PathBuf,
    /// The program of the judge's device.
    device: PathBuf,
    walls: Walls,
    compiler: PathBuf,
    calls: Vec<Call>,
    /// Folder of the workspace in which cargo was watched.
    template: PathBuf,
    /// Where cargo put the compiled crates.
    built: PathBuf,
    /// The compiled crates that the lab needs, and no others.
    crates: PathBuf,
    /// The toolchain and what else the compiler reads.
    tools: Vec<PathBuf>,
    /// What the compiler calls the host program.
    bin: String,
}

impl Workshop {
    /// Lets cargo build the lab with its skeletons in `dir`. `stage` is a program whose `main`
    /// begins with [`stage_if_asked`].
    ///
    /// # Errors
    /// If this machine does not protect enough, with what to do; if the lab cannot be built.
    pub fn new(
        place: &Place,
        lab: &Lab,
        dir: &Path,
        stage: &Path,
        protection: &Protection,
    ) -> Result<Workshop, String> {
        let Some(walls) = protection.walls.filter(|_| protection.refusal().is_none()) else {
            return Err(refusal(protection));
        };
        let template = dir.join("template");
        let failed = |what: &str| {
            let what = what.to_string();
            move |e: std::io::Error| format!("{what}: {e}")
        };
        let _ = fs::remove_dir_all(&template);
        let scratch = Scratch::new(place, lab, &template)?;
        for rel in lab.files() {
            let text = place.skeleton(lab, rel)?;
            crate::overlay::write(&scratch.lab_dir().join(rel), &text)?;
        }
        let record = template.join("rustc.jsonl");
        let mut build = scratch.build();
        build.keep = None;
        let mut command = build.command();
        command.env("RUSTC_WORKSPACE_WRAPPER", stage).env(RECORD, &record);
        let since = Instant::now();
        let output = building::run(&mut command, &mut |event| {
            tell(&Doing::Building { bin: lab.host_bin, since, event });
        });
        tell(&Doing::Built);
        let output = output.map_err(failed("cargo"))?;
        if !output.status.success() {
            let text = output.words;
            return Err(format!("{} does not build with its skeletons:\n{text}", lab.id));
        }
        let noted = fs::read_to_string(&record).map_err(failed("the compiler's calls"))?;
        let calls: Vec<Call> = noted
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()
            .map_err(|e| format!("{}: {e}", record.display()))?;
        let device = match place.device(lab) {
            Some(build) => {
                build.of_the_course().map_err(|f| format!("{}\n{}", f.message, f.details))?
            }
            None => stage.to_path_buf(),
        };
        let sysroot = sysroot(&build)?;
        let crates = dir.join("crates");
        let _ = fs::remove_dir_all(&crates);
        fs::create_dir_all(&crates).map_err(failed("compiled crates"))?;
        gather(&output.stdout, lab.package, &crates)?;
        let mut words = calls.iter().flat_map(|c| &c.args).skip_while(|w| *w != "--out-dir");
        let built = words.nth(1).map(PathBuf::from).ok_or("cargo did not compile the lab")?;
        let mut tools: Vec<PathBuf> = TOOLS.iter().map(PathBuf::from).collect();
        tools.push(sysroot.clone());
        for arg in calls.iter().flat_map(|c| &c.args) {
            if let Some(path) = arg.strip_prefix("native=") {
                tools.push(path.into());
            }
        }
        Ok(Workshop {
            stage: stage.to_path_buf(),
            device,
            walls,
            compiler: sysroot.join("bin/rustc"),
            calls,
            template,
            built,
            crates,
            tools,
            bin: lab.host_bin.replace('-', "_"),
        })
    }

    /// A sandbox that starts in `dir`.
    fn sandbox(&self, dir: &Path, read: Vec<PathBuf>, write: &Path, limits: Limits) -> Sandbox {
        Sandbox {
            stage: self.stage.clone(),
            walls: self.walls,
            read,
            write: vec![write.to_path_buf()],
            dir: dir.to_path_buf(),
            env: Vec::new(),
            limits,
        }
    }
}

/// Why strangers' code is not run here, and what to do.
pub fn refusal(protection: &Protection) -> String {
    format!(
        "this machine does not protect itself from the submissions' code:\n{}\n\
         With --trust they are graded without protection, with the rights of whoever grades.",
        protection.refusal().unwrap_or_default()
    )
}

/// The folder of the toolchain that builds this workspace.
fn sysroot(build: &Build) -> Result<PathBuf, String> {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler)
        .args(["--print", "sysroot"])
        .current_dir(&build.workspace)
        .output()
        .map_err(|e| format!("rustc: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if text.is_empty() { Err("rustc does not say where it is".into()) } else { Ok(text.into()) }
}

/// Links the compiled crates that cargo names into `to`, but those of `package`.
fn gather(messages: &[u8], package: &str, to: &Path) -> Result<(), String> {
    let own = package.replace('-', "_");
    for line in messages.split(|b| *b == b'\n') {
        let Ok(message) = serde_json::from_slice::<Value>(line) else { continue };
        let name = message["target"]["name"].as_str().unwrap_or_default().replace('-', "_");
        if message["reason"] != "compiler-artifact" || name == own {
            continue;
        }
        let files = message["filenames"].as_array().into_iter().flatten();
        for file in files.filter_map(|f| f.as_str()).map(Path::new) {
            let library = file
                .extension()
                .is_some_and(|e| ["rlib", "rmeta", "so", "dylib"].iter().any(|known| e == *known));
            let (true, Some(name)) = (library, file.file_name()) else { continue };
            let link = to.join(name);
            let _ = fs::remove_file(&link);
            fs::hard_link(file, &link)
                .or_else(|e| match e.kind() {
                    // A copy onto another name of the same file would empty it.
                    ErrorKind::AlreadyExists => Err(e),
                    _ => fs::copy(file, &link).map(drop),
                })
                .map_err(|e| format!("{}: {e}", link.display()))?;
        }
    }
    Ok(())
}

/// A submission's host program: how it is made, and in what it runs.
#[derive(Clone, Debug)]
pub struct Boxed {
    shop: Arc<Workshop>,
    /// The workspace with the submission's files.
    bench: PathBuf,
    /// Files that the program may read.
    read: Vec<PathBuf>,
    /// Where the compiler writes.
    out: PathBuf,
}

impl Boxed {
    /// The host program of the workspace in `bench`; its kernels are read from the folders `read`,
    /// too.
    pub fn new(shop: Arc<Workshop>, bench: &Path, read: Vec<PathBuf>) -> Boxed {
        Boxed { shop, bench: bench.to_path_buf(), read, out: bench.join("out") }
    }

    /// Where the program is, once it was compiled.
    pub fn program(&self) -> PathBuf {
        self.out.join(&self.shop.bin)
    }

    /// Compiles it, each of its crates within `time`; how much time, by a [`sandbox::Meter`], all
    /// of them took. Fails, as not gradable, with the compiler's text.
    pub fn build(&self, time: Duration) -> (Result<PathBuf, Finding>, Duration) {
        let mut spent = Duration::ZERO;
        (self.build_all(time, &mut spent), spent)
    }

    fn build_all(&self, time: Duration, spent: &mut Duration) -> Result<PathBuf, Finding> {
        let _ = fs::remove_dir_all(&self.out);
        fs::create_dir_all(&self.out)
            .map_err(|e| Finding::grader(format!("{}: {e}", self.out.display())))?;
        for call in &self.shop.calls {
            let done = self.compile(call, time);
            *spent += done.spent;
            let said = String::from_utf8_lossy(&done.stderr.bytes);
            let why = match done.ended {
                Ended::Exit(0) => continue,
                Ended::Lost(why) => return Err(Finding::grader(format!("the compiler: {why}"))),
                Ended::Exit(_) => None,
                Ended::Time => {
                    Some(format!("the compiler did not end within {} s", time.as_secs()))
                }
                Ended::Memory => Some("the compiler took too much memory".into()),
                Ended::Disk => Some("the compiler wrote too much".into()),
                Ended::Processes => Some("the compiler started too many threads".into()),
                Ended::Signal(number) => Some(format!("the compiler ended by signal {number}")),
            };
            return Err(self.refused(why, &said));
        }
        let program = self.program();
        let made = fs::symlink_metadata(&program).is_ok_and(|data| data.is_file());
        if !made {
            return Err(Finding::grader(format!("the compiler made no {}", self.shop.bin)));
        }
        make_executable(&program)?;
        Ok(program)
    }

    fn refused(&self, why: Option<String>, said: &str) -> Finding {
        // The folder of the build differs from machine to machine; reports must not.
        let said = said.replace(&format!("{}/", self.bench.display()), "");
        let why = why.unwrap_or_else(|| {
            said.lines().find(|l| l.starts_with("error")).unwrap_or("see below").to_string()
        });
        let place = said.lines().find_map(|l| l.trim().strip_prefix("--> "));
        let place = place.map(|p| format!(" at {p}")).unwrap_or_default();
        let message = format!("the host code does not compile: {why}{place}");
        Finding::new(Class::NotGradable, message).details(crate::host::cut(&said))
    }

    fn compile(&self, call: &Call, time: Duration) -> Done {
        let shop = &*self.shop;
        let template = shop.template.display().to_string();
        let bench = self.bench.display().to_string();
        let mut args: Vec<OsString> = Vec::new();
        let mut words = call.args.iter().peekable();
        let is_program = call.args.windows(2).any(|w| w[0] == "--crate-type" && w[1] == "bin");
        while let Some(word) = words.next() {
            let next = words.peek().map_or("", |w| w.as_str());
            // Messages are for people, not for cargo; nothing is kept between builds; the program
            // has its plain name; it is compiled for one class and looked at by no debugger.
            let left_out = match word.as_str() {
                "--out-dir" => true,
                "-C" => {
                    ["incremental=", "opt-level=", "debuginfo="].iter().any(|p| next.starts_with(p))
                        || (is_program && next.starts_with("extra-filename="))
                }
                _ => false,
            };
            if left_out {
                words.next();
                continue;
            }
            let for_cargo = ["--error-format=", "--json=", "--diagnostic-width=", "--color="];
            if for_cargo.iter().any(|p| word.starts_with(p)) {
                continue;
            }
            args.push(self.moved(word).replace(&template, &bench).into());
        }
        args.extend(["-C".into(), format!("opt-level={}", level(&call.args)).into()]);
        args.extend(["--color=never".into(), "--out-dir".into(), self.out.clone().into()]);
        // What an earlier call made.
        let mut own = OsString::from("dependency=");
        own.push(&self.out);
        args.extend(["-L".into(), own]);
        let mut read = shop.tools.clone();
        read.push(shop.crates.clone());
        read.extend(self.lab_dirs());
        let limits = Limits {
            time,
            wall: time * FAR,
            cpu: COMPILE_TIME.as_secs(),
            address_space: 16 << 30,
            memory: 3 << 30,
            processes: 256,
            file_size: 512 << 20,
            disk: 1 << 30,
            open_files: 1024,
            stdout: 0,
            stderr: 1 << 20,
        };
        let mut sandbox = shop.sandbox(&self.bench, read, &self.out, limits);
        let env = call.env.iter();
        sandbox.env = env.map(|(n, v)| (n.into(), v.replace(&template, &bench).into())).collect();
        sandbox.env.push(("PATH".into(), "/usr/bin:/bin".into()));
        sandbox.env.push(("TMPDIR".into(), self.out.clone().into()));
        sandbox.run(&shop.compiler, &args)
    }

    /// A word of the compiler's command line with the compiled crates where they are now.
    fn moved(&self, word: &str) -> String {
        let built = self.shop.built.display().to_string();
        let Some(at) = word.find(&built) else { return word.to_string() };
        let (before, after) = (&word[..at], &word[at + built.len()..]);
        let name = after.trim_start_matches('/');
        let there = name.is_empty() || self.shop.crates.join(name).exists();
        let folder = if there { &self.shop.crates } else { &self.out };
        format!("{before}{}{after}", folder.display())
    }

    fn lab_dirs(&self) -> impl Iterator<Item = PathBuf> {
        let entries = fs::read_dir(&self.bench).into_iter().flatten().filter_map(Result::ok);
        let out = self.out.clone();
        entries
            .map(|e| e.path())
            .filter(move |path| *path != out && path.join("Cargo.toml").is_file())
    }

    /// The program of the judge that is started as the program's device.
    pub fn judge(&self) -> &Path {
        &self.shop.device
    }

    /// Files that its kernels may include, too.
    pub fn roots(&self) -> Vec<PathBuf> {
        self.lab_dirs().chain(self.read.iter().cloned()).collect()
    }

    /// Runs the program in `scratch`, the one folder that it may write, with the channel to the
    /// device's process as its input. Its environment is `env` and no more. The device's time is
    /// its own.
    #[cfg(unix)]
    pub fn run(
        &self,
        program: &Path,
        (channel, device): (std::os::fd::OwnedFd, u32),
        scratch: &Path,
        env: Vec<(OsString, OsString)>,
        limits: &crate::limits::Limits,
    ) -> Done {
        let mut read = vec![program.to_path_buf()];
        read.extend(self.lab_dirs());
        read.extend(self.read.iter().cloned());
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        let limits = Limits {
            time: limits.time,
            wall: limits.time * FAR,
            cpu: limits.time.as_secs().max(1),
            address_space: limits.memory,
            memory: limits.memory.min(3 << 30),
            // The emulator has a thread for each core.
            processes: 64 + 4 * cores,
            // A pair of sockets holds half a megabyte of the kernel's, which is nobody's.
            open_files: 64,
            file_size: 256 << 20,
            disk: 512 << 20,
            stderr: 1 << 20,
            stdout: 0,
        };
        let mut sandbox = self.shop.sandbox(&scratch.join("work"), read, scratch, limits);
        sandbox.env = env;
        sandbox.run_on(program, &[], channel, &[device])
    }
}

/// Where modes of files cannot be changed inside of the sandbox, the linker's program has none yet.
#[cfg_attr(not(unix), allow(unused_variables))]
fn make_executable(program: &Path) -> Result<(), Finding> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(program, PermissionsExt::from_mode(0o755))
            .map_err(|e| Finding::grader(format!("{}: {e}", program.display())))?;
    }
    Ok(())
}
