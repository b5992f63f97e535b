//! A trace with all that its header says, also what the program itself has no use for, and the
//! words of SEG-Y's text header.

use super::header::{Dialect, Endian, HeaderRules, TRACE_HEADER, TraceHeader};
use super::traces::ebcdic;

/// A trace as it is in its file.
#[derive(Clone, Debug)]
pub struct RawTrace {
    /// What the program understands of the header.
    pub header: TraceHeader,
    /// Samples, broken ones, too.
    pub samples: Vec<f32>,
    /// The header's bytes, after the rules that say where words are.
    pub(super) words: [u8; TRACE_HEADER],
    pub(super) endian: Endian,
    pub(super) dialect: Dialect,
}

impl RawTrace {
    /// A word of the header by its name in Seismic Un*x (`trid`, `cdp`, `scalco`, ...).
    ///
    /// # Panics
    /// There is no such word.
    pub fn word(&self, name: &str) -> i32 {
        match HeaderRules::place(name).expect("a word of the list") {
            (at, 2) => i32::from(self.endian.i16(&self.words, at)),
            (at, _) => self.endian.i32(&self.words, at),
        }
    }

    /// Whether the header is that of SEG-Y, not of Seismic Un*x.
    pub fn segy(&self) -> bool {
        self.dialect == Dialect::Segy
    }
}

/// The lines of a text header, from EBCDIC or ASCII, and which of them it was; without the blank
/// lines and the blanks at the ends. What cannot be printed becomes a dot.
pub fn text_lines(block: &[u8]) -> (&'static str, Vec<String>) {
    let blanks = |blank: u8| block.iter().filter(|b| **b == blank).count();
    // The digits 0xf0 to 0xf9 and most letters are no ASCII.
    let high = block.iter().filter(|b| **b >= 0x80).count();
    let coded = blanks(0x40) + high > blanks(b' ');
    let letter = |b: &u8| match coded {
        true => from_ebcdic(*b),
        false => match *b {
            b' '..=b'~' => char::from(*b),
            0 => ' ',
            _ => '.',
        },
    };
    let lines = block.chunks(80).map(|line| line.iter().map(letter).collect::<String>());
    let lines = lines.map(|l| l.trim_end().to_string()).filter(|l| !blank(l)).collect();
    (if coded { "EBCDIC" } else { "ASCII" }, lines)
}

/// Whether a line says nothing beyond its number (`C12`).
fn blank(line: &str) -> bool {
    let rest = line.strip_prefix('C').unwrap_or(line);
    rest.chars().all(|c| c.is_ascii_digit() || c == ' ')
}

/// A letter from the code of IBM's machines (code page 37).
fn from_ebcdic(b: u8) -> char {
    const MORE: [(u8, char); 15] = [
        (0x5a, '!'),
        (0x7f, '"'),
        (0x7b, '#'),
        (0x5b, '$'),
        (0x6c, '%'),
        (0x50, '&'),
        (0x7d, '\''),
        (0x5c, '*'),
        (0x4c, '<'),
        (0x6e, '>'),
        (0x6f, '?'),
        (0x7c, '@'),
        (0x4f, '|'),
        (0x00, ' '),
        (0x40, ' '),
    ];
    if let Some((_, c)) = MORE.iter().find(|(code, _)| *code == b) {
        return *c;
    }
    // Small letters lie 0x40 before the large ones.
    let small = matches!(b, 0x81..=0x89 | 0x91..=0x99 | 0xa2..=0xa9);
    let large = if small { b + 0x40 } else { b };
    match (' '..='Z').chain(['_']).find(|c| *c != ' ' && ebcdic(*c) == large) {
        Some(c) if small => c.to_ascii_lowercase(),
        Some(c) => c,
        None => '.',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_headers_of_both_codes_are_read() {
        let line = |text: &str| format!("{text:<80}");
        let text = line("C 1 CLIENT: A-B (2026), 5.5 M") + &line("C 2") + &line("C 3 END");
        let want = ["C 1 CLIENT: A-B (2026), 5.5 M", "C 3 END"];
        let coded: Vec<u8> = text.chars().map(ebcdic).collect();
        assert_eq!(text_lines(&coded), ("EBCDIC", want.map(String::from).to_vec()));
        assert_eq!(text_lines(text.as_bytes()), ("ASCII", want.map(String::from).to_vec()));
        // "Line #1 & 50%" in code page 37, by hand.
        let small = [0xd3, 0x89, 0x95, 0x85, 0x40, 0x7b, 0xf1, 0x40, 0x50, 0x40, 0xf5, 0xf0, 0x6c];
        assert_eq!(text_lines(&small).1, ["Line #1 & 50%"]);
    }
}
