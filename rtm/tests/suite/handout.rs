//! The handout's commands do what it says: every `console` block is run, in order, in one folder,
//! and compared.

use std::fs;
use std::path::Path;
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

/// Runs the `console` blocks of a page in a new folder, compares, and gives how many commands they
/// have. Files that the page shows (a line that ends in their name as code and a colon, then a
/// `text` block) are written first.
fn run_page(page: &str) -> (tempfile::TempDir, usize) {
    let path = format!("{}/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for part in text.split("`:\n\n```text\n").collect::<Vec<_>>().windows(2) {
        let name = part[0].rsplit('`').next().unwrap();
        fs::write(folder.path().join(name), part[1].split("```").next().unwrap()).unwrap();
    }
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
    (folder, commands)
}

#[test]
fn the_commands_of_the_handout_print_what_it_shows() {
    let (folder, commands) = run_page("README.md");
    assert!(commands >= 9, "{commands} commands");
    for picture in ["v.svg", "shot.svg", "part.svg", "result/image.svg"] {
        assert!(folder.path().join(picture).exists(), "{picture}");
    }
}

/// The page's ground is the one of its pictures.
#[test]
fn the_page_on_field_data_shows_its_own_ground() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../docs/field-data.md")).unwrap();
    let picks = fs::read_to_string(root.join("tests/data/interfaces.txt")).unwrap();
    assert!(page.contains(&format!("```text\n{picks}```")));
}

/// The page's commands, and where the image has the interfaces that the page names.
#[test]
#[ignore = "a minute or two: a line of twelve shots"]
fn the_page_on_field_data_prints_what_it_shows() {
    let (folder, commands) = run_page("../docs/field-data.md");
    assert_eq!(commands, 9);
    let path = folder.path().join("line/image.npy");
    let image = rtm::io::read_cube(&path, &rtm::io::Known::default()).unwrap();
    for (x_m, depths_m) in [(200, [200.0, 453.3]), (500, [200.0, 560.0]), (800, [200.0, 448.9])] {
        let column = image.row(x_m / 10, 0);
        for depth_m in depths_m {
            let near = (depth_m / 10.0) as usize - 4..(depth_m / 10.0) as usize + 5;
            let top = near.max_by(|a, b| column[*a].total_cmp(&column[*b])).unwrap();
            let [a, b, c] = [top - 1, top, top + 1].map(|z| f64::from(column[z]));
            let found_m = 10.0 * (top as f64 + 0.5 * (a - c) / (a - 2.0 * b + c));
            assert!((found_m - depth_m).abs() < 5.0, "x = {x_m} m, {depth_m} m: {found_m} m");
        }
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
