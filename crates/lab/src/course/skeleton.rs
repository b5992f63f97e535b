//! `sync` and `reset`: skeletons from solutions, and back.

use std::io::Write;

use grading::overlay::write;

use super::{App, say};

impl App {
    /// Writes every skeleton, or only says which differ (exit code 1 then). A student's file that would be lost is
    /// kept in `target/lab/backup`.
    pub(super) fn sync(&self, check: bool, out: &mut dyn Write) -> Result<u8, String> {
        let mut differ = 0;
        for lab in &self.labs {
            for rel in lab.files() {
                let skeleton = self.place.skeleton(lab, rel)?;
                let path = self.place.lab_dir(lab).join(rel);
                let now = std::fs::read_to_string(&path).ok();
                if now.as_ref() == Some(&skeleton) {
                    continue;
                }
                differ += 1;
                let name = format!("{}/{rel}", lab.package);
                if check {
                    let what = if now.is_some() { "differs from" } else { "is missing beside" };
                    say(out, &format!("{name} {what} its solution: `cargo lab sync` writes it\n"))?;
                    continue;
                }
                if let Some(now) = now {
                    let backup = self.place.state_dir().join("backup").join(&name);
                    write(&backup, &now)?;
                }
                write(&path, &skeleton)?;
                say(out, &format!("wrote {name}\n"))?;
            }
        }
        if differ == 0 {
            say(out, "all skeletons are in step with their solutions\n")?;
        }
        Ok(u8::from(check && differ > 0))
    }

    /// Puts the skeleton of an exercise back and keeps the student's files as `FILE.orig`.
    pub(super) fn reset(&self, name: &str, out: &mut dyn Write) -> Result<u8, String> {
        let (lab, exercise) = self.exercise(name)?;
        for rel in exercise.files {
            let skeleton = self.place.skeleton(lab, rel)?;
            let path = self.place.lab_dir(lab).join(rel);
            match std::fs::read_to_string(&path) {
                Ok(now) if now == skeleton => {
                    say(out, &format!("{}/{rel} is the skeleton already\n", lab.package))?;
                    continue;
                }
                Ok(now) => {
                    let mut kept = path.clone().into_os_string();
                    kept.push(".orig");
                    write(kept.as_ref(), &now)?;
                }
                Err(_) => {}
            }
            write(&path, &skeleton)?;
            say(
                out,
                &format!("{0}/{rel} is the skeleton again; yours is {0}/{rel}.orig\n", lab.package),
            )?;
        }
        Ok(0)
    }
}
