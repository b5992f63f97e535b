//! Long tests that passed before. A test is a function of its inputs: the bytes of its own program,
//! the files that it reads, some variables, the machine. If it passed with the same inputs before,
//! it says so and does not run again, as `go test` does.
//!
//! What passed is kept in the folder that the variable `TESTS_KEPT` names: a file for each name,
//! with the digest of the inputs, so that the folder does not grow. Without the variable, as in
//! `.ci/run`, every test runs. A failure is never kept, and a test that skips something must not
//! say that it passed.
//!
//! ```text
//! let inputs = kept::Inputs::of_this_program().path("solutions/lab1-cuda-intro".as_ref());
//! let Some(due) = kept::due("solutions of lab 1", inputs) else { return };
//! // ... asserts ...
//! due.passed();
//! ```
//!
//! [`once!`] is the same in one line, for a test that needs no other files.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Once, OnceLock};

use features as _;
use twox_hash::XxHash3_128;

/// The folder of results.
const FOLDER: &str = "TESTS_KEPT";

/// What a program says that leaves tests out.
const SAYS: &str = "(long tests that passed before with the same inputs do not run again; \
                    `TESTS_KEPT= cargo test` runs them all)";

/// Beginnings of the names of variables that change what a test does.
const VARIABLES: [&str; 16] = [
    "BLESS",
    "CI",
    "CORPUS",
    "COURSE_",
    "CUDA_",
    "HDL_TOOLS",
    "LAB_",
    "OCL_",
    "PATH",
    "POCL_",
    "PROPTEST_",
    "RAYON_",
    "RTM_",
    "RUST",
    "SIMT_",
    "ZOO",
];

/// What decides how a test ends, as a digest.
#[derive(Clone)]
pub struct Inputs(XxHash3_128);

impl Inputs {
    /// The running program, the variables that programs of the course read, the machine (its
    /// kernel, the first processor's features, a driver of GPUs), and the user, who may do more or
    /// less.
    pub fn of_this_program() -> Inputs {
        static ONCE: OnceLock<Inputs> = OnceLock::new();
        ONCE.get_or_init(Inputs::read).clone()
    }

    fn read() -> Inputs {
        let mut inputs = Inputs(XxHash3_128::new());
        if let Ok(program) = env::current_exe() {
            inputs = inputs.path(&program);
        }
        let mut variables: Vec<(String, String)> = env::vars_os()
            .map(|(name, value)| [name, value].map(|word| word.to_string_lossy().into_owned()))
            .map(|[name, value]| (name, value))
            .filter(|(name, _)| VARIABLES.iter().any(|start| name.starts_with(start)))
            .collect();
        variables.sort();
        for (name, value) in variables {
            inputs = inputs.text(&name).text(&value);
        }
        let lines = |file: &str, start: &str| {
            let text = fs::read_to_string(file).unwrap_or_default();
            text.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_string()
        };
        inputs
            .text(&lines("/proc/version", ""))
            .text(&lines("/proc/cpuinfo", "flags"))
            .text(&lines("/proc/driver/nvidia/version", ""))
            .text(&lines("/proc/self/status", "Uid:"))
    }

    /// XXH3 of all of it, 128 bits in hexadecimal digits.
    pub fn digest(&self) -> String {
        format!("{:032x}", self.0.finish_128())
    }

    /// Adds a word.
    #[must_use]
    pub fn text(self, text: &str) -> Inputs {
        self.part(text.as_bytes())
    }

    /// Adds what a file holds, or a folder: names and contents of all files below it. What cannot
    /// be read is as if it were not there.
    #[must_use]
    pub fn path(mut self, path: &Path) -> Inputs {
        let Ok(entries) = fs::read_dir(path) else {
            let bytes = fs::read(path).ok();
            return self
                .text(if bytes.is_some() { "file" } else { "nothing" })
                .part(&bytes.unwrap_or_default());
        };
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        self = self.text("folder").part(&names.len().to_le_bytes());
        for name in names {
            self = self.text(&name.to_string_lossy()).path(&path.join(name));
        }
        self
    }

    /// Adds an outside program as it is found now: where it lies, its length, and when it was
    /// installed.
    #[must_use]
    pub fn tool(self, name: &str) -> Inputs {
        let path = env::var_os("PATH").unwrap_or_default();
        let found = env::split_paths(&path).find_map(|folder| {
            let file = folder.join(name);
            let meta = fs::metadata(&file).ok()?;
            Some(format!("{} {} {:?}", file.display(), meta.len(), meta.modified().ok()))
        });
        self.text(name).text(&found.unwrap_or_default())
    }

