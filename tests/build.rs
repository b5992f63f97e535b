//! Finds the labs, the folders below `solutions/`: lists their handlers in `solutions.rs`, and
//! turns every host mutant and lazy submission into a module in `mutants.rs`, so that one program
//! can serve them all.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "../crates/grading/src/mutant.rs"]
#[allow(dead_code, unused_qualifications)]
mod mutant;

#[path = "../crates/grading/src/region.rs"]
#[allow(dead_code)]
mod region;

use mutant::Mutant;

fn main() {
    if let Err(error) = generate() {
        // cargo shows this as the reason why the build script failed.
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn generate() -> Result<(), String> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(|e| e.to_string())?);
    let out = PathBuf::from(env::var("OUT_DIR").map_err(|e| e.to_string())?);
    println!("cargo::rerun-if-changed=../crates/grading/src/mutant.rs");
    println!("cargo::rerun-if-changed=../crates/grading/src/region.rs");
    println!("cargo::rerun-if-changed=../solutions");
    let mut modules = String::new();
    let mut arms = String::new();
    let mut hosts = String::new();
    for solution in labs(&here.join("../solutions"))? {
        let lab = solution.file_name().unwrap_or_default().to_string_lossy().replace('-', "_");
        let _ = writeln!(hosts, "    all.add({lab}::host::handlers());");
        let host = mutant::load(&solution)?.into_iter().filter(Mutant::is_host);
        // Of a lazy submission all host code of its exercise is the skeleton's.
        let lazy = mutant::load_lazy(&solution)?.into_iter();
        let lazy = lazy.filter(|l| l.root().is_some() || solution.join(l.own_root()).is_file());
        for mutant in host.chain(lazy) {
            let name = mutant.name();
            let dir = out.join("mutants").join(&name);
            let root = match write_module(&mutant, &solution, &dir) {
                Ok(root) => root,
                // The test of the mutants fails and says so; the solutions can be tested all the
                // same.
                Err(error) => {
                    println!("cargo::warning={error}");
                    continue;
                }
            };
            let _ = writeln!(
                modules,
                "#[path = {:?}]\n#[allow(warnings, clippy::all, clippy::undocumented_unsafe_blocks)]\npub mod {name};",
                root.display().to_string()
            );
            let _ = writeln!(
                arms,
                "        {name:?} => {lab}::handlers_{}!(crate::mutants::{name}).into(),",
                mutant.key
            );
        }
    }
    let solutions = format!(
        "/// Adds the handlers of all labs' solutions.\n\
         pub fn add_solutions(all: &mut Handlers) {{\n{hosts}}}\n"
    );
    put(&out.join("solutions.rs"), &solutions)?;
    let mutants = format!(
        "{modules}\n/// The handlers of a host mutant's exercise, over its module.\n\
         pub fn handlers(name: &str) -> Option<super::Handlers> {{\n    \
         Some(match name {{\n{arms}        _ => return None,\n    }})\n}}\n"
    );
    put(&out.join("mutants.rs"), &mutants)
}

/// The folders in `solutions`, in order.
fn labs(solutions: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(solutions).map_err(|e| format!("{}: {e}", solutions.display()))?;
    let mut labs: Vec<_> = entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect();
    labs.sort();
    Ok(labs)
}

/// Writes the exercise's root module and the files below it, changed; returns the root's path.
fn write_module(mutant: &Mutant, solution: &Path, dir: &Path) -> Result<PathBuf, String> {
    let read = |rel: &str| {
        let path = solution.join(rel);
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        if mutant.lazy { region::skeleton(&text, region::comment_of(rel)) } else { Ok(text) }
    };
    let changed = mutant.apply(read)?;
    let place = format!("mutant {} of {}", mutant.id, mutant.exercise);
    let own = mutant.own_root();
    let root = match mutant.root() {
        None if mutant.lazy => own.as_str(),
        root => root.ok_or_else(|| format!("{place}: no Rust file"))?,
    };
    let mut files = vec![root.to_string()];
    // `x/mod.rs` has its parts beside it, `x.rs` in the folder `x`.
    let parts = root.strip_suffix("/mod.rs").or(root.strip_suffix(".rs")).unwrap_or(root);
    for entry in fs::read_dir(solution.join(parts)).into_iter().flatten().flatten() {
        let rel = format!("{parts}/{}", entry.file_name().to_string_lossy());
        if rel.ends_with(".rs") && rel != root {
            files.push(rel);
        }
    }
    for rel in changed.keys().filter(|rel| rel.ends_with(".rs")) {
        if !files.contains(rel) {
            return Err(format!(
                "{place}: {rel} is not part of the module {root}: name its `module`"
            ));
        }
    }
    for rel in &files {
        let text = match changed.get(rel) {
            Some(text) => text.clone(),
            None => read(rel)?,
        };
        put(&dir.join(rel), &text)?;
    }
    Ok(dir.join(root))
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    }
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
