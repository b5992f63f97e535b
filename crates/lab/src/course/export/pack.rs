//! The students' pack: the labs with their skeletons, the crates that they and `cargo lab` are
//! built from, and the documents that the handouts name. Nothing else: no solution, and no program
//! or test that holds what an exercise asks for.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Component, Path, PathBuf};

use grading::overlay::{read, skeletons, write};
use toml::{Table, Value};

use super::super::App;

/// The pack's README; the table of the labs is put in.
const README: &str = include_str!("files/pack.md");
/// How to have the labs built in a container.
const CONTAINERS: [(&str, &str); 2] = [
    ("Dockerfile", include_str!("files/Dockerfile")),
    // What was built outside is of no use inside, and large.
    (".dockerignore", "target\n"),
];
/// Files of the root that a pack has.
const ROOT: [&str; 8] = [
    ".devcontainer/devcontainer.json",
    ".gitattributes",
    ".cargo/config.toml",
    ".gitignore",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "REFERENCES.md",
    "rustfmt.toml",
];
/// What commands are built from, beside what the labs need: `cargo lab`, and `cargo lab libcuda`.
const NEEDED: [&str; 5] =
    ["crates/lab", "crates/building", "crates/libcuda", "crates/libnvrtc", "crates/libopencl"];
/// Folders of a crate that is no lab which nothing is built from.
const OF_CRATES: [&str; 3] = ["tests", "examples", "benches"];

impl App {
    /// Writes the pack below `dir`.
    pub(super) fn pack(&self, dir: &Path) -> Result<(), String> {
        let root = &self.place.root;
        let manifest: Table =
            read(root, "Cargo.toml")?.parse().map_err(|e| format!("Cargo.toml: {e}"))?;
        let labs: Vec<&str> = self.labs.iter().map(|lab| lab.package).collect();
        let devices = self.labs.iter().filter_map(|lab| lab.device);
        let devices: Vec<String> = devices.map(|(name, _)| format!("crates/{name}")).collect();
        let needed = NEEDED.into_iter();
        let needed = needed.chain(labs.iter().copied()).chain(devices.iter().map(String::as_str));
        let members = members(root, &manifest, needed)?;
        let handouts = labs.iter().map(|lab| read(root, &format!("{lab}/README.md")));
        let handouts = handouts.collect::<Result<String, String>>()?;
        for (package, folder) in &members {
            let lab = labs.iter().any(|lab| folder == Path::new(lab));
            copy(root, dir, folder, if lab { &["checks"] } else { &OF_CRATES })?;
            if !lab {
                let mut examples = String::new();
                for example in examples_of(&handouts, package) {
                    let file = name(&folder.join("examples").join(example).with_extension("rs"));
                    examples += &read(root, &file)?;
                    write(&dir.join(&file), &read(root, &file)?)?;
                }
                let manifest = read(root, &name(&folder.join("Cargo.toml")))?;
                let text = without_targets(&manifest, &examples);
                write(&dir.join(folder).join("Cargo.toml"), &text)?;
            }
        }
        for lab in &self.labs {
            let target = dir.join(lab.package);
            // As students get them, and a copy from which `cargo lab reset` restores.
            skeletons(&self.place, lab, &target)?;
            skeletons(&self.place, lab, &target.join(".skeleton"))?;
        }
        for file in ROOT {
            write(&dir.join(file), &read(root, file)?)?;
        }
        for (file, text) in CONTAINERS {
            write(&dir.join(file), text)?;
        }
        let row = |lab: &grading::Lab| {
            format!("| {} | [{}]({}/README.md) |\n", lab.id, lab.title, lab.package)
        };
        let rows: String = self.labs.iter().map(row).collect();
        write(&dir.join("README.md"), &README.replace("{labs}\n", &rows))?;
        let text = read(root, "Cargo.toml")?;
        let mut lock = read(root, "Cargo.lock")?;
        write(&dir.join("Cargo.lock"), &lock)?;
        write(&dir.join("Cargo.toml"), &pack_manifest(&text, &members, &labs, &lock)?)?;
        prune_lock(dir);
        lock = read(dir, "Cargo.lock")?;
        write(&dir.join("Cargo.toml"), &pack_manifest(&text, &members, &labs, &lock)?)?;
        self.documents(dir)
    }

