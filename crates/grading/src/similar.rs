//! How much of one text is in another: fingerprints of runs of tokens, chosen by winnowing
//! (Schleimer, Wilkerson, Aiken: "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD
//! 2003, section 3).
//!
//! Names, numbers and texts in quotes count as the same token each, comments and blanks as none:
//! renaming and reformatting change nothing. Keywords and the names that a kernel language gives a
//! meaning stay apart.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::region;

/// Tokens in a run: shorter common runs are chance.
const RUN: usize = 12;
/// Of so many runs in a row one is kept at least, so that every common piece of
/// `RUN + WINDOW - 1` tokens is found.
const WINDOW: usize = 4;
/// Fewer fingerprints in common are chance, whatever their share.
const LEAST: usize = 6;

/// Words that keep their meaning under a change of names.
const WORDS: &str = " as bool blockDim blockIdx break case char const continue do double \
    else enum extern false float fn for gridDim half if impl in int let long loop match mod move \
    mut pub ref return self short signed sizeof static struct switch template threadIdx true \
    typedef unsafe unsigned use void volatile where while __constant__ __device__ __global__ \
    __kernel __local __restrict__ __shared__ __syncthreads atomicAdd barrier clock fma fmaf \
    get_global_id get_group_id get_local_id printf ";

/// Fingerprints of a text, each with the lines (from 1) of the first run that has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prints(BTreeMap<u64, (usize, usize)>);

impl Prints {
    /// The winnowed fingerprints of the student's regions of a file; of all of it if its markers
    /// are damaged.
    pub fn of_regions(text: &str, name: &str) -> Prints {
        let mut prints = Prints::default();
        for run in runs_of_regions(text, name) {
            prints.winnow(&run);
        }
        prints
    }

    /// Every run's fingerprint of a whole text: what a winnowed one is looked for in.
    pub fn every(text: &str, name: &str) -> Prints {
        Prints(runs(&tokens(text, region::comment_of(name), 1)).into_iter().collect())
    }

    /// Of each window the smallest hash, the last of equal ones.
    fn winnow(&mut self, runs: &[(u64, (usize, usize))]) {
        for window in runs.windows(WINDOW.min(runs.len()).max(1)) {
            if let Some((hash, lines)) = window.iter().rev().min_by_key(|(hash, _)| hash) {
                self.0.entry(*hash).or_insert(*lines);
            }
        }
    }

    /// Takes away what another text has, too.
    pub fn without(&mut self, other: &Prints) {
        self.0.retain(|hash, _| !other.0.contains_key(hash));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if the text is too short for a run.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many of these are in `other`.
    pub fn common(&self, other: &Prints) -> usize {
        self.0.keys().filter(|hash| other.0.contains_key(hash)).count()
    }
}

/// One student's files of a lab, by name.
#[derive(Clone, Debug)]
pub struct Work {
    /// Whose.
    pub name: String,
    /// Text by file.
    pub files: BTreeMap<String, String>,
}

/// Two pieces of work with something in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Place of the first in the list.
    pub a: usize,
    /// Place of the second.
    pub b: usize,
    /// Fingerprints in common.
    pub common: usize,
    /// These over those of the one that has fewer, in per cent.
    pub percent: usize,
    /// By file: lines of the first and of the second that are in common.
    pub lines: BTreeMap<String, (BTreeSet<usize>, BTreeSet<usize>)>,
}

