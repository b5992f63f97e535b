//! What cargo says on its standard error, piece by piece.

/// Words with which cargo begins a line of its own, right-aligned in twelve columns.
const STEPS: [&str; 18] = [
    "Adding",
    "Checking",
    "Compiling",
    "Dirty",
    "Downgrading",
    "Downloaded",
    "Downloading",
    "Fetch",
    "Finished",
    "Fresh",
    "Locking",
    "Removing",
    "Resolving",
    "Running",
    "Unpacking",
    "Updating",
    "Upgrading",
    "Waiting",
];

/// What a piece of cargo's standard error says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// `Building [===>   ] 43/128: simt, hdl`.
    Progress {
        /// Units that are built, or need not be.
        done: usize,
        /// All units.
        total: usize,
        /// Those under way, such as `simt`, `lab(bin)`.
        active: Vec<String>,
    },
    /// `Compiling simt v0.1.0`, `Downloading 3 crates`: the line without blanks before it.
    Step(String),
    /// `Blocking waiting for file lock on build directory`: another cargo holds it.
    Waiting,
    /// Warnings, errors, and whatever else is said, as it came.
    Words(String),
}

impl Said {
    /// The meaning of a piece without its end of line; `None` for what only wipes a line.
    ///
    /// `rewritten`: it ended in a carriage return, so another piece takes its place.
    pub(crate) fn of(piece: &str, rewritten: bool) -> Option<Said> {
        let plain = without_controls(piece);
        let text = plain.trim();
        if let Some(progress) = text.strip_prefix("Building ").and_then(progress) {
            return Some(progress);
        }
        if text.starts_with("Blocking waiting for file lock") {
            return Some(Said::Waiting);
        }
        let of_cargo = plain.get(..12).is_some_and(|head| STEPS.contains(&head.trim_start()))
            && plain[12..].starts_with(' ');
        if of_cargo {
            return Some(Said::Step(text.to_string()));
        }
        // Other things that cargo rewrites would only tear the line that stands there.
        (!rewritten).then(|| Said::Words(piece.replace("\u{1b}[K", "")))
    }
}

/// `[===>   ] 43/128: simt, hdl`.
fn progress(text: &str) -> Option<Said> {
    let text = text.strip_prefix('[')?.split_once(']')?.1.trim_start();
    let (count, active) = text.split_once(':').unwrap_or((text, ""));
    let (done, total) = count.split_once('/')?;
    let active = active.split(',').map(|name| name.trim().trim_end_matches("..."));
    Some(Said::Progress {
        done: done.trim().parse().ok()?,
        total: total.trim().parse().ok()?,
        active: active.filter(|name| !name.is_empty()).map(String::from).collect(),
    })
}

/// The text without what moves the cursor or changes colours: sequences that begin with ESC.
fn without_controls(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => match rest.next() {
                // CSI ends with a letter, OSC with BEL or ESC \.
                Some('[') => _ = rest.find(|c| ('@'..='~').contains(c)),
                Some(']') => {
                    let mut escaped = false;
                    _ = rest.find(|&c| {
                        let end = c == '\u{7}' || (escaped && c == '\\');
                        escaped = c == '\u{1b}';
                        end
                    });
                }
                _ => {}
            },
            c if c.is_control() && c != '\t' => {}
            c => out.push(c),
        }
    }
    out
}

/// Cuts a stream into pieces at line feeds and carriage returns.
#[derive(Debug, Default)]
pub(crate) struct Pieces(Vec<u8>);

