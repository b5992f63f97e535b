//! Source files and positions in them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Index of a file in a [`SourceMap`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct FileId(pub u16);

/// A half-open range of bytes `lo..hi` in one file.
///
/// Tokens that come out of a macro carry the span of the macro's *use*, so that a message points at a line the
/// student wrote.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Span {
    /// File.
    pub file: FileId,
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Span {
    /// Smallest span that covers `self` and `other`; `self` alone if they lie in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
}

/// A position for people: file name, line and column, both counted from 1; the column counts characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    /// Name of the file as it was given to the compiler.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub col: u32,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.col)
    }
}

/// One source file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Name shown in messages.
    pub name: String,
    /// Whole text.
    pub text: Arc<str>,
    line_starts: Vec<u32>,
}

impl SourceFile {
    fn new(name: String, text: Arc<str>) -> SourceFile {
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1),
        );
        SourceFile { name, text, line_starts }
    }

    /// Line number of byte `pos`, from 1.
    pub fn line_of(&self, pos: u32) -> u32 {
        self.line_starts.partition_point(|s| *s <= pos) as u32
    }

    /// Text of line `line` (from 1) without its line end; empty if there is no such line.
    pub fn line_text(&self, line: u32) -> &str {
        let Some(start) = self.line_starts.get((line as usize).wrapping_sub(1)) else { return "" };
        let rest = &self.text[*start as usize..];
        rest.split('\n').next().unwrap_or("").trim_end_matches('\r')
    }
}

/// All files of one compilation: the kernel file and what it includes.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file and returns its id.
    ///
    /// # Panics
    /// With more than 65,535 files or a file of 4 GiB or more; the preprocessor refuses both before.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId(u16::try_from(self.files.len()).expect("fewer than 65536 files"));
        let text = text.into();
        assert!(u32::try_from(text.len()).is_ok(), "source file of 4 GiB");
        self.files.push(SourceFile::new(name.into(), text));
        id
    }

    /// The file behind an id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files, in the order in which they were added.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Where `span` begins, for people.
    pub fn locate(&self, span: Span) -> Location {
        let Some(file) = self.files.get(span.file.0 as usize) else {
            return Location { file: "<built-in>".into(), line: 0, col: 0 };
        };
        let line = file.line_of(span.lo);
        let start = file.line_starts[line as usize - 1] as usize;
        let lo = (span.lo as usize).min(file.text.len());
        let col = file.text.get(start..lo).map_or(1, |s| s.chars().count() as u32 + 1);
        Location { file: file.name.clone(), line, col }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_columns_count_characters() {
        let mut map = SourceMap::default();
        let file = map.add("k.cu", "int a;\n/* ż */ b;\r\nlast");
        let at = |lo| map.locate(Span { file, lo, hi: lo + 1 });
        assert_eq!(at(0).to_string(), "k.cu:1:1");
        assert_eq!(at(6).to_string(), "k.cu:1:7");
        let b = map.file(file).text.find('b').unwrap() as u32;
        assert_eq!(at(b).to_string(), "k.cu:2:9");
        assert_eq!(map.file(file).line_text(2), "/* ż */ b;");
        assert_eq!(map.file(file).line_text(3), "last");
        assert_eq!(map.file(file).line_text(9), "");
    }
}
