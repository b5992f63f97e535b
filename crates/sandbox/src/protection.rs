//! What holds on this machine, found out by trying.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::message::Applied;
use crate::rules::{Limits, Sandbox, Walls};

/// One kind of protection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// What gives it; empty: nothing does.
    pub by: Vec<String>,
    /// What of it is not there, why, and what to do.
    pub missing: Option<String>,
}

/// What is protected on this machine, and by what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protection {
    /// The walls to use; none if the machine gives neither.
    pub walls: Option<Walls>,
    /// Contents of files outside of the list can be neither read nor changed.
    pub files: Part,
    /// Names, sizes and modes of files outside of the list cannot be seen.
    pub names: Part,
    /// No connection to anything, this machine included.
    pub network: Part,
    /// Other processes can be neither stopped nor read, and nothing that was started stays.
    pub processes: Part,
    /// Only the system calls that ordinary programs need.
    pub syscalls: Part,
    /// Time, memory, processes, files.
    pub limits: Part,
}

impl Protection {
    fn parts(&self) -> [(&'static str, &Part); 6] {
        [
            ("files", &self.files),
            ("names of files", &self.names),
            ("network", &self.network),
            ("processes", &self.processes),
            ("system calls", &self.syscalls),
            ("limits", &self.limits),
        ]
    }

    /// Why strangers' programs must not run here; `None` if they may. That names of files can be
    /// seen is no reason.
    pub fn refusal(&self) -> Option<String> {
        let parts = self.parts();
        let lacking =
            parts.iter().filter(|(name, part)| part.by.is_empty() && *name != "names of files");
        let lines: Vec<String> = lacking
            .map(|(name, part)| {
                format!("{name}: {}", part.missing.as_deref().unwrap_or("not protected"))
            })
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// One line: what protects.
    pub fn summary(&self) -> String {
        let mut by: Vec<&str> = Vec::new();
        for (_, part) in self.parts() {
            for name in &part.by {
                if !by.contains(&name.as_str()) {
                    by.push(name);
                }
            }
        }
        if by.is_empty() { "nothing".into() } else { by.join(", ") }
    }

    fn nothing(why: &str) -> Protection {
        let part = || Part { by: Vec::new(), missing: Some(why.into()) };
        Protection {
            walls: None,
            files: part(),
            names: part(),
            network: part(),
            processes: part(),
            syscalls: part(),
            limits: part(),
        }
    }
}

impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, part) in self.parts() {
            let by = if part.by.is_empty() { "NOT protected".into() } else { part.by.join(", ") };
            writeln!(f, "{name:<15} {by}")?;
            if let Some(missing) = &part.missing {
                writeln!(f, "{:<15}   {missing}", "")?;
            }
        }
        Ok(())
    }
}

const NO_LANDLOCK: &str = "Landlock: boot with lsm=landlock,... (Linux 5.13 or later has it)";
const NO_NAMESPACES: &str = "namespaces of an ordinary user: allow them with \
    sysctl kernel.unprivileged_userns_clone=1 (or user.max_user_namespaces), \
     or run outside of a container";

/// Tries what this machine gives; `stage` is a program whose `main` begins with
/// [`crate::stage_if_asked`].
pub fn probe(stage: &Path) -> Protection {
    let sandbox = |walls| Sandbox {
        stage: stage.to_path_buf(),
        walls,
        read: Vec::new(),
        write: Vec::new(),
        dir: "/".into(),
        env: Vec::new(),
        limits: Limits::default(),
    };
    let no_namespaces = match sandbox(Walls::Namespaces).applied() {
        Ok(applied) => return judged(Walls::Namespaces, applied, None),
        Err(why) => why,
    };
    match sandbox(Walls::Landlock).applied() {
        Ok(applied) => judged(Walls::Landlock, applied, Some(no_namespaces)),
        Err(why) => Protection::nothing(&why),
    }
}

/// Puts together what the innermost stage could apply, with the reason why there are no namespaces.
fn judged(walls: Walls, applied: Applied, no_namespaces: Option<String>) -> Protection {
    let mut files = Part::default();
    let mut names = Part::default();
    let mut network = Part::default();
    let mut processes = Part::default();
    let mut syscalls = Part::default();
    let mut limits = Part { by: vec!["resource limits".into()], missing: None };
    limits.by.push("the stage's watch".into());
    if walls == Walls::Namespaces {
        for (part, name) in [
            (&mut files, "mount namespace"),
            (&mut names, "mount namespace"),
            (&mut network, "network namespace"),
            (&mut processes, "process namespace"),
        ] {
            part.by.push(name.into());
        }
    }
    match (&applied.landlock, &applied.seccomp) {
        (Ok(version), Ok(())) => {
            files.by.push(format!("Landlock {version}"));
            // By itself Landlock lets a file be cut and its mode be changed: the filter is part of
            // the wall.
            for part in [&mut network, &mut processes, &mut syscalls] {
                part.by.push("filter of system calls".into());
            }
        }
        (Err(why), Ok(())) => {
            files.missing = Some(format!("{NO_LANDLOCK} ({why})"));
            for part in [&mut network, &mut syscalls] {
                part.by.push("filter of system calls".into());
            }
            if walls == Walls::Landlock {
                processes.missing = files.missing.clone();
            }
        }
        (_, Err(why)) => {
            let text =
                format!("filter of system calls: the kernel needs CONFIG_SECCOMP_FILTER ({why})");
            for part in [&mut files, &mut network, &mut processes, &mut syscalls] {
                part.missing = Some(text.clone());
            }
        }
    }
    if let Some(why) = no_namespaces {
        names.missing = Some(format!("{NO_NAMESPACES} ({why})"));
    }
    Protection { walls: Some(walls), files, names, network, processes, syscalls, limits }
}