    /// The documents that the handouts name; links to what the pack does not have become words, and
    /// pictures go.
    fn documents(&self, dir: &Path) -> Result<(), String> {
        let mut texts = Vec::new();
        below(dir, &mut |path| {
            if path.extension().is_some_and(|e| e == "md") {
                texts.push(path.to_path_buf());
            }
        })?;
        for text in &texts {
            for link in links(&fs::read_to_string(text).map_err(|e| failed(text, e))?) {
                let Some(target) = resolved(dir, text, &link) else { continue };
                let source = self.place.root.join(&target);
                let document =
                    target.starts_with("docs") && target.extension().is_some_and(|e| e == "md");
                if document && source.is_file() && !dir.join(&target).exists() {
                    write(&dir.join(&target), &read(&self.place.root, &name(&target))?)?;
                }
            }
        }
        below(&dir.join("docs"), &mut |path| texts.push(path.to_path_buf()))?;
        for text in texts {
            let before = fs::read_to_string(&text).map_err(|e| failed(&text, e))?;
            let after = without_links(&before, |link| {
                resolved(dir, &text, link).is_none_or(|target| dir.join(target).exists())
            });
            if after != before {
                write(&text, &after)?;
            }
        }
        Ok(())
    }
}

fn failed(path: &Path, e: std::io::Error) -> String {
    format!("{}: {e}", path.display())
}

/// A path of the pack as manifests write it.
fn name(path: &Path) -> String {
    path.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Name and folder of every crate of the workspace that those in these folders need, and of these.
fn members<'f>(
    root: &Path,
    manifest: &Table,
    needed: impl Iterator<Item = &'f str>,
) -> Result<BTreeMap<String, PathBuf>, String> {
    let nothing = Table::new();
    let table = |of: &Value, key: &str| of.get(key).and_then(Value::as_table).cloned();
    let ours = manifest.get("workspace").and_then(|w| table(w, "dependencies")).unwrap_or_default();
    let folder = |name: &str, own: &Path, given: &Value| -> Option<PathBuf> {
        if let Some(path) = given.get("path").and_then(Value::as_str) {
            return plain(&own.join(path));
        }
        plain(Path::new(ours.get(name)?.get("path")?.as_str()?))
    };
    let mut out = BTreeMap::new();
    let mut open: VecDeque<PathBuf> = needed.map(PathBuf::from).collect();
    for (_, patched) in manifest.get("patch").and_then(Value::as_table).unwrap_or(&nothing) {
        let patched = patched.as_table().unwrap_or(&nothing).values();
        open.extend(patched.filter_map(|p| p.get("path")?.as_str()).map(PathBuf::from));
    }
    while let Some(at) = open.pop_front() {
        let file = name(&at.join("Cargo.toml"));
        let own: Table = read(root, &file)?.parse().map_err(|e| format!("{file}: {e}"))?;
        let package = own.get("package").and_then(|p| p.get("name")).and_then(Value::as_str);
        let package = package.ok_or_else(|| format!("{file}: there is no package.name"))?;
        if out.insert(package.to_string(), at.clone()).is_some() {
            continue;
        }
        let by_target = own.get("target").and_then(Value::as_table).unwrap_or(&nothing);
        for own in by_target.values().filter_map(Value::as_table).chain([&own]) {
            for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
                let own = own.get(kind).and_then(Value::as_table).unwrap_or(&nothing);
                open.extend(own.iter().filter_map(|(name, given)| folder(name, &at, given)));
            }
        }
    }
    Ok(out)
}

/// A relative path without `..`; `None` if it leads out.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => out.push(part),
            Component::ParentDir => out.pop().then_some(())?,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(out)
}

