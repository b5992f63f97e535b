//! `cargo lab handin`: the archive that a student hands in.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use grading::Lab;
use grading::intake::TIMES;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{App, say};

impl App {
    /// Writes the lab's student-editable files to an archive, `LAB.zip` if nothing else is said.
    pub(super) fn handin(
        &self,
        lab: &str,
        to: Option<&Path>,
        times: bool,
        out: &mut dyn Write,
    ) -> Result<u8, String> {
        let lab = self.lab(lab)?;
        let to = to.map_or_else(|| PathBuf::from(format!("{}.zip", lab.id)), PathBuf::from);
        let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", to.display());
        let minutes = if times { self.minutes(lab) } else { BTreeMap::new() };
        let archive = self.archive(lab, &minutes)?;
        File::create(&to).and_then(|mut file| file.write_all(&archive)).map_err(|e| failed(&e))?;
        let work = self.place.own_work(lab);
        let untouched = lab.exercises.iter().filter(|e| self.place.not_started(lab, e, &work));
        let untouched: Vec<&str> = untouched.map(|e| e.number()).collect();
        let mut text = format!("wrote {}: {} files\n", to.display(), lab.files().len());
        if times {
            text += &format!("and {TIMES}: minutes spent on {} exercises\n", minutes.len());
        }
        if !untouched.is_empty() {
            text += &format!("not started: {}\n", untouched.join(", "));
        }
        say(out, &text)?;
        Ok(0)
    }

    /// Minutes spent on the lab's exercises that were done, by exercise id.
    fn minutes(&self, lab: &Lab) -> BTreeMap<String, u64> {
        let spent = self.state().spent.into_iter();
        let own = spent.filter(|(id, spent)| spent.done && lab.exercise(id).is_some());
        own.map(|(id, spent)| (id, spent.seconds.div_ceil(60))).collect()
    }

    /// The archive's bytes; the same files give the same bytes.
    fn archive(&self, lab: &Lab, minutes: &BTreeMap<String, u64>) -> Result<Vec<u8>, String> {
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
        if !minutes.is_empty() {
            let name = format!("{}/{TIMES}", lab.package);
            let text = serde_json::to_string_pretty(minutes).map_err(|e| e.to_string())?;
            zip.start_file(&name, SimpleFileOptions::default())
                .map_err(|e| format!("{name}: {e}"))?;
            zip.write_all(text.as_bytes()).map_err(|e| format!("{name}: {e}"))?;
        }
        let done = zip.finish().map_err(|e| e.to_string())?;
        Ok(done.into_inner())
    }
}
