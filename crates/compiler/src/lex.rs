//! Text to tokens. Comments and line joins disappear here; every token knows its place, whether a
//! blank stands before it and whether it begins a line, which is what the preprocessor needs.

use std::rc::Rc;

use crate::diag::Diagnostic;
use crate::source::{FileId, Span};

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub enum Tok {
    /// Identifier or keyword.
    Ident(Rc<str>),
    /// Number as written, suffixes included.
    Number(Rc<str>),
    /// String literal as written, with its quotes.
    Str(Rc<str>),
    /// Character literal as written, with its quotes.
    Char(Rc<str>),
    /// Operator or bracket.
    Punct(&'static str),
    /// `#pragma unroll`; a count follows in parentheses if there was one. Made by the preprocessor.
    Unroll,
    /// A character that C does not know.
    Bad(char),
    /// End of the text.
    Eof,
}

/// A token with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: Tok,
    /// Where it is; for tokens out of a macro, where the macro is used.
    pub span: Span,
    /// Blank space stands before it.
    pub space: bool,
    /// First of its line.
    pub first: bool,
    /// A macro name that must not be expanded again.
    pub painted: bool,
}

impl Token {
    /// Text as written.
    pub fn text(&self) -> String {
        match &self.kind {
            Tok::Ident(s) | Tok::Number(s) | Tok::Str(s) | Tok::Char(s) => s.to_string(),
            Tok::Punct(p) => (*p).to_string(),
            Tok::Unroll => "#pragma unroll".into(),
            Tok::Bad(c) => c.to_string(),
            Tok::Eof => String::new(),
        }
    }

    /// It is this operator or bracket.
    pub fn is(&self, punct: &str) -> bool {
        matches!(self.kind, Tok::Punct(p) if p == punct)
    }

    /// It is one of these words.
    pub fn is_one_of(&self, words: &[&str]) -> bool {
        matches!(&self.kind, Tok::Ident(s) if words.contains(&&**s))
    }

    /// It is this word.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(&self.kind, Tok::Ident(s) if **s == *word)
    }
}

/// Operators, longest first, so that the first match is the right one.
const PUNCTS: &[&str] = &[
    "...", "<<=", ">>=", "->*", ".*", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
    "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", "{", "}", "(", ")", "[", "]",
    ";", ",", ".", "?", ":", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "=", "<", ">", "#",
];

/// Cuts `text` into tokens, the last of which is [`Tok::Eof`]. Complaints go to `diags`; the result
/// is always usable.
pub fn lex(text: &str, file: FileId, diags: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), pos: 0, file, diags };
    let mut out = Vec::with_capacity(text.len() / 4);
    let (mut space, mut first) = (false, true);
    // The byte order mark of UTF-16, read as Latin-1.
    if text.starts_with(['\u{fe}', '\u{ff}']) && text.contains('\0') {
        let span = Span { file, lo: 0, hi: text.len() as u32 };
        lexer.pos = text.len();
        lexer.diags.push(
            Diagnostic::error(Span { hi: 2, ..span }, "this file is in UTF-16")
                .help("save it as UTF-8: the editor's `save as` or `save with encoding`"),
        );
    }
    loop {
        let start = lexer.pos;
        let newline = lexer.skip_blank();
        space |= lexer.pos > start;
        first |= newline;
        let lo = lexer.pos;
        let kind = lexer.token();
        let span = Span { file, lo: lo as u32, hi: lexer.pos as u32 };
        let end = kind == Tok::Eof;
        if let Tok::Bad(c) = kind {
            let meant = meant(c);
            let help = match meant {
                Some(plain) => format!("type a plain `{plain}`"),
                None => "outside comments and strings only plain ASCII is allowed".into(),
            };
            let help = format!("{help}; was it pasted from a formatted text?");
            let shown = c.escape_debug();
            let text = format!("the character `{shown}` does not belong in a program");
            lexer.diags.push(Diagnostic::error(span, text).help(help));
            // Go on as if it were right: one mistake, one message.
            if let Some(op) = meant.and_then(|m| PUNCTS.iter().find(|p| **p == m)) {
                out.push(Token { kind: Tok::Punct(op), span, space, first, painted: false });
                (space, first) = (false, false);
            }
        } else {
            out.push(Token { kind, span, space, first, painted: false });
            (space, first) = (false, false);
        }
        if end {
            return out;
        }
    }
}

/// What a character from a formatted text stands for.
fn meant(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2212}' | '\u{2010}'..='\u{2015}' => "-",
        '\u{d7}' | '\u{2217}' | '\u{22c5}' => "*",
        '\u{f7}' | '\u{2215}' => "/",
        '\u{2264}' => "<=",
        '\u{2265}' => ">=",
        '\u{2260}' => "!=",
        '\u{201c}'..='\u{201f}' => "\"",
        '\u{2018}'..='\u{201b}' => "'",
        '\u{a0}' | '\u{2000}'..='\u{200b}' | '\u{202f}' => " ",
        _ => return None,
    })
}

struct Lexer<'a, 'd> {
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    file: FileId,
    diags: &'d mut Vec<Diagnostic>,
}

