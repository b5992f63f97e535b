//! The documents and the handout of lab 1 show what the tools really print.
//!
//! A block that begins with ```` ```console ```` holds commands (`$ cargo lab ...`) with their
//! output; a block that begins with ```` ```cuda FILE ```` or ```` ```opencl FILE ```` holds that
//! file. With the environment variable `UPDATE_DOCS=1` the test writes both.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Parser;
use lab::tools::Tool;

#[derive(Parser)]
#[command(name = "cargo lab")]
struct Cli {
    #[command(subcommand)]
    tool: Tool,
}

/// Output and exit code of `cargo lab ...`, run within this process.
fn run(command: &str) -> (String, u8) {
    let words = command.split_whitespace().skip(1);
    let cli = Cli::try_parse_from(words).unwrap_or_else(|e| panic!("{command}: {e}"));
    let mut out = Vec::new();
    let result = cli.tool.run(&mut out);
    let mut text = String::from_utf8(out).expect("text");
    let code = match result {
        Ok(code) => code,
        Err(failure) => {
            text += &failure.message;
            failure.code
        }
    };
    (text, code)
}

/// The document with all its blocks made anew.
fn renewed(document: &str) -> String {
    let mut out = String::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(out, "{line}");
        let Some(info) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
        let shown = info.strip_prefix("cuda ").or_else(|| info.strip_prefix("opencl "));
        if let Some(file) = shown {
            out += &std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{file}: {e}"));
        } else if info == "console" {
            let mut rest = block.iter();
            while let Some(first) = rest.next() {
                let Some(first) = first.strip_prefix("$ ") else { continue };
                // A command goes on in the next line after a backslash.
                let mut command = first.to_string();
                while command.ends_with('\\') {
                    let next = rest.next().expect("a line after a backslash");
                    let _ = write!(command, "\n{next}");
                }
                let (text, code) = run(&command.replace("\\\n", " "));
                let failed = ["error", "fault["].iter().any(|word| text.contains(word));
                assert_eq!(code != 0, failed, "exit code {code} of {command}:\n{text}");
                let _ = writeln!(out, "$ {command}");
                out += &text;
            }
        } else {
            for l in block {
                let _ = writeln!(out, "{l}");
            }
        }
        out += "```\n";
    }
    out
}

#[test]
fn documents_show_what_the_tools_print() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::set_current_dir(&root).expect("the repository's root");
    let documents = [
        "README.md",
        "docs/diagnostics.md",
        "docs/kernel-language.md",
        "lab1-cuda-intro/README.md",
    ];
    for document in documents {
        let path = PathBuf::from(document);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{document}: {e}"));
        let new = renewed(&text);
        if std::env::var("UPDATE_DOCS").is_ok_and(|v| v == "1") {
            std::fs::write(&path, &new).expect("the document can be written");
            continue;
        }
        for (number, (is, must)) in text.lines().zip(new.lines()).enumerate() {
            assert_eq!(is, must, "{document}:{}: run with UPDATE_DOCS=1", number + 1);
        }
        assert_eq!(text.lines().count(), new.lines().count(), "{document}: run with UPDATE_DOCS=1");
    }
}
