//! The second half of the page "Verdicts and hints": every hint of the course, by exercise.

use std::fmt::Write;
use std::path::Path;

use grading::{Exercise, Lab};

/// Markdown of all hints. Each exercise has an anchor by its name, such as `L1-1.1.3`, and a link
/// to its section of the handout.
pub fn hints(root: &Path) -> String {
    let mut text = String::from(
        "\n## Hints\n\nA failed check names one of these. The first list holds for every exercise \
         with a kernel.\n\n",
    );
    for (_, hint) in grading::hints::COMMON {
        _ = writeln!(text, "* {hint}");
    }
    for lab in lab::course::LABS {
        let file = format!("{}/README.md", lab.package);
        let handout = std::fs::read_to_string(root.join(&file)).unwrap_or_default();
        _ = writeln!(text, "\n### {}\n", lab.title);
        for exercise in lab.exercises.iter().filter(|e| !e.hints.is_empty()) {
            text += &of_exercise(lab, exercise, &handout);
        }
    }
    text
}

fn of_exercise(lab: &Lab, exercise: &Exercise, handout: &str) -> String {
    let number = exercise.number();
    let heading = |line: &&str| {
        let words = line.trim_start_matches('#').trim_start();
        line.starts_with('#') && words.strip_prefix(number).is_some_and(|r| r.starts_with(' '))
    };
    let name = format!("{} {}", exercise.id, exercise.title);
    let named = match handout.lines().find(heading) {
        Some(line) => {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            let kept = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
            format!("[{name}](../{}/README.md#{anchor})", lab.package)
        }
        None => name,
    };
    let mut text = format!("<b id=\"{}\"></b>**{named}**\n\n", exercise.id);
    for (_, hint) in exercise.hints {
        _ = writeln!(text, "* {hint}");
    }
    text.push('\n');
    text
}
