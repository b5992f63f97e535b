//! `cargo lab` and `cargo lab list`.

use std::fmt::Write as _;
use std::io::Write;

use grading::{Exercise, Lab, Points};

use super::state::Standing;
use super::{App, say};

/// What is said when nothing is left to do.
pub(super) const ALL_DONE: &str =
    "Every exercise has full marks. `cargo lab grade` marks them with the inputs of the judge.\n";

/// Characters of the progress bar.
const BAR: usize = 30;

impl App {
    /// The course, the points so far, and what to type next.
    pub(super) fn status(&self, out: &mut dyn Write) -> Result<u8, String> {
        let state = self.state();
        let paint = self.paint;
        let mut text = String::new();
        for lab in &self.labs {
            let standing: Vec<_> =
                lab.exercises.iter().map(|e| self.standing(&state, lab, e)).collect();
            let earned: Points = standing.iter().map(points).sum();
            let all: Points = lab.exercises.iter().map(|e| Points::whole(e.points)).sum();
            let done = standing.iter().filter(|s| matches!(s, Standing::Checked(_, true))).count();
            let filled = (earned.0 as usize * BAR).checked_div(all.0 as usize).unwrap_or(0);
            let _ = writeln!(
                text,
                "{}  {}\n  {}{}  {earned} / {all} points, {done} of {} exercises\n",
                paint.strong(lab.id),
                lab.title,
                paint.good(&"#".repeat(filled)),
                paint.faint(&"-".repeat(BAR - filled)),
                lab.exercises.len()
            );
        }
        match self.next_exercise() {
            None => text += ALL_DONE,
            Some((lab, exercise)) => text += &self.next_step(lab, exercise, &state),
        }
        say(out, &text)?;
        Ok(0)
    }

    fn next_step(&self, lab: &Lab, exercise: &Exercise, state: &super::state::State) -> String {
        let number = exercise.number();
        let mut text = format!("Next: {} {}\n", self.paint.strong(exercise.id), exercise.title);
        let _ = writeln!(text, "  {}", exercise.todo);
        let files: Vec<String> =
            exercise.files.iter().map(|f| format!("{}/{f}", lab.package)).collect();
        let _ = writeln!(text, "  Edit    {}", files.join("\n          "));
        let _ = writeln!(
            text,
            "  Check   cargo lab run {number}     (or at every save: cargo lab watch {number})"
        );
        let _ = writeln!(text, "  Stuck?  cargo lab hint {number}");
        let _ = writeln!(text, "  Read    {}/README.md, section {number}", lab.package);
        if self.standing(state, lab, exercise) == Standing::Changed {
            text += &self.paint.note("  Your files changed since the last check.\n");
        }
        text
    }

    /// All exercises with points and standing; those of one lab if a name is given.
    pub(super) fn list(&self, name: Option<&str>, out: &mut dyn Write) -> Result<u8, String> {
        let only = name.map(|name| self.lab(name)).transpose()?;
        let state = self.state();
        let mut text = String::new();
        for lab in self.labs.iter().filter(|lab| only.is_none_or(|only| only.id == lab.id)) {
            let _ = writeln!(text, "{}  {}", self.paint.strong(lab.id), lab.title);
            // As in the handout: the points behind the title.
            let title = |e: &Exercise| format!("{} ({})", e.title, e.points);
            let width = lab.exercises.iter().map(|e| title(e).chars().count()).max().unwrap_or(0);
            for e in lab.exercises {
                let standing = match self.standing(&state, lab, e) {
                    Standing::NotStarted => self.paint.faint("not started"),
                    Standing::Changed => self.paint.note("changed"),
                    Standing::Checked(_, true) => self.paint.good("ok"),
                    Standing::Checked(points, false) => {
                        self.paint.bad(&format!("{points} of {}", e.points))
                    }
                };
                let _ = writeln!(text, "  {:<6}  {:<width$}  {standing}", e.number(), title(e));
            }
        }
        say(out, &text)?;
        Ok(0)
    }
}

fn points(standing: &Standing) -> Points {
    match standing {
        Standing::Checked(points, _) => *points,
        _ => Points(0),
    }
}