/// Copies a crate's folder without those named in `left_out` at its top, then what a source names
/// by `include_str!` that lies there.
fn copy(root: &Path, dir: &Path, folder: &Path, left_out: &[&str]) -> Result<(), String> {
    let mut wanted = Vec::new();
    let from = root.join(folder);
    let mut copied = Vec::new();
    below(&from, &mut |path| {
        let rel = path.strip_prefix(&from).unwrap_or(path);
        if !rel
            .components()
            .next()
            .is_some_and(|top| left_out.iter().any(|l| top.as_os_str() == *l))
        {
            copied.push(path.to_path_buf());
        }
    })?;
    for path in copied {
        let bytes = fs::read(&path).map_err(|e| failed(&path, e))?;
        let mut bytes = bytes;
        if path.extension().is_some_and(|e| e == "rs") {
            let mut text = String::from_utf8_lossy(&bytes).into_owned();
            if left_out == OF_CRATES {
                text = without_tests(&text).to_string();
                bytes = text.clone().into_bytes();
            }
            let names =
                text.split("include_str!(\"").skip(1).filter_map(|rest| rest.split('"').next());
            let own =
                path.parent().and_then(|p| p.strip_prefix(root).ok()).unwrap_or(Path::new(""));
            wanted.extend(names.filter_map(|name| plain(&own.join(name))));
        }
        put(&dir.join(path.strip_prefix(root).unwrap_or(&path)), &bytes)?;
    }
    for rel in wanted.iter().filter(|rel| !dir.join(rel).exists() && root.join(rel).is_file()) {
        put(&dir.join(rel), &fs::read(root.join(rel)).map_err(|e| failed(rel, e))?)?;
    }
    Ok(())
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).and_then(|()| fs::write(path, bytes)).map_err(|e| failed(path, e))
}

/// Every file of a pack, hidden ones too, by its path from the pack's root.
pub(super) fn packed(dir: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut files = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).map_err(|e| failed(&folder, e))? {
            let path = entry.map_err(|e| failed(&folder, e))?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let bytes = fs::read(&path).map_err(|e| failed(&path, e))?;
                files.push((name(path.strip_prefix(dir).unwrap_or(&path)), bytes));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Tells `hear` every file below a folder, without hidden ones and what editors, builds and studies
/// leave. A folder that is not there has none.
fn below(dir: &Path, hear: &mut dyn FnMut(&Path)) -> Result<(), String> {
    let Ok(entries) = fs::read_dir(dir) else { return Ok(()) };
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let left = ["target", "plots"].contains(&name.as_str()) || name.starts_with('.');
        if left || name.ends_with('~') || name.contains(".orig") || path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            below(&path, hear)?;
        } else {
            hear(&path);
        }
    }
    Ok(())
}

/// A source without the unit tests at its end.
fn without_tests(text: &str) -> &str {
    let begin = ["\n#[cfg(test)]\nmod tests {\n", "\n#[cfg(test)]\npub(crate) mod tests {\n"];
    let at = begin.iter().filter_map(|begin| text.rfind(begin)).max();
    match at {
        // What is at the end is the last thing that begins at a line's begin.
        Some(at) if !text[at + 1..].trim_end().trim_end_matches('}').contains("\n}") => &text[..at],
        _ => text,
    }
}

/// The examples of a package that handouts let people run.
fn examples_of<'t>(handouts: &'t str, package: &str) -> BTreeSet<&'t str> {
    let command = format!("cargo run -p {package} --example ");
    let named = handouts.split(&command).skip(1);
    named.filter_map(|rest| rest.split([' ', '\n', '`']).next()).collect()
}

