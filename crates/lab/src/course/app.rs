//! The course at hand: its labs and exercises by their names, and where answers go.

use std::io::{IsTerminal, Write};

use grading::report::Paint;
use grading::{Exercise, Lab, Place};

use super::labs::LABS;
use super::progress;

/// The course at hand and the terminal.
#[derive(Debug)]
pub struct App {
    /// Where the course lies.
    pub place: Place,
    /// Its labs.
    pub labs: Vec<Lab>,
    /// Colours or none.
    pub paint: Paint,
}

impl App {
    /// The course around the current folder. What the judge waits for is shown on standard error
    /// from now on.
    ///
    /// # Errors
    /// If there is none.
    pub fn here() -> Result<App, String> {
        let start = std::env::current_dir().map_err(|e| format!("the current folder: {e}"))?;
        let colours = std::io::stdout().is_terminal()
            && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            && std::env::var_os("TERM").is_none_or(|t| t != "dumb");
        let place = Place::find(&start, LABS)?;
        progress::show();
        Ok(App { place, labs: LABS.to_vec(), paint: Paint(colours) })
    }

    /// The lab that `name` means.
    pub(super) fn lab(&self, name: &str) -> Result<&Lab, String> {
        let lab = self.labs.iter().find(|lab| lab.is_called(name));
        lab.ok_or_else(|| format!("there is no lab {name}: `cargo lab list` shows all"))
    }

    /// The exercise that `name` means.
    pub(super) fn exercise(&self, name: &str) -> Result<(&Lab, &'static Exercise), String> {
        let found = self.labs.iter().find_map(|lab| Some((lab, lab.exercise(name)?)));
        found.ok_or_else(|| {
            let near = self.nearest(name);
            let near = near.map_or(String::new(), |n| format!(". Did you mean {n}?"));
            format!("there is no exercise {name}: `cargo lab list` shows all{near}")
        })
    }

    /// The exercise whose number has the same digits, or all but one of them.
    fn nearest(&self, name: &str) -> Option<&'static str> {
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let wanted = digits(name);
        let differ = |number: &str| {
            let own = digits(number);
            let same = own.chars().zip(wanted.chars()).filter(|(a, b)| a == b).count();
            own.len().max(wanted.len()) - same
        };
        let near = self.exercises().map(|(_, e)| e.number()).min_by_key(|n| differ(n))?;
        (wanted.len() > 1 && differ(near) <= 1).then_some(near)
    }

    /// The lab that `name` means, and the exercise if it means one.
    pub(super) fn named(&self, name: &str) -> Result<(&Lab, Option<&'static Exercise>), String> {
        if let Some(lab) = self.labs.iter().find(|lab| lab.is_called(name)) {
            return Ok((lab, None));
        }
        let found = self.exercise(name).map(|(lab, exercise)| (lab, Some(exercise)));
        found.map_err(|e| e.replace("no exercise", "no lab or exercise"))
    }

    /// The exercise that `name` means, else the first that is not done; `None` if all are.
    pub(super) fn exercise_or_next(
        &self,
        name: Option<&str>,
    ) -> Result<Option<(&Lab, &'static Exercise)>, String> {
        let Some(name) = name else { return Ok(self.next_exercise()) };
        if let Ok(found) = self.exercise(name) {
            return Ok(Some(found));
        }
        // A lab or a chapter: its first exercise that is not done.
        let chapter = format!("{}.", name.trim_end_matches('.'));
        let within: Vec<_> = self
            .exercises()
            .filter(|(lab, e)| lab.is_called(name) || e.number().starts_with(&chapter))
            .collect();
        let Some(first) = within.first() else { return self.exercise(name).map(Some) };
        Ok(Some(self.first_open(&within).unwrap_or(*first)))
    }

    /// All exercises with their labs, in order.
    pub(super) fn exercises(&self) -> impl Iterator<Item = (&Lab, &'static Exercise)> {
        self.labs.iter().flat_map(|lab| lab.exercises.iter().map(move |e| (lab, e)))
    }
}

/// Writes text; a reader that went away is no error worth a message.
pub(crate) fn say(out: &mut dyn Write, text: &str) -> Result<(), String> {
    match out.write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("output: {e}")),
        _ => Ok(()),
    }
}
