//! What all submissions of a batch need is compiled once: cargo builds the lab with its skeletons,
//! and its calls of the compiler are noted.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use sandbox::Protection;
use serde_json::Value;

use crate::boxed::{Call, RECORD, Workshop};
use crate::cargo::Build;
use crate::scratch::Scratch;
use crate::watch::{Doing, tell};
use crate::{Lab, Place};

/// Where a compiler finds the linker.
const TOOLS: [&str; 5] =
    ["/usr/bin", "/bin", "/usr/libexec", "/etc/alternatives", "/usr/local/bin"];

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
