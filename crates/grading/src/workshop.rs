//! What all submissions of a batch need is compiled once: cargo builds the lab with its skeletons,
//! and its calls of the compiler are noted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use sandbox::Protection;
use serde_json::Value;

use crate::boxed::{Call, RECORD, Workshop};
use crate::overlay;
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
        let mut built = watched(place, lab, &template, stage)?;
        if built.1.is_none() {
            // What cargo found built was noted elsewhere, or never.
            fs::remove_dir_all(&template).map_err(failed("the template"))?;
            built = watched(place, lab, &template, stage)?;
        }
        let (stdout, Some(calls)) = built else {
            return Err("cargo did not compile the lab".into());
        };
        let device = match place.device(lab) {
            Some(build) => {
                build.of_the_course().map_err(|f| format!("{}\n{}", f.message, f.details))?
            }
            None => stage.to_path_buf(),
        };
        let sysroot = sysroot(&template)?;
        let crates = dir.join("crates");
        let _ = fs::remove_dir_all(&crates);
        fs::create_dir_all(&crates).map_err(failed("compiled crates"))?;
        gather(&stdout, lab.package, &crates)?;
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

/// Lets cargo build the lab with its skeletons in `template`, unless it is built; what cargo said,
/// and how it called the compiler for the lab's library and for its host program, if that was
/// noted, now or when it was built.
fn watched(
    place: &Place,
    lab: &Lab,
    template: &Path,
    stage: &Path,
) -> Result<(Vec<u8>, Option<Vec<Call>>), String> {
    let scratch = Scratch::new(place, lab, template)?;
    for rel in lab.files() {
        scratch.put(rel, &place.skeleton(lab, rel)?)?;
    }
    let mut build = scratch.build();
    build.keep = None;
    let record = template.join("rustc.jsonl");
    let mut command = build.command();
    command.env("RUSTC_WRAPPER", stage).env(RECORD, &record);
    let since = Instant::now();
    let output = building::run(&mut command, &mut |event| {
        tell(&Doing::Building { bin: lab.host_bin, since, event });
    });
    tell(&Doing::Built);
    let output = output.map_err(|e| format!("cargo: {e}"))?;
    if !output.status.success() {
        let text = output.words;
        return Err(format!("{} does not build with its skeletons:\n{text}", lab.id));
    }
    let noted = fs::read_to_string(&record).unwrap_or_default();
    let noted: Vec<Call> = noted.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
    let calls = calls_of(&noted, lab.package, &output.stdout);
    Ok((output.stdout, calls))
}

/// Of the noted calls the last for the library that cargo says is built now, and the last for a
/// program with it.
fn calls_of(noted: &[Call], package: &str, stdout: &[u8]) -> Option<Vec<Call>> {
    let own = package.replace('-', "_");
    let library = artifacts(stdout).find(|(name, file)| *name == own && is_library(file))?.1;
    let hash = library.file_stem()?.to_str()?.strip_prefix("lib")?.strip_prefix(&own)?;
    let last = |fits: &dyn Fn(&str) -> bool| {
        noted.iter().rfind(|call| call.args.iter().any(|word| fits(word))).cloned()
    };
    let of_library = last(&|word| word == format!("extra-filename={hash}"))?;
    let of_program = last(&|word| {
        let linked = word.strip_prefix(&own).and_then(|rest| rest.strip_prefix('='));
        linked.is_some_and(|path| Path::new(path).file_stem() == library.file_stem())
    })?;
    Some(vec![of_library, of_program])
}

/// The crates that cargo names, with the underscores of the compiler, and their files.
fn artifacts(stdout: &[u8]) -> impl Iterator<Item = (String, PathBuf)> {
    stdout
        .split(|b| *b == b'\n')
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact")
        .flat_map(|message| {
            let name = message["target"]["name"].as_str().unwrap_or_default().replace('-', "_");
            let files = message["filenames"].as_array().cloned().unwrap_or_default();
            files.into_iter().filter_map(move |f| Some((name.clone(), f.as_str()?.into())))
        })
}

/// Whether another crate is compiled or linked with the file.
fn is_library(file: &Path) -> bool {
    let known = ["rlib", "rmeta", "so", "dylib"];
    file.extension().is_some_and(|e| known.iter().any(|known| e == *known))
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
fn sysroot(workspace: &Path) -> Result<PathBuf, String> {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler)
        .args(["--print", "sysroot"])
        .current_dir(workspace)
        .output()
        .map_err(|e| format!("rustc: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if text.is_empty() { Err("rustc does not say where it is".into()) } else { Ok(text.into()) }
}

/// Links the compiled crates that cargo names into `to`, but those of `package`.
fn gather(stdout: &[u8], package: &str, to: &Path) -> Result<(), String> {
    let own = package.replace('-', "_");
    for (name, file) in artifacts(stdout) {
        let (false, true, Some(file_name)) = (name == own, is_library(&file), file.file_name())
        else {
            continue;
        };
        let to = to.join(file_name);
        let _ = fs::remove_file(&to);
        overlay::link(&file, &to)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_noted_calls_the_last_for_what_is_built_count() {
        let library = |hash: &str| vec!["-C".into(), format!("extra-filename=-{hash}")];
        let program =
            |hash: &str| vec!["--extern".into(), format!("lab_x=/d/liblab_x-{hash}.rlib")];
        let call =
            |(args, n): (Vec<String>, usize)| Call { args, env: vec![("N".into(), n.to_string())] };
        let words = [library("2"), program("2"), library("22"), program("22"), program("2")];
        let noted: Vec<Call> = words.into_iter().zip(0..).map(call).collect();
        let said = |hash: &str| {
            format!(
                "not JSON\n{{\"reason\":\"compiler-artifact\",\"target\":{{\"name\":\"lab-x\"}},\
                 \"filenames\":[\"/d/liblab_x-{hash}.rlib\",\"/d/liblab_x-{hash}.rmeta\"]}}\n"
            )
        };
        let chosen = |noted: &[Call], hash: &str| {
            let calls = calls_of(noted, "lab-x", said(hash).as_bytes())?;
            Some(calls.iter().map(|c| c.env[0].1.clone()).collect::<String>())
        };
        assert_eq!(chosen(&noted, "2").as_deref(), Some("04"));
        assert_eq!(chosen(&noted, "22").as_deref(), Some("23"));
        assert_eq!(chosen(&noted, "3"), None);
        assert_eq!(chosen(&noted[..1], "2"), None);
    }
}
