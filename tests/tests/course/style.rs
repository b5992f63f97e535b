//! Rules for sources that no other tool keeps: the width of a line, and `forbid(unsafe_code)`.

use std::process::Command;

use course_tests::place;
use proc_macro2::{TokenStream, TokenTree};

/// Columns of a line at most.
const WIDTH: usize = 100;

/// Folders and files in which no line is wider. Entries are only ever added, until it is all.
const CLEAN: &[&str] = &[
    "benches/",
    "crates/book/",
    "crates/building/src/",
    "crates/compiler/src/language.rs",
    "crates/compiler/src/sema/opencl/",
    "crates/compiler/src/words.rs",
    "crates/cuda-driver/",
    "crates/cudalibs/",
    "crates/emulation/",
    "crates/features/",
    "crates/figures/",
    "crates/find_cuda_helper/",
    "crates/grading/src/intake.rs",
    "crates/grading/src/moved.rs",
    "crates/grading/src/report/similar.rs",
    "crates/grading/src/report/statistics.rs",
    "crates/grading/src/roster.rs",
    "crates/grading/src/rules.rs",
    "crates/grading/src/similar.rs",
    "crates/hdl-engine/",
    "crates/hdl/",
    "crates/ipcores/",
    "crates/job-object/",
    "crates/lab/src/course/export/",
    "crates/lab/src/course/pictures/",
    "crates/lab/src/dev/",
    "crates/lab/src/tools/timeline.rs",
    "crates/lab/tests/lab/class.rs",
    "crates/labkit/",
    "crates/libcuda/",
    "crates/libnvrtc/",
    "crates/libopencl/",
    "crates/npb/",
    "crates/opencl-icd/",
    "crates/references/",
    "crates/sandbox/",
    "crates/seismics/",
    "crates/simt/src/",
    "crates/sound/",
    "crates/transforms/",
    "crates/web-engine/",
    "crates/web/",
    "crates/wire/",
    "crates/workbench/",
    "docs/adding.md",
    "docs/architecture.md",
    "docs/browser.md",
    "docs/cores.md",
    "docs/coverage.md",
    "docs/diagnostics/",
    "docs/glossary.md",
    "docs/grading.md",
    "docs/hdl.md",
    "docs/instructors.md",
    "docs/lab3.md",
    "docs/measurements.md",
    "docs/measurements/",
    "docs/ncu.md",
    "docs/other-programs.md",
    "docs/rtm-gpu.md",
    "docs/sanitizer.md",
    "docs/testing.md",
    "docs/verdicts.md",
    "docs/verification.md",
    "docs/wave-opencl.md",
    "lab1-cuda-intro/src/bin/",
    "lab1-cuda-intro/src/vecadd/",
    "lab2-optimization/checks/src/ladder.rs",
    "lab2-optimization/tests/",
    "lab3-libraries/checks/src/ladder.rs",
    "lab3-libraries/src/nas/",
    "lab3-libraries/tests/",
    "lab4-fpga/checks/",
    "lab4-fpga/tests/",
    "lab5-fpga-ip/checks/",
    "lab5-fpga-ip/tests/",
    "lab6-rtm/checks/",
    "lab6-rtm/kernels/",
    "lab6-rtm/src/",
    "lab6-rtm/tests/",
    "README.md",
    "REFERENCES.md",
    "rtm/examples/",
    "rtm/library/",
    "rtm/src/",
    "rtm/studies/",
    "rtm/tests/",
    "rtm/tti/kernels/opencl/",
    "rtm/tti/src/",
    "solutions/lab1-cuda-intro/src/vecadd/",
    "solutions/lab6-rtm/variants/",
    "tests/browser/",
    "tests/cores/src/",
    "tests/judge/src/",
    "tests/src/",
    "tests/tests/course/adding.rs",
    "tests/tests/course/circles.rs",
    "tests/tests/course/lazy.rs",
    "tests/tests/course/leaks.rs",
    "tests/tests/course/style.rs",
    "tools/ncu/",
    "tools/rates/",
];

/// Files in those folders that may have wider lines.
const WIDE: &[&str] = &["rtm/library/src/run/demo.rs"];

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

/// Whether a line may be wider: a row of a table, also in a comment, or a line with an address.
fn may_be_wide(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches("//!").trim_start_matches("///").trim_start();
    text.starts_with('|') || text.contains("https://") || text.contains("http://")
}

#[test]
fn no_line_is_wider_than_a_page() {
    let clean = |file: &String| {
        CLEAN.iter().any(|place| file.starts_with(place)) && !WIDE.contains(&file.as_str())
    };
    let mut wide = Vec::new();
    for file in tracked(&["*.rs", "*.md", "*.cu", "*.cl"]).into_iter().filter(clean) {
        for (number, line) in (1..).zip(read(&file).lines()) {
            let columns = line.chars().count();
            if columns > WIDTH && !may_be_wide(line) {
                wide.push(format!("{file}:{number}: {columns} columns"));
            }
        }
    }
    assert!(wide.is_empty(), "break these lines at {WIDTH} columns:\n{}", wide.join("\n"));
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
