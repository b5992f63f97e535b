//! Where the course lies on disk, and whose files are looked at.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(not(target_family = "wasm"))]
use building::Stamp;

#[cfg(not(target_family = "wasm"))]
use crate::cargo::Build;
use crate::text::text;
use crate::{Compiled, Counts, Exercise, Host, Lab, Work, region};
use simt::files::Files;

/// A course on disk: the workspace's folder and its labs.
#[derive(Clone, Debug)]
pub struct Place {
    /// Folder of the workspace.
    pub root: PathBuf,
    /// Where cargo builds it.
    pub target: PathBuf,
    /// Where those folders are.
    pub files: Files,
    /// Cargo's profile for what judges submissions; `None` is the usual one.
    pub profile: Option<&'static str>,
}

impl Place {
    /// The course in the folder `root`, built where `CARGO_TARGET_DIR` says, else in `root/target`.
    pub fn at(root: impl Into<PathBuf>) -> Place {
        let root = root.into();
        let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        // An absolute path takes the place of the root.
        let target = root.join(target);
        Place { root, target, files: Files::Disk, profile: None }
    }

    /// A course in memory, as a student pack: paths begin with a lab's folder, and each lab has its
    /// kept skeletons.
    pub fn in_memory(files: Files) -> Place {
        Place { root: PathBuf::new(), target: PathBuf::new(), files, profile: None }
    }

    /// The course whose folder is `start` or the nearest one above it that has all labs.
    ///
    /// # Errors
    /// Says from where it looked.
    pub fn find(start: &Path, labs: &[Lab]) -> Result<Place, String> {
        start
            .ancestors()
            .find(|dir| {
                dir.join("Cargo.toml").is_file()
                    && labs.iter().all(|l| dir.join(l.package).is_dir())
            })
            .map(Place::at)
            .ok_or_else(|| {
                format!(
                    "no course found in {} or above: run this inside the course",
                    start.display()
                )
            })
    }

    /// The lab's folder.
    pub fn lab_dir(&self, lab: &Lab) -> PathBuf {
        self.root.join(lab.package)
    }

    /// Folder of the reference solution; a student pack has none.
    pub fn solution_dir(&self, lab: &Lab) -> PathBuf {
        self.root.join("solutions").join(lab.package)
    }

    /// Folder in which a student pack keeps the untouched skeletons.
    pub fn skeleton_dir(&self, lab: &Lab) -> PathBuf {
        self.lab_dir(lab).join(".skeleton")
    }

    /// State and results of the command: `target/lab`.
    pub fn state_dir(&self) -> PathBuf {
        self.target.join("lab")
    }

    /// The skeleton of a student-editable file: derived from the solution, or as the pack keeps it.
    ///
    /// # Errors
    /// Names the file and what is wrong with it.
    pub fn skeleton(&self, lab: &Lab, rel: &str) -> Result<String, String> {
        let solution = self.solution_dir(lab).join(rel);
        if let Ok(text) = text(&self.files, &solution) {
            return region::skeleton(&text, region::comment_of(rel))
                .map_err(|e| format!("solutions/{}/{rel}: {e}", lab.package));
        }
        let kept = self.skeleton_dir(lab).join(rel);
        text(&self.files, &kept).map_err(|_| {
            format!("{}/{rel}: there is neither a solution nor a kept skeleton", lab.package)
        })
    }

    /// The program of the judge's device, if the lab has its own.
    #[cfg(not(target_family = "wasm"))]
    pub fn device(&self, lab: &Lab) -> Option<Build> {
        let (package, bin) = lab.device?;
        Some(Build {
            workspace: self.root.clone(),
            package: package.into(),
            bin: bin.into(),
            target_dir: Some(self.target.clone()),
            keep: None,
            profile: self.profile.map(String::from),
            stamp: self.profile.is_none().then(|| self.stamp(bin)),
        })
    }

    /// The course's program, if it is to be compiled in a profile of its own for judging.
    #[cfg(not(target_family = "wasm"))]
    pub fn judge(&self) -> Option<Build> {
        let profile = Some(self.profile?.into());
        Some(Build {
            workspace: self.root.clone(),
            package: "lab".into(),
            bin: "lab".into(),
            target_dir: Some(self.target.clone()),
            keep: None,
            profile,
            stamp: None,
        })
    }

    /// What tells whether a program of the workspace is up to date.
    #[cfg(not(target_family = "wasm"))]
    fn stamp(&self, bin: &str) -> Stamp {
        Stamp::at(self.state_dir().join("built").join(bin))
    }

    /// The program of the student's own host code.
    #[cfg(not(target_family = "wasm"))]
    pub fn own_host(&self, lab: &Lab) -> Host {
        Host::build(Build {
            workspace: self.root.clone(),
            package: lab.package.into(),
            bin: lab.host_bin.into(),
            target_dir: None,
            keep: None,
            profile: None,
            stamp: Some(self.stamp(lab.host_bin)),
        })
    }

    /// The student's own work: the lab's folder.
    #[cfg(not(target_family = "wasm"))]
    pub fn own_work(&self, lab: &Lab) -> Work {
        self.work_with(lab, self.own_host(lab))
    }

    /// The student's own work with this program for its host code.
    pub fn work_with(&self, lab: &Lab, host: Host) -> Work {
        Work {
            course_dir: self.lab_dir(lab),
            student_dir: self.lab_dir(lab),
            host: Arc::new(host),
            files: self.files.clone(),
            notes: BTreeMap::new(),
            counts: Counts::default(),
            compiled: Compiled::default(),
        }
    }

    /// The reference solutions.
    pub fn solution_work(&self, lab: &Lab, host: Host) -> Work {
        Work {
            course_dir: self.lab_dir(lab),
            student_dir: self.solution_dir(lab),
            host: Arc::new(host),
            files: self.files.clone(),
            notes: BTreeMap::new(),
            counts: Counts::default(),
            compiled: Compiled::default(),
        }
    }

    /// The host program that serves the solutions.
    #[cfg(not(target_family = "wasm"))]
    pub fn solution_host(&self) -> Host {
        Host::build(Build {
            workspace: self.root.clone(),
            package: "course-tests".into(),
            bin: "solutions-host".into(),
            target_dir: None,
            keep: None,
            profile: None,
            stamp: Some(self.stamp("solutions-host")),
        })
    }

    /// True if all student regions of the exercise still equal the skeleton. A file that cannot be
    /// read counts as touched, so that its check can say so.
    pub fn not_started(&self, lab: &Lab, exercise: &Exercise, work: &Work) -> bool {
        exercise.files.iter().all(|rel| {
            let text = text(&work.files, &work.student_dir.join(rel));
            let skeleton = self.skeleton(lab, rel);
            matches!((text, skeleton), (Ok(text), Ok(skeleton))
                if region::untouched(&text, &skeleton, region::comment_of(rel)))
        })
    }
}
