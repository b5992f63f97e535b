//! `cargo lab book`: handouts and documents as one book. The crate `book` is not built before it is
//! asked for.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::{App, cargo_run, progress, say};

impl App {
    /// Where the book is written if nothing else is said.
    pub(super) fn book_dir(&self) -> PathBuf {
        self.place.state_dir().join("book")
    }

    /// Writes the book to a folder, which may be there.
    pub(super) fn book(&self, dir: Option<&Path>, out: &mut dyn Write) -> Result<u8, String> {
        if !self.place.root.join("crates/book").is_dir() {
            return Err("a student pack has no book: read README.md in each lab's folder".into());
        }
        let own = self.book_dir();
        let dir = dir.unwrap_or(&own);
        say(out, &self.write_book(dir, None)?)?;
        let page = dir.join("index.html");
        let page = page.strip_prefix(&self.place.root).unwrap_or(&page);
        say(out, &format!("The handbook is {}: open it in a browser.\n", page.display()))?;
        Ok(0)
    }

    /// Writes the book to a folder of the pages whose first one is at `home`, as seen from there,
    /// or of its own; what the writer warns of.
    pub(crate) fn write_book(&self, dir: &Path, home: Option<&str>) -> Result<String, String> {
        let absolute = std::path::absolute(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let mut command = cargo_run(&self.place.root, "-p book --");
        command.arg(&self.place.root).arg(&absolute).args(home);
        let done = progress::build("the book", &mut command);
        let done = done.map_err(|e| format!("cargo cannot be run: {e}"))?;
        if !done.status.success() {
            return Err(format!("the book was not written\n{}", done.words));
        }
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }
}
