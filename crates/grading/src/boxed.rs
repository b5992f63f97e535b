//! Strangers' host code: compiled and run inside of the sandbox.
//!
//! Cargo is never let near it. A [`Workshop`] lets cargo build the lab once, with the skeletons,
//! and notes how it calls the compiler for the lab's own crate. For a submission the same calls are
//! made again inside of the sandbox, on its files, into a folder of its own. So the crates below
//! the lab are compiled once, no lock is shared, and what a source names (`include_str!`,
//! `#[path]`, `env!`) is looked for in its own files and the given ones only.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use hdl::UseError;
use sandbox::{Done, Ended, FAR, Limits, Sandbox, Stream, Walls};
use serde::{Deserialize, Serialize};
use wire::device::Driver;

use crate::Finding;

/// Names the file in which a compiler call is noted, in the environment of a wrapper of the
/// compiler.
pub(crate) const RECORD: &str = "LAB_RECORD_RUSTC";
/// Time for one crate of a submission, by a [`sandbox::Meter`].
pub(crate) const COMPILE_TIME: Duration = Duration::from_secs(120);
/// Time for a run of an outside program; GHDL takes a second or two for the solutions.
const TOOL_TIME: Duration = Duration::from_secs(20);

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
pub(crate) struct Call {
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
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
    pub(crate) stage: PathBuf,
    /// The program of the judge's device.
    pub(crate) device: PathBuf,
    pub(crate) walls: Walls,
    pub(crate) compiler: PathBuf,
    pub(crate) calls: Vec<Call>,
    /// Folder of the workspace in which cargo was watched.
    pub(crate) template: PathBuf,
    /// Where cargo put the compiled crates.
    pub(crate) built: PathBuf,
    /// The compiled crates that the lab needs, and no others.
    pub(crate) crates: PathBuf,
    /// The toolchain and what else the compiler reads.
    pub(crate) tools: Vec<PathBuf>,
    /// What the compiler calls the host program.
    pub(crate) bin: String,
}

impl Workshop {
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
        crate::cargo::refused(why, &said)
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
        // What is compiled here runs for a few checks and never again.
        args.extend(["-C".into(), "opt-level=0".into()]);
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

    /// Runs an outside program in `folder`, the one that it may write; what it printed.
    pub(crate) fn tool(
        &self,
        folder: &Path,
        tool: &str,
        words: &[&str],
    ) -> Result<String, UseError> {
        let fault = |what: &str| UseError(format!("{tool} {}:{what}", words.join(" ")));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program = std::env::split_paths(&path)
            .map(|dir| dir.join(tool))
            .find(|file| file.is_file())
            .ok_or_else(|| fault(" it is not installed"))?;
        let mut read = self.shop.tools.clone();
        // What GHDL was made of lies beside it, wherever that is.
        let parts = program.ancestors().nth(2).map(|prefix| prefix.join("lib").join(tool));
        read.extend(parts.into_iter().chain([program.clone()]));
        let limits = Limits {
            time: TOOL_TIME,
            wall: TOOL_TIME * FAR,
            address_space: 4 << 30,
            memory: 1 << 30,
            ..Limits::default()
        };
        let mut sandbox = self.shop.sandbox(folder, read, folder, limits);
        sandbox.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let done = sandbox.run(&program, &words);
        let said = |stream: &Stream| String::from_utf8_lossy(&stream.bytes).into_owned();
        match done.ended {
            Ended::Exit(0) => Ok(said(&done.stdout)),
            Ended::Time => Err(fault(" it did not end in time")),
            Ended::Memory => Err(fault(" it took too much memory")),
            Ended::Disk => Err(fault(" it wrote too much")),
            Ended::Processes => Err(fault(" it started too many processes")),
            _ => {
                let words = said(&done.stdout) + &said(&done.stderr);
                Err(fault(&format!("\n{}", crate::cargo::cut(&words))))
            }
        }
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
