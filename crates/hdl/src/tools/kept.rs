//! What outside programs answered before. Such a program is deterministic: the same version, with
//! the same words in a folder of the same files, gives the same answer. So an answer is kept in the
//! folder that the variable `HDL_KEPT` names, with all of these, and a program that is asked the
//! same again is not run. Without the variable nothing is kept; a failure never is.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use crate::error::UseError;

/// The folder of answers.
const FOLDER: &str = "HDL_KEPT";

/// A program and its words.
pub(super) type Call<'a> = (&'a str, &'a [&'a str]);

/// What came of one or more runs.
#[derive(Serialize, Deserialize)]
pub(super) struct Answer {
    pub text: String,
    /// Wall time of the runs in seconds.
    pub seconds: f64,
}

/// A file of the folder.
#[derive(Serialize, Deserialize)]
struct Kept {
    question: Question,
    answer: Answer,
}

/// All that an answer depends on.
#[derive(PartialEq, Hash, Serialize, Deserialize)]
struct Question {
    /// Each program's version, name and words.
    calls: Vec<(String, String, Vec<String>)>,
    /// Names and texts.
    files: BTreeMap<String, String>,
}

/// The answer to `calls` in `folder`: kept, or that of `run`, which is then kept.
pub(super) fn or_run(
    folder: &Path,
    calls: &[Call<'_>],
    run: impl FnOnce() -> Result<Answer, UseError>,
) -> Result<Answer, UseError> {
    let all = std::env::var_os(FOLDER).filter(|at| !at.is_empty()).map(PathBuf::from);
    let Some((all, question)) = all.zip(question(folder, calls)) else { return run() };
    let mut hash = DefaultHasher::new();
    question.hash(&mut hash);
    let place = all.join(format!("{:016x}.json", hash.finish()));
    let kept = fs::read(&place).ok().and_then(|bytes| serde_json::from_slice::<Kept>(&bytes).ok());
    if let Some(kept) = kept.filter(|kept| kept.question == question) {
        return Ok(kept.answer);
    }
    let kept = Kept { question, answer: run()? };
    // One that cannot be kept is asked for again.
    let _ = keep(&all, &place, &kept);
    Ok(kept.answer)
}

/// Nothing if the folder has something else in it than files of text.
fn question(folder: &Path, calls: &[Call<'_>]) -> Option<Question> {
    let file = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.ok()?;
        Some((entry.file_name().into_string().ok()?, fs::read_to_string(entry.path()).ok()?))
    };
    let call = |(tool, words): &Call<'_>| {
        (version(tool), tool.to_string(), words.iter().map(|word| word.to_string()).collect())
    };
    Some(Question {
        calls: calls.iter().map(call).collect(),
        files: fs::read_dir(folder).ok()?.map(file).collect::<Option<_>>()?,
    })
}

/// What the program says of its version; it is asked once.
fn version(tool: &str) -> String {
    static ASKED: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let mut asked = ASKED.lock().unwrap_or_else(|e| e.into_inner());
    let ask = || {
        // Some know one of the two options, and complain about the other.
        let said = ["--version", "-V"].map(|option| Command::new(tool).arg(option).output());
        let said = said.into_iter().flatten();
        said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).collect()
    };
    asked.entry(tool.into()).or_insert_with(ask).clone()
}

/// Writes the whole file or nothing.
fn keep(all: &Path, place: &Path, kept: &Kept) -> std::io::Result<()> {
    fs::create_dir_all(all)?;
    let mut file = tempfile::NamedTempFile::new_in(all)?;
    file.write_all(&serde_json::to_vec(kept)?)?;
    file.persist(place)?;
    Ok(())
}
