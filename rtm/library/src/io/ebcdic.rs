//! Text of SEG-Y's headers, in the code of IBM's machines or in ASCII.

/// A letter in the code of IBM's machines (code page 37); what it lacks becomes a blank.
pub(super) fn ebcdic(c: char) -> u8 {
    let c = c.to_ascii_uppercase();
    match c {
        'A'..='I' => 0xc1 + (c as u8 - b'A'),
        'J'..='R' => 0xd1 + (c as u8 - b'J'),
        'S'..='Z' => 0xe2 + (c as u8 - b'S'),
        '0'..='9' => 0xf0 + (c as u8 - b'0'),
        '.' => 0x4b,
        '(' => 0x4d,
        '+' => 0x4e,
        ')' => 0x5d,
        ';' => 0x5e,
        '-' => 0x60,
        '/' => 0x61,
        ',' => 0x6b,
        '_' => 0x6d,
        ':' => 0x7a,
        '=' => 0x7e,
        _ => 0x40,
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
