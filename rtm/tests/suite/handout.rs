//! The handout's commands do what it says: every `console` block is run, in order, in one folder,
//! and compared.

use std::fs;
use std::process::{Command, Stdio};

/// Whether an output fits what the handout shows: `...` stands for anything to the end of a line,
/// alone on a line for any lines.
fn fits(shown: &[&str], found: &[&str]) -> bool {
    match (shown.split_first(), found.split_first()) {
        (None, None) => true,
        (Some((&"...", rest)), _) => (0..=found.len()).any(|k| fits(rest, &found[k..])),
        (Some((line, rest)), Some((first, others))) => {
            let same = match line.strip_suffix("...") {
                Some(start) => first.starts_with(start.trim_end()),
                None => line.trim_end() == first.trim_end(),
            };
            same && fits(rest, others)
        }
        _ => false,
    }
}

#[test]
fn the_commands_of_the_handout_print_what_it_shows() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut commands = 0;
    for block in text.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for part in block.split("$ rtm ").skip(1) {
            let (line, shown) = part.split_once('\n').unwrap();
            let output = Command::new(env!("CARGO_BIN_EXE_rtm"))
                .args(line.split_whitespace())
                .current_dir(folder.path())
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let printed = [output.stdout, output.stderr].concat();
            let printed = String::from_utf8(printed).unwrap();
            let shown: Vec<&str> = shown.trim_end().lines().collect();
            let found: Vec<&str> = printed.trim_end().lines().collect();
            assert!(
                fits(&shown, &found),
                "rtm {line}\nshown:\n{}\nfound:\n{printed}",
                shown.join("\n")
            );
            commands += 1;
        }
    }
    assert!(commands >= 9, "{commands} commands");
    for picture in ["v.svg", "shot.svg", "part.svg", "result/image.svg"] {
        assert!(folder.path().join(picture).exists(), "{picture}");
    }
}

#[test]
fn all_commands_are_in_the_handout() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_rtm")).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let names = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    for name in names.lines().filter_map(|l| l.split_whitespace().next()) {
        assert!(name == "help" || text.contains(&format!("| `rtm {name}` |")), "{name}");
    }
}