    /// Adds the machine's libraries that this process has loaded by now, as those of a driver are
    /// once a device is open: where they lie, their lengths, and when they were installed. (What is
    /// loaded from elsewhere was made here.)
    #[must_use]
    pub fn loaded(self) -> Inputs {
        self.of_maps(&fs::read_to_string("/proc/self/maps").unwrap_or_default())
    }

    /// The same by what Linux says is mapped.
    fn of_maps(self, maps: &str) -> Inputs {
        let files: BTreeSet<&str> = maps
            .lines()
            .filter_map(|line| line.find('/').map(|at| &line[at..]))
            .filter(|file| ["/usr/", "/lib", "/opt/"].iter().any(|start| file.starts_with(start)))
            .collect();
        files.into_iter().fold(self.text("loaded"), |inputs, file| {
            let meta = fs::metadata(file).map(|meta| (meta.len(), meta.modified().ok()));
            inputs.text(&format!("{file} {:?}", meta.ok()))
        })
    }

    /// A part with its length, so that two parts are never the same as two others.
    fn part(mut self, bytes: &[u8]) -> Inputs {
        self.0.write(&(bytes.len() as u64).to_le_bytes());
        self.0.write(bytes);
        self
    }
}

/// A test that must run.
#[must_use = "say that it passed, or it runs each time"]
pub struct Due {
    /// Where its result is kept, and the digest.
    keep: Option<(PathBuf, String)>,
}

/// The test `name` if it must run; nothing if it passed before with the same inputs. The first time
/// standard error says so, of each test its captured output.
pub fn due(name: &str, inputs: Inputs) -> Option<Due> {
    let folder = env::var_os(FOLDER).filter(|folder| !folder.is_empty());
    due_in(folder.map(PathBuf::from).as_deref(), name, inputs)
}

fn due_in(folder: Option<&Path>, name: &str, inputs: Inputs) -> Option<Due> {
    let Some(folder) = folder else { return Some(Due { keep: None }) };
    let digest = inputs.text(name).digest();
    let file: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let file = folder.join(file);
    if fs::read(&file).is_ok_and(|kept| kept == digest.as_bytes()) {
        eprintln!("kept: {name}");
        static SAID: Once = Once::new();
        // Not `eprintln`, which a test shows only when it fails.
        SAID.call_once(|| drop(writeln!(io::stderr(), "{SAYS}")));
        return None;
    }
    Some(Due { keep: Some((file, digest)) })
}

impl Due {
    /// Keeps that it passed. What cannot be kept runs again.
    pub fn passed(self) {
        let Some((file, digest)) = self.keep else { return };
        let _ = file.parent().map(fs::create_dir_all);
        let _ = fs::write(file, digest);
    }
}

/// A test that passes if it ends without a panic.
pub struct Passing(Option<Due>);

impl Passing {
    /// The test that must run.
    #[must_use]
    pub fn new(due: Due) -> Passing {
        Passing(Some(due))
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        if let Some(due) = self.0.take().filter(|_| !std::thread::panicking()) {
            due.passed();
        }
    }
}

