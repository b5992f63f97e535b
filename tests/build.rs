//! Finds the labs, the folders below `solutions/`: lists their handlers in `solutions.rs`, and
//! turns every host mutant and lazy submission into a module in `mutants.rs`, so that one program
//! can serve them all. What `cargo lab dev new` writes becomes modules of two small programs and of
//! the tests.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "../crates/grading/src/mutant.rs"]
#[allow(dead_code, unused_qualifications)]
mod mutant;

#[path = "../crates/grading/src/region.rs"]
#[allow(dead_code)]
mod region;

#[path = "../crates/lab/src/dev/stub.rs"]
#[allow(dead_code, unused_qualifications)]
mod stub;

use mutant::Mutant;
use stub::{Kind, Place, Stub};

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
                "#[path = {:?}]\n#[allow(warnings, clippy::all, \
                 clippy::undocumented_unsafe_blocks)]\npub mod {name};",
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
    put(&out.join("mutants.rs"), &mutants)?;
    stubs(&out.join("stubs"))
}

/// Writes new exercises of all kinds: their checks for the tests, and what their host programs are
/// made of, with a module for each mutant.
fn stubs(out: &Path) -> Result<(), String> {
    println!("cargo::rerun-if-changed=../crates/lab/src/dev");
    let kinds = [
        (Kind::Kernel, "1.2.91", "e1_2_91"),
        (Kind::Host, "1.1.91", "e1_1_91"),
        (Kind::Design, "4.91", "e4_91"),
    ];
    let mut checks = String::new();
    for (kind, number, key) in kinds {
        let stub = Stub { kind, number: number.into(), key: key.into(), title: "A new one".into() };
        let files = stub.files();
        let text = |place| files.iter().find(|(p, _)| *p == place).map(|(_, text)| text.as_str());
        let module = |name: &str, file: &str, text: &str| {
            let path = out.join(key).join(file);
            put(&path, text)?;
            Ok::<String, String>(format!("#[path = {path:?}]\npub mod {name};\n"))
        };
        checks += &module(key, "checks.rs", text(Place::Checks).unwrap_or_default())?;
        let (Some(handlers), Some(source)) = (text(Place::Handlers), text(Place::Source)) else {
            continue;
        };
        let mut program = format!(
            "#[macro_use]\nmod host {{\n    pub(crate) use super::Handler;\n    #[macro_use]\n    \
             {}}}\n",
            module(key, "handlers.rs", handlers)?
        );
        let mut arms = String::new();
        program += &module("solution", "solution.rs", source)?;
        for mutant in mutant::parse(key, text(Place::Mutants).unwrap_or_default())? {
            let rel = format!("src/{key}.rs");
            let changed = mutant.apply(|file| {
                let place = if file == rel { Place::Source } else { Place::Kernel };
                Ok(text(place).unwrap_or_default().to_string())
            })?;
            if let Some(text) = changed.get(&rel) {
                let name = mutant.name();
                program += &module(&name, &format!("{name}.rs"), text)?;
                let _ = writeln!(arms, "        {name:?} => handlers_{key}!(crate::{name}),");
            }
        }
        let _ = writeln!(
            program,
            "/// The handlers over the solution, or over a mutant of it.\n\
             fn handlers(mutant: &str) -> Vec<(&'static str, Handler)> {{\n    \
             match mutant {{\n{arms}        _ => handlers_{key}!(crate::solution),\n    }}\n}}"
        );
        put(&out.join(format!("{key}.rs")), &program)?;
    }
    put(&out.join("checks.rs"), &checks)
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
