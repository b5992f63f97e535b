//! The programs of the lab.

mod audio;
mod matmultran;
mod tensor;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own for a test, gone when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let dir = std::env::temp_dir().join(format!("lab2-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a scratch folder");
        Scratch(dir)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(program: &str, dir: &Path, args: &str) -> Output {
    Command::new(program)
        .args(args.split_whitespace())
        .env("LAB_DEVICE", "emulated")
        .current_dir(dir)
        .output()
        .expect("the program runs")
}
