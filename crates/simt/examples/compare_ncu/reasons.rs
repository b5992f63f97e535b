//! Why the card counts otherwise than the emulator: what a person wrote in
//! `tools/ncu/reasons.toml`, checked against the instructions that the card executed.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::card::Access;

/// Kinds of reasons; [`Reason::check`] says what each must show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Several accesses of a thread became a wider one.
    Vectorised,
    /// The value was still in a register: read once in place of several times, or stored once in
    /// the end.
    Reused,
    /// The access of both branches of an `if` became one behind it.
    Merged,
    /// The loop was unrolled or a piece of code doubled, and lanes that leave it at different
    /// places go different ways.
    Copies,
    /// Lanes that came apart run together again later than the source says.
    Apart,
    /// Code of the CUDA libraries that the emulator computes without memory.
    Library,
    /// The code behind `printf` or `assert`, which ncu counts but does not show.
    System,
    /// Depends on the order in which the hardware serves lanes, or on how often a compare-and-swap
    /// is tried.
    Order,
    /// ncu's two ways of counting disagree, and the one by instruction agrees with the emulator.
    Counting,
}

/// An entry of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// Builds that it holds for.
    pub builds: Vec<String>,
    /// `case: kernel`.
    pub kernel: String,
    /// Groups of columns: `gld`, `gst`, `shld`, `shst`, `atom`.
    pub counters: Vec<String>,
    pub class: Class,
    pub why: String,
    /// Instructions that show it: `LINE: OP xN`, executed by N warps in all on that source line;
    /// without `xN` any number. `cuda` stands for lines of the CUDA headers. Per build if the text
    /// begins with `BUILD `.
    pub sass: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    reason: Vec<Reason>,
}

/// One source line: its requests (or sectors, wavefronts) in the emulator and on the card, and
/// there by instruction.
#[derive(Debug, Default)]
pub struct Line {
    pub ours: u64,
    pub theirs: u64,
    /// By instruction: places in the code, and warps that executed one.
    pub ops: BTreeMap<String, (u64, u64)>,
}

/// The lines of a run; `None` is code of the CUDA headers.
pub type Lines = BTreeMap<Option<u32>, Line>;

/// Adds the instructions that count for a column to `lines`.
pub fn add_card(lines: &mut Lines, accesses: &[Access], count: fn(&Access) -> u64) {
    for access in accesses {
        let n = count(access);
        if n > 0 {
            let line = lines.entry(access.line).or_default();
            line.theirs += n;
            let op = line.ops.entry(access.op.clone()).or_default();
            op.0 += 1;
            op.1 += access.executed;
        }
    }
}

/// Reads the file.
pub fn parse(text: &str) -> Result<Vec<Reason>, String> {
    toml::from_str::<File>(text).map(|file| file.reason).map_err(|e| e.to_string())
}

impl Reason {
    pub fn is_for(&self, build: &str, kernel: &str, column: &str) -> bool {
        self.builds.iter().any(|b| b == build)
            && self.kernel == kernel
            && self.counters.iter().any(|c| column.starts_with(&format!("{c}.")))
    }

    /// What is wrong with the reason, given the totals of the cell and its lines.
    pub fn check(&self, build: &str, ours: u64, theirs: u64, lines: &Lines) -> Result<(), String> {
        let mut shown = Vec::new();
        for text in &self.sass {
            let (only, rest) = match text.split_once(' ') {
                Some((word, rest)) if !word.ends_with(':') => (Some(word), rest),
                _ => (None, text.as_str()),
            };
            if only.is_some_and(|b| b != build) {
                continue;
            }
            let bad = || format!("cannot read `{text}`");
            let (line, rest) = rest.split_once(": ").ok_or_else(bad)?;
            let line = if line == "cuda" { None } else { Some(line.parse().map_err(|_| bad())?) };
            let (op, times) = rest.split_once(" x").unwrap_or((rest, ""));
            let Some((copies, executed)) = lines.get(&line).and_then(|l| l.ops.get(op)) else {
                return Err(format!("no {rest} there"));
            };
            if !times.is_empty() && times.parse() != Ok(*executed) {
                return Err(format!("{op} x{executed}, not x{times}"));
            }
            shown.push((line, op.to_string(), *copies));
        }
        let visible: u64 = lines.values().map(|l| l.theirs).sum();
        let from_library: u64 = lines.values().map(|l| l.theirs.saturating_sub(l.ours)).sum();
        let holds = match self.class {
            Class::Vectorised => {
                theirs < ours
                    && shown.iter().any(|(_, op, _)| op.contains(".64") || op.contains(".128"))
            }
            Class::Reused | Class::Merged => theirs < ours,
            Class::Copies => shown.iter().any(|(_, _, copies)| *copies > 1),
            Class::Apart => {
                theirs > ours && lines.values().any(|l| l.theirs > l.ours && l.ours > 0)
            }
            Class::Library => theirs > ours && from_library >= theirs - ours,
            Class::System => theirs > ours && visible <= ours,
            Class::Order => !shown.is_empty(),
            Class::Counting => visible == ours,
        };
        holds.then_some(()).ok_or_else(|| format!("not {:?}", self.class).to_lowercase())
    }
}

/// The lines where the two differ, as text: `line 59: 16384 / 10240 (LDS x8192, LDS.128 x2048)`.
pub fn describe(lines: &Lines) -> String {
    let differing = lines.iter().filter(|(_, l)| l.ours != l.theirs);
    let texts: Vec<String> = differing
        .map(|(number, line)| {
            let place = number.map_or("CUDA headers".to_string(), |n| format!("line {n}"));
            let mut ops: Vec<_> = line.ops.iter().collect();
            ops.sort_by_key(|(_, (_, executed))| std::cmp::Reverse(*executed));
            let mut shown: Vec<String> =
                ops.iter().take(3).map(|(op, (_, n))| format!("{op} x{n}")).collect();
            if ops.len() > 3 {
                shown.push("...".into());
            }
            let what =
                if shown.is_empty() { String::new() } else { format!(" ({})", shown.join(", ")) };
            format!("{place}: {} / {}{what}", line.ours, line.theirs)
        })
        .collect();
    let cut = if texts.len() > 5 { 4 } else { texts.len() };
    let mut out = texts[..cut].join("; ");
    if texts.len() > cut {
        out += &format!("; {} more lines", texts.len() - cut);
    }
    out
}