/// A manifest without the programs and tests whose files the pack does not have, and without what
/// only tests need; `examples` is the code of the examples that the pack has.
fn without_targets(manifest: &str, examples: &str) -> String {
    let absent = |block: &str| {
        let target = ["[[bin]]", "[[test]]", "[[example]]", "[[bench]]"];
        let path = block.lines().find_map(|line| line.strip_prefix("path = \""));
        let tests = block.starts_with("[dev-dependencies]") && examples.is_empty();
        let target = target.iter().any(|t| block.starts_with(t));
        tests
            || target
                && path
                    .is_some_and(|p| OF_CRATES.iter().any(|dir| p.starts_with(&format!("{dir}/"))))
    };
    let mut blocks: Vec<String> = vec![String::new()];
    for line in manifest.split_inclusive('\n') {
        if line.starts_with('[') {
            blocks.push(String::new());
        }
        blocks.last_mut().into_iter().for_each(|block| *block += line);
    }
    let kept = blocks.into_iter().filter(|block| !absent(block));
    let used = |line: &str| {
        let dependency = line.split(['.', ' ', '=']).next().unwrap_or_default().replace('-', "_");
        line.starts_with(['[', '\n']) || examples.contains(&format!("use {dependency}"))
    };
    let without_unused = |block: String| match block.starts_with("[dev-dependencies]") {
        true => block.split_inclusive('\n').filter(|line| used(line)).collect(),
        false => block,
    };
    kept.map(without_unused).collect()
}

/// The workspace of the pack's members; a plain `cargo test` runs the labs, for that is what a
/// student tests. Paths and profiles name only what is there.
fn pack_manifest(
    manifest: &str,
    members: &BTreeMap<String, PathBuf>,
    labs: &[&str],
    lock: &str,
) -> Result<String, String> {
    let list = |names: &[String]| {
        let rows: String = names.iter().map(|n| format!("    {n:?},\n")).collect();
        format!("[\n{rows}]\n")
    };
    let patched = |folder: &&PathBuf| folder.file_name().is_none_or(|n| n != "find_cuda_helper");
    let folders: Vec<String> = members.values().filter(patched).map(|f| name(f)).collect();
    let labs: Vec<String> = labs.iter().map(|lab| lab.to_string()).collect();
    let start = manifest.find("members = [").ok_or("Cargo.toml: there is no `members`")?;
    let at =
        manifest.find("default-members = [").ok_or("Cargo.toml: there is no `default-members`")?;
    let end =
        manifest[at..].find("]\n").ok_or("Cargo.toml: `default-members` has no end")? + at + 2;
    let mut out = format!(
        "{}members = {}# What a plain `cargo test` runs.\ndefault-members = {}",
        &manifest[..start],
        list(&folders),
        list(&labs)
    );
    let built = |name: &str| lock.contains(&format!("\nname = \"{name}\"\n"));
    let mut section = "";
    for line in manifest[end..].split_inclusive('\n') {
        if line.starts_with('[') {
            section = line.trim();
        }
        let key = line.split_once('=').map_or("", |(key, _)| key.trim().trim_matches('"'));
        let profile = section.starts_with("[profile.") && section.ends_with(".package]");
        let absent = if section == "[workspace.dependencies]" {
            line.contains("{ path = ") && !members.contains_key(key)
        } else {
            profile && !key.is_empty() && key != "*" && !line.starts_with('#') && !built(key)
        };
        if !absent {
            out += line;
        }
    }
    Ok(out)
}

/// Takes from the pack's lock file what the pack does not need. Without cargo all of it stays,
/// which does no harm: cargo itself takes it out at the first build.
fn prune_lock(dir: &Path) {
    let mut cargo = std::process::Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["update", "--workspace", "--offline", "--quiet"]).current_dir(dir);
    let _ = cargo.stderr(std::process::Stdio::null()).status();
}

/// Targets of the links in a Markdown text.
fn links(text: &str) -> Vec<String> {
    let rest = text.split("](").skip(1);
    rest.filter_map(|rest| rest.split(')').next()).map(str::to_string).collect()
}

/// Where a link of a document of the pack leads, from its root; `None` for what is no file of the
/// course.
fn resolved(dir: &Path, document: &Path, link: &str) -> Option<PathBuf> {
    let file = link.split('#').next().filter(|file| !file.is_empty() && !file.contains(':'))?;
    let own = document.parent()?.strip_prefix(dir).ok()?;
    Some(plain(&own.join(file)).unwrap_or_else(|| file.into()))
}

