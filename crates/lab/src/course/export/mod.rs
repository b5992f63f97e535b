//! `cargo lab export`: what instructors hand out and deploy.

use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use grading::Lab;
use grading::overlay::write;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::args::ExportArgs;
use super::{App, say};

mod pack;

/// What Gradescope runs; `{lab}` is the lab's name.
const GRADESCOPE: [(&str, &str); 3] = [
    ("setup.sh", include_str!("files/setup.sh")),
    ("run_autograder", include_str!("files/run_autograder")),
    ("judge", include_str!("files/judge")),
];
/// How a program of macOS begins.
const MACH_O: [u8; 4] = [0xcf, 0xfa, 0xed, 0xfe];
/// What Classroom 50 runs.
const CLASSROOM50: &str = include_str!("files/classroom50.yml");

impl App {
    /// Writes what was asked for.
    pub(super) fn export(&self, args: &ExportArgs, out: &mut dyn Write) -> Result<u8, String> {
        let lab = args.lab.as_deref().map(|name| self.lab(name)).transpose()?;
        match (&args.gradescope, &args.dir, lab) {
            (Some(file), _, Some(lab)) => {
                let archive = self.autograder(lab)?;
                std::fs::write(file, archive).map_err(|e| format!("{}: {e}", file.display()))?;
                let text = format!(
                    "wrote {}: upload it as the autograder of a programming assignment for {}\n",
                    file.display(),
                    lab.id
                );
                say(out, &text)?;
            }
            (_, Some(dir), lab) => {
                self.new_folder(dir)?;
                args.binary.iter().try_for_each(|program| is_program(program))?;
                self.pack(dir)?;
                for program in &args.binary {
                    put_program(program, dir)?;
                }
                if let Some(lab) = lab.filter(|_| args.classroom50) {
                    let workflow = CLASSROOM50.replace("{lab}", lab.id);
                    write(&dir.join(".github/workflows/classroom50.yml"), &workflow)?;
                }
                let text = format!("wrote {}: its README.md says how to begin\n", dir.display());
                say(out, &text)?;
            }
            _ => return Err("export: name a folder for the pack".into()),
        }
        Ok(0)
    }

    /// Gradescope's archive: its two scripts, the judge's, and a pack, which has no solution. Of
    /// the class' rules it has the exercises that do not count: Gradescope knows who is late.
    fn autograder(&self, lab: &Lab) -> Result<Vec<u8>, String> {
        let left_out = self.class_rules()?.left_out;
        let dir = self.place.state_dir().join("export");
        let _ = std::fs::remove_dir_all(&dir);
        self.pack(&dir)?;
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let mut put = |name: &str, bytes: &[u8], mode: u32| {
            let options = SimpleFileOptions::default().unix_permissions(mode);
            let done = zip.start_file(name, options).map_err(|e| e.to_string());
            done.and_then(|()| zip.write_all(bytes).map_err(|e| e.to_string()))
                .map_err(|e| format!("{name}: {e}"))
        };
        for (name, text) in GRADESCOPE {
            put(name, text.replace("{lab}", lab.id).as_bytes(), 0o755)?;
        }
        for (name, bytes) in pack::packed(&dir)? {
            put(&format!("course/{name}"), &bytes, 0o644)?;
        }
        put("course/course.toml", rules_there(&left_out).as_bytes(), 0o644)?;
        let _ = std::fs::remove_dir_all(&dir);
        Ok(zip.finish().map_err(|e| e.to_string())?.into_inner())
    }

    /// Refuses a folder that has something in it, or that lies where a pack would hold itself.
    fn new_folder(&self, dir: &Path) -> Result<(), String> {
        if std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(format!("{}: the folder is not empty", dir.display()));
        }
        for lab in &self.labs {
            self.solution_dir_exists(lab)?;
        }
        let failed = |e| format!("{}: {e}", dir.display());
        let dir_itself = place_of(dir).map_err(failed)?;
        let root = self.place.root.canonicalize().map_err(failed)?;
        // `target` is not copied, so a pack there does not contain itself.
        let within = |folder: &Path| dir_itself.starts_with(folder);
        if within(&root) && !within(&root.join("target")) {
            return Err(format!("{}: the pack must lie outside the course", dir.display()));
        }
        Ok(())
    }
}

/// The rules that go along with Gradescope's archive.
fn rules_there(left_out: &[String]) -> String {
    format!("left_out = {left_out:?}\n")
}

/// The one name of a folder that may not be there yet, without `..` and links.
fn place_of(dir: &Path) -> std::io::Result<PathBuf> {
    let absolute = std::path::absolute(dir)?;
    for above in absolute.ancestors() {
        if let Ok(real) = above.canonicalize() {
            let rest = absolute.strip_prefix(above).unwrap_or(Path::new(""));
            return Ok(real.join(rest));
        }
    }
    Ok(absolute)
}

/// Refuses what is no program, or is not called `lab`, before anything is written.
fn is_program(program: &Path) -> Result<(), String> {
    let mut begin = [0; 4];
    let read = std::fs::File::open(program).and_then(|mut file| file.read_exact(&mut begin));
    read.map_err(|e| format!("{}: {e}", program.display()))?;
    let known = begin.starts_with(b"\x7fELF") || begin.starts_with(b"MZ") || begin == MACH_O;
    let called = program.file_stem().is_some_and(|stem| stem == "lab");
    if !known || !called {
        return Err(format!(
            "{}: this is no program called lab: build one with `cargo build --release -p lab`",
            program.display()
        ));
    }
    Ok(())
}

/// Copies a program into the pack's folder, with the right to run it.
fn put_program(program: &Path, dir: &Path) -> Result<(), String> {
    let to = dir.join(program.file_name().unwrap_or_default());
    if to.exists() {
        return Err(format!("--binary: two programs are called {}", to.display()));
    }
    std::fs::copy(program, &to).map_err(|e| format!("{}: {e}", to.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use grading::rules::Rules;

    use super::*;

    #[test]
    fn a_folder_beside_another_is_not_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let course = dir.path().canonicalize().unwrap().join("course");
        std::fs::create_dir(&course).unwrap();
        let beside = place_of(&course.join("../pack/new")).unwrap();
        assert_eq!(beside, course.parent().unwrap().join("pack/new"));
        assert!(place_of(&course.join("../course/pack")).unwrap().starts_with(&course));
    }

    #[test]
    fn exercises_that_do_not_count_are_left_out_there_too() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("course.toml");
        let left_out = ["1.1.8".to_string(), "2.1.10".to_string()];
        write(&file, &rules_there(&left_out)).unwrap();
        let read = Rules::read(&file, super::super::LABS).unwrap();
        assert_eq!(read, Rules { left_out: left_out.to_vec(), ..Rules::default() });
    }

    /// What another machine will run is at least what that machine reads.
    #[test]
    fn scripts_and_settings_have_no_mistake_of_form() {
        for (name, text) in GRADESCOPE {
            assert!(
                text.starts_with("#!/usr/bin/env bash\n") && text.contains("set -euo pipefail")
            );
            let check = Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn();
            let Ok(mut check) = check else {
                println!("skipped: bash is not installed");
                return;
            };
            check.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
            assert!(check.wait().unwrap().success(), "{name}");
        }
        assert!(GRADESCOPE[2].1.contains("grade {lab} ") && CLASSROOM50.contains("grade {lab} "));
        let settings = include_str!("../../../../../.devcontainer/devcontainer.json");
        assert!(serde_json::from_str::<serde_json::Value>(settings).unwrap()["image"].is_string());
    }
}