/// At the beginning of a test that nothing decides but its program, and the files that are named:
/// returns if it passed before. If the rest ends without a panic, that is kept. After `loaded;` the
/// libraries decide, too, that have been [loaded](Inputs::loaded) before.
#[macro_export]
macro_rules! once {
    (@ $inputs:expr, $($file:expr),*) => {
        let inputs = $inputs$(.path($file.as_ref()))*;
        // The closure's type has the test's name in it.
        let Some(due) = $crate::due(std::any::type_name_of_val(&|| ()), inputs) else { return };
        let _passing = $crate::Passing::new(due);
    };
    (loaded; $($file:expr),*) => {
        $crate::once!(@ $crate::Inputs::of_this_program().loaded(), $($file),*);
    };
    ($($file:expr),*) => {
        $crate::once!(@ $crate::Inputs::of_this_program(), $($file),*);
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passed_runs_again_when_an_input_changes() {
        let dir = tempfile::tempdir().unwrap();
        let (kept, files) = (dir.path().join("kept"), dir.path().join("files"));
        fs::create_dir_all(files.join("inner")).unwrap();
        fs::write(files.join("inner/a"), "1").unwrap();
        let inputs = || Inputs::of_this_program().path(&files);
        let must_run = |inputs| due_in(Some(&kept), "t::x", inputs);

        assert!(must_run(inputs()).is_some());
        assert!(must_run(inputs()).is_some(), "nobody said that it passed");
        must_run(inputs()).unwrap().passed();
        assert!(must_run(inputs()).is_none());
        assert!(due_in(None, "t::x", inputs()).is_some(), "nothing is kept");
        assert!(due_in(Some(&kept), "t::y", inputs()).is_some(), "another test");
        assert!(due_in(Some(&kept), "t_:x", inputs()).is_some(), "one with the same file");

        let changed: [&dyn Fn(); 4] = [
            &|| fs::write(files.join("inner/a"), "2").unwrap(),
            &|| fs::write(files.join("inner/b"), "").unwrap(),
            &|| fs::rename(files.join("inner"), files.join("other")).unwrap(),
            &|| fs::remove_dir_all(&files).unwrap(),
        ];
        for change in changed {
            change();
            must_run(inputs()).expect("a file has changed").passed();
            assert!(must_run(inputs()).is_none());
        }
        assert!(must_run(inputs().text("and")).is_some());
        assert!(must_run(inputs().tool("sh")).is_some());
    }

    #[test]
    fn a_panic_is_not_kept() {
        let dir = tempfile::tempdir().unwrap();
        let test = |fails: bool| {
            let due = due_in(Some(dir.path()), "t", Inputs::of_this_program());
            let Some(due) = due else { return true };
            let _passing = Passing::new(due);
            assert!(!fails);
            false
        };
        assert!(std::panic::catch_unwind(|| test(true)).is_err());
        assert!(!test(false), "it failed before");
        assert!(test(true), "it passed before");
    }

    /// A copy of this program writes its inputs to the file that this variable names.
    const COPY: &str = "KEPT_TEST_COPY";

    #[test]
    fn another_program_or_variable_is_another_input() {
        if let Some(file) = env::var_os(COPY) {
            return fs::write(file, Inputs::of_this_program().digest()).unwrap();
        }
        let dir = tempfile::tempdir().unwrap();
        let (copy, said) = (dir.path().join("copy.exe"), dir.path().join("said"));
        fs::copy(env::current_exe().unwrap(), &copy).unwrap();
        let digest = |name: &str, value: &str| {
            let this = "tests::another_program_or_variable_is_another_input";
            let mut command = std::process::Command::new(&copy);
            command.args(["--exact", this]).env(COPY, &said).env(name, value);
            assert!(command.output().unwrap().status.success());
            fs::read_to_string(&said).unwrap()
        };
        let first = digest("TERM", "dumb");
        assert_eq!(digest("TERM", "linux"), first, "no test looks at it");
        assert_ne!(digest("LAB_GPU", "h100"), first);
        let bytes = fs::read(&copy).unwrap();
        fs::write(&copy, [&bytes[..], b"."].concat()).unwrap();
        assert_ne!(digest("TERM", "dumb"), first);
    }

    #[test]
    fn libraries_of_the_machine_decide_and_what_was_made_here_does_not() {
        let digest = |maps: &str| Inputs(XxHash3_128::new()).of_maps(maps).digest();
        let line = |file: &str| format!("7f00-7fff r-xp 00000000 08:01 42    {file}\n");
        let (sh, made) = (line("/usr/bin/env"), line("/home/u/.cache/pocl/kernel.so"));
        assert_ne!(digest(&sh), digest(""));
        assert_ne!(digest(&(sh.clone() + &line("/usr/bin/false"))), digest(&sh));
        assert_eq!(digest(&(sh.clone() + &made + &sh + "7f00-7fff rw-p 0 00:00 0\n")), digest(&sh));
    }

    /// Two words are not one, and a file is not a folder.
    #[test]
    fn parts_are_kept_apart() {
        let digest = |inputs: Inputs| inputs.digest();
        let none = || Inputs(XxHash3_128::new());
        assert_ne!(digest(none().text("ab").text("c")), digest(none().text("a").text("bc")));
        let dir = tempfile::tempdir().unwrap();
        let empty = digest(none().path(dir.path()));
        let file = dir.path().join("file");
        assert_ne!(empty, digest(none().path(&file)));
        fs::write(&file, "").unwrap();
        assert_ne!(empty, digest(none().path(&file)));
    }
}