/// Pairs that have at least `least` per cent in common, most alike first.
///
/// Not counted is what `given` has (skeletons and reference solutions, by file), and what more than
/// a quarter of the class, and more than three, have: the usual way to write it.
pub fn pairs(works: &[Work], given: &BTreeMap<String, Vec<String>>, least: usize) -> Vec<Pair> {
    let mut prints: Vec<BTreeMap<&str, Prints>> = works.iter().map(|w| own(w, given)).collect();
    let mut owners: BTreeMap<(String, u64), usize> = BTreeMap::new();
    for (file, of_file) in prints.iter().flatten() {
        for hash in of_file.0.keys() {
            *owners.entry((file.to_string(), *hash)).or_default() += 1;
        }
    }
    let usual = (works.len() / 4).max(3);
    for (file, of_file) in prints.iter_mut().flatten() {
        of_file.0.retain(|hash, _| owners[&(file.to_string(), *hash)] <= usual);
    }
    let total = |of: &BTreeMap<&str, Prints>| of.values().map(Prints::len).sum::<usize>();
    let mut pairs = Vec::new();
    for a in 0..works.len() {
        for b in a + 1..works.len() {
            let mut pair = Pair { a, b, common: 0, percent: 0, lines: BTreeMap::new() };
            for (file, of_a) in &prints[a] {
                let Some(of_b) = prints[b].get(file) else { continue };
                for (hash, (from, to)) in &of_a.0 {
                    let Some((first, last)) = of_b.0.get(hash) else { continue };
                    pair.common += 1;
                    let lines = pair.lines.entry(file.to_string()).or_default();
                    lines.0.extend(*from..=*to);
                    lines.1.extend(*first..=*last);
                }
            }
            let smaller = total(&prints[a]).min(total(&prints[b]));
            pair.percent = (100 * pair.common).checked_div(smaller).unwrap_or(0);
            if pair.common >= LEAST && pair.percent >= least {
                pairs.push(pair);
            }
        }
    }
    pairs.sort_by_key(|p| std::cmp::Reverse((p.percent, p.common)));
    pairs
}

/// What of a piece of work is its own, by file. Answers are no code: their form is given.
fn own<'w>(work: &'w Work, given: &BTreeMap<String, Vec<String>>) -> BTreeMap<&'w str, Prints> {
    let code = work.files.iter().filter(|(name, _)| !name.ends_with(".toml"));
    code.map(|(name, text)| {
        let mut prints = Prints::of_regions(text, name);
        for given in given.get(name).into_iter().flatten() {
            prints.without(&Prints::every(given, name));
        }
        (name.as_str(), prints)
    })
    .collect()
}

/// Hash and lines of every run of tokens in each region.
fn runs_of_regions(text: &str, name: &str) -> Vec<Vec<(u64, (usize, usize))>> {
    let comment = region::comment_of(name);
    if region::regions(text, comment).is_err() {
        return vec![runs(&tokens(text, comment, 1))];
    }
    let (open, close) = (format!("{comment} <lab"), format!("{comment} lab>"));
    let mut out = Vec::new();
    let mut region: Option<(usize, String)> = None;
    for (k, line) in text.split_inclusive('\n').enumerate() {
        if line.trim() == open {
            region = Some((k + 2, String::new()));
        } else if line.trim() == close {
            let (first, text) = region.take().unwrap_or_default();
            out.push(runs(&tokens(&text, comment, first)));
        } else if let Some((_, text)) = &mut region {
            *text += line;
        }
    }
    out
}

fn runs(tokens: &[(u64, usize)]) -> Vec<(u64, (usize, usize))> {
    let hash = |run: &[(u64, usize)]| {
        let mut hasher = DefaultHasher::new();
        run.iter().for_each(|(token, _)| token.hash(&mut hasher));
        (hasher.finish(), (run[0].1, run[RUN - 1].1))
    };
    tokens.windows(RUN).map(hash).collect()
}

/// Tokens with their lines, `first` for the first line of the text.
fn tokens(text: &str, comment: &str, first: usize) -> Vec<(u64, usize)> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let (mut at, mut line) = (0, first);
    let until = |from: usize, end: &str| {
        text.get(from..).and_then(|rest| rest.find(end)).map_or(bytes.len(), |k| from + k)
    };
    let code = |token: &str| {
        let mut hasher = DefaultHasher::new();
        token.hash(&mut hasher);
        hasher.finish()
    };
    while at < bytes.len() {
        let c = bytes[at];
        let start = at;
        let token = if c.is_ascii_whitespace() {
            at += 1;
            None
        } else if bytes[at..].starts_with(comment.as_bytes()) {
            at = until(at, "\n");
            None
        } else if comment == "//" && bytes[at..].starts_with(b"/*") {
            at = (until(at + 2, "*/") + 2).min(bytes.len());
            None
        } else if c == b'"' {
            at = quoted(bytes, at);
            Some("\"")
        } else if c == b'\'' && is_character(bytes, at) {
            at = quoted(bytes, at);
            Some("'")
        } else if c.is_ascii_digit() {
            let part = |c: &u8| c.is_ascii_alphanumeric() || *c == b'_' || *c == b'.';
            // `0..n` is a number and two points.
            while bytes.get(at).is_some_and(part) && !bytes[at..].starts_with(b"..") {
                at += 1;
            }
            Some("0")
        } else if c.is_ascii_alphabetic() || c == b'_' || !c.is_ascii() {
            let part = |c: &u8| c.is_ascii_alphanumeric() || *c == b'_' || !c.is_ascii();
            while bytes.get(at).is_some_and(part) {
                at += 1;
            }
            let word = text.get(start..at).unwrap_or("x");
            Some(if WORDS.contains(&format!(" {word} ")) { word } else { "x" })
        } else {
            at += 1;
            text.get(start..at)
        };
        out.extend(token.map(|token| (code(token), line)));
        line += bytes[start..at].iter().filter(|c| **c == b'\n').count();
    }
    out
}

