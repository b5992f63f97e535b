//! `cargo lab handin`: the archive that a student hands in.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use grading::Lab;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{App, say};

impl App {
    /// Writes the lab's student-editable files to an archive, `LAB.zip` if nothing else is said.
    pub(super) fn handin(
        &self,
        lab: &str,
        to: Option<&Path>,
        out: &mut dyn Write,
    ) -> Result<u8, String> {
        let lab = self.lab(lab)?;
        let to = to.map_or_else(|| PathBuf::from(format!("{}.zip", lab.id)), PathBuf::from);
        let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", to.display());
        let archive = self.archive(lab)?;
        File::create(&to).and_then(|mut file| file.write_all(&archive)).map_err(|e| failed(&e))?;
        let work = self.place.own_work(lab);
        let untouched = lab.exercises.iter().filter(|e| self.place.not_started(lab, e, &work));
        let untouched: Vec<&str> = untouched.map(|e| e.number()).collect();
        let mut text = format!("wrote {}: {} files\n", to.display(), lab.files().len());
        if !untouched.is_empty() {
            text += &format!("not started: {}\n", untouched.join(", "));
        }
        say(out, &text)?;
        Ok(0)
    }

    /// The archive's bytes; the same files give the same bytes.
    fn archive(&self, lab: &Lab) -> Result<Vec<u8>, String> {
        let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let dir = self.place.lab_dir(lab);
        for rel in lab.files() {
            let path = dir.join(rel);
            let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let name = format!("{}/{rel}", lab.package);
            zip.start_file(&name, SimpleFileOptions::default())
                .map_err(|e| format!("{name}: {e}"))?;
            zip.write_all(&bytes).map_err(|e| format!("{name}: {e}"))?;
        }
        let done = zip.finish().map_err(|e| e.to_string())?;
        Ok(done.into_inner())
    }
}
