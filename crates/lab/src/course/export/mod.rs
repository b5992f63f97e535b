//! `cargo lab export`: what instructors hand out and deploy.

use std::io::Write;
use std::path::Path;

use super::args::ExportArgs;
use super::{App, say};

mod pack;

impl App {
    /// Writes what was asked for.
    pub(super) fn export(&self, args: &ExportArgs, out: &mut dyn Write) -> Result<u8, String> {
        self.new_folder(&args.dir)?;
        self.pack(&args.dir)?;
        let text = format!("wrote {}: its README.md says how to begin\n", args.dir.display());
        say(out, &text)?;
        Ok(0)
    }

    /// Refuses a folder that has something in it, or that lies where a pack would hold itself.
    fn new_folder(&self, dir: &Path) -> Result<(), String> {
        if std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(format!("{}: the folder is not empty", dir.display()));
        }
        for lab in &self.labs {
            self.solution_dir_exists(lab)?;
        }
        let absolute = std::path::absolute(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        // `target` is not copied, so a pack there does not contain itself.
        let within = |dir: &Path| absolute.starts_with(dir);
        if within(&self.place.root) && !within(&self.place.root.join("target")) {
            return Err(format!("{}: the pack must lie outside the course", dir.display()));
        }
        Ok(())
    }
}
