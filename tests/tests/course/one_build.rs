//! Whatever is built, a crate is built once: every selection of packages gives third-party crates
//! the same features.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use course_tests::{labs, place};

use crate::course_inputs;

/// Features of each crate in the tree of one selection.
fn features(selection: &[&str]) -> BTreeMap<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(place().root)
        .args(["tree", "--locked", "--offline", "--prefix", "none", "--no-dedupe"])
        .args(["--format", "{p}|{f}"])
        .args(selection)
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .filter_map(|line| line.split_once('|'))
        .map(|(name, features)| {
            (name.trim_end_matches(" (proc-macro)").to_string(), features.to_string())
        })
        .collect()
}

#[test]
fn every_selection_builds_the_same_units() {
    let Some(due) = kept::due("one build", course_inputs()) else { return };
    let mut packages = vec!["lab", "simt", "hdl", "npb", "cudalibs", "rtm", "rtm-library"];
    packages.extend(["rtm-solver", "rtm-studies", "tti", "course-tests"]);
    packages.extend(labs().iter().map(|lab| lab.package));
    let mut selections: Vec<(String, Vec<&str>)> =
        vec![("cargo test".into(), vec!["-e", "normal,dev"])];
    for package in packages {
        selections.push((format!("cargo build -p {package}"), vec!["-e", "normal", "-p", package]));
        selections
            .push((format!("cargo test -p {package}"), vec!["-e", "normal,dev", "-p", package]));
    }
    // crate -> features -> the selections that ask for them
    let mut asked: BTreeMap<String, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for (name, arguments) in &selections {
        for (package, features) in features(arguments) {
            asked.entry(package).or_default().entry(features).or_default().push(name);
        }
    }
    // A lab's solutions are other code than its skeletons.
    let solutions: BTreeSet<&str> = labs().iter().map(|lab| lab.package).collect();
    let twice: Vec<String> = asked
        .iter()
        .filter(|(package, _)| !solutions.contains(package.split(' ').next().unwrap_or_default()))
        .filter(|(_, by_features)| by_features.len() > 1)
        .map(|(package, by_features)| {
            let lines: Vec<String> = by_features
                .iter()
                .map(|(features, names)| format!("    [{features}] by {}", names.join(", ")))
                .collect();
            format!("{package}\n{}", lines.join("\n"))
        })
        .collect();
    assert!(
        twice.is_empty(),
        "crates with more than one set of features, so that everything above them is built more \
         than once: name the \
         features in crates/features/Cargo.toml or in [workspace.dependencies]\n{}",
        twice.join("\n")
    );
    due.passed();
}
