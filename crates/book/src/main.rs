//! `book ROOT DIR`: writes the book of the course at ROOT to DIR. `cargo lab book` runs it.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [root, dir] = &arguments[..] else {
        eprintln!("usage: book ROOT DIR");
        return ExitCode::from(2);
    };
    match book::write_book(Path::new(root), Path::new(dir), &book::Options::default()) {
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