impl Lexer<'_, '_> {
    fn at(&self, offset: usize) -> u8 {
        self.bytes.get(self.pos + offset).copied().unwrap_or(0)
    }

    /// Length of a line join (backslash, line end) at `offset`, or 0.
    fn join(&self, offset: usize) -> usize {
        match (self.at(offset), self.at(offset + 1), self.at(offset + 2)) {
            (b'\\', b'\n', _) => 2,
            (b'\\', b'\r', b'\n') => 3,
            _ => 0,
        }
    }

    /// Skips blanks, comments and line joins; says whether a line ended.
    fn skip_blank(&mut self) -> bool {
        let mut newline = false;
        while self.pos < self.bytes.len() {
            match self.at(0) {
                b'\n' => {
                    newline = true;
                    self.pos += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.pos += 1,
                0xef if self.bytes[self.pos..].starts_with(b"\xef\xbb\xbf") => self.pos += 3,
                b'\\' if self.join(0) > 0 => self.pos += self.join(0),
                b'/' if self.at(1) == b'/' => {
                    while self.pos < self.bytes.len() && self.at(0) != b'\n' {
                        self.pos += self.join(0).max(1);
                    }
                }
                b'/' if self.at(1) == b'*' => {
                    let lo = self.pos as u32;
                    match self.text[self.pos + 2..].find("*/") {
                        Some(n) => self.pos += n + 4,
                        None => {
                            let span = Span { file: self.file, lo, hi: lo + 2 };
                            self.diags.push(
                                Diagnostic::error(span, "this comment has no end")
                                    .help("close it with `*/`"),
                            );
                            self.pos = self.bytes.len();
                        }
                    }
                }
                _ => break,
            }
        }
        newline
    }

    fn token(&mut self) -> Tok {
        if self.pos >= self.bytes.len() {
            return Tok::Eof;
        }
        let lo = self.pos;
        let c = self.at(0);
        if c.is_ascii_alphabetic() || c == b'_' || c == b'$' {
            while self.at(0).is_ascii_alphanumeric() || matches!(self.at(0), b'_' | b'$') {
                self.pos += 1;
            }
            let word = &self.text[lo..self.pos];
            if self.at(0) == b'"'
                && matches!(word, "R" | "u8R" | "uR" | "UR" | "LR")
                && let Some(raw) = self.raw_string()
            {
                return raw;
            }
            return Tok::Ident(self.text[lo..self.pos].into());
        }
        if c.is_ascii_digit() || (c == b'.' && self.at(1).is_ascii_digit()) {
            return self.number();
        }
        if c == b'"' || c == b'\'' {
            return self.quoted(c);
        }
        // The first byte decides for most of them, without a call.
        let fits = |p: &&&str| p.as_bytes()[0] == c && self.bytes[lo..].starts_with(p.as_bytes());
        if let Some(p) = PUNCTS.iter().find(fits) {
            self.pos += p.len();
            return Tok::Punct(p);
        }
        let c = self.text[lo..].chars().next().unwrap_or('\0');
        self.pos += c.len_utf8();
        Tok::Bad(c)
    }

    fn number(&mut self) -> Tok {
        let lo = self.pos;
        let hex = self.at(0) == b'0' && matches!(self.at(1), b'x' | b'X');
        while self.pos < self.bytes.len() {
            let c = self.at(0);
            let exponent = if hex { matches!(c, b'p' | b'P') } else { matches!(c, b'e' | b'E') };
            if exponent && matches!(self.at(1), b'+' | b'-') {
                self.pos += 2;
            } else if c.is_ascii_alphanumeric()
                || matches!(c, b'.' | b'_')
                || (c == b'\'' && self.at(1).is_ascii_alphanumeric())
            {
                self.pos += 1;
            } else {
                break;
            }
        }
        Tok::Number(self.text[lo..self.pos].replace('\'', "").into())
    }

    /// `"mark(text)mark"` behind `R`, as an ordinary string.
    fn raw_string(&mut self) -> Option<Tok> {
        let rest = &self.text[self.pos + 1..];
        let (mark, rest) = rest.split_once('(').filter(|(mark, _)| mark.len() <= 16)?;
        let end = format!("){mark}\"");
        let (text, _) = rest.split_once(&*end)?;
        self.pos += 2 + mark.len() + text.len() + end.len();
        let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        Some(Tok::Str(format!("\"{text}\"").into()))
    }

    fn quoted(&mut self, quote: u8) -> Tok {
        let lo = self.pos;
        self.pos += 1;
        loop {
            let c = self.at(0);
            if self.pos >= self.bytes.len() || c == b'\n' {
                let what = if quote == b'"' { "string" } else { "character" };
                let span = Span { file: self.file, lo: lo as u32, hi: self.pos as u32 };
                self.diags.push(
                    Diagnostic::error(span, format!("this {what} has no closing quote"))
                        .label("begins here"),
                );
                break;
            }
            self.pos += if c == b'\\' { self.join(0).max(2) } else { 1 };
            if c == quote {
                break;
            }
        }
        self.pos = self.pos.min(self.bytes.len());
        while !self.text.is_char_boundary(self.pos) {
            self.pos += 1;
        }
        let mut raw = self.text[lo..self.pos].replace("\\\r\n", "").replace("\\\n", "");
        if raw.len() < 2 || !raw.ends_with(quote as char) {
            raw.push(quote as char);
        }
        if quote == b'"' { Tok::Str(raw.into()) } else { Tok::Char(raw.into()) }
    }
}

/// The words of C++ that are operators: `and` is `&&`.
pub fn spell_operators(tokens: &mut [Token]) {
    for t in tokens {
        let Tok::Ident(word) = &t.kind else { continue };
        t.kind = Tok::Punct(match &**word {
            "and" => "&&",
            "or" => "||",
            "not" => "!",
            "xor" => "^",
            "bitand" => "&",
            "bitor" => "|",
            "compl" => "~",
            "not_eq" => "!=",
            "and_eq" => "&=",
            "or_eq" => "|=",
            "xor_eq" => "^=",
            _ => continue,
        });
    }
}

/// Bytes of a string or character literal as written; the message names the first wrong escape.
pub fn unquote(raw: &str) -> Result<Vec<u8>, String> {
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or("").as_bytes();
    let mut out = Vec::with_capacity(inner.len());
    let mut i = 0;
    while i < inner.len() {
        let c = inner[i];
        i += 1;
        if c != b'\\' {
            out.push(c);
            continue;
        }
        let Some(&e) = inner.get(i) else { return Err("a backslash at the end".into()) };
        i += 1;
        let value = match e {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'e' => 27,
            b'\\' | b'\'' | b'"' | b'?' => e,
            b'x' => {
                let digits = inner[i..].iter().take_while(|d| d.is_ascii_hexdigit()).count();
                let text = std::str::from_utf8(&inner[i..i + digits]).unwrap_or("");
                i += digits;
                u8::from_str_radix(text, 16)
                    .map_err(|_| format!("the escape `\\x{text}` is not one byte"))?
            }
            b'0'..=b'7' => {
                let digits =
                    inner[i..].iter().take(2).take_while(|d| (b'0'..=b'7').contains(d)).count();
                let mut v = u32::from(e - b'0');
                for d in &inner[i..i + digits] {
                    v = v * 8 + u32::from(d - b'0');
                }
                i += digits;
                u8::try_from(v).map_err(|_| "an octal escape larger than a byte".to_string())?
            }
            other => return Err(format!("unknown escape `\\{}`", other as char)),
        };
        out.push(value);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        let mut diags = Vec::new();
        let tokens = lex(source, FileId(0), &mut diags);
        assert!(diags.is_empty(), "{diags:?}");
        tokens.iter().filter(|t| t.kind != Tok::Eof).map(Token::text).collect()
    }

    #[test]
    fn operators_take_the_longest_match() {
        assert_eq!(
            texts("a>>=b->c<<d...e::f"),
            ["a", ">>=", "b", "->", "c", "<<", "d", "...", "e", "::", "f"]
        );
    }

    #[test]
    fn numbers_keep_exponents_and_lose_digit_separators() {
        assert_eq!(
            texts("1e-3f 0x1p+4 .5 1'000u 1.f 3-2"),
            ["1e-3f", "0x1p+4", ".5", "1000u", "1.f", "3", "-", "2"]
        );
    }

    #[test]
    fn characters_of_formatted_texts_are_named_once_and_stand_for_what_was_meant() {
        let complaints = |source: &str| {
            let mut diags = Vec::new();
            let tokens = lex(source, FileId(0), &mut diags);
            let shown: Vec<String> = tokens.iter().map(Token::text).collect();
            (shown.join(" "), diags)
        };
        let (tokens, diags) = complaints("a \u{2212} b \u{2264} c");
        assert!(tokens.starts_with("a - b <= c"), "{tokens}");
        assert_eq!(diags.len(), 2, "{diags:?}");
        let (_, diags) = complaints("\u{ff}\u{fe}i\0n\0t\0");
        assert_eq!(diags.len(), 1, "{diags:?}");
        assert!(format!("{:?}", diags[0]).contains("UTF-16"), "{diags:?}");
    }

    #[test]
    fn comments_and_line_joins_vanish() {
        assert_eq!(texts("a/*x\ny*/b \\\n c // d \\\n still\ne"), ["a", "b", "c", "e"]);
    }

    #[test]
    fn what_has_no_end_is_reported_once_and_the_rest_is_usable() {
        for source in ["/* open", "\"open\nint", "'x\n", "\"\\", "'"] {
            let mut diags = Vec::new();
            let tokens = lex(source, FileId(0), &mut diags);
            assert_eq!(diags.len(), 1, "{source:?}");
            assert_eq!(tokens.last().unwrap().kind, Tok::Eof);
        }
    }

    #[test]
    fn escapes_become_bytes() {
        assert_eq!(unquote(r#""a\n\x41\0\101\\""#).unwrap(), b"a\nA\0A\\");
        assert!(unquote(r#""\q""#).is_err());
    }
}
