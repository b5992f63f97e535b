//! No file of the students' pack holds what an exercise asks for: fingerprints of each solution's
//! regions are looked for in every file of the pack.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use course_tests::{LABS, place};
use grading::region::{comment_of, skeleton};
use grading::similar::Prints;

use crate::{course_inputs, pack};

/// Per cent of a solution's fingerprints that one file may have. Kernels are short and their own;
/// host code opens, copies and launches as all host code does. Kernels of the pack have 23 at most
/// (`nas_ep.cu` of `mc_inertia.cu`, both lab 3's). `stencil_point.cu` of `rtm`, which packs once
/// had, has 24 of two of lab 6's; a `mc_rate.cu` that summed over a warp as 3.1.3's solution does
/// had 24 of it. Other files have 44 at most: `fpgatop.rs`, with which lab 4's filters begin. The
/// test prints what is nearest.
const KERNEL: usize = 23;
const HOST: usize = 45;
/// Regions with fewer fingerprints are a line or two, which the handout says in words.
const LEAST: usize = 12;

/// A solution, a file that has something in common with it, and how many per cent.
type Leak = (String, PathBuf, usize);

/// Files below `dir` that hold more of a solution than they may.
fn leaks(dir: &Path) -> Vec<Leak> {
    let mut all = common(dir);
    all.retain(|(solution, _, percent)| *percent > limit(solution));
    all
}

/// Per cent that a file may have of a solution.
fn limit(solution: &str) -> usize {
    if solution.ends_with(".rs") { HOST } else { KERNEL }
}

/// What files below `dir` have in common with solutions.
fn common(dir: &Path) -> Vec<Leak> {
    let mut files = Vec::new();
    pack::files(dir, &mut files);
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).ok()?;
        let drawn = ["svg", "lock"].iter().any(|e| file.extension().is_some_and(|f| f == *e));
        let prints = Prints::every(&text, &file.to_string_lossy());
        (!drawn).then_some((file, prints))
    };
    let files: Vec<(PathBuf, Prints)> = files.into_iter().filter_map(read).collect();
    let mut found = Vec::new();
    for lab in LABS {
        let solutions: BTreeMap<&str, String> = lab
            .files()
            .into_iter()
            .filter(|rel| !rel.ends_with(".toml"))
            .map(|rel| (rel, fs::read_to_string(place().solution_dir(lab).join(rel)).unwrap()))
            .collect();
        // What the lab's own skeletons give is given.
        let given: Vec<Prints> = solutions
            .iter()
            .map(|(rel, text)| Prints::every(&skeleton(text, comment_of(rel)).unwrap(), rel))
            .collect();
        for (rel, text) in &solutions {
            let mut own = Prints::of_regions(text, rel);
            given.iter().for_each(|given| own.without(given));
            for (file, prints) in files.iter().filter(|_| own.len() >= LEAST) {
                let percent = 100 * own.common(prints) / own.len();
                if percent > 0 {
                    found.push((format!("{}/{rel}", lab.package), file.clone(), percent));
                }
            }
        }
    }
    found
}

#[test]
fn no_file_of_the_pack_holds_a_solution() {
    let Some(due) = kept::due("leaks of the pack", course_inputs()) else { return };
    let dir = pack::export("pack-leaks");
    // What is above the limits, and what is nearest below.
    let above = |(solution, _, percent): &Leak| *percent > limit(solution);
    let (found, mut near): (Vec<Leak>, Vec<Leak>) = common(&dir).into_iter().partition(above);
    assert!(found.is_empty(), "{found:#?}");
    // With `--nocapture`.
    near.sort_by_key(|(_, _, percent)| std::cmp::Reverse(*percent));
    for kernel in [true, false] {
        for (solution, file, percent) in
            near.iter().filter(|(s, _, _)| s.ends_with(".rs") != kernel).take(12)
        {
            println!("{percent} %  {solution}  {}", file.strip_prefix(&dir).unwrap().display());
        }
    }
    // What packs once gave away would be found: the capstone's kernels.
    let course = place().root.join("rtm/library/kernels/cuda");
    assert!(leaks(&course).iter().any(|(s, _, _)| s.starts_with("lab6-rtm/")));
    // So would a solution with all its names changed.
    let text = fs::read_to_string(place().root.join("solutions/lab2-optimization/kernels/fir4.cu"));
    let renamed = text.unwrap().replace("tile", "cache").replace("sum", "acc").replace("  ", "\t");
    let notes = tempfile::tempdir().unwrap();
    fs::write(notes.path().join("notes.cu"), renamed).unwrap();
    assert!(leaks(notes.path()).iter().any(|(s, f, p)| {
        s == "lab2-optimization/kernels/fir4.cu" && f.ends_with("notes.cu") && *p > 90
    }));
    fs::remove_dir_all(dir).unwrap();
    due.passed();
}
