//! Damaged sources: bytes and tokens of the corpus deleted, doubled, exchanged, replaced.

use crate::random::Random;

/// Words that a mutation may put anywhere.
const WORDS: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ",",
    ";",
    ":",
    "::",
    "?",
    "*",
    "&",
    "&&",
    "->",
    ".",
    "...",
    "#",
    "##",
    "\n#define X X X\n",
    "\n#include \"x.h\"\n",
    "\n#if 0\n",
    "\n#else\n",
    "\n#endif\n",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "0",
    "-1",
    "1e9",
    "0x7fffffff",
    "4294967296",
    "1e400",
    "08",
    "0b",
    "1'",
    ".5.",
    "int",
    "float",
    "double",
    "void",
    "unsigned",
    "const",
    "static",
    "struct",
    "union",
    "enum",
    "class",
    "template",
    "template <template <typename> class C>",
    "friend",
    "volatile",
    "and",
    "({",
    "})",
    "typeof(",
    "asm(\"add.u32 %0, %1, %2;\" : \"=r\"(a) : \"r\"(1), \"r\"(b));",
    "tex2D<float>(t, 0, 0)",
    "texture<float, 2> t;",
    "cub::BlockReduce<int, 32>",
    "(*f)(int)",
    "typename",
    "<int N>",
    "__global__",
    "__device__",
    "__shared__",
    "__constant__",
    "extern",
    "return",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "goto",
    "sizeof",
    "operator",
    "this",
    "new",
    "delete",
    "auto",
    "decltype",
    "constexpr",
    "using",
    "namespace",
    "typedef",
    "friend",
    "public:",
    "virtual",
    "inline",
    "volatile",
    "__syncthreads()",
    "__syncwarp()",
    "threadIdx.x",
    "blockIdx",
    "blockDim.y",
    "atomicAdd",
    "printf",
    "\"%s %d %n\"",
    "float4",
    "half",
    "[=](int i) { return i; }",
    "[1 << 30]",
    "a[a[a[",
    "((((((((((",
    "~",
    "!",
    "%",
    "/ 0",
    "<<",
    ">>",
    "<<<1, 1>>>",
    "=",
    "==",
    "+=",
    "++",
    "--",
    "é",
    "\u{1F600}",
    "\0",
    "__ballot_sync",
    "__shfl_down_sync",
];

fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let same = |c: char| {
            if word(first) { word(c) } else { first.is_whitespace() && c.is_whitespace() }
        };
        let len =
            rest.char_indices().skip(1).find(|(_, c)| !same(*c)).map_or(rest.len(), |(at, _)| at);
        let (token, tail) = rest.split_at(len);
        out.push(token);
        rest = tail;
    }
    out
}

/// `text` with a few wounds; `other` lends its tokens.
pub fn mutate(r: &mut Random, text: &str, other: &str) -> String {
    if r.once_in(6) {
        return bytes(r, text);
    }
    let lent = tokens(other);
    let mut list: Vec<String> = tokens(text).into_iter().map(str::to_string).collect();
    for _ in 0..1 + r.below(4) {
        if list.is_empty() {
            break;
        }
        let at = r.below(list.len());
        match r.below(8) {
            0 => {
                list.remove(at);
            }
            1 => list.insert(at, list[at].clone()),
            2 => {
                let with = r.below(list.len());
                list.swap(at, with);
            }
            3 => list[at] = r.pick(WORDS).to_string(),
            4 => list.insert(at, r.pick(WORDS).to_string()),
            5 => list[at] = r.pick(&lent).to_string(),
            6 => {
                let to = (at + r.below(30)).min(list.len());
                list.drain(at..to);
            }
            _ => {
                let from = r.below(lent.len());
                let to = (from + r.below(20)).min(lent.len());
                let part: Vec<String> = lent[from..to].iter().map(|t| t.to_string()).collect();
                list.splice(at..at, part);
            }
        }
    }
    list.concat()
}

fn bytes(r: &mut Random, text: &str) -> String {
    let mut list = text.as_bytes().to_vec();
    for _ in 0..1 + r.below(3) {
        if list.is_empty() {
            break;
        }
        let at = r.below(list.len());
        match r.below(4) {
            0 => {
                list.remove(at);
            }
            1 => list[at] ^= 1 << r.below(8),
            2 => list.insert(at, r.bits() as u8),
            _ => list.truncate(at),
        }
    }
    String::from_utf8_lossy(&list).into_owned()
}
