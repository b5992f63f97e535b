//! Rules for sources that no other tool keeps: the width of a line, the length of a function, and
//! `forbid(unsafe_code)`.

use std::process::Command;

use course_tests::place;
use proc_macro2::{TokenStream, TokenTree};

/// Columns of a line at most.
const WIDTH: usize = 100;

/// Which files have lines of that width: all that people write.
const WRITTEN: &[&str] = &[
    "*.rs", "*.md", "*.cu", "*.cuh", "*.cl", "*.h", "*.c", "*.toml", "*.sh", "*.py", "*.js",
    "*.css", "*.html", "*.yml", ".ci/*",
];

/// Files that may have wider lines, and why.
const WIDE: &[(&str, &str)] = &[
    ("Cargo.toml", "the profile of a package is one line, so that a pack can leave it out"),
    ("tests/hostile/blame/long_name.toml", "the case is a long name"),
];

/// Lines of a function at most, unless the comment above it says why: it is "long because ...".
const LONG: usize = 150;

/// Columns of a terminal.
const TERMINAL: usize = 80;

const FORBID: &str = "#![forbid(unsafe_code)]";

/// Files under version control that match one of the patterns, relative to the root.
pub fn tracked(patterns: &[&str]) -> Vec<String> {
    let output = Command::new("git")
        .current_dir(place().root)
        .args(["ls-files", "--"])
        .args(patterns)
        .output()
        .expect("git can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

fn read(file: &str) -> String {
    std::fs::read_to_string(place().root.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// The lines of a text that are too wide, with their numbers. A row of a table, also in a comment,
/// and a line with an address may be wider; in Markdown what a program printed, a picture, and the
/// title of what is folded; in a kernel of the tests a directive.
fn wide_lines(file: &str, text: &str) -> Vec<(usize, usize)> {
    let markdown = file.ends_with(".md");
    let mut fenced = false;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words = line.trim_start();
        fenced ^= words.starts_with("```");
        let plain = words.trim_start_matches("//!").trim_start_matches("///").trim_start();
        let quoted = fenced || line.starts_with("    ") || words.starts_with("![");
        let may_be = plain.starts_with('|')
            || line.contains("https://")
            || line.contains("http://")
            || words.starts_with("//@ ")
            || markdown && (quoted || words.starts_with("<details><summary>"));
        let columns = line.chars().count();
        if columns > WIDTH && !may_be {
            found.push((number, columns));
        }
    }
    found
}

/// What a student types or looks at beside a terminal; what a program prints (`console`) is as wide
/// as it prints it.
#[test]
fn drawings_and_commands_of_handouts_fit_a_terminal() {
    let mut wide = Vec::new();
    for file in tracked(&["lab*/README.md"]) {
        let mut fence = None;
        for (number, line) in (1..).zip(read(&file).lines()) {
            if let Some(kind) = line.strip_prefix("```") {
                fence = fence.is_none().then(|| kind.to_owned());
            } else if fence.as_deref().is_some_and(|kind| kind != "console")
                && line.chars().count() > TERMINAL
            {
                wide.push(format!("{file}:{number}: {} columns", line.chars().count()));
            }
        }
    }
    assert!(wide.is_empty(), "break these lines at {TERMINAL} columns:\n{}", wide.join("\n"));
}

#[test]
fn no_line_is_wider_than_a_page() {
    let narrow = |file: &String| WIDE.iter().all(|(wide, _)| file != wide);
    let mut wide = Vec::new();
    for file in tracked(WRITTEN).into_iter().filter(narrow) {
        for (number, columns) in wide_lines(&file, &read(&file)) {
            wide.push(format!("{file}:{number}: {columns} columns"));
        }
    }
    assert!(wide.is_empty(), "break these lines at {WIDTH} columns:\n{}", wide.join("\n"));
    let unused: Vec<_> =
        WIDE.iter().filter(|(file, _)| wide_lines(file, &read(file)).is_empty()).collect();
    assert!(unused.is_empty(), "these have no wide lines any more: {unused:?}");
}

#[test]
fn a_wide_line_is_found() {
    let wide = "x".repeat(WIDTH + 1);
    let text = format!("{wide}\n```\n{wide}\n```\n{wide}\n| {wide} |\n//@ {wide}\n");
    let lines = |file| wide_lines(file, &text).into_iter().map(|(n, _)| n).collect::<Vec<_>>();
    assert_eq!(lines("a.md"), [1, 5]);
    assert_eq!(lines("a.rs"), [1, 3, 5]);
}

/// The functions of a formatted source that are too long and do not say why, with their lines. A
/// function ends where a line begins with `}` below its `fn`.
fn long_functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some((before, name)) = line.split_once("fn ") else { continue };
        let words = ["pub", "const", "async", "unsafe", "extern", "\"C\"", "\"C-unwind\""];
        let is_word = |word| words.contains(&word) || word.starts_with("pub(");
        if !before.split_whitespace().all(is_word) {
            continue;
        }
        let same = |l: &&&str| indent(l) == indent(line);
        let body = lines[start..].iter().filter(same).find(|l| l.ends_with(['{', '}', ';']));
        let ends = |l: &&str| l.trim_start().starts_with('}') && indent(l) == indent(line);
        let end = lines[start..].iter().position(ends);
        let (Some(body), Some(end)) = (body, end) else { continue };
        let above =
            lines[..start].iter().rev().take_while(|l| l.trim_start().starts_with(['/', '#']));
        let above: Vec<&str> = above.copied().collect();
        let reason = ["long", "because"].iter().all(|w| above.iter().any(|l| l.contains(w)));
        if body.ends_with('{') && end >= LONG && !reason {
            let name: String =
                name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            found.push((name, end + 1));
        }
    }
    found
}

#[test]
fn a_long_function_says_why() {
    let mut long = Vec::new();
    for file in tracked(&["*.rs"]) {
        for (name, lines) in long_functions(&read(&file)) {
            long.push(format!("{file}: {name}: {lines} lines"));
        }
    }
    let more = format!(
        "functions of more than {LONG} lines: shorten them, or say above that they are long because"
    );
    assert!(long.is_empty(), "{more}:\n{}", long.join("\n"));
}

#[test]
fn a_long_function_is_found() {
    let body = "    x();\n".repeat(LONG);
    let text = format!(
        "fn short() {{\n}}\npub fn long<T>(\n    x: T,\n) {{\n{body}}}\n\
         /// Does it.\n// It is long because it is a list.\nfn list() {{\n{body}}}\n"
    );
    assert_eq!(long_functions(&text), [("long".to_string(), LONG + 4)]);
}

fn has_unsafe(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => has_unsafe(group.stream()),
        token => token.to_string() == "unsafe",
    })
}

#[test]
fn crates_without_unsafe_forbid_it() {
    let is_unsafe =
        |file: &String| has_unsafe(read(file).parse().unwrap_or_else(|e| panic!("{file}: {e}")));
    let mut missing = Vec::new();
    for manifest in tracked(&["Cargo.toml", "*/Cargo.toml"]) {
        let folder = manifest.trim_end_matches("Cargo.toml");
        let source = |pattern: &str| tracked(&[&format!("{folder}{pattern}")]);
        if source("src/*.rs").iter().any(is_unsafe) {
            continue;
        }
        let mut roots = [source("src/lib.rs"), source("src/main.rs")].concat();
        // The `*` of a pattern also stands for `/`: only what lies directly in `bin`.
        let direct = |file: &String| file.matches('/').count() == folder.matches('/').count() + 2;
        roots.extend(source("src/bin/*.rs").into_iter().filter(direct));
        // What is included is written while building, and not seen here.
        let lacks = |text: String| !text.contains(FORBID) && !text.contains("include!(");
        missing.extend(roots.into_iter().filter(|root| lacks(read(root))));
    }
    assert!(missing.is_empty(), "no `unsafe` below these: add {FORBID} to them: {missing:#?}");
}
