//! `cargo lab site`: the pages, the engine as WebAssembly and the exercises' texts as files that
//! any web server can hold.

use std::io::Write;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::Command;

use grading::Lab;
use web::{ASSETS, Frame, SCRIPTS};

use super::content;
use crate::course::App;

/// The target that pages run.
const TARGET: &str = "wasm32-unknown-unknown";
/// The labs whose checks run in a page, each in an engine of its own.
pub const LABS: [&str; 4] = ["lab1", "lab2", "lab3", "lab6"];

/// The engines: the feature of `crates/web-engine` and the file are called so; and the level at
/// which the program is optimised as a whole, fast enough and below a megabyte compressed. The
/// playground's has no feature.
const ENGINES: [(&str, &str); 7] = [
    ("lab1", "\"z\""),
    ("lab2", "\"z\""),
    ("lab3", "\"z\""),
    ("lab6", "\"z\""),
    ("hardware", "\"s\""),
    ("seismics", "3"),
    (PLAYGROUND, "2"),
];
const PLAYGROUND: &str = "engine";

/// The emulator in the engines of labs.
const SMALL: &str = "profile.web.package.simt.opt-level=\"z\"";

/// Where the site goes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder for the site: new, empty, or an earlier site
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Folder with engines that are there already, in place of building them
    #[arg(long, value_name = "DIR")]
    engines: Option<PathBuf>,
}

/// A file by which an earlier site is known, and one whose writing was interrupted.
const MARK: &str = "playground.html";

impl App {
    pub(super) fn site(&self, args: &Args, out: &mut dyn Write) -> Result<u8, String> {
        let dir = &args.dir;
        let full = std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some());
        if full && !dir.join(MARK).is_file() {
            return Err(format!("{}: the folder is neither empty nor a site", dir.display()));
        }
        let mut engines = Vec::new();
        for (engine, level) in ENGINES {
            let name = format!("{engine}.wasm");
            let file = match &args.engines {
                Some(dir) => dir.join(&name),
                None => self.engine(engine, level)?,
            };
            let bytes = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            if !bytes.starts_with(b"\0asm") {
                return Err(format!("{}: this is no WebAssembly", file.display()));
            }
            engines.push((format!("{name}.gz"), packed(&bytes)?));
        }
        let frame = Frame { server: None, handbook: true, class: false };
        for page in frame.pages() {
            put(&dir.join(page.file), page.html(&frame).as_bytes())?;
        }
        self.write_book(&dir.join("handbook"), Some("../index.html"))?;
        for (path, text) in SCRIPTS.iter().chain(ASSETS) {
            put(&dir.join(path), text.as_bytes())?;
        }
        let labs: Vec<Lab> = self.labs.iter().filter(|l| LABS.contains(&l.id)).copied().collect();
        let index = content::index(&labs, Lab::in_browser).to_string();
        put(&dir.join("course/index.json"), index.as_bytes())?;
        for lab in &labs {
            let text = content::lab(self, lab, Lab::in_browser, true)?.to_string();
            put(&dir.join(format!("course/{}.json", lab.id)), text.as_bytes())?;
            self.pictures_of(lab, &dir.join("course").join(lab.package))?;
        }
        // Last: without its engine a page says that it has none.
        for (name, bytes) in &engines {
            put(&dir.join(name), bytes)?;
        }
        let text = format!(
            "wrote {0}: {1} pages, the handbook, and the engine\n\
             Any web server can hold it, for example: python3 -m http.server -d {0}\n",
            dir.display(),
            frame.pages().count(),
        );
        crate::course::say(out, &text)?;
        Ok(0)
    }

    /// Builds an engine; its file.
    fn engine(&self, name: &str, level: &str) -> Result<PathBuf, String> {
        if !self.place.root.join("crates/web-engine").is_dir() {
            return Err(
                "a students' pack does not have what a site is made of; `cargo lab serve` \
                        shows the same pages"
                    .into(),
            );
        }
        if !has_target() {
            return Err(format!(
                "pages need the target {TARGET}, which is not installed: `rustup target add \
                 {TARGET}`. Without it, `cargo lab serve` shows the same pages."
            ));
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let target = self.place.target.join("web");
        let done = Command::new(cargo)
            .current_dir(&self.place.root)
            .args(["build", "--profile", "web", "--target", TARGET, "--package", "web-engine"])
            .args((name != PLAYGROUND).then_some(["--features", name]).into_iter().flatten())
            .arg("--config")
            .arg(format!("profile.web.package.web-engine.opt-level={level}"))
            .args(LABS.contains(&name).then_some(["--config", SMALL]).into_iter().flatten())
            .arg("--target-dir")
            .arg(&target)
            .status()
            .map_err(|e| format!("cargo cannot be run: {e}"))?;
        if !done.success() {
            return Err("the engine was not built: see above".into());
        }
        Ok(target.join(TARGET).join("web/web_engine.wasm"))
    }

    /// Copies the pictures of a lab's handout.
    fn pictures_of(&self, lab: &Lab, to: &Path) -> Result<(), String> {
        let from = self.place.lab_dir(lab).join("pictures");
        for entry in std::fs::read_dir(from).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let kind = Path::new(&name).extension().and_then(|e| e.to_str());
            if matches!(kind, Some("svg" | "png")) {
                let bytes = std::fs::read(entry.path())
                    .map_err(|e| format!("{}: {e}", entry.path().display()))?;
                put(&to.join("pictures").join(name), &bytes)?;
            }
        }
        Ok(())
    }
}

/// True if the standard library for pages is there. Where that cannot be told, cargo will say so.
fn has_target() -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output();
    said.ok().is_none_or(|said| Path::new(String::from_utf8_lossy(&said.stdout).trim()).is_dir())
}

/// As gzip has it: any server can hold it, and a page unpacks it while it comes in. It is packed
/// once and fetched often: a slow search for the fewest bytes, 4 % fewer than gzip finds.
fn packed(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let options = zopfli::Options { iteration_count: NonZeroU64::MIN, ..Default::default() };
    let mut out = Vec::new();
    zopfli::compress(options, zopfli::Format::Gzip, bytes, &mut out)
        .map_err(|e| format!("an engine cannot be packed: {e}"))?;
    Ok(out)
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let wrong = |e: std::io::Error| format!("{}: {e}", path.display());
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(wrong)?;
    }
    std::fs::write(path, bytes).map_err(wrong)
}