impl Pieces {
    /// What the pieces that end within `bytes` say.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<Said> {
        let mut all = Vec::new();
        for &byte in bytes {
            match byte {
                b'\n' | b'\r' => {
                    let piece = std::mem::take(&mut self.0);
                    all.extend(Said::of(&String::from_utf8_lossy(&piece), byte == b'\r'));
                }
                byte => self.0.push(byte),
            }
        }
        all
    }

    /// What the last piece says, which has no end.
    pub(crate) fn end(mut self) -> Vec<Said> {
        if self.0.is_empty() { Vec::new() } else { self.push(b"\n") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(stream: &str) -> Vec<Said> {
        let mut pieces = Pieces::default();
        // In small parts, as a pipe may give them.
        let mut said: Vec<Said> =
            stream.as_bytes().chunks(7).flat_map(|part| pieces.push(part)).collect();
        said.extend(pieces.end());
        said
    }

    fn progress(done: usize, total: usize, active: &[&str]) -> Said {
        let active = active.iter().map(|name| name.to_string()).collect();
        Said::Progress { done, total, active }
    }

    fn step(text: &str) -> Said {
        Said::Step(text.into())
    }

    fn words(text: &str) -> Said {
        Said::Words(text.into())
    }

    #[test]
    fn a_build_is_understood_with_and_without_colours() {
        let want = [
            step("Compiling simt v0.1.0 (/course/crates/simt)"),
            progress(0, 3, &[]),
            progress(1, 3, &["simt", "hdl(build.rs)"]),
            step("Compiling lab v0.1.0"),
            progress(2, 3, &["lab(bin)"]),
            step("Finished `dev` profile [optimized + debuginfo] target(s) in 1.54s"),
        ];
        let plain = "   Compiling simt v0.1.0 (/course/crates/simt)\n    \
            Building [                   ] 0/3          \r    \
            Building [=====>             ] 1/3: simt, hdl(build.rs)          \r   \
            Compiling lab v0.1.0\n    \
            Building [===========>       ] 2/3: lab(bin)          \r    \
            Finished `dev` profile [optimized + debuginfo] target(s) in 1.54s\n";
        assert_eq!(all(plain), want);
        let mut colours = String::from("\u{1b}]9;4;1;33\u{1b}\\");
        for line in plain.split_inclusive(['\n', '\r']) {
            let verb = line.trim_start().split(' ').next().unwrap();
            let bright = format!("\u{1b}[1m\u{1b}[92m{verb}\u{1b}[0m");
            colours += &("\u{1b}[K".to_string() + &line.replacen(verb, &bright, 1));
        }
        assert_eq!(all(&colours), want);
    }

    #[test]
    fn a_locked_folder_and_a_download_are_understood() {
        let text = "    Blocking waiting for file lock on build directory\n    \
            Updating crates.io index\n \
            Downloading crates ...\n\
            \x20Downloading 14 crates, remaining bytes: 1.2MiB          \r  \
            Downloaded libc v0.2.191\n";
        let want = [
            Said::Waiting,
            step("Updating crates.io index"),
            step("Downloading crates ..."),
            step("Downloading 14 crates, remaining bytes: 1.2MiB"),
            step("Downloaded libc v0.2.191"),
        ];
        assert_eq!(all(text), want);
    }

    #[test]
    fn errors_keep_every_line_and_colour() {
        let error = "\u{1b}[1m\u{1b}[91merror[E0425]\u{1b}[0m: cannot find value `x`\n \
            --> src/main.rs:3:5\n  |\n3 |     x\n  |     ^ not found in this scope\n\n\
            error: could not compile `lab` (bin \"lab\") due to 1 previous error";
        let text = "    Building [====>    ] 1/2: lab(bin)          \r\u{1b}[K".to_string() + error;
        let mut want = vec![progress(1, 2, &["lab(bin)"])];
        want.extend(error.lines().map(words));
        assert_eq!(all(&text), want);
        // No line of cargo's own, though it looks like one.
        assert_eq!(all("Compiling is hard\n"), [words("Compiling is hard")]);
        assert_eq!(all("     Blocked\n"), [words("     Blocked")]);
    }

    #[test]
    fn what_only_wipes_a_line_says_nothing() {
        assert_eq!(all("                       \r\u{1b}[K\r"), []);
    }
}