/// Puts the words of a link in its place where `there` says no; a picture goes altogether, as its
/// words say what would be seen.
fn without_links(text: &str, there: impl Fn(&str) -> bool) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(middle) = rest.find("](") {
        let Some(end) = rest[middle..].find(')') else { break };
        let (target, after) = (&rest[middle + 2..middle + end], &rest[middle + end + 1..]);
        let open = rest[..middle].rfind('[').filter(|_| !there(target));
        match open {
            Some(open) => match rest[..open].strip_suffix('!') {
                Some(before) => out += before,
                None => {
                    out += &rest[..open];
                    out += &rest[open + 1..middle];
                }
            },
            None => out += &rest[..rest.len() - after.len()],
        }
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packs_workspace_names_only_what_is_there() {
        let manifest = "[workspace]\nmembers = [\n    \"labx\",\n    \"tests\",\n]\n\
            # Why.\ndefault-members = [\n    \"tests\",\n]\n\n[workspace.dependencies]\n\
            labx = { path = \"labx\" }\nrtm = { path = \"rtm\" }\nrand = \"1\"\n\
            [profile.dev.package]\nrtm = { opt-level = 3 }\n# Why.\nlabx = { opt-level = 0 }\n";
        let members = BTreeMap::from([("labx".to_string(), PathBuf::from("labx"))]);
        let lock = "version = 4\n\n[[package]]\nname = \"labx\"\n";
        let want = "[workspace]\nmembers = [\n    \"labx\",\n]\n\
            # What a plain `cargo test` runs.\ndefault-members = [\n    \"labx\",\n]\n\n\
            [workspace.dependencies]\nlabx = { path = \"labx\" }\nrand = \"1\"\n\
            [profile.dev.package]\n# Why.\nlabx = { opt-level = 0 }\n";
        assert_eq!(pack_manifest(manifest, &members, &["labx"], lock).unwrap(), want);
        assert!(pack_manifest("members = []\n", &members, &["labx"], lock).is_err());
    }

    #[test]
    fn unit_tests_stay_behind() {
        let text = "fn f() {\n}\n\n#[cfg(test)]\nmod tests {\n    fn g() {\n    }\n}\n";
        assert_eq!(without_tests(text), "fn f() {\n}\n");
        let more = format!("{text}fn h() {{\n}}\n");
        assert_eq!(without_tests(&more), more);
    }

    #[test]
    fn programs_without_files_are_no_targets() {
        let manifest = "[package]\nname = \"x\"\n\n[[bin]]\nname = \"y\"\n\
            path = \"tests/y.rs\"\n\n[dev-dependencies]\nproptest = \"1\"\nocl.workspace = true\n\n\
            [[bin]]\nname = \"z\"\n";
        let without = "[package]\nname = \"x\"\n\n[[bin]]\nname = \"z\"\n";
        assert_eq!(without_targets(manifest, ""), without);
        let with = "[package]\nname = \"x\"\n\n[dev-dependencies]\nocl.workspace = true\n\n\
            [[bin]]\nname = \"z\"\n";
        assert_eq!(without_targets(manifest, "use ocl::Queue;\n"), with);
    }

    #[test]
    fn examples_come_along_if_a_handout_runs_them() {
        let handouts = "`cargo run -p x --example one`\ncargo run -p x --example two -- 3\n\
            cargo run -p y --example three\n";
        assert_eq!(examples_of(handouts, "x").into_iter().collect::<Vec<_>>(), ["one", "two"]);
        assert!(examples_of(handouts, "z").is_empty());
    }

    #[test]
    fn links_to_what_is_not_there_become_words() {
        let text = "See [a](x.md), ![b](y.svg) and [c](z.md#d).";
        assert_eq!(links(text), ["x.md", "y.svg", "z.md#d"]);
        let there = |link: &str| link == "x.md";
        assert_eq!(without_links(text, there), "See [a](x.md),  and c.");
        let at = |link| resolved(Path::new("/p"), Path::new("/p/lab/README.md"), link);
        assert_eq!(at("../docs/a.md#b"), Some("docs/a.md".into()));
        assert_eq!((at("#here"), at("https://rustup.rs")), (None, None));
    }
}
