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
/// Tokens that come out of a macro carry the span of the macro's *use*, so that a message points at
/// a line the student wrote.
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

/// A position for people: file name, line and column, both counted from 1; the column counts
/// characters.
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
    marks: Vec<Mark>,
}

/// What `#line` says: from line `from` of the text on, lines count from `line` and belong to the
/// file `name`.
#[derive(Clone, Debug)]
struct Mark {
    from: u32,
    line: u32,
    name: Arc<str>,
}

impl SourceFile {
    fn new(name: String, text: Arc<str>) -> SourceFile {
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1),
        );
        SourceFile { name, text, line_starts, marks: Vec::new() }
    }

    /// File and line that `#line` gives line `line` of the text; its own without one.
    pub fn shown(&self, line: u32) -> (&str, u32) {
        let after = self.marks.partition_point(|mark| mark.from <= line);
        match after.checked_sub(1).map(|at| &self.marks[at]) {
            Some(mark) => (&mark.name, mark.line.saturating_add(line - mark.from)),
            None => (&self.name, line),
        }
    }

    /// The line of the text that is shown as `line` of the file `name`.
    fn shown_as(&self, name: &str, line: u32) -> Option<u32> {
        let first = (self.name.as_str(), 1, 1);
        let marks = self.marks.iter().map(|mark| (&*mark.name, mark.from, mark.line));
        let starts: Vec<_> = std::iter::once(first).chain(marks).collect();
        let ends = starts.iter().skip(1).map(|start| start.1).chain([u32::MAX]);
        starts.iter().zip(ends).find_map(|((file, from, first), end)| {
            let at = line.checked_sub(*first)?.checked_add(*from)?;
            (*file == name && at < end).then_some(at)
        })
    }

    /// Line number of byte `pos` in the text, from 1.
    pub fn line_of(&self, pos: u32) -> u32 {
        self.line_starts.partition_point(|s| *s <= pos) as u32
    }

    /// Text of line `line` of the text (from 1) without its line end; empty if there is no such
    /// line.
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
    /// With more than 65,535 files or a file of 4 GiB or more; the preprocessor refuses both
    /// before.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId(u16::try_from(self.files.len()).expect("fewer than 65536 files"));
        let text = text.into();
        assert!(u32::try_from(text.len()).is_ok(), "source file of 4 GiB");
        self.files.push(SourceFile::new(name.into(), text));
        id
    }

    /// Notes a `#line`: behind the line of `at` lines count from `line`, and belong to the file
    /// `name` if there is one.
    pub(crate) fn renumber(&mut self, at: Span, line: u32, name: Option<String>) {
        let file = &mut self.files[at.file.0 as usize];
        let from = file.line_of(at.lo) + 1;
        let place = file.marks.partition_point(|mark| mark.from < from);
        let name = match (name, place.checked_sub(1)) {
            (Some(name), _) => name.into(),
            (None, Some(before)) => file.marks[before].name.clone(),
            (None, None) => file.name.as_str().into(),
        };
        let mark = Mark { from, line, name };
        match file.marks.get_mut(place) {
            // A file that is included again says the same once more.
            Some(same) if same.from == from => *same = mark,
            _ => file.marks.insert(place, mark),
        }
    }

    /// The text of a line for people; empty if there is no such line.
    pub fn line_text(&self, at: &Location) -> &str {
        let found = |file: &SourceFile| file.shown_as(&at.file, at.line);
        let found = self.files.iter().find_map(|file| Some((file, found(file)?)));
        found.map_or("", |(file, line)| file.line_text(line))
    }

    /// The file behind an id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files, in the order in which they were added.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Where `span` begins, for people: as `#line` says.
    pub fn locate(&self, span: Span) -> Location {
        let Some(file) = self.files.get(span.file.0 as usize) else {
            return Location { file: "<built-in>".into(), line: 0, col: 0 };
        };
        let line = file.line_of(span.lo);
        let start = file.line_starts[line as usize - 1] as usize;
        let lo = (span.lo as usize).min(file.text.len());
        let col = file.text.get(start..lo).map_or(1, |s| s.chars().count() as u32 + 1);
        let (name, line) = file.shown(line);
        Location { file: name.to_owned(), line, col }
    }
}

/// The text of a source file: UTF-8, or else Latin-1, in which older files have the names of their
/// authors.
pub fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|e| e.into_bytes().into_iter().map(char::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renumbered_lines_are_shown_and_found() {
        let mut map = SourceMap::default();
        let file = map.add("k.cu", "a\n#line 70 \"x.h\"\nb\nc\n#line 3\nd\n");
        let at = |map: &SourceMap, what: char| {
            let lo = map.file(file).text.find(what).unwrap() as u32;
            map.locate(Span { file, lo, hi: lo + 1 })
        };
        let directive = |line: u32| Span { file, lo: if line == 2 { 2 } else { 22 }, hi: 0 };
        map.renumber(directive(2), 70, Some("x.h".into()));
        map.renumber(directive(5), 3, None);
        map.renumber(directive(2), 70, Some("x.h".into()));
        for (what, shown) in
            [('a', "k.cu:1:1"), ('b', "x.h:70:1"), ('c', "x.h:71:1"), ('d', "x.h:3:1")]
        {
            let place = at(&map, what);
            assert_eq!(place.to_string(), shown);
            assert_eq!(map.line_text(&place), what.to_string());
        }
        let none = Location { file: "k.cu".into(), line: 70, col: 1 };
        assert_eq!(map.line_text(&none), "");
    }

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