/// Where the text in quotes that begins at `at` ends.
fn quoted(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() && bytes[end] != bytes[at] {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    (end + 1).min(bytes.len())
}

/// True if the quote at `at` begins a character, not the name of a lifetime.
fn is_character(bytes: &[u8], at: usize) -> bool {
    bytes.get(at + 1) == Some(&b'\\') || bytes.get(at + 2) == Some(&b'\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "given();\n// <lab\nfor (int k = 0; k < n; ++k)\n    sum += c[k] * \
        x[i + k]; // taps\ny[i] = sum;\n// lab>\n";

    fn work(name: &str, text: &str) -> Work {
        Work { name: name.into(), files: BTreeMap::from([("a.cu".to_string(), text.to_string())]) }
    }

    #[test]
    fn names_blanks_comments_and_numbers_make_no_difference() {
        let renamed =
            "other(1, 2);\n// <lab\n/* mine */ for (int tap = 0; tap < len; ++tap) { }\n// lab>\n";
        let same = ONE.replace("sum", "total").replace('k', "tap").replace("    ", "\t");
        let prints = Prints::of_regions(ONE, "a.cu");
        assert!(prints.len() >= LEAST, "{prints:?}");
        assert_eq!(prints.common(&Prints::every(&same, "a.cu")), prints.len());
        assert!(prints.common(&Prints::every(renamed, "a.cu")) < prints.len() / 2);
        assert_eq!(Prints::of_regions("// <lab\nint i;\n// lab>\n", "a.cu").len(), 0);
    }

    #[test]
    fn tokens_are_those_of_the_languages() {
        let count = |text: &str| tokens(text, "//", 1).len();
        assert_eq!(count("a.b(\"x // y\", 'c', '\\n')"), 10);
        assert_eq!(count("fn f<'a>(x: &'a str) // z"), 14);
        assert_eq!(count("0..n 1.5e3f /* 1\n2 */ \u{e9}"), 6);
        assert_eq!(tokens("a\n/*\n*/ \"x\ny\" b", "//", 5).last().unwrap().1, 8);
        assert_eq!(count("\"open"), 1);
        assert_eq!(count("/* open"), 0);
    }

    #[test]
    fn pairs_name_lines_and_leave_out_what_is_given_or_usual() {
        let other = "// <lab\nint k = n;\nwhile (k > 0) {\n  --k;\n  total = fmaf(x[i + k], \
            c[k], total);\n}\ny[i] = total;\n// lab>\n";
        let works = [work("ann", ONE), work("bob", &ONE.replace("sum", "s")), work("cy", other)];
        let none = BTreeMap::new();
        let found = pairs(&works, &none, 30);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].a, found[0].b, found[0].percent), (0, 1, 100));
        assert_eq!(found[0].lines["a.cu"].0, BTreeSet::from([3, 4, 5]));
        let given = BTreeMap::from([("a.cu".to_string(), vec![ONE.to_string()])]);
        assert_eq!(pairs(&works, &given, 30), []);
        let class: Vec<Work> = (0..4).map(|k| work(&format!("s{k}"), ONE)).collect();
        assert_eq!(pairs(&class, &none, 30), []);
    }
}
