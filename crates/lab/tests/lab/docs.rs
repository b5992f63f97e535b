//! Every `cargo lab ...` that a document tells people to type is a command that exists.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use clap::error::ErrorKind;
use lab::Cli;

fn documents(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if name.starts_with('.') || name == "target" {
            continue;
        }
        if path.is_dir() {
            documents(&path, out);
        } else if name.ends_with(".md") {
            out.push(path);
        }
    }
}

/// What follows `cargo lab` in code: up to the end of the line, of the back quotes, or a comment. A
/// line that ends in a backslash goes on in the next.
fn commands(text: &str) -> Vec<String> {
    let mut parts = text.split("\\\n");
    let mut text = parts.next().unwrap_or_default().to_string();
    parts.for_each(|part| text += part.trim_start_matches(' '));
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let code: Vec<&str> = if fenced || line.starts_with("    ") {
            vec![line.trim().trim_start_matches("$ ")]
        } else {
            line.split('`').skip(1).step_by(2).collect()
        };
        for code in code {
            if let Some(rest) = code.strip_prefix("cargo lab")
                && (rest.is_empty() || rest.starts_with(' '))
            {
                let end = rest.find(" #").or(rest.find("  ")).unwrap_or(rest.len());
                found.push(rest[..end].trim().to_string());
            }
        }
    }
    found
}

#[test]
fn commands_in_documents_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    documents(&root, &mut files);
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for file in files {
        for command in commands(&fs::read_to_string(&file).unwrap()) {
            seen += 1;
            let words = command.split_whitespace().filter(|w| !w.starts_with(['[', '.']));
            let parsed = Cli::try_parse_from(["cargo lab"].into_iter().chain(words));
            // Placeholders such as EX or N are no reason to complain; unknown words are.
            if let Err(error) = parsed
                && matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand)
            {
                wrong.push(format!("{}: cargo lab {command}", file.display()));
            }
        }
    }
    assert!(seen > 0, "no document names a command");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn commands_are_found_in_code_only() {
    let text = "Type `cargo lab run 1.1.3` or cargo lab nothing.\n\n```sh\n\
                $ cargo lab hint 1 # a hint\n```\n    cargo lab\n";
    assert_eq!(commands(text), ["run 1.1.3", "hint 1", ""]);
    let text = "```sh\ncargo lab kernel a.cu \\\n    --grid 4\n```\n";
    assert_eq!(commands(text), ["kernel a.cu --grid 4"]);
}
