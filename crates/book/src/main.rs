//! `book ROOT DIR [HOME]`: writes the book of the course at ROOT to DIR; HOME is the address of the
//! course's pages, as seen from DIR, where the book is a part of them. `cargo lab book` and
//! `cargo lab site` run it.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let (root, dir, home) = match &arguments[..] {
        [root, dir] => (root, dir, None),
        [root, dir, home] => (root, dir, Some(home.to_string_lossy().into_owned())),
        _ => {
            eprintln!("usage: book ROOT DIR [HOME]");
            return ExitCode::from(2);
        }
    };
    let options = book::Options { home: home.map(|to| ("Parallel numerical methods".into(), to)) };
    match book::write_book(Path::new(root), Path::new(dir), &options) {
        Ok(written) => {
            for (source, to) in written.broken {
                println!("warning: {source}: a link leads to {to}, which is not there");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
